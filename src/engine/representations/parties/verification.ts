/** The `/v1` shape of a verification session, and its event object (KYC-4, KYC-13). */
import { Schema } from "effect"
import type { Tier } from "../../../machines/parties/customer.ts"
import { type Decline, declines, IN_REVIEW, type VerificationData } from "../../../machines/parties/verification.ts"
import type { Row } from "../../ports/Storage.ts"
import { describe, Optional } from "../../input/schemas.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import {
  fitToSchema,
  givenUrlOf,
  idOf,
  orNull,
  textOf,
  tierOf,
  tiers,
  timeOf,
  times,
  urlOf,
  wordOf
} from "../members.ts"
import { CustomerSummaryBody, storedCustomer, VerifiedProfileBody } from "./customer.ts"

export const verificationStatuses = ["pending", "in_progress", "approved", "rejected", "expired"] as const

const common = {
  id: idOf("kyc", "The id of the verification session."),
  customer_id: idOf("cust", "The customer who is verified."),
  status: wordOf(verificationStatuses, "Where the session stands.", {
    pending: "the link is not opened yet",
    in_progress: "the customer opened the link, or the submission is under review",
    approved: "the customer has the requested tier; terminal",
    rejected: "see `failure_reason`; terminal",
    expired: "the link expired; a new request refreshes the session"
  }),
  tier_requested: tierOf(["tier_1", "tier_2"], "The tier that an approval gives."),
  tier_current: tierOf(tiers, "The tier of the customer now.")
}

const redirectUrlBody = givenUrlOf("Where the page sends the customer at the end.", "https://example.com/verified")

const declineMeanings = {
  document_invalid: "the identity document could not be read, has expired or is not accepted",
  identity_mismatch: "the customer's data does not match the document",
  declined: "the identity could not be confirmed"
}
/** Makes the schema of a member that says why a verification is rejected. */
export const declineOf = (description: string) => wordOf(declines, description, declineMeanings)
const declineMessageBody = textOf(
  "`failure_reason` as a sentence, for people.",
  "The customer's data does not match the identity document."
)

export const VerificationBody = Schema.Struct({
  ...common,
  hosted_url: orNull(
    urlOf(
      "The page where the customer completes the verification: show it to them. Null once there is a verdict.",
      "https://pay.example.com/verify/Xq3v0mJ8cT5r"
    )
  ),
  hosted_url_expires_at: orNull(
    timeOf(
      "When the link expires: 24 hours after it was made. Null once there is a verdict.",
      "2026-02-01T09:30:00.000Z"
    )
  ),
  redirect_url: describe(
    orNull(redirectUrlBody),
    "Where the page sends the customer at the end. Null if you sent none."
  ),
  failure_reason: orNull(declineOf("Why the verification was rejected. Null unless it was.")),
  failure_reason_message: describe(
    orNull(declineMessageBody),
    "`failure_reason` as a sentence, for people. Null without a reason."
  ),
  ...times
}).annotate({ identifier: "Verification", description: "An identity verification of a customer on a hosted page." })
export type VerificationBody = typeof VerificationBody.Type

const sentences: Readonly<Record<Decline, string>> = {
  document_invalid: "The identity document could not be read, has expired or is not accepted. Try another document.",
  identity_mismatch: "The customer's data does not match the identity document.",
  declined: "The verification was declined. The customer's identity could not be confirmed."
}

/** Whether the link of a session without a verdict has expired. `at`: milliseconds since the epoch. */
export const isLapsed = (
  { data: { link }, state }: Pick<Row<VerificationData>, "data" | "state">,
  at: number
): boolean => state !== IN_REVIEW && link !== null && at >= link.expires_at

/** The status of a session: `expired` as soon as its link expires, even before the timer fires. */
export const verificationStatus = (row: Row<VerificationData>, at: number): VerificationBody["status"] =>
  (isLapsed(row, at) ? "expired" : row.status) as VerificationBody["status"]

/** The members of a session that its body and its event have in common. */
const commonMembersOf = (row: Row<VerificationData>, tier_current: Tier, at: number) => ({
  id: row.id,
  customer_id: row.data.customer_id,
  status: verificationStatus(row, at),
  tier_requested: row.data.tier_requested,
  tier_current,
  redirect_url: row.data.redirect_url,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at)
})

/** Shows a session. `hosted_url`: its link, null when it has none. */
export const verificationBody = (
  row: Row<VerificationData>,
  tier_current: Tier,
  hosted_url: string | null,
  at: number
): VerificationBody => {
  const { redirect_url, created_at, updated_at, ...about } = commonMembersOf(row, tier_current, at)
  const { failure_reason, link } = row.data
  return {
    ...about,
    hosted_url,
    hosted_url_expires_at: isoOrNull(link?.expires_at ?? null),
    redirect_url,
    failure_reason,
    failure_reason_message: failure_reason === null ? null : sentences[failure_reason],
    created_at,
    updated_at
  }
}

export const VerificationEventObject = Schema.Struct({
  ...common,
  redirect_url: Optional(redirectUrlBody, "Where the page sends the customer at the end. Absent if you sent none."),
  ...times,
  customer: Optional(CustomerSummaryBody, "The customer after the verdict: `tier` is the new tier."),
  profile: Optional(VerifiedProfileBody, "What was verified, id numbers masked. Only in `kyc.approved`."),
  tier_upgraded_from: Schema.optionalKey(
    tierOf(tiers, "The tier before. Only in a `kyc.approved` that promoted the customer.")
  ),
  failure_reason: Schema.optionalKey(declineOf("Why the verification was rejected. Only in `kyc.rejected`.")),
  failure_reason_message: Schema.optionalKey(declineMessageBody)
}).annotate({
  identifier: "VerificationEventObject",
  description: "The verification session, as of its verdict. Members without a value are absent."
})

/** Leaves out members that are null or undefined. */
const omitEmpty = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))

const storedProfile = fitToSchema(VerifiedProfileBody)

/**
 * The event object: the session, its customer after the verdict, and either the verified profile or the reason of the
 * rejection (EVENT-26). Members without a value are omitted.
 */
export const verificationEvent = (row: Row<VerificationData>): object => {
  const { approval, failure_reason, rejected } = row.data
  const customer = approval?.customer ?? rejected
  return omitEmpty({
    ...commonMembersOf(row, (customer?.tier ?? "tier_0") as Tier, row.updated_at),
    customer: customer === null || customer === undefined ? undefined : storedCustomer(customer),
    profile: approval === null || approval === undefined ? undefined : storedProfile(approval.profile),
    tier_upgraded_from: approval?.tier_upgraded_from,
    failure_reason,
    failure_reason_message: failure_reason === null ? null : sentences[failure_reason]
  })
}
