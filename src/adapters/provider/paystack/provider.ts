/** The provider, put together. */
import { Effect } from "effect"
import type { Offer } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { openBooks } from "../books.ts"
import { makeCompanyClient } from "../company/client.ts"
import { makeCompanyProvider, openCompany } from "../company/provider.ts"
import { makeDirectory } from "./banks.ts"
import { makeCalls, type PaystackCalls } from "./calls.ts"
import { makeEvents } from "./events.ts"
import { checkOf } from "./check.ts"
import { countries, type PaystackConfig } from "./options.ts"
import { makePayins } from "./payins.ts"
import { makeOwners } from "./owner.ts"
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

/** Builds the provider. Errors: dies with a `TypeError` for a key that Paystack refuses, or that is of another currency. */
export const makeProvider = Effect.fnUntraced(function* (config: PaystackConfig) {
  const { environment, events_interval_ms, keys, url } = config
  const company = yield* openCompany(config)
  const all: ReadonlyArray<PaystackCalls> = keys.map(({ currency, secrets: [secret] }) => {
    const headers = { authorization: `Bearer ${secret}` }
    return makeCalls(
      currency,
      makeCompanyClient({ transport: company.transport, base_url: url, headers, now: wallNow }),
      secret
    )
  })
  const parts: PaystackParts = {
    ...{ ...company, domain: environment, owners: makeOwners(company) },
    directory: makeDirectory(company.key, yield* openBooks(company.key), all),
    callsOf: (currency) => all.find((calls) => calls.currency === currency)
  }
  const { lookAgain, payouts, refunds } = makePayouts(parts)
  const payins = makePayins(parts, config.payins)
  return yield* makeCompanyProvider(config, checkOf(all, parts.owners), {
    ...{ manifest: { offers: offersOf(config) }, payouts },
    payins: { issue: payins.issue, instruct: payins.instruct, ...refunds },
    directory: parts.directory.directory,
    statements: makeStatements(parts, all),
    events: makeEvents(parts, { lookAgain }, all, keys, payins, events_interval_ms)
  })
})
