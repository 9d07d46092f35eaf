/** A cell that Citus moves while commits go on, and a worker that is killed. Nothing is lost, and nothing is done twice. */
import { ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CellsStorage } from "../../src/adapters/storage/cells/cells.ts"
import { type Change, Storage } from "../../src/engine/ports/Storage.ts"
import { change, event, fresh, posting, promised, range, row, type Store } from "../adapters/storage/support.ts"
import { covers } from "../support/repository/covers.ts"
import { type Citus, citusBin, citusDatabase, startCitus, urlOfServers } from "../support/stores/citus.ts"
import { query } from "../support/stores/database.ts"

let citus: Citus
/** At the coordinator. */
let url: string
let store: Store
let close: () => Promise<void>
/** Two merchants of each cell. */
let merchants: Readonly<Record<1 | 2, ReadonlyArray<string>>>

const placesOf = async (): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (
      await query<{ key: string; value: string }>(
        url,
        "select key, value from setting where key like 'merchant_database/%'"
      )
    ).map(({ key, value }) => [key.replace("merchant_database/", ""), Number(value)])
  )

/** The ports of the workers that have the cells. */
const portsOf = async (): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    (
      await query<{ name: string; port: number }>(
        url,
        `select logicalrelid::text as name, nodeport as port from pg_dist_shard join pg_dist_placement using (shardid)
         join pg_dist_node using (groupid) where logicalrelid::text like 'corridor\\__.resource'`
      )
    ).map(({ name, port }) => [name.slice(0, "corridor_1".length), port])
  )

/** Citus drops what a move left behind once no statement uses it. */
const cleaned = async (): Promise<void> => {
  for (let n = 0; n < 100; n++) {
    await query(url, "call citus_cleanup_orphaned_resources()")
    const [left] = await query<{ n: number }>(url, "select count(*)::int as n from pg_dist_cleanup")
    if (left!.n === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

interface Run {
  /** Those that were answered, in order. */
  readonly events: Array<string>
  longest_ms: number
  faults: number
}

/** Commits one Change after the other for a merchant until it is told to end, each as often as it takes. */
const commits = async (merchant_id: string, isOver: () => boolean): Promise<Run> => {
  const run: Run = { events: [], longest_ms: 0, faults: 0 }
  let last = performance.now()
  while (!isOver()) {
    const published = event({ type: `transfer.${run.events.length}` })
    const one: Change = change(merchant_id, {
      rows: [row(merchant_id)],
      postings: [posting("world", "available:w", 1)],
      events: [published]
    })
    for (let attempt = 0; ; attempt++) {
      const verdict = await store.commit(one).catch((fault: { retryable?: boolean }) => {
        if (fault.retryable !== true || attempt > 400) throw fault
        return undefined
      })
      if (verdict !== undefined) {
        expect(["Committed", "Repeated"]).toContain(verdict._tag)
        break
      }
      run.faults++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const now = performance.now()
    run.longest_ms = Math.max(run.longest_ms, now - last)
    last = now
    run.events.push(published.id)
  }
  return run
}

const feedOf = async (merchant_id: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (let n = 0; n < 200; n++) {
    const page = (await store.feed(merchant_id, found.at(-1) ?? null, 100))!
    if (page.length === 0) break
    found.push(...page.map(({ id }) => id))
  }
  return found
}

/** The state of a merchant is what its runs were answered, once each. */
const expectWhole = async (merchant_id: string, runs: ReadonlyArray<Run>): Promise<void> => {
  const events = runs.flatMap((run) => run.events)
  expect((await store.accounts(merchant_id, ["available:w"]))[0]?.balance).toBe(`${events.length}`)
  expect(await feedOf(merchant_id)).toEqual(events)
  const listed = { merchant_id, kinds: ["transfer"], index_keys: [], offset: 0, limit: 1 }
  expect((await store.list(listed)).total).toBe(events.length)
}

covers("CELLS-6", "CELLS-10")
describe.each(["the coordinator", "all servers"])("the URL names %s", (named) => {
  beforeAll(async () => {
    citus = await startCitus(citusBin()!)
    const servers = [citus.coordinator, ...citus.workers].map((server) => server.url)
    url = await citusDatabase(servers)
    const at = named === "all servers" ? urlOfServers(servers, url) : url
    const runtime = ManagedRuntime.make(CellsStorage.layer({ url: at, cells: 2, statement_timeout_ms: 20_000 }))
    close = async () => {
      await runtime.dispose()
      await citus.stop()
    }
    store = promised(await runtime.runPromise(Storage))
    const made = range(12).map(() => fresh("mer"))
    for (const m of made) await store.commit(change(m, { rows: [row(m, { kind: "merchant", id: m })] }))
    const places = await placesOf()
    const of = (cell: number) => made.filter((m) => places.get(m) === cell).slice(0, 2)
    merchants = { 1: of(1), 2: of(2) }
  })
  afterAll(() => close())

  /** Waits until the server that orders a cell is the one that it is asked on. */
  const expectOrder = async (): Promise<void> => {
    const order = async () => {
      const [row] = await query<{ held: string; group: string }>(
        url,
        `select (select split_part(value, '/', 1) from corridor_1.setting where key = 'order') as held, groupid::text as "group"
         from pg_dist_shard join pg_dist_placement using (shardid) where logicalrelid = 'corridor_1.setting'::regclass`
      )
      return row!.held === (named === "all servers" ? row!.group : "0")
    }
    await expect.poll(order, { timeout: 20_000 }).toBe(true)
  }

  const runs = new Map<string, Array<Run>>()
  const during = async (fault: () => Promise<void>) => {
    let isOver = false
    const all = [...merchants[1], ...merchants[2]]
    const running = Promise.all(all.map((m) => commits(m, () => isOver)))
    await fault().finally(() => void (isOver = true))
    const ended = await running
    for (const [n, m] of all.entries()) runs.set(m, [...(runs.get(m) ?? []), ended[n]!])
    return { first: ended.slice(0, 2), second: ended.slice(2) }
  }
  const shown = (what: string, { first, second }: { first: ReadonlyArray<Run>; second: ReadonlyArray<Run> }): void => {
    const line = (some: ReadonlyArray<Run>) =>
      `${some.reduce((sum, { events }) => sum + events.length, 0)} commits, longest pause ${Math.round(Math.max(...some.map(({ longest_ms }) => longest_ms)))} ms, ${some.reduce((sum, { faults }) => sum + faults, 0)} faults`
    console.log(`${what}: its cell ${line(first)}; the other cell ${line(second)}`)
  }

  it("the cells are on both workers", async () => {
    expect([merchants[1].length, merchants[2].length]).toEqual([2, 2])
    expect(new Set(Object.values(await portsOf()))).toEqual(
      new Set(citus.workers.map((one) => Number(new URL(one.url).port)))
    )
  })

  it("a cell moves to the other worker and back under load: nothing is lost, nothing is done twice, events keep their order", async () => {
    for (const n of range(2)) {
      const { corridor_1, corridor_2 } = await portsOf()
      const target =
        n === 0
          ? corridor_2!
          : citus.workers.map((one) => Number(new URL(one.url).port)).find((port) => port !== corridor_1)!
      const ended = await during(async () => {
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        await cleaned()
        await query(url, `select citus_schema_move('corridor_1', '127.0.0.1', ${target})`)
        await new Promise((resolve) => setTimeout(resolve, 1_000))
      })
      shown(`moved from ${n === 0 ? "the first worker to the second" : "the second worker to the first"}`, ended)
      expect((await portsOf())["corridor_1"]).toBe(target)
      await expectOrder()
      await during(() => new Promise((resolve) => setTimeout(resolve, 300)))
    }
    for (const [m, all] of runs) await expectWhole(m, all)
  })

  it("the other cells go on while a worker is away, and its own cell goes on after it", async () => {
    const { corridor_1 } = await portsOf()
    const worker = citus.workers.find((one) => Number(new URL(one.url).port) === corridor_1)!
    let before = 0
    let after = 0
    const ended = await during(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await worker.kill()
      const seen = async () => Number((await store.accounts(merchants[2][0]!, ["available:w"]))[0]!.balance)
      before = await seen()
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      after = await seen()
      await worker.start()
      await new Promise((resolve) => setTimeout(resolve, 3_000))
    })
    shown("worker away for 3 s", ended)
    expect(after).toBeGreaterThan(before + 5)
    expect(ended.first.some(({ faults }) => faults > 0)).toBe(true)
    expect(ended.second.every(({ faults }) => faults === 0)).toBe(true)
    for (const [m, all] of runs) await expectWhole(m, all)
  })
})
