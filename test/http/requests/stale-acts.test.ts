/** An act that waits on what has become another since it was shown is not done (APPROVAL-18). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
let tokens: Record<string, string>
beforeAll(async () => {
  s = await stockOf(await startApi({ rate_per_second: 0 }))
  const operator = async (name: string) =>
    (await s.operate("/operator/v1/operators", { body: { name, email: `${name}@x.example`, role: "admin" } })).json.data
      .token
  tokens = { ada: await operator("ada"), bisi: await operator("bisi"), chi: await operator("chi") }
})
afterAll(() => s.api.close())

const as = (who: string, path: string, body?: unknown, method?: string) =>
  s.api.ask(`/operator/v1/${path}`, { key: tokens[who]!, body, ...(method === undefined ? {} : { method }) })

const makeLimit = async () =>
  (
    await as("ada", "limits", {
      ...{ scope: "merchant", id: s.api.merchant_id, operations: ["payout"], currency: "USDC", max_amount: "1000" },
      window: { rolling: "P7D" }
    })
  ).json.data.id
const makeRule = async (operations: ReadonlyArray<string>) =>
  (await as("ada", "approval-rules", { operations })).json.data.id
const makeOperator = async () =>
  (
    await s.operate("/operator/v1/operators", {
      body: { name: "dayo", email: `${crypto.randomUUID()}@x.example`, role: "viewer" }
    })
  ).json.data.id
const makeMerchant = async () =>
  /mer_\w+/.exec(
    (await as("ada", "merchants", { name: "Lagos Trading", country_code: "NG", status: "active" })).text
  )![0]

/** What is acted on, the act that is shown first, the one that is done before it, and what is left then. */
const cases = {
  "a limit's maximum": ["limits", makeLimit, { max_amount: "5000" }, { max_amount: "10" }, { max_amount: "10.00" }],
  "a limit's status": ["limits", makeLimit, { max_amount: "5000" }, { status: "disabled" }, { status: "disabled" }],
  "an operator": ["operators", makeOperator, { role: "admin" }, { role: "support" }, { role: "support" }],
  "a merchant": ["merchants", makeMerchant, { status: "suspended" }, undefined, { status: "active" }],
  "a rule": [
    "approval-rules",
    () => makeRule(["payout", "batch"]),
    { operations: ["payout", "adjusting_entry"] },
    { operations: ["payout", "batch", "conversion"] },
    { operations: ["payout", "batch", "conversion"] }
  ]
} as const

covers("APPROVAL-18")
it.each(Object.entries(cases))("%s", async (_, [path, make, shown, before, left]) => {
  const id = await make()
  const rule = await makeRule(["limit", "operator", "merchant", "approval_rule"])
  const ask = async (who: string, body: object) => {
    const asked = await as(who, `${path}/${id}`, body, "PATCH")
    expect(asked.json.meta.approval, asked.text).toBeDefined()
    return asked.json.meta.approval.id
  }
  const late = await ask("ada", shown)
  const decide = (approval: string) => as("bisi", `approvals/${approval}/approve`, {})
  for (const body of before === undefined ? [shown, { status: "active" }] : [before]) {
    const done = await decide(await ask("chi", body))
    expect(done.status, done.text).toBe(200)
  }
  await s.make("/sandbox/clock/advance", { seconds: 1 })
  const { refusal, status } = (await as("bisi", `approvals/${late}`)).json.data
  expect([status, refusal?.code]).toEqual(["expired", "invalid_status"])
  expect((await decide(late)).status).toBe(409)
  expect((await as("bisi", `${path}/${id}`)).json.data).toMatchObject(left)
  await decide((await as("ada", `approval-rules/${rule}`, undefined, "DELETE")).json.meta.approval.id)
})
