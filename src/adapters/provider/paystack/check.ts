/** What the start and `corridor doctor` find of a key. */
import { Effect, Schema } from "effect"
import type { ProviderCheck } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import type { PaystackCalls } from "./calls.ts"
import { checkKey, failCheck, passCheck, warnCheck } from "../company/check.ts"
import { paystack } from "./mapping.ts"
import type { PaystackOwners } from "./owner.ts"

const Balances = Schema.Array(Schema.Struct({ currency: Schema.String }))

/** Transfers that wait for a code are looked for among those of so long, milliseconds. */
const codesMs = 24 * 3_600_000

const otp = (currency: string): string =>
  `keys.${currency}: a transfer waits for a code (OTP). Switch off "Confirm transfers before sending" in Paystack's settings, under Preferences; until the code is entered or half an hour has passed, no payout in ${currency} is submitted`

/** Looks at the key of a currency: by the balance, the cheapest read, by whose it is, and by the transfers that wait for a code. */
const checkCurrency = (calls: PaystackCalls, owners: PaystackOwners) => {
  const { balance, currency, hasWaiting } = calls
  const option = `keys.${currency}`
  return checkKey({
    ...{ company: "Paystack", reading: paystack, option, refused: [401], asked: balance },
    take: "the secret key of the dashboard, under Settings, API Keys & Webhooks",
    read: Effect.fnUntraced(function* (reply) {
      const balances = paystack.dataIn(Balances, reply)
      if (balances === undefined) return undefined
      if (!balances.some((one) => one.currency === currency)) {
        const others = balances.map((one) => one.currency).join(", ") || "nothing"
        return [
          failCheck(
            `${option} is the key of an integration that has no balance in ${currency}, but in ${others}: one integration is one country`
          )
        ]
      }
      // Where nobody says whose key it is, each submission asks again.
      const refusal = yield* Effect.orElseSucceed(owners.refusal(calls), () => undefined)
      if (refusal !== undefined) return [failCheck(refusal)]
      const asking = Effect.flatMap(wallNow, (now) => hasWaiting(now - codesMs))
      const isWaiting = (yield* Effect.orElseSucceed(asking, () => false)) === true
      return [
        isWaiting ? warnCheck(otp(currency)) : passCheck(`${option} is accepted, and has a balance in ${currency}`)
      ]
    })
  })
}

export const checkOf = (
  all: ReadonlyArray<PaystackCalls>,
  owners: PaystackOwners
): Effect.Effect<ReadonlyArray<ProviderCheck>> =>
  Effect.map(
    Effect.forEach(all, (calls) => checkCurrency(calls, owners), { concurrency: "unbounded" }),
    (found) => found.flat()
  )
