/**
 * Startup time of the service: `npm run bench -- --restart`.
 *
 * The processes are real (`corridor serve`, the built command where there is one), timed from their spawn. What has no side effect is
 * started {@link TIMES} times, and the median counts. In flight are transfers without an outcome and
 * onramps without a payment. The store's clock is advanced so that all their deadlines have passed.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect } from "effect"
import postgres from "postgres"
import { PostgresStorage } from "../src/adapters/storage/postgres.ts"
import { Dispatcher } from "../src/engine/work/queue/Dispatcher.ts"
import { merchantAtWork } from "../test/support/merchants/merchant-at-work.ts"
import { startPostgres } from "../test/support/stores/postgres-server.ts"
import { onrampsOf } from "../test/support/merchants/ramps.ts"
import { makeSimulatedEngine } from "../test/support/engines/simulated-engine.ts"
import type { Show } from "./results.ts"

const IN_FLIGHT = 10_000
/** More than the half hour for which an onramp waits for its payment. */
const AWAY_MS = 31 * 60_000
/** Shortest time between two lookups of a pending transfer. Onramps have none. */
const ASKED_AGAIN_MS = 9_000
const GIVEN_UP_MS = 120_000
/** Starts of which the median counts. */
const TIMES = 5

interface Measured {
  readonly name: string
  readonly seconds: number
  /** The time limit. Null when PGlite itself is the only comparison. */
  readonly bar_seconds: number | null
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const until = async (done: () => Promise<boolean>, every_ms: number): Promise<void> => {
  for (const began = performance.now(); !(await done()); await pause(every_ms)) {
    if (performance.now() - began > GIVEN_UP_MS) throw new Error(`timed out after ${GIVEN_UP_MS} ms`)
  }
}

interface Serving {
  readonly child: ChildProcess
  readonly began: number
  readonly ready_seconds: number
}

const since = (began: number): number => (performance.now() - began) / 1000

const median = (seconds: ReadonlyArray<number>): number => seconds.toSorted((a, b) => a - b)[seconds.length >> 1]!

const root = fileURLToPath(new URL("..", import.meta.url))
const built = existsSync(join(root, "dist", "cli", "main.js"))
const main = join(root, built ? "dist/cli/main.js" : "src/cli/main.ts")

const serve = async (database: string): Promise<Serving> => {
  const port = await freePort()
  const began = performance.now()
  const env = { PATH: process.env["PATH"], PORT: `${port}`, DATABASE_URL: database, CORRIDOR_SANDBOX_MODE: "manual" }
  const child = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "ignore", "inherit"] })
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false
    )
  await until(ready, 5)
  return { child, began, ready_seconds: since(began) }
}

const stopped = async ({ child }: Serving, signal: NodeJS.Signals): Promise<void> => {
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill(signal)
  await ended
}

/** The median startup time on a store that has been started before. */
const warmStarts = async (database: string): Promise<number> => {
  const seconds: Array<number> = []
  for (let n = 0; n < TIMES; n++) {
    const serving = await serve(database)
    seconds.push(serving.ready_seconds)
    await stopped(serving, "SIGTERM")
  }
  return median(seconds)
}

/** The duration of a script in a process of its own. Errors: rejects when the script fails. */
const timed = async (script: string): Promise<number> => {
  const began = performance.now()
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: root, stdio: "inherit" })
  const code = await new Promise((resolve) => child.once("exit", resolve))
  if (code !== 0) throw new Error(`exit code ${String(code)}: ${script}`)
  return since(began)
}

/** The startup time of PGlite alone, in a process of its own. */
const barePGlite = (directory: string): Promise<number> =>
  timed(
    `const { PGlite } = await import("@electric-sql/pglite"); await PGlite.create(${JSON.stringify(directory)}); process.exit(0)`
  )

/** The median time that imports of the built package take, beyond an empty process. None before a build. */
const imports = async (): Promise<ReadonlyArray<Measured>> => {
  if (!built) return []
  const measured: Array<Measured> = []
  for (const [name, bar_seconds] of [
    ["index", 0.25],
    ["http/index", null],
    ["client/index", null]
  ] as const) {
    const file = JSON.stringify(pathToFileURL(join(root, "dist", `${name}.js`)).href)
    const seconds: Array<number> = []
    for (let n = 0; n < TIMES; n++) {
      const empty = await timed("")
      seconds.push((await timed(`await import(${file})`)) - empty)
    }
    const entry = `corridor/${name}`.replace(/\/index$/, "")
    measured.push({ name: `import of ${entry}, built`, seconds: median(seconds), bar_seconds })
  }
  return measured
}

/** Creates submitted transfers and unpaid onramps, half each. */
const seed = (database: string): Promise<void> =>
  Effect.gen(function* () {
    const m = yield* merchantAtWork("1000000")
    const { onramp } = yield* onrampsOf(m)
    const half = Array.from({ length: IN_FLIGHT / 2 }, (_, n) => n)
    yield* Effect.forEach(half, () => m.transfer("1"), { concurrency: 64, discard: true })
    yield* (yield* Dispatcher).drain()
    yield* Effect.forEach(half, () => onramp(), { concurrency: 64, discard: true })
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: PostgresStorage.layer({ url: database }) })), Effect.runPromise)

const onPostgres = async (): Promise<ReadonlyArray<Measured>> => {
  const server = await startPostgres({ settings: { shared_buffers: "256MB", max_wal_size: "4GB" } })
  try {
    const empty = await server.createDatabase("cold")
    const cold = await serve(empty)
    await stopped(cold, "SIGTERM")
    const warm_seconds = await warmStarts(empty)

    const database = await server.createDatabase("restart")
    await seed(database)
    const sql = postgres(database, { max: 1, onnotice: () => {} })
    const offset = { key: "clock_offset_ms", value: `${AWAY_MS}` }
    await sql`insert into setting ${sql(offset)} on conflict (key) do update set value = excluded.value`
    const again = await serve(database)
    /** Movements whose deadline was handled, and how many deadlines were handled too soon after the previous one. */
    const met = async () => {
      const [row] = await sql`
        select count(distinct t.resource_id)::int as movements,
          (count(*) filter (where t.at - t.before < ${ASKED_AGAIN_MS}))::int as twice
        from (
          select resource_id, at, lag(at) over (partition by resource_id order by version) as before from transition
          where kind in ('transfer', 'onramp') and (via like 'timer.%' or via = 'provider.pending')
        ) t`
      return row as unknown as { readonly movements: number; readonly twice: number }
    }
    await until(async () => (await met()).movements >= IN_FLIGHT, 100)
    const fired_seconds = since(again.began)
    // A timer that fires twice does so by now.
    await pause(2_000)
    const { twice } = await met()
    await stopped(again, "SIGTERM")
    await sql.end()
    if (twice > 0) throw new Error(`${twice} of ${IN_FLIGHT} deadlines were handled twice`)
    return [
      { name: "cold start, Postgres, migrations", seconds: cold.ready_seconds, bar_seconds: 2 },
      { name: "start, Postgres, migrated", seconds: warm_seconds, bar_seconds: 1 },
      { name: `restart, ${IN_FLIGHT} in flight: ready`, seconds: again.ready_seconds, bar_seconds: 5 },
      { name: "every overdue timer fired, once", seconds: fired_seconds, bar_seconds: 30 }
    ]
  } finally {
    await server.stop()
  }
}

const onPGlite = async (): Promise<ReadonlyArray<Measured>> => {
  const home = mkdtempSync(join(tmpdir(), "corridor-restart-"))
  try {
    const bare = await barePGlite(join(home, "bare"))
    const database = `pglite:${join(home, "data")}`
    const cold = await serve(database)
    await stopped(cold, "SIGTERM")
    const again_seconds = await warmStarts(database)
    return [
      { name: "PGlite alone, a new directory", seconds: bare, bar_seconds: null },
      { name: "cold start, PGlite, a new directory", seconds: cold.ready_seconds, bar_seconds: null },
      { name: "start, PGlite, a directory in use", seconds: again_seconds, bar_seconds: null }
    ]
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Measures startup. Sets the exit code 1 when a limit is exceeded. */
export const measureRestart = async (_: unknown, show: Show): Promise<ReadonlyArray<Measured>> => {
  show(["", "seconds", "bar"])
  show([built ? "the built command" : "the command from the sources (npm run build was not run)", null, null])
  const measured = [...(await imports()), ...(await onPostgres()), ...(await onPGlite())]
  for (const { bar_seconds, name, seconds } of measured) {
    show([name, seconds.toFixed(2), bar_seconds])
    if (bar_seconds !== null && seconds >= bar_seconds) process.exitCode = 1
  }
  return measured
}
