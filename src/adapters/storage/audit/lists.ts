/** Index entries and list counters against the rows, and keys against their owners. */
import { type Check, merchantOf, textOf } from "./check.ts"

const mark = "(select corridor_mark())"

/** Counters against what they count. `counted`: the things that exist; `tail`: those after the mark. */
const counters = (
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
    subject: `the counter of ${textOf(row, "kind")} under ${JSON.stringify(textOf(row, "index_key"))} in bucket ${textOf(row, "bucket")}`,
    merchant_id: merchantOf(row),
    expected: textOf(row, "counted") || "0",
    found: textOf(row, "stored") || "0"
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
      subject: textOf(row, "id"),
      merchant_id: merchantOf(row),
      expected: `${row["stored"] === "true" ? "no entry" : "an entry"} under ${textOf(row, "index_key")}`,
      found: row["stored"] === "true" ? "one" : "none"
    })
  },
  counters(
    "list counters",
    "the list counters of resources",
    ["resource", "resource", "row_change"],
    "not starts_with(c.kind, '@')",
    `select r.merchant_id, r.kind, w.index_key, corridor_bucket(w.index_key, r.created_at) as bucket, 1 as n
     from resource r cross join lateral unnest(r.index_keys || array['', ':' || r.status]) w(index_key) where not r.hidden`,
    `select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from row_movement m where m.xid >= ${mark}`
  ),
  counters(
    "event counters",
    "the list counters of events",
    ["event", "event"],
    "c.kind = '@event'",
    "select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from event_movement m",
    `select m.merchant_id, m.kind, m.index_key, m.bucket, m.n from event_movement m where m.xid >= ${mark}`
  ),
  counters(
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
      subject: `the sum of ${textOf(row, "kind")} by ${row["step"] === "1" ? "hour" : "day"} in bucket ${textOf(row, "bucket")} under ${textOf(row, "tags")}, ${textOf(row, "seconds")} s`,
      merchant_id: merchantOf(row),
      expected: textOf(row, "counted"),
      found: textOf(row, "stored")
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
      subject: `the unique key ${textOf(row, "scope")} ${textOf(row, "key")}`,
      merchant_id: merchantOf(row),
      expected: `its owner ${textOf(row, "owner")}`,
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
      subject: `the lookup key ${textOf(row, "scope")} ${textOf(row, "key")}`,
      merchant_id: merchantOf(row),
      expected: `the ${textOf(row, "kind")} ${textOf(row, "id")}`,
      found: "no such resource"
    })
  }
]
