/** A Tracer or a Logger of the host that throws changes nothing of what the engine does. */
import { Effect, Layer, Logger, Tracer } from "effect"
import { expect, it } from "vitest"
import { ActivityLog } from "../../../src/engine/settings/settings.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const thrown = (): never => {
  throw new Error("a defect of the host")
}

/** A Tracer whose spans throw when they are made, described or ended. */
const broken = (at: "span" | "attribute" | "end"): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      if (at === "span") thrown()
      return Object.assign(new Tracer.NativeSpan(options), { [at]: thrown })
    }
  })

/** A transfer from the request to its end, with a provider that loses an answer. */
const moved = Effect.gen(function* () {
  const m = yield* merchantAtWork("100")
  const { id } = yield* m.transfer("1")
  yield* m.settle
  yield* m.says(id, "success")
  return [(yield* m.rowOf(id)).status, yield* m.executions(id)]
})

covers("TELEMETRY-9")
it.each(["span", "attribute", "end"] as const)("moves money with a Tracer that throws at `%s`", async (at) => {
  const traced = Effect.provideService(Effect.provide(moved, makeSimulatedEngine()), Tracer.Tracer, broken(at))
  expect(await Effect.runPromise(traced)).toEqual(["success", 1])
})

covers("TELEMETRY-9")
it("moves money with a Logger that throws", async () => {
  const logged = moved.pipe(
    Effect.provide(makeSimulatedEngine()),
    Effect.provide(Layer.mergeAll(Logger.layer([Logger.make(thrown)]), Layer.succeed(ActivityLog, true)))
  )
  expect(await Effect.runPromise(logged)).toEqual(["success", 1])
})
