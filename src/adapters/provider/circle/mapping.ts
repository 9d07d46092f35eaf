/** What Circle says, and what the port says of it: the tables of `docs/providers/circle.md`, and pure, total functions over them. */
import { Schema } from "effect"
import {
  amountsOf,
  Loose,
  makeReading,
  memberOf,
  PlainId,
  readerOf,
  seenBy,
  textOf,
  unreadable,
  StateWord
} from "../company/answers.ts"
import { toStorableText } from "../company/client.ts"
import type { Seen, UnreadableReply } from "../company/submissions.ts"
import {
  type AnswerRow,
  endState,
  makeEarlierRequest,
  notNow,
  openState,
  makeRefusal,
  type StateRow
} from "../company/tables.ts"

/** USDC has six decimals. Circle writes it as USD, which is the same balance. */
export const { format: formatPaymentAmount, parse: parsePaymentUnits } = amountsOf(6)

/** What Circle makes of a command: a transfer to a blockchain, or a payout to a bank. */
export type PaymentKind = "transfer" | "payout"

const makeFailure = (means: string, over: Partial<StateRow> = {}): StateRow => endState("failed", means, over)
const denied = makeFailure("Circle's risk service denied it", { reason: "compliance: " })
const paid = endState("success", "it was paid")
const sentBack = endState("returned", "the bank sent it back")
/** It was paid, and is not back yet. */
const comingBack = (means: string): StateRow => openState(means, { left: "yes", mayLeave: false })

/**
 * The states, as {@link stateOf} writes them. One that is not here is unknown, and so is each `failed` with another code, without one, or
 * with the hash of a transaction.
 */
export const states: Readonly<Record<PaymentKind, Readonly<Record<string, StateRow>>>> = {
  transfer: {
    pending: openState("it is queued, or waits for an approval"),
    running: openState("it is on the blockchain, and is not final"),
    complete: paid,
    "failed: insufficient_funds": makeFailure("the balance was too low"),
    "failed: transfer_denied": denied,
    "failed: transfer_failed": makeFailure("it could not be made, and has no transaction"),
    "failed: blockchain_error": makeFailure("it could not be made, and has no transaction")
  },
  payout: {
    pending: openState("it is on its way, or waits for an approval"),
    complete: paid,
    "complete, return pending": { ...paid, means: "it was paid, and is coming back" },
    "complete, return complete": sentBack,
    "failed: transaction_returned": comingBack("the bank sends it back"),
    "failed: transaction_returned, return pending": comingBack("it is coming back"),
    "failed: transaction_returned, return complete": sentBack,
    "failed: insufficient_funds": makeFailure("the balance was too low"),
    "failed: transaction_denied": denied,
    "failed: transaction_failed": makeFailure("it failed for a reason Circle does not know", { left: "not clear" }),
    "failed: bank_transaction_error": makeFailure("the bank reported an error", { left: "not clear" }),
    "failed: fiat_account_limit_exceeded": makeFailure("the limit of the bank account was exceeded"),
    "failed: invalid_bank_account_number": makeFailure("the account number is invalid"),
    "failed: invalid_ach_rtn": makeFailure("the routing number is invalid"),
    "failed: invalid_wire_rtn": makeFailure("the routing number is invalid"),
    "failed: vendor_inactive": makeFailure("the rail is switched off")
  }
}

/** The codes that say what is wrong with the request itself. */
const malformed = [2, 1077, 1078, 1088, 1089, 2005, 2007, 2009, 2020, 5002, 5005, 5007, 5011, 5014, 5015, 5017]

/**
 * The answers to `POST` that decide something: the first that fits. They count only as Circle's own JSON, `{"code": …, "message": …}`. All
 * others are unknown: another code, 5xx, HTML, half an answer, a redirect.
 */
export const answers: ReadonlyArray<AnswerRow> = [
  makeEarlierRequest("the key was used with another body", { statuses: [409] }, "unknown"),
  makeEarlierRequest("the key was used with another body", { statuses: [400], codes: [1083] }, "unknown"),
  notNow("the API key is refused", { statuses: [401, 403] }),
  notNow("too many requests", { statuses: [429] }),
  notNow("the balance is too low", { statuses: [400, 422], codes: [1093, 5006] }),
  notNow("the limit of payouts is reached", { statuses: [400, 422], codes: [1107] }),
  notNow("the address is not active yet", { statuses: [400, 422], codes: [5003] }),
  makeRefusal("the address is not approved", { statuses: [400, 422], codes: [2004, 5004] }),
  makeRefusal("the destination is not found", { statuses: [404] }),
  makeRefusal("the request is invalid", { statuses: [400, 422], codes: malformed })
]

const Money = Schema.Struct({ amount: Schema.String, currency: Schema.String })
const Place = Schema.Struct({ type: Schema.String, id: Loose, address: Loose, chain: Loose })

/** A transfer, in either direction. */
export type ChainTransfer = typeof ChainTransfer.Type
export const ChainTransfer = Schema.Struct({
  ...{ id: PlainId, status: StateWord, amount: Money, source: Place, destination: Place, createDate: Schema.String },
  ...{ fees: Loose, transactionHash: Loose, errorCode: Loose, riskEvaluation: Loose }
})

export type BankPayout = typeof BankPayout.Type
export const BankPayout = Schema.Struct({
  ...{ id: PlainId, status: StateWord, amount: Money, destination: Place, createDate: Schema.String },
  ...{ toAmount: Loose, fees: Loose, trackingRef: Loose, errorCode: Loose, riskEvaluation: Loose },
  ...{ return: Loose, adjustments: Loose }
})

export const entities = { transfer: ChainTransfer, payout: BankPayout } as const
export type Payment = ChainTransfer | BankPayout

const moneyIn = readerOf(Money)

/** An amount of USD among the members of an object; zero: there is none, or it is of another currency. */
export const usdIn = (value: unknown): bigint => {
  const money = moneyIn(value)
  return money?.currency === "USD" ? (parsePaymentUnits(money.amount) ?? 0n) : 0n
}

/** The fees of a payment. A transfer has a list of them. */
export const feesOf = ({ fees }: Pick<Payment, "fees">): bigint =>
  (Array.isArray(fees) ? fees : [fees]).reduce((sum: bigint, fee) => sum + usdIn(fee), 0n)

/** What came back of a payout: its return, with what Circle added or took for an exchange. Null: nothing yet. */
export const returnOf = (payment: Payment) => {
  const found = "return" in payment ? payment.return : undefined
  const status = textOf(found, "status", 40)
  if (status === null) return null
  const adjustments = "adjustments" in payment ? payment.adjustments : undefined
  const [credit, debit] = ["fxCredit", "fxDebit"].map((name) => usdIn(memberOf(adjustments, name)))
  const amount = usdIn(memberOf(found, "amount")) + credit! - debit!
  const [began, ended] = ["createDate", "updateDate"].map((name) => textOf(found, name, 40))
  const reason = textOf(found, "reason")
  const times = { at: Date.parse(ended ?? began ?? ""), began_at: Date.parse(began ?? ended ?? "") }
  return { status, amount, fee: usdIn(memberOf(found, "fees")), reason, ...times }
}

const hashOf = (payment: Payment): string | null =>
  "transactionHash" in payment ? toStorableText(payment.transactionHash, 100) : null

/** The state of a payment, as the tables have it. */
export const stateOf = (payment: Payment): string => {
  const { errorCode, status } = payment
  const back = returnOf(payment)
  const code = status === "failed" ? `: ${toStorableText(errorCode, 80) ?? "no code"}` : ""
  const hash = status === "failed" && hashOf(payment) !== null ? ", with a transaction" : ""
  return `${status}${code}${hash}${back === null ? "" : `, return ${back.status}`}`
}

/** What a command is at Circle, and must be in each answer about it. `to`: the address, or the id of the linked bank. */
export interface ExpectedPayment {
  readonly kind: PaymentKind
  readonly command_id: string
  readonly units: bigint
  readonly to: string
  /** Null: it goes to a bank. */
  readonly chain: string | null
}

/** An address as it is compared: those of EVM chains are not case-sensitive. */
export const toComparableAddress = (address: string): string =>
  address.startsWith("0x") ? address.toLowerCase() : address

/** Whether a payment goes where a command goes, with its amount. */
export const isLike = ({ amount, destination }: Payment, { chain, to, units }: ExpectedPayment): boolean => {
  const { address, chain: at, id } = destination
  const isThere =
    chain === null ? id === to : typeof address === "string" && toComparableAddress(address) === to && at === chain
  return isThere && amount.currency === "USD" && parsePaymentUnits(amount.amount) === units
}

/**
 * Whether a payment may be a command although it is not {@link isLike} it: money that went out, with the amount of the command, with an amount
 * or a destination that cannot be compared, or with less to the same destination, as after a fee.
 */
export const mayBe = (payment: Payment, { chain, to, units }: ExpectedPayment): boolean => {
  const { amount, destination } = payment
  if ("source" in payment && payment.source.type === "blockchain") return false
  const place = chain === null ? destination.id : destination.address
  if (typeof place !== "string" || place === "") return true
  const paid = amount.currency === "USD" ? parsePaymentUnits(amount.amount) : undefined
  const isThere = (chain === null ? place : toComparableAddress(place)) === to
  return paid === undefined || paid === units || (isThere && paid < units)
}

const reasonOf = (row: StateRow, payment: Payment): string | null => {
  if (row.port === "success" || row.port === "pending") return null
  const risk = textOf(payment.riskEvaluation, "reason", 20)
  const word = returnOf(payment)?.reason ?? toStorableText(payment.errorCode, 80) ?? payment.status
  return `${row.reason ?? ""}${word}${risk === null ? "" : ` (${risk})`}`
}

/** The outcome of its command that a payment of Circle shows. Unreadable: another amount or destination, or a return without an amount. */
const paymentSeen = (payment: Payment, expected: ExpectedPayment): Seen | UnreadableReply => {
  const { command_id, kind, units } = expected
  const { id } = payment
  if (!isLike(payment, expected))
    return unreadable(`${command_id} has another amount or destination at Circle: ${id}`, id)
  const state = stateOf(payment)
  const back = returnOf(payment)
  const paid = "toAmount" in payment ? usdIn(payment.toAmount) : 0n
  const seen = seenBy(states[kind], { command_id, id, state }, (row) => ({
    ...{ reason: reasonOf(row, payment), transaction_hash: hashOf(payment) },
    ...(row.port === "success" && {
      ...{ amount: formatPaymentAmount(paid === 0n ? units : paid), fee: formatPaymentAmount(feesOf(payment)) }
    }),
    ...(row.port === "returned" && {
      ...{ amount: formatPaymentAmount(back?.amount ?? 0n), fee: formatPaymentAmount(back?.fee ?? 0n) }
    }),
    provider_reference: textOf(payment, "trackingRef", 100) ?? id
  }))
  if (seen._tag !== "found" || seen.outcome === null) return seen
  if (seen.outcome.outcome === "returned" && (back?.amount ?? 0n) <= 0n)
    return unreadable(`${command_id} came back with no amount: ${id}`, id)
  // One that is coming back was told as paid already.
  return seen.outcome.outcome === "success" ? { ...seen, state: "complete" } : seen
}

export const circle = makeReading({
  ...{ company: "Circle", answers, payloadOf: (json: unknown) => memberOf(json, "data") },
  refusalOf: readerOf(
    Schema.Struct({ code: Schema.String.check(Schema.isPattern(/^-?\d{1,9}$/)), message: Schema.String })
  )
})

/** What the answers to a `POST`, and to a `GET` by Circle's id, say. */
export const { readFound, readPosted } = circle.paymentsOf<Payment, ExpectedPayment>(
  ({ kind }) => entities[kind],
  paymentSeen
)
