/** The databases of a store, without the engine. */
import { Effect, type Scope } from "effect"
import { type Snapshot } from "../adapters/storage/audit/snapshot.ts"
import { postgresParts } from "../engine/input/schemas.ts"
import { StorageFault } from "../engine/ports/errors.ts"
import type { Config } from "../http/config/config.ts"
import type { Database } from "../http/config/values.ts"

/** The name of a database for messages, without its password. */
const formatUrl = (text: string): string => {
  const { hosts, pathname } = postgresParts(text)!
  return `postgres://${hosts}${pathname}`
}

const urlsOf = (database: Extract<Database, { readonly _tag: "postgres" | "sharded" }>): ReadonlyArray<string> =>
  database._tag === "sharded" ? database.urls : [database.url]

/** The name of a schema for messages. */
const formatSchema = (url: string, schema: string | undefined): string =>
  schema === undefined ? formatUrl(url) : `${formatUrl(url)} ${schema}`

export interface MigratedStore {
  readonly store: string
  readonly applied: ReadonlyArray<string>
}

/**
 * Applies the migrations to each database and each cell in turn. A store in memory has nothing to apply that lasts.
 *
 * Errors: `StorageFault` where the configuration has a part of the store: the others would stay as they are.
 */
export const migrateStore = (config: Config): Effect.Effect<ReadonlyArray<MigratedStore>, StorageFault> =>
  Effect.gen(function* () {
    const { database } = config
    if (database._tag === "memory" || (database._tag === "pglite" && database.dir === null)) return []
    if (database._tag === "pglite") {
      const { PgliteStorage } = yield* Effect.promise(() => import("../adapters/storage/pglite.ts"))
      return [{ store: `pglite:${database.dir}`, applied: yield* PgliteStorage.migrate(database.dir!) }]
    }
    for (const { snapshot } of yield* snapshotsOf(config)) yield* Effect.scoped(snapshot)
    if (database._tag === "cells") {
      const { CellsStorage } = yield* Effect.promise(() => import("../adapters/storage/cells/cells.ts"))
      return (yield* CellsStorage.migrate(database, database.cells)).map(({ applied, schema }) => ({
        store: formatSchema(database.url, schema),
        applied
      }))
    }
    const { PostgresStorage } = yield* Effect.promise(() => import("../adapters/storage/postgres.ts"))
    return yield* Effect.forEach(urlsOf(database), (url) =>
      Effect.map(PostgresStorage.migrate({ url }), (applied) => ({ store: formatUrl(url), applied }))
    )
  })

type Opening = Effect.Effect<Snapshot, StorageFault, Scope.Scope>

/** A database of a store, or a cell, by its name for messages, to be opened for reading alone. */
export interface ReadOnly {
  readonly store: string
  readonly snapshot: Opening
}

/** What a database of a store is recorded as. Undefined: a store alone, or one without tables yet. */
const membershipOf = Effect.fnUntraced(function* (snapshot: Snapshot) {
  const [{ exists } = {}] = yield* snapshot.query("select to_regclass('setting')::text as exists")
  if (typeof exists !== "string") return undefined
  const [row] = yield* snapshot.query("select value from setting where key = 'database'")
  return row === undefined ? undefined : String(row["value"])
})

/**
 * Why a database, or a cell, is not the one that a store has at a place. Undefined: it is. One that is not recorded is new, unless the
 * directory in the first database has placed merchants there. A first database that is away, or is itself another, says so.
 */
const findMisplacement = (database: Database, at: number, membership: string | undefined, home: Opening) =>
  Effect.gen(function* () {
    const [place, expected] =
      database._tag === "sharded"
        ? [`database ${at + 1} of ${database.urls.length}`, `1/${database.urls.length}/`]
        : [`cell ${at}`, "cells/"]
    const first = yield* home
    const recorded = yield* membershipOf(first)
    if (recorded?.startsWith(expected) === false) return undefined
    if (membership !== undefined)
      return recorded?.split("/")[2] === membership.split("/")[2] ? undefined : `${place} belongs to another store`
    if (recorded === undefined) return undefined
    const found = yield* first.query(
      `select count(*)::int as n from setting where starts_with(key, 'merchant_database/') and value = '${at}'`
    )
    const n = Number(found[0]?.["n"])
    return n === 0 ? undefined : `${place} is not the one that holds its merchants, of which the directory has ${n}`
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )

/** Why what was opened is not what the configuration takes it for: the others would be left out. Undefined: it is. */
const strangeness = Effect.fnUntraced(function* (database: Database, at: number, snapshot: Snapshot, home: Opening) {
  const membership = yield* membershipOf(snapshot)
  const [{ partOf }, { tooFew }] = yield* Effect.promise(() =>
    Promise.all([import("../adapters/storage/postgres.ts"), import("../adapters/storage/cells/cells.ts")])
  )
  const elsewhere = at === 0 ? Effect.undefined : findMisplacement(database, at, membership, home)
  if (membership === undefined) return yield* elsewhere
  const [sort, size] = membership.split("/")
  if (database._tag === "cells" && at > 0)
    return sort === "cell" && size === `${at}` ? yield* elsewhere : "the schema belongs to another store"
  if (database._tag === "cells" && sort === "cells") return yield* tooFew(snapshot.query, database.cells)
  const isPlace = database._tag === "sharded" && sort === `${at + 1}` && size === `${database.urls.length}`
  return isPlace ? yield* elsewhere : partOf(membership)
})

/** `home`: the first database of the store. */
const checkSnapshot = (database: Database, at: number, snapshot: Opening, home: Opening): Opening =>
  Effect.tap(snapshot, (opened) =>
    Effect.flatMap(strangeness(database, at, opened, home), (message) =>
      message === undefined ? Effect.void : Effect.fail(new StorageFault({ message, retryable: false }))
    )
  )

/**
 * The databases of a store, or its cells. Errors: `StorageFault` for a store in memory, which ends with its process. To open one fails so
 * where the configuration has another number of databases or cells than the store.
 */
export const snapshotsOf = ({ database }: Config): Effect.Effect<ReadonlyArray<ReadOnly>, StorageFault> =>
  Effect.gen(function* () {
    const { pgliteSnapshot, postgresSnapshot } = yield* Effect.promise(
      () => import("../adapters/storage/audit/snapshot.ts")
    )
    if (database._tag === "postgres" || database._tag === "sharded")
      return urlsOf(database).map((url, at) => ({
        store: formatUrl(url),
        snapshot: checkSnapshot(database, at, postgresSnapshot(url), postgresSnapshot(urlsOf(database)[0]!))
      }))
    if (database._tag === "cells") {
      const { schemasOf } = yield* Effect.promise(() => import("../adapters/storage/cells/cells.ts"))
      return schemasOf(database.cells).map((schema, at) => ({
        store: formatSchema(database.url, schema),
        snapshot: checkSnapshot(database, at, postgresSnapshot(database.url, schema), postgresSnapshot(database.url))
      }))
    }
    if (database._tag === "pglite" && database.dir !== null)
      return [{ store: `pglite:${database.dir}`, snapshot: pgliteSnapshot(database.dir) }]
    return yield* new StorageFault({ message: "a store in memory ends with its process", retryable: false })
  })

export interface StoreKeys {
  /** The ids of the keys that the store was written under. */
  readonly recorded: ReadonlyArray<string>
  /** Those that are not configured. */
  readonly missing: ReadonlyArray<string>
}

/** The encryption keys of a database against the configured ones. */
export const keysOf = (config: Config, snapshot: Snapshot): Effect.Effect<StoreKeys, StorageFault> =>
  Effect.gen(function* () {
    const [{ aesKey }, { developmentKey }] = yield* Effect.promise(() =>
      Promise.all([import("../adapters/cipher/aes-gcm.ts"), import("../http/config/live.ts")])
    )
    const [row] = yield* snapshot.query("select value from setting where key = 'encryption_keys'")
    const probes = row === undefined ? [] : (JSON.parse(String(row["value"])) as ReadonlyArray<string>)
    const recorded = probes.map((probe) => probe.slice(0, probe.indexOf(":")))
    const given = new Set((config.encryption_keys ?? [developmentKey]).map((text) => aesKey(text).id))
    return { recorded, missing: recorded.filter((key) => !given.has(key)) }
  })
