/**
 * Compares this node's clock with the store's (SERVICE-15). The store measures leases, but the node decides what is
 * due: a node whose clock is ahead would run deadlines early, and one whose clock is behind would run them late.
 */
import { Context, Effect, Layer } from "effect"
import { metrics } from "../../ports/metrics.ts"
import { Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"

/** The tolerated difference of a node's clock. */
const toleratedMs = 5_000

/**
 * How long a measurement is valid, by the node's own clock. If that clock was set in the meantime, the difference is
 * measured again.
 */
const holdsMs = 1_000

/** Describes how far a clock is off, for an error. */
export const describeSkew = (skew_ms: number): string =>
  `the clock of this node is ${Math.round(Math.abs(skew_ms) / 100) / 10} s ${skew_ms > 0 ? "ahead of" : "behind"} ` +
  `the database's; the limit is ${toleratedMs / 1000} s, so this node claims no work`

export class ClockSkew extends Context.Service<ClockSkew>()("corridor/engine/ClockSkew", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    let last = { at: Number.NEGATIVE_INFINITY, skew_ms: 0 }

    /** The store's clock was read between `before` and `after`: a time between them is no skew. */
    const measured = Effect.gen(function* () {
      const before = yield* wallNow
      const clock = yield* storage.clock
      const after = yield* wallNow
      const found_ms = clock === undefined ? 0 : clock < before ? before - clock : clock > after ? after - clock : 0
      metrics.skew.of({}).record(found_ms / 1000)
      const skew_ms = Math.abs(found_ms) > toleratedMs ? found_ms : 0
      if (skew_ms !== 0 && last.skew_ms === 0) yield* Effect.logError(describeSkew(skew_ms))
      if (skew_ms === 0 && last.skew_ms !== 0) yield* Effect.logInfo("the clock of this node is within the limit again")
      last = { at: after, skew_ms }
      return skew_ms
    })

    const skew = Effect.gen(function* () {
      const now = yield* wallNow
      return now >= last.at && now - last.at < holdsMs ? last.skew_ms : yield* measured
    })

    return {
      /**
       * How far the wall clock of this node is ahead of the store's, in milliseconds; negative when it is behind. 0
       * within the tolerance, and for a store without its own clock. Measured at most once per second.
       */
      skew
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
