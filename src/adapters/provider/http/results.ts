/** Results and events of the protocol as those of the provider port. */
import {
  type IssuedEvent,
  type IssuedTarget,
  type IssueResult,
  type Manifest,
  type Offer,
  type PaymentInstruction,
  type ProviderEvent,
  type ProviderOperation,
  type PayinEvent,
  type StatementLine,
  type UnreadableEvent,
  type VerificationLink,
  type VerificationStatus,
  providerOperations
} from "../../../engine/ports/Provider.ts"
import { takeLastFour } from "../../../engine/ports/provider-events.ts"
import { eventFault } from "../../../engine/input/validation.ts"
import type { Details } from "../../../protocol/details.ts"
import { Event } from "../../../protocol/events.ts"
import { parseEpoch } from "../../../protocol/fields.ts"
import type { Outcome } from "../../../protocol/results.ts"
import type { ResultOf } from "../../../protocol/operations.ts"

/** What no command may end with: the connector does not serve the operation, or has other content under the id. */
export type Refused = { readonly status: "unsupported" | "conflict" }
type Taken<R> = Exclude<R, Refused>

/** Replaces blank text with null. */
const blankToNull = (text: string | null): string | null => (text === null || text.trim() === "" ? null : text)

/** Parses an instant, which the schema of the protocol has already checked. */
const parseInstant = (instant: string): number => parseEpoch(instant)!

type Tagged<R> = R extends { readonly status: infer S } ? { readonly _tag: S } & Omit<R, "status"> : never

/** Converts a result that has the same member names in the port: `status` becomes `_tag`. */
export const toPortResult = <R extends { readonly status: string; readonly outcome?: typeof Outcome.Type }>({
  status,
  ...members
}: R) =>
  ({
    _tag: status,
    ...members,
    ...(members.outcome && {
      outcome: {
        ...members.outcome,
        reason: blankToNull(members.outcome.reason),
        transaction_hash: blankToNull(members.outcome.transaction_hash),
        provider_reference: blankToNull(members.outcome.provider_reference)
      }
    })
  }) as unknown as Tagged<R>

/** Converts payment details to those of the port. */
const toPayinDetails = (details: Details): IssuedTarget["details"] =>
  "address" in details
    ? details
    : {
        accountName: details.account_name,
        accountNumber: details.account_number,
        bankName: details.bank_name,
        bankCode: blankToNull(details.bank_code),
        reference: blankToNull(details.reference)
      }

export const toIssueResult = (result: Taken<ResultOf<"issue">>): IssueResult => {
  if (result.status !== "issued") return toPortResult(result)
  const { provider_resource_id, target, details } = result
  return { _tag: "issued", issued: { provider_resource_id, target, details: toPayinDetails(details) } }
}

export const toInstruction = (result: Taken<ResultOf<"instruction">>): PaymentInstruction => ({
  accountName: result.account_name,
  accountNumber: result.account_number,
  bankName: result.bank_name,
  bankCode: result.bank_code,
  depositReference: result.deposit_reference
})

export const toVerificationLink = (result: Taken<ResultOf<"verification">>): VerificationLink => ({
  hosted_url: result.hosted_url,
  expires_at: parseInstant(result.expires_at)
})

export const toVerificationStatus = (result: Taken<ResultOf<"verification_status">>): VerificationStatus =>
  toPortResult(result.status === "rejected" ? { ...result, reason: blankToNull(result.reason) } : result)

export const toStatementLine = (
  line: Extract<ResultOf<"statements">, { readonly lines: unknown }>["lines"][number]
): StatementLine => ({
  ...line,
  booked_at: parseInstant(line.booked_at),
  provider_reference: blankToNull(line.provider_reference),
  transaction_hash: blankToNull(line.transaction_hash),
  narration: blankToNull(line.narration)
})

/** Converts an event of the protocol to one of the port. Law: equal messages give equal events, by callback and by page. */
export const toPortEvent = (event: Event): ProviderEvent => {
  const { operation: _operation, id: event_id, type: _tag, ...members } = event
  if (event.type === "payin")
    return {
      _tag,
      event_id,
      ...members,
      transaction_hash: blankToNull(event.transaction_hash),
      // At most the last four digits of an account number are stored.
      sender:
        event.sender === null
          ? null
          : {
              ...(event.sender.name !== null && { name: event.sender.name }),
              ...(event.sender.bank !== null && { bank: event.sender.bank }),
              ...(event.sender.account_number !== null && { account_number: takeLastFour(event.sender.account_number) })
            },
      observed_at: parseInstant(event.observed_at)
    } as PayinEvent
  if (event.type === "issued")
    return { _tag, event_id, ...members, details: toPayinDetails(event.details) } as IssuedEvent
  return {
    _tag,
    event_id,
    ...Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value === "" ? null : value]))
  } as unknown as ProviderEvent
}

const events = Object.fromEntries(Event.members.map((member) => [member.fields.type.literal, member]))

/** Makes the unreadable event of a signed message that is not a valid event. `json`: absent where it is not JSON. */
export const toUnreadableEvent = (found: { readonly json?: unknown; readonly message: string }): UnreadableEvent =>
  "json" in found
    ? { _tag: "unreadable", content: found.json, fault: eventFault(found.json, "type", events) }
    : { _tag: "unreadable", content: found.message, fault: found.message }

const isProviderOperation = (operation: string): operation is ProviderOperation =>
  (providerOperations as ReadonlyArray<string>).includes(operation)

/** Whether the connector reports balances and statements. One whose manifest was never read may do so. */
export const hasStatements = (offers: ResultOf<"manifest">["offers"] | undefined): boolean =>
  offers === undefined || offers.some(({ operation }) => operation === "statements")

/** Converts the offers of a connector to the manifest of the port. `rates` and `statements` are left out: they are not operations of the port. */
export const toManifest = (offers: ResultOf<"manifest">["offers"]): Manifest => ({
  offers: offers.flatMap(({ operation, ...members }): ReadonlyArray<Offer> => {
    if (!isProviderOperation(operation)) return []
    const stated = Object.entries(members).filter(([, value]) => value !== null)
    return [{ operation, ...Object.fromEntries(stated) }]
  })
})
