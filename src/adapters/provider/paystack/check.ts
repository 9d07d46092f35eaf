/** What the start and `corridor doctor` find of a key. */
import { Effect, Schema } from "effect"
import type { ProviderCheck } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import type { PaystackCalls } from "./calls.ts"
import { warnUnchecked } from "../company/provider.ts"
import { paystack } from "./mapping.ts"
import type { PaystackOwners } from "./owner.ts"

const Balances = Schema.Array(Schema.Struct({ currency: Schema.String }))

/** Transfers that wait for a code are looked for among those of so long, milliseconds. */
const codesMs = 24 * 3_600_000

const otp = (currency: string): string =>
  `keys.${currency}: a transfer waits for a code (OTP). Switch off "Confirm transfers before sending" in Paystack's settings, under Preferences; until the code is entered or half an hour has passed, no payout in ${currency} is submitted`

/** Looks at the key of a currency: by the balance, the cheapest read, by whose it is, and by the transfers that wait for a code. */
const keyFinding = Effect.fnUntraced(function* (
  calls: PaystackCalls,
  owners: PaystackOwners
): Effect.fn.Return<ProviderCheck> {
  const { balance, currency, hasWaiting } = calls
  const asked = yield* Effect.result(balance)
  const away = (why: string): ProviderCheck => warnUnchecked(`keys.${currency}`, "Paystack", why)
  if (asked._tag === "Failure") return away(asked.failure.message)
  const reply = asked.success
  if (paystack.isRefusedWith(reply, 401))
    return {
      status: "fail",
      sentence: `keys.${currency} is refused by Paystack (${paystack.describe(reply)}): take the secret key of the dashboard, under Settings, API Keys & Webhooks`
    }
  const balances = paystack.dataIn(Balances, reply)
  if (balances === undefined) return away(paystack.describe(reply))
  if (!balances.some((one) => one.currency === currency))
    return {
      status: "fail",
      sentence: `keys.${currency} is the key of an integration that has no balance in ${currency}, but in ${balances.map((one) => one.currency).join(", ") || "nothing"}: one integration is one country`
    }
  // Where nobody says whose key it is, each submission asks again.
  const refusal = yield* Effect.orElseSucceed(owners.refusal(calls), () => undefined)
  if (refusal !== undefined) return { status: "fail", sentence: refusal }
  const asking = Effect.flatMap(wallNow, (now) => hasWaiting(now - codesMs))
  return (yield* Effect.orElseSucceed(asking, () => false)) === true
    ? { status: "warn", sentence: otp(currency) }
    : { status: "ok", sentence: `keys.${currency} is accepted, and has a balance in ${currency}` }
})

export const checkOf = (
  all: ReadonlyArray<PaystackCalls>,
  owners: PaystackOwners
): Effect.Effect<ReadonlyArray<ProviderCheck>> =>
  Effect.forEach(all, (calls) => keyFinding(calls, owners), { concurrency: "unbounded" })
