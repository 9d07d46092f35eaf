/** Payouts of final blocks that are replaced: what was told of them is made true again, or told otherwise, and nothing is paid twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Hex, numberToHex, parseGwei } from "viem"
import type { PayoutCommand, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import type { Slot } from "../../../src/adapters/provider/evm/entries.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import {
  type Adapter,
  agrees,
  balanceAt,
  beneficiary,
  does,
  type EvmChain,
  fundPlatform,
  hot,
  onChain,
  payer,
  payout,
  setBlocked
} from "../../support/chains/evm-world.ts"
import { covers } from "../../support/repository/covers.ts"

const other: Hex = "0x00000000000000000000000000000000000beef2"
const toOther = () => payout("20", { destination: { type: "crypto", network: "base", address: other, memo: null } })

const float = 100_000_000n

/** Outcome, amount and id of each. The ids are those of the nonce, and told apart. */
const outcomesOf = (events: ReadonlyArray<ProviderEvent>) =>
  events.map((event) =>
    event._tag === "movement" ? `${event.outcome} ${event.event_id.replace(/^.*payout:/, "")}` : ""
  )

/** A platform that has 100 USDC, and blocks that are final soon. `settle`: what waits is mined, final and read. */
const paying = (chain: EvmChain) =>
  Effect.gen(function* () {
    const { adapter, all, poll } = yield* fundPlatform(chain, { confirmations: 2 })
    yield* poll
    const read = Effect.andThen(poll, poll)
    const settle = Effect.andThen(
      does(() => chain.mine(3)),
      read
    )
    /** Time passes: what waits is sent, replaced, mined and settled. */
    const goOn = Effect.gen(function* () {
      for (let n = 0; n < 4; n++) {
        yield* read
        yield* TestClock.adjust(600_000)
        yield* does(() => chain.mine(3))
      }
      yield* read
    })
    const submit = (command: ReturnType<typeof payout>) => adapter.payouts!.submit(command)
    return { adapter, all, goOn, read, settle, submit }
  })

const isFailed = (adapter: Adapter, command: PayoutCommand) =>
  Effect.map(adapter.payouts!.lookup(command), (found) =>
    assert.strictEqual(found._tag === "settled" && found.outcome.outcome, "failed")
  )

const byHand = (chain: EvmChain, nonce: number, to: Hex, amount: string) => () =>
  chain.send(chain.wallets.hot, chain.usdc, chain.call("transfer", chain.usdc, to, amount), {
    nonce,
    maxFeePerGas: parseGwei("100"),
    maxPriorityFeePerGas: parseGwei("50")
  })

covers("EVM-7", "EVM-12", "EVM-25", "EVM-28")
describe("a payout that has succeeded, and whose final block is replaced", () => {
  it.effect("fails where its transaction reverts then, and is not paid when that block is replaced too", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, goOn, settle, submit } = yield* paying(chain)
        const command = payout("30")
        yield* submit(command)
        yield* settle
        assert.deepStrictEqual(outcomesOf(all), ["success 0"])
        // In the new chain the token's issuer has blocked the recipient first.
        yield* does(() => chain.reorg(4), setBlocked(chain, beneficiary, true), chain.mine)
        yield* goOn
        assert.deepStrictEqual(outcomesOf(all), ["success 0", "failed 0:2"])
        yield* isFailed(adapter, command)
        yield* agrees(chain, adapter, [], float)
        yield* does(() => chain.reorg(16), setBlocked(chain, beneficiary, false), chain.mine)
        yield* goOn
        assert.deepStrictEqual(outcomesOf(all), ["success 0", "failed 0:2"])
        yield* isFailed(adapter, command)
        assert.strictEqual(yield* balanceAt(chain), 0n)
        yield* agrees(chain, adapter, [], float)
      })
    )
  )

  it.effect("fails where another transaction uses its nonce then", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, goOn, settle, submit } = yield* paying(chain)
        const command = payout("30")
        yield* submit(command)
        yield* settle
        yield* does(() => chain.reorg(4), byHand(chain, 0, payer.address, "1"), chain.mine)
        yield* goOn
        assert.deepStrictEqual(outcomesOf(all), ["success 0", "failed 0:2"])
        yield* isFailed(adapter, command)
        assert.strictEqual((yield* submit(command))._tag, "settled")
        yield* goOn
        assert.strictEqual(yield* balanceAt(chain), 0n)
        yield* agrees(chain, adapter, [], float)
      })
    )
  )

  it.effect("is replaced with higher fees where gas has become dearer, and holds up no other", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, read, settle, submit } = yield* paying(chain)
        yield* submit(payout("30"))
        yield* settle
        const dear = () => chain.rpc("hardhat_setNextBlockBaseFeePerGas", [numberToHex(parseGwei("400"))])
        const mine = does(dear, chain.mine, dear, chain.mine, dear, chain.mine)
        yield* does(() => chain.reorg(4))
        yield* Effect.andThen(mine, read)
        yield* submit(toOther())
        for (let n = 0; n < 4; n++) {
          yield* TestClock.adjust(600_000)
          yield* read
          yield* mine
        }
        yield* read
        assert.deepStrictEqual([yield* balanceAt(chain), yield* balanceAt(chain, other)], [30_000_000n, 20_000_000n])
        assert.deepStrictEqual(outcomesOf(all), ["success 0", "success 1"])
        yield* agrees(chain, adapter, [], float)
      })
    )
  )
})

covers("EVM-8", "EVM-12", "EVM-28")
describe("a payout whose nonce a transaction by hand used, in a final block that is replaced", () => {
  const words = ["nobody sends its first transaction again", "a node still has its first transaction"] as const
  it.effect.each(words)("is paid once, and holds up no other: %s", (word) =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, goOn, settle, submit } = yield* paying(chain)
        const command = payout("30")
        yield* submit(command)
        const slot = yield* (yield* Storage).find("evm_slot", `8453:${hot.address.toLowerCase()}:0`)
        const [{ raw }] = (slot!.data as Slot).attempts
        yield* does(byHand(chain, 0, payer.address, "1"))
        yield* settle
        assert.deepStrictEqual(yield* adapter.payouts!.lookup(command), { _tag: "absent" })
        assert.deepStrictEqual(yield* submit({ ...command, attempt: 1 }), { _tag: "accepted" })
        yield* settle
        assert.strictEqual(yield* balanceAt(chain), 30_000_000n)
        yield* does(() => chain.reorg(7))
        if (word === "a node still has its first transaction")
          yield* does(() => chain.rpc("eth_sendRawTransaction", [raw]))
        yield* does(chain.mine)
        const next = toOther()
        yield* submit(next)
        yield* goOn
        yield* submit(next)
        yield* goOn
        assert.deepStrictEqual([yield* balanceAt(chain), yield* balanceAt(chain, other)], [30_000_000n, 20_000_000n])
        assert.notInclude(outcomesOf(all).join(), "failed")
        yield* agrees(chain, adapter, [], float)
      })
    )
  )
})
