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
  expect(done.json.code).toBe("invalid_status")
  const { status } = (await s.operate(`/operator/v1/approvals/${id}`)).json.data
  const posted = (await s.operate("/operator/v1/adjusting-entries?per_page=50")).json.data
  // Either what was approved is booked, or nothing is: of 900.00 nobody was asked, and three would have to be.
  expect(posted.map((one: any) => `${one.amount} by an approval of 1.50 that is ${status}`)).toEqual([])
  expect(status).toBe("expired")
  for (const one of [rule, large])
    await s.operate(`/operator/v1/approval-rules/${one.json.data.id}`, { method: "DELETE" })
})

covers("APPROVAL-13", "APPROVAL-18")
it.each(["row", "call"] as const)(
  "dismisses the difference that its approvers saw, or nothing: by a %s",
  async (by) => {
    const number = by === "row" ? "771" : "772"
    const account = (
      await s.operate("/operator/v1/external-accounts", {
        body: {
          ...{ provider: "simulated", currency: "NGN", kind: "bank", time_zone: "UTC" },
          identifiers: [{ scheme: "account_number", value: number }],
          opening: { date: "2026-01-01", balance: "0" }
        }
      })
    ).json.data.id
    const entry = (
      await s.operate("/operator/v1/adjusting-entries", {
        body: { from: "losses", to: "world:simulated", amount: "14100.37", currency: "NGN", note: "paid" }
      })
    ).json.data.id
    const says = (day: string, amount: string) =>
      s.operate(`/operator/v1/statements?external_account_id=${account}`, {
        method: "POST",
        raw: new TextEncoder().encode(
          `:20:${day}${amount}\n:25:${number}\n:28C:${day}/1\n:60F:C2601${day}NGN100000,00\n:61:2601${day}D${amount}NTRFNONREF\n:86:/EREF/${entry}/REMI/PAID/\n:62F:C2601${day}NGN${(100_000 - Number(amount.replace(",", "."))).toFixed(2).replace(".", ",")}\n`
        )
      })
    const open = async () =>
      (await s.operate(`/operator/v1/breaks?kind=amount_differs&status=open&external_account_id=${account}`)).json.data
    const taken = await says("07", "14100,47")
    expect(taken.status, taken.text).toBe(200)
    const [found] = await open()
    expect([found.amount, found.severity]).toEqual(["0.10", "high"])
    const rule = await s.operate("/operator/v1/approval-rules", {
      body: { operations: ["break_resolution"], above: { amount: "0.05", currency: "NGN" } }
    })
    expect(rule.status, rule.text).toBe(200)
    const waits =
      by === "row"
        ? await s.operate("/operator/v1/breaks/resolve", {
            method: "POST",
            raw: new TextEncoder().encode(`id,amount,action,note\n${found.id},0.10,dismiss,seen\n`)
          })
        : await s.operate(`/operator/v1/breaks/${found.id}/resolve`, { body: { action: "dismiss", note: "seen" } })
    expect(waits.text).toMatch(/apr_/)
    const id = /apr_\w+/.exec(waits.text)![0]
    const shown = async () => (await s.operate(`/operator/v1/approvals/${id}`)).json.data
    // Who approves sees which act it is, and why it was asked for: a dismissal is no explanation. A list does not show it.
    const asked = (await s.api.ask(`/operator/v1/approvals/${id}`, { key: bisi })).json.data.request
    expect(asked).toEqual({ name: "resolveBreak", body: { action: "dismiss", note: "seen" } })
    const listed = (await s.operate(`/operator/v1/approvals?resource_id=${found.id}`)).json.data
    expect(listed.map((one: any) => [one.id, one.request])).toEqual([[id, null]])
    // What a dismissal says is no difference is its amount.
    expect((await shown()).amounts).toEqual([{ amount: "0.10", currency: "NGN" }])
    await says("08", "14100,37")
    expect((await open()).map((one: any) => [one.id, one.amount])).toEqual([[found.id, "14100.47"]])
    const { refusal, status } = await shown()
    expect([status, refusal.code]).toEqual(["expired", "invalid_status"])
    const done = await s.api.ask(`/operator/v1/approvals/${id}/approve`, { body: {}, key: bisi })
    expect(done.status, done.text).toBe(409)
    expect((await open()).length).toBe(1)
    await s.operate(`/operator/v1/approval-rules/${rule.json.data.id}`, { method: "DELETE" })
  }
)

covers("APPROVAL-18")
it("does not match a line by an approval once its only candidate is another payment than was shown", async () => {
  // What names no account is a candidate of the first of its side alone.
  const [currency, number] = ["KES", "881"]
  const post = async () =>
    (
      await s.operate("/operator/v1/adjusting-entries", {
        body: { from: "losses", to: "world:simulated", amount: "77", currency, note: "paid" }
      })
    ).json.data
  const [one, other] = [await post(), await post()]
  const day = one.created_at.slice(0, 10)
  const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
  const [first, second] = [day, next].map((date) => date.slice(2).replaceAll("-", ""))
  const account = (
    await s.operate("/operator/v1/external-accounts", {
      body: {
        ...{ provider: "simulated", currency, kind: "bank", time_zone: "UTC" },
        identifiers: [{ scheme: "account_number", value: number }],
        opening: { date: day, balance: "0" }
      }
    })
  ).json.data.id
  await s.make("/sandbox/clock/advance", { seconds: 86_400 })
  const takes = async (...lines: ReadonlyArray<string>) => {
    const text = lines.map((line) => `${line}\n`).join("")
    const taken = await s.operate(`/operator/v1/statements?external_account_id=${account}`, {
      method: "POST",
      raw: new TextEncoder().encode(text)
    })
    expect(taken.status, taken.text).toBe(200)
  }
  const booking = (date: string | undefined, name: string) => [`:61:${date}D77,NTRFNONREF`, `:86:${name}`]
  const begin = (name: string) => [`:20:${name}`, `:25:${number}`, ":28C:1/1"]
  const interim = [":34F:KES0,", `:13D:${first}1200+0000`, ...booking(first, `/EREF/${other.id}`), ":90D:1KES77,"]
  await takes(...begin("I"), ...interim)
  await takes(...begin("L"), `:60F:D${second}KES77,`, ...booking(second, "PAID"), `:62F:D${second}KES154,`)
  const find = async () =>
    (
      await s.operate(`/operator/v1/breaks?kind=missing_in_books&status=open&external_account_id=${account}`)
    ).json.data.map((found: any) => [found.id, ...found.candidates.map(({ resource_id }: any) => resource_id)])
  const [[id, ...candidates]] = await find()
  expect(candidates).toEqual([one.id])
  const rule = await s.operate("/operator/v1/approval-rules", { body: { operations: ["break_resolution"] } })
  expect(rule.status, rule.text).toBe(200)
  const waits = await s.operate(`/operator/v1/breaks/${id}/resolve`, { body: { action: "match", note: "seen" } })
  const approval = waits.json.meta.approval.id
  // The bank books the other payment of the day: what the interim report said is not there any more.
  await takes(...begin("B"), `:60F:C${first}KES0,`, ...booking(first, `/EREF/${one.id}`), `:62F:D${first}KES77,`)
  await s.make("/sandbox/clock/advance", { seconds: 120 })
  expect(await find()).toEqual([[id, other.id]])
  const done = await s.api.ask(`/operator/v1/approvals/${approval}/approve`, { body: {}, key: bisi })
  expect([done.status, done.json.code]).toEqual([409, "invalid_status"])
  expect(await find()).toEqual([[id, other.id]])
  await s.operate(`/operator/v1/approval-rules/${rule.json.data.id}`, { method: "DELETE" })
})
