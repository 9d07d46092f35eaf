/** Each half of each check of `corridor verify` by a corruption that it alone finds. */
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { postgresSnapshot } from "../../src/adapters/storage/audit/snapshot.ts"
import { verifyDatabase } from "../../src/cli/verify/run.ts"
import { findCellDifferences } from "../../src/cli/verify/cells.ts"
import { corridor } from "../support/cli/command-line.ts"
import { findings } from "../support/cli/findings.ts"
import { historyDatabase } from "../support/cli/history.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase, query } from "../support/stores/database.ts"
import { CellsStorage, listSchemas } from "../../src/adapters/storage/cells/cells.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { change, fresh, row } from "../adapters/storage/support.ts"

/** `check subject` of each difference. */
const differencesOf = (url: string): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { checks } = yield* verifyDatabase(yield* postgresSnapshot(url), null, () => {})
        return checks.flatMap(({ differences, name }) => differences.map(({ subject }) => `${name} ${subject}`))
      })
    )
  )

describe("a check of corridor verify", () => {
  let template: string
  let healthy: ReadonlyArray<string>
  beforeAll(async () => {
    template = await historyDatabase()
    healthy = await differencesOf(template)
  })

  it("finds nothing on a store whose counters were rolled up", () => {
    expect(healthy).toEqual([])
  })

  covers("VERIFY-2")
  it.each(findings.map((one) => [one.what, one] as const))("finds %s", async (_, { also, check, subject, text }) => {
    const url = await freshDatabase(template)
    const [row] = await query<Readonly<Record<string, unknown>>>(url, text)
    expect(row, "the history has nothing for it").toBeDefined()
    const found = await differencesOf(url)
    expect(found).toContain(`${check} ${subject(row!)}`)
    expect(found.filter((one) => one !== `${check} ${subject(row!)}` && !also.test(one))).toEqual([])
  })
})

describe("the checks of a store with cells", () => {
  const merchant = (schema: string, id: string): string => `
    insert into ${schema}.resource (merchant_id, kind, id, version, machine, state, status, created_at, updated_at, hidden, event_count, index_keys, data)
    values ('${id}', 'merchant', '${id}', 1, '1', 'active', 'active', 0, 0, false, 0, '{}', '{}')`
  const key = (schema: string, of: string, id: string): string =>
    `insert into ${schema}.lookup_key (scope, key, merchant_id, kind, id) values ('api_key', '${of}', 'mer_first', 'api_key', '${id}')`
  const assigned = (id: string, cell: number): string =>
    `insert into setting (key, value) values ('merchant_database/${id}', '${cell}')`
  const opened = async (cells: number): Promise<string> => {
    const url = await freshDatabase()
    await Effect.runPromise(CellsStorage.migrate({ url }, cells))
    return url
  }

  it("find a merchant elsewhere than the directory says, and one that it does not name in a cell", async () => {
    const url = await opened(1)
    for (const id of ["mer_right", "mer_moved", "mer_unnamed"]) await query(url, merchant("corridor_1", id))
    for (const id of ["mer_home", "mer_away"]) await query(url, merchant("public", id))
    await query(url, assigned("mer_right", 1))
    await query(url, assigned("mer_moved", 0))
    await query(url, assigned("mer_away", 1))
    const [directory] = await between(url, 1)
    expect(directory).toEqual([
      "mer_away: expected in cell 1; found in the schema of the directory",
      "mer_moved: expected in the schema of the directory; found in cell 1",
      "mer_unnamed: expected in the schema of the directory; found in cell 1"
    ])
  })

  it("find a lookup key that the schema of the directory lacks, or has for a merchant elsewhere", async () => {
    const url = await opened(1)
    for (const one of ["same", "lost", "other"]) await query(url, key("corridor_1", one, `key_${one}`))
    await query(url, key("public", "same", "key_same"))
    await query(url, key("public", "other", "key_of_another").replace("mer_first", "mer_elsewhere"))
    await query(url, assigned("mer_first", 1))
    const [, keys] = await between(url, 1)
    expect(keys).toEqual([
      "the lookup key api_key lost in the schema of the directory: expected key_lost, of a merchant in cell 1; found none",
      "the lookup key api_key other in the schema of the directory: expected key_other, of a merchant in cell 1; found key_of_another, of a merchant in the schema of the directory"
    ])
  })

  covers("VERIFY-1")
  it("find nothing of a lookup key that a refused Change has reserved, and another committed", async () => {
    const url = await freshDatabase()
    await Effect.runPromise(
      Effect.gen(function* () {
        const storage = yield* Storage
        for (let n = 0; n < 16; n++) {
          const [own, other] = [fresh("mer"), fresh("mer")]
          const made = (merchant_id: string, id: string, version: number) =>
            change(merchant_id, {
              rows: [row(merchant_id, { kind: "api_key", id, version })],
              lookup_keys: [{ scope: "api_key", key: `${n}`, kind: "api_key", id }]
            })
          // The row that it changes does not exist: it is decided again, under another id.
          expect(yield* storage.commit(made(own, "key_first", 5))).toMatchObject({ _tag: "VersionConflict" })
          expect(yield* storage.commit(made(own, "key_second", 1))).toEqual({ _tag: "Committed" })
          // Most of these merchants are in another cell, which refuses by a copy of the reservation.
          expect(yield* storage.commit(made(other, "key_third", 1))).toMatchObject({
            _tag: "Taken",
            owner: "key_second"
          })
          expect(yield* storage.lookup("api_key", `${n}`)).toMatchObject({ id: "key_second" })
        }
      }).pipe(Effect.provide(CellsStorage.layer({ url, cells: 3 })), Effect.scoped)
    )
    const cells = await Promise.all(
      [1, 2, 3].map((cell) => query<{ id: string }>(url, `select id from corridor_${cell}.lookup_key`))
    )
    expect(new Set(cells.flat().map(({ id }) => id))).toEqual(new Set(["key_first", "key_second"]))
    expect(await between(url, 3)).toEqual([[], []])
  })

  covers("CELLS-5", "VERIFY-1")
  it("are not made where another schema stands in the place of a cell", async () => {
    const placing = (url: string) =>
      Effect.runPromise(
        Effect.flatMap(Storage, (storage) =>
          Effect.forEach(Array.from({ length: 16 }), () => {
            const id = fresh("mer")
            return storage.commit(change(id, { rows: [row(id, { kind: "merchant", id })] }))
          })
        ).pipe(Effect.provide(CellsStorage.layer({ url, cells: 2 })), Effect.scoped)
      )
    const [another, renumbered, lost] = await Promise.all([freshDatabase(), freshDatabase(), freshDatabase()])
    for (const url of [another, renumbered, lost]) await placing(url)
    const recorded = (url: string, value: string) =>
      query(url, `update corridor_2.setting set value = '${value}' where key = 'database'`)
    await recorded(another, "cell/2/another")
    await recorded(renumbered, "cell/1/another")
    await query(lost, "drop schema corridor_2 cascade")
    await Effect.runPromise(CellsStorage.migrate({ url: lost }, 2))
    for (const command of ["verify", "upgrade --check", "migrate", "doctor"])
      for (const [url, why] of [
        [another, "cell 2 belongs to another store"],
        [renumbered, "the schema belongs to another store"],
        [lost, /cell 2 is not the one that holds its merchants, of which the directory has \d+/]
      ] as const) {
        const { code, errors, out } = await corridor(command.split(" "), { DATABASE_URL: `${url}?cells=2` })
        const sentence = expect.stringMatching(why)
        expect([command, code, `${errors.join()}${out}`]).toEqual([command, command === "doctor" ? 1 : 3, sentence])
      }
    // A store that is new, or whose first start was killed, may be migrated.
    const begun = await freshDatabase()
    await query(begun, "insert into setting (key, value) values ('database', 'cells/2/one')")
    const { code } = await corridor(["migrate"], { DATABASE_URL: `${begun}?cells=2` })
    expect(code).toBe(0)
  })

  const between = (url: string, cells: number): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const snapshots = yield* Effect.forEach(listSchemas(cells), (schema) => postgresSnapshot(url, schema))
          const reports = yield* findCellDifferences(snapshots)
          return reports.map(({ differences }) =>
            differences
              .map(({ expected, found, subject }) => `${subject}: expected ${expected}; found ${found}`)
              .toSorted()
          )
        })
      )
    )
})
