/** The migrations of a database against those of this release. */
import { Effect } from "effect"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { isUnreleased, migrationHash, migrationNames, describeRefusal } from "../migrations.ts"
import { readText } from "./check.ts"
import type { Snapshot } from "./snapshot.ts"

export interface Migrations {
  /** Of this release, not in the database. */
  readonly missing: ReadonlyArray<string>
  /** In the database, not of this release: a newer release has migrated it. */
  readonly unknown: ReadonlyArray<string>
  /** Of this release, but applied from another file. */
  readonly different: ReadonlyArray<string>
}

/** Whether a database has no tables yet. */
export const hasNoTables = ({ missing }: Migrations): boolean => missing.includes(migrationNames[0])

/**
 * Reads which migrations a database has applied, against those of this release. Errors: `StorageFault` also for a store that a
 * build before the first release made.
 */
export const readMigrations = (snapshot: Snapshot): Effect.Effect<Migrations, StorageFault> =>
  Effect.gen(function* () {
    const [{ exists } = {}] = yield* snapshot.query("select to_regclass('migration')::text as exists")
    const rows = typeof exists === "string" ? yield* snapshot.query("select name, hash from migration") : []
    const applied = new Map(rows.map((row) => [readText(row, "name"), readText(row, "hash")]))
    const known: ReadonlyArray<string> = migrationNames
    const unreleased = [...applied.keys()].find(isUnreleased)
    if (unreleased !== undefined)
      return yield* new StorageFault({ message: describeRefusal(unreleased), retryable: false })
    return {
      missing: known.filter((name) => !applied.has(name)),
      unknown: [...applied.keys()].filter((name) => !known.includes(name)).toSorted(),
      different: known.filter((name) => applied.has(name) && applied.get(name) !== migrationHash(name))
    }
  })
