/** Records of calls to providers: how long each took, and what was answered (TIMELINE-5). */
import { Clock, Effect } from "effect"
import type { ProviderFault } from "../../ports/errors.ts"
import type {
  AwaitedPerson,
  CommandStatus,
  IssueResult,
  SubmissionResult,
  VerificationStatus
} from "../../ports/Provider.ts"
import type { CallRecord, Job } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { logFailure } from "../../settings/ActivityLog.ts"
import { jobAnnotations, describeResult } from "./job-writes.ts"

type Answer = SubmissionResult | CommandStatus | IssueResult | VerificationStatus

const referenceOf = (answer: Answer): string | null =>
  answer._tag === "settled" ? (answer.outcome.provider_reference ?? null) : null

const awaitedPersonOf = (answer: Answer): AwaitedPerson | null =>
  "awaited_person" in answer ? (answer.awaited_person ?? null) : null

/** Makes a call about the command of a job. The latency is real time; `at` is the service's clock. */
export const callProvider = <A extends Answer>(
  job: Job,
  { name: provider }: { readonly name: string },
  operation: CallRecord["operation"],
  attempt: number,
  call: Effect.Effect<A, ProviderFault>
) =>
  Effect.gen(function* () {
    const began = yield* wallNow
    const result = yield* Effect.result(call)
    const latency_ms = Math.max(0, (yield* wallNow) - began)
    const at = yield* Clock.currentTimeMillis
    if (result._tag === "Failure")
      yield* logFailure(`a call to a provider failed: ${result.failure.message}`, {
        ...jobAnnotations(job),
        provider,
        call: operation,
        attempt,
        latency_ms
      })
    const reference = result._tag === "Success" ? referenceOf(result.success) : null
    const awaited_person = result._tag === "Success" ? awaitedPersonOf(result.success) : null
    const record: CallRecord = {
      command: job.id,
      provider,
      operation,
      attempt,
      at,
      latency_ms,
      answer: describeResult(result),
      ...(reference === null ? {} : { reference }),
      ...(awaited_person === null ? {} : { awaited_person })
    }
    return { result, record }
  })
