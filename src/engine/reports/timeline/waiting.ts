/** What a resource waits for, in a sentence: for the operator in full, for its merchant without the provider's affairs (TIMELINE-3). */
import type { AwaitedPerson } from "../../ports/Provider.ts"
import { personWords, formatTime, words } from "./sentences.ts"

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
  paused: "An operator's brake has stopped $.",
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

/** The reason as a merchant sees it. */
export const publicReason = (reason: string): string => (open.has(reason) ? reason : "processing")

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

/** Which limits make a payout wait. */
export const overSentence = (over: ReadonlyArray<string>): string =>
  `It is over the limit${over.length === 1 ? "" : "s"} ${over.join(", ")}, which ask${over.length === 1 ? "s" : ""} for approval.`

export const waitSentence = ({
  awaited_person = null,
  kind,
  next_attempt_at,
  now,
  over = [],
  reason,
  until
}: CurrentWait): string => {
  const known = (kind === "deposit" ? ofDeposits[reason] : undefined) ?? sentences[reason]
  const template = known ?? (reason === "processing" ? "$ is being processed." : `$ waits: ${words(reason)}.`)
  const text = template.replaceAll("$", `the ${words(kind)}`)
  const capitalized = `${text[0]!.toUpperCase()}${text.slice(1)}`
  const sentence =
    awaited_person === null ? capitalized : capitalized.replace("a person", () => personWords(awaited_person))
  if (reason === "awaiting_approval" && over.length > 0) return `${sentence} ${overSentence(over)}`
  if (until !== null) return `${sentence} It has time until ${formatTime(until, now).replace(/^(on|at) /, "")}.`
  if (next_attempt_at === null || untried.has(reason)) return sentence
  return `${sentence} Corridor ${asked.has(reason) ? "asks" : "tries"} again ${formatTime(next_attempt_at, now)}.`
}
