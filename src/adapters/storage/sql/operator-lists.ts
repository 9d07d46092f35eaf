/**
 * Lists for the operator alone: the accounts and their entries over all merchants, and rows that have stopped moving.
 */
import type { BalanceQuery, IdleQuery, Storage } from "../../../engine/ports/Storage.ts"
import { ownerOf, isGuarded } from "../../../machines/kernel/ledger.ts"
import { addMovementFilter, Params, type ListStatement } from "./lists.ts"
import { postingColumns, rowColumns, rowOfKey } from "./rows.ts"

const MINUTE = 60_000
/** Number of transactions in one bucket of `corridor_place`. */
const PLACE = 1024

// Newest first, in commit order. A posting that names the account twice counts once.
const order = "x.xid desc, x.position desc"

/** The entries of a wallet's or credential's account, through the index by owner. */
const listOwned = (account: string, offset: number, limit: number): ListStatement => {
  const p = new Params()
  const [owner, name] = [p.text(ownerOf(account)), p.text(account)]
  const [skip, take] = [p.number(offset), p.number(limit)]
  const side = (by: string, condition: string): string =>
    `(
      select * from posting x where corridor_owner(${by}) = ${owner} and ${condition}
        and (debit = ${name} or credit = ${name}) order by ${order} offset 0
    )`
  const text = `select t.total, p.* from (
  select coalesce(sum(entries), 0) as total from account x where x.account = ${name}
) t left join lateral (
  select true as present, ${postingColumns} from (
    ${side("debit", "corridor_owner(debit) is not null")} union all
    ${side("credit", "corridor_owner(credit) is not null and corridor_owner(debit) is distinct from corridor_owner(credit)")}
  ) x order by ${order} offset ${skip} limit ${take}
) p on true`
  return { text, params: p.values }
}

/** The entries of a platform account, located by the buckets that contain some. */
const ofPlatform = (account: string, offset: number, limit: number): ListStatement => {
  const p = new Params()
  const name = p.text(account)
  const lines = addMovementFilter(p, { kinds: ["@posting"] }, `t.index_key = ${name}`)
  const [skip, take] = [p.number(offset), p.number(limit)]
  const text = `with placed as (
  select bucket, sum(n) as n, sum(sum(n)) over (order by bucket desc) - sum(n) as before from (${lines}) x group by bucket
), place as materialized (
  select coalesce((select sum(n) from placed), 0) as total, min(bucket) * ${PLACE}::bigint as low,
    (max(bucket) + 1) * ${PLACE}::bigint as high, ${skip} - min(before) as skip
  from placed where n > 0 and before < ${skip} + ${take} and before + n > ${skip}
)
select t.total, p.* from place t left join lateral (
  select true as present, ${postingColumns} from posting x
  where x.xid >= (select low::text::xid8 from place) and x.xid < (select high::text::xid8 from place)
    and (x.debit = ${name} or x.credit = ${name})
  order by ${order} offset (select skip from place) limit ${take}
) p on true`
  return { text, params: p.values }
}

export const entriesStatement = (account: string, offset: number, limit: number): ListStatement =>
  isGuarded(account) ? listOwned(account, offset, limit) : ofPlatform(account, offset, limit)

/**
 * `found`: the rows that wait, with the time of their last progress. Searches the minutes that contain rows with a waiting
 * status, then reads the last progress of each row from its transitions. Few rows wait, and rows that have ended are not
 * read.
 */
const waitingRows = (p: Params, q: Omit<IdleQuery, "offset" | "limit">): string => {
  const [kinds, words, untils] = [
    p.texts(q.waits.map(({ kind }) => kind)),
    p.texts(q.waits.map(({ status }) => `:${status}`)),
    p.texts(q.waits.map(({ until }) => until ?? ""))
  ]
  const of = `t.kind = w.kind and t.index_key = w.word and t.bucket <= ${p.number(Math.floor(q.before / MINUTE))}${
    q.merchant_id === undefined ? "" : ` and t.merchant_id = ${p.text(q.merchant_id)}`
  }`
  const [before, now, underWay] = [p.number(q.before), p.number(q.now), p.texts(q.under_way)]
  const steps = p.texts(q.steps)
  const without = q.without === undefined ? "" : ` and r.state <> all (${p.texts(q.without)})`
  return `with w as materialized (
  select * from unnest(${kinds}, ${words}, ${untils}) w(kind, word, until)
), minute as (
  select merchant_id, kind, bucket, sum(n)::bigint as n from (
    select t.merchant_id, t.kind, t.bucket, t.n from w cross join lateral (select * from list_counter t where ${of}) t
    union all
    select t.merchant_id, t.kind, t.bucket, t.n from row_movement t join w on ${of} where t.xid >= corridor_mark()
  ) x group by merchant_id, kind, bucket having sum(n) > 0
), found as materialized (
  select x.merchant_id, x.kind, x.id, x.state, t.since from minute h cross join lateral (
    select r.*, w.until from resource r cross join lateral (
      select w.until from w where w.kind = r.kind and (w.word = ':' || r.status or w.word = any (r.index_keys)) limit 1
    ) w
    where r.merchant_id = h.merchant_id and r.kind = h.kind and not r.hidden${without}
      and r.created_at between h.bucket * ${MINUTE}::bigint and h.bucket * ${MINUTE}::bigint + ${MINUTE - 1} limit h.n
  ) x cross join lateral (
    select max(t.at) as since from transition t
    where t.merchant_id = x.merchant_id and t.resource_id = x.id and t.kind = x.kind
      and (t.from_state is distinct from t.to_state
        and not (coalesce(t.from_state = any (${underWay}), false) and t.to_state = any (${underWay}))
        or t.kind || '/' || t.via = any (${steps}))
  ) t
  where t.since < ${before} and not exists (
    select from job j where j.merchant_id = x.merchant_id and j.id = x.id || '.' || x.until
      and j.status = 'pending' and j.due_at > ${now}
  )
)`
}

export const idleStatement = (q: IdleQuery): ListStatement => {
  const p = new Params()
  const found = waitingRows(p, q)
  const [skip, take] = [p.number(q.offset), p.number(q.limit)]
  const oldest = "x.since, x.id, x.merchant_id"
  const text = `${found}, page as materialized (
  select * from found x order by ${oldest} offset ${skip} limit ${take}
)
select t.total, p.* from (select count(*) as total from found) t left join lateral (
  select true as present, x.since, ${rowColumns} from (
    select r.*, k.since from page k cross join lateral (${rowOfKey}) r
  ) x order by ${oldest}
) p on true`
  return { text, params: p.values }
}

export const selectStalled = (q: Parameters<Storage["Service"]["stalled"]>[0]): ListStatement => {
  const p = new Params()
  const text = `${waitingRows(p, q)}
select kind, state, count(*) as n, min(since) as since from found group by kind, state`
  return { text, params: p.values }
}

/** The accounts of a class: the class alone, and those of an owner (`available:wal_...`), as a range of an index. */
const ofClass = (column: string, name: string): string =>
  // A semicolon follows a colon.
  `${column} >= ${name} and ${column} < ${name} || ';' and (${column} = ${name} or ${column} >= ${name} || ':')`

/**
 * Guarded accounts are read in list order, up to the page. The others are few: they are summed as the trial balance sums
 * them.
 */
export const accountsStatement = (q: BalanceQuery): ListStatement => {
  const p = new Params()
  const name = q.class === undefined ? undefined : p.text(q.class)
  const currency = q.currency === undefined ? undefined : p.text(q.currency)
  const [skip, take] = [p.number(q.offset), p.number(q.limit)]
  const filter = (account: string, ...more: ReadonlyArray<string>): string => {
    const conditions = [
      ...more,
      ...(name === undefined ? [] : [ofClass(account, name)]),
      ...(currency === undefined ? [] : [`x.currency = ${currency}`])
    ]
    return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`
  }
  const tail = (account: string, sign: string): string =>
    `select x.merchant_id, x.${account}, x.currency, ${sign}x.amount from posting x
    ${filter(`x.${account}`, "x.xid >= corridor_mark()", `corridor_owner(x.${account}) is null`)}`
  const key = "x.account, x.merchant_id, x.currency"
  const text = `with platform as materialized (
  select x.merchant_id, x.account, x.currency, sum(x.amount) as balance from (
    select x.merchant_id, x.account, x.currency, x.amount from balance x ${filter("x.account")}
    union all ${tail("debit", "-")}
    union all ${tail("credit", "")}
  ) x group by 1, 2, 3
), page as (
  select x.* from (
    select x.merchant_id, x.account, x.currency, x.balance from platform x
    union all (
      select x.merchant_id, x.account, x.currency, x.balance from account x ${filter("x.account")}
      order by ${key} limit ${skip} + ${take}
    )
  ) x order by ${key} offset ${skip} limit ${take}
)
select t.total, p.* from (
  select (select count(*) from platform) + (select count(*) from account x ${filter("x.account")}) as total
) t left join lateral (
  select true as present, x.merchant_id, x.account, x.currency, x.balance::text as balance from page x order by ${key}
) p on true`
  return { text, params: p.values }
}

/** The balances of platform accounts, as rolled up, and the postings since. `classes` has no name twice. */
export const platformBalancesStatement = (classes: ReadonlyArray<string>): ListStatement => {
  const p = new Params()
  const tail = (account: string, sign: string): string =>
    `select x.${account}, x.currency, ${sign}x.amount from posting x join c on ${ofClass(`x.${account}`, "c.name")}
    where x.xid >= corridor_mark() and corridor_owner(x.${account}) is null`
  const text = `with c as materialized (select * from unnest(${p.texts(classes)}) c(name))
select x.account, x.currency, sum(x.amount)::text as balance from (
  select x.account, x.currency, x.amount from c cross join lateral (
    select * from balance x where ${ofClass("x.account", "c.name")}
  ) x
  union all ${tail("debit", "-")}
  union all ${tail("credit", "")}
) x group by 1, 2 order by 1, 2`
  return { text, params: p.values }
}
