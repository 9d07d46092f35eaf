import { list, section, type Sections } from "../../calls/operation.ts"
import { CountryBody, CurrencyBody, PayoutBankBody } from "../../representations/reference/reference.ts"
import { ListCountries, ListCurrencies, ListProviders, Reference } from "../../resources/reference/reference.ts"
import type { Registration } from "../registration.ts"

const operations = {
  merchant: section(
    { id: "reference", title: "Reference data", description: "Currencies, countries and bank providers." },
    {
      currencies: {
        list: list(
          "listCurrencies",
          "/v1/currencies",
          {
            summary: "List currencies and what can be done in them",
            description: "With customer_id, the response shows the current capabilities of that customer.",
            input: ListCurrencies,
            output: CurrencyBody,
            refusals: ["not_found"]
          },
          ({ call, input }) => Reference.use((s) => s.currencies(call, input))
        )
      },
      countries: {
        list: list(
          "listCountries",
          "/v1/countries",
          { summary: "List supported countries", input: ListCountries, output: CountryBody },
          ({ input }) => Reference.use((s) => s.countries(input))
        )
      },
      providers: {
        list: list(
          "listProviders",
          "/v1/providers",
          { summary: "List bank providers", input: ListProviders, output: PayoutBankBody },
          ({ input }) => Reference.use((s) => s.providers(input))
        )
      }
    }
  )
} as const satisfies Sections

export const reference = { layer: Reference.layer, operations } satisfies Registration
