/** Payouts on an EVM chain: what is refused, replaced, removed and decided by rule. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionData, getAddress, type Hex, numberToHex, parseGwei } from "viem"
import type { PayoutCommand } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import {
  adapterOf,
  agrees,
  beneficiary,
  setBlocked,
  does,
  finalities,
  type EvmChain,
  fundPlatform,
  hot,
  localSigner,
  onChain,
  optionsFor,
  balanceAt,
  payer,
  payout
} from "../../support/chains/evm-world.ts"
import { testToken } from "../../support/chains/test-token.ts"
import { covers } from "../../support/repository/covers.ts"

const nonceOf = (chain: EvmChain) =>
  Effect.promise(() => chain.client.getTransactionCount({ address: hot.address, blockTag: "pending" }))

const slotOf = (nonce: number) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const row = yield* storage.find("evm_slot", `8453:${hot.address.toLowerCase()}:${nonce}`)
    return row?.data as { readonly attempts: ReadonlyArray<{ readonly hash: Hex; readonly raw: Hex }> } | undefined
  })

describe.each(finalities)("a payout, final blocks %s", (finality) => {
  covers("EVM-5")
  it.effect("is executed once, however often it is submitted, and settled with its hash when that is final", () =>
    onChain(
      (chain) =>
        Effect.gen(function* () {
          const { adapter, all, poll } = yield* fundPlatform(chain)
          const command = payout("30")
          const { lookup, submit } = adapter.payouts!
          const results = yield* Effect.all([submit(command), submit(command), submit(command)], { concurrency: 3 })
          for (const result of results) assert.deepStrictEqual(result, { _tag: "accepted" })
          assert.deepStrictEqual(yield* lookup(command), { _tag: "pending" })
          yield* does(() => chain.mine(8))
          yield* poll
          assert.deepStrictEqual(all, [])
          assert.deepStrictEqual(yield* submit(command), { _tag: "accepted" })
          yield* does(() => chain.mine(1))
          yield* poll
          const [hash] = (yield* slotOf(0))!.attempts.map((one) => one.hash)
          const outcome = yield* lookup(command)
          assert.strictEqual(outcome._tag, "settled")
          assert.strictEqual(all.length, 1)
          const [event] = all
          if (event?._tag !== "movement" || outcome._tag !== "settled") throw new Error("no movement")
          const { event_id: _, merchant_id, resource_id, _tag, ...reported } = event
          assert.deepStrictEqual(reported, outcome.outcome)
          assert.deepStrictEqual([merchant_id, resource_id], ["mer_a", command.resource_id])
          assert.deepStrictEqual([reported.outcome, reported.transaction_hash], ["success", hash])
          assert.deepStrictEqual(yield* submit(command), outcome)
          assert.strictEqual(yield* balanceAt(chain), 30_000_000n)
          assert.strictEqual(yield* nonceOf(chain), 1)
          yield* agrees(chain, adapter, [], 100_000_000n)
        }),
      finality
    )
  )

  covers("EVM-7")
  it.effect("that is stuck by its price is replaced at its nonce, and settled by whichever hash is final", () =>
    onChain(
      (chain) =>
        Effect.gen(function* () {
          const { adapter, all, poll } = yield* fundPlatform(chain)
          const [a, b] = [payout("10"), payout("20")]
          yield* adapter.payouts!.submit(a)
          yield* adapter.payouts!.submit(b)
          // Blocks become dearer than what was offered, and stay empty.
          const raise = (gwei: string) => () =>
            chain.rpc("hardhat_setNextBlockBaseFeePerGas", [numberToHex(parseGwei(gwei))])
          for (const gwei of ["40", "400"]) {
            yield* does(raise(gwei), chain.mine)
            assert.strictEqual(yield* balanceAt(chain), 0n)
            yield* TestClock.adjust(60_000)
            yield* poll
          }
          yield* does(raise("1"), chain.finalize)
          yield* poll
          yield* does(chain.finalize)
          yield* TestClock.adjust(60_000)
          yield* poll
          yield* does(chain.finalize)
          yield* poll
          assert.strictEqual((yield* slotOf(0))?.attempts.length, 3)
          assert.strictEqual(yield* balanceAt(chain), 30_000_000n)
          assert.strictEqual(yield* nonceOf(chain), 2)
          assert.deepStrictEqual(
            all.map((event) => event._tag === "movement" && event.outcome),
            ["success", "success"]
          )
          yield* agrees(chain, adapter, [], 100_000_000n)
        }),
      finality
    )
  )
})

covers("EVM-7")
describe("a payout that no block has for a while", () => {
  it.effect("is replaced with fees that the node takes, though nothing has become dearer", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain)
        yield* adapter.payouts!.submit(payout("10"))
        yield* TestClock.adjust(59_999)
        yield* poll
        assert.strictEqual((yield* slotOf(0))?.attempts.length, 1)
        for (let replacement = 1; replacement <= 3; replacement++) {
          yield* TestClock.adjust(60_000)
          yield* poll
          const { attempts } = (yield* slotOf(0))!
          assert.strictEqual(attempts.length, replacement + 1)
          const pending = yield* Effect.promise(() => chain.rpc("eth_getTransactionByHash", [attempts.at(-1)!.hash]))
          assert.strictEqual(pending?.nonce, "0x0")
        }
        yield* does(chain.finalize)
        yield* poll
        const [event] = all
        assert.strictEqual(
          event?._tag === "movement" && event.transaction_hash,
          (yield* slotOf(0))?.attempts.at(-1)?.hash
        )
        assert.strictEqual(yield* balanceAt(chain), 10_000_000n)
        yield* agrees(chain, adapter, [], 100_000_000n)
      })
    )
  )
})

covers("BENEFICIARY-4")
describe("an address in one case, which has no checksum,", () => {
  const upper: Hex = "0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359"
  it.effect.each([upper, upper.toLowerCase() as Hex])("is paid: %s", (address) =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, poll } = yield* fundPlatform(chain)
        const destination = { type: "crypto", network: "base", address, memo: null } as const
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("7", { destination })), { _tag: "accepted" })
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(yield* balanceAt(chain, getAddress(address)), 7_000_000n)
      })
    )
  )

  it.effect("is the contract of a token in the configuration", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const address = `0x${chain.usdc.slice(2).toUpperCase()}` as Hex
        const { adapter } = yield* fundPlatform(chain, { tokens: { USDC: { address, decimals: 6 } } })
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("7")), { _tag: "accepted" })
      })
    )
  )
})

covers("EVM-6")
describe("a payout that cannot be made", () => {
  const wrong: ReadonlyArray<readonly [string, Partial<PayoutCommand>, RegExp]> = [
    ["another currency", { currency: "EURC" }, /EURC is not configured on base/],
    ["more decimals than the token", { amount: "1.0000001" }, /1.0000001 is not an amount of USDC/],
    ["a bank account", { destination: { type: "fiat" } as never }, /not on base/],
    [
      "another network",
      { destination: { type: "crypto", network: "solana", address: beneficiary, memo: null } },
      /not on base/
    ],
    ["a memo", { destination: { type: "crypto", network: "base", address: beneficiary, memo: "1" } }, /memo/],
    ["no address", { destination: { type: "crypto", network: "base", address: "0x12", memo: null } }, /no address/],
    [
      "a mistyped address",
      { destination: { type: "crypto", network: "base", address: hot.address.replace("F", "f"), memo: null } },
      /no address/
    ],
    [
      "the zero address",
      { destination: { type: "crypto", network: "base", address: `0x${"0".repeat(40)}`, memo: null } },
      /zero address/
    ],
    [
      "itself",
      { destination: { type: "crypto", network: "base", address: hot.address, memo: null } },
      /platform's own wallet/
    ]
  ]
  it.effect("is rejected, and takes no nonce", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter } = yield* fundPlatform(chain)
        const token = { type: "crypto", network: "base", address: chain.usdc, memo: null } as const
        for (const [what, more, reason] of [...wrong, ["a token", { destination: token }, /is a token/] as const]) {
          const result = yield* adapter.payouts!.submit(payout("1", more))
          if (result._tag !== "rejected") throw new Error(`${what}: ${result._tag}`)
          assert.match(result.reason, reason)
          assert.isTrue(result.refundable)
        }
        assert.strictEqual(yield* nonceOf(chain), 0)
      })
    )
  )

  it.effect("is unavailable when the final float is below what is open, and takes no nonce", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, poll } = yield* fundPlatform(chain)
        const { lookup, submit } = adapter.payouts!
        // Twelve at once, of which a float of 100 pays three.
        const commands = Array.from({ length: 12 }, () => payout("30"))
        const results = yield* Effect.all(commands.map(submit), { concurrency: "unbounded" })
        assert.strictEqual(results.filter(({ _tag }) => _tag === "accepted").length, 3)
        assert.strictEqual(results.filter(({ _tag }) => _tag === "unavailable").length, 9)
        assert.strictEqual(yield* nonceOf(chain), 3)
        const waiting = commands[results.findIndex(({ _tag }) => _tag === "unavailable")]!
        // Money that has arrived counts once it is final.
        yield* does(() => chain.give(hot.address, "50"))
        assert.deepStrictEqual(yield* submit({ ...waiting, attempt: 1 }), { _tag: "unavailable" })
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(yield* lookup(waiting), { _tag: "absent" })
        assert.deepStrictEqual(yield* submit({ ...waiting, attempt: 2 }), { _tag: "accepted" })
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(yield* balanceAt(chain), 120_000_000n)
        yield* agrees(chain, adapter, [], 100_000_000n)
      })
    )
  )

  it.effect("is unavailable without gas, or when gas is too dear, and the adapter is not ready", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter } = yield* fundPlatform(chain, { max_fee_gwei: "20" })
        assert.isTrue(yield* adapter.ready!("mer_a"))
        yield* does(() => chain.rpc("hardhat_setNextBlockBaseFeePerGas", [numberToHex(parseGwei("30"))]), chain.mine)
        assert.isFalse(yield* adapter.ready!("mer_a"))
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("1")), { _tag: "unavailable" })
        yield* does(() => chain.rpc("hardhat_setNextBlockBaseFeePerGas", [numberToHex(parseGwei("1"))]), chain.mine)
        assert.isTrue(yield* adapter.ready!("mer_a"))
        yield* does(() => chain.rpc("hardhat_setBalance", [hot.address, "0x1"]))
        assert.isFalse(yield* adapter.ready!("mer_a"))
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("1")), { _tag: "unavailable" })
        assert.strictEqual(yield* nonceOf(chain), 0)
      })
    )
  )

  it.effect("is rejected when the signer refuses, with what it is for, and takes no nonce", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const intents: Array<unknown> = []
        const policy = (_: string, intent: object) => {
          intents.push(intent)
          return "amounts above 5 need two people"
        }
        const adapter = yield* adapterOf(optionsFor(chain), localSigner(policy))
        const command = payout("7.5")
        assert.deepStrictEqual(yield* adapter.payouts!.submit(command), {
          _tag: "rejected",
          reason: "amounts above 5 need two people",
          refundable: true
        })
        assert.deepStrictEqual(intents, [
          {
            command_id: command.id,
            purpose: "payout",
            amount: "7.5",
            currency: "USDC",
            destination: getAddress(beneficiary)
          }
        ])
        assert.strictEqual(yield* nonceOf(chain), 0)
        assert.deepStrictEqual(yield* adapter.payouts!.lookup(command), { _tag: "absent" })
      })
    )
  )

  it.effect("has failed once its reverted transaction is final, also where a token only returns false", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain)
        yield* does(setBlocked(chain, beneficiary, true), chain.finalize)
        const command = payout("10")
        yield* adapter.payouts!.submit(command)
        yield* does(() => chain.mine(4))
        yield* poll
        assert.deepStrictEqual(yield* adapter.payouts!.lookup(command), { _tag: "pending" })
        yield* does(chain.finalize)
        yield* poll
        const lies = encodeFunctionData({ abi: testToken.abi, functionName: "configure", args: [false, true] })
        yield* does(
          setBlocked(chain, beneficiary, false),
          () => chain.send(chain.wallets.bank, chain.usdc, lies),
          chain.finalize
        )
        yield* adapter.payouts!.submit(payout("10"))
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(
          all.map((event) => event._tag === "movement" && [event.outcome, event.reason]),
          [
            ["failed", "the transaction reverted"],
            ["failed", "the transaction reverted"]
          ]
        )
        const outcome = yield* adapter.payouts!.lookup(command)
        assert.strictEqual(outcome._tag === "settled" && outcome.outcome.outcome, "failed")
        assert.strictEqual((yield* adapter.payouts!.submit(command))._tag, "settled")
        assert.strictEqual(yield* balanceAt(chain), 0n)
        yield* agrees(chain, adapter, [], 100_000_000n)
        // The money is free again.
        const truth = encodeFunctionData({ abi: testToken.abi, functionName: "configure", args: [true, false] })
        yield* does(() => chain.send(chain.wallets.bank, chain.usdc, truth), chain.mine)
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("100")), { _tag: "accepted" })
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(yield* balanceAt(chain), 100_000_000n)
      })
    )
  )
})

/** A transaction of the hot wallet that the adapter did not make, at a nonce. */
const byHand = (chain: EvmChain, nonce: number, to: Hex, amount: string) => () =>
  chain.send(chain.wallets.hot, chain.usdc, chain.call("transfer", chain.usdc, to, amount), {
    nonce,
    maxFeePerGas: parseGwei("200"),
    maxPriorityFeePerGas: parseGwei("50")
  })

covers("EVM-8")
describe("a payout whose nonce another transaction takes", () => {
  it.effect("is absent once that is final, and may be submitted again, under a new nonce", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain)
        const { lookup, submit } = adapter.payouts!
        const command = payout("10")
        yield* submit(command)
        yield* does(byHand(chain, 0, payer.address, "1"), () => chain.mine(3))
        yield* poll
        assert.deepStrictEqual(yield* lookup(command), { _tag: "pending" })
        // The node does not take the recorded bytes any more, which says nothing.
        assert.strictEqual((yield* Effect.flip(submit(command)))._tag, "ProviderFault")
        yield* does(chain.finalize)
        assert.deepStrictEqual(yield* lookup(command), { _tag: "absent" })
        yield* poll
        assert.deepStrictEqual(all, [])
        // What was sent before the look-up does nothing any more.
        assert.deepStrictEqual(yield* submit(command), { _tag: "unavailable" })
        assert.deepStrictEqual(yield* submit({ ...command, attempt: 1 }), { _tag: "accepted" })
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(all.length, 1)
        assert.strictEqual(yield* balanceAt(chain), 10_000_000n)
        assert.strictEqual(yield* nonceOf(chain), 2)
        yield* agrees(chain, adapter, [], 100_000_000n)
      })
    )
  )

  it.effect("is paid when that pays the beneficiary, in whole or in part", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain)
        const [whole, part] = [payout("10"), payout("20")]
        yield* adapter.payouts!.submit(whole)
        yield* adapter.payouts!.submit(part)
        yield* does(byHand(chain, 0, beneficiary, "10"), byHand(chain, 1, beneficiary, "15"), chain.finalize)
        yield* poll
        assert.sameDeepMembers(
          all.map((event) => event._tag === "movement" && [event.outcome, event.amount ?? "whole"]),
          [
            ["success", "whole"],
            ["success", "15"]
          ]
        )
        assert.strictEqual((yield* adapter.payouts!.submit(whole))._tag, "settled")
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(yield* balanceAt(chain), 25_000_000n)
        yield* agrees(chain, adapter, [], 100_000_000n)
      })
    )
  )

  it.effect("is absent when the adapter itself cancels it with a self-transfer", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain, { cancel_after_ms: 600_000 })
        const command = payout("10")
        yield* adapter.payouts!.submit(command)
        yield* does(() => chain.rpc("hardhat_setNextBlockBaseFeePerGas", [numberToHex(parseGwei("40"))]), chain.mine)
        yield* TestClock.adjust(600_000)
        yield* poll
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(all, [])
        assert.deepStrictEqual(yield* adapter.payouts!.lookup(command), { _tag: "absent" })
        assert.deepStrictEqual((yield* slotOf(0))?.attempts.length, 2)
        assert.strictEqual(yield* balanceAt(chain), 0n)
        yield* agrees(chain, adapter, [], 100_000_000n)
      })
    )
  )

  it.effect("does not stop the next one, nor does a transaction by hand that a reorganisation removes", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain)
        yield* does(byHand(chain, 0, payer.address, "1"), chain.mine)
        yield* adapter.payouts!.submit(payout("10"))
        assert.isUndefined(yield* slotOf(0))
        assert.isDefined(yield* slotOf(1))
        yield* does(() => chain.reorg(1))
        // Nobody has nonce 0 now, and nonce 1 waits for it.
        for (let round = 0; round < 3; round++) {
          yield* does(chain.finalize)
          yield* poll
        }
        assert.strictEqual(yield* balanceAt(chain), 10_000_000n)
        assert.strictEqual(all.length, 1)
        yield* agrees(chain, adapter, [], 100_000_000n)
      })
    )
  )
})

covers("EVM-9")
describe("a payout whose block is removed", () => {
  it.effect("is sent again, the same bytes, and paid once", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain)
        const command = payout("10")
        yield* adapter.payouts!.submit(command)
        yield* does(() => chain.mine(3))
        yield* poll
        yield* does(() => chain.reorg(3))
        assert.strictEqual(yield* balanceAt(chain), 0n)
        assert.deepStrictEqual(yield* adapter.payouts!.lookup(command), { _tag: "pending" })
        yield* poll
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(yield* balanceAt(chain), 10_000_000n)
        assert.strictEqual((yield* slotOf(0))?.attempts.length, 1)
        assert.strictEqual(all.length, 1)
        yield* agrees(chain, adapter, [], 100_000_000n)
      })
    )
  )
})
