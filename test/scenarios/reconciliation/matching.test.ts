/** Lines find the movements that they are, each by its rule, and what is not certain is left to people (MATCH-1 to MATCH-8). */
import { Clock, Effect } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import { DayPayouts } from "../../../src/engine/resources/reconciliation/matching.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { deriveStatementReference } from "../../../src/engine/input/statement-reference.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"
import { matchingDesk } from "../../support/statements/desk.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

/** Amounts that no other test of the file has. */
let cents = 1_000
const amountOfItsOwn = (): string => `${++cents}.37`

const paid = Effect.fnUntraced(function* (amount: string, more: object = {}) {
  const m = yield* merchantAtWork("100000")
  const { id, reference } = yield* m.transfer(amount, more)
  yield* m.settle
  yield* m.says(id, "success")
  return { m, id, reference }
})

const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, readable)

onServers("a line of a statement", (run) => {
  covers("MATCH-1", "MATCH-2")
  it("is the payout whose command's statement reference it has, with its amount", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const reference = deriveStatementReference(`${id}.payout`)
          const [line] = yield* desk.says([
            { amount, remittance: `PAYMENT ${reference.slice(0, 7)}\n${reference.slice(7)} OK` }
          ])
          assert.strictEqual(line!.status, "matched")
          assert.deepEqual(line!.matches, [{ resource_id: id, amount, rule: "statement_reference" }])
          assert.deepEqual(yield* desk.about(line!.id), [])
        })
      )
    ))

  it("is what its end-to-end id, its own reference or its text names, each by its rule", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [a, b, c] = [amountOfItsOwn(), amountOfItsOwn(), amountOfItsOwn()]
          const first = yield* paid(a)
          const second = yield* paid(b, { reference: `INV/2026/${b}` })
          const third = yield* paid(c)
          const lines = yield* desk.says([
            { amount: a, end_to_end_id: `${first.id}.payout` },
            { amount: b, remittance: `/REMI/INV/2026/${b} thanks` },
            { amount: c, remittance: third.id.toUpperCase() }
          ])
          assert.deepEqual(
            lines.map(({ matches, status }) => [status, matches[0]?.resource_id, matches[0]?.rule]),
            [
              ["matched", first.id, "command_id"],
              ["matched", second.id, "reference"],
              ["matched", third.id, "resource_id"]
            ]
          )
        })
      )
    ))

  covers("MATCH-2")
  it("is what its text names by the provider's reference, a UETR or a transaction hash, among movements that are alike", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const names = [
            ["provider_reference", "FT2633100042", { provider_reference: "FT2633100042" }],
            [
              "uetr",
              "97ed4827-7b6f-4491-a06f-b548d5a7512d",
              { provider_reference: "97ed4827-7b6f-4491-a06f-b548d5a7512d" }
            ],
            ["transaction_hash", `0x${"ab12".repeat(16)}`, { transaction_hash: `0x${"ab12".repeat(16)}` }]
          ] as const
          for (const [rule, name, outcome] of names) {
            const amount = amountOfItsOwn()
            const m = yield* merchantAtWork("100000")
            const [own, other] = [yield* m.transfer(amount), yield* m.transfer(amount)]
            yield* m.settle
            yield* m.says(own.id, "success", outcome)
            yield* m.says(other.id, "success")
            const [line] = yield* desk.says([{ amount, remittance: `PAYMENT REF:${name}, THANKS` }])
            assert.deepEqual([line!.status, line!.matches], ["matched", [{ resource_id: own.id, amount, rule }]])
          }
          // A short word is no name of a provider.
          const amount = amountOfItsOwn()
          const m = yield* merchantAtWork("100000")
          const both = [yield* m.transfer(amount), yield* m.transfer(amount)]
          yield* m.settle
          for (const [n, { id }] of both.entries()) yield* m.says(id, "success", { provider_reference: `N${n}23` })
          const [line] = yield* desk.says([{ amount, remittance: "Invoice N123" }])
          assert.deepEqual([line!.status, line!.matches.length], ["proposed", 2])
        })
      )
    ))

  covers("MATCH-2", "BREAK-2")
  it("whose text only mentions a payment that another line has is no second one of another amount", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const m = yield* merchantAtWork("100000")
          const { id } = yield* m.transfer(amount)
          yield* m.settle
          yield* m.says(id, "success", { provider_reference: "FT2633100044" })
          const words = "one two three four five six seven eight nine ten eleven twelve"
          const [payment, commission] = yield* desk.says([
            { amount, remittance: `${words} ft2633100044` },
            { amount: "25.07", remittance: "COMMISSION ON FT2633100044" }
          ])
          assert.deepEqual(payment!.matches, [{ resource_id: id, amount, rule: "provider_reference" }])
          assert.deepEqual(
            (yield* desk.about(commission!.id)).map(({ exposure, kind, severity }) => [kind, severity, exposure]),
            [["missing_in_books", "low", null]]
          )
          // While no line has it, a line of another amount may be it.
          const { id: short } = yield* m.transfer(amount)
          yield* m.settle
          yield* m.says(short, "success", { provider_reference: "FT2633100045" })
          const [less] = yield* desk.says([{ amount: "25.08", remittance: "FT2633100045" }])
          assert.deepEqual(
            (yield* desk.about(less!.id)).map(({ kind, severity }) => [kind, severity]),
            [["amount_differs", "high"]]
          )
          // Nor has any line a payment that failed.
          const { id: failed } = yield* m.transfer(amount)
          yield* m.settle
          yield* m.says(failed, "failed", { provider_reference: "FT2633100046" })
          const [left] = yield* desk.says([{ amount: "25.09", remittance: "FT2633100046" }])
          assert.deepEqual(
            (yield* desk.about(left!.id)).map(({ exposure, kind, severity }) => [kind, severity, exposure?.amount]),
            [["contradicts_status", "high", "25.09"]]
          )
        })
      )
    ))

  covers("MATCH-5")
  it("is the movement alike it where their numbers are equal, and else has both as candidates", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [alone, twice] = [amountOfItsOwn(), amountOfItsOwn()]
          const { id } = yield* paid(alone)
          const [x, y] = [yield* paid(twice), yield* paid(twice)]
          const lines = yield* desk.says([{ amount: alone }, { amount: twice }])
          assert.deepEqual(lines[0]!.matches, [{ resource_id: id, amount: alone, rule: "alike" }])
          assert.strictEqual(lines[1]!.status, "proposed")
          assert.deepEqual(lines[1]!.matches.map(({ resource_id }) => resource_id).sort(), [x.id, y.id].sort())
          const [open] = yield* desk.about(lines[1]!.id)
          assert.deepInclude(open, { kind: "missing_in_books", severity: "low", amount: twice, exposure: null })
          // The second line makes them equal, and the break is gone.
          yield* desk.says([{ amount: twice, remittance: "another" }])
          assert.strictEqual((yield* desk.lineOf(lines[1]!.id)).status, "matched")
          assert.deepEqual(yield* desk.about(lines[1]!.id), [])
        })
      )
    ))

  covers("MATCH-4")
  it("is all payouts under its own reference that sum to it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const ids: Array<string> = []
          const batch = `BATCH${amountOfItsOwn().replace(".", "")}`
          for (const amount of ["11.11", "22.22", "33.33"]) {
            const m = yield* merchantAtWork()
            const { id } = yield* m.transfer(amount)
            yield* m.settle
            yield* m.says(id, "success", { provider_reference: batch })
            ids.push(id)
          }
          const [line] = yield* desk.says([{ amount: "66.66", bank_reference: batch }])
          assert.strictEqual(line!.status, "matched")
          assert.deepEqual(line!.matches.map(({ resource_id }) => resource_id).sort(), ids.toSorted())
          assert.deepEqual([...new Set(line!.matches.map(({ rule }) => rule))], ["batch_reference"])
        })
      )
    ))
})

onMemory("a line that comes late", (run) => {
  covers("MATCH-1", "MATCH-5")
  it("is the payment that it names after forty days too, and what names none has candidates of the last 31 days", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const after = (days: number) => {
            const booked_on = new Date(Date.parse(desk.today) + days * 86_400_000).toISOString().slice(0, 10)
            return { booked_on, value_on: booked_on }
          }
          const [named, nameless, older] = [amountOfItsOwn(), amountOfItsOwn(), amountOfItsOwn()]
          const { id } = yield* paid(named)
          const other = yield* paid(nameless)
          yield* paid(older)
          const [late] = yield* desk.says([
            { ...after(40), amount: named, remittance: `Payment ${deriveStatementReference(`${id}.payout`)}` }
          ])
          assert.deepEqual(late!.matches, [{ resource_id: id, amount: named, rule: "statement_reference" }])
          const [near] = yield* desk.says([{ ...after(30), amount: nameless }])
          assert.deepEqual(near!.matches, [{ resource_id: other.id, amount: nameless, rule: "near" }])
          const [far] = yield* desk.says([{ ...after(40), amount: older }])
          assert.deepInclude(far, { status: "unmatched", matches: [] })
        })
      )
    ))

  covers("MATCH-5", "SEARCH-2")
  it("without a name has as candidates what moved in its amount, whatever was asked for", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const late = new Date(Date.parse(desk.today) + 20 * 86_400_000).toISOString().slice(0, 10)
          const on = { booked_on: late, value_on: late }
          const m = yield* merchantAtWork("200000")
          const [short, unnamed, withheld, asked] = [amountOfItsOwn(), amountOfItsOwn(), amountOfItsOwn(), "90733.00"]
          const pays = Effect.fnUntraced(function* (amount: string, reported: string, more: object = {}) {
            const { id } = yield* m.transfer(amount)
            yield* m.settle
            yield* m.says(id, "success", { amount: reported, ...more })
            return id
          })
          const ids = [
            yield* pays("9000.00", short, { currency: "USDC" }),
            yield* pays("9000.00", unnamed),
            yield* pays((Number(withheld) + 1.5).toFixed(2), withheld, { fee: "1.50", fee_currency: "USDC" })
          ]
          const lines = yield* desk.says([short, unnamed, withheld].map((amount) => ({ ...on, amount })))
          assert.deepEqual(
            lines.map(({ matches }) => matches),
            [short, unnamed, withheld].map((amount, n) => [{ resource_id: ids[n]!, amount, rule: "near" }])
          )
          // The amount that was asked for never moved.
          const id = yield* pays(asked, amountOfItsOwn())
          const [none] = yield* desk.says([{ ...on, amount: asked }])
          assert.deepInclude(none, { status: "unmatched", matches: [] }, id)
        })
      )
    ))
})

onMemory("a file that is compared with the books of a copy", (run) => {
  covers("RESTORE-8")
  it("says of each new line what the books have, and which payouts no line is, and nothing is written", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const known = { amount: amountOfItsOwn(), bank_reference: "KNOWN-1" }
          yield* desk.says([known])
          const before = [yield* desk.breaks(), (yield* (yield* StatementLines).list({})).total]
          const made = () => m.transfer(amountOfItsOwn())
          const [done, sent, failed, alone] = [yield* made(), yield* made(), yield* made(), yield* made()]
          yield* m.settle
          yield* m.says(done.id, "success")
          yield* m.says(failed.id, "failed")
          const waiting = yield* made()
          const lost = deriveStatementReference("tfr_01k6x0m8k6j4h2g1f3d5s7a9qw.payout")
          const debit = (one: object) =>
            line({ booked_on: desk.today, value_on: desk.today, currency: "USDC", direction: "debit", ...one })
          const file = fileOf(
            statement({
              account: { identifiers: [{ scheme: "account_number", value: "77-1" }], currency: "USDC", bank: null },
              currency: "USDC",
              lines: [
                debit(known),
                ...[done, sent, failed, waiting].map(({ amount, id }) =>
                  debit({ amount, remittance: deriveStatementReference(`${id}.payout`) })
                ),
                debit({ amount: "3.21", remittance: lost })
              ]
            })
          )
          const { lines, unpaid } = yield* (yield* BankStatements).compare({ file })
          assert.deepEqual(
            lines.map(({ amount, finding, resource_ids }) => [finding, amount, resource_ids]),
            [
              ["matched", done.amount, [done.id]],
              ["under_way", sent.amount, [sent.id]],
              ["contradicts_status", failed.amount, [failed.id]],
              ["not_submitted", waiting.amount, [waiting.id]],
              ["unknown", "3.21", []]
            ]
          )
          const ids = new Set(unpaid.map(({ id }) => id))
          assert.deepEqual(
            [done, sent, failed, alone, waiting].map(({ id }) => ids.has(id)),
            [false, false, false, true, false]
          )
          assert.deepEqual([yield* desk.breaks(), (yield* (yield* StatementLines).list({})).total], before)
          yield* m.settle
          for (const { id } of [sent, alone, waiting]) yield* m.says(id, "failed")
        })
      )
    ))

  covers("RESTORE-8")
  it("says nothing of the lines of a file that the copy has taken, and a payout that one of them is has its line", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const made = () => m.transfer(amountOfItsOwn())
          const [done, sent, alone] = [yield* made(), yield* made(), yield* made()]
          yield* m.settle
          yield* m.says(done.id, "success")
          const fileWith = (message_id: string, given: ReadonlyArray<object>) =>
            fileOf(
              statement({
                account: { identifiers: [{ scheme: "account_number", value: "77-1" }], currency: "USDC", bank: null },
                currency: "USDC",
                message_id,
                lines: given.map((one) =>
                  line({ booked_on: desk.today, value_on: desk.today, currency: "USDC", direction: "debit", ...one })
                )
              })
            )
          const lineOf = ({ amount, id }: typeof done) => ({
            amount,
            remittance: deriveStatementReference(`${id}.payout`)
          })
          // A line without a reference of the bank is known again by its file alone.
          const referred = { ...lineOf(sent), bank_reference: "SENT-1" }
          const file = fileWith("the same", [lineOf(done), referred])
          yield* (yield* BankStatements).take(desk.operator, { file })
          yield* desk.match
          for (const one of [file, fileWith("another", [referred])]) {
            const { lines, unpaid } = yield* (yield* BankStatements).compare({ file: one })
            assert.deepEqual(lines, [])
            const ids = new Set(unpaid.map(({ id }) => id))
            assert.deepEqual(
              [done, sent, alone].map(({ id }) => ids.has(id)),
              [false, false, true]
            )
          }
          for (const { id } of [sent, alone]) yield* m.says(id, "failed")
        })
      )
    ))
})

onMemory("what a provider does and its reports do not say", (run) => {
  covers("BREAK-2")
  it("is a break of severity high: paid twice, with what left again as its exposure", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          const lines = yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
          assert.deepEqual(lines.map(({ status }) => status).includes("matched"), false)
          const [open, ...others] = yield* desk.about(id)
          assert.deepEqual(others, [])
          assert.deepInclude(open, { kind: "executed_twice", severity: "high", amount })
          assert.deepEqual(open!.exposure, { amount, currency: "USDC" })
          assert.deepEqual(open!.lines.toSorted(), lines.map((line) => line.id).sort())
        })
      )
    ))

  it("is a break of severity high: paid again on a later statement", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          const [first] = yield* desk.says([named])
          const [second] = yield* desk.says([named])
          // Neither is the payment, as on one statement.
          const [open, ...others] = yield* desk.about(second!.id)
          assert.deepEqual(others, [])
          assert.deepInclude(open, { kind: "executed_twice", severity: "high", amount })
          assert.deepEqual(open!.lines.toSorted(), [first!.id, second!.id].sort())
          const { matches, status } = yield* desk.lineOf(first!.id)
          assert.deepEqual([status, matches.map(({ resource_id }) => resource_id)], ["proposed", [id]])
        })
      )
    ))

  it("is a break of severity high: paid twice, or another amount, and reported nothing", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const [twice, other] = [yield* m.transfer("801.11"), yield* m.transfer("700.11")]
          yield* m.settle
          for (const { id } of [twice, other]) assert.strictEqual(yield* m.status(id), "processing")
          const named = { amount: twice.amount, end_to_end_id: `${twice.id}.payout` }
          yield* desk.says([
            named,
            { ...named, bank_reference: "SECOND" },
            { amount: "7001.10", end_to_end_id: `${other.id}.payout` }
          ])
          // The books have neither of the two: no outcome is known.
          assert.deepInclude((yield* desk.about(twice.id))[0], {
            kind: "executed_twice",
            severity: "high",
            amount: "1602.22",
            exposure: { amount: "1602.22", currency: "USDC" }
          })
          assert.deepInclude((yield* desk.about(other.id))[0], {
            kind: "amount_differs",
            severity: "high",
            amount: "6300.99",
            exposure: { amount: "6300.99", currency: "USDC" }
          })
          for (const { id } of [twice, other]) yield* m.says(id, "failed")
        })
      )
    ))

  it("is a break of severity high: paid what it rejected", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const amount = amountOfItsOwn()
          const reference = `INV-${amount}`
          const { id } = yield* m.transfer(amount, { reference })
          yield* m.settle
          yield* m.says(id, "failed")
          assert.strictEqual(yield* m.status(id), "failed")
          for (const end_to_end_id of [`${id}.payout`, reference]) {
            const [line] = yield* desk.says([{ amount, end_to_end_id }])
            const [open] = yield* desk.about(line!.id)
            assert.deepInclude(open, { kind: "contradicts_status", severity: "high", amount })
            assert.deepEqual(open!.resources, [id])
            assert.deepEqual(open!.exposure, { amount, currency: "USDC" })
          }
        })
      )
    ))

  it("is a break of severity high: another amount, and a low one where the difference is the fee that it reported", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const { id } = yield* paid("500.11")
          const apart = yield* paid("600.11")
          const m = yield* merchantAtWork()
          const charged = yield* m.transfer("400.11")
          yield* m.settle
          yield* m.says(charged.id, "success", { fee: "1.50", fee_currency: "USDC" })
          const lines = yield* desk.says([
            { amount: "507.11", end_to_end_id: `${id}.payout` },
            { amount: "401.61", end_to_end_id: `${charged.id}.payout` },
            { amount: "1.50", end_to_end_id: `${charged.id}.payout` }
          ])
          assert.deepInclude((yield* desk.about(lines[0]!.id))[0], {
            kind: "amount_differs",
            severity: "high",
            amount: "7.00"
          })
          assert.deepInclude((yield* desk.about(lines[1]!.id))[0], {
            kind: "amount_differs",
            severity: "low",
            amount: "1.50",
            exposure: null
          })
          const [right, fee] = yield* desk.says([
            { amount: "600.11", end_to_end_id: `${apart.id}.payout` },
            { amount: "1.17", end_to_end_id: `${apart.id}.payout` }
          ])
          assert.strictEqual(right!.status, "matched")
          assert.deepInclude((yield* desk.about(fee!.id))[0], {
            kind: "amount_differs",
            severity: "high",
            amount: "1.17",
            exposure: { amount: "1.17", currency: "USDC" }
          })
          assert.deepEqual(lines[2]!.matches, [{ resource_id: charged.id, amount: "1.50", rule: "fee" }])
          assert.strictEqual(lines[2]!.status, "proposed")
        })
      )
    ))
})

onMemory("a line that names two payments, the one in its own reference and the other in its text", (run) => {
  covers("BREAK-4")
  it("differs by what its break says, and by that alone: an entry of it accounts for the first", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [a, b] = [yield* paid("901.11"), yield* paid("502.22")]
          const [line] = yield* desk.says([
            { amount: "911.11", end_to_end_id: `${a.id}.payout`, remittance: `correction of ${b.id}` }
          ])
          const [open] = yield* desk.about(line!.id)
          assert.deepInclude(open, { kind: "amount_differs", severity: "high", amount: "10.00", direction: "debit" })
          assert.deepEqual(open!.resources, [a.id, b.id].toSorted())
          yield* desk.resolve(open!.id, { action: "explain", from: "losses", to: "world:simulated" })
          const entry = yield* desk.entryOf((yield* desk.breakOf(open!.id)).adjusting_entry_id!)
          assert.deepInclude(entry, { from: "losses", to: "world:simulated", amount: "10.00" })
          const { matches } = yield* desk.lineOf(line!.id)
          assert.deepEqual(
            matches.map((one) => [one.resource_id, one.amount]),
            [
              [a.id, "901.11"],
              [entry.id, "10.00"]
            ]
          )
          const [own] = yield* desk.says([{ amount: "502.22", end_to_end_id: `${b.id}.payout` }])
          assert.deepEqual([own!.status, own!.matches.map((one) => one.resource_id)], ["matched", [b.id]])
        })
      )
    ))

  it("says no amount by itself once the payment that it was told from is another line's", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const a = yield* paid("911.13")
          const [first] = yield* desk.says([{ amount: "921.13", end_to_end_id: `${a.id}.payout` }])
          const [other] = yield* desk.says([{ amount: "911.13" }])
          const [open] = yield* desk.about(first!.id)
          const [nameless] = yield* desk.about(other!.id)
          yield* desk.resolve(nameless!.id, { action: "match", resource_ids: [a.id] })
          const explain = { action: "explain", from: "losses", to: "world:simulated" } as const
          const refused = yield* Effect.flip(desk.resolve(open!.id, explain))
          assert.match(refused.message, /921\.13 USDC by now, and the break says 10\.00 USDC/)
          yield* desk.match
          assert.strictEqual((yield* desk.breakOf(open!.id)).amount, "921.13")
          yield* desk.resolve(open!.id, explain)
          const entry = yield* desk.entryOf((yield* desk.breakOf(open!.id)).adjusting_entry_id!)
          assert.strictEqual(entry.amount, "921.13")
        })
      )
    ))

  it("says that a payment is under way, of which the books have nothing to explain a line of another amount by", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const { id } = yield* m.transfer("912.13")
          yield* m.settle
          const [line] = yield* desk.says([{ amount: "922.13", end_to_end_id: `${id}.payout` }])
          const [open] = yield* desk.about(line!.id)
          assert.deepInclude(open, { kind: "amount_differs", amount: "10.00" })
          const explain = { action: "explain", from: "losses", to: "world:simulated" } as const
          const { message } = yield* Effect.flip(desk.resolve(open!.id, explain))
          assert.include(message, `${id} is under way, and the books have nothing of it yet.`)
          assert.include(message, "all of the line differs, 922.13 USDC; 10.00 USDC is what differs if it succeeds")
          // Once it has succeeded, what differs is what the break says.
          yield* m.says(id, "success")
          yield* desk.match
          yield* desk.resolve(open!.id, explain)
          const entry = yield* desk.entryOf((yield* desk.breakOf(open!.id)).adjusting_entry_id!)
          assert.strictEqual(entry.amount, "10.00")
        })
      )
    ))

  covers("MATCH-2", "MATCH-3")
  it("is not the second where it has the amount of that: both are its candidates", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [a, b] = [yield* paid("1901.11"), yield* paid("1502.22")]
          const [line] = yield* desk.says([
            { amount: "1502.22", end_to_end_id: `${a.id}.payout`, remittance: `see also ${b.id}` }
          ])
          assert.deepEqual(
            line!.matches.map(({ resource_id }) => resource_id),
            [a.id, b.id]
          )
          assert.strictEqual(line!.status, "proposed")
          const [open, ...others] = yield* desk.about(line!.id)
          assert.deepEqual(others, [])
          assert.deepInclude(open, { kind: "amount_differs", severity: "high", amount: "398.89", direction: "credit" })
          yield* desk.resolve(open!.id, { action: "match", resource_ids: [b.id] })
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "matched")
        })
      )
    ))
})

onMemory("a line of all payouts of its day", (run) => {
  covers("MATCH-4")
  it("is they, whatever else left the account on that day", () =>
    run(
      reading(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("100000")
          yield* m.advance(60 * 86_400)
          const desk = yield* matchingDesk
          const [a, b] = [yield* m.transfer("50.11"), yield* m.transfer("45.22")]
          yield* m.settle
          for (const { id } of [a, b]) yield* m.says(id, "success")
          const entry = { from: "costs:simulated", to: "world:simulated", amount: "5", currency: "USDC", note: "fee" }
          yield* desk.entries.create(desk.operator, entry)
          const [line] = yield* desk.says([{ amount: "95.33" }])
          assert.deepEqual(
            line!.matches.map(({ rule }) => rule),
            ["batch_day", "batch_day"]
          )
          assert.deepEqual(line!.matches.map(({ resource_id }) => resource_id).toSorted(), [a.id, b.id].toSorted())
        })
      )
    ))
})

covers("MATCH-7")
it.each(["between two payments that are alike", "after both"])(
  "a line that comes %s is a question, also where the day ends before the clock looks again",
  (comes) =>
    Effect.runPromise(
      reading(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("100000")
          const now = yield* Clock.currentTimeMillis
          yield* m.advance(Math.ceil((86_400_000 - (now % 86_400_000)) / 1000) + 10 * 3600)
          // The clock looks at an account every twelve hours: at ten in the morning and in the evening.
          const desk = yield* matchingDesk
          yield* m.advance(60)
          const amount = amountOfItsOwn()
          const pays = Effect.gen(function* () {
            const { id } = yield* m.transfer(amount)
            yield* m.settle
            yield* m.says(id, "success")
            return id
          })
          const says = desk.says([{ amount }], { format: "camt.052", number: null })
          const one = yield* pays
          const before = comes === "after both" ? [] : yield* says
          yield* m.advance(12.5 * 3600)
          const two = yield* pays
          const [line] = comes === "after both" ? yield* says : before
          yield* m.advance(2 * 86_400)
          yield* desk.match
          const { matches, status } = yield* desk.lineOf(line!.id)
          assert.strictEqual(status, "proposed")
          assert.deepEqual(matches.map(({ resource_id }) => resource_id).toSorted(), [one, two].toSorted())
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
)

covers("MATCH-5")
it("a line without a name is the payment or deposit of its day, at whichever minute and in whichever time zone that day is", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom("Etc/GMT+12", "America/Los_Angeles", "UTC", "Asia/Kolkata", "Pacific/Kiritimati"),
      fc.integer({ min: 0, max: 24 * 60 - 1 }),
      (time_zone, minute) =>
        Effect.runPromise(
          reading(
            Effect.gen(function* () {
              const accounts = yield* ExternalAccounts
              const operator = yield* call(PLATFORM_MERCHANT)
              yield* accounts.create(operator, {
                provider: "simulated",
                currency: "USDC",
                kind: "bank",
                identifiers: [{ scheme: "account_number", value: "77-1" }],
                opening: { date: "2023-01-01", balance: "0" },
                time_zone
              })
              const desk = yield* matchingDesk
              const m = yield* merchantAtWork("100000")
              const now = yield* Clock.currentTimeMillis
              yield* m.advance(86_400 + minute * 60 + 30 - Math.floor((now % 86_400_000) / 1000))
              const made = new Date(yield* Clock.currentTimeMillis)
              const [left, came] = [amountOfItsOwn(), amountOfItsOwn()]
              const { id } = yield* m.transfer(left)
              yield* m.settle
              yield* m.says(id, "success")
              const { transaction_id } = yield* m.deposit({ amount: came })
              yield* m.settle
              const booked_on = Intl.DateTimeFormat("en-CA", { timeZone: time_zone }).format(made)
              const found = yield* desk.says(
                [
                  { amount: left, booked_on, value_on: booked_on },
                  { amount: came, booked_on, value_on: booked_on, direction: "credit" }
                ],
                { from: booked_on, to: booked_on }
              )
              assert.deepEqual(
                found.map(({ matches, status }) => [status, matches]),
                [
                  ["matched", [{ resource_id: id, amount: left, rule: "alike" }]],
                  ["matched", [{ resource_id: transaction_id!, amount: came, rule: "alike" }]]
                ]
              )
            })
          ).pipe(Effect.provide(makeSimulatedEngine()), Effect.provideService(DayPayouts, 0))
        )
    ),
    {
      numRuns: triesOf(8),
      // The last minute of the day that ends last, and the first of the one that begins first.
      examples: [
        ["Etc/GMT+12", 12 * 60 - 1],
        ["Pacific/Kiritimati", 10 * 60]
      ]
    }
  ))

covers("MATCH-5")
it("a line without a name has as a candidate what was made in the last hour of its day, behind UTC, and moved on the next", () =>
  Effect.runPromise(
    reading(
      Effect.gen(function* () {
        const accounts = yield* ExternalAccounts
        yield* accounts.create(yield* call(PLATFORM_MERCHANT), {
          provider: "simulated",
          currency: "USDC",
          kind: "bank",
          identifiers: [{ scheme: "account_number", value: "77-1" }],
          opening: { date: "2023-01-01", balance: "0" },
          time_zone: "Etc/GMT+12"
        })
        const desk = yield* matchingDesk
        const m = yield* merchantAtWork("100000")
        const now = yield* Clock.currentTimeMillis
        yield* m.advance(86_400 + 11.5 * 3600 - Math.floor((now % 86_400_000) / 1000))
        const made = yield* Clock.currentTimeMillis
        const amount = amountOfItsOwn()
        const { id } = yield* m.transfer(amount)
        yield* m.advance(3600)
        yield* m.settle
        yield* m.says(id, "success")
        const booked_on = new Date(made - 12 * 3_600_000).toISOString().slice(0, 10)
        const [line] = yield* desk.says([{ amount, booked_on, value_on: booked_on }], {
          from: booked_on,
          to: booked_on
        })
        assert.deepEqual(line!.matches, [{ resource_id: id, amount, rule: "near" }])
      })
    ).pipe(Effect.provide(makeSimulatedEngine()))
  ))

covers("MATCH-5")
it("a credit that is as a deposit and as money in suspense is matched with neither", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const m = yield* merchantAtWork("100000")
      const { id } = yield* m.transfer("4321.09")
      yield* m.settle
      yield* m.says(id, "success")
      yield* m.says(id, "reversed")
      const [exception] = yield* m.exceptions
      yield* m.deposit({ amount: "4321.09" })
      const [line] = yield* desk.says([{ amount: "4321.09", direction: "credit", remittance: "?" }])
      assert.strictEqual(line!.status, "proposed")
      assert.strictEqual(line!.matches.length, 2)
      assert.isTrue(line!.matches.some(({ resource_id }) => resource_id === exception!.id))
    }).pipe(Effect.provide(readable), Effect.provide(makeSimulatedEngine()))
  ))

covers("MATCH-5", "BREAK-3")
it("a credit is no deposit that was made of money in suspense, also beside a debit of its day that is nobody's", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const m = yield* merchantAtWork("100000")
      const { id } = yield* m.transfer("4323.09")
      yield* m.settle
      yield* m.says(id, "refund_failed")
      const [exception] = yield* m.exceptions
      const { credited } = yield* m.resolve(exception!.id, "credit")
      const credit = { amount: "4323.09", direction: "credit", remittance: "?" } as const
      const [line] = yield* desk.says([credit, { amount: "4324.09", remittance: "?" }])
      assert.deepInclude(yield* desk.lineOf(line!.id), { status: "unmatched", matches: [] })
      assert.deepEqual(yield* desk.breaks({ resource_id: credited!.transaction_id }), [])
    }).pipe(Effect.provide(readable), Effect.provide(makeSimulatedEngine()))
  ))

covers("MATCH-7")
it("an account with very many open lines is matched after the call that brings another one, and not in it", () =>
  Effect.runPromise(
    reading(
      Effect.gen(function* () {
        const desk = yield* matchingDesk
        const takers = yield* BankStatements
        const reconciliations = yield* Reconciliations
        const brings = Effect.fnUntraced(function* (number: string, count: number) {
          const own = statement({
            account: { identifiers: [{ scheme: "account_number", value: "77-1" }], currency: "USDC", bank: null },
            currency: "USDC",
            number,
            lines: Array.from({ length: count }, (_, n) =>
              line({ booked_on: desk.today, currency: "USDC", amount: `${n + 1}.13`, place: `line ${n}` })
            )
          })
          yield* reconciliations.taken(yield* takers.take(desk.operator, { file: fileOf(own) }))
        })
        yield* brings("1", 2)
        assert.strictEqual((yield* desk.breaks()).length, 2)
        yield* brings("2", 6_000)
        yield* brings("3", 1)
        assert.strictEqual((yield* desk.breaks()).length, 2)
      })
    ).pipe(Effect.provide(makeSimulatedEngine()))
  ))

covers("MATCH-4", "MATCH-5")
it.each([
  ["all payouts of its day", ["10.37", "20.37", "30.37", "35.37"], "96.48", "matched"],
  ["part of them", ["10.37", "20.37", "30.37", "35.37"], "61.11", "unmatched"]
] as const)("a line that is %s is matched as such where they are more than are kept", (_, payouts, amount, status) =>
  Effect.runPromise(
    reading(
      Effect.gen(function* () {
        const desk = yield* matchingDesk
        for (const one of payouts) yield* paid(one)
        const [line] = yield* desk.says([{ amount, remittance: "SALARIES" }])
        assert.strictEqual(line!.status, status)
        assert.deepEqual(
          line!.matches.map(({ rule }) => rule),
          status === "matched" ? payouts.map(() => "batch_day") : []
        )
      })
    ).pipe(Effect.provide(makeSimulatedEngine()), Effect.provideService(DayPayouts, 3))
  )
)

onMemory("a reference of a merchant in a longer text", (run) => {
  covers("MATCH-3")
  it("names its movement whatever it is written with, among movements that are alike", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const cases: ReadonlyArray<readonly [first: string, second: string, text: (reference: string) => string]> = [
            ["Invoice 78", "Invoice 77", (one) => `SEPA ${one} THANKS`],
            ["Rent, May", "Rent, June", (one) => `${one.toUpperCase()}. thank you`],
            ["A+B", "A+C", (one) => `/REMI/${one}/`],
            ["8", "9", (one) => `order ${one} of today`],
            ["Q8", "Q9", (one) => `PAY:${one}.THANKS`],
            ["2026/71", "2026/72", (one) => `SVWZ+${one}.`],
            ["#41", "#42", (one) => `for (${one})`],
            // The reference of one is a part of that of the other.
            ["55", "Order 55", (one) => `FOR ${one} NOW`]
          ]
          for (const [first, second, text] of cases) {
            const amount = amountOfItsOwn()
            const { id, m } = yield* paid(amount, { reference: first })
            const { id: other } = yield* m.transfer(amount, { reference: second })
            yield* m.settle
            yield* m.says(other, "success")
            // The books have the first one first, and the statement the second.
            const lines = yield* desk.says([
              { amount, remittance: text(second) },
              { amount, remittance: text(first) }
            ])
            const found = new Map(lines.map(({ matches, remittance }) => [remittance, matches]))
            assert.deepEqual(
              [second, first].map((one) =>
                found.get(text(one))!.map(({ resource_id, rule }) => [resource_id, rule].join())
              ),
              [[`${other},reference`], [`${id},reference`]],
              text(first)
            )
          }
        })
      )
    ))

  covers("MATCH-3", "MATCH-7")
  it("is found in a long text that was there before its movement", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const remittance = `${Array.from({ length: 60 }, (_, n) => `L${n}`).join("/")} for Late, 9; thanks`
          const [line] = yield* desk.says([{ amount, remittance }])
          assert.strictEqual(line!.status, "unmatched")
          yield* desk.match
          const { id } = yield* paid(amount, { reference: "Late, 9" })
          yield* desk.match
          assert.deepEqual(
            (yield* desk.lineOf(line!.id)).matches.map(({ resource_id, rule }) => [resource_id, rule]),
            [[id, "reference"]]
          )
        })
      )
    ))

  covers("MATCH-3")
  it("proposes those of two that it has as well, and is not found within a word", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id, m } = yield* paid(amount, { reference: "K1" })
          const { id: other } = yield* m.transfer(amount, { reference: "K2" })
          yield* m.settle
          yield* m.says(other, "success")
          const [both, none] = yield* desk.says([
            { amount, remittance: "K1 and K2" },
            { amount, remittance: "K11 XK2" }
          ])
          assert.strictEqual(both!.status, "proposed")
          assert.sameMembers(
            both!.matches.map(({ resource_id }) => resource_id),
            [id, other]
          )
          assert.notInclude(
            none!.matches.map(({ rule }) => rule),
            "reference"
          )
        })
      )
    ))
})

onMemory("a second name in the text of a line", (run) => {
  covers("BREAK-2", "CLOSE-5")
  it("leaves two lines that pay one movement one difference, of what left too often", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id, m } = yield* paid(amount)
          const { id: other } = yield* m.transfer("3.21")
          yield* m.settle
          yield* m.says(other, "success")
          const texts = [null, `after ${other}.payout`]
          yield* desk.says(texts.map((remittance) => ({ amount, end_to_end_id: `${id}.payout`, remittance })))
          const found = yield* desk.about(id)
          assert.deepEqual(
            found.map(({ amount, exposure, kind, lines, resources }) => [
              kind,
              amount,
              exposure,
              lines.length,
              resources
            ]),
            [["executed_twice", amount, { amount, currency: "USDC" }, 2, [id, other].sort()]]
          )
        })
      )
    ))

  covers("MATCH-2", "MATCH-6")
  it("is no payment of another amount: a fee that quotes a reference of ours is low, and nothing is at risk", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const reference = deriveStatementReference(`${id}.payout`)
          const [payment, ...fees] = yield* desk.says([
            { amount, end_to_end_id: `${id}.payout` },
            ...[`${id}.payout`, reference, id].map((one, n) => ({ amount: `1.0${n}`, remittance: `FEE FOR ${one}` }))
          ])
          assert.strictEqual(payment!.status, "matched")
          for (const fee of fees) {
            const [found] = yield* desk.about(fee.id)
            assert.deepInclude(found, { kind: "missing_in_books", severity: "low", exposure: null })
          }
          // Under its own reference, another amount is one.
          const [wrong] = yield* desk.says([{ amount: "1.05", end_to_end_id: `${id}.payout` }])
          assert.deepInclude((yield* desk.about(wrong!.id))[0], { kind: "amount_differs", severity: "high" })
        })
      )
    ))
})

onMemory("open lines at whose provider money moves again and again", (run) => {
  covers("MATCH-7")
  it("are looked at by one look at a time, which rests, and what is asked for meanwhile comes after it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const storage = yield* Storage
          const reconciliations = yield* Reconciliations
          const { m } = yield* paid(amountOfItsOwn())
          yield* desk.says([{ amount: amountOfItsOwn(), remittance: "Nobody knows" }])
          yield* m.advance(86_400)
          const stateKey = { merchant_id: PLATFORM_MERCHANT, kind: "matching", id: desk.id }
          const first = (yield* storage.get([stateKey]))[0]!.version
          // A look is stored, and may set the next run.
          const looks = Effect.map(storage.get([stateKey]), ([row]) => Math.ceil((row!.version - first) / 2))
          const jobs = Effect.map(storage.jobsBeginning(PLATFORM_MERCHANT, [`${desk.id}.look`], 10), (found) =>
            found.map(({ due_at, status }) => [status, due_at])
          )
          const looking = reconciliations.look(desk.id)
          yield* Effect.all(
            Array.from({ length: 8 }, () => looking),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(yield* looks, 1)
          const [[status, due] = []] = yield* jobs
          assert.deepEqual([status, Number(due) > (yield* Clock.currentTimeMillis)], ["pending", true])
          // It rests: a look that is due before that waits.
          yield* looking
          assert.strictEqual(yield* looks, 1)
          yield* m.advance(60)
          assert.isAtLeast(yield* looks, 2)
          assert.deepEqual(yield* jobs, [])
        })
      )
    ))
})
