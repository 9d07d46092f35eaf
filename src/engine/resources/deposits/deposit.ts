/** The deposit kind: statuses, index keys and events (DEPOSIT-9). `payin.ts` handles incoming money. */
import { Deposit, type DepositData, type DepositEvent } from "../../../machines/deposits/deposit.ts"
import { feesEarnedBy } from "../../../machines/kernel/exchange.ts"
import { credentialBalance } from "../../../machines/kernel/ledger.ts"
import { endsApprovals } from "../../commit/approval.ts"
import { currencyKeys, exchangeSum } from "../movements/movement-kind.ts"
import { waitingKey } from "../../commit/index-keys.ts"
import { allOf, type TransactionKind } from "../../commit/kind.ts"
import { statementReferenceOf } from "../../input/statement-reference.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { depositEvent, depositTransaction } from "../../representations/deposits/deposit.ts"
import { transactionPrefix } from "../../representations/movements/transaction.ts"
import { recordUnappliedFunds } from "./exception.ts"

const statuses: Readonly<Record<string, string>> = {
  detected: "processing",
  detected_unpriced: "processing",
  waiting: "processing",
  held: "processing",
  refunding: "processing",
  confirmed: "success",
  failed: "failed",
  credited: "confirmed"
}

/** Null: no event. A detected deposit without a price and a deposit made by the platform publish no event. */
const eventStatuses: Readonly<Record<string, string | null>> = {
  detected: "received",
  detected_unpriced: null,
  waiting: "received",
  refunding: "held",
  credited: null
}

/** The status in a deposit's events for a state; null when the state has no event. */
export const depositEventStatus = (state: string): string | null =>
  Object.hasOwn(eventStatuses, state) ? eventStatuses[state]! : state

/** How the deposit is made that an operator forwards the balance of a credential by. */
export const forwardedBy = "forward"

export const DepositKind: TransactionKind<DepositData, DepositEvent> = {
  kind: "deposit",
  prefix: transactionPrefix,
  lifecycle: Deposit,
  status: (state, { exchange }) =>
    state === "detected" && exchange !== undefined ? "received" : (statuses[state] ?? state),
  indexKeys: (d, state) => [
    `state=${state}`,
    ...(state === "detected" && d.exchange !== undefined ? [waitingKey(state)] : []),
    "type=deposit",
    `source_type=${d.source_type}`,
    `wallet_id=${d.wallet_id}`,
    `source_currency=${d.currency}`,
    ...currencyKeys([d.currency, d.exchange?.destination_currency ?? d.currency]),
    ...(d.payin_id === null ? [] : [`payin_id=${d.payin_id}`])
  ],
  searchValues: (d) => ({
    title: d.reference,
    references: [d.reference],
    provider_references: [d.payin_id],
    amounts: [[d.amount, d.currency]]
  }),
  statistics: (d, state) => {
    const { amount, currency: source_currency, exchange, payin_id } = d
    const destination_currency = exchange?.destination_currency ?? source_currency
    const all = { amount, source_currency, destination_currency }
    // One that is converted stays `received`: from then on its conversion is what is open.
    if (payin_id !== null) return { ...all, has_arrived: state === "received" }
    // A forward is no movement of its own, and has earned its fees (FEE-6).
    if (state !== "credited" || exchange === undefined || exchange.price === null) return undefined
    const fees = feesEarnedBy({ ...exchange.price, source_currency, destination_currency }, 0n)
    return { ...all, has_arrived: true, is_counted: false, fees }
  },
  events: { category: "deposit", object: depositEvent, status: depositEventStatus },
  transaction: depositTransaction,
  auditView: ({ data: { amount, currency, failure_reason, hold_reason, wallet_id } }) => ({
    amount: displayAmount(amount, currency),
    currency,
    wallet_id,
    hold_reason,
    failure_reason
  }),
  controlledAction: ({ customer_id, data: d, via }) => {
    const { amount, currency, exchange, wallet_id } = d
    const about = { customer_id, wallet_id, field: "id" }
    if (via === "released") return { ...about, words: ["deposit_release"], sums: [{ taken: [amount, currency] }] }
    if (via !== forwardedBy || exchange === undefined || exchange.price === null) return undefined
    const { destination_currency, price } = exchange
    const quoted = { ...price, quoted_received_amount: price.received_amount }
    return {
      ...about,
      words: ["conversion"],
      sums: [exchangeSum({ ...quoted, source_currency: currency, destination_currency })]
    }
  },
  refund: ({ merchant_id, id: resource_id, data: d }, id) => ({
    id,
    statement_reference: statementReferenceOf(id),
    merchant_id,
    resource_id,
    payin_id: d.payin_id ?? "",
    amount: displayAmount(d.amount, d.currency),
    currency: d.currency
  }),
  derivedWrites: allOf(
    recordUnappliedFunds(({ amount, currency, exchange, payin_id, source_id, wallet_id }) => ({
      amount,
      currency,
      payin_id,
      ...(exchange === undefined ? { wallet_id } : { wallet_id: null, credit_account: credentialBalance(source_id) })
    })),
    endsApprovals((state) => state === "held")
  )
}
