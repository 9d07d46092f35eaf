/**
 * Assigns each merchant to a place: a database of a set, or a cell. A merchant is placed by the hash of its id at its first
 * write, and keeps its place. The first place holds the directory, as settings, and the platform merchant.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { BoundedMap } from "../../../engine/ports/bounded-map.ts"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { PLATFORM_MERCHANT, type Storage } from "../../../engine/ports/Storage.ts"

type Store = Storage["Service"]

const settingOf = (merchant_id: string): string => `merchant_database/${merchant_id}`

/** Size of the cache of placements. A placement never changes, so that each is read once. */
const rememberedMax = 100_000

/** What the places of a store are. */
export interface Places {
  /** The first of those that new merchants are placed in. */
  readonly from: number
  /** A place in messages. */
  readonly name: (place: number) => string
}

/** The place for a merchant that has none yet. */
const placed = (merchant_id: string, from: number, count: number): number =>
  from + (createHash("sha256").update(merchant_id).digest().readUInt32BE(0) % (count - from))

export interface StoreDirectory {
  /** The merchant's place, if it is in the cache. */
  readonly known: (merchant_id: string) => number | undefined
  /** The merchant's place, or the one that it would have. */
  readonly find: (merchant_id: string) => Effect.Effect<number, StorageFault>
  /**
   * The merchant's place; places the merchant if it has none. Law: nodes that place a merchant at once agree on the
   * result.
   */
  readonly place: (merchant_id: string) => Effect.Effect<number, StorageFault>
}

export const makeDirectory = (
  stores: readonly [Store, ...ReadonlyArray<Store>],
  { from, name }: Places
): StoreDirectory => {
  const [home, ...others] = stores
  const count = stores.length
  const remembered = new BoundedMap<string, number>(rememberedMax)

  const remember = (merchant_id: string, text: string): Effect.Effect<number, StorageFault> => {
    const place = Number(text)
    if (!(place >= 0 && place < count)) {
      const message = `${merchant_id} is in ${name(place)}, which the configuration of this node does not have`
      return Effect.fail(new StorageFault({ message, retryable: false }))
    }
    remembered.set(merchant_id, place)
    return Effect.succeed(place)
  }

  /** Merchants of a store that had one place have no directory entry. */
  const fallback = (merchant_id: string): Effect.Effect<number, StorageFault> =>
    Effect.map(home.get([{ merchant_id, kind: "merchant", id: merchant_id }]), ([row]) =>
      row === undefined ? placed(merchant_id, from, count) : 0
    )

  /** Fallback without the first place: that which holds the merchant's own row is its place. */
  const elsewhere = Effect.fnUntraced(function* (merchant_id: string) {
    for (const [n, store] of others.entries()) {
      const found = yield* Effect.result(store.get([{ merchant_id, kind: "merchant", id: merchant_id }]))
      if (found._tag === "Success" && found.success.length > 0) return remember(merchant_id, String(n + 1))
    }
    return undefined
  })

  const known = (merchant_id: string): number | undefined =>
    merchant_id === PLATFORM_MERCHANT ? 0 : remembered.get(merchant_id)

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
