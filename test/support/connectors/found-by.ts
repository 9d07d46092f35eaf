/** For each seeded fault of the reference connector, cases of the conformance kit that find it. */
export const foundBy: Readonly<Record<string, ReadonlyArray<string>>> = {
  "pays-twice-at-once": ["payouts/at-once"],
  "pays-again-after-restart": ["payouts/restart"],
  "forgets-after-restart": ["payouts/restart"],
  "lost-on-kill": ["payouts/restart"],
  "absent-while-executing": ["payouts/never-absent"],
  "absent-then-settles": ["payouts/absent-is-final"],
  "accepts-late-requests": ["payouts/late-request"],
  "waits-in-silence": ["payouts/awaits-person"],
  "rejected-then-settles": ["payouts/rejected-stays"],
  "unavailable-executes": ["payouts/many-at-once"],
  "other-body-executes": ["payouts/conflict"],
  "other-body-accepted": ["payouts/conflict"],
  "conflict-executes": ["payouts/conflict"],
  "outcome-changes": ["payouts/settled-stays"],
  "unsigned-answers": ["manifest/well-formed"],
  "unbound-answers": ["signatures/answers-are-bound"],
  "unsigned-404": ["payouts/unknown-is-absent"],
  "accepts-forged-requests": ["signatures/wrong-secret", "signatures/missing"],
  "accepts-old-requests": ["signatures/stale", "signatures/future"],
  "accepts-other-paths": ["signatures/other-operation", "signatures/other-id"],
  "ignores-limits": ["amounts/beyond-limits"],
  "drops-decimals": ["amounts/exact"],
  "amounts-as-numbers": ["payouts/ends"],
  "issues-another-account": ["issues/repeat"],
  "details-of-another-account": ["issues/details"],
  "event-ids-reused": ["events/once"],
  "events-lost": ["events/outcome"],
  "callbacks-once": ["callbacks/repeated"],
  "callbacks-other-secret": ["callbacks/signed"]
}

/** Arguments that a fault needs to be found: what executes late must have done so when the kit looks again. */
export const argsOf = (fault: string): ReadonlyArray<string> =>
  fault === "absent-then-settles" ? ["--watch", "3000"] : []

/** The settings of a connector with a fault. What is pending must be so for long enough to be looked up, on a busy machine too. */
export const envOf = (fault: string): Readonly<Record<string, string>> => ({
  CONNECTOR_FAULT: fault,
  ...(fault === "absent-while-executing" ? { CONNECTOR_DELAY_MS: "1000" } : {})
})
