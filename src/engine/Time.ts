import { Clock, Context, Effect } from "effect"

/**
 * Wall time, epoch milliseconds: for leases, rate limits and the timestamp of a signature, which concern real processes.
 * Everything else is told by Effect's Clock, the service's clock, which the sandbox can move. They are the same unless a
 * layer says otherwise.
 */
export const WallTime = Context.Reference<Effect.Effect<number>>("corridor/engine/WallTime", {
  defaultValue: () => Clock.currentTimeMillis
})

export const wallNow: Effect.Effect<number> = Effect.flatten(Effect.service(WallTime))

/** ISO 8601 in UTC, as `/v1` writes times. */
export const iso = (at: number): string => new Date(at).toISOString()
export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))
