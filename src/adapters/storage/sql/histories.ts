/** What the history of one resource is read from: its transitions, postings and events, and jobs by how their ids begin. */
import { Effect } from "effect"
import type { History, OwnedPostings, Storage, Transition } from "../../../engine/ports/Storage.ts"
import { causeIn } from "../change.ts"
import type { SqlAsk } from "./driver.ts"
import { literal, columnsOf } from "./encode.ts"
import { jobColumns, postingColumns, text, toJob, toPosting, decoderOf } from "./rows.ts"

type Service = Storage["Service"]

// Ids compare as bytes and have no character above "~".
const JOBS_BEGINNING = `select distinct on (x.id) ${jobColumns} from unnest($2::text::text[]) p(prefix)
cross join lateral (
  select * from job j where j.merchant_id = $1::text and j.id >= p.prefix collate "C" and j.id < (p.prefix || '~') collate "C"
  order by j.id limit $3::text::bigint
) x order by x.id`

export const jobsBeginning =
  (ask: SqlAsk): Service["jobsBeginning"] =>
  (merchant_id, prefixes, limit) =>
    prefixes.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(JOBS_BEGINNING, [merchant_id, literal(prefixes), limit]), (rows) => rows.map(toJob))

// Each prefix is one probe of the index by id, which has nothing but ids. With more columns or another order, planners that can skip
// through an index take the primary key instead, and probe it once for each merchant and kind.
const IDS_BEGINNING = `select distinct x.merchant_id, x.kind, x.id
from unnest($1::text::text[]) p(prefix) cross join lateral (
  select r.id from resource r where r.id >= p.prefix collate "C" and r.id < (p.prefix || '~') collate "C"
  order by r.id limit $2::text::bigint
) i cross join lateral (select * from resource r where r.id = i.id offset 0) x`

export const idsBeginning =
  (ask: SqlAsk): Service["idsBeginning"] =>
  (prefixes, limit) =>
    prefixes.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(IDS_BEGINNING, [literal(prefixes), limit]), (rows) =>
          rows.map(decoderOf({ merchant_id: text, kind: text, id: text }))
        )

const POSTINGS_OF = `select ${postingColumns} from (
  select distinct * from unnest($2::text::text[], $3::text::text[]) k(merchant_id, resource_id)
) k cross join lateral (
  select * from posting p where p.merchant_id = k.merchant_id and p.resource_id = k.resource_id
    and (p.debit = $1::text or p.credit = $1::text)
) x order by x.merchant_id, x.resource_id, x.position`

export const postingsOf =
  (ask: SqlAsk): Service["postingsOf"] =>
  (account, resources) =>
    resources.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(POSTINGS_OF, [account, ...columnsOf(resources, "merchant_id", "resource_id")]), (rows) =>
          rows.map(toPosting)
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

export const history =
  (ask: SqlAsk): Service["history"] =>
  (merchant_id, resource_id) =>
    Effect.map(
      ask(HISTORY, [merchant_id, resource_id]),
      ([row]): History => ({
        transitions: parseList(row!["transitions"]).map((one: Transition) => ({ ...one, ...causeIn(one.cause) })),
        postings: parseList(row!["postings"]),
        events: parseList(row!["events"])
      })
    )

/** One side of the postings of an owner, through its index. */
const side = (by: "debit" | "credit", other: "debit" | "credit", change: string): string =>
  `select x.*, ${change} as change from posting x where corridor_owner(x.${by}) is not null and corridor_owner(x.${by}) = $2::text
    and corridor_owner(x.${other}) is distinct from corridor_owner(x.${by})
    and x.merchant_id = $1::text and x.currency = $3::text and x.at < $5::text::bigint`

const OWNED = `with x as materialized (
  ${side("debit", "credit", "-x.amount")} union all
  ${side("credit", "debit", "x.amount")}
) select b.before, x.resource_id is not null as present, ${postingColumns}
from (select coalesce(sum(change), 0)::text as before from x where at < $4::text::bigint) b
left join x on x.at >= $4::text::bigint order by x.at, x.xid, x.position`

export const readOwnerPostings =
  (ask: SqlAsk): Service["owned"] =>
  ({ currency, from, merchant_id, owner, to }) =>
    Effect.map(
      ask(OWNED, [merchant_id, owner, currency, from, to]),
      (rows): OwnedPostings => ({
        before: text(rows[0]!["before"]),
        postings: rows.filter((row) => row["present"] === true).map(toPosting)
      })
    )
