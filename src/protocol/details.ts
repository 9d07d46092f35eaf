/** What a payer needs to pay to an issued account or address, by the kind of it. */
import { Schema } from "effect"
import { optional, Reported, required, Text } from "../engine/ports/provider-fields.ts"

/** Of a command with the `type` `fiat`. */
export const BankDetails = Schema.Struct({
  account_number: required(Text, "The account number, as the payer enters it."),
  account_name: required(Text, "The holder of the account, as the payer's bank shows it."),
  bank_name: required(Text, "The name of the bank."),
  bank_code: optional(Reported, "The code of the bank in its country. Null if it has none."),
  reference: optional(
    Reported,
    "What the payer must put into the narration. Null: the account number alone identifies the payment."
  )
}).annotate({
  identifier: "BankDetails",
  description: "A bank account to pay to: where the command's `type` is `fiat`."
})

/** Of a command with the `type` `crypto`. */
export const AddressDetails = Schema.Struct({
  network: required(Text, "The blockchain, as the command names it."),
  address: required(Text, "The address. It is also the `target`.")
}).annotate({
  identifier: "AddressDetails",
  description: "An address to pay to: where the command's `type` is `crypto`."
})

/** The members say which of the two they are. */
export const Details = Schema.Union([BankDetails, AddressDetails])
export type Details = typeof Details.Type
