/** Deposits of final blocks that are replaced, once and again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Hex } from "viem"
import { openChainBooks, readData } from "../../../src/adapters/provider/chain/books.ts"
import { type EvmPayin, makeEntries } from "../../../src/adapters/provider/evm/entries.ts"
import {
  adapterOf,
  does,
  type EvmChain,
  hot,
  issueAddress,
  onChain,
  optionsFor,
  payer,
  reader,
  setBlocked,
  statement,
  sumBooked
} from "../../support/chains/evm-world.ts"
import { payins, stagesOf } from "../../support/chains/liar.ts"
import { covers } from "../../support/repository/covers.ts"

const entries = makeEntries({ chain_id: 8453, name: "base" } as never, hot.address.toLowerCase() as Hex)

/** A deposit of 5 USDC: `mine` puts it into a final block, which `replace` replaces by one without it. */
const depositing = (chain: EvmChain, more: object) =>
  Effect.gen(function* () {
    const options = optionsFor(chain, { confirmations: 2, ...more })
    const adapter = yield* adapterOf(options)
    const { all, poll } = reader(adapter)
    const address = yield* issueAddress(adapter, 1)
    const raw = yield* Effect.promise(() => chain.signed(address, "5"))
    const send = () => chain.rpc("eth_sendRawTransaction", [raw])
    const read = Effect.andThen(poll, poll)
    return {
      ...{ adapter, all, options, read, send },
      mine: Effect.andThen(
        does(send, () => chain.mine(3)),
        read
      ),
      replace: Effect.andThen(
        does(
          () => chain.reorg(4),
          () => chain.mine(3)
        ),
        read
      )
    }
  })

/** Makes the rows of pay-ins those of an earlier build. */
const age = Effect.gen(function* () {
  const books = yield* openChainBooks("base")
  const rows = yield* books.list({ kind: "evm_payin", index_keys: [] })
  for (const { id } of rows)
    yield* books.amend([{ ...entries.keys.payin(""), id }], ([row]) => {
      const { seen_at: _, told: __, ...payin } = readData<EvmPayin>(row)!
      return { entries: [entries.writes.payin(payin)], result: undefined }
    })
  return rows.length
})

covers("EVM-15")
describe("a deposit that is taken back and comes back, again and again", () => {
  it.effect.each(["all rows", "rows of an earlier build"])("has an id for each word and each line: %s", (rows) =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, mine, options, read, replace } = yield* depositing(chain, { gone_after_ms: 0 })
        yield* mine
        if (rows !== "all rows") assert.strictEqual(yield* age, 1)
        for (let n = 0; n < 2; n++) {
          yield* replace
          yield* mine
        }
        yield* replace
        const stages = ["confirmed 5", "failed 5", "confirmed 5", "failed 5", "confirmed 5", "failed 5"]
        assert.deepStrictEqual(stagesOf(all), stages)
        const ids = payins(all).map(({ event_id }) => event_id)
        assert.strictEqual(new Set(ids).size, stages.length)
        // The first one is as an earlier build has told it, which told each later one with a text in place of a number.
        assert.deepStrictEqual(
          ids.filter((id) => /:(confirmed|failed|again)$/.test(id)),
          [`${payins(all)[0]!.payin_id}:confirmed`]
        )
        const lines = (yield* statement(adapter)).filter(({ payin_id }) => payin_id !== null)
        assert.deepStrictEqual(
          lines.map(({ id }) => id),
          ids
        )
        // The same news, by another node and from the start, has the same ids.
        const other = yield* adapterOf(options)
        yield* other.events!.rescan!(0)
        const again = reader(other)
        yield* Effect.andThen(again.poll, again.poll)
        yield* read
        assert.deepStrictEqual(again.all, all)
      })
    )
  )
})

covers("EVM-4", "EVM-15", "EVM-22")
describe("a deposit whose transaction is mined again and reverts there", () => {
  it.effect.each([
    ["confirmed", 2],
    ["detected", 4]
  ] as const)("fails at once, and no blocks are read again for it: after it was %s", ([before, confirmations]) =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, read, send, mine } = yield* depositing(chain, { confirmations })
        yield* mine
        assert.deepStrictEqual(stagesOf(all), [`${before} 5`])
        // In the new chain the token's issuer has blocked the payer first.
        yield* does(
          () => chain.reorg(4),
          setBlocked(chain, payer.address, true),
          chain.mine,
          send,
          () => chain.mine(5)
        )
        yield* read
        assert.deepStrictEqual(stagesOf(all), [`${before} 5`, "failed 5"])
        assert.strictEqual(yield* adapter.events!.rescanning!, null)
        assert.strictEqual(sumBooked(yield* statement(adapter), "USDC", 6), 0n)
      })
    )
  )
})

covers("EVM-4", "EVM-15")
describe("a deposit that a reorganisation removed", () => {
  it.effect.each([0, 3_600_000])("stays credited where it is mined again soon, %i ms after it was detected", (passed) =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { all, mine, replace } = yield* depositing(chain, { gone_after_ms: 600_000 })
        yield* mine
        yield* TestClock.adjust(passed)
        yield* replace
        yield* TestClock.adjust(599_999)
        yield* mine
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
        yield* replace
        yield* TestClock.adjust(599_999)
        yield* replace
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
        yield* TestClock.adjust(1)
        yield* replace
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5", "failed 5"])
      })
    )
  )

  it.effect(
    "fails so long after it was last seen in a block, final or not; by a row of an earlier build, after it was detected",
    () =>
      onChain((chain) =>
        Effect.gen(function* () {
          const { all, read, replace, send } = yield* depositing(chain, { confirmations: 3, gone_after_ms: 600_000 })
          const mineOne = Effect.andThen(does(send, chain.mine), read)
          yield* mineOne
          yield* TestClock.adjust(400_000)
          yield* does(() => chain.reorg(1))
          yield* mineOne
          yield* TestClock.adjust(400_000)
          yield* replace
          assert.deepStrictEqual(stagesOf(all), ["detected 5"])
          assert.strictEqual(yield* age, 1)
          yield* replace
          assert.deepStrictEqual(stagesOf(all), ["detected 5", "failed 5"])
        })
      )
  )
})
