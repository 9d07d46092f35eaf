/** Lists of logs that are not what the chain has: a log twice, removed, missing, or of another block. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Hex, padHex } from "viem"
import { does, type EvmChain, hot, payout, statement } from "../../support/chains/evm-world.ts"
import { honest, type Lie, many, onLiar, payins, stagesOf, watching } from "../../support/chains/liar.ts"
import { covers } from "../../support/repository/covers.ts"

const shouted = (log: any) => ({
  ...log,
  blockHash: log.blockHash.toUpperCase().replace("0X", "0x"),
  transactionHash: log.transactionHash.toUpperCase().replace("0X", "0x")
})
const removed = (log: any) => ({ ...log, removed: true })

covers("EVM-19")
describe("a log that a node lists twice", () => {
  it.effect.each([
    ["one after the other", (logs: ReadonlyArray<any>) => logs.flatMap((log) => [log, log])],
    ["the whole list again", (logs: ReadonlyArray<any>) => [...logs, ...logs]],
    ["with hashes in capitals", (logs: ReadonlyArray<any>) => [...logs, ...logs.map(shouted)]],
    ["the second time as removed", (logs: ReadonlyArray<any>) => [...logs, ...logs.map(removed)]]
  ] as const)("is one transfer: %s", ([, listed]) =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url)
        lie.list = listed
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.mine)
        yield* poll
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["detected 5", "confirmed 5"])
      })
    )
  )

  it.effect("does not hide an equal transfer of the same transaction", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url)
        lie.list = (logs) => [...logs, ...logs]
        yield* does(() => many(chain, [addresses[0]!, addresses[0]!, addresses[1]!], [5n, 5n, 5n]), chain.finalize)
        yield* poll
        assert.strictEqual(new Set(payins(all).map(({ payin_id }) => payin_id)).size, 3)
        assert.strictEqual(all.length, 3)
      })
    )
  )

  it.effect("pays nothing twice in the receipt of a payout", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const { adapter, all, poll } = yield* watching(chain, lie.url)
        lie.receipt = (logs) => [...logs, ...logs, ...logs.map(removed)]
        const command = payout("10")
        yield* adapter.payouts!.submit(command)
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(
          all.map((event) => (event._tag === "movement" ? [event.outcome, event.amount] : [])),
          [["success", undefined]]
        )
        assert.deepStrictEqual(
          (yield* statement(adapter)).filter(({ currency }) => currency === "USDC").map(({ amount }) => amount),
          ["10"]
        )
      })
    )
  )
})

covers("EVM-19")
describe("a log that a node says was removed", () => {
  it.effect("is no transfer", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url)
        lie.list = (logs) => logs.map(removed)
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.mine)
        yield* poll
        assert.deepStrictEqual(all, [])
      })
    )
  )
})

covers("EVM-19")
it.effect("an answer with two transfers at one place of a block is none", () =>
  onLiar((chain, lie) =>
    Effect.gen(function* () {
      const { addresses, all, poll } = yield* watching(chain, lie.url)
      const other = padHex(addresses[1]!.toLowerCase() as Hex, { size: 32 })
      lie.list = (logs) => [...logs, ...logs.map((log) => ({ ...log, topics: [log.topics[0], log.topics[1], other] }))]
      yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
      yield* Effect.flip(poll)
      assert.deepStrictEqual(all, [])
      lie.list = (logs) => logs
      yield* poll
      assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
    })
  )
)

/** The call number `n` of a filter, and later ones. */
const fromBlockOf = (filter: any): string => ("blockHash" in filter ? "hash" : "range")

covers("EVM-20")
describe("a list of logs that lacks a deposit", () => {
  it.effect.each([
    ["is empty", () => []],
    ["lacks the first one", (logs: ReadonlyArray<any>) => logs.slice(1)],
    ["lacks the last one", (logs: ReadonlyArray<any>) => logs.slice(0, -1)],
    ["is complete for ranges, and empty for blocks", (logs, filter) => (fromBlockOf(filter) === "range" ? logs : [])]
  ] as ReadonlyArray<readonly [string, Lie]>)(
    "stops the feed, which goes on once the list is complete: it %s",
    ([, list]) =>
      onLiar((chain, lie) =>
        Effect.gen(function* () {
          const { addresses, all, poll } = yield* watching(chain, lie.url)
          lie.list = list
          // Three equal ones in one transaction: one that is missing shows in nothing but the balance.
          yield* does(() => many(chain, [addresses[0]!, addresses[0]!, addresses[0]!], [5n, 5n, 5n]), chain.finalize)
          const fault = yield* Effect.flip(poll)
          assert.match(fault.message, new RegExp(`${addresses[0]} holds 0.0000(05|1|15) USDC more than the logs say`))
          yield* does(() => chain.pay(addresses[1]!, "7"), chain.finalize)
          yield* Effect.flip(poll)
          yield* Effect.flip(poll)
          assert.deepStrictEqual(
            stagesOf(all).filter((stage) => stage.startsWith("confirmed")),
            []
          )
          lie.list = honest
          yield* poll
          assert.deepStrictEqual(
            stagesOf(all).filter((stage) => stage.startsWith("confirmed")),
            ["confirmed 0.000005", "confirmed 0.000005", "confirmed 0.000005", "confirmed 7"]
          )
          yield* does(() => chain.pay(addresses[2]!, "8"), chain.finalize)
          yield* poll
          assert.strictEqual(stagesOf(all).at(-1), "confirmed 8")
        })
      )
  )

  it.effect("settles payouts all the same", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const { adapter, addresses, all, poll } = yield* watching(chain, lie.url)
        lie.list = () => []
        yield* does(() => chain.pay(addresses[0]!, "5"))
        yield* adapter.payouts!.submit(payout("10"))
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(
          all.map((event) => (event._tag === "movement" ? event.outcome : event._tag)),
          ["success"]
        )
        yield* Effect.flip(poll)
      })
    )
  )

  it.effect("that comes from a machine that lags behind is none, and what it has is not taken for the rest", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url)
        yield* does(
          () => chain.pay(addresses[0]!, "5"),
          () => chain.mine(3),
          () => chain.pay(addresses[0]!, "6"),
          chain.finalize
        )
        let calls = 0
        lie.list = (logs, filter) => {
          if ("blockHash" in filter && ++calls > 1) throw new Error("unknown block")
          return logs
        }
        yield* Effect.flip(poll)
        assert.deepStrictEqual(all, [])
        lie.list = honest
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5", "confirmed 6"])
      })
    )
  )

  it.effect("holds nothing up where the token's balances are said to prove nothing", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const tokens = { USDC: { address: chain.usdc, decimals: 6, balance_proof: false } }
        const { addresses, all, poll } = yield* watching(chain, lie.url, { tokens })
        lie.list = () => []
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        yield* poll
        lie.list = honest
        yield* does(() => chain.pay(addresses[1]!, "6"), chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["confirmed 6"])
      })
    )
  )
})

covers("EVM-20")
describe("a log", () => {
  it.effect.each([
    ["of another block than was asked for", (log: any) => ({ ...log, blockHash: `0x${"ab".repeat(32)}` })],
    ["of another height than its block has", (log: any) => ({ ...log, blockNumber: "0x1" })]
  ] as const)("is not credited: %s", ([, changed]) =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url)
        lie.list = (logs) => logs.map(changed)
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        yield* Effect.flip(poll)
        assert.deepStrictEqual(all, [])
      })
    )
  )

  it.effect("of a token that was not asked for is none", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url)
        const spam = (log: any) => ({ ...log, address: `0x${"ab".repeat(20)}`, logIndex: "0x77" })
        lie.list = (logs) => [...logs, ...logs.map(spam)]
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
      })
    )
  )
})

covers("EVM-21")
describe("a deposit that was missed, in blocks that the feed has passed", () => {
  const tokensWithout = (chain: EvmChain) => ({ USDC: { address: chain.usdc, decimals: 6, balance_proof: false } })
  const tokensWith = (chain: EvmChain) => ({ USDC: { address: chain.usdc, decimals: 6 } })

  /** A feed that has passed a deposit of 5 by as many blocks, as an earlier release did, and then had one of 6. */
  const passed = (chain: EvmChain, lie: { readonly url: string; list: Lie }, blocks: number) =>
    Effect.gen(function* () {
      const before = yield* watching(chain, lie.url, { tokens: tokensWithout(chain) })
      lie.list = () => []
      yield* does(() => chain.pay(before.addresses[0]!, "5"), chain.finalize)
      yield* before.poll
      lie.list = honest
      yield* does(
        () => chain.pay(before.addresses[1]!, "6"),
        () => chain.mine(blocks),
        chain.finalize
      )
      yield* before.poll
      yield* before.poll
      assert.deepStrictEqual(stagesOf(before.all), ["confirmed 6"])
      return before
    })

  it.effect("is found by the balances, however far back it is", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses } = yield* passed(chain, lie, 150)
        const after = yield* watching(chain, lie.url, { tokens: tokensWith(chain), block_range: 10 })
        yield* does(() => chain.pay(addresses[2]!, "7"), chain.finalize)
        // What is in the books is told first.
        yield* after.poll
        let rounds = 1
        for (; rounds < 9 && !stagesOf(after.all).includes("confirmed 7"); rounds++) yield* Effect.exit(after.poll)
        // Nothing is read again after the first difference; then 10, 40 and 160 blocks are.
        assert.strictEqual(rounds, 5)
        assert.deepStrictEqual(stagesOf(after.all).toSorted(), ["confirmed 5", "confirmed 6", "confirmed 7"])
      })
    )
  )

  it.effect("is found by a reading that an operator asks for, and nothing else changes, however often", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* passed(chain, lie, 20)
        const from = 2
        for (let n = 0; n < 3; n++) {
          const range = yield* adapter.events!.rescan!(from)
          assert.strictEqual(range.from, from)
          yield* poll
          yield* poll
          assert.deepStrictEqual(stagesOf(all), ["confirmed 6", "confirmed 5"])
        }
        assert.strictEqual(new Set(all.map((event) => event._tag === "payin" && event.payin_id)).size, 2)
      })
    )
  )

  it.effect("is looked for again, when no node had it", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses } = yield* passed(chain, lie, 5)
        const after = yield* watching(chain, lie.url, { tokens: tokensWith(chain), block_range: 10 })
        yield* does(() => chain.pay(addresses[2]!, "7"), chain.finalize)
        const missed = addresses[0]!.slice(2).toLowerCase()
        lie.list = (logs) => logs.filter(({ topics }) => !topics[2].includes(missed))
        for (let round = 0; round < 9; round++) yield* Effect.exit(after.poll)
        lie.list = honest
        yield* Effect.flip(after.poll)
        assert.notInclude(stagesOf(after.all), "confirmed 5")
        yield* TestClock.adjust(3_600_000)
        for (let round = 0; round < 4; round++) yield* Effect.exit(after.poll)
        assert.deepStrictEqual(stagesOf(after.all).toSorted(), ["confirmed 5", "confirmed 6", "confirmed 7"])
      })
    )
  )
})
