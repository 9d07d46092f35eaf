/** What happens at once: exactly what may happen once does, on every store. */
import { assert, describe, it } from "vitest"
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { MovementEvent, PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import type { Delivery, WebhookSink } from "../../../src/engine/ports/WebhookSink.ts"
import { merchantAtWork, eventLine } from "../../support/merchants/merchant-at-work.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { booksBalance, onEveryStore, type Run } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { depositAddressOf, payinEvent } from "../../support/merchants/payins.ts"
import { POLL_TIMEOUT_MS } from "../../support/repository/poll-timeout.ts"

const times = <A>(count: number, make: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => make(n))

/** How many of several attempts came to each end: `ok`, or the tag of what they were refused with. */
const ends = <A, E extends { readonly _tag: string }, R>(attempts: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.map(
    Effect.all(
      attempts.map((attempt) => Effect.match(attempt, { onFailure: (error) => error._tag, onSuccess: () => "ok" })),
      {
        concurrency: "unbounded"
      }
    ),
    (tags) => {
      const counts: Record<string, number> = {}
      for (const tag of tags) counts[tag] = (counts[tag] ?? 0) + 1
      return counts
    }
  )

const shared = (run: Run): void => {
  it.each([0, 1, 7])("of 50 transfers at once on a wallet that holds %i of them, exactly so many are made", (k) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork(String(10 * k + 9))
        const counts = yield* ends(times(50, () => m.transfer("10")))
        assert.deepEqual(counts, k === 0 ? { InsufficientFunds: 50 } : { ok: k, InsufficientFunds: 50 - k })
        assert.deepEqual(yield* m.balance, { available: "9.00", reserved: `${10 * k}.00`, held: "0.00" })
        yield* m.advance(60)
        assert.deepEqual(yield* m.balance, { available: "9.00", reserved: "0.00", held: "0.00" })
      }),
      { mode: "auto" }
    )
  )

  covers("QUOTE-3", "OFFRAMP-5")
  it("of 50 executions of one quote at once, one is made", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("10000")
        const quote = yield* m.quote("100")
        assert.deepEqual(yield* ends(times(50, () => m.execute(quote.id))), { ok: 1, DuplicateResource: 49 })
        assert.deepEqual(yield* m.balance, { available: "9900.00", reserved: "100.00", held: "0.00" })
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("REFERENCE-1", "REFERENCE-3")
  it("of 50 transfers at once under one reference, one is made", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("10000")
        assert.deepEqual(yield* ends(times(50, () => m.transfer("10", { reference: "invoice-7" }))), {
          ok: 1,
          DuplicateResource: 49
        })
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("REFERENCE-3")
  it("of 20 onramps and 20 conversions at once under a reference each, one is made, and answers them all", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting("10000")
        const o = yield* onrampsOf(m)
        const own = yield* m.price("100")
        const quote = yield* o.price("150000")
        // Half of them with a quote that another has executed, half with one of their own.
        const conversions = times(20, (n) =>
          n % 2 === 0 ? m.convert(own.id, { reference: "c/1" }) : m.conversion("100", { reference: "c/1" })
        )
        const onramps = times(20, (n) =>
          n % 2 === 0 ? o.collect(quote.id, { reference: "o/1" }) : o.onramp("150000", { reference: "o/1" })
        )
        for (const made of [
          yield* Effect.all(conversions, { concurrency: "unbounded" }),
          yield* Effect.all(onramps, { concurrency: "unbounded" })
        ])
          assert.strictEqual(new Set(made.map(({ id }) => id)).size, 1)
        assert.deepEqual(yield* m.balance, { available: "9900.00", reserved: "100.00", held: "0.00" })
        // Another kind's reference is taken, whoever comes first.
        const mixed = yield* ends(
          times(20, (n) =>
            n % 2 === 0
              ? Effect.asVoid(m.conversion("100", { reference: "x" }))
              : Effect.asVoid(m.transfer("100", { reference: "x" }))
          )
        )
        assert.include([10, 19], mixed["DuplicateResource"])
        yield* m.settle
        yield* m.advance(3600)
      }),
      { mode: "auto" }
    ))

  covers("IDEM-7")
  it("one idempotency key 50 times at once has one effect, and every repeat the answer of the first", () =>
    run(
      Effect.gen(function* () {
        const unitOfWork = yield* UnitOfWork
        const transfers = yield* Transfers
        const m = yield* merchantAtWork("10000")
        const caller = { ...m.caller, idempotency: { key: "key-12345678", fingerprint: "POST /v1/transfers …" } }
        const input = { wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount: "10" }
        // As the HTTP side does: an answer that is kept is given again, else the operation is called.
        const request = Effect.gen(function* () {
          const kept = yield* unitOfWork.replay(caller)
          return kept ?? JSON.stringify(yield* transfers.create(caller, input))
        })
        const results = yield* Effect.all(
          times(50, () => Effect.match(request, { onFailure: (error) => error._tag, onSuccess: (body) => body })),
          { concurrency: "unbounded" }
        )
        const answers = new Set(results.filter((one) => one !== "IdempotencyInProgress"))
        assert.strictEqual(answers.size, 1, [...answers].join("\n"))
        assert.deepEqual(yield* m.balance, { available: "9990.00", reserved: "10.00", held: "0.00" })
        const again = yield* request
        assert.isTrue(answers.has(again))
        const other = { ...caller, idempotency: { ...caller.idempotency, fingerprint: "another body" } }
        assert.strictEqual((yield* Effect.flip(transfers.create(other, input)))._tag, "IdempotencyConflict")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  it("words of the provider that are doubled and race each other move each movement once", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("1000")
        const made = yield* Effect.all(
          times(10, () => m.transfer("10")),
          { concurrency: "unbounded" }
        )
        yield* m.settle
        const word = (id: string, n: number, outcome: MovementEvent["outcome"]): MovementEvent => ({
          _tag: "movement",
          event_id: `${id}.${n}`,
          merchant_id: n % 2 === 0 ? m.merchant_id : null,
          resource_id: id,
          outcome,
          reason: null,
          transaction_hash: outcome === "success" ? "0xfeed" : null
        })
        const words = made.flatMap(({ id }) =>
          times(3, () => [
            word(id, 1, "success"),
            word(id, 2, "failed"),
            word(id, 3, "success"),
            word(id, 4, "cancelled")
          ]).flat()
        )
        yield* Effect.all(
          words.map((one) => inbox.receive("simulated", one)),
          { concurrency: "unbounded" }
        )
        let paid = 0
        for (const { id } of made) {
          const events = (yield* m.published(id)).map(eventLine)
          assert.strictEqual(events.length, 2, events.join(", "))
          const status = yield* m.status(id)
          assert.strictEqual(events[1], `2 transfer.${status} processing>${status}`)
          if (status === "success") paid++
        }
        assert.strictEqual((yield* m.balance).available, `${1000 - 10 * paid}.00`)
        // Of the four words, those that say otherwise than how it ended are kept, each once.
        assert.strictEqual((yield* m.exceptions).length, 20)
      })
    ))

  covers("DEPOSIT-7")
  it("one pay-in told 40 times at once is credited once", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("1")
        const { address, network } = yield* depositAddressOf(m.merchant_id)
        const observed_at = yield* Clock.currentTimeMillis
        const word = (n: number): PayinEvent =>
          payinEvent({
            event_id: `${m.merchant_id}.${n % 30}`,
            payin_id: `same_${m.merchant_id}`,
            stage: n % 3 === 0 ? "detected" : "confirmed",
            target: address,
            amount: "5",
            network,
            observed_at
          })
        yield* Effect.all(
          times(40, (n) => inbox.receive("simulated", word(n))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual((yield* m.balance).available, "6.00")
        const { length } = (yield* m.transactions).filter(({ type }) => type === "deposit")
        assert.strictEqual(length, 2)
      })
    ))
}

onEveryStore("races", shared)

describe("two dispatchers over one Postgres", () => {
  it("submit each movement once, deliver each event, and end all of them", async () => {
    const url = await freshDatabase()
    const delivered: Array<Delivery> = []
    const sink = MemoryWebhookSink.layer({ deliveries: delivered })
    const node = (webhooks: Layer.Layer<WebhookSink>) =>
      makeSimulatedEngine({
        mode: "auto",
        delay_ms: 20,
        webhooks,
        storage: PostgresStorage.layer({ url, connections: 4 })
      })

    const scenario = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const first = yield* Layer.buildWithScope(Layer.fresh(node(sink)), scope)
      const second = yield* Layer.buildWithScope(Layer.fresh(node(sink)), scope)
      const ids = yield* Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const m = yield* merchantAtWork("1000")
        const { id } = yield* endpoints.create(m.caller, { url: "https://example.com/hook" })
        yield* endpoints.update(m.caller, id, { active: true })
        for (const context of [first, second]) {
          yield* Effect.flatMap(Dispatcher, ({ start }) => start({ graceMs: 5000 })).pipe(
            Effect.provide(context),
            Scope.provide(scope)
          )
        }
        const made = yield* Effect.all(
          times(60, (n) => (n % 3 === 0 ? m.offramp("10") : m.transfer("10"))),
          { concurrency: 8 }
        )
        return { m, ids: made.map(({ id }) => id) }
      }).pipe(Effect.provide(first))

      yield* Effect.gen(function* () {
        const storage = yield* Storage
        const provider = yield* Sandbox
        const { m } = ids
        const expected = ids.ids.length
        for (let waited = 0; waited < POLL_TIMEOUT_MS; waited += 50) {
          const { total } = yield* storage.list({
            merchant_id: m.merchant_id,
            kinds: ["transfer", "offramp"],
            index_keys: ["status=success"],
            offset: 0,
            limit: 1
          })
          const jobs = yield* storage.jobs({
            merchant_id: m.merchant_id,
            queue: "delivery",
            status: "pending",
            offset: 0,
            limit: 1
          })
          if (total === expected && jobs.total === 0) break
          yield* Effect.sleep(50)
        }
        for (const id of ids.ids) {
          assert.strictEqual(yield* m.status(id), "success")
          assert.strictEqual(yield* provider.executionsOf(id), 1)
          const { transitions } = yield* storage.history(m.merchant_id, id)
          assert.strictEqual(transitions.filter(({ via }) => via === "payout.begun").length, 1)
        }
        const { items } = yield* storage.events({ merchant_id: m.merchant_id, offset: 0, limit: 1000 })
        const made = items.filter(({ object_id }) => ids.ids.includes(object_id))
        const got = new Set(delivered.map(({ message_id }) => message_id.replace("msg_", "")))
        assert.deepEqual(
          made.filter(({ id }) => !got.has(id)),
          []
        )
        assert.strictEqual(made.length, 20 * 4 + 40 * 2)
        // No lease ran out, so none was delivered twice.
        assert.strictEqual(delivered.length, got.size)
        const classes = yield* booksBalance
        for (const [key, balance] of classes)
          if (/^(clearing|reserved)\//.test(key)) assert.strictEqual(balance, "0", key)
      }).pipe(Effect.provide(second))
      yield* Scope.close(scope, Exit.void)
    })
    await Effect.runPromise(scenario)
  })
})
