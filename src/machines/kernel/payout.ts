/**
 * What every movement shares that a provider pays out: the events a provider's answers become, how long to wait before
 * asking again, and when to stop.
 *
 * Unknown is not failed (PAYOUT-1): after a timeout the provider is asked about the command's id until it gives a
 * definite answer. `absent` is one: the same command may be submitted again. Money is never freed while the outcome is
 * unknown.
 */

import { type ActionFunction, assign } from "xstate"
import { command } from "./outcome.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Waits before each look-up of a command whose outcome is unknown (PAYOUT-1); the last one repeats. */
export const lookupDelays: ReadonlyArray<number> = [10 * second, minute, 5 * minute, hour, 6 * hour, day]

/** How long a submission may be under way before it is looked up, should the process that made it have died. */
export const submissionGrace = minute

/** Refusals for want of capacity are retried this long, counted from the first (PAYOUT-2). */
export const retryWindow = day

/** 5 seconds, doubling up to 10 minutes (PAYOUT-2). `attempts` counts the submissions made, from 1. */
export const backoff = (attempts: number): number => Math.min(5 * second * 2 ** Math.max(0, attempts - 1), 10 * minute)

export const lookupDelay = (lookups: number): number => lookupDelays[Math.min(lookups, lookupDelays.length - 1)] ?? day

/** The members of a movement's data that a payout keeps. `refused_at` is when it was first turned away, epoch ms. */
export interface Payout {
  readonly attempts: number
  readonly lookups: number
  readonly refused_at: number | null
  readonly retry_on_failure: boolean
  readonly failure_reason: string | null
  readonly transaction_hash: string | null
  /** A refusal of the submission under way that is in doubt, until a look-up says what was executed. Absent: there is none. */
  readonly refusal?: { readonly reason: string | null; readonly refundable: boolean } | null
}

export const noPayout = {
  attempts: 0,
  lookups: 0,
  refused_at: null,
  failure_reason: null,
  transaction_hash: null
} as const satisfies Partial<Payout>

/**
 * What a movement hears. `at` is the service's clock, epoch milliseconds.
 *
 * `payout.begun`: the engine is about to submit. `payout.blocked`: it was, and the beneficiary may not be paid. `provider.absent` and `provider.pending` answer a look-up; the rest are
 * answers to a submission, or the provider's own word in a callback. `attempt` says which submission was turned away, where
 * it is an answer: one that comes after the next submission has begun says nothing of that one.
 */
export type PayoutEvent =
  | { readonly type: "payout.begun"; readonly at: number }
  | { readonly type: "payout.blocked"; readonly at: number }
  | { readonly type: "provider.unavailable"; readonly at: number; readonly attempt?: number }
  | { readonly type: "provider.unknown"; readonly at: number }
  | { readonly type: "provider.pending"; readonly at: number }
  | { readonly type: "provider.absent"; readonly at: number }
  | { readonly type: "provider.succeeded"; readonly at: number; readonly transaction_hash: string | null }
  | {
      readonly type: "provider.failed"
      readonly at: number
      readonly reason: string | null
      readonly attempt?: number
    }
  | { readonly type: "provider.cancelled"; readonly at: number }
  | { readonly type: "provider.reversed"; readonly at: number }
  | { readonly type: "provider.returned"; readonly at: number }
  | { readonly type: "provider.refund_failed"; readonly at: number; readonly attempt?: number }

interface GuardArgs {
  readonly context: Payout
  readonly event: { readonly type: string; readonly at?: number; readonly attempt?: number }
}

const at = ({ event }: GuardArgs): number => event.at ?? 0

const withinWindow = (args: GuardArgs): boolean => at(args) < (args.context.refused_at ?? at(args)) + retryWindow

/**
 * Named guards, for `setup({ guards })`: whether there is still time to submit again after a refusal for want of capacity,
 * and whether a refusal is of an earlier submission than the one under way (`stale`: put it first, without a target), or
 * may be, because it came by itself after several (`doubtful`: then the provider is asked, and no money is freed).
 *
 * `unproven`: a submission is refused for good after others were made, or after its outcome was unknown. What an earlier one
 * led to may be the reason for the refusal. `refused` and `kept`: such a refusal stands, the money free or not to be had.
 */
export const guards = {
  stale: ({ context, event }: GuardArgs): boolean => event.attempt !== undefined && event.attempt !== context.attempts,
  doubtful: ({ context, event }: GuardArgs): boolean => event.attempt === undefined && context.attempts > 1,
  unproven: ({ context, event }: GuardArgs): boolean =>
    event.attempt !== undefined && (context.attempts > 1 || context.lookups > 0),
  refused: ({ context }: GuardArgs): boolean => context.refusal?.refundable === true,
  kept: ({ context }: GuardArgs): boolean => context.refusal?.refundable === false,
  withinWindow,
  mayRetry: (args: GuardArgs): boolean => args.context.retry_on_failure && withinWindow(args)
}

/**
 * The reasons a provider may give for a failure whose money is given back; any other word of its becomes `failed`
 * (FAILURE-8). `quote_expired`, `returned` and `refund_failed` say where the money is, which is ours to know.
 */
const known = new Set(["failed", "cancelled", "reversed", "temporarily_unavailable"])

export const reasonOf = (word: string | null): string => (word !== null && known.has(word) ? word : "failed")

interface Refused {
  readonly context: Payout
  readonly event: { readonly type: string; readonly reason?: string | null }
}

/** The provider's own word for a refusal: in its answer, or in the one that a look-up has confirmed. */
export const wordOf = ({ context, event }: Refused): string | null =>
  (event.type === "provider.absent" ? context.refusal?.reason : event.reason) ?? null

/** An assignment that machines of any data may name. */
export type Note<Params> = ActionFunction<any, any, any, Params, never, never, never, never, never>

/**
 * Named assignments, for `setup({ actions })`: what a movement remembers of its payout.
 *
 * `began`: one more submission. `asked`: one more look-up. `refused`: turned away, and since when. `hashed`: the hash
 * the provider reported. `explained`: the reason it gave, now or with the refusal that is believed now. `because`: a reason
 * of ours. `unproven`: a refusal that is not believed yet.
 */
export const notes = {
  began: assign(({ context }: { context: Payout }) => ({
    attempts: context.attempts + 1,
    lookups: 0,
    refusal: null
  })) as Note<undefined>,
  asked: assign(({ context }: { context: Payout }) => ({ lookups: context.lookups + 1 })) as Note<undefined>,
  refused: assign((args: GuardArgs) => ({ refused_at: args.context.refused_at ?? at(args) })) as Note<undefined>,
  hashed: assign(({ event }: { event: { transaction_hash?: string | null } }) => ({
    transaction_hash: event.transaction_hash ?? null
  })) as Note<undefined>,
  explained: assign((refused: Refused) => ({ failure_reason: reasonOf(wordOf(refused)) })) as Note<undefined>,
  unproven: assign(({ event }: { event: { type: string; reason?: string | null } }) => ({
    refusal: { reason: event.reason ?? null, refundable: event.type === "provider.failed" }
  })) as Note<undefined>,
  because: assign((_: unknown, params: { reason: string }) => ({ failure_reason: params.reason })) as Note<{
    reason: string
  }>
}

/** States of what the provider has in hand, or may have. From one to another of them nothing is gained. */
export const underWay: ReadonlySet<string> = new Set(["submitting", "unknown", "waiting"])

/** The state of a movement, those under way taken for one. */
export const phaseOf = (state: string): string => (underWay.has(state) ? "submitting" : state)

/** Commands of a movement share one name, so that each replaces the one before. */
export const commandName = "payout"

export const submitNow = command({ operation: "submit", name: commandName })
export const lookupAfterGrace = command({ operation: "lookup", name: commandName, after_ms: submissionGrace })
const submitLater = {
  type: "command",
  params: ({ context }: { context: Payout }) =>
    ({ operation: "submit", name: commandName, after_ms: backoff(context.attempts) }) as const
} as const
const lookupLater = {
  type: "command",
  params: ({ context }: { context: Payout }) =>
    ({ operation: "lookup", name: commandName, after_ms: lookupDelay(context.lookups) }) as const
} as const

/** A refusal of the submission under way is believed only after these, which a machine's own transitions follow. */
const beforeRejection = [
  { guard: "stale" },
  { guard: "unproven", target: "unknown", actions: ["unproven", lookupLater, "asked"] }
] as const

const beforeRetry = [
  { guard: "stale" },
  { guard: "doubtful", target: "unknown", actions: [lookupLater, "asked"] }
] as const

const retry = { target: "waiting", actions: ["refused", submitLater] } as const

export const because = (reason: string) => ({ type: "because", params: { reason } }) as const

/** The action that says why a movement failed: the provider's reason, or one of ours. */
export type Reason = "explained" | ReturnType<typeof because>

/** `payout.begun` after the first submission. */
export const resubmitted = { target: "submitting", actions: ["began", lookupAfterGrace] } as const

/**
 * What a movement does on a provider's answers. The movement says where it ends and where its money goes; when an answer
 * is believed, and how long it is retried, is the same for all.
 *
 * `succeeded`, `returned` and `refundFailed` are the transitions on those outcomes: paid out; taken back by the rail, with
 * the money at the provider; refused, with money that the provider cannot give back. `failed` makes the transition of a
 * refusal from its reason.
 *
 * Results: `answers` are the transitions of `submitting` and `unknown`; `endings`, those of `waiting`, where no submission
 * is under way; `refusals`, those of a state before the first submission.
 */
export const providerAnswers = <
  const Succeeded extends object,
  const Failed extends object,
  const Returned extends object,
  const RefundFailed extends object
>({
  succeeded,
  failed,
  returned,
  refundFailed
}: {
  readonly succeeded: Succeeded
  readonly failed: (reason: Reason) => Failed
  readonly returned: Returned
  readonly refundFailed: RefundFailed
}) => {
  const outOfTime = failed(because("temporarily_unavailable"))
  const refusals = {
    "provider.failed": failed("explained"),
    "provider.cancelled": failed(because("cancelled")),
    "provider.reversed": returned,
    "provider.returned": returned,
    "provider.refund_failed": refundFailed
  } as const
  const endings = {
    "provider.succeeded": succeeded,
    ...refusals,
    "provider.failed": [...beforeRejection, failed("explained")],
    "provider.refund_failed": [...beforeRejection, refundFailed]
  } as const
  const answers = {
    ...endings,
    "provider.unavailable": [...beforeRetry, { guard: "mayRetry", ...retry }, outOfTime],
    "provider.absent": [
      { guard: "refused", ...failed("explained") },
      { guard: "kept", ...refundFailed },
      { guard: "withinWindow", ...retry },
      outOfTime
    ],
    "provider.unknown": { target: "unknown", actions: [lookupLater, "asked"] },
    "provider.pending": { target: "submitting", actions: [lookupLater, "asked"] }
  } as const
  return { refusals, endings, answers }
}
