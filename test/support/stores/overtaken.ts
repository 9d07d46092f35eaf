/** Commits that are overtaken: what a decision rests on is changed after it was made, and before it is written. */
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"

/** A memory store, and what is to be done once, right before its next commit. */
export const overtaken = () => {
  const first: { before: Effect.Effect<unknown> } = { before: Effect.void }
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) => {
      const commit = (change: Change) =>
        Effect.suspend(() => {
          const { before } = first
          first.before = Effect.void
          return Effect.andThen(before, inner.commit(change))
        })
      return Storage.of({ ...inner, commit })
    })
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, first }
}
