/** What a provider's report says about a movement that does not accept it (EXCEPTION-1, EXCEPTION-5, OUTCOME-8). */
import { Effect } from "effect"
import { commandName } from "../../../machines/kernel/payout.ts"
import type { Kind } from "../../commit/kind.ts"
import { jobId } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Ids } from "../../ports/Ids.ts"
import { isAnothers, type MovementEvent } from "../../ports/Provider.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { outcomesOf } from "../../commit/reported-outcomes.ts"
import { minorOf } from "../../input/amounts.ts"
import { anotherExecution, exposeOnce, exposureOf, exposureOfPayment } from "./contradictions.ts"
import { anotherAmount, maxReturnOf } from "./discrepancies.ts"
import { returningOutcomes } from "./exception.ts"
import {
  anotherReturn,
  cameOf,
  isToldInParts,
  type LaterReport,
  laterParts,
  readRecordedReturn
} from "./returned-parts.ts"

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
  return isToldInParts(known) ? { changes: [] } : undefined
})

/**
 * What a success says of money that was paid, and has come back since then: it has left again. It may be the first success told once more:
 * nobody can tell the two apart, so that what came back is at risk, wherever it is now. Undefined: it did not come back.
 */
const successAfterReturn = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent
): Effect.fn.Return<LaterReport | undefined, StorageFault, Storage> {
  const command_id = jobId(row.id, commandName)
  const wasPaid = outcomesOf(row).some((one) => one.command_id === command_id && one.outcome === "success")
  const sent = event.outcome === "success" && wasPaid ? maxReturnOf(kind, row) : undefined
  if (sent === undefined) return undefined
  const known = yield* readRecordedReturn(yield* Storage, row, command_id, returningOutcomes, sent)
  if (known === undefined) return undefined
  return {
    changes: [],
    about: { reason: "contradicts_state", exposure: { ...sent, amount: cameOf(known, sent).toString() } }
  }
})

/** What a report leads to that its movement does not accept. Without anything: it repeats what is known. */
export const movementReport = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent,
  provider: string,
  at: number
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  return yield* exposeOnce(yield* Storage, row, event, provider, yield* movementNews(kind, row, event, provider, at))
})

const movementNews = Effect.fnUntraced(function* (
  kind: Kind,
  row: Row,
  event: MovementEvent,
  provider: string,
  at: number
): Effect.fn.Return<LaterReport, StorageFault, Ids | Storage> {
  const isOurs = !isAnothers(row, provider)
  const exposure = exposureOf(kind, row, event, provider)
  const again = isOurs
    ? ((yield* laterReturnOf(kind, row, event, at)) ?? (yield* successAfterReturn(kind, row, event)))
    : undefined
  if (again !== undefined) return again
  if (isOurs && repeatsState(kind, row, event)) {
    const second = anotherExecution(row, jobId(row.id, commandName), event)
    if (second !== undefined) {
      const made = exposureOfPayment(kind, row, event)
      return { changes: [], about: { ...second, severity: "high", ...(made === undefined ? {} : { exposure: made }) } }
    }
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
