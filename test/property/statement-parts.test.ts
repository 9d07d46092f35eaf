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
  let number = 0
  for (const [n, { cuts: places, isCut }] of plan.days.entries()) {
    const inside = isCut ? places.map((place) => startOf(n) + place).filter((place) => place <= endOf(n)) : []
    const ends = [...inside.toSorted((a, b) => a - b), endOf(n)]
    if (plan.numbers === "pages") number++
    for (const [page, to] of ends.entries()) {
      const next = { series: `${++number}`, pages: `${n + 1}/${page + 1}`, constant: "1", zero: "0", none: null }
      add("mt940", next[plan.numbers], [n, n], page === 0 ? startOf(n) : ends[page - 1]!, to)
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

/** Of statements under one number and of the same days, those that begin with one balance are one: the later corrects the other. */
const hasNoCorrection = ({ cuts }: History): boolean => {
  const begun = cuts
    .filter(({ statement: { number } }) => number === "1")
    .map(({ statement: { first, last, opening } }) => `${first} ${last} ${opening}`)
  return new Set(begun).size === begun.length
}

/** Whether balances, or bookings where balances do not, tell which statements of a day share something. */
const isTold = ({ balanceAt, cuts, endOf, startOf, truth }: History): boolean =>
  days.every((_, n) => {
    const [start, end] = [startOf(n), endOf(n)]
    const own = cuts
      .filter(({ statement: { first, last } }) => first <= days[n]! && days[n]! <= last)
      .map(({ from, statement, to }) => ({ statement, from: Math.max(from, start), to: Math.min(to, end) }))
    const places = new Set(own.flatMap(({ from, to }) => [from, to]))
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

const sum = (some: ReadonlyArray<number>): number => some.reduce((total, one) => total + one, 0)

/** The lines of each day that are not withdrawn, signed, those that were booked, and what the balances leave open. */
const reconcile = ({ cuts, truth }: History, hasReferences: boolean, more: ReadonlyArray<StatedDays> = []) => {
  const statements = [...cuts.map(({ statement }) => statement), ...more]
  const relations = relateStatements(statements.toSorted((a, b) => a.arrived - b.arrived))
  const joined = days.map((day) => {
    const bookings = cuts.flatMap(({ from, statement, to }) =>
      truth.slice(from, to).flatMap((one, n): ReadonlyArray<StatementBooking> => {
        if (one.day !== day) return []
        const bank_reference = hasReferences ? `B${from + n}` : null
        return [{ statement_id: statement.id, booked: bookingOf(day, one.signed, bank_reference) }]
      })
    )
    const lines = joinLines(day, bookings, relations)
    const signedOf = ({ bookings: [{ booked }] }: (typeof lines)[number]): number =>
      booked.direction === "debit" ? -Number(booked.amount) : Number(booked.amount)
    const loose = lines
      .filter(({ isLoose }) => isLoose)
      .map((one) => ({
        day,
        signed: BigInt(signedOf(one)),
        statement_ids: one.bookings.map(({ statement_id }) => statement_id)
      }))
    const live = lines.filter(({ isWithdrawn }) => !isWithdrawn).map(signedOf)
    const due = truth.filter((one) => one.day === day).map(({ signed }) => signed)
    return { day, live: live.toSorted(), due: due.toSorted(), loose }
  })
  const loose = joined.flatMap((one) => one.loose)
  return { joined, walked: walkBalances({ date: days[0], balance: BigInt(opening) }, relations, loose) }
}

covers("INGEST-4", "INGEST-6", "INGEST-11", "CLOSE-1")
it("the lines, differences and closings of statements are those of what was booked, however it is cut", () => {
  fc.assert(
    fc.property(drawn, (plan) => {
      const history = cutOf(plan)
      const { balanceAt, endOf, truth } = history
      const isBackdated = truth.some(({ day, made }) => day !== days[made])
      fc.pre(hasNoCorrection(history) && (isBackdated ? isToldByBalances(history) : isTold(history)))
      const { joined, walked } = reconcile(history, plan.hasReferences)
      for (const { day, due, live } of joined) expect(live, day).toEqual(due)
      // Others may have numbers of their own, or be beside their day.
      const isAlone = plan.others.length === 0
      expect(walked.differences.filter(({ amount }) => isAlone || amount !== 0n)).toEqual([])
      expect([...walked.closings]).toEqual(days.map((day, n) => [day, BigInt(balanceAt(endOf(n)))]))
    }),
    { numRuns: triesOf(1_000) }
  )
})

covers("INGEST-4", "INGEST-6")
it("where neither balances nor bookings tell parts from repetitions, the next balance shows what the lines lack", () => {
  fc.assert(
    fc.property(drawn, (plan) => {
      const history = cutOf(plan)
      const { balanceAt, truth } = history
      const balance = BigInt(balanceAt(truth.length))
      const next: StatedDays = {
        ...{ id: "next", format: "mt940", number: null, first: "2026-01-08", last: "2026-01-08", made_at: null },
        ...{ opening: balance, closing: balance, arrived: 1e6, days: new Map() }
      }
      const { joined, walked } = reconcile(history, plan.hasReferences, [next])
      const lacking = sum(joined.flatMap(({ due }) => due)) - sum(joined.flatMap(({ live }) => live))
      const found = walked.differences.filter(({ amount }) => amount !== 0n)
      expect(sum(found.map(({ amount }) => Number(amount)))).toBe(lacking)
    }),
    { numRuns: triesOf(400) }
  )
})

const bookingOf = (day: string, signed: number, bank_reference: string | null): StatementBooking["booked"] => ({
  ...{ booked_on: day, value_on: null, direction: signed < 0 ? "debit" : "credit", amount: String(Math.abs(signed)) },
  ...{ currency: "EUR", bank_reference, end_to_end_id: null, uetr: null, transaction_hash: null, remittance: null },
  ...{ counterparty: { name: null, account: null }, code: null, reversal: false, place: "line 1" }
})
