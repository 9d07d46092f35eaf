/** The events that providers send to the engine. Their ids are the provider's. Amounts are decimal strings. */
import type { IssuedTarget, MovementOutcome } from "./provider-commands.ts"

interface About {
  /** The same event under the same id counts once. */
  readonly event_id: string
  /** The owner of the resource, when the provider repeats it. Otherwise the resource is found by its id alone. */
  readonly merchant_id: string | null
  readonly resource_id: string
}

/** The outcome of a movement, as the provider reports it. */
export interface MovementEvent extends MovementOutcome, About {
  readonly _tag: "movement"
}

/** The outcome of a refund: a pay-in was returned to its payer, or could not be, or came back. `amount`: what the payer got. */
export interface RefundReport
  extends About,
    Pick<MovementOutcome, "amount" | "currency" | "fee" | "fee_currency" | "parts" | "complete"> {
  readonly _tag: "refund"
  /** The id of the refund. Absent: the provider does not repeat it. */
  readonly command_id?: string | null
  readonly outcome: "success" | "failed"
  readonly reason: string | null
  readonly provider_reference?: string | null
}

/**
 * The payer as a bank reports it. Unreported members are absent. An account number has at most its last four digits.
 */
export interface PayinSender {
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
  readonly sender: PayinSender | null
  readonly narration: string | null
  /** Epoch milliseconds. */
  readonly observed_at: number
}

/** A deposit address or account was issued. `target` is the target of its pay-ins. */
export interface IssuedEvent extends About, IssuedTarget {
  readonly _tag: "issued"
  readonly kind: "deposit_address" | "wallet_credential"
}

/** A verdict on the screening `screening_id` only. A later verdict may differ from an earlier one. */
export interface ScreenedEvent extends About {
  readonly _tag: "screened"
  /** The beneficiary is `resource_id`. */
  readonly screening_id: string
  readonly cleared: boolean
}

export interface VerificationReport extends About {
  readonly _tag: "verification"
  readonly outcome: "opened" | "approved" | "rejected"
  readonly reason: string | null
}

export type ProviderEvent = MovementEvent | RefundReport | PayinEvent | IssuedEvent | ScreenedEvent | VerificationReport

/**
 * A message whose sender is certain, and whose content is no event. It is recorded for the operator and acknowledged: sent again,
 * it would be the same. `fault`: which member, what was found in it, and what is taken.
 */
export interface UnreadableEvent {
  readonly _tag: "unreadable"
  /** The JSON value; the text, where it is none. What may be stored of it is stored. */
  readonly content: unknown
  readonly fault: string
}

type Reported<E> = { readonly [K in keyof E as null extends E[K] ? never : K]: E[K] } & {
  readonly [K in keyof E as null extends E[K] ? K : never]?: E[K]
}

/** An event as a provider may report it: members that may be null may also be absent. */
export type ReportedEvent = ProviderEvent extends infer E ? (E extends unknown ? Reported<E> : never) : never
