/** What rules and limits take, and what a change of them means (APPROVAL-1, LIMITS-1). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keyRoles, operatorRoles } from "../../../src/engine/commit/call.ts"
import { operatorToken as operatorKey, startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

const limits = "/operator/v1/limits"
const rules = "/operator/v1/approval-rules"
const approvals = "/operator/v1/approvals"
const week = { rolling: "P7D" }

describe("controls", () => {
  let s: Stock
  let people = 0
  /** An operator, or a key, of another person. */
  const operator = async (role: string): Promise<string> =>
    (await s.operate("/operator/v1/operators", { body: { name: role, email: `${++people}@controls.example`, role } }))
      .json.data.token
  const key = async (role: string): Promise<string> =>
    (await s.make("/v1/api-keys", { role, person: `${++people}@controls.example` })).secret
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
  })
  afterAll(() => s.api.close())

  const pay = (amount = "1", query = "") =>
    s.api.ask(`/v1/transfers${query}`, { body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount } })
  /** Runs with a rule or a limit, which ends after it. */
  const under = async (path: string, body: object, run: (id: string) => Promise<void>, at?: string): Promise<void> => {
    const made = await s.api.ask(path, { body, ...(at === undefined ? {} : { key: at }) })
    const as = path.startsWith("/operator") ? s.operate : s.api.ask
    const { id } = made.json.data ?? {}
    expect(made.status, made.text).toBe(200)
    try {
      await run(id)
    } finally {
      const status = path === limits ? "disabled" : "ended"
      expect((await as(`${path}/${id}`, { method: "PATCH", body: { status } })).status).toBe(200)
    }
  }
  const ruled = (rule: object, run: (id: string) => Promise<void>) => under(rules, rule, run, operatorKey)
  const limited = (limit: object, run: (id: string) => Promise<void>) =>
    under(limits, { scope: "merchant", window: week, ...limit }, run, operatorKey)

  covers("APPROVAL-14")
  it.each([
    ["/v1/approval-rules", keyRoles, ["approver", "admin"]],
    [rules, operatorRoles, ["support", "treasury", "admin"]]
  ] as const)(
    "of %s a role is refused that can approve nothing, and every other approves",
    async (path, all, taken) => {
      const own = path === "/v1/approval-rules"
      for (const role of all) {
        const body = { operations: ["payout"], roles: [role] }
        const made = await s.api.ask(path, { body, ...(own ? {} : { key: operatorKey }) })
        const [fault] = made.json.meta.errors ?? []
        expect([role, made.status, fault?.field], made.text).toEqual(
          (taken as ReadonlyArray<string>).includes(role) ? [role, 200, undefined] : [role, 400, "roles"]
        )
        if (made.status !== 200) continue
        const { id } = (await pay()).json.meta.approval
        const decided = await s.api.ask(`${own ? "/v1/approvals" : approvals}/${id}/approve`, {
          body: {},
          key: own ? await key(role) : await operator(role)
        })
        expect([role, decided.json.data?.status], decided.text).toEqual([role, "approved"])
        const ended = { method: "DELETE", ...(own ? {} : { key: operatorKey }) }
        expect((await s.api.ask(`${path}/${made.json.data.id}`, ended)).status).toBe(200)
      }
    }
  )

  covers("APPROVAL-1", "LIMITS-1")
  it("null in a change clears what may be without a value, and only that", async () => {
    const above = { amount: "10", currency: "USDC" }
    await ruled({ operations: ["payout"], above, roles: ["admin"], expires_after: "PT2H" }, async (id) => {
      expect((await pay()).json.meta.approval).toBeUndefined()
      const change = (body: object) => s.operate(`${rules}/${id}`, { method: "PATCH", body })
      expect((await change({ approvals: 2 })).json.data.above).toEqual({ ...above, amount: "10.00" })
      const nothing = { operations: null, roles: null, approvals: null, expires_after: null, status: null }
      const same = { above: { ...above, amount: "10.00" }, roles: ["admin"], approvals: 2, expires_after: "PT2H" }
      expect((await change(nothing)).json.data).toMatchObject({ ...same, operations: ["payout"], status: "active" })
      expect((await change({ above: null })).json.data).toMatchObject({ ...same, above: null })
      expect((await pay()).json.meta.approval?.needed).toBe(2)
    })
    const both = { operations: ["payout"], currency: "USDC", max_amount: "100000", max_count: 90 }
    await limited(both, async (id) => {
      const change = (body: object) => s.operate(`${limits}/${id}`, { method: "PATCH", body })
      const maximums = async (body: object) => {
        const { json, text } = await change(body)
        return json.code === "ok"
          ? [json.data.max_amount, json.data.max_count]
          : [json.code, text.match(/max_\w+/)?.[0]]
      }
      expect(await maximums({ action: null, operations: null, status: null })).toEqual(["100000.00", 90])
      expect(await maximums({ max_count: null })).toEqual(["100000.00", null])
      expect(await maximums({ max_amount: null })).toEqual(["invalid_input", "max_amount"])
      expect(await maximums({ max_count: 7, max_amount: null })).toEqual([null, 7])
      expect(await maximums({ max_amount: "5" })).toEqual(["5.00", 7])
    })
  })

  covers("LIMITS-10")
  it("what a rule and a limit ask for is one approval: the longer time, the roles and the number of both", async () => {
    const limit = { operations: ["payout"], currency: "USDC", max_amount: "0.5", action: "approve" }
    const hours = ({ created_at, expires_at }: { created_at: string; expires_at: string }): number =>
      (Date.parse(expires_at) - Date.parse(created_at)) / 3_600_000
    for (const [expires_after, longer] of [
      ["PT1H", 24],
      ["P7D", 168]
    ] as const)
      await limited(limit, (limit_id) =>
        ruled({ operations: ["payout"], approvals: 2, roles: ["admin"], expires_after }, async () => {
          const { approval } = (await pay()).json.meta
          expect([approval.needed, approval.limit_ids, hours(approval)]).toEqual([2, [limit_id], longer])
          const by = (token: string) => s.api.ask(`${approvals}/${approval.id}/approve`, { body: {}, key: token })
          expect((await by(await operator("treasury"))).json.code).toBe("forbidden")
          expect((await by(await operator("admin"))).json.data.status).toBe("pending")
          expect((await by(await operator("admin"))).json.data.status).toBe("approved")
        })
      )
    // A role below those who may do the act does not lower what the limit asks for.
    await limited(limit, () =>
      ruled({ operations: ["payout"], roles: ["support"] }, async () => {
        const { id } = (await pay()).json.meta.approval
        const by = (token: string) => s.api.ask(`${approvals}/${id}/approve`, { body: {}, key: token })
        expect((await by(await operator("support"))).json.code).toBe("forbidden")
        expect((await by(await operator("treasury"))).json.data.status).toBe("approved")
      })
    )
  })

  covers("APPROVAL-2")
  it.each(["/v1/approvals", approvals])("of %s a decline has a note, and an approval may have one", async (path) => {
    const own = path === "/v1/approvals"
    const rule = { operations: ["payout"] }
    await under(
      own ? "/v1/approval-rules" : rules,
      rule,
      async () => {
        const by = own ? await key("approver") : await operator("treasury")
        const decide = async (verb: string, body: object, query = "") => {
          const { id } = (await pay()).json.meta.approval
          return s.api.ask(`${path}/${id}/${verb}${query}`, { body, key: by })
        }
        for (const query of ["", "?dry_run=true"])
          for (const body of [{}, { note: null }, { note: " " }]) {
            const refused = await decide("decline", body, query)
            expect([refused.status, refused.json.meta.errors?.[0].field], refused.text).toEqual([400, "note"])
          }
        const declined = await decide("decline", { note: "unknown payee" })
        expect(declined.json.data).toMatchObject({ status: "declined", declined_by: { note: "unknown payee" } })
        expect((await decide("approve", {})).json.data).toMatchObject({
          status: "approved",
          approvals: [{ note: null }]
        })
      },
      own ? undefined : operatorKey
    )
  })

  covers("LIMITS-12")
  it("a merchant learns that the platform's limit is reached, and nothing of how far it is used", async () => {
    expect((await pay("7")).status).toBe(200)
    for (const sort of [{ currency: "USDC", max_amount: "9" }, { max_count: 3 }])
      await limited({ scope: "platform", operations: ["transfer"], ...sort }, async (limit_id) => {
        // No seconds of a time: they stand behind a digit.
        const known = /(?<!\d)9\.00|"used":|"max":|(?<!\d)7\.5|resets_at":"|are used/
        while ((await pay("3.75")).json.code === "ok") continue
        const refused = await pay("3.75")
        expect(refused.json.meta.errors, refused.text).toMatchObject([{ code: "limit_exceeded", limit_id }])
        expect(refused.text).not.toMatch(known)
        expect(refused.json.meta.next_steps.action).toMatch(/^Wait and send the request again/)
        const dry = await pay("1", "?dry_run=true")
        expect(dry.json.meta.dry_run.limits).toEqual([])
        const row = { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "3.75" }
        const batch = await s.api.ask("/v1/batches?dry_run=true", { body: { reference: `p-${limit_id}`, rows: [row] } })
        expect(batch.json.data.errors, batch.text).toMatchObject([{ code: "limit_exceeded", limit_id }])
        expect(batch.text).not.toMatch(known)
        expect(batch.json.meta.dry_run.limits).toEqual([])
        const own = await s.api.ask("/v1/limits")
        expect(own.text).not.toContain(limit_id)
        const shown = (await s.operate(`${limits}/${limit_id}`)).json.data
        expect(shown.used_amount ?? shown.used_count).not.toBe(null)
      })
    // The operators see it, and a merchant what is its own.
    await limited({ operations: ["transfer"], currency: "USDC", max_amount: "9" }, async () => {
      while ((await pay("3.75")).json.code === "ok") continue
      const [fault] = (await pay("3.75")).json.meta.errors
      expect(fault).toMatchObject({ max: "9.00", used: "7.50" })
      expect((await pay("1", "?dry_run=true")).json.meta.dry_run.limits).toMatchObject([{ max: "9.00", used: "8.50" }])
    })
    await limited({ scope: "platform", operations: ["operator"], max_count: 1 }, async (limit_id) => {
      const body = () => ({ name: "Dora", email: `${++people}@controls.example`, role: "viewer" })
      await s.operate("/operator/v1/operators", { body: body() })
      const { errors } = (await s.operate("/operator/v1/operators", { body: body() })).json.meta
      expect(errors).toMatchObject([{ limit_id, max: 1, used: 1 }])
    })
  })
  covers("APPROVAL-1", "LIMITS-1")
  it("are changed and ended by one request", async () => {
    const rule = { operations: ["transfer"], approvals: 1 }
    const limit = { scope: "merchant", operations: ["transfer"], window: week, max_count: 5 }
    for (const [path, body, change] of [
      [rules, rule, { status: "ended", approvals: 3 }],
      [limits, limit, { status: "disabled", max_count: 6 }]
    ] as const) {
      const { id } = (await s.operate(path, { body })).json.data
      const done = await s.operate(`${path}/${id}`, { method: "PATCH", body: change })
      expect(done.json.data, done.text).toMatchObject(change)
    }
  })
})
