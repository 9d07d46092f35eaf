import { assert, describe, it } from "@effect/vitest"
import { accountNumberFault, proxyFault } from "../../../src/engine/input/bank-accounts.ts"
import { banksOf } from "../../../src/adapters/provider/simulated/banks.ts"
import { covers } from "../../support/repository/covers.ts"

const bankNamed = (name: string) => banksOf("ZA").find((bank) => bank.name === name)!
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
        const fault = accountNumberFault("ZAR", bankNamed(name), digits(count))
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
      accountNumberFault("ZAR", bankNamed("Capitec"), "12345-67890"),
      "Capitec account numbers have 10 digits and nothing else; this one has 10 digits and 1 other character"
    )
    assert.strictEqual(
      accountNumberFault("ZAR", bankNamed("FNB"), "123 456 789"),
      "FNB account numbers have 11 digits and nothing else; this one has 9 digits and 2 other characters"
    )
  })

  it("has ASCII digits", () => assert.isString(accountNumberFault("ZAR", bankNamed("Capitec"), "١٢٣٤٥٦٧٨٩٠")))

  it("has 8 to 11 digits at a bank not named in the rule", () => {
    assert.isNull(accountNumberFault("ZAR", { name: "TymeBank", code: "678910" }, digits(11)))
    assert.isString(accountNumberFault("ZAR", { name: "TymeBank", code: "678910" }, digits(12)))
    assert.isNull(accountNumberFault("ZAR", null, digits(8)))
  })
})

covers("BENEFICIARY-5")
describe("an account number elsewhere", () => {
  const zenith = banksOf("NG").find((bank) => bank.name === "Zenith Bank")!
  for (const [count, taken] of [
    [5, false],
    [6, true],
    [10, true],
    [20, true],
    [21, false]
  ] as const)
    it(`of ${count} digits is ${taken ? "taken" : "refused"}`, () =>
      assert.strictEqual(accountNumberFault("NGN", zenith, digits(count)) === null, taken))

  it("is digits only", () =>
    assert.match(accountNumberFault("NGN", zenith, "DE12345678") ?? "", /8 digits and 2 other/))

  it("is not judged by a South African rule where its bank shares a code", () =>
    assert.isNull(accountNumberFault("KES", { name: "A bank", code: "470010" }, digits(12))))
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
