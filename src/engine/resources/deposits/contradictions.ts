/**
 * What a provider's report that contradicts a movement puts at risk (EXCEPTION-5): money that may have left twice, and money that a
 * customer was told had arrived.
 */
import { Effect } from "effect"
import type { ExceptionData, Exposure } from "../../../machines/deposits/exception.ts"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import { commandName, type Differing, hasRefundFailed } from "../../../machines/kernel/payout.ts"
import { isPaidDirectly, type OnrampData } from "../../../machines/movements/onramp.ts"
import type { Kind } from "../../commit/kind.ts"
import { makeReport, type OutcomeReport, listReports } from "../../commit/reported-outcomes.ts"
import { jobId } from "../../commit/steps.ts"
import { toMinorOrNull } from "../../input/amounts.ts"
import { displayAmount } from "../../reference/currencies.ts"
import type { Ids } from "../../ports/Ids.ts"
import { isAnothers, type MovementEvent, payinProviderOf, type RefundReport } from "../../ports/Provider.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { findAnotherAmount, findExpectedAmount, findMaxReturn } from "./discrepancies.ts"
import { type ExceptionDetails, ExceptionKind, returningOutcomes } from "./exception.ts"
import {
  findAnotherReturn,
  countReturned,
  isReportedInParts,
  findLaterParts,
  type LaterReport,
  readRecordedReturn
} from "./returned-parts.ts"

/** Finds the amount that a success pays out or exchanges, in minor units. Of an onramp without funds: the quoted amount. */
const findExposure = (kind: Kind, row: Row): Exposure | undefined => {
  const { destination_currency, quoted } = row.data as Partial<OnrampData>
  const payout = kind.payout?.(row, "")
  const conversion = payout === undefined ? kind.conversion?.(row, "") : undefined
  const { amount, currency } = payout ?? {
    amount: conversion?.source_amount ?? "",
    currency: conversion?.source_currency ?? ""
  }
  const minor = toMinorOrNull({ amount, currency })
  if (minor !== null && minor !== "0") return { amount: minor, currency }
  return kind.kind === OnrampKind.kind && quoted !== undefined && destination_currency !== undefined
    ? { amount: quoted.received_amount, currency: destination_currency }
    : undefined
}

/** Finds the amount that the event states, in the currency of the amount due. Undefined: it states no possible amount. */
const findStatedAmount = (event: MovementEvent, due: Exposure): bigint | undefined => {
  const { amount, currency } = makeReport(event)
  if (amount === null || (currency !== null && currency !== due.currency)) return undefined
  const minor = toMinorOrNull({ amount, currency: due.currency })
  return minor === null || minor === "0" ? undefined : BigInt(minor)
}

/** Computes the exposure of a payment or exchange that may have been made twice. */
const toPaymentExposure = (kind: Kind, row: Row, event: MovementEvent): Exposure | undefined => {
  const due = findExposure(kind, row)
  const stated = due === undefined || kind.payout === undefined ? undefined : findStatedAmount(event, due)
  return due === undefined ? undefined : toExposure(stated ?? BigInt(due.amount), due)
}

/**
 * Whether the payer of a funded onramp gets the money back from the platform, or it is in suspense: the onramp has ended, or is being
 * refunded, without its provider having sent back what it was given.
 */
const isGivenBack = (row: Row<OnrampData>): boolean => {
  const { data, id, state, status } = row
  const isSentBack = listReports(row).some(
    ({ command_id, outcome }) => command_id === jobId(id, commandName) && returningOutcomes.has(outcome)
  )
  const isGone = state === "refunding" || status === "failed" || (status === "returned" && !isSentBack)
  return data.funded_amount !== null && isGone
}

/** Whether a report says that the payer of an onramp has the money, which the payer has or gets from us, or which another provider has. */
const isPaidBackTwice = (kind: Kind, row: Row, provider: string): boolean => {
  if (kind.kind !== OnrampKind.kind || isAnothers(row, provider, payinProviderOf)) return false
  const onramp = row as Row<OnrampData>
  return isPaidDirectly(onramp.data) ? isGivenBack(onramp) : onramp.data.funded_amount !== null
}

const toExposure = (amount: bigint, { currency }: Exposure): Exposure | undefined =>
  amount > 0n ? { amount: amount.toString(), currency } : undefined

/**
 * Finds what may be lost if a report that a movement does not accept is true. Undefined: nothing.
 * - `success`: the money left, and the customer has it too, or another provider pays it out. Once a success was recorded, another one adds
 *   nothing, unless the money came back since.
 * - `returned`, `reversed`: the money left and came back; the part that is missing is at risk. After a success that cannot be corrected,
 *   the customer was told of a success that did not last. The money of an onramp went to its payer, who also has it from us, or it is in
 *   suspense, or another provider has it.
 * - `failed`, `cancelled`, after a success: the same. `refund_failed`: the provider keeps money that the customer has, or that its payer
 *   gets from another one.
 * - `temporarily_unavailable`: it says nothing about money.
 */
const findPaymentExposure = (kind: Kind, row: Row, event: MovementEvent, provider: string): Exposure | undefined => {
  const due = findExposure(kind, row)
  if (due === undefined) return undefined
  // A conversion states what it gave in another currency than what it took.
  const isExchanged = kind.payout === undefined && event.outcome === "success"
  const stated = isExchanged ? undefined : findStatedAmount(event, due)
  const isForeign = isAnothers(row, provider)
  const isPaid = !isForeign && row.status === "success"
  const { discrepancy = null } = row.data as Differing
  const paid = BigInt(isPaid && discrepancy?.currency === due.currency ? discrepancy.reported : due.amount)
  const isApart = !isPaidDirectly(row.data as OnrampData)
  const isCustomers = row.status === "failed" || row.status === "returned" || row.status === "success"
  const isLeaving = isCustomers || (isApart && row.state === "refunding")
  switch (event.outcome) {
    case "success": {
      // A refund that succeeded is recorded too, and says nothing of the payment.
      const command = jobId(row.id, commandName)
      const isKnown =
        !isForeign &&
        listReports(row).some(({ command_id, outcome }) => outcome === "success" && command_id === command)
      return isKnown || isPaid ? undefined : toExposure(stated ?? paid, due)
    }
    case "returned":
    case "reversed":
      if (isPaid) return kind.kind === "transfer" ? undefined : toExposure(paid, due)
      if (isPaidBackTwice(kind, row, provider)) return toExposure(stated ?? paid, due)
      return isForeign || isApart || row.status === "failed" ? toExposure(paid - (stated ?? paid), due) : undefined
    case "failed":
    case "cancelled":
      return isPaid ? toExposure(paid, due) : undefined
    case "refund_failed":
      return isForeign || isLeaving ? toExposure(paid, due) : undefined
    case "temporarily_unavailable":
      return undefined
  }
}

type About = NonNullable<LaterReport["about"]>

/** Whether two reports name different payments: both references and both transactions differ. A chain may replace a transaction. */
const isAnotherPayment = (
  a: Pick<OutcomeReport, "provider_reference" | "transaction_hash">,
  b: Pick<OutcomeReport, "provider_reference" | "transaction_hash">
): boolean =>
  [
    [a.provider_reference, b.provider_reference],
    [a.transaction_hash, b.transaction_hash]
  ].every(([one, other]) => one !== null && other !== null && one !== other)

/**
 * Compares the payment that a success names with the recorded one, and returns the difference. A different payment may have paid twice
 * (EXCEPTION-5). Undefined: it is the same, or none is recorded.
 */
export const findAnotherExecution = (
  row: Row,
  command_id: string,
  event: MovementEvent | RefundReport
): Pick<ExceptionDetails, "reason" | "recorded"> | undefined => {
  const first = listReports(row).find((one) => one.command_id === command_id && one.outcome === "success")
  if (first === undefined || event.outcome !== "success" || !isAnotherPayment(first, makeReport(event)))
    return undefined
  const { provider_reference, transaction_hash } = first
  return {
    reason: "contradicts_state",
    recorded: { resource_id: row.id, status: row.status, provider_reference, transaction_hash }
  }
}

/** Finds the amount that a report without a figure states, as a decimal string: all of what is due. Null: nothing is due. */
const findWholeAmount = (kind: Kind, row: Row, event: MovementEvent | RefundReport): string | null => {
  if (event._tag === "refund") return kind.refund?.(row, event.command_id ?? "").amount ?? null
  if (!returningOutcomes.has(event.outcome)) return findExpectedAmount(kind, row, event.outcome).amount
  const most = findMaxReturn(kind, row)
  return most === undefined ? null : displayAmount(most.amount, most.currency)
}

const toCanonicalFigures = ({ amount, parts }: OutcomeReport, whole: string | null): string =>
  JSON.stringify([
    parseExactAmount(amount ?? whole ?? "0", 18).toString(),
    (parts ?? []).map((part) => [part.id, parseExactAmount(part.amount, 18).toString()]).sort()
  ])

/** Whether two reports state the same outcome of the same payment. */
const isSameReport = (a: OutcomeReport, b: OutcomeReport, whole: string | null): boolean =>
  a.outcome === b.outcome && !isAnotherPayment(a, b) && toCanonicalFigures(a, whole) === toCanonicalFigures(b, whole)

const exceptionsPage = 100

/** Decides what a report leads to: a repeat under another event id puts nothing more at risk (OUTCOME-10). */
export const omitRepeatedExposure = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  kind: Kind,
  row: Row,
  event: MovementEvent | RefundReport,
  provider: string,
  report: LaterReport
): Effect.fn.Return<LaterReport, StorageFault> {
  const { about } = report
  if (about?.exposure === undefined || about.money !== undefined) return report
  const { exposure, severity: _, ...rest } = about
  const word = makeReport(event)
  const whole = findWholeAmount(kind, row, event)
  const last = isAnothers(row, provider)
    ? undefined
    : listReports(row).findLast(({ command_id }) => command_id === jobId(row.id, commandName))
  // What is missing of a return that counted is in the exception of its amount. A success may be another payment.
  const isReturn = event._tag === "movement" && returningOutcomes.has(event.outcome)
  if (isReturn && last !== undefined && isSameReport(last, word, whole))
    return { ...report, about: { ...rest, detail: "It repeats the latest report, which is recorded." } }
  const query = { merchant_id: row.merchant_id, kinds: [ExceptionKind.kind], index_keys: [`resource_id=${row.id}`] }
  for (let offset = 0; ; offset += exceptionsPage) {
    const { items } = yield* storage.list({ ...query, offset, limit: exceptionsPage })
    const first = (items as ReadonlyArray<Row<ExceptionData>>).find(({ data: e }) => {
      const reported = e.provider_event as Partial<MovementEvent | RefundReport> | null
      return (
        e.provider === provider &&
        e.exposure?.amount === exposure.amount &&
        e.exposure.currency === exposure.currency &&
        reported?._tag === event._tag &&
        isSameReport(makeReport(reported as MovementEvent), word, whole)
      )
    })
    if (first !== undefined)
      return { ...report, about: { ...rest, detail: `It repeats what exception ${first.id} reports.` } satisfies About }
    if (items.length < exceptionsPage) return report
  }
})

/** The details of an exception about a payment or refund that the books do not know. A stated amount is at risk (EXCEPTION-5). */
export const describeUnknownMovement = (event: MovementEvent | RefundReport) => {
  const { amount, currency } = makeReport(event)
  const paid =
    event.outcome === "success" && amount !== null && currency !== null ? toMinorOrNull({ amount, currency }) : null
  return {
    reason: "unknown_resource" as const,
    ...(event.outcome === "success" ? { severity: "high" as const } : {}),
    ...(paid === null || currency === null ? {} : { exposure: { amount: paid, currency } })
  }
}

/**
 * Assesses a report that has no effect: its severity is that of its exception if it had counted, and its money is at risk too, because it
 * is not booked. `books`: it would have booked something.
 */
export const assessSeverity = (
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
const isRepeat = (kind: Kind, { state, status, data }: Row, { outcome }: MovementEvent): boolean => {
  const refundFailed = hasRefundFailed(data)
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

/** Finds what a later report of a return leads to: new parts, or another amount. Undefined: it changes nothing. */
const findLaterReturn = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent,
  at: number
): Effect.fn.Return<LaterReport | undefined, StorageFault, Ids | Storage> {
  const sent = returningOutcomes.has(event.outcome) ? findMaxReturn(kind, row) : undefined
  if (sent === undefined) return undefined
  const command_id = jobId(row.id, commandName)
  const known = yield* readRecordedReturn(yield* Storage, row, command_id, returningOutcomes, sent)
  if (known === undefined) return undefined
  // What the payer of a movement paid, in minor units: a return may bring all of it, with what the provider had charged.
  const minor = kind.refund === undefined ? null : toMinorOrNull(kind.refund(row, ""))
  const paid = minor === null ? undefined : BigInt(minor)
  if (event.parts) return yield* findLaterParts(row, sent, known, event, at, paid)
  const about = findAnotherReturn(row, sent, known, event, paid)
  if (about !== undefined) return { changes: [], about }
  return isReportedInParts(known) ? { changes: [] } : undefined
})

/**
 * Reports a success for money that was paid and has come back since: it may have left again. It may also be a repeat of the first success,
 * which cannot be told apart, so what came back is at risk, wherever it is now. Undefined: no money came back.
 */
const reportSuccessAfterReturn = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent
): Effect.fn.Return<LaterReport | undefined, StorageFault, Storage> {
  const command_id = jobId(row.id, commandName)
  const wasPaid = listReports(row).some((one) => one.command_id === command_id && one.outcome === "success")
  const sent = event.outcome === "success" && wasPaid ? findMaxReturn(kind, row) : undefined
  if (sent === undefined) return undefined
  const known = yield* readRecordedReturn(yield* Storage, row, command_id, returningOutcomes, sent)
  if (known === undefined) return undefined
  return {
    changes: [],
    about: { reason: "contradicts_state", exposure: { ...sent, amount: countReturned(known, sent).toString() } }
  }
})

/** Decides what follows from a report that its movement does not accept. An empty result: it repeats what is known. */
export const assessReport = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent,
  provider: string,
  at: number
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  return yield* omitRepeatedExposure(
    yield* Storage,
    kind,
    row,
    event,
    provider,
    yield* assessNewReport(kind, row, event, provider, at)
  )
})

const assessNewReport = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent,
  provider: string,
  at: number
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  const isOurs = !isAnothers(row, provider)
  const exposure = findPaymentExposure(kind, row, event, provider)
  const again = isOurs
    ? ((yield* findLaterReturn(kind, row, event, at)) ?? (yield* reportSuccessAfterReturn(kind, row, event)))
    : undefined
  if (again !== undefined) return again
  if (isOurs && isRepeat(kind, row, event)) {
    const second = findAnotherExecution(row, jobId(row.id, commandName), event)
    if (second !== undefined) {
      const made = toPaymentExposure(kind, row, event)
      return { changes: [], about: { ...second, severity: "high", ...(made === undefined ? {} : { exposure: made }) } }
    }
    const another = findAnotherAmount(kind, row, event)
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
