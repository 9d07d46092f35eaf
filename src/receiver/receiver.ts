/**
 * What a consumer of webhooks has to get right, once: whose a delivery is, each event handled once, and objects that
 * arrive at the state the API shows, whatever is lost, repeated or out of order on the way.
 */
import { canMove, type ReceivedEvent } from "./event.ts"
import type { Held, ReceiverStore } from "./store.ts"
import { type DeliveryFault, type ReceivedHeaders, verifyDelivery, type VerifyOptions } from "./verify.ts"

/**
 * What an event did. `applied`: the object is as it says. `late`: one that happened after it was here first, and the
 * object stands. `contradicting`: it would move the object out of a terminal status, and the object stands.
 * `duplicate`: it was handled before. `ping`: a test event, about no object.
 */
export type Taken = "applied" | "late" | "contradicting" | "duplicate" | "ping"

/** How a delivery was taken. `status` is what to answer it with. */
export type Received =
  | { readonly status: 200; readonly effect: Taken; readonly event: ReceivedEvent }
  | { readonly status: 401; readonly fault: DeliveryFault }

/**
 * What the application does about an event that it has not handled before. `held` is the object from now on: the
 * event's, unless the event is late or contradicting. Some facts are in one event alone (the hash of an onramp's
 * payout), so late ones come here too. Where it rejects, the event counts as not handled, and comes again.
 */
export type EventHandler<Tx> = (
  event: ReceivedEvent,
  about: { readonly effect: "applied" | "late" | "contradicting"; readonly held: Held; readonly tx: Tx }
) => void | Promise<void>

/** Reads the events that follow `after`, oldest first; none when there are no more. */
export type FeedReader = (after: string | undefined) => Promise<ReadonlyArray<ReceivedEvent>>

export interface ReceiverOptions<Tx> extends VerifyOptions {
  readonly store: ReceiverStore<Tx>
  readonly handler?: EventHandler<Tx>
}

export interface Receiver {
  /** Takes a delivery: `body` raw, byte for byte. Rejects only where the store or the handler does: answer with 500. */
  readonly receive: (body: string | Uint8Array, headers: ReceivedHeaders) => Promise<Received>
  /** Takes an event that is known to be the sender's: one that was read from the API. */
  readonly take: (event: ReceivedEvent) => Promise<Taken>
  /** Takes what the feed has since the last time, and gives how many of those had not been handled. */
  readonly catchUp: (feed: FeedReader) => Promise<number>
}

const heldFrom = (event: ReceivedEvent): Held => ({
  category: event.event_category,
  status: event.event_object_status,
  sequence: event.event_sequence,
  object: event.event_object
})

/** What an unhandled event does to the object held. */
const effectOn = (held: Held | undefined, event: ReceivedEvent): "applied" | "late" | "contradicting" => {
  if (held === undefined) return "applied"
  if (event.event_sequence <= held.sequence) return "late"
  return canMove(held.category, held.status, event.event_object_status) ? "applied" : "contradicting"
}

/**
 * A receiver over a store.
 *
 * Laws: an event is handled once, whatever comes how often; an object is held from the latest of its events that were
 * handled, by `event_sequence`, and never leaves a terminal status but for an offramp's `success` to `returned`; so
 * once every event has come by webhook or by feed, what is held is what the API shows.
 * Source: DELIVERY-4, DELIVERY-5, EVENT-11, EVENT-27, SIGNATURE-1.
 */
export const makeReceiver = <Tx = undefined>({ store, handler, ...verifying }: ReceiverOptions<Tx>): Receiver => {
  const take = (event: ReceivedEvent): Promise<Taken> =>
    event.event_category === "ping"
      ? Promise.resolve("ping")
      : store.handle<Taken>(event, async ({ isHandled, held }, tx) => {
          if (isHandled) return { keep: undefined, result: "duplicate" }
          const effect = effectOn(held, event)
          const next = effect === "applied" || held === undefined ? heldFrom(event) : held
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
