/**
 * One, two and four server processes on one Postgres: `npm run bench -- --nodes`.
 *
 * The same number of callers creates transfers over HTTP, spread over the nodes. A life ends with the commit of its
 * success, on whichever node. Callers, nodes and the database share the machine, so that its cores bound what more
 * nodes gain.
 */
import postgres from "postgres"
import { clientOf, type Node, startNode } from "../test/faults/cluster.ts"
import { schemaUrl } from "../test/faults/oracles.ts"
import type { Show } from "./results.ts"
import { shooter } from "./overload.ts"

const WALLETS = 100
const IN_FLIGHT = 64
const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"

interface Line {
  readonly name: string
  readonly created_per_s: number
  readonly lived_per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
}

const at = (sorted: ReadonlyArray<number>, share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
const rounded = (value: number): number => Math.round(value * 100) / 100

/** Creates a beneficiary and funded wallets over HTTP. */
const stocked = async (nodes: ReadonlyArray<Node>) => {
  const { data } = clientOf(nodes)
  const details = { network: "solana", address: solana }
  const payee = await data("/v1/beneficiaries", { body: { type: "crypto", name: "Ada", currency: "USDC", details } })
  const wallets: Array<string> = []
  for (let n = 0; n < WALLETS; n++) {
    const { id } = await data("/v1/wallets", { body: { currency: "USDC" } })
    await data("/sandbox/deposits", { body: { wallet_id: id, amount: "1000000.00" } })
    wallets.push(id)
  }
  return { payee_id: payee.id as string, wallets }
}

const untilLived = async (sql: ReturnType<typeof postgres>, count: number): Promise<void> => {
  for (;;) {
    const [found] = await sql<[{ n: number }]>`
      select count(*)::int as n from resource where kind = 'transfer' and status = 'success'`
    if (found.n >= count) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Runs `count` lives over `many` nodes, on a fresh database. */
const overNodes = async (url: string, many: number, count: number): Promise<Line> => {
  const env = { DATABASE_URL: url, CORRIDOR_RATE_LIMIT_PER_SECOND: "0" }
  const nodes = await Promise.all(Array.from({ length: many }, (_, n) => startNode(`node ${n + 1}`, env)))
  const sql = postgres(schemaUrl(url), { max: 1, fetch_types: false, onnotice: () => {} })
  const clients = nodes.map((node) => shooter(node.url()!, Math.ceil(IN_FLIGHT / many)))
  try {
    const { payee_id, wallets } = await stocked(nodes)
    const create = async (n: number, began: number): Promise<number> => {
      const body = { wallet_id: wallets[n % WALLETS], beneficiary_id: payee_id, amount: "1.00", reference: `ref-${n}` }
      const client = clients[n % many]!
      const due_ms = performance.now() - began
      const shot = await client.shoot("/v1/transfers", JSON.stringify(body), `bench-node-${n}`, due_ms, began)
      if (shot.status !== 200) throw new Error(`a creation returned status ${shot.status}`)
      return shot.took_ms
    }
    const run = async (from: number, to: number) => {
      const latencies: Array<number> = []
      const began = performance.now()
      let next = from
      const caller = async (): Promise<void> => {
        while (next < to) {
          latencies.push(await create(next++, began))
        }
      }
      await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
      const created_s = (performance.now() - began) / 1000
      await untilLived(sql, to)
      return { created_s, lived_s: (performance.now() - began) / 1000, latencies: latencies.sort((a, b) => a - b) }
    }
    const warmup = Math.ceil(count / 4)
    await run(0, warmup)
    const { created_s, lived_s, latencies } = await run(warmup, warmup + count)
    return {
      name: `nodes/${many}`,
      created_per_s: Math.round(count / created_s),
      lived_per_s: Math.round(count / lived_s),
      p50_ms: rounded(at(latencies, 0.5)),
      p99_ms: rounded(at(latencies, 0.99))
    }
  } finally {
    for (const client of clients) client.close()
    await Promise.all(nodes.map((node) => node.stop()))
    await sql.end({ timeout: 2 })
  }
}

/** Measures some numbers of nodes, each time on a new database, which may have one cell. */
export const measureNodes = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number,
  counts: ReadonlyArray<number> = [1, 2, 4]
): Promise<ReadonlyArray<Line>> => {
  show(["", "created/s", "lived/s", "p50 ms", "p99 ms"])
  const lines: Array<Line> = []
  for (const many of counts) {
    const line = await overNodes(await fresh(), many, Math.ceil(4000 * scale))
    lines.push(line)
    show(Object.values(line))
  }
  return lines
}
