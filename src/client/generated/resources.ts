/** The resources, events and inputs of the API. Written by `npm run openapi`; a test fails when it is stale. */

/** When it was made and changed. */
interface Dated {
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** When it last changed. Example: `2026-01-31T09:30:04.000Z`. */
  readonly updated_at: string
}

/** What takes your own data. */
interface WithMetadata {
  /**
   * Your own data: at most 50 keys of 1 to 64 characters, with values of up to 500 characters. Stored and returned
   * unchanged, and not used otherwise.
   */
  readonly metadata?: { readonly [member: string]: string } | null | undefined
}

/** What takes your own name for a movement. */
interface WithReference {
  /**
   * Your own name for the movement, unique among all your onramps, offramps, conversions and transfers. Default:
   * generated, `ref_…`. Example: `INV/2026/1042`.
   */
  readonly reference?: string | null | undefined
}

/** What a quote is asked for. */
interface QuotedAmount {
  /**
   * What is taken, in the source currency, fees included, with at most as many decimals as it settles. Exactly one of
   * source_amount and target_amount is required. Example: `100.00`.
   */
  readonly source_amount?: string | null | undefined
  /**
   * What the recipient receives after all fees, in the destination currency. The quote has the smallest source_amount
   * that reaches it. Example: `147753.75`.
   */
  readonly target_amount?: string | null | undefined
  /** Shown by the quote, and not used otherwise. The movement has a reference of its own. Example: `INV/2026/1042`. */
  readonly reference?: string | null | undefined
}

/** What a limit is, and what of it can change. */
interface LimitTerms extends Noted {
  /**
   * What happens to an act over it. Default: `refuse`. `refuse`: it is refused. `approve`: it waits for the approval of
   * an operator.
   */
  readonly action?: "refuse" | "approve" | null | undefined
}

/** What an approval rule is, and what of it can change. */
interface ApprovalRuleTerms extends Noted {
  /** How many people have to approve, from 1 to 3. None of them is the one who made it. Example: `1`. */
  readonly approvals?: 1 | 2 | 3 | null | undefined
  /**
   * Who may approve: these roles and those above them. Default: those who may do the act, and for a merchant `approver`
   * and `admin`.
   */
  readonly roles?: ReadonlyArray<string> | null | undefined
  /** How long an act waits at most: an ISO 8601 duration from PT1M to P30D. Default: PT24H. Example: `PT24H`. */
  readonly expires_after?: string | null | undefined
}

/** What every entry of a timeline has. */
interface TimelineMembers {
  /** When it happened. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The entry in one sentence. Example: `The offramp was created.`. */
  readonly summary: string
}

/** What a transaction is, also as a related one. */
interface TransactionMembers {
  /**
   * What the transaction records. `onramp`: fiat to a wallet. `offramp`: a wallet to a bank account. `conversion`: a
   * wallet to another wallet. `transfer`: a wallet to a crypto address. `deposit`: money that arrived in a wallet.
   */
  readonly type: "onramp" | "offramp" | "conversion" | "transfer" | "deposit"
  /**
   * What it comes of: the movement itself, or for a deposit: `deposit_address`: a payment to a deposit address.
   * `credential`: a payment to a wallet credential. `deposit_forward`: money of a failed conversion that the operator
   * passed on to the wallet. `offramp_reversal`: the refund of a returned offramp. `exception_credit`: unapplied money
   * that the operator credited.
   */
  readonly source_type: "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit" | "onramp" | "offramp" | "conversion" | "transfer"
  /**
   * The status of the movement, or of the deposit: `awaiting_deposit`: an onramp waits for the payer's money.
   * `processing`: a movement is being paid out, a deposit is detected or held. `temporary_failure`: the route is
   * unavailable and is tried again, or the outcome is not known yet. `success`: completed. `received`: a deposit in
   * another currency has arrived; a conversion moves it. `confirmed`: a refund or forward is credited.
   */
  readonly status: "created" | "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned" | "received" | "confirmed"
  /**
   * What the recipient received, in `destination_currency`. Null until the status is `success`, and for a movement that
   * paid nothing out: null is not zero. Of a deposit it is its `destination_amount`, whatever its status. Example:
   * `147753.75`.
   */
  readonly received_amount: string | null
}

/** What a verification is: for its merchant, in an event, and for who reviews it. */
interface VerificationMembers extends Dated {
  /** The id of the verification session. Example: `kyc_…`. */
  readonly id: string
  /** The customer who is verified. Example: `cust_…`. */
  readonly customer_id: string
  /**
   * Where the session stands. `pending`: the link is not opened yet. `in_progress`: the customer opened the link, or
   * the submission is under review. `approved`: the customer has the requested tier; terminal. `rejected`: see
   * `failure_reason`; terminal. `expired`: the link expired; a new request refreshes the session.
   */
  readonly status: "pending" | "in_progress" | "approved" | "rejected" | "expired"
  /**
   * The tier that an approval gives. By default `tier_0` can receive deposits of 1,000 USD in all, `tier_1` of 50,000
   * USD, `tier_2` without a limit.
   */
  readonly tier_requested: "tier_1" | "tier_2"
}

/** What every movement has. */
interface MovementMembers extends Dated {
  /**
   * Your own name for it, unique among all your movements; `ref_` and 26 characters if you sent none. Example:
   * `INV/2026/1042`.
   */
  readonly reference: string
  readonly customer: CustomerSummary
  /**
   * Why it failed or was returned; null otherwise. Branch on it, not on the message. `quote_expired`: not funded or not
   * started in time, no money moved. `temporarily_unavailable`: the route was unavailable, nothing was paid.
   * `cancelled`, `reversed`: undone by the provider or the recipient's bank. `returned`: accompanies the status
   * `returned`. `refund_failed`: the money could not be given back, support investigates. `failed`: every other reason.
   * Example: `temporarily_unavailable`.
   */
  readonly failure_reason: string | null
  /**
   * `failure_reason` as a sentence, for people. Null without a reason. Example:
   * `The payout route was unavailable, and no payout was made. The full source amount was returned to the wallet.`.
   */
  readonly failure_reason_message: string | null
  /** Your own data, as you sent it. Empty if you sent none. */
  readonly metadata: { readonly [member: string]: string }
}

export interface AcceptRate {
  /**
   * Units of the currency for one US dollar, as you have checked it. What the source says next is judged against it.
   * Example: `1500.25`.
   */
  readonly per_usd: string
  /**
   * Why. The rate and the audit log show it. Example:
   * `Devaluation announced by the central bank, checked at two banks`.
   */
  readonly note: string
}

/** A merchant's request to use a gated currency. */
export interface AccessRequest extends Dated {
  /** The id of the access request. Example: `rar_…`. */
  readonly id: string
  readonly resource_type: "currency"
  /** The id of the currency. Example: `cur_…`. */
  readonly resource_id: string
  /** The code of the currency. Example: `XOF`. */
  readonly resource_code: string
  /** The country of the currency. Null for EUR. Example: `SN`. */
  readonly country_code: string | null
  /**
   * Where the request stands. `pending`: the operator has not decided. `approved`: the merchant can use the currency.
   * `revoked`: the grant was withdrawn.
   */
  readonly status: "pending" | "approved" | "rejected" | "revoked"
  /** The merchant that asks. Example: `mer_…`. */
  readonly merchant_id: string
  /** The name of the merchant. Example: `Lagos Trading`. */
  readonly merchant_name: string
  /** Why the merchant asks. Null if it gave no reason. Example: `Supplier payouts in Dakar`. */
  readonly reason: string | null
  /** Who decided. Null before. Example: `opr_…`. */
  readonly reviewer_id: string | null
  /** Why it was decided so. Null if no reason was given. Example: `licence checked`. */
  readonly review_reason: string | null
  /** When it was decided. Null before. Example: `2026-02-02T11:00:00.000Z`. */
  readonly reviewed_at: string | null
}

/** Who calls. */
export interface ActingOperator {
  /** The id of the operator. Null for the configured token and for an embedding application. Example: `opr_…`. */
  readonly id: string | null
  /** The name of the operator. Example: `Ada Obi`. */
  readonly name: string
  /** The email address of the operator. Null if there is none. Example: `ada@example.com`. */
  readonly email: string | null
  /**
   * The role of the operator. `viewer`: reads. `support`: reviews and freezes as well. `treasury`: acts on money as
   * well: deposits, exceptions, pauses. `admin`: everything: merchants, their keys, operators.
   */
  readonly role: "viewer" | "support" | "treasury" | "admin"
}

/** Who acted. */
export interface Actor {
  /** The id of the operator. Null for the configured token and for an embedding application. Example: `opr_…`. */
  readonly id: string | null
  /** The name of the operator, or of who acted. Example: `Ada Obi`. */
  readonly name: string
  /**
   * The role at the time. `viewer`: reads. `support`: reviews and freezes as well. `treasury`: acts on money as well:
   * deposits, exceptions, pauses. `admin`: everything: merchants, their keys, operators.
   */
  readonly role: "viewer" | "support" | "treasury" | "admin"
}

/** A postal address. */
export interface Address {
  /** The street and number. Example: `12 Broad Street`. */
  readonly line1: string
  /** A second line. Null if there is none. Example: `Flat 4`. */
  readonly line2: string | null
  /** The city. Example: `Lagos`. */
  readonly city: string
  /** The state or region. Null if it is not given. Example: `Lagos`. */
  readonly state: string | null
  /** The postal code. Null if it is not given. Example: `101233`. */
  readonly postal_code: string | null
  /** The country, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
}

/** A postal address. */
export interface AddressInput {
  /** The street and number. Example: `12 Broad Street`. */
  readonly line1: string
  /** A second line. Example: `Flat 4`. */
  readonly line2?: string | null | undefined
  /** The city. Example: `Lagos`. */
  readonly city: string
  /** The state or region. Example: `Lagos`. */
  readonly state?: string | null | undefined
  /** The postal code. Example: `101233`. */
  readonly postal_code?: string | null | undefined
  /** The country, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
}

/** A posting between accounts of the platform. */
export interface AdjustingEntry extends Dated {
  /** The id of the entry. Example: `adj_…`. */
  readonly id: string
  /** The merchant whose books it is in: that of its exception, else the platform. Example: `mer_…`. */
  readonly merchant_id: string
  /** The account that is debited. Example: `suspense`. */
  readonly from: string
  /** The account that is credited. Example: `fees`. */
  readonly to: string
  /** The amount, in `currency`. Example: `25.00`. */
  readonly amount: string
  /** The currency of the amount. Example: `USDC`. */
  readonly currency: string
  /** Why it was made. Example: `The provider confirmed that nobody claims it`. */
  readonly note: string
  /** The exception that ends with it. Null for others. Example: `exc_…`. */
  readonly exception_id: string | null
  /** The break that ends with it. Null for others. Example: `brk_…`. */
  readonly break_id: string | null
  /** The line of a statement that it explains. Null for others. Example: `stl_…`. */
  readonly line_id: string | null
  /** The entry that it reverses. Null for others. Example: `adj_…`. */
  readonly reverses: string | null
  /** The entry that reverses it. Null as long as none does. Example: `adj_…`. */
  readonly reversed_by: string | null
  /** Whether another entry has reversed it. `posted`: none has. `reversed`: `reversed_by` has. */
  readonly status: "posted" | "reversed"
}

/** The clock after the move. */
export interface Advanced {
  /** The time of the service now. Example: `2026-01-31T09:30:00.000Z`. */
  readonly now: string
  /** The jobs that fell due and were run. Example: `12`. */
  readonly steps: number
}

/** An API key, without its secret. */
export interface ApiKey extends CallerKey {
  /** A name for people. Null if none was given. Example: `checkout service`. */
  readonly label: string | null
  /**
   * The person who calls with the key. Nobody approves what the same person made. If none was named: the id of the key,
   * or of the first in a chain of keys that made one another; `operator` where an operator made that. Example:
   * `ada@example.com`.
   */
  readonly person: string
}

/** An act that waits for the approval of other people, or waited. */
export interface Approval extends Dated {
  /** The id of the approval. Example: `apr_…`. */
  readonly id: string
  /**
   * Who approves. `merchant`: API keys of the merchant, by a rule of its own. `operator`: operators, by a rule or a
   * limit of theirs.
   */
  readonly side: "merchant" | "operator"
  /**
   * The act. `payout`: a transfer or an offramp. `adjusting_entry`: an adjusting entry, or its reversal.
   * `exception_credit`: an exception that is resolved, by whichever action. `deposit_release`: the release of a held
   * deposit. `break_resolution`: a break of the reconciliation that is resolved. `approval_rule`: an approval rule that
   * is created, changed or ended. `fee_schedule`: a fee schedule that is created, changed or ended. `api_key`: an API
   * key that is created or revoked. `brake_release`: the release of a pause.
   */
  readonly operation: "transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release"
  /**
   * The resource that the act is about. Null before the act makes it, and where it has none. What a creation that waits
   * shows in `data` has another id, which is not kept. Example: `tfr_…`.
   */
  readonly resource_id: string | null
  /**
   * What the act comes to: of a payout what it takes, and what its recipient receives in another currency; of a batch
   * the sums of its rows. Empty where it has no amount.
   */
  readonly amounts: ReadonlyArray<ApprovalAmount>
  /** The name of whom a payout pays. Null for anything else. Example: `Chidi Okafor`. */
  readonly recipient: string | null
  /** The beneficiary that a payout pays. Null for anything else. Example: `ben_…`. */
  readonly beneficiary_id: string | null
  readonly made_by: ApprovalPerson
  /** Who has approved, in order. */
  readonly approvals: ReadonlyArray<GivenApproval>
  /** Who declined. Null: nobody. */
  readonly declined_by: GivenApproval | null
  /** How many people have to approve. Example: `1`. */
  readonly needed: number
  /** The limits with the action `approve` over which the act is. Empty: a rule alone makes it wait. */
  readonly limit_ids: ReadonlyArray<string>
  /** Until when it waits, or waited. Example: `2026-02-01T09:30:00.000Z`. */
  readonly expires_at: string
  /**
   * What became of it. `pending`: the act waits. `approved`: the act was allowed. `declined`: somebody declined.
   * `expired`: not enough people approved in time, or the act can no longer be done: see `refusal`.
   */
  readonly status: "pending" | "approved" | "declined" | "expired"
  /**
   * Why the act was refused after it was approved, or can no longer be done: what it needs may have changed, or what it
   * is about may have ended meanwhile. Null: neither.
   */
  readonly refusal: ApprovalRefusal | null
  /**
   * What was asked, in the response to a single approval, until the act is done. Null in lists, after that, and for a
   * payout.
   */
  readonly request: ApprovalRequest | null
  /**
   * The response of the act, secrets included, for 24 hours after it was done: for the operator or API key that made
   * it, in the response to a single approval. Otherwise null.
   */
  readonly result: { readonly [member: string]: unknown } | null
}

/** From which amount on acts wait. */
export interface ApprovalAbove {
  /** Acts of more than this amount wait. Example: `10000.00`. */
  readonly amount: string
  /** The currency of the amount. An act in another currency waits. Example: `USDC`. */
  readonly currency: string
}

/** An amount of an act that waits. */
export interface ApprovalAmount {
  /** The amount. Example: `25.00`. */
  readonly amount: string
  /** Its currency. Example: `USDC`. */
  readonly currency: string
}

/** Who made or decided something. */
export interface ApprovalPerson {
  /** The operator or API key. Null for the configured token and an embedding application. Example: `opr_…`. */
  readonly id: string | null
  /**
   * The name of the operator. The label of the key; without one its `person`, where an admin named one, or its id.
   * Example: `Ada Obi`.
   */
  readonly name: string
}

/** Why an act that waited was not done. */
export interface ApprovalRefusal {
  /** The code of the error. Example: `invalid_status`. */
  readonly code: string
  /** The reason. Example: `The exception is resolved already.`. */
  readonly message: string
}

/** What an act was asked for with. */
export interface ApprovalRequest {
  /** The id of the operation in the OpenAPI document. Example: `resolveBreak`. */
  readonly name: string
  /** The members of the body, as they were sent. */
  readonly body: { readonly [member: string]: unknown }
}

/** Which acts wait for the approval of other people. */
export interface ApprovalRule extends Dated {
  /** The id of the rule. Example: `apl_…`. */
  readonly id: string
  /** The acts that wait. */
  readonly operations: ReadonlyArray<"transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release">
  /** From which amount on acts wait. Null: always. */
  readonly above: ApprovalAbove | null
  /** How many people have to approve, from 1 to 3. Example: `1`. */
  readonly approvals: number
  /**
   * Who may approve: these roles and those above them. Empty: those who may do the act, and for a merchant `approver`
   * and `admin`.
   */
  readonly roles: ReadonlyArray<string>
  /** How long an act waits at most, ISO 8601. Example: `PT24H`. */
  readonly expires_after: string
  /** Whether the rule covers acts. */
  readonly status: "active" | "ended"
}

/** What an operator did. */
export interface AuditEntry {
  /** The id of the entry. Example: `aud_…`. */
  readonly id: string
  /** When it happened. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  readonly operator: Actor
  /** The operationId, `session.created` or `session.ended`. Example: `releaseDeposit`. */
  readonly action: string
  /** What was acted on. Null for a sign-in and a sign-out. */
  readonly resource: AuditedResource | null
  /** The operator's note. Null if none was given. Example: `Confirmed by phone`. */
  readonly note: string | null
  /** The resource before the action. Null: the action created it. */
  readonly before: { readonly [member: string]: unknown } | null
  /** The resource after the action, without secrets. Null for a sign-in and a sign-out. */
  readonly after: { readonly [member: string]: unknown } | null
  /** The request that did it. Example: `req_…`. */
  readonly request_id: string
}

/** What was acted on. */
export interface AuditedResource {
  /** The kind of the resource. Example: `deposit`. */
  readonly kind: string
  /** The id of the resource. Example: `txn_…`. */
  readonly id: string
  /** The merchant of the resource. Example: `mer_…`. */
  readonly merchant_id: string
}

/** A person without whom a command does not go on. */
export interface AwaitedPerson {
  /**
   * Who acts. `operator`: a person of the platform, at the provider. `provider`: a person of the provider. `customer`:
   * the payer or the recipient.
   */
  readonly party: "operator" | "provider" | "customer"
  /** What the person does. Example: `enter the code that the provider sent to the owner's telephone`. */
  readonly action: string
}

/** The balances of the wallet, in its currency, with its decimal places and more if the exact amount has more. */
export interface Balance {
  /** What can be spent. Example: `975.00`. */
  readonly available: string
  /** What movements have reserved and not spent yet. Example: `25.00`. */
  readonly reserved: string
  /** What has arrived and is withheld for a review. Example: `0.00`. */
  readonly held: string
}

/** A bank, as responses show it. */
export interface BankInput {
  /** The id of the bank. Example: `prov_…`. */
  readonly id: string
  /** The name of the bank. It is ignored. Example: `Access Bank`. */
  readonly name?: string | null | undefined
  /** The bank's code. It is ignored. Example: `044`. */
  readonly code?: string | null | undefined
  /** The bank's country. It is ignored. Example: `NG`. */
  readonly country_code?: string | null | undefined
}

/** A bank. */
export interface BankProvider {
  /** The id of the bank, from `GET /v1/providers`. Example: `prov_…`. */
  readonly id: string
  /** The name of the bank. Example: `Access Bank`. */
  readonly name: string
  /** The bank's code in its country. Example: `044`. */
  readonly code: string
}

/** What a bank or a chain says of an external account. */
export interface BankStatement {
  /** The id of the statement. Example: `stm_…`. */
  readonly id: string
  /** The external account. Example: `xac_…`. */
  readonly external_account_id: string
  /**
   * What it was read from. `camt.052`: an interim report. `camt.053`: an end-of-day statement. `camt.054`: a
   * notification, without balances. `mt942`: an interim report. `csv`: read by a statement mapping. `protocol`: the
   * connector's own statement. `chain`: final transfers of the provider's addresses, up to a block.
   */
  readonly format: "camt.052" | "camt.053" | "camt.054" | "mt940" | "mt942" | "bai2" | "csv" | "protocol" | "chain"
  /**
   * Its number within the bank's series, or the final block (on Solana the slot) at which its closing balance was read.
   * Null where the bank does not number it, and where a part of a chain's statement ends with a day. Example: `5`.
   */
  readonly number: string | null
  /** Its first day. Null where it does not say it. Example: `2026-01-05`. */
  readonly from: string | null
  /** Its last day, included. Null where it does not say it. Example: `2026-01-05`. */
  readonly to: string | null
  /** The currency of the statement. Example: `EUR`. */
  readonly currency: string
  /** The booked balance at its start. Null where it names none. Example: `25000.00`. */
  readonly opening_balance: string | null
  /** The booked balance at its end. Null where it names none. Example: `24100.00`. */
  readonly closing_balance: string | null
  /** How many bookings it has: `lines_own` and those of `lines_shared`. Example: `2`. */
  readonly lines: number
  /** How many of them are lines that it was the first to have. Example: `2`. */
  readonly lines_own: number
  /** How many of them are lines that other statements had first. */
  readonly lines_shared: ReadonlyArray<{
    /** The statement that had them first. Example: `stm_…`. */
    readonly statement_id: string
    /** How many. Example: `1`. */
    readonly lines: number
  }>
  /** How many entries are pending or for information. They are not lines, and no balance has them. Example: `0`. */
  readonly pending: number
  /** What was noticed and not refused. */
  readonly warnings: ReadonlyArray<BankStatementWarning>
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

/** A line of a bank statement: one booking. */
export interface BankStatementLine extends Dated {
  /** The id of the line. Example: `stl_…`. */
  readonly id: string
  /** The external account. Example: `xac_…`. */
  readonly external_account_id: string
  /** The first statement that has it. Example: `stm_…`. */
  readonly statement_id: string
  /** The day on which the bank booked it. Example: `2026-01-05`. */
  readonly booked_on: string
  /** The day from which it bears interest. Null where the bank does not say it. Example: `2026-01-05`. */
  readonly value_on: string | null
  /**
   * The day whose close counts it: `booked_on`, or the day after the latest sealed one if that was not before it when
   * the line came. Example: `2026-01-05`.
   */
  readonly accounted_on: string
  /** As the bank booked it. `credit`: to us. `debit`: from us. */
  readonly direction: "credit" | "debit"
  /** The amount, exactly as booked, without a sign. Example: `147753.75`. */
  readonly amount: string
  /** The currency of the line. Example: `NGN`. */
  readonly currency: string
  /** The bank's own reference. Null without one. Example: `FT26031XK92`. */
  readonly bank_reference: string | null
  /** The payer's reference, which banks pass on. Null without one. Example: `INV-1042`. */
  readonly end_to_end_id: string | null
  /** The UETR of a SWIFT payment. Null without one. Example: `97ed4827-7b6f-4491-a06f-b548d5a7512d`. */
  readonly uetr: string | null
  /**
   * The hash of the payment on its network. Null without one. Example:
   * `0x9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b`.
   */
  readonly transaction_hash: string | null
  readonly counterparty: LineCounterparty
  /** The text of the payment. Null without one. Example: `Invoice 77`. */
  readonly remittance: string | null
  /** The bank's own word for the kind of booking. Null without one. Example: `PMNT/ICDT/ESCT`. */
  readonly code: string | null
  /** Whether it takes an earlier booking back. It turns no direction. Example: `false`. */
  readonly reversal: boolean
  /**
   * How it is accounted for. `matched`: `matches` account for it. `proposed`: `matches` are candidates, and a person
   * decides. `unmatched`: nothing accounts for it. `explained`: an adjusting entry accounts for it. `withdrawn`: an
   * interim report or an earlier statement said it, and the statement of its day does not have it: no balance counts
   * it.
   */
  readonly status: "matched" | "proposed" | "unmatched" | "explained" | "withdrawn"
  /** What accounts for it, or may. */
  readonly matches: ReadonlyArray<LineMatch>
}

/** What was noticed in a statement and not refused. */
export interface BankStatementWarning {
  /**
   * What was noticed. `gap`: a number of the series is missing, or the opening balance is not the closing balance
   * before. `replaced`: it replaces an earlier statement of its number and days. `overlaps`: another file without
   * balances has some of its lines. `balance_differs`: a block of the chain has another balance than the lines lead to.
   * Example: `gap`.
   */
  readonly code: string
  /** The same in words. Example: `Number 6 follows number 4: number 5 is missing.`. */
  readonly message: string
  /** Where in the file. Null where it is no place in it. Example: `line 12`. */
  readonly place: string | null
}

/** Payouts that are checked and confirmed together. */
export interface Batch extends Dated {
  /** The id of the batch. Example: `bat_…`. */
  readonly id: string
  /** Your name for the batch. A row without a reference gets `<reference>-<row>`. Example: `payroll-2026-01`. */
  readonly reference: string
  /**
   * The status of the batch. `draft`: its rows are checked, and nothing is paid. `processing`: its valid rows become
   * movements. `completed`: each valid row has become a movement or was refused. `cancelled`: what had not begun was
   * stopped.
   */
  readonly status: "draft" | "processing" | "completed" | "cancelled"
  readonly counts: BatchCounts
  /**
   * What leaves the wallets for the valid rows, fees included, by currency: as checked, and once they are paid as they
   * were. Rows that fail take nothing, and rows that a cancellation stops neither.
   */
  readonly totals: ReadonlyArray<BatchSum>
  /** What the recipients of the valid rows receive, by currency, without rows that fail or are stopped. */
  readonly received: ReadonlyArray<BatchSum>
  /**
   * The fees of the valid rows, by currency, without rows that fail or are stopped. Quotes of their own decide them
   * when the rows are paid: no row takes more than was confirmed.
   */
  readonly fees: ReadonlyArray<BatchSum>
  /** When it was confirmed. Null if it was not. Example: `2026-01-31T09:30:00.000Z`. */
  readonly confirmed_at: string | null
  /** When it was completed or cancelled. Null until then. Example: `2026-01-31T09:30:00.000Z`. */
  readonly ended_at: string | null
}

/** How many rows there are, and what became of them. */
export interface BatchCounts {
  /** All rows. Example: `400`. */
  readonly rows: number
  /** Rows without an error. Only these are paid. Example: `393`. */
  readonly valid: number
  /** Rows with an error. Example: `7`. */
  readonly invalid: number
  /** Rows that have become a movement. Example: `390`. */
  readonly created: number
  /** Rows that were refused when they were paid. Example: `3`. */
  readonly failed: number
  /** Rows that had not begun when the batch was cancelled. Example: `0`. */
  readonly cancelled: number
}

/** Movements of a batch that are alike in their status. */
export interface BatchMovements {
  /** The status of these movements. Example: `success`. */
  readonly resource_status: string
  /** Whether these movements wait for other people to approve them. Example: `false`. */
  readonly awaits_approval: boolean
  /** How many they are. Example: `398`. */
  readonly count: number
  /** What leaves the wallets for them, fees included, by currency. */
  readonly totals: ReadonlyArray<BatchSum>
}

/** One payout of a batch. */
export interface BatchRow {
  /** The row, from 1. Example: `1`. */
  readonly row: number
  /**
   * What has become of the row. `valid`: it has no error, and is paid once the batch is confirmed. `invalid`: it has
   * errors, and is never paid. `pending`: it is paid next. `created`: `resource_id` names its movement. `failed`: it
   * was refused when it was paid. `cancelled`: it had not begun when the batch was cancelled.
   */
  readonly status: "valid" | "invalid" | "pending" | "created" | "failed" | "cancelled"
  /** The operation: `transfer` or `offramp`. Null if the row has none. Example: `offramp`. */
  readonly operation: string | null
  /** The wallet to debit. Null if the row has none. Example: `wal_…`. */
  readonly wallet_id: string | null
  /**
   * The recipient: that of its movement, or the one that it names. Null as long as a row with details has no movement.
   * Example: `ben_…`.
   */
  readonly beneficiary_id: string | null
  /**
   * The name of whom it pays: of its movement, of its details, or of its beneficiary. Null if none is known. Example:
   * `Chidi Okafor`.
   */
  readonly recipient: string | null
  /** The reference of its movement. Example: `payroll-2026-01-1`. */
  readonly reference: string
  /** What leaves the wallet, as checked, or of its movement. Null with errors. Example: `100.00`. */
  readonly source_amount: string | null
  /** The currency of `source_amount`. Null with errors. Example: `USDC`. */
  readonly source_currency: string | null
  /**
   * What the recipient receives, as checked, or by its movement. Null with errors, and once the movement has failed or
   * came back. Example: `147753.75`.
   */
  readonly received_amount: string | null
  /** The currency of `received_amount`. Null with errors. Example: `NGN`. */
  readonly destination_currency: string | null
  /** The fees, by currency. None once the movement has failed or came back. */
  readonly fees: ReadonlyArray<BatchSum>
  /** Its movement. Null as long as it has none. Example: `ofr_…`. */
  readonly resource_id: string | null
  /** The status of its movement now. Null as long as it has none. Example: `success`. */
  readonly resource_status: string | null
  /** Whether its movement waits for other people to approve it. Example: `false`. */
  readonly awaits_approval: boolean
  /** Why its movement failed. Null if it has not. Example: `quote_expired`. */
  readonly resource_failure_reason: string | null
  /** What is wrong with it, or why it was refused. */
  readonly errors: ReadonlyArray<BatchRowError>
}

/** What is wrong with one row. */
export interface BatchRowError {
  /** The row, from 1. Example: `7`. */
  readonly row: number
  /** The column. Example: `beneficiary_id`. */
  readonly field: string
  /** What is wrong: as in `meta.errors`, or the code of the refusal. Example: `invalid_format`. */
  readonly code: string
  /**
   * A sentence that says what was found and what is accepted. Example:
   * `beneficiary_id is "b-17"; it takes an id that begins with ben_`.
   */
  readonly message: string
  /** With `limit_exceeded`: the limit. Example: `lim_…`. */
  readonly limit_id?: string
  /** With `limit_exceeded`: its `max_amount`, or its `max_count` as a number. Example: `10000.00`. */
  readonly max?: string | number
  /** With `limit_exceeded`: what is used of the maximum. Example: `9950.00`. */
  readonly used?: string | number
  /**
   * With `limit_exceeded`: when its window has room again. Null where it never has. Example:
   * `2026-02-01T00:00:00.000Z`.
   */
  readonly resets_at?: string | null
}

/** A sum of rows in one currency. */
export interface BatchSum {
  /** The currency of the sum. Example: `USDC`. */
  readonly currency: string
  /** The sum, in `currency`. Example: `39300.00`. */
  readonly amount: string
}

/** What has become of the movements of a batch. */
export interface BatchSummary {
  /** Those of all rows that have become a movement, by status. What waits for approval is counted apart. */
  readonly movements: ReadonlyArray<BatchMovements>
}

/** A recipient of payouts. */
export interface Beneficiary extends Dated {
  /** The id of the beneficiary. Example: `ben_…`. */
  readonly id: string
  /** The customer that the beneficiary belongs to. Example: `cust_…`. */
  readonly customer_id: string
  /** The name of the recipient. Example: `Ada Obi`. */
  readonly name: string
  /** A name for people. Null if you sent none. Example: `treasury`. */
  readonly label: string | null
  /** What the beneficiary is paid to. `fiat`: a bank account, by offramps. `crypto`: a crypto address, by transfers. */
  readonly type: "fiat" | "crypto"
  /** The currency that the beneficiary receives. Example: `NGN`. */
  readonly currency: string
  /** The recipient's postal address, which some banks ask for. Null if it is not given. */
  readonly address: Address | null
  /**
   * The code of why the recipient is paid, from the list of its bank or regulator. Null if it is not given. Example:
   * `SALA`.
   */
  readonly purpose_code: string | null
  /** Where the money goes: a bank account or a crypto address, by `type`. */
  readonly details: FiatDetails | CryptoDetails
  /** Your own data, as you sent it. Empty if you sent none. */
  readonly metadata: { readonly [member: string]: string }
  /**
   * Whether it can be paid. `pending`: its screening is not complete; payouts to it are rejected with `invalid_status`.
   * `active`: it can be paid. `blocked`: it did not pass the screening; payouts to it are rejected with
   * `invalid_status`. Example: `active`.
   */
  readonly status: "pending" | "active" | "blocked"
  /**
   * The screening that `status` refers to. A change of the name or the details starts a new screening. Example:
   * `scr_…`.
   */
  readonly screening_id: string
  /** Your own name for it. Null if you sent none. Example: `crm-88121`. */
  readonly merchant_reference: string | null
}

/** A stop of submissions and refunds that an operator set. */
export interface Brake extends Dated {
  /** The id of the pause. Example: `brake_…`. */
  readonly id: string
  /**
   * What it stops. `all`: all submissions. `provider`: those to `provider`. `corridor`: those from `source_currency` to
   * `destination_currency`. `merchant`: those of `merchant_id`.
   */
  readonly scope: "all" | "provider" | "corridor" | "merchant"
  /** The name of the provider that it stops. Null for other scopes. Example: `simulated`. */
  readonly provider: string | null
  /** The source currency of its corridor. Null stands for every currency. Example: `USDT`. */
  readonly source_currency: string | null
  /** The destination currency of its corridor. Null stands for every currency. Example: `KES`. */
  readonly destination_currency: string | null
  /** The merchant that it stops. Null for other scopes. Example: `mer_…`. */
  readonly merchant_id: string | null
  /** Whether it stops anything. `active`: it does. `released`: it no longer does. */
  readonly status: "active" | "released"
  /** Why it was set. Null if no note was given. Example: `Unexplained debits at the bank`. */
  readonly note: string | null
  /** Why it was released. Null before, or without a note. Example: `The bank has explained them`. */
  readonly release_note: string | null
  /** When it was released. Null before. Example: `2026-01-31T14:10:00.000Z`. */
  readonly released_at: string | null
}

/** A difference between the books and the statements. */
export interface Break extends Dated {
  /** The id of the break. Example: `brk_…`. */
  readonly id: string
  /** The external account. Example: `xac_…`. */
  readonly external_account_id: string
  /**
   * What differs. `missing_in_books`: the bank has a line and the books nothing. `missing_on_statement`: the books have
   * a movement that no statement has, longer than the account's settlement time. `amount_differs`: a line names a
   * movement of another amount. `executed_twice`: more lines name a movement than it has payments.
   * `contradicts_status`: a line pays what the books say was not paid. `balance_differs`: a balance of a statement is
   * not that of the account. `gap`: a statement does not begin where the one before it ends, or a number of the series
   * is missing.
   */
  readonly kind: "missing_in_books" | "missing_on_statement" | "amount_differs" | "executed_twice" | "contradicts_status" | "balance_differs" | "gap"
  /** How urgent it is. `high`: money may have left twice, or is gone. */
  readonly severity: "low" | "high"
  /** Whether it is to be decided. */
  readonly status: "open" | "resolved"
  /**
   * What differs. Of a gap, the opening balance less the closing balance before; zero where only a number is missing.
   * Example: `147753.75`.
   */
  readonly amount: string | null
  /**
   * As the bank books it. Of a balance, a gap or another amount: what the bank has more or less. Null where nothing is.
   * `credit`: money to us. `debit`: money from us.
   */
  readonly direction: "credit" | "debit" | null
  /** The currency of the account. Example: `NGN`. */
  readonly currency: string
  /** What may be lost. Null: nothing. */
  readonly exposure: BreakExposure | null
  /** The lines of statements that it is about. */
  readonly lines: ReadonlyArray<string>
  /**
   * What the lines name, or what no statement has; and the entry by which a payment that a line names was explained
   * before.
   */
  readonly resources: ReadonlyArray<string>
  /** What its line may be. Nothing is matched with them until a person says so. */
  readonly candidates: ReadonlyArray<BreakCandidate>
  /** The statement of a gap or a balance. Null for others. Example: `stm_…`. */
  readonly statement_id: string | null
  /**
   * The statements that it is about: those that have its lines; of a gap or a balance the one before, and then the one
   * that differs.
   */
  readonly statements: ReadonlyArray<string>
  /** When the money moved, or the difference was found. Example: `2026-01-31T09:30:00.000Z`. */
  readonly since: string
  /** What can be done with it now. */
  readonly actions: ReadonlyArray<"match" | "explain" | "adopt" | "dismiss" | "unmatch" | "reopen">
  /**
   * Another one once something else is to be decided: another kind, severity, amount, direction, exposure, line,
   * resource or status, or another resolution to undo. `If-Match` of a resolution takes it as it takes the `ETag`,
   * which changes with anything. Example: `v5d41402abc4b2a76`.
   */
  readonly version: string
  /**
   * How it ended: what a person did, or `cleared` where matching found it gone. Null while it is open. Example:
   * `explain`.
   */
  readonly action: string | null
  /** What the person said about it. Example: `Charged twice, the bank returns it`. */
  readonly note: string | null
  /** The adjusting entry that it ended with. Null for another end. Example: `adj_…`. */
  readonly adjusting_entry_id: string | null
  /** When it ended. Null while it is open. Example: `2026-01-31T09:30:00.000Z`. */
  readonly resolved_at: string | null
}

/** What a line of a break may be. */
export interface BreakCandidate {
  /** What the line may be. Example: `ofr_…`. */
  readonly resource_id: string
  /** Its amount, in the currency of the break. Example: `147753.75`. */
  readonly amount: string
  /** Why it may be that. Example: `alike`. */
  readonly rule: string
}

/** What may be lost. */
export interface BreakExposure {
  /** The amount. Example: `147753.75`. */
  readonly amount: string
  /** The currency of the amount. Example: `NGN`. */
  readonly currency: string
}

/** A day, a week or a month of a time zone. */
export interface CalendarWindow {
  /** The part of the calendar. A week begins on Monday. */
  readonly calendar: "day" | "week" | "month"
  /** The time zone of the calendar, of the IANA database. Example: `Africa/Lagos`. */
  readonly time_zone: string
}

/** The key that calls. */
export interface CallerKey {
  /** The id of the key. Example: `key_…`. */
  readonly id: string
  /**
   * What the key may do. `viewer`: read. `approver`: read, and approve or decline what others have made. `developer`:
   * everything, except webhook secrets, revoking other keys, and keys above its own role. `admin`: everything.
   */
  readonly role: "viewer" | "approver" | "developer" | "admin"
  /** The first characters of the key, to tell keys apart. Example: `sk_test_a1B2`. */
  readonly prefix: string
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

/** The merchant of the key. */
export interface CallerMerchant {
  /** The id of the merchant. Example: `mer_…`. */
  readonly id: string
  /** The name of the merchant. Example: `Lagos Trading`. */
  readonly name: string
  /** The country of the merchant, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
  /**
   * Whether the merchant can call. `pending`: not yet: its keys are rejected with `merchant_inactive`. `active`: it
   * can. `suspended`: no longer: its keys are rejected, and queued payouts wait.
   */
  readonly status: "pending" | "active" | "suspended"
}

/** A batch with the errors of its rows. */
export interface CheckedBatch extends Batch {
  /** What is wrong with the invalid rows: the first 1,000. `GET /v1/batches/{id}/rows?status=invalid` has all. */
  readonly errors: ReadonlyArray<BatchRowError>
}

/** The balance of a class of accounts. */
export interface ClassBalance {
  /** The class of the accounts, see `docs/ledger.md`. Example: `available`. */
  readonly class: string
  /** The currency. Example: `USDC`. */
  readonly currency: string
  /** The sum of the balances of its accounts. Example: `975.00`. */
  readonly balance: string
}

/** The clock of the service. */
export interface ClockTime {
  /** The time of the service now. Example: `2026-01-31T09:30:00.000Z`. */
  readonly now: string
  /** The latest time that it can be moved to. Example: `2100-01-01T00:00:00.000Z`. */
  readonly latest: string
}

/** The close of a day of an external account. */
export interface Closing {
  /** The id of the close. Example: `cls_…`. */
  readonly id: string
  /** The external account. Example: `xac_…`. */
  readonly external_account_id: string
  /** The day, in the time zone of the account. Example: `2026-01-05`. */
  readonly date: string
  /** The currency of the account. Example: `EUR`. */
  readonly currency: string
  /**
   * What was in the account when the day began: the closing of the day before. What comes late of an accepted
   * statement's balance is taken off, as its lines are in `booked`. Example: `25000.00`.
   */
  readonly opening: string
  /** What the lines of the day sum to: credits less debits. Example: `-900.00`. */
  readonly booked: string
  /** `opening` and `booked` together. Example: `24100.00`. */
  readonly closing: string
  /** The closing balance of the day's statement. Null where no statement names one. Example: `24100.00`. */
  readonly statement_closing: string | null
  /**
   * What the books of the provider have in this currency at the end of the day, and its statements do not have yet:
   * money in less money out. Example: `0.00`.
   */
  readonly outstanding: string
  /** The sum of the lines of the day that adjusting entries account for: credits less debits. Example: `-12.50`. */
  readonly explained: string
  /**
   * The sum of the open breaks of the day: of its lines, and of what its statements state otherwise. Credits less
   * debits. What a person has dismissed is explained. Example: `0.00`.
   */
  readonly unexplained: string
  /** How many lines the day has. Example: `12`. */
  readonly lines: number
  /** Whether it was sealed although `unexplained` is not zero. Example: `false`. */
  readonly accepted: boolean
  /** Why it was sealed. Null without a note. Example: `The bank mends its fee tomorrow`. */
  readonly note: string | null
  /** Who sealed it. Example: `Ada Obi`. */
  readonly sealed_by: string
  /** When it was sealed. Example: `2026-01-31T09:30:00.000Z`. */
  readonly sealed_at: string
  /**
   * The SHA-256 of the day's lines, as hex. `corridor verify` checks it. Example:
   * `9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b9f2b`.
   */
  readonly seal: string
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

/** A provider of the configuration. */
export interface ConfiguredProvider {
  /**
   * The first name that the provider had in this store: in the accounts of the ledger, in records and in metrics. It
   * never changes. Example: `simulated`.
   */
  readonly name: string
  /** Its name in the configuration. Example: `simulated`. */
  readonly configured_name: string
  /**
   * Every name of it in this store, the configured one first. Requests and `/providers/{name}/events` take each of
   * them.
   */
  readonly names: ReadonlyArray<string>
  /** Whether it only simulates. Example: `true`. */
  readonly simulated: boolean
  /**
   * Whether it takes work. `healthy`: it takes work. `failing`: its circuit breaker is open on the node that responds.
   */
  readonly health: "healthy" | "failing"
  /** Whether a pause stops everything that goes to it. Example: `false`. */
  readonly paused: boolean
  /** As configured; a lower number goes first. Default: 0. Example: `0`. */
  readonly priority: number
  /** What it serves. */
  readonly offers: ReadonlyArray<ProviderOffer>
  /**
   * Of a chain: the address of its hot wallet, which also pays for gas. Null where it has none, or cannot say it now.
   * Example: `0x90F79bf6EB2c4f870365E785982E1f101E93b906`.
   */
  readonly hot_wallet: string | null
  /** The addresses of its external accounts that are not its own, so that its statement is not of them. */
  readonly foreign_addresses: ReadonlyArray<ForeignAddress>
  readonly events: ProviderEvents
}

/** An exchange between two wallets of one customer, or of a deposit into the currency of its wallet. */
export interface Conversion extends MovementMembers {
  /** The id of the conversion. Example: `con_…`. */
  readonly id: string
  /**
   * Where the conversion stands. `created`: accepted; the source amount is reserved. `processing`: debited, and
   * submitted to the provider. `temporary_failure`: the provider is unavailable and is asked again, or the outcome is
   * not known yet. `success`: the destination wallet is credited; terminal. `failed`: not converted, and the source
   * amount is back at its source, unless `failure_reason` is `refund_failed`; terminal. `returned`: the source amount
   * is back at its source; terminal.
   */
  readonly status: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  /** The quote that it executes. Null for the conversion of a deposit. Example: `quo_…`. */
  readonly quote_id: string | null
  /** Where the rate comes from. `quoted`: the quote. `live`: the market when the deposit was detected. */
  readonly rate_source: "quoted" | "live"
  /** The wallet that is debited. Null for the conversion of a deposit, whose source is the credential. */
  readonly source_wallet: WalletSummary | null
  /** The credential whose deposit is converted. Null for a quoted conversion. Example: `wcr_…`. */
  readonly credential_id: string | null
  /** The transaction of the deposit that is converted. Null for a quoted conversion. Example: `txn_…`. */
  readonly parent_transaction_id: string | null
  /** The wallet that is credited. */
  readonly destination_wallet: WalletSummary
  /** What leaves the source, in `source_currency`, the gateway fee included. Example: `20.00`. */
  readonly source_amount: string
  /** The currency that is taken. Example: `USDC`. */
  readonly source_currency: string
  /**
   * The quoted amount, in `destination_currency`: `source_amount` less the gateway fee, times `rate`, rounded down. A
   * conversion has no network fee. Example: `29775.37`.
   */
  readonly destination_amount: string
  /**
   * What the recipient is to receive by the quote, in `destination_currency`: `destination_amount` less the network
   * fee, or the `target_amount` of the quote. `received_amount` is what it received. Example: `29775.37`.
   */
  readonly quoted_received_amount: string
  /** The fees of the quote, or of what settled. */
  readonly fee: Fee
  /** The currency of the destination wallet. Example: `NGN`. */
  readonly destination_currency: string
  /**
   * What the destination wallet was credited, in `destination_currency`: `destination_amount`. Null until the status is
   * `success`: null is not zero. Example: `29775.37`.
   */
  readonly received_amount: string | null
  /**
   * The price of one unit of `source_currency` in `destination_currency`: a decimal string with up to 12 significant
   * digits, the spread included. Example: `1492.5`.
   */
  readonly rate: string
}

/** An event of a conversion. */
export interface ConversionEvent extends Omit<Event, "event_object"> {
  /** What happened. */
  readonly event_type: "conversion.created" | "conversion.funds_received" | "conversion.processing" | "conversion.success" | "conversion.failed" | "conversion.returned"
  readonly event_category: "conversion"
  /** The id of the conversion. Example: `con_…`. */
  readonly event_object_id: string
  /** The status of the conversion at the event. */
  readonly event_object_status: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  readonly event_object: ConversionEventObject
}

/** The conversion, as of the event, with what settled. */
export interface ConversionEventObject extends Conversion {
  /**
   * What was taken, in `source_currency`. Null until it settles. Reconcile against the `actual_` amounts, not the
   * quoted ones. Example: `20.00`.
   */
  readonly actual_source_amount: string | null
  /**
   * What the recipient received, in `destination_currency`, all fees deducted. Null until it settles. Example:
   * `29775.37`.
   */
  readonly actual_destination_amount: string | null
  /** The rate at which it settled. Null until it settles. Example: `1492.5`. */
  readonly actual_rate: string | null
  /** When it reached its terminal status. Null before. Example: `2026-01-31T09:30:04.000Z`. */
  readonly terminal_at: string | null
}

/** A supported country. */
export interface Country {
  /** The ISO 3166-1 alpha-2 code. Example: `NG`. */
  readonly code: string
  /** The name of the country. Example: `Nigeria`. */
  readonly name: string
  /** The codes of its currencies. */
  readonly currencies: ReadonlyArray<string>
  /** Whether compliance prohibits the country. Example: `false`. */
  readonly prohibited: boolean
}

export interface CreateAccessRequest {
  /** The country of the currency, where its code alone is ambiguous. Example: `SN`. */
  readonly countryCode?: string | null | undefined
  /** Another name of `countryCode`. Example: `SN`. */
  readonly country_code?: string | null | undefined
  /** Why you need the currency. Example: `Supplier payouts in Dakar`. */
  readonly reason?: string | null | undefined
}

export interface CreateAdjustingEntry {
  /**
   * The account to debit: `suspense`, `losses`, `fees` or `rounding`, or `world`, `costs`, `receivable` or `float` with
   * a colon and a provider. Example: `suspense`.
   */
  readonly from: string
  /** The account to credit, one of the same. Example: `world:simulated`. */
  readonly to: string
  /** The amount, with at most the decimals of the ledger. Example: `25.00`. */
  readonly amount: string
  /** The currency of the amount. Example: `USDC`. */
  readonly currency: string
  /** Why. The entry and the audit log show it. Example: `The provider has sent it back`. */
  readonly note: string
  /** The exception that ends with it. Example: `exc_…`. */
  readonly exception_id?: string | null | undefined
  /** The break that ends with it: the entry is what differs. Example: `brk_…`. */
  readonly break_id?: string | null | undefined
  /** The line of a statement that it explains; a break of the line ends with it. Example: `stl_…`. */
  readonly line_id?: string | null | undefined
}

export interface CreateApiKey {
  /**
   * What the key may do. `viewer`: read. `approver`: read, and approve or decline what others have made. `developer`:
   * everything, except webhook secrets, revoking other keys, and keys above its own role. `admin`: everything.
   */
  readonly role: "viewer" | "approver" | "developer" | "admin"
  /** A name for people. Example: `checkout service`. */
  readonly label?: string | null | undefined
  /**
   * The person who calls with the key, for example by email, and no id: nothing that begins with `key_` or `opr_`.
   * Default: the person of the key that makes it, or the operator who makes it. Only an admin names another. Example:
   * `ada@example.com`.
   */
  readonly person?: string | null | undefined
}

export interface CreateApprovalAbove {
  /** Acts of more than this amount wait. Example: `10000.00`. */
  readonly amount: string
  /** The currency of the amount. An act in another currency waits. Example: `USDC`. */
  readonly currency: string
}

export interface CreateApprovalRule extends ApprovalRuleTerms {
  /** The acts that wait, at least one. */
  readonly operations: ReadonlyArray<"transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release">
  /** From which amount on acts wait. Absent: always. */
  readonly above?: CreateApprovalAbove | null | undefined
}

export interface CreateBatch {
  /**
   * Your name for the batch, unique among those that you confirm. A row without a reference of its own gets this one, a
   * hyphen and its number. Example: `payroll-2026-01`.
   */
  readonly reference: string
  /** The payouts, 1 to 10,000. Either this or `csv`. */
  readonly rows?: ReadonlyArray<CreateBatchRow> | null | undefined
  /**
   * The payouts as a CSV file, whose header has the names of the members of a row, dotted where nested. With the
   * content type `text/csv` the body is the file, and `reference` is in the query. Example:
   * `operation,wallet_id,beneficiary_id,amount
transfer,wal_…,ben_…,25.00`.
   */
  readonly csv?: string | null | undefined
}

/** One payout. */
export interface CreateBatchRow {
  /** `transfer` or `offramp`. Example: `offramp`. */
  readonly operation?: unknown
  /** The wallet to debit. Example: `wal_…`. */
  readonly wallet_id?: unknown
  /** The recipient. Either this or `beneficiary`. Example: `ben_…`. */
  readonly beneficiary_id?: unknown
  /**
   * The details of the recipient, as `POST /v1/beneficiaries` takes them, but for `details.holder_document`, which is
   * not stored. When the batch is paid, an identical beneficiary is used, or one is made.
   */
  readonly beneficiary?: unknown
  /** Of a transfer: what the recipient receives, a decimal string. Example: `25.00`. */
  readonly amount?: unknown
  /** Of an offramp: what leaves the wallet. Either this or `target_amount`. Example: `100.00`. */
  readonly source_amount?: unknown
  /** Of an offramp: what the recipient receives. Example: `147753.75`. */
  readonly target_amount?: unknown
  /**
   * Your name for the movement. Default: the batch's reference, a hyphen and the number of the row. Example:
   * `INV/2026/1042`.
   */
  readonly reference?: unknown
  /** Your own data, for the movement. */
  readonly metadata?: unknown
}

export interface CreateBeneficiary extends WithMetadata {
  /** What the beneficiary is paid to. `fiat`: a bank account. `crypto`: a crypto address. */
  readonly type: "fiat" | "crypto"
  /** The name of the recipient. Example: `Ada Obi`. */
  readonly name: string
  /** The currency that the beneficiary receives. Example: `NGN`. */
  readonly currency: string
  /** The recipient's postal address, which some banks ask for. */
  readonly address?: AddressInput | null | undefined
  /**
   * fiat: the code of why the recipient is paid, from the list of its bank or regulator. Payouts have it from then on.
   * Example: `SALA`.
   */
  readonly purpose_code?: string | null | undefined
  /** A name for people. Example: `treasury`. */
  readonly label?: string | null | undefined
  /** The customer that it belongs to. Default: the default customer, your own business. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** Your own name for it. It need not be unique. Example: `crm-88121`. */
  readonly merchant_reference?: string | null | undefined
  readonly details: DetailsInput
}

export interface CreateBrake {
  /**
   * What to stop. `all`: everything. `provider`: what goes to `provider`. `corridor`: from `source_currency` to
   * `destination_currency`. `merchant`: that of `merchant_id`.
   */
  readonly scope: "all" | "provider" | "corridor" | "merchant"
  /** With scope `provider`: the name of the provider. Example: `simulated`. */
  readonly provider?: string | null | undefined
  /** With scope `corridor`: the source currency. Default: every currency. Example: `USDT`. */
  readonly source_currency?: string | null | undefined
  /** With scope `corridor`: the destination currency. Default: every currency. Example: `KES`. */
  readonly destination_currency?: string | null | undefined
  /** With scope `merchant`: the merchant. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** Why. The pause and the audit log show it. Example: `Unexplained debits at the bank`. */
  readonly note?: string | null | undefined
}

export interface CreateClosing {
  /** The external account. Example: `xac_…`. */
  readonly external_account_id: string
  /** The day, in the time zone of the account. Example: `2026-01-05`. */
  readonly date: string
  /** Whether to seal the day although `unexplained` is not zero. It requires a note. Example: `false`. */
  readonly accept?: boolean | null | undefined
  /**
   * The `unexplained` of the day that you have seen. If it is another by now, the response is `invalid_status`, and
   * nothing is sealed. Example: `-1.00`.
   */
  readonly unexplained?: string | null | undefined
  /** Why. The close and the audit log show it. Example: `The bank mends its fee tomorrow`. */
  readonly note?: string | null | undefined
}

export interface CreateConversion extends WithMetadata, WithReference {
  /** The quote to execute: active, and of this operation. Example: `quo_…`. */
  readonly quote_id: string
  /** If given, it must be the quote's source currency. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** If given, it must be the quote's destination currency. Example: `NGN`. */
  readonly destination_currency?: string | null | undefined
}

export interface CreateConversionQuote extends QuotedAmount {
  /**
   * The wallet to debit. `source_wallet_id` and `wallet_id` are names of one member; one of them is required. Example:
   * `wal_…`.
   */
  readonly source_wallet_id?: string | null | undefined
  /** The wallet to credit: of the same customer, in another currency. Example: `wal_…`. */
  readonly destination_wallet_id: string
  /**
   * The wallet to debit. `source_wallet_id` and `wallet_id` are names of one member; one of them is required. Example:
   * `wal_…`.
   */
  readonly wallet_id?: string | null | undefined
}

export interface CreateCustomer extends WithMetadata {
  /** Whether the customer is a person or a business. */
  readonly type: "individual" | "business"
  /** The name of the person or business. Example: `Ada Obi`. */
  readonly name: string
  /** The email address of the customer. Example: `ada@example.com`. */
  readonly email: string
  /** The country of the customer, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
  /** Your own name for it. It need not be unique. Example: `crm-88121`. */
  readonly merchant_reference?: string | null | undefined
  readonly profile?: ProfileInput | null | undefined
}

export interface CreateDepositAddress extends WithMetadata {
  /** The network of the address: one of the wallet's currency. Example: `base`. */
  readonly network: Network
  /** If given, it must be the wallet's currency. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** A name for people. Example: `treasury`. */
  readonly label?: string | null | undefined
}

export interface CreateExternalAccount extends Noted {
  /** The provider whose `world` account it mirrors, in its currency. Example: `simulated`. */
  readonly provider: string
  /** The currency of the account. Example: `EUR`. */
  readonly currency: string
  /** What it is. `bank`: an account of a bank. `chain`: an address on a network. */
  readonly kind: "bank" | "chain"
  /**
   * What statements call the account: 1 to 20. A bank's account takes `iban`, `bban` and `account_number`, a chain's
   * `address`.
   */
  readonly identifiers: ReadonlyArray<CreatePlaceIdentifier>
  /** What was in the account before Corridor counted. */
  readonly opening: CreateOpeningBalance
  /** The time zone of its days, of the IANA database. Example: `Europe/Berlin`. */
  readonly time_zone: string
  /** What goes through it. Default: both. */
  readonly uses?: ReadonlyArray<"payouts" | "payins"> | null | undefined
}

export interface CreateFeeSchedule extends Noted {
  /** The merchant whose quotes it prices. Default: every one. Example: `mer_…`. */
  readonly merchant_id?: string | null | undefined
  /** The operation that it prices. A deposit that is converted on arrival is priced as a `conversion`. */
  readonly operation: "offramp" | "onramp" | "conversion"
  /** The source currency that it prices. Default: every one. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** The destination currency that it prices. Default: every one. Example: `NGN`. */
  readonly destination_currency?: string | null | undefined
  /** What is added to the share, in the source currency. Default: 0. Example: `0.50`. */
  readonly fixed?: string | null | undefined
  /** The share of the source amount, in hundredths of a percent: below 10000. Default: 0. Example: `40`. */
  readonly bps?: number | string | null | undefined
  /** The least fee, in the source currency. Default: none. Example: `1.00`. */
  readonly min?: string | null | undefined
  /** The greatest fee, in the source currency. Default: none. Example: `250.00`. */
  readonly max?: string | null | undefined
  /**
   * Up to 20 other fees, by the merchant's volume of the operation and the source currency in the calendar month (UTC)
   * before the quote, ascending by `above`.
   */
  readonly tiers?: ReadonlyArray<CreateFeeTier> | null | undefined
  /**
   * When it begins to apply, a date (its first millisecond, UTC) or an instant. Default: now. Example: `2026-02-01`.
   */
  readonly valid_from?: string | null | undefined
}

export interface CreateFeeTier {
  /** The volume of the month from which on the tier applies. Example: `100000.00`. */
  readonly above: string
  /** What is added to the share, in the source currency. Default: 0. Example: `0.50`. */
  readonly fixed?: string | null | undefined
  /** The share of the source amount, in hundredths of a percent: below 10000. Default: 0. Example: `40`. */
  readonly bps?: number | string | null | undefined
}

export interface CreateLimit extends LimitTerms {
  /**
   * Whose acts count together. `platform`: all of them. `merchant`: those of a merchant. `customer`: those of a
   * customer. `wallet`: those that take money from a wallet, or bring it there. `beneficiary`: those that pay a
   * beneficiary. `api_key`: those made with an API key.
   */
  readonly scope: "platform" | "merchant" | "customer" | "wallet" | "beneficiary" | "api_key"
  /** What it is of: an id of the scope. Default: each has the maximum to itself. Example: `cust_…`. */
  readonly id?: string | null | undefined
  /**
   * What it is of: an id of the scope. Default: each has the maximum to itself. The same as `id`. Example: `cust_…`.
   */
  readonly scope_id?: string | null | undefined
  /**
   * Replaces the limit of this tier on deposits. It takes the scope `customer` and the operation `deposit`. By default
   * `tier_0` can receive deposits of 1,000 USD in all, `tier_1` of 50,000 USD, `tier_2` without a limit.
   */
  readonly tier?: "tier_0" | "tier_1" | "tier_2" | null | undefined
  /**
   * The acts that count, one or more. `payout`: transfers and offramps. `batch`: its confirmation, with the sum of its
   * rows. `deposit` is of a `tier` alone. The other words count acts of operators and of keys: those that move no money
   * have no amount, so that `max_amount` counts none of them.
   */
  readonly operations: ReadonlyArray<"transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release" | "deposit">
  /** The currency of `max_amount`, which requires it. Example: `USDC`. */
  readonly currency?: string | null | undefined
  /** The most that may move in the window, in `currency`. Example: `10000.00`. */
  readonly max_amount?: string | null | undefined
  /** The most acts in the window. A `movement` has none. Example: `20`. */
  readonly max_count?: number | null | undefined
  /**
   * What counts together: `movement`, each act alone; the time before the act; or a part of the calendar. `total`, all
   * time, belongs to a `tier` alone.
   */
  readonly window: "movement" | "total" | CreateWindow
  /** Whether it applies. Default: `active`. */
  readonly status?: "active" | "disabled" | null | undefined
}

export interface CreateMerchant extends Noted {
  /** The name of the merchant. Example: `Lagos Trading`. */
  readonly name: string
  /** The country of the merchant, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
  /** Whether the merchant can call. Default: `pending`, its keys are rejected. */
  readonly status?: "pending" | "active" | "suspended" | null | undefined
}

export interface CreateMerchantApiKey extends Noted {
  /**
   * What the key may do. `viewer`: read. `approver`: read, and approve or decline what others have made. `developer`:
   * everything, except webhook secrets, revoking other keys, and keys above its own role. `admin`: everything.
   */
  readonly role: "viewer" | "approver" | "developer" | "admin"
  /** A name for people. Example: `checkout service`. */
  readonly label?: string | null | undefined
  /**
   * The person who calls with the key, for example by email, and no id: nothing that begins with `key_` or `opr_`.
   * Default: the person of the key that makes it, or the operator who makes it. Only an admin names another. Example:
   * `ada@example.com`.
   */
  readonly person?: string | null | undefined
}

export interface CreateOfframp extends WithMetadata, WithReference {
  /** The quote to execute: active, and of this operation. Example: `quo_…`. */
  readonly quote_id: string
  /** If given, it must be the quote's source currency. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** If given, it must be the quote's destination currency. Example: `NGN`. */
  readonly destination_currency?: string | null | undefined
  /** The text that the recipient's bank shows. Example: `Invoice 77`. */
  readonly narration?: string | null | undefined
  /** The sender that the provider is given as the originator. Default: the customer of the wallet. Example: `snd_…`. */
  readonly sender_id?: string | null | undefined
  /**
   * Whether a temporarily unavailable route is tried again, for up to 24 hours. Default: false, it fails at once.
   * Example: `true`.
   */
  readonly retry_on_failure?: boolean | null | undefined
}

export interface CreateOfframpQuote extends QuotedAmount {
  /**
   * The crypto wallet to debit. `wallet_id` and `source_wallet_id` are names of one member; one of them is required.
   * Example: `wal_…`.
   */
  readonly wallet_id?: string | null | undefined
  /**
   * The recipient: an active fiat beneficiary of the wallet's customer or of the default customer. Example: `ben_…`.
   */
  readonly beneficiary_id: string
  /** The sender that the provider is given as the originator. Default: the customer of the wallet. Example: `snd_…`. */
  readonly sender_id?: string | null | undefined
  /**
   * The crypto wallet to debit. `wallet_id` and `source_wallet_id` are names of one member; one of them is required.
   * Example: `wal_…`.
   */
  readonly source_wallet_id?: string | null | undefined
}

export interface CreateOnramp extends WithMetadata, WithReference {
  /** The quote to execute: active, and of this operation. Example: `quo_…`. */
  readonly quote_id: string
  /** If given, it must be the quote's source currency. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** If given, it must be the quote's destination currency. Example: `NGN`. */
  readonly destination_currency?: string | null | undefined
}

export interface CreateOnrampQuote extends QuotedAmount {
  /**
   * The crypto wallet to credit. `wallet_id` and `destination_wallet_id` are names of one member; one of them is
   * required. Example: `wal_…`.
   */
  readonly wallet_id?: string | null | undefined
  /** The currency that the payer pays in. Example: `NGN`. */
  readonly source_currency: string
  /** The country of the source currency, where its code alone is ambiguous. Example: `SN`. */
  readonly country_code?: string | null | undefined
  /**
   * The crypto wallet to credit. `wallet_id` and `destination_wallet_id` are names of one member; one of them is
   * required. Example: `wal_…`.
   */
  readonly destination_wallet_id?: string | null | undefined
}

export interface CreateOpeningBalance {
  /** The first day of the account in these books. Example: `2026-01-01`. */
  readonly date: string
  /** What was in the account when that day began. It may be below zero. Example: `25000.00`. */
  readonly balance: string
}

export interface CreateOperator extends Noted {
  /** The name of the operator. Example: `Ada Obi`. */
  readonly name: string
  /** The email address of the operator. Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  /**
   * The role of the operator. `viewer`: reads. `support`: reviews and freezes as well. `treasury`: acts on money as
   * well: deposits, exceptions, pauses. `admin`: everything: merchants, their keys, operators.
   */
  readonly role: "viewer" | "support" | "treasury" | "admin"
}

export interface CreatePlaceIdentifier {
  /**
   * How `value` is written. `iban`: ISO 13616. `bban`: the national number with the codes of bank and branch.
   * `account_number`: the number alone. `address`: an address on `network`.
   */
  readonly scheme: "iban" | "bban" | "account_number" | "address"
  /** What statements call the account. Example: `DE89370400440532013000`. */
  readonly value: string
  /** Of an `address`: its network. Example: `base`. */
  readonly network?: Network | null | undefined
}

export type CreateQuote = (CreateOnrampQuote & {
  /** `onramp`: fiat to a wallet. */
  readonly operation: "onramp"
}) | (CreateConversionQuote & {
  /** `conversion`: a wallet to another wallet. */
  readonly operation: "conversion"
}) | (CreateOfframpQuote & {
  /** `offramp`, the default: a wallet to a bank account. */
  readonly operation?: "offramp" | null | undefined
})

export interface CreateSender extends WithMetadata {
  /** Whether the sender is a person or a business. */
  readonly type: "individual" | "business"
  /** The name of the person or business. Example: `Amara Okafor`. */
  readonly name: string
  /** The customer that it belongs to. Default: the default customer, your own business. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** The email address of the sender. Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  /** The country of the sender, ISO 3166-1 alpha-2. Example: `GB`. */
  readonly country_code: string
  readonly address?: AddressInput | null | undefined
  /** The date of birth as MM/DD/YYYY, in the past. Example: `01/31/1990`. */
  readonly date_of_birth?: string | null | undefined
  /** The number of the identity document. Responses show its last four characters. Example: `A01234567`. */
  readonly id_number?: string | null | undefined
  /** The type of the identity document. */
  readonly id_type?: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | null | undefined
  /** Your own name for it. It need not be unique. Example: `crm-88121`. */
  readonly merchant_reference?: string | null | undefined
}

export interface CreateStatementMapping extends Noted {
  /** A name for people. Example: `Euro account, online export`. */
  readonly name: string
  /** The external account whose files it reads. Example: `xac_…`. */
  readonly external_account_id: string
  /** Where the members of a line stand. */
  readonly columns: MappedColumns
  /** What stands between columns. Example: `;`. */
  readonly separator: "," | ";" | "\t" | "|"
  /** What stands before the decimals. Example: `,`. */
  readonly decimal: "." | ","
  /** The order of year, month and day. Example: `dmy`. */
  readonly dates: "ymd" | "dmy" | "mdy"
  /** The encoding. Default: that of its byte order mark, else `utf-8`. */
  readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | null | undefined
  /**
   * What stands between groups of digits; either apostrophe stands for both. Default: nothing, or a space. Example:
   * `.`.
   */
  readonly thousands?: "," | "." | " " | "'" | "’" | null | undefined
  /** Whether a row names the columns. Default: `true`. Example: `true`. */
  readonly header?: boolean | null | undefined
  /** The texts of the column `direction`. */
  readonly words?: MappedWords | null | undefined
  /** Whether the column `debit` has a minus sign. Default: `positive`. */
  readonly debits?: "positive" | "negative" | null | undefined
  /** Rows that are no bookings, such as totals. */
  readonly ignore?: ReadonlyArray<MappedRows> | null | undefined
  /** Rows that are not booked yet. Default: those without a date. */
  readonly pending?: ReadonlyArray<MappedRows> | null | undefined
  /** The row that has the opening balance. */
  readonly opening?: MappedRows | null | undefined
  /** The row that has the closing balance. */
  readonly closing?: MappedRows | null | undefined
}

export interface CreateTransfer extends WithMetadata, WithReference {
  /** The wallet to debit. Example: `wal_…`. */
  readonly wallet_id: string
  /** The recipient: an active crypto beneficiary in the wallet's currency and on its network. Example: `ben_…`. */
  readonly beneficiary_id: string
  /** The sender that the provider is given as the originator. Default: the customer of the wallet. Example: `snd_…`. */
  readonly sender_id?: string | null | undefined
  /**
   * What the recipient receives, in the wallet's currency, with at most as many decimals as it settles. A transfer has
   * no fee. Example: `25.00`.
   */
  readonly amount: string
  /** If given, it must be the wallet's currency. Example: `USDC`. */
  readonly source_currency?: string | null | undefined
  /** If given, it must be the beneficiary's currency. Example: `USDC`. */
  readonly destination_currency?: string | null | undefined
  /**
   * Whether a temporarily unavailable route is tried again, for up to 24 hours. Default: false, it fails at once.
   * Example: `true`.
   */
  readonly retry_on_failure?: boolean | null | undefined
}

export interface CreateVerification {
  /** The tier to verify for: `tier_1` or `tier_2`. Default: the one above the customer's current tier. */
  readonly tier?: "tier_1" | "tier_2" | null | undefined
  /** An https URL that the page sends the customer to at the end. Example: `https://example.com/verified`. */
  readonly redirect_url?: string | null | undefined
}

export interface CreateWallet extends WithMetadata {
  /** The currency of the wallet. Example: `USDC`. */
  readonly currency: string
  /** The country of the currency, where its code alone is ambiguous. Example: `SN`. */
  readonly country_code?: string | null | undefined
  /**
   * The network that transfers are paid on. It cannot be changed. Default: the network of the newest active credential
   * in the wallet's currency, or else `solana`; `bank` for fiat. Example: `base`.
   */
  readonly network?: Network | null | undefined
  /** The customer that it belongs to. Default: the default customer, your own business. Example: `cust_…`. */
  readonly customer_id?: string | null | undefined
  /** A name for people. Example: `treasury`. */
  readonly label?: string | null | undefined
}

export interface CreateWalletCredential extends WithMetadata {
  /** What it takes. `fiat`: bank transfers. `crypto`: payments on a network. */
  readonly type: "crypto" | "fiat"
  /** The network of the currency: `bank` for fiat. Example: `bank`. */
  readonly network: Network
  /**
   * The currency that it takes. Default: the wallet's. If it differs, each deposit is converted; one of the two is then
   * fiat and the other crypto. Example: `NGN`.
   */
  readonly currency?: string | null | undefined
  /** The country of the currency, where its code alone is ambiguous. Example: `SN`. */
  readonly country_code?: string | null | undefined
  /** A name for people. Example: `treasury`. */
  readonly label?: string | null | undefined
}

export interface CreateWebhookEndpoint {
  /**
   * Where to post events: https with a public host. The test environment also accepts http and loopback. Example:
   * `https://example.com/webhooks`.
   */
  readonly url: string
  /** A note for people. Example: `payouts service`. */
  readonly description?: string | null | undefined
  /** The categories whose events it receives, all events of each. Default: all. */
  readonly categories?: ReadonlyArray<"onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc"> | null | undefined
}

/** `rolling`, or `calendar` and `time_zone`. */
export interface CreateWindow {
  /** The length of the time before the act: an ISO 8601 duration from `PT1M` to `P366D`. Example: `PT24H`. */
  readonly rolling?: string | null | undefined
  /** The part of the calendar. A week begins on Monday. */
  readonly calendar?: "day" | "week" | "month" | null | undefined
  /** The time zone of the calendar, of the IANA database. Example: `Africa/Lagos`. */
  readonly time_zone?: string | null | undefined
}

/** A deposit that the operator made. */
export interface CreditedDeposit {
  /** The merchant of the wallet. Example: `mer_…`. */
  readonly merchant_id: string
  /** The wallet that is credited. Example: `wal_…`. */
  readonly wallet_id: string
  /** The deposit's transaction. Example: `txn_…`. */
  readonly transaction_id: string
}

/** A crypto address to pay to. */
export interface CryptoCredentialDetails {
  /** The network of the address: `base`, `ethereum` or `solana`. Example: `base`. */
  readonly network: Network
  /** The address to pay to. Null until it is issued. Example: `0x52908400098527886E0F7030069857D2E4169EE7`. */
  readonly address: string | null
}

/** A crypto address. */
export interface CryptoDetails {
  /** The network of the address: `base`, `ethereum` or `solana`. Example: `base`. */
  readonly network: Network
  /** The address on the network. Example: `0x52908400098527886E0F7030069857D2E4169EE7`. */
  readonly address: string
  /** The memo that the recipient requires. Null if there is none. Example: `104277`. */
  readonly memo: string | null
}

/** A currency, and what can be done with it. */
export interface Currency {
  /** The id of the currency. It never changes. Example: `cur_…`. */
  readonly id: string
  /** The code. Currencies of different countries can share one, such as XOF. Example: `USDC`. */
  readonly code: string
  /** The country of the currency. Null for crypto and for EUR. Example: `NG`. */
  readonly country_code: string | null
  /** The name of the currency. Example: `USD Coin`. */
  readonly name: string
  /** Whether it is fiat or crypto. */
  readonly type: "fiat" | "crypto"
  /** The decimal places that payments settle: amounts that you send have at most as many. Example: `2`. */
  readonly decimals: number
  /** The decimal places of balances and deposits: amounts that you receive have at most as many. Example: `6`. */
  readonly ledger_scale: number
  /** The networks that it moves on: `bank` for fiat. */
  readonly networks: ReadonlyArray<Network>
  /** Whether wallets in it can receive deposits. Example: `true`. */
  readonly can_deposit: boolean
  /** Whether onramps can be paid in it (fiat) or paid out in it (crypto). Example: `true`. */
  readonly can_onramp: boolean
  /** Whether offramps can pay it out (fiat) or be made from it (crypto). Example: `true`. */
  readonly can_offramp: boolean
  /** Whether it can be converted. Example: `true`. */
  readonly can_convert: boolean
  /** Whether transfers can pay it out. Example: `true`. */
  readonly can_transfer: boolean
  /** Whether a merchant needs a grant to use it. Example: `false`. */
  readonly requires_access: boolean
  /** Whether the caller can use it. Example: `true`. */
  readonly access_granted: boolean
  /** With `customer_id`: the capabilities that the customer cannot use, and why. Absent if there are none. */
  readonly customer_restrictions?: ReadonlyArray<CustomerRestriction>
}

/** The sums of a currency. */
export interface CurrencyBalance {
  /** The currency. Example: `USDC`. */
  readonly currency: string
  /** The sum of all debits. Example: `184250.00`. */
  readonly debits: string
  /** The sum of all credits. Example: `184250.00`. */
  readonly credits: string
  /** Debits less credits: zero. Example: `0.00`. */
  readonly difference: string
}

/** A person or business for whom the merchant moves money. */
export interface Customer extends Dated {
  /** The id of the customer. Example: `cust_…`. */
  readonly id: string
  /** Whether the customer is a person or a business. */
  readonly type: "individual" | "business"
  /** The name of the person or business. Example: `Ada Obi`. */
  readonly name: string
  /** The email address of the customer. Example: `ada@example.com`. */
  readonly email: string
  /** Your own name for it. Null if you sent none. Example: `crm-88121`. */
  readonly merchant_reference: string | null
  /** The country of the customer, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
  /**
   * The verified tier. It limits the customer's deposits. By default `tier_0` can receive deposits of 1,000 USD in all,
   * `tier_1` of 50,000 USD, `tier_2` without a limit.
   */
  readonly tier: "tier_0" | "tier_1" | "tier_2"
  /**
   * Where the identity verification stands. `pending`: a link was created and is not opened yet. `in_progress`: the
   * customer opened the link, or the submission is under review. `approved`: verified; it stays so while a higher tier
   * is being verified. `expired`: the link expired before it was used.
   */
  readonly kyc_status: "not_started" | "pending" | "in_progress" | "approved" | "rejected" | "expired"
  /**
   * Whether it is the merchant's own business, to which wallets and beneficiaries belong by default. Example: `false`.
   */
  readonly is_default: boolean
  /** Your own data, as you sent it. Empty if you sent none. */
  readonly metadata: { readonly [member: string]: string }
  readonly profile: Profile
}

/** A capability that the customer cannot use. */
export interface CustomerRestriction {
  /** The flag of the currency that is false for the customer. Example: `can_deposit`. */
  readonly capability: string
  /** Why. `customer_kyc_not_approved`: the customer's verification is not approved. */
  readonly reason: "customer_kyc_not_approved"
  readonly next_steps: RestrictionNextSteps
}

/** The customer, as of the creation of what shows it. */
export interface CustomerSummary extends Dated {
  /** The id of the customer. Example: `cust_…`. */
  readonly id: string
  /** `individual` or `business`. Example: `individual`. */
  readonly type: string
  /** The name of the person or business. Example: `Ada Obi`. */
  readonly name: string
  /** The email address of the customer. Example: `ada@example.com`. */
  readonly email: string
  /** The verified tier: `tier_0`, `tier_1` or `tier_2`. Example: `tier_1`. */
  readonly tier: string
}

export interface DecideApproval {
  /** Why. The approval and the audit log show it. Example: `checked by phone`. */
  readonly note?: string | null | undefined
}

export interface DeclineApproval {
  /** Why. The approval and the audit log show it. Example: `Unknown recipient`. */
  readonly note: string
}

/** What was deleted, disabled or revoked. */
export interface Deleted {
  /** The id of what was deleted, disabled or revoked. Example: `whe_…`. */
  readonly id: string
  /** `true`. `false` while it waits for approval: see `meta.approval`. Example: `true`. */
  readonly success: boolean
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  /** When it was made. Example: `2026-01-31T09:30:05.000Z`. */
  readonly at: string
  /** The HTTP status of the response. Null without a response. Example: `200`. */
  readonly response_status: number | null
  /** Why it failed, in words. Null if it succeeded. Example: `timeout after 15000 ms`. */
  readonly error: string | null
  /** How long it took, in milliseconds. Example: `84`. */
  readonly duration_ms: number
  /**
   * What was sent beside the body, without the signature. The body is the event as `GET /v1/notifications/events/{id}`
   * returns it. Null when nothing was sent.
   */
  readonly request: SentRequest | null
  /** The start of the response as text, at most 1024 bytes. Null without a response. Example: `ok`. */
  readonly response_body: string | null
}

/** An address whose deposits are credited to a wallet. */
export interface DepositAddress extends Dated {
  /** The id of the deposit address. Example: `da_…`. */
  readonly id: string
  readonly type: "crypto"
  /** The currency of the wallet. Other tokens that are sent to the address are not credited. Example: `USDC`. */
  readonly currency: string
  /** The wallet that is credited. */
  readonly wallet: WalletSummary
  /** Your own data, as you sent it. Empty if you sent none. */
  readonly metadata: { readonly [member: string]: string }
  readonly details: DepositAddressDetails
  /**
   * Whether it can receive. `pending`: the provider has not issued it yet. `active`: deposits to it are credited.
   * `frozen`: the operator withholds its deposits: they are held. `disabled`: closed for ever: what still arrives is
   * held.
   */
  readonly status: "pending" | "active" | "frozen" | "disabled"
  /** The reason that was given when it was disabled. Null otherwise. Example: `Rotated`. */
  readonly disabled_reason: string | null
  /** The provider's own id of it. Null until it is issued. Example: `cdw_…`. */
  readonly provider_resource_id: string | null
  /** A name for people. Null if you sent none. Example: `treasury`. */
  readonly label: string | null
}

/** What the payer needs. */
export interface DepositAddressDetails {
  /** The network of the address: `base`, `ethereum` or `solana`. Example: `base`. */
  readonly network: Network
  /**
   * The address that the payer pays to. Null until it is issued. Example: `0x52908400098527886E0F7030069857D2E4169EE7`.
   */
  readonly address: string | null
}

/** An event of a deposit. */
export interface DepositEvent extends Omit<Event, "event_object"> {
  /** What happened. */
  readonly event_type: "deposit.received" | "deposit.held" | "deposit.confirmed" | "deposit.failed"
  readonly event_category: "deposit"
  /** The id of the deposit. Example: `txn_…`. */
  readonly event_object_id: string
  /** The status of the deposit at the event. */
  readonly event_object_status: "received" | "held" | "confirmed" | "failed"
  readonly event_object: DepositEventObject
}

/**
 * The transaction of the deposit, as of the event. Its `status` is the transaction's; `event_object_status` is the
 * deposit's.
 */
export interface DepositEventObject extends Transaction {
  /** When the deposit was observed. Example: `2026-01-31T09:30:00.000Z`. */
  readonly deposit_timestamp: string
  /** The wallet that is credited. Only if the deposit is in another currency. */
  readonly wallet?: WalletSummary
  /** The customer of the wallet. Only if the deposit is in another currency. */
  readonly customer?: CustomerSummary
  /** The credential that was paid to. Only if the deposit is in another currency. */
  readonly credential?: FundedCredential
}

/** The account that the payer sends the money to. */
export interface DepositInstruction {
  /** The version of this shape. */
  readonly version: 1
  /** `fiat`: a bank transfer. */
  readonly type: "fiat"
  /** The holder of the account to pay to. Example: `Corridor Collections`. */
  readonly accountName: string
  /** The number of the account to pay to. Example: `9918273645`. */
  readonly accountNumber: string
  /** The bank of the account. Example: `Zenith Bank`. */
  readonly bankName: string
  /** The bank's code in its country. Example: `057`. */
  readonly bankCode: string
  /** Until when the money has to arrive: `rate_locked_until` of the onramp. Example: `2026-01-31T10:00:00.000Z`. */
  readonly expiresAt: string
  /** The payer must include it in the narration of the bank transfer. Example: `CRD7K2M9QX`. */
  readonly depositReference: string
  /**
   * The instruction as a sentence, for the payer. Example:
   * `Transfer 150000.00 NGN with CRD7K2M9QX in the narration. The money must arrive before 2026-01-31T10:00:00.000Z.`.
   */
  readonly message: string
}

/**
 * fiat: country_code, network (bank), account_number, provider_id or provider (not with rail payshap, nor needed with
 * an IBAN), account_name?, rail?, holder_document?. crypto: network, address, memo?.
 */
export interface DetailsInput {
  /** fiat: the country of the account, ISO 3166-1 alpha-2. Required. Example: `NG`. */
  readonly country_code?: string | null | undefined
  /** Required. fiat: `bank`. crypto: a network of the currency. Example: `bank`. */
  readonly network?: Network | null | undefined
  /**
   * fiat: the account number. Of EUR, the IBAN of the account, however it is spaced. With `rail` `payshap`, the
   * recipient's mobile number in E.164 form, or name@bank. Required. Example: `0123456789`.
   */
  readonly account_number?: string | null | undefined
  /**
   * The id of the bank, from `GET /v1/providers`. Required for a bank account without an IBAN, and ignored with `rail`
   * `payshap`. Example: `prov_…`.
   */
  readonly provider_id?: string | null | undefined
  /** The bank as responses show it, or its id: another way to send `provider_id`. */
  readonly provider?: string | BankInput | null | undefined
  /** fiat: the name of the account holder. Default: as the bank resolves it. Example: `ADA OBI`. */
  readonly account_name?: string | null | undefined
  /** fiat: how the money reaches the account. `payshap` is for ZAR in ZA. Default: the country's default. */
  readonly rail?: "payshap" | null | undefined
  /** crypto: the address on the network. Required. Example: `0x52908400098527886E0F7030069857D2E4169EE7`. */
  readonly address?: string | null | undefined
  /**
   * fiat: the identity document of the account's holder, where the bank asks for one to say whose the account is (ZA).
   * It is sent to the provider and not stored.
   */
  readonly holder_document?: HolderDocumentInput | null | undefined
  /**
   * crypto: the memo that the recipient requires. Paid by Corridor's own wallets it has at most 724 bytes in UTF-8 on
   * Solana, and there is none on `base` and `ethereum`. Example: `104277`.
   */
  readonly memo?: string | null | undefined
}

export interface DisableDepositAddress {
  /** Why. The address shows it as `disabled_reason`. Example: `Rotated`. */
  readonly reason?: string | null | undefined
}

/** What the call would do. It was decided and not committed: nothing of it was written. */
export interface DryRun {
  /** The postings that the call would make. */
  readonly postings: ReadonlyArray<DryRunPosting>
  /** The events that the call would publish. */
  readonly events: ReadonlyArray<DryRunEvent>
  /** The way that the movement would take. Null for a call that creates none. */
  readonly route: DryRunRoute | null
  /** The limits that the call counts towards. */
  readonly limits: ReadonlyArray<DryRunLimit>
  /** The approval that the call would wait for. Null: none. */
  readonly approval: DryRunApproval | null
  /** What no provider was asked because it has an effect. What depends on the answer is a stand-in. */
  readonly not_asked: ReadonlyArray<DryRunNotAsked>
}

/** The approval that the call would wait for. */
export interface DryRunApproval {
  /** What waits for approval, in the word of the rule. Example: `payout`. */
  readonly operation: string
  /** The number of people who have to approve. Example: `1`. */
  readonly needed: number
}

/** An event that the call would publish. */
export interface DryRunEvent {
  /** The type of the event. Example: `transfer.processing`. */
  readonly type: string
  /** The resource that would publish it. Example: `tfr_…`. */
  readonly resource_id: string
}

/** A limit that the call counts towards. */
export interface DryRunLimit {
  /** The limit. Example: `lim_…`. */
  readonly limit_id: string
  /** What happens above it: `refuse` or `approve`. Example: `refuse`. */
  readonly action: string
  /** The most that it lets through: an amount, or a number of movements. Example: `1000.00`. */
  readonly max: string
  /** What is used of it, this call included. Example: `25.00`. */
  readonly used: string
  /** When what is used begins anew. Null: it never does. Example: `2026-02-01T00:00:00.000Z`. */
  readonly resets_at: string | null
}

/** What a provider was not asked because it has an effect. */
export interface DryRunNotAsked {
  /** The provider. Null for a merchant. Example: `simulated`. */
  readonly provider: string | null
  /** What it was not asked, as the timeline names it. Example: `instruct`. */
  readonly operation: string
}

/** A posting that the call would make. */
export interface DryRunPosting {
  /** The resource that would make the posting. Example: `tfr_…`. */
  readonly resource_id: string
  /** The account that would be debited. Example: `available:wal_…`. */
  readonly debit: string
  /**
   * The account that would be credited. `platform` stands for every account of the platform, for a merchant. Example:
   * `reserved:wal_…`.
   */
  readonly credit: string
  /** The amount, in `currency`. Example: `25.00`. */
  readonly amount: string
  /** The currency of the posting. Example: `USDC`. */
  readonly currency: string
}

/** The way that a movement would take. */
export interface DryRunRoute {
  /** The provider that the movement would go to first. Null for a merchant. Example: `simulated`. */
  readonly provider: string | null
  /** The providers that would follow if it is unavailable, in order. Empty for a merchant. */
  readonly fallbacks: ReadonlyArray<string>
  /** The currency of what is paid from. Example: `USDC`. */
  readonly source_currency: string
  /** The currency of what is paid out. Example: `NGN`. */
  readonly destination_currency: string
  /** The network that the payout would take, `bank` for fiat. Null without a payout. Example: `base`. */
  readonly network: Network | null
}

export interface EndFeeSchedule extends Noted {
  /** `ended`: it prices no further quote. */
  readonly status: "ended"
}

/** An event as it was sent. The webhooks of this document have one schema for each type. */
export interface Event {
  /**
   * The id of the event. It is the same in every delivery of it: use it to handle each event once. Example: `evt_…`.
   */
  readonly event_id: string
  /** What happened: a type of the webhooks of this document, or `ping`. Example: `offramp.success`. */
  readonly event_type: string
  /**
   * What endpoints subscribe to: `onramp`, `offramp`, `conversion`, `transfer`, `deposit`, `kyc`; `ping` for a test
   * event. Example: `offramp`.
   */
  readonly event_category: string
  /** The public id of the merchant's integration, from `GET /v1/me`. Example: `int_…`. */
  readonly event_developer_id: string
  /** The version of this envelope. */
  readonly api_version: "v1"
  /** When it happened. It is the same in every delivery. Example: `2026-01-31T09:30:04.000Z`. */
  readonly event_created_at: string
  /** The id of the resource that it happened to. Example: `ofr_…`. */
  readonly event_object_id: string
  /** The status of the resource at the event. Example: `success`. */
  readonly event_object_status: string
  /** What the event changed. Null if the status is the same as before. */
  readonly event_object_changes: EventChanges | null
  /** 1, 2, 3 … for each resource. Ignore an event that is older than what you know of its resource. Example: `4`. */
  readonly event_sequence: number
  /** The resource as of the event. Its shape follows from `event_type`: see the webhook of that name. */
  readonly event_object: { readonly [member: string]: unknown }
}

/** What the event changed. */
export interface EventChanges {
  /** The status before, and the new status. The first is null for the first event of a resource. */
  readonly status: readonly [string | null, string]
}

/** The counted deliveries of one event type. */
export interface EventTypeHealth {
  /** The type of the events. Example: `offramp.success`. */
  readonly event_type: string
  /** How many attempts were made. Example: `112`. */
  readonly attempts: number
  /** How many were acknowledged. Example: `88`. */
  readonly delivered: number
  /** How many failed and are not tried again. Example: `8`. */
  readonly failed: number
  /** How many are tried, or tried again. Example: `4`. */
  readonly pending: number
}

/** An event of a provider that an operator has to decide on. */
export interface Exception extends Dated {
  /** The id of the exception. Example: `exc_…`. */
  readonly id: string
  /** The merchant that it concerns, or the platform. Example: `mer_…`. */
  readonly merchant_id: string
  /** The resource that it concerns. Null if none is known. Example: `tfr_…`. */
  readonly resource_id: string | null
  /** The kind of the resource. Null if none is known. Example: `transfer`. */
  readonly resource_kind: string | null
  /** Whether an operator still has to act. */
  readonly status: "open" | "resolved"
  /** Why it is an exception, in one word. Example: `contradicts_state`. */
  readonly reason: string
  /** The provider that reported the event. Example: `simulated`. */
  readonly provider: string
  /** The event that could not be applied, as the provider reported it. */
  readonly provider_event: unknown
  /** What was recorded before and is contradicted. Null if nothing was. */
  readonly recorded: unknown
  /**
   * What could not be taken: the member, what was found in it, and what is taken. Of a recall: that the pay-in was
   * confirmed again. Null where the reason says it all. Example:
   * `amount: found 100; a decimal string such as 100.25 is taken`.
   */
  readonly detail: string | null
  /**
   * How urgent it is. `high`: money may have left twice or be missing, or a customer was told a success that was none.
   */
  readonly severity: "low" | "high"
  /** What the platform may lose. Null if nothing. */
  readonly exposure: Exposure | null
  /**
   * The money that came, in `currency`: it is in suspense until the exception is resolved. Null if none came. Example:
   * `25.00`.
   */
  readonly amount: string | null
  /** The currency of `amount`. Null if none came. Example: `USDC`. */
  readonly currency: string | null
  /** The parts of the return that came after its first report. Their sum is no longer missing. */
  readonly parts: ReadonlyArray<ReturnedPart>
  /** The actions that are taken now: what its money allows, and `apply` while its resource accepts the event. */
  readonly actions: ReadonlyArray<"refund" | "credit" | "apply" | "dismiss">
  /**
   * Another one once it says something else, or of other money. `If-Match` of a resolution takes it. Example:
   * `v5d41402abc4b2a76`.
   */
  readonly version: string
  /** How it was resolved. Null while it is open. */
  readonly action: "refund" | "credit" | "apply" | "dismiss" | "adjust" | null
  /** The adjusting entry that it ended with. Null for another end. Example: `adj_…`. */
  readonly adjusting_entry_id: string | null
  /**
   * The deposit that a credit made, or will make when the wallet belongs to another merchant. Null without a credit.
   */
  readonly credited: CreditedDeposit | null
  /** The operator's note. Null while it is open. Example: `Refunded at the bank's request`. */
  readonly note: string | null
  /** When it was resolved. Null while it is open. Example: `2026-02-02T11:00:00.000Z`. */
  readonly resolved_at: string | null
}

/** Why a resource failed or waits, where its money is, and what to do next. */
export interface Explanation {
  /** Why it failed, was returned, is held or was recorded, in one word. Null if none of these. Example: `failed`. */
  readonly reason: string | null
  /**
   * The reason in a sentence. Null without a reason. Example:
   * `The provider could not complete the payout. The full source amount was returned to the wallet.`.
   */
  readonly message: string | null
  /** The reason in the provider's own words. Null without one, and for a merchant. Example: `account closed`. */
  readonly provider_reason: string | null
  /**
   * Where the money of the resource is, by its postings and those of what took it over. For a merchant, only the
   * accounts of its wallets.
   */
  readonly money: ReadonlyArray<MoneyPlace>
  /**
   * What to do next. Null when nothing is left to do. Example:
   * `Check the details of the recipient, then start a new one.`.
   */
  readonly next_step: string | null
}

/** What the platform may lose. */
export interface Exposure {
  /** What the platform may lose, in `currency`. Example: `98.90`. */
  readonly amount: string
  /** The currency of the exposure. Example: `USDC`. */
  readonly currency: string
}

/** A place where money really is: at a bank, or on a chain. */
export interface ExternalAccount extends Dated {
  /** The id of the external account. Example: `xac_…`. */
  readonly id: string
  /** The provider whose `world` account it mirrors, in its currency. Example: `simulated`. */
  readonly provider: string
  /** The currency of the account. Example: `EUR`. */
  readonly currency: string
  /** What it is. `bank`: an account of a bank. `chain`: an address on a network. */
  readonly kind: "bank" | "chain"
  /** What statements call the account. */
  readonly identifiers: ReadonlyArray<PlaceIdentifier>
  readonly opening: OpeningBalance
  /** The time zone of its days, of the IANA database. Example: `Europe/Berlin`. */
  readonly time_zone: string
  /** What goes through it. */
  readonly uses: ReadonlyArray<"payouts" | "payins">
  /** Whether it is in use. `active`: it is. `closed`: it is not; its statements stay. */
  readonly status: "active" | "closed"
}

/** What is charged. The fees are already deducted from the amounts that the recipient receives. */
export interface Fee {
  /** The single fees. Empty if nothing is charged. */
  readonly line_items: ReadonlyArray<FeeLineItem>
}

/** One fee. */
export interface FeeLineItem {
  /**
   * `gateway`: Corridor's share of the source amount, deducted before the exchange. `network`: the cost of the payout,
   * deducted from `destination_amount`. Example: `gateway`.
   */
  readonly name: string
  /** The fee, in `currency`. Example: `0.50`. */
  readonly amount: string
  /**
   * The currency of the fee: the source currency for `gateway`, the destination currency for `network`. Example:
   * `USDC`.
   */
  readonly currency: string
}

/** The gateway fee of an operation, from a date on. */
export interface FeeSchedule extends Dated {
  /** The id of the fee schedule. Example: `fee_…`. */
  readonly id: string
  /** The merchant whose quotes it prices. Null: every one. Example: `mer_…`. */
  readonly merchant_id: string | null
  /** The operation that it prices. A deposit that is converted on arrival is priced as a `conversion`. */
  readonly operation: "offramp" | "onramp" | "conversion"
  /** The source currency of the quotes that it prices. Null: every one. Example: `USDC`. */
  readonly source_currency: string | null
  /** The destination currency of the quotes that it prices. Null: every one. Example: `NGN`. */
  readonly destination_currency: string | null
  /** What is added to the share, in the source currency. Example: `0.50`. */
  readonly fixed: string
  /** The share of the source amount, in hundredths of a percent. Example: `40`. */
  readonly bps: number
  /** The least fee, in the source currency. Null: there is none. Example: `1.00`. */
  readonly min: string | null
  /** The greatest fee, in the source currency. Null: there is none. Example: `250.00`. */
  readonly max: string | null
  /**
   * Other fees, by the merchant's volume of the operation and the source currency in the calendar month (UTC) before
   * the quote. The last tier whose `above` the volume has reached decides the fee of the whole amount; `min` and `max`
   * hold in each.
   */
  readonly tiers: ReadonlyArray<FeeTier>
  /** When it begins to apply. Example: `2026-02-01T00:00:00.000Z`. */
  readonly valid_from: string
  /** Why it was made. Null: nobody said. Example: `Contract of January`. */
  readonly note: string | null
  /**
   * Whether it applies from `valid_from` on. `active`: it does, unless another applies before it. `ended`: it no longer
   * does.
   */
  readonly status: "active" | "ended"
  /** When an operator ended it. Null as long as it is active. Example: `2026-01-31T09:30:00.000Z`. */
  readonly ended_at: string | null
}

/** The fee from a volume on. */
export interface FeeTier {
  /** The volume of the month from which on the tier applies. Example: `100000.00`. */
  readonly above: string
  /** What is added to the share, in the source currency. Example: `0.00`. */
  readonly fixed: string
  /** The share of the source amount, in hundredths of a percent. Example: `25`. */
  readonly bps: number
}

/** A bank account to pay to. */
export interface FiatCredentialDetails {
  /** The holder of the account to pay to. Example: `Lagos Trading`. */
  readonly accountName: string
  /** The number of the account to pay to. Example: `9918273645`. */
  readonly accountNumber: string
  /** The bank of the account. Example: `Zenith Bank`. */
  readonly bankName: string
  /** The bank's code in its country. Null if it has none. Example: `057`. */
  readonly bankCode: string | null
  /** The currency that the account takes. Example: `NGN`. */
  readonly currency: string
  /** If not null, the payer must include it in the payment. Example: `CRD7K2M9QX`. */
  readonly reference: string | null
}

/** A bank account. */
export interface FiatDetails {
  /** The country of the account, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
  /** `bank`. Example: `bank`. */
  readonly network: Network
  /**
   * The account number; an IBAN in blocks of four; with `rail` `payshap`, the proxy: a mobile number or name@bank.
   * Example: `0123456789`.
   */
  readonly account_number: string
  /** The bank of the account. Null with `rail` `payshap`, and with an IBAN that was sent without a bank. */
  readonly provider: BankProvider | null
  /** How the money reaches the account: `payshap`. Absent for the country's default. Example: `payshap`. */
  readonly rail?: string
  /** The name of the account holder, as given or as resolved. Null if it is not known. Example: `ADA OBI`. */
  readonly account_name: string | null
  /**
   * How far the holder's name, as the provider resolved it, is the `account_name` that you sent, or else the `name` of
   * the beneficiary. Null where none was resolved or compared. `full`: the same words in any order; initials, titles,
   * legal forms, case and diacritics do not count. `partial`: at least one word in common. `none`: nothing in common:
   * ask the recipient before you pay. Example: `full`.
   */
  readonly name_match: "full" | "partial" | "none" | null
}

/** An invalid field. */
export interface FieldFault {
  /**
   * The dotted path of the field, such as `details.account_number`, or the name of the parameter. Example:
   * `details.account_number`.
   */
  readonly field: string
  /**
   * What is wrong. `invalid_type`: another JSON type. `invalid_format`: not written as it has to be. `invalid_value`:
   * written well, but not accepted. `too_long`: over its length. `unknown_field`: no field of this request has this
   * name, with `Prefer: handling=strict`. `limit_exceeded`: a limit has no room for it; `limit_id`, `max`, `used` and
   * `resets_at` say which and when.
   */
  readonly code: "required" | "invalid_type" | "invalid_format" | "invalid_value" | "too_long" | "unknown_field" | "limit_exceeded"
  /**
   * A sentence that says what was found and what is accepted. Example:
   * `name is missing; it takes a string of 1 to 200 characters`.
   */
  readonly message: string
  /** Of a file: where it is, a line or the path of an element. Example: `line 12`. */
  readonly place?: string
  /** Of a file: what stands at the place. Example: `the amount 1.234`. */
  readonly found?: string
  /** Of a file: what is accepted instead. Example: `at most 2 decimals in EUR`. */
  readonly taken?: string
  /** With `limit_exceeded`: the limit. Example: `lim_…`. */
  readonly limit_id?: string
  /** With `limit_exceeded`: its `max_amount`, or its `max_count` as a number. Example: `10000.00`. */
  readonly max?: string | number
  /** With `limit_exceeded`: what is used of the maximum. Example: `9950.00`. */
  readonly used?: string | number
  /**
   * With `limit_exceeded`: when its window has room again. Null where it never has. Example:
   * `2026-02-01T00:00:00.000Z`.
   */
  readonly resets_at?: string | null
}

/** An address of an active external account that the provider does not have as its own. */
export interface ForeignAddress {
  /** The external account. Example: `xac_…`. */
  readonly external_account_id: string
  /** The address. Example: `0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913`. */
  readonly address: string
}

/** The credential that was paid to. */
export interface FundedCredential {
  /** The id of the credential. Example: `wcr_…`. */
  readonly id: string
  /** What it takes. `crypto`: payments on a network. `fiat`: bank transfers. Example: `fiat`. */
  readonly type: "crypto" | "fiat"
  /** The currency that it takes. If it is not the wallet's, each deposit is converted. Example: `NGN`. */
  readonly currency: string
  /** `bank`, or the network of the address. Example: `bank`. */
  readonly network: Network
  /** A name for people. Null if you sent none. Example: `treasury`. */
  readonly label: string | null
  /** Your own data, as you sent it. Empty if you sent none. */
  readonly metadata: { readonly [member: string]: string }
  /** What the payer needs, by `type`. Null for a bank account that is not issued yet. */
  readonly details: FiatCredentialDetails | CryptoCredentialDetails | null
  /** The provider's own id of it. Null until it is issued. Example: `cdw_…`. */
  readonly provider_resource_id: string | null
}

/** What one person has decided. */
export interface GivenApproval {
  readonly by: ApprovalPerson
  /** The note. Null without one. Example: `checked by phone`. */
  readonly note: string | null
  /** When. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
}

/** A deposit that waits for the operator. */
export interface HeldDeposit extends ListedTransaction {
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /**
   * All reasons to hold the deposit; `metadata.hold_reason` has the first. `tier_limit`: over the customer's limit.
   * `payin_frozen`, `payin_disabled`: its address or credential is frozen or disabled.
   */
  readonly hold_reasons: ReadonlyArray<"tier_limit" | "payin_frozen" | "payin_disabled">
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** The identity document of an account's holder. */
export interface HolderDocumentInput {
  /** The type of the identity document. Example: `national_id`. */
  readonly id_type: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | "business_registration"
  /** The number of the identity document. It is not stored. Example: `8001015009087`. */
  readonly id_number: string
}

/** The integration of the merchant. */
export interface Integration {
  /** The public id of the integration, `event_developer_id` in events. Example: `int_…`. */
  readonly id: string
}

/** The provider's last answer. */
export interface LastAnswer {
  /** When it came. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** What the provider said. Example: `pending`. */
  readonly answer: string
}

/** The newest attempt of the counted deliveries. */
export interface LastAttempt {
  /** The event that was sent. Example: `evt_…`. */
  readonly event_id: string
  /** The type of the event. Example: `offramp.success`. */
  readonly event_type: string
  /** When it was made. Example: `2026-01-31T09:30:05.000Z`. */
  readonly at: string
  /** The HTTP status of the response. Null without a response. Example: `503`. */
  readonly response_status: number | null
  /** Why it failed, in words. Null if it succeeded. Example: `returned HTTP 503`. */
  readonly error: string | null
}

/** The last final block that was read. */
export interface LastBlock {
  /** Its number. Example: `24902211`. */
  readonly number: string
  /** The time of the block. Null if it is not known. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string | null
}

/** An account of the ledger, in one currency. */
export interface LedgerAccount {
  /** The id of the account: its class and what it belongs to, or the class alone. Example: `available:wal_…`. */
  readonly account: string
  /** The class of the account, see `docs/ledger.md`. Example: `available`. */
  readonly class: string
  /** The merchant. Null for an account of the platform itself. Example: `mer_…`. */
  readonly merchant_id: string | null
  /** The currency of the balance. Example: `USDC`. */
  readonly currency: string
  /** Credits less debits. Example: `975.00`. */
  readonly balance: string
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** A posting of the ledger: one amount from one account to another. */
export interface LedgerEntry extends Posting {
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** How much and how many may move, by whom and in which time. */
export interface Limit extends OwnLimit, Dated {
  /** The merchant of `scope_id`. Null without one. Example: `mer_…`. */
  readonly merchant_id: string | null
  /**
   * Only customers of this tier. Null for limits that are of no tier. By default `tier_0` can receive deposits of 1,000
   * USD in all, `tier_1` of 50,000 USD, `tier_2` without a limit.
   */
  readonly tier: "tier_0" | "tier_1" | "tier_2" | null
  /** Whether it applies. `active`: it does. `disabled`: it does not, and counts nothing. */
  readonly status: "active" | "disabled"
}

/** Who paid or was paid, as the bank says it. */
export interface LineCounterparty {
  /** The name. Null where the bank does not say it. Example: `Ada Obi`. */
  readonly name: string | null
  /** The IBAN or another number. Null where the bank does not say it. Example: `DE89370400440532013000`. */
  readonly account: string | null
}

/** What accounts for a line, or may. */
export interface LineMatch {
  /** What accounts for the line, or may: a movement, a pay-in or an adjusting entry. Example: `ofr_…`. */
  readonly resource_id: string
  /** How much of the line, in its currency. Example: `147753.75`. */
  readonly amount: string
  /** What decided it. Example: `command`. */
  readonly rule: string
}

/** A posting between accounts of the platform. */
export interface ListedAdjustingEntry extends AdjustingEntry {
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** A recipient of payouts. */
export interface ListedBeneficiary extends Beneficiary {
  /** The name of the customer. Null if it is not known. Example: `Ada Obi`. */
  readonly customer_name: string | null
}

/** A stop of submissions and refunds that an operator set. */
export interface ListedBrake extends Brake {
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** An event of a provider that an operator has to decide on. */
export interface ListedException extends Exception {
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** The gateway fee of an operation, from a date on. */
export interface ListedFeeSchedule extends FeeSchedule {
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** How much and how many may move, by whom and in which time. */
export interface ListedLimit extends Limit {
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** The originator of payouts, where it is not the customer. */
export interface ListedSender extends Sender {
  /** The name of the customer. Null if it is not known. Example: `Ada Obi`. */
  readonly customer_name: string | null
}

/** An entry of the unified history of movements and deposits. */
export interface ListedTransaction extends Transaction {
  /** The name of the customer. Null if it is not known. Example: `Ada Obi`. */
  readonly customer_name: string | null
}

/** A verification, as the staff that reviews it sees it. */
export interface ListedVerificationReview extends VerificationReview {
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** Where the members of a line stand. */
export interface MappedColumns {
  /** The booking date. Columns are names in the header row, or places from 1. Example: `Date`. */
  readonly booked_on: string | number
  /** The value date. Example: `Value date`. */
  readonly value_on?: string | number | undefined
  /** The amount, with a sign, or with `direction`. Else `credit` and `debit`. Example: `Amount`. */
  readonly amount?: string | number | undefined
  /** Which way it went, in the words of `words`. Example: `Cr/Dr`. */
  readonly direction?: string | number | undefined
  /** The amount, of what came in. Example: `Money in`. */
  readonly credit?: string | number | undefined
  /** The amount, of what went out. Example: `Money out`. */
  readonly debit?: string | number | undefined
  /**
   * The balance after the row, of all rows or of some: opening and closing balance follow from it. Example: `Balance`.
   */
  readonly balance?: string | number | undefined
  /** The currency: a row in another is refused. Example: `Currency`. */
  readonly currency?: string | number | undefined
  /** The account: a row of another is refused. Example: `Account`. */
  readonly account?: string | number | undefined
  /** The bank's reference. Example: `Reference`. */
  readonly bank_reference?: string | number | undefined
  /** The payer's reference. Example: `End to end`. */
  readonly end_to_end_id?: string | number | undefined
  /** The UETR of a SWIFT payment. Example: `UETR`. */
  readonly uetr?: string | number | undefined
  /** The hash of a payment on a network. Example: `Hash`. */
  readonly transaction_hash?: string | number | undefined
  /** Who paid or was paid. Example: `Name`. */
  readonly counterparty_name?: string | number | undefined
  /** The account of who paid or was paid. Example: `Account of name`. */
  readonly counterparty_account?: string | number | undefined
  /**
   * The text of the payment: a column, or several, which are joined with a space. A row with a text alone continues the
   * row before it. Example: `Description`.
   */
  readonly remittance?: string | number | ReadonlyArray<string | number> | undefined
  /** The bank's own word for the kind of booking. Example: `Type`. */
  readonly code?: string | number | undefined
}

/** Rows that are known by the text of a cell. */
export interface MappedRows {
  /** The column. Example: `Description`. */
  readonly column: string | number
  /** The text of its cell, alone. Example: `Total`. */
  readonly text: string
}

/** The texts of the column `direction`. */
export interface MappedWords {
  /** Of what came in. */
  readonly credit: ReadonlyArray<string>
  /** Of what went out. */
  readonly debit: ReadonlyArray<string>
}

/** The caller. */
export interface Me {
  readonly merchant: CallerMerchant
  readonly integration: Integration
  /** The key that calls. Null for an embedding application. */
  readonly api_key: CallerKey | null
  /** Where the server runs. `test`: with a simulated provider; no money moves. `live`: money moves. */
  readonly environment: "test" | "live"
}

/** A merchant: the owner of API keys and of everything made with them. */
export interface Merchant extends CallerMerchant, Dated {
  /** The public id of its integration, `event_developer_id` in events. Example: `int_…`. */
  readonly integration_id: string
  /** Its default customer: the merchant's own business. Example: `cust_…`. */
  readonly default_customer_id: string
}

/** A customer of any merchant. */
export interface MerchantCustomer extends Customer {
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** A receiver of events of any merchant. */
export interface MerchantWebhookEndpoint extends WebhookEndpoint {
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
  /**
   * How it does. `healthy`: it is active, and its receiver acknowledged the last delivery or was asked for none.
   * `failing`: it is active, and deliveries fail without an acknowledgement since `failing_since`. `inactive`: it
   * receives nothing; `deactivated_for` says why where the service switched it off.
   */
  readonly health: "healthy" | "failing" | "inactive"
  /**
   * When deliveries began to fail without an acknowledgement since. Time without attempts is not counted. Null if the
   * last one was acknowledged. Example: `2026-01-31T09:30:05.000Z`.
   */
  readonly failing_since: string | null
  /**
   * Why the service switched it off: its receiver answered 410 (`gone`), or it failed for five days (`failing`). Null
   * while it is active, and where the merchant switched it off.
   */
  readonly deactivated_for: "gone" | "failing" | null
}

/** Where money of a resource is. */
export interface MoneyPlace {
  /** The account of the ledger. Example: `available:wal_…`. */
  readonly account: string
  /** The amount of the resource in this account, in `currency`. Example: `100.00`. */
  readonly amount: string
  /** The currency of the amount. Example: `USDC`. */
  readonly currency: string
  /** The same in a sentence. Example: `100.00 USDC went back to the available balance of wal_….`. */
  readonly summary: string
}

/** A movement of any merchant, as its transaction. */
export interface Movement extends ListedTransaction {
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
  /** The provider that has it now. Null without one. Example: `simulated`. */
  readonly provider: string | null
  /** Why it failed or was returned. Null for any other. */
  readonly failure_reason: string | null
}

/** A movement and its status. */
export interface MovementStatus {
  /** The id of the movement. Example: `ofr_…`. */
  readonly resource_id: string
  /** Its status now. Example: `success`. */
  readonly status: string
}

/** A new API key, with its secret. */
export interface NewApiKey extends ApiKey {
  /**
   * The key itself. Returned only in this response, and not stored. Example:
   * `sk_test_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V`.
   */
  readonly secret: string
}

/** A new merchant, its default customer and its first key. */
export interface NewMerchant {
  /** The merchant. */
  readonly merchant: Merchant
  /** Its first key, an admin key, with the secret. */
  readonly api_key: NewApiKey
  /** Its default customer: its own business. */
  readonly default_customer: Customer
}

/** How to resolve the error, and the page that explains it. */
export interface NextSteps {
  /** What to do, as a short instruction. Example: `Correct the fields in meta.errors and send the request again.`. */
  readonly action: string
  /** The page that explains the error. Example: `https://pay.example.com/docs/errors/bad_request`. */
  readonly docs_url: string
}

/** An operator's note. */
export interface Noted {
  /** Why the operator acts. The audit log and the history show it. Example: `Confirmed by phone`. */
  readonly note?: string | null | undefined
}

/** A payout of crypto from a wallet as fiat to a bank account, at the rate of a quote. */
export interface Offramp extends MovementMembers {
  /** The id of the offramp. Example: `ofr_…`. */
  readonly id: string
  /**
   * Where the offramp stands. `created`: accepted; the source amount is reserved in the wallet. `processing`: debited,
   * and submitted to the provider. `temporary_failure`: the route is unavailable and is tried again, or the outcome is
   * not known yet. `success`: paid out; terminal, unless the bank returns the money later. `failed`: not paid out, and
   * the source amount is back in the wallet, unless `failure_reason` is `refund_failed`; terminal. `returned`: the bank
   * returned the money, and the full source amount is back in the wallet; terminal.
   */
  readonly status: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  /** Whether a temporarily unavailable route is tried again, for up to 24 hours. Example: `false`. */
  readonly retry_on_failure: boolean
  /** The quote that the offramp executes. Example: `quo_…`. */
  readonly quote_id: string
  /** `quoted`: the rate is that of the quote. */
  readonly rate_source: "quoted"
  /** The wallet that is debited. */
  readonly wallet: WalletSummary
  /** The recipient, as of the creation of the offramp. */
  readonly beneficiary: Beneficiary
  /** The sender that the provider is given as the originator. Null: the originator is the customer. */
  readonly sender: SenderSummary | null
  readonly payment_instrument: PaymentInstrument
  /** The text that the recipient's bank shows. Null if you sent none. Example: `Invoice 77`. */
  readonly narration: string | null
  /** What leaves the wallet, in `source_currency`, the gateway fee included. Example: `100.00`. */
  readonly source_amount: string
  /** The currency of the wallet. Example: `USDC`. */
  readonly source_currency: string
  /**
   * The quoted amount, in `destination_currency`: `source_amount` less the gateway fee, times `rate`, rounded down. The
   * network fee is not deducted yet. Example: `148503.75`.
   */
  readonly destination_amount: string
  /**
   * What the recipient is to receive by the quote, in `destination_currency`: `destination_amount` less the network
   * fee, or the `target_amount` of the quote. `received_amount` is what it received. Example: `147753.75`.
   */
  readonly quoted_received_amount: string
  /** The fees of the quote, or of what settled. */
  readonly fee: Fee
  /**
   * What the recipient received, in `destination_currency`: `destination_amount` less the network fee. Null until the
   * status is `success`, and again when it is `returned`: null is not zero. Example: `147753.75`.
   */
  readonly received_amount: string | null
  /** The currency that the recipient receives. Example: `NGN`. */
  readonly destination_currency: string
  /**
   * The price of one unit of `source_currency` in `destination_currency`: a decimal string with up to 12 significant
   * digits, the spread included. Example: `1492.5`.
   */
  readonly rate: string
  /**
   * Until when the payout has to start: the expiry of the quote. Later, the offramp fails with `quote_expired`.
   * Example: `2026-01-31T09:35:00.000Z`.
   */
  readonly rate_locked_until: string
}

/** An event of a offramp. */
export interface OfframpEvent extends Omit<Event, "event_object"> {
  /** What happened. */
  readonly event_type: "offramp.created" | "offramp.funds_received" | "offramp.processing" | "offramp.success" | "offramp.failed" | "offramp.returned"
  readonly event_category: "offramp"
  /** The id of the offramp. Example: `ofr_…`. */
  readonly event_object_id: string
  /** The status of the offramp at the event. */
  readonly event_object_status: "created" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  readonly event_object: OfframpEventObject
}

/** The offramp, as of the event, with what settled. */
export interface OfframpEventObject extends Offramp {
  /**
   * What was taken, in `source_currency`. Null until it settles. Reconcile against the `actual_` amounts, not the
   * quoted ones. Example: `100.00`.
   */
  readonly actual_source_amount: string | null
  /**
   * What the recipient received, in `destination_currency`, all fees deducted. Null until it settles. Example:
   * `147753.75`.
   */
  readonly actual_destination_amount: string | null
  /** The rate at which it settled. Null until it settles. Example: `1492.5`. */
  readonly actual_rate: string | null
  /** When it reached its terminal status. Null before. Example: `2026-01-31T09:30:04.000Z`. */
  readonly terminal_at: string | null
}

/** Fiat from a payer's bank account to crypto in a wallet, at the rate of a quote. */
export interface Onramp extends MovementMembers {
  /** The id of the onramp. Example: `onr_…`. */
  readonly id: string
  /**
   * Where the onramp stands. `awaiting_deposit`: the payer's money has not arrived. `processing`: the money has arrived
   * and is paid out to the wallet. `temporary_failure`: the route is unavailable and is tried again, or the outcome is
   * not known yet. `success`: the wallet is credited; terminal. `failed`: not funded in time (`quote_expired`), or not
   * completed; terminal. `returned`: the payer's money was sent back; terminal.
   */
  readonly status: "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  /** The quote that the onramp executes. Example: `quo_…`. */
  readonly quote_id: string
  /** `quoted`: the rate is that of the quote. */
  readonly rate_source: "quoted"
  /** The wallet that is credited. */
  readonly wallet: WalletSummary
  /** The account that the payer pays from. Null: it is not known. */
  readonly payment_instrument: PaymentInstrument | null
  /** What the payer is asked to pay, in `source_currency`, the gateway fee included. Example: `150000.00`. */
  readonly source_amount: string
  /** The currency that the payer pays in. Example: `NGN`. */
  readonly source_currency: string
  /**
   * The quoted amount, in `destination_currency`: `source_amount` less the gateway fee, times `rate`, rounded down. The
   * network fee is not deducted yet. Example: `99.00`.
   */
  readonly destination_amount: string
  /**
   * What the recipient is to receive by the quote, in `destination_currency`: `destination_amount` less the network
   * fee, or the `target_amount` of the quote. `received_amount` is what it received. Example: `98.90`.
   */
  readonly quoted_received_amount: string
  /** The fees of the quote, or of what settled. */
  readonly fee: Fee
  /**
   * What the wallet was credited, in `destination_currency`, computed from what the payer really paid. Null until the
   * status is `success`: null is not zero. Example: `98.90`.
   */
  readonly received_amount: string | null
  /** The currency of the wallet. Example: `USDC`. */
  readonly destination_currency: string
  /**
   * The price of one unit of `source_currency` in `destination_currency`: a decimal string with up to 12 significant
   * digits, the spread included. Example: `0.000663349917081`.
   */
  readonly rate: string
  /**
   * Until when the payer's money has to arrive: 30 minutes after the creation. Later, the onramp fails with
   * `quote_expired`. Example: `2026-01-31T10:00:00.000Z`.
   */
  readonly rate_locked_until: string
  readonly deposit_instruction: DepositInstruction
}

/** An event of a onramp. */
export interface OnrampEvent extends Omit<Event, "event_object"> {
  /** What happened. */
  readonly event_type: "onramp.awaiting_deposit" | "onramp.funds_received" | "onramp.processing" | "onramp.success" | "onramp.failed" | "onramp.returned"
  readonly event_category: "onramp"
  /** The id of the onramp. Example: `onr_…`. */
  readonly event_object_id: string
  /** The status of the onramp at the event. */
  readonly event_object_status: "awaiting_deposit" | "processing" | "temporary_failure" | "success" | "failed" | "returned"
  readonly event_object: OnrampEventObject
}

/** The onramp, as of the event, with what settled. */
export interface OnrampEventObject extends Onramp {
  /**
   * What was taken, in `source_currency`. Null until it settles. Reconcile against the `actual_` amounts, not the
   * quoted ones. Example: `100.00`.
   */
  readonly actual_source_amount: string | null
  /**
   * What the recipient received, in `destination_currency`, all fees deducted. Null until it settles. Example: `98.90`.
   */
  readonly actual_destination_amount: string | null
  /** The rate at which it settled. Null until it settles. Example: `1492.5`. */
  readonly actual_rate: string | null
  /** When it reached its terminal status. Null before. Example: `2026-01-31T09:30:04.000Z`. */
  readonly terminal_at: string | null
  /**
   * Only in `onramp.success`, if it is known: the hash of the payout. Store it, because it appears nowhere else.
   * Example: `0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52`.
   */
  readonly transaction_hash?: string
}

/** What was in an account before Corridor counted. */
export interface OpeningBalance {
  /** The first day of the account in these books. Example: `2026-01-01`. */
  readonly date: string
  /** What was in the account when that day began. Below zero for an overdraft. Example: `25000.00`. */
  readonly balance: string
}

/** A person who uses the operator API. */
export interface Operator extends Dated {
  /** The id of the operator. Example: `opr_…`. */
  readonly id: string
  /** The name of the operator. Example: `Ada Obi`. */
  readonly name: string
  /** The email address of the operator. Null if none was given. Example: `ada@example.com`. */
  readonly email: string | null
  /**
   * The role of the operator. `viewer`: reads. `support`: reviews and freezes as well. `treasury`: acts on money as
   * well: deposits, exceptions, pauses. `admin`: everything: merchants, their keys, operators.
   */
  readonly role: "viewer" | "support" | "treasury" | "admin"
  /** Whether the token is accepted. `active`: it is. `revoked`: it is not, for ever. */
  readonly status: "active" | "revoked"
  /** The first characters of the token, to tell tokens apart. Example: `op_a1B2`. */
  readonly prefix: string
}

/** A person who uses the operator API, with a new token. */
export interface OperatorWithToken extends Operator {
  /**
   * The token itself. Returned only in this response, and not stored. Example:
   * `op_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V`.
   */
  readonly token: string
}

/** A limit that the merchant's acts count to, and what is used of it. */
export interface OwnLimit {
  /** The id of the limit. Example: `lim_…`. */
  readonly id: string
  /**
   * Whose acts count together. `platform`: all of them. `merchant`: those of a merchant. `customer`: those of a
   * customer. `wallet`: those that take money from a wallet, or bring it there. `beneficiary`: those that pay a
   * beneficiary. `api_key`: those made with an API key.
   */
  readonly scope: "platform" | "merchant" | "customer" | "wallet" | "beneficiary" | "api_key"
  /**
   * What it is of. Null: each of its scope has the maximum to itself, or the scope is `platform`. Example: `cust_…`.
   */
  readonly scope_id: string | null
  /**
   * The acts that count. `payout`: transfers and offramps. `batch`: its confirmation, with the sum of its rows.
   * `deposit` is of a `tier` alone. The other words count acts of operators and of keys: those that move no money have
   * no amount, so that `max_amount` counts none of them.
   */
  readonly operations: ReadonlyArray<"transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release" | "deposit">
  /** The currency of `max_amount`. Null without one. Example: `USDC`. */
  readonly currency: string | null
  /** The most that may move in the window, in `currency`. Null without one. Example: `10000.00`. */
  readonly max_amount: string | null
  /** The most acts in the window. Null without one. Example: `20`. */
  readonly max_count: number | null
  /**
   * What counts together: `movement`, each act alone; the time before the act; or a part of the calendar. `total`, all
   * time, belongs to a `tier` alone.
   */
  readonly window: "movement" | "total" | RollingWindow | CalendarWindow
  /** What happens to an act over it. `refuse`: it is refused. `approve`: it waits for the approval of an operator. */
  readonly action: "refuse" | "approve"
  /**
   * What is used of `max_amount` now. Null without one, of a `movement`, and where each has its own. Example:
   * `9950.00`.
   */
  readonly used_amount: string | null
  /** How many of `max_count` are used now. Null without one, and where each has its own. Example: `12`. */
  readonly used_count: number | null
  /**
   * When the window has room for the whole maximum again, if nothing more is counted. Null where nothing is used, or it
   * never has. Example: `2026-02-01T23:00:00.000Z`.
   */
  readonly resets_at: string | null
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

/** A resource of the merchant that matches a search. */
export interface OwnSearchResult {
  /** The id of what was found. Example: `ofr_…`. */
  readonly id: string
  /** The kind of the resource. Example: `offramp`. */
  readonly kind: string
  /** The customer. Null without one. Example: `cust_…`. */
  readonly customer_id: string | null
  /** The name of the customer. Null without one. Example: `Ada Obi`. */
  readonly customer_name: string | null
  /** The status of the resource. Example: `processing`. */
  readonly status: string
  /** What the text matched, the best first. `account`: an account number or address. */
  readonly matched: ReadonlyArray<"id" | "reference" | "provider_reference" | "transaction_hash" | "account" | "email" | "name" | "amount">
  /** The name or the reference of the resource; its id when it has neither. Example: `INV/2026/1042`. */
  readonly title: string
  /** The source amount of a movement, in `currency`. Null for others. Example: `100.00`. */
  readonly amount: string | null
  /** The currency of `amount`. Null without one. Example: `USDC`. */
  readonly currency: string | null
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

/** The bank account that is paid, as of the creation of the movement. */
export interface PaymentInstrument {
  /** The id of the payment instrument. Example: `pay_…`. */
  readonly id: string
  /** The beneficiary that the account belongs to. Example: `ben_…`. */
  readonly beneficiary_id: string
  /** `bank_account`, also with `rail` `payshap`. */
  readonly type: "bank_account"
  /** The country of the account, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
  /** The bank of the account. Null with `rail` `payshap`. */
  readonly provider: BankProvider | null
  /** The name of the account holder. Null if it is not known. Example: `ADA OBI`. */
  readonly account_name: string | null
  /** The account number; an IBAN in blocks of four; with `rail` `payshap`, the proxy. Example: `0123456789`. */
  readonly account_number: string
  /** How the money reaches the account: `payshap`. Absent for the country's default. Example: `payshap`. */
  readonly rail?: string
}

/** What a statement calls an account. */
export interface PlaceIdentifier {
  /**
   * How `value` is written. `iban`: ISO 13616. `bban`: the national number with the codes of bank and branch.
   * `account_number`: the number alone. `address`: an address on `network`.
   */
  readonly scheme: "iban" | "bban" | "account_number" | "address"
  /** What statements call the account. Example: `DE89370400440532013000`. */
  readonly value: string
  /** The network of an address. Null for the other schemes. Example: `base`. */
  readonly network: Network | null
}

/** A posting of the ledger. */
export interface Posting {
  /** The resource that posted. Example: `ofr_…`. */
  readonly resource_id: string
  /** The version of the resource that posted: 1 at its creation. Example: `2`. */
  readonly version: number
  /** The account that is debited: its class, and what it belongs to. Example: `available:wal_…`. */
  readonly debit: string
  /** The account that is credited. Example: `reserved:wal_…`. */
  readonly credit: string
  /** The amount, in `currency`. Example: `100.00`. */
  readonly amount: string
  /** The currency of the posting. Example: `USDC`. */
  readonly currency: string
  /** When it was committed. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
}

/** Why a file is refused. */
export interface PreviewFault {
  /** Where the file has it. Null for a fault of the mapping. Example: `line 3, Amount`. */
  readonly place: string | null
  /** What is wrong. Example: `line 3, Amount: found "1.234,50", and it takes an amount of EUR.`. */
  readonly message: string
}

export interface PreviewStatement {
  /** The external account that the file is of. Example: `xac_…`. */
  readonly external_account_id: string
  /**
   * The beginning of the file, whole rows, at most 256 KiB in base64. Example:
   * `RGF0ZTtBbW91bnQKMjAyNi0wMS0wNTsxMi41MAo=`.
   */
  readonly start: string
  /** What stands between columns. Example: `;`. */
  readonly separator?: "," | ";" | "\t" | "|" | null | undefined
  /** The encoding. Default: that of its byte order mark, else `utf-8`. */
  readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | null | undefined
  /** How the columns are read. Without it, only the rows are returned. */
  readonly mapping?: PreviewedMapping | null | undefined
}

/** A line as a statement of the file would have it. */
export interface PreviewedLine {
  /** The day on which the bank booked it. Example: `2026-01-05`. */
  readonly booked_on: string
  /** The day from which it bears interest. Null where the bank does not say it. Example: `2026-01-05`. */
  readonly value_on: string | null
  /** As the bank booked it. `credit`: to us. `debit`: from us. */
  readonly direction: "credit" | "debit"
  /** The amount, exactly as booked, without a sign. Example: `147753.75`. */
  readonly amount: string
  /** The currency of the line. Example: `NGN`. */
  readonly currency: string
  /** The bank's own reference. Null without one. Example: `FT26031XK92`. */
  readonly bank_reference: string | null
  /** The payer's reference, which banks pass on. Null without one. Example: `INV-1042`. */
  readonly end_to_end_id: string | null
  readonly counterparty: LineCounterparty
  /** The text of the payment. Null without one. Example: `Invoice 77`. */
  readonly remittance: string | null
  /** Where the file has it. Example: `line 2`. */
  readonly place: string
}

/** How the columns are read. */
export interface PreviewedMapping {
  /** Where the members of a line stand. */
  readonly columns: MappedColumns
  /** What stands between columns. Example: `;`. */
  readonly separator: "," | ";" | "\t" | "|"
  /** What stands before the decimals. Example: `,`. */
  readonly decimal: "." | ","
  /** The order of year, month and day. Example: `dmy`. */
  readonly dates: "ymd" | "dmy" | "mdy"
  /** The encoding. Default: that of its byte order mark, else `utf-8`. */
  readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | null | undefined
  /**
   * What stands between groups of digits; either apostrophe stands for both. Default: nothing, or a space. Example:
   * `.`.
   */
  readonly thousands?: "," | "." | " " | "'" | "’" | null | undefined
  /** Whether a row names the columns. Default: `true`. Example: `true`. */
  readonly header?: boolean | null | undefined
  /** The texts of the column `direction`. */
  readonly words?: MappedWords | null | undefined
  /** Whether the column `debit` has a minus sign. Default: `positive`. */
  readonly debits?: "positive" | "negative" | null | undefined
  /** Rows that are no bookings, such as totals. */
  readonly ignore?: ReadonlyArray<MappedRows> | null | undefined
  /** Rows that are not booked yet. Default: those without a date. */
  readonly pending?: ReadonlyArray<MappedRows> | null | undefined
  /** The row that has the opening balance. */
  readonly opening?: MappedRows | null | undefined
  /** The row that has the closing balance. */
  readonly closing?: MappedRows | null | undefined
}

/** A row of the file. */
export interface PreviewedRow {
  /** Where it begins, from 1. Example: `1`. */
  readonly line: number
  /** Its cells, each at most 200 characters. */
  readonly cells: ReadonlyArray<string>
}

/** What is known of a customer beside the name. All members may be null. */
export interface Profile {
  /** The phone number in E.164 form. Null if it is not given. Example: `+2348012345678`. */
  readonly phone: string | null
  /** The postal address. Null if it is not given. */
  readonly address: Address | null
  /** The date of birth as MM/DD/YYYY. Null if it is not given. Example: `01/31/1990`. */
  readonly date_of_birth: string | null
  /**
   * The number of the identity document, masked to its last four characters. Null if it is not given. Example:
   * `*****4567`.
   */
  readonly id_number: string | null
  /** The type of the identity document. Null if it is not given. Example: `passport`. */
  readonly id_type: string | null
  /** The number of the business licence. Null if it is not given. Example: `RC-1187204`. */
  readonly business_licence: string | null
}

/** What is known of a customer beside the name. An update replaces the given members and keeps the others. */
export interface ProfileInput {
  /** A phone number in E.164 form. Example: `+2348012345678`. */
  readonly phone?: string | null | undefined
  readonly address?: AddressInput | null | undefined
  /** The date of birth as MM/DD/YYYY, in the past. Example: `01/31/1990`. */
  readonly date_of_birth?: string | null | undefined
  /** The number of the identity document. Responses show its last four characters. Example: `A01234567`. */
  readonly id_number?: string | null | undefined
  /** The type of the identity document. */
  readonly id_type?: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | null | undefined
  /** The number of the business licence. Example: `RC-1187204`. */
  readonly business_licence?: string | null | undefined
}

/** A bank that payouts can be made to. */
export interface Provider {
  /** The id of the bank: `provider_id` of a beneficiary. It never changes. Example: `prov_…`. */
  readonly id: string
  /** The name of the bank. Example: `Access Bank`. */
  readonly name: string
  /** The bank's code in its country. Example: `044`. */
  readonly code: string
  /** The country of the bank, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
}

/** A balance that a provider states. */
export interface ProviderBalance {
  /** The currency of the balance. Example: `USDC`. */
  readonly currency: string
  /** The network of the balance. Null if it is not tied to one. Example: `base`. */
  readonly network: Network | null
  /** What it can pay out. Example: `25000.00`. */
  readonly available: string
  /** On its way in or out. Example: `120.00`. */
  readonly pending: string
}

/** The platform's money at a provider. */
export interface ProviderBalances {
  /** The first name that the provider had in this store, as its accounts have it. Example: `simulated`. */
  readonly provider: string
  /** The balances that the provider states, now. */
  readonly balances: ReadonlyArray<ProviderBalance>
}

/** What a provider charges. */
export interface ProviderCost {
  /** The fixed amount, in `currency`. Example: `0.50`. */
  readonly fixed: string
  /** The share of the amount: `0.005` is half a percent. Example: `0.005`. */
  readonly share: string
}

/** How its events arrive. */
export interface ProviderEvents {
  /** Whether it posts its events. Example: `true`. */
  readonly callbacks: boolean
  /** Whether its events are also read from it. Example: `false`. */
  readonly readable: boolean
  /** The events before it are committed. Null if none was read. Example: `evt_4182`. */
  readonly cursor: string | null
  /**
   * When all events that there were had last been read from it. Null if it is not read, or was not yet. Example:
   * `2026-01-31T09:30:00.000Z`.
   */
  readonly read_at: string | null
  /**
   * Of a chain that is read by blocks: the last final block that was read. A deposit in a later one is not seen yet.
   * Null elsewhere.
   */
  readonly last_block: LastBlock | null
  /**
   * What `corridor rescan` has still to read again. Null: nothing. Example:
   * `blocks 24810000 to 24902211 are still to be read again`.
   */
  readonly rescan: string | null
  /** Why the last reading failed, or why an event waits. Null if the last reading succeeded and no event waits. */
  readonly last_fault: ProviderFault | null
}

/** A failed reading of events. */
export interface ProviderFault {
  /** When it happened. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** What went wrong. Example: `timeout`. */
  readonly answer: string
}

/** A service of a provider. Null stands for everything. */
export interface ProviderOffer {
  /**
   * What it does. `payout`: pays out. `conversion`: converts. `payin`: takes the payments of onramps. `issue`: issues
   * addresses and accounts. `directory`: lists banks and resolves accounts. `screening`: screens beneficiaries.
   * `verification`: verifies customers.
   */
  readonly operation: "payout" | "conversion" | "payin" | "issue" | "directory" | "screening" | "verification"
  /** The currency; the source of a conversion. Null stands for every currency. Example: `USDC`. */
  readonly currency: string | null
  /** The destination of a conversion. Null stands for every currency. Example: `NGN`. */
  readonly destination_currency: string | null
  /** The country, ISO 3166-1 alpha-2. Null stands for every country. Example: `NG`. */
  readonly country_code: string | null
  /** The network. Null stands for every network. Example: `base`. */
  readonly network: Network | null
  /** The smallest amount, in `currency`. Null: no limit. Example: `1.00`. */
  readonly minimum: string | null
  /** The largest amount, in `currency`. Null: no limit. Example: `1000000.00`. */
  readonly maximum: string | null
  /** What it charges, in `currency`: a fixed amount, and a share of the amount. Null: not configured. */
  readonly cost: ProviderCost | null
}

/** A page of a provider's statement. */
export interface ProviderStatement {
  /** The first name that the provider had in this store, as its accounts have it. Example: `simulated`. */
  readonly provider: string
  /** The lines, oldest first. */
  readonly lines: ReadonlyArray<StatementLine>
  /** What stands among the lines and is not readable, each as JSON text. Ask the provider about it. */
  readonly unreadable: ReadonlyArray<string>
  /** Pass it as `after` to read on. Null at the end. Example: `line_8812`. */
  readonly cursor: string | null
}

/** An event that was published. */
export interface PublishedEvent {
  /** The id of the event. Example: `evt_…`. */
  readonly event_id: string
  /** The type of the event. Example: `offramp.processing`. */
  readonly event_type: string
  /** Its number among the events of the resource. Example: `3`. */
  readonly event_sequence: number
}

/** A priced offer. It is valid for five minutes and can be executed once. */
export interface Quote extends Dated {
  /** The id of the quote: `quote_id` of the movement that executes it. Example: `quo_…`. */
  readonly id: string
  /**
   * What it prices. Only this operation can execute it. `onramp`: fiat to a wallet. `offramp`: a wallet to a bank
   * account. `conversion`: a wallet to another wallet.
   */
  readonly operation: "onramp" | "offramp" | "conversion"
  /**
   * Whether it can be executed. `active`: it can, once, until `expires_at`. `executed`: a movement has executed it.
   * `expired`: its time is over.
   */
  readonly status: "active" | "executed" | "expired"
  /** The wallet that is debited. Null on an onramp. Example: `wal_…`. */
  readonly wallet_id: string | null
  /** The wallet that is credited. Null on an offramp. Example: `wal_…`. */
  readonly destination_wallet_id: string | null
  /** The recipient of an offramp. Null on the others. Example: `ben_…`. */
  readonly beneficiary_id: string | null
  /** The originator of an offramp. Null: the customer, and on the others. Example: `snd_…`. */
  readonly sender_id: string | null
  /** The customer of the wallet. Example: `cust_…`. */
  readonly customer_id: string
  /**
   * What is taken from the source, in `source_currency`, the gateway fee included. With `target_amount`, the smallest
   * amount that reaches it. Example: `100.00`.
   */
  readonly source_amount: string
  /** The currency that is taken. Example: `USDC`. */
  readonly source_currency: string
  /**
   * `source_amount` less the gateway fee, times `rate`, rounded down, in `destination_currency`. The network fee is not
   * deducted yet. Example: `148503.75`.
   */
  readonly destination_amount: string
  /** The currency that the recipient receives. Example: `NGN`. */
  readonly destination_currency: string
  /**
   * What the recipient will receive, in `destination_currency`: `destination_amount` less the network fee. Example:
   * `147753.75`.
   */
  readonly received_amount: string
  /**
   * The amount that you asked the recipient to receive, in `destination_currency`; equal to `received_amount`. Null if
   * you sent `source_amount`. Example: `147753.75`.
   */
  readonly target_amount: string | null
  /**
   * The price of one unit of `source_currency` in `destination_currency`: a decimal string with up to 12 significant
   * digits, the spread included. Example: `1492.5`.
   */
  readonly rate: string
  /** When the quote expires: five minutes after its creation. Example: `2026-01-31T09:35:00.000Z`. */
  readonly expires_at: string
  /** The reference that you sent. A quote does not claim it. Null if you sent none. Example: `INV/2026/1042`. */
  readonly reference: string | null
  readonly fee: Fee
  /** The fee schedule that decides the `gateway` fee. Null if none applies: the default fee does. Example: `fee_…`. */
  readonly fee_schedule_id: string | null
}

/** The mid rate of a currency, and whether it is within its band. */
export interface Rate {
  /** The currency. Example: `NGN`. */
  readonly currency: string
  /**
   * Whether amounts are priced with it. `accepted`: they are. `held`: it is outside its band, and they are not.
   * `unavailable`: the source does not answer.
   */
  readonly status: "accepted" | "held" | "unavailable"
  /**
   * Units of the currency for one US dollar, as the source says now. Null if it does not answer. Example: `1500.25`.
   */
  readonly per_usd: string | null
  /** The rate that was accepted last. Null before the first. Example: `1498.7`. */
  readonly accepted_per_usd: string | null
  /** When it was accepted. Null before the first. Example: `2026-01-31T09:30:00.000Z`. */
  readonly accepted_at: string | null
  /**
   * Why it is held. Null otherwise. Example:
   * `it is 150000, and 1500 was accepted 2 s ago; at most 10 % in a minute is taken.`.
   */
  readonly reason: string | null
  /** What an operator has accepted last. Null: nothing yet. Example: `1500`. */
  readonly operator_per_usd: string | null
  /** When. Null: not yet. Example: `2026-01-31T09:30:00.000Z`. */
  readonly operator_at: string | null
  /** Why. Null: nothing was accepted yet. Example: `Devaluation announced by the central bank`. */
  readonly note: string | null
}

/** An external account on a day: the books against its statements. */
export interface ReconciledAccount {
  /** The external account. Example: `xac_…`. */
  readonly external_account_id: string
  /** The provider whose `world` account it mirrors. Example: `simulated`. */
  readonly provider: string
  /** The currency of the account. Example: `EUR`. */
  readonly currency: string
  /** The day, in the time zone of the account. Example: `2026-01-05`. */
  readonly date: string
  /**
   * What the books say is in all accounts of the provider in this currency at the end of the day: their opening
   * balances, less what `world` moved since they began. Example: `24100.00`.
   */
  readonly ledger: string
  /**
   * The latest closing balance of a statement of this account up to the day; without one, that of the latest sealed
   * day, or its opening balance, and its lines since. Example: `24100.00`.
   */
  readonly statement: string
  /** The statements of all these accounts less `ledger`. Example: `0.00`. */
  readonly difference: string
  /**
   * What the books have since the accounts began and no statement has yet: money in less money out. Example: `0.00`.
   */
  readonly outstanding: string
  /**
   * The sum of the open breaks of this account that the day counts, as its close would have it: of a sealed day, what
   * its seal has. Example: `0.00`.
   */
  readonly unexplained: string
  /** When the oldest open break of the account began. Null if none is open. Example: `2026-01-31T09:30:00.000Z`. */
  readonly oldest_break: string | null
  /** The last day of the latest statement up to the day. Null without one. Example: `2026-01-05`. */
  readonly last_statement: string | null
  /** Whether the day is sealed. Example: `false`. */
  readonly sealed: boolean
}

export interface RejectDeposit extends Noted {
  /**
   * Why. The timeline of the deposit has it, for its merchant too, and operators read it as the `failure_reason` of the
   * movement. Example: `Unclear origin of the funds`.
   */
  readonly reason: string
}

/** A related resource. */
export interface RelatedResource {
  /** The id of the related resource. Example: `quo_…`. */
  readonly id: string
  /** The kind of the related resource. Example: `quote`. */
  readonly kind: string
  /** What it is to the resource. Example: `quote`. */
  readonly relation: string
  /** Its name or its reference. Null if it has neither. Example: `Ada Obi`. */
  readonly title: string | null
}

/** A transaction with the same root. */
export interface RelatedTransaction extends TransactionMembers {
  /** The id of the related transaction. Example: `txn_…`. */
  readonly id: string
}

export interface ReleaseBrake {
  /** Why. The pause and the audit log show it. Example: `Unexplained debits at the bank`. */
  readonly note?: string | null | undefined
}

export interface ReplayWebhookEndpoint {
  /** The event to send again. Either this or `since` is required. Example: `evt_…`. */
  readonly event_id?: string | null | undefined
  /**
   * The beginning of the time whose events are sent again, inclusive: a date or an instant. Example:
   * `2026-01-31T00:00:00Z`.
   */
  readonly since?: string | null | undefined
  /** The end of the time, inclusive: a date or an instant. Default: now. Example: `2026-01-31`. */
  readonly until?: string | null | undefined
}

/** What will be sent again. */
export interface Replayed {
  /** The id of the endpoint. Example: `whe_…`. */
  readonly id: string
  /** The number of events to send again. Example: `12`. */
  readonly replayed: number
}

/** What will be sent again, and what is left. */
export interface ReplayedFailed {
  /** The id of the endpoint. Example: `whe_…`. */
  readonly id: string
  /** The number of events to send again. Example: `12`. */
  readonly replayed: number
  /** How many more events the endpoint has not got: call again for them. Example: `0`. */
  readonly remaining: number
}

/** What the provider reported of a command, in its words. */
export interface ReportedOutcome {
  /** What the provider reported. Example: `success`. */
  readonly outcome: string
  /** When it was recorded. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The provider. Null if it is not recorded. Example: `simulated`. */
  readonly provider: string | null
  /** The command that it answers: the provider's idempotency key. Example: `ofr_….payout`. */
  readonly command_id: string
  /** The provider's reason. Null without one. Example: `account_closed`. */
  readonly reason: string | null
  /** The amount that it states, in `currency`. Null if it states none. Example: `147753.75`. */
  readonly amount: string | null
  /** The currency of `amount`. Null if it states none. Example: `NGN`. */
  readonly currency: string | null
  /** The fee that it charged, in `fee_currency`. Null if it states none. Example: `50.00`. */
  readonly fee: string | null
  /** The currency of `fee`. Null if it states none. Example: `NGN`. */
  readonly fee_currency: string | null
  /** The parts of a return. Null if it states none. */
  readonly parts: ReadonlyArray<ReportedPart> | null
  /** Whether it says that no more parts follow. Null without parts. Example: `true`. */
  readonly complete: boolean | null
  /**
   * The provider's own reference of the payment, as its statements show it. Null if it is not known. Example:
   * `FT26031XK92`.
   */
  readonly provider_reference: string | null
  /**
   * The hash of the payment. Null if it states none. Example:
   * `0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52`.
   */
  readonly transaction_hash: string | null
}

/** A part of a return, as the provider states it. */
export interface ReportedPart {
  /** The provider's id of the part. Example: `part_1`. */
  readonly id: string
  /** What the part brought. Example: `60.00`. */
  readonly amount: string
}

/** A payment that was reported. */
export interface ReportedPayin {
  /** The id of the payment. Send it again to report a later stage. Example: `payin_…`. */
  readonly payin_id: string
  /**
   * The transaction of the deposit or the onramp. Null if the payment made none, such as one that is not credited.
   * Example: `txn_…`.
   */
  readonly transaction_id: string | null
}

export interface ResolveBreak {
  /**
   * What to do. `match`: the lines are these movements: their sums are equal. `explain`: an adjusting entry accounts
   * for the difference. `adopt`: the line pays the movement, whose outcome is unknown: it succeeds. `dismiss`: it is no
   * difference that concerns the books. `unmatch`: undoes matches of lines, and leaves the lines to people. `reopen`:
   * undoes what ended it.
   */
  readonly action: "match" | "explain" | "adopt" | "dismiss" | "unmatch" | "reopen"
  /** Why. The break, the entry and the audit log show it. Example: `The bank's fee of January`. */
  readonly note: string
  /** With `match` and `unmatch`: the lines. Default: those of the break. */
  readonly line_ids?: ReadonlyArray<string> | null | undefined
  /**
   * With `match`: the resources whose movements they are. Default: those of the break, or its only candidate. An empty
   * list: the lines are each other, as a booking and its reversal are.
   */
  readonly resource_ids?: ReadonlyArray<string> | null | undefined
  /** With `adopt`: the movement. Default: the one that the line names. Example: `ofr_…`. */
  readonly resource_id?: string | null | undefined
  /** With `explain`: the account to debit. Example: `costs:simulated`. */
  readonly from?: string | null | undefined
  /** With `explain`: the account to credit. Example: `world:simulated`. */
  readonly to?: string | null | undefined
  /** With `explain`: the amount. Default: what differs. Example: `12.50`. */
  readonly amount?: string | null | undefined
}

export interface ResolveException {
  /**
   * What to do. `refund`: send the money back to its payer. `credit`: credit it to a wallet. `apply`: apply the late
   * event as if it had come in time. `dismiss`: close it; nothing is moved.
   */
  readonly action: "refund" | "credit" | "apply" | "dismiss"
  /**
   * With `credit`: the wallet to credit. Default: the wallet that the money was sent to, if it is known. Example:
   * `wal_…`.
   */
  readonly wallet_id?: string | null | undefined
  /** Why. The audit log shows it. Example: `Refunded at the bank's request`. */
  readonly note: string
}

/** A row of the file. */
export interface ResolvedBreak {
  /** The line of the file on which the row begins. Example: `2`. */
  readonly line: number
  /** The break. Null where the row names none. Example: `brk_…`. */
  readonly id: string | null
  /** `ok`, `skipped`, `waits for approval <id>`, or why not. Example: `ok`. */
  readonly result: string
}

/** What became of a file of breaks. */
export interface ResolvedBreaks {
  /** How many rows were carried out. Example: `391`. */
  readonly succeeded: number
  /** How many were not. Example: `2`. */
  readonly failed: number
  /** How many have no action. Example: `7`. */
  readonly skipped: number
  /** How many wait for approval, each by itself. Example: `0`. */
  readonly waiting: number
  /** The rows, in their order. */
  readonly rows: ReadonlyArray<ResolvedBreak>
}

/** A resource of any kind and merchant. */
export interface Resource extends Dated {
  /** The id of the resource. Example: `ofr_…`. */
  readonly id: string
  /** The kind of the resource. Example: `offramp`. */
  readonly kind: string
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
  /** The customer. Null without one. Example: `cust_…`. */
  readonly customer_id: string | null
  /** Its status. Example: `processing`. */
  readonly status: string
  /** The state of its machine, finer than `status`. Example: `submitting`. */
  readonly state: string
  /** The version of its machine. Example: `1`. */
  readonly machine: string
  /** The resource as its own operation returns it. */
  readonly resource: { readonly [member: string]: unknown }
  /** The commands that move its money, with the references by which statements name them. */
  readonly commands: ReadonlyArray<ResourceCommand>
  /** The resources that it belongs to or made. */
  readonly related: ReadonlyArray<RelatedResource>
}

/** A command that moves money of a resource. */
export interface ResourceCommand {
  /** The command: the provider's idempotency key. Example: `ofr_….payout`. */
  readonly command_id: string
  /** What the provider gives to the bank for it. Example: `01J9Z3K4M59XV3RT`. */
  readonly statement_reference: string
}

/** Everything that happened to a resource. */
export interface ResourceHistory {
  /** The id of the resource. Example: `ofr_…`. */
  readonly id: string
  /** The kind of the resource, such as `offramp` or `deposit`. Example: `offramp`. */
  readonly kind: string
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** Its status. Example: `processing`. */
  readonly status: string
  /** The state of its machine, finer than `status`: see `docs/machines.md`. Example: `submitting`. */
  readonly state: string
  /** The time of the last progress. Null when the resource has ended. Example: `2026-01-31T09:30:00.000Z`. */
  readonly since: string | null
  /** What it waits for. Null when the resource has ended. Example: `outcome_unknown`. */
  readonly reason: string | null
  /** Who must act before the provider goes on. Null: nobody, or the provider has not said. */
  readonly awaited_person: AwaitedPerson | null
  /** The number of submissions to the provider. Null when the resource has ended. Example: `1`. */
  readonly attempts: number | null
  /** The provider's last answer. Null without one. */
  readonly last_answer: LastAnswer | null
  /** When the next attempt is due. Null if none is. Example: `2026-01-31T09:35:00.000Z`. */
  readonly next_attempt_at: string | null
  /** The provider that has it. Null without one. Example: `simulated`. */
  readonly provider: string | null
  /**
   * The provider's own reference of the payment, as its statements show it. Null if it is not known. Example:
   * `FT26031XK92`.
   */
  readonly provider_reference: string | null
  /** What the provider reported of its commands, oldest first, in the provider's words. */
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** All transitions, oldest first. */
  readonly transitions: ReadonlyArray<ResourceTransition>
}

/** A resource and its status. */
export interface ResourceStatus {
  /** The id of the resource. Example: `ben_…`. */
  readonly id: string
  /** Its status now. Example: `active`. */
  readonly status: string
}

/** A transition of the resource. */
export interface ResourceTransition {
  /** The version that the transition made: 1 at the creation. Example: `2`. */
  readonly version: number
  /** The state before. Null at the creation. Example: `created`. */
  readonly from: string | null
  /** The state after. Example: `submitting`. */
  readonly to: string
  /** The event of the machine. Example: `payout.begun`. */
  readonly event: string
  /** What caused it: a request, a job, a timer or an event of the provider. Example: `job:ofr_….payout`. */
  readonly cause: string
  /** The operator's note. Null without one. Example: `Confirmed by phone`. */
  readonly note: string | null
  /** When it was committed. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The postings that it made. */
  readonly postings: ReadonlyArray<Posting>
  /** The events that it published. */
  readonly events: ReadonlyArray<PublishedEvent>
}

/** How to remove the restriction. */
export interface RestrictionNextSteps {
  /**
   * What removes the restriction. Example: `Verify the customer with POST /v1/customers/{customerId}/verifications.`.
   */
  readonly action: string
  /** The page that explains it. Example: `https://pay.example.com/docs/errors/customer_kyc_not_approved`. */
  readonly docs_url: string
}

/** A part of a return. */
export interface ReturnedPart {
  /** The provider's id of the part. Example: `part_2`. */
  readonly id: string
  /** What it brought, in the currency of the return. Example: `40.00`. */
  readonly amount: string
}

/** A sum of fees in one currency. */
export interface Revenue {
  /** The currency of the fees. Example: `USDC`. */
  readonly currency: string
  /** The sum of the fees, in `currency`. Example: `91.25`. */
  readonly amount: string
}

export interface ReverseAdjustingEntry {
  /** Why. The reversal and the audit log show it. Example: `Booked twice`. */
  readonly note: string
}

export interface ReviewAccessRequest extends Noted {
  /** Whether the merchant can use the currency. */
  readonly decision: "approve" | "reject"
  /** Why. The merchant sees it. Example: `licence checked`. */
  readonly reason?: string | null | undefined
}

export interface ReviewVerification {
  /** The verdict. `approve` gives the requested tier. */
  readonly decision: "approve" | "reject"
  /**
   * With `reject`: why. Default: `declined`. `document_invalid`: the identity document could not be read, has expired
   * or is not accepted. `identity_mismatch`: the customer's data does not match the document. `declined`: the identity
   * could not be confirmed.
   */
  readonly reason?: "document_invalid" | "identity_mismatch" | "declined" | null | undefined
  /** Why. The audit log shows it. Example: `Matches the passport`. */
  readonly note?: string | null | undefined
}

export interface RevokeAccessRequest extends Noted {
  /** Why. The merchant sees it. Example: `licence checked`. */
  readonly reason?: string | null | undefined
}

/** The time before each act. */
export interface RollingWindow {
  /** The length of the time before the act: an ISO 8601 duration from `PT1M` to `P366D`. Example: `PT24H`. */
  readonly rolling: string
}

/** A provider that would serve the request. The first takes it. */
export interface Route {
  /** The first name that the provider had in this store, as its accounts have it. Example: `simulated`. */
  readonly provider: string
  /** As configured; a lower number goes first. Example: `0`. */
  readonly priority: number
  /** What it would charge, in the currency of the request. Example: `0.50`. */
  readonly cost: string
  /**
   * Whether it takes work. `healthy`: it takes work. `failing`: its circuit breaker is open on the node that responds.
   * `paused`: a pause stops it.
   */
  readonly health: "healthy" | "failing" | "paused"
}

export interface SandboxAdvance {
  /** How far to move the clock forward, in seconds, from 0 to 315360000. Example: `3600`. */
  readonly seconds: number
}

export interface SandboxDeposit {
  /** The wallet that receives the money, on an address or credential that is made if it has none. Example: `wal_…`. */
  readonly wallet_id?: string | null | undefined
  /** The deposit address that is paid to. Example: `da_…`. */
  readonly deposit_address_id?: string | null | undefined
  /** The credential that is paid to. Example: `wcr_…`. */
  readonly credential_id?: string | null | undefined
  /** The onramp that is paid. Exactly one of the four ids is required. Example: `onr_…`. */
  readonly onramp_id?: string | null | undefined
  /** What the payer pays, in `currency`. Example: `500.00`. */
  readonly amount: string
  /**
   * The currency of `amount`. Default: that of the earlier reports of the payment, or the one that is expected.
   * Example: `USDC`.
   */
  readonly currency?: string | null | undefined
  /**
   * How far the payment is. Default: `confirmed`. `detected`: seen, and not final. `failed`: it did not arrive after
   * all.
   */
  readonly stage?: "detected" | "confirmed" | "failed" | null | undefined
  /**
   * The payment: the same id reports a later stage of it, as this call says; what contradicts an earlier report becomes
   * an exception. Default: a new one. Example: `payin-1042`.
   */
  readonly payin_id?: string | null | undefined
  /** The address that a crypto payment comes from. Example: `0x8617E340B3D01FA5F11F306F4090FD50E238070D`. */
  readonly from_address?: string | null | undefined
  readonly sender?: SandboxSender | null | undefined
  /** The text of the bank transfer. Example: `Invoice 1042`. */
  readonly narration?: string | null | undefined
}

export interface SandboxOutcome {
  /** The movement: an onramp, offramp, conversion or transfer. Example: `ofr_…`. */
  readonly resource_id: string
  /**
   * What the provider reports. `temporarily_unavailable`: the route is down. `refund_failed`: the money cannot be given
   * back.
   */
  readonly outcome: "success" | "failed" | "cancelled" | "reversed" | "returned" | "temporarily_unavailable" | "refund_failed"
  /** The provider's reason. Example: `account_closed`. */
  readonly reason?: string | null | undefined
  /**
   * The hash of the payment on its network. Example:
   * `0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52`.
   */
  readonly transaction_hash?: string | null | undefined
  /** What the provider states was paid out, or came back. Default: the whole amount. Example: `147753.75`. */
  readonly amount?: string | null | undefined
  /** The currency of `amount`, to be certain. Example: `NGN`. */
  readonly currency?: string | null | undefined
  /** What the provider states that it charged. Example: `50.00`. */
  readonly fee?: string | null | undefined
  /** The currency of `fee`. Default: that of `amount`. Example: `NGN`. */
  readonly fee_currency?: string | null | undefined
  /** All parts of a return, or of a refund, so far, where it comes in several. Report it again with more of them. */
  readonly parts?: ReadonlyArray<{
    /** The provider's id of the part. Example: `part_1`. */
    readonly id: string
    /** What the part brought. Example: `60.00`. */
    readonly amount: string
  }> | null | undefined
  /** No more parts follow: what is missing is the provider's fee. Default: `false`. Example: `true`. */
  readonly complete?: boolean | null | undefined
  /** The provider's own reference of the payment. Example: `FT26031XK92`. */
  readonly provider_reference?: string | null | undefined
  /**
   * The provider's id of the report. The same id again is a repeat; with another content it becomes an exception.
   * Example: `evt-88121`.
   */
  readonly event_id?: string | null | undefined
}

/** How the simulated provider treats the merchant. */
export interface SandboxProvider {
  /**
   * How submissions are answered. `accept`: taken. `hold`: not asked yet. `unavailable`: temporarily unavailable.
   * `timeout`: taken, but the answer is lost.
   */
  readonly submissions: "accept" | "hold" | "unavailable" | "timeout"
  /** How refunds end. `settle`: they succeed. `accept`: they wait for `POST /sandbox/outcomes`. Default: as before. */
  readonly refunds?: "settle" | "accept" | undefined
}

export interface SandboxScreen {
  /** The verdict. `screened`: cleared. `refused`: not cleared, the beneficiary is blocked. */
  readonly outcome: "screened" | "refused"
  /** The screening that the verdict is about. Default: the beneficiary's current one. Example: `scr_…`. */
  readonly screening_id?: string | null | undefined
}

/** The payer of a bank transfer. */
export interface SandboxSender {
  /** The name of the payer. Example: `Chidi Eze`. */
  readonly name?: string | null | undefined
  /** The payer's bank. Example: `Zenith Bank`. */
  readonly bank?: string | null | undefined
  /** The payer's account number. Its last four digits are kept. Example: `0011223344`. */
  readonly account_number?: string | null | undefined
}

export interface SandboxVerification {
  /** What the provider reports. `opened`: the customer opened the link. */
  readonly outcome: "opened" | "approved" | "rejected"
  /** With `rejected`: why. Example: `identity_mismatch`. */
  readonly reason?: string | null | undefined
}

/** A resource that matches a search. */
export interface SearchResult extends OwnSearchResult {
  /** The merchant. Null for the platform's own records. Example: `mer_…`. */
  readonly merchant_id: string | null
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** The originator of payouts, where it is not the customer. */
export interface Sender extends Dated {
  /** The id of the sender. Example: `snd_…`. */
  readonly id: string
  /** The customer that the sender belongs to. Example: `cust_…`. */
  readonly customer_id: string
  /** Whether the sender is a person or a business. */
  readonly type: "individual" | "business"
  /** The name of the person or business. Example: `Amara Okafor`. */
  readonly name: string
  /** The email address of the sender. Null if you sent none. Example: `ada@example.com`. */
  readonly email: string | null
  /** The country of the sender, ISO 3166-1 alpha-2. Example: `GB`. */
  readonly country_code: string
  /** The postal address. Null if it is not given. */
  readonly address: Address | null
  /** The date of birth as MM/DD/YYYY. Null if it is not given. Example: `01/31/1990`. */
  readonly date_of_birth: string | null
  /**
   * The number of the identity document, masked to its last four characters. Null if it is not given. Example:
   * `*****4567`.
   */
  readonly id_number: string | null
  /** The type of the identity document. Null if it is not given. Example: `passport`. */
  readonly id_type: string | null
  /** Your own name for it. Null if you sent none. Example: `crm-88121`. */
  readonly merchant_reference: string | null
  /** Your own data, as you sent it. Empty if you sent none. */
  readonly metadata: { readonly [member: string]: string }
}

/** The sender that the provider is given as the originator, as of the creation of the payout. */
export interface SenderSummary extends Dated {
  /** The id of the sender. Example: `snd_…`. */
  readonly id: string
  /** `individual` or `business`. Example: `individual`. */
  readonly type: string
  /** The name of the person or business. Example: `Amara Okafor`. */
  readonly name: string
  /** The email address of the sender. Null if you sent none. Example: `amara@example.com`. */
  readonly email: string | null
  /** The country of the sender, ISO 3166-1 alpha-2. Example: `GB`. */
  readonly country_code: string
}

/** What was sent beside the body. */
export interface SentRequest {
  /** Where it was sent. Example: `https://example.com/webhooks`. */
  readonly url: string
  /** The headers, without the signature. */
  readonly headers: { readonly [member: string]: string }
}

/** What was run. */
export interface Settled {
  /** The jobs that were run. Example: `4`. */
  readonly steps: number
  /** The webhook deliveries that are still under way. Example: `0`. */
  readonly deliveries_pending: number
}

/** A line of a statement. */
export interface StatementLine {
  /** The provider's id of the line. Example: `line_8812`. */
  readonly id: string
  /** When the provider booked it. Example: `2026-01-31T09:30:00.000Z`. */
  readonly booked_at: string
  /** Whether it came in or went out. `credit`: it came in. `debit`: it went out. */
  readonly direction: "credit" | "debit"
  /** The amount, in `currency`. Example: `147753.75`. */
  readonly amount: string
  /** The currency of the line. Example: `NGN`. */
  readonly currency: string
  /** The command that it belongs to, if the provider knows it. Null if not. Example: `ofr_….payout`. */
  readonly command_id: string | null
  /** The pay-in that it belongs to. Null without one. Example: `payin_…`. */
  readonly payin_id: string | null
  /** The provider's own reference. Null without one. Example: `FT26031XK92`. */
  readonly provider_reference: string | null
  /**
   * The hash of the payment on its network. Null without one. Example:
   * `0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52`.
   */
  readonly transaction_hash: string | null
  /** The text of the payment. Null without one. Example: `Invoice 77`. */
  readonly narration: string | null
}

/** How the columns of a bank's CSV are read. */
export interface StatementMapping {
  /** The id of the mapping. Example: `stp_…`. */
  readonly id: string
  /** A name for people. Example: `Euro account, online export`. */
  readonly name: string
  /** The external account whose files it reads. Example: `xac_…`. */
  readonly external_account_id: string
  /** Where the members of a line stand. */
  readonly columns: MappedColumns
  /** What stands between columns. Example: `;`. */
  readonly separator: "," | ";" | "\t" | "|"
  /** What stands before the decimals. Example: `,`. */
  readonly decimal: "." | ","
  /** The order of year, month and day. Example: `dmy`. */
  readonly dates: "ymd" | "dmy" | "mdy"
  /** The encoding. Default: that of its byte order mark, else `utf-8`. */
  readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"
  /**
   * What stands between groups of digits; either apostrophe stands for both. Default: nothing, or a space. Example:
   * `.`.
   */
  readonly thousands?: "," | "." | " " | "'" | "’"
  /** Whether a row names the columns. Default: `true`. Example: `true`. */
  readonly header?: boolean
  /** The texts of the column `direction`. */
  readonly words?: MappedWords
  /** Whether the column `debit` has a minus sign. Default: `positive`. */
  readonly debits?: "positive" | "negative"
  /** Rows that are no bookings, such as totals. */
  readonly ignore?: ReadonlyArray<MappedRows>
  /** Rows that are not booked yet. Default: those without a date. */
  readonly pending?: ReadonlyArray<MappedRows>
  /** The row that has the opening balance. */
  readonly opening?: MappedRows
  /** The row that has the closing balance. */
  readonly closing?: MappedRows
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
}

/** The first rows of a CSV, and what a mapping makes of them. */
export interface StatementPreview {
  /** What stands between columns: the given one, else the one by which most rows have most cells. Example: `;`. */
  readonly separator: "," | ";" | "\t" | "|"
  /** The first rows that have text, at most 12. */
  readonly rows: ReadonlyArray<PreviewedRow>
  /** The first three lines by the mapping. Empty without one. */
  readonly lines: ReadonlyArray<PreviewedLine>
  /** How many lines the mapping reads of what was sent. Example: `42`. */
  readonly count: number
  /** Why what was sent is refused by the mapping. Null where it is read. */
  readonly fault: PreviewFault | null
}

/** Counts, volumes and times of movements. */
export interface Statistics {
  /** The beginning of the report, a full hour. Example: `2026-01-24T10:00:00.000Z`. */
  readonly from: string
  /** The end of the report, exclusive, a full hour. Example: `2026-01-31T10:00:00.000Z`. */
  readonly to: string
  /** The rows, in order. Times without a movement have none. */
  readonly rows: ReadonlyArray<StatisticsRow>
}

/** The movements of a time, an operation, a corridor, ... */
export interface StatisticsRow {
  /**
   * The beginning of the hour, day or month, UTC. Only if `by` has `hour`, `day` or `month`. Example:
   * `2026-01-31T09:00:00.000Z`.
   */
  readonly at?: string
  /** The kind of movement. Only if `by` has `operation`. Example: `offramp`. */
  readonly operation?: string
  /** The source and destination currency. Only if `by` has `corridor`. Example: `USDC-NGN`. */
  readonly corridor?: string
  /** The provider. Null: none was asked. Only if `by` has `provider`. Example: `simulated`. */
  readonly provider?: string | null
  /** The failure reason. Null: it has not failed. Only if `by` has `failure_reason`. Example: `quote_expired`. */
  readonly failure_reason?: string | null
  /** The merchant. Only if `by` has `merchant`. Example: `mer_…`. */
  readonly merchant_id?: string
  /** The name of the merchant. Only if `by` has `merchant`. Example: `Ada Ltd`. */
  readonly merchant_name?: string | null
  /** The movements that were created in this time. Example: `183`. */
  readonly count: number
  /** Those that succeeded. Example: `176`. */
  readonly succeeded: number
  /** Those that failed or were returned. Example: `5`. */
  readonly failed: number
  /** Those that have not ended. Example: `2`. */
  readonly open: number
  /**
   * The share of those that ended which succeeded: four decimals, rounded down. Null when none has ended. Example:
   * `0.9723`.
   */
  readonly success_share: string | null
  /** The source amounts of those that succeeded, by currency. */
  readonly volume: ReadonlyArray<Volume>
  /** The gateway and network fees of those that succeeded, by currency: what they have posted to the account `fees`. */
  readonly revenue: ReadonlyArray<Revenue>
  /** From creation to success, in whole seconds, by nearest rank. Null when none has succeeded. */
  readonly seconds_to_success: Timing | null
}

/** A resource that has made no progress for some time. */
export interface StuckResource {
  /** The id of the resource. Example: `ofr_…`. */
  readonly id: string
  /** The kind of the resource, such as `offramp` or `deposit`. Example: `offramp`. */
  readonly kind: string
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** Its status. Example: `processing`. */
  readonly status: string
  /** The state of its machine, finer than `status`: see `docs/machines.md`. Example: `submitting`. */
  readonly state: string
  /** What it is about: of a movement, what leaves its source. Null if that is no amount. Example: `10.00`. */
  readonly amount: string | null
  /** The currency of `amount`. Null without one. Example: `USDC`. */
  readonly currency: string | null
  /**
   * The time of the last progress. A retry, or a `pending` answer of the provider, is no progress. Example:
   * `2026-01-31T09:30:00.000Z`.
   */
  readonly since: string
  /**
   * What it waits for, such as `outcome_unknown`, `awaiting_person`, `provider_not_ready`, `other_provider`,
   * `awaiting_release` or `paused`. Example: `outcome_unknown`.
   */
  readonly reason: string
  /** Who must act before the provider goes on. Null: nobody, or the provider has not said. */
  readonly awaited_person: AwaitedPerson | null
  /** The number of submissions to the provider. Example: `1`. */
  readonly attempts: number
  /** The provider's last answer. Null without one. */
  readonly last_answer: LastAnswer | null
  /** When the next attempt is due. Null if none is. Example: `2026-01-31T09:35:00.000Z`. */
  readonly next_attempt_at: string | null
  /** The name of the merchant. Null for the platform's own records. Example: `Lagos Trading`. */
  readonly merchant_name: string | null
}

/** What the customer entered on the hosted page. */
export interface SubmittedIdentity {
  /** The name that the customer entered. Example: `Ada Obi`. */
  readonly name: string
  /** The date of birth, MM/DD/YYYY. Null if it was not entered. Example: `01/31/1990`. */
  readonly date_of_birth: string | null
  /** The type of the document. Null if it was not entered. Example: `passport`. */
  readonly document_type: string | null
  /**
   * The number of the document, masked to its last four characters. Null if it was not entered. Example: `*****4567`.
   */
  readonly document_number: string | null
}

/** A sum in one currency. */
export interface Sum {
  /** The currency. Example: `NGN`. */
  readonly currency: string
  /** The sum, in `currency`. Example: `2955075.00`. */
  readonly amount: string
}

/** What happened to a resource, in order, and what it waits for. */
export interface Timeline {
  /** The id of the resource. Example: `ofr_…`. */
  readonly id: string
  /** The kind of the resource. Example: `offramp`. */
  readonly kind: string
  /** The merchant that it belongs to. Example: `mer_…`. */
  readonly merchant_id: string
  /** Its status. Example: `processing`. */
  readonly status: string
  /** The state of its machine, finer than `status`. Example: `submitting`. */
  readonly state: string
  /** The version of its machine. Example: `1`. */
  readonly machine: string
  /** When it was created. Example: `2026-01-31T09:30:00.000Z`. */
  readonly created_at: string
  /** When it ended. Null before. Example: `2026-01-31T09:30:04.000Z`. */
  readonly ended_at: string | null
  /** What it waits for. Null when it has ended. */
  readonly waits_for: WaitsFor | null
  readonly explanation: Explanation
  /** What happened, oldest first. `type` tells the entries apart. */
  readonly entries: ReadonlyArray<TimelineRequest | TimelineTransition | TimelinePosting | TimelineProviderCall | TimelineProviderEvent | TimelineTimer | TimelineEvent | TimelineDelivery>
  /**
   * Whether entries are missing: older ones beyond the limit, or those whose records were deleted after their time.
   * Example: `false`.
   */
  readonly truncated: boolean
}

/** An attempt to deliver an event. */
export interface TimelineDelivery extends TimelineMembers {
  readonly type: "delivery"
  /** The id of the delivery. Example: `dlv_…`. */
  readonly delivery_id: string
  /** The event that is delivered. Example: `evt_…`. */
  readonly event_id: string
  /** The type of the event. Example: `offramp.processing`. */
  readonly event_type: string
  /** The webhook endpoint. Example: `whe_…`. */
  readonly endpoint_id: string
  /** Where it was sent. Null if nothing was sent. Example: `https://example.com/webhooks`. */
  readonly url: string | null
  /** The number of the attempt, from 1; 0 before the first. Example: `1`. */
  readonly attempt: number
  /** The HTTP status of the response. Null without one. Example: `200`. */
  readonly status_code: number | null
  /** Why it failed. Null if it did not. Example: `timeout after 15000 ms`. */
  readonly error: string | null
  /** How long it took, in milliseconds. Null before the first attempt. Example: `84`. */
  readonly latency_ms: number | null
  /** The start of the receiver's response as text. Null without a response. Example: `ok`. */
  readonly response_body: string | null
  /**
   * What became of the attempt. `failed`: it failed and was the last. `retried`: it failed, and another follows.
   * `pending`: it was not made yet.
   */
  readonly outcome: "delivered" | "failed" | "retried" | "pending"
  /** When the next attempt is due. Null if none is. Example: `2026-01-31T09:35:05.000Z`. */
  readonly next_attempt_at: string | null
}

/** An event that was published. */
export interface TimelineEvent extends TimelineMembers {
  readonly type: "event"
  /** The id of the event. Example: `evt_…`. */
  readonly event_id: string
  /** The type of the event. Example: `offramp.processing`. */
  readonly event_type: string
  /** Its number among the events of the resource. Example: `3`. */
  readonly event_sequence: number
}

/** The operator who called. */
export interface TimelineOperator {
  /** The id of the operator. Null for the configured token. Example: `opr_…`. */
  readonly id: string | null
  /** The name of the operator. Example: `Ada Obi`. */
  readonly name: string
}

/** A posting of the ledger. */
export interface TimelinePosting extends TimelineMembers {
  readonly type: "posting"
  /** The version of the resource that this belongs to: 1 at its creation. Example: `2`. */
  readonly version: number
  /** The account that is debited. Example: `available:wal_…`. */
  readonly debit: string
  /** The account that is credited. Example: `reserved:wal_…`. */
  readonly credit: string
  /** The amount, in `currency`. Example: `100.00`. */
  readonly amount: string
  /** The currency of the posting. Example: `USDC`. */
  readonly currency: string
}

/** A call to the provider. */
export interface TimelineProviderCall extends TimelineMembers {
  readonly type: "provider_call"
  /** The provider. Null where it is not shown. Example: `simulated`. */
  readonly provider: string | null
  /**
   * What was asked. `submit`: to pay. `lookup`: what became of a payment. `refund`: to give money back.
   * `lookup_refund`: what became of a refund. `issue`: for an address or account. `verify`: what became of a
   * verification. `screen`: whether a beneficiary may be paid. `resolve_account`: for the holder of an account.
   * `resolve_proxy`: for the holder of a payshap proxy. `banks`: for its banks. `instruct`: where to pay an onramp.
   * `start_verification`: for a page that verifies a customer. `price`: for a rate; the provider is then the rate
   * source.
   */
  readonly operation: "submit" | "lookup" | "refund" | "lookup_refund" | "issue" | "verify" | "screen" | "resolve_account" | "resolve_proxy" | "banks" | "instruct" | "start_verification" | "price"
  /** The command: the provider's idempotency key. Null for a question that has none. Example: `ofr_….payout`. */
  readonly command_id: string | null
  /**
   * The reference by which a bank's statement names the command. Null without a command. Example: `01J9Z3K4M59XV3RT`.
   */
  readonly statement_reference: string | null
  /** The number of the attempt, from 1. Example: `1`. */
  readonly attempt: number
  /** How long the answer took, in milliseconds. Null without an answer. Example: `212`. */
  readonly latency_ms: number | null
  /** What the provider said. Null while no answer is recorded. Example: `accepted`. */
  readonly answer: string | null
  /** The provider's own reference. Null if it is not known. Example: `FT26031XK92`. */
  readonly provider_reference: string | null
  /** Who must act before the provider goes on. Null: nobody, or the provider has not said. */
  readonly awaited_person: AwaitedPerson | null
}

/** A report of the provider. */
export interface TimelineProviderEvent extends TimelineMembers {
  readonly type: "provider_event"
  /** The provider. Example: `simulated`. */
  readonly provider: string
  /** The provider's id of the report. Example: `evt-88121`. */
  readonly event_id: string
  /** What it reported. Example: `provider.succeeded`. */
  readonly event: string
}

/** A call of a merchant or operator that changed the resource. */
export interface TimelineRequest extends TimelineMembers {
  readonly type: "request"
  /** The id of the request. Null for requests before ids were recorded. Example: `req_…`. */
  readonly request_id: string | null
  /** The API key. Null for an operator and an embedding application. Example: `key_…`. */
  readonly key_id: string | null
  /** The operator who called. Null for a merchant. */
  readonly operator: TimelineOperator | null
  /** The idempotency key of the request. Null without one. Example: `invoice-1042`. */
  readonly idempotency_key: string | null
  /** The operationId. Null if it was not recorded. Example: `createOfframp`. */
  readonly operation: string | null
}

/** A timer of the resource. */
export interface TimelineTimer extends TimelineMembers {
  readonly type: "timer"
  /** The name of the timer. Example: `quote_expiry`. */
  readonly name: string
  /** When it is or was due. Null if it is not known. Example: `2026-01-31T09:35:00.000Z`. */
  readonly due_at: string | null
  /** What became of it. `armed`: it is still to fire. */
  readonly outcome: "armed" | "fired" | "cancelled"
}

/** A transition of the resource. */
export interface TimelineTransition extends TimelineMembers {
  readonly type: "transition"
  /** The version of the resource that this belongs to: 1 at its creation. Example: `2`. */
  readonly version: number
  /** The state before. Null at the creation. Example: `created`. */
  readonly from: string | null
  /** The state after. Example: `submitting`. */
  readonly to: string
  /** The event of the machine. Example: `payout.begun`. */
  readonly event: string
  /** What caused it: a request, a job, a timer or an event of the provider. Example: `job:ofr_….payout`. */
  readonly cause: string
  /** The operator's note. Null without one. Example: `Confirmed by phone`. */
  readonly note: string | null
}

/** From creation to success, by nearest rank. */
export interface Timing {
  /** The median, in whole seconds. Example: `4`. */
  readonly p50: number
  /** The 95th percentile, in whole seconds. Example: `31`. */
  readonly p95: number
}

/** The movements of one recipient, failure reason, ..., or all. */
export interface Total {
  /** The kind of movement. Only if `by` has `type`. Example: `offramp`. */
  readonly type?: string
  /** The status of the movements. Only if `by` has `status`. Example: `success`. */
  readonly status?: string
  /** Whom they pay. Null for what pays no beneficiary. Only if `by` has `recipient`. Example: `ben_…`. */
  readonly beneficiary_id?: string | null
  /** The name of the beneficiary in the newest of them. Only if `by` has `recipient`. Example: `Chidi Okafor`. */
  readonly recipient?: string | null
  /** Why they failed or were returned. Null for any other. Only if `by` has `failure_reason`. */
  readonly failure_reason?: string | null
  /** The provider that has them. Only if `by` has `provider`. Example: `simulated`. */
  readonly provider?: string | null
  /** The merchant. Only if `by` has `merchant`. Example: `mer_…`. */
  readonly merchant_id?: string
  /** The name of the merchant. Only if `by` has `merchant`. Example: `Ada Ltd`. */
  readonly merchant_name?: string | null
  /** The movements. Refunds, forwards and credits of the operator are none. Example: `183`. */
  readonly count: number
  /** Those that succeeded, and deposits that arrived and are converted. Example: `176`. */
  readonly succeeded: number
  /** Those that failed or were returned. Example: `5`. */
  readonly failed: number
  /** Those that have not ended. Example: `2`. */
  readonly open: number
  /** What those that succeeded have taken, fees included, by currency. */
  readonly sent: ReadonlyArray<Sum>
  /** What the recipients of those that succeeded have received, by currency. */
  readonly received: ReadonlyArray<Sum>
  /** The fees of those that succeeded, by currency. */
  readonly fees: ReadonlyArray<Sum>
}

/** How many movements there are, and what they come to. */
export interface Totals {
  /** The rows, most movements first. Without `by` there is one. */
  readonly rows: ReadonlyArray<Total>
}

/** An entry of the unified history of movements and deposits. */
export interface Transaction extends Dated, TransactionMembers {
  /** The id of the transaction. Its characters after the prefix are those of the movement's id. Example: `txn_…`. */
  readonly id: string
  /**
   * The id of what it comes of: the movement, the deposit address, the credential, or the returned offramp. Example:
   * `ofr_…`.
   */
  readonly source_id: string
  /** The customer of the wallet. Example: `cust_…`. */
  readonly customer_id: string
  /** The reference of the movement. Null for most deposits. Example: `INV/2026/1042`. */
  readonly reference: string | null
  /**
   * The metadata of the movement. Of a deposit, that of the address or credential that it came to, with `from_address`
   * (crypto); `sender_name`, `sender_bank`, `sender_account_number` (the last four digits) and `narration` (fiat), as
   * far as the bank reported them; `hold_reason` while it is held.
   */
  readonly metadata: { readonly [member: string]: string }
  /** When it succeeded, or the deposit was credited. Null before. Example: `2026-01-31T09:30:04.000Z`. */
  readonly confirmed_at: string | null
  /**
   * The hash of the payment on its network. Null for bank payments, onramps, and until it is known. Example:
   * `0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52`.
   */
  readonly transaction_hash: string | null
  /** The wallet that is debited. Null for onramps and deposits. Example: `wal_…`. */
  readonly from_wallet_id: string | null
  /** The wallet that is credited. Null for offramps and transfers. Example: `wal_…`. */
  readonly to_wallet_id: string | null
  /** The beneficiary that a payout pays. Null for anything else. Example: `ben_…`. */
  readonly beneficiary_id: string | null
  /**
   * The name of whom a payout pays, as it was when the payout was made. Null for anything else. Example:
   * `Chidi Okafor`.
   */
  readonly recipient: string | null
  /**
   * What is taken from the source or arrived, in `source_currency`, fees included. Of an onramp: what its payer is
   * asked to pay. Where another amount was paid, its events have that as `actual_source_amount`, and filters and totals
   * count it. Example: `100.00`.
   */
  readonly source_amount: string
  /** The currency of `source_amount`. Example: `USDC`. */
  readonly source_currency: string
  /**
   * The quoted amount, in `destination_currency`; the network fee may still have to be deducted. Null for a deposit in
   * another currency that is not priced yet. Example: `148503.75`.
   */
  readonly destination_amount: string | null
  /** The currency of `destination_amount` and `received_amount`. Example: `NGN`. */
  readonly destination_currency: string
  /**
   * What the recipient is to receive, in `destination_currency`: `destination_amount` less the network fee, or the
   * `target_amount` of the quote. Null for a deposit in another currency that is not priced yet. Example: `147753.75`.
   */
  readonly quoted_received_amount: string | null
  readonly fee: Fee
  /** The transaction that caused it, such as the deposit of a conversion. Null without one. Example: `txn_…`. */
  readonly parent_transaction_id: string | null
  /** The first transaction of its chain; its own id without one. Example: `txn_…`. */
  readonly root_transaction_id: string
  /** The other transactions with the same root. */
  readonly related_transactions: ReadonlyArray<RelatedTransaction>
}

/** A payout of crypto from a wallet to a crypto beneficiary. */
export interface Transfer extends MovementMembers {
  /** The id of the transfer. Example: `tfr_…`. */
  readonly id: string
  /**
   * Where the transfer stands. `processing`: submitted to the provider, or about to be, or its outcome is not known
   * yet. `success`: paid out; terminal. `failed`: not paid out, and the amount is back in the wallet, unless
   * `failure_reason` is `refund_failed`; terminal.
   */
  readonly status: "processing" | "success" | "failed"
  /** Whether a temporarily unavailable route is tried again, for up to 24 hours. Example: `false`. */
  readonly retry_on_failure: boolean
  /** The wallet that is debited. */
  readonly wallet: WalletSummary
  /** The recipient, as of the creation of the transfer. */
  readonly beneficiary: Beneficiary
  /** The sender that the provider is given as the originator. Null: the originator is the customer. */
  readonly sender: SenderSummary | null
  /** What leaves the wallet and reaches the recipient, in `currency`. A transfer has no fee. Example: `25.00`. */
  readonly amount: string
  /** The currency of the wallet and of the beneficiary. Example: `USDC`. */
  readonly currency: string
  /** The network that the amount is paid on: the wallet's and the beneficiary's. Example: `base`. */
  readonly network: Network
  /**
   * The hash of the payout on its network. Null until the status is `success`. Example:
   * `0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52`.
   */
  readonly transaction_hash: string | null
}

/** An event of a transfer. */
export interface TransferEvent extends Omit<Event, "event_object"> {
  /** What happened. */
  readonly event_type: "transfer.processing" | "transfer.success" | "transfer.failed"
  readonly event_category: "transfer"
  /** The id of the transfer. Example: `tfr_…`. */
  readonly event_object_id: string
  /** The status of the transfer at the event. */
  readonly event_object_status: "processing" | "success" | "failed"
  readonly event_object: TransferEventObject
}

/** The transfer, as of the event. */
export interface TransferEventObject extends Transfer {
  /** When it reached its terminal status. Null before. Example: `2026-01-31T09:30:04.000Z`. */
  readonly terminal_at: string | null
}

/** The sums of the ledger. Debits and credits are always equal. */
export interface TrialBalance {
  /** The sums of each currency. */
  readonly currencies: ReadonlyArray<CurrencyBalance>
  /** The balance of each class of accounts, by currency. */
  readonly classes: ReadonlyArray<ClassBalance>
}

export interface UpdateApprovalRule extends ApprovalRuleTerms {
  /** The acts that wait, at least one. */
  readonly operations?: ReadonlyArray<"transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release"> | null | undefined
  /** From which amount on acts wait. Null: always. */
  readonly above?: CreateApprovalAbove | null | undefined
  /** `ended` ends the rule for good. Example: `ended`. */
  readonly status?: "active" | "ended" | null | undefined
}

export interface UpdateBeneficiary extends WithMetadata {
  /** The name of the recipient. A change starts a new screening. Example: `Ada Obi`. */
  readonly name?: string | null | undefined
  /** The recipient's postal address, which some banks ask for. */
  readonly address?: AddressInput | null | undefined
  /**
   * fiat: the code of why the recipient is paid, from the list of its bank or regulator. Payouts have it from then on.
   * Example: `SALA`.
   */
  readonly purpose_code?: string | null | undefined
  /** A name for people. Example: `treasury`. */
  readonly label?: string | null | undefined
  /** Your own name for it. It need not be unique. Example: `crm-88121`. */
  readonly merchant_reference?: string | null | undefined
  readonly details?: UpdateDetails | null | undefined
}

export interface UpdateCustomer extends WithMetadata {
  /** The name of the person or business. It cannot be changed once a verification is approved. Example: `Ada Obi`. */
  readonly name?: string | null | undefined
  /** The email address of the customer. Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  /** Your own name for it. It need not be unique. Example: `crm-88121`. */
  readonly merchant_reference?: string | null | undefined
  readonly profile?: ProfileInput | null | undefined
}

/** The account details to change. They are checked and screened again. */
export interface UpdateDetails {
  /**
   * The account number; of EUR, the IBAN: another one without a bank beside it replaces the bank, too. With `rail`
   * `payshap`, the proxy. Example: `0123456789`.
   */
  readonly account_number?: string | null | undefined
  /**
   * The id of the bank, from `GET /v1/providers`. Required for a bank account without an IBAN, and ignored with `rail`
   * `payshap`. Example: `prov_…`.
   */
  readonly provider_id?: string | null | undefined
  /** The bank as responses show it, or its id: another way to send `provider_id`. */
  readonly provider?: string | BankInput | null | undefined
  /** The name of the account holder. Example: `ADA OBI`. */
  readonly account_name?: string | null | undefined
  /**
   * fiat: the identity document of the account's holder, where the bank asks for one to say whose the account is (ZA).
   * It is sent to the provider and not stored.
   */
  readonly holder_document?: HolderDocumentInput | null | undefined
}

export interface UpdateExternalAccount extends Noted {
  /**
   * What statements call the account: 1 to 20. A bank's account takes `iban`, `bban` and `account_number`, a chain's
   * `address`.
   */
  readonly identifiers?: ReadonlyArray<CreatePlaceIdentifier> | null | undefined
  /** What was in the account before Corridor counted. */
  readonly opening?: CreateOpeningBalance | null | undefined
  /** The time zone of its days, of the IANA database. Example: `Europe/Berlin`. */
  readonly time_zone?: string | null | undefined
  /** What goes through it. Default: both. */
  readonly uses?: ReadonlyArray<"payouts" | "payins"> | null | undefined
  /** `closed` ends its use, `active` begins it again. */
  readonly status?: "active" | "closed" | null | undefined
}

export interface UpdateLimit extends LimitTerms {
  /**
   * The acts that count, one or more. `payout`: transfers and offramps. `batch`: its confirmation, with the sum of its
   * rows. `deposit` is of a `tier` alone. The other words count acts of operators and of keys: those that move no money
   * have no amount, so that `max_amount` counts none of them.
   */
  readonly operations?: ReadonlyArray<"transfer" | "offramp" | "onramp" | "conversion" | "payout" | "batch" | "adjusting_entry" | "exception_credit" | "deposit_release" | "break_resolution" | "limit" | "approval_rule" | "fee_schedule" | "operator" | "api_key" | "merchant" | "brake_release" | "deposit"> | null | undefined
  /** The most that may move in the window, in `currency`. Null: none. Example: `10000.00`. */
  readonly max_amount?: string | null | undefined
  /** The most acts in the window. Null: none. Example: `20`. */
  readonly max_count?: number | null | undefined
  /** `disabled` ends it, `active` begins it again with what it had counted. */
  readonly status?: "active" | "disabled" | null | undefined
}

export interface UpdateMerchant extends Noted {
  /** The new status. `suspended` rejects its keys and holds its queued payouts. */
  readonly status: "pending" | "active" | "suspended"
}

export interface UpdateOperator extends Noted {
  /** The name of the operator. Example: `Ada Obi`. */
  readonly name?: string | null | undefined
  /** The email address of the operator. Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  /**
   * The role of the operator. `viewer`: reads. `support`: reviews and freezes as well. `treasury`: acts on money as
   * well: deposits, exceptions, pauses. `admin`: everything: merchants, their keys, operators.
   */
  readonly role?: "viewer" | "support" | "treasury" | "admin" | null | undefined
}

export interface UpdateSender extends WithMetadata {
  /** The name of the person or business. Example: `Amara N. Okafor`. */
  readonly name?: string | null | undefined
  /** The email address of the sender. Example: `ada@example.com`. */
  readonly email?: string | null | undefined
  readonly address?: AddressInput | null | undefined
  /** The date of birth as MM/DD/YYYY, in the past. Example: `01/31/1990`. */
  readonly date_of_birth?: string | null | undefined
  /** The number of the identity document. Responses show its last four characters. Example: `A01234567`. */
  readonly id_number?: string | null | undefined
  /** The type of the identity document. */
  readonly id_type?: "passport" | "national_id" | "drivers_license" | "voters_card" | "nin" | "bvn" | "residence_permit" | "tax_id" | null | undefined
  /** Your own name for it. It need not be unique. Example: `crm-88121`. */
  readonly merchant_reference?: string | null | undefined
}

export interface UpdateWallet extends WithMetadata {
  /** A name for people. Example: `treasury`. */
  readonly label?: string | null | undefined
}

export interface UpdateWebhookEndpoint {
  /** Whether it receives events. */
  readonly active?: boolean | null | undefined
  /** Where to post events. Example: `https://example.com/webhooks`. */
  readonly url?: string | null | undefined
  /** A note for people. Example: `payouts service`. */
  readonly description?: string | null | undefined
  /** The categories whose events it receives, all events of each. */
  readonly categories?: ReadonlyArray<"onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc"> | null | undefined
}

/** An identity verification of a customer on a hosted page. */
export interface Verification extends VerificationMembers {
  /**
   * The tier of the customer now. By default `tier_0` can receive deposits of 1,000 USD in all, `tier_1` of 50,000 USD,
   * `tier_2` without a limit.
   */
  readonly tier_current: "tier_0" | "tier_1" | "tier_2"
  /**
   * The page where the customer completes the verification: show it to them. Null once there is a verdict. Example:
   * `https://pay.example.com/verify/Xq3v0mJ8cT5r`.
   */
  readonly hosted_url: string | null
  /**
   * When the link expires: 24 hours after it was made. Null once there is a verdict. Example:
   * `2026-02-01T09:30:00.000Z`.
   */
  readonly hosted_url_expires_at: string | null
  /** Where the page sends the customer at the end. Null if you sent none. Example: `https://example.com/verified`. */
  readonly redirect_url: string | null
  /**
   * Why the verification was rejected. Null unless it was. `document_invalid`: the identity document could not be read,
   * has expired or is not accepted. `identity_mismatch`: the customer's data does not match the document. `declined`:
   * the identity could not be confirmed.
   */
  readonly failure_reason: "document_invalid" | "identity_mismatch" | "declined" | null
  /**
   * `failure_reason` as a sentence, for people. Null without a reason. Example:
   * `The customer's data does not match the identity document.`.
   */
  readonly failure_reason_message: string | null
}

/** An event of a verification session. */
export interface VerificationEvent extends Omit<Event, "event_object"> {
  /** What happened. */
  readonly event_type: "kyc.approved" | "kyc.rejected"
  readonly event_category: "kyc"
  /** The id of the verification session. Example: `kyc_…`. */
  readonly event_object_id: string
  /** The status of the verification session at the event. */
  readonly event_object_status: "approved" | "rejected"
  readonly event_object: VerificationEventObject
}

/** The verification session, as of its verdict. Members without a value are absent. */
export interface VerificationEventObject extends VerificationMembers {
  /**
   * The tier of the customer now. By default `tier_0` can receive deposits of 1,000 USD in all, `tier_1` of 50,000 USD,
   * `tier_2` without a limit.
   */
  readonly tier_current: "tier_0" | "tier_1" | "tier_2"
  /** Where the page sends the customer at the end. Absent if you sent none. Example: `https://example.com/verified`. */
  readonly redirect_url?: string
  /** The customer after the verdict: `tier` is the new tier. */
  readonly customer?: CustomerSummary
  /** What was verified, id numbers masked. Only in `kyc.approved`. */
  readonly profile?: VerifiedProfile
  /**
   * The tier before. Only in a `kyc.approved` that promoted the customer. By default `tier_0` can receive deposits of
   * 1,000 USD in all, `tier_1` of 50,000 USD, `tier_2` without a limit.
   */
  readonly tier_upgraded_from?: "tier_0" | "tier_1" | "tier_2"
  /**
   * Why the verification was rejected. Only in `kyc.rejected`. `document_invalid`: the identity document could not be
   * read, has expired or is not accepted. `identity_mismatch`: the customer's data does not match the document.
   * `declined`: the identity could not be confirmed.
   */
  readonly failure_reason?: "document_invalid" | "identity_mismatch" | "declined"
  /**
   * `failure_reason` as a sentence, for people. Example: `The customer's data does not match the identity document.`.
   */
  readonly failure_reason_message?: string
}

/** A verification, as the staff that reviews it sees it. */
export interface VerificationReview extends VerificationMembers {
  /** The merchant of the customer. Example: `mer_…`. */
  readonly merchant_id: string
  /** The name of the customer, as the merchant gave it. Null if it is not known. Example: `Ada Obi`. */
  readonly customer_name: string | null
  /** The provider that verifies. Null: the staff of the operator. Example: `identity`. */
  readonly provider: string | null
  /** Whether an operator has to decide. Example: `true`. */
  readonly awaits_review: boolean
  /** What the customer entered. Null before. */
  readonly submitted: SubmittedIdentity | null
  /**
   * Why the verification was rejected. Null unless it was. `document_invalid`: the identity document could not be read,
   * has expired or is not accepted. `identity_mismatch`: the customer's data does not match the document. `declined`:
   * the identity could not be confirmed.
   */
  readonly failure_reason: "document_invalid" | "identity_mismatch" | "declined" | null
}

/** The postal address. Absent if it is not given. */
export interface VerifiedAddress {
  /** The street and number. Example: `12 Broad Street`. */
  readonly line1: string
  /** The city. Example: `Lagos`. */
  readonly city: string
  /** The country, ISO 3166-1 alpha-2. Example: `NG`. */
  readonly country_code: string
  /** A second line. Absent if there is none. Example: `Flat 4`. */
  readonly line2?: string
  /** The state or region. Absent if it is not given. Example: `Lagos`. */
  readonly state?: string
  /** The postal code. Absent if it is not given. Example: `101233`. */
  readonly postal_code?: string
}

/** What was verified. Members without a value are absent. */
export interface VerifiedProfile {
  /** The phone number in E.164 form. Absent if it is not given. Example: `+2348012345678`. */
  readonly phone?: string
  /** The date of birth as MM/DD/YYYY. Absent if it is not given. Example: `01/31/1990`. */
  readonly date_of_birth?: string
  /**
   * The number of the identity document, masked to its last four characters. Absent if it is not given. Example:
   * `*****4567`.
   */
  readonly id_number?: string
  /** The type of the identity document. Absent if it is not given. Example: `passport`. */
  readonly id_type?: string
  /** The number of the business licence. Absent if it is not given. Example: `RC-1187204`. */
  readonly business_licence?: string
  readonly address?: VerifiedAddress
}

/** A sum in one currency. */
export interface Volume {
  /** The source currency. Example: `USDC`. */
  readonly currency: string
  /** The sum of the source amounts, in `currency`. Example: `18250.00`. */
  readonly amount: string
}

/** What a resource waits for. */
export interface WaitsFor {
  /** What it waits for, in one word. Example: `outcome_unknown`. */
  readonly reason: string
  /**
   * What it waits for, in a sentence. Example:
   * `The provider has not said whether it paid. Until it does, the money is neither returned nor paid again.`.
   */
  readonly sentence: string
  /** The time of the last progress. Example: `2026-01-31T09:30:00.000Z`. */
  readonly since: string
  /**
   * Until when waiting is expected: the expiry of a quote or a link. Null: no limit. Example:
   * `2026-01-31T09:35:00.000Z`.
   */
  readonly until: string | null
  /** When the next attempt is due. Null if none is. Example: `2026-01-31T09:31:00.000Z`. */
  readonly next_attempt_at: string | null
  /** The number of submissions to the provider. Example: `1`. */
  readonly attempts: number
  /** Who must act before the provider goes on. Null: nobody, or the provider has not said. */
  readonly awaited_person: AwaitedPerson | null
}

/** A balance in one currency for one customer. */
export interface Wallet extends Dated {
  /** The id of the wallet. Example: `wal_…`. */
  readonly id: string
  /** The customer that the wallet belongs to. Example: `cust_…`. */
  readonly customer_id: string
  /** The customer that the wallet belongs to. */
  readonly customer: CustomerSummary
  /** Whether it holds crypto or fiat. */
  readonly type: "crypto" | "fiat"
  /** The currency of the wallet. Example: `USDC`. */
  readonly currency: string
  /** The country of the currency. Null for crypto and for EUR. Example: `NG`. */
  readonly country_code: string | null
  /**
   * The network that transfers are paid on: the one given at creation, or else that of the newest active credential in
   * the wallet's currency, or else `solana`; `bank` for fiat. Example: `base`.
   */
  readonly network: Network
  /** A name for people. Null if you sent none. Example: `treasury`. */
  readonly label: string | null
  readonly balance: Balance
  /** Your own data, as you sent it. Empty if you sent none. */
  readonly metadata: { readonly [member: string]: string }
}

/** A bank account or an address whose deposits are credited to a wallet, converted if the currency differs. */
export interface WalletCredential extends FundedCredential, Dated {
  /** The wallet that is credited. */
  readonly wallet: WalletSummary
  /**
   * Whether it can receive. `pending`: the provider has not issued it yet. `active`: deposits to it are credited or
   * converted. `frozen`: the operator withholds its deposits: they are held. `disabled`: closed for ever: what still
   * arrives is held.
   */
  readonly status: "pending" | "active" | "frozen" | "disabled"
}

/** The statement of a wallet: the opening balance and the lines make the closing balance exactly. */
export interface WalletStatement {
  /** The wallet. Example: `wal_…`. */
  readonly wallet_id: string
  /** The currency of all amounts except those of fees. Example: `USDC`. */
  readonly currency: string
  /** The first day. Example: `2026-01-01`. */
  readonly from: string
  /** The last day. Example: `2026-01-31`. */
  readonly to: string
  /** The balance when the first day began: available, reserved and held. Example: `1075.00`. */
  readonly opening_balance: string
  /** The balance when the last day ended, or now if it has not: available, reserved and held. Example: `975.00`. */
  readonly closing_balance: string
  /** What changed the balance, oldest first. What moves between available, reserved and held is no line. */
  readonly lines: ReadonlyArray<WalletStatementLine>
}

/** What changed the balance of a wallet. */
export interface WalletStatementLine {
  /** When it was booked. Example: `2026-01-31T09:30:00.000Z`. */
  readonly at: string
  /** The id of the movement or of the deposit. Example: `ofr_…`. */
  readonly resource_id: string
  /** What the resource is: `onramp`, `offramp`, `conversion`, `transfer` or `deposit`. Example: `offramp`. */
  readonly type: string
  /** The reference of the movement. Null for most deposits. Example: `INV/2026/1042`. */
  readonly reference: string | null
  /** Whether the wallet gains or loses it. */
  readonly direction: "credit" | "debit"
  /** What the wallet gains or loses, fees included. Example: `100.00`. */
  readonly amount: string
  /** The balance of the wallet after the line. Example: `975.00`. */
  readonly balance: string
  /**
   * The fees of the movement. Empty if nothing is charged: of a movement that failed or was returned, on both of its
   * lines.
   */
  readonly fees: ReadonlyArray<FeeLineItem>
  /**
   * The rate of the movement. Null without an exchange, also on both lines of a movement that failed or was returned.
   * Example: `1492.5`.
   */
  readonly rate: string | null
}

/** The wallet, as of the creation of what shows it. */
export interface WalletSummary {
  /** The id of the wallet. Example: `wal_…`. */
  readonly id: string
  /** The currency of the wallet. Example: `USDC`. */
  readonly currency: string
  /** A name for people. Null if you sent none. Example: `treasury`. */
  readonly label: string | null
}

/**
 * An unknown member of the request, which was ignored, and the nearest known name. With Prefer: handling=strict, the
 * request is rejected instead.
 */
export interface Warning {
  /** The name of the unknown member. Example: `referense`. */
  readonly field: string
  /**
   * A sentence with the nearest known name. Example:
   * ``referense` is not a field of this request. Did you mean `reference`?`.
   */
  readonly message: string
}

/** The delivery of an event to an endpoint, with its attempts. */
export interface WebhookDelivery {
  /** The id of the delivery. Example: `dlv_…`. */
  readonly id: string
  /** The event that is delivered. Example: `evt_…`. */
  readonly event_id: string
  /** The type of the event. Example: `offramp.success`. */
  readonly event_type: string
  /**
   * Where the delivery stands. `pending`: it will be attempted, or attempted again. `delivered`: the receiver answered
   * with 2xx. `failed`: the last attempt failed, or the endpoint is no longer active.
   */
  readonly status: "pending" | "delivered" | "failed"
  /** The attempts, oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
  /** When it is attempted next. Null if it is not. Example: `2026-01-31T09:35:05.000Z`. */
  readonly next_attempt_at: string | null
  /** The exact body of a `ping`, which is no stored event. Null for every event. Example: `{"event_type":"ping"}`. */
  readonly payload: string | null
  /** When it was created: with the event, or by a replay or a ping. Example: `2026-01-31T09:30:04.000Z`. */
  readonly created_at: string
}

/** A receiver of events. */
export interface WebhookEndpoint extends Dated {
  /** The id of the endpoint. Example: `whe_…`. */
  readonly id: string
  /** Where events are posted to. Example: `https://example.com/webhooks`. */
  readonly url: string
  /** A note for people. Null if you sent none. Example: `payouts service`. */
  readonly description: string | null
  /** The categories whose events it receives, all events of each. */
  readonly categories: ReadonlyArray<"onramp" | "offramp" | "conversion" | "transfer" | "deposit" | "kyc">
  /** Whether it receives events. A new endpoint does not; five days of failures deactivate one. Example: `true`. */
  readonly active: boolean
}

/** How a webhook endpoint does, by its newest deliveries. */
export interface WebhookEndpointHealth {
  /** The id of the endpoint. Example: `whe_…`. */
  readonly id: string
  /**
   * How it does. `healthy`: it is active, and its receiver acknowledged the last delivery or was asked for none.
   * `failing`: it is active, and deliveries fail without an acknowledgement since `failing_since`. `inactive`: it
   * receives nothing; `deactivated_for` says why where the service switched it off.
   */
  readonly health: "healthy" | "failing" | "inactive"
  /**
   * When deliveries began to fail without an acknowledgement since. Time without attempts is not counted. Null if the
   * last one was acknowledged. Example: `2026-01-31T09:30:05.000Z`.
   */
  readonly failing_since: string | null
  /**
   * Why the service switched it off: its receiver answered 410 (`gone`), or it failed for five days (`failing`). Null
   * while it is active, and where the merchant switched it off.
   */
  readonly deactivated_for: "gone" | "failing" | null
  /** The newest attempt of the counted deliveries. Null if none was made. */
  readonly last_attempt: LastAttempt | null
  /** How many deliveries are counted: the newest, at most 100. Example: `100`. */
  readonly deliveries: number
  /** When the oldest counted delivery was created. Null if there is none. Example: `2026-01-31T09:30:00.000Z`. */
  readonly since: string | null
  /** How many were acknowledged. Example: `88`. */
  readonly delivered: number
  /** How many failed and are not tried again. Example: `8`. */
  readonly failed: number
  /** How many are tried, or tried again. Example: `4`. */
  readonly pending: number
  /** How many of the counted deliveries were attempted. Example: `96`. */
  readonly attempted: number
  /** `delivered` as a share of `attempted`, rounded down. Null if none was attempted. Example: `0.9166`. */
  readonly success_share: string | null
  /** The counted deliveries by event type: first what failed most. */
  readonly by_event_type: ReadonlyArray<EventTypeHealth>
}

/** A receiver of events, with its new signing secret. */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /**
   * The secret that signs the deliveries: `whsec_` and 32 bytes in base64. Returned only in this response. Example:
   * `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/wAsQ2pL1Yo=`.
   */
  readonly signing_secret: string
}

/** The networks of the currencies: `bank` of fiat. A later version of the service may have more. */
export type Network = "bank" | "base" | "ethereum" | "solana"

/** The codes of errors. A later version of the service may have more. */
export type ErrorCode = "bad_request" | "invalid_input" | "invalid_amount_precision" | "prohibited_country" | "account_resolution_failed" | "authentication_failed" | "merchant_inactive" | "forbidden" | "forbidden_key_role" | "resource_access_required" | "not_found" | "invalid_status" | "conflict" | "duplicate_resource" | "idempotency_conflict" | "idempotency_in_progress" | "api_key_limit_exceeded" | "access_already_granted" | "ledger_insufficient_funds" | "rate_limited" | "internal_error" | "external_service_unavailable"

/** An event of a category, of one type and status. */
type EventOf<Category, Type, Status> = Category & {
  readonly event_type?: Type
  readonly event_object_status?: Status
}

/** `onramp.awaiting_deposit`: The onramp was created and waits for the payer's money, see `deposit_instruction`. */
export type OnrampAwaitingDepositEvent = EventOf<OnrampEvent, "onramp.awaiting_deposit", "awaiting_deposit">

/** `onramp.funds_received`: The payer's money arrived. The wallet is not credited yet. */
export type OnrampFundsReceivedEvent = EventOf<OnrampEvent, "onramp.funds_received", "awaiting_deposit">

/** `onramp.processing`: The money is being paid out to the wallet. */
export type OnrampProcessingEvent = EventOf<OnrampEvent, "onramp.processing", "processing">

/**
 * `onramp.success`: The wallet is credited. Terminal. It may have the `transaction_hash` of the payout, which appears
 * nowhere else.
 */
export type OnrampSuccessEvent = EventOf<OnrampEvent, "onramp.success", "success">

/**
 * `onramp.failed`: The onramp was not funded in time (`quote_expired`), or could not be completed. Terminal, unless a
 * payment that was made in time is applied after `quote_expired`: `onramp.funds_received` and `onramp.processing`
 * follow.
 */
export type OnrampFailedEvent = EventOf<OnrampEvent, "onramp.failed", "failed">

/** `onramp.returned`: The payer's money was sent back. Terminal. */
export type OnrampReturnedEvent = EventOf<OnrampEvent, "onramp.returned", "returned">

/** `offramp.created`: The offramp was accepted. The source amount is reserved in the wallet. */
export type OfframpCreatedEvent = EventOf<OfframpEvent, "offramp.created", "created">

/** `offramp.funds_received`: The source amount was debited from the wallet. */
export type OfframpFundsReceivedEvent = EventOf<OfframpEvent, "offramp.funds_received", "created">

/** `offramp.processing`: The payout was submitted to the provider. */
export type OfframpProcessingEvent = EventOf<OfframpEvent, "offramp.processing", "processing">

/** `offramp.success`: The recipient was paid. Terminal, unless the bank returns the money later. */
export type OfframpSuccessEvent = EventOf<OfframpEvent, "offramp.success", "success">

/**
 * `offramp.failed`: The payout could not be completed, and the source amount is back in the wallet. With the reason
 * `refund_failed` it is with the platform, which decides about it. Terminal.
 */
export type OfframpFailedEvent = EventOf<OfframpEvent, "offramp.failed", "failed">

/**
 * `offramp.returned`: The bank returned the money, and the full source amount is back in the wallet: no deposit event
 * is published for it. Terminal. It can follow `offramp.success`.
 */
export type OfframpReturnedEvent = EventOf<OfframpEvent, "offramp.returned", "returned">

/** `conversion.created`: The conversion was accepted. The source amount is reserved. */
export type ConversionCreatedEvent = EventOf<ConversionEvent, "conversion.created", "created">

/** `conversion.funds_received`: The source amount was debited. */
export type ConversionFundsReceivedEvent = EventOf<ConversionEvent, "conversion.funds_received", "created">

/** `conversion.processing`: The conversion was submitted to the provider. */
export type ConversionProcessingEvent = EventOf<ConversionEvent, "conversion.processing", "processing">

/** `conversion.success`: The destination wallet is credited. Terminal. */
export type ConversionSuccessEvent = EventOf<ConversionEvent, "conversion.success", "success">

/**
 * `conversion.failed`: The conversion could not be completed, and the source amount is back at its source. With the
 * reason `refund_failed` it is with the platform, which decides about it. Terminal.
 */
export type ConversionFailedEvent = EventOf<ConversionEvent, "conversion.failed", "failed">

/** `conversion.returned`: The source amount is back at its source. Terminal. */
export type ConversionReturnedEvent = EventOf<ConversionEvent, "conversion.returned", "returned">

/** `transfer.processing`: The payout was accepted. The amount is reserved in the wallet. */
export type TransferProcessingEvent = EventOf<TransferEvent, "transfer.processing", "processing">

/** `transfer.success`: The recipient was paid. Terminal. */
export type TransferSuccessEvent = EventOf<TransferEvent, "transfer.success", "success">

/**
 * `transfer.failed`: The payout failed, was cancelled or was reversed, and the amount is back in the wallet:
 * `failure_reason` says which. With the reason `refund_failed` it is with the platform, which decides about it.
 * Terminal.
 */
export type TransferFailedEvent = EventOf<TransferEvent, "transfer.failed", "failed">

/**
 * `deposit.received`: Money was detected that is not final, or that arrived in another currency. In another currency,
 * the destination amount is the quoted one; conversion events follow, and say what is converted. A conversion that has
 * begun is in `related_transactions`. `deposit.held` or `deposit.failed` may still follow before them.
 */
export type DepositReceivedEvent = EventOf<DepositEvent, "deposit.received", "received">

/**
 * `deposit.held`: Money arrived and is withheld for a review. `metadata.hold_reason` is `tier_limit`, `payin_frozen` or
 * `payin_disabled`. `deposit.confirmed` or `deposit.failed` follows.
 */
export type DepositHeldEvent = EventOf<DepositEvent, "deposit.held", "held">

/** `deposit.confirmed`: The wallet is credited, and the money can be spent. Terminal. */
export type DepositConfirmedEvent = EventOf<DepositEvent, "deposit.confirmed", "confirmed">

/**
 * `deposit.failed`: The money was not credited: it did not arrive after all, or the operator sent it back. Terminal.
 */
export type DepositFailedEvent = EventOf<DepositEvent, "deposit.failed", "failed">

/** `kyc.approved`: The customer is verified: `customer.tier` is the new tier. Terminal. */
export type KycApprovedEvent = EventOf<VerificationEvent, "kyc.approved", "approved">

/** `kyc.rejected`: The verification was rejected, see `failure_reason`. Terminal. */
export type KycRejectedEvent = EventOf<VerificationEvent, "kyc.rejected", "rejected">

/** An event, as a webhook delivers it. Distinguish by `event_type`. A ping has the type `ping`. */
export type WebhookEvent =
  | OnrampAwaitingDepositEvent
  | OnrampFundsReceivedEvent
  | OnrampProcessingEvent
  | OnrampSuccessEvent
  | OnrampFailedEvent
  | OnrampReturnedEvent
  | OfframpCreatedEvent
  | OfframpFundsReceivedEvent
  | OfframpProcessingEvent
  | OfframpSuccessEvent
  | OfframpFailedEvent
  | OfframpReturnedEvent
  | ConversionCreatedEvent
  | ConversionFundsReceivedEvent
  | ConversionProcessingEvent
  | ConversionSuccessEvent
  | ConversionFailedEvent
  | ConversionReturnedEvent
  | TransferProcessingEvent
  | TransferSuccessEvent
  | TransferFailedEvent
  | DepositReceivedEvent
  | DepositHeldEvent
  | DepositConfirmedEvent
  | DepositFailedEvent
  | KycApprovedEvent
  | KycRejectedEvent
