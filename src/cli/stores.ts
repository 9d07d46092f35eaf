/** The database of a store and its cells, without the engine. */
import { Effect, type Scope } from "effect"
import { type Snapshot } from "../adapters/storage/audit/snapshot.ts"
import { parsePostgresUrl } from "../engine/input/schemas.ts"
import { StorageFault } from "../engine/ports/errors.ts"
import type { Config } from "../http/config/config.ts"
import type { Database } from "../http/config/values.ts"

/** Formats a database's URL for messages, without its password. */
const formatUrl = (text: string): string => {
  const { hosts, pathname } = parsePostgresUrl(text)!
  return `postgres://${hosts}${pathname}`
}

/** Formats a database without its password, with the schema if one is named. */
const formatDatabase = (url: string, schema: string | undefined): string =>
  schema === undefined ? formatUrl(url) : `${formatUrl(url)} ${schema}`

export interface MigratedStore {
  readonly store: string
  readonly applied: ReadonlyArray<string>
}

/**
 * Applies the migrations to the database and each cell in turn. A store in memory has none.
 *
 * Errors: `StorageFault` if the configuration names only a part of the store: the other parts would stay as they are.
 */
export const migrateStore = (config: Config): Effect.Effect<ReadonlyArray<MigratedStore>, StorageFault> =>
  Effect.gen(function* () {
    const { database } = config
    if (database._tag === "memory" || (database._tag === "pglite" && database.dir === null)) return []
    if (database._tag === "pglite") {
      const { PgliteStorage } = yield* Effect.promise(() => import("../adapters/storage/pglite.ts"))
      return [{ store: `pglite:${database.dir}`, applied: yield* PgliteStorage.migrate(database.dir!) }]
    }
    for (const { snapshot } of yield* listSnapshots(config)) yield* Effect.scoped(snapshot)
    if (database._tag === "cells") {
      const { CellsStorage } = yield* Effect.promise(() => import("../adapters/storage/cells/cells.ts"))
      return (yield* CellsStorage.migrate(database, database.cells)).map(({ applied, schema }) => ({
        store: formatDatabase(database.url, schema),
        applied
      }))
    }
    const { PostgresStorage } = yield* Effect.promise(() => import("../adapters/storage/postgres.ts"))
    return [{ store: formatUrl(database.url), applied: yield* PostgresStorage.migrate(database) }]
  })

type Opening = Effect.Effect<Snapshot, StorageFault, Scope.Scope>

/** The database of a store, or a cell, by its name for messages, to be opened for reading alone. */
export interface ReadOnly {
  readonly store: string
  readonly snapshot: Opening
}

/** Reads as which part of a store a schema is recorded. Undefined: it is a store without cells, or has no tables yet. */
const readMembership = Effect.fnUntraced(function* (snapshot: Snapshot) {
  const [{ exists } = {}] = yield* snapshot.query("select to_regclass('setting')::text as exists")
  if (typeof exists !== "string") return undefined
  const [row] = yield* snapshot.query("select value from setting where key = 'database'")
  return row === undefined ? undefined : String(row["value"])
})

/**
 * Finds why a schema is not the cell of this number. Undefined: it is. An unrecorded schema is new, unless the directory has
 * assigned merchants to it. Also undefined if the directory's schema is unreachable or no directory: opening that one reports it.
 */
const findMisplacement = (cell: number, membership: string | undefined, home: Opening) =>
  Effect.gen(function* () {
    const directory = yield* home
    const recorded = yield* readMembership(directory)
    if (recorded?.startsWith("cells/") !== true) return undefined
    if (membership !== undefined)
      return recorded.split("/")[2] === membership.split("/")[2] ? undefined : `cell ${cell} belongs to another store`
    const found = yield* directory.query(
      `select count(*)::int as n from setting where starts_with(key, 'merchant_database/') and value = '${cell}'`
    )
    const n = Number(found[0]?.["n"])
    return n === 0 ? undefined : `cell ${cell} is not the one that holds its merchants, of which the directory has ${n}`
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )

/** Finds why an opened database is not the store that the configuration names: parts of it would be left out. Undefined: it is. */
const findStoreFault = Effect.fnUntraced(function* (
  database: Database,
  cell: number,
  snapshot: Snapshot,
  home: Opening
) {
  const membership = yield* readMembership(snapshot)
  if (cell > 0)
    return membership === undefined || membership.startsWith(`cell/${cell}/`)
      ? yield* findMisplacement(cell, membership, home)
      : "the schema belongs to another store"
  const [{ describeMembership }, { findTooFewFault }] = yield* Effect.promise(() =>
    Promise.all([import("../adapters/storage/postgres.ts"), import("../adapters/storage/cells/cells.ts")])
  )
  return database._tag === "cells" && membership?.startsWith("cells/") === true
    ? yield* findTooFewFault(snapshot.query, database.cells)
    : describeMembership(membership)
})

/**
 * Lists the database of a store and its cells, each with the effect that opens it. Errors: `StorageFault` for a store in memory,
 * which ends with its process. Opening one fails with it too, if the configuration has fewer cells than the store.
 */
export const listSnapshots = ({ database }: Config): Effect.Effect<ReadonlyArray<ReadOnly>, StorageFault> =>
  Effect.gen(function* () {
    const { pgliteSnapshot, postgresSnapshot } = yield* Effect.promise(
      () => import("../adapters/storage/audit/snapshot.ts")
    )
    if (database._tag === "postgres" || database._tag === "cells") {
      const { listSchemas } = yield* Effect.promise(() => import("../adapters/storage/cells/cells.ts"))
      const schemas = database._tag === "cells" ? listSchemas(database.cells) : [undefined]
      return schemas.map((schema, cell) => ({
        store: formatDatabase(database.url, schema),
        snapshot: Effect.tap(postgresSnapshot(database.url, schema), (opened) =>
          Effect.flatMap(findStoreFault(database, cell, opened, postgresSnapshot(database.url)), (message) =>
            message === undefined ? Effect.void : Effect.fail(new StorageFault({ message, retryable: false }))
          )
        )
      }))
    }
    if (database._tag === "pglite" && database.dir !== null)
      return [{ store: `pglite:${database.dir}`, snapshot: pgliteSnapshot(database.dir) }]
    return yield* new StorageFault({ message: "a store in memory ends with its process", retryable: false })
  })

export interface StoreKeys {
  /** The id of the first key that is configured. */
  readonly current: string
  /** The ids of the keys that the store was written under. */
  readonly recorded: ReadonlyArray<string>
  /** Those that are not configured. */
  readonly missing: ReadonlyArray<string>
}

/** Reads which encryption keys a database uses, against the configured ones. */
export const readKeyUse = (config: Config, snapshot: Snapshot): Effect.Effect<StoreKeys, StorageFault> =>
  Effect.gen(function* () {
    const [{ aesKey }, { developmentKey }] = yield* Effect.promise(() =>
      Promise.all([import("../adapters/cipher/aes-gcm.ts"), import("../http/config/live.ts")])
    )
    const [row] = yield* snapshot.query("select value from setting where key = 'encryption_keys'")
    const probes = row === undefined ? [] : (JSON.parse(String(row["value"])) as ReadonlyArray<string>)
    const recorded = probes.map((probe) => probe.slice(0, probe.indexOf(":")))
    const given = (config.encryption_keys ?? [developmentKey]).map((text) => aesKey(text).id)
    return { current: given[0]!, recorded, missing: recorded.filter((key) => !given.includes(key)) }
  })
