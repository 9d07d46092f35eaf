/**
 * The operations of the provider protocol. Clients, servers, the published document and the conformance checks derive from
 * this table.
 */
import { Schema } from "effect"
import * as commands from "./commands.ts"
import { Events } from "./events.ts"
import { required, Text } from "../engine/ports/provider-fields.ts"
import { Id } from "./fields.ts"
import * as results from "./results.ts"

export type Service = (typeof commands.Offer.Type)["operation"]

/**
 * One operation. `path` has `{id}` where the command's id stands. `input` has the members of the body besides `operation` and
 * `id`, or those of the query. `service`: what the manifest must offer. Null: always served.
 */
interface OperationSpec {
  readonly method: "GET" | "PUT" | "POST"
  readonly path: string
  readonly service: Service | null
  readonly summary: string
  readonly description: string
  readonly input: Schema.Codec<object, object> & { readonly fields: Schema.Struct.Fields }
  readonly result: Schema.Codec<object, object>
}

const submitted =
  "The same id with the same content returns the present result and executes nothing. The same id with other content returns `conflict`."

export const operations = {
  manifest: {
    method: "GET",
    path: "/manifest",
    service: null,
    summary: "What the connector serves",
    description: "Corridor reads it at startup and from time to time.",
    input: commands.Nothing,
    result: results.Manifest
  },
  payout: {
    method: "PUT",
    path: "/payouts/{id}",
    service: "payout",
    summary: "Pay out",
    description: `Pays the recipient. ${submitted}`,
    input: commands.Payout,
    result: results.Submission
  },
  payout_status: {
    method: "GET",
    path: "/payouts/{id}",
    service: "payout",
    summary: "The status of a payout",
    description: "`absent` releases the money: never return it for a payout that is being executed.",
    input: commands.Nothing,
    result: results.CommandStatus
  },
  conversion: {
    method: "PUT",
    path: "/conversions/{id}",
    service: "conversion",
    summary: "Exchange currencies",
    description: `Takes the source amount for the destination amount. ${submitted}`,
    input: commands.Conversion,
    result: results.Submission
  },
  conversion_status: {
    method: "GET",
    path: "/conversions/{id}",
    service: "conversion",
    summary: "The status of a conversion",
    description: "`absent` releases the money: never return it for a conversion that is being executed.",
    input: commands.Nothing,
    result: results.CommandStatus
  },
  issue: {
    method: "PUT",
    path: "/issues/{id}",
    service: "issue",
    summary: "Issue an address or account",
    description: `Issues an address or account for pay-ins. ${submitted}`,
    input: commands.Issue,
    result: results.IssueResult
  },
  issue_status: {
    method: "GET",
    path: "/issues/{id}",
    service: "issue",
    summary: "The status of an address or account",
    description: "The present state of an issue.",
    input: commands.Nothing,
    result: results.IssueStatus
  },
  instruction: {
    method: "PUT",
    path: "/instructions/{id}",
    service: "payin",
    summary: "Payment instructions",
    description: `Where the payer of an onramp pays, and with which reference. A caller waits for the result. ${submitted}`,
    input: commands.Instruction,
    result: results.InstructionResult
  },
  instruction_status: {
    method: "GET",
    path: "/instructions/{id}",
    service: "payin",
    summary: "The payment instructions of an id",
    description: "The instructions that were issued.",
    input: commands.Nothing,
    result: results.InstructionStatus
  },
  refund: {
    method: "PUT",
    path: "/refunds/{id}",
    service: "payin",
    summary: "Return a pay-in",
    description: `Returns money to its payer. ${submitted}`,
    input: commands.Refund,
    result: results.Submission
  },
  refund_status: {
    method: "GET",
    path: "/refunds/{id}",
    service: "payin",
    summary: "The status of a refund",
    description: "`settled` with `success`: the payer has the money. `absent`: no money was returned.",
    input: commands.Nothing,
    result: results.CommandStatus
  },
  verification: {
    method: "PUT",
    path: "/verifications/{id}",
    service: "verification",
    summary: "Begin a verification",
    description: `Makes a page on which the customer is verified. Another id with the same \`resource_id\` follows where the link has lapsed, or the customer's data or \`redirect_url\` have changed: the latest id is the one that is asked about. ${submitted}`,
    input: commands.Verification,
    result: results.VerificationResult
  },
  verification_status: {
    method: "GET",
    path: "/verifications/{id}",
    service: "verification",
    summary: "The status of a verification",
    description: "The present state of a verification.",
    input: commands.Nothing,
    result: results.VerificationStatus
  },
  screen: {
    method: "POST",
    path: "/screen",
    service: "screening",
    summary: "Screen a beneficiary",
    description: "Checks a name and destination against sanctions and risk lists. `id` is the id of the screening.",
    input: commands.Screen,
    result: results.Screened
  },
  resolve_account: {
    method: "POST",
    path: "/resolve-account",
    service: "directory",
    summary: "Who holds an account",
    description: "Asks the bank for the holder of an account. `id` is new for each request.",
    input: commands.ResolveAccount,
    result: results.AccountResolution
  },
  resolve_proxy: {
    method: "POST",
    path: "/resolve-proxy",
    service: "directory",
    summary: "Whose account a proxy is",
    description: "Asks for the account behind a proxy. `id` is new for each request.",
    input: commands.ResolveProxy,
    result: results.ProxyResolution
  },
  banks: {
    method: "GET",
    path: "/banks",
    service: "directory",
    summary: "The banks",
    description: "The banks to which the connector can pay.",
    input: commands.BanksQuery,
    result: results.Banks
  },
  rates: {
    method: "GET",
    path: "/rates",
    service: "rates",
    summary: "Exchange rates",
    description: "Mid rates with the time of each. Corridor computes cross rates through USD.",
    input: commands.Nothing,
    result: results.Rates
  },
  balances: {
    method: "GET",
    path: "/balances",
    service: "statements",
    summary: "Balances",
    description: "The money that the platform has at the connector.",
    input: commands.Nothing,
    result: results.Balances
  },
  statements: {
    method: "GET",
    path: "/statements",
    service: "statements",
    summary: "Statement lines",
    description: "The lines of the account statement after a cursor, oldest first. A page has at most 500 lines.",
    input: commands.StatementsQuery,
    result: results.Statements
  },
  events: {
    method: "GET",
    path: "/events",
    service: null,
    summary: "Events",
    description:
      "The same events that the connector sends, after a cursor, oldest first. A page has at most 500 events.",
    input: commands.EventsQuery,
    result: Events
  }
} as const satisfies { readonly [operation: string]: OperationSpec }

export type Operation = keyof typeof operations
/** The members of a request, besides `operation` and `id`, or those of its query. */
export type InputOf<O extends Operation> = (typeof operations)[O]["input"]["Type"] & object
/** The same as a caller may state it: what is null may be absent. */
export type StatedInputOf<O extends Operation> = (typeof operations)[O]["input"]["Encoded"] & object
export type ResultOf<O extends Operation> = (typeof operations)[O]["result"]["Type"]

export const operationNames = Object.keys(operations) as ReadonlyArray<Operation>

/** Whether a request of the operation, and its answer, name an id: in the path or in the body. */
export const hasId = (operation: Operation): boolean => {
  const { method, path } = operations[operation]
  return method !== "GET" || path.includes("{id}")
}

/** Makes the schema of a request's body. A GET has no body. */
export const toBodySchema = (operation: Operation) =>
  Schema.Struct({
    operation: required(Schema.Literal(operation), "The operation. The signature does not cover the path."),
    id: required(Id, "The idempotency key, and the `{id}` of the path. The same for every attempt."),
    ...(operations[operation].input.fields as Schema.Struct.Fields)
  })

/** Makes the schema of an answer's body: the result, and the members that bind it to its request. */
export const toAnswerSchema = (operation: Operation) =>
  Schema.Struct({
    request_id: required(Text, "The `webhook-id` of the request."),
    operation: required(Schema.Literal(operation), "The operation of the request."),
    id: hasId(operation)
      ? required(Id, "The id of the request.")
      : required(Schema.Null, "Null: the request has no id."),
    result: operations[operation].result as Schema.Codec<object, object>
  })
