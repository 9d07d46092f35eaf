/**
 * What growing costs: `npm run bench -- --citus`. Whole lives on one plain Postgres, and on Citus with two and with four workers, all
 * behind one URL, by one process. Everything shares the machine, so that the figures are processor time, not rates: that of all
 * processes of each server, for 1,000 lives. Then the transactions a second that a server has while nothing is to be done.
 */
import { readdirSync, readFileSync } from "node:fs"
import { citusBin, citusDatabase, noCitus, startCitus, urlOfServers } from "../test/support/stores/citus.ts"
import { query } from "../test/support/stores/database.ts"
import { startPostgres } from "../test/support/stores/postgres-server.ts"
import type { Contender } from "./measure.ts"
import { lifeInCells, lifeOnPostgres } from "./ours.ts"
import type { Show } from "./results.ts"

/** Workers and cells. A batch holds the writes of one cell, so that fewer cells have larger ones. */
const shapes = [
  [2, 2],
  [2, 8],
  [4, 8]
] as const
const WALLETS = 2_000
const IN_FLIGHT = 128
const idleMs = 20_000
const settings = { shared_buffers: "256MB", max_wal_size: "4GB", autovacuum: "off" }
/** As the page of cells advises where the URL names all servers. */
const citusSettings = { ...settings, "citus.recover_2pc_interval": "10s" }
const ticksMs = 10

/** The parent of a process, and the processor time in ms of it (`own`) and of its children that have ended. */
const readProcess = (pid: number) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")
    const time = (n: number): number => Number(fields[n]) * ticksMs
    return { parent: Number(fields[1]), own: time(11) + time(12), ended: time(13) + time(14) }
  } catch {
    // It has ended.
    return undefined
  }
}

/** The processor time of all processes of a server, in ms. `postmaster`: their parent. */
const readProcessorMs = (postmaster: number): number => {
  let sum = 0
  for (const name of readdirSync("/proc")) {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined
    if (found === undefined) continue
    if (Number(name) === postmaster) sum += found.own + found.ended
    else if (found.parent === postmaster) sum += found.own
  }
  return sum
}

/** A server, by a URL of the database that is measured. */
const watchServer = async (url: string) => {
  const [row] = await query<{ pid: number }>(
    url,
    "select pid from pg_stat_activity where backend_type = 'checkpointer'"
  )
  const postmaster = readProcess(row!.pid)?.parent
  if (postmaster === undefined) throw new Error(`process ${row!.pid} of the server is not on this machine`)
  return {
    processorMs: () => readProcessorMs(postmaster),
    transactions: async () => {
      const [found] = await query<{ n: number }>(
        url,
        "select (xact_commit + xact_rollback)::int as n from pg_stat_database where datname = current_database()"
      )
      return found!.n
    }
  }
}

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)
const perThousand = (ms: number, count: number): number => Math.round((1_000 * ms) / count)

/** Lives on a contender, beside the servers of its store. The first server is the coordinator. */
const measureLives = async (name: string, urls: ReadonlyArray<string>, contender: Contender, count: number) => {
  try {
    const servers = await Promise.all(urls.map(watchServer))
    await contender.run(count)
    const before = servers.map(({ processorMs }) => processorMs())
    await contender.run(count)
    const spent = servers.map(({ processorMs }, n) => processorMs() - before[n]!)
    // What is left of the work, and then nothing.
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    const idleBefore = await Promise.all(servers.map(({ transactions }) => transactions()))
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    const idle = await Promise.all(
      servers.map(async ({ transactions }, n) => ((await transactions()) - idleBefore[n]!) / (idleMs / 1_000))
    )
    return {
      name,
      processor_ms: perThousand(sumOf(spent), count),
      coordinator_ms: perThousand(spent[0]!, count),
      coordinator_share: Math.round((100 * spent[0]!) / sumOf(spent)) / 100,
      idle_first: Math.round(idle[0]! * 10) / 10,
      idle_most: Math.round(Math.max(...idle) * 10) / 10
    }
  } finally {
    await contender.close()
  }
}

export const measureCitus = async (_fresh: unknown, show: Show, scale: number): Promise<ReadonlyArray<object>> => {
  const bin = citusBin()
  if (bin === undefined) {
    show([noCitus])
    return []
  }
  const count = Math.ceil(1_000 * scale)
  const lines: Array<object> = []
  show(["for 1,000 lives", "ms", "coordinator", "share", "idle tx/s", "the most"])
  const add = (line: object): void => {
    lines.push(line)
    show(Object.values(line))
  }
  const plain = await startPostgres({ bin, settings: { ...settings, jit: "off", max_connections: "200" } })
  try {
    const [one, eight] = [await plain.createDatabase("lives"), await plain.createDatabase("cells")]
    add(await measureLives("one Postgres", [one], await lifeOnPostgres(one, WALLETS, IN_FLIGHT), count))
    const inCells = await lifeInCells(eight, 8, WALLETS, IN_FLIGHT)
    add(await measureLives("one Postgres, 8 cells", [eight], inCells, count))
  } finally {
    await plain.stop()
  }
  for (const [workers, cells] of shapes) {
    const citus = await startCitus(bin, citusSettings, workers)
    try {
      const servers = [citus.coordinator, ...citus.workers].map(({ url }) => url)
      const url = await citusDatabase(servers, "lives")
      const contender = await lifeInCells(urlOfServers(servers, url), cells, WALLETS, IN_FLIGHT)
      const urls = servers.map((server) => server.replace(/\/postgres$/, "/lives"))
      add(await measureLives(`Citus, ${workers} workers, ${cells} cells`, urls, contender, count))
    } finally {
      await citus.stop()
    }
  }
  return lines
}
