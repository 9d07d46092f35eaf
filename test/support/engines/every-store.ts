/** The same scenarios on every store: the store is opened once per file, and each test gets an engine of its own over it. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, assert, beforeAll, describe, expect, inject } from "vitest"
import { CellsStorage } from "../../../src/adapters/storage/cells/cells.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { citusDatabase } from "../stores/citus.ts"
import { freshDatabase } from "../stores/database.ts"
import { storeOf } from "../repository/turns.ts"
import { freshPglite } from "../stores/pglite.ts"
import { wallClock } from "./wall-clock.ts"
import { makeSimulatedEngine, type SimulatedEngineOptions } from "./simulated-engine.ts"

type Opened = Layer.Layer<Storage, StorageFault>

export const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  memory: async () => MemoryStorage.layer,
  pglite: freshPglite,
  postgres: async () => PostgresStorage.layer({ url: await freshDatabase(), connections: 6 }),
  cells: async () => CellsStorage.layer({ url: await freshDatabase(), cells: 3, connections: 6, commitConnections: 2 })
}

/**
 * Of `npm run test:citus` alone. Statements take long there, so that the clock of an engine stands still until it is moved. A sleep
 * moves it by a millisecond.
 */
const citus = async (): Promise<Opened> =>
  CellsStorage.layer({ url: await citusDatabase(inject("citus")), cells: 2, clock: "caller" })

const frozen = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let now = Date.now()
    return Effect.provide(
      effect,
      wallClock(
        () => now,
        (sleep) =>
          Effect.andThen(
            sleep,
            Effect.sync(() => void now++)
          )
      )
    )
  })

/** The stores of this run: `npm test` has two of them, `npm run test:all` the others. Their equality is what `test/adapters/storage` holds. */
const storesOfRun = (process.env.CORRIDOR_TEST_STORES ?? Object.keys(stores).join()).split(",")

/**
 * The stores of this run, of those named: memory, and the one beside it on which the file has its turn. What memory does not run is
 * on Postgres at every turn.
 */
export const storesHere = (on: ReadonlyArray<string> = Object.keys(stores)): ReadonlyArray<string> => {
  const turn = storeOf(expect.getState().testPath ?? "")
  const beside = [turn, turn === "pglite" ? "cells" : "pglite", "postgres"].find((store) => on.includes(store ?? ""))
  const always = new Set(["memory", "citus", beside, ...(on.includes("memory") ? [] : ["postgres"])])
  return storesOfRun.filter((store) => on.includes(store) && (turn === undefined || always.has(store)))
}

export type SimulatedEngine = Layer.Success<ReturnType<typeof makeSimulatedEngine>>

/** Runs an effect in an engine of its own, over the store that the test file shares. */
export type Run = <A, E>(
  effect: Effect.Effect<A, E, SimulatedEngine>,
  options?: Omit<SimulatedEngineOptions, "storage">
) => Promise<A>

/** The differences of the books, and what stands in clearing and in reserve: nothing, where nothing is under way. */
export const booksBalance = Effect.gen(function* () {
  const storage = yield* Storage
  const { currencies, classes } = yield* storage.trialBalance
  for (const { currency, debits, credits } of currencies)
    assert.strictEqual(debits, credits, `the books in ${currency}`)
  return new Map(classes.map((one) => [`${one.class}/${one.currency}`, one.balance]))
})

/** Defines tests once for each store of the run (of those named in `on`). After the last, the books of each store balance and nothing is left in clearing. */
export const onEveryStore = (
  title: string,
  define: (run: Run, store: string) => void,
  on: ReadonlyArray<string> = Object.keys(stores)
): void => {
  const here = storesHere(on.includes("cells") ? [...on, "citus"] : on)
  const those = Object.entries({ ...stores, citus }).filter(([name]) => here.includes(name))
  describe.each(those)(`${title}, on %s`, (name, open) => {
    let runtime: ManagedRuntime.ManagedRuntime<Storage, StorageFault>
    let shared: Layer.Layer<Storage>
    beforeAll(async () => {
      runtime = ManagedRuntime.make(await open())
      shared = Layer.succeed(Storage, await runtime.runPromise(Storage))
    })
    afterAll(async () => {
      const classes = await runtime.runPromise(booksBalance)
      for (const [key, balance] of classes)
        if (/^(clearing|reserved)\//.test(key)) assert.strictEqual(balance, "0", key)
      await runtime.dispose()
    })
    define((effect, options) => {
      const whole = Effect.provide(effect, makeSimulatedEngine({ ...options, storage: shared }))
      return Effect.runPromise(name === "citus" ? frozen(whole) : whole)
    }, name)
  })
}

/** `onEveryStore` without PGlite, whose statements are those of Postgres: what no store does at the same time as something else. */
export const onServers = (title: string, define: (run: Run, store: string) => void): void =>
  onEveryStore(title, define, ["memory", "postgres", "cells"])

/** The cases of a table that a store runs: memory all of them, another the first of each kind of movement. */
export const casesOn = <const Case extends readonly [string, ...ReadonlyArray<unknown>]>(
  store: string,
  cases: ReadonlyArray<Case>
): ReadonlyArray<Case> =>
  store === "memory" ? cases : cases.filter(([kind], n) => cases.findIndex(([first]) => first === kind) === n)

/** Defines tests of what no store decides, on memory alone: other scenarios ask the stores for the same. */
export const onMemory = (title: string, define: (run: Run, store: string) => void): void =>
  onEveryStore(title, define, ["memory"])
