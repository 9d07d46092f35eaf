/**
 * The calls that jobs make to a provider. Each has a timeout. A capability that the provider no longer has is a fault: an
 * earlier call of the command may have been executed.
 */
import { Duration, Effect } from "effect"
import { sealingKeyIn } from "../../crypto/EncryptionKeys.ts"
import type { Kind } from "../../commit/kind.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { missingKey, ProviderFault, type StorageFault } from "../../ports/errors.ts"
import {
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
import type { Row } from "../../ports/Storage.ts"
import { detailsFault } from "../../resources/deposits/issued-details.ts"
import { ProviderHealth } from "../../calls/ProviderHealth.ts"

/** The calls about one command of a movement. */
interface SubmissionCalls {
  readonly submit: Effect.Effect<SubmissionResult, ProviderFault>
  readonly lookup: Effect.Effect<CommandStatus, ProviderFault>
}

const withTimeout = <A>(call: Effect.Effect<A, ProviderFault>): Effect.Effect<A, ProviderFault> =>
  Effect.timeoutOrElse(call, {
    duration: Duration.millis(providerTimeoutMs),
    orElse: () => Effect.fail(new ProviderFault({ message: `no answer within ${providerTimeoutMs} ms` }))
  })

/** Made when it is asked for: an error records its stack, and most calls are not missing. */
const without = ({ name }: Provider["Service"], capability: string) =>
  Effect.suspend(() => Effect.fail(new ProviderFault({ message: `the provider ${name} does not offer ${capability}` })))

/** The next provider of a movement's route that is configured and can execute it. */
export const nextOf = (
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
 * Asks whether the command of a movement can be decrypted here, before its intent is committed: else its money would wait for a look-up.
 * Errors: `missingKey`.
 */
export const requireReadable = (
  { keys }: Cipher["Service"],
  kind: Kind,
  row: Row,
  id: string
): Effect.Effect<void, StorageFault> => {
  const sealed = (kind.payout ?? kind.conversion!)(row, id).originator?.id_number ?? null
  const key = sealed === null ? null : sealingKeyIn(sealed)
  return key === null || keys.includes(key) ? Effect.void : Effect.fail(missingKey(key))
}

export const makeProviderCalls = Effect.gen(function* () {
  const cipher = yield* Cipher
  const health = yield* ProviderHealth

  /** A bounded call that sends money out: the circuit breaker counts whether the provider answers. */
  const observed = <A>({ name }: Provider["Service"], call: Effect.Effect<A, ProviderFault>) =>
    withTimeout(call).pipe(
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
    lookup: Effect.suspend(() => withTimeout(capability.lookup(command)))
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
      provider.ready === undefined ? Effect.succeed(true) : withTimeout(provider.ready(merchant_id)),

    /** The calls of the capability that the command of a movement needs. */
    submission: Effect.fnUntracedEager(function* (
      provider: Provider["Service"],
      kind: Kind,
      row: Row,
      id: string
    ): Effect.fn.Return<SubmissionCalls, StorageFault> {
      const { liquidity, payouts } = provider
      if (kind.payout !== undefined) {
        const absent = without(provider, "payouts")
        if (payouts === undefined) return { submit: absent, lookup: absent }
        return callsOf(provider, payouts, yield* opened(kind.payout(row, id)))
      }
      const absent = without(provider, "conversions")
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
        ? without(provider, "pay-ins")
        : withTimeout(fitting(provider, kind.issue!(row, id), provider.payins.issue)),

    refund: (provider: Provider["Service"], command: RefundCommand): Effect.Effect<SubmissionResult, ProviderFault> =>
      provider.payins === undefined
        ? without(provider, "pay-ins")
        : observed(provider, provider.payins.refund(command)),

    verification: (
      provider: Provider["Service"],
      command: VerificationCommand
    ): Effect.Effect<VerificationStatus, ProviderFault> =>
      provider.verification === undefined
        ? without(provider, "verifications")
        : withTimeout(provider.verification.lookup(command)),

    lookupRefund: (
      provider: Provider["Service"],
      command: RefundCommand
    ): Effect.Effect<CommandStatus, ProviderFault> =>
      provider.payins === undefined ? without(provider, "pay-ins") : withTimeout(provider.payins.lookupRefund(command))
  }
})

export type OutgoingCalls = Effect.Success<typeof makeProviderCalls>
