/** Lists name the merchant and the customer of each row (OPERATOR-11, LIST-7). */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeHeldDeposit, openException } from "../../support/http/successful-requests.ts"
import { startStocked, type Stock } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

interface Owned {
  readonly merchant_id: string | null
  readonly merchant_name: string | null
}

/** What a row of each list has, by the path of the list. */
const rowsOfLists = (): ReadonlyArray<readonly [path: string, members: ReadonlyArray<string>]> => {
  const { components, paths } = JSON.parse(readFileSync("docs/openapi.json", "utf8"))
  const of = (schema: any): any =>
    schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split("/").at(-1)]
  return Object.entries<any>(paths).flatMap(([path, { get }]) => {
    const { data } = of(get?.responses["200"].content["application/json"]?.schema)?.properties ?? {}
    if (data?.items === undefined) return []
    return [[path, Object.keys(of(data.items).properties ?? {})] as const]
  })
}

describe("the lists of operators", () => {
  let s: Stock
  beforeAll(async () => {
    s = await startStocked()
  })
  afterAll(() => s?.api.close())

  covers("OPERATOR-11")
  it("all have the name of a merchant where they have its id", () => {
    const owned = rowsOfLists().filter(
      ([path, members]) => path.startsWith("/operator/v1") && members.includes("merchant_id")
    )
    expect(owned.length).toBeGreaterThan(12)
    expect(owned.filter(([, members]) => !members.includes("merchant_name"))).toEqual([])
  })

  covers("OPERATOR-11")
  it("say it of what belongs to several merchants, and null for the platform", async () => {
    await openException(s)
    await makeHeldDeposit(s)
    await s.make(`/sandbox/verifications/${s.verification}`, { outcome: "opened" })
    const { json } = await s.operate("/operator/v1/merchants?per_page=200")
    const names = new Map<string, string>(json.data.map(({ id, name }: any) => [id, name]))
    const treasury = async (path: string, body: object) =>
      expect((await s.operate(`/operator/v1/${path}`, { method: "POST", body })).status).toBeLessThan(300)
    for (const merchant_id of names.keys()) {
      await treasury("brakes", { scope: "merchant", merchant_id })
      await treasury("fee-schedules", { operation: "offramp", bps: 40, merchant_id })
      await treasury("limits", {
        scope: "merchant",
        id: merchant_id,
        operations: ["payout"],
        max_count: 9,
        window: { rolling: "PT1H" }
      })
    }
    await treasury("brakes", { scope: "provider", provider: "simulated" })
    const entry = { from: "rounding", to: "fees", amount: "0.01", currency: "USDC", note: "a test" }
    await treasury("adjusting-entries", entry)
    const account = encodeURIComponent(`available:${s.wallet}`)
    const lists = {
      [`ledger/accounts/${account}/entries`]: 1,
      "verifications?status=in_progress": 0,
      "stuck?older_than_seconds=0": 1,
      deposits: 1,
      exceptions: 1,
      brakes: names.size,
      "fee-schedules": names.size,
      limits: names.size,
      "ledger/accounts": 1,
      "adjusting-entries": 0
    }
    for (const [path, least] of Object.entries(lists)) {
      const list = await s.operate(`/operator/v1/${path}${path.includes("?") ? "&" : "?"}per_page=200`)
      const rows: ReadonlyArray<Owned> = list.json.data
      expect([path, rows.length > 0]).toEqual([path, true])
      for (const { merchant_id, merchant_name } of rows)
        expect([path, merchant_name]).toEqual([path, names.get(merchant_id ?? "") ?? null])
      const owners = new Set(
        rows.flatMap(({ merchant_id, merchant_name }) => (merchant_name === null ? [] : merchant_id))
      )
      expect([path, owners.size]).toEqual([path, Math.max(owners.size, least)])
    }
    // A file of the list has it as well.
    const csv = await s.operate("/operator/v1/brakes?format=csv")
    expect(csv.text.split("\n")[0]).toContain("merchant_name")
  })

  covers("LIST-7")
  it("have the name of a customer where they have its id, of either side", async () => {
    const bare = rowsOfLists().filter(
      ([, members]) =>
        members.includes("customer_id") && !members.includes("customer_name") && !members.includes("customer")
    )
    expect(bare.map(([path]) => path)).toEqual(["/v1/customers/{customerId}/verifications"])
    await makeHeldDeposit(s)
    await s.make("/v1/senders", { customer_id: s.customer, type: "business", name: "Ada Trading", country_code: "NG" })
    const { id: customer_id } = await s.make("/v1/customers", {
      type: "business",
      name: "Dakar Trading",
      email: "dakar@example.com",
      country_code: "NG"
    })
    const { id: wallet_id } = await s.make("/v1/wallets", { currency: "USDC", customer_id })
    await s.make("/sandbox/deposits", { wallet_id, amount: "5.00" })
    const { json } = await s.operate("/operator/v1/customers?per_page=200")
    const names = new Map<string, string>(json.data.map(({ id, name }: any) => [id, name]))
    const named = rowsOfLists().filter(
      ([path, members]) => members.includes("customer_name") && !path.endsWith("/verifications")
    )
    expect(named.length).toBe(7)
    for (const [path] of named) {
      const asked = path.endsWith("/search") ? `${path}?q=5.00%20USDC` : path
      const list = path.startsWith("/v1") ? await s.api.ask(asked) : await s.operate(asked)
      expect([path, list.json.data.length > 0]).toEqual([path, true])
      for (const { customer_id, customer_name } of list.json.data) {
        expect(names.get(customer_id)).toBeDefined()
        expect([path, customer_name]).toEqual([path, names.get(customer_id)])
      }
    }
    // Rows of several customers, and a file of the list.
    const { json: movements } = await s.operate("/operator/v1/movements?per_page=200")
    expect(new Set(movements.data.map(({ customer_name }: any) => customer_name)).size).toBeGreaterThan(1)
    const csv = await s.api.ask("/v1/transactions?format=csv")
    expect(csv.text.split("\n")[0]).toContain("customer_name")
  })
})
