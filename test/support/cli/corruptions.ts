/** Seeded corruptions of a store: a statement for each, and the difference that must be found. */

export type Query = (text: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>

export interface Corruption {
  readonly what: string
  /** Corrupts one thing, and returns it. */
  readonly text: string
  /** The check that must find it. */
  readonly check: string
  /** The subject that it must name, of what the statement returned. */
  readonly subject: (row: Readonly<Record<string, unknown>>) => string
  /** Other differences, as `check subject`, that the same corruption causes. */
  readonly also: RegExp
}

const never = /^$/
const of = (name: string) => (row: Readonly<Record<string, unknown>>) => String(row[name])

/** The place of the first row of a table that meets a condition. Each corruption takes another. */
const first = (table: string, where: string, order: string, place = "ctid"): string =>
  `ctid = (select ${place} from ${table} where ${where} order by ${order} limit 1)`

/** A posting of one unit by the last transition of an ended transfer or deposit. */
const insertPosting = (debit: string, credit: string, version: string, at: number): string => `
  insert into posting (merchant_id, resource_id, version, debit, credit, amount, currency, at)
  select t.merchant_id, t.resource_id, ${version}, '${debit}', '${credit}', 1, 'USDC', t.at
  from transition t join resource r on r.merchant_id = t.merchant_id and r.kind = t.kind and r.id = t.resource_id
  where (r.kind = 'transfer' and r.status in ('success', 'failed') or r.kind = 'deposit' and r.state = 'confirmed')
    and t.version = r.version
  order by r.id limit 1 offset ${at} returning resource_id`

export const corruptions: ReadonlyArray<Corruption> = [
  {
    what: "a balance that is not the sum of its postings",
    text: `update account set balance = balance + 7 where ${first("account", "starts_with(account, 'available:')", "account")} returning account`,
    check: "balances",
    subject: of("account"),
    also: /^trial balance /
  },
  {
    what: "a posting that is gone",
    text: `delete from posting where ${first("posting", "starts_with(credit, 'available:')", "position desc")} returning credit`,
    check: "balances",
    subject: of("credit"),
    also: /^(?:(?:platform|trial) balance|posting counters|balances|clearing|set aside)/
  },
  {
    what: "a posting of no transition",
    text: insertPosting("fees", "rounding", "999", 0),
    check: "postings",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "an event that is gone",
    text: `delete from event where ${first("event", "sequence = 1", "object_id")} returning object_id`,
    check: "events",
    subject: of("object_id"),
    also: /^event counters /
  },
  {
    what: "a gap in the sequence of events",
    text: `update event set sequence = sequence + 5 where ${first("event", "sequence = 2", "object_id desc")} returning object_id`,
    check: "events",
    subject: of("object_id"),
    also: never
  },
  {
    what: "a transition that is gone",
    text: `delete from transition where ${first("transition t", "version = 1 and exists (select from transition n where n.resource_id = t.resource_id and n.version = 2)", "resource_id", "t.ctid")} returning resource_id`,
    check: "transitions",
    subject: of("resource_id"),
    also: /^postings /
  },
  {
    what: "a state that is not that of the last transition",
    text: `update resource set state = 'queued' where ${first("resource", "kind = 'customer'", "id")} returning id`,
    check: "rows",
    subject: of("id"),
    also: never
  },
  {
    what: "money that an ended movement has left with a provider",
    text: insertPosting("fees", "clearing:simulated", "t.version", 1),
    check: "clearing",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "money in suspense that no exception has",
    text: insertPosting("fees", "suspense", "t.version", 2),
    check: "set aside",
    subject: () => "suspense",
    also: never
  },
  {
    what: "an index entry that is gone",
    text: `delete from key_entry where ${first("key_entry", "true", "id")} returning id`,
    check: "index entries",
    subject: of("id"),
    also: never
  },
  {
    what: "a list counter that is wrong",
    text: `update list_counter set n = n + 1 where ${first("list_counter", "kind = 'customer' and index_key = ''", "bucket")} returning kind, index_key, bucket`,
    check: "list counters",
    subject: ({ bucket, index_key, kind }) =>
      `the counter of ${String(kind)} under ${JSON.stringify(index_key)} in bucket ${String(bucket)}`,
    also: never
  },
  {
    what: "a sum of statistics that is wrong",
    text: `update measure set n = n + 1 where ${first("measure", "merchant_id <> '' and step = 1", "kind, bucket, tags, seconds")} returning kind, bucket, tags, seconds`,
    check: "statistics",
    subject: ({ bucket, kind, seconds, tags }) =>
      `the sum of ${String(kind)} by hour in bucket ${String(bucket)} under ${String(tags)}, ${String(seconds)} s`,
    also: never
  },
  {
    what: "a unique key whose owner does not exist",
    text: `update unique_key set owner = 'trf_00000000000000000000000000' where ${first("unique_key", "true", "key")} returning scope, key`,
    check: "unique keys",
    subject: ({ key, scope }) => `the unique key ${String(scope)} ${String(key)}`,
    also: never
  },
  {
    what: "a lookup key whose resource does not exist",
    text: `update lookup_key set id = 'key_00000000000000000000000000' where ${first("lookup_key", "true", "key")} returning scope, key`,
    check: "lookup keys",
    subject: ({ key, scope }) => `the lookup key ${String(scope)} ${String(key)}`,
    also: never
  },
  {
    what: "a job whose resource does not exist",
    text: `insert into job (merchant_id, id, queue, partition_key, status, due_at, attempt, created_at, body, log)
      select id, 'ofr_00000000000000000000000000.payout', 'command', 'ofr_00000000000000000000000000', 'pending', 4000000000000, 0, 0, '{}', '[]'
      from resource where kind = 'merchant' limit 1 returning id`,
    check: "jobs",
    subject: ({ id }) => `the job ${String(id)}`,
    also: never
  },
  {
    what: "a movement that waits for a job that is gone",
    text: `update resource set state = 'submitting', status = 'processing' where ${first("resource", "kind in ('transfer', 'offramp', 'conversion') and status in ('success', 'failed', 'returned')", "id desc")} returning id`,
    check: "next jobs",
    subject: of("id"),
    also: /^(?:rows|index entries|list counters|statistics|clearing|events|set aside) /
  },
  {
    what: "a resource that is gone",
    text: `delete from resource where ${first("resource", "kind = 'beneficiary'", "id desc")} returning id`,
    check: "resources",
    subject: of("id"),
    also: /^(?:index entries ben_|list counters |events ben_|(?:unique|lookup) keys |resources ben_)/
  }
]
