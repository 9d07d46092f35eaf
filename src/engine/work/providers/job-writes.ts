/** Jobs that are written again after they ran, and the results that they log. */
import { backoff } from "../../../machines/kernel/backoff.ts"
import type { Result } from "effect"
import { submissionGrace } from "../../../machines/kernel/payout.ts"
import { resourceOf } from "../../commit/steps.ts"
import type { CommandStatus, IssueResult, SubmissionResult, VerificationStatus } from "../../ports/Provider.ts"
import type { Job, JobWrite } from "../../ports/Storage.ts"

/** The result of a call, or the fault instead of it. */
export type ProviderResult = Result.Result<
  SubmissionResult | CommandStatus | IssueResult | VerificationStatus,
  { readonly message: string }
>

/** The delay before a call is repeated that certainly had no effect, or that is idempotent. */
export const retryMs = (attempt: number): number => backoff(1000, attempt, 600_000)

/** The result in one word, or the reason why there is none. */
export const describeResult = (result: ProviderResult): string => {
  if (result._tag === "Failure") return result.failure.message.slice(0, 200)
  const answer = result.success
  return answer._tag === "settled" ? answer.outcome.outcome : answer._tag
}

/** Puts back the look-up of a submission that is already under way. */
export const pendingLookup = (job: Job, at: number): JobWrite => {
  const { parked: _, ...body } = job.body
  return dueAgain(job, at + submissionGrace, { ...body, operation: "lookup" })
}

export const dueAgain = (
  { id, queue, partition_key, attempt, created_at, log }: Job,
  due_at: number,
  body: JobWrite["body"]
): JobWrite => ({
  id,
  queue,
  partition_key,
  status: "pending",
  due_at,
  attempt,
  created_at,
  body,
  log
})

/** What a line of the log says about a job. */
export const jobAnnotations = (job: Job) => ({
  job_id: job.id,
  queue: job.queue,
  merchant_id: job.merchant_id,
  resource_id: resourceOf(job)
})
