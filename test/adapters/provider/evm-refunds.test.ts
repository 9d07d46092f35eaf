/** Refunds on an EVM chain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import {
  agrees,
  blocked,
  does,
  type EvmChain,
  funded,
  issued,
  onChain,
  paidTo,
  payer,
  refundCommand
} from "../../support/chains/evm-world.ts"
import { covers } from "../../support/repository/covers.ts"

covers("EVM-10")
describe("a refund", () => {
  const deposited = (chain: EvmChain, amount: string) =>
    Effect.gen(function* () {
      const { adapter, all, poll } = yield* funded(chain)
      const address = yield* issued(adapter, 1)
      yield* does(() => chain.pay(address, amount), chain.finalize)
      yield* poll
      const [payin] = all.filter((event): event is PayinEvent => event._tag === "payin")
      return { adapter, address, payin_id: payin!.payin_id, poll, all }
    })

  it.effect("goes to the payer, and the sum of all never exceeds the pay-in", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, address, all, payin_id, poll } = yield* deposited(chain, "9")
        const before = yield* paidTo(chain, payer.address)
        const { lookupRefund, refund } = adapter.payins!
        const commands = Array.from({ length: 8 }, () => refundCommand(payin_id, "4"))
        const results = yield* Effect.all(commands.map(refund), { concurrency: 8 })
        assert.strictEqual(results.filter(({ _tag }) => _tag === "accepted").length, 2)
        const late = results.find(({ _tag }) => _tag === "rejected")
        assert.strictEqual(late?._tag === "rejected" && late.reason, "the refunds would exceed the pay-in")
        for (let round = 0; round < 4; round++) {
          yield* does(chain.finalize)
          yield* poll
        }
        assert.strictEqual(yield* paidTo(chain, payer.address), before + 8_000_000n)
        const accepted = commands[results.findIndex(({ _tag }) => _tag === "accepted")]!
        const status = yield* lookupRefund(accepted)
        assert.strictEqual(status._tag === "settled" && status.outcome.outcome, "success")
        assert.deepStrictEqual(
          all.filter((event) => event._tag === "refund").map((event) => event.outcome),
          ["success", "success"]
        )
        yield* agrees(chain, adapter, [address], 100_000_000n)
      })
    )
  )

  it.effect("that fails may be made again, and one of an unknown pay-in or payer is rejected", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, address, all, payin_id, poll } = yield* deposited(chain, "9")
        const { refund } = adapter.payins!
        assert.strictEqual((yield* refund(refundCommand("nothing", "1")))._tag, "rejected")
        assert.strictEqual((yield* refund(refundCommand(payin_id, "1", { currency: "USDT" })))._tag, "rejected")
        yield* does(() => chain.give(address, "3"), chain.finalize)
        yield* poll
        const minted = all.findLast((event) => event._tag === "payin") as PayinEvent
        const unknown = yield* refund(refundCommand(minted.payin_id, "3"))
        assert.match(unknown._tag === "rejected" ? unknown.reason : "", /payer is unknown/)

        yield* does(blocked(chain, payer.address, true), chain.mine)
        const first = refundCommand(payin_id, "9")
        assert.deepStrictEqual(yield* refund(first), { _tag: "accepted" })
        yield* does(chain.finalize, blocked(chain, payer.address, false), chain.finalize)
        yield* poll
        const failed = yield* adapter.payins!.lookupRefund(first)
        assert.strictEqual(failed._tag === "settled" && failed.outcome.outcome, "failed")
        assert.deepStrictEqual(yield* refund(refundCommand(payin_id, "9")), { _tag: "accepted" })
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(
          all.filter((event) => event._tag === "refund").map((event) => event.outcome),
          ["failed", "success"]
        )
      })
    )
  )
})
