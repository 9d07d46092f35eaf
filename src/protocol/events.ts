/** The events that a connector sends to Corridor, or that Corridor reads. */
import { Schema } from "effect"
import { Details } from "./details.ts"
import { Amount, optional, PositiveAmount, Reported, required, Text } from "../engine/ports/provider-fields.ts"
import { Cursor, Instant } from "./fields.ts"
import { inParts, Outcome, Unsupported } from "./results.ts"

const makeEventSchema = <T extends string>(type: T, description: string) => ({
  operation: required(Schema.Literal("event"), "Says that the message is an event."),
  id: required(
    Text,
    "The connector's id of the event. The same event has the same id and content whenever it is sent."
  ),
  type: required(Schema.Literal(type), description)
})

const about = {
  merchant_id: optional(Text, "The `merchant_id` of the command, if the connector repeats it."),
  resource_id: required(Text, "The `resource_id` of the command.")
}

export const MovementEvent = Schema.Struct({
  ...makeEventSchema("movement", "The outcome of a payout or a conversion."),
  ...about,
  ...Outcome.fields
}).annotate({ identifier: "MovementEvent", description: "The outcome of a payout or a conversion." })

export const RefundEvent = Schema.Struct({
  ...makeEventSchema("refund", "The outcome of a refund."),
  ...about,
  command_id: optional(Text, "The `id` of the refund. One resource can have several, one after the other."),
  outcome: required(
    Schema.Literals(["success", "failed"]),
    "`success`: the payer has the money. `failed` after `success`: the money came back."
  ),
  reason: optional(Reported, "Why the refund failed."),
  amount: optional(PositiveAmount, "What the payer got, in the currency of the refund. Null: the whole amount."),
  fee: optional(Amount, "What the connector charged. A fee that is exactly what is missing explains a short `amount`."),
  fee_currency: optional(Text, "The currency of `fee`. Null: that of `amount`."),
  ...inParts,
  provider_reference: optional(Reported, "The connector's own reference.")
}).annotate({ identifier: "RefundEvent", description: "The outcome of a refund." })

const Sender = Schema.Struct({
  name: optional(Reported, "The name of the payer."),
  bank: optional(Reported, "The payer's bank."),
  account_number: optional(Reported, "The payer's account number. Corridor keeps its last four characters.")
}).annotate({ identifier: "Sender", description: "The payer, as the bank reports it." })

export const PayinEvent = Schema.Struct({
  ...makeEventSchema("payin", "Money that has arrived, or is about to."),
  payin_id: required(Text, "The connector's id of the money. Events at other stages have the same one."),
  stage: required(
    Schema.Literals(["detected", "confirmed", "failed"]),
    "`confirmed`: the money is there for good. `failed`: it never came, or was taken back."
  ),
  target: required(Text, "The issued address or account, or the deposit reference of an instruction."),
  amount: required(PositiveAmount, "What was paid in."),
  currency: required(Text, "The currency of `amount`."),
  network: optional(Text, "`bank`, or the blockchain."),
  transaction_hash: optional(Reported, "The hash of the blockchain transaction."),
  from_address: optional(Reported, "The address of the payer."),
  sender: optional(Sender, "The payer, as the bank reports it."),
  narration: optional(Reported, "The text of the payment."),
  observed_at: required(Instant, "When the connector saw this stage.")
}).annotate({ identifier: "PayinEvent", description: "Money that has arrived, or is about to." })

export const IssuedEvent = Schema.Struct({
  ...makeEventSchema("issued", "An address or account was issued."),
  ...about,
  kind: required(Schema.Literals(["deposit_address", "wallet_credential"]), "The `kind` of the command."),
  provider_resource_id: required(Text, "The connector's id of the address."),
  target: required(Text, "What identifies its pay-ins, which name it as their `target`."),
  details: required(Details, "What the payer needs: `BankDetails` of an account, `AddressDetails` of an address.")
}).annotate({ identifier: "IssuedEvent", description: "An address or account was issued." })

export const ScreenedEvent = Schema.Struct({
  ...makeEventSchema("screened", "A verdict on a screening."),
  ...about,
  screening_id: required(Text, "The `id` of the screening."),
  cleared: required(Schema.Boolean, "Whether the beneficiary may be paid.")
}).annotate({ identifier: "ScreenedEvent", description: "A verdict on a screening." })

export const VerificationEvent = Schema.Struct({
  ...makeEventSchema("verification", "The progress of a verification."),
  ...about,
  outcome: required(Schema.Literals(["opened", "approved", "rejected"]), "What happened."),
  reason: optional(Reported, "Why the customer was rejected.")
}).annotate({ identifier: "VerificationEvent", description: "The progress of a verification." })

/** Any event. `type` says which. */
export const Event = Schema.Union([
  MovementEvent,
  RefundEvent,
  PayinEvent,
  IssuedEvent,
  ScreenedEvent,
  VerificationEvent
])
export type Event = typeof Event.Type

export const Events = Schema.Union([
  Schema.Struct({
    events: required(Schema.Array(Event), "The events after the cursor, oldest first."),
    cursor: required(Cursor, "The cursor after the last event of this page. Without events: the cursor of the request.")
  }).annotate({ identifier: "Events", description: "A page of events." }),
  Unsupported
])
