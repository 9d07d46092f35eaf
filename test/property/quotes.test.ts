/** Quotes against a model: made, shown and executed by anyone, at any time, from a wallet that empties and fills. */
import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { Quotes } from "../../src/engine/resources/movements/quote.ts"
import type { QuoteBody } from "../../src/engine/representations/movements/quote.ts"
import { covers } from "../support/repository/covers.ts"
import { agrees, command } from "../support/properties/model.ts"
import { merchantConverting, onrampsOf } from "../support/merchants/ramps.ts"
import type { SimulatedEngine } from "../support/engines/every-store.ts"
import { T0, wallClock } from "../support/engines/wall-clock.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { triesOf } from "../support/properties/tries.ts"

type Operation = QuoteBody["operation"]

interface Quoted {
  readonly operation: Operation
  /** As it was shown when it was made. */
  readonly body: QuoteBody
  /** Hundredths of a unit. */
  readonly source: bigint
  readonly made: number
  executed: boolean
}

interface Model {
  /** Seconds since the beginning. */
  now: number
  /** Cents of the wallet that offramps and conversions are paid from. */
  available: bigint
  reserved: bigint
  readonly quotes: Array<Quoted>
  readonly references: Set<string>
}

type Run = <A, E>(effect: Effect.Effect<A, E, SimulatedEngine>) => Promise<A>

const acting = Effect.gen(function* () {
  const c = yield* merchantConverting("1000")
  const quotes = yield* Quotes
  const o = yield* onrampsOf(c)
  const bank = yield* c.bank()
  const price = {
    offramp: (amount: object) => quotes.offramp(c.caller, { wallet_id: c.wallet.id, beneficiary_id: bank, ...amount }),
    onramp: (amount: object) => quotes.onramp(c.caller, { wallet_id: c.wallet.id, source_currency: "NGN", ...amount }),
    conversion: (amount: object) =>
      quotes.conversion(c.caller, { source_wallet_id: c.wallet.id, destination_wallet_id: c.naira.id, ...amount })
  }
  const execute = { offramp: c.execute, onramp: o.collect, conversion: c.convert }
  return { c, price, execute, show: (id: string) => quotes.get(c.caller, id) }
})
type Acting = Effect.Success<typeof acting>

interface Real extends Acting {
  readonly run: Run
}

const lifetime = 300
const hundredths = (text: string): bigint => BigInt(text.replace(".", ""))
const decimal = (minor: number): string => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, "0")}`

const isOld = ({ now }: Model, { made }: Quoted): boolean => now >= made + lifetime
const statusOf = (model: Model, quoted: Quoted): string =>
  quoted.executed ? "executed" : isOld(model, quoted) ? "expired" : "active"

const tagged = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E, SimulatedEngine>) =>
  Effect.match(effect, { onSuccess: () => "executed", onFailure: ({ _tag }) => _tag as string })

const stands = async ({ available, reserved }: Model, { run, c }: Real): Promise<void> => {
  const balance = await run(c.balance)
  expect([hundredths(balance.available), hundredths(balance.reserved)]).toEqual([available, reserved])
}

const quote = (operation: Operation, side: "source_amount" | "target_amount", cents: number) =>
  command<Model, Real>(`quote an ${operation} by ${side} ${decimal(cents)}`, async (model, { run, price }) => {
    const body = await run(price[operation]({ [side]: decimal(cents) }))
    expect(body[side]).toBe(decimal(cents))
    if (side === "target_amount") expect(body.received_amount).toBe(decimal(cents))
    expect(body.status).toBe("active")
    expect(Date.parse(body.expires_at)).toBe(T0 + (model.now + lifetime) * 1000)
    const source = hundredths(body.source_amount)
    model.quotes.push({ operation, body, source, made: model.now, executed: false })
  })

const chosen = ({ quotes }: Model, which: number): Quoted => quotes[which % quotes.length]!
const some = ({ quotes }: Readonly<Model>): boolean => quotes.length > 0

/** What comes first decides: whose quote it is, whether it was executed, whether it is too old, whether there is money. */
const expectedOf = (model: Model, quoted: Quoted, as: Operation, reference: string | null): string => {
  if (quoted.operation !== as) return "InvalidInput"
  if (quoted.executed) return "DuplicateResource"
  if (isOld(model, quoted)) return "InvalidStatus"
  if (reference !== null && model.references.has(reference)) return "DuplicateResource"
  if (as !== "onramp" && quoted.source > model.available) return "InsufficientFunds"
  return "executed"
}

const applied = (model: Model, quoted: Quoted, reference: string | null): void => {
  quoted.executed = true
  if (reference !== null) model.references.add(reference)
  if (quoted.operation === "onramp") return
  model.available -= quoted.source
  model.reserved += quoted.source
}

const execute = (which: number, as: Operation | null, reference: string | null) =>
  command<Model, Real>(
    `execute ${which} as ${as ?? "what it is"} under ${reference ?? "no reference"}`,
    async (model, real) => {
      const quoted = chosen(model, which)
      const operation = as ?? quoted.operation
      const expected = expectedOf(model, quoted, operation, reference)
      const more = reference === null ? {} : { reference }
      expect(await real.run(tagged<unknown, any>(real.execute[operation](quoted.body.id, more)))).toBe(expected)
      if (expected === "executed") applied(model, quoted, reference)
      await stands(model, real)
    },
    some
  )

const executeAtOnce = (which: number, times: number) =>
  command<Model, Real>(
    `execute ${which} ${times} times at once`,
    async (model, real) => {
      const quoted = chosen(model, which)
      const expected = expectedOf(model, quoted, quoted.operation, null)
      const once = tagged<unknown, any>(real.execute[quoted.operation](quoted.body.id, {}))
      const answers = await real.run(
        Effect.all(
          Array.from({ length: times }, () => once),
          { concurrency: times }
        )
      )
      const others = expected === "executed" ? "DuplicateResource" : expected
      expect(answers.toSorted()).toEqual([expected, ...Array.from({ length: times - 1 }, () => others)].toSorted())
      if (expected === "executed") applied(model, quoted, null)
      await stands(model, real)
    },
    some
  )

const show = (which: number) =>
  command<Model, Real>(
    `show ${which}`,
    async (model, { run, show: shown }) => {
      const quoted = chosen(model, which)
      const { body } = await run(shown(quoted.body.id))
      const { updated_at: _, ...same } = body
      const { updated_at: __, ...then } = quoted.body
      expect(same).toEqual({ ...then, status: statusOf(model, quoted) })
    },
    some
  )

const later = (seconds: number) =>
  command<Model, Real>(`${seconds} s later`, async (model, { run, c }) => {
    await run(c.advance(seconds))
    model.now += seconds
    // Whatever waited to be submitted has been: it is with the provider, and nothing is in reserve.
    model.reserved = 0n
  })

const funded = (cents: number) =>
  command<Model, Real>(`${decimal(cents)} arrive`, async (model, real) => {
    await real.run(real.c.deposit({ amount: decimal(cents) }))
    model.available += BigInt(cents)
    await stands(model, real)
  })

const whole = fc.oneof(fc.integer({ min: 300, max: 30_000 }), fc.integer({ min: 30_000, max: 120_000 }))
/** In naira where naira are given, so that about as much is moved. */
const quoting = fc
  .record({
    operation: fc.constantFrom<Operation>("offramp", "onramp", "conversion"),
    side: fc.constantFrom("source_amount" as const, "target_amount" as const),
    cents: whole
  })
  .map(({ operation, side, cents }) =>
    quote(operation, side, (operation === "onramp") === (side === "source_amount") ? cents * 1500 : cents)
  )

covers("QUOTE-2", "QUOTE-7")
it("a quote is executed once, before it expires, by the first request with sufficient funds", () =>
  agrees<Model, Real>(
    async () => {
      const runtime = ManagedRuntime.make(makeSimulatedEngine().pipe(Layer.provide(wallClock(() => T0))))
      const run: Run = (effect) => runtime.runPromise(effect)
      return {
        model: { now: 0, available: 100_000n, reserved: 0n, quotes: [], references: new Set() },
        real: { ...(await run(acting)), run },
        end: () => runtime.dispose()
      }
    },
    [
      quoting,
      quoting,
      fc
        .tuple(
          fc.nat(9),
          fc.option(fc.constantFrom<Operation>("offramp", "onramp", "conversion"), { freq: 1, nil: null }),
          fc.option(fc.constantFrom("r-1", "r-2"), { freq: 1, nil: null })
        )
        .map(([which, as, reference]) => execute(which, as, reference)),
      fc.nat(9).map((which) => execute(which, null, null)),
      fc.tuple(fc.nat(9), fc.integer({ min: 2, max: 4 })).map(([which, times]) => executeAtOnce(which, times)),
      fc.nat(9).map(show),
      fc.constantFrom(1, 60, lifetime - 1, lifetime, lifetime + 1).map(later),
      whole.map(funded)
    ],
    { numRuns: triesOf(150) }
  ))
