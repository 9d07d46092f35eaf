/**
 * Which database a merchant is kept in. A merchant is placed when it is first written, by the hash of its id, and never
 * moves: the first database keeps the directory, as settings, and the house.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { StorageFault } from "../../engine/ports/errors.ts"
import { HOUSE, type Storage } from "../../engine/ports/Storage.ts"

type Store = Storage["Service"]

const settingOf = (merchant_id: string): string => `merchant_database/${merchant_id}`

/** Merchants whose place is remembered. It never changes, so that a busy directory is asked once for each. */
const rememberedMax = 100_000

/** The place of a merchant that has none yet. */
const placed = (merchant_id: string, count: number): number =>
  createHash("sha256").update(merchant_id).digest().readUInt32BE(0) % count

export interface Directory {
  /** Where a merchant is, if that is remembered here. */
  readonly known: (merchant_id: string) => number | undefined
  /** Where a merchant is, or would be placed. */
  readonly find: (merchant_id: string) => Effect.Effect<number, StorageFault>
  /** Where a merchant is, placed now if it was nowhere. Law: of two nodes that place it at once, both find one place. */
  readonly place: (merchant_id: string) => Effect.Effect<number, StorageFault>
}

export const makeDirectory = (stores: readonly [Store, ...ReadonlyArray<Store>]): Directory => {
  const [home, ...others] = stores
  const count = stores.length
  const remembered = new Map<string, number>()

  const remember = (merchant_id: string, text: string): Effect.Effect<number, StorageFault> => {
    const place = Number(text)
    if (!(place >= 0 && place < count)) {
      const message = `${merchant_id} is in database ${place + 1}, and this node knows ${count}`
      return Effect.fail(new StorageFault({ message, retryable: false }))
    }
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size >= rememberedMax) remembered.delete(oldest)
    remembered.set(merchant_id, place)
    return Effect.succeed(place)
  }

  /** Merchants of the first database from before there was a second have no entry. */
  const fallback = (merchant_id: string): Effect.Effect<number, StorageFault> =>
    Effect.map(home.get([{ merchant_id, kind: "merchant", id: merchant_id }]), ([row]) =>
      row === undefined ? placed(merchant_id, count) : 0
    )

  /** Without the first database: whoever has the merchant itself is its place. */
  const elsewhere = Effect.fnUntraced(function* (merchant_id: string) {
    for (const [n, store] of others.entries()) {
      const found = yield* Effect.result(store.get([{ merchant_id, kind: "merchant", id: merchant_id }]))
      if (found._tag === "Success" && found.success.length > 0) return remember(merchant_id, String(n + 1))
    }
    return undefined
  })

  const known = (merchant_id: string): number | undefined => (merchant_id === HOUSE ? 0 : remembered.get(merchant_id))

  const found = (
    merchant_id: string,
    missing: (place: number) => Effect.Effect<number, StorageFault>
  ): Effect.Effect<number, StorageFault> => {
    const place = known(merchant_id)
    if (place !== undefined) return Effect.succeed(place)
    return Effect.matchEffect(home.setting(settingOf(merchant_id)), {
      onSuccess: (text) =>
        text === undefined ? Effect.flatMap(fallback(merchant_id), missing) : remember(merchant_id, text),
      onFailure: (fault) => Effect.flatMap(elsewhere(merchant_id), (place) => place ?? Effect.fail(fault))
    })
  }

  return {
    known,
    find: (merchant_id) => found(merchant_id, Effect.succeed),
    place: (merchant_id) =>
      found(merchant_id, (place) =>
        Effect.flatMap(home.define(settingOf(merchant_id), String(place)), (text) => remember(merchant_id, text))
      )
  }
}
