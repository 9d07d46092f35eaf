/** What Paystack says, and what the port says of it: the tables of `docs/providers/paystack.md`, and pure, total functions over them. */
import { Schema } from "effect"
import type { MovementOutcome } from "../../../engine/ports/Provider.ts"
import { formatAmount } from "../../../machines/kernel/money.ts"
import { type CompanyReply, toStorableText } from "../company/client.ts"
import type { Posted, Seen, UnreadableReply } from "../company/submissions.ts"
import { type AnswerRow, refusedBy, type StateRow } from "../company/tables.ts"

/** All currencies that Paystack pays out have two decimals. */
export const decimals = 2

/** An amount of Paystack's as the port has it. */
export const formatPaystackAmount = (units: bigint): string => formatAmount(units, { decimals, ledger_scale: decimals })

/** The states of a transfer. A word that is not here is unknown. */
export const transferStates: Readonly<Record<string, StateRow>> = {
  pending: { left: "maybe", mayLeave: true, port: "pending", means: "it is on its way" },
  received: { left: "no", mayLeave: true, port: "pending", means: "it waits for your approval endpoint" },
  otp: {
    left: "no",
    mayLeave: true,
    port: "pending",
    awaited_person: { party: "operator", action: "enter the code (OTP) that Paystack sent to the owner's telephone" },
    means: "it waits for a code on the owner's telephone"
  },
  success: { left: "yes", mayLeave: false, port: "success", means: "it was paid" },
  failed: { left: "no", mayLeave: false, port: "failed", means: "it was not paid" },
  reversed: { left: "it came back", mayLeave: false, port: "returned", means: "the money is in your balance again" },
  abandoned: { left: "no", mayLeave: false, port: "failed", means: "nobody entered the code" },
  blocked: { left: "no", mayLeave: false, port: "failed", means: "your approval endpoint did not answer" },
  rejected: { left: "no", mayLeave: false, port: "failed", means: "your approval endpoint declined it" }
}

/** The states of a refund. */
export const refundStates: Readonly<Record<string, StateRow>> = {
  pending: { left: "maybe", mayLeave: true, port: "pending", means: "it is on its way" },
  processing: { left: "maybe", mayLeave: true, port: "pending", means: "it is on its way" },
  "needs-attention": {
    left: "no",
    mayLeave: true,
    port: "pending",
    awaited_person: { party: "operator", action: "give Paystack the bank account of the payer, in its dashboard" },
    means: "it waits for the payer's bank account"
  },
  processed: { left: "yes", mayLeave: false, port: "success", means: "the payer has it" },
  failed: { left: "it came back", mayLeave: false, port: "failed", means: "the amount is in your balance again" }
}

/**
 * The answers to `POST` that decide something: the first that fits. They count only as Paystack's own JSON, `{"status": false, "message": …}`.
 * All others are unknown: another code, 5xx, HTML, half an answer, `status: false` with 200, a redirect.
 */
export const answers: ReadonlyArray<AnswerRow> = [
  {
    says: "the reference was used before",
    codes: ["duplicate_transfer_reference"],
    message: /reference already exists|provide a unique reference/i,
    executed: "earlier",
    port: "look up"
  },
  {
    says: "the balance is too low",
    statuses: [400],
    codes: ["insufficient_balance"],
    message: /balance is not enough|insufficient balance/i,
    executed: "no",
    port: "unavailable"
  },
  {
    says: "third-party payouts are not allowed for this business",
    statuses: [400, 403],
    message: /third[- ]party (?:payouts|transfers)/i,
    executed: "no",
    port: "rejected"
  },
  {
    says: "the account is on a fraud list",
    statuses: [400, 403, 422],
    message: /fraud|blacklist/i,
    executed: "no",
    port: "rejected",
    reason: "compliance: "
  },
  { says: "the key is refused", statuses: [401, 403], executed: "no", port: "unavailable" },
  { says: "too many requests", statuses: [429], executed: "no", port: "unavailable" },
  {
    says: "the bank, the recipient or the account is invalid, or its name cannot be resolved",
    statuses: [400, 404, 422],
    message:
      /(?:recipient|bank code|account(?: number)?)(?: specified)? (?:is |are )?(?:invalid|not found)|invalid (?:recipient|bank code|account)|(?:could not|cannot) resolve (?:the )?account|account (?:name |number )?(?:could not|cannot) be resolved/i,
    executed: "no",
    port: "rejected"
  },
  {
    says: "the pay-in was refunded already",
    statuses: [400],
    message: /fully (?:reversed|refunded)|already (?:been )?(?:reversed|refunded)|more than the transaction/i,
    executed: "no",
    port: "rejected"
  }
]

const Digits = Schema.String.check(Schema.isPattern(/^\d{1,30}$/))
const Word = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,80}$/))

const Envelope = Schema.Struct({
  status: Schema.Boolean,
  message: Schema.String,
  code: Schema.optionalKey(Schema.Unknown),
  data: Schema.optionalKey(Schema.Unknown)
})

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)

/** Paystack's own answer; undefined: a proxy's, or half of one. */
export const envelopeOf = ({ json }: CompanyReply) => {
  const read = decodeEnvelope(json)
  return read._tag === "Some" ? read.value : undefined
}

/** What it said, for an operator. */
export const describeReplyError = (reply: CompanyReply): string => {
  const envelope = envelopeOf(reply)
  return envelope === undefined
    ? `${reply.status}, and no answer of Paystack's`
    : `${reply.status}: ${toStorableText(envelope.message) ?? "no message"}`
}

/** The data of a success; undefined: it is none, or it is not of the schema. */
export const dataIn = <A>(schema: Schema.Decoder<A>, reply: CompanyReply): A | undefined => {
  const envelope = envelopeOf(reply)
  if (envelope?.status !== true || reply.status < 200 || reply.status > 299) return undefined
  const read = Schema.decodeUnknownOption(schema)(envelope.data)
  return read._tag === "Some" ? read.value : undefined
}

/** What an answer that is no success says of the request. */
export const refusalIn = (reply: CompanyReply): Exclude<Posted, Seen> => {
  const envelope = envelopeOf(reply)
  const sentence = describeReplyError(reply)
  const refused =
    envelope?.status === false
      ? refusedBy(answers, {
          status: reply.status,
          code: String(envelope.code),
          message: envelope.message,
          said: sentence
        })
      : undefined
  return refused ?? { _tag: "unknown", message: `Paystack answered ${sentence}` }
}

/** What must be the same in an answer about a command. `units`: in kobo, pesewas or cents. */
export interface Expected {
  readonly reference: string
  readonly units: bigint
  readonly currency: string
  /** The mode of the key: an answer of the other mode is about other money. */
  readonly domain: "test" | "live"
}

export const PaystackTransfer = Schema.Struct({
  id: Digits,
  reference: Schema.String,
  status: Word,
  amount: Digits,
  currency: Schema.String,
  domain: Schema.optionalKey(Schema.Unknown),
  transfer_code: Schema.optionalKey(Schema.Unknown),
  fee_charged: Schema.optionalKey(Schema.Unknown),
  gateway_response: Schema.optionalKey(Schema.Unknown),
  session: Schema.optionalKey(Schema.Unknown)
})

export const PaystackRefund = Schema.Struct({
  id: Digits,
  status: Word,
  amount: Digits,
  currency: Schema.String,
  domain: Schema.optionalKey(Schema.Unknown),
  merchant_note: Schema.optionalKey(Schema.Unknown)
})

const makeUnreadable = (message: string): UnreadableReply => ({ _tag: "unknown", message })

const digits = (value: unknown): string | null => (typeof value === "string" && /^\d{1,18}$/.test(value) ? value : null)

const sessionOf = (session: unknown): string | null =>
  typeof session === "object" && session !== null
    ? toStorableText((session as { readonly id?: unknown }).id, 100)
    : null

const toTransferOutcome = (
  { port }: StateRow,
  reason: string | null,
  particulars: Pick<MovementOutcome, "provider_reference" | "fee">
): MovementOutcome | null =>
  port === "pending" || port === "unknown" ? null : { outcome: port, reason, transaction_hash: null, ...particulars }

/** A difference in what must be the same. Undefined: none. */
const differing = (
  found: { readonly amount: string; readonly currency: string; readonly domain?: unknown },
  { currency, domain, reference, units }: Expected
): string | undefined => {
  if (BigInt(found.amount) !== units || found.currency !== currency)
    return `${reference} is ${formatPaystackAmount(BigInt(found.amount))} ${toStorableText(found.currency, 10)} at Paystack, and not ${formatPaystackAmount(units)} ${currency}`
  return found.domain !== undefined && found.domain !== domain
    ? `${reference} is of the mode ${toStorableText(found.domain, 10)} at Paystack, and the key is one of ${domain}`
    : undefined
}

const seenAs = (
  states: Readonly<Record<string, StateRow>>,
  { id, status, ...found }: Pick<typeof PaystackRefund.Type, "id" | "status" | "amount" | "currency" | "domain">,
  expected: Expected,
  reason: string | null,
  particulars: Pick<MovementOutcome, "provider_reference" | "fee">
): Seen | UnreadableReply => {
  const row = Object.hasOwn(states, status) ? states[status] : undefined
  if (row === undefined)
    return makeUnreadable(`${expected.reference} has the state ${JSON.stringify(status)}, which is not known`)
  const difference = differing(found, expected)
  if (difference !== undefined) return makeUnreadable(difference)
  const because =
    row.port === "failed" || row.port === "returned" ? (reason === null ? status : `${status}: ${reason}`) : null
  const { awaited_person } = row
  const outcome = toTransferOutcome(row, because, particulars)
  return { _tag: "found", id, state: status, outcome, ...(awaited_person && { awaited_person }) }
}

/** What a transfer says of the command that it should be. */
export const transferSeen = (transfer: typeof PaystackTransfer.Type, expected: Expected): Seen | UnreadableReply => {
  const { fee_charged, gateway_response, reference, session, transfer_code, ...found } = transfer
  if (reference !== expected.reference)
    return makeUnreadable(`Paystack answered with another transfer than ${expected.reference}`)
  const fee = digits(fee_charged)
  return seenAs(transferStates, found, expected, toStorableText(gateway_response), {
    provider_reference: sessionOf(session) ?? toStorableText(transfer_code, 100),
    ...(fee === null ? {} : { fee: formatPaystackAmount(BigInt(fee)) })
  })
}

export const refundSeen = (refund: typeof PaystackRefund.Type, expected: Expected): Seen | UnreadableReply =>
  seenAs(refundStates, refund, expected, null, {})

/** What the answer to `POST /transfer` says. Total: whatever came, it maps to something. */
export const readTransferReply = (reply: CompanyReply, expected: Expected): Posted => {
  const envelope = envelopeOf(reply)
  if (envelope?.status !== true) return refusalIn(reply)
  const transfer = dataIn(PaystackTransfer, reply)
  return transfer === undefined
    ? makeUnreadable(`Paystack answered ${describeReplyError(reply)}`)
    : transferSeen(transfer, expected)
}

/** What an item of a list of refunds says of the command that it is of. */
export const readRefund = (item: unknown, expected: Expected): Seen | UnreadableReply => {
  const read = Schema.decodeUnknownOption(PaystackRefund)(item)
  return read._tag === "None"
    ? makeUnreadable(`the refund ${expected.reference} is listed at Paystack, and cannot be read`)
    : refundSeen(read.value, expected)
}

/** What the answer to `POST /refund` says. */
export const readRefundReply = (reply: CompanyReply, expected: Expected): Posted => {
  const envelope = envelopeOf(reply)
  if (envelope?.status !== true) return refusalIn(reply)
  const refund = dataIn(PaystackRefund, reply)
  return refund === undefined
    ? makeUnreadable(`Paystack answered ${describeReplyError(reply)}`)
    : refundSeen(refund, expected)
}

/** What the answer to `GET /transfer/verify` says. Not found: only as Paystack's own JSON, and never definite by itself. */
export const readVerifyReply = (reply: CompanyReply, expected: Expected): Seen | UnreadableReply => {
  const envelope = envelopeOf(reply)
  if (reply.status === 404 && envelope?.status === false && /not found/i.test(envelope.message))
    return { _tag: "missing" }
  const transfer = dataIn(PaystackTransfer, reply)
  return transfer === undefined
    ? makeUnreadable(`Paystack answered ${describeReplyError(reply)}`)
    : transferSeen(transfer, expected)
}

/** The reference of a command: it can be turned back. Undefined: Paystack would not take it. */
export const toPaystackReference = (command_id: string): string | undefined => {
  if (command_id.includes("-")) return undefined
  const reference = command_id.replaceAll(".", "-")
  return /^[a-z0-9_-]{16,50}$/.test(reference) ? reference : undefined
}

/** The command of a reference. */
export const toCommandId = (reference: string): string => reference.replaceAll("-", ".")
