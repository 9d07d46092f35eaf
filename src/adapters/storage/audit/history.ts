/** Transitions against each other, rows against their last transition, and events against what the rows have counted. */
import { type Check, merchantOf, readText } from "./check.ts"

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
      return { subject: readText(row, "resource_id"), merchant_id: merchantOf(row), expected, found }
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
      return { subject: readText(row, "id"), merchant_id: merchantOf(row), expected, found }
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
      merchant_id: merchantOf(row),
      expected: `a ${readText(row, "kind")} at version ${readText(row, "version")} or later, which its transition has`,
      found: row["stored"] === null ? "no row" : `version ${readText(row, "stored")}`
    })
  }
]

/**
 * The events of each object against their number in its row. `deletedBefore`: events of transitions before this time may have
 * been deleted; null: none may.
 */
const events = (deletedBefore: string | null): Check => ({
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
    const about = { subject: readText(row, "id"), merchant_id: merchantOf(row) }
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
})

export const historyChecks = (deletedBefore: string | null): ReadonlyArray<Check> => [...lasting, events(deletedBefore)]
