/** The `/v1` shapes of a customer (CUSTOMER-2). */
import { Schema } from "effect"
import type { CustomerData, CustomerProfile } from "../../../machines/parties/customer.ts"
import type { PostalAddress } from "../../../machines/parties/summaries.ts"
import type { Row } from "../../ports/Storage.ts"
import { describe } from "../../input/schemas.ts"
import {
  bodyOf,
  countryOf,
  emailOf,
  fitToSchema,
  flagOf,
  idOf,
  merchantReferenceBody,
  metadataBody,
  orNull,
  partyTypes,
  presentFields,
  textOf,
  tierOf,
  tiers,
  times,
  wordOf
} from "../members.ts"

export const CustomerSummaryBody = Schema.Struct({
  id: idOf("cust", "The id of the customer."),
  type: textOf("`individual` or `business`.", "individual"),
  name: textOf("The name of the person or business.", "Ada Obi"),
  email: emailOf("The email address of the customer."),
  tier: textOf("The verified tier: `tier_0`, `tier_1` or `tier_2`.", "tier_1"),
  ...times
}).annotate({ identifier: "CustomerSummary", description: "The customer, as of the creation of what shows it." })

export const storedCustomer = fitToSchema(CustomerSummaryBody)

export const AddressBody = Schema.Struct({
  line1: textOf("The street and number.", "12 Broad Street"),
  line2: orNull(textOf("A second line. Null if there is none.", "Flat 4")),
  city: textOf("The city.", "Lagos"),
  state: orNull(textOf("The state or region. Null if it is not given.", "Lagos")),
  postal_code: orNull(textOf("The postal code. Null if it is not given.", "101233")),
  country_code: countryOf("The country, ISO 3166-1 alpha-2.")
}).annotate({ identifier: "Address", description: "A postal address." })

export const ProfileBody = Schema.Struct({
  phone: orNull(textOf("The phone number in E.164 form. Null if it is not given.", "+2348012345678")),
  address: describe(Schema.NullOr(AddressBody), "The postal address. Null if it is not given."),
  date_of_birth: orNull(textOf("The date of birth as MM/DD/YYYY. Null if it is not given.", "01/31/1990")),
  id_number: orNull(
    textOf(
      "The number of the identity document, masked to its last four characters. Null if it is not given.",
      "*****4567"
    )
  ),
  id_type: orNull(textOf("The type of the identity document. Null if it is not given.", "passport")),
  business_licence: orNull(textOf("The number of the business licence. Null if it is not given.", "RC-1187204"))
}).annotate({
  identifier: "Profile",
  description: "What is known of a customer beside the name. All members may be null."
})

const { address: _, ...profileTexts } = ProfileBody.fields

/** A profile in events: members without a value are absent (EVENT-26). */
export const VerifiedProfileBody = Schema.Struct({
  ...presentFields(profileTexts),
  address: Schema.optionalKey(
    Schema.Struct({
      line1: AddressBody.fields.line1,
      city: AddressBody.fields.city,
      country_code: AddressBody.fields.country_code,
      ...presentFields({
        line2: AddressBody.fields.line2,
        state: AddressBody.fields.state,
        postal_code: AddressBody.fields.postal_code
      })
    }).annotate({ identifier: "VerifiedAddress", description: "The postal address. Absent if it is not given." })
  )
}).annotate({ identifier: "VerifiedProfile", description: "What was verified. Members without a value are absent." })

export const CustomerBody = Schema.Struct({
  id: idOf("cust", "The id of the customer."),
  type: wordOf(partyTypes, "Whether the customer is a person or a business."),
  name: textOf("The name of the person or business.", "Ada Obi"),
  email: emailOf("The email address of the customer."),
  merchant_reference: merchantReferenceBody,
  country_code: countryOf("The country of the customer, ISO 3166-1 alpha-2."),
  tier: tierOf(tiers, "The verified tier. It limits the customer's deposits."),
  kyc_status: wordOf(
    ["not_started", "pending", "in_progress", "approved", "rejected", "expired"],
    "Where the identity verification stands.",
    {
      pending: "a link was created and is not opened yet",
      in_progress: "the customer opened the link, or the submission is under review",
      approved: "verified; it stays so while a higher tier is being verified",
      expired: "the link expired before it was used"
    }
  ),
  is_default: flagOf(
    "Whether it is the merchant's own business, to which wallets and beneficiaries belong by default.",
    false
  ),
  metadata: metadataBody,
  ...times,
  profile: ProfileBody
}).annotate({ identifier: "Customer", description: "A person or business for whom the merchant moves money." })
export type CustomerBody = typeof CustomerBody.Type

/** The KYC status of a customer. A verification is `expired` as soon as its link expires, even before the timer fires. */
const readKycStatus = ({ kyc_status, verification }: CustomerData, at: number): CustomerBody["kyc_status"] =>
  (kyc_status === "pending" || kyc_status === "in_progress") && at >= (verification?.lapses_at ?? Infinity)
    ? "expired"
    : kyc_status

/** Shows a postal address with all members. */
export const addressBody = (address: PostalAddress | null | undefined): typeof AddressBody.Type | null =>
  address === undefined || address === null
    ? null
    : {
        line1: address.line1,
        line2: address.line2 ?? null,
        city: address.city,
        state: address.state ?? null,
        postal_code: address.postal_code ?? null,
        country_code: address.country_code
      }

/** Shows a profile with all members, the id number masked. */
export const profileBody = (profile: CustomerProfile | null): typeof ProfileBody.Type => ({
  phone: profile?.phone ?? null,
  address: addressBody(profile?.address),
  date_of_birth: profile?.date_of_birth ?? null,
  id_number: profile?.id_number_masked ?? null,
  id_type: profile?.id_type ?? null,
  business_licence: profile?.business_licence ?? null
})

/** A customer as of `at`, in epoch milliseconds. */
export const customerBody = bodyOf(CustomerBody, ({ data: c }: Row<CustomerData>, at: number) => ({
  kyc_status: readKycStatus(c, at),
  profile: profileBody(c.profile)
}))

/** The summary of a customer (CUSTOMER-3). */
export const customerSummary = bodyOf(CustomerSummaryBody, (_: Row<CustomerData>) => ({}))
