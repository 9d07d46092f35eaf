/** What statements say of a day is kept, whatever becomes of its lines (INGEST-4). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Row } from "../../src/engine/ports/Storage.ts"
import { listBookings, planDay, fillMembers } from "../../src/engine/resources/reconciliation/line-plan.ts"
import { relateStatements, type StatedDays, type StatementBooking } from "../../src/machines/kernel/bookings.ts"
import {
  type BookedLine,
  type StatementLineData,
  StatementLineLifecycle
} from "../../src/machines/reconciliation/statement-line.ts"
import { covers } from "../support/repository/covers.ts"
import { triesOf } from "../support/properties/tries.ts"

type Line = Row<StatementLineData>

const day = "2026-01-05"

const drawnLine = fc.record({
  amount: fc.constantFrom("1", "2", "3"),
  bank_reference: fc.constantFrom(null, "a", "b"),
  remittance: fc.constantFrom(null, "x", "y"),
  /** Of a batch of 3. */
  isPart: fc.boolean()
})

const drawnStatement = fc.record({
  format: fc.constantFrom("mt940", "camt.052", "csv"),
  number: fc.constantFrom(null, "7"),
  lines: fc.array(drawnLine, { maxLength: 4 }),
  before: fc.constantFrom("nothing", "seal", "match")
})

type DrawnLine = typeof drawnLine extends fc.Arbitrary<infer Drawn> ? Drawn : never
type DrawnStatement = typeof drawnStatement extends fc.Arbitrary<infer Drawn> ? Drawn : never

const statedBy = ({ format, number }: DrawnStatement, arrived: number): StatedDays => ({
  ...{ id: `stm_${arrived}`, format, number, first: day, last: day, made_at: null, arrived, days: new Map() },
  opening: format === "mt940" ? 100n : null,
  closing: format === "mt940" ? 90n : null
})

const bookedOf = ({ amount, bank_reference, isPart, remittance }: DrawnLine, place: number): BookedLine => {
  const direction = "debit"
  const line: BookedLine = {
    ...{ booked_on: day, value_on: null, direction, amount, currency: "EUR", bank_reference, remittance },
    ...{ end_to_end_id: null, uetr: null, transaction_hash: null, counterparty: { name: null, account: null } },
    ...{ code: null, reversal: false, place: `line ${place}` }
  }
  const entry = { reference: "batch", direction, amount: "3", part: Number(amount) } as const
  return fillMembers(isPart && amount !== "3" ? { ...line, entry } : line)
}

let made = 0

const begun = (input: StatementLineData): Line =>
  ({ id: `line_${++made}`, version: 1, ...StatementLineLifecycle.begin(input) }) as unknown as Line

const stepped = (row: Line, event: Parameters<typeof StatementLineLifecycle.step>[2]): Line => {
  const step = StatementLineLifecycle.step(row.state, row.data, event)
  expect(step, `${row.state} takes ${event.type}`).toBeDefined()
  return { ...row, data: step!.data, state: step!.state, version: row.version + 1 }
}

/** As a person does it. */
const matched = (row: Line): Line =>
  row.state === "unmatched"
    ? stepped(row, {
        type: "matched",
        matches: [{ resource_id: "ofr_1", version: 3, amount: row.data.amount, rule: "decision" }]
      })
    : row

const textsOf = (bookings: ReadonlyArray<StatementBooking>): ReadonlyArray<string> =>
  bookings.map((one) => JSON.stringify(one)).sort()

covers("INGEST-4")
describe("the bookings of a day", () => {
  it("are kept as each statement says them, sealed and open, however its lines change", () => {
    fc.assert(
      fc.property(fc.array(drawnStatement, { minLength: 1, maxLength: 4 }), (statements) => {
        const stated: Array<StatedDays> = []
        let rows: ReadonlyArray<Line> = []
        let sealed: string | undefined
        for (const [n, statement] of statements.entries()) {
          if (statement.before === "seal") sealed = day
          if (statement.before === "match") rows = rows.map(matched)
          stated.push(statedBy(statement, n))
          const fresh = statement.lines.map((line, place) => ({
            statement_id: `stm_${n}`,
            booked: bookedOf(line, place)
          }))
          const bookings = [...rows.flatMap(listBookings), ...fresh]
          const relations = { rows: [], stated, relations: relateStatements(stated) }
          const plan = planDay("ext_1", day, rows, bookings, relations, sealed, true)
          const events = new Map(plan.changed.map(({ event, row }) => [row.id, event]))
          // A merged line is under none of the keys by which lines are found.
          rows = [
            ...rows.map((row) => (events.has(row.id) ? stepped(row, events.get(row.id)!) : row)),
            ...plan.made.map(begun)
          ].filter(({ state }) => state !== "merged")
          expect(textsOf(rows.flatMap(listBookings))).toEqual(textsOf(bookings))
        }
      }),
      { numRuns: triesOf(2_000) }
    )
  })
})
