/** What Bridge says, and what the port says of it: the tables of `docs/providers/bridge.md`, and pure, total functions over them. */
import { Schema } from "effect"
import type { MovementOutcome } from "../../../engine/ports/Provider.ts"
import {
  amountsOf,
  Loose,
  makeReading,
  memberOf,
  paymentDecimals,
  PlainId,
  readerOf,
  seenBy,
  textOf,
  unreadable,
  StateWord
} from "../company/answers.ts"
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

/** Bridge writes amounts with as many decimals as USDC has. */
export const { format: amountOf, parse: unitsOf } = amountsOf(6)

/** It is not paid, and is not back at the platform: nothing may leave by itself. */
const stuck = (means: string, action: string): StateRow =>
  openState(means, { left: "not clear", mayLeave: false, ...operatorMust(action) })
const comingBack = (means: string): StateRow => openState(means, { left: "yes", mayLeave: false })

/** The states of a transfer. A word that is not here is unknown. */
export const states: Readonly<Record<string, StateRow>> = {
  awaiting_funds: openState("it waits for money in the wallet", {
    ...{ left: "no", ...operatorMust("fund the wallet at Bridge, or cancel the transfer there") }
  }),
  pending: openState("it was made, and is not paid yet"),
  in_review: openState("Bridge reviews it", {
    ...{ left: "no", awaited_person: { party: "provider", action: "review the transfer" } }
  }),
  funds_received: openState("the money was taken from the wallet", { left: "no" }),
  payment_submitted: openState("it is on its way to the bank", { left: "yes" }),
  payment_processed: endState("success", "it was paid"),
  undeliverable: stuck(
    "it cannot be delivered, and the money is at Bridge",
    "ask Bridge to return the money of the transfer"
  ),
  returned: comingBack("the bank sent it back, and Bridge refunds it"),
  refund_in_flight: comingBack("the refund is on its way"),
  refund_failed: stuck("the refund failed, and the money is at Bridge", "tell Bridge where to refund the transfer to"),
  missing_return_policy: stuck(
    "the money is at Bridge, which does not know where to return it",
    "set a return policy at Bridge"
  ),
  refunded: endState("returned", "Bridge has refunded it: to the wallet, or where your return policy says"),
  canceled: endState("failed", "it was cancelled before it was paid"),
  error: { left: "not clear", mayLeave: true, port: "unknown", means: "Bridge does not say what became of it" }
}

/**
 * The answers to `POST` that decide something: the first that fits. They count only as Bridge's own JSON, `{"code": …, "message": …}`.
 * All others are unknown: another code, 422, 424, 5xx, HTML, half an answer, a redirect.
 */
export const answers: ReadonlyArray<AnswerRow> = [
  makeEarlierRequest("the key was used before", { codes: ["duplicate_record", "not_truly_idempotent"] }),
  makeEarlierRequest("another request is in the way", { statuses: [409], codes: ["resource_state_conflict"] }),
  notNow("the API key is refused", { statuses: [401] }),
  notNow("too many requests", { statuses: [429] }),
  notNow("a limit of yours is reached", { statuses: [400, 403], codes: ["developer_limits_exceeded"] }),
  notNow("the wallet has too little", { statuses: [400], message: /insufficient|not enough (?:funds|balance)/i }),
  makeRefusal("the customer may not be served", {
    ...{ statuses: [400, 403], reason: "compliance: " },
    codes: ["frozen", "has_not_accepted_tos", "requires_active_kyc_status"]
  }),
  makeRefusal("the route is not allowed", {
    statuses: [403],
    codes: ["not_allowed", "endorsement_requirements_not_met"]
  }),
  makeRefusal("the request is invalid", {
    ...{ statuses: [400], codes: ["invalid_parameters", "invalid_json", "deactivated_external_account"] }
  }),
  makeRefusal("the account or the wallet is not found", { statuses: [400, 404], codes: ["not_found"] })
]

export type BridgeTransfer = typeof BridgeTransfer.Type
export const BridgeTransfer = Schema.Struct({
  ...{ id: PlainId, state: StateWord, amount: Loose, client_reference_id: Loose },
  ...{ receipt: Loose, created_at: Schema.String },
  destination: Schema.Struct({
    ...{ currency: Loose, external_account_id: Loose, amount: Loose, payment_rail: Loose, deposit_id: Loose },
    ...{ uetr: Loose, imad: Loose, trace_number: Loose }
  })
})

/** What a command is at Bridge, and must be in each answer about it. */
export interface ExpectedTransfer {
  readonly command_id: string
  readonly currency: string
  readonly units: bigint
  /** Bridge's id of the beneficiary's bank account. Null: it returns a deposit. */
  readonly account: string | null
  /** Bridge's id of the deposit that it returns. */
  readonly deposit_id?: string
}

/** The rail by which a deposit goes back to its payer. */
export const returnRail = "fiat_deposit_return"

/** What the recipient is to get: the amount of a transfer in EUR is fixed at its destination, one in USD is worth its USDC. */
export const amountIn = ({ amount, destination }: BridgeTransfer, currency: string): unknown =>
  currency === "USD" ? (destination.amount ?? amount) : destination.amount

/** Whether it goes to the account of a payout; or back to the payer of a deposit, which an answer may name or not. */
const isTo = ({ destination }: BridgeTransfer, { account, currency, deposit_id }: ExpectedTransfer): boolean => {
  if (destination.currency !== currency.toLowerCase()) return false
  if (account !== null) return destination.external_account_id === account
  return destination.payment_rail === returnRail && (destination.deposit_id ?? deposit_id) === deposit_id
}

/**
 * Whether a transfer without a reference may be a command: all that could tell them apart is the same, or cannot be read. One that a person
 * makes in the dashboard has no reference either.
 */
export const mayBe = (transfer: BridgeTransfer, expected: ExpectedTransfer): boolean => {
  if (typeof transfer.client_reference_id === "string") return false
  const { currency: paid, deposit_id, external_account_id, payment_rail } = transfer.destination
  const { account, currency, units } = expected
  if (typeof payment_rail === "string" && (payment_rail === returnRail) !== (account === null)) return false
  if (account !== null && typeof external_account_id === "string" && external_account_id !== account) return false
  if (account === null && typeof deposit_id === "string" && deposit_id !== expected.deposit_id) return false
  if (typeof paid === "string" && paid.toLowerCase() !== currency.toLowerCase()) return false
  const found = unitsOf(amountIn(transfer, currency))
  return found === undefined || found === units
}

/** What Bridge took for itself and for you, in USDC. */
const feesIn = (receipt: unknown): bigint =>
  ["developer_fee", "exchange_fee", "gas_fee"].reduce((sum, name) => sum + (unitsOf(memberOf(receipt, name)) ?? 0n), 0n)

const outcomeOf = (
  { port, reason = "" }: StateRow,
  { destination, id, receipt, state }: BridgeTransfer,
  { currency, units }: ExpectedTransfer
): Omit<MovementOutcome, "outcome"> => {
  const references = ["uetr", "imad", "trace_number"].map((name) => textOf(destination, name, 100))
  const named = { transaction_hash: null, provider_reference: references.find((one) => one !== null) ?? id }
  if (port !== "success") return { ...named, reason: `${reason}${state}` }
  const fee = feesIn(receipt)
  const net = unitsOf(memberOf(receipt, "final_amount"), paymentDecimals)
  return {
    ...{ ...named, reason: null, amount: amountOf(currency === "USD" ? (net ?? units) : units) },
    ...(fee > 0n && { fee: amountOf(fee), fee_currency: currency === "USD" ? "USD" : "USDC" })
  }
}

/** What a transfer says of the command that it should be. */
export const transferSeen = (transfer: BridgeTransfer, expected: ExpectedTransfer): Seen | UnreadableReply => {
  const { client_reference_id, id, state } = transfer
  const { command_id, currency, units } = expected
  if (client_reference_id !== command_id) return unreadable(`${command_id} has another reference at Bridge: ${id}`, id)
  if (!isTo(transfer, expected) || unitsOf(amountIn(transfer, currency)) !== units)
    return unreadable(`${command_id} has another amount or destination at Bridge: ${id}`, id)
  return seenBy(states, { command_id, id, state }, (row) => outcomeOf(row, transfer, expected))
}

export const bridge = makeReading({
  ...{ company: "Bridge", answers, payloadOf: (json: unknown) => json },
  refusalOf: readerOf(Schema.Struct({ code: StateWord, message: Schema.String }))
})

/** What the answers to `POST /transfers`, and to a `GET` by Bridge's id, say. */
export const { readFound, readPosted } = bridge.paymentsOf(() => BridgeTransfer, transferSeen)
