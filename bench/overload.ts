/**
 * Five times the load that a server can take: `npm run bench -- --overload`.
 *
 * A server process on Postgres serves HTTP requests: first as fast as it can (its capacity), then half of that, then
 * five times its capacity, then half again. Clients open one connection per request in flight. Latency counts from the
 * time at which a request was due, so that it includes waiting for a connection or a slow client.
 */
import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { clientOf, startNode } from "../test/faults/cluster.ts"
import { apiKey } from "../test/support/http/served-process.ts"
import type { Show } from "./results.ts"

const WALLETS = 100
const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"

/** Most requests in flight, as many as one client machine has sockets. Further requests count as not sent. */
const SOCKETS = 2048

/** `latencyThresholdMs` of src/engine/calls/Admission.ts. */
const SLOW_MS = 300

interface Shot {
  readonly status: number
  readonly at_ms: number
  readonly took_ms: number
  readonly retry_after: string | undefined
}

const percentile = (shots: ReadonlyArray<Shot>, share: number): number => {
  const sorted = shots.map(({ took_ms }) => took_ms).sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

const residentMb = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/status`, "utf8")
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024)
}

/** A client that keeps its connections and accepts any response. */
export const shooter = (url: string, sockets: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, maxFreeSockets: sockets })
  const target = new URL(url)
  let underWay = 0
  const shoot = (path: string, body: string, key: string, due_ms: number, began: number): Promise<Shot> =>
    new Promise((resolve) => {
      underWay++
      const end = (status: number, retry_after?: string): void => {
        underWay--
        resolve({ status, at_ms: due_ms, took_ms: performance.now() - began - due_ms, retry_after })
      }
      const headers = {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "idempotency-key": key
      }
      const { hostname, port } = target
      request({ agent, hostname, port, path, method: "POST", headers }, (response) => {
        response.resume()
        response.once("end", () => end(response.statusCode ?? 0, response.headers["retry-after"]))
      })
        .once("error", () => end(0))
        .end(body)
    })
  return { shoot, underWay: () => underWay, close: () => agent.destroy() }
}

export interface OverloadLine {
  readonly name: string
  readonly offered_per_s: number
  readonly accepted_per_s: number
  readonly refused_per_s: number
  readonly other_per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly rss_mb: number
}

export const measureOverload = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number
): Promise<ReadonlyArray<OverloadLine>> => {
  const env = { DATABASE_URL: await fresh(), CORRIDOR_RATE_LIMIT_PER_SECOND: "0" }
  const node = await startNode("node", env)
  const { close, shoot, underWay } = shooter(node.url()!, SOCKETS)
  const lines: Array<OverloadLine> = []
  try {
    const { data } = clientOf([node])
    const details = { network: "solana", address: solana }
    const payee = await data("/v1/beneficiaries", { body: { type: "crypto", name: "Ada", currency: "USDC", details } })
    const wallets: Array<string> = []
    for (let n = 0; n < WALLETS; n++) {
      const { id } = await data("/v1/wallets", { body: { currency: "USDC" } })
      await data("/sandbox/deposits", { body: { wallet_id: id, amount: "1000000.00" } })
      wallets.push(id)
    }
    let serial = 0
    const create = (due_ms: number, began: number): Promise<Shot> => {
      const n = serial++
      const body = { wallet_id: wallets[n % WALLETS], beneficiary_id: payee.id, amount: "1.00", reference: `ref-${n}` }
      return shoot("/v1/transfers", JSON.stringify(body), `overload-${n}`, due_ms, began)
    }

    const line = (name: string, shots: ReadonlyArray<Shot>, seconds: number, unsent = 0): OverloadLine => {
      const accepted = shots.filter(({ status }) => status === 200)
      const refused = shots.filter(({ status, retry_after }) => status === 429 && retry_after !== undefined)
      const made = {
        name,
        offered_per_s: Math.round((shots.length + unsent) / seconds),
        accepted_per_s: Math.round(accepted.length / seconds),
        refused_per_s: Math.round(refused.length / seconds),
        other_per_s: Math.round((shots.length + unsent - accepted.length - refused.length) / seconds),
        p50_ms: percentile(accepted, 0.5),
        p99_ms: percentile(accepted, 0.99),
        rss_mb: residentMb(node.pid())
      }
      lines.push(made)
      show(Object.values(made))
      return made
    }

    /** Closed load: `callers` that repeat as soon as they have a response. */
    const closed = async (callers: number, seconds: number): Promise<ReadonlyArray<Shot>> => {
      const shots: Array<Shot> = []
      const began = performance.now()
      const caller = async (): Promise<void> => {
        while (performance.now() - began < seconds * 1000) shots.push(await create(performance.now() - began, began))
      }
      await Promise.all(Array.from({ length: callers }, caller))
      return shots
    }

    /** Open load: a fixed rate, whatever the responses. */
    const open = async (per_s: number, seconds: number): Promise<{ shots: ReadonlyArray<Shot>; unsent: number }> => {
      const shots: Array<Promise<Shot>> = []
      let [sent, unsent] = [0, 0]
      const began = performance.now()
      while (performance.now() - began < seconds * 1000) {
        const due = Math.floor(((performance.now() - began) / 1000) * per_s)
        for (; sent < due; sent++) {
          if (underWay() >= SOCKETS) unsent++
          else shots.push(create((sent / per_s) * 1000, began))
        }
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return { shots: await Promise.all(shots), unsent }
    }

    show(["", "offered/s", "accepted/s", "refused/s", "other/s", "p50 ms", "p99 ms", "rss MB"])
    await closed(64, 2 * scale)
    const { accepted_per_s } = line("capacity", await closed(64, 5 * scale), 5 * scale)
    const before = await open(accepted_per_s / 2, 5 * scale)
    line("half of it", before.shots, 5 * scale, before.unsent)
    const over = await open(accepted_per_s * 5, 15 * scale)
    line("overload x5", over.shots, 15 * scale, over.unsent)
    const half = await open(accepted_per_s / 2, 15 * scale)
    line("half of it again", half.shots, 15 * scale, half.unsent)
    // Recovered: from that second on, no request is rejected, and none exceeds the latency at which the server sheds
    // load.
    let recovered_s = Math.ceil(15 * scale)
    for (; recovered_s > 0; recovered_s--) {
      const second = half.shots.filter(({ at_ms }) => Math.floor(at_ms / 1000) === recovered_s - 1)
      const isWhole = second.length > 0.45 * accepted_per_s && second.every(({ status }) => status === 200)
      if (!isWhole || percentile(second, 0.99) > SLOW_MS) break
    }
    show(["recovered after, seconds", recovered_s])
    return lines
  } finally {
    close()
    await node.stop()
  }
}
