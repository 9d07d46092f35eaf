import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { priceSource, type Terms, toUsdMicros } from "../../src/machines/kernel/pricing.ts"

const terms: Terms = {
  source: { decimals: 2, ledger_scale: 6 },
  destination: { decimals: 2, ledger_scale: 2 },
  rate: "1500",
  gateway: "0.005",
  network: "0",
  minimum: null,
  maximum: null
}

describe("terms", () => {
  it("with a rate that buys nothing at any amount are no terms", () => {
    for (const rate of ["0", "0.000", "00"])
      expect(() => priceSource({ ...terms, rate }, 100n)).toThrow("the rate is zero")
  })

  it("are decimals, and nothing that begins or ends with one", () => {
    for (const rate of ["", "1e3", "1.5x", "x1.5", ".5", "1.", "-1", "1,5"])
      expect(() => priceSource({ ...terms, rate }, 100n)).toThrow(`${JSON.stringify(rate)} is not a decimal`)
  })

  it("whose fee leaves nothing are no terms", () => {
    for (const gateway of ["1", "1.0", "1.5"])
      expect(() => priceSource({ ...terms, gateway }, 100n)).toThrow(`the gateway fee must be below 1: ${gateway}`)
  })
})

describe("the worth in dollars", () => {
  it("counts millionths, rounded down", () => {
    expect(toUsdMicros(2_500_000n, { decimals: 2, ledger_scale: 6 }, "1")).toBe(2_500_000n)
    expect(toUsdMicros(150_000n, { decimals: 2, ledger_scale: 2 }, "1500")).toBe(1_000_000n)
    expect(toUsdMicros(1n, { decimals: 2, ledger_scale: 2 }, "1500")).toBe(6n)
    expect(toUsdMicros(10n ** 18n, { decimals: 18, ledger_scale: 18 }, "0.0004")).toBe(2_500_000_000n)
  })

  it("of two sums is never more apart than together", () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n })
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.nat(18),
        fc.constantFrom("1", "1507.5", "0.0004", "17.3"),
        (a, b, scale, perUsd) => {
          const worth = (one: bigint) => toUsdMicros(one, { decimals: scale, ledger_scale: scale }, perUsd)
          expect(worth(a) + worth(b) <= worth(a + b)).toBe(true)
        }
      )
    )
  })
})
