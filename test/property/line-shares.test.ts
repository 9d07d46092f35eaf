/** What lines have of the movements that a person matches them with (LINE-1). */
import fc from "fast-check"
import { expect, it } from "vitest"
import { readShares, shareSigned } from "../../src/engine/resources/reconciliation/line-shares.ts"
import { covers } from "../support/repository/covers.ts"

const amounts = fc.array(
  fc.bigInt({ min: -50n, max: 50n }).filter((one) => one !== 0n),
  { minLength: 1, maxLength: 5 }
)
const sum = (some: ReadonlyArray<bigint>): bigint => some.reduce((total, one) => total + one, 0n)
const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

covers("LINE-1")
it("sum to each line and to each movement, and are read again in the direction that they have", () => {
  fc.assert(
    fc.property(amounts, amounts, (lines, some) => {
      const left = sum(lines) - sum(some)
      const parts = left === 0n ? some : [...some, left]
      const shares = shareSigned(lines, parts)
      for (const [n, line] of lines.entries()) expect(sum(shares[n]!)).toBe(line)
      for (const [n, part] of parts.entries()) expect(sum(shares.map((own) => own[n]!))).toBe(part)
      for (const [n, line] of lines.entries()) {
        const matches = shares[n]!.flatMap((share, part) =>
          share === 0n ? [] : [{ resource_id: `${part}`, amount: abs(share).toString(), rule: "person" }]
        )
        const read = readShares({ amount: abs(line).toString(), matches })
        const signed = parts.map((part, n) => {
          const amount = read.shares.find(({ resource_id }) => resource_id === `${n}`)?.amount ?? 0n
          return (read.isOwn ? line : part) < 0n ? -amount : amount
        })
        expect(signed).toEqual(shares[n])
      }
    })
  )
})

covers("LINE-1")
it("of one movement are all of the line, also where an earlier release said what both have in common", () => {
  const match = { resource_id: "adj_1", amount: "20", rule: "person" }
  expect(readShares({ amount: "30", matches: [match] })).toEqual({ isOwn: true, shares: [{ ...match, amount: 30n }] })
})
