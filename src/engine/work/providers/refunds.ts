/** The work of a refund: money that is returned to its payer (REFUND-1, REFUND-2, REFUND-7). */
import { Clock, Effect, Result } from "effect"
import { lookupDelay, retryWindow } from "../../../machines/kernel/payout.ts"
import type { Kind } from "../../commit/kind.ts"
import { reportOf } from "../../commit/reported-outcomes.ts"
import type { ProviderFault, StorageFault, Unavailable } from "../../ports/errors.ts"
import type { CommandStatus, Provider, RefundCommand, SubmissionResult } from "../../ports/Provider.ts"
import type { Job, JobWrite, Row } from "../../ports/Storage.ts"
import type { Inbox } from "./Inbox.ts"
import { callsIn, withLogEntry } from "../../reports/progress.ts"
import { called } from "./call-records.ts"
import { refundWord } from "./result-events.ts"
import { retryMs, type ProviderResult } from "./job-writes.ts"
import type { OutgoingCalls } from "./provider-calls.ts"

/** The state of a resource whose money is on its way back. */
const refundingState = "refunding"

/**
 * What is known of a refund after a call. `pending`: the provider has it, or may have it. `unavailable`, `absent`: it is not
 * executed and can be submitted again under its id; only `absent` confirms a rejection.
 */
type Knowledge = "returned" | "failed" | "pending" | "unavailable" | "absent"

const known = (answer: SubmissionResult | CommandStatus): Knowledge => {
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

const answerIn = (result: RefundResult): SubmissionResult | CommandStatus | undefined =>
  result._tag === "Success" ? (result.success as SubmissionResult | CommandStatus) : undefined

const knownFrom = (result: RefundResult): Knowledge => {
  if (result._tag === "withdrawn") return "failed"
  const answer = answerIn(result)
  return answer === undefined ? "pending" : known(answer)
}

/** A rejection of a refund that the provider has refused for as long as it is submitted again. */
const outOfTime: ProviderResult = Result.succeed({
  _tag: "rejected",
  reason: "temporarily_unavailable",
  refundable: true
})

interface Recalled {
  readonly recalled?: true
  readonly recalled_by?: string
  readonly despite_recall?: true
}

/** Whether a refund was decided before its pay-in was recalled. A later decision knows of the recall. */
const isOvertaken = ({ data }: Row): boolean => {
  const { despite_recall, recalled, recalled_by } = data as Recalled
  return (recalled === true || recalled_by !== undefined) && despite_recall !== true
}

/** What a result that ends a refund reports. */
const reportedIn = (result: RefundResult) => {
  const answer = answerIn(result)
  return answer?._tag === "settled"
    ? reportOf(answer.outcome)
    : reportOf({ outcome: "failed", reason: answer?._tag === "rejected" ? answer.reason : null })
}

/** How many look-ups have found no outcome since the refund was last submitted. */
const lookupsOf = ({ body }: Job): number => (typeof body["lookups"] === "number" ? body["lookups"] : 0)

/** When the refund was first refused for now. */
const refusedAt = ({ body }: Job): number | undefined =>
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
}

/**
 * The first attempt submits the refund. Each later one looks it up first, because the outcome of the attempt before may be
 * unknown, and submits it again under the same id only if it is not executed. Then another submission may have arrived late and
 * be the reason for a rejection, so that one more look-up decides. The same look-up ends a refund that is refused for now, a day
 * after the first such refusal. Undefined: it may not be submitted now.
 */
const asked = Effect.fnUntraced(function* ({ calls, command, job, overtaken, provider, stopped }: Asking) {
  let { log } = job
  const make = (
    operation: "refund" | "lookup_refund",
    call: Effect.Effect<SubmissionResult | CommandStatus, ProviderFault>
  ) =>
    Effect.map(called(job, provider, operation, job.attempt, call), ({ record, result }): ProviderResult => {
      log = withLogEntry({ log }, record)
      return result
    })
  const lookedUp = make("lookup_refund", calls.lookupRefund(provider, command))
  if (job.attempt > 1) {
    const found = yield* lookedUp
    if (!mayBeSubmitted.has(knownFrom(found))) return { result: found, lookups: lookupsOf(job) + 1, log }
  }
  if (yield* overtaken) return { result: withdrawn, lookups: 0, log }
  if (yield* stopped) return undefined
  const answer = yield* make("refund", calls.refund(provider, command))
  const now = yield* Clock.currentTimeMillis
  const isOver = now >= (refusedAt(job) ?? now) + retryWindow
  const isRejected = answer._tag === "Success" && answer.success._tag === "rejected"
  const mayEnd = isRejected || (isOver && knownFrom(answer) === "unavailable")
  if (job.attempt <= 1 || !mayEnd) return { result: answer, lookups: 0, log }
  const confirmed = yield* lookedUp
  const isConfirmed = isOver ? mayBeSubmitted.has(knownFrom(confirmed)) : knownFrom(confirmed) === "absent"
  const result = !isConfirmed ? confirmed : isRejected ? answer : outOfTime
  return { result, lookups: 0, log }
})

/**
 * Makes the handler of refund jobs. `complete` is that of the other jobs. `isStopped` says whether nothing
 * may be submitted now; it has then completed the job. `latest` reads the row again.
 */
export const makeRefund = ({
  calls,
  complete,
  inbox,
  isStopped,
  latest
}: {
  readonly calls: OutgoingCalls
  readonly inbox: Inbox["Service"]
  readonly complete: (
    job: Job,
    again?: { readonly after_ms: number; readonly body?: JobWrite["body"] }
  ) => Effect.Effect<unknown, StorageFault>
  readonly isStopped: (
    job: Job,
    kind: Kind,
    row: Row,
    provider: Provider["Service"]
  ) => Effect.Effect<boolean, StorageFault>
  readonly latest: (job: Job, kind: Kind, id: string) => Effect.Effect<Row | undefined, StorageFault>
}) =>
  Effect.fnUntraced(function* (
    job: Job,
    kind: Kind,
    row: Row,
    provider: Provider["Service"]
  ): Effect.fn.Return<unknown, Unavailable> {
    // An event has ended the refund.
    if (row.state !== refundingState) return yield* complete(job)
    const answered = yield* asked({
      calls,
      command: kind.refund!(row, job.id),
      job,
      provider,
      overtaken: Effect.map(latest(job, kind, row.id), (now) => now !== undefined && isOvertaken(now)),
      stopped: isStopped(job, kind, row, provider)
    })
    if (answered === undefined) return
    const { log, lookups, result } = answered
    const { parked: _, ...body } = job.body
    const knowledge = knownFrom(result)
    switch (knowledge) {
      case "pending":
        return yield* complete({ ...job, log }, { after_ms: lookupDelay(lookups), body: { ...body, lookups } })
      case "unavailable":
      case "absent": {
        const refused_at = refusedAt(job) ?? (yield* Clock.currentTimeMillis)
        return yield* complete({ ...job, log }, { after_ms: retryMs(job.attempt), body: { ...body, refused_at } })
      }
      case "returned":
      case "failed": {
        const type = knowledge === "returned" ? "refund.accepted" : "refund.rejected"
        const about = result === withdrawn ? {} : { command_id: job.id, report: reportedIn(result) }
        const source = { lease: { job: job.id, token: job.lease ?? "" }, origin: { calls: callsIn({ log }) } }
        const word = refundWord(provider.name, job, answerIn(result))
        return yield* inbox.handleAnswer(kind, job.merchant_id, row.id, (at) => ({ type, at, ...about }), source, word)
      }
    }
  })
