/**
 * Work that waits for something whose end nobody can date: they are woken when it ends. A parked job is under a lease
 * of its own, so that moving the service's clock does not make it due; it is asked again when the lease has run out.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { UnitOfWork } from "./UnitOfWork.ts"
import { Ids } from "../ports/Ids.ts"
import { keyLifetime } from "../settings/retention.ts"
import { type Job, type JobWrite, type Queue, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"

/** What it waits for: that the provider takes submissions, or that its merchant is active again. */
export const obstacles = ["provider_not_ready", "merchant_suspended"] as const
export type Obstacle = (typeof obstacles)[number]

const wakeBatch = 500

/** How long a submission waits before it is asked again whether it can be made: an eighth of what it has waited. */
export const askAgainMs = (waited_ms: number): number => Math.min(Math.max(5_000, Math.floor(waited_ms / 8)), 3_600_000)

export class Parking extends Context.Service<
  Parking,
  {
    /** Parks a claimed job. Its body names the obstacle as `parked`. */
    readonly park: (job: Job, obstacle: Obstacle) => Effect.Effect<void, StorageFault>
    /**
     * Makes what is parked for an obstacle due now.
     *
     * Law: whoever parks looks at the obstacle again afterwards, and wakes what it parked when that is gone: of a removal
     * followed by a wake, and a park followed by a look, one sees the other.
     */
    readonly wake: (merchant_id: string, obstacle: Obstacle) => Effect.Effect<void, StorageFault>
  }
>()("corridor/engine/Parking") {
  static readonly layer = Layer.effect(
    Parking,
    Effect.gen(function* () {
      const unitOfWork = yield* UnitOfWork
      const storage = yield* Storage
      const ids = yield* Ids

      const park = Effect.fnUntraced(function* (job: Job, obstacle: Obstacle) {
        const at = yield* Clock.currentTimeMillis
        const wait_ms = askAgainMs(at - job.created_at)
        const { merchant_id, lease, payload: _, endpoint_version: __, ...kept } = job
        const parked: JobWrite = {
          ...kept,
          due_at: at + wait_ms,
          body: { ...job.body, parked: obstacle },
          lease: { token: `parked.${lease}`, wall: yield* wallNow, lease_ms: wait_ms }
        }
        yield* unitOfWork.apply(
          merchant_id,
          { lease: { job: job.id, token: lease ?? "" } },
          Effect.succeed({ changes: [{ jobs: [parked] }], result: undefined })
        )
      })

      const woken = (job: Job, at: number): JobWrite => {
        const { merchant_id: _, lease: __, body, ...kept } = job
        const { parked: ___, ...rest } = body
        return { ...kept, due_at: at, body: rest }
      }

      const wakeIn = Effect.fnUntraced(function* (queue: Queue, merchant_id: string, obstacle: Obstacle) {
        while (true) {
          const { items } = yield* storage.jobs({
            merchant_id,
            queue,
            status: "pending",
            body: { parked: obstacle },
            offset: 0,
            limit: wakeBatch
          })
          if (items.length === 0) return
          const at = yield* Clock.currentTimeMillis
          yield* unitOfWork.apply(
            merchant_id,
            { deduplicationKey: `wake/${yield* ids.make("req")}`, deduplication_ms: keyLifetime },
            Effect.succeed({ changes: [{ jobs: items.map((job) => woken(job, at)) }], result: undefined })
          )
        }
      })

      return Parking.of({
        park,
        wake: (merchant_id, obstacle) =>
          Effect.forEach(["command", "timer"] as const, (queue) => wakeIn(queue, merchant_id, obstacle), {
            discard: true
          })
      })
    })
  )
}
