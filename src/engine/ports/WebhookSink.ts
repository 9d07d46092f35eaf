import { Context, type Effect } from "effect"

/** One attempt to hand an event to a receiver. */
export interface Delivery {
  readonly url: string
  /** `msg_<event id>`: the same on every attempt. */
  readonly message_id: string
  /** The exact bytes, as frozen. */
  readonly body: string
  /** Secrets to sign with (`whsec_…`): the current one first, and during a rotation the one before it. */
  readonly secrets: ReadonlyArray<string>
}

/** How an attempt went. `retry_after_ms` is what the receiver asked for. */
export interface DeliveryAnswer {
  readonly response_status: number | null
  /** Null when the receiver acknowledged with a 2xx. */
  readonly error: string | null
  readonly duration_ms: number
  readonly retry_after_ms: number | null
}

/** What deliveries call their sender (DELIVERY-1). */
export const UserAgent = Context.Reference<string>("corridor/engine/UserAgent", { defaultValue: () => "Corridor" })

/** Why an endpoint's url is not taken; null when it is. */
export type UrlFault = string | null

export class WebhookSink extends Context.Service<
  WebhookSink,
  {
    /** The longest an attempt takes, milliseconds: what it was claimed for lasts longer. */
    readonly timeout_ms: number
    /** Signs and posts. Never fails: a refused connection, a timeout or a redirect is an answer with an `error`. */
    readonly deliver: (delivery: Delivery) => Effect.Effect<DeliveryAnswer>
    /** Whether an endpoint may have this url: form, scheme, and the addresses its host has now. */
    readonly check: (url: string) => Effect.Effect<UrlFault>
  }
>()("corridor/engine/WebhookSink") {}
