/** The provider, put together. */
import { Effect } from "effect"
import type { Offer, ProviderCheck } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { openBooks } from "../books.ts"
import { makeCompanyClient } from "../company/client.ts"
import { makeCompanyProvider, openCompany, warnUnchecked } from "../company/provider.ts"
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
  Effect.gen(function* () {
    const away = (why: string): ReadonlyArray<ProviderCheck> => [warnUnchecked("the key", "Circle", why)]
    const asked = yield* Effect.result(configuration)
    if (asked._tag === "Failure") return away(asked.failure.message)
    const reply = asked.success
    const take = "take an API key of the Mint Console, in the environment of the provider"
    if (circle.isRefusedWith(reply, 401, 403))
      return [{ status: "fail", sentence: `key is refused by Circle (${circle.describe(reply)}): ${take}` } as const]
    if (reply.status !== 200) return away(circle.describe(reply))
    const found: Array<ProviderCheck> = [{ status: "ok", sentence: "key is accepted" }]
    const waiting = (yield* Effect.orElseSucceed(recipients, () => [])).filter(({ status }) => status !== "active")
    if (waiting.length > 0)
      found.push({
        status: "warn",
        sentence: `${waiting.length} recipient addresses are not active: an administrator approves them in the Mint Console; until then nothing is transferred to them`
      })
    const details = yield* Effect.orElseSucceed(subscriptions, () => undefined)
    const isConfirmed = details?.some((one) => one.subscriptionDetails.some(({ status }) => status === "confirmed"))
    if (topic !== undefined && isConfirmed === false)
      found.push({
        status: "warn",
        sentence:
          "notifications: no subscription is confirmed: add this server's address in the Mint Console; a live account has one subscription, so two environments cannot share it"
      })
    return found
  })

/** Builds the provider. Errors: dies with a `TypeError` when Circle refuses the key. */
export const makeProvider = Effect.fnUntraced(function* (config: CircleConfig) {
  const { environment, url } = config
  const company = yield* openCompany(config)
  const headers = { authorization: `Bearer ${config.key}` }
  const calls = makeCalls(makeCompanyClient({ transport: company.transport, base_url: url, headers, now: wallNow }))
  const banks = makeLinkedBanks(company.key, yield* openBooks(company.key), calls)
  const parts: CircleParts = { ...company, config, calls, banks }
  const { lookAgain, ...payouts } = makePayouts(parts)
  const payins = makePayins(parts)
  const { instruct, issue, lookupRefund, refund } = payins
  return yield* makeCompanyProvider(config, findings(calls, config), {
    identity: Effect.map(calls.masterWallet, (wallet) => ({ id: `circle/${environment}/${wallet}`, address: null })),
    manifest: { offers: offersOf(config) },
    ...{ payouts, payins: { issue, instruct, refund, lookupRefund } },
    ...{ directory: banks.directory, statements: makeStatements(parts) },
    events: makeEvents(parts, { lookAgain, ...payouts }, payins)
  })
})
