/** The results of the operations. `status` says which one it is, where there are several. */
import { Schema } from "effect"
import { movementOutcomes, screeningResults, StatedParts } from "../engine/ports/provider-results.ts"
import { Bank, Offer } from "./commands.ts"
import { Details } from "./details.ts"
import {
  Amount,
  optional,
  personParties,
  PositiveAmount,
  Reported,
  required,
  Text
} from "../engine/ports/provider-fields.ts"
import { ConnectorId, Cursor, Instant, SignedAmount } from "./fields.ts"

const makeStatusSchema = <S extends string>(value: S, description: string) =>
  required(Schema.Literal(value), description)

/** Makes the schema of a result with this status. `about`: its description, if it differs from that of the status. */
const makeResultSchema = <const S extends string, F extends Schema.Struct.Fields = {}>(
  value: S,
  identifier: string,
  description: string,
  fields: F = {} as F,
  about = description
) =>
  Schema.Struct({ status: makeStatusSchema(value, description), ...fields }).annotate({
    identifier,
    description: about
  })

/** A return, or a refund, in several parts (OUTCOME-8). */
export const inParts = {
  parts: optional(
    StatedParts,
    "All parts so far, the first one first, where the money comes in several. Each report repeats those before. `amount` is null or their sum. Null: it comes at once."
  ),
  complete: optional(
    Schema.Boolean,
    "With `parts`. True: no more follow, and what is missing is the connector's fee. Null or false: more may follow."
  )
} as const

export const Outcome = Schema.Struct({
  outcome: required(
    Schema.Literals(movementOutcomes),
    "How the command ended. `returned`: the recipient's bank sent the money back."
  ),
  reason: optional(
    Reported,
    "Why, if it is not a success. A reason that begins with `compliance` is final for the party."
  ),
  transaction_hash: optional(Reported, "The hash of the blockchain transaction."),
  amount: optional(
    PositiveAmount,
    "What was paid out or came back. Null: the whole amount. Of a conversion, a success is in its destination currency, and a return in its source currency."
  ),
  fee: optional(Amount, "What the connector charged. A fee that is exactly what is missing explains a short `amount`."),
  fee_currency: optional(Text, "The currency of `fee`. Null: that of `amount`."),
  ...inParts,
  provider_reference: optional(Reported, "The connector's own reference, as its statements show it.")
}).annotate({ identifier: "Outcome", description: "How a command ended." })

const notOffered = "The manifest does not offer the operation."
export const Unsupported = makeResultSchema(
  "unsupported",
  "Unsupported",
  `${notOffered} Nothing was executed.`,
  {},
  notOffered
)

const Conflict = Schema.Struct({
  status: makeStatusSchema("conflict", "The id is known with other content. This request changed nothing.")
}).annotate({ identifier: "Conflict", description: "The id is known with other content." })

const Absent = Schema.Struct({
  status: makeStatusSchema("absent", "The command was not executed, and will not be unless it is submitted again.")
}).annotate({ identifier: "Absent", description: "Definite: nothing was executed. It releases money." })

const AwaitedPerson = Schema.Struct({
  party: required(
    Schema.Literals(personParties),
    "Who acts. `operator`: a person of the platform, at the connector's company. `provider`: a person of the connector's company. `customer`: the payer or the recipient."
  ),
  action: required(Text, "What the person does, in the imperative: `enter the code that was sent to the owner`.")
}).annotate({ identifier: "AwaitedPerson", description: "A person without whom the command does not go on." })

const waiting = {
  awaited_person: optional(
    AwaitedPerson,
    "Who must act before the command goes on. It may still be executed, for however long. Null: nobody."
  )
} as const

const pending = {
  status: makeStatusSchema("pending", "The connector has the command, and does not know the outcome yet.")
}

const Pending = Schema.Struct(pending).annotate({
  identifier: "Pending",
  description: "The outcome is not known yet."
})

const PendingCommand = Schema.Struct({ ...pending, ...waiting }).annotate({
  identifier: "PendingCommand",
  description: "The outcome is not known yet."
})

const Settled = makeResultSchema("settled", "Settled", "The command has ended.", { outcome: Outcome })

/** The result of a submission of money. */
export const Submission = Schema.Union([
  Schema.Struct({
    status: makeStatusSchema("accepted", "The connector has the command. The outcome follows as an event."),
    ...waiting
  }).annotate({ identifier: "Accepted", description: "The connector has the command." }),
  Settled,
  Schema.Struct({
    status: makeStatusSchema("rejected", "The connector will never execute the command under this id."),
    reason: required(Text, "Why. A reason that begins with `compliance` is final for the party."),
    refundable: required(Schema.Boolean, "Whether the money can be given back to the customer.")
  }).annotate({ identifier: "Rejected", description: "Definite and final for the id. It releases money." }),
  Schema.Struct({
    status: makeStatusSchema("unavailable", "Not executed. The command may be submitted again, here or elsewhere.")
  }).annotate({ identifier: "Unavailable", description: "Definite: not executed." }),
  Conflict,
  Unsupported
])

export const CommandStatus = Schema.Union([Absent, PendingCommand, Settled, Unsupported])

const Issued = Schema.Struct({
  status: makeStatusSchema("issued", "The address or account exists."),
  provider_resource_id: required(Text, "The connector's id of the address."),
  target: required(
    Text,
    "What identifies its pay-ins, which name it as their `target`: the address, the account number, or the reference."
  ),
  details: required(Details, "What the payer needs: `BankDetails` of an account, `AddressDetails` of an address.")
}).annotate({ identifier: "Issued", description: "An issued address or account." })

const IssueRejected = makeResultSchema("rejected", "IssueRejected", "The address cannot be issued.", {
  reason: required(Text, "Why.")
})

export const IssueResult = Schema.Union([Pending, Issued, IssueRejected, Conflict, Unsupported])
export const IssueStatus = Schema.Union([Absent, Pending, Issued, IssueRejected, Unsupported])

const Instructed = Schema.Struct({
  status: makeStatusSchema("issued", "The payment instructions."),
  account_name: required(Text, "The holder of the account."),
  account_number: required(Text, "The account number."),
  bank_name: required(Text, "The name of the bank."),
  bank_code: required(Text, "The code of the bank."),
  deposit_reference: required(
    Text,
    "Unique to this instruction. The payer puts it into the narration, and the pay-in names it as its `target`."
  )
}).annotate({ identifier: "Instructed", description: "What the payer needs to pay." })

export const InstructionResult = Schema.Union([Instructed, Conflict, Unsupported])
export const InstructionStatus = Schema.Union([Absent, Instructed, Unsupported])

export const VerificationResult = Schema.Union([
  Schema.Struct({
    status: makeStatusSchema("started", "The customer can open the page."),
    hosted_url: required(Schema.String.check(Schema.isMinLength(1), Schema.isMaxCodePoints(2048)), "The page."),
    expires_at: required(Instant, "When the page closes.")
  }).annotate({ identifier: "VerificationStarted", description: "The page that the customer opens." }),
  Conflict,
  Unsupported
])

export const VerificationStatus = Schema.Union([
  Absent,
  Pending,
  makeResultSchema("opened", "VerificationOpened", "The customer has opened the page."),
  makeResultSchema("approved", "VerificationApproved", "The customer is verified."),
  makeResultSchema("rejected", "VerificationRejected", "The customer is not verified.", {
    reason: optional(Reported, "Why.")
  }),
  Unsupported
])

export const Screened = Schema.Union([
  Schema.Struct({
    status: required(Schema.Literals(screeningResults), "`held`: the verdict follows as a `screened` event.")
  }).annotate({ identifier: "Screened", description: "The verdict." }),
  Unsupported
])

const ResolvedAccount = makeResultSchema("resolved", "ResolvedAccount", "The account exists.", {
  account_name: required(Text, "The holder of the account.")
})

export const AccountResolution = Schema.Union([
  ResolvedAccount,
  makeResultSchema("unresolved", "UnresolvedAccount", "The bank does not know the account."),
  Schema.Struct({
    status: makeStatusSchema("unchecked", "Payments reach accounts there, and the bank cannot say who holds one.")
  }).annotate({
    identifier: "UncheckedAccount",
    description:
      "Payments reach accounts there, and the bank cannot say who holds one. The name is what the sender said."
  }),
  Unsupported
])

export const ProxyResolution = Schema.Union([
  ResolvedAccount,
  Schema.Struct({
    status: required(
      Schema.Literals(["unregistered", "no_answer", "unavailable", "switched_off"]),
      "`unregistered`: nobody has the proxy. `switched_off`: the connector does not offer proxies."
    )
  }).annotate({ identifier: "UnresolvedProxy", description: "No account was found." }),
  Unsupported
])

export const Manifest = Schema.Struct({
  protocol: required(Schema.Literal("1"), "The version of this protocol."),
  id: optional(
    ConnectorId,
    "The id of the books behind the connector, such as a UUID that was made with them. It never changes: not by a restart, a release or another address. Other books, such as those of a test installation, have another one. Null or absent: Corridor knows the connector by its URL."
  ),
  offers: required(Schema.Array(Offer), "What the connector serves."),
  events: required(
    Schema.Struct({
      callbacks: required(Schema.Boolean, "The connector sends events to Corridor."),
      readable: required(Schema.Boolean, "Corridor can read events with `GET /events`.")
    }),
    "How events reach Corridor. At least one of them, if any operation has events."
  )
}).annotate({ identifier: "Manifest", description: "What the connector serves." })

export const Banks = Schema.Union([
  Schema.Struct({ banks: required(Schema.Array(Bank), "The banks, in any order.") }).annotate({
    identifier: "Banks",
    description: "The banks."
  }),
  Unsupported
])

export const Rate = Schema.Struct({
  base: required(Text, "The currency of which one unit is priced."),
  quote: required(Text, "The currency of the price."),
  rate: required(PositiveAmount, "Units of `quote` for one unit of `base`: the mid rate."),
  at: required(Instant, "When the market had this rate. Corridor refuses a rate that is too old.")
}).annotate({ identifier: "Rate", description: "A mid rate." })

export const Rates = Schema.Union([
  Schema.Struct({ rates: required(Schema.Array(Rate), "The rates, one for each pair.") }).annotate({
    identifier: "Rates",
    description: "The rates."
  }),
  Unsupported
])

const Balance = Schema.Struct({
  currency: required(Text, "The currency."),
  network: optional(Text, "The blockchain. Null for fiat."),
  available: required(SignedAmount, "Money that can be paid out now."),
  pending: required(SignedAmount, "Money that is on its way in or out.")
}).annotate({ identifier: "Balance", description: "Money of the platform at the connector." })

export const Balances = Schema.Union([
  Schema.Struct({ balances: required(Schema.Array(Balance), "The balances.") }).annotate({
    identifier: "Balances",
    description: "The balances."
  }),
  Unsupported
])

export const StatementLine = Schema.Struct({
  id: required(Text, "The connector's id of the line."),
  booked_at: required(Instant, "When the line was booked."),
  direction: required(Schema.Literals(["credit", "debit"]), "`credit`: the balance rises."),
  amount: required(Amount, "The amount of the line. A line of zero moves no money."),
  currency: required(Text, "The currency of `amount`."),
  command_id: optional(Text, "Corridor's id of the command, if the connector knows it."),
  payin_id: optional(Text, "The id of the pay-in."),
  provider_reference: optional(Reported, "The connector's own reference."),
  transaction_hash: optional(Reported, "The hash of the blockchain transaction."),
  narration: optional(Reported, "The text of the line.")
}).annotate({ identifier: "StatementLine", description: "One line of the account statement." })

/** A page, to read its lines one by one. */
export const StatementPage = Schema.Struct({
  lines: Schema.Array(Schema.Unknown),
  cursor: Schema.optionalKey(Schema.NullOr(Cursor))
})

export const Statements = Schema.Union([
  Schema.Struct({
    lines: required(Schema.Array(StatementLine), "The lines after the cursor, oldest first."),
    cursor: optional(Cursor, "The cursor of the last line. Null: there is no line at all.")
  }).annotate({ identifier: "Statements", description: "A page of the account statement." }),
  Unsupported
])
