/**
 * Commits of a store with cells: each in the shard of its merchant, which the directory assigns, after its lookup keys are reserved
 * in the schema of the directory.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import {
  type Change,
  type CommitResult,
  EMPTY,
  type LookupKey,
  PLATFORM_MERCHANT,
  type Storage
} from "../../../engine/ports/Storage.ts"
import { BoundedMap } from "../../../engine/ports/bounded-map.ts"
import { StorageFault } from "../../../engine/ports/errors.ts"

// Assigns each merchant to a cell, by the hash of its id at its first write. It stays there. The schema of the directory keeps the
// assignments, as settings, and holds the platform merchant and the merchants of a store that had no cells before.

const toMerchantSetting = (merchant_id: string): string => `merchant_database/${merchant_id}`

/** Size of the cache of assignments. An assignment never changes, so that each is read once. */
const rememberedMax = 100_000

/** The schemas that hold merchants, as stores, by number: 0 is the schema of the directory, and each cell has its own. */
export type Shards = readonly [Store, ...ReadonlyArray<Store>]

/** Names a shard in messages. `count`: the number of shards. */
export const describeShard = (shard: number, count: number): string =>
  shard === 0 ? "the schema of the directory" : `cell ${shard} of ${count - 1}`

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
      const message = `${merchant_id} is in ${describeShard(shard, count)}, which the configuration of this node does not have`
      return Effect.fail(new StorageFault({ message, retryable: false }))
    }
    remembered.set(merchant_id, shard)
    return Effect.succeed(shard)
  }

  /** Merchants of a store that had no cells have no directory entry. */
  const fallback = (merchant_id: string): Effect.Effect<number, StorageFault> =>
    Effect.map(home.get([{ merchant_id, kind: "merchant", id: merchant_id }]), ([row]) =>
      row === undefined ? 1 + (createHash("sha256").update(merchant_id).digest().readUInt32BE(0) % (count - 1)) : 0
    )

  const known = (merchant_id: string): number | undefined =>
    merchant_id === PLATFORM_MERCHANT ? 0 : remembered.get(merchant_id)

  const found = (
    merchant_id: string,
    missing: (shard: number) => Effect.Effect<number, StorageFault>
  ): Effect.Effect<number, StorageFault> => {
    const shard = known(merchant_id)
    if (shard !== undefined) return Effect.succeed(shard)
    return Effect.flatMap(home.setting(toMerchantSetting(merchant_id)), (text) =>
      text === undefined ? Effect.flatMap(fallback(merchant_id), missing) : remember(merchant_id, text)
    )
  }

  return {
    known,
    find: (merchant_id) => found(merchant_id, Effect.succeed),
    assign: (merchant_id) =>
      found(merchant_id, (shard) =>
        Effect.flatMap(home.define(toMerchantSetting(merchant_id), String(shard)), (text) =>
          remember(merchant_id, text)
        )
      )
  }
}

type Store = Storage["Service"]

const makeReservation = (merchant_id: string, at: number, lookupKey: LookupKey): Change => ({
  merchant_id,
  at,
  // A repeat finds the existing lookup key, so that the idempotency record need not outlive the commit.
  idempotency: {
    key: `lookup_key/${lookupKey.scope}/${lookupKey.key}`,
    fingerprint: "",
    response: null,
    expires_at: at + 1
  },
  ...EMPTY,
  lookup_keys: [lookupKey]
})

/**
 * Adds to a refusal the id of the resource that has the lookup key. The schema of the directory knows only its cell: of two
 * merchants there, one may have reserved the key and the other committed it first.
 */
const addTakenId = (
  verdict: CommitResult,
  { lookup_keys }: Change,
  lookup: Store["lookup"]
): Effect.Effect<CommitResult> =>
  verdict._tag === "Taken" && lookup_keys.some(({ key, scope }) => key === verdict.key && scope === verdict.scope)
    ? lookup(verdict.scope, verdict.key).pipe(
        Effect.map((found): CommitResult => (found === undefined ? verdict : { ...verdict, owner: found.id })),
        // The key is taken, even if its owner cannot be read.
        Effect.orElseSucceed(() => verdict)
      )
    : Effect.succeed(verdict)

/** Makes `commit` over the shards: it reserves the lookup keys in the schema of the directory first. `lookup`: that of all shards. */
export const makeShardedCommit = (
  shards: Shards,
  directory: CellDirectory,
  lookup: Store["lookup"]
): Store["commit"] => {
  const [home] = shards
  const commit = (store: Store, change: Change): ReturnType<Store["commit"]> =>
    change.lookup_keys.length === 0
      ? store.commit(change)
      : Effect.flatMap(store.commit(change), (verdict) => addTakenId(verdict, change, lookup))

  /**
   * Reserves a lookup key for the cell of a Change. When another shard has it, the existing entry is copied to this
   * Change's cell. The commit itself then refuses the key, after every check that precedes it.
   */
  const reserve = Effect.fnUntraced(function* (change: Change, lookupKey: LookupKey, shard: number) {
    const verdict = yield* home.commit(makeReservation(change.merchant_id, change.at, lookupKey))
    if (verdict._tag === "Committed") return
    const existing = yield* home.lookup(lookupKey.scope, lookupKey.key)
    if (existing === undefined || (yield* directory.assign(existing.merchant_id)) === shard) return
    const { scope, key, kind, id, merchant_id } = existing
    yield* shards[shard]!.commit(makeReservation(merchant_id, change.at, { scope, key, kind, id }))
  })

  const ready = Effect.fnUntraced(function* (change: Change) {
    const shard = yield* directory.assign(change.merchant_id)
    if (shard !== 0)
      yield* Effect.forEach(change.lookup_keys, (lookupKey) => reserve(change, lookupKey, shard), {
        concurrency: "unbounded"
      })
    return shards[shard]!
  })

  /** Merchants with a Change on its way to their cell, and the later Changes that wait behind it, in order. */
  const waiting = new Map<string, Array<() => void>>()

  const release = (merchant_id: string): void => {
    const line = waiting.get(merchant_id) ?? []
    waiting.delete(merchant_id)
    for (const [n, go] of line.entries()) {
      go()
      // This Change now prepares its own cell; the others stay behind it.
      const next = waiting.get(merchant_id)
      if (next !== undefined) return void next.push(...line.slice(n + 1))
    }
  }

  /** The shard to which a Change may go directly. If there is none, later Changes of its merchant wait for it. */
  const begun = ({ lookup_keys, merchant_id }: Change): Store | undefined => {
    const shard = directory.known(merchant_id)
    if (shard === 0 || (shard !== undefined && lookup_keys.length === 0)) return shards[shard]
    waiting.set(merchant_id, [])
    return undefined
  }

  // An interrupted Change must release those that wait behind it, wherever the interruption happens.
  return (change) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const { merchant_id } = change
        // In the next microtask, when this Change is already in its shard's queue.
        const over = Effect.sync(() => queueMicrotask(() => release(merchant_id)))
        const send = (shard: Store | undefined): ReturnType<Store["commit"]> =>
          shard === undefined
            ? Effect.flatMap(Effect.ensuring(restore(ready(change)), over), (store) => restore(commit(store, change)))
            : restore(commit(shard, change))

        const line = waiting.get(merchant_id)
        if (line === undefined) return send(begun(change))
        let turn: { readonly shard: Store | undefined } | undefined
        let isGone = false
        let called: () => void = () => {}
        // At once: the fiber may pause before it waits, and the line may be released meanwhile.
        line.push(() => {
          if (isGone) return
          turn = { shard: begun(change) }
          called()
        })
        const turned = Effect.callback<void>((resume) => {
          if (turn !== undefined) return resume(Effect.void)
          called = () => resume(Effect.void)
        })
        const left = Effect.suspend(() => {
          isGone = true
          return turn !== undefined && turn.shard === undefined ? over : Effect.void
        })
        return Effect.flatMap(
          Effect.onInterrupt(restore(turned), () => left),
          () => send(turn?.shard)
        )
      })
    )
}

/** Whether a store refused a Change for a reason that precedes its lookup keys. */
const isBeforeLookupKeys = (verdict: CommitResult, { unique_keys }: Change): boolean =>
  verdict._tag === "Taken"
    ? unique_keys.some(({ key, scope }) => key === verdict.key && scope === verdict.scope)
    : verdict._tag !== "Committed" && verdict._tag !== "InsufficientFunds" && verdict._tag !== "LimitReached"

/** `verdict` over the shards: a lookup key that another shard has is taken, and none is reserved. */
export const judging =
  (shards: Shards, directory: CellDirectory, lookup: Store["lookup"]): Store["trialCommit"] =>
  (change) =>
    Effect.gen(function* () {
      const shard = yield* directory.find(change.merchant_id)
      const verdict = yield* shards[shard]!.trialCommit(change)
      if (shard === 0 || isBeforeLookupKeys(verdict, change)) return yield* addTakenId(verdict, change, lookup)
      for (const { key, scope } of change.lookup_keys) {
        if (verdict._tag === "Taken" && verdict.scope === scope && verdict.key === key)
          return yield* addTakenId(verdict, change, lookup)
        const existing = yield* shards[0].lookup(scope, key)
        if (existing !== undefined && (yield* directory.find(existing.merchant_id)) !== shard)
          return yield* addTakenId({ _tag: "Taken", scope, key, owner: existing.id }, change, lookup)
      }
      return verdict
    })
