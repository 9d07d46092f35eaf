/** The provider, put together. */
import { Effect, Schema } from "effect"
import type { Offer } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { checkKey, failCheck, passCheck, warnCheck } from "../company/check.ts"
import { makeCompanyProvider, openCompany } from "../company/provider.ts"
import { makePaystackDirectory } from "./banks.ts"
import { makeCalls, type PaystackCalls } from "./calls.ts"
import { makeEvents } from "./events.ts"
import { paystack } from "./mapping.ts"
import { countries, currencies, type PaystackConfig } from "./options.ts"
import { makePayins } from "./payins.ts"
import { makeOwners, type PaystackOwners } from "./owner.ts"
import { makePayouts, type PaystackParts } from "./payouts.ts"
import { makeStatements } from "./statements.ts"

const offersOf = ({ keys, payins }: PaystackConfig): ReadonlyArray<Offer> =>
  keys.flatMap(({ currency }): ReadonlyArray<Offer> => {
    const { accounts, code: country_code } = countries[currency]
    const at = { currency, country_code, network: "bank" }
    return [
      { operation: "payout", ...at },
      { operation: "directory", country_code },
      ...(payins !== undefined && accounts
        ? ([
            { operation: "payin", ...at },
            { operation: "issue", ...at }
          ] as const)
        : [])
    ]
  })

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

/** Builds the provider. Errors: dies with a `TypeError` for a key that Paystack refuses, or that is of another currency. */
export const makeProvider = Effect.fnUntraced(function* (config: PaystackConfig) {
  const { environment, events_interval_ms, keys } = config
  const company = yield* openCompany(config)
  const all: ReadonlyArray<PaystackCalls> = keys.map(({ currency, secrets: [secret] }) =>
    makeCalls(currency, company.clientOf({ authorization: `Bearer ${secret}` }), secret)
  )
  const owners = makeOwners(company)
  const parts: PaystackParts = {
    ...{ ...company, domain: environment, owners, directory: makePaystackDirectory(company, all) },
    callsOf: (currency) => all.find((calls) => calls.currency === currency)
  }
  const { lookAgain, payouts, refunds } = makePayouts(parts)
  const payins = makePayins(parts, config.payins)
  const needs = currencies
    .filter((currency) => parts.callsOf(currency) === undefined)
    .map((currency) =>
      Effect.map(
        Effect.orElseSucceed(owners.need(currency), () => undefined),
        (need) => (need === undefined ? [] : [warnCheck(need)])
      )
    )
  const checks = [...all.map((calls) => checkCurrency(calls, owners)), ...needs]
  const check = Effect.map(Effect.all(checks, { concurrency: "unbounded" }), (found) => found.flat())
  return yield* makeCompanyProvider(config, check, {
    ...{ manifest: { offers: offersOf(config) }, payouts },
    payins: { issue: payins.issue, instruct: payins.instruct, ...refunds },
    directory: parts.directory.directory,
    statements: makeStatements(parts, all),
    events: makeEvents(parts, { lookAgain }, all, keys, payins, events_interval_ms)
  })
})
