import { CountryBody, CurrencyBody, ProviderBody } from "../../engine/representations/reference/reference.ts"
import { ListCountries, ListCurrencies, ListProviders } from "../../engine/resources/reference/reference.ts"
import { group, list } from "./contract.ts"

export const ReferenceApi = group("reference", "Reference data", "Currencies, countries and bank providers.").add(
  list("listCurrencies", "/v1/currencies", CurrencyBody, {
    summary: "List currencies and what can be done in them",
    description: "With customer_id: what this customer can do now.",
    query: ListCurrencies,
    errors: ["not_found"]
  }),
  list("listCountries", "/v1/countries", CountryBody, { summary: "List supported countries", query: ListCountries }),
  list("listProviders", "/v1/providers", ProviderBody, { summary: "List bank providers", query: ListProviders })
)
