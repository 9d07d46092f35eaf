/**
 * Commits per second of a store: `node bench/storage.ts [spread|hot|rejects] [seconds] [in flight] [commit
 * connections]`.
 *
 * The commit is the first one of a payout: a key, a resource, two postings on a guarded account, a unique key, an
 * event, a job.
 */
import { Effect } from "effect"
import { PostgresStorage } from "../src/adapters/storage/postgres.ts"
import { type Change, EMPTY, Storage } from "../src/engine/ports/Storage.ts"
import { available, reserved } from "../src/machines/kernel/ledger.ts"
import { startPostgres } from "../test/support/stores/postgres-server.ts"

const [mode = "spread", seconds = "8", inFlight = "128", commitConnections = "2"] = process.argv.slice(2)
const WALLETS = mode === "hot" ? 1 : 1_000

let serial = 0
const payout = (): Change => {
  const n = ++serial
  const id = `tfr_${n.toString(36).padStart(26, "0")}`
  const wallet = `wal_${n % WALLETS}`
  const at = 1_700_000_000_000 + n
  const amount = mode === "rejects" && n % 10 === 0 ? "900000000000000000000" : "1"
  return {
    merchant_id: `mer_${(n % WALLETS) % 50}`,
    at,
    idempotency: {
      key: `create/${n}`,
      fingerprint: "f".repeat(43),
      response: `{"id":"${id}","object":"transfer"}`,
      expires_at: at
    },
    ...EMPTY,
    rows: [
      {
        merchant_id: `mer_${(n % WALLETS) % 50}`,
        kind: "transfer",
        id,
        version: 1,
        machine: "1",
        state: "processing",
        status: "processing",
        customer_id: "cust_1",
        root_id: null,
        created_at: at,
        updated_at: at,
        hidden: false,
        event_count: 1,
        index_keys: ["status=processing", `wallet_id=${wallet}`],
        data: {
          id,
          amount,
          currency: "USDC",
          wallet,
          destination: { account: "x".repeat(40), bank: "y".repeat(20) },
          note: "z".repeat(100)
        },
        via: "create",
        from: null
      }
    ],
    postings: [
      { debit: available(wallet), credit: reserved(wallet), amount, currency: "USDC", resource_id: id, version: 1 }
    ],
    unique_keys: [{ scope: "reference", key: `ref-${n}`, owner: id }],
    events: [
      {
        id: `evt_${n.toString(36).padStart(26, "0")}`,
        object_id: id,
        sequence: 1,
        type: "transfer.processing",
        category: "transfer",
        created_at: at,
        body: `{"id":"${id}","type":"transfer.processing","data":"${"b".repeat(300)}"}`
      }
    ],
    jobs: [
      {
        id: `${id}.submit`,
        queue: "command",
        partition_key: id,
        status: "pending",
        due_at: at,
        attempt: 0,
        created_at: at,
        body: { operation: "submit", payload: { id } },
        log: []
      }
    ]
  }
}

const fund = (n: number): Change => ({
  ...payout(),
  merchant_id: `mer_${n % 50}`,
  idempotency: { key: `fund/${n}`, fingerprint: "", response: null, expires_at: null },
  rows: [],
  postings: [
    {
      debit: "world",
      credit: available(`wal_${n}`),
      amount: "1000000000000",
      currency: "USDC",
      resource_id: "fund",
      version: 1
    }
  ],
  unique_keys: [],
  events: [],
  jobs: []
})

const program = Effect.gen(function* () {
  const storage = yield* Storage
  yield* Effect.forEach(
    Array.from({ length: WALLETS }, (_, n) => fund(n)),
    storage.commit,
    { concurrency: 64 }
  )
  const counts = new Map<string, number>()
  const latencies: Array<number> = []
  const measure = (ms: number) => {
    const until = performance.now() + ms
    const worker = Effect.gen(function* () {
      while (performance.now() < until) {
        const start = performance.now()
        const verdict = yield* storage.commit(payout())
        latencies.push(performance.now() - start)
        counts.set(verdict._tag, (counts.get(verdict._tag) ?? 0) + 1)
      }
    })
    return Effect.all(
      Array.from({ length: Number(inFlight) }, () => worker),
      { concurrency: "unbounded", discard: true }
    )
  }
  yield* measure(2_000)
  counts.clear()
  latencies.length = 0
  const start = performance.now()
  yield* measure(Number(seconds) * 1000)
  const elapsed = (performance.now() - start) / 1000
  latencies.sort((a, b) => a - b)
  const at = (p: number): string => latencies[Math.floor(latencies.length * p)]!.toFixed(1)
  console.log(
    `${mode}, ${inFlight} in flight, ${commitConnections} commit connections: ${Math.round(latencies.length / elapsed)} commits/s,`,
    `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms,`,
    Object.fromEntries(counts)
  )
})

const server = await startPostgres({ settings: { shared_buffers: "512MB", max_wal_size: "4GB" } })
try {
  const url = await server.createDatabase("bench")
  await Effect.runPromise(
    Effect.provide(program, PostgresStorage.layer({ url, commitConnections: Number(commitConnections) }))
  )
} finally {
  await server.stop()
}
