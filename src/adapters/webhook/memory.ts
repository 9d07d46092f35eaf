/** A sink that records deliveries in memory: for tests, and for applications that handle events in process. */
import { Duration, Effect, Layer } from "effect"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type WebhookAdapter } from "../../engine/ports/adapter.ts"
import { type Delivery, type DeliveryAnswer, WebhookSink } from "../../engine/ports/WebhookSink.ts"

export interface MemoryWebhookOptions {
  /**
   * Time limit for `answer`, in milliseconds. Default: 15000. A call that exceeds it is not stopped, and may be
   * repeated.
   */
  readonly timeout_ms?: number
  /** Handles a delivery and returns the response, status 200 by default. The delivery waits for a returned promise. */
  readonly answer?: (delivery: Delivery) => Partial<DeliveryAnswer> | void | Promise<Partial<DeliveryAnswer> | void>
  /** Returns why a URL is rejected, or null. Default: every URL is accepted. */
  readonly check?: (url: string) => string | null
  /** Receives the deliveries, in the order in which they were made. */
  readonly deliveries?: Array<Delivery>
}

const layer = (options: MemoryWebhookOptions = {}): Layer.Layer<WebhookSink> => {
  const { timeout_ms = 15_000 } = options
  const late = { response_status: null, error: `no response within ${timeout_ms} ms`, duration_ms: timeout_ms }
  return Layer.succeed(
    WebhookSink,
    WebhookSink.of({
      timeout_ms,
      deliver: (delivery) =>
        Effect.promise(async (): Promise<DeliveryAnswer> => {
          options.deliveries?.push(delivery)
          const answer = {
            response_status: 200,
            duration_ms: 0,
            retry_after_ms: null,
            ...(await options.answer?.(delivery))
          }
          const { response_status: status } = answer
          const acknowledged = status !== null && status >= 200 && status < 300
          return { error: acknowledged ? null : status === null ? "no response" : `returned HTTP ${status}`, ...answer }
        }).pipe(
          Effect.timeoutOrElse({
            duration: Duration.millis(timeout_ms),
            orElse: () => Effect.succeed({ ...late, retry_after_ms: null })
          })
        ),
      check: (url) => Effect.sync(() => options.check?.(url) ?? null)
    })
  )
}

export const MemoryWebhookSink = { layer } as const

/**
 * A webhook sink that passes events, unsigned, to a function of this process instead of sending them.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const memoryWebhooks = (options: MemoryWebhookOptions = {}): WebhookAdapter => {
  checkOptions("memoryWebhooks", options, {
    timeout_ms: "number?",
    answer: "function?",
    check: "function?",
    deliveries: "object?"
  })
  return adapter("webhook", MemoryWebhookSink.layer(options))
}
