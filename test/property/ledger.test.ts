/** The books against a plain model: what wallets have, what is reserved, with the provider and in suspense, after every command. */
import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { Conversions } from "../../src/engine/resources/movements/conversion.ts"
import { Quotes } from "../../src/engine/resources/movements/quote.ts"
import { SandboxOperations } from "../../src/engine/sandbox/sandbox.ts"
import { covers } from "../support/repository/covers.ts"
import { agrees, command } from "../support/properties/model.ts"
import { merchantConverting } from "../support/merchants/ramps.ts"
import { booksBalance, type SimulatedEngine } from "../support/engines/every-store.ts"
import { T0, wallClock } from "../support/engines/wall-clock.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { triesOf } from "../support/properties/tries.ts"

/** The currency of each of the two wallets. */
const currencies = ["USDC", "NGN"] as const
type Currency = (typeof currencies)[number]

const ways = ["transfer", "offramp", "conversion"] as const
type Way = (typeof ways)[number]

const words = [
  "success",
  "failed",
  "cancelled",
  "reversed",
  "returned",
  "refund_failed",
  "temporarily_unavailable"
] as const
type Word = (typeof words)[number]

/** Amounts are hundredths of a unit. */
interface Movement {
  readonly id: string
  readonly way: Way
  readonly from: Currency
  readonly amount: bigint
  /** What it brings the other wallet when it succeeds. */
  readonly buys: bigint
  state: "begun" | "submitted" | "waiting" | "success" | "failed" | "returned"
}

interface Unapplied {
  readonly resource_id: string
  readonly currency: Currency
  readonly amount: bigint
  /** It never left us; otherwise the provider's word alone says that it came. */
}

interface Model {
  readonly available: Record<Currency, bigint>
  readonly movements: Array<Movement>
  /** Money whose owner the operator must decide, each with its exception. */
  readonly suspense: Array<Unapplied>
  /** Of which movements money came back by itself: it does so once. */
  readonly cameBack: Set<string>
}

const acting = Effect.gen(function* () {
  const c = yield* merchantConverting("0")
  const quotes = yield* Quotes
  const conversions = yield* Conversions
  const sandbox = yield* SandboxOperations
  const bank = yield* c.bank()
  const { wallet, naira, caller } = c
  const wallets: Record<Currency, string> = { USDC: wallet.id, NGN: naira.id }
  const other: Record<Currency, Currency> = { USDC: "NGN", NGN: "USDC" }

  /** Begins a movement; gives its id, and what it buys. */
  const begin = Effect.fnUntraced(function* (way: Way, from: Currency, amount: string) {
    if (way === "transfer") return { id: (yield* c.transfer(amount)).id, buys: "0" }
    if (way === "offramp") {
      const quote = yield* quotes.offramp(caller, { wallet_id: wallet.id, beneficiary_id: bank, source_amount: amount })
      return { id: (yield* c.execute(quote.id)).id, buys: "0" }
    }
    const quote = yield* quotes.conversion(caller, {
      source_wallet_id: wallets[from],
      destination_wallet_id: wallets[other[from]],
      source_amount: amount
    })
    return { id: (yield* conversions.create(caller, { quote_id: quote.id })).id, buys: quote.received_amount }
  })

  return {
    c,
    other,
    begin,
    deposit: (currency: Currency, amount: string) => sandbox.deposit(caller, { wallet_id: wallets[currency], amount }),
    balanceOf: (currency: Currency) => c.balanceOf(wallets[currency])
  }
})

interface Real extends Effect.Success<typeof acting> {
  readonly run: <A, E>(effect: Effect.Effect<A, E, SimulatedEngine>) => Promise<A>
}

const hundredths = (text: string): bigint => BigInt(text.replace(".", ""))
const decimal = (minor: bigint): string => `${minor / 100n}.${String(minor % 100n).padStart(2, "0")}`
const sum = (all: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  all.reduce((total, one) => total + one.amount, 0n)

const isOver = ({ state }: Movement): boolean => state === "success" || state === "failed" || state === "returned"
const withProvider = ({ state }: Movement): boolean => state === "submitted" || state === "waiting"

/** The word for each state that the model tells apart. */
const statusOf = ({ way, state }: Movement): string =>
  state === "begun"
    ? way === "transfer"
      ? "processing"
      : "created"
    : state === "submitted"
      ? "processing"
      : state === "waiting"
        ? "temporary_failure"
        : state

const stands = async (model: Model, { run, c, balanceOf }: Real): Promise<void> => {
  const classes = await run(booksBalance)
  for (const currency of currencies) {
    const of = (among: (one: Movement) => boolean) =>
      sum(model.movements.filter((one) => one.from === currency && among(one)))
    const reserved = of(({ state }) => state === "begun")
    const balance = await run(balanceOf(currency))
    expect([hundredths(balance.available), hundredths(balance.reserved), balance.held], currency).toEqual([
      model.available[currency],
      reserved,
      "0.00"
    ])
    const unit = currency === "USDC" ? 10_000n : 1n
    const inClass = (name: string): bigint => BigInt(classes.get(`${name}/${currency}`) ?? "0")
    expect(
      { reserved: inClass("reserved"), clearing: inClass("clearing"), suspense: inClass("suspense") },
      currency
    ).toEqual({
      reserved: reserved * unit,
      clearing: of(withProvider) * unit,
      suspense: sum(model.suspense.filter((one) => one.currency === currency)) * unit
    })
  }
  for (const movement of model.movements)
    expect((await run(c.rowOf(movement.id))).status, movement.id).toBe(statusOf(movement))
}

const deposit = (currency: Currency, cents: bigint) =>
  command<Model, Real>(`${decimal(cents)} ${currency} arrive`, async (model, real) => {
    await real.run(real.deposit(currency, decimal(cents)))
    model.available[currency] += cents
    await stands(model, real)
  })

const begin = (way: Way, from: Currency, cents: bigint) =>
  command<Model, Real>(`a ${way} of ${decimal(cents)} ${from}`, async (model, real) => {
    const made = await real.run(Effect.result(real.begin(way, from, decimal(cents))))
    if (cents > model.available[from]) {
      expect(made._tag === "Failure" && (made.failure as { readonly _tag: string })._tag).toBe("InsufficientFunds")
    } else {
      if (made._tag === "Failure") throw made.failure
      const { id, buys } = made.success
      model.available[from] -= cents
      model.movements.push({ id, way, from, amount: cents, buys: hundredths(buys), state: "begun" })
    }
    await stands(model, real)
  })

const settle = command<Model, Real>("what is due is done", async (model, real) => {
  await real.run(real.c.settle)
  for (const movement of model.movements) if (movement.state === "begun") movement.state = "submitted"
  await stands(model, real)
})

/** What a word makes of a movement, and of the money. */
const handled = (model: Model, movement: Movement, word: Word, other: Record<Currency, Currency>): void => {
  const { way, state, from, amount, id } = movement
  const back = word === "reversed" || word === "returned"
  const end = (to: Movement["state"], returned: boolean): void => {
    movement.state = to
    if (returned) model.available[from] += amount
  }
  if (state === "begun") {
    // It was never asked for: all a bank can say of it is that it returns it.
    if (way !== "transfer" && word === "returned") end("returned", true)
    return
  }
  if (isOver(movement)) {
    if (state !== "success" || !back) return
    if (way === "offramp") return end("returned", true)
    if (way !== "transfer" || model.cameBack.has(id)) return
    model.cameBack.add(id)
    model.suspense.push({ resource_id: id, currency: from, amount })
    return
  }
  switch (word) {
    case "success":
      model.available[other[from]] += movement.buys
      return end("success", false)
    case "failed":
    case "cancelled":
      return end("failed", true)
    case "reversed":
    case "returned":
      return end(way === "transfer" ? "failed" : "returned", true)
    case "refund_failed":
      model.suspense.push({ resource_id: id, currency: from, amount })
      return end("failed", false)
    case "temporarily_unavailable":
      // A conversion is tried again for a day, the others where they were asked to be.
      return way === "conversion" ? end("waiting", false) : end("failed", true)
  }
}

const say = (which: number, word: Word) =>
  command<Model, Real>(
    `of ${which} the provider says ${word}`,
    async (model, real) => {
      const movement = model.movements[which % model.movements.length]!
      await real.run(real.c.says(movement.id, word))
      handled(model, movement, word, real.other)
      await stands(model, real)
    },
    ({ movements }) => movements.length > 0
  )

const decide = (which: number, action: "credit" | "dismiss") =>
  command<Model, Real>(
    `the operator decides to ${action} ${which}`,
    async (model, real) => {
      const unapplied = model.suspense[which % model.suspense.length]!
      const { resource_id, currency, amount } = unapplied
      const open = (await real.run(real.c.exceptions)).filter(
        (one) => one.resource_id === resource_id && one.amount !== null
      )
      expect(open.map((one) => [one.amount, one.currency])).toEqual([[decimal(amount), currency]])
      await real.run(real.c.resolve(open[0]!.id, action))
      model.suspense.splice(model.suspense.indexOf(unapplied), 1)
      if (action === "credit") model.available[currency] += amount
      await stands(model, real)
    },
    ({ suspense }) => suspense.length > 0
  )

const cents = fc.oneof(fc.bigInt({ min: 200n, max: 5_000n }), fc.bigInt({ min: 5_000n, max: 100_000n }))
const inCurrency = fc
  .tuple(fc.constantFrom(...currencies), cents)
  .map(([currency, amount]) => [currency, currency === "NGN" ? amount * 1500n : amount] as const)

covers("LEDGER-1", "PAYOUT-2")
it("every unit is where the model has it, after whatever arrives, moves, ends, or comes back", () =>
  agrees<Model, Real>(
    async () => {
      const runtime = ManagedRuntime.make(makeSimulatedEngine().pipe(Layer.provide(wallClock(() => T0))))
      const run: Real["run"] = (effect) => runtime.runPromise(effect)
      return {
        model: { available: { USDC: 0n, NGN: 0n }, movements: [], suspense: [], cameBack: new Set() },
        real: { ...(await run(acting)), run },
        end: () => runtime.dispose()
      }
    },
    [
      inCurrency.map(([currency, amount]) => deposit(currency, amount)),
      cents.map((amount) => begin("transfer", "USDC", amount)),
      cents.map((amount) => begin("offramp", "USDC", amount)),
      inCurrency.map(([currency, amount]) => begin("conversion", currency, amount)),
      fc.constant(settle),
      fc.tuple(fc.nat(9), fc.constantFrom(...words)).map(([which, word]) => say(which, word)),
      fc
        .tuple(fc.nat(9), fc.constantFrom("success" as const, "failed" as const))
        .map(([which, word]) => say(which, word)),
      fc
        .tuple(fc.nat(9), fc.constantFrom("credit" as const, "dismiss" as const))
        .map(([which, action]) => decide(which, action))
    ],
    { numRuns: triesOf(300), maxCommands: 40 }
  ))
