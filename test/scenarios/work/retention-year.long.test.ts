/** A year of traffic: what may be forgotten is, what money rests on stays, and the past told again moves nothing. */
import assert from "node:assert/strict"
import { Effect } from "effect"
import postgres from "postgres"
import { describe, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Events } from "../../../src/engine/resources/webhooks/event.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import type { Delivery } from "../../../src/engine/ports/WebhookSink.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { booksBalance } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { DAY, dayOf, keeping, subscribe, makeSuccess, swept } from "../../support/merchants/retention.ts"

const tables = ["idempotency_record", "job", "event", "resource", "transition", "posting", "unique_key"] as const

describe("a year of traffic", () => {
  it("keeps what is forgotten at its bound, and the ledger and every resource whole", async () => {
    const url = await freshDatabase()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const counted = Effect.promise(async () => {
      const [row] = await sql.unsafe(
        `select ${tables.map((name) => `(select count(*)::int from ${name}) as ${name}`).join(", ")}`
      )
      return row as unknown as Record<(typeof tables)[number], number>
    })
    const deliveries: Array<Delivery> = []
    const year = Effect.gen(function* () {
      const storage = yield* Storage
      const events = yield* Events
      const inbox = yield* Inbox
      const unitOfWork = yield* UnitOfWork
      const m = yield* merchantAtWork("1000")
      const endpoint = yield* subscribe(m)
      const ids: Array<string> = []
      const samples: Array<Record<(typeof tables)[number], number>> = []
      for (let day = 0; day < 365; day++) {
        ids.push(yield* dayOf(m, day))
        yield* m.advance(DAY)
        yield* swept
        if (day >= 120) samples.push(yield* counted)
      }
      const [early, last] = [samples[0]!, samples.at(-1)!]

      // What is kept for a time is at its bound from the first day of it on.
      for (const name of ["idempotency_record", "job", "event"] as const) {
        assert.ok(last[name] > 0, name)
        for (const sample of samples) assert.ok(sample[name] <= early[name] + 12, `${name}: ${sample[name]}`)
      }
      for (const name of ["resource", "transition", "posting", "unique_key"] as const)
        assert.ok(last[name] - early[name] >= 244, name)

      // Nothing of what money rests on is gone.
      for (const one of [ids[0]!, ids[180]!, ids[364]!]) {
        assert.equal(yield* m.status(one), "success")
        const { transitions, postings } = yield* storage.history(m.merchant_id, one)
        assert.deepEqual(
          transitions.map(({ version }) => version),
          transitions.map((_, n) => n + 1)
        )
        assert.ok(postings.length >= 2)
      }
      assert.equal((yield* m.balance).available, "1000.00")
      assert.equal((yield* (yield* Transfers).list(m.caller, { per_page: 1 })).total, 365)
      for (const [name, balance] of yield* booksBalance)
        if (/^(clearing|reserved)/.test(name)) assert.equal(balance, "0")

      // Each event came to its endpoint once, and the feed begins where it still reaches back to.
      assert.equal(new Set(deliveries.map(({ message_id }) => message_id)).size, deliveries.length)
      assert.equal(deliveries.length, 365 * 3)
      const feed = (yield* events.feed(m.caller, { limit: 200 })) as ReadonlyArray<{
        readonly event_created_at: string
      }>
      const oldest = (Date.parse(feed.at(-1)!.event_created_at) - Date.parse(feed[0]!.event_created_at)) / 1000 / DAY
      assert.ok(oldest > 60 && oldest <= 91, `${oldest}`)
      const log = yield* (yield* WebhookEndpoints).deliveries(m.caller, endpoint, {})
      assert.ok(log.total >= 30 * 3 && log.total <= 31 * 3, `${log.total}`)

      // The past told again: a word that is remembered is not looked at, one that is not moves nothing.
      assert.equal(yield* inbox.receive("simulated", makeSuccess(m.merchant_id, ids[330]!, "their-330")), "duplicate")
      assert.equal(yield* inbox.receive("simulated", makeSuccess(m.merchant_id, ids[0]!, "their-0")), "ignored")
      yield* m.deposit({ amount: "1", payin_id: "payin-0" })
      yield* m.settle
      assert.deepEqual(yield* m.exceptions, [])
      assert.equal((yield* m.balance).available, "1000.00")
      assert.equal(
        yield* unitOfWork.replay(yield* call(m.merchant_id, { key: "day-0-transfer", fingerprint: "other" })),
        undefined
      )
    })
    await Effect.runPromise(
      year.pipe(
        Effect.provide(
          makeSimulatedEngine({
            storage: PostgresStorage.layer({ url, connections: 4 }),
            webhooks: MemoryWebhookSink.layer({ deliveries }),
            retention: keeping
          })
        )
      )
    )
    await sql.end()
  })
})
