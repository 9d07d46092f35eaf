/** The `/v1` shape of a quote (QUOTE-1, QUOTE-5). */
import { Schema } from "effect"
import { formatAmount } from "../../../machines/kernel/money.ts"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import { feeOf } from "../../ports/Pricing.ts"
import { currencyOf } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { amountBody, FeeBody, timestampBody } from "../shared.ts"

export const QuoteBody = Schema.Struct({
  id: Schema.String,
  operation: Schema.Literals(["onramp", "offramp", "conversion"]),
  status: Schema.Literals(["active", "executed", "expired"]),
  wallet_id: Schema.NullOr(Schema.String),
  destination_wallet_id: Schema.NullOr(Schema.String),
  beneficiary_id: Schema.NullOr(Schema.String),
  sender_id: Schema.NullOr(Schema.String),
  customer_id: Schema.String,
  source_amount: amountBody,
  source_currency: Schema.String,
  destination_amount: amountBody,
  destination_currency: Schema.String,
  received_amount: amountBody,
  target_amount: Schema.NullOr(amountBody),
  rate: Schema.String,
  expires_at: timestampBody,
  reference: Schema.NullOr(Schema.String),
  fee: FeeBody,
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Quote" })
export type QuoteBody = typeof QuoteBody.Type

const displayAmount = (minor: string, currency: string): string => formatAmount(BigInt(minor), currencyOf(currency))

/** `now`: milliseconds since the epoch. An active quote is shown as `expired` from its `expires_at` on. */
export const quoteBody = ({ id, status, created_at, updated_at, data: q }: Row<QuoteData>, now: number): QuoteBody => ({
  id,
  operation: q.operation,
  status: status === "active" && now >= q.expires_at ? "expired" : (status as QuoteBody["status"]),
  wallet_id: q.source_wallet_id,
  destination_wallet_id: q.destination_wallet_id,
  beneficiary_id: q.beneficiary_id,
  sender_id: q.sender_id ?? null,
  customer_id: q.customer_id,
  source_amount: displayAmount(q.source_amount, q.source_currency),
  source_currency: q.source_currency,
  destination_amount: displayAmount(q.destination_amount, q.destination_currency),
  destination_currency: q.destination_currency,
  received_amount: displayAmount(q.received_amount, q.destination_currency),
  target_amount: q.target_amount === null ? null : displayAmount(q.target_amount, q.destination_currency),
  rate: q.rate,
  expires_at: iso(q.expires_at),
  reference: q.reference,
  fee: feeOf(q),
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
