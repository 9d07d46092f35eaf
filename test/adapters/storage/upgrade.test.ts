/** A store that an earlier release has written: what it counts, lists and finds is the same after the upgrade, and goes on. */
import { PGlite } from "@electric-sql/pglite"
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, expect, it } from "vitest"
import { historyChecks } from "../../../src/adapters/storage/audit/history.ts"
import { ledgerChecks } from "../../../src/adapters/storage/audit/ledger.ts"
import { listChecks } from "../../../src/adapters/storage/audit/lists.ts"
import { inSchema } from "../../../src/adapters/storage/cells/names.ts"
import { migrationNames, migrationScript } from "../../../src/adapters/storage/migrations.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { partsOf, optimistic } from "../../../src/adapters/storage/sql/encode.ts"
import type { SqlRow } from "../../../src/adapters/storage/sql/driver.ts"
import { type Change, type RowWrite, Storage } from "../../../src/engine/ports/Storage.ts"
import { query as asked } from "../../support/stores/database.ts"
import { change, event, idempotency, posting, promised, range, row, T0 } from "./support.ts"
import { serverUrl } from "../../support/stores/run-server.ts"

/** A database, or a schema of one, as statements. */
interface Place {
  readonly script: (text: string) => Promise<unknown>
  readonly query: (text: string, params?: ReadonlyArray<string>) => Promise<ReadonlyArray<SqlRow>>
}

const ends: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const emptyDatabase = async (): Promise<string> => {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  await asked(await serverUrl(), `create database ${name}`)
  return (await serverUrl()).replace(/\/postgres$/, `/${name}`)
}

const onServer = (url: string, schema?: string): Place => {
  const sql = postgres(url, { max: 1, onnotice: () => {}, ...(schema && { connection: { search_path: schema } }) })
  ends.push(() => sql.end())
  const named = schema === undefined ? (text: string) => text : inSchema(schema)
  return {
    script: (text) => sql.unsafe(text).simple(),
    query: async (text, params = []) => (await sql.unsafe(named(text), [...params])) as unknown as ReadonlyArray<SqlRow>
  }
}

const embedded = async (): Promise<Place> => {
  const db = await PGlite.create("memory://")
  ends.push(() => db.close())
  return {
    script: (text) => db.exec(text),
    query: async (text, params = []) => (await db.query<SqlRow>(text, [...params])).rows
  }
}

/** The files before this one wrote the rows under their index keys, and what rows gain and lose, in another way. */
const earlier = migrationNames.slice(0, migrationNames.indexOf("0008_lean.sql"))

const merchant = "mer_upgraded"

const keysOf = (n: number, status: string): ReadonlyArray<string> => [
  `status=${status}`,
  `wallet_id=wal_${n % 3}`,
  `reference=ref-${n}`,
  "type=transfer",
  `payin_id=pay_${n % 5}`,
  `measured=${100 + n}|${status === "success" ? 2 : -1}|${status}|USDC`,
  `search_id=reference:ref-${n}`,
  `search_id=name:ada ${n}`
]

const rowOf = (n: number, version: number, status: string): RowWrite =>
  row(merchant, {
    id: `tfr_${String(n).padStart(4, "0")}`,
    version,
    state: status,
    status,
    from: version === 1 ? null : "processing",
    created_at: T0 + n * 1000,
    event_count: 1,
    index_keys: keysOf(n, status),
    hidden: n === 9 && version === 2
  })

const begun = (n: number): Change => {
  const one = rowOf(n, 1, "processing")
  return change(merchant, {
    idempotency: idempotency(`key-${n}`, { response: `{"id":"${one.id}"}` }),
    rows: [one],
    events: [event({ object_id: one.id, created_at: one.created_at })],
    postings: [posting("world", `available:wal_${n % 3}`, 5, { resource_id: one.id })]
  })
}

const ended = (n: number, index_keys = keysOf(n, "success")): Change =>
  change(merchant, { rows: [{ ...rowOf(n, 2, "success"), index_keys }] })

const commit = async ({ query }: Place, one: Change): Promise<void> => {
  const { params, text } = optimistic(partsOf([one], "caller"), "caller")!
  expect(await query(text, params)).toEqual([])
}

const rolled = async ({ query }: Place): Promise<void> => {
  await expect.poll(async () => (await query("select corridor_roll(1000)::text as more"))[0]!["more"]).toBe("false")
}

const differences = async ({ query }: Place): Promise<ReadonlyArray<unknown>> => {
  const found: Array<unknown> = []
  for (const check of [...historyChecks(null), ...listChecks, ...ledgerChecks]) {
    for (const one of await query(check.text)) {
      const difference = check.difference(one)
      if (difference !== undefined) found.push({ check: check.name, ...difference })
    }
  }
  return found
}

/** Ten transfers, of which half have ended; a part of them is counted, and the rest is in the tail. */
const filled = async (place: Place, schema?: string): Promise<void> => {
  await place.script(migrationScript(schema, earlier))
  for (const n of range(6)) await commit(place, begun(n))
  await commit(place, ended(0))
  await rolled(place)
  for (const n of range(4)) await commit(place, begun(n + 6))
  for (const n of [1, 6, 9]) await commit(place, ended(n))
}

it.each([
  ["Postgres", async () => onServer(await emptyDatabase()), undefined],
  ["a cell", async () => onServer(await emptyDatabase(), "corridor_1"), "corridor_1"],
  ["PGlite", embedded, undefined]
] as const)("in %s has no difference after the upgrade, nor after later writes", async (_, open, schema) => {
  const place = await open()
  await filled(place, schema)
  const counted =
    "select n::text as n from (select sum(n) as n from (select n from list_counter c where index_key = 'wallet_id=wal_0' union all select n from row_movement m where index_key = 'wallet_id=wal_0' and xid >= corridor_mark()) x) y"
  expect(await place.query(counted)).toEqual([{ n: "3" }])
  await place.script(migrationScript(schema))
  await place.script(migrationScript(schema))
  expect(await place.query(counted)).toEqual([{ n: "3" }])
  expect(await differences(place)).toEqual([])
  const few = "select count(*)::text as n from list_counter where index_key like 'payin%'"
  expect(await place.query(few)).toEqual([{ n: "0" }])
  // A row of before loses what it had, in the tail and in what is counted.
  await commit(place, ended(2, ["status=success", "wallet_id=wal_9", "exact_id=reference:ref-2"]))
  await commit(place, ended(7))
  expect(await differences(place)).toEqual([])
  await rolled(place)
  expect(await differences(place)).toEqual([])
  const left =
    "select (select count(*) from row_change)::text as changes, (select count(*) from key_entry)::text as entries"
  expect(await place.query(left)).toEqual([{ changes: "0", entries: "18" }])
})

it("lists, counts, finds and answers what it did", async () => {
  const url = await emptyDatabase()
  await filled(onServer(url))
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections: 2 }))
  ends.push(() => runtime.dispose())
  const store = promised(await runtime.runPromise(Storage))
  const listed = async (...index_keys: ReadonlyArray<string>) => {
    const page = await store.list({ merchant_id: merchant, kinds: ["transfer"], index_keys, offset: 0, limit: 20 })
    expect(page.items).toHaveLength(page.total)
    return page.items.map(({ id }) => Number(id.slice(4)))
  }
  const found = async (keys: ReadonlyArray<string>, prefixes: ReadonlyArray<string> = []) =>
    (await store.matches({ keys, prefixes, kinds: ["transfer"], limit: 20 }))
      .map(({ id }) => Number(id.slice(4)))
      .toSorted()
  expect((await store.idempotencyRecord(merchant, "key-4", T0))?.response).toBe('{"id":"tfr_0004"}')
  expect(await listed()).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0])
  expect(await listed("wallet_id=wal_1")).toEqual([7, 4, 1])
  expect(await listed("wallet_id=wal_0", "status=success")).toEqual([6, 0])
  expect(await listed("status=success")).toEqual([6, 1, 0])
  expect(await listed("payin_id=pay_1")).toEqual([6, 1])
  expect(await found(["search_id=reference:ref-4"], ["search_id=name:ada"])).toEqual([0, 1, 2, 3, 4, 4, 5, 6, 7, 8])
  expect(
    await store.reindex([
      {
        merchant_id: merchant,
        kind: "transfer",
        id: "tfr_0004",
        version: 1,
        index_keys: ["wallet_id=wal_2", "exact_id=reference:ref-4"]
      }
    ])
  ).toBe(1)
  expect(await listed("wallet_id=wal_1")).toEqual([7, 1])
  expect(await listed("wallet_id=wal_2")).toEqual([8, 5, 4, 2])
  expect([await found(["search_id=reference:ref-4"]), await found(["exact_id=reference:ref-4"])]).toEqual([[], [4]])
  expect(await differences(onServer(url))).toEqual([])
})

const counting = "select pg_advisory_xact_lock(4736214, corridor_counter_lock())"

it.each([
  ["a roll-up, which comes to events", 10, counting, "table event"],
  ["a roll-up of a release before, which comes to transitions", 7, counting, "table transition"]
] as const)("waits for %s", async (_, files, first, then) => {
  const url = await emptyDatabase()
  const [node, later] = [onServer(url), onServer(url)]
  await node.script(migrationScript(undefined, migrationNames.slice(0, files)))
  await node.query("begin")
  await node.query(first)
  const upgrade = Promise.resolve(later.script(migrationScript()))
  const waiting =
    "select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await expect.poll(() => asked(url, waiting)).toHaveLength(1)
  // Where the upgrade holds what the node comes to, one of the two fails: each waits for the other.
  await node.query(then)
  await node.query("commit")
  await upgrade
  expect(await node.query("select count(*)::int as n from migration")).toEqual([{ n: migrationNames.length }])
})
