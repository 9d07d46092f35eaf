/**
 * Gives rows of earlier releases the index keys of this one, once after an upgrade (SEARCH-7). It needs no lock: a row that
 * is written meanwhile has its keys from that write. A pass that is interrupted continues where it was, and nodes that
 * run it at the same time repeat each other.
 */
import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { listIndexKeys } from "../../commit/index-keys.ts"
import { Kinds } from "../../commit/kind.ts"
import { type Reindexed, type Row, type RowKey, Storage } from "../../ports/Storage.ts"

/** Raise it when a kind gets other index keys: every row is then indexed again. */
const INDEX = "3"

const doneSetting = "index_keys"
const cursorSetting = `index_keys.${INDEX}`

/** Rows in one batch, and the delay between two: a tenth of one connection's time. */
const BATCH = 250
const breathMs = 50
/** A starting node serves its callers first. */
const delayMs = 5_000

export class Reindexing extends Context.Service<Reindexing>()("corridor/engine/Reindexing", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const kinds = yield* Kinds

    /** The row with other index keys. Nothing for a row that has them, or of a newer release. */
    const reindexed = (row: Row): ReadonlyArray<Reindexed> => {
      const kind = kinds.byName.get(row.kind)
      if (kind === undefined || !kind.lifecycle.knows(row.machine)) return []
      const index_keys = listIndexKeys(kind, row)
      return index_keys.length === row.index_keys.length && index_keys.every((key) => row.index_keys.includes(key))
        ? []
        : [{ ...rowKeyOf(row), version: row.version, index_keys }]
    }

    const next = Effect.gen(function* () {
      if ((yield* storage.setting(doneSetting)) === INDEX) return false
      const cursor = yield* storage.setting(cursorSetting)
      const rows = yield* storage.rowsHolding("", cursor === undefined ? null : (JSON.parse(cursor) as RowKey), BATCH)
      const last = rows.at(-1)
      if (last === undefined) {
        // An earlier release may run again, and says then that its own pass is done: the next one begins anew.
        yield* storage.assign(cursorSetting, "null")
        yield* storage.assign(doneSetting, INDEX)
        return false
      }
      const changed = rows.flatMap(reindexed)
      if (changed.length > 0) yield* storage.reindex(changed)
      yield* storage.assign(cursorSetting, JSON.stringify(rowKeyOf(last)))
      return true
    })

    const all = Effect.gen(function* () {
      while (yield* next) yield* Effect.sleep(Duration.millis(breathMs))
    }).pipe(
      Effect.tapCause((cause) =>
        Effect.logWarning("rows of an earlier release could not be indexed and will be tried again", cause)
      ),
      Effect.retry(Schedule.spaced(Duration.millis(60_000)))
    )

    return {
      /** Indexes the next rows, and returns whether there are more. Every later call returns false. */
      next,
      /** Indexes all rows, until the scope closes. */
      start:
        storage.volatile === true
          ? Effect.void
          : Effect.asVoid(Effect.forkScoped(Effect.andThen(Effect.sleep(Duration.millis(delayMs)), all)))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const rowKeyOf = ({ merchant_id, kind, id }: Row): RowKey => ({ merchant_id, kind, id })
