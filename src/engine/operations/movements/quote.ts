import { getFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { QuoteBody } from "../../representations/movements/quote.ts"
import {
  CreateConversionQuote,
  CreateOfframpQuote,
  CreateOnrampQuote,
  CreateQuote,
  QuoteKind,
  Quotes
} from "../../resources/movements/quote.ts"
import type { Registration } from "../registration.ts"

const errors = [
  "invalid_input",
  "invalid_amount_precision",
  "not_found",
  "invalid_status",
  "resource_access_required",
  "external_service_unavailable"
] as const
/** A request names the country of a currency only for an onramp. */
const onrampErrors = [...errors, "prohibited_country"] as const
const offramp = {
  wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
  beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
  source_amount: "100.00"
}
const onramp = { wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3", source_currency: "NGN", source_amount: "150000.00" }
const conversion = {
  source_wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
  destination_wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w4",
  target_amount: "250.00"
}

const operations = {
  merchant: section(
    {
      id: "quotes",
      title: "Quotes",
      description: "Priced offers. A quote is valid for five minutes and can be executed once."
    },
    {
      quotes: {
        offramp: post(
          "createOfframpQuote",
          "/v1/offramps/quotes",
          {
            summary: "Price an offramp",
            description:
              "Send exactly one of source_amount and target_amount. The target amount is the amount that the beneficiary receives.",
            input: CreateOfframpQuote,
            output: QuoteBody,
            examples: { offramp },
            refusals: errors
          },
          ({ call, input }) => Quotes.use((s) => s.offramp(call, input))
        ),
        onramp: post(
          "createOnrampQuote",
          "/v1/onramps/quotes",
          {
            summary: "Price an onramp",
            description:
              "Send exactly one of source_amount and target_amount. The target amount is the amount that the wallet receives.",
            input: CreateOnrampQuote,
            output: QuoteBody,
            examples: { onramp },
            refusals: onrampErrors
          },
          ({ call, input }) => Quotes.use((s) => s.onramp(call, input))
        ),
        conversion: post(
          "createConversionQuote",
          "/v1/conversions/quotes",
          {
            summary: "Price a conversion",
            description:
              "Send exactly one of source_amount and target_amount. The target amount is the amount that the destination wallet receives.",
            input: CreateConversionQuote,
            output: QuoteBody,
            examples: { conversion },
            refusals: errors
          },
          ({ call, input }) => Quotes.use((s) => s.conversion(call, input))
        ),
        /** Prices any operation. Default: `offramp`. */
        create: post(
          "createQuote",
          "/v1/quotes",
          {
            summary: "Price an operation",
            description:
              "Default operation: offramp. The other fields are those of the quote endpoint of the operation.",
            input: CreateQuote,
            output: QuoteBody,
            examples: {
              offramp: { operation: "offramp", ...offramp },
              onramp: { operation: "onramp", ...onramp },
              conversion: { operation: "conversion", ...conversion }
            },
            refusals: onrampErrors
          },
          ({ call, input }) => Quotes.use((s) => s.create(call, input))
        ),
        get: getFrom(Quotes, "getQuote", "/v1/quotes/:id", { id: Id("quo") }, QuoteBody)
      }
    }
  )
} as const satisfies Sections

export const quote = { kind: QuoteKind, layer: Quotes.layer, operations } satisfies Registration
