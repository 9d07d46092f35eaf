/** The `/v1` shapes of reference data: currencies, countries, bank providers (CURRENCY-2, CURRENCY-9, CURRENCY-10). */
import { Schema } from "effect"
import { describe, Optional } from "../../input/schemas.ts"
import {
  anyIdOf,
  countOf,
  countryOf,
  currencyCodeOf,
  flagOf,
  idOf,
  orNull,
  textOf,
  urlOf,
  wordOf,
  fitToSchema
} from "../members.ts"
import type { Bank } from "../../ports/Provider.ts"
import type { Country } from "../../reference/countries.ts"
import type { Capability, Currency } from "../../reference/currencies.ts"

const CustomerRestrictionBody = Schema.Struct({
  capability: textOf("The flag of the currency that is false for the customer.", "can_deposit"),
  reason: wordOf(
    ["customer_kyc_not_approved"],
    "Why. `customer_kyc_not_approved`: the customer's verification is not approved."
  ),
  next_steps: Schema.Struct({
    action: textOf(
      "What removes the restriction.",
      "Verify the customer with POST /v1/customers/{customerId}/verifications."
    ),
    docs_url: urlOf("The page that explains it.", "https://pay.example.com/docs/errors/customer_kyc_not_approved")
  }).annotate({ identifier: "RestrictionNextSteps", description: "How to remove the restriction." })
}).annotate({ identifier: "CustomerRestriction", description: "A capability that the customer cannot use." })

export const CurrencyBody = Schema.Struct({
  id: idOf("cur", "The id of the currency. It never changes."),
  code: currencyCodeOf("The code. Currencies of different countries can share one, such as XOF."),
  country_code: orNull(countryOf("The country of the currency. Null for crypto and for EUR.")),
  name: textOf("The name of the currency.", "USD Coin"),
  type: wordOf(["fiat", "crypto"], "Whether it is fiat or crypto."),
  decimals: countOf("The decimal places that payments settle: amounts that you send have at most as many.", 2),
  ledger_scale: countOf(
    "The decimal places of balances and deposits: amounts that you receive have at most as many.",
    6
  ),
  networks: describe(Schema.Array(Schema.String), "The networks that it moves on: `bank` for fiat.", [
    "base",
    "ethereum",
    "solana"
  ]),
  can_deposit: flagOf("Whether wallets in it can receive deposits."),
  can_onramp: flagOf("Whether onramps can be paid in it (fiat) or paid out in it (crypto)."),
  can_offramp: flagOf("Whether offramps can pay it out (fiat) or be made from it (crypto)."),
  can_convert: flagOf("Whether it can be converted."),
  can_transfer: flagOf("Whether transfers can pay it out."),
  requires_access: flagOf("Whether a merchant needs a grant to use it.", false),
  access_granted: flagOf("Whether the caller can use it."),
  customer_restrictions: Optional(
    Schema.Array(CustomerRestrictionBody),
    "With `customer_id`: the capabilities that the customer cannot use, and why. Absent if there are none."
  )
}).annotate({ identifier: "Currency", description: "A currency, and what can be done with it." })
export type CurrencyBody = typeof CurrencyBody.Type

export const CountryBody = Schema.Struct({
  code: countryOf("The ISO 3166-1 alpha-2 code."),
  name: textOf("The name of the country.", "Nigeria"),
  currencies: describe(Schema.Array(Schema.String), "The codes of its currencies.", ["NGN"]),
  prohibited: flagOf("Whether compliance prohibits the country.", false)
}).annotate({ identifier: "Country", description: "A supported country." })
export type CountryBody = typeof CountryBody.Type

export const PayoutBankBody = Schema.Struct({
  id: anyIdOf("The id of the bank: `provider_id` of a beneficiary. It never changes.", "prov"),
  name: textOf("The name of the bank.", "Access Bank"),
  code: textOf("The bank's code in its country.", "044"),
  country_code: countryOf("The country of the bank, ISO 3166-1 alpha-2.")
}).annotate({ identifier: "Provider", description: "A bank that payouts can be made to." })
export type PayoutBankBody = typeof PayoutBankBody.Type

/** Shows a currency. `withheld`: the capabilities that the customer cannot use. */
export const currencyBody = (
  currency: Currency,
  access_granted: boolean,
  withheld: ReadonlyArray<Capability>,
  docs_url: string
): CurrencyBody => ({
  id: currency.id,
  code: currency.code,
  country_code: currency.country_code,
  name: currency.name,
  type: currency.type,
  decimals: currency.decimals,
  ledger_scale: currency.ledger_scale,
  networks: currency.networks,
  can_deposit: currency.can_deposit && !withheld.includes("can_deposit"),
  can_onramp: currency.can_onramp && !withheld.includes("can_onramp"),
  can_offramp: currency.can_offramp && !withheld.includes("can_offramp"),
  can_convert: currency.can_convert && !withheld.includes("can_convert"),
  can_transfer: currency.can_transfer && !withheld.includes("can_transfer"),
  requires_access: currency.requires_access,
  access_granted,
  ...(withheld.length === 0
    ? {}
    : {
        customer_restrictions: withheld.map((capability) => ({
          capability,
          reason: "customer_kyc_not_approved" as const,
          next_steps: {
            action: "Verify the customer with POST /v1/customers/{customerId}/verifications.",
            docs_url: `${docs_url}/errors/customer_kyc_not_approved`
          }
        }))
      })
})

export const countryBody: (country: Country) => CountryBody = fitToSchema(CountryBody)

export const providerBody: (bank: Bank) => PayoutBankBody = fitToSchema(PayoutBankBody)
