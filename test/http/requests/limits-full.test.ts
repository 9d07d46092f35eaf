/** As many limits as there may be: the last of 500 takes seconds, so that it stands alone (LIMITS-1). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

const limits = "/operator/v1/limits"

describe("as many limits as there may be", () => {
  let s: Stock
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
  })
  afterAll(() => s.api.close())

  covers("LIMITS-1")
  it("a limit that is made disabled is not among the active, and neither a change nor its end needs room", async () => {
    const limit = { scope: "merchant", operations: ["onramp"], max_count: 9, window: { rolling: "P7D" } }
    const made = []
    for (;;) {
      const { json } = await s.operate(limits, { body: limit })
      if (json.code !== "ok") break
      made.push(json.data.id)
    }
    const patch = (id: string, body: object) => s.operate(`${limits}/${id}`, { method: "PATCH", body })
    const disabled = await s.operate(limits, { body: { ...limit, status: "disabled" } })
    expect(disabled.json.data?.status, disabled.text).toBe("disabled")
    const { id } = disabled.json.data
    expect((await patch(id, { max_count: 8 })).json.data.max_count).toBe(8)
    expect((await patch(id, { status: "active" })).json.code).toBe("invalid_status")
    expect((await patch(made[0]!, { status: "active", max_count: 8 })).json.data.max_count).toBe(8)
    expect((await patch(made[0]!, { status: "disabled" })).json.data.status).toBe("disabled")
    expect((await patch(id, { status: "active" })).json.data.status).toBe("active")
  }, 60_000)
})
