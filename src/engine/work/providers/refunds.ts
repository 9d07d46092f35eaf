/** The work of a refund: money that is returned to its payer (REFUND-1, REFUND-2, REFUND-7, REFUND-9). */
import { Clock, Effect, Result } from "effect"
import { isRecalled, type KnownRecall } from "../../../machines/kernel/recall.ts"
import { findLookupDelay, retryWindow, submissionGrace } from "../../../machines/kernel/payout.ts"
import { requireVersion } from "../../commit/changeset.ts"
import type { Kind } from "../../commit/kind.ts"
import { makeReport } from "../../commit/reported-outcomes.ts"
import type { Source } from "../../commit/call.ts"
import type { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { ProviderFault, StorageFault, Unavailable } from "../../ports/errors.ts"
import type { CommandStatus, Provider, RefundCommand, SubmissionResult } from "../../ports/Provider.ts"
import type { Job, JobWrite, Row, Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { listLoggedCalls, addLogEntry } from "../../reports/progress.ts"
import { findLatestRefund } from "../../resources/deposits/refund-reports.ts"
import { keyLifetime } from "../../settings/retention.ts"
import type { Inbox } from "./Inbox.ts"
import { callProvider, makeDueAgain, type OutgoingCalls, type ProviderResult, retryMs } from "./provider-calls.ts"
import { toRefundOutcome } from "./result-events.ts"
import { submissionMs } from "./submissions.ts"

/** The state of a resource whose money is on its way back. */
const refundingState = "refunding"

/**
 * What is known of a refund after a call. `pending`: the provider has it, or may have it. `unavailable`, `absent`: it is not
 * executed and can be submitted again under its id; only `absent` confirms a rejection.
 */
type Knowledge = "returned" | "failed" | "pending" | "unavailable" | "absent"

const toKnowledge = (answer: SubmissionResult | CommandStatus): Knowledge => {
  switch (answer._tag) {
    case "settled": {
      const { outcome } = answer.outcome
      return outcome === "success" ? "returned" : outcome === "temporarily_unavailable" ? "unavailable" : "failed"
    }
    case "rejected":
      return "failed"
    case "accepted":
    case "pending":
      return "pending"
    case "unavailable":
    case "absent":
      return answer._tag
  }
}

const mayBeSubmitted: ReadonlySet<Knowledge> = new Set(["unavailable", "absent"])

/** A refund that is not made, because its pay-in was recalled: its money stays in suspense (REFUND-8). */
const withdrawn = { _tag: "withdrawn" } as const

type RefundResult = ProviderResult | typeof withdrawn

const findAnswer = (result: RefundResult): SubmissionResult | CommandStatus | undefined =>
  result._tag === "Success" ? (result.success as SubmissionResult | CommandStatus) : undefined

/** Assesses what is known of a refund after a call, which may have failed. */
const assessResult = (result: RefundResult): Knowledge => {
  if (result._tag === "withdrawn") return "failed"
  const answer = findAnswer(result)
  return answer === undefined ? "pending" : toKnowledge(answer)
}

/** The reason of a refund that the provider refused for as long as it could be submitted again. */
const outOfTime: ProviderResult = Result.succeed({
  _tag: "rejected",
  reason: "temporarily_unavailable",
  refundable: true
})

interface Recalled extends KnownRecall {
  readonly despite_recall?: true
}

/** Whether a refund was decided before its pay-in was recalled. A later decision knows of the recall. */
const isOvertaken = (row: Row): boolean => {
  const { despite_recall, ...recall } = row.data as Recalled
  return despite_recall !== true && isRecalled(recall)
}

const leaseOf = (job: Job) => ({ job: job.id, token: job.lease ?? "" })

/** The source of writes about the answer to a submission: the lease of its job is over, and each is written once. */
const makeAnswerSource = (job: Job): Source => ({
  deduplicationKey: `answer/${job.id}/${job.attempt}/${job.lease ?? ""}`,
  deduplication_ms: keyLifetime
})

/** The report of a result that ends a refund. */
const findReport = (result: RefundResult) => {
  const answer = findAnswer(result)
  return answer?._tag === "settled"
    ? makeReport(answer.outcome)
    : makeReport({ outcome: "failed", reason: answer?._tag === "rejected" ? answer.reason : null })
}

/** When the provider first answered that the refund could not be executed yet. Undefined: it has not. */
const findFirstRefusal = ({ body }: Job): number | undefined =>
  typeof body["refused_at"] === "number" ? body["refused_at"] : undefined

/** A refund job, and what its provider may be asked for it. */
interface Asking {
  readonly calls: OutgoingCalls
  readonly command: RefundCommand
  readonly job: Job
  readonly provider: Provider["Service"]
  /** Whether its pay-in was recalled since it was decided. */
  readonly overtaken: Effect.Effect<boolean, StorageFault>
  /** Whether nothing may be submitted now. The job is then completed. */
  readonly stopped: Effect.Effect<boolean, StorageFault>
  /** Commits the intent to submit, with this log, unless the refund has ended. Returns whether it may be submitted. */
  readonly begun: (log: Job["log"]) => Effect.Effect<boolean, StorageFault>
}

/** What a call has said of a refund. `begun`: it was submitted, and its job waits for the next look-up. */
interface Asked {
  readonly result: RefundResult
  readonly lookups: number
  readonly log: Job["log"]
  readonly begun: boolean
}

/**
 * Makes the calls of one run of a refund's job.
 *
 * The first attempt submits the refund. Each later one looks it up first, because the outcome of the attempt before may be unknown, and
 * submits it again under the same id only if it is not executed. Then another submission may have arrived late and be the reason for a
 * rejection, so that one more look-up decides. The same look-up ends a refund that is refused for now, a day after the first such refusal.
 * Undefined: it may not be submitted now.
 *
 * Law: each submission has an intent that was committed while the refund was under way, at most {@link submissionMs} before. A result of
 * before says nothing about what has become of the refund since.
 */
const submitOrLookUp = Effect.fnUntraced(function* ({
  begun,
  calls,
  command,
  job,
  overtaken,
  provider,
  stopped
}: Asking): Effect.fn.Return<Asked | undefined, StorageFault> {
  let { log } = job
  const make = (
    operation: "refund" | "lookup_refund",
    call: Effect.Effect<SubmissionResult | CommandStatus, ProviderFault>
  ) =>
    Effect.map(callProvider(job, provider, operation, job.attempt, call), ({ record, result }): ProviderResult => {
      log = addLogEntry({ log }, record)
      return result
    })
  const lookedUp = make("lookup_refund", calls.lookupRefund(provider, command))
  if (job.attempt > 1) {
    const found = yield* lookedUp
    if (!mayBeSubmitted.has(assessResult(found)))
      return {
        result: found,
        lookups: (typeof job.body["lookups"] === "number" ? job.body["lookups"] : 0) + 1,
        log,
        begun: false
      }
  }
  if (yield* overtaken) return { result: withdrawn, lookups: 0, log, begun: false }
  const checked = yield* wallNow
  if (yield* stopped) return undefined
  if (!(yield* begun(log))) return undefined
  // A process that was suspended here may be later than the look-up that decides the outcome.
  if ((yield* wallNow) - checked > submissionMs) return undefined
  const answer = yield* make("refund", calls.refund(provider, command))
  const now = yield* Clock.currentTimeMillis
  const isOver = now >= (findFirstRefusal(job) ?? now) + retryWindow
  const isRejected = answer._tag === "Success" && answer.success._tag === "rejected"
  const mayEnd = isRejected || (isOver && assessResult(answer) === "unavailable")
  if (job.attempt <= 1 || !mayEnd) return { result: answer, lookups: 0, log, begun: true }
  const confirmed = yield* lookedUp
  const isConfirmed = isOver ? mayBeSubmitted.has(assessResult(confirmed)) : assessResult(confirmed) === "absent"
  const result = !isConfirmed ? confirmed : isRejected ? answer : outOfTime
  return { result, lookups: 0, log, begun: true }
})

interface Given {
  readonly calls: OutgoingCalls
  readonly inbox: Inbox["Service"]
  /** Completes the job of a refund, or makes it due again. */
  readonly complete: (
    job: Job,
    again?: { readonly after_ms: number; readonly body?: JobWrite["body"] }
  ) => Effect.Effect<unknown, StorageFault>
  /** Whether nothing may be submitted now; it has then completed the job. */
  readonly isStopped: (
    job: Job,
    kind: Kind,
    row: Row,
    provider: Provider["Service"]
  ) => Effect.Effect<boolean, StorageFault>
  /** Reads the row again. */
  readonly latest: (job: Job, kind: Kind, id: string) => Effect.Effect<Row | undefined, StorageFault>
  readonly storage: Storage["Service"]
  readonly unitOfWork: UnitOfWork["Service"]
}

/**
 * Whether the job belongs to the refund that its resource makes now. An event may have ended that refund, and another may have begun since.
 */
const isUnderWay = (row: Row | undefined, job: Job): row is Row =>
  row?.state === refundingState && findLatestRefund(row) === job.id

/**
 * Commits the intent to submit: the job waits for its look-up, and the commit fails if the refund was ended, withdrawn or taken meanwhile.
 * An overtaken one is looked at again at once.
 */
const commitIntent = (given: Given, job: Job, kind: Kind, row: Row, log: Job["log"]) =>
  Effect.map(
    given.unitOfWork.apply(
      job.merchant_id,
      { lease: leaseOf(job) },
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const now = yield* given.latest(job, kind, row.id)
        if (!isUnderWay(now, job)) return { changes: [], result: false }
        const isToo = isOvertaken(now)
        const { parked: _, ...body } = job.body
        const due_at = at + (isToo ? 0 : submissionGrace)
        const again = makeDueAgain({ ...job, log }, due_at, { ...body, begun_by: job.lease })
        return { changes: [requireVersion(now, now), { jobs: [again] }], result: !isToo }
      })
    ),
    (begun) => begun._tag === "applied" && begun.result
  )

/** Makes the job of a submitted refund due again, unless the refund has ended or another worker asks about it. */
const rescheduleLookup = (
  { latest, storage, unitOfWork }: Given,
  job: Job,
  kind: Kind,
  row: Row,
  again: { readonly after_ms: number; readonly body: JobWrite["body"] }
) =>
  unitOfWork.apply(
    job.merchant_id,
    makeAnswerSource(job),
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const now = yield* latest(job, kind, row.id)
      const left = yield* storage.job(job.merchant_id, job.id)
      const isLeft = left?.body["begun_by"] === job.lease && left?.lease === null
      if (!isUnderWay(now, job) || !isLeft) return { changes: [], result: undefined }
      const jobs = [makeDueAgain(job, at + again.after_ms, again.body)]
      return { changes: [requireVersion(now, now), { jobs }], result: undefined }
    })
  )

/** Makes the handler of refund jobs. */
export const makeRefund = (given: Given) => {
  const { calls, complete, inbox, isStopped, latest } = given
  return Effect.fnUntraced(function* (
    job: Job,
    kind: Kind,
    row: Row,
    provider: Provider["Service"]
  ): Effect.fn.Return<unknown, Unavailable> {
    if (!isUnderWay(row, job)) return yield* complete(job)
    const answered = yield* submitOrLookUp({
      calls,
      command: kind.refund!(row, job.id),
      job,
      provider,
      overtaken: Effect.map(latest(job, kind, row.id), (now) => now !== undefined && isOvertaken(now)),
      stopped: isStopped(job, kind, row, provider),
      begun: (log) => commitIntent(given, job, kind, row, log)
    })
    if (answered === undefined) return
    const { begun, log, lookups, result } = answered
    const { parked: _, begun_by: __, ...body } = job.body
    const wait = (after_ms: number, more: object) => {
      const again = { after_ms, body: { ...body, ...more } }
      return begun ? rescheduleLookup(given, { ...job, log }, kind, row, again) : complete({ ...job, log }, again)
    }
    const knowledge = assessResult(result)
    switch (knowledge) {
      case "pending":
        return yield* wait(findLookupDelay(lookups), { lookups })
      case "unavailable":
      case "absent": {
        const refused_at = findFirstRefusal(job) ?? (yield* Clock.currentTimeMillis)
        return yield* wait(retryMs(job.attempt), { refused_at })
      }
      case "returned":
      case "failed": {
        const type = knowledge === "returned" ? "refund.accepted" : "refund.rejected"
        const about = result === withdrawn ? {} : { command_id: job.id, report: findReport(result) }
        const source = {
          ...(begun ? makeAnswerSource(job) : { lease: leaseOf(job) }),
          origin: { calls: listLoggedCalls({ log }) }
        }
        const word = toRefundOutcome(provider.name, job, findAnswer(result))
        return yield* inbox.handleAnswer(
          kind,
          job.merchant_id,
          row.id,
          (at) => ({ type, at, ...about }),
          source,
          word,
          {
            // What it says is of this refund, and of no later one (REFUND-9).
            accepts: (now) => isUnderWay(now, job),
            readPrecondition: () => Effect.succeed({ changes: [{ cancels: [job.id] }] })
          }
        )
      }
    }
  })
}
