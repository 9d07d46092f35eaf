/** Loads a configuration file. Node runs it as it is: TypeScript without a build. */
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { extname, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const extensions = [".ts", ".mts", ".js", ".mjs"]

/** What a file exports by default, or the line that says why it cannot be used. `source`: its path for messages. */
export type Loaded = { readonly source: string } & (
  | { readonly definition: unknown }
  | { readonly faults: ReadonlyArray<string> }
)

const readMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error)).trim()

/** The line of a file that a text names, as `file:///…:3` or `/…:3`. */
const lineIn = (text: string, file: string): string | undefined => {
  const name = [pathToFileURL(file).href, file].find((one) => text.includes(`${one}:`))
  return name === undefined ? undefined : /^\d+/.exec(text.slice(text.indexOf(`${name}:`) + name.length + 1))?.[0]
}

/** The place of a syntax error. For JavaScript, only the output of Node has it, and not the error. */
const findErrorPlace = (error: Error, file: string): string => {
  const line =
    lineIn(error.stack ?? "", file) ??
    lineIn(spawnSync(process.execPath, ["--check", file], { encoding: "utf8" }).stderr, file)
  return line === undefined ? "" : ` in line ${line}`
}

const describeReadError = (error: unknown, file: string): string => {
  const sentence = readMessage(error).split("\n").at(0) ?? ""
  const code = (error as { readonly code?: unknown } | null)?.code
  const isTypeScript = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"
  if (isTypeScript) return `has TypeScript that Node cannot run as it is, such as an enum or a namespace: ${sentence}`
  if (error instanceof SyntaxError || code === "ERR_INVALID_TYPESCRIPT_SYNTAX")
    return `cannot be read${findErrorPlace(error as Error, file)}: ${sentence}`
  if (code === "ERR_MODULE_NOT_FOUND") return `imports what does not exist: ${sentence}`
  return `cannot be evaluated: ${sentence}`
}

/** Imports the file at a path, relative to a directory. Nothing is thrown. */
export const loadConfigFile = async (path: string, directory: string): Promise<Loaded> => {
  const file = resolve(directory, path)
  const within = relative(directory, file)
  const source = within.startsWith("..") || within === "" ? file : within
  const refused = (why: string): Loaded => ({ source, faults: [`${source} ${why}`] })
  if (!existsSync(file)) return refused(`does not exist; --config takes the path of a file. Looked for ${file}.`)
  if (!statSync(file).isFile()) return refused("is a directory; --config takes the path of a file.")
  if (!extensions.includes(extname(file)))
    return refused(`is not a program; --config takes a file that ends in ${extensions.join(", ")}.`)
  try {
    const loaded = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
    if (loaded.default === undefined)
      return refused("has no default export; it takes export default defineConfig({ … }).")
    return { source, definition: loaded.default }
  } catch (error) {
    return refused(describeReadError(error, file))
  }
}
