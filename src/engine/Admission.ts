/**
 * How many calls a process answers at once. What comes above is refused before anything is read for it, so that those who
 * were let in wait for few others, and what waits stays bounded.
 */
import { Context, Effect } from "effect"
import { RateLimited } from "./errors.ts"

export interface Limits {
  /** Calls that may write. */
  readonly writes: number
  readonly reads: number
}

export const CallLimits = Context.Reference<Limits>("corridor/engine/CallLimits", {
  defaultValue: () => ({ writes: 256, reads: 256 })
})

/** Those let in are through by then, or a part of them is. */
const retryAfterMs = 1000

export class Admission {
  readonly #limits: Limits
  readonly #inside = { writes: 0, reads: 0 }

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** The refusal of a call that would be one too many. */
  readonly full = (sort: keyof Limits): RateLimited | undefined =>
    this.#inside[sort] < this.#limits[sort]
      ? undefined
      : new RateLimited({
          message: `The service is answering ${this.#limits[sort]} ${sort} already, which is as many as it takes at once.`,
          retry_after_ms: retryAfterMs
        })

  /** Lets a call in, or gives its refusal. Who was let in leaves once. */
  readonly enter = (sort: keyof Limits): RateLimited | undefined => {
    const refusal = this.full(sort)
    if (refusal === undefined) this.#inside[sort]++
    return refusal
  }

  readonly leave = (sort: keyof Limits): void => {
    this.#inside[sort]--
  }

  /** Runs `self` unless there are too many. Errors: `RateLimited`, and nothing was done. */
  readonly guard = <A, E, R>(sort: keyof Limits, self: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
    Effect.suspend((): Effect.Effect<A, E | RateLimited, R> => {
      const refusal = this.enter(sort)
      return refusal === undefined
        ? Effect.ensuring(
            self,
            Effect.sync(() => this.leave(sort))
          )
        : Effect.fail(refusal)
    })
}
