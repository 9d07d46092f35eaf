/** What the store asks of the server for each of its connections. */
import { expect, it } from "vitest"
import { makeConnections } from "../../../src/adapters/storage/sql/connections.ts"
import { serverUrl } from "../../support/stores/run-server.ts"

// Lookups have enormous estimates without sequential scans, so that the server would compile each of them before it runs it.
it("a connection compiles no statement, whatever the server does by default", async () => {
  const { query, close } = makeConnections({ url: await serverUrl(), statement_timeout_ms: 10_000 }, 1)
  try {
    expect(await query("select reset_val, setting from pg_settings where name = 'jit'", [])).toEqual([
      { reset_val: "off", setting: "off" }
    ])
  } finally {
    await close()
  }
})
