/** A customer of a merchant. Its verification sets `kyc_status` and `tier` (KYC-8, KYC-9). */
import { makeRecordLifecycle, type Update } from "../kernel/lifecycle.ts"
import type { PostalAddress } from "./summaries.ts"

export interface CustomerProfile {
  readonly phone?: string
  readonly address?: PostalAddress
  readonly date_of_birth?: string
  /** Encrypted. Responses show `id_number_masked`. */
  readonly id_number?: string
  readonly id_number_masked?: string
  readonly id_type?: string
  readonly business_licence?: string
}

export type Tier = "tier_0" | "tier_1" | "tier_2"
export type KycStatus = "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired"

/** The open verification of a customer. Its link expires at `lapses_at`, epoch milliseconds. */
interface OpenVerification {
  readonly id: string
  readonly tier: Tier
  readonly lapses_at: number
}

export interface CustomerData {
  readonly type: "individual" | "business"
  readonly name: string
  readonly email: string
  readonly merchant_reference: string | null
  readonly country_code: string
  readonly tier: Tier
  readonly kyc_status: KycStatus
  readonly is_default: boolean
  readonly metadata: Readonly<Record<string, string>>
  readonly profile: CustomerProfile | null
  /** How often its verified data (`name`, `date_of_birth`, `id_number`, `id_type`) have changed. Absent: never. */
  readonly identity_version?: number
  /** Absent when the customer has never begun a verification. Null once it has ended. */
  readonly verification?: OpenVerification | null
}

export type CustomerEvent = Update<CustomerData>

export const Customer = makeRecordLifecycle<CustomerData>("customer")
