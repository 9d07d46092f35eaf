/** The commands that the engine sends to providers, and the providers' results. Amounts are decimal strings. */

import type { Json } from "./storage-records.ts"

/** The bank or chain details of a payout, as they were when the movement was created. */
export type Destination =
  | {
      readonly type: "fiat"
      readonly country_code: string
      readonly network: "bank"
      readonly account_number: string
      readonly account_name: string | null
      /** The engine's id of the bank, which only the provider that listed it knows. */
      readonly provider_id: string | null
      /** The code of the bank in its country. Absent for movements of earlier releases. */
      readonly bank_code?: string | null
      readonly rail: string | null
    }
  | { readonly type: "crypto"; readonly network: string; readonly address: string; readonly memo: string | null }

/**
 * The party on whose behalf money moves: the sender of the movement, or its customer, as it was when the movement was
 * created. Unknown members are null; `date_of_birth` is MM/DD/YYYY; `id_number` is not masked.
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
 * What every command has. `id` is the idempotency key for the provider. It is the same for every attempt, so a provider
 * that receives it twice executes it once.
 */
export interface Command {
  readonly id: string
  readonly merchant_id: string
  /** The resource that the command is for. Events about the command name it. */
  readonly resource_id: string
}

/** What a submission of money has besides. `attempt` is the number of earlier submissions of this command. */
export interface Submission extends Command {
  readonly reference: string
  readonly originator: Originator | null
  readonly attempt: number
}

/**
 * A payment to a destination outside the platform. `source_amount` and `source_currency` are what the customer gave for
 * it, where money changes currency; otherwise they equal `amount` and `currency`, which the recipient gets.
 */
export interface PayoutCommand extends Submission {
  readonly kind: "offramp" | "transfer"
  readonly amount: string
  readonly currency: string
  readonly source_amount: string
  readonly source_currency: string
  readonly destination: Destination
  readonly beneficiary: { readonly id: string; readonly name: string }
  /** Why the payment is made, in the sender's words. Null: not stated. */
  readonly purpose: string | null
  /** The text for the recipient's bank statement. */
  readonly narration: string | null
}

/**
 * An exchange inside the platform: `source_amount` is taken for `destination_amount` at `rate`, the amount of destination
 * currency per unit of source currency. The source amount is after the gateway fee. `onramp`: fiat that was paid in becomes crypto.
 */
export interface ConversionCommand extends Submission {
  readonly kind: "conversion" | "onramp"
  readonly source_amount: string
  readonly source_currency: string
  readonly destination_amount: string
  readonly destination_currency: string
  readonly rate: string
}

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

/** A part of a return: the provider's id of it, and its amount as a decimal string, > 0. */
export interface StatedPart {
  readonly id: string
  readonly amount: string
}

/**
 * How a command ended. Absent members are unknown.
 *
 * `amount`: what was paid out (`success`) or came back (`returned`, `reversed`), > 0. Absent: the whole amount. It is in the
 * currency of the payout; of a conversion, a success is in its destination currency, and a return in its source currency. With
 * other outcomes it says nothing. `currency`: that currency, to be certain; another one makes the outcome implausible, and it does
 * not count (OUTCOME-6). `fee`: what the provider charged, in `fee_currency` (absent: the currency of `amount`). It is recorded
 * and not posted; a fee that is exactly what is missing explains a short amount (OUTCOME-2).
 *
 * `parts`: a return in several parts, all that are known so far, each under an id of its own; `amount` is their sum, or absent.
 * `complete`: no more parts follow, and what is missing is the provider's fee. Absent or false: more may follow (OUTCOME-8).
 */
export interface MovementOutcome {
  readonly outcome: MovementOutcomeType
  readonly reason: string | null
  readonly transaction_hash: string | null
  readonly amount?: string | null
  readonly currency?: string | null
  readonly fee?: string | null
  readonly fee_currency?: string | null
  readonly parts?: ReadonlyArray<StatedPart> | null
  readonly complete?: boolean | null
  /** The provider's own reference of the payment, as its statements show it. */
  readonly provider_reference?: string | null
}

/**
 * A definite result of a submission.
 *
 * - `accepted`: the provider has it; the outcome follows as an event.
 * - `settled`: it is executed, or has ended otherwise.
 * - `rejected`: the provider will never execute it under this id. After more than one submission the engine calls
 *   `lookup` before it records the rejection, because the outcome of an earlier submission may be the reason. A
 *   `reason` that begins with `compliance` means that the provider may not serve the payer or the customer, here and in
 *   a {@link MovementOutcome}.
 * - `unavailable`: not executed; it may be submitted again under the same id, here or at another provider.
 */
export type SubmissionResult =
  | { readonly _tag: "accepted" }
  | { readonly _tag: "settled"; readonly outcome: MovementOutcome }
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

/** Requests an address or a bank account to which pay-ins can be made. */
export interface IssueCommand extends Command {
  readonly kind: "deposit_address" | "wallet_credential"
  readonly type: "fiat" | "crypto"
  readonly currency: string
  readonly country_code: string | null
  readonly network: string
  readonly holder: string
}

/**
 * A bank account to pay to, where the command's `type` is `fiat`. `reference`: what the payer must put into the narration; null
 * or absent: the account number alone identifies the payment.
 */
export type BankDetails = {
  readonly accountName: string
  readonly accountNumber: string
  readonly bankName: string
  readonly bankCode?: string | null
  readonly reference?: string | null
}

/** An address to pay to, where the command's `type` is `crypto`. */
export type AddressDetails = { readonly network: string; readonly address: string }

/** An issued address or account. `target` is the target of its pay-ins; `details` is what the payer needs. */
export interface IssuedTarget {
  readonly provider_resource_id: string
  readonly target: string
  readonly details: BankDetails | AddressDetails
}

/** `pending`: the address follows in an `issued` event. `rejected`: it cannot be issued; an operator must look into it. */
export type IssueResult =
  | { readonly _tag: "pending" }
  | { readonly _tag: "issued"; readonly issued: IssuedTarget }
  | { readonly _tag: "rejected"; readonly reason: string }

/**
 * Requests payment instructions for the payer of an onramp. The payment is expected until `expires_at`, epoch
 * milliseconds.
 */
export interface InstructCommand extends Command {
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
export interface RefundCommand extends Command {
  readonly payin_id: string
  readonly amount: string
  readonly currency: string
}

/** `screening_id` is new for each name and destination. */
export interface ScreeningCommand {
  readonly merchant_id: string
  /** The beneficiary. */
  readonly resource_id: string
  readonly screening_id: string
  readonly name: string
  readonly destination: Destination
}

/** `held`: the verdict follows in a `screened` event. */
export const screeningResults = ["cleared", "held", "refused"] as const
export type ScreeningResult = (typeof screeningResults)[number]

/** Requests the verification of a customer at a tier. The customer is led back to `redirect_url`. */
export interface VerificationCommand extends Command {
  readonly tier: string
  readonly customer: {
    readonly id: string
    readonly type: "individual" | "business"
    readonly name: string
    readonly email: string
    readonly country_code: string
  }
  readonly redirect_url: string | null
}

/** The page that the customer opens, until `expires_at`, epoch milliseconds. */
export interface VerificationLink {
  readonly hosted_url: string
  readonly expires_at: number
}

/** `pending`: the customer has not finished. `absent`: the provider does not know the command. */
export type VerificationStatus =
  | { readonly _tag: "absent" }
  | { readonly _tag: "pending" }
  | { readonly _tag: "opened" }
  | { readonly _tag: "approved" }
  | { readonly _tag: "rejected"; readonly reason: string | null }

export interface Bank {
  readonly id: string
  readonly name: string
  readonly code: string
  readonly country_code: string
}

export interface AccountQuery {
  readonly country_code: string
  readonly bank: Bank
  readonly account_number: string
  readonly account_name: string | null
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

/** Money that the platform has at the provider. `network` is null for fiat. */
export interface ProviderBalance {
  readonly currency: string
  readonly network: string | null
  readonly available: string
  /** Money that is on its way in or out. */
  readonly pending: string
}

/** One line of the provider's account statement. `amount` is positive; `direction` says whether the balance rises. */
export interface StatementLine {
  readonly id: string
  /** Epoch milliseconds. */
  readonly booked_at: number
  readonly direction: "credit" | "debit"
  readonly amount: string
  readonly currency: string
  /** The engine's command that the line belongs to, if the provider knows it. */
  readonly command_id: string | null
  readonly payin_id: string | null
  readonly provider_reference: string | null
  readonly transaction_hash: string | null
  readonly narration: string | null
}

/** A page of a statement. `unreadable`: what stands among its lines and is none, as it came. Absent: nothing. */
export interface StatementPage {
  readonly lines: ReadonlyArray<StatementLine>
  readonly unreadable?: ReadonlyArray<Json>
  readonly cursor: string | null
}
