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
import { pagesOf, type ReadPage, type ReadQuery } from "../../engine/input/list-pages.ts"
import { hasCredentials, isBaseUrl } from "../../engine/input/schemas.ts"
import { CommandFailure, unusable, usageFailure, waits } from "../failure.ts"
import { isGiven, optionalText, print } from "../globals.ts"
import { Process } from "../process.ts"

const defaultUrl = "http://127.0.0.1:8080"

const url = optionalText("url", "URL", `The server; default CORRIDOR_URL, otherwise ${defaultUrl}`)

const token = optionalText("token", "TOKEN", "An operator's token; default CORRIDOR_OPERATOR_TOKEN")

const key = optionalText("key", "KEY", "A merchant's API key; default CORRIDOR_API_KEY")

/** The options of commands that call a server: as a merchant, as an operator, or as either. */
export const asMerchant = { url, key }
export const asOperator = { url, token }
export const asEither = { url, token, key }

/** The option of commands that write through the API: the server decides the call and commits nothing of it (DRYRUN-1). */
export const asDryRun = {
  dryRun: isGiven("dry-run").pipe(
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
    dryRun?: boolean
  ) => Effect.Effect<ServerResponse, CommandFailure>
}

const byPeople = (needed: number): string => (needed === 1 ? "by 1 person" : `by ${needed} people`)

/**
 * Prints what a call that writes has answered: what was done, what a dry run would do, or, without `lines`, the approval that the act
 * waits for. `value` is printed with `--json`, beside `dry_run` or `approval`.
 *
 * Errors: `waits` for an act that waits.
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
    const wait = needed === undefined ? [] : [`It would wait for approval, ${byPeople(needed)}.`]
    return yield* print(["Dry run: nothing is written.", ...wait, ...lines], { ...(value as object), dry_run: dryRun })
  }
  if (approval === undefined) return yield* print(lines, value)
  const { expires_at, id, needed } = approval
  const line = `It waits for approval: ${id}, ${byPeople(needed)} until ${expires_at}. Nothing is done before.`
  yield* print([line], { ...(value as object), approval })
  return yield* waits
})

/** How long a response may take. */
const timeoutMs = 30_000
/** The same for a file of up to 64 MiB, whose lines are read and matched before the response. */
const fileTimeoutMs = 600_000

/** What fetch says of a lost connection is in the cause of its error. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error && cause.message !== "" ? cause.message : message
}

const failureOf = (base: string, call: string, error: unknown, limitMs: number): CommandFailure => {
  if (error instanceof CorridorError) {
    const fields = error.errors
      .filter(({ message }) => message !== error.message)
      .map(({ field, message }) => `${field}: ${message}`)
    const isRefused = error.status < 500 && error.status !== 429
    return new CommandFailure({
      lines: [`${call}: ${error.status} ${error.code}: ${error.message}`, ...fields],
      ...(isRefused ? { exit: 1 } : { exit: 3, hasAnswered: true })
    })
  }
  if (!(error instanceof CorridorConnectionError)) throw error
  const { cause, outcome, reason, status } = error
  const advice = outcome === "unknown" ? " The outcome is unknown: look before you repeat the command." : ""
  switch (reason) {
    case "invalid_response":
      return unusable(`${base} is no Corridor server: ${call} has HTTP status ${status} and no envelope`)
    case "timeout":
      return unusable(`${base} has not answered within ${limitMs / 1000} seconds.${advice}`)
    default:
      return unusable(`${base} cannot be reached: ${reasonOf(cause)}${advice === "" ? "" : `.${advice}`}`)
  }
}

const clientOf = (baseUrl: string, credential: ServerApi["credential"], secret: string) =>
  Effect.try({
    try: () =>
      credential === "merchant"
        ? createClient({ baseUrl, apiKey: secret, timeoutMs })
        : createOperatorClient({ baseUrl, token: secret, timeoutMs }),
    catch: (error) =>
      usageFailure(`--${(error as Error).message.replace(/^apiKey/, "key").replace(/^baseUrl/, "url")}.`)
  })

const apiOf = Effect.fnUntraced(function* (baseUrl: string, credential: ServerApi["credential"], secret: string) {
  const client = yield* clientOf(baseUrl, credential, secret)
  const api: ServerApi = {
    url: baseUrl,
    credential,
    secret,
    // A read that fails is reported at once. A write is repeated with its idempotency key.
    ask: (method, path, body, dryRun = false) => {
      const isFile = body instanceof Uint8Array || /[?&]format=csv(?:&|$)/.test(path)
      const limitMs = isFile ? fileTimeoutMs : timeoutMs
      return Effect.tryPromise({
        try: async (signal) => {
          const options = {
            signal,
            timeoutMs: limitMs,
            ...(dryRun ? { dryRun } : {}),
            ...(method === "GET" ? { maxRetries: 0 } : {})
          }
          const data = await client.request(method, path, body, options)
          if (typeof data !== "object" || data === null) return { data, meta: {}, isReplayed: false, isDryRun: dryRun }
          const { isReplayed, meta } = responseOf(data)
          return { data, meta, isReplayed, isDryRun: dryRun }
        },
        catch: (error) => failureOf(baseUrl, `${method} ${path}`, error, limitMs)
      })
    }
  }
  return api
})

/** A whole list, each item once, whatever is added meanwhile. `isDated`: whether it takes `created_before` and is newest first. */
export const everyItem = (
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
      for await (const { items } of pagesOf(query, isDated, read)) found.push(...items)
      return found
    },
    catch: (error) => error as CommandFailure
  })

type Given = Option.Option<string>

const baseOf = Effect.fnUntraced(function* (given: Given) {
  const { env } = yield* Process
  const text = Option.getOrElse(given, () => env["CORRIDOR_URL"] || defaultUrl)
  if (!isBaseUrl(text)) {
    const found = hasCredentials(text) ? "has credentials" : `is ${JSON.stringify(text)}`
    return yield* usageFailure(`--url ${found}; it takes an http or https URL without credentials and a query.`)
  }
  return text.replace(/\/+$/, "")
})

const secretOf = Effect.fnUntraced(function* (given: Given, variable: string) {
  const { env } = yield* Process
  return Option.getOrUndefined(given) ?? (env[variable] || undefined)
})

/** The API as a merchant. Errors: `CommandFailure` with 2 without a key. */
export const merchantApi = Effect.fnUntraced(function* (given: { readonly url: Given; readonly key: Given }) {
  const secret = yield* secretOf(given.key, "CORRIDOR_API_KEY")
  if (secret === undefined) return yield* usageFailure("--key or CORRIDOR_API_KEY is required: a merchant's API key.")
  return yield* apiOf(yield* baseOf(given.url), "merchant", secret)
})

/** The API as an operator. Errors: `CommandFailure` with 2 without a token. */
export const operatorApi = Effect.fnUntraced(function* (given: { readonly url: Given; readonly token: Given }) {
  const secret = yield* secretOf(given.token, "CORRIDOR_OPERATOR_TOKEN")
  if (secret === undefined)
    return yield* usageFailure("--token or CORRIDOR_OPERATOR_TOKEN is required: an operator's token.")
  return yield* apiOf(yield* baseOf(given.url), "operator", secret)
})

/** The API as an operator if there is a token, otherwise as a merchant. An option goes before a variable. */
export const eitherApi = Effect.fnUntraced(function* (given: {
  readonly url: Given
  readonly token: Given
  readonly key: Given
}) {
  const token = yield* secretOf(given.token, "CORRIDOR_OPERATOR_TOKEN")
  const key = yield* secretOf(given.key, "CORRIDOR_API_KEY")
  if (token === undefined && key === undefined)
    return yield* usageFailure(
      "--token (or CORRIDOR_OPERATOR_TOKEN) or --key (or CORRIDOR_API_KEY) is required: an operator's token or a merchant's API key."
    )
  const isMerchant = token === undefined || (Option.isSome(given.key) && Option.isNone(given.token))
  return isMerchant ? yield* merchantApi(given) : yield* operatorApi(given)
})
