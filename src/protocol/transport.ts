/** HTTP for a client of the protocol: bounded in size and time, without redirects, over kept connections. */
import { Effect, Schema, type Scope } from "effect"
import { Agent } from "undici"
import type { Received } from "./messages.ts"
import type { Headers } from "./signature.ts"

/** The longest wait for an answer, from the connection to the last byte. */
export const DEFAULT_TIMEOUT_MS = 15_000
/** The largest answer, in bytes. */
export const DEFAULT_MAX_BYTES = 8 * 1024 * 1024

/** Idle connections close sooner than those of common servers. */
const IDLE_MS = 4000

/** No whole answer arrived. What the server did is unknown. `reason` `unsent`: the connection was refused or never made. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  reason: Schema.Literals(["unsent", "timeout", "disconnected", "too_large"]),
  message: Schema.String
}) {}

export interface HttpAnswer extends Received {
  readonly status: number
}

/** Sends one request. `body` is empty for a GET. */
export type Transport = (request: {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}) => Effect.Effect<HttpAnswer, NoAnswer>

export interface TransportOptions {
  /** Default: 15,000. */
  readonly timeout_ms?: number | undefined
  /** Default: 8 MiB. */
  readonly max_bytes?: number | undefined
}

const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "EHOSTUNREACH",
  "ENETUNREACH"
])

const toNoAnswer = (error: unknown): NoAnswer => {
  if (error instanceof NoAnswer) return error
  const { code = "", message } = error as { readonly code?: string; readonly message: string }
  return new NoAnswer({
    reason: unsent.has(code) ? "unsent" : "disconnected",
    message: code === "" ? message : `${message} (${code})`
  })
}

const sendRequest = async (
  agent: Agent,
  { method, url, headers, body }: Parameters<Transport>[0],
  max_bytes: number,
  signal: AbortSignal
): Promise<HttpAnswer> => {
  const { origin, pathname, search } = new URL(url)
  const answer = await agent.request({
    origin,
    path: pathname + search,
    method: method as "GET",
    headers: headers as Record<string, string>,
    body: body === "" ? null : body,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0
  })
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > max_bytes)
      throw new NoAnswer({ reason: "too_large", message: `the answer has more than ${max_bytes} bytes` })
    chunks.push(chunk)
  }
  // A header that occurs twice is as good as none.
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(
      Object.entries(answer.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
    ),
    body: Buffer.concat(chunks)
  }
}

/**
 * Makes a transport with a pool of kept connections for one client. It closes with the scope.
 *
 * Law: a call ends within the timeout, and an interrupted call closes its connection.
 */
export const makeTransport = ({
  timeout_ms = DEFAULT_TIMEOUT_MS,
  max_bytes = DEFAULT_MAX_BYTES
}: TransportOptions = {}): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Agent({
          pipelining: 1,
          keepAliveTimeout: IDLE_MS,
          keepAliveMaxTimeout: IDLE_MS,
          connect: { timeout: timeout_ms }
        })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  ).pipe(
    Effect.map(
      (agent): Transport =>
        (request) =>
          Effect.callback<HttpAnswer, NoAnswer>((resume) => {
            const stop = new AbortController()
            const late = new NoAnswer({ reason: "timeout", message: `no answer within ${timeout_ms} ms` })
            const limit = setTimeout(() => stop.abort(late), timeout_ms)
            const ended = (exit: Effect.Effect<HttpAnswer, NoAnswer>): void => {
              clearTimeout(limit)
              resume(exit)
            }
            sendRequest(agent, request, max_bytes, stop.signal).then(
              (answer) => ended(Effect.succeed(answer)),
              (error: unknown) => ended(Effect.fail(toNoAnswer(stop.signal.aborted ? stop.signal.reason : error)))
            )
            return Effect.sync(() => {
              clearTimeout(limit)
              stop.abort(late)
            })
          })
    )
  )
