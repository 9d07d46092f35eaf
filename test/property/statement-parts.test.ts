/**
 * How statements of an account stand to each other (INGEST-4, INGEST-6, CLOSE-1), against what the bank booked: a history is cut into
 * statements in every way that banks do, and their lines, differences and closings are what was booked.
 */
import fc from "fast-check"
import { expect, it } from "vitest"
import { walkBalances } from "../../src/machines/kernel/balances.ts"
import {
  joinLines,
  relateStatements,
  type StatedDays,
  type StatementBooking
} from "../../src/machines/kernel/bookings.ts"
import { covers } from "../support/repository/covers.ts"
import { triesOf } from "../support/properties/tries.ts"

const days = ["2026-01-05", "2026-01-06", "2026-01-07"] as const
const opening = 100

/** Bookings of a day that come to nothing, in whole or in part, more often than not. */
const drawnDay = fc.record({
  booked: fc.array(fc.constantFrom([20, -20], [50, -50], [20], [-20], [50], [7], [30, -30, 30]), { maxLength: 3 }),
  /** After how many bookings the bank makes the next part. */
  cuts: fc.uniqueArray(fc.nat(6), { maxLength: 3 }),
  isCut: fc.boolean(),
  /** How many days back the bank dates its bookings. */
  back: fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 9, maxLength: 9 })
})

const drawn = fc.record({
  days: fc.tuple(drawnDay, drawnDay, drawnDay),
  isBackdated: fc.boolean(),
  numbers: fc.constantFrom("series", "pages", "constant", "zero", "none"),
  hasReferences: fc.boolean(),
  others: fc.array(
    fc.record({
      kind: fc.constantFrom("period", "period", "noon", "empty"),
      first: fc.nat(2),
      length: fc.nat(2),
      upTo: fc.nat(6),
      format: fc.constantFrom("mt940", "camt.053"),
      isNumbered: fc.boolean()
    }),
    { maxLength: 3 }
  ),
  ranks: fc.array(fc.nat(100), { minLength: 20, maxLength: 20 })
})

interface Cut {
  readonly statement: StatedDays
  /** The first booking that it has, and the one after its last. */
  readonly from: number
  readonly to: number
}

type Drawn = typeof drawn extends fc.Arbitrary<infer A> ? A : never

const cutOf = (plan: Drawn) => {
  // In the order in which the bank books: `made` is when, `day` what it says.
  const truth = plan.days.flatMap(({ back, booked }, n) =>
    booked
      .flat()
      .map((signed, at) => ({ made: n, day: days[plan.isBackdated ? Math.max(0, n - back[at]!) : n]!, signed }))
  )
  const startOf = (n: number) => truth.filter(({ made }) => made < n).length
  const endOf = (n: number) => truth.filter(({ made }) => made <= n).length
  const balanceAt = (place: number) => truth.slice(0, place).reduce((sum, { signed }) => sum + signed, opening)
  const cuts: Array<Cut> = []
  const add = (
    format: string,
    number: string | null,
    [first, last]: readonly [number, number],
    from: number,
    to: number
  ) => {
    const own = truth.slice(from, to)
    const nets = Map.groupBy(own, ({ day }) => day)
    const statement: StatedDays = {
      ...{ id: `stm_${cuts.length}`, format, number, last: days[last]!, made_at: null },
      first: [days[first]!, ...nets.keys()].toSorted()[0]!,
      opening: BigInt(balanceAt(from)),
      closing: BigInt(balanceAt(to)),
      arrived: plan.ranks[cuts.length % 20]! * 100 + cuts.length,
      days: new Map([...nets].map(([day, some]) => [day, BigInt(some.reduce((sum, { signed }) => sum + signed, 0))]))
    }
    cuts.push({ statement, from, to })
  }
  // One number under all parts tells them from corrections by their days, which bookings of earlier days change.
  const numbers = plan.isBackdated && ["constant", "zero"].includes(plan.numbers) ? "none" : plan.numbers
  let number = 0
  for (const [n, { cuts: places, isCut }] of plan.days.entries()) {
    const inside = isCut ? places.map((place) => startOf(n) + place).filter((place) => place <= endOf(n)) : []
    const ends = [...inside.toSorted((a, b) => a - b), endOf(n)]
    if (plan.numbers === "pages") number++
    for (const [page, to] of ends.entries()) {
      const next = { series: `${++number}`, pages: `${n + 1}/${page + 1}`, constant: "1", zero: "0", none: null }
      add("mt940", next[numbers], [n, n], page === 0 ? startOf(n) : ends[page - 1]!, to)
    }
  }
  for (const [n, one] of plan.others.entries()) {
    const last = Math.min(2, one.first + one.length)
    const name = one.isNumbered ? `${900 + 10 * n}` : null
    if (one.kind === "period") add(one.format, name, [one.first, last], startOf(one.first), endOf(last))
    else if (one.kind === "empty") add(one.format, null, [one.first, one.first], endOf(one.first), endOf(one.first))
    else {
      const to = Math.min(endOf(one.first), startOf(one.first) + one.upTo)
      add(one.format, null, [one.first, one.first], startOf(one.first), to)
    }
  }
  return { truth, cuts, balanceAt, endOf, startOf }
}

type History = ReturnType<typeof cutOf>

/**
 * Whether balances alone tell how statements with bookings of earlier days follow on one another: none is there at two places, nor does a
 * statement come to one of another by what it has of earlier days.
 */
const isToldByBalances = ({ balanceAt, cuts, truth }: History): boolean => {
  const places = [...new Set(cuts.flatMap(({ from, to }) => [from, to]))]
  if (new Set(places.map(balanceAt)).size < places.length) return false
  return cuts.every(({ from, to }) =>
    days.every((until) => {
      const own = truth.slice(from, to).filter(({ day }) => day <= until)
      const sum = own.reduce((total, { signed }) => total + signed, 0)
      return (
        own.length === 0 ||
        own.length === to - from ||
        (sum !== 0 && !places.map(balanceAt).includes(balanceAt(from) + sum))
      )
    })
  )
}

/** Whether balances, or bookings where balances do not, tell which statements of a day share something. */
const isTold = ({ balanceAt, cuts, endOf, startOf, truth }: History): boolean =>
  days.every((_, n) => {
    const [start, end] = [startOf(n), endOf(n)]
    const own = cuts
      .filter(({ statement: { first, last } }) => first <= days[n]! && days[n]! <= last)
      .map(({ from, statement, to }) => ({ statement, from: Math.max(from, start), to: Math.min(to, end) }))
    const places = new Set(own.flatMap(({ from, to }) => [from, to]))
    // Of statements under one number, those that begin with one balance are one.
    const openings = own.filter(({ statement }) => statement.number === "1").map(({ from }) => balanceAt(from))
    if (new Set(openings).size < openings.length) return false
    if (new Set([...places].map(balanceAt)).size === places.size) return true
    const isIn = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
      a.every((one) => a.filter((other) => other === one).length <= b.filter((other) => other === one).length)
    const signedIn = ({ from, to }: { readonly from: number; readonly to: number }) =>
      truth.slice(from, to).map(({ signed }) => signed)
    return own.every((a, at) =>
      own.slice(at + 1).every((b) => {
        const [one, other] = [signedIn(a), signedIn(b)]
        if (one.length === 0 || other.length === 0) return true
        const isNested = isIn(one, other) || isIn(other, one)
        const isWithin = (a.from <= b.from && b.to <= a.to) || (b.from <= a.from && a.to <= b.to)
        return a.from < b.to && b.from < a.to ? isWithin : !isNested
      })
    )
  })

covers("INGEST-4", "INGEST-6", "INGEST-11", "CLOSE-1")
it("the lines, differences and closings of statements are those of what was booked, however it is cut", () => {
  fc.assert(
    fc.property(drawn, (plan) => {
      // Known and open: bookings dated back where parts of a day have no numbers, or one without stands beside them.
      const isPlain = plan.others.length === 0 && plan.days.every(({ isCut }) => !isCut)
      fc.pre(
        !plan.isBackdated ||
          isPlain ||
          (["series", "pages"].includes(plan.numbers) && plan.others.every(({ kind }) => kind !== "noon"))
      )
      const history = cutOf(plan)
      const { balanceAt, cuts, endOf, truth } = history
      const isBackdated = truth.some(({ day, made }) => day !== days[made])
      fc.pre(isBackdated ? isToldByBalances(history) : isTold(history))
      const statements = cuts.map(({ statement }) => statement).toSorted((a, b) => a.arrived - b.arrived)
      const relations = relateStatements(statements)
      const loose = days.flatMap((day) => {
        const bookings = cuts.flatMap(({ from, statement, to }) =>
          truth.slice(from, to).flatMap((one, n): ReadonlyArray<StatementBooking> => {
            if (one.day !== day) return []
            const bank_reference = plan.hasReferences ? `B${from + n}` : null
            return [{ statement_id: statement.id, booked: bookingOf(day, one.signed, bank_reference) }]
          })
        )
        const lines = joinLines(day, bookings, relations)
        const signedOf = ({ bookings: [{ booked }] }: (typeof lines)[number]): number =>
          booked.direction === "debit" ? -Number(booked.amount) : Number(booked.amount)
        const live = lines.filter(({ isWithdrawn }) => !isWithdrawn).map(signedOf)
        const due = truth.filter((one) => one.day === day).map(({ signed }) => signed)
        expect(live.toSorted(), day).toEqual(due.toSorted())
        return lines
          .filter(({ isLoose }) => isLoose)
          .map((one) => ({
            day,
            signed: BigInt(signedOf(one)),
            statement_ids: one.bookings.map(({ statement_id }) => statement_id)
          }))
      })
      const walked = walkBalances({ date: days[0], balance: BigInt(opening) }, relations, loose)
      // Others may have numbers of their own, or be beside their day.
      const isAlone = plan.others.length === 0
      expect(walked.differences.filter(({ amount }) => isAlone || amount !== 0n)).toEqual([])
      expect([...walked.closings]).toEqual(days.map((day, n) => [day, BigInt(balanceAt(endOf(n)))]))
    }),
    { numRuns: triesOf(1_000) }
  )
})

const bookingOf = (day: string, signed: number, bank_reference: string | null): StatementBooking["booked"] => ({
  ...{ booked_on: day, value_on: null, direction: signed < 0 ? "debit" : "credit", amount: String(Math.abs(signed)) },
  ...{ currency: "EUR", bank_reference, end_to_end_id: null, uetr: null, transaction_hash: null, remittance: null },
  ...{ counterparty: { name: null, account: null }, code: null, reversal: false, place: "line 1" }
})
