/** Results that the outside world gives in place of the provider. */
import type { CommandStatus, SubmissionResult } from "../../engine/ports/Provider.ts"

export const turnedAway: CommandStatus = {
  _tag: "settled",
  outcome: { outcome: "temporarily_unavailable", reason: null, transaction_hash: null }
}

/** Results of a provider that has the command. */
export const taken: ReadonlySet<string> = new Set(["accepted", "settled"])

export const accepted: SubmissionResult = { _tag: "accepted" }

export const repeated = { _tag: "rejected", reason: "duplicate", refundable: true } as const

export const settleRejection = ({
  refundable,
  reason
}: SubmissionResult & { readonly _tag: "rejected" }): CommandStatus => ({
  _tag: "settled",
  outcome: { outcome: refundable ? "failed" : "refund_failed", reason, transaction_hash: null }
})
