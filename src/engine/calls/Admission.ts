/**
 * How many calls a process answers at once. What comes above is refused before anything is read for it, so that those who
 * were let in wait for few others, and what waits stays bounded.
 *
 * The most is set; how many of them it is at a time follows what answers take (additive increase, multiplicative decrease,
 * as TCP does): a slow store or a busy machine must not make everyone wait for everyone.
 */
import { Clock, Context, Effect } from "effect"
import { RateLimited } from "../ports/errors.ts"

/** The most calls at once. */
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

/** Answers that take longer are a sign of too many. */
const latencyThresholdMs = 300

/** From one decrease to the next: what was let in before the first says nothing new. */
const settlingMs = 200
const decrease = 0.8

/** The part of the most that is never taken away: a burst finds room however slow the last one was. */
const floor = 1 / 4

class Gate {
  inside = 0
  limit: number
  private readonly most: number
  private decreased_ms = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    this.most = most
    this.limit = most
  }

  get isFull(): boolean {
    return this.inside >= Math.floor(this.limit)
  }

  leave(now_ms: number, took_ms: number): void {
    const used = this.inside >= this.limit / 2
    this.inside--
    if (took_ms <= latencyThresholdMs) this.limit = Math.min(this.most, this.limit + 1 / this.limit)
    else if (used && now_ms - this.decreased_ms >= settlingMs) {
      this.decreased_ms = now_ms
      this.limit = Math.max(Math.ceil(this.most * floor), this.limit * decrease)
    }
  }
}

export class Admission {
  readonly #gates: { readonly [K in keyof Limits]: Gate }

  constructor({ writes, reads }: Limits) {
    this.#gates = { writes: new Gate(writes), reads: new Gate(reads) }
  }

  /** The refusal of a call that would be one too many. */
  readonly full = (sort: keyof Limits): RateLimited | undefined => {
    const gate = this.#gates[sort]
    if (!gate.isFull) return undefined
    return new RateLimited({
      message: `The service is answering ${gate.inside} ${sort} already, which is as many as it takes at once now.`,
      retry_after_ms: retryAfterMs
    })
  }

  /** Runs `self` unless there are too many. Errors: `RateLimited`, and nothing was done. */
  readonly guard = <A, E, R>(sort: keyof Limits, self: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
    // Between who is let in and what lets it out again a fiber may yield, and be interrupted.
    Effect.uninterruptibleMask((restore) =>
      Clock.clockWith((clock): Effect.Effect<A, E | RateLimited, R> => {
        const refusal = this.full(sort)
        if (refusal !== undefined) return Effect.fail(refusal)
        const gate = this.#gates[sort]
        gate.inside++
        const now_ms = (): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
        const began = now_ms()
        return Effect.ensuring(
          restore(self),
          Effect.sync(() => {
            const now = now_ms()
            gate.leave(now, now - began)
          })
        )
      })
    )
}
