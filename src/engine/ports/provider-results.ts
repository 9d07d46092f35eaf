/** The results of commands. Amounts are decimal strings. The schemas validate an implementation at run time. */
import { Schema } from "effect"
import { Bank } from "./provider-commands.ts"
import { Amount, AwaitedPerson, Kept, PositiveAmount, Reported, required, Text } from "./provider-fields.ts"
import type { Json } from "./storage-records.ts"

/** The latest time that a JavaScript Date can represent, epoch milliseconds. */
const lastDate = 8.64e15
/** Epoch milliseconds. */
export const Epoch = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: lastDate }))

const Nullable = Schema.NullOr(Kept)
/** An optional member of a later version of the port: absent stays absent. */
export const Later = Schema.optionalKey(Schema.NullOr(Text))
const LaterReported = Schema.optionalKey(Schema.NullOr(Reported))

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
export type StatedPart = typeof StatedPart.Type
const StatedPart = Schema.Struct({
  id: required(Text, "The connector's id of the part. It never changes, and no other part of the return has it."),
  amount: required(PositiveAmount, "What this part brought.")
}).annotate({ identifier: "Part", description: "A part of a return, or of a refund." })

/** The parts of a return, each under an id of its own. */
export const StatedParts = Schema.Array(StatedPart).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(100),
  Schema.makeFilter((parts: ReadonlyArray<StatedPart>) => new Set(parts.map(({ id }) => id)).size === parts.length, {
    expected: "parts with different ids"
  })
)

/** What an outcome says besides how it ended. */
export const particulars = {
  /**
   * What was paid out (`success`) or came back (`returned`, `reversed`), > 0. Absent: the whole amount. It is in the currency of
   * the payout; of a conversion, a success is in its destination currency, and a return in its source currency. With other outcomes
   * it says nothing.
   */
  amount: Schema.optionalKey(Schema.NullOr(PositiveAmount)),
  /** The currency of `amount`, to be certain; another one makes the outcome implausible, and it does not count (OUTCOME-6). */
  currency: Later,
  /**
   * What the provider charged. It is recorded and not posted; a fee that is exactly what is missing explains a short amount
   * (OUTCOME-2). It may be zero.
   */
  fee: Schema.optionalKey(Schema.NullOr(Amount)),
  /** Absent: the currency of `amount`. */
  fee_currency: Later,
  /** A return in several parts, all that are known so far; `amount` is their sum, or absent. */
  parts: Schema.optionalKey(Schema.NullOr(StatedParts)),
  /** No more parts follow, and what is missing is the provider's fee. Absent or false: more may follow (OUTCOME-8). */
  complete: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  /** The provider's own reference of the payment, as its statements show it. */
  provider_reference: Later
} as const

/** How a command ended. Absent members are unknown. */
export type MovementOutcome = typeof MovementOutcome.Type
const MovementOutcome = Schema.Struct({
  outcome: Schema.Literals(movementOutcomes),
  reason: Nullable,
  transaction_hash: Nullable,
  ...particulars
})

const Settled = Schema.TaggedStruct("settled", { outcome: MovementOutcome })

/** Absent or null: nobody is waited for, as far as the provider says. */
const waiting = { awaited_person: Schema.optionalKey(Schema.NullOr(AwaitedPerson)) } as const

/**
 * A definite result of a submission of a payout, a conversion or a refund.
 *
 * - `accepted`: the provider has it; the outcome follows as an event. With `awaited_person`, it waits until a person acts, for however long:
 *   it may still be executed.
 * - `settled`: it is executed, or has ended otherwise.
 * - `rejected`: the provider will never execute it under this id. After more than one submission the engine calls
 *   `lookup` before it records the rejection, because the outcome of an earlier submission may be the reason. A
 *   `reason` that begins with `compliance` means that the provider may not serve the payer or the customer, here and in
 *   a {@link MovementOutcome}.
 * - `unavailable`: not executed; it may be submitted again under the same id, here or at another provider.
 */
export type SubmissionResult = typeof SubmissionResult.Type
export const SubmissionResult = Schema.Union([
  Schema.TaggedStruct("accepted", waiting),
  Settled,
  Schema.TaggedStruct("rejected", { reason: Kept, refundable: Schema.Boolean }),
  Schema.TaggedStruct("unavailable", {})
])

/**
 * The provider's status of a command id. `absent` is definite: the command was not executed, and will not be unless it
 * is submitted again.
 */
export type CommandStatus = typeof CommandStatus.Type
export const CommandStatus = Schema.Union([
  Schema.TaggedStruct("absent", {}),
  Schema.TaggedStruct("pending", waiting),
  Settled
])

/** Whether a provider can pay a recipient. */
export const servedRecipients = ["yes", "no", "unknown"] as const
export type ServedRecipient = typeof ServedRecipient.Type
export const ServedRecipient = Schema.Literals(servedRecipients)

/** A bank account to pay to, where the command's `type` is `fiat`. */
export type BankDetails = typeof BankDetails.Type
const BankDetails = Schema.Struct({
  accountName: Text,
  accountNumber: Text,
  bankName: Text,
  bankCode: LaterReported,
  /** What the payer must put into the narration; null or absent: the account number alone identifies the payment. */
  reference: LaterReported
})

/** An address to pay to, where the command's `type` is `crypto`. */
const AddressDetails = Schema.Struct({ network: Text, address: Text })

/** An issued address or account. `target` is the target of its pay-ins; `details` is what the payer needs. */
export type IssuedTarget = typeof IssuedTarget.Type
export const IssuedTarget = Schema.Struct({
  provider_resource_id: Text,
  target: Text,
  details: Schema.Union([BankDetails, AddressDetails])
})

/** `pending`: the address follows in an `issued` event, or a person must act first. `rejected`: it cannot be issued; an operator must look into it. */
export type IssueResult = typeof IssueResult.Type
export const IssueResult = Schema.Union([
  Schema.TaggedStruct("pending", waiting),
  Schema.TaggedStruct("issued", { issued: IssuedTarget }),
  Schema.TaggedStruct("rejected", { reason: Kept })
])

/**
 * A bank account, and the reference that identifies the payment: the payer puts it into the narration, and it is the
 * `target` of the pay-in.
 */
export type PaymentInstruction = typeof PaymentInstruction.Type
export const PaymentInstruction = Schema.Struct({
  accountName: Text,
  accountNumber: Text,
  bankName: Text,
  bankCode: Text,
  depositReference: Text
})

/** `held`: the verdict follows in a `screened` event. */
export const screeningResults = ["cleared", "held", "refused"] as const
export type ScreeningResult = typeof ScreeningResult.Type
export const ScreeningResult = Schema.Literals(screeningResults)

/** The page that the customer opens, until `expires_at`, epoch milliseconds. */
export type VerificationLink = typeof VerificationLink.Type
export const VerificationLink = Schema.Struct({ hosted_url: Text, expires_at: Epoch })

/** `pending`: the customer has not finished. `absent`: the provider does not know the command. */
export type VerificationStatus = typeof VerificationStatus.Type
export const VerificationStatus = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(["absent", "pending", "opened", "approved"]) }),
  Schema.TaggedStruct("rejected", { reason: Nullable })
])

/** The banks that a directory lists. A beneficiary names one by its id, which a request takes with its prefix alone. */
export const Banks = Schema.Array(
  Bank.mapFields((fields) => ({ ...fields, id: fields.id.check(Schema.isPattern(/^prov_./)) }))
)

const Resolved = Schema.TaggedStruct("resolved", { account_name: Text })

/** `unchecked`: the provider pays to accounts there, and cannot say who holds one. Its name is what the caller said, if anything. */
export type AccountResolution = typeof AccountResolution.Type
export const AccountResolution = Schema.Union([
  Resolved,
  Schema.TaggedStruct("unresolved", {}),
  Schema.TaggedStruct("unchecked", {})
])

/** `switched_off`: the provider does not offer payshap. */
export type ProxyResolution = typeof ProxyResolution.Type
export const ProxyResolution = Schema.Union([
  Resolved,
  Schema.Struct({ _tag: Schema.Literals(["unregistered", "no_answer", "unavailable", "switched_off"]) })
])

/** Money that the platform has at the provider. `network` is null for fiat. `pending`: money that is on its way in or out. */
export type ProviderBalance = typeof ProviderBalance.Type
const ProviderBalance = Schema.Struct({ currency: Text, network: Nullable, available: Kept, pending: Kept })

export const Balances = Schema.Array(ProviderBalance)

/** One line of the provider's account statement. `direction` says whether the balance rises. */
export type StatementLine = typeof StatementLine.Type
export const StatementLine = Schema.Struct({
  id: Text,
  booked_at: Epoch,
  /** The block of a chain that has it, as {@link BlockBalances} names blocks: two can be of one time. Absent: of no chain, or of none that says it. */
  block: Later,
  direction: Schema.Literals(["credit", "debit"]),
  /** A line of zero moves no money. */
  amount: Amount,
  currency: Text,
  /** The engine's command that the line belongs to, if the provider knows it. */
  command_id: Nullable,
  payin_id: Nullable,
  provider_reference: Nullable,
  transaction_hash: Nullable,
  narration: Nullable
})

/** What a chain says that its addresses hold together in the state of one final block. Of Solana, `block` is a slot. */
export type BlockBalances = typeof BlockBalances.Type
const BlockBalances = Schema.Struct({
  block: Text,
  /** The time of the block. */
  at: Epoch,
  balances: Schema.Array(Schema.Struct({ currency: Text, amount: Amount }))
})

/** The lines are validated one by one, so that one that is unreadable does not hide the others. */
export const AnyStatementPage = Schema.Struct({
  lines: Schema.Array(Schema.Unknown),
  opening: Schema.optionalKey(BlockBalances),
  closing: Schema.optionalKey(BlockBalances),
  cursor: Nullable
})

/**
 * A page of a statement. `unreadable`: what stands among its lines and is none, as it came. Absent: nothing.
 *
 * Only a chain has balances. `opening`: before its first line, on the first page. `closing`: after the last line of this page, which is
 * the last one now. Without it, the last one is that whose cursor has not moved.
 * Law: what the lines between two of these balances move is what lies between them, or the statement is wrong.
 */
export interface StatementPage {
  readonly lines: ReadonlyArray<StatementLine>
  readonly unreadable?: ReadonlyArray<Json>
  readonly opening?: BlockBalances
  readonly closing?: BlockBalances
  readonly cursor: string | null
}
