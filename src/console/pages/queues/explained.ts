/** Sentences for the reasons that the API names. */
import { t } from "../../frame/language.ts"

/** Why a provider's report became an exception. Its amounts say where the money is. */
export const exceptionReasons: Readonly<Record<string, string>> = {
  unknown_resource: t("The provider reports on something that does not exist here."),
  another_provider: t("Another provider than the one that has the movement reports on it."),
  contradicts_state: t("The report contradicts what is recorded."),
  another_currency: t("The confirmed currency differs from the one that was detected."),
  another_target: t("The confirmed recipient differs from the one that was detected."),
  another_amount: t("The provider reports another amount than before."),
  unknown_target: t("Money arrived at an address or account that nobody here has."),
  ambiguous_target: t("Money arrived at an address or account that several resources have."),
  wrong_currency: t("Money arrived in another currency than the address or account is for."),
  already_funded: t("Money arrived for an onramp that was paid already."),
  implausible_amount: t("The provider reported an amount that cannot be true."),
  over_settlement: t("The recipient got more than instructed."),
  short_settlement: t("The recipient got less than instructed."),
  over_return: t("More came back than was paid out."),
  partial_return: t("Less came back than was paid out."),
  over_refund: t("The payer got more back than instructed."),
  partial_refund: t("The payer got less back than instructed."),
  refused_screening: t("The screening refused the beneficiary after a payout to it was submitted."),
  target_taken: t("The provider issued an address or account that another resource has."),
  late_funding: t("Money arrived for an onramp after its deadline. Apply it if the payer paid in time."),
  event_id_reused: t("The provider used the id of an earlier event for another event."),
  unreadable_event: t("The report could not be read."),
  unreadable_amount: t("The amount in the report could not be read."),
  remainder: t("The pay-in has more decimals than the ledger keeps. What is below the smallest unit is not booked."),
  not_applicable: t("The report does not apply to the resource in its present state."),
  refund_failed: t("The provider could not return the money to its payer."),
  refund_bounced: t("A refund that had succeeded came back."),
  recalled: t("The pay-in failed after it was confirmed.")
}
export const exceptionReasonNames: ReadonlyArray<string> = Object.keys(exceptionReasons)

/** Why a resource makes no progress. */
export const stuckReasons: Readonly<Record<string, string>> = {
  not_submitted: t("It has not been submitted to a provider yet."),
  awaiting_outcome: t("It was submitted. The provider has not reported the outcome."),
  awaiting_person: t("The provider has it, and it waits for a person."),
  outcome_unknown: t("The provider did not answer. Nobody knows yet whether it was executed; it is asked again."),
  provider_unavailable: t("The provider is temporarily unavailable. It is submitted again later."),
  provider_not_ready: t("The provider is not ready to take submissions."),
  other_provider: t("Its provider is not configured. Configure it, or nothing will happen."),
  paused: t("It is paused. Release the pause to continue."),
  no_work_due: t("No job is due for it. This needs an engineer."),
  awaiting_payment: t("The payer has not paid yet."),
  awaiting_refund: t("The provider has not reported the outcome of the refund."),
  awaiting_confirmation: t("The deposit was detected and is not confirmed yet."),
  awaiting_release: t("It is held. Release or reject it."),
  awaiting_operator: t("It waits for an operator."),
  awaiting_screening: t("The screening of the beneficiary has no result yet."),
  service_unavailable: t("Its rows need a rate or a check that is not available now. They are tried again."),
  awaiting_issue: t("The provider has not issued the address or account yet."),
  awaiting_customer: t("The customer has not completed the verification.")
}

/** Why a deposit is held. */
export const holdReasons: Readonly<Record<string, string>> = {
  tier_limit: t("It exceeds the limit of the customer's tier. A verification that raises the limit releases it."),
  payin_frozen: t("The address or account that it came to is frozen."),
  payin_disabled: t("The address or account that it came to is disabled.")
}

const explainBy =
  (sentences: Readonly<Record<string, string>>) =>
  (reason: string): string | undefined =>
    Object.hasOwn(sentences, reason) ? sentences[reason] : undefined

export const exceptionReason = explainBy(exceptionReasons)
export const stuckReason = explainBy(stuckReasons)
export const holdReason = explainBy(holdReasons)
