/** The `/v1` shape of a deposit: its transaction (TRANSACTION-1, MOVEMENT-7). */
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import { feeOf } from "../../ports/Pricing.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { displayAmount, displayAmountOrNull } from "../../reference/currencies.ts"
import { Schema } from "effect"
import { Optional } from "../../input/schemas.ts"
import { type FeeBody, fitToSchema, timeOf } from "../members.ts"
import { FundedCredentialBody } from "../wallets/wallet-credential.ts"
import {
  noFee,
  type Transacted,
  TransactionBody,
  transactionBody,
  transactionCommon
} from "../movements/transaction.ts"
import { CustomerSummaryBody, storedCustomer } from "../parties/customer.ts"
import { WalletSummaryBody, storedWallet } from "../wallets/wallet.ts"

/**
 * The currency and the amount that the wallet receives. In the wallet's currency nothing is deducted. In another currency it is the
 * converted amount net of fees, null until the deposit is priced (TRANSACTION-5, TRANSACTION-6, AUTOCONVERT-7).
 */
const readConversion = ({
  amount,
  currency,
  exchange
}: DepositData): { readonly destination: string; readonly received_amount: string | null } =>
  exchange === undefined
    ? { destination: currency, received_amount: displayAmount(amount, currency) }
    : {
        destination: exchange.destination_currency,
        received_amount: displayAmountOrNull(exchange.price?.received_amount ?? null, exchange.destination_currency)
      }

/** The fee of a forward. Its transaction shows the fee, because no conversion does. */
const forwardFee = ({ currency, exchange }: DepositData): FeeBody =>
  exchange === undefined || exchange.price === null
    ? noFee
    : feeOf({ ...exchange.price, source_currency: currency, destination_currency: exchange.destination_currency })

export const depositTransaction = (row: Row<DepositData>): Transacted => {
  const { data: d } = row
  const amount = displayAmount(d.amount, d.currency)
  const { destination, received_amount } = readConversion(d)
  const withheld = row.state === "held" || row.state === "refunding"
  return {
    ...transactionCommon(row, "deposit", d.source_type, d.source_id),
    reference: d.reference,
    metadata: withheld && d.hold_reason !== null ? { ...d.metadata, hold_reason: d.hold_reason } : d.metadata,
    confirmed_at: isoOrNull(d.confirmed_at),
    transaction_hash: d.transaction_hash,
    from_wallet_id: null,
    to_wallet_id: d.wallet_id,
    source_amount: amount,
    source_currency: d.currency,
    destination_amount: received_amount,
    destination_currency: destination,
    quoted_received_amount: received_amount,
    received_amount,
    fee: d.source_type === "deposit_forward" ? forwardFee(d) : noFee,
    parent_transaction_id: d.parent_transaction_id
  }
}

const storedCredential = fitToSchema(FundedCredentialBody)

/** Shows the wallet, customer and credential of a deposit in a currency other than its wallet's. */
const showParties = ({ exchange }: DepositData) =>
  exchange === undefined
    ? {}
    : {
        wallet: storedWallet(exchange.wallet),
        customer: storedCustomer(exchange.customer),
        credential: storedCredential(exchange.credential)
      }

/** `related`: the other transactions with its root. */
export const depositBody = (row: Row<DepositData>, related: ReadonlyArray<Transacted> = []): TransactionBody =>
  transactionBody(depositTransaction(row), related)

export const DepositEventObject = Schema.Struct({
  ...TransactionBody.fields,
  deposit_timestamp: timeOf("When the deposit was observed."),
  wallet: Optional(WalletSummaryBody, "The wallet that is credited. Only if the deposit is in another currency."),
  customer: Optional(CustomerSummaryBody, "The customer of the wallet. Only if the deposit is in another currency."),
  credential: Optional(
    FundedCredentialBody,
    "The credential that was paid to. Only if the deposit is in another currency."
  )
}).annotate({
  identifier: "DepositEventObject",
  description:
    "The transaction of the deposit, as of the event. Its `status` is the transaction's; `event_object_status` is the deposit's."
})

/** The event object of a deposit: its transaction, the time of observation and, across currencies, its parties. */
export const depositEvent = (row: Row<DepositData>) => ({
  ...depositBody(row),
  deposit_timestamp: iso(row.data.observed_at),
  ...showParties(row.data)
})
