/** Files of very many statements: what they cost grows as their number does, counted in rows that the store reads (INGEST-4, INGEST-6). */
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import type { BankStatement } from "../../../src/statements/statement.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

/** A store in memory that counts the rows that it reads, and ends at a commit. */
const countedStore = () => {
  const state = { rows: 0, commits: 0, endsAt: Infinity }
  const counted = <A extends ReadonlyArray<unknown>>(rows: A): A => {
    state.rows += rows.length + 1
    return rows
  }
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        get: (keys) => Effect.map(inner.get(keys), counted),
        matches: (query) => Effect.map(inner.matches(query), counted),
        list: (query) => Effect.tap(inner.list(query), ({ items }) => Effect.sync(() => counted(items))),
        commit: (change) =>
          Effect.suspend(() =>
            ++state.commits > state.endsAt ? Effect.die("the process ended") : inner.commit(change)
          )
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, state }
}

const identifier = { scheme: "account_number", value: "99-1" } as const
const opening = { date: "2025-01-01", balance: "1000" }
const dayOf = (n: number): string => new Date(Date.parse(opening.date) + n * 86_400_000).toISOString().slice(0, 10)

/** A statement of each day, of which every tenth number is missing. */
const daily = (count: number, different: Partial<BankStatement> = {}): Uint8Array =>
  fileOf(
    ...Array.from({ length: count }, (_, n) => {
      const [date, account] = [dayOf(n), { identifiers: [identifier], currency: "EUR", bank: null }]
      return statement({
        ...{ format: "mt940", account, number: String(1 + n + Math.floor(n / 10)), from: date, to: date },
        opening_balance: { date, amount: String(1000 + n) },
        closing_balance: { date, amount: String(1001 + n) },
        lines: [line({ booked_on: date, value_on: date, amount: "1", remittance: `day ${n}`, place: `line ${n + 1}` })],
        ...different
      })
    })
  )

const inEngine = <A, E>(storage: Layer.Layer<Storage>, effect: Effect.Effect<A, E, SimulatedEngine>) =>
  Effect.runPromise(Effect.provide(Effect.provide(effect, readable), makeSimulatedEngine({ storage })))

const desk = Effect.gen(function* () {
  const [accounts, breaks, lines] = [yield* ExternalAccounts, yield* Breaks, yield* StatementLines]
  const statements = yield* BankStatements
  const operator = yield* call(PLATFORM_MERCHANT)
  const about = { provider: "simulated", currency: "EUR", kind: "bank", time_zone: "UTC", opening } as const
  return {
    open: accounts.create(operator, { ...about, identifiers: [identifier] }),
    take: (file: Uint8Array) => statements.take(operator, { file }),
    match: (id: string) => Effect.flatMap(Reconciliations, (all) => all.match(id)),
    warnings: Effect.map(statements.list({ per_page: 200 }), ({ items }) =>
      items.flatMap(({ warnings }) => warnings.map(({ message }) => message)).toSorted()
    ),
    lines: Effect.map(lines.list({ per_page: 200 }), ({ items }) =>
      items.map(({ booked_on, status }) => `${booked_on} ${status}`).toSorted()
    ),
    breaks: Effect.map(breaks.list({ per_page: 200 }), ({ items }) =>
      items.map(({ amount, kind, status }) => `${kind} ${amount} ${status}`).toSorted()
    )
  }
})

/** The rows that a store reads for a file of so many days, for the same days in another format, and to match them. */
const countRows = (count: number) => {
  const { layer, state } = countedStore()
  return inEngine(
    layer,
    Effect.gen(function* () {
      const { match, open, take, warnings } = yield* desk
      const { id } = yield* open
      const counts: Array<number> = []
      for (const act of [
        take(daily(count)),
        match(id),
        take(daily(count, { format: "camt.053", number: null, message_id: "again" })),
        match(id)
      ]) {
        const before = state.rows
        yield* act
        counts.push(state.rows - before)
      }
      assert.lengthOf(yield* warnings, Math.floor((count - 1) / 10))
      return counts
    })
  )
}

describe("a file of daily statements", () => {
  covers("INGEST-4", "INGEST-6")
  it("of four times as many days reads about four times as many rows", async () => {
    const [few, many] = [await countRows(20), await countRows(80)]
    for (const [n, act] of ["taken", "matched", "taken in another format", "matched again"].entries())
      assert.isBelow(many[n]! / few[n]!, 6, act)
  })

  covers("INGEST-5", "INGEST-6")
  it.each([
    ["the commit that took it", 1, 61],
    ["half of its lines", 11, 61],
    ["all of its lines, by the clock", 21, 43_200]
  ])(
    "whose process ended after %s has the lines, breaks and warnings of one whose process did not",
    async (_, after, seconds) => {
      // Each statement has its lines in a chunk, which is stored before the file is taken.
      const [whole, ended] = [Infinity, 22 + after].map((endsAt) => {
        const { layer, state } = countedStore()
        return inEngine(
          layer,
          Effect.gen(function* () {
            const { breaks, lines, match, open, take, warnings } = yield* desk
            const [{ id }, sandbox] = [yield* open, yield* SandboxOperations]
            yield* sandbox.advance({ seconds: 1 })
            state.endsAt = state.commits + endsAt
            const exit = yield* Effect.exit(take(daily(21)))
            state.endsAt = Infinity
            if (exit._tag === "Success") yield* match(id)
            else yield* sandbox.advance({ seconds })
            yield* sandbox.advance({ seconds: 1 })
            return { breaks: yield* breaks, lines: yield* lines, warnings: yield* warnings, isTaken: exit._tag }
          })
        )
      })
      assert.deepEqual({ ...(await ended), isTaken: "Success" }, await whole)
      assert.strictEqual((await ended!).isTaken, "Failure")
      assert.deepEqual([(await whole!).warnings.length, (await whole!).breaks.length], [2, 23])
    }
  )
})
