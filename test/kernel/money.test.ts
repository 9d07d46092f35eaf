import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  exactAmount,
  formatAmount,
  isAmount,
  minorUnits,
  mulDiv,
  parseAmount,
  power,
  settle
} from "../../src/machines/kernel/money.ts"
import { covers } from "../support/covers.ts"

const scales = fc
  .record({ decimals: fc.nat(18), finer: fc.nat(18) })
  .filter(({ decimals, finer }) => decimals + finer <= 18)
  .map(({ decimals, finer }) => ({ decimals, ledger_scale: decimals + finer }))
const amount = fc.nat(18).chain((digits) => fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) }))
const signed = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })

covers("decisions/2/7")
describe("reading an amount", () => {
  it("takes digits with or without decimals", () => {
    expect(parseAmount("1", 2)).toBe(100n)
    expect(parseAmount("1.5", 2)).toBe(150n)
    expect(parseAmount("01", 2)).toBe(100n)
    expect(parseAmount("0.000001", 6)).toBe(1n)
    expect(parseAmount("999999999999999999.999999999999999999", 18)).toBe(10n ** 36n - 1n)
    expect(parseAmount("7", 0)).toBe(7n)
  })

  it("refuses every other form of number", () => {
    const others = [
      "",
      " ",
      "1 ",
      " 1",
      "1\n",
      "+1",
      "-1",
      "-0",
      "1e3",
      "1E3",
      ".5",
      "1.",
      "1.2.3",
      "1,000",
      "1_000",
      "0x10",
      "NaN",
      "Infinity",
      "१",
      "1".repeat(19),
      `1.${"0".repeat(19)}`,
      (10n ** 30n).toString()
    ]
    for (const text of others) {
      expect([text, parseAmount(text, 18)]).toEqual([text, "format"])
      expect([text, isAmount(text)]).toEqual([text, false])
    }
  })

  it("tells zero from an amount, however it is written", () => {
    for (const text of ["0", "00", "0.0", "0.00", "0.000000000000000000"]) expect(parseAmount(text, 2)).toBe("zero")
  })

  it("counts decimals without trailing zeros", () => {
    expect(parseAmount("1.10", 6, 1)).toBe(1_100_000n)
    expect(parseAmount("1.000000000000000000", 6, 2)).toBe(1_000_000n)
    expect(parseAmount("1.001", 6, 2)).toBe("precision")
    expect(parseAmount("1.234567", 6)).toBe(1_234_567n)
    expect(parseAmount("1.2345678", 6)).toBe("precision")
    expect(parseAmount("1.5", 0)).toBe("precision")
  })

  it("never takes more decimals than the ledger keeps, whatever precision is allowed", () => {
    expect(parseAmount("1.234", 2, 6)).toBe("precision")
  })
})

covers("decisions/2/7")
describe("writing an amount", () => {
  it("shows the settlement decimals always and further ones where they are not zero", () => {
    const usdc = { decimals: 2, ledger_scale: 6 }
    expect(formatAmount(10_000_000n, usdc)).toBe("10.00")
    expect(formatAmount(1_234_567n, usdc)).toBe("1.234567")
    expect(formatAmount(1_230_500n, usdc)).toBe("1.2305")
    expect(formatAmount(0n, usdc)).toBe("0.00")
    expect(formatAmount(-1n, usdc)).toBe("-0.000001")
    expect(formatAmount(-1_000_000n, usdc)).toBe("-1.00")
    expect(formatAmount(3700n, { decimals: 0, ledger_scale: 0 })).toBe("3700")
    expect(formatAmount(0n, { decimals: 0, ledger_scale: 0 })).toBe("0")
  })

  it("is undone by reading, at every scale", () => {
    fc.assert(
      fc.property(scales, amount, (one, minor) => {
        const text = formatAmount(minor, one)
        expect(parseAmount(text, one.ledger_scale)).toBe(minor)
        expect((text.split(".")[1] ?? "").length).toBeGreaterThanOrEqual(one.decimals)
        expect(formatAmount(-minor, one)).toBe(`-${text}`)
      }),
      { numRuns: 5000 }
    )
  })
})

describe("amounts that our own code wrote", () => {
  it("may be zero, and must be amounts", () => {
    expect(exactAmount("0", 2)).toBe(0n)
    expect(exactAmount("0.10", 6)).toBe(100_000n)
    for (const text of ["", "-1", "0.001"]) expect(() => exactAmount(text, 2)).toThrow("is not an amount of scale 2")
  })

  it("are integers where they are minor units: nothing else is taken for one", () => {
    expect(minorUnits("-12")).toBe(-12n)
    expect(minorUnits((10n ** 37n).toString())).toBe(10n ** 37n)
    for (const text of ["", " ", "1.0", "0x10", "1e3", "+1", " 1"])
      expect(() => minorUnits(text)).toThrow("minor units")
  })
})

describe("multiplying and dividing", () => {
  it("brackets the exact quotient by floor and ceiling, for every sign", () => {
    fc.assert(
      fc.property(signed, signed, signed, (value, numerator, denominator) => {
        fc.pre(denominator !== 0n)
        const floor = mulDiv(value, numerator, denominator, "floor")
        const ceiling = mulDiv(value, numerator, denominator, "ceiling")
        const side = denominator < 0n ? -1n : 1n
        const product = value * numerator * side
        expect(floor * denominator * side <= product).toBe(true)
        expect((floor + 1n) * denominator * side > product).toBe(true)
        expect(ceiling - floor).toBe(product % denominator === 0n ? 0n : 1n)
      }),
      { numRuns: 5000 }
    )
  })

  it("is exact only where asked and possible", () => {
    expect(mulDiv(6n, 5n, 3n, "exact")).toBe(10n)
    expect(() => mulDiv(1n, 1n, 3n, "exact")).toThrow("not exact")
    expect(() => mulDiv(1n, 1n, 0n, "floor")).toThrow("by zero")
  })
})

describe("settling to what a payment may carry", () => {
  it("moves by less than one unit, in the direction asked for, to a multiple of it", () => {
    fc.assert(
      fc.property(scales, signed, (one, value) => {
        const unit = power(one.ledger_scale - one.decimals)
        const floor = settle(value, one, "floor")
        const ceiling = settle(value, one, "ceiling")
        expect(floor % unit).toBe(0n)
        expect(floor <= value && value - floor < unit).toBe(true)
        expect(ceiling - floor).toBe(value % unit === 0n ? 0n : unit)
      }),
      { numRuns: 5000 }
    )
  })
})
