/** A running server, through its API, with the credential of a merchant or of an operator. */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import {
  type Approval,
  CorridorConnectionError,
  CorridorError,
  createClient,
  createOperatorClient,
  type DryRun,
  responseOf
} from "../../client/index.ts"
import { readPages, type ReadPage, type ReadQuery } from "../../engine/input/list-pages.ts"
import { hasCredentials, isBaseUrl } from "../../engine/input/schemas.ts"
import { CommandFailure, describeFetchError, runFailure, usageFailure, waits } from "../failure.ts"
import { makeSwitch, makeOptionalTextFlag, printResult } from "../globals.ts"
import { Process } from "../process.ts"
import { NO_OPERATOR_TOKEN } from "../../http/config/values.ts"
import { isApiKey } from "../../engine/crypto/secrets.ts"
import { readProfile } from "./profiles.ts"

const defaultUrl = "http://127.0.0.1:8080"

export const operatorVariable = "CORRIDOR_OPERATOR_TOKEN"

const url = makeOptionalTextFlag("url", "URL", `The server; default CORRIDOR_URL, otherwise ${defaultUrl}`)

const token = makeOptionalTextFlag(
  "token",
  "TOKEN",
  "An operator's token; - reads it from the standard input; default CORRIDOR_OPERATOR_TOKEN, unless that is off"
)

const key = makeOptionalTextFlag(
  "key",
  "KEY",
  "A merchant's API key; - reads it from the standard input; default CORRIDOR_API_KEY"
)

const profile = makeOptionalTextFlag(
  "profile",
  "PROFILE",
  "A profile of corridor login; default CORRIDOR_PROFILE, otherwise the current one, where no credential is given"
)

/** The options of commands that call a server: as a merchant, as an operator, or as either. */
export const asMerchant = { url, key, profile }
export const asOperator = { url, token, profile }
export const asEither = { url, token, key, profile }
/** The options of a command that stores a credential. */
export const asSecret = { url, token, key }

/** The option of commands that write through the API: the server decides the call and commits nothing of it (DRYRUN-1). */
export const asDryRun = {
  dryRun: makeSwitch("dry-run").pipe(
    Flag.withDescription("Show what the command would do; the server decides it and writes nothing")
  )
}

/** A response, without its envelope. */
export interface ServerResponse {
  /** Of a file: its text. */
  readonly data: unknown
  /** Empty where the response is a file. */
  readonly meta: Readonly<Record<string, unknown>>
  /** Whether the same was done before: of an idempotency key, or of the same bytes. */
  readonly isReplayed: boolean
  readonly isDryRun: boolean
}

export interface ServerApi {
  readonly url: string
  readonly credential: "merchant" | "operator"
  readonly secret: string
  /**
   * Sends a request. Errors: `CommandFailure` with 1 if the server rejects it, and with 3 if it cannot be reached, has
   * failed or is too busy, or its answer is not one of Corridor's.
   */
  readonly ask: (
    method: "GET" | "POST",
    path: string,
    /** A `Uint8Array` is the bytes of a file. */
    body?: object,
    /** Whether the call is only decided. */
    dryRun?: boolean,
    /** Of a command that takes `--idempotency-key`: the given key. Without one the client makes it. */
    repeatable?: { readonly key: string | undefined }
  ) => Effect.Effect<ServerResponse, CommandFailure>
}

const formatApprovers = (needed: number): string => (needed === 1 ? "by 1 person" : `by ${needed} people`)

/**
 * Prints the result of a call that writes: what was done, what a dry run would do, or, without `lines`, the approval that the act
 * waits for. `value` is printed with `--json`, beside `dry_run` or `approval`.
 *
 * Errors: `waits` for an act that waits for approval.
 */
export const printAct = Effect.fnUntraced(function* (
  { data, isDryRun, meta }: ServerResponse,
  lines: ReadonlyArray<string>,
  value: unknown = data
) {
  const approval = meta["approval"] as Approval | undefined
  if (isDryRun) {
    const dryRun = meta["dry_run"] as DryRun | undefined
    const needed = dryRun?.approval?.needed
    const wait = needed === undefined ? [] : [`It would wait for approval, ${formatApprovers(needed)}.`]
    return yield* printResult(["Dry run: nothing is written.", ...wait, ...lines], {
      ...(value as object),
      dry_run: dryRun
    })
  }
  if (approval === undefined) return yield* printResult(lines, value)
  const { expires_at, id, needed } = approval
  const line = `It waits for approval: ${id}, ${formatApprovers(needed)} until ${expires_at}. Nothing is done before.`
  yield* printResult([line], { ...(value as object), approval })
  return yield* waits
})

/** How long a response may take. */
const timeoutMs = 30_000
/** The same for a file of up to 64 MiB, whose lines are read and matched before the response. */
const fileTimeoutMs = 600_000

const adviseRepeat = (key: string | undefined): string =>
  `repeat the command with --idempotency-key ${key}, and nothing is done twice`

const makeServerApi = Effect.fnUntraced(function* (
  baseUrl: string,
  credential: ServerApi["credential"],
  secret: string
) {
  const client = yield* Effect.try({
    try: () =>
      credential === "merchant"
        ? createClient({ baseUrl, apiKey: secret, timeoutMs })
        : createOperatorClient({ baseUrl, token: secret, timeoutMs }),
    catch: (error) =>
      usageFailure(`--${(error as Error).message.replace(/^apiKey/, "key").replace(/^baseUrl/, "url")}.`)
  })
  const api: ServerApi = {
    url: baseUrl,
    credential,
    secret,
    // A read that fails is reported at once. A write is repeated with its idempotency key.
    ask: (method, path, body, dryRun = false, repeatable) => {
      const isFile = body instanceof Uint8Array || /[?&]format=csv(?:&|$)/.test(path)
      const limitMs = isFile ? fileTimeoutMs : timeoutMs
      return Effect.tryPromise({
        try: async (signal) => {
          const options = {
            signal,
            timeoutMs: limitMs,
            ...(dryRun ? { dryRun } : {}),
            ...(repeatable?.key === undefined ? {} : { idempotencyKey: repeatable.key }),
            ...(method === "GET" ? { maxRetries: 0 } : {})
          }
          const data = await client.request(method, path, body, options)
          if (typeof data !== "object" || data === null) return { data, meta: {}, isReplayed: false, isDryRun: dryRun }
          const { isReplayed, meta } = responseOf(data)
          return { data, meta, isReplayed, isDryRun: dryRun }
        },
        catch: (error) => {
          const call = `${method} ${path}`
          if (error instanceof CorridorError) {
            const fields = error.errors
              .filter(({ message }) => message !== error.message)
              .map(({ field, message }) => `${field}: ${message}`)
            const isRefused = error.status < 500 && error.status !== 429
            const again =
              error.outcome !== "unknown" || repeatable === undefined
                ? []
                : [`The outcome is unknown: ${adviseRepeat(error.idempotencyKey)}.`]
            return new CommandFailure({
              lines: [`${call}: ${error.status} ${error.code}: ${error.message}`, ...fields, ...again],
              ...(isRefused ? { exit: 1 } : { exit: 3, hasAnswered: true })
            })
          }
          if (!(error instanceof CorridorConnectionError)) throw error
          const { cause, outcome, reason, status } = error
          const repeat =
            repeatable === undefined ? "look before you repeat the command" : adviseRepeat(error.idempotencyKey)
          const advice = outcome === "unknown" ? ` The outcome is unknown: ${repeat}.` : ""
          switch (reason) {
            case "invalid_response":
              return runFailure(`${baseUrl} is no Corridor server: ${call} has HTTP status ${status} and no envelope`)
            case "timeout":
              return runFailure(`${baseUrl} has not answered within ${limitMs / 1000} seconds.${advice}`)
            default:
              return runFailure(
                `${baseUrl} cannot be reached: ${describeFetchError(cause)}${advice === "" ? "" : `.${advice}`}`
              )
          }
        }
      })
    }
  }
  return api
})

/** Reads a whole list, each item once, even if items are added meanwhile. `isDated`: the list takes `created_before` and is newest first. */
export const readAllItems = (
  api: ServerApi,
  path: string,
  query: Readonly<Record<string, string>> = {},
  isDated = false
): Effect.Effect<ReadonlyArray<unknown>, CommandFailure> =>
  Effect.tryPromise({
    try: async (signal) => {
      const read = async (asked: ReadQuery): Promise<ReadPage<unknown>> => {
        const parameters = new URLSearchParams()
        for (const [name, value] of Object.entries(asked)) parameters.set(name, String(value))
        const { data, meta } = await Effect.runPromise(api.ask("GET", `${path}?${parameters}`), { signal })
        return { ...(meta as unknown as ReadPage<unknown>), items: data as ReadonlyArray<unknown> }
      }
      const found: Array<unknown> = []
      for await (const { items } of readPages(query, isDated, read)) found.push(...items)
      return found
    },
    catch: (error) => error as CommandFailure
  })

type Given = Option.Option<string>
/** What a command was given of the options that say which server it calls, and as whom. */
interface Calling {
  readonly url: Given
  readonly token: Given
  readonly key: Given
  readonly profile: Given
}

const readBaseUrl = Effect.fnUntraced(function* (given: Given) {
  const { env } = yield* Process
  const text = Option.getOrElse(given, () => env["CORRIDOR_URL"] || defaultUrl)
  if (!isBaseUrl(text)) {
    const found = hasCredentials(text) ? "has credentials" : `is ${JSON.stringify(text)}`
    return yield* usageFailure(`--url ${found}; it takes an http or https URL without credentials and a query.`)
  }
  return text.replace(/\/+$/, "")
})

/** Reads a credential from a variable. The operator token `off` means that there is none (SERVICE-5). */
export const readVariableSecret = (env: Process["Service"]["env"], variable: string): string | undefined => {
  const value = env[variable] || undefined
  return variable === operatorVariable && value === NO_OPERATOR_TOKEN ? undefined : value
}

/**
 * Reads a credential from an option, from the first line of the standard input if the option is `-`, or from a variable. Errors:
 * `CommandFailure` with exit code 2 if that line is empty.
 */
const readSecret = Effect.fnUntraced(function* (given: Given, name: string, variable: string) {
  const { env, readInput } = yield* Process
  const option = Option.getOrUndefined(given)
  if (option !== "-") return option ?? readVariableSecret(env, variable)
  const [line = ""] = (yield* readInput).split("\n")
  if (line.trim() !== "") return line.trim()
  return yield* usageFailure(`${name} is -, but the standard input is empty; its first line is the credential.`)
})

/** Chooses a credential of the options and the environment: an option before a variable, a token before a key. */
export const chooseSecret = Effect.fnUntraced(function* (given: Pick<Calling, "token" | "key">) {
  const token = yield* readSecret(given.token, "--token", operatorVariable)
  const key = yield* readSecret(given.key, "--key", "CORRIDOR_API_KEY")
  const isMerchant = token === undefined || (Option.isSome(given.key) && Option.isNone(given.token))
  if (!isMerchant) return { credential: "operator" as const, secret: token }
  return key === undefined ? undefined : { credential: "merchant" as const, secret: key }
})

/** Opens the API with a credential, whose form says whether it is a merchant's or an operator's. */
export const openApi = Effect.fnUntraced(function* (url: Given, secret: string) {
  return yield* makeServerApi(yield* readBaseUrl(url), isApiKey(secret) ? "merchant" : "operator", secret)
})

/**
 * Reads the profile of a command that has no credential. A profile belongs to one server: with another URL there is none. With
 * `--profile`, nothing else may name a server or a credential.
 */
const readCommandProfile = Effect.fnUntraced(function* (
  given: Pick<Calling, "url" | "profile">,
  others: ReadonlyArray<Given>
) {
  const { env } = yield* Process
  if (Option.isSome(given.profile) && [given.url, ...others].some(Option.isSome))
    return yield* usageFailure("--profile has its own server and credential; leave --url, --key and --token out.")
  const found = yield* readProfile(Option.getOrUndefined(given.profile) ?? (env["CORRIDOR_PROFILE"] || undefined))
  if (found === undefined || Option.isSome(given.profile)) return found
  const isAsked = Option.isSome(given.url) || (env["CORRIDOR_URL"] ?? "") !== ""
  return isAsked && (yield* readBaseUrl(given.url)) !== found.url ? undefined : found
})

/** Opens the API with the profile, if its credential is one of `taken`. `undefined`: there is no such profile. */
const openProfileApi = Effect.fnUntraced(function* (
  given: Pick<Calling, "url" | "profile">,
  others: ReadonlyArray<Given>,
  taken: ReadonlyArray<ServerApi["credential"]>
) {
  const stored = yield* readCommandProfile(given, others)
  if (stored !== undefined && taken.includes(stored.credential))
    return yield* makeServerApi(stored.url, stored.credential, stored.secret)
  if (stored !== undefined && Option.isSome(given.profile))
    return yield* usageFailure(`--profile is of ${describeCredential[stored.credential]}; the command takes the other.`)
  return undefined
})

const describeCredential = { merchant: "a merchant's API key", operator: "an operator's token" } as const

const orLogin = "or corridor login stores one"

/** Opens the API as a merchant. Errors: `CommandFailure` with exit code 2 without a key. */
export const openMerchantApi = Effect.fnUntraced(function* (given: Omit<Calling, "token">) {
  const secret = Option.isSome(given.profile) ? undefined : yield* readSecret(given.key, "--key", "CORRIDOR_API_KEY")
  if (secret !== undefined) return yield* makeServerApi(yield* readBaseUrl(given.url), "merchant", secret)
  const stored = yield* openProfileApi(given, [given.key], ["merchant"])
  return stored ?? (yield* usageFailure(`--key or CORRIDOR_API_KEY is required: a merchant's API key; ${orLogin}.`))
})

/** Opens the API as an operator. Errors: `CommandFailure` with exit code 2 without a token. */
export const openOperatorApi = Effect.fnUntraced(function* (given: Omit<Calling, "key">) {
  const secret = Option.isSome(given.profile) ? undefined : yield* readSecret(given.token, "--token", operatorVariable)
  if (secret !== undefined) return yield* makeServerApi(yield* readBaseUrl(given.url), "operator", secret)
  const stored = yield* openProfileApi(given, [given.token], ["operator"])
  return (
    stored ?? (yield* usageFailure(`--token or CORRIDOR_OPERATOR_TOKEN is required: an operator's token; ${orLogin}.`))
  )
})

/** Opens the API as an operator if there is a token, otherwise as a merchant. An option goes before a variable, and both before a profile. */
export const openEitherApi = Effect.fnUntraced(function* (given: Calling) {
  const secret = Option.isSome(given.profile) ? undefined : yield* chooseSecret(given)
  if (secret !== undefined) return yield* makeServerApi(yield* readBaseUrl(given.url), secret.credential, secret.secret)
  const stored = yield* openProfileApi(given, [given.token, given.key], ["merchant", "operator"])
  return (
    stored ??
    (yield* usageFailure(
      `--token (or CORRIDOR_OPERATOR_TOKEN) or --key (or CORRIDOR_API_KEY) is required: an operator's token or a merchant's API key; ${orLogin}.`
    ))
  )
})
