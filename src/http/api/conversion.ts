import { ConversionBody } from "../../engine/representations/movements/conversion.ts"
import { CreateConversion, ListConversions } from "../../engine/resources/movements/conversion.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, post } from "./contract.ts"

export const ConversionsApi = group("conversions", "Conversions", "Value between two wallets of one customer.").add(
  post("createConversion", "/v1/conversions", CreateConversion, ConversionBody, {
    summary: "Execute a conversion quote",
    description:
      "The source amount is reserved at once; both wallets change together when the conversion succeeds. A reference that an " +
      "earlier conversion has is answered with that conversion (`Idempotent-Replayed: true`), and nothing else happens.",
    limited: true,
    errors: ["invalid_input", "not_found", "invalid_status", "duplicate_resource", "ledger_insufficient_funds"],
    examples: { conversion: { quote_id: "quo_01j9z3k4m5n6p7q8r9s0t1v2w3", reference: "treasury-12" } }
  }),
  list("listConversions", "/v1/conversions", ConversionBody, { summary: "List conversions", query: ListConversions }),
  get("getConversion", "/v1/conversions/:id", ConversionBody, {
    summary: "Get a conversion",
    params: { id: Id("con") }
  })
)
