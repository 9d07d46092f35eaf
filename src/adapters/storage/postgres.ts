/**
 * A Postgres server through postgres.js. Single statements only: the driver's transactions do not survive a lost
 * connection.
 */
import { Duration, Effect, Layer, type Scope } from "effect"
import { checkOptions, type TakesOf } from "../../engine/input/options.ts"
import { parsePostgresUrl } from "../../engine/input/schemas.ts"
import { adapter, type StorageAdapter } from "../../engine/ports/adapter.ts"
import { StorageFault } from "../../engine/ports/errors.ts"
import { Storage } from "../../engine/ports/Storage.ts"
import { makeDistributionScript, isCitusText, isWorkerText, adaptQueryToCitus } from "./cells/citus.ts"
import {
  type CitusHosts,
  type CitusServers,
  findCitusHosts,
  makeCitusServers,
  openServer
} from "./cells/citus-servers.ts"
import { makeSchemaQualifier } from "./cells/names.ts"
import { hasSeveralHosts, type ConnectionOptions, openConnection, type Query } from "./sql/connections.ts"
import { appliedByScript, makeLastStep, makeMigrationScript } from "./migrations.ts"
import { type LeaseClock, toFault } from "./sql/driver.ts"
import { Turns } from "./sql/queue.ts"
import { makePendingMethod } from "./sql/reads.ts"
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

/** What the options of a server take, with and without cells. */
export const serverTakes = {
  connections: "number?",
  commitConnections: "number?",
  hint_every_ms: "number?",
  statement_timeout_ms: "number?",
  clock: ["server", "caller"]
} as const satisfies TakesOf<Omit<PostgresOptions, "url">>

/** Checks that a text is the URL of a Postgres database. Errors: throws `TypeError`, whose message never contains it. */
export const checkUrl = (place: string, url: string): void => {
  if (parsePostgresUrl(url) === undefined)
    throw new TypeError(`${place} is no postgres:// URL; it takes postgres://USER:PASSWORD@HOST:PORT/DATABASE`)
}

const CHANNEL = "corridor_jobs"

/** Longest wait for `listen`, in milliseconds. Without it, polling still finds the jobs. */
const listenMs = 5_000

const toConnectionOptions = ({ url, statement_timeout_ms = 10_000 }: PostgresOptions): ConnectionOptions => ({
  url,
  statement_timeout_ms
})

/** The connections to a database, and a store over them for each of its schemas. */
export interface Pool {
  readonly query: Query
  /**
   * A store. Without `schema`, that of the connections' search path. With one, it has a share of the connections, so
   * that a schema whose statements wait leaves some for the others; hints of its jobs come to the store without one.
   * `isCitus`: it is one that Citus distributes.
   */
  readonly store: (schema?: string, isCitus?: boolean) => Storage["Service"]
  /** `Storage.pending` of several schemas, in one statement. */
  readonly pending: (schemas: ReadonlyArray<string | undefined>) => Storage["Service"]["pending"]
  readonly close: () => Promise<void>
}

/** Listens for hints of new jobs, and calls `listener` with the node that sent each, until the scope closes. */
const watchHints = (
  options: ConnectionOptions,
  listener: (from: string) => void
): Effect.Effect<void, StorageFault, Scope.Scope> =>
  openConnection(options).pipe(
    Effect.flatMap((client) => Effect.tryPromise({ try: () => client.listen(CHANNEL, listener), catch: toFault })),
    Effect.timeoutOrElse({
      duration: Duration.millis(Math.min(listenMs, options.statement_timeout_ms || listenMs)),
      orElse: () => Effect.fail(toFault(Object.assign(new Error("no reply to listen"), { code: "LISTEN_TIMEOUT" })))
    }),
    Effect.asVoid
  )

/**
 * Makes the connections for commits and for queries. `isSpread`: if the URL names several servers, they share the connections,
 * and nodes begin with different ones. `hosts`: the hosts of Citus; the URL is then the coordinator's.
 */
const makePool = (
  options: PostgresOptions,
  isSpread: boolean,
  hosts: Pick<CitusHosts, "silent" | "workers"> = { workers: new Map(), silent: [] }
): Pool => {
  const node = crypto.randomUUID()
  const turn = isSpread && hasSeveralHosts(options.url) ? Number.parseInt(node.slice(0, 8), 16) : undefined
  const every = options.hint_every_ms ?? 25
  const { connections = 8, commitConnections = 2 } = options
  const commitCount = Math.min(commitConnections, Math.max(1, connections - 1))
  const queryCount = Math.max(1, connections - commitConnections)
  const mayGrow = hosts.silent.length > 0
  const open = ({ url }: { readonly url: string }) =>
    openServer({ ...toConnectionOptions({ ...options, url }), turn }, commitCount, queryCount, mayGrow)
  const home = open(options)
  const { commits, queries } = home
  const { query } = queries
  let citus: CitusServers | undefined
  // For the stores of several schemas. One of them leaves some for the others.
  const servers = 1 + hosts.workers.size + hosts.silent.length
  const turns = { commits: new Turns(servers * commitCount), reads: new Turns(servers * 2) }
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
  const own = { hint, clock: options.clock ?? "server" } as const
  return {
    query,
    store: (schema, isCitus = false) => {
      if (schema === undefined)
        return makeStorage({
          ...own,
          query,
          commit: commits.query,
          watch: (listener) =>
            watchHints({ ...toConnectionOptions(options), joined: home.joined }, (from) =>
              from === node ? undefined : listener()
            ),
          concurrency: { commits: commitConnections, reads: 2 }
        })
      const named = makeSchemaQualifier(schema)
      const [committing, querying] = [Math.ceil(commitCount / 2), Math.ceil(queryCount / 2)]
      if (isCitus) citus ??= makeCitusServers(home, hosts, open)
      const {
        commit,
        query: ask,
        together
      } = citus?.of(schema, committing, querying) ?? {
        commit: commits.share(committing),
        query: queries.share(querying),
        together: undefined
      }
      const to = (run: Query): Query =>
        isCitus ? adaptQueryToCitus(run, named, together) : (text, params) => run(named(text), params)
      return makeStorage({
        ...own,
        query: to(ask),
        commit: to(commit),
        watch: () => Effect.void,
        concurrency: { commits: committing, reads: Math.min(2, querying) },
        turns: { commits: turns.commits, reads: turns.reads.share(1) }
      })
    },
    pending: (schemas) =>
      makePendingMethod(
        (text, params) =>
          Effect.tryPromise({ try: () => query(text, params as ReadonlyArray<string>), catch: toFault }),
        schemas.map((schema) => (schema === undefined ? (text: string) => text : makeSchemaQualifier(schema)))
      ),
    close: async () => {
      clearTimeout(resting)
      await Promise.all([commits.close(), queries.close(), citus?.close()])
    }
  }
}

/**
 * Opens the connections to a database, until the scope closes. `isSpread`: to all servers of the URL.
 *
 * Errors: `StorageFault` where the servers are of Citus, and none that answers is the coordinator.
 */
const openPool = (options: PostgresOptions, isSpread = false): Effect.Effect<Pool, StorageFault, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const citus = isSpread ? await findCitusHosts(options.url) : undefined
        return citus === undefined
          ? makePool(options, isSpread)
          : makePool({ ...options, url: citus.coordinator }, isSpread, citus)
      },
      catch: toFault
    }),
    ({ close }) => Effect.promise(close)
  )

const coordinatorFirst =
  "a worker of Citus answers, and only its coordinator migrates: name that first in the URL, or wait until it answers"

/**
 * Migrates schemas of a database to this release, without a time limit: another node may be migrating them. Without a
 * name, the schema is that of the connection's search path. Returns the names of the migrations that it applied to each.
 */
const migrateSchemas = (
  { url }: Pick<PostgresOptions, "url">,
  schemas: ReadonlyArray<string | undefined>
): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, StorageFault> =>
  Effect.scoped(
    Effect.flatMap(openConnection({ url, statement_timeout_ms: 0 }), (client) =>
      Effect.forEach(schemas, (schema) =>
        Effect.tryPromise({
          try: async () => {
            const isCitus = (await client.unsafe(isCitusText)).length > 0
            if (isCitus && (await client.unsafe(isWorkerText)).length > 0)
              throw Object.assign(new Error(coordinatorFirst), { code: "55P03" })
            // One result for each statement.
            const results = await client.unsafe(`${makeMigrationScript(schema)}; ${appliedByScript}`).simple()
            const applied = results.at(-1) as unknown as ReadonlyArray<{ readonly name: string }>
            if (schema !== undefined) {
              if (isCitus) await client.unsafe(makeDistributionScript(schema)).simple()
              await client.unsafe(makeLastStep(schema)).simple()
            }
            return applied.map(({ name }) => name)
          },
          catch: toFault
        })
      )
    )
  )

const migrateDatabase = (options: Pick<PostgresOptions, "url">): Effect.Effect<ReadonlyArray<string>, StorageFault> =>
  Effect.map(migrateSchemas(options, [undefined]), ([applied]) => applied!)

/**
 * The setting that records what a schema is a part of: `cells/count/store` for that of the directory, and `cell/number/store` for
 * a cell (`cells/cells.ts`). Releases before recorded `number/count/set` in each of several databases of one store.
 */
export const MEMBERSHIP = "database"

/** Says why a schema cannot be used as a store of its own: it is part of one with cells. Undefined: it can. */
export const describeMembership = (membership: string | undefined): string | undefined => {
  if (membership === undefined) return undefined
  const [part, count] = membership.split("/")
  if (part === "cells") return `the store has ${count} cells; add ?cells=${count} to its URL, or give \`cells\``
  if (part === "cell")
    return `the schema is cell ${count} of a store and holds some of the merchants; configure the whole store`
  return `the database is number ${part} of a set of ${count} and holds some of the merchants; this release takes one database, with or without cells`
}

export const PostgresStorage = {
  migrate: migrateDatabase,
  migrateSchemas,
  pool: openPool,
  /**
   * A store on a server. Any number of nodes may share it; the first to start migrates it.
   *
   * Errors: `StorageFault` when the server cannot be reached or migrated, or when it is a part of a store, or has
   * cells.
   */
  layer: (options: PostgresOptions): Layer.Layer<Storage, StorageFault> =>
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        yield* migrateDatabase(options)
        const store = (yield* openPool(options)).store()
        const message = describeMembership(yield* store.setting(MEMBERSHIP))
        if (message === undefined) return store
        return yield* new StorageFault({ message, retryable: false })
      })
    )
}

/**
 * A store on a Postgres server, shared by any number of nodes.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const postgresStorage = (options: PostgresOptions): StorageAdapter => {
  checkOptions("postgresStorage", options, { url: "string", ...serverTakes })
  checkUrl("postgresStorage: url", options.url)
  return adapter("storage", PostgresStorage.layer(options))
}
