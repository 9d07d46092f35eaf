/**
 * Schemas of a provider's events and results. They match the types of the port and validate an implementation at run
 * time.
 */
import { Effect, Schema } from "effect"
import { isAmount } from "../../machines/kernel/money.ts"
import { movementOutcomes, screeningResults } from "./provider-commands.ts"
import { isStorable } from "./storable.ts"

/** A text that every store keeps unchanged: two different ids must not become one. */
export const Kept = Schema.String.check(
  Schema.makeFilter(isStorable, { expected: "a text without NUL or unpaired surrogates" })
)
const Text = Kept.check(Schema.isMinLength(1), Schema.isMaxLength(500))
/** An optional member. */
const Optional = Schema.NullOr(Text).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
const Amount = Schema.String.check(
  Schema.makeFilter((text: string) => isAmount(text) && /[1-9]/.test(text), { expected: "a positive decimal amount" })
)

/** The latest time that a JavaScript Date can represent, epoch milliseconds. */
const lastDate = 8.64e15

/** An optional member of a later version of the port: absent stays absent. */
const Later = Schema.optionalKey(Schema.NullOr(Text))
const LaterAmount = Schema.optionalKey(Schema.NullOr(Amount))
/** The parts of a return, each under an id of its own. */
const Parts = Schema.Array(Schema.Struct({ id: Text, amount: Amount })).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(100),
  Schema.makeFilter(
    (parts: ReadonlyArray<{ readonly id: string }>) => new Set(parts.map(({ id }) => id)).size === parts.length,
    {
      expected: "parts with different ids"
    }
  )
)
/** What an outcome says besides how it ended. A fee may be zero. */
const particulars = {
  amount: LaterAmount,
  currency: Later,
  fee: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.makeFilter(isAmount, { expected: "a decimal amount" })))
  ),
  fee_currency: Later,
  parts: Schema.optionalKey(Schema.NullOr(Parts)),
  complete: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  provider_reference: Later
} as const

const about = { event_id: Text, merchant_id: Optional, resource_id: Text } as const

/** A bank's details of a payer may be blank. A pay-in is not rejected for that. */
const Reported = Kept.check(Schema.isMaxLength(500))
const OptionalReported = Schema.NullOr(Reported).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
const Sender = Schema.Struct({
  name: Schema.optionalKey(Reported),
  bank: Schema.optionalKey(Reported),
  account_number: Schema.optionalKey(Reported)
})

const Absentable = Schema.optionalKey(Schema.NullOr(Reported))
/** What a payer needs, by the kind of account. */
const Details = Schema.Union([
  Schema.Struct({
    accountName: Text,
    accountNumber: Text,
    bankName: Text,
    bankCode: Absentable,
    reference: Absentable
  }),
  Schema.Struct({ network: Text, address: Text })
])

/** A provider event. */
export const Event = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("movement"),
    ...about,
    outcome: Schema.Literals(movementOutcomes),
    reason: Optional,
    transaction_hash: Optional,
    ...particulars
  }),
  Schema.Struct({
    _tag: Schema.Literal("refund"),
    ...about,
    command_id: Later,
    outcome: Schema.Literals(["success", "failed"]),
    reason: Optional,
    ...particulars
  }),
  Schema.Struct({
    _tag: Schema.Literal("payin"),
    event_id: Text,
    payin_id: Text,
    stage: Schema.Literals(["detected", "confirmed", "failed"]),
    target: Text,
    amount: Amount,
    currency: Text,
    network: Optional,
    transaction_hash: Optional,
    from_address: OptionalReported,
    sender: Schema.NullOr(Sender).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
    narration: OptionalReported,
    observed_at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: lastDate }))
  }),
  Schema.Struct({
    _tag: Schema.Literal("issued"),
    ...about,
    kind: Schema.Literals(["deposit_address", "wallet_credential"]),
    provider_resource_id: Text,
    target: Text,
    details: Details
  }),
  Schema.Struct({ _tag: Schema.Literal("screened"), ...about, screening_id: Text, cleared: Schema.Boolean }),
  Schema.Struct({
    _tag: Schema.Literal("verification"),
    ...about,
    outcome: Schema.Literals(["opened", "approved", "rejected"]),
    reason: Optional
  })
])

const Nullable = Schema.NullOr(Kept)

const Settled = Schema.TaggedStruct("settled", {
  outcome: Schema.Struct({
    outcome: Schema.Literals(movementOutcomes),
    reason: Nullable,
    transaction_hash: Nullable,
    ...particulars
  })
})

/** The result of submitting a payout, a conversion or a refund. */
export const SubmissionResult = Schema.Union([
  Schema.TaggedStruct("accepted", {}),
  Settled,
  Schema.TaggedStruct("rejected", { reason: Kept, refundable: Schema.Boolean }),
  Schema.TaggedStruct("unavailable", {})
])

/** The result of a look-up. */
export const CommandStatus = Schema.Union([
  Schema.TaggedStruct("absent", {}),
  Schema.TaggedStruct("pending", {}),
  Settled
])

const Issued = { provider_resource_id: Text, target: Text, details: Details } as const

export const IssueResult = Schema.Union([
  Schema.TaggedStruct("pending", {}),
  Schema.TaggedStruct("issued", { issued: Schema.Struct(Issued) }),
  Schema.TaggedStruct("rejected", { reason: Kept })
])

export const ScreeningResult = Schema.Literals(screeningResults)

const Epoch = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: lastDate }))

export const VerificationLink = Schema.Struct({ hosted_url: Text, expires_at: Epoch })

export const VerificationStatus = Schema.Union([
  ...(["absent", "pending", "opened", "approved"] as const).map((tag) => Schema.TaggedStruct(tag, {})),
  Schema.TaggedStruct("rejected", { reason: Nullable })
])

export const Balances = Schema.Array(
  Schema.Struct({ currency: Text, network: Nullable, available: Kept, pending: Kept })
)

/** `amount`: a line of zero moves no money. */
export const StatementLine = Schema.Struct({
  id: Text,
  booked_at: Epoch,
  direction: Schema.Literals(["credit", "debit"]),
  amount: Schema.String.check(Schema.makeFilter(isAmount, { expected: "a decimal amount" })),
  currency: Text,
  command_id: Nullable,
  payin_id: Nullable,
  provider_reference: Nullable,
  transaction_hash: Nullable,
  narration: Nullable
})

/** A page of a statement. The lines are validated one by one, so that one that is unreadable does not hide the others. */
export const StatementPage = Schema.Struct({ lines: Schema.Array(Schema.Unknown), cursor: Nullable })

/** A page of events. The events are validated one by one, so that one that is unreadable does not hide the others. */
export const EventPage = Schema.Struct({
  events: Schema.Array(Schema.Unknown),
  cursor: Kept.check(Schema.isMaxLength(8192))
})

export const Instruction = Schema.Struct({
  accountName: Text,
  accountNumber: Text,
  bankName: Text,
  bankCode: Text,
  depositReference: Text
})

export const Account = Schema.Union([
  Schema.TaggedStruct("resolved", { account_name: Text }),
  Schema.TaggedStruct("unresolved", {})
])

export const Proxy = Schema.Union([
  Schema.TaggedStruct("resolved", { account_name: Text }),
  ...(["unregistered", "no_answer", "unavailable", "switched_off"] as const).map((tag) => Schema.TaggedStruct(tag, {}))
])

export const Banks = Schema.Array(Schema.Struct({ id: Text, name: Text, code: Text, country_code: Text }))
