/**
 * Pages of rows and events with their totals. Each is one statement, and therefore one snapshot.
 *
 * Costs, independent of the size of the store:
 *
 * - A list, filtered or not, sums the list counters (`list_counter`) of the hours in which its kinds have rows. It reads the
 *   page from the hours that contain it, through the index in list order. It counts row by row only in an hour that a
 *   date bound cuts, or in which several filters each match a part of the rows.
 * - A list under an id (`wallet_id=...`) has a stored total and reads its page from the index entries (`key_entry`), in
 *   order. Further filters read all rows of that id, and so does the total of an id that few rows share, or of a search term.
 * - The tail that is not yet rolled up is read directly: a few thousand changes (see `sql.ts`).
 */
import { type EventQuery, type ListQuery, SEARCH_KEY } from "../../../engine/ports/Storage.ts"
import { encodeLookupArray } from "./encode.ts"
import { eventColumns, eventOfKey, rowColumns, rowOfKey } from "./rows.ts"

export interface ListStatement {
  readonly text: string
  readonly params: ReadonlyArray<string | number | null>
}

/** Collects a statement's parameters and numbers them. */
export class Params {
  readonly values: Array<string | number | null> = []

  text(value: string): string {
    this.values.push(value)
    return `$${this.values.length}::text`
  }

  texts(values: ReadonlyArray<string>): string {
    return `${this.text(encodeLookupArray(values))}::text[]`
  }

  number(value: number): string {
    return `${this.text(`${value}`)}::bigint`
  }
}

const HOUR = 3_600_000
const LONGEST = 1000

const isIndexable = (indexKey: string): boolean =>
  Buffer.byteLength(indexKey) <= LONGEST && !indexKey.includes("\u0000")

/** Whether an index key has index entries: as `corridor_is_id_key`, except search terms, whose entries are not ordered by time. */
const isIdKey = (indexKey: string): boolean =>
  indexKey.includes("_id=") && !indexKey.startsWith(SEARCH_KEY) && isIndexable(indexKey)

/** Whether `corridor_bucket` does not count an index key, because few rows have it. */
const isUncounted = (indexKey: string): boolean =>
  /^(?:resource_id|payin_id|exact_id|search_id|reference|measured)=/.test(indexKey)

interface Span {
  readonly created_after?: number
  readonly created_before?: number
  readonly offset: number
  readonly limit: number
}

interface Head {
  readonly merchant_id?: string
  readonly kinds: ReadonlyArray<string>
}

export const makeTimeConditions = (
  p: Params,
  column: string,
  { created_after, created_before }: Span
): ReadonlyArray<string> => [
  ...(created_after === undefined ? [] : [`${column} >= ${p.number(created_after)}`]),
  ...(created_before === undefined ? [] : [`${column} <= ${p.number(created_before)}`])
]

export const joinConditions = (...conditions: ReadonlyArray<string>): string => conditions.join(" and ")

/** The view that holds the tail of a kind. */
const views: Readonly<Record<string, string>> = { "@event": "event_movement", "@posting": "posting_movement" }

/**
 * The query of the list counters of some index keys, with those of rows since the last roll-up, as rows of (merchant_id, kind,
 * index key, bucket, n).
 */
export const selectCounters = (
  p: Params,
  { merchant_id, kinds }: Head,
  index_keys: string,
  at: ReadonlyArray<string> = []
): string => {
  const head = joinConditions(
    ...(merchant_id === undefined ? [] : [`t.merchant_id = ${p.text(merchant_id)}`]),
    kinds.length === 1 ? `t.kind = ${p.text(kinds[0]!)}` : `t.kind = any (${p.texts(kinds)})`,
    index_keys,
    ...at
  )
  return `select t.merchant_id, t.kind, t.index_key, t.bucket, t.n from list_counter t where ${head}
    union all
    select t.merchant_id, t.kind, t.index_key, t.bucket, t.n from ${views[kinds[0]!] ?? "row_movement"} t
    where t.xid >= corridor_mark() and ${head} and t.bucket is not null`
}

interface Listed extends Head, Span {
  readonly words: ReadonlyArray<string>
  /** True when a filter has no list counter, so that rows must be read. */
  readonly unknown: boolean
  /** The rows of one (merchant, kind) pair; `h` is the pair. */
  readonly source: (p: Params) => { readonly from: string; readonly where: ReadonlyArray<string> }
  readonly key: string
  readonly order: string
  readonly whole: string
  readonly columns: string
}

/** The query of counts per merchant, kind and hour, as rows of (merchant_id, kind, bucket, n). Several rows of one hour add up. */
const selectHourCounts = (p: Params, q: Listed, from: string, filter: string): string => {
  const { created_after, created_before, words } = q
  const hours = [
    ...(created_after === undefined ? [] : [`t.bucket >= ${p.number(Math.floor(created_after / HOUR))}`]),
    ...(created_before === undefined ? [] : [`t.bucket <= ${p.number(Math.floor(created_before / HOUR))}`])
  ]
  if (words.length < 2 && hours.length === 0 && !q.unknown)
    return selectCounters(p, q, `t.index_key = ${p.text(words[0] ?? "")}`)
  const sum = (indexKey: string, name: string): string =>
    `coalesce(sum(n) filter (where index_key = ${p.text(indexKey)}), 0)::bigint as ${name}`
  const least = `least(${["h.rows", ...words.map((_, i) => `h.w${i}`)].join(", ")})`
  const partial = words.map((_, i) => `(h.w${i} < h.rows)::integer`)
  const uncounted = [
    ...(q.unknown ? ["true"] : []),
    ...(partial.length < 2 ? [] : [`${partial.join(" + ")} > 1`]),
    ...(created_after === undefined ? [] : [`h.bucket * ${HOUR}::bigint < ${p.number(created_after)}`]),
    ...(created_before === undefined ? [] : [`h.bucket * ${HOUR}::bigint + ${HOUR - 1} > ${p.number(created_before)}`])
  ]
  return `select h.merchant_id, h.kind, h.bucket, case when ${least} = 0 then 0 when ${uncounted.join(" or ")} then (
      select count(*) from ${from} where ${filter}
        and x.created_at between h.bucket * ${HOUR}::bigint and h.bucket * ${HOUR}::bigint + ${HOUR - 1}
    ) else ${least} end as n
    from (
      select merchant_id, kind, bucket, ${[sum("", "rows"), ...words.map((word, i) => sum(word, `w${i}`))].join(", ")}
      from (${selectCounters(p, q, `t.index_key = any (${p.texts(["", ...words])})`, hours)}) x group by merchant_id, kind, bucket
    ) h`
}

/** Makes the statement of a list whose page is found by the counts of its hours. */
const makeHourlyList = (q: Listed): ListStatement => {
  const p = new Params()
  const { from, where } = q.source(p)
  const filter = joinConditions(...where, ...makeTimeConditions(p, "x.created_at", q))
  const offset = p.number(q.offset)
  const limit = p.number(q.limit)
  const inPlace = "c.bucket between (select low / 3600000 from place) and (select high / 3600000 from place)"
  const heads =
    q.merchant_id === undefined
      ? `(select c.merchant_id, c.kind from counted c where ${inPlace} group by 1, 2 having sum(c.n) > 0)`
      : `(select ${p.text(q.merchant_id)} as merchant_id, kind from unnest(${p.texts(q.kinds)}) kind)`
  const text = `with counted as materialized (
  ${selectHourCounts(p, q, from, filter)}
), placed as materialized (
  select bucket, sum(n)::bigint as n, sum(sum(n)) over (order by bucket desc) - sum(n) as before
  from counted group by bucket
), place as materialized (
  select coalesce((select sum(n) from placed), 0) as total, min(bucket) * ${HOUR}::bigint as low,
    max(bucket) * ${HOUR}::bigint + ${HOUR - 1} as high, ${offset} - min(before) as skip
  from placed where n > 0 and before < ${offset} + ${limit} and before + n > ${offset}
), page as materialized (
  select ${q.key} from ${heads} h cross join lateral (
    select ${q.key} from ${from} where ${filter}
      and x.created_at >= (select low from place) and x.created_at <= (select high from place)
    order by ${q.order} limit (select skip from place) + ${limit}
  ) x order by ${q.order} offset (select skip from place) limit ${limit}
)
select t.total, p.* from place t left join lateral (
  select true as present, ${q.columns} from page k cross join lateral (${q.whole}) x order by ${q.order}
) p on true`
  return { text, params: p.values }
}

const stem = "substr(x.id, strpos(x.id, '_') + 1)"
const newest = `x.created_at desc, ${stem} desc, x.id desc, x.kind desc, x.merchant_id desc`

/** Makes the statement of a list under an id: it merges the index entries of its kinds by time, and skips to the page. */
const makeIndexList = (q: ListQuery, id: string): ListStatement => {
  const p = new Params()
  const others = q.index_keys.filter((indexKey) => indexKey !== id)
  const merchant = p.text(q.merchant_id!)
  const indexKey = p.text(id)
  const span = makeTimeConditions(p, "x.created_at", q)
  const rest = others.length === 0 ? undefined : p.texts(others)
  const join = (kind: string): string =>
    rest === undefined
      ? ""
      : ` cross join lateral (
      select 1 from resource r where r.merchant_id = ${merchant} and r.kind = ${kind} and r.id = x.id
        and r.index_keys @> ${rest} limit 1
    ) r`
  const key = "x.merchant_id, x.kind, x.id, x.created_at"
  const kinds = q.kinds.map((kind) => p.text(kind))
  // `offset 0` keeps the entries of each kind in index order, so that they are merged rather than sorted.
  const entries = (...more: ReadonlyArray<string>): string =>
    kinds
      .map((kind) => {
        const filter = joinConditions(`x.key = corridor_entry_key(${merchant}, ${kind}, ${indexKey})`, ...span, ...more)
        return `(select x.merchant_id, ${kind} as kind, x.id, x.created_at
      from key_entry x${join(kind)} where ${filter} order by x.created_at desc offset 0)`
      })
      .join(" union all\n    ")
  const kept = others.length === 0 && span.length === 0 && !isUncounted(id)
  const total = kept
    ? `select coalesce(sum(n), 0) as total from (${selectCounters(p, q, `t.index_key = ${indexKey}`)}) x`
    : `select count(*) as total from (${entries()}) x`
  const offset = p.number(q.offset)
  const limit = p.number(q.limit)
  // Find the creation time of the page's first row by time alone. Only the rows from there on need the full order.
  const text = `with first as materialized (
  select x.created_at as at from (
    ${entries()}
  ) x order by x.created_at desc offset ${offset} limit 1
), skip as materialized (
  select ${offset} - count(*) as n from (
    ${entries("x.created_at > (select at from first)")}
  ) x
), page as materialized (
  select ${key} from (
    ${entries("x.created_at <= (select at from first)")}
  ) x order by ${newest} offset (select n from skip) limit ${limit}
)
select t.total, p.* from (${total}) t left join lateral (
  select true as present, ${rowColumns} from page k cross join lateral (${rowOfKey}) x order by ${newest}
) p on true`
  return { text, params: p.values }
}

export const makeListStatement = (q: ListQuery): ListStatement => {
  // The most selective of several ids. `customer_id` comes last, because almost every row has one.
  const id =
    q.merchant_id === undefined
      ? undefined
      : q.index_keys
          .filter(isIdKey)
          .toSorted((a, b) => Number(a.startsWith("customer_id=")) - Number(b.startsWith("customer_id=")))[0]
  if (id !== undefined) return makeIndexList(q, id)
  // Those that `corridor_bucket` counts by hour.
  const words = q.index_keys.filter(
    (key) => isIndexable(key) && key.indexOf("=") > 0 && !key.startsWith(":") && !isUncounted(key) && !isIdKey(key)
  )
  return makeHourlyList({
    ...q,
    words,
    unknown: words.length < q.index_keys.length,
    source: (p) => ({
      from: "resource x",
      where: [
        "x.merchant_id = h.merchant_id",
        "x.kind = h.kind",
        "not x.hidden",
        ...(q.index_keys.length === 0 ? [] : [`x.index_keys @> ${p.texts(q.index_keys)}`])
      ]
    }),
    key: "x.merchant_id, x.kind, x.id, x.created_at",
    order: newest,
    whole: rowOfKey,
    columns: rowColumns
  })
}

/** Makes the statement of the events of one object. Their number is limited by what its machine publishes. */
const makeObjectEventList = (q: EventQuery): ListStatement => {
  const p = new Params()
  const filter = joinConditions(
    `x.merchant_id = ${p.text(q.merchant_id)}`,
    `x.object_id = ${p.text(q.object_id!)}`,
    ...(q.category === undefined ? [] : [`x.category = ${p.text(q.category)}`]),
    ...(q.type === undefined ? [] : [`x.type = ${p.text(q.type)}`]),
    ...makeTimeConditions(p, "x.created_at", q)
  )
  const text = `select t.total, p.* from (select count(*) as total from event x where ${filter}) t left join lateral (
  select true as present, ${eventColumns} from event x where ${filter}
  order by x.created_at desc, x.id desc offset ${p.number(q.offset)} limit ${p.number(q.limit)}
) p on true`
  return { text, params: p.values }
}

export const makeEventsStatement = (q: EventQuery): ListStatement =>
  q.object_id !== undefined
    ? makeObjectEventList(q)
    : makeHourlyList({
        ...q,
        kinds: ["@event"],
        words: [
          ...(q.category === undefined ? [] : [`category=${q.category}`]),
          ...(q.type === undefined ? [] : [`type=${q.type}`])
        ],
        unknown: false,
        source: (p) => ({
          from: "event x",
          where: [
            "x.merchant_id = h.merchant_id",
            ...(q.category === undefined ? [] : [`x.category = ${p.text(q.category)}`]),
            ...(q.type === undefined ? [] : [`x.type = ${p.text(q.type)}`])
          ]
        }),
        key: "x.merchant_id, x.id, x.created_at",
        order: "x.created_at desc, x.id desc",
        whole: eventOfKey,
        columns: eventColumns
      })
