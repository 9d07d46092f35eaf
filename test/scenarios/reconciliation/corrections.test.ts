/** Statements that correct what is there, that are read in parts, and that come after their day was sealed (INGEST-5, INGEST-11, CLOSE-3). */
import { Clock, type Context, Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { ChunkLines } from "../../../src/engine/resources/reconciliation/statement-plan.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import type { BankStatement } from "../../../src/statements/statement.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { deskIn } from "../../support/statements/desk.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"
import { overtaken } from "../../support/stores/overtaken.ts"

let numbers = 0
let places = 0
const [day, next] = ["2026-01-05", "2026-01-06"] as const

/** A booking of a file, at a place of its own. */
const booking = (amount: string, different: Parameters<typeof line>[0] = {}) =>
  line({ amount, currency: "NGN", place: `line ${++places}`, ...different })

/** The transactions of one entry. */
const batch = (whole: string, ...amounts: ReadonlyArray<string>) =>
  amounts.map((amount, part) =>
    booking(amount, { entry: { reference: "BATCH", direction: "credit", amount: whole, part } })
  )

/** What people do at an account, on a node. */
const deskAt = Effect.fnUntraced(function* (id: string, value: string) {
  const desk = yield* deskIn("NGN")
  const identifier = { scheme: "account_number", value } as const
  const [takers, lines, closings] = [yield* BankStatements, yield* StatementLines, yield* Closings]
  const match = Effect.flatMap(Reconciliations, (all) => all.match(id))
  const own = (different: Partial<BankStatement>): BankStatement =>
    statement({ account: { identifiers: [identifier], currency: "NGN", bank: null }, currency: "NGN", ...different })
  const upload = (different: Partial<BankStatement>) =>
    takers.take(desk.operator, { file: fileOf(own({ message_id: `m${++numbers}`, ...different })) })
  const take = (different: Partial<BankStatement>) => Effect.andThen(upload(different), match)
  /** A statement of a day with balances. */
  const full = (closing: string, given: BankStatement["lines"], different: Partial<BankStatement> = {}) => ({
    number: "1",
    opening_balance: { date: day, amount: "100" },
    closing_balance: { date: day, amount: closing },
    lines: given,
    ...different
  })
  const shown = Effect.map(lines.list({ external_account_id: id, per_page: 200 }), ({ items }) =>
    items.map((one) => `${one.booked_on} ${one.direction} ${one.amount} ${one.status}`).toSorted()
  )
  const open = Effect.map(desk.breaks({ external_account_id: id, status: "open" }), (all) =>
    all.map(({ amount, direction, kind }) => `${kind} ${amount} ${direction}`).toSorted()
  )
  const close = (date: string, accept = false) =>
    closings.create(desk.operator, { external_account_id: id, date, ...(accept ? { accept, note: "seen" } : {}) })
  const unexplained = (date: string) =>
    Effect.map(closings.reconciliation({ external_account_id: id, date }), ({ items }) => items[0]!.unexplained)
  return { ...desk, account_id: id, close, full, match, open, shown, take, unexplained, upload }
})

const account = Effect.gen(function* () {
  const desk = yield* deskIn("NGN")
  const value = `97-${++numbers}`
  const accounts = yield* ExternalAccounts
  const { id } = yield* accounts.create(desk.operator, {
    provider: "simulated",
    currency: "NGN",
    kind: "bank",
    identifiers: [{ scheme: "account_number", value }],
    opening: { date: day, balance: "100" },
    time_zone: "UTC"
  })
  return { ...(yield* deskAt(id, value)), number: value }
})

const reading = <A, E, R>(effect: Effect.Effect<A, E, R>, size = 500) =>
  Effect.provide(effect, Layer.mergeAll(readable, Layer.succeed(ChunkLines, size)))

onServers("a statement without an end", (run) => {
  covers("STATEMENT-16")
  it("is taken, and is refused where its bookings lie further apart than anybody keeps them", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* account
          yield* own.take({ format: "camt.052", to: "9999-12-31", lines: [booking("3")] })
          yield* own.take(own.full("103", [booking("3")], { to: "9999-12-31" }))
          assert.strictEqual((yield* own.shown).length, 1)
          const lines = [booking("1"), booking("1", { booked_on: "9999-12-31" })]
          const refused = yield* Effect.flip(own.take({ lines }))
          assert.include(refused.message, "the booking date 9999-12-31")
        })
      )
    ))
})

covers("INGEST-5", "INGEST-4")
describe("a statement that is read in parts, and whose day an interim report has", () => {
  /** The lines after a statement of five bookings was read. `nth`: the commit of it before which something happens. */
  const linesWhere = (isReported: boolean, nth: number, happens: "another node reads another" | "its node ends") => {
    const { first, layer } = overtaken()
    const engineOver = (storage: Context.Context<Storage>) =>
      makeSimulatedEngine({ storage: Layer.succeedContext(storage) })
    const read = Effect.fnUntraced(function* (storage: Context.Context<Storage>) {
      const own = yield* account
      const report = { format: "mt942", lines: [booking("1"), booking("2")] } as const
      if (isReported) yield* own.take(report)
      const other = reading(
        Effect.gen(function* () {
          const desk = yield* deskAt(own.account_id, own.number)
          yield* desk.upload(report)
          // What a statement has is not withdrawn before it is read.
          assert.notInclude(yield* desk.shown, `${day} credit 1.00 withdrawn`)
          yield* desk.match
        }),
        2
      )
      // A runtime of its own: layers are built once in each.
      const elsewhere = Effect.promise(() => Effect.runPromise(Effect.provide(other, engineOver(storage))))
      let commits = 0
      const counting: Effect.Effect<unknown> = Effect.suspend(() => {
        const isNext = commits++ === nth
        first.before = isNext ? Effect.void : counting
        if (!isNext) return Effect.void
        return happens === "its node ends" ? Effect.die("it has ended") : elsewhere
      })
      first.before = counting
      const lines = Array.from({ length: 5 }, () => booking("1"))
      yield* Effect.exit(own.take(own.full("105", lines)))
      first.before = Effect.void
      if (happens === "its node ends") {
        // Its job reads what a node has left, within a minute.
        yield* (yield* ServiceClock).moveTo((yield* Clock.currentTimeMillis) + 60_000)
        yield* (yield* Dispatcher).drain()
      }
      yield* own.match
      return { shown: yield* own.shown, commits }
    })
    return Effect.gen(function* () {
      const storage = yield* Layer.build(layer)
      return yield* Effect.provide(reading(read(storage), 2), engineOver(storage))
    }).pipe(Effect.scoped, Effect.runPromise)
  }
  const own = Array.from({ length: 5 }, () => `${day} credit 1.00 unmatched`)
  const reported = [...own, `${day} credit 2.00 withdrawn`]

  it.each([
    ["before it", true, "another node reads another", reported],
    ["before it", true, "its node ends", reported],
    ["later", false, "another node reads another", reported],
    ["never", false, "its node ends", own]
  ] as const)(
    "%s, has each of its lines once, at whichever of its commits (%s) %s",
    async (_, isReported, happens, expected) => {
      const { commits, shown } = await linesWhere(isReported, Infinity, happens)
      assert.deepEqual(shown, isReported ? reported : own)
      assert.isAbove(commits, 3)
      // The first stores it.
      for (let nth = 1; nth < commits; nth++)
        assert.deepEqual((await linesWhere(isReported, nth, happens)).shown, expected, `before commit ${nth}`)
    }
  )
})

onServers("a correction of a sealed day", (run) => {
  covers("CLOSE-5", "INGEST-11")
  it("brings a line back that the statement did not have when it was sealed: on the first open day", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* account
          yield* own.take({ format: "mt942", lines: [booking("50")] })
          yield* own.take(own.full("100", []))
          assert.deepEqual(yield* own.shown, [`${day} credit 50.00 withdrawn`])
          yield* own.close(day)
          yield* own.take(own.full("150", [booking("50")]))
          assert.deepEqual(yield* own.shown, [`${day} credit 50.00 unmatched`])
          assert.deepEqual([yield* own.unexplained(day), yield* own.open], ["0.00", ["missing_in_books 50.00 credit"]])
        })
      )
    ))

  it("leaves a total what it is where its transactions come later", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* account
          yield* own.take(own.full("400", [booking("300")], { format: "mt940" }))
          yield* own.close(day, true)
          yield* own.take(own.full("400", batch("300", "100", "110", "90")))
          yield* own.take(own.full("400", batch("300", "100", "110", "90"), { number: null }))
          assert.deepEqual(yield* own.shown, [`${day} credit 300.00 unmatched`])
          assert.deepEqual(yield* own.open, ["missing_in_books 300.00 credit"])
        })
      )
    ))

  covers("CLOSE-3", "BREAK-5")
  it("by a person, who opens a break of it again, counts on the first open day", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* account
          yield* own.take(own.full("105", [booking("5")]))
          const [found] = yield* own.breaks({ external_account_id: own.account_id, status: "open" })
          yield* own.resolve(found!.id, { action: "explain", from: "world:simulated", to: "suspense" })
          yield* own.close(day)
          yield* own.resolve(found!.id, { action: "reopen" })
          assert.deepEqual([yield* own.unexplained(day), yield* own.unexplained(next)], ["0.00", "5.00"])
          assert.strictEqual((yield* Effect.flip(own.close(next)))._tag, "InvalidStatus")
        })
      )
    ))
})

onServers("a line that a person has decided", (run) => {
  covers("INGEST-4", "BREAK-1")
  it("is open again where its amount is another, and its entry is free", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* account
          yield* own.take(own.full("400", [booking("300")], { format: "mt940" }))
          const [found] = yield* own.breaks({ external_account_id: own.account_id, status: "open" })
          yield* own.resolve(found!.id, { action: "explain", from: "world:simulated", to: "suspense" })
          yield* own.take(own.full("400", batch("300", "100", "110", "90")))
          const open = ["100.00", "110.00", "90.00"].map((amount) => `${day} credit ${amount} unmatched`)
          assert.deepEqual(yield* own.shown, open)
          assert.strictEqual(yield* own.unexplained(day), "300.00")
        })
      )
    ))

  covers("INGEST-10", "BREAK-1")
  it("frees what it was matched together with, once a statement does not have it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* account
          const both = [booking("70"), booking("70", { direction: "debit" })]
          yield* own.take({ format: "mt942", lines: both })
          const [one, other] = yield* own.breaks({ external_account_id: own.account_id, status: "open" })
          const line_ids = [...one!.lines, ...other!.lines]
          yield* own.resolve(one!.id, { action: "match", line_ids, resource_ids: [] })
          assert.deepEqual(yield* own.open, [])
          yield* own.take(own.full("30", [booking("70", { direction: "debit" })]))
          assert.deepEqual(yield* own.shown, [`${day} credit 70.00 withdrawn`, `${day} debit 70.00 unmatched`])
          assert.deepEqual([yield* own.unexplained(day), yield* own.open], ["-70.00", ["missing_in_books 70.00 debit"]])
        })
      )
    ))
})
