/**
 * Ours against hand-written floors: `npm run bench -- [--json] [--only create/postgres] [--rounds 5] [--scale 1]`.
 *
 * `--restart` measures startup instead (restart.ts), `--nodes` one, two and four server processes (nodes.ts),
 * `--overload` five times the load that one can take (overload.ts),
 * `--cells` one schema and eight cells, also on Citus (cells.ts), `--citus` what a life costs on two and four workers (citus.ts), `--peers` other engines (peers.ts),
 * `--breaks` pages and the file of 10,000 open breaks (breaks.ts),
 * `--growth` creations and lists at a million transfers (growth.ts), `--telemetry` traces and logs (telemetry.ts), `--counts` what a
 * life costs in statements, rows and bytes (counts.ts). `--against COMMIT` runs rows of this tree and of another in turns (against.ts).
 *
 * `--write` stores the results in RESULTS.md, and counts in counts.json. `--only` takes the beginning of a row's name. `--scale`
 * multiplies the number of operations in a round.
 */
import { parseArgs } from "node:util"
import postgres from "postgres"
import { type PostgresServer, startPostgres } from "../test/support/stores/postgres-server.ts"
import { measureAgainst } from "./against.ts"
import { measureBreaks } from "./breaks.ts"
import { measureCells } from "./cells.ts"
import { measureCitus } from "./citus.ts"
import { measureCounts } from "./counts.ts"
import { createOnPGlite, createOnPostgres, createOverHttp, deliver, readOverHttp } from "./floors.ts"
import { measureGrowth } from "./growth.ts"
import { measureMatching } from "./matching.ts"
import { type Comparison, compare, type Contender, figuresOf } from "./measure.ts"
import { measureNodes } from "./nodes.ts"
import { measureOverload } from "./overload.ts"
import * as ours from "./ours.ts"
import { measurePeers } from "./peers.ts"
import { measureRestart } from "./restart.ts"
import { type Cells, keep, type Show } from "./results.ts"
import { measureTelemetry } from "./telemetry.ts"

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    restart: { type: "boolean", default: false },
    nodes: { type: "boolean", default: false },
    overload: { type: "boolean", default: false },
    cells: { type: "boolean", default: false },
    citus: { type: "boolean", default: false },
    growth: { type: "boolean", default: false },
    matching: { type: "boolean", default: false },
    breaks: { type: "boolean", default: false },
    telemetry: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    counts: { type: "boolean", default: false },
    against: { type: "string" },
    turns: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "5" },
    scale: { type: "string", default: "1" }
  }
})

const WALLETS = 2_000
/** Concurrent creations and lives; HTTP connections, with one request each. */
const IN_FLIGHT = 128
const CONNECTIONS = 64

/** Creates a new database for each contender of a row. */
type Fresh = () => Promise<string>

interface Row {
  readonly name: string
  /** Operations in a round. */
  readonly count: number
  readonly ours: (fresh: Fresh) => Promise<Contender>
  /** Null where nothing is durable, so that there is no hand-written counterpart. */
  readonly floor: ((fresh: Fresh) => Promise<Contender>) | null
  /** Measured again at half the rate that ours has reached: the latency without saturation. */
  readonly half?: true
}

const rows: ReadonlyArray<Row> = [
  {
    name: "create/postgres/spread",
    count: 4_000,
    ours: async (fresh) => ours.createOnPostgres(await fresh(), WALLETS, IN_FLIGHT),
    floor: async (fresh) => createOnPostgres(await fresh(), WALLETS, IN_FLIGHT)
  },
  {
    name: "create/postgres/hot",
    count: 2_000,
    ours: async (fresh) => ours.createOnPostgres(await fresh(), 1, IN_FLIGHT),
    floor: async (fresh) => createOnPostgres(await fresh(), 1, IN_FLIGHT)
  },
  {
    name: "http/postgres/create",
    count: 4_000,
    ours: async (fresh) => ours.createOverHttp([await fresh(), WALLETS, CONNECTIONS]),
    floor: async (fresh) => createOverHttp(await fresh(), WALLETS, CONNECTIONS),
    half: true
  },
  {
    name: "http/postgres/read",
    count: 8_000,
    ours: async (fresh) => ours.readOverHttp(await fresh(), WALLETS, CONNECTIONS),
    floor: async (fresh) => readOverHttp(await fresh(), WALLETS, CONNECTIONS)
  },
  {
    name: "http/postgres/pay, one caller",
    count: 1_000,
    ours: async (fresh) => ours.payOverHttp(await fresh(), WALLETS, 1),
    floor: null
  },
  {
    name: "http/postgres/pay, 64 callers",
    count: 4_000,
    ours: async (fresh) => ours.payOverHttp(await fresh(), WALLETS, CONNECTIONS),
    floor: null
  },
  {
    name: "life/postgres",
    count: 1_500,
    ours: async (fresh) => ours.lifeOnPostgres(await fresh(), WALLETS, IN_FLIGHT),
    floor: async (fresh) => createOnPostgres(await fresh(), WALLETS, IN_FLIGHT)
  },
  {
    name: "deliveries",
    count: 8_000,
    ours: async (fresh) => ours.deliver(await fresh(), 64),
    floor: () => deliver(64)
  },
  {
    name: "create/pglite",
    count: 400,
    ours: () => ours.createOnPGlite(200, 64),
    floor: () => createOnPGlite(200, 64)
  },
  { name: "create/memory", count: 10_000, ours: () => ours.createInMemory(WALLETS, IN_FLIGHT), floor: null },
  { name: "life/memory", count: 2_000, ours: () => ours.lifeInMemory(WALLETS, IN_FLIGHT), floor: null }
]

const rounded = (value: number | undefined, places: number): number | null =>
  value === undefined ? null : Math.round(value * 10 ** places) / 10 ** places

const lineOf = (name: string, { ours: mine, floor }: Comparison) => ({
  name,
  ours_per_s: rounded(mine?.per_s, 0),
  floor_per_s: rounded(floor?.per_s, 0),
  ratio: mine === null || floor === null ? null : rounded(mine.per_s / floor.per_s, 2),
  p50_ms: rounded(mine?.p50_ms, 2),
  p99_ms: rounded(mine?.p99_ms, 2)
})

const shown: Array<Cells> = []
const show: Show = (cells) => {
  shown.push(cells)
  if (values.json) return
  console.log(cells.map((cell, at) => (at === 0 ? String(cell).padEnd(44) : String(cell ?? "-").padStart(12))).join(""))
}

/**
 * A server in the state of one that has run for a while, with recycled WAL segments and touched memory. A new server
 * spends a third of its time on filling both with zeros.
 */
const warmServer = async (): Promise<PostgresServer> => {
  const started = await startPostgres({ settings: { shared_buffers: "2GB", min_wal_size: "4GB", max_wal_size: "8GB" } })
  const sql = postgres(started.url, { max: 1, onnotice: () => {} })
  await sql`create table written (x integer)`
  for (let file = 0; file < 128; file++) {
    await sql`insert into written values (${file})`
    await sql`select pg_switch_wal()`
  }
  // Filled by an ordinary insert: a bulk load would cycle through a few buffers.
  await sql`create unlogged table touched (page text)`
  await sql`alter table touched alter page set storage plain`
  await sql`insert into touched select repeat('x', 7000) from generate_series(1, 250 * 1024)`
  await sql`drop table written, touched`
  await sql`checkpoint`
  await sql.end()
  return started
}

let server: Promise<PostgresServer> | undefined
let databases = 0
const fresh: Fresh = async () => {
  server ??= warmServer()
  return (await server).createDatabase(`bench_${++databases}`)
}

/** Measurements that replace the rows on request. */
const others = {
  nodes: measureNodes,
  overload: measureOverload,
  cells: measureCells,
  citus: measureCitus,
  growth: measureGrowth,
  matching: measureMatching,
  breaks: measureBreaks,
  telemetry: measureTelemetry,
  peers: measurePeers,
  counts: (_fresh: Fresh, show: Show) => measureCounts(show, values.write),
  restart: measureRestart
}
const asked = (Object.keys(others) as ReadonlyArray<keyof typeof others>).filter((name) => values[name])

const lines: Array<unknown> = []
try {
  if (values.against !== undefined) {
    lines.push(...measureAgainst(values.against, show, { ...values, turns: Number(values.turns) }))
  }
  for (const name of asked) {
    lines.push(...(await others[name](fresh, show, Number(values.scale))))
    if (values.write && shown.length > 0) keep(`npm run bench -- --${name}`, shown.splice(0))
  }
  const chosen =
    asked.length > 0 || values.against !== undefined ? [] : rows.filter(({ name }) => name.startsWith(values.only))
  if (chosen.length > 0) show(["", "ours/s", "floor/s", "ratio", "p50 ms", "p99 ms"])
  for (const row of chosen) {
    const count = Math.ceil(row.count * Number(values.scale))
    const contenders = { ours: await row.ours(fresh), floor: row.floor === null ? null : await row.floor(fresh) }
    try {
      const line = lineOf(
        row.name,
        await compare(contenders, { warmup: Math.ceil(count / 4), count, rounds: Number(values.rounds) })
      )
      lines.push(line)
      show(Object.values(line))
      if (row.half === true && line.ours_per_s !== null) {
        const taken = await contenders.ours.run(count, line.ours_per_s / 2)
        const half = lineOf(`${row.name}, half of that`, { ours: figuresOf([taken]), floor: null })
        lines.push(half)
        show(Object.values(half))
      }
    } finally {
      await contenders.ours.close()
      await contenders.floor?.close()
    }
  }
  if (values.json) console.log(JSON.stringify(lines))
  // A part of the rows must not replace the results of all.
  if (values.write && chosen.length === rows.length) keep("npm run bench", shown)
} finally {
  await (await server)?.stop()
}
