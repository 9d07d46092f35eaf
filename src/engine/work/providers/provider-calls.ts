/**
 * The calls that jobs make to a provider. Each has a timeout. A capability that the provider no longer has is a fault: an
 * earlier call of the command may have been executed.
 */
import { Clock, Duration, Effect, type Result, Struct } from "effect"
import { computeBackoff } from "../../../machines/kernel/backoff.ts"
import { submissionGrace } from "../../../machines/kernel/payout.ts"
import { ProviderHealth } from "../../calls/Routes.ts"
import type { Kind } from "../../commit/kind.ts"
import { resourceIdOfJob } from "../../commit/steps.ts"
import { readSealingKey } from "../../crypto/EncryptionKeys.ts"
import { Cipher } from "../../ports/Cipher.ts"
import {
  type AwaitedPerson,
  type CommandStatus,
  type IssueCommand,
  type IssueResult,
  type PayinCapability,
  type Provider,
  type Providers,
  providerTimeoutMs,
  type RefundCommand,
  type Submission,
  type SubmissionResult,
  type VerificationCommand,
  type VerificationStatus
} from "../../ports/Provider.ts"
import type { CallRecord, Job, JobWrite, Row } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { makeMissingKeyFault, ProviderFault, type StorageFault } from "../../ports/errors.ts"
import { detailsFault } from "../../resources/deposits/payin-target.ts"
import { requestPage } from "../../resources/parties/verification.ts"
import { logFailure } from "../../settings/settings.ts"

// Jobs that are written again after they ran, and the results that they log.

/** The result of a call, or the fault instead of it. */
export type ProviderResult = Result.Result<
  SubmissionResult | CommandStatus | IssueResult | VerificationStatus,
  { readonly message: string }
>

/** The delay before a call to a provider is repeated that certainly had no effect, or that is idempotent. */
export const retryMs = (attempt: number): number => computeBackoff(1000, attempt, 600_000)

/** The result of a call in one word, or the reason why there is none. */
const describeResult = (result: ProviderResult): string => {
  if (result._tag === "Failure") return result.failure.message.slice(0, 200)
  const answer = result.success
  return answer._tag === "settled" ? answer.outcome.outcome : answer._tag
}

/** Makes the job that looks up a submission which is already under way, in place of its job. */
export const makeLookupJob = (job: Job, at: number): JobWrite => {
  const { parked: _, ...body } = job.body
  return makeDueAgain(job, at + submissionGrace, { ...body, operation: "lookup" })
}

/** Makes the job that replaces this one, due at another time, with another body. */
export const makeDueAgain = (job: Job, due_at: number, body: JobWrite["body"]): JobWrite => ({
  ...Struct.pick(job, ["id", "queue", "partition_key", "attempt", "created_at", "log"]),
  status: "pending",
  due_at,
  body
})

/** The annotations of a log line about a job. */
export const describeJob = (job: Job) => ({
  job_id: job.id,
  queue: job.queue,
  merchant_id: job.merchant_id,
  resource_id: resourceIdOfJob(job)
})

/** The calls about one command of a movement. */
interface SubmissionCalls {
  readonly submit: Effect.Effect<SubmissionResult, ProviderFault>
  readonly lookup: Effect.Effect<CommandStatus, ProviderFault>
}

/** Limits the time of a call. */
const limitCall = <A>(call: Effect.Effect<A, ProviderFault>): Effect.Effect<A, ProviderFault> =>
  Effect.timeoutOrElse(call, {
    duration: Duration.millis(providerTimeoutMs),
    orElse: () => Effect.fail(new ProviderFault({ message: `no answer within ${providerTimeoutMs} ms` }))
  })

/** Fails because the provider lacks a capability. Made when run: an error records its stack, and most calls are not missing. */
const failLack = ({ name }: Provider["Service"], capability: string) =>
  Effect.suspend(() => Effect.fail(new ProviderFault({ message: `the provider ${name} does not offer ${capability}` })))

/** Finds the next provider of a movement's route that is configured and can execute it. */
export const findNextProvider = (
  { byName: named }: Pick<Providers["Service"], "byName">,
  kind: Kind,
  { data }: Row
): { readonly next?: string } => {
  const { route = [] } = data as { readonly route?: ReadonlyArray<string> }
  const capability = kind.payout === undefined ? "liquidity" : "payouts"
  const next = route.find((name) => named(name)?.[capability] !== undefined)
  return next === undefined ? {} : { next }
}

/**
 * Checks that this node can decrypt the command of a movement, before its intent is committed: else its money would wait for a look-up.
 * Errors: `missingKey`.
 */
export const requireReadable = (
  { keys }: Cipher["Service"],
  kind: Kind,
  row: Row,
  id: string
): Effect.Effect<void, StorageFault> => {
  const sealed = (kind.payout ?? kind.conversion!)(row, id).originator?.id_number ?? null
  const key = sealed === null ? null : readSealingKey(sealed)
  return key === null || keys.includes(key) ? Effect.void : Effect.fail(makeMissingKeyFault(key))
}

/** Begins a verification again at its provider. The page is in the answer. */
export const restartVerification = (provider: Provider["Service"], command: VerificationCommand, at: number) =>
  provider.verification === undefined
    ? failLack(provider, "verifications")
    : limitCall(
        Effect.map(requestPage(provider.verification, command, at), (page) => ({ _tag: "pending", page }) as const)
      )

export const makeProviderCalls = Effect.gen(function* () {
  const cipher = yield* Cipher
  const health = yield* ProviderHealth

  /** A bounded call that sends money out: the circuit breaker counts whether the provider answers. */
  const observed = <A>({ name }: Provider["Service"], call: Effect.Effect<A, ProviderFault>) =>
    limitCall(call).pipe(
      Effect.tap(() => health.observe(name, true)),
      Effect.tapError(() => health.observe(name, false))
    )

  /** The command with its id number decrypted, as the provider gets it. */
  const opened = <Command extends Submission>(command: Command): Effect.Effect<Command, StorageFault> => {
    const { originator } = command
    return originator === null || originator.id_number === null
      ? Effect.succeed(command)
      : Effect.map(cipher.open(originator.id_number), (id_number) => ({
          ...command,
          originator: { ...originator, id_number }
        }))
  }

  const callsOf = <Command>(
    provider: Provider["Service"],
    capability: {
      readonly submit: (command: Command) => Effect.Effect<SubmissionResult, ProviderFault>
      readonly lookup: (command: Command) => Effect.Effect<CommandStatus, ProviderFault>
    },
    command: Command
  ): SubmissionCalls => ({
    submit: Effect.suspend(() => observed(provider, capability.submit(command))),
    lookup: Effect.suspend(() => limitCall(capability.lookup(command)))
  })

  /** An account that is not what was asked for is no result: the provider is asked again. */
  const fitting = (
    { name }: Provider["Service"],
    command: IssueCommand,
    issue: PayinCapability["issue"]
  ): Effect.Effect<IssueResult, ProviderFault> =>
    Effect.tap(issue(command), (result) => {
      const fault = result._tag === "issued" ? detailsFault(result.issued, command) : undefined
      return fault === undefined
        ? Effect.void
        : new ProviderFault({ message: `${name}: issue ${command.id}: ${fault}` })
    })

  return {
    /** Whether the provider accepts submissions of the merchant now. */
    ready: (provider: Provider["Service"], merchant_id: string): Effect.Effect<boolean, ProviderFault> =>
      provider.ready === undefined ? Effect.succeed(true) : limitCall(provider.ready(merchant_id)),

    /** The calls of the capability that the command of a movement needs. */
    submission: Effect.fnUntracedEager(function* (
      provider: Provider["Service"],
      kind: Kind,
      row: Row,
      id: string
    ): Effect.fn.Return<SubmissionCalls, StorageFault> {
      const { liquidity, payouts } = provider
      if (kind.payout !== undefined) {
        const absent = failLack(provider, "payouts")
        if (payouts === undefined) return { submit: absent, lookup: absent }
        return callsOf(provider, payouts, yield* opened(kind.payout(row, id)))
      }
      const absent = failLack(provider, "conversions")
      if (liquidity === undefined) return { submit: absent, lookup: absent }
      return callsOf(provider, liquidity, yield* opened(kind.conversion!(row, id)))
    }),

    issue: (
      provider: Provider["Service"],
      kind: Kind,
      row: Row,
      id: string
    ): Effect.Effect<IssueResult, ProviderFault> =>
      provider.payins === undefined
        ? failLack(provider, "pay-ins")
        : limitCall(fitting(provider, kind.issue!(row, id), provider.payins.issue)),

    refund: (provider: Provider["Service"], command: RefundCommand): Effect.Effect<SubmissionResult, ProviderFault> =>
      provider.payins === undefined
        ? failLack(provider, "pay-ins")
        : observed(provider, provider.payins.refund(command)),

    verification: (
      provider: Provider["Service"],
      command: VerificationCommand
    ): Effect.Effect<VerificationStatus, ProviderFault> =>
      provider.verification === undefined
        ? failLack(provider, "verifications")
        : limitCall(provider.verification.lookup(command)),

    lookupRefund: (
      provider: Provider["Service"],
      command: RefundCommand
    ): Effect.Effect<CommandStatus, ProviderFault> =>
      provider.payins === undefined ? failLack(provider, "pay-ins") : limitCall(provider.payins.lookupRefund(command))
  }
})

export type OutgoingCalls = Effect.Success<typeof makeProviderCalls>

// Records of calls to providers: how long each took, and what was answered (TIMELINE-5).

type Answer = SubmissionResult | CommandStatus | IssueResult | VerificationStatus

const readProviderReference = (answer: Answer): string | null =>
  answer._tag === "settled" ? (answer.outcome.provider_reference ?? null) : null

const readAwaitedPerson = (answer: Answer): AwaitedPerson | null =>
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
        ...describeJob(job),
        provider,
        call: operation,
        attempt,
        latency_ms
      })
    const reference = result._tag === "Success" ? readProviderReference(result.success) : null
    const awaited_person = result._tag === "Success" ? readAwaitedPerson(result.success) : null
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
