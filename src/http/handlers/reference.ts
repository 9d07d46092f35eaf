import { Effect } from "effect"
import { Reference } from "../../engine/resources/reference/reference.ts"
import { ReferenceApi } from "../api/reference.ts"
import { endpoints } from "../endpoint.ts"

export const referenceEndpoints = Effect.map(Reference, (reference) =>
  endpoints(ReferenceApi, {
    listCurrencies: ({ call, query }) => reference.currencies(call, query),
    listCountries: ({ query }) => reference.countries(query),
    listProviders: ({ query }) => reference.providers(query)
  })
)
