/** The shapes of the operator API: lists, ledger, history, stuck resources, held deposits (OPERATOR-3, LEDGER-1, LEDGER-2). */
import { Schema } from "effect"
import { amountBody, timestampBody } from "./shared.ts"
import { TransactionBody } from "./movements/transaction.ts"
import { CustomerBody } from "./parties/customer.ts"

const posting = {
  resource_id: Schema.String,
  version: Schema.Int,
  debit: Schema.String,
  credit: Schema.String,
  amount: amountBody,
  currency: Schema.String,
  at: timestampBody
}

export const EntryBody = Schema.Struct({ merchant_id: Schema.String, ...posting }).annotate({
  identifier: "LedgerEntry"
})

export const TrialBalanceBody = Schema.Struct({
  currencies: Schema.Array(
    Schema.Struct({ currency: Schema.String, debits: amountBody, credits: amountBody, difference: amountBody })
  ),
  classes: Schema.Array(Schema.Struct({ class: Schema.String, currency: Schema.String, balance: amountBody }))
}).annotate({ identifier: "TrialBalance" })

const waited = {
  /** The time of the last progress. A retry, or a `pending` response of the provider, is no progress. */
  since: timestampBody,
  /** What the resource waits for: `outcome_unknown`, `provider_not_ready`, `other_provider`, `awaiting_release`, ... */
  reason: Schema.String,
  /** The number of submissions to the provider. */
  attempts: Schema.Int,
  last_answer: Schema.NullOr(Schema.Struct({ at: timestampBody, answer: Schema.String })),
  next_attempt_at: Schema.NullOr(timestampBody)
}

export const HistoryBody = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  merchant_id: Schema.String,
  status: Schema.String,
  state: Schema.String,
  /** `since` to `next_attempt_at` are null when the resource has ended. */
  since: Schema.NullOr(timestampBody),
  reason: Schema.NullOr(Schema.String),
  attempts: Schema.NullOr(Schema.Int),
  last_answer: waited.last_answer,
  next_attempt_at: waited.next_attempt_at,
  provider: Schema.NullOr(Schema.String).annotate({ description: "The provider that has it." }),
  provider_reference: Schema.NullOr(Schema.String).annotate({
    description: "The provider's own reference of the payment, as its statements show it."
  }),
  outcomes: Schema.Array(
    Schema.Struct({
      outcome: Schema.String,
      at: timestampBody,
      provider: Schema.NullOr(Schema.String),
      command_id: Schema.String,
      reason: Schema.NullOr(Schema.String),
      amount: Schema.NullOr(Schema.String),
      currency: Schema.NullOr(Schema.String),
      fee: Schema.NullOr(Schema.String),
      fee_currency: Schema.NullOr(Schema.String),
      provider_reference: Schema.NullOr(Schema.String),
      transaction_hash: Schema.NullOr(Schema.String)
    })
  ).annotate({ description: "What the provider reported of its commands, oldest first, in the provider's words." }),
  transitions: Schema.Array(
    Schema.Struct({
      version: Schema.Int,
      from: Schema.NullOr(Schema.String),
      to: Schema.String,
      event: Schema.String,
      cause: Schema.String,
      /** The operator's note. */
      note: Schema.NullOr(Schema.String),
      at: timestampBody,
      postings: Schema.Array(Schema.Struct(posting)),
      events: Schema.Array(
        Schema.Struct({ event_id: Schema.String, event_type: Schema.String, event_sequence: Schema.Int })
      )
    })
  )
}).annotate({ identifier: "ResourceHistory" })

export const StuckBody = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  merchant_id: Schema.String,
  status: Schema.String,
  state: Schema.String,
  ...waited
}).annotate({ identifier: "StuckResource" })

export const HeldDepositBody = Schema.Struct({
  ...TransactionBody.fields,
  merchant_id: Schema.String,
  /** All reasons to hold the deposit. `metadata.hold_reason` has the first. */
  hold_reasons: Schema.Array(Schema.Literals(["tier_limit", "payin_frozen", "payin_disabled"]))
}).annotate({ identifier: "HeldDeposit" })

const merchantFields = {
  merchant_id: Schema.String,
  merchant_name: Schema.NullOr(Schema.String)
}

export const MovementBody = Schema.Struct({
  ...TransactionBody.fields,
  ...merchantFields,
  /** The provider that has it now. */
  provider: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Movement" })
export type MovementBody = typeof MovementBody.Type

export const MerchantCustomerBody = Schema.Struct({ ...CustomerBody.fields, ...merchantFields }).annotate({
  identifier: "MerchantCustomer"
})
export type MerchantCustomerBody = typeof MerchantCustomerBody.Type

export const LedgerAccountBody = Schema.Struct({
  account: Schema.String.annotate({ examples: ["available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3", "fees"] }),
  class: Schema.String,
  /** Null for an account of the platform itself. */
  merchant_id: Schema.NullOr(Schema.String),
  currency: Schema.String,
  balance: amountBody
}).annotate({ identifier: "LedgerAccount" })
export type LedgerAccountBody = typeof LedgerAccountBody.Type
