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
  AcceptRate,
  AccessRequest,
  ActingOperator,
  AdjustingEntry,
  Advanced,
  ApiKey,
  AuditEntry,
  Beneficiary,
  Brake,
  ClockTime,
  ConfiguredProvider,
  Conversion,
  Country,
  CreateAccessRequest,
  CreateAdjustingEntry,
  CreateApiKey,
  CreateBeneficiary,
  CreateBrake,
  CreateConversion,
  CreateConversionQuote,
  CreateCustomer,
  CreateDepositAddress,
  CreateExternalAccount,
  CreateMerchant,
  CreateMerchantApiKey,
  CreateOfframp,
  CreateOfframpQuote,
  CreateOnramp,
  CreateOnrampQuote,
  CreateOperator,
  CreateQuote,
  CreateSender,
  CreateTransfer,
  CreateVerification,
  CreateWallet,
  CreateWalletCredential,
  CreateWebhookEndpoint,
  Currency,
  Customer,
  Deleted,
  DepositAddress,
  DisableDepositAddress,
  Event,
  Exception,
  ExternalAccount,
  HeldDeposit,
  LedgerAccount,
  LedgerEntry,
  Me,
  Merchant,
  MerchantCustomer,
  Movement,
  MovementStatus,
  NewApiKey,
  NewMerchant,
  Noted,
  Offramp,
  Onramp,
  Operator,
  OperatorWithToken,
  Provider,
  ProviderBalances,
  ProviderStatement,
  Quote,
  Rate,
  RejectDeposit,
  ReleaseBrake,
  ReleaseDeposit,
  ReplayWebhookEndpoint,
  Replayed,
  ReportedPayin,
  ResolveException,
  Resource,
  ResourceHistory,
  ResourceStatus,
  ReverseAdjustingEntry,
  ReviewAccessRequest,
  ReviewVerification,
  RevokeAccessRequest,
  Route,
  SandboxAdvance,
  SandboxDeposit,
  SandboxOutcome,
  SandboxProvider,
  SandboxScreen,
  SandboxVerification,
  SearchResult,
  Sender,
  Settled,
  Statistics,
  StuckResource,
  Timeline,
  Transaction,
  Transfer,
  TrialBalance,
  UpdateBeneficiary,
  UpdateCustomer,
  UpdateExternalAccount,
  UpdateMerchant,
  UpdateOperator,
  UpdateSender,
  UpdateWallet,
  UpdateWebhookEndpoint,
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
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listCurrencies`. */
export interface ListCurrenciesQuery {
  /** Shows what this customer can do now. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Only currencies with this code. Example: `USDC`. */
  readonly code?: string | null | undefined
  /** Only those with this type. */
  readonly type?: "fiat" | "crypto" | null | undefined
  /** Only currencies with this capability, or without it; with `customer_id`, as the customer has it. */
  readonly can_deposit?: boolean | null | undefined
  /** Only currencies with this capability, or without it; with `customer_id`, as the customer has it. */
  readonly can_onramp?: boolean | null | undefined
  /** Only currencies with this capability, or without it; with `customer_id`, as the customer has it. */
  readonly can_offramp?: boolean | null | undefined
  /** Only currencies with this capability, or without it; with `customer_id`, as the customer has it. */
  readonly can_convert?: boolean | null | undefined
  /** Only currencies with this capability, or without it; with `customer_id`, as the customer has it. */
  readonly can_transfer?: boolean | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `listCountries`. */
export interface ListCountriesQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `listProviders`. */
export interface ListProvidersQuery {
  /** Only banks of this country. Example: `NG`. */
  readonly country_code?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `listAccessRequests`. */
export interface ListAccessRequestsQuery {
  /** Only those with this status. */
  readonly status?: "pending" | "approved" | "rejected" | "revoked" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listCustomers`. */
export interface ListCustomersQuery {
  /** Only customers of this type. */
  readonly type?: "individual" | "business" | null | undefined
  /** Only customers whose verification stands here. */
  readonly kyc_status?: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listVerifications`. */
export interface ListVerificationsQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listWallets`. */
export interface ListWalletsQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listWalletCredentials`. */
export interface ListWalletCredentialsQuery {
  /** Only those with this status. */
  readonly status?: "pending" | "active" | "frozen" | "disabled" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listDepositAddresses`. */
export interface ListDepositAddressesQuery {
  /** Only those with this status. */
  readonly status?: "pending" | "active" | "frozen" | "disabled" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listBeneficiaries`. */
export interface ListBeneficiariesQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Only those with this type. */
  readonly type?: "fiat" | "crypto" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Only those with this status. */
  readonly status?: "pending" | "active" | "blocked" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listSenders`. */
export interface ListSendersQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Only senders of this type. */
  readonly type?: "individual" | "business" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listOnramps`. */
export interface ListOnrampsQuery {
  /** Only those with this status. */
  readonly status?: "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /**
   * Only those that debit or credit this wallet. An unknown id gives an empty page. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Only the movement with this reference. Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listOfframps`. */
export interface ListOfframpsQuery {
  /** Only those with this status. */
  readonly status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /**
   * Only those that debit or credit this wallet. An unknown id gives an empty page. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Only the movement with this reference. Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listConversions`. */
export interface ListConversionsQuery {
  /** Only those with this status. */
  readonly status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /**
   * Only those that debit or credit this wallet. An unknown id gives an empty page. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Only the movement with this reference. Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listTransfers`. */
export interface ListTransfersQuery {
  /** Only those with this status. */
  readonly status?: "processing" | "success" | "failed" | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /**
   * Only those that debit or credit this wallet. An unknown id gives an empty page. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Only the movement with this reference. Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listTransactions`. */
export interface ListTransactionsQuery {
  /** Only those with this type. */
  readonly type?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  /** Only those with this source type. */
  readonly source_type?: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer" | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /**
   * Only those that debit or credit this wallet. An unknown id gives an empty page. Example:
   * `wal_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly wallet_id?: string | null | undefined
  /** Only those with this status. */
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listWebhookEndpoints`. */
export interface ListWebhookEndpointsQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listWebhookDeliveries`. */
export interface ListWebhookDeliveriesQuery {
  /** Only those with this status. */
  readonly status?: "pending" | "delivered" | "failed" | null | undefined
  /** Only deliveries of events of this type. Example: `offramp.success`. */
  readonly event_type?: string | null | undefined
  /** Only deliveries of this event. Example: `evt_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly event_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listEvents`. */
export interface ListEventsQuery {
  /** Only events of this category. Example: `offramp`. */
  readonly category?: string | null | undefined
  /** Only events of this type. Example: `offramp.success`. */
  readonly event_type?: string | null | undefined
  /** Only events of this resource. Example: `ofr_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly event_object_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `feedEvents`. */
export interface FeedEventsQuery {
  /**
   * The last event that you have. Default: the feed begins with the oldest event. Example:
   * `evt_01j9z3k4m5n6p7q8r9s0t1v2w3`.
   */
  readonly after?: string | null | undefined
  /** The most events to return. Default: 50. Example: `50`. */
  readonly limit?: number | null | undefined
}

/** The query of `getStatistics`. */
export interface GetStatisticsQuery {
  /**
   * The beginning, moved back to a full hour. Default: 7 days before `to`, 24 hours by hour. Example:
   * `2026-01-31`.
   */
  readonly from?: string | null | undefined
  /** The end, exclusive, moved on to a full hour. Default: now. Example: `2026-01-31`. */
  readonly to?: string | null | undefined
  /**
   * What rows are separated by, joined by commas: one of hour and day, and any of operation, corridor,
   * failure_reason. Default: one row. Example: `day,operation`.
   */
  readonly by?: string | null | undefined
}

/** The query of `listMerchants`. */
export interface ListMerchantsQuery {
  /** Only those with this status. */
  readonly status?: "pending" | "active" | "suspended" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listMerchantApiKeys`. */
export interface ListMerchantApiKeysQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listAllAccessRequests`. */
export interface ListAllAccessRequestsQuery {
  /** Only those with this status. */
  readonly status?: "pending" | "approved" | "rejected" | "revoked" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
  /** Only requests of this merchant. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
}

/** The query of `listVerificationReviews`. */
export interface ListVerificationReviewsQuery {
  /** Only sessions with this status. Default: the sessions that wait for a review. */
  readonly status?: "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
  /** Only sessions of this merchant. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** Only sessions of this customer. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listMerchantWebhookDeliveries`. */
export interface ListMerchantWebhookDeliveriesQuery {
  /** Only those with this status. */
  readonly status?: "pending" | "delivered" | "failed" | null | undefined
  /** Only deliveries of events of this type. Example: `offramp.success`. */
  readonly event_type?: string | null | undefined
  /** Only deliveries of this event. Example: `evt_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly event_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listHeldDeposits`. */
export interface ListHeldDepositsQuery {
  /** `held`, the default: only held deposits are listed. */
  readonly status?: "held" | null | undefined
  /** Only deposits of this customer. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Only deposits of this merchant. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listExceptions`. */
export interface ListExceptionsQuery {
  /** Only exceptions with this status. */
  readonly status?: "open" | "resolved" | null | undefined
  /** Only exceptions of this severity. */
  readonly severity?: "low" | "high" | null | undefined
  /** Only exceptions with this reason. Example: `contradicts_terminal_state`. */
  readonly reason?: string | null | undefined
  /** Only exceptions of this merchant. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listBrakes`. */
export interface ListBrakesQuery {
  /** Only those with this status. */
  readonly status?: "active" | "released" | null | undefined
  /** Only those with this scope. */
  readonly scope?: "all" | "provider" | "corridor" | "merchant" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listRates`. */
export interface ListRatesQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `listExternalAccounts`. */
export interface ListExternalAccountsQuery {
  /** Only those of this provider. Example: `simulated`. */
  readonly provider?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Only those with this kind. */
  readonly kind?: "bank" | "chain" | null | undefined
  /** Only those with this status. */
  readonly status?: "active" | "closed" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listAdjustingEntries`. */
export interface ListAdjustingEntriesQuery {
  /** Only those that debit this account. Example: `suspense`. */
  readonly from?: string | null | undefined
  /** Only those that credit this account. Example: `world:simulated`. */
  readonly to?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Only those with this status. */
  readonly status?: "posted" | "reversed" | null | undefined
  /** Only those of this exception. Example: `exc_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly exception_id?: string | null | undefined
  /** Only those of this entry. Example: `adj_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly reverses?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listOperators`. */
export interface ListOperatorsQuery {
  /** Only those with this status. */
  readonly status?: "active" | "revoked" | null | undefined
  /** Only those with this role. */
  readonly role?: "viewer" | "support" | "treasury" | "admin" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listSearchResults`. */
export interface ListSearchResultsQuery {
  /**
   * An id, a reference, a hash, an account number or address, an email address, a name, or an amount with its
   * currency. Example: `INV-1042`.
   */
  readonly q: string
  /** Only resources of this kind. Example: `offramp`. */
  readonly kind?: string | null | undefined
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `getAllStatistics`. */
export interface GetAllStatisticsQuery {
  /**
   * The beginning, moved back to a full hour. Default: 7 days before `to`, 24 hours by hour. Example:
   * `2026-01-31`.
   */
  readonly from?: string | null | undefined
  /** The end, exclusive, moved on to a full hour. Default: now. Example: `2026-01-31`. */
  readonly to?: string | null | undefined
  /**
   * What rows are separated by, joined by commas: one of hour and day, and any of operation, corridor, provider,
   * failure_reason, merchant. Default: one row. Example: `day,operation`.
   */
  readonly by?: string | null | undefined
  /** Only movements of this merchant. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
}

/** The query of `listMovements`. */
export interface ListMovementsQuery {
  /** Only those with this kind. */
  readonly kind?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  /** Only those with this status. */
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly customer_id?: string | null | undefined
  /** Only those that this provider has. Example: `simulated`. */
  readonly provider?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listAllCustomers`. */
export interface ListAllCustomersQuery {
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** Only customers of this type. */
  readonly type?: "individual" | "business" | null | undefined
  /** Only customers whose verification stands here. */
  readonly kyc_status?: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listAccounts`. */
export interface ListAccountsQuery {
  /** Only those with this class. */
  readonly class?: "available" | "reserved" | "held" | "credential" | "clearing" | "world" | "fx" | "fees" | "rounding" | "suspense" | "losses" | "costs" | "receivable" | "float" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `listAuditEntries`. */
export interface ListAuditEntriesQuery {
  /** Only actions of this operator. Example: `opr_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly operator_id?: string | null | undefined
  /** Only actions on this resource. Example: `txn_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly resource_id?: string | null | undefined
  /** Only actions on this merchant and its resources. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** Only this action: an operationId, `session.created` or `session.ended`. Example: `releaseDeposit`. */
  readonly action?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
  /**
   * Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_after?: string | null | undefined
  /**
   * Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`. Example:
   * `2026-01-31`.
   */
  readonly created_before?: string | null | undefined
}

/** The query of `listConfiguredProviders`. */
export interface ListConfiguredProvidersQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `listRoutes`. */
export interface ListRoutesQuery {
  /** What is asked for. Default: `payout`. */
  readonly operation?: "payout" | "conversion" | "payin" | "issue" | "directory" | "screening" | "verification" | null | undefined
  /** The currency; the source of a conversion. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /** The destination of a conversion. Example: `USDC`. */
  readonly destination_currency?: string | null | undefined
  /** The country, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code?: string | null | undefined
  /** The network. Example: `bank`. */
  readonly network?: string | null | undefined
  /** The amount, in `currency`. Example: `100.00`. */
  readonly amount?: string | null | undefined
  /** As this merchant: its brakes count. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `getProviderStatement`. */
export interface GetProviderStatementQuery {
  /** The `cursor` of the page before. Default: the beginning. Example: `line_8812`. */
  readonly after?: string | null | undefined
}

/** The query of `listEntries`. */
export interface ListEntriesQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

/** The query of `listStuck`. */
export interface ListStuckQuery {
  /** The least time without progress, in seconds. Default: 600. Example: `600`. */
  readonly older_than_seconds?: number | null | undefined
  /** Only those with this kind. */
  readonly kind?: "access_request" | "beneficiary" | "conversion" | "deposit" | "deposit_address" | "exception" | "offramp" | "onramp" | "transfer" | "verification" | "wallet_credential" | null | undefined
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly merchant_id?: string | null | undefined
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
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
    readonly requestAccess: (code: string, input?: CreateAccessRequest, options?: CreateOptions) => Promise<AccessRequest>
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
    readonly create: (input: CreateCustomer, options?: CreateOptions) => Promise<Customer>
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
    readonly update: (id: string, input?: UpdateCustomer, options?: ChangeOptions) => Promise<Customer>
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
    readonly create: (customerId: string, input?: CreateVerification, options?: CreateOptions) => Promise<Verification>
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
    readonly create: (input: CreateWallet, options?: CreateOptions) => Promise<Wallet>
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
    readonly update: (id: string, input?: UpdateWallet, options?: ChangeOptions) => Promise<Wallet>
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
    readonly create: (id: string, input: CreateWalletCredential, options?: CreateOptions) => Promise<WalletCredential>
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
    readonly create: (id: string, input: CreateDepositAddress, options?: CreateOptions) => Promise<DepositAddress>
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
    readonly disable: (id: string, depositAddressId: string, input?: DisableDepositAddress, options?: ChangeOptions) => Promise<Deleted>
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
    readonly create: (input: CreateBeneficiary, options?: CreateOptions) => Promise<Beneficiary>
    /**
     * List beneficiaries.
     *
     * `GET /v1/beneficiaries`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `rate_limited`, `internal_error`.
     */
    readonly list: (query?: ListBeneficiariesQuery, options?: CallOptions) => List<Beneficiary>
    /**
     * Get a beneficiary.
     *
     * `GET /v1/beneficiaries/:id`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
     * `not_found`, `rate_limited`, `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Beneficiary>
    /**
     * Change a beneficiary. Changed account details are checked as at creation.
     *
     * `PATCH /v1/beneficiaries/:id`. Errors: `bad_request`, `invalid_input`, `prohibited_country`,
     * `account_resolution_failed`, `authentication_failed`, `merchant_inactive`, `forbidden`,
     * `resource_access_required`, `not_found`, `conflict`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly update: (id: string, input?: UpdateBeneficiary, options?: ChangeOptions) => Promise<Beneficiary>
  }
  readonly senders: {
    /**
     * Create a sender. The provider receives the sender as the originator of each offramp or transfer that names it.
     *
     * `POST /v1/senders`. Errors: `bad_request`, `invalid_input`, `prohibited_country`, `authentication_failed`,
     * `merchant_inactive`, `forbidden`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`,
     * `rate_limited`, `internal_error`.
     */
    readonly create: (input: CreateSender, options?: CreateOptions) => Promise<Sender>
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
    readonly update: (id: string, input?: UpdateSender, options?: ChangeOptions) => Promise<Sender>
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
    readonly offramp: (input: CreateOfframpQuote, options?: CreateOptions) => Promise<Quote>
    /**
     * Price an onramp. Send exactly one of source_amount and target_amount. The target amount is the amount that the
     * wallet receives.
     *
     * `POST /v1/onramps/quotes`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly onramp: (input: CreateOnrampQuote, options?: CreateOptions) => Promise<Quote>
    /**
     * Price a conversion. Send exactly one of source_amount and target_amount. The target amount is the amount that
     * the destination wallet receives.
     *
     * `POST /v1/conversions/quotes`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly conversion: (input: CreateConversionQuote, options?: CreateOptions) => Promise<Quote>
    /**
     * Price an operation. Default operation: offramp. The other fields are those of the quote endpoint of the
     * operation.
     *
     * `POST /v1/quotes`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `merchant_inactive`, `forbidden`, `resource_access_required`, `not_found`,
     * `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`, `rate_limited`, `internal_error`,
     * `external_service_unavailable`.
     */
    readonly create: (input?: CreateQuote, options?: CreateOptions) => Promise<Quote>
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
    readonly create: (input: CreateOnramp, options?: CreateOptions) => Promise<Onramp>
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
    readonly create: (input: CreateOfframp, options?: CreateOptions) => Promise<Offramp>
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
    readonly create: (input: CreateConversion, options?: CreateOptions) => Promise<Conversion>
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
    readonly create: (input: CreateTransfer, options?: CreateOptions) => Promise<Transfer>
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
    readonly create: (input: CreateWebhookEndpoint, options?: CreateOptions) => Promise<WebhookEndpointWithSecret>
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
    readonly update: (id: string, input?: UpdateWebhookEndpoint, options?: ChangeOptions) => Promise<WebhookEndpoint>
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
    readonly replay: (id: string, input?: ReplayWebhookEndpoint, options?: CreateOptions) => Promise<Replayed>
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
  readonly deposit: (input: SandboxDeposit, options?: CallOptions) => Promise<ReportedPayin>
  /**
   * Report the outcome of a movement or a refund. Where a refund is in progress, the outcome is that of the
   * refund. After a refund that succeeded, `refund_failed` says that the money came back.
   *
   * `POST /sandbox/outcomes`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly outcome: (input: SandboxOutcome, options?: CallOptions) => Promise<MovementStatus>
  /**
   * Issue a deposit address now.
   *
   * `POST /sandbox/deposit-addresses/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly issueDepositAddress: (id: string, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Issue a wallet credential now.
   *
   * `POST /sandbox/credentials/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly issueWalletCredential: (id: string, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Report the verdict on a screening. If the verdict is negative, the beneficiary is blocked. A verdict on a
   * screening other than the current one has no effect.
   *
   * `POST /sandbox/beneficiaries/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`.
   */
  readonly screenBeneficiary: (id: string, input: SandboxScreen, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Report the outcome of a verification.
   *
   * `POST /sandbox/verifications/:kycId`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `not_found`, `rate_limited`, `internal_error`,
   * `external_service_unavailable`.
   */
  readonly verification: (kycId: string, input: SandboxVerification, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Set the response of the provider to later submissions.
   *
   * `POST /sandbox/provider`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `rate_limited`, `internal_error`.
   */
  readonly provider: (input: SandboxProvider, options?: CallOptions) => Promise<SandboxProvider>
  /**
   * Get the response of the provider to later submissions.
   *
   * `GET /sandbox/provider`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`,
   * `rate_limited`, `internal_error`.
   */
  readonly behaviour: (options?: CallOptions) => Promise<SandboxProvider>
  /**
   * Run the jobs of the merchant that are due. A node that runs no jobs (`CORRIDOR_DISPATCHER=off`) rejects this
   * operation and the clock.
   *
   * `POST /sandbox/settle`. Errors: `bad_request`, `invalid_input`, `authentication_failed`, `merchant_inactive`,
   * `forbidden`, `rate_limited`, `internal_error`.
   */
  readonly settle: (options?: CallOptions) => Promise<Settled>
  /**
   * Get the clock of the service.
   *
   * `GET /sandbox/clock`. Errors: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
   * `internal_error`.
   */
  readonly now: (options?: CallOptions) => Promise<ClockTime>
  /**
   * Move the clock of the service forward.
   *
   * `POST /sandbox/clock/advance`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
   * `merchant_inactive`, `forbidden`, `rate_limited`, `internal_error`.
   */
  readonly advance: (input: SandboxAdvance, options?: CallOptions) => Promise<Advanced>
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
    readonly revoke: (id: string, keyId: string, input?: Noted, options?: CreateOptions) => Promise<Deleted>
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
    readonly review: (id: string, input: ReviewAccessRequest, options?: CreateOptions) => Promise<AccessRequest>
    /**
     * Revoke a grant.
     *
     * `POST /operator/v1/access-requests/:id/revoke`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly revoke: (id: string, input?: RevokeAccessRequest, options?: CreateOptions) => Promise<AccessRequest>
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
    readonly review: (id: string, input: ReviewVerification, options?: CreateOptions) => Promise<VerificationReview>
  }
  readonly walletCredentials: {
    /**
     * Freeze a wallet credential. Deposits to a frozen credential are held for review.
     *
     * `POST /operator/v1/credentials/:id/freeze`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly freeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<WalletCredential>
    /**
     * Unfreeze a wallet credential.
     *
     * `POST /operator/v1/credentials/:id/unfreeze`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly unfreeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<WalletCredential>
    /**
     * Convert the balance of a wallet credential and credit its wallet. Converts the whole balance at the current
     * rate and fee. Use this operation when a conversion failed or was returned.
     *
     * `POST /operator/v1/credentials/:id/forward`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `ledger_insufficient_funds`, `internal_error`, `external_service_unavailable`.
     */
    readonly forward: (id: string, input?: Noted, options?: CreateOptions) => Promise<Transaction>
    /**
     * Disable a wallet credential for good. Later deposits to the credential are held.
     *
     * `POST /operator/v1/credentials/:id/disable`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly disable: (id: string, input?: Noted, options?: CreateOptions) => Promise<WalletCredential>
  }
  readonly depositAddresses: {
    /**
     * Freeze a deposit address.
     *
     * `POST /operator/v1/deposit-addresses/:id/freeze`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly freeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<DepositAddress>
    /**
     * Unfreeze a deposit address.
     *
     * `POST /operator/v1/deposit-addresses/:id/unfreeze`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly unfreeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<DepositAddress>
  }
  readonly webhooks: {
    /**
     * List the deliveries of any webhook endpoint. Each attempt with the status and the start of the body of the
     * receiver's response, newest first.
     *
     * `GET /operator/v1/webhook-endpoints/:id/deliveries`. Errors: `invalid_input`, `authentication_failed`,
     * `not_found`, `internal_error`.
     */
    readonly deliveries: (id: string, query?: ListMerchantWebhookDeliveriesQuery, options?: CallOptions) => List<WebhookDelivery>
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
    readonly release: (id: string, input: ReleaseDeposit, options?: CreateOptions) => Promise<Transaction>
    /**
     * Reject a held deposit and return its money. The deposit fails when the provider accepts the refund.
     *
     * `POST /operator/v1/deposits/:id/reject`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly reject: (id: string, input: RejectDeposit, options?: CreateOptions) => Promise<Transaction>
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
    readonly resolve: (id: string, input: ResolveException, options?: CreateOptions) => Promise<Exception>
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
    readonly create: (input: CreateBrake, options?: CreateOptions) => Promise<Brake>
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
    readonly release: (id: string, input?: ReleaseBrake, options?: CreateOptions) => Promise<Brake>
  }
  readonly rates: {
    /**
     * List the rates, and whether each is within its band.
     *
     * `GET /operator/v1/rates`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListRatesQuery, options?: CallOptions) => List<Rate>
    /**
     * Accept a rate. Accepts a rate that you have checked. The source is judged against it from then on, so that a
     * rate that was held is used if it is near. The acceptance is in the audit log.
     *
     * `POST /operator/v1/rates/:currency/accept`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `idempotency_conflict`, `idempotency_in_progress`, `internal_error`.
     */
    readonly accept: (currency: string, input: AcceptRate, options?: CreateOptions) => Promise<Rate>
  }
  readonly externalAccounts: {
    /**
     * Create an external account. A place where money really is. It mirrors the account `world:<provider>` in its
     * currency. Several may mirror one: the first has the payouts and pay-ins that name no account. An active
     * account has its identifiers alone, in its currency.
     *
     * `POST /operator/v1/external-accounts`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `duplicate_resource`, `idempotency_conflict`, `idempotency_in_progress`, `internal_error`.
     */
    readonly create: (input: CreateExternalAccount, options?: CreateOptions) => Promise<ExternalAccount>
    /**
     * List external accounts.
     *
     * `GET /operator/v1/external-accounts`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListExternalAccountsQuery, options?: CallOptions) => List<ExternalAccount>
    /**
     * Get an external account.
     *
     * `GET /operator/v1/external-accounts/:id`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
     * `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<ExternalAccount>
    /**
     * Change, close or reopen an external account. Provider, currency and kind stay. A closed account frees its
     * identifiers and takes no other change until it is active again.
     *
     * `PATCH /operator/v1/external-accounts/:id`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `conflict`, `duplicate_resource`, `internal_error`.
     */
    readonly update: (id: string, input?: UpdateExternalAccount, options?: ChangeOptions) => Promise<ExternalAccount>
  }
  readonly adjustingEntries: {
    /**
     * Post an adjusting entry. One posting between accounts of the platform, never of a customer. With
     * `exception_id` the exception ends with it: the entry takes all of its money out of `suspense`, or, where it
     * has none there, books at most its exposure. An entry never changes; another one reverses it.
     *
     * `POST /operator/v1/adjusting-entries`. Errors: `bad_request`, `invalid_input`, `invalid_amount_precision`,
     * `authentication_failed`, `forbidden`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly create: (input: CreateAdjustingEntry, options?: CreateOptions) => Promise<AdjustingEntry>
    /**
     * List adjusting entries.
     *
     * `GET /operator/v1/adjusting-entries`. Errors: `invalid_input`, `authentication_failed`, `internal_error`.
     */
    readonly list: (query?: ListAdjustingEntriesQuery, options?: CallOptions) => List<AdjustingEntry>
    /**
     * Get an adjusting entry.
     *
     * `GET /operator/v1/adjusting-entries/:id`. Errors: `invalid_input`, `authentication_failed`, `not_found`,
     * `internal_error`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<AdjustingEntry>
    /**
     * Reverse an adjusting entry. Posts the opposite entry, once, and returns it. An exception that ended with the
     * entry is open again. A reversal is not reversed: post a new entry.
     *
     * `POST /operator/v1/adjusting-entries/:id/reverse`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly reverse: (id: string, input: ReverseAdjustingEntry, options?: CreateOptions) => Promise<AdjustingEntry>
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
     * `duplicate_resource`, `idempotency_conflict`, `idempotency_in_progress`, `internal_error`.
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
     * `forbidden`, `not_found`, `invalid_status`, `conflict`, `duplicate_resource`, `internal_error`.
     */
    readonly update: (id: string, input?: UpdateOperator, options?: ChangeOptions) => Promise<Operator>
    /**
     * Replace an operator's token. Only this response contains the new token. The old one is no longer accepted.
     *
     * `POST /operator/v1/operators/:id/rotate-token`. Errors: `bad_request`, `invalid_input`,
     * `authentication_failed`, `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`,
     * `idempotency_in_progress`, `internal_error`.
     */
    readonly rotateToken: (id: string, input?: Noted, options?: CreateOptions) => Promise<OperatorWithToken>
    /**
     * Revoke an operator. The token is no longer accepted, and the operator's console sessions end: on this node at
     * once, on every node within five seconds.
     *
     * `POST /operator/v1/operators/:id/revoke`. Errors: `bad_request`, `invalid_input`, `authentication_failed`,
     * `forbidden`, `not_found`, `invalid_status`, `idempotency_conflict`, `idempotency_in_progress`,
     * `internal_error`.
     */
    readonly revoke: (id: string, input?: Noted, options?: CreateOptions) => Promise<Operator>
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
