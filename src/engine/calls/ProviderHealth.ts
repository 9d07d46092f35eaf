/**
 * A circuit breaker for each provider, on each node (BRAKE-3). Source: Nygard, *Release It!*, "Circuit Breaker".
 *
 * Consecutive faults of submissions and refunds open it: further ones wait. After a delay one of them probes the provider;
 * an answer closes the breaker, and a fault opens it again for twice the delay. Look-ups neither wait nor count.
 */
import { backoff } from "../../machines/kernel/backoff.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { metrics } from "../ports/metrics.ts"
import { Providers } from "../ports/Provider.ts"

/** `faults`: how many consecutive ones open it. The delay doubles from `delay_ms` up to `max_delay_ms`. */
export interface BreakerSettings {
  readonly faults: number
  readonly delay_ms: number
  readonly max_delay_ms: number
}

export const CircuitBreaker = Context.Reference<BreakerSettings>("corridor/engine/CircuitBreaker", {
  defaultValue: () => ({ faults: 10, delay_ms: 30_000, max_delay_ms: 600_000 })
})

/** How long a probe may take before another one is admitted: longer than the timeout of a call. */
const probeMs = 60_000

interface Circuit {
  faults: number
  /** How often it has opened since it was last closed. */
  openings: number
  /** Epoch milliseconds of the service's clock. 0: it is closed. */
  openUntil: number
  isProbing: boolean
}

export class ProviderHealth extends Context.Service<ProviderHealth>()("corridor/engine/ProviderHealth", {
  make: Effect.gen(function* () {
    const { delay_ms, faults, max_delay_ms } = yield* CircuitBreaker
    const circuits = new Map<string, Circuit>()
    const circuitOf = (provider: string): Circuit => {
      const known = circuits.get(provider)
      if (known !== undefined) return known
      const made = { faults: 0, openings: 0, openUntil: 0, isProbing: false }
      circuits.set(provider, made)
      return made
    }
    const show = (provider: string, isOpen: boolean): void => metrics.circuit.of({ provider }).record(isOpen ? 1 : 0)
    for (const { name } of (yield* Providers).all) show(name, false)

    return {
      /** Records whether a submission or a refund had an answer, whatever the answer was. */
      observe: Effect.fnUntracedEager(function* (provider: string, hasAnswered: boolean) {
        const circuit = circuitOf(provider)
        if (hasAnswered) {
          const wasOpen = circuit.openUntil > 0
          Object.assign(circuit, { faults: 0, openings: 0, openUntil: 0, isProbing: false })
          if (!wasOpen) return
          // In the step that closes it: a call may be interrupted before the line is logged.
          show(provider, false)
          return yield* Effect.logInfo(`the provider ${provider} answers again: its circuit breaker is closed`)
        }
        circuit.faults++
        if (circuit.faults < faults) return
        const now = yield* Clock.currentTimeMillis
        // Of a call that was made before it opened.
        if (circuit.openUntil > now && !circuit.isProbing) return
        const isFirst = circuit.openUntil === 0
        circuit.isProbing = false
        const delay = backoff(delay_ms, circuit.openings++, max_delay_ms)
        circuit.openUntil = now + delay
        if (!isFirst) return
        show(provider, true)
        yield* Effect.logWarning(
          `the provider ${provider} did not answer ${circuit.faults} calls in a row: its circuit breaker is open`
        )
      }),

      /** Milliseconds until a submission may be made; 0: now. While the breaker is open, one caller at a time gets 0. */
      wait: (provider: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const circuit = circuitOf(provider)
          if (circuit.openUntil === 0) return 0
          if (circuit.openUntil > now) return circuit.openUntil - now
          circuit.openUntil = now + probeMs
          circuit.isProbing = true
          return 0
        }),

      isFailing: (provider: string) => (circuits.get(provider)?.openUntil ?? 0) > 0
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
