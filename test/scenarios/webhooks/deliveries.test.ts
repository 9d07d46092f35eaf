import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Deliveries, DeliverySchedule } from "../../../src/engine/work/deliveries.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { EMPTY, Storage } from "../../../src/engine/ports/Storage.ts"
import {
  atStart,
  call,
  claimDue,
  makeSink,
  MERCHANT,
  publish,
  runDue,
  START,
  makeEndpointEngine
} from "../../support/webhooks/endpoints.ts"
import type { WebhookEndpointData } from "../../../src/machines/webhooks/webhook-endpoint.ts"
import { covers } from "../../support/repository/covers.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1000)

const scenario = <A, E>(
  name: string,
  body: (
    sink: ReturnType<typeof makeSink>
  ) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof makeEndpointEngine>>>,
  delays_ms: ReadonlyArray<number> = schedule
) => {
  it.effect(name, () => {
    const sink = makeSink()
    const layer = makeEndpointEngine(sink).pipe(Layer.provide(Layer.succeed(DeliverySchedule, { delays_ms })))
    return Effect.andThen(atStart, body(sink)).pipe(Effect.provide(layer))
  })
}

const active = Effect.gen(function* () {
  const endpoints = yield* WebhookEndpoints
  const { id } = yield* endpoints.create(call(), { url: "https://receiver.example/" })
  yield* endpoints.update(call(), id, { active: true })
  return id
})

const logOf = (id: string) => Effect.flatMap(WebhookEndpoints, (it) => it.deliveries(call(), id, {}))
const rowOf = (id: string) => Effect.flatMap(Storage, (it) => it.find("webhook_endpoint", id))

/** Lets time pass to the next attempt, and makes it. Gives how long that was. */
const next = Effect.gen(function* () {
  const storage = yield* Storage
  const due = yield* storage.nextDue(["delivery"])
  const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
  assert.exists(due)
  yield* TestClock.adjust(due - now)
  assert.strictEqual(yield* runDue, 1)
  return due - now
})

describe("a delivery that fails", () => {
  scenario("is delayed by the attempts that were made: claims without one do not count", (sink) =>
    Effect.gen(function* () {
      yield* active
      yield* publish("transfer.success")
      sink.answers.push(...Array.from({ length: 3 }, () => ({ error: "status 500", response_status: 500 })))
      for (const delay of schedule.slice(0, 3)) {
        // Claimed by a process that gave it back, several times.
        for (let n = 0; n < 3; n++) assert.strictEqual((yield* claimDue(0)).length, 1)
        assert.strictEqual(yield* runDue, 1)
        const storage = yield* Storage
        const due = yield* storage.nextDue(["delivery"])
        const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
        assert.approximately(due! - now, delay, delay / 10 + 1)
        yield* TestClock.adjust(due! - now)
      }
    })
  )

  covers("DELIVERY-10", "DELIVERY-4")
  scenario("is tried ten times over the schedule, each delay within a tenth of it, and is then failed", (sink) =>
    Effect.gen(function* () {
      const id = yield* active
      sink.answers.push(...Array.from({ length: 10 }, () => ({ response_status: 500 })))
      yield* publish("transfer.success")
      yield* runDue
      const waited: Array<number> = []
      for (let n = 0; n < 9; n++) {
        const [before] = (yield* logOf(id)).items
        assert.deepInclude(before, { status: "pending" })
        assert.strictEqual(before?.attempts.length, n + 1)
        waited.push(yield* next)
        assert.approximately(waited[n] ?? 0, schedule[n] ?? 0, (schedule[n] ?? 0) / 10 + 1)
      }
      assert.isTrue(
        waited.some((ms, n) => ms !== schedule[n]),
        "no jitter"
      )
      const [after] = (yield* logOf(id)).items
      assert.deepInclude(after, { status: "failed", next_attempt_at: null })
      assert.exists(after)
      assert.strictEqual(after.attempts.length, 10)
      assert.strictEqual(after.attempts[9]?.error, "returned HTTP 500")
      assert.strictEqual(new Set(sink.deliveries.map((one) => `${one.message_id} ${one.body}`)).size, 1)
      assert.isUndefined(yield* Effect.flatMap(Storage, (it) => it.nextDue(["delivery"])))
    })
  )

  scenario("is delivered as soon as one attempt is acknowledged, and not sent again", (sink) =>
    Effect.gen(function* () {
      const id = yield* active
      sink.answers.push({ response_status: null, error: "no response within 15000 ms" }, { response_status: 302 })
      yield* publish("transfer.success")
      yield* runDue
      yield* next
      yield* next
      const [one] = (yield* logOf(id)).items
      assert.deepInclude(one, { status: "delivered", next_attempt_at: null })
      assert.deepStrictEqual(
        one?.attempts.map(({ response_status, error }) => [response_status, error]),
        [
          [null, "no response within 15000 ms"],
          [302, "returned HTTP 302"],
          [200, null]
        ]
      )
      yield* TestClock.adjust(30 * DAY)
      assert.strictEqual(yield* runDue, 0)
      assert.strictEqual(sink.deliveries.length, 3)
    })
  )

  covers("DELIVERY-10")
  scenario("waits as long as the receiver asks, where that is longer, and a day at most", (sink) =>
    Effect.gen(function* () {
      yield* active
      sink.answers.push(
        { response_status: 503, retry_after_ms: 60_000 },
        { response_status: 429, retry_after_ms: 1000 },
        { response_status: 429, retry_after_ms: 300 * DAY }
      )
      yield* publish("transfer.success")
      yield* runDue
      assert.strictEqual(yield* next, 60_000)
      assert.isAtLeast(yield* next, 270_000)
      assert.strictEqual(yield* next, DAY)
    })
  )

  scenario(
    "is not tried again where the schedule is empty",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        sink.answers.push({ response_status: 500 })
        yield* publish("transfer.success")
        yield* runDue
        assert.deepInclude((yield* logOf(id)).items[0], { status: "failed", next_attempt_at: null })
      }),
    []
  )

  covers("DELIVERY-9")
  scenario("holds back no other event of the endpoint", (sink) =>
    Effect.gen(function* () {
      const id = yield* active
      sink.answers.push({ response_status: 500 })
      yield* publish("transfer.processing")
      yield* runDue
      yield* publish("transfer.success")
      yield* runDue
      assert.deepStrictEqual((yield* logOf(id)).items.map(({ status }) => status).sort(), ["delivered", "pending"])
    })
  )
})

describe("an endpoint", () => {
  covers("DELIVERY-8")
  scenario("that says it is gone is switched off in the commit that records it, and gets nothing more", (sink) =>
    Effect.gen(function* () {
      const id = yield* active
      sink.answers.push({ response_status: 410 })
      yield* publish("transfer.success")
      yield* runDue
      assert.deepInclude((yield* logOf(id)).items[0], { status: "failed", next_attempt_at: null })
      assert.deepInclude(yield* rowOf(id), { state: "inactive" })
      yield* publish("transfer.failed")
      assert.strictEqual(yield* runDue, 0)
      assert.strictEqual(sink.deliveries.length, 1)
    })
  )

  covers("DELIVERY-8")
  scenario("that has moved while its old address says that it is gone stays active, and is sent it again", (sink) =>
    Effect.gen(function* () {
      const id = yield* active
      yield* publish("transfer.success")
      const [job] = yield* claimDue()
      const deliveries = yield* Deliveries
      const endpoints = yield* WebhookEndpoints
      // The endpoint was read for another attempt, and is on its way with its old address.
      yield* publish("transfer.processing")
      assert.strictEqual(yield* runDue, 1)
      const url = "https://moved.example/"
      yield* endpoints.update(call(), id, { url })
      sink.answers.push({ response_status: 410 })
      yield* deliveries.run(job!)
      assert.strictEqual(sink.deliveries.at(-1)?.url, "https://receiver.example/")
      assert.deepInclude(yield* rowOf(id), { state: "active" })
      yield* next
      assert.strictEqual(sink.deliveries.at(-1)?.url, url)
      assert.deepStrictEqual(
        (yield* logOf(id)).items.map(({ status }) => status),
        ["delivered", "delivered"]
      )
    })
  )

  /** Events that fail, one every `hours`, `count` of them; retries of the earlier ones are left out. */
  const failures = (sink: ReturnType<typeof makeSink>, count: number, hours: number) =>
    Effect.gen(function* () {
      for (let n = 0; n < count; n++) {
        if (n > 0) yield* TestClock.adjust(hours * HOUR)
        sink.answers.push({ response_status: 500 })
        yield* publish("transfer.success")
        yield* runDue
      }
    })
  /** Each event is tried once. */
  const once: ReadonlyArray<number> = []

  covers("DELIVERY-8", "WEBHOOK-13")
  scenario(
    "that failed for five days with nothing acknowledged is switched off, and gets what it missed by a replay",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        yield* failures(sink, 10, 12)
        yield* TestClock.adjust(12 * HOUR - 1)
        yield* failures(sink, 1, 0)
        assert.deepInclude(yield* rowOf(id), { state: "active" })
        yield* TestClock.adjust(1)
        yield* failures(sink, 1, 0)
        assert.deepInclude(yield* rowOf(id), { state: "inactive" })
        assert.deepInclude((yield* rowOf(id))?.data, { deactivated_for: "failing" })
        const before = sink.deliveries.length
        yield* publish("transfer.success")
        yield* TestClock.adjust(20 * DAY)
        yield* runDue
        assert.strictEqual(sink.deliveries.length, before)
        const endpoints = yield* WebhookEndpoints
        const { items } = yield* endpoints.deliveries(call(), id, { per_page: 50 })
        assert.deepStrictEqual([items.length, new Set(items.map(({ status }) => status))], [12, new Set(["failed"])])
        yield* endpoints.update(call(), id, { active: true })
        const replay = { since: START }
        assert.strictEqual((yield* endpoints.replay(call(), id, replay)).replayed, 13)
        yield* runDue
        assert.strictEqual(sink.deliveries.length, before + 13)
      }),
    once
  )

  scenario(
    "that was silent for a month is not switched off by the failure that ends it, and the month does not count",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        yield* failures(sink, 1, 0)
        yield* TestClock.adjust(30 * DAY)
        yield* failures(sink, 20, 1)
        assert.deepInclude(yield* rowOf(id), { state: "active" })
        yield* TestClock.adjust(30 * DAY)
        // 19 hours stand to its account, and 100 more are left to five days.
        yield* failures(sink, 10, 10)
        assert.deepInclude(yield* rowOf(id), { state: "active" })
        yield* TestClock.adjust(12 * HOUR)
        yield* failures(sink, 1, 0)
        assert.deepInclude(yield* rowOf(id), { state: "inactive" })
      }),
    once
  )

  scenario(
    "that failed nine times in more than five days is not, and is with the tenth",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        yield* failures(sink, 9, 20)
        assert.deepInclude(yield* rowOf(id), { state: "active" })
        yield* TestClock.adjust(HOUR)
        yield* failures(sink, 1, 0)
        assert.deepInclude(yield* rowOf(id), { state: "inactive" })
      }),
    once
  )

  covers("WEBHOOK-13")
  scenario(
    "that moves begins anew: what its old address has failed does not count, and the same address changes nothing",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        const endpoints = yield* WebhookEndpoints
        yield* failures(sink, 9, 20)
        yield* endpoints.update(call(), id, { url: "https://moved.example/" })
        yield* failures(sink, 9, 20)
        assert.deepInclude(yield* rowOf(id), { state: "active" })
        yield* endpoints.update(call(), id, { url: "https://moved.example/", description: "moved" })
        yield* failures(sink, 1, 0)
        assert.deepInclude(yield* rowOf(id), { state: "inactive" })
      }),
    once
  )

  covers("WEBHOOK-13")
  scenario(
    "that moves while attempts are on their way is as its new address is, whatever the old one answers them",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        const endpoints = yield* WebhookEndpoints
        const deliveries = yield* Deliveries
        for (const counted of [{ failing_since: null }, { failing_since: START, failures: 1 }]) {
          const [old, next] = [
            `https://old.example/${counted.failing_since}`,
            `https://new.example/${counted.failing_since}`
          ]
          yield* endpoints.update(call(), id, { url: old })
          for (let n = 0; n < 12; n++) yield* publish("transfer.success")
          const under_way = yield* claimDue()
          // What is claimed goes to the address of its claim, which this node still has; another node has the next one.
          yield* deliveries.run(under_way[0]!)
          yield* endpoints.update(call(), id, { url: next })
          if (counted.failing_since !== null) yield* Effect.provide(failures(sink, 1, 0), Layer.fresh(Deliveries.layer))
          const sent = sink.deliveries.length
          for (const [n, job] of under_way.slice(1).entries()) {
            sink.answers.push({ response_status: [500, 410, 200][n % 3]! })
            yield* deliveries.run(job)
          }
          assert.deepStrictEqual(new Set(sink.deliveries.slice(sent).map(({ url }) => url)), new Set([old]))
          assert.deepInclude(yield* rowOf(id), { state: "active" })
          assert.deepInclude((yield* rowOf(id))?.data, { url: next, ...counted })
        }
      }),
    once
  )

  scenario(
    "that acknowledges what was sent before another failed begins anew",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        yield* publish("transfer.success")
        yield* publish("transfer.failed")
        const [slow, quick] = yield* claimDue()
        const deliveries = yield* Deliveries
        // The first is on its way while the second fails.
        sink.answers.push({ response_status: 500 })
        yield* deliveries.run(quick!)
        assert.deepInclude((yield* rowOf(id))?.data, { failing_since: START, failures: 1 })
        yield* deliveries.run(slow!)
        assert.deepInclude((yield* rowOf(id))?.data, { failing_since: null, failed_at: null, failures: 0 })
      }),
    once
  )

  scenario(
    "that is down is written by the hour, not by each attempt",
    (sink) =>
      Effect.gen(function* () {
        const id = yield* active
        yield* failures(sink, 10, 0)
        const { version } = (yield* rowOf(id))!
        yield* failures(sink, 50, 0)
        assert.strictEqual((yield* rowOf(id))?.version, version)
        yield* TestClock.adjust(HOUR)
        yield* failures(sink, 50, 0)
        assert.strictEqual((yield* rowOf(id))?.version, version + 1)
      }),
    once
  )

  scenario("that acknowledged once meanwhile is not, and neither is one switched on again", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const id = yield* active
      const fail = Effect.suspend(() => {
        sink.answers.push({ response_status: 500 })
        return Effect.andThen(publish("transfer.success"), runDue)
      })
      yield* fail
      assert.deepInclude((yield* rowOf(id))?.data, { failing_since: START })
      yield* next
      assert.deepInclude((yield* rowOf(id))?.data, { failing_since: null })
      yield* TestClock.adjust(5 * DAY)
      yield* fail
      assert.deepInclude(yield* rowOf(id), { state: "active" })
      yield* endpoints.update(call(), id, { active: false })
      yield* TestClock.adjust(5 * DAY)
      yield* runDue
      yield* endpoints.update(call(), id, { active: true })
      yield* fail
      assert.deepInclude(yield* rowOf(id), { state: "active" })
    })
  )

  scenario("that is well is not written by its deliveries", () =>
    Effect.gen(function* () {
      const id = yield* active
      const before = yield* rowOf(id)
      for (let n = 0; n < 5; n++) yield* publish("transfer.success")
      assert.strictEqual(yield* runDue, 5)
      assert.deepStrictEqual(yield* rowOf(id), before)
    })
  )

  scenario("that is switched off while events wait gets none of them, and their record says so", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const id = yield* active
      yield* publish("transfer.success")
      yield* endpoints.update(call(), id, { active: false })
      yield* runDue
      assert.strictEqual(sink.deliveries.length, 0)
      assert.deepInclude((yield* logOf(id)).items[0], {
        status: "failed",
        attempts: [
          {
            at: "2026-01-01T00:00:00.000Z",
            response_status: null,
            error: "not sent: the endpoint is inactive",
            duration_ms: 0,
            request: null,
            response_body: null
          }
        ]
      })
    })
  )

  scenario("whose twenty deliveries fail at once begins to fail once, and counts ten", (sink) =>
    Effect.gen(function* () {
      const id = yield* active
      for (let n = 0; n < 20; n++) {
        sink.answers.push({ response_status: 500 })
        yield* publish("transfer.success")
      }
      const running = yield* Effect.forkChild(runDue)
      // Conflicting writes pause before they decide again.
      for (let n = 0; n < 100; n++) yield* TestClock.adjust(10)
      yield* running.pollUnsafe() ?? Effect.die("still running")
      assert.deepInclude((yield* rowOf(id))?.data, { failing_since: START })
      // As many as are counted are written.
      assert.strictEqual((yield* rowOf(id))?.version, 12)
      assert.isTrue((yield* logOf(id)).items.every((one) => one.attempts.length === 1 && one.status === "pending"))
    })
  )
})

describe("a settlement", () => {
  scenario("under a lease that was lost meanwhile changes nothing", (sink) =>
    Effect.gen(function* () {
      const { run } = yield* Deliveries
      const id = yield* active
      yield* publish("transfer.success")
      const [stale] = yield* claimDue(1000)
      assert.exists(stale)
      yield* TestClock.adjust(1001)
      sink.answers.push({ response_status: 500 })
      assert.strictEqual(yield* runDue, 1)
      const before = yield* logOf(id)
      yield* run(stale)
      assert.deepStrictEqual(yield* logOf(id), before)
      // At least once: it was sent twice, under one id.
      assert.strictEqual(sink.deliveries.length, 2)
      assert.strictEqual(new Set(sink.deliveries.map((one) => one.message_id)).size, 1)
    })
  )

  scenario("of an event that is not stored is a failure that says so", (sink) =>
    Effect.gen(function* () {
      const { run } = yield* Deliveries
      const storage = yield* Storage
      const id = yield* active
      yield* publish("transfer.success")
      const [job] = yield* claimDue()
      assert.exists(job)
      const { payload: _, ...bare } = job
      yield* run(bare)
      assert.strictEqual(sink.deliveries.length, 0)
      assert.deepInclude((yield* logOf(id)).items[0], { status: "failed" })
      assert.strictEqual(
        (yield* storage.jobs({ merchant_id: MERCHANT, queue: "delivery", offset: 0, limit: 9 })).total,
        1
      )
    })
  )

  scenario(
    "does not come about when the secret cannot be opened: the job stays leased, and nothing is sent unsigned",
    (sink) =>
      Effect.gen(function* () {
        const { run } = yield* Deliveries
        const storage = yield* Storage
        const id = yield* active
        const row = yield* rowOf(id)
        assert.exists(row)
        const current = (row.data as WebhookEndpointData).secrets[0]!.sealed.slice(0, 9)
        yield* storage.commit({
          merchant_id: MERCHANT,
          at: START,
          idempotency: { key: "tamper", fingerprint: "", response: null, expires_at: null },
          ...EMPTY,
          rows: [
            {
              ...row,
              version: row.version + 1,
              via: "test",
              from: null,
              data: { ...(row.data as object), secrets: [{ sealed: `${current}AAAA`, until: null }] }
            }
          ]
        })
        yield* publish("transfer.success")
        const [job] = yield* claimDue()
        assert.exists(job)
        assert.isTrue(Exit.hasDies(yield* Effect.exit(run(job))))
        assert.strictEqual(sink.deliveries.length, 0)
        assert.deepInclude((yield* logOf(id)).items[0], { status: "pending", attempts: [] })
      })
  )

  covers("SERVICE-32")
  scenario(
    "is left to other nodes while this one lacks the key of the secret, with the reason once and no turn of the schedule taken",
    (sink) =>
      Effect.gen(function* () {
        const { run } = yield* Deliveries
        const storage = yield* Storage
        const id = yield* active
        const row = yield* rowOf(id)
        assert.exists(row)
        const { secrets } = row.data as WebhookEndpointData
        yield* storage.commit({
          merchant_id: MERCHANT,
          at: START,
          idempotency: { key: "tamper", fingerprint: "", response: null, expires_at: null },
          ...EMPTY,
          rows: [
            {
              ...row,
              version: row.version + 1,
              via: "test",
              from: null,
              data: { ...(row.data as object), secrets: [{ sealed: "00000000:AAAA", until: null }] }
            }
          ]
        })
        yield* publish("transfer.success")
        for (let round = 0; round < 3; round++) {
          const [job] = yield* claimDue()
          assert.exists(job)
          yield* run(job)
          const [left] = (yield* logOf(id)).items
          assert.strictEqual(left!.status, "pending")
          assert.deepStrictEqual(
            left!.attempts.map(({ error }) => error),
            ["not sent: the signing secret could not be read; another attempt follows"]
          )
          yield* TestClock.adjust("5 seconds")
        }
        assert.strictEqual(sink.deliveries.length, 0)
        const changed = yield* rowOf(id)
        assert.isNull((changed!.data as WebhookEndpointData).failing_since)
        yield* storage.commit({
          merchant_id: MERCHANT,
          at: START,
          idempotency: { key: "restored", fingerprint: "", response: null, expires_at: null },
          ...EMPTY,
          rows: [
            {
              ...changed!,
              version: changed!.version + 1,
              via: "test",
              from: null,
              data: { ...(row.data as object), secrets }
            }
          ]
        })
        const [job] = yield* claimDue()
        yield* run(job!)
        assert.strictEqual(sink.deliveries.length, 1)
        assert.strictEqual((yield* logOf(id)).items[0]!.status, "delivered")
      })
  )
})
