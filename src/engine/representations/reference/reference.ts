/** The `/v1` shapes of reference data: currencies, countries, bank providers (CURRENCY-2, CURRENCY-9, CURRENCY-10). */
import { Schema } from "effect"
import type { Bank } from "../../ports/Provider.ts"
import type { Country } from "../../reference/countries.ts"
import type { Capability, Currency } from "../../reference/currencies.ts"

export const CustomerRestrictionBody = Schema.Struct({
  capability: Schema.String,
  reason: Schema.Literal("customer_kyc_not_approved"),
  next_steps: Schema.Struct({ action: Schema.String, docs_url: Schema.String })
})
export type CustomerRestrictionBody = typeof CustomerRestrictionBody.Type

export const CurrencyBody = Schema.Struct({
  id: Schema.String,
  code: Schema.String,
  country_code: Schema.NullOr(Schema.String),
  name: Schema.String,
  type: Schema.Literals(["fiat", "crypto"]),
  decimals: Schema.Number.annotate({ description: "The decimal places of payments." }),
  ledger_scale: Schema.Number.annotate({ description: "The decimal places of balances." }),
  networks: Schema.Array(Schema.String),
  can_deposit: Schema.Boolean,
  can_onramp: Schema.Boolean,
  can_offramp: Schema.Boolean,
  can_convert: Schema.Boolean,
  can_transfer: Schema.Boolean,
  requires_access: Schema.Boolean,
  access_granted: Schema.Boolean.annotate({ description: "Whether the caller can use the currency." }),
  customer_restrictions: Schema.optionalKey(Schema.Array(CustomerRestrictionBody)).annotate({
    description: "With customer_id: the capabilities that the customer cannot use, and why."
  })
}).annotate({ identifier: "Currency" })
export type CurrencyBody = typeof CurrencyBody.Type

export const CountryBody = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  currencies: Schema.Array(Schema.String),
  prohibited: Schema.Boolean
}).annotate({ identifier: "Country" })
export type CountryBody = typeof CountryBody.Type

export const ProviderBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  code: Schema.String,
  country_code: Schema.String
}).annotate({ identifier: "Provider" })
export type ProviderBody = typeof ProviderBody.Type

/** `withheld`: capabilities of the currency that the customer cannot use. */
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

export const countryBody = ({ code, name, currencies, prohibited }: Country): CountryBody => ({
  code,
  name,
  currencies,
  prohibited
})

export const providerBody = ({ id, name, code, country_code }: Bank): ProviderBody => ({ id, name, code, country_code })
