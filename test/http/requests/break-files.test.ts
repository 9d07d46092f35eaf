/** Files of breaks over HTTP: their encodings (BREAK-7). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const csv = "id,action,note\nbrk_01j9z3k4m5n6p7q8r9s0t1v2w3,dismiss,Jos\u00e9\n"

const resolve = async (body: Buffer, type: string) => {
  const response = await fetch(`${api.base}/operator/v1/breaks/resolve`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": type },
    body: new Uint8Array(body)
  })
  return { status: response.status, text: await response.text() }
}

covers("STATEMENT-17", "BREAK-7")
it.each([
  ["text/csv; charset=windows-1252", Buffer.from(csv, "latin1")],
  ["text/csv; charset=utf-16le", Buffer.from(csv, "utf16le")],
  ["text/csv; charset=windows-1252", Buffer.from(`\ufeff${csv}`, "utf16le")],
  ["text/csv", Buffer.from(csv)],
  ["application/octet-stream", Buffer.from(`\ufeff${csv}`, "utf16le")]
])("a file of breaks is read in the encoding of its mark, else of %s", async (type, body) => {
  const { status, text } = await resolve(body, type)
  expect(status, text).toBe(200)
  expect(text).toContain(",dismiss,Jos\u00e9,")
})

covers("STATEMENT-17", "BREAK-7")
it.each([
  ["text/csv; charset=klingon", Buffer.from(csv), 'the encoding \\"klingon\\"'],
  ["text/csv", Buffer.from(csv, "latin1"), "line 2: found bytes that are not utf-8"],
  ["text/csv; charset=utf-8", Buffer.from(csv, "latin1"), "line 2: found bytes that are not utf-8"],
  ["application/octet-stream", Buffer.from("PK\u0003\u0004"), "a ZIP archive"]
])("a file of breaks is refused with %s and other bytes", async (type, body, found) => {
  const { status, text } = await resolve(body, type)
  expect(status).toBe(400)
  expect(text).toContain(found)
})
