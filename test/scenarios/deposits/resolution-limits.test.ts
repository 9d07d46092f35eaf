/** What the resolution of an exception must not do (EXCEPTION-2). */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

onMemory("the resolution of an exception", (run) => {
  covers("EXCEPTION-2")
  it("never applies a payment in another currency to an onramp, though it was made in time", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { deposit_instruction, id } = yield* m.onramp("150000")
        const observed_at = yield* Clock.currentTimeMillis
        yield* m.advance(40 * 60)
        const payin_id = `${id}.foreign`
        yield* (yield* Inbox).receive(
          "simulated",
          payinEvent({
            event_id: payin_id,
            payin_id,
            target: deposit_instruction!.depositReference,
            amount: "150000",
            currency: "GHS",
            observed_at
          })
        )
        const [raised] = yield* findExceptions(payin_id)
        assert.deepInclude(raised, {
          reason: "wrong_currency",
          amount: "150000.00",
          currency: "GHS",
          resource_id: id
        })
        const exceptions = yield* Exceptions
        const applied = exceptions.resolve(m.operator, raised!.id, { action: "apply", note: "seen" })
        assert.strictEqual((yield* Effect.flip(applied))._tag, "InvalidStatus")
        assert.strictEqual(yield* m.status(id), "failed")
        yield* m.resolve(raised!.id, "dismiss")
      })
    ))

  it("counts a credit towards the tier only where its money was not counted when it arrived", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        yield* m.deposit({ amount: "600" })
        const { id } = yield* m.transfer("300")
        yield* m.settle
        yield* m.says(id, "success")
        yield* m.says(id, "reversed")
        const [raised] = yield* m.exceptions
        assert.strictEqual(raised?.amount, "300.00")
        yield* m.resolve(raised!.id, "credit")
        // 600 of 1,000 are used: the 300 that came back were a part of them.
        yield* m.deposit({ amount: "400" })
        assert.deepEqual(yield* m.balance, { available: "1000.00", reserved: "0.00", held: "0.00" })
        yield* m.deposit({ amount: "0.01" })
        assert.strictEqual((yield* m.balance).held, "0.01")
      })
    ))
})
