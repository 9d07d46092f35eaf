import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type AccountId,
  available,
  sumChanges,
  classOf,
  clearing,
  credentialBalance,
  held,
  isGuarded,
  ownerOf,
  type Posting,
  makePosting,
  reserved,
  reversePostings
} from "../../src/machines/kernel/ledger.ts"

const accounts: ReadonlyArray<AccountId> = [
  available("wal_1"),
  available("wal_2"),
  reserved("wal_1"),
  held("wal_1"),
  credentialBalance("wcr_1"),
  clearing("simulated"),
  "world",
  "fx",
  "fees",
  "rounding",
  "suspense"
]

const postings: fc.Arbitrary<ReadonlyArray<Posting>> = fc
  .array(
    fc.record({
      debit: fc.constantFrom(...accounts),
      credit: fc.constantFrom(...accounts),
      amount: fc.bigInt({ min: 0n, max: 10n ** 37n }),
      currency: fc.constantFrom("USDC", "NGN", "UGX")
    }),
    { maxLength: 20 }
  )
  .map((all) => all.flatMap((one) => makePosting(one.debit, one.credit, one.amount, one.currency)))

const inCurrency = (sums: ReadonlyMap<string, bigint>, currency: string): bigint =>
  [...sums].reduce((total, [key, sum]) => (key.endsWith(`/${currency}`) ? total + sum : total), 0n)

describe("a set of postings", () => {
  it("adds nothing to the world in any currency", () => {
    fc.assert(
      fc.property(postings, (all) => {
        const sums = sumChanges(all)
        for (const currency of ["USDC", "NGN", "UGX"]) expect(inCurrency(sums, currency)).toBe(0n)
      })
    )
  })

  it("is undone by its reverse, and a reverse by another", () => {
    fc.assert(
      fc.property(postings, (all) => {
        expect([...sumChanges([...all, ...reversePostings(all)]).values()].every((sum) => sum === 0n)).toBe(true)
        expect(reversePostings(reversePostings(all))).toEqual(all)
      })
    )
  })

  it("sums the same in any order", () => {
    fc.assert(
      fc.property(postings, (all) => {
        expect(Object.fromEntries(sumChanges(all.toReversed()))).toEqual(Object.fromEntries(sumChanges(all)))
      })
    )
  })

  it("takes from the debit and gives to the credit", () => {
    expect([...sumChanges(makePosting(available("wal_1"), reserved("wal_1"), 5n, "USDC"))]).toEqual([
      ["available:wal_1/USDC", -5n],
      ["reserved:wal_1/USDC", 5n]
    ])
  })
})

describe("a posting", () => {
  it("of nothing is none at all", () => {
    expect(makePosting("fx", "fees", 0n, "NGN")).toEqual([])
    expect(makePosting("fx", "fees", "0", "NGN")).toEqual([])
  })

  it("of less than nothing, or of what is no integer, is a defect", () => {
    expect(() => makePosting("fx", "fees", -1n, "NGN")).toThrow("a posting must not be negative: -1 NGN")
    for (const amount of ["", "1.5", "1e3"])
      expect(() => makePosting("fx", "fees", amount, "NGN")).toThrow("minor units")
  })
})

describe("an account", () => {
  it("is guarded by its class: customers' money has a floor, the platform's has none", () => {
    expect(accounts.map((account) => [classOf(account), isGuarded(account)])).toEqual([
      ["available", true],
      ["available", true],
      ["reserved", true],
      ["held", true],
      ["credential", true],
      ["clearing", false],
      ["world", false],
      ["fx", false],
      ["fees", false],
      ["rounding", false],
      ["suspense", false]
    ])
  })

  it("keeps its class whatever its owner is called", () => {
    expect(classOf("clearing:a:b")).toBe("clearing")
    expect(["available:wal_1", "clearing:a:b", "fees"].map(ownerOf)).toEqual(["wal_1", "a:b", ""])
    expect(isGuarded("availables:wal_1")).toBe(false)
  })
})
