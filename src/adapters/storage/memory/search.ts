/** Search in the memory store, and rows that are indexed again. */
import type {
  Match,
  MatchQuery,
  Reindexed,
  ResourceName,
  RowKey,
  StoredEvent,
  StoredPosting
} from "../../../engine/ports/Storage.ts"
import { newestMatches } from "../../../engine/ports/storage-reads.ts"
import { joinKey } from "../change.ts"
import { byKey, compareText } from "../sorted.ts"
import type { Books } from "./books.ts"

export const matches = (books: Books, q: MatchQuery): ReadonlyArray<Match> => {
  const kinds = new Set(q.kinds)
  const entries: Array<Match> = []
  for (const { row } of books.rows.values()) {
    const { created_at, hidden, id, kind, merchant_id } = row
    if (hidden || !kinds.has(kind) || (q.merchant_id !== undefined && merchant_id !== q.merchant_id)) continue
    if (created_at < (q.created_after ?? created_at) || created_at > (q.created_before ?? created_at)) continue
    for (const index_key of row.index_keys) entries.push({ merchant_id, kind, id, index_key, created_at })
  }
  return newestMatches(entries, q)
}

export const reindex = (books: Books, rows: ReadonlyArray<Reindexed>): number => {
  let count = 0
  for (const { index_keys, version, ...key } of rows) {
    const kept = books.rows.get(books.rowKey(key))
    if (kept?.row.version !== version) continue
    const listed = books.listed.get(joinKey(key.merchant_id, key.kind))!
    const next = { ...kept, row: { ...kept.row, index_keys: [...index_keys] } }
    listed.remove(kept)
    listed.add(next)
    books.rows.set(books.rowKey(key), next)
    count++
  }
  return count
}

export const idsBeginning = (books: Books, prefixes: ReadonlyArray<string>, limit: number): ReadonlyArray<RowKey> => {
  const keys = [...books.rows.values()].map(({ row: { id, kind, merchant_id } }) => ({ merchant_id, kind, id }))
  const found = prefixes.flatMap((prefix) =>
    keys
      .filter(({ id }) => id.startsWith(prefix))
      .sort((a, b) => compareText(a.id, b.id) || byKey(a, b))
      .slice(0, limit)
  )
  return [...new Set(found)]
}

export const postingsOf = (
  books: Books,
  account: string,
  resources: ReadonlyArray<ResourceName>
): ReadonlyArray<StoredPosting> => {
  const wanted = new Set(resources.map(({ merchant_id, resource_id }) => joinKey(merchant_id, resource_id)))
  return books.postings.filter(
    (p) => (p.debit === account || p.credit === account) && wanted.has(joinKey(p.merchant_id, p.resource_id))
  )
}

export const findEvent = (books: Books, id: string): StoredEvent | undefined => {
  for (const { event } of books.events.values()) if (event.id === id) return event
  return undefined
}
