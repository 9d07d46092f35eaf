import { networkInterfaces } from "node:os"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codes, statuses } from "../../../src/engine/calls/codes.ts"
import { makeExample } from "../../../src/http/docs/example.ts"
import { openApi } from "../../../src/http/openapi.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
let document: any
beforeAll(async () => {
  api = await startApi()
  document = (await api.ask("/openapi.json", { key: null })).json
})
afterAll(() => api.close())

const operations = (): ReadonlyArray<{ path: string; method: string; operation: any }> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]) => ({ path, method, operation }))
  )

const resolve = (schema: any): any => {
  let found = schema
  while (found?.$ref !== undefined) {
    const [, , kind, name] = found.$ref.split("/")
    found = document.components[kind][name]
  }
  return found
}

/** Enough of JSON Schema to see whether an example is one. */
const fits = (value: any, schema: any): boolean => {
  const s = resolve(schema)
  if (s.anyOf !== undefined) return s.anyOf.some((member: any) => fits(value, member))
  if (s.enum !== undefined) return s.enum.includes(value)
  switch (s.type) {
    case "object":
      return (
        typeof value === "object" &&
        value !== null &&
        (s.required ?? []).every((name: string) => name in value) &&
        Object.entries(value).every(
          ([name, member]) => s.properties?.[name] === undefined || fits(member, s.properties[name])
        )
      )
    case "array":
      return Array.isArray(value) && value.every((item, i) => fits(item, s.prefixItems?.[i] ?? s.items ?? {}))
    case "integer":
      return Number.isInteger(value)
    case "null":
      return value === null
    case undefined:
      return true
    default:
      return typeof value === s.type && (s.pattern === undefined || new RegExp(s.pattern).test(value))
  }
}

covers("SERVICE-13", "HTTP-3")
describe("the OpenAPI document", () => {
  it("has version 3.1, its server and both security schemes", () => {
    expect(document.openapi).toBe("3.1.0")
    expect(document.servers[0].url).toBe("http://corridor.test")
    expect(Object.keys(document.components.securitySchemes)).toEqual(["apiKey", "operatorToken"])
  })

  it("resolves every reference", () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!)
    expect(refs.length).toBeGreaterThan(10)
    for (const ref of refs) expect(resolve({ $ref: ref }), ref).toBeDefined()
  })

  it("has each operation once, with its tag, its security and its responses in the envelope", () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, method, operation } of operations()) {
      const name = `${method} ${path}`
      expect(operation.tags, name).toHaveLength(1)
      expect(operation.security, name).toEqual([path.startsWith("/operator") ? { operatorToken: [] } : { apiKey: [] }])
      for (const status of ["200", "401", "500"]) expect(operation.responses[status], `${name} ${status}`).toBeDefined()
      for (const [status, answer] of Object.entries<any>(operation.responses)) {
        const { schema, examples } = resolve(answer).content["application/json"]
        expect(Object.keys(resolve(schema).properties), `${name} ${status}`).toEqual([
          "status",
          "message",
          "code",
          "data",
          "meta"
        ])
        if (status === "200") expect(fits(makeExample(schema, document), schema), `${name} ${status}`).toBe(true)
        else expect(Object.keys(examples), `${name} ${status}`).not.toEqual([])
        for (const [code, example] of Object.entries<any>(examples ?? {})) {
          expect(fits(resolve(example).value, schema), `${name} ${status} ${code}`).toBe(true)
          expect(statuses[code as keyof typeof statuses], `${name} ${code}`).toBe(Number(status))
        }
      }
    }
  })

  it("has an example for every body that is valid for its schema", () => {
    const bodies = operations().filter(({ operation }) => operation.requestBody !== undefined)
    expect(bodies.length).toBeGreaterThan(4)
    for (const { path, method, operation } of bodies) {
      // A file has no example.
      if ("application/octet-stream" in operation.requestBody.content) continue
      const { schema, examples } = operation.requestBody.content["application/json"]
      for (const example of Object.values<any>(examples))
        expect(fits(example.value, schema), `${method} ${path}`).toBe(true)
    }
  })

  it("declares every path parameter, and Idempotency-Key for a POST that is no sandbox's", () => {
    for (const { path, method, operation } of operations()) {
      const parameters = operation.parameters.map(resolve)
      const named = parameters.filter((p: any) => p.in === "path").map((p: any) => p.name)
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
      const keyed = parameters.some((p: any) => p.name === "Idempotency-Key")
      expect(keyed, `${method} ${path}`).toBe(
        method === "post" && !path.startsWith("/sandbox/") && !path.endsWith("/preview")
      )
    }
    const page = document.paths["/v1/wallets"].get.parameters.map(resolve).find((p: any) => p.name === "page")
    expect(page.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 1_000_000 })
  })

  covers("SERVICE-3")
  it("omits the sandbox in live", () => {
    const live = openApi({ base_url: "https://a", docs_url: "https://a/docs", environment: "live" })
    expect(Object.keys(live["paths"]).some((path) => path.startsWith("/sandbox"))).toBe(false)
  })
})

describe("pages", () => {
  covers("SERVICE-13", "SERVICE-6", "ENVELOPE-12")
  it.each([
    "/docs",
    "/docs/guides/quickstart",
    "/docs/operations/createTransfer",
    "/docs/errors",
    "/docs/errors/customer_kyc_not_approved",
    ...codes.map((code) => `/docs/errors/${code}`)
  ])("%s is served under a strict policy", async (path) => {
    const answer = await api.ask(path, { key: null })
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const policy = answer.headers.get("content-security-policy")!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(answer.text).not.toMatch(
      /<script(?! type="module" src="(?:docs\/|\.\.\/)app\.js")|\sstyle=|\son\w+=|https?:\/\//
    )
  })

  covers("ENVELOPE-12")
  it("have a page for each of the 22 codes and none for others", async () => {
    expect(codes).toHaveLength(22)
    expect((await api.ask("/docs/errors/teapot", { key: null })).status).toBe(404)
  })

  it("link to each other under any path", async () => {
    const pages = [
      "/docs",
      "/docs/guides/errors",
      "/docs/operations/getMe",
      "/docs/errors",
      "/docs/errors/conflict",
      "/docs/errors/customer_kyc_not_approved"
    ]
    for (const path of pages) {
      const { text } = await api.ask(path, { key: null })
      const links = [...text.matchAll(/(?:href|src)="(?!data:)([^"]+)"/g)].map(([, link = ""]) => link)
      expect(links.length).toBeGreaterThan(0)
      for (const link of links) {
        const found = new URL(link, `https://pay.example.com/some/path${path}`).pathname
        expect(found).toMatch(/^\/some\/path\//)
        expect([link, (await api.ask(found.slice("/some/path".length), { key: null })).status]).toEqual([link, 200])
      }
    }
  })

  it("have their own script and stylesheet", async () => {
    const docs = (await api.ask("/docs", { key: null })).text
    for (const [path, type] of [
      ["/docs/app.js", "text/javascript"],
      ["/docs/style.css", "text/css"]
    ] as const) {
      expect(docs).toContain(`"${path.slice(1)}"`)
      expect((await api.ask(path, { key: null })).headers.get("content-type")).toContain(type)
    }
    const { headers, json } = await api.ask("/docs/guides.json", { key: null })
    expect(headers.get("content-type")).toBe("application/json")
    expect(json.map(({ title }: { readonly title: string }) => title)).toContain("Quickstart")
  })
})

describe("health and metrics", () => {
  covers("SERVICE-11")
  it("respond without a key", async () => {
    for (const path of ["/health/live", "/health/ready"]) {
      const { status, json } = await api.ask(path, { key: null })
      expect([status, json]).toEqual([200, { status: "ok" }])
    }
  })

  it("count requests by operation and status", async () => {
    await api.ask("/v1/me")
    await api.ask("/v1/me", { key: null })
    const { text, headers } = await api.ask("/metrics", { key: null })
    expect(headers.get("content-type")).toContain("text/plain")
    expect(text).toMatch(/corridor_http_requests_total\{operation="getMe",status="200"\} \d+/)
    expect(text).toMatch(/corridor_http_requests_total\{operation="getMe",status="401"\} \d+/)
    expect(text).toMatch(/corridor_http_request_duration_seconds_bucket\{operation="getMe",le="\+Inf"\} \d+/)
  })

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal)
  covers("SERVICE-12")
  it.skipIf(outside === undefined)("require the operator token from another machine", async () => {
    const open = await startApi({}, undefined, { listen: "0.0.0.0" })
    try {
      const url = `http://${outside!.address}:${open.port}/metrics`
      expect((await fetch(url)).status).toBe(401)
      expect((await fetch(url, { headers: { authorization: "Bearer op_test_token" } })).status).toBe(200)
    } finally {
      await open.close()
    }
  })
})
