/** The `/v1` shapes of a customer (CUSTOMER-2). */
import { Schema } from "effect"
import type { CustomerData, CustomerProfile } from "../../../machines/parties/customer.ts"
import type { CustomerSummary } from "../../../machines/parties/summaries.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { metadataBody, timestampBody } from "../shared.ts"

export const ProfileBody = Schema.Struct({
  phone: Schema.NullOr(Schema.String),
  address: Schema.NullOr(
    Schema.Struct({
      line1: Schema.String,
      line2: Schema.NullOr(Schema.String),
      city: Schema.String,
      state: Schema.NullOr(Schema.String),
      postal_code: Schema.NullOr(Schema.String),
      country_code: Schema.String
    })
  ),
  date_of_birth: Schema.NullOr(Schema.String).annotate({ description: "MM/DD/YYYY" }),
  id_number: Schema.NullOr(Schema.String).annotate({ description: "Masked to its last four characters." }),
  id_type: Schema.NullOr(Schema.String),
  business_licence: Schema.NullOr(Schema.String)
})

export const CustomerBody = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(["individual", "business"]),
  name: Schema.String,
  email: Schema.String,
  merchant_reference: Schema.NullOr(Schema.String),
  country_code: Schema.String,
  tier: Schema.Literals(["tier_0", "tier_1", "tier_2"]),
  kyc_status: Schema.Literals(["not_started", "pending", "in_progress", "approved", "rejected", "expired"]),
  is_default: Schema.Boolean,
  metadata: metadataBody,
  created_at: timestampBody,
  updated_at: timestampBody,
  profile: ProfileBody
}).annotate({ identifier: "Customer" })
export type CustomerBody = typeof CustomerBody.Type

/** A verification is `expired` as soon as its link expires, even before the timer fires. */
const kycStatus = ({ kyc_status, verification }: CustomerData, at: number): CustomerBody["kyc_status"] =>
  (kyc_status === "pending" || kyc_status === "in_progress") && at >= (verification?.lapses_at ?? Infinity)
    ? "expired"
    : kyc_status

/** The `/v1` shape of a profile: all members, the id number masked. */
export const profileBody = (profile: CustomerProfile | null): typeof ProfileBody.Type => ({
  phone: profile?.phone ?? null,
  address:
    profile?.address === undefined
      ? null
      : {
          line1: profile.address.line1,
          line2: profile.address.line2 ?? null,
          city: profile.address.city,
          state: profile.address.state ?? null,
          postal_code: profile.address.postal_code ?? null,
          country_code: profile.address.country_code
        },
  date_of_birth: profile?.date_of_birth ?? null,
  id_number: profile?.id_number_masked ?? null,
  id_type: profile?.id_type ?? null,
  business_licence: profile?.business_licence ?? null
})

/** A customer as of `at`, in epoch milliseconds. */
export const customerBody = ({ id, created_at, updated_at, data: c }: Row<CustomerData>, at: number): CustomerBody => ({
  id,
  type: c.type,
  name: c.name,
  email: c.email,
  merchant_reference: c.merchant_reference,
  country_code: c.country_code,
  tier: c.tier,
  kyc_status: kycStatus(c, at),
  is_default: c.is_default,
  metadata: c.metadata,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
  profile: profileBody(c.profile)
})

/** The summary of a customer (CUSTOMER-3). */
export const customerSummary = ({ id, created_at, updated_at, data: c }: Row<CustomerData>): CustomerSummary => ({
  id,
  type: c.type,
  name: c.name,
  email: c.email,
  tier: c.tier,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
