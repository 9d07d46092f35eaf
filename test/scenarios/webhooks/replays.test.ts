import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PREVIOUS_MAX } from "../../../src/machines/webhooks/webhook-endpoint.ts"
import { Events } from "../../../src/engine/resources/webhooks/event.ts"
import {
  type ReplayWebhookEndpoint,
  WebhookEndpoints
} from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { active, call, MERCHANT, publish, runDue, scenario, START, url } from "../../support/webhooks/endpoints.ts"
import { covers } from "../../support/repository/covers.ts"

const DAY = 86_400_000

describe("a rotation", () => {
  covers("WEBHOOK-7")
  scenario("signs with both secrets for a day, and then with the new one alone", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const made = yield* active
      const next = yield* endpoints.rotateSecret(call(), made.id)
      assert.notStrictEqual(next.signing_secret, made.signing_secret)
      yield* publish("transfer.success")
      yield* runDue
      yield* TestClock.adjust(DAY - 1)
      yield* publish("transfer.success")
      yield* runDue
      yield* TestClock.adjust(1)
      yield* publish("transfer.success")
      yield* runDue
      const both = [next.signing_secret, made.signing_secret]
      assert.deepStrictEqual(
        sink.deliveries.map(({ secrets }) => secrets),
        [both, both, [next.signing_secret]]
      )
    })
  )

  scenario("repeated within the day keeps every secret its own day", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const first = yield* active
      const second = yield* endpoints.rotateSecret(call(), first.id)
      yield* TestClock.adjust(DAY / 2)
      const third = yield* endpoints.rotateSecret(call(), first.id)
      yield* publish("transfer.success")
      yield* runDue
      yield* TestClock.adjust(DAY / 2)
      yield* publish("transfer.success")
      yield* runDue
      assert.deepStrictEqual(
        sink.deliveries.map(({ secrets }) => secrets),
        [
          [third.signing_secret, second.signing_secret, first.signing_secret],
          [third.signing_secret, second.signing_secret]
        ]
      )
    })
  )

  covers("WEBHOOK-7")
  scenario("that would end a secret before its day is over is refused, and possible again after it", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const made = yield* active
      const secrets = [made.signing_secret]
      for (let rotations = 0; rotations < PREVIOUS_MAX; rotations++) {
        yield* TestClock.adjust(1000)
        secrets.unshift((yield* endpoints.rotateSecret(call(), made.id)).signing_secret)
      }
      const refused = yield* Effect.flip(endpoints.rotateSecret(call(), made.id))
      assert.strictEqual(refused._tag, "InvalidStatus")
      assert.include(refused.message, "The oldest of them signs until 2026-01-02T00:00:01.000Z")
      yield* publish("transfer.success")
      yield* runDue
      assert.deepStrictEqual(sink.deliveries.at(-1)?.secrets, secrets)
      yield* TestClock.adjust(DAY + 1000 - PREVIOUS_MAX * 1000)
      const next = yield* endpoints.rotateSecret(call(), made.id)
      yield* publish("transfer.success")
      yield* runDue
      assert.deepStrictEqual(sink.deliveries.at(-1)?.secrets, [next.signing_secret, ...secrets.slice(0, -1)])
    })
  )
})

describe("a replay", () => {
  covers("WEBHOOK-8", "EVENT-1", "WEBHOOK-12")
  scenario("sends an event again under its id, as a delivery of its own, signed anew", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      const event = yield* publish("transfer.success")
      yield* runDue
      assert.deepStrictEqual(yield* endpoints.replay(call(), id, { event_id: event }), { id, replayed: 1 })
      assert.deepStrictEqual(yield* endpoints.replay(call(), id, { event_id: event }), { id, replayed: 1 })
      assert.strictEqual(yield* runDue, 2)
      assert.strictEqual(sink.deliveries.length, 3)
      assert.deepStrictEqual(sink.deliveries[0], sink.deliveries[1])
      const { items } = yield* endpoints.deliveries(call(), id, {})
      assert.strictEqual(new Set(items.map((one) => one.id)).size, 3)
      assert.deepStrictEqual(new Set(items.map((one) => one.event_id)), new Set([event]))
    })
  )

  covers("WEBHOOK-8")
  scenario("by time sends what happened to the endpoint's categories, before it was active too", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      yield* publish("transfer.success")
      yield* TestClock.adjust(1000)
      const second = yield* publish("transfer.success")
      const third = yield* publish("deposit.confirmed")
      yield* publish("kyc.approved")
      yield* TestClock.adjust(1000)
      const late = yield* publish("transfer.success")
      const made = yield* endpoints.create(call(), { url, categories: ["transfer", "deposit"] })
      yield* endpoints.update(call(), made.id, { active: true })
      const since = START + 1000
      assert.strictEqual((yield* endpoints.replay(call(), made.id, { since, until: since })).replayed, 2)
      yield* runDue
      assert.deepStrictEqual(
        new Set(sink.deliveries.map((one) => one.message_id)),
        new Set([`msg_${second}`, `msg_${third}`])
      )
      assert.strictEqual((yield* endpoints.replay(call(), made.id, { since })).replayed, 3)
      yield* runDue
      assert.strictEqual(sink.deliveries.filter((one) => one.message_id === `msg_${late}`).length, 1)
    })
  )

  covers("LIST-4")
  scenario("by time is refused where it ends before it begins, and names both ends", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      const refused = yield* Effect.flip(endpoints.replay(call(), id, { since: START + 1, until: START }))
      const { errors } = refused as { readonly errors?: ReadonlyArray<{ readonly field: string }> }
      assert.deepStrictEqual(
        errors?.map(({ field }) => field),
        ["since", "until"]
      )
      const { message } = yield* Effect.flip(endpoints.replay(call(), id, { since: START + 365 * 86_400_000 }))
      assert.match(message, /^since is \S+, and it is \S+ now\. since takes a time that has passed\.$/)
    })
  )

  scenario("by time sends the events of one millisecond in the order in which they happened", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      const types = ["transfer.processing", "deposit.received", "transfer.success", "deposit.confirmed"] as const
      const before = yield* Effect.forEach(types, (type) => publish(type))
      yield* TestClock.adjust(1)
      const after = yield* Effect.forEach(types, (type) => publish(type))
      yield* runDue
      sink.deliveries.length = 0
      assert.strictEqual((yield* endpoints.replay(call(), id, { since: START })).replayed, 8)
      yield* runDue
      assert.deepStrictEqual(
        sink.deliveries.map(({ message_id }) => message_id),
        [...before, ...after].map((event) => `msg_${event}`)
      )
    })
  )

  scenario("by time has each event once, also where others are published while it reads", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const storage = yield* Storage
      const { id } = yield* active
      for (let n = 0; n < 501; n++) yield* publish("transfer.success")
      const read = storage.events
      let pages = 0
      const reading = {
        events: (query: Parameters<typeof read>[0]) =>
          Effect.tap(read(query), () =>
            query.category === "transfer" && pages++ === 0 ? publish("transfer.failed") : Effect.void
          )
      }
      Object.assign(storage, reading)
      const { replayed } = yield* endpoints.replay(call(), id, { since: START })
      assert.deepStrictEqual([replayed, pages], [501, 2])
    })
  )

  scenario("keeps what it is still to bring from being forgotten", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const storage = yield* Storage
      const { id } = yield* active
      const event = yield* publish("transfer.success")
      yield* runDue
      yield* TestClock.adjust(400 * DAY)
      yield* endpoints.replay(call(), id, { event_id: event })
      const forgotten = storage.forget({ sort: "events", before: START + 300 * DAY, limit: 10 })
      assert.strictEqual(yield* forgotten, 0)
      yield* runDue
      assert.deepStrictEqual(
        sink.deliveries.map(({ message_id }) => message_id),
        [`msg_${event}`, `msg_${event}`]
      )
      const { items } = yield* endpoints.deliveries(call(), id, {})
      assert.deepStrictEqual(
        items.map(({ id, status }) => [/^dlv_[0-9a-z]{26}$/.test(id), status]),
        [
          [true, "delivered"],
          [true, "delivered"]
        ]
      )
      assert.strictEqual(yield* forgotten, 1)
    })
  )

  covers("WEBHOOK-9")
  scenario("asks for one thing, of an active endpoint, of events there are", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      const tag = (input: ReplayWebhookEndpoint) =>
        Effect.map(Effect.flip(endpoints.replay(call(), id, input)), (e) => e._tag)
      assert.strictEqual(yield* tag({}), "BadRequest")
      assert.strictEqual(yield* tag({ until: START }), "BadRequest")
      assert.strictEqual(yield* tag({ event_id: "evt_1", since: START }), "BadRequest")
      assert.strictEqual(yield* tag({ event_id: "evt_1" }), "NotFound")
      assert.strictEqual(yield* tag({ since: START + 1, until: START }), "InvalidInput")
      yield* endpoints.update(call(), id, { active: false })
      assert.strictEqual(yield* tag({ since: START }), "InvalidStatus")
    })
  )
})

describe("a ping", () => {
  covers("WEBHOOK-11")
  scenario("sends one signed test event to this endpoint alone, and stores no event", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const events = yield* Events
      const { id } = yield* active
      yield* active
      const pinged = yield* endpoints.ping(call(), id)
      assert.deepInclude(pinged, { event_type: "ping", status: "pending", attempts: [] })
      assert.strictEqual(yield* runDue, 1)
      const [sent] = sink.deliveries
      assert.exists(sent)
      assert.deepInclude(JSON.parse(sent.body), {
        event_id: pinged.event_id,
        event_type: "ping",
        event_category: "ping",
        event_developer_id: `int_${MERCHANT.slice(4)}`,
        event_object_id: id
      })
      assert.notInclude(sent.body, "whsec_")
      assert.strictEqual((yield* events.list(call(), {})).total, 0)
      assert.deepInclude((yield* endpoints.deliveries(call(), id, { event_type: "ping" })).items[0], {
        id: pinged.id,
        status: "delivered"
      })
      yield* endpoints.update(call(), id, { active: false })
      assert.strictEqual((yield* Effect.flip(endpoints.ping(call(), id)))._tag, "InvalidStatus")
    })
  )

  scenario("that fails is not tried again", (sink) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* active
      sink.answers.push({ response_status: 500 })
      yield* endpoints.ping(call(), id)
      yield* runDue
      assert.deepInclude((yield* endpoints.deliveries(call(), id, {})).items[0], {
        status: "failed",
        next_attempt_at: null
      })
    })
  )
})
