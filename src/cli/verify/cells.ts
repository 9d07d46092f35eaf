/** What the schemas of a store with cells say of each other. */
import { Effect } from "effect"
import { type Difference, textOf } from "../../adapters/storage/audit/check.ts"
import type { Snapshot } from "../../adapters/storage/audit/snapshot.ts"
import type { SqlRow } from "../../adapters/storage/sql/driver.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import { type CheckReport, shownMax } from "./run.ts"

const keyOf = (row: SqlRow): string => `${textOf(row, "scope")} ${textOf(row, "key")}`

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The cells to which the directory has assigned merchants; one that it does not name is in the schema of the directory. */
const assignments = (home: Snapshot, merchants: ReadonlyArray<string>) =>
  Effect.map(
    home.query(
      `select substr(key, 19) as merchant_id, value from setting
       where key in (${merchants.map((id) => quoted(`merchant_database/${id}`)).join()})`
    ),
    (rows) => new Map(rows.map((row) => [textOf(row, "merchant_id"), Number(textOf(row, "value"))]))
  )

/**
 * Each merchant is where the directory says, and the schema of the directory has its lookup keys too, for a merchant of the same cell: a
 * look-up goes on there. For which one, and which resource, only that cell knows: a Change that was refused may have reserved the key. A
 * cell may also have a key of another's merchant, by which it refuses it. `snapshots`: the schema of the directory, and the cells.
 */
export const cellDifferences = Effect.fnUntraced(function* (
  snapshots: ReadonlyArray<Snapshot>
): Effect.fn.Return<ReadonlyArray<CheckReport>, StorageFault> {
  const home = snapshots[0]!
  const name = (shard: number): string => (shard === 0 ? "the schema of the directory" : `cell ${shard}`)
  const merchants: Array<Difference> = []
  const keys: Array<Difference> = []
  for (const [at, snapshot] of snapshots.entries()) {
    yield* snapshot.each("select merchant_id from resource where kind = 'merchant'", (rows) =>
      Effect.map(
        assignments(
          home,
          rows.map((row) => textOf(row, "merchant_id"))
        ),
        (assigned) => {
          for (const row of rows) {
            const id = textOf(row, "merchant_id")
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
           where (scope, key) in (${rows.map((row) => `(${quoted(textOf(row, "scope"))}, ${quoted(textOf(row, "key"))})`).join()})`
        )
        const named = new Set([...rows, ...known].map((row) => textOf(row, "merchant_id")))
        const assigned = yield* assignments(home, [...named])
        const shardOf = (row: SqlRow): number => assigned.get(textOf(row, "merchant_id")) ?? 0
        const shown = (row: SqlRow): string => `${textOf(row, "id")}, of a merchant in ${name(shardOf(row))}`
        const byKey = new Map(known.map((row) => [keyOf(row), row]))
        for (const row of rows) {
          const found = byKey.get(keyOf(row))
          if (found !== undefined && shardOf(found) === shardOf(row)) continue
          keys.push({
            subject: `the lookup key ${keyOf(row)} in ${name(0)}`,
            merchant_id: textOf(row, "merchant_id"),
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
