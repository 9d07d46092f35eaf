/** A file instead of the envelope: its stored text, and its media type. */
import { describe, expect, it } from "vitest"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { parseFile, parseEnvelope, renderFile, renderOk } from "../../../src/http/envelope.ts"

describe("the stored text of a file", () => {
  const text = 'a,b\r\n"x ""y""",ü\r\n'
  const stored = renderFile(new FileResponse("csv", text), "req_1")

  it("gives the file back byte for byte, with its format", () => {
    expect(parseFile(stored)).toEqual(new FileResponse("csv", text))
  })
  it("is read as a success of its request, as an envelope is", () => {
    expect(parseEnvelope(stored)).toEqual({ code: "ok", request_id: "req_1" })
  })
  it("is not that of an envelope, whatever members it has", () => {
    expect(parseFile(renderOk({ file: "csv", text }, "req_1", 0))).toBeUndefined()
  })
})
