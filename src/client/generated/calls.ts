/** The methods of the clients. Written by `npm run openapi`; a test fails when it is stale. */
import type { Feed, List } from "../list.ts"
import type { CallOptions, ChangeOptions, CreateOptions } from "../options.ts"
import type {
  AcceptRate, AccessRequest, ActingOperator, AdjustingEntry, Advanced, ApiKey, Approval, ApprovalRule, AuditEntry,
  BankStatement, BankStatementLine, Batch, BatchRow, BatchSummary, Beneficiary, Brake, Break, CheckedBatch, ClockTime,
  Closing, ConfiguredProvider, Conversion, Country, CreateAccessRequest, CreateAdjustingEntry, CreateApiKey,
  CreateApprovalRule, CreateBatch, CreateBeneficiary, CreateBrake, CreateClosing, CreateConversion,
  CreateConversionQuote, CreateCustomer, CreateDepositAddress, CreateExternalAccount, CreateFeeSchedule, CreateLimit,
  CreateMerchant, CreateMerchantApiKey, CreateOfframp, CreateOfframpQuote, CreateOnramp, CreateOnrampQuote,
  CreateOperator, CreateQuote, CreateSender, CreateStatementMapping, CreateTransfer, CreateVerification, CreateWallet,
  CreateWalletCredential, CreateWebhookEndpoint, Currency, Customer, DecideApproval, DeclineApproval, Deleted,
  DepositAddress, DisableDepositAddress, EndFeeSchedule, Event, Exception, ExternalAccount, FeeSchedule, HeldDeposit,
  LedgerAccount, LedgerEntry, Limit, ListedAdjustingEntry, ListedBeneficiary, ListedBrake, ListedException,
  ListedFeeSchedule, ListedLimit, ListedSender, ListedTransaction, ListedVerificationReview, Me, Merchant,
  MerchantCustomer, MerchantWebhookEndpoint, Movement, MovementStatus, Network, NewApiKey, NewMerchant, Noted, Offramp,
  Onramp, Operator, OperatorWithToken, OwnLimit, OwnSearchResult, PreviewStatement, Provider, ProviderBalances,
  ProviderStatement, Quote, Rate, ReconciledAccount, RejectDeposit, ReleaseBrake, ReplayWebhookEndpoint, Replayed,
  ReplayedFailed, ReportedPayin, ResolveBreak, ResolveException, ResolvedBreaks, Resource, ResourceHistory,
  ResourceStatus, ReverseAdjustingEntry, ReviewAccessRequest, ReviewVerification, RevokeAccessRequest, Route,
  SandboxAdvance, SandboxDeposit, SandboxOutcome, SandboxProvider, SandboxScreen, SandboxVerification, SearchResult,
  Sender, Settled, StatementMapping, StatementPreview, Statistics, StuckResource, Timeline, Totals, Transaction,
  Transfer, TrialBalance, UpdateApprovalRule, UpdateBeneficiary, UpdateCustomer, UpdateExternalAccount, UpdateLimit,
  UpdateMerchant, UpdateOperator, UpdateSender, UpdateWallet, UpdateWebhookEndpoint, Verification, VerificationReview,
  Wallet, WalletCredential, WalletStatement, WebhookDelivery, WebhookEndpoint, WebhookEndpointHealth,
  WebhookEndpointWithSecret
} from "./resources.ts"

/** What lists of one kind of movement take. */
export interface MovementsQuery extends PeriodQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only those that debit or credit this wallet. An unknown id gives an empty page. Example: `wal_…`. */
  readonly wallet_id?: string | null | undefined
  /** Only the movement with this reference. Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
}

/** What lists of resources take. */
export interface PeriodQuery extends PageQuery {
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

/** What every list takes. */
export interface PageQuery {
  /** The page, from 1. Default: 1. Example: `1`. */
  readonly page?: number | null | undefined
  /** The number of items per page. Default: 50. Example: `50`. */
  readonly per_page?: number | null | undefined
}

export interface ListApiKeysQuery extends PeriodQuery {}

export interface ListCurrenciesQuery extends PageQuery {
  /** Shows what this customer can do now. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only currencies with this code. Example: `USDC`. */
  readonly code?: string | null | undefined
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
}

export interface ListCountriesQuery extends PageQuery {}

export interface ListProvidersQuery extends PageQuery {
  /** Only banks of this country. Example: `NG`. */
  readonly country_code?: string | null | undefined
}

export interface ListAccessRequestsQuery extends PeriodQuery {
  readonly status?: "pending" | "approved" | "rejected" | "revoked" | null | undefined
}

export interface ListCustomersQuery extends PeriodQuery {
  /** Only customers of this type. */
  readonly type?: "individual" | "business" | null | undefined
  /** Only customers whose verification stands here. */
  readonly kyc_status?: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
}

export interface ListVerificationsQuery extends PeriodQuery {}

export interface ListWalletsQuery extends PeriodQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
}

export interface GetWalletStatementQuery {
  /** The first day, of UTC. Example: `2026-01-01`. */
  readonly from: string
  /** The last day, of UTC: at most 366 days from the first on. Example: `2026-01-31`. */
  readonly to: string
  /**
   * `csv` and `camt053` answer the file instead of the envelope. `camt053` takes wallets of currencies with three
   * letters. Default: `json`.
   */
  readonly format?: "json" | "csv" | "camt053" | null | undefined
}

export interface ListWalletCredentialsQuery extends PeriodQuery {
  readonly status?: "pending" | "active" | "frozen" | "disabled" | null | undefined
}

export interface ListDepositAddressesQuery extends PeriodQuery {
  readonly status?: "pending" | "active" | "frozen" | "disabled" | null | undefined
}

export interface ListBeneficiariesQuery extends PeriodQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  readonly type?: "fiat" | "crypto" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  readonly status?: "pending" | "active" | "blocked" | null | undefined
}

export interface ListSendersQuery extends PeriodQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only senders of this type. */
  readonly type?: "individual" | "business" | null | undefined
}

export interface ListOnrampsQuery extends MovementsQuery {
  readonly status?: "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
}

export interface ListOfframpsQuery extends MovementsQuery {
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  readonly status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
}

export interface ListConversionsQuery extends MovementsQuery {
  readonly status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
}

export interface ListTransfersQuery extends MovementsQuery {
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  readonly status?: "processing" | "success" | "failed" | null | undefined
}

export interface ListBatchesQuery extends PeriodQuery {
  readonly status?: "draft" | "processing" | "completed" | "cancelled" | null | undefined
}

export interface ListBatchRowsQuery extends PageQuery {
  readonly status?: "valid" | "invalid" | "pending" | "created" | "failed" | "cancelled" | null | undefined
  /** Only those with this status of their movement. */
  readonly resource_status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  /** Only rows whose movement waits for approval, or only the others. Example: `true`. */
  readonly awaits_approval?: boolean | null | undefined
  /** `csv`: all rows as a file, instead of a page. Default: `json`. Example: `csv`. */
  readonly format?: "json" | "csv" | null | undefined
}

export interface ListTransactionsQuery extends PeriodQuery {
  readonly type?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  /** Only those with this source type. */
  readonly source_type?: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer" | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only those that debit or credit this wallet. An unknown id gives an empty page. Example: `wal_…`. */
  readonly wallet_id?: string | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** Only those with this currency on either side, by its exact code. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /** Only those that come to this much or more in `currency`, which it needs. Example: `100.00`. */
  readonly min_amount?: string | null | undefined
  /** Only those that come to this much or less in `currency`, which it needs. Example: `5000.00`. */
  readonly max_amount?: string | null | undefined
  /** Only those that failed or were returned for this reason. Example: `quote_expired`. */
  readonly failure_reason?: string | null | undefined
}

export interface GetTransactionTotalsQuery {
  readonly type?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  /** Only those with this source type. */
  readonly source_type?: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer" | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only those that debit or credit this wallet. An unknown id gives an empty page. Example: `wal_…`. */
  readonly wallet_id?: string | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** Only those with this currency on either side, by its exact code. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /** Only those that come to this much or more in `currency`, which it needs. Example: `100.00`. */
  readonly min_amount?: string | null | undefined
  /** Only those that come to this much or less in `currency`, which it needs. Example: `5000.00`. */
  readonly max_amount?: string | null | undefined
  /** Only those that failed or were returned for this reason. Example: `quote_expired`. */
  readonly failure_reason?: string | null | undefined
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
  /**
   * What rows are separated by: one or more of type, status, recipient, failure_reason, joined by commas. Default: one
   * row. Example: `recipient`.
   */
  readonly by?: string | null | undefined
  /** `csv`: the rows as a file. Default: `json`. Example: `csv`. */
  readonly format?: "json" | "csv" | null | undefined
}

export interface ListWebhookEndpointsQuery extends PeriodQuery {}

export interface ListWebhookDeliveriesQuery extends PeriodQuery {
  readonly status?: "pending" | "delivered" | "failed" | null | undefined
  /** Only deliveries of events of this type. Example: `offramp.success`. */
  readonly event_type?: "onramp.awaiting_deposit" | "onramp.funds_received" | "onramp.processing" | "onramp.success" | "onramp.failed" | "onramp.returned" | "offramp.created" | "offramp.funds_received" | "offramp.processing" | "offramp.success" | "offramp.failed" | "offramp.returned" | "conversion.created" | "conversion.funds_received" | "conversion.processing" | "conversion.success" | "conversion.failed" | "conversion.returned" | "transfer.processing" | "transfer.success" | "transfer.failed" | "deposit.received" | "deposit.held" | "deposit.confirmed" | "deposit.failed" | "kyc.approved" | "kyc.rejected" | "ping" | null | undefined
  /** Only deliveries of this event. Example: `evt_…`. */
  readonly event_id?: string | null | undefined
}

export interface ListEventsQuery extends PeriodQuery {
  /** Only events of this category. Example: `offramp`. */
  readonly category?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc" | null | undefined
  /** Only events of this type. Example: `offramp.success`. */
  readonly event_type?: "onramp.awaiting_deposit" | "onramp.funds_received" | "onramp.processing" | "onramp.success" | "onramp.failed" | "onramp.returned" | "offramp.created" | "offramp.funds_received" | "offramp.processing" | "offramp.success" | "offramp.failed" | "offramp.returned" | "conversion.created" | "conversion.funds_received" | "conversion.processing" | "conversion.success" | "conversion.failed" | "conversion.returned" | "transfer.processing" | "transfer.success" | "transfer.failed" | "deposit.received" | "deposit.held" | "deposit.confirmed" | "deposit.failed" | "kyc.approved" | "kyc.rejected" | null | undefined
  /** Only events of this resource. Example: `ofr_…`. */
  readonly event_object_id?: string | null | undefined
}

export interface FeedEventsQuery {
  /** The last event that you have. Default: the feed begins with the oldest event. Example: `evt_…`. */
  readonly after?: string | null | undefined
  /** The most events to return. Default: 50. Example: `50`. */
  readonly limit?: number | null | undefined
}

export interface ListOwnLimitsQuery extends PeriodQuery {
  /** What this customer uses. Limits of other customers are left out. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** What this wallet uses. Limits of other wallets are left out. Example: `wal_…`. */
  readonly wallet_id?: string | null | undefined
  /** What this beneficiary uses. Limits of other beneficiaries are left out. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
}

export interface ListApprovalRulesQuery extends PeriodQuery {
  readonly status?: "active" | "ended" | null | undefined
}

export interface ListApprovalsQuery extends PeriodQuery {
  readonly status?: "pending" | "approved" | "declined" | "expired" | null | undefined
  readonly operation?: "transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release" | null | undefined
  /** Only approvals of this resource. Example: `tfr_…`. */
  readonly resource_id?: string | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  readonly side?: "merchant" | "operator" | null | undefined
}

export interface ListOwnSearchResultsQuery extends PageQuery {
  /**
   * An id, a reference, a hash, an account number or address, an email address, a name, or an amount with its currency.
   * Example: `INV-1042`.
   */
  readonly q: string
  /** Only resources of this kind. Example: `offramp`. */
  readonly kind?: string | null | undefined
}

export interface GetStatisticsQuery {
  /** The beginning, moved back to a full hour. Default: 7 days before `to`, 24 hours by hour. Example: `2026-01-31`. */
  readonly from?: string | null | undefined
  /** The end, exclusive, moved on to a full hour. Default: now. Example: `2026-01-31`. */
  readonly to?: string | null | undefined
  /** Only movements with this currency on either side, by its exact code. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /**
   * What rows are separated by, joined by commas: one of hour, day and month, and any of operation, corridor,
   * failure_reason. Default: one row. Example: `day,operation`.
   */
  readonly by?: string | null | undefined
  /** `csv`: the rows as a file. Default: `json`. Example: `csv`. */
  readonly format?: "json" | "csv" | null | undefined
}

export interface ListMerchantsQuery extends PeriodQuery {
  readonly status?: "pending" | "active" | "suspended" | null | undefined
}

export interface ListMerchantApiKeysQuery extends PeriodQuery {}

export interface ListAllAccessRequestsQuery extends PeriodQuery {
  readonly status?: "pending" | "approved" | "rejected" | "revoked" | null | undefined
  /** Only requests of this merchant. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
}

export interface ListVerificationReviewsQuery extends PeriodQuery {
  /** Only sessions with this status. Default: the sessions that wait for a review. */
  readonly status?: "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
  /** Only sessions of this merchant. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** Only sessions of this customer. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
}

export interface ListMerchantWalletsQuery extends PeriodQuery {
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
}

export interface ListMerchantBatchRowsQuery extends PageQuery {
  readonly status?: "valid" | "invalid" | "pending" | "created" | "failed" | "cancelled" | null | undefined
  /** Only those with this status of their movement. */
  readonly resource_status?: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  /** Only rows whose movement waits for approval, or only the others. Example: `true`. */
  readonly awaits_approval?: boolean | null | undefined
  /** `csv`: all rows as a file, instead of a page. Default: `json`. Example: `csv`. */
  readonly format?: "json" | "csv" | null | undefined
}

export interface ListAllWebhookEndpointsQuery extends PeriodQuery {
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  readonly health?: "healthy" | "failing" | "inactive" | null | undefined
}

export interface ListMerchantWebhookDeliveriesQuery extends PeriodQuery {
  readonly status?: "pending" | "delivered" | "failed" | null | undefined
  /** Only deliveries of events of this type. Example: `offramp.success`. */
  readonly event_type?: "onramp.awaiting_deposit" | "onramp.funds_received" | "onramp.processing" | "onramp.success" | "onramp.failed" | "onramp.returned" | "offramp.created" | "offramp.funds_received" | "offramp.processing" | "offramp.success" | "offramp.failed" | "offramp.returned" | "conversion.created" | "conversion.funds_received" | "conversion.processing" | "conversion.success" | "conversion.failed" | "conversion.returned" | "transfer.processing" | "transfer.success" | "transfer.failed" | "deposit.received" | "deposit.held" | "deposit.confirmed" | "deposit.failed" | "kyc.approved" | "kyc.rejected" | "ping" | null | undefined
  /** Only deliveries of this event. Example: `evt_…`. */
  readonly event_id?: string | null | undefined
}

export interface ListHeldDepositsQuery extends PeriodQuery {
  /** `held`, the default: only held deposits are listed. */
  readonly status?: "held" | null | undefined
  /** Only deposits of this customer. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only deposits of this merchant. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
}

export interface ListExceptionsQuery extends PeriodQuery {
  /** Only exceptions with this status. */
  readonly status?: "open" | "resolved" | null | undefined
  /** Only exceptions of this severity. */
  readonly severity?: "low" | "high" | null | undefined
  /** Only exceptions with this reason. Example: `contradicts_state`. */
  readonly reason?: "already_funded" | "ambiguous_target" | "another_amount" | "another_currency" | "another_provider" | "another_target" | "contradicts_state" | "event_id_reused" | "implausible_amount" | "late_funding" | "not_applicable" | "over_refund" | "over_return" | "over_settlement" | "partial_refund" | "partial_return" | "recalled" | "refund_bounced" | "refund_failed" | "refused_screening" | "remainder" | "short_settlement" | "target_taken" | "unknown_resource" | "unknown_target" | "unreadable_amount" | "unreadable_event" | "wrong_currency" | null | undefined
  /** Only exceptions of this merchant. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** Only exceptions about this resource. Example: `ofr_…`. */
  readonly resource_id?: string | null | undefined
}

export interface ListBrakesQuery extends PeriodQuery {
  readonly status?: "active" | "released" | null | undefined
  readonly scope?: "all" | "provider" | "corridor" | "merchant" | null | undefined
}

export interface ListRatesQuery extends PageQuery {}

export interface ListFeeSchedulesQuery extends PeriodQuery {
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  readonly operation?: "offramp" | "onramp" | "conversion" | null | undefined
  /** Only those that name this source currency. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** Only those that name this destination currency. Example: `USDC`. */
  readonly destination_currency?: string | null | undefined
  readonly status?: "active" | "ended" | null | undefined
}

export interface ListLimitsQuery extends PeriodQuery {
  readonly scope?: "platform" | "merchant" | "customer" | "wallet" | "beneficiary" | "api_key" | null | undefined
  /** Only those of this id. Example: `cust_…`. */
  readonly scope_id?: string | null | undefined
  /** Only those of this merchant, and of what belongs to it. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  readonly tier?: "tier_0" | "tier_1" | "tier_2" | null | undefined
  readonly action?: "refuse" | "approve" | null | undefined
  readonly status?: "active" | "disabled" | null | undefined
  /**
   * A merchant, customer, wallet, beneficiary or API key. Limits that each of its scope has to itself show what this
   * one uses. Example: `mer_…`.
   */
  readonly used_by?: string | null | undefined
}

export interface ListExternalAccountsQuery extends PeriodQuery {
  /** Only those of this provider. Example: `simulated`. */
  readonly provider?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  readonly kind?: "bank" | "chain" | null | undefined
  /** Only those that have an identifier with this value. Example: `DE89370400440532013000`. */
  readonly identifiers?: string | null | undefined
  /** Only those of this time zone. Example: `Europe/Berlin`. */
  readonly time_zone?: string | null | undefined
  /** Only those with this use. */
  readonly uses?: "payouts" | "payins" | null | undefined
  readonly status?: "active" | "closed" | null | undefined
}

export interface ListAdjustingEntriesQuery extends PeriodQuery {
  /** Only those that debit this account. Example: `suspense`. */
  readonly from?: string | null | undefined
  /** Only those that credit this account. Example: `world:simulated`. */
  readonly to?: string | null | undefined
  /** Only those of this amount. Example: `12.50`. */
  readonly amount?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  readonly status?: "posted" | "reversed" | null | undefined
  /** Only those of this exception. Example: `exc_…`. */
  readonly exception_id?: string | null | undefined
  /** Only those of this break. Example: `brk_…`. */
  readonly break_id?: string | null | undefined
  /** Only those of this line. Example: `stl_…`. */
  readonly line_id?: string | null | undefined
  /** Only those of this entry. Example: `adj_…`. */
  readonly reverses?: string | null | undefined
  /** Only the one that this entry reverses. Example: `adj_…`. */
  readonly reversed_by?: string | null | undefined
}

export interface ListStatementMappingsQuery extends PeriodQuery {
  /** Only those with this name. Example: `Euro account, online export`. */
  readonly name?: string | null | undefined
  /** Only those of this external account. An unknown id gives an empty page. Example: `xac_…`. */
  readonly external_account_id?: string | null | undefined
}

export interface TakeStatementsInput {
  /** The file, as the bank made it: at most 64 MiB. */
  readonly file: Uint8Array
  /**
   * `true`: the call is decided and not committed. The response is the one that the call would have now, with
   * `meta.dry_run`. Nothing is written, and no provider is asked for anything that has an effect.
   */
  readonly dry_run?: "true" | "false" | null | undefined
  /** The format, where it cannot be recognised. `csv` needs `mapping`. */
  readonly format?: "camt.052" | "camt.053" | "camt.054" | "mt940" | "mt942" | "bai2" | "csv" | null | undefined
  /** The external account, for a file that names none. A file that names another is refused. Example: `xac_…`. */
  readonly external_account_id?: string | null | undefined
  /** The statement mapping by which a CSV file is read. Example: `stp_…`. */
  readonly mapping?: string | null | undefined
  /** Why the operator acts. The audit log and the history show it. Example: `Confirmed by phone`. */
  readonly note?: string | null | undefined
}

export interface ListStatementsQuery extends PeriodQuery {
  /** Only those of this external account. An unknown id gives an empty page. Example: `xac_…`. */
  readonly external_account_id?: string | null | undefined
  readonly format?: "camt.052" | "camt.053" | "camt.054" | "mt940" | "mt942" | "bai2" | "csv" | "protocol" | "chain" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Only those with this number. Example: `5`. */
  readonly number?: string | null | undefined
  /** Only those that begin on this day. Example: `2026-01-05`. */
  readonly from?: string | null | undefined
  /** Only those that end on this day. Example: `2026-01-05`. */
  readonly to?: string | null | undefined
}

export interface ListStatementLinesQuery extends PeriodQuery {
  /** Only those of this external account. An unknown id gives an empty page. Example: `xac_…`. */
  readonly external_account_id?: string | null | undefined
  /** Only those that this statement was the first to have. An unknown id gives an empty page. Example: `stm_…`. */
  readonly statement_id?: string | null | undefined
  readonly status?: "matched" | "proposed" | "unmatched" | "explained" | "withdrawn" | null | undefined
  readonly direction?: "credit" | "debit" | null | undefined
  /** Only those that take an earlier booking back, or only the others. Example: `true`. */
  readonly reversal?: boolean | null | undefined
  /** Only those that this resource accounts for. An unknown id gives an empty page. Example: `ofr_…`. */
  readonly resource_id?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Only those that the bank booked on this day. Example: `2026-01-05`. */
  readonly booked_on?: string | null | undefined
  /** Only those that the close of this day counts. Example: `2026-01-05`. */
  readonly accounted_on?: string | null | undefined
  /** Only those that the bank booked on this day or later. Example: `2026-01-05`. */
  readonly booked_after?: string | null | undefined
  /** Only those that the bank booked on this day or earlier. Example: `2026-01-05`. */
  readonly booked_before?: string | null | undefined
  /** Only those with this value date. Example: `2026-01-05`. */
  readonly value_on?: string | null | undefined
  /** Only those of this amount. Example: `147753.75`. */
  readonly amount?: string | null | undefined
  /** Only those with this bank reference, end-to-end id, UETR or transaction hash. Example: `FT26031XK92`. */
  readonly reference?: string | null | undefined
  /** Only those with this bank reference. Case does not count. Example: `FT26031XK92`. */
  readonly bank_reference?: string | null | undefined
  /** Only those with this end-to-end id. Case does not count. Example: `INV-1042`. */
  readonly end_to_end_id?: string | null | undefined
  /** Only those with this UETR. Case does not count. Example: `97ed4827-7b6f-4491-a06f-b548d5a7512d`. */
  readonly uetr?: string | null | undefined
  /**
   * Only those with this transaction hash. Case does not count. Example:
   * `0x9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b`.
   */
  readonly transaction_hash?: string | null | undefined
  /** Only those with this code. Case does not count. Example: `PMNT/ICDT/ESCT`. */
  readonly code?: string | null | undefined
  /** Only those with this text in the remittance. Example: `Invoice 77`. */
  readonly remittance?: string | null | undefined
  /**
   * Only those with this text in the counterparty, the remittance, a reference or the code. Case and accents do not
   * count. Example: `ada obi`.
   */
  readonly text?: string | null | undefined
}

export interface ListBreaksQuery extends PeriodQuery {
  /** Only those of this external account. An unknown id gives an empty page. Example: `xac_…`. */
  readonly external_account_id?: string | null | undefined
  readonly kind?: "missing_in_books" | "missing_on_statement" | "amount_differs" | "executed_twice" | "contradicts_status" | "balance_differs" | "gap" | null | undefined
  readonly severity?: "low" | "high" | null | undefined
  readonly status?: "open" | "resolved" | null | undefined
  readonly direction?: "credit" | "debit" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Only those about this resource. Example: `ofr_…`. */
  readonly resource_id?: string | null | undefined
  /** As `resource_id`. Example: `ofr_…`. */
  readonly resources?: string | null | undefined
  /** As `line_id`. Example: `stl_…`. */
  readonly lines?: string | null | undefined
  /** Only those about this line. Example: `stl_…`. */
  readonly line_id?: string | null | undefined
  /** Only those of this statement. Example: `stm_…`. */
  readonly statement_id?: string | null | undefined
  /** Only those of this amount. Example: `147753.75`. */
  readonly amount?: string | null | undefined
  readonly action?: "match" | "explain" | "adopt" | "dismiss" | "unmatch" | "reopen" | "cleared" | null | undefined
  /** Only those that were found at least this long ago, in seconds. Example: `86400`. */
  readonly older_than_seconds?: number | null | undefined
  /**
   * `newest`: newest first. `urgent`: those of severity `high` first, and of each severity the oldest first. Example:
   * `urgent`.
   */
  readonly order?: "newest" | "urgent" | null | undefined
  /** `csv`: all that match, as a file. Example: `csv`. */
  readonly format?: "csv" | null | undefined
}

export interface ResolveBreaksInput {
  readonly file: Uint8Array
  /**
   * `true`: the call is decided and not committed. The response is the one that the call would have now, with
   * `meta.dry_run`. Nothing is written, and no provider is asked for anything that has an effect.
   */
  readonly dry_run?: "true" | "false" | null | undefined
  /**
   * `csv`, the default: the response is the file with a column `result`. `json`: the rows alone, with counts. Example:
   * `csv`.
   */
  readonly format?: "csv" | "json" | null | undefined
}

export interface ListClosingsQuery extends PeriodQuery {
  /** Only those of this external account. An unknown id gives an empty page. Example: `xac_…`. */
  readonly external_account_id?: string | null | undefined
  /** Only those of this day. Example: `2026-01-05`. */
  readonly date?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** Only those that were sealed with something unexplained, or only the others. Example: `true`. */
  readonly accepted?: boolean | null | undefined
  /** Only those that this operator sealed, by name. Example: `Ada Obi`. */
  readonly sealed_by?: string | null | undefined
}

export interface ListReconciliationQuery extends PageQuery {
  /** Only this external account. An unknown id gives an empty page. Example: `xac_…`. */
  readonly external_account_id?: string | null | undefined
  /** Only the accounts of this provider. Example: `simulated`. */
  readonly provider?: string | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** The day, in the time zone of each account. Default: today. Example: `2026-01-05`. */
  readonly date?: string | null | undefined
  /** Only the accounts whose day is sealed, or only the others. Example: `false`. */
  readonly sealed?: boolean | null | undefined
}

export interface ListOperatorApprovalRulesQuery extends PeriodQuery {
  readonly status?: "active" | "ended" | null | undefined
}

export interface ListOperatorApprovalsQuery extends PeriodQuery {
  readonly status?: "pending" | "approved" | "declined" | "expired" | null | undefined
  readonly operation?: "transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release" | null | undefined
  /** Only approvals of this resource. Example: `tfr_…`. */
  readonly resource_id?: string | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
}

export interface ListOperatorsQuery extends PeriodQuery {
  readonly status?: "active" | "revoked" | null | undefined
  readonly role?: "viewer" | "support" | "treasury" | "admin" | null | undefined
}

export interface ListSearchResultsQuery extends PageQuery {
  /**
   * An id, a reference, a hash, an account number or address, an email address, a name, or an amount with its currency.
   * Example: `INV-1042`.
   */
  readonly q: string
  /** Only resources of this kind. Example: `offramp`. */
  readonly kind?: string | null | undefined
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
}

export interface GetAllStatisticsQuery {
  /** The beginning, moved back to a full hour. Default: 7 days before `to`, 24 hours by hour. Example: `2026-01-31`. */
  readonly from?: string | null | undefined
  /** The end, exclusive, moved on to a full hour. Default: now. Example: `2026-01-31`. */
  readonly to?: string | null | undefined
  /** Only movements with this currency on either side, by its exact code. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /**
   * What rows are separated by, joined by commas: one of hour, day and month, and any of operation, corridor, provider,
   * failure_reason, merchant. Default: one row. Example: `day,operation`.
   */
  readonly by?: string | null | undefined
  /** Only movements of this merchant. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** `csv`: the rows as a file. Default: `json`. Example: `csv`. */
  readonly format?: "json" | "csv" | null | undefined
}

export interface ListMovementsQuery extends PeriodQuery {
  readonly kind?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  /** Only those that this provider has. Example: `simulated`. */
  readonly provider?: string | null | undefined
  /** Only those with this currency on either side, by its exact code. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /** Only those that come to this much or more in `currency`, which it needs. Example: `100.00`. */
  readonly min_amount?: string | null | undefined
  /** Only those that come to this much or less in `currency`, which it needs. Example: `5000.00`. */
  readonly max_amount?: string | null | undefined
  /** Only those that failed or were returned for this reason. Example: `quote_expired`. */
  readonly failure_reason?: string | null | undefined
}

export interface GetMovementTotalsQuery {
  readonly kind?: "onramp" | "offramp" | "conversion" | "transfer" | "deposit" | null | undefined
  readonly status?: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed" | null | undefined
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** Only those of this customer. An unknown id gives an empty page. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Only those that pay this beneficiary. An unknown id gives an empty page. Example: `ben_…`. */
  readonly beneficiary_id?: string | null | undefined
  /** Only those that this provider has. Example: `simulated`. */
  readonly provider?: string | null | undefined
  /** Only those with this currency on either side, by its exact code. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /** Only those that come to this much or more in `currency`, which it needs. Example: `100.00`. */
  readonly min_amount?: string | null | undefined
  /** Only those that come to this much or less in `currency`, which it needs. Example: `5000.00`. */
  readonly max_amount?: string | null | undefined
  /** Only those that failed or were returned for this reason. Example: `quote_expired`. */
  readonly failure_reason?: string | null | undefined
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
  /**
   * What rows are separated by: one or more of type, status, recipient, failure_reason, provider, merchant, joined by
   * commas. Default: one row. Example: `recipient`.
   */
  readonly by?: string | null | undefined
  /** `csv`: the rows as a file. Default: `json`. Example: `csv`. */
  readonly format?: "json" | "csv" | null | undefined
}

export interface ListAllCustomersQuery extends PeriodQuery {
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** Only customers of this type. */
  readonly type?: "individual" | "business" | null | undefined
  /** Only customers whose verification stands here. */
  readonly kyc_status?: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired" | null | undefined
}

export interface ListAccountsQuery extends PageQuery {
  readonly class?: "available" | "reserved" | "held" | "credential" | "clearing" | "world" | "fx" | "fees" | "rounding" | "suspense" | "losses" | "costs" | "receivable" | "float" | null | undefined
  /** Only those in this currency, by its exact code. Example: `USDC`. */
  readonly currency?: string | null | undefined
}

export interface ListAuditEntriesQuery extends PeriodQuery {
  /** Only actions of this operator. Example: `opr_…`. */
  readonly operator_id?: string | null | undefined
  /** Only actions on this resource. Example: `txn_…`. */
  readonly resource_id?: string | null | undefined
  /** Only actions on this merchant and its resources. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** Only this action: an operationId, `session.created` or `session.ended`. Example: `releaseDeposit`. */
  readonly action?: string | null | undefined
}

export interface ListConfiguredProvidersQuery extends PageQuery {}

export interface ListRoutesQuery extends PageQuery {
  /** What is asked for. Default: `payout`. */
  readonly operation?: "payout" | "conversion" | "payin" | "issue" | "directory" | "screening" | "verification" | null | undefined
  /** The currency; the source of a conversion. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /** The destination of a conversion. Example: `USDC`. */
  readonly destination_currency?: string | null | undefined
  /** The country, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code?: string | null | undefined
  /** The network. Example: `bank`. */
  readonly network?: Network | null | undefined
  /** The amount, in `currency`. Example: `100.00`. */
  readonly amount?: string | null | undefined
  /** As this merchant: its pauses count. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
}

export interface GetProviderStatementQuery {
  /** The `cursor` of the page before. Default: the beginning. Example: `line_8812`. */
  readonly after?: string | null | undefined
}

export interface GetTrialBalanceQuery {
  /** `csv`: the rows as a file. Default: `json`. Example: `csv`. */
  readonly format?: "json" | "csv" | null | undefined
}

export interface ListEntriesQuery extends PageQuery {}

export interface ListStuckQuery extends PageQuery {
  /** The least time without progress, in seconds. Default: 600. Example: `600`. */
  readonly older_than_seconds?: number | null | undefined
  readonly kind?: "access_request" | "batch" | "beneficiary" | "break" | "conversion" | "deposit" | "deposit_address" | "exception" | "offramp" | "onramp" | "transfer" | "verification" | "wallet_credential" | null | undefined
  /** Only those of this merchant. An unknown id gives an empty page. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /**
   * `true`: without what people decide in lists of their own, which are open exceptions and breaks, pending access
   * requests, verifications in progress, and payouts that wait for approval. Default: `false`. Example: `true`.
   */
  readonly without_queues?: boolean | null | undefined
}

/**
 * The operations of a merchant.
 *
 * Errors of every call: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
 * `internal_error`. One that takes `CreateOptions` also has `bad_request`, `forbidden`, `idempotency_conflict`,
 * `idempotency_in_progress`. One that takes `ChangeOptions` also has `bad_request`, `forbidden`, `not_found`,
 * `conflict`. A method names its others.
 */
export interface MerchantCalls {
  /** Get the merchant, integration and API key of the caller. `GET /v1/me`. */
  readonly me: (options?: CallOptions) => Promise<Me>
  readonly apiKeys: {
    /**
     * Create an API key. Only this response contains the secret. A key cannot create a key with a role above its own.
     * `POST /v1/api-keys`. Errors: `forbidden_key_role`, `api_key_limit_exceeded`.
     */
    readonly create: (input: CreateApiKey, options?: CreateOptions) => Promise<NewApiKey>
    /** List active API keys. The response has no secrets. Revoked keys are not listed. `GET /v1/api-keys`. */
    readonly list: (query?: ListApiKeysQuery, options?: CallOptions) => List<ApiKey>
    /**
     * Revoke an API key. Requests with the key are rejected with 401: on this node at once, on every node within five
     * seconds. Only an admin key can revoke another key. `DELETE /v1/api-keys/:id`. Errors: `invalid_status`.
     */
    readonly revoke: (id: string, options?: ChangeOptions) => Promise<Deleted>
  }
  readonly currencies: {
    /**
     * List currencies and what can be done in them. With customer_id, the response shows the current capabilities of
     * that customer. `GET /v1/currencies`. Errors: `not_found`.
     */
    readonly list: (query?: ListCurrenciesQuery, options?: CallOptions) => List<Currency>
    /**
     * Request access to a currency. The country selects between currencies with the same code. While a request is
     * pending, a repeat returns that request. `POST /v1/currencies/:code/access-requests`. Errors:
     * `prohibited_country`, `not_found`, `access_already_granted`.
     */
    readonly requestAccess: (code: string, input?: CreateAccessRequest, options?: CreateOptions) => Promise<AccessRequest>
    /** List your access requests. `GET /v1/currencies/access-requests`. */
    readonly accessRequests: (query?: ListAccessRequestsQuery, options?: CallOptions) => List<AccessRequest>
  }
  readonly countries: {
    /** List supported countries. `GET /v1/countries`. */
    readonly list: (query?: ListCountriesQuery, options?: CallOptions) => List<Country>
  }
  readonly providers: {
    /** List bank providers. `GET /v1/providers`. */
    readonly list: (query?: ListProvidersQuery, options?: CallOptions) => List<Provider>
  }
  readonly customers: {
    /** Create a customer. `POST /v1/customers`. Errors: `prohibited_country`. */
    readonly create: (input: CreateCustomer, options?: CreateOptions) => Promise<Customer>
    /** List customers. `GET /v1/customers`. */
    readonly list: (query?: ListCustomersQuery, options?: CallOptions) => List<Customer>
    /** Get a customer. `GET /v1/customers/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Customer>
    /**
     * Change a customer. Metadata is replaced as a whole. The profile is merged. `PATCH /v1/customers/:id`. Errors:
     * `prohibited_country`.
     */
    readonly update: (id: string, input?: UpdateCustomer, options?: ChangeOptions) => Promise<Customer>
  }
  readonly verifications: {
    /**
     * Start a verification. The response has a link to the hosted page. While the link is valid, a repeat returns the
     * same session. After the link expires, the same session gets a new link.
     * `POST /v1/customers/:customerId/verifications`. Errors: `not_found`, `invalid_status`,
     * `external_service_unavailable`.
     */
    readonly create: (customerId: string, input?: CreateVerification, options?: CreateOptions) => Promise<Verification>
    /** List a customer's verifications. `GET /v1/customers/:customerId/verifications`. Errors: `not_found`. */
    readonly list: (customerId: string, query?: ListVerificationsQuery, options?: CallOptions) => List<Verification>
    /** Get a verification. `GET /v1/customers/:customerId/verifications/:kycId`. Errors: `not_found`. */
    readonly get: (customerId: string, kycId: string, options?: CallOptions) => Promise<Verification>
  }
  readonly wallets: {
    /**
     * Create a wallet. Default customer: the default customer of the merchant. A customer can have several wallets in
     * one currency. `POST /v1/wallets`. Errors: `prohibited_country`, `resource_access_required`, `not_found`.
     */
    readonly create: (input: CreateWallet, options?: CreateOptions) => Promise<Wallet>
    /** List wallets. `GET /v1/wallets`. */
    readonly list: (query?: ListWalletsQuery, options?: CallOptions) => List<Wallet>
    /** Get a wallet and its balance. `GET /v1/wallets/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Wallet>
    /** Change a wallet's label or metadata. `PATCH /v1/wallets/:id`. */
    readonly update: (id: string, input?: UpdateWallet, options?: ChangeOptions) => Promise<Wallet>
    /**
     * Get a wallet's statement. What changed the balance of the wallet between two days of UTC, as JSON, CSV or
     * camt.053. The balance is what is available, reserved and held; what moves between these is no line.
     * `GET /v1/wallets/:id/statement`. Errors: `not_found`.
     */
    readonly statement: <F extends "json" | "csv" | "camt053" = "json">(id: string, query: GetWalletStatementQuery & { readonly format?: F }, options?: CallOptions) => Promise<F extends "csv" | "camt053" ? string : WalletStatement>
  }
  readonly walletCredentials: {
    /**
     * Create a wallet credential. The credential is pending until the provider issues the account or address. If its
     * currency is not that of the wallet, deposits are converted: fiat on a crypto wallet, crypto on a fiat wallet.
     * `POST /v1/wallets/:id/credentials`. Errors: `prohibited_country`, `resource_access_required`, `not_found`.
     */
    readonly create: (id: string, input: CreateWalletCredential, options?: CreateOptions) => Promise<WalletCredential>
    /** List a wallet's credentials. `GET /v1/wallets/:id/credentials`. Errors: `not_found`. */
    readonly list: (id: string, query?: ListWalletCredentialsQuery, options?: CallOptions) => List<WalletCredential>
    /** Get a wallet credential. `GET /v1/wallets/:id/credentials/:credentialId`. Errors: `not_found`. */
    readonly get: (id: string, credentialId: string, options?: CallOptions) => Promise<WalletCredential>
  }
  readonly depositAddresses: {
    /**
     * Create a deposit address. The deposit address is pending until the provider issues the address.
     * `POST /v1/wallets/:id/deposit-addresses`. Errors: `not_found`.
     */
    readonly create: (id: string, input: CreateDepositAddress, options?: CreateOptions) => Promise<DepositAddress>
    /** List a wallet's deposit addresses. `GET /v1/wallets/:id/deposit-addresses`. Errors: `not_found`. */
    readonly list: (id: string, query?: ListDepositAddressesQuery, options?: CallOptions) => List<DepositAddress>
    /** Get a deposit address. `GET /v1/wallets/:id/deposit-addresses/:depositAddressId`. Errors: `not_found`. */
    readonly get: (id: string, depositAddressId: string, options?: CallOptions) => Promise<DepositAddress>
    /**
     * Disable a deposit address. A disabled deposit address stays listed. Later deposits to it are recorded and held.
     * `DELETE /v1/wallets/:id/deposit-addresses/:depositAddressId`. Errors: `invalid_status`.
     */
    readonly disable: (id: string, depositAddressId: string, input?: DisableDepositAddress, options?: ChangeOptions) => Promise<Deleted>
  }
  readonly beneficiaries: {
    /**
     * Create a beneficiary. The provider resolves a bank account first, and a payshap proxy to its holder; an account
     * in euro may be named by its IBAN alone, whose holder nobody resolves. A beneficiary can stay pending until its
     * screening is complete. `POST /v1/beneficiaries`. Errors: `prohibited_country`, `account_resolution_failed`,
     * `resource_access_required`, `not_found`, `external_service_unavailable`.
     */
    readonly create: (input: CreateBeneficiary, options?: CreateOptions) => Promise<Beneficiary>
    /** List beneficiaries. `GET /v1/beneficiaries`. */
    readonly list: (query?: ListBeneficiariesQuery, options?: CallOptions) => List<ListedBeneficiary>
    /** Get a beneficiary. `GET /v1/beneficiaries/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Beneficiary>
    /**
     * Change a beneficiary. Changed account details are checked as at creation. `PATCH /v1/beneficiaries/:id`. Errors:
     * `prohibited_country`, `account_resolution_failed`, `resource_access_required`, `external_service_unavailable`.
     */
    readonly update: (id: string, input?: UpdateBeneficiary, options?: ChangeOptions) => Promise<Beneficiary>
  }
  readonly senders: {
    /**
     * Create a sender. The provider receives the sender as the originator of each offramp or transfer that names it.
     * `POST /v1/senders`. Errors: `prohibited_country`, `not_found`.
     */
    readonly create: (input: CreateSender, options?: CreateOptions) => Promise<Sender>
    /** List senders. `GET /v1/senders`. */
    readonly list: (query?: ListSendersQuery, options?: CallOptions) => List<ListedSender>
    /** Get a sender. `GET /v1/senders/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Sender>
    /**
     * Change a sender. Metadata is replaced as a whole. Existing movements keep the earlier details of the sender.
     * `PATCH /v1/senders/:id`. Errors: `prohibited_country`.
     */
    readonly update: (id: string, input?: UpdateSender, options?: ChangeOptions) => Promise<Sender>
  }
  readonly quotes: {
    /**
     * Price an offramp. Send exactly one of source_amount and target_amount. The target amount is the amount that the
     * beneficiary receives. `POST /v1/offramps/quotes`. Errors: `invalid_amount_precision`, `resource_access_required`,
     * `not_found`, `invalid_status`, `external_service_unavailable`.
     */
    readonly offramp: (input: CreateOfframpQuote, options?: CreateOptions) => Promise<Quote>
    /**
     * Price an onramp. Send exactly one of source_amount and target_amount. The target amount is the amount that the
     * wallet receives. `POST /v1/onramps/quotes`. Errors: `invalid_amount_precision`, `prohibited_country`,
     * `resource_access_required`, `not_found`, `invalid_status`, `external_service_unavailable`.
     */
    readonly onramp: (input: CreateOnrampQuote, options?: CreateOptions) => Promise<Quote>
    /**
     * Price a conversion. Send exactly one of source_amount and target_amount. The target amount is the amount that the
     * destination wallet receives. `POST /v1/conversions/quotes`. Errors: `invalid_amount_precision`,
     * `resource_access_required`, `not_found`, `invalid_status`, `external_service_unavailable`.
     */
    readonly conversion: (input: CreateConversionQuote, options?: CreateOptions) => Promise<Quote>
    /**
     * Price an operation. Default operation: offramp. The other fields are those of the quote endpoint of the
     * operation. `POST /v1/quotes`. Errors: `invalid_amount_precision`, `prohibited_country`,
     * `resource_access_required`, `not_found`, `invalid_status`, `external_service_unavailable`.
     */
    readonly create: (input?: CreateQuote, options?: CreateOptions) => Promise<Quote>
    /** Get a quote. `GET /v1/quotes/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Quote>
  }
  readonly onramps: {
    /**
     * Execute an onramp quote. Locks the rate for 30 minutes. The response has the account to which the payer sends the
     * money, and the reference for the payer to put in the narration. A payment that arrives within that time is
     * settled at the locked rate, even if the amount differs. If an earlier onramp has the same reference, the response
     * is that onramp (`Idempotent-Replayed: true`) and nothing else happens. `POST /v1/onramps`. Errors: `not_found`,
     * `invalid_status`, `duplicate_resource`, `external_service_unavailable`.
     */
    readonly create: (input: CreateOnramp, options?: CreateOptions) => Promise<Onramp>
    /** List onramps. `GET /v1/onramps`. */
    readonly list: (query?: ListOnrampsQuery, options?: CallOptions) => List<Onramp>
    /** Get an onramp. `GET /v1/onramps/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Onramp>
    /** Get the timeline of an onramp. `GET /v1/onramps/:id/timeline`. Errors: `not_found`. */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly offramps: {
    /**
     * Execute an offramp quote. The source amount is reserved immediately and paid out asynchronously. Read the
     * outcome, or receive it as an event. `POST /v1/offramps`. Errors: `not_found`, `invalid_status`,
     * `duplicate_resource`, `ledger_insufficient_funds`.
     */
    readonly create: (input: CreateOfframp, options?: CreateOptions) => Promise<Offramp>
    /** List offramps. `GET /v1/offramps`. */
    readonly list: (query?: ListOfframpsQuery, options?: CallOptions) => List<Offramp>
    /** Get an offramp. `GET /v1/offramps/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Offramp>
    /** Get the timeline of an offramp. `GET /v1/offramps/:id/timeline`. Errors: `not_found`. */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly conversions: {
    /**
     * Execute a conversion quote. The source amount is reserved immediately. Both wallets change together when the
     * conversion succeeds. If an earlier conversion has the same reference, the response is that conversion
     * (`Idempotent-Replayed: true`) and nothing else happens. `POST /v1/conversions`. Errors: `not_found`,
     * `invalid_status`, `duplicate_resource`, `ledger_insufficient_funds`.
     */
    readonly create: (input: CreateConversion, options?: CreateOptions) => Promise<Conversion>
    /** List conversions. `GET /v1/conversions`. */
    readonly list: (query?: ListConversionsQuery, options?: CallOptions) => List<Conversion>
    /** Get a conversion. `GET /v1/conversions/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Conversion>
    /** Get the timeline of a conversion. `GET /v1/conversions/:id/timeline`. Errors: `not_found`. */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly transfers: {
    /**
     * Pay crypto to a beneficiary. The amount is reserved immediately and paid out asynchronously. Read the outcome, or
     * receive it as an event. `POST /v1/transfers`. Errors: `invalid_amount_precision`, `not_found`, `invalid_status`,
     * `duplicate_resource`, `ledger_insufficient_funds`, `external_service_unavailable`.
     */
    readonly create: (input: CreateTransfer, options?: CreateOptions) => Promise<Transfer>
    /** List transfers. `GET /v1/transfers`. */
    readonly list: (query?: ListTransfersQuery, options?: CallOptions) => List<Transfer>
    /** Get a transfer. `GET /v1/transfers/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Transfer>
    /** Get the timeline of a transfer. `GET /v1/transfers/:id/timeline`. Errors: `not_found`. */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly batches: {
    /**
     * Check a batch. Checks each row as its payment would be decided now, and the rows together: funds, and references
     * that are used twice. Nothing is paid. The response is a `draft` with totals, fees, and the errors by row and
     * column. It takes JSON, or a CSV file with the content type `text/csv` and the `reference` in the query; at most
     * 10,000 rows and 4 MiB. The encoding of a file is that of its byte order mark, else the `charset` of the content
     * type, else UTF-8. Rows count from 1, without the header and without empty rows. `POST /v1/batches`. Errors:
     * `duplicate_resource`.
     */
    readonly create: (input: CreateBatch, options?: CreateOptions) => Promise<CheckedBatch>
    /** List batches. `GET /v1/batches`. */
    readonly list: (query?: ListBatchesQuery, options?: CallOptions) => List<Batch>
    /** Get a batch. `GET /v1/batches/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<CheckedBatch>
    /**
     * List the rows of a batch. The rows in their order, each with its movement as it is now. With `format=csv` all
     * rows are one file. `GET /v1/batches/:id/rows`. Errors: `not_found`.
     */
    readonly rows: (id: string, query?: ListBatchRowsQuery, options?: CallOptions) => List<BatchRow>
    /**
     * Summarize the movements of a batch. How many movements have each status now and what leaves the wallets for them,
     * with those apart that wait for approval. It reads each movement. `GET /v1/batches/:id/summary`. Errors:
     * `not_found`.
     */
    readonly summary: (id: string, options?: CallOptions) => Promise<BatchSummary>
    /**
     * Pay a batch. Pays the rows without an error, each as a movement of its own: with its reference, its quote, its
     * events. A row that is refused then, for lack of funds for instance, fails by itself. Confirmed again, the batch
     * is returned as it is. `POST /v1/batches/:id/confirm`. Errors: `not_found`, `invalid_status`,
     * `duplicate_resource`, `external_service_unavailable`.
     */
    readonly confirm: (id: string, options?: CreateOptions) => Promise<CheckedBatch>
    /**
     * Cancel a batch. Stops the rows that have not begun. Rows that have become movements stay as they are.
     * `POST /v1/batches/:id/cancel`. Errors: `not_found`, `invalid_status`.
     */
    readonly cancel: (id: string, options?: CreateOptions) => Promise<CheckedBatch>
  }
  readonly transactions: {
    /** List transactions. `GET /v1/transactions`. */
    readonly list: (query?: ListTransactionsQuery, options?: CallOptions) => List<ListedTransaction>
    /**
     * Get totals of transactions. How many movements there are, how they ended, and what those that succeeded have
     * taken, paid out and cost. `by` separates rows. At most 100,000 are counted: with more, narrow them by
     * `created_after` and `created_before`. They are the movements that `GET /v1/transactions` lists with the same
     * filters: refunds, forwards and credits of the operator are not counted. `GET /v1/transactions/totals`.
     */
    readonly totals: <F extends "json" | "csv" = "json">(query?: GetTransactionTotalsQuery & { readonly format?: F }, options?: CallOptions) => Promise<F extends "csv" ? string : Totals>
    /** Get a transaction. `GET /v1/transactions/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Transaction>
    /**
     * Get the timeline of a transaction. The timeline of the movement or the deposit that the transaction shows.
     * `GET /v1/transactions/:id/timeline`. Errors: `not_found`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
  readonly webhooks: {
    /**
     * Create a webhook endpoint. The endpoint is inactive until you activate it. Only this response contains the
     * signing secret. Default categories: all. The URL is https with a public host; the test environment also accepts
     * http and loopback. `POST /v1/notifications/webhooks`. Errors: `invalid_status`.
     */
    readonly create: (input: CreateWebhookEndpoint, options?: CreateOptions) => Promise<WebhookEndpointWithSecret>
    /** List webhook endpoints. `GET /v1/notifications/webhooks`. */
    readonly list: (query?: ListWebhookEndpointsQuery, options?: CallOptions) => List<WebhookEndpoint>
    /** Get a webhook endpoint. `GET /v1/notifications/webhooks/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<WebhookEndpoint>
    /**
     * Activate, deactivate or change a webhook endpoint. An endpoint receives the events that happen while it is
     * active. A delivery that falls due while it is inactive fails; replay-failed sends what failed. One whose next
     * attempt comes after it is active again goes on by itself. `PATCH /v1/notifications/webhooks/:id`.
     */
    readonly update: (id: string, input?: UpdateWebhookEndpoint, options?: ChangeOptions) => Promise<WebhookEndpoint>
    /** Delete a webhook endpoint. `DELETE /v1/notifications/webhooks/:id`. */
    readonly delete: (id: string, options?: ChangeOptions) => Promise<Deleted>
    /**
     * Rotate the signing secret. Only this response contains the new secret. The old secret also signs deliveries for
     * 24 hours. While four old secrets do, the response is 409 `invalid_status`.
     * `POST /v1/notifications/webhooks/:id/rotate-secret`. Errors: `not_found`, `invalid_status`.
     */
    readonly rotateSecret: (id: string, options?: CreateOptions) => Promise<WebhookEndpointWithSecret>
    /**
     * Send events again. Sends one event by its id, or the events of the endpoint's categories from `since` to `until`,
     * at most 5000. Default `until`: now. Ids and bodies do not change. `POST /v1/notifications/webhooks/:id/replay`.
     * Errors: `not_found`, `invalid_status`.
     */
    readonly replay: (id: string, input?: ReplayWebhookEndpoint, options?: CreateOptions) => Promise<Replayed>
    /**
     * Send all events that failed again. Sends the events again that the endpoint has not got: each has a failed
     * delivery to it, and none that is delivered or pending. At most 5000, the oldest first; `remaining` counts the
     * others. A repeat sends nothing twice. Ids and bodies do not change.
     * `POST /v1/notifications/webhooks/:id/replay-failed`. Errors: `not_found`, `invalid_status`.
     */
    readonly replayFailed: (id: string, options?: CreateOptions) => Promise<ReplayedFailed>
    /**
     * Get the health of a webhook endpoint. How its newest deliveries did, at most 100: the last attempt, the share
     * that succeeded, and the counts by event type; and since when it fails, or why it was switched off.
     * `GET /v1/notifications/webhooks/:id/health`. Errors: `not_found`.
     */
    readonly health: (id: string, options?: CallOptions) => Promise<WebhookEndpointHealth>
    /**
     * Send a test event. Sends one signed event of type `ping` to this endpoint. Read the delivery to see the outcome.
     * `POST /v1/notifications/webhooks/:id/ping`. Errors: `not_found`, `invalid_status`.
     */
    readonly ping: (id: string, options?: CreateOptions) => Promise<WebhookDelivery>
    /**
     * List the deliveries of a webhook endpoint. Deliveries with each attempt and its outcome, newest first.
     * `GET /v1/notifications/webhooks/:id/deliveries`. Errors: `not_found`.
     */
    readonly deliveries: (id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions) => List<WebhookDelivery>
  }
  readonly events: {
    /** List events, newest first. `GET /v1/notifications/events`. */
    readonly list: (query?: ListEventsQuery, options?: CallOptions) => List<Event>
    /**
     * Read events in the order they were committed. Returns events in commit order, after the named event: at most
     * `limit`, from 1 to 200. Default: 50. The feed has no gaps, regardless of the number of concurrent writers. To
     * catch up, continue from the last event received until the response is empty. Where the service deletes events
     * after a time, an event from before that is a place before all that are kept. `GET /v1/notifications/events/feed`.
     * Errors: `not_found`.
     */
    readonly feed: (query?: FeedEventsQuery, options?: CallOptions) => Feed<Event>
    /** Get an event as it was sent. `GET /v1/notifications/events/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Event>
  }
  readonly limits: {
    /**
     * List your limits. The active limits that your acts count to, newest first, with what is used of each. A limit
     * that each customer, wallet or beneficiary has to itself shows what the one that the query names uses; one of each
     * key, what the key of the request uses. `GET /v1/limits`.
     */
    readonly list: (query?: ListOwnLimitsQuery, options?: CallOptions) => List<OwnLimit>
  }
  readonly approvalRules: {
    /**
     * Create an approval rule. From now on, the acts of these words wait until other people approve them. Once a rule
     * covers `approval_rule`, changes of rules wait too. `POST /v1/approval-rules`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly create: (input: CreateApprovalRule, options?: CreateOptions) => Promise<ApprovalRule>
    /** List the approval rules. `GET /v1/approval-rules`. */
    readonly list: (query?: ListApprovalRulesQuery, options?: CallOptions) => List<ApprovalRule>
    /** Get an approval rule. `GET /v1/approval-rules/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<ApprovalRule>
    /**
     * Change or end an approval rule. What waits already stays as it is. `PATCH /v1/approval-rules/:id`. Errors:
     * `invalid_status`.
     */
    readonly update: (id: string, input?: UpdateApprovalRule, options?: ChangeOptions) => Promise<ApprovalRule>
    /** End an approval rule. `DELETE /v1/approval-rules/:id`. Errors: `invalid_status`. */
    readonly end: (id: string, options?: ChangeOptions) => Promise<Deleted>
  }
  readonly approvals: {
    /** List what waits for approval, and what waited. `GET /v1/approvals`. */
    readonly list: (query?: ListApprovalsQuery, options?: CallOptions) => List<Approval>
    /** Get an approval. `GET /v1/approvals/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Approval>
    /**
     * Approve what somebody else made. The last approval does the act, as the call of the one who made it, or lets the
     * payout go on. Nobody approves what they made, whatever they call with, nor twice. The configured operator token
     * approves nothing. `POST /v1/approvals/:id/approve`. Errors: `not_found`, `invalid_status`.
     */
    readonly approve: (id: string, input?: DecideApproval, options?: CreateOptions) => Promise<Approval>
    /**
     * Decline what somebody else made. Nothing of the act is done. A payout fails with the reason `cancelled`, and its
     * money goes back. `POST /v1/approvals/:id/decline`. Errors: `not_found`, `invalid_status`.
     */
    readonly decline: (id: string, input: DeclineApproval, options?: CreateOptions) => Promise<Approval>
  }
  /**
   * Search your resources. Finds customers, senders, beneficiaries, wallets, deposit addresses, batches, movements and
   * deposits by id, reference, transaction hash, the last four characters of an account, address, name, email address
   * and amount (`100`, `100.00`, `100 USDC`). Names and email addresses match from three characters on, everything else
   * matches as a whole. The best 1,000 results are counted and returned. `GET /v1/search`.
   */
  readonly search: (query: ListOwnSearchResultsQuery, options?: CallOptions) => List<OwnSearchResult>
  /**
   * Get statistics of movements. Movements by the time of their creation: how many, how they ended, the source amounts
   * and the fees of those that succeeded, and how long they took. `by` separates rows. Durations are exact to 127
   * seconds, and above at most 1/64 too short. Deposits that the platform makes, such as the reversal of an offramp,
   * are not counted. `GET /v1/stats`.
   */
  readonly stats: <F extends "json" | "csv" = "json">(query?: GetStatisticsQuery & { readonly format?: F }, options?: CallOptions) => Promise<F extends "csv" ? string : Statistics>
}

/**
 * Control of the simulated provider and of the clock. A service with a real provider has none of it.
 *
 * Errors of every call: `invalid_input`, `authentication_failed`, `merchant_inactive`, `rate_limited`,
 * `internal_error`. A method names its others.
 */
export interface SandboxCalls {
  /**
   * Report a pay-in. `POST /sandbox/deposits`. Errors: `bad_request`, `forbidden`, `not_found`,
   * `external_service_unavailable`.
   */
  readonly deposit: (input: SandboxDeposit, options?: CallOptions) => Promise<ReportedPayin>
  /**
   * Report the outcome of a movement or a refund. Where a refund is in progress, the outcome is that of the refund.
   * After a refund that succeeded, `refund_failed` says that the money came back. `POST /sandbox/outcomes`. Errors:
   * `bad_request`, `forbidden`, `not_found`.
   */
  readonly outcome: (input: SandboxOutcome, options?: CallOptions) => Promise<MovementStatus>
  /**
   * Issue a deposit address now. `POST /sandbox/deposit-addresses/:id`. Errors: `bad_request`, `forbidden`,
   * `not_found`.
   */
  readonly issueDepositAddress: (id: string, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Issue a wallet credential now. `POST /sandbox/credentials/:id`. Errors: `bad_request`, `forbidden`, `not_found`.
   */
  readonly issueWalletCredential: (id: string, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Report the verdict on a screening. If the verdict is negative, the beneficiary is blocked. A verdict on a screening
   * other than the current one has no effect. `POST /sandbox/beneficiaries/:id`. Errors: `bad_request`, `forbidden`,
   * `not_found`.
   */
  readonly screenBeneficiary: (id: string, input: SandboxScreen, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Report the outcome of a verification. `POST /sandbox/verifications/:kycId`. Errors: `bad_request`, `forbidden`,
   * `not_found`, `external_service_unavailable`.
   */
  readonly verification: (kycId: string, input: SandboxVerification, options?: CallOptions) => Promise<ResourceStatus>
  /**
   * Set the response of the provider to later submissions. `POST /sandbox/provider`. Errors: `bad_request`,
   * `forbidden`.
   */
  readonly provider: (input: SandboxProvider, options?: CallOptions) => Promise<SandboxProvider>
  /** Get the response of the provider to later submissions. `GET /sandbox/provider`. */
  readonly behaviour: (options?: CallOptions) => Promise<SandboxProvider>
  /**
   * Run the jobs of the merchant that are due. A node that runs no jobs (`CORRIDOR_DISPATCHER=off`) rejects this
   * operation and the clock. `POST /sandbox/settle`. Errors: `bad_request`, `forbidden`.
   */
  readonly settle: (options?: CallOptions) => Promise<Settled>
  /** Get the clock of the service. `GET /sandbox/clock`. */
  readonly now: (options?: CallOptions) => Promise<ClockTime>
  /** Move the clock of the service forward. `POST /sandbox/clock/advance`. Errors: `bad_request`, `forbidden`. */
  readonly advance: (input: SandboxAdvance, options?: CallOptions) => Promise<Advanced>
}

/**
 * The operator's operations on merchants.
 *
 * Errors of every call: `invalid_input`, `authentication_failed`, `rate_limited`, `internal_error`. One that takes
 * `CreateOptions` also has `bad_request`, `forbidden`, `idempotency_conflict`, `idempotency_in_progress`. One that
 * takes `ChangeOptions` also has `bad_request`, `forbidden`, `not_found`, `invalid_status`, `conflict`. A method names
 * its others.
 */
export interface MerchantsCalls {
  /**
   * Create a merchant. Creates the merchant, its default customer and an admin key. Default status: pending.
   * `POST /operator/v1/merchants`. Errors: `prohibited_country`.
   */
  readonly create: (input: CreateMerchant, options?: CreateOptions) => Promise<NewMerchant>
  /** List merchants. `GET /operator/v1/merchants`. */
  readonly list: (query?: ListMerchantsQuery, options?: CallOptions) => List<Merchant>
  /** Get a merchant. `GET /operator/v1/merchants/:id`. Errors: `not_found`. */
  readonly get: (id: string, options?: CallOptions) => Promise<Merchant>
  /** Activate or suspend a merchant. `PATCH /operator/v1/merchants/:id`. */
  readonly update: (id: string, input: UpdateMerchant, options?: ChangeOptions) => Promise<Merchant>
  readonly apiKeys: {
    /**
     * Create an API key for a merchant. Only this response contains the secret.
     * `POST /operator/v1/merchants/:id/api-keys`. Errors: `not_found`, `api_key_limit_exceeded`.
     */
    readonly create: (id: string, input: CreateMerchantApiKey, options?: CreateOptions) => Promise<NewApiKey>
    /**
     * List a merchant's active API keys. The response has no secrets. Revoked keys are not listed.
     * `GET /operator/v1/merchants/:id/api-keys`. Errors: `not_found`.
     */
    readonly list: (id: string, query?: ListMerchantApiKeysQuery, options?: CallOptions) => List<ApiKey>
    /**
     * Revoke a merchant's API key. Requests with the key are rejected with 401: on this node at once, on every node
     * within five seconds. `POST /operator/v1/merchants/:id/api-keys/:keyId/revoke`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly revoke: (id: string, keyId: string, input?: Noted, options?: CreateOptions) => Promise<Deleted>
  }
}

/**
 * The operator's operations on holds, exceptions, access and the ledger.
 *
 * Errors of every call: `invalid_input`, `authentication_failed`, `rate_limited`, `internal_error`. One that takes
 * `CreateOptions` also has `bad_request`, `forbidden`, `idempotency_conflict`, `idempotency_in_progress`. One that
 * takes `CreateOptions & ChangeOptions` also has `bad_request`, `forbidden`, `not_found`, `invalid_status`, `conflict`,
 * `idempotency_conflict`, `idempotency_in_progress`, `external_service_unavailable`. One that takes `ChangeOptions`
 * also has `bad_request`, `forbidden`, `not_found`, `invalid_status`, `conflict`. A method names its others.
 */
export interface OperatorCalls {
  readonly accessRequests: {
    /** List every merchant's access requests. `GET /operator/v1/access-requests`. */
    readonly list: (query?: ListAllAccessRequestsQuery, options?: CallOptions) => List<AccessRequest>
    /**
     * Approve or reject an access request. `POST /operator/v1/access-requests/:id/review`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly review: (id: string, input: ReviewAccessRequest, options?: CreateOptions) => Promise<AccessRequest>
    /** Revoke a grant. `POST /operator/v1/access-requests/:id/revoke`. Errors: `not_found`, `invalid_status`. */
    readonly revoke: (id: string, input?: RevokeAccessRequest, options?: CreateOptions) => Promise<AccessRequest>
  }
  readonly verifications: {
    /**
     * List the verifications that wait for a review. Oldest first, with what the customers submitted. With `status`:
     * all verifications with that status, reviewed by whom they may be. `GET /operator/v1/verifications`.
     */
    readonly list: (query?: ListVerificationReviewsQuery, options?: CallOptions) => List<ListedVerificationReview>
    /**
     * Approve or reject a verification. Decides on what the customer submitted on the hosted page.
     * `POST /operator/v1/verifications/:id/review`. Errors: `not_found`, `invalid_status`.
     */
    readonly review: (id: string, input: ReviewVerification, options?: CreateOptions) => Promise<VerificationReview>
  }
  readonly wallets: {
    /** List a merchant's wallets. `GET /operator/v1/merchants/:id/wallets`. Errors: `not_found`. */
    readonly list: (id: string, query?: ListMerchantWalletsQuery, options?: CallOptions) => List<Wallet>
  }
  readonly walletCredentials: {
    /**
     * Freeze a wallet credential. Deposits to a frozen credential are held for review.
     * `POST /operator/v1/credentials/:id/freeze`. Errors: `not_found`, `invalid_status`.
     */
    readonly freeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<WalletCredential>
    /**
     * Unfreeze a wallet credential. `POST /operator/v1/credentials/:id/unfreeze`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly unfreeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<WalletCredential>
    /**
     * Convert the balance of a wallet credential and credit its wallet. Converts the whole balance at the current rate
     * and fee. Use this operation when a conversion failed or was returned.
     * `POST /operator/v1/credentials/:id/forward`. Errors: `not_found`, `invalid_status`, `ledger_insufficient_funds`,
     * `external_service_unavailable`.
     */
    readonly forward: (id: string, input?: Noted, options?: CreateOptions) => Promise<Transaction>
    /**
     * Disable a wallet credential for good. Later deposits to the credential are held.
     * `POST /operator/v1/credentials/:id/disable`. Errors: `not_found`, `invalid_status`.
     */
    readonly disable: (id: string, input?: Noted, options?: CreateOptions) => Promise<WalletCredential>
  }
  readonly depositAddresses: {
    /**
     * Freeze a deposit address. `POST /operator/v1/deposit-addresses/:id/freeze`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly freeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<DepositAddress>
    /**
     * Unfreeze a deposit address. `POST /operator/v1/deposit-addresses/:id/unfreeze`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly unfreeze: (id: string, input?: Noted, options?: CreateOptions) => Promise<DepositAddress>
  }
  readonly batches: {
    /**
     * Get a merchant's batch. What an approval of a batch is about. `GET /operator/v1/batches/:id`. Errors:
     * `not_found`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<CheckedBatch>
    /**
     * List the rows of a merchant's batch. The rows in their order, each with its movement as it is now. With
     * `format=csv` all rows are one file. `GET /operator/v1/batches/:id/rows`. Errors: `not_found`.
     */
    readonly rows: (id: string, query?: ListMerchantBatchRowsQuery, options?: CallOptions) => List<BatchRow>
    /**
     * Summarize the movements of a merchant's batch. How many movements have each status now and what leaves the
     * wallets for them, with those apart that wait for approval. It reads each movement.
     * `GET /operator/v1/batches/:id/summary`. Errors: `not_found`.
     */
    readonly summary: (id: string, options?: CallOptions) => Promise<BatchSummary>
  }
  readonly webhooks: {
    /** List the webhook endpoints of all merchants. `GET /operator/v1/webhook-endpoints`. */
    readonly list: (query?: ListAllWebhookEndpointsQuery, options?: CallOptions) => List<MerchantWebhookEndpoint>
    /** Get a webhook endpoint of any merchant. `GET /operator/v1/webhook-endpoints/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<MerchantWebhookEndpoint>
    /**
     * Get the health of a webhook endpoint. How its newest deliveries did, at most 100: the last attempt, the share
     * that succeeded, and the counts by event type; and since when it fails, or why it was switched off.
     * `GET /operator/v1/webhook-endpoints/:id/health`. Errors: `not_found`.
     */
    readonly health: (id: string, options?: CallOptions) => Promise<WebhookEndpointHealth>
    /**
     * Send all events that failed again. Sends the events again that the endpoint has not got: each has a failed
     * delivery to it, and none that is delivered or pending. At most 5000, the oldest first; `remaining` counts the
     * others. A repeat sends nothing twice. Ids and bodies do not change.
     * `POST /operator/v1/webhook-endpoints/:id/replay-failed`. Errors: `not_found`, `invalid_status`.
     */
    readonly replayFailed: (id: string, input?: Noted, options?: CreateOptions) => Promise<ReplayedFailed>
    /**
     * List the deliveries of any webhook endpoint. Each attempt with the status and the start of the body of the
     * receiver's response, newest first. `GET /operator/v1/webhook-endpoints/:id/deliveries`. Errors: `not_found`.
     */
    readonly deliveries: (id: string, query?: ListMerchantWebhookDeliveriesQuery, options?: CallOptions) => List<WebhookDelivery>
  }
  readonly deposits: {
    /** List held deposits. `GET /operator/v1/deposits`. */
    readonly held: (query?: ListHeldDepositsQuery, options?: CallOptions) => List<HeldDeposit>
    /**
     * Release a held deposit. `POST /operator/v1/deposits/:id/release`. Errors: `not_found`, `invalid_status`,
     * `external_service_unavailable`.
     */
    readonly release: (id: string, input?: Noted, options?: CreateOptions) => Promise<Transaction>
    /**
     * Reject a held deposit and return its money. The deposit fails when the provider accepts the refund.
     * `POST /operator/v1/deposits/:id/reject`. Errors: `not_found`, `invalid_status`.
     */
    readonly reject: (id: string, input: RejectDeposit, options?: CreateOptions) => Promise<Transaction>
  }
  readonly exceptions: {
    /** List provider events that match no resource. `GET /operator/v1/exceptions`. */
    readonly list: (query?: ListExceptionsQuery, options?: CallOptions) => List<ListedException>
    /**
     * Resolve an exception. `credit` credits the money as a deposit to the named wallet. Default: the wallet for which
     * it was intended. No limit holds this deposit. `refund` returns the money to its payer. `apply` accepts an event
     * that came too late: an approval after its link expired, or a payment that was made before the deadline of its
     * onramp, at the locked rate. `dismiss` closes the exception: no money came, or it was returned outside this
     * service. Nothing stays in suspense. `POST /operator/v1/exceptions/:id/resolve`.
     */
    readonly resolve: (id: string, input: ResolveException, options?: CreateOptions & ChangeOptions) => Promise<Exception>
  }
  readonly brakes: {
    /**
     * Pause submissions. Pauses submissions and refunds by provider, corridor, merchant or all. Queued work waits, is
     * listed by `GET /operator/v1/stuck` with the reason `paused`, and goes on when the pause is released. Look-ups and
     * incoming events continue. `POST /operator/v1/brakes`. Errors: `not_found`, `invalid_status`.
     */
    readonly create: (input: CreateBrake, options?: CreateOptions) => Promise<Brake>
    /** List the pauses. `GET /operator/v1/brakes`. */
    readonly list: (query?: ListBrakesQuery, options?: CallOptions) => List<ListedBrake>
    /**
     * Release a pause. The work that no other pause covers goes on. `POST /operator/v1/brakes/:id/release`. Errors:
     * `not_found`, `invalid_status`.
     */
    readonly release: (id: string, input?: ReleaseBrake, options?: CreateOptions) => Promise<Brake>
  }
  readonly rates: {
    /** List the rates, and whether each is within its band. `GET /operator/v1/rates`. */
    readonly list: (query?: ListRatesQuery, options?: CallOptions) => List<Rate>
    /**
     * Accept a rate. Accepts a rate that you have checked. The source is judged against it from then on, so that a rate
     * that was held is used if it is near. The acceptance is in the audit log.
     * `POST /operator/v1/rates/:currency/accept`. Errors: `not_found`.
     */
    readonly accept: (currency: string, input: AcceptRate, options?: CreateOptions) => Promise<Rate>
  }
  readonly feeSchedules: {
    /**
     * Create a fee schedule. Decides the `gateway` fee of quotes from `valid_from` on: `bps` of the source amount and
     * `fixed`, within `min` and `max`, rounded up to the decimals of the source currency. The network fee stays. Of
     * several that apply, one of the merchant goes before one of any, then one that names the source currency, then one
     * that names the destination currency, then the newest `valid_from`. Where none applies, the default fee does.
     * Quotes that exist, and what is settled under them, keep their fee. `POST /operator/v1/fee-schedules`. Errors:
     * `invalid_amount_precision`, `not_found`, `invalid_status`.
     */
    readonly create: (input: CreateFeeSchedule, options?: CreateOptions) => Promise<FeeSchedule>
    /** List fee schedules. `GET /operator/v1/fee-schedules`. */
    readonly list: (query?: ListFeeSchedulesQuery, options?: CallOptions) => List<ListedFeeSchedule>
    /** Get a fee schedule. `GET /operator/v1/fee-schedules/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<FeeSchedule>
    /**
     * End a fee schedule. The next quote is priced without it. Quotes that exist keep their fee. Nothing else of it
     * changes. `PATCH /operator/v1/fee-schedules/:id`.
     */
    readonly end: (id: string, input: EndFeeSchedule, options?: ChangeOptions) => Promise<FeeSchedule>
  }
  readonly limits: {
    /**
     * Create a limit. A limit counts from now on, and applies on every node within 5 seconds. It is enforced in the
     * commit: no number of callers or nodes passes it. A rolling window is exact to a sixtieth of its length, and never
     * counts less than it says. `POST /operator/v1/limits`. Errors: `invalid_amount_precision`, `not_found`,
     * `invalid_status`.
     */
    readonly create: (input: CreateLimit, options?: CreateOptions) => Promise<Limit>
    /** List limits. `GET /operator/v1/limits`. */
    readonly list: (query?: ListLimitsQuery, options?: CallOptions) => List<ListedLimit>
    /** Get a limit. `GET /operator/v1/limits/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Limit>
    /**
     * Change, disable or enable a limit. Scope, currency and window stay: create another limit. What was counted stays
     * too, so that a maximum below it refuses every act until the window has room. `PATCH /operator/v1/limits/:id`.
     * Errors: `invalid_amount_precision`.
     */
    readonly update: (id: string, input?: UpdateLimit, options?: ChangeOptions) => Promise<Limit>
  }
  readonly externalAccounts: {
    /**
     * Create an external account. A place where money really is. It mirrors the account `world:<provider>` in its
     * currency. Several may mirror one: the first has the payouts and pay-ins that name no account. An active account
     * has its identifiers alone, in its currency. `POST /operator/v1/external-accounts`. Errors: `not_found`,
     * `duplicate_resource`.
     */
    readonly create: (input: CreateExternalAccount, options?: CreateOptions) => Promise<ExternalAccount>
    /** List external accounts. `GET /operator/v1/external-accounts`. */
    readonly list: (query?: ListExternalAccountsQuery, options?: CallOptions) => List<ExternalAccount>
    /** Get an external account. `GET /operator/v1/external-accounts/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<ExternalAccount>
    /**
     * Change, close or reopen an external account. Provider, currency and kind stay. A closed account frees its
     * identifiers and takes no other change until it is active again. `PATCH /operator/v1/external-accounts/:id`.
     * Errors: `duplicate_resource`.
     */
    readonly update: (id: string, input?: UpdateExternalAccount, options?: ChangeOptions) => Promise<ExternalAccount>
  }
  readonly adjustingEntries: {
    /**
     * Post an adjusting entry. One posting between accounts of the platform, never of a customer. With `exception_id`
     * the exception ends with it: the entry takes all of its money out of `suspense`, or, where it has none there,
     * books at most its exposure. With `break_id` or `line_id` the break ends with it: the entry is exactly what
     * differs. An entry never changes; another one reverses it. `POST /operator/v1/adjusting-entries`. Errors:
     * `invalid_amount_precision`, `not_found`, `invalid_status`.
     */
    readonly create: (input: CreateAdjustingEntry, options?: CreateOptions) => Promise<AdjustingEntry>
    /** List adjusting entries. `GET /operator/v1/adjusting-entries`. */
    readonly list: (query?: ListAdjustingEntriesQuery, options?: CallOptions) => List<ListedAdjustingEntry>
    /** Get an adjusting entry. `GET /operator/v1/adjusting-entries/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<AdjustingEntry>
    /**
     * Reverse an adjusting entry. Posts the opposite entry, once, and returns it. What ended with the entry is open
     * again. A reversal is not reversed: post a new entry. `POST /operator/v1/adjusting-entries/:id/reverse`. Errors:
     * `not_found`, `invalid_status`.
     */
    readonly reverse: (id: string, input: ReverseAdjustingEntry, options?: CreateOptions) => Promise<AdjustingEntry>
  }
  readonly statementMappings: {
    /**
     * Create a statement mapping. How the columns of a bank's CSV are read. A mapping never changes, because files were
     * read by it: create another. `POST /operator/v1/statement-mappings`. Errors: `not_found`.
     */
    readonly create: (input: CreateStatementMapping, options?: CreateOptions) => Promise<StatementMapping>
    /**
     * Preview a CSV by a statement mapping. The first rows of a file, and the first three lines that a mapping makes of
     * them, read as a statement would be. What is wrong with the file or the mapping is `fault`. Nothing is written.
     * `POST /operator/v1/statement-mappings/preview`. Errors: `bad_request`, `forbidden`, `not_found`.
     */
    readonly preview: (input: PreviewStatement, options?: CallOptions) => Promise<StatementPreview>
    /** List statement mappings. `GET /operator/v1/statement-mappings`. */
    readonly list: (query?: ListStatementMappingsQuery, options?: CallOptions) => List<StatementMapping>
    /** Get a statement mapping. `GET /operator/v1/statement-mappings/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<StatementMapping>
  }
  readonly statements: {
    /**
     * Take a file of bank statements. The body is the file, as the bank made it. It is taken whole or refused whole,
     * with the place, what was found and what is taken in `meta.errors`. The same bytes again return the same
     * statements, with `Idempotent-Replayed: true`. `POST /operator/v1/statements`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly take: (input: TakeStatementsInput, options?: CreateOptions) => Promise<ReadonlyArray<BankStatement>>
    /** List bank statements. `GET /operator/v1/statements`. */
    readonly list: (query?: ListStatementsQuery, options?: CallOptions) => List<BankStatement>
    /** Get a bank statement. `GET /operator/v1/statements/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<BankStatement>
  }
  readonly statementLines: {
    /**
     * List the lines of bank statements. Lines of all statements, newest first. A filter by text, value date, days from
     * and to, or an amount without `currency` reads at most 50,000 lines, which the other filters must leave.
     * `GET /operator/v1/statement-lines`.
     */
    readonly list: (query?: ListStatementLinesQuery, options?: CallOptions) => List<BankStatementLine>
    /** Get a line of a bank statement. `GET /operator/v1/statement-lines/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<BankStatementLine>
  }
  readonly breaks: {
    /**
     * List breaks. Differences between the books and the statements, newest first, or with `order=urgent` as they are
     * worked on. `format=csv` returns all that match, as a file that can be edited and sent to
     * `POST /operator/v1/breaks/resolve`. `GET /operator/v1/breaks`.
     */
    readonly list: (query?: ListBreaksQuery, options?: CallOptions) => List<Break>
    /**
     * Resolve breaks from a file. The body is the CSV of the list of breaks, with `action`, `note`, `from` and `to`
     * filled in. Each row succeeds or fails by itself, and a row without an action is left. A cell is what the action
     * takes, or what the break is: a row of a break that has become another since its export is refused. Files without
     * the column `version` are compared by the columns that they have. The response is the file with a column `result`:
     * `ok`, `skipped`, or why not. With `format=json` it has the rows alone, with counts. The encoding is that of the
     * byte order mark, else the `charset` of the content type `text/csv`, else UTF-8.
     * `POST /operator/v1/breaks/resolve`.
     */
    readonly resolveAll: <F extends "json" | "csv" = "json">(input: ResolveBreaksInput & { readonly format?: F }, options?: CreateOptions) => Promise<F extends "csv" ? string : ResolvedBreaks>
    /** Get a break. `GET /operator/v1/breaks/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Break>
    /**
     * Resolve a break, or undo that. `match` takes lines and resources whose sums are equal. `explain` posts an
     * adjusting entry of what differs. `adopt` lets a movement succeed whose outcome is unknown and that the line pays.
     * `dismiss` ends the break alone. `unmatch` undoes matches, and leaves the lines to people. `reopen` undoes what
     * ended the break, with its entry. `POST /operator/v1/breaks/:id/resolve`. Errors: `invalid_amount_precision`.
     */
    readonly resolve: (id: string, input: ResolveBreak, options?: CreateOptions & ChangeOptions) => Promise<Break>
  }
  readonly closings: {
    /**
     * Close a day of an external account. Seals the day when `unexplained` is zero, or with `accept` and a note;
     * otherwise the response is `invalid_status`. With `unexplained`, it accepts that amount and no other. A sealed day
     * never changes, and returns its seal when it is closed again. A line that comes later, also of a day before it,
     * counts on the first day after the latest sealed one. `POST /operator/v1/closings`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly create: (input: CreateClosing, options?: CreateOptions) => Promise<Closing>
    /** List closes. `GET /operator/v1/closings`. */
    readonly list: (query?: ListClosingsQuery, options?: CallOptions) => List<Closing>
    /** Get a close. `GET /operator/v1/closings/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Closing>
  }
  readonly reconciliation: {
    /**
     * Compare the books with the statements. One row for each active external account, on a day. `statement` of all
     * accounts of a provider and a currency = `ledger` − `outstanding` + the open lines, money in less money out.
     * `GET /operator/v1/reconciliation`.
     */
    readonly list: (query?: ListReconciliationQuery, options?: CallOptions) => List<ReconciledAccount>
  }
  readonly approvalRules: {
    /**
     * Create an approval rule. From now on, the acts of these words wait until other people approve them. Once a rule
     * covers `approval_rule`, changes of rules wait too. `POST /operator/v1/approval-rules`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly create: (input: CreateApprovalRule, options?: CreateOptions) => Promise<ApprovalRule>
    /** List the approval rules. `GET /operator/v1/approval-rules`. */
    readonly list: (query?: ListOperatorApprovalRulesQuery, options?: CallOptions) => List<ApprovalRule>
    /** Get an approval rule. `GET /operator/v1/approval-rules/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<ApprovalRule>
    /** Change or end an approval rule. What waits already stays as it is. `PATCH /operator/v1/approval-rules/:id`. */
    readonly update: (id: string, input?: UpdateApprovalRule, options?: ChangeOptions) => Promise<ApprovalRule>
    /** End an approval rule. `DELETE /operator/v1/approval-rules/:id`. */
    readonly end: (id: string, input?: Noted, options?: ChangeOptions) => Promise<Deleted>
  }
  readonly approvals: {
    /** List what waits for approval, and what waited. `GET /operator/v1/approvals`. */
    readonly list: (query?: ListOperatorApprovalsQuery, options?: CallOptions) => List<Approval>
    /** Get an approval. `GET /operator/v1/approvals/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Approval>
    /**
     * Approve what somebody else made. The last approval does the act, as the call of the one who made it, or lets the
     * payout go on. Nobody approves what they made, whatever they call with, nor twice. The configured operator token
     * approves nothing. `POST /operator/v1/approvals/:id/approve`. Errors: `not_found`, `invalid_status`.
     */
    readonly approve: (id: string, input?: DecideApproval, options?: CreateOptions) => Promise<Approval>
    /**
     * Decline what somebody else made. Nothing of the act is done. A payout fails with the reason `cancelled`, and its
     * money goes back. `POST /operator/v1/approvals/:id/decline`. Errors: `not_found`, `invalid_status`.
     */
    readonly decline: (id: string, input: DeclineApproval, options?: CreateOptions) => Promise<Approval>
  }
  /**
   * Get the operator of the token. The configured token is an admin without an id. An embedding application acts under
   * the name that it gives. `GET /operator/v1/me`.
   */
  readonly me: (options?: CallOptions) => Promise<ActingOperator>
  readonly operators: {
    /**
     * Create an operator. Only this response contains the token. Roles, low to high: viewer (reads), support (reviews
     * and freezes), treasury (money: deposits, exceptions, pauses), admin (merchants, their keys, operators).
     * `POST /operator/v1/operators`. Errors: `duplicate_resource`.
     */
    readonly create: (input: CreateOperator, options?: CreateOptions) => Promise<OperatorWithToken>
    /** List operators. `GET /operator/v1/operators`. */
    readonly list: (query?: ListOperatorsQuery, options?: CallOptions) => List<Operator>
    /** Get an operator. `GET /operator/v1/operators/:id`. Errors: `not_found`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Operator>
    /** Change an operator's name, email or role. `PATCH /operator/v1/operators/:id`. Errors: `duplicate_resource`. */
    readonly update: (id: string, input?: UpdateOperator, options?: ChangeOptions) => Promise<Operator>
    /**
     * Replace an operator's token. Only this response contains the new token. The old one is no longer accepted.
     * `POST /operator/v1/operators/:id/rotate-token`. Errors: `not_found`, `invalid_status`.
     */
    readonly rotateToken: (id: string, input?: Noted, options?: CreateOptions) => Promise<OperatorWithToken>
    /**
     * Revoke an operator. The token is no longer accepted, and the operator's console sessions end: on this node at
     * once, on every node within five seconds. `POST /operator/v1/operators/:id/revoke`. Errors: `not_found`,
     * `invalid_status`.
     */
    readonly revoke: (id: string, input?: Noted, options?: CreateOptions) => Promise<Operator>
  }
  /**
   * Search the resources of all merchants. Finds resources by id (also of an event or a transaction), reference,
   * provider's reference, transaction hash, the last four characters of an account, address, name, email address and
   * amount (`100`, `100.00`, `100 USDC`). Letters match in either case and with or without accents. Names and email
   * addresses match from three characters on, names from any of their words; everything else matches as a whole.
   * Ordered by what matched: id, references and hashes, accounts, names and email addresses, amounts; then newest
   * first. The best 1,000 results are counted and returned. `GET /operator/v1/search`.
   */
  readonly search: (query: ListSearchResultsQuery, options?: CallOptions) => List<SearchResult>
  /**
   * Get statistics of the movements of all merchants. Movements by the time of their creation: how many, how they
   * ended, the source amounts and the fees of those that succeeded, and how long they took. `by` separates rows.
   * Durations are exact to 127 seconds, and above at most 1/64 too short. Deposits that the platform makes, such as the
   * reversal of an offramp, are not counted. `GET /operator/v1/stats`.
   */
  readonly stats: <F extends "json" | "csv" = "json">(query?: GetAllStatisticsQuery & { readonly format?: F }, options?: CallOptions) => Promise<F extends "csv" ? string : Statistics>
  readonly movements: {
    /** List the movements and deposits of all merchants. `GET /operator/v1/movements`. */
    readonly list: (query?: ListMovementsQuery, options?: CallOptions) => List<Movement>
    /**
     * Get totals of the movements of all merchants. How many movements there are, how they ended, and what those that
     * succeeded have taken, paid out and cost. `by` separates rows. At most 100,000 are counted: with more, narrow them
     * by `created_after` and `created_before`. They are the movements that `GET /operator/v1/movements` lists with the
     * same filters: refunds, forwards and credits of the operator are not counted. `GET /operator/v1/movements/totals`.
     */
    readonly totals: <F extends "json" | "csv" = "json">(query?: GetMovementTotalsQuery & { readonly format?: F }, options?: CallOptions) => Promise<F extends "csv" ? string : Totals>
  }
  readonly customers: {
    /** List the customers of all merchants. `GET /operator/v1/customers`. */
    readonly list: (query?: ListAllCustomersQuery, options?: CallOptions) => List<MerchantCustomer>
  }
  readonly ledger: {
    /** List the accounts of the ledger with their balances. `GET /operator/v1/ledger/accounts`. */
    readonly accounts: (query?: ListAccountsQuery, options?: CallOptions) => List<LedgerAccount>
    /** Get the trial balance. `GET /operator/v1/ledger/trial-balance`. */
    readonly trialBalance: <F extends "json" | "csv" = "json">(query?: GetTrialBalanceQuery & { readonly format?: F }, options?: CallOptions) => Promise<F extends "csv" ? string : TrialBalance>
    /** List the entries of an account. `GET /operator/v1/ledger/accounts/:account/entries`. Errors: `not_found`. */
    readonly entries: (account: string, query?: ListEntriesQuery, options?: CallOptions) => List<LedgerEntry>
  }
  /**
   * List the audit log. What operators did, newest first, with the resource before and after. An entry is written in
   * the commit of its action; nothing changes or deletes it. Refused actions are not in it. `GET /operator/v1/audit`.
   */
  readonly audit: (query?: ListAuditEntriesQuery, options?: CallOptions) => List<AuditEntry>
  readonly providers: {
    /** List the configured providers. `GET /operator/v1/providers`. */
    readonly list: (query?: ListConfiguredProvidersQuery, options?: CallOptions) => List<ConfiguredProvider>
    /**
     * List the providers that would serve a request. In the order in which they would be asked now. Default
     * `operation`: payout. Any other member that is left out is not known, and matches every offer.
     * `GET /operator/v1/routes`.
     */
    readonly routes: (query?: ListRoutesQuery, options?: CallOptions) => List<Route>
    /**
     * Get what the platform has at a provider. `GET /operator/v1/providers/:provider/balances`. Errors: `not_found`,
     * `external_service_unavailable`.
     */
    readonly balances: (provider: string, options?: CallOptions) => Promise<ProviderBalances>
    /**
     * Read a provider's statement. The lines after a cursor, oldest first. Compare their `command_id` with the history
     * of the resource. `GET /operator/v1/providers/:provider/statement`. Errors: `not_found`,
     * `external_service_unavailable`.
     */
    readonly statement: (provider: string, query?: GetProviderStatementQuery, options?: CallOptions) => Promise<ProviderStatement>
  }
  /**
   * List the transitions of a resource, with their postings and events. `GET /operator/v1/resources/:id/history`.
   * Errors: `not_found`.
   */
  readonly history: (id: string, options?: CallOptions) => Promise<ResourceHistory>
  /** List resources that have not ended and have made no progress, oldest first. `GET /operator/v1/stuck`. */
  readonly stuck: (query?: ListStuckQuery, options?: CallOptions) => List<StuckResource>
  readonly resources: {
    /**
     * Get any resource by its id. The body of the resource as its merchant reads it, and the resources that it is
     * related to. `GET /operator/v1/resources/:id`. Errors: `not_found`.
     */
    readonly get: (id: string, options?: CallOptions) => Promise<Resource>
    /**
     * Get the timeline of a resource. Everything that is recorded about a resource, oldest first: requests,
     * transitions, postings, calls to providers, timers, events and deliveries.
     * `GET /operator/v1/resources/:id/timeline`. Errors: `not_found`.
     */
    readonly timeline: (id: string, options?: CallOptions) => Promise<Timeline>
  }
}
