/** What a key may spend is not passed by making another; a key that is revoked is so at once (LIMITS-2, APPROVAL-1). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await stockOf(await startApi({ rate_per_second: 0 }))
})
afterAll(() => s.api.close())

const keyBy = async (
  key: string | undefined,
  role: string
): Promise<{ readonly id: string; readonly secret: string }> => {
  const made = await s.api.ask("/v1/api-keys", { body: { role }, ...(key === undefined ? {} : { key }) })
  expect(made.status, made.text).toBe(200)
  return made.json.data
}

/** Revokes the keys that a test has made. */
const freeKeys = async (keys: ReadonlyArray<{ readonly id: string }>) => {
  for (const { id } of keys) await s.api.ask(`/v1/api-keys/${id}`, { method: "DELETE" })
}

covers("LIMITS-2")
it("counts acts to the limits of the keys that led to a key, but for what an admin makes", async () => {
  const first = await keyBy(undefined, "developer")
  const limit = await s.operate("/operator/v1/limits", {
    body: {
      scope: "api_key",
      id: first.id,
      operations: ["api_key"],
      max_count: 2,
      window: { rolling: "PT24H" },
      action: "refuse"
    }
  })
  expect(limit.status, limit.text).toBe(200)
  const second = await keyBy(first.secret, "developer")
  const third = await keyBy(second.secret, "developer")
  for (const { secret } of [first, second, third]) {
    const refused = await s.api.ask("/v1/api-keys", { body: { role: "viewer" }, key: secret })
    expect([refused.status, refused.json.meta.errors?.[0]?.code]).toEqual([400, "limit_exceeded"])
  }
  await freeKeys([second, third])
  const other = await keyBy(undefined, "admin")
  const admins = await s.operate("/operator/v1/limits", {
    body: {
      scope: "api_key",
      id: other.id,
      operations: ["api_key"],
      max_count: 1,
      window: { rolling: "PT24H" },
      action: "refuse"
    }
  })
  expect(admins.status, admins.text).toBe(200)
  const own = await keyBy(other.secret, "developer")
  // It has no part in the budget of the admin's key.
  const last = await keyBy(own.secret, "viewer")
  await freeKeys([first, other, own, last])
  for (const { json } of [limit, admins])
    await s.operate(`/operator/v1/limits/${json.data.id}`, { method: "PATCH", body: { status: "disabled" } })
})

covers("APPROVAL-1")
it("revokes a key at once, whatever waits for approval, on either side", async () => {
  const keys = [await keyBy(undefined, "viewer"), await keyBy(undefined, "viewer")]
  const body = { operations: ["api_key"] }
  expect((await s.operate("/operator/v1/approval-rules", { body })).status).toBe(200)
  // A new key waits, also a merchant's.
  expect((await s.api.ask("/v1/api-keys", { body: { role: "viewer" } })).json.meta.approval.status).toBe("pending")
  const mine = await s.api.ask(`/v1/api-keys/${keys[0]!.id}`, { method: "DELETE" })
  expect([mine.json.data.success, mine.json.meta.approval]).toEqual([true, undefined])
  const { merchant_id } = s.api
  const theirs = await s.operate(`/operator/v1/merchants/${merchant_id}/api-keys/${keys[1]!.id}/revoke`, {
    body: { note: "lost" }
  })
  expect([theirs.json.data.success, theirs.json.meta.approval]).toEqual([true, undefined])
  for (const { secret } of keys) expect((await s.api.ask("/v1/api-keys", { key: secret })).status).toBe(401)
})
