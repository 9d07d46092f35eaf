/** The built files of the console, as `npm run build` and `npm start` make them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Document, makeDocument } from "../document.ts"
import { makeSecurityHeaders } from "../docs/html.ts"

/** `manifest.json` of `dist/console`. */
interface Manifest {
  readonly script: string
  readonly style: string
  readonly docs: DocsFiles
  readonly files: ReadonlyArray<string>
}

/** The names of the files of the documentation. */
export interface DocsFiles {
  readonly script: string
  readonly style: string
  readonly guides: string
  /** The Markdown of each page and `llms.txt`, by their path below `/docs`. */
  readonly texts: string
}

export interface Assets {
  /** File names, relative to the path of the assets. */
  readonly script: string
  readonly style: string
  readonly docs: DocsFiles
  /** The texts of the documentation, by their path below `/docs`. They are read when they are first asked for. */
  readonly texts: () => ReadonlyMap<string, string>
  /** The file of that name, if it is one of the console's. */
  readonly find: (name: string, cacheControl: string) => Document | undefined
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml"
}

/** Beside the compiled server, or where a server that runs from the sources builds them. */
const folders = ["../../console", "../../../dist/console"].map((path) => fileURLToPath(new URL(path, import.meta.url)))

const readManifest = (folder: string): Manifest | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest
  } catch {
    return undefined
  }
}

/** Loads the files of the console: the manifest now, and each file when it is first requested. `undefined`: the console was not built. */
export const loadAssets = (candidates: ReadonlyArray<string> = folders): Assets | undefined => {
  const folder = candidates.find((candidate) => readManifest(candidate) !== undefined)
  if (folder === undefined) return undefined
  const { docs, files, script, style } = readManifest(folder)!
  const known = new Set(files)
  const loaded = new Map<string, Document>()
  let texts: ReadonlyMap<string, string> | undefined
  return {
    script,
    style,
    docs,
    texts: () => (texts ??= new Map(Object.entries(JSON.parse(readFileSync(join(folder, docs.texts), "utf8"))))),
    find: (name, cacheControl) => {
      if (!known.has(name)) return undefined
      const key = `${cacheControl} ${name}`
      const document =
        loaded.get(key) ??
        makeDocument(readFileSync(join(folder, name)), {
          contentType: types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
          cacheControl,
          headers: makeSecurityHeaders()
        })
      loaded.set(key, document)
      return document
    }
  }
}

/** For files whose names contain a hash of their contents: they never change. */
export const immutable = "public, max-age=31536000, immutable"
