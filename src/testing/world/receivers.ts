/** Webhook receivers, each with its own behaviour. */
import { Effect, Layer } from "effect"
import { type DeliveryAnswer, WebhookSink } from "../../engine/ports/WebhookSink.ts"
import { hour, type ReceiverHabit, second } from "../program/program.ts"

const timeout_ms = 15 * second

/** What was sent to a receiver, and how it answered. */
export type Delivered = readonly [
  url: string,
  message_id: string,
  body: string,
  secrets: ReadonlyArray<string>,
  answer: DeliveryAnswer
]

interface Receivers {
  readonly habitOf: (url: string) => ReceiverHabit
  /** The number of the current request to this URL, from 1. */
  readonly attempt: (url: string) => number
  readonly fraction: (...of: ReadonlyArray<string | number>) => number
  readonly delivered: (...sent: Delivered) => void
  /** A point at which the sending process may crash. */
  readonly step: Effect.Effect<void>
}

export const makeReceiversLayer = ({
  attempt,
  delivered,
  fraction,
  habitOf,
  step
}: Receivers): Layer.Layer<WebhookSink> => {
  const answerOf = (url: string, message_id: string): Effect.Effect<DeliveryAnswer> => {
    const n = attempt(url)
    const fine: DeliveryAnswer = { response_status: 200, error: null, duration_ms: 20, retry_after_ms: null }
    const status = (response_status: number, more: Partial<DeliveryAnswer> = {}) =>
      Effect.succeed({ ...fine, response_status, error: `returned HTTP ${response_status}`, ...more })
    const chance = fraction(url, message_id, n)
    switch (habitOf(url)) {
      case "healthy":
        return Effect.succeed(fine)
      case "flaky":
        return chance < 0.5 ? Effect.succeed(fine) : status(500)
      case "failing":
        return status(503)
      case "hanging":
        return chance < 0.3
          ? Effect.succeed(fine)
          : Effect.as(Effect.sleep(timeout_ms), {
              ...fine,
              response_status: null,
              error: "no response in time",
              duration_ms: timeout_ms
            })
      case "redirecting":
        return chance < 0.6 ? Effect.succeed(fine) : status(302)
      case "gone":
        return n < 4 ? Effect.succeed(fine) : status(410)
      case "busy":
        return chance < 0.5 ? Effect.succeed(fine) : status(429, { retry_after_ms: 2 * hour })
    }
  }
  return Layer.succeed(
    WebhookSink,
    WebhookSink.of({
      timeout_ms,
      deliver: ({ url, message_id, body, secrets }) =>
        Effect.gen(function* () {
          yield* step
          const answer = yield* answerOf(url, message_id)
          delivered(url, message_id, body, secrets, answer)
          yield* step
          return answer
        }),
      check: (url) => Effect.succeed(url.includes("forbidden") ? "its host is private" : null)
    })
  )
}
