/**
 * One store over several independent Postgres databases. Each database holds some of the merchants whole.
 *
 * A Change belongs to one merchant, so that each is one commit in one database, and no transaction spans two. Queries
 * without a merchant go to all databases: operator lists, ledger reports, due jobs. The first database also holds the
 * directory (`directory.ts`), the settings and the platform merchant, and records the database of each lookup key.
 *
 * A lookup key of a merchant in another database is written to the first database before its Change is committed, so
 * that a key taken in one database is refused in every other. If that commit is then refused or lost, the key stays
 * reserved for that database.
 */
import { Effect, Layer, type Scope } from "effect"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type StorageAdapter } from "../../engine/ports/adapter.ts"
import { StorageFault } from "../../engine/ports/errors.ts"
import { type StoredPage, Storage } from "../../engine/ports/Storage.ts"
import { newestMatches } from "../../engine/ports/storage-reads.ts"
import { type StoreDirectory, makeDirectory, type Places } from "./sharded/directory.ts"
import { makeDue } from "./sql/due.ts"
import { committing, judging } from "./sharded/commits.ts"
import { balanceOf, byAccount, latestPosting, newestRow, pageOf, stillest } from "./merged.ts"
import { makeGauges } from "./sharded/gauges.ts"
import { byAnswer, byKey } from "./sorted.ts"
import { checkUrl, MEMBERSHIP, type PostgresOptions, PostgresStorage, serverTakes } from "./postgres.ts"

type Store = Storage["Service"]

const everywhere = <A>(stores: ReadonlyArray<Store>, ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
  Effect.forEach(stores, ask, { concurrency: "unbounded" })

/** A page of what all stores have, in one order. */
const pagedEverywhere = <A, Q extends { readonly offset: number; readonly limit: number }>(
  stores: ReadonlyArray<Store>,
  query: Q,
  order: (a: A, b: A) => number,
  ask: (store: Store, query: Q) => Effect.Effect<StoredPage<A>, StorageFault>
) => {
  const { limit, offset } = query
  return everywhere(stores, (store) => ask(store, { ...query, offset: 0, limit: offset + limit })).pipe(
    Effect.map((pages) => pageOf(pages, order, offset, limit))
  )
}

/**
 * Finds a value in any of the stores. The first store that has it decides, whether or not the others respond.
 *
 * Errors: `StorageFault` when no store has it and one did not respond, because that one may have it.
 */
const anywhere = <A>(
  stores: ReadonlyArray<Store>,
  name: Places["name"],
  ask: (store: Store, n: number) => Effect.Effect<A | undefined, StorageFault>
): Effect.Effect<A | undefined, StorageFault> => {
  let fault: StorageFault | undefined
  const looked = Effect.forEach(
    stores,
    (store, n) =>
      Effect.matchEffect(ask(store, n), {
        // Finding it ends the search, as a failure would.
        onSuccess: (found) => (found === undefined ? Effect.void : Effect.fail({ found })),
        onFailure: (failure) =>
          Effect.sync(() => {
            const message = `${name(n)} does not respond, and may hold the requested data: ${failure.message}`
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

/** The methods that ask all stores, or the first one. */
const global = (stores: readonly [Store, ...ReadonlyArray<Store>], directory: StoreDirectory, name: Places["name"]) => {
  const [home] = stores
  /** Asks the database of a query's merchant, or all. */
  const wherever = <A>(
    { merchant_id }: { readonly merchant_id?: string },
    ask: (store: Store) => Effect.Effect<ReadonlyArray<A>, StorageFault>
  ) =>
    merchant_id === undefined
      ? Effect.map(everywhere(stores, ask), (found) => found.flat())
      : Effect.flatMap(directory.find(merchant_id), (place) => ask(stores[place]!))
  const hints = new Set<() => void>()
  let swept = 0
  return {
    find: (kind, id) => Effect.suspend(() => anywhere(stores, name, (store) => store.find(kind, id))),
    findEvent: (id) => Effect.suspend(() => anywhere(stores, name, (store) => store.findEvent(id))),
    matches: (query) =>
      Effect.map(
        wherever(query, (store) => store.matches(query)),
        (found) => newestMatches(found, query)
      ),
    measures: (query) => wherever(query, (store) => store.measures(query)),
    reindex: (rows) =>
      Effect.gen(function* () {
        const places = yield* Effect.forEach(rows, ({ merchant_id }) => directory.find(merchant_id))
        const done = yield* Effect.forEach(stores, (store, n) => {
          const own = rows.filter((_, i) => places[i] === n)
          return own.length === 0 ? Effect.succeed(0) : store.reindex(own)
        })
        return done.reduce((sum, count) => sum + count, 0)
      }),
    ...makeDue(stores, name, () => hints.forEach((hint) => hint())),
    idsBeginning: (prefixes, limit) =>
      everywhere(stores, (store) => store.idsBeginning(prefixes, limit)).pipe(Effect.map((found) => found.flat())),
    postingsOf: (account, resources) =>
      Effect.gen(function* () {
        const places = yield* Effect.forEach(resources, ({ merchant_id }) => directory.find(merchant_id))
        const asked = [...new Set(places)].map((place) =>
          stores[place]!.postingsOf(
            account,
            resources.filter((_, i) => places[i] === place)
          )
        )
        return (yield* Effect.all(asked, { concurrency: "unbounded" })).flat()
      }),
    entries: (account, offset, limit) =>
      pagedEverywhere(stores, { offset, limit }, latestPosting, (store, page) =>
        store.entries(account, page.offset, page.limit)
      ),
    balances: (query) => pagedEverywhere(stores, query, byAccount, (store, page) => store.balances(page)),
    trialBalance: everywhere(stores, (store) => store.trialBalance).pipe(Effect.map(balanceOf)),
    idle: (query) => pagedEverywhere(stores, query, stillest, (store, page) => store.idle(page)),
    ...makeGauges(stores),
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
      everywhere(stores, (store) => store.rowsHolding(text, after, limit)).pipe(
        Effect.map((found) => found.flat().sort(byKey).slice(0, limit))
      ),
    responsesHolding: (text, after, limit) =>
      everywhere(stores, (store) => store.responsesHolding(text, after, limit)).pipe(
        Effect.map((found) => found.flat().sort(byAnswer).slice(0, limit))
      ),
    setting: home.setting,
    define: home.define,
    assign: home.assign,
    recordIdentities: (how) => Effect.asVoid(everywhere(stores, (store) => store.recordIdentities(how))),
    ping: Effect.asVoid(everywhere(stores, (store) => store.ping)),
    watch: (hint): Effect.Effect<void, StorageFault, Scope.Scope> =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => hints.add(hint)),
          () => Effect.sync(() => hints.delete(hint))
        ),
        Effect.forEach(stores, (store) => store.watch(hint), { concurrency: "unbounded", discard: true })
      )
  } satisfies Partial<Store>
}

/** The databases of a set. */
const databases = (count: number): Places => ({ from: 0, name: (place) => `database ${place + 1} of ${count}` })

/** The stores as one. The first holds what belongs to no merchant. */
export const sharded = (
  stores: readonly [Store, ...ReadonlyArray<Store>],
  places: Places = databases(stores.length)
): Store => {
  const directory = makeDirectory(stores, places)
  /** Calls a method of the store that holds a merchant. */
  const own = <A>(merchant_id: string, ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
    Effect.flatMap(directory.find(merchant_id), (place) => ask(stores[place]!))

  const lookup: Store["lookup"] = Effect.fnUntraced(function* (scope, key) {
    const first = yield* Effect.result(stores[0].lookup(scope, key))
    if (first._tag === "Failure") {
      // Each lookup key is also in its merchant's database. If no other database has it, the first one may.
      const found = yield* Effect.suspend(() =>
        anywhere(
          stores.slice(1),
          (n) => places.name(n + 1),
          (store) => store.lookup(scope, key)
        )
      )
      if (found === undefined) return yield* first.failure
      return yield* own(found.merchant_id, (store) => store.lookup(scope, key))
    }
    const existing = first.success
    if (existing === undefined) return undefined
    const place = yield* directory.find(existing.merchant_id)
    return place === 0 ? existing : yield* stores[place]!.lookup(scope, key)
  })

  const everyones = global(stores, directory, places.name)
  return {
    ...everyones,
    commit: committing(stores, directory, lookup),
    trialCommit: judging(stores, directory, lookup),
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
        ? pagedEverywhere(stores, query, newestRow, (store, page) => store.list(page))
        : own(query.merchant_id, (store) => store.list(query)),
    descendants: (merchant_id, roots) => own(merchant_id, (store) => store.descendants(merchant_id, roots)),
    accounts: (merchant_id, accounts) => own(merchant_id, (store) => store.accounts(merchant_id, accounts)),
    counters: (merchant_id, keys) => own(merchant_id, (store) => store.counters(merchant_id, keys)),
    places: stores.length,
    idempotencyRecord: (merchant_id, key, now) =>
      own(merchant_id, (store) => store.idempotencyRecord(merchant_id, key, now)),
    uniqueKeyOwner: (merchant_id, scope, key) =>
      own(merchant_id, (store) => store.uniqueKeyOwner(merchant_id, scope, key)),
    lookup,
    event: (merchant_id, id) => own(merchant_id, (store) => store.event(merchant_id, id)),
    events: (query) => own(query.merchant_id, (store) => store.events(query)),
    feed: (merchant_id, after, limit) => own(merchant_id, (store) => store.feed(merchant_id, after, limit)),
    job: (merchant_id, id) => own(merchant_id, (store) => store.job(merchant_id, id)),
    jobs: (query) => own(query.merchant_id, (store) => store.jobs(query)),
    jobsBeginning: (merchant_id, prefixes, limit) =>
      own(merchant_id, (store) => store.jobsBeginning(merchant_id, prefixes, limit)),
    history: (merchant_id, resource_id) => own(merchant_id, (store) => store.history(merchant_id, resource_id)),
    owned: (query) => own(query.merchant_id, (store) => store.owned(query)),
    replaceResponse: (merchant_id, key, from, to) =>
      own(merchant_id, (store) => store.replaceResponse(merchant_id, key, from, to)),
    take: (bucket) => own(bucket.merchant_id, (store) => store.take(bucket))
  }
}

/** The setting of the first database that names the set once all of it are recorded: no database is new to it from then on. */
const COMPLETE = "databases_recorded"

/**
 * Records in each database its place in the set, or checks the recorded place.
 *
 * Errors: `StorageFault` when a database is not the one that the set had at its place, be it an empty one; or when a database
 * that is new to the set, and not its first, already has merchants.
 */
const joined = Effect.fnUntraced(function* (stores: ReadonlyArray<Store>, named: string) {
  const count = stores.length
  const refuse = (n: number, what: string) =>
    new StorageFault({
      message: `database ${n + 1} of ${count} ${what}; the set of databases and their order never change`,
      retryable: false
    })
  // Before what is recorded: another node may be recording it.
  const complete = yield* stores[0]!.setting(COMPLETE)
  const recorded = yield* Effect.forEach(stores, (store) => store.setting(MEMBERSHIP))
  for (const [n, membership] of recorded.entries()) {
    if (membership !== undefined) {
      const [place, size] = membership.split("/")
      if (place?.startsWith("cell") === true) return yield* refuse(n, "has cells")
      if (place !== `${n + 1}` || size !== `${count}`) return yield* refuse(n, `was database ${place} of ${size}`)
      if (recorded[0]?.split("/")[2] !== membership.split("/")[2]) return yield* refuse(n, "belongs to another set")
    } else if (n > 0) {
      if (complete !== undefined) return yield* refuse(n, "is not the one that it was")
      const { total } = yield* stores[n]!.list({ kinds: ["merchant"], index_keys: [], offset: 0, limit: 1 })
      if (total > 0) return yield* refuse(n, "is not part of the set but already has merchants")
    }
  }
  // The first database is recorded first: when several nodes start at once, its record names the set for all.
  let set = named
  for (const [n, store] of stores.entries()) {
    const membership = yield* store.define(MEMBERSHIP, `${n + 1}/${count}/${set}`)
    if (n === 0) set = membership.split("/")[2]!
    if (membership !== `${n + 1}/${count}/${set}`) return yield* refuse(n, `is recorded as ${membership}`)
  }
  yield* stores[0]!.define(COMPLETE, set)
})

export interface ShardedOptions extends Omit<PostgresOptions, "url"> {
  /** The databases, in order: the first holds the directory. At least two, all different. */
  readonly urls: readonly [string, string, ...ReadonlyArray<string>]
}

export const ShardedStorage = {
  /**
   * A store over several databases. Any number of nodes may share it.
   *
   * Errors: `StorageFault` when a database cannot be reached or migrated, or is not the one that the set had at its
   * place.
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

/**
 * Several Postgres databases as one store, shared by any number of nodes.
 *
 * Errors: throws `TypeError` for an option that it does not have.
 */
export const shardedStorage = (options: ShardedOptions): StorageAdapter => {
  checkOptions("shardedStorage", options, { urls: "object", ...serverTakes })
  options.urls.forEach((url, at) => checkUrl(`shardedStorage: urls[${at}]`, url))
  return adapter("storage", ShardedStorage.layer(options))
}
