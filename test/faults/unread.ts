/**
 * Peers that send requests and never read a response, against a server in a process of its own. It prints how long
 * `/health/live` takes meanwhile, and how much memory the server keeps. The tests of the bounds are in
 * `test/http/process/connections.test.ts`; this measures.
 *
 *     node test/faults/unread.ts [--seconds 10]
 */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { get } from "node:http"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { apiKey, type Served, serve } from "../support/http/served-process.ts"

const residentMb = ({ child }: Served): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024)

/** Opens connections that each send a request many times in one write, and read nothing. */
const unread = (url: string, connections: number, requests: number, path: string): Promise<ReadonlyArray<Socket>> =>
  Promise.all(
    Array.from({ length: connections }, async () => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname).pause()
      socket.on("error", () => {})
      await once(socket, "connect")
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`.repeat(requests))
      return socket
    })
  )

/** The same, as a stranger: without a key. */
const strangers = (url: string, connections: number, requests: number): Promise<ReadonlyArray<Socket>> =>
  Promise.all(
    Array.from({ length: connections }, async () => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname).pause()
      socket.on("error", () => {})
      await once(socket, "connect")
      socket.write("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(requests))
      return socket
    })
  )

const health = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    get(`${url}/health/live`, { agent: false }, (response) => {
      response.resume().once("end", () => resolve(performance.now() - began))
    }).once("error", reject)
  })

/** Asks for the health every 20 ms, whether or not the last has answered. */
const probed = async (url: string, seconds: number): Promise<ReadonlyArray<number>> => {
  const probes: Array<Promise<number>> = []
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    probes.push(health(url))
    await sleep(20)
  }
  return (await Promise.all(probes)).toSorted((a, b) => a - b)
}

const shown = (name: string, times: ReadonlyArray<number>, before: number, during: number, after: number): void => {
  const at = (share: number): string => `${Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)} ms`
  console.log(
    `${name}: /health/live p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} (${times.length} probes); ` +
      `memory ${before} MiB before, ${during} MiB meanwhile, ${after} MiB after the peers left`
  )
}

const { values } = parseArgs({ options: { seconds: { type: "string", default: "10" } } })
const seconds = Number(values.seconds)

const attack = async (name: string, open: (url: string) => Promise<ReadonlyArray<Socket>>, make = 0): Promise<void> => {
  const served = await serve({ CORRIDOR_RATE_LIMIT_PER_SECOND: "0" })
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
  for (let n = 0; n < make; n++)
    await fetch(`${served.url}/v1/wallets`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": `unread-${n}` },
      body: JSON.stringify({ currency: "USDC", metadata: { note: "n".repeat(400) } })
    })
  await (await fetch(`${served.url}/openapi.json`)).arrayBuffer()
  await sleep(3000)
  const before = residentMb(served)
  const probing = probed(served.url, seconds)
  const sockets = await open(served.url)
  const times = await probing
  const during = residentMb(served)
  for (const socket of sockets) socket.destroy()
  await sleep(2000)
  shown(name, times, before, during, residentMb(served))
  served.child.kill("SIGTERM")
  await served.exit
}

await attack("no attack", () => Promise.resolve([]))
await attack("10 strangers, 1,500 documents each, unread", (url) => strangers(url, 10, 1500))
await attack("100 readers, 30 lists each, unread", (url) => unread(url, 100, 30, "/v1/wallets?per_page=100"), 100)
