import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Answer, type Api, asOperator, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const path = "/operator/v1/operators"
const create = async (body: object = {}) =>
  (await asOperator(api, path, { body: { name: "Ada Obi", role: "support", ...body } })).json.data
const me = (key: string): Promise<Answer> => api.ask("/operator/v1/me", { key })

describe("operators", () => {
  covers("OPERATOR-6")
  it("are created with a token that only this response has, and are who the token says", async () => {
    const made = await create({ email: "ada@example.com" })
    expect(made).toMatchObject({ name: "Ada Obi", email: "ada@example.com", role: "support", status: "active" })
    expect(made.token).toMatch(/^op_[A-Za-z0-9_-]{43}$/)
    expect(made.prefix).toBe(made.token.slice(0, 7))
    expect((await me(made.token)).json.data).toEqual({
      id: made.id,
      name: "Ada Obi",
      email: "ada@example.com",
      role: "support"
    })
    const read = await asOperator(api, `${path}/${made.id}`)
    const list = await asOperator(api, `${path}?per_page=200`)
    expect(list.json.data.map((one: any) => one.id)).toContain(made.id)
    for (const { text } of [read, list]) expect(text).not.toContain(made.token)
  })

  covers("SERVICE-5", "OPERATOR-6")
  it("are made by the configured token, which is an admin without a row", async () => {
    expect((await me(operatorToken)).json.data).toEqual({
      id: null,
      name: "operator token",
      email: null,
      role: "admin"
    })
  })

  it("get another role at once, at the version that was read", async () => {
    const { id, token } = await create({ role: "viewer" })
    const body = { name: "New", country_code: "KE" }
    expect((await api.ask("/operator/v1/merchants", { key: token, body })).status).toBe(403)
    const etag = (await asOperator(api, `${path}/${id}`)).headers.get("etag")!
    const patch = () =>
      asOperator(api, `${path}/${id}`, { method: "PATCH", body: { role: "admin" }, headers: { "if-match": etag } })
    expect((await patch()).json.data).toMatchObject({ role: "admin", name: "Ada Obi" })
    expect((await patch()).json.code).toBe("conflict")
    expect((await api.ask("/operator/v1/merchants", { key: token, body })).status).toBe(200)
  })

  covers("OPERATOR-6")
  it("are locked out by a new token and by revocation, at once and for good", async () => {
    const { id, token } = await create()
    expect((await me(token)).status).toBe(200)
    const rotated = (await asOperator(api, `${path}/${id}/rotate-token`, { body: {} })).json.data
    expect(rotated.token).not.toBe(token)
    expect((await me(token)).json.code).toBe("authentication_failed")
    expect((await me(rotated.token)).json.data.id).toBe(id)
    expect((await asOperator(api, `${path}/${id}/revoke`, { body: {} })).json.data.status).toBe("revoked")
    expect((await me(rotated.token)).json.code).toBe("authentication_failed")
    for (const [method, act] of [
      ["POST", "/revoke"],
      ["POST", "/rotate-token"],
      ["PATCH", ""]
    ] as const)
      expect((await asOperator(api, `${path}/${id}${act}`, { method, body: {} })).json.code).toBe("invalid_status")
  })

  it("are listed by status and role", async () => {
    const { id } = await create({ role: "treasury" })
    const ids = async (query: string) =>
      (await asOperator(api, `${path}?per_page=200&${query}`)).json.data.map((one: any) => one.id)
    expect(await ids("role=treasury&status=active")).toContain(id)
    expect(await ids("role=viewer")).not.toContain(id)
    expect(await ids("status=revoked")).not.toContain(id)
  })

  it.each([
    [{ name: "", role: "viewer" }, "name"],
    [{ name: "A", role: "owner" }, "role"],
    [{ name: "A", role: "viewer", email: "a" }, "email"],
    [{ role: "viewer" }, "name"]
  ])("refuse %j for %s", async (body, member) => {
    const { json, status } = await asOperator(api, path, { body })
    expect([status, json.meta.errors[0].field]).toEqual([400, member])
  })
})
