/**
 * A Postgres server through postgres.js. Single statements only: the driver's transactions do not survive a lost
 * connection.
 */
import { Duration, Effect, Layer, type Scope } from "effect"
import { adapter, type StorageAdapter } from "../../engine/ports/adapter.ts"
import { StorageFault } from "../../engine/ports/errors.ts"
import { Storage } from "../../engine/ports/Storage.ts"
import { connected, type ConnectionOptions, makeConnections } from "./connections.ts"
import { appliedByScript, migrationScript } from "./migrations.ts"
import { type LeaseClock, type Sql, toFault } from "./driver.ts"
import { makeStorage } from "./sql.ts"

export interface PostgresOptions {
  readonly url: string
  /**
   * Connections in the pool. Default: 8. One more connection listens for hints. `concurrency` of them serve commits only, so
   * that a long list does not delay a commit. There is at least one of each sort.
   */
  readonly connections?: number
  /** Commit batches in flight under load. With two, the server works on one while it flushes the other to disk. */
  readonly commitConnections?: number
  /** Shortest time between two hints to other nodes, in milliseconds. */
  readonly hint_every_ms?: number
  /**
   * Time limit for a statement on the server, in milliseconds. Default: 10000. A connection that has not responded
   * after a fifth more is dropped, and the outcome of its statement is unknown. 0: no limit, and no session settings,
   * as a pooler that rejects settings at startup requires.
   */
  readonly statement_timeout_ms?: number
  /**
   * Whose clock measures leases. Default: the server's. A simulation uses the caller's, because no server shows its
   * time.
   */
  readonly clock?: LeaseClock
}

const CHANNEL = "corridor_jobs"

/** Longest wait for `listen`, in milliseconds. Without it, polling still finds the jobs. */
const listenMs = 5_000

const connectionOf = ({ url, statement_timeout_ms = 10_000 }: PostgresOptions): ConnectionOptions => ({
  url,
  statement_timeout_ms
})

/** Calls `listener` for each hint from another node, until the scope closes. */
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
      orElse: () => Effect.fail(toFault(Object.assign(new Error("no reply to listen"), { code: "LISTEN_TIMEOUT" })))
    }),
    Effect.asVoid
  )

const driver = (options: PostgresOptions): Sql & { readonly close: () => Promise<void> } => {
  const node = crypto.randomUUID()
  const every = options.hint_every_ms ?? 25
  const { connections = 8, commitConnections = 2 } = options
  const commits = makeConnections(connectionOf(options), Math.min(commitConnections, Math.max(1, connections - 1)))
  const queries = makeConnections(connectionOf(options), Math.max(1, connections - commitConnections))
  const { query } = queries
  let resting: NodeJS.Timeout | undefined
  let again = false
  // NOTIFY holds one server-wide lock until its transaction is on disk. Inside a commit it would serialize the commit
  // connections. It is therefore a separate statement after the commit, at most one in `every` milliseconds.
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
    concurrency: { commits: commitConnections, reads: 2 },
    close: async () => {
      clearTimeout(resting)
      await Promise.all([commits.close(), queries.close()])
    }
  }
}

/**
 * Migrates the database to this release, without a time limit: another node may be migrating it. Returns the names of the
 * migrations that it applied.
 */
const migrate = (options: Pick<PostgresOptions, "url">): Effect.Effect<ReadonlyArray<string>, StorageFault> =>
  Effect.acquireUseRelease(
    Effect.sync(() => connected({ ...connectionOf(options), statement_timeout_ms: 0 })),
    ({ client }) =>
      Effect.tryPromise({
        try: async () => {
          // One result for each statement.
          const results = await client.unsafe(`${migrationScript()}; ${appliedByScript}`).simple()
          const applied = results.at(-1) as unknown as ReadonlyArray<{ readonly name: string }>
          return applied.map(({ name }) => name)
        },
        catch: toFault
      }),
    ({ client, drop }) =>
      Effect.promise(() => client.end({ timeout: 1 }).catch(() => {})).pipe(Effect.andThen(Effect.sync(() => drop())))
  )

/** The setting that records a database's place in a set: `place/count/set` (`sharded.ts`). */
export const MEMBERSHIP = "database"

/** A store on a server, whether or not its database belongs to a set. */
const member = (options: PostgresOptions): Effect.Effect<Storage["Service"], StorageFault, Scope.Scope> =>
  Effect.andThen(
    migrate(options),
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
  migrate,
  /**
   * A store on a server. Any number of nodes may share it; the first to start migrates it.
   *
   * Errors: `StorageFault` when the server cannot be reached or migrated, or when its database belongs to a set of
   * several.
   */
  layer: (options: PostgresOptions): Layer.Layer<Storage, StorageFault> =>
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        const store = yield* member(options)
        const [place, count] = (yield* store.setting(MEMBERSHIP))?.split("/") ?? []
        if (place === undefined) return store
        const message = `the database is number ${place} of a set of ${count} and holds some of the merchants; configure the whole set`
        return yield* new StorageFault({ message, retryable: false })
      })
    )
}

/** A Postgres server, shared by any number of nodes. */
export const postgresStorage = (options: PostgresOptions): StorageAdapter =>
  adapter("storage", PostgresStorage.layer(options))
