/** Claims of due jobs, and of those that the server may have claimed before its answer was lost. */
import { Effect } from "effect"
import { BoundedMap } from "../../../engine/ports/bounded-map.ts"
import type { ClaimQuery, Queue, Storage } from "../../../engine/ports/Storage.ts"
import type { SqlAsk, LeaseClock } from "./driver.ts"
import { literal } from "./encode.ts"
import { isHere, isUnable } from "./identity.ts"
import { jobColumns, toJob } from "./rows.ts"

const CLAIM = `select ${jobColumns}, x.payload, x.endpoint_version from corridor_claim($1::text, $2::text::bigint, coalesce($3::text::bigint, corridor_clock()), $4::text::bigint,
  $5::text, $6::text::int, $7::text::int, $8::text::text[], $9::text, $10::text::text[]) x`

/** The most failed claims that are remembered. */
const lostMax = 256

export const claim = (ask: SqlAsk, clock: LeaseClock): Storage["Service"]["claim"] => {
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
      literal(q.busy),
      q.merchant_id ?? null,
      literal([...(q.released ?? []), ...lostOf(q)])
    ]
    const claimed = Effect.suspend(() => ask(`${CLAIM}${condition}`, params))
    return Effect.map(
      Effect.catchIf(
        claimed,
        (fault) => condition !== "" && isUnable(fault),
        () => {
          condition = ""
          return claimed
        }
      ).pipe(Effect.onError(() => Effect.sync(() => lose(q)))),
      (rows) => rows.map(toJob)
    )
  }
}
