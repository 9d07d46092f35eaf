/**
 * A rolling upgrade: a node of the release before beside one of the next, on one store.
 *
 * The next release is this one with a transfer of version 2, whose first state has another name; it keeps the machine of
 * version 1 loadable, as CONTRIBUTING asks.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase } from "../support/stores/database.ts"
import { apiKey } from "../support/http/served-process.ts"
import { clientOf, type Node, startNode } from "./cluster.ts"
import { payerOf } from "./merchant.ts"
import { withSql } from "./oracles.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A copy of this release with another machine. */
const nextRelease = (folder: string): string => {
  cpSync(join(root, "src"), join(folder, "src"), { recursive: true })
  cpSync(join(root, "package.json"), join(folder, "package.json"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const machine = join(folder, "src/machines/movements/transfer.ts")
  const text = readFileSync(machine, "utf8")
  writeFileSync(join(folder, "src/machines/movements/transfer.v1.ts"), text)
  const changes: ReadonlyArray<readonly [string, string, times?: number]> = [
    ['version: "1"', 'version: "2"'],
    ['target: "queued"', 'target: "enlisted"', 2],
    ["    queued: {", "    enlisted: {"],
    [
      'import { assign, setup } from "xstate"',
      `import { Transfer as First } from './transfer.v1.ts'\nimport { assign, setup } from "xstate"`
    ],
    ['("transfer", machine)', '("transfer", machine, { "1": First.machine })']
  ]
  let next = text
  for (const [from, to, times = 1] of changes) {
    expect(next.split(from), from).toHaveLength(times + 1)
    next = next.replaceAll(from, to)
  }
  writeFileSync(machine, next)
  return join(folder, "src/cli/main.ts")
}

describe("a node of an older release beside a newer one", () => {
  let folder: string
  let newer: string
  const running: Array<Node> = []
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "corridor-release-"))
    newer = nextRelease(folder)
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((node) => node.kill()))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const start = async (url: string, name: string, file?: string): Promise<Node> => {
    const env = { DATABASE_URL: url, CORRIDOR_RATE_LIMIT_PER_SECOND: "0", CORRIDOR_LEASE_SECONDS: "2" }
    const node = await startNode(name, env, file)
    running.push(node)
    return node
  }

  /** Transfers by the version of their machine: `version status count of versions`. */
  const statuses = (url: string): Promise<ReadonlyArray<string>> =>
    withSql(url, async (sql) => {
      const rows = await sql<Array<{ machine: string; status: string; state: string }>>`
        select machine, status, state from resource where kind = 'transfer' order by machine, status, id`
      return rows.map(({ machine, state, status }) => `${machine} ${status} ${state}`)
    })

  const becomes = async (url: string, expected: ReadonlyArray<string>): Promise<void> => {
    await expect.poll(() => statuses(url), { interval: 100 }).toEqual(expected)
  }

  covers("SERVICE-2")
  it("leaves what it does not know to the newer, which steps what the older wrote", async () => {
    const url = await freshDatabase()
    const [old, next] = await Promise.all([start(url, "older"), start(url, "newer", newer)])
    const [older, later] = [clientOf([old]), clientOf([next])]
    const payer = await payerOf(older, "http://127.0.0.1:9/none", 1000)
    const pay = async (client: typeof older, reference: string): Promise<string> => {
      const body = { wallet_id: payer.wallet_id, beneficiary_id: payer.payee_id, amount: "10.00", reference }
      return (await client.data("/v1/transfers", { body, key: `create-${reference}` })).id
    }
    const submissions = (client: typeof older, how: "hold" | "accept") =>
      client.data("/sandbox/provider", { body: { submissions: how } })

    await submissions(older, "hold")
    await pay(older, "first")
    const unknown = await pay(later, "second")
    expect(await statuses(url)).toEqual(["1 processing queued", "2 processing enlisted"])

    // The older alone: it pays what it has made, and hands back what it does not know, untouched.
    await next.stop()
    const due = () =>
      withSql(url, async (sql) => {
        const [job] = await sql<[{ due_at: string; attempt: number }]>`
          select due_at, attempt from job where starts_with(id, ${`${unknown}.`}) and status = 'pending'`
        return Number(job.due_at)
      })
    await submissions(older, "accept")
    await older.data("/sandbox/clock/advance", { body: { seconds: 10 } })
    await becomes(url, ["1 success success", "2 processing enlisted"])
    const seen = await due()
    await expect.poll(due).toBeGreaterThan(seen + 2000)
    const read = await older.ask(`/v1/transfers/${unknown}`)
    expect([read.status, read.json.data.status]).toEqual([200, "processing"])
    const reported = await fetch(`${old.url()}/sandbox/outcomes`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ resource_id: unknown, outcome: "success" })
    })
    expect([reported.status, reported.headers.get("retry-after")]).toEqual([500, "1"])
    expect(old.deaths).toEqual([])
    expect(await statuses(url)).toEqual(["1 success success", "2 processing enlisted"])

    // The newer alone: it pays its own, and what the older left behind, each by the machine that made it.
    await submissions(older, "hold")
    await pay(older, "third")
    await old.stop()
    await next.revive()
    await submissions(later, "accept")
    await later.data("/sandbox/clock/advance", { body: { seconds: 10 } })
    await becomes(url, ["1 success success", "1 success success", "2 success success"])
    const executed = await withSql(
      url,
      (sql) =>
        sql`select count(*)::int as n from resource where kind = 'simulated_instruction' and 'executed=true' = any (index_keys)`
    )
    expect(executed[0]?.["n"]).toBe(3)
  })
})
