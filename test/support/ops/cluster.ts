/** A Postgres cluster with its own tools, for dumps, base backups and recoveries: those that the operating system has installed. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { accessSync, chmodSync, chownSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { POLL_TIMEOUT_MS } from "../repository/poll-timeout.ts"

const run = promisify(execFile)

const programs = ["postgres", "initdb", "pg_dump", "pg_restore", "pg_basebackup", "createdb", "psql"]

const versions = (): ReadonlyArray<string> => {
  try {
    return readdirSync("/usr/lib/postgresql").toSorted((a, b) => Number(b) - Number(a))
  } catch {
    return []
  }
}

/** The folder of the programs, of one version. Undefined: they are not installed. */
export const binaries: string | undefined = [
  ...versions().map((version) => `/usr/lib/postgresql/${version}/bin`),
  ...(process.env["PATH"] ?? "").split(":")
].find((folder) => {
  try {
    for (const program of programs) accessSync(join(folder, program), constants.X_OK)
    return true
  } catch {
    return false
  }
})

/** Postgres refuses to run as root. */
const NOBODY = 65_534
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })

/** A folder that Postgres may write to. */
export const folderFor = (name: string, inside = mkdtempSync(join(tmpdir(), "corridor-cluster-"))): string => {
  chmodSync(inside, 0o755)
  const folder = join(inside, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid)
  return folder
}

/** Runs one of the programs as the user of the server. Rejects with its output when it fails. */
export const tool = async (program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await run(join(binaries!, program), args, { ...identity, cwd: "/", maxBuffer: 64 << 20 })
  return stdout
}

export interface Cluster {
  readonly data: string
  readonly port: number
  readonly urlOf: (database: string) => string
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** Starts a server on the data of a folder, and waits until it takes connections that write. */
export const startCluster = async (data: string, settings: Readonly<Record<string, string>> = {}): Promise<Cluster> => {
  const port = await freePort()
  const given = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings }
  const options = Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const child: ChildProcess = spawn(join(binaries!, "postgres"), ["-D", data, "-p", `${port}`, ...options], {
    ...identity,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"]
  })
  let log = ""
  child.stderr!.on("data", (chunk) => (log = (log + String(chunk)).slice(-20_000)))
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`
  const end = performance.now() + POLL_TIMEOUT_MS
  for (;;) {
    if (child.exitCode !== null || performance.now() > end) throw new Error(`Postgres did not start:\n${log}`)
    const answer = await tool("psql", "-Atc", "select pg_is_in_recovery()", urlOf("postgres")).catch(() => "")
    if (answer.trim() === "f") break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    data,
    port,
    urlOf,
    stop: async (signal = "SIGINT") => {
      child.kill(signal)
      await ended
    }
  }
}

/** Makes a cluster, and starts its server. */
export const newCluster = async (settings: Readonly<Record<string, string>> = {}): Promise<Cluster> => {
  const data = folderFor("data")
  await tool("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
  return startCluster(data, settings)
}

/** Deletes the folder of a cluster that has stopped. */
export const removeCluster = ({ data }: Pick<Cluster, "data">): void =>
  rmSync(join(data, ".."), { recursive: true, force: true })
