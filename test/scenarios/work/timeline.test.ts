/** The story of a resource, from its request to the webhook that arrived. */
import { Clock, Effect } from "effect"
import { assert, expect, it } from "vitest"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Resources } from "../../../src/engine/reports/resource.ts"
import { ENTRIES_MAX } from "../../../src/engine/reports/timeline/timeline.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { isInOrder, line, lines, own, whole } from "../../support/merchants/timelines.ts"
import { covers } from "../../support/repository/covers.ts"

const endpoint = (m: MerchantAtWork) =>
  WebhookEndpoints.use((s) =>
    Effect.flatMap(s.create(m.caller, { url: "http://127.0.0.1:9/hook", categories: ["offramp"] }), ({ id }) =>
      s.update(m.caller, id, { active: true })
    )
  )

/** An offramp of 100 USDC that a provider executes, and whose events are delivered at once. */
const paid = Effect.gen(function* () {
  const m = yield* merchantAtWork()
  yield* endpoint(m)
  const { id } = yield* m.offramp("100")
  yield* m.advance(60)
  return { m, id }
})
const automatic = { mode: "auto", webhooks: MemoryWebhookSink.layer() } as const

onEveryStore("a timeline", (run) => {
  covers("TIMELINE-1", "TIMELINE-2")
  it("tells an offramp from its request to the webhook that arrived, and less of it to its merchant", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* paid
        const story = yield* whole(id)
        isInOrder(story)
        const { created_at, ended_at, ...facts } = story
        expect(facts).toMatchObject({ id, kind: "offramp", merchant_id: m.merchant_id, status: "success" })
        expect([facts.waits_for, facts.truncated, created_at < ended_at!]).toEqual([null, false, true])
        expect(lines(story).toSorted()).toEqual(
          [
            "request merchant -",
            "1 null > created on create",
            "1 100.00 USDC available:wal > reserved:wal",
            "timer quote_expiry armed",
            "event 1 offramp.created",
            "delivery offramp.created 1 delivered 200",
            "2 created > submitting on payout.begun",
            "2 100.00 USDC reserved:wal > clearing:simulated",
            "timer quote_expiry cancelled",
            "event 2 offramp.funds_received",
            "event 3 offramp.processing",
            "delivery offramp.funds_received 1 delivered 200",
            "delivery offramp.processing 1 delivered 200",
            "call simulated submit 1 accepted",
            "from simulated: provider.succeeded",
            "3 submitting > success on provider.succeeded",
            "3 0.50 USDC clearing:simulated > fees",
            "3 99.50 USDC clearing:simulated > fx",
            "3 147753.75 NGN fx > world:simulated",
            "3 750.00 NGN fx > fees",
            "event 4 offramp.success",
            "delivery offramp.success 1 delivered 200"
          ].toSorted()
        )
        const less = yield* own(m, id)
        isInOrder(less)
        expect(yield* own(m, id.replace("ofr_", "txn_"))).toEqual(less)
        expect(lines(less).filter((one) => !one.startsWith("delivery"))).toEqual([
          "request merchant -",
          "1 null > created on create",
          "1 100.00 USDC available:wal > reserved:wal",
          "timer quote_expiry armed",
          "event 1 offramp.created",
          "2 created > processing on payout.begun",
          "2 100.00 USDC reserved:wal > platform",
          "timer quote_expiry cancelled",
          "event 2 offramp.funds_received",
          "event 3 offramp.processing",
          "3 processing > success on provider.succeeded",
          "event 4 offramp.success"
        ])
        expect(lines(less).filter((one) => one.startsWith("delivery"))).toHaveLength(4)
        expect(JSON.stringify(less)).not.toMatch(/simulated|clearing|world|\bfees\b|submitting/)
      }),
      automatic
    ))

  it("puts a cause before its effects, also within one millisecond", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* paid
        const shown = lines(yield* whole(id)).filter((one) => !/^(delivery|call)/.test(one))
        expect(shown.slice(0, 5)).toEqual([
          "request merchant -",
          "1 null > created on create",
          "1 100.00 USDC available:wal > reserved:wal",
          "timer quote_expiry armed",
          "event 1 offramp.created"
        ])
        expect(shown.slice(-7, -4)).toEqual([
          "from simulated: provider.succeeded",
          "3 submitting > success on provider.succeeded",
          "3 0.50 USDC clearing:simulated > fees"
        ])
      }),
      automatic
    ))

  it("is of one merchant: to another it does not exist", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
        const { id } = yield* m.transfer("10")
        for (const asked of [id, id.replace("tfr_", "txn_"), "tfr_unknown", "txn_unknown", "nothing"]) {
          const { message, _tag } = yield* Effect.flip(own(other, asked))
          expect([_tag, message.endsWith(`${JSON.stringify(asked)}.`)]).toEqual(["NotFound", true])
        }
        assert.strictEqual((yield* own(m, id)).id, id)
        yield* m.settle
        yield* m.says(id, "success")
      })
    ))

  covers("TIMELINE-3")
  it("says what a resource waits for, to the operator in full", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("timeout")
        const { id } = yield* m.transfer("10")
        yield* m.advance(3600)
        const { waits_for: waits } = yield* whole(id)
        expect(waits).toMatchObject({ reason: "awaiting_outcome", until: null, attempts: 1 })
        const next = waits!.next_attempt_at!.slice(11, 16)
        expect(waits!.sentence).toContain(
          "The transfer was submitted, and the provider has not reported the outcome yet. Corridor asks again "
        )
        expect(waits!.sentence).toContain(`${next} UTC.`)
        expect((yield* own(m, id)).waits_for).toEqual({
          reason: "processing",
          sentence: "The transfer is being processed.",
          since: waits!.since,
          until: null,
          next_attempt_at: null,
          attempts: 0,
          awaited_person: null
        })
        yield* m.says(id, "success")
        for (const story of [yield* whole(id), yield* own(m, id)]) {
          expect([story.waits_for, story.ended_at === null]).toEqual([null, false])
        }
      })
    ))

  covers("TIMELINE-4")
  it("has the newest entries of a long story, and says that others are missing", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const customers = yield* Customers
        const { id } = yield* customers.create(m.caller, {
          type: "individual",
          name: "Bisi",
          email: "bisi@example.com",
          country_code: "NG"
        })
        const update = (n: number) => customers.update(m.caller, id, { metadata: { n: String(n) } })
        for (let n = 0; n < ENTRIES_MAX / 2 - 1; n++) yield* update(n)
        const full = yield* whole(id)
        expect([full.entries.length, full.truncated]).toEqual([ENTRIES_MAX, false])
        yield* update(ENTRIES_MAX)
        const cut = yield* whole(id)
        expect([cut.entries.length, cut.truncated]).toEqual([ENTRIES_MAX, true])
        expect(line(cut.entries.at(-1)!)).toBe(`${ENTRIES_MAX / 2 + 1} active > active on update`)
      })
    ))

  it("says that records are missing once their time is over", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* paid
        expect((yield* whole(id)).truncated).toBe(false)
        const storage = yield* Storage
        const before = (yield* Clock.currentTimeMillis) + 1
        yield* storage.forget({ sort: "events", before, limit: 1000 })
        const story = yield* whole(id)
        expect([story.truncated, lines(story).some((one) => one.startsWith("event"))]).toEqual([true, false])
      }),
      automatic
    ))

  covers("OPERATOR-10")
  it("belongs to a resource that the operator reads by its id, with what it is related to", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* paid
        const read = (one: string) => Resources.use((s) => s.get(m.operator, one))
        const found = yield* read(id)
        expect(found).toMatchObject({ id, kind: "offramp", merchant_id: m.merchant_id, merchant_name: "Ada Ltd" })
        const { quote_id, ...body } = yield* m.body(id)
        expect(found.resource).toEqual({ quote_id, ...body })
        const storage = yield* Storage
        const nameOf = (kind: string) =>
          Effect.map(
            storage.find(kind, found.related.find((one) => one.kind === kind)!.id),
            (row) => (row!.data as { readonly name: string }).name
          )
        const related = found.related.map(({ kind, relation, title }) => `${relation}: ${kind} ${title}`)
        expect(related.toSorted()).toEqual([
          `beneficiary: beneficiary ${yield* nameOf("beneficiary")}`,
          `customer: customer ${yield* nameOf("customer")}`,
          "quote: quote null",
          "wallet: wallet null"
        ])
        yield* m.says(id, "returned")
        const { related: later } = yield* read(id)
        expect(later.filter(({ relation }) => relation === "child").map(({ kind }) => kind)).toEqual(["deposit"])
        for (const { id: one, kind } of later) expect((yield* read(one)).kind).toBe(kind)
        expect((yield* read(quote_id)).related).toContainEqual({
          id,
          kind: "offramp",
          relation: "movement",
          title: body.reference
        })
        yield* m.says(id, "cancelled")
        const [exception] = yield* m.exceptions
        expect((yield* read(id)).related).toContainEqual({
          id: exception!.id,
          kind: "exception",
          relation: "exception",
          title: null
        })
        expect((yield* read(exception!.id)).related).toContainEqual({
          id,
          kind: "offramp",
          relation: "resource",
          title: body.reference
        })
        yield* m.resolve(exception!.id, "dismiss")
      }),
      automatic
    ))
})
