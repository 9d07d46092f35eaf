/** What a provider's refund events say about a resource, besides the outcome of a refund in progress (REFUND-3 to REFUND-6). */
import { Effect } from "effect"
import { refundNameOf } from "../../../machines/kernel/outcome.ts"
import type { Exposure } from "../../../machines/deposits/exception.ts"
import { formatAmount } from "../../../machines/kernel/money.ts"
import type { AccountId } from "../../../machines/kernel/ledger.ts"
import type { Kind } from "../../commit/kind.ts"
import { outcomesOf } from "../../commit/reported-outcomes.ts"
import { jobId } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { RefundEvent } from "../../ports/Provider.ts"
import type { Row, Storage } from "../../ports/Storage.ts"
import { type ExceptionDetails, returnedScope } from "./exception.ts"
import { currencyOf } from "../../reference/currencies.ts"
import { minorOf } from "../../input/amounts.ts"

interface Refunded {
  readonly refunds?: number
  readonly wallet_id?: string | null
  readonly credit_account?: AccountId | null
}

const refundsOf = ({ data }: Row): number => (data as Refunded).refunds ?? 1

/** The id of the latest refund, and of its job. */
export const latestRefund = (row: Row): string => jobId(row.id, refundNameOf(refundsOf(row)))

/** The refund that an event is about. `unclear`: the event names none, and the resource has had several. */
const subjectOf = (row: Row, { command_id }: RefundEvent): "latest" | "earlier" | "unclear" => {
  if (command_id === undefined || command_id === null) return refundsOf(row) > 1 ? "unclear" : "latest"
  return command_id === latestRefund(row) ? "latest" : "earlier"
}

/** Whether the event says how the resource's latest refund ended. */
export const isOfLatest = (row: Row, event: RefundEvent): boolean => subjectOf(row, event) === "latest"

const outcomes: Readonly<Record<string, RefundEvent["outcome"]>> = {
  "refund.accepted": "success",
  "refund.rejected": "failed",
  "provider.refund_failed": "failed"
}

/** How the latest refund that has ended did. Undefined: none has. */
const recordedOutcome = (storage: Storage["Service"], { id, merchant_id }: Row) =>
  Effect.map(storage.history(merchant_id, id), ({ transitions }) => {
    const last = transitions.findLast(({ resource_id, via }) => resource_id === id && Object.hasOwn(outcomes, via))
    return last === undefined ? undefined : outcomes[last.via]
  })

const amountOf = (kind: Kind, row: Row): Exposure | undefined => {
  const { amount, currency } = kind.refund!(row, latestRefund(row))
  const minor = minorOf({ amount, currency })
  return minor === null || minor === "0" ? undefined : { amount: minor, currency }
}

/** What the payer got of the latest refund: less than was sent, if the provider said so (OUTCOME-7). */
const returnedOf = (row: Row, sent: Exposure): Exposure => {
  const id = latestRefund(row)
  const report = outcomesOf(row).findLast(({ command_id, outcome }) => command_id === id && outcome === "success")
  const { amount = null, currency = null } = report ?? {}
  if (amount === null || (currency ?? sent.currency) !== sent.currency) return sent
  const stated = minorOf({ amount, currency: sent.currency })
  if (stated === null || BigInt(stated) > BigInt(sent.amount)) return sent
  return { ...sent, amount: stated }
}

/** Another amount in a repeated success than the one that counted: both, and the difference. Undefined: it says the same. */
const anotherReturned = (
  row: Row,
  sent: Exposure,
  { amount, currency }: RefundEvent
): Pick<ExceptionDetails, "reason" | "exposure" | "recorded"> | undefined => {
  if (amount === undefined || amount === null) return undefined
  const isSame = currency === undefined || currency === null || currency === sent.currency
  const stated = isSame ? minorOf({ amount, currency: sent.currency }) : null
  const counted = returnedOf(row, sent)
  if (stated === counted.amount) return undefined
  const difference = BigInt(stated ?? "0") - BigInt(counted.amount)
  return {
    reason: "another_amount",
    recorded: {
      resource_id: row.id,
      amount: formatAmount(BigInt(counted.amount), currencyOf(sent.currency)),
      currency: sent.currency
    },
    exposure: { ...sent, amount: (difference < 0n ? -difference : difference).toString() }
  }
}

/**
 * The exception of a refund event that its resource does not accept. Undefined: the event repeats what is recorded, or a
 * look-up will tell what it means.
 *
 * - Money that came back after a success goes to suspense, once. What the payer had not got is in suspense already.
 * - A success after a recorded failure says that money was paid out which is also in suspense.
 */
export const refundException = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  kind: Kind,
  row: Row,
  event: RefundEvent
): Effect.fn.Return<Pick<ExceptionDetails, "reason" | "money" | "exposure" | "recorded"> | undefined, StorageFault> {
  const subject = subjectOf(row, event)
  const isUnderWay = row.state === "refunding"
  if (isUnderWay && subject === "unclear") return undefined
  const recorded = subject === "earlier" ? "failed" : yield* recordedOutcome(storage, row)
  const amount = amountOf(kind, row)
  if (amount === undefined) return { reason: "contradicts_state" }
  // A success of a refund that was never made, or of one whose end is not known.
  if (recorded === undefined)
    return { reason: "contradicts_state", ...(event.outcome === "success" ? { exposure: amount } : {}) }
  if (recorded === event.outcome) return event.outcome === "success" ? anotherReturned(row, amount, event) : undefined
  if (recorded === "failed") return { reason: "contradicts_state", exposure: amount }
  if (subject === "unclear") return { reason: "contradicts_state" }
  if ((yield* storage.uniqueKeyOwner(row.merchant_id, returnedScope.name, row.id)) !== undefined) return undefined
  const { credit_account = null, wallet_id = null } = row.data as Refunded
  const { payin_id } = kind.refund!(row, latestRefund(row))
  return {
    reason: "refund_bounced",
    money: { ...returnedOf(row, amount), payin_id, wallet_id, credit_account, booked: false }
  }
})
