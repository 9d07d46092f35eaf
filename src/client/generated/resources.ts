/** The resources, events and inputs of the API. Written by `npm run openapi`; a test fails when it is stale. */

export interface AccessRequest {
  readonly id: string
  readonly resource_type: "currency"
  /** The id of the currency. */
  readonly resource_id: string
  readonly resource_code: string
  readonly country_code: string | null
  readonly status: "pending" | "approved" | "rejected" | "revoked"
  readonly merchant_id: string
  readonly merchant_name: string
  readonly reason: string | null
  readonly reviewer_id: string | null
  readonly review_reason: string | null
  readonly reviewed_at: string | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface ActingOperator {
  readonly id: string | null
  readonly name: string
  readonly email: string | null
  readonly role: "viewer" | "support" | "treasury" | "admin"
}

export interface ApiKey {
  /** Example: `key_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly id: string
  readonly role: "viewer" | "developer" | "admin"
  readonly label: string | null
  /** The first characters of the key, to tell keys apart. Example: `sk_test_a1B2`. */
  readonly prefix: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

export interface AuditEntry {
  /** Example: `aud_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly id: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  readonly operator: {
    /** Null for the configured token and for an embedding application. */
    readonly id: string | null
    readonly name: string
    readonly role: "viewer" | "support" | "treasury" | "admin"
  }
  /** The operationId, `session.created` or `session.ended`. Example: `releaseDeposit`. */
  readonly action: string
  /** Null for a sign-in and a sign-out. */
  readonly resource: {
    readonly kind: string
    readonly id: string
    readonly merchant_id: string
  } | null
  readonly note: string | null
  /** The resource before the action. Null: the action created it. */
  readonly before: { readonly [member: string]: unknown } | null
  /** The resource after the action, without secrets. */
  readonly after: { readonly [member: string]: unknown } | null
  readonly request_id: string
}

export interface Brake {
  readonly id: string
  readonly scope: "all" | "provider" | "corridor" | "merchant"
  /** The name of the provider that it stops. Null for other scopes. */
  readonly provider: string | null
  /** The source currency of its corridor. Null stands for every currency. */
  readonly source_currency: string | null
  /** The destination currency of its corridor. Null stands for every currency. */
  readonly destination_currency: string | null
  readonly merchant_id: string | null
  readonly status: "active" | "released"
  readonly note: string | null
  readonly release_note: string | null
  readonly released_at: string | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface ConfiguredProvider {
  /** As in `/providers/{name}/events`, and in the accounts of the ledger. */
  readonly name: string
  readonly simulated: boolean
  /** `failing`: its circuit breaker is open on the node that responds. */
  readonly health: "healthy" | "failing"
  /** A brake stops everything that goes to it. */
  readonly paused: boolean
  /** As configured; a lower number goes first. Default: 0. */
  readonly priority: number
  /** What it serves. Null stands for everything. */
  readonly offers: ReadonlyArray<{
    readonly operation: "payout" | "conversion" | "payin" | "issue" | "directory" | "screening" | "verification"
    readonly currency: string | null
    readonly destination_currency: string | null
    readonly country_code: string | null
    readonly network: string | null
    readonly minimum: string | null
    readonly maximum: string | null
    /** What it charges, in `currency`: a fixed amount, and a share of the amount. */
    readonly cost: {
      readonly fixed: string
      readonly share: string
    } | null
  }>
  readonly events: {
    readonly callbacks: boolean
    readonly readable: boolean
    /** The events before it are committed. */
    readonly cursor: string | null
    readonly last_fault: {
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly at: string
      readonly answer: string
    } | null
  }
}

export interface Conversion {
  readonly id: string
  readonly reference: string
  readonly status: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  readonly quote_id: string | null
  readonly rate_source: "quoted" | "live"
  readonly customer: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly email: string
    readonly tier: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly updated_at: string
  }
  readonly source_wallet: {
    readonly id: string
    readonly currency: string
    readonly label: string | null
  } | null
  readonly credential_id: string | null
  readonly parent_transaction_id: string | null
  readonly destination_wallet: {
    readonly id: string
    readonly currency: string
    readonly label: string | null
  }
  /** A decimal string. Example: `10.00`. */
  readonly source_amount: string
  readonly source_currency: string
  /** A decimal string. Example: `10.00`. */
  readonly destination_amount: string
  readonly destination_currency: string
  readonly received_amount: string | null
  readonly rate: string
  readonly failure_reason: string | null
  readonly failure_reason_message: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface Country {
  readonly code: string
  readonly name: string
  readonly currencies: ReadonlyArray<string>
  readonly prohibited: boolean
}

export interface CreateApiKey {
  readonly role: "viewer" | "developer" | "admin"
  readonly label?: string | null | undefined
}

export interface CreateMerchant {
  readonly name: string
  /** Example: `NG`. */
  readonly country_code: string
  readonly status?: "pending" | "active" | "suspended" | null | undefined
  readonly note?: string | null | undefined
}

export interface CreateMerchantApiKey {
  readonly role: "viewer" | "developer" | "admin"
  readonly label?: string | null | undefined
  readonly note?: string | null | undefined
}

export interface CreateOperator {
  readonly name: string
  /** Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  readonly role: "viewer" | "support" | "treasury" | "admin"
  readonly note?: string | null | undefined
}

export interface Currency {
  readonly id: string
  readonly code: string
  readonly country_code: string | null
  readonly name: string
  readonly type: "fiat" | "crypto"
  readonly decimals: number | "Infinity" | "-Infinity" | "NaN"
  readonly ledger_scale: number | "Infinity" | "-Infinity" | "NaN"
  readonly networks: ReadonlyArray<string>
  readonly can_deposit: boolean
  readonly can_onramp: boolean
  readonly can_offramp: boolean
  readonly can_convert: boolean
  readonly can_transfer: boolean
  readonly requires_access: boolean
  /** Whether the caller can use the currency. */
  readonly access_granted: boolean
  /** With customer_id: the capabilities that the customer cannot use, and why. */
  readonly customer_restrictions?: ReadonlyArray<{
    readonly capability: string
    readonly reason: "customer_kyc_not_approved"
    readonly next_steps: {
      readonly action: string
      readonly docs_url: string
    }
  }>
}

export interface Customer {
  readonly id: string
  readonly type: "individual" | "business"
  readonly name: string
  readonly email: string
  readonly merchant_reference: string | null
  readonly country_code: string
  readonly tier: "tier_0" | "tier_1" | "tier_2"
  readonly kyc_status: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired"
  readonly is_default: boolean
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  readonly profile: {
    readonly phone: string | null
    readonly address: {
      readonly line1: string
      readonly line2: string | null
      readonly city: string
      readonly state: string | null
      readonly postal_code: string | null
      readonly country_code: string
    } | null
    /** MM/DD/YYYY */
    readonly date_of_birth: string | null
    /** Masked to its last four characters. */
    readonly id_number: string | null
    readonly id_type: string | null
    readonly business_licence: string | null
  }
}

export interface Deleted {
  readonly id: string
  readonly success: true
}

export interface DepositAddress {
  readonly id: string
  readonly type: "crypto"
  readonly currency: string
  readonly wallet: {
    readonly id: string
    readonly currency: string
    readonly label: string | null
  }
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  readonly details: {
    readonly network: string
    /** Null until it is issued. */
    readonly address: string | null
  }
  readonly status: "pending" | "active" | "frozen" | "disabled"
  readonly disabled_reason: string | null
  readonly provider_resource_id: string | null
  readonly label: string | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface DepositInstruction {
  readonly version: 1
  readonly type: "fiat"
  readonly accountName: string
  readonly accountNumber: string
  readonly bankName: string
  readonly bankCode: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly expiresAt: string
  /** The payer includes it in the narration of the bank transfer. */
  readonly depositReference: string
  readonly message: string
}

export interface Event {
  readonly event_id: string
  readonly event_type: string
  readonly event_category: string
  readonly event_developer_id: string
  readonly api_version: "v1"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly event_created_at: string
  readonly event_object_id: string
  readonly event_object_status: string
  readonly event_object_changes: {
    readonly status: readonly [string | null, string]
  } | null
  readonly event_sequence: number
  readonly event_object: { readonly [member: string]: unknown }
}

export interface Exception {
  readonly id: string
  readonly merchant_id: string
  readonly resource_id: string | null
  readonly resource_kind: string | null
  readonly status: "open" | "resolved"
  readonly reason: string
  readonly provider: string
  readonly provider_event: unknown
  readonly recorded: unknown
  readonly severity: "low" | "high"
  readonly exposure: {
    /** A decimal string. Example: `10.00`. */
    readonly amount: string
    readonly currency: string
  } | null
  readonly amount: string | null
  readonly currency: string | null
  /**
   * The actions that its event and its money allow now. `apply` is still refused when the resource no longer
   * accepts the event.
   */
  readonly actions: ReadonlyArray<"refund" | "credit" | "apply" | "dismiss">
  readonly action: "refund" | "credit" | "apply" | "dismiss" | null
  readonly credited: {
    readonly merchant_id: string
    readonly wallet_id: string
    readonly transaction_id: string
  } | null
  readonly note: string | null
  readonly resolved_at: string | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface FieldFault {
  readonly field: string
  readonly code: "required" | "invalid_type" | "invalid_format" | "invalid_value" | "too_long" | "unknown_field"
  readonly message: string
}

export interface HeldDeposit {
  readonly id: string
  readonly type: "onramp" | "offramp" | "conversion" | "transfer" | "deposit"
  readonly source_type: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer"
  readonly source_id: string
  readonly customer_id: string
  readonly status: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed"
  readonly reference: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  readonly confirmed_at: string | null
  readonly transaction_hash: string | null
  readonly from_wallet_id: string | null
  readonly to_wallet_id: string | null
  /** A decimal string. Example: `10.00`. */
  readonly source_amount: string
  readonly source_currency: string
  readonly destination_amount: string | null
  readonly destination_currency: string
  readonly received_amount: string | null
  readonly fee: {
    readonly line_items: ReadonlyArray<{
      readonly name: string
      /** A decimal string. Example: `10.00`. */
      readonly amount: string
      readonly currency: string
    }>
  }
  readonly parent_transaction_id: string | null
  readonly root_transaction_id: string
  readonly related_transactions: ReadonlyArray<{
    readonly id: string
    readonly type: "onramp" | "offramp" | "conversion" | "transfer" | "deposit"
    readonly source_type: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer"
    readonly status: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed"
    readonly received_amount: string | null
  }>
  readonly merchant_id: string
  readonly hold_reasons: ReadonlyArray<"tier_limit" | "payin_frozen" | "payin_disabled">
}

export interface LedgerAccount {
  /** Example: `available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly account: string
  readonly class: string
  readonly merchant_id: string | null
  readonly currency: string
  /** A decimal string. Example: `10.00`. */
  readonly balance: string
}

export interface LedgerEntry {
  readonly merchant_id: string
  readonly resource_id: string
  readonly version: number
  readonly debit: string
  readonly credit: string
  /** A decimal string. Example: `10.00`. */
  readonly amount: string
  readonly currency: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
}

export interface Me {
  readonly merchant: {
    readonly id: string
    readonly name: string
    readonly country_code: string
    readonly status: "pending" | "active" | "suspended"
  }
  readonly integration: {
    /** Example: `int_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
    readonly id: string
  }
  readonly api_key: {
    readonly id: string
    readonly role: "viewer" | "developer" | "admin"
    readonly prefix: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
  } | null
  readonly environment: "test" | "live"
}

export interface Merchant {
  /** Example: `mer_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly id: string
  readonly name: string
  readonly country_code: string
  readonly status: "pending" | "active" | "suspended"
  readonly integration_id: string
  readonly default_customer_id: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface MerchantCustomer {
  readonly id: string
  readonly type: "individual" | "business"
  readonly name: string
  readonly email: string
  readonly merchant_reference: string | null
  readonly country_code: string
  readonly tier: "tier_0" | "tier_1" | "tier_2"
  readonly kyc_status: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired"
  readonly is_default: boolean
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  readonly profile: {
    readonly phone: string | null
    readonly address: {
      readonly line1: string
      readonly line2: string | null
      readonly city: string
      readonly state: string | null
      readonly postal_code: string | null
      readonly country_code: string
    } | null
    /** MM/DD/YYYY */
    readonly date_of_birth: string | null
    /** Masked to its last four characters. */
    readonly id_number: string | null
    readonly id_type: string | null
    readonly business_licence: string | null
  }
  readonly merchant_id: string
  readonly merchant_name: string | null
}

export interface Movement {
  readonly id: string
  readonly type: "onramp" | "offramp" | "conversion" | "transfer" | "deposit"
  readonly source_type: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer"
  readonly source_id: string
  readonly customer_id: string
  readonly status: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed"
  readonly reference: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  readonly confirmed_at: string | null
  readonly transaction_hash: string | null
  readonly from_wallet_id: string | null
  readonly to_wallet_id: string | null
  /** A decimal string. Example: `10.00`. */
  readonly source_amount: string
  readonly source_currency: string
  readonly destination_amount: string | null
  readonly destination_currency: string
  readonly received_amount: string | null
  readonly fee: {
    readonly line_items: ReadonlyArray<{
      readonly name: string
      /** A decimal string. Example: `10.00`. */
      readonly amount: string
      readonly currency: string
    }>
  }
  readonly parent_transaction_id: string | null
  readonly root_transaction_id: string
  readonly related_transactions: ReadonlyArray<{
    readonly id: string
    readonly type: "onramp" | "offramp" | "conversion" | "transfer" | "deposit"
    readonly source_type: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer"
    readonly status: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed"
    readonly received_amount: string | null
  }>
  readonly merchant_id: string
  readonly merchant_name: string | null
  readonly provider: string | null
}

export interface NewApiKey {
  /** Example: `key_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly id: string
  readonly role: "viewer" | "developer" | "admin"
  readonly label: string | null
  /** The first characters of the key, to tell keys apart. Example: `sk_test_a1B2`. */
  readonly prefix: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** The key itself. Returned only in this response, and not stored. */
  readonly secret: string
}

export interface NewMerchant {
  readonly merchant: Merchant
  readonly api_key: NewApiKey
  readonly default_customer: Customer
}

/** How to resolve the error, and the page that explains it. */
export interface NextSteps {
  readonly action: string
  readonly docs_url: string
}

export interface Offramp {
  readonly id: string
  readonly reference: string
  readonly status: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  readonly retry_on_failure: boolean
  readonly quote_id: string
  readonly rate_source: "quoted"
  readonly customer: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly email: string
    readonly tier: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly updated_at: string
  }
  readonly wallet: {
    readonly id: string
    readonly currency: string
    readonly label: string | null
  }
  readonly beneficiary: {
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
  }
  readonly sender: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly email: string | null
    readonly country_code: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly updated_at: string
  } | null
  readonly payment_instrument: {
    readonly id: string
    readonly beneficiary_id: string
    readonly type: "bank_account"
    readonly country_code: string
    readonly provider: {
      readonly id: string
      readonly name: string
      readonly code: string
    } | null
    readonly account_name: string | null
    readonly account_number: string
    readonly rail?: string
  }
  readonly narration: string | null
  /** A decimal string. Example: `10.00`. */
  readonly source_amount: string
  readonly source_currency: string
  /** A decimal string. Example: `10.00`. */
  readonly destination_amount: string
  readonly received_amount: string | null
  readonly destination_currency: string
  readonly rate: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly rate_locked_until: string
  readonly failure_reason: string | null
  readonly failure_reason_message: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface Onramp {
  readonly id: string
  readonly reference: string
  readonly status: "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  readonly quote_id: string
  readonly rate_source: "quoted"
  readonly customer: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly email: string
    readonly tier: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly updated_at: string
  }
  readonly wallet: {
    readonly id: string
    readonly currency: string
    readonly label: string | null
  }
  readonly payment_instrument: {
    readonly id: string
    readonly beneficiary_id: string
    readonly type: "bank_account"
    readonly country_code: string
    readonly provider: {
      readonly id: string
      readonly name: string
      readonly code: string
    } | null
    readonly account_name: string | null
    readonly account_number: string
    readonly rail?: string
  } | null
  /** A decimal string. Example: `10.00`. */
  readonly source_amount: string
  readonly source_currency: string
  /** A decimal string. Example: `10.00`. */
  readonly destination_amount: string
  readonly received_amount: string | null
  readonly destination_currency: string
  readonly rate: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly rate_locked_until: string
  readonly deposit_instruction: DepositInstruction
  readonly failure_reason: string | null
  readonly failure_reason_message: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface Operator {
  /** Example: `opr_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly role: "viewer" | "support" | "treasury" | "admin"
  readonly status: "active" | "revoked"
  /** The first characters of the token. Example: `op_a1B2`. */
  readonly prefix: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface OperatorWithToken {
  /** Example: `opr_01j9z3k4m5n6p7q8r9s0t1v2w3`. */
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly role: "viewer" | "support" | "treasury" | "admin"
  readonly status: "active" | "revoked"
  /** The first characters of the token. Example: `op_a1B2`. */
  readonly prefix: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  /** The token itself. Returned only in this response, and not stored. */
  readonly token: string
}

export interface Provider {
  readonly id: string
  readonly name: string
  readonly code: string
  readonly country_code: string
}

export interface ProviderBalances {
  readonly provider: string
  readonly balances: ReadonlyArray<{
    readonly currency: string
    readonly network: string | null
    readonly available: string
    /** On its way in or out. */
    readonly pending: string
  }>
}

export interface ProviderStatement {
  readonly provider: string
  readonly lines: ReadonlyArray<{
    readonly id: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly booked_at: string
    readonly direction: "credit" | "debit"
    readonly amount: string
    readonly currency: string
    /** The command that it belongs to, if the provider knows it. */
    readonly command_id: string | null
    readonly payin_id: string | null
    readonly provider_reference: string | null
    readonly transaction_hash: string | null
    readonly narration: string | null
  }>
  /** Pass it as `after` to read on. */
  readonly cursor: string | null
}

export interface Quote {
  readonly id: string
  readonly operation: "onramp" | "offramp" | "conversion"
  readonly status: "active" | "executed" | "expired"
  readonly wallet_id: string | null
  readonly destination_wallet_id: string | null
  readonly beneficiary_id: string | null
  readonly sender_id: string | null
  readonly customer_id: string
  /** A decimal string. Example: `10.00`. */
  readonly source_amount: string
  readonly source_currency: string
  /** A decimal string. Example: `10.00`. */
  readonly destination_amount: string
  readonly destination_currency: string
  /** A decimal string. Example: `10.00`. */
  readonly received_amount: string
  readonly target_amount: string | null
  readonly rate: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly expires_at: string
  readonly reference: string | null
  readonly fee: {
    readonly line_items: ReadonlyArray<{
      readonly name: string
      /** A decimal string. Example: `10.00`. */
      readonly amount: string
      readonly currency: string
    }>
  }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface Replayed {
  readonly id: string
  /** The number of events to send again. */
  readonly replayed: number
}

export interface Resource {
  readonly id: string
  readonly kind: string
  readonly merchant_id: string
  readonly merchant_name: string | null
  readonly customer_id: string | null
  readonly status: string
  readonly state: string
  readonly machine: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  /** The resource as its own operation returns it. */
  readonly resource: { readonly [member: string]: unknown }
  readonly related: ReadonlyArray<{
    readonly id: string
    readonly kind: string
    readonly relation: string
  }>
}

export interface ResourceHistory {
  readonly id: string
  readonly kind: string
  readonly merchant_id: string
  readonly status: string
  readonly state: string
  readonly since: string | null
  readonly reason: string | null
  readonly attempts: number | null
  readonly last_answer: {
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly at: string
    readonly answer: string
  } | null
  readonly next_attempt_at: string | null
  /** The provider that has it. */
  readonly provider: string | null
  /** The provider's own reference of the payment, as its statements show it. */
  readonly provider_reference: string | null
  /** What the provider reported of its commands, oldest first, in the provider's words. */
  readonly outcomes: ReadonlyArray<{
    readonly outcome: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly at: string
    readonly provider: string | null
    readonly command_id: string
    readonly reason: string | null
    readonly amount: string | null
    readonly currency: string | null
    readonly fee: string | null
    readonly fee_currency: string | null
    readonly provider_reference: string | null
    readonly transaction_hash: string | null
  }>
  readonly transitions: ReadonlyArray<{
    readonly version: number
    readonly from: string | null
    readonly to: string
    readonly event: string
    readonly cause: string
    readonly note: string | null
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly at: string
    readonly postings: ReadonlyArray<{
      readonly resource_id: string
      readonly version: number
      readonly debit: string
      readonly credit: string
      /** A decimal string. Example: `10.00`. */
      readonly amount: string
      readonly currency: string
      /** Example: `2026-01-31T09:30:00.000Z`. */
      readonly at: string
    }>
    readonly events: ReadonlyArray<{
      readonly event_id: string
      readonly event_type: string
      readonly event_sequence: number
    }>
  }>
}

export interface Route {
  readonly provider: string
  readonly priority: number
  /** What it would charge, in the currency of the request. */
  readonly cost: string
  readonly health: "healthy" | "failing" | "paused"
}

export interface SearchResult {
  readonly id: string
  readonly kind: string
  readonly merchant_id: string | null
  readonly merchant_name: string | null
  readonly customer_id: string | null
  readonly status: string
  readonly matched: ReadonlyArray<"id" | "reference" | "provider_reference" | "transaction_hash" | "account" | "email" | "name" | "amount">
  readonly title: string
  readonly amount: string | null
  readonly currency: string | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

export interface Sender {
  readonly id: string
  readonly customer_id: string
  readonly type: "individual" | "business"
  readonly name: string
  readonly email: string | null
  readonly country_code: string
  readonly address: {
    readonly line1: string
    readonly line2: string | null
    readonly city: string
    readonly state: string | null
    readonly postal_code: string | null
    readonly country_code: string
  } | null
  /** MM/DD/YYYY */
  readonly date_of_birth: string | null
  /** Masked to its last four characters. */
  readonly id_number: string | null
  readonly id_type: string | null
  readonly merchant_reference: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface Statistics {
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly from: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly to: string
  readonly rows: ReadonlyArray<{
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly at?: string
    readonly operation?: string
    /** Example: `USDC-NGN`. */
    readonly corridor?: string
    readonly provider?: string | null
    readonly failure_reason?: string | null
    readonly merchant_id?: string
    readonly count: number
    readonly succeeded: number
    readonly failed: number
    readonly open: number
    readonly success_share: string | null
    readonly volume: ReadonlyArray<{
      readonly currency: string
      /** A decimal string. Example: `10.00`. */
      readonly amount: string
    }>
    readonly seconds_to_success: {
      readonly p50: number
      readonly p95: number
    } | null
  }>
}

export interface StuckResource {
  readonly id: string
  readonly kind: string
  readonly merchant_id: string
  readonly status: string
  readonly state: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly since: string
  readonly reason: string
  readonly attempts: number
  readonly last_answer: {
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly at: string
    readonly answer: string
  } | null
  readonly next_attempt_at: string | null
}

export interface Timeline {
  readonly id: string
  readonly kind: string
  readonly merchant_id: string
  readonly status: string
  readonly state: string
  readonly machine: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  readonly ended_at: string | null
  readonly waits_for: WaitsFor | null
  readonly entries: ReadonlyArray<TimelineRequest | TimelineTransition | TimelinePosting | TimelineProviderCall | TimelineProviderEvent | TimelineTimer | TimelineEvent | TimelineDelivery>
  readonly truncated: boolean
}

export interface TimelineDelivery {
  readonly type: "delivery"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly endpoint_id: string
  readonly url: string | null
  readonly attempt: number
  readonly status_code: number | null
  readonly error: string | null
  readonly latency_ms: number | null
  readonly outcome: "delivered" | "failed" | "retried" | "pending"
  readonly next_attempt_at: string | null
}

export interface TimelineEvent {
  readonly type: "event"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  readonly event_id: string
  readonly event_type: string
  readonly event_sequence: number
}

export interface TimelinePosting {
  readonly type: "posting"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  /** The version of the resource that this belongs to. */
  readonly version: number
  readonly debit: string
  readonly credit: string
  /** A decimal string. Example: `10.00`. */
  readonly amount: string
  readonly currency: string
}

export interface TimelineProviderCall {
  readonly type: "provider_call"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  readonly provider: string | null
  readonly operation: "submit" | "lookup" | "refund" | "lookup_refund" | "issue" | "verify"
  readonly command_id: string
  readonly attempt: number
  readonly latency_ms: number | null
  readonly answer: string | null
  readonly provider_reference: string | null
}

export interface TimelineProviderEvent {
  readonly type: "provider_event"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  readonly provider: string
  readonly event_id: string
  readonly event: string
}

export interface TimelineRequest {
  readonly type: "request"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  readonly request_id: string | null
  readonly key_id: string | null
  readonly operator: {
    readonly id: string | null
    readonly name: string
  } | null
  readonly idempotency_key: string | null
  readonly operation: string | null
}

export interface TimelineTimer {
  readonly type: "timer"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  readonly name: string
  readonly due_at: string | null
  readonly outcome: "armed" | "fired" | "cancelled"
}

export interface TimelineTransition {
  readonly type: "transition"
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
  /** The version of the resource that this belongs to. */
  readonly version: number
  readonly from: string | null
  readonly to: string
  readonly event: string
  readonly cause: string
  readonly note: string | null
}

export interface Transaction {
  readonly id: string
  readonly type: "onramp" | "offramp" | "conversion" | "transfer" | "deposit"
  readonly source_type: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer"
  readonly source_id: string
  readonly customer_id: string
  readonly status: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed"
  readonly reference: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  readonly confirmed_at: string | null
  readonly transaction_hash: string | null
  readonly from_wallet_id: string | null
  readonly to_wallet_id: string | null
  /** A decimal string. Example: `10.00`. */
  readonly source_amount: string
  readonly source_currency: string
  readonly destination_amount: string | null
  readonly destination_currency: string
  readonly received_amount: string | null
  readonly fee: {
    readonly line_items: ReadonlyArray<{
      readonly name: string
      /** A decimal string. Example: `10.00`. */
      readonly amount: string
      readonly currency: string
    }>
  }
  readonly parent_transaction_id: string | null
  readonly root_transaction_id: string
  readonly related_transactions: ReadonlyArray<{
    readonly id: string
    readonly type: "onramp" | "offramp" | "conversion" | "transfer" | "deposit"
    readonly source_type: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer"
    readonly status: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed"
    readonly received_amount: string | null
  }>
}

export interface Transfer {
  readonly id: string
  readonly reference: string
  readonly status: "processing" | "success" | "failed"
  readonly retry_on_failure: boolean
  readonly customer: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly email: string
    readonly tier: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly updated_at: string
  }
  readonly wallet: {
    readonly id: string
    readonly currency: string
    readonly label: string | null
  }
  readonly beneficiary: {
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
  }
  readonly sender: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly email: string | null
    readonly country_code: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly updated_at: string
  } | null
  /** A decimal string. Example: `10.00`. */
  readonly amount: string
  readonly currency: string
  readonly network: string
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  readonly transaction_hash: string | null
  readonly failure_reason: string | null
  readonly failure_reason_message: string | null
}

export interface TrialBalance {
  readonly currencies: ReadonlyArray<{
    readonly currency: string
    /** A decimal string. Example: `10.00`. */
    readonly debits: string
    /** A decimal string. Example: `10.00`. */
    readonly credits: string
    /** A decimal string. Example: `10.00`. */
    readonly difference: string
  }>
  readonly classes: ReadonlyArray<{
    readonly class: string
    readonly currency: string
    /** A decimal string. Example: `10.00`. */
    readonly balance: string
  }>
}

export interface UpdateMerchant {
  readonly status: "pending" | "active" | "suspended"
  readonly note?: string | null | undefined
}

export interface UpdateOperator {
  readonly name?: string | null | undefined
  /** Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  readonly role?: "viewer" | "support" | "treasury" | "admin" | null | undefined
  readonly note?: string | null | undefined
}

export interface Verification {
  readonly id: string
  readonly customer_id: string
  readonly status: "pending" | "in_progress" | "approved" | "rejected" | "expired"
  readonly tier_requested: "tier_1" | "tier_2"
  readonly tier_current: "tier_0" | "tier_1" | "tier_2"
  /** The page where the customer completes the verification. Null once there is a verdict. */
  readonly hosted_url: string | null
  readonly hosted_url_expires_at: string | null
  /** The URL that the page redirects the customer to at the end. */
  readonly redirect_url: string | null
  readonly failure_reason: "document_invalid" | "identity_mismatch" | "declined" | null
  readonly failure_reason_message: string | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface VerificationReview {
  readonly id: string
  readonly merchant_id: string
  readonly customer_id: string
  readonly customer_name: string | null
  readonly status: "pending" | "in_progress" | "approved" | "rejected" | "expired"
  readonly tier_requested: "tier_1" | "tier_2"
  /** The provider that verifies. Null: the staff of the operator. */
  readonly provider: string | null
  readonly awaits_review: boolean
  readonly submitted: {
    readonly name: string
    readonly date_of_birth: string | null
    readonly document_type: string | null
    readonly document_number: string | null
  } | null
  readonly failure_reason: "document_invalid" | "identity_mismatch" | "declined" | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface WaitsFor {
  readonly reason: string
  readonly sentence: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly since: string
  readonly until: string | null
  readonly next_attempt_at: string | null
  readonly attempts: number
}

export interface Wallet {
  readonly id: string
  readonly customer_id: string
  readonly customer: {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly email: string
    readonly tier: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly created_at: string
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly updated_at: string
  }
  readonly type: "crypto" | "fiat"
  readonly currency: string
  readonly country_code: string | null
  readonly network: string
  readonly label: string | null
  readonly balance: {
    /** A decimal string. Example: `10.00`. */
    readonly available: string
    /** A decimal string. Example: `10.00`. */
    readonly reserved: string
    /** A decimal string. Example: `10.00`. */
    readonly held: string
  }
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface WalletCredential {
  readonly id: string
  readonly type: "crypto" | "fiat"
  readonly currency: string
  readonly network: string
  readonly wallet: {
    readonly id: string
    readonly currency: string
    readonly label: string | null
  }
  readonly label: string | null
  /** Stored and returned unchanged. */
  readonly metadata: { readonly [member: string]: string }
  /** The payment details for the payer. Null for a bank account that is not issued yet. */
  readonly details: {
    readonly accountName: string
    readonly accountNumber: string
    readonly bankName: string
    readonly bankCode: string | null
    readonly currency: string
    /** If not null, the payer must include it in the payment. */
    readonly reference: string | null
  } | {
    readonly network: string
    /** Null until it is issued. */
    readonly address: string | null
  } | null
  readonly status: "pending" | "active" | "frozen" | "disabled"
  readonly provider_resource_id: string | null
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

/**
 * An unknown member of the request, which was ignored, and the nearest known name. With Prefer: handling=strict,
 * the request is rejected instead.
 */
export interface Warning {
  readonly field: string
  readonly message: string
}

export interface WebhookDelivery {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: "pending" | "delivered" | "failed"
  readonly attempts: ReadonlyArray<{
    /** Example: `2026-01-31T09:30:00.000Z`. */
    readonly at: string
    readonly response_status: number | null
    readonly error: string | null
    readonly duration_ms: number
    /**
     * What was sent beside the body, without the signature. The body is the event as `GET
     * /v1/notifications/events/{id}` returns it. Null when nothing was sent.
     */
    readonly request: {
      readonly url: string
      readonly headers: { readonly [member: string]: string }
    } | null
    /** The start of the response as text, at most 1024 bytes. Null without a response. */
    readonly response_body: string | null
  }>
  readonly next_attempt_at: string | null
  /** The exact body of a `ping`, which is no stored event. Null for every event. */
  readonly payload: string | null
}

export interface WebhookEndpoint {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly categories: ReadonlyArray<"onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc">
  readonly active: boolean
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
}

export interface WebhookEndpointWithSecret {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly categories: ReadonlyArray<"onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc">
  readonly active: boolean
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** Example: `2026-01-31T09:30:00.000Z`. */
  readonly updated_at: string
  /**
   * whsec_ followed by 32 bytes in base64. Returned only in this response. Example:
   * `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/wAsQ2pL1Yo=`.
   */
  readonly signing_secret: string
}

/** The codes of errors. A later version of the service may have more. */
export type ErrorCode = "bad_request" | "invalid_input" | "invalid_amount_precision" | "prohibited_country" | "account_resolution_failed" | "authentication_failed" | "merchant_inactive" | "forbidden" | "forbidden_key_role" | "resource_access_required" | "not_found" | "invalid_status" | "conflict" | "duplicate_resource" | "idempotency_conflict" | "idempotency_in_progress" | "api_key_limit_exceeded" | "access_already_granted" | "ledger_insufficient_funds" | "rate_limited" | "internal_error" | "external_service_unavailable"

/** An event, as a webhook delivers it. Distinguish by `event_type`. */
export type WebhookEvent =
  | Event
