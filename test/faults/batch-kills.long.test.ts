/**
 * A batch whose servers are killed at ten points while they pay it: each row happens once, and the results are what left the wallet (BATCH-5).
 * `CORRIDOR_TEST_BATCH_ROWS`: how many rows it has.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "csv-parse/sync"
import { it, type TestContext } from "vitest"
import { apiKey } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase } from "../support/stores/database.ts"
import { fillDirectory } from "../support/stores/pglite.ts"
import { type Client, clientOf, type Node, startNode } from "./cluster.ts"

const ROWS = Number(process.env["CORRIDOR_TEST_BATCH_ROWS"] ?? 300)
const KILLS = 10

/** How long the rows between two kills, and those after the last, may take on a loaded machine. */
const rows_ms = 120_000 + ROWS * 60

interface Batch {
  readonly id: string
  readonly status: string
  readonly counts: { readonly valid: number; readonly created: number; readonly failed: number }
}

interface Line {
  readonly resource_id: string
  readonly direction: string
  readonly amount: string
}

const directory = async ({ onTestFinished }: TestContext): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-batch-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await fillDirectory(folder)
  return `pglite:${folder}`
}

const nodesOn = async ({ onTestFinished }: TestContext, url: string, count: number): Promise<ReadonlyArray<Node>> => {
  const env = { DATABASE_URL: url, CORRIDOR_RATE_LIMIT_PER_SECOND: "0" }
  const nodes: Array<Node> = []
  for (let n = 1; n <= count; n++) {
    const node = await startNode(`node ${n}`, env)
    onTestFinished(() => node.kill())
    nodes.push(node)
  }
  return nodes
}

/** A batch of transfers and offramps, one after the other, that is checked and not confirmed. */
const draftOf = async ({ data }: Client) => {
  const { id: wallet_id } = await data("/v1/wallets", { body: { currency: "USDC" }, key: "batch-wallet" })
  await data("/sandbox/deposits", { body: { wallet_id, amount: `${ROWS * 10}.00`, payin_id: "batch-funds" } })
  const details = { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
  const onChain = { type: "crypto", name: "Ada", currency: "USDC", details }
  const { id: payee } = await data("/v1/beneficiaries", { body: onChain, key: "batch-payee" })
  const [provider] = await data<readonly [{ readonly id: string }]>("/v1/providers?country_code=NG")
  const account = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: provider.id }
  const atBank = { type: "fiat", name: "Chidi", currency: "NGN", details: account }
  const { id: bank } = await data("/v1/beneficiaries", { body: atBank, key: "batch-bank" })
  const amount = (n: number): string => `${2 + (n % 7)}.${10 + (n % 90)}`
  const rows = Array.from({ length: ROWS }, (_, n) =>
    n % 2 === 0
      ? { operation: "transfer", wallet_id, beneficiary_id: payee, amount: amount(n) }
      : { operation: "offramp", wallet_id, beneficiary_id: bank, source_amount: amount(n) }
  )
  const draft = await data<Batch>("/v1/batches", { body: { reference: "payroll", rows }, key: "batch-draft" })
  return { draft, wallet_id, amounts: rows.map((_, n) => amount(n)) }
}

/** How many payouts there are. */
const begun = async ({ ask }: Client): Promise<number> => {
  let sum = 0
  for (const kind of ["transfers", "offramps"])
    sum += JSON.parse((await ask(`/v1/${kind}?per_page=1`)).text).meta.total as number
  return sum
}

/** Kills one node after the other, each when a further part of the rows has begun, and starts it again. */
const killed = async ({ expect }: TestContext, client: Client, nodes: ReadonlyArray<Node>): Promise<void> => {
  for (let n = 0; n < KILLS; n++) {
    const least = Math.floor((ROWS * n) / KILLS) + 1
    await expect.poll(() => begun(client), { timeout: rows_ms, interval: 20 }).toBeGreaterThanOrEqual(least)
    const node = nodes[n % nodes.length]!
    await node.kill()
    await node.revive()
  }
}

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** What left the wallet, by the payout that it left with. */
const debited = async ({ data }: Client, wallet_id: string): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const { lines } = await data<{ readonly lines: ReadonlyArray<Line> }>(
    `/v1/wallets/${wallet_id}/statement?from=${day(-1)}&to=${day(1)}`
  )
  const found = new Map<string, ReadonlyArray<string>>()
  for (const { amount, direction, resource_id } of lines)
    if (direction === "debit") found.set(resource_id, [...(found.get(resource_id) ?? []), amount])
  return found
}

type Result = Readonly<
  Record<"row" | "status" | "reference" | "resource_id" | "resource_status" | "source_amount", string>
>

/** The results of a batch as a file. */
const resultsOf = async (node: Node, id: string): Promise<ReadonlyArray<Result>> => {
  const headers = { authorization: `Bearer ${apiKey}` }
  return parse(await (await fetch(`${node.url()}/v1/batches/${id}/rows?format=csv`, { headers })).text(), {
    columns: true
  })
}

covers("BATCH-5")
it.for([
  ["two nodes on Postgres", 2, () => freshDatabase()],
  ["a node on PGlite", 1, directory]
] as const)(
  "a batch that is paid by %s is paid whole, and each row once",
  { timeout: 4 * rows_ms },
  async ([, count, store], context) => {
    const { expect } = context
    const nodes = await nodesOn(context, await store(context), count)
    const client = clientOf(nodes, { timeout_ms: 60_000, deadline_ms: 120_000 })
    const { amounts, draft, wallet_id } = await draftOf(client)
    expect(draft.counts.valid).toBe(ROWS)
    await client.data(`/v1/batches/${draft.id}/confirm`, { body: {}, key: "batch-confirmed" })
    await killed(context, client, nodes)

    const counts = async () => {
      const { counts, status } = await client.data<Batch>(`/v1/batches/${draft.id}`)
      return [status, counts.created, counts.failed]
    }
    await expect.poll(counts, { timeout: rows_ms, interval: 500 }).toEqual(["completed", ROWS, 0])
    // A submission that a kill cut short is looked up a minute later.
    const open = async () =>
      (await resultsOf(nodes[0]!, draft.id)).filter(({ resource_status }) => resource_status !== "success").length
    await expect.poll(open, { timeout: rows_ms, interval: 1000 }).toBe(0)
    const results = await resultsOf(nodes[0]!, draft.id)
    expect(results.map(({ reference }) => reference)).toEqual(amounts.map((_, n) => `payroll-${n + 1}`))
    expect(results.map(({ source_amount }) => source_amount)).toEqual(amounts)
    expect(new Set(results.map(({ resource_id }) => resource_id)).size).toBe(ROWS)
    expect(await begun(client)).toBe(ROWS)
    expect(await debited(client, wallet_id)).toEqual(
      new Map(results.map(({ resource_id, source_amount }) => [resource_id, [source_amount]]))
    )
    expect(nodes.flatMap(({ deaths }) => deaths)).toEqual([])
  }
)
