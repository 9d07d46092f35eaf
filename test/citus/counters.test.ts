/** A cell on Citus rolls up what its merchants count, as any store does. */
import { Effect, ManagedRuntime, Layer } from "effect"
import { expect, inject, it } from "vitest"
import { PostgresStorage } from "../../src/adapters/storage/postgres.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { change, posting, promised, row, T0 } from "../adapters/storage/support.ts"
import { citusDatabase } from "../support/stores/citus.ts"
import { query } from "../support/stores/database.ts"

it("rolls up rows and postings, whether their counters exist or not", async () => {
  const url = await citusDatabase(inject("citus"))
  const runtime = ManagedRuntime.make(
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        yield* PostgresStorage.migrateSchemas({ url }, ["corridor_7"])
        const { store } = yield* PostgresStorage.pool({ url, clock: "caller" })
        return store("corridor_7", true)
      })
    )
  )
  try {
    const store = promised(await runtime.runPromise(Storage))
    const keyed = { kind: "transfer", created_at: T0, index_keys: ["status=a", "measured=100|2|a|USDC"] }
    for (const rolls of [1, 2]) {
      await store.commit(change("mer_1", { rows: [row("mer_1", keyed)], postings: [posting("world", "fees", 5)] }))
      // The store rolls up by itself too, and one at a time does.
      const rolled = async () => {
        await query(url, "select corridor_7.corridor_roll_in_order(1000)")
        return query(url, "select count(*)::int as n from corridor_7.row_change")
      }
      await expect.poll(rolled, { timeout: 10_000 }).toEqual([{ n: 0 }])
      expect(await query(url, "select n::int from corridor_7.list_counter where index_key = 'status=a'")).toEqual([
        { n: rolls }
      ])
      expect(await query(url, "select amount::int from corridor_7.balance where account = 'fees'")).toEqual([
        { amount: 5 * rolls }
      ])
    }
  } finally {
    await runtime.dispose()
  }
})
