/** All rows of a list, however many they are. For filters that no index key has: a page that is filtered afterwards misses rows. */
import { Effect } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { sliceOf } from "../input/schemas.ts"
import { type Listed, type ListInput, NeedsTotal, timeBoundsOf } from "./list.ts"
import type { ListQuery, Match, MatchQuery, Row, Storage } from "../ports/Storage.ts"

const pageSize = 200

/**
 * Visits the rows of a list, newest first, each once, until `visit` returns false. They are read page by page, each from the time of the
 * last row of the one before: rows that are written or leave the list meanwhile hide no other.
 */
const visitRows = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<ListQuery, "offset" | "limit">,
  visit: (row: Row) => boolean,
  size: number
): Effect.fn.Return<void, StorageFault> {
  const seen = new Set<string>()
  let { created_before } = query
  let offset = 0
  for (;;) {
    const from = created_before === undefined ? {} : { created_before }
    const { items } = yield* storage.list({ ...query, ...from, offset, limit: size })
    for (const row of items) if (!seen.has(row.id) && !visit(row)) return
    const last = items.at(-1)
    if (last === undefined || items.length < size) return
    if (last.created_at === created_before) offset += size
    else {
      created_before = last.created_at
      offset = 0
      seen.clear()
    }
    for (const { created_at, id } of items) if (created_at === created_before) seen.add(id)
  }
})

/** The rows of a list that `isWanted`, newest first. */
export const everyRow = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<ListQuery, "offset" | "limit">,
  isWanted: (row: Row) => boolean,
  size = pageSize
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const wanted: Array<Row> = []
  yield* visitRows(
    storage,
    query,
    (row) => {
      if (isWanted(row)) wanted.push(row)
      return true
    },
    size
  )
  return wanted
})

/**
 * All rows of index keys of the names `search_id` and `exact_id`, each once for each of its keys, however many a key has: they are read from
 * the oldest of those before on.
 */
export const everyMatch = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<MatchQuery, "prefixes" | "limit">,
  size = 1_000
): Effect.fn.Return<ReadonlyArray<Match>, StorageFault> {
  const all: Array<Match> = []
  for (let n = 0; n < query.keys.length; n += size) {
    const found = yield* storage.matches({ ...query, keys: query.keys.slice(n, n + size), prefixes: [], limit: size })
    all.push(...found)
    for (const [key, some] of Map.groupBy(found, ({ index_key }) => index_key))
      for (let page: ReadonlyArray<Match> = some; page.length >= size; ) {
        const oldest = page.reduce((at, { created_at }) => Math.min(at, created_at), Infinity)
        page = yield* storage.matches({ ...query, keys: [key], prefixes: [], created_before: oldest - 1, limit: size })
        all.push(...page)
      }
  }
  return all
})

/** The rows of index keys that `isWanted`, newest first, however many have one. */
export const everyRowUnder = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<MatchQuery, "prefixes" | "limit">,
  isWanted: (row: Row) => boolean,
  size = 1_000
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const found = yield* everyMatch(storage, query, size)
  const keys = [
    ...new Map(found.map(({ id, kind, merchant_id }) => [`${merchant_id} ${id}`, { merchant_id, kind, id }])).values()
  ]
  const wanted: Array<Row> = []
  for (let n = 0; n < keys.length; n += size)
    wanted.push(...(yield* storage.get(keys.slice(n, n + size))).filter(isWanted))
  return wanted.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
})

/**
 * A page of the rows of a list that `isWanted`: for filters that no index key has. It reads the whole list where its total is needed
 * ({@link NeedsTotal}), and keeps the rows of the page.
 */
export const listMatching = Effect.fnUntraced(function* <Data>(
  storage: Storage["Service"],
  query: Pick<ListQuery, "merchant_id" | "kinds" | "index_keys">,
  input: ListInput,
  isWanted: (row: Row<Data>) => boolean
): Effect.fn.Return<Listed<Row<Data>>, StorageFault> {
  const { page, per_page, offset, limit } = sliceOf(input)
  const needsTotal = yield* NeedsTotal
  const items: Array<Row<Data>> = []
  let total = 0
  const visit = (row: Row): boolean => {
    if (isWanted(row as Row<Data>)) {
      total += 1
      if (total > offset && total <= offset + limit) items.push(row as Row<Data>)
    }
    return needsTotal || total <= offset + limit
  }
  yield* visitRows(storage, { ...query, ...timeBoundsOf(input) }, visit, pageSize)
  return { items, page, per_page, total }
})
