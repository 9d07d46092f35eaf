/** A sink that keeps what it is given: for tests, and for applications that take events in process. */
import { Effect, Layer } from "effect"
import { type Delivery, type DeliveryAnswer, WebhookSink } from "../../engine/WebhookSink.ts"

export interface MemoryWebhookOptions {
  /** What a delivery is answered; by default 200. A promise keeps the delivery waiting. */
  readonly answer?: (delivery: Delivery) => Partial<DeliveryAnswer> | Promise<Partial<DeliveryAnswer>>
  /** Why a url is refused; by default none is. */
  readonly check?: (url: string) => string | null
  /** Where deliveries are recorded, in the order they were made. */
  readonly deliveries?: Array<Delivery>
}

const layer = (options: MemoryWebhookOptions = {}): Layer.Layer<WebhookSink> =>
  Layer.succeed(
    WebhookSink,
    WebhookSink.of({
      deliver: (delivery) =>
        Effect.promise(async () => {
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
        }),
      check: (url) => Effect.sync(() => options.check?.(url) ?? null)
    })
  )

export const MemoryWebhookSink = { layer } as const
