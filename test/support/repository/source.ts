/** The repository as text, for tests of how it is built. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix, relative, sep } from "node:path"

export const root = join(import.meta.dirname, "../../..")

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The text with comments blanked out: what runs. */
  readonly code: string
  /** What it imports or re-exports: packages by name, files by their path from the root. */
  readonly imports: ReadonlyArray<string>
}

const importPattern = /(?<!")\b(?:from\s*|import\s*\(?\s*)"([^"\s]+)"/g

export const exists = (path: string): boolean => existsSync(join(root, path))
export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The files under a folder whose names end so, sorted, without installed packages. None where the folder is not there. */
export const filesIn = (folder: string, ending: string): ReadonlyArray<string> =>
  exists(folder)
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
        .filter((path) => !path.includes("/node_modules/"))
        .toSorted((a, b) => (a < b ? -1 : 1))
    : []

export const sources = (folder: string): ReadonlyArray<SourceFile> =>
  [...filesIn(folder, ".ts"), ...filesIn(folder, ".tsx")].map((path) => {
    const text = read(path)
    // Comments, but not what looks like one inside a string: strings are matched first and kept.
    const code = text.replace(
      /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
      (found) => (found.startsWith("/*") || found.startsWith("//") ? found.replace(/[^\n]/g, " ") : found)
    )
    return {
      path,
      text,
      code,
      imports: [...code.matchAll(importPattern)].map(([, specifier = ""]) =>
        specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier
      )
    }
  })

/** Groups of files that import each other, types included (Tarjan's strongly connected components), each sorted. */
export const circles = (
  files: ReadonlyArray<Pick<SourceFile, "path" | "imports">>
): ReadonlyArray<ReadonlyArray<string>> => {
  const importsOfPath = new Map(files.map(({ path, imports }) => [path, imports]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: Array<string> = []
  const found: Array<ReadonlyArray<string>> = []
  const visit = (path: string): number => {
    const place = order.size
    order.set(path, place)
    lowest.set(path, place)
    open.push(path)
    for (const next of importsOfPath.get(path) ?? []) {
      if (!importsOfPath.has(next)) continue
      const reached = order.has(next) ? (open.includes(next) ? order.get(next)! : place) : visit(next)
      lowest.set(path, Math.min(lowest.get(path)!, reached))
    }
    if (lowest.get(path) === place) {
      const group = open.splice(open.indexOf(path))
      if (group.length > 1 || importsOfPath.get(path)!.includes(path)) found.push(group.toSorted())
    }
    return lowest.get(path)!
  }
  for (const { path } of files) if (!order.has(path)) visit(path)
  return found
}

/** What breaks a rule, one line each: an empty list is a kept rule, and a broken one names its files. */
export const breaches = (
  files: ReadonlyArray<SourceFile>,
  isAllowed: (file: SourceFile, imported: string) => boolean
) =>
  files.flatMap((file) =>
    file.imports.filter((imported) => !isAllowed(file, imported)).map((imported) => `${file.path} imports ${imported}`)
  )
