/** What several databases, or cells, of one store say of each other. */
import { Effect } from "effect"
import { type Difference, readText } from "../../adapters/storage/audit/check.ts"
import type { Snapshot } from "../../adapters/storage/audit/snapshot.ts"
import type { SqlRow } from "../../adapters/storage/sql/driver.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import { type CheckReport, shownMax } from "./run.ts"

const formatKey = (row: SqlRow): string => `${readText(row, "scope")} ${readText(row, "key")}`

const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Where the directory of the first one places merchants; one that it does not name is in the first. */
const placesOf = (home: Snapshot, merchants: ReadonlyArray<string>) =>
  Effect.map(
    home.query(
      `select substr(key, 19) as merchant_id, value from setting
       where key in (${merchants.map((id) => quoteLiteral(`merchant_database/${id}`)).join()})`
    ),
    (rows) => new Map(rows.map((row) => [readText(row, "merchant_id"), Number(readText(row, "value"))]))
  )

/**
 * Each merchant is where the directory says, and the first one has its lookup keys too, for a merchant of the same place: a look-up goes on
 * there. For which one, and which resource, only that place knows: a Change that was refused may have reserved the key. A place may
 * also have a key of another's merchant, by which it refuses it. `name`: a place in reports.
 */
export const setDifferences = Effect.fnUntraced(function* (
  snapshots: ReadonlyArray<Snapshot>,
  name: (place: number) => string
): Effect.fn.Return<ReadonlyArray<CheckReport>, StorageFault> {
  const home = snapshots[0]!
  const merchants: Array<Difference> = []
  const keys: Array<Difference> = []
  for (const [at, snapshot] of snapshots.entries()) {
    yield* snapshot.each("select merchant_id from resource where kind = 'merchant'", (rows) =>
      Effect.map(
        placesOf(
          home,
          rows.map((row) => readText(row, "merchant_id"))
        ),
        (places) => {
          for (const row of rows) {
            const id = readText(row, "merchant_id")
            const place = places.get(id) ?? 0
            if (place !== at)
              merchants.push({
                subject: id,
                merchant_id: id,
                expected: `in ${name(place)}`,
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
        const places = yield* placesOf(home, [...named])
        const placeOf = (row: SqlRow): number => places.get(readText(row, "merchant_id")) ?? 0
        const shown = (row: SqlRow): string => `${readText(row, "id")}, of a merchant in ${name(placeOf(row))}`
        const byKey = new Map(known.map((row) => [formatKey(row), row]))
        for (const row of rows) {
          const found = byKey.get(formatKey(row))
          if (found !== undefined && placeOf(found) === placeOf(row)) continue
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
