/** The handlers of claimed jobs, by queue. */
import { Clock, Context, Duration, Effect, Layer, type Result } from "effect"
import { confirmTimer } from "../../machines/deposits/deposit.ts"
import { creditTimer } from "../../machines/deposits/exception.ts"
import { submissionGrace } from "../../machines/kernel/payout.ts"
import { type CommandBody, known, type TimerBody } from "../commit/steps.ts"
import { Cipher } from "../ports/Cipher.ts"
import { Deliveries } from "./deliveries.ts"
import { NewerRelease, newerRelease, ProviderFault, type StorageFault, type Unavailable } from "../ports/errors.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import { Ids } from "../ports/Ids.ts"
import { Inbox, outcomeEvent } from "./Inbox.ts"
import type { Kind } from "../commit/kind.ts"
import { Kinds } from "../commit/Kinds.ts"
import { askAgainMs, Parking } from "../commit/Parking.ts"
import { withLogEntry } from "../reports/progress.ts"
import { type SubmissionResult, Provider, type RefundCommand, type CommandStatus } from "../ports/Provider.ts"
import { DepositKind } from "../resources/deposits/deposit.ts"
import { ExceptionKind } from "../resources/deposits/exception.ts"
import { Exceptions } from "../resources/deposits/exceptions.ts"
import { Payins } from "../resources/deposits/payin.ts"
import { keyLifetime } from "../settings/retention.ts"
import { payeeOf } from "../resources/parties/screening.ts"
import { Sandbox } from "../ports/Sandbox.ts"
import { type Job, type JobWrite, type Queue, queueOf, type Row, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"

/** The timeout of a provider call. After it the outcome is unknown. */
const providerTimeoutMs = 30_000

/** The longest time from the committed intent to the submission, well below the delay of the look-up. */
const submissionMs = 20_000

const retryMs = (attempt: number): number => Math.min(1000 * 2 ** Math.min(attempt, 12), 600_000)

/** How long a job of a newer release is left to other nodes before this node claims it again. */
const handBackMs = 1000

/** How long an event of the simulated provider is delayed on a node that has another provider. */
const absentMs = 3_600_000

/** The most commands for this provider that are requeued at once. */
const wakeBatch = 128

/** The delay before an issue command is repeated, in case its result was lost. */
const reissueMs = 3_600_000

export class JobHandlers extends Context.Service<
  JobHandlers,
  {
    /** Runs a claimed job and completes it. For `answered`, see {@link Deliveries}. */
    readonly run: (job: Job, answered?: (isAcknowledged: boolean) => void) => Effect.Effect<void, Unavailable>
    /** Requeues commands that waited for the provider which is configured now. Returns how many. */
    readonly wake: Effect.Effect<number, StorageFault>
  }
>()("corridor/engine/JobHandlers") {
  static readonly layer = Layer.effect(
    JobHandlers,
    Effect.gen(function* () {
      const unitOfWork = yield* UnitOfWork
      const storage = yield* Storage
      const kinds = yield* Kinds
      const inbox = yield* Inbox
      const exceptions = yield* Exceptions
      const payins = yield* Payins
      const provider = yield* Provider
      const cipher = yield* Cipher
      const deliveries = yield* Deliveries
      const parking = yield* Parking
      const sandbox = yield* Effect.serviceOption(Sandbox)
      const ids = yield* Ids

      const leaseOf = (job: Job) => ({ job: job.id, token: job.lease ?? "" })

      /** Moves a command unchanged to another queue. */
      const requeue = (job: Job, queue: Queue) =>
        unitOfWork.apply(
          job.merchant_id,
          { lease: leaseOf(job) },
          Effect.succeed({
            changes: [{ jobs: [dueAgain({ ...job, queue, attempt: job.attempt - 1 }, job.due_at ?? 0, job.body)] }],
            result: undefined
          })
        )

      /** Completes a job without a step: deletes it, or makes it due again. */
      const complete = (job: Job, again?: { readonly after_ms: number; readonly body?: JobWrite["body"] }) =>
        unitOfWork.apply(
          job.merchant_id,
          { lease: leaseOf(job) },
          Effect.map(Clock.currentTimeMillis, (at) => ({
            changes:
              again === undefined ? [] : [{ jobs: [dueAgain(job, at + again.after_ms, again.body ?? job.body)] }],
            result: undefined
          }))
        )

      const kindOf = (name: string): Effect.Effect<Kind, StorageFault> => {
        const kind = kinds.byName.get(name)
        return kind === undefined ? Effect.fail(newerRelease(`the kind ${name}`)) : Effect.succeed(kind)
      }

      const bounded = <A>(call: Effect.Effect<A, ProviderFault>): Effect.Effect<A, ProviderFault> =>
        Effect.timeoutOrElse(call, {
          duration: Duration.millis(providerTimeoutMs),
          orElse: () => Effect.fail(new ProviderFault({ message: `no answer within ${providerTimeoutMs} ms` }))
        })

      const rowOf = Effect.fnUntraced(function* (job: Job, kind: Kind, id: string) {
        const [row] = yield* storage.get([{ merchant_id: job.merchant_id, kind: kind.kind, id }])
        if (row !== undefined) yield* known(kind, row)
        return row
      })

      const isSuspended = (merchant_id: string) =>
        Effect.map(
          storage.get([{ merchant_id, kind: "merchant", id: merchant_id }]),
          ([merchant]) => merchant?.state === "suspended"
        )

      /** A confirmed pay-in continues once its merchant is active (MERCHANT-4). */
      const confirm = Effect.fnUntraced(function* (job: Job, id: string) {
        const { merchant_id } = job
        if (!(yield* isSuspended(merchant_id))) return yield* payins.resume(merchant_id, id, { lease: leaseOf(job) })
        yield* parking.park(job, "merchant_suspended")
        if (!(yield* isSuspended(merchant_id))) yield* parking.wake(merchant_id, "merchant_suspended")
      })

      const fire = (job: Job): Effect.Effect<unknown, Unavailable> => {
        const { kind, id, name } = job.body as unknown as TimerBody
        if (kind === ExceptionKind.kind && name === creditTimer)
          return exceptions.credit(job.merchant_id, id, { lease: leaseOf(job) })
        if (kind === DepositKind.kind && name === confirmTimer) return confirm(job, id)
        return Effect.flatMap(kindOf(kind), (found) =>
          inbox.handle(found, job.merchant_id, id, (at) => ({ type: `timer.${name}`, at }), { lease: leaseOf(job) })
        )
      }

      /** A job's log with the new result appended. */
      const logWith = (job: Job, result: Result.Result<SubmissionResult | CommandStatus | void, ProviderFault>) =>
        Effect.map(Clock.currentTimeMillis, (at) => withLogEntry(job, { at, answer: describeResult(result) }))

      /** A step that needs an unavailable external service is tried again later (DEPOSIT-12). */
      const timer = (job: Job) =>
        Effect.catchTag(fire(job), "ExternalServiceUnavailable", () =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => complete(job, { after_ms: askAgainMs(at - job.created_at) }))
        )

      const submissionEvent = (answer: SubmissionResult, attempt: number) => (at: number) => {
        switch (answer._tag) {
          case "rejected":
            return answer.refundable
              ? ({ type: "provider.failed", at, attempt, reason: answer.reason } as const)
              : ({ type: "provider.refund_failed", at, attempt } as const)
          case "unavailable":
          case "accepted":
            return { type: "provider.unavailable", at, attempt } as const
        }
      }

      /** The command with its id number decrypted, as the provider gets it. */
      const commandOf = Effect.fnUntraced(function* (kind: Kind, row: Row, id: string) {
        const command = kind.payout!(row, id)
        const { originator } = command
        if (originator === null || originator.id_number === null) return command
        return { ...command, originator: { ...originator, id_number: yield* cipher.open(originator.id_number) } }
      })

      /** Whether a payout need not wait any longer: its beneficiary was blocked, so it fails. */
      const isBarred = Effect.fnUntraced(function* (job: Job, kind: Kind, id: string) {
        const row = yield* rowOf(job, kind, id)
        const payee = row === undefined ? undefined : yield* payeeOf(storage, row, 0)
        return payee?.event !== undefined
      })

      /** The obstacle to a merchant's submissions. `unknown`: the provider does not say whether it is ready. */
      const obstacleOf = Effect.fnUntraced(function* (merchant_id: string) {
        const [suspended, isReady] = yield* Effect.all(
          [isSuspended(merchant_id), Effect.orElseSucceed(bounded(provider.ready(merchant_id)), () => undefined)],
          { concurrency: 2 }
        )
        if (suspended) return "merchant_suspended"
        return isReady === undefined ? "unknown" : isReady ? undefined : "provider_not_ready"
      })

      /** Whether a submission may be made now. Otherwise its job waits. */
      const admitted = Effect.fnUntraced(function* (job: Job, kind: Kind, id: string) {
        const obstacle = yield* obstacleOf(job.merchant_id)
        if (obstacle === undefined || (yield* isBarred(job, kind, id))) return true
        if (obstacle === "unknown") {
          const waited_ms = (yield* Clock.currentTimeMillis) - job.created_at
          yield* complete(job, { after_ms: askAgainMs(waited_ms) })
          return false
        }
        yield* parking.park(job, obstacle)
        const isGone = (yield* obstacleOf(job.merchant_id)) !== obstacle || (yield* isBarred(job, kind, id))
        if (isGone) yield* parking.wake(job.merchant_id, obstacle)
        return false
      })

      /** The intent is committed before the provider is called; then only a definite result releases the money. */
      const submit = Effect.fnUntraced(function* (job: Job, kind: Kind, id: string) {
        if (!(yield* admitted(job, kind, id))) return
        const began = yield* wallNow
        const { result, row } = yield* inbox.handle(
          kind,
          job.merchant_id,
          id,
          (at) => ({ type: "payout.begun", at }),
          { lease: leaseOf(job), answered: { job: job.id, log: job.log } },
          (found, at) =>
            found === undefined || kind.lifecycle.hasEnded(found.state, found.machine)
              ? []
              : [{ jobs: [pendingLookup(job, at)] }],
          (found, at) => payeeOf(storage, found, at)
        )
        if (result !== "applied" || row?.state !== "submitting") return
        // A process that was suspended here may be later than the look-up that decides the outcome.
        if ((yield* wallNow) - began > submissionMs) return
        const answer = yield* Effect.result(bounded(provider.submit(yield* commandOf(kind, row, job.id))))
        if (answer._tag === "Success" && answer.success._tag === "accepted") return
        const attempt = (row.data as { readonly attempts: number }).attempts
        const log = yield* logWith(job, answer)
        yield* inbox.handle(
          kind,
          job.merchant_id,
          id,
          answer._tag === "Success"
            ? submissionEvent(answer.success, attempt)
            : (at) => ({ type: "provider.unknown", at }),
          {
            deduplicationKey: `answer/${job.id}/${attempt}`,
            deduplication_ms: keyLifetime,
            answered: { job: job.id, log }
          }
        )
      })

      /** The event of a look-up. `unavailable` applies to the latest submission. */
      const commandStatusEvent = (commandStatus: CommandStatus, attempt: number) => (at: number) => {
        if (commandStatus._tag !== "settled")
          return { type: commandStatus._tag === "absent" ? "provider.absent" : "provider.pending", at } as const
        const event = outcomeEvent(commandStatus.outcome, at)
        return event.type === "provider.unavailable" ? { ...event, attempt } : event
      }

      const lookup = Effect.fnUntraced(function* (job: Job, kind: Kind, id: string) {
        const row = yield* rowOf(job, kind, id)
        if (row === undefined) return yield* complete(job)
        const commandStatus = yield* Effect.result(bounded(provider.lookup(yield* commandOf(kind, row, job.id))))
        yield* inbox.handle(
          kind,
          job.merchant_id,
          id,
          commandStatus._tag === "Success"
            ? commandStatusEvent(commandStatus.success, (row.data as { readonly attempts: number }).attempts)
            : (at) => ({ type: "provider.unknown", at }),
          { lease: leaseOf(job), answered: { job: job.id, log: yield* logWith(job, commandStatus) } }
        )
      })

      /** Requests an address. The command is idempotent by its id, so it is repeated until the address has arrived. */
      const issue = Effect.fnUntraced(function* (job: Job, kind: Kind, row: Row) {
        const result = yield* Effect.result(bounded(provider.issue(kind.issue!(row, job.id))))
        const logged = { ...job, log: yield* logWith(job, result) }
        yield* complete(logged, { after_ms: result._tag === "Success" ? reissueMs : retryMs(job.attempt) })
      })

      /** Returns money to its payer. The rejection of a repeat counts only after a look-up has found no refund. */
      const refunded = Effect.fnUntraced(function* (refundCommand: RefundCommand, isRepeat: boolean) {
        const answer = yield* bounded(provider.refund(refundCommand))
        if (answer._tag !== "rejected" || !isRepeat) return answer
        const commandStatus = yield* bounded(provider.lookupRefund(refundCommand))
        if (commandStatus._tag === "absent") return answer
        if (commandStatus._tag === "pending") return { _tag: "unavailable" } as const
        return commandStatus.outcome.outcome === "success" ? ({ _tag: "accepted" } as const) : answer
      })

      const refund = Effect.fnUntraced(function* (job: Job, kind: Kind, row: Row) {
        const refundCommand = kind.refund!(row, job.id)
        const answer = yield* Effect.result(refunded(refundCommand, job.attempt > 1))
        if (answer._tag === "Failure" || answer.success._tag === "unavailable") {
          return yield* complete({ ...job, log: yield* logWith(job, answer) }, { after_ms: retryMs(job.attempt) })
        }
        const type = answer.success._tag === "accepted" ? "refund.accepted" : "refund.rejected"
        yield* inbox.handle(kind, job.merchant_id, row.id, (at) => ({ type, at }), { lease: leaseOf(job) })
      })

      const command = Effect.fnUntraced(function* (job: Job) {
        const { kind: name, id, operation, provider: whose } = job.body as unknown as CommandBody
        // Another provider does not know the command: it would answer "absent", and the command would be executed twice
        if (whose !== undefined && whose !== provider.name) return yield* requeue(job, queueOf(whose))
        const kind = yield* kindOf(name)
        switch (operation) {
          case "submit":
            return yield* submit(job, kind, id)
          case "lookup":
            return yield* lookup(job, kind, id)
          case "issue":
          case "refund": {
            const row = yield* rowOf(job, kind, id)
            if (row === undefined) return yield* complete(job)
            return yield* operation === "issue" ? issue(job, kind, row) : refund(job, kind, row)
          }
          default:
            return yield* newerRelease(`the operation ${operation as string}`)
        }
      })

      const simulated = Effect.fnUntraced(function* (job: Job) {
        if (sandbox._tag === "None") return yield* complete(job, { after_ms: absentMs })
        for (const event of yield* sandbox.value.run(job)) yield* inbox.receive(event)
        yield* complete(job)
      })

      const run = (job: Job, answered?: (isAcknowledged: boolean) => void): Effect.Effect<unknown, Unavailable> => {
        switch (job.queue) {
          case "timer":
            return timer(job)
          case "command":
            return command(job)
          case "simulated":
            return simulated(job)
          case "delivery":
            return deliveries.run(job, answered)
        }
      }

      const wake = Effect.gen(function* () {
        let woken = 0
        while (true) {
          const jobs = yield* storage.claim({
            queue: queueOf(provider.name),
            now: Number.MAX_SAFE_INTEGER,
            wall: yield* wallNow,
            lease_ms: providerTimeoutMs,
            token: yield* ids.make("lease"),
            limit: wakeBatch,
            per_partition: wakeBatch,
            busy: []
          })
          yield* Effect.forEach(jobs, (job) => requeue(job, "command"), { concurrency: "unbounded", discard: true })
          woken += jobs.length
          if (jobs.length < wakeBatch) return woken
        }
      })

      /** During an upgrade, a node may claim a job that only the newer release knows. It returns the job unchanged. */
      const handedBack = (job: Job) => complete({ ...job, attempt: job.attempt - 1 }, { after_ms: handBackMs })

      return JobHandlers.of({
        wake,
        run: (job, answered) =>
          Effect.asVoid(
            Effect.catchIf(
              run(job, answered),
              ({ cause }): boolean => cause instanceof NewerRelease,
              () => handedBack(job)
            )
          )
      })
    })
  )
}

/** The result in one word, or the reason why there is none. */
const describeResult = (result: Result.Result<SubmissionResult | CommandStatus | void, ProviderFault>): string => {
  if (result._tag === "Failure") return result.failure.message.slice(0, 200)
  const answer = result.success
  if (answer === undefined) return "accepted"
  return answer._tag === "settled" ? answer.outcome.outcome : answer._tag
}

/** Puts back the look-up of a submission that is already under way. */
const pendingLookup = (job: Job, at: number): JobWrite => {
  const { parked: _, ...body } = job.body
  return dueAgain(job, at + submissionGrace, { ...body, operation: "lookup" })
}

const dueAgain = (
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
