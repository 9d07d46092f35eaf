/**
 * Schemas of a provider's events and results. They match the types of the port and validate an implementation at run
 * time.
 */
import { Effect, Schema } from "effect"
import { isAmount } from "../../machines/kernel/money.ts"
import { movementOutcomes } from "./Provider.ts"
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

const about = { event_id: Text, merchant_id: Optional, resource_id: Text } as const

/** A bank's details of a payer may be blank. A pay-in is not rejected for that. */
const Reported = Kept.check(Schema.isMaxLength(500))
const OptionalReported = Schema.NullOr(Reported).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
const Sender = Schema.Struct({
  name: Schema.optionalKey(Reported),
  bank: Schema.optionalKey(Reported),
  account_number: Schema.optionalKey(Reported)
})

/** A provider event. */
export const Event = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("movement"),
    ...about,
    outcome: Schema.Literals(movementOutcomes),
    reason: Optional,
    transaction_hash: Optional
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
    details: Schema.Record(Kept, Kept)
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

/** The result of submitting a payout or a refund. */
export const SubmissionResult = Schema.Union([
  Schema.TaggedStruct("accepted", {}),
  Schema.TaggedStruct("rejected", { reason: Kept, refundable: Schema.Boolean }),
  Schema.TaggedStruct("unavailable", {})
])

/** The result of a look-up. */
export const CommandStatus = Schema.Union([
  Schema.TaggedStruct("absent", {}),
  Schema.TaggedStruct("pending", {}),
  Schema.TaggedStruct("settled", {
    outcome: Schema.Struct({
      outcome: Schema.Literals(movementOutcomes),
      reason: Nullable,
      transaction_hash: Nullable
    })
  })
])

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
