/** Laws of matching, and an example for each half of each of its conditions (MATCH-2 to MATCH-7). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type BookMovement,
  type Direction,
  isName,
  type LineFinding,
  listNamesOf,
  type MatchedBooks,
  matchLines,
  type NamedResource,
  type Naming,
  namings,
  type OpenLine
} from "../../src/machines/kernel/matching.ts"
import { covers } from "../support/repository/covers.ts"
import { triesOf } from "../support/properties/tries.ts"

const day = "2026-03-02"

const line = (id: string, amount: bigint, different: Partial<OpenLine> = {}): OpenLine => ({
  id,
  direction: "debit",
  amount,
  day,
  names: [],
  ...different
})
const naming = (resource_id: string, by: Naming = "command_id") => ({ names: [{ resource_id, by }] })

const movement = (resource_id: string, amount: bigint, different: Partial<BookMovement> = {}): BookMovement => ({
  resource_id,
  version: 3,
  direction: "debit",
  amount,
  day,
  open: true,
  isPayout: true,
  ...different
})

const books = (movements: ReadonlyArray<BookMovement>, different: Partial<MatchedBooks> = {}): MatchedBooks => ({
  movements,
  resources: [],
  wholeDays: new Set(),
  ...different
})

/** `match rule resource…`, or the difference. */
const shown = (found: LineFinding): string =>
  "matches" in found
    ? `${found.matches[0].rule} ${found.matches.map(({ resource_id }) => resource_id).join()}`
    : `${found.difference.kind} ${found.difference.severity} ${found.difference.exposure} [${found.difference.candidates.map(({ resource_id, rule }) => `${rule} ${resource_id}`).join()}]${found.difference.adopt === null ? "" : ` adopt ${found.difference.adopt}`}`

const decide = (lines: ReadonlyArray<OpenLine>, of: MatchedBooks): ReadonlyArray<string> =>
  matchLines(lines, of).map(shown)

const resource = (id: string, different: Partial<NamedResource> = {}): NamedResource => ({
  id,
  payment: "paid",
  due: { direction: "debit", amount: 100n },
  fees: [],
  ...different
})

describe("a line that names a movement", () => {
  covers("MATCH-2", "MATCH-3")
  it.each(namings)("is it, by its %s, where direction and amount are equal", (by) => {
    expect(decide([line("l", 100n, naming("a", by))], books([movement("a", 100n)]))).toEqual([`${by} a`])
    const credit = line("l", 100n, { ...naming("a", by), direction: "credit" })
    expect(decide([credit], books([movement("a", 100n)]))[0]).toMatch(/^missing_in_books low/)
    expect(decide([line("l", 101n, naming("a", by))], books([movement("a", 100n)]))[0]).not.toMatch(/ a$/)
  })

  it("is none where two such movements have the name, or another line has it", () => {
    const names = {
      names: [
        { resource_id: "a", by: "reference" as const },
        { resource_id: "b", by: "reference" as const }
      ]
    }
    const two = books([movement("a", 100n), movement("b", 100n)])
    expect(decide([line("l", 100n, names)], two)).toEqual(["missing_in_books low 0 [reference a,reference b]"])
    expect(decide([line("l", 100n, names)], books([movement("a", 100n), movement("b", 99n)]))).toEqual(["reference a"])
  })

  covers("MATCH-2", "MATCH-3")
  it("is nothing that it names less strongly than what has another amount: that is a candidate", () => {
    const names = [
      { resource_id: "a", by: "statement_reference" as const },
      { resource_id: "b", by: "resource_id" as const }
    ]
    const two = [movement("a", 100n), movement("b", 90n)]
    const strongly = "amount_differs high 10 [statement_reference a,resource_id b]"
    expect(decide([line("l", 90n, { names })], books(two))).toEqual([strongly])
    expect(decide([line("l", 90n, { names: names.toReversed() })], books(two))).toEqual([strongly])
    // Of money of the other direction a name says nothing, and of a payment that another line has a word only tells.
    const came = movement("a", 100n, { direction: "credit" })
    expect(decide([line("l", 90n, { names })], books([came, two[1]!]))).toEqual(["resource_id b"])
    const owed = { resources: [resource("a", { payment: "under_way" })] }
    expect(decide([line("l", 90n, { names })], books([two[1]!], owed))[0]).toMatch(/^amount_differs/)
    const telling = line("l", 90n, { names: [{ ...names[0]!, is_said: true }, names[1]!] })
    expect(decide([telling], books(two))[0]).toMatch(/^amount_differs/)
    expect(decide([line("k", 100n, naming("a")), telling], books(two))).toEqual(["command_id a", "resource_id b"])
  })

  covers("MATCH-2")
  it("is that of the account which was made first, where two accounts have one, unless the other names it more strongly", () => {
    const one = books([movement("a", 100n)])
    const of = (id: string, account: number, by: Naming = "command_id") =>
      line(id, 100n, { ...naming("a", by), account })
    expect(decide([of("l", 1), of("m", 0)], one)).toEqual(["executed_twice high 100 []", "command_id a"])
    expect(decide([of("l", 0), of("m", 1)], one)).toEqual(["command_id a", "executed_twice high 100 []"])
    expect(decide([of("l", 0, "reference"), of("m", 1)], one)).toEqual(["executed_twice high 100 []", "command_id a"])
    // Two of the first account are a question, which the movement is in; that of the other is too much in any case.
    const found = matchLines([of("l", 1), of("m", 0), of("n", 0)], one)
    expect(
      found.map((each) => "difference" in each && [each.difference.isSurplus, each.difference.told_from.length])
    ).toEqual([
      [true, 0],
      [false, 1],
      [false, 1]
    ])
    const both = books([movement("a", 100n), movement("a", 100n, { version: 4 })])
    expect(decide([of("l", 0), of("m", 1)], both)).toEqual(["command_id a", "command_id a"])
  })

  covers("MATCH-6", "BREAK-8")
  it("differs from a payment under way once, however many lines of other amounts name it, and not where one has its amount", () => {
    const owed = books([], { resources: [resource("a", { payment: "under_way" })] })
    const of = (id: string, amount: bigint) => line(id, amount, naming("a"))
    expect(decide([of("l", 90n), of("m", 80n)], owed)).toEqual([
      "amount_differs high 10 []",
      "amount_differs high 80 []"
    ])
    expect(decide([of("l", 90n), of("m", 100n)], owed)).toEqual([
      "amount_differs high 90 []",
      "executed_twice high 100 []"
    ])
  })

  covers("MATCH-6")
  it("is none where two lines name one payment: that is paid twice, and one line of another amount is not", () => {
    const one = books([movement("a", 100n)])
    const twice = [line("l", 100n, naming("a")), line("m", 100n, naming("a"))]
    expect(decide(twice, one)).toEqual(Array(2).fill("executed_twice high 100 [command_id a]"))
    expect(decide(twice, books([movement("a", 100n), movement("a", 100n, { version: 5 })]))).toEqual([
      "command_id a",
      "command_id a"
    ])
    expect(decide([line("l", 100n, naming("a"))], books([movement("a", 100n, { open: false })]))).toEqual([
      "executed_twice high 100 []"
    ])
    expect(decide([line("l", 100n, naming("a")), line("m", 30n, naming("a"))], one)).toEqual([
      "command_id a",
      "amount_differs high 30 []"
    ])
    const came = line("l", 100n, { ...naming("a"), direction: "credit" })
    expect(decide([came], books([movement("a", 100n, { direction: "credit", open: false })]))).toEqual([
      "executed_twice low 0 []"
    ])
  })

  it("of another amount is a difference: proven by an id, not by a reference, and low where it is the fee", () => {
    const one = books([movement("a", 100n)], { resources: [resource("a", { fees: [7n] })] })
    expect(decide([line("l", 90n, naming("a"))], one)).toEqual(["amount_differs high 10 [command_id a]"])
    expect(decide([line("l", 107n, naming("a"))], one)).toEqual(["amount_differs low 0 [command_id a]"])
    expect(decide([line("l", 93n, naming("a"))], one)).toEqual(["amount_differs high 7 [command_id a]"])
    expect(decide([line("l", 7n, naming("a"))], one)).toEqual(["missing_in_books low 0 [fee a]"])
    expect(decide([line("l", 7n, { ...naming("a"), direction: "credit" })], one)).toEqual(["missing_in_books low 0 []"])
    expect(decide([line("l", 90n, { mentions: ["a"] })], one)).toEqual(["missing_in_books low 0 [reference a]"])
  })

  covers("BREAK-2")
  it("of money that came in another amount than the books have is as urgent, but for the fee, and not beside the line that has it", () => {
    const came = (id: string, amount: bigint) => line(id, amount, { ...naming("a"), direction: "credit" })
    const of = (different: Partial<BookMovement> = {}) =>
      books([movement("a", 100n, { direction: "credit", ...different })], {
        resources: [resource("a", { fees: [7n] })]
      })
    expect(decide([came("l", 9n)], of())).toEqual(["amount_differs high 91 [command_id a]"])
    expect(decide([came("l", 109n)], of())).toEqual(["amount_differs high 9 [command_id a]"])
    expect(decide([came("l", 93n)], of())).toEqual(["amount_differs low 0 [command_id a]"])
    expect(decide([came("l", 107n)], of())).toEqual(["amount_differs high 7 [command_id a]"])
    expect(decide([came("l", 9n)], of({ open: false }))).toEqual(["amount_differs low 0 []"])
    expect(decide([came("l", 60n), came("m", 40n)], of()).toSorted()).toEqual([
      "amount_differs high 40 [command_id a]",
      "amount_differs low 0 [command_id a]"
    ])
  })

  covers("MATCH-2", "BREAK-2")
  it("of another amount is told from the payment once, however many lines name it, and from none that a line is", () => {
    const one = books([movement("a", 100n)])
    const other = (id: string, amount: bigint) => line(id, amount, naming("a"))
    const shown = (...lines: ReadonlyArray<OpenLine>) => decide(lines, one).toSorted()
    expect(shown(other("l", 90n), other("m", 80n))).toEqual([
      "amount_differs high 10 [command_id a]",
      "amount_differs high 80 [command_id a]"
    ])
    expect(shown(other("l", 100n), other("m", 80n))).toEqual(["amount_differs high 80 []", "command_id a"])
    expect(shown(other("l", 100n), other("k", 100n), other("m", 80n))).toEqual([
      "amount_differs high 80 [command_id a]",
      "executed_twice high 100 [command_id a]",
      "executed_twice high 100 [command_id a]"
    ])
  })

  covers("BREAK-2")
  it("of a payment of which an entry explains that no statement has it leads to that entry, once", () => {
    const one = books([movement("a", 100n, { open: false, explained_by: "adj" })])
    const found = (...amounts: ReadonlyArray<bigint>) =>
      matchLines(
        amounts.map((amount, n) => line(`l${n}`, amount, naming("a"))),
        one
      ).map(
        (each) => "difference" in each && [each.difference.kind, each.difference.severity, ...each.difference.resources]
      )
    expect(found(100n)).toEqual([["missing_in_books", "low", "a", "adj"]])
    expect(found(90n)).toEqual([["amount_differs", "high", "a", "adj"]])
    expect(found(100n, 100n)).toEqual([
      ["missing_in_books", "low", "a", "adj"],
      ["executed_twice", "high", "a", "adj"]
    ])
    const came = [line("l", 100n, { ...naming("a"), direction: "credit" })]
    expect(decide(came, one)).toEqual(["missing_in_books low 0 []"])
  })

  covers("MATCH-8", "BREAK-2")
  it("of a payment that was not made contradicts the books; of one under way it may be the outcome", () => {
    const of = (different: Partial<NamedResource>) => books([], { resources: [resource("a", different)] })
    const paid = [line("l", 100n, naming("a"))]
    expect(decide(paid, of({ payment: "not_paid" }))).toEqual(["contradicts_status high 100 []"])
    expect(decide(paid, of({ payment: "under_way" }))).toEqual(["missing_in_books low 0 [] adopt a"])
    expect(decide(paid, of({ payment: "returning" }))).toEqual(["missing_in_books low 0 []"])
    const due = { direction: "debit" as Direction, amount: 60n }
    expect(decide(paid, of({ payment: "under_way", due }))).toEqual(["amount_differs high 40 []"])
    expect(decide(paid, of({ payment: "under_way", due: null }))).toEqual(["contradicts_status high 100 []"])
    expect(decide([...paid, line("m", 100n, naming("a"))], of({ payment: "under_way" }))).toEqual(
      Array(2).fill("executed_twice high 100 []")
    )
    const byReference = (amount: bigint) => [line("l", amount, naming("a", "reference"))]
    expect(decide(byReference(100n), of({ payment: "not_paid" }))).toEqual(["contradicts_status high 100 []"])
    const isNamed = (amount: bigint, more: Partial<NamedResource> = {}, moved: ReadonlyArray<BookMovement> = []) =>
      isName({ amount, direction: "debit" }, { by: "reference" }, resource("a", more), moved)
    expect([isNamed(100n), isNamed(99n), isNamed(99n, { due: null })]).toEqual([true, false, false])
    expect([isNamed(99n, { fees: [99n] }), isNamed(99n, {}, [movement("a", 99n)])]).toEqual([true, true])
    expect(decide(byReference(100n), of({ payment: "under_way" }))).toEqual(["missing_in_books low 0 []"])
    const came = [line("l", 100n, { ...naming("a"), direction: "credit" })]
    expect(decide(came, of({ payment: "not_paid" }))).toEqual(["missing_in_books low 0 []"])
  })
})

describe("a batch", () => {
  covers("MATCH-4")
  it("is all that its reference names, where that sums to it, and no line names a part", () => {
    const parts = books([movement("a", 40n), movement("b", 60n)])
    const names = {
      names: [
        { resource_id: "a", by: "provider_reference" as const },
        { resource_id: "b", by: "provider_reference" as const }
      ]
    }
    expect(decide([line("l", 100n, names)], parts)).toEqual(["batch_reference a,b"])
    expect(decide([line("l", 99n, names)], parts)[0]).toMatch(/^missing_in_books/)
    expect(decide([line("l", 100n, names), line("m", 41n, naming("a"))], parts)[0]).toMatch(/^missing_in_books/)
  })

  it("is all payouts of its day, where they are all known, and no other line is like it", () => {
    const wholeDays = new Set([day])
    const parts = [movement("a", 40n), movement("b", 60n)]
    expect(decide([line("l", 100n)], books(parts, { wholeDays }))).toEqual(["batch_day a,b"])
    expect(decide([line("l", 100n)], books(parts))[0]).toMatch(/^missing/)
    expect(decide([line("l", 100n), line("m", 100n)], books(parts, { wholeDays }))[0]).toMatch(/^missing/)
    expect(decide([line("l", 100n, { direction: "credit" })], books(parts, { wholeDays }))[0]).toMatch(/^missing/)
    const came = movement("c", 5n, { direction: "credit" })
    expect(decide([line("l", 100n)], books([...parts, came], { wholeDays }))).toEqual(["batch_day a,b"])
    const more = [...parts, movement("c", 5n)]
    expect(decide([line("l", 100n)], books(more, { wholeDays }))[0]).toMatch(/^missing/)
    expect(decide([line("l", 100n), line("m", 5n, naming("c"))], books(more, { wholeDays }))).toEqual([
      "batch_day a,b",
      "command_id c"
    ])
    // An entry of a person, or a refund, is no payout of the day.
    const entry = movement("d", 5n, { isPayout: false })
    expect(decide([line("l", 100n)], books([...parts, entry], { wholeDays }))).toEqual(["batch_day a,b"])
    expect(decide([line("l", 105n)], books([...parts, entry], { wholeDays }))[0]).toMatch(/^missing/)
  })
})

describe("lines and movements without a name", () => {
  covers("MATCH-5")
  it("are each other where they are as many, and else candidates", () => {
    expect(decide([line("l", 100n)], books([movement("a", 100n)]))).toEqual(["alike a"])
    expect(decide([line("l", 100n), line("m", 100n)], books([movement("a", 100n), movement("b", 100n)]))).toEqual([
      "alike a",
      "alike b"
    ])
    expect(decide([line("l", 100n), line("m", 100n)], books([movement("a", 100n)]))).toEqual(
      Array(2).fill("missing_in_books low 0 [alike a]")
    )
    for (const different of [{ direction: "credit" }, { amount: 99n }, { open: false }] as const)
      expect(decide([line("l", 100n)], books([movement("a", 100n, different)]))).toEqual(["missing_in_books low 0 []"])
    expect(decide([line("l", 100n)], books([movement("a", 100n, { day: "2026-03-03" })]))).toEqual([
      "missing_in_books low 0 [near a]"
    ])
    // What a line names with another amount is a question of its own.
    expect(decide([line("l", 100n), line("m", 90n, naming("a"))], books([movement("a", 100n)]))[0]).toMatch(
      /^missing_in_books low 0 \[\]/
    )
  })
})

describe("very many lines and movements of one amount", () => {
  covers("MATCH-5")
  it.each(["2026-03-03", day])(
    "share one list of a hundred candidates, which is of the first of them: booked on %s",
    (booked) => {
      const movements = Array.from({ length: 300 }, (_, n) => movement(`m${String(n).padStart(3, "0")}`, 100n))
      const lines = Array.from({ length: 200 }, (_, n) => line(`l${n}`, 100n, { day: booked }))
      const lists = new Set(
        matchLines(lines, books(movements)).map((one) => ("difference" in one ? one.difference.candidates : []))
      )
      expect(lists.size).toBe(1)
      const [list] = [...lists]
      expect(list!.map(({ resource_id }) => resource_id)).toEqual(
        movements.slice(0, 100).map(({ resource_id }) => resource_id)
      )
      const mentioning = line("l", 100n, { day: "2026-03-03", mentions: ["m200"] })
      const [found] = matchLines([mentioning], books(movements))
      const { candidates } = (found as Extract<LineFinding, { readonly difference: unknown }>).difference
      expect([candidates.length, candidates[0]!.resource_id, candidates[1]!.resource_id]).toEqual([100, "m200", "m000"])
    }
  )
})

const ids = ["a", "b", "c", "d"]
const amounts = fc.constantFrom(100n, 40n, 60n)
const directions = fc.constantFrom<Direction>("debit", "credit")
const days = fc.constantFrom(day, "2026-03-03")
const someLines = fc
  .array(
    fc.record({
      direction: directions,
      amount: amounts,
      day: days,
      names: fc.uniqueArray(fc.record({ resource_id: fc.constantFrom(...ids), by: fc.constantFrom(...namings) }), {
        selector: ({ resource_id }) => resource_id,
        maxLength: 2
      })
    }),
    { maxLength: 8 }
  )
  .map((all) => all.map((one, n): OpenLine => ({ id: `l${n}`, ...one })))
const someMovements = fc.uniqueArray(
  fc.record({
    resource_id: fc.constantFrom(...ids),
    version: fc.integer({ min: 1, max: 3 }),
    direction: directions,
    amount: amounts,
    day: days,
    open: fc.boolean(),
    isPayout: fc.boolean(),
    payment: fc.option(fc.constantFrom("a", "d"), { nil: undefined, freq: 2 })
  }),
  { selector: ({ resource_id, version }) => `${resource_id}@${version}`, maxLength: 8 }
)
const someBooks = fc.record({
  movements: someMovements,
  resources: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids),
      payment: fc.constantFrom("under_way" as const, "returning" as const, "paid" as const, "not_paid" as const),
      due: fc.option(fc.record({ direction: directions, amount: amounts })),
      fees: fc.array(amounts, { maxLength: 1 })
    }),
    { selector: ({ id }) => id }
  ),
  wholeDays: fc.subarray([day, "2026-03-03"]).map((some) => new Set(some))
})

describe("matching", () => {
  covers("MATCH-6")
  it("is of lines that name one resource as strongly, if its open movements are enough for all of them, and else of none", () => {
    const of = fc.array(fc.record({ open: fc.boolean(), amount: fc.constantFrom(100n, 250n) }), {
      minLength: 1,
      maxLength: 4
    })
    fc.assert(
      fc.property(fc.constantFrom(...namings), of, fc.integer({ min: 1, max: 4 }), (by, moved, count) => {
        const movements = moved.map(({ amount, open }, n) => movement("a", amount, { open, version: n + 1 }))
        const free = movements.filter(({ amount, open }) => open && amount === 100n)
        const lines = Array.from({ length: count }, (_, n) => line(`l${n}`, 100n, naming("a", by)))
        const taken = matchLines(lines, books(movements)).flatMap((one) => ("matches" in one ? one.matches : []))
        expect(taken).toHaveLength(count <= free.length ? count : 0)
        for (const { version } of taken) expect(free.map((one) => one.version)).toContain(version)
      }),
      { numRuns: triesOf(500) }
    )
  })

  covers("MATCH-7")
  it("does not depend on the order of lines, movements and resources, and decides each line once", () => {
    fc.assert(
      fc.property(someLines, someBooks, fc.infiniteStream(fc.nat()), (lines, of, random) => {
        const shuffled = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
          items
            .map((item) => [random.next().value as number, item] as const)
            .sort((x, y) => x[0] - y[0])
            .map(([, item]) => item)
        const found = matchLines(lines, of)
        expect(found.map((one) => one.line_id).sort()).toEqual(lines.map(({ id }) => id).sort())
        const other = { ...of, movements: shuffled(of.movements), resources: shuffled(of.resources) }
        expect(matchLines(shuffled(lines), other)).toEqual(found)
      }),
      { numRuns: triesOf(2_000) }
    )
  })

  covers("MATCH-2", "MATCH-3", "MATCH-7")
  it("finds what a line names where another resource has its money as it finds its own", () => {
    const plain = someBooks.map((of) => ({
      ...of,
      movements: of.movements.map(({ payment: _, ...one }): BookMovement => one)
    }))
    fc.assert(
      fc.property(someLines, plain, fc.subarray(ids), (lines, of, kept) => {
        const keep = (one: BookMovement): BookMovement =>
          kept.includes(one.resource_id)
            ? { ...one, resource_id: `${one.resource_id} kept`, payment: one.resource_id }
            : one
        const found = matchLines(lines, { ...of, movements: of.movements.map(keep) })
        const nameAll = (text: string): string => text.replace(" kept", "")
        const plainly = (all: ReadonlyArray<LineFinding>) =>
          JSON.stringify(all, (key, value) => {
            if (key === "payment") return undefined
            if (key === "resources") return [...new Set((value as ReadonlyArray<string>).map(nameAll))]
            return typeof value === "bigint" ? String(value) : typeof value === "string" ? nameAll(value) : value
          })
        expect(plainly(found)).toBe(plainly(matchLines(lines, of)))
      }),
      { numRuns: triesOf(2_000) }
    )
  })

  covers("MATCH-2")
  it("leaves what another resource has of a payment to the lines that name that one", () => {
    const kept = movement("e", 100n, { payment: "a" })
    const one = books([kept])
    expect(decide([line("l", 100n, naming("a")), line("m", 100n, naming("e"))], one)).toEqual([
      "executed_twice high 100 []",
      "command_id e"
    ])
    const both = books([kept, movement("a", 100n)])
    expect(decide([line("l", 100n, naming("a")), line("m", 100n, naming("e"))], both)).toEqual([
      "command_id a",
      "command_id e"
    ])
    expect(decide([line("l", 100n, naming("a")), line("m", 100n, naming("a"))], both)).toEqual([
      "command_id a",
      "command_id e"
    ])
    expect(decide([line("l", 90n, naming("a")), line("m", 100n)], one)).toEqual([
      "amount_differs high 10 [command_id e]",
      "missing_in_books low 0 []"
    ])
    expect(decide([line("l", 200n, naming("a"))], both)).toEqual(["batch_reference a,e"])
  })

  it("gives a movement to one line, in its direction, and its matches sum to the line", () => {
    fc.assert(
      fc.property(someLines, someBooks, (lines, of) => {
        const used = new Set<string>()
        for (const found of matchLines(lines, of)) {
          if (!("matches" in found)) continue
          const own = lines.find(({ id }) => id === found.line_id)!
          expect(found.matches.reduce((sum, one) => sum + one.amount, 0n)).toBe(own.amount)
          for (const { resource_id, version } of found.matches) {
            const name = `${resource_id}@${version}`
            expect(used.has(name)).toBe(false)
            used.add(name)
            const one = of.movements.find((each) => each.resource_id === resource_id && each.version === version)!
            expect([one.open, one.direction]).toEqual([true, own.direction])
          }
        }
      }),
      { numRuns: triesOf(2_000) }
    )
  })

  covers("MATCH-2", "MATCH-3")
  it("lets no weaker name decide where a stronger one may be about the line", () => {
    const rankOf = (by: Naming): number => (by === "resource_id" || by === "reference" ? 1 : 0)
    fc.assert(
      fc.property(someLines, someBooks, (lines, of) => {
        for (const found of matchLines(lines, of)) {
          if (!("matches" in found)) continue
          const [{ resource_id, rule }] = found.matches
          const own = lines.find(({ id }) => id === found.line_id)!
          const chosen = own.names.find((one) => one.by === rule && one.resource_id === resource_id)
          if (chosen === undefined) continue
          const names = own.names.filter(({ by }) => rankOf(by) < rankOf(chosen.by))
          const stronger = new Set(names.map((one) => one.resource_id))
          const theirs = [
            ...of.movements.filter((one) => stronger.has(one.resource_id)),
            ...of.resources.flatMap(({ due, id }) => (due !== null && stronger.has(id) ? [due] : []))
          ]
          expect(theirs.filter(({ direction }) => direction === own.direction)).toEqual([])
        }
      }),
      { numRuns: triesOf(2_000) }
    )
  })

  covers("BREAK-4")
  it("tells what differs from the movements that it names", () => {
    fc.assert(
      fc.property(someLines, someBooks, (lines, of) => {
        const isOf =
          ({ resource_id, version }: { readonly resource_id: string; readonly version: number }) =>
          (one: BookMovement) =>
            one.resource_id === resource_id && one.version === version
        for (const found of matchLines(lines, of)) {
          if (!("difference" in found)) continue
          const { amount, direction, kind, told_from } = found.difference
          const own = lines.find(({ id }) => id === found.line_id)!
          const signed = direction === own.direction ? amount : -amount
          const basis = told_from.map((one) => of.movements.find(isOf(one))!)
          for (const one of basis) expect([one.open, one.direction]).toEqual([true, own.direction])
          const sum = basis.reduce((all, one) => all + one.amount, 0n)
          if (kind === "executed_twice") expect(basis.every((one) => one.amount === own.amount)).toBe(true)
          else if (kind === "amount_differs" && basis.length > 0) expect(signed).toBe(own.amount - sum)
          else expect(basis).toEqual([])
        }
      }),
      { numRuns: triesOf(2_000) }
    )
  })

  covers("BREAK-2")
  it("says of what left, and of another amount than the books have, that it is at risk, unless it is the fee", () => {
    fc.assert(
      fc.property(someLines, someBooks, (lines, of) => {
        for (const found of matchLines(lines, of)) {
          if (!("difference" in found)) continue
          const { amount, decidedBy, direction, exposure, kind, severity, told_from } = found.difference
          const own = lines.find(({ id }) => id === found.line_id)!
          /** What has the money of a payment is found under it, unless a line takes it by its own name. */
          const isUnder = (one: BookMovement, id: string): boolean =>
            one.resource_id === id ||
            (listNamesOf(one).includes(id) &&
              (!one.open || told_from.some(({ resource_id }) => resource_id === one.resource_id)))
          const moved = of.movements.some((one) => isUnder(one, decidedBy[0]!) && one.direction === own.direction)
          const fees = of.resources.find(({ id }) => id === decidedBy[0])?.fees ?? []
          // The bank has so much less than the books, whichever way the money went.
          const isFee =
            kind === "amount_differs" && moved && direction === "debit" && fees.some((fee) => fee === amount)
          const isOwn = own.direction === "debit" || (kind === "amount_differs" && told_from.length > 0)
          const isAtRisk = kind !== "missing_in_books" && isOwn && !isFee
          expect([severity, exposure]).toEqual(isAtRisk ? ["high", amount] : ["low", 0n])
        }
      }),
      { numRuns: triesOf(2_000) }
    )
  })

  it("writes nothing in a run after a run", () => {
    fc.assert(
      fc.property(someLines, someBooks, (lines, of) => {
        const found = matchLines(lines, of)
        const taken = found.flatMap((one) => ("matches" in one ? one.matches : []))
        const after = of.movements.map((one) =>
          taken.some((by) => by.resource_id === one.resource_id && by.version === one.version)
            ? { ...one, open: false }
            : one
        )
        const open = lines.filter(({ id }) => found.some((one) => one.line_id === id && "difference" in one))
        expect(matchLines(open, { ...of, movements: after }).filter((one) => "matches" in one)).toEqual([])
      }),
      { numRuns: triesOf(2_000) }
    )
  })
})
