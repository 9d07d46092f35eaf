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
import { adapter, type StorageAdapter } from "../../../engine/ports/adapter.ts"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { cellsMax, Storage } from "../../../engine/ports/Storage.ts"
import { isCitusText } from "./citus.ts"
import { type SqlRow, toFault } from "../sql/driver.ts"
import {
  checkUrl,
  MEMBERSHIP,
  describeMembership,
  type Pool,
  type PostgresOptions,
  PostgresStorage,
  serverTakes
} from "../postgres.ts"
import { makeCellsStore } from "./store.ts"

type Store = Storage["Service"]

/** The schema of a cell, from 1. */
export const schemaOf = (cell: number): string => `corridor_${cell}`

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n + 1)

export interface CellsOptions extends PostgresOptions {
  /** The number of cells, from 1 to {@link cellsMax}. It may be raised later, and new merchants are assigned to all of them. */
  readonly cells: number
}

type Ask = (text: string) => Effect.Effect<ReadonlyArray<SqlRow>, StorageFault>

/** The highest cell beyond `count` that holds a merchant. */
const inUse = Effect.fnUntraced(function* (ask: Ask, count: number) {
  const found = yield* ask(
    `select substr(s.nspname, 10) as cell from pg_class c join pg_namespace s on s.oid = c.relnamespace
     where c.relname = 'resource' and s.nspname ~ '^corridor_[0-9]{1,6}$'`
  )
  const beyond = found.map(({ cell }) => Number(cell)).filter((cell) => cell > count)
  for (const cell of beyond.toSorted((a, b) => b - a)) {
    const rows = yield* ask(`select 1 as one from ${schemaOf(cell)}.resource where kind = 'merchant' limit 1`)
    if (rows.length > 0) return cell
  }
  return undefined
})

/** Why a number of cells is too few for a store. Undefined: it is not. */
export const tooFew = (ask: Ask, count: number): Effect.Effect<string | undefined, StorageFault> =>
  Effect.map(inUse(ask, count), (used) =>
    used === undefined
      ? undefined
      : `cells=${count} is too few: cell ${used} holds merchants; configure at least cells=${used}`
  )

/**
 * Records the cells in the schema of the directory, and in each cell whose it is; or checks what is recorded.
 *
 * Errors: `StorageFault` when the database is a part of another store, when a schema is a cell of another store, or when a cell beyond
 * `cells` holds merchants.
 */
const joinCells = Effect.fnUntraced(function* (pool: Pool, home: Store, cells: ReadonlyArray<Store>) {
  const refuse = (message: string) => new StorageFault({ message, retryable: false })
  const count = cells.length
  const recorded = yield* home.define(MEMBERSHIP, `cells/${count}/${crypto.randomUUID()}`)
  const [sort, size, store] = recorded.split("/")
  if (sort !== "cells") return yield* refuse(describeMembership(recorded)!)
  const ask: Ask = (text) => Effect.tryPromise({ try: () => pool.query(text, []), catch: toFault })
  const why = yield* tooFew(ask, count)
  if (why !== undefined) return yield* refuse(why)
  for (const [n, cell] of cells.entries()) {
    const own = `cell/${n + 1}/${store}`
    if ((yield* cell.define(MEMBERSHIP, own)) !== own)
      return yield* refuse(`the schema ${schemaOf(n + 1)} belongs to another store`)
  }
  if (Number(size) !== count) yield* home.assign(MEMBERSHIP, `cells/${count}/${store}`)
})

const isOnCitus = ({ query }: Pool): Effect.Effect<boolean, StorageFault> =>
  Effect.map(Effect.tryPromise({ try: () => query(isCitusText, []), catch: toFault }), (rows) => rows.length > 0)

const openCells = ({ cells: count, ...options }: CellsOptions): Effect.Effect<Store, StorageFault, Scope.Scope> =>
  Effect.gen(function* () {
    if (!Number.isInteger(count) || count < 1 || count > cellsMax) {
      const message = `cells is ${count}; it takes a whole number from 1 to ${cellsMax}`
      return yield* new StorageFault({ message, retryable: false })
    }
    yield* migrateCells(options, count)
    const pool = yield* PostgresStorage.pool(options, true)
    const isCitus = yield* isOnCitus(pool)
    const home = pool.store()
    const cells = range(count).map((cell) => pool.store(schemaOf(cell), isCitus))
    yield* joinCells(pool, home, cells)
    const store = makeCellsStore([home, ...cells])
    // A node that has nothing to do asks once, whatever the number of cells. Citus plans a statement for one cell.
    return isCitus ? store : { ...store, pending: pool.pending(schemasOf(count)) }
  })

/** A schema of a store, by its name for messages: undefined for that of the directory. */
export interface Migrated {
  readonly schema: string | undefined
  readonly applied: ReadonlyArray<string>
}

/** The schemas of a store with cells. */
export const schemasOf = (count: number): ReadonlyArray<string | undefined> => [
  undefined,
  ...range(count).map(schemaOf)
]

const migrateCells = (
  options: Pick<PostgresOptions, "url">,
  count: number
): Effect.Effect<ReadonlyArray<Migrated>, StorageFault> => {
  const schemas = schemasOf(count)
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
 * Cells of one Postgres database, shared by any number of nodes.
 *
 * Errors: throws `TypeError` for an option that it does not have.
 */
export const cellsStorage = (options: CellsOptions): StorageAdapter => {
  checkOptions("cellsStorage", options, { url: "string", cells: "number", ...serverTakes })
  checkUrl("cellsStorage: url", options.url)
  return adapter("storage", CellsStorage.layer(options))
}
