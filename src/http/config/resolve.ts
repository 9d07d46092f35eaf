/** Loads and evaluates a configuration: reads its secrets, and makes its providers. */
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { extname, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Predicate } from "effect"
import { layerOf, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import { formatValue } from "./values.ts"

// Loads a configuration file. Node runs it as it is: TypeScript without a build.

const extensions = [".ts", ".mts", ".js", ".mjs"]

/** What a file exports by default, or the line that says why it cannot be used. `source`: its path for messages. */
export type Loaded = { readonly source: string } & (
  | { readonly definition: unknown }
  | { readonly faults: ReadonlyArray<string> }
)

const readFirstSentence = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split("\n", 1)[0]!

/** Finds the line number of a file that a text names, as `file:///…:3` or `/…:3`. */
const findLineNumber = (text: string, file: string): string | undefined => {
  const name = [pathToFileURL(file).href, file].find((one) => text.includes(`${one}:`))
  return name === undefined ? undefined : /^\d+/.exec(text.slice(text.indexOf(`${name}:`) + name.length + 1))?.[0]
}

/** Finds the place of a syntax error. For JavaScript, it is only in the output of Node, and not in the error. */
const findErrorPlace = (error: Error, file: string): string => {
  const line =
    findLineNumber(error.stack ?? "", file) ??
    findLineNumber(spawnSync(process.execPath, ["--check", file], { encoding: "utf8" }).stderr, file)
  return line === undefined ? "" : ` in line ${line}`
}

const describeReadError = (error: unknown, file: string): string => {
  const sentence = readFirstSentence(error)
  const code = (error as { readonly code?: unknown } | null)?.code
  const isTypeScript = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"
  if (isTypeScript) return `has TypeScript that Node cannot run as it is, such as an enum or a namespace: ${sentence}`
  if (error instanceof SyntaxError || code === "ERR_INVALID_TYPESCRIPT_SYNTAX")
    return `cannot be read${findErrorPlace(error as Error, file)}: ${sentence}`
  if (code === "ERR_MODULE_NOT_FOUND") return `imports what does not exist: ${sentence}`
  return `cannot be evaluated: ${sentence}`
}

/** Imports the configuration file at a path, relative to a directory. It never throws. */
export const loadConfigFile = async (path: string, directory: string): Promise<Loaded> => {
  const file = resolve(directory, path)
  const within = relative(directory, file)
  const source = within.startsWith("..") || within === "" ? file : within
  const refuse = (why: string): Loaded => ({ source, faults: [`${source} ${why}`] })
  if (!existsSync(file)) return refuse(`does not exist; --config takes the path of a file. Looked for ${file}.`)
  if (!statSync(file).isFile()) return refuse("is a directory; --config takes the path of a file.")
  if (!extensions.includes(extname(file)))
    return refuse(`is not a program; --config takes a file that ends in ${extensions.join(", ")}.`)
  try {
    const loaded = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
    if (loaded.default === undefined)
      return refuse("has no default export; it takes export default defineConfig({ … }).")
    return { source, definition: loaded.default }
  } catch (error) {
    return refuse(describeReadError(error, file))
  }
}

export type Env = { readonly [name: string]: string | undefined }

/** A configuration whose secrets are read and whose providers are made. Its other members are as they were given. */
export interface Resolved {
  /** What the configuration is called in messages: the path of its file. */
  readonly source: string
  readonly members: { readonly [name: string]: unknown }
  readonly providers: ReadonlyArray<ProviderAdapter> | undefined
  /** Whether a text was read with `secret`. */
  readonly isSecret: (value: unknown) => boolean
  /** The names of the variables that were read with `secret`. */
  readonly read: ReadonlySet<string>
  /** Whether a text stands for a variable that is not set. Its fault is in `faults`. */
  readonly isMissing: (value: unknown) => boolean
  /** One line for each fault of the evaluation. The members are not checked yet. */
  readonly faults: ReadonlyArray<string>
}

const isProvider = (value: unknown): value is ProviderAdapter => {
  try {
    return layerOf("provider", value as ProviderAdapter) !== undefined
  } catch {
    return false
  }
}

/** Lists the paths of members whose value is a text of `texts`. */
const listMemberPaths = (
  value: unknown,
  path: string,
  texts: ReadonlyMap<unknown, string>
): ReadonlyArray<[string, string]> => {
  const name = texts.get(value)
  if (name !== undefined) return [[name, path]]
  if (Array.isArray(value)) return value.flatMap((one, at) => listMemberPaths(one, `${path}[${at}]`, texts))
  if (!Predicate.isReadonlyObject(value)) return []
  return Object.entries(value).flatMap(([key, one]) =>
    listMemberPaths(one, path === "" ? key : `${path}.${key}`, texts)
  )
}

/** Evaluates a definition with the secrets of an environment. It never throws; every fault is in the result. */
export const resolveConfig = async (definition: unknown, env: Env, source: string): Promise<Resolved> => {
  const given = new Set<unknown>()
  const names = new Set<string>()
  const missing = new Map<unknown, string>()
  const faults: Array<string> = []
  const isUnset = (path: string, name: string): void =>
    void faults.push(`${path} reads ${name}, which is not set in the environment.`)

  let asked = new Set<string>()
  const secret = (name: string): string => {
    names.add(name)
    const value = env[name] ?? ""
    const read = value === "" ? `(${name} is not set)` : value
    given.add(read)
    if (value === "") {
      asked.add(name)
      missing.set(read, name)
    }
    return read
  }
  /** Runs a part of the configuration. The names that it asked for in vain explain its error, if there are any. */
  const evaluated = async (path: string, make: () => unknown) => {
    const unset = (asked = new Set())
    try {
      return { value: await make(), unset, isMade: true }
    } catch (error) {
      if (unset.size === 0) faults.push(`${path} cannot be evaluated: ${readFirstSentence(error)}`)
      return { value: undefined, unset, isMade: false }
    }
  }

  const whole = "the configuration"
  const evaluation = await evaluated(whole, () =>
    typeof definition === "function" ? (definition as (sources: object) => unknown)({ secret }) : definition
  )
  const config = evaluation.value
  if (evaluation.isMade && !Predicate.isReadonlyObject(config))
    faults.push(`${whole} is ${formatValue(config)}; it takes an object, as of defineConfig({ … }).`)
  const { providers: made, ...members } = Predicate.isReadonlyObject(config) ? config : { providers: undefined }
  const paths = new Map(listMemberPaths(members, "", missing))
  for (const name of evaluation.unset) isUnset(paths.get(name) ?? whole, name)

  const providers: Array<ProviderAdapter> = []
  if (made !== undefined && (!Array.isArray(made) || made.length === 0))
    faults.push(`providers is ${formatValue(made)}; it takes a list of at least one provider adapter.`)
  for (const [at, one] of (Array.isArray(made) ? (made as ReadonlyArray<unknown>) : []).entries()) {
    const path = `providers[${at}]`
    const { value, unset, isMade } =
      typeof one === "function"
        ? await evaluated(path, one as () => unknown)
        : { value: one, unset: new Set<string>(), isMade: true }
    for (const name of unset) isUnset(path, name)
    if (isProvider(value)) providers.push(value)
    else if (isMade)
      faults.push(
        `${path} is ${formatValue(value)}; it takes a provider adapter, made by a function of corridor/adapters/provider/*.`
      )
  }
  return {
    source,
    members,
    providers: made === undefined ? undefined : providers,
    isSecret: (value) => given.has(value),
    read: names,
    isMissing: (value) => missing.has(value),
    faults
  }
}
