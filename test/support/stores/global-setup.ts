/** For the whole test run: the built console, a browser, and one Postgres with a migrated template that each file's database is copied from. */
import { Effect, Layer } from "effect"
import { buildConsole } from "../../../scripts/console.ts"
import type { TestProject } from "vitest/node"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { unpackBrowser } from "../http/chromium.ts"
import { scratchFolder } from "../repository/scratch.ts"
import { type PostgresServer, startPostgres } from "./postgres-server.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** URL of the run's server. */
    readonly postgres: string
  }
}

export const TEMPLATE = "corridor_template"

/** A server with the template. */
export const startMigrated = async (): Promise<PostgresServer> => {
  const settings = {
    // Nothing kills this server, so its files need not be on disk, which a database for each file would wait for.
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    wal_level: "minimal",
    max_wal_senders: "0",
    // It would go from one of a few hundred databases to the next without end.
    autovacuum: "off",
    jit: "off"
  }
  const server = await startPostgres({ settings, home: scratchFolder("corridor-postgres-") })
  try {
    const url = await server.createDatabase(TEMPLATE)
    await Effect.runPromise(Effect.scoped(Layer.build(PostgresStorage.layer({ url, connections: 1 }))))
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** A server that another run has started, with the template: it is used, and left running. */
const GIVEN = "CORRIDOR_TEST_POSTGRES"

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const given = process.env[GIVEN]
  if (given !== undefined) {
    project.provide("postgres", given)
    return () => Promise.resolve()
  }
  const [server] = await Promise.all([startMigrated(), buildConsole(), unpackBrowser()])
  project.provide("postgres", server.url)
  return server.stop
}
