/** What is told again of money that was turned away: it came once, and is booked once (DEPOSIT-7). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { onMemory } from "../../support/engines/every-store.ts"

/** 1,500 US dollars to a customer of no tier, withheld and rejected. */
const rejected = Effect.fnUntraced(function* (account_number: string) {
  const deposits = yield* Deposits
  const m = yield* merchantAtWork("0", "tier_0")
  const payin_id = `payin_${m.merchant_id}`
  const paid = (stage: "detected" | "confirmed" | "failed") =>
    m.deposit({ amount: "1500", payin_id, stage, sender: { account_number } })
  const { transaction_id } = yield* paid("confirmed")
  yield* deposits.reject(m.operator, transaction_id!, "sanctioned")
  yield* m.advance(2)
  assert.strictEqual((yield* m.body(transaction_id!))["status"], "failed")
  return { m, paid, id: transaction_id! }
})

onMemory("a deposit that was rejected", (run) => {
  covers("DEPOSIT-7", "EXCEPTION-5")
  it("and sent back is not booked again when its payment is confirmed again; recalled too, it has left twice", () =>
    run(
      Effect.gen(function* () {
        const { id, m, paid } = yield* rejected("5550001")
        for (const stage of ["confirmed", "detected"] as const) yield* paid(stage)
        assert.deepEqual(yield* m.exceptions, [])
        for (const stage of ["failed", "confirmed", "failed"] as const) yield* paid(stage)
        assert.strictEqual(yield* m.status(id), "failed")
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount, exposure, reason, severity }) => ({
            amount,
            exposure,
            reason,
            severity
          })),
          [{ amount: null, exposure: { amount: "1500.00", currency: "USDC" }, reason: "recalled", severity: "high" }]
        )
      }),
      { mode: "auto" }
    ))

  it("and could not be sent back stands in suspense once, however often its payment is confirmed", () =>
    run(
      Effect.gen(function* () {
        const { id, m, paid } = yield* rejected("5550007")
        yield* paid("confirmed")
        const exceptions = yield* m.exceptions
        assert.deepEqual(
          exceptions.map(({ amount, reason, resource_id }) => ({ amount, reason, resource_id })),
          [{ amount: "1500.00", reason: "refund_failed", resource_id: id }]
        )
        yield* m.resolve(exceptions[0]!.id, "credit")
        assert.strictEqual((yield* m.balance).available, "1500.00")
      }),
      { mode: "auto" }
    ))
})
