/** A store that is overtaken: something else happens between two of the reads of a decision, or before it is written. */
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"

/** A memory store, and what is to be done once: right before its next commit, its next list, or its next read of rows of a kind. */
export const overtaken = () => {
  const first: {
    before: Effect.Effect<unknown>
    beforeList: Effect.Effect<unknown>
    beforeRead: { readonly kind: string; readonly act: Effect.Effect<unknown> } | undefined
  } = { before: Effect.void, beforeList: Effect.void, beforeRead: undefined }
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        commit: (change) =>
          Effect.suspend(() => {
            const { before } = first
            first.before = Effect.void
            return Effect.andThen(before, inner.commit(change))
          }),
        list: (query) =>
          Effect.suspend(() => {
            const { beforeList } = first
            first.beforeList = Effect.void
            return Effect.andThen(beforeList, inner.list(query))
          }),
        get: (keys) =>
          Effect.suspend(() => {
            const { beforeRead } = first
            if (beforeRead === undefined || !keys.some(({ kind }) => kind === beforeRead.kind)) return inner.get(keys)
            first.beforeRead = undefined
            return Effect.andThen(beforeRead.act, inner.get(keys))
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, first }
}
