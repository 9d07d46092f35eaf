/** Each half of each check of `corridor verify` by a corruption that it alone finds. */
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { postgresSnapshot } from "../../src/adapters/storage/audit/snapshot.ts"
import { verifyDatabase } from "../../src/cli/verify/run.ts"
import { setDifferences } from "../../src/cli/verify/set.ts"
import { corridor } from "../support/cli/command-line.ts"
import { findings } from "../support/cli/findings.ts"
import { historyDatabase } from "../support/cli/history.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase, query } from "../support/stores/database.ts"
import { ShardedStorage } from "../../src/adapters/storage/sharded.ts"
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

describe("the checks of a set of databases", () => {
  const merchant = (id: string): string => `
    insert into resource (merchant_id, kind, id, version, machine, state, status, created_at, updated_at, hidden, event_count, index_keys, data)
    values ('${id}', 'merchant', '${id}', 1, '1', 'active', 'active', 0, 0, false, 0, '{}', '{}')`
  const key = (of: string, id: string): string =>
    `insert into lookup_key (scope, key, merchant_id, kind, id) values ('api_key', '${of}', 'mer_second', 'api_key', '${id}')`

  it("find a merchant elsewhere than the directory says, and one that it does not name outside the first", async () => {
    const urls = [await freshDatabase(), await freshDatabase()]
    const [first, second] = urls as [string, string]
    const placed = (id: string, place: number): string =>
      `insert into setting (key, value) values ('merchant_database/${id}', '${place}')`
    for (const id of ["mer_right", "mer_moved"]) await query(second, merchant(id))
    for (const id of ["mer_home", "mer_away"]) await query(first, merchant(id))
    await query(second, merchant("mer_unnamed"))
    await query(first, placed("mer_right", 1))
    await query(first, placed("mer_moved", 0))
    await query(first, placed("mer_away", 1))
    const [directory] = await between(urls)
    expect(directory).toEqual([
      "mer_away: expected in database 2; found in database 1",
      "mer_moved: expected in database 1; found in database 2",
      "mer_unnamed: expected in database 1; found in database 2"
    ])
  })

  it("find a lookup key that the first database lacks, or has for a merchant elsewhere", async () => {
    const urls = [await freshDatabase(), await freshDatabase()]
    const [first, second] = urls as [string, string]
    for (const one of ["same", "lost", "other"]) await query(second, key(one, `key_${one}`))
    await query(first, key("same", "key_same"))
    await query(first, key("other", "key_of_another").replace("mer_second", "mer_elsewhere"))
    await query(first, "insert into setting (key, value) values ('merchant_database/mer_second', '1')")
    const [, keys] = await between(urls)
    expect(keys).toEqual([
      "the lookup key api_key lost in database 1: expected key_lost, of a merchant in database 2; found none",
      "the lookup key api_key other in database 1: expected key_other, of a merchant in database 2; found key_of_another, of a merchant in database 1"
    ])
  })

  covers("VERIFY-1")
  it("find nothing of a lookup key that a refused Change has reserved, and another committed", async () => {
    const urls = [await freshDatabase(), await freshDatabase(), await freshDatabase()] as const
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
          // Most of these merchants are in another database, which refuses by a copy of the reservation.
          expect(yield* storage.commit(made(other, "key_third", 1))).toMatchObject({
            _tag: "Taken",
            owner: "key_second"
          })
          expect(yield* storage.lookup("api_key", `${n}`)).toMatchObject({ id: "key_second" })
        }
      }).pipe(Effect.provide(ShardedStorage.layer({ urls })), Effect.scoped)
    )
    const others = await Promise.all(
      urls.slice(1).map((url) => query<{ id: string }>(url, "select id from lookup_key"))
    )
    expect(new Set(others.flat().map(({ id }) => id))).toEqual(new Set(["key_first", "key_second"]))
    expect(await between(urls)).toEqual([[], []])
  })

  covers("CELLS-5", "VERIFY-1")
  it("are not made of a set in which another database stands in the place of one", async () => {
    const [a, b, c, d, fresh1, fresh2] = await Promise.all(Array.from({ length: 6 }, () => freshDatabase()))
    const placing = (urls: readonly [string, string]) =>
      Effect.runPromise(
        Effect.flatMap(Storage, (storage) =>
          Effect.forEach(Array.from({ length: 16 }), () => {
            const id = fresh("mer")
            return storage.commit(change(id, { rows: [row(id, { kind: "merchant", id })] }))
          })
        ).pipe(Effect.provide(ShardedStorage.layer({ urls })), Effect.scoped)
      )
    await placing([a!, b!])
    await placing([c!, d!])
    const another = "database 2 of 2 belongs to another store"
    const lost = /database 2 of 2 is not the one that holds its merchants, of which the directory has \d+/
    for (const command of ["verify", "upgrade --check", "migrate", "doctor"])
      for (const [urls, why] of [
        [[a, d], another],
        [[fresh1, d], another],
        [[a, fresh1], lost]
      ] as const) {
        const { code, errors, out } = await corridor(command.split(" "), { DATABASE_URL: urls.join() })
        const sentence = expect.stringMatching(why)
        expect([command, code, `${errors.join()}${out}`]).toEqual([command, command === "doctor" ? 1 : 3, sentence])
      }
    // A set that is new, or whose first start was killed, may be migrated.
    await query(fresh1!, "insert into setting (key, value) values ('database', '1/2/one')")
    const { code } = await corridor(["migrate"], { DATABASE_URL: `${fresh1},${fresh2}` })
    expect(code).toBe(0)
  })

  const between = (urls: ReadonlyArray<string>): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const snapshots = yield* Effect.forEach(urls, (url) => postgresSnapshot(url))
          const reports = yield* setDifferences(snapshots, (place) => `database ${place + 1}`)
          return reports.map(({ differences }) =>
            differences
              .map(({ expected, found, subject }) => `${subject}: expected ${expected}; found ${found}`)
              .toSorted()
          )
        })
      )
    )
})
