import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { categories } from "../../../src/engine/reference/vocabulary.ts"
import { Events } from "../../../src/engine/resources/webhooks/event.ts"
import {
  CreateWebhookEndpoint,
  ListDeliveries,
  ReplayWebhookEndpoint,
  WebhookEndpoints
} from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { decode, findFaults } from "../../../src/engine/input/validation.ts"
import { active, call, MERCHANT, publish, runDue, scenario, START, url } from "../../support/webhooks/endpoints.ts"
import { covers } from "../../support/repository/covers.ts"

const DAY = 86_400_000

describe("an endpoint", () => {
  covers("WEBHOOK-4", "WEBHOOK-1", "SIGNATURE-1", "WEBHOOK-2")
  scenario("is inactive when made, has all categories unless told, and shows its secret once", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const made = yield* endpoints.create(call(), { url, description: "books" })
      assert.match(made.id, /^whe_[0-9a-z]{26}$/)
      assert.match(made.signing_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const { signing_secret: _, ...shown } = made
      assert.deepStrictEqual(shown, {
        id: made.id,
        url,
        description: "books",
        categories,
        active: false,
        created_at: "2026-01-01T00:00:00.000Z",
        updated_at: "2026-01-01T00:00:00.000Z"
      })
      assert.deepStrictEqual(yield* endpoints.get(call(), made.id), { body: shown, version: "1" })
      assert.deepStrictEqual((yield* endpoints.list(call(), {})).items, [shown])
    })
  )

  covers("SERVICE-7")
  scenario("keeps its secret sealed in the store, and in the answer kept for a repeat", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const storage = yield* Storage
      const idempotency = { key: "same-key-1", fingerprint: "f" }
      const made = yield* endpoints.create(call({ idempotency }), { url })
      const secret = made.signing_secret.slice(6)
      assert.notInclude(JSON.stringify(yield* storage.find("webhook_endpoint", made.id)), secret)
      const kept = yield* storage.idempotencyRecord(MERCHANT, "idem/same-key-1", START)
      assert.match(kept?.response ?? "", /^sealed:/)
    })
  )

  scenario("takes each category once, in one order", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const made = yield* endpoints.create(call(), { url, categories: ["kyc", "transfer", "kyc"] })
      assert.deepStrictEqual(made.categories, ["transfer", "kyc"])
    })
  )

  scenario("is refused where the sink refuses its url, and then nothing is made", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      sink.check = () => "The url must not point to a private address."
      const refused = yield* Effect.flip(endpoints.create(call(), { url }))
      assert.strictEqual(refused._tag, "InvalidInput")
      assert.deepInclude("errors" in refused ? refused.errors[0] : {}, {
        field: "url",
        message: "The url must not point to a private address."
      })
      assert.strictEqual((yield* endpoints.list(call(), {})).total, 0)
      sink.check = () => null
      const made = yield* endpoints.create(call(), { url })
      sink.check = () => "No."
      assert.strictEqual(
        (yield* Effect.flip(endpoints.update(call(), made.id, { url: "https://10.0.0.1/" })))._tag,
        "InvalidInput"
      )
      assert.strictEqual((yield* endpoints.get(call(), made.id)).body.url, url)
    })
  )

  covers("WEBHOOK-2")
  scenario("is one of at most twenty, however many are made at once, and a deletion makes room", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const creations = yield* Effect.forEach(
        Array.from({ length: 30 }),
        () => Effect.result(endpoints.create(call(), { url })),
        {
          concurrency: 30
        }
      ).pipe(Effect.forkChild)
      // Conflicting writes pause before they decide again.
      yield* TestClock.adjust("10 minutes")
      const made = yield* Fiber.join(creations)
      const refused = made.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))
      const kept = made.flatMap((one) => (one._tag === "Success" ? [one.success.id] : []))
      assert.isAtMost(kept.length, 20)
      assert.isTrue(refused.every((tag) => tag === "InvalidStatus" || tag === "Conflict"))
      for (let n = kept.length; n < 20; n++) yield* endpoints.create(call(), { url })
      assert.strictEqual((yield* Effect.flip(endpoints.create(call(), { url })))._tag, "InvalidStatus")
      assert.strictEqual((yield* endpoints.list(call(), {})).total, 20)
      yield* endpoints.remove(call(), kept[0] ?? "")
      yield* endpoints.create(call(), { url })
      assert.strictEqual((yield* Effect.flip(endpoints.create(call(), { url })))._tag, "InvalidStatus")
      yield* endpoints.create(call({ merchant_id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w4" }), { url })
    })
  )

  scenario("is nobody else's", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      const other = call({ merchant_id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w4" })
      for (const attempt of [
        endpoints.get(other, id),
        endpoints.update(other, id, { active: false }),
        endpoints.remove(other, id),
        endpoints.rotateSecret(other, id),
        endpoints.replay(other, id, { since: 0 }),
        endpoints.ping(other, id),
        endpoints.deliveries(other, id, {})
      ]) {
        assert.strictEqual((yield* Effect.flip(attempt as Effect.Effect<unknown, { _tag: string }>))._tag, "NotFound")
      }
    })
  )

  scenario("changed under another version than was read is left as it is", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      assert.strictEqual(
        (yield* Effect.flip(endpoints.update(call({ if_match: "1" }), id, { active: false })))._tag,
        "Conflict"
      )
      assert.strictEqual((yield* Effect.flip(endpoints.remove(call({ if_match: "1" }), id)))._tag, "Conflict")
      assert.isFalse((yield* endpoints.update(call({ if_match: "2" }), id, { active: false })).active)
    })
  )

  scenario("once deleted is gone, gets nothing, and has no secret left", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const storage = yield* Storage
      const { id } = yield* active
      yield* publish("transfer.success")
      assert.deepStrictEqual(yield* endpoints.remove(call(), id), { id, success: true })
      yield* publish("transfer.failed")
      yield* runDue
      assert.strictEqual(sink.deliveries.length, 0)
      assert.strictEqual((yield* Effect.flip(endpoints.get(call(), id)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(endpoints.remove(call(), id)))._tag, "NotFound")
      assert.strictEqual((yield* endpoints.list(call(), {})).total, 0)
      assert.deepInclude((yield* storage.find("webhook_endpoint", id))?.data, { secrets: [] })
      const { items } = yield* storage.jobs({ merchant_id: MERCHANT, queue: "delivery", offset: 0, limit: 10 })
      assert.deepStrictEqual(
        items.map(({ status }) => status),
        ["failed"]
      )
    })
  )
})

describe("its input", () => {
  it("names every field that is wrong", () => {
    assert.deepStrictEqual(
      findFaults(CreateWebhookEndpoint, { url: "ftp://x", categories: [], description: 7 }).map(({ field, code }) => [
        field,
        code
      ]),
      [
        ["url", "invalid_format"],
        ["description", "invalid_type"],
        ["categories", "invalid_value"]
      ]
    )
    assert.deepInclude(findFaults(CreateWebhookEndpoint, {})[0], { field: "url", code: "required" })
    assert.deepInclude(findFaults(CreateWebhookEndpoint, { url, categories: ["payments"] })[0], {
      code: "invalid_value"
    })
  })

  it.effect("of a replay reads dates and instants, of a list of deliveries its statuses", () =>
    Effect.gen(function* () {
      const read = yield* decode(ReplayWebhookEndpoint, { since: "2026-01-01", until: "2026-01-02" })
      assert.deepStrictEqual(read, { since: START, until: START + 2 * DAY - 1 })
      assert.strictEqual((yield* Effect.flip(decode(ReplayWebhookEndpoint, { since: "yesterday" })))._tag, "BadRequest")
      assert.strictEqual(
        (yield* Effect.flip(decode(ReplayWebhookEndpoint, { event_id: "tfr_1" })))._tag,
        "InvalidInput"
      )
      assert.strictEqual((yield* Effect.flip(decode(ListDeliveries, { status: "lost" }, "query")))._tag, "InvalidInput")
    })
  )
})

describe("events", () => {
  covers("WEBHOOK-3", "WEBHOOK-5")
  scenario("go to the active endpoints of their category, and to no other", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const all = yield* active
      const kyc = yield* endpoints.create(call(), { url: "https://kyc.example/", categories: ["kyc"] })
      yield* endpoints.update(call(), kyc.id, { active: true })
      yield* endpoints.create(call(), { url: "https://inactive.example/" })
      const event = yield* publish("transfer.success")
      assert.strictEqual(yield* runDue, 1)
      assert.deepStrictEqual(
        sink.deliveries.map(({ url, message_id }) => [url, message_id]),
        [[url, `msg_${event}`]]
      )
      const { items } = yield* endpoints.deliveries(call(), all.id, {})
      assert.match(items[0]?.id ?? "", /^dlv_[0-9a-z]{26}$/)
      assert.deepInclude(items[0], {
        event_id: event,
        event_type: "transfer.success",
        status: "delivered",
        next_attempt_at: null
      })
      assert.deepStrictEqual(items[0]?.attempts, [
        {
          at: "2026-01-01T00:00:00.000Z",
          response_status: 200,
          error: null,
          duration_ms: 0,
          request: null,
          response_body: null
        }
      ])
      assert.strictEqual((yield* endpoints.deliveries(call(), kyc.id, {})).total, 0)
    })
  )

  covers("DELIVERY-12")
  scenario("say of each attempt what was sent and how the response began, and are found by their event", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      const request = { url, headers: { "webhook-id": "msg_1" } }
      const answer = { response_status: 500, request, response_body: "<b>no" }
      sink.answers.push(answer, answer)
      const [first, second] = [yield* publish("transfer.success"), yield* publish("transfer.success")]
      assert.strictEqual(yield* runDue, 2)
      const of = (event_id: string, event_type?: string) =>
        endpoints.deliveries(call(), id, { event_id, ...(event_type === undefined ? {} : { event_type }) })
      const failed = yield* of(first)
      assert.strictEqual(failed.total, 1)
      assert.deepInclude(failed.items[0]?.attempts[0], { request, response_body: "<b>no", response_status: 500 })
      assert.deepInclude((yield* of(second, "transfer.success")).items[0], { event_id: second, payload: null })
      assert.strictEqual((yield* of(second, "transfer.failed")).total, 0)
      const ping = yield* endpoints.ping(call(), id)
      assert.include(ping.payload, ping.event_id)
      assert.strictEqual((yield* of(ping.event_id)).items[0]?.payload, ping.payload)
    })
  )

  covers("DELIVERY-7", "WEBHOOK-5")
  scenario("follow a change of categories and of activity from the commit on", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      yield* endpoints.update(call(), id, { categories: ["deposit"] })
      yield* publish("transfer.success")
      yield* publish("deposit.confirmed")
      yield* endpoints.update(call(), id, { active: false })
      yield* endpoints.update(call(), id, { categories: ["transfer"] })
      yield* publish("transfer.failed")
      yield* endpoints.update(call(), id, { active: true, url: "https://new.example/" })
      yield* publish("transfer.processing")
      yield* runDue
      assert.deepStrictEqual(sink.deliveries.map(({ url, body }) => [url, JSON.parse(body).event_type]).sort(), [
        ["https://new.example/", "deposit.confirmed"],
        ["https://new.example/", "transfer.processing"]
      ])
    })
  )

  covers("EVENT-28", "EVENT-29")
  scenario("are listed and read as they were sent, and fed oldest first", (sink) =>
    Effect.gen(function* () {
      yield* active
      const events = yield* Events
      const sent: Array<string> = []
      for (const type of ["transfer.processing", "deposit.received", "transfer.success"]) {
        sent.push(yield* publish(type))
        yield* TestClock.adjust(1000)
      }
      yield* runDue
      const bodies = new Map(sink.deliveries.map(({ body }) => [JSON.parse(body).event_id as string, JSON.parse(body)]))
      for (const id of sent) assert.deepStrictEqual((yield* events.get(call(), id)).body, bodies.get(id))
      assert.deepStrictEqual(
        (yield* events.list(call(), {})).items.map((one) => one.event_id),
        sent.toReversed()
      )
      assert.strictEqual((yield* events.list(call(), { category: "transfer" })).total, 2)
      assert.strictEqual((yield* events.list(call(), { event_type: "transfer.success" })).total, 1)
      assert.deepStrictEqual(
        (yield* events.feed(call(), { limit: 2 })).map((one) => one.event_id),
        sent.slice(0, 2)
      )
      assert.deepStrictEqual(
        (yield* events.feed(call(), { after: sent[1] ?? "" })).map((one) => one.event_id),
        sent.slice(2)
      )
      assert.strictEqual((yield* Effect.flip(events.feed(call(), { after: "evt_unknown" })))._tag, "NotFound")
      const other = call({ merchant_id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w4" })
      assert.strictEqual((yield* Effect.flip(events.get(other, sent[0] ?? "")))._tag, "NotFound")
      assert.deepStrictEqual(yield* events.feed(other, {}), [])
    })
  )
})
