/** Adoptions at a limit, and at a version (BREAK-5, HTTP-11). */
import { Effect, Result } from "effect"
import { assert, it } from "vitest"
import { counterKey } from "../../../src/engine/calls/ActiveLimits.ts"
import { type Change, PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { type CreateLimit, MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import {
  amountOfItsOwn,
  beforeAdoption,
  died,
  isSuccess,
  meeting,
  offered,
  reading,
  refusalOf
} from "../../support/statements/adoptions.ts"
import { matchingDesk } from "../../support/statements/desk.ts"

covers("HTTP-11", "BREAK-4")
it("is resolved at the version that a person has seen, and at no other", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { desk, id, m, open } = yield* offered()
      const { resolve } = yield* Reconciliations
      const seen = Effect.map((yield* Breaks).get(open.id), ({ version }) => version)
      for (const action of ["dismiss", "adopt"] as const) {
        const stale = yield* refusalOf(resolve({ ...desk.operator, if_match: "99" }, open.id, { action, note: "seen" }))
        assert.deepEqual([stale[0], yield* m.status(id)], ["Conflict", "processing"])
      }
      const adopted = yield* resolve({ ...desk.operator, if_match: yield* seen }, open.id, {
        action: "adopt",
        note: "seen"
      })
      assert.deepInclude(adopted, { status: "resolved", action: "adopt" })
      assert.strictEqual(yield* m.status(id), "success")
    }).pipe(reading, Effect.provide(makeSimulatedEngine()))
  ))

covers("BREAK-5", "LIMITS-3")
it("of two adoptions at once, one has the last room of a limit, and the movement of the other stays as it is", () => {
  const isBegun = ({ rows }: Change): boolean =>
    rows.some(({ data, kind, state }) =>
      kind === "break" ? (data as { adopting?: unknown }).adopting === true : kind === "transfer" && state === "success"
    )
  return Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const m = yield* merchantAtWork("100000")
      const [one, other] = [yield* m.transfer(amountOfItsOwn()), yield* m.transfer(amountOfItsOwn())]
      yield* m.settle
      yield* desk.says([one, other].map(({ amount, id }) => ({ amount, end_to_end_id: `${id}.payout` })))
      const limits = yield* MoneyLimits
      const limit = yield* limits.create(desk.operator, {
        ...{ scope: "platform", operations: ["break_resolution"], window: { calendar: "day", time_zone: "UTC" } },
        ...{ max_count: 1, action: "refuse" }
      } as CreateLimit)
      const breaks = yield* Effect.forEach([one, other], ({ id }) => Effect.map(desk.about(id), ([found]) => found!))
      const act = { words: ["break_resolution"], field: "id" } as const
      const { resolve } = yield* Reconciliations
      const results = yield* Effect.forEach(
        breaks,
        ({ id }) => Effect.result(resolve({ ...desk.operator, act }, id, { action: "adopt", note: "seen" })),
        { concurrency: 2 }
      )
      const statuses = [yield* m.status(one.id), yield* m.status(other.id)]
      assert.deepEqual(statuses.toSorted(), ["processing", "success"])
      const [done] = breaks.filter((_, n) => statuses[n] === "success")
      assert.deepInclude(yield* desk.breakOf(done!.id), { status: "resolved", action: "adopt" })
      const refused = results.filter(Result.isFailure).map(({ failure }) => (failure as { readonly _tag: string })._tag)
      assert.deepEqual(refused, ["InvalidInput"])
      yield* limits.update(desk.operator, limit.id, { status: "disabled" })
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: meeting(isBegun) })))
  )
})

covers("BREAK-5", "LIMITS-3")
it.each(["finished", "none", "reported meanwhile", "asked for by nobody"])(
  "an adoption that ended after limits counted it is counted once, or not if it is none: %s",
  (end) => {
    const { layer, state } = beforeAdoption(isSuccess)
    return Effect.runPromise(
      Effect.gen(function* () {
        const { desk, id, m, open } = yield* offered()
        const limits = yield* MoneyLimits
        const limit = yield* limits.create(desk.operator, {
          ...{ scope: "platform", operations: ["break_resolution"], window: { calendar: "day", time_zone: "UTC" } },
          ...{ max_count: 1, action: "refuse" }
        } as CreateLimit)
        const storage = yield* Storage
        const used = Effect.map(
          storage.counters(PLATFORM_MERCHANT, [counterKey(limit.id, "platform", "count")]),
          (all) => all.flatMap(({ amounts }) => amounts.map(({ amount }) => Number(amount)))
        )
        const { resolve } = yield* Reconciliations
        const act = { words: ["break_resolution"], field: "id" } as const
        const { version } = yield* (yield* Breaks).get(open.id)
        const adopt = resolve({ ...desk.operator, act, if_match: version }, open.id, { action: "adopt", note: "seen" })
        state.happens = Effect.fail(died)
        assert.strictEqual((yield* refusalOf(adopt))[0], "StorageFault")
        assert.deepEqual([yield* m.status(id), yield* used], ["processing", [1]])
        if (end === "finished") {
          assert.deepInclude(yield* adopt, { status: "resolved", action: "adopt" })
          assert.deepEqual([yield* m.status(id), yield* used], ["success", [1]])
        } else if (end === "asked for by nobody") {
          yield* m.advance(300)
          assert.deepEqual(yield* used, [1])
          yield* m.advance(310)
          assert.deepEqual([yield* m.status(id), yield* used], ["processing", [0]])
          const { status, version: now } = yield* (yield* Breaks)
            .get(open.id)
            .pipe(Effect.map(({ body, version }) => ({ status: body.status, version })))
          assert.strictEqual(status, "open")
          const again = { ...desk.operator, act, if_match: now }
          assert.deepInclude(yield* resolve(again, open.id, { action: "adopt", note: "seen" }), { status: "resolved" })
          assert.deepEqual([yield* m.status(id), yield* used], ["success", [1]])
          yield* m.advance(700)
          assert.deepEqual(yield* used, [1])
        } else {
          yield* m.says(id, end === "none" ? "failed" : "success")
          if (end !== "none") yield* desk.match
          assert.strictEqual((yield* refusalOf(adopt))[0], "InvalidStatus")
          assert.deepEqual(yield* used, [0])
        }
      }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: layer })))
    )
  }
)

covers("BREAK-5", "LIMITS-3")
it("an adoption whose movement has succeeded stays counted, also where nobody asks for its record", () => {
  const { layer, state } = beforeAdoption()
  return Effect.runPromise(
    Effect.gen(function* () {
      const { desk, id, m, open } = yield* offered()
      const limits = yield* MoneyLimits
      const limit = yield* limits.create(desk.operator, {
        ...{ scope: "platform", operations: ["break_resolution"], window: { calendar: "day", time_zone: "UTC" } },
        ...{ max_count: 1, action: "refuse" }
      } as CreateLimit)
      const storage = yield* Storage
      const used = Effect.map(storage.counters(PLATFORM_MERCHANT, [counterKey(limit.id, "platform", "count")]), (all) =>
        all.flatMap(({ amounts }) => amounts.map(({ amount }) => Number(amount)))
      )
      const { resolve } = yield* Reconciliations
      const act = { words: ["break_resolution"], field: "id" } as const
      const adopt = resolve({ ...desk.operator, act }, open.id, { action: "adopt", note: "seen" })
      state.happens = Effect.fail(died)
      assert.strictEqual((yield* refusalOf(adopt))[0], "StorageFault")
      yield* m.advance(700)
      assert.deepEqual([yield* m.status(id), yield* used], ["success", [1]])
      assert.deepInclude(yield* adopt, { status: "resolved", action: "adopt" })
      assert.deepEqual(yield* used, [1])
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: layer })))
  )
})
