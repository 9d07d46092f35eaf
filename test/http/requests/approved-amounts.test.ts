/** A resolution that was approved books what was approved, and no other amount (APPROVAL-18). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { approver } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { mt940 } from "../../support/statements/mt940.ts"

let s: Stock
let bisi: string
beforeAll(async () => {
  s = await stockOf(await startApi({ rate_per_second: 0 }))
  bisi = await approver(s)
})
afterAll(() => s.api.close())

covers("APPROVAL-15", "APPROVAL-18")
it("books the amount that its approvers saw, or nothing, where its break comes to another by then", async () => {
  const opening = (balance: string) => ({ opening: { date: "2026-01-01", balance } })
  const account = (
    await s.operate("/operator/v1/external-accounts", {
      body: {
        ...{ provider: "simulated", currency: "NGN", kind: "bank", time_zone: "UTC" },
        identifiers: [{ scheme: "account_number", value: "551" }],
        ...opening("-1.50")
      }
    })
  ).json.data.id
  await s.operate("/operator/v1/statements", { method: "POST", raw: mt940("551", "B-1") })
  const open = async () =>
    (await s.operate(`/operator/v1/breaks?kind=balance_differs&status=open&external_account_id=${account}`)).json.data
  const [found] = await open()
  expect(found.amount).toBe("1.50")
  const rule = await s.operate("/operator/v1/approval-rules", { body: { operations: ["adjusting_entry"] } })
  expect(rule.status, rule.text).toBe(200)
  const large = await s.operate("/operator/v1/approval-rules", {
    body: { operations: ["adjusting_entry"], above: { amount: "100", currency: "NGN" }, approvals: 3 }
  })
  expect(large.status, large.text).toBe(200)
  const waits = await s.operate(`/operator/v1/breaks/${found.id}/resolve`, {
    body: { action: "explain", from: "world:simulated", to: "suspense", note: "interest" }
  })
  const { amounts, id, needed } = waits.json.meta.approval
  expect([amounts, needed]).toEqual([[{ amount: "1.50", currency: "NGN" }], 1])
  const patched = await s.operate(`/operator/v1/external-accounts/${account}`, {
    method: "PATCH",
    body: { ...opening("-900"), note: "typed" }
  })
  expect(patched.status, patched.text).toBe(200)
  await s.make("/sandbox/clock/advance", { seconds: 120 })
  expect((await open()).map((one: any) => one.amount)).toEqual(["900.00"])
  const done = await s.api.ask(`/operator/v1/approvals/${id}/approve`, { body: {}, key: bisi })
  const { status } = done.json.data
  const posted = (await s.operate("/operator/v1/adjusting-entries?per_page=50")).json.data
  // Either what was approved is booked, or nothing is: of 900.00 nobody was asked, and three would have to be.
  expect(posted.map((one: any) => `${one.amount} by an approval of 1.50 that is ${status}`)).toEqual([])
})
