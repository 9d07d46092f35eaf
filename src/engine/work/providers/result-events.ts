/** The machine events for the results of calls to a provider. */
import { reportOf } from "../../commit/reported-outcomes.ts"
import type { CommandStatus, MovementOutcome, SubmissionResult } from "../../ports/Provider.ts"
import { outcomeEvent } from "./apply-event.ts"

/** The event of an outcome in the result of a call. `unavailable` applies to the latest submission. */
const settledEvent = (outcome: MovementOutcome, attempt: number, at: number) => {
  const event = outcomeEvent(outcome, at)
  return event.type === "provider.unavailable" ? { ...event, attempt } : event
}

const rejectionOf = ({ reason, refundable }: Extract<SubmissionResult, { readonly _tag: "rejected" }>) =>
  reportOf({ outcome: refundable ? "failed" : "refund_failed", reason })

/** The event of a submission's result. `next`: the provider that gets the movement if this one could not take it. */
export const submissionEvent =
  (answer: SubmissionResult, attempt: number, next: { readonly next?: string }) => (at: number) => {
    switch (answer._tag) {
      case "rejected":
        return answer.refundable
          ? ({ type: "provider.failed", at, attempt, reason: answer.reason, report: rejectionOf(answer) } as const)
          : ({ type: "provider.refund_failed", at, attempt, report: rejectionOf(answer) } as const)
      case "settled":
        return settledEvent(answer.outcome, attempt, at)
      case "unavailable":
      case "accepted":
        return { type: "provider.unavailable", at, attempt, ...next } as const
    }
  }

/** The event of a look-up's result. `attempt`: the latest submission. */
export const commandStatusEvent = (commandStatus: CommandStatus, attempt: number) => (at: number) =>
  commandStatus._tag === "settled"
    ? settledEvent(commandStatus.outcome, attempt, at)
    : ({ type: commandStatus._tag === "absent" ? "provider.absent" : "provider.pending", at } as const)
