/** The `/v1` shape of a transfer (TRANSFER-5). */
import { Schema } from "effect"
import { formatAmount } from "../../../machines/kernel/money.ts"
import type { TransferData } from "../../../machines/movements/transfer.ts"
import { currencyOf } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import {
  amountBody,
  BeneficiaryBody,
  CustomerSummaryBody,
  metadataBody,
  reasonMessage,
  SenderSummaryBody,
  timestampBody,
  WalletSummaryBody
} from "../shared.ts"
import { noFee, type Transacted, transactionCommon } from "./transaction.ts"

export const TransferBody = Schema.Struct({
  id: Schema.String,
  reference: Schema.String,
  status: Schema.Literals(["processing", "success", "failed"]),
  retry_on_failure: Schema.Boolean,
  customer: CustomerSummaryBody,
  wallet: WalletSummaryBody,
  beneficiary: BeneficiaryBody,
  sender: Schema.NullOr(SenderSummaryBody),
  amount: amountBody,
  currency: Schema.String,
  network: Schema.String,
  metadata: metadataBody,
  created_at: timestampBody,
  updated_at: timestampBody,
  transaction_hash: Schema.NullOr(Schema.String),
  failure_reason: Schema.NullOr(Schema.String),
  failure_reason_message: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Transfer" })
export type TransferBody = typeof TransferBody.Type

export const transferBody = ({ id, status, created_at, updated_at, data: t }: Row<TransferData>): TransferBody => ({
  id,
  reference: t.reference,
  status: status as TransferBody["status"],
  retry_on_failure: t.retry_on_failure,
  customer: t.customer,
  wallet: t.wallet,
  beneficiary: t.beneficiary as BeneficiaryBody,
  sender: t.sender ?? null,
  amount: formatAmount(BigInt(t.amount), currencyOf(t.currency)),
  currency: t.currency,
  network: t.network,
  metadata: t.metadata,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
  transaction_hash: t.transaction_hash,
  failure_reason: t.failure_reason,
  failure_reason_message: reasonMessage(t.failure_reason)
})

/** The event object: the body and the time of the terminal status (EVENT-19). */
export const transferEvent = (row: Row<TransferData>): TransferBody & { readonly terminal_at: string | null } => ({
  ...transferBody(row),
  terminal_at: row.status === "processing" ? null : iso(row.updated_at)
})

/** A transfer as a `/v1` transaction. */
export const transferTransaction = (row: Row<TransferData>): Transacted => {
  const { data: t } = row
  const amount = formatAmount(BigInt(t.amount), currencyOf(t.currency))
  const arrived = row.status === "success"
  return {
    ...transactionCommon(row, "transfer", "transfer", row.id),
    reference: t.reference,
    metadata: t.metadata,
    confirmed_at: arrived ? iso(row.updated_at) : null,
    transaction_hash: t.transaction_hash,
    from_wallet_id: t.wallet_id,
    to_wallet_id: null,
    source_amount: amount,
    source_currency: t.currency,
    destination_amount: amount,
    destination_currency: t.currency,
    received_amount: arrived ? formatAmount(BigInt(t.received_amount ?? t.amount), currencyOf(t.currency)) : null,
    fee: noFee,
    parent_transaction_id: null
  }
}
