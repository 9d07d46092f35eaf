import { Effect } from "effect"
import { IdempotencyConflict, IdempotencyInProgress } from "../ports/errors.ts"
import { acquireUseReleaseSync } from "../ports/when-ended.ts"

/**
 * The calls with an idempotency key that run in this process. A concurrent repeat is rejected without a read of the store.
 * Between nodes, the commit decides: one of them wins (IDEM-7).
 */
export class InFlight {
  readonly #running = new Map<string, string>()

  /**
   * Runs `self` unless a request of the merchant with the same key is running. Errors: `IdempotencyInProgress`; `IdempotencyConflict` if
   * the fingerprint of the running request is different. A dry run (`isDry`) takes no key, so that it stands in no request's way.
   */
  readonly guard = <A, E, R>(
    merchant_id: string,
    idempotency: { readonly key: string; readonly fingerprint: string },
    self: Effect.Effect<A, E, R>,
    isDry = false
  ): Effect.Effect<A, E | IdempotencyConflict | IdempotencyInProgress, R> => {
    const name = `${merchant_id} ${idempotency.key}`
    return acquireUseReleaseSync(
      () => {
        const runningFingerprint = this.#running.get(name)
        if (runningFingerprint === undefined && !isDry) this.#running.set(name, idempotency.fingerprint)
        return runningFingerprint
      },
      (runningFingerprint): Effect.Effect<A, E | IdempotencyConflict | IdempotencyInProgress, R> => {
        if (runningFingerprint === undefined) return self
        return runningFingerprint === idempotency.fingerprint
          ? Effect.fail(
              new IdempotencyInProgress({
                message: "The first request with this Idempotency-Key is still running. Repeat this one shortly."
              })
            )
          : Effect.fail(
              new IdempotencyConflict({ message: "This Idempotency-Key is in use by another request. Use a new key." })
            )
      },
      (runningFingerprint) => {
        if (runningFingerprint === undefined && !isDry) this.#running.delete(name)
      }
    )
  }
}
