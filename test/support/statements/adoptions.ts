/** Adoptions: an unknown payout that a line pays, and stores in which something happens meanwhile. */
import { Deferred, Effect, Layer, Result } from "effect"
import { assert } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork } from "../merchants/merchant-at-work.ts"
import { matchingDesk } from "./desk.ts"
import { readable } from "./readable.ts"

let cents = 5_000
/** An amount that nothing else has. */
export const amountOfItsOwn = (): string => `${++cents}.73`

export const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, readable)

/** What an effect is refused with: its tag and its message. */
export const refusalOf = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isFailure(result) ? ([result.failure._tag, result.failure.message] as const) : assert.fail("it succeeded")
  )

/** A store of which the commits of two that want the same wait for each other, once. */
export const meeting = (isMet: (change: Change) => boolean) =>
  Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      const met = yield* Deferred.make<void>()
      let waiting = 0
      return {
        ...storage,
        commit: (change: Change) =>
          Effect.gen(function* () {
            if (waiting < 2 && isMet(change)) {
              if (++waiting === 2) yield* Deferred.succeed(met, undefined)
              yield* Deferred.await(met)
            }
            return yield* storage.commit(change)
          })
      }
    })
  ).pipe(Layer.provide(MemoryStorage.layer))

/** Whether a commit records an adoption. */
export const isAdoption = ({ rows }: Change): boolean =>
  rows.some(({ data, kind }) => kind === "break" && (data as { action: unknown }).action === "adopt")
/** Whether a transfer succeeds in a commit. */
export const isSuccess = ({ rows }: Change): boolean =>
  rows.some(({ kind, state }) => kind === "transfer" && state === "success")
/** A store in which something happens, once it is set, before the commit that records an adoption. */
export const beforeAdoption = (isWanted: (change: Change) => boolean = isAdoption) => {
  const state: { happens?: Effect.Effect<void, StorageFault> } = {}
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (storage) => ({
      ...storage,
      commit: (change: Change) =>
        Effect.suspend(() => {
          const { happens } = state
          if (happens === undefined || !isWanted(change)) return storage.commit(change)
          delete state.happens
          return Effect.andThen(happens, storage.commit(change))
        })
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, state }
}

/** An unknown payout, and the break of the line that pays it. */
export const offered = Effect.fnUntraced(function* () {
  const desk = yield* matchingDesk
  const m = yield* merchantAtWork("100000")
  const { amount, id } = yield* m.transfer(amountOfItsOwn())
  yield* m.settle
  const [line] = yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
  const [open] = yield* desk.about(id)
  return { desk, m, id, line: line!, open: open! }
})

export const died = new StorageFault({ message: "the process ended", retryable: false })
