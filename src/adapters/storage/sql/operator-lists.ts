/**
 * What an operator asks over all merchants: accounts and their entries, the trial balance, rows that have stopped moving, due work,
 * statistics, and search.
 */
import { Effect } from "effect"
import {
  type Backlog,
  type BacklogQuery,
  type BalanceQuery,
  EXACT_KEY,
  type IdleQuery,
  type Match,
  type MatchQuery,
  type Measure,
  type MeasureQuery,
  type Queue,
  type Storage,
  type TrialBalance
} from "../../../engine/ports/Storage.ts"
import { isGuarded, ownerOf } from "../../../machines/kernel/ledger.ts"
import type { SqlAsk, SqlRow } from "./driver.ts"
import { selectCounters, type ListStatement, Params } from "./lists.ts"
import { makeRowDecoder, number, numberOrNull, postingColumns, rowColumns, rowOfKey, text } from "./rows.ts"

const MINUTE = 60_000
/** Number of transactions in one bucket of `corridor_place`. */
const PLACE = 1024

// Newest first, in commit order. A posting that names the account twice counts once.
const order = "x.xid desc, x.position desc"

/** Makes the statement of the ledger entries of a wallet's or credential's account, by the index of owners. */
const makeOwnerEntryList = (account: string, offset: number, limit: number): ListStatement => {
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

/** Makes the statement of the ledger entries of a platform account, found by the buckets that contain some. */
const makePlatformEntryList = (account: string, offset: number, limit: number): ListStatement => {
  const p = new Params()
  const name = p.text(account)
  const lines = selectCounters(p, { kinds: ["@posting"] }, `t.index_key = ${name}`)
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

export const makeEntriesStatement = (account: string, offset: number, limit: number): ListStatement =>
  isGuarded(account) ? makeOwnerEntryList(account, offset, limit) : makePlatformEntryList(account, offset, limit)

/**
 * The query `found`: the rows that wait, with the time of their last progress. It searches the minutes that contain rows with a
 * waiting status, then reads the last progress of each row from its transitions. Few rows wait, and terminal rows are not read.
 */
const selectWaitingRows = (p: Params, q: Omit<IdleQuery, "offset" | "limit">): string => {
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

export const makeIdleStatement = (q: IdleQuery): ListStatement => {
  const p = new Params()
  const found = selectWaitingRows(p, q)
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

export const makeStalledStatement = (q: Parameters<Storage["Service"]["stalled"]>[0]): ListStatement => {
  const p = new Params()
  const text = `${selectWaitingRows(p, q)}
select kind, state, count(*) as n, min(since) as since from found group by kind, state`
  return { text, params: p.values }
}

/** The condition for the accounts of a class: the class alone, and those of an owner (`available:wal_...`), as a range of an index. */
const makeClassCondition = (column: string, name: string): string =>
  // A semicolon follows a colon.
  `${column} >= ${name} and ${column} < ${name} || ';' and (${column} = ${name} or ${column} >= ${name} || ':')`

/**
 * Makes the statement of account balances. Guarded accounts are read in list order, up to the page. The others are few: they are
 * summed as the trial balance sums them.
 */
export const makeAccountsStatement = (q: BalanceQuery): ListStatement => {
  const p = new Params()
  const name = q.class === undefined ? undefined : p.text(q.class)
  const currency = q.currency === undefined ? undefined : p.text(q.currency)
  const [skip, take] = [p.number(q.offset), p.number(q.limit)]
  const filter = (account: string, ...more: ReadonlyArray<string>): string => {
    const conditions = [
      ...more,
      ...(name === undefined ? [] : [makeClassCondition(account, name)]),
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

/** Makes the statement of the balances of platform accounts: the rolled-up ones, and the postings since. `classes` has no duplicates. */
export const makePlatformBalancesStatement = (classes: ReadonlyArray<string>): ListStatement => {
  const p = new Params()
  const tail = (account: string, sign: string): string =>
    `select x.${account}, x.currency, ${sign}x.amount from posting x join c on ${makeClassCondition(`x.${account}`, "c.name")}
    where x.xid >= corridor_mark() and corridor_owner(x.${account}) is null`
  const text = `with c as materialized (select * from unnest(${p.texts(classes)}) c(name))
select x.account, x.currency, sum(x.amount)::text as balance from (
  select x.account, x.currency, x.amount from c cross join lateral (
    select * from balance x where ${makeClassCondition("x.account", "c.name")}
  ) x
  union all ${tail("debit", "-")}
  union all ${tail("credit", "")}
) x group by 1, 2 order by 1, 2`
  return { text, params: p.values }
}

// The trial balance in one statement.

type Service = Storage["Service"]

// Platform accounts: the balances as rolled up, plus later postings. Guarded accounts: the stored balances.
const TRIAL_BALANCE = `with moved as (
  select merchant_id, account, currency, amount from balance
  union all select merchant_id, debit, currency, -amount from posting
  where xid >= corridor_mark() and corridor_owner(debit) is null
  union all select merchant_id, credit, currency, amount from posting
  where xid >= corridor_mark() and corridor_owner(credit) is null
), net as (
  select merchant_id, account, currency, sum(amount) as balance from moved group by merchant_id, account, currency
  union all select merchant_id, account, currency, balance from account
), total as (
  select split_part(account, ':', 1) as class, currency, sum(balance) as balance,
    coalesce(sum(-balance) filter (where balance < 0), 0) as debits,
    coalesce(sum(balance) filter (where balance > 0), 0) as credits
  from net group by 1, 2
)
select class, currency, balance::text as balance, debits::text as debits, credits::text as credits
from total order by class, currency`

export const readTrialBalance = (ask: SqlAsk): Service["trialBalance"] =>
  Effect.map(ask(TRIAL_BALANCE, []), (rows): TrialBalance => {
    const sums = new Map<string, { debits: bigint; credits: bigint }>()
    for (const row of rows) {
      const sum = sums.get(text(row["currency"])) ?? { debits: 0n, credits: 0n }
      sums.set(text(row["currency"]), {
        debits: sum.debits + BigInt(text(row["debits"])),
        credits: sum.credits + BigInt(text(row["credits"]))
      })
    }
    return {
      currencies: [...sums.keys()].sort().map((currency) => {
        const { debits, credits } = sums.get(currency)!
        return { currency, debits: debits.toString(), credits: credits.toString() }
      }),
      classes: rows.map(makeRowDecoder({ class: text, currency: text, balance: text }))
    }
  })

// How much work of each queue is due, and how old it is.

/** Makes the statement that counts each partition key's due jobs, in the order in which they are due, up to the limit. */
export const makeBacklogStatement = ({ limit, now, queues }: BacklogQuery): ListStatement => {
  const p = new Params()
  const [names, at, most] = [p.texts(queues), p.number(now), p.number(limit)]
  const statement = `select q.queue,
  (select count(*) from (
    select from corridor_partitions(q.queue) l cross join lateral (
      select from job f
      where f.queue = q.queue and case when left(f.queue, 8) = 'delivery' then f.partition_key else '' end = l.partition_key
        and f.status = 'pending' and f.due_at <= ${at} limit ${most}
    ) f where l.due_at <= ${at} limit ${most}
  ) x) as due,
  (select min(l.due_at) from corridor_partitions(q.queue) l where l.due_at <= ${at}) as due_since,
  case when left(q.queue, 8) = 'delivery' then (
    select j.created_at from job j
    where j.queue = q.queue and j.status = 'pending' and left(j.queue, 8) = 'delivery' and j.log <> '[]'
    order by j.created_at limit 1
  ) end as retried_since
from unnest(${names}) with ordinality q(queue, n) order by q.n`
  return { text: statement, params: p.values }
}

export const backlog =
  (ask: SqlAsk): Storage["Service"]["backlog"] =>
  (query) => {
    const { params, text: statement } = makeBacklogStatement(query)
    return Effect.map(ask(statement, params), (rows) =>
      rows.map(
        makeRowDecoder<Backlog>({
          queue: (name) => name as Queue,
          due: number,
          due_since: numberOrNull,
          retried_since: numberOrNull
        })
      )
    )
  }

// Statistics from the sums of `0004_lists.sql` and the changes since. One statement, and therefore one snapshot.

const DAY = 24

/** Splits a time span into parts with stored sums: whole days, and the hours before and after them. */
const splitTimeSpan = ({
  from,
  step,
  to
}: MeasureQuery): ReadonlyArray<readonly [step: number, from: number, to: number]> => {
  const [first, last] = [Math.ceil(from / DAY) * DAY, Math.floor(to / DAY) * DAY]
  if (step === "hour" || first >= last) return [[1, from, to]]
  return [[1, from, first] as const, [DAY, first, last] as const, [1, last, to] as const].filter(
    ([, low, high]) => low < high
  )
}

const hours = { hour: "x.hour", day: `x.hour - x.hour % ${DAY}` } as const

export const makeMeasureStatement = (q: MeasureQuery): ListStatement => {
  const p = new Params()
  const kinds = p.texts(q.kinds)
  const merchant = q.merchant_id === undefined ? undefined : p.text(q.merchant_id)
  const whose =
    q.by_merchant && merchant === undefined ? "length(x.merchant_id) > 0" : `x.merchant_id = ${merchant ?? "''"}`
  const stored = splitTimeSpan(q).map(
    ([step, from, to]) => `select x.* from unnest(${kinds}) g(kind) cross join lateral (
    select x.merchant_id, x.kind, x.bucket as hour, x.tags, x.seconds, x.n, x.amount from measure x
    where ${whose} and x.step = ${step} and x.kind = g.kind
      and x.bucket >= ${p.number(from)} and x.bucket < ${p.number(to)} offset 0
  ) x`
  )
  const tail = `select t.merchant_id, t.kind, t.hour, corridor_measure_tags(t.index_key),
    corridor_measure_seconds(t.index_key), t.n, t.n * corridor_measure_amount(t.index_key) from measure_movement t
  where t.xid >= corridor_mark() and t.kind = any (${kinds}) and t.hour >= ${p.number(q.from)} and t.hour < ${p.number(q.to)}
    ${merchant === undefined ? "" : `and t.merchant_id = ${merchant}`}`

  // The tags that the query separates by, in place; the others are empty.
  const tags =
    q.tags.length === q.width
      ? "x.tags"
      : Array.from({ length: q.width }, (_, i) =>
          q.tags.includes(i) ? `split_part(x.tags, '|', ${i + 1})` : "''"
        ).join(" || '|' || ")
  const text = `select ${q.by_merchant ? "x.merchant_id" : "''"} as merchant_id, ${q.by_kind ? "x.kind" : "''"} as kind,
  ${q.step === null ? "null::integer" : hours[q.step]} as hour, ${tags} as tags, x.seconds, sum(x.n) as n,
  sum(x.amount)::text as amount
from (
  ${[...stored, tail].join("\n  union all ")}
) x group by 1, 2, 3, 4, 5 having sum(x.n) <> 0`
  return { text, params: p.values }
}

export const toMeasure = (row: SqlRow): Measure => ({
  merchant_id: text(row["merchant_id"]),
  kind: text(row["kind"]),
  hour: numberOrNull(row["hour"]),
  tags: text(row["tags"]).split("|"),
  seconds: number(row["seconds"]),
  n: number(row["n"]),
  amount: text(row["amount"])
})

// Search over all merchants: the statement, and rows of it.

/** The most entries of a prefix that are read. */
const PREFIX_MAX = 5_000

/** The condition of the index `search_entry_term`. */
const isTerm = "x.index_key >= 'search_id=' and x.index_key < 'search_id>'"
const columns = "x.merchant_id, x.kind, x.id, x.index_key, x.created_at"

/** The last code point: every text that begins with a prefix sorts before the prefix and this. */
const LAST = "\u{10ffff}"

/**
 * Makes the statement of a search by exact terms and prefixes. Each key is one probe per kind, newest first, of the hash of an
 * exact term, or of the text; the newest of all kinds are the result. A prefix is a range of texts of these kinds, which is read
 * up to {@link PREFIX_MAX}. Texts use `search_entry_term`, or the entries of a merchant's kind.
 */
export const makeMatchStatement = (q: MatchQuery): ListStatement => {
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

export const toMatch = makeRowDecoder<Match>({
  merchant_id: text,
  kind: text,
  id: text,
  index_key: text,
  created_at: number
})
