/** What Circle says, and what the port says of it: the tables of `docs/providers/circle.md`, and pure, total functions over them. */
import { Schema } from "effect"
import type { MovementOutcome } from "../../../engine/ports/Provider.ts"
import { formatAmount, parseAmount } from "../../../machines/kernel/money.ts"
import { toStorableText, type CompanyReply } from "../company/client.ts"
import type { Posted, Seen, UnreadableReply } from "../company/submissions.ts"
import { type AnswerRow, refusedBy, type StateRow } from "../company/tables.ts"

/** The decimals of a payment, of USD as of USDC. */
export const paymentDecimals = 2
/** USDC has six decimals. Circle writes it as USD, which is the same balance. */
export const decimals = 6

/** An amount as the port has it. */
export const formatPaymentAmount = (units: bigint): string =>
  formatAmount(units, { decimals: paymentDecimals, ledger_scale: decimals })

/** An amount of Circle's; undefined: it is none above zero, or has more decimals than `precision`. */
export const parsePaymentUnits = (amount: string, precision = decimals): bigint | undefined => {
  const units = parseAmount(amount, decimals, precision)
  return typeof units === "string" ? undefined : units
}

/** What Circle makes of a command: a transfer to a blockchain, or a payout to a bank. */
export type PaymentKind = "transfer" | "payout"

const makeFailure = (means: string, over: Partial<StateRow> = {}): StateRow => ({
  ...{ left: "no", mayLeave: false, port: "failed", means },
  ...over
})
const makeOpen = (means: string): StateRow => ({ left: "maybe", mayLeave: true, port: "pending", means })
const paid: StateRow = { left: "yes", mayLeave: false, port: "success", means: "it was paid" }
const denied = makeFailure("Circle's risk service denied it", { reason: "compliance: " })

/**
 * The states, as {@link stateOf} writes them. One that is not here is unknown, and so is each `failed` with another code, without one, or
 * with the hash of a transaction.
 */
export const states: Readonly<Record<PaymentKind, Readonly<Record<string, StateRow>>>> = {
  transfer: {
    pending: makeOpen("it is queued, or waits for an approval"),
    running: makeOpen("it is on the blockchain, and is not final"),
    complete: paid,
    "failed: insufficient_funds": makeFailure("the balance was too low"),
    "failed: transfer_denied": denied,
    "failed: transfer_failed": makeFailure("it could not be made, and has no transaction"),
    "failed: blockchain_error": makeFailure("it could not be made, and has no transaction")
  },
  payout: {
    pending: makeOpen("it is on its way, or waits for an approval"),
    complete: paid,
    "complete, return pending": { ...paid, means: "it was paid, and is coming back" },
    "complete, return complete": { ...paid, left: "it came back", port: "returned", means: "the bank sent it back" },
    "failed: transaction_returned": { ...makeOpen("the bank sends it back"), left: "yes", mayLeave: false },
    "failed: transaction_returned, return pending": { ...makeOpen("it is coming back"), left: "yes", mayLeave: false },
    "failed: transaction_returned, return complete": {
      ...{ left: "it came back", mayLeave: false, port: "returned", means: "the bank sent it back" }
    },
    "failed: insufficient_funds": makeFailure("the balance was too low"),
    "failed: transaction_denied": denied,
    "failed: transaction_failed": makeFailure("it failed for a reason that Circle does not know", {
      left: "not clear"
    }),
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
  { says: "the key was used with another body", statuses: [409], executed: "earlier", port: "unknown" },
  { says: "the key was used with another body", statuses: [400], codes: [1083], executed: "earlier", port: "unknown" },
  { says: "the API key is refused", statuses: [401, 403], executed: "no", port: "unavailable" },
  { says: "too many requests", statuses: [429], executed: "no", port: "unavailable" },
  { says: "the balance is too low", statuses: [400, 422], codes: [1093, 5006], executed: "no", port: "unavailable" },
  { says: "the limit of payouts is reached", statuses: [400, 422], codes: [1107], executed: "no", port: "unavailable" },
  { says: "the address is not active yet", statuses: [400, 422], codes: [5003], executed: "no", port: "unavailable" },
  { says: "the address is not approved", statuses: [400, 422], codes: [2004, 5004], executed: "no", port: "rejected" },
  { says: "the destination is not found", statuses: [404], executed: "no", port: "rejected" },
  { says: "the request is invalid", statuses: [400, 422], codes: malformed, executed: "no", port: "rejected" }
]

const Word = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,80}$/))
const Loose = Schema.optionalKey(Schema.Unknown)
const Id = Schema.String.check(Schema.isPattern(/^[\w-]{1,80}$/))
const Money = Schema.Struct({ amount: Schema.String, currency: Schema.String })
const Place = Schema.Struct({ type: Schema.String, id: Loose, address: Loose, chain: Loose })

/** A transfer, in either direction. */
export type ChainTransfer = typeof ChainTransfer.Type
export const ChainTransfer = Schema.Struct({
  ...{ id: Id, status: Word, amount: Money, source: Place, destination: Place, createDate: Schema.String },
  ...{ fees: Loose, transactionHash: Loose, errorCode: Loose, riskEvaluation: Loose }
})

export type BankPayout = typeof BankPayout.Type
export const BankPayout = Schema.Struct({
  ...{ id: Id, status: Word, amount: Money, destination: Place, createDate: Schema.String },
  ...{ toAmount: Loose, fees: Loose, trackingRef: Loose, errorCode: Loose, riskEvaluation: Loose },
  ...{ return: Loose, adjustments: Loose }
})

export const entities = { transfer: ChainTransfer, payout: BankPayout } as const
export type Payment = ChainTransfer | BankPayout

const readMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown })[name] : undefined

const moneyIn = Schema.decodeUnknownOption(Money)

/** An amount of USD among the members of an object; zero: there is none, or it is of another currency. */
export const usdIn = (value: unknown): bigint => {
  const read = moneyIn(value)
  return read._tag === "Some" && read.value.currency === "USD" ? (parsePaymentUnits(read.value.amount) ?? 0n) : 0n
}

/** The fees of a payment. A transfer has a list of them. */
export const feesOf = ({ fees }: Pick<Payment, "fees">): bigint =>
  (Array.isArray(fees) ? fees : [fees]).reduce((sum: bigint, fee) => sum + usdIn(fee), 0n)

/** What came back of a payout: its return, with what Circle added or took for an exchange. Null: nothing yet. */
export const returnOf = (payment: Payment) => {
  const found = "return" in payment ? payment.return : undefined
  const status = toStorableText(readMember(found, "status"), 40)
  if (status === null) return null
  const adjustments = "adjustments" in payment ? payment.adjustments : undefined
  const [credit, debit] = ["fxCredit", "fxDebit"].map((name) => usdIn(readMember(adjustments, name)))
  const amount = usdIn(readMember(found, "amount")) + credit! - debit!
  const [began, ended] = ["createDate", "updateDate"].map((name) => toStorableText(readMember(found, name), 40))
  const reason = toStorableText(readMember(found, "reason"))
  const times = { at: Date.parse(ended ?? began ?? ""), began_at: Date.parse(began ?? ended ?? "") }
  return { status, amount, fee: usdIn(readMember(found, "fees")), reason, ...times }
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

const makeUnreadable = (message: string, id?: string): UnreadableReply => ({
  _tag: "unknown",
  message,
  ...(id !== undefined && { id })
})

const reasonOf = (row: StateRow, payment: Payment): string | null => {
  if (row.port === "success" || row.port === "pending") return null
  const risk = toStorableText(readMember(payment.riskEvaluation, "reason"), 20)
  const word = returnOf(payment)?.reason ?? toStorableText(payment.errorCode, 80) ?? payment.status
  return `${row.reason ?? ""}${word}${risk === null ? "" : ` (${risk})`}`
}

/** What a payment says of the command that it should be. */
export const paymentSeen = (payment: Payment, expected: ExpectedPayment): Seen | UnreadableReply => {
  const { command_id, kind, units } = expected
  const { id } = payment
  if (!isLike(payment, expected))
    return makeUnreadable(`${command_id} has another amount or destination at Circle: ${id}`, id)
  const state = stateOf(payment)
  const row = Object.hasOwn(states[kind], state) ? states[kind][state]! : undefined
  if (row === undefined || row.port === "unknown")
    return makeUnreadable(
      `${command_id} has the state ${JSON.stringify(state)} at Circle, which decides nothing: ${id}`,
      id
    )
  if (row.port === "pending") return { _tag: "found", id, state, outcome: null }
  const back = row.port === "returned" ? returnOf(payment) : null
  if (back !== null && back.amount <= 0n) return makeUnreadable(`${command_id} came back with no amount: ${id}`, id)
  const net = "toAmount" in payment ? usdIn(payment.toAmount) : 0n
  const amount = back?.amount ?? (net === 0n ? units : net)
  const reference = "trackingRef" in payment ? toStorableText(payment.trackingRef, 100) : null
  const outcome: MovementOutcome = {
    ...{ outcome: row.port, reason: reasonOf(row, payment), transaction_hash: hashOf(payment) },
    ...(row.port === "failed"
      ? {}
      : { amount: formatPaymentAmount(amount), fee: formatPaymentAmount(back?.fee ?? feesOf(payment)) }),
    provider_reference: reference ?? id
  }
  // One that is coming back was told as paid already.
  return { _tag: "found", id, state: row.port === "success" ? "complete" : state, outcome }
}

const Refusal = Schema.Struct({ code: Schema.String.check(Schema.isPattern(/^-?\d{1,9}$/)), message: Schema.String })
const refusalOf = Schema.decodeUnknownOption(Refusal)

/** What it said, for an operator. */
export const describeReplyError = (reply: CompanyReply): string => {
  const read = refusalOf(reply.json)
  return read._tag === "None"
    ? `${reply.status}, and no error of Circle's`
    : `${reply.status}: ${toStorableText(read.value.message) ?? "no message"} (${read.value.code})`
}

/** The data of a success; undefined: it is none, or it is not of the schema. */
export const dataIn = <A>(schema: Schema.Decoder<A>, { json, status }: CompanyReply): A | undefined => {
  if (status < 200 || status > 299) return undefined
  const read = Schema.decodeUnknownOption(schema)(readMember(json, "data"))
  return read._tag === "Some" ? read.value : undefined
}

/** Whether an answer is Circle's own, and refuses the API key. */
export const isKeyRefused = (reply: CompanyReply): boolean =>
  (reply.status === 401 || reply.status === 403) && refusalOf(reply.json)._tag === "Some"

const refusalIn = (reply: CompanyReply): UnreadableReply | Exclude<Posted, Seen> => {
  const read = refusalOf(reply.json)
  const sentence = describeReplyError(reply)
  const refused =
    read._tag === "Some" ? refusedBy(answers, { ...read.value, status: reply.status, said: sentence }) : undefined
  return refused ?? makeUnreadable(`Circle answered ${sentence}`)
}

const Made = Schema.Struct({ id: Id })

/** What the answer to a `POST` says. Total: whatever came, it maps to something. */
export const readPostReply = (reply: CompanyReply, expected: ExpectedPayment): Posted => {
  const payment = dataIn<Payment>(entities[expected.kind], reply)
  if (payment !== undefined) return paymentSeen(payment, expected)
  const made = dataIn(Made, reply)
  return made === undefined
    ? refusalIn(reply)
    : makeUnreadable(`${expected.command_id} is at Circle, in a form that cannot be read: ${made.id}`, made.id)
}

/** What the answer to a `GET` by Circle's id says. That it is not found says nothing: it was there. */
export const readPaymentReply = (reply: CompanyReply, expected: ExpectedPayment): Seen | UnreadableReply => {
  const payment = dataIn<Payment>(entities[expected.kind], reply)
  return payment === undefined
    ? makeUnreadable(`Circle answered ${describeReplyError(reply)}`)
    : paymentSeen(payment, expected)
}
