/** The client of a connector: what Corridor and the conformance checks call. */
import { Effect, Result, Schema } from "effect"
import { type AnswerFault, makeRequest, readAnswer, readResult, type Request, type Signing } from "./messages.ts"
import type { InputOf, Operation, ResultOf } from "./operations.ts"
import { secretFault } from "./signature.ts"
import type { HttpAnswer, Transport } from "./transport.ts"

/**
 * The outcome of a call is unknown: the connector may have executed it. `reason` says what was seen: no whole answer
 * (`unsent`, `timeout`, `disconnected`, `too_large`), or an answer that does not count (`AnswerFault`).
 */
export class UnknownOutcome extends Schema.TaggedError<UnknownOutcome>()("UnknownOutcome", {
  operation: Schema.String,
  id: Schema.NullOr(Schema.String),
  reason: Schema.Literals([
    "unsent",
    "timeout",
    "disconnected",
    "too_large",
    "status",
    "unsigned",
    "stale",
    "malformed",
    "mismatched"
  ]),
  message: Schema.String
}) {}

export interface ClientOptions {
  /** The base URL of the connector. The operations' paths are appended to its path. */
  readonly url: string
  /** The secret; the new and the old one during a rotation. */
  readonly secrets: ReadonlyArray<string>
  readonly transport: Transport
  /** The wall clock, epoch milliseconds. */
  readonly now: Effect.Effect<number>
  /** Makes a `webhook-id`, new for each request. */
  readonly request_id: Effect.Effect<string>
  /** The `traceparent` header of a request (W3C Trace Context); undefined: none. Default: none. */
  readonly traceparent?: Effect.Effect<string | undefined>
}

export interface Client {
  /**
   * Calls an operation once. `id`: the command's id, or null for an operation without one. `input`: the members of the body, or
   * of the query.
   *
   * Errors: `UnknownOutcome`, unless a signed answer to this very request arrives in time. Dies for an input that the
   * operation does not take.
   */
  readonly call: <O extends Operation>(
    operation: O,
    id: string | null,
    input: InputOf<O>
  ) => Effect.Effect<ResultOf<O>, UnknownOutcome>
  /** Like `call`, without a check of the result: for a list whose items are read one by one. */
  readonly callUnchecked: <O extends Operation>(
    operation: O,
    id: string | null,
    input: InputOf<O>
  ) => Effect.Effect<unknown, UnknownOutcome>
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Says why a text is not the base URL of a connector: HTTPS, or HTTP to this machine; null if it is one. */
export const urlFault = (text: string): string | null => {
  if (!URL.canParse(text)) return "the url must be an absolute URL"
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== "" || password !== "") return "the url must not have a user or password"
  if (search !== "" || hash !== "") return "the url must not have a query or fragment"
  if (protocol === "https:" || (protocol === "http:" && loopback.test(hostname))) return null
  return `the url must be https, or http to a loopback address; it is ${protocol}//${hostname}`
}

/** Lists the secrets of a setting that takes one or several. */
export const listSecrets = (secret: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof secret === "string" ? [secret] : secret

/** Says why a URL or secrets cannot be used; null if they can. The sentence does not quote a secret. */
export const settingsFault = ({ url, secrets }: Pick<ClientOptions, "url" | "secrets">): string | null =>
  [urlFault(url), secrets.length === 0 ? "a secret is required" : null, ...secrets.map(secretFault)].find(
    (found) => found !== null
  ) ?? null

/** Makes the client of a connector. Errors: throws `TypeError` for a URL or secrets that cannot be used, see {@link settingsFault}. */
export const makeClient = ({ url, secrets, transport, now, request_id, traceparent }: ClientOptions): Client => {
  const fault = settingsFault({ url, secrets })
  if (fault !== null) throw new TypeError(fault)
  const base = url.replace(/\/+$/, "")
  const exchange = <O extends Operation, A>(
    read: (
      request: Request & { readonly operation: O },
      answer: HttpAnswer,
      signing: Signing
    ) => Result.Result<A, AnswerFault>
  ) =>
    Effect.fnUntraced(function* (operation: O, id: string | null, input: InputOf<O>) {
      const request = makeRequest(operation, id, input, yield* request_id, { secrets, now_ms: yield* now })
      const unknown = ({ reason, message }: Pick<UnknownOutcome, "reason" | "message">) =>
        new UnknownOutcome({ operation, id, reason, message })
      const { method, body } = request
      const trace = traceparent === undefined ? undefined : yield* traceparent
      const headers = trace === undefined ? request.headers : { ...request.headers, traceparent: trace }
      const answer = yield* transport({ method, url: base + request.path, headers, body }).pipe(
        Effect.mapError(unknown)
      )
      const result = read({ ...request, operation }, answer, { secrets, now_ms: yield* now })
      return Result.isSuccess(result) ? result.success : yield* unknown(result.failure)
    })
  return {
    call: (operation, id, input) => exchange(readAnswer<typeof operation>)(operation, id, input),
    callUnchecked: (operation, id, input) => exchange(readResult)(operation, id, input)
  }
}
