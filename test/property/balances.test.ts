/** What a walk over statements finds accounts for every balance, whatever these say (INGEST-6, CLOSE-4). */
import fc from "fast-check"
import { expect, it } from "vitest"
import { listDifferenceParts, walkBalances } from "../../src/machines/kernel/balances.ts"
import { relateStatements, type StatedDays } from "../../src/machines/kernel/bookings.ts"
import { triesOf } from "../support/properties/tries.ts"
import { covers } from "../support/repository/covers.ts"

const days = ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"] as const
const balance = fc.constantFrom(970n, 990n, 1000n, 1030n)

const drawnStatement = fc.record({
  first: fc.nat(3),
  more: fc.nat(1),
  opening: balance,
  format: fc.constantFrom("mt940", "camt.053")
})
const drawnNets = fc.tuple(...days.map(() => fc.constantFrom(0n, -30n, 20n)))

/** Each day's lines are in the first statement that speaks of it; the others do not have them. */
const statementsOf = (
  drawn: ReadonlyArray<typeof drawnStatement extends fc.Arbitrary<infer Drawn> ? Drawn : never>,
  nets: ReadonlyArray<bigint>
) => {
  const owners = days.map((_, at) => drawn.findIndex(({ first, more }) => first <= at && at <= first + more))
  const stated = drawn.map(({ first, format, more, opening }, n): StatedDays => {
    const own = days.flatMap((day, at) => (owners[at] === n ? [{ day, net: nets[at]! }] : []))
    return {
      ...{ id: `stm_${n}`, number: null, made_at: null, arrived: n, format, opening },
      ...{
        first: days[first]!,
        last: days[Math.min(3, first + more)]!,
        days: new Map(own.map(({ day, net }) => [day, net]))
      },
      closing: own.reduce((sum, { net }) => sum + net, opening as bigint)
    }
  })
  const loose = days.flatMap((day, at) =>
    stated.filter(({ first, last }) => first <= day && day <= last).length > 1
      ? [{ day, signed: nets[at]!, statement_ids: [`stm_${owners[at]}`] }]
      : []
  )
  const booked = (until: string): bigint =>
    days.reduce((sum, day, at) => (day <= until && owners[at] !== -1 ? sum + nets[at]! : sum), 0n)
  return { stated, loose, booked }
}

covers("INGEST-6", "CLOSE-4")
it("finds differences up to each day that sum to its closing balance, less the opening balance and the lines since", () => {
  fc.assert(
    fc.property(fc.array(drawnStatement, { minLength: 1, maxLength: 5 }), drawnNets, (drawn, nets) => {
      const { booked, loose, stated } = statementsOf(drawn, nets)
      const opening = { date: days[0], balance: 1000n }
      const { closings, differences, moved } = walkBalances(opening, relateStatements(stated), loose)
      const movedUntil = (day: string): bigint =>
        [...moved!].reduce((sum, [on, amount]) => (on <= day ? sum + amount : sum), 0n)
      expect(movedUntil("9999")).toBe(0n)
      const parts = differences.flatMap(listDifferenceParts)
      for (const [day, closing] of closings)
        expect(parts.reduce((sum, one) => (one.since <= day ? sum + one.amount : sum), 0n)).toBe(
          closing - 1000n - booked(day) - movedUntil(day)
        )
      for (const one of differences)
        expect(listDifferenceParts(one).reduce((sum, { amount }) => sum + amount, 0n)).toBe(one.amount)
    }),
    { numRuns: 2_000 }
  )
})

covers("INGEST-4", "CLOSE-4")
it("finds the same of a whole day and its two parts, in whatever order they came, where both end with one balance", () => {
  const [day] = days
  const numbers = fc.constantFrom([null, null, null], ["7", "8", "9"], [null, "1", "2"])
  const net = fc.constantFrom(-30n, 20n, 50n)
  fc.assert(
    fc.property(net, net, numbers, balance, fc.constantFrom(0n, 7n), (first, second, named, opening, more) => {
      const closing = opening + first + second + more
      const drawn = [
        { id: "whole", opening, closing, moved: first + second },
        { id: "first", opening, closing: opening + first, moved: first },
        { id: "second", opening: opening + first, closing, moved: second }
      ]
      const foundBy = (order: ReadonlyArray<number>): string => {
        const stated = order.map((n, arrived): StatedDays => {
          const { moved, ...one } = drawn[n]!
          const about = { number: named[n]!, made_at: null, arrived, format: "mt940", first: day, last: day }
          return { ...one, ...about, days: new Map([[day, moved]]) }
        })
        const { closings, differences } = walkBalances({ date: day, balance: 1000n }, relateStatements(stated), [])
        return JSON.stringify([differences, [...closings]], (_, value) =>
          typeof value === "bigint" ? `${value}` : value
        )
      }
      for (const order of [
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0]
      ])
        expect(foundBy(order), order.join()).toBe(foundBy([0, 1, 2]))
    }),
    { numRuns: triesOf(200) }
  )
})
