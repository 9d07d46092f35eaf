/**
 * One store over several independent Postgres databases, each of which keeps some of the merchants whole.
 *
 * A Change is one merchant's, so that each is one commit of one database and nothing is ever committed in two. What knows
 * no merchant is asked of all: lists of the operator, the books, due jobs. The first database also keeps the directory
 * (`directory.ts`), the settings and the house, and says which database an alias belongs to.
 *
 * An alias of a merchant elsewhere is written in the first database before its Change is committed: a name that one
 * database has is refused in every other. If that commit is then refused or lost, the name stays with that database.
 */
import { Effect, Layer, type Scope } from "effect"
import { adapter, type StorageAdapter } from "../../engine/ports/Adapter.ts"
import { StorageFault } from "../../engine/ports/errors.ts"
import { EMPTY, type Alias, type Change, Storage } from "../../engine/ports/Storage.ts"
import { type Directory, makeDirectory } from "./directory.ts"
import { makeDue } from "./due.ts"
import { balanceOf, latestPosting, newestRow, pageOf, stillest } from "./merged.ts"
import { byAnswer, byKey } from "./sorted.ts"
import { MEMBERSHIP, type PostgresOptions, PostgresStorage } from "./postgres.ts"

type Store = Storage["Service"]

const reservation = (merchant_id: string, at: number, alias: Alias): Change => ({
  merchant_id,
  at,
  // A repeat is told by the alias that is there: the key need not outlive the commit.
  once: { key: `alias/${alias.scope}/${alias.key}`, fingerprint: "", response: null, expires_at: at + 1 },
  ...EMPTY,
  aliases: [alias]
})

const everywhere = <A>(stores: ReadonlyArray<Store>, ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
  Effect.forEach(stores, ask, { concurrency: "unbounded" })

/**
 * What one of the stores has, whoever has it: the first to have it answers for all, whether or not the others answer.
 *
 * Errors: `StorageFault` when none of those that answered has it, and one did not answer: it may have it.
 */
const anywhere = <A>(
  stores: ReadonlyArray<Store>,
  ask: (store: Store, n: number) => Effect.Effect<A | undefined, StorageFault>
): Effect.Effect<A | undefined, StorageFault> => {
  let fault: StorageFault | undefined
  const looked = Effect.forEach(
    stores,
    (store, n) =>
      Effect.matchEffect(ask(store, n), {
        // What is found ends the search as a failure would.
        onSuccess: (found) => (found === undefined ? Effect.void : Effect.fail({ found })),
        onFailure: (failure) =>
          Effect.sync(() => {
            const message = `database ${n + 1} of ${stores.length} does not answer, and what is asked for may be there: ${failure.message}`
            fault ??= new StorageFault({ message, retryable: failure.retryable, cause: failure })
          })
      }),
    { concurrency: "unbounded", discard: true }
  )
  return Effect.matchEffect(looked, {
    onFailure: ({ found }) => Effect.succeed<A | undefined>(found),
    onSuccess: () => (fault === undefined ? Effect.undefined : Effect.fail(fault))
  })
}

/** What is asked of all stores, or of the first. */
const global = (
  stores: readonly [Store, ...ReadonlyArray<Store>]
): Pick<
  Store,
  | "find"
  | "claim"
  | "nextDue"
  | "entries"
  | "trialBalance"
  | "idle"
  | "forget"
  | "setting"
  | "define"
  | "assign"
  | "clocks"
  | "rowsHolding"
  | "responsesHolding"
  | "ping"
  | "watch"
> => {
  const [home] = stores
  const hints = new Set<() => void>()
  let swept = 0
  return {
    find: (kind, id) => Effect.suspend(() => anywhere(stores, (store) => store.find(kind, id))),
    ...makeDue(stores, () => hints.forEach((hint) => hint())),
    entries: (account, offset, limit) =>
      Effect.map(
        everywhere(stores, (store) => store.entries(account, 0, offset + limit)),
        (pages) => pageOf(pages, latestPosting, offset, limit)
      ),
    trialBalance: Effect.map(
      everywhere(stores, (store) => store.trialBalance),
      balanceOf
    ),
    idle: (query) =>
      Effect.map(
        everywhere(stores, (store) => store.idle({ ...query, offset: 0, limit: query.offset + query.limit })),
        (pages) => pageOf(pages, stillest, query.offset, query.limit)
      ),
    forget: Effect.fnUntraced(function* (query) {
      const from = swept++
      let gone = 0
      let fault: StorageFault | undefined
      for (let n = 0; n < stores.length && gone < query.limit; n++) {
        const store = stores[(from + n) % stores.length]!
        const swept = yield* Effect.result(store.forget({ ...query, limit: query.limit - gone }))
        if (swept._tag === "Success") gone += swept.success
        else fault ??= swept.failure
      }
      if (gone === 0 && fault !== undefined) return yield* fault
      return gone
    }),
    rowsHolding: (text, after, limit) =>
      Effect.map(
        everywhere(stores, (store) => store.rowsHolding(text, after, limit)),
        (found) => found.flat().sort(byKey).slice(0, limit)
      ),
    responsesHolding: (text, after, limit) =>
      Effect.map(
        everywhere(stores, (store) => store.responsesHolding(text, after, limit)),
        (found) => found.flat().sort(byAnswer).slice(0, limit)
      ),
    setting: home.setting,
    define: home.define,
    assign: home.assign,
    ping: Effect.asVoid(everywhere(stores, (store) => store.ping)),
    watch: (hint): Effect.Effect<void, StorageFault, Scope.Scope> =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => hints.add(hint)),
          () => Effect.sync(() => hints.delete(hint))
        ),
        Effect.forEach(stores, (store) => store.watch(hint), { concurrency: "unbounded", discard: true })
      )
  }
}

const committing = (stores: readonly [Store, ...ReadonlyArray<Store>], directory: Directory): Store["commit"] => {
  const [home] = stores

  /**
   * Makes sure that the database of a Change may have an alias. Where it may not, the alias that stands is written there
   * too, as it is in the first: the commit then refuses it itself, after all that comes before a taken name.
   */
  const reserve = Effect.fnUntraced(function* (change: Change, alias: Alias, place: number) {
    const verdict = yield* home.commit(reservation(change.merchant_id, change.at, alias))
    if (verdict._tag === "Committed") return
    const stands = yield* home.alias(alias.scope, alias.key)
    if (stands === undefined || (yield* directory.place(stands.merchant_id)) === place) return
    const { scope, key, kind, id, merchant_id } = stands
    yield* stores[place]!.commit(reservation(merchant_id, change.at, { scope, key, kind, id }))
  })

  const ready = Effect.fnUntraced(function* (change: Change) {
    const place = yield* directory.place(change.merchant_id)
    if (place !== 0)
      yield* Effect.forEach(change.aliases, (alias) => reserve(change, alias, place), { concurrency: "unbounded" })
    return stores[place]!
  })

  /** Merchants with a Change on its way to their database, and what was sent after it: nothing overtakes. */
  const waiting = new Map<string, Array<() => void>>()

  const release = (merchant_id: string): void => {
    const line = waiting.get(merchant_id) ?? []
    waiting.delete(merchant_id)
    for (const [n, go] of line.entries()) {
      go()
      // One of them is on its way itself, and the others stay behind it.
      const next = waiting.get(merchant_id)
      if (next !== undefined) return void next.push(...line.slice(n + 1))
    }
  }

  /** The database that a Change may go to as it is; where there is none, those of its merchant wait for it from now on. */
  const begun = ({ aliases, merchant_id }: Change): Store | undefined => {
    const place = directory.known(merchant_id)
    if (place === 0 || (place !== undefined && aliases.length === 0)) return stores[place]
    waiting.set(merchant_id, [])
    return undefined
  }

  // Whoever is waited for says when that is over, wherever it is interrupted.
  return (change) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const { merchant_id } = change
        // In the next microtask, when this one stands in its database's line.
        const over = Effect.sync(() => queueMicrotask(() => release(merchant_id)))
        const sent = (place: Store | undefined): ReturnType<Store["commit"]> =>
          place === undefined
            ? Effect.flatMap(Effect.ensuring(restore(ready(change)), over), (store) => restore(store.commit(change)))
            : restore(place.commit(change))

        const line = waiting.get(merchant_id)
        if (line === undefined) return sent(begun(change))
        let turn: { readonly place: Store | undefined } | undefined
        let isGone = false
        const called = Effect.callback<void>((resume) => {
          line.push(() => {
            if (isGone) return
            turn = { place: begun(change) }
            resume(Effect.void)
          })
        })
        const left = Effect.suspend(() => {
          isGone = true
          return turn !== undefined && turn.place === undefined ? over : Effect.void
        })
        return Effect.flatMap(
          Effect.onInterrupt(restore(called), () => left),
          () => sent(turn?.place)
        )
      })
    )
}

/** The stores as one; the first keeps what belongs to no merchant. */
export const sharded = (stores: readonly [Store, ...ReadonlyArray<Store>]): Store => {
  const directory = makeDirectory(stores)
  /** A method of a merchant's own store. */
  const own = <A>(merchant_id: string, ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
    Effect.flatMap(directory.find(merchant_id), (place) => ask(stores[place]!))

  const everyones = global(stores)
  return {
    ...everyones,
    commit: committing(stores, directory),
    idle: (query) =>
      query.merchant_id === undefined ? everyones.idle(query) : own(query.merchant_id, (store) => store.idle(query)),
    claim: (query) =>
      query.merchant_id === undefined ? everyones.claim(query) : own(query.merchant_id, (store) => store.claim(query)),
    get: Effect.fnUntraced(function* (keys) {
      const merchants = [...new Set(keys.map(({ merchant_id }) => merchant_id))]
      if (merchants.length === 0) return []
      if (merchants.length === 1) return yield* own(merchants[0]!, (store) => store.get(keys))
      const found = yield* Effect.forEach(keys, (key) => own(key.merchant_id, (store) => store.get([key])), {
        concurrency: "unbounded"
      })
      return found.flat()
    }),
    list: (query) =>
      query.merchant_id === undefined
        ? Effect.map(
            everywhere(stores, (store) => store.list({ ...query, offset: 0, limit: query.offset + query.limit })),
            (pages) => pageOf(pages, newestRow, query.offset, query.limit)
          )
        : own(query.merchant_id, (store) => store.list(query)),
    descendants: (merchant_id, roots) => own(merchant_id, (store) => store.descendants(merchant_id, roots)),
    accounts: (merchant_id, accounts) => own(merchant_id, (store) => store.accounts(merchant_id, accounts)),
    applied: (merchant_id, key, now) => own(merchant_id, (store) => store.applied(merchant_id, key, now)),
    claimed: (merchant_id, scope, key) => own(merchant_id, (store) => store.claimed(merchant_id, scope, key)),
    alias: Effect.fnUntraced(function* (scope, key) {
      const first = yield* Effect.result(stores[0].alias(scope, key))
      if (first._tag === "Failure") {
        // Each alias stands in its merchant's own database too. Where it is nowhere else, the first may have it.
        const found = yield* Effect.suspend(() => anywhere(stores.slice(1), (store) => store.alias(scope, key)))
        if (found === undefined) return yield* first.failure
        return yield* own(found.merchant_id, (store) => store.alias(scope, key))
      }
      const stands = first.success
      if (stands === undefined) return undefined
      const place = yield* directory.find(stands.merchant_id)
      return place === 0 ? stands : yield* stores[place]!.alias(scope, key)
    }),
    event: (merchant_id, id) => own(merchant_id, (store) => store.event(merchant_id, id)),
    events: (query) => own(query.merchant_id, (store) => store.events(query)),
    feed: (merchant_id, after, limit) => own(merchant_id, (store) => store.feed(merchant_id, after, limit)),
    job: (merchant_id, id) => own(merchant_id, (store) => store.job(merchant_id, id)),
    jobs: (query) => own(query.merchant_id, (store) => store.jobs(query)),
    history: (merchant_id, resource_id) => own(merchant_id, (store) => store.history(merchant_id, resource_id)),
    replaceResponse: (merchant_id, key, from, to) =>
      own(merchant_id, (store) => store.replaceResponse(merchant_id, key, from, to)),
    take: (bucket) => own(bucket.merchant_id, (store) => store.take(bucket))
  }
}

/**
 * Records in each database which one of which set it is, or finds that recorded.
 *
 * Errors: `StorageFault` when a database is another one than the set had at its place, or, new to the set and not its first,
 * has merchants of its own already.
 */
const joined = Effect.fnUntraced(function* (stores: ReadonlyArray<Store>, named: string) {
  const count = stores.length
  const refuse = (n: number, what: string) =>
    new StorageFault({
      message: `database ${n + 1} of ${count} ${what}; the set of databases and their order never change`,
      retryable: false
    })
  const recorded = yield* Effect.forEach(stores, (store) => store.setting(MEMBERSHIP))
  for (const [n, membership] of recorded.entries()) {
    if (membership !== undefined) {
      const [place, of] = membership.split("/")
      if (place !== `${n + 1}` || of !== `${count}`) return yield* refuse(n, `was database ${place} of ${of}`)
      if (recorded[0]?.split("/")[2] !== membership.split("/")[2]) return yield* refuse(n, "is of another set")
    } else if (n > 0) {
      const { total } = yield* stores[n]!.list({ kinds: ["merchant"], facets: [], offset: 0, limit: 1 })
      if (total > 0) return yield* refuse(n, "is no part of the set and keeps merchants already")
    }
  }
  // The first is recorded first: of nodes that start at once, its record names the set for all.
  let set = named
  for (const [n, store] of stores.entries()) {
    const stands = yield* store.define(MEMBERSHIP, `${n + 1}/${count}/${set}`)
    if (n === 0) set = stands.split("/")[2]!
    if (stands !== `${n + 1}/${count}/${set}`) return yield* refuse(n, `is recorded as ${stands}`)
  }
})

export interface ShardedOptions extends Omit<PostgresOptions, "url"> {
  /** Of the databases, in their order: the first keeps the directory. At least two, each its own. */
  readonly urls: readonly [string, string, ...ReadonlyArray<string>]
}

export const ShardedStorage = {
  /**
   * A store over several databases. Any number of nodes may share it.
   *
   * Errors: `StorageFault` when one of them cannot be reached or migrated, or is not the one that the set had there.
   */
  layer: ({ urls, ...options }: ShardedOptions): Layer.Layer<Storage, StorageFault> =>
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        const stores = yield* Effect.forEach(urls, (url) => PostgresStorage.member({ ...options, url }), {
          concurrency: "unbounded"
        })
        yield* joined(stores, crypto.randomUUID())
        return sharded(stores as [Store, ...Array<Store>])
      })
    )
}

/** Several Postgres databases as one store, shared by any number of nodes. */
export const shardedStorage = (options: ShardedOptions): StorageAdapter =>
  adapter("storage", ShardedStorage.layer(options))
