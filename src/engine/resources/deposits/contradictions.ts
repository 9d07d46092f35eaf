/**
 * What a provider's report that contradicts a movement puts at risk (EXCEPTION-5): money that may have left twice, and money that a
 * customer was told had arrived.
 */
import { Effect } from "effect"
import type { Exposure } from "../../../machines/deposits/exception.ts"
import { commandName, type Differing } from "../../../machines/kernel/payout.ts"
import type { OnrampData } from "../../../machines/movements/onramp.ts"
import type { Kind } from "../../commit/kind.ts"
import { makeReport, outcomesOf } from "../../commit/reported-outcomes.ts"
import { jobId } from "../../commit/steps.ts"
import { minorOf } from "../../input/amounts.ts"
import type { Ids } from "../../ports/Ids.ts"
import { isAnothers, type MovementEvent, type RefundReport } from "../../ports/Provider.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { anotherAmount, maxReturnOf } from "./discrepancies.ts"
import { type ExceptionDetails, returningOutcomes } from "./exception.ts"
import {
  anotherReturn,
  laterParts,
  type LaterReport,
  readRecordedReturn,
  sumsUpRecordedParts
} from "./returned-parts.ts"

/** What a success pays out, or exchanges, in minor units. Of an onramp without funds: what was quoted. */
const findExposure = (kind: Kind, row: Row): Exposure | undefined => {
  const { destination_currency, quoted } = row.data as Partial<OnrampData>
  const payout = kind.payout?.(row, "")
  const conversion = payout === undefined ? kind.conversion?.(row, "") : undefined
  const { amount, currency } = payout ?? {
    amount: conversion?.source_amount ?? "",
    currency: conversion?.source_currency ?? ""
  }
  const minor = minorOf({ amount, currency })
  if (minor !== null && minor !== "0") return { amount: minor, currency }
  return kind.kind === OnrampKind.kind && quoted !== undefined && destination_currency !== undefined
    ? { amount: quoted.received_amount, currency: destination_currency }
    : undefined
}

/** The amount that the event states, in the currency of what is due. Undefined: it states none that can be true. */
const statedAmountOf = (event: MovementEvent, due: Exposure): bigint | undefined => {
  const { amount, currency } = makeReport(event)
  if (amount === null || (currency !== null && currency !== due.currency)) return undefined
  const minor = minorOf({ amount, currency: due.currency })
  return minor === null || minor === "0" ? undefined : BigInt(minor)
}

/**
 * Whether the payer of a funded onramp gets the money back from us, or it is in suspense: it has ended, or is being refunded, without its
 * provider having sent back what it was given.
 */
const isGivenBack = (row: Row<OnrampData>): boolean => {
  const { data, id, state, status } = row
  const isSentBack = outcomesOf(row).some(
    ({ command_id, outcome }) => command_id === jobId(id, commandName) && returningOutcomes.has(outcome)
  )
  const isGone = state === "refunding" || status === "failed" || (status === "returned" && !isSentBack)
  return data.funded_amount !== null && isGone
}

const toExposure = (amount: bigint, { currency }: Exposure): Exposure | undefined =>
  amount > 0n ? { amount: amount.toString(), currency } : undefined

/**
 * What may be lost if a report that a movement does not accept is true. Undefined: nothing.
 *
 * - `success`: the money left, and the customer has it too, or another provider pays it out. Once a success was recorded, it says
 *   nothing new.
 * - `returned`, `reversed`: the money left and came back; what is missing of it is at risk. After a success that cannot be
 *   corrected, the customer has been told a success that was none. That of an onramp has gone to its payer, who has it from us, too, or
 *   whose money is in suspense.
 * - `failed`, `cancelled`, after a success: the same. `refund_failed`: the provider keeps money that the customer has.
 * - `temporarily_unavailable`: nothing is said about money.
 */
const exposureOf = (kind: Kind, row: Row, event: MovementEvent, provider: string): Exposure | undefined => {
  const due = findExposure(kind, row)
  if (due === undefined) return undefined
  // A conversion states what it gave in another currency than what it took.
  const isExchanged = kind.payout === undefined && event.outcome === "success"
  const stated = isExchanged ? undefined : statedAmountOf(event, due)
  const isForeign = isAnothers(row, provider)
  const isPaid = !isForeign && row.status === "success"
  const { discrepancy = null } = row.data as Differing
  const paid = BigInt(isPaid && discrepancy?.currency === due.currency ? discrepancy.reported : due.amount)
  const isCustomers = row.status === "failed" || row.status === "returned" || row.status === "success"
  switch (event.outcome) {
    case "success": {
      // A refund that succeeded is recorded too, and says nothing of the payment.
      const command = jobId(row.id, commandName)
      const isKnown =
        !isForeign && outcomesOf(row).some(({ command_id, outcome }) => outcome === "success" && command_id === command)
      return isKnown || isPaid ? undefined : toExposure(stated ?? paid, due)
    }
    case "returned":
    case "reversed":
      if (isPaid) return kind.kind === "transfer" ? undefined : toExposure(paid, due)
      if (!isForeign && kind.kind === OnrampKind.kind && isGivenBack(row as Row<OnrampData>))
        return toExposure(stated ?? paid, due)
      return isForeign || row.status === "failed" ? toExposure(paid - (stated ?? paid), due) : undefined
    case "failed":
    case "cancelled":
      return isPaid ? toExposure(paid, due) : undefined
    case "refund_failed":
      return isForeign || isCustomers ? toExposure(paid, due) : undefined
    case "temporarily_unavailable":
      return undefined
  }
}

/** A payment, or a refund, that the books do not know is at risk, if the provider states it (EXCEPTION-5). */
export const describeUnknownMovement = (event: MovementEvent | RefundReport) => {
  const { amount, currency } = makeReport(event)
  const paid =
    event.outcome === "success" && amount !== null && currency !== null ? minorOf({ amount, currency }) : null
  return {
    reason: "unknown_resource" as const,
    ...(event.outcome === "success" ? { severity: "high" as const } : {}),
    ...(paid === null || currency === null ? {} : { exposure: { amount: paid, currency } })
  }
}

/**
 * The severity of a report that counts for nothing: that of its exception if it had counted. Its money is at risk too, because it is
 * not booked. `books`: it would have booked something.
 */
export const atRisk = (
  { exposure, money, severity }: Partial<Pick<ExceptionDetails, "exposure" | "money" | "severity">>,
  books = false
): Pick<ExceptionDetails, "exposure" | "severity"> => {
  const risk = exposure ?? (money && { amount: money.amount, currency: money.currency })
  return {
    ...(risk === undefined ? {} : { exposure: risk }),
    ...(severity === "high" || books ? { severity: "high" } : {})
  }
}

// What a provider's report says about a movement that does not accept it (EXCEPTION-1, EXCEPTION-5, OUTCOME-8).

/** Whether an event repeats the current state, which a look-up or another callback has reported before. */
const repeatsState = (kind: Kind, { state, status, data }: Row, { outcome }: MovementEvent): boolean => {
  const refundFailed = (data as { readonly failure_reason?: string | null }).failure_reason === "refund_failed"
  switch (outcome) {
    case "success":
      return status === "success"
    case "failed":
    case "cancelled":
      // A movement that is being refunded was already rejected.
      return (status === "failed" && !refundFailed) || state === "refunding"
    case "reversed":
      return status === "failed" && !refundFailed && kind.kind === "transfer"
    case "refund_failed":
      return status === "failed" && refundFailed
    case "temporarily_unavailable":
      return state === "waiting"
    case "returned":
      return false
  }
}

/** A later report of a return: new parts, or another amount. Undefined: the report changes nothing. */
const laterReturnOf = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent,
  at: number
): Effect.fn.Return<LaterReport | undefined, StorageFault, Ids | Storage> {
  const sent = returningOutcomes.has(event.outcome) ? maxReturnOf(kind, row) : undefined
  if (sent === undefined) return undefined
  const command_id = jobId(row.id, commandName)
  const known = yield* readRecordedReturn(yield* Storage, row, command_id, returningOutcomes, sent)
  if (known === undefined) return undefined
  // What the payer of a movement paid, in minor units: a return may bring all of it, with what the provider had charged.
  const minor = kind.refund === undefined ? null : minorOf(kind.refund(row, ""))
  const paid = minor === null ? undefined : BigInt(minor)
  if (event.parts) return yield* laterParts(row, sent, known, event, at, paid)
  const about = anotherReturn(row, sent, known, event, paid)
  if (about !== undefined) return { changes: [], about }
  return sumsUpRecordedParts(sent, known, event, paid) ? { changes: [] } : undefined
})

/** What a report leads to that its movement does not accept. Without anything: it repeats what is known. */
export const movementReport = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent,
  provider: string,
  at: number
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  const isOurs = !isAnothers(row, provider)
  const exposure = exposureOf(kind, row, event, provider)
  const again = isOurs ? yield* laterReturnOf(kind, row, event, at) : undefined
  if (again !== undefined) return again
  if (isOurs && repeatsState(kind, row, event)) {
    const another = anotherAmount(kind, row, event)
    if (another !== undefined) return { changes: [], about: another }
    // A reversal of a failed transfer says that money left: what it did not bring back is missing.
    if (event.outcome !== "reversed" || exposure === undefined) return { changes: [] }
  }
  return {
    changes: [],
    about: {
      reason: isOurs ? "contradicts_state" : "another_provider",
      ...(exposure === undefined ? {} : { exposure })
    }
  }
})
