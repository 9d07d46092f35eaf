/** The parties and destinations of a movement, as copied into its data. The shapes are those that `/v1` shows. */

export interface CustomerSummary {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly email: string
  readonly tier: string
  readonly created_at: string
  readonly updated_at: string
}

interface SenderSummary {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly email: string | null
  readonly country_code: string
  readonly created_at: string
  readonly updated_at: string
}

export interface PostalAddress {
  readonly line1: string
  readonly line2?: string
  readonly city: string
  readonly state?: string
  readonly postal_code?: string
  readonly country_code: string
}

/** The party on whose behalf a payout is made, as it was when the movement was created. `id_number` is encrypted. */
export interface MovementOriginator {
  /** The id of the sender, or of the customer when there is no sender. */
  readonly id: string
  readonly type: "individual" | "business"
  readonly name: string
  readonly country_code: string
  readonly address: PostalAddress | null
  readonly date_of_birth: string | null
  readonly id_type: string | null
  readonly id_number: string | null
}

export interface WalletSummary {
  readonly id: string
  readonly currency: string
  readonly label: string | null
}

/** A wallet credential that money came through, with the details its payer was given. */
export interface FundedCredential {
  readonly id: string
  readonly type: string
  readonly currency: string
  readonly network: string
  readonly label: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly details: Readonly<Record<string, string | null>> | null
  readonly provider_resource_id: string | null
}

export interface BankProvider {
  readonly id: string
  readonly name: string
  readonly code: string
}

/** How far the name that was given is that of the account's holder (BENEFICIARY-8). */
export type NameMatch = "full" | "partial" | "none"

/** Fiat details. `rail` is present only when it is set (PAYSHAP-7). */
export interface FiatDetails {
  readonly country_code: string
  readonly network: string
  readonly account_number: string
  readonly provider: BankProvider | null
  readonly rail?: string
  readonly account_name: string | null
  /** The provider cannot say who holds the account: `account_name` is what the client sent. Absent: it has said so. */
  readonly unchecked?: true
  /** Absent on rows that were written before names were compared. */
  readonly name_match?: NameMatch | null
}

export interface CryptoDetails {
  readonly network: string
  readonly address: string
  readonly memo: string | null
}

export interface BeneficiarySummary {
  readonly id: string
  readonly customer_id: string
  readonly name: string
  readonly label: string | null
  readonly type: string
  readonly currency: string
  /** As `/v1` shows it. Absent on rows that were written before beneficiaries had one. */
  readonly address?: { readonly [Member in keyof PostalAddress]-?: PostalAddress[Member] | null } | null
  /** Absent on rows that were written before beneficiaries had one. */
  readonly purpose_code?: string | null
  readonly details: FiatDetails | CryptoDetails
  readonly metadata: Readonly<Record<string, string>>
  readonly status: string
  readonly screening_id: string
  readonly merchant_reference: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** The destination of a payout, as it was when the movement was created. */
export type PayoutDestination =
  | {
      readonly type: "fiat"
      readonly country_code: string
      readonly network: "bank"
      readonly account_number: string
      readonly account_name: string | null
      readonly provider_id: string | null
      /** The code of the bank in its country. */
      readonly bank_code: string | null
      readonly rail: string | null
    }
  | { readonly type: "crypto"; readonly network: string; readonly address: string; readonly memo: string | null }

/** The parties of a payout from a wallet to a beneficiary, as they were when it was created. */
export interface PayoutParties {
  readonly wallet_id: string
  readonly beneficiary_id: string
  readonly customer: CustomerSummary
  readonly wallet: WalletSummary
  readonly beneficiary: BeneficiarySummary
  readonly destination: PayoutDestination
  readonly sender: SenderSummary | null
  readonly originator: MovementOriginator
}
