/** Amounts at every scale and magnitude, against exact fractions written apart from the code. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatAmount, mulDiv, parseAmount, type Rounding, roundToSettlement } from "../../src/machines/kernel/money.ts"
import { covers } from "../support/repository/covers.ts"
import { minus, over, type Ratio, ratio, roundDown, roundUp, times } from "../support/properties/fractions.ts"
import { triesOf } from "../support/properties/tries.ts"

/** Every magnitude up to 10^30 as likely as another. */
const magnitude = fc.nat(30).chain((digits) => fc.bigInt({ min: 0n, max: 10n ** BigInt(digits) }))
const signed = fc.tuple(magnitude, fc.boolean()).map(([value, isNegative]) => (isNegative ? -value : value))
const scales = fc
  .record({ decimals: fc.nat(18), finer: fc.nat(18) })
  .filter(({ decimals, finer }) => decimals + finer <= 18)
  .map(({ decimals, finer }) => ({ decimals, ledger_scale: decimals + finer }))

const isSame = (a: Ratio, b: Ratio): boolean => minus(a, b).above === 0n
const size = (value: bigint): bigint => (value < 0n ? -value : value)
const scaled = (minor: bigint, scale: number): Ratio => over(minor, 10n ** BigInt(scale))

/** Digits as people write them: zeros before and behind, and a point or none. */
const written = fc
  .record({
    whole: fc.string({ unit: fc.constantFrom(..."00123456789"), minLength: 1, maxLength: 20 }),
    fraction: fc.option(fc.string({ unit: fc.constantFrom(..."0001234567890"), maxLength: 20 }), { freq: 4 })
  })
  .map(({ whole, fraction }) => (fraction === null ? whole : `${whole}.${fraction}`))

/** What a text is, in units of a scale, where it has no more than `places` decimals. */
const read = (text: string, scale: number, places: number): bigint | string => {
  const [whole = "", fraction = "0"] = text.split(".")
  if (whole.length > 18 || fraction === "" || fraction.length > 18) return "format"
  const value = ratio(text)
  if (!isSame(value, roundDown(value, places))) return "precision"
  return value.above === 0n ? "zero" : roundDown(times(value, over(10n ** BigInt(scale), 1n)), 0).above
}

covers("AMOUNT-2")
describe("a decimal", () => {
  it("is read as the fraction it stands for, or told apart as none that is kept", () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(written, fc.nat(18), fc.nat(18), (text, scale, precision) => {
        const got = parseAmount(text, scale, precision)
        seen.set(typeof got, (seen.get(typeof got) ?? 0) + 1)
        expect(got, `${text} at ${scale} with ${precision}`).toBe(read(text, scale, Math.min(scale, precision)))
      }),
      { numRuns: triesOf(20_000) }
    )
    expect(seen.get("bigint")).toBeGreaterThan(100)
    expect(seen.get("string")).toBeGreaterThan(100)
  })

  it("is written exactly, with the decimals it settles in and no more than it takes", () => {
    fc.assert(
      fc.property(signed, scales, (minor, one) => {
        const text = formatAmount(minor, one)
        expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/)
        expect(text.startsWith("-")).toBe(minor < 0n)
        expect(isSame(ratio(text.replace("-", "")), scaled(size(minor), one.ledger_scale)), text).toBe(true)
        const fraction = text.split(".")[1] ?? ""
        expect(fraction.length).toBeGreaterThanOrEqual(one.decimals)
        if (fraction.length > one.decimals) expect(fraction).not.toMatch(/0$/)
      }),
      { numRuns: triesOf(10_000) }
    )
  })

  it("comes back as it went, for every amount that the wire takes", () => {
    fc.assert(
      fc.property(magnitude, scales, (minor, one) => {
        const text = formatAmount(minor, one)
        const fits = (text.split(".")[0] ?? "").length <= 18
        expect(parseAmount(text, one.ledger_scale)).toBe(!fits ? "format" : minor === 0n ? "zero" : minor)
      }),
      { numRuns: triesOf(10_000) }
    )
  })
})

describe("a product over a divisor", () => {
  /** The whole numbers on either side of a fraction, by the same fractions of magnitudes. */
  const sides = (value: bigint, numerator: bigint, denominator: bigint): Readonly<Record<Rounding, bigint | null>> => {
    const exact = times(over(size(value), 1n), over(size(numerator), size(denominator)))
    const isNegative = exact.above !== 0n && (value < 0n !== numerator < 0n) !== denominator < 0n
    const [down, up] = [roundDown(exact, 0).above, roundUp(exact, 0).above]
    return {
      floor: isNegative ? -up : down,
      ceiling: isNegative ? -down : up,
      exact: down !== up ? null : isNegative ? -down : down
    }
  }

  it("is the fraction's own whole number on the side asked for, at every sign and magnitude", () => {
    fc.assert(
      fc.property(signed, signed, signed, (value, numerator, denominator) => {
        fc.pre(denominator !== 0n)
        for (const [rounding, expected] of Object.entries(sides(value, numerator, denominator))) {
          const got = () => mulDiv(value, numerator, denominator, rounding as Rounding)
          if (expected === null) expect(got).toThrow("not exact")
          else expect(got(), rounding).toBe(expected)
        }
      }),
      { numRuns: triesOf(10_000) }
    )
  })

  it("settles an amount to the decimals of its currency, and a settled one to itself", () => {
    fc.assert(
      fc.property(magnitude, scales, (minor, one) => {
        const value = scaled(minor, one.ledger_scale)
        const down = roundToSettlement(minor, one, "floor")
        const up = roundToSettlement(minor, one, "ceiling")
        expect(isSame(scaled(down, one.ledger_scale), roundDown(value, one.decimals))).toBe(true)
        expect(isSame(scaled(up, one.ledger_scale), roundUp(value, one.decimals))).toBe(true)
        expect([roundToSettlement(down, one, "exact"), roundToSettlement(up, one, "exact")]).toEqual([down, up])
        expect([roundToSettlement(-minor, one, "floor"), roundToSettlement(-minor, one, "ceiling")]).toEqual([
          -up,
          -down
        ])
      }),
      { numRuns: triesOf(10_000) }
    )
  })
})
