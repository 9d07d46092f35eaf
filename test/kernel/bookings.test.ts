/** How statements stand to each other, and what their balances leave open (INGEST-4, INGEST-6, INGEST-11). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { walkBalances } from "../../src/machines/kernel/balances.ts"
import {
  joinLines,
  relateStatements,
  type StatedDays,
  type StatementBooking
} from "../../src/machines/kernel/bookings.ts"
import type { BookedLine } from "../../src/machines/reconciliation/statement-line.ts"
import { covers } from "../support/repository/covers.ts"

let arrivals = 0
const stated = (id: string, different: Partial<StatedDays> = {}): StatedDays => ({
  id,
  format: "mt940",
  number: null,
  first: "2026-01-05",
  last: "2026-01-05",
  opening: 100n,
  closing: 100n,
  made_at: null,
  arrived: ++arrivals,
  days: new Map(),
  ...different
})
const line = (signed: number, different: Partial<BookedLine> = {}): BookedLine => ({
  booked_on: "2026-01-05",
  value_on: null,
  direction: signed < 0 ? "debit" : "credit",
  amount: String(Math.abs(signed)),
  currency: "EUR",
  bank_reference: null,
  end_to_end_id: null,
  uetr: null,
  transaction_hash: null,
  counterparty: { name: null, account: null },
  remittance: null,
  code: null,
  reversal: false,
  place: "line 1",
  ...different
})
const booked = (statement_id: string, ...lines: ReadonlyArray<BookedLine>): ReadonlyArray<StatementBooking> =>
  lines.map((one) => ({ statement_id, booked: one }))
const linesOf = (statements: ReadonlyArray<StatedDays>, ...bookings: ReadonlyArray<ReadonlyArray<StatementBooking>>) =>
  joinLines("2026-01-05", bookings.flat(), relateStatements(statements)).map(({ bookings: [first], isWithdrawn }) =>
    [first.booked.direction === "debit" ? "-" : "+", first.booked.amount, isWithdrawn ? " withdrawn" : ""].join("")
  )

covers("INGEST-4", "INGEST-11")
describe("statements of one day", () => {
  it("are no parts of it where the last day of a month nets to zero", () => {
    const month = stated("m", { first: "2026-01-01", opening: 50n })
    const day = stated("d")
    expect(linesOf([month, day], booked("m", line(20), line(-20)), booked("d", line(20), line(-20)))).toHaveLength(2)
  })

  it("are no parts where a correction of several days replaces what was wrong, although both begin with one balance", () => {
    const days = new Map([
      ["2026-01-04", 0n],
      ["2026-01-05", 0n]
    ])
    const day = stated("d", { opening: 0n, closing: 0n, days: new Map([["2026-01-05", 0n]]) })
    const week = { number: "2", first: "2026-01-04", opening: 0n } as const
    const wrong = stated("w", { ...week, closing: 5n, days: new Map([...days, ["2026-01-05", 5n]]) })
    const right = stated("r", { ...week, closing: 0n, days })
    const bookings = [
      booked("d", line(900), line(-125), line(-775)),
      booked("w", line(900), line(-120), line(-775)),
      booked("r", line(900), line(-125), line(-775))
    ]
    const found = linesOf([day, wrong, right], ...bookings).filter((one) => !one.endsWith("withdrawn"))
    expect(found.toSorted()).toEqual(["+900", "-125", "-775"])
  })

  it.each([
    ["numbers", ["7", "8"], 2],
    ["pages", ["7/1", "7/2"], 2],
    ["the first page of the next number", ["7/3", "8/1"], 2],
    ["numbers with one between that is not there", ["7", "9"], 1],
    ["numbers from the last to the first", ["8", "7"], 1],
    ["no numbers", [null, null], 1]
  ] as const)(
    "that end on one day share no booking of an earlier day, whatever their balances may say besides, where they follow by %s",
    (_, [first, second], count) => {
      const last = "2026-01-06"
      const one = stated("a", {
        number: first,
        last,
        opening: 100n,
        closing: 90n,
        days: new Map([["2026-01-05", -10n]])
      })
      const two = stated("b", {
        number: second,
        last,
        opening: 90n,
        closing: 90n,
        days: new Map([
          ["2026-01-05", -10n],
          [last, 10n]
        ])
      })
      expect(linesOf([one, two], booked("a", line(-10)), booked("b", line(-10)))).toHaveLength(count)
    }
  )

  /** Statements of the day after, each a part from one balance to the next, with what it has of either day. */
  const partsOfNext = (
    number: string | null,
    ...own: ReadonlyArray<{ readonly back?: ReadonlyArray<number>; readonly on?: ReadonlyArray<number> }>
  ) => {
    const sum = (some: ReadonlyArray<number>) => BigInt(some.reduce((total, one) => total + one, 0))
    let balance = 100n
    return own.map(({ back = [], on = [] }, n) => {
      const opening = balance
      balance += sum(back) + sum(on)
      const days = [
        ["2026-01-05", back],
        ["2026-01-06", on]
      ] as const
      const has = days.filter(([, some]) => some.length > 0)
      return stated(`part ${n}`, {
        ...{ number, opening, closing: balance, first: has[0]![0], last: "2026-01-06" },
        days: new Map(has.map(([day, some]) => [day, sum(some)]))
      })
    })
  }

  it.each([null, "0", "1"])(
    "that go on from one another share no booking of an earlier day under the number %s",
    (number) => {
      const [one, between, two] = partsOfNext(number, { back: [-10] }, { on: [-20] }, { back: [-10] }) as [
        StatedDays,
        StatedDays,
        StatedDays
      ]
      const bookings = [booked(one.id, line(-10)), booked(two.id, line(-10))]
      expect(linesOf([one, between, two], ...bookings)).toEqual(["-10", "-10"])
    }
  )

  it.each([null, "0", "1"])(
    "are parts of it also where one between them begins earlier, under the number %s",
    (number) => {
      const all = partsOfNext(number, { on: [-10] }, { back: [-20], on: [-5] }, { on: [-10] })
      const { partsOn, replacedBy } = relateStatements(all)
      expect(all.map(({ id }) => replacedBy(id))).toEqual([undefined, undefined, undefined])
      expect(partsOn("2026-01-06", all[0]!.id, all[2]!.id)).toBe("parts")
    }
  )

  it("that end on one day share nothing where they follow by numbers through one between them", () => {
    const [one, between, two] = [
      [100n, 90n],
      [90n, 70n],
      [70n, 90n]
    ].map(([opening, closing], n) =>
      stated(`part ${n}`, {
        ...{ number: String(n + 7), last: "2026-01-06", opening: opening!, closing: closing! },
        days: new Map(
          [
            [["2026-01-05", -10n] as const],
            [["2026-01-06", -20n] as const],
            [["2026-01-05", -10n] as const, ["2026-01-06", 30n] as const]
          ][n]
        )
      })
    ) as [StatedDays, StatedDays, StatedDays]
    const bookings = [booked(one.id, line(-10)), booked(two.id, line(-10))]
    expect(linesOf([one, between, two], ...bookings)).toEqual(["-10", "-10"])
  })

  it("are shared by a longer one without a number that ends with them, though it ends where one of them begins", () => {
    const parts = [
      [100n, 150n],
      [150n, 130n],
      [130n, 150n]
    ].map(([opening, closing], n) =>
      stated(`part ${n}`, {
        ...{ number: String(n + 1), opening: opening!, closing: closing! },
        days: new Map([["2026-01-05", closing! - opening!]])
      })
    )
    const period = stated("p", { first: "2026-01-03", closing: 150n, days: new Map([["2026-01-05", 50n]]) })
    const found = linesOf(
      [...parts, period],
      ...[50, -20, 20].map((signed, n) => booked(`part ${n}`, line(signed))),
      booked("p", line(50), line(-20), line(20))
    )
    expect(found.toSorted()).toEqual(["+20", "+50", "-20"])
  })

  it("share the name of a booking in one line, whatever a third that states no names has of the day", () => {
    const [one, mute, other] = [null, null, "2026-01-05T20:00:00Z"].map((made_at, n) =>
      stated(String(n), { closing: 80n, made_at })
    ) as [StatedDays, StatedDays, StatedDays]
    const constant = { bank_reference: "POS" }
    const found = joinLines(
      "2026-01-05",
      [
        ...booked(one.id, line(-10, constant), line(-10, { ...constant, remittance: "PAY 7" })),
        ...booked(mute.id, line(-10), line(-10)),
        ...booked(other.id, line(-10), line(-10, { remittance: "PAY 7" }))
      ],
      relateStatements([one, mute, other])
    )
    const named = found.map(({ bookings }) => bookings.filter(({ booked }) => booked.remittance !== null).length)
    expect(named.toSorted()).toEqual([0, 2])
  })

  it("are parts where one goes on from the other, also under one number", () => {
    const [one, two] = [
      stated("a", { number: "1", closing: 150n }),
      stated("b", { number: "1", opening: 150n, closing: 120n })
    ]
    expect(linesOf([one, two], booked("a", line(50)), booked("b", line(-30))).toSorted()).toEqual(["+50", "-30"])
  })

  it("are each a part, also of those that are none of each other's next: three alike are three, also without balances", () => {
    const parts = [100n, 103n, 106n].map((opening, n) =>
      stated(`part ${n}`, { number: `1/${n + 1}`, opening, closing: opening + 3n })
    )
    const reports = parts.map((one) => ({ ...one, format: "mt942", opening: null, closing: null }))
    for (const all of [parts, reports])
      expect(linesOf(all, ...all.map(({ id }) => booked(id, line(3))))).toEqual(["+3", "+3", "+3"])
  })

  it("are joined with the booking whose text they do not contradict, where they contradict the reference of each", () => {
    const day = stated("d", { closing: 60n })
    const report = stated("r", { format: "mt942", opening: null, closing: null })
    const withText = (bank_reference: string, remittance: string | null) => line(-20, { bank_reference, remittance })
    const found = joinLines(
      "2026-01-05",
      [...booked("d", withText("A", "one"), withText("B", null)), ...booked("r", withText("P", "other"))],
      relateStatements([day, report])
    )
    const [shared] = found.filter(({ bookings }) => bookings.length > 1)
    expect(shared?.bookings.map((one) => one.booked.bank_reference)).toEqual(["B", "P"])
  })

  it("have two bookings that one of them has twice, also where another agrees with both", () => {
    const exports = ["a", "b"].map((id) => stated(id, { format: "csv", opening: null, closing: null }))
    const under = (bank_reference: string | null) => line(3, { remittance: "rent", bank_reference })
    const bookings = [booked("a", under("9"), under(null)), booked("b", under("1"), under("1"))]
    expect(linesOf(exports, ...bookings)).toHaveLength(3)
  })

  it("replace each other only under the same number and days", () => {
    const month = stated("m", { number: "0", first: "2026-01-01" })
    const day = stated("d", { number: "0", opening: 90n })
    expect(relateStatements([month, day]).replacedBy("m")).toBeUndefined()
    const corrected = stated("c", { number: "0", first: "2026-01-01", opening: 90n })
    expect(relateStatements([month, corrected]).replacedBy("m")?.id).toBe("c")
  })

  it("are the parts of a day under one number where one walk over their balances uses all of them", () => {
    const replacedOf = (...balances: ReadonlyArray<readonly [opening: bigint, closing: bigint]>) => {
      const all = balances.map(([opening, closing], n) => stated(`s${n}`, { number: "1", opening, closing }))
      const { replacedBy } = relateStatements(all)
      return all.flatMap(({ id }) => (replacedBy(id) === undefined ? [] : [`${id} by ${replacedBy(id)!.id}`]))
    }
    expect(replacedOf([100n, 150n], [150n, 100n], [100n, 130n])).toEqual([])
    expect(replacedOf([100n, 130n], [150n, 100n], [100n, 150n])).toEqual([])
    expect(replacedOf([100n, 150n], [150n, 100n], [100n, 100n])).toEqual([])
    // Nothing ends where the last begins once more, or nothing leads to it from the others.
    expect(replacedOf([100n, 150n], [150n, 100n], [100n, 130n], [100n, 140n])).toEqual(["s0 by s3", "s2 by s3"])
    expect(replacedOf([100n, 150n], [150n, 100n], [300n, 310n], [310n, 300n], [300n, 320n])).toEqual(["s2 by s4"])
    // One alone moves something: the other is the day before its correction.
    expect(replacedOf([100n, 100n], [100n, 130n])).toEqual(["s0 by s1"])
    expect(replacedOf([100n, 150n], [100n, 160n])).toEqual(["s0 by s1"])
    // Two days have no parts in common.
    const days = [100n, 150n, 100n].map((opening, n) =>
      stated(`d${n}`, { number: "1", first: "2026-01-04", opening, closing: [150n, 100n, 130n][n]! })
    )
    expect(relateStatements(days).replacedBy("d0")?.id).toBe("d2")
  })

  it("leave one of three under one number, whichever say when they were made", () => {
    const times = ["2026-01-05T20:00:00.000Z", null, "2026-01-05T18:00:00.000Z"]
    const all = times.map((made_at, n) =>
      stated(`s${n}`, { number: "7", made_at, opening: BigInt(n), closing: 100n + BigInt(n) })
    )
    const { replacedBy } = relateStatements(all)
    expect(all.map(({ id }) => replacedBy(id)?.id)).toEqual(["s2", "s2", undefined])
    const made = all.map((one, n) => ({ ...one, made_at: times[n] ?? "2026-01-05T19:00:00.000Z" }))
    expect(made.map(({ id }) => relateStatements(made).replacedBy(id)?.id)).toEqual([undefined, "s0", "s0"])
  })

  it("have one booking, however each of them splits it, and whatever comes with it", () => {
    const entry = (part: number) => ({ reference: "B", direction: "credit" as const, amount: "300", part })
    const split = (...amounts: ReadonlyArray<number>) =>
      amounts.map((amount, part) => line(amount, { entry: entry(part) }))
    const all = [
      stated("a", { closing: 400n }),
      stated("b", { closing: 400n, format: "camt.053" }),
      stated("c", { closing: 400n })
    ]
    const [three, two, total] = [
      booked("a", ...split(100, 110, 90)),
      booked("b", ...split(150, 150)),
      booked("c", line(300))
    ]
    const once = joinLines("2026-01-05", [...three, ...two], relateStatements(all))
    expect(linesOf(all, three, two, total).toSorted()).toEqual(["+100", "+110", "+90"])
    // What is stored of them leads to the same lines again.
    const again = once.flatMap(({ bookings }) => bookings)
    expect(again).toHaveLength(5)
    expect(linesOf(all, again, total).toSorted()).toEqual(["+100", "+110", "+90"])
  })
})

covers("INGEST-4")
it("two batches of one reference and total are two bookings, in whatever order their transactions are stored", () => {
  const entry = (part: number) => ({ reference: "B", direction: "credit" as const, amount: "300", part })
  const batch = (number: number, ...amounts: ReadonlyArray<number>) =>
    amounts.map((amount, n) =>
      line(amount, { entry: entry(n + 1), place: `Stmt/Ntry[${number}]/NtryDtls/TxDtls[${n + 1}], line 1` })
    )
  const batches = [batch(1, 100, 200), batch(2, ...Array.from({ length: 10 }, () => 20), 100), batch(3, 150, 150)]
  const total = line(300, { bank_reference: "B", place: "Stmt/Ntry[9], line 1" })
  const all = ["a", "b"].map((id) => stated(id, { closing: 1000n }))
  const lines = batches.flat()
  fc.assert(
    fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), fc.nat(2), (stored, at) => {
      const found = linesOf(all, booked("a", ...stored), booked("b", ...batches.toSpliced(at, 1, [total]).flat()))
      expect(found.toSorted()).toEqual(lines.map(({ amount }) => `+${amount}`).toSorted())
    }),
    { numRuns: 100 }
  )
})

covers("INGEST-6")
it("an export of the same day that was made before the rest was booked leaves nothing open", () => {
  const days = (net: bigint) => new Map([["2026-01-05", net]])
  const noon = stated("n", { format: "csv", closing: 110n, days: days(10n) })
  const evening = stated("e", { format: "csv", closing: 120n, days: days(20n) })
  const open = (all: ReadonlyArray<StatedDays>) =>
    walkBalances({ date: "2026-01-05", balance: 100n }, relateStatements(all), []).differences
  expect(open([noon, evening])).toEqual([])
  expect(open([evening, noon])).toEqual([])
})

covers("INGEST-6", "CLOSE-4")
it("a booking that is dated back counts since its own statement begins, also where one of more days has it", () => {
  const day = "2026-01-05"
  const monday = stated("m", { closing: 150n, days: new Map([[day, 50n]]) })
  const tuesday = stated("t", { last: "2026-01-06", opening: 150n, closing: 130n, days: new Map([[day, -20n]]) })
  const week = { first: "2026-01-04", last: "2026-01-06", closing: 130n, days: new Map([[day, 30n]]) }
  const relations = relateStatements([monday, tuesday, stated("w", week)])
  const { closings, differences } = walkBalances({ date: "2026-01-04", balance: 100n }, relations, [])
  expect(differences).toEqual([])
  expect([...closings]).toEqual([
    [day, 150n],
    ["2026-01-06", 130n]
  ])
})

covers("INGEST-6", "CLOSE-4")
it("bookings that are dated back count line by line from when their own statement begins, also beside one made before it", () => {
  const before = stated("b")
  const day = { first: "2026-01-05", last: "2026-01-06", opening: 100n } as const
  const noon = stated("n", { ...day, closing: 90n, days: new Map([["2026-01-05", -10n]]) })
  const evening = stated("e", {
    ...{ ...day, closing: 95n },
    days: new Map([
      ["2026-01-05", -20n],
      ["2026-01-06", 15n]
    ])
  })
  const relations = relateStatements([before, noon, evening])
  const lines = joinLines("2026-01-05", [...booked("n", line(-10)), ...booked("e", line(-10), line(-10))], relations)
  const loose = lines
    .filter(({ isLoose }) => isLoose)
    .map(({ bookings }) => ({
      ...{ day: "2026-01-05", signed: -10n },
      statement_ids: bookings.map(({ statement_id }) => statement_id)
    }))
  const { closings, differences, moved } = walkBalances({ date: "2026-01-05", balance: 100n }, relations, loose)
  expect(differences).toEqual([])
  expect([...closings]).toEqual([
    ["2026-01-05", 100n],
    ["2026-01-06", 95n]
  ])
  expect([...moved!]).toEqual([
    ["2026-01-05", 20n],
    ["2026-01-06", -20n]
  ])
})
