/** The deposit kind: statuses, index keys and events (DEPOSIT-9). `payin.ts` handles incoming money. */
import { Deposit, type DepositData, type DepositEvent, type HoldReason } from "../../../machines/deposits/deposit.ts"
import { findEarnedFees } from "../../../machines/kernel/exchange.ts"
import { credentialBalance } from "../../../machines/kernel/ledger.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import { waitingKey } from "../../commit/index-keys.ts"
import { combineDerivedWrites, type TransactionKind } from "../../commit/kind.ts"
import { deriveStatementReference } from "../../input/statement-reference.ts"
import type { PayinEvent } from "../../ports/Provider.ts"
import type { Row, RowKey } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { depositEvent, depositTransaction } from "../../representations/deposits/deposit.ts"
import { transactionPrefix } from "../../representations/movements/transaction.ts"
import { currencyKeys, toExchangeSum } from "../movements/creation.ts"
import { DepositAddressKind } from "../wallets/deposit-address.ts"
import { WalletCredentialKind } from "../wallets/wallet-credential.ts"
import { recordUnappliedFunds } from "./exception.ts"
import type { Issued } from "./payin-target.ts"

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
export const toDepositEventStatus = (state: string): string | null =>
  Object.hasOwn(eventStatuses, state) ? eventStatuses[state]! : state

/** Whether a deposit that is not credited was announced at a price: it is `received`, as one that has ended. */
const isAnnounced = (state: string, { exchange }: DepositData): boolean =>
  (state === "detected" || state === "waiting") && exchange !== undefined && exchange.price !== null

/** How the deposit is made that an operator forwards the balance of a credential by. */
export const forwardedBy = "forward"

export const DepositKind: TransactionKind<DepositData, DepositEvent> = {
  kind: "deposit",
  prefix: transactionPrefix,
  lifecycle: Deposit,
  status: (state, d) => (isAnnounced(state, d) ? "received" : (statuses[state] ?? state)),
  indexKeys: (d, state) => [
    `state=${state}`,
    ...(isAnnounced(state, d) ? [waitingKey("detected")] : []),
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
    const fees = findEarnedFees({ ...exchange.price, source_currency, destination_currency }, 0n)
    return { ...all, has_arrived: true, is_counted: false, fees }
  },
  events: { category: "deposit", object: depositEvent, status: toDepositEventStatus },
  transaction: depositTransaction,
  auditView: ({ data: { amount, currency, failure_reason, hold_reason, rejection_reason = null, wallet_id } }) => ({
    amount: displayAmount(amount, currency),
    currency,
    wallet_id,
    hold_reason,
    failure_reason: failure_reason ?? rejection_reason
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
      sums: [toExchangeSum({ ...quoted, source_currency: currency, destination_currency })]
    }
  },
  refund: ({ merchant_id, id: resource_id, data: d }, id) => ({
    id,
    statement_reference: deriveStatementReference(id),
    merchant_id,
    resource_id,
    payin_id: d.payin_id ?? "",
    amount: displayAmount(d.amount, d.currency),
    currency: d.currency
  }),
  derivedWrites: combineDerivedWrites(
    recordUnappliedFunds(({ amount, currency, exchange, payin_id, source_id, wallet_id }) => ({
      amount,
      currency,
      payin_id,
      ...(exchange === undefined ? { wallet_id } : { wallet_id: null, credit_account: credentialBalance(source_id) })
    })),
    makeApprovalEnding((state) => state === "held")
  )
}

// The metadata of deposits: the merchant's, of the address or account that the money came to, and the payer's details (DEPOSIT-16).

/** What a provider reports of a payer, and a hold says, as metadata. A merchant's own metadata does not speak for them. */
const reservedKeys = [
  "from_address",
  "sender_name",
  "sender_bank",
  "sender_account_number",
  "narration",
  "hold_reason"
] as const

/** Shows the payer's details as metadata, without those that the provider did not report (DEPOSIT-13, DEPOSIT-14). */
const toPayerMetadata = ({ from_address, narration, sender }: PayinEvent): Readonly<Record<string, string>> => {
  const reported: ReadonlyArray<readonly [(typeof reservedKeys)[number], string | null | undefined]> = [
    ["from_address", from_address],
    ["sender_name", sender?.name],
    ["sender_bank", sender?.bank],
    ["sender_account_number", sender?.account_number],
    ["narration", narration]
  ]
  return Object.fromEntries(reported.filter(([, value]) => (value ?? "").trim() !== "")) as Record<string, string>
}

/** Makes the metadata of a deposit: those of its address or account, and the payer's details. */
export const makeDepositMetadata = (
  issued: Pick<Row<Issued>, "data"> | undefined,
  event?: PayinEvent
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(issued?.data.metadata ?? {}).filter(
      ([key]) => !(reservedKeys as ReadonlyArray<string>).includes(key)
    )
  ),
  ...(event === undefined ? {} : toPayerMetadata(event))
})

// The reasons to hold a deposit (DEPOSIT-10, DEPOSIT-12). A deposit keeps every reason that applied when it was confirmed.
// An approval removes only `tier_limit`; an address that is frozen or disabled by then adds a reason. Unfreezing an address
// does not release its deposits: only the operator releases them, which removes all reasons.

const stopped: Readonly<Record<string, HoldReason>> = { frozen: "payin_frozen", disabled: "payin_disabled" }

/** Lists the reasons to hold money that arrives at an address or account, from its current status. */
export const listBlockingReasons = (source: Pick<Row, "status"> | undefined): ReadonlyArray<HoldReason> => {
  const reason = source === undefined ? undefined : stopped[source.status]
  return reason === undefined ? [] : [reason]
}

/** Finds the key of the address or credential of a deposit. Undefined for a deposit that the platform made. */
export const findDepositSource = ({ data: d, merchant_id }: Row<DepositData>): RowKey | undefined => {
  const kinds = { deposit_address: DepositAddressKind.kind, credential: WalletCredentialKind.kind }
  const kind = (kinds as Readonly<Record<string, string>>)[d.source_type]
  return kind === undefined ? undefined : { merchant_id, kind, id: d.source_id }
}

/** Reads the reasons that a deposit is held for. The merchant sees the first. */
export const holdReasons = ({ hold_reason, hold_reasons }: DepositData): ReadonlyArray<HoldReason> =>
  hold_reasons ?? (hold_reason === null ? [] : [hold_reason])

/** Lists the reasons that a deposit is held for, and those of its address or account in its current status. */
export const listHoldReasons = (d: DepositData, source: Pick<Row, "status"> | undefined): ReadonlyArray<HoldReason> => [
  ...new Set([...holdReasons(d), ...listBlockingReasons(source)])
]
