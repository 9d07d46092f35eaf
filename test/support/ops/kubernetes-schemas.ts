/** What Kubernetes says of a manifest: its schemas, and the types of its kinds. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Manifest } from "./manifests.ts"

const moduleOf = ({ apiVersion, kind }: Manifest): string => {
  const [group = "", version] = apiVersion.split("/")
  return `kubernetes-models/${version === undefined ? group : `${group}/${version}`}/${kind}`
}

interface Model {
  readonly validate: () => void
}

/** Throws when the schema of its kind does not allow a value in a manifest. */
export const checkManifest = async (manifest: Manifest): Promise<void> => {
  const found = (await import(moduleOf(manifest))) as Readonly<Record<string, new (data: object) => Model>>
  new found[manifest.kind]!(manifest).validate()
}

/** What the compiler says of manifests as values of the types of their kinds: it knows members that no schema forbids. */
export const compileManifests = (manifests: ReadonlyArray<Manifest>): string => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-manifests-"))
  try {
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    const code = manifests.flatMap((manifest, at) => [
      `import type { I${manifest.kind} as Kind${at} } from "${moduleOf(manifest)}"`,
      `export const manifest${at}: Kind${at} = ${JSON.stringify(manifest)}`
    ])
    writeFileSync(join(folder, "manifests.ts"), code.join("\n"))
    const options = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      ""
    ]
    const compiler = resolve("node_modules/typescript/bin/tsc")
    const { output } = spawnSync(process.execPath, [compiler, ...options, "--ignoreConfig", "manifests.ts"], {
      cwd: folder,
      encoding: "utf8"
    })
    return output.join("")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
