import { describe, expect, it } from "vitest"
import fc from "fast-check"
import { monotonicFactory, ulid } from "ulid"
import {
  deriveStatementReference,
  findStatementReferences,
  deriveStemBeginning
} from "../../../src/engine/input/statement-reference.ts"
import { covers } from "../../support/repository/covers.ts"

const at = Date.parse("2026-03-10T12:00:00Z")
const day = 86_400_000
/** `next`: a factory that is monotonic never goes back to an earlier time. */
const commandAt = (time: number, next: (time: number) => string = ulid) => `off_${next(time).toLowerCase()}.payout`

describe("a statement reference", () => {
  covers("MATCH-1")
  it("has 16 letters and digits, is the same for a command for ever, and another for its refund", () => {
    const command = "off_01k6x0b7z2c4v6n8m1q3w5e7rt.payout"
    expect(deriveStatementReference(command)).toBe("01K6X0B7Z23TVD9Y")
    expect(deriveStatementReference("off_01k6x0b7z2c4v6n8m1q3w5e7rt.refund")).not.toBe(
      deriveStatementReference(command)
    )
    for (let n = 0; n < 100; n++) expect(deriveStatementReference(commandAt(at + n))).toMatch(/^[A-Z0-9]{16}$/)
    expect("01k6x0b7z2c4v6n8m1q3w5e7rt".startsWith(deriveStemBeginning("01K6X0B7Z23TVD9Y"))).toBe(true)
  })

  it("tells commands of one millisecond apart", () => {
    const next = monotonicFactory()
    const all = Array.from({ length: 1_000 }, () => deriveStatementReference(commandAt(at, next)))
    expect(new Set(all).size).toBe(1_000)
  })

  it("is found in what a bank makes of it: other case, wrapped, glued to other words", () => {
    const reference = deriveStatementReference(commandAt(at))
    const spoil = fc.tuple(
      fc.string(),
      fc.integer({ min: 0, max: 16 }),
      fc.constantFrom("", " ", "\n", "/", "-"),
      fc.string()
    )
    fc.assert(
      fc.property(spoil, ([before, cut, by, after]) => {
        const text = `${before}${reference.slice(0, cut).toLowerCase()}${by}${reference.slice(cut)}${after}`
        expect(findStatementReferences(text, at + day, at + day)).toContain(reference)
      })
    )
  })

  it("is none where its time is long before its line or after now, or its text is no time", () => {
    const reference = deriveStatementReference(commandAt(at))
    const found = (text: string, booked: number, now = at) => findStatementReferences(text, booked, now)
    expect(found(reference, at + 400 * day)).toEqual([reference])
    expect(found(reference, at + 400 * day + 1)).toEqual([])
    expect(found(reference, at, at - 2 * day)).toEqual([reference])
    expect(found(reference, at, at - 2 * day - 1)).toEqual([])
    expect(found(`8${reference.slice(1)}`, at)).toEqual([])
    expect(found(`${reference.slice(0, -1)}I`, at)).toEqual([])
    expect(found("", at)).toEqual([])
  })

  it("is found on whatever day before its command the bank has booked its line", () => {
    const reference = deriveStatementReference(commandAt(at))
    for (const days of [1, 2, 3, 31, 4_000])
      expect(findStatementReferences(reference, at - days * day, at)).toEqual([reference])
  })
})
