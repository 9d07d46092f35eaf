import { methodsOf } from "../../support/engines/provider-methods.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Provider } from "../../../src/engine/ports/Provider.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { receivedEvents, summaryOf } from "./scheduled-events.ts"
import { type Fault, FaultyProvider, inTurn } from "../../support/faults/faulty-provider.ts"
import { bankAccount, payout } from "./commands.ts"

const command = payout("ofr_1", bankAccount("1234567890"))
const twoWords = payout("ofr_1", bankAccount("1234560006"))

const simulatedEngine = (faults: ReadonlyArray<Fault | undefined>) =>
  FaultyProvider.layer(inTurn(faults)).pipe(
    Layer.provide(SimulatedProvider.layer({ mode: "auto", delay_ms: 1000, payshap: true })),
    Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, Ids.layer, JobNotifier.layer))
  )

const answer = Effect.flatMap(Provider, (provider) => methodsOf(provider).submit(command)).pipe(
  Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: ({ _tag }) => _tag })
)
const executions = Effect.flatMap(Sandbox, (sandbox) => sandbox.executions(command.id))
const commandStatus = Effect.flatMap(Provider, (provider) => methodsOf(provider).lookup(command))
const after = (time: `${number} ${"second" | "days"}`) =>
  Effect.andThen(
    TestClock.adjust(time),
    Effect.map(receivedEvents(), (events) => events.map(summaryOf))
  )

it.effect("temporary: is not executed, and may be submitted again", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* answer, "unavailable")
    assert.strictEqual((yield* commandStatus)._tag, "absent")
    assert.strictEqual(yield* answer, "accepted")
    assert.strictEqual(yield* executions, 1)
  }).pipe(Effect.provide(simulatedEngine(["temporary"])))
)

it.effect("timeout_executed: is executed without a response", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* answer, "ProviderFault")
    assert.deepStrictEqual(yield* after("1 second"), ["success"])
    assert.strictEqual(yield* executions, 1)
  }).pipe(Effect.provide(simulatedEngine(["timeout_executed"])))
)

it.effect("timeout_absent: is not executed, without a response", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* answer, "ProviderFault")
    assert.deepStrictEqual(yield* after("30 days"), [])
    assert.strictEqual((yield* commandStatus)._tag, "absent")
    assert.strictEqual(yield* executions, 0)
  }).pipe(Effect.provide(simulatedEngine(["timeout_absent"])))
)

it.effect("duplicate: reports every event twice, under one id", () =>
  Effect.gen(function* () {
    yield* answer
    yield* TestClock.adjust("1 second")
    const events = yield* receivedEvents()
    assert.deepStrictEqual(events.map(summaryOf), ["success", "success"])
    assert.deepStrictEqual(events[0], events[1])
  }).pipe(Effect.provide(simulatedEngine(["duplicate"])))
)

it.effect("late: reports an event a day late", () =>
  Effect.gen(function* () {
    yield* answer
    assert.deepStrictEqual(yield* after("1 second"), [])
    assert.strictEqual((yield* commandStatus)._tag, "settled")
    assert.deepStrictEqual(yield* after("1 days"), ["success"])
    assert.deepStrictEqual(yield* after("30 days"), [])
  }).pipe(Effect.provide(simulatedEngine(["late"])))
)

it.effect("never: reports nothing, and knows the outcome when it is looked up", () =>
  Effect.gen(function* () {
    yield* answer
    assert.deepStrictEqual(yield* after("30 days"), [])
    assert.strictEqual((yield* commandStatus)._tag, "settled")
  }).pipe(Effect.provide(simulatedEngine(["never"])))
)

it.effect("reversed: reports the last event first", () =>
  Effect.gen(function* () {
    const provider = yield* Provider
    yield* methodsOf(provider).submit(twoWords)
    assert.deepStrictEqual(yield* after("1 second"), [])
    assert.deepStrictEqual(yield* after("3 days"), ["returned", "success"])
  }).pipe(Effect.provide(simulatedEngine(["reversed"])))
)

it.effect("reversed: an event without a successor waits to be released", () =>
  Effect.gen(function* () {
    const faulty = yield* FaultyProvider
    yield* answer
    assert.deepStrictEqual(yield* after("30 days"), [])
    assert.deepStrictEqual((yield* faulty.release).map(summaryOf), ["success"])
    assert.deepStrictEqual(yield* faulty.release, [])
  }).pipe(Effect.provide(simulatedEngine(["reversed"])))
)

it.effect("a lookup may fail as planned, and succeeds afterwards", () =>
  Effect.gen(function* () {
    yield* answer
    assert.strictEqual(
      yield* Effect.match(commandStatus, { onFailure: (e) => e._tag, onSuccess: (s) => s._tag }),
      "ProviderFault"
    )
    assert.strictEqual((yield* commandStatus)._tag, "pending")
  }).pipe(
    Effect.provide(
      FaultyProvider.layer({ submission: () => undefined, lookup: (_, n) => n === 1 }).pipe(
        Layer.provide(SimulatedProvider.layer({ mode: "auto", delay_ms: 1000, payshap: true })),
        Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, Ids.layer, JobNotifier.layer))
      )
    )
  )
)
