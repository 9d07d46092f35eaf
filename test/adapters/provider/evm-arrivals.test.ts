/** What arrived at an address whose token keeps a fee of transfers, and states the amount before it (EVM-27). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex, padHex, type Hex } from "viem"
import { makeArrivals, type Short } from "../../../src/adapters/provider/evm/arrivals.ts"
import { resolveConfig } from "../../../src/adapters/provider/evm/config.ts"
import { type EvmPayin, makeEntries } from "../../../src/adapters/provider/evm/entries.ts"
import { assignPayinIds, makePayins } from "../../../src/adapters/provider/evm/payins.ts"
import type { EvmContext } from "../../../src/adapters/provider/evm/slots.ts"
import type { FinalTransfer, Left, Moves } from "../../../src/adapters/provider/evm/transfers.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { covers } from "../../support/repository/covers.ts"

const addressOf = (n: number): Hex => padHex(numberToHex(n), { size: 20 })
const [token, wallet, address, payer] = [addressOf(0xaa), addressOf(0xbb), addressOf(1), addressOf(2)]
const config = resolveConfig({
  name: "sim",
  chain_id: 1,
  network: "ethereum",
  rpc_urls: ["http://127.0.0.1"],
  tokens: { USDC: { address: token, decimals: 0 } },
  hot_wallet: "hot"
})
const entries = makeEntries(config, wallet)
const { payinOf, reportOf } = makePayins(config)

const blockOf = (number: number) => ({ number, hash: numberToHex(number, { size: 32 }) })
const paid = (id: string, value: string, block = 11): FinalTransfer => ({
  payin_id: id,
  token,
  from: payer,
  to: address,
  value,
  transaction_hash: padHex(`0x${id}`, { size: 32 }),
  block,
  block_hash: blockOf(block).hash,
  index: 0,
  at: 0
})
const left = (id: string, value: string, block = 11): Left => ({ payin_id: id, token, from: address, value, block })
const credited = (id: string, amount: string, over: Partial<EvmPayin> = {}): EvmPayin => ({
  ...payinOf({ ...paid(id, amount), arrived: amount }, undefined, 0),
  credited: true,
  ...over
})

/** The id of a deposit of 100 in the transaction `c1`, as its receipt gives it. */
const minedId = assignPayinIds([paid("c1", "100")])[0]!.payin_id

/** An address that held `before` at block 10 and `after` at block 12, and of which the books say `unswept`. */
interface FakeChain {
  /** Null: no node has the state. */
  readonly before: number | null
  readonly after: number
  readonly unswept?: string
  readonly known?: ReadonlyArray<EvmPayin>
  /** The blocks that have the transactions of deposits now. */
  readonly mined?: Readonly<Record<string, number>>
}

/** What is recorded of each deposit of the moves between blocks 10 and 12: id and amount. */
const arrivedIn = Effect.fnUntraced(function* (world: FakeChain, moves: Partial<Moves>) {
  const { after, before, known = [], mined = {}, unswept = "0" } = world
  const asRow = (key: { readonly kind: string; readonly id: string }, data: unknown) => ({ ...key, data })
  const rows = [
    asRow(entries.keys.address(address), { unswept: { [token]: unswept } }),
    ...known.map((one) => asRow(entries.keys.payin(one.payin_id), one))
  ]
  const context = {
    config,
    wallet,
    entries,
    books: {
      get: (keys: ReadonlyArray<{ readonly id: string }>) =>
        Effect.succeed(rows.filter(({ id }) => keys.some((key) => key.id === id))),
      list: ({ kind }: { readonly kind: string }) =>
        Effect.succeed(rows.filter((row) => row.kind === kind && (row.data as EvmPayin).status === "detected"))
    },
    chain: {
      balancesAt: (_: Hex, __: unknown, { number }: { readonly number: number }) => {
        const held = number === 10 ? before : after
        return held === null ? Effect.fail(new ProviderFault({ message: "pruned" })) : Effect.succeed([BigInt(held)])
      },
      receipt: (hash: Hex) => {
        const block = Object.entries(mined).find(([id]) => padHex(`0x${id}`, { size: 32 }) === hash)?.[1]
        return Effect.succeed(
          block === undefined ? null : { block, transfers: [paid(hash.replace(/^0x0+/, ""), "100")] }
        )
      }
    }
  } as unknown as EvmContext
  const { arrived } = makeArrivals(context)
  const short: ReadonlyArray<Short> = [{ address, token, held: BigInt(after) }]
  const all: Moves = { found: [], left: [], through: [], ...moves }
  const last = blockOf(12)
  const { found } = yield* arrived(all, short, blockOf(10), last, last)
  return found.map((one) => [
    one.payin_id,
    payinOf(
      one,
      known.find((two) => two.payin_id === one.payin_id),
      0
    ).amount
  ])
})

covers("EVM-27")
describe("what arrived of deposits", () => {
  const cases: ReadonlyArray<
    readonly [what: string, FakeChain, Partial<Moves>, ReadonlyArray<readonly [string, string]>]
  > = [
    ["is what the balance grew by", { before: 50, after: 148 }, { found: [paid("a1", "100")] }, [["a1", "98"]]],
    [
      "is shared in proportion by several of one block",
      { before: 0, after: 294 },
      { found: [paid("a1", "100"), paid("a2", "200")] },
      [
        ["a1", "98"],
        ["a2", "196"]
      ]
    ],
    [
      "is together what there is, where it does not divide",
      { before: 0, after: 10 },
      { found: [paid("a1", "7"), paid("a2", "7"), paid("a3", "7")] },
      [
        ["a1", "3"],
        ["a2", "3"],
        ["a3", "4"]
      ]
    ],
    [
      "counts what a sweep took in the same block",
      { before: 40, after: 0 },
      { found: [paid("a1", "100")], left: [left("b1", "138")] },
      [["a1", "98"]]
    ],
    [
      "does not count what left before",
      { before: 0, after: 98 },
      { found: [paid("a1", "100")], left: [left("b1", "500", 10)] },
      [["a1", "98"]]
    ],
    [
      "is whole where only earlier money was destroyed",
      { before: 0, after: 100, unswept: "40" },
      { found: [paid("a1", "100")] },
      [["a1", "100"]]
    ],
    ["is nothing where nothing came", { before: 5, after: 5 }, { found: [paid("a1", "100")] }, [["a1", "0"]]],
    ["is nothing where the balance fell", { before: 5, after: 0 }, { found: [paid("a1", "100")] }, [["a1", "0"]]],
    [
      "is no more for a deposit that was credited, and is mined again beside it",
      { before: 0, after: 196, known: [credited("c1", "98")] },
      { found: [paid("c1", "100"), paid("a1", "100")] },
      [
        ["c1", "98"],
        ["a1", "98"]
      ]
    ],
    [
      "is no more for one that was credited, and is mined again without its log",
      { before: 0, after: 196, known: [credited("c1", "98", { payin_id: minedId })], mined: { c1: 11 } },
      { found: [paid("a1", "100")] },
      [["a1", "98"]]
    ],
    [
      "is whole beside one that was credited, and whose transaction is mined again and brings another amount",
      { before: 0, after: 100, unswept: "98", known: [credited("c1", "98")], mined: { c1: 11 } },
      { found: [paid("a1", "100")] },
      [["a1", "100"]]
    ],
    [
      "is whole beside one that was credited, and has no block now",
      { before: 0, after: 100, unswept: "98", known: [credited("c1", "98")] },
      { found: [paid("a1", "100")] },
      [["a1", "100"]]
    ],
    [
      "is what the books leave, where no node has the state of the block before",
      { before: null, after: 148, unswept: "50" },
      { found: [paid("a1", "100")] },
      [["a1", "98"]]
    ],
    [
      "is so with what left, and with what was removed",
      { before: null, after: 0, unswept: "48", known: [credited("c1", "40")] },
      { found: [paid("a1", "100")], left: [left("b1", "106")] },
      [["a1", "98"]]
    ]
  ]
  for (const [what, world, moves, amounts] of cases)
    it.effect(what, () =>
      Effect.map(arrivedIn(world, moves), (found) => assert.deepStrictEqual<unknown>(found, amounts))
    )

  it("is taken back as it was credited", () => {
    const again = payinOf(paid("c1", "100"), credited("c1", "98"), 0)
    assert.strictEqual(again.amount, "98")
    assert.deepInclude(reportOf("failed", again, 0).lines[0], { amount: "98", direction: "debit" })
  })
})
