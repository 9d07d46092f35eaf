import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  accountNumberFault,
  ibanFault,
  needsBank,
  proxyFault,
  toShownAccountNumber,
  toStoredAccountNumber
} from "../../../src/engine/input/bank-accounts.ts"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { covers } from "../../support/repository/covers.ts"

const bankNamed = (name: string) => listBanks("ZA").find((bank) => bank.name === name)!
const digits = (count: number): string => "12345678901234567890123".slice(0, count)

const southAfrican: ReadonlyArray<readonly [bank: string, takes: ReadonlyArray<number>, message: string]> = [
  ["FNB", [11], "11"],
  ["Capitec", [10], "10"],
  ["Nedbank", [10], "10"],
  ["Standard Bank", [9, 11], "9 or 11"],
  ["Absa", [8, 9, 10, 11], "8 to 11"],
  ["Discovery Bank", [8, 9, 10, 11], "8 to 11"]
]

covers("ZAR-1", "ZAR-2")
describe("a South African account number", () => {
  for (const [name, takes, message] of southAfrican)
    for (let count = 0; count <= 13; count++)
      it(`of ${count} digits is ${takes.includes(count) ? "taken" : "refused"} at ${name}`, () => {
        const fault = accountNumberFault("ZAR", "ZA", bankNamed(name), digits(count))
        const found = `${count} digit${count === 1 ? "" : "s"}`
        assert.strictEqual(
          fault,
          takes.includes(count)
            ? null
            : `${name} account numbers have ${message} digits and nothing else; this one has ${found}`
        )
      })

  it("keeps its separators, and is refused for them", () => {
    assert.strictEqual(
      accountNumberFault("ZAR", "ZA", bankNamed("Capitec"), "12345-67890"),
      "Capitec account numbers have 10 digits and nothing else; this one has 10 digits and 1 other character"
    )
    assert.strictEqual(
      accountNumberFault("ZAR", "ZA", bankNamed("FNB"), "123 456 789"),
      "FNB account numbers have 11 digits and nothing else; this one has 9 digits and 2 other characters"
    )
  })

  it("has ASCII digits", () => assert.isString(accountNumberFault("ZAR", "ZA", bankNamed("Capitec"), "١٢٣٤٥٦٧٨٩٠")))

  it("has 8 to 11 digits at a bank not named in the rule", () => {
    assert.isNull(accountNumberFault("ZAR", "ZA", { name: "TymeBank", code: "678910" }, digits(11)))
    assert.isString(accountNumberFault("ZAR", "ZA", { name: "TymeBank", code: "678910" }, digits(12)))
    assert.isNull(accountNumberFault("ZAR", "ZA", null, digits(8)))
  })
})

covers("BENEFICIARY-5")
describe("an account number elsewhere", () => {
  const zenith = listBanks("NG").find((bank) => bank.name === "Zenith Bank")!
  for (const [count, taken] of [
    [5, false],
    [6, true],
    [10, true],
    [20, true],
    [21, false]
  ] as const)
    it(`of ${count} digits is ${taken ? "taken" : "refused"}`, () =>
      assert.strictEqual(accountNumberFault("NGN", "NG", zenith, digits(count)) === null, taken))

  it("is digits only", () =>
    assert.match(accountNumberFault("NGN", "NG", zenith, "DE12345678") ?? "", /8 digits and 2 other/))

  it("is not judged by a South African rule where its bank shares a code", () =>
    assert.isNull(accountNumberFault("KES", "KE", { name: "A bank", code: "470010" }, digits(12))))
})

/** The examples of the registry of ISO 13616. */
const ibans = [
  "AT611904300234573201",
  "BE68539007547034",
  "DE89370400440532013000",
  "ES9121000418450200051332",
  "FI2112345600000785",
  "FR1420041010050500013M02606",
  "GB29NWBK60161331926819",
  "IE29AIBK93115212345678",
  "IT60X0542811101000000123456",
  "MT84MALT011000012345MTLCAST001S",
  "NL91ABNA0417164300",
  "NO9386011117947",
  "PT50000201231234567890154"
] as const
const iban = fc.constantFrom(...ibans)
/** A text with spaces in it, of any sort, and in any case. */
const written = (text: string, gaps: ReadonlyArray<string>, isLower: boolean): string => {
  const spaced = [...text].map((one, at) => `${one}${gaps[at % gaps.length]}`).join("")
  return isLower ? spaced.toLowerCase() : spaced
}
const gaps = fc.array(fc.constantFrom("", "", " ", "\u00a0", "\u202f", "\t"), { minLength: 1, maxLength: 7 })

covers("BENEFICIARY-10")
describe("an IBAN", () => {
  it.each(ibans)("%s is one of an account in its country, with a bank beside it or without", (one) => {
    const bank = { name: "A bank", code: "1" }
    for (const named of [bank, null]) {
      assert.isNull(accountNumberFault("EUR", one.slice(0, 2), named, one))
      assert.match(
        accountNumberFault("EUR", one.startsWith("DE") ? "FR" : "DE", named, one) ?? "",
        new RegExp(`IBAN of [A-Z].*\\(${one.slice(0, 2)}\\), but details.country_code is (DE|FR)`)
      )
    }
    assert.isFalse(needsBank("EUR", one.slice(0, 2), one))
  })

  it("is stored in one form, however it is spaced, and shown in blocks of four, which is the same one sent back", () => {
    fc.assert(
      fc.property(iban, gaps, fc.boolean(), (one, spaces, isLower) => {
        assert.strictEqual(toStoredAccountNumber("EUR", written(one, spaces, isLower)), one)
        const shown = toShownAccountNumber(one)
        assert.match(shown, /^(?:\S{4} )+\S{1,4}$/)
        assert.strictEqual(toStoredAccountNumber("EUR", shown), one)
        assert.strictEqual(toShownAccountNumber(shown), shown)
      })
    )
    assert.strictEqual(toShownAccountNumber("DE89370400440532013000"), "DE89 3704 0044 0532 0130 00")
  })

  it("is refused with one digit changed, two turned round, one missing or one too many", () => {
    fc.assert(
      fc.property(iban, fc.nat(), fc.nat(9), (one, n, other) => {
        const places = [...one].flatMap((digit, at) => (/\d/.test(digit) ? [at] : []))
        const at = places[n % places.length]!
        const [digit, next = ""] = one.slice(at, at + 2)
        const [before, after] = [one.slice(0, at), one.slice(at + 1)]
        if (digit !== String(other)) assert.isString(ibanFault(before + other + after))
        if (/\d/.test(next) && digit !== next) assert.isString(ibanFault(before + next + digit + after.slice(1)))
        assert.isString(ibanFault(before + after))
        assert.isString(ibanFault(before + other + digit + after))
      }),
      { numRuns: 1000 }
    )
    assert.strictEqual(ibanFault("DE8937040044053201300"), "an IBAN of DE has 22 characters; this one has 21")
  })

  it("of the mainland is that of an account in its territories", () => {
    assert.isNull(accountNumberFault("EUR", "RE", null, "FR1420041010050500013M02606"))
    assert.isNull(accountNumberFault("EUR", "AX", null, "FI2112345600000785"))
    assert.isNull(accountNumberFault("EUR", "JE", null, "GB29NWBK60161331926819"))
  })

  it("is what an account in euro needs where no bank is named, in countries that have them", () => {
    const bank = { name: "N26", code: "NTSBDEB1" }
    assert.strictEqual(
      accountNumberFault("EUR", "DE", null, "0123456789"),
      "without provider_id it takes the IBAN of an account in Germany (DE), or a bank beside an account number"
    )
    assert.isNull(accountNumberFault("EUR", "DE", bank, "0123456789"))
    assert.isFalse(needsBank("EUR", "DE", "0123456789"))
    assert.isTrue(needsBank("EUR", "US", "0123456789"))
    assert.isFalse(needsBank("EUR", "US", "DE89370400440532013000"))
    assert.isTrue(needsBank("USD", "DE", "DE89370400440532013000"))
  })

  it("is one of euro only: elsewhere the text stays as it is, and is refused", () => {
    const text = "de89 3704 0044 0532 0130 00"
    assert.strictEqual(toStoredAccountNumber("USD", text), text)
    assert.isString(accountNumberFault("USD", "DE", { name: "A bank", code: "1" }, "DE89370400440532013000"))
    assert.strictEqual(toStoredAccountNumber("EUR", "0123 456"), "0123 456")
    for (const other of ["0123456789", "+27821234567", "shop@capitec"])
      assert.strictEqual(toShownAccountNumber(other), other)
  })
})

covers("PAYSHAP-3", "PAYSHAP-5")
describe("a payshap proxy", () => {
  for (const proxy of ["+27821234567", "+27000000000", "+27000000001", "shop@capitec", "unknown@bank", "a.b-c+d@x"])
    it(`may be ${proxy}`, () => assert.isNull(proxyFault(proxy)))

  for (const proxy of [
    "0821234567",
    "27821234567",
    "+2782123456",
    "+278212345678",
    "+27 82 123 4567",
    "+44821234567",
    " +27821234567",
    "+27821234567\n",
    "",
    "shop",
    "@bank",
    "shop@",
    "@",
    "a@b@c",
    "a@@b",
    "my shop@bank",
    "shop@bank ",
    "shop@ba\tnk"
  ])
    it(`may not be ${JSON.stringify(proxy)}`, () => assert.isString(proxyFault(proxy)))
})
