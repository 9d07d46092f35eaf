/** Reference data: currencies, countries, bank providers (CURRENCY-4, CURRENCY-5, CURRENCY-9, CURRENCY-10). */
import { Context, Effect, Layer, Schema } from "effect"
import type { Call } from "../../commit/call.ts"
import { DocsUrl } from "../../settings/settings.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { makeDirectory } from "./directory.ts"
import { countries } from "../../reference/countries.ts"
import { capabilities, type Capability, currencies, type Currency } from "../../reference/currencies.ts"
import { countryBody, currencyBody, providerBody } from "../../representations/reference/reference.ts"
import { BooleanParam, CountryCode, Id, Optional, paging } from "../../input/schemas.ts"
import { only } from "../../input/members.ts"
import { Access } from "../access/access.ts"
import { CustomerKind } from "../parties/customer.ts"
import { pageOf } from "../../calls/list.ts"

export const ListCurrencies = Schema.Struct({
  customer_id: Optional(Id("cust"), "Shows what this customer can do now."),
  code: Optional(Schema.String, "Only currencies with this code.", "USDC"),
  type: only(["fiat", "crypto"], "type"),
  can_deposit: Optional(
    BooleanParam,
    "Only currencies with this capability, or without it; with `customer_id`, as the customer has it."
  ),
  can_onramp: Optional(
    BooleanParam,
    "Only currencies with this capability, or without it; with `customer_id`, as the customer has it."
  ),
  can_offramp: Optional(
    BooleanParam,
    "Only currencies with this capability, or without it; with `customer_id`, as the customer has it."
  ),
  can_convert: Optional(
    BooleanParam,
    "Only currencies with this capability, or without it; with `customer_id`, as the customer has it."
  ),
  can_transfer: Optional(
    BooleanParam,
    "Only currencies with this capability, or without it; with `customer_id`, as the customer has it."
  ),
  ...paging
})
export type ListCurrencies = typeof ListCurrencies.Type

export const ListCountries = Schema.Struct(paging)
export type ListCountries = typeof ListCountries.Type

export const ListProviders = Schema.Struct({
  country_code: Optional(CountryCode, "Only banks of this country."),
  ...paging
})
export type ListProviders = typeof ListProviders.Type

/** The capabilities of a currency that a customer cannot use: fiat deposits, until the customer is verified. */
const restrictionsOf = (isApproved: boolean, currency: Currency): ReadonlyArray<Capability> =>
  !isApproved && currency.type === "fiat" && currency.can_deposit ? ["can_deposit"] : []

export class Reference extends Context.Service<Reference>()("corridor/engine/Reference", {
  make: Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const access = yield* Access
    const directory = yield* makeDirectory
    const docs_url = yield* DocsUrl

    return {
      /**
       * Currencies, ordered by code and country. With `customer_id`, the capabilities are those that the customer can use now;
       * the filters apply to them.
       *
       * Errors: `NotFound` for the customer.
       */
      currencies: Effect.fnUntraced(function* (call: Call, input: ListCurrencies) {
        const { merchant_id } = call
        const { customer_id, code, type } = input
        const customer =
          customer_id === undefined ? undefined : yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
        const isApproved = customer === undefined || customer.data.kyc_status === "approved"
        const named = currencies.filter(
          (currency) => (code === undefined || currency.code === code) && (type === undefined || currency.type === type)
        )
        const rows = yield* Effect.forEach(
          named,
          (currency) =>
            Effect.map(access.granted(merchant_id, currency), (granted) =>
              currencyBody(currency, granted, restrictionsOf(isApproved, currency), docs_url)
            ),
          { concurrency: "unbounded" }
        )
        const wanted = rows.filter((row) =>
          capabilities.every((can) => input[can] === undefined || row[can] === input[can])
        )
        return pageOf(wanted, input)
      }),

      /** The supported countries, ordered by code. */
      countries: (input: ListCountries) => Effect.succeed(pageOf(countries.map(countryBody), input)),

      /**
       * The banks that payouts can be made to, in one country or in all, each once, ordered by code.
       * Errors: `ExternalServiceUnavailable` when a provider does not respond and no other has any.
       */
      providers: Effect.fnUntraced(function* (input: ListProviders) {
        const banks = yield* directory.banks(input.country_code ?? null)
        return pageOf(
          banks.map(({ bank }) => providerBody(bank)),
          input
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
