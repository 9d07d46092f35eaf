/** What a receiver of `corridor/receiver` comes to from all events of a simulated month: what the API shows at its end (EVENT-27). */
import { Context, Effect, Layer } from "effect"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { kinds } from "../../src/engine/registry.ts"
import { correctDeposit, makeReceiver, memoryReceiverStore, type ReceivedEvent } from "../../src/receiver/index.ts"
import { simulate } from "../../src/testing/index.ts"
import { renderings } from "../support/machines/renderings.ts"
import { covers } from "../support/repository/covers.ts"

covers("EVENT-27", "EVENT-30")
describe.each([3, 6])("the month of seed %d", (seed) => {
  let storage: Storage["Service"]
  let events: ReadonlyArray<ReceivedEvent>
  let found: ReadonlyArray<string>
  const read = <A, E>(of: (stored: Storage["Service"]) => Effect.Effect<A, E>) => Effect.runPromise(of(storage))

  beforeAll(async () => {
    const kept = Layer.tap(MemoryStorage.layer, (context) =>
      Effect.sync(() => {
        storage = Context.get(context, Storage)
      })
    )
    found = (await simulate({ seed, storage: kept })).found
    const { items } = await read((s) => s.list({ kinds: ["merchant"], index_keys: [], offset: 0, limit: 200 }))
    const feeds = await Promise.all(items.map(({ merchant_id }) => read((s) => s.feed(merchant_id, null, 1_000_000))))
    events = feeds.flatMap((feed) => feed ?? []).map(({ body }) => JSON.parse(body) as ReceivedEvent)
  })

  it("is what a receiver holds, in whatever order and however often its events arrive", async () => {
    expect(found).toEqual([])
    expect(events.length).toBeGreaterThan(80)
    const twice = events.flatMap((event) => [event, event])
    const arrivals = fc.shuffledSubarray(twice, { minLength: twice.length })
    await fc.assert(
      fc.asyncProperty(arrivals, async (all) => {
        const { objects, ...store } = memoryReceiverStore()
        const receiver = makeReceiver({ secrets: [], store })
        for (const event of all) await receiver.take(event)
        const conversions = [...objects.values()].filter(({ category }) => category === "conversion")
        for (const [id, one] of objects) {
          const kind = kinds.ofId(id)!
          const row = (await read((s) => s.find(kind.kind, id)))!
          const held = conversions.reduce(correctDeposit, one)
          // The body of a verification depends on the customer's tier now.
          if (kind.kind === "verification") expect(held.status, id).toBe(row.status)
          else {
            // An event has the related transactions of its moment (EVENT-23).
            const { related_transactions: _, ...shown } = renderings[kind.kind]!(row)[0]![1] as Record<string, unknown>
            expect(held.object, `${id} ${row.state}`).toMatchObject(shown)
          }
        }
      }),
      { numRuns: 2 }
    )
  })
})
