/** `corridor serve` and the commands on a store whose cells are on Citus, all of whose servers the URL names. */
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { clientOf, type Node, startNode } from "../faults/cluster.ts"
import { makerOf, moved, payerOf } from "../faults/merchant.ts"
import { corridor } from "../support/cli/command-line.ts"
import { operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { citusDatabase, urlOfServers } from "../support/stores/citus.ts"
import { query } from "../support/stores/database.ts"

const operations = 24
const [older, newer] = [1, 2].map((n) => Buffer.alloc(32, n).toString("base64"))

let database: string
let url: string
let node: Node
beforeAll(async () => {
  database = await citusDatabase(inject("citus"))
  url = `${urlOfServers(inject("citus"), database)}?cells=2`
})
afterAll(() => node?.kill())

const start = async (env: Readonly<Record<string, string>> = {}): Promise<Node> =>
  (node = await startNode("node", {
    DATABASE_URL: url,
    CORRIDOR_RATE_LIMIT_PER_SECOND: "0",
    CORRIDOR_ENCRYPTION_KEY: older!,
    ...env
  }))

const run = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const { code, errors, out } = await corridor([...args, "--json"], {
    DATABASE_URL: url,
    CORRIDOR_ENCRYPTION_KEY: older!,
    ...env
  })
  expect(errors).toEqual([])
  return { code, report: JSON.parse(out) }
}

/** Moves each cell to the other worker. */
const moveCells = async (): Promise<void> => {
  const places = await query<{ name: string; port: number }>(
    database,
    `select split_part(logicalrelid::text, '.', 1) as name, nodeport as port from pg_dist_shard
     join pg_dist_placement using (shardid) join pg_dist_node using (groupid) where logicalrelid::text ~ '^corridor_[0-9]+\\.resource$'`
  )
  expect(new Set(places.map(({ port }) => port)).size).toBe(2)
  for (const { name, port } of places) {
    const other = places.find((place) => place.port !== port)!.port
    await query(database, `select citus_schema_move('${name}', '127.0.0.1', ${other})`)
  }
}

covers("CELLS-7")
it("pays every movement once, before and after its cells move", async () => {
  const { url: at } = await start()
  const client = clientOf([node])
  const payer = await payerOf(client, "http://127.0.0.1:9/", moved * operations * 2)
  const make = makerOf(client, payer)
  const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" }
  for (let n = 0; n < 4; n++) {
    const body = JSON.stringify({ name: `Merchant ${n}`, country_code: "NG", status: "active" })
    const { status } = await fetch(`${at()}/operator/v1/merchants`, { method: "POST", headers, body })
    expect(status).toBe(200)
  }
  // Serials that end in 0 and 1 are transfers.
  for (const from of [0, 1]) {
    await Promise.all(Array.from({ length: operations }, (_, n) => make(10 * n + from)))
    const transfers = async () =>
      (await client.data<ReadonlyArray<{ readonly status: string }>>("/v1/transfers?per_page=100")).map(
        ({ status }) => status
      )
    await expect.poll(transfers).not.toContain("processing")
    expect(new Set(await transfers())).toEqual(new Set(["success"]))
    if (from === 0) await moveCells()
  }
  await node.stop()
  const { code, report } = await run({}, "verify")
  expect([code, report.ok, report.stores.length]).toEqual([0, true, 4])
})

it("doctor, upgrade --check and keys rotate find and change each cell", async () => {
  const both = { CORRIDOR_ENCRYPTION_KEY: `${newer},${older}` }
  const { report: rotated } = await run(both, "keys", "rotate")
  expect(rotated.encrypted_again).toBeGreaterThan(0)
  expect(rotated.keys.map((key: { resources: object }) => Object.keys(key.resources).length > 0)).toEqual([true, false])
  const only = { CORRIDOR_ENCRYPTION_KEY: newer! }
  const { report } = await run(only, "doctor")
  expect(
    report.findings.filter((one: { about: string; status: string }) => one.about === "store" && one.status !== "ok")
  ).toEqual([])
  expect((await run(only, "upgrade", "--check")).code).toBe(0)
  await start(only)
  await node.stop()
})
