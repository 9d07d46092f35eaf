/** What verifications and requests for access begin with and hear: parts of the specimens. */
import type { VerificationData } from "../../../src/machines/parties/verification.ts"
import type { CustomerSummary } from "../../../src/machines/parties/summaries.ts"

type SpecimenParts = readonly [
  inputs: Readonly<Record<string, object>>,
  events: ReadonlyArray<{ readonly type: string }>
]

const day = 24 * 60 * 60_000

/** Everything it hears comes while the link holds, and from the instant it has lapsed. */
export const verificationOf = (customer: CustomerSummary, begun: number): SpecimenParts => {
  const link = { token_sealed: "s", token_hash: "h", expires_at: begun + day }
  const input: VerificationData = {
    customer_id: "cust_1",
    tier_requested: "tier_1",
    redirect_url: "https://example.com/done",
    link,
    submission: null,
    approval: null,
    rejected: null,
    failure_reason: null
  }
  const profile = { date_of_birth: "01/31/1990", id_type: "passport", id_number: "s", id_number_masked: "*234" }
  const approval = { customer, profile: { id_type: "passport" }, tier_upgraded_from: "tier_0" }
  return [
    { new: input },
    [begun, link.expires_at].flatMap((at) => [
      { type: "provider.opened", at },
      { type: "customer.submitted", at, submission: { name: "Ada", profile } },
      { type: "provider.approved", at, more_held: false, approval },
      { type: "provider.approved", at, more_held: true, approval },
      { type: "provider.rejected", at, reason: "declined", customer },
      { type: "refresh", at, link: { token_sealed: "s2", token_hash: "h2", expires_at: at + day }, redirect_url: null },
      { type: "timer.link_expiry", at }
    ])
  ]
}

export const accessRequestAt = (at: number): SpecimenParts => [
  {
    new: {
      resource_id: "cur_1",
      resource_code: "XOF",
      country_code: "SN",
      merchant_name: "Ada",
      reason: "r",
      reviewer_id: null,
      review_reason: null,
      reviewed_at: null
    }
  },
  ["approve", "reject", "revoke"].map((type) => ({ type, at, reviewer_id: "operator", reason: "r" }))
]

export const accessGrant: SpecimenParts = [
  { new: { request_id: "rar_1" } },
  [
    { type: "request", request_id: "rar_2" } as { type: string },
    { type: "approve" },
    { type: "reject" },
    { type: "revoke" }
  ]
]
