/**
 * Whether this node's clock agrees with the store's (SERVICE-15). Leases are the store's to measure, but what is due is
 * decided by the node's: one that is far ahead would run deadlines early, and one far behind would leave them.
 */
import { Context, Effect, Layer } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"

/** How far a node's clock may be off. */
const toleratedMs = 5_000

/** How long a measurement holds, by the node's own clock: one that was set meanwhile is measured again. */
const holdsMs = 1_000

/** What is said of a clock that is off by `skew_ms`. */
export const skewed = (skew_ms: number): string =>
  `the clock of this node is ${Math.round(Math.abs(skew_ms) / 100) / 10} s ${skew_ms > 0 ? "ahead of" : "behind"} ` +
  `the database's; more than ${toleratedMs / 1000} s is too much, and it claims no work`

export class ClockSkew extends Context.Service<
  ClockSkew,
  {
    /**
     * How many milliseconds the wall clock of this node is ahead of the store's, or behind it where negative; 0 for what is
     * tolerated, and for a store that has no clock of its own. Known from the last second, or measured.
     */
    readonly skew: Effect.Effect<number, StorageFault>
  }
>()("corridor/engine/ClockSkew") {
  static readonly layer = Layer.effect(
    ClockSkew,
    Effect.gen(function* () {
      const storage = yield* Storage
      let last = { at: Number.NEGATIVE_INFINITY, skew_ms: 0 }

      /** The store's clock was read between `before` and `after`: whatever lies there is no skew. */
      const measured = Effect.gen(function* () {
        const before = yield* wallNow
        const clocks = yield* storage.clocks
        const after = yield* wallNow
        let skew_ms = 0
        for (const clock of clocks) {
          const found = clock < before ? before - clock : clock > after ? after - clock : 0
          if (Math.abs(found) > Math.max(toleratedMs, Math.abs(skew_ms))) skew_ms = found
        }
        if (skew_ms !== 0 && last.skew_ms === 0) yield* Effect.logError(skewed(skew_ms))
        if (skew_ms === 0 && last.skew_ms !== 0) yield* Effect.logInfo("the clock of this node is right again")
        last = { at: after, skew_ms }
        return skew_ms
      })

      const skew = Effect.gen(function* () {
        const now = yield* wallNow
        return now >= last.at && now - last.at < holdsMs ? last.skew_ms : yield* measured
      })

      return ClockSkew.of({ skew })
    })
  )
}
