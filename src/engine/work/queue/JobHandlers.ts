/** The handlers of claimed jobs, by queue. */
import { Clock, Context, Effect, Layer } from "effect"
import { confirmTimer } from "../../../machines/deposits/deposit.ts"
import { payTimer } from "../../../machines/movements/batch.ts"
import { creditTimer } from "../../../machines/deposits/exception.ts"
import { lookTimer, matchTimer, movedTimer } from "../../../machines/reconciliation/matching.ts"
import { adoptionTimer } from "../../../machines/reconciliation/break.ts"
import { expandTimer } from "../../../machines/reconciliation/statement.ts"
import { type CommandBody, requireKnownMachine, type TimerBody } from "../../commit/steps.ts"
import type { Source } from "../../commit/call.ts"
import { Deliveries } from "../deliveries.ts"
import {
  MissingKey,
  NewerRelease,
  makeNewerReleaseFault,
  type StorageFault,
  type Unavailable
} from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { toCommandStatusEvent, toReportedOutcome } from "../providers/result-events.ts"
import { handleWaitingOperation, makeEventReader, makeWaitingEvents, readOperation } from "../providers/event-reader.ts"
import { Inbox } from "../providers/Inbox.ts"
import type { HeldJob } from "../providers/handover.ts"
import { callProvider, makeDueAgain, makeProviderCalls, retryMs } from "../providers/provider-calls.ts"
import { makeRefund } from "../providers/refunds.ts"
import { makeSubmit, submissionMs } from "../providers/submissions.ts"
import { makeTracedJobs } from "../traced-jobs.ts"
import { makeVerify } from "../providers/verifications.ts"
import { ApprovalKind, isEndTimer } from "../../commit/approval.ts"
import { type Kind, Kinds } from "../../commit/kind.ts"
import { joinBeside } from "../../commit/attempts.ts"
import { askAgainMs, isMovingOperation, BlockedJobs } from "../../commit/BlockedJobs.ts"
import { ActiveBrakes, isBraked, toBrakedWork } from "../../calls/ActiveBrakes.ts"
import { ProviderHealth } from "../../calls/Routes.ts"
import { listLoggedCalls, addLogEntry } from "../../reports/progress.ts"
import { type IssuedEvent, type Provider, Providers } from "../../ports/Provider.ts"
import { DepositKind } from "../../resources/deposits/deposit.ts"
import { ExceptionKind } from "../../resources/deposits/exception.ts"
import { Exceptions } from "../../resources/deposits/exceptions.ts"
import { Approvals } from "../../resources/controls/approval.ts"
import { Payins } from "../../resources/deposits/payin.ts"
import { BreakKind } from "../../resources/reconciliation/break.ts"
import { MatchingStateKind } from "../../resources/reconciliation/matching-state.ts"
import { readStatementsOperation } from "../../resources/reconciliation/provider-statement.ts"
import { Reconciliations } from "../reconciliation/Reconciliations.ts"
import { makeStatementReading } from "../reconciliation/statement-reading.ts"
import { StatementChunks } from "../../resources/reconciliation/line-joining.ts"
import { StatementChunkKind } from "../../resources/reconciliation/statement-kinds.ts"
import { BatchKind } from "../../resources/movements/batch-row.ts"
import { BatchPayments } from "../../resources/movements/batch-payment.ts"
import { BeneficiaryKind } from "../../resources/parties/beneficiary.ts"
import { barredTimer, readPayee } from "../../resources/parties/screening.ts"
import { type Job, type JobWrite, providerQueueOf, type Row, Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"

/** How long a job of a newer release is left to other nodes before this node claims it again. */
const handBackMs = 1000

/** How long a job is left to other nodes that this one lacks the encryption key for. */
const unreadMs = 5000

/** How long an event of the simulated provider is delayed on a node that has another provider. */
const absentMs = 3_600_000

/** The delay before an issue command is repeated, in case its result was lost. */
const reissueMs = 3_600_000

const makeSelf = Effect.gen(function* () {
  const providers = yield* Providers
  const calls = yield* makeProviderCalls
  const reader = yield* makeEventReader
  const waitingEvents = yield* makeWaitingEvents
  const statements = yield* makeStatementReading
  const blockedJobs = yield* BlockedJobs
  const tracedJob = yield* makeTracedJobs
  const recalled = Effect.forEach(providers.all, ({ name }) => blockedJobs.recall(providerQueueOf(name)))
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, kinds: Kinds, inbox: Inbox })),
    ...(yield* Effect.all({ exceptions: Exceptions, payins: Payins, batches: BatchPayments })),
    ...(yield* Effect.all({ chunks: StatementChunks, reconciliations: Reconciliations, approvals: Approvals })),
    providers,
    calls,
    reader,
    waitingEvents,
    statements,
    deliveries: yield* Deliveries,
    blockedJobs,
    brakes: yield* ActiveBrakes,
    health: yield* ProviderHealth,
    tracedJob,
    recalled
  }
})
type Self = Effect.Success<typeof makeSelf>

const leaseOf = (job: Job) => ({ job: job.id, token: job.lease ?? "" })

/** Completes a job without a step: deletes it, or makes it due again. */
const completeJob = (
  { unitOfWork }: Self,
  job: Job,
  again?: { readonly after_ms: number; readonly body?: JobWrite["body"] }
) =>
  unitOfWork.apply(
    job.merchant_id,
    { lease: leaseOf(job) },
    Effect.map(Clock.currentTimeMillis, (at) => ({
      changes: again === undefined ? [] : [{ jobs: [makeDueAgain(job, at + again.after_ms, again.body ?? job.body)] }],
      result: undefined
    }))
  )

const findKind = ({ kinds }: Self, name: string): Effect.Effect<Kind, StorageFault> => {
  const kind = kinds.byName.get(name)
  return kind === undefined ? Effect.fail(makeNewerReleaseFault(`the kind ${name}`)) : Effect.succeed(kind)
}

const loadRow = ({ storage }: Self, job: Job, kind: Kind, id: string) =>
  Effect.flatMap(storage.get([{ merchant_id: job.merchant_id, kind: kind.kind, id }]), ([row]) =>
    row === undefined ? Effect.undefined : Effect.as(requireKnownMachine(kind, row), row)
  )

const isSuspended = ({ storage }: Self, merchant_id: string) =>
  Effect.map(
    storage.get([{ merchant_id, kind: "merchant", id: merchant_id }]),
    ([merchant]) => merchant?.state === "suspended"
  )

/** Runs the work of a timer, or blocks its job while the merchant is suspended (MERCHANT-4, BATCH-7). */
const runWhileActive = Effect.fnUntraced(function* (
  self: Self,
  job: Job,
  run: (merchant_id: string, source: Source) => Effect.Effect<unknown, Unavailable>
) {
  const { blockedJobs } = self
  const { merchant_id } = job
  if (!(yield* isSuspended(self, merchant_id))) return yield* run(merchant_id, { lease: leaseOf(job) })
  yield* blockedJobs.block(job, "merchant_suspended")
  if (!(yield* isSuspended(self, merchant_id))) yield* blockedJobs.unblock(merchant_id, "merchant_suspended")
})

/** Pays rows of a batch. Where all rows that are left wait, the timer is due again, and says for what. */
const payBatch = Effect.fnUntraced(function* (self: Self, job: Job, merchant_id: string, id: string, source: Source) {
  const { retry_at = 0 } = job.body as { readonly retry_at?: number }
  const later = yield* self.batches.pay(merchant_id, id, source, retry_at)
  if (later === undefined) return
  const body = { ...job.body, parked: later.waits_for, retry_at: later.retry_at }
  yield* completeJob(self, job, { after_ms: later.after_ms, body })
})

const dispatchTimer = (self: Self, job: Job): Effect.Effect<unknown, Unavailable> => {
  const { approvals, chunks, exceptions, inbox, payins, reconciliations } = self
  const { kind, id, name } = job.body as unknown as TimerBody
  if (kind === ExceptionKind.kind && name === creditTimer)
    return exceptions.credit(job.merchant_id, id, { lease: leaseOf(job) })
  if (kind === ApprovalKind.kind && isEndTimer(name)) return approvals.ended(job, id, name, { lease: leaseOf(job) })
  if (kind === BeneficiaryKind.kind && name === barredTimer)
    return approvals.barred(job.merchant_id, id, { lease: leaseOf(job) })
  if (kind === ApprovalKind.kind) return approvals.fire(job.merchant_id, id, name, { lease: leaseOf(job) })
  if (kind === DepositKind.kind && name === confirmTimer)
    return runWhileActive(self, job, (merchant_id, source) => payins.resume(merchant_id, id, source))
  if (kind === BatchKind.kind && name === payTimer)
    return runWhileActive(self, job, (merchant_id, source) => payBatch(self, job, merchant_id, id, source))
  if (kind === MatchingStateKind.kind && name === matchTimer) return reconciliations.run(id, { lease: leaseOf(job) })
  if (kind === MatchingStateKind.kind && name === movedTimer)
    return Effect.andThen(reconciliations.requestLook(id), completeJob(self, job))
  if (kind === MatchingStateKind.kind && name === lookTimer)
    return Effect.andThen(reconciliations.look(id), completeJob(self, job))
  if (kind === BreakKind.kind && name === adoptionTimer)
    return Effect.andThen(reconciliations.endUnfinished(id), completeJob(self, job))
  if (kind === StatementChunkKind.kind && name === expandTimer) return chunks.expand(id, { lease: leaseOf(job) })
  return Effect.flatMap(findKind(self, kind), (found) =>
    inbox.handle(found, job.merchant_id, id, (at) => ({ type: `timer.${name}`, at }), { lease: leaseOf(job) })
  )
}

/** Fires a timer. A step that needs an unavailable external service is tried again later (DEPOSIT-12). */
const fireTimer = (self: Self, job: Job) =>
  Effect.catchTag(dispatchTimer(self, job), "ExternalServiceUnavailable", () =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      completeJob(self, job, { after_ms: askAgainMs(at - job.created_at) })
    )
  )

/** Whether the beneficiary of a payout was blocked, so that it fails and need not wait. */
const isBarred = Effect.fnUntraced(function* (self: Self, job: Job, kind: Kind, id: string) {
  const { storage } = self
  const row = yield* loadRow(self, job, kind, id)
  return row !== undefined && (yield* readPayee(storage, row))?.isBarred === true
})

/** Stops a command if a pause covers it: its job then waits in a queue of its own (BRAKE-2). Returns whether it did. */
const stopIfPaused = (self: Self, job: Job, kind: Kind, id: string, provider: Provider["Service"]) =>
  Effect.flatMap(self.brakes.current, (active) =>
    active.length === 0 ? Effect.succeed(false) : stopIfCovered(self, active, job, kind, id, provider)
  )

const stopIfCovered = Effect.fnUntraced(function* (
  self: Self,
  active: Effect.Success<Self["brakes"]["current"]>,
  job: Job,
  kind: Kind,
  id: string,
  provider: Provider["Service"]
) {
  const { brakes, blockedJobs } = self
  const row = yield* loadRow(self, job, kind, id)
  if (row === undefined) return false
  const work = toBrakedWork(row, provider.name)
  if (!active.some((brake) => isBraked(brake, work))) return false
  yield* blockedJobs.stop(job)
  // A pause that is released meanwhile would leave the job behind.
  if (!(yield* brakes.refreshed).some((brake) => isBraked(brake, work))) yield* blockedJobs.resume
  return true
})

/** Makes a job wait for the probe while the circuit breaker of its provider is open (BRAKE-3). Returns whether it did. */
const waitIfFailing = (self: Self, job: Job, provider: Provider["Service"]) =>
  Effect.flatMap(self.health.wait(provider.name), (after_ms) =>
    after_ms === 0
      ? Effect.succeed(false)
      : Effect.as(completeJob(self, job, { after_ms, body: { ...job.body, parked: "provider_failing" } }), true)
  )

/** Finds the obstacle to a merchant's submissions. `unknown`: the provider does not say whether it is ready. */
const findObstacle = (self: Self, merchant_id: string, provider: Provider["Service"]) =>
  Effect.map(
    joinBeside(
      isSuspended(self, merchant_id),
      Effect.orElseSucceed(self.calls.ready(provider, merchant_id), () => undefined)
    ),
    ([suspended, isReady]) => {
      if (suspended) return "merchant_suspended"
      return isReady === undefined ? "unknown" : isReady ? undefined : "provider_not_ready"
    }
  )

/** Checks that a submission may be made now, and returns when that was checked last, in wall time. Undefined: its job waits. */
const checkAdmission = Effect.fnUntraced(function* (
  self: Self,
  job: Job,
  kind: Kind,
  id: string,
  provider: Provider["Service"]
) {
  const { blockedJobs } = self
  if (yield* stopIfPaused(self, job, kind, id, provider)) return undefined
  const obstacle = yield* findObstacle(self, job.merchant_id, provider)
  // A provider may be slow to say that it is ready, and a pause may have been set meanwhile.
  if (obstacle === undefined) {
    const checked = yield* wallNow
    const waits = (yield* stopIfPaused(self, job, kind, id, provider)) || (yield* waitIfFailing(self, job, provider))
    return waits ? undefined : checked
  }
  if (yield* isBarred(self, job, kind, id)) return yield* wallNow
  if (obstacle === "unknown") {
    const waited_ms = (yield* Clock.currentTimeMillis) - job.created_at
    yield* completeJob(self, job, { after_ms: askAgainMs(waited_ms) })
    return undefined
  }
  yield* blockedJobs.block(job, obstacle)
  const isGone =
    (yield* findObstacle(self, job.merchant_id, provider)) !== obstacle || (yield* isBarred(self, job, kind, id))
  if (isGone) yield* blockedJobs.unblock(job.merchant_id, obstacle)
  return undefined
})

const lookUpSubmission = Effect.fnUntraced(function* (
  self: Self,
  job: Job,
  kind: Kind,
  id: string,
  provider: Provider["Service"]
) {
  const { calls, inbox } = self
  const row = yield* loadRow(self, job, kind, id)
  if (row === undefined) return yield* completeJob(self, job)
  const { lookup: status } = yield* calls.submission(provider, kind, row, job.id)
  const { attempts } = row.data as { readonly attempts: number }
  const { record, result: commandStatus } = yield* callProvider(job, provider, "lookup", job.attempt, status)
  yield* inbox.handleAnswer(
    kind,
    job.merchant_id,
    id,
    commandStatus._tag === "Success"
      ? toCommandStatusEvent(commandStatus.success, attempts)
      : (at) => ({ type: "provider.unknown", at, asked: true }),
    {
      lease: leaseOf(job),
      answered: { job: job.id, log: addLogEntry(job, record) },
      origin: { calls: [record] }
    },
    toReportedOutcome(provider.name, job, commandStatus._tag === "Success" ? commandStatus.success : undefined)
  )
})

/** Requests an address. The command is idempotent by its id, so it is repeated until the address has arrived. */
const requestAddress = Effect.fnUntraced(function* (
  self: Self,
  job: Job,
  kind: Kind,
  row: Row,
  provider: Provider["Service"]
) {
  const { calls, inbox } = self
  const request = calls.issue(provider, kind, row, job.id)
  const { record, result } = yield* callProvider(job, provider, "issue", job.attempt, request)
  const logged = { ...job, log: addLogEntry(job, record) }
  if (result._tag === "Success" && result.success._tag === "issued") {
    const issued: IssuedEvent = {
      _tag: "issued",
      event_id: `issue/${job.id}`,
      merchant_id: job.merchant_id,
      kind: kind.kind as IssuedEvent["kind"],
      resource_id: row.id,
      ...result.success.issued
    }
    const applied = yield* inbox.receive(provider.name, issued, { calls: listLoggedCalls(logged) })
    if (applied === "applied") return
  }
  yield* completeJob(self, logged, { after_ms: result._tag === "Success" ? reissueMs : retryMs(job.attempt) })
})

/** Stops the submission of a refund that a pause or an open circuit breaker forbids: its job then waits. Returns whether it did. */
const stopRefund = Effect.fnUntraced(function* (
  self: Self,
  job: Job,
  kind: Kind,
  row: Row,
  provider: Provider["Service"]
) {
  const checked = yield* wallNow
  if (yield* stopIfPaused(self, job, kind, row.id, provider)) return true
  if ((yield* wallNow) - checked <= submissionMs) return yield* waitIfFailing(self, job, provider)
  // A pause may have been set since it was checked.
  yield* completeJob(self, job, { after_ms: 0 })
  return true
})

const runSimulation = Effect.fnUntraced(function* (self: Self, job: Job) {
  const { providers, inbox } = self
  const simulated = providers.all.find(({ sandbox }) => sandbox !== undefined)
  if (simulated === undefined) return yield* completeJob(self, job, { after_ms: absentMs })
  const events = yield* simulated.sandbox!.run(job)
  for (const event of events) {
    // The only event, about a movement, and its job are written together, unless it was handled before.
    const isOne = events.length === 1 && event._tag === "movement"
    const lease = isOne ? { ...leaseOf(job), merchant_id: job.merchant_id } : undefined
    if ((yield* inbox.receive(simulated.name, event, {}, lease)) !== "duplicate" && isOne) return
  }
  yield* completeJob(self, job)
})

/** Returns a job unchanged that only a newer release knows: during an upgrade, a node may claim one. */
const handBackNewer = (self: Self, job: Job) =>
  completeJob(self, { ...job, attempt: job.attempt - 1 }, { after_ms: handBackMs })

/** Returns a job whose texts only other nodes can decrypt, with the reason: while an encryption key is rotated, a node may claim one. */
const handBackUnread = Effect.fnUntraced(function* (self: Self, job: Job, { message }: StorageFault) {
  const at = yield* Clock.currentTimeMillis
  const isLogged = (job.log.at(-1) as { readonly answer?: string } | undefined)?.answer === message
  const log = addLogEntry(isLogged ? { log: job.log.slice(0, -1) } : job, { at, answer: message })
  yield* completeJob(self, { ...job, attempt: job.attempt - 1, log }, { after_ms: unreadMs })
  yield* Effect.annotateLogs(Effect.logWarning(`a job is left to another node: ${message}`), {
    job_id: job.id,
    merchant_id: job.merchant_id
  })
})

export class JobHandlers extends Context.Service<
  JobHandlers,
  {
    /** Runs a claimed job and completes it. For `answered`, see {@link Deliveries}. */
    readonly run: (job: HeldJob, answered?: (isAcknowledged: boolean) => void) => Effect.Effect<void, Unavailable>
    /**
     * Requeues commands that waited for a provider which is configured now, lets those go on that a pause left behind, and
     * begins to read the events and the statements of providers that can be read. Returns how many commands it requeued.
     */
    readonly wake: Effect.Effect<number, StorageFault>
  }
>()("corridor/engine/JobHandlers") {
  static readonly layer = Layer.effect(
    JobHandlers,
    Effect.gen(function* () {
      const self = yield* makeSelf
      const {
        calls,
        inbox,
        blockedJobs,
        providers,
        reader,
        waitingEvents,
        statements,
        deliveries,
        recalled,
        tracedJob
      } = self
      const submit = yield* makeSubmit({
        admitted: (job, kind, id, provider) => checkAdmission(self, job, kind, id, provider),
        calls,
        inbox,
        leaseOf,
        rowOf: (job, kind, id) => loadRow(self, job, kind, id)
      })
      const verify = yield* makeVerify({ calls, complete: (job, again) => completeJob(self, job, again), leaseOf })
      const refund = makeRefund({
        calls,
        inbox,
        complete: (job, again) => completeJob(self, job, again),
        isStopped: (job, kind, row, provider) => stopRefund(self, job, kind, row, provider),
        latest: (job, kind, id) => loadRow(self, job, kind, id),
        storage: self.storage,
        unitOfWork: self.unitOfWork
      })
      const command = Effect.fnUntraced(function* (job: HeldJob) {
        if (isMovingOperation(job.body["operation"])) return yield* blockedJobs.move(job)
        const { kind: name, id, operation, provider: whose } = job.body as unknown as CommandBody
        // Another provider does not know the command: it would answer "absent", and the command would be executed twice
        const provider = whose === undefined ? providers.all[0] : providers.byName(whose)
        if (provider === undefined) return yield* blockedJobs.requeue(job, providerQueueOf(whose!))
        if (job.body["operation"] === readOperation) return yield* reader.read(job, provider)
        if (job.body["operation"] === handleWaitingOperation) return yield* waitingEvents.handleWaiting(job, provider)
        if (job.body["operation"] === readStatementsOperation) return yield* statements.read(job, provider)
        const kind = yield* findKind(self, name)
        switch (operation) {
          case "submit":
            return yield* submit(job, kind, id, provider)
          case "lookup":
            return yield* lookUpSubmission(self, job, kind, id, provider)
          case "verify": {
            const row = yield* loadRow(self, job, kind, id)
            return yield* row === undefined ? completeJob(self, job) : verify(job, row, provider)
          }
          case "issue":
          case "refund": {
            const row = yield* loadRow(self, job, kind, id)
            if (row === undefined) return yield* completeJob(self, job)
            return yield* operation === "issue"
              ? requestAddress(self, job, kind, row, provider)
              : refund(job, kind, row, provider)
          }
          default:
            return yield* makeNewerReleaseFault(`the operation ${operation as string}`)
        }
      })
      const run = (job: HeldJob, answered?: (isAcknowledged: boolean) => void): Effect.Effect<unknown, Unavailable> => {
        switch (job.queue) {
          case "timer":
            return fireTimer(self, job)
          case "command":
            return command(job)
          case "simulated":
            return runSimulation(self, job)
          case "delivery":
            return deliveries.run(job, answered)
        }
      }
      return JobHandlers.of({
        wake: recalled.pipe(
          Effect.tap(blockedJobs.resume),
          Effect.tap(reader.arm),
          Effect.tap(() => statements.arm(providers.all)),
          Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0))
        ),
        run: (job, answered) =>
          Effect.asVoid(
            Effect.catch(tracedJob(job, run(job, answered)), (fault): Effect.Effect<unknown, Unavailable> => {
              if (fault._tag !== "StorageFault") return Effect.fail(fault)
              if (fault.cause instanceof NewerRelease) return handBackNewer(self, job)
              return fault.cause instanceof MissingKey ? handBackUnread(self, job, fault) : Effect.fail(fault)
            })
          )
      })
    })
  )
}
