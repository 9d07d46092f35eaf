/** The databases of a store, without the engine. */
import { Effect, type Scope } from "effect"
import { type Snapshot } from "../adapters/storage/audit/snapshot.ts"
import { StorageFault } from "../engine/ports/errors.ts"
import type { Config } from "../http/config/config.ts"
import type { Database } from "../http/config/values.ts"

/** The name of a database for messages, without its password. */
const shownUrl = (text: string): string => {
  const { host, pathname } = new URL(text)
  return `postgres://${host}${pathname}`
}

const urlsOf = (database: Extract<Database, { readonly _tag: "postgres" | "sharded" }>): ReadonlyArray<string> =>
  database._tag === "sharded" ? database.urls : [database.url]

/** The name of a schema for messages. */
const shownSchema = (url: string, schema: string | undefined): string =>
  schema === undefined ? shownUrl(url) : `${shownUrl(url)} ${schema}`

export interface MigratedStore {
  readonly store: string
  readonly applied: ReadonlyArray<string>
}

/** Applies the migrations to each database and each cell in turn. A store in memory has nothing to apply that lasts. */
export const migrateStore = ({ database }: Config): Effect.Effect<ReadonlyArray<MigratedStore>, StorageFault> =>
  Effect.gen(function* () {
    if (database._tag === "memory" || (database._tag === "pglite" && database.dir === null)) return []
    if (database._tag === "pglite") {
      const { PgliteStorage } = yield* Effect.promise(() => import("../adapters/storage/pglite.ts"))
      return [{ store: `pglite:${database.dir}`, applied: yield* PgliteStorage.migrate(database.dir!) }]
    }
    if (database._tag === "cells") {
      const { CellsStorage } = yield* Effect.promise(() => import("../adapters/storage/cells/cells.ts"))
      return (yield* CellsStorage.migrate(database, database.cells)).map(({ applied, schema }) => ({
        store: shownSchema(database.url, schema),
        applied
      }))
    }
    const { PostgresStorage } = yield* Effect.promise(() => import("../adapters/storage/postgres.ts"))
    return yield* Effect.forEach(urlsOf(database), (url) =>
      Effect.map(PostgresStorage.migrate({ url }), (applied) => ({ store: shownUrl(url), applied }))
    )
  })

/** A database of a store, or a cell, by its name for messages, to be opened for reading alone. */
export interface ReadOnly {
  readonly store: string
  readonly snapshot: Effect.Effect<Snapshot, StorageFault, Scope.Scope>
}

/** The databases of a store, or its cells. Errors: `StorageFault` for a store in memory, which ends with its process. */
export const snapshotsOf = ({ database }: Config): Effect.Effect<ReadonlyArray<ReadOnly>, StorageFault> =>
  Effect.gen(function* () {
    const { pgliteSnapshot, postgresSnapshot } = yield* Effect.promise(
      () => import("../adapters/storage/audit/snapshot.ts")
    )
    if (database._tag === "postgres" || database._tag === "sharded")
      return urlsOf(database).map((url) => ({ store: shownUrl(url), snapshot: postgresSnapshot(url) }))
    if (database._tag === "cells") {
      const { schemasOf } = yield* Effect.promise(() => import("../adapters/storage/cells/cells.ts"))
      return schemasOf(database.cells).map((schema) => ({
        store: shownSchema(database.url, schema),
        snapshot: postgresSnapshot(database.url, schema)
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
