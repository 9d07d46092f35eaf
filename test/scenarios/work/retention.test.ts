/** What is forgotten after its time, and what is not: nothing that money rests on. */
import assert from "node:assert/strict"
import { it as effect } from "@effect/vitest"
import { Clock, Effect, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { describe, it } from "vitest"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Events } from "../../../src/engine/resources/webhooks/event.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { MovementEvent } from "../../../src/engine/ports/Provider.ts"
import { EMPTY, Storage } from "../../../src/engine/ports/Storage.ts"
import { toDaysMs, type Keeping, makeKeeping } from "../../../src/engine/settings/retention.ts"
import { covers } from "../../support/repository/covers.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { booksBalance, onEveryStore, onServers } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { DAY, dayOf, makeSuccess, swept } from "../../support/merchants/retention.ts"

/** The fewest days that an operator may choose. */
const shortest = (name: keyof Keeping): number => {
  for (let days = 0; ; days++) {
    try {
      return makeKeeping({ [name]: days })[name]!
    } catch {
      assert.ok(days < 1_000)
    }
  }
}

onEveryStore("what is forgotten", (run) => {
  it("is a key after its day, and not within it", () =>
    run(
      Effect.gen(function* () {
        const unitOfWork = yield* UnitOfWork
        const storage = yield* Storage
        const m = yield* merchantAtWork()
        const id = yield* dayOf(m, 1)
        const again = yield* call(m.merchant_id, { key: "day-1-transfer", fingerprint: "1" })
        yield* m.advance(DAY - 60)
        yield* swept
        assert.ok((yield* unitOfWork.replay(again))?.includes(id))
        yield* m.advance(7260)
        yield* swept
        assert.equal(yield* unitOfWork.replay(again), undefined)
        assert.equal(yield* storage.idempotencyRecord(m.merchant_id, "idem/day-1-transfer", 0), undefined)
      })
    ))

  covers("IDEM-1")
  it("is no part of a response whose key is kept, however short the time that events are kept for", () =>
    run(
      Effect.gen(function* () {
        const unitOfWork = yield* UnitOfWork
        const storage = yield* Storage
        const m = yield* merchantAtWork()
        yield* dayOf(m, 2)
        const again = yield* call(m.merchant_id, { key: "day-2-transfer", fingerprint: "2" })
        const first = yield* unitOfWork.replay(again)
        yield* m.advance(DAY - 60)
        const now = yield* Clock.currentTimeMillis
        // Without the hour for clocks that differ.
        const query = { sort: "events", before: now - toDaysMs(shortest("events"))!, limit: 1_000 } as const
        yield* Effect.repeat(storage.forget(query), { while: (gone) => gone === 1_000 })
        assert.ok(first !== undefined && first.length > 0)
        assert.equal(yield* unitOfWork.replay(again), first)
      })
    ))

  it("is no event that brings money: a return and a pay-in told again long after move none of it", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100")
        yield* m.settle
        const word = (outcome: MovementEvent["outcome"], event_id: string) =>
          inbox.receive("simulated", { ...makeSuccess(m.merchant_id, id, `${m.merchant_id}-${event_id}`), outcome })
        yield* word("success", "a")
        assert.equal(yield* word("returned", "b"), "applied")
        const { id: paid } = yield* m.transfer("10")
        yield* m.settle
        const reversed = { ...makeSuccess(m.merchant_id, paid, `${m.merchant_id}-d`), outcome: "reversed" } as const
        yield* inbox.receive("simulated", makeSuccess(m.merchant_id, paid, `${m.merchant_id}-c`))
        yield* inbox.receive("simulated", reversed)
        const before = yield* m.balance
        const books = yield* booksBalance
        yield* m.advance(100 * DAY)
        yield* swept
        yield* word("returned", "b")
        yield* word("success", "a")
        yield* inbox.receive("simulated", reversed)
        yield* m.settle
        assert.deepEqual(yield* m.balance, before)
        assert.deepEqual(yield* booksBalance, books)
        assert.equal(yield* m.status(id), "returned")
      })
    ))
})

onServers("a reader of the feed", (run) => {
  covers("EVENT-29")
  it("goes on after its last event, however long ago that was forgotten, and misses none that is kept", () =>
    run(
      Effect.gen(function* () {
        const events = yield* Events
        const m = yield* merchantAtWork()
        let last: string | undefined
        const read = (after: string | undefined) =>
          Effect.map(events.feed(m.caller, { limit: 200, ...(after === undefined ? {} : { after }) }), (page) =>
            page.map(({ event_id }) => event_id)
          )
        const published = Effect.map(events.list(m.caller, { per_page: 200 }), ({ items }) =>
          items.map(({ event_id }) => event_id)
        )
        /** What is new since the last reading. A write of the server's own may delay the feed. */
        const news = Effect.fnUntraced(function* (expected: number) {
          const found = yield* Effect.repeat(read(last), {
            until: (page) => page.length >= expected,
            schedule: Schedule.spaced("10 millis"),
            times: 500
          })
          last = found.at(-1) ?? last
          return found.toSorted()
        })
        yield* news(yield* Effect.map(published, (all) => all.length))
        for (const [n, days] of [20, 40, 40, 400, 31].entries()) {
          yield* m.advance(days * DAY)
          yield* swept
          assert.deepEqual(yield* news(0), [], `${days} days later`)
          const before = new Set(yield* published)
          yield* dayOf(m, 10 + n)
          const expected = (yield* published).filter((id) => !before.has(id))
          assert.ok(expected.length > 0)
          assert.deepEqual(yield* news(expected.length), expected.toSorted(), `${days} days later`)
          yield* m.advance(1)
        }
        // What no event ever was, and one of another merchant that is kept.
        const other = yield* merchantAtWork()
        yield* other.deposit({ amount: "1" })
        const [theirs] = (yield* events.list(other.caller, {})).items
        for (const after of ["evt_unknown", "evt_7zzzzzzzzzzzzzzzzzzzzzzzzz", theirs!.event_id])
          assert.equal((yield* Effect.flip(read(after)))._tag, "NotFound", after)
      }),
      { retention: { deliveries: 1, providerEvents: 30, events: 30 } }
    ))
})

describe("a node at work", () => {
  effect.effect("forgets by itself, in as many batches as it takes", () =>
    TestClock.testClockWith((clock) =>
      Effect.scoped(
        Effect.gen(function* () {
          const storage = yield* Storage
          const at = yield* clock.currentTimeMillis
          for (let n = 0; n < 2_500; n++) {
            const idempotency = { key: `k${n}`, fingerprint: "", response: null, expires_at: at + 1 }
            yield* storage.commit({ ...EMPTY, merchant_id: "mer_1", at, idempotency })
          }
          yield* (yield* Dispatcher).start()
          yield* clock.adjust("2 hours")
          assert.equal(yield* storage.forget({ sort: "keys", before: at + 1, limit: 10_000 }), 0)
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
  )
})
