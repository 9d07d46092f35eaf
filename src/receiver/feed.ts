/** The event feed, for catching up after an outage (EVENT-29). */
import { checkOptions } from "../engine/input/options.ts"
import type { ReceivedEvent } from "./event.ts"
import type { FeedReader } from "./receiver.ts"

export interface FeedOptions {
  /** Base URL of the service, without `/v1`. */
  readonly base_url: string
  readonly api_key: string
  /** Number of events per request, 1 to 200. Default: 200. */
  readonly limit?: number
  /** Milliseconds that one request may take, from 1 to 2,147,483,647. Default: 30,000. */
  readonly timeout_ms?: number
  readonly fetch?: typeof fetch
}

/** The longest time that a timer of JavaScript takes: it ends a longer one at once. */
const timeoutMaxMs = 2 ** 31 - 1

/** The largest response that is read, in bytes. */
const responseMax = 64 * 1024 * 1024

interface Envelope {
  readonly code?: string
  readonly message?: string
  readonly data?: ReadonlyArray<ReceivedEvent> | null
}

/** What a text says of an envelope: nothing, if it is none. */
const envelopeIn = (text: string): Envelope => {
  try {
    return (JSON.parse(text) as Envelope | null) ?? {}
  } catch {
    return {}
  }
}

/**
 * Reads the feed over HTTP. It follows no redirect, as the client does.
 * Errors: throws `TypeError` for an option that does not exist, and `RangeError` for a time that no timer takes. The reader rejects with an `Error` that names the error code when the
 * service rejects the request or returns no envelope, and with that of `fetch` when it does not respond in time.
 */
export const feedOf = (options: FeedOptions): FeedReader => {
  checkOptions("feedOf", options, {
    base_url: "string",
    api_key: "string",
    limit: "number?",
    timeout_ms: "number?",
    fetch: "function?"
  })
  const { api_key, base_url, fetch: ask = fetch, limit = 200, timeout_ms = 30_000 } = options
  if (!Number.isInteger(timeout_ms) || timeout_ms < 1 || timeout_ms > timeoutMaxMs)
    throw new RangeError(`feedOf: timeout_ms is ${timeout_ms}; a whole number from 1 to ${timeoutMaxMs} is required`)
  return async (after) => {
    const url = new URL(`${base_url.replace(/\/+$/, "")}/v1/notifications/events/feed`)
    url.searchParams.set("limit", String(limit))
    if (after !== undefined) url.searchParams.set("after", after)
    const signal = AbortSignal.timeout(timeout_ms)
    const asked = ask(url, { headers: { authorization: `Bearer ${api_key}` }, redirect: "manual", signal }).then(
      async (answer) => {
        // The body as text. Errors: rejects when it has more than {@link responseMax} bytes, and reads no further.
        const { body } = answer
        const decoder = new TextDecoder()
        let text = ""
        let size = 0
        for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
          size += bytes.length
          if (size > responseMax) throw new Error(`the feed returned more than ${responseMax} bytes`)
          text += decoder.decode(bytes, { stream: true })
        }
        return { answer, text: text + decoder.decode() }
      }
    )
    // A `fetch` that does not heed the signal must not hold the reader.
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error))
    )
    const { answer, text } = await Promise.race([asked, aborted])
    const { code, data, message } = envelopeIn(text)
    if (!answer.ok || !Array.isArray(data)) {
      throw new Error(`the feed returned HTTP ${answer.status} ${code ?? ""}: ${message ?? "no envelope"}`)
    }
    return data
  }
}
