/**
 * Commits of a store with several places: each to the place of its merchant, after its lookup keys are reserved in the first
 * one.
 */
import { Effect } from "effect"
import { type Change, EMPTY, type LookupKey, type Storage, type CommitResult } from "../../../engine/ports/Storage.ts"
import type { StoreDirectory } from "./directory.ts"

type Store = Storage["Service"]

const reservation = (merchant_id: string, at: number, lookupKey: LookupKey): Change => ({
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
 * A verdict with the id for which a taken lookup key stands. The first store knows only its place: of two merchants there, one may have
 * reserved the key and the other committed it first.
 */
const named = (verdict: CommitResult, { lookup_keys }: Change, lookup: Store["lookup"]): Effect.Effect<CommitResult> =>
  verdict._tag === "Taken" && lookup_keys.some(({ key, scope }) => key === verdict.key && scope === verdict.scope)
    ? lookup(verdict.scope, verdict.key).pipe(
        Effect.map((found): CommitResult => (found === undefined ? verdict : { ...verdict, owner: found.id })),
        // It is taken, whoever has it.
        Effect.orElseSucceed(() => verdict)
      )
    : Effect.succeed(verdict)

/** `commit` over the stores. `lookup`: that of all of them. */
export const committing = (
  stores: readonly [Store, ...ReadonlyArray<Store>],
  directory: StoreDirectory,
  lookup: Store["lookup"]
): Store["commit"] => {
  const [home] = stores
  const commit = (store: Store, change: Change): ReturnType<Store["commit"]> =>
    change.lookup_keys.length === 0
      ? store.commit(change)
      : Effect.flatMap(store.commit(change), (verdict) => named(verdict, change, lookup))

  /**
   * Reserves a lookup key for the database of a Change. When another database has it, the existing entry is copied to
   * this Change's database. The commit itself then refuses the key, after every check that precedes it.
   */
  const reserve = Effect.fnUntraced(function* (change: Change, lookupKey: LookupKey, place: number) {
    const verdict = yield* home.commit(reservation(change.merchant_id, change.at, lookupKey))
    if (verdict._tag === "Committed") return
    const existing = yield* home.lookup(lookupKey.scope, lookupKey.key)
    if (existing === undefined || (yield* directory.place(existing.merchant_id)) === place) return
    const { scope, key, kind, id, merchant_id } = existing
    yield* stores[place]!.commit(reservation(merchant_id, change.at, { scope, key, kind, id }))
  })

  const ready = Effect.fnUntraced(function* (change: Change) {
    const place = yield* directory.place(change.merchant_id)
    if (place !== 0)
      yield* Effect.forEach(change.lookup_keys, (lookupKey) => reserve(change, lookupKey, place), {
        concurrency: "unbounded"
      })
    return stores[place]!
  })

  /** Merchants with a Change on its way to their database, and the later Changes that wait behind it, in order. */
  const waiting = new Map<string, Array<() => void>>()

  const release = (merchant_id: string): void => {
    const line = waiting.get(merchant_id) ?? []
    waiting.delete(merchant_id)
    for (const [n, go] of line.entries()) {
      go()
      // This Change now prepares its own database; the others stay behind it.
      const next = waiting.get(merchant_id)
      if (next !== undefined) return void next.push(...line.slice(n + 1))
    }
  }

  /** The database to which a Change may go directly. If there is none, later Changes of its merchant wait for it. */
  const begun = ({ lookup_keys, merchant_id }: Change): Store | undefined => {
    const place = directory.known(merchant_id)
    if (place === 0 || (place !== undefined && lookup_keys.length === 0)) return stores[place]
    waiting.set(merchant_id, [])
    return undefined
  }

  // An interrupted Change must release those that wait behind it, wherever the interruption happens.
  return (change) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const { merchant_id } = change
        // In the next microtask, when this Change is already in its database's queue.
        const over = Effect.sync(() => queueMicrotask(() => release(merchant_id)))
        const sent = (place: Store | undefined): ReturnType<Store["commit"]> =>
          place === undefined
            ? Effect.flatMap(Effect.ensuring(restore(ready(change)), over), (store) => restore(commit(store, change)))
            : restore(commit(place, change))

        const line = waiting.get(merchant_id)
        if (line === undefined) return sent(begun(change))
        let turn: { readonly place: Store | undefined } | undefined
        let isGone = false
        let called: () => void = () => {}
        // At once: the fiber may pause before it waits, and the line may be released meanwhile.
        line.push(() => {
          if (isGone) return
          turn = { place: begun(change) }
          called()
        })
        const turned = Effect.callback<void>((resume) => {
          if (turn !== undefined) return resume(Effect.void)
          called = () => resume(Effect.void)
        })
        const left = Effect.suspend(() => {
          isGone = true
          return turn !== undefined && turn.place === undefined ? over : Effect.void
        })
        return Effect.flatMap(
          Effect.onInterrupt(restore(turned), () => left),
          () => sent(turn?.place)
        )
      })
    )
}

/** Whether a store has decided on a Change before it came to its lookup keys. */
const isBeforeLookupKeys = (verdict: CommitResult, { unique_keys }: Change): boolean =>
  verdict._tag === "Taken"
    ? unique_keys.some(({ key, scope }) => key === verdict.key && scope === verdict.scope)
    : verdict._tag !== "Committed" && verdict._tag !== "InsufficientFunds" && verdict._tag !== "LimitReached"

/** `verdict` over the stores: a lookup key that another database has is taken, and none is reserved. */
export const judging =
  (
    stores: readonly [Store, ...ReadonlyArray<Store>],
    directory: StoreDirectory,
    lookup: Store["lookup"]
  ): Store["trialCommit"] =>
  (change) =>
    Effect.gen(function* () {
      const place = yield* directory.find(change.merchant_id)
      const verdict = yield* stores[place]!.trialCommit(change)
      if (place === 0 || isBeforeLookupKeys(verdict, change)) return yield* named(verdict, change, lookup)
      for (const { key, scope } of change.lookup_keys) {
        if (verdict._tag === "Taken" && verdict.scope === scope && verdict.key === key)
          return yield* named(verdict, change, lookup)
        const existing = yield* stores[0].lookup(scope, key)
        if (existing !== undefined && (yield* directory.find(existing.merchant_id)) !== place)
          return yield* named({ _tag: "Taken", scope, key, owner: existing.id }, change, lookup)
      }
      return verdict
    })
