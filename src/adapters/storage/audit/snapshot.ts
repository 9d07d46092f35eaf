/**
 * A database as it is at one moment, for reading alone. A Postgres server gives a snapshot in a read-only transaction, beside
 * nodes that work. A PGlite directory is copied while this process holds its lock, and the copy is read: opening a directory
 * writes to it.
 */
import { constants } from "node:fs"
import { cp, mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, type Scope } from "effect"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { inlineFunctions, isCitusText } from "../cells/citus.ts"
import { openConnection } from "../sql/connections.ts"
import { type SqlRow, toFault } from "../sql/driver.ts"
import { claimDirectory, pglitePackage } from "../pglite-files.ts"

export interface Snapshot {
  /** Runs one query. Law: all queries see the same moment. */
  readonly query: (text: string) => Effect.Effect<ReadonlyArray<SqlRow>, StorageFault>
  /** Reads the rows of a query in pages, so that memory does not grow with their number. */
  readonly each: (
    text: string,
    use: (rows: ReadonlyArray<SqlRow>) => Effect.Effect<void, StorageFault>
  ) => Effect.Effect<void, StorageFault>
}

const pageSize = 5_000

/** The planner may read whole tables here, unlike the service; sorts beyond this memory go to temporary files. */
const begun = [
  "begin isolation level repeatable read read only",
  "set local enable_seqscan = on",
  "set local enable_bitmapscan = on",
  "set local enable_hashjoin = on",
  "set local enable_mergejoin = on",
  "set local jit = off",
  "set local work_mem = '64MB'"
]

const openSnapshot = Effect.fnUntraced(function* (
  run: (text: string) => Promise<ReadonlyArray<SqlRow>>,
  schema?: string
) {
  let adapted = (text: string): string => text
  const query: Snapshot["query"] = (text) => Effect.tryPromise({ try: () => run(adapted(text)), catch: toFault })
  for (const statement of begun) yield* query(statement)
  if (schema !== undefined) {
    yield* query(`set local search_path = ${schema}`)
    if ((yield* query(isCitusText)).length > 0) adapted = inlineFunctions
  }
  const moment = "select pg_current_snapshot()::text as moment"
  const [{ moment: first } = {}] = yield* query(moment)
  /** A lost connection is replaced by the driver, which knows nothing of the transaction. */
  const isSame = Effect.flatMap(query(moment), ([row]) =>
    row?.["moment"] === first
      ? Effect.void
      : new StorageFault({ message: "the connection was lost while the store was read", retryable: true })
  )
  const same: Snapshot["query"] = (text) => Effect.tap(query(text), isSame)
  return {
    query: same,
    each: (text, use) =>
      Effect.gen(function* () {
        yield* same(`declare page_reader no scroll cursor for ${text}`)
        for (let rows = yield* same(`fetch ${pageSize} from page_reader`); rows.length > 0; ) {
          yield* use(rows)
          rows = rows.length < pageSize ? [] : yield* same(`fetch ${pageSize} from page_reader`)
        }
        yield* same("close page_reader")
      })
  } satisfies Snapshot as Snapshot
})

/**
 * Opens a read-only snapshot of a database on a server, or of one schema there, until the scope closes. Errors: `StorageFault` if
 * it cannot be reached.
 */
export const postgresSnapshot = (url: string, schema?: string): Effect.Effect<Snapshot, StorageFault, Scope.Scope> =>
  Effect.flatMap(openConnection({ url, statement_timeout_ms: 0 }), (client) =>
    openSnapshot(async (text) => (await client.unsafe(text)) as unknown as ReadonlyArray<SqlRow>, schema)
  )

/**
 * Opens a read-only snapshot of a PGlite directory, until the scope closes.
 *
 * Errors: `StorageFault` if the directory does not exist, if another process uses it, or if there is no room for a copy in the
 * system's temporary directory.
 */
export const pgliteSnapshot = (directory: string): Effect.Effect<Snapshot, StorageFault, Scope.Scope> =>
  Effect.gen(function* () {
    // A store holds this file since it was made. Claiming a directory would create a missing one.
    yield* Effect.tryPromise({
      try: () => stat(join(directory, "PG_VERSION")),
      catch: () => new StorageFault({ message: `the directory ${directory} has no store`, retryable: false })
    })
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "corridor-snapshot-"))),
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
    ).pipe(
      Effect.tap((folder) =>
        Effect.scoped(
          Effect.flatMap(claimDirectory(directory), (real) =>
            Effect.tryPromise({
              try: () =>
                cp(real, folder, {
                  recursive: true,
                  mode: constants.COPYFILE_FICLONE,
                  // Without the files of the lock, and of a server that ran on the directory.
                  filter: (path) => !/^(?:corridor\.(?:lock|holder)|postmaster\.pid)$/.test(basename(path))
                }),
              catch: (cause) =>
                new StorageFault({
                  message: `the directory ${directory} cannot be copied: ${(cause as Error).message}`,
                  retryable: false,
                  cause
                })
            })
          )
        )
      )
    )
    const { PGlite } = yield* pglitePackage
    const db = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => PGlite.create(folder), catch: toFault }),
      (opened) => Effect.promise(() => opened.close())
    )
    return yield* openSnapshot(async (text) => (await db.query<SqlRow>(text)).rows)
  })
