/** Measures of the Postgres store: the sums are the same before, during and after roll-ups, and while others write. */
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { expect, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { type MeasureQuery, Storage } from "../../../src/engine/ports/Storage.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { covers } from "../../support/repository/covers.ts"
import { change, fresh, promised, range, rolledUpOnce, row, type Store, T0 } from "./support.ts"

const HOUR = 3_600_000
const FIRST = Math.floor(T0 / HOUR)

const opened = async () => {
  const url = await freshDatabase()
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections: 4 }))
  const store = promised(await runtime.runPromise(Storage))
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const roll = async (limit: number): Promise<boolean> =>
    (await sql<[{ more: boolean }]>`select corridor_roll(${limit}::int) as more`)[0].more
  await rolledUpOnce(store, sql)
  const close = async (): Promise<void> => {
    await sql.end()
    await runtime.dispose()
  }
  return { store, sql, roll, close }
}

const measured = (i: number, outcome: string, seconds = -1): ReadonlyArray<string> => [
  "status=x",
  `measured=${i + 1}|${seconds}|${outcome}|A-B|p${i % 3}`
]

/** Rows that open, and end: two of three succeed, of which every fifth is returned. */
const lived = async (store: Store, merchant: string, from: number, count: number): Promise<void> => {
  await Promise.all(
    range(count).map(async (n) => {
      const i = from + n
      const one = row(merchant, { created_at: T0 + i * 900_000, index_keys: measured(i, "open") })
      const write = (version: number, index_keys: ReadonlyArray<string>) =>
        store.commit(change(merchant, { rows: [{ ...one, version, index_keys }] }))
      await write(1, one.index_keys)
      if (i % 3 === 2) return
      await write(2, measured(i, "succeeded", i % 7))
      if (i % 5 === 0) await write(3, measured(i, "failed"))
    })
  )
}

const query: MeasureQuery = {
  kinds: ["transfer"],
  from: FIRST + 3,
  to: FIRST + 200,
  step: null,
  by_merchant: false,
  by_kind: true,
  tags: [0, 2],
  width: 3
}
const queries: ReadonlyArray<MeasureQuery> = [
  query,
  { ...query, step: "day", tags: [0] },
  { ...query, step: "hour", by_merchant: true, tags: [0, 1, 2] }
]

const seen = async (store: Store, merchant_id: string) => {
  const answers = []
  for (const q of [...queries, { ...query, merchant_id, step: "day" as const }])
    answers.push((await store.measures(q)).map((one) => JSON.stringify(one)).toSorted())
  return answers
}

covers("STATS-1")
it("are the same before, during and after roll-ups of any step, and leave no empty sum", async () => {
  const { close, roll, sql, store } = await opened()
  const [m, n] = [fresh("mer"), fresh("mer")]
  await lived(store, m, 0, 120)
  await lived(store, n, 40, 60)
  const before = await seen(store, m)
  const during = []
  while (await roll(7)) during.push(await seen(store, m))
  const after = await seen(store, m)
  const sums = await sql`select step, (merchant_id = '') as of_all, sum(n)::int as n, sum(amount)::int as amount,
    count(*) filter (where n <= 0)::int as empty from measure group by 1, 2`
  await close()
  expect(during.length).toBeGreaterThan(5)
  for (const one of [...during, after]) expect(one).toEqual(before)
  expect(before[0]!.length).toBeGreaterThan(8)
  const amount = range(120).reduce((sum, i) => sum + i + 1, 0) + range(60).reduce((sum, i) => sum + i + 41, 0)
  expect(sums.map(({ amount: sum, empty, n: count }) => [count, sum, empty])).toEqual(
    range(4).map(() => [180, amount, 0])
  )
})

it("are exact while others write and roll up", async () => {
  const { close, roll, store } = await opened()
  const m = fresh("mer")
  let writing = true
  const rolling = (async () => {
    while (writing) await roll(50)
  })()
  const reading = (async () => {
    const counts: Array<number> = []
    while (writing) {
      const found = await store.measures({ ...query, from: FIRST, tags: [] })
      counts.push(found.reduce((sum, { n }) => sum + n, 0))
    }
    return counts
  })()
  for (const from of [0, 60, 120, 180]) await lived(store, m, from, 60)
  const wanted = await seen(store, m)
  writing = false
  await rolling
  const counts = await reading
  while (await roll(10_000));
  const after = await seen(store, m)
  await close()
  // A row that moves from one sum to another is never counted twice, and never missing.
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(counts.at(-1)).toBeLessThanOrEqual(240)
  expect(after).toEqual(wanted)
})

it("change with rows that are indexed again, rolled up or not", async () => {
  const { close, roll, store } = await opened()
  const m = fresh("mer")
  const rows = range(10).map((i) => row(m, { created_at: T0 + 4 * HOUR, index_keys: measured(i, "open") }))
  for (const one of rows.slice(0, 5)) await store.commit(change(m, { rows: [one] }))
  while (await roll(100));
  for (const one of rows.slice(5)) await store.commit(change(m, { rows: [one] }))
  const again = rows.map(({ id }, i) => ({
    merchant_id: m,
    kind: "transfer",
    id,
    version: 1,
    index_keys: measured(i, "succeeded", 9)
  }))
  const counts = async () => (await store.measures({ ...query, tags: [0] })).map(({ n, tags }) => [tags[0], n])
  expect(await counts()).toEqual([["open", 10]])
  await store.reindex(again)
  expect(await counts()).toEqual([["succeeded", 10]])
  while (await roll(100));
  expect(await counts()).toEqual([["succeeded", 10]])
  await close()
})
