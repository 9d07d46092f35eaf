/**
 * Citus on loopback: a coordinator and two workers, from a Postgres of this machine that has the extension. `CITUS_PG_CONFIG`
 * names its `pg_config`; without it, that of the path is asked.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { query } from "./database.ts"
import { type PostgresServer, startPostgres } from "./postgres-server.ts"

/** The folder of the binaries. Undefined: there is no Citus here. */
export const citusBin = (): string | undefined => {
  const config = process.env["CITUS_PG_CONFIG"] ?? "pg_config"
  const [bin, library] = ["--bindir", "--pkglibdir"].map(
    (what) => spawnSync(config, [what], { encoding: "utf8" }).stdout
  )
  return bin && library && existsSync(join(library.trim(), "citus.so")) ? bin.trim() : undefined
}

/** What a command prints where there is none. */
export const noCitus =
  "Citus is not installed: its tests are skipped. Install the extension, and name its pg_config in CITUS_PG_CONFIG."

export interface Citus {
  readonly coordinator: PostgresServer
  readonly workers: ReadonlyArray<PostgresServer>
  readonly stop: () => Promise<void>
}

const settings = {
  shared_preload_libraries: "citus",
  wal_level: "logical",
  max_connections: "200",
  max_prepared_transactions: "400",
  // One for each database that a test makes.
  max_worker_processes: "128",
  // As Corridor asks of its own connections: those between the servers have settings of the servers alone.
  jit: "off",
  // What a worker had prepared when it died keeps its locks until then. By default that is a minute.
  "citus.recover_2pc_interval": "1s",
  "citus.enable_statistics_collection": "off",
  "citus.node_conninfo": "sslmode=prefer"
}

/**
 * Creates a database on all three servers, which must run, and gives its URL at the coordinator. One at a time: with each, the
 * coordinator writes the roles of the workers again, and two that do so at once fail.
 */
export const citusDatabase = async (
  [coordinator, ...workers]: ReadonlyArray<string>,
  name = `test_${crypto.randomUUID().replaceAll("-", "")}`
): Promise<string> => {
  const at = (server: string): string => server.replace(/\/postgres$/, `/${name}`)
  const port = (server: string): string => new URL(server).port
  const turn = postgres(coordinator!, { max: 1, onnotice: () => {} })
  try {
    await turn`select pg_advisory_lock(4736214, 0)`
    for (const server of [coordinator!, ...workers]) {
      await query(server, `create database ${name}`)
      await query(at(server), "create extension citus")
    }
    await query(at(coordinator!), `select citus_set_coordinator_host('127.0.0.1', ${port(coordinator!)})`)
    for (const worker of workers) await query(at(coordinator!), `select citus_add_node('127.0.0.1', ${port(worker)})`)
  } finally {
    await turn.end()
  }
  return at(coordinator!)
}

/** One URL of several servers, for a database that is on each. */
export const urlOfServers = (servers: ReadonlyArray<string>, database: string): string => {
  const url = new URL(database)
  return `postgres://${url.username}@${servers.map((server) => new URL(server).host).join()}${url.pathname}`
}

export const startCitus = async (
  bin: string,
  more: Readonly<Record<string, string>> = {},
  workerCount = 2
): Promise<Citus> => {
  const start = () => startPostgres({ bin, settings: { ...settings, ...more } })
  const coordinator = await start()
  const workers: Array<PostgresServer> = []
  while (workers.length < workerCount) workers.push(await start())
  return {
    coordinator,
    workers,
    stop: async () => {
      for (const server of [coordinator, ...workers]) await server.stop()
    }
  }
}
