/** What an `If-Match` header names (HTTP-11, HTTP-12). */
import { describe, expect, it } from "vitest"
import { parseVersions } from "../../../src/engine/commit/call.ts"
import { covers } from "../../support/repository/covers.ts"

covers("HTTP-11", "HTTP-12")
describe("If-Match", () => {
  it.each([
    [undefined, null],
    ["*", null],
    ['"7-abc"', "7"],
    ["7", "7"],
    ['"7-a", "8-b"', "7 8"],
    [', "7-a" ,W/"8-b",\t"9-c",', "7 9"],
    ['"a,b"', "a,b"],
    ['W/"7-a"', ""],
    ['""', ""],
    ["", ""],
    ['"7" "8"', ""],
    ['"7', ""],
    ['7"', ""],
    ['"7 8"', ""],
    ['"7", 8', ""],
    ["6, 7", ""],
    ["junk 7", ""]
  ])("%j names %j", (given, versions) => expect(parseVersions(given)).toBe(versions))

  it("is read as fast as it is long, whatever it is", () => {
    for (const part of [" ,", ", ", " ", ",", '""', '"a" '])
      expect(parseVersions(`"a"${part.repeat(8_000)} x`)).toBe("")
  })
})
