/** Entries that are reversed once lines or breaks account for them: nothing stays hidden behind them (ADJUST-2, ADJUST-5, BREAK-6). */
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { ChunkLines } from "../../../src/engine/resources/reconciliation/statement-plan.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import type { BankStatementLine } from "../../../src/statements/statement.ts"
import { onMemory, onServers, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { matchingDesk } from "../../support/statements/desk.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

let cents = 8_000
const amountOfItsOwn = (): string => `${++cents}.39`

const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, readable)

const desk = Effect.map(matchingDesk, (own) => ({
  ...own,
  post: (amount: string, different: object = {}) =>
    own.entries.create(own.operator, {
      from: "costs:simulated",
      to: "world:simulated",
      amount,
      currency: "USDC",
      note: "fee of the bank",
      ...different
    }),
  reverse: (id: string) => own.entries.reverse(own.operator, id, { note: "booked in error" }),
  outstanding: Effect.flatMap(Closings, (closings) =>
    Effect.map(
      closings.reconciliation({ external_account_id: own.id }),
      ({ items }) => [items[0]!.outstanding, items[0]!.unexplained] as const
    )
  )
}))

const refusalOf = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isFailure(result) ? ([result.failure._tag, result.failure.message] as const) : assert.fail("it succeeded")
  )

onMemory("an entry by which no statement has a payment", (run) => {
  covers("BREAK-2", "ADJUST-2")
  it.each(["reversed", "reopened", "explained"])("is named by the break of the line that has it: %s", (by) =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const m = yield* merchantAtWork("100000")
          const { amount, id } = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          yield* m.says(id, "success")
          yield* m.advance(6 * 86_400)
          const [missing] = yield* own.about(id)
          const gone = { from: "world:simulated", to: "receivable:simulated" }
          const { adjusting_entry_id } = yield* own.resolve(missing!.id, { action: "explain", ...gone })
          const [paid] = yield* own.says([{ amount, end_to_end_id: `${id}.payout` }])
          const found = yield* own.about(paid!.id)
          assert.deepEqual(
            found.map(({ exposure, kind, resources, severity }) => [kind, severity, exposure, resources.toSorted()]),
            [["missing_in_books", "low", null, [adjusting_entry_id!, id].toSorted()]]
          )
          assert.deepEqual(
            (yield* own.about(adjusting_entry_id!)).map((one) => one.id),
            [found[0]!.id]
          )
          if (by === "reversed") yield* own.reverse(adjusting_entry_id!)
          if (by === "reopened") yield* own.resolve(missing!.id, { action: "reopen" })
          if (by === "explained") yield* own.resolve(found[0]!.id, { action: "explain", from: gone.to, to: gone.from })
          yield* own.match
          assert.deepEqual(yield* own.about(paid!.id), [])
          assert.deepEqual(yield* own.about(id), [])
          assert.strictEqual((yield* own.lineOf(paid!.id)).status, by === "explained" ? "explained" : "matched")
          assert.strictEqual((yield* own.outstanding)[1], "0.00")
        })
      )
    )
  )
})

onServers("an entry that a line is", (run) => {
  covers("ADJUST-2", "BREAK-1")
  it.each(["by matching", "by a person"])("and that is reversed leaves the line to be explained: matched %s", (by) =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const [outstanding, open] = yield* own.outstanding
          const amount = amountOfItsOwn()
          const entry = yield* own.post(amount)
          const text = by === "by matching" ? entry.id : "FEE"
          const lines = yield* own.says([
            { amount, remittance: text },
            ...(by === "by matching" ? [] : [{ amount, remittance: "ANOTHER" }])
          ])
          const [line] = lines
          if (by === "by a person") {
            const [found] = yield* own.about(line!.id)
            yield* own.resolve(found!.id, { action: "match", resource_ids: [entry.id] })
          }
          assert.strictEqual((yield* own.lineOf(line!.id)).status, "matched")
          yield* own.reverse(entry.id)
          yield* own.match
          const freed = yield* own.lineOf(line!.id)
          assert.notStrictEqual(freed.status, "matched")
          assert.deepEqual(
            (yield* own.about(line!.id)).map(({ amount, kind, status }) => [kind, amount, status]),
            [["missing_in_books", amount, "open"]]
          )
          for (const { action } of yield* own.about(line!.id, "resolved")) assert.strictEqual(action, "cleared")
          const after = yield* own.outstanding
          assert.strictEqual(after[0], outstanding)
          assert.notStrictEqual(after[1], open)
        })
      )
    )
  )
})

onMemory("an entry that more lines are than are read at once", (run) => {
  covers("ADJUST-2", "BREAK-6")
  it("leaves all of them open when it is reversed", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const count = 1_200
          const given = Array.from({ length: count }, (_, n) => ({ amount: "0.01", remittance: `PART ${n}` }))
          yield* own.says(given)
          const statuses = Effect.gen(function* () {
            const all = yield* StatementLines
            const query = { external_account_id: own.id, amount: "0.01", currency: "USDC", per_page: 200 }
            const pages = yield* Effect.forEach(
              Array.from({ length: Math.ceil(count / 200) }, (_, n) => n + 1),
              (page) => all.list({ ...query, page })
            )
            return pages.flatMap(({ items }) => items)
          })
          const lines = yield* statuses
          const entry = yield* own.post("12.00")
          const [first] = yield* own.about(lines[0]!.id)
          const line_ids = lines.map(({ id }) => id)
          yield* own.resolve(first!.id, { action: "match", line_ids, resource_ids: [entry.id] })
          assert.isTrue((yield* statuses).every(({ status }) => status === "matched"))
          yield* own.reverse(entry.id)
          const left = (yield* statuses).filter(({ status }) => status === "matched")
          assert.strictEqual(left.length, 0)
        }).pipe(Effect.provideService(ChunkLines, 100))
      )
    ))
})

onServers("an entry that no statement has", (run) => {
  covers("ADJUST-2", "BREAK-3")
  it("is missing no more once it is reversed, and is not reversed while another accounts for it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const m = yield* merchantAtWork("0")
          const world = yield* own.world
          const [first, second] = [yield* own.post(amountOfItsOwn()), yield* own.post(amountOfItsOwn())]
          yield* m.advance(10 * 86_400)
          const [missing] = yield* own.about(first!.id)
          const [other] = yield* own.about(second!.id)
          assert.deepEqual([missing!.kind, other!.kind], ["missing_on_statement", "missing_on_statement"])
          yield* own.resolve(missing!.id, { action: "explain", from: "world:simulated", to: "losses" })
          const [tag, message] = yield* refusalOf(own.reverse(first!.id))
          assert.strictEqual(tag, "InvalidStatus")
          assert.include(message, missing!.id)
          yield* own.resolve(missing!.id, { action: "reopen" })
          yield* own.reverse(first!.id)
          yield* own.reverse(second!.id)
          assert.strictEqual(Number(yield* own.world), Number(world))
          for (const id of [missing!.id, other!.id])
            assert.deepInclude(yield* own.breakOf(id), { status: "resolved", action: "cleared" })
        })
      )
    ))
})

onServers("an entry of an exception that a line is", (run) => {
  covers("ADJUST-2", "ADJUST-3")
  it("and that is reversed leaves the line to be explained, and the money in suspense", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const m = yield* merchantAtWork("1000")
          const { id } = yield* m.transfer("53.39")
          yield* m.settle
          yield* m.says(id, "refund_failed")
          const [exception] = yield* m.exceptions
          const sent = { from: "suspense", to: "world:simulated", exception_id: exception!.id }
          const entry = yield* own.post("53.39", sent)
          const [line] = yield* own.says([{ amount: "53.39", remittance: entry.id }])
          assert.strictEqual((yield* own.lineOf(line!.id)).status, "matched")
          yield* own.reverse(entry.id)
          yield* own.match
          assert.deepEqual(
            (yield* own.about(line!.id)).map(({ kind }) => kind),
            ["missing_in_books"]
          )
          assert.deepEqual(
            (yield* m.exceptions).map(({ amount, status }) => [amount, status]),
            [["53.39", "open"]]
          )
        })
      )
    ))
})

onServers("a line that an entry accounts for in part", (run) => {
  covers("BREAK-6")
  it("is not taken from it through another break", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const m = yield* merchantAtWork("100000")
          const amount = amountOfItsOwn()
          const { id } = yield* m.transfer(amount)
          yield* m.settle
          yield* m.says(id, "success")
          const more = amount.replace(/^./, "9")
          const [line, unknown] = yield* own.says([
            { amount: more, end_to_end_id: `${id}.payout` },
            { amount: amountOfItsOwn(), remittance: "UNKNOWN" }
          ])
          const [differs] = yield* own.about(id)
          assert.strictEqual(differs!.kind, "amount_differs")
          yield* own.resolve(differs!.id, { action: "explain", from: "losses", to: "world:simulated" })
          const [other] = yield* own.about(unknown!.id)
          const world = yield* own.world
          const [tag] = yield* refusalOf(own.resolve(other!.id, { action: "unmatch", line_ids: [line!.id] }))
          assert.strictEqual(tag, "InvalidStatus")
          assert.strictEqual(yield* own.world, world)
          assert.strictEqual((yield* own.lineOf(line!.id)).status, "matched")
          yield* own.resolve(differs!.id, { action: "unmatch" })
          assert.strictEqual((yield* own.lineOf(line!.id)).status, "unmatched")
        })
      )
    ))
})

/** A store of which the first commit that is `first` waits until one that is `second` was made, or it has waited for long. */
const overtaken = (first: (change: Change) => boolean, second: (change: Change) => boolean) =>
  Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      const made = yield* Deferred.make<void>()
      let isWaiting = false
      return {
        ...storage,
        commit: (change: Change) =>
          Effect.gen(function* () {
            if (!isWaiting && first(change)) {
              isWaiting = true
              yield* Effect.race(Deferred.await(made), Effect.sleep(2_000))
            }
            const verdict = yield* storage.commit(change)
            if (second(change)) yield* Deferred.succeed(made, undefined)
            return verdict
          })
      }
    })
  ).pipe(Layer.provide(MemoryStorage.layer))

/** A line of a statement that no run of matching has seen. */
const unseen = Effect.fnUntraced(function* (own: Effect.Success<typeof desk>, given: Partial<BankStatementLine>) {
  const of = { currency: "USDC", booked_on: own.today, value_on: own.today, direction: "debit" } as const
  const file = fileOf(
    statement({
      account: { identifiers: [{ scheme: "account_number", value: "77-1" }], currency: "USDC", bank: null },
      currency: "USDC",
      lines: [line({ ...of, ...given })]
    })
  )
  const [made] = yield* (yield* BankStatements).take(own.operator, { file })
  const [found] = (yield* (yield* StatementLines).list({ statement_id: made!.id })).items
  return found!
})

const has =
  (kind: string, state: string) =>
  ({ rows }: Change): boolean =>
    rows.some((row) => row.kind === kind && row.state === state)

const racing = <A, E>(effect: Effect.Effect<A, E, SimulatedEngine>, storage: Layer.Layer<Storage>) =>
  Effect.runPromise(effect.pipe(reading, Effect.provide(makeSimulatedEngine({ storage }))))

covers("ADJUST-2", "MATCH-7")
it("an entry that is reversed while a line is matched with it is matched with none", () =>
  racing(
    Effect.gen(function* () {
      const own = yield* desk
      const entry = yield* own.post("51.39")
      const { id } = yield* unseen(own, { amount: "51.39", remittance: entry.id })
      yield* Effect.all([own.match, Effect.delay(own.reverse(entry.id), 50)], { concurrency: 2 })
      assert.notStrictEqual((yield* own.lineOf(id)).status, "matched")
      assert.deepEqual(
        (yield* own.about(id)).map(({ kind }) => kind),
        ["missing_in_books"]
      )
    }),
    overtaken(has("statement_line", "matched"), has("adjusting_entry", "reversed"))
  ))

covers("ADJUST-5", "MATCH-7")
it("a line that an entry explains while matching finds its difference has no break", () =>
  racing(
    Effect.gen(function* () {
      const own = yield* desk
      const { id } = yield* unseen(own, { amount: "52.39", remittance: "FEE" })
      yield* Effect.all([own.match, Effect.delay(own.post("52.39", { line_id: id }), 50)], { concurrency: 2 })
      assert.strictEqual((yield* own.lineOf(id)).status, "explained")
      assert.deepEqual(yield* own.about(id), [])
    }),
    overtaken(has("break", "open"), has("statement_line", "explained"))
  ))

covers("CLOSE-1", "CLOSE-2")
it("a day is not sealed with a line whose match is undone while its figures are read", () => {
  const [sealing, isUndone] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const storage = Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      let isFirst = true
      return {
        ...storage,
        commit: (change: Change) =>
          Effect.gen(function* () {
            if (isFirst && change.rows.some(({ kind }) => kind === "closing")) {
              isFirst = false
              yield* Deferred.succeed(sealing, undefined)
              yield* Deferred.await(isUndone)
            }
            return yield* storage.commit(change)
          })
      }
    })
  ).pipe(Layer.provide(MemoryStorage.layer))
  return racing(
    Effect.gen(function* () {
      const own = yield* desk
      const [matched] = yield* own.says([{ amount: "54.39", remittance: "FEE" }])
      const [found] = yield* own.about(matched!.id)
      yield* own.resolve(found!.id, { action: "explain", from: "losses", to: "world:simulated" })
      const close = (yield* Closings).create(own.operator, { external_account_id: own.id, date: own.today })
      const undo = Effect.gen(function* () {
        yield* Deferred.await(sealing)
        yield* own.resolve(found!.id, { action: "reopen" })
        yield* Deferred.succeed(isUndone, undefined)
      })
      const [[tag, message]] = yield* Effect.all([refusalOf(close), undo], { concurrency: 2 })
      assert.strictEqual(tag, "InvalidStatus")
      assert.include(message, "54.39 USDC")
    }),
    storage
  )
})

covers("ADJUST-2", "ADJUST-3")
it("of an exception's entry, a node that stops after the reversal leaves the line that came meanwhile to who asks again", () => {
  const [reversing, isMatched, stopping] = [
    Deferred.makeUnsafe<void>(),
    Deferred.makeUnsafe<void>(),
    Deferred.makeUnsafe<void>()
  ]
  const storage = Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      let [isReversed, isStopped] = [false, false]
      return {
        ...storage,
        commit: (change: Change) =>
          Effect.gen(function* () {
            if (has("adjusting_entry", "reversed")(change)) {
              yield* Deferred.succeed(reversing, undefined)
              yield* Deferred.await(isMatched)
              isReversed = true
            } else if (isReversed && !isStopped && change.idempotency?.key.includes("released/") === true) {
              isStopped = true
              yield* Deferred.succeed(stopping, undefined)
              yield* Effect.never
            }
            return yield* storage.commit(change)
          })
      }
    })
  ).pipe(Layer.provide(MemoryStorage.layer))
  return racing(
    Effect.gen(function* () {
      const own = yield* desk
      const m = yield* merchantAtWork("1000")
      const { id } = yield* m.transfer("55.39")
      yield* m.settle
      yield* m.says(id, "refund_failed")
      const [exception] = yield* m.exceptions
      const sent = { from: "suspense", to: "world:simulated", exception_id: exception!.id }
      const entry = yield* own.post("55.39", sent)
      const node = yield* Effect.forkChild(own.reverse(entry.id))
      yield* Deferred.await(reversing)
      const [came] = yield* own.says([{ amount: "55.39", remittance: entry.id }])
      assert.strictEqual((yield* own.lineOf(came!.id)).status, "matched")
      yield* Deferred.succeed(isMatched, undefined)
      yield* Deferred.await(stopping)
      yield* Fiber.interrupt(node)
      assert.strictEqual((yield* own.lineOf(came!.id)).status, "matched")
      assert.strictEqual((yield* refusalOf(own.reverse(entry.id)))[0], "InvalidStatus")
      yield* own.match
      assert.strictEqual((yield* own.lineOf(came!.id)).status, "unmatched")
      assert.deepEqual(
        (yield* own.about(came!.id)).map(({ kind }) => kind),
        ["missing_in_books"]
      )
    }),
    storage
  )
})
