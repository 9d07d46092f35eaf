/**
 * Shared by all movements that a provider pays out: the events for the provider's results, what their amounts differ by, the delays
 * between look-ups, and the limits of a retry.
 *
 * An unknown outcome is not a failure (PAYOUT-1): after a timeout the provider is asked about the command id until it
 * gives a definite answer. `absent` is a definite answer: the same command may be submitted again. Money is never
 * released while the outcome is unknown.
 *
 * A movement can have several candidate providers, in an order that is decided when it is created (ROUTE-1). It goes to
 * the next one only when the provider itself answers the submission with `unavailable` (ROUTE-2). After anything else
 * that leaves the movement open it stays with its provider for ever (ROUTE-3).
 */
import { assign } from "xstate"
import { computeBackoff } from "./backoff.ts"
import { type AccountId, clearing, ownerOf, type Posting, makePosting, reserved, world } from "./ledger.ts"
import { command, type Note, post } from "./lifecycle.ts"

// Amounts that a provider reports and that differ from what it was instructed to pay, or from what it had paid
// (OUTCOME-2 to OUTCOME-5). All amounts are in minor units.

type DiscrepancyReason = "short_settlement" | "over_settlement" | "partial_return" | "over_return"

/** A difference between the amount that was due and the one reported. `amount` is the difference, > 0. */
export interface Discrepancy {
  readonly reason: DiscrepancyReason
  readonly amount: string
  readonly currency: string
  readonly expected: string
  readonly reported: string
  /** The amount is in suspense, until an operator decides. */
  readonly suspended?: true
  /** The fee that the provider withheld is exactly the difference. */
  readonly withheld?: true
}

/** What a movement keeps of differences. `lost`: what the platform lost when its money came back in part. */
export interface Differing {
  /** Of the outcome that ended it. Absent or null: there is none. */
  readonly discrepancy?: Discrepancy | null
  readonly lost?: string
}

/** An amount that a provider was given, or has to pay. */
export interface Due {
  readonly amount: string
  readonly currency: string
}

/** An outcome's amount, and its fee if that is in the same currency. Absent: the whole amount; no fee. */
export interface OutcomeFigures {
  readonly amount?: string
  readonly fee?: string
}

/** Compares a reported amount with the amount due. Null: they are equal. `reasons`: for a lower amount, and for a higher one. */
const findDifference = (
  { amount: due, currency }: Due,
  { amount: reported = due, fee = "0" }: OutcomeFigures,
  [less, more]: readonly [DiscrepancyReason, DiscrepancyReason]
): Discrepancy | null => {
  const missing = BigInt(due) - BigInt(reported)
  if (missing === 0n) return null
  const figures = { currency, expected: due, reported }
  if (missing < 0n) return { reason: more, amount: (-missing).toString(), ...figures }
  return {
    reason: less,
    amount: missing.toString(),
    ...figures,
    ...(BigInt(fee) === missing ? ({ withheld: true } as const) : {})
  }
}

/** The amount that the provider paid too little, in minor units; it is in suspense (OUTCOME-2). Zero: nothing is short. */
export const countShortage = ({ discrepancy }: Differing): bigint =>
  discrepancy?.reason === "short_settlement" ? BigInt(discrepancy.amount) : 0n

/** Compares the amount of a reported success with the amount due. Null: they are equal. */
export const compareSuccess = (due: Due, figures: OutcomeFigures): Discrepancy | null => {
  const found = findDifference(due, figures, ["short_settlement", "over_settlement"])
  return found?.reason === "short_settlement" ? { ...found, suspended: true } : found
}

/** Compares the amount of a reported return with the amount paid. Null: they are equal. */
export const compareReturn = (paid: Due, figures: OutcomeFigures): Discrepancy | null =>
  findDifference(paid, figures, ["partial_return", "over_return"])

interface Args {
  readonly context: unknown
  readonly event: { readonly type: string } & OutcomeFigures
}

/**
 * Makes the actions for a returned payout, whose customer gets all of the money back, whatever the return brings (OUTCOME-4). `due`: the
 * most that the return should bring back; `paid`: how much of that the provider had paid out.
 *
 * - `cameBack`: records the missing amount, and the platform's loss: `due` less the amount that came back.
 *
 * - `lost`: books that loss. The provider has the money, so it leaves the platform.
 */
export const makeReturnActions = <Data extends Differing & { readonly provider: string }>(
  due: (data: Data) => Due,
  paid: (data: Data) => string = (data) => due(data).amount
) => ({
  cameBack: assign(({ context, event }: Args) => {
    const { amount, currency } = due(context as Data)
    const had = paid(context as Data)
    const came = event.amount === undefined || BigInt(event.amount) > BigInt(had) ? had : event.amount
    const lost = BigInt(amount) - BigInt(came)
    return {
      discrepancy: compareReturn({ amount: had, currency }, event),
      ...(lost === 0n ? {} : { lost: lost.toString() })
    }
  }) as Note<undefined>,
  lost: post(
    (data: Data): ReadonlyArray<Posting> =>
      data.lost === undefined ? [] : makePosting("losses", world(data.provider), data.lost, due(data).currency)
  )
})

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Delays before each look-up of a command whose outcome is unknown (PAYOUT-1). The last one repeats. */
const lookupDelays: ReadonlyArray<number> = [10 * second, minute, 5 * minute, hour, 6 * hour, day]

/** How long after a submission begins it is looked up, in case the process that submits it dies. */
export const submissionGrace = minute

/** How long submissions that were not executed are retried, counted from the first (PAYOUT-2). */
export const retryWindow = day

/** The delay before the next look-up of an unknown outcome, after so many. */
export const findLookupDelay = (lookups: number): number =>
  lookupDelays[Math.min(lookups, lookupDelays.length - 1)] ?? day

/** What a movement has added to a guarded counter of a limit, to give it back (LIMITS-4). `add`: decimal integer text. */
export interface Counted {
  readonly key: string
  readonly bucket: number
  readonly add: string
  /** What each sum of an act with several adds. Absent: it has one, or it is a count. */
  readonly by_sum?: ReadonlyArray<string>
}

/** What a movement adds to a counter once it is approved: to the bucket of that time (LIMITS-10). */
export interface CountedLater extends Counted {
  /** The window of the limit, which says what bucket that is. */
  readonly window:
    | { readonly rolling: string }
    | { readonly calendar: "day" | "week" | "month"; readonly time_zone: string }
}

/**
 * The data that a payout keeps in its movement. `refused_at` is when a submission was first not executed (`unavailable`
 * or `absent`), epoch milliseconds.
 */
export interface Payout extends Differing {
  /** The provider that has the movement now. */
  readonly provider: string
  /**
   * The other providers that can still be used, in order. Empty once the outcome of a submission was unknown. Absent: none.
   */
  readonly route?: ReadonlyArray<string>
  readonly attempts: number
  readonly lookups: number
  readonly refused_at: number | null
  readonly retry_on_failure: boolean
  readonly failure_reason: string | null
  /** It failed because its beneficiary may not be paid. Absent: it did not. */
  readonly blocked?: true
  readonly transaction_hash: string | null
  /** What it counts of limits. Absent: no limit covers it. */
  readonly counted?: ReadonlyArray<Counted>
  /** The limits over which it is, so that it waits for approval, and what it counts there once it is approved. Absent: none. */
  readonly over?: { readonly limits: ReadonlyArray<string>; readonly counts: ReadonlyArray<CountedLater> }
  /**
   * A rejection that is not proven yet: a look-up must say whether an earlier submission was executed. Absent: there is
   * none.
   */
  readonly refusal?: { readonly reason: string | null; readonly refundable: boolean } | null
  /** How many approvals it waits for. Absent: none (APPROVAL-4). */
  readonly awaiting?: number
}

export const noPayout = {
  attempts: 0,
  lookups: 0,
  refused_at: null,
  failure_reason: null,
  transaction_hash: null
} as const satisfies Partial<Payout>

/**
 * The events of a movement. `at` is the service's clock, epoch milliseconds.
 *
 * - `payout.begun`: the engine is about to submit. `payout.blocked`: it was about to, or it waits for approval, but the beneficiary may
 *   not be paid.
 * - `provider.absent` and `provider.pending`: the results of a look-up.
 * - `provider.unknown`: a call had no answer, or an outcome cannot be true (`implausible`), so that the provider is asked again, also
 *   where no submission is under way. `asked`: the call was a look-up.
 * - `approval.approved`: one of the approvals that it waits for was given. `until`: how long its rate is locked from then on. `counts`: what
 *   it counts of the limits over which it is, as of now. Absent: it is over none.
 *   `approval.declined`: one was declined, or has expired.
 * - All others: the result of a submission, or an outcome that the provider reports in a callback. `attempt` is present
 *   for the result of a submission, and is its number. A result that arrives after the next submission has begun says
 *   nothing about that one. Figures: what was paid out or came back, in minor units. `next` is present only on a submission's own `unavailable`: the next provider of the route
 *   that is configured.
 */
export type PayoutEvent =
  | { readonly type: "payout.begun"; readonly at: number }
  | { readonly type: "payout.blocked"; readonly at: number }
  | {
      readonly type: "approval.approved"
      readonly at: number
      readonly until: number
      readonly counts?: ReadonlyArray<CountedLater>
    }
  | { readonly type: "approval.declined"; readonly at: number }
  | {
      readonly type: "provider.unavailable"
      readonly at: number
      readonly attempt?: number
      readonly next?: string
    }
  | { readonly type: "provider.unknown"; readonly at: number; readonly implausible?: true; readonly asked?: true }
  | { readonly type: "provider.pending"; readonly at: number }
  | { readonly type: "provider.absent"; readonly at: number }
  | ({
      readonly type: "provider.succeeded"
      readonly at: number
      readonly transaction_hash: string | null
    } & OutcomeFigures)
  | {
      readonly type: "provider.failed"
      readonly at: number
      readonly reason: string | null
      readonly attempt?: number
    }
  | { readonly type: "provider.cancelled"; readonly at: number }
  | ({ readonly type: "provider.reversed"; readonly at: number } & OutcomeFigures)
  | ({ readonly type: "provider.returned"; readonly at: number } & OutcomeFigures)
  | { readonly type: "provider.refund_failed"; readonly at: number; readonly attempt?: number }

interface GuardArgs {
  readonly context: Payout
  readonly event: {
    readonly type: string
    readonly at?: number
    readonly attempt?: number
    readonly next?: string
    readonly implausible?: true
    readonly asked?: true
  }
}

const readTime = ({ event }: GuardArgs): number => event.at ?? 0

/** Whether a submission that was not executed may still be retried (PAYOUT-2). */
const isWithinWindow = (args: GuardArgs): boolean =>
  readTime(args) < (args.context.refused_at ?? readTime(args)) + retryWindow

/** The provider that the movement goes to next, if the event is the `unavailable` of the latest submission. Undefined otherwise. */
const findNextProvider = ({ context, event: { attempt, next = "" } }: GuardArgs): string | undefined =>
  attempt === context.attempts && context.route?.includes(next) === true ? next : undefined

/**
 * Named guards, for `setup({ guards })`.
 *
 * - `withinWindow`, `mayRetry`: there is still time to submit again after a submission that was not executed.
 * - `awaits`: it waits for approval. `awaitsMore`: it still does after one more.
 * - `moves`: the latest submission was not executed, and another provider is left.
 * - `stale`: the result belongs to an earlier submission. Put it first, without a target.
 * - `implausible`: what the provider has reported cannot be true.
 * - `unanswered`: the same, or a look-up that asks about it had no answer.
 * - `doubtful`: the result may belong to an earlier submission, because it came in a callback after several
 *   submissions. The provider is asked, and no money is released.
 * - `unproven`: the provider rejects a submission after an earlier one was made, or after the outcome was unknown. The
 *   earlier one may be the reason for the rejection.
 * - `refused`, `kept`: a look-up has confirmed such a rejection, and the money is refundable, or not.
 */
export const guards = {
  awaits: ({ context }: GuardArgs): boolean => (context.awaiting ?? 0) > 0,
  awaitsMore: ({ context }: GuardArgs): boolean => (context.awaiting ?? 0) > 1,
  moves: (args: GuardArgs): boolean => findNextProvider(args) !== undefined,
  stale: ({ context, event }: GuardArgs): boolean => event.attempt !== undefined && event.attempt !== context.attempts,
  implausible: ({ event }: GuardArgs): boolean => event.implausible === true,
  unanswered: ({ event }: GuardArgs): boolean => event.implausible === true || event.asked === true,
  doubtful: ({ context, event }: GuardArgs): boolean => event.attempt === undefined && context.attempts > 1,
  unproven: ({ context, event }: GuardArgs): boolean =>
    event.attempt !== undefined && (context.attempts > 1 || context.lookups > 0),
  refused: ({ context }: GuardArgs): boolean => context.refusal?.refundable === true,
  kept: ({ context }: GuardArgs): boolean => context.refusal?.refundable === false,
  withinWindow: isWithinWindow,
  mayRetry: (args: GuardArgs): boolean => args.context.retry_on_failure && isWithinWindow(args)
}

/**
 * The provider's reasons for a failure whose money is given back. Any other reason becomes `failed` (FAILURE-8).
 * `quote_expired`, `returned` and `refund_failed` say where the money is, which only this service decides.
 */
const known = new Set(["failed", "cancelled", "reversed", "temporarily_unavailable"])

/** Whether the money of a movement or a deposit could not be given back. No word of a provider or a person says so: only a machine does. */
export const hasRefundFailed = (data: unknown): boolean =>
  (data as { readonly failure_reason?: string | null }).failure_reason === "refund_failed"

/** The failure reason that `/v1` shows for a provider's reason. */
export const toFailureReason = (reason: string | null): string =>
  reason !== null && known.has(reason) ? reason : "failed"

interface Refused {
  readonly context: Payout
  readonly event: { readonly type: string; readonly reason?: string | null }
}

interface Approved {
  readonly context: Payout
  readonly event: { readonly type: string; readonly counts?: ReadonlyArray<CountedLater> }
}

/**
 * The provider's own reason for a rejection: from its result, or from the earlier rejection that a look-up has
 * confirmed.
 */
export const providerReason = ({ context, event }: Refused): string | null =>
  (event.type === "provider.absent" ? context.refusal?.reason : event.reason) ?? null

/** The members of a movement that goes to the next provider of its route. Those before that one are skipped. */
export const toNextProvider = (args: GuardArgs): Partial<Payout> => {
  const { route = [] } = args.context
  const next = findNextProvider(args)
  return next === undefined ? {} : { provider: next, route: route.slice(route.indexOf(next) + 1) }
}

/** The members of a movement without its route: from here on no other provider is tried (ROUTE-3). */
const endRoute = ({ route = [] }: Payout): Partial<Payout> => (route.length === 0 ? {} : { route: [] })

/**
 * Named assignments, for `setup({ actions })`: what a movement records of its payout.
 *
 * - `approved`: one more approval.
 * - `began`: one more submission. `lookedUp`: one more look-up.
 * - `moved`: the next provider has the movement.
 * - `refused`: a submission was not executed, and when that first happened.
 * - `hashed`: the transaction hash that the provider reported.
 * - `explained`: the provider's reason, from this event or from the rejection that is now confirmed.
 * - `because`: a reason of this service.
 * - `unproven`: a rejection that is not confirmed yet.
 */
export const notes = {
  approved: assign(({ context, event }: Approved) => ({
    awaiting: Math.max(0, (context.awaiting ?? 0) - 1),
    ...(context.over === undefined || event.counts === undefined
      ? {}
      : { over: { ...context.over, counts: event.counts } })
  })) as Note<undefined>,
  began: assign(({ context }: { context: Payout }) => ({
    attempts: context.attempts + 1,
    lookups: 0,
    refusal: null
  })) as Note<undefined>,
  lookedUp: assign(({ context }: { context: Payout }) => ({
    lookups: context.lookups + 1,
    ...endRoute(context)
  })) as Note<undefined>,
  moved: assign((args: GuardArgs) => toNextProvider(args)) as Note<undefined>,
  refused: assign((args: GuardArgs) => ({
    refused_at: args.context.refused_at ?? readTime(args),
    ...endRoute(args.context)
  })) as Note<undefined>,
  hashed: assign(({ event }: { event: { transaction_hash?: string | null } }) => ({
    transaction_hash: event.transaction_hash ?? null
  })) as Note<undefined>,
  explained: assign((refused: Refused) => ({
    failure_reason: toFailureReason(providerReason(refused))
  })) as Note<undefined>,
  unproven: assign(({ event }: { event: { type: string; reason?: string | null } }) => ({
    refusal: { reason: event.reason ?? null, refundable: event.type === "provider.failed" }
  })) as Note<undefined>,
  blocked: assign(() => ({ failure_reason: "failed", blocked: true as const })) as Note<undefined>,
  because: assign((_: unknown, params: { reason: string }) => ({ failure_reason: params.reason })) as Note<{
    reason: string
  }>
}

/** States of a movement that the provider has, or may have. A step between two of them is no progress. */
export const underWay: ReadonlySet<string> = new Set(["submitting", "unknown", "waiting", "rerouted"])

/** The state of a movement for comparisons of progress: all states of `underWay` are `submitting`. */
export const toPhase = (state: string): string => (underWay.has(state) ? "submitting" : state)

/** All commands of a movement have this name, so that each replaces the one before. */
export const commandName = "payout"

export const submitNow = command({ operation: "submit", name: commandName })
export const lookupAfterGrace = command({ operation: "lookup", name: commandName, after_ms: submissionGrace })
const submitLater = {
  type: "command",
  params: ({ context }: { context: Payout }) =>
    ({
      operation: "submit",
      name: commandName,
      // PAYOUT-2. `attempts` counts the submissions made, this one included.
      after_ms: computeBackoff(5 * second, Math.max(0, context.attempts - 1), 10 * minute)
    }) as const
} as const
const lookupLater = {
  type: "command",
  params: ({ context }: { context: Payout }) =>
    ({ operation: "lookup", name: commandName, after_ms: findLookupDelay(context.lookups) }) as const
} as const

/** `provider.unknown` where no submission is under way: only what cannot be true is asked about again (OUTCOME-6). */
const askAgain = { guard: "implausible", actions: [lookupLater, "lookedUp"] } as const

/** The transitions of a movement that has ended, and whose provider is asked about what cannot be true until it answers (OUTCOME-6). */
export const askedAfterEnd = {
  "provider.unknown": { ...askAgain, guard: "unanswered" },
  "provider.pending": { actions: [lookupLater, "lookedUp"] }
} as const

/** The transitions that precede those of a rejection. The rejection counts only if neither guard passes. */
const beforeRejection = [
  { guard: "stale" },
  { guard: "unproven", target: "unknown", actions: ["unproven", lookupLater, "lookedUp"] }
] as const

const beforeRetry = [
  { guard: "stale" },
  { guard: "doubtful", target: "unknown", actions: [lookupLater, "lookedUp"] }
] as const

/** Makes the action that posts the money from the provider's clearing account to that of the next provider. Use it before `moved`. */
export const handOver = <Data extends Payout>(
  of: (data: Data) => { readonly provider: string; readonly amount: string; readonly currency: string }
) =>
  ({
    type: "post",
    params: ({ context, event }: { readonly context: Data; readonly event: { readonly type: string } }) => {
      const { provider, amount, currency } = of(context)
      const next = findNextProvider({ context, event })
      return next === undefined ? [] : makePosting(clearing(provider), clearing(next), amount, currency)
    }
  }) as const

const retry = { target: "waiting", actions: ["refused", submitLater] } as const

/** Makes the action that records a reason of this service. */
export const because = (reason: string) => ({ type: "because", params: { reason } }) as const

/** The action that records why a movement failed: the provider's reason, that its beneficiary may not be paid, or another one of this service. */
export type Reason = "explained" | "blocked" | ReturnType<typeof because>

/** `payout.begun` after the first submission. */
export const resubmitted = { target: "submitting", actions: ["began", lookupAfterGrace] } as const

/**
 * The transitions of a movement on the provider's results. The movement defines where it ends and where its money goes.
 * When a result counts, and how long a submission is retried, is the same for all movements.
 *
 * `succeeded`, `returned` and `refundFailed` are the transitions on these outcomes: the money was paid out; the rail
 * returned it, and the provider has it; the payout was rejected, and the provider cannot give the money back. `failed`
 * makes the transition of a rejection from its reason.
 *
 * `handOver` moves the money when another provider gets the movement, in the state `rerouted`: nothing has been submitted
 * there yet. `withdrawn` has the transitions of a movement that was not executed and may not be submitted again, to this provider or
 * another: they come before those of the next submission. Default: there are none.
 *
 * Results: `answers` has the transitions of `submitting` and `unknown`; `endings`, those of `waiting`, where no
 * submission is under way; `refusals`, those of a state before the first submission.
 */
export const makeAnswerTransitions = <
  const Succeeded extends object,
  const Failed extends object,
  const Returned extends object,
  const RefundFailed extends object,
  const HandOver extends object,
  const Withdrawn extends ReadonlyArray<object> = readonly []
>({
  handOver,
  succeeded,
  failed,
  returned,
  refundFailed,
  withdrawn = [] as unknown as Withdrawn
}: {
  readonly handOver: HandOver
  readonly succeeded: Succeeded
  readonly failed: (reason: Reason) => Failed
  readonly returned: Returned
  readonly refundFailed: RefundFailed
  readonly withdrawn?: Withdrawn
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
    "provider.refund_failed": [...beforeRejection, refundFailed],
    "provider.unknown": { ...askAgain, target: "unknown" }
  } as const
  const answers = {
    ...endings,
    "provider.unavailable": [
      ...beforeRetry,
      ...withdrawn,
      { guard: "moves", target: "rerouted", actions: [handOver, "moved", submitNow] },
      { guard: "mayRetry", ...retry },
      outOfTime
    ],
    "provider.absent": [
      { guard: "refused", ...failed("explained") },
      { guard: "kept", ...refundFailed },
      ...withdrawn,
      { guard: "withinWindow", ...retry },
      outOfTime
    ],
    "provider.unknown": { target: "unknown", actions: [lookupLater, "lookedUp"] },
    "provider.pending": { target: "submitting", actions: [lookupLater, "lookedUp"] }
  } as const
  return { refusals, endings, answers }
}

/**
 * The money of one movement. `account` is guarded. The `reserved` account of its owner holds the money until
 * submission.
 */
interface Outgoing {
  readonly account: AccountId
  readonly provider: string
  /** Minor units. */
  readonly amount: string
  readonly currency: string
}

/**
 * The actions that move money from a wallet or a credential to a provider:
 *
 * - `reserve`: at creation, into the owner's `reserved` account.
 * - `release`: back from there, when nothing is submitted.
 * - `submit`: into the provider's clearing account.
 * - `handOver`: from there into the clearing account of the next provider, when the movement goes to that one.
 * - `giveBack`: back from there, when the provider has not paid it out.
 * - `suspend`: from there into `suspense`, when the provider cannot give it back.
 */
export const makeOutgoingActions = <Data extends Payout>(of: (data: Data) => Outgoing) => {
  const move = (between: (money: Outgoing) => readonly [debit: AccountId, credit: AccountId]) =>
    post((data: Data): ReadonlyArray<Posting> => {
      const money = of(data)
      return makePosting(...between(money), money.amount, money.currency)
    })
  const setAside = ({ account }: Outgoing): AccountId => reserved(ownerOf(account))
  return {
    reserve: move((money) => [money.account, setAside(money)]),
    release: move((money) => [setAside(money), money.account]),
    submit: move((money) => [setAside(money), clearing(money.provider)]),
    handOver: handOver(of),
    giveBack: move((money) => [clearing(money.provider), money.account]),
    suspend: move((money) => [clearing(money.provider), "suspense"])
  }
}
