/** Builds `dist`: JavaScript, types, and the files read at run time. */
import { spawnSync } from "node:child_process"
import { cpSync, rmSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dirname)
const dist = join(root, "dist")
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

rmSync(dist, { recursive: true, force: true })
const compiled = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
if (compiled.status !== 0) process.exit(1)

cpSync(join(root, "src"), dist, {
  recursive: true,
  filter: (path) => !path.endsWith(".ts") || statSync(path).isDirectory()
})
