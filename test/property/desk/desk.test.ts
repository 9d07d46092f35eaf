/** The desk against an oracle that shares no code with it: the laws of decisions.md 18, over drawn histories. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type History, itemsOf, type Movement, open, play } from "./desk.ts"
import { booking, examples, history, payout, sheet, statement, upload } from "./examples.ts"
import { dayAfter, signed } from "./files.ts"
import { histories } from "./histories.ts"
import { covers } from "../../support/repository/covers.ts"
import { breaches } from "./laws.ts"
import { dueOf, expect as oracle, instantOf } from "./oracle.ts"
import { everyOrder } from "./orders.ts"
import { properties } from "./properties.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { spread } from "../../support/repository/turns.ts"

/** The oracle on its own: without it being right, nothing below means anything. */
it("has an oracle that says what the bank booked, on every day that a statement is of, and that leads to the last closing", () => {
  for (let seed = 1; seed <= triesOf(300); seed++) {
    const [drawn] = fc.sample(seed % 5 === 0 ? histories.long : histories.drawn, { seed, numRuns: 1 })
    const { history, order, truth } = drawn!
    const finals = history.uploads
      .flatMap(({ sheets }) => sheets)
      .filter(({ closing }) => closing !== null)
      .map((one) => {
        const stated = one.format === "csv" ? [] : one.format === "mt940" ? [one.to] : [one.from, one.to]
        const days = [...stated, ...one.entries.map(({ day }) => day)].toSorted()
        return { first: days[0]!, last: days.at(-1)!, closing: one.closing }
      })
    if (finals.length === 0) continue
    const expected = oracle(history, order)
    const isOf = (day: string) => finals.some(({ first, last }) => first <= day && day <= last)
    const booked = truth.filter(({ day }) => isOf(day)).map((one) => `${one.day} ${one.direction} ${one.amount}`)
    const groups = expected.groups.filter(({ day }) => isOf(day))
    expect(groups.flatMap(({ key, live }) => Array.from({ length: live }, () => key)).toSorted()).toEqual(
      booked.toSorted()
    )
    const end = finals
      .map(({ last }) => last)
      .toSorted()
      .at(-1)!
    const lines = expected.groups.filter(({ day }) => day <= end).map((one) => signed(one) * BigInt(one.live))
    const closing = [...lines, ...expected.differences.map(({ amount }) => amount)].reduce(
      (sum, amount) => sum + amount,
      history.opening.balance
    )
    expect(finals.filter(({ last }) => last === end).map((one) => one.closing)).toContain(closing)
  }
})

/** A failure prints the seed, with which `run.ts` shows the smallest history that fails. */
describe.each([
  ["oracle", "drawn", 1, 40],
  ["orders", "drawn", 101, 10],
  ["size", "drawn", 201, 2],
  ["nodes", "drawn", 301, 5],
  ["oracle", "long", 401, 4],
  ["closable", "drawn", 501, 15],
  ["outstanding", "drawn", 601, 15],
  ["begun", "drawn", 701, 25],
  ["oracle", "cut", 801, 40],
  ["orders", "cut", 901, 10],
  ["oracle", "shared", 1101, 20],
  ["orders", "shared", 1201, 10],
  ["outcomes", "drawn", 95_035, 10],
  ["dismissed", "drawn", 1301, 30],
  ["oracle", "drawn", 91_104, 1],
  ["dismissed", "repeated", 19, 10],
  ["oracle", "batches", 1, 10],
  ["orders", "batches", 201, 5],
  ["oracle", "corrected", 1, 10]
] as const)("drawn histories, by the property %s, of the kind %s", (name, kind, first, count) => {
  const seeds = Array.from({ length: count }, (_, n) => first + n)
  it.each(spread(`${name} ${kind} ${first}`, seeds, triesOf(count)))("of seed %d", async (seed) => {
    const [drawn] = fc.sample(histories[kind], { seed, numRuns: 1 })
    expect(await properties[name](drawn!)).toEqual([])
  })
})

const [d1, d2, d3, d4] = ["2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"] as const

describe("size", () => {
  it("leaves an ambiguous line to people, among 2,000 newer movements of its amount", async () => {
    const newer = Array.from({ length: 2000 }, (_, n): Movement => ({ ...payout(`N${n}`, d2, "30.00"), kind: "entry" }))
    const own = history(
      [upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00")]))],
      [payout("P", d1, "30.00"), payout("Q", d1, "30.00"), ...newer],
      { now: `${d2}T12:00:00Z` }
    )
    expect(breaches(own, await play(own))).toEqual([])
  })

  it("finds the batch of a day, with nameless debits open on forty days before it", async () => {
    const old = Array.from({ length: 40 }, (_, n) => booking(dayAfter(d1, n - 40), "-30.50"))
    const own = history(
      [upload("A", statement("camt.053", 1, 5000, [...old, booking(d1, "-30.50")]))],
      [payout("P", d1, "10.00"), payout("Q", d1, "20.50")],
      { opening: 5000, first: "2026-10-01" }
    )
    const { lines } = await play(own)
    const matched = lines.filter(({ status }) => status === "matched")
    expect(matched.map(({ day, matches }) => [day, matches.map(({ movement }) => movement)])).toEqual([
      [d1, ["P", "Q"]]
    ])
  })

  it("finds a gap behind 200 interim reports", async () => {
    const reports = Array.from({ length: 200 }, (_, n) => upload(`I${n}`, sheet("mt942", [booking(d3, "-30.00")])))
    const own = history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00")])),
      ...reports,
      upload("B", statement("mt940", 3, 870, [booking(d3, "-30.00")]))
    ])
    expect(breaches(own, await play(own))).toEqual([])
  })
})

/** Of two accounts the first made may begin before the other, with it, or after it; and either may be given another first day. */
describe.each([
  [d1, d3, undefined, ["P", "Q"]],
  [d3, d1, undefined, ["P", "Q"]],
  [d3, d3, undefined, ["Q"]],
  [d3, d3, [1, d1], ["P", "Q"]],
  [d1, d1, [0, d3], ["P", "Q"]],
  [d3, d1, [1, d3], ["Q"]]
] as const)("accounts that begin on %s and %s, changed by %j", (date, other, patch, since) => {
  covers("BREAK-3", "CLOSE-4")
  it("have a break for each payout that is overdue and outstanding", async () => {
    const own: History = {
      ...history([], [payout("P", d2, "30.00"), payout("Q", d4, "20.00")], { now: "2026-12-10T12:00:00Z" }),
      opening: { date, balance: 0n },
      other: { opening: { date: other, balance: 0n }, zone: "Africa/Lagos" },
      clocks: 1,
      patches: patch === undefined ? [] : [{ account: patch[0], opening: { date: patch[1], balance: 0n } }]
    }
    const desk = await open(own)
    try {
      for (const item of itemsOf(own).toReversed()) await desk.apply(item)
      await desk.advance(3600)
      const { breaks } = await desk.read()
      const missing = breaks.filter(({ kind }) => kind === "missing_on_statement")
      expect(missing.flatMap(({ movements }) => movements).toSorted()).toEqual(since)
      expect(await desk.outstanding("2026-12-10")).toBe(-missing.reduce((sum, { amount }) => sum + amount!, 0n))
    } finally {
      await desk.end()
    }
  })
})

describe("an outcome that is reported four days after its line", () => {
  const own = (reported: Movement["reported"]) =>
    history(
      [upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "{P:statement}" })]))],
      [payout("P", d1, "30.00", { reported })]
    )
  const afterReport = async (reported: Movement["reported"]) => {
    const desk = await open(own(reported))
    try {
      await desk.apply("upload 0")
      await desk.advance(4 * 86_400)
      await desk.apply("report P")
      await desk.advance(2)
      const { breaks, lines } = await desk.read()
      return [lines.map(({ matches }) => matches.map(({ rule }) => rule)), breaks.map(({ kind }) => kind)]
    } finally {
      await desk.end()
    }
  }

  covers("MATCH-7")
  it("is its line, if it is a success", async () => {
    expect(await afterReport("late")).toEqual([[["statement_reference"]], []])
  })

  covers("MATCH-7")
  it("contradicts its line, if it is a failure", async () => {
    expect(await afterReport("failed late")).toEqual([[[]], ["contradicts_status"]])
  })
})

it("takes a line from a movement that is only alike once a late report gives its own movement the name that the line has", async () => {
  const own = history(
    [upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "FT99887766" })]))],
    [payout("P", d1, "30.00"), payout("Q", d1, "30.00", { reported: "late", provider_reference: "FT99887766" })]
  )
  const desk = await open(own)
  await desk.apply("upload 0")
  const matched = async () => (await desk.read()).lines.flatMap(({ matches }) => matches)
  expect(await matched()).toEqual([{ movement: "P", rule: "alike" }])
  await desk.apply("report Q")
  // No line is open: the clock looks after half a day.
  await desk.advance(13 * 3600)
  expect(await matched()).toEqual([{ movement: "Q", rule: "provider_reference" }])
  await desk.end()
})

covers("BREAK-8")
it("tells a line that people hold from a payment of another amount, under way and after its report", async () => {
  const own = history(
    [upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "{P:id}" })]))],
    [payout("P", d1, "28.00", { reported: "late" })]
  )
  const desk = await open(own)
  await desk.apply("upload 0")
  const { operator } = desk.node
  const [found] = (await operator.breaks.list({ external_account_id: desk.account, status: "open" })).items
  const says = async () =>
    (await desk.read()).breaks.map(({ amount, direction, kind, severity }) => [kind, severity, direction, amount])
  const differs = [["amount_differs", "high", "debit", 200n]]
  expect(await says()).toEqual(differs)
  const note = "seen"
  const entry = { from: "costs:simulated", to: "world:simulated", amount: "30.00" }
  await operator.breaks.resolve(found!.id, { note, action: "explain", ...entry })
  await operator.breaks.resolve(found!.id, { note, action: "unmatch" })
  expect(await says()).toEqual(differs)
  await desk.apply("report P")
  await desk.advance(13 * 3600)
  expect(await says()).toEqual(differs)
  await desk.end()
})

covers("APPROVAL-18")
it("does not pair a line by an approval with another payment than its break was told from", async () => {
  const own = history(
    [
      upload("A", statement("mt940", 1, 1000, [booking(d1, "-32.00", { text: "{P:statement} {Q:id}" })])),
      upload("B", statement("mt940", 2, 968, [booking(d2, "-30.00", { text: "{P:statement}" })]))
    ],
    [payout("P", d1, "30.00"), payout("Q", d1, "30.00")]
  )
  const desk = await open(own)
  await desk.apply("upload 0")
  const { operator } = desk.node
  const find = async () => (await operator.breaks.list({ kind: "amount_differs", status: "open" })).items
  const [found] = await find()
  const explained = { note: "seen", action: "explain", from: "costs:simulated", to: "world:simulated" } as const
  // From then on people hold the line.
  await operator.breaks.resolve(found!.id, explained)
  await operator.breaks.resolve(found!.id, { note: "seen", action: "unmatch" })
  await desk.advance(60)
  await operator.approvalRules.create({ operations: ["adjusting_entry"] })
  await operator.breaks.resolve(found!.id, explained)
  await desk.apply("upload 1")
  await desk.advance(60)
  expect((await find()).map(({ amount, id }) => [id, amount])).toEqual([[found!.id, "2.00"]])
  expect((await operator.approvals.list({})).items.map(({ status }) => status)).toEqual(["expired"])
  await desk.end()
})

describe("a movement that no statement has", () => {
  it.each(examples.filter(({ name }) => name.includes("that an interim report of another account alone has")))(
    "is missing on the account that has the payouts, in every order: $name",
    async ({ history }) => {
      for (const order of everyOrder(history)) {
        const missing = (await play(history, order)).breaks.filter(({ kind }) => kind === "missing_on_statement")
        expect(missing, order.join()).toMatchObject([{ account: 0, movements: ["P"] }])
      }
    }
  )

  it.each(["Africa/Lagos", "Pacific/Auckland", "America/Los_Angeles"])(
    "is missing two weekdays later, at its time of day: in %s",
    async (zone) => {
      // From Thursday to Sunday, at times that fall due in another order than they come.
      const times = Array.from({ length: 24 }, (_, n) =>
        instantOf(zone, dayAfter(d3, Math.floor(n / 6)), (n % 6) * 4 + 0.5)
      )
      const movements = times.map(
        (at, n): Movement => ({ ...payout(`M${n}`, d3, `${n + 1}.00`), kind: "entry", at: new Date(at).toISOString() })
      )
      const now = instantOf(zone, dayAfter(d3, 3), 23)
      const desk = await open({ ...history([], movements, { now: new Date(now).toISOString() }), zone })
      for (let hours = 0; hours < 72; hours += 2) {
        const { breaks } = await desk.read()
        const due = movements.filter(({ at }) => dueOf(zone, at) <= now + hours * 3_600_000)
        expect(breaks.flatMap((one) => one.movements).toSorted(), `${hours} hours later`).toEqual(
          due.map(({ label }) => label).toSorted()
        )
        expect(breaks.map(({ since }) => since).toSorted()).toEqual(due.map(({ at }) => at).toSorted())
        await desk.advance(2 * 3600)
      }
      await desk.end()
    }
  )
})

describe("a sealed day", () => {
  it.each([
    ["one line more", ["-30.00", "-10.00"]],
    ["one line less", []],
    ["another amount", ["-35.00"]],
    ["other lines of the same sum", ["-10.00", "-20.00"]]
  ])("stays as it is, and breaks come to the net difference of a correction: %s", async (_, corrected) => {
    const own = history(
      [
        upload("A", statement("camt.053", 5, 1000, [booking(d1, "-30.00")], { made: `${d1}T20:00:00Z` })),
        upload("B", {
          ...statement(
            "camt.053",
            5,
            1000,
            corrected.map((amount) => booking(d1, amount)),
            { made: `${d2}T08:00:00Z` }
          ),
          from: d1,
          to: d1
        })
      ],
      [payout("P", d1, "30.00")]
    )
    const desk = await open(own)
    await desk.apply("upload 0")
    const sealed = await desk.close(d1)
    await desk.apply("upload 1")
    await desk.advance(3600)
    expect(await desk.close(d1)).toEqual(sealed)
    const { breaks, statements } = await desk.read()
    const amounts = breaks
      .filter(({ kind }) => kind !== "missing_on_statement")
      .map(({ amount, direction }) => signed({ amount: amount ?? 0n, direction: direction ?? "credit" }))
    const net = corrected.reduce((sum, amount) => sum + signed(booking(d1, amount)), 0n) + 3000n
    expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(net)
    expect(breaks.length > 0).toBe(true)
    expect(statements.find(({ label }) => label === "B.1")).toMatchObject({ warnings: ["replaced"] })
    await desk.end()
  })

  it("leaves a line that came before it, of a later day, to what the line names", async () => {
    const [monday, text] = ["2026-12-07", "PAY FT99887766 OK"]
    const own = history(
      [upload("A", statement("mt940", 1, 1000, [booking(monday, "-30.00", { text })]))],
      [
        payout("P", d4, "30.00", { provider_reference: "FT99887766", reported: "late" }),
        payout("Q", d4, "30.00", { reported: "late" })
      ]
    )
    const desk = await open(own)
    await desk.apply("upload 0")
    await desk.advance(2 * 86_400)
    await desk.close("2026-12-05", true)
    await desk.advance(86_400)
    await desk.apply("report Q")
    await desk.advance(86_400)
    const matches = async () => (await desk.read()).lines.flatMap((line) => line.matches)
    expect(await matches()).toEqual([{ movement: "Q", rule: "alike" }])
    await desk.apply("report P")
    await desk.advance(13 * 3600)
    expect(await matches()).toEqual([{ movement: "P", rule: "provider_reference" }])
    await desk.end()
  })
})
