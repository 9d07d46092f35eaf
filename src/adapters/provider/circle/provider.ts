/** The provider, put together. */
import { Effect } from "effect"
import { type Offer, Provider, type ProviderCheck } from "../../../engine/ports/Provider.ts"
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
import { makeLinkedBanks } from "./banks.ts"
import { type CircleCalls, makeCalls } from "./calls.ts"
import { makeEvents } from "./events.ts"
import { isKeyRefused, saidIn } from "./mapping.ts"
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
    const away = (why: string): ReadonlyArray<ProviderCheck> => [
      { status: "warn", sentence: `the key is not checked, because Circle does not answer: ${why}` }
    ]
    const asked = yield* Effect.result(configuration)
    if (asked._tag === "Failure") return away(asked.failure.message)
    const reply = asked.success
    const take = "take an API key of the Mint Console, in the environment of the provider"
    if (isKeyRefused(reply))
      return [{ status: "fail", sentence: `key is refused by Circle (${saidIn(reply)}): ${take}` } as const]
    if (reply.status !== 200) return away(saidIn(reply))
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

/** Two look-ups that find nothing count as two if they are so far apart, milliseconds. */
const apartMs = 60_000

/** Builds the provider. Errors: dies with a `TypeError` when Circle refuses the key. */
export const makeProvider = Effect.fnUntraced(function* (config: CircleConfig) {
  const { environment, formerly, grace_ms, name, timeout_ms, url } = config
  /** Its records are under the first name that it had in the store. */
  const key = keyIn(yield* readRegistry, config)
  const transport = yield* makeTransport({ timeout_ms })
  const headers = { authorization: `Bearer ${config.key}` }
  const calls = makeCalls(makeCompanyClient({ transport, base_url: url, headers, now: wallNow }))
  const books = yield* openChainBooks(key)
  const entries = companyEntries(key)
  const submissions = makeSubmissions(books, entries, { grace_ms, apart_ms: apartMs })
  const banks = makeLinkedBanks(key, yield* openBooks(key), calls)
  const parts: CircleParts = {
    key,
    config,
    books,
    entries,
    submissions,
    round: makeRounds(books, entries),
    calls,
    banks
  }
  const reports = makeReports(books, entries)
  const payouts = makePayouts(parts)
  const payins = makePayins(parts, reports)
  const check = findings(calls, config)
  const found = yield* check
  const wrong = found.find(({ status }) => status === "fail")
  if (wrong !== undefined) return yield* Effect.die(new TypeError(`${name}: ${wrong.sentence}`))

  return Provider.of({
    name,
    ...(formerly && { formerly }),
    environment,
    identity: Effect.map(calls.masterWallet, (wallet) => ({ id: `circle/${environment}/${wallet}`, address: null })),
    manifest: { offers: offersOf(config) },
    payouts: { submit: payouts.submit, lookup: payouts.lookup },
    payins: {
      issue: payins.issue,
      instruct: payins.instruct,
      refund: payins.refund,
      lookupRefund: payins.lookupRefund
    },
    directory: banks.directory,
    statements: makeStatements(parts),
    events: makeEvents(parts, payouts, payins, reports, transport),
    cautions: found.flatMap(({ sentence, status }) => (status === "warn" ? [`${name}: ${sentence}`] : [])),
    check
  })
})
