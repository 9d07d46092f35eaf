/** A Postgres server, by postgres.js. Single statements only: its transactions do not survive a dying connection. */
import { Effect, Layer } from "effect"
import postgres from "postgres"
import { adapter, type StorageAdapter } from "../../engine/Adapter.ts"
import type { StorageFault } from "../../engine/errors.ts"
import { Storage } from "../../engine/Storage.ts"
import { migrationScript } from "./migrations.ts"
import { makeStorage, type Sql, type SqlRow, toFault } from "./sql.ts"

export interface PostgresOptions {
  readonly url: string
  /** Connections of the pool; one more listens for hints. */
  readonly connections?: number
  /** Commit batches under way at once: two keep the server busy while one waits for its disk. */
  readonly lanes?: number
  /** At most one hint to other nodes in this time. */
  readonly hint_every_ms?: number
}

const CHANNEL = "corridor_jobs"

const open = (options: PostgresOptions) =>
  postgres(options.url, {
    max: options.connections ?? 8,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "corridor" }
  })

const driver = (client: ReturnType<typeof open>, options: PostgresOptions): Sql & { readonly close: () => void } => {
  const node = crypto.randomUUID()
  const every = options.hint_every_ms ?? 25
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
    client.unsafe("select pg_notify($1::text, $2::text)", [CHANNEL, node], { prepare: true }).catch(() => {})
  }
  return {
    query: (text, params) =>
      client.unsafe(text, [...params], { prepare: true }) as unknown as Promise<ReadonlyArray<SqlRow>>,
    hint,
    watch: (listener) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.tryPromise({
            try: () => client.listen(CHANNEL, (from) => (from === node ? undefined : listener())),
            catch: toFault
          }),
          ({ unlisten }) =>
            Effect.promise(() =>
              unlisten().then(
                () => {},
                () => {}
              )
            )
        )
      ),
    lanes: { commits: options.lanes ?? 2, reads: 2 },
    close: () => clearTimeout(resting)
  }
}

export const PostgresStorage = {
  /**
   * A store on a server. Any number of nodes may share it; the first to start migrates it.
   *
   * Errors: `StorageFault` when the server cannot be reached or migrated.
   */
  layer: (options: PostgresOptions): Layer.Layer<Storage, StorageFault> =>
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        const client = yield* Effect.acquireRelease(
          Effect.sync(() => open(options)),
          (sql) => Effect.promise(() => sql.end({ timeout: 5 }).catch(() => {}))
        )
        yield* Effect.tryPromise({ try: () => client.unsafe(migrationScript()).simple(), catch: toFault })
        const sql = driver(client, options)
        yield* Effect.addFinalizer(() => Effect.sync(sql.close))
        return makeStorage(sql)
      })
    )
}

/** A Postgres server, shared by any number of nodes. */
export const postgresStorage = (options: PostgresOptions): StorageAdapter =>
  adapter("storage", PostgresStorage.layer(options))
