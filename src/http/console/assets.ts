/** The built files of the console, as `npm run build` and `npm start` make them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

/** `manifest.json` of `dist/console`. */
interface Manifest {
  readonly script: string
  readonly style: string
  readonly files: ReadonlyArray<string>
}

export interface Asset {
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly gzipped: Uint8Array
}

export interface Assets {
  /** File names, relative to the path of the assets. */
  readonly script: string
  readonly style: string
  /** The file of that name, if it is one of the console's. */
  readonly find: (name: string) => Asset | undefined
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml"
}

/** Beside the compiled server, or where a server that runs from the sources builds them. */
const folders = ["../../console", "../../../dist/console"].map((path) => join(import.meta.dirname, path))

const manifestIn = (folder: string): Manifest | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest
  } catch {
    return undefined
  }
}

/** Reads the manifest, and each file once, when it is first asked for. `undefined`: the console was not built. */
export const loadAssets = (candidates: ReadonlyArray<string> = folders): Assets | undefined => {
  const folder = candidates.find((candidate) => manifestIn(candidate) !== undefined)
  if (folder === undefined) return undefined
  const { files, script, style } = manifestIn(folder)!
  const known = new Set(files)
  const loaded = new Map<string, Asset>()
  const load = (name: string): Asset => {
    const bytes = readFileSync(join(folder, name))
    return {
      bytes,
      gzipped: gzipSync(bytes),
      contentType: types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"
    }
  }
  return {
    script,
    style,
    find: (name) => {
      if (!known.has(name)) return undefined
      const asset = loaded.get(name) ?? load(name)
      loaded.set(name, asset)
      return asset
    }
  }
}
