/** Refunds: a pay-in goes back to the owner of the account that it came from. */
import { dataOf } from "../chain/books.ts"
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, RefundCommand, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { payable } from "../chain/tokens.ts"
import type { SolanaContext } from "./config.ts"
import { indexKeys, isOpen, type SeenPayin } from "./entries.ts"
import type { Order } from "./order.ts"
import { lookup, statusOfUnordered, submit } from "./outgoing.ts"
import { payinKey } from "./payins.ts"

const rejected = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: false })

const payinOf = (context: SolanaContext, payin_id: string) => context.books.read<SeenPayin>(payinKey(context, payin_id))

const orderOf = (context: SolanaContext, command: RefundCommand, payin: SeenPayin): Order | undefined => {
  const what = payable(context, { amount: command.amount, currency: payin.currency })
  if (typeof what === "string" || payin.from_address === null) return undefined
  return {
    purpose: "refund",
    command_id: command.id,
    merchant_id: command.merchant_id,
    resource_id: command.resource_id,
    token: what.token,
    amount: what.units,
    from: { ...context.hot, account: what.token.account },
    to: payin.from_address,
    memo: null,
    payin_id: payin.payin_id
  }
}

/** Changes the amounts that are reserved for the refunds of a pay-in. Returns whether `decide` has changed them. */
const reserve = (
  context: SolanaContext,
  payin_id: string,
  decide: (payin: SeenPayin) => SeenPayin["refunds"] | undefined
) =>
  context.books.amend([payinKey(context, payin_id)], ([row]) => {
    const payin = dataOf<SeenPayin>(row)!
    const refunds = decide(payin)
    if (refunds === undefined) return { entries: [], result: false }
    const open = row!.index_keys.includes(isOpen)
    const key = payinKey(context, payin_id)
    return {
      entries: [{ key, data: { ...payin, refunds }, index_keys: indexKeys(context.name, open) }],
      result: true
    }
  })

/** Reserves a refund. Law: the refunds of a pay-in never exceed it, whatever their ids and however many at once. */
const reserved = Effect.fnUntraced(function* (context: SolanaContext, order: Order, payin: SeenPayin) {
  const { command_id, amount } = order
  let isKnown = false
  const isNew = yield* reserve(context, payin.payin_id, ({ refunds, amount: paid }) => {
    isKnown = refunds[command_id] === amount.toString()
    if (refunds[command_id] !== undefined) return undefined
    const sum = Object.values(refunds).reduce((total, one) => total + BigInt(one), amount)
    return sum > BigInt(paid) ? undefined : { ...refunds, [command_id]: amount.toString() }
  })
  return isNew || isKnown
})

/** A refund that failed for good leaves its amount to another one. */
const freed = (context: SolanaContext, { command_id }: Order, payin: SeenPayin) =>
  reserve(context, payin.payin_id, ({ refunds }) => {
    const { [command_id]: own, ...others } = refunds
    return own === undefined ? undefined : others
  })

const hasFailed = (result: SubmissionResult | CommandStatus): boolean =>
  result._tag === "rejected" || (result._tag === "settled" && result.outcome.outcome !== "success")

export const refund = Effect.fnUntraced(function* (
  context: SolanaContext,
  command: RefundCommand
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const payin = yield* payinOf(context, command.payin_id)
  if (payin === undefined) return rejected(`there is no pay-in ${command.payin_id}`)
  if (payin.confirmed_at === null) return { _tag: "unavailable" }
  if (payin.from_address === null) return rejected("the payer of the pay-in is not known")
  if (payin.currency !== command.currency)
    return rejected(`the pay-in is in ${payin.currency}, not in ${command.currency}`)
  const order = orderOf(context, command, payin)
  if (order === undefined) return rejected(`${command.amount} is not an amount of ${command.currency}`)
  if (!(yield* reserved(context, order, payin))) return rejected("the refunds of the pay-in would exceed it")
  const result = yield* submit(context, order)
  if (hasFailed(result)) yield* freed(context, order, payin)
  return result
})

export const lookupRefund = Effect.fnUntraced(function* (
  context: SolanaContext,
  command: RefundCommand
): Effect.fn.Return<CommandStatus, ProviderFault> {
  const payin = yield* payinOf(context, command.payin_id)
  const order = payin && orderOf(context, command, payin)
  if (payin === undefined) return { _tag: "absent" }
  if (order === undefined) return (yield* statusOfUnordered(context, command)) ?? { _tag: "absent" }
  const status = yield* lookup(context, order)
  if (hasFailed(status)) yield* freed(context, order, payin)
  return status
})
