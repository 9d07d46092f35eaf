/** The servers that a URL names for Citus, of which one is away when a node starts. They are Postgres servers that say their group. */
import { afterAll, beforeAll, expect, it } from "vitest"
import {
  findCitusHosts,
  makeCitusServers,
  openServer,
  type ServerConnections
} from "../../../src/adapters/storage/cells/citus-servers.ts"
import { covers } from "../../support/repository/covers.ts"
import { until } from "../../support/repository/poll-timeout.ts"
import { query } from "../../support/stores/database.ts"
import { type PostgresServer, startPostgres } from "../../support/stores/postgres-server.ts"

let servers: ReadonlyArray<PostgresServer>
beforeAll(async () => {
  servers = await Promise.all([0, 1].map(() => startPostgres({ settings: { fsync: "off" } })))
  for (const { url } of servers) await query(url, "create table pg_dist_local_group as select 0 as groupid")
}, 120_000)
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

/** The port of the server that a statement reaches. Undefined: none. */
const reach = ({ queries: { query: ask } }: ServerConnections): Promise<string | undefined> =>
  ask("select inet_server_port()::text as port", []).then(
    ([row]) => String(row!["port"]),
    () => undefined
  )

covers("CELLS-9")
it("a server of a known group that was away at the start is failed over to after it has answered", {
  timeout: 120_000
}, async () => {
  const [first, second] = servers as [PostgresServer, PostgresServer]
  const [a, b] = servers.map(({ url }) => new URL(url)) as [URL, URL]
  await second.kill()
  const found = (await findCitusHosts(`postgres://postgres@${a.host},${b.host}/postgres`))!
  expect(found).toEqual({ coordinator: first.url, workers: new Map(), silent: [second.url] })
  const open = ({ url }: { readonly url: string }) => openServer({ url, statement_timeout_ms: 2_000 }, 1, 1, true)
  const home = open({ url: found.coordinator })
  const citus = makeCitusServers(home, found, open)
  try {
    expect(await reach(home)).toBe(a.port)
    await second.start()
    await first.kill()
    await until(
      () => reach(home),
      (port) => port === b.port
    )
    // It is one of both from now on.
    await first.start()
    await second.kill()
    await until(
      () => reach(home),
      (port) => port === a.port
    )
  } finally {
    await Promise.all([citus.close(), home.commits.close(), home.queries.close()])
  }
})
