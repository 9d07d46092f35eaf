/** Search in the memory store, and rows that are indexed again. */
import type { Match, MatchQuery, Reindexed, StoredEvent } from "../../../engine/ports/Storage.ts"
import { keyOf } from "../change.ts"
import type { Books } from "./books.ts"

const newestOf = (found: ReadonlyArray<Match>, limit: number): ReadonlyArray<Match> => {
  const sorted = found.toSorted((a, b) => b.created_at - a.created_at)
  const last = sorted[limit - 1]
  return last === undefined ? sorted : sorted.filter(({ created_at }) => created_at >= last.created_at)
}

export const matches = (books: Books, q: MatchQuery): ReadonlyArray<Match> => {
  const kinds = new Set(q.kinds)
  const entries: Array<Match> = []
  for (const { row } of books.rows.values()) {
    const { created_at, hidden, id, kind, merchant_id } = row
    if (hidden || !kinds.has(kind) || (q.merchant_id !== undefined && merchant_id !== q.merchant_id)) continue
    for (const index_key of row.index_keys) entries.push({ merchant_id, kind, id, index_key, created_at })
  }
  const of = (test: (indexKey: string) => boolean) =>
    newestOf(
      entries.filter(({ index_key }) => test(index_key)),
      q.limit
    )
  return [
    ...q.keys.flatMap((key) => of((indexKey) => indexKey === key)),
    ...q.prefixes.flatMap((prefix) => of((indexKey) => indexKey.startsWith(prefix)))
  ]
}

export const reindex = (books: Books, rows: ReadonlyArray<Reindexed>): number => {
  let count = 0
  for (const { index_keys, version, ...key } of rows) {
    const kept = books.rows.get(books.rowKey(key))
    if (kept?.row.version !== version) continue
    const listed = books.listed.get(keyOf(key.merchant_id, key.kind))!
    const next = { ...kept, row: { ...kept.row, index_keys: [...index_keys] } }
    listed.remove(kept)
    listed.add(next)
    books.rows.set(books.rowKey(key), next)
    count++
  }
  return count
}

export const findEvent = (books: Books, id: string): StoredEvent | undefined => {
  for (const { event } of books.events.values()) if (event.id === id) return event
  return undefined
}
