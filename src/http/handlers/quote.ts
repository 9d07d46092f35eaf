import { Effect } from "effect"
import { Quotes } from "../../engine/resources/movements/quote.ts"
import { QuotesApi } from "../api/quote.ts"
import { endpoints } from "../endpoint.ts"

export const quoteEndpoints = Effect.map(Quotes, (quotes) =>
  endpoints(QuotesApi, {
    createOfframpQuote: ({ call, body }) => quotes.offramp(call, body),
    createOnrampQuote: ({ call, body }) => quotes.onramp(call, body),
    createConversionQuote: ({ call, body }) => quotes.conversion(call, body),
    createQuote: ({ call, body }) => quotes.create(call, body),
    getQuote: ({ call, params }) => quotes.get(call, params.id)
  })
)
