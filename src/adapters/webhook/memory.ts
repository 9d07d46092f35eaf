/** A sink that keeps what it is given: for tests, and for applications that take events in process. */
import { Duration, Effect, Layer } from "effect"
import { adapter, type WebhookAdapter } from "../../engine/ports/Adapter.ts"
import { type Delivery, type DeliveryAnswer, WebhookSink } from "../../engine/ports/WebhookSink.ts"

export interface MemoryWebhookOptions {
  /** How long `answer` may take before the attempt has failed, 15000 by default. It is not stopped, and may be called again. */
  readonly timeout_ms?: number
  /** Takes a delivery and says what it is answered: 200 unless it says otherwise. A promise keeps the delivery waiting. */
  readonly answer?: (delivery: Delivery) => Partial<DeliveryAnswer> | void | Promise<Partial<DeliveryAnswer> | void>
  /** Why a url is refused; by default none is. */
  readonly check?: (url: string) => string | null
  /** Where deliveries are recorded, in the order they were made. */
  readonly deliveries?: Array<Delivery>
}

const layer = (options: MemoryWebhookOptions = {}): Layer.Layer<WebhookSink> => {
  const { timeout_ms = 15_000 } = options
  const late = { response_status: null, error: `no answer within ${timeout_ms} ms`, duration_ms: timeout_ms }
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
          return { error: acknowledged ? null : status === null ? "no answer" : `answered ${status}`, ...answer }
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

/** Hands events to a function of this process, unsigned, instead of sending them. */
export const memoryWebhooks = (options: MemoryWebhookOptions = {}): WebhookAdapter =>
  adapter("webhook", MemoryWebhookSink.layer(options))
