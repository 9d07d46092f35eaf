/** A result of a search (SEARCH-1). */
import { Schema } from "effect"
import { amountBody, timestampBody } from "./shared.ts"

export const FoundBody = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  /** Null for the platform's own records. */
  merchant_id: Schema.NullOr(Schema.String),
  merchant_name: Schema.NullOr(Schema.String),
  customer_id: Schema.NullOr(Schema.String),
  status: Schema.String,
  /** What the text matched, the best first. */
  matched: Schema.Array(
    Schema.Literals(["id", "reference", "provider_reference", "transaction_hash", "account", "email", "name", "amount"])
  ),
  /** The name or the reference of the resource; its id when it has neither. */
  title: Schema.String,
  /** Of a movement: its source amount. */
  amount: Schema.NullOr(amountBody),
  currency: Schema.NullOr(Schema.String),
  created_at: timestampBody
}).annotate({ identifier: "SearchResult" })
export type FoundBody = typeof FoundBody.Type
