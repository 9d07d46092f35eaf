/** Shapes that several resources share. */
import { Schema } from "effect"
import { Timestamp } from "../input/schemas.ts"

const MetadataBody = Schema.Record(Schema.String, Schema.String)

export const amountBody = Schema.String.annotate({ description: "A decimal string.", examples: ["10.00"] })
export const metadataBody = MetadataBody.annotate({ description: "Stored and returned unchanged." })
export const timestampBody = Timestamp

export const CustomerSummaryBody = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  name: Schema.String,
  email: Schema.String,
  tier: Schema.String,
  created_at: Timestamp,
  updated_at: Timestamp
})

export const SenderSummaryBody = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  country_code: Schema.String,
  created_at: Timestamp,
  updated_at: Timestamp
})

export const WalletSummaryBody = Schema.Struct({
  id: Schema.String,
  currency: Schema.String,
  label: Schema.NullOr(Schema.String)
})

export const BankProviderBody = Schema.Struct({ id: Schema.String, name: Schema.String, code: Schema.String })

export const FeeBody = Schema.Struct({
  line_items: Schema.Array(Schema.Struct({ name: Schema.String, amount: amountBody, currency: Schema.String }))
})
export type FeeBody = typeof FeeBody.Type

export const FiatDetailsBody = Schema.Struct({
  country_code: Schema.String,
  network: Schema.String,
  account_number: Schema.String,
  provider: Schema.NullOr(BankProviderBody),
  rail: Schema.optionalKey(Schema.String),
  account_name: Schema.NullOr(Schema.String)
})

export const CryptoDetailsBody = Schema.Struct({
  network: Schema.String,
  address: Schema.String,
  memo: Schema.NullOr(Schema.String)
})

export const BeneficiaryBody = Schema.Struct({
  id: Schema.String,
  customer_id: Schema.String,
  name: Schema.String,
  label: Schema.NullOr(Schema.String),
  type: Schema.Literals(["fiat", "crypto"]),
  currency: Schema.String,
  details: Schema.Union([FiatDetailsBody, CryptoDetailsBody]),
  metadata: metadataBody,
  status: Schema.Literals(["pending", "active", "blocked"]),
  screening_id: Schema.String.annotate({
    description: "The screening that `status` refers to. A change of the name or the details starts a new screening."
  }),
  merchant_reference: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type BeneficiaryBody = typeof BeneficiaryBody.Type

/** The messages of failure reasons (FAILURE-8). */
const sentences: Readonly<Record<string, string>> = {
  failed: "The provider could not complete the payout. The full source amount was returned to the wallet.",
  quote_expired: "The quote expired before the payout started. No funds moved. Create a new quote.",
  refund_failed: "The payout failed, and the money could not be refunded automatically. Support is investigating.",
  returned: "The funds were returned to their source.",
  cancelled: "The payout was cancelled before completion. The amount was returned to the wallet.",
  reversed: "The network or the recipient's bank reversed the payout. The amount was returned to the wallet.",
  temporarily_unavailable:
    "The payout route was unavailable, and no payout was made. The full source amount was returned to the wallet."
}

/** The message of a failure reason. `own`: the messages of one kind of movement, which take precedence. */
export const reasonMessage = (reason: string | null, own: Readonly<Record<string, string>> = {}): string | null =>
  reason === null ? null : (own[reason] ?? sentences[reason] ?? sentences["failed"]!)
