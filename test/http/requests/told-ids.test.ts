/** The ids in the response of a creation that waits for approval: what is made when it is approved has them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { entries } from "../../../src/engine/operations.ts"
import { controlledWords } from "../../../src/machines/controls/approval-rule.ts"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { catalogue, type Request } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"

/** The ids in a response, but for those of what waits. */
const idsIn = (data: unknown): ReadonlyArray<string> =>
  JSON.stringify(data).match(/"[a-z]+_[0-9a-hjkmnp-tv-z]{26}"/g) ?? []

describe("what a creation that waits tells", () => {
  let s: Stock
  let chi: string
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
    const body = { name: "chi", email: "chi@example.com", role: "admin" }
    chi = (await s.operate("/operator/v1/operators", { body })).json.data.token
  })
  afterAll(() => s.api.close())

  covers("APPROVAL-3")
  it("are the ids of what it makes when it is approved, also where it is asked for again", async () => {
    const made = entries.flatMap(({ operation }) =>
      // A file has many acts, each of which waits by itself.
      operation.action !== undefined && operation.createsResource && operation.fileMax === undefined ? [operation] : []
    )
    const prepared: Array<readonly [string, Request]> = []
    for (const { id } of made) prepared.push([id, await catalogue[id]!(s)])
    const rule = { operations: controlledWords, approvals: 1 }
    expect((await s.operate("/operator/v1/approval-rules", { body: rule })).status).toBe(200)
    const kept: Record<string, boolean> = {}
    for (const [id, { path, ...request }] of prepared) {
      const ask = () => s.api.ask(path, request)
      const [first, again] = [await ask(), await ask()]
      const { approval } = first.json.meta
      expect(approval?.status, `${id} ${first.text}`).toBe("pending")
      if (again.json.meta.approval.id === approval.id)
        expect(idsIn(again.json.data), id).toEqual(idsIn(first.json.data))
      const approved = await s.api.ask(`/operator/v1/approvals/${approval.id}/approve`, { key: chi, body: {} })
      expect([id, approved.json.data.status], approved.text).toEqual([id, "approved"])
      const own = request.key === undefined ? {} : { key: request.key }
      const read = await s.api.ask(
        path.startsWith("/v1/") ? `/v1/approvals/${approval.id}` : `/operator/v1/approvals/${approval.id}`,
        own
      )
      const { result } = read.json.data
      expect(idsIn(result), `${id} ${read.text}`).toEqual(idsIn(first.json.data))
      kept[id] = approved.json.data.resource_id === first.json.data.id
    }
    // The approval of these names another resource, or the response has several.
    const others = new Set(["createMerchant", "createMerchantApiKey"])
    expect(Object.keys(kept).filter((id) => kept[id] === others.has(id))).toEqual([])
    expect(kept).toMatchObject({ createOnramp: true, createConversion: true })
  })
})
