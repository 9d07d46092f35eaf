/**
 * Exceptions of amounts that a provider reports and that differ from what is due (OUTCOME-2 to OUTCOME-5).
 */
import { Effect } from "effect"
import type { ExceptionData, Exposure } from "../../../machines/deposits/exception.ts"
import {
  commandName,
  type Differing as Movement,
  type Discrepancy,
  type OutcomeFigures
} from "../../../machines/kernel/payout.ts"
import { type ChangeSet, type KeyScope, takeUniqueKey } from "../../commit/changeset.ts"
import type { Kind } from "../../commit/kind.ts"
import { hasWrongSum, type OutcomeReport, listReports, makeReport } from "../../commit/reported-outcomes.ts"
import { jobId, step } from "../../commit/steps.ts"
import { type MovementOutcome, payinProviderOf } from "../../ports/Provider.ts"
import { type Json, type Row, type RowWrite, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  type ExceptionDetails,
  ExceptionKind,
  makeExceptionData,
  type ExceptionMoney,
  raiseException
} from "./exception.ts"
import { toMinorOrNull } from "../../input/amounts.ts"
import { keepRest, toRest } from "./returned-parts.ts"

/** The exception with the money of a short settlement, by its movement. */
const shortScope: KeyScope = { name: "short_settlement", taken: "decide_again" }
/** An implausible outcome, by its movement and its words: recorded once, however often look-ups repeat it. */
const implausibleScope: KeyScope = { name: "implausible_amount", taken: "decide_again" }

interface Differing extends Movement {
  readonly provider: string
}

/** Finds the exception of a short settlement whose money is still in suspense. */
const findOpenShortage = Effect.fnUntraced(function* ({ id, merchant_id }: Pick<Row, "id" | "merchant_id">) {
  const storage = yield* Storage
  const owner = yield* storage.uniqueKeyOwner(merchant_id, shortScope.name, id)
  if (owner === undefined) return undefined
  const [row] = yield* storage.get([{ merchant_id, kind: ExceptionKind.kind, id: owner }])
  return row as Row<ExceptionData> | undefined
})

/** The owner of money that is in suspense. */
type Owner = Pick<ExceptionMoney, "payin_id" | "wallet_id">

/** Makes the details of the exception of a difference. `gone`: money of an earlier short settlement that is lost, too. */
const makeDifferenceDetails = (
  row: RowWrite<Differing>,
  found: Discrepancy,
  gone: bigint,
  owner: Owner
): ExceptionDetails => {
  const { amount, currency, expected, reason, reported, suspended, withheld } = found
  // What is in suspense of a return is its payer's.
  const isPayers = reason === "partial_return" && suspended === true
  const provider = (isPayers ? payinProviderOf(row) : undefined) ?? row.data.provider
  const isAtRisk = withheld !== true || reason !== "short_settlement"
  const returns = reason === "partial_return" && amount !== "0"
  return {
    provider,
    reason,
    event: null,
    row,
    recorded: {
      resource_id: row.id,
      expected: displayAmount(expected, currency),
      reported: displayAmount(reported, currency),
      currency,
      withheld: withheld === true
    },
    ...(isAtRisk ? { exposure: { amount: (BigInt(amount) + gone).toString(), currency } } : {}),
    ...(suspended === true ? { money: { amount, currency, ...owner, booked: true } } : {}),
    ...(withheld === true ? { withheld: true } : {}),
    ...(returns ? { rest: toRest(suspended === true ? "payer" : "losses", amount, currency) } : {})
  }
}

/** Describes a return of all that was paid, after money of a short settlement has gone elsewhere. */
const toWholeReturn = ({ currency, expected, reported }: Discrepancy): Discrepancy => ({
  reason: "partial_return",
  amount: "0",
  currency,
  expected,
  reported
})

/**
 * For `Kind.derivedWrites`: records an exception when the amount of an outcome differs from what is due.
 *
 * A return after a short settlement ends the exception of that one: its customer has the whole amount back. When an operator
 * has decided about its money before, that money is part of the exposure of the return.
 */
export const recordDiscrepancies =
  <Data extends Differing>(ownerOf: (data: Data) => Owner): NonNullable<Kind<Data>["derivedWrites"]> =>
  (before, after, at) => {
    const was = before.data.discrepancy ?? null
    const now = after.data.discrepancy ?? null
    const isLoss = after.data.lost !== before.data.lost
    const fresh = JSON.stringify(now) === JSON.stringify(was) ? null : now
    if (fresh === null && !isLoss) return Effect.succeed([])
    return Effect.gen(function* () {
      const isShortBefore = isLoss && was?.reason === "short_settlement"
      const shortage = isShortBefore ? yield* findOpenShortage(after) : undefined
      const reclaimed = shortage && (yield* step(ExceptionKind, shortage, { type: "reclaimed", at }, at))
      const gone = isShortBefore && reclaimed === undefined ? BigInt(was.amount) : 0n
      const ended: ReadonlyArray<ChangeSet> = reclaimed === undefined ? [] : [reclaimed.changes]
      const found = fresh ?? (gone > 0n ? toWholeReturn(was!) : null)
      if (found === null) return ended
      const details = makeDifferenceDetails(after, found, gone, ownerOf(after.data))
      const { changes, id } = yield* raiseException(after.merchant_id, makeExceptionData(details), at)
      const keys = [
        ...(found.reason === "short_settlement" ? [takeUniqueKey(shortScope, after.id, id)] : []),
        ...(details.rest === undefined ? [] : [keepRest(jobId(after.id, commandName), id)])
      ]
      return [...ended, ...changes, ...keys]
    })
  }

/** Finds the amount that an outcome must have, with its currency: the amount due, or the amount given. */
export const findExpectedAmount = (
  kind: Kind,
  row: Row,
  outcome: string
): { readonly amount: string; readonly currency: string } => {
  const payout = kind.payout?.(row, "")
  if (payout !== undefined) return { amount: payout.amount, currency: payout.currency }
  const { destination_amount, destination_currency, source_amount, source_currency } = kind.conversion!(row, "")
  return outcome === "success"
    ? { amount: destination_amount, currency: destination_currency }
    : { amount: source_amount, currency: source_currency }
}

/** Finds the most that a provider can return, in minor units: what it paid, or what it was given. */
export const findMaxReturn = (kind: Kind, row: Row): Exposure | undefined => {
  const due = findExpectedAmount(kind, row, "returned")
  const minor = toMinorOrNull(due)
  const { discrepancy = null } = row.data as Differing
  if (minor === null || minor === "0") return undefined
  if (discrepancy?.reason === "partial_return" || discrepancy?.reason === "over_return")
    return { amount: discrepancy.expected, currency: discrepancy.currency }
  const command_id = jobId(row.id, commandName)
  const success = listReports(row).findLast((one) => one.command_id === command_id && one.outcome === "success")
  const paid =
    kind.payout === undefined || success === undefined || success.amount === null
      ? null
      : toMinorOrNull({ ...due, amount: success.amount })
  return { amount: paid !== null && BigInt(paid) < BigInt(minor) ? paid : minor, currency: due.currency }
}

/** The outcomes whose amounts say what was paid, or came back. The amount of any other is recorded, and nothing else. */
const weighed: ReadonlySet<string> = new Set(["success", "returned", "reversed"])

/**
 * Parses the figures of an outcome to minor units. Undefined: its amount cannot be true (OUTCOME-6). The missing amount of a complete
 * return in parts is the provider's fee (OUTCOME-8).
 */
export const parseFigures = (kind: Kind, row: Row, report: OutcomeReport): OutcomeFigures | undefined => {
  const { amount, complete, currency, fee, fee_currency, outcome } = report
  if (!weighed.has(outcome)) return {}
  if (hasWrongSum(report)) return undefined
  const due = findExpectedAmount(kind, row, outcome)
  if (currency !== null && currency !== due.currency) return undefined
  if (amount === null) return {}
  const minor = toMinorOrNull({ amount, currency: due.currency })
  if (minor === null || minor === "0") return undefined
  const kept = complete === true ? BigInt(findMaxReturn(kind, row)?.amount ?? "0") - BigInt(minor) : 0n
  if (kept > 0n) return { amount: minor, fee: kept.toString() }
  const charged =
    fee === null || (fee_currency ?? due.currency) !== due.currency ? null : toMinorOrNull({ ...due, amount: fee })
  return { amount: minor, ...(charged === null ? {} : { fee: charged }) }
}

/**
 * Records the exception of an outcome whose amount cannot be true: the outcome has no effect, and the provider is asked again. Once for
 * each movement and report.
 */
export const recordImplausible = Effect.fnUntraced(function* (kind: Kind, row: Row, report: OutcomeReport, at: number) {
  const storage = yield* Storage
  const { amount, currency, outcome } = report
  const key = [row.id, outcome, amount, currency].join("/")
  const known = yield* storage.uniqueKeyOwner(row.merchant_id, implausibleScope.name, key)
  if (known !== undefined) return []
  const due = findExpectedAmount(kind, row, outcome)
  const { changes, id } = yield* raiseException(
    row.merchant_id,
    makeExceptionData({
      provider: (row.data as Differing).provider,
      reason: "implausible_amount",
      event: null,
      unreadable: { ...report } as unknown as Json,
      row,
      kind,
      recorded: { resource_id: row.id, status: row.status, ...due },
      ...toExposure(due)
    }),
    at
  )
  return [...changes, takeUniqueKey(implausibleScope, key, id)]
})

const toExposure = (due: {
  readonly amount: string
  readonly currency: string
}): Pick<ExceptionDetails, "exposure"> => {
  const amount = toMinorOrNull(due)
  return amount === null || amount === "0" ? {} : { exposure: { amount, currency: due.currency } }
}

/** `missing`: what the payer did not get of a refund, in minor units. Absent: nothing that another exception keeps. */
interface RefundDifference {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly missing?: string
}

/**
 * Compares a refund's success with its instruction, and records the exception of a difference (OUTCOME-7). What is missing has not left the
 * platform: it is in suspense, and can be refunded.
 */
export const compareRefund = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  command_id: string,
  report: OutcomeReport,
  at: number
) {
  const nothing: RefundDifference = { changes: [] }
  if (report.outcome !== "success" || (report.amount === null && report.currency === null)) return nothing
  const { amount, currency, payin_id } = kind.refund!(row, command_id)
  const due = toMinorOrNull({ amount, currency })
  if (due === null) return nothing
  const isForeign = report.currency !== null && report.currency !== currency
  const stated = isForeign || hasWrongSum(report) ? null : toMinorOrNull({ amount: report.amount ?? amount, currency })
  const about = {
    provider: payinProviderOf(row) ?? "",
    event: null,
    unreadable: { ...report } as unknown as Json,
    row,
    kind,
    recorded: { resource_id: row.id, amount, currency }
  }
  const exposed = (minor: bigint) => ({ exposure: { amount: minor.toString(), currency } })
  const record = (details: ExceptionDetails) =>
    Effect.map(
      raiseException(row.merchant_id, makeExceptionData(details), at),
      ({ changes, id }): RefundDifference => ({
        changes: [...changes, ...(details.rest === undefined ? [] : [keepRest(command_id, id)])],
        ...(details.money === undefined ? {} : { missing: details.money.amount })
      })
    )
  if (stated === null) return yield* record({ ...about, reason: "implausible_amount", ...exposed(BigInt(due)) })
  const missing = BigInt(due) - BigInt(stated)
  if (missing === 0n) return nothing
  if (missing < 0n) return yield* record({ ...about, reason: "over_refund", ...exposed(-missing) })
  const charged =
    report.fee === null || (report.fee_currency ?? currency) !== currency
      ? null
      : toMinorOrNull({ amount: report.fee, currency })
  const isFee = report.complete === true || charged === missing.toString()
  return yield* record({
    ...about,
    reason: "partial_refund",
    money: { amount: missing.toString(), currency, payin_id, wallet_id: null, booked: false },
    rest: toRest("payer", missing, currency),
    ...(isFee ? { withheld: true as const } : exposed(missing))
  })
})

/**
 * Compares a repeated success with the recorded amount, and returns the difference and the record. Undefined: the amounts are equal. The
 * amount of a movement that ended is decided once. An outcome without an amount states the whole amount due.
 */
export const findAnotherAmount = (
  kind: Kind,
  row: Row,
  event: MovementOutcome
): Pick<ExceptionDetails, "reason" | "exposure" | "recorded"> | undefined => {
  const report = makeReport(event)
  const figures = parseFigures(kind, row, report)
  if (figures === undefined || report.outcome !== "success") return undefined
  const due = findExpectedAmount(kind, row, report.outcome)
  const { discrepancy = null } = row.data as Differing
  const amount = figures.amount ?? toMinorOrNull(due)
  const recorded = discrepancy?.reported ?? toMinorOrNull(due)
  if (amount === null || recorded === null || recorded === amount) return undefined
  const difference = BigInt(amount) - BigInt(recorded)
  return {
    reason: "another_amount",
    recorded: {
      resource_id: row.id,
      status: row.status,
      amount: displayAmount(recorded, due.currency),
      currency: due.currency
    },
    exposure: { amount: (difference < 0n ? -difference : difference).toString(), currency: due.currency }
  }
}
