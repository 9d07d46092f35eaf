/** Deletes expired data according to `settings/retention.ts`. */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { metrics } from "../../ports/metrics.ts"
import { Storage } from "../../ports/Storage.ts"
import { toDaysMs, markForgotten, RetentionPolicy } from "../../settings/retention.ts"

/** Expired data is kept this much longer, because the clocks of nodes differ. */
const graceMs = 3_600_000

/** The size of a batch, which takes about ten milliseconds of one connection. */
const batch = 1_000

/** The delays between two sweeps, and between the batches of one sweep. */
const restMs = 600_000
const breathMs = 50

export class Retention extends Context.Service<Retention>()("corridor/engine/Retention", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const { deliveries, events } = yield* RetentionPolicy
    const kept = { keys: 0, jobs: toDaysMs(deliveries), events: toDaysMs(events) } as const

    const sweep = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      let more = false
      for (const sort of ["keys", "jobs", "events"] as const) {
        const age = kept[sort]
        if (age === null) continue
        const before = now - age - graceMs
        if (sort === "events") yield* markForgotten(storage, before, graceMs)
        const gone = yield* storage.forget({ sort, before, limit: batch })
        metrics.forgotten.of({ sort }).record(gone)
        more ||= gone === batch
      }
      return more
    })

    const tended = Effect.gen(function* () {
      yield* Effect.sleep(Duration.millis(restMs))
      while (yield* sweep) yield* Effect.sleep(Duration.millis(breathMs))
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning("expired data could not be deleted and will be tried again", cause)
      ),
      Effect.forever
    )

    return {
      /**
       * Deletes one batch of each sort, and returns whether there may be more. Several nodes may run it at the same time.
       */
      sweep,
      /** Sweeps every ten minutes until the scope closes. Each sweep continues until no expired data is left. */
      start: Effect.asVoid(Effect.forkScoped(tended))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
