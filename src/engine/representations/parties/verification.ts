/** The `/v1` shape of a verification session, and its event object (KYC-4, KYC-13). */
import { Schema } from "effect"
import type { Tier } from "../../../machines/parties/customer.ts"
import { type Decline, declines, IN_REVIEW, type VerificationData } from "../../../machines/parties/verification.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { timestampBody } from "../shared.ts"

export const verificationStatuses = ["pending", "in_progress", "approved", "rejected", "expired"] as const

export const VerificationBody = Schema.Struct({
  id: Schema.String,
  customer_id: Schema.String,
  status: Schema.Literals(verificationStatuses),
  tier_requested: Schema.Literals(["tier_1", "tier_2"]),
  tier_current: Schema.Literals(["tier_0", "tier_1", "tier_2"]),
  hosted_url: Schema.NullOr(Schema.String).annotate({
    description: "The page where the customer completes the verification. Null once there is a verdict."
  }),
  hosted_url_expires_at: Schema.NullOr(timestampBody),
  redirect_url: Schema.NullOr(Schema.String).annotate({
    description: "The URL that the page redirects the customer to at the end."
  }),
  failure_reason: Schema.NullOr(Schema.Literals(declines)),
  failure_reason_message: Schema.NullOr(Schema.String),
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Verification" })
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

/** The members of a session that do not depend on its link. */
const common = (row: Row<VerificationData>, tier_current: Tier, at: number) => ({
  id: row.id,
  customer_id: row.data.customer_id,
  status: verificationStatus(row, at),
  tier_requested: row.data.tier_requested,
  tier_current,
  redirect_url: row.data.redirect_url,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at)
})

/** `hosted_url`: the session's link, null when it has none. */
export const verificationBody = (
  row: Row<VerificationData>,
  tier_current: Tier,
  hosted_url: string | null,
  at: number
): VerificationBody => {
  const { redirect_url, created_at, updated_at, ...about } = common(row, tier_current, at)
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

/** Members that have a value. */
const present = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))

/**
 * The event object: the session, its customer after the verdict, and either the verified profile or the reason of the
 * rejection (EVENT-26). Members without a value are omitted.
 */
export const verificationEvent = (row: Row<VerificationData>): object => {
  const { approval, failure_reason, rejected } = row.data
  const customer = approval?.customer ?? rejected
  return present({
    ...common(row, (customer?.tier ?? "tier_0") as Tier, row.updated_at),
    customer,
    profile: approval?.profile,
    tier_upgraded_from: approval?.tier_upgraded_from,
    failure_reason,
    failure_reason_message: failure_reason === null ? null : sentences[failure_reason]
  })
}
