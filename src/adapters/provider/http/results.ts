/** Results and events of the protocol as those of the provider port. */
import type {
  AccountResolution,
  CommandStatus,
  IssuedTarget,
  IssueResult,
  Manifest,
  MovementOutcome,
  Offer,
  PaymentInstruction,
  ProviderEvent,
  ProviderOperation,
  ProxyResolution,
  PayinSender,
  StatementLine,
  SubmissionResult,
  UnreadableEvent,
  VerificationLink,
  VerificationStatus
} from "../../../engine/ports/Provider.ts"
import { eventFault } from "../../../engine/input/validation.ts"
import { providerOperations } from "../../../engine/ports/Provider.ts"
import type { Details } from "../../../protocol/details.ts"
import { Event } from "../../../protocol/events.ts"
import { epochOf } from "../../../protocol/fields.ts"
import type { ResultOf } from "../../../protocol/operations.ts"

/** What no command may end with: the connector does not serve the operation, or has other content under the id. */
export type Refused = { readonly status: "unsupported" | "conflict" }
type Taken<R> = Exclude<R, Refused>

/** A text that says nothing is as good as none. */
const filled = (text: string | null): string | null => (text === null || text.trim() === "" ? null : text)

/** The schema of the protocol has checked the text. */
const msOf = (instant: string): number => epochOf(instant)!

const outcomeOf = (given: Taken<ResultOf<"payout">> & { readonly status: "settled" }): MovementOutcome => ({
  outcome: given.outcome.outcome,
  reason: filled(given.outcome.reason),
  transaction_hash: filled(given.outcome.transaction_hash),
  amount: given.outcome.amount,
  fee: given.outcome.fee,
  fee_currency: given.outcome.fee_currency,
  parts: given.outcome.parts,
  complete: given.outcome.complete,
  provider_reference: filled(given.outcome.provider_reference)
})

export const submissionOf = (result: Taken<ResultOf<"payout">>): SubmissionResult => {
  switch (result.status) {
    case "settled":
      return { _tag: "settled", outcome: outcomeOf(result) }
    case "rejected":
      return { _tag: "rejected", reason: result.reason, refundable: result.refundable }
    case "accepted":
    case "unavailable":
      return { _tag: result.status }
  }
}

export const statusOf = (result: Taken<ResultOf<"payout_status">>): CommandStatus =>
  result.status === "settled" ? { _tag: "settled", outcome: outcomeOf(result) } : { _tag: result.status }

/** What a payer needs, under the names of the port. */
const detailsOf = (details: Details): IssuedTarget["details"] =>
  "address" in details
    ? details
    : {
        accountName: details.account_name,
        accountNumber: details.account_number,
        bankName: details.bank_name,
        bankCode: filled(details.bank_code),
        reference: filled(details.reference)
      }

export const issuedOf = (result: Taken<ResultOf<"issue">>): IssueResult => {
  switch (result.status) {
    case "pending":
      return { _tag: "pending" }
    case "rejected":
      return { _tag: "rejected", reason: result.reason }
    case "issued": {
      const { provider_resource_id, target, details } = result
      return { _tag: "issued", issued: { provider_resource_id, target, details: detailsOf(details) } }
    }
  }
}

export const instructionOf = (result: Taken<ResultOf<"instruction">>): PaymentInstruction => ({
  accountName: result.account_name,
  accountNumber: result.account_number,
  bankName: result.bank_name,
  bankCode: result.bank_code,
  depositReference: result.deposit_reference
})

export const linkOf = (result: Taken<ResultOf<"verification">>): VerificationLink => ({
  hosted_url: result.hosted_url,
  expires_at: msOf(result.expires_at)
})

export const verificationOf = (result: Taken<ResultOf<"verification_status">>): VerificationStatus =>
  result.status === "rejected" ? { _tag: "rejected", reason: filled(result.reason) } : { _tag: result.status }

export const accountOf = (result: Taken<ResultOf<"resolve_account">>): AccountResolution =>
  result.status === "resolved" ? { _tag: "resolved", account_name: result.account_name } : { _tag: "unresolved" }

export const proxyOf = (result: Taken<ResultOf<"resolve_proxy">>): ProxyResolution =>
  result.status === "resolved" ? { _tag: "resolved", account_name: result.account_name } : { _tag: result.status }

export const lineOf = (
  line: Extract<ResultOf<"statements">, { readonly lines: unknown }>["lines"][number]
): StatementLine => ({
  ...line,
  booked_at: msOf(line.booked_at),
  provider_reference: filled(line.provider_reference),
  transaction_hash: filled(line.transaction_hash),
  narration: filled(line.narration)
})

/** At most the last four digits of an account number are stored. */
const senderOf = (sender: Extract<Event, { readonly type: "payin" }>["sender"]): PayinSender | null =>
  sender === null
    ? null
    : {
        ...(sender.name !== null && { name: sender.name }),
        ...(sender.bank !== null && { bank: sender.bank }),
        ...(sender.account_number !== null && { account_number: sender.account_number.slice(-4) })
      }

/** The event of the port. Law: the same message gives the same event, however it arrives. */
export const eventOf = (event: Event): ProviderEvent => {
  const { operation: _operation, id: event_id, type, ...members } = event
  switch (type) {
    case "payin": {
      const { observed_at, sender, transaction_hash, ...rest } = members as Omit<
        Extract<Event, { readonly type: "payin" }>,
        "operation" | "id" | "type"
      >
      return {
        _tag: "payin",
        event_id,
        ...rest,
        transaction_hash: filled(transaction_hash),
        sender: senderOf(sender),
        observed_at: msOf(observed_at)
      }
    }
    case "issued": {
      const { details, ...rest } = members as Omit<
        Extract<Event, { readonly type: "issued" }>,
        "operation" | "id" | "type"
      >
      return { _tag: "issued", event_id, ...rest, details: detailsOf(details) }
    }
    case "movement":
    case "refund":
    case "screened":
    case "verification":
      return {
        _tag: type,
        event_id,
        ...Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value === "" ? null : value]))
      } as unknown as ProviderEvent
  }
}

const events = Object.fromEntries(Event.members.map((member) => [member.fields.type.literal, member]))

/** A signed message, or one of a signed page, that is no event. `json`: absent where it is not JSON. */
export const unreadableOf = (found: { readonly json?: unknown; readonly message: string }): UnreadableEvent =>
  "json" in found
    ? { _tag: "unreadable", content: found.json, fault: eventFault(found.json, "type", events) }
    : { _tag: "unreadable", content: found.message, fault: found.message }

const isOperation = (operation: string): operation is ProviderOperation =>
  (providerOperations as ReadonlyArray<string>).includes(operation)

/** Whether the connector reports balances and statements. One whose manifest was never read may do so. */
export const offersStatements = (offers: ResultOf<"manifest">["offers"] | undefined): boolean =>
  offers === undefined || offers.some(({ operation }) => operation === "statements")

/** The manifest of the port. `rates` and `statements` are no operations of it. */
export const manifestOf = (offers: ResultOf<"manifest">["offers"]): Manifest => ({
  offers: offers.flatMap(({ operation, ...members }): ReadonlyArray<Offer> => {
    if (!isOperation(operation)) return []
    const stated = Object.entries(members).filter(([, value]) => value !== null)
    return [{ operation, ...Object.fromEntries(stated) }]
  })
})
