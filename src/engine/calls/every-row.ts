/** All rows of a list, however many they are. For filters that no index key has: a page that is filtered afterwards misses rows. */
import { Effect } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { type Listed, type ListInput, pageOf } from "./list.ts"
import type { ListQuery, Row, Storage } from "../ports/Storage.ts"

const pageSize = 200

/**
 * The rows of a list that `isWanted`, newest first. They are read page by page, each from the time of the last row of the one
 * before: rows that are written or leave the list meanwhile hide no other.
 */
export const everyRow = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<ListQuery, "offset" | "limit" | "created_before">,
  isWanted: (row: Row) => boolean,
  size = pageSize
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const seen = new Set<string>()
  const wanted: Array<Row> = []
  let created_before: number | undefined
  let offset = 0
  for (;;) {
    const from = created_before === undefined ? {} : { created_before }
    const { items } = yield* storage.list({ ...query, ...from, offset, limit: size })
    for (const row of items) if (!seen.has(row.id) && isWanted(row)) wanted.push(row)
    const last = items.at(-1)
    if (last === undefined || items.length < size) return wanted
    if (last.created_at === created_before) offset += size
    else {
      created_before = last.created_at
      offset = 0
      seen.clear()
    }
    for (const { created_at, id } of items) if (created_at === created_before) seen.add(id)
  }
})

/** A page of the rows of a list that `isWanted`: for filters that no index key has. */
export const listWanted = Effect.fnUntraced(function* <Data>(
  storage: Storage["Service"],
  query: Pick<ListQuery, "merchant_id" | "kinds" | "index_keys">,
  input: ListInput,
  isWanted: (row: Row<Data>) => boolean
): Effect.fn.Return<Listed<Row<Data>>, StorageFault> {
  const { created_after, created_before = Infinity } = input
  const rows = yield* everyRow(
    storage,
    { ...query, ...(created_after === undefined ? {} : { created_after }) },
    (row) => row.created_at <= created_before && isWanted(row as Row<Data>)
  )
  return pageOf(rows as ReadonlyArray<Row<Data>>, input)
})
