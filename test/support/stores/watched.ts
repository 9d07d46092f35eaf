/** A store that remembers what was written to it, so that a refusal can be shown to have written nothing. */
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"

const parts = ["rows", "postings", "unique_keys", "lookup_keys", "events", "jobs", "cancels", "subscriptions"] as const

/** The accepted rate of a currency follows the market in the background, whatever becomes of the request that asked for it (RATE-1). */
const followsMarket = ({ rows }: Change): boolean =>
  rows.length > 0 && rows.every(({ kind }) => kind === "accepted_rate")

/** What a Change writes beside the answer kept under its key. */
const effectsOf = (change: Change): ReadonlyArray<string> =>
  followsMarket(change)
    ? []
    : parts.filter((part) => change[part].length > 0).map((part) => `${part} of ${change.merchant_id}`)

export interface Writes {
  /** One line for each part of each committed Change, and for each setting. */
  readonly effects: Array<string>
}

/** The memory store, and a record in `writes` of everything committed that is more than a kept answer. */
export const watchWrites = (writes: Writes): Layer.Layer<Storage> =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (storage) =>
      Storage.of({
        ...storage,
        commit: (change) =>
          Effect.map(storage.commit(change), (verdict) => {
            if (verdict._tag === "Committed") writes.effects.push(...effectsOf(change))
            return verdict
          }),
        assign: (key, value) =>
          Effect.tap(storage.assign(key, value), () => Effect.sync(() => writes.effects.push(`setting ${key}`)))
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
