import { Effect } from "effect"
import { Conversions } from "../../engine/resources/movements/conversion.ts"
import { ConversionsApi } from "../api/conversion.ts"
import { endpoints } from "../endpoint.ts"

export const conversionEndpoints = Effect.map(Conversions, (conversions) =>
  endpoints(ConversionsApi, {
    createConversion: ({ call, body }) => conversions.create(call, body),
    listConversions: ({ call, query }) => conversions.list(call, query),
    getConversion: ({ call, params }) => conversions.get(call, params.id)
  })
)
