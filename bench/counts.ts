/**
 * What one life of each movement costs in countable things: `npm run bench -- --counts`. `--write` stores it in counts.json, which
 * `test/adapters/storage/counts.long.test.ts` holds: time cannot be asserted on shared machines, counts can.
 *
 * Lives follow one another, each until nothing of it is left to do, so that the same commits happen on every machine. What a node
 * asks because time passes (claims, roll-ups) is not counted. A statement is one that a client sends.
 */
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { Session } from "node:inspector/promises"
import type { AddressInfo } from "node:net"
import postgres from "postgres"
import { aesGcmCipher, aesKey } from "../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../src/adapters/provider/simulated.ts"
import { postgresStorage } from "../src/adapters/storage/postgres.ts"
import { memoryWebhooks } from "../src/adapters/webhook/memory.ts"
import { createClient, type Corridor as Caller } from "../src/client/index.ts"
import { metricsText, mount } from "../src/http/index.ts"
import { Corridor } from "../src/index.ts"
import { startPostgres } from "../test/support/stores/postgres-server.ts"
import type { Show } from "./results.ts"

const start = (url: string) =>
  Corridor.start({
    storage: postgresStorage({ url }),
    provider: simulatedProvider({ mode: "auto", delay_ms: 0 }),
    webhooks: memoryWebhooks(),
    cipher: aesGcmCipher({ keys: [aesKey(randomBytes(32).toString("base64"))] }),
    clock: movableClock()
  })
type Started = Awaited<ReturnType<typeof start>>

const serverOf = async (corridor: Started): Promise<{ readonly url: string; readonly close: () => void }> => {
  const http = createServer(mount(corridor, { ratePerSecond: 0 }).listener)
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const close = (): void => {
    http.close()
    http.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close }
}

const until = async (condition: () => Promise<boolean>): Promise<void> => {
  for (let turn = 0; turn < 5_000; turn++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  throw new Error("a life did not end")
}

/** What a merchant needs for every life. */
const prepare = async (caller: Caller) => {
  const [bank] = (await caller.providers.list({ country_code: "NG" })).items
  const treasury = await caller.wallets.create({ currency: "USDC" })
  const naira = await caller.wallets.create({ currency: "NGN" })
  await caller.walletCredentials.create(naira.id, { type: "fiat", network: "bank" })
  const address = await caller.walletCredentials.create(treasury.id, { type: "crypto", network: "solana" })
  await caller.sandbox.deposit({ wallet_id: treasury.id, amount: "1000000.00" })
  const supplier = await caller.beneficiaries.create({
    type: "crypto",
    name: "Supplier",
    currency: "USDC",
    details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
  })
  const payee = await caller.beneficiaries.create({
    type: "fiat",
    name: "Ada Obi",
    currency: "NGN",
    details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
  })
  return { treasury, naira, address, supplier, payee }
}
type Prepared = Awaited<ReturnType<typeof prepare>>

/** The calls of each life. Those of a payout have a reference, as those of an application do. */
const lives = {
  transfer: (caller: Caller, { treasury, supplier }: Prepared, reference: string) =>
    caller.transfers.create({ wallet_id: treasury.id, beneficiary_id: supplier.id, amount: "1.00", reference }),
  offramp: async (caller: Caller, { treasury, payee }: Prepared, reference: string) => {
    const wanted = { wallet_id: treasury.id, beneficiary_id: payee.id, source_amount: "10.00" }
    const quote = await caller.quotes.offramp(wanted)
    await caller.offramps.create({ quote_id: quote.id, reference })
  },
  onramp: async (caller: Caller, { treasury }: Prepared, reference: string) => {
    const source_amount = "15000.00"
    const quote = await caller.quotes.onramp({ wallet_id: treasury.id, source_currency: "NGN", source_amount })
    const { id } = await caller.onramps.create({ quote_id: quote.id, reference })
    await caller.sandbox.deposit({ onramp_id: id, amount: source_amount })
  },
  conversion: async (caller: Caller, { treasury, naira }: Prepared, reference: string) => {
    const wallets = { source_wallet_id: treasury.id, destination_wallet_id: naira.id }
    const quote = await caller.quotes.conversion({ ...wallets, source_amount: "10.00" })
    await caller.conversions.create({ quote_id: quote.id, reference })
  },
  deposit: (caller: Caller, { address }: Prepared) =>
    caller.sandbox.deposit({ credential_id: address.id, amount: "10.00" })
} as const
type Life = keyof typeof lives

/** The figures of one life, rounded so that they are the same on every machine. */
export interface Counts {
  /** Changes that were committed. Those that come at once share a statement. */
  readonly changes: number
  /** Sent to the server: commits and results of jobs, reads, hints to other nodes. */
  readonly statements: number
  readonly wal_bytes: number
  /** Rows that are left, by table, and what they take. */
  readonly rows: Readonly<Record<string, number>>
  readonly bytes: Readonly<Record<string, number>>
  /** What all rows take, without the space that pages leave free; and the entries of all indexes. */
  readonly heap_bytes: number
  readonly index_bytes: number
  /** Of JavaScript, in this process; over HTTP that includes the client. */
  readonly allocated_bytes: number
}

/** Statements that are made because time passes. A commit asks for the clock of the server. */
const periodic =
  /^(?!.*corridor_com).*(corridor_(claim|roll|beat|clock|forget|trial|partitions)|from job|from setting|list_counter)/s

type Observer = ReturnType<typeof postgres>

/** Whether nothing is left to do for now. */
const isQuiet = async (sql: Observer): Promise<boolean> => {
  const [row] = await sql`
    /* observer */ select count(*)::int as n from job where status = 'pending' and due_at < ${Date.now() + 1_000}`
  return row!["n"] === 0
}

/** The tables that grow with lives. The roll-up writes the others, and empties `row_change`, when time has passed. */
const tables =
  "event idempotency_record job key_entry lookup_key posting resource search_entry transition unique_key account".split(
    " "
  )

interface Sizes {
  readonly rows: Readonly<Record<string, number>>
  readonly bytes: Readonly<Record<string, number>>
  readonly heap_bytes: number
  readonly index_bytes: number
}

const sizesOf = async (sql: Observer): Promise<Sizes> => {
  const rows: Record<string, number> = {}
  const bytes: Record<string, number> = {}
  for (const name of tables) {
    // A row has a pointer of four bytes in its page.
    const [row] = await sql`
      /* observer */ select count(*)::int as n, coalesce(sum(pg_column_size(t.*) + 4), 0)::bigint as bytes from ${sql(name)} t`
    rows[name] = row!["n"]
    bytes[name] = Number(row!["bytes"])
  }
  const [index] = await sql`
    /* observer */ select sum(s.leaf_pages * (case when s.leaf_pages = 0 then 0 else s.avg_leaf_density end))::float * 81.92 as bytes
    from pg_index i cross join lateral pgstatindex(i.indexrelid) s
    where i.indrelid = any (${tables}::regclass[])`
  const heap_bytes = Object.values(bytes).reduce((sum, size) => sum + size, 0)
  return { rows, bytes, heap_bytes, index_bytes: Number(index!["bytes"]) }
}

/** Bytes that this process allocates while `work` runs, by samples. */
const allocatedBy = async (work: () => Promise<void>): Promise<number> => {
  const session = new Session()
  session.connect()
  const flags = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  await session.post("HeapProfiler.startSampling", { samplingInterval: 4096, ...flags } as object)
  await work()
  const { profile } = await session.post("HeapProfiler.stopSampling")
  session.disconnect()
  const bytes = (node: typeof profile.head): number =>
    node.children.reduce((sum, child) => sum + bytes(child), node.selfSize)
  return bytes(profile.head)
}

const committed = (): number =>
  Number(/^corridor_commits_total\{verdict="committed"\} (\d+)$/m.exec(metricsText())?.[1] ?? 0)

const measure = async (
  life: Life,
  count: number,
  { caller, given, sql }: { caller: Caller; given: Prepared; sql: Observer }
): Promise<Counts> => {
  let serial = 0
  const live = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await lives[life](caller, given, `${life}-${randomBytes(4).toString("hex")}-${String(serial++).padStart(5, "0")}`)
      await until(() => isQuiet(sql))
    }
  }
  const per = (value: number, places = 0): number => Math.round((value / count) * 10 ** places) / 10 ** places
  /** What each table has gained. */
  const grown = (then: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>, places = 0) =>
    Object.fromEntries(
      tables.flatMap((name) => {
        const more = per(now[name]! - then[name]!, places)
        return more === 0 ? [] : [[name, more]]
      })
    )
  await live(Math.ceil(count / 2))
  const [before, first] = [await sizesOf(sql), committed()]
  await sql`/* observer */ select pg_stat_statements_reset()`
  await live(count)
  const made = await sql`
    /* observer */ select query, calls::int, wal_bytes::bigint as bytes from pg_stat_statements
    where query not like '%observer%' and query not like '%pg_stat_statements%'`
  const statements = made.filter(({ query }) => !periodic.test(query))
  const [after, last] = [await sizesOf(sql), committed()]
  return {
    changes: per(last - first, 1),
    statements: per(
      statements.reduce((sum, { calls }) => sum + calls, 0),
      1
    ),
    wal_bytes: per(statements.reduce((sum, { bytes }) => sum + Number(bytes), 0)),
    rows: grown(before.rows, after.rows, 1),
    bytes: grown(before.bytes, after.bytes),
    heap_bytes: per(after.heap_bytes - before.heap_bytes),
    index_bytes: per(after.index_bytes - before.index_bytes),
    allocated_bytes: per(await allocatedBy(() => live(count)))
  }
}

const settings = {
  shared_preload_libraries: "pg_stat_statements",
  // Whole pages and vacuums come when time has passed.
  full_page_writes: "off",
  autovacuum: "off",
  fsync: "off",
  jit: "off"
}

const overHttp = (url: string, apiKey: string): Caller => createClient({ baseUrl: url, apiKey })
const embedded = (corridor: Started, merchant_id: string): Caller =>
  ({ ...corridor.as(merchant_id), sandbox: corridor.sandbox.as(merchant_id) }) as unknown as Caller

/** Lives of each sort. The fill of an index depends on their number, so that all runs have the same. */
const COUNT = 24

/** Measures lives of each movement, over HTTP and embedded, on a server of their own. Keys: `http/transfer` and so on. */
export const measureLives = async (): Promise<Readonly<Record<string, Counts>>> => {
  const database = await startPostgres({ settings })
  const found: Record<string, Counts> = {}
  try {
    for (const way of ["http", "embedded"] as const) {
      const url = await database.createDatabase(`counts_${way}`)
      const corridor = await start(url)
      const served = await serverOf(corridor)
      const sql = postgres(url, { max: 1, onnotice: () => {} })
      try {
        await sql`/* observer */ create extension pg_stat_statements`
        await sql`/* observer */ create extension pgstattuple`
        const wanted = { name: "Counted", country_code: "NG", status: "active" } as const
        const { merchant, api_key } = await corridor.merchants.create(wanted)
        const caller = way === "http" ? overHttp(served.url, api_key.secret) : embedded(corridor, merchant.id)
        const given = await prepare(caller)
        await until(() => isQuiet(sql))
        for (const life of Object.keys(lives) as ReadonlyArray<Life>) {
          found[`${way}/${life}`] = await measure(life, COUNT, { caller, given, sql })
        }
      } finally {
        await sql.end()
        served.close()
        await corridor.close()
      }
    }
  } finally {
    await database.stop()
  }
  return found
}

const file = new URL("counts.json", import.meta.url)

/** The counts that are written down. */
export const writtenCounts = (): Readonly<Record<string, Counts>> => JSON.parse(readFileSync(file, "utf8"))

/** Shows the counts of a life beside those that are written down. */
export const measureCounts = async (show: Show, isWritten: boolean): Promise<ReadonlyArray<object>> => {
  const before = writtenCounts()
  const found = await measureLives()
  show(["", "changes", "statements", "WAL bytes", "heap bytes", "index bytes", "allocated"])
  for (const [name, now] of Object.entries(found)) {
    for (const [at, counts] of [
      ["", now],
      [", written", before[name]]
    ] as const) {
      if (counts === undefined) continue
      const { changes, statements, wal_bytes, heap_bytes, index_bytes, allocated_bytes } = counts
      show([`${name}${at}`, changes, statements, wal_bytes, heap_bytes, index_bytes, allocated_bytes])
    }
  }
  if (isWritten) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`)
  return Object.entries(found).map(([name, counts]) => ({ name, ...counts }))
}
