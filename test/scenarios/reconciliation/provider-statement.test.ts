/** Statements of providers are read into their external accounts, and what they sign decides (INGEST-7, INGEST-8, MATCH-8). */
import { Clock, Deferred, Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import type { Provider, StatementLine } from "../../../src/engine/ports/Provider.ts"
import { type Change, PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { JobHandlers } from "../../../src/engine/work/queue/JobHandlers.ts"
import { StatementInterval } from "../../../src/engine/work/reconciliation/statement-reading.ts"
import { onEveryStore, onMemory } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { fileOf, line as fileLine, readable, statement } from "../../support/statements/readable.ts"

let feeds = 0

/** The cursors from 1 to `last`. */
const numbers = (last: number): ReadonlyArray<string> => Array.from({ length: last }, (_, n) => String(n + 1))

/** A provider of a new name with a statement, of which each page has two lines. */
const bank = () => {
  const name = `bank${++feeds}_${process.pid}`
  const lines: Array<StatementLine> = []
  const asked: Array<string | null> = []
  const state = { isAway: false, offers: true, beginsAgain: false }
  const around = (inner: Provider["Service"]): Provider["Service"] => ({
    ...inner,
    name,
    get statements() {
      return state.offers
        ? {
            balances: Effect.succeed([]),
            lines: (after: string | null) =>
              Effect.gen(function* () {
                asked.push(after)
                if (state.isAway) return yield* new ProviderFault({ message: "the bank is away" })
                const from = state.beginsAgain ? 0 : Number(after ?? 0)
                state.beginsAgain = false
                const page = lines.slice(from, from + 2)
                return { lines: page, cursor: String(from + page.length) }
              })
          }
        : undefined
    }
  })
  /** Says a line of now. */
  const says = Effect.fnUntraced(function* (different: Partial<StatementLine>) {
    const booked_at = yield* Clock.currentTimeMillis
    const one: StatementLine = {
      id: `${name}.${lines.length}`,
      booked_at,
      direction: "debit",
      amount: "10",
      currency: "USDC",
      command_id: null,
      payin_id: null,
      provider_reference: null,
      transaction_hash: null,
      narration: null,
      ...different
    }
    lines.push(one)
    return one
  })
  const opened = (different: object = {}) =>
    Effect.gen(function* () {
      const operator = yield* call(PLATFORM_MERCHANT)
      return yield* (yield* ExternalAccounts).create(operator, {
        provider: name,
        currency: "USDC",
        kind: "bank",
        identifiers: [{ scheme: "account_number", value: name }],
        opening: { date: "2026-01-01", balance: "0" },
        time_zone: "UTC",
        ...different
      } as never)
    })
  /** Reads until the provider was asked `times` more. */
  const read = Effect.fnUntraced(function* (times = 1) {
    const dispatcher = yield* Dispatcher
    const until = asked.length + times
    while (asked.length < until) {
      yield* dispatcher.drain()
      yield* Effect.sleep(2)
    }
    yield* dispatcher.drain()
  })
  const job = (id: string) => Effect.flatMap(Storage, (storage) => storage.job(PLATFORM_MERCHANT, `statements.${id}`))
  const linesOf = (external_account_id: string) =>
    Effect.gen(function* () {
      const { items } = yield* (yield* StatementLines).list({ external_account_id, per_page: 200 })
      return items.toSorted((a, b) => ((a.bank_reference ?? "") < (b.bank_reference ?? "") ? -1 : 1))
    })
  const statementsOf = (external_account_id: string) =>
    Effect.gen(function* () {
      return (yield* (yield* BankStatements).list({ external_account_id, per_page: 200 })).items
    })
  return { name, lines, asked, state, around, says, opened, read, job, linesOf, statementsOf }
}

const quick = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provideService(StatementInterval, 20), Effect.provide(readable))

onEveryStore("the statement of a provider", (run) => {
  covers("INGEST-7", "MATCH-8")
  it("is read to its cursor, each line once, and a line under an unknown command is its success", () => {
    const b = bank()
    return run(
      quick(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("1000")
          const paid = yield* m.transfer("71.11")
          const other = yield* m.transfer("71.12")
          yield* m.settle
          assert.strictEqual(yield* m.status(paid.id), "processing")
          const { id } = yield* b.opened()
          yield* b.says({ command_id: `${paid.id}.payout`, amount: "71.11", provider_reference: "FT-1" })
          yield* b.says({ amount: "3", narration: "a fee" })
          yield* b.says({ currency: "EUR", amount: "4" })
          yield* b.says({ amount: "0" })
          yield* b.says({ command_id: `${other.id}.payout`, amount: "71.13" })
          yield* b.read(4)
          assert.deepEqual(b.asked.slice(0, 4), [null, "2", "4", "5"])
          assert.strictEqual(yield* m.status(paid.id), "success")
          // Another amount than the command's is no execution of it.
          assert.strictEqual(yield* m.status(other.id), "processing")
          const lines = yield* b.linesOf(id)
          assert.deepEqual(
            lines.map(({ amount, end_to_end_id, remittance, status }) => [amount, end_to_end_id, remittance, status]),
            [
              ["71.11", `${paid.id}.payout`, "FT-1", "matched"],
              ["3.00", null, "a fee", "unmatched"],
              ["71.13", `${other.id}.payout`, null, "unmatched"]
            ]
          )
          const found = yield* b.statementsOf(id)
          assert.deepEqual(found.map(({ format, lines }) => [format, lines]).sort(), [
            ["protocol", 1],
            ["protocol", 2]
          ])
          const { items } = yield* (yield* Breaks).list({ external_account_id: id, kind: "amount_differs" })
          assert.deepEqual(
            items.map(({ resources }) => resources),
            [[other.id]]
          )
          assert.strictEqual((yield* b.job(id))?.body["cursor"], "5")
          yield* b.says({ command_id: `${other.id}.payout`, amount: "71.12" })
          yield* b.read(2)
          assert.strictEqual((yield* b.job(id))?.body["cursor"], "6")
          // Two lines under one command are a question.
          assert.strictEqual(yield* m.status(other.id), "processing")
          yield* m.says(other.id, "success")
        })
      ),
      { around: b.around }
    )
  })

  covers("INGEST-8")
  it("hides no line behind one that cannot be read, which is an exception of its own, once", () => {
    const b = bank()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const { id } = yield* b.opened()
          yield* b.says({ amount: "5" })
          const fine = yield* b.says({ amount: "1.0000000001" })
          b.lines.push({ id: `${b.name}.none`, amount: -1 } as never)
          yield* b.says({ amount: "6" })
          yield* b.read(3)
          const amounts = Effect.map(b.linesOf(id), (lines) => lines.map(({ amount }) => amount))
          assert.deepEqual(yield* amounts, ["5.00", "6.00"])
          const raised = Effect.gen(function* () {
            const { items } = yield* (yield* Exceptions).list({ status: "open", per_page: 200 })
            return items.filter(({ detail }) => detail?.includes(b.name) === true)
          })
          const exceptions = yield* raised
          assert.strictEqual(exceptions.length, 2)
          assert.isTrue(exceptions.some(({ detail }) => detail!.includes(fine.id) && detail!.includes("1.0000000001")))
          // A provider that begins again: its lines are those that are there.
          b.state.beginsAgain = true
          yield* b.read(3)
          assert.deepEqual(yield* amounts, ["5.00", "6.00"])
          assert.strictEqual((yield* raised).length, 2)
        })
      ),
      { around: b.around }
    )
  })
})

onMemory("the feed of a provider", (run) => {
  covers("INGEST-7", "INGEST-4")
  it("is one, whichever account mirrors it: a successor goes on where the account before was", () => {
    const b = bank()
    return run(
      quick(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("1000")
          const paid = yield* m.transfer("71.11")
          yield* m.settle
          yield* m.says(paid.id, "success")
          const { id } = yield* b.opened()
          yield* b.says({ command_id: `${paid.id}.payout`, amount: "71.11" })
          yield* b.says({ amount: "3", narration: "a fee" })
          yield* b.read(2)
          const accounts = yield* ExternalAccounts
          const operator = call(PLATFORM_MERCHANT)
          const set = (one: string, status: "active" | "closed") =>
            Effect.flatMap(operator, (by) => accounts.update(by, one, { status, note: "another" } as never))
          const amountsOf = (one: string) => Effect.map(b.linesOf(one), (lines) => lines.map(({ amount }) => amount))
          // One that waits reads nothing, and knows no place of the feed.
          const next = yield* b.opened({ identifiers: [{ scheme: "account_number", value: `${b.name}.2` }] })
          yield* set(id, "closed")
          yield* b.read(2)
          assert.deepEqual(yield* amountsOf(next.id), [])
          yield* b.says({ amount: "4" })
          yield* b.read(2)
          assert.deepEqual(yield* amountsOf(next.id), ["4.00"])
          // The first one made is the reader again, until it is closed again.
          yield* set(id, "active")
          yield* b.says({ amount: "5" })
          yield* b.read(2)
          yield* set(id, "closed")
          yield* b.says({ amount: "6" })
          yield* b.read(2)
          assert.deepEqual(yield* amountsOf(id), ["71.11", "3.00", "5.00"])
          assert.deepEqual(yield* amountsOf(next.id), ["4.00", "6.00"])
          assert.strictEqual(b.asked.lastIndexOf(null), 0)
          // Nobody goes back in it.
          const places = b.asked.map(Number)
          assert.deepEqual(
            places,
            places.toSorted((x, y) => x - y)
          )
          const { items } = yield* (yield* Breaks).list({ kind: "executed_twice" })
          assert.deepEqual(items, [])
        })
      ),
      { around: b.around }
    )
  })
})

onMemory("the statement of a provider", (run) => {
  covers("INGEST-7")
  it("that is away is read later, from where it was, and its job says since when it fails", () => {
    const b = bank()
    return run(
      quick(
        Effect.gen(function* () {
          const { id } = yield* b.opened({ kind: "bank" })
          yield* b.says({ amount: "5" })
          yield* b.read(2)
          b.state.isAway = true
          yield* b.says({ amount: "6" })
          yield* b.read(1)
          const failing = yield* b.job(id)
          assert.strictEqual(failing?.body["cursor"], "1")
          assert.isNumber(failing?.body["failing_since"])
          assert.deepInclude(failing?.log.at(-1), { answer: "the bank is away" })
          b.state.isAway = false
          yield* b.read(2)
          assert.strictEqual((yield* b.linesOf(id)).length, 2)
          assert.isNull((yield* b.job(id))?.body["failing_since"])
        })
      ),
      { around: b.around }
    )
  })

  it.each([
    ["is read on behind pages without a line, one after another", 5, undefined, [null, "1", "2", "3", "4", "5"]],
    ["is read to the page that has its closing balance", 5, 2, [null, "1", "2"]],
    ["whose cursor always moves is read on later", Number.POSITIVE_INFINITY, undefined, [null, ...numbers(99)]]
  ])("%s", (_, last, closed, read) => {
    const asked: Array<string | null> = []
    const b = bank()
    const around = (inner: Provider["Service"]): Provider["Service"] => ({
      ...inner,
      name: b.name,
      statements: {
        balances: Effect.succeed([]),
        lines: (after) =>
          Effect.sync(() => {
            asked.push(after)
            const page = Number(after ?? 0)
            const closing = { block: String(page), at: 0, balances: [{ currency: "USDC", amount: "0" }] }
            return {
              lines: [],
              cursor: String(Math.min(page + 1, last)),
              ...(page === closed ? { closing } : {})
            }
          })
      }
    })
    return run(
      Effect.gen(function* () {
        yield* b.opened()
        const dispatcher = yield* Dispatcher
        for (let more = 3; more > 0; more--) yield* dispatcher.drain()
        assert.deepEqual(asked, read)
      }),
      { around }
    )
  })

  it("is of the first active account of its currency, and of none that has files", () => {
    const b = bank()
    return run(
      quick(
        Effect.gen(function* () {
          const first = yield* b.opened()
          yield* Effect.sleep(2)
          const second = yield* b.opened({ identifiers: [{ scheme: "account_number", value: `${b.name}-2` }] })
          yield* b.says({ amount: "5" })
          yield* b.read(2)
          assert.strictEqual((yield* b.linesOf(first.id)).length, 1)
          assert.deepEqual(yield* b.linesOf(second.id), [])
          const operator = yield* call(PLATFORM_MERCHANT)
          const statements = yield* BankStatements
          const take = (value: string) =>
            statements.take(operator, {
              file: fileOf(
                statement({
                  account: { identifiers: [{ scheme: "account_number", value }], currency: "USDC", bank: null },
                  currency: "USDC",
                  lines: [fileLine({ currency: "USDC" })]
                })
              )
            })
          const refused = yield* Effect.flip(take(b.name))
          assert.strictEqual(
            refused._tag === "InvalidInput" && refused.errors[0]!.found,
            `${first.id}, whose lines are read from its provider`
          )
          assert.strictEqual((yield* b.linesOf(first.id)).length, 1)
          yield* take(`${b.name}-2`)
          yield* (yield* ExternalAccounts).update(yield* call(PLATFORM_MERCHANT), first.id, { status: "closed" })
          yield* b.says({ amount: "6" })
          const asked = b.asked.length
          const dispatcher = yield* Dispatcher
          for (let n = 0; n < 5; n++) {
            yield* dispatcher.drain()
            yield* Effect.sleep(20)
          }
          assert.strictEqual(b.asked.length, asked)
          assert.isUndefined(yield* b.job(first.id))
          assert.strictEqual((yield* b.linesOf(second.id)).length, 1)
        })
      ),
      { around: b.around }
    )
  })

  it("is a chain's for an account on a chain, and a provider that has none is not asked until a node starts with one that has", () => {
    const b = bank()
    b.state.offers = false
    return run(
      quick(
        Effect.gen(function* () {
          const address = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
          const { id } = yield* b.opened({
            kind: "chain",
            identifiers: [{ scheme: "address", value: address, network: "solana" }]
          })
          yield* b.says({ direction: "credit", amount: "5", transaction_hash: "hash-1" })
          yield* (yield* Dispatcher).drain()
          assert.deepEqual(b.asked, [])
          assert.isUndefined(yield* b.job(id))
          b.state.offers = true
          // What a node does when it starts.
          yield* (yield* JobHandlers).wake
          yield* b.read(2)
          const [one] = yield* b.linesOf(id)
          assert.deepInclude(one, { direction: "credit", amount: "5.00", transaction_hash: "hash-1" })
          assert.deepEqual(
            (yield* b.statementsOf(id)).map(({ format }) => format),
            ["chain"]
          )
        })
      ),
      { around: b.around }
    )
  })
})

/** A store of which the first commit that has a statement of one format waits until one of the other is made, or was not for a while. */
const overtaken = (format: string, other: string) =>
  Layer.effect(
    Storage,
    Effect.gen(function* () {
      const storage = yield* Storage
      const made = yield* Deferred.make<void>()
      let isWaiting = false
      const has = ({ rows }: Change, wanted: string): boolean =>
        rows.some(({ data, kind }) => kind === "statement" && (data as { readonly format: string }).format === wanted)
      return {
        ...storage,
        commit: (change: Change) =>
          Effect.gen(function* () {
            if (!isWaiting && has(change, format)) {
              isWaiting = true
              yield* Effect.race(Deferred.await(made), Effect.sleep(1_000))
            }
            const verdict = yield* storage.commit(change)
            if (has(change, other)) yield* Deferred.succeed(made, undefined)
            return verdict
          })
      }
    })
  ).pipe(Layer.provide(MemoryStorage.layer))

covers("INGEST-7")
it.each([
  ["protocol", "camt.053"],
  ["camt.053", "protocol"]
])(
  "the first statement of an account, which comes as %s and is overtaken by the one as %s, is there once",
  (...formats) => {
    const b = bank()
    return Effect.runPromise(
      quick(
        Effect.gen(function* () {
          const { id } = yield* b.opened()
          yield* b.says({ amount: "5", provider_reference: "FT-1" })
          const operator = yield* call(PLATFORM_MERCHANT)
          const statements = yield* BankStatements
          const file = fileOf(
            statement({
              account: { identifiers: [{ scheme: "account_number", value: b.name }], currency: "USDC", bank: null },
              currency: "USDC",
              lines: [fileLine({ currency: "USDC", amount: "5", direction: "debit", bank_reference: "FT-1" })]
            })
          )
          const takes = Effect.exit(statements.take(operator, { file }))
          const reads = Effect.timeout(b.read(1), 5_000)
          yield* Effect.all(
            formats[0] === "protocol" ? [reads, Effect.delay(takes, 100)] : [takes, Effect.delay(reads, 100)],
            { concurrency: 2 }
          )
          yield* (yield* Dispatcher).drain()
          assert.strictEqual((yield* b.linesOf(id)).length, 1)
          assert.strictEqual((yield* b.statementsOf(id)).length, 1)
        })
      ).pipe(Effect.provide(makeSimulatedEngine({ around: b.around, storage: overtaken(formats[0], formats[1]) })))
    )
  }
)

covers("INGEST-8")
it("a line that a page has twice, with another amount the second time, is two, as it is on two pages", () => {
  const b = bank()
  return Effect.runPromise(
    quick(
      Effect.gen(function* () {
        const { id } = yield* b.opened()
        const one = yield* b.says({ amount: "5" })
        b.lines.push({ ...one, amount: "7" }, { ...one, amount: "9" }, { ...one, amount: "9.00" })
        yield* b.read(3)
        const lines = yield* b.linesOf(id)
        assert.deepEqual(lines.map(({ amount }) => amount).sort(), ["5.00", "7.00", "9.00"])
      })
    ).pipe(Effect.provide(makeSimulatedEngine({ around: b.around })))
  )
})

covers("INGEST-4", "COMPANY-23")
it("an hour that is read again because a line of it was listed late is there once, also where a line says more by then", () => {
  const b = bank()
  return Effect.runPromise(
    quick(
      Effect.gen(function* () {
        const { id } = yield* b.opened()
        const one = yield* b.says({ amount: "5" })
        const other = yield* b.says({ amount: "7" })
        yield* b.read(2)
        const before = yield* b.linesOf(id)
        yield* b.says({ amount: "3", booked_at: one.booked_at - 60_000 })
        b.lines.push({ ...one, provider_reference: "P-1", narration: "said later" }, other)
        yield* b.read(3)
        const lines = yield* b.linesOf(id)
        assert.deepEqual(lines.map(({ amount }) => amount).sort(), ["3.00", "5.00", "7.00"])
        for (const line of before) assert.isTrue(lines.some((now) => now.id === line.id))
      })
    ).pipe(Effect.provide(makeSimulatedEngine({ around: b.around })))
  )
})

covers("INGEST-4", "INGEST-7", "INGEST-10")
it("a line that is read again in another time zone is the line that is there, on its day, and its second statement shares it", () => {
  const b = bank()
  return Effect.runPromise(
    quick(
      Effect.gen(function* () {
        const accounts = yield* ExternalAccounts
        const change = (input: object) =>
          Effect.flatMap(call(PLATFORM_MERCHANT), (operator) => accounts.update(operator, id, input as never))
        const { id } = yield* b.opened()
        const midnight = Date.parse("2026-01-05T00:00:00Z")
        yield* b.says({ amount: "10", direction: "credit", booked_at: midnight + 10 * 3_600_000 })
        yield* b.says({ amount: "7", booked_at: midnight + 20 * 3_600_000 })
        yield* b.read(2)
        const before = yield* b.linesOf(id)
        yield* change({ time_zone: "Asia/Tokyo", note: "the bank's own" })
        b.state.beginsAgain = true
        yield* b.read(2)
        const days = (lines: typeof before) => lines.map(({ booked_on, id }) => [id, booked_on])
        assert.deepEqual(days(yield* b.linesOf(id)), days(before))
        assert.deepEqual(
          before.map(({ booked_on }) => booked_on),
          ["2026-01-05", "2026-01-05"]
        )
        const [again, first] = yield* b.statementsOf(id)
        const statements = yield* BankStatements
        const own = (one: string) =>
          Effect.map(statements.get(one), ({ lines, lines_own, lines_shared }) => [lines, lines_own, lines_shared])
        assert.deepEqual(yield* own(first!.id), [2, 2, []])
        assert.deepEqual(yield* own(again!.id), [2, 0, [{ statement_id: first!.id, lines: 2 }]])
      })
    ).pipe(Effect.provide(makeSimulatedEngine({ around: b.around })))
  )
})
