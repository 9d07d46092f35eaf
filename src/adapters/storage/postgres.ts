/** A Postgres server, by postgres.js. Single statements only: its transactions do not survive a dying connection. */
import { Duration, Effect, Layer, type Scope } from "effect"
import { adapter, type StorageAdapter } from "../../engine/ports/Adapter.ts"
import { StorageFault } from "../../engine/ports/errors.ts"
import { Storage } from "../../engine/ports/Storage.ts"
import { connected, type ConnectionOptions, makeConnections } from "./connections.ts"
import type { LeaseClock } from "./encode.ts"
import { migrationScript } from "./migrations.ts"
import { makeStorage, type Sql, toFault } from "./sql.ts"

export interface PostgresOptions {
  readonly url: string
  /**
   * Connections of the pool, 8 by default; one more listens for hints. As many as there are lanes are the commits' own, so
   * that no long list keeps a commit waiting; there is at least one of either sort.
   */
  readonly connections?: number
  /** Commit batches under way at once, where many wait: two keep the server busy while one waits for its disk. */
  readonly lanes?: number
  /** At most one hint to other nodes in this time. */
  readonly hint_every_ms?: number
  /**
   * How long the server may work on a statement, 10000 by default. A connection that has not answered after a fifth more
   * is dropped, and the outcome of its statement is unknown. 0: no bound, and nothing is set for the session (a pooler
   * that takes no settings at the start of one needs that).
   */
  readonly statement_timeout_ms?: number
  /**
   * By whose clock leases are measured: the server's, unless the callers' time is simulated, so that no server shows it.
   */
  readonly clock?: LeaseClock
}

const CHANNEL = "corridor_jobs"

/** How long a listener may take to begin, at most: polling stands behind it. */
const listenMs = 5_000

const connectionOf = ({ url, statement_timeout_ms = 10_000 }: PostgresOptions): ConnectionOptions => ({
  url,
  statement_timeout_ms
})

/** Calls `listener` for each hint of another node, until the scope closes. */
const listening = (options: PostgresOptions, node: string, listener: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => connected(connectionOf(options))),
    ({ client, drop }) =>
      Effect.promise(() => client.end({ timeout: 1 }).catch(() => {})).pipe(Effect.andThen(Effect.sync(() => drop())))
  ).pipe(
    Effect.flatMap(({ client }) =>
      Effect.tryPromise({
        try: () => client.listen(CHANNEL, (from) => (from === node ? undefined : listener())),
        catch: toFault
      })
    ),
    Effect.timeoutOrElse({
      duration: Duration.millis(Math.min(listenMs, connectionOf(options).statement_timeout_ms || listenMs)),
      orElse: () => Effect.fail(toFault(Object.assign(new Error("no answer to listen"), { code: "LISTEN_TIMEOUT" })))
    }),
    Effect.asVoid
  )

const driver = (options: PostgresOptions): Sql & { readonly close: () => Promise<void> } => {
  const node = crypto.randomUUID()
  const every = options.hint_every_ms ?? 25
  const { connections = 8, lanes = 2 } = options
  const commits = makeConnections(connectionOf(options), Math.min(lanes, Math.max(1, connections - 1)))
  const queries = makeConnections(connectionOf(options), Math.max(1, connections - lanes))
  const { query } = queries
  let resting: NodeJS.Timeout | undefined
  let again = false
  // NOTIFY holds one lock of the whole server until its transaction is on disk: in a commit it would make the lanes
  // wait for each other. So it is a statement of its own, after the commit, at most one in `every` milliseconds.
  const hint = (): void => {
    if (resting !== undefined) {
      again = true
      return
    }
    resting = setTimeout(() => {
      resting = undefined
      if (again) {
        again = false
        hint()
      }
    }, every)
    resting.unref()
    query("select pg_notify($1::text, $2::text)", [CHANNEL, node]).catch(() => {})
  }
  return {
    query,
    commit: commits.query,
    hint,
    watch: (listener) => listening(options, node, listener),
    clock: options.clock ?? "server",
    lanes: { commits: lanes, reads: 2 },
    close: async () => {
      clearTimeout(resting)
      await Promise.all([commits.close(), queries.close()])
    }
  }
}

/** Brings the database up to this release. It may take as long as it takes: another node may be at it. */
const migrated = (options: PostgresOptions) =>
  Effect.acquireUseRelease(
    Effect.sync(() => connected({ ...connectionOf(options), statement_timeout_ms: 0 })),
    ({ client }) => Effect.tryPromise({ try: () => client.unsafe(migrationScript()).simple(), catch: toFault }),
    ({ client, drop }) =>
      Effect.promise(() => client.end({ timeout: 1 }).catch(() => {})).pipe(Effect.andThen(Effect.sync(() => drop())))
  )

/** The setting by which a database knows its place among several: `place/count/set` (`sharded.ts`). */
export const MEMBERSHIP = "database"

/** A store on a server, whatever the database is a part of. */
const member = (options: PostgresOptions): Effect.Effect<Storage["Service"], StorageFault, Scope.Scope> =>
  Effect.andThen(
    migrated(options),
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => driver(options)),
        (sql) => Effect.promise(sql.close)
      ),
      makeStorage
    )
  )

export const PostgresStorage = {
  member,
  /**
   * A store on a server. Any number of nodes may share it; the first to start migrates it.
   *
   * Errors: `StorageFault` when the server cannot be reached or migrated, or its database is one of several.
   */
  layer: (options: PostgresOptions): Layer.Layer<Storage, StorageFault> =>
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        const store = yield* member(options)
        const [place, count] = (yield* store.setting(MEMBERSHIP))?.split("/") ?? []
        if (place === undefined) return store
        const message = `the database is ${place} of ${count} and keeps a part of the merchants; name all of them`
        return yield* new StorageFault({ message, retryable: false })
      })
    )
}

/** A Postgres server, shared by any number of nodes. */
export const postgresStorage = (options: PostgresOptions): StorageAdapter =>
  adapter("storage", PostgresStorage.layer(options))
