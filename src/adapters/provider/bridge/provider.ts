/** The provider, put together. */
import { Effect } from "effect"
import type { Offer } from "../../../engine/ports/Provider.ts"
import type { CompanyHeaders, CompanyRequest } from "../company/client.ts"
import { checkKey, failCheck, passCheck, warnCheck } from "../company/check.ts"
import { makeCompanyProvider, makeDirectory, openCompany } from "../company/provider.ts"
import { deriveBankId } from "../http/banks.ts"
import { type BridgeCalls, makeCalls } from "./calls.ts"
import { makeEvents } from "./events.ts"
import { bridge } from "./mapping.ts"
import type { BridgeConfig } from "./options.ts"
import { makePayins } from "./payins.ts"
import { makeStatements } from "./statements.ts"
import { type BridgeParts, makePayouts, makeTransfers } from "./payouts.ts"

/** The headers of a request with an API key. */
export const headersOf =
  (key: string) =>
  ({ idempotency_key }: CompanyRequest): CompanyHeaders => ({
    "api-key": key,
    ...(idempotency_key !== undefined && { "idempotency-key": idempotency_key })
  })

const offersOf = ({ currencies, payins, us_banks }: BridgeConfig): ReadonlyArray<Offer> => [
  ...[
    ...currencies.map((currency) => ({ operation: "payout", currency }) as const),
    ...payins.flatMap((currency) => (["payin", "issue"] as const).map((operation) => ({ operation, currency })))
  ].map((offer): Offer => ({ ...offer, network: "bank", ...(offer.currency === "USD" && { country_code: "US" }) })),
  ...(us_banks.length === 0 ? [] : [{ operation: "directory", country_code: "US" } as const])
]

/** The banks of the configuration. Bridge cannot say who holds an account. */
const makeBankList = (provider: string, { us_banks }: BridgeConfig) => {
  const banks = us_banks
    .map(({ name, routing_number: code }) => ({
      id: deriveBankId(provider, "US", code),
      code,
      name,
      country_code: "US"
    }))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
  return makeDirectory(Effect.succeed(banks), ({ bank }) =>
    Effect.succeed({ _tag: banks.some(({ code }) => code === bank.code) ? "unchecked" : "unresolved" })
  )
}

/** Looks at the key, the customer and the wallet, by one read. */
const findings = ({ wallet, walletIn }: BridgeCalls, { customer, wallet: id }: BridgeConfig) =>
  checkKey({
    ...{ company: "Bridge", reading: bridge, option: "key", refused: [401, 403], asked: wallet },
    take: "an API key of its dashboard, in the environment of the provider",
    read: (reply) => {
      if (bridge.isRefusedWith(reply, 404))
        return Effect.succeed([
          failCheck(
            `wallet is none that the customer ${customer} has at Bridge (${bridge.describe(reply)}): take the ids of both from its dashboard`
          )
        ])
      const found = walletIn(reply)
      const usdc = found?.balances.find(({ currency }) => currency.toLowerCase() === "usdc")
      return Effect.succeed(
        found && [
          usdc === undefined
            ? warnCheck(`the wallet ${id} has no USDC: nothing is paid until it is funded`)
            : passCheck(`key is accepted, and the wallet has ${usdc.balance} USDC`)
        ]
      )
    }
  })

/** Builds the provider. Errors: dies with a `TypeError` when Bridge refuses the key, or does not know the wallet. */
export const makeProvider = Effect.fnUntraced(function* (config: BridgeConfig) {
  const { customer, environment, us_banks, wallet } = config
  const company = yield* openCompany(config)
  const calls = makeCalls(company.clientOf(headersOf(config.key)), config)
  const parts: BridgeParts = { ...company, config, calls }
  const transfers = makeTransfers(parts)
  const payins = makePayins(parts, transfers)
  const { issue, lookupRefund, refund } = payins
  return yield* makeCompanyProvider(config, findings(calls, config), {
    identity: Effect.succeed({ id: `bridge/${environment}/${customer}/${wallet}`, address: null }),
    ...{ manifest: { offers: offersOf(config) }, payouts: makePayouts(parts, transfers) },
    payins: { issue, refund, lookupRefund },
    statements: makeStatements(parts, transfers, payins),
    ...(us_banks.length > 0 && { directory: makeBankList(company.key, config) }),
    events: makeEvents(parts, transfers, payins)
  })
})
