/** Breaks are resolved, in bulk too, and undone; what no statement has in time is one (BREAK-1 to BREAK-7, MATCH-8). */
import { Clock, Deferred, Effect, Fiber, Layer, Result } from "effect"
import { assert, it } from "vitest"
import { deriveStatementReference } from "../../../src/engine/input/statement-reference.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Resources } from "../../../src/engine/reports/resource.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { type Change, PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { Gauges } from "../../../src/engine/work/upkeep/Gauges.ts"
import { valueOf } from "../../support/http/metrics.ts"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import type { ListBreaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { type CreateLimit, MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import type { ResolvedBreaks } from "../../../src/engine/work/reconciliation/break-files.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import { own, whole } from "../../support/merchants/timelines.ts"
import { covers } from "../../support/repository/covers.ts"
import {
  amountOfItsOwn,
  beforeAdoption,
  died,
  meeting,
  offered,
  reading,
  refusalOf
} from "../../support/statements/adoptions.ts"
import { matchingDesk } from "../../support/statements/desk.ts"

const paid = Effect.fnUntraced(function* (amount: string) {
  const m = yield* merchantAtWork("100000")
  const { id } = yield* m.transfer(amount)
  yield* m.settle
  yield* m.says(id, "success")
  return { m, id }
})

const minor = (decimal: string): bigint => BigInt(decimal.replace(".", ""))

onServers("a break", (run, store) => {
  covers("BREAK-4", "BREAK-6", "ADJUST-5")
  it("of a double execution ends as a receivable, and undoing it restores the lines, the books and the break", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          const lines = yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
          const [open] = yield* desk.about(id)
          const before = yield* desk.world
          const explain = { action: "explain", from: "receivable:simulated", to: "world:simulated" } as const
          assert.deepEqual((yield* refusalOf(desk.resolve(open!.id, { ...explain, amount: "1" })))[0], "InvalidInput")
          assert.deepEqual(
            (yield* refusalOf(desk.resolve(open!.id, { ...explain, from: "world:simulated", to: "losses" })))[0],
            "InvalidInput"
          )
          assert.strictEqual(yield* desk.world, before)
          const ended = yield* desk.resolve(open!.id, explain)
          assert.deepInclude(ended, {
            status: "resolved",
            action: "explain",
            note: "seen",
            actions: ["unmatch", "reopen"]
          })
          const entry = yield* desk.entryOf(ended.adjusting_entry_id!)
          assert.deepInclude(entry, { amount, from: "receivable:simulated", break_id: open!.id, status: "posted" })
          const settled = yield* Effect.forEach(lines, (line) => desk.lineOf(line.id))
          const accounted = yield* (yield* StatementLines).list({ resource_id: entry.id })
          assert.deepEqual(
            accounted.items.map((line) => line.id),
            [lines[1]!.id]
          )
          assert.deepEqual(
            settled.map(({ status }) => status),
            ["matched", "explained"]
          )
          assert.deepEqual(
            settled.flatMap(({ matches }) => matches.map(({ resource_id }) => resource_id)).sort(),
            [entry.id, id].sort()
          )
          assert.strictEqual(minor(yield* desk.world) - minor(before), minor(amount))

          const again = yield* desk.resolve(open!.id, { action: "reopen" })
          assert.deepInclude(again, { status: "open", action: null, adjusting_entry_id: null })
          assert.strictEqual(yield* desk.world, before)
          assert.strictEqual((yield* desk.entryOf(entry.id)).status, "reversed")
          assert.deepEqual(
            (yield* Effect.forEach(lines, (line) => desk.lineOf(line.id))).map(({ matches, status }) => [
              status,
              matches
            ]),
            [
              ["unmatched", []],
              ["unmatched", []]
            ]
          )
          yield* desk.match
          const found = yield* desk.about(id)
          assert.deepEqual(
            found.map((one) => one.id),
            [open!.id]
          )
          assert.deepEqual([found[0]!.kind, found[0]!.amount, found[0]!.lines], [open!.kind, open!.amount, open!.lines])
        })
      )
    ))

  covers("BREAK-1")
  it("matches a batch line with its payouts where the sums are equal, and leaves unmatched lines to people", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const ids: Array<string> = []
          for (let n = 0; n < 3; n++) ids.push((yield* paid("71.13")).id)
          const [line] = yield* desk.says([{ amount: "142.26", remittance: "SALARIES" }])
          const [open] = yield* desk.about(line!.id)
          const match = (resource_ids: ReadonlyArray<string>) =>
            desk.resolve(open!.id, { action: "match", resource_ids })
          const [tag, message] = yield* refusalOf(match(ids))
          assert.strictEqual(tag, "InvalidInput")
          assert.include(message, "142.26 USDC")
          assert.include(message, "213.39 USDC")
          yield* match(ids.slice(0, 2))
          const matched = yield* desk.lineOf(line!.id)
          assert.deepEqual(
            matched.matches.map(({ amount, resource_id, rule }) => [amount, resource_id, rule]).sort(),
            ids
              .slice(0, 2)
              .sort()
              .map((id) => ["71.13", id, "person"])
          )
          // Of two lines that are one movement, the break of the other ends too; unmatched, both are left to people.
          const late = yield* paid("2001.17")
          yield* late.m.advance(5 * 86_400)
          const parts = yield* desk.says([
            { amount: "2000.17", remittance: "FIRST PART" },
            { amount: "1", remittance: "SECOND PART" }
          ])
          const [[one], [two], [missing]] = [
            yield* desk.about(parts[0]!.id),
            yield* desk.about(parts[1]!.id),
            yield* desk.about(late.id)
          ]
          assert.strictEqual(missing!.kind, "missing_on_statement")
          assert.strictEqual(
            (yield* whole(late.id)).explanation.next_step,
            `No bank statement has this movement, which should be on one by now. Decide ${missing!.id} before you trust the status.`
          )
          // Its merchant has the payout that succeeded.
          assert.deepInclude((yield* own(late.m, late.id)).explanation, { message: null, next_step: null })
          const both = { line_ids: parts.map((line) => line.id) }
          yield* desk.resolve(one!.id, { action: "match", ...both, resource_ids: [late.id] })
          for (const other of [two!, missing!])
            assert.deepInclude(yield* desk.breakOf(other.id), { status: "resolved", action: "cleared" })
          yield* desk.resolve(one!.id, { action: "unmatch" })
          yield* desk.match
          assert.deepEqual(
            (yield* Effect.forEach(parts, (line) => desk.lineOf(line.id))).map(({ status }) => status),
            ["unmatched", "unmatched"]
          )
          assert.deepEqual(
            (yield* desk.about(parts[1]!.id)).map((open) => open.id),
            [one!.id]
          )
          yield* desk.resolve(one!.id, { action: "match", ...both, resource_ids: [late.id] })
          // What a line has is not open for another.
          const [second] = yield* desk.says([{ amount: "142.26", remittance: "SALARIES AGAIN" }])
          const [other] = yield* desk.about(second!.id)
          const taken = desk.resolve(other!.id, { action: "match", resource_ids: ids.slice(0, 2) })
          assert.strictEqual((yield* refusalOf(taken))[0], "InvalidInput")
          const back = yield* desk.resolve(open!.id, { action: "unmatch" })
          assert.strictEqual(back.status, "open")
          yield* desk.match
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "unmatched")
          assert.deepEqual((yield* refusalOf(desk.resolve(open!.id, { action: "reopen" })))[0], "InvalidStatus")
          yield* desk.resolve(open!.id, { action: "dismiss" })
          yield* desk.resolve(other!.id, { action: "dismiss" })
          yield* desk.match
          assert.deepEqual(yield* desk.about(second!.id), [])
          assert.strictEqual((yield* desk.resolve(other!.id, { action: "reopen" })).status, "open")
          yield* desk.resolve(other!.id, { action: "dismiss" })
        })
      )
    ))

  covers("MATCH-8", "BREAK-5")
  it("adopts an unknown payout that a file's line pays, once; a signed line decides it by itself", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const amount = amountOfItsOwn()
          const { id } = yield* m.transfer(amount)
          yield* m.settle
          assert.strictEqual(yield* m.status(id), "processing")
          const [line] = yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
          assert.strictEqual(line!.status, "proposed")
          assert.strictEqual(yield* m.status(id), "processing")
          const [open] = yield* desk.about(id)
          assert.deepInclude(open, { kind: "missing_in_books", severity: "low" })
          assert.include(open!.actions, "adopt")
          yield* desk.resolve(open!.id, { action: "adopt" })
          assert.strictEqual(yield* m.status(id), "success")
          assert.deepEqual((yield* desk.lineOf(line!.id)).matches, [{ resource_id: id, amount, rule: "command_id" }])
          assert.deepEqual((yield* refusalOf(desk.resolve(open!.id, { action: "adopt" })))[0], "InvalidStatus")

          // It comes to the amount of the line.
          const dear = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          yield* desk.says([{ amount: dear.amount, end_to_end_id: `${dear.id}.payout` }])
          const [costly] = yield* desk.about(dear.id)
          // A limit of the platform takes a store without cells.
          if (store !== "cells" && store !== "citus") {
            const limits = yield* MoneyLimits
            const operator = yield* call(PLATFORM_MERCHANT)
            const limit = yield* limits.create(operator, {
              ...{ scope: "platform", operations: ["break_resolution"], window: "movement", currency: "USDC" },
              ...{ max_amount: "0.01", action: "refuse" }
            } as CreateLimit)
            const [refusal] = yield* refusalOf(desk.resolve(costly!.id, { action: "adopt" }))
            assert.deepEqual([refusal, yield* m.status(dear.id)], ["InvalidInput", "processing"])
            yield* limits.update(operator, limit.id, { status: "disabled" })
          }
          yield* desk.resolve(costly!.id, { action: "adopt" })

          // What its provider says meanwhile stays: the line contradicts it.
          const failed = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          yield* desk.says([{ amount: failed.amount, end_to_end_id: `${failed.id}.payout` }])
          const [late] = yield* desk.about(failed.id)
          yield* m.says(failed.id, "failed")
          const world = yield* desk.world
          const [tag, message] = yield* refusalOf(desk.resolve(late!.id, { action: "adopt" }))
          assert.deepEqual([tag, message.includes(`${failed.id} is failed`)], ["InvalidStatus", true])
          assert.deepEqual([yield* m.status(failed.id), yield* desk.world], ["failed", world])
          const [contradiction] = yield* desk.about(failed.id)
          assert.deepInclude(contradiction, { kind: "contradicts_status", severity: "high" })
          yield* desk.resolve(contradiction!.id, { action: "dismiss" })

          // A line that another movement has pays no second one.
          const first = yield* m.transfer(amountOfItsOwn())
          const second = yield* m.transfer(first.amount)
          yield* m.settle
          yield* m.says(second.id, "success")
          const [shared] = yield* desk.says([{ amount: first.amount, end_to_end_id: `${first.id}.payout` }])
          const [offered] = yield* desk.about(first.id)
          const [another] = yield* desk.says([{ amount: "1.23", remittance: "nobody's" }])
          const [free] = yield* desk.about(another!.id)
          yield* desk.resolve(free!.id, { action: "match", line_ids: [shared!.id], resource_ids: [second.id] })
          const twice = yield* refusalOf(desk.resolve(offered!.id, { action: "adopt" }))
          assert.deepEqual(twice, [
            "InvalidStatus",
            `Break ${offered!.id} is resolved, and no line of it pays a movement whose outcome is unknown.`
          ])
          assert.deepInclude(yield* desk.breakOf(offered!.id), { status: "resolved", action: "cleared" })
          assert.strictEqual(yield* m.status(first.id), "processing")
          yield* m.says(first.id, "failed")

          const other = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          const [signed] = yield* desk.says([{ amount: other.amount, end_to_end_id: `${other.id}.payout` }], {
            format: "protocol" as never
          })
          assert.strictEqual(yield* m.status(other.id), "success")
          assert.strictEqual((yield* desk.lineOf(signed!.id)).status, "matched")
          assert.deepEqual(yield* desk.about(other.id), [])
        })
      )
    ))
})

covers("MATCH-1", "BREAK-4")
it("of two people who match one movement at once, one has it", () => {
  const isMatch = ({ rows }: Change): boolean =>
    rows.some(({ kind, state }) => kind === "break" && state === "resolved")
  return Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const amount = amountOfItsOwn()
      const { id } = yield* paid(amount)
      const lines = yield* desk.says([
        { amount, remittance: "one" },
        { amount, remittance: "two" }
      ])
      const breaks = yield* Effect.forEach(lines, (line) => Effect.map(desk.about(line.id), ([one]) => one!.id))
      const results = yield* Effect.forEach(
        breaks,
        (open) => Effect.result(desk.resolve(open, { action: "match", resource_ids: [id] })),
        { concurrency: 2 }
      )
      assert.strictEqual(results.filter(Result.isSuccess).length, 1)
      const statuses = (yield* Effect.forEach(lines, ({ id }) => desk.lineOf(id))).map(({ status }) => status)
      assert.strictEqual(statuses.filter((status) => status === "matched").length, 1)
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: meeting(isMatch) })))
  )
})

covers("BREAK-5", "APPROVAL-15")
it.each([
  ["at once", false],
  ["after matching has ended the break", true]
])("an adoption that ended before it was recorded is finished by whoever asks again, %s", (_, isMatched) => {
  const { layer, state } = beforeAdoption()
  return Effect.runPromise(
    Effect.gen(function* () {
      const { desk, id, line, m, open } = yield* offered()
      state.happens = Effect.fail(died)
      const adopt = desk.resolve(open.id, { action: "adopt", note: "seen at the bank" })
      assert.strictEqual((yield* refusalOf(adopt))[0], "StorageFault")
      assert.strictEqual(yield* m.status(id), "success")
      const world = yield* desk.world
      if (isMatched) yield* desk.match
      assert.strictEqual((yield* desk.breakOf(open.id)).action, isMatched ? "cleared" : null)
      const adopted = { status: "resolved", action: "adopt", note: "seen at the bank" } as const
      assert.deepInclude(yield* adopt, adopted)
      assert.deepInclude(yield* desk.breakOf(open.id), adopted)
      assert.deepEqual(
        (yield* desk.lineOf(line.id)).matches.map(({ resource_id }) => resource_id),
        [id]
      )
      assert.deepEqual([yield* m.status(id), yield* desk.world], ["success", world])
      assert.strictEqual((yield* refusalOf(adopt))[0], "InvalidStatus")
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: layer })))
  )
})

covers("BREAK-5", "APPROVAL-15")
it("an adoption is one also where a run of another node matches its line before it is recorded", () => {
  const { layer, state } = beforeAdoption()
  return Effect.runPromise(
    Effect.gen(function* () {
      const { desk, id, open } = yield* offered()
      state.happens = Effect.asVoid(Effect.orDie(desk.match))
      const adopted = { status: "resolved", action: "adopt", note: "seen" } as const
      assert.deepInclude(yield* desk.resolve(open.id, { action: "adopt" }), adopted)
      assert.deepInclude(yield* desk.breakOf(open.id), adopted)
      assert.deepEqual(yield* desk.about(id), [])
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: layer })))
  )
})

covers("BREAK-5")
it("what matching has ended is not adopted afterwards: nobody has reported its line", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { desk, id, m, open } = yield* offered()
      yield* m.says(id, "success")
      yield* desk.match
      assert.strictEqual((yield* desk.breakOf(open.id)).action, "cleared")
      assert.strictEqual((yield* refusalOf(desk.resolve(open.id, { action: "adopt" })))[0], "InvalidStatus")
      assert.strictEqual((yield* desk.breakOf(open.id)).action, "cleared")
    }).pipe(reading, Effect.provide(makeSimulatedEngine()))
  ))

/** A store of which the first look for a resource waits, once it is set, until it is let go. */
const pausing = () => {
  const pause: { id?: string } = {}
  const [reached, released] = [Effect.runSync(Deferred.make<void>()), Effect.runSync(Deferred.make<void>())]
  const layer = Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      const find: typeof storage.find = (kind, id) =>
        Effect.gen(function* () {
          if (id === pause.id) {
            delete pause.id
            yield* Deferred.succeed(reached, undefined)
            yield* Deferred.await(released)
          }
          return yield* storage.find(kind, id)
        })
      return { ...storage, find }
    })
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, pause, reached, released }
}

covers("MATCH-7", "BREAK-4")
it("of two people who match one movement, one has it, also where what is left of a break is looked for again", () => {
  const { layer, pause, reached, released } = pausing()
  return Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const amount = amountOfItsOwn()
      const [one, other] = [yield* paid(amount), yield* paid(amount)]
      yield* one.m.advance(10 * 86_400)
      const lines = yield* desk.says([{ amount, remittance: `${one.id} ${other.id}` }, { amount }])
      const [either, nameless] = yield* Effect.forEach(lines, ({ id }) =>
        Effect.map(desk.about(id), ([found]) => found!)
      )
      const match = (id: string) => Effect.result(desk.resolve(id, { action: "match", resource_ids: [one.id] }))
      // The first has read that the movement is open, and looks for what it leaves of its break.
      pause.id = other.id
      const first = yield* Effect.forkChild(match(either!.id))
      yield* Deferred.await(reached)
      const second = yield* match(nameless!.id)
      yield* Deferred.succeed(released, undefined)
      const results = [yield* Fiber.join(first), second]
      assert.deepEqual(results.map(Result.isSuccess), [false, true])
      const found = yield* Effect.forEach(lines, ({ id }) => desk.lineOf(id))
      assert.strictEqual(
        found.filter(({ matches }) => matches.some((part) => part.resource_id === one.id && part.rule === "person"))
          .length,
        1
      )
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: layer })))
  )
})

covers("MATCH-5", "BREAK-3")
it("what names no account goes through the next account of the provider once the first is closed", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const accounts = yield* ExternalAccounts
      const reconciliations = yield* Reconciliations
      const identifiers = [{ scheme: "account_number", value: "77-2" }] as const
      const second = yield* accounts.create(desk.operator, {
        provider: "simulated",
        currency: "USDC",
        kind: "bank",
        identifiers,
        opening: { date: "2026-01-01", balance: "0" },
        time_zone: "UTC"
      })
      const late = yield* paid(amountOfItsOwn())
      yield* accounts.update(desk.operator, desk.id, { status: "closed" })
      yield* late.m.advance(10 * 86_400)
      assert.deepEqual(
        (yield* desk.about(late.id)).map(({ external_account_id, kind }) => [external_account_id, kind]),
        [[second.id, "missing_on_statement"]]
      )
      const amount = amountOfItsOwn()
      const { id } = yield* paid(amount)
      const { today } = yield* matchingDesk
      yield* desk.says([{ amount, booked_on: today, value_on: today }], {
        account: { identifiers, currency: "USDC", bank: null }
      })
      yield* reconciliations.match(second.id)
      const lines = yield* StatementLines
      const { items } = yield* lines.list({ external_account_id: second.id })
      assert.deepEqual(
        items.map(({ matches }) => matches),
        [[{ resource_id: id, amount, rule: "alike" }]]
      )
    }).pipe(reading, Effect.provide(makeSimulatedEngine()))
  ))

/** A store in which the end of a run of the clock waits, once it is set, until it is let go. */
const runsEnding = () => {
  const pause: { after?: number } = {}
  const [reached, released] = [Effect.runSync(Deferred.make<void>()), Effect.runSync(Deferred.make<void>())]
  const layer = Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      const commit = (change: Change) =>
        Effect.gen(function* () {
          if (
            change.lease !== undefined &&
            change.rows.some(
              ({ data, kind }) =>
                kind === "matching" && (data as { swept_until: number }).swept_until > (pause.after ?? Infinity)
            )
          ) {
            delete pause.after
            yield* Deferred.succeed(reached, undefined)
            yield* Deferred.await(released)
          }
          return yield* storage.commit(change)
        })
      return { ...storage, commit }
    })
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, pause, reached, released }
}

covers("BREAK-3", "BREAK-4")
it("are raised where a person says otherwise of their line while a run is at its end", () => {
  const { layer, pause, reached, released } = runsEnding()
  return Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const amount = amountOfItsOwn()
      const [another, named] = [yield* paid(amount), yield* paid(amountOfItsOwn())]
      const [line] = yield* desk.says([{ amount, end_to_end_id: `${named.id}.payout` }])
      const [differs] = yield* desk.about(line!.id)
      yield* named.m.advance(3600)
      pause.after = yield* Clock.currentTimeMillis
      const running = yield* Effect.forkChild(named.m.advance(10 * 86_400))
      yield* Deferred.await(reached)
      yield* desk.resolve(differs!.id, { action: "match", resource_ids: [another.id] })
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(running)
      yield* named.m.advance(10 * 86_400)
      assert.deepEqual(
        (yield* desk.about(named.id)).map(({ kind }) => kind),
        ["missing_on_statement"]
      )
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage: layer })))
  )
})

covers("BREAK-3")
it.each(["after", "before"])(
  "are looked for once the account is open again, where a person has decided meanwhile, %s the last run, that its line is none of theirs",
  (when) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const desk = yield* matchingDesk
        const accounts = yield* ExternalAccounts
        const { id, m } = yield* paid("64.01")
        const other = yield* paid("65.01")
        const [wrong] = yield* desk.says([{ amount: "129.03", remittance: `${id} ${other.id}` }])
        yield* m.advance(10 * 86_400)
        const [neither] = yield* desk.about(wrong!.id)
        yield* accounts.update(desk.operator, desk.id, { status: "closed" })
        if (when === "after") yield* m.advance(86_400)
        yield* desk.resolve(neither!.id, { action: "explain", from: "losses", to: "world:simulated" })
        yield* m.advance(86_400)
        yield* accounts.update(desk.operator, desk.id, { status: "active" })
        yield* m.advance(86_400)
        const kinds = [...(yield* desk.about(id)), ...(yield* desk.about(other.id))].map(({ kind }) => kind)
        assert.deepEqual(kinds, ["missing_on_statement", "missing_on_statement"])
      }).pipe(reading, Effect.provide(makeSimulatedEngine()))
    )
)

covers("BREAK-3")
it("are looked for from the oldest on that a person has let go, though another was let go after it", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const accounts = yield* ExternalAccounts
      const older = [yield* paid("66.01"), yield* paid("67.01")]
      const { m } = older[0]!
      yield* m.advance(86_400)
      const later = [yield* paid("68.01"), yield* paid("69.01")]
      const naming = (payments: typeof later): string => payments.map(({ id }) => id).join(" ")
      const lines = yield* desk.says([
        { amount: "133.03", remittance: naming(older) },
        { amount: "137.03", remittance: naming(later) }
      ])
      yield* m.advance(10 * 86_400)
      yield* accounts.update(desk.operator, desk.id, { status: "closed" })
      yield* m.advance(86_400)
      for (const { id } of lines) {
        const [differs] = yield* desk.about(id)
        yield* desk.resolve(differs!.id, { action: "explain", from: "losses", to: "world:simulated" })
      }
      yield* accounts.update(desk.operator, desk.id, { status: "active" })
      yield* m.advance(86_400)
      for (const { id } of [...older, ...later])
        assert.deepEqual(
          (yield* desk.about(id)).map(({ kind }) => kind),
          ["missing_on_statement"]
        )
    }).pipe(reading, Effect.provide(makeSimulatedEngine()))
  ))

covers("BREAK-3")
it("are also what was posted after a movement of later time, as two nodes do at once", () => {
  let last: number | undefined
  /** The second payment is committed after the first, by a clock that is behind. */
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        commit: (change: Change) => {
          if (!change.events.some(({ type }) => type === "transfer.success")) return store.commit(change)
          const at = last === undefined ? change.at : last - 1
          last = at
          return store.commit({ ...change, at })
        }
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return Effect.runPromise(
    Effect.gen(function* () {
      const desk = yield* matchingDesk
      const [first, second] = [yield* paid("91.17"), yield* paid("92.17")]
      for (let n = 0; n < 12; n++) yield* first.m.advance(86_400)
      const found = yield* desk.breaks({ kind: "missing_on_statement" })
      const of = found.flatMap(({ resources }) => resources).filter((id) => [first.id, second.id].includes(id))
      assert.deepEqual(of.toSorted(), [first.id, second.id].toSorted())
    }).pipe(reading, Effect.provide(makeSimulatedEngine({ storage })))
  )
})

onMemory("breaks", (run) => {
  covers("BREAK-3")
  it("are what no statement has after two business days, until one has it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id, m } = yield* paid(amount)
          yield* m.advance(86_400)
          assert.deepEqual(yield* desk.about(id), [])
          yield* m.advance(4 * 86_400)
          const [open, ...others] = yield* desk.about(id)
          assert.deepEqual(others, [])
          assert.deepInclude(open, {
            kind: "missing_on_statement",
            severity: "low",
            amount,
            direction: "debit",
            lines: [],
            resources: [id]
          })
          yield* m.advance(86_400)
          assert.strictEqual((yield* desk.about(id)).length, 1)
          yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
          assert.deepEqual(yield* desk.about(id), [])
          const [ended] = yield* desk.about(id, "resolved")
          assert.deepInclude(ended, { id: open!.id, action: "cleared" })
        })
      )
    ))

  covers("BREAK-1", "BREAK-4")
  it("are dismissed for the lines that they have: a third execution is a break of its own", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          const first = yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
          const [dismissed] = yield* desk.about(id)
          yield* desk.resolve(dismissed!.id, { action: "dismiss" })
          const [third] = yield* desk.says([{ ...named, bank_reference: "THIRD" }])
          const [open, ...others] = yield* desk.about(id)
          assert.deepEqual(others, [])
          assert.deepInclude(open, {
            kind: "executed_twice",
            severity: "high",
            amount,
            exposure: { amount, currency: "USDC" },
            lines: [third!.id]
          })
          yield* desk.match
          assert.deepEqual(yield* desk.about(id), [open!])
          // Undone, it is one difference again.
          yield* desk.resolve(dismissed!.id, { action: "reopen" })
          yield* desk.match
          const [whole, ...rest] = yield* desk.about(id)
          assert.deepEqual(rest, [])
          assert.deepEqual(whole!.lines.toSorted(), [...first, third!].map((line) => line.id).sort())
          yield* desk.resolve(whole!.id, { action: "dismiss" })
        })
      )
    ))

  covers("BREAK-6")
  it("are not opened again once their lines are settled through another", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [one, two] = [yield* paid("31.41"), yield* paid("59.26"), yield* paid("53.58")]
          const [lump, stranger] = yield* desk.says([
            { amount: "90.67", remittance: "LUMP" },
            { amount: "1.27", remittance: "STRANGER" }
          ])
          const [dismissed] = yield* desk.about(lump!.id)
          yield* desk.resolve(dismissed!.id, { action: "dismiss" })
          yield* desk.resolve(dismissed!.id, { action: "reopen" })
          yield* desk.resolve(dismissed!.id, { action: "dismiss" })
          const [other] = yield* desk.about(stranger!.id)
          yield* desk.resolve(other!.id, { action: "match", line_ids: [lump!.id], resource_ids: [one.id, two.id] })
          assert.deepEqual((yield* refusalOf(desk.resolve(dismissed!.id, { action: "reopen" })))[0], "InvalidStatus")
        })
      )
    ))

  covers("BREAK-3")
  it("are no deposit of what a provider paid short, which was in the books all the time", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const { id } = yield* m.transfer("71.73")
          yield* m.settle
          yield* m.says(id, "success", { amount: "70.73" })
          const [short] = yield* m.exceptions
          const world = yield* desk.world
          const { credited } = yield* m.resolve(short!.id, "credit")
          assert.strictEqual(yield* desk.world, world)
          for (let day = 0; day < 10; day++) yield* m.advance(86_400)
          assert.deepEqual(
            (yield* desk.about(id)).map(({ amount, kind }) => [kind, amount]),
            [["missing_on_statement", "70.73"]]
          )
          assert.deepEqual(yield* desk.about(credited!.transaction_id), [])
          assert.deepEqual(yield* desk.about(short!.id), [])
          yield* desk.says([{ amount: "70.73", end_to_end_id: `${id}.payout` }])
        })
      )
    ))

  covers("BREAK-3", "BREAK-6")
  it("are what a person has taken the line from, once no line has it in time", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id, m } = yield* paid(amount)
          yield* m.advance(10 * 86_400)
          assert.strictEqual((yield* desk.about(id)).length, 1)
          const [wrong] = yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
          assert.deepEqual(yield* desk.about(id), [])
          yield* m.advance(86_400)
          const other = yield* paid(amount)
          const [unknown] = yield* desk.says([{ amount: amountOfItsOwn(), remittance: "unknown" }])
          const [open] = yield* desk.about(unknown!.id)
          yield* desk.resolve(open!.id, { action: "unmatch", line_ids: [wrong!.id] })
          yield* desk.resolve(open!.id, { action: "match", line_ids: [wrong!.id], resource_ids: [other.id] })
          yield* m.advance(10 * 86_400)
          assert.deepEqual(
            (yield* desk.about(id)).map(({ kind }) => kind),
            ["missing_on_statement"]
          )
          const [missing] = yield* desk.about(id)
          yield* desk.resolve(missing!.id, { action: "dismiss" })
          yield* desk.resolve(missing!.id, { action: "reopen" })
          yield* desk.resolve(missing!.id, { action: "dismiss" })
          yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
          assert.deepEqual(yield* desk.about(id), [])
          assert.deepEqual(yield* refusalOf(desk.resolve(missing!.id, { action: "reopen" })), [
            "InvalidStatus",
            `What break ${missing!.id} was about is accounted for: nothing of it is open.`
          ])
        })
      )
    ))

  covers("BREAK-6")
  it("that ended by themselves are undone with the lines that they have, and a short batch line is matched with an entry", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const m = yield* merchantAtWork("100000")
          const { id } = yield* m.transfer(amount)
          const [line] = yield* desk.says([{ amount, end_to_end_id: `${id}.payout` }])
          const [open] = yield* desk.about(line!.id)
          assert.deepEqual(yield* refusalOf(desk.resolve(open!.id, { action: "unmatch" })), [
            "InvalidInput",
            "line_ids is required: the break has no line that is matched."
          ])
          yield* m.settle
          yield* m.says(id, "success")
          yield* desk.match
          assert.deepInclude(yield* desk.breakOf(open!.id), { action: "cleared", actions: ["unmatch"] })
          assert.deepInclude(yield* desk.resolve(open!.id, { action: "unmatch" }), {
            status: "open",
            lines: [line!.id]
          })
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "unmatched")
          yield* desk.match
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "unmatched")
          // The bank has paid two together, and kept a fee.
          const other = yield* paid(amount)
          const fee = { from: "world:simulated", to: "losses", amount: "1.00", currency: "USDC", note: "kept" }
          const entry = yield* desk.entries.create(desk.operator, fee)
          const sum = minor(amount) * 2n - 100n
          const batch = `${sum / 100n}.${`${sum % 100n}`.padStart(2, "0")}`
          const [short] = yield* desk.says([{ amount: batch, remittance: `${other.id} ${id}` }])
          const [differs] = yield* desk.about(short!.id)
          const resource_ids = [id, other.id, entry.id]
          yield* desk.resolve(differs!.id, { action: "match", resource_ids })
          const { matches, status } = yield* desk.lineOf(short!.id)
          assert.deepEqual(
            [status, matches.map(({ resource_id }) => resource_id).sort()],
            ["matched", resource_ids.sort()]
          )
          yield* desk.resolve(open!.id, { action: "dismiss" })
        })
      )
    ))

  covers("BREAK-3")
  it("are no second one of a payment that a line names: what it is said to be ends what was missing, and is not missing later", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [early, late, twice] = [yield* paid("61.17"), yield* paid("62.17"), yield* paid("63.17")]
          const lineFor = (id: string, amount: string, bank_reference: string) => ({
            amount,
            bank_reference,
            end_to_end_id: `${id}.payout`
          })
          yield* desk.says([
            lineFor(early.id, "61.18", "E"),
            lineFor(twice.id, "63.17", "T1"),
            lineFor(twice.id, "63.17", "T2")
          ])
          yield* early.m.advance(10 * 86_400)
          const kinds = (id: string) => Effect.map(desk.about(id), (found) => found.map(({ kind }) => kind))
          assert.deepEqual(yield* kinds(early.id), ["amount_differs"])
          assert.deepEqual(yield* kinds(twice.id), ["executed_twice"])
          assert.deepEqual(yield* kinds(late.id), ["missing_on_statement"])
          yield* desk.says([lineFor(late.id, "62.18", "L")])
          assert.deepEqual(yield* kinds(late.id), ["amount_differs"])
          yield* desk.match
          assert.deepEqual(yield* kinds(late.id), ["amount_differs"])
          for (const { id } of [early, late, twice]) {
            const [open] = yield* desk.about(id)
            yield* desk.resolve(open!.id, { action: "explain", from: "losses", to: "world:simulated" })
          }
          yield* early.m.advance(10 * 86_400)
          for (const { id } of [early, late, twice]) assert.deepEqual(yield* desk.about(id), [])
        })
      )
    ))

  covers("BREAK-4")
  it("are raised again right after the call for the lines that a match has left: money that left twice stays on the list", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id, m } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          const lines = yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
          // The next run of the clock is hours away.
          yield* m.advance(1)
          const [open] = yield* desk.about(id)
          yield* desk.resolve(open!.id, { action: "match", line_ids: [lines[0]!.id] })
          yield* m.advance(1)
          const [left, ...others] = yield* desk.about(id)
          assert.deepInclude(left, { kind: "executed_twice", severity: "high", amount, lines: [lines[1]!.id] })
          assert.deepEqual(others, [])
        })
      )
    ))

  covers("ADJUST-1")
  it.each([0, 1])("end with an entry that is the line that it names: line %d of two of one payment", (nth) =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          const lines = yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
          const line_id = lines[nth]!.id
          const entry = yield* desk.entries.create(desk.operator, {
            from: "losses",
            to: "world:simulated",
            amount,
            currency: "USDC",
            line_id,
            note: "Paid twice by the bank."
          })
          const found = yield* Effect.forEach([line_id, lines[1 - nth]!.id], desk.lineOf)
          assert.deepEqual(
            found.map(({ matches, status }) => [status, matches.map(({ resource_id }) => resource_id)]),
            [
              ["explained", [entry.id]],
              ["matched", [id]]
            ]
          )
        })
      )
    )
  )

  covers("BREAK-6")
  it("keep the lines that a person has unmatched, also where some of them are matched again", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [a, b] = [amountOfItsOwn(), amountOfItsOwn()]
          const [first, second] = [yield* paid(a), yield* paid(b)]
          const [x, y] = yield* desk.says([
            { amount: a, end_to_end_id: `${first.id}.payout` },
            { amount: b, end_to_end_id: `${second.id}.payout` },
            { amount: amountOfItsOwn(), remittance: "Nobody knows" }
          ])
          const both = [x!.id, y!.id]
          const [held] = (yield* desk.breaks({ status: "open" })).filter(({ lines }) => lines.length === 1)
          yield* desk.resolve(held!.id, { action: "unmatch", line_ids: both })
          const left = yield* desk.resolve(held!.id, { action: "match", line_ids: [x!.id], resource_ids: [first.id] })
          assert.deepInclude(left, { status: "open", lines: [...held!.lines, y!.id] })
          yield* first.m.advance(86_400)
          yield* desk.match
          const settled = yield* Effect.forEach(both, desk.lineOf)
          assert.deepEqual(
            settled.map(({ status }) => status),
            ["matched", "unmatched"]
          )
          yield* desk.resolve(held!.id, { action: "match", line_ids: [y!.id], resource_ids: [second.id] })
          assert.strictEqual((yield* desk.lineOf(y!.id)).status, "matched")
        })
      )
    ))

  covers("BREAK-6")
  it.each(["of the line", "of the line, which people held", "of the movement"])(
    "that a match ended say so until its lines are taken through another: a break %s",
    (whose) =>
      run(
        reading(
          Effect.gen(function* () {
            const desk = yield* matchingDesk
            const [a, b] = [amountOfItsOwn(), amountOfItsOwn()]
            const first = yield* paid(a)
            yield* first.m.advance(10 * 86_400)
            const second = yield* paid(b)
            const sum = minor(a) + minor(b)
            const [line, stranger] = yield* desk.says([
              { amount: `${sum / 100n}.${`${sum % 100n}`.padStart(2, "0")}`, remittance: "Nobody knows" },
              { amount: amountOfItsOwn(), remittance: "stranger" }
            ])
            const line_ids = [line!.id]
            const [own] = yield* desk.about(whose === "of the movement" ? first.id : line!.id)
            const [other] = yield* desk.about(stranger!.id)
            const match = { action: "match", line_ids, resource_ids: [first.id, second.id] } as const
            if (whose.endsWith("held")) {
              yield* desk.resolve(own!.id, match)
              yield* desk.resolve(own!.id, { action: "unmatch" })
            }
            assert.deepInclude(yield* desk.resolve(own!.id, match), { action: "match", actions: ["unmatch", "reopen"] })
            yield* desk.resolve(other!.id, { action: "unmatch", line_ids })
            for (let n = 0; n < 2; n++) {
              assert.deepInclude(yield* desk.breakOf(own!.id), {
                status: "resolved",
                action: "cleared",
                actions: ["unmatch", "reopen"]
              })
              assert.deepEqual(
                (yield* desk.breaks({ status: "open", line_id: line!.id })).map(({ id }) => id),
                [other!.id]
              )
              yield* first.m.advance(86_400)
              yield* desk.match
            }
          })
        )
      )
  )

  covers("BREAK-3", "BREAK-4")
  it.each(["match through another break", "an entry for a dismissed line"])(
    "of a movement that its line named are raised again once the line is something else: %s",
    (how) =>
      run(
        reading(
          Effect.gen(function* () {
            const desk = yield* matchingDesk
            const [own, amount] = [amountOfItsOwn(), amountOfItsOwn()]
            const [named, another] = [yield* paid(own), yield* paid(amount)]
            yield* named.m.advance(10 * 86_400)
            const [line, stranger] = yield* desk.says([
              { amount, end_to_end_id: `${named.id}.payout` },
              { amount: amountOfItsOwn(), remittance: "stranger" }
            ])
            const [differs] = yield* desk.about(named.id)
            assert.deepInclude(differs, { kind: "amount_differs", lines: [line!.id] })
            if (how.startsWith("match")) {
              const [other] = yield* desk.about(stranger!.id)
              yield* desk.resolve(other!.id, { action: "match", line_ids: [line!.id], resource_ids: [another.id] })
            } else {
              yield* desk.resolve(differs!.id, { action: "dismiss" })
              const entry = {
                from: "losses",
                to: "world:simulated",
                amount,
                currency: "USDC",
                line_id: line!.id,
                note: "n"
              }
              yield* desk.entries.create(desk.operator, entry)
            }
            yield* named.m.advance(2 * 86_400)
            assert.deepEqual(
              (yield* desk.about(named.id)).map(({ kind }) => kind),
              ["missing_on_statement"]
            )
          })
        )
      )
  )

  covers("BREAK-5", "BREAK-6")
  it("leave a line that a person has unmatched to people, also where another of theirs is adopted", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const unknown = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          const amount = amountOfItsOwn()
          const { id } = yield* paid(amount)
          const [pays, line] = yield* desk.says([
            { amount: unknown.amount, end_to_end_id: `${unknown.id}.payout` },
            { amount, end_to_end_id: `${id}.payout` }
          ])
          const [open] = yield* desk.about(unknown.id)
          yield* desk.resolve(open!.id, { action: "unmatch", line_ids: [line!.id] })
          yield* desk.resolve(open!.id, { action: "adopt" })
          yield* m.advance(86_400)
          yield* desk.match
          assert.deepEqual([yield* m.status(unknown.id), (yield* desk.lineOf(pays!.id)).status], ["success", "matched"])
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "unmatched")
          const left = yield* desk.breakOf(open!.id)
          assert.deepInclude(left, { status: "open", lines: [line!.id], amount, resources: [] })
          assert.notInclude(left.actions, "adopt")
        })
      )
    ))

  covers("BREAK-3")
  it("of a movement that a line named beside another are raised again once the line is that one", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const { id, m } = yield* paid(amountOfItsOwn())
          yield* m.advance(10 * 86_400)
          const other = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          const says = { amount: other.amount, end_to_end_id: `${other.id}.payout`, remittance: id }
          const [line] = yield* desk.says([says])
          assert.deepEqual(
            (yield* desk.about(id)).map(({ kind }) => kind),
            ["missing_in_books"]
          )
          yield* m.says(other.id, "success")
          yield* desk.match
          assert.strictEqual((yield* desk.lineOf(line!.id)).matches[0]?.resource_id, other.id)
          yield* m.advance(86_400)
          assert.deepEqual(
            (yield* desk.about(id)).map(({ kind }) => kind),
            ["missing_on_statement"]
          )
        })
      )
    ))

  covers("BREAK-1", "BREAK-6")
  it("that keep lines which a person has unmatched are about these, not about what the matched line named", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const unknown = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          const due = yield* paid(amountOfItsOwn())
          for (const [name, amount] of [
            [unknown.id, unknown.amount],
            [due.id, amountOfItsOwn()]
          ] as const) {
            const own = amountOfItsOwn()
            const [taken, another] = [yield* paid(own), yield* paid(amount)]
            const [wrong, line] = yield* desk.says([
              { amount, end_to_end_id: `${name}.payout` },
              { amount: own, end_to_end_id: `${taken.id}.payout` }
            ])
            const [open] = yield* desk.about(wrong!.id)
            yield* desk.resolve(open!.id, { action: "unmatch", line_ids: [line!.id] })
            const left = yield* desk.resolve(open!.id, {
              action: "match",
              line_ids: [wrong!.id],
              resource_ids: [another.id]
            })
            assert.deepInclude(left, {
              status: "open",
              kind: "missing_in_books",
              severity: "low",
              amount: own,
              exposure: null,
              lines: [line!.id],
              resources: [],
              candidates: [],
              actions: ["match", "explain", "dismiss", "unmatch"]
            })
            // The entry is all of the line, and accounts for nothing else.
            yield* desk.resolve(open!.id, { action: "explain", from: "losses", to: "world:simulated" })
            const { matches, status } = yield* desk.lineOf(line!.id)
            assert.deepEqual([status, matches.map((one) => one.amount)], ["explained", [own]])
          }
          yield* m.says(unknown.id, "failed")
        })
      )
    ))

  covers("BREAK-1", "BREAK-6")
  it("that are undone with lines of others are about these, where their own line is another payment by now", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const due = yield* paid(amountOfItsOwn())
          const [own, amount] = [amountOfItsOwn(), amountOfItsOwn()]
          const [taken, another] = [yield* paid(own), yield* paid(amount)]
          const [wrong, line, stranger] = yield* desk.says([
            { amount, end_to_end_id: `${due.id}.payout` },
            { amount: own, end_to_end_id: `${taken.id}.payout` },
            { amount: amountOfItsOwn(), remittance: "stranger" }
          ])
          const [open] = yield* desk.about(wrong!.id)
          const [other] = yield* desk.about(stranger!.id)
          yield* desk.resolve(other!.id, { action: "match", line_ids: [wrong!.id], resource_ids: [another.id] })
          const left = yield* desk.resolve(open!.id, { action: "unmatch", line_ids: [line!.id] })
          assert.deepInclude(left, {
            status: "open",
            kind: "missing_in_books",
            severity: "low",
            amount: own,
            exposure: null,
            lines: [line!.id],
            resources: [],
            candidates: []
          })
          yield* desk.resolve(open!.id, { action: "explain", from: "losses", to: "world:simulated" })
          const { matches, status } = yield* desk.lineOf(line!.id)
          assert.deepEqual([status, matches.map((one) => one.amount)], ["explained", [own]])
        })
      )
    ))

  covers("BREAK-3")
  it("have what their own line names, also with lines that a person has unmatched, and until it is something else", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const due = yield* paid(amountOfItsOwn())
          const own = amountOfItsOwn()
          const taken = yield* paid(own)
          const [wrong, line] = yield* desk.says([
            { amount: amountOfItsOwn(), end_to_end_id: `${due.id}.payout` },
            { amount: own, end_to_end_id: `${taken.id}.payout` }
          ])
          const [open] = yield* desk.about(wrong!.id)
          yield* desk.resolve(open!.id, { action: "unmatch", line_ids: [line!.id] })
          yield* due.m.advance(10 * 86_400)
          assert.deepEqual(
            (yield* desk.about(due.id)).map(({ id }) => id),
            [open!.id]
          )
          const missing = Effect.map(desk.breaks({ kind: "missing_on_statement" }), (found) =>
            found.flatMap(({ resources }) => resources.filter((id) => [due.id, taken.id].includes(id)))
          )
          assert.deepEqual(yield* missing, [taken.id])
          // The line is another payment: what it named is missing now.
          const another = yield* paid(wrong!.amount)
          yield* desk.resolve(open!.id, { action: "match", line_ids: [wrong!.id], resource_ids: [another.id] })
          yield* due.m.advance(86_400)
          assert.sameMembers([...(yield* missing)], [taken.id, due.id])
        })
      )
    ))

  covers("BREAK-4", "BREAK-6")
  it("end together where a person says what lines and payments of theirs are, and what is left of them is missing again", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const payments = [yield* paid("81.31"), yield* paid("82.31"), yield* paid("83.31")] as const
          const ids = payments.map(({ id }) => id)
          yield* paid("84.31")
          const [{ m }] = payments
          const about = (names: ReadonlyArray<string>) =>
            Effect.map(
              Effect.forEach(names, (id) => desk.about(id)),
              (found) => found.flat()
            )
          yield* m.advance(10 * 86_400)
          assert.strictEqual((yield* about(ids)).length, 3)
          // A batch line that names nothing, and is not all of its day.
          const [batch] = yield* desk.says([{ amount: "246.93", remittance: "SALARIES" }])
          const [open] = yield* desk.about(batch!.id)
          yield* desk.resolve(open!.id, { action: "match", resource_ids: ids })
          assert.deepEqual(yield* about([...ids, batch!.id]), [])
          yield* desk.resolve(open!.id, { action: "unmatch" })
          yield* m.advance(86_400)
          assert.deepEqual(
            (yield* about(ids)).map(({ kind }) => kind),
            ids.map(() => "missing_on_statement")
          )
          yield* desk.resolve(open!.id, { action: "match", resource_ids: ids })
          assert.deepEqual(yield* about([...ids, batch!.id]), [])

          // Two halves of one payment, of which each is another amount.
          const { id } = yield* paid("70.02")
          const half = { amount: "35.01", end_to_end_id: `${id}.payout` }
          const halves = yield* desk.says([half, { ...half, bank_reference: "HALF" }])
          const [first, second] = yield* desk.about(id)
          assert.deepEqual([first!.kind, second!.kind], ["amount_differs", "amount_differs"])
          yield* desk.resolve(first!.id, { action: "match", line_ids: halves.map((line) => line.id) })
          assert.deepEqual(yield* about([id, ...halves.map((line) => line.id)]), [])

          // A line that names two payments and is neither: they are missing once an entry accounts for it.
          const two = [yield* paid("64.01"), yield* paid("65.01")].map((one) => one.id)
          const [wrong] = yield* desk.says([{ amount: "129.03", remittance: two.join(" ") }])
          yield* m.advance(10 * 86_400)
          assert.deepEqual(
            (yield* about(two)).map(({ lines }) => lines),
            [[wrong!.id], [wrong!.id]]
          )
          const [neither] = yield* desk.about(wrong!.id)
          yield* desk.resolve(neither!.id, { action: "explain", from: "losses", to: "world:simulated" })
          yield* m.advance(86_400)
          assert.deepEqual(
            (yield* about(two)).map(({ kind }) => kind),
            two.map(() => "missing_on_statement")
          )
        })
      )
    ))

  covers("BREAK-1", "INGEST-6")
  it("are what is missing before a statement, also before the first of more than a hundred", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const dayOf = (n: number) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10)
          const balance = (n: number) => ({ date: dayOf(n), amount: "0" })
          const days = Array.from({ length: 104 }, (_, n) => ({
            number: String(n < 2 ? n + 1 : n + 5),
            from: dayOf(n),
            to: dayOf(n),
            opening_balance: balance(n),
            closing_balance: balance(n)
          }))
          yield* desk.saysAll(days)
          const gaps = yield* desk.breaks({ kind: "gap", status: "open", external_account_id: desk.id })
          assert.deepEqual(
            gaps.map(({ direction }) => direction),
            [null]
          )
          yield* desk.match
          assert.deepEqual(yield* desk.breaks({ kind: "gap", status: "open", external_account_id: desk.id }), gaps)
          yield* desk.resolve(gaps[0]!.id, { action: "dismiss" })
        })
      )
    ))

  covers("BREAK-1", "INGEST-6")
  it("end by themselves where the statement that was missing comes late", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const day = (n: number, opening: number, closing: number) => ({
            number: String(n),
            from: `2024-03-0${n}`,
            to: `2024-03-0${n}`,
            opening_balance: { date: `2024-03-0${n}`, amount: `${opening}` },
            closing_balance: { date: `2024-03-0${n}`, amount: `${closing}` }
          })
          const before = yield* desk.breaks({ kind: "gap" })
          const gaps = Effect.map(desk.breaks({ kind: "gap" }), (all) =>
            all
              .filter(({ id }) => !before.some((one) => one.id === id))
              .map(({ action, status }) => `${status} ${action}`)
              .sort()
          )
          yield* desk.saysAll([day(1, 0, 0), day(3, 0, 0), day(5, 0, 0)])
          assert.deepEqual(yield* gaps, ["open null", "open null"])
          yield* desk.saysAll([day(4, 0, 0)])
          assert.deepEqual(yield* gaps, ["open null", "resolved cleared"])
          yield* desk.saysAll([day(2, 0, 0)])
          yield* desk.match
          assert.deepEqual(yield* gaps, ["resolved cleared", "resolved cleared"])
        })
      )
    ))

  covers("BREAK-1")
  it.each([
    ["mt940", "2026-01-04", "2026-01-05", 1],
    ["mt940", "2026-01-04", "2026-01-04", 0],
    ["mt940", "2026-01-05", "2026-01-05", 1],
    ["camt.053", "2026-01-04", "2026-01-05", 1]
  ] as const)(
    "are an opening balance of the first %s that is of %s, and not the account's",
    (format, from, to, count) =>
      run(
        reading(
          Effect.gen(function* () {
            const desk = yield* matchingDesk
            const identifier = { scheme: "account_number", value: `77-${format}-${from}-${to}` } as const
            const accounts = yield* ExternalAccounts
            const { id } = yield* accounts.create(desk.operator, {
              provider: "simulated",
              currency: "NGN",
              kind: "bank",
              identifiers: [identifier],
              opening: { date: "2026-01-05", balance: "10" },
              time_zone: "UTC"
            })
            yield* desk.saysAll([
              {
                ...{ format, from, to, currency: "NGN", number: "1" },
                account: { identifiers: [identifier], currency: "NGN", bank: null },
                opening_balance: { date: from, amount: "7" },
                closing_balance: { date: to, amount: "7" }
              }
            ])
            yield* (yield* Reconciliations).match(id)
            const found = yield* desk.breaks({ external_account_id: id, kind: "balance_differs" })
            assert.deepEqual(
              found.map(({ amount, direction }) => `${amount} ${direction}`),
              Array.from({ length: count }, () => "3.00 debit")
            )
          })
        )
      )
  )

  covers("BREAK-4", "BREAK-6")
  it("of a booking and of its reversal end with each other, and are undone together", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const [paid, back, zero] = yield* desk.says([
            { amount, remittance: "SENT IN ERROR" },
            { amount, direction: "credit", remittance: "TAKEN BACK", reversal: true },
            { amount: "0" }
          ])
          const [open] = yield* desk.about(paid!.id)
          const match = (line_ids: ReadonlyArray<string>, resource_ids?: ReadonlyArray<string>) =>
            desk.resolve(open!.id, {
              action: "match",
              line_ids,
              ...(resource_ids === undefined ? {} : { resource_ids })
            })
          const both = [paid!.id, back!.id]
          const statuses = Effect.map(
            Effect.forEach(both, (id) => desk.lineOf(id)),
            (lines) => lines.map(({ matches, status }) => [status, ...matches.map(({ resource_id }) => resource_id)])
          )
          assert.include((yield* refusalOf(match(both)))[1], "resource_ids is required")
          assert.include((yield* refusalOf(match([paid!.id], [])))[1], "cancel each other out")
          assert.deepInclude(yield* match(both, []), { status: "resolved", action: "match" })
          assert.deepEqual(yield* statuses, [
            ["matched", back!.id],
            ["matched", paid!.id]
          ])
          assert.deepEqual(yield* desk.about(back!.id), [])
          yield* desk.match
          const [other] = yield* desk.about(back!.id, "resolved")
          assert.include(
            (yield* refusalOf(desk.resolve(other!.id, { action: "unmatch", line_ids: [zero!.id] })))[1],
            "which is zero"
          )
          yield* desk.resolve(other!.id, { action: "unmatch", line_ids: [back!.id] })
          assert.deepEqual(yield* statuses, [["unmatched"], ["unmatched"]])
          yield* desk.match
          assert.isAbove((yield* desk.about(paid!.id)).length, 0)
        })
      )
    ))

  covers("LINE-1", "BREAK-1")
  it("are none of a line of zero, which is matched with nothing", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [zero] = yield* desk.says([{ amount: "0", remittance: "FEE WAIVED" }])
          assert.deepEqual([zero!.status, zero!.matches], ["matched", []])
          assert.deepEqual(yield* desk.about(zero!.id), [])
        })
      )
    ))

  covers("BREAK-7")
  it("go out as a file that no spreadsheet runs, and its rows are resolved each by itself", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [fee, odd] = [amountOfItsOwn(), amountOfItsOwn()]
          const lines = yield* desk.says([
            { amount: fee, remittance: "FEE" },
            { amount: odd, remittance: "?" }
          ])
          const one = yield* desk.files.list({ format: "csv", line_id: lines[1]!.id })
          assert.strictEqual((one as FileResponse).text.trim().split("\r\n").length, 2)
          const file = yield* desk.files.list({ format: "csv", external_account_id: desk.id, status: "open" })
          assert.instanceOf(file, FileResponse)
          const [header, ...rows] = (file as FileResponse).text.trim().split("\r\n")
          assert.strictEqual(
            header,
            "id,external_account_id,kind,severity,status,amount,currency,since,line_ids,resource_ids,action,note,from,to,version"
          )
          const [first, second] = yield* Effect.forEach(lines, (line) =>
            Effect.map(desk.about(line.id), ([one]) => one!.id)
          )
          assert.isTrue([first!, second!].every((id) => rows.some((row) => row.startsWith(id))))
          const edited = [
            header,
            ...rows
              .filter((row) => row.startsWith(first!) || row.startsWith(second!))
              .map((row) => {
                const cells = row.split(",")
                const acts = row.startsWith(first!)
                  ? ["explain", "'=fee of January", "costs:simulated", "world:simulated"]
                  : ["explain", "'+what is it", "world:simulated", "costs:simulated"]
                return [...cells.slice(0, 10), ...acts, cells[14]].join(",")
              }),
            `${first},,,,,,,,,,,,,,`,
            "brk_01k6x0m8k6j4h2g1f3d5s7a9qw,,,,,,,,,,dismiss,no,,,",
            `${first},,,,,,,,,,paint,no,,,`,
            `${second},,,,,1.5,,,,,explain,less,costs:simulated,world:simulated,`,
            `${second},,,,,1.5,,,,,dismiss,less,,,`
          ].join("\n")
          const done = yield* desk.files.resolve(desk.operator, { file: new TextEncoder().encode(edited) })
          const [heads, ...results] = (done as FileResponse).text.trim().split("\r\n")
          assert.strictEqual(heads, `${header},result`)
          assert.strictEqual(results.length, 7)
          const of = (id: string) => results.filter((row) => row.startsWith(id))
          assert.match(of(first!)[0]!, /'=fee of January,costs:simulated,world:simulated,v[0-9a-f]{16},ok$/)
          assert.match(of(second!)[0]!, /must be world:simulated/)
          assert.match(of(first!)[1]!, /,skipped$/)
          assert.match(of(first!)[2]!, /action/)
          assert.match(results[3]!, /brk_01k6x0m8k6j4h2g1f3d5s7a9qw/)
          assert.notMatch(results[3]!, /,ok$/)
          assert.include(results[5]!, `amount is not ${odd} USDC, which differs.`)
          assert.include(results[6]!, `amount is 1.5, but break ${second} is of ${odd} USDC.`)
          assert.strictEqual((yield* desk.breakOf(first!)).note, "=fee of January")
          assert.strictEqual((yield* desk.breakOf(second!)).status, "open")
          assert.strictEqual((yield* desk.lineOf(lines[0]!.id)).status, "explained")
          const zero = `id,amount,action,note\n${second},0${odd}0,dismiss,seen`
          const last = yield* desk.files.resolve(desk.operator, {
            file: new TextEncoder().encode(zero),
            format: "json"
          })
          assert.strictEqual((last as ResolvedBreaks).succeeded, 1)
        })
      )
    ))

  it.each([
    ["bytes that are not UTF-8", "id,action,note\nBRK,dismiss,caf\u00e9", "line 2: found bytes that are not utf-8"],
    ["a column that no row takes", "id,action,Note\nBRK,dismiss,seen", 'the column "Note" is none of a break'],
    ["a column that is missing", "id,note\nBRK,seen", "the column action is missing"],
    ["a column twice", "id,action,note,note\nBRK,dismiss,seen,twice", 'the column "note" is there twice'],
    [
      "a separator without quotes",
      'id,action,note\nBRK,,"two\nlines"\nBRK,dismiss,seen, by me',
      'line 4: found a cell " by me" behind the last column, where 3 columns, as in the header is taken'
    ],
    ["a quote within a cell", 'id,action,note\nBRK,dismiss,so "seen"', "Quote"],
    ["nothing", "", "found an empty file"]
  ])("are not resolved by a file with %s, and none of them is", (_, file, found) =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [line] = yield* desk.says([{ amount: amountOfItsOwn() }])
          const [open] = yield* desk.about(line!.id)
          const bytes = Buffer.from(file.replaceAll("BRK", open!.id), "latin1")
          const [tag, message] = yield* refusalOf(desk.files.resolve(desk.operator, { file: bytes }))
          assert.deepEqual([tag, message.includes(found)], ["BadRequest", true], message)
          assert.strictEqual((yield* desk.breakOf(open!.id)).status, "open")
          const utf16 = Buffer.from(`\ufeffid;action;note\n${open!.id};dismiss;café`, "utf16le")
          const done = yield* desk.files.resolve(desk.operator, { file: utf16, format: "json" })
          assert.deepEqual((done as ResolvedBreaks).rows, [{ line: 2, id: open!.id, result: "ok" }])
          assert.strictEqual((yield* desk.breakOf(open!.id)).note, "café")
        })
      )
    )
  )

  covers("METRICS-3", "BREAK-1", "OPERATOR-4")
  it("are counted and aged in the metrics, wait for an operator, and stand with what they concern", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const gauges = yield* Gauges
          const ledger = yield* LedgerReports
          const resources = yield* Resources
          const count = (severity: string) =>
            valueOf(`corridor_breaks_open{kind="executed_twice",severity="${severity}"}`)!
          const oldest = () => valueOf('corridor_break_oldest_seconds{severity="high"}')!
          for (const { id } of yield* desk.breaks({ status: "open", severity: "high" }))
            yield* desk.resolve(id, { action: "dismiss" })
          yield* gauges.refresh("breaks")
          assert.deepEqual([count("high"), oldest()], [0, 0])
          const amount = amountOfItsOwn()
          const { id, m } = yield* paid(amount)
          const named = { amount, end_to_end_id: `${id}.payout` }
          yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
          const [open] = yield* desk.about(id)
          yield* m.advance(1_000)
          yield* gauges.refresh("breaks")
          assert.deepEqual([count("high"), count("low")], [1, 0])
          assert.isAtLeast(oldest(), 1_000)
          const { items } = yield* ledger.stuck({ kind: "break", older_than_seconds: 600, per_page: 200 })
          assert.isTrue(items.some((one) => one.id === open!.id))
          const shown = yield* resources.get(desk.operator, id)
          assert.deepInclude(shown.related, { id: open!.id, kind: "break", relation: "break", title: null })
          assert.deepEqual(shown.commands, [
            { command_id: `${id}.payout`, statement_reference: deriveStatementReference(`${id}.payout`) }
          ])
          yield* desk.resolve(open!.id, { action: "dismiss" })
          yield* gauges.refresh("breaks")
          assert.deepEqual([count("high"), oldest()], [0, 0])
        })
      )
    ))

  covers("METRICS-3")
  it("of each severity are as old in the metrics as the oldest that is open", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const gauges = yield* Gauges
          for (const { id } of yield* desk.breaks({ status: "open" })) yield* desk.resolve(id, { action: "dismiss" })
          // Of low severity: what nobody knows; of high: what was paid twice. One of each a thousand seconds after the other.
          const opened = Effect.gen(function* () {
            const amount = amountOfItsOwn()
            const { id, m } = yield* paid(amount)
            const named = { amount, end_to_end_id: `${id}.payout` }
            const [unknown] = yield* desk.says([{ amount: amountOfItsOwn(), remittance: "UNKNOWN" }])
            yield* desk.says([named, { ...named, bank_reference: "SECOND" }])
            yield* m.advance(1_000)
            return { low: (yield* desk.about(unknown!.id))[0]!, high: (yield* desk.about(id))[0]! }
          })
          const all = [yield* opened, yield* opened]
          for (const severity of ["low", "high"] as const) {
            /** In thousands of seconds, whole ones: a test takes less than that. */
            const oldest = Effect.map(gauges.refresh("breaks"), () =>
              Math.floor(valueOf(`corridor_break_oldest_seconds{severity="${severity}"}`)! / 1_000)
            )
            assert.strictEqual(yield* oldest, 2)
            yield* desk.resolve(all[0]![severity].id, { action: "dismiss" })
            assert.strictEqual(yield* oldest, 1)
            yield* desk.resolve(all[1]![severity].id, { action: "dismiss" })
            assert.strictEqual(yield* oldest, 0)
          }
        })
      )
    ))

  covers("CLOSE-4")
  it("are as old as their money: the oldest of an account may have been found after others", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const closings = yield* Closings
          for (const { id } of yield* desk.breaks({ status: "open" })) yield* desk.resolve(id, { action: "dismiss" })
          const oldest = Effect.map(
            closings.reconciliation({ external_account_id: desk.id }),
            ({ items }) => items[0]!.oldest_break
          )
          assert.isNull(yield* oldest)
          const booked = (booked_on: string) =>
            desk.says([{ amount: amountOfItsOwn(), direction: "credit", booked_on, value_on: booked_on }], {
              from: booked_on,
              to: booked_on
            })
          yield* booked("2026-01-07")
          assert.strictEqual(yield* oldest, "2026-01-07T00:00:00.000Z")
          // The statement of a day before comes late, and one of a day between later still.
          yield* booked("2026-01-05")
          assert.strictEqual(yield* oldest, "2026-01-05T00:00:00.000Z")
          yield* booked("2026-01-06")
          assert.strictEqual(yield* oldest, "2026-01-05T00:00:00.000Z")
        })
      )
    ))

  covers("BREAK-1", "BREAK-7")
  it("are listed as they are worked on: high first, and of each severity the oldest first, on every page and in the file", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const twice = Effect.fnUntraced(function* () {
            const { amount, id } = yield* m.transfer(amountOfItsOwn())
            yield* m.settle
            yield* m.says(id, "success")
            yield* desk.says([
              { amount, end_to_end_id: `${id}.payout` },
              { amount, end_to_end_id: `${id}.payout`, bank_reference: "SECOND" }
            ])
          })
          const unknown = () => desk.says([{ amount: amountOfItsOwn(), direction: "credit" }])
          for (const found of [unknown, twice, unknown, twice, unknown]) yield* found()
          const order = "urgent"
          const newest = yield* desk.breaks({ status: "open" })
          const of = (severity: string) => newest.filter((one) => one.severity === severity).toReversed()
          const expected = [...of("high"), ...of("low")].map(({ id }) => id)
          assert.isTrue(of("high").length >= 2 && of("low").length >= 3)
          const idsOf = (query: ListBreaks) =>
            Effect.map(desk.breaks({ status: "open", order, ...query }), (items) => items.map(({ id }) => id))
          assert.deepEqual(yield* idsOf({}), expected)
          assert.deepEqual(
            yield* idsOf({ severity: "low" }),
            of("low").map(({ id }) => id)
          )
          const credits = new Set(newest.filter(({ direction }) => direction === "credit").map(({ id }) => id))
          assert.deepEqual(
            yield* idsOf({ direction: "credit" }),
            expected.filter((id) => credits.has(id))
          )
          const pages = Math.ceil(expected.length / 3)
          const paged = yield* Effect.forEach([...Array(pages + 1).keys()], (n) => idsOf({ page: n + 1, per_page: 3 }))
          assert.deepEqual(paged.flat(), expected)
          const file = (yield* desk.files.list({ status: "open", order, format: "csv" })) as FileResponse
          const [, ...rows] = file.text.trim().split("\r\n")
          assert.deepEqual(
            rows.map((row) => row.split(",")[0]),
            expected
          )
        })
      )
    ))

  covers("BREAK-1")
  it("are listed with the most urgent on the first page, whatever is found while it is read", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const storage = yield* Storage
          const unknown = () => desk.says([{ amount: amountOfItsOwn(), direction: "credit" }])
          for (const found of [unknown, unknown, unknown]) yield* found()
          const query = { status: "open", order: "urgent", severity: "low", per_page: 1 } as const
          const [oldest] = yield* desk.breaks(query)
          const { list } = storage
          let isCounted = false
          Object.assign(storage, {
            list: (asked: Parameters<typeof list>[0]) => {
              if (isCounted || asked.limit !== 0 || !asked.kinds.includes("break")) return list(asked)
              isCounted = true
              return Effect.tap(list(asked), () => Effect.orDie(unknown()))
            }
          })
          assert.deepEqual(yield* desk.breaks(query), [oldest!])
          assert.isTrue(isCounted)
        })
      )
    ))

  covers("BREAK-1", "MATCH-7")
  it("are listed by what they are, and a run after a run writes nothing", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const amount = amountOfItsOwn()
          const [line] = yield* desk.says([{ amount, direction: "credit" }])
          const [open] = yield* desk.about(line!.id)
          for (const query of [
            { external_account_id: desk.id },
            { kind: "missing_in_books" },
            { severity: "low" },
            { status: "open" },
            { currency: "USDC" },
            { older_than_seconds: 0 },
            { line_id: line!.id },
            { lines: line!.id },
            { statement_id: line!.statement_id },
            { direction: "credit" },
            { amount: `${amount}00` }
          ] as const)
            assert.isTrue(
              (yield* desk.breaks(query)).some(({ id }) => id === open!.id),
              JSON.stringify(query)
            )
          for (const query of [
            { external_account_id: "xac_01k6x0m8k6j4h2g1f3d5s7a9qw" },
            { kind: "gap" },
            { severity: "high" },
            { status: "resolved" },
            { currency: "EUR" },
            { older_than_seconds: 3_600 },
            { line_id: "stl_01k6x0m8k6j4h2g1f3d5s7a9qw" },
            { lines: "stl_01k6x0m8k6j4h2g1f3d5s7a9qw" },
            { resources: "ofr_01k6x0m8k6j4h2g1f3d5s7a9qw" },
            { statement_id: "stm_01k6x0m8k6j4h2g1f3d5s7a9qw" },
            { amount: "0.01" },
            { direction: "debit" },
            { action: "dismiss" }
          ] as const)
            assert.isFalse(
              (yield* desk.breaks(query)).some(({ id }) => id === open!.id),
              JSON.stringify(query)
            )
          const before = yield* desk.breakOf(open!.id)
          const seen = yield* desk.lineOf(line!.id)
          yield* desk.match
          assert.deepEqual(yield* desk.breakOf(open!.id), before)
          assert.deepEqual(yield* desk.lineOf(line!.id), seen)
          // The books learn of it later.
          const explained = yield* desk.entries.create(desk.operator, {
            from: "world:simulated",
            to: "suspense",
            amount,
            currency: "USDC",
            note: "nobody knows whose",
            line_id: line!.id
          })
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "explained")
          assert.deepInclude(yield* desk.breakOf(open!.id), { status: "resolved", adjusting_entry_id: explained.id })
          yield* desk.entries.reverse(desk.operator, explained.id, { note: "it is known" })
          assert.strictEqual((yield* desk.lineOf(line!.id)).status, "unmatched")
          assert.strictEqual((yield* desk.breakOf(open!.id)).status, "open")
        })
      )
    ))
})
