/**
 * Assigns each merchant to a cell, by the hash of its id at its first write. It stays there. The schema of the directory keeps the
 * assignments, as settings, and holds the platform merchant and the merchants of a store that had no cells before.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { BoundedMap } from "../../../engine/ports/bounded-map.ts"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { PLATFORM_MERCHANT, type Storage } from "../../../engine/ports/Storage.ts"

type Store = Storage["Service"]

const settingOf = (merchant_id: string): string => `merchant_database/${merchant_id}`

/** Size of the cache of assignments. An assignment never changes, so that each is read once. */
const rememberedMax = 100_000

/** The schemas that hold merchants, as stores, by number: 0 is the schema of the directory, and each cell has its own. */
export type Shards = readonly [Store, ...ReadonlyArray<Store>]

/** A shard in messages. `count`: that of all shards. */
export const shardName = (shard: number, count: number): string =>
  shard === 0 ? "the schema of the directory" : `cell ${shard} of ${count - 1}`

/** The cell for a merchant that has none yet. */
const cellFor = (merchant_id: string, count: number): number =>
  1 + (createHash("sha256").update(merchant_id).digest().readUInt32BE(0) % (count - 1))

export interface CellDirectory {
  /** The merchant's shard, if it is in the cache. */
  readonly known: (merchant_id: string) => number | undefined
  /** The merchant's shard, or the one that it would have. */
  readonly find: (merchant_id: string) => Effect.Effect<number, StorageFault>
  /**
   * The merchant's shard; assigns it to a cell if it has none. Law: nodes that assign a merchant at once agree on the
   * result.
   */
  readonly assign: (merchant_id: string) => Effect.Effect<number, StorageFault>
}

export const makeDirectory = (shards: Shards): CellDirectory => {
  const [home] = shards
  const count = shards.length
  const remembered = new BoundedMap<string, number>(rememberedMax)

  const remember = (merchant_id: string, text: string): Effect.Effect<number, StorageFault> => {
    const shard = Number(text)
    if (!(shard >= 0 && shard < count)) {
      const message = `${merchant_id} is in ${shardName(shard, count)}, which the configuration of this node does not have`
      return Effect.fail(new StorageFault({ message, retryable: false }))
    }
    remembered.set(merchant_id, shard)
    return Effect.succeed(shard)
  }

  /** Merchants of a store that had no cells have no directory entry. */
  const fallback = (merchant_id: string): Effect.Effect<number, StorageFault> =>
    Effect.map(home.get([{ merchant_id, kind: "merchant", id: merchant_id }]), ([row]) =>
      row === undefined ? cellFor(merchant_id, count) : 0
    )

  const known = (merchant_id: string): number | undefined =>
    merchant_id === PLATFORM_MERCHANT ? 0 : remembered.get(merchant_id)

  const found = (
    merchant_id: string,
    missing: (shard: number) => Effect.Effect<number, StorageFault>
  ): Effect.Effect<number, StorageFault> => {
    const shard = known(merchant_id)
    if (shard !== undefined) return Effect.succeed(shard)
    return Effect.flatMap(home.setting(settingOf(merchant_id)), (text) =>
      text === undefined ? Effect.flatMap(fallback(merchant_id), missing) : remember(merchant_id, text)
    )
  }

  return {
    known,
    find: (merchant_id) => found(merchant_id, Effect.succeed),
    assign: (merchant_id) =>
      found(merchant_id, (shard) =>
        Effect.flatMap(home.define(settingOf(merchant_id), String(shard)), (text) => remember(merchant_id, text))
      )
  }
}
