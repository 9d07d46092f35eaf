/** Statements of a chain: each has what its addresses hold at a block, and its lines lead to it (INGEST-9). */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import type { Provider, StatementLine, StatementPage } from "../../../src/engine/ports/Provider.ts"
import type { InvalidStatus } from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { ProviderReports } from "../../../src/engine/reports/providers.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { BreakResolutions } from "../../../src/engine/resources/reconciliation/resolution.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { StatementInterval } from "../../../src/engine/work/reconciliation/statement-reading.ts"
import { onEveryStore, onMemory } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const dayMs = 86_400_000
const address = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
let chains = 0

/** A provider of a new name whose statement is the pages that a test adds. */
const chain = () => {
  const name = `chain${++chains}_${process.pid}`
  const pages: Array<Omit<StatementPage, "cursor">> = []
  let asked = 0
  let lines = 0
  const around = (inner: Provider["Service"]): Provider["Service"] => ({
    ...inner,
    name,
    statements: {
      balances: Effect.succeed([]),
      lines: (after) =>
        Effect.sync(() => {
          asked++
          const at = Number(after ?? 0)
          const page = pages[at]
          // An end without a block: nothing is known of it yet.
          return page === undefined ? { lines: [], cursor: String(at) } : { ...page, cursor: String(at + 1) }
        })
    }
  })
  const line = (amount: string, booked_at: number, different: Partial<StatementLine> = {}): StatementLine => ({
    id: `${name}.${++lines}`,
    booked_at,
    direction: amount.startsWith("-") ? "debit" : "credit",
    amount: amount.replace("-", ""),
    currency: "USDC",
    command_id: null,
    payin_id: null,
    provider_reference: null,
    transaction_hash: null,
    narration: null,
    ...different
  })
  const held = (block: number, at: number, amount: string) => ({
    block: String(block),
    at,
    balances: [{ currency: "USDC", amount }]
  })
  const opened = (date: string, balance: string, time_zone = "UTC") =>
    Effect.gen(function* () {
      return yield* (yield* ExternalAccounts).create(yield* call(PLATFORM_MERCHANT), {
        provider: name,
        currency: "USDC",
        kind: "chain",
        identifiers: [
          { scheme: "address", value: address.replace("7Ec", `7E${"abcdefghjk"[chains % 10]}`), network: "solana" }
        ],
        opening: { date, balance },
        time_zone,
        note: "a chain"
      } as never)
    })
  /** Reads until all pages were asked for, and the end after them. */
  const read = Effect.gen(function* () {
    const dispatcher = yield* Dispatcher
    const until = asked + pages.length + 1
    while (asked < until) {
      yield* dispatcher.drain()
      yield* Effect.sleep(2)
    }
    yield* dispatcher.drain()
  })
  const statementsOf = (external_account_id: string) =>
    Effect.gen(function* () {
      const { items } = yield* (yield* BankStatements).list({ external_account_id, per_page: 200 })
      return items
        .map((one) => [one.from, one.number, one.opening_balance, one.closing_balance, one.lines] as const)
        .toReversed()
    })
  const breaksOf = (external_account_id: string) =>
    Effect.gen(function* () {
      const { items } = yield* (yield* Breaks).list({ external_account_id, per_page: 200 })
      return items
        .toReversed()
        .map(({ amount, direction, kind, severity, status }) => `${kind} ${amount} ${direction} ${severity} ${status}`)
    })
  const linesOf = (external_account_id: string) =>
    Effect.gen(function* () {
      const { items } = yield* (yield* StatementLines).list({ external_account_id, per_page: 200 })
      return items
        .toSorted((a, b) => (a.bank_reference! < b.bank_reference! ? -1 : 1))
        .map(({ amount, direction, matches, status }) => [direction, amount, status, matches.map(({ rule }) => rule)])
    })
  return { name, pages, around, line, held, opened, read, statementsOf, breaksOf, linesOf }
}

const quick = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, StatementInterval, 20)

onEveryStore("the statement of a chain", (run) => {
  covers("INGEST-9", "MATCH-2")
  it("names its block, matches a payout by its hash, and has what a stranger sent as missing in the books", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("1000")
          const paid = yield* m.transfer("71.11")
          yield* m.settle
          yield* m.says(paid.id, "success")
          const { transaction_hash } = yield* m.body(paid.id)
          assert.isString(transaction_hash)
          const now = yield* Clock.currentTimeMillis
          const today = new Date(now).toISOString().slice(0, 10)
          const { id } = yield* c.opened(today, "500")
          const first = [c.line("-71.11", now, { transaction_hash }), c.line("7", now)]
          c.pages.push({ lines: first, opening: c.held(100, now, "500"), closing: c.held(120, now, "435.89") })
          // A transfer that is read again, as where a cursor went back, is no second one.
          c.pages.push({ lines: [first[1]!], closing: c.held(121, now, "435.89") })
          yield* c.read
          assert.deepEqual(yield* c.linesOf(id), [
            ["debit", "71.11", "matched", ["transaction_hash"]],
            ["credit", "7.00", "unmatched", []]
          ])
          assert.deepEqual(yield* c.statementsOf(id), [
            [today, "120", "500.00", "435.89", 2],
            [today, null, null, null, 1]
          ])
          assert.deepEqual(yield* c.breaksOf(id), ["missing_in_books 7.00 credit low open"])
        })
      ),
      { around: c.around }
    )
  })

  covers("INGEST-9", "BREAK-1", "BREAK-2")
  it("that does not reach its block's balance is a break, once, and the next one begins with what the block has", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const now = yield* Clock.currentTimeMillis
          const today = new Date(now).toISOString().slice(0, 10)
          const { id } = yield* c.opened(today, "10")
          c.pages.push({ lines: [c.line("5", now)], opening: c.held(1, now, "10"), closing: c.held(2, now, "12.5") })
          // No line at all, and less than before.
          c.pages.push({ lines: [], closing: c.held(3, now, "12.5") })
          c.pages.push({ lines: [c.line("0", now)], closing: c.held(4, now, "11") })
          c.pages.push({ lines: [c.line("1", now + 1)], closing: c.held(5, now + 1, "13") })
          yield* c.read
          yield* c.read
          assert.deepEqual(yield* c.statementsOf(id), [
            [today, "2", "10.00", "12.50", 1],
            [today, "4", "12.50", "11.00", 0],
            [today, "5", "11.00", "13.00", 1]
          ])
          const found = (yield* c.breaksOf(id)).filter((one) => one.startsWith("balance_differs"))
          assert.deepEqual(found, [
            "balance_differs 2.50 debit high open",
            "balance_differs 1.50 debit high open",
            "balance_differs 1.00 credit low open"
          ])
          const { items } = yield* (yield* BankStatements).list({ external_account_id: id, number: "2" })
          assert.deepEqual(items[0]?.warnings, [
            {
              code: "balance_differs",
              message: "At block 2 the account holds 12.50 USDC; the lines lead to 15.00.",
              place: null
            }
          ])
        })
      ),
      { around: c.around }
    )
  })
})

onMemory("an external account on a chain", (run) => {
  covers("EXTERNAL-2")
  it("takes only addresses that are its adapter's own, and what an adapter cannot say now is not refused", () => {
    const c = chain()
    const own = address.replace("7Ec", "7Ea")
    const state = { isAway: false }
    const says = <A>(value: A) =>
      Effect.suspend(() =>
        state.isAway ? Effect.fail(new ProviderFault({ message: "the chain is away" })) : Effect.succeed(value)
      )
    const around = (inner: Provider["Service"]): Provider["Service"] => ({
      ...c.around(inner),
      addresses: {
        hot_wallet: says(own),
        owns: (network, one) => says(network === "solana" && one === own)
      }
    })
    const accountAt = (value: string) => ({
      provider: c.name,
      currency: "USDC",
      kind: "chain",
      identifiers: [{ scheme: "address", value, network: "solana" }],
      opening: { date: "2026-01-01", balance: "0" },
      time_zone: "UTC",
      note: "a chain"
    })
    return run(
      Effect.gen(function* () {
        const accounts = yield* ExternalAccounts
        const operator = call(PLATFORM_MERCHANT)
        const create = (value: string) =>
          Effect.flatMap(operator, (one) => accounts.create(one, accountAt(value) as never))
        const refused = yield* Effect.flip(create(address))
        assert.strictEqual(
          refused.message,
          `identifiers.0.value is "${address}", which is no address of ${c.name} on solana. It takes its hot wallet, ${own}, or a deposit address that it issued: the account's statement is of all of them.`
        )
        const { id } = yield* create(own)
        const foreign = { identifiers: [{ scheme: "address", value: address, network: "solana" }], note: "another" }
        const update = Effect.flatMap(operator, (one) => accounts.update(one, id, foreign as never))
        assert.strictEqual((yield* Effect.flip(update))._tag, "InvalidInput")
        state.isAway = true
        assert.strictEqual((yield* update).identifiers[0]?.value, address)
        const reports = yield* ProviderReports
        const shown = Effect.map(reports.list({}), ({ items: [one] }) => [one?.hot_wallet, one?.foreign_addresses])
        assert.deepEqual(yield* shown, [null, []])
        state.isAway = false
        assert.deepEqual(yield* shown, [own, [{ external_account_id: id, address }]])
      }),
      { around }
    )
  })
})

onMemory("the statement of a chain", (run) => {
  covers("INGEST-9", "CLOSE-1")
  it("ends each day of the account's time zone with what its lines lead to, so that the day can be closed", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const now = yield* Clock.currentTimeMillis
          // Midnight in Lagos, which is at 23:00 of UTC, two days ago.
          const midnight = Math.floor(now / dayMs) * dayMs - dayMs - 3_600_000
          const day = (at: number): string => new Date(at + 3_600_000).toISOString().slice(0, 10)
          const [before, after] = [day(midnight - 1), day(midnight)]
          const { id } = yield* c.opened(before, "10", "Africa/Lagos")
          c.pages.push({
            lines: [c.line("5", midnight - 1000), c.line("1", midnight + 1000)],
            opening: c.held(1, midnight - 2000, "10"),
            closing: c.held(9, midnight + 2000, "16")
          })
          // A page that ends before its block is known.
          c.pages.push({ lines: [c.line("-2", midnight + 3000)] })
          c.pages.push({ lines: [c.line("3", midnight + 4000)], closing: c.held(12, midnight + 5000, "17") })
          yield* c.read
          assert.deepEqual(yield* c.statementsOf(id), [
            [before, null, "10.00", "15.00", 1],
            [after, "9", "15.00", "16.00", 1],
            [after, null, "16.00", "14.00", 1],
            [after, "12", "14.00", "17.00", 1]
          ])
          assert.deepEqual(
            (yield* c.breaksOf(id)).filter((one) => one.startsWith("balance_differs")),
            []
          )
          const closings = yield* Closings
          const figures = (date: string) =>
            Effect.gen(function* () {
              const { closing, statement_closing, unexplained } = yield* closings.create(
                yield* call(PLATFORM_MERCHANT),
                {
                  external_account_id: id,
                  date,
                  accept: true,
                  note: "a test"
                }
              )
              return [closing, statement_closing, unexplained]
            })
          assert.deepEqual(yield* figures(before), ["15.00", "15.00", "5.00"])
          assert.deepEqual(yield* figures(after), ["17.00", "17.00", "2.00"])
        })
      ),
      { around: c.around }
    )
  })

  covers("INGEST-9", "CLOSE-1", "CLOSE-2", "CLOSE-4")
  it("that has a transfer of an earlier day late leaves each day what its blocks have, and no difference", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const now = yield* Clock.currentTimeMillis
          const at = (ago: number): number => now - ago * dayMs
          const day = (ago: number): string => new Date(at(ago)).toISOString().slice(0, 10)
          const { id } = yield* c.opened(day(3), "1000")
          const dueTo = [c.line("10", at(3)), c.line("4000", at(2)), c.line("100", at(1))] as const
          c.pages.push({ lines: [dueTo[0]], opening: c.held(1, at(3), "1000"), closing: c.held(9, at(3), "1060") })
          c.pages.push({ lines: [dueTo[1]], closing: c.held(19, at(2), "5060") })
          c.pages.push({ lines: [dueTo[2]], closing: c.held(29, at(1), "5160") })
          yield* c.read
          const differences = Effect.map(c.breaksOf(id), (all) =>
            all.filter((one) => one.startsWith("balance_differs"))
          )
          assert.deepEqual(yield* differences, ["balance_differs 50.00 credit low open"])
          // The node had left it out.
          c.pages.push({ lines: [c.line("50", at(3))], closing: c.held(39, now, "5160") })
          yield* c.read
          assert.deepEqual(yield* differences, ["balance_differs 50.00 credit low resolved"])
          assert.deepEqual((yield* c.statementsOf(id)).slice(3), [[day(3), null, null, null, 1]])
          const closings = yield* Closings
          const operator = call(PLATFORM_MERCHANT)
          const shown = Effect.map(closings.reconciliation({ date: day(1), external_account_id: id }), ({ items }) =>
            items.map(({ difference, outstanding, statement }) => [statement, difference, outstanding])
          )
          assert.deepEqual(yield* shown, [["5160.00", "4160.00", "0.00"]])
          const figures = (ago: number) =>
            Effect.gen(function* () {
              const { closing, opening, outstanding, statement_closing, unexplained } = yield* closings.create(
                yield* operator,
                { external_account_id: id, date: day(ago), accept: true, note: "a test" }
              )
              return [opening, closing, statement_closing, unexplained, outstanding]
            })
          assert.deepEqual(yield* figures(3), ["1000.00", "1060.00", "1060.00", "60.00", "0.00"])
          assert.deepEqual(yield* figures(2), ["1060.00", "5060.00", "5060.00", "4000.00", "0.00"])
          assert.deepEqual(yield* figures(1), ["5060.00", "5160.00", "5160.00", "100.00", "0.00"])
        })
      ),
      { around: c.around }
    )
  })

  covers("INGEST-7", "BREAK-6", "CLOSE-4")
  it("that is closed and opened again goes on where it was: a difference is booked once", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const now = yield* Clock.currentTimeMillis
          const today = new Date(now).toISOString().slice(0, 10)
          const { id } = yield* c.opened(today, "1000")
          c.pages.push({ lines: [c.line("6", now)], opening: c.held(1, now, "1000"), closing: c.held(2, now, "1056") })
          yield* c.read
          const breaks = yield* Breaks
          const operator = call(PLATFORM_MERCHANT)
          const { items } = yield* breaks.list({ external_account_id: id, kind: "balance_differs" })
          const input = { action: "explain", note: "an airdrop", from: `world:${c.name}`, to: "suspense" }
          yield* (yield* BreakResolutions).resolve(yield* operator, items[0]!.id, input as never)
          const accounts = yield* ExternalAccounts
          for (const status of ["closed", "active"] as const)
            yield* accounts.update(yield* operator, id, { status, note: "moved" } as never)
          c.pages.push({ lines: [c.line("1", now + 1)], closing: c.held(3, now + 1, "1057") })
          yield* c.read
          assert.deepEqual(yield* c.statementsOf(id), [
            [today, "2", "1000.00", "1056.00", 1],
            [today, "3", "1056.00", "1057.00", 1]
          ])
          assert.deepEqual(
            (yield* c.breaksOf(id)).filter((one) => one.startsWith("balance_differs")),
            ["balance_differs 50.00 credit low resolved"]
          )
        })
      ),
      { around: c.around }
    )
  })

  covers("INGEST-7", "INGEST-9")
  it("that is opened again on the day of its last block knows by its block what comes late", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const now = yield* Clock.currentTimeMillis
          const today = new Date(now).toISOString().slice(0, 10)
          const { id } = yield* c.opened(today, "1000")
          const ofBlock = (block: number, amount: string) => c.line(amount, now, { block: String(block) })
          c.pages.push({ lines: [ofBlock(9, "6")], opening: c.held(1, now, "1000"), closing: c.held(10, now, "1056") })
          yield* c.read
          const accounts = yield* ExternalAccounts
          for (const status of ["closed", "active"] as const)
            yield* accounts.update(yield* call(PLATFORM_MERCHANT), id, { status, note: "moved" } as never)
          c.pages.push({ lines: [ofBlock(9, "50"), ofBlock(11, "2")], closing: c.held(12, now, "1058") })
          yield* c.read
          assert.deepEqual(yield* c.statementsOf(id), [
            [today, "10", "1000.00", "1056.00", 1],
            [today, null, null, null, 1],
            [today, "12", "1056.00", "1058.00", 1]
          ])
          assert.deepEqual(
            (yield* c.breaksOf(id)).filter((one) => one.startsWith("balance_differs")),
            ["balance_differs 50.00 credit low resolved"]
          )
        })
      ),
      { around: c.around }
    )
  })

  covers("INGEST-7")
  it("is not opened again where another account has read on since, whose balances have what moved meanwhile", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const now = yield* Clock.currentTimeMillis
          const today = new Date(now).toISOString().slice(0, 10)
          const accounts = yield* ExternalAccounts
          const operator = call(PLATFORM_MERCHANT)
          const set = (id: string, status: "closed" | "active") =>
            Effect.flatMap(operator, (by) => accounts.update(by, id, { status, note: "moved" } as never))
          const first = yield* c.opened(today, "1000")
          c.pages.push({ lines: [c.line("10", now)], closing: c.held(1, now, "1010") })
          yield* c.read
          yield* set(first.id, "closed")
          const second = yield* c.opened(today, "1010")
          c.pages.push({ lines: [c.line("100", now + 1)], closing: c.held(2, now + 1, "1110") })
          yield* c.read
          yield* set(second.id, "closed")
          const refused = yield* Effect.flip(set(first.id, "active"))
          assert.strictEqual(refused._tag, "InvalidStatus")
          assert.include((refused as InvalidStatus).message, `${second.id} has read the statement`)
          // The one that has read it last goes on.
          assert.strictEqual((yield* set(second.id, "active")).status, "active")
        })
      ),
      { around: c.around }
    )
  })

  covers("INGEST-9")
  it("whose first balance is that of a later block has nothing to reach before it, and leaves out what the ledger cannot keep", () => {
    const c = chain()
    return run(
      quick(
        Effect.gen(function* () {
          yield* merchantAtWork("0")
          const now = yield* Clock.currentTimeMillis
          const today = new Date(now).toISOString().slice(0, 10)
          const { id } = yield* c.opened(today, "0")
          c.pages.push({ lines: [c.line("5", now)] })
          c.pages.push({ lines: [], closing: c.held(7, now, "8.0000009") })
          c.pages.push({ lines: [c.line("1", now + 1)], closing: c.held(8, now + 1, "9.0000001") })
          yield* c.read
          assert.deepEqual(yield* c.statementsOf(id), [
            [today, null, null, null, 1],
            [today, "7", null, "8.00", 0],
            [today, "8", "8.00", "9.00", 1]
          ])
          assert.deepEqual(
            (yield* c.breaksOf(id)).filter((one) => one.startsWith("balance_differs")),
            []
          )
        })
      ),
      { around: c.around }
    )
  })
})
