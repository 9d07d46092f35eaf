/** The methods of the clients. Written by `npm run openapi`; a test fails when it is stale. */
import type {
  Feed,
  List
} from "../list.ts"
import type {
  CallOptions,
  ChangeOptions,
  CreateOptions
} from "../options.ts"
import type {
  AccessRequest,
  ActingOperator,
  ApiKey,
  AuditEntry,
  Brake,
  ConfiguredProvider,
  Conversion,
  Country,
  CreateApiKey,
  CreateMerchant,
  CreateMerchantApiKey,
  CreateOperator,
  Currency,
  Customer,
  Deleted,
  DepositAddress,
  Event,
  Exception,
  HeldDeposit,
  LedgerAccount,
  LedgerEntry,
  Me,
  Merchant,
  MerchantCustomer,
  Movement,
  NewApiKey,
  NewMerchant,
  Offramp,
  Onramp,
  Operator,
  OperatorWithToken,
  Provider,
  ProviderBalances,
  ProviderStatement,
  Quote,
  Replayed,
  Resource,
  ResourceHistory,
  Route,
  SearchResult,
  Sender,
  Statistics,
  StuckResource,
  Timeline,
  Transaction,
  Transfer,
  TrialBalance,
  UpdateMerchant,
  UpdateOperator,
  Verification,
  VerificationReview,
  Wallet,
  WalletCredential,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret
} from "./resources.ts"

/** The query of `listApiKeys`. */
export interface ListApiKeysQuery {
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `listCurrencies`. */
export interface ListCurrenciesQuery {
  /** Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  readonly code?: string | null | undefined
  readonly type?: "fiat" | "crypto" | null | undefined
  readonly can_deposit?: boolean | null | undefined
  readonly can_onramp?: boolean | null | undefined
  readonly can_offramp?: boolean | null | undefined
  readonly can_convert?: boolean | null | undefined
  readonly can_transfer?: boolean | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The query of `listCountries`. */
export interface ListCountriesQuery {
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The query of `listProviders`. */
export interface ListProvidersQuery {
  /** Example: `NG`. */
  readonly country_code?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The input of `createAccessRequest`. */
export interface CreateAccessRequestInput {
  /** Example: `NG`. */
  readonly countryCode?: string | null | undefined
  readonly country_code?: string | null | undefined
  readonly reason?: string | null | undefined
}

/** The query of `listAccessRequests`. */
export interface ListAccessRequestsQuery {
  readonly status?: "pending" | "approved" | "rejected" | "revoked" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `createCustomer`. */
export interface CreateCustomerInput {
  readonly type: "individual" | "business"
  readonly name: string
  /** Example: `ada@example.com`. */
  readonly email: string
  /** Example: `NG`. */
  readonly country_code: string
  readonly merchant_reference?: string | null | undefined
  readonly profile?: {
    /** Example: `+2348012345678`. */
    readonly phone?: string | null | undefined
    readonly address?: {
      readonly line1: string
      readonly line2?: string | null | undefined
      readonly city: string
      readonly state?: string | null | undefined
      readonly postal_code?: string | null | undefined
      /** Example: `NG`. */
      readonly country_code: string
    } | null | undefined
    /** Example: `01/31/1990`. */
    readonly date_of_birth?: string | null | undefined
    readonly id_number?: string | null | undefined
    readonly id_type?: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | null | undefined
    readonly business_licence?: string | null | undefined
  } | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listCustomers`. */
export interface ListCustomersQuery {
  readonly type?: "individual" | "business" | null | undefined
  readonly kyc_status?: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `updateCustomer`. */
export interface UpdateCustomerInput {
  readonly name?: string | null | undefined
  /** Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  readonly merchant_reference?: string | null | undefined
  readonly profile?: {
    /** Example: `+2348012345678`. */
    readonly phone?: string | null | undefined
    readonly address?: {
      readonly line1: string
      readonly line2?: string | null | undefined
      readonly city: string
      readonly state?: string | null | undefined
      readonly postal_code?: string | null | undefined
      /** Example: `NG`. */
      readonly country_code: string
    } | null | undefined
    /** Example: `01/31/1990`. */
    readonly date_of_birth?: string | null | undefined
    readonly id_number?: string | null | undefined
    readonly id_type?: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | null | undefined
    readonly business_licence?: string | null | undefined
  } | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The input of `createVerification`. */
export interface CreateVerificationInput {
  readonly tier?: "tier_1" | "tier_2" | null | undefined
  /** Example: `https://example.com/return`. */
  readonly redirect_url?: string | null | undefined
}

/** The query of `listVerifications`. */
export interface ListVerificationsQuery {
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `createWallet`. */
export interface CreateWalletInput {
  /** Example: `USDC`. */
  readonly currency: string
  /** Example: `NG`. */
  readonly country_code?: string | null | undefined
  readonly network?: string | null | undefined
  /** Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  readonly label?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listWallets`. */
export interface ListWalletsQuery {
  readonly customer_id?: string | null | undefined
  readonly currency?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `updateWallet`. */
export interface UpdateWalletInput {
  readonly label?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The input of `createWalletCredential`. */
export interface CreateWalletCredentialInput {
  readonly type: "crypto" | "fiat"
  readonly network: string
  /** Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Example: `NG`. */
  readonly country_code?: string | null | undefined
  readonly label?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listWalletCredentials`. */
export interface ListWalletCredentialsQuery {
  readonly status?: "pending" | "active" | "frozen" | "disabled" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `createDepositAddress`. */
export interface CreateDepositAddressInput {
  readonly network: string
  readonly currency?: string | null | undefined
  readonly label?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listDepositAddresses`. */
export interface ListDepositAddressesQuery {
  readonly status?: "pending" | "active" | "frozen" | "disabled" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `disableDepositAddress`. */
export interface DisableDepositAddressInput {
  readonly reason?: string | null | undefined
}

/** The input of `createBeneficiary`. */
export interface CreateBeneficiaryInput {
  readonly type: "fiat" | "crypto"
  readonly name: string
  /** Example: `USDC`. */
  readonly currency: string
  readonly label?: string | null | undefined
  /** Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  readonly merchant_reference?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
  /**
   * fiat: country_code, network (bank), account_number, provider_id or provider (not with rail payshap),
   * account_name?, rail?. crypto: network, address, memo?.
   */
  readonly details: {
    /** Example: `NG`. */
    readonly country_code?: string | null | undefined
    readonly network?: string | null | undefined
    readonly account_number?: string | null | undefined
    readonly provider_id?: string | null | undefined
    readonly provider?: string | {
      readonly id: string
      readonly name?: string | null | undefined
      readonly code?: string | null | undefined
    } | null | undefined
    readonly account_name?: string | null | undefined
    readonly rail?: "payshap" | null | undefined
    readonly address?: string | null | undefined
    readonly memo?: string | null | undefined
  }
}

/** The query of `listBeneficiaries`. */
export interface ListBeneficiariesQuery {
  readonly customer_id?: string | null | undefined
  readonly type?: "fiat" | "crypto" | null | undefined
  readonly currency?: string | null | undefined
  readonly status?: "pending" | "active" | "blocked" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `updateBeneficiary`. */
export interface UpdateBeneficiaryInput {
  readonly name?: string | null | undefined
  readonly label?: string | null | undefined
  readonly merchant_reference?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
  readonly details?: {
    readonly account_number?: string | null | undefined
    readonly provider_id?: string | null | undefined
    readonly provider?: string | {
      readonly id: string
      readonly name?: string | null | undefined
      readonly code?: string | null | undefined
    } | null | undefined
    readonly account_name?: string | null | undefined
  } | null | undefined
}

/** The input of `createSender`. */
export interface CreateSenderInput {
  readonly type: "individual" | "business"
  readonly name: string
  /** Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  /** Example: `NG`. */
  readonly country_code: string
  readonly address?: {
    readonly line1: string
    readonly line2?: string | null | undefined
    readonly city: string
    readonly state?: string | null | undefined
    readonly postal_code?: string | null | undefined
    /** Example: `NG`. */
    readonly country_code: string
  } | null | undefined
  /** Example: `01/31/1990`. */
  readonly date_of_birth?: string | null | undefined
  readonly id_number?: string | null | undefined
  readonly id_type?: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | null | undefined
  readonly merchant_reference?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listSenders`. */
export interface ListSendersQuery {
  readonly customer_id?: string | null | undefined
  readonly type?: "individual" | "business" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `updateSender`. */
export interface UpdateSenderInput {
  readonly name?: string | null | undefined
  /** Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  readonly address?: {
    readonly line1: string
    readonly line2?: string | null | undefined
    readonly city: string
    readonly state?: string | null | undefined
    readonly postal_code?: string | null | undefined
    /** Example: `NG`. */
    readonly country_code: string
  } | null | undefined
  /** Example: `01/31/1990`. */
  readonly date_of_birth?: string | null | undefined
  readonly id_number?: string | null | undefined
  readonly id_type?: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | null | undefined
  readonly merchant_reference?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The input of `createOfframpQuote`. */
export interface CreateOfframpQuoteInput {
  /**
   * `wallet_id` and `source_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Example: `ben_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly beneficiary_id: string
  /** Example: `snd_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly sender_id?: string | null | undefined
  /** Example: `10.00`. */
  readonly source_amount?: string | null | undefined
  /** Example: `10.00`. */
  readonly target_amount?: string | null | undefined
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /**
   * `wallet_id` and `source_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly source_wallet_id?: string | null | undefined
}

/** The input of `createOnrampQuote`. */
export interface CreateOnrampQuoteInput {
  /**
   * `wallet_id` and `destination_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Example: `USDC`. */
  readonly source_currency: string
  /** Example: `NG`. */
  readonly country_code?: string | null | undefined
  /** Example: `10.00`. */
  readonly source_amount?: string | null | undefined
  /** Example: `10.00`. */
  readonly target_amount?: string | null | undefined
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /**
   * `wallet_id` and `destination_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly destination_wallet_id?: string | null | undefined
}

/** The input of `createConversionQuote`. */
export interface CreateConversionQuoteInput {
  /**
   * `source_wallet_id` and `wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly source_wallet_id?: string | null | undefined
  /** Example: `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly destination_wallet_id: string
  /** Example: `10.00`. */
  readonly source_amount?: string | null | undefined
  /** Example: `10.00`. */
  readonly target_amount?: string | null | undefined
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /**
   * `source_wallet_id` and `wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
}

/** The input of `createQuote`. */
export type CreateQuoteInput = {
  readonly operation: "onramp"
  /**
   * `wallet_id` and `destination_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Example: `USDC`. */
  readonly source_currency: string
  /** Example: `NG`. */
  readonly country_code?: string | null | undefined
  /** Example: `10.00`. */
  readonly source_amount?: string | null | undefined
  /** Example: `10.00`. */
  readonly target_amount?: string | null | undefined
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /**
   * `wallet_id` and `destination_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly destination_wallet_id?: string | null | undefined
} | {
  readonly operation: "conversion"
  /**
   * `source_wallet_id` and `wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly source_wallet_id?: string | null | undefined
  /** Example: `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly destination_wallet_id: string
  /** Example: `10.00`. */
  readonly source_amount?: string | null | undefined
  /** Example: `10.00`. */
  readonly target_amount?: string | null | undefined
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /**
   * `source_wallet_id` and `wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
} | {
  readonly operation?: "offramp" | null | undefined
  /**
   * `wallet_id` and `source_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Example: `ben_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly beneficiary_id: string
  /** Example: `snd_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly sender_id?: string | null | undefined
  /** Example: `10.00`. */
  readonly source_amount?: string | null | undefined
  /** Example: `10.00`. */
  readonly target_amount?: string | null | undefined
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /**
   * `wallet_id` and `source_wallet_id` are names of one member. One of them is required. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly source_wallet_id?: string | null | undefined
}

/** The input of `createOnramp`. */
export interface CreateOnrampInput {
  /** Example: `quo_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly quote_id: string
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  readonly source_currency?: string | null | undefined
  readonly destination_currency?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listOnramps`. */
export interface ListOnrampsQuery {
  readonly status?: "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  readonly customer_id?: string | null | undefined
  readonly wallet_id?: string | null | undefined
  readonly reference?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `createOfframp`. */
export interface CreateOfframpInput {
  /** Example: `quo_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly quote_id: string
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  readonly source_currency?: string | null | undefined
  readonly destination_currency?: string | null | undefined
  readonly narration?: string | null | undefined
  /** Example: `snd_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly sender_id?: string | null | undefined
  readonly retry_on_failure?: boolean | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listOfframps`. */
export interface ListOfframpsQuery {
  readonly status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  readonly customer_id?: string | null | undefined
  readonly wallet_id?: string | null | undefined
  readonly reference?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `createConversion`. */
export interface CreateConversionInput {
  /** Example: `quo_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly quote_id: string
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  readonly source_currency?: string | null | undefined
  readonly destination_currency?: string | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listConversions`. */
export interface ListConversionsQuery {
  readonly status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  readonly customer_id?: string | null | undefined
  readonly wallet_id?: string | null | undefined
  readonly reference?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `createTransfer`. */
export interface CreateTransferInput {
  /** Example: `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly wallet_id: string
  /** Example: `ben_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly beneficiary_id: string
  /** Example: `snd_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly sender_id?: string | null | undefined
  /** Example: `10.00`. */
  readonly amount: string
  /** Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  readonly source_currency?: string | null | undefined
  readonly destination_currency?: string | null | undefined
  readonly retry_on_failure?: boolean | null | undefined
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** The query of `listTransfers`. */
export interface ListTransfersQuery {
  readonly status?: "processing" | "success" | "failed" | null | undefined
  readonly customer_id?: string | null | undefined
  readonly wallet_id?: string | null | undefined
  readonly reference?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `listTransactions`. */
export interface ListTransactionsQuery {
  readonly type?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  readonly source_type?: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer" | null | undefined
  readonly customer_id?: string | null | undefined
  readonly wallet_id?: string | null | undefined
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  readonly source_currency?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `createWebhookEndpoint`. */
export interface CreateWebhookEndpointInput {
  /** Example: `https://example.com/return`. */
  readonly url: string
  readonly description?: string | null | undefined
  readonly categories?: ReadonlyArray<"onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc"> | null | undefined
}

/** The query of `listWebhookEndpoints`. */
export interface ListWebhookEndpointsQuery {
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `updateWebhookEndpoint`. */
export interface UpdateWebhookEndpointInput {
  readonly active?: boolean | null | undefined
  /** Example: `https://example.com/return`. */
  readonly url?: string | null | undefined
  readonly description?: string | null | undefined
  readonly categories?: ReadonlyArray<"onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc"> | null | undefined
}

/** The input of `replayWebhookEvents`. */
export interface ReplayWebhookEventsInput {
  /** Example: `evt_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly event_id?: string | null | undefined
  readonly since?: string | null | undefined
  readonly until?: string | null | undefined
}

/** The query of `listWebhookDeliveries`. */
export interface ListWebhookDeliveriesQuery {
  readonly status?: "pending" | "delivered" | "failed" | null | undefined
  readonly event_type?: string | null | undefined
  /** Example: `evt_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly event_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `listEvents`. */
export interface ListEventsQuery {
  readonly category?: string | null | undefined
  readonly event_type?: string | null | undefined
  readonly event_object_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `feedEvents`. */
export interface FeedEventsQuery {
  /** Example: `evt_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly after?: string | null | undefined
  readonly limit?: number | null | undefined
}

/** The query of `getStatistics`. */
export interface GetStatisticsQuery {
  readonly from?: string | null | undefined
  readonly to?: string | null | undefined
  readonly by?: string | null | undefined
}

/** The input of `sandboxDeposit`. */
export interface SandboxDepositInput {
  /** Example: `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly wallet_id?: string | null | undefined
  /** Example: `da_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly deposit_address_id?: string | null | undefined
  /** Example: `wcr_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly credential_id?: string | null | undefined
  /** Example: `onr_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly onramp_id?: string | null | undefined
  /** Example: `10.00`. */
  readonly amount: string
  readonly currency?: string | null | undefined
  readonly stage?: "detected" | "confirmed" | "failed" | null | undefined
  readonly payin_id?: string | null | undefined
  readonly from_address?: string | null | undefined
  readonly sender?: {
    readonly name?: string | null | undefined
    readonly bank?: string | null | undefined
    readonly account_number?: string | null | undefined
  } | null | undefined
  readonly narration?: string | null | undefined
}

/** The input of `sandboxOutcome`. */
export interface SandboxOutcomeInput {
  readonly resource_id: string
  readonly outcome: "success" | "failed" | "cancelled" | "reversed" | "returned" | "temporarily_unavailable" | "refund_failed"
  readonly reason?: string | null | undefined
  readonly transaction_hash?: string | null | undefined
  /** Example: `10.00`. */
  readonly amount?: string | null | undefined
  readonly currency?: string | null | undefined
  /** Example: `10.00`. */
  readonly fee?: string | null | undefined
  readonly fee_currency?: string | null | undefined
  readonly provider_reference?: string | null | undefined
  readonly event_id?: string | null | undefined
}

/** The input of `sandboxScreenBeneficiary`. */
export interface SandboxScreenBeneficiaryInput {
  readonly outcome: "screened" | "refused"
  readonly screening_id?: string | null | undefined
}

/** The input of `sandboxVerification`. */
export interface SandboxVerificationInput {
  readonly outcome: "opened" | "approved" | "rejected"
  readonly reason?: string | null | undefined
}

/** The input of `sandboxProvider`. */
export interface SandboxProviderInput {
  readonly submissions: "accept" | "hold" | "unavailable" | "timeout"
  readonly refunds?: "settle" | "accept" | null | undefined
}

/** The input of `sandboxAdvanceClock`. */
export interface SandboxAdvanceClockInput {
  readonly seconds: number | "Infinity" | "-Infinity" | "NaN"
}

/** The query of `listMerchants`. */
export interface ListMerchantsQuery {
  readonly status?: "pending" | "active" | "suspended" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `listMerchantApiKeys`. */
export interface ListMerchantApiKeysQuery {
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `revokeMerchantApiKey`. */
export interface RevokeMerchantApiKeyInput {
  readonly note?: string | null | undefined
}

/** The query of `listAllAccessRequests`. */
export interface ListAllAccessRequestsQuery {
  readonly status?: "pending" | "approved" | "rejected" | "revoked" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
}

/** The input of `reviewAccessRequest`. */
export interface ReviewAccessRequestInput {
  readonly decision: "approve" | "reject"
  readonly reason?: string | null | undefined
  readonly note?: string | null | undefined
}

/** The input of `revokeAccessRequest`. */
export interface RevokeAccessRequestInput {
  readonly reason?: string | null | undefined
  readonly note?: string | null | undefined
}

/** The query of `listVerificationReviews`. */
export interface ListVerificationReviewsQuery {
  readonly status?: "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `reviewVerification`. */
export interface ReviewVerificationInput {
  readonly decision: "approve" | "reject"
  readonly reason?: "document_invalid" | "identity_mismatch" | "declined" | null | undefined
  readonly note?: string | null | undefined
}

/** The input of `freezeWalletCredential`. */
export interface FreezeWalletCredentialInput {
  readonly note?: string | null | undefined
}

/** The input of `unfreezeWalletCredential`. */
export interface UnfreezeWalletCredentialInput {
  readonly note?: string | null | undefined
}

/** The input of `forwardWalletCredential`. */
export interface ForwardWalletCredentialInput {
  readonly note?: string | null | undefined
}

/** The input of `disableWalletCredential`. */
export interface DisableWalletCredentialInput {
  readonly note?: string | null | undefined
}

/** The input of `freezeDepositAddress`. */
export interface FreezeDepositAddressInput {
  readonly note?: string | null | undefined
}

/** The input of `unfreezeDepositAddress`. */
export interface UnfreezeDepositAddressInput {
  readonly note?: string | null | undefined
}

/** The query of `listHeldDeposits`. */
export interface ListHeldDepositsQuery {
  readonly status?: "held" | null | undefined
  /** Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `releaseDeposit`. */
export interface ReleaseDepositInput {
  readonly note?: string | null | undefined
}

/** The input of `rejectDeposit`. */
export interface RejectDepositInput {
  readonly reason: string
  readonly note?: string | null | undefined
}

/** The query of `listExceptions`. */
export interface ListExceptionsQuery {
  readonly status?: "open" | "resolved" | null | undefined
  readonly severity?: "low" | "high" | null | undefined
  readonly reason?: string | null | undefined
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `resolveException`. */
export interface ResolveExceptionInput {
  readonly action: "refund" | "credit" | "apply" | "dismiss"
  /** Example: `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly wallet_id?: string | null | undefined
  readonly note: string
}

/** The input of `createBrake`. */
export interface CreateBrakeInput {
  readonly scope: "all" | "provider" | "corridor" | "merchant"
  readonly provider?: string | null | undefined
  readonly source_currency?: string | null | undefined
  readonly destination_currency?: string | null | undefined
  readonly merchant_id?: string | null | undefined
  readonly note?: string | null | undefined
}

/** The query of `listBrakes`. */
export interface ListBrakesQuery {
  readonly status?: "active" | "released" | null | undefined
  readonly scope?: "all" | "provider" | "corridor" | "merchant" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `releaseBrake`. */
export interface ReleaseBrakeInput {
  readonly note?: string | null | undefined
}

/** The query of `listOperators`. */
export interface ListOperatorsQuery {
  readonly status?: "active" | "revoked" | null | undefined
  readonly role?: "viewer" | "support" | "treasury" | "admin" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The input of `rotateOperatorToken`. */
export interface RotateOperatorTokenInput {
  readonly note?: string | null | undefined
}

/** The input of `revokeOperator`. */
export interface RevokeOperatorInput {
  readonly note?: string | null | undefined
}

/** The query of `listSearchResults`. */
export interface ListSearchResultsQuery {
  /** Example: `INV-1042`. */
  readonly q: string
  readonly kind?: string | null | undefined
  readonly merchant_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The query of `getAllStatistics`. */
export interface GetAllStatisticsQuery {
  readonly from?: string | null | undefined
  readonly to?: string | null | undefined
  readonly by?: string | null | undefined
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
}

/** The query of `listMovements`. */
export interface ListMovementsQuery {
  readonly kind?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  readonly merchant_id?: string | null | undefined
  readonly customer_id?: string | null | undefined
  readonly provider?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `listAllCustomers`. */
export interface ListAllCustomersQuery {
  readonly merchant_id?: string | null | undefined
  readonly type?: "individual" | "business" | null | undefined
  readonly kyc_status?: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `listAccounts`. */
export interface ListAccountsQuery {
  readonly class?: "available" | "reserved" | "held" | "credential" | "clearing" | "world" | "fx" | "fees" | "rounding" | "suspense" | null | undefined
  readonly currency?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The query of `listAuditEntries`. */
export interface ListAuditEntriesQuery {
  /** Example: `opr_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly operator_id?: string | null | undefined
  readonly resource_id?: string | null | undefined
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  readonly action?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
  readonly created_after?: string | null | undefined
  readonly created_before?: string | null | undefined
}

/** The query of `listConfiguredProviders`. */
export interface ListConfiguredProvidersQuery {
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The query of `listRoutes`. */
export interface ListRoutesQuery {
  readonly operation?: "payout" | "conversion" | "payin" | "issue" | "directory" | "screening" | "verification" | null | undefined
  readonly currency?: string | null | undefined
  readonly destination_currency?: string | null | undefined
  /** Example: `NG`. */
  readonly country_code?: string | null | undefined
  readonly network?: string | null | undefined
  /** Example: `10.00`. */
  readonly amount?: string | null | undefined
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The query of `getProviderStatement`. */
export interface GetProviderStatementQuery {
  readonly after?: string | null | undefined
}

/** The query of `listEntries`. */
export interface ListEntriesQuery {
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The query of `listStuck`. */
export interface ListStuckQuery {
  readonly older_than_seconds?: number | null | undefined
  readonly kind?: "access_request" | "beneficiary" | "conversion" | "deposit" | "deposit_address" | "exception" | "offramp" | "onramp" | "transfer" | "verification" | "wallet_credential" | null | undefined
  readonly merchant_id?: string | null | undefined
  readonly page?: number | null | undefined
  readonly per_page?: number | null | undefined
}

/** The operations of a merchant. */
export interface MerchantCalls {
  /**
   * Get the merchant, integration and API key of the caller.
   *
   * `GET /v1/me`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
   * `internal_error`.
   */
  readonly me: (options?: CallOptions) => Promise<Me>
  readonly apiKeys: {
    /**
     * Create an API key. Only this response contains the secret. A key cannot create a key with a role above its
     * own.
     *
     * `POST /v1/api-keys`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `forbidden`, `forbidden_key_role`, `idempotency_conflict`, `idempotency_in_progress`,
     * `api_key_limit_exceeded`, `rate_limited`, `internal_error`.
     */
    readonly create: (input: CreateApiKey, options?: CreateOptions) => Promise<NewApiKey>
    /**
     * List active API keys. The response has no secrets. Revoked keys are not listed.
     *
     * `GET /v1/api-keys`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListApiKeysQuery, options?: CallOptions) => List<ApiKey>
    /**
     * Revoke an API key. Requests with the key are rejected with 401: on this node at once, on every node within
     * five seconds. Only an admin key can revoke another key.
     *
     * `DELETE /v1/api-keys/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `invalid_status`, `conflict`, `rate_limited`, `internal_error`.
     */
    readonly revoke: (id: string, options?: ChangeOptions) => Promise<Deleted>
  }
  readonly currencies: {
    /**
     * List currencies and what can be done in them. With customer_id, the response shows the current capabilities of
     * that customer.
     *
     * `GET /v1/currencies`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly list: (query?: ListCurrenciesQuery, options?: CallOptions) => List<Currency>
    /**
     * Request access to a currency. The country selects between currencies with the same code. While a request is
     * pending, a repeat returns that request.
     *
     * `POST /v1/currencies/:code/access-requests`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`,
     * `access_already_granted`, `rate_limited`, `internal_error`.
     */
    readonly requestAccess: (code: string, input?: CreateAccessRequestInput, options?: CreateOptions) => Promise<AccessRequest>
    /**
     * List your access requests.
     *
     * `GET /v1/currencies/access-requests`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `rate_limited`, `internal_error`.
     */
    readonly accessRequests: (query?: ListAccessRequestsQuery, options?: CallOptions) => List<AccessRequest>
  }
  readonly countries: {
    /**
     * List supported countries.
     *
     * `GET /v1/countries`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListCountriesQuery, options?: CallOptions) => List<Country>
  }
  readonly providers: {
    /**
     * List bank providers.
     *
     * `GET /v1/providers`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListProvidersQuery, options?: CallOptions) => List<Provider>
  }
  readonly customers: {
    /**
     * Create a customer.
     *
     * `POST /v1/customers`. Errors: `bad_request`, `invalid_input`, `prohibited_country`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`,
     * `internal_error`.
     */
    readonly create: (input: CreateCustomerInput, options?: CreateOptions) => Promise<Customer>
    /**
     * List customers.
     *
     * `GET /v1/customers`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListCustomersQuery, options?: CallOptions) => List<Customer>
    /**
     * Get a customer.
     *
     * `GET /v1/customers/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Customer>
    /**
     * Change a customer. Metadata is replaced as a whole. The profile is merged.
     *
     * `PATCH /v1/customers/:id`. Errors: `bad_request`, `invalid_input`, `prohibited_country`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `not_found`, `conflict`, `rate_limited`,
     * `internal_error`.
     */
    readonly update: (id: string, input?: UpdateCustomerInput, options?: ChangeOptions) => Promise<Customer>
  }
  readonly verifications: {
    /**
     * Start a verification. The response has a link to the hosted page. While the link is valid, a repeat returns
     * the same session. After the link expires, the same session gets a new link.
     *
     * `POST /v1/customers/:customerId/verifications`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `not_found`, `invalid_status`,
     * `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly create: (customerId: string, input?: CreateVerificationInput, options?: CreateOptions) => Promise<Verification>
    /**
     * List a customer's verifications.
     *
     * `GET /v1/customers/:customerId/verifications`. Errors: `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `not_found`, `rate_limited`, `internal_error`.
     */
    readonly list: (customerId: string, query?: ListVerificationsQuery, options?: CallOptions) => List<Verification>
    /**
     * Get a verification.
     *
     * `GET /v1/customers/:customerId/verifications/:kycId`. Errors: `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (customerId: string, kycId: string, options?: CallOptions) => Promise<Verification>
  }
  readonly wallets: {
    /**
     * Create a wallet. Default customer: the default customer of the merchant. A customer can have several wallets
     * in one currency.
     *
     * `POST /v1/wallets`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `forbidden`, `resource_access_required`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`,
     * `rate_limited`, `internal_error`.
     */
    readonly create: (input: CreateWalletInput, options?: CreateOptions) => Promise<Wallet>
    /**
     * List wallets.
     *
     * `GET /v1/wallets`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListWalletsQuery, options?: CallOptions) => List<Wallet>
    /**
     * Get a wallet and its balance.
     *
     * `GET /v1/wallets/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Wallet>
    /**
     * Change a wallet's label or metadata.
     *
     * `PATCH /v1/wallets/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `forbidden`, `not_found`, `conflict`, `rate_limited`, `internal_error`.
     */
    readonly update: (id: string, input?: UpdateWalletInput, options?: ChangeOptions) => Promise<Wallet>
  }
  readonly walletCredentials: {
    /**
     * Create a wallet credential. The credential is pending until the provider issues the account or address. If its
     * currency is not that of the wallet, deposits are converted: fiat on a crypto wallet, crypto on a fiat wallet.
     *
     * `POST /v1/wallets/:id/credentials`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`, `idempotency_conflict`,
     * `idempotency_in_progress`, `rate_limited`, `internal_error`.
     */
    readonly create: (id: string, input: CreateWalletCredentialInput, options?: CreateOptions) => Promise<WalletCredential>
    /**
     * List a wallet's credentials.
     *
     * `GET /v1/wallets/:id/credentials`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly list: (id: string, query?: ListWalletCredentialsQuery, options?: CallOptions) => List<WalletCredential>
    /**
     * Get a wallet credential.
     *
     * `GET /v1/wallets/:id/credentials/:credentialId`. Errors: `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, credentialId: string, options?: CallOptions) => Promise<WalletCredential>
  }
  readonly depositAddresses: {
    /**
     * Create a deposit address. The deposit address is pending until the provider issues the address.
     *
     * `POST /v1/wallets/:id/deposit-addresses`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`,
     * `rate_limited`, `internal_error`.
     */
    readonly create: (id: string, input: CreateDepositAddressInput, options?: CreateOptions) => Promise<DepositAddress>
    /**
     * List a wallet's deposit addresses.
     *
     * `GET /v1/wallets/:id/deposit-addresses`. Errors: `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `not_found`, `rate_limited`, `internal_error`.
     */
    readonly list: (id: string, query?: ListDepositAddressesQuery, options?: CallOptions) => List<DepositAddress>
    /**
     * Get a deposit address.
     *
     * `GET /v1/wallets/:id/deposit-addresses/:depositAddressId`. Errors: `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, depositAddressId: string, options?: CallOptions) => Promise<DepositAddress>
    /**
     * Disable a deposit address. A disabled deposit address stays listed. Later deposits to it are recorded and
     * held.
     *
     * `DELETE /v1/wallets/:id/deposit-addresses/:depositAddressId`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `not_found`, `invalid_status`, `conflict`,
     * `rate_limited`, `internal_error`.
     */
    readonly disable: (id: string, depositAddressId: string, input?: DisableDepositAddressInput, options?: ChangeOptions) => Promise<Deleted>
  }
  readonly beneficiaries: {
    /**
     * Create a beneficiary. The provider resolves a bank account first, and a payshap proxy to its holder. A
     * beneficiary can stay pending until its screening is complete.
     *
     * `POST /v1/beneficiaries`. Errors: `bad_request`, `invalid_input`, `prohibited_country`,
     * `account_resolution_failed`, `authentication_failed`, `merchant_inactive`, `forbidden`,
     * `resource_access_required`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`,
     * `internal_error`, `external_service_unavailable`.
     */
    readonly create: (input: CreateBeneficiaryInput, options?: CreateOptions) => Promise<{
      readonly id: string
      readonly customer_id: string
      readonly name: string
      readonly label: string | null
      readonly type: "fiat" | "crypto"
      readonly currency: string
      readonly details: {
        readonly country_code: string
        readonly network: string
        readonly account_number: string
        readonly provider: {
          readonly id: string
          readonly name: string
          readonly code: string
        } | null
        readonly rail?: string
        readonly account_name: string | null
      } | {
        readonly network: string
        readonly address: string
        readonly memo: string | null
      }
      /** Stored and returned unchanged. */
      readonly metadata: { readonly [member: string]: string }
      readonly status: "pending" | "active" | "blocked"
      /** The screening that `status` refers to. A change of the name or the details starts a new screening. */
      readonly screening_id: string
      readonly merchant_reference: string | null
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly created_at: string
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly updated_at: string
    }>
    /**
     * List beneficiaries.
     *
     * `GET /v1/beneficiaries`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `rate_limited`, `internal_error`.
     */
    readonly list: (query?: ListBeneficiariesQuery, options?: CallOptions) => List<{
      readonly id: string
      readonly customer_id: string
      readonly name: string
      readonly label: string | null
      readonly type: "fiat" | "crypto"
      readonly currency: string
      readonly details: {
        readonly country_code: string
        readonly network: string
        readonly account_number: string
        readonly provider: {
          readonly id: string
          readonly name: string
          readonly code: string
        } | null
        readonly rail?: string
        readonly account_name: string | null
      } | {
        readonly network: string
        readonly address: string
        readonly memo: string | null
      }
      /** Stored and returned unchanged. */
      readonly metadata: { readonly [member: string]: string }
      readonly status: "pending" | "active" | "blocked"
      /** The screening that `status` refers to. A change of the name or the details starts a new screening. */
      readonly screening_id: string
      readonly merchant_reference: string | null
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly created_at: string
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly updated_at: string
    }>
    /**
     * Get a beneficiary.
     *
     * `GET /v1/beneficiaries/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<{
      readonly id: string
      readonly customer_id: string
      readonly name: string
      readonly label: string | null
      readonly type: "fiat" | "crypto"
      readonly currency: string
      readonly details: {
        readonly country_code: string
        readonly network: string
        readonly account_number: string
        readonly provider: {
          readonly id: string
          readonly name: string
          readonly code: string
        } | null
        readonly rail?: string
        readonly account_name: string | null
      } | {
        readonly network: string
        readonly address: string
        readonly memo: string | null
      }
      /** Stored and returned unchanged. */
      readonly metadata: { readonly [member: string]: string }
      readonly status: "pending" | "active" | "blocked"
      /** The screening that `status` refers to. A change of the name or the details starts a new screening. */
      readonly screening_id: string
      readonly merchant_reference: string | null
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly created_at: string
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly updated_at: string
    }>
    /**
     * Change a beneficiary. Changed account details are checked as at creation.
     *
     * `PATCH /v1/beneficiaries/:id`. Errors: `bad_request`, `invalid_input`, `prohibited_country`,
     * `account_resolution_failed`, `authentication_failed`, `merchant_inactive`, `forbidden`,
     * `resource_access_required`, `not_found`, `conflict`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly update: (id: string, input?: UpdateBeneficiaryInput, options?: ChangeOptions) => Promise<{
      readonly id: string
      readonly customer_id: string
      readonly name: string
      readonly label: string | null
      readonly type: "fiat" | "crypto"
      readonly currency: string
      readonly details: {
        readonly country_code: string
        readonly network: string
        readonly account_number: string
        readonly provider: {
          readonly id: string
          readonly name: string
          readonly code: string
        } | null
        readonly rail?: string
        readonly account_name: string | null
      } | {
        readonly network: string
        readonly address: string
        readonly memo: string | null
      }
      /** Stored and returned unchanged. */
      readonly metadata: { readonly [member: string]: string }
      readonly status: "pending" | "active" | "blocked"
      /** The screening that `status` refers to. A change of the name or the details starts a new screening. */
      readonly screening_id: string
      readonly merchant_reference: string | null
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly created_at: string
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly updated_at: string
    }>
  }
  readonly senders: {
    /**
     * Create a sender. The provider receives the sender as the originator of each offramp or transfer that names it.
     *
     * `POST /v1/senders`. Errors: `bad_request`, `invalid_input`, `prohibited_country`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`,
     * `rate_limited`, `internal_error`.
     */
    readonly create: (input: CreateSenderInput, options?: CreateOptions) => Promise<Sender>
    /**
     * List senders.
     *
     * `GET /v1/senders`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListSendersQuery, options?: CallOptions) => List<Sender>
    /**
     * Get a sender.
     *
     * `GET /v1/senders/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Sender>
    /**
     * Change a sender. Metadata is replaced as a whole. Existing movements keep the earlier details of the sender.
     *
     * `PATCH /v1/senders/:id`. Errors: `bad_request`, `invalid_input`, `prohibited_country`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `not_found`, `conflict`, `rate_limited`,
     * `internal_error`.
     */
    readonly update: (id: string, input?: UpdateSenderInput, options?: ChangeOptions) => Promise<Sender>
  }
  readonly quotes: {
    /**
     * Price an offramp. Send exactly one of source_amount and target_amount. The target amount is the amount that
     * the beneficiary receives.
     *
     * `POST /v1/offramps/quotes`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly offramp: (input: CreateOfframpQuoteInput, options?: CreateOptions) => Promise<Quote>
    /**
     * Price an onramp. Send exactly one of source_amount and target_amount. The target amount is the amount that the
     * wallet receives.
     *
     * `POST /v1/onramps/quotes`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly onramp: (input: CreateOnrampQuoteInput, options?: CreateOptions) => Promise<Quote>
    /**
     * Price a conversion. Send exactly one of source_amount and target_amount. The target amount is the amount that
     * the destination wallet receives.
     *
     * `POST /v1/conversions/quotes`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly conversion: (input: CreateConversionQuoteInput, options?: CreateOptions) => Promise<Quote>
    /**
     * Price an operation. Default operation: offramp. The other fields are those of the quote endpoint of the
     * operation.
     *
     * `POST /v1/quotes`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly create: (input: CreateQuoteInput, options?: CreateOptions) => Promise<Quote>
    /**
     * Get a quote.
     *
     * `GET /v1/quotes/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Quote>
  }
  readonly onramps: {
    /**
     * Execute an onramp quote. Locks the rate for 30 minutes. The response has the account to which the payer sends
     * the money, and the reference for the payer to put in the narration. A payment that arrives within that time is
     * settled at the locked rate, even if the amount differs. If an earlier onramp has the same reference, the
     * response is that onramp (`Idempotent-Replayed: true`) and nothing else happens.
     *
     * `POST /v1/onramps`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `forbidden`, `not_found`, `invalid_status`, `duplicate_resource`, `idempotency_conflict`,
     * `idempotency_in_progress`, `rate_limited`, `internal_error`, `external_service_unavailable`.
     */
    readonly create: (input: CreateOnrampInput, options?: CreateOptions) => Promise<Onramp>
    /**
     * List onramps.
     *
     * `GET /v1/onramps`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListOnrampsQuery, options?: CallOptions) => List<Onramp>
    /**
     * Get an onramp.
     *
     * `GET /v1/onramps/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Onramp>
    /**
     * Get the timeline of an onramp.
     *
     * `GET /v1/onramps/:id/timeline`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly offramps: {
    /**
     * Execute an offramp quote. The source amount is reserved immediately and paid out asynchronously. Read the
     * outcome, or receive it as an event.
     *
     * `POST /v1/offramps`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `forbidden`, `not_found`, `invalid_status`, `duplicate_resource`, `idempotency_conflict`,
     * `idempotency_in_progress`, `ledger_insufficient_funds`, `rate_limited`, `internal_error`.
     */
    readonly create: (input: CreateOfframpInput, options?: CreateOptions) => Promise<Offramp>
    /**
     * List offramps.
     *
     * `GET /v1/offramps`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListOfframpsQuery, options?: CallOptions) => List<Offramp>
    /**
     * Get an offramp.
     *
     * `GET /v1/offramps/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Offramp>
    /**
     * Get the timeline of an offramp.
     *
     * `GET /v1/offramps/:id/timeline`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly conversions: {
    /**
     * Execute a conversion quote. The source amount is reserved immediately. Both wallets change together when the
     * conversion succeeds. If an earlier conversion has the same reference, the response is that conversion
     * (`Idempotent-Replayed: true`) and nothing else happens.
     *
     * `POST /v1/conversions`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `forbidden`, `not_found`, `invalid_status`, `duplicate_resource`, `idempotency_conflict`,
     * `idempotency_in_progress`, `ledger_insufficient_funds`, `rate_limited`, `internal_error`.
     */
    readonly create: (input: CreateConversionInput, options?: CreateOptions) => Promise<Conversion>
    /**
     * List conversions.
     *
     * `GET /v1/conversions`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListConversionsQuery, options?: CallOptions) => List<Conversion>
    /**
     * Get a conversion.
     *
     * `GET /v1/conversions/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Conversion>
    /**
     * Get the timeline of a conversion.
     *
     * `GET /v1/conversions/:id/timeline`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly transfers: {
    /**
     * Pay crypto to a beneficiary. The amount is reserved immediately and paid out asynchronously. Read the outcome,
     * or receive it as an event.
     *
     * `POST /v1/transfers`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `not_found`, `invalid_status`,
     * `duplicate_resource`, `idempotency_conflict`, `idempotency_in_progress`, `ledger_insufficient_funds`,
     * `rate_limited`, `internal_error`, `external_service_unavailable`.
     */
    readonly create: (input: CreateTransferInput, options?: CreateOptions) => Promise<Transfer>
    /**
     * List transfers.
     *
     * `GET /v1/transfers`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListTransfersQuery, options?: CallOptions) => List<Transfer>
    /**
     * Get a transfer.
     *
     * `GET /v1/transfers/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `not_found`,
     * `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Transfer>
    /**
     * Get the timeline of a transfer.
     *
     * `GET /v1/transfers/:id/timeline`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly transactions: {
    /**
     * List transactions.
     *
     * `GET /v1/transactions`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
     * `internal_error`.
     */
    readonly list: (query?: ListTransactionsQuery, options?: CallOptions) => List<Transaction>
    /**
     * Get a transaction.
     *
     * `GET /v1/transactions/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Transaction>
    /**
     * Get the timeline of a transaction. The timeline of the movement or the deposit that the transaction shows.
     *
     * `GET /v1/transactions/:id/timeline`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly webhooks: {
    /**
     * Create a webhook endpoint. The endpoint is inactive until you activate it. Only this response contains the
     * signing secret. Default categories: all. The URL is https with a public host; the test environment also
     * accepts http and loopback.
     *
     * `POST /v1/notifications/webhooks`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `rate_limited`, `internal_error`.
     */
    readonly create: (input: CreateWebhookEndpointInput, options?: CreateOptions) => Promise<WebhookEndpointWithSecret>
    /**
     * List webhook endpoints.
     *
     * `GET /v1/notifications/webhooks`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `rate_limited`, `internal_error`.
     */
    readonly list: (query?: ListWebhookEndpointsQuery, options?: CallOptions) => List<WebhookEndpoint>
    /**
     * Get a webhook endpoint.
     *
     * `GET /v1/notifications/webhooks/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<WebhookEndpoint>
    /**
     * Activate, deactivate or change a webhook endpoint. An endpoint receives the events that happen while it is
     * active. Deactivation cancels pending deliveries; use replay to send them.
     *
     * `PATCH /v1/notifications/webhooks/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `conflict`, `rate_limited`, `internal_error`.
     */
    readonly update: (id: string, input?: UpdateWebhookEndpointInput, options?: ChangeOptions) => Promise<WebhookEndpoint>
    /**
     * Delete a webhook endpoint.
     *
     * `DELETE /v1/notifications/webhooks/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `conflict`, `rate_limited`, `internal_error`.
     */
    readonly delete: (id: string, options?: ChangeOptions) => Promise<Deleted>
    /**
     * Rotate the signing secret. Only this response contains the new secret. The old secret also signs deliveries
     * for 24 hours.
     *
     * `POST /v1/notifications/webhooks/:id/rotate-secret`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `not_found`, `idempotency_conflict`,
     * `idempotency_in_progress`, `rate_limited`, `internal_error`.
     */
    readonly rotateSecret: (id: string, options?: CreateOptions) => Promise<WebhookEndpointWithSecret>
    /**
     * Send events again. Sends one event by its id, or the events of the endpoint's categories from `since` to
     * `until`, at most 5000. Default `until`: now. Ids and bodies do not change.
     *
     * `POST /v1/notifications/webhooks/:id/replay`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `rate_limited`, `internal_error`.
     */
    readonly replay: (id: string, input?: ReplayWebhookEventsInput, options?: CreateOptions) => Promise<Replayed>
    /**
     * Send a test event. Sends one signed event of type `ping` to this endpoint. Read the delivery to see the
     * outcome.
     *
     * `POST /v1/notifications/webhooks/:id/ping`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `rate_limited`, `internal_error`.
     */
    readonly ping: (id: string, options?: CreateOptions) => Promise<WebhookDelivery>
    /**
     * List the deliveries of a webhook endpoint. Deliveries with each attempt and its outcome, newest first.
     *
     * `GET /v1/notifications/webhooks/:id/deliveries`. Errors: `invalid_input`, `authentication_failed`,
     * `merchant_inactive`, `not_found`, `rate_limited`, `internal_error`.
     */
    readonly deliveries: (id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions) => List<WebhookDelivery>
  }
  readonly events: {
    /**
     * List events, newest first.
     *
     * `GET /v1/notifications/events`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `rate_limited`, `internal_error`.
     */
    readonly list: (query?: ListEventsQuery, options?: CallOptions) => List<Event>
    /**
     * Read events in the order they were committed. Returns events in commit order, after the named event: at most
     * `limit`, from 1 to 200. Default: 50. The feed has no gaps, regardless of the number of concurrent writers. To
     * catch up, continue from the last event received until the response is empty.
     *
     * `GET /v1/notifications/events/feed`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly feed: (query?: FeedEventsQuery, options?: CallOptions) => Feed<Event>
    /**
     * Get an event as it was sent.
     *
     * `GET /v1/notifications/events/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Event>
  }
  /**
   * Get statistics of movements. Movements by the time of their creation: how many, how they ended, the source
   * amounts of those that succeeded, and how long they took. `by` separates rows. Durations are exact to 127
   * seconds, and above at most 1/64 too short. Deposits that the platform makes, such as the reversal of an
   * offramp, are not counted.
   *
   * `GET /v1/stats`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
   * `internal_error`.
   */
  readonly stats: (query?: GetStatisticsQuery, options?: CallOptions) => Promise<Statistics>
}

/** Control of the simulated provider and of the clock. A service with a real provider has none of it. */
export interface SandboxCalls {
  /**
   * Report a pay-in.
   *
   * `POST /sandbox/deposits`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`,
   * `external_service_unavailable`.
   */
  readonly deposit: (input: SandboxDepositInput, options?: CallOptions) => Promise<{
    readonly payin_id: string
    readonly transaction_id: string | null
  }>
  /**
   * Report the outcome of a movement or a refund. Where a refund is in progress, the outcome is that of the
   * refund. After a refund that succeeded, `refund_failed` says that the money came back.
   *
   * `POST /sandbox/outcomes`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly outcome: (input: SandboxOutcomeInput, options?: CallOptions) => Promise<{
    readonly resource_id: string
    readonly status: string
  }>
  /**
   * Issue a deposit address now.
   *
   * `POST /sandbox/deposit-addresses/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly issueDepositAddress: (id: string, options?: CallOptions) => Promise<{
    readonly id: string
    readonly status: string
  }>
  /**
   * Issue a wallet credential now.
   *
   * `POST /sandbox/credentials/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly issueWalletCredential: (id: string, options?: CallOptions) => Promise<{
    readonly id: string
    readonly status: string
  }>
  /**
   * Report the verdict on a screening. If the verdict is negative, the beneficiary is blocked. A verdict on a
   * screening other than the current one has no effect.
   *
   * `POST /sandbox/beneficiaries/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly screenBeneficiary: (id: string, input: SandboxScreenBeneficiaryInput, options?: CallOptions) => Promise<{
    readonly id: string
    readonly status: string
  }>
  /**
   * Report the outcome of a verification.
   *
   * `POST /sandbox/verifications/:kycId`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`,
   * `external_service_unavailable`.
   */
  readonly verification: (kycId: string, input: SandboxVerificationInput, options?: CallOptions) => Promise<{
    readonly id: string
    readonly status: string
  }>
  /**
   * Set the response of the provider to later submissions.
   *
   * `POST /sandbox/provider`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `rate_limited`, `internal_error`.
   */
  readonly provider: (input: SandboxProviderInput, options?: CallOptions) => Promise<{
    readonly submissions: "accept" | "hold" | "unavailable" | "timeout"
    readonly refunds?: "settle" | "accept"
  }>
  /**
   * Get the response of the provider to later submissions.
   *
   * `GET /sandbox/provider`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
   * `rate_limited`, `internal_error`.
   */
  readonly behaviour: (options?: CallOptions) => Promise<{
    readonly submissions: "accept" | "hold" | "unavailable" | "timeout"
    readonly refunds?: "settle" | "accept"
  }>
  /**
   * Run the jobs of the merchant that are due. A node that runs no jobs (`CORRIDOR_DISPATCHER=off`) rejects this
   * operation and the clock.
   *
   * `POST /sandbox/settle`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
   * `forbidden`, `rate_limited`, `internal_error`.
   */
  readonly settle: (options?: CallOptions) => Promise<{
    readonly steps: number
    readonly deliveries_pending: number
  }>
  /**
   * Get the clock of the service.
   *
   * `GET /sandbox/clock`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
   * `internal_error`.
   */
  readonly now: (options?: CallOptions) => Promise<{
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly now: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly latest: string
  }>
  /**
   * Move the clock of the service forward.
   *
   * `POST /sandbox/clock/advance`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `rate_limited`, `internal_error`.
   */
  readonly advance: (input: SandboxAdvanceClockInput, options?: CallOptions) => Promise<{
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly now: string
    readonly steps: number
  }>
}

/** The operator's operations on merchants. */
export interface MerchantsCalls {
  /**
   * Create a merchant. Creates the merchant, its default customer and an admin key. Default status: pending.
   *
   * `POST /operator/v1/merchants`. Errors: `bad_request`, `invalid_input`, `prohibited_country`,
   * `authentication_failed`, `forbidden`, `idempotency_conflict`, `idempotency_in_progress`, `internal_error`.
   */
  readonly create: (input: CreateMerchant, options?: CreateOptions) => Promise<NewMerchant>
  /**
   * List merchants.
   *
   * `GET /operator/v1/merchants`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
   */
  readonly list: (query?: ListMerchantsQuery, options?: CallOptions) => List<Merchant>
  /**
   * Get a merchant.
   *
   * `GET /operator/v1/merchants/:id`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
   * `internal_error`.
   */
  readonly get: (id: string, options?: CallOptions) => Promise<Merchant>
  /**
   * Activate or suspend a merchant.
   *
   * `PATCH /operator/v1/merchants/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `forbidden`, `not_found`, `invalid_status`, `conflict`, `internal_error`.
   */
  readonly update: (id: string, input: UpdateMerchant, options?: ChangeOptions) => Promise<Merchant>
  readonly apiKeys: {
    /**
     * Create an API key for a merchant. Only this response contains the secret.
     *
     * `POST /operator/v1/merchants/:id/api-keys`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`, `api_key_limit_exceeded`,
     * `internal_error`.
     */
    readonly create: (id: string, input: CreateMerchantApiKey, options?: CreateOptions) => Promise<NewApiKey>
    /**
     * List a merchant's active API keys. The response has no secrets. Revoked keys are not listed.
     *
     * `GET /operator/v1/merchants/:id/api-keys`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
     * `internal_error`.
     */
    readonly list: (id: string, query?: ListMerchantApiKeysQuery, options?: CallOptions) => List<ApiKey>
    /**
     * Revoke a merchant's API key. Requests with the key are rejected with 401: on this node at once, on every node
     * within five seconds.
     *
     * `POST /operator/v1/merchants/:id/api-keys/:keyId/revoke`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly revoke: (id: string, keyId: string, input?: RevokeMerchantApiKeyInput, options?: CreateOptions) => Promise<Deleted>
  }
}

/** The operator's operations on holds, exceptions, access and the ledger. */
export interface OperatorCalls {
  readonly accessRequests: {
    /**
     * List every merchant's access requests.
     *
     * `GET /operator/v1/access-requests`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListAllAccessRequestsQuery, options?: CallOptions) => List<AccessRequest>
    /**
     * Approve or reject an access request.
     *
     * `POST /operator/v1/access-requests/:id/review`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly review: (id: string, input: ReviewAccessRequestInput, options?: CreateOptions) => Promise<AccessRequest>
    /**
     * Revoke a grant.
     *
     * `POST /operator/v1/access-requests/:id/revoke`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly revoke: (id: string, input?: RevokeAccessRequestInput, options?: CreateOptions) => Promise<AccessRequest>
  }
  readonly verifications: {
    /**
     * List the verifications that wait for a review. Oldest first, with what the customers submitted. With `status`:
     * all verifications with that status, reviewed by whom they may be.
     *
     * `GET /operator/v1/verifications`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListVerificationReviewsQuery, options?: CallOptions) => List<VerificationReview>
    /**
     * Approve or reject a verification. Decides on what the customer submitted on the hosted page.
     *
     * `POST /operator/v1/verifications/:id/review`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly review: (id: string, input: ReviewVerificationInput, options?: CreateOptions) => Promise<VerificationReview>
  }
  readonly walletCredentials: {
    /**
     * Freeze a wallet credential. Deposits to a frozen credential are held for review.
     *
     * `POST /operator/v1/credentials/:id/freeze`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly freeze: (id: string, input?: FreezeWalletCredentialInput, options?: CreateOptions) => Promise<WalletCredential>
    /**
     * Unfreeze a wallet credential.
     *
     * `POST /operator/v1/credentials/:id/unfreeze`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly unfreeze: (id: string, input?: UnfreezeWalletCredentialInput, options?: CreateOptions) => Promise<WalletCredential>
    /**
     * Convert the balance of a wallet credential and credit its wallet. Converts the whole balance at the current
     * rate and fee. Use this operation when a conversion failed or was returned.
     *
     * `POST /operator/v1/credentials/:id/forward`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `ledger_insufficient_funds`, `internal_error`, `external_service_unavailable`.
     */
    readonly forward: (id: string, input?: ForwardWalletCredentialInput, options?: CreateOptions) => Promise<Transaction>
    /**
     * Disable a wallet credential for good. Later deposits to the credential are held.
     *
     * `POST /operator/v1/credentials/:id/disable`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly disable: (id: string, input?: DisableWalletCredentialInput, options?: CreateOptions) => Promise<WalletCredential>
  }
  readonly depositAddresses: {
    /**
     * Freeze a deposit address.
     *
     * `POST /operator/v1/deposit-addresses/:id/freeze`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly freeze: (id: string, input?: FreezeDepositAddressInput, options?: CreateOptions) => Promise<DepositAddress>
    /**
     * Unfreeze a deposit address.
     *
     * `POST /operator/v1/deposit-addresses/:id/unfreeze`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly unfreeze: (id: string, input?: UnfreezeDepositAddressInput, options?: CreateOptions) => Promise<DepositAddress>
  }
  readonly deposits: {
    /**
     * List held deposits.
     *
     * `GET /operator/v1/deposits`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly held: (query?: ListHeldDepositsQuery, options?: CallOptions) => List<HeldDeposit>
    /**
     * Release a held deposit.
     *
     * `POST /operator/v1/deposits/:id/release`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`, `external_service_unavailable`.
     */
    readonly release: (id: string, input?: ReleaseDepositInput, options?: CreateOptions) => Promise<Transaction>
    /**
     * Reject a held deposit and return its money. The deposit fails when the provider accepts the refund.
     *
     * `POST /operator/v1/deposits/:id/reject`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly reject: (id: string, input: RejectDepositInput, options?: CreateOptions) => Promise<Transaction>
  }
  readonly exceptions: {
    /**
     * List provider events that match no resource.
     *
     * `GET /operator/v1/exceptions`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListExceptionsQuery, options?: CallOptions) => List<Exception>
    /**
     * Resolve an exception. `credit` credits the money as a deposit to the named wallet. Default: the wallet for
     * which it was intended. No limit holds this deposit. A wallet of another merchant is credited shortly after the
     * response. `refund` returns the money to its payer. `apply` accepts an event that came too late: an approval
     * after its link expired, or a payment that was made before the deadline of its onramp, at the locked rate.
     * `dismiss` closes the exception: no money came, or it was returned outside this service. Nothing stays in
     * suspense.
     *
     * `POST /operator/v1/exceptions/:id/resolve`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`, `external_service_unavailable`.
     */
    readonly resolve: (id: string, input: ResolveExceptionInput, options?: CreateOptions) => Promise<Exception>
  }
  readonly brakes: {
    /**
     * Pause submissions. Pauses submissions and refunds by provider, corridor, merchant or all. Queued work waits,
     * is listed by `GET /operator/v1/stuck` with the reason `paused`, and goes on when the brake is released.
     * Look-ups and incoming events continue.
     *
     * `POST /operator/v1/brakes`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `forbidden`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `internal_error`.
     */
    readonly create: (input: CreateBrakeInput, options?: CreateOptions) => Promise<Brake>
    /**
     * List the brakes.
     *
     * `GET /operator/v1/brakes`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListBrakesQuery, options?: CallOptions) => List<Brake>
    /**
     * Release a brake. The work that no other brake covers goes on.
     *
     * `POST /operator/v1/brakes/:id/release`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly release: (id: string, input?: ReleaseBrakeInput, options?: CreateOptions) => Promise<Brake>
  }
  /**
   * Get the operator of the token. The configured token is an admin without an id. An embedding application acts
   * under the name that it gives.
   *
   * `GET /operator/v1/me`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
   */
  readonly me: (options?: CallOptions) => Promise<ActingOperator>
  readonly operators: {
    /**
     * Create an operator. Only this response contains the token. Roles, low to high: viewer (reads), support
     * (reviews and freezes), treasury (money: deposits, exceptions, brakes), admin (merchants, their keys,
     * operators).
     *
     * `POST /operator/v1/operators`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `forbidden`,
     * `idempotency_conflict`, `idempotency_in_progress`, `internal_error`.
     */
    readonly create: (input: CreateOperator, options?: CreateOptions) => Promise<OperatorWithToken>
    /**
     * List operators.
     *
     * `GET /operator/v1/operators`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListOperatorsQuery, options?: CallOptions) => List<Operator>
    /**
     * Get an operator.
     *
     * `GET /operator/v1/operators/:id`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
     * `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Operator>
    /**
     * Change an operator's name, email or role.
     *
     * `PATCH /operator/v1/operators/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `conflict`, `internal_error`.
     */
    readonly update: (id: string, input?: UpdateOperator, options?: ChangeOptions) => Promise<Operator>
    /**
     * Replace an operator's token. Only this response contains the new token. The old one is no longer accepted.
     *
     * `POST /operator/v1/operators/:id/rotate-token`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly rotateToken: (id: string, input?: RotateOperatorTokenInput, options?: CreateOptions) => Promise<OperatorWithToken>
    /**
     * Revoke an operator. The token is no longer accepted, and the operator's console sessions end: on this node at
     * once, on every node within five seconds.
     *
     * `POST /operator/v1/operators/:id/revoke`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly revoke: (id: string, input?: RevokeOperatorInput, options?: CreateOptions) => Promise<Operator>
  }
  /**
   * Search the resources of all merchants. Finds resources by id (also of an event or a transaction), reference,
   * provider's reference, transaction hash, the last four characters of an account, address, name, email address
   * and amount (`100`, `100.00`, `100 USDC`). Letters match in either case and with or without accents. Names and
   * email addresses match from three characters on, names from any of their words; everything else matches as a
   * whole. Ordered by what matched: id, references and hashes, accounts, names and email addresses, amounts; then
   * newest first. The best 1,000 results are counted and returned.
   *
   * `GET /operator/v1/search`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
   */
  readonly search: (query: ListSearchResultsQuery, options?: CallOptions) => List<SearchResult>
  /**
   * Get statistics of the movements of all merchants. Movements by the time of their creation: how many, how they
   * ended, the source amounts of those that succeeded, and how long they took. `by` separates rows. Durations are
   * exact to 127 seconds, and above at most 1/64 too short. Deposits that the platform makes, such as the reversal
   * of an offramp, are not counted.
   *
   * `GET /operator/v1/stats`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
   */
  readonly stats: (query?: GetAllStatisticsQuery, options?: CallOptions) => Promise<Statistics>
  readonly movements: {
    /**
     * List the movements and deposits of all merchants.
     *
     * `GET /operator/v1/movements`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListMovementsQuery, options?: CallOptions) => List<Movement>
  }
  readonly customers: {
    /**
     * List the customers of all merchants.
     *
     * `GET /operator/v1/customers`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListAllCustomersQuery, options?: CallOptions) => List<MerchantCustomer>
  }
  readonly ledger: {
    /**
     * List the accounts of the ledger with their balances.
     *
     * `GET /operator/v1/ledger/accounts`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly accounts: (query?: ListAccountsQuery, options?: CallOptions) => List<LedgerAccount>
    /**
     * Get the trial balance.
     *
     * `GET /operator/v1/ledger/trial-balance`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly trialBalance: (options?: CallOptions) => Promise<TrialBalance>
    /**
     * List the entries of an account.
     *
     * `GET /operator/v1/ledger/accounts/:account/entries`. Errors: `invalid_input`, `authentication_failed`,
     * `not_found`, `internal_error`.
     */
    readonly entries: (account: string, query?: ListEntriesQuery, options?: CallOptions) => List<LedgerEntry>
  }
  /**
   * List the audit log. What operators did, newest first, with the resource before and after. An entry is written
   * in the commit of its action; nothing changes or deletes it. Refused actions are not in it.
   *
   * `GET /operator/v1/audit`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
   */
  readonly audit: (query?: ListAuditEntriesQuery, options?: CallOptions) => List<AuditEntry>
  readonly providers: {
    /**
     * List the configured providers.
     *
     * `GET /operator/v1/providers`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListConfiguredProvidersQuery, options?: CallOptions) => List<ConfiguredProvider>
    /**
     * List the providers that would serve a request. In the order in which they would be asked now. Default
     * `operation`: payout. Any other member that is left out is not known, and matches every offer.
     *
     * `GET /operator/v1/routes`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly routes: (query?: ListRoutesQuery, options?: CallOptions) => List<Route>
    /**
     * Get what the platform has at a provider.
     *
     * `GET /operator/v1/providers/:provider/balances`. Errors: `invalid_input`, `authentication_failed`,
     * `not_found`, `internal_error`, `external_service_unavailable`.
     */
    readonly balances: (provider: string, options?: CallOptions) => Promise<ProviderBalances>
    /**
     * Read a provider's statement. The lines after a cursor, oldest first. Compare their `command_id` with the
     * history of the resource.
     *
     * `GET /operator/v1/providers/:provider/statement`. Errors: `invalid_input`, `authentication_failed`,
     * `not_found`, `internal_error`, `external_service_unavailable`.
     */
    readonly statement: (provider: string, query?: GetProviderStatementQuery, options?: CallOptions) => Promise<ProviderStatement>
  }
  /**
   * List the transitions of a resource, with their postings and events.
   *
   * `GET /operator/v1/resources/:id/history`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
   * `internal_error`.
   */
  readonly history: (id: string, options?: CallOptions) => Promise<ResourceHistory>
  /**
   * List resources that have not ended and have made no progress, oldest first.
   *
   * `GET /operator/v1/stuck`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
   */
  readonly stuck: (query?: ListStuckQuery, options?: CallOptions) => List<StuckResource>
  readonly resources: {
    /**
     * Get any resource by its id. The body of the resource as its merchant reads it, and the resources that it is
     * related to.
     *
     * `GET /operator/v1/resources/:id`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
     * `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Resource>
    /**
     * Get the timeline of a resource. Everything that is recorded about a resource, oldest first: requests,
     * transitions, postings, calls to providers, timers, events and deliveries.
     *
     * `GET /operator/v1/resources/:id/timeline`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
     * `internal_error`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
}
