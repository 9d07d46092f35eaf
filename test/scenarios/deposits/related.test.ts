/** What the events of deposits say of the other transactions of their family, beside what is read right after them (EVENT-10, EVENT-23). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { openWay, ways, waysOn } from "../../support/merchants/credentials.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

/** The types of what an event of a deposit names, once it is shown that the deposit names the same. */
const related = Effect.fnUntraced(function* (m: Pick<MerchantAtWork, "body" | "object">, id: string, type: string) {
  const { deposit_timestamp: _, wallet: __, customer: ___, credential: ____, ...told } = yield* m.object(id, type)
  assert.deepEqual(told, yield* m.body(id))
  return told["related_transactions"].map((one: { readonly type: string }) => one.type)
})

onServers("the event of a deposit", (run, store) => {
  covers("EVENT-10", "EVENT-23", "TRANSACTION-1")
  it.each(waysOn(store, ways))("in another currency has the conversion that begins with it: $name", (way) =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        const id = yield* m.pay(["confirmed"])
        assert.deepEqual(yield* related(m, id, "deposit.received"), ["conversion"])
        const detected = yield* m.pay(["detected"])
        assert.deepEqual(yield* related(m, detected, "deposit.received"), [])
        yield* m.finish
      })
    )
  )

  it.each(waysOn(store, ways))(
    "has it where the deposit was held, and so has the answer of its release: $name",
    (way) =>
      run(
        Effect.gen(function* () {
          const m = yield* openWay(way)
          yield* m.freeze
          const id = yield* m.pay(["confirmed"])
          assert.deepEqual(yield* related(m, id, "deposit.held"), [])
          const released = yield* (yield* Deposits).release(m.operator, id, "seen")
          assert.deepEqual(yield* related(m, id, "deposit.received"), ["conversion"])
          assert.deepEqual<unknown>(released, yield* m.body(id))
          yield* m.finish
        })
      )
  )

  it("that an operator credits has the movement whose money it is, and what else that led to", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.offramp("10")
        yield* m.settle
        yield* m.says(id, "refund_failed")
        const { id: exception } = (yield* m.exceptions).find(({ resource_id }) => resource_id === id)!
        const { credited } = yield* m.resolve(exception, "credit")
        assert.deepEqual(yield* related(m, credited!.transaction_id, "deposit.confirmed"), ["offramp"])
      })
    ))
})
