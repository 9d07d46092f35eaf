/** Query plans of lists: which indexes they use, and how the list counters are rolled up. */
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeEventsStatement, makeListStatement, type ListStatement } from "../../../src/adapters/storage/sql/lists.ts"
import {
  makeAccountsStatement,
  makeBacklogStatement,
  makeEntriesStatement,
  makeIdleStatement,
  makeMatchStatement,
  makeMeasureStatement,
  makePlatformBalancesStatement,
  makeStalledStatement
} from "../../../src/adapters/storage/sql/operator-lists.ts"
import { makeWalkStatement } from "../../../src/adapters/storage/sql/reads.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { guarded } from "../../../src/machines/kernel/ledger.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { change, event, fresh, posting, promised, range, rolledUpOnce, row, type Store, T0 } from "./support.ts"

const HOUR = 3_600_000

type Sql = ReturnType<typeof postgres>

const opened = async () => {
  const url = await freshDatabase()
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections: 4 }))
  const store = promised(await runtime.runPromise(Storage))
  // As in the store's own connections.
  const sql = postgres(url, {
    max: 2,
    onnotice: () => {},
    connection: { enable_seqscan: "off", enable_bitmapscan: "off" } as Record<string, string>
  })
  await rolledUpOnce(store, sql)
  const close = async (): Promise<void> => {
    await sql.end()
    await runtime.dispose()
  }
  return { store, sql, close }
}

const roll = async (sql: Sql, limit: number): Promise<boolean> =>
  ((await sql.unsafe("select corridor_roll($1::int) as more", [limit])) as unknown as [{ more: boolean }])[0].more

/** Rolls up until nothing is left, and returns what is left. The store's own roll-up and the server's upkeep can hold one back. */
const rolledUp = async (sql: Sql, limit: number, each: () => Promise<void> = async () => {}): Promise<number> => {
  for (let n = 0; ; n++) {
    while (await roll(sql, limit)) await each()
    const [{ tail }] = (await sql.unsafe(
      `select count(*)::int as tail from (
        select xid from row_change union all select xid from event union all select xid from posting
      ) x where xid >= corridor_mark()`
    )) as unknown as [{ tail: number }]
    if (tail === 0 || n === 500) return tail
    await new Promise((later) => setTimeout(later, 10))
  }
}

const lived = async (store: Store, merchant: string, count: number): Promise<void> => {
  await Promise.all(
    range(count).map(async (i) => {
      const r = row(merchant, {
        kind: ["transfer", "offramp", "deposit"][i % 3]!,
        created_at: T0 + i * 400_000,
        index_keys: [
          "status=processing",
          `wallet_id=wal_${i % 5}`,
          "customer_id=cust_1",
          "type=x",
          `search_id=r${i}`,
          `exact_id=r${i}`,
          `measured=1|-1|open|A|B`
        ]
      })
      await store.commit(
        change(merchant, {
          rows: [r],
          events: [event({ object_id: r.id, created_at: r.created_at })],
          postings: [posting("world", `available:wal_${i % 5}`, 2), posting(`available:wal_${i % 5}`, "fees", 1)]
        })
      )
      if (i % 4 !== 0) {
        await store.commit(
          change(merchant, {
            rows: [
              {
                ...r,
                version: 2,
                status: "success",
                index_keys: [
                  "status=success",
                  `wallet_id=wal_${i % 5}`,
                  "customer_id=cust_1",
                  "type=x",
                  "measured=1|5|done|A|B"
                ]
              }
            ]
          })
        )
      }
    })
  )
}

const span = { created_after: T0 + 1_000_000, created_before: T0 + 20 * HOUR }
const page = { offset: 100, limit: 50 }
const idle = {
  waits: [{ kind: "transfer", status: "processing", until: "expiry" }],
  under_way: ["submitting", "unknown"],
  steps: ["batch/part"],
  before: T0 + 100 * HOUR,
  now: T0 + 100 * HOUR,
  offset: 0,
  limit: 50
}

const measures = {
  kinds: ["transfer", "offramp"],
  from: Math.floor(T0 / HOUR) + 3,
  to: Math.floor(T0 / HOUR) + 60,
  step: "day",
  by_merchant: false,
  by_kind: true,
  tags: [0],
  width: 3
} as const

const walk = { queues: ["delivery"], after: "dlv_1", limit: 50 } as const

const search = {
  keys: ["search_id=r1", "exact_id=r2"],
  prefixes: ["search_id=r3"],
  kinds: ["transfer", "offramp"],
  limit: 100
}

/** The lists of `/v1` and of the operator, each with a kind of its own. */
const lists = (merchant_id: string): Readonly<Record<string, ListStatement>> => {
  const all = { merchant_id, kinds: ["transfer", "offramp", "deposit"], ...page }
  return {
    "no filter": makeListStatement({ ...all, index_keys: [] }),
    "one kind": makeListStatement({ ...all, kinds: ["transfer"], index_keys: [] }),
    "a word": makeListStatement({ ...all, index_keys: ["status=success"] }),
    "two words": makeListStatement({ ...all, index_keys: ["status=success", "type=x"] }),
    dates: makeListStatement({ ...all, index_keys: [], ...span }),
    "a word and dates": makeListStatement({ ...all, index_keys: ["status=success"], ...span }),
    "an id": makeListStatement({ ...all, index_keys: ["wallet_id=wal_1"] }),
    "an id and dates": makeListStatement({ ...all, index_keys: ["wallet_id=wal_1"], ...span }),
    "an id and a word": makeListStatement({ ...all, index_keys: ["wallet_id=wal_1", "status=success"] }),
    "two ids": makeListStatement({ ...all, index_keys: ["customer_id=cust_1", "wallet_id=wal_1"] }),
    "a reference": makeListStatement({ ...all, index_keys: ["reference=r"] }),
    "all merchants": makeListStatement({ kinds: ["transfer"], index_keys: [], ...page }),
    "all merchants, a word": makeListStatement({ kinds: ["transfer"], index_keys: ["status=success"], ...page }),
    events: makeEventsStatement({ merchant_id, ...page }),
    "events of a category": makeEventsStatement({ merchant_id, category: "transfer", ...page }),
    "events of a type": makeEventsStatement({ merchant_id, type: "transfer.success", ...page }),
    "events of an object": makeEventsStatement({ merchant_id, object_id: "tfr_1", ...page }),
    "events in dates": makeEventsStatement({ merchant_id, ...span, ...page }),
    "entries of a wallet": makeEntriesStatement("available:wal_1", 100, 50),
    "entries of the platform": makeEntriesStatement("world", 100, 50),
    accounts: makeAccountsStatement({ offset: 100, limit: 50 }),
    "accounts of a class": makeAccountsStatement({ class: "available", currency: "USDC", offset: 100, limit: 50 }),
    "a search": makeMatchStatement(search),
    "a search of a merchant": makeMatchStatement({ ...search, merchant_id }),
    statistics: makeMeasureStatement(measures),
    "statistics by merchant": makeMeasureStatement({ ...measures, by_merchant: true, step: "hour" }),
    "statistics of a merchant": makeMeasureStatement({ ...measures, merchant_id }),
    stuck: makeIdleStatement(idle),
    "stuck of a merchant": makeIdleStatement({ ...idle, merchant_id }),
    "what waits": makeStalledStatement(idle),
    "due jobs": makeBacklogStatement({ queues: ["command", "delivery"], now: T0, limit: 10 }),
    "failed deliveries": makeWalkStatement({ ...walk, merchant_id, of: { failed: "e" } }),
    "blocked jobs": makeWalkStatement({ ...walk, merchant_id, of: { parked: "o" } }),
    "balances of the platform": makePlatformBalancesStatement(["clearing", "suspense"])
  }
}

describe("the plan of each list", () => {
  let store: Store
  let sql: Sql
  let close: () => Promise<void>
  const m = fresh("mer")
  beforeAll(async () => {
    ;({ store, sql, close } = await opened())
    await lived(store, m, 300)
    for (const _ of range(6)) await lived(store, fresh("mer"), 20)
    await rolledUp(sql, 20_000)
    // How far the rows were spread, which depends on what ran beside what, would decide between indexes of equal cost.
    await sql.unsafe("vacuum full")
    await sql.unsafe("vacuum analyze")
  })
  afterAll(() => close())

  // The store's connections make sequential scans the most expensive plan. An index is then used wherever one applies,
  // however small the table is. A remaining sequential scan has no suitable index, and would read all of a million
  // rows.
  for (const [name, { text, params }] of Object.entries(lists(m))) {
    it(`reads ${name} by indexes`, async () => {
      const lines = (await sql.unsafe(`explain (costs off) ${text}`, [...params])) as unknown as ReadonlyArray<{
        "QUERY PLAN": string
      }>
      const scans = lines
        .map(
          (line) =>
            /(\w+(?: \w+)* Scan(?: Backward)?(?: using \w+)? on (?!\w*"|unnest)\w+)/.exec(line["QUERY PLAN"])?.[1]
        )
        .filter((scan) => scan !== undefined)
        .filter((scan) => !/^(?:CTE|Function|Subquery) Scan/.test(scan))
        // Both read the events that are not counted yet, by transaction. What else runs on the server decides between them.
        .map((scan) => scan.replace(/event_(?:feed|tail)/, "event_feed or event_tail"))
      expect(scans.filter((scan) => scan.startsWith("Seq Scan"))).toEqual([])
      expect([...new Set(scans)].toSorted()).toMatchSnapshot()
    })
  }
})

describe("the counters", () => {
  const seen = async (store: Store, m: string) => {
    const total = async (index_keys: ReadonlyArray<string>, more: object = {}) =>
      (
        await store.list({
          merchant_id: m,
          kinds: ["transfer", "offramp", "deposit"],
          index_keys,
          offset: 0,
          limit: 1,
          ...more
        })
      ).total
    return [
      await total([]),
      await total(["status=success"]),
      await total(["status=processing"]),
      await total(["wallet_id=wal_1"]),
      await total(["status=success"], span),
      await total(["status=processing"], span),
      (await store.events({ merchant_id: m, type: "transfer.success", offset: 0, limit: 1 })).total,
      (await store.entries("world", 0, 1)).total,
      (await store.entries("available:wal_1", 0, 1)).total,
      await store.trialBalance()
    ]
  }

  it("give the same totals before, during and after roll-ups of any step", async () => {
    const { store, sql, close } = await opened()
    const m = fresh("mer")
    for (const _ of range(6)) await lived(store, m, 10)
    const before = await seen(store, m)
    const during: Array<Awaited<ReturnType<typeof seen>>> = []
    const tail = await rolledUp(sql, 7, async () => void during.push(await seen(store, m)))
    const after = await seen(store, m)
    await close()
    expect(during.length).toBeGreaterThan(3)
    for (const one of [...during, after]) expect(one).toEqual(before)
    expect(before.slice(0, 3)).toEqual([60, 42, 18])
    expect(tail).toBe(0)
  })

  it("count each of the rows that change alike, and once a posting within one account", async () => {
    const { store, sql, close } = await opened()
    const m = fresh("mer")
    const keyed = (status: string) => ({ status, index_keys: [`status=${status}`, "wallet_id=wal_1"] })
    const rows = range(3).map(() => row(m, { kind: "transfer", created_at: T0, ...keyed("processing") }))
    const postings = [posting("world", "world", 1), posting("world", "fees", 1)]
    for (const one of rows) await store.commit(change(m, { rows: [one], postings }))
    for (const one of rows.slice(1))
      await store.commit(change(m, { rows: [{ ...one, version: 2, ...keyed("success") }] }))
    const before = await seen(store, m)
    await rolledUp(sql, 20_000)
    const after = await seen(store, m)
    await close()
    expect([...before.slice(0, 4), before[7]]).toEqual([3, 2, 1, 3, 6])
    expect(after).toEqual(before)
  })

  it("are rolled up during writes, without missing late commits", async () => {
    const { store, sql, close } = await opened()
    const m = fresh("mer")
    let writing = true
    const rolling = (async () => {
      while (writing) await roll(sql, 50)
    })()
    const open = await sql.reserve()
    // A transaction that starts before all the others, and ends after them.
    await open.unsafe("begin")
    await open.unsafe(`insert into event (merchant_id, id, object_id, sequence, type, category, created_at, body)
      values ('${m}', 'evt_late', 'tfr_late', 1, 'transfer.success', 'transfer', ${T0}, '{}')`)
    await lived(store, m, 60)
    const held = await seen(store, m)
    await open.unsafe("commit")
    open.release()
    writing = false
    await rolling
    while (await roll(sql, 20_000));
    const after = await seen(store, m)
    await close()
    expect([held[0], held[6]]).toEqual([60, 60])
    expect([after[0], after[6]]).toEqual([60, 61])
    expect(after.slice(1, 6)).toEqual(held.slice(1, 6))
  })

  it("subtract deleted events, rolled up or not", async () => {
    const { store, sql, close } = await opened()
    const m = fresh("mer")
    const at = (i: number) => event({ created_at: T0 + i * HOUR, category: i % 2 === 0 ? "a" : "b" })
    for (const i of range(6)) await store.commit(change(m, { events: [at(i)] }))
    while (await roll(sql, 20_000));
    for (const i of range(6)) await store.commit(change(m, { events: [at(i)] }))
    const counted = async () => [
      (await store.events({ merchant_id: m, offset: 0, limit: 1 })).total,
      (await store.events({ merchant_id: m, category: "a", offset: 0, limit: 1 })).total
    ]
    const before = await counted()
    await store.forget({ sort: "events", before: T0 + 3 * HOUR, limit: 100 })
    const forgotten = await counted()
    while (await roll(sql, 20_000));
    const after = await counted()
    await close()
    expect([before, forgotten, after]).toEqual([
      [12, 6],
      [6, 2],
      [6, 2]
    ])
  })

  it("keep no row with a count of zero", async () => {
    const { store, sql, close } = await opened()
    const m = fresh("mer")
    await lived(store, m, 30)
    while (await roll(sql, 10));
    const [{ empty }] = (await sql.unsafe(
      "select count(*)::int as empty from list_counter where n = 0"
    )) as unknown as [{ empty: number }]
    await close()
    expect(empty).toBe(0)
  })

  it("know the owners of guarded accounts as the ledger does", async () => {
    const { sql, close } = await opened()
    const classes = [...guarded, "clearing", "world", "fx", "fees", "rounding", "suspense", "availability"]
    const found = (await sql.unsafe(
      "select c as class from unnest($1::text::text[]) c where corridor_owner(c || ':x') is not null",
      [`{${classes.join(",")}}`]
    )) as unknown as ReadonlyArray<{ class: string }>
    await close()
    expect(new Set(found.map((one) => one.class))).toEqual(guarded)
  })
})

it("idle rows are found whatever their status is called, and whether or not they are rolled up", async () => {
  const { close, sql, store } = await opened()
  const m = fresh("mer")
  const words = ["a", "failed", "g", "success", "t", "zz", ":", ";", "A", "é"]
  const rows = words.map((status, i) => row(m, { kind: "transfer", status, created_at: T0 + i * 50_000 }))
  await store.commit(change(m, { rows }))
  const open = words.filter((word) => word !== "success" && word !== "failed").toSorted()
  const found = async () =>
    (await store.idle({ ...idle, waits: open.map((status) => ({ kind: "transfer", status, until: null })) })).items
      .map(({ status }) => status)
      .toSorted()
  const before = await found()
  while (await roll(sql, 1000));
  const after = await found()
  await close()
  expect([before, after]).toEqual([open, open])
})
