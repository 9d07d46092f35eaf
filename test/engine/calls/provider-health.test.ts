/** A circuit breaker, by the gauge that an alert reads: on the way up, between, and on the way down. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { CircuitBreaker, ProviderHealth } from "../../../src/engine/calls/Routes.ts"
import { Provider, Providers } from "../../../src/engine/ports/Provider.ts"
import { interruptAnywhere } from "../../support/faults/interrupted.ts"
import { valueOf } from "../../support/http/metrics.ts"
import { covers } from "../../support/repository/covers.ts"

const providers = Providers.from(["breaking", "steady"].map((name) => Provider.of({ name, manifest: { offers: [] } })))
const layer = ProviderHealth.layer.pipe(
  Layer.provide(Layer.succeed(Providers, providers)),
  Layer.provide(Layer.succeed(CircuitBreaker, { faults: 3, delay_ms: 1000, max_delay_ms: 8000 }))
)
const gauge = (provider: string) => valueOf(`corridor_provider_circuit_open{provider="${provider}"}`)
const gauges = () => [gauge("breaking"), gauge("steady")]

describe("the gauge of a circuit breaker", () => {
  covers("BRAKE-3")
  it.effect("is 0, is 1 from the last fault on, stays 1 through failed probes, and is 0 after an answer", () =>
    Effect.gen(function* () {
      const { isFailing, observe, wait } = yield* ProviderHealth
      assert.deepEqual(gauges(), [0, 0])
      for (let n = 0; n < 2; n++) yield* observe("breaking", false)
      assert.deepEqual(gauges(), [0, 0])
      yield* observe("breaking", false)
      assert.deepEqual(gauges(), [1, 0])
      assert.strictEqual(yield* wait("breaking"), 1000)
      yield* TestClock.adjust(1000)
      assert.strictEqual(yield* wait("breaking"), 0)
      assert.deepEqual(gauges(), [1, 0])
      yield* observe("breaking", false)
      assert.deepEqual(gauges(), [1, 0])
      assert.strictEqual(yield* wait("breaking"), 2000)
      yield* TestClock.adjust(2000)
      assert.strictEqual(yield* wait("breaking"), 0)
      yield* observe("breaking", true)
      assert.deepEqual([gauges(), isFailing("breaking")], [[0, 0], false])
      for (let n = 0; n < 3; n++) yield* observe("breaking", false)
      assert.deepEqual(gauges(), [1, 0])
      // An answer of a call that was made before it opened closes it too.
      yield* observe("breaking", true)
      assert.deepEqual([gauges(), yield* wait("breaking")], [[0, 0], 0])
    }).pipe(Effect.provide(layer))
  )

  covers("BRAKE-3")
  it.effect("shows what the breaker is, wherever a call that opens or closes it is interrupted", () =>
    Effect.gen(function* () {
      const { isFailing, observe } = yield* ProviderHealth
      const opening = Effect.forEach([1, 2, 3], () => observe("breaking", false), { discard: true })
      const closing = Effect.suspend(() => observe("breaking", true))
      for (const [from, to] of [
        [closing, opening],
        [opening, closing]
      ] as const) {
        const seen = new Set<boolean>()
        yield* interruptAnywhere(
          Effect.andThen(from, to),
          Effect.sync(() => {
            seen.add(isFailing("breaking"))
            assert.strictEqual(gauge("breaking"), isFailing("breaking") ? 1 : 0)
          })
        )
        assert.deepEqual([...seen].sort(), [false, true])
      }
    }).pipe(Effect.provide(layer))
  )
})
