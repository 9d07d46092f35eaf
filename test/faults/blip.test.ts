/**
 * The connections of a living node are cut, again and again, while it pays. It gives back what it failed on: nothing waits for the
 * lease of a job, nothing for the look-up of a submission, and nothing is submitted twice.
 */
import { Deferred, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { PostgresStorage } from "../../src/adapters/storage/postgres.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { JobLease } from "../../src/engine/settings/settings.ts"
import { Dispatcher } from "../../src/engine/work/queue/Dispatcher.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { withMethods } from "../support/engines/provider-methods.ts"
import { merchantAtWork } from "../support/merchants/merchant-at-work.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase, query } from "../support/stores/database.ts"

const payouts = 150
const cuts = 16
const cutEveryMs = 200
/** Five seconds are promised; the rest is for a machine under load. A lease takes ten minutes here, and a look-up one. */
const withinMs = 15_000

const cut = (url: string) =>
  Effect.promise(() =>
    query(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'corridor'`
    )
  )

describe("a database that drops its connections", () => {
  covers("SERVICE-24")
  it("delays no payout until a lease ends, and none is submitted twice", async () => {
    const url = await freshDatabase()
    const submitted = new Map<string, number>()
    let lookups = 0
    const around = (inner: Parameters<typeof withMethods>[0]) =>
      withMethods(inner, {
        ready: () => Effect.succeed(true),
        submit: ({ id }) =>
          Effect.sync(() => {
            submitted.set(id, (submitted.get(id) ?? 0) + 1)
            return {
              _tag: "settled",
              outcome: { outcome: "success", reason: null, transaction_hash: null }
            } as const
          }).pipe(Effect.delay(20)),
        lookup: () =>
          Effect.sync(() => {
            lookups++
            return { _tag: "pending" } as const
          })
      })
    await Effect.gen(function* () {
      const storage = yield* Storage
      const m = yield* merchantAtWork("10000")
      yield* m.settle
      yield* (yield* Dispatcher).start({ graceMs: 0 })
      const ids: Array<string> = []
      const isCut = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        Effect.gen(function* () {
          for (let n = 0; n < cuts; n++) {
            yield* Effect.sleep(cutEveryMs)
            yield* cut(url)
          }
          yield* Deferred.succeed(isCut, undefined)
        })
      )
      for (let n = 0; n < payouts; n++) {
        // What a caller is told to repeat is repeated by it, and is not tested here.
        const made = yield* Effect.result(m.transfer("1"))
        if (made._tag === "Success") ids.push(made.success.id)
        yield* Effect.sleep((cuts * cutEveryMs) / payouts)
      }
      yield* Deferred.await(isCut)
      const until = Date.now() + withinMs
      let left = -1
      while (left !== 0 && Date.now() < until) {
        yield* Effect.sleep(100)
        left = (yield* Effect.orElseSucceed(m.underWay, () => ["?"])).length
      }
      const rest = yield* storage.jobs({
        merchant_id: m.merchant_id,
        queue: "command",
        status: "pending",
        offset: 0,
        limit: 50
      })
      assert.strictEqual(left, 0, JSON.stringify(rest.items, null, 1))
      assert.isAbove(ids.length, payouts / 2)
      assert.strictEqual(lookups, 0)
      const once = [...submitted.values()].filter((times) => times === 1)
      assert.strictEqual(once.length, submitted.size)
      assert.isAtLeast(submitted.size, ids.length)
    }).pipe(
      Effect.scoped,
      Effect.provide(makeSimulatedEngine({ around, storage: PostgresStorage.layer({ url, connections: 6 }) })),
      Effect.provideService(JobLease, 600_000),
      Effect.runPromise
    )
  })
})
