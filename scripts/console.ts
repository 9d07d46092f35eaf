/**
 * Builds `dist/console`: a script and a stylesheet each for the console and for the documentation, the guides, and the diagrams of
 * the machines, named by their contents, and `manifest.json`. It runs before the server starts from the sources and before the tests.
 *
 * Several builds at once, and a server that reads while one runs, see complete files only: each file is renamed into its
 * place, the manifest last.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { drawings } from "./documents/machines.ts"
import { listServedPages } from "./documents/pages.ts"
import { servedTexts } from "./documents/twins.ts"

const root = dirname(import.meta.dirname)

const hashOf = (contents: Iterable<string | Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const content of contents) hash.update(content)
  return hash.digest("hex").slice(0, 12)
}

const findImports = (script: string, contentOf: (name: string) => string, imports: RegExp): ReadonlyArray<string> => {
  const found = new Set<string>([script])
  for (const name of found) for (const [, imported] of contentOf(name).matchAll(imports)) found.add(imported!)
  return [...found]
}

/** A script with what it imports before it runs, as the browser loads them for the first page. */
export const firstScripts = (script: string, contentOf: (name: string) => string): ReadonlyArray<string> =>
  findImports(script, contentOf, /(?:from|import)"\.\/([^"]+)"/g)

/** Names of files, relative to `dist/console`. */
export interface Built {
  readonly script: string
  readonly style: string
  readonly docs: { readonly script: string; readonly style: string; readonly guides: string; readonly texts: string }
  /** All files that may be served. */
  readonly files: ReadonlyArray<string>
}

/**
 * Builds the console and returns its manifest. Files of earlier builds are removed when they are older than `keep_ms`: a
 * younger one may belong to a build that still runs.
 */
export const buildConsole = async (
  to: string = join(root, "dist", "console"),
  { keep_ms = 60_000 }: { readonly keep_ms?: number } = {}
): Promise<Built> => {
  const lifecycles = await drawings()
  const drawn = new Map(
    [...lifecycles].flatMap(([kind, { versions }]) =>
      [...versions].map(([version, svg]) => [`${kind}.${version}.svg`, svg])
    )
  )
  const machines = `machines-${hashOf([...drawn].flat())}`
  // What has parts that are loaded later has the other languages among them; the documentation is in English.
  const bundled = (entryPoints: Record<string, string>, splitting: boolean) =>
    build({
      absWorkingDir: root,
      entryPoints,
      outdir: to,
      write: false,
      bundle: true,
      // Pages that are imported when they are shown are files of their own, and what they share with others too.
      splitting,
      chunkNames: "[name]-[hash]",
      minify: true,
      format: "esm",
      target: ["es2022"],
      platform: "browser",
      jsx: "automatic",
      jsxImportSource: "preact",
      legalComments: "none",
      charset: "utf8",
      define: { MACHINES: JSON.stringify(machines), TRANSLATED: String(splitting) }
    })
  // Each alone: what they have in common is in both, so that a page loads the fewest files.
  const outputFiles = (
    await Promise.all([
      bundled({ console: "src/console/main.tsx" }, true),
      bundled({ docs: "src/console/docs/main.tsx" }, false)
    ])
  ).flatMap((one) => one.outputFiles)
  const contents = new Map<string, string | Uint8Array>()
  const named = (entry: "console" | "docs", ending: ".js" | ".css"): string => {
    const file = outputFiles.find(({ path }) => path.endsWith(`${entry}${ending}`))
    if (file === undefined) throw new Error(`The bundle of the ${entry} has no ${ending} file.`)
    return kept(entry, ending, file.contents)
  }
  const kept = (entry: string, ending: string, content: string | Uint8Array): string => {
    const name = `${entry}-${hashOf([content])}${ending}`
    contents.set(name, content)
    return name
  }
  const guides = listServedPages(lifecycles)
  const docs = {
    script: named("docs", ".js"),
    style: named("docs", ".css"),
    guides: kept("guides", ".json", JSON.stringify(guides)),
    texts: kept("texts", ".json", JSON.stringify(servedTexts(guides)))
  }
  const script = named("console", ".js")
  const style = named("console", ".css")
  const parts = new Map(outputFiles.map(({ contents: content, path }) => [basename(path), content]))
  const textOf = (name: string): string => Buffer.from(contents.get(name) ?? parts.get(name)!).toString()
  // What only an export that nobody uses imports is left out.
  for (const name of findImports(script, textOf, /(?:from|import)\(?"\.\/([^"]+)"/g).slice(1))
    contents.set(name, parts.get(name)!)
  for (const [name, svg] of drawn) contents.set(`${machines}/${name}`, svg)

  const built: Built = { script, style, docs, files: [...contents.keys()] }
  const place = (name: string, content: string | Uint8Array): void => {
    const path = join(to, name)
    mkdirSync(dirname(path), { recursive: true })
    const partial = `${path}.${process.pid}`
    writeFileSync(partial, content)
    renameSync(partial, path)
  }
  for (const [name, content] of contents) place(name, content)
  place("manifest.json", JSON.stringify(built))
  sweep(to, new Set([...contents.keys(), "manifest.json"]), keep_ms)
  return built
}

/** Removes the files that are not kept and are older than `keep_ms`. */
const sweep = (folder: string, kept: ReadonlySet<string>, keep_ms: number): void => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (!entry.isFile() || kept.has(name)) continue
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (written <= Date.now() - keep_ms) rmSync(path, { force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now()
  const to = join(root, "dist", "console")
  const { script, files } = await buildConsole(to)
  const { readFileSync } = await import("node:fs")
  const size = (names: ReadonlyArray<string>): string =>
    (names.reduce((sum, name) => sum + gzipSync(readFileSync(join(to, name))).length, 0) / 1000).toFixed(1)
  const first = firstScripts(script, (name) => readFileSync(join(to, name), "utf8"))
  const later = files.filter((name) => name.endsWith(".js") && !first.includes(name) && !/^(?:docs|fr)-/.test(name))
  if (process.argv.includes("--size"))
    console.log(
      `${files.length} files, ${size(first)} kB of script with gzip, ${size(later)} kB more for pages that need it, ${(performance.now() - started).toFixed(0)} ms`
    )
}
