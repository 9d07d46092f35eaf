import { describe, expect, it } from "vitest"
import { countries, countryName, isCountryCode, prohibitedCountries } from "../../../src/engine/reference/countries.ts"
import {
  capabilities,
  currencies,
  requireCurrency,
  isCurrencyCode,
  isOnNetwork,
  resolveCurrency
} from "../../../src/engine/reference/currencies.ts"
import { covers } from "../../support/repository/covers.ts"

const named = (code: string, country?: string | null) => {
  const found = resolveCurrency(code, country)
  return found._tag === "currency" ? `${found.currency.code}/${found.currency.country_code}` : found._tag
}

describe("resolving a currency code", () => {
  it("finds a code that one currency has, with its country or without", () => {
    expect(named("NGN")).toBe("NGN/NG")
    expect(named("NGN", null)).toBe("NGN/NG")
    expect(named("NGN", "NG")).toBe("NGN/NG")
  })

  covers("CURRENCY-8")
  it("asks for the country of a code that several countries have", () => {
    expect(resolveCurrency("XOF")).toEqual({ _tag: "ambiguous", countries: ["CI", "SN"] })
    expect(named("XOF", "SN")).toBe("XOF/SN")
    expect(named("XOF", "CI")).toBe("XOF/CI")
  })

  it("does not know a currency in a country that is not its own", () => {
    expect(named("NGN", "KE")).toBe("unknown")
    expect(named("XOF", "NG")).toBe("unknown")
  })

  it("finds what belongs to no country under any", () => {
    expect(named("USDC", "NG")).toBe("USDC/null")
    expect(named("EUR", "DE")).toBe("EUR/null")
  })

  covers("FIELD-1", "CURRENCY-8")
  it("does not know other codes, lower case, or names of object members", () => {
    for (const code of ["GBP", "usdc", "", "constructor", "__proto__"]) {
      expect(named(code)).toBe("unknown")
      expect(isCurrencyCode(code)).toBe(false)
    }
    expect(() => requireCurrency("GBP")).toThrow("GBP")
  })
})

describe("the currencies", () => {
  covers("CURRENCY-1")
  it("have the scales, networks and gates that were decided", () => {
    expect(
      currencies.map((one) => [
        `${one.code}/${one.country_code}`,
        `${one.decimals}:${one.ledger_scale}`,
        one.networks.join(),
        one.requires_access
      ])
    ).toEqual([
      ["EUR/null", "2:2", "bank", true],
      ["GHS/GH", "2:2", "bank", false],
      ["KES/KE", "2:2", "bank", false],
      ["NGN/NG", "2:2", "bank", false],
      ["UGX/UG", "0:0", "bank", false],
      ["USD/US", "2:2", "bank", true],
      ["USDC/null", "2:6", "base,ethereum,solana", false],
      ["USDT/null", "2:6", "base,ethereum,solana", false],
      ["XOF/CI", "0:0", "bank", true],
      ["XOF/SN", "0:0", "bank", true],
      ["ZAR/ZA", "2:2", "bank", false]
    ])
  })

  covers("CURRENCY-2")
  it("lack no capability but transfers of fiat and onramps from UGX", () => {
    const lacking = currencies.flatMap((one) =>
      capabilities.filter((capability) => !one[capability]).map((capability) => `${one.code} ${capability}`)
    )
    expect(lacking.filter((one) => !one.endsWith("can_transfer"))).toEqual(["UGX can_onramp"])
    expect(lacking.filter((one) => one.endsWith("can_transfer")).length).toBe(9)
    expect(lacking).not.toContain("USDC can_transfer")
  })

  it("have ids of the right form, each its own", () => {
    expect(new Set(currencies.map((one) => one.id)).size).toBe(11)
    for (const one of currencies) expect(one.id).toMatch(/^cur_[0-9a-hjkmnp-tv-z]{26}$/)
  })

  it("share everything of a code but country and id, so a code alone says how money is kept", () => {
    for (const one of currencies) {
      const { id: _, country_code: __, ...shared } = one
      expect(requireCurrency(one.code)).toMatchObject(shared)
    }
  })

  it("are issued on their own networks only", () => {
    expect(isOnNetwork(requireCurrency("USDC"), "solana")).toBe(true)
    expect(isOnNetwork(requireCurrency("USDC"), "bank")).toBe(false)
    expect(isOnNetwork(requireCurrency("NGN"), "bank")).toBe(true)
    expect(isOnNetwork(requireCurrency("NGN"), "base")).toBe(false)
  })
})

describe("countries", () => {
  it("are the ISO codes, upper case", () => {
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    const assigned = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountryCode)
    expect(assigned.length).toBe(249)
    for (const code of ["NG", "ZA", "CI", "XX", "ng", "UK", "", "NGA"]) {
      expect([code, isCountryCode(code)]).toEqual([code, ["NG", "ZA", "CI"].includes(code)])
    }
    expect(countryName("SN")).toBe("Senegal")
  })

  it("are prohibited by the compliance list, which has known ones only", () => {
    expect([...prohibitedCountries].filter(isCountryCode).length).toBe(6)
    expect(["NG", "DE"].filter((code) => prohibitedCountries.has(code))).toEqual([])
  })

  it("are supported where they have a currency, ordered by code", () => {
    expect(countries.map((one) => `${one.code} ${one.currencies.join()}`)).toEqual([
      "CI XOF",
      "GH GHS",
      "KE KES",
      "NG NGN",
      "SN XOF",
      "UG UGX",
      "US USD",
      "ZA ZAR"
    ])
    expect(countries.some((one) => one.prohibited)).toBe(false)
  })
})
