import { QuoteBody } from "../../engine/representations/movements/quote.ts"
import {
  CreateConversionQuote,
  CreateOfframpQuote,
  CreateOnrampQuote,
  CreateQuote
} from "../../engine/resources/movements/quote.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, post } from "./contract.ts"

const errors = [
  "invalid_input",
  "invalid_amount_precision",
  "not_found",
  "invalid_status",
  "resource_access_required",
  "external_service_unavailable"
] as const

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

export const QuotesApi = group("quotes", "Quotes", "Priced offers, good for five minutes and executed once.").add(
  post("createOfframpQuote", "/v1/offramps/quotes", CreateOfframpQuote, QuoteBody, {
    summary: "Price an offramp",
    description: "Give exactly one of source_amount and target_amount; the target is what the beneficiary receives.",
    errors,
    examples: { offramp }
  }),
  post("createOnrampQuote", "/v1/onramps/quotes", CreateOnrampQuote, QuoteBody, {
    summary: "Price an onramp",
    description: "Give exactly one of source_amount and target_amount; the target is what the wallet receives.",
    errors,
    examples: { onramp }
  }),
  post("createConversionQuote", "/v1/conversions/quotes", CreateConversionQuote, QuoteBody, {
    summary: "Price a conversion",
    description:
      "Give exactly one of source_amount and target_amount; the target is what the destination wallet receives.",
    errors,
    examples: { conversion }
  }),
  post("createQuote", "/v1/quotes", CreateQuote, QuoteBody, {
    summary: "Price an operation",
    description:
      "The operation is offramp unless named; its other fields are those of the operation's own quote route.",
    errors,
    examples: {
      offramp: { operation: "offramp", ...offramp },
      onramp: { operation: "onramp", ...onramp },
      conversion: { operation: "conversion", ...conversion }
    }
  }),
  get("getQuote", "/v1/quotes/:id", QuoteBody, { summary: "Get a quote", params: { id: Id("quo") } })
)
