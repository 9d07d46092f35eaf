/**
 * Handles webhooks correctly: verifies each delivery, handles each event once, and keeps every object in the state that
 * the API shows, whatever is lost, repeated or out of order.
 */
import { checkOptions } from "../engine/input/options.ts"
import { canMove, type ReceivedEvent } from "./event.ts"
import type { Held, ReceiverStore } from "./store.ts"
import type { ReceivedHeaders } from "./headers.ts"
import { type DeliveryFault, verifyDelivery, type VerifyOptions, verifyTakes } from "./verify.ts"

/**
 * The effect of an event. `applied`: the object now has the event's state. `late`: a later event was handled first; the
 * object is unchanged. `contradicting`: the event would move the object out of a terminal status; the object is
 * unchanged. `duplicate`: the event was handled before. `ping`: a test event without an object.
 */
export type Taken = "applied" | "late" | "contradicting" | "duplicate" | "ping"

/** The result of a delivery. `status` is the HTTP status to respond with. */
export type Received =
  | { readonly status: 200; readonly effect: Taken; readonly event: ReceivedEvent }
  | { readonly status: 401; readonly fault: DeliveryFault }

/**
 * Called for each event that was not handled before. `held` is the new state of the object: the event's, unless the
 * event is late or contradicting. Late events are passed too, because some facts are in a single event (the hash of an
 * onramp's payout). If the handler rejects, the event counts as not handled, and will be delivered again.
 */
export type EventHandler<Tx> = (
  event: ReceivedEvent,
  about: { readonly effect: "applied" | "late" | "contradicting"; readonly held: Held; readonly tx: Tx }
) => void | Promise<void>

/** Reads the events after `after`, oldest first. Returns an empty list at the end. */
export type FeedReader = (after: string | undefined) => Promise<ReadonlyArray<ReceivedEvent>>

export interface ReceiverOptions<Tx> extends VerifyOptions {
  readonly store: ReceiverStore<Tx>
  readonly handler?: EventHandler<Tx>
}

export interface Receiver {
  /**
   * Handles a delivery. `body` is the raw body, byte for byte. Rejects only when the store or the handler does; respond
   * with 500.
   */
  readonly receive: (body: string | Uint8Array, headers: ReceivedHeaders) => Promise<Received>
  /** Handles an event from a trusted source, such as the API. */
  readonly take: (event: ReceivedEvent) => Promise<Taken>
  /** Handles the events of the feed since the last call. Returns the number of events that were new. */
  readonly catchUp: (feed: FeedReader) => Promise<number>
}

/** Decides the effect of a new event on the stored object. */
const decideEffect = (held: Held | undefined, event: ReceivedEvent): "applied" | "late" | "contradicting" => {
  if (held === undefined) return "applied"
  if (event.event_sequence <= held.sequence) return "late"
  return canMove(held.category, held.status, event.event_object_status) ? "applied" : "contradicting"
}

/**
 * A receiver over a store.
 *
 * Laws: each event is handled once, however often it arrives. An object has the state of its latest handled event, by
 * `event_sequence`, and never leaves a terminal status, except an offramp's `success` for `returned`, and the `failed` of an
 * onramp that is revived. Once every event has arrived, by webhook or by feed, the stored objects are what the API shows,
 * except of a revived onramp that is `failed` again, which no event says. Source: DELIVERY-4, DELIVERY-5, EVENT-11,
 * EVENT-27, ONRAMP-10, SIGNATURE-1. Errors: throws `TypeError` for an option that does not exist.
 */
export const makeReceiver = <Tx = undefined>(options: ReceiverOptions<Tx>): Receiver => {
  checkOptions("makeReceiver", options, { ...verifyTakes, store: "object", handler: "function?" })
  const { store, handler, ...verifying } = options
  const take = (event: ReceivedEvent): Promise<Taken> =>
    event.event_category === "ping"
      ? Promise.resolve("ping")
      : store.handle<Taken>(event, async ({ isHandled, held }, tx) => {
          if (isHandled) return { keep: undefined, result: "duplicate" }
          const effect = decideEffect(held, event)
          const next =
            effect === "applied" || held === undefined
              ? {
                  category: event.event_category,
                  status: event.event_object_status,
                  sequence: event.event_sequence,
                  object: event.event_object
                }
              : held
          await handler?.(event, { effect, held: next, tx })
          return { keep: next, result: effect }
        })

  return {
    take,
    receive: async (body, headers) => {
      const { event, fault } = verifyDelivery(body, headers, verifying)
      return fault === null ? { status: 200, effect: await take(event), event } : { status: 401, fault }
    },
    catchUp: async (feed) => {
      let fresh = 0
      let after = await store.cursor()
      for (;;) {
        const events = await feed(after)
        const last = events.at(-1)
        if (last === undefined) return fresh
        for (const event of events) if ((await take(event)) !== "duplicate") fresh += 1
        after = last.event_id
        await store.setCursor(after)
      }
    }
  }
}
