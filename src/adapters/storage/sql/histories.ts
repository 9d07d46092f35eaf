/** What the history of one resource is read from: its transitions, postings and events, and jobs by how their ids begin. */
import { Effect } from "effect"
import type { History, Storage, Transition } from "../../../engine/ports/Storage.ts"
import { causeIn } from "../change.ts"
import type { SqlAsk } from "./driver.ts"
import { literal } from "./encode.ts"
import { jobColumns, text, toJob } from "./rows.ts"

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

const parsed = (value: unknown): ReadonlyArray<never> => (value === null ? [] : JSON.parse(text(value)))

export const history =
  (ask: SqlAsk): Service["history"] =>
  (merchant_id, resource_id) =>
    Effect.map(
      ask(HISTORY, [merchant_id, resource_id]),
      ([row]): History => ({
        transitions: parsed(row!["transitions"]).map((one: Transition) => ({ ...one, ...causeIn(one.cause) })),
        postings: parsed(row!["postings"]),
        events: parsed(row!["events"])
      })
    )
