/**
 * Bundles what is built. Packages that are not installed with this one go into the file that re-exports them, with their licences
 * beside it. The package's own modules are joined: an import of hundreds of small files takes twice as long.
 */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"
import { build, type Plugin } from "esbuild"

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
  const names = new Set(
    Object.keys(metafile.inputs).flatMap(
      (input) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []
    )
  )
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

/** `import { A } from "effect"` loads every module of an index, such as `effect` or `effect/http`; `from "effect/A"` loads what is used. */
const byModule = (text: string): string =>
  text.replaceAll(/^import \{([^}]*)\} from "(effect(?:\/[\w-]+)?)";?$/gm, (whole, names: string, index: string) => {
    // The namespaces that an index of `effect` exports, each of a module of its own.
    const known = new Set(
      [
        ...readFileSync(createRequire(import.meta.url).resolve(index), "utf8").matchAll(
          /^export \* as (\w+) from "\.\/\1\.js"/gm
        )
      ].map(([, name = ""]) => name)
    )
    const found = names.split(",").map((name) => /^\s*(\w+)(?: as (\w+))?\s*$/.exec(name))
    if (!found.every((one) => one !== null && known.has(one[1]!))) return whole
    return found.map((one) => `import * as ${one![2] ?? one![1]} from "${index}/${one![1]}";`).join(" ")
  })

/**
 * Joins the modules of a build into few files. Each of `entries`, which are paths in `dist`, stays where it is, and what several
 * of them share is in `dist/shared` once. Those that `isChecked` names import `required-node.js` first: what they share is imported in
 * no order that they could choose.
 */
export const joinModules = async (
  root: string,
  dist: string,
  name: string,
  entries: ReadonlyArray<string>,
  isChecked: (entry: string) => boolean
): Promise<void> => {
  const check = "required-node.js"
  const modules = globSync("**/*.js", { cwd: dist, exclude: ["console/**"] })
  const reading: Plugin = {
    name: "reading",
    setup: ({ onLoad, onResolve }) => {
      // Packages are installed with this one.
      onResolve({ filter: /^[^.]/ }, ({ kind, path }) =>
        kind === "entry-point" ? undefined : { path, external: true }
      )
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const place = relative(root, path).replaceAll(sep, "/")
        // A module finds its files where it was built, in whatever file it ends up.
        return {
          contents: byModule(readFileSync(path, "utf8")).replaceAll(
            "import.meta.url",
            `new URL(${JSON.stringify(`./${place}`)}, import.meta.resolve(${JSON.stringify(`${name}/package.json`)})).href`
          ),
          loader: "js"
        }
      })
    }
  }
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [check, ...entries].map((entry) => join(dist, entry)),
    outdir: dist,
    outbase: dist,
    chunkNames: "shared/[hash]",
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: ["es2024"],
    legalComments: "inline",
    logLevel: "warning",
    plugins: [reading]
  })
  for (const module of modules) rmSync(join(dist, module))
  mkdirSync(join(dist, "shared"))
  const checked = new Set(entries.filter(isChecked).map((entry) => join(dist, entry)))
  for (const { path, text } of outputFiles) {
    const first = relative(dirname(path), join(dist, check)).replaceAll(sep, "/")
    writeFileSync(path, checked.has(path) ? `import "${first.startsWith(".") ? "" : "./"}${first}";\n${text}` : text)
  }
}
