/** The gauges and counters about what happens: on every store the same. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { CircuitBreaker } from "../../../src/engine/calls/Routes.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { readings } from "../../../src/engine/ports/metrics.ts"
import { Gauges } from "../../../src/engine/work/upkeep/Gauges.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { changes, valueOf } from "../../support/http/metrics.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const silence = Effect.fail(new ProviderFault({ message: "no answer within 30000 ms" }))

const refreshed = Effect.flatMap(Gauges, (gauges) =>
  Effect.forEach(readings, (reading) => gauges.refresh(reading), { discard: true })
)

const waits = ["waiting", "submitted", "unknown", "held", "refunding"]
const stalled = () => waits.map((state) => valueOf(`corridor_stalled{state="${state}"}`))
const oldest = (state: string) => valueOf(`corridor_oldest_seconds{state="${state}"}`)!
/** The machine's clock runs on beside the one that a test advances: what has waited is never younger, and older by less than a test may take. */
const isOldest = (state: string, seconds: number) => {
  assert.isAtLeast(oldest(state), seconds - 3)
  assert.isBelow(oldest(state), seconds + 300)
}
const clearing = () => valueOf(`corridor_clearing_balance{provider="simulated",currency="USDC"}`)
const open = (reason: string) =>
  ["high", "low"].map((severity) => valueOf(`corridor_exceptions_open{reason="${reason}",severity="${severity}"}`))

onEveryStore("gauges", (run) => {
  covers("METRICS-3")
  it("say what waits, since when and for what, and what is in clearing, until it has ended", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* refreshed
        assert.deepEqual([stalled(), clearing(), oldest("waiting")], [[0, 0, 0, 0, 0], 0, 0])
        yield* m.behaves("hold")
        const transfer = (yield* m.transfer("10")).id
        const offramp = (yield* m.offramp("20")).id
        yield* m.advance(30)
        yield* refreshed
        assert.deepEqual([stalled(), oldest("waiting")], [[0, 0, 0, 0, 0], 0])
        yield* m.advance(100)
        yield* refreshed
        assert.deepEqual(stalled(), [2, 0, 0, 0, 0])
        isOldest("waiting", 130)
        yield* m.behaves("timeout")
        yield* m.advance(3600)
        yield* refreshed
        assert.deepEqual(stalled(), [0, 2, 0, 0, 0])
        isOldest("submitted", 3600 - 130)
        assert.strictEqual(clearing(), 30)
        yield* m.says(transfer, "success")
        yield* m.says(offramp, "success")
        // It contradicts what is recorded.
        yield* m.says(transfer, "failed")
        yield* m.says(transfer, "temporarily_unavailable")
        yield* m.says(offramp, "temporarily_unavailable")
        yield* refreshed
        assert.deepEqual([stalled(), clearing(), oldest("submitted")], [[0, 0, 0, 0, 0], 0, 0])
        assert.deepEqual(
          [open("contradicts_state"), open("recalled")],
          [
            [1, 2],
            [0, 0]
          ]
        )
      })
    ))

  covers("METRICS-5")
  it("count every call to the provider by its answer, every commit, and every event", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const calls = (call: string, answer: string) =>
          `corridor_provider_calls_total{provider="simulated",call="${call}",answer="${answer}"}`
        const since = changes()
        const { id } = yield* m.transfer("10")
        yield* m.advance(200)
        yield* refreshed
        assert.strictEqual(valueOf(`corridor_stalled{state="unknown"}`), 1)
        isOldest("unknown", 200)
        // Looked up after 10 seconds and after a minute.
        assert.deepEqual(
          since(
            calls("payout_submit", "fault"),
            calls("payout_lookup", "fault"),
            calls("payout_submit", "accepted"),
            `corridor_provider_call_duration_seconds_count{provider="simulated",call="payout_submit"}`
          ),
          [1, 2, 0, 1]
        )
        const [committed, events, conflicts] = since(
          `corridor_commits_total{verdict="committed"}`,
          `corridor_events_total{type="transfer.processing"}`,
          `corridor_commits_total{verdict="version_conflict"}`
        )
        assert.isAtLeast(committed!, 4)
        assert.deepEqual([events, conflicts], [1, 0])
        yield* m.says(id, "success")
      }).pipe(Effect.provideService(CircuitBreaker, { faults: Infinity, delay_ms: 1, max_delay_ms: 1 })),
      { around: (inner) => withMethods(inner, { submit: () => silence, lookup: () => silence }) }
    ))
})
