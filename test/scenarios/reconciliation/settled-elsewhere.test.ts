/** Breaks whose lines are accounted for one after the other, through other breaks, or by an entry that is undone (BREAK-1, BREAK-6). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { onServers } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { matchingDesk } from "../../support/statements/desk.ts"
import { readable } from "../../support/statements/readable.ts"

let cents = 6_000
const amountOfItsOwn = (): string => `${++cents}.57`

const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, readable)

const paid = Effect.fnUntraced(function* (amount: string) {
  const m = yield* merchantAtWork("100000")
  const { id } = yield* m.transfer(amount)
  yield* m.settle
  yield* m.says(id, "success")
  return { m, id }
})

onServers("a break whose lines are settled through others", (run) => {
  covers("BREAK-1")
  it("ends with the last of them", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          const [first, second] = yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
          const [twice] = yield* desk.about(id)
          assert.strictEqual(twice!.kind, "executed_twice")
          const [one, other] = yield* desk.says([
            { amount: "1.01", remittance: "NOBODY" },
            { amount: "1.02", remittance: "NOBODY" }
          ])
          const [through] = yield* desk.about(one!.id)
          const [alsoThrough] = yield* desk.about(other!.id)
          yield* desk.resolve(through!.id, { action: "match", line_ids: [first!.id], resource_ids: [id] })
          assert.deepInclude(yield* desk.breakOf(twice!.id), { status: "open" })
          const entry = yield* desk.entries.create(desk.operator, {
            from: "receivable:simulated",
            to: "world:simulated",
            amount,
            currency: "USDC",
            note: "paid twice"
          })
          yield* desk.resolve(alsoThrough!.id, { action: "match", line_ids: [second!.id], resource_ids: [entry.id] })
          assert.deepInclude(yield* desk.breakOf(twice!.id), { status: "resolved", action: "cleared" })
        })
      )
    ))

  covers("BREAK-6")
  it("has them, dismissed too, until it is opened again and matched", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const [wrong] = yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
          const [unknown] = yield* desk.says([{ amount: amountOfItsOwn(), remittance: "UNKNOWN" }])
          const [held] = yield* desk.about(unknown!.id)
          yield* desk.resolve(held!.id, { action: "unmatch", line_ids: [wrong!.id] })
          yield* desk.resolve(held!.id, { action: "dismiss" })
          yield* desk.match
          assert.strictEqual((yield* desk.lineOf(wrong!.id)).status, "unmatched")
          const again = yield* desk.resolve(held!.id, { action: "reopen" })
          assert.sameMembers([...again.lines], [unknown!.id, wrong!.id])
          yield* desk.resolve(held!.id, { action: "match", line_ids: [wrong!.id], resource_ids: [id] })
          assert.deepEqual((yield* desk.breakOf(held!.id)).lines, [unknown!.id])
          const ended = yield* desk.resolve(held!.id, { action: "explain", from: "losses", to: "world:simulated" })
          assert.deepInclude(ended, { status: "resolved", action: "explain" })
        })
      )
    ))

  covers("BREAK-6")
  it("says what all of its lines come to, once a person has added lines to it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [alone] = yield* desk.says([{ amount: "3.00", remittance: "ALONE" }])
          const [own] = yield* desk.about(alone!.id)
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const [other] = yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
          const open = yield* desk.resolve(own!.id, { action: "unmatch", line_ids: [other!.id] })
          assert.strictEqual(open.amount, (Number(amount) + 3).toFixed(2))
        })
      )
    ))

  it("is not opened again while the entry of another accounts for one of them in part", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const { id: late } = yield* paid(amountOfItsOwn())
          const [less] = yield* desk.says([{ amount: "5000.01", end_to_end_id: `${late}.payout` }])
          const [differs] = yield* desk.about(less!.id)
          const amount = amountOfItsOwn()
          const [line] = yield* desk.says([{ amount, remittance: "EARLY" }])
          const [first] = yield* desk.about(line!.id)
          const { id } = yield* paid(amount)
          yield* desk.resolve(first!.id, { action: "match", resource_ids: [id] })
          yield* desk.resolve(differs!.id, { action: "unmatch", line_ids: [line!.id] })
          yield* desk.resolve(differs!.id, { action: "explain", from: "losses", to: "world:simulated" })
          const states = [first!.id, differs!.id].map((one) =>
            Effect.map(desk.breakOf(one), ({ action, status }) => [status, action])
          )
          const before = yield* Effect.all(states)
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "matched")
          for (const action of ["reopen", "unmatch"] as const) {
            const refused = yield* Effect.flip(desk.resolve(first!.id, { action }))
            assert.strictEqual(refused._tag, "InvalidStatus")
          }
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "matched")
          assert.deepEqual(yield* Effect.all(states), before)
          yield* desk.resolve(differs!.id, { action: "reopen" })
          assert.deepInclude(yield* desk.resolve(first!.id, { action: "reopen" }), { status: "open" })
        })
      )
    ))
})

onServers("a break of what is missing", (run) => {
  covers("BREAK-1", "BREAK-3")
  it("does not end with a line that a person has taken from another payment through it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const { id, m } = yield* paid(amountOfItsOwn())
          yield* m.advance(10 * 86_400)
          const [missing] = yield* desk.about(id)
          const amount = amountOfItsOwn()
          const other = yield* paid(amount)
          const [line] = yield* desk.says([{ amount, end_to_end_id: `${other.id}.payout` }])
          yield* desk.resolve(missing!.id, { action: "unmatch", line_ids: [line!.id] })
          const [unknown] = yield* desk.says([{ amount: amountOfItsOwn(), remittance: "UNKNOWN" }])
          const [through] = yield* desk.about(unknown!.id)
          yield* desk.resolve(through!.id, { action: "match", line_ids: [line!.id], resource_ids: [other.id] })
          assert.deepInclude(yield* desk.breakOf(missing!.id), { status: "open", kind: "missing_on_statement" })
          const explain = { action: "explain", from: "world:simulated", to: "losses" } as const
          assert.deepInclude(yield* desk.resolve(missing!.id, explain), { status: "resolved" })
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "matched")
          yield* desk.resolve(missing!.id, { action: "reopen" })
          const { amount: due } = yield* desk.breakOf(missing!.id)
          yield* desk.says([{ amount: due!, end_to_end_id: `${id}.payout` }])
          assert.deepInclude(yield* desk.breakOf(missing!.id), { status: "resolved", action: "cleared" })
        })
      )
    ))
})

onServers("a line that a person takes from a payment that was missing", (run) => {
  /** A payment that was missing until a line came, which a person has said to be something else; and that line. */
  const takenApart = Effect.gen(function* () {
    const desk = yield* matchingDesk
    const amount = amountOfItsOwn()
    const { id, m } = yield* paid(amount)
    yield* m.advance(10 * 86_400)
    const [missing] = yield* desk.about(id)
    const [line] = yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
    assert.deepInclude(yield* desk.breakOf(missing!.id), { status: "resolved", action: "cleared" })
    const again = yield* desk.resolve(missing!.id, { action: "unmatch", line_ids: [line!.id] })
    assert.deepInclude(again, { status: "open", lines: [] })
    yield* desk.match
    const [own, ...others] = yield* desk.about(line!.id)
    assert.deepEqual(others, [])
    const { amount: differs, kind, note, statements } = own!
    assert.deepEqual(
      { differs, kind, note, statements },
      {
        ...{ differs: amount, kind: "missing_in_books", note: "seen" },
        statements: [line!.statement_id]
      }
    )
    return { amount, desk, id, line: line!, missing: missing!, own: own! }
  })

  covers("ADJUST-5", "BREAK-6")
  it("is explained by an entry that names the line, and the payment is still missing", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { amount, desk, line, missing, own } = yield* takenApart
          const money = { from: "costs:simulated", to: "world:simulated", amount, currency: "USDC" }
          yield* desk.entries.create(desk.operator, { ...money, line_id: line.id, note: "a fee" })
          assert.strictEqual((yield* desk.lineOf(line.id)).status, "explained")
          assert.strictEqual((yield* desk.breakOf(own.id)).status, "resolved")
          assert.strictEqual((yield* desk.breakOf(missing.id)).status, "open")
        })
      )
    ))

  covers("BREAK-4", "BREAK-6")
  it("and the payment are explained one by one, each by what its break offers", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { desk, line, missing, own } = yield* takenApart
          for (const { actions } of [own, yield* desk.breakOf(missing.id)]) assert.include([...actions], "explain")
          yield* desk.resolve(own.id, { action: "explain", from: "costs:simulated", to: "world:simulated" })
          assert.strictEqual((yield* desk.lineOf(line.id)).status, "explained")
          yield* desk.resolve(missing.id, { action: "explain", from: "world:simulated", to: "losses" })
          assert.strictEqual((yield* desk.breakOf(missing.id)).status, "resolved")
        })
      )
    ))

  covers("BREAK-6")
  it("is the payment again where a person says so", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { desk, id, line, missing, own } = yield* takenApart
          yield* desk.resolve(own.id, { action: "match", resource_ids: [id] })
          assert.strictEqual((yield* desk.lineOf(line.id)).status, "matched")
          assert.strictEqual((yield* desk.breakOf(missing.id)).status, "resolved")
        })
      )
    ))
})

onServers("a payment that is missing", (run) => {
  covers("BREAK-3", "BREAK-4")
  it("is missing again where its break ended with a line and another payment", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const { id, m } = yield* paid(amountOfItsOwn())
          yield* m.advance(10 * 86_400)
          const [missing] = yield* desk.about(id)
          const amount = amountOfItsOwn()
          const [early] = yield* desk.says([{ amount, remittance: "EARLY" }])
          const other = yield* paid(amount)
          yield* desk.resolve(missing!.id, { action: "match", line_ids: [early!.id], resource_ids: [other.id] })
          yield* m.advance(86_400)
          const again = yield* desk.about(id)
          assert.deepEqual(
            again.map(({ kind }) => kind),
            ["missing_on_statement"]
          )
          yield* desk.resolve(missing!.id, { action: "reopen" })
          assert.deepEqual(
            (yield* desk.about(id)).map((one) => one.id),
            [missing!.id]
          )
          yield* desk.resolve(missing!.id, { action: "dismiss" })
          yield* m.advance(86_400)
          assert.deepEqual(yield* desk.about(id), [])
        })
      )
    ))
})

onServers("lines that are one payment together", (run) => {
  const halves = Effect.fnUntraced(function* (amount: string) {
    const desk = yield* matchingDesk
    const { id } = yield* paid("90.02")
    const half = { amount, end_to_end_id: `${id}.payout` }
    const lines = yield* desk.says([half, { ...half, bank_reference: `HALF ${++cents}` }])
    const [first] = yield* desk.about(lines[0]!.id)
    const line_ids = lines.map((line) => line.id)
    const states = Effect.forEach(line_ids, (line) => Effect.map(desk.lineOf(line), ({ status }) => status))
    return { desk, id, first: first!, lines, line_ids, states }
  })

  covers("BREAK-6")
  it("are free together when a person takes one of them", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { desk, first, line_ids, states } = yield* halves("45.01")
          yield* desk.resolve(first.id, { action: "match", line_ids })
          assert.deepEqual(yield* states, ["matched", "matched"])
          const [unknown] = yield* desk.says([{ amount: amountOfItsOwn(), remittance: "UNKNOWN" }])
          const [other] = yield* desk.about(unknown!.id)
          const undone = yield* desk.resolve(other!.id, { action: "unmatch", line_ids: [line_ids[1]!] })
          assert.deepEqual(yield* states, ["unmatched", "unmatched"])
          assert.includeMembers([...undone.lines], line_ids)
        })
      )
    ))

  covers("ADJUST-2")
  it("are free together when the entry is reversed that one of them is in part", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { desk, first, id, line_ids, states } = yield* halves("45.51")
          const entry = yield* desk.entries.create(desk.operator, {
            from: "losses",
            to: "world:simulated",
            amount: "1.00",
            currency: "USDC",
            note: "kept by the bank"
          })
          yield* desk.resolve(first.id, { action: "match", line_ids, resource_ids: [id, entry.id] })
          assert.deepEqual(yield* states, ["matched", "matched"])
          yield* desk.entries.reverse(desk.operator, entry.id, { note: "in error" })
          assert.deepEqual(yield* states, ["unmatched", "unmatched"])
        })
      )
    ))
})

onServers("a break that an entry without a line explained", (run) => {
  covers("BREAK-1", "BREAK-6")
  it("is about what it was when that is undone", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const { id, m } = yield* paid(amountOfItsOwn())
          yield* m.advance(10 * 86_400)
          const [missing] = yield* desk.about(id)
          const shown = ({ actions, lines, resources }: typeof missing & {}) => ({ actions, lines, resources })
          const { adjusting_entry_id } = yield* desk.resolve(missing!.id, {
            action: "explain",
            from: "world:simulated",
            to: "receivable:simulated"
          })
          assert.deepEqual(shown(yield* desk.resolve(missing!.id, { action: "reopen" })), shown(missing!))
          assert.deepEqual(yield* desk.breaks({ resource_id: adjusting_entry_id!, status: "open" }), [])
          yield* desk.resolve(missing!.id, { action: "dismiss" })
        })
      )
    ))
})
