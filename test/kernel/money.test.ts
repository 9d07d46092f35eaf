import { describe, expect, it } from "vitest"
import {
  parseExactAmount,
  formatAmount,
  isAmount,
  toMinorUnits,
  mulDiv,
  parseAmount,
  splitAmount
} from "../../src/machines/kernel/money.ts"
import { covers } from "../support/repository/covers.ts"

covers("DEPOSIT-15")
describe("splitting an amount at the scale of the ledger", () => {
  it.each([
    ["100.25", 2, 10025n, null],
    ["100.2", 2, 10020n, null],
    ["100.2500", 2, 10025n, null],
    ["100.259", 2, 10025n, "0.009"],
    ["100.2590", 2, 10025n, "0.009"],
    ["0.999999999999999999", 6, 999999n, "0.000000999999999999"],
    ["0.004", 2, 0n, "0.004"],
    ["7.5", 0, 7n, "0.5"],
    ["7", 0, 7n, null]
  ] as const)("%s at %i decimals", (text, scale, kept, rest) => {
    expect(splitAmount(text, scale)).toEqual({ kept, rest })
  })

  it("takes what an amount is, and nothing else", () => {
    for (const text of ["", "-1", "1e3", ".5", "1.0000000000000000001"]) expect(splitAmount(text, 2)).toBeUndefined()
  })
})

covers("AMOUNT-2")
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

covers("AMOUNT-2")
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
})

describe("amounts that our own code wrote", () => {
  it("may be zero, and must be amounts", () => {
    expect(parseExactAmount("0", 2)).toBe(0n)
    expect(parseExactAmount("0.10", 6)).toBe(100_000n)
    for (const text of ["", "-1", "0.001"])
      expect(() => parseExactAmount(text, 2)).toThrow("is not an amount of scale 2")
  })

  it("are integers where they are minor units: nothing else is taken for one", () => {
    expect(toMinorUnits("-12")).toBe(-12n)
    expect(toMinorUnits("9876543210")).toBe(9_876_543_210n)
    expect(toMinorUnits((10n ** 37n).toString())).toBe(10n ** 37n)
    for (const text of ["", " ", "1.0", "0x10", "1e3", "+1", " 1"])
      expect(() => toMinorUnits(text)).toThrow("minor units")
    for (const text of ["-", "--1", "1-", "1/", "1:"]) expect(() => toMinorUnits(text)).toThrow("minor units")
  })
})

describe("multiplying and dividing", () => {
  it("is exact only where asked and possible", () => {
    expect(mulDiv(6n, 5n, 3n, "exact")).toBe(10n)
    expect(() => mulDiv(1n, 1n, 3n, "exact")).toThrow("not exact")
    expect(() => mulDiv(1n, 1n, 0n, "floor")).toThrow("the denominator is zero")
  })
})
