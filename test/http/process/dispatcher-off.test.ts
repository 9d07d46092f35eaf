/** A node that takes no work, on a copy of a store with work in it. */
import { afterEach, expect, it } from "vitest"
import { freshDatabase } from "../../support/stores/database.ts"
import { withSql } from "../../faults/oracles.ts"
import { serveHere, type ServedHere } from "../../support/http/served-here.ts"
import { apiKey } from "../../support/http/served-process.ts"

const running: Array<ServedHere> = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ stop }) => stop()))
})
const served = async (env: Record<string, string>): Promise<ServedHere> => {
  const node = await serveHere({ CORRIDOR_RATE_LIMIT_PER_SECOND: "0", ...env })
  running.push(node)
  return node
}

const worked = (url: string) =>
  withSql(
    url,
    (sql) =>
      sql<
        Array<{ count: string }>
      >`select count(*) from job where attempt > 0 or lease is not null or status <> 'pending'`
  ).then(([row]) => Number(row!.count))

it("CORRIDOR_DISPATCHER=off serves reads and writes of a restored copy, and runs none of its jobs", async () => {
  const url = await freshDatabase()
  const node = await served({ DATABASE_URL: url, CORRIDOR_DISPATCHER: "off" })
  expect(node.output()).toContain("CORRIDOR_DISPATCHER is off")
  const ask = async (base: string, path: string, body?: object) => {
    const response = await fetch(base + path, {
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
    return { status: response.status, json: (await response.json()) as any }
  }
  const { data: wallet } = (await ask(node.url, "/v1/wallets", { currency: "USDC" })).json
  expect((await ask(node.url, "/sandbox/deposits", { wallet_id: wallet.id, amount: "100.00" })).status).toBe(200)
  const payee = (
    await ask(node.url, "/v1/beneficiaries", {
      type: "crypto",
      name: "Ada",
      currency: "USDC",
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    })
  ).json.data
  const transfer = { wallet_id: wallet.id, beneficiary_id: payee.id, amount: "10.00" }
  const { status, json } = await ask(node.url, "/v1/transfers", transfer)
  expect([status, json.data?.status]).toEqual([200, "processing"])
  const jobs = await withSql(url, (sql) => sql`select id from job where due_at <= ${Date.now() + 1000}`)
  expect(jobs.length).toBeGreaterThan(0)
  for (const [path, body] of [
    ["/sandbox/settle", {}],
    ["/sandbox/clock/advance", { seconds: 3600 }]
  ] as const) {
    const refused = await ask(node.url, path, body)
    expect([refused.status, refused.json.code]).toEqual([403, "forbidden"])
  }
  expect((await ask(node.url, "/health/ready")).status).toBe(200)
  // A node that works does at once what this one has left alone: nothing was claimed, however long it stood there.
  const untouched = await worked(url)
  expect(untouched).toBe(0)
  const working = await served({ DATABASE_URL: url })
  await expect
    .poll(async () => (await ask(working.url, `/v1/transfers/${json.data.id}`)).json.data.status)
    .toBe("success")
})
