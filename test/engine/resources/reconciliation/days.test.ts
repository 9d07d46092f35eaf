/** The arithmetic of days is total: it ends at the ends of the calendar. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { listDays, nextDay, previousDay } from "../../../../src/engine/resources/reconciliation/statement-roster.ts"
import { covers } from "../../../support/repository/covers.ts"

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const [first, last] = [Date.parse("0000-01-01"), Date.parse("9999-12-31")]
/** Any day of the calendar, its ends more often. */
const day = fc
  .oneof(
    fc.integer({ min: first, max: last }),
    fc.integer({ min: 0, max: 3 * 86_400_000 }).map((n) => last - n),
    fc.integer({ min: 0, max: 3 * 86_400_000 }).map((n) => first + n)
  )
  .map(dayOf)

describe("a day", () => {
  it("has a day after it and a day before it, which are days of the calendar in the order of their texts", () => {
    fc.assert(
      fc.property(day, (one) => {
        const [before, after] = [previousDay(one), nextDay(one)]
        for (const text of [before, after]) assert.match(text, /^\d{4}-\d\d-\d\d$/)
        assert.strictEqual(after, one === "9999-12-31" ? one : dayOf(Date.parse(one) + 86_400_000))
        assert.strictEqual(before, one === "0000-01-01" ? one : dayOf(Date.parse(one) - 86_400_000))
        assert.isTrue(before <= one && one <= after)
      })
    )
  })

  covers("INGEST-3")
  it("is in the list of days from one to another once, and the list ends, also at the end of the calendar", () => {
    fc.assert(
      fc.property(day, fc.integer({ min: -3, max: 40 }), (one, count) => {
        const end = Math.min(last, Date.parse(one) + count * 86_400_000)
        if (end < first) return
        const days = [...listDays(one, dayOf(end))]
        assert.lengthOf(days, Math.max(0, (end - Date.parse(one)) / 86_400_000 + 1))
        assert.deepEqual([...new Set(days)].sort(), days)
      })
    )
    assert.deepEqual([...listDays("9999-12-31", "9999-12-31")], ["9999-12-31"])
    assert.deepEqual([...listDays("9999-12-30", "+010000-01")], [])
    assert.deepEqual([...listDays("", "2026-01-05")], [])
  })
})
