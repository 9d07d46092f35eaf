/** Real histories: what a merchant's movements and deposits published, and what the API shows at the end. */
import fc from "fast-check"
import { Effect } from "effect"
import type { Delivery } from "../../src/engine/WebhookSink.ts"
import { MemoryWebhookSink } from "../../src/adapters/webhook/memory.ts"
import { Events } from "../../src/engine/resources/event.ts"
import { WebhookEndpoints } from "../../src/engine/resources/webhook-endpoint.ts"
import type { ReceivedEvent } from "../../src/receiver/index.ts"
import { merchantAtWork } from "./actors.ts"
import { world } from "./world.ts"

/** One thing that goes on: a movement and the provider's words about it, or a pay-in and its stages. */
export type Episode =
  | {
      readonly kind: "transfer" | "offramp"
      readonly outcomes: ReadonlyArray<"success" | "failed" | "cancelled" | "reversed" | "returned">
    }
  | { readonly kind: "deposit"; readonly stages: ReadonlyArray<"detected" | "confirmed" | "failed"> }

export const episodes: fc.Arbitrary<ReadonlyArray<Episode>> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("transfer" as const, "offramp" as const),
      outcomes: fc.array(fc.constantFrom("success" as const, "failed", "cancelled", "reversed", "returned"), {
        minLength: 1,
        maxLength: 3
      })
    }),
    fc.record({
      kind: fc.constant("deposit" as const),
      stages: fc.array(fc.constantFrom("detected" as const, "confirmed", "failed"), { minLength: 1, maxLength: 3 })
    })
  ),
  { minLength: 1, maxLength: 5 }
)

export interface History {
  /** Every delivery of the engine's, in the order they were made. */
  readonly deliveries: ReadonlyArray<Delivery>
  /** Every event, in the order of the feed. */
  readonly feed: ReadonlyArray<ReceivedEvent>
  /** What a `GET` of each object that published events answers with at the end. */
  readonly shown: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

/** Lives through episodes in an engine of its own, with an endpoint that hears of everything. */
export const lived = (all: ReadonlyArray<Episode>): Promise<History> => {
  const deliveries: Array<Delivery> = []
  const life = Effect.gen(function* () {
    const m = yield* merchantAtWork("0", "tier_0")
    const endpoints = yield* WebhookEndpoints
    const { id } = yield* endpoints.create(m.caller, { url: "https://receiver.example/hook" })
    yield* endpoints.update(m.caller, id, { active: true })
    // Two deposits of 10 fit the tier's limit of 1,000; what comes after them is held.
    yield* m.deposit({ amount: "980" })
    const ids = new Set<string>()
    for (const [index, episode] of all.entries()) {
      if (episode.kind === "deposit") {
        for (const stage of episode.stages) {
          yield* m.deposit({ amount: "10", payin_id: `payin-${index}`, stage })
          yield* m.settle
        }
      } else {
        const movement = yield* episode.kind === "transfer" ? m.transfer("10") : m.offramp("10")
        yield* m.settle
        for (const outcome of episode.outcomes) yield* m.says(movement.id, outcome)
      }
      yield* m.settle
    }
    const events = yield* Events
    const feed: Array<ReceivedEvent> = []
    for (;;) {
      const page = yield* events.feed(
        m.caller,
        feed.length === 0 ? { limit: 7 } : { after: feed.at(-1)!.event_id, limit: 7 }
      )
      if (page.length === 0) break
      feed.push(...page)
    }
    for (const event of feed) ids.add(event.event_object_id)
    const shown = new Map<string, Readonly<Record<string, unknown>>>()
    for (const object_id of ids) shown.set(object_id, yield* m.body(object_id))
    return { deliveries, feed, shown }
  })
  return Effect.runPromise(Effect.provide(life, world({ webhooks: MemoryWebhookSink.layer({ deliveries }) })))
}
