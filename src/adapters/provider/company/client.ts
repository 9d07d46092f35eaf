/**
 * HTTP to a payment company: one request, one answer. Nothing is sent twice here, and no redirect is followed: whether a request may be
 * repeated is decided by what was recorded before it (`submissions.ts`).
 */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Transport } from "../../../protocol/transport.ts"

/** No answer that can be read. `isSent` is false only where no byte of the request has left: then nothing was executed. */
export class NoReply extends Schema.TaggedError<NoReply>()("NoReply", {
  isSent: Schema.Boolean,
  message: Schema.String
}) {}

/** `json`: the body, its numbers as the text that was sent; undefined: it is no JSON. */
export interface CompanyReply {
  readonly status: number
  readonly json: unknown
}

export interface CompanyRequest {
  readonly method: "GET" | "POST"
  /** Under the base URL, with its query. */
  readonly path: string
  /** JSON text. Absent: none. */
  readonly body?: string
  /** Under which the company knows a `POST` again, where it takes that in a header: the `headers` of the client have it. */
  readonly idempotency_key?: string
}

/** One credential of a company. */
export type CompanyClient = (request: CompanyRequest) => Effect.Effect<CompanyReply, NoReply>

/** A number of JSON as it was written: an id above 2^53 keeps its digits, and an amount is never a JavaScript number. */
const keepNumberText = (_name: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === "number" ? (source ?? String(value)) : value

/** The value of a JSON text, its numbers as text. Undefined: it is no JSON, or it is cut off. */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text, keepNumberText as (name: string, value: unknown) => unknown)
  } catch {
    return undefined
  }
}

/** JSON with members whose numbers are given as digits: no amount passes through a JavaScript number. */
export const writeJson = (
  members: { readonly [name: string]: string | undefined },
  digits: { readonly [name: string]: bigint } = {}
): string =>
  `{${[
    ...Object.entries(members).flatMap(([name, text]) =>
      text === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(text)}`]
    ),
    ...Object.entries(digits).map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  ].join(",")}}`

/** A path with the members of a query that are set. */
export const pathWith = (path: string, query: { readonly [name: string]: string | undefined }): string => {
  const set = Object.entries(query).filter((member): member is [string, string] => member[1] !== undefined)
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`
}

/** Text of a company that every store keeps, shortened; null: there is none. */
export const toStorableText = (value: unknown, most = 200): string | null => {
  if (typeof value !== "string") return null
  const text = value.toWellFormed().replaceAll("\u0000", "").trim().slice(0, most).toWellFormed()
  return text === "" ? null : text
}

/** The longest pause that a company's `Retry-After` may ask for, milliseconds. */
const pauseMaxMs = 5 * 60_000
/** The pause where it asks for too much and does not say how long. */
const pauseMs = 1_000

const pauseOf = (header: string | undefined): number =>
  header !== undefined && /^\d{1,9}$/.test(header) ? Math.min(Number(header) * 1000, pauseMaxMs) : pauseMs

export interface CompanyHeaders {
  readonly [name: string]: string
}

export interface CompanyOptions {
  readonly transport: Transport
  /** Without a slash at its end. */
  readonly base_url: string
  /** With the credential, or signed with it at a time. They are in no message. */
  readonly headers: CompanyHeaders | ((request: CompanyRequest, now_ms: number) => CompanyHeaders)
  /** Wall time, epoch milliseconds. */
  readonly now: Effect.Effect<number>
}

/**
 * A client for one credential. After 429 it sends nothing until `Retry-After` has passed: such a request has not left.
 *
 * Law: no message contains a header, a path with a query, or a body.
 */
export const makeCompanyClient = ({ base_url, headers, now, transport }: CompanyOptions): CompanyClient => {
  let resumes_at = 0
  return Effect.fnUntraced(function* (request: CompanyRequest) {
    const { body = "", method, path } = request
    const what = `${method} ${path.split("?", 1)[0]}`
    if ((yield* now) < resumes_at)
      return yield* new NoReply({ isSent: false, message: `${what} waits: the limit of requests is reached` })
    const answer = yield* transport({
      method,
      url: base_url + path,
      headers: {
        accept: "application/json",
        ...(body === "" ? {} : { "content-type": "application/json" }),
        ...(typeof headers === "function" ? headers(request, yield* now) : headers)
      },
      body
    }).pipe(
      Effect.mapError(
        ({ message, reason }) =>
          new NoReply({ isSent: reason !== "unsent", message: `${what} (${reason}): ${message}` })
      )
    )
    if (answer.status === 429) resumes_at = (yield* now) + pauseOf(answer.headers["retry-after"])
    return { status: answer.status, json: readJson(Buffer.from(answer.body).toString("utf8")) }
  })
}

/** What has no answer is unknown, for a call whose answer decides something. */
export const faultOfNoReply = ({ message }: NoReply): ProviderFault => new ProviderFault({ message })
