/** Sentences for the reasons that the API names. */

/** Why a provider's report became an exception. Its amounts say where the money is. */
export const exceptionReasons: Readonly<Record<string, string>> = {
  unknown_resource: "The provider reports on something that does not exist here.",
  another_provider: "Another provider than the one that has the movement reports on it.",
  contradicts_state: "The report contradicts what is recorded.",
  another_currency: "The confirmed currency differs from the one that was detected.",
  another_target: "The confirmed recipient differs from the one that was detected.",
  another_amount: "The provider reports another amount than before.",
  unknown_target: "Money arrived at an address or account that nobody here has.",
  ambiguous_target: "Money arrived at an address or account that several resources have.",
  wrong_currency: "Money arrived in another currency than the address or account is for.",
  already_funded: "Money arrived for an onramp that was paid already.",
  implausible_amount: "The provider reported an amount that cannot be true.",
  over_settlement: "The recipient got more than instructed.",
  short_settlement: "The recipient got less than instructed.",
  over_return: "More came back than was paid out.",
  partial_return: "Less came back than was paid out.",
  over_refund: "The payer got more back than instructed.",
  partial_refund: "The payer got less back than instructed.",
  refused_screening: "The screening refused the beneficiary after a payout to it was submitted.",
  target_taken: "The provider issued an address or account that another resource has.",
  late_funding: "Money arrived for an onramp after its deadline. Apply it if the payer paid in time.",
  event_id_reused: "The provider used the id of an earlier event for another event.",
  unreadable_event: "The report could not be read.",
  unreadable_amount: "The amount in the report could not be read.",
  remainder: "The pay-in has more decimals than the ledger keeps. What is below the smallest unit is not booked.",
  not_applicable: "The report does not apply to the resource in its present state.",
  refund_failed: "The provider could not return the money to its payer.",
  refund_bounced: "A refund that had succeeded came back.",
  recalled: "The pay-in failed after it was confirmed."
}
export const exceptionReasonNames: ReadonlyArray<string> = Object.keys(exceptionReasons)

/** Why a resource makes no progress. */
const stuckReasons: Readonly<Record<string, string>> = {
  not_submitted: "It has not been submitted to a provider yet.",
  awaiting_outcome: "It was submitted. The provider has not reported the outcome.",
  awaiting_person: "The provider has it, and it waits for a person.",
  outcome_unknown: "The provider did not answer. Nobody knows yet whether it was executed; it is asked again.",
  provider_unavailable: "The provider is temporarily unavailable. It is submitted again later.",
  provider_not_ready: "The provider is not ready to take submissions.",
  other_provider: "Its provider is not configured. Configure it, or nothing will happen.",
  paused: "A brake stops it. Release the brake to continue.",
  no_work_due: "No job is due for it. This needs an engineer.",
  awaiting_payment: "The payer has not paid yet.",
  awaiting_refund: "The provider has not reported the outcome of the refund.",
  awaiting_confirmation: "The deposit was detected and is not confirmed yet.",
  awaiting_release: "It is held. Release or reject it.",
  awaiting_operator: "It waits for an operator.",
  awaiting_screening: "The screening of the beneficiary has no result yet.",
  service_unavailable: "Its rows need a rate or a check that is not available now. They are tried again.",
  awaiting_issue: "The provider has not issued the address or account yet.",
  awaiting_customer: "The customer has not completed the verification."
}

/** Why a deposit is held. */
const holdReasons: Readonly<Record<string, string>> = {
  tier_limit: "It exceeds the limit of the customer's tier. A verification that raises the limit releases it.",
  payin_frozen: "The address or account that it came to is frozen.",
  payin_disabled: "The address or account that it came to is disabled."
}

const explainBy =
  (sentences: Readonly<Record<string, string>>) =>
  (reason: string): string | undefined =>
    Object.hasOwn(sentences, reason) ? sentences[reason] : undefined

export const exceptionReason = explainBy(exceptionReasons)
export const stuckReason = explainBy(stuckReasons)
export const holdReason = explainBy(holdReasons)
