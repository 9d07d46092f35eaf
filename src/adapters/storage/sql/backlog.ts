/** How much work of each queue is due, and how old it is. */
import { Effect } from "effect"
import type { Backlog, BacklogQuery, Queue, Storage } from "../../../engine/ports/Storage.ts"
import type { SqlAsk } from "./driver.ts"
import { Params, type ListStatement } from "./lists.ts"
import { number, numberOrNull, decoderOf } from "./rows.ts"

/** Counts each partition key's jobs in the order in which they are due, up to the limit. */
export const backlogStatement = ({ limit, now, queues }: BacklogQuery): ListStatement => {
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
    const { params, text: statement } = backlogStatement(query)
    return Effect.map(ask(statement, params), (rows) =>
      rows.map(
        decoderOf<Backlog>({
          queue: (name) => name as Queue,
          due: number,
          due_since: numberOrNull,
          retried_since: numberOrNull
        })
      )
    )
  }
