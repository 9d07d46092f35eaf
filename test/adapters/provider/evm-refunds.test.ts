/** Refunds on an EVM chain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import {
  agrees,
  does,
  type EvmChain,
  funded,
  issued,
  onChain,
  refundCommand,
  statement
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

  it.effect("is in the statement, with its command", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, address, payin_id, poll } = yield* deposited(chain, "9")
        const command = refundCommand(payin_id, "4")
        yield* adapter.payins!.refund(command)
        for (let round = 0; round < 4; round++) {
          yield* does(chain.finalize)
          yield* poll
        }
        yield* agrees(chain, adapter, [address], 100_000_000n)
        const lines = (yield* statement(adapter)).filter(({ command_id }) => command_id === command.id)
        assert.deepStrictEqual(
          lines.filter(({ currency }) => currency === "USDC").map(({ amount, direction }) => [direction, amount]),
          [["debit", "4"]]
        )
      })
    )
  )

  it.effect("of an unknown payer is rejected", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, address, all, poll } = yield* deposited(chain, "9")
        yield* does(() => chain.give(address, "3"), chain.finalize)
        yield* poll
        const minted = all.findLast((event) => event._tag === "payin") as PayinEvent
        assert.deepStrictEqual(yield* adapter.payins!.refund(refundCommand(minted.payin_id, "3")), {
          _tag: "rejected",
          reason: "the payer of the pay-in is not known",
          refundable: false
        })
      })
    )
  )
})
