/**
 * The members of the requests, besides `operation` and `id`. They are those of the commands of the provider port, under the
 * same names.
 */
import { Schema } from "effect"
import { Amount, Cursor, Instant, optional, PositiveAmount, Reported, required, Text } from "./fields.ts"

export const Bank = Schema.Struct({
  code: required(Text, "The code of the bank in its country."),
  name: required(Text, "The name of the bank."),
  country_code: required(Text, "The ISO 3166-1 alpha-2 code of the country.")
}).annotate({ identifier: "Bank", description: "A bank." })

export const Destination = Schema.Union([
  Schema.Struct({
    type: required(Schema.Literal("fiat"), "A bank account."),
    country_code: required(Text, "The country of the account."),
    network: required(Schema.Literal("bank"), "A bank account."),
    account_number: required(Text, "The account number, or the proxy where `rail` is `payshap`."),
    account_name: optional(Reported, "The holder of the account, if it is known."),
    bank_code: optional(Text, "The code of the bank, as `GET /banks` returned it. Null if the account needs none."),
    provider_id: optional(Text, "Corridor's id of the bank."),
    rail: optional(Text, "The payment system that the payout must use, such as `payshap`. Null: one that fits.")
  }),
  Schema.Struct({
    type: required(Schema.Literal("crypto"), "An address on a blockchain."),
    network: required(Text, "The blockchain: `base`, `ethereum` or `solana`."),
    address: required(Text, "The address."),
    memo: optional(Reported, "The memo that the transfer must have.")
  })
]).annotate({ identifier: "Destination", description: "Where the money goes." })

export const Originator = Schema.Struct({
  id: required(Text, "Corridor's id of the party."),
  type: required(Schema.Literals(["individual", "business"]), "The type of the party."),
  name: required(Text, "The full name."),
  country_code: required(Text, "The country of residence."),
  address: optional(
    Schema.Struct({
      line1: required(Reported, "The first line."),
      line2: optional(Reported, "The second line."),
      city: required(Reported, "The city."),
      state: optional(Reported, "The state or province."),
      postal_code: optional(Reported, "The postal code."),
      country_code: required(Text, "The country.")
    }),
    "The address, if it is known."
  ),
  date_of_birth: optional(Reported, "MM/DD/YYYY."),
  id_type: optional(Reported, "The type of the identity document."),
  id_number: optional(Reported, "The number of the identity document.")
}).annotate({ identifier: "Originator", description: "The party on whose behalf money moves." })

/** The owner of a command. */
const owner = {
  merchant_id: required(Text, "The merchant for which Corridor acts."),
  resource_id: required(Text, "The resource that the command is for. Events about the command name it.")
}

const submission = {
  ...owner,
  reference: required(Reported, "The merchant's reference of the movement."),
  originator: optional(Originator, "The party on whose behalf money moves."),
  attempt: required(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    "The number of earlier submissions of this command. It is not part of the content."
  )
}

export const Payout = Schema.Struct({
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
      name: required(Text, "The recipient's name.")
    }),
    "The recipient."
  ),
  purpose: optional(Reported, "Why the payment is made, in the sender's words."),
  narration: optional(Reported, "The text for the recipient's bank statement.")
})

export const Conversion = Schema.Struct({
  ...submission,
  kind: required(Schema.Literals(["conversion", "onramp"]), "`onramp`: fiat that was paid in becomes crypto."),
  source_amount: required(PositiveAmount, "What is taken."),
  source_currency: required(Text, "The currency of `source_amount`."),
  destination_amount: required(PositiveAmount, "What is given for it."),
  destination_currency: required(Text, "The currency of `destination_amount`."),
  rate: required(PositiveAmount, "Units of the destination currency for one unit of the source currency.")
})

export const Issue = Schema.Struct({
  ...owner,
  kind: required(Schema.Literals(["deposit_address", "wallet_credential"]), "The resource that gets the address."),
  type: required(Schema.Literals(["fiat", "crypto"]), "A bank account or a blockchain address."),
  currency: required(Text, "The currency of the pay-ins."),
  country_code: optional(Text, "The country of a bank account."),
  network: required(Text, "`bank`, or the blockchain."),
  holder: required(Text, "The name of the holder.")
})

export const Instruction = Schema.Struct({
  ...owner,
  amount: required(PositiveAmount, "What the payer will pay."),
  currency: required(Text, "The currency of `amount`."),
  country_code: optional(Text, "The country of the payer's bank."),
  expires_at: required(Instant, "When the payment is no longer expected.")
})

export const Refund = Schema.Struct({
  ...owner,
  payin_id: required(Text, "The connector's id of the pay-in that is returned."),
  amount: required(PositiveAmount, "What is returned. The sum over all refunds never exceeds the pay-in."),
  currency: required(Text, "The currency of `amount`.")
})

export const Verification = Schema.Struct({
  ...owner,
  tier: required(Text, "The tier that the customer asks for."),
  customer: required(
    Schema.Struct({
      id: required(Text, "Corridor's id of the customer."),
      type: required(Schema.Literals(["individual", "business"]), "The type of the customer."),
      name: required(Text, "The full name."),
      email: required(Text, "The email address."),
      country_code: required(Text, "The country of residence.")
    }),
    "The customer."
  ),
  redirect_url: optional(
    Schema.String.check(Schema.isMaxLength(2048)),
    "Where the customer goes after the verification."
  )
})

export const Screen = Schema.Struct({
  ...owner,
  name: required(Text, "The name of the beneficiary."),
  destination: Destination
})

export const ResolveAccount = Schema.Struct({
  country_code: required(Text, "The country of the account."),
  bank: Bank,
  account_number: required(Text, "The account number."),
  account_name: optional(Reported, "The name that the account is expected to have.")
})

export const ResolveProxy = Schema.Struct({ proxy: required(Text, "The proxy, such as a phone number.") })

/** A request without members. */
export const Nothing = Schema.Struct({})

export const BanksQuery = Schema.Struct({ country_code: optional(Text, "The country. Absent: all countries.") })

const cursorQuery = (what: string) =>
  Schema.Struct({ after: optional(Cursor, `The cursor of the last page. Absent: ${what} from the beginning.`) })
export const StatementsQuery = cursorQuery("lines")
export const EventsQuery = cursorQuery("events")

export const Offer = Schema.Struct({
  operation: required(
    Schema.Literals([
      "payout",
      "conversion",
      "payin",
      "issue",
      "directory",
      "screening",
      "verification",
      "statements",
      "rates"
    ]),
    "The service. `payin` includes refunds; `directory` is banks and the holders of accounts; `statements` includes balances."
  ),
  currency: optional(Text, "The currency, or the source currency of a conversion."),
  destination_currency: optional(Text, "The destination currency of a conversion."),
  country_code: optional(Text, "The country."),
  network: optional(Text, "`bank`, or the blockchain."),
  minimum: optional(Amount, "The smallest amount, inclusive."),
  maximum: optional(Amount, "The largest amount, inclusive."),
  cost: optional(
    Schema.Struct({
      fixed: required(Amount, "A fixed amount, in `currency`."),
      share: required(Amount, "A share of the amount: `0.005` is 0.5 %.")
    }),
    "What the connector charges."
  )
}).annotate({ identifier: "Offer", description: "One service. A member that is null or absent means: all of them." })
