/** The transfers to our addresses, in blocks that are final and in blocks that are not. */
import { Effect } from "effect"
import type { Hex } from "viem"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Address } from "./entries.ts"
import { type Found, identified } from "./payins.ts"
import { type Context, unreadable } from "./slots.ts"

const pageSize = 100

/** Blocks that are asked for at the same time. */
const concurrency = 16

export const makeTransfers = ({ books, chain, config, entries }: Context) => {
  const { keys } = entries
  const tokens = config.tokens.map(({ address }) => address)

  /** Those that pay one of our addresses. */
  const ours = Effect.fnUntraced(function* (found: ReadonlyArray<Found>) {
    const recipients = [...new Set(found.map((one) => one.to))]
    const known = new Set<Hex>()
    for (let at = 0; at < recipients.length; at += pageSize) {
      const wanted = recipients.slice(at, at + pageSize).map(keys.address)
      const rows = yield* Effect.mapError(books.storage.get(wanted), unreadable)
      for (const row of rows) known.add((row.data as Address).address)
    }
    return found.filter((one) => known.has(one.to))
  })

  /** The transfers of a range, or of as much of it as the nodes give at once. */
  const readable = (
    from: number,
    to: number
  ): Effect.Effect<{ readonly found: ReadonlyArray<Found>; readonly to: number }, ProviderFault> =>
    chain.transfers(tokens, from, to).pipe(
      Effect.map((found) => ({ found: identified(found), to })),
      // Nodes limit their answers, each in its own way.
      Effect.catch((fault) => (to === from ? Effect.fail(fault) : readable(from, from + Math.floor((to - from) / 2))))
    )

  return {
    /** What pays us in blocks that are not final. A node may tell less than there is: nothing is credited by it. */
    seen: Effect.fnUntraced(function* (from: number, until: number) {
      const { found, to } = yield* readable(from, Math.min(until, from + config.block_range - 1))
      return { found: yield* ours(found), to }
    }),

    /**
     * What pays us in the final blocks from one on, at most `block_range` of them up to `until`, and the last of these blocks. Each
     * block is read by its hash: the node that answers has this block.
     */
    proven: Effect.fnUntraced(function* (from: number, until: number) {
      const numbers = Array.from({ length: Math.min(until - from + 1, config.block_range) }, (_, n) => from + n)
      const read = yield* Effect.forEach(
        numbers,
        Effect.fnUntraced(function* (number) {
          const block = yield* chain.block(number)
          return { block, found: block.isEmpty ? [] : yield* chain.transfersIn(tokens, block) }
        }),
        { concurrency }
      )
      const found = yield* ours(identified(read.flatMap((one) => one.found)))
      return { found, last: read.at(-1)!.block }
    })
  }
}
