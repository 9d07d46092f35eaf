/**
 * For each half of a check of `corridor verify`, a corruption that only that half finds. Those of corruptions.ts are one for each
 * check.
 */
import type { Corruption } from "./corruptions.ts"

const never = /^$/
const of = (name: string) => (row: Readonly<Record<string, unknown>>) => String(row[name])

/** Copies a row of a table with other values. `set`: the value of each column that differs. */
const copyRow = (
  table: string,
  columns: ReadonlyArray<string>,
  set: Readonly<Record<string, string>>,
  from: string,
  returning: string
): string =>
  `insert into ${table} (${columns.join()}) select ${columns.map((name) => set[name] ?? `x.${name}`).join()} from ${from} returning ${returning}`

const lastTransition = (kind: string): string =>
  `transition x join resource r on r.merchant_id = x.merchant_id and r.kind = x.kind and r.id = x.resource_id
   and r.version = x.version where x.kind = '${kind}' order by x.resource_id limit 1`

/** A posting of one unit by the last transition of a resource of a kind. Accounts of no owner have no balance of their own. */
const insertPosting = (kind: string, debit: string, credit: string): string => `
  insert into posting (merchant_id, resource_id, version, debit, credit, amount, currency, at)
  select x.merchant_id, x.resource_id, x.version, '${debit}', '${credit}', 1, 'USDC', x.at from ${lastTransition(kind)}
  returning resource_id`

/** A unit that was set aside for a wallet, in its postings and in its balance. */
const setAside = (sort: string): string => `
  with chosen as (
    select x.merchant_id, x.resource_id, x.version, x.at, '${sort}:' || x.resource_id as account from ${lastTransition("wallet")}
  ), posted as (
    insert into posting (merchant_id, resource_id, version, debit, credit, amount, currency, at)
    select merchant_id, resource_id, version, 'fees', account, 1, 'USDC', at from chosen
  )
  insert into account (merchant_id, account, currency, balance, version, entries)
  select merchant_id, account, 'USDC', 1, 1, 1 from chosen
  on conflict (merchant_id, account, currency) do update
    set balance = account.balance + 1, entries = account.entries + 1
  returning account`

const updateRow = (table: string, set: string, where: string, order: string, returning: string): string =>
  `update ${table} set ${set} where ctid = (select ctid from ${table} where ${where} order by ${order} limit 1) returning ${returning}`

const corruptMeasure = (merchant: "one" | "all", step: 1 | 24, what: "n" | "amount"): Corruption => ({
  what: `the ${what === "n" ? "number" : "amount"} of movements of ${merchant === "one" ? "a merchant" : "all merchants"} in ${step === 1 ? "an hour" : "a day"}`,
  text: updateRow(
    "measure",
    `${what} = ${what} + 1`,
    `step = ${step} and merchant_id ${merchant === "one" ? "<>" : "="} ''`,
    "kind, bucket, tags, seconds",
    "kind, bucket, tags, seconds"
  ),
  check: "statistics",
  subject: ({ bucket, kind, seconds, tags }) =>
    `the sum of ${String(kind)} by ${step === 1 ? "hour" : "day"} in bucket ${String(bucket)} under ${String(tags)}, ${String(seconds)} s`,
  also: never
})

const corruptCounter = (kind: string, check: string): Corruption => ({
  what: `a counter of ${kind} that is wrong`,
  text: updateRow(
    "list_counter",
    "n = n + 1",
    `kind = '${kind}'`,
    "index_key, bucket, merchant_id",
    "kind, index_key, bucket"
  ),
  check,
  subject: ({ bucket, index_key }) =>
    `the counter of ${kind} under ${JSON.stringify(index_key)} in bucket ${String(bucket)}`,
  also: never
})

const job = (what: string, queue: string, owner: string, partition: string): Corruption => ({
  what: `${what} of a resource that does not exist`,
  text: `insert into job (merchant_id, id, queue, partition_key, status, due_at, attempt, created_at, body, log)
    select id, '${owner}.x', '${queue}', '${partition}', 'pending', 4000000000000, 0, 0, '{}', '[]'
    from resource where kind = 'merchant' limit 1 returning id`,
  check: "jobs",
  subject: () => `the job ${owner}.x`,
  also: never
})

const transitionColumns = [
  "merchant_id",
  "resource_id",
  "kind",
  "version",
  "from_state",
  "to_state",
  "via",
  "cause",
  "event_count",
  "at",
  "created_at"
]
const eventColumns = ["merchant_id", "id", "object_id", "sequence", "type", "category", "created_at", "body"]
const lastEvent = `event x where x.sequence = (select max(y.sequence) from event y where y.object_id = x.object_id) order by x.object_id limit 1`

export const findings: ReadonlyArray<Corruption> = [
  {
    what: "more taken out of clearing than was put in",
    text: insertPosting("wallet", "clearing:simulated", "fees"),
    check: "clearing",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "money in clearing of an ended movement",
    text: insertPosting("deposit", "fees", "clearing:simulated"),
    check: "clearing",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "money reserved that no movement reserves",
    text: setAside("reserved"),
    check: "set aside",
    subject: of("account"),
    also: never
  },
  {
    what: "money held that no deposit holds",
    text: setAside("held"),
    check: "set aside",
    subject: of("account"),
    also: never
  },
  {
    what: "money in suspense that no exception has",
    text: insertPosting("wallet", "fees", "suspense"),
    check: "set aside",
    subject: () => "suspense",
    also: never
  },
  {
    what: "an open movement whose money is not reserved",
    text: updateRow(
      "resource",
      "state = 'created'",
      "kind = 'offramp' and status in ('success', 'failed', 'returned')",
      "id",
      `'reserved:' || (data::jsonb ->> 'wallet_id') as account`
    ),
    check: "set aside",
    subject: of("account"),
    also: /^rows ofr_/
  },
  {
    what: "a movement of which fewer events are counted than before",
    text: updateRow(
      "transition t",
      "event_count = t.event_count + 5",
      "version = 1 and exists (select from transition n where n.resource_id = t.resource_id and n.version = 2)",
      "resource_id",
      "resource_id"
    ).replace("select ctid from transition t", "select t.ctid from transition t"),
    check: "transitions",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "a transition from a state that the one before did not lead to",
    text: updateRow("transition", "from_state = 'elsewhere'", "version = 2", "resource_id", "resource_id"),
    check: "transitions",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "a row that counts another number of events than its last transition",
    text: updateRow("resource", "event_count = event_count + 1", "event_count > 0", "id", "id"),
    check: "rows",
    subject: of("id"),
    also: /^events /
  },
  {
    what: "a row that was created at another time than its transitions say",
    text: `update transition set created_at = created_at - 1 where (resource_id, version) = (
      select x.resource_id, x.version from ${lastTransition("customer")}) returning resource_id`,
    check: "rows",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "a row without its last transition",
    text: `delete from transition where (resource_id, version) = (
      select x.resource_id, x.version from ${lastTransition("beneficiary")}) returning resource_id`,
    check: "rows",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "a transition beyond the version of its row",
    text: copyRow(
      "transition",
      transitionColumns,
      { version: "x.version + 1", from_state: "x.to_state" },
      lastTransition("customer"),
      "resource_id"
    ),
    check: "resources",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "an event beyond those that its object has published",
    text: copyRow(
      "event",
      eventColumns,
      { id: "x.id || 'x'", sequence: "x.sequence + 1", type: "'transfer.again'" },
      lastEvent,
      "object_id"
    ),
    check: "events",
    subject: of("object_id"),
    also: never
  },
  {
    what: "a sequence of events that occurs twice",
    text: copyRow("event", eventColumns, { id: "x.id || 'x'", type: "'transfer.again'" }, lastEvent, "object_id"),
    check: "events",
    subject: of("object_id"),
    also: never
  },
  {
    what: "an account with another number of postings",
    text: updateRow("account", "entries = entries + 1", "true", "account", "account"),
    check: "balances",
    subject: of("account"),
    also: never
  },
  {
    what: "an account with a balance and no posting",
    text: `insert into account (merchant_id, account, currency, balance, version, entries)
      select merchant_id, 'held:' || id, 'ZAR', 0, 1, 0 from resource where kind = 'wallet' order by id limit 1 returning account`,
    check: "balances",
    subject: of("account"),
    also: never
  },
  {
    what: "a rolled-up balance of the platform that is wrong",
    text: updateRow("balance", "amount = amount + 1", "true", "account, currency, merchant_id", "account"),
    check: "platform balances",
    subject: of("account"),
    also: /^(?:trial balance|clearing|set aside) /
  },
  {
    what: "a posting at another time than its transition",
    text: updateRow("posting", "at = at + 1", "true", "resource_id, position", "resource_id"),
    check: "postings",
    subject: of("resource_id"),
    also: never
  },
  {
    what: "an index entry of no resource",
    text: copyRow(
      "key_entry",
      ["created_at", "key", "term", "merchant_id", "id"],
      { id: "x.id || 'x'" },
      "key_entry x order by x.id limit 1",
      "id"
    ),
    check: "index entries",
    subject: of("id"),
    also: never
  },
  corruptCounter("@event", "event counters"),
  corruptCounter("@posting", "posting counters"),
  corruptMeasure("one", 1, "amount"),
  corruptMeasure("one", 24, "n"),
  corruptMeasure("all", 1, "n"),
  corruptMeasure("all", 24, "n"),
  job("a command", "command", "ofr_00000000000000000000000000", "x"),
  job("a timer", "timer", "tfr_00000000000000000000000000", "x"),
  job("a paused command", "paused", "tfr_00000000000000000000000000", "x"),
  {
    ...job("a delivery", "delivery", "x", "whe_00000000000000000000000000"),
    what: "a delivery to an endpoint that does not exist"
  },
  {
    what: "a movement whose next job has ended",
    text: `with chosen as (
        select merchant_id, id from resource where kind in ('offramp', 'transfer', 'conversion') and status in ('success', 'failed', 'returned') order by id limit 1
      ), ended as (
        insert into job (merchant_id, id, queue, partition_key, status, due_at, attempt, created_at, body, log)
        select merchant_id, id || '.payout', 'command', id, 'done', null, 1, 0, '{}', '[]' from chosen
        on conflict (merchant_id, id) do update set status = 'done', due_at = null
      )
      update resource r set state = 'submitting', status = 'processing' from chosen c
      where r.merchant_id = c.merchant_id and r.id = c.id returning r.id`,
    check: "next jobs",
    subject: of("id"),
    also: /^(?:rows|index entries|list counters|statistics|clearing|events) /
  }
]
