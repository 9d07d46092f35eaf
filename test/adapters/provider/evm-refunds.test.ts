/** Refunds on an EVM chain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex, parseEther, parseGwei } from "viem"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { EMPTY, Storage } from "../../../src/engine/ports/Storage.ts"
import {
  agrees,
  beneficiary,
  setBlocked,
  does,
  type EvmChain,
  fundPlatform,
  issueAddress,
  hot,
  onChain,
  payer,
  refundCommand,
  statement
} from "../../support/chains/evm-world.ts"
import { covers } from "../../support/repository/covers.ts"

covers("EVM-10")
describe("a refund", () => {
  const deposited = (chain: EvmChain, amount: string) =>
    Effect.gen(function* () {
      const { adapter, all, poll } = yield* fundPlatform(chain)
      const address = yield* issueAddress(adapter, 1)
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

  it.effect("of what the contract of a token gave is rejected: nobody could spend it there", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, address, all, poll } = yield* deposited(chain, "9")
        yield* does(
          () => chain.give(chain.usdc, "3"),
          () => chain.rpc("hardhat_impersonateAccount", [chain.usdc]),
          () => chain.rpc("hardhat_setBalance", [chain.usdc, numberToHex(parseEther("1"))]),
          () =>
            chain.rpc("eth_sendTransaction", [
              { from: chain.usdc, to: chain.usdc, data: chain.call("transfer", chain.usdc, address, "3") }
            ]),
          chain.finalize
        )
        yield* poll
        const given = all.findLast((event) => event._tag === "payin") as PayinEvent
        assert.strictEqual(given.from_address?.toLowerCase(), chain.usdc)
        const result = yield* adapter.payins!.refund(refundCommand(given.payin_id, "3"))
        assert.strictEqual(result._tag, "rejected")
        assert.match((result as { readonly reason: string }).reason, /is a token, which cannot be paid/)
      })
    )
  )

  /** Changes the entries of a kind, as an earlier build does. */
  const rewrite = (kind: string, change: (data: object) => object) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { items } = yield* storage.list({ kinds: [kind], index_keys: [], offset: 0, limit: 10 })
      for (const row of items) {
        const next = { ...row, version: row.version + 1, data: change(row.data as object), via: "evm", from: row.state }
        const { merchant_id, updated_at: at } = row
        assert.strictEqual((yield* storage.commit({ ...EMPTY, merchant_id, at, rows: [next] }))._tag, "Committed")
      }
    })
  const counted = (refunded: string) => rewrite("evm_payin", (data) => ({ ...data, refunded }))
  /** The pay-in and its refund as an earlier build has written them. */
  const earlier = (payin_id: string, refunded: string) =>
    Effect.andThen(
      rewrite("evm_payin", (data) => ({ ...data, refunds: undefined, refunded })),
      rewrite("evm_payment", (data) => ({ ...data, payin_id }))
    )
  const exceeds = { _tag: "rejected", reason: "the refunds would exceed the pay-in", refundable: false } as const

  it.effect("of an earlier build that reverts leaves its amount to another one", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, payin_id, poll } = yield* deposited(chain, "9")
        yield* does(setBlocked(chain, payer.address, true), chain.mine)
        const first = refundCommand(payin_id, "9")
        yield* adapter.payins!.refund(first)
        yield* earlier(payin_id, "9000000")
        assert.deepStrictEqual(yield* adapter.payins!.refund(refundCommand(payin_id, "9")), exceeds)
        yield* does(chain.finalize, setBlocked(chain, payer.address, false), chain.mine)
        yield* poll
        assert.strictEqual((yield* adapter.payins!.lookupRefund(first))._tag, "settled")
        const second = refundCommand(payin_id, "9")
        assert.deepStrictEqual(yield* adapter.payins!.refund(second), { _tag: "accepted" })
        assert.deepStrictEqual(yield* adapter.payins!.refund(refundCommand(payin_id, "1")), exceeds)
      })
    )
  )

  it.effect("of an earlier build whose nonce another transaction takes is made once more, and counts once", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, payin_id, poll } = yield* deposited(chain, "9")
        const command = refundCommand(payin_id, "9")
        yield* adapter.payins!.refund(command)
        yield* earlier(payin_id, "9000000")
        yield* does(async () => {
          const nonce = (await chain.client.getTransactionCount({ address: hot.address, blockTag: "pending" })) - 1
          const fees = { maxFeePerGas: parseGwei("200"), maxPriorityFeePerGas: parseGwei("50") }
          await chain.send(chain.wallets.hot, beneficiary, "0x", { nonce, ...fees })
        }, chain.finalize)
        yield* poll
        assert.deepStrictEqual(yield* adapter.payins!.lookupRefund(command), { _tag: "absent" })
        assert.deepStrictEqual(yield* adapter.payins!.refund(command), { _tag: "accepted" })
        assert.deepStrictEqual(yield* adapter.payins!.refund(refundCommand(payin_id, "1")), exceeds)
      })
    )
  )

  it.effect("that an earlier build counts meanwhile counts", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, payin_id } = yield* deposited(chain, "9")
        yield* counted("0")
        assert.deepStrictEqual(yield* adapter.payins!.refund(refundCommand(payin_id, "1")), { _tag: "accepted" })
        yield* counted("8000000")
        assert.deepStrictEqual(yield* adapter.payins!.refund(refundCommand(payin_id, "1")), exceeds)
      })
    )
  )
})
