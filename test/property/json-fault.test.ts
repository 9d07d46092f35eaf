/** Where a body stops being JSON, against the parser of the platform (HTTP-20). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findJsonFault, formatPlace } from "../../src/http/request.ts"
import { covers } from "../support/repository/covers.ts"

const faultOf = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Whether something can follow that makes the text JSON: the parser wants more, or is content. */
const isBeginning = (text: string): boolean => {
  const fault = faultOf(text)
  return fault === undefined || /end of JSON input/.test(fault) || fault.includes(`at position ${text.length} `)
}

/** JSON with a character that is not there, is another or is too much, or cut off. */
const broken = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom("", "x", "}", "]", ",", ":", '"', "\\", "\n", "0", "-"), fc.nat(1))
  .map(([text, at, sign, cut]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + sign + text.slice(place + cut)
  })
  .filter((text) => faultOf(text) !== undefined)

describe("the place of a fault in JSON", () => {
  covers("HTTP-20")
  it("has a beginning of JSON before it, and is not behind the one that the parser names", () => {
    fc.assert(
      fc.property(broken, (text) => {
        const at = findJsonFault(text)
        const named = /at position (\d+)/.exec(faultOf(text) ?? "")?.[1]
        expect([text, isBeginning(text.slice(0, at))]).toEqual([text, true])
        expect(at).toBeLessThanOrEqual(named === undefined ? text.length : Number(named))
      }),
      { numRuns: 2_000 }
    )
  })

  covers("HTTP-20")
  it.each([
    ["", 0],
    ["{", 1],
    ["nope", 0],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ["{a:1}", 1],
    ["[1,,2]", 3],
    ["[1 2]", 3],
    ["[}", 1],
    ['{"a":tru}', 5],
    ['{"a":"b', 5],
    ['{"a":01}', 6],
    ["{} x", 3],
    ["\uFEFFx", 0]
  ])("is found in %j", (text, at) => {
    expect(findJsonFault(text)).toBe(at)
  })

  it("is counted in lines and columns from 1", () => {
    expect(formatPlace('{\n  "a": 1,\n}', 12)).toBe("line 3, column 1")
    expect(formatPlace("x", 0)).toBe("line 1, column 1")
  })

  it("takes time by the length of the text alone", () => {
    expect(findJsonFault("[".repeat(500_000))).toBe(500_000)
    expect(findJsonFault('{"a":'.repeat(200_000))).toBe(1_000_000)
    expect(findJsonFault(`"${"x".repeat(1_000_000)}`)).toBe(0)
    expect(findJsonFault(`["${"\\n".repeat(500_000)}"`)).toBe(1_000_003)
  })
})
