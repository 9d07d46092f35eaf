import { Context, type Effect } from "effect"

/** One attempt to deliver an event to a receiver. */
export interface Delivery {
  readonly url: string
  /** `msg_<event id>`: the same on every attempt. */
  readonly message_id: string
  /** The exact bytes that were stored with the event. */
  readonly body: string
  /** The secrets that sign (`whsec_…`): the current one first, then those that a rotation has replaced. */
  readonly secrets: ReadonlyArray<string>
  /** The `traceparent` header to send (W3C Trace Context). Absent: none. */
  readonly traceparent?: string
}

/** The result of an attempt. `retry_after_ms` is the delay that the receiver requested. */
export interface DeliveryAnswer {
  readonly response_status: number | null
  /** Null when the receiver acknowledged with a 2xx. */
  readonly error: string | null
  readonly duration_ms: number
  readonly retry_after_ms: number | null
  /** Absent when nothing was sent, or when the sink does not say. */
  readonly request?: SentRequest
  /** The start of the response's body as text: at most {@link RESPONSE_BODY_MAX} bytes. Absent without a response. */
  readonly response_body?: string
}

/** What was sent beside the body, which is the event's. `headers` has no signature: it authenticates. */
export type SentRequest = {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
}

/** Of a receiver's response, as many bytes are kept with an attempt (DELIVERY-12). */
export const RESPONSE_BODY_MAX = 1024

/** The `User-Agent` of deliveries (DELIVERY-1). */
export const UserAgent = Context.Reference<string>("corridor/engine/UserAgent", { defaultValue: () => "Corridor" })

/** Why the url of an endpoint is rejected. Null when it is accepted. */
type UrlFault = string | null

export class WebhookSink extends Context.Service<
  WebhookSink,
  {
    /** The longest duration of an attempt, milliseconds. The lease of a claimed delivery is longer. */
    readonly timeout_ms: number
    /**
     * Signs and posts a delivery. Never fails: a refused connection, a timeout or a redirect is a result with an
     * `error`.
     */
    readonly deliver: (delivery: Delivery) => Effect.Effect<DeliveryAnswer>
    /** Checks the url of an endpoint: its form, its scheme, and the current addresses of its host. */
    readonly check: (url: string) => Effect.Effect<UrlFault>
  }
>()("corridor/engine/WebhookSink") {}
