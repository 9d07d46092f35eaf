/**
 * The concurrency limit of a process. Excess calls are rejected before anything is read for them, so latency and the number
 * of waiting calls stay bounded.
 *
 * The maximum is configured. The current limit adapts to the latency of calls (additive increase, multiplicative decrease,
 * as in TCP), so that a slow store or a busy machine does not slow down every call.
 */
import { Clock, Context, Effect } from "effect"
import { RateLimited } from "../ports/errors.ts"
import { metrics } from "../ports/metrics.ts"
import { whenEnded } from "../ports/when-ended.ts"

/** The maximum numbers of concurrent calls. */
export interface Limits {
  /** Calls that may write. */
  readonly writes: number
  readonly reads: number
}

export const CallLimits = Context.Reference<Limits>("corridor/engine/CallLimits", {
  defaultValue: () => ({ writes: 256, reads: 256 })
})

/** By then, some of the running calls have ended. */
const retryAfterMs = 1000

/** A longer call is a sign of overload. */
const latencyThresholdMs = 300

/** The least time between two decreases: calls admitted before the first decrease carry no new information. */
const settlingMs = 200
const decrease = 0.8

/** The lowest limit, as a part of the maximum: it leaves room for a burst after a slow one. */
const floor = 1 / 4

class Gate {
  inside = 0
  limit: number
  private readonly maximum: number
  private decreased_ms = Number.NEGATIVE_INFINITY

  constructor(maximum: number) {
    this.maximum = maximum
    this.limit = maximum
  }

  get isFull(): boolean {
    return this.inside >= Math.floor(this.limit)
  }

  leave(now_ms: number, took_ms: number): void {
    const used = this.inside >= this.limit / 2
    this.inside--
    if (took_ms <= latencyThresholdMs) this.limit = Math.min(this.maximum, this.limit + 1 / this.limit)
    else if (used && now_ms - this.decreased_ms >= settlingMs) {
      this.decreased_ms = now_ms
      this.limit = Math.max(Math.ceil(this.maximum * floor), this.limit * decrease)
    }
  }
}

export class Admission {
  readonly #gates: { readonly [K in keyof Limits]: Gate }

  constructor({ writes, reads }: Limits) {
    this.#gates = { writes: new Gate(writes), reads: new Gate(reads) }
    for (const sort of ["writes", "reads"] as const) {
      metrics.admitted.observe({ sort }, () => this.#gates[sort].inside)
      metrics.limit.observe({ sort }, () => Math.floor(this.#gates[sort].limit))
    }
  }

  /** The refusal of another call at the limit; `undefined` below it. */
  readonly full = (sort: keyof Limits): RateLimited | undefined => {
    const gate = this.#gates[sort]
    if (!gate.isFull) return undefined
    metrics.rejected.of({ sort }).record(1)
    return new RateLimited({
      message: `The service has reached its limit of concurrent ${sort}: ${gate.inside} are running.`,
      retry_after_ms: retryAfterMs
    })
  }

  /** Runs `self` below the limit. Errors: `RateLimited` at the limit; then `self` has not run. */
  readonly guard = <A, E, R>(sort: keyof Limits, self: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
    // The fiber may yield and be interrupted between entering the gate and registering the release.
    Effect.uninterruptibleMask((restore) =>
      Clock.clockWith((clock): Effect.Effect<A, E | RateLimited, R> => {
        const refusal = this.full(sort)
        if (refusal !== undefined) return Effect.fail(refusal)
        const gate = this.#gates[sort]
        gate.inside++
        const now_ms = (): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
        const started = now_ms()
        return whenEnded(restore(self), () => {
          const now = now_ms()
          gate.leave(now, now - started)
        })
      })
    )
}
