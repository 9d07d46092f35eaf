/**
 * Search, statistics and the operator's lists over a million movements on Postgres: `node bench/search.ts [--scale 1]`. The
 * rows are made by SQL ([search-store.sql](search-store.sql)). Times are in milliseconds, at the services.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { Effect, Layer, ManagedRuntime } from "effect"
import postgres from "postgres"
import { PostgresStorage } from "../src/adapters/storage/postgres.ts"
import { Kinds } from "../src/engine/commit/kind.ts"
import { Storage } from "../src/engine/ports/Storage.ts"
import { kinds } from "../src/engine/registry.ts"
import { Searches } from "../src/engine/reports/search.ts"
import { Statistics } from "../src/engine/reports/statistics.ts"
import { startPostgres } from "../test/support/stores/postgres-server.ts"

const { values } = parseArgs({ options: { scale: { type: "string", default: "1" } } })
const ROWS = Math.ceil(1_000_000 * Number(values.scale))
const SAMPLES = 100
const DAY = 86_400_000

const server = await startPostgres({ settings: { shared_buffers: "512MB", max_wal_size: "8GB" } })
const url = await server.createDatabase("bench")
const store = PostgresStorage.layer({ url })
const runtime = ManagedRuntime.make(
  Layer.mergeAll(Searches.layer, Statistics.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(store, Layer.succeed(Kinds, kinds)))
  )
)
const say = (...cells: ReadonlyArray<string | number>): void =>
  console.log(cells.map((cell, i) => (i === 0 ? String(cell).padEnd(46) : String(cell).padStart(10))).join(""))

const id = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(26, "0")}`

const filled = async (): Promise<number> => {
  const began = performance.now()
  await runtime.runPromise(Effect.flatMap(Storage, ({ ping }) => ping))
  const now = Date.now()
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  await sql.unsafe("set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '512MB'").simple()
  const tables = "'resource', 'key_entry', 'search_entry'"
  const indexes = await sql<ReadonlyArray<{ name: string; again: string }>>`
    select indexname as name, indexdef as again from pg_indexes where tablename in ${sql.unsafe(`(${tables})`) as never}
      and indexname not like '%pkey'`
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
  const text = readFileSync(new URL("./search-store.sql", import.meta.url), "utf8")
  await sql.unsafe(text.replaceAll("$ROWS", `${ROWS}`).replaceAll("$NOW", `${now}`)).simple()
  for (const { again } of indexes) await sql.unsafe(again)
  await sql.unsafe("vacuum analyze")
  await sql.end()
  say("filled, seconds", Math.round((performance.now() - began) / 1000))
  return now
}

const timed = async (
  name: string,
  ask: Effect.Effect<number, unknown, Searches | Statistics | Storage>
): Promise<void> => {
  const taken: Array<number> = []
  let total = 0
  for (let n = 0; n < SAMPLES + 2; n++) {
    const start = performance.now()
    total = await runtime.runPromise(ask)
    // The first two runs build the plan and warm the caches.
    if (n > 1) taken.push(performance.now() - start)
  }
  const sorted = taken.toSorted((a, b) => a - b)
  const share = (part: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)
  say(name, total, share(0.5), share(0.99))
}

try {
  const now = await filled()
  const big = id("mer", 0)
  say("", "rows", "p50", "p99")
  const searches: Readonly<
    Record<string, { readonly q: string; readonly merchant_id?: string; readonly page?: number }>
  > = {
    "an id": { q: id("tfr", 11) },
    "a transaction's id": { q: id("txn", 11) },
    "an event's id, of nothing": { q: id("evt", 1) },
    "a reference": { q: "inv/4711" },
    "a transaction hash": { q: "0x6d7fce9fee471194aa8b5b6e47267f03" },
    "an amount that a tenth has": { q: "100" },
    "an amount that a tenth has, page 20": { q: "100", page: 20 },
    "an amount that a tenth has, of a merchant": { q: "100 USDC", merchant_id: big },
    "a rare amount": { q: "4,999.00 USDC" },
    "a name that a tenth has": { q: "ada" },
    "a name that a tenth has, of a merchant": { q: "ada", merchant_id: big },
    "a whole name": { q: "Chidi Mensah" },
    "an email address": { q: "bisi2@example.com" },
    nothing: { q: "nothing of this sort" }
  }
  for (const [name, input] of Object.entries(searches))
    await timed(
      `search: ${name}`,
      Searches.use((s) => Effect.map(s.search(input), ({ total }) => total))
    )
  const month = { from: now - 30 * DAY, to: now }
  const reports: Readonly<
    Record<string, { readonly by?: string; readonly merchant_id?: string; readonly from?: number }>
  > = {
    "a month": {},
    "a month by day": { by: "day" },
    "a month by operation": { by: "operation" },
    "a month by day, operation, corridor, provider": { by: "day,operation,corridor,provider" },
    "a month by merchant": { by: "merchant" },
    "a month of a merchant by day": { by: "day", merchant_id: big },
    "a week by hour": { by: "hour", from: now - 7 * DAY }
  }
  for (const [name, input] of Object.entries(reports))
    await timed(
      `stats: ${name}`,
      Statistics.use((s) => Effect.map(s.all({ ...month, ...input }), ({ rows }) => rows.length))
    )
  const movements = ["onramp", "offramp", "conversion", "transfer", "deposit"]
  const lists: Readonly<
    Record<
      string,
      {
        readonly kinds: ReadonlyArray<string>
        readonly index_keys: ReadonlyArray<string>
        readonly merchant_id?: string
      }
    >
  > = {
    movements: { kinds: movements, index_keys: [] },
    "movements status": { kinds: movements, index_keys: ["status=failed"] },
    "movements provider": { kinds: movements, index_keys: ["provider=bank"] },
    "movements of a merchant": { kinds: movements, index_keys: [], merchant_id: big },
    "movements of a customer": { kinds: movements, index_keys: [`customer_id=${id("cust", 8)}`], merchant_id: big },
    customers: { kinds: ["customer"], index_keys: [] },
    "customers type": { kinds: ["customer"], index_keys: ["type=individual"] }
  }
  for (const [name, query] of Object.entries(lists))
    for (const page of [1, 100])
      await timed(
        `list: ${name}, page ${page}`,
        Effect.flatMap(Storage, (s) =>
          Effect.map(s.list({ ...query, offset: (page - 1) * 50, limit: 50 }), ({ total }) => total)
        )
      )
  for (const query of [{}, { class: "reserved" }])
    for (const page of [1, 100])
      await timed(
        `list: accounts ${JSON.stringify(query)}, page ${page}`,
        Effect.flatMap(Storage, (s) =>
          Effect.map(s.balances({ ...query, offset: (page - 1) * 50, limit: 50 }), ({ total }) => total)
        )
      )
} finally {
  await runtime.dispose()
  await server.stop()
}
