/** Adds the CommonJS form of the client to a build: one file, and the types under the endings that `require` looks for. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..", "..")

/** The folders of the declarations that the client uses. */
const folders = ["client", "client/generated", "receiver"]

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
  for (const folder of folders)
    for (const name of readdirSync(join(dist, folder)).filter((name) => name.endsWith(".d.ts"))) {
      const text = readFileSync(join(dist, folder, name), "utf8")
      writeFileSync(
        join(dist, folder, name.replace(/\.d\.ts$/, ".d.cts")),
        text.replaceAll(/(from "\.[^"]*)\.(?:js|ts)"/g, '$1.cjs"')
      )
    }
}
