/**
 * The provider port: moves money, issues addresses, and knows banks and accounts.
 *
 * The engine sends commands, with ids that the engine makes. The provider sends events, with ids that the provider
 * makes.
 */
import { Context, type Effect } from "effect"
import type { ProviderFault } from "./errors.ts"

/** The bank or chain details of a payout, as they were when the movement was created. */
export type Destination =
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

/**
 * The party on whose behalf a payout is made: the sender of the movement, or its customer, as it was when the movement
 * was created. Unknown members are null; `date_of_birth` is MM/DD/YYYY; `id_number` is not masked.
 */
export interface Originator {
  readonly id: string
  readonly type: "individual" | "business"
  readonly name: string
  readonly country_code: string
  readonly address: {
    readonly line1: string
    readonly line2?: string
    readonly city: string
    readonly state?: string
    readonly postal_code?: string
    readonly country_code: string
  } | null
  readonly date_of_birth: string | null
  readonly id_type: string | null
  readonly id_number: string | null
}

/**
 * A payment instruction. `id` is the idempotency key for the provider. It is the same for every attempt, so a provider
 * that receives it twice executes it once. Amounts are decimal strings.
 */
export interface PayoutCommand {
  readonly id: string
  readonly merchant_id: string
  readonly resource_id: string
  readonly kind: "offramp" | "transfer" | "conversion" | "onramp"
  readonly amount: string
  readonly currency: string
  readonly destination: Destination | null
  /** Null for conversions and onramps, which pay the customer. */
  readonly originator: Originator | null
  readonly reference: string
  readonly narration: string | null
  /** The number of earlier submissions of this command. */
  readonly attempt: number
}

/**
 * A definite result of a submission.
 *
 * - `accepted`: the provider has it; the outcome follows as an event.
 * - `rejected`: the provider will never execute it under this id. After more than one submission the engine calls
 *   `lookup` before it records the rejection, because the outcome of an earlier submission may be the reason. A
 *   `reason` that begins with `compliance` means that the provider may not serve the payer or the customer, here and in
 *   a {@link MovementOutcome}.
 * - `unavailable`: not executed; it may be submitted again under the same id.
 */
export type SubmissionResult =
  | { readonly _tag: "accepted" }
  | { readonly _tag: "rejected"; readonly reason: string; readonly refundable: boolean }
  | { readonly _tag: "unavailable" }

/**
 * The provider's status of a command id. `absent` is definite: the command was not executed, and will not be unless it
 * is submitted again.
 */
export type CommandStatus =
  | { readonly _tag: "absent" }
  | { readonly _tag: "pending" }
  | { readonly _tag: "settled"; readonly outcome: MovementOutcome }

/** The outcomes of a movement that a provider may report. */
export const movementOutcomes = [
  "success",
  "failed",
  "cancelled",
  "reversed",
  "returned",
  "temporarily_unavailable",
  "refund_failed"
] as const
export type MovementOutcomeType = (typeof movementOutcomes)[number]

export interface MovementOutcome {
  readonly outcome: MovementOutcomeType
  readonly reason: string | null
  readonly transaction_hash: string | null
}

/**
 * The outcome of a movement, as the provider reports it. `event_id` is the provider's. The same event under the same id
 * counts once.
 */
export interface MovementEvent extends MovementOutcome {
  readonly _tag: "movement"
  readonly event_id: string
  /**
   * The owner of the movement, when the provider repeats it. Otherwise the movement is found by `resource_id` alone.
   */
  readonly merchant_id: string | null
  readonly resource_id: string
}

/**
 * The payer as a bank reports it. Unreported members are absent. An account number has at most its last four digits.
 */
export interface Sender {
  readonly name?: string
  readonly bank?: string
  readonly account_number?: string
}

/**
 * Money that has arrived, or is about to. Events with the same `payin_id` are about the same money, at another stage.
 */
export interface PayinEvent {
  readonly _tag: "payin"
  readonly event_id: string
  readonly payin_id: string
  readonly stage: "detected" | "confirmed" | "failed"
  /**
   * The target of the payment: an address, an account (lookup scope `payin`), or the deposit reference of an onramp.
   */
  readonly target: string
  readonly amount: string
  readonly currency: string
  readonly network: string | null
  readonly transaction_hash: string | null
  readonly from_address: string | null
  readonly sender: Sender | null
  readonly narration: string | null
  /** Epoch milliseconds. */
  readonly observed_at: number
}

/** A deposit address or account was issued. `target` is the target of its pay-ins. */
export interface IssuedEvent {
  readonly _tag: "issued"
  readonly event_id: string
  readonly merchant_id: string | null
  readonly kind: "deposit_address" | "wallet_credential"
  readonly resource_id: string
  readonly provider_resource_id: string
  readonly target: string
  readonly details: { readonly [key: string]: string }
}

/** A verdict on the screening `screening_id` only. A later verdict may differ from an earlier one. */
export interface ScreenedEvent {
  readonly _tag: "screened"
  readonly event_id: string
  readonly merchant_id: string | null
  /** The beneficiary. */
  readonly resource_id: string
  readonly screening_id: string
  readonly cleared: boolean
}

export interface VerificationEvent {
  readonly _tag: "verification"
  readonly event_id: string
  readonly merchant_id: string | null
  readonly resource_id: string
  readonly outcome: "opened" | "approved" | "rejected"
  readonly reason: string | null
}

export type ProviderEvent = MovementEvent | PayinEvent | IssuedEvent | ScreenedEvent | VerificationEvent

export interface Bank {
  readonly id: string
  readonly name: string
  readonly code: string
  readonly country_code: string
}

export type AccountResolution =
  | { readonly _tag: "resolved"; readonly account_name: string }
  | { readonly _tag: "unresolved" }

export type ProxyResolution =
  | { readonly _tag: "resolved"; readonly account_name: string }
  | { readonly _tag: "unregistered" }
  | { readonly _tag: "no_answer" }
  | { readonly _tag: "unavailable" }
  /** The provider does not offer payshap. */
  | { readonly _tag: "switched_off" }

export interface IssueCommand {
  readonly id: string
  readonly merchant_id: string
  readonly kind: "deposit_address" | "wallet_credential"
  readonly resource_id: string
  readonly type: "fiat" | "crypto"
  readonly currency: string
  readonly country_code: string | null
  readonly network: string
  readonly holder: string
}

/**
 * Requests payment instructions for the payer of an onramp. The payment is expected until `expires_at`, epoch
 * milliseconds.
 */
export interface InstructCommand {
  readonly id: string
  readonly merchant_id: string
  readonly resource_id: string
  readonly amount: string
  readonly currency: string
  readonly country_code: string | null
  readonly expires_at: number
}

/**
 * A bank account, and the reference that identifies the payment: the payer puts it into the narration, and it is the
 * `target` of the pay-in.
 */
export interface PaymentInstruction {
  readonly accountName: string
  readonly accountNumber: string
  readonly bankName: string
  readonly bankCode: string
  readonly depositReference: string
}

/** Returns a pay-in to its payer. */
export interface RefundCommand {
  readonly id: string
  readonly merchant_id: string
  readonly resource_id: string
  readonly payin_id: string
  readonly amount: string
  readonly currency: string
}

/**
 * The name of the provider that was configured when a resource was created. Undefined for a row that names none; the
 * configured provider then applies.
 */
export const providerOf = ({ data }: { readonly data: unknown }): string | undefined =>
  (data as { readonly provider?: string } | null)?.provider

/**
 * Whether a resource belongs to another provider. This provider is then not asked about it, and its events about it do
 * not count.
 */
export const isAnothers = (row: { readonly data: unknown }, name: string): boolean => (providerOf(row) ?? name) !== name

export class Provider extends Context.Service<
  Provider,
  {
    /** The provider's name, as used in event ids, in `clearing:<name>` and in `/providers/<name>/events`. */
    readonly name: string
    /**
     * Whether the provider accepts submissions of this merchant now. If not, nothing is submitted and the movement
     * waits.
     */
    readonly ready: (merchant_id: string) => Effect.Effect<boolean, ProviderFault>
    /**
     * Submits a payment instruction.
     *
     * Law: one `id` is executed at most once, however often it is submitted.
     * Errors: `ProviderFault` means that the outcome is *unknown*: the instruction may have been executed. Use
     * `lookup`.
     */
    readonly submit: (command: PayoutCommand) => Effect.Effect<SubmissionResult, ProviderFault>
    /** The status of a command. Errors: `ProviderFault` means that the status is still unknown. */
    readonly lookup: (command: PayoutCommand) => Effect.Effect<CommandStatus, ProviderFault>
    /** Requests an address or account, which follows in an `issued` event. Idempotent by `id`. */
    readonly issue: (command: IssueCommand) => Effect.Effect<void, ProviderFault>
    /**
     * The payment instructions for the payer of an onramp; the merchant's call waits for them. Idempotent by `id`.
     * Law: a `depositReference` is unique among onramps, and is not the target of anything else.
     */
    readonly instruct: (command: InstructCommand) => Effect.Effect<PaymentInstruction, ProviderFault>
    /**
     * Returns money to a payer. Idempotent by `id`.
     *
     * Law: `accepted` is final, and no event follows. The sum of refunds never exceeds the pay-in, whatever the ids.
     */
    readonly refund: (command: RefundCommand) => Effect.Effect<SubmissionResult, ProviderFault>
    /**
     * The status of a refund: `absent` when no money was returned, `settled` with `success` when it was. The engine
     * calls it before it records the rejection of a repeated refund. Errors: `ProviderFault` means that the status is
     * still unknown.
     */
    readonly lookupRefund: (command: RefundCommand) => Effect.Effect<CommandStatus, ProviderFault>
    /**
     * Screens a beneficiary's name and destination: `true` when cleared, `false` when not cleared yet (a `screened`
     * event follows). `screening_id` is new for each name and destination. Every `screened` event names its screening.
     */
    readonly screen: (beneficiary: {
      readonly merchant_id: string
      readonly resource_id: string
      readonly screening_id: string
      readonly name: string
      readonly destination: Destination
    }) => Effect.Effect<boolean, ProviderFault>
    readonly resolveAccount: (account: {
      readonly country_code: string
      readonly bank: Bank
      readonly account_number: string
      readonly account_name: string | null
    }) => Effect.Effect<AccountResolution, ProviderFault>
    readonly resolveProxy: (proxy: string) => Effect.Effect<ProxyResolution, ProviderFault>
    /** The banks of a country (null: of all), ordered by code. Their ids are the same after every start. */
    readonly banks: (country_code: string | null) => Effect.Effect<ReadonlyArray<Bank>, ProviderFault>
    /**
     * Verifies and decodes a callback (`POST /providers/<name>/events`) from its Standard Webhooks headers and its raw
     * body. `undefined`: the signature is invalid, or the body is not a provider event. Law: no text of an event
     * contains a NUL or an unpaired surrogate, which a store could not keep.
     */
    readonly decode: (
      headers: { readonly [name: string]: string | undefined },
      body: string
    ) => Effect.Effect<ProviderEvent | undefined>
  }
>()("corridor/engine/Provider") {}
