/** Books with more entries of one sort than a page or a round looks at. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Hex, numberToHex, padHex } from "viem"
import { readData, openChainBooks } from "../../../src/adapters/provider/chain/books.ts"
import { type EvmAddress, makeEntries, type EvmPayin } from "../../../src/adapters/provider/evm/entries.ts"
import { makeListing } from "../../../src/adapters/provider/evm/listing.ts"
import type { EvmContext } from "../../../src/adapters/provider/evm/slots.ts"
import { type RowKey, Storage } from "../../../src/engine/ports/Storage.ts"
import { does, fundPlatform, hot, issueAddress, onChain, balanceAt, stores } from "../../support/chains/evm-world.ts"
import { covers } from "../../support/repository/covers.ts"

const wallet = hot.address.toLowerCase() as Hex
const entries = makeEntries({ chain_id: 8453, name: "base" } as never, wallet)
const numbered = (n: number): Hex => padHex(numberToHex(n), { size: 20 })

/** Addresses that lists have before all others. */
const later = (n: number): Hex => `0x${"f".repeat(36)}${n.toString(16).padStart(4, "0")}`

/** Writes entries of the adapter's books, each as its own decision would. */
const recorded = (writes: ReadonlyArray<ReturnType<typeof entries.writes.address>>) =>
  Effect.gen(function* () {
    const books = yield* openChainBooks("base")
    for (let at = 0; at < writes.length; at += 500) {
      const chunk = writes.slice(at, at + 500)
      yield* books.amend(
        chunk.map(({ key }) => key),
        () => ({ entries: chunk, result: undefined })
      )
    }
    return books
  })

covers("EVM-1")
describe("sweeps", () => {
  it.effect("reach an address behind thousands that have less than the minimum", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const minimum = { address: chain.usdc, decimals: 6, sweep_minimum: "1" }
        const { adapter, poll } = yield* fundPlatform(chain, { tokens: { USDC: minimum } })
        const target = yield* issueAddress(adapter, 1)
        yield* poll
        yield* does(() => chain.pay(target, "40"), chain.finalize)
        const storage = yield* Storage
        const [row] = yield* storage.get([entries.keys.address(target.toLowerCase() as Hex)] as ReadonlyArray<RowKey>)
        const model = readData<EvmAddress>(row)!
        yield* recorded(
          Array.from({ length: 4100 }, (_, n) =>
            entries.writes.address({ ...model, address: later(n), unswept: { [chain.usdc]: "1" } })
          )
        )
        for (let round = 0; round < 8; round++) {
          yield* poll
          yield* does(chain.finalize)
        }
        assert.strictEqual(yield* balanceAt(chain, target), 0n)
      })
    )
  )
})

covers("EVM-15")
describe("deposits confirmed after a block", () => {
  const payin = (n: number, block: number): EvmPayin => ({
    payin_id: `0x${n}.0`,
    status: "confirmed",
    currency: "USDC",
    token: numbered(1),
    amount: "1",
    from: numbered(2),
    to: numbered(3),
    hash: numbered(n),
    block,
    block_hash: numbered(block),
    sender: null,
    sender_nonce: null,
    detected_at: 0,
    refunds: {},
    credited: false
  })

  it.effect("are all found, and only they, whatever was confirmed later or before", () =>
    Effect.gen(function* () {
      const books = yield* recorded(Array.from({ length: 5200 }, (_, n) => entries.writes.payin(payin(n, n))))
      const { confirmedAfter } = makeListing({ books, entries } as EvmContext)
      const found = yield* confirmedAfter(1998, 5199)
      assert.strictEqual(found.size, 5199 - 1998)
      assert.isTrue(found.has("0x1999.0") && found.has("0x5199.0") && !found.has("0x1998.0"))
    }).pipe(Effect.provide(stores))
  )
})
