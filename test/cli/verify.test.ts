/** `corridor verify` on stores with a history: nothing on healthy ones, and each seeded corruption by its name. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { PostgresStorage } from "../../src/adapters/storage/postgres.ts"
import { corridor } from "../support/cli/command-line.ts"
import { corruptions, type Query } from "../support/cli/corruptions.ts"
import { historyDatabase } from "../support/cli/history.ts"
import { healthy, named, type Report, seeded, verified } from "../support/cli/verified.ts"
import { startApi } from "../support/http/server.ts"
import { serveHere } from "../support/http/served-here.ts"
import { stockOf } from "../support/http/stocked-server.ts"
import { catalogue, waitingPayout } from "../support/http/successful-requests.ts"
import { covers } from "../support/repository/covers.ts"
import { inTurn } from "../support/repository/turns.ts"
import { freshDatabase, query } from "../support/stores/database.ts"
import { mt940 } from "../support/statements/mt940.ts"
import { fillDirectory, whileInUse } from "../support/stores/pglite.ts"

const asking =
  (url: string): Query =>
  (text) =>
    query(url, text)

describe("corridor verify, on Postgres", () => {
  let template: string
  beforeAll(async () => {
    template = await historyDatabase()
  })

  covers("VERIFY-1")
  it("finds nothing after a simulation with faults", async () => {
    await healthy(template)
    const { code, out } = await corridor(["verify"], { DATABASE_URL: template })
    expect(code).toBe(0)
    expect(out).toMatch(/: 20 checks of \d+ resources, \d+ transitions, \d+ postings and \d+ events: no difference\n/)
  })

  // The next test has all of them at once.
  const alone = inTurn("the corruption", corruptions, ({ what }) => what)
  covers("VERIFY-2")
  it.each(alone.map((one) => [one.what, one] as const))("finds %s, and says where", async (_, corruption) => {
    const url = await freshDatabase(template)
    const [expected] = await seeded(asking(url), [corruption])
    const [code, report] = await verified(url)
    expect(named(report)).toContain(expected)
    expect([code, report.ok]).toEqual([1, false])
    // What follows from the corruption is reported too, and nothing else.
    const others = named(report).filter((one) => !corruption.also.test(one) && one !== expected)
    expect(others).toEqual([])
  })

  it("finds all of them in one store, one line each", async () => {
    const url = await freshDatabase(template)
    const expected = await seeded(asking(url), corruptions)
    expect(expected.length).toBeGreaterThanOrEqual(10)
    const [code, report] = await verified(url)
    expect(named(report)).toEqual(expect.arrayContaining([...expected]))
    expect(code).toBe(1)
    const { code: again, out } = await corridor(["verify"], { DATABASE_URL: url })
    const lines = out
      .split("\n")
      .map((line) => line.replace(/ of mer_\w+: expected .*; found .*\.$/, "").replace(": ", " "))
    expect(lines).toEqual(expect.arrayContaining([...expected]))
    expect(again).toBe(1)
  })

  covers("VERIFY-3")
  it("reads beside a server that works, and takes deleted events for what they are", async () => {
    const url = await freshDatabase(template)
    const server = await serveHere({ DATABASE_URL: url })
    await healthy(url)
    await server.stop()
    await query(url, "delete from event where sequence = 1")
    await query(url, "delete from list_counter where kind = '@event'")
    await query(url, "update setting set value = '0' where key = 'none'")
    const [, kept] = await verified(url)
    expect(named(kept).some((one) => one.startsWith("events "))).toBe(true)
    await query(
      url,
      `insert into setting (key, value) values ('clock_offset_ms', '${400 * 86_400_000}')
      on conflict (key) do update set value = excluded.value`
    )
    const aged = await corridor(["verify", "--json"], { DATABASE_URL: url, CORRIDOR_KEEP_EVENTS_DAYS: "30" })
    expect(named(JSON.parse(aged.out) as Report).filter((one) => one.startsWith("events "))).toEqual([])
  })

  covers("VERIFY-1", "APPROVAL-1")
  it("counts what payouts have set aside that wait for approval", async () => {
    const url = await freshDatabase()
    const store = Layer.orDie(PostgresStorage.layer({ url, connections: 4 }))
    const s = await stockOf(await startApi({ rate_per_second: 0 }, store))
    await waitingPayout(s, "/v1")
    const { id } = await s.make("/v1/approval-rules", { operations: ["payout"] })
    const { path, ...offramp } = await catalogue["createOfframp"]!(s)
    const { text, json } = await s.api.ask(path, offramp)
    expect(json.meta?.approval?.status, text).toBe("pending")
    await s.api.ask(`/v1/approval-rules/${id}`, { method: "DELETE" })
    await s.api.close()
    await healthy(url)
  })

  covers("ADJUST-2")
  it("counts adjusting entries that no exception explains, and their reversals, to suspense", async () => {
    const url = await freshDatabase()
    const server = await serveHere({ DATABASE_URL: url })
    const send = async (path: string, body: object): Promise<any> => {
      const answer = await fetch(`${server.url}/operator/v1/adjusting-entries${path}`, {
        method: "POST",
        headers: { authorization: "Bearer op_test_token_of_a_served_process", "content-type": "application/json" },
        body: JSON.stringify({ note: "n", ...body })
      })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as any).data
    }
    const money = { currency: "USDC", amount: "3" }
    await send("", { ...money, from: "world:simulated", to: "suspense" })
    const { id } = await send("", { ...money, amount: "2", from: "suspense", to: "fees" })
    await healthy(url)
    await send(`/${id}/reverse`, {})
    await server.stop()
    await healthy(url)
  })

  covers("CLOSE-3")
  it("holds the seal of a day against its lines", async () => {
    const url = await freshDatabase()
    const server = await serveHere({ DATABASE_URL: url })
    const send = async (path: string, body: object | Uint8Array): Promise<any> => {
      const answer = await fetch(`${server.url}/operator/v1${path}`, {
        method: "POST",
        headers: { authorization: "Bearer op_test_token_of_a_served_process", "content-type": "application/json" },
        body: (body instanceof Uint8Array ? body : JSON.stringify(body)) as never
      })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as any).data
    }
    const { id: external_account_id } = await send("/external-accounts", {
      provider: "simulated",
      currency: "NGN",
      kind: "bank",
      identifiers: [{ scheme: "account_number", value: "00123" }],
      opening: { date: "2026-01-01", balance: "0" },
      time_zone: "Africa/Lagos"
    })
    await send("/statements", mt940("00123", "V-1"))
    const close = { external_account_id, accept: true, note: "no break is left" }
    await send("/closings", { ...close, date: "2026-01-04" })
    const { id } = await send("/closings", { ...close, date: "2026-01-05" })
    await server.stop()
    await healthy(url)
    const line = "from resource where kind = 'statement_line'"
    for (const change of [
      `update resource set data = replace(data, '"amount":"1000"', '"amount":"1001"') where kind = 'statement_line'`,
      `update resource set data = replace(data, '"lines":1', '"lines":2') where kind = 'closing'`,
      `update resource set data = replace(data, '"credit"', '"debit"') where kind = 'statement_line'`
    ]) {
      const changed = await freshDatabase(url)
      expect(await query(changed, `select data ${line}`)).toHaveLength(1)
      await query(changed, change)
      const [code, report] = await verified(changed)
      expect([code, named(report)]).toEqual([1, [`seals ${id}`]])
    }
  })

  it.each([
    [
      "postgres://nobody:hunter2@127.0.0.1:1/none",
      /^the store postgres:\/\/127\.0\.0\.1:1\/none \(DATABASE_URL\) cannot be used: /
    ],
    ["memory:", /^the store memory: \(DATABASE_URL\) cannot be used: a store in memory ends with its process$/],
    ["pglite:/nowhere/store", /cannot be used: the directory \/nowhere\/store has no store$/]
  ])("ends with 3 for %s", async (url, line) => {
    const { code, errors, out } = await corridor(["verify"], { DATABASE_URL: url })
    expect([code, out, errors]).toEqual([3, "", [expect.stringMatching(line)]])
  })

  it("ends with 3 for a store of another release", async () => {
    const url = await freshDatabase()
    await query(url, "insert into migration (name, hash) values ('9999_next.sql', 'x')")
    const { code, errors } = await corridor(["verify"], { DATABASE_URL: url })
    expect([code, errors]).toEqual([
      3,
      [expect.stringMatching(/is not of this release: a newer release has applied 9999_next\.sql\.$/)]
    ])
  })

  it("refuses a directory that another process uses", async () => {
    const directory = mkdtempSync(join(tmpdir(), "corridor-verify-"))
    const used = `pglite:${directory}`
    await fillDirectory(directory)
    const { code, errors } = await whileInUse(directory, () => corridor(["verify"], { DATABASE_URL: used }))
    rmSync(directory, { recursive: true })
    expect([code, errors]).toEqual([3, [expect.stringMatching(/is in use by process \d+ \(/)]])
  })
})
