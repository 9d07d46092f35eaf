/** Statements of wallets against the balances that were read while history was made. */
import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { WalletStatements } from "../../src/engine/reports/wallet-statement.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { displayAmount } from "../../src/engine/reference/currencies.ts"
import { Quotes } from "../../src/engine/resources/movements/quote.ts"
import { SandboxOperations } from "../../src/engine/sandbox/sandbox.ts"
import { sumChanges } from "../../src/machines/kernel/ledger.ts"
import { readStatements } from "../../src/statements/index.ts"
import { parseDecimal } from "../../src/statements/decimal.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { T0, wallClock } from "../support/engines/wall-clock.ts"
import { merchantConverting, onrampsOf } from "../support/merchants/ramps.ts"
import { statementMapping } from "../support/statements/wallet-mapping.ts"
import { covers } from "../support/repository/covers.ts"
import { bytesOf } from "../support/statements/samples.ts"
import { triesOf } from "../support/properties/tries.ts"

const hour = 3_600_000
const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10)

const words = ["success", "success", "success", "failed", "returned", "reversed", "refund_failed"] as const
const cents = fc.integer({ min: 500, max: 9_000 })
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constantFrom("deposit", "naira", "transfer", "offramp", "conversion", "onramp", "onramp"),
      cents
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant("says" as const), which: fc.nat(9), word: fc.constantFrom(...words) })
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("detected" as const), cents }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant("decide" as const),
      action: fc.constantFrom("credit" as const, "dismiss" as const)
    })
  },
  { weight: 5, arbitrary: fc.constant({ is: "settle" as const }) }
)
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never
const program = fc.array(fc.tuple(act, fc.constantFrom(0, 0, 1, 7, 30)), { minLength: 10, maxLength: 40 })

const units = (text: string): bigint => parseDecimal(text) ?? -1n

const history = Effect.fnUntraced(function* (
  acts: ReadonlyArray<readonly [Act, number]>,
  wait: (hours: number) => void,
  day: () => string
) {
  const c = yield* merchantConverting("0")
  const ramps = yield* onrampsOf(c)
  const quotes = yield* Quotes
  const sandbox = yield* SandboxOperations
  const bank = yield* c.bank()
  const wallets = { USDC: c.wallet.id, NGN: c.naira.id }
  const movements: Array<string> = []
  yield* sandbox.deposit(c.caller, { wallet_id: wallets.USDC, amount: "2000" })
  /** The balance of each wallet when each day ended, as far as it was read. */
  const ends = new Map<string, Map<string, bigint>>()
  const perform = Effect.fnUntraced(function* (one: Act) {
    switch (one.is) {
      case "says": {
        const id = movements[one.which % movements.length]
        if (id !== undefined) yield* c.says(id, one.word)
        return
      }
      case "decide": {
        const open = (yield* c.exceptions).find(({ amount }) => amount !== null)
        if (open !== undefined) yield* c.resolve(open.id, one.action)
        return
      }
      case "settle":
        return yield* c.settle
      case "detected":
        yield* sandbox.deposit(c.caller, { wallet_id: wallets.USDC, amount: `${one.cents / 100}`, stage: "detected" })
        return
      default: {
        const amount = (one.cents / 100).toFixed(2)
        if (one.is === "deposit") yield* sandbox.deposit(c.caller, { wallet_id: wallets.USDC, amount })
        else if (one.is === "naira")
          yield* sandbox.deposit(c.caller, { wallet_id: wallets.NGN, amount: `${one.cents}.00` })
        else if (one.is === "transfer") movements.push((yield* c.transfer(amount)).id)
        else if (one.is === "conversion") movements.push((yield* c.conversion(amount)).id)
        else if (one.is === "offramp")
          movements.push(
            (yield* c.execute(
              (yield* quotes.offramp(c.caller, {
                wallet_id: wallets.USDC,
                beneficiary_id: bank,
                source_amount: amount
              })).id
            )).id
          )
        else {
          const made = yield* ramps.onramp(`${one.cents * 10}.00`)
          movements.push(made.id)
          yield* ramps.pays(made.id, `${one.cents * 10}.00`)
        }
      }
    }
  })
  for (const [one, hours] of acts) {
    // What cannot be, such as a payout without funds, changes nothing.
    yield* Effect.ignore(perform(one))
    for (const id of Object.values(wallets)) {
      const { available, held, reserved } = yield* c.balanceOf(id)
      const days = ends.get(id) ?? new Map<string, bigint>()
      ends.set(id, days.set(day(), units(available) + units(reserved) + units(held)))
    }
    wait(hours)
  }
  return { c, ends, wallets }
})

/** What a movement has brought to the account `fees`, and its status. */
const charged = Effect.fnUntraced(function* (c: Effect.Success<ReturnType<typeof merchantConverting>>, id: string) {
  const { status } = yield* c.rowOf(id)
  const { postings } = yield* (yield* Storage).history(c.merchant_id, id)
  const fees = [...sumChanges(postings)].flatMap(([key, change]) => {
    const [account, currency = ""] = key.split("/")
    return account === "fees" && change !== 0n ? [`${units(displayAmount(change, currency))} ${currency}`] : []
  })
  return { fees: fees.toSorted(), status }
})

/** Statuses in which nothing is charged yet. */
const open: ReadonlySet<string> = new Set(["processing", "temporary_failure"])

/** The last balance of a day before another, or on it. */
const balanceBy = (days: ReadonlyMap<string, bigint>, isBefore: (day: string) => boolean): bigint =>
  [...days].filter(([day]) => isBefore(day)).at(-1)?.[1] ?? 0n

covers("STATEMENT-11", "STATEMENT-12")
it("the statement of a wallet is what the ledger had on its days, whatever came, moved, failed or came back", async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(program, fc.nat(8), fc.nat(20), async (acts, skip, length) => {
      let now = T0
      const runtime = ManagedRuntime.make(makeSimulatedEngine().pipe(Layer.provide(wallClock(() => now))))
      try {
        const { c, ends, wallets } = await runtime.runPromise(
          history(
            acts,
            (hours) => void (now += hours * hour),
            () => dayAt(now)
          )
        )
        const [from, to] = [dayAt(T0 + skip * 24 * hour), dayAt(T0 + (skip + length) * 24 * hour)]
        const statement = (id: string, format: "json" | "csv" | "camt053") =>
          runtime.runPromise(WalletStatements.use((s) => s.get(c.caller, id, { from, to, format })))
        for (const [currency, id] of Object.entries(wallets)) {
          const body = await statement(id, "json")
          if (!("lines" in body)) throw new Error("json is the body")
          const days = ends.get(id)!
          expect(units(body.opening_balance)).toBe(balanceBy(days, (day) => day < from))
          expect(units(body.closing_balance)).toBe(balanceBy(days, (day) => day <= to))
          let balance = units(body.opening_balance)
          for (const line of body.lines) {
            balance += line.direction === "credit" ? units(line.amount) : -units(line.amount)
            expect(units(line.balance)).toBe(balance)
            expect(units(line.amount)).toBeGreaterThan(0n)
            seen.add(`${line.type} ${line.direction}`)
            const { fees, status } = await runtime.runPromise(charged(c, line.resource_id))
            if (open.has(status)) continue
            expect(line.fees.map((fee) => `${units(fee.amount)} ${fee.currency}`).toSorted()).toEqual(fees)
            if (status !== "success") expect(line.rate).toBeNull()
          }
          expect(balance).toBe(units(body.closing_balance))
          for (const format of ["csv", ...(currency === "NGN" ? ["camt053" as const] : [])] as const) {
            const file = await statement(id, format)
            if (!("text" in file)) throw new Error("a file is text")
            const [found, ...others] = readStatements(
              bytesOf(file.text),
              format === "csv" ? statementMapping(id, currency) : {}
            )
            expect(others).toEqual([])
            expect(units(found!.opening_balance!.amount)).toBe(units(body.opening_balance))
            expect(units(found!.closing_balance!.amount)).toBe(units(body.closing_balance))
            expect(
              found!.lines.map(({ amount, bank_reference, direction }) => [bank_reference, direction, units(amount)])
            ).toEqual(body.lines.map(({ amount, direction, resource_id }) => [resource_id, direction, units(amount)]))
          }
        }
      } finally {
        await runtime.dispose()
      }
    }),
    { numRuns: triesOf(60) }
  )
  expect([...seen].some((one) => one.endsWith("credit")) && [...seen].some((one) => one.endsWith("debit"))).toBe(true)
})
