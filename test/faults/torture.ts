/**
 * Real faults on real Postgres: its server is stopped as a crash stops it and started again, engine processes are killed
 * or stand still, receivers fail, and operations go on meanwhile over all nodes. Afterwards every oracle is asked.
 *
 *     npm run torture [-- --operations 5000 --seconds 120 --seed 1 --nodes 2 --lease 5 --cell citus]
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { citusBin, citusDatabase, noCitus, startCitus, urlOfServers } from "../support/stores/citus.ts"
import { startPostgres } from "../support/stores/postgres-server.ts"
import { clientOf, type Node, startNode } from "./cluster.ts"
import { type Made, makerOf, moved, payerOf } from "./merchant.ts"
import { dueNow, examine, type Findings, moveClock } from "./oracles.ts"

/** Something that goes wrong, so many seconds after the first operation. */
export type Fault =
  | { readonly at_s: number; readonly what: "postmaster"; readonly down_s: number }
  | { readonly at_s: number; readonly what: "kill"; readonly node: number }
  | { readonly at_s: number; readonly what: "pause"; readonly node: number; readonly for_s: number }

export interface Plan {
  readonly operations: number
  /** Over which the operations are spread. */
  readonly seconds: number
  readonly nodes: number
  readonly lease_s: number
  /** Whether the merchant is in a cell: on plain Postgres, or on Citus with two workers, each of which is stopped in turn. */
  readonly cell?: "postgres" | "citus"
  readonly faults: ReadonlyArray<Fault>
}

export interface Outcome extends Findings {
  readonly made: ReadonlyArray<Made>
  readonly retries: number
  /** Deliveries that came again. */
  readonly duplicates: number
  readonly seconds: number
}

/** Numbers from 0 up to 1 that a seed repeats (mulberry32). */
const random = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * The server stops every 5 to 10 seconds, a node dies every 10 to 20, and now and then one stands still for longer than
 * its lease; where there is time for it, once for half a minute.
 */
export const drawn = (seed: number, seconds: number, nodes: number, lease_s: number): ReadonlyArray<Fault> => {
  const next = random(seed)
  const between = (least: number, most: number): number => least + (most - least) * next()
  const node = (): number => Math.floor(next() * nodes)
  const faults: Array<Fault> = []
  for (let at_s = between(3, 6); at_s < seconds; at_s += between(5, 10))
    faults.push({ at_s, what: "postmaster", down_s: between(0.1, 1.5) })
  for (let at_s = between(5, 10); at_s < seconds; at_s += between(10, 20))
    faults.push({ at_s, what: "kill", node: node() })
  let for_s = seconds >= 90 ? 30 : lease_s * 1.5
  for (let at_s = between(12, 18); at_s < seconds; at_s += for_s + between(15, 25), for_s = lease_s * 1.5)
    faults.push({ at_s, what: "pause", node: node(), for_s })
  return faults.toSorted((a, b) => a.at_s - b.at_s)
}

/** A receiver of webhooks that is down for some of them until it is told to recover. */
const unreliableHook = async () => {
  const arrived = new Set<string>()
  let [count, duplicates, recovered] = [0, 0, false]
  const server = createServer((request, response) => {
    request.resume()
    request.once("end", () => {
      if (!recovered && ++count % 7 === 0) return void response.writeHead(503).end()
      const id = String(request.headers["webhook-id"]).replace("msg_", "")
      if (arrived.has(id)) duplicates++
      arrived.add(id)
      response.writeHead(204).end()
    })
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    duplicates: () => duplicates,
    recover: () => void (recovered = true),
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

const settings = { shared_buffers: "128MB" }

/** An empty database, and the servers that it needs. `nodesUrl`: that of the nodes names all of them. */
const startServers = async ({ cell }: Plan) => {
  if (cell !== "citus") {
    const server = await startPostgres({ settings })
    const url = await server.createDatabase("torture")
    return {
      url,
      nodesUrl: url,
      next: () => ({ name: "postmaster", server }),
      stop: server.stop
    }
  }
  const citus = await startCitus(citusBin()!, settings)
  const servers = [citus.coordinator, ...citus.workers]
  const urls = servers.map(({ url }) => url)
  const url = await citusDatabase(urls, "torture")
  let turn = 0
  return {
    url,
    nodesUrl: urlOfServers(urls, url),
    next: () => {
      const at = turn++ % servers.length
      return { name: at === 0 ? "coordinator" : `worker ${at}`, server: servers[at]! }
    },
    stop: citus.stop
  }
}

/** Waits until nothing is due. Leases of the dead run out meanwhile, and the living take their work up. */
const quiet = async (url: string, bound_s: number): Promise<void> => {
  const until = performance.now() + bound_s * 1000
  while ((await dueNow(url)) > 0) {
    if (performance.now() > until) return
    await sleep(200)
  }
}

/** Leaps of the clock, in seconds: past every look-up, retry and deadline that a movement may wait for. */
const leaps = [15, 65, 305, 600, 3600, 3600, 21_600, 86_400, 86_400]

/** Runs a plan from an empty store to its findings. */
export const torture = async (plan: Plan, note: (line: string) => void = () => {}): Promise<Outcome> => {
  const began = performance.now()
  const servers = await startServers(plan)
  const hook = await unreliableHook()
  const nodes: Array<Node> = []
  const breaches: Array<string> = []
  try {
    const cells = plan.cell === undefined ? "" : "?cells=1"
    const url = servers.url + cells
    const env = {
      DATABASE_URL: servers.nodesUrl + cells,
      CORRIDOR_RATE_LIMIT_PER_SECOND: "0",
      CORRIDOR_SANDBOX_DELAY_MS: "50",
      CORRIDOR_WEBHOOK_TIMEOUT_MS: "2000",
      CORRIDOR_LEASE_SECONDS: String(plan.lease_s)
    }
    const starting = Array.from({ length: plan.nodes }, (_, n) => startNode(`node ${n + 1}`, env))
    nodes.push(...(await Promise.all(starting)))
    const client = clientOf(nodes)
    const payer = await payerOf(client, hook.url, moved * plan.operations)
    const make = makerOf(client, payer)
    const start = performance.now()
    const seconds = (): number => (performance.now() - start) / 1000

    const happens = async (fault: Fault): Promise<void> => {
      await sleep(Math.max(0, fault.at_s - seconds()) * 1000)
      const at = `${seconds().toFixed(1).padStart(6)} s`
      if (fault.what === "postmaster") {
        const { name, server } = servers.next()
        note(`${at}  ${name} stopped, for ${fault.down_s.toFixed(1)} s`)
        await server.kill()
        await sleep(fault.down_s * 1000)
        return server.start()
      }
      const node = nodes[fault.node]!
      if (fault.what === "kill") {
        note(`${at}  ${node.name} killed`)
        await node.kill()
        return node.revive()
      }
      note(`${at}  ${node.name} stands still, for ${fault.for_s.toFixed(1)} s`)
      node.pause()
      await sleep(fault.for_s * 1000)
      node.resume()
    }
    const inTurn = async (faults: ReadonlyArray<Fault>): Promise<void> => {
      for (const fault of faults) await happens(fault)
    }
    const disturbed = Promise.all(
      (["postmaster", "kill", "pause"] as const).map((kind) => inTurn(plan.faults.filter(({ what }) => what === kind)))
    )

    const made: Array<Made> = []
    const operate = async (serial: number): Promise<void> => {
      await sleep((serial / plan.operations) * plan.seconds * 1000)
      try {
        made.push(await make(serial))
      } catch (error) {
        breaches.push(error instanceof Error ? error.message : String(error))
      }
    }
    await Promise.all(Array.from({ length: plan.operations }, (_, serial) => operate(serial)))
    await disturbed
    note(`${seconds().toFixed(1).padStart(6)} s  ${made.length} operations acknowledged; the faults end`)

    hook.recover()
    await quiet(url, plan.lease_s + 60)
    for (const leap of leaps) {
      await moveClock(url, leap)
      await quiet(url, plan.lease_s + 60)
    }
    for (const node of nodes) breaches.push(...node.deaths)
    await Promise.all(nodes.map((node) => node.stop()))
    const findings = await examine(url, payer, made, hook.arrived)
    return {
      ...findings,
      made,
      breaches: [...breaches, ...findings.breaches],
      retries: client.counted.retries,
      duplicates: hook.duplicates(),
      seconds: (performance.now() - began) / 1000
    }
  } finally {
    await Promise.all(nodes.map((node) => node.kill()))
    hook.close()
    await servers.stop()
  }
}

const report = (plan: Plan, outcome: Outcome): ReadonlyArray<readonly [string, string | number]> => {
  const count = (what: Fault["what"]): number => plan.faults.filter((fault) => fault.what === what).length
  return [
    ["operations", plan.operations],
    ["acknowledged", outcome.made.length],
    ["repeated with their key, byte for byte", outcome.made.filter(({ repeated }) => repeated).length],
    ["requests asked again", outcome.retries],
    ["the postmaster stopped and started", count("postmaster")],
    ["nodes killed with SIGKILL", count("kill")],
    ["nodes paused beyond their lease", count("pause")],
    ...Object.entries(outcome.statuses).toSorted(),
    ["executed by the provider", outcome.executions],
    ["events", outcome.events],
    ["deliveries that came again", outcome.duplicates],
    ["seconds", outcome.seconds.toFixed(0)],
    ["breaches", outcome.breaches.length]
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      operations: { type: "string", default: "5000" },
      seconds: { type: "string", default: "120" },
      seed: { type: "string", default: "1" },
      nodes: { type: "string", default: "2" },
      lease: { type: "string", default: "5" },
      cell: { type: "string", default: "" }
    }
  })
  const { cell, ...numbers } = values
  if (cell !== "" && cell !== "postgres" && cell !== "citus") {
    console.error(`--cell holds ${JSON.stringify(cell)}; it takes postgres or citus.`)
    process.exit(2)
  }
  if (cell === "citus" && citusBin() === undefined) {
    console.log(noCitus)
    process.exit(0)
  }
  const given = Object.entries(numbers).find(([, value]) => !/^[1-9]\d{0,6}$/.test(value))
  if (given !== undefined) {
    console.error(`--${given[0]} holds ${JSON.stringify(given[1])}; it takes a whole number from 1 to 9999999.`)
    process.exit(2)
  }
  const of = (name: keyof typeof numbers): number => Number(numbers[name])
  const [seconds, nodes, lease_s] = [of("seconds"), of("nodes"), of("lease")]
  const faults = drawn(of("seed"), seconds, nodes, lease_s)
  const plan: Plan = { operations: of("operations"), seconds, nodes, lease_s, ...(cell !== "" && { cell }), faults }
  const outcome = await torture(plan, (line) => console.log(line))
  for (const [name, value] of report(plan, outcome)) console.log(`${name.padEnd(40)}${String(value).padStart(10)}`)
  for (const breach of outcome.breaches.slice(0, 20)) console.error(`breach: ${breach.slice(0, 600)}`)
  process.exit(outcome.breaches.length === 0 ? 0 : 1)
}
