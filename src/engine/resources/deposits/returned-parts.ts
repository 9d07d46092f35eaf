/**
 * Returns and refunds that come in several parts (OUTCOME-8): each part is booked once, by its id, when it comes. What the first
 * report of a return does not bring is kept by an exception, on which the later parts are booked.
 */
import { Effect } from "effect"
import type { ExceptionData, Exposure, Rest, ReturnedPart } from "../../../machines/deposits/exception.ts"
import { type ChangeSet, type KeyScope, requireVersion, takeUniqueKey } from "../../commit/changeset.ts"
import { hasWrongSum, type OutcomeReport, listReports, makeReport } from "../../commit/reported-outcomes.ts"
import { step } from "../../commit/steps.ts"
import { toMinorOrNull } from "../../input/amounts.ts"
import type { Ids } from "../../ports/Ids.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { MovementOutcome, RefundReport } from "../../ports/Provider.ts"
import { displayAmount } from "../../reference/currencies.ts"
import type { Storage, Row } from "../../ports/Storage.ts"
import { type ExceptionDetails, ExceptionKind } from "./exception.ts"

/** The exception of a return, by the command whose money came back. */
const restScope: KeyScope = { name: "returned_rest", taken: "decide_again" }

/** Registers the exception on which later parts of a return are booked. */
export const keepRest = (command_id: string, exception: string): ChangeSet =>
  takeUniqueKey(restScope, command_id, exception)

/**
 * A return as it was recorded. `total`: what has come of it, in minor units; the sum of `parts`. `whole`: the one part of the first
 * report, while no report has named or divided it. `former`: the part that others have divided since.
 */
export interface RecordedReturn {
  readonly total: bigint
  readonly parts: ReadonlyArray<ReturnedPart>
  readonly whole?: ReturnedPart
  readonly former?: ReturnedPart
  readonly complete: boolean
  readonly exception?: Row<ExceptionData>
}

type Stated = Pick<OutcomeReport, "amount" | "currency" | "parts" | "complete">

const toMinor = (amount: string, { currency }: Exposure): string | null => toMinorOrNull({ amount, currency })

/** Converts the parts of a report to minor units. Without parts: one, without an id. Undefined: one of them cannot be true. */
const toReturnedParts = ({ amount, parts }: Stated, sent: Exposure): ReadonlyArray<ReturnedPart> | undefined => {
  const stated = parts ?? [{ id: "", amount: amount ?? displayAmount(sent.amount, sent.currency) }]
  const found = stated.map((part) => ({ id: part.id, amount: toMinor(part.amount, sent) }))
  return found.every((part): part is ReturnedPart => part.amount !== null) ? found : undefined
}

/** Reads the recorded return of a command's money. `outcomes`: the reports of a return. Undefined: no return is recorded. */
export const readRecordedReturn = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  row: Row,
  command_id: string,
  outcomes: ReadonlySet<string>,
  sent: Exposure
): Effect.fn.Return<RecordedReturn | undefined, StorageFault> {
  const owner = yield* storage.uniqueKeyOwner(row.merchant_id, restScope.name, command_id)
  const [kept] =
    owner === undefined
      ? []
      : yield* storage.get([{ merchant_id: row.merchant_id, kind: ExceptionKind.kind, id: owner }])
  const exception = kept as Row<ExceptionData> | undefined
  const counted = listReports(row).findLast((one) => one.command_id === command_id && outcomes.has(one.outcome))
  const report = counted ?? (exception && makeReport(exception.data.provider_event as MovementOutcome))
  if (report === undefined) return undefined
  const initial = toReturnedParts(report, sent) ?? []
  const rest = exception?.data.rest
  const parts = [...(rest?.first ?? initial), ...(rest?.parts ?? [])]
  const [one] = initial.length === 1 ? initial : []
  return {
    parts,
    ...(one === undefined ? {} : rest?.first === undefined ? { whole: one } : { former: one }),
    total: sumParts(parts),
    complete: report.complete === true || rest?.complete === true,
    ...(exception === undefined ? {} : { exception })
  }
})

type About = Pick<ExceptionDetails, "reason" | "exposure" | "recorded" | "detail" | "money" | "severity">

/** What a later report of a return leads to: parts that are booked, an exception, or both. Empty: the report changes nothing. */
export interface LaterReport {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly about?: About
}

const toMagnitude = (value: bigint): bigint => (value < 0n ? -value : value)

const sumParts = (parts: ReadonlyArray<ReturnedPart>): bigint =>
  parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

/**
 * Makes the function that counts a returned amount: one between the sent amount and the amount that the payer had paid counts as all that
 * was sent. The provider may have given back what it had charged (OUTCOME-5).
 */
const makeReturnCounter = (sent: Exposure, paid?: bigint) => {
  const whole = BigInt(sent.amount)
  return (amount: bigint): bigint => (paid !== undefined && amount >= whole && amount <= paid ? whole : amount)
}

/** Computes the part of a return that has not come yet. */
const countMissing = ({ exception, total }: RecordedReturn, sent: Exposure): bigint => {
  const missing = exception?.data.rest === undefined ? BigInt(sent.amount) - total : BigInt(exception.data.rest.missing)
  return missing < 0n ? 0n : missing
}

/**
 * Decides what a later report of a return with parts leads to. Nothing of it is booked if it contradicts the record: a part with another
 * amount, or more after the last one. Parts above what was sent are booked up to that, as if all had come at once, and what is above is
 * exposed. A part that comes when an operator has decided about the exception is an exception of its own: with its money, or with the
 * exposure where the payer has been paid otherwise.
 *
 * `paid`: the amount that the payer paid, in minor units, if that is more than was sent: the payer may get back what the provider had
 * charged, too.
 */
export const findLaterParts = Effect.fnUntraced(function* (
  row: Row,
  sent: Exposure,
  known: RecordedReturn,
  event: MovementOutcome | RefundReport,
  at: number,
  paid?: bigint
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  const report = makeReport(event as MovementOutcome)
  const recorded = {
    resource_id: row.id,
    amount: displayAmount(known.total, sent.currency),
    currency: sent.currency,
    parts: known.parts
      .filter(({ id }) => id !== "")
      .map(({ amount, id }) => ({ id, amount: displayAmount(amount, sent.currency) }))
  }
  const exposed = (amount: bigint): Pick<About, "exposure"> => ({ exposure: { ...sent, amount: amount.toString() } })
  const contradiction = (reason: About["reason"], amount: bigint, detail: string): LaterReport => ({
    changes: [],
    about: { reason, recorded, detail, ...exposed(amount) }
  })
  const isForeign = report.currency !== null && report.currency !== sent.currency
  const stated = isForeign || hasWrongSum(report) ? undefined : toReturnedParts(report, sent)
  if (stated === undefined) return contradiction("another_amount", BigInt(sent.amount), "A part cannot be true.")
  const { exception, former, whole } = known
  const found = ({ id }: ReturnedPart): ReturnedPart | undefined =>
    known.parts.find((part) => part.id === id) ?? (former?.id === id ? former : undefined)
  const counts = makeReturnCounter(sent, paid)
  // A return that was first told without parts has one, by its amount.
  const unnamed = whole?.id === "" ? whole : undefined
  const named = unnamed && stated.find((part) => counts(BigInt(part.amount)) === counts(BigInt(unnamed.amount)))
  // One part that was told first may be divided later: it is no longer stated, and several that are new are as much.
  const others = stated.filter((part) => found(part) === undefined)
  const isSplit =
    whole !== undefined &&
    named === undefined &&
    !stated.some(({ id }) => id === whole.id) &&
    others.length > 1 &&
    counts(sumParts(others)) === counts(BigInt(whole.amount))
  if (unnamed !== undefined && named === undefined && !isSplit)
    return contradiction("another_amount", BigInt(unnamed.amount), "No part is the one that was recorded.")
  const amountOf = (part: ReturnedPart): string | undefined => (part === named ? part : found(part))?.amount
  const changed = stated.filter((part) => (amountOf(part) ?? part.amount) !== part.amount)
  if (changed.length > 0) {
    const difference = changed.reduce(
      (all, part) => all + toMagnitude(BigInt(part.amount) - BigInt(amountOf(part)!)),
      0n
    )
    return contradiction("another_amount", difference, `Part ${changed[0]!.id} has another amount than before.`)
  }
  const first = isSplit ? others : named && [named]
  const fresh = isSplit ? [] : others.filter((part) => part !== named)
  const brought = sumParts(fresh)
  const isPayers = exception === undefined || exception.data.rest?.way === "payer"
  const most = isPayers && paid !== undefined ? paid : BigInt(sent.amount)
  const total = first === undefined ? known.total : known.total - BigInt(whole!.amount) + sumParts(first)
  // What was above it before is exposed already.
  const excess = (all: bigint): bigint => (all > most ? all - most : 0n)
  const over = excess(total + brought) - excess(total)
  const above =
    over === 0n
      ? undefined
      : contradiction(
          event.outcome === "success" ? "over_refund" : "over_return",
          over,
          "The parts are more than was sent."
        )
  if (brought > 0n && known.complete)
    return above ?? contradiction("another_amount", brought, "No more parts were said to follow.")
  // What comes above it had been charged to the payer, and is booked as the payer's since the first report.
  const missing = countMissing(known, sent)
  const due = brought < missing ? brought : missing
  const news = { type: "part", at, parts: fresh, complete: report.complete === true, ...(first && { first }) } as const
  const next = exception && (yield* step(ExceptionKind, exception, news, at))
  if (next === undefined)
    return due === 0n
      ? (above ?? { changes: exception === undefined ? [] : [requireVersion(exception, exception)] })
      : contradiction("contradicts_state", due, "There is nothing that the part can be booked on.")
  const { payin_id, rest, wallet_id } = exception!.data
  const isBooked = due === 0n || exception!.state === "open" || rest?.way === "losses"
  if (isBooked) return { ...above, changes: [next.changes] }
  const money = { amount: due.toString(), currency: sent.currency, payin_id, wallet_id, booked: false }
  return {
    changes: [next.changes],
    about: {
      reason: "contradicts_state",
      recorded,
      detail: `The part came after exception ${exception!.id} was decided.`,
      severity: "high",
      ...(rest?.way !== "suspense" ? exposed(due + over) : over === 0n ? { money } : { money, ...exposed(over) })
    }
  }
})

/**
 * Compares the amount of a repeated return or refund without parts with the recorded total, and returns the difference; without an amount,
 * it states all that was sent. It may correct the first one, or be a part that the provider does not name: the larger of both is exposed,
 * or all that has come if the amount is impossible. Undefined: the amounts are equal.
 */
export const findAnotherReturn = (
  row: Row,
  sent: Exposure,
  { total }: RecordedReturn,
  { amount, currency }: Pick<RefundReport, "amount" | "currency">,
  paid?: bigint
): About | undefined => {
  const isOurs = (currency ?? sent.currency) === sent.currency
  const minor = !isOurs ? null : (amount ?? null) === null ? sent.amount : toMinor(amount!, sent)
  const counts = makeReturnCounter(sent, paid)
  if (minor !== null && counts(BigInt(minor)) === counts(total)) return undefined
  const stated = BigInt(minor ?? "0")
  const difference = toMagnitude(stated - total)
  const exposure = stated > difference ? stated : difference
  return {
    reason: "another_amount",
    recorded: { resource_id: row.id, amount: displayAmount(total, sent.currency), currency: sent.currency },
    exposure: { ...sent, amount: exposure.toString() }
  }
}

/** Whether the provider reported a return in parts, so that a later report without parts with the same total sums them up. */
export const isReportedInParts = ({ parts }: RecordedReturn): boolean => parts.every(({ id }) => id !== "")

/** The amount that has come back, at most what was sent. */
export const countReturned = ({ total }: RecordedReturn, { amount }: Exposure): bigint =>
  total < BigInt(amount) ? total : BigInt(amount)

/** Makes the missing part of a return, as its exception stores it. */
export const toRest = (way: Rest["way"], missing: bigint | string, currency: string): Rest => ({
  way,
  missing: missing.toString(),
  currency,
  parts: []
})
