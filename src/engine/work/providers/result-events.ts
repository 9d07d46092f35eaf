/** The machine events for the results of calls to a provider. */
import { type OutcomeReport, listReports, makeReport } from "../../commit/reported-outcomes.ts"
import { commandName, underWay } from "../../../machines/kernel/payout.ts"
import { jobId, resourceIdOfJob } from "../../commit/steps.ts"
import type {
  CommandStatus,
  MovementEvent,
  MovementOutcome,
  RefundReport,
  SubmissionResult
} from "../../ports/Provider.ts"
import type { Job, Row } from "../../ports/Storage.ts"
import { findLatestRefund } from "../../resources/deposits/refund-reports.ts"
import { toMachineEvent } from "./apply-event.ts"

/** The event of an outcome in the result of a call. `unavailable` applies to the latest submission. */
const toOutcomeEvent = (outcome: MovementOutcome, attempt: number, at: number) => {
  const event = toMachineEvent(outcome, at)
  return event.type === "provider.unavailable" ? { ...event, attempt } : event
}

const makeRejectionReport = ({ reason, refundable }: Extract<SubmissionResult, { readonly _tag: "rejected" }>) =>
  makeReport({ outcome: refundable ? "failed" : "refund_failed", reason })

/** Converts the result of a submission to the event of the machine. `next`: the provider that gets the movement otherwise. */
export const toSubmissionEvent =
  (answer: SubmissionResult, attempt: number, next: { readonly next?: string }) => (at: number) => {
    switch (answer._tag) {
      case "rejected":
        return answer.refundable
          ? ({
              type: "provider.failed",
              at,
              attempt,
              reason: answer.reason,
              report: makeRejectionReport(answer)
            } as const)
          : ({ type: "provider.refund_failed", at, attempt, report: makeRejectionReport(answer) } as const)
      case "settled":
        return toOutcomeEvent(answer.outcome, attempt, at)
      case "unavailable":
      case "accepted":
        return { type: "provider.unavailable", at, attempt, ...next } as const
    }
  }

/** Converts the result of a look-up to the event of the machine. `attempt`: the latest submission. */
export const toCommandStatusEvent = (commandStatus: CommandStatus, attempt: number) => (at: number) =>
  commandStatus._tag === "settled"
    ? toOutcomeEvent(commandStatus.outcome, attempt, at)
    : ({ type: commandStatus._tag === "absent" ? "provider.absent" : "provider.pending", at } as const)

/** What a provider has said in a result, as the event that it could have sent instead (OUTCOME-10). */
export interface ProviderWord {
  readonly provider: string
  readonly event: MovementEvent | RefundReport
  /** Whether it says something of a row that did not accept it: it does not repeat what is recorded, and the row has ended. */
  readonly counts: (row: Row) => boolean
}

const toFiguresKey = ({ amount, currency, parts }: OutcomeReport): string =>
  JSON.stringify([amount, currency, parts ?? null])

/**
 * Whether an outcome of a command is recorded already. A result states the current status of the command, so it is never a second return,
 * as an event may be.
 */
const isRecorded = (row: Row, command_id: string, report: OutcomeReport): boolean =>
  listReports(row).some(
    (one) =>
      one.command_id === command_id &&
      one.outcome === report.outcome &&
      (report.amount === null || toFiguresKey(one) === toFiguresKey(report))
  )

const eventMembers = (job: Job) => ({
  event_id: `${job.id}/${job.attempt}`,
  merchant_id: job.merchant_id,
  resource_id: resourceIdOfJob(job)
})

/** Finds the outcome that the result of a submission or look-up reports. Undefined: none. */
export const toReportedOutcome = (
  provider: string,
  job: Job,
  answer: SubmissionResult | CommandStatus | undefined
): ProviderWord | undefined => {
  if (answer?._tag !== "settled" && answer?._tag !== "rejected") return undefined
  const isRejection = answer._tag === "rejected"
  const stated: MovementOutcome = isRejection
    ? { outcome: answer.refundable ? "failed" : "refund_failed", reason: answer.reason, transaction_hash: null }
    : answer.outcome
  return {
    provider,
    event: { ...stated, _tag: "movement", ...eventMembers(job) },
    counts: (row) => {
      const { attempts, lookups } = row.data as { readonly attempts: number; readonly lookups: number }
      // The submission before may be the reason for a rejection.
      const isProven = !isRejection || (attempts === 1 && lookups === 0)
      return isProven && !underWay.has(row.state) && !isRecorded(row, jobId(row.id, commandName), makeReport(stated))
    }
  }
}

/**
 * Finds the outcome that the result of a refund, or of its look-up, reports. Undefined: none. A rejection is none: the refund may have
 * succeeded before.
 */
export const toRefundOutcome = (
  provider: string,
  job: Job,
  answer: SubmissionResult | CommandStatus | undefined
): ProviderWord | undefined => {
  if (answer?._tag !== "settled" || answer.outcome.outcome === "temporarily_unavailable") return undefined
  const stated = { ...answer.outcome, outcome: answer.outcome.outcome === "success" ? "success" : "failed" } as const
  return {
    provider,
    event: { ...stated, _tag: "refund", command_id: job.id, ...eventMembers(job) },
    counts: (row) =>
      (row.state !== "refunding" || job.id !== findLatestRefund(row)) &&
      !isRecorded(row, job.id, makeReport(answer.outcome))
  }
}
