/** The `/v1` shape of a transfer (TRANSFER-5). */
import { Schema } from "effect"
import type { TransferData } from "../../../machines/movements/transfer.ts"
import { displayAmount } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { describe } from "../../input/schemas.ts"
import {
  amountOf,
  bodyOf,
  currencyCodeOf,
  failureFields,
  payoutFailureOf,
  flagOf,
  idOf,
  metadataBody,
  networkOf,
  orNull,
  referenceBody,
  terminalAtBody,
  times,
  transactionHashText,
  wordOf
} from "../members.ts"
import { BeneficiaryBody, showStoredBeneficiary } from "../parties/beneficiary.ts"
import { CustomerSummaryBody, storedCustomer } from "../parties/customer.ts"
import { SenderSummaryBody, storedSender } from "../parties/sender.ts"
import { WalletSummaryBody, storedWallet } from "../wallets/wallet.ts"
import { noFee, showPayee, type Transacted, transactionCommon } from "./transaction.ts"

/** The beneficiary of the example. Members that it does not name are those of a beneficiary that was stored before there were any. */
const recipient = {
  id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
  customer_id: "cust_01j9z3k4m5n6p7q8r9s0t1v2w3",
  name: "Harbour Supplies",
  label: null,
  type: "crypto",
  currency: "USDC",
  details: { network: "base", address: "0x52908400098527886E0F7030069857D2E4169EE7", memo: null },
  metadata: {},
  status: "active",
  screening_id: "scr_01j9z3k4m5n6p7q8r9s0t1v2w3",
  merchant_reference: null,
  created_at: "2026-01-30T08:00:00.000Z",
  updated_at: "2026-01-30T08:00:00.000Z"
}

export const TransferBody = Schema.Struct({
  id: idOf("tfr", "The id of the transfer."),
  reference: referenceBody,
  status: wordOf(["processing", "success", "failed"], "Where the transfer stands.", {
    processing: "submitted to the provider, or about to be, or its outcome is not known yet",
    success: "paid out; terminal",
    failed: "not paid out, and the amount is back in the wallet, unless `failure_reason` is `refund_failed`; terminal"
  }),
  retry_on_failure: flagOf("Whether a temporarily unavailable route is tried again, for up to 24 hours.", false),
  customer: CustomerSummaryBody,
  wallet: describe(WalletSummaryBody, "The wallet that is debited."),
  beneficiary: describe(
    BeneficiaryBody,
    "The recipient, as of the creation of the transfer.",
    showStoredBeneficiary(recipient)
  ),
  sender: describe(
    Schema.NullOr(SenderSummaryBody),
    "The sender that the provider is given as the originator. Null: the originator is the customer."
  ),
  amount: amountOf("What leaves the wallet and reaches the recipient, in `currency`. A transfer has no fee.", "25.00"),
  currency: currencyCodeOf("The currency of the wallet and of the beneficiary."),
  network: networkOf("The network that the amount is paid on: the wallet's and the beneficiary's."),
  metadata: metadataBody,
  ...times,
  transaction_hash: orNull(
    transactionHashText("The hash of the payout on its network. Null until the status is `success`.")
  ),
  ...failureFields
}).annotate({ identifier: "Transfer", description: "A payout of crypto from a wallet to a crypto beneficiary." })
export type TransferBody = typeof TransferBody.Type

export const transferBody = bodyOf(TransferBody, ({ data: t }: Row<TransferData>) => ({
  customer: storedCustomer(t.customer),
  wallet: storedWallet(t.wallet),
  beneficiary: showStoredBeneficiary(t.beneficiary),
  sender: t.sender === null ? null : storedSender(t.sender),
  amount: displayAmount(t.amount, t.currency),
  ...payoutFailureOf(t)
}))

export const TransferEventObject = Schema.Struct({ ...TransferBody.fields, terminal_at: terminalAtBody }).annotate({
  identifier: "TransferEventObject",
  description: "The transfer, as of the event."
})

/** The event object: the body and the time of the terminal status (EVENT-19). */
export const transferEvent = (row: Row<TransferData>): typeof TransferEventObject.Type => ({
  ...transferBody(row),
  terminal_at: row.status === "processing" ? null : iso(row.updated_at)
})

export const transferTransaction = (row: Row<TransferData>): Transacted => {
  const { data: t } = row
  const amount = displayAmount(t.amount, t.currency)
  const arrived = row.status === "success"
  return {
    ...transactionCommon(row, "transfer", "transfer", row.id),
    ...showPayee(t),
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
    quoted_received_amount: amount,
    received_amount: arrived ? displayAmount(t.received_amount ?? t.amount, t.currency) : null,
    fee: noFee,
    parent_transaction_id: null
  }
}
