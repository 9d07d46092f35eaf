/** Whatever the provider and the operator say, in whatever order: money in another currency is somewhere, once. */
import { Effect } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Deposits } from "../../src/engine/resources/deposits/deposits.ts"
import { WalletCredentials } from "../../src/engine/resources/wallets/wallet-credential.ts"
import { openWay, type Way, ways } from "../support/merchants/credentials.ts"
import { booksBalance } from "../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { triesOf } from "../support/properties/tries.ts"

type ExpectedRefusal =
  | { readonly say: "payin"; readonly payin: number; readonly stage: "detected" | "confirmed" | "failed" }
  | {
      readonly say: "outcome"
      readonly nth: number
      readonly outcome: "success" | "failed" | "returned" | "refund_failed" | "temporarily_unavailable"
    }
  | { readonly say: "release" | "reject"; readonly nth: number }
  | { readonly say: "freeze" | "unfreeze" | "forward" | "settle" }

const message: fc.Arbitrary<ExpectedRefusal> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      say: fc.constant("payin" as const),
      payin: fc.nat(4),
      stage: fc.constantFrom("detected", "confirmed", "confirmed", "failed")
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      say: fc.constant("outcome" as const),
      nth: fc.nat(4),
      outcome: fc.constantFrom("success", "success", "failed", "returned", "refund_failed", "temporarily_unavailable")
    })
  },
  { weight: 2, arbitrary: fc.record({ say: fc.constantFrom("release", "reject"), nth: fc.nat(4) }) },
  {
    weight: 4,
    arbitrary: fc.record({ say: fc.constantFrom("freeze", "unfreeze", "forward", "settle", "settle", "settle") })
  }
)

const amounts = ["100.00", "3.50", "0.01", "25000.00", "777.77"]

const minorOf = (amount: string, scale: number): bigint => {
  const [whole = "", decimals = ""] = amount.split(".")
  return BigInt(whole + decimals.padEnd(scale, "0"))
}

const reported = (way: Way, words: ReadonlyArray<ExpectedRefusal>) =>
  Effect.gen(function* () {
    const deposits = yield* Deposits
    const credentials = yield* WalletCredentials
    const m = yield* openWay(way)
    const made = new Map<number, string>()
    const nth = <A>(all: ReadonlyArray<A>, n: number): A | undefined =>
      all.length === 0 ? undefined : all[n % all.length]
    for (const word of words) {
      switch (word.say) {
        case "payin": {
          const id = yield* m.pay([word.stage], {
            payin_id: `p${word.payin}_${m.merchant_id}`,
            amount: amounts[word.payin]!
          })
          if (id !== "") made.set(word.payin, id)
          break
        }
        case "outcome": {
          const conversion = nth(yield* m.conversions, word.nth)
          if (conversion !== undefined) yield* m.says(conversion.id, word.outcome)
          break
        }
        case "release":
        case "reject": {
          const id = nth([...made.values()], word.nth)
          if (id !== undefined)
            yield* Effect.ignore(
              word.say === "release" ? deposits.release(m.operator, id, "seen") : deposits.reject(m.operator, id, "no")
            )
          break
        }
        case "freeze":
        case "unfreeze":
          yield* Effect.ignore(credentials[word.say](m.operator, m.credential_id))
          break
        case "forward":
          yield* Effect.ignore(m.forward)
          break
        case "settle":
          yield* m.settle
      }
    }
    yield* m.advance(3600)
    yield* m.finish

    const classes = yield* booksBalance
    for (const [key, balance] of classes) if (/^(clearing|reserved)\//.test(key)) assert.strictEqual(balance, "0", key)
    const [scale, bought] = way.type === "crypto" ? [6, 2] : [2, 6]
    const history = yield* m.transactions
    const conversions = history.filter(({ type }) => type === "conversion")
    const forwards = history.filter(({ source_type }) => source_type === "deposit_forward")
    const arrived = history.filter(({ source_type }) => source_type === "credential")
    const confirmed = new Set<string>()
    for (const { id } of arrived) if ((yield* m.rowOf(id)).state === "received") confirmed.add(id)
    const sum = (all: ReadonlyArray<{ readonly amount: string | null }>, of: number): bigint =>
      all.reduce((total, { amount }) => total + minorOf(amount ?? "0", of), 0n)

    // Each deposit that was credited, for an amount that buys something, has one conversion; nothing else has one.
    const converted = arrived.filter(
      ({ id, received_amount }) => confirmed.has(id) && /[1-9]/.test(received_amount ?? "")
    )
    assert.sameMembers(
      conversions.map(({ parent_transaction_id }) => parent_transaction_id),
      converted.map(({ id }) => id)
    )

    // The wallet has what its conversions and forwards bought, and nothing else.
    const credits = [...conversions, ...forwards].map(({ received_amount }) => ({ amount: received_amount }))
    assert.strictEqual(minorOf((yield* m.balance).available, bought), sum(credits, bought))

    // What came in is converted, or stands on the credential, or is withheld, or waits in suspense.
    const { free, held, reserved } = yield* m.balances
    const spent = [...conversions.filter(({ status }) => status === "success"), ...forwards].map(
      ({ source_amount }) => ({ amount: source_amount })
    )
    const suspense = BigInt(classes.get(`suspense/${way.currency}`) ?? "0")
    // What came too late, and what was not sent back because its payer had taken it back.
    const late = (yield* m.exceptions)
      .filter(
        ({ reason, resource_kind }) =>
          reason === "contradicts_state" || (reason === "refund_failed" && resource_kind === "deposit")
      )
      .map(({ amount }) => ({ amount }))
    const here = arrived.filter(({ id, metadata }) => confirmed.has(id) || metadata["hold_reason"] !== undefined)
    const came =
      sum(
        here.map(({ source_amount }) => ({ amount: source_amount })),
        scale
      ) + sum(late, scale)
    assert.strictEqual(sum(spent, scale) + BigInt(free) + BigInt(held) + BigInt(reserved) + suspense, came)

    // Nobody was told anything twice, and of no conversion more than one end.
    for (const { source_id } of conversions) {
      const ends = (yield* m.published(source_id)).filter(({ type }) => /success|failed|returned/.test(type))
      assert.isAtMost(ends.length, 1)
    }
  })

describe.each(ways)("$name, whatever is said", (way) => {
  it("keeps every unit in one place, and credits what was bought once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 4, maxLength: 24 }), async (words) => {
        await Effect.runPromise(reported(way, words).pipe(Effect.provide(makeSimulatedEngine())))
      }),
      { numRuns: triesOf(120) }
    )
  })
})
