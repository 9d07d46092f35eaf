/**
 * The provider port: who moves the money, issues addresses, knows banks and accounts.
 *
 * The engine speaks to it in commands with an id of ours, and hears from it in events with an id of theirs.
 */
import { Context, type Effect } from "effect"
import type { ProviderFault } from "./errors.ts"

/** Bank or chain details a payout goes to, as they stood when the movement was made. */
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
 * The party that a payout is made for: the sender of the movement, or its customer. Frozen with the movement. Members
 * that are not known are null; `date_of_birth` is MM/DD/YYYY; `id_number` is not masked.
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
 * A payment instruction. `id` is the provider's idempotency key: the same for every attempt, for ever, so that a
 * provider that sees it twice executes it once. Amounts are decimal strings.
 */
export interface PayoutCommand {
  readonly id: string
  readonly merchant_id: string
  readonly resource_id: string
  readonly kind: "offramp" | "transfer" | "conversion" | "onramp"
  readonly amount: string
  readonly currency: string
  readonly destination: Destination | null
  /** Null for conversions and onramps: they pay the customer itself. */
  readonly originator: Originator | null
  readonly reference: string
  readonly narration: string | null
  /** How often this command was submitted before. */
  readonly attempt: number
}

/**
 * A definite result of a submission.
 *
 * - `accepted`: the provider has it; the outcome comes as an event.
 * - `rejected`: it will not be executed under this id, ever. After more than one submission the engine asks `lookup` before
 *   it believes that: what an earlier one led to may be why. A `reason` that begins with `compliance` says that the
 *   provider may not serve the payer or the customer, here and in a {@link MovementOutcome}.
 * - `unavailable`: not executed, and it may be submitted again under the same id.
 */
export type SubmissionResult =
  | { readonly _tag: "accepted" }
  | { readonly _tag: "rejected"; readonly reason: string; readonly refundable: boolean }
  | { readonly _tag: "unavailable" }

/** What the provider knows of a command id. `absent` is definite: it was not executed and will not be unless submitted again. */
export type CommandStatus =
  | { readonly _tag: "absent" }
  | { readonly _tag: "pending" }
  | { readonly _tag: "settled"; readonly outcome: MovementOutcome }

/** All that a provider may report of a movement. */
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

/** The provider's word on a movement. `event_id` is theirs, and the same word under the same id counts once. */
export interface MovementEvent extends MovementOutcome {
  readonly _tag: "movement"
  readonly event_id: string
  /** Whose movement it is, where the provider echoes it; else it is found by `resource_id` alone. */
  readonly merchant_id: string | null
  readonly resource_id: string
}

/** What a bank reported of a payer. Unreported members are absent; an account number is its last four digits at most. */
export interface Sender {
  readonly name?: string
  readonly bank?: string
  readonly account_number?: string
}

/** Money that arrived, or is about to. The same `payin_id` at a later stage is the same money. */
export interface PayinEvent {
  readonly _tag: "payin"
  readonly event_id: string
  readonly payin_id: string
  readonly stage: "detected" | "confirmed" | "failed"
  /** What it was paid to: an address, an account (lookup scope `payin`), or an onramp's deposit reference. */
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

/** A deposit address or account is ready. `target` is what pay-ins to it will name. */
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

/** A verdict on what was screened under `screening_id`, and on nothing else: also long after, when it has changed its mind. */
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
  /** The provider does not offer payshap, to anyone. */
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

/** Asks where the payer of an onramp sends the money. `expires_at` (epoch milliseconds): it is not awaited from then on. */
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
 * A bank account, and the reference that tells the payment apart: the payer puts it into the narration, and it is the
 * `target` of the pay-in.
 */
export interface PaymentInstruction {
  readonly accountName: string
  readonly accountNumber: string
  readonly bankName: string
  readonly bankCode: string
  readonly depositReference: string
}

/** Sends a pay-in back to its payer. */
export interface RefundCommand {
  readonly id: string
  readonly merchant_id: string
  readonly resource_id: string
  readonly payin_id: string
  readonly amount: string
  readonly currency: string
}

/**
 * The provider that a resource is dealt with through: the one that was configured when it was made. Undefined where a row
 * names none: then it is the one that is configured.
 */
export const providerOf = ({ data }: { readonly data: unknown }): string | undefined =>
  (data as { readonly provider?: string } | null)?.provider

/** Whether a resource is another provider's: this one is not asked about it, nor believed. */
export const isAnothers = (row: { readonly data: unknown }, name: string): boolean => (providerOf(row) ?? name) !== name

export class Provider extends Context.Service<
  Provider,
  {
    /** Its name in ids of events, in `clearing:<name>` and in `/providers/<name>/events`. */
    readonly name: string
    /** Whether a submission of this merchant's would be taken now. False: not asked yet, the movement waits as it is. */
    readonly ready: (merchant_id: string) => Effect.Effect<boolean, ProviderFault>
    /**
     * Submits a payment instruction.
     *
     * Law: one `id` is executed at most once, however often it is submitted.
     * Errors: `ProviderFault` is *unknown*: it may have been executed. Ask with `lookup`.
     */
    readonly submit: (command: PayoutCommand) => Effect.Effect<SubmissionResult, ProviderFault>
    /** What became of a command. Errors: `ProviderFault`, still unknown. */
    readonly lookup: (command: PayoutCommand) => Effect.Effect<CommandStatus, ProviderFault>
    /** Asks for an address or account; it comes as an `issued` event. Idempotent by `id`. */
    readonly issue: (command: IssueCommand) => Effect.Effect<void, ProviderFault>
    /**
     * Where the payer of an onramp sends the money, while its merchant waits. Idempotent by `id`: the same answer.
     * Law: a `depositReference` is never given to two onramps, nor is it the target of anything else.
     */
    readonly instruct: (command: InstructCommand) => Effect.Effect<PaymentInstruction, ProviderFault>
    /**
     * Sends money back to a payer. Idempotent by `id`.
     *
     * Law: `accepted` is final, no event follows; never more goes back than came in, whatever the ids.
     */
    readonly refund: (command: RefundCommand) => Effect.Effect<SubmissionResult, ProviderFault>
    /**
     * What became of a refund: `absent` where no money went back, `settled` with `success` where it did. Asked before the
     * refusal of a repeated request is believed. Errors: `ProviderFault`, still unknown.
     */
    readonly lookupRefund: (command: RefundCommand) => Effect.Effect<CommandStatus, ProviderFault>
    /**
     * Screens a beneficiary's name and destination: `true` cleared, `false` not cleared yet (a `screened` event follows).
     * `screening_id` is new for each name and destination; every `screened` event names the one it is about.
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
    /** The banks of a country (null: of all), ordered by code; the same ids on every start. */
    readonly banks: (country_code: string | null) => Effect.Effect<ReadonlyArray<Bank>, ProviderFault>
    /**
     * Verifies and decodes a callback (`POST /providers/<name>/events`): Standard Webhooks headers, raw body.
     * `undefined`: the signature does not hold, or the body is not a provider event. Law: no text of an event has a NUL or
     * an unpaired surrogate in it, which a store could not keep.
     */
    readonly decode: (
      headers: { readonly [name: string]: string | undefined },
      body: string
    ) => Effect.Effect<ProviderEvent | undefined>
  }
>()("corridor/engine/Provider") {}
