/**
 * Postgres inside the process (WebAssembly), without a server. It has one session, on the main thread.
 *
 * PGlite runs with `fsync` off, and its file system flushes nothing: what was acknowledged survives the death of the process, but not a crash
 * of the machine.
 */
import type { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type StorageAdapter } from "../../engine/ports/adapter.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import { Storage } from "../../engine/ports/Storage.ts"
import { claimDirectory, toOpeningFault, pglitePackage } from "./pglite-files.ts"
import { appliedByScript, makeMigrationScript } from "./migrations.ts"
import type { Sql, SqlRow } from "./sql/driver.ts"
import { makeStorage } from "./sql.ts"

export interface PgliteOptions {
  /** Directory of the data. Default: in memory. */
  readonly directory?: string
  /** What a store in memory begins with: the result of `PGlite.dumpDataDir`. It is ignored with `directory`. Default: nothing. */
  readonly image?: Blob | undefined
}

interface Opened {
  readonly db: PGlite
  /** The migrations that were applied. */
  readonly applied: ReadonlyArray<string>
}

/** The directory is locked: no earlier process lives, so that what it had claimed is free. Other leases are left. */
const earlierClaimsEnd = `update job set lease = null, locked_until = null
  where status = 'pending' and lease is not null and exists (select from node n where n.id = split_part(lease, '/', 1))`

const openDatabase = async (
  { PGlite: Embedded }: { readonly PGlite: typeof PGlite },
  place: string,
  image?: Blob
): Promise<Opened> => {
  const db = await Embedded.create(place, image === undefined ? {} : { loadDataDir: image })
  try {
    const results = await db.exec(`${makeMigrationScript()}; ${appliedByScript}`)
    await db.exec(earlierClaimsEnd)
    await db.exec("set enable_seqscan = off; set enable_bitmapscan = off")
    return { db, applied: (results.at(-1)?.rows ?? []).map((row) => String(row["name"])) }
  } catch (error) {
    await db.close().catch(() => {})
    throw error
  }
}

const openDirectory = (place: string, image?: Blob) =>
  Effect.flatMap(pglitePackage, (embedded) =>
    Effect.acquireRelease(
      Effect.tryPromise({ try: () => openDatabase(embedded, place, image), catch: toOpeningFault }),
      ({ db }) => Effect.promise(() => db.close())
    )
  )

export const PgliteStorage = {
  /**
   * Migrates the store in a directory to this release, and returns the names of the migrations that it applied. Errors: as
   * `layer`.
   */
  migrate: (directory: string): Effect.Effect<ReadonlyArray<string>, StorageFault> =>
    Effect.scoped(Effect.map(Effect.flatMap(claimDirectory(directory), openDirectory), ({ applied }) => applied)),
  /**
   * A store in `directory`, or in memory. A lock, which ends with the process, reserves the directory for one store.
   *
   * Errors: `StorageFault` when another store holds the directory, or when the directory cannot be opened or migrated.
   */
  layer: ({ directory, image }: PgliteOptions = {}): Layer.Layer<Storage, StorageFault> =>
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        const place = directory === undefined ? "memory://" : yield* claimDirectory(directory)
        const { db } = yield* openDirectory(place, directory === undefined ? image : undefined)
        const query: Sql["query"] = async (text, params) => {
          try {
            if (db.closed) throw Object.assign(new Error("the store is closed"), { code: "CONNECTION_ENDED" })
            return (await db.query<SqlRow>(text, [...params])).rows
          } finally {
            // A query resolves in microtasks. Without a turn of the event loop after each, a busy store would starve every
            // timer.
            await new Promise((resolve) => setImmediate(resolve))
          }
        }
        const storage = makeStorage({
          query,
          commit: query,
          hint: () => {},
          watch: () => Effect.void,
          clock: "caller",
          concurrency: { commits: 1, reads: 1 }
        })
        return directory === undefined ? { ...storage, volatile: true } : { ...storage, exclusive: true }
      })
    )
}

/**
 * A store in Postgres inside this process. One store at a time may use a directory. Nothing is flushed to the disk: a crash of
 * the machine, unlike one of the process, may lose acknowledged writes, or the directory.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const pgliteStorage = (options: PgliteOptions = {}): StorageAdapter => {
  checkOptions("pgliteStorage", options, { directory: "string?", image: "object?" })
  return adapter("storage", PgliteStorage.layer(options))
}
