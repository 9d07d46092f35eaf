/** The event feed, for catching up after an outage (EVENT-29). */
import type { ReceivedEvent } from "./event.ts"
import type { FeedReader } from "./receiver.ts"

export interface FeedOptions {
  /** Base URL of the service, without `/v1`. */
  readonly base_url: string
  readonly api_key: string
  /** Number of events per request, 1 to 200. Default: 200. */
  readonly limit?: number
  readonly fetch?: typeof fetch
}

/**
 * Reads the feed over HTTP. Errors: rejects with an `Error` that names the error code when the service rejects the
 * request or returns no envelope.
 */
export const feedOf =
  ({ base_url, api_key, limit = 200, fetch: ask = fetch }: FeedOptions): FeedReader =>
  async (after) => {
    const url = new URL("/v1/notifications/events/feed", base_url)
    url.searchParams.set("limit", String(limit))
    if (after !== undefined) url.searchParams.set("after", after)
    const answer = await ask(url, { headers: { authorization: `Bearer ${api_key}` } })
    const envelope = (await answer.json()) as {
      code?: string
      message?: string
      data?: ReadonlyArray<ReceivedEvent> | null
    }
    if (!answer.ok || !Array.isArray(envelope.data)) {
      throw new Error(
        `the feed returned HTTP ${answer.status} ${envelope.code ?? ""}: ${envelope.message ?? "no envelope"}`
      )
    }
    return envelope.data
  }
