/** The checks of a database by `corridor verify`, and their shape. */
import type { SqlRow } from "../sql/driver.ts"

/** Two things that a store says of one subject, and that contradict each other. */
export interface Difference {
  /** What it is about: an account, a resource, a key. */
  readonly subject: string
  readonly merchant_id: string | null
  readonly expected: string
  readonly found: string
}

export interface Check {
  /** A word for reports, such as `balances`. */
  readonly name: string
  /** What is compared, as the end of "checking …". */
  readonly about: string
  /** The tables that it reads: their sizes say how long it takes. */
  readonly tables: ReadonlyArray<string>
  /** A query whose rows are the candidates for a difference; every column is a text. */
  readonly text: string
  /** Undefined: the row is as it must be. The merchant is that of its `merchant_id`. */
  readonly difference: (row: SqlRow) => Omit<Difference, "merchant_id"> | undefined
}

export const readText = (row: SqlRow, name: string): string => String(row[name] ?? "")

// Balances against postings, and postings against transitions.

/** The query of the changes that postings make to accounts: guarded ones (`is not null`), or the others. */
const selectAccountChanges = (guarded: "is null" | "is not null", where = "true"): string => `
  select p.merchant_id, p.debit as account, p.currency, -p.amount as amount from posting p
  where corridor_owner(p.debit) ${guarded} and ${where}
  union all
  select p.merchant_id, p.credit, p.currency, p.amount from posting p
  where corridor_owner(p.credit) ${guarded} and ${where}`

const mark = "(select corridor_mark())"

const describeOrNothing = (text: string): string => (text === "" ? "nothing" : text)

export const ledgerChecks: ReadonlyArray<Check> = [
  {
    name: "balances",
    about: "the balances of wallets and credentials",
    tables: ["posting", "posting", "account"],
    text: `
      with moved as (
        select x.merchant_id, x.account, x.currency, sum(x.amount) as amount, count(*) as entries
        from (${selectAccountChanges("is not null")}) x group by 1, 2, 3
      )
      select merchant_id, account, currency, a.balance::text as stored, m.amount::text as summed,
        a.entries::text as counted, m.entries::text as entries
      from account a full join moved m using (merchant_id, account, currency)
      where coalesce(a.balance, 0) <> coalesce(m.amount, 0) or coalesce(a.entries, 0) <> coalesce(m.entries, 0)
        or (a.balance is null) <> (m.amount is null)`,
    difference: (row) => ({
      subject: readText(row, "account"),
      expected: `${describeOrNothing(readText(row, "summed"))} ${readText(row, "currency")}, by ${readText(row, "entries") || "no"} postings`,
      found: `${describeOrNothing(readText(row, "stored"))} ${readText(row, "currency")}, by ${readText(row, "counted") || "no"} postings`
    })
  },
  {
    name: "platform balances",
    about: "the balances of the platform's accounts",
    tables: ["posting", "posting"],
    text: `
      with moved as (
        select x.merchant_id, x.account, x.currency, sum(x.amount) as amount
        from (${selectAccountChanges("is null", `p.xid < ${mark}`)}) x group by 1, 2, 3
      )
      select merchant_id, account, currency, b.amount::text as stored, m.amount::text as summed
      from balance b full join moved m using (merchant_id, account, currency)
      where coalesce(b.amount, 0) <> coalesce(m.amount, 0)`,
    difference: (row) => ({
      subject: readText(row, "account"),
      expected: `${describeOrNothing(readText(row, "summed"))} ${readText(row, "currency")} in the rolled-up postings`,
      found: `${describeOrNothing(readText(row, "stored"))} ${readText(row, "currency")}`
    })
  },
  {
    name: "trial balance",
    about: "the trial balance",
    tables: ["account", "posting"],
    text: `
      select x.merchant_id, x.currency, sum(x.amount)::text as amount
      from (
        select merchant_id, currency, balance as amount from account
        union all
        select merchant_id, currency, amount from balance
        union all
        select m.merchant_id, m.currency, m.amount from (${selectAccountChanges("is null", `p.xid >= ${mark}`)}) m
      ) x
      group by 1, 2 having sum(x.amount) <> 0`,
    difference: (row) => ({
      subject: `all accounts in ${readText(row, "currency")}`,
      expected: `0 ${readText(row, "currency")}`,
      found: `${readText(row, "amount")} ${readText(row, "currency")}`
    })
  },
  {
    name: "postings",
    about: "every posting against its transition",
    tables: ["posting", "transition"],
    text: `
      select p.merchant_id, p.resource_id, p.version::text as version, p.debit, p.credit, p.amount::text as amount, p.currency
      from posting p
      where not exists (
        select from transition t
        where t.merchant_id = p.merchant_id and t.resource_id = p.resource_id and t.version = p.version and t.at = p.at
      )`,
    difference: (row) => ({
      subject: readText(row, "resource_id"),
      expected: `a transition to version ${readText(row, "version")} at the time of its posting`,
      found: `none, for the posting of ${readText(row, "amount")} ${readText(row, "currency")} from ${readText(row, "debit")} to ${readText(row, "credit")}`
    })
  }
]

// The seals of days against the lines that they counted (CLOSE-3).

export const closingChecks: ReadonlyArray<Check> = [
  {
    name: "seals",
    about: "the seals of days",
    tables: ["resource"],
    text: `
      with line as (
        select r.merchant_id, r.id, x.d ->> 'external_account_id' as account, x.d ->> 'accounted_on' as day,
          x.d ->> 'direction' as direction, x.d ->> 'amount' as amount
        from resource r cross join lateral (select r.data::jsonb as d) x where r.kind = 'statement_line'
      ), counted as (
        select merchant_id, account, day, count(*) as lines,
          sum(case when direction = 'credit' then amount::numeric else -amount::numeric end) as booked,
          encode(sha256(convert_to(
            string_agg(id || ' ' || direction || ' ' || amount, chr(10) order by id collate "C"), 'UTF8')), 'hex') as seal
        from line group by 1, 2, 3
      )
      select r.merchant_id, r.id, x.d ->> 'date' as day, x.d ->> 'lines' as lines, x.d ->> 'booked' as booked,
        x.d ->> 'seal' as seal, coalesce(c.lines, 0)::text as lines_now, coalesce(c.booked, 0)::text as booked_now,
        coalesce(c.seal, encode(sha256(''::bytea), 'hex')) as seal_now
      from resource r cross join lateral (select r.data::jsonb as d) x
      left join counted c on c.merchant_id = r.merchant_id and c.account = x.d ->> 'external_account_id'
        and c.day = x.d ->> 'date'
      where r.kind = 'closing'`,
    difference: (row) =>
      readText(row, "seal") === readText(row, "seal_now") &&
      readText(row, "lines") === readText(row, "lines_now") &&
      readText(row, "booked") === readText(row, "booked_now")
        ? undefined
        : {
            subject: readText(row, "id"),
            expected: `${readText(row, "lines")} lines of ${readText(row, "day")} that sum to ${readText(row, "booked")}, as they were sealed`,
            found: `${readText(row, "lines_now")} lines that sum to ${readText(row, "booked_now")}`
          }
  }
]

// Transitions against each other, rows against their last transition, and events against what the rows have counted.

const resource = "merchant_id, kind, resource_id"

const lasting: ReadonlyArray<Check> = [
  {
    name: "transitions",
    about: "the transitions of every resource",
    tables: ["transition", "transition"],
    text: `
      select x.merchant_id, x.resource_id, x.version::text as version, (x.last_version + 1)::text as next,
        x.from_state, x.last_state, x.event_count::text as events, x.last_events::text as last_events
      from (
        select ${resource}, version, from_state, event_count,
          coalesce(lag(version) over w, 0) as last_version, lag(to_state) over w as last_state,
          coalesce(lag(event_count) over w, 0) as last_events
        from transition
        window w as (partition by merchant_id, resource_id, kind order by version)
      ) x
      where x.version <> x.last_version + 1 or x.from_state is distinct from x.last_state or x.event_count < x.last_events`,
    difference: (row) => {
      const [version, next] = [readText(row, "version"), readText(row, "next")]
      const [from, last] = [readText(row, "from_state") || "nothing", readText(row, "last_state") || "nothing"]
      const [expected, found] =
        version !== next
          ? [`a transition to version ${next}`, `the next one is to version ${version}`]
          : from !== last
            ? [`version ${version} from ${last}`, `from ${from}`]
            : [`version ${version} with at least ${readText(row, "last_events")} events`, readText(row, "events")]
      return { subject: readText(row, "resource_id"), expected, found }
    }
  },
  {
    name: "rows",
    about: "every resource against its last transition",
    tables: ["resource", "transition"],
    text: `
      select r.merchant_id, r.id, r.version::text as version, r.state, r.event_count::text as events, t.to_state,
        t.event_count::text as published
      from resource r
      left join transition t on t.merchant_id = r.merchant_id and t.kind = r.kind and t.resource_id = r.id
        and t.version = r.version
      where t.version is null or t.to_state <> r.state or t.event_count <> r.event_count or t.created_at <> r.created_at`,
    difference: (row) => {
      const version = readText(row, "version")
      const [expected, found] =
        row["to_state"] === null
          ? [`a transition to version ${version}, which the row has`, "none"]
          : row["to_state"] !== row["state"]
            ? [
                `the state ${readText(row, "to_state")}, of its transition to version ${version}`,
                readText(row, "state")
              ]
            : row["published"] !== row["events"]
              ? [
                  `${readText(row, "published")} events, by its transition to version ${version}`,
                  readText(row, "events")
                ]
              : ["the time of creation that its transitions have", "another"]
      return { subject: readText(row, "id"), expected, found }
    }
  },
  {
    name: "resources",
    about: "the resource of every transition",
    tables: ["transition", "resource"],
    text: `
      select t.merchant_id, t.resource_id, t.kind, t.version::text as version, r.version::text as stored
      from transition t
      left join resource r on r.merchant_id = t.merchant_id and r.kind = t.kind and r.id = t.resource_id
      where r.version is null or t.version > r.version`,
    difference: (row) => ({
      subject: readText(row, "resource_id"),
      expected: `a ${readText(row, "kind")} at version ${readText(row, "version")} or later, which its transition has`,
      found: row["stored"] === null ? "no row" : `version ${readText(row, "stored")}`
    })
  }
]

/**
 * Makes the checks of transitions, events and deliveries against their rows. `deletedBefore`: events of transitions before this
 * time may have been deleted; null: none may.
 */
export const makeHistoryChecks = (deletedBefore: string | null): ReadonlyArray<Check> => [
  ...lasting,
  {
    name: "events",
    about: "every event against its transition",
    tables: ["event", "event", "resource"],
    text: `
    select x.merchant_id, x.id, x.counted, x.n, lost.sequences as lost, x.twice, x.high
    from (
      select merchant_id, id, r.counted::text as counted, e.n::text as n, (e.n - e.several)::text as twice,
        e.high::text as high, coalesce(r.counted, 0) as last
      from (
        select merchant_id, id, sum(event_count) as counted from resource group by 1, 2 having sum(event_count) > 0
      ) r
      full join (
        select merchant_id, object_id as id, count(*) as n, count(distinct sequence) as several, min(sequence) as low,
          max(sequence) as high
        from event group by 1, 2
      ) e using (merchant_id, id)
      where coalesce(r.counted, 0) <> coalesce(e.several, 0) or e.n <> e.several or e.low <> 1 or e.high <> r.counted
    ) x
    cross join lateral (
      select string_agg(s.n::text, ', ' order by s.n) as sequences
      from generate_series(1, least(x.last, 1000)) s(n)
      where not exists (
        select from event e where e.merchant_id = x.merchant_id and e.object_id = x.id and e.sequence = s.n
      ) and not ${
        deletedBefore === null
          ? "false"
          : `coalesce((
        select t.at < ${deletedBefore} from transition t
        where t.merchant_id = x.merchant_id and t.resource_id = x.id and t.event_count >= s.n order by t.version limit 1
      ), false)`
      }
    ) lost`,
    difference: (row) => {
      const about = { subject: readText(row, "id") }
      const counted = readText(row, "counted") || "0"
      if (row["lost"] !== null)
        return {
          ...about,
          expected: `events 1 to ${counted}`,
          found: `no event with the sequence ${readText(row, "lost")}`
        }
      if (readText(row, "twice") !== "0" && row["twice"] !== null)
        return {
          ...about,
          expected: `events 1 to ${counted}, once each`,
          found: `${readText(row, "twice")} sequences twice`
        }
      if (Number(readText(row, "high") || "0") > Number(counted))
        return { ...about, expected: `${counted} events`, found: `an event with the sequence ${readText(row, "high")}` }
      return undefined
    }
  }
]

// Index entries and list counters against the rows, and keys against their owners.

/** Makes the check of stored list counters against counted rows. `counted`: the query of all rows; `tail`: of those after the last roll-up. */
const makeCounterCheck = (
  name: string,
  about: string,
  tables: ReadonlyArray<string>,
  kinds: string,
  counted: string,
  tail: string
): Check => ({
  name,
  about,
  tables,
  text: `
    with there as (
      select x.merchant_id, x.kind, x.index_key, x.bucket, sum(x.n) as n from (${counted}) x
      where x.bucket is not null group by 1, 2, 3, 4
    ), kept as (
      select x.merchant_id, x.kind, x.index_key, x.bucket, sum(x.n) as n from (
        select c.merchant_id, c.kind, c.index_key, c.bucket, c.n from list_counter c where ${kinds}
        union all
        ${tail}
      ) x where x.bucket is not null group by 1, 2, 3, 4
    )
    select merchant_id, kind, index_key, bucket::text as bucket, kept.n::text as stored, there.n::text as counted
    from kept full join there using (merchant_id, kind, index_key, bucket)
    where coalesce(kept.n, 0) <> coalesce(there.n, 0)`,
  difference: (row) => ({
    subject: `the counter of ${readText(row, "kind")} under ${JSON.stringify(readText(row, "index_key"))} in bucket ${readText(row, "bucket")}`,
    expected: readText(row, "counted") || "0",
    found: readText(row, "stored") || "0"
  })
})

export const listChecks: ReadonlyArray<Check> = [
  {
    name: "index entries",
    about: "the index entries of every resource",
    tables: ["resource", "key_entry", "search_entry"],
    // An entry has the hash of its index key, which only the row has as a text.
    text: `
      with there as (
        select r.merchant_id, r.kind, w.index_key, r.created_at, r.id, corridor_entry_key(r.merchant_id, r.kind, w.index_key) as key,
          corridor_entry_term(r.kind, w.index_key) as term, starts_with(w.index_key, 'search_id=') as is_search
        from resource r cross join lateral unnest(r.index_keys) w(index_key)
        where not r.hidden and corridor_is_id_key(w.index_key)
      )
      select merchant_id, id, index_key, (i.n is not null)::text as stored
      from (select i.*, 1 as n from search_entry i) i
      full join (select t.*, 1 as n from there t where t.is_search) t using (merchant_id, kind, index_key, created_at, id)
      where i.n is null or t.n is null
      union all
      select merchant_id, id, coalesce(t.index_key, 'the hash ' || key::text), (coalesce(i.n, 0) > coalesce(t.n, 0))::text
      from (select i.merchant_id, i.key, i.term, i.created_at, i.id, count(*) as n from key_entry i group by 1, 2, 3, 4, 5) i
      full join (select t.*, 1 as n from there t where not t.is_search) t using (merchant_id, key, created_at, id)
      where coalesce(i.n, 0) <> coalesce(t.n, 0) or i.term is distinct from t.term`,
    difference: (row) => ({
      subject: readText(row, "id"),
      expected: `${row["stored"] === "true" ? "no entry" : "an entry"} under ${readText(row, "index_key")}`,
      found: row["stored"] === "true" ? "one" : "none"
    })
  },
  makeCounterCheck(
    "list counters",
    "the list counters of resources",
    ["resource", "resource", "row_change"],
    "not starts_with(c.kind, '@')",
    `select r.merchant_id, r.kind, w.index_key, corridor_bucket(w.index_key, r.created_at) as bucket, 1 as n
     from resource r cross join lateral unnest(r.index_keys || array['', ':' || r.status]) w(index_key) where not r.hidden`,
    `select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from row_movement m where m.xid >= ${mark}`
  ),
  makeCounterCheck(
    "event counters",
    "the list counters of events",
    ["event", "event"],
    "c.kind = '@event'",
    "select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from event_movement m",
    `select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from event_movement m where m.xid >= ${mark}`
  ),
  makeCounterCheck(
    "posting counters",
    "the list counters of postings",
    ["posting", "posting"],
    "c.kind = '@posting'",
    "select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from posting_movement m",
    `select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from posting_movement m where m.xid >= ${mark}`
  ),
  {
    name: "statistics",
    about: "the sums of movements",
    tables: ["resource", "row_change", "measure"],
    // Each movement is summed by hour and by day, for its merchant and for all merchants.
    text: `
      with there as (
        select r.merchant_id, r.kind, (r.created_at / 3600000)::integer as hour, w.index_key, 1 as n
        from resource r cross join lateral unnest(r.index_keys) w(index_key)
        where not r.hidden and corridor_is_measure(w.index_key)
      ), line as (
        select x.merchant_id, x.kind, x.hour, corridor_measure_tags(x.index_key) as tags,
          corridor_measure_seconds(x.index_key) as seconds, x.n, x.n * corridor_measure_amount(x.index_key) as amount
        from (
          select t.* from there t
          union all
          select m.merchant_id, m.kind, m.hour, m.index_key, -m.n from measure_movement m where m.xid >= ${mark}
        ) x
      ), rolled as (
        select s.merchant_id, s.step, l.kind, l.hour - l.hour % s.step as bucket, l.tags, l.seconds, sum(l.n) as n,
          sum(l.amount) as amount
        from line l
        cross join lateral (values (l.merchant_id, 1), (l.merchant_id, 24), ('', 1), ('', 24)) s(merchant_id, step)
        group by 1, 2, 3, 4, 5, 6
      )
      select nullif(merchant_id, '') as merchant_id, kind, step::text as step, bucket::text as bucket, tags,
        seconds::text as seconds, concat(coalesce(r.n, 0), ' of ', coalesce(r.amount, 0)) as counted,
        concat(coalesce(m.n, 0), ' of ', coalesce(m.amount, 0)) as stored
      from measure m full join rolled r using (merchant_id, step, kind, bucket, tags, seconds)
      where (coalesce(m.n, 0), coalesce(m.amount, 0)) <> (coalesce(r.n, 0), coalesce(r.amount, 0))`,
    difference: (row) => ({
      subject: `the sum of ${readText(row, "kind")} by ${row["step"] === "1" ? "hour" : "day"} in bucket ${readText(row, "bucket")} under ${readText(row, "tags")}, ${readText(row, "seconds")} s`,
      expected: readText(row, "counted"),
      found: readText(row, "stored")
    })
  },
  {
    name: "unique keys",
    about: "the owners of unique keys",
    tables: ["unique_key", "resource"],
    // The owner of a key is a resource; of a few scopes it is a word, such as `cleared`.
    text: `
      select u.merchant_id, u.scope, u.key, u.owner from unique_key u
      where u.owner ~ '^[a-z]+_[0-9A-Za-z]{20,}$' and not exists (
        select from resource r where r.merchant_id = u.merchant_id and r.id = u.owner
      )`,
    difference: (row) => ({
      subject: `the unique key ${readText(row, "scope")} ${readText(row, "key")}`,
      expected: `its owner ${readText(row, "owner")}`,
      found: "no such resource"
    })
  },
  {
    name: "lookup keys",
    about: "the resources of lookup keys",
    tables: ["lookup_key", "resource"],
    // With cells, the schema of the directory and each cell also have keys of merchants that are in another one.
    text: `
      select l.merchant_id, l.scope, l.key, l.kind, l.id from lookup_key l
      where not exists (
        select from resource r where r.merchant_id = l.merchant_id and r.kind = l.kind and r.id = l.id
      ) and (
        not exists (select from setting where key = 'database')
        or exists (select from resource m where m.merchant_id = l.merchant_id and m.kind = 'merchant')
      )`,
    difference: (row) => ({
      subject: `the lookup key ${readText(row, "scope")} ${readText(row, "key")}`,
      expected: `the ${readText(row, "kind")} ${readText(row, "id")}`,
      found: "no such resource"
    })
  }
]
