import { Effect } from "effect"
import { IdempotencyConflict, IdempotencyInProgress } from "../ports/errors.ts"

/**
 * The keyed calls this process is answering, so that a repeat which arrives meanwhile is told so without asking the
 * store. Two nodes race at the commit instead, where one of them wins (IDEM-7).
 */
export class InFlight {
  readonly #running = new Map<string, string>()

  /** Runs `self` unless a request with the same key of the same merchant is running. */
  readonly guard = <A, E, R>(
    merchant_id: string,
    idempotency: { readonly key: string; readonly fingerprint: string },
    self: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | IdempotencyConflict | IdempotencyInProgress, R> =>
    Effect.suspend((): Effect.Effect<A, E | IdempotencyConflict | IdempotencyInProgress, R> => {
      const name = `${merchant_id} ${idempotency.key}`
      const other = this.#running.get(name)
      if (other === undefined) {
        this.#running.set(name, idempotency.fingerprint)
        return Effect.ensuring(
          self,
          Effect.sync(() => this.#running.delete(name))
        )
      }
      return other === idempotency.fingerprint
        ? Effect.fail(
            new IdempotencyInProgress({
              message: "The first request with this Idempotency-Key is still running. Repeat this one shortly."
            })
          )
        : Effect.fail(
            new IdempotencyConflict({ message: "This Idempotency-Key is in use by another request. Use a new key." })
          )
    })
}
