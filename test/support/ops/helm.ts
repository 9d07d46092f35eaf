/**
 * Helm and kubectl: those of the path, or on Linux those that a package of AWS brings. It is made for functions that install charts, and has
 * both programs as they are released.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { unzipSync } from "fflate"
import { root } from "../repository/source.ts"

type Program = "helm" | "kubectl"

const layer = join(root, "node_modules/@aws-cdk/asset-kubectl-v20/lib/layer.zip")
const unpacked = join(root, "node_modules/.cache/corridor-kubernetes")

/** The program out of the package, unpacked once. Several tests at once each rename a complete file into its place. */
const unpack = (program: Program): string => {
  const path = join(unpacked, program)
  if (existsSync(path)) return path
  const name = `${program}/${program}`
  const { [name]: content } = unzipSync(readFileSync(layer), { filter: (entry) => entry.name === name })
  mkdirSync(unpacked, { recursive: true })
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, content!)
  chmodSync(partial, 0o755)
  renameSync(partial, path)
  return path
}

const isOnPath = (program: Program): boolean => spawnSync(program, ["version", "--client"]).error === undefined

/** The program, or `undefined` where there is none for this machine. */
export const programOf = (program: Program): string | undefined => {
  if (isOnPath(program)) return program
  return process.platform === "linux" && process.arch === "x64" && existsSync(layer) ? unpack(program) : undefined
}
