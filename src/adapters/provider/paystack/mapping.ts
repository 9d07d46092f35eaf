/** What Paystack says, and what the port says of it: the tables of `docs/providers/paystack.md`, and pure, total functions over them. */
import { Schema } from "effect"
import {
  amountsOf,
  Loose,
  makeReading,
  paymentDecimals,
  readerOf,
  seenBy,
  textOf,
  unreadable,
  StateWord
} from "../company/answers.ts"
import { type CompanyReply, toStorableText } from "../company/client.ts"
import type { Seen, UnreadableReply } from "../company/submissions.ts"
import {
  type AnswerRow,
  endState,
  makeEarlierRequest,
  notNow,
  openState,
  operatorMust,
  makeRefusal,
  type StateRow
} from "../company/tables.ts"

/** All currencies that Paystack pays out have two decimals, and are written in the smallest unit. */
export const { format: formatPaystackAmount, parse: parsePaystackUnits } = amountsOf(paymentDecimals)

/** The states of a transfer. A word that is not here is unknown. */
export const transferStates: Readonly<Record<string, StateRow>> = {
  pending: openState("it is on its way"),
  received: openState("it waits for your approval endpoint", { left: "no" }),
  otp: openState("it waits for a code on the owner's telephone", {
    ...{ left: "no", ...operatorMust("enter the code (OTP) that Paystack sent to the owner's telephone") }
  }),
  success: endState("success", "it was paid"),
  failed: endState("failed", "it was not paid"),
  reversed: endState("returned", "the money is in your balance again"),
  abandoned: endState("failed", "nobody entered the code"),
  blocked: endState("failed", "your approval endpoint did not answer"),
  rejected: endState("failed", "your approval endpoint declined it")
}

/** The states of a refund. */
export const refundStates: Readonly<Record<string, StateRow>> = {
  pending: openState("it is on its way"),
  processing: openState("it is on its way"),
  "needs-attention": openState("it waits for the payer's bank account", {
    ...{ left: "no", ...operatorMust("give Paystack the bank account of the payer, in its dashboard") }
  }),
  processed: endState("success", "the payer has it"),
  failed: endState("failed", "the amount is in your balance again", { left: "it came back" })
}

/**
 * The answers to `POST` that decide something: the first that fits. They count only as Paystack's own JSON, `{"status": false, "message": …}`.
 * All others are unknown: another code, 5xx, HTML, half an answer, `status: false` with 200, a redirect.
 */
export const answers: ReadonlyArray<AnswerRow> = [
  makeEarlierRequest("the reference was used before", {
    codes: ["duplicate_transfer_reference"],
    message: /reference already exists|provide a unique reference/i
  }),
  notNow("the balance is too low", {
    ...{ statuses: [400], codes: ["insufficient_balance"], message: /balance is not enough|insufficient balance/i }
  }),
  makeRefusal("third-party payouts are not allowed for this business", {
    ...{ statuses: [400, 403], message: /third[- ]party (?:payouts|transfers)/i }
  }),
  makeRefusal("the account is on a fraud list", {
    ...{ statuses: [400, 403, 422], message: /fraud|blacklist/i, reason: "compliance: " }
  }),
  notNow("the key is refused", { statuses: [401, 403] }),
  notNow("too many requests", { statuses: [429] }),
  makeRefusal("the bank, the recipient or the account is invalid, or its name cannot be resolved", {
    statuses: [400, 404, 422],
    message:
      /(?:recipient|bank code|account(?: number)?)(?: specified)? (?:is |are )?(?:invalid|not found)|invalid (?:recipient|bank code|account)|(?:could not|cannot) resolve (?:the )?account|account (?:name |number )?(?:could not|cannot) be resolved/i
  }),
  makeRefusal("the pay-in was refunded already", {
    statuses: [400],
    message: /fully (?:reversed|refunded)|already (?:been )?(?:reversed|refunded)|more than the transaction/i
  })
]

export const Digits = Schema.String.check(Schema.isPattern(/^\d{1,30}$/))

/** Paystack's own answer; undefined: a proxy's, or half of one. */
export const envelopeOf = readerOf(
  Schema.Struct({ status: Schema.Boolean, message: Schema.String, code: Loose, data: Loose })
)

export const paystack = makeReading({
  ...{ company: "Paystack", answers },
  refusalOf: (json) => {
    const { code, message, status } = envelopeOf(json) ?? {}
    return status === false ? { code: typeof code === "string" ? code : "", message: message! } : undefined
  },
  payloadOf: (json) => {
    const envelope = envelopeOf(json)
    return envelope?.status === true ? envelope.data : undefined
  }
})

/** What must be the same in an answer about a command. `units`: in kobo, pesewas or cents. */
export interface Expected {
  readonly reference: string
  readonly units: bigint
  readonly currency: string
  /** The mode of the key: an answer of the other mode is about other money. */
  readonly domain: "test" | "live"
}

const payment = { id: Digits, status: StateWord, amount: Digits, currency: Schema.String, domain: Loose }
export const PaystackTransfer = Schema.Struct({
  ...{ ...payment, reference: Schema.String, transfer_code: Loose, fee_charged: Loose },
  ...{ gateway_response: Loose, session: Loose }
})
export const PaystackRefund = Schema.Struct({ ...payment, merchant_note: Loose })

/** A difference in what must be the same. Undefined: none. */
const differing = (
  found: typeof PaystackRefund.Type,
  { currency, domain, reference, units }: Expected
): string | undefined => {
  if (BigInt(found.amount) !== units || found.currency !== currency)
    return `${reference} is ${formatPaystackAmount(BigInt(found.amount))} ${toStorableText(found.currency, 10)} at Paystack, and not ${formatPaystackAmount(units)} ${currency}`
  return found.domain !== undefined && found.domain !== domain
    ? `${reference} is of the mode ${toStorableText(found.domain, 10)} at Paystack, and the key is one of ${domain}`
    : undefined
}

const see = (
  states: Readonly<Record<string, StateRow>>,
  found: typeof PaystackRefund.Type,
  expected: Expected,
  particulars: { readonly reason?: string | null; readonly provider_reference?: string | null; readonly fee?: string }
): Seen | UnreadableReply => {
  const { id, status: state } = found
  const difference = differing(found, expected)
  if (difference !== undefined) return unreadable(difference)
  const { reason = null, ...others } = particulars
  return seenBy(states, { command_id: expected.reference, id, state }, ({ port }) => ({
    ...{ transaction_hash: null, ...others },
    reason: port === "success" ? null : reason === null ? state : `${state}: ${reason}`
  }))
}

/** What a transfer says of the command that it should be. */
const transferSeen = (transfer: typeof PaystackTransfer.Type, expected: Expected): Seen | UnreadableReply => {
  const { fee_charged, gateway_response, reference, session, transfer_code } = transfer
  if (reference !== expected.reference)
    return unreadable(`Paystack answered with another transfer than ${expected.reference}`)
  return see(transferStates, transfer, expected, {
    reason: toStorableText(gateway_response),
    provider_reference: textOf(session, "id", 100) ?? toStorableText(transfer_code, 100),
    ...(typeof fee_charged === "string" &&
      /^\d{1,18}$/.test(fee_charged) && { fee: formatPaystackAmount(BigInt(fee_charged)) })
  })
}

const refundSeen = (refund: typeof PaystackRefund.Type, expected: Expected): Seen | UnreadableReply =>
  see(refundStates, refund, expected, {})

export const transfers = paystack.paymentsOf(() => PaystackTransfer, transferSeen)
export const refunds = paystack.paymentsOf(() => PaystackRefund, refundSeen)

/** What an item of a list of refunds says of the command that it is of. */
export const readRefund = (item: unknown, expected: Expected): Seen | UnreadableReply => {
  const refund = readerOf(PaystackRefund)(item)
  return refund === undefined
    ? unreadable(`the refund ${expected.reference} is listed at Paystack, and cannot be read`)
    : refundSeen(refund, expected)
}

/** What the answer to `GET /transfer/verify` says. Not found: only as Paystack's own JSON, and never definite by itself. */
export const readVerifyReply = (reply: CompanyReply, expected: Expected): Seen | UnreadableReply =>
  paystack.isRefusedWith(reply, 404) && /not found/i.test(envelopeOf(reply.json)!.message)
    ? { _tag: "missing" }
    : transfers.readFound(reply, expected)

/** The reference of a command: it can be turned back. Undefined: Paystack would not take it. */
export const toPaystackReference = (command_id: string): string | undefined => {
  if (command_id.includes("-")) return undefined
  const reference = command_id.replaceAll(".", "-")
  return /^[a-z0-9_-]{16,50}$/.test(reference) ? reference : undefined
}

/** The command of a reference. */
export const toCommandId = (reference: string): string => reference.replaceAll("-", ".")
