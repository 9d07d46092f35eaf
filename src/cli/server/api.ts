/** A running server, through its API, with the credential of a merchant or of an operator. */
import { Duration, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure, unusable, usageFailure } from "../failure.ts"
import { Process } from "../process.ts"

const defaultUrl = "http://127.0.0.1:8080"

const url = Flag.String("url").pipe(
  Flag.withMetavar("URL"),
  Flag.withDescription(`The server; default CORRIDOR_URL, otherwise ${defaultUrl}`),
  Flag.optional
)

const token = Flag.String("token").pipe(
  Flag.withMetavar("TOKEN"),
  Flag.withDescription("An operator's token; default CORRIDOR_OPERATOR_TOKEN"),
  Flag.optional
)

const key = Flag.String("key").pipe(
  Flag.withMetavar("KEY"),
  Flag.withDescription("A merchant's API key; default CORRIDOR_API_KEY"),
  Flag.optional
)

/** The options of commands that call a server: as a merchant, as an operator, or as either. */
export const asMerchant = { url, key }
export const asOperator = { url, token }
export const asEither = { url, token, key }

/** A response, without its envelope. */
export interface Answer {
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
}

export interface Api {
  readonly url: string
  readonly credential: "merchant" | "operator"
  readonly secret: string
  /**
   * Sends a request. Errors: `CommandFailure` with 1 if the server rejects it, and with 3 if it cannot be reached or its
   * answer is not one of Corridor's.
   */
  readonly ask: (method: string, path: string, body?: object) => Effect.Effect<Answer, CommandFailure>
}

/** How long a response may take. */
const timeoutMs = 30_000

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error && cause.message !== "" ? cause.message : message
}

const apiOf = (base: string, credential: Api["credential"], secret: string): Api => ({
  url: base,
  credential,
  secret,
  ask: Effect.fnUntraced(function* (method, path, body) {
    const headers = {
      authorization: `Bearer ${secret}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    }
    const { response, text } = yield* Effect.tryPromise({
      try: async (signal) => {
        const init = { method, headers, signal, redirect: "error" as const }
        const response = await fetch(base + path, body === undefined ? init : { ...init, body: JSON.stringify(body) })
        return { response, text: await response.text() }
      },
      catch: (error) => unusable(`${base} cannot be reached: ${reasonOf(error)}`)
    }).pipe(
      Effect.timeoutOrElse({
        duration: Duration.millis(timeoutMs),
        orElse: () => Effect.fail(unusable(`${base} has not answered within ${timeoutMs / 1000} seconds`))
      })
    )
    const envelope = yield* Effect.try({
      try: () => JSON.parse(text) as { readonly [name: string]: unknown },
      catch: () =>
        unusable(`${base} is no Corridor server: ${method} ${path} has HTTP status ${response.status} and no JSON`)
    })
    if (!("meta" in envelope) || !("code" in envelope))
      return yield* unusable(`${base} is no Corridor server: ${method} ${path} has no envelope`)
    if (response.ok) return { data: envelope["data"], meta: envelope["meta"] as Answer["meta"] }
    const fields = (envelope["errors"] ?? []) as ReadonlyArray<{ readonly field?: string; readonly message?: string }>
    return yield* new CommandFailure({
      lines: [
        `${method} ${path}: ${response.status} ${envelope["code"]}: ${envelope["message"]}`,
        ...fields.map(({ field, message }) => `${field}: ${message}`)
      ],
      exit: 1
    })
  })
})

type Given = Option.Option<string>

const baseOf = Effect.fnUntraced(function* (given: Given) {
  const { env } = yield* Process
  const text = Option.getOrElse(given, () => env["CORRIDOR_URL"] || defaultUrl)
  const found = URL.parse(text)
  if (found === null || !/^https?:$/.test(found.protocol) || found.search !== "" || found.hash !== "")
    return yield* usageFailure(`--url is ${JSON.stringify(text)}; it takes an http or https URL without a query.`)
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
  return apiOf(yield* baseOf(given.url), "merchant", secret)
})

/** The API as an operator. Errors: `CommandFailure` with 2 without a token. */
export const operatorApi = Effect.fnUntraced(function* (given: { readonly url: Given; readonly token: Given }) {
  const secret = yield* secretOf(given.token, "CORRIDOR_OPERATOR_TOKEN")
  if (secret === undefined)
    return yield* usageFailure("--token or CORRIDOR_OPERATOR_TOKEN is required: an operator's token.")
  return apiOf(yield* baseOf(given.url), "operator", secret)
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
