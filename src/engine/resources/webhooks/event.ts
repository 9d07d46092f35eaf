/** Reads of published events, as an alternative to webhooks (EVENT-28, EVENT-29). */
import { Context, Effect, Layer, Schema } from "effect"
import type { Call } from "../../commit/call.ts"
import { makeNotFound } from "../../commit/UnitOfWork.ts"
import { categories } from "../../reference/vocabulary.ts"
import { parseEventBody } from "../../representations/webhooks/event.ts"
import { eventTypes } from "../../representations/webhooks/published.ts"
import { Id, IntegerParam, listing, Optional, toSlice } from "../../input/schemas.ts"
import { creationTimeOf } from "../../ports/Ids.ts"
import { Storage } from "../../ports/Storage.ts"
import { readForgottenBefore } from "../../settings/retention.ts"
import { toTimeBounds } from "../../calls/list.ts"

export const ListEvents = Schema.Struct({
  category: Optional(Schema.Literals(categories), "Only events of this category.", "offramp"),
  event_type: Optional(Schema.Literals(eventTypes), "Only events of this type.", "offramp.success"),
  event_object_id: Optional(Schema.String, "Only events of this resource.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  ...listing
})
export type ListEvents = typeof ListEvents.Type

export const FeedEvents = Schema.Struct({
  after: Optional(Id("evt"), "The last event that you have. Default: the feed begins with the oldest event."),
  limit: Optional(IntegerParam(1, 200), "The most events to return. Default: 50.", 50)
})
export type FeedEvents = typeof FeedEvents.Type

export class Events extends Context.Service<Events>()("corridor/engine/Events", {
  make: Effect.gen(function* () {
    const storage = yield* Storage

    return {
      /** The version is constant, because events are immutable. Errors: `NotFound`. */
      get: Effect.fnUntraced(function* (call: Call, id: string) {
        const event = yield* storage.event(call.merchant_id, id)
        if (event === undefined) return yield* makeNotFound({ kind: "event" }, id)
        return { body: parseEventBody(event), version: "1" }
      }),

      list: Effect.fnUntraced(function* (call: Call, input: ListEvents) {
        const { page, per_page, offset, limit } = toSlice(input)
        const { items, total } = yield* storage.events({
          merchant_id: call.merchant_id,
          ...(input.category === undefined ? {} : { category: input.category }),
          ...(input.event_type === undefined ? {} : { type: input.event_type }),
          ...(input.event_object_id === undefined ? {} : { object_id: input.event_object_id }),
          ...toTimeBounds(input),
          offset,
          limit
        })
        return { items: items.map(parseEventBody), page, per_page, total }
      }),

      /**
       * Events after `after`, oldest first. Default: from the first event. At most `limit` events; default 50. An `after` from
       * before the time from which events are kept is a place before all that are.
       * Law: a caller that continues from the last event it received misses none that is kept, whatever is written or
       * forgotten concurrently.
       * Errors: `NotFound` for an unknown `after`.
       */
      feed: Effect.fnUntraced(function* ({ merchant_id }: Call, { after, limit = 50 }: FeedEvents) {
        const events = yield* storage.feed(merchant_id, after ?? null, limit)
        if (events !== undefined) return events.map(parseEventBody)
        const made = creationTimeOf(after ?? "")
        if (made === undefined || made >= (yield* readForgottenBefore(storage)))
          return yield* makeNotFound({ kind: "event" }, after ?? "")
        return ((yield* storage.feed(merchant_id, null, limit)) ?? []).map(parseEventBody)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
