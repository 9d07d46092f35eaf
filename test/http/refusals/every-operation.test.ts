/** What every operation refuses, whatever it does: walked from the document, over a socket, against a watched store. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { entries } from "../../../src/engine/operations.ts"
import { operatorToken } from "../../support/http/server.ts"
import { catalogue, fileMaxOf, type Request } from "../../support/http/successful-requests.ts"
import { fieldsOf, expectRefusal, says } from "../../support/http/refusals.ts"
import { type Stock, startStocked, unknown } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const ids = Object.keys(catalogue)
/** Operations about resources of any kind: an id without a known prefix is unknown, not malformed. */
const ofAnyKind: ReadonlySet<string> = new Set(["getHistory", "getResource", "getResourceTimeline"])
const made = new Map<string, Request>()
/** The request of an operation that would succeed. Nothing here lets it, so that one will do. */
const requestOf = async (id: string): Promise<Request> => {
  const request = made.get(id) ?? (await catalogue[id]!(s))
  made.set(id, request)
  return request
}
const operationOf = (id: string) => s.api.contract.operations.find((one) => one.id === id)!
const parametersOf = (id: string): ReadonlyArray<any> => operationOf(id).operation["parameters"] ?? []
const isOperator = ({ path }: Request): boolean => path.startsWith("/operator/")
const plain = (path: string): string => path.split("?")[0]!
const keyFor = (request: Request) => (isOperator(request) ? { key: operatorToken } : {})

/** What refuses a body that is no file of the operation. */
const noFile: Readonly<Record<string, string>> = { takeStatements: "invalid_input", resolveBreaks: "bad_request" }

/** The required parameters of a query that succeeds, without one. */
const requiredOf = (id: string, request: Request, without: string): string =>
  parametersOf(id)
    .filter(({ in: where, name, required }) => where === "query" && required === true && name !== without)
    .map(({ name }) => `&${name}=${new URLSearchParams(request.path.split("?")[1]).get(name)}`)
    .join("")

/**
 * What an operation is asked with of a table whose values one place reads for all: the first two that use the table are asked with every
 * value, each later one with `count` of them, which go round. Each value is asked of many operations, and each operation with some.
 */
const uses = new Map<string, number>()
const turnOf = <A>(table: string, values: ReadonlyArray<A>, count = 2): ReadonlyArray<A> => {
  const turn = uses.get(table) ?? 0
  uses.set(table, turn + 1)
  if (turn < 2 || values.length <= count) return values
  return Array.from({ length: count }, (_, n) => values[(turn * count + n) % values.length]!)
}

describe("every operation", () => {
  covers("AUTH-1", "AUTH-4")
  it.each(ids)("%s asks for a key of its own kind", async (id) => {
    const { key: _, ...request } = await requestOf(id)
    const wrong = isOperator(request) ? s.api.key : operatorToken
    const others = [`sk_test_${"x".repeat(43)}`, `sk_live_${"x".repeat(43)}`]
    for (const key of [null, wrong, ...turnOf("key", others, 1)]) {
      await expectRefusal(s, { ...request, key }, says("authentication_failed"))
    }
    const malformed = ["", "Bearer", "Basic dXNlcg==", s.api.key, `Bearer ${s.api.key} ${s.api.key}`]
    for (const authorization of turnOf("authorization", malformed, 1)) {
      await expectRefusal(s, { ...request, key: null, headers: { authorization } }, says("authentication_failed"))
    }
  })

  covers("AUTH-7")
  it.each(ids)("%s lets a viewer read and nothing else, and keeps what is an admin's from a developer", async (id) => {
    const request = await requestOf(id)
    if (isOperator(request) || (request.method ?? "GET") === "GET") return
    await expectRefusal(s, { ...request, key: s.keys.viewer }, says("forbidden"))
    if (["revokeApiKey", "deleteWebhookEndpoint", "rotateWebhookSecret"].includes(id)) {
      await expectRefusal(s, { ...request, key: s.keys.developer }, says("forbidden"))
    }
  })

  covers("HTTP-7", "HTTP-8")
  it.each(ids)("%s takes an object in JSON and no other body", async (id) => {
    const fileMax = fileMaxOf(id)
    // What ends the rules that cover a file of acts is a part of its request.
    const { body: _, ...request } = fileMax === undefined ? await requestOf(id) : await catalogue[id]!(s)
    if ((request.method ?? "GET") === "GET") return
    if (fileMax !== undefined) {
      // Its body is a file, whatever its media type.
      await expectRefusal(s, { ...request, raw: new Uint8Array(fileMax + 1) }, says("bad_request", "body too_long"))
      for (const raw of turnOf("file", ["{", "[]", "null", "a=b"])) {
        const answer = await expectRefusal(s, { ...request, raw }, says(noFile[id]!))
        expect(fieldsOf(answer)).toEqual(["file invalid_format"])
      }
      return
    }
    const most = entries.find(({ operation }) => operation.id === id)!.operation.bodyBytes ?? 1_048_576
    const json = { "content-type": "application/json" }
    const bodies: ReadonlyArray<readonly [string | Uint8Array, string, string]> = [
      ["{", "invalid_format", json["content-type"]],
      ["{}{}", "invalid_format", json["content-type"]],
      ["{'a':1}", "invalid_format", json["content-type"]],
      [new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), "invalid_format", json["content-type"]],
      [`${'{"a":'.repeat(3000)}1`, "invalid_format", json["content-type"]],
      ["[]", "invalid_type", json["content-type"]],
      ["[{}]", "invalid_type", json["content-type"]],
      ["null", "invalid_type", json["content-type"]],
      ['"text"', "invalid_type", json["content-type"]],
      ["12", "invalid_type", json["content-type"]],
      ["{}", "invalid_type", "text/plain"],
      ["a=b", "invalid_type", "application/x-www-form-urlencoded"],
      ["{}", "invalid_type", "application/jsonx"]
    ]
    const tooLong = [`{"pad":"${"x".repeat(most)}"}`, "too_long", json["content-type"]] as const
    for (const [raw, code, type] of [...turnOf("body", bodies), tooLong]) {
      const headers = { "content-type": type }
      await expectRefusal(s, { ...request, raw, headers }, says("bad_request", `body ${code}`))
    }
  })

  covers("HTTP-8", "FIELD-6", "ADDRESS-3", "ADDRESS-4")
  it.each(ids)("%s asks ids in its path for their form, and then for their existence", async (id) => {
    const request = await requestOf(id)
    const { template } = operationOf(id)
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const parts = plain(request.path).split("/")
    for (const name of names) {
      const at = template.split("/").indexOf(`{${name}}`)
      const asked = (part: string) => {
        const path = parts.map((one, i) => (i === at ? part : one)).join("/")
        return { ...request, path: `${path}${requiredOf(id, request, name).replace("&", "?")}` }
      }
      const prefix = parts[at]!.slice(0, parts[at]!.indexOf("_"))
      if (id === "listEntries") continue
      // A currency's code and a provider's name are no ids: one that there is not is unknown, whatever its form.
      if (!ofAnyKind.has(id) && !["code", "currency", "provider"].includes(name)) {
        const malformed = [
          "x",
          prefix,
          `${prefix}_`,
          `${prefix}x_1`,
          unknown("zzz"),
          `${prefix}_%00`,
          `${prefix.toUpperCase()}_1`
        ]
        for (const one of turnOf("malformed id", malformed)) {
          await expectRefusal(s, asked(one), says("invalid_input", `${name} invalid_format`))
        }
      }
      const odd = [`${prefix}_1`, `${prefix}_%F0%9F%92%B8`, `${prefix}_..`, `${prefix}_'--`]
      for (const missing of [unknown(prefix), ...turnOf("odd id", odd, 1)]) {
        await expectRefusal(s, asked(missing), says("not_found"))
      }
    }
  })

  covers("HTTP-8", "LIST-1")
  it.each(ids)("%s refuses pages, dates, choices and flags that there are not", async (id) => {
    const request = await requestOf(id)
    const asked = async (name: string, values: ReadonlyArray<string>, code: string, table: string) => {
      for (const value of turnOf(table, values)) {
        const path = `${plain(request.path)}?${name}=${value}${requiredOf(id, request, name)}`
        await expectRefusal(s, { ...request, path }, says("invalid_input", `${name} ${code}`))
      }
    }
    const numbers = ["", "0", "-1", "1.5", "1e3", "x", "%201", "+1", "1_000", "NaN", "Infinity", "0x10", "%D9%A1"]
    for (const { name, in: where, schema } of parametersOf(id)) {
      if (where !== "query") continue
      // Whatever the document says otherwise of one is asked in full.
      const table = `${name} ${JSON.stringify(schema)}`
      if (name === "page") await asked(name, [...numbers, "1000001", "99999999999999999999"], "invalid_value", table)
      if (name === "per_page" || name === "limit") await asked(name, [...numbers, "201"], "invalid_value", table)
      if (name === "created_after" || name === "created_before") {
        const dates = [
          "",
          "today",
          "2026-02-30",
          "2026-13-01",
          "2026-1-1",
          "2026-01-31T00:00:00",
          "2026-01-31T00:00:00%2B01:00",
          "2026-01-31T24:00:00Z",
          "2026-01-31T00:60:00Z",
          "2026-01-31T00:00Z",
          "1767225600",
          "2026-01-31t00:00:00z",
          "%202026-01-31"
        ]
        await asked(name, dates, "invalid_format", table)
      }
      if (Array.isArray(schema.enum)) {
        const [first] = schema.enum
        await asked(name, ["", "nope", `${first}%20`, first.toUpperCase()], "invalid_value", "choice")
      }
      if (schema.type === "boolean") await asked(name, ["", "1", "yes", "TRUE", "null"], "invalid_value", "flag")
    }
  })

  it.each(ids)("%s refuses a parameter that is given twice", async (id) => {
    const request = await requestOf(id)
    for (const { name, in: where } of parametersOf(id)) {
      if (where !== "query") continue
      const path = `${plain(request.path)}?${name}=1&${name}=1${requiredOf(id, request, name)}`
      await expectRefusal(s, { ...request, path, ...keyFor(request) }, says("invalid_input", `${name} invalid_type`))
    }
  })

  covers("HTTP-11")
  it.each(ids)("%s changes only the version that If-Match names", async (id) => {
    const request = await requestOf(id)
    const { parameters } = operationOf(id).operation as {
      readonly parameters: ReadonlyArray<{ readonly name: string }>
    }
    const isAct = id === "resolveBreak" || id === "resolveException"
    const isNamed = request.method === "PATCH" || request.method === "DELETE" || isAct
    expect(parameters.some(({ name }) => name === "If-Match")).toBe(isNamed)
    if (!isNamed) return
    for (const match of turnOf("If-Match", ['"0"', '"999"', 'W/"1"', '"0", "999", W/"1"', "1.5", '""', '"1" "2"'])) {
      await expectRefusal(s, { ...request, headers: { "if-match": match } }, says("conflict"))
    }
  })

  it.each(ids)(
    "%s refuses a malformed Idempotency-Key where it takes one, before it reads anything else",
    async (id) => {
      const { body: _, ...request } = await requestOf(id)
      const { parameters } = operationOf(id).operation as {
        readonly parameters: ReadonlyArray<{ readonly name: string }>
      }
      if (!parameters.some(({ name }) => name === "Idempotency-Key")) return
      const malformed = ["", "short77", "x".repeat(256), "has space here", "dotted.key.1", "ключключ", "a,bcdefghi"]
      for (const key of turnOf("Idempotency-Key", malformed)) {
        const headers = { "idempotency-key": Buffer.from(key).toString("latin1") }
        await expectRefusal(s, { ...request, raw: "{", headers }, says("bad_request", "Idempotency-Key invalid_format"))
      }
    }
  )

  covers("FIELD-4")
  it.each(ids)("%s refuses metadata that is not a flat map of short texts", async (id) => {
    const request = await requestOf(id)
    if (fileMaxOf(id) !== undefined) return
    const schema = operationOf(id).operation["requestBody"]?.content["application/json"].schema
    if (schema?.properties?.metadata === undefined) return
    const code = id === "createTransfer" ? "invalid_input" : "bad_request"
    const table: ReadonlyArray<readonly [unknown, string]> = [
      ["text", "metadata invalid_type"],
      [["a"], "metadata invalid_type"],
      [{ a: 1 }, "metadata.a invalid_type"],
      [{ a: null }, "metadata.a invalid_type"],
      [{ a: { b: "c" } }, "metadata.a invalid_type"],
      [{ a: ["b"] }, "metadata.a invalid_type"],
      [{ a: "x".repeat(501) }, "metadata.a too_long"],
      [{ a: "\u0000" }, "metadata.a invalid_value"],
      [{ "": "x" }, "metadata invalid_value"],
      [{ ["k".repeat(65)]: "x" }, `metadata.${"k".repeat(65)} too_long`],
      [Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, "x"])), "metadata too_long"]
    ]
    for (const [metadata, field] of turnOf("metadata", table, 3)) {
      await expectRefusal(s, { ...request, body: { ...(request.body as object), metadata } }, says(code, field))
    }
  })
})
