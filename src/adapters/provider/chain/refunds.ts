/**
 * Refunds on a chain: a pay-in goes back to its payer, from the hot wallet.
 *
 * A pay-in keeps what each refund of it was to return. What a refund takes of the pay-in is computed from how it ended: all of
 * that while it has not, what was paid once it has succeeded, and nothing once it has failed. So no amount has to be given back, and it does not
 * matter by which way an end is learned.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { MovementOutcome, RefundCommand, SubmissionResult } from "../../../engine/ports/Provider.ts"
import type { Row, RowKey } from "../../../engine/ports/Storage.ts"
import { exactAmount } from "../../../machines/kernel/money.ts"
import type { EntryWrite } from "../books.ts"
import type { ChainBooks } from "./books.ts"
import { type ChainToken, type Payable, payable } from "./tokens.ts"

/** What each refund of a pay-in was to return, by command, in the token's smallest unit. */
export type Refunds = { readonly [command_id: string]: string }

/** A pay-in as its refunds see it. `amount` is in the token's smallest unit. `payer`: null where it is not known. */
export interface RefundablePayin {
  readonly status: "detected" | "confirmed" | "failed"
  readonly currency: string
  readonly amount: string
  readonly payer: string | null
  readonly refunds: Refunds
  /** What refunds of an earlier build take together. Absent: none has counted. */
  readonly refunded?: string
}

/** A command for which nothing is signed. `entry`: what the books have of it. */
export interface Unsigned {
  readonly _tag: "unsigned"
  readonly entry: Row | undefined
}

/** What a chain has and does for its refunds. */
export interface RefundingChain<Token extends ChainToken> {
  readonly network: string
  readonly tokens: ReadonlyArray<Token>
  readonly books: ChainBooks
  readonly payinKey: (payin_id: string) => RowKey
  readonly commandKey: (command_id: string) => RowKey
  readonly payinOf: (row: Row) => RefundablePayin
  readonly withRefunds: (row: Row, refunds: Refunds) => EntryWrite
  /** How a command ended, by its entry and else by the chain. Undefined: it has not. Law: an end does not change. */
  readonly endOf: (entry: Row) => Effect.Effect<MovementOutcome | undefined, ProviderFault>
  /** What earlier submissions of a command led to. */
  readonly submitted: (command_id: string) => Effect.Effect<SubmissionResult | Unsigned, ProviderFault>
  /** Pays, unless the command has another entry by now: a look-up has said that it was not executed, or another submission executes it. */
  readonly pay: (
    command: RefundCommand,
    what: Payable<Token>,
    payer: string,
    unsigned: Unsigned
  ) => Effect.Effect<SubmissionResult, ProviderFault>
  /** Ends a command that will never be made, unless it has another entry by now. `reserved`: what it was to return. */
  readonly reject: (
    command: RefundCommand,
    reserved: string,
    reason: string,
    unsigned: Unsigned
  ) => Effect.Effect<SubmissionResult, ProviderFault>
}

/** Reads of a pay-in that changes meanwhile. Each change is another writer's progress. */
const readingsMax = 20

const rejected = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: false })

/** The money of a refund that is rejected stays where it is: it is the payer's. */
const refundResult = (result: SubmissionResult): SubmissionResult =>
  result._tag === "rejected" ? rejected(result.reason) : result

interface Order<Token> {
  readonly what: Payable<Token>
  readonly payer: string
  readonly payin: RefundablePayin
}

/** What a refund pays, or why it cannot be made: for good, or until the pay-in is final. */
const orderOf = <Token extends ChainToken>(
  chain: RefundingChain<Token>,
  command: RefundCommand,
  row: Row | undefined
): Order<Token> | SubmissionResult => {
  if (row === undefined) return rejected(`there is no pay-in ${command.payin_id}`)
  const payin = chain.payinOf(row)
  const { currency, payer, status } = payin
  if (status === "failed") return rejected("the pay-in has failed")
  if (status === "detected") return { _tag: "unavailable" }
  if (payer === null) return rejected("the payer of the pay-in is not known")
  if (currency !== command.currency) return rejected(`the pay-in is in ${currency}, not in ${command.currency}`)
  const what = payable(chain, command)
  return typeof what === "string" ? rejected(what) : { what, payer, payin }
}

/** What a refund takes of its pay-in, in the token's smallest unit. */
const takenBy = (reserved: string, end: MovementOutcome | undefined, { decimals }: ChainToken): bigint => {
  if (end === undefined) return BigInt(reserved)
  if (end.outcome !== "success") return 0n
  const { amount = null } = end
  return amount === null ? BigInt(reserved) : exactAmount(amount, decimals)
}

/** What the refunds of a pay-in take of it together, except one. */
const takenByOthers = Effect.fnUntraced(function* <Token extends ChainToken>(
  chain: RefundingChain<Token>,
  { payin, what }: Order<Token>,
  command_id: string
) {
  const others = Object.entries(payin.refunds).filter(([id]) => id !== command_id)
  const entries = yield* chain.books.get(others.map(([id]) => chain.commandKey(id)))
  let sum = BigInt(payin.refunded ?? "0")
  for (const [id, reserved] of others) {
    const key = chain.commandKey(id)
    const entry = entries.find((one) => one.id === key.id)
    sum += takenBy(reserved, entry && (yield* chain.endOf(entry)), what.token)
  }
  return sum
})

/** Reserves a refund, unless the pay-in has changed since it was read. */
const reserve = <Token extends ChainToken>(
  { books, payinKey, payinOf, withRefunds }: RefundingChain<Token>,
  { id, payin_id }: RefundCommand,
  read: Row,
  amount: string
) =>
  books.amend([payinKey(payin_id)], ([row]) =>
    row?.version === read.version
      ? { entries: [withRefunds(row, { ...payinOf(row).refunds, [id]: amount })], result: true }
      : { entries: [], result: false }
  )

/** Answers a refund that is not made. One that is rejected after it has reserved its amount ends, so that it takes nothing. */
const notMade = <Token extends ChainToken>(
  chain: RefundingChain<Token>,
  command: RefundCommand,
  row: Row | undefined,
  result: SubmissionResult,
  unsigned: Unsigned
): Effect.Effect<SubmissionResult, ProviderFault> => {
  const reserved = row && chain.payinOf(row).refunds[command.id]
  return result._tag !== "rejected" || reserved === undefined
    ? Effect.succeed(result)
    : Effect.map(chain.reject(command, reserved, result.reason, unsigned), refundResult)
}

/**
 * Refunds a pay-in, at most once for each command. What was submitted earlier decides, whatever the pay-in and the configuration are now.
 *
 * Law: the refunds of a pay-in never exceed it, whatever their ids and however many at once.
 */
export const refund = Effect.fnUntraced(function* <Token extends ChainToken>(
  chain: RefundingChain<Token>,
  command: RefundCommand
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const earlier = yield* chain.submitted(command.id)
  if (earlier._tag !== "unsigned") return refundResult(earlier)
  for (let reading = 0; reading < readingsMax; reading++) {
    const [row] = yield* chain.books.get([chain.payinKey(command.payin_id)])
    const order = orderOf(chain, command, row)
    if ("_tag" in order) return yield* notMade(chain, command, row, order, earlier)
    const { payin, payer, what } = order
    const amount = what.units.toString()
    if ((yield* takenByOthers(chain, order, command.id)) + what.units > BigInt(payin.amount))
      return yield* notMade(chain, command, row, rejected("the refunds would exceed the pay-in"), earlier)
    if (payin.refunds[command.id] !== amount && !(yield* reserve(chain, command, row!, amount))) continue
    return refundResult(yield* chain.pay(command, what, payer, earlier))
  }
  return yield* new ProviderFault({ message: `the pay-in ${command.payin_id} changed during ${readingsMax} attempts` })
})
