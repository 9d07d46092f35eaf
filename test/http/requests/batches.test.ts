/** Batches over HTTP: a file as the body, its size, its key, and the file of results (BATCH-1, BATCH-2). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const header = "operation,wallet_id,beneficiary_id,amount,reference"
const fileOf = (lines: ReadonlyArray<string>) => [header, ...lines].join("\n")
const line = (amount: string, reference: string) => `transfer,${s.wallet},${s.crypto},${amount},${reference}`

/** Sends a body as it is. */
const send = async (path: string, body: string | Uint8Array<ArrayBuffer>, type: string, key?: string) => {
  const response = await fetch(`${s.api.base}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${s.api.key}`,
      "content-type": type,
      ...(key === undefined ? {} : { "idempotency-key": key })
    },
    body
  })
  return { status: response.status, headers: response.headers, json: (await response.json()) as any }
}

describe("a batch as a file", () => {
  covers("BATCH-2")
  it("is read with its reference in the query, and its errors name rows and columns", async () => {
    const csv = fileOf([line("1.00", "'=A1"), line("x", "")])
    const { json, status } = await send("/v1/batches?reference=file", csv, "text/csv; charset=utf-8")
    expect(status, JSON.stringify(json)).toBe(200)
    expect(json.data).toMatchObject({ reference: "file", status: "draft", counts: { rows: 2, valid: 1, invalid: 1 } })
    expect(json.data.errors).toMatchObject([{ row: 2, field: "amount", code: "invalid_format" }])

    const answer = await fetch(`${s.api.base}/v1/batches/${json.data.id}/rows?format=csv`, {
      headers: { authorization: `Bearer ${s.api.key}` }
    })
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    const [first = "", row = ""] = (await answer.text()).split("\r\n")
    expect(first).toMatch(/^row,status,operation,/)
    // What a spreadsheet would run is escaped.
    expect(row).toContain(",'=A1,")
  })

  covers("BATCH-2", "BATCH-8")
  it("shows what a row names as its beneficiary, whatever that is", async () => {
    const odd = [{ toString: 1, valueOf: 1 }, 7, "onr_01hxyz00000000000000000000", s.wallet]
    const rows = odd.map((beneficiary_id) => ({ operation: "transfer", source_amount: "1.00", beneficiary_id }))
    const { json } = await send("/v1/batches", JSON.stringify({ reference: "odd", rows }), "application/json")
    expect(json.data?.counts, JSON.stringify(json)).toMatchObject({ rows: 4, invalid: 4 })
    const answer = await fetch(`${s.api.base}/v1/batches/${json.data.id}/rows`, {
      headers: { authorization: `Bearer ${s.api.key}` }
    })
    expect([answer.status, ((await answer.json()) as any).data?.length]).toEqual([200, 4])
  })

  covers("BATCH-2")
  it("is one with its reference: the same key with another reference is another call", async () => {
    const csv = fileOf([line("1.00", "")])
    const key = "batch-key-0001"
    const first = await send("/v1/batches?reference=one", csv, "text/csv", key)
    const again = await send("/v1/batches?reference=one", csv, "text/csv", key)
    expect(again.json).toEqual(first.json)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect((await send("/v1/batches?reference=two", csv, "text/csv", key)).json.code).toBe("idempotency_conflict")
    const dry = await send("/v1/batches?reference=one&dry_run=true", csv, "text/csv", key)
    expect(dry.json).toEqual(first.json)
  })

  covers("BATCH-1", "OPERATOR-4")
  it("has a summary of its movements, with those apart that wait for approval, which are not stuck but in a queue", async () => {
    const above = { amount: "5", currency: "USDC" }
    const rule = await s.make("/v1/approval-rules", { operations: ["transfer"], above })
    const { id } = (
      await send("/v1/batches?reference=sum", fileOf(["2", "6", "3", "7"].map((one) => line(one, ""))), "text/csv")
    ).json.data
    await s.make(`/v1/batches/${id}/confirm`, {})
    await s.settle()
    const rows = async (query: string) => (await s.api.ask(`/v1/batches/${id}/rows?${query}`)).json.data
    const waiting = await rows("awaits_approval=true")
    expect(waiting.map(({ row }: any) => row)).toEqual([2, 4])
    const others = await rows("awaits_approval=false")
    expect(others.map(({ awaits_approval, row }: any) => [row, awaits_approval])).toEqual([
      [1, false],
      [3, false]
    ])
    expect((await rows("resource_status=processing&awaits_approval=true")).length).toBe(2)
    for (const { resource_id } of others) await s.make("/sandbox/outcomes", { resource_id, outcome: "success" })
    const movements = [
      ["success", false, 2, "5.00"],
      ["processing", true, 2, "13.00"]
    ].map(([resource_status, awaits_approval, count, amount]) => ({
      ...{ resource_status, awaits_approval, count },
      totals: [{ currency: "USDC", amount }]
    }))
    expect((await s.api.ask(`/v1/batches/${id}/summary`)).json.data).toEqual({ movements })
    expect((await s.operate(`/operator/v1/batches/${id}/summary`)).json.data).toEqual({ movements })

    const stuck = async (query: string) =>
      (await s.operate(`/operator/v1/stuck?older_than_seconds=0${query}`)).json.data
    const ids = new Set(waiting.map((one: any) => one.resource_id))
    const listed = (await stuck("&kind=transfer")).filter((one: any) => ids.has(one.id))
    expect(listed.map(({ amount, currency, reason }: any) => [amount, currency, reason]).toSorted()).toEqual([
      ["6.00", "USDC", "awaiting_approval"],
      ["7.00", "USDC", "awaiting_approval"]
    ])
    const rest = await stuck("&kind=transfer&without_queues=true")
    expect(rest.filter((one: any) => ids.has(one.id))).toEqual([])
    await s.api.ask(`/v1/approval-rules/${rule.id}`, { method: "DELETE" })
  })

  covers("BATCH-2")
  it("may have 4 MiB where another body has 1, and no more", async () => {
    const pad = "x".repeat(100)
    const rows = (count: number) =>
      Array.from({ length: count }, (_, at) => `transfer,${s.wallet},${s.crypto},0.001,${pad}${at}`)
    const large = await send("/v1/batches?reference=large", fileOf(rows(9_000)), "text/csv")
    expect(large.status, JSON.stringify(large.json).slice(0, 300)).toBe(200)
    expect(large.json.data.counts).toMatchObject({ rows: 9_000, invalid: 9_000 })
    expect(large.json.data.errors).toHaveLength(1_000)
    const over = await send("/v1/batches?reference=over", "x".repeat(4 * 1024 * 1024 + 1), "text/csv")
    expect([over.status, over.json.code]).toEqual([400, "bad_request"])
    expect(over.json.message).toContain("4194304 bytes (4 MiB)")
    const other = await send("/v1/transfers", "x".repeat(1024 * 1024 + 1), "application/json")
    expect(other.json.message).toContain("1048576 bytes (1 MiB)")
  })

  covers("STATEMENT-17", "BATCH-2")
  it("may be one that a spreadsheet saved: its rows count from 1, without the empty ones", async () => {
    const file = [
      "sep=;",
      `${header};;`.replaceAll(",", ";"),
      "",
      `${line("1.00", "A")},,`.replaceAll(",", ";"),
      ";;;;;;"
    ]
    const csv = [...file, `${line("x", "B")},,`.replaceAll(",", ";"), ";;;;;;", ""].join("\r\n")
    const { json, status } = await send("/v1/batches?reference=spreadsheet", csv, "text/csv")
    expect(status, JSON.stringify(json)).toBe(200)
    expect(json.data.counts).toMatchObject({ rows: 2, valid: 1 })
    expect(json.data.errors).toMatchObject([{ row: 2, field: "amount", code: "invalid_format" }])
  })

  covers("STATEMENT-17", "BATCH-2")
  it.each([
    ["text/csv; charset=windows-1252", (text: string) => Buffer.from(text, "latin1")],
    ['text/csv;charset="ISO-8859-1"', (text: string) => Buffer.from(text, "latin1")],
    ["text/csv; header=present; charset=UTF-16LE", (text: string) => Buffer.from(text, "utf16le")],
    ["text/csv; charset=windows-1252", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["text/csv", (text: string) => Buffer.from(`\ufeff${text}`)]
  ])("is read in the encoding of its mark, else of %s", async (type, encode) => {
    const csv = fileOf([line("1.00", "").replace(/$/, "Jos\u00e9")])
    const reference = `charset-${Math.random()}`
    const { json, status } = await send(`/v1/batches?reference=${reference}`, new Uint8Array(encode(csv)), type)
    expect(status, JSON.stringify(json)).toBe(200)
    const rows = await fetch(`${s.api.base}/v1/batches/${json.data.id}/rows`, {
      headers: { authorization: `Bearer ${s.api.key}` }
    })
    expect(((await rows.json()) as any).data[0].reference).toBe("Jos\u00e9")
  })

  covers("STATEMENT-17", "BATCH-2")
  it("is refused in an unknown encoding, for bytes of another than its own, as an archive, and where it is cut off", async () => {
    const refused = async (body: string | Buffer, type = "text/csv") => {
      const { json, status } = await send("/v1/batches?reference=refused", new Uint8Array(Buffer.from(body)), type)
      expect([status, json.code]).toEqual([400, "bad_request"])
      const [{ field, found, place }] = json.meta.errors
      return [field, place, found]
    }
    const csv = fileOf([line("1.00", "Jos\u00e9")])
    expect(await refused(csv, "text/csv; charset=klingon")).toEqual(["body", "line 1", 'the encoding "klingon"'])
    expect(await refused(Buffer.from(csv, "latin1"))).toEqual(["body", "line 2", "bytes that are not utf-8"])
    expect(await refused("PK\u0003\u0004statement")).toEqual(["body", "line 1", "a ZIP archive"])
    expect(await refused(`${header}\n${line("100.00", "A").replace(/0\.00,A$/, "")}`)).toEqual([
      "body",
      "line 2",
      "a row of 4 cells"
    ])
  })

  covers("BATCH-2")
  it("is refused where it is none, and where nothing takes a file", async () => {
    const refused = async (path: string, body: string, type: string) => {
      const { json, status } = await send(path, body, type)
      return [status, json.code, json.meta.errors?.[0]?.field]
    }
    expect(await refused("/v1/batches", fileOf([line("1", "")]), "text/csv")).toEqual([400, "bad_request", "reference"])
    expect(await refused("/v1/batches?reference=a", "operation,walet_id\na,b", "text/csv")).toEqual([
      400,
      "bad_request",
      "walet_id"
    ])
    expect(await refused("/v1/batches?reference=a", "operation,beneficiary.details.adress\na,b", "text/csv")).toEqual([
      400,
      "bad_request",
      "beneficiary.details.adress"
    ])
    expect(await refused("/v1/transfers", "a,b", "text/csv")).toEqual(
      [400, "invalid_input", "body"].with(1, "bad_request")
    )
    expect(await refused("/v1/batches", "a,b", "application/xml")).toEqual([400, "bad_request", "body"])
    const types = async (path: string) => (await send(path, "a,b", "text/plain")).json.message
    expect(await types("/v1/batches")).toContain("application/json or text/csv is required")
    expect(await types("/v1/transfers")).toContain("application/json is required")
  })
})

covers("BATCH-2")
it("a row that is nested too deeply to be written again is refused with its member", async () => {
  const row = `{"operation":"transfer","wallet_id":"${s.wallet}","beneficiary_id":"${s.crypto}","amount":"1"`
  for (const [member, levels] of [
    ["metadata", 100_000],
    ["amount", 5000]
  ] as const) {
    const deep = "[".repeat(levels) + "]".repeat(levels)
    const body = `{"reference":"deep-${member}","rows":[${row}},${row},"${member}":${deep}}]}`
    const { json, status } = await send("/v1/batches", body, "application/json")
    expect([status, json.code], json.message).toEqual([400, "bad_request"])
    expect(json.meta.errors[0].field).toBe(`rows.1.${member}`)
  }
})
