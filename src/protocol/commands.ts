/**
 * The members of the requests, besides `operation` and `id`: those of the commands of the provider port, under the same names. A
 * member that a command may lack is null, and times are texts.
 */
import { Schema, Struct } from "effect"
import * as port from "../engine/ports/provider-commands.ts"
import { Amount, optional, Reported, required, Text } from "../engine/ports/provider-fields.ts"
import { Cursor, Instant } from "./fields.ts"

const omitId = <F extends { readonly id: Schema.Top }>(fields: F) => Struct.omit(fields, ["id"])

export const Bank = port.Bank.mapFields(omitId).annotate({ identifier: "Bank", description: "A bank." })

const Destination = Schema.Union([
  Schema.Struct({
    ...port.FiatDestination.fields,
    bank_code: optional(Text, "The code of the bank, as `GET /banks` returned it. Null if the account needs none.")
  }),
  port.CryptoDestination
]).annotate({ identifier: "Destination", description: "Where the money goes." })

const address = optional(
  Schema.Struct({
    ...port.PartyAddress.fields,
    line2: optional(Reported, "The second line."),
    state: optional(Reported, "The state or province."),
    postal_code: optional(Reported, "The postal code.")
  }),
  "The address, if it is known."
)

const Originator = Schema.Struct({ ...port.Originator.fields, address }).annotate({
  identifier: "Originator",
  description: "The party on whose behalf money moves."
})

const originator = optional(Originator, "The party on whose behalf money moves.")

export const Payout = Schema.Struct({
  ...omitId(port.PayoutCommand.fields),
  originator,
  destination: Destination,
  beneficiary: required(Schema.Struct({ ...port.PayoutCommand.fields.beneficiary.fields, address }), "The recipient."),
  purpose_code: optional(
    Text,
    "Why the payment is made: the code that the beneficiary has, from the list of its bank or regulator."
  )
})

export const Conversion = Schema.Struct({ ...omitId(port.ConversionCommand.fields), originator })

export const Issue = port.IssueCommand.mapFields(omitId)

export const Instruction = Schema.Struct({
  ...omitId(port.InstructCommand.fields),
  expires_at: required(Instant, "When the payment is no longer expected.")
})

export const Refund = port.RefundCommand.mapFields(omitId)

export const Verification = port.VerificationCommand.mapFields(omitId)

export const Screen = Schema.Struct({
  ...Struct.omit(port.ScreeningCommand.fields, ["screening_id"]),
  destination: Destination
})

export const ResolveAccount = Schema.Struct({
  ...port.AccountQuery.fields,
  bank: Bank,
  holder_document: optional(
    port.HolderDocument,
    "The identity document of the expected holder, which banks of some countries ask for. Do not store it."
  )
})

export const ResolveProxy = Schema.Struct({ proxy: required(Text, "The proxy, such as a phone number.") })

/** A request without members. */
export const Nothing = Schema.Struct({})

export const BanksQuery = Schema.Struct({ country_code: optional(Text, "The country. Absent: all countries.") })

const makeCursorQuery = (what: string) =>
  Schema.Struct({ after: optional(Cursor, `The cursor of the last page. Absent: ${what} from the beginning.`) })
export const StatementsQuery = makeCursorQuery("lines")
export const EventsQuery = makeCursorQuery("events")

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
