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

let last = { at: 0, text: "1970-01-01T00:00:00.000Z" }

/** ISO 8601 in UTC, as `/v1` writes times. A representation writes one time several times over: the last is kept. */
export const iso = (at: number): string => {
  if (last.at !== at) last = { at, text: new Date(at).toISOString() }
  return last.text
}
export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))
