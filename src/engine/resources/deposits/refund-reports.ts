/** What a provider's refund events say about a resource, besides the outcome of a refund in progress (REFUND-3 to REFUND-6). */
import { Effect } from "effect"
import { toRefundName } from "../../../machines/kernel/lifecycle.ts"
import type { Exposure } from "../../../machines/deposits/exception.ts"
import type { AccountId } from "../../../machines/kernel/ledger.ts"
import type { Kind } from "../../commit/kind.ts"
import { makeReport } from "../../commit/reported-outcomes.ts"
import { jobId } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Ids } from "../../ports/Ids.ts"
import type { RefundReport } from "../../ports/Provider.ts"
import type { Row, Storage } from "../../ports/Storage.ts"
import { findAnotherExecution, omitRepeatedExposure } from "./contradictions.ts"
import { type ExceptionDetails, returnedScope } from "./exception.ts"
import { toMinorOrNull } from "../../input/amounts.ts"
import {
  findAnotherReturn,
  countReturned,
  type LaterReport,
  findLaterParts,
  type RecordedReturn,
  readRecordedReturn
} from "./returned-parts.ts"

interface Refunded {
  readonly refunds?: number
  readonly wallet_id?: string | null
  readonly credit_account?: AccountId | null
}

const countRefunds = ({ data }: Row): number => (data as Refunded).refunds ?? 1

export const findLatestRefund = (row: Row): string => jobId(row.id, toRefundName(countRefunds(row)))

/** Finds the refund that an event is about. `unclear`: the event names none, and the resource has had several. */
const findRefund = (row: Row, { command_id }: RefundReport): "latest" | "earlier" | "unclear" => {
  if (command_id === undefined || command_id === null) return countRefunds(row) > 1 ? "unclear" : "latest"
  return command_id === findLatestRefund(row) ? "latest" : "earlier"
}

/** Whether an event is about the resource's latest refund. */
export const isOfLatest = (row: Row, event: RefundReport): boolean => findRefund(row, event) === "latest"

const outcomes: Readonly<Record<string, RefundReport["outcome"]>> = {
  "refund.accepted": "success",
  "refund.rejected": "failed",
  "provider.refund_failed": "failed"
}

/** Reads how the latest refund that has ended did. Undefined: none has ended. */
const readLatestOutcome = (storage: Storage["Service"], { id, merchant_id }: Row) =>
  Effect.map(storage.history(merchant_id, id), ({ transitions }) => {
    const last = transitions.findLast(({ resource_id, via }) => resource_id === id && Object.hasOwn(outcomes, via))
    return last === undefined ? undefined : outcomes[last.via]
  })

const findRefundAmount = (kind: Kind, row: Row): Exposure | undefined => {
  const { amount, currency } = kind.refund!(row, findLatestRefund(row))
  const minor = toMinorOrNull({ amount, currency })
  return minor === null || minor === "0" ? undefined : { amount: minor, currency }
}

const succeeded: ReadonlySet<string> = new Set(["success"])

/** Reads the difference between the latest refund and what its payer got, if the provider stated one (OUTCOME-7, OUTCOME-8). */
const readRefundReturn = (storage: Storage["Service"], row: Row, sent: Exposure) =>
  Effect.map(
    readRecordedReturn(storage, row, findLatestRefund(row), succeeded, sent),
    (known): RecordedReturn => known ?? { total: BigInt(sent.amount), parts: [], complete: false }
  )

/** Assesses a refund event of another provider: after a success, the payer may have the money twice (EXCEPTION-5). */
export const findForeignRefund = (
  kind: Kind,
  row: Row,
  event: RefundReport
): Pick<ExceptionDetails, "reason" | "exposure" | "severity"> => {
  if (event.outcome !== "success") return { reason: "another_provider" }
  const { amount } = makeReport(event)
  const whole = findRefundAmount(kind, row)
  const stated = amount === null || whole === undefined ? null : toMinorOrNull({ amount, currency: whole.currency })
  return {
    reason: "another_provider",
    severity: "high",
    ...(whole === undefined ? {} : { exposure: { ...whole, amount: stated ?? whole.amount } })
  }
}

/**
 * Decides what follows from a refund event that its resource does not accept. An empty result: the event repeats what is recorded, or a
 * look-up will tell what it means.
 * - Money that came back after a success goes to suspense, once. What the payer had not got is in suspense already.
 * - A success after a recorded failure, or after the money came back, says that money was paid out which is also in suspense.
 */
export const assessRefundReport = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  kind: Kind,
  row: Row,
  event: RefundReport,
  at: number,
  provider: string
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  return yield* omitRepeatedExposure(
    storage,
    kind,
    row,
    event,
    provider,
    yield* assessNewRefundReport(storage, kind, row, event, at)
  )
})

const assessNewRefundReport = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  kind: Kind,
  row: Row,
  event: RefundReport,
  at: number
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  const nothing: LaterReport = { changes: [] }
  const only = (about: LaterReport["about"]): LaterReport => (about === undefined ? nothing : { changes: [], about })
  const subject = findRefund(row, event)
  const isUnderWay = row.state === "refunding"
  if (isUnderWay && subject === "unclear") return nothing
  const recorded = subject === "earlier" ? "failed" : yield* readLatestOutcome(storage, row)
  const amount = findRefundAmount(kind, row)
  if (amount === undefined) return only({ reason: "contradicts_state" })
  // A success of a refund that was never made, or of one whose end is not known.
  if (recorded === undefined)
    return only({ reason: "contradicts_state", ...(event.outcome === "success" ? { exposure: amount } : {}) })
  if (recorded === "failed" && event.outcome === "failed") return nothing
  if (recorded === "failed") return only({ reason: "contradicts_state", exposure: amount })
  const known = yield* readRefundReturn(storage, row, amount)
  const hasBounced = (yield* storage.uniqueKeyOwner(row.merchant_id, returnedScope.name, row.id)) !== undefined
  const isKnown = event.parts?.every(({ id }) => known.parts.some((part) => part.id === id)) === true
  const came = { ...amount, amount: countReturned(known, amount).toString() }
  // What had come is in suspense by itself since then, or was paid out from there: told as paid, it may have left twice. A part has an id.
  if (event.outcome === "success" && hasBounced)
    return isKnown ? nothing : only({ reason: "contradicts_state", exposure: event.parts ? amount : came })
  if (event.outcome === "success") {
    const another = findAnotherExecution(row, findLatestRefund(row), event)
    if (another !== undefined) return only({ ...another, exposure: came })
    return event.parts
      ? yield* findLaterParts(row, amount, known, event, at)
      : only(findAnotherReturn(row, amount, known, event))
  }
  if (subject === "unclear") return only({ reason: "contradicts_state" })
  if (hasBounced) return nothing
  const { credit_account = null, wallet_id = null } = row.data as Refunded
  const { payin_id } = kind.refund!(row, findLatestRefund(row))
  return only({
    reason: "refund_bounced",
    money: { ...came, payin_id, wallet_id, credit_account, booked: false }
  })
})
