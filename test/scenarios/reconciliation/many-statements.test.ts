/** What a file of many statements reads of the store: as much for each of them, however many they are (INGEST-5). */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

/** Counts the rows that lists return. */
const countedStore = (rows: { count: number }): Layer.Layer<Storage> =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (inner): Storage["Service"] => ({
      ...inner,
      list: (query) =>
        Effect.tap(inner.list(query), ({ items }) => Effect.sync(() => void (rows.count += items.length)))
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))

const dayAt = (n: number): string => new Date(Date.parse("2026-01-01") + n * 86_400_000).toISOString().slice(0, 10)
const identifier = { scheme: "account_number", value: "301" } as const

/** Takes a file of statements of one booking each. `dayOf`: of each statement. Returns how many rows it read. */
const readBy = async (count: number, dayOf: (n: number) => string): Promise<number> => {
  const rows = { count: 0 }
  const program = Effect.gen(function* () {
    const operator = yield* call(PLATFORM_MERCHANT)
    yield* (yield* ExternalAccounts).create(operator, {
      ...({ provider: "simulated", currency: "EUR", kind: "bank", time_zone: "UTC" } as const),
      ...{ opening: { date: dayAt(0), balance: "1000" }, identifiers: [identifier] }
    })
    const all = Array.from({ length: count }, (_, n) =>
      statement({
        ...{ account: { identifiers: [identifier], currency: "EUR", bank: null }, number: String(n + 1) },
        ...{ from: dayOf(n), to: dayOf(n) },
        opening_balance: { date: dayOf(n), amount: String(1000 + n) },
        closing_balance: { date: dayOf(n), amount: String(1001 + n) },
        lines: [line({ booked_on: dayOf(n), value_on: dayOf(n), amount: "1", place: `line ${n + 1}` })]
      })
    )
    rows.count = 0
    const taken = yield* (yield* BankStatements).take(operator, { file: fileOf(...all) })
    assert.strictEqual(taken.length, count)
    return rows.count
  })
  return await Effect.runPromise(
    program.pipe(
      Effect.provide(readable),
      Effect.provide(makeSimulatedEngine({ storage: countedStore(rows) }))
    ) as Effect.Effect<number>
  )
}

covers("INGEST-5")
it.each([
  ["a statement of each day", dayAt],
  ["parts of one day", () => dayAt(0)]
] as const)("of %s, eight times as many statements read at most as much for each", async (_, dayOf) => {
  const [few, many] = [await readBy(10, dayOf), await readBy(80, dayOf)]
  assert.isAtMost(many, 8 * few)
})
