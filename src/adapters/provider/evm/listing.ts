/** Reads of the books by index key. */
import { Effect } from "effect"
import type { EvmKey, Outflow, EvmPayin } from "./entries.ts"
import type { EvmContext } from "./slots.ts"

/** Makes the functions that list entries of the state store by index key. */
export const makeListing = ({ books, entries }: Pick<EvmContext, "books" | "entries">) => {
  const { index } = entries

  /** At most `limit` rows with an index key (null: of every adapter), newest first, from a place in that list. */
  const listedFrom = (kind: EvmKey["kind"], index_key: string | null, from: number, limit: number) =>
    books.list({
      kind,
      index_keys: index_key === null ? [] : [index_key],
      from,
      limit
    })

  /** All rows with an index key. A row that is written meanwhile may be missing; the next round finds it. */
  const listed = (kind: EvmKey["kind"], index_key: string) => listedFrom(kind, index_key, 0, Number.POSITIVE_INFINITY)

  /** The ids of the deposits that were confirmed in the blocks after one, up to another. */
  const confirmedAfter = Effect.fnUntraced(function* (block: number, last: number) {
    const found = yield* Effect.forEach(index.confirmedBetween(block + 1, last), (key) => listed("evm_payin", key))
    const payins = found.flat().map(({ data }) => data as EvmPayin)
    return new Set(payins.filter((payin) => payin.block > block).map(({ payin_id }) => payin_id))
  })

  /** The ids of the transfers out of addresses in a range of blocks: after the first, up to the last. */
  const leftAfter = Effect.fnUntraced(function* (block: number, last: number) {
    const found = yield* Effect.forEach(index.leftBetween(block + 1, last), (key) => listed("evm_outflow", key))
    const outflows = found.flat().map(({ data }) => data as Outflow)
    return new Set(outflows.filter((one) => one.block > block).map(({ outflow_id }) => outflow_id))
  })

  return { listedFrom, listed, confirmedAfter, leftAfter }
}
