import { OfframpBody } from "../../engine/representations/movements/offramp.ts"
import { CreateOfframp, ListOfframps } from "../../engine/resources/movements/offramp.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, post } from "./contract.ts"

export const OfframpsApi = group("offramps", "Offramps", "Crypto from a wallet, fiat to a bank beneficiary.").add(
  post("createOfframp", "/v1/offramps", CreateOfframp, OfframpBody, {
    summary: "Execute an offramp quote",
    description:
      "The source amount is reserved at once and paid out asynchronously: the outcome is read, or arrives as an event.",
    limited: true,
    errors: ["invalid_input", "not_found", "invalid_status", "duplicate_resource", "ledger_insufficient_funds"],
    examples: {
      offramp: { quote_id: "quo_01j9z3k4m5n6p7q8r9s0t1v2w3", reference: "payout-77", narration: "Invoice 77" }
    }
  }),
  list("listOfframps", "/v1/offramps", OfframpBody, { summary: "List offramps", query: ListOfframps }),
  get("getOfframp", "/v1/offramps/:id", OfframpBody, { summary: "Get an offramp", params: { id: Id("ofr") } })
)
