/** Converts table rows to values of the port, and defines the batched reads. */
import type {
  StoredAccount,
  StoredCounter,
  AccountBalance,
  IdempotencyRecord,
  Job,
  Queue,
  Row,
  StoredEvent,
  StoredPosting
} from "../../../engine/ports/Storage.ts"
import type { SqlRow } from "./driver.ts"

export const text = (value: unknown): string => value as string
export const number = (value: unknown): number => Number(value)
export const textOrNull = (value: unknown): string | null => (value === null ? null : text(value))
export const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

/** Makes the decoder of a row: each member from the column of its name. */
export const makeRowDecoder = <A extends object>(members: { readonly [K in keyof A]-?: (value: unknown) => A[K] }) => {
  const columns = Object.entries<(value: unknown) => unknown>(members)
  return (row: SqlRow): A => Object.fromEntries(columns.map(([name, decode]) => [name, decode(row[name])])) as A
}

// Arrays and JSON leave the database as text, because drivers decode them differently.
const columnsOfRow = [
  ..."merchant_id kind id version machine state status customer_id root_id created_at updated_at"
    .split(" ")
    .map((name) => `x.${name}`),
  "case when x.hidden then 1 else 0 end as hidden",
  "x.event_count",
  "to_json(x.index_keys)::text as index_keys",
  "x.data::text as data"
]
export const rowColumns = columnsOfRow.join(", ")

export const eventColumns = "x.merchant_id, x.id, x.object_id, x.sequence, x.type, x.category, x.created_at, x.body"

export const jobColumns =
  "x.merchant_id, x.id, x.queue, x.partition_key, x.status, x.due_at, x.attempt, x.created_at, x.body::text as body, " +
  "x.log::text as log, x.lease"

export const postingColumns =
  "x.merchant_id, x.resource_id, x.version, x.debit, x.credit, x.amount::text as amount, x.currency, x.at"

export const toRow = (row: SqlRow): Row => ({
  merchant_id: text(row["merchant_id"]),
  kind: text(row["kind"]),
  id: text(row["id"]),
  version: number(row["version"]),
  machine: text(row["machine"]),
  state: text(row["state"]),
  status: text(row["status"]),
  customer_id: row["customer_id"] as string | null,
  root_id: row["root_id"] as string | null,
  created_at: number(row["created_at"]),
  updated_at: number(row["updated_at"]),
  hidden: number(row["hidden"]) === 1,
  event_count: number(row["event_count"]),
  index_keys: JSON.parse(text(row["index_keys"])),
  data: JSON.parse(text(row["data"]))
})

export const toIdempotencyRecord = (row: SqlRow): IdempotencyRecord => ({
  key: text(row["key"]),
  fingerprint: text(row["fingerprint"]),
  response: row["response"] as string | null,
  expires_at: numberOrNull(row["expires_at"]),
  at: number(row["at"])
})

export const toAccount = makeRowDecoder<StoredAccount>({
  account: text,
  currency: text,
  balance: text,
  version: number
})

export const toCounter = (row: SqlRow): StoredCounter => ({
  key: text(row["key"]),
  amounts: (JSON.parse(text(row["buckets"])) as ReadonlyArray<readonly [number, string]>).map(([bucket, amount]) => ({
    bucket,
    amount
  }))
})

export const toBalance = makeRowDecoder<AccountBalance>({
  merchant_id: text,
  account: text,
  currency: text,
  balance: text
})

export const toEvent = (row: SqlRow): StoredEvent => ({
  merchant_id: text(row["merchant_id"]),
  id: text(row["id"]),
  object_id: text(row["object_id"]),
  sequence: number(row["sequence"]),
  type: text(row["type"]),
  category: text(row["category"]),
  created_at: number(row["created_at"]),
  body: text(row["body"])
})

export const toJob = (row: SqlRow): Job => ({
  merchant_id: text(row["merchant_id"]),
  id: text(row["id"]),
  queue: text(row["queue"]) as Queue,
  partition_key: text(row["partition_key"]),
  status: text(row["status"]),
  due_at: numberOrNull(row["due_at"]),
  attempt: number(row["attempt"]),
  created_at: number(row["created_at"]),
  body: JSON.parse(text(row["body"])),
  log: JSON.parse(text(row["log"])),
  lease: row["lease"] as string | null,
  ...(typeof row["payload"] === "string" ? { payload: row["payload"] } : {}),
  ...(typeof row["endpoint_version"] === "number" ? { endpoint_version: row["endpoint_version"] } : {})
})

export const toPosting = (row: SqlRow): StoredPosting =>
  ({
    merchant_id: text(row["merchant_id"]),
    resource_id: text(row["resource_id"]),
    version: number(row["version"]),
    debit: text(row["debit"]),
    credit: text(row["credit"]),
    amount: text(row["amount"]),
    currency: text(row["currency"]),
    at: number(row["at"])
  }) as StoredPosting

/**
 * The subquery of a batch's keys: one column for each parameter from `first` on, numbered by `n`. As a subquery it hides their
 * number from the planner, which otherwise plans each small batch anew, and that takes longer than to run it.
 */
const selectKeys = (
  first: number,
  ...columns: ReadonlyArray<readonly [name: string, type: "text" | "bigint"]>
): string => {
  const all = (each: (name: string, type: string, n: number) => string): string =>
    columns.map(([name, type], at) => each(name, type, first + at)).join(", ")
  return `(select ${all((name, type, n) => `$${n}::text::${type}[] as ${name}`)} offset 0) a
cross join lateral unnest(${all((name) => `a.${name}`)}) with ordinality k(${all((name) => name)}, n)`
}

// A lookup is a probe of the primary key, whatever the planner estimates: its plan is kept while the table grows. `limit 1` and the
// order of the key leave no use for another index. With equality alone, a plan made over a few rows reads all rows of an id, or all
// events of a merchant.

/** The row of the key `k(merchant_id, kind, id)`. */
export const rowOfKey = `select * from resource r
  where r.merchant_id = k.merchant_id and (r.kind, r.id) between (k.kind, k.id) and (k.kind, k.id) order by r.kind, r.id limit 1`

/** The event of the key `k(merchant_id, id)`. */
export const eventOfKey =
  "select * from event e where e.merchant_id = k.merchant_id and e.id between k.id and k.id order by e.id limit 1"

const rowKeys = selectKeys(1, ["merchant_id", "text"], ["kind", "text"], ["id", "text"])
const selectRecordKeys = (first: number): string => selectKeys(first, ["m", "text"], ["key", "text"], ["now", "bigint"])

/** The response of the record `x`, as it was given. */
export const responseColumn = `corridor_response(x.response, (
  select e.body from event e
  where e.merchant_id = x.merchant_id and e.id between corridor_response_event(x.response) and corridor_response_event(x.response)
  order by e.id limit 1
))`
const recordColumns = `x.key, x.fingerprint, ${responseColumn} as response, x.expires_at, x.at`

/** The record of the key `k(m, key, now)`, unless it has expired. */
const recordOfKey = `select * from idempotency_record r where r.merchant_id = k.m and r.key = k.key
    and (r.expires_at is null or r.expires_at > k.now) limit 1`

export const getText = `select k.n, ${rowColumns}
from ${rowKeys} cross join lateral (${rowOfKey}) x`

export const idempotencyRecordText = `select k.n, ${recordColumns}
from ${selectRecordKeys(1)} cross join lateral (${recordOfKey}) x`

/** Rows, and records, whose numbers begin after `$7`, the number of row keys. */
export const lookupText = `select k.n, ${rowColumns}, null as key, null as fingerprint, null as response,
  null::bigint as expires_at, null::bigint as at
from ${rowKeys} cross join lateral (${rowOfKey}) x
union all
select $7::text::bigint + k.n, ${columnsOfRow.map(() => "null").join(", ")}, ${recordColumns}
from ${selectRecordKeys(4)} cross join lateral (${recordOfKey}) x`

export const eventText = `select k.n, ${eventColumns}
from ${selectKeys(1, ["merchant_id", "text"], ["id", "text"])} cross join lateral (${eventOfKey}) x`

export const countersText = `select k.n, x.key, (
  select coalesce(json_agg(json_build_array(u.bucket, u.amount::text) order by u.bucket), '[]')::text
  from unnest(x.buckets, x.amounts) u(bucket, amount)
) as buckets
from ${selectKeys(1, ["key", "text"])}
cross join lateral (select * from guarded_counter r where r.key = k.key limit 1) x
order by k.n`

export const accountsText = `select k.n, x.account, x.currency, x.balance::text as balance, x.version
from ${selectKeys(1, ["m", "text"], ["account", "text"])}
cross join lateral (
  select * from account r where r.merchant_id = k.m and r.account = k.account order by r.currency limit 1000
) x
order by k.n, x.currency`
