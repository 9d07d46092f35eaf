/** A Postgres whose template has the schema of the store: each file's database is copied from it. */
import { Effect, Layer } from "effect"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { scratchFolder } from "../repository/scratch.ts"
import { type PostgresServer, startPostgres } from "./postgres-server.ts"

export const TEMPLATE = "corridor_template"

/** A server with the template. */
export const startMigratedServer = async (): Promise<PostgresServer> => {
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
