/**
 * One store over the schemas of one database, its *shards*: that of the directory, and the cells. Each holds some of the merchants whole.
 *
 * A Change belongs to one merchant, so that each is one commit in one schema. Queries without a merchant go to all schemas: operator
 * lists, ledger reports, due jobs. The schema of the directory (`directory.ts`) also holds the settings and the platform
 * merchant, and records the cell of each lookup key. On Citus, the cells of a server that is away do not delay the others.
 *
 * A lookup key of a merchant in a cell is written to the schema of the directory before its Change is committed, so that a key taken
 * in one cell is refused in every other. If that commit is then refused or lost, the key stays reserved for that cell.
 */
import { Effect, type Scope } from "effect"
import { StorageFault } from "../../../engine/ports/errors.ts"
import type { StoredPage, Storage } from "../../../engine/ports/Storage.ts"
import { newestMatches } from "../../../engine/ports/storage-reads.ts"
import { byAccount, byAnswer, byKey, stillest } from "../sorted.ts"
import { committing, judging } from "./commits.ts"
import { type CellDirectory, makeDirectory, type Shards, shardName } from "./directory.ts"
import { makeDue } from "./due.ts"
import { backlogOf, balanceOf, latestPosting, newestRow, pageOf, platformBalancesOf } from "./merge.ts"

type Store = Storage["Service"]

const everywhere = <A>(shards: ReadonlyArray<Store>, ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
  Effect.forEach(shards, ask, { concurrency: "unbounded" })

/** A page of what all shards have, in one order. */
const pagedEverywhere = <A, Q extends { readonly offset: number; readonly limit: number }>(
  shards: ReadonlyArray<Store>,
  query: Q,
  order: (a: A, b: A) => number,
  ask: (store: Store, query: Q) => Effect.Effect<StoredPage<A>, StorageFault>
) => {
  const { limit, offset } = query
  return everywhere(shards, (store) => ask(store, { ...query, offset: 0, limit: offset + limit })).pipe(
    Effect.map((pages) => pageOf(pages, order, offset, limit))
  )
}

/**
 * Finds a value in any of the shards. The first that has it decides, whether or not the others respond.
 *
 * Errors: `StorageFault` when none has it and one did not respond, because that one may have it.
 */
const anywhere = <A>(
  shards: Shards,
  ask: (store: Store) => Effect.Effect<A | undefined, StorageFault>
): Effect.Effect<A | undefined, StorageFault> => {
  let fault: StorageFault | undefined
  const looked = Effect.forEach(
    shards,
    (store, n) =>
      Effect.matchEffect(ask(store), {
        // Finding it ends the search, as a failure would.
        onSuccess: (found) => (found === undefined ? Effect.void : Effect.fail({ found })),
        onFailure: (failure) =>
          Effect.sync(() => {
            const message = `${shardName(n, shards.length)} does not respond, and may hold the requested data: ${failure.message}`
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

/** The methods that ask all shards, or the schema of the directory. */
const global = (shards: Shards, directory: CellDirectory) => {
  const [home] = shards
  /** Asks the shard of a query's merchant, or all. */
  const wherever = <A>(
    { merchant_id }: { readonly merchant_id?: string },
    ask: (store: Store) => Effect.Effect<ReadonlyArray<A>, StorageFault>
  ) =>
    merchant_id === undefined
      ? Effect.map(everywhere(shards, ask), (found) => found.flat())
      : Effect.flatMap(directory.find(merchant_id), (shard) => ask(shards[shard]!))
  const hints = new Set<() => void>()
  let swept = 0
  return {
    find: (kind, id) => Effect.suspend(() => anywhere(shards, (store) => store.find(kind, id))),
    findEvent: (id) => Effect.suspend(() => anywhere(shards, (store) => store.findEvent(id))),
    matches: (query) =>
      Effect.map(
        wherever(query, (store) => store.matches(query)),
        (found) => newestMatches(found, query)
      ),
    measures: (query) => wherever(query, (store) => store.measures(query)),
    reindex: (rows) =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(rows, ({ merchant_id }) => directory.find(merchant_id))
        const done = yield* Effect.forEach(shards, (store, n) => {
          const own = rows.filter((_, i) => found[i] === n)
          return own.length === 0 ? Effect.succeed(0) : store.reindex(own)
        })
        return done.reduce((sum, count) => sum + count, 0)
      }),
    ...makeDue(shards, () => hints.forEach((hint) => hint())),
    idsBeginning: (prefixes, limit) =>
      everywhere(shards, (store) => store.idsBeginning(prefixes, limit)).pipe(Effect.map((found) => found.flat())),
    postingsOf: (account, resources) =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(resources, ({ merchant_id }) => directory.find(merchant_id))
        const asked = [...new Set(found)].map((shard) =>
          shards[shard]!.postingsOf(
            account,
            resources.filter((_, i) => found[i] === shard)
          )
        )
        return (yield* Effect.all(asked, { concurrency: "unbounded" })).flat()
      }),
    entries: (account, offset, limit) =>
      pagedEverywhere(shards, { offset, limit }, latestPosting, (store, page) =>
        store.entries(account, page.offset, page.limit)
      ),
    balances: (query) => pagedEverywhere(shards, query, byAccount, (store, page) => store.balances(page)),
    trialBalance: everywhere(shards, (store) => store.trialBalance).pipe(Effect.map(balanceOf)),
    idle: (query) => pagedEverywhere(shards, query, stillest, (store, page) => store.idle(page)),
    stalled: (query) => everywhere(shards, (store) => store.stalled(query)).pipe(Effect.map((found) => found.flat())),
    backlog: (query) =>
      everywhere(shards, (store) => store.backlog(query)).pipe(Effect.map((found) => backlogOf(found, query.limit))),
    platformBalances: (classes) =>
      everywhere(shards, (store) => store.platformBalances(classes)).pipe(
        Effect.map((found) => platformBalancesOf(found.flat()))
      ),
    forget: Effect.fnUntraced(function* (query) {
      const from = swept++
      let gone = 0
      let fault: StorageFault | undefined
      for (let n = 0; n < shards.length && gone < query.limit; n++) {
        const store = shards[(from + n) % shards.length]!
        const swept = yield* Effect.result(store.forget({ ...query, limit: query.limit - gone }))
        if (swept._tag === "Success") gone += swept.success
        else fault ??= swept.failure
      }
      if (gone === 0 && fault !== undefined) return yield* fault
      return gone
    }),
    rowsHolding: (text, after, limit) =>
      everywhere(shards, (store) => store.rowsHolding(text, after, limit)).pipe(
        Effect.map((found) => found.flat().sort(byKey).slice(0, limit))
      ),
    responsesHolding: (text, after, limit) =>
      everywhere(shards, (store) => store.responsesHolding(text, after, limit)).pipe(
        Effect.map((found) => found.flat().sort(byAnswer).slice(0, limit))
      ),
    setting: home.setting,
    define: home.define,
    assign: home.assign,
    // It is one database. Where a copy is made, or Citus moves a cell, the schema of the directory tells a copy.
    clock: home.clock,
    identity: home.identity,
    recordIdentity: home.recordIdentity,
    ping: Effect.asVoid(everywhere(shards, (store) => store.ping)),
    watch: (hint): Effect.Effect<void, StorageFault, Scope.Scope> =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => hints.add(hint)),
          () => Effect.sync(() => hints.delete(hint))
        ),
        // It hears of the jobs of all cells.
        home.watch(hint)
      )
  } satisfies Partial<Store>
}

/** The shards as one store. The first is the schema of the directory; the others are the cells. */
export const makeCellsStore = (shards: Shards): Store => {
  const directory = makeDirectory(shards)
  /** Calls a method of the shard that holds a merchant. */
  const own = <A>(merchant_id: string, ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
    Effect.flatMap(directory.find(merchant_id), (shard) => ask(shards[shard]!))

  const lookup: Store["lookup"] = Effect.fnUntraced(function* (scope, key) {
    const existing = yield* shards[0].lookup(scope, key)
    if (existing === undefined) return undefined
    const shard = yield* directory.find(existing.merchant_id)
    return shard === 0 ? existing : yield* shards[shard]!.lookup(scope, key)
  })

  const everyones = global(shards, directory)
  return {
    ...everyones,
    commit: committing(shards, directory, lookup),
    trialCommit: judging(shards, directory, lookup),
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
        ? pagedEverywhere(shards, query, newestRow, (store, page) => store.list(page))
        : own(query.merchant_id, (store) => store.list(query)),
    descendants: (merchant_id, roots) => own(merchant_id, (store) => store.descendants(merchant_id, roots)),
    accounts: (merchant_id, accounts) => own(merchant_id, (store) => store.accounts(merchant_id, accounts)),
    counters: (merchant_id, keys) => own(merchant_id, (store) => store.counters(merchant_id, keys)),
    shards: shards.length,
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
