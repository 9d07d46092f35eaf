/** Search over all merchants: the statement, and rows of it. */
import { EXACT_KEY, type Match, type MatchQuery } from "../../../engine/ports/Storage.ts"
import { Params, type ListStatement } from "./lists.ts"
import { number, text, decoderOf } from "./rows.ts"

/** The most entries of a prefix that are read. */
const PREFIX_MAX = 5_000

/** The condition of the index `search_entry_term`. */
const isTerm = "x.index_key >= 'search_id=' and x.index_key < 'search_id>'"
const columns = "x.merchant_id, x.kind, x.id, x.index_key, x.created_at"

/** The last code point: every text that begins with a prefix sorts before the prefix and this. */
const LAST = "\u{10ffff}"

/**
 * Each key is one probe for each kind, newest first, of the hash of an exact term, or of the text; the newest of all kinds are the
 * answer. A prefix is a range of texts of these kinds, which is read up to {@link PREFIX_MAX}. Texts use `search_entry_term`, or the entries of a merchant's kind.
 */
export const matchStatement = (q: MatchQuery): ListStatement => {
  const p = new Params()
  const asked = p.texts(q.kinds)
  const kinds = `unnest(${asked}) g(kind)`
  const newest = `order by x.created_at desc fetch first (${p.number(q.limit)}) rows with ties`
  const merchant = q.merchant_id === undefined ? undefined : p.text(q.merchant_id)
  const created = [
    ...(q.created_after === undefined ? [] : [` and x.created_at >= ${p.number(q.created_after)}`]),
    ...(q.created_before === undefined ? [] : [` and x.created_at <= ${p.number(q.created_before)}`])
  ].join("")
  const entry = `${merchant === undefined ? isTerm : `x.merchant_id = ${merchant}`}${created}`
  const probe = (keys: ReadonlyArray<string>, found: string): string =>
    `select ${columns} from unnest(${p.texts(keys)}) k(index_key) cross join lateral (
  select ${columns} from ${kinds} cross join lateral (
    ${found} ${newest}
  ) x ${newest}
) x`
  const whole = probe(
    q.keys.filter((key) => !key.startsWith(EXACT_KEY)),
    `select ${columns} from search_entry x where x.index_key = k.index_key and x.kind = g.kind and ${entry}`
  )
  const hashed = probe(
    q.keys.filter((key) => key.startsWith(EXACT_KEY)),
    `select x.merchant_id, g.kind, x.id, k.index_key, x.created_at from key_entry x where ${
      merchant === undefined
        ? "x.term = corridor_entry_term(g.kind, k.index_key)"
        : `x.key = corridor_entry_key(${merchant}, g.kind, k.index_key)`
    }${created}`
  )
  const ranges = q.prefixes.map((prefix) => {
    const range = `x.index_key >= ${p.text(prefix)} and x.index_key < ${p.text(prefix + LAST)} and ${entry}`
    const found =
      merchant === undefined
        ? `select ${columns} from (
    select ${columns} from search_entry x where ${range} and x.kind = any (${asked})
    order by x.index_key, x.kind, x.created_at limit ${PREFIX_MAX}
  ) x`
        : `select ${columns} from ${kinds} cross join lateral (
    select ${columns} from search_entry x where x.kind = g.kind and ${range} order by x.index_key limit ${PREFIX_MAX}
  ) x`
    return `select ${columns} from (
  ${found}
  ${newest}
) x`
  })
  // A row whose key is asked for and begins with a prefix is one match.
  const union = ranges.length === 0 ? "union all" : "union"
  return { text: [whole, hashed, ...ranges].join(`\n${union}\n`), params: p.values }
}

export const toMatch = decoderOf<Match>({
  merchant_id: text,
  kind: text,
  id: text,
  index_key: text,
  created_at: number
})
