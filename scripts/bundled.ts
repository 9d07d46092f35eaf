/**
 * Bundles into a built file the packages that it re-exports and that are not installed with this one. Their licences are put
 * beside it.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { build } from "esbuild"

const packageIn = (input: string): string | undefined =>
  /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]

export const bundleIn = async (root: string, file: string, installed: ReadonlyArray<string>): Promise<void> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "node",
    target: ["node22"],
    legalComments: "inline",
    metafile: true,
    logLevel: "warning",
    external: installed.flatMap((name) => [name, `${name}/*`]),
    // CommonJS in the bundle calls `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    }
  })
  // Its types are those of packages that are not installed.
  rmSync(file.replace(/\.js$/, ".d.ts"))
  const names = new Set(Object.keys(metafile.inputs).flatMap((input) => packageIn(input) ?? []))
  const licences = [...names].toSorted().map((name) => {
    const folder = join(root, "node_modules", name)
    const licence = existsSync(folder) ? readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) : undefined
    const { license, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly license: string
      readonly version: string
    }
    const text = licence === undefined ? "" : readFileSync(join(folder, licence), "utf8").trim()
    return `${name} ${version}, ${license}\n\n${text}`.trim()
  })
  writeFileSync(join(dirname(file), "LICENSES"), `${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`)
}
