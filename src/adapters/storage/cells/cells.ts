/**
 * One store over several schemas of one Postgres database: *cells*, each of which holds some of the merchants whole.
 *
 * The schema of the connections' search path holds the directory, the settings and the platform merchant, and the merchants
 * of a store that had no cells before. New merchants are assigned to the cells: the schemas `corridor_1` to `corridor_<cells>`.
 * A commit is one statement in one schema. All cells share the connections in turns, and batches gather until their turn.
 * `store.ts` makes them one store. Where the database has Citus, it places the cells on its nodes (`citus.ts`).
 */
import { Effect, Layer, type Scope } from "effect"
import { checkOptions } from "../../../engine/input/options.ts"
import { cellsMax, Storage, type StoredPage } from "../../../engine/ports/Storage.ts"
import { adapter, type StorageAdapter } from "../../../engine/ports/adapter.ts"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { cutMatches } from "../../../engine/ports/storage-reads.ts"
import { compareBalances, compareAnswers, compareKeys, compareIdleTimes } from "../change.ts"
import {
  checkUrl,
  describeMembership,
  MEMBERSHIP,
  type PostgresOptions,
  PostgresStorage,
  serverTakes
} from "../postgres.ts"
import { type SqlRow, toFault } from "../sql/driver.ts"
import { isCitusText } from "./citus.ts"
import { type CellDirectory, makeShardedCommit, judging, makeDirectory, describeShard, type Shards } from "./commits.ts"
import { makeJobMethods } from "./due.ts"
import {
  mergeBacklogs,
  mergeTrialBalances,
  compareLatestPosting,
  mergePages,
  compareNewestRow,
  mergePlatformBalances
} from "./merge.ts"

// One store over the schemas of one database, its *shards*: that of the directory, and the cells. Each holds some of the merchants whole.
//
// A Change belongs to one merchant, so that each is one commit in one schema. Queries without a merchant go to all schemas: operator
// lists, ledger reports, due jobs. The schema of the directory (`directory.ts`) also holds the settings and the platform
// merchant, and records the cell of each lookup key. On Citus, the cells of a server that is away do not delay the others.
//
// A lookup key of a merchant in a cell is written to the schema of the directory before its Change is committed, so that a key taken
// in one cell is refused in every other. If that commit is then refused or lost, the key stays reserved for that cell.

const askAllShards = <A>(shards: ReadonlyArray<Store>, ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
  Effect.forEach(shards, ask, { concurrency: "unbounded" })

/** Reads a page from all shards, merged in one order. */
const readMergedPage = <A, Q extends { readonly offset: number; readonly limit: number }>(
  shards: ReadonlyArray<Store>,
  query: Q,
  order: (a: A, b: A) => number,
  ask: (store: Store, query: Q) => Effect.Effect<StoredPage<A>, StorageFault>
) => {
  const { limit, offset } = query
  return askAllShards(shards, (store) => ask(store, { ...query, offset: 0, limit: offset + limit })).pipe(
    Effect.map((pages) => mergePages(pages, order, offset, limit))
  )
}

/**
 * Finds a value in any of the shards. The first shard that has it decides, whether or not the others respond.
 *
 * Errors: `StorageFault` when none has it and one did not respond, because that one may have it.
 */
const findInShards = <A>(
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
            const message = `${describeShard(n, shards.length)} does not respond, and may hold the requested data: ${failure.message}`
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

/** Makes the methods of the store that ask all shards, or the schema of the directory. */
const makeGlobalMethods = (shards: Shards, directory: CellDirectory) => {
  const [home] = shards
  /** Asks the shard of a query's merchant, or all. */
  const wherever = <A>(
    { merchant_id }: { readonly merchant_id?: string },
    ask: (store: Store) => Effect.Effect<ReadonlyArray<A>, StorageFault>
  ) =>
    merchant_id === undefined
      ? Effect.map(askAllShards(shards, ask), (found) => found.flat())
      : Effect.flatMap(directory.find(merchant_id), (shard) => ask(shards[shard]!))
  const hints = new Set<() => void>()
  let swept = 0
  return {
    find: (kind, id) => Effect.suspend(() => findInShards(shards, (store) => store.find(kind, id))),
    findEvent: (id) => Effect.suspend(() => findInShards(shards, (store) => store.findEvent(id))),
    matches: (query) =>
      Effect.map(
        wherever(query, (store) => store.matches(query)),
        (found) => cutMatches(found, query)
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
    ...makeJobMethods(shards, () => hints.forEach((hint) => hint())),
    idsBeginning: (prefixes, limit) =>
      askAllShards(shards, (store) => store.idsBeginning(prefixes, limit)).pipe(Effect.map((found) => found.flat())),
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
      readMergedPage(shards, { offset, limit }, compareLatestPosting, (store, page) =>
        store.entries(account, page.offset, page.limit)
      ),
    balances: (query) => readMergedPage(shards, query, compareBalances, (store, page) => store.balances(page)),
    trialBalance: askAllShards(shards, (store) => store.trialBalance).pipe(Effect.map(mergeTrialBalances)),
    idle: (query) => readMergedPage(shards, query, compareIdleTimes, (store, page) => store.idle(page)),
    stalled: (query) => askAllShards(shards, (store) => store.stalled(query)).pipe(Effect.map((found) => found.flat())),
    backlog: (query) =>
      askAllShards(shards, (store) => store.backlog(query)).pipe(
        Effect.map((found) => mergeBacklogs(found, query.limit))
      ),
    platformBalances: (classes) =>
      askAllShards(shards, (store) => store.platformBalances(classes)).pipe(
        Effect.map((found) => mergePlatformBalances(found.flat()))
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
      askAllShards(shards, (store) => store.rowsHolding(text, after, limit)).pipe(
        Effect.map((found) => found.flat().sort(compareKeys).slice(0, limit))
      ),
    responsesHolding: (text, after, limit) =>
      askAllShards(shards, (store) => store.responsesHolding(text, after, limit)).pipe(
        Effect.map((found) => found.flat().sort(compareAnswers).slice(0, limit))
      ),
    setting: home.setting,
    define: home.define,
    assign: home.assign,
    // It is one database. Where a copy is made, or Citus moves a cell, the schema of the directory tells a copy.
    clock: home.clock,
    identity: home.identity,
    recordIdentity: home.recordIdentity,
    ping: Effect.asVoid(askAllShards(shards, (store) => store.ping)),
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

/** Makes one store of the shards. The first is the schema of the directory; the others are the cells. */
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

  const everyones = makeGlobalMethods(shards, directory)
  return {
    ...everyones,
    commit: makeShardedCommit(shards, directory, lookup),
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
        ? readMergedPage(shards, query, compareNewestRow, (store, page) => store.list(page))
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
    jobsAfter: (walk) => own(walk.merchant_id, (store) => store.jobsAfter(walk)),
    jobsBeginning: (merchant_id, prefixes, limit) =>
      own(merchant_id, (store) => store.jobsBeginning(merchant_id, prefixes, limit)),
    history: (merchant_id, resource_id) => own(merchant_id, (store) => store.history(merchant_id, resource_id)),
    owned: (query) => own(query.merchant_id, (store) => store.owned(query)),
    replaceResponse: (merchant_id, key, from, to) =>
      own(merchant_id, (store) => store.replaceResponse(merchant_id, key, from, to)),
    take: (bucket) => own(bucket.merchant_id, (store) => store.take(bucket))
  }
}

type Store = Storage["Service"]

/** The name of a cell's schema, from 1. */
export const toCellSchema = (cell: number): string => `corridor_${cell}`

const listCells = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n + 1)

export interface CellsOptions extends PostgresOptions {
  /** The number of cells, from 1 to {@link cellsMax}. It may be raised later, and new merchants are assigned to all of them. */
  readonly cells: number
}

type Ask = (text: string) => Effect.Effect<ReadonlyArray<SqlRow>, StorageFault>

/** Finds why a number of cells is too few for a store: a cell beyond it holds merchants. Undefined: it is enough. */
export const findTooFewFault = Effect.fnUntraced(function* (ask: Ask, count: number) {
  const found = yield* ask(
    `select substr(s.nspname, 10) as cell from pg_class c join pg_namespace s on s.oid = c.relnamespace
     where c.relname = 'resource' and s.nspname ~ '^corridor_[0-9]{1,6}$'`
  )
  const beyond = found.map(({ cell }) => Number(cell)).filter((cell) => cell > count)
  for (const cell of beyond.toSorted((a, b) => b - a)) {
    const rows = yield* ask(`select 1 as one from ${toCellSchema(cell)}.resource where kind = 'merchant' limit 1`)
    if (rows.length > 0)
      return `cells=${count} is too few: cell ${cell} holds merchants; configure at least cells=${cell}`
  }
  return undefined
})

/**
 * Opens the cells, and records the membership in the schema of the directory and in each cell, or compares it with the recorded one.
 *
 * Errors: `StorageFault` when the database belongs to another store, when a schema is a cell of another store, or when a cell beyond `cells`
 * holds merchants.
 */
const openCells = Effect.fnUntraced(function* ({ cells: count, ...options }: CellsOptions) {
  const refuse = (message: string) => new StorageFault({ message, retryable: false })
  if (!Number.isInteger(count) || count < 1 || count > cellsMax)
    return yield* refuse(`cells is ${count}; it takes a whole number from 1 to ${cellsMax}`)
  yield* migrateCells(options, count)
  const pool = yield* PostgresStorage.pool(options, true)
  const ask: Ask = (text) => Effect.tryPromise({ try: () => pool.query(text, []), catch: toFault })
  const isCitus = (yield* ask(isCitusText)).length > 0
  const home = pool.store()
  const cells = listCells(count).map((cell) => pool.store(toCellSchema(cell), isCitus))
  const recorded = yield* home.define(MEMBERSHIP, `cells/${count}/${crypto.randomUUID()}`)
  const [sort, size, store] = recorded.split("/")
  if (sort !== "cells") return yield* refuse(describeMembership(recorded)!)
  const why = yield* findTooFewFault(ask, count)
  if (why !== undefined) return yield* refuse(why)
  for (const [n, cell] of cells.entries()) {
    const own = `cell/${n + 1}/${store}`
    if ((yield* cell.define(MEMBERSHIP, own)) !== own)
      return yield* refuse(`the schema ${toCellSchema(n + 1)} belongs to another store`)
  }
  if (Number(size) !== count) yield* home.assign(MEMBERSHIP, `cells/${count}/${store}`)
  const whole = makeCellsStore([home, ...cells])
  // A node that has nothing to do asks once, whatever the number of cells. Citus plans a statement for one cell.
  return isCitus ? whole : { ...whole, pending: pool.pending(listSchemas(count)) }
})

/** A schema of a store, by its name for messages: undefined for that of the directory. */
export interface Migrated {
  readonly schema: string | undefined
  readonly applied: ReadonlyArray<string>
}

export const listSchemas = (count: number): ReadonlyArray<string | undefined> => [
  undefined,
  ...listCells(count).map(toCellSchema)
]

const migrateCells = (
  options: Pick<PostgresOptions, "url">,
  count: number
): Effect.Effect<ReadonlyArray<Migrated>, StorageFault> => {
  const schemas = listSchemas(count)
  return Effect.map(PostgresStorage.migrateSchemas(options, schemas), (applied) =>
    schemas.map((schema, n) => ({ schema, applied: applied[n]! }))
  )
}

export const CellsStorage = {
  migrate: migrateCells,
  /**
   * A store with cells. Any number of nodes may share it; the first to start migrates it.
   *
   * Errors: `StorageFault` when the server cannot be reached or migrated, when the database is a part of another store, or
   * when it has more cells that hold merchants.
   */
  layer: (options: CellsOptions): Layer.Layer<Storage, StorageFault> => Layer.effect(Storage, openCells(options))
}

/**
 * A store in cells of one Postgres database, shared by any number of nodes.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const cellsStorage = (options: CellsOptions): StorageAdapter => {
  checkOptions("cellsStorage", options, { url: "string", cells: "number", ...serverTakes })
  checkUrl("cellsStorage: url", options.url)
  return adapter("storage", CellsStorage.layer(options))
}
