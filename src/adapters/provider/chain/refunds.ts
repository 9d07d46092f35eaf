/**
 * Refunds on a chain: a pay-in goes back to its payer, from the hot wallet.
 *
 * A pay-in keeps what each refund of it was to return. What a refund takes of the pay-in is computed from its entry: all of
 * that while it is signed, or while the submission that reserved it can still sign it; what was paid once it has succeeded; and nothing
 * once it has failed or is absent. So no amount has to be given back, and it does not matter by which way an end is learned.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { MovementOutcome, RefundCommand, SubmissionResult } from "../../../engine/ports/Provider.ts"
import type { Row, RowKey } from "../../../engine/ports/Storage.ts"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import type { EntryWrite } from "../books.ts"
import type { ChainBooks } from "./books.ts"
import { type Recipients, findRecipientFault } from "./recipients.ts"
import { type ChainToken, type Payable, resolvePayment } from "./tokens.ts"

/** What each refund of a pay-in was to return, by command, in the token's smallest unit. */
export type RefundAmounts = { readonly [command_id: string]: string }

/**
 * By command, the version of its entry when its refund was reserved; 0, also where none is kept: it had no entry. The submission that reserved it
 * signs only while the entry has this version.
 */
export type Reservations = { readonly [command_id: string]: number }

/** A pay-in as its refunds see it. `amount` is in the token's smallest unit. `payer`: null where it is not known. */
export interface RefundablePayin {
  readonly status: "detected" | "confirmed" | "failed"
  readonly currency: string
  readonly amount: string
  readonly payer: string | null
  readonly refunds: RefundAmounts
  readonly reserved?: Reservations
  /** What refunds of an earlier build take together. Absent: none has counted. */
  readonly refunded?: string
}

/** A refund command that has no signed transaction yet. `entry`: its row in the books. */
export interface Unsigned {
  readonly _tag: "unsigned"
  readonly entry: Row | undefined
}

/** What a chain has and does for its refunds. */
export interface RefundingChain<Token extends ChainToken> {
  readonly network: string
  readonly tokens: ReadonlyArray<Token>
  readonly recipients: Recipients
  readonly books: ChainBooks
  /** The entry of a pay-in, with what its refunds need. */
  readonly readPayin: (payin_id: string) => Effect.Effect<Row | undefined, ProviderFault>
  readonly payinKey: (payin_id: string) => RowKey
  readonly commandKey: (command_id: string) => RowKey
  readonly payinOf: (row: Row) => RefundablePayin
  readonly withRefunds: (row: Row, refunds: Pick<RefundablePayin, "refunds" | "reserved">) => EntryWrite
  /**
   * How a command ended, by its entry and else by the chain; `signed`: it has not; `unsigned`: nothing is signed for it that can still be
   * executed. Law: an end does not change.
   */
  readonly endOf: (entry: Row) => Effect.Effect<MovementOutcome | "signed" | "unsigned", ProviderFault>
  /** What earlier submissions of a command led to. */
  readonly submitted: (command_id: string) => Effect.Effect<SubmissionResult | Unsigned, ProviderFault>
  /**
   * Pays the refund, unless the entry of the command has changed: a look-up has said that it was not executed, or another submission
   * executes it.
   */
  readonly pay: (
    command: RefundCommand,
    what: Payable<Token>,
    payer: string,
    unsigned: Unsigned
  ) => Effect.Effect<SubmissionResult, ProviderFault>
  /** Ends a refund that can never be made, unless the entry of its command has changed. */
  readonly reject: (
    command: RefundCommand,
    reason: string,
    unsigned: Unsigned
  ) => Effect.Effect<SubmissionResult, ProviderFault>
}

/** Reads of a pay-in that changes meanwhile. Each change is another writer's progress. */
const readingsMax = 20

const toRejection = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: false })

/** Marks a rejected refund as not refundable: its money belongs to the payer, so it is not released. */
const toRefundResult = (result: SubmissionResult): SubmissionResult =>
  result._tag === "rejected" ? toRejection(result.reason) : result

interface Order<Token> {
  readonly what: Payable<Token>
  readonly payer: string
  readonly payin: RefundablePayin
}

/**
 * Resolves the amount and the recipient of a refund. Returns a rejection if it can never be made, and `unavailable` until the pay-in is final.
 */
const resolveRefund = <Token extends ChainToken>(
  chain: RefundingChain<Token>,
  command: RefundCommand,
  row: Row | undefined
): Order<Token> | SubmissionResult => {
  if (row === undefined) return toRejection(`there is no pay-in ${command.payin_id}`)
  const payin = chain.payinOf(row)
  const { currency, payer, status } = payin
  if (status === "failed") return toRejection("the pay-in has failed")
  if (status === "detected") return { _tag: "unavailable" }
  if (payer === null) return toRejection("the payer of the pay-in is not known")
  const fault = findRecipientFault(chain.recipients, payer)
  if (fault !== null) return toRejection(`the payer of the pay-in cannot be paid: ${fault}`)
  if (currency !== command.currency) return toRejection(`the pay-in is in ${currency}, not in ${command.currency}`)
  const what = resolvePayment(chain, command)
  return typeof what === "string" ? toRejection(what) : { what, payer, payin }
}

/** Finds the amount that a completed refund takes from its pay-in, in the token's smallest unit: zero if it failed. */
const findRefundedUnits = (reserved: string, end: MovementOutcome, { decimals }: ChainToken): bigint => {
  if (end.outcome !== "success") return 0n
  const { amount = null } = end
  return amount === null ? BigInt(reserved) : parseExactAmount(amount, decimals)
}

/** Reserves the amount of a refund on its pay-in, unless the pay-in has changed since it was read. */
const reserveRefund = <Token extends ChainToken>(
  { books, payinKey, payinOf, withRefunds }: RefundingChain<Token>,
  { id, payin_id }: RefundCommand,
  read: Row,
  amount: string,
  version: number
) =>
  books.amend([payinKey(payin_id)], ([row]) => {
    if (row?.version !== read.version) return { entries: [], result: false }
    const { refunds, reserved } = payinOf(row)
    const now = { refunds: { ...refunds, [id]: amount }, reserved: { ...reserved, [id]: version } }
    return { entries: [withRefunds(row, now)], result: true }
  })

/** Returns the result of a refund that is not made. A rejected one is recorded as ended, so that earlier submissions of it do nothing more. */
const failRefund = <Token extends ChainToken>(
  chain: RefundingChain<Token>,
  command: RefundCommand,
  result: SubmissionResult,
  unsigned: Unsigned
): Effect.Effect<SubmissionResult, ProviderFault> =>
  result._tag === "rejected"
    ? Effect.map(chain.reject(command, result.reason, unsigned), toRefundResult)
    : Effect.succeed(result)

/**
 * Refunds a pay-in, at most once for each command. What was submitted earlier decides, whatever the pay-in and the configuration are now.
 *
 * Law: the refunds of a pay-in never exceed it, whatever their ids and however many at once.
 */
export const executeRefund = Effect.fnUntraced(function* <Token extends ChainToken>(
  chain: RefundingChain<Token>,
  command: RefundCommand
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const earlier = yield* chain.submitted(command.id)
  if (earlier._tag !== "unsigned") return toRefundResult(earlier)
  for (let reading = 0; reading < readingsMax; reading++) {
    const row = yield* chain.readPayin(command.payin_id)
    const order = resolveRefund(chain, command, row)
    if ("_tag" in order) return yield* failRefund(chain, command, order, earlier)
    const { payin, payer, what } = order
    const amount = what.units.toString()
    // What the refunds of a pay-in take of it together, except one.
    const command_id = command.id
    const others = Object.entries(payin.refunds).filter(([id]) => id !== command_id)
    const entries = yield* chain.books.get(others.map(([id]) => chain.commandKey(id)))
    let sum = BigInt(payin.refunded ?? "0")
    for (const [id, reserved] of others) {
      const key = chain.commandKey(id)
      const entry = entries.find((one) => one.id === key.id)
      const end = entry === undefined ? "unsigned" : yield* chain.endOf(entry)
      const canSign = (payin.reserved?.[id] ?? 0) === (entry?.version ?? 0)
      if (typeof end !== "string") sum += findRefundedUnits(reserved, end, what.token)
      else if (end === "signed" || canSign) sum += BigInt(reserved)
    }
    if (sum + what.units > BigInt(payin.amount))
      return yield* failRefund(chain, command, toRejection("the refunds would exceed the pay-in"), earlier)
    const version = earlier.entry?.version ?? 0
    const isReserved = payin.refunds[command.id] === amount && (payin.reserved?.[command.id] ?? 0) === version
    if (!isReserved && !(yield* reserveRefund(chain, command, row!, amount, version))) continue
    return toRefundResult(yield* chain.pay(command, what, payer, earlier))
  }
  return yield* new ProviderFault({ message: `the pay-in ${command.payin_id} changed during ${readingsMax} attempts` })
})
