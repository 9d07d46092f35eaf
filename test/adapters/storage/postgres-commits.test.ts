/** Query plans of commits, claims and completions: every lookup is by key, however much is stored. */
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  encodeCheckedStatement,
  splitBatch,
  encodeJobCompletions,
  type EncodedStatement,
  encodeOptimisticStatement
} from "../../../src/adapters/storage/sql/encode.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { change, event, fresh, job, posting, promised, range, row, T0 } from "./support.ts"

const opened = async () => {
  const url = await freshDatabase()
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections: 4 }))
  const notices: Array<string> = []
  const sql = postgres(url, { max: 1, onnotice: ({ message = "" }) => void notices.push(message) })
  await sql.unsafe(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
    set auto_explain.log_nested_statements = on; set auto_explain.log_timing = off;
    set auto_explain.log_buffers = on; set client_min_messages = log`)
  /** Runs a statement, and returns the plans of everything that it ran inside. */
  const plansOf = async ({ text, params }: EncodedStatement): Promise<ReadonlyArray<string>> => {
    notices.length = 0
    await sql.unsafe(text, [...params])
    return notices.filter((notice) => notice.includes("plan:"))
  }
  const ask = ({ text, params }: EncodedStatement) => sql.unsafe(text, [...params])
  const close = async (): Promise<void> => {
    await sql.end()
    await runtime.dispose()
  }
  return { store: promised(await runtime.runPromise(Storage)), ask, plansOf, close }
}

/** Most blocks that one index probe reads: root, lower levels, and the row. */
const PAGES_MAX = 8

/** Plan nodes that read more than the requested keys. */
const wasteful = (plan: string): ReadonlyArray<string> => {
  let node = ""
  return plan.split("\n").flatMap((line) => {
    if (line.includes("actual rows=")) node = line
    const pages = Number(/Buffers: shared hit=(\d+)/.exec(line)?.[1] ?? 0)
    const loops = Number(/loops=(\d+)/.exec(node)?.[1] ?? 1)
    const reads = /Index (?:Only )?Scan/.test(node) && pages > PAGES_MAX * loops
    return /Seq Scan|Bitmap|Rows Removed by Join Filter/.test(line) || reads ? [`${node.trim()} ${line.trim()}`] : []
  })
}

const m = fresh("mer")
const indexed = (i: number) =>
  row(m, { index_keys: ["status=processing", `wallet_id=wal_${i}`, `beneficiary_id=ben_${i}`], created_at: T0 })

const whole = (over: Partial<Change>): Change => {
  const r = indexed(7)
  return change(m, {
    rows: [r],
    postings: [posting("world", "available:wal_7", 5), posting("available:wal_7", "fees", 1)],
    unique_keys: [{ scope: "reference", key: r.id, owner: r.id }],
    lookup_keys: [{ scope: "address", key: r.id, kind: "transfer", id: r.id }],
    events: [event({ object_id: r.id })],
    jobs: [job("command", { partition_key: r.id }), job("timer")],
    cancels: ["none"],
    subscriptions: [{ endpoint_id: fresh("whe"), categories: ["transfer"] }],
    ...over
  })
}

describe("among two thousand rows, each with its own index keys, and as many accounts", () => {
  let db: Awaited<ReturnType<typeof opened>>
  const rows = range(2000).map(indexed)
  const claimed = async (): Promise<Change> => {
    const q = fresh("queue") as "command"
    await db.store.commit(change(m, { jobs: [job(q, { id: q })] }))
    const [taken] = await db.store.claim({
      queue: q,
      now: T0,
      wall: T0,
      lease_ms: 1000,
      token: fresh("lease"),
      limit: 1,
      per_partition: 1,
      busy: []
    })
    const { lease, merchant_id: _, ...rest } = taken!
    return change(m, { lease: { job: q, token: lease! }, jobs: [{ ...rest, status: "done", due_at: null }] })
  }
  beforeAll(async () => {
    db = await opened()
    await db.store.commit(change(m, { subscriptions: [{ endpoint_id: "whe_1", categories: ["transfer"] }] }))
    // A server keeps plans that it made while the tables were almost empty.
    const few = [indexed(1), indexed(2)] as const
    await db.store.commit(change(m, { rows: few }))
    for (const [i, way] of [encodeCheckedStatement, encodeOptimisticStatement].entries())
      await db.plansOf(
        way(
          splitBatch(
            [whole({}), change(m, { rows: [{ ...few[i]!, version: 2, index_keys: ["status=a"] }] })],
            "caller"
          ),
          "caller"
        )!
      )
    await Promise.all(
      rows.map((r, i) =>
        db.store.commit(change(m, { rows: [r], postings: [posting("world", `available:wal_${i}`, 9)] }))
      )
    )
  })
  afterAll(() => db.close())

  it.each(["checked", "optimistic"] as const)("a %s commit finds everything by key", async (way) => {
    const before = rows[way === "optimistic" ? 40 : 42]!
    const changes = [
      whole({}),
      whole({ checks: [{ kind: "transfer", id: rows[41]!.id, version: 1 }] }),
      change(m, {
        rows: [{ ...before, version: 2, status: "success", index_keys: ["status=success", "wallet_id=wal_moved"] }]
      }),
      await claimed()
    ]
    const batch = splitBatch(changes, "caller")
    const plans = await db.plansOf(
      way === "optimistic" ? encodeOptimisticStatement(batch, "caller")! : encodeCheckedStatement(batch, "caller")
    )
    expect(plans.length).toBeGreaterThan(12)
    expect(plans.flatMap(wasteful)).toEqual([])
  })

  it("completions lock their jobs in the common order, and each gets its own verdict", async () => {
    const held = await Promise.all(range(9).map(claimed))
    const lost = (await Promise.all(range(9).map(claimed))).map((x) => ({
      ...x,
      lease: { ...x.lease!, token: "another" }
    }))
    const changes = [...held, ...lost].toSorted((a, b) => (a.lease!.token < b.lease!.token ? 1 : -1))
    const { params, verdicts, ...statement } = encodeJobCompletions(changes)
    const named = params[1]!.split("\u001f")
    expect(named).toEqual(named.toSorted())
    const rows = await db.ask({ ...statement, params })
    expect(verdicts(rows)).toEqual(
      changes.map(({ lease }) => ({ _tag: lease!.token === "another" ? "LeaseLost" : "Committed" }))
    )
  })

  it("a completion finds its job by key", async () => {
    const plans = await db.plansOf(encodeJobCompletions([await claimed(), await claimed()]))
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.flatMap(wasteful)).toEqual([])
  })
})
