/** Lists as CSV files (CSV-1, CSV-2). */
import { Effect, Schema, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../../../src/client/index.ts"
import type { CallOutcome, CallRequest } from "../../../src/engine/calls/executor.ts"
import type { Listed } from "../../../src/engine/calls/list.ts"
import { type AnyOperation, formatNameOf } from "../../../src/engine/calls/operation.ts"
import { parseCsv } from "../../../src/engine/input/csv.ts"
import { entries } from "../../../src/engine/operations.ts"
import { InvalidInput } from "../../../src/engine/ports/errors.ts"
import { type ListFile, makeListFile, prefersCsv, ROWS_MAX } from "../../../src/http/list-file.ts"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { catalogue } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"

const lists = entries.map(({ operation }) => operation).filter(({ list }) => list)

/** The rows of a file, by the names of its columns. Spreadsheets' marks are taken back. */
const tableOf = (text: string) => {
  const read = parseCsv(text, "body", "no CSV")
  if (read._tag === "Failure") throw new Error(read.failure.message)
  return read.success
}

const separated = (path: string): string => (path.includes("?") ? "&" : "?")

describe("a list as a CSV file", () => {
  let s: Stock
  beforeAll(async () => {
    s = await startStocked()
    // More than a page, of a name that a spreadsheet would run.
    for (let n = 0; n < 230; n++)
      await s.make("/v1/customers", {
        type: "individual",
        name: `=HYPERLINK("https://example.com/?${n}")`,
        email: `c${n}@example.com`,
        country_code: "NG",
        metadata: { note: `line one\r\n"line two", ${n}` }
      })
  }, 60_000)
  afterAll(() => s.api.close())

  covers("CSV-1")
  it.each(lists.map(({ id }) => id))("%s has in its file the rows that it lists, each once", async (id) => {
    const { path, ...options } = await catalogue[id]!(s)
    const rows: Array<Readonly<Record<string, unknown>>> = []
    for (let page = 1, more = true; more; page++) {
      const { json } = await s.api.ask(`${path}${separated(path)}per_page=200&page=${page}`, options)
      rows.push(...json.data)
      more = json.meta.has_more
    }
    const name = formatNameOf(lists.find((one) => one.id === id)!)
    const file = await s.api.ask(`${path}${separated(path)}${name}=csv`, options)
    expect(file.status, file.text.slice(0, 300)).toBe(200)
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    const table = tableOf(file.text)
    expect(table.rows.length).toBe(rows.length)
    if (table.columns.includes("id") && rows.every((row) => typeof row["id"] === "string"))
      expect(table.rows.map(({ cells }) => cells["id"])).toEqual(rows.map((row) => row["id"]))
    // Each text of a row is in its file.
    for (const [at, row] of rows.slice(0, 20).entries())
      for (const name of table.columns)
        if (typeof row[name] === "string") expect(table.rows[at]!.cells[name] ?? "").toBe((row[name] as string).trim())
  })

  covers("CSV-2")
  it("escapes what a spreadsheet would run, and keeps quotes, commas and line breaks", async () => {
    const { text } = await s.api.ask("/v1/customers?format=csv")
    expect(text).not.toMatch(/(?:^|[,\n])"?=HYPERLINK/)
    expect(text).toContain(`'=HYPERLINK(""https://example.com/?229"")`)
    const { columns, rows } = tableOf(text)
    expect(columns).toEqual(expect.arrayContaining(["id", "name", "profile.address.line1", "metadata"]))
    const one = rows.find(({ cells }) => cells["email"] === "c7@example.com")!
    expect(one.cells["name"]).toBe('=HYPERLINK("https://example.com/?7")')
    expect(JSON.parse(one.cells["metadata"]!)).toEqual({ note: 'line one\r\n"line two", 7' })
  })

  covers("CSV-2")
  it("has an amount as a list of fees says it, and the members of a member as columns of their own", async () => {
    const { text } = await s.api.ask(`/v1/offramps?format=csv`)
    const { columns, rows } = tableOf(text)
    expect(columns).toEqual(
      expect.arrayContaining(["customer.name", "wallet.currency", "beneficiary.details.account_number"])
    )
    const own = await s.api.ask("/v1/transactions?type=offramp")
    const [first] = own.json.data as [
      { fee: { line_items: Array<{ name: string; amount: string; currency: string }> } }
    ]
    const fees = tableOf((await s.api.ask("/v1/transactions?type=offramp&format=csv")).text).rows[0]!.cells[
      "fee.line_items"
    ]
    expect(fees).toBe(
      first.fee.line_items.map(({ amount, currency, name }) => `${name} ${amount} ${currency}`).join("; ")
    )
    expect(rows.length).toBe(own.json.meta.total)
  })

  covers("CSV-1")
  it("is asked for by Accept too, keeps the filters, and gives no page", async () => {
    const headers = { accept: "text/csv" }
    const byHeader = await s.api.ask("/v1/customers?type=individual&page=3&per_page=5", { headers })
    const whole = await s.api.ask("/v1/customers?type=individual&per_page=1")
    expect(tableOf(byHeader.text).rows.length).toBe(whole.json.meta.total)
    const rows = await s.operate("/operator/v1/breaks", { headers })
    expect(rows.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    for (const [accept, isFile] of [
      ["*/*", false],
      ["application/json, text/csv;q=0.5", false],
      ["application/json;q=0.4, text/csv", true],
      ["text/csv;q=0", false]
    ] as const)
      expect(prefersCsv(accept), accept).toBe(isFile)
  })

  covers("CSV-1")
  it("is refused as the list is, in the envelope", async () => {
    const of = async (path: string, options = {}) => {
      const { json, status } = await s.api.ask(path, options)
      return [status, json.code, json.meta.errors?.[0]?.field]
    }
    expect(await of("/v1/customers?format=csv", { key: "sk_test_wrong" })).toEqual([
      401,
      "authentication_failed",
      undefined
    ])
    expect(await of("/v1/customers?format=xlsx")).toEqual([400, "invalid_input", "format"])
    expect(await of("/v1/customers?format=csv&type=robot")).toEqual([400, "invalid_input", "type"])
    expect(await of("/v1/customers?format=csv&page=0")).toEqual([400, "invalid_input", "page"])
    const none = "/v1/customers/cust_01j9z3k4m5n6p7q8r9s0t1v2w3/verifications"
    expect(await of(`${none}?format=csv&page=0`)).toEqual(await of(`${none}?page=0`))
    expect(await of("/v1/customers?format=csv&per_page=201")).toEqual([400, "invalid_input", "per_page"])
    expect((await s.api.ask("/v1/customers?format=csv&page=2&per_page=1")).status).toBe(200)
    expect(await of("/v1/customers?format=csv&kind=x", { headers: { prefer: "handling=strict" } })).toEqual([
      400,
      "invalid_input",
      "kind"
    ])
    // The operators' lists are no merchant's, as a file neither.
    expect(await of("/operator/v1/movements?format=csv")).toEqual([401, "authentication_failed", undefined])
    const plain = await s.api.ask("/v1/customers?format=json")
    expect([plain.status, plain.json.meta.warnings]).toEqual([200, undefined])
  })

  covers("CSV-1", "HTTP-9")
  it("is warned about and refused as a page is, also of a filter that is mistyped or sent twice", async () => {
    for (const query of ["tpye=individual", "type=individual&näme=Ada", "type=individual"]) {
      const page = await s.api.ask(`/v1/customers?${query}`)
      const file = await s.api.ask(`/v1/customers?${query}&format=csv`)
      expect([page.status, file.status]).toEqual([200, 200])
      const warned = file.headers.get("x-warnings")
      expect(warned === null ? undefined : JSON.parse(warned), query).toEqual(page.json.meta.warnings)
      expect(warned === null, query).toBe(query === "type=individual")
    }
    for (const query of ["type=individual&type=business", "kyc_status=approved&kyc_status=approved", "type=robot"]) {
      const page = await s.api.ask(`/v1/customers?${query}`)
      const file = await s.api.ask(`/v1/customers?${query}&format=csv`)
      expect([file.status, file.json.code, file.json.meta.errors], query).toEqual([
        page.status,
        page.json.code,
        page.json.meta.errors
      ])
      expect(page.status).toBe(400)
    }
  })

  covers("CSV-1")
  it("leaves a list the filter that has its name", async () => {
    const { headers } = await s.operate("/operator/v1/statements?format=camt.053&per_page=200", {
      headers: { accept: "text/csv" }
    })
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8")
    const formats = new Set<string>()
    const all = (await s.operate("/operator/v1/statements?per_page=200")).json.data as Array<{ format: string }>
    expect(all.length).toBeGreaterThan(0)
    for (const { format } of all) formats.add(format)
    for (const format of [...formats, "bai2"]) {
      const wanted = all.filter((one) => one.format === format).length
      const page = await s.operate(`/operator/v1/statements?format=${format}&per_page=200`)
      expect([page.status, page.json.meta?.total], format).toEqual([200, wanted])
      const file = await s.operate(`/operator/v1/statements?format=${format}&list_format=csv`)
      expect(tableOf(file.text).rows.map(({ cells }) => cells["format"])).toEqual(Array(wanted).fill(format))
    }
    expect((await s.operate("/operator/v1/statements?format=xlsx")).status).toBe(400)
  })

  covers("CSV-3")
  it.each([
    ["/v1/stats?by=operation,corridor", ["rows"]],
    ["/operator/v1/stats?by=merchant,operation", ["rows"]],
    ["/v1/transactions/totals?by=type,status", ["rows"]],
    ["/operator/v1/movements/totals?by=recipient", ["rows"]],
    ["/operator/v1/ledger/trial-balance", ["classes", "currencies"]]
  ] as const)("a report is one too, with its rows as its body has them: %s", async (path, tables) => {
    const ask = (more: string, headers = {}) =>
      path.startsWith("/operator") ? s.operate(path + more, { headers }) : s.api.ask(path + more, { headers })
    const { data } = (await ask("")).json
    const rows = tables.flatMap((name): ReadonlyArray<Readonly<Record<string, unknown>>> => data[name])
    expect(rows.length).toBeGreaterThan(1)
    const file = await ask(`${separated(path)}format=csv`)
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"])
    expect((await ask("", { accept: "text/csv" })).text).toBe(file.text)
    const table = tableOf(file.text)
    expect(table.rows.length).toBe(rows.length)
    for (const [at, row] of rows.entries())
      for (const [name, value] of Object.entries(row)) {
        const cell = table.rows[at]!.cells[name] ?? ""
        if (typeof value === "string" || typeof value === "number") expect([name, cell]).toEqual([name, String(value)])
        if (Array.isArray(value))
          expect([name, cell]).toEqual([name, value.map(({ amount, currency }) => `${amount} ${currency}`).join("; ")])
      }
    expect((await ask(`${separated(path)}format=xlsx`)).status).toBe(400)
  })

  covers("CSV-1")
  it("is what the client's list has as csv", async () => {
    const client = createClient({ baseUrl: s.api.base, apiKey: s.api.key })
    const text = await client.customers.list({ type: "individual" }).csv()
    expect(tableOf(text).rows.length).toBe((await client.customers.list({ type: "individual" })).total)
  })
})

const operation = {
  id: "listThings",
  input: Schema.Struct({ created_before: Schema.String }),
  output: Schema.Struct({ id: Schema.String, created_at: Schema.String }),
  list: true,
  formats: {}
} as unknown as AnyOperation

/** The file of a list whose pages are made here. */
const fileOf = (pageOf: (page: number, before: unknown) => Listed<unknown> | undefined) =>
  Effect.runPromise(
    makeListFile({
      operation,
      query: {},
      execute: (request: CallRequest): Effect.Effect<CallOutcome> =>
        Effect.sync(() => {
          request.render(request.query(), 0, [])
          return { _tag: "Completed", text: "", version: undefined, existing: false }
        }),
      requestOf: ({ created_before, page }, receive) =>
        ({
          query: () => ({}),
          render: () => {
            const found = pageOf(Number(page), created_before)
            if (found !== undefined) receive(found, [])
            return ""
          }
        }) as unknown as CallRequest
    })
  )

const textOf = (stream: Stream.Stream<Uint8Array, unknown>) =>
  Effect.runPromise(Stream.mkString(Stream.decodeText(stream)))

describe("the pages of a file", () => {
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      id: `t${from + n}`,
      created_at: new Date(1e12 - (from + n)).toISOString()
    }))

  covers("CSV-1")
  it("more rows than a file has are refused before anything is sent, and none is left out in silence", async () => {
    const made = await fileOf(() => ({ items: rows(0, 200), page: 1, per_page: 200, total: ROWS_MAX + 1 }))
    expect(made).toBeInstanceOf(InvalidInput)
    expect((made as InvalidInput).message).toBe(
      "100001 rows match, and a file has at most 100000. Narrow them by the filters of the list."
    )
  })

  covers("CSV-1")
  it("a page that cannot be read breaks the file off", async () => {
    let read = 0
    const made = await fileOf(() =>
      ++read > 1 ? undefined : { items: rows(0, 200), page: 1, per_page: 200, total: 250 }
    )
    await expect(textOf((made as ListFile).body)).rejects.toThrow("could not be read")
  })
})
