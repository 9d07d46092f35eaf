/** A sender: the party on whose behalf a payout is made (SENDER-1). */
import type { CustomerProfile } from "./customer.ts"
import { makeRecordLifecycle, type Update } from "../kernel/lifecycle.ts"

export interface SenderData {
  readonly customer_id: string
  readonly type: "individual" | "business"
  readonly name: string
  readonly email: string | null
  readonly country_code: string
  /** The details that banks require, stored as in a customer's profile: `id_number` is encrypted. */
  readonly profile: Pick<CustomerProfile, "address" | "date_of_birth" | "id_number" | "id_number_masked" | "id_type">
  readonly merchant_reference: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type SenderEvent = Update<SenderData>

export const Sender = makeRecordLifecycle<SenderData>("sender")
