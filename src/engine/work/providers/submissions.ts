/** The submission of a payout to its provider, between an intent and an answer that are both committed (PAYOUT-1). */
import { Effect } from "effect"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { joinBeside } from "../../commit/attempts.ts"
import type { Kind } from "../../commit/kind.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { type Provider, Providers } from "../../ports/Provider.ts"
import { type CallRecord, type Job, type Lease, type Row, Storage } from "../../ports/Storage.ts"
import { wallNow, withWallTime } from "../../ports/Time.ts"
import { StorageFault, type Unavailable } from "../../ports/errors.ts"
import { answerKey, addLogEntry } from "../../reports/progress.ts"
import { readPayee, toPrecondition } from "../../resources/parties/screening.ts"
import { toDaysMs, keyLifetime, RetentionPolicy } from "../../settings/retention.ts"
import type { Inbox } from "./Inbox.ts"
import type { HeldJob } from "./handover.ts"
import { callProvider, findNextProvider, type OutgoingCalls, makeLookupJob, requireReadable } from "./provider-calls.ts"
import { toReportedOutcome, toSubmissionEvent } from "./result-events.ts"

/** For as long as a failover takes. It ends before the look-up of a submission, and before the lease of a job. */
const insistMs = 30_000

const firstPauseMs = 50
const longestPauseMs = 1_000

/**
 * Repeats work while the store cannot be reached, so that its result is not lost. The caller sees to it that a repeat has no second effect: the work reads again,
 * and its write has a deduplication key or the lease of a job.
 */
const retryUnavailable = <A, E extends Unavailable, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withWallTime((began) => {
    const attempt = (pause_ms: number): Effect.Effect<A, E, R> =>
      Effect.catch(work, (failure) =>
        failure instanceof StorageFault && failure.retryable
          ? withWallTime((now) =>
              now >= began + insistMs
                ? Effect.fail(failure)
                : Effect.andThen(Effect.sleep(pause_ms), () => attempt(Math.min(2 * pause_ms, longestPauseMs)))
            )
          : Effect.fail(failure)
      )
    return attempt(firstPauseMs)
  })

/**
 * The longest time from the check that nothing stops a submission, and so from its committed intent, to the submission.
 * It is well below the delay of the look-up.
 */
export const submissionMs = 20_000

/** `admitted`: when it was last checked that a submission may be made, in wall time; undefined: it may not be made now. */
interface Given {
  readonly admitted: (
    job: Job,
    kind: Kind,
    id: string,
    provider: Provider["Service"]
  ) => Effect.Effect<number | undefined, StorageFault>
  readonly calls: OutgoingCalls
  readonly inbox: Inbox["Service"]
  readonly leaseOf: (job: Job) => Lease
  readonly rowOf: (job: Job, kind: Kind, id: string) => Effect.Effect<Row | undefined, StorageFault>
}

const makeDeps = Effect.fnUntraced(function* (given: Given) {
  const keptMs = toDaysMs((yield* RetentionPolicy).deliveries)
  const [unitOfWork, storage, providers, cipher] = yield* Effect.all([UnitOfWork, Storage, Providers, Cipher])
  return { ...given, unitOfWork, storage, providers, cipher, keptMs }
})
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

/** Reads a payout and its beneficiary. The payout's row is the one that this process wrote with its job, or the stored one. */
const readPayout = Effect.fnUntraced(function* ({ rowOf, storage }: Deps, job: HeldJob, kind: Kind, id: string) {
  const row = job.rows?.find((each) => each.kind === kind.kind && each.id === id) ?? (yield* rowOf(job, kind, id))
  return { row, payee: row === undefined ? undefined : yield* readPayee(storage, row) }
})

/** Stores an answer that leads to no step. Without it the history would only say that there is none. */
const keepAnswer = ({ unitOfWork, keptMs }: Deps, job: Job, record: CallRecord) =>
  Effect.ignore(
    unitOfWork.apply(
      job.merchant_id,
      {
        deduplicationKey: answerKey(record),
        content: JSON.stringify(record),
        ...(keptMs === null ? {} : { deduplication_ms: keptMs })
      },
      Effect.succeed({ changes: [], result: undefined })
    )
  )

/**
 * Finds the row of a payout whose intent this claim has committed, although the result of the commit was lost. The job that waits in its
 * place names the claim, and no other claim can have written it.
 */
const findBegunPayout = Effect.fnUntraced(function* ({ storage, rowOf }: Deps, job: HeldJob, kind: Kind, id: string) {
  const left = yield* storage.job(job.merchant_id, job.id)
  return left?.body["begun_by"] === job.lease ? yield* rowOf(job, kind, id) : undefined
})

const submitCommand = Effect.fnUntraced(function* (
  deps: Deps,
  job: HeldJob,
  kind: Kind,
  id: string,
  provider: Provider["Service"]
): Effect.fn.Return<unknown, Unavailable> {
  const { admitted, calls, inbox, leaseOf, providers, storage } = deps
  // Read together: what the intent is decided from must still be so when it is committed.
  const [checked, payout] = yield* joinBeside(
    admitted(job, kind, id, provider),
    Effect.exit(readPayout(deps, job, kind, id))
  )
  if (checked === undefined) return
  const { payee, row: first } = yield* payout
  if (first !== undefined) yield* requireReadable(deps.cipher, kind, first, job.id)
  const begun = yield* retryUnavailable(
    inbox.handle(
      kind,
      job.merchant_id,
      id,
      (at) => ({ type: "payout.begun", at }),
      {
        lease: leaseOf(job),
        answered: { job: job.id, log: job.log, ...(job.lease === null ? {} : { begun_by: job.lease }) },
        origin: { provider: provider.name }
      },
      (found, at) =>
        found === undefined || kind.lifecycle.hasEnded(found.state, found.machine)
          ? []
          : [{ jobs: [makeLookupJob(job, at)] }],
      {
        first,
        readPrecondition: (found, at) =>
          Effect.map(
            found === first && payee?.isOfCurrent !== false ? Effect.succeed(payee) : readPayee(storage, found),
            (latest) => toPrecondition(latest, at)
          )
      }
    )
  )
  const row = begun.result === "duplicate" ? yield* retryUnavailable(findBegunPayout(deps, job, kind, id)) : begun.row
  if (begun.result === "ignored" || row?.state !== "submitting") return
  // A process that was suspended here may be later than the look-up that decides the outcome, or than a pause.
  if ((yield* wallNow) - checked > submissionMs) return
  const { submit: submitted } = yield* calls.submission(provider, kind, row, job.id)
  const attempt = (row.data as { readonly attempts: number }).attempts
  const { record, result: answer } = yield* callProvider(job, provider, "submit", attempt, submitted)
  if (answer._tag === "Success" && answer.success._tag === "accepted")
    return yield* inbox.accepted(record, keepAnswer(deps, job, record))
  // Without the answer, the money waits for a look-up.
  yield* retryUnavailable(
    inbox.handleAnswer(
      kind,
      job.merchant_id,
      id,
      answer._tag === "Success"
        ? toSubmissionEvent(answer.success, attempt, findNextProvider(providers, kind, row))
        : (at) => ({ type: "provider.unknown", at }),
      {
        deduplicationKey: `answer/${job.id}/${attempt}`,
        deduplication_ms: keyLifetime,
        answered: { job: job.id, log: addLogEntry(job, record) },
        origin: { calls: [record] }
      },
      toReportedOutcome(provider.name, job, answer._tag === "Success" ? answer.success : undefined)
    )
  )
})

/** Makes the handler of the jobs that submit payouts. Where a submission may not be made now, its job is completed. */
export const makeSubmit = (given: Given) =>
  Effect.map(
    makeDeps(given),
    (deps) => (job: HeldJob, kind: Kind, id: string, provider: Provider["Service"]) =>
      submitCommand(deps, job, kind, id, provider)
  )
