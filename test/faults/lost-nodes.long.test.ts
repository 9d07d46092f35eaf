/**
 * What a node had claimed when it was killed, stopped, paused or cut off from the store goes on within seconds. The leases of
 * the jobs, 45 s each, are not waited for.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it, type TestContext } from "vitest"
import { silentProxy } from "../support/faults/silent-proxy.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase } from "../support/stores/database.ts"
import { fillDirectory } from "../support/stores/pglite.ts"
import { clientOf, type Node, startNode } from "./cluster.ts"
import { makerOf, payerOf } from "./merchant.ts"
import { examine, withSql } from "./oracles.ts"

/** What is bounded here: five seconds, and room for a machine under load. A lease of a job takes longer. */
const withinMs = 30_000
const polled = { timeout: withinMs, interval: 50 }
const settledWithin = { timeout: 60_000, interval: 100 }

/** Starts a node, which ends with its test. */
const nodeOn = async ({ onTestFinished }: TestContext, name: string, url: string): Promise<Node> => {
  const env = { DATABASE_URL: url, CORRIDOR_RATE_LIMIT_PER_SECOND: "0", CORRIDOR_WEBHOOK_TIMEOUT_MS: "60000" }
  const node = await startNode(name, env)
  onTestFinished(() => {
    node.resume()
    return node.kill()
  })
  return node
}

/** A receiver that keeps what it receives waiting until it is opened. */
const receiver = async ({ onTestFinished }: TestContext) => {
  const arrived = new Map<string, number>()
  const held: Array<ServerResponse> = []
  let isOpen = false
  const server = createServer((request, response) => {
    request.resume()
    request.once("end", () => {
      const id = String(request.headers["webhook-id"]).replace("msg_", "")
      arrived.set(id, (arrived.get(id) ?? 0) + 1)
      if (isOpen) response.writeHead(204).end()
      else held.push(response)
    })
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    held,
    open: () => {
      isOpen = true
    }
  }
}

const ids = (url: string): Promise<ReadonlyArray<string>> =>
  withSql(url, async (sql) => (await sql<Array<{ id: string }>>`select id from node order by id`).map(({ id }) => id))

/** The claims of a node, by the store. */
const claims = (url: string, node: string): Promise<number> =>
  withSql(url, async (sql) => {
    const [found] = await sql<[{ count: string }]>`
      select count(*) from job where status = 'pending' and starts_with(lease, ${`${node}/`})`
    return Number(found.count)
  })

const undelivered = (url: string): Promise<number> =>
  withSql(url, async (sql) => {
    const [found] = await sql<[{ count: string }]>`
      select count(*) from job where queue = 'delivery' and status <> 'delivered'`
    return Number(found.count)
  })

const deliveries = (url: string) =>
  withSql(url, (sql) => sql`select id, status, attempt, log from job where queue = 'delivery' order by id`)

/** A node that holds the deliveries of some transfers, whose receiver does not answer. */
const atWork = async (context: TestContext, nodeUrl: string, url = nodeUrl) => {
  const { expect } = context
  const hook = await receiver(context)
  const node = await nodeOn(context, "first", nodeUrl)
  const client = clientOf([node])
  const payer = await payerOf(client, hook.url, 1000)
  const make = makerOf(client, payer)
  const made = await Promise.all([0, 10, 20].map((n) => make(n)))
  // A submission that a kill cuts short is looked up a minute later, which is not what is tested here.
  const ended = () => Promise.all(made.map(async (one) => (await client.data(`/v1/transfers/${one.id}`)).status))
  await expect.poll(ended, settledWithin).toEqual(made.map(() => "success"))
  const [id] = await ids(url)
  await expect.poll(() => claims(url, id!), settledWithin).toBeGreaterThanOrEqual(3)
  await expect.poll(() => hook.held.length, settledWithin).toBeGreaterThanOrEqual(3)
  const whole = async () => {
    await expect.poll(() => undelivered(url), settledWithin).toBe(0)
    const { breaches } = await examine(url, payer, made, new Set(hook.arrived.keys()))
    expect(breaches).toEqual([])
  }
  return { hook, node, id: id!, whole }
}

// One after another: processes that start at once keep each other from what is bounded here.
describe("what a node had claimed", () => {
  covers("SERVICE-24")
  it("goes on at another one within seconds when it is killed", async (context) => {
    const { expect } = context
    const url = await freshDatabase()
    const { hook, id, node, whole } = await atWork(context, url)
    await nodeOn(context, "second", url)
    // Longer than its lease: it lives, so nothing is taken from it, however long its receiver needs.
    await new Promise((resolve) => setTimeout(resolve, 5000))
    const before = await claims(url, id)
    expect([...hook.arrived.values()].filter((times) => times > 1)).toEqual([])
    expect(before).toBeGreaterThanOrEqual(3)
    hook.open()
    await node.kill()
    await expect.poll(() => claims(url, id), polled).toBe(0)
    await whole()
  })

  it("goes on within seconds of a new start when it was the only one", async (context) => {
    const { expect } = context
    const url = await freshDatabase()
    const { hook, id, node, whole } = await atWork(context, url)
    hook.open()
    await node.kill()
    await node.revive()
    await expect.poll(() => claims(url, id), polled).toBe(0)
    await whole()
  })

  it("is given back at once when it stops", async (context) => {
    const { expect } = context
    const url = await freshDatabase()
    const { hook, id, node, whole } = await atWork(context, url)
    await nodeOn(context, "second", url)
    hook.open()
    await node.stop()
    await expect.poll(() => claims(url, id), polled).toBe(0)
    await whole()
  })

  it("goes on elsewhere while it stands still, and what it says afterwards is ignored", async (context) => {
    const { expect } = context
    const url = await freshDatabase()
    const { hook, id, node, whole } = await atWork(context, url)
    await nodeOn(context, "second", url)
    hook.open()
    node.pause()
    await expect.poll(() => claims(url, id), polled).toBe(0)
    await expect.poll(() => undelivered(url), settledWithin).toBe(0)
    const before = await deliveries(url)
    node.resume()
    for (const response of hook.held) response.writeHead(500).end()
    // It works again: it is asked, and the deliveries of what it does arrive.
    const client = clientOf([node])
    await client.data("/v1/wallets", { body: { currency: "USDC" }, key: "after-the-pause" })
    await whole()
    const old = new Set(before.map(({ id: one }) => one))
    expect((await deliveries(url)).filter(({ id: one }) => old.has(one))).toEqual(before)
  })

  it("goes on elsewhere while it alone cannot reach the store, and it works again afterwards", async (context) => {
    const { expect } = context
    const url = await freshDatabase()
    const proxy = await silentProxy(Number(new URL(url).port))
    context.onTestFinished(proxy.close)
    const through = new URL(url)
    through.host = `127.0.0.1:${proxy.port}`
    const { hook, id, node, whole } = await atWork(context, through.href, url)
    await nodeOn(context, "second", url)
    hook.open()
    proxy.silence()
    await expect.poll(() => claims(url, id), polled).toBe(0)
    await expect.poll(() => undelivered(url), settledWithin).toBe(0)
    proxy.heal()
    await clientOf([node]).data("/v1/wallets", { body: { currency: "USDC" }, key: "after-the-silence" })
    await whole()
  })

  it("goes on at once when its directory is opened again", async (context) => {
    const { expect } = context
    const folder = mkdtempSync(join(tmpdir(), "corridor-lost-"))
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const hook = await receiver(context)
    await fillDirectory(join(folder, "store"))
    const node = await nodeOn(context, "only", `pglite:${join(folder, "store")}`)
    const client = clientOf([node])
    const payer = await payerOf(client, hook.url, 1000)
    const transfer = await client.data("/v1/transfers", {
      body: { wallet_id: payer.wallet_id, beneficiary_id: payer.payee_id, amount: "10.00" },
      key: "the-only-one"
    })
    const status = async () => (await client.data(`/v1/transfers/${transfer.id}`)).status
    await expect.poll(status, settledWithin).toBe("success")
    await expect.poll(() => hook.held.length, settledWithin).toBeGreaterThanOrEqual(3)
    const began = [...hook.arrived.keys()]
    hook.open()
    await node.kill()
    await node.revive()
    await expect.poll(() => began.filter((event) => hook.arrived.get(event)! < 2), polled).toEqual([])
  })
})
