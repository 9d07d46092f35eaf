/** What the schemas of a store with cells say of each other. */
import { Effect } from "effect"
import { type Difference, readText } from "../../adapters/storage/audit/check.ts"
import type { Snapshot } from "../../adapters/storage/audit/snapshot.ts"
import type { SqlRow } from "../../adapters/storage/sql/driver.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import { type CheckReport, shownMax } from "./run.ts"

const formatKey = (row: SqlRow): string => `${readText(row, "scope")} ${readText(row, "key")}`

const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Reads the cells to which the directory has assigned merchants. Unassigned merchants are in the schema of the directory. */
const readAssignments = (home: Snapshot, merchants: ReadonlyArray<string>) =>
  Effect.map(
    home.query(
      `select substr(key, 19) as merchant_id, value from setting
       where key in (${merchants.map((id) => quoteLiteral(`merchant_database/${id}`)).join()})`
    ),
    (rows) => new Map(rows.map((row) => [readText(row, "merchant_id"), Number(readText(row, "value"))]))
  )

/**
 * Finds merchants that are in another cell than the directory says, and lookup keys that the directory's schema lacks or assigns
 * to a merchant of another cell, from which a look-up would not find them. Which merchant and which resource a key belongs to,
 * only the cell knows: a Change that was refused may have reserved the key. A cell may also have a key of another cell's
 * merchant, by which it refuses that key. `snapshots`: the schema of the directory, and the cells.
 */
export const findCellDifferences = Effect.fnUntraced(function* (
  snapshots: ReadonlyArray<Snapshot>
): Effect.fn.Return<ReadonlyArray<CheckReport>, StorageFault> {
  const home = snapshots[0]!
  const name = (shard: number): string => (shard === 0 ? "the schema of the directory" : `cell ${shard}`)
  const merchants: Array<Difference> = []
  const keys: Array<Difference> = []
  for (const [at, snapshot] of snapshots.entries()) {
    yield* snapshot.each("select merchant_id from resource where kind = 'merchant'", (rows) =>
      Effect.map(
        readAssignments(
          home,
          rows.map((row) => readText(row, "merchant_id"))
        ),
        (assigned) => {
          for (const row of rows) {
            const id = readText(row, "merchant_id")
            const shard = assigned.get(id) ?? 0
            if (shard !== at)
              merchants.push({
                subject: id,
                merchant_id: id,
                expected: `in ${name(shard)}`,
                found: `in ${name(at)}`
              })
          }
        }
      )
    )
    if (at === 0) continue
    yield* snapshot.each("select merchant_id, scope, key, id from lookup_key", (rows) =>
      Effect.gen(function* () {
        const known = yield* home.query(
          `select scope, key, id, merchant_id from lookup_key
           where (scope, key) in (${rows.map((row) => `(${quoteLiteral(readText(row, "scope"))}, ${quoteLiteral(readText(row, "key"))})`).join()})`
        )
        const named = new Set([...rows, ...known].map((row) => readText(row, "merchant_id")))
        const assigned = yield* readAssignments(home, [...named])
        const shardOf = (row: SqlRow): number => assigned.get(readText(row, "merchant_id")) ?? 0
        const shown = (row: SqlRow): string => `${readText(row, "id")}, of a merchant in ${name(shardOf(row))}`
        const byKey = new Map(known.map((row) => [formatKey(row), row]))
        for (const row of rows) {
          const found = byKey.get(formatKey(row))
          if (found !== undefined && shardOf(found) === shardOf(row)) continue
          keys.push({
            subject: `the lookup key ${formatKey(row)} in ${name(0)}`,
            merchant_id: readText(row, "merchant_id"),
            expected: shown(row),
            found: found === undefined ? "none" : shown(found)
          })
        }
      })
    )
  }
  const report = (name: string, differences: ReadonlyArray<Difference>): CheckReport => ({
    name,
    count: differences.length,
    differences: differences.slice(0, shownMax)
  })
  return [report("directory", merchants), report("shared lookup keys", keys)]
})
