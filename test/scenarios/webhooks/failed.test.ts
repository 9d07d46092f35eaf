/** What an endpoint has not got: how it does, and sending all of it again. */
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { AuditEntryKind } from "../../../src/engine/commit/audit.ts"
import { deriveRedeliveryId, Ids } from "../../../src/engine/ports/Ids.ts"
import { EMPTY, Storage } from "../../../src/engine/ports/Storage.ts"
import { markForgotten } from "../../../src/engine/settings/retention.ts"
import { AllWebhookEndpoints } from "../../../src/engine/reports/webhook-endpoints.ts"
import { REPLAY_MAX, WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import {
  active,
  call,
  MERCHANT,
  publish,
  runDue,
  scenario,
  type Sink,
  START,
  url
} from "../../support/webhooks/endpoints.ts"

const DAY = 86_400_000

const sayNo = (sink: Sink, times: number): void => {
  for (let n = 0; n < times; n++) sink.answers.push({ response_status: 500, error: "the receiver answered 500" })
}

/** Deliveries that failed and are not tried again, as the store has them, one for each event. */
const fail = Effect.fnUntraced(function* (endpoint: string, events: ReadonlyArray<string>, at: number) {
  const storage = yield* Storage
  const jobs = events.map((event_id) => ({
    id: deriveRedeliveryId(event_id, event_id),
    queue: "delivery" as const,
    partition_key: endpoint,
    status: "failed",
    due_at: null,
    attempt: 1,
    created_at: at,
    body: { event_id, event_type: "transfer.success" },
    log: []
  }))
  const idempotency = { key: `fail/${events[0]}`, fingerprint: "", response: null, expires_at: null }
  const { _tag } = yield* storage.commit({ ...EMPTY, merchant_id: MERCHANT, at, idempotency, jobs })
  assert.strictEqual(_tag, "Committed")
})

/** Publishes an event whose only delivery the endpoint has lost: it was inactive when it was due. */
const lose = Effect.fnUntraced(function* (id: string) {
  const endpoints = yield* WebhookEndpoints
  const event = yield* publish("transfer.success")
  yield* endpoints.update(call(), id, { active: false })
  yield* runDue
  yield* endpoints.update(call(), id, { active: true })
  return event
})

describe("all that failed", () => {
  covers("WEBHOOK-15")
  scenario("is sent again: what has failed and has not arrived, once, however often it is asked for", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      const arrived = yield* publish("transfer.success")
      yield* runDue
      const lost = [yield* lose(id), yield* lose(id)]
      // It failed, was sent again by hand, and arrived.
      const mended = yield* lose(id)
      yield* endpoints.replay(call(), id, { event_id: mended })
      yield* runDue
      // It is tried again by its schedule.
      sayNo(sink, 1)
      const waiting = yield* publish("transfer.failed")
      yield* runDue
      sink.deliveries.length = 0
      assert.deepStrictEqual(yield* endpoints.replayFailed(call(), id), { id, replayed: 2, remaining: 0 })
      assert.deepStrictEqual(yield* endpoints.replayFailed(call(), id), { id, replayed: 0, remaining: 0 })
      yield* runDue
      assert.deepStrictEqual(yield* endpoints.replayFailed(call(), id), { id, replayed: 0, remaining: 0 })
      assert.deepStrictEqual(
        sink.deliveries.map(({ message_id }) => message_id),
        lost.map((event) => `msg_${event}`)
      )
      assert.notInclude(lost, arrived)
      assert.notInclude(lost, waiting)
    })
  )

  scenario("is sent once by two who ask at the same time", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      for (let n = 0; n < 3; n++) yield* lose(id)
      const asking = yield* Effect.all([endpoints.replayFailed(call(), id), endpoints.replayFailed(call(), id)], {
        concurrency: 2
      }).pipe(Effect.forkChild)
      yield* TestClock.adjust("1 minute")
      const answers = yield* Fiber.join(asking)
      assert.deepStrictEqual(answers.map(({ replayed }) => replayed).toSorted(), [0, 3])
      sink.deliveries.length = 0
      yield* runDue
      assert.strictEqual(sink.deliveries.length, 3)
    })
  )

  scenario("is no ping, nothing of another endpoint, and nothing that is no longer kept", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const storage = yield* Storage
      const { id } = yield* active
      yield* lose(id)
      yield* TestClock.adjust(10 * DAY)
      yield* markForgotten(storage, START + DAY, 0)
      yield* lose(id)
      const other = yield* active
      sayNo(sink, 1)
      yield* endpoints.ping(call(), id)
      yield* runDue
      assert.strictEqual((yield* endpoints.replayFailed(call(), other.id)).replayed, 0)
      assert.strictEqual((yield* endpoints.replayFailed(call(), id)).replayed, 1)
    })
  )

  scenario("is read once, however much has failed", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const ids = yield* Ids
      const storage = yield* Storage
      let read = 0
      const count = (n: number) => Effect.sync(() => void (read += n))
      const { jobs, jobsAfter, jobsBeginning } = storage
      Object.assign(storage, {
        // Its total is counted over all.
        jobs: (...query: Parameters<typeof jobs>) => Effect.tap(jobs(...query), ({ total }) => count(total)),
        jobsAfter: (...walk: Parameters<typeof jobsAfter>) =>
          Effect.tap(jobsAfter(...walk), ({ length }) => count(length)),
        jobsBeginning: (...of: Parameters<typeof jobsBeginning>) =>
          Effect.tap(jobsBeginning(...of), ({ length }) => count(length))
      })
      const reads: Array<number> = []
      for (const size of [1_000, 2_000, 4_000]) {
        const { id } = yield* active
        const events: Array<string> = []
        for (let n = 0; n < size; n++) {
          if (n % 20 === 0) yield* TestClock.adjust(1)
          events.push(yield* ids.make("evt"))
        }
        yield* fail(id, events, START)
        read = 0
        assert.strictEqual((yield* endpoints.replayFailed(call(), id)).replayed, size)
        reads.push(read / size)
      }
      // Each failed delivery, and what else was sent of its event: twice.
      assert.deepStrictEqual(reads, [2, 2, 2])
    })
  )

  scenario("is at most 5,000 events at once, the oldest first, and says how many are left", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      yield* endpoints.update(call(), id, { active: false })
      const events: Array<string> = []
      for (let n = 0; n < REPLAY_MAX + 2; n++) {
        if (n % 300 === 0) yield* TestClock.adjust(1)
        events.push(yield* publish("transfer.success"))
      }
      yield* fail(id, events, START)
      yield* endpoints.update(call(), id, { active: true })
      assert.deepStrictEqual(yield* endpoints.replayFailed(call(), id), { id, replayed: REPLAY_MAX, remaining: 2 })
      assert.deepStrictEqual(yield* endpoints.replayFailed(call(), id), { id, replayed: 2, remaining: 0 })
      for (let n = 0; n < 6; n++) yield* runDue
      assert.deepStrictEqual(
        sink.deliveries.map(({ message_id }) => message_id),
        events.map((event) => `msg_${event}`)
      )
    })
  )

  scenario("needs an active endpoint of the caller's", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* endpoints.create(call(), { url })
      assert.strictEqual((yield* Effect.flip(endpoints.replayFailed(call(), id)))._tag, "InvalidStatus")
      const other = call({ merchant_id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w4" })
      assert.strictEqual((yield* Effect.flip(endpoints.replayFailed(other, id)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(endpoints.health(other, id)))._tag, "NotFound")
    })
  )
})

describe("the health of an endpoint", () => {
  covers("WEBHOOK-14")
  scenario("is its last attempt, what its newest deliveries came to, and since when it fails", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      assert.deepStrictEqual(yield* endpoints.health(call(), id), {
        id,
        health: "healthy",
        failing_since: null,
        deactivated_for: null,
        last_attempt: null,
        deliveries: 0,
        since: null,
        delivered: 0,
        failed: 0,
        pending: 0,
        attempted: 0,
        success_share: null,
        by_event_type: []
      })
      yield* publish("deposit.confirmed")
      yield* publish("transfer.success")
      yield* runDue
      yield* TestClock.adjust(1000)
      const lost = yield* lose(id)
      yield* TestClock.adjust(1000)
      sayNo(sink, 1)
      const failing = yield* publish("transfer.success")
      yield* runDue
      assert.deepStrictEqual(yield* endpoints.health(call(), id), {
        id,
        health: "failing",
        failing_since: "2026-01-01T00:00:02.000Z",
        deactivated_for: null,
        last_attempt: {
          event_id: failing,
          event_type: "transfer.success",
          at: "2026-01-01T00:00:02.000Z",
          response_status: 500,
          error: "the receiver answered 500"
        },
        deliveries: 4,
        since: "2026-01-01T00:00:00.000Z",
        delivered: 2,
        failed: 1,
        pending: 1,
        attempted: 3,
        success_share: "0.6666",
        by_event_type: [
          { event_type: "transfer.success", attempts: 2, delivered: 1, failed: 1, pending: 1 },
          { event_type: "deposit.confirmed", attempts: 1, delivered: 1, failed: 0, pending: 0 }
        ]
      })
      assert.notStrictEqual(lost, failing)
      yield* publish("deposit.confirmed")
      const { attempted, deliveries, success_share } = yield* endpoints.health(call(), id)
      assert.deepStrictEqual([attempted, deliveries, success_share], [3, 5, "0.6666"])
      yield* endpoints.replayFailed(call(), id)
      yield* runDue
      assert.strictEqual((yield* endpoints.health(call(), id)).health, "healthy")
    })
  )

  scenario("says why the service switched it off, and nothing of it where the merchant did", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      sink.answers.push({ response_status: 410, error: "the receiver answered 410" })
      yield* publish("transfer.success")
      yield* runDue
      const of = Effect.map(endpoints.health(call(), id), ({ deactivated_for, health }) => [health, deactivated_for])
      assert.deepStrictEqual(yield* of, ["inactive", "gone"])
      yield* endpoints.update(call(), id, { active: true })
      assert.deepStrictEqual(yield* of, ["healthy", null])
      yield* endpoints.update(call(), id, { active: false })
      assert.deepStrictEqual(yield* of, ["inactive", null])
    })
  )

  scenario("counts the newest hundred deliveries, and says from when they are", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      yield* lose(id)
      yield* TestClock.adjust(1000)
      for (let n = 0; n < 100; n++) yield* publish("transfer.success")
      yield* runDue
      const { attempted, delivered, deliveries, failed, since, success_share } = yield* endpoints.health(call(), id)
      assert.deepStrictEqual(
        { attempted, delivered, deliveries, failed, since, success_share },
        {
          attempted: 100,
          delivered: 100,
          deliveries: 100,
          failed: 0,
          since: "2026-01-01T00:00:01.000Z",
          success_share: "1.0000"
        }
      )
    })
  )
})

onEveryStore("an operator", (run) => {
  covers("DELIVERY-14", "AUDIT-1")
  it("lists the endpoints of all merchants by their health, and sends again what failed, which is audited", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const endpoints = yield* WebhookEndpoints
        const all = yield* AllWebhookEndpoints
        const storage = yield* Storage
        const { id } = yield* endpoints.create(m.caller, { url: "http://127.0.0.1:9/hook", categories: ["transfer"] })
        const spare = yield* endpoints.create(m.caller, { url: "http://127.0.0.1:9/spare" })
        yield* endpoints.update(m.caller, id, { active: true })
        const transfer = yield* m.transfer("10")
        yield* m.settle
        yield* m.says(transfer.id, "success")
        yield* m.settle
        const idsOf = (health?: "healthy" | "failing" | "inactive") =>
          Effect.map(all.list(health === undefined ? {} : { health }), ({ items }) => items.map((one) => one.id))
        expect(new Set(yield* idsOf())).toEqual(new Set([id, spare.id]))
        expect(yield* idsOf("failing")).toEqual([id])
        expect(yield* idsOf("inactive")).toEqual([spare.id])
        expect(yield* idsOf("healthy")).toEqual([])
        expect((yield* all.list({ merchant_id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w9" })).total).toBe(0)
        const { body } = yield* all.get(id)
        expect(body).toMatchObject({ merchant_id: m.caller.merchant_id, health: "failing", deactivated_for: null })
        expect(body.merchant_name).not.toBeNull()
        expect((yield* endpoints.anyHealth(m.operator, id)).last_attempt?.response_status).toBe(503)
        // What is due while it is inactive fails.
        yield* endpoints.update(m.caller, id, { active: false })
        yield* m.advance(600)
        expect((yield* Effect.flip(endpoints.replayAnyFailed(m.operator, id)))._tag).toBe("InvalidStatus")
        yield* endpoints.update(m.caller, id, { active: true })
        const operator = {
          ...m.operator,
          operator: { id: "opr_1", name: "Ada Obi", role: "support" as const },
          note: "mended"
        }
        const sent = yield* endpoints.replayAnyFailed(operator, id)
        expect(sent.replayed).toBeGreaterThan(0)
        const { items } = yield* storage.list({
          kinds: [AuditEntryKind.kind],
          index_keys: [`resource_id=${id}`],
          offset: 0,
          limit: 10
        })
        expect(items.map(({ data }) => (data as { readonly note: string }).note)).toEqual(["mended"])
        expect(yield* endpoints.replayAnyFailed(operator, id)).toEqual({ id, replayed: 0, remaining: 0 })
        yield* endpoints.remove(m.caller, spare.id)
        expect((yield* Effect.flip(all.get(spare.id)))._tag).toBe("NotFound")
        expect((yield* Effect.flip(endpoints.anyHealth(m.operator, spare.id)))._tag).toBe("NotFound")
      }),
      {
        webhooks: MemoryWebhookSink.layer({
          answer: () => ({ response_status: 503, error: "the receiver answered 503" })
        })
      }
    ))
})
