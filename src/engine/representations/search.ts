/** A result of a search (SEARCH-1). */
import { Schema } from "effect"
import { describe } from "../input/schemas.ts"
import { amountOf, anyIdOf, createdAt, currencyCodeOf, idOf, orNull, textOf } from "./members.ts"

/** The sorts of terms, as results name them. */
export const termSorts = [
  "reference",
  "provider_reference",
  "transaction_hash",
  "account",
  "email",
  "name",
  "amount"
] as const

const found = {
  id: anyIdOf("The id of what was found.", "ofr"),
  kind: textOf("The kind of the resource.", "offramp")
}

const about = {
  customer_id: orNull(idOf("cust", "The customer. Null without one.")),
  customer_name: orNull(textOf("The name of the customer. Null without one.", "Ada Obi")),
  status: textOf("The status of the resource.", "processing"),
  matched: describe(
    Schema.Array(Schema.Literals(["id", ...termSorts])),
    "What the text matched, the best first. `account`: an account number or address.",
    ["reference"]
  ),
  title: textOf("The name or the reference of the resource; its id when it has neither.", "INV/2026/1042"),
  amount: orNull(amountOf("The source amount of a movement, in `currency`. Null for others.", "100.00")),
  currency: orNull(currencyCodeOf("The currency of `amount`. Null without one.")),
  created_at: createdAt
}

export const FoundBody = Schema.Struct({
  ...found,
  merchant_id: orNull(textOf("The merchant. Null for the platform's own records.", "mer_01j9z3k4m5n6p7q8r9s0t1v2w3")),
  merchant_name: orNull(textOf("The name of the merchant. Null for the platform's own records.", "Lagos Trading")),
  ...about
}).annotate({ identifier: "SearchResult", description: "A resource that matches a search." })
export type FoundBody = typeof FoundBody.Type

export const OwnFoundBody = Schema.Struct({ ...found, ...about }).annotate({
  identifier: "OwnSearchResult",
  description: "A resource of the merchant that matches a search."
})
export type OwnFoundBody = typeof OwnFoundBody.Type
