/** Several server processes on one Postgres: who does the work, who takes it up, and whose word comes too late. */
import { createServer, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { assert, describe, it, type TestContext } from "vitest"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase } from "../support/stores/database.ts"
import { apiKey } from "../support/http/served-process.ts"
import { clientOf, type Node, startNode } from "./cluster.ts"
import { makerOf, payerOf } from "./merchant.ts"
import { dueNow, examine, withSql } from "./oracles.ts"

/** Starts nodes on a store, which end with their test. */
const nodesOn = (
  { onTestFinished }: TestContext,
  url: string,
  count: number,
  more: Record<string, string> = {}
): Promise<ReadonlyArray<Node>> => {
  const env = { DATABASE_URL: url, CORRIDOR_RATE_LIMIT_PER_SECOND: "0", ...more }
  const started = async (_: unknown, n: number): Promise<Node> => {
    const node = await startNode(`node ${n + 1}`, env)
    onTestFinished(() => node.kill())
    return node
  }
  return Promise.all(Array.from({ length: count }, started))
}

/** A receiver that answers as it is told to: at once, or not at all until then. */
const hookThat = async (
  { onTestFinished }: TestContext,
  answer: (response: ServerResponse, serial: number) => void
) => {
  const arrived = new Set<string>()
  let serial = 0
  const server = createServer((request, response) => {
    request.resume()
    request.once("end", () => {
      arrived.add(String(request.headers["webhook-id"]).replace("msg_", ""))
      answer(response, serial++)
    })
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, arrived, calls: () => serial }
}

const acknowledge = (response: ServerResponse): void => void response.writeHead(204).end()

/** Movements that have not ended. Between a submission and the provider's word nothing is due, and there is more to come. */
const underWay = (url: string): Promise<number> =>
  withSql(url, async (sql) => {
    const [found] = await sql<[{ count: string }]>`
      select count(*) from resource where kind = 'transfer' and status not in ('success', 'failed')`
    return Number(found.count)
  })

/** Takes over a minute where a node stopped in the middle of a submission: only then is it looked up (`submissionGrace`). */
const settled = async ({ expect }: TestContext, url: string): Promise<void> => {
  const left = async () => [await underWay(url), await dueNow(url)]
  await expect.poll(left, { timeout: 100_000, interval: 100 }).toEqual([0, 0])
}

/** What a node's metrics say of a counter, over all its labels that match. */
const counted = async (node: Node, pattern: RegExp): Promise<number> => {
  const text = await (await fetch(`${node.url()}/metrics`)).text()
  return text
    .split("\n")
    .filter((line) => pattern.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0)
}

const done = /^corridor_jobs_total\{.*outcome="done"/

const deliveries = (url: string) =>
  withSql(
    url,
    (sql) => sql<
      Array<{ id: string; status: string; attempt: number; log: ReadonlyArray<{ response_status: number | null }> }>
    >`
      select id, status, attempt, log::json as log from job where queue = 'delivery' order by id`
  )

// Each waits for most of its time.
describe.concurrent("nodes on one store", () => {
  covers("SERVICE-2")
  it("share the work that one of them is given", async (context) => {
    const { expect } = context
    const count = 3
    const url = await freshDatabase()
    const hook = await hookThat(context, acknowledge)
    const nodes = await nodesOn(context, url, count)
    const first = clientOf(nodes.slice(0, 1))
    const payer = await payerOf(first, hook.url, 10_000)
    const make = makerOf(first, payer)
    // Transfers: nothing of theirs waits for a look-up.
    const made = await Promise.all(Array.from({ length: 120 }, (_, n) => make(n * 10)))
    await settled(context, url)
    const jobs = await Promise.all(nodes.map((node) => counted(node, done)))
    expect(jobs.filter((n) => n > 0)).toHaveLength(count)
    const { breaches, executions } = await examine(url, payer, made, hook.arrived)
    expect([breaches, executions]).toEqual([[], 120])
  })

  it("take up what a killed node had claimed", async (context) => {
    const { expect } = context
    const url = await freshDatabase()
    let alive = false
    const hook = await hookThat(context, (response) => (alive ? acknowledge(response) : undefined))
    const first = await nodesOn(context, url, 1, { CORRIDOR_WEBHOOK_TIMEOUT_MS: "3000" })
    const client = clientOf(first)
    const payer = await payerOf(client, hook.url, 1000)
    const made = [await makerOf(client, payer)(0)]
    await expect.poll(hook.calls).toBeGreaterThanOrEqual(3)
    await first[0]!.kill()
    alive = true
    await nodesOn(context, url, 1)
    await settled(context, url)
    expect((await examine(url, payer, made, hook.arrived)).breaches).toEqual([])
    const kept = await deliveries(url)
    expect(kept.map(({ status }) => status)).toEqual(kept.map(() => "delivered"))
    expect(kept.filter(({ attempt }) => attempt === 2).length).toBeGreaterThanOrEqual(3)
  })

  covers("IDEM-7")
  it("refuse what a node that stood still says too late", async (context) => {
    const { expect } = context
    const url = await freshDatabase()
    const held: Array<ServerResponse> = []
    let holding = true
    const hook = await hookThat(context, (response) => (holding ? void held.push(response) : acknowledge(response)))
    const [slow] = await nodesOn(context, url, 1, { CORRIDOR_WEBHOOK_TIMEOUT_MS: "2000" })
    const payer = await payerOf(clientOf([slow!]), hook.url, 1000)
    const body = { wallet_id: payer.wallet_id, beneficiary_id: payer.payee_id, amount: "10.00", reference: "late" }
    await clientOf([slow!]).data("/v1/transfers", { body: { ...body, reference: "first" }, key: "create-first" })
    await expect.poll(() => held.length).toBeGreaterThanOrEqual(1)
    slow!.pause()
    holding = false

    // A request it has taken in, and has not answered: its client asks another node with the same key.
    // Its connection is new: the node closes an idle one when it goes on.
    const asked = new Promise<readonly [string, unknown]>((resolve, reject) => {
      const options = {
        method: "POST",
        agent: false,
        headers: {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          "idempotency-key": "create-late"
        }
      } as const
      const sent = request(`${slow!.url()}/v1/transfers`, options, (response) => {
        text(response).then((late) => resolve([late, response.headers["idempotent-replayed"]]), reject)
      })
      sent.once("error", reject).end(JSON.stringify(body))
    })
    const [quick] = await nodesOn(context, url, 1)
    const answer = await clientOf([quick!]).ask("/v1/transfers", { body, key: "create-late" })
    assert.strictEqual(answer.status, 200)
    await settled(context, url)
    const before = await deliveries(url)
    expect(before.map(({ status }) => status)).toEqual(before.map(() => "delivered"))

    slow!.resume()
    for (const response of held) response.writeHead(500).end()
    expect(await asked).toEqual([answer.text, "true"])
    await expect
      .poll(() => counted(slow!, /^corridor_deliveries_total\{.*result="(?:5xx|no_answer)"/))
      .toBeGreaterThanOrEqual(held.length)
    await settled(context, url)
    // What it had to say of its attempts is nowhere: each delivery stands as the other node has settled it.
    const after = await deliveries(url)
    const old = new Set(before.map(({ id }) => id))
    expect(after.filter(({ id }) => old.has(id))).toEqual(before)
    expect(after.filter(({ log }) => log.some(({ response_status }) => response_status !== 204))).toEqual([])
    const transfers = await withSql(url, (sql) => sql`select status from resource where kind = 'transfer'`)
    expect(transfers.map(({ status }) => status)).toEqual(["success", "success"])
  })
})
