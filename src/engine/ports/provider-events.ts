/** The events that providers send to the engine. Their ids are the provider's. Amounts are decimal strings. */
import { Effect, Schema } from "effect"
import { Kept, PositiveAmount, Reported, Text } from "./provider-fields.ts"
import { Epoch, IssuedTarget, Later, movementOutcomes, particulars } from "./provider-results.ts"

/** A member that is null where it is absent. */
const nullable = <S extends Schema.Top>(schema: S) =>
  Schema.NullOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
const Optional = nullable(Text)
/** A bank's details of a payer may be blank. A pay-in is not rejected for that. */
const OptionalReported = nullable(Reported)

const about = {
  /** The same event under the same id counts once. */
  event_id: Text,
  /** The owner of the resource, when the provider repeats it. Otherwise the resource is found by its id alone. */
  merchant_id: Optional,
  resource_id: Text
} as const

/** The outcome of a movement, as the provider reports it. */
export type MovementEvent = typeof MovementEvent.Type
const MovementEvent = Schema.Struct({
  _tag: Schema.Literal("movement"),
  ...about,
  outcome: Schema.Literals(movementOutcomes),
  reason: Optional,
  transaction_hash: Optional,
  ...particulars
})

/** Makes the event `succeeded` of a payout from the statement line that shows its payment. The same line always makes the same event. */
export const toSuccessOfLine = (
  line: {
    readonly id: string
    readonly amount: string
    readonly currency: string
    readonly transaction_hash: string | null
  },
  resource_id: string
): MovementEvent => ({
  _tag: "movement",
  event_id: `statement/${line.id}/${resource_id}`,
  merchant_id: null,
  resource_id,
  outcome: "success",
  reason: null,
  transaction_hash: line.transaction_hash,
  amount: line.amount,
  currency: line.currency
})

/** The outcome of a refund: a pay-in was returned to its payer, or could not be, or came back. `amount`: what the payer got. */
export type RefundReport = typeof RefundReport.Type
const RefundReport = Schema.Struct({
  _tag: Schema.Literal("refund"),
  ...about,
  /** The id of the refund. Absent: the provider does not repeat it. */
  command_id: Later,
  outcome: Schema.Literals(["success", "failed"]),
  reason: Optional,
  transaction_hash: Later,
  ...particulars
})

/**
 * The payer as a bank reports it. Unreported members are absent. An account number has at most its last four digits.
 */
export type PayinSender = typeof PayinSender.Type
const PayinSender = Schema.Struct({
  name: Schema.optionalKey(Reported),
  bank: Schema.optionalKey(Reported),
  account_number: Schema.optionalKey(Reported)
})

/** Cuts an account number of a payer to its last four letters or digits, which alone may be stored (DEPOSIT-14). */
export const takeLastFour = (account_number: string): string =>
  [...account_number.replace(/[^\p{L}\p{N}]/gu, "")].slice(-4).join("")

/**
 * Money that has arrived, or is about to. Events with the same `payin_id` are about the same money, at another stage.
 */
export type PayinEvent = typeof PayinEvent.Type
const PayinEvent = Schema.Struct({
  _tag: Schema.Literal("payin"),
  event_id: Text,
  payin_id: Text,
  stage: Schema.Literals(["detected", "confirmed", "failed"]),
  /**
   * The target of the payment: an address, an account (lookup scope `payin`), or the deposit reference of an onramp.
   */
  target: Text,
  amount: PositiveAmount,
  currency: Text,
  network: Optional,
  transaction_hash: Optional,
  from_address: OptionalReported,
  sender: nullable(PayinSender),
  narration: OptionalReported,
  observed_at: Epoch
})

/** A deposit address or account was issued. `target` is the target of its pay-ins. */
export type IssuedEvent = typeof IssuedEvent.Type
const IssuedEvent = Schema.Struct({
  _tag: Schema.Literal("issued"),
  ...about,
  kind: Schema.Literals(["deposit_address", "wallet_credential"]),
  ...IssuedTarget.fields
})

/** A verdict on the screening `screening_id` only. A later verdict may differ from an earlier one. The resource is the beneficiary. */
export type ScreenedEvent = typeof ScreenedEvent.Type
const ScreenedEvent = Schema.Struct({
  _tag: Schema.Literal("screened"),
  ...about,
  screening_id: Text,
  cleared: Schema.Boolean
})

export type VerificationReport = typeof VerificationReport.Type
const VerificationReport = Schema.Struct({
  _tag: Schema.Literal("verification"),
  ...about,
  outcome: Schema.Literals(["opened", "approved", "rejected"]),
  reason: Optional
})

export type ProviderEvent = typeof ProviderEvent.Type
export const ProviderEvent = Schema.Union([
  MovementEvent,
  RefundReport,
  PayinEvent,
  IssuedEvent,
  ScreenedEvent,
  VerificationReport
])

/** The events are validated one by one, so that one that is unreadable does not hide the others. */
export const AnyEventPage = Schema.Struct({
  events: Schema.Array(Schema.Unknown),
  cursor: Kept.check(Schema.isMaxCodePoints(8192))
})

/**
 * A message whose sender is certain, and whose content is no event. It is recorded for the operator and acknowledged: sent again,
 * it would be the same. `fault`: which member, what was found in it, and what is taken.
 */
export interface UnreadableEvent {
  readonly _tag: "unreadable"
  /** The JSON value; the text, where it is none. What may be stored of it is stored. */
  readonly content: unknown
  readonly fault: string
  /** The verification whose customer it is about, as the provider was told of it: it counts while that is the customer as it is (KYC-16). */
  readonly verification?: string
  /** Only where the engine keeps it: the key of the whole content, of which `content` is what may be stored. */
  readonly key?: string
}

/**
 * A message whose sender is certain, and which says nothing about what the engine sent: another use of the same account, or a state that
 * leads to nothing. It is acknowledged and not recorded.
 */
export interface NoEvent {
  readonly _tag: "none"
}

type Absentable<E> = { readonly [K in keyof E as null extends E[K] ? never : K]: E[K] } & {
  readonly [K in keyof E as null extends E[K] ? K : never]?: E[K]
}

/** An event as a provider may report it: members that may be null may also be absent. */
export type ReportedEvent = ProviderEvent extends infer E ? (E extends unknown ? Absentable<E> : never) : never
