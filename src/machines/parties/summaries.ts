/** The people and places of a movement, as kept in its data: the shapes are those `/v1` shows. */

export interface CustomerSummary {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly email: string
  readonly tier: string
  readonly created_at: string
  readonly updated_at: string
}

export interface SenderSummary {
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

/** The party that a payout is made for, as it stood when the movement was made. `id_number` is encrypted. */
export interface Originator {
  /** Of the sender, or of the customer where there is none. */
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

/** A wallet credential that money came through, with what its payer was told. */
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

/** Fiat details; `rail` is there only when set (PAYSHAP-7). */
export interface FiatDetails {
  readonly country_code: string
  readonly network: string
  readonly account_number: string
  readonly provider: BankProvider | null
  readonly rail?: string
  readonly account_name: string | null
}

export interface CryptoDetails {
  readonly network: string
  readonly address: string
  readonly memo: string | null
}

export interface Beneficiary {
  readonly id: string
  readonly customer_id: string
  readonly name: string
  readonly label: string | null
  readonly type: string
  readonly currency: string
  readonly details: FiatDetails | CryptoDetails
  readonly metadata: Readonly<Record<string, string>>
  readonly status: string
  readonly screening_id: string
  readonly merchant_reference: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** Where the provider is told to pay, as it stood when the movement was made. */
export type PayoutDestination =
  | {
      readonly type: "fiat"
      readonly country_code: string
      readonly network: "bank"
      readonly account_number: string
      readonly account_name: string | null
      readonly provider_id: string | null
      readonly rail: string | null
    }
  | { readonly type: "crypto"; readonly network: string; readonly address: string; readonly memo: string | null }

/** Who takes part in a payout from a wallet to a beneficiary, kept as they were when it was made. */
export interface PayoutParties {
  readonly wallet_id: string
  readonly beneficiary_id: string
  readonly customer: CustomerSummary
  readonly wallet: WalletSummary
  readonly beneficiary: Beneficiary
  readonly destination: PayoutDestination
  /** Absent on rows that were made before there were senders. */
  readonly sender?: SenderSummary | null
  /** Absent like the sender. */
  readonly originator?: Originator
}
