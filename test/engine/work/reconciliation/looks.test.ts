/** Looks at the open lines of an account, which follow on what moves at its provider (MATCH-7). */
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { ActiveLimits } from "../../../../src/engine/calls/ActiveLimits.ts"
import { Kinds } from "../../../../src/engine/commit/kind.ts"
import { UnitOfWork } from "../../../../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../../../../src/engine/ports/Ids.ts"
import { Storage } from "../../../../src/engine/ports/Storage.ts"
import { Matchings } from "../../../../src/engine/resources/reconciliation/matching.ts"
import { BreakResolutions } from "../../../../src/engine/resources/reconciliation/resolution.ts"
import { Inbox } from "../../../../src/engine/work/providers/Inbox.ts"
import { Reconciliations } from "../../../../src/engine/work/reconciliation/Reconciliations.ts"
import { covers } from "../../../support/repository/covers.ts"

covers("MATCH-7")
it("are one at a time of each account, and what is asked for meanwhile is asked for again", async () => {
  const made: Array<string> = []
  const make = (what: string) => Effect.sync(() => made.push(what))
  const matchings = {
    match: (id: string) =>
      Effect.as(Effect.andThen(make(`${id} begins`), Effect.sleep(5)), { matched: 0, signed: [], stale: false }),
    readRest: () => Effect.succeed(0),
    requestLook: (id: string, isLooking: boolean) => make(`${id} again${isLooking ? ", after it" : ""}`),
    storeLook: (id: string) => make(`${id} ends`)
  }
  const none = [Storage, Kinds, Inbox, BreakResolutions, ActiveLimits] as const
  const unused = none.map((service) => Layer.succeed(service as typeof Storage, {} as never))
  const layer = Layer.effect(Reconciliations, Reconciliations.make).pipe(
    Layer.provide(Layer.mergeAll(unused[0]!, ...unused.slice(1))),
    Layer.provide(Layer.succeed(Matchings, matchings as never)),
    Layer.provide(Layer.succeed(Ids, { make: () => Effect.succeed("mat_1") } as never)),
    Layer.provide(
      Layer.succeed(UnitOfWork, { apply: (_: string, __: object, decide: Effect.Effect<unknown>) => decide } as never)
    )
  ) as Layer.Layer<Reconciliations>
  const looks = Reconciliations.use(({ look }) =>
    Effect.all([look("xac_1"), look("xac_1"), look("xac_2")], { concurrency: "unbounded" }).pipe(
      Effect.andThen(look("xac_1"))
    )
  )
  await Effect.runPromise(Effect.provide(looks, layer) as Effect.Effect<void>)
  expect(made).toEqual([
    "xac_1 begins",
    "xac_1 again, after it",
    "xac_1 ends",
    "xac_2 begins",
    "xac_2 ends",
    "xac_1 begins",
    "xac_1 ends"
  ])
})
