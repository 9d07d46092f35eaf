/** Money between the platform's own accounts: one entry, and a line on the statement of each account (MATCH-2, BREAK-3, ADJUST-4). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { matchingDesk } from "../../support/statements/desk.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

const others = [makeScriptedProvider("other").provider]

let files = 0

/** An account of the other provider, beside that of the simulated one. */
const twoDesks = Effect.gen(function* () {
  const own = yield* matchingDesk
  const identifier = { scheme: "account_number", value: "88-1" } as const
  const accounts = yield* ExternalAccounts
  const [known] = (yield* accounts.list(own.operator, { provider: "other", currency: "USDC" })).items
  const { id } =
    known ??
    (yield* accounts.create(own.operator, {
      provider: "other",
      currency: "USDC",
      kind: "bank",
      identifiers: [identifier],
      opening: { date: "2026-01-01", balance: "0" },
      time_zone: "UTC"
    }))
  const lines = yield* StatementLines
  const statements = yield* BankStatements
  const reconciliations = yield* Reconciliations
  const breaks = yield* Breaks
  return {
    ...own,
    other: id,
    otherSays: Effect.fnUntraced(function* (given: object) {
      const file = fileOf(
        statement({
          account: { identifiers: [identifier], currency: "USDC", bank: null },
          currency: "USDC",
          message_id: `other ${++files}`,
          lines: [line({ currency: "USDC", booked_on: own.today, value_on: own.today, ...given })]
        })
      )
      const [made] = yield* statements.take(own.operator, { file })
      yield* reconciliations.match(id)
      return (yield* lines.list({ statement_id: made!.id })).items[0]!
    }),
    missing: (resource_id: string) =>
      Effect.map(breaks.list({ resource_id, status: "open", per_page: 200 }), ({ items }) =>
        items.map(({ external_account_id, kind }) => [external_account_id, kind])
      )
  }
})

onServers("an entry between two providers", (run) => {
  covers("MATCH-2", "MATCH-5", "ADJUST-4")
  it("is a line of each of their statements", () =>
    run(
      Effect.gen(function* () {
        const own = yield* twoDesks
        const entry = yield* own.entries.create(own.operator, {
          from: "world:other",
          to: "world:simulated",
          amount: "4321.09",
          currency: "USDC",
          note: "float moved"
        })
        const [sent] = yield* own.says([{ amount: "4321.09", remittance: entry.id }])
        const came = yield* own.otherSays({ direction: "credit", amount: "4321.09", remittance: entry.id })
        for (const { matches, status } of [yield* own.lineOf(sent!.id), yield* own.lineOf(came.id)])
          assert.deepEqual([status, matches.map(({ resource_id }) => resource_id)], ["matched", [entry.id]])
        assert.deepEqual(yield* own.about(entry.id), [])
      }).pipe(Effect.provide(readable)),
      { others }
    ))

  covers("BREAK-3")
  it("is missing on each of their statements until that one has it", () =>
    run(
      Effect.gen(function* () {
        const own = yield* twoDesks
        const m = yield* merchantAtWork("0")
        const entry = yield* own.entries.create(own.operator, {
          from: "world:other",
          to: "world:simulated",
          amount: "4322.09",
          currency: "USDC",
          note: "float moved"
        })
        yield* m.advance(10 * 86_400)
        assert.deepEqual(
          (yield* own.missing(entry.id)).sort(),
          [
            [own.id, "missing_on_statement"],
            [own.other, "missing_on_statement"]
          ].sort()
        )
        yield* own.says([{ amount: "4322.09", remittance: entry.id }])
        assert.deepEqual(yield* own.missing(entry.id), [[own.other, "missing_on_statement"]])
        yield* own.otherSays({ direction: "credit", amount: "4322.09", remittance: entry.id })
        assert.deepEqual(yield* own.missing(entry.id), [])
      }).pipe(Effect.provide(readable)),
      { others }
    ))

  covers("ADJUST-2", "BREAK-6")
  it("that ended a break leaves the line of the other statement to be explained once that break is opened again", () =>
    run(
      Effect.gen(function* () {
        const own = yield* twoDesks
        const [sent] = yield* own.says([{ amount: "4323.09", remittance: "FLOAT" }])
        const [found] = yield* own.about(sent!.id)
        const { adjusting_entry_id } = yield* own.resolve(found!.id, {
          action: "explain",
          from: "world:other",
          to: "world:simulated"
        })
        const came = yield* own.otherSays({ direction: "credit", amount: "4323.09", remittance: adjusting_entry_id! })
        assert.strictEqual((yield* own.lineOf(came.id)).status, "matched")
        yield* own.resolve(found!.id, { action: "reopen" })
        yield* (yield* Reconciliations).match(own.other)
        assert.strictEqual((yield* own.entryOf(adjusting_entry_id!)).status, "reversed")
        assert.strictEqual((yield* own.lineOf(came.id)).status, "unmatched")
        assert.deepEqual(
          (yield* own.about(came.id)).map(({ kind }) => kind),
          ["missing_in_books"]
        )
      }).pipe(Effect.provide(readable)),
      { others }
    ))
})
