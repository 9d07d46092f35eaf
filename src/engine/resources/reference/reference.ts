/** Reference data: currencies, countries, bank providers (CURRENCY-4, CURRENCY-5, CURRENCY-9, CURRENCY-10). */
import { Context, Effect, Layer, Schema } from "effect"
import { Routes } from "../../calls/Routes.ts"
import { slicePage } from "../../calls/list.ts"
import { awaitAnswer } from "../../calls/provider-call.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { Call } from "../../commit/call.ts"
import { makeWordFilter } from "../../input/members.ts"
import { BooleanParam, CountryCode, Id, Optional, paging } from "../../input/schemas.ts"
import { type AccountQuery, type AccountResolution, type Bank, type Provider, Providers } from "../../ports/Provider.ts"
import type { ExternalServiceUnavailable } from "../../ports/errors.ts"
import { countries } from "../../reference/countries.ts"
import { capabilities, type Capability, currencies, type Currency } from "../../reference/currencies.ts"
import { countryBody, currencyBody, providerBody } from "../../representations/reference/reference.ts"
import { DocsUrl } from "../../settings/settings.ts"
import { Access } from "../access/access.ts"
import { CustomerKind } from "../parties/customer.ts"

// The banks of all providers, and the holders of accounts at them.

/** A bank, and the name of the provider whose directory has it. */
interface ListedBank {
  readonly bank: Bank
  readonly provider: string
}

export const makeDirectory = Effect.gen(function* () {
  const providers = yield* Providers
  const routes = yield* Routes

  const listOf = (
    provider: Provider["Service"],
    country_code: string | null
  ): Effect.Effect<ReadonlyArray<ListedBank>, ExternalServiceUnavailable> =>
    provider.directory === undefined
      ? Effect.succeed([])
      : Effect.map(awaitAnswer("its list of banks", provider, provider.directory.banks(country_code)), (all) =>
          all.map((bank): ListedBank => ({ bank, provider: provider.name }))
        )

  return {
    /**
     * The banks of a country (null: of all), ordered by code. A bank (a code in a country) is listed once, with the id that the
     * first configured provider gives it. While a directory does not respond, the banks of the others are listed.
     * Errors: `ExternalServiceUnavailable` when one does not respond and the others have none.
     */
    banks: Effect.fnUntraced(function* (country_code: string | null) {
      // In the order of the configuration.
      const [lists, faults] = yield* Effect.partition(providers.all, (provider) => listOf(provider, country_code), {
        concurrency: "unbounded"
      })
      const listed = lists.flat()
      if (listed.length === 0 && faults[0] !== undefined) return yield* faults[0]
      return [
        ...new Map(listed.toReversed().map((one) => [`${one.bank.country_code} ${one.bank.code}`, one])).values()
      ].toSorted(({ bank: a }: ListedBank, { bank: b }: ListedBank): number =>
        a.code < b.code ? -1 : a.code > b.code ? 1 : a.country_code < b.country_code ? -1 : 1
      )
    }),

    /**
     * The bank of an id, and the provider that knows it: each directory's own id is taken. Undefined: there is none. Once one has it, the
     * others are not waited for.
     * Errors: `ExternalServiceUnavailable` when a directory that may have it does not respond.
     */
    bank: (id: string): Effect.Effect<ListedBank | undefined, ExternalServiceUnavailable> =>
      Effect.suspend(() => {
        const faults: Array<ExternalServiceUnavailable> = []
        const found = providers.all.map((provider) =>
          Effect.flatMap(
            Effect.tapError(listOf(provider, null), (fault) => Effect.sync(() => void faults.push(fault))),
            (listed) => Effect.fromNullishOr(listed.find(({ bank }) => bank.id === id))
          )
        )
        // A race ends those that it does not wait for, also where its caller is not to be interrupted.
        return Effect.catch(Effect.raceAll(found), () =>
          faults[0] === undefined ? Effect.undefined : Effect.fail(faults[0])
        )
      }),

    /** The holder of an account at a bank. Errors: `ExternalServiceUnavailable` when the directory does not respond. */
    resolveAccount: (
      provider: string,
      account: AccountQuery
    ): Effect.Effect<AccountResolution, ExternalServiceUnavailable> =>
      awaitAnswer(
        "the account holder",
        { name: provider },
        providers.byName(provider)!.directory!.resolveAccount(account)
      ),

    /** The holder of a payshap proxy. Errors: `ExternalServiceUnavailable` when the directory does not respond. */
    resolveProxy: Effect.fnUntraced(function* (merchant_id: string, proxy: string) {
      const provider = yield* routes.first({
        operation: "directory",
        merchant_id,
        currency: "ZAR",
        country_code: "ZA",
        network: "bank",
        amount: null
      })
      if (provider === undefined) return { _tag: "switched_off" } as const
      return yield* awaitAnswer("the holder of the payshap proxy", provider, provider.directory!.resolveProxy(proxy))
    })
  }
})

export const ListCurrencies = Schema.Struct({
  customer_id: Optional(Id("cust"), "Shows what this customer can do now."),
  code: Optional(Schema.String, "Only currencies with this code.", "USDC"),
  type: makeWordFilter(["fiat", "crypto"], "type"),
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

/** Lists the capabilities of a currency that a customer cannot use: fiat deposits, until the customer is verified. */
const listRestrictions = (isApproved: boolean, currency: Currency): ReadonlyArray<Capability> =>
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
              currencyBody(currency, granted, listRestrictions(isApproved, currency), docs_url)
            ),
          { concurrency: "unbounded" }
        )
        const wanted = rows.filter((row) =>
          capabilities.every((can) => input[can] === undefined || row[can] === input[can])
        )
        return slicePage(wanted, input)
      }),

      /** The supported countries, ordered by code. */
      countries: (input: ListCountries) => Effect.succeed(slicePage(countries.map(countryBody), input)),

      /**
       * The banks that payouts can be made to, in one country or in all, each once, ordered by code.
       * Errors: `ExternalServiceUnavailable` when a provider does not respond and no other has any.
       */
      providers: Effect.fnUntraced(function* (input: ListProviders) {
        const banks = yield* directory.banks(input.country_code ?? null)
        return slicePage(
          banks.map(({ bank }) => providerBody(bank)),
          input
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
