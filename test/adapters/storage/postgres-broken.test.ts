/** A connection that breaks during a write: the socket's error code has five letters, like an SQLSTATE. */
import { type AddressInfo, createServer, Socket } from "node:net"
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { describe, expect, it } from "vitest"
import { makeConnections } from "../../../src/adapters/storage/sql/connections.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { toFault } from "../../../src/adapters/storage/sql/driver.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { change, fresh, promised } from "./support.ts"

describe("a connection that its server has closed", () => {
  it("fails the statement with a retryable fault, and is not used again", async () => {
    const direct = new URL(await freshDatabase())
    const clients = new Set<Socket>()
    const proxy = createServer((client) => {
      clients.add(client)
      const server = new Socket().connect(Number(direct.port), "127.0.0.1")
      for (const end of [client, server]) end.on("error", () => {})
      client.pipe(server).pipe(client)
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    const url = Object.assign(new URL(direct), { port: `${(proxy.address() as AddressInfo).port}` }).href
    const connections = makeConnections({ url, statement_timeout_ms: 2_000 }, 1)
    const long = "x".repeat(5_000_000)
    const ask = () => connections.query("select length($1::text) as length", [long])
    await ask()
    for (const client of clients) client.destroy()
    const error = await ask().catch((broken: unknown) => broken)
    const again = await ask()
    await connections.close()
    proxy.close()
    expect(error).toMatchObject({ code: "EPIPE" })
    expect(toFault(error).retryable).toBe(true)
    expect(again).toEqual([{ length: 5_000_000 }])
  })
})

describe("a server that only reads", () => {
  it("fails a commit with a retryable fault, and is replaced by a new connection", async () => {
    const url = await freshDatabase()
    const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections: 3 }))
    const store = promised(await runtime.runPromise(Storage))
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    // Simulates a session on a demoted server: the setting lasts as long as the session.
    const demote = (yes: boolean) =>
      sql.unsafe(
        `set default_transaction_read_only = off;
        alter database "${new URL(url).pathname.slice(1)}" set default_transaction_read_only = ${yes ? "on" : "off"}`
      )
    const asked = change(fresh("mer"))
    await demote(true)
    const fault = await store.commit(asked).catch((error: unknown) => error)
    await demote(false)
    const verdict = await store.commit(asked)
    await runtime.dispose()
    await sql.end()
    expect(fault).toMatchObject({ _tag: "StorageFault", retryable: true })
    expect(verdict._tag).toBe("Committed")
  })
})
