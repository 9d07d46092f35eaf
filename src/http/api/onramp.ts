import { OnrampBody } from "../../engine/representations/movements/onramp.ts"
import { CreateOnramp, ListOnramps } from "../../engine/resources/movements/onramp.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, post } from "./contract.ts"

export const OnrampsApi = group("onramps", "Onramps", "Fiat from a payer's bank account, crypto to a wallet.").add(
  post("createOnramp", "/v1/onramps", CreateOnramp, OnrampBody, {
    summary: "Execute an onramp quote",
    description:
      "Locks the rate for 30 minutes and answers with the account the payer sends the money to, and the reference that the " +
      "payer puts into the narration. What arrives in that time is settled at the locked rate, also where it is another amount. A reference that an earlier " +
      "onramp has is answered with that onramp (`Idempotent-Replayed: true`), and nothing else happens.",
    limited: true,
    errors: ["invalid_input", "not_found", "invalid_status", "duplicate_resource", "external_service_unavailable"],
    examples: { onramp: { quote_id: "quo_01j9z3k4m5n6p7q8r9s0t1v2w3", reference: "top-up-7" } }
  }),
  list("listOnramps", "/v1/onramps", OnrampBody, { summary: "List onramps", query: ListOnramps }),
  get("getOnramp", "/v1/onramps/:id", OnrampBody, { summary: "Get an onramp", params: { id: Id("onr") } })
)
