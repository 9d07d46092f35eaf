/** The statement of an EVM chain: all that our addresses got and paid, no matter who had it made, and what they hold at a final block. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import type { StatementLine, StatementPage } from "../../../src/engine/ports/provider-results.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import {
  beneficiary,
  does,
  type EvmChain,
  fundPlatform,
  hot,
  issueAddress,
  onChain,
  optionsFor,
  pagesOf,
  payer,
  payout,
  reader,
  statedBalance,
  closingDifference,
  adapterOf
} from "../../support/chains/evm-world.ts"
import { many, onLiar, watching } from "../../support/chains/liar.ts"
import { covers } from "../../support/repository/covers.ts"

const tokensIn = (pages: ReadonlyArray<StatementPage>): ReadonlyArray<StatementLine> =>
  pages.flatMap(({ lines }) => lines).filter(({ currency }) => currency !== "ETH")

const shown = ({ amount, command_id, direction, payin_id }: StatementLine) =>
  `${direction} ${amount}${command_id === null ? "" : " command"}${payin_id === null ? "" : " pay-in"}`

/** A transfer that a person makes with the key of the hot wallet. */
const byHand = (chain: EvmChain, to: Hex, amount: string) =>
  chain.send(chain.wallets.hot, chain.usdc, chain.call("transfer", chain.usdc, to, amount))

describe("the statement of a chain", () => {
  covers("EVM-25", "EVM-26")
  it.effect(
    "has what strangers and people moved beside payouts and pay-ins, in the order of the chain, and reaches its balance",
    () =>
      onChain((chain) =>
        Effect.gen(function* () {
          const { adapter, poll } = yield* fundPlatform(chain)
          const address = yield* issueAddress(adapter, 1)
          yield* does(
            () => chain.pay(hot.address, "7"),
            chain.mine,
            () => chain.pay(address, "12.5"),
            chain.mine,
            () => byHand(chain, payer.address, "3"),
            chain.mine
          )
          yield* poll
          const command = payout("20")
          yield* adapter.payouts!.submit(command)
          yield* does(chain.mine)
          yield* poll
          assert.deepStrictEqual(tokensIn(yield* pagesOf(adapter)), [])
          for (let round = 0; round < 4; round++) {
            yield* does(chain.finalize)
            yield* poll
          }
          const pages = yield* pagesOf(adapter)
          const lines = tokensIn(pages)
          // The sweep that followed moved nothing in or out.
          assert.strictEqual(yield* Effect.promise(() => chain.balance(address)), 0n)
          assert.deepStrictEqual(lines.map(shown), ["credit 7", "credit 12.5 pay-in", "debit 3", "debit 20 command"])
          assert.strictEqual(lines[3]?.command_id, command.id)
          const receipt = yield* Effect.promise(() =>
            chain.client.getTransactionReceipt({ hash: lines[3]!.transaction_hash as Hex })
          )
          assert.strictEqual(
            lines[3]?.narration,
            `payout, block ${receipt.blockNumber}, log ${receipt.logs[0]!.logIndex}`
          )
          const block = yield* Effect.promise(() => chain.client.getBlock({ blockNumber: receipt.blockNumber }))
          assert.strictEqual(lines[3]?.booked_at, Number(block.timestamp) * 1000)
          assert.strictEqual(new Set(lines.map(({ id }) => id)).size, 4)
          assert.strictEqual(statedBalance(pages[0]?.opening, "USDC", 6), 100_000_000n)
          assert.strictEqual(statedBalance(pages.at(-1)?.closing, "USDC", 6), 96_500_000n)
          assert.strictEqual(closingDifference(pages), 0n)
          assert.strictEqual(closingDifference(pages, "USDT", 18), 0n)
        })
      )
  )

  covers("EVM-25")
  it.effect("has a transfer once that a reorganisation moved to another block, also one that was final", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const adapter = yield* adapterOf(optionsFor(chain, { confirmations: 2 }))
        const { poll } = reader(adapter)
        yield* issueAddress(adapter, 1)
        const raw = yield* Effect.promise(() => chain.signed(hot.address, "7"))
        const send = () => chain.rpc("eth_sendRawTransaction", [raw])
        yield* does(send, chain.mine)
        yield* poll
        yield* does(
          () => chain.reorg(1),
          send,
          () => chain.mine(3)
        )
        yield* poll
        assert.deepStrictEqual(tokensIn(yield* pagesOf(adapter)).map(shown), ["credit 7"])
        // Its block was final, and is replaced.
        yield* does(
          () => chain.reorg(4),
          () => chain.mine(2),
          send,
          () => chain.mine(3)
        )
        for (let round = 0; round < 3; round++) {
          yield* poll
          yield* does(() => chain.mine(2))
        }
        const pages = yield* pagesOf(adapter)
        assert.deepStrictEqual(tokensIn(pages).map(shown), ["credit 7"])
        assert.strictEqual(closingDifference(pages), 0n)
      })
    )
  )

  covers("EVM-26")
  it.effect("does not reach its balance where a node lists too few logs, and has a payout all the same", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const { adapter, poll } = yield* watching(chain, lie.url)
        lie.list = () => []
        yield* does(() => chain.pay(hot.address, "7"), chain.mine)
        yield* adapter.payouts!.submit(payout("20"))
        for (let round = 0; round < 2; round++) {
          yield* does(chain.finalize)
          yield* poll
        }
        const pages = yield* pagesOf(adapter)
        assert.deepStrictEqual(tokensIn(pages).map(shown), ["debit 20 command"])
        assert.strictEqual(closingDifference(pages), 7_000_000n)
        // What a rescan finds is a line, and the payout none once more.
        lie.list = (logs) => logs
        yield* adapter.events!.rescan!(0)
        yield* does(chain.finalize)
        yield* poll
        const again = yield* pagesOf(adapter)
        assert.deepStrictEqual(tokensIn(again).map(shown), ["debit 20 command", "credit 7"])
        assert.strictEqual(closingDifference(again), 0n)
      })
    )
  )

  covers("EVM-25")
  it.effect("comes in bounded pages, of which the last one alone has a balance", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, poll } = yield* fundPlatform(chain)
        yield* issueAddress(adapter, 1)
        const values = Array.from({ length: 60 }, (_, n) => BigInt(n + 1))
        yield* does(
          ...Array.from(
            { length: 4 },
            () => () =>
              many(
                chain,
                values.map(() => hot.address),
                values
              )
          ),
          chain.finalize
        )
        yield* poll
        const pages = yield* pagesOf(adapter)
        assert.deepStrictEqual(
          pages.map(({ closing, lines, opening }) => [lines.length, opening !== undefined, closing !== undefined]),
          [
            [100, true, false],
            [100, false, false],
            [40, false, true],
            [0, false, true]
          ]
        )
        const lines = tokensIn(pages)
        assert.strictEqual(new Set(lines.map(({ id }) => id)).size, 240)
        assert.strictEqual(closingDifference(pages), 0n)
      })
    )
  )

  covers("EVM-26")
  it.effect("says nothing of blocks whose booking a process has not completed", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const store = yield* Storage
        let parts = 0
        const dying = Storage.of({
          ...store,
          commit: (change) =>
            change.rows.some(({ kind }) => kind === "evm_transfer") && ++parts > 1
              ? Effect.die("the process has ended")
              : store.commit(change)
        })
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const first = yield* Effect.provideService(adapterOf(optionsFor(chain)), Storage, dying)
        yield* issueAddress(first, 1)
        const values = Array.from({ length: 60 }, (_, n) => BigInt(n + 1))
        const to = values.map(() => hot.address)
        yield* does(...Array.from({ length: 4 }, () => () => many(chain, to, values)), chain.finalize)
        yield* Effect.exit(reader(first).poll)
        assert.strictEqual(parts, 2)
        const second = yield* adapterOf(optionsFor(chain))
        const before = yield* pagesOf(second)
        assert.deepStrictEqual(tokensIn(before), [])
        assert.strictEqual(closingDifference(before), 0n)
        yield* reader(second).poll
        const pages = yield* pagesOf(second)
        assert.strictEqual(new Set(tokensIn(pages).map(({ id }) => id)).size, 240)
        assert.strictEqual(closingDifference(pages), 0n)
      })
    )
  )

  covers("EVM-25")
  it.effect("has a payment to an address of our own as two lines, and nothing for one to itself", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, poll } = yield* fundPlatform(chain)
        const address = yield* issueAddress(adapter, 1)
        yield* does(
          () => byHand(chain, address, "5"),
          chain.mine,
          () => byHand(chain, hot.address, "6"),
          chain.mine,
          () => byHand(chain, beneficiary, "1"),
          chain.finalize
        )
        yield* poll
        const pages = yield* pagesOf(adapter)
        assert.deepStrictEqual(tokensIn(pages).map(shown).sort(), ["credit 5 pay-in", "debit 1", "debit 5"])
        assert.strictEqual(closingDifference(pages), 0n)
      })
    )
  )
})

describe("the addresses of an adapter", () => {
  covers("EXTERNAL-2", "BENEFICIARY-11")
  it.effect("are its hot wallet and those that it issued, on its network, in any letters", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter } = yield* fundPlatform(chain)
        const address = yield* issueAddress(adapter, 1)
        const { hot_wallet, isToken, owns } = adapter.addresses!
        const contracts = [chain.usdc, chain.usdc.toLowerCase(), hot.address].map((one) => isToken!("base", one))
        assert.deepStrictEqual(contracts, [true, true, false])
        assert.isFalse(isToken!("ethereum", chain.usdc))
        assert.strictEqual(yield* hot_wallet, hot.address)
        const asked = [hot.address, hot.address.toLowerCase(), address, beneficiary, chain.usdc]
        assert.deepStrictEqual(yield* Effect.forEach(asked, (one) => owns("base", one)), [
          true,
          true,
          true,
          false,
          false
        ])
        assert.isFalse(yield* owns("ethereum", hot.address))
      })
    )
  )
})
