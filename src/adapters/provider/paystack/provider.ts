/** The provider, put together. */
import { Effect } from "effect"
import { type Offer, Provider } from "../../../engine/ports/Provider.ts"
import { keyIn, readRegistry } from "../../../engine/ports/provider-registry.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { makeTransport } from "../../../protocol/transport.ts"
import { openBooks } from "../books.ts"
import { openChainBooks } from "../chain/books.ts"
import { makeCompanyClient } from "../company/client.ts"
import { companyEntries } from "../company/entries.ts"
import { makeReports } from "../company/reports.ts"
import { makeSubmissions } from "../company/submissions.ts"
import { makeRounds } from "../company/windows.ts"
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

/** Two look-ups that find nothing count as two if they are so far apart, milliseconds. */
const apartMs = 60_000

/** Builds the provider. Errors: dies with a `TypeError` for a key that Paystack refuses, or that is of another currency. */
export const makeProvider = Effect.fnUntraced(function* (config: PaystackConfig) {
  const { environment, events_interval_ms, formerly, grace_ms, keys, name, payins, timeout_ms, url } = config
  /** Its records are under the first name that it had in the store. */
  const key = keyIn(yield* readRegistry, config)
  const transport = yield* makeTransport({ timeout_ms })
  const all: ReadonlyArray<PaystackCalls> = keys.map(({ currency, secrets: [secret] }) =>
    makeCalls(
      currency,
      makeCompanyClient({ transport, base_url: url, headers: { authorization: `Bearer ${secret}` }, now: wallNow }),
      secret
    )
  )
  const books = yield* openChainBooks(key)
  const entries = companyEntries(key)
  const parts: PaystackParts = {
    domain: environment,
    books,
    entries,
    owners: makeOwners(books, entries),
    submissions: makeSubmissions(books, entries, { grace_ms, apart_ms: apartMs }),
    round: makeRounds(books, entries),
    directory: makeDirectory(key, yield* openBooks(key), all),
    callsOf: (currency) => all.find((calls) => calls.currency === currency)
  }
  const reports = makeReports(books, entries)
  const payouts = makePayouts(parts)
  const accounts = makePayins(parts, reports, payins)

  const found = yield* checkOf(all, parts.owners)
  const wrong = found.find(({ status }) => status === "fail")
  if (wrong !== undefined) return yield* Effect.die(new TypeError(`${name}: ${wrong.sentence}`))

  return Provider.of({
    name,
    ...(formerly && { formerly }),
    environment,
    manifest: { offers: offersOf(config) },
    payouts: { submit: payouts.submit, lookup: payouts.lookup },
    payins: {
      issue: accounts.issue,
      instruct: accounts.instruct,
      refund: payouts.refund,
      lookupRefund: payouts.lookupRefund
    },
    directory: parts.directory.directory,
    statements: makeStatements(parts, all),
    events: makeEvents(parts, all, keys, accounts, reports, events_interval_ms),
    cautions: found.flatMap(({ sentence, status }) => (status === "warn" ? [`${name}: ${sentence}`] : [])),
    check: checkOf(all, parts.owners)
  })
})
