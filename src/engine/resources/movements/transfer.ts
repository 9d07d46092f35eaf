/** Transfers (TRANSFER-2, MOVEMENT-4). */
import { Context, Effect, Layer, Schema } from "effect"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import type { CryptoDetails } from "../../../machines/parties/summaries.ts"
import { formatAmount } from "../../../machines/kernel/money.ts"
import { noPayout, type PayoutEvent } from "../../../machines/kernel/payout.ts"
import { Transfer, type TransferData } from "../../../machines/movements/transfer.ts"
import type { Call } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import { invalid } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { combineDerivedWrites, type TransactionKind } from "../../commit/kind.ts"
import { Pricing } from "../../ports/Pricing.ts"
import { Routes } from "../../calls/Routes.ts"
import { requireCurrency } from "../../reference/currencies.ts"
import { transferBody, transferEvent, transferTransaction } from "../../representations/movements/transfer.ts"
import { Amount, CurrencyEcho, describe, Id, Metadata, Optional, ReferenceText } from "../../input/schemas.ts"
import { retryOnFailure, sender } from "../../input/members.ts"
import { BeneficiaryKind } from "../parties/beneficiary.ts"
import { CustomerKind, defaultCustomerId } from "../parties/customer.ts"
import { recordDiscrepancies } from "../deposits/discrepancies.ts"
import { refundFailed } from "../deposits/exception.ts"
import {
  type Creation,
  makeCreation,
  releaseLimits,
  makeMovementKind,
  makePayoutAction,
  toPayoutCommand,
  makePayoutQuery,
  toRouteMembers,
  snapshotParties,
  type TakenAndReceived,
  toRecipient
} from "./creation.ts"
import { makeReads } from "../../calls/reads.ts"
import { parseClientAmount, requireInRange, requireSameCurrency } from "../../input/amounts.ts"
import { awaitPrice } from "../../calls/provider-call.ts"
import { requireActive } from "../parties/screening.ts"
import { findSender } from "../parties/sender.ts"
import { WalletKind } from "../wallets/wallet.ts"

/** The amount that a transfer takes, which its recipient receives. */
const toTakenAndReceived = ({ amount, currency }: TransferData): TakenAndReceived => [[amount, currency]]

export const TransferKind: TransactionKind<TransferData, PayoutEvent> = {
  ...makeMovementKind("transfer", toTakenAndReceived, (t) => [
    `wallet_id=${t.wallet_id}`,
    `beneficiary_id=${t.beneficiary_id}`
  ]),
  prefix: "tfr",
  lifecycle: Transfer,
  status: (state) => (state === "success" || state === "failed" ? state : "processing"),
  events: { category: "transfer", object: transferEvent },
  transaction: transferTransaction,
  payout: (row, id) => toPayoutCommand(row, id, toTakenAndReceived(row.data), null),
  controlledAction: makePayoutAction("transfer", "amount", (t) => ({ taken: [t.amount, t.currency] })),
  derivedWrites: combineDerivedWrites(
    refundFailed,
    releaseLimits,
    recordDiscrepancies((t) => ({ payin_id: null, wallet_id: t.wallet_id }))
  )
}

export const CreateTransfer = Schema.Struct({
  wallet_id: describe(Id("wal"), "The wallet to debit."),
  beneficiary_id: describe(
    Id("ben"),
    "The recipient: an active crypto beneficiary in the wallet's currency and on its network."
  ),
  sender_id: sender,
  amount: describe(
    Amount,
    "What the recipient receives, in the wallet's currency, with at most as many decimals as it settles. A transfer has no fee.",
    "25.00"
  ),
  reference: Optional(ReferenceText),
  source_currency: Optional(CurrencyEcho, "If given, it must be the wallet's currency.", "USDC"),
  destination_currency: Optional(CurrencyEcho, "If given, it must be the beneficiary's currency.", "USDC"),
  retry_on_failure: retryOnFailure,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateTransfer" })
export type CreateTransfer = typeof CreateTransfer.Type

export const ListTransfers = makePayoutQuery(["processing", "success", "failed"])

/** Lists the rows to prefetch for a transfer. A merchant's own wallets belong to its default customer. */
export const listPrefetchedParties = (merchant_id: string, { beneficiary_id, wallet_id }: CreateTransfer) =>
  [
    [WalletKind, wallet_id],
    [BeneficiaryKind, beneficiary_id],
    [CustomerKind, defaultCustomerId(merchant_id)]
  ] as const

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, routes: Routes, pricing: Pricing })
type Deps = Effect.Success<typeof makeDeps>

/**
 * Decides a transfer: reserves the amount and pays it out.
 *
 * Errors: `InvalidInput` when wallet, beneficiary, sender, currencies or networks do not match, and for an amount out of range (TRANSFER-3,
 * TRANSFER-4, MOVEMENT-4); `InvalidAmountPrecision`; `NotFound`; `InvalidStatus` for a beneficiary that is not active;
 * `ExternalServiceUnavailable` when the limits of the amount are unavailable.
 */
const decideTransfer = Effect.fnUntraced(function* (
  { pricing, routes, unitOfWork }: Deps,
  { merchant_id }: Call,
  input: CreateTransfer,
  { id, reference, at }: Creation
) {
  const [wallet, beneficiary, defaultCustomer] = yield* unitOfWork.loadAll(
    merchant_id,
    ...listPrefetchedParties(merchant_id, input)
  )
  const w = wallet.data
  const b: BeneficiaryData = beneficiary.data
  const sender = yield* findSender(unitOfWork, merchant_id, input.sender_id, w.customer_id)
  const currency = requireCurrency(w.currency)
  yield* requireSameCurrency("source_currency", input.source_currency, w.currency, "the wallet's currency")
  yield* requireSameCurrency(
    "destination_currency",
    input.destination_currency,
    b.currency,
    "the beneficiary's currency"
  )
  if (b.type !== "crypto")
    return yield* invalid(
      "beneficiary_id",
      `Beneficiary ${beneficiary.id} is a ${b.type} beneficiary. Transfers require a crypto beneficiary.`
    )
  if (b.currency !== w.currency)
    return yield* invalid(
      "beneficiary_id",
      `The beneficiary accepts ${b.currency}, but the wallet holds ${w.currency}. The currencies must match.`
    )
  if (currency.type !== "crypto" || !currency.can_transfer)
    return yield* invalid(
      "wallet_id",
      `${w.currency} cannot be transferred. Transfers require a crypto currency that supports them.`
    )
  const details = b.details as CryptoDetails
  if (details.network !== w.network)
    return yield* invalid(
      "beneficiary_id",
      `The beneficiary is on ${details.network}, but the wallet is on ${w.network}. The networks must match.`
    )
  if (b.customer_id !== w.customer_id && b.customer_id !== defaultCustomer.id)
    return yield* invalid("beneficiary_id", "The beneficiary belongs to a different customer than the wallet.")
  const amount = yield* parseClientAmount("amount", input.amount, currency)
  yield* requireInRange("amount", amount, currency, yield* awaitPrice(pricing.outbound(currency, w.network)))
  const customer =
    w.customer_id === defaultCustomer.id
      ? defaultCustomer
      : yield* unitOfWork.load(CustomerKind, merchant_id, w.customer_id)
  yield* requireActive(beneficiary)
  const parties = snapshotParties(wallet, beneficiary, customer, sender)
  const request = {
    operation: "payout",
    merchant_id,
    currency: w.currency,
    country_code: null,
    network: w.network,
    amount: formatAmount(amount, currency)
  } as const
  const route = yield* routes.requireOrderTo("beneficiary_id", request, toRecipient(parties, w.currency))
  const movement = yield* begin(
    TransferKind,
    { merchant_id, id, customer_id: w.customer_id },
    {
      ...noPayout,
      reference,
      ...parties,
      ...toRouteMembers(route),
      amount: amount.toString(),
      currency: w.currency,
      network: w.network,
      retry_on_failure: input.retry_on_failure ?? false,
      metadata: input.metadata ?? {}
    },
    at
  )
  return { movement, payee: beneficiary }
})

export class Transfers extends Context.Service<Transfers>()("corridor/engine/Transfers", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { create, decision } = yield* makeCreation(
      TransferKind,
      transferBody,
      (call, input: CreateTransfer, creation) => decideTransfer(deps, call, input, creation)
    )
    return { create, decision, ...(yield* makeReads(TransferKind, ListTransfers, transferBody)) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
