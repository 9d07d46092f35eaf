/** The read statements, one for each method of the port that is not batched. */
import { Effect } from "effect"
import type {
  ClaimQuery,
  History,
  JobWalk,
  LookupKey,
  OwnedPostings,
  Queue,
  RowKey,
  Storage,
  Transition
} from "../../../engine/ports/Storage.ts"
import { BoundedMap } from "../../../engine/ports/bounded-map.ts"
import type { StorageFault } from "../../../engine/ports/errors.ts"
import { mergePending } from "../cells/merge.ts"
import { compareKeys, decodeCause } from "../change.ts"
import type { LeaseClock, SqlAsk, SqlRow } from "./driver.ts"
import { encodeLookupColumns, toLookupText, encodeLookupArray, encodeWholeResponse } from "./encode.ts"
import { makeIdentityMethods, isHere, lacksIdentityFunctions } from "./identity.ts"
import {
  makeTimeConditions,
  makeEventsStatement,
  joinConditions,
  type ListStatement,
  makeListStatement,
  Params
} from "./lists.ts"
import {
  makeAccountsStatement,
  backlog,
  makeEntriesStatement,
  makeIdleStatement,
  makeMatchStatement,
  makeMeasureStatement,
  makePlatformBalancesStatement,
  makeStalledStatement,
  toMatch,
  toMeasure,
  readTrialBalance
} from "./operator-lists.ts"
import {
  makeRowDecoder,
  eventColumns,
  jobColumns,
  number,
  numberOrNull,
  postingColumns,
  responseColumn,
  rowColumns,
  text,
  toBalance,
  toEvent,
  toJob,
  toPosting,
  toRow
} from "./rows.ts"

// What the history of one resource is read from: its transitions, postings and events, and jobs by how their ids begin.

// Ids compare as bytes and have no character above "~".
const JOBS_BEGINNING = `select distinct on (x.id) ${jobColumns} from unnest($2::text::text[]) p(prefix)
cross join lateral (
  select * from job j where j.merchant_id = $1::text and j.id >= p.prefix collate "C" and j.id < (p.prefix || '~') collate "C"
  order by j.id limit $3::text::bigint
) x order by x.id`

const jobsBeginning =
  (ask: SqlAsk): Service["jobsBeginning"] =>
  (merchant_id, prefixes, limit) =>
    prefixes.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(JOBS_BEGINNING, [merchant_id, encodeLookupArray(prefixes), limit]), (rows) => rows.map(toJob))

// Each prefix is one probe of the index by id, which has nothing but ids. With more columns or another order, planners that can skip
// through an index take the primary key instead, and probe it once for each merchant and kind.
const IDS_BEGINNING = `select distinct x.merchant_id, x.kind, x.id
from unnest($1::text::text[]) p(prefix) cross join lateral (
  select r.id from resource r where r.id >= p.prefix collate "C" and r.id < (p.prefix || '~') collate "C"
  order by r.id limit $2::text::bigint
) i cross join lateral (select * from resource r where r.id = i.id offset 0) x`

const idsBeginning =
  (ask: SqlAsk): Service["idsBeginning"] =>
  (prefixes, limit) =>
    prefixes.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(IDS_BEGINNING, [encodeLookupArray(prefixes), limit]), (rows) =>
          rows.map(makeRowDecoder({ merchant_id: text, kind: text, id: text }))
        )

const POSTINGS_OF = `select ${postingColumns} from (
  select distinct * from unnest($2::text::text[], $3::text::text[]) k(merchant_id, resource_id)
) k cross join lateral (
  select * from posting p where p.merchant_id = k.merchant_id and p.resource_id = k.resource_id
    and (p.debit = $1::text or p.credit = $1::text)
) x order by x.merchant_id, x.resource_id, x.position`

const postingsOf =
  (ask: SqlAsk): Service["postingsOf"] =>
  (account, resources) =>
    resources.length === 0
      ? Effect.succeed([])
      : Effect.map(
          ask(POSTINGS_OF, [account, ...encodeLookupColumns(resources, "merchant_id", "resource_id")]),
          (rows) => rows.map(toPosting)
        )

const HISTORY = `select
  (select json_agg(json_build_object('resource_id', x.resource_id, 'kind', x.kind, 'version', x.version,
    'from', x.from_state, 'to', x.to_state, 'via', x.via, 'cause', x.cause, 'event_count', x.event_count, 'at', x.at) order by x.kind, x.version)
   from transition x where x.merchant_id = $1::text and x.resource_id = $2::text)::text as transitions,
  (select json_agg(json_build_object('merchant_id', x.merchant_id, 'resource_id', x.resource_id, 'version', x.version,
    'debit', x.debit, 'credit', x.credit, 'amount', x.amount::text, 'currency', x.currency, 'at', x.at)
    order by x.position)
   from posting x where x.merchant_id = $1::text and x.resource_id = $2::text)::text as postings,
  (select json_agg(json_build_object('merchant_id', x.merchant_id, 'id', x.id, 'object_id', x.object_id,
    'sequence', x.sequence, 'type', x.type, 'category', x.category, 'created_at', x.created_at, 'body', x.body)
    order by x.sequence, x.position)
   from event x where x.merchant_id = $1::text and x.object_id = $2::text)::text as events`

const parseList = (value: unknown): ReadonlyArray<never> => (value === null ? [] : JSON.parse(text(value)))

const history =
  (ask: SqlAsk): Service["history"] =>
  (merchant_id, resource_id) =>
    Effect.map(
      ask(HISTORY, [merchant_id, resource_id]),
      ([row]): History => ({
        transitions: parseList(row!["transitions"]).map((one: Transition) => ({ ...one, ...decodeCause(one.cause) })),
        postings: parseList(row!["postings"]),
        events: parseList(row!["events"])
      })
    )

/** The query of the postings that debit, or that credit, an owner, by the index of owners. */
const selectOwnerSide = (by: "debit" | "credit", other: "debit" | "credit", change: string): string =>
  `select x.*, ${change} as change from posting x where corridor_owner(x.${by}) is not null and corridor_owner(x.${by}) = $2::text
    and corridor_owner(x.${other}) is distinct from corridor_owner(x.${by})
    and x.merchant_id = $1::text and x.currency = $3::text and x.at < $5::text::bigint`

const OWNED = `with x as materialized (
  ${selectOwnerSide("debit", "credit", "-x.amount")} union all
  ${selectOwnerSide("credit", "debit", "x.amount")}
) select b.before, x.resource_id is not null as present, ${postingColumns}
from (select coalesce(sum(change), 0)::text as before from x where at < $4::text::bigint) b
left join x on x.at >= $4::text::bigint order by x.at, x.xid, x.position limit $6::text::int`

const readOwnerPostings =
  (ask: SqlAsk): Service["owned"] =>
  ({ currency, from, limit, merchant_id, owner, to }) =>
    Effect.map(
      ask(OWNED, [merchant_id, owner, currency, from, to, limit]),
      (rows): OwnedPostings => ({
        before: text(rows[0]!["before"]),
        postings: rows.filter((row) => row["present"] === true).map(toPosting)
      })
    )

// Claims of due jobs, and of those that the server may have claimed before its answer was lost.

const CLAIM = `select ${jobColumns}, x.payload, x.endpoint_version from corridor_claim($1::text, $2::text::bigint, coalesce($3::text::bigint, corridor_clock()), $4::text::bigint,
  $5::text, $6::text::int, $7::text::int, $8::text::text[], $9::text, $10::text::text[]) x`

/** The most failed claims that are remembered. */
const lostMax = 256

const makeClaim = (ask: SqlAsk, clock: LeaseClock): Storage["Service"]["claim"] => {
  let condition = clock === "caller" ? "" : isHere
  /** Tokens of failed claims. The server may have made them, and may still do so: one is remembered for longer than its leases. */
  const lost = new BoundedMap<string, { readonly queue: Queue; readonly until: number }>(lostMax)
  const lose = ({ lease_ms, queue, token, wall }: ClaimQuery): void => {
    lost.set(token, { queue, until: wall + 2 * lease_ms })
  }
  const lostOf = ({ queue, wall }: ClaimQuery): ReadonlyArray<string> => {
    for (const [token, { until }] of lost) if (until <= wall) lost.delete(token)
    return [...lost].filter(([, one]) => one.queue === queue).map(([token]) => token)
  }
  return (q: ClaimQuery) => {
    const params = [
      q.queue,
      q.now,
      clock === "caller" ? q.wall : null,
      q.lease_ms,
      q.token,
      q.limit,
      q.per_partition,
      encodeLookupArray(q.busy),
      q.merchant_id ?? null,
      encodeLookupArray([...(q.released ?? []), ...lostOf(q)])
    ]
    const claimed = Effect.suspend(() => ask(`${CLAIM}${condition}`, params))
    return Effect.map(
      Effect.catchIf(
        claimed,
        (fault) => condition !== "" && lacksIdentityFunctions(fault),
        () => {
          condition = ""
          return claimed
        }
      ).pipe(Effect.onError(() => Effect.sync(() => lose(q)))),
      (rows) => rows.map(toJob)
    )
  }
}

type Service = Storage["Service"]

const readPage = <A>(ask: SqlAsk, { params, text }: ListStatement, item: (row: SqlRow) => A) =>
  Effect.map(ask(text, params), (rows) => ({
    items: rows.filter((r) => r["present"] !== null).map(item),
    total: number(rows[0]?.["total"] ?? 0)
  }))

const readAll = <A>(ask: SqlAsk, { params, text }: ListStatement, item: (row: SqlRow) => A) =>
  Effect.map(ask(text, params), (rows) => rows.map(item))

const jobs =
  (ask: SqlAsk): Service["jobs"] =>
  (query) => {
    const p = new Params()
    const { merchant_id, partition_key, queue, status } = query
    const filter = joinConditions(
      ...Object.entries({ merchant_id, queue, partition_key, status }).flatMap(([column, value]) =>
        value === undefined ? [] : [`x.${column} = ${p.text(value)}`]
      ),
      ...makeTimeConditions(p, "x.created_at", query),
      ...Object.entries(query.body ?? {}).map(([name, value]) => {
        // Bodies are stored as they were written, so that equal texts match. A text with a NUL could not be compared as
        // `jsonb`.
        const as = typeof value === "object" && value !== null ? "::jsonb" : ""
        return `(x.body::json -> ${p.text(name)})::text${as} = ${p.text(JSON.stringify(value))}${as}`
      })
    )
    const source = `from job x where ${filter}`
    const text = `select t.total, p.* from (select count(*) as total ${source}) t left join lateral (
  select true as present, ${jobColumns} ${source}
  order by x.created_at desc, x.id desc offset ${p.number(query.offset)} limit ${p.number(query.limit)}
) p on true`
    return readPage(ask, { text, params: p.values }, toJob)
  }

// As the predicates of the indexes say it, so that each plan may take them.
const WALKS = {
  failed: "x.status = 'failed' and x.partition_key = $4::text",
  parked: `x.status = 'pending' and strpos(x.body, '"parked":') > 0 and (x.body::json -> 'parked')::text = $4::text`
} as const

export const makeWalkStatement = ({ after, limit, merchant_id, of, queues }: JobWalk): ListStatement => {
  const [condition, value] = "failed" in of ? [WALKS.failed, of.failed] : [WALKS.parked, JSON.stringify(of.parked)]
  return {
    text: `select ${jobColumns} from job x
where x.merchant_id = $1::text and x.queue = any ($2::text::text[]) and x.id > $3::text and ${condition}
order by x.id limit $5::text::bigint`,
    params: [merchant_id, encodeLookupArray(queues), after, value, `${limit}`]
  }
}

const FEED = `select a.known, x.* from (
  select case when $2::text is null then 1 else (
    select count(*) from event e where e.merchant_id = $1::text and e.id = $2::text
  ) end as known
) a left join lateral (
  select ${eventColumns} from event x
  where x.merchant_id = $1::text and x.xid < (select corridor_horizon())
    and ($2::text is null or (x.xid, x.position) > (
      select e.xid, e.position from event e where e.merchant_id = $1::text and e.id = $2::text
    ))
  order by x.xid, x.position limit $3::text::bigint
) x on true`

const feed =
  (ask: SqlAsk): Service["feed"] =>
  (merchant_id, after, limit) =>
    after !== null && toLookupText(after) === null
      ? Effect.succeed(undefined)
      : Effect.map(ask(FEED, [merchant_id, after, limit]), (rows) =>
          number(rows[0]?.["known"]) === 0 ? undefined : rows.filter((r) => r["id"] !== null).map(toEvent)
        )

export const BEAT = `select corridor_beat($1::text, coalesce($2::text::bigint, corridor_clock()), $3::text::bigint) as ended`

// Every job due before a partition key's first unleased job is leased; later ones cannot be due earlier.
const NEXT_DUE = `select min(first.due_at) as due
from unnest($1::text::text[]) q(queue)
cross join lateral corridor_partitions(q.queue) l
cross join lateral (
  select f.due_at from job f
  where f.queue = q.queue and case when left(f.queue, 8) = 'delivery' then f.partition_key else '' end = l.partition_key
    and f.status = 'pending' and f.lease is null and ($2::text is null or f.due_at > $2::text::bigint)
  order by f.due_at limit 1
) first`

export const PENDING = `select q.queue, min(l.due_at) as due_at, min(first.due_at) as free_at
from unnest($1::text::text[]) q(queue)
cross join lateral corridor_partitions(q.queue) l
left join lateral (
  select f.due_at from job f
  where f.queue = q.queue and case when left(f.queue, 8) = 'delivery' then f.partition_key else '' end = l.partition_key
    and f.status = 'pending' and f.lease is null
  order by f.due_at limit 1
) first on true
group by q.queue`

/** Makes `pending` over the queues of several schemas of one database, each reached by its own `named`, in one statement. */
export const makePendingMethod = (
  ask: SqlAsk,
  schemas: ReadonlyArray<(text: string) => string> = [(text) => text]
): Service["pending"] => {
  const statement = schemas.map((named) => named(PENDING)).join(" union all ")
  return (queues) =>
    Effect.map(ask(statement, [encodeLookupArray(queues)]), (rows) =>
      mergePending(
        rows.map(
          makeRowDecoder({ queue: (name) => name as Queue, due_at: number, free_at: (at) => numberOrNull(at ?? null) })
        )
      )
    )
}

// When no token was taken, the level read here may be older than the one that was rejected: hence at least 1. Levels
// are thousandths of a token, so that whole-token rates refill exactly, millisecond by millisecond.
const LEVEL = "least($3::text::float8 * 1000, b.level + greatest(0, $4::text::bigint - b.at) * $2::text::float8)"

const TAKE = `with taken as (
  insert into bucket as b (merchant_id, level, at)
  select $1::text, ($3::text::float8 - 1) * 1000, $4::text::bigint where $3::text::float8 >= 1
  on conflict (merchant_id) do update set level = ${LEVEL} - 1000, at = greatest(b.at, excluded.at)
  where ${LEVEL} >= 1000
  returning 1
)
select case when exists (select from taken) then 0 else coalesce(
  (select greatest(1, ceil((1000 - ${LEVEL}) / $2::text::float8)) from bucket b where b.merchant_id = $1::text),
  ceil(1000 / $2::text::float8)
) end as wait`

/** The same, of a bucket that stays as it is. */
const PEEK = `select case
  when not exists (select from bucket b where b.merchant_id = $1::text) then
    case when $3::text::float8 >= 1 then 0 else ceil(1000 / $2::text::float8) end
  else (
    select case when ${LEVEL} >= 1000 then 0 else greatest(1, ceil((1000 - ${LEVEL}) / $2::text::float8)) end
    from bucket b where b.merchant_id = $1::text
  )
end as wait`

/** The query of rows whose data contain a text, after a row, or from the first one. */
const selectRowsHoldingText = (after: RowKey | null): string => `select ${rowColumns} from resource x
where strpos(x.data, $1::text) > 0
  ${after === null ? "" : "and (x.merchant_id, x.kind, x.id) > ($3::text, $4::text, $5::text)"}
order by x.merchant_id, x.kind, x.id limit $2::text::int`

const REINDEX = `select corridor_reindex($1::text::text[], $2::text::text[], $3::text::text[], $4::text::int[],
  $5::text::text[]) as done`

/** Not in what a response has of an event. */
const RESPONSES_HOLDING = `select x.merchant_id, x.key, ${responseColumn} as response from idempotency_record x
where strpos(x.response, $1::text) > 0 and ($2::text is null or (x.merchant_id, x.key) > ($2::text, $3::text))
order by x.merchant_id, x.key limit $4::text::int`

const readOne = <A>(effect: Effect.Effect<ReadonlyArray<SqlRow>, StorageFault>, as: (row: SqlRow) => A) =>
  Effect.map(effect, ([row]) => (row === undefined ? undefined : as(row)))

/** Makes all methods of the port except the batched ones (`commit`, `get`, `event`, `idempotencyRecord`, `accounts`), `ping` and `watch`. */
export const makeQueries = (
  ask: SqlAsk,
  clock: LeaseClock
): Omit<
  Service,
  | "commit"
  | "trialCommit"
  | "get"
  | "event"
  | "idempotencyRecord"
  | "accounts"
  | "counters"
  | "shards"
  | "watch"
  | "ping"
> => ({
  find: (kind, id) =>
    readOne(
      ask(`select ${rowColumns} from resource x where x.id = $2::text and x.kind = $1::text limit 1`, [kind, id]),
      toRow
    ),
  list: (query) => readPage(ask, makeListStatement(query), toRow),
  matches: (query) => readAll(ask, makeMatchStatement(query), toMatch),
  measures: (query) => readAll(ask, makeMeasureStatement(query), toMeasure),
  reindex: (rows) => {
    const sorted = rows.toSorted(compareKeys)
    return Effect.map(
      ask(REINDEX, [
        ...encodeLookupColumns(sorted, "merchant_id", "kind", "id", "version"),
        encodeLookupArray(sorted.map(({ index_keys }) => encodeLookupArray(index_keys)))
      ]),
      ([row]) => number(row!["done"])
    )
  },
  findEvent: (id) => readOne(ask(`select ${eventColumns} from corridor_find_event($1::text) x`, [id]), toEvent),
  descendants: (merchant_id, roots) =>
    Effect.map(
      ask(
        `select ${rowColumns} from resource x where x.merchant_id = $1::text and x.root_id = any ($2::text::text[])
         order by x.created_at, substr(x.id, strpos(x.id, '_') + 1), x.id`,
        [merchant_id, encodeLookupArray(roots)]
      ),
      (rows) => rows.map(toRow)
    ),
  uniqueKeyOwner: (merchant_id, scope, key) =>
    readOne(
      ask("select owner from unique_key where merchant_id = $1::text and scope = $2::text and key = $3::text", [
        merchant_id,
        scope,
        key
      ]),
      (row) => text(row["owner"])
    ),
  lookup: (scope, key) =>
    readOne(
      ask("select scope, key, merchant_id, kind, id from lookup_key where scope = $1::text and key = $2::text", [
        scope,
        key
      ]),
      (row) => ({ ...row }) as unknown as RowKey & LookupKey
    ),
  events: (query) => readPage(ask, makeEventsStatement(query), toEvent),
  feed: feed(ask),
  claim: makeClaim(ask, clock),
  heartbeat: ({ lease_ms, node, wall }) =>
    Effect.map(ask(BEAT, [node, clock === "caller" ? wall : null, lease_ms]), ([row]) => number(row!["ended"]) === 1),
  nextDue: (queues, after) =>
    Effect.map(
      ask(NEXT_DUE, [encodeLookupArray(queues), after ?? null]),
      ([row]) => numberOrNull(row?.["due"] ?? null) ?? undefined
    ),
  pending: makePendingMethod(ask),
  job: (merchant_id, id) =>
    readOne(
      ask(`select ${jobColumns} from job x where x.merchant_id = $1::text and x.id = $2::text`, [merchant_id, id]),
      toJob
    ),
  jobs: jobs(ask),
  jobsAfter: (walk) => readAll(ask, makeWalkStatement(walk), toJob),
  jobsBeginning: jobsBeginning(ask),
  history: history(ask),
  idsBeginning: idsBeginning(ask),
  postingsOf: postingsOf(ask),
  entries: (account, offset, limit) => readPage(ask, makeEntriesStatement(account, offset, limit), toPosting),
  owned: readOwnerPostings(ask),
  balances: (query) => readPage(ask, makeAccountsStatement(query), toBalance),
  trialBalance: readTrialBalance(ask),
  idle: (query) => readPage(ask, makeIdleStatement(query), (row) => ({ ...toRow(row), since: number(row["since"]) })),
  stalled: (query) =>
    readAll(ask, makeStalledStatement(query), makeRowDecoder({ kind: text, state: text, n: number, since: number })),
  backlog: backlog(ask),
  platformBalances: (classes) =>
    classes.length === 0
      ? Effect.succeed([])
      : readAll(
          ask,
          makePlatformBalancesStatement(classes),
          makeRowDecoder({ account: text, currency: text, balance: text })
        ),
  forget: ({ before, limit, sort }) =>
    Effect.map(
      ask("select corridor_forget($1::text, $2::text::bigint, $3::text::int) as gone", [sort, before, limit]),
      ([row]) => number(row!["gone"])
    ),
  rowsHolding: (searched, after, limit) =>
    Effect.map(
      ask(selectRowsHoldingText(after), [
        searched,
        limit,
        ...(after === null ? [] : [after.merchant_id, after.kind, after.id])
      ]),
      (rows) => rows.map(toRow)
    ),
  responsesHolding: (searched, after, limit) =>
    Effect.map(ask(RESPONSES_HOLDING, [searched, after?.merchant_id ?? null, after?.key ?? null, limit]), (rows) =>
      rows.map(makeRowDecoder({ merchant_id: text, key: text, response: text }))
    ),
  replaceResponse: (merchant_id, key, from, to) =>
    Effect.map(
      ask(
        `update idempotency_record x set response = $4::text
         where x.merchant_id = $1::text and x.key = $2::text and ${responseColumn} = $3::text returning 1 as one`,
        [merchant_id, key, from, encodeWholeResponse(to)]
      ),
      (rows) => rows.length > 0
    ),
  take: (b) =>
    Effect.map(ask(b.peek === true ? PEEK : TAKE, [b.merchant_id, b.per_second, b.burst, b.now]), ([row]) =>
      number(row!["wait"])
    ),
  setting: (key) => readOne(ask("select value from setting where key = $1::text", [key]), (row) => text(row["value"])),
  define: (key, value) =>
    Effect.map(
      ask(
        `insert into setting as s (key, value) values ($1::text, $2::text)
         on conflict (key) do update set value = s.value returning value`,
        [key, value]
      ),
      ([row]) => text(row!["value"])
    ),
  assign: (key, value) =>
    Effect.asVoid(
      ask(
        `insert into setting (key, value) values ($1::text, $2::text)
         on conflict (key) do update set value = excluded.value`,
        [key, value]
      )
    ),
  clock:
    clock === "caller"
      ? Effect.undefined
      : Effect.map(ask("select corridor_clock() as now", []), ([row]) => number(row!["now"])),
  ...makeIdentityMethods(ask, clock)
})
