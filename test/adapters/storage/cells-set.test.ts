/** What needs a store with cells: placement, a store that had none, their number, and a cell whose statements wait. */
import { Effect, Layer, ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterEach, describe, expect, it } from "vitest"
import { type CellsOptions, CellsStorage } from "../../../src/adapters/storage/cells/cells.ts"
import { relations } from "../../../src/adapters/storage/cells/names.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import {
  change,
  claimOf,
  countByTag,
  event,
  fresh,
  freshQueue,
  fund,
  job,
  posting,
  promised,
  range,
  row,
  type Store,
  T0
} from "./support.ts"

const closing: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const opened = async (layer: Layer.Layer<Storage, StorageFault>): Promise<Store> => {
  const runtime = ManagedRuntime.make(layer)
  closing.push(() => runtime.dispose())
  return promised(await runtime.runPromise(Storage))
}

const cells = (url: string, count: number, over: Partial<CellsOptions> = {}) =>
  CellsStorage.layer({ url, cells: count, ...over })
const refusal = (layer: Layer.Layer<Storage, StorageFault>) =>
  Effect.runPromise(Effect.map(Effect.flip(Effect.scoped(Layer.build(layer))), ({ message }) => message))

/** Runs something while another session holds what a statement locks. */
const during = async <A>(url: string, lock: string, run: () => Promise<A>): Promise<A> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe("begin")
    await sql.unsafe(lock)
    return await run()
  } finally {
    await sql.end()
  }
}

const merchant = (m: string) =>
  change(m, {
    rows: [row(m, { kind: "merchant", id: m })],
    lookup_keys: [{ scope: "api_key", key: `hash of ${m}`, kind: "merchant", id: m }]
  })

/** The merchants with a record in a schema. */
const merchantsIn = async (url: string, schema: string): Promise<ReadonlyArray<string>> => {
  const tables = ["resource", "posting", "job", "account", "unique_key", "transition", "event", "idempotency_record"]
  const all = tables.map((table) => `select merchant_id from ${schema}.${table}`).join(" union ")
  return (await query<{ merchant_id: string }>(url, `${all} order by 1`)).map(({ merchant_id }) => merchant_id)
}

const placed = async (url: string, count: number) =>
  Object.fromEntries(
    await Promise.all(range(count).map(async (n) => [n + 1, await merchantsIn(url, `corridor_${n + 1}`)] as const))
  ) as Readonly<Record<number, ReadonlyArray<string>>>

covers("CELLS-1")
describe("merchants over cells", () => {
  it("are spread, each whole in one of them, and the platform merchant is in none", async () => {
    const url = await freshDatabase()
    const store = await opened(cells(url, 4))
    const merchants = range(60).map(() => fresh("mer"))
    for (const m of [...merchants, PLATFORM_MERCHANT])
      await store.commit(
        change(m, { rows: [row(m)], postings: [posting("world", "available:w", 5)], jobs: [job("timer")] })
      )
    const found = await placed(url, 4)
    expect(Object.values(found).flat().toSorted()).toEqual(merchants.toSorted())
    for (const kept of Object.values(found)) expect(kept.length).toBeGreaterThan(4)
    expect(await merchantsIn(url, "public")).toEqual([PLATFORM_MERCHANT])
  })

  it("keep their place for every node, and those of a store that had no cells stay where they were", async () => {
    const url = await freshDatabase()
    const before = range(8).map(() => fresh("mer"))
    const alone = await opened(PostgresStorage.layer({ url, connections: 2 }))
    for (const m of before) await alone.commit(merchant(m))
    const [a, b] = [await opened(cells(url, 3)), await opened(cells(url, 3))]
    for (const m of before) {
      await fund(a, m, "available:w", 1)
      expect((await b.get([{ merchant_id: m, kind: "merchant", id: m }]))[0]?.id).toBe(m)
      expect((await b.lookup("api_key", `hash of ${m}`))?.merchant_id).toBe(m)
    }
    const since = range(12).map(() => fresh("mer"))
    await Promise.all(since.flatMap((m) => [fund(a, m, "available:w", 1), fund(b, m, "available:w", 1)]))
    expect(await merchantsIn(url, "public")).toEqual(before.toSorted())
    expect(
      Object.values(await placed(url, 3))
        .flat()
        .toSorted()
    ).toEqual(since.toSorted())
    for (const m of since) expect((await a.accounts(m, ["available:w"]))[0]?.balance).toBe("2")
  })

  it("cannot take a lookup key of another cell, with the usual precedence of verdicts", async () => {
    const url = await freshDatabase()
    const [a, b] = [await opened(cells(url, 3)), await opened(cells(url, 3))]
    const key = fresh("address")
    const named = (id: string) => ({ lookup_keys: [{ scope: "payin", key, kind: "deposit_address", id }] })
    const merchants = range(20).map((n) => ({ m: fresh("mer"), id: `da_${n}` }))
    const found = await Promise.all(merchants.map(({ m, id }, n) => (n % 2 === 0 ? a : b).commit(change(m, named(id)))))
    expect(countByTag(found)).toEqual({ Committed: 1, Taken: 19 })
    const holder = merchants[found.findIndex(({ _tag }) => _tag === "Committed")]!
    expect(await b.lookup("payin", key)).toMatchObject({ merchant_id: holder.m, id: holder.id })
    for (const { m } of merchants) {
      if (m === holder.m) continue
      const r = row(m)
      await a.commit(change(m, { rows: [r] }))
      expect((await a.commit(change(m, { rows: [r], ...named("da_late") })))._tag).toBe("VersionConflict")
      const verdict = await a.commit(change(m, named("da_late")))
      expect(verdict).toEqual({ _tag: "Taken", scope: "payin", key, owner: holder.id })
    }
  })

  it("are told for whom a lookup key stands, though another merchant of that cell had reserved it", async () => {
    const url = await freshDatabase()
    const store = await opened(cells(url, 2))
    const merchants = range(20).map(() => fresh("mer"))
    for (const m of merchants) await store.commit(change(m, { rows: [row(m)] }))
    const second = await merchantsIn(url, "corridor_2")
    const [reserver, holder, other] = second as [string, string, string]
    const key = fresh("address")
    const named = (id: string) => ({ lookup_keys: [{ scope: "payin", key, kind: "deposit_address", id }] })
    // As a Change that has reserved its key, and has not come to its cell yet.
    await query(
      url,
      `insert into lookup_key (scope, key, merchant_id, kind, id) values ('payin', '${key}', '${reserver}', 'deposit_address', 'da_reserved')`
    )
    expect((await store.commit(change(holder, named("da_held"))))._tag).toBe("Committed")
    const taken = { _tag: "Taken", scope: "payin", key, owner: "da_held" }
    for (const m of [reserver, other, merchants.find((one) => !second.includes(one))!]) {
      expect(await store.trialCommit(change(m, named("da_late")))).toEqual(taken)
      expect(await store.commit(change(m, named("da_late")))).toEqual(taken)
    }
  })

  it("are listed newest first over all cells, each page where the previous one ended", async () => {
    const store = await opened(cells(await freshDatabase(), 5))
    const merchants = range(20).map(() => fresh("mer"))
    for (const [n, m] of merchants.entries())
      for (const k of range(2))
        await store.commit(change(m, { rows: [row(m, { created_at: T0 + ((n * 7 + k * 13) % 41) })] }))
    const pages = []
    for (let offset = 0; offset < 42; offset += 6) {
      const { items, total } = await store.list({ kinds: ["transfer"], index_keys: [], offset, limit: 6 })
      expect(total).toBe(40)
      pages.push(...items)
    }
    const whole = await store.list({ kinds: ["transfer"], index_keys: [], offset: 0, limit: 100 })
    expect(pages.map(({ id }) => id)).toEqual(whole.items.map(({ id }) => id))
    expect(new Set(pages.map(({ id }) => id)).size).toBe(40)
    const times = pages.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted((x, y) => y - x))
  })

  it("are claimed from up to the limit, wherever the due jobs are", async () => {
    const store = await opened(cells(await freshDatabase(), 2))
    const queue = freshQueue()
    for (const _ of range(30)) {
      const m = fresh("mer")
      await store.commit(change(m, { jobs: [job(queue)] }))
    }
    const claimed = []
    for (;;) {
      const jobs = await store.claim(claimOf(queue, { limit: 7 }))
      expect(jobs.length).toBe(Math.min(7, 30 - claimed.length))
      if (jobs.length === 0) break
      claimed.push(...jobs.map(({ id }) => id))
    }
    expect(new Set(claimed).size).toBe(30)
  })

  it("have each partition key filled up to its share, however the limit is split between the cells", async () => {
    const store = await opened(cells(await freshDatabase(), 2))
    for (const _ of range(4)) {
      const [m, queue] = [fresh("mer"), freshQueue()]
      const due = [..."abbcaa"].map((partition_key, n) =>
        job(queue, { id: `${partition_key}${n}`, partition_key, due_at: T0 + n })
      )
      await store.commit(change(m, { jobs: due }))
      const claimed = await store.claim(claimOf(queue, { now: T0 + 9, limit: 9, per_partition: 2 }))
      expect(claimed.map(({ id }) => id)).toEqual(["a0", "b1", "b2", "c3", "a4"])
    }
  })

  it("share the claims of due jobs, and a job of any cell wakes the other nodes", async () => {
    const url = await freshDatabase()
    const [a, b] = [await opened(cells(url, 4)), await opened(cells(url, 4))]
    let woken = 0
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* b.service.watch(() => void woken++)
          const queue = freshQueue()
          yield* Effect.promise(async () => {
            for (const _ of range(12)) {
              const [m, seen] = [fresh("mer"), woken]
              await a.commit(change(m, { jobs: [job(queue)] }))
              await expect.poll(() => woken).toBeGreaterThan(seen)
            }
            const claimed = []
            for (let rounds = 0; rounds < 12 && claimed.length < 12; rounds++)
              claimed.push(...(await b.claim(claimOf(queue, { limit: 5, lease_ms: 60_000 }))).map(({ id }) => id))
            expect(new Set(claimed).size).toBe(12)
          })
        })
      )
    )
  })
})

it("a statement can name every table and view of a schema", async () => {
  const found = await query<{ name: string }>(
    await freshDatabase(),
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'v') and relname <> 'migration' order by relname collate "C"`
  )
  expect(found.map(({ name }) => name)).toEqual(relations)
})

describe("the number of cells", () => {
  covers("CELLS-2")
  it("is raised for new merchants alone, and not lowered below a cell that holds any", async () => {
    const url = await freshDatabase()
    const few = range(12).map(() => fresh("mer"))
    const small = await opened(cells(url, 2))
    for (const m of few) await small.commit(merchant(m))
    const before = await placed(url, 2)
    const large = await opened(cells(url, 6))
    const more = range(40).map(() => fresh("mer"))
    for (const m of more) await large.commit(merchant(m))
    for (const m of few) await fund(large, m, "available:w", 1)
    const after = await placed(url, 6)
    for (const n of [1, 2]) expect(after[n]!.filter((m) => few.includes(m))).toEqual(before[n])
    for (const n of [3, 4, 5, 6]) expect(after[n]!.length).toBeGreaterThan(0)
    expect((await large.list({ kinds: ["merchant"], index_keys: [], offset: 0, limit: 1 })).total).toBe(52)
    expect(await refusal(cells(url, 2))).toBe("cells=2 is too few: cell 6 holds merchants; configure at least cells=6")
    // The node that runs with two cells does not know the others, and says so.
    await expect(fund(small, after[5]![0]!, "available:w", 1)).rejects.toMatchObject({
      message: `${after[5]![0]} is in cell 5 of 2, which the configuration of this node does not have`
    })
  })

  it("is lowered while the cells beyond it are empty", async () => {
    const url = await freshDatabase()
    await Effect.runPromise(Effect.scoped(Layer.build(cells(url, 5))))
    const store = await opened(cells(url, 2))
    for (const m of range(8).map(() => fresh("mer"))) await store.commit(merchant(m))
    expect(Object.values(await placed(url, 5)).map(({ length }) => length > 0)).toEqual([
      true,
      true,
      false,
      false,
      false
    ])
  })

  it("is refused where the database is a part of another store, or has none of them configured", async () => {
    const url = await freshDatabase()
    await Effect.runPromise(Effect.scoped(Layer.build(cells(url, 2))))
    expect(await refusal(PostgresStorage.layer({ url }))).toBe(
      "the store has 2 cells; add ?cells=2 to its URL, or give `cells`"
    )
    expect(await refusal(PostgresStorage.layer({ url: `${url}?search_path=corridor_2` }))).toBe(
      "the schema is cell 2 of a store and holds some of the merchants; configure the whole store"
    )
    await query(url, "update corridor_2.setting set value = 'cell/2/another' where key = 'database'")
    expect(await refusal(cells(url, 2))).toBe("the schema corridor_2 belongs to another store")
    for (const count of [0, 1.5, 65, Number.NaN])
      expect(await refusal(cells(url, count))).toBe(`cells is ${count}; it takes a whole number from 1 to 64`)
  })
})

it("a database that an earlier release made one of several of a store is refused, with and without cells", async () => {
  const url = await freshDatabase()
  await query(url, "insert into setting (key, value) values ('database', '2/3/a-set')")
  const message =
    "the database is number 2 of a set of 3 and holds some of the merchants; this release takes one database, with or without cells"
  expect(await refusal(PostgresStorage.layer({ url }))).toBe(message)
  expect(await refusal(cells(url, 2))).toBe(message)
})

describe("one cell whose statements wait", () => {
  covers("CELLS-3")
  it("costs the others nothing: commits, reads, claims, their feeds and their counters go on", async () => {
    const url = await freshDatabase()
    const store = await opened(cells(url, 3, { connections: 6, commitConnections: 2, statement_timeout_ms: 6_000 }))
    const merchants = range(24).map(() => fresh("mer"))
    for (const m of merchants) await store.commit(merchant(m))
    const found = await placed(url, 3)
    const [away, here] = [found[1]!, [...found[2]!, ...found[3]!]]
    const queue = freshQueue()
    const lock = "lock table corridor_1.event, corridor_1.job in access exclusive mode"
    await during(url, lock, async () => {
      // Events are written after rows: these commits have a transaction id, and hold it while they wait.
      const waiting = range(12).map((n) =>
        fund(store, away[n % away.length]!, "available:w", 1).then(() =>
          store.commit(change(away[n % away.length]!, { events: [event()] }))
        )
      )
      const reading = range(12).map((n) => store.feed(away[n % away.length]!, null, 10))
      let ended = 0
      const settled = Promise.allSettled([...waiting, ...reading].map((one) => one.finally(() => void ended++)))
      await new Promise((resolve) => setTimeout(resolve, 200))
      for (const m of here) {
        const { id } = event()
        await store.commit(change(m, { events: [event({ id })], jobs: [job(queue)] }))
        // A transaction of another database may delay it, but none that waits for the cell.
        const fed = async () => (await store.feed(m, null, 10))?.map((one) => one.id)
        await expect.poll(fed).toEqual([id])
      }
      // What a cell brings later than a claim waits goes to the next one.
      const claimed: Array<string> = []
      for (let rounds = 0; rounds < 12 && claimed.length < here.length; rounds++)
        claimed.push(...(await store.claim(claimOf(queue, { lease_ms: 60_000 }))).map(({ merchant_id }) => merchant_id))
      expect(claimed.toSorted()).toEqual(here.toSorted())
      expect(ended).toBe(0)
      expect((await settled).some(({ status }) => status === "rejected")).toBe(true)
    })
    await fund(store, away[0]!, "available:w", 1)
  })

  it("counts while another cell counts", async () => {
    const url = await freshDatabase()
    await opened(cells(url, 2))
    await query(url, "insert into corridor_2.setting values ('x', '1')")
    await during(url, "select pg_advisory_xact_lock(4736214, 3)", async () => {
      const mark = async (n: number) => {
        await query(url, `select corridor_${n}.corridor_roll(10)`)
        const rows = await query<{ value: string }>(
          url,
          `select value from corridor_${n}.setting where key = 'list_counter.mark'`
        )
        return rows.length
      }
      expect([await mark(1), await mark(2)]).toEqual([0, 1])
    })
  })
})
