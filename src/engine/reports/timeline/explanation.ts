/**
 * What a person asks of a resource first: why it failed or is held, where its money is, and what to do next (TIMELINE-7). It is
 * computed from the row, its postings and what it waits for; nothing of it is stored.
 */
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { ExceptionData, ExceptionReason } from "../../../machines/deposits/exception.ts"
import { accountKey, classOf, isGuarded } from "../../../machines/kernel/ledger.ts"
import { refundName } from "../../../machines/kernel/lifecycle.ts"
import { hasRefundFailed, type Payout } from "../../../machines/kernel/payout.ts"
import type { ConversionData } from "../../../machines/movements/conversion.ts"
import type { BreakData, BreakWord } from "../../../machines/reconciliation/break.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { listReports } from "../../commit/reported-outcomes.ts"
import { jobId } from "../../commit/steps.ts"
import type { AwaitedPerson } from "../../ports/Provider.ts"
import type { Row } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import type { ExplanationBody, MoneyPlaceBody, WaitsForBody } from "../../representations/timeline.ts"
import { holdReasons } from "../../resources/deposits/deposit.ts"
import { confirmedAgain, hasConfirmedAgain } from "../../resources/deposits/exception.ts"
import type { Records } from "./entries.ts"
import { type Heirs, findMoneyInSuspense } from "./heirs.ts"
import { describeAccount, formatTime, describePerson, toWords } from "./sentences.ts"

// What a resource waits for, in a sentence: for the operator in full, for its merchant without the provider's affairs (TIMELINE-3).

/** The sentences of the reasons of `progress.ts`. `$` is the resource. */
const sentences: Readonly<Record<string, string>> = {
  awaiting_payment: "$ waits for the payer's money.",
  awaiting_confirmation: "The payment was seen and is not confirmed yet.",
  awaiting_release: "$ is held until an operator releases or rejects it.",
  awaiting_operator: "$ waits for an operator's decision.",
  awaiting_approval: "$ waits for approval by other people.",
  awaiting_screening: "The screening of $ has no result yet.",
  awaiting_issue: "The provider has not issued the details of $ yet.",
  awaiting_customer: "$ waits for the customer.",
  awaiting_refund: "The provider has not confirmed yet that it returned the money.",
  awaiting_outcome: "$ was submitted, and the provider has not reported the outcome yet.",
  awaiting_person: "$ is at the provider, and waits for a person.",
  outcome_unknown:
    "The provider has not said whether it paid. Until it does, the money is neither returned nor paid again.",
  not_submitted: "$ is about to be submitted to the provider.",
  provider_unavailable: "The provider could not take $, and it is submitted again.",
  provider_not_ready: "The provider accepts no submissions of this merchant now.",
  provider_failing: "The provider does not answer, and its circuit breaker is open.",
  service_unavailable: "Rows of $ need a rate or a check that is not available now.",
  merchant_suspended: "The merchant is suspended.",
  paused: "An operator has paused $.",
  other_provider: "The provider of $ is not configured on this server.",
  no_work_due: "$ has no work due, although it has not ended. An operator must look into it."
}

/** A deposit's machine has a state of the same name as a movement's. */
const ofDeposits: Readonly<Record<string, string>> = {
  provider_unavailable: "The deposit is confirmed, and cannot be decided yet: rates are missing."
}

/** Reasons that a merchant may know. All others are the platform's affairs. */
const open: ReadonlySet<string> = new Set([
  "awaiting_payment",
  "awaiting_confirmation",
  "awaiting_release",
  "awaiting_operator",
  "awaiting_approval",
  "awaiting_screening",
  "awaiting_issue",
  "awaiting_customer",
  "awaiting_refund",
  "merchant_suspended"
])

/** The reason as a merchant sees it. Others than {@link open} are the platform's affairs, and shown as `processing`. */
export const toPublicReason = (reason: string): string => (open.has(reason) ? reason : "processing")

/** What waits for a person, or for another server: that a job is due says nothing about it. */
const untried: ReadonlySet<string> = new Set(["paused", "other_provider", "no_work_due", "awaiting_release"])

/** What is only asked about: nothing is submitted. */
const asked: ReadonlySet<string> = new Set([
  "awaiting_person",
  "awaiting_outcome",
  "outcome_unknown",
  "awaiting_refund",
  "awaiting_issue"
])

interface CurrentWait {
  readonly kind: string
  /** The limits over which it is, so that it waits for approval. */
  readonly over?: ReadonlyArray<string>
  readonly reason: string
  /** Who must act at the provider. Absent or null: nobody. */
  readonly awaited_person?: AwaitedPerson | null
  readonly until: number | null
  readonly next_attempt_at: number | null
  readonly now: number
}

/** Says which limits make a payout wait. */
export const describeLimitsOver = (over: ReadonlyArray<string>): string =>
  `It is over the limit${over.length === 1 ? "" : "s"} ${over.join(", ")}, which ask${over.length === 1 ? "s" : ""} for approval.`

/** Describes what a resource waits for, in a sentence. */
export const describeCurrentWait = ({
  awaited_person = null,
  kind,
  next_attempt_at,
  now,
  over = [],
  reason,
  until
}: CurrentWait): string => {
  const known = (kind === "deposit" ? ofDeposits[reason] : undefined) ?? sentences[reason]
  const template = known ?? (reason === "processing" ? "$ is being processed." : `$ waits: ${toWords(reason)}.`)
  const text = template.replaceAll("$", `the ${toWords(kind)}`)
  const capitalized = `${text[0]!.toUpperCase()}${text.slice(1)}`
  const sentence =
    awaited_person === null ? capitalized : capitalized.replace("a person", () => describePerson(awaited_person))
  if (reason === "awaiting_approval" && over.length > 0) return `${sentence} ${describeLimitsOver(over)}`
  if (until !== null) return `${sentence} It has time until ${formatTime(until, now).replace(/^(on|at) /, "")}.`
  if (next_attempt_at === null || untried.has(reason)) return sentence
  return `${sentence} Corridor ${asked.has(reason) ? "asks" : "tries"} again ${formatTime(next_attempt_at, now)}.`
}

/** Why a deposit is held. */
const holds: Readonly<Record<string, string>> = {
  tier_limit: "The deposit exceeds the limit of the customer's tier.",
  payin_frozen: "The address or account that received the deposit is frozen.",
  payin_disabled: "The address or account that received the deposit is disabled."
}

/** Why a deposit failed. */
const depositFailures: Readonly<Record<string, string>> = {
  failed: "The payment failed, or was taken back, before it could be spent.",
  refund_failed: "The provider could not return the money."
}

/** The provider was not asked: what the payer has taken back stays here (REFUND-8, ONRAMP-9). */
const keptBack = "The refund was not made: the pay-in had failed by then."

/** Whether a resource is not refunded because of its recall, and not because a provider said that it could not. */
const isKeptBack = (row: Records["row"] | undefined): boolean => {
  const { recalled_by } = (row?.data ?? {}) as { readonly recalled_by?: string }
  if (row === undefined || !hasRefundFailed(row.data) || recalled_by === undefined) return false
  const refund = jobId(row.id, refundName)
  return !listReports(row).some(
    ({ command_id, outcome }) => outcome === "refund_failed" || (command_id === refund && outcome !== "success")
  )
}

/** Why a report of a provider became an exception. Where its money is follows from its postings. */
export const reports: Readonly<Record<ExceptionReason, string>> = {
  already_funded: "Money arrived for an onramp that was already paid.",
  ambiguous_target: "Money arrived at an address or account that several resources have.",
  another_amount: "The provider reports another amount than before.",
  another_currency: "The confirmed currency differs from the one that was detected.",
  another_provider: "A provider that does not have the movement reported on it.",
  another_target: "The confirmed address or account differs from the one that was detected.",
  contradicts_state: "The report contradicts the recorded status.",
  event_id_reused: "The provider used the id of an earlier event for a different event.",
  implausible_amount: "The provider reported an impossible amount.",
  late_funding: "Money arrived for an onramp after its deadline.",
  not_applicable: "The report does not apply to the resource in its current status.",
  over_refund: "The provider returned more to the payer than it was instructed to.",
  over_return: "More came back than was paid out.",
  over_settlement: "The recipient got more than instructed.",
  partial_refund: "The payer got less back than instructed.",
  partial_return: "Less came back than was paid out.",
  recalled: "The pay-in failed after it was confirmed.",
  refund_bounced: "A refund that had succeeded came back.",
  refund_failed: "The provider could not return the money.",
  refused_screening: "The screening refused the beneficiary after a payout to it was submitted.",
  remainder: "The pay-in has more decimals than the ledger keeps. The remainder is not booked.",
  short_settlement: "The recipient got less than instructed.",
  target_taken: "The provider issued an address or account that another resource has.",
  unknown_resource: "The provider reported on a resource that does not exist here.",
  unknown_target: "Money arrived at an address or account that no resource has.",
  unreadable_amount: "The amount in the report cannot be read.",
  unreadable_event: "The report cannot be read.",
  wrong_currency: "Money arrived in a currency that the address or account is not for."
}

interface Why {
  readonly reason: string
  readonly message: string
}

const nothing = { reason: null, message: null } as const

const toSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Lists the limits over which a payout is that waits for approval. */
export const listLimitsOver = ({ data, state }: Records["row"]): ReadonlyArray<string> =>
  state === "approving" ? ((data as Partial<Payout>).over?.limits ?? []) : []

/** Explains why a resource failed, was returned, is held or was recorded. Nulls where there is nothing of the kind. */
const explainEnd = (kind: ResourceKind, { row, subject }: Records): Why | typeof nothing => {
  const { data } = row
  if (row.kind === "exception") {
    const { reason } = data as ExceptionData
    if (reason === "refund_failed" && isKeptBack(subject)) return { reason, message: keptBack }
    const recorded =
      reports[reason as ExceptionReason] ?? toSentence(`The provider's report was recorded: ${toWords(reason)}`)
    return { reason, message: hasConfirmedAgain(data as ExceptionData) ? `${recorded} ${confirmedAgain}` : recorded }
  }
  const over = listLimitsOver(row)
  if (over.length > 0) return { reason: "limit_exceeded", message: describeLimitsOver(over) }
  if (row.kind === "deposit" && row.state === "held") {
    const reasons = holdReasons(data as DepositData)
    if (reasons.length > 0)
      return {
        reason: reasons[0]!,
        message: reasons.map((reason) => holds[reason] ?? toSentence(toWords(reason))).join(" ")
      }
  }
  const { failure_reason = null, rejection_reason } = data as Partial<DepositData>
  if (failure_reason === null)
    return rejection_reason === undefined
      ? nothing
      : { reason: rejection_reason, message: toSentence(`The deposit was rejected: ${rejection_reason}`) }
  if (isKeptBack(row)) return { reason: failure_reason, message: keptBack }
  if (row.kind === "deposit" && Object.hasOwn(depositFailures, failure_reason))
    return { reason: failure_reason, message: depositFailures[failure_reason]! }
  if (row.state === "refunding" && failure_reason === "returned")
    return { reason: failure_reason, message: "The money goes back to its payer." }
  const shown = kind.events?.object(row, `${row.kind}.failed`) as
    | { readonly failure_reason_message?: string | null }
    | undefined
  return {
    reason: failure_reason,
    message: shown?.failure_reason_message ?? toSentence(`The ${toWords(row.kind)} failed: ${toWords(failure_reason)}`)
  }
}

/**
 * What became of money: it `is` in an account, it came `back` there, it was `forwarded` from there, or it was only `booked` there, and
 * nobody was paid.
 */
type Way = "is" | "back" | "forwarded" | "booked"

/**
 * What is said of money in each class of accounts in which that of a customer, or of a movement, can be. `$` is the money, `@` the account.
 * A class says `is` of a way that it has no sentence for. `fx`, `fees` and `rounding` are the platform's: they say nothing.
 */
export const moneySentences: Readonly<
  Record<string, Readonly<Partial<Record<Way, string>> & { readonly is: string }>>
> = {
  // It may have been spent since.
  available: { is: "$ was credited to @.", back: "$ went back to @." },
  reserved: { is: "$ is in @." },
  held: { is: "$ is in @." },
  credential: { is: "$ is in @.", back: "$ went back to @.", forwarded: "$ was forwarded from @." },
  clearing: { is: "$ is in @: no final outcome is recorded." },
  suspense: { is: "$ is in @." },
  losses: { is: "$ is the platform's loss." },
  world: { is: "$ was paid out through @.", booked: "$ left the books through @, without a payment." }
}

/** Names the provider behind a `world` account. */
const describeWorld = (account: string): string =>
  account === "world" ? "the provider" : account.slice("world:".length)

/** Money in an account. */
interface Place {
  readonly account: string
  readonly currency: string
  readonly minor: bigint
  readonly way: Way
}

/** Shows an amount of money, where it is, and a sentence about it. */
const toPlaceBody = ({ account, currency, minor, way }: Place): MoneyPlaceBody => {
  const amount = displayAmount(minor, currency)
  const name = classOf(account)
  const { [way]: text, is } = moneySentences[name]!
  const summary = (text ?? is)
    .replace("$", () => `${amount} ${currency}`)
    .replace("@", () => (name === "world" ? describeWorld(account) : describeAccount(account)))
  return { account, amount, currency, summary }
}

/** What postings change in an account: in all, by those that only correct the books, and what they credit. */
interface Sums {
  readonly account: string
  readonly currency: string
  change: bigint
  booked: bigint
  credited: bigint
}

/** Sums what postings change in each account. */
const sumMoves = (moves: Heirs["moves"]): ReadonlyArray<Sums> => {
  const sums = new Map<string, Sums>()
  const add = (account: string, { isBooking, posting: { currency } }: Heirs["moves"][number], by: bigint): void => {
    const key = accountKey(account, currency)
    const one = sums.get(key) ?? { account, currency, change: 0n, booked: 0n, credited: 0n }
    one.change += by
    if (isBooking) one.booked += by
    if (by > 0n) one.credited += by
    sums.set(key, one)
  }
  for (const move of moves) {
    const amount = BigInt(move.posting.amount)
    add(move.posting.debit, move, -amount)
    add(move.posting.credit, move, amount)
  }
  return [...sums.values()]
}

/** Lists the places of the money of one account. */
const listPlaces = (
  { heirs, row }: Pick<Records, "heirs" | "row">,
  { account, booked, change, credited, currency }: Sums
): ReadonlyArray<Place> => {
  const name = classOf(account)
  const place = (minor: bigint, way: Way): ReadonlyArray<Place> =>
    minor > 0n ? [{ account, currency, minor, way }] : []
  if (name === "world") return [...place(change - booked, "is"), ...place(booked, "booked")]
  if (name === "losses") return place(-change, "is")
  const isBack = change === 0n && (name === "available" || (name === "credential" && row.kind !== "deposit"))
  const way = heirs.isForwarded && name === "credential" ? "forwarded" : isBack ? "back" : "is"
  return place(isBack ? credited : change, way)
}

/** Lists the money that exceptions have in suspense, by currency. */
const listSuspense = (exceptions: ReadonlyArray<Row>): ReadonlyArray<Place> => {
  const held = new Map<string, bigint>()
  for (const { amount, currency } of exceptions.flatMap((one) => findMoneyInSuspense(one) ?? []))
    held.set(currency, (held.get(currency) ?? 0n) + BigInt(amount))
  return [...held].map(([currency, minor]) => ({ account: "suspense", currency, minor, way: "is" as const }))
}

/**
 * Locates the money of a resource, by its own postings and those of its heirs: each account whose balance they raised, and each wallet
 * account whose money left and came back. Money in suspense counts until its exceptions have ended, even if another resource booked it
 * there. `ownOnly` leaves out the platform's accounts.
 */
const locateMoney = (records: Records, ownOnly: boolean): ReadonlyArray<MoneyPlaceBody> => {
  const { heirs, row } = records
  const exceptions = [row, ...heirs.rows].filter(({ kind }) => kind === "exception")
  // The money of an exception begins with it.
  const moves = heirs.moves.filter(({ by, posting }) => by !== row || row.kind !== "exception" || posting.version > 1)
  const places = sumMoves(moves)
    .filter(({ account }) => exceptions.length === 0 || classOf(account) !== "suspense")
    .flatMap((sums) => listPlaces(records, sums))
  return [...places, ...listSuspense(exceptions)]
    .filter(({ account }) => Object.hasOwn(moneySentences, classOf(account)) && (!ownOnly || isGuarded(account)))
    .map(toPlaceBody)
}

/** What an operator does about each reason to wait. Without a line: Corridor goes on by itself. */
const operatorSteps: Readonly<Record<string, string>> = {
  awaiting_operator: "An operator decides it.",
  awaiting_approval: "Other people approve or decline it: `GET /operator/v1/approvals`.",
  awaiting_release: "Release or reject the deposit.",
  merchant_suspended: "Activate the merchant, or leave the money where it is.",
  no_work_due: "Ask an engineer: no job is due for it.",
  other_provider: "Configure its provider on this server.",
  paused: "Release the pause.",
  provider_failing: "Check the provider. Corridor tries again by itself.",
  outcome_unknown:
    "Ask the provider about the command. Corridor asks again by itself, and never pays again before an answer.",
  awaiting_screening: "Ask the screening provider if this takes long.",
  awaiting_issue: "Ask the provider if this takes long."
}

/** Describes the next step while a person must act at the provider: the payment may still be made, so it is never made again. */
const describePersonStep = ({ action, party }: AwaitedPerson): string =>
  party === "operator"
    ? `At the provider: ${action}. Corridor asks again by itself, and does nothing twice before an answer.`
    : `Ask the provider if this takes long: ${describePerson({ action, party })}. Corridor asks again by itself.`

/** What follows a terminal failure. */
const failureSteps: Readonly<Record<string, string>> = {
  failed: "Check the details of the recipient, then start a new one.",
  cancelled: "Start a new one if the payment is still wanted.",
  reversed: "Check the details of the recipient, then start a new one.",
  returned: "Check the details of the recipient, then start a new one.",
  quote_expired: "Create a new quote.",
  temporarily_unavailable: "Start a new one later, with `retry_on_failure` if it can wait."
}

const askSupport = "The platform decides about the money. Contact its support."

const refundFailedStep = { operator: "Resolve the exception that holds the money.", merchant: askSupport } as const
const forwardStep = {
  operator: "Forward what is left on the credential: `POST /operator/v1/credentials/{id}/forward`.",
  merchant: askSupport
} as const

/** Describes what to do after a failure, if anything. The money of a credential stays there (AUTOCONVERT-8). */
const describeAfterFailure = (
  { heirs, row: { data, kind } }: Records,
  reason: string,
  ownOnly: boolean
): string | null => {
  const whose = ownOnly ? "merchant" : "operator"
  if (hasRefundFailed(data))
    return heirs.rows.some((one) => findMoneyInSuspense(one) !== null) ? refundFailedStep[whose] : null
  if (kind === "deposit") return null
  if (kind === "conversion" && ((data as Partial<ConversionData>).credential_id ?? null) !== null)
    return heirs.isForwarded ? null : forwardStep[whose]
  if ((kind === "conversion" || kind === "onramp") && reason !== "quote_expired")
    return "Create a new quote if it is still wanted."
  return failureSteps[reason] ?? null
}

/** What an open break of a movement says of it. */
const breakSentences: { readonly [kind in BreakWord]?: string } = {
  missing_on_statement: "No bank statement has this movement, which should be on one by now.",
  amount_differs: "A bank statement has another amount.",
  executed_twice: "A bank statement has this movement more often than it was made."
}

type Doubt = Partial<Pick<ExceptionData & BreakData, "exposure" | "kind" | "provider_event" | "reason" | "severity">>

const isSuccess = ({ provider_event }: Doubt): boolean =>
  ((provider_event ?? {}) as { readonly outcome?: string }).outcome === "success"

/** Orders open exceptions and breaks of one severity for display: an unknown success first, then the largest exposure. */
const compareDoubts = ([a, x]: readonly [Doubt, Row], [b, y]: readonly [Doubt, Row]): number => {
  const [less, more] = [a, b].map(({ exposure }) => BigInt(exposure?.amount ?? "0")) as [bigint, bigint]
  return (
    Number(isSuccess(b)) - Number(isSuccess(a)) ||
    (less === more ? 0 : less < more ? 1 : -1) ||
    (a.reason ?? "").localeCompare(b.reason ?? "") ||
    (x.id < y.id ? -1 : 1)
  )
}

/**
 * Describes an open exception or break about a movement. Everybody sees it for a payout that was not made, because paying again now may pay
 * twice; for anything else, only the platform, which decides. Undefined: there is none. Money that could not be refunded has its own step,
 * unless it may have been paid.
 */
const describeDoubt = ({ doubts, row }: Records, ownOnly: boolean): string | undefined => {
  const { failure_reason = null } = row.data as { readonly failure_reason?: string | null }
  const isUnapplied = hasRefundFailed(row.data)
  const [first] = doubts
    .map((one) => [one.data as Doubt, one] as const)
    .filter(([one]) => !isUnapplied || (one.severity === "high" && one.reason !== "refund_failed"))
    .sort(compareDoubts)
  if (first === undefined) return undefined
  const [said, doubt] = first
  const isUnpaid = failure_reason !== null && (row.kind === "transfer" || row.kind === "offramp")
  if (ownOnly && !isUnpaid) return undefined
  const { kind, reason } = said
  const found =
    (isUnpaid || isUnapplied) && isSuccess(said)
      ? "The provider has since reported success."
      : reason === undefined
        ? (breakSentences[kind!] ?? "A bank statement contradicts this status.")
        : reports[reason as ExceptionReason]
  return isUnpaid || (isUnapplied && isSuccess(said))
    ? `${found} Do not pay again until ${doubt.id} is resolved.`
    : `${found} Decide ${doubt.id} before you trust the status.`
}

const platformDecides: ReadonlySet<string> = new Set(["awaiting_release", "awaiting_operator", "awaiting_screening"])

const describeNextStep = (
  records: Records,
  reason: string | null,
  waiting: WaitsForBody | null,
  ownOnly: boolean
): string | null => {
  const { row } = records
  if (waiting !== null) {
    if (row.kind === "exception") return "Resolve the exception. `actions` has the resolutions that it takes."
    if (row.kind === "break") return "Resolve the break. `actions` has what it takes."
    if (waiting.reason === "awaiting_payment" || waiting.reason === "awaiting_customer")
      return "None: the payer or customer acts next."
    if (waiting.reason === "awaiting_approval" && ownOnly) return "None: other people approve or decline it."
    if (ownOnly)
      return platformDecides.has(waiting.reason)
        ? "None: the platform reviews it."
        : "None: Corridor continues by itself."
    if (waiting.awaited_person !== null) return describePersonStep(waiting.awaited_person)
    return operatorSteps[waiting.reason] ?? "None: Corridor continues by itself."
  }
  if (reason === null || row.kind === "exception") return null
  return describeAfterFailure(records, reason, ownOnly)
}

/** Makes the explanation of a resource. `ownOnly`: for its merchant, without what is the platform's. */
export const explainResource = (
  kind: ResourceKind,
  records: Records,
  waiting: WaitsForBody | null,
  ownOnly: boolean
): ExplanationBody => {
  const why = explainEnd(kind, records)
  const stated =
    why.reason === null || ownOnly ? undefined : listReports(records.row).findLast(({ reason }) => reason !== null)
  const doubt = describeDoubt(records, ownOnly)
  return {
    reason: why.reason,
    message: doubt === undefined ? why.message : [doubt, why.message].filter((text) => text !== null).join(" "),
    provider_reason: stated?.reason ?? null,
    money: locateMoney(records, ownOnly),
    next_step: doubt ?? describeNextStep(records, why.reason, waiting, ownOnly)
  }
}
