/**
 * The commands that the engine sends to providers. Amounts are decimal strings. The provider protocol sends them under the same
 * names, and its document has these descriptions.
 */
import { Schema } from "effect"
import { optional, PositiveAmount, Reported, required, Text } from "./provider-fields.ts"

export const FiatDestination = Schema.Struct({
  type: required(Schema.Literal("fiat"), "A bank account."),
  country_code: required(Text, "The country of the account."),
  network: required(Schema.Literal("bank"), "A bank account."),
  account_number: required(
    Text,
    "The account number; an IBAN in its electronic form, without spaces and with or without a bank beside it; or the proxy where `rail` is `payshap`."
  ),
  account_name: optional(Reported, "The holder of the account, if it is known."),
  /** The code of the bank in its country. */
  bank_code: Schema.optionalKey(Schema.NullOr(Text)),
  /** Only the provider that listed the bank knows the id. */
  provider_id: optional(Text, "Corridor's id of the bank."),
  rail: optional(Text, "The payment system that the payout must use, such as `payshap`. Null: one that fits.")
})
export const CryptoDestination = Schema.Struct({
  type: required(Schema.Literal("crypto"), "An address on a blockchain."),
  network: required(Text, "The blockchain: `base`, `ethereum` or `solana`."),
  address: required(Text, "The address."),
  memo: optional(Reported, "The memo that the transfer must have.")
})

/** The bank or chain details of a payout, as they were when the movement was created. */
export type Destination = typeof Destination.Type
const Destination = Schema.Union([FiatDestination, CryptoDestination])

export const PartyAddress = Schema.Struct({
  line1: required(Reported, "The first line."),
  line2: Schema.optionalKey(Reported),
  city: required(Reported, "The city."),
  state: Schema.optionalKey(Reported),
  postal_code: Schema.optionalKey(Reported),
  country_code: required(Text, "The country.")
})

/**
 * The party on whose behalf money moves: the sender of the movement, or its customer, as it was when the movement was
 * created. `id_number` is not masked.
 */
export const Originator = Schema.Struct({
  id: required(Text, "Corridor's id of the party."),
  type: required(Schema.Literals(["individual", "business"]), "The type of the party."),
  name: required(Text, "The full name."),
  country_code: required(Text, "The country of residence."),
  address: optional(PartyAddress, "The address, if it is known."),
  date_of_birth: optional(Reported, "MM/DD/YYYY."),
  id_type: optional(Reported, "The type of the identity document."),
  id_number: optional(Reported, "The number of the identity document.")
})

const owner = {
  merchant_id: required(Text, "The merchant for which Corridor acts."),
  resource_id: required(Text, "The resource that the command is for. Events about the command name it.")
}

const command = {
  /** The idempotency key. It is the same for every attempt, so a provider that receives it twice executes it once. */
  id: Text,
  ...owner
}

/** {@link deriveStatementReference} of the command's id: found again in what a bank's statement says of the payment (MATCH-1). */
const statement_reference = required(
  Text,
  "The same for every attempt: 16 of A–Z and 0–9. Give it to the bank as the end-to-end id, or in the remittance: a statement that has it is matched by itself."
)

const submission = {
  ...command,
  statement_reference,
  reference: required(Reported, "The merchant's reference of the movement."),
  originator: optional(Originator, "The party on whose behalf money moves."),
  attempt: required(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    "The number of earlier submissions of this command. It is not part of the content."
  )
}

/** What every submission of money has. */
export type Submission = Schema.Struct<typeof submission>["Type"]

/** A payment to a destination outside the platform. */
export type PayoutCommand = typeof PayoutCommand.Type
export const PayoutCommand = Schema.Struct({
  ...submission,
  kind: required(Schema.Literals(["offramp", "transfer"]), "`offramp`: the customer gave another currency."),
  amount: required(PositiveAmount, "What the recipient gets."),
  currency: required(Text, "The currency of `amount`."),
  source_amount: required(PositiveAmount, "What the customer gave. Equals `amount` unless money changes currency."),
  source_currency: required(Text, "The currency of `source_amount`."),
  destination: Destination,
  beneficiary: required(
    Schema.Struct({
      id: required(Text, "Corridor's id of the recipient."),
      name: required(Text, "The recipient's name."),
      address: Schema.optionalKey(Schema.NullOr(PartyAddress))
    }),
    "The recipient."
  ),
  /** The beneficiary's code of why it is paid, from the list of its bank or regulator. */
  purpose_code: Schema.optionalKey(Schema.NullOr(Text)),
  narration: optional(Reported, "The text for the recipient's bank statement.")
})

/** An exchange inside the platform. The source amount is after the gateway fee. */
export type ConversionCommand = typeof ConversionCommand.Type
export const ConversionCommand = Schema.Struct({
  ...submission,
  kind: required(Schema.Literals(["conversion", "onramp"]), "`onramp`: fiat that was paid in becomes crypto."),
  source_amount: required(PositiveAmount, "What is taken."),
  source_currency: required(Text, "The currency of `source_amount`."),
  destination_amount: required(PositiveAmount, "What is given for it."),
  destination_currency: required(Text, "The currency of `destination_amount`."),
  rate: required(PositiveAmount, "Units of the destination currency for one unit of the source currency.")
})

/** Requests an address or a bank account to which pay-ins can be made. */
export type IssueCommand = typeof IssueCommand.Type
export const IssueCommand = Schema.Struct({
  ...command,
  kind: required(Schema.Literals(["deposit_address", "wallet_credential"]), "The resource that gets the address."),
  type: required(Schema.Literals(["fiat", "crypto"]), "A bank account or a blockchain address."),
  currency: required(Text, "The currency of the pay-ins."),
  country_code: optional(Text, "The country of a bank account."),
  network: required(Text, "`bank`, or the blockchain."),
  holder: required(Text, "The name of the holder.")
})

/** Requests payment instructions for the payer of an onramp. */
export type InstructCommand = typeof InstructCommand.Type
export const InstructCommand = Schema.Struct({
  ...command,
  amount: required(PositiveAmount, "What the payer will pay."),
  currency: required(Text, "The currency of `amount`."),
  country_code: optional(Text, "The country of the payer's bank."),
  /** When the payment is no longer expected, epoch milliseconds. */
  expires_at: Schema.Int
})

/** Returns a pay-in to its payer. */
export type RefundCommand = typeof RefundCommand.Type
export const RefundCommand = Schema.Struct({
  ...command,
  statement_reference,
  payin_id: required(Text, "The connector's id of the pay-in that is returned."),
  amount: required(PositiveAmount, "What is returned. The sum over all refunds never exceeds the pay-in."),
  currency: required(Text, "The currency of `amount`.")
})

/** Requests a screening. The resource is the beneficiary. */
export type ScreeningCommand = typeof ScreeningCommand.Type
export const ScreeningCommand = Schema.Struct({
  ...owner,
  /** New for each name and destination. */
  screening_id: Text,
  name: required(Text, "The name of the beneficiary."),
  destination: Destination
})

/** Requests the verification of a customer at a tier. */
export type VerificationCommand = typeof VerificationCommand.Type
export const VerificationCommand = Schema.Struct({
  ...command,
  tier: required(Text, "The tier that the customer asks for."),
  customer: required(
    Schema.Struct({
      id: required(Text, "Corridor's id of the customer."),
      type: required(Schema.Literals(["individual", "business"]), "The type of the customer."),
      name: required(Text, "The full name."),
      email: required(Text, "The email address."),
      country_code: required(Text, "The country of residence."),
      date_of_birth: optional(Reported, "MM/DD/YYYY, where the merchant has said it.")
    }),
    "The customer."
  ),
  redirect_url: optional(
    Schema.String.check(Schema.isMaxCodePoints(2048)),
    "Where the customer goes after the verification."
  )
})

export type Bank = typeof Bank.Type
export const Bank = Schema.Struct({
  id: Text,
  code: required(Text, "The code of the bank in its country."),
  name: required(Text, "The name of the bank."),
  country_code: required(Text, "The ISO 3166-1 alpha-2 code of the country.")
})

/** The identity document of the holder of an account. It is for the one question that it is sent with. */
export type HolderDocument = typeof HolderDocument.Type
export const HolderDocument = Schema.Struct({
  id_type: required(Text, "The type of the document, such as `national_id`, `passport` or `business_registration`."),
  id_number: required(Text, "The number of the document. It is neither stored nor logged.")
})

export type AccountQuery = typeof AccountQuery.Type
export const AccountQuery = Schema.Struct({
  country_code: required(Text, "The country of the account."),
  bank: Bank,
  account_number: required(Text, "The account number; an IBAN in its electronic form, without spaces."),
  account_name: optional(Reported, "The name that the account is expected to have, as the merchant sent it."),
  name: Schema.optionalKey(
    Text.annotate({
      description: "The name of the beneficiary, which the account is expected to have where `account_name` is null."
    })
  ),
  /** What banks of some countries (ZA) ask for before they say whose an account is. */
  holder_document: Schema.optionalKey(Schema.NullOr(HolderDocument))
})
