/** The audit log: each action of an operator has one entry, which says what it changed and no secret. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { entries } from "../../../src/engine/operations.ts"
import { asOperator, operatorToken } from "../../support/http/server.ts"
import { catalogue } from "../../support/http/successful-requests.ts"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
let ada: any
beforeAll(async () => {
  const sink = MemoryWebhookSink.layer({ answer: ({ url }) => (url.endsWith("/gone") ? { response_status: 410 } : {}) })
  s = await startStocked({ sink })
  ada = (await s.operate("/operator/v1/operators", { body: { name: "Ada Obi", role: "admin" } })).json.data
})
afterAll(() => s.api.close())

const audit = async (query = ""): Promise<ReadonlyArray<any>> =>
  (await asOperator(s.api, `/operator/v1/audit?per_page=200${query}`)).json.data
const total = async (query = ""): Promise<number> =>
  (await asOperator(s.api, `/operator/v1/audit?per_page=1${query}`)).json.meta.total

const actions = entries
  .map(({ operation }) => operation)
  .filter(({ area, method, readsOnly }) => area === "operator" && method !== "GET" && !readsOnly)

/** What each action says of its resource before and after; `null` before: the action made it. */
const changes: Readonly<Record<string, readonly [before: object | null, after: object]>> = {
  createMerchant: [null, { status: "pending", name: "New", country_code: "KE" }],
  updateMerchant: [{ status: "suspended" }, { status: "active" }],
  createMerchantApiKey: [null, { status: "active", role: "viewer" }],
  revokeMerchantApiKey: [{ status: "active", role: "admin" }, { status: "revoked" }],
  reviewAccessRequest: [{ status: "pending" }, { status: "rejected", currency: "EUR", review_reason: "no" }],
  revokeAccessRequest: [{ status: "approved" }, { status: "revoked", review_reason: "lapsed" }],
  reviewVerification: [{ status: "in_progress" }, { status: "approved" }],
  freezeWalletCredential: [{ status: "active" }, { status: "frozen" }],
  unfreezeWalletCredential: [{ status: "frozen" }, { status: "active" }],
  disableWalletCredential: [{ status: "pending" }, { status: "disabled" }],
  freezeDepositAddress: [{ status: "active" }, { status: "frozen" }],
  unfreezeDepositAddress: [{ status: "frozen" }, { status: "active" }],
  forwardWalletCredential: [null, { currency: "NGN" }],
  releaseDeposit: [{ state: "held", amount: "5.00", currency: "USDC" }, { status: "success" }],
  rejectDeposit: [{ state: "held" }, { state: "refunding" }],
  resolveException: [
    { status: "open", action: null },
    { status: "resolved", action: "dismiss" }
  ],
  createAdjustingEntry: [null, { status: "posted", from: "suspense", amount: "1.00" }],
  reverseAdjustingEntry: [{ status: "posted" }, { status: "reversed" }],
  createExternalAccount: [null, { status: "active", provider: "simulated", currency: "NGN" }],
  createLimit: [null, { status: "active", scope: "merchant", max_amount: "100000.00" }],
  updateLimit: [{ max_amount: "100000.00" }, { max_amount: "250000.00" }],
  updateExternalAccount: [{ status: "active" }, { status: "closed" }],
  resolveBreak: [
    { status: "open", action: null },
    { status: "resolved", action: "explain" }
  ],
  resolveBreaks: [
    { status: "open", action: null },
    { status: "resolved", action: "dismiss" }
  ],
  createStatementMapping: [null, { status: "active", name: "Online export" }],
  replayFailedMerchantWebhookEvents: [{ status: "active" }, { status: "active" }],
  createClosing: [null, { status: "active", closing: "-1.50", unexplained: "0.00", accepted: false }],
  takeStatements: [null, { status: "active", format: "mt940", closing_balance: "10.00", currency: "NGN", lines: 1 }],
  createOperatorApprovalRule: [null, { status: "active", operations: ["break_resolution"], approvals: 1 }],
  updateOperatorApprovalRule: [{ status: "active" }, { status: "ended" }],
  endOperatorApprovalRule: [{ status: "active" }, { status: "ended" }],
  approveOperatorApproval: [
    { status: "pending", approved_by: [] },
    { status: "approved", approved_by: ["Ada Obi"] }
  ],
  declineOperatorApproval: [{ status: "pending" }, { status: "declined", declined_by: "Ada Obi" }],
  createFeeSchedule: [null, { status: "active", operation: "offramp", bps: 40, merchant_id: null }],
  endFeeSchedule: [{ status: "active" }, { status: "ended" }],
  createBrake: [null, { status: "active", scope: "corridor" }],
  releaseBrake: [{ status: "active" }, { status: "released" }],
  acceptRate: [{ per_usd: "1500" }, { currency: "NGN", per_usd: "1500.5" }],
  createOperator: [null, { status: "active", name: "Ada Obi", role: "support" }],
  updateOperator: [{ role: "support" }, { role: "treasury" }],
  rotateOperatorToken: [{ status: "active" }, { status: "active" }],
  revokeOperator: [{ status: "active" }, { status: "revoked" }]
}

/** Where each row of the file has a note of its own. */
const notes: Readonly<Record<string, string>> = { resolveBreaks: "seen" }

describe("the audit log", () => {
  covers("AUDIT-1", "AUDIT-2")
  it.each(actions.map(({ id }) => id))("has one entry for %s, in the name of its operator", async (id) => {
    if (id === "updateMerchant")
      await asOperator(s.api, `/operator/v1/merchants/${s.other_merchant_id}`, {
        method: "PATCH",
        body: { status: "suspended" }
      })
    const request = await catalogue[id]!(s)
    const before = await total(`&operator_id=${ada.id}`)
    const noted =
      request.raw === undefined
        ? { ...request, body: { ...(request.body as object), note: `why ${id}` } }
        : { ...request, path: `${request.path}&note=${encodeURIComponent(`why ${id}`)}` }
    const { json, status, text } = await s.api.ask(noted.path, { ...noted, key: ada.token })
    expect(status, text).toBe(200)
    expect(await total(`&operator_id=${ada.id}`)).toBe(before + 1)
    const [entry] = await audit(`&operator_id=${ada.id}`)
    expect(entry).toMatchObject({
      operator: { id: ada.id, name: "Ada Obi", role: "admin" },
      action: id,
      note: notes[id] ?? `why ${id}`,
      request_id: json.meta.request_id
    })
    const [from, to] = changes[id]!
    expect(entry.after).toMatchObject(to)
    if (from === null) expect(entry.before).toBeNull()
    else expect(entry.before).toMatchObject(from)
    expect(await audit(`&resource_id=${entry.resource.id}&action=${id}`)).toContainEqual(entry)
    expect(await audit(`&merchant_id=${entry.resource.merchant_id}&action=${id}`)).toContainEqual(entry)
  })

  it("is tested for every operation that writes", () => {
    expect(Object.keys(changes).toSorted()).toEqual(actions.map(({ id }) => id).toSorted())
  })

  covers("AUDIT-1")
  it("has no entry of what was refused, or changed nothing", async () => {
    const { token } = (await asOperator(s.api, "/operator/v1/operators", { body: { name: "V", role: "viewer" } })).json
      .data
    const before = await total()
    const refused = [
      await s.api.ask("/operator/v1/brakes", { key: token, body: { scope: "all" } }),
      await s.api.ask("/operator/v1/brakes", { key: ada.token, body: { scope: "nothing" } }),
      await s.api.ask("/operator/v1/brakes/brake_1/release", { key: ada.token, body: {} })
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 400, 404])
    const same = await s.api.ask(`/operator/v1/merchants/${s.api.merchant_id}`, {
      key: ada.token,
      method: "PATCH",
      body: { status: "active" }
    })
    expect(same.status).toBe(200)
    expect(await total()).toBe(before)
  })

  it("shows a note in the history of its resource as well", async () => {
    const entry = (await audit("&action=freezeDepositAddress")).find(({ note }) => note !== null)
    const { json } = await asOperator(s.api, `/operator/v1/resources/${entry.resource.id}/history`)
    expect(json.data.transitions.map(({ note }: any) => note)).toContain("why freezeDepositAddress")
  })

  covers("AUDIT-2")
  it("has no token, key or hash", async () => {
    const made = (await asOperator(s.api, "/operator/v1/operators", { body: { name: "T", role: "viewer" } })).json.data
    const rotated = (await asOperator(s.api, `/operator/v1/operators/${made.id}/rotate-token`, { body: {} })).json.data
    const { api_key } = (await asOperator(s.api, "/operator/v1/merchants", { body: { name: "M", country_code: "KE" } }))
      .json.data
    const text = JSON.stringify(await audit())
    for (const secret of [made.token, rotated.token, api_key.secret, ada.token, operatorToken])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/"(?:hash|token|secret|id_number)"/)
    expect(text).not.toMatch(/[0-9a-f]{64}/)
  })

  it("is only read: there is no operation that changes or deletes an entry", () => {
    const paths = entries.map(({ operation }) => operation).filter(({ path }) => path.includes("audit"))
    expect(paths.map(({ id, method }) => `${method} ${id}`)).toEqual(["GET listAuditEntries"])
  })

  it("has merchants' own calls nowhere", async () => {
    const before = await total()
    await s.make("/v1/wallets", { currency: "USDC" })
    await s.make("/v1/api-keys", { role: "viewer" })
    expect(await total()).toBe(before)
  })
})
