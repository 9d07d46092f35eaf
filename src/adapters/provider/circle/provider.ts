/** The provider, put together. */
import { Effect } from "effect"
import type { Offer, ProviderCheck } from "../../../engine/ports/Provider.ts"
import { checkKey, passCheck, warnCheck } from "../company/check.ts"
import { makeCompanyProvider, openCompany } from "../company/provider.ts"
import { makeLinkedBanks } from "./banks.ts"
import { type CircleCalls, makeCalls } from "./calls.ts"
import { makeEvents } from "./events.ts"
import { circle } from "./mapping.ts"
import type { CircleConfig } from "./options.ts"
import { makePayins } from "./payins.ts"
import { type CircleParts, makePayouts } from "./payouts.ts"
import { makeStatements } from "./statements.ts"

const offersOf = ({ bank_countries, networks }: CircleConfig): ReadonlyArray<Offer> => [
  ...networks.flatMap(
    (network): ReadonlyArray<Offer> =>
      (["payout", "payin", "issue"] as const).map((operation) => ({ operation, currency: "USDC", network }))
  ),
  ...bank_countries.flatMap(
    (country_code): ReadonlyArray<Offer> => [
      { operation: "payout", currency: "USD", country_code, network: "bank" },
      { operation: "directory", country_code }
    ]
  )
]

/** Looks at the key, at the addresses that wait for a person, and at the subscription. */
const findings = ({ configuration, recipients, subscriptions }: CircleCalls, { topic }: CircleConfig) =>
  checkKey({
    ...{ company: "Circle", reading: circle, option: "key", refused: [401, 403], asked: configuration },
    take: "an API key of the Mint Console, in the environment of the provider",
    read: Effect.fnUntraced(function* ({ status }) {
      if (status !== 200) return undefined
      const found: Array<ProviderCheck> = [passCheck("key is accepted")]
      const waiting = (yield* Effect.orElseSucceed(recipients, () => [])).filter((one) => one.status !== "active")
      if (waiting.length > 0)
        found.push(
          warnCheck(
            `${waiting.length} recipient addresses are not active: an administrator approves them in the Mint Console; until then nothing is transferred to them`
          )
        )
      const details = yield* Effect.orElseSucceed(subscriptions, () => undefined)
      const isConfirmed = details?.some((one) => one.subscriptionDetails.some(({ status }) => status === "confirmed"))
      if (topic !== undefined && isConfirmed === false)
        found.push(
          warnCheck(
            "notifications: no subscription is confirmed: add this server's address in the Mint Console; a live account has one subscription, so two environments cannot share it"
          )
        )
      return found
    })
  })

/** Builds the provider. Errors: dies with a `TypeError` when Circle refuses the key. */
export const makeProvider = Effect.fnUntraced(function* (config: CircleConfig) {
  const company = yield* openCompany(config)
  const calls = makeCalls(company.clientOf({ authorization: `Bearer ${config.key}` }))
  const banks = makeLinkedBanks(company, calls)
  const parts: CircleParts = { ...company, config, calls, banks }
  const { lookAgain, ...payouts } = makePayouts(parts)
  const payins = makePayins(parts)
  const { issue, lookupRefund, refund } = payins
  return yield* makeCompanyProvider(config, findings(calls, config), {
    identity: Effect.map(calls.masterWallet, (wallet) => ({
      id: `circle/${config.environment}/${wallet}`,
      address: null
    })),
    manifest: { offers: offersOf(config) },
    ...{ payouts, payins: { issue, refund, lookupRefund } },
    ...{ directory: banks.directory, statements: makeStatements(parts) },
    events: makeEvents(parts, { lookAgain, ...payouts }, payins)
  })
})
