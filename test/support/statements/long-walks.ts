/**
 * Counts the steps of walks over many statements, and prints them as JSON: by walk, for a number of statements and for four times as many.
 * A process of its own: V8 counts all steps of what nothing has run before.
 */
import { walkBalances } from "../../../src/machines/kernel/balances.ts"
import { joinLines, relateStatements, type StatedDays } from "../../../src/machines/kernel/bookings.ts"
import { type StatedPage, walkPages } from "../../../src/machines/kernel/pages.ts"
import type { BookedLine } from "../../../src/machines/reconciliation/statement-line.ts"
import { countSteps } from "../repository/coverage.ts"

const first = "2026-01-01"
const dayOf = (n: number): string => new Date(Date.parse(first) + n * 86_400_000).toISOString().slice(0, 10)

/** A statement that follows on the one before. */
const statement = (n: number, day: string, more: Partial<StatedDays>): StatedDays => ({
  ...{ id: `stm_${n}`, format: "mt940", number: null, first: day, last: day, made_at: null, arrived: n },
  ...{ opening: BigInt(n), closing: BigInt(n + 1), days: new Map([[day, 1n]]) },
  ...more
})

/** Pages of a chain, 24 a day. After every second one, a transfer that its block had, and one of another day, are listed late. */
const pagesOf = (count: number): ReadonlyArray<StatedPage> =>
  Array.from({ length: count }, (_, n): ReadonlyArray<StatedPage> => {
    const about = { format: "chain", number: String(100 + n) }
    const page = { ...statement(n, dayOf(Math.floor(n / 24)), about), unreached: n % 2 === 0 ? 0n : 5n }
    if (n % 2 === 0) return [page]
    const late = { ...page, number: null, opening: null, closing: null }
    const before = { last: dayOf(Math.floor(n / 48)), unreached: 3n }
    return [page, { ...late, id: `stm_${n}a`, unreached: -5n }, { ...late, id: `stm_${n}b`, ...before }]
  }).flat()

/** Statements, of which every hundredth is missing. */
const numbered = (count: number, perDay: number) =>
  Array.from({ length: count }, (_, n) =>
    statement(n, dayOf(Math.floor(n / perDay)), { number: String(1 + n + Math.floor(n / 100)) })
  )

const walkNumbered = (perDay: number) => (count: number) =>
  void walkBalances({ date: first, balance: 0n }, relateStatements(numbered(count, perDay)), [])

/** Bookings of one day and amount, which an interim report and its statement name by references of their own. */
const joinDay = (count: number): void => {
  const about = { first, last: first, days: new Map([[first, BigInt(-count)]]) }
  const all = ["camt.052", "camt.053"].map((format, n) =>
    statement(n, first, { ...about, format, opening: n === 0 ? null : 0n, closing: n === 0 ? null : BigInt(-count) })
  )
  const book = (reference: string, place: string): BookedLine => ({
    ...{
      booked_on: first,
      value_on: first,
      direction: "debit",
      amount: "1",
      currency: "EUR",
      code: null,
      reversal: false
    },
    ...{ bank_reference: reference, end_to_end_id: null, uetr: null, transaction_hash: null, remittance: null, place },
    counterparty: { name: null, account: null }
  })
  const bookings = all.flatMap(({ id }) =>
    Array.from({ length: count }, (_, n) => ({ statement_id: id, booked: book(`${id} ${n}`, `Ntry[${n}]`) }))
  )
  joinLines(first, bookings, relateStatements(all))
}

/** By what there is more of: a walk over so many statements or bookings. */
const walks = {
  "late lines": (count: number) => void walkPages({ date: first, balance: 0n }, pagesOf(count)),
  days: walkNumbered(1),
  "parts of days": walkNumbered(24),
  "bookings of a day": joinDay
}

/** By walk: the steps for few, and for four times as many. */
export type Steps = Readonly<Record<keyof typeof walks, readonly [few: number, many: number]>>

if (import.meta.main) {
  const all = Object.entries(walks)
  const runs = all.flatMap(([, walk]) => [() => walk(250), () => walk(1_000)])
  const steps = countSteps("src/machines/kernel", runs)
  console.log(JSON.stringify(Object.fromEntries(all.map(([name], n) => [name, steps.slice(2 * n, 2 * n + 2)]))))
}
