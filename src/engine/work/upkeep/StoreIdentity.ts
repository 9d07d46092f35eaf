/**
 * Tells a restored copy of a store from the original (RESTORE-1). The original may still pay, and a copy does not know what was
 * paid after it was made: nothing may be paid from it before a person says so.
 */
import { Context, Deferred, Effect, FiberSet, Layer } from "effect"
import { type DatabaseIdentity, Storage } from "../../ports/Storage.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { wallNow } from "../../ports/Time.ts"

/** How long a comparison is valid, by the node's own clock. */
const holdsMs = 5_000

export const copied =
  "the store is a restored copy or a promoted standby, so this node runs no jobs: compare it with what the providers executed " +
  "(corridor reconcile), and accept it (corridor reconcile accept)"

/**
 * Whether a database is where it was recorded. A recorded timeline `*` is any. One that was recorded and cannot tell where it is
 * now is a copy: it was restored into another server.
 */
export const isOriginal = ({ found, recorded }: DatabaseIdentity): boolean =>
  recorded === null ||
  (found !== null && (recorded === found || (recorded.endsWith("/*") && found.startsWith(recorded.slice(0, -1)))))

export class StoreIdentity extends Context.Service<StoreIdentity>()("corridor/engine/StoreIdentity", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    let last = { at: Number.NEGATIVE_INFINITY, isCopy: false }

    const compared = Effect.gen(function* () {
      const at = yield* wallNow
      const identity = yield* storage.identity
      if (identity.found !== null && identity.recorded === null) yield* storage.recordIdentity("first")
      const isCopy = !isOriginal(identity)
      if (isCopy && !last.isCopy) yield* Effect.logError(copied)
      if (!isCopy && last.isCopy) yield* Effect.logInfo("the store is accepted: this node runs jobs again")
      last = { at, isCopy }
      return isCopy
    })

    /** The next comparison, which has not begun. */
    let next: Deferred.Deferred<boolean, StorageFault> | undefined
    let isComparing = false
    const fibers = yield* FiberSet.make<void>()

    const comparing = Effect.gen(function* () {
      while (next !== undefined) {
        const own = next
        next = undefined
        Deferred.doneUnsafe(own, yield* Effect.exit(compared))
      }
      // In the step that finds no next one: who asks between them would wait for nothing.
      isComparing = false
    })

    // The fiber may yield and be interrupted before the comparison has begun.
    const isCopyNow = Effect.uninterruptibleMask((restore) => {
      const own = (next ??= Deferred.makeUnsafe<boolean, StorageFault>())
      const found = restore(Deferred.await(own))
      if (isComparing) return found
      isComparing = true
      return Effect.andThen(FiberSet.run(fibers, comparing), found)
    })

    return {
      /**
       * `isCopy` by a comparison that begins now or later: of jobs that a commit has claimed, which no claim compares. Those that
       * wait share one. A store inside this process is no copy.
       */
      isCopyNow: storage.exclusive === true ? Effect.succeed(false) : isCopyNow,
      /**
       * Whether the database of the store is a copy. Compared at most once in five seconds. A database without a recorded identity,
       * as the first release with identities finds it, is the original from now on.
       */
      isCopy: Effect.gen(function* () {
        const now = yield* wallNow
        return now >= last.at && now - last.at < holdsMs ? last.isCopy : yield* compared
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
