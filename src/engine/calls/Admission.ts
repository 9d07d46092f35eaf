/**
 * The concurrency limit of a process. Excess calls are rejected before anything is read for them, so latency and the number
 * of waiting calls stay bounded.
 *
 * The maximum is configured. The current limit adapts to the latency of calls (additive increase, multiplicative decrease,
 * as in TCP), so that a slow store or a busy machine does not slow down every call.
 *
 * A call that waits for somebody outside, a provider or the rate source, does not count meanwhile, and neither does that time: it
 * says nothing about this service. Each of them has a gate of its own, so that one who does not answer holds up only those who ask it.
 */
import { Clock, Context, Effect } from "effect"
import { ProviderFault, RateLimited } from "../ports/errors.ts"
import { metrics } from "../ports/metrics.ts"
import { acquireUseReleaseSync, onExitSync } from "../ports/when-ended.ts"

/** The maximum numbers of concurrent calls. */
export interface Limits {
  /** Calls that may write. */
  readonly writes: number
  readonly reads: number
}

export const CallLimits = Context.Reference<Limits>("corridor/engine/CallLimits", {
  defaultValue: () => ({ writes: 256, reads: 256 })
})

/** Waits for an answer of `whom`. Errors: those of `wait`; `ProviderFault` where too many calls wait for them: then nothing has waited. */
type Waiting = <A, E, R>(whom: string, wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ProviderFault, R>

/** Releases the place of a call while it waits for an external party. Work without a place, such as a job, just waits. */
export const OutsideWait = Context.Reference<Waiting>("corridor/engine/OutsideWait", {
  defaultValue: (): Waiting => (_, wait) => wait
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
  /** The waiting calls by external party. */
  readonly #waiting = new Map<string, number>()
  readonly #waitingMax: number

  constructor({ writes, reads }: Limits) {
    this.#waitingMax = writes
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
        let outside = 0
        let left_ms = 0
        let waited_ms = 0
        const waiting: Waiting = (whom, wait) =>
          this.#among(
            whom,
            acquireUseReleaseSync(
              () => {
                if (outside++ > 0) return
                left_ms = now_ms()
                gate.inside--
              },
              () => wait,
              () => {
                if (--outside > 0) return
                waited_ms += now_ms() - left_ms
                gate.inside++
              }
            )
          )
        return onExitSync(restore(Effect.provideService(self, OutsideWait, waiting)), () => {
          const now = now_ms()
          gate.leave(now, now - started - waited_ms)
        })
      })
    )

  #among<A, E, R>(whom: string, wait: Effect.Effect<A, E, R>): Effect.Effect<A, E | ProviderFault, R> {
    const count = (): number => this.#waiting.get(whom) ?? 0
    return Effect.suspend((): Effect.Effect<A, E | ProviderFault, R> => {
      if (count() >= this.#waitingMax)
        return Effect.fail(new ProviderFault({ message: `${count()} calls wait for ${whom} already` }))
      return acquireUseReleaseSync(
        () => void this.#waiting.set(whom, count() + 1),
        () => wait,
        () => void this.#waiting.set(whom, count() - 1)
      )
    })
  }
}
