/** Adds the CommonJS form of the client to a build: one file, and the types under the endings that `require` looks for. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..", "..")

/** The declarations that the client has, as folders, and those that it uses, as files. */
const declarations = [
  "client",
  "client/generated",
  "engine/input/list-pages.d.ts",
  "receiver/event.d.ts",
  "receiver/headers.d.ts"
]

/** `dist`: a build of `src`. */
export const addCommonJs = async (dist: string): Promise<void> => {
  await build({
    entryPoints: [join(root, "src/client/index.ts")],
    outfile: join(dist, "client/index.cjs"),
    bundle: true,
    format: "cjs",
    platform: "neutral",
    target: "es2022",
    logLevel: "error"
  })
  const files = declarations.flatMap((path) =>
    path.endsWith(".ts")
      ? [path]
      : readdirSync(join(dist, path)).flatMap((name) => (name.endsWith(".d.ts") ? [`${path}/${name}`] : []))
  )
  for (const file of files)
    writeFileSync(
      join(dist, file.replace(/\.d\.ts$/, ".d.cts")),
      readFileSync(join(dist, file), "utf8").replaceAll(/(from "\.[^"]*)\.(?:js|ts)"/g, '$1.cjs"')
    )
}
