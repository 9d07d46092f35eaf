/** Providers whose events are read beside their callbacks: nothing is missed, and nothing counts twice. */
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ProviderReports } from "../../../src/engine/reports/providers.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { ProviderFault, StorageFault } from "../../../src/engine/ports/errors.ts"
import type { Provider, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { type Change, PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { Gauges } from "../../../src/engine/work/upkeep/Gauges.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { JobHandlers } from "../../../src/engine/work/queue/JobHandlers.ts"
import { JobLease } from "../../../src/engine/settings/settings.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { valueOf } from "../../support/http/metrics.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { addressAt, freshAddress, payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { covers } from "../../support/repository/covers.ts"

let feeds = 0

/**
 * A provider of a new name with a list of events, of which each page has two. The interval is longer than a read takes, since
 * draining goes on while a read is due.
 */
const readable = (interval_ms = 20, page_ms = 0) => {
  const name = `feed${++feeds}_${process.pid}`
  const events: Array<ProviderEvent> = []
  const asked: Array<string | null> = []
  const state: { isAway: boolean; fault?: string; firstFault?: string } = { isAway: false }
  const around = (inner: Provider["Service"]): Provider["Service"] => ({
    ...inner,
    name,
    events: {
      ...inner.events,
      interval_ms,
      after: (cursor) =>
        Effect.gen(function* () {
          asked.push(cursor)
          if (page_ms > 0) yield* Effect.sleep(page_ms)
          const from = Number(cursor ?? 0)
          if (state.isAway && from > 0) return yield* new ProviderFault({ message: "the feed is away" })
          const page = events.slice(from, from + 2)
          return {
            events: page,
            cursor: String(from + page.length),
            fault: from === 0 ? (state.firstFault ?? state.fault) : state.fault
          }
        })
    }
  })
  const job = Effect.flatMap(Storage, (storage) => storage.job(PLATFORM_MERCHANT, `events.${name}`))
  /** Reads until the feed was asked `times` more. */
  const read = Effect.fnUntraced(function* (times = 1) {
    const dispatcher = yield* Dispatcher
    const until = asked.length + times
    while (asked.length < until) {
      yield* dispatcher.drain()
      yield* Effect.sleep(2)
    }
    yield* dispatcher.drain()
  })
  return { name, events, asked, state, around, job, read }
}

const unknownOutcome = (resource_id: string, event_id: string): ProviderEvent => ({
  _tag: "movement",
  event_id,
  merchant_id: null,
  resource_id,
  outcome: "success",
  reason: null,
  transaction_hash: null
})

onEveryStore("events that are read", (run) => {
  covers("FEED-1", "FEED-2")

  it("are handled once each, in order, and the cursor moves behind them", () => {
    const feed = readable()
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        for (let n = 1; n <= 5; n++)
          feed.events.push(payinEvent({ event_id: `${target}.${n}`, payin_id: `${target}.${n}`, target, amount: "10" }))
        yield* feed.read(4)
        assert.strictEqual((yield* m.balance).available, "50.00")
        assert.strictEqual((yield* feed.job)?.body["cursor"], "5")
        assert.deepEqual(feed.asked.slice(0, 4), [null, "2", "4", "5"])
        yield* feed.read(3)
        assert.strictEqual((yield* m.balance).available, "50.00")
      }),
      { around: feed.around }
    )
  })

  it("may have come as callbacks too, and one that is unreadable hides no other", () => {
    const feed = readable()
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        const event = payinEvent({ event_id: `${target}.1`, payin_id: `${target}.1`, target, amount: "10" })
        feed.events.push(event, { _tag: "nonsense", event_id: target } as never, {
          ...event,
          event_id: `${target}.2`,
          payin_id: `${target}.2`
        })
        yield* (yield* Inbox).receive(feed.name, event)
        yield* feed.read(2)
        assert.strictEqual((yield* m.balance).available, "20.00")
        assert.strictEqual((yield* feed.job)?.body["cursor"], "3")
        assert.deepEqual(yield* findExceptions(`${target}.1`), [])
      }),
      { around: feed.around }
    )
  })

  it("may be anything: what is no event hides no other, nor does an id that no store takes", () => {
    const feed = readable()
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        const nul = unknownOutcome("ofr_\u0000", `${target}.0`)
        const event = payinEvent({ event_id: `${target}.1`, payin_id: `${target}.1`, target, amount: "10" })
        feed.events.push(null as never, nul, undefined as never, "text" as never, event)
        yield* feed.read(4)
        assert.strictEqual((yield* feed.job)?.body["cursor"], "5")
        assert.strictEqual((yield* m.balance).available, "10.00")
      }),
      { around: feed.around }
    )
  })

  covers("FEED-3")

  it("are handled, and the cursor moves, though something else cannot be read: that is a reading that fails", () => {
    const feed = readable()
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        for (let n = 1; n <= 3; n++)
          feed.events.push(payinEvent({ event_id: `${target}.${n}`, payin_id: `${target}.${n}`, target, amount: "10" }))
        feed.state.fault = "one account cannot be read"
        yield* feed.read(4)
        assert.strictEqual((yield* m.balance).available, "30.00")
        const job = yield* feed.job
        assert.strictEqual(job?.body["cursor"], "3")
        assert.isNumber(job?.body["failing_since"])
        assert.deepInclude(job?.log.at(-1) as object, { answer: "one account cannot be read" })
        const reports = yield* ProviderReports
        const readAt = Effect.map(
          reports.list({}),
          ({ items }) => items.find(({ name }) => name === feed.name)?.events.read_at
        )
        // All of it was never read.
        assert.isNull(yield* readAt)
        delete feed.state.fault
        yield* feed.read(1)
        assert.isNull((yield* feed.job)?.body["failing_since"])
        assert.isString(yield* readAt)
      }),
      { around: feed.around }
    )
  })

  it("are not all read while one page of a reading has a fault, however many follow it, under whichever lease", () => {
    const feed = readable(3_600_000)
    return run(
      Effect.gen(function* () {
        feed.events.push(...Array.from({ length: 41 }, () => null as never))
        feed.state.firstFault = "one account cannot be read"
        yield* feed.read(22)
        const job = yield* feed.job
        assert.strictEqual(job?.body["cursor"], "41")
        assert.isNumber(job?.body["failing_since"])
        assert.deepInclude(job?.log.at(-1) as object, { answer: "one account cannot be read" })
      }),
      { around: feed.around }
    )
  })

  it("show for how long they could not be read, from the first failure to the next success, and again", () => {
    const feed = readable()
    return run(
      Effect.gen(function* () {
        const gauges = yield* Gauges
        const shown = Effect.map(gauges.refresh("feeds"), () =>
          valueOf(`corridor_provider_feed_failing_seconds{provider="${feed.name}"}`)
        )
        yield* feed.read(2)
        assert.strictEqual(yield* shown, 0)
        feed.events.push({ _tag: "nonsense", event_id: feed.name } as never)
        yield* feed.read(2)
        for (const round of [1, 2]) {
          feed.state.isAway = true
          yield* feed.read(2)
          const first = (yield* feed.job)?.body["failing_since"]
          assert.strictEqual(typeof first, "number")
          yield* Effect.sleep(20)
          yield* feed.read(2)
          assert.strictEqual((yield* feed.job)?.body["failing_since"], first)
          assert.isAtLeast((yield* shown)!, 0.02, `round ${round}`)
          feed.state.isAway = false
          yield* feed.read(2)
          assert.strictEqual(yield* shown, 0)
          assert.deepEqual((yield* feed.job)?.log, [])
        }
      }),
      { around: feed.around }
    )
  })

  it("are read on from the last page that was committed, once a feed that was away is back", () => {
    const feed = readable()
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        for (let n = 1; n <= 3; n++)
          feed.events.push(payinEvent({ event_id: `${target}.${n}`, payin_id: `${target}.${n}`, target, amount: "10" }))
        feed.state.isAway = true
        yield* feed.read(3)
        assert.strictEqual((yield* m.balance).available, "20.00")
        const job = yield* feed.job
        assert.strictEqual(job?.body["cursor"], "2")
        assert.deepInclude(job?.log.at(-1), { answer: "the feed is away" })
        feed.state.isAway = false
        yield* feed.read(1)
        assert.strictEqual((yield* m.balance).available, "30.00")
        assert.deepEqual((yield* feed.job)?.log, [])
      }),
      { around: feed.around }
    )
  })

  it("are read again by another node when the first one stopped before it stored the cursor", () => {
    const feed = readable()
    return run(
      Effect.gen(function* () {
        const handlers = yield* JobHandlers
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        yield* feed.read(1)
        feed.events.push(payinEvent({ event_id: target, payin_id: target, target, amount: "10" }))
        const job = yield* feed.job
        // Its lease has expired: what it reads is committed, and its cursor is not.
        yield* Effect.ignore(handlers.run({ ...job!, lease: "expired" }))
        assert.strictEqual((yield* m.balance).available, "10.00")
        assert.strictEqual((yield* feed.job)?.body["cursor"], "0")
        yield* feed.read(1)
        assert.strictEqual((yield* m.balance).available, "10.00")
        assert.strictEqual((yield* feed.job)?.body["cursor"], "1")
      }),
      { around: feed.around }
    )
  })

  it("are due by real time: moving the service's clock by a year reads no page more", () => {
    const feed = readable(3_600_000)
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        yield* feed.read(1)
        const storage = yield* Storage
        const job = yield* feed.job
        assert.isNotNull(job!.lease)
        yield* m.advance(365 * 86_400)
        assert.deepEqual(feed.asked, [null])
        assert.strictEqual((yield* storage.job(PLATFORM_MERCHANT, "events.simulated")) ?? null, null)
      }),
      { around: feed.around }
    )
  })
})

/**
 * Memory, of which a part does not answer: look-ups that name one of these ids, as where a database of a set is away; and,
 * with `waiting_events.` among them, commits of such jobs.
 */
const partlyAway = () => {
  const away = new Set<string>()
  const guarded =
    <Asked, A>(
      ask: (...asked: ReadonlyArray<any>) => Effect.Effect<A, StorageFault>,
      named: (asked: Asked) => string
    ) =>
    (...asked: ReadonlyArray<any>): Effect.Effect<A, StorageFault> =>
      [...away].some((one) => named(asked as Asked).includes(one))
        ? Effect.fail(new StorageFault({ message: "a database is away", retryable: true }))
        : ask(...asked)
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        find: guarded(inner.find, String),
        lookup: guarded(inner.lookup, String),
        commit: guarded(inner.commit, ([{ jobs }]: [Change]) => /^waiting_events\./.exec(jobs[0]?.id ?? "")?.[0] ?? "")
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { away, layer }
}

covers("FEED-4")
describe("an event that cannot be handled now", () => {
  it("holds up no other: it is kept, handled again by itself, and the feed goes on", () => {
    const feed = readable()
    const { away, layer } = partlyAway()
    const lost = `ofr_${"0".repeat(25)}1`
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        const payin = (n: number) =>
          payinEvent({ event_id: `${target}.${n}`, payin_id: `${target}.${n}`, target, amount: "10" })
        away.add(lost)
        feed.events.push(payin(1), unknownOutcome(lost, "lost.1"), payin(2), unknownOutcome(lost, "lost.2"), payin(3))
        yield* feed.read(4)
        assert.strictEqual((yield* m.balance).available, "30.00")
        assert.strictEqual((yield* feed.job)?.body["cursor"], "5")
        const exceptions = yield* Exceptions
        const raised = Effect.map(exceptions.list({ reason: "unknown_resource" }), ({ items }) =>
          items.map(({ provider_event }) => (provider_event as ProviderEvent).event_id).toReversed()
        )
        assert.deepEqual(yield* raised, [])

        const gauges = yield* Gauges
        const failing = Effect.map(gauges.refresh("feeds"), () =>
          valueOf(`corridor_provider_feed_failing_seconds{provider="${feed.name}"}`)
        )
        yield* m.advance(60)
        assert.isAtLeast((yield* failing)!, 60)
        const { items } = yield* (yield* ProviderReports).list({})
        assert.include(items.find(({ name }) => name === feed.name)?.events.last_fault?.answer, "a database is away")

        away.clear()
        yield* m.advance(1200)
        assert.deepEqual(yield* raised, ["lost.1", "lost.2"])
        assert.strictEqual(yield* failing, 0)
        const storage = yield* Storage
        assert.deepEqual(yield* storage.jobsBeginning(PLATFORM_MERCHANT, ["waiting_events."], 10), [])
      }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around: feed.around, storage: layer })))
    )
  })

  it("keeps the later ones about its resource behind it, and of its payer no more than is stored elsewhere", () => {
    const feed = readable()
    const { away, layer } = partlyAway()
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        const report = (stage: "detected" | "confirmed", n: number) =>
          payinEvent({
            event_id: `${target}.${n}`,
            payin_id: target,
            target,
            amount: "10",
            stage,
            sender: { name: "Ada", account_number: "0123456789" }
          })
        away.add(target)
        feed.events.push(report("detected", 1))
        yield* feed.read(2)
        away.clear()
        feed.events.push(report("confirmed", 2))
        yield* feed.read(2)
        assert.strictEqual((yield* m.balance).available, "0.00")
        const storage = yield* Storage
        const [job] = yield* storage.jobsBeginning(PLATFORM_MERCHANT, ["waiting_events."], 10)
        const kept = job!.body["events"] as ReadonlyArray<ProviderEvent>
        assert.deepEqual(
          kept.map(({ event_id }) => event_id),
          [`${target}.1`, `${target}.2`]
        )
        assert.notInclude(JSON.stringify(job), "0123456789")
        yield* m.advance(60)
        assert.strictEqual((yield* m.balance).available, "10.00")
      }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around: feed.around, storage: layer })))
    )
  })

  it("is kept by the reader that has the lease alone: one that has lost it would overwrite what another keeps", () => {
    const feed = readable()
    const { away, layer } = partlyAway()
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        yield* feed.read(1)
        away.add(target)
        feed.events.push(payinEvent({ event_id: `${target}.1`, payin_id: target, target, amount: "10" }))
        const storage = yield* Storage
        const kept = storage.jobsBeginning(PLATFORM_MERCHANT, ["waiting_events."], 10)
        yield* Effect.ignore((yield* JobHandlers).run({ ...(yield* feed.job)!, lease: "expired" }))
        assert.deepEqual(yield* kept, [])
        yield* feed.read(2)
        assert.strictEqual((yield* kept).length, 1)
        assert.strictEqual((yield* feed.job)?.body["cursor"], "1")
      }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around: feed.around, storage: layer })))
    )
  })

  it("is found whatever its provider calls what it is about: the id of its job has no text of the provider's", () => {
    const feed = readable()
    const { away, layer } = partlyAway()
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        away.add(target)
        feed.events.push(payinEvent({ event_id: target, payin_id: `~\u00e9${target}`, target, amount: "10" }))
        yield* feed.read(2)
        const storage = yield* Storage
        const [job] = yield* storage.jobsBeginning(PLATFORM_MERCHANT, ["waiting_events."], 10)
        assert.match(job!.id, /^waiting_events\.\w+\.[0-9a-f]{64}$/)
      }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around: feed.around, storage: layer })))
    )
  })

  it("and cannot be read is one exception with the content as it came, however often it is read", () => {
    const feed = readable()
    const { away, layer } = partlyAway()
    const lost = `ofr_${"0".repeat(25)}2`
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const sent = { _tag: "nonsense", resource_id: lost, foo: "1", bar: ["2"] } as never
        away.add(lost)
        feed.events.push(sent)
        yield* feed.read(2)
        away.clear()
        yield* m.advance(60)
        assert.strictEqual(yield* (yield* Inbox).receive(feed.name, sent), "duplicate")
        const { items } = yield* (yield* Exceptions).list({ reason: "unreadable_event" })
        assert.deepEqual(
          items.map(({ provider_event }) => provider_event),
          [{ _tag: "nonsense", resource_id: lost, other_members: ["foo", "bar"] }]
        )
      }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around: feed.around, storage: layer })))
    )
  })

  it("and cannot be kept either is read again from the same cursor", () => {
    const feed = readable()
    const { away, layer } = partlyAway()
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, feed.name)
        yield* feed.read(1)
        feed.events.push(payinEvent({ event_id: target, payin_id: target, target, amount: "10" }))
        away.add(target)
        // The store does not take the job of the event either.
        away.add("waiting_events.")
        yield* feed.read(2)
        assert.strictEqual((yield* feed.job)?.body["cursor"], "0")
        away.clear()
        yield* feed.read(2)
        assert.strictEqual((yield* m.balance).available, "10.00")
        assert.strictEqual((yield* feed.job)?.body["cursor"], "1")
      }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around: feed.around, storage: layer })))
    )
  })
})

covers("FEED-1")
it("events are read on under one lease after another when their pages take longer than a lease", () => {
  const feed = readable(1, 300)
  const target = freshAddress()
  for (let n = 1; n <= 16; n++)
    feed.events.push(payinEvent({ event_id: `${target}.${n}`, payin_id: `${target}.${n}`, target, amount: "10" }))
  return Effect.runPromise(
    Effect.gen(function* () {
      const dispatcher = yield* Dispatcher
      yield* dispatcher.start()
      // A reader that loses its lease begins again from the first page, and so does the next one.
      while ((yield* feed.job)?.body["cursor"] !== "16" && feed.asked.length < 60) yield* Effect.sleep(20)
      assert.strictEqual((yield* feed.job)?.body["cursor"], "16")
    }).pipe(
      Effect.scoped,
      Effect.provide(makeSimulatedEngine({ around: feed.around })),
      Effect.provideService(JobLease, 900)
    )
  )
})
