/** What was before an account's first day is in its opening balance: no line of then is a difference (CLOSE-4). */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import type { AccountRow } from "../../../src/engine/resources/reconciliation/account-days.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { computePosition } from "../../../src/engine/resources/reconciliation/position.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, brief, type Desk } from "../../support/statements/day-desk.ts"

covers("CLOSE-2", "CLOSE-4", "CLOSE-5")
it.each(["before it is closed", "after it is closed"])(
  "a line before the first day is in no break, and in no entry: %s",
  (when) =>
    Effect.runPromise(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second] = own.days
          const earlier = new Date(Date.parse(first) - 2 * 86_400_000).toISOString().slice(0, 10)
          const isLate = when === "after it is closed"
          if (isLate) {
            yield* own.ends(first, [], "1000")
            yield* own.close(first)
          }
          yield* own.says(earlier, [
            { amount: "100", booked_on: earlier, value_on: earlier, remittance: "FEE" },
            { amount: "0.10", booked_on: earlier, value_on: earlier, remittance: "FEE TOO" }
          ])
          assert.deepEqual(brief(yield* own.all), [])
          const lines = yield* own.lines
          assert.deepEqual(
            lines.map(({ status }) => status),
            ["unmatched", "unmatched"]
          )
          for (const day of [first, second]) {
            const { difference, ledger, outstanding, unexplained } = yield* own.reconciled(day)
            assert.deepEqual([ledger, difference, outstanding, unexplained], ["1000.00", "0.00", "0.00", "0.00"])
          }
          const refused = yield* Effect.flip(own.post("100", { line_id: lines[0]!.id }))
          assert.strictEqual((refused as { readonly _tag: string })._tag, "InvalidInput")
          assert.strictEqual((yield* own.reconciled(second)).ledger, "1000.00")
          // A day since then can be closed without a word about it.
          yield* own.close(isLate ? second : first)
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
)

const reasonOf = (refused: unknown) => {
  const { _tag, message } = refused as { readonly _tag: string; readonly message: string }
  return `${_tag}: ${message}`
}
const figuresOn = (own: Desk, day: string) =>
  Effect.map(own.reconciled(day), ({ difference, ledger, outstanding, unexplained }) => ({
    ...{ difference, ledger, outstanding, unexplained }
  }))
const twoDaysBefore = (day: string) => new Date(Date.parse(day) - 2 * 86_400_000).toISOString().slice(0, 10)

covers("CLOSE-4")
it.each(["lines", "a balance"] as const)(
  "a line before the first day whose match is undone is in no break: by one of %s",
  (of) =>
    Effect.runPromise(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second] = own.days
          const earlier = twoDaysBefore(first)
          const { id: entry } = yield* own.post("20")
          yield* own.says(earlier, [{ amount: "20", booked_on: earlier, value_on: earlier, remittance: "OF BEFORE" }])
          yield* own.ends(second, [{ amount: "7", remittance: "FEE" }], of === "lines" ? "993" : "990")
          const [old] = yield* own.lines
          const findBreak = (kind: string) => Effect.map(own.open, (open) => open.find((one) => one.kind === kind)!)
          const fee = yield* findBreak("missing_in_books")
          yield* own.resolve(fee.id, { action: "match", line_ids: [old!.id], resource_ids: [entry] })
          yield* own.match
          // The break of the balance ends with the line that its statement lacks: what has ended so takes back matches, too.
          const about = of === "lines" ? fee : yield* findBreak("balance_differs")
          if (of === "a balance") yield* own.says(second, [{ amount: "3", remittance: "FORGOTTEN" }])
          yield* own.resolve(about.id, { action: "unmatch", line_ids: [old!.id] })
          // At once, and not only once it is matched again.
          assert.deepEqual(
            (yield* own.all).filter(({ lines }) => lines.includes(old!.id)),
            []
          )
          yield* own.reverse(entry)
          yield* own.match
          assert.strictEqual((yield* own.lineOf(old!.id)).status, "unmatched")
          const since = (yield* own.open).filter(({ kind }) => kind === "missing_in_books")
          assert.deepEqual(since.map(({ amount }) => amount).toSorted(), of === "lines" ? ["7.00"] : ["3.00", "7.00"])
          assert.deepEqual(
            since.filter(({ lines }) => lines.includes(old!.id)),
            []
          )
          const refused = yield* Effect.flip(own.post("20", { line_id: old!.id }))
          assert.match(reasonOf(refused), /InvalidInput.*before the account's first day/)
          for (const open of since)
            yield* own.resolve(open.id, { action: "explain", from: "costs:simulated", to: "world:simulated" })
          yield* own.match
          const { ledger, outstanding } = yield* own.reconciled(own.days[6])
          assert.deepEqual([ledger, outstanding], [of === "lines" ? "993.00" : "990.00", "0.00"])
          assert.deepEqual(yield* own.open, [])
          assert.strictEqual((yield* own.lineOf(old!.id)).status, "unmatched")
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
)

covers("CLOSE-4")
it("a line that was its name, before the first day, is left to people and in no break once they say that it is not", () =>
  Effect.runPromise(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, second] = own.days
        const earlier = twoDaysBefore(first)
        const { id: entry } = yield* own.post("20")
        yield* own.says(earlier, [
          { amount: "20", booked_on: earlier, value_on: earlier, end_to_end_id: entry, remittance: "PAID" }
        ])
        yield* own.says(second, [{ amount: "7", remittance: "FEE" }])
        const [old] = yield* own.lines
        assert.strictEqual(old!.status, "matched")
        const [fee] = yield* own.open
        yield* own.resolve(fee!.id, { action: "unmatch", line_ids: [old!.id] })
        yield* own.match
        assert.strictEqual((yield* own.lineOf(old!.id)).status, "unmatched")
        assert.deepEqual(brief(yield* own.open), ["missing_in_books low 7.00 debit of 1"])
        assert.strictEqual(yield* own.unexplained(second), -700n)
      })
    ).pipe(Effect.provide(makeSimulatedEngine()))
  ))

covers("CLOSE-4")
it("the opening balance has of an entry what its lines from before the first day are, and no more", () =>
  Effect.runPromise(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, second, , , , , today] = own.days
        const earlier = twoDaysBefore(first)
        const entry = yield* own.post("30")
        yield* own.says(earlier, [{ amount: "20", booked_on: earlier, value_on: earlier, remittance: "OF BEFORE" }])
        yield* own.says(second, [{ amount: "10", remittance: "THE REST" }])
        const [old, rest] = yield* own.lines
        const [open] = yield* own.open
        yield* own.resolve(open!.id, { action: "match", line_ids: [old!.id, rest!.id], resource_ids: [entry.id] })
        yield* own.match
        assert.deepEqual(yield* figuresOn(own, today), {
          ...{ difference: "0.00", ledger: "990.00", outstanding: "0.00", unexplained: "0.00" }
        })
        // Lines that cancel each other out are the entry in sum: it is in the opening balance once.
        const other = yield* own.post("20")
        yield* own.says(earlier, [
          { amount: "35", booked_on: earlier, value_on: earlier, remittance: "TOO MUCH" },
          { amount: "15", booked_on: earlier, value_on: earlier, remittance: "BACK", direction: "credit" }
        ])
        yield* own.says(second, [{ amount: "1", remittance: "FEE" }])
        const [, , much, back] = yield* own.lines
        const [fee] = yield* own.open
        yield* own.resolve(fee!.id, { action: "match", line_ids: [much!.id, back!.id], resource_ids: [other.id] })
        yield* own.match
        assert.deepEqual(yield* figuresOn(own, today), {
          ...{ difference: "-1.00", ledger: "990.00", outstanding: "0.00", unexplained: "0.00" }
        })
      })
    ).pipe(Effect.provide(makeSimulatedEngine()))
  ))

covers("CLOSE-4", "LINE-1")
it.each([
  ["a debit of before and a credit since, of one entry", ["-130"], ["30"], ["100"]],
  ["a credit of before and a debit since, of one entry", ["30"], ["-130"], ["100"]],
  ["a debit of before, of entries of both directions", ["-100"], [], ["130", "-30"]],
  ["lines and entries of both directions", ["-60", "10"], ["-40", "30"], ["80", "-20"]],
  ["lines of both directions, of several entries", ["-50"], ["-20", "30"], ["25", "15"]]
] as const)(
  "the opening balance has what lines of before are, whatever else they are matched with: %s",
  (_, before, since, entries) => {
    const toLine = (day: string, amount: string, remittance: string) =>
      ({
        ...{ booked_on: day, value_on: day, remittance, amount: amount.replace("-", "") },
        direction: amount.startsWith("-") ? "debit" : "credit"
      }) as const
    return Effect.runPromise(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second, , , , , today] = own.days
          const earlier = twoDaysBefore(first)
          const resource_ids: Array<string> = []
          for (const amount of entries) {
            const sides = amount.startsWith("-") ? { from: "world:simulated", to: "costs:simulated" } : {}
            resource_ids.push((yield* own.post(amount.replace("-", ""), sides)).id)
          }
          yield* own.says(
            earlier,
            before.map((amount) => toLine(earlier, amount, "BEFORE"))
          )
          // A break that is about something else takes them.
          const lines = [...since.map((amount) => toLine(second, amount, "SINCE")), toLine(second, "-1", "FEE")]
          yield* own.says(second, lines)
          const line_ids = (yield* own.lines).filter(({ remittance }) => remittance !== "FEE").map(({ id }) => id)
          const [open] = yield* own.open
          yield* own.resolve(open!.id, { action: "match", line_ids, resource_ids })
          yield* own.match
          const left = since.reduce((sum, amount) => sum + Number(amount), 0)
          const { difference, ledger, outstanding } = yield* own.reconciled(today)
          assert.deepEqual([ledger, difference, outstanding], [(1000 + left).toFixed(2), "-1.00", "0.00"])
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
  }
)

covers("CLOSE-4")
it.each(["debit", "credit"] as const)(
  "what was under way when an account began is in its opening balance as far as a line of before is of it: a %s",
  (direction) =>
    Effect.runPromise(
      atDesk((own) =>
        Effect.gen(function* () {
          const [today, isOut] = [own.days[6], direction === "debit"]
          const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10)
          const entry = yield* own.post("30", isOut ? {} : { from: "world:simulated", to: "costs:simulated" })
          yield* own.says(today, [{ amount: "20", direction, remittance: "OF BEFORE" }])
          const since = { amount: "10", direction, booked_on: tomorrow, value_on: tomorrow, remittance: "THE REST" }
          yield* own.says(tomorrow, [since])
          const [old, rest] = yield* own.lines
          const [open] = yield* own.open
          yield* own.resolve(open!.id, { action: "match", line_ids: [old!.id, rest!.id], resource_ids: [entry.id] })
          const opening = { date: tomorrow, balance: isOut ? "980" : "1020" }
          yield* ExternalAccounts.use(({ update }) =>
            Effect.flatMap(call(PLATFORM_MERCHANT), (operator) => update(operator, own.id, { opening }))
          )
          yield* own.match
          assert.deepEqual(yield* figuresOn(own, tomorrow), {
            ...{ difference: "0.00", ledger: isOut ? "970.00" : "1030.00", outstanding: "0.00", unexplained: "0.00" }
          })
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
)

covers("CLOSE-4")
it("the rows of a provider and currency read its accounts once for all of them", () => {
  let reads = 0
  const counted = Layer.effect(
    Storage,
    Effect.map(Storage, (storage) => ({
      ...storage,
      list: (query: Parameters<typeof storage.list>[0]) => Effect.suspend(() => (reads++, storage.list(query)))
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return Effect.runPromise(
    atDesk((own) =>
      Effect.gen(function* () {
        const [day] = own.days
        const operator = yield* call(PLATFORM_MERCHANT)
        const readsOf = Effect.fnUntraced(function* () {
          const before = reads
          const rows = yield* Closings.use(({ reconciliation }) => reconciliation({ date: day, per_page: 100 }))
          assert.strictEqual(new Set(rows.items.map(({ outstanding }) => outstanding)).size, 1)
          return [rows.items.length, reads - before] as const
        })
        const made: Array<number> = []
        for (let n = 0; n < 12; n++) {
          if (n === 4) made.push((yield* readsOf())[1])
          yield* ExternalAccounts.use(({ create }) =>
            create(operator, {
              ...({ provider: "simulated", currency: "EUR", kind: "bank", time_zone: "UTC" } as const),
              identifiers: [{ scheme: "account_number", value: `many-${n}` }],
              opening: { date: day, balance: "0" }
            })
          )
        }
        const [count, all] = yield* readsOf()
        // Five accounts, and thirteen: it grows as their number does.
        assert.strictEqual(count, 13)
        assert.isAtMost(all, made[0]! * (13 / 5))
      })
    ).pipe(Effect.provide(makeSimulatedEngine({ storage: counted })))
  )
})

covers("CLOSE-4")
it("the position reads the days that statements have, and not those of the calendar between them", () =>
  Effect.runPromise(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, , , , , , today] = own.days
        const earlier = twoDaysBefore(first)
        const entry = yield* own.post("20")
        yield* own.says(earlier, [
          { amount: "20", booked_on: earlier, value_on: earlier, end_to_end_id: entry.id, remittance: "PAID" }
        ])
        const storage = yield* Storage
        const [account] = (yield* storage.get([
          { merchant_id: PLATFORM_MERCHANT, kind: "external_account", id: own.id }
        ])) as ReadonlyArray<AccountRow>
        let reads = 0
        const counted: Storage["Service"] = {
          ...storage,
          list: (query) => Effect.suspend(() => (reads++, storage.list(query)))
        }
        const countReads = Effect.gen(function* () {
          reads = 0
          const { outstanding } = yield* computePosition(counted, account!, today)
          return { reads, outstanding }
        })
        const few = yield* countReads
        assert.strictEqual(few.outstanding, 0n)
        yield* own.says("2006-01-02", [{ amount: "1", booked_on: "2006-01-02", value_on: "2006-01-02" }])
        const many = yield* countReads
        assert.strictEqual(many.outstanding, 0n)
        assert.isAtMost(many.reads, few.reads + 2)
      })
    ).pipe(Effect.provide(makeSimulatedEngine()))
  ))

covers("CLOSE-4")
it("lines on both sides of the first day are not each other", () =>
  Effect.runPromise(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, second] = own.days
        const earlier = twoDaysBefore(first)
        yield* own.says(earlier, [{ amount: "20", booked_on: earlier, value_on: earlier, remittance: "OUT" }])
        yield* own.says(second, [{ amount: "20", direction: "credit", remittance: "BACK" }])
        const [old, back] = yield* own.lines
        const [open] = yield* own.open
        const both = { action: "match", line_ids: [old!.id, back!.id], resource_ids: [] } as const
        const refused = yield* Effect.flip(own.resolve(open!.id, both))
        assert.match(reasonOf(refused), /InvalidInput.*before the account's first day.*opening balance/)
        assert.deepEqual(yield* figuresOn(own, second), {
          ...{ difference: "20.00", ledger: "1000.00", outstanding: "0.00", unexplained: "20.00" }
        })
      })
    ).pipe(Effect.provide(makeSimulatedEngine()))
  ))

/** A statement of a day that is from one balance to another. */
const endsWith = (own: Desk, day: string, from: string, to: string, amounts: ReadonlyArray<string>) =>
  own.ends(
    day,
    amounts.map((amount) => ({ amount })),
    to,
    { number: day, opening_balance: { date: day, amount: from }, closing_balance: { date: day, amount: to } }
  )

const corrections = {
  "has another line": (own: Desk, day: string) => endsWith(own, day, "1020", "1000", ["15", "5"]),
  "is the first with balances": (own: Desk, day: string) => endsWith(own, day, "1000", "1000", []),
  "comes first of all": (own: Desk, day: string) => endsWith(own, day, "1020", "1000", ["20"])
}

onServers("a statement of before the first day", (run) => {
  covers("CLOSE-4", "CLOSE-5")
  it.each(Object.entries(corrections))(
    "is the same before a day since is closed and after: it %s",
    (which, correct) => {
      const inOrder = (isClosedFirst: boolean) =>
        run(
          atDesk(
            (own) =>
              Effect.gen(function* () {
                const [first, second, , , , , today] = own.days
                const earlier = twoDaysBefore(first)
                if (which === "has another line") yield* endsWith(own, earlier, "1020", "1000", ["20"])
                if (which === "is the first with balances")
                  yield* own.ends(earlier, [{ amount: "20" }], "", {
                    ...{ format: "camt.052", number: null, opening_balance: null, closing_balance: null }
                  })
                yield* endsWith(own, first, "1000", "1000", [])
                if (isClosedFirst) yield* own.close(first)
                yield* correct(own, earlier)
                if (!isClosedFirst) yield* own.close(first)
                const close = yield* own.close(second)
                return {
                  shown: yield* own.shown,
                  counted: (yield* own.lines).map(({ accounted_on }) => accounted_on).toSorted(),
                  breaks: brief(yield* own.all),
                  closed: [close.lines, close.booked, close.opening],
                  figures: yield* Effect.forEach([first, second, today], (day) => figuresOn(own, day))
                }
              }),
            false
          )
        )
      return Promise.all([inOrder(false), inOrder(true)]).then(([open, closed]) => {
        assert.deepEqual(closed, open)
        assert.deepEqual(open.breaks, [])
        assert.deepEqual(open.closed, [0, "0.00", "1000.00"])
      })
    }
  )

  covers("CLOSE-4")
  it("ends the break of a line that its day does not have any more, once the account begins later", () =>
    run(
      atDesk(
        (own) =>
          Effect.gen(function* () {
            const [first, second, third] = own.days
            yield* endsWith(own, first, "1000", "980", ["20"])
            yield* own.close(first, true)
            yield* endsWith(own, first, "1000", "980", ["15", "5"])
            const kinds = Effect.map(own.open, (open) => [...new Set(open.map(({ kind }) => kind))].toSorted())
            assert.deepEqual(yield* kinds, ["balance_differs", "missing_in_books"])
            const accounts = yield* ExternalAccounts
            yield* accounts.update(yield* call(PLATFORM_MERCHANT), own.id, {
              opening: { date: second, balance: "980" }
            })
            yield* own.match
            assert.deepEqual(yield* kinds, [])
            assert.strictEqual((yield* figuresOn(own, third)).unexplained, "0.00")
          }),
        false
      )
    ))
})
