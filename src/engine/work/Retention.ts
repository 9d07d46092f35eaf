/** Forgets what has run out, as the settings of `settings/retention.ts` say. */
import { Clock, Context, Duration, Effect, Layer, Metric } from "effect"
import type { Scope } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { type ForgetQuery, Storage } from "../ports/Storage.ts"
import { daysMs, RetentionPolicy } from "../settings/retention.ts"

/** Of what has run out nothing goes before this long after: nodes' clocks differ a little. */
const graceMs = 3_600_000

/** How much goes at once: a batch takes some ten milliseconds of one connection. */
const batch = 1_000

/** From one look to the next, and between batches while there is more. */
const restMs = 600_000
const breathMs = 50

const forgotten = Metric.counter("corridor_forgotten_total", { description: "What was forgotten as old, by sort." })
const counted = (sort: ForgetQuery["sort"]) => Metric.withAttributes(forgotten, { sort })
const sorts = { keys: counted("keys"), jobs: counted("jobs"), events: counted("events") } as const

export class Retention extends Context.Service<
  Retention,
  {
    /** Forgets one batch of each sort; whether there may be more. Any node may, at any time, and several at once. */
    readonly sweep: Effect.Effect<boolean, StorageFault>
    /** Sweeps until the scope closes: every ten minutes, and on until nothing old is left. */
    readonly start: Effect.Effect<void, never, Scope.Scope>
  }
>()("corridor/engine/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { deliveries, events } = yield* RetentionPolicy
      const kept = { keys: 0, jobs: daysMs(deliveries), events: daysMs(events) } as const

      const sweep = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        let more = false
        for (const sort of ["keys", "jobs", "events"] as const) {
          const age = kept[sort]
          if (age === null) continue
          const gone = yield* storage.forget({ sort, before: now - age - graceMs, limit: batch })
          if (gone > 0) yield* Metric.update(sorts[sort], gone)
          more ||= gone === batch
        }
        return more
      })

      const tended = Effect.gen(function* () {
        yield* Effect.sleep(Duration.millis(restMs))
        while (yield* sweep) yield* Effect.sleep(Duration.millis(breathMs))
      }).pipe(
        Effect.catchCause((cause) => Effect.logWarning("what is old could not be forgotten; it is tried again", cause)),
        Effect.forever
      )

      return Retention.of({ sweep, start: Effect.asVoid(Effect.forkScoped(tended)) })
    })
  )
}
