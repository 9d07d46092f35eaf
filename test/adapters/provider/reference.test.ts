import { assert, describe, it } from "@effect/vitest"
import { base58 } from "@scure/base"
import * as fc from "fast-check"
import { addressFault } from "../../../src/engine/input/addresses.ts"
import { accountNumberFault } from "../../../src/engine/input/bank-accounts.ts"
import type { BankDetails, IssueCommand } from "../../../src/engine/ports/Provider.ts"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { makeIssuedEvent, deriveTransactionHash } from "../../../src/adapters/provider/simulated/hashing.ts"
import { isCleared, resolveAccount, resolveProxy } from "../../../src/adapters/provider/simulated/resolution.ts"
import { covers } from "../../support/repository/covers.ts"

covers("CURRENCY-10")
describe("the list of banks", () => {
  it("has the banks of each country", () => {
    const names = listBanks("ZA").map(({ name }) => name)
    for (const name of ["FNB", "Capitec", "Nedbank", "Standard Bank", "Absa", "Discovery Bank"])
      assert.include(names, name)
    for (const country of ["NG", "GH", "KE", "UG", "SN", "CI"]) assert.isAtLeast(listBanks(country).length, 3, country)
  })

  it("gives each bank a stable id", () =>
    assert.strictEqual(listBanks("ZA").find(({ name }) => name === "FNB")?.id, "prov_0000000000wrhykx4szsh277e3"))

  it("has unique ids of the usual form", () => {
    const ids = listBanks(null).map(({ id }) => id)
    for (const id of ids) assert.match(id, /^prov_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("is ordered by code", () => {
    for (const country of ["ZA", "KE", null]) {
      const codes = listBanks(country).map(({ code }) => code)
      assert.deepStrictEqual(codes, codes.toSorted())
    }
  })

  it("is empty for a country without one", () => assert.deepStrictEqual(listBanks("AQ"), []))
})

const holder = (account_number: string, account_name: string | null, name?: string) =>
  resolveAccount({
    country_code: "NG",
    bank: { id: "prov_1", code: "058", name: "GTB", country_code: "NG" },
    account_number,
    account_name,
    ...(name === undefined ? {} : { name })
  })

describe("resolution", () => {
  covers("BENEFICIARY-5")
  it("does not resolve an account number of zeros", () => {
    assert.deepStrictEqual(holder("0000000000", "A Name"), { _tag: "unresolved" })
    assert.deepStrictEqual(holder("0000000001", "A Name"), { _tag: "resolved", account_name: "A Name" })
  })

  covers("SANDBOX-23")
  it("gives the account the name that was sent, or that of the beneficiary, or a stable one of somebody", () => {
    assert.deepStrictEqual(holder("1234567890", "A Name", "Another"), { _tag: "resolved", account_name: "A Name" })
    assert.deepStrictEqual(holder("1234567890", null, "Another"), { _tag: "resolved", account_name: "Another" })
    const first = holder("1234567890", null)
    assert.strictEqual(first._tag, "resolved")
    assert.deepStrictEqual(holder("1234567890", null), first)
  })

  covers("SANDBOX-23")
  it("gives an account that ends in 0009 to somebody else, whatever name is sent", () => {
    const somebody = holder("1234560009", null)
    assert.deepStrictEqual(holder("1234560009", "A Name", "A Name"), somebody)
    assert.notDeepEqual(somebody, { _tag: "resolved", account_name: "A Name" })
  })

  covers("PAYSHAP-8")
  for (const [proxy, tag] of [
    ["+27000000000", "unregistered"],
    ["unknown@bank", "unregistered"],
    ["+27000000001", "no_answer"],
    ["+27000000002", "unavailable"],
    ["+27821234567", "resolved"],
    ["shop@capitec", "resolved"]
  ] as const)
    it(`returns ${tag} for ${proxy}`, () => assert.strictEqual(resolveProxy(proxy)._tag, tag))

  it("defers EVM addresses that end in dead, in any case, and nothing else", () => {
    const evm = (address: string) => isCleared({ type: "crypto", network: "base", address, memo: null })
    assert.isFalse(evm(`0x${"0".repeat(36)}dead`))
    assert.isFalse(evm("0x000000000000000000000000000000000000dEaD"))
    assert.isTrue(evm(`0x${"0".repeat(36)}beef`))
    assert.isTrue(isCleared({ type: "crypto", network: "solana", address: `${"1".repeat(28)}dead`, memo: null }))
    assert.isTrue(
      isCleared({
        type: "fiat",
        country_code: "ZA",
        network: "bank",
        account_number: "dead",
        account_name: null,
        provider_id: null,
        rail: null
      })
    )
  })
})

const command = (resource_id: string, over: Partial<IssueCommand>): IssueCommand => ({
  id: `${resource_id}.issue`,
  merchant_id: "mer_1",
  kind: "wallet_credential",
  resource_id,
  type: "crypto",
  currency: "USDC",
  country_code: null,
  network: "base",
  holder: "Amara Okafor",
  ...over
})

covers("ADDRESS-1")
describe("what it issues", () => {
  it("is an address of its network, whatever the resource", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("base", "ethereum", "solana"), (id, network) => {
        const { details, target } = makeIssuedEvent(command(id, { network }))
        assert.deepStrictEqual(details, { network, address: target })
        assert.isNull(addressFault(network, target))
      })
    )
  })

  it("is the same for one resource, and differs between resources", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.constantFrom("base", "solana", "bank"), (a, b, network) => {
        const type = network === "bank" ? "fiat" : "crypto"
        const [one, again, other] = [a, a, b].map((id) => makeIssuedEvent(command(id, { network, type })))
        assert.deepStrictEqual(one, again)
        assert.strictEqual(one!.target === other!.target, a === b)
      })
    )
  })

  it("is a bank account in the holder's name, with what a payer needs", () => {
    const { details, target, provider_resource_id } = makeIssuedEvent(
      command("wcr_1", { type: "fiat", network: "bank", currency: "ZAR", country_code: "ZA" })
    )
    assert.hasAllKeys(details, ["accountName", "accountNumber", "bankName", "bankCode", "reference"])
    const { accountName, accountNumber, reference } = details as BankDetails
    assert.strictEqual(accountName, "Amara Okafor")
    assert.isNull(accountNumberFault("ZAR", "ZA", null, accountNumber))
    assert.strictEqual(target, `${accountNumber}/${reference}`)
    assert.match(provider_resource_id, /^cdw_[0-9a-hjkmnp-tv-z]{26}$/)
  })
})

it("makes transaction hashes in the form of their network", () => {
  assert.strictEqual(base58.decode(deriveTransactionHash("solana", "tfr_1.payout")).length, 64)
  assert.match(deriveTransactionHash("base", "tfr_1.payout"), /^0x[0-9a-f]{64}$/)
})
