/** What a failed movement says of its money is where its money is, whatever its provider's reason was (FAILURE-3). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { TransferBody } from "../../../src/engine/representations/movements/transfer.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

const reasons = ["failed", "cancelled", "reversed", "temporarily_unavailable"] as const

onMemory("the message of a movement that failed", (run) => {
  covers("FAILURE-3", "ONRAMP-9")
  it.each(reasons)("of an onramp, with %s, says that its payer has the money", (reason) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, "150000")
        yield* m.settle
        yield* m.says(id, "failed", { reason })
        yield* m.settle
        yield* m.advance(60)
        const { failure_reason, failure_reason_message } = yield* m.collected(id)
        assert.strictEqual(failure_reason, reason)
        assert.strictEqual((yield* m.balance).available, "0.00")
        assert.match(failure_reason_message!, /payer's money was refunded/)
        assert.notMatch(failure_reason_message!, /wallet\.|source/)
      })
    )
  )

  covers("FAILURE-3", "AUTOCONVERT-8")
  it.each(reasons)("of a conversion, with %s, says that its source has the money", (reason) =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[0]!)
        yield* m.pay(["confirmed"])
        const sandbox = yield* SandboxOperations
        yield* sandbox.settle(m.caller)
        const { id } = yield* m.conversion
        yield* sandbox.outcome(m.caller, { resource_id: id, outcome: "failed", reason })
        const { failure_reason, failure_reason_message } = yield* m.conversion
        assert.strictEqual(failure_reason, reason)
        assert.strictEqual((yield* m.balance).available, "0.00")
        assert.match(failure_reason_message!, /to its source/)
      })
    )
  )

  covers("FAILURE-3")
  it.each(reasons)("of a transfer, with %s, says that its wallet has the money", (reason) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.transfer("40")
        yield* m.settle
        yield* m.says(id, "failed", { reason })
        const { failure_reason, failure_reason_message } = (yield* m.body(id)) as Partial<TransferBody>
        assert.strictEqual(failure_reason, reason)
        assert.strictEqual((yield* m.balance).available, "100.00")
        assert.match(failure_reason_message!, /returned to the wallet/)
      })
    )
  )
})

onMemory("a recall whose money was credited", (run) => {
  covers("EXCEPTION-4")
  it("says that it holds no money to refund or credit", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const exceptions = yield* Exceptions
        const { id: wallet_id } = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
        yield* m.behaves("hold")
        const { id } = yield* m.onramp()
        const payin_id = `recalled ${id}`
        yield* m.pays(id, "150000", { payin_id })
        yield* m.settle
        yield* m.pays(id, "150000", { payin_id, stage: "failed" })
        const [recall] = yield* m.exceptions
        yield* exceptions.resolve(m.operator, recall!.id, { action: "credit", wallet_id, note: "theirs" })
        const refusals = yield* Effect.forEach(["refund", "credit"] as const, (action) =>
          Effect.flip(exceptions.resolve(m.operator, recall!.id, { action, wallet_id, note: "again" }))
        )
        assert.deepEqual(
          refusals.map((one) => ("message" in one ? one.message : one)),
          [`Exception ${recall!.id} holds no money to refund.`, `Exception ${recall!.id} holds no money to credit.`]
        )
      })
    ))
})
