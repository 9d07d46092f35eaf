/** Payouts and refunds: token transfers from the hot wallet. */
import { dataOf } from "../chain/books.ts"
import { bound } from "../../../machines/kernel/bound.ts"
import { Effect } from "effect"
import { type Hex, isAddress, zeroAddress } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, PayoutCommand, RefundCommand, SubmissionResult } from "../../../engine/ports/Provider.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import { transferCall } from "./calls.ts"
import { type Payable, payable } from "../chain/tokens.ts"
import type { EvmConfig, TokenContract } from "./config.ts"
import { type EvmKey, type EvmPayin, type EvmPayment, type Slot } from "./entries.ts"
import { movementOf, type Settlement } from "./settlement.ts"
import { type SlotClaim, type EvmContext, type Draft, type Slots } from "./slots.ts"

const rejected = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: true })
const unavailable: SubmissionResult = { _tag: "unavailable" }
const accepted: SubmissionResult = { _tag: "accepted" }

const recipientOf = ({ destination }: PayoutCommand, { network, tokens }: EvmConfig, wallet: Hex): string => {
  if (destination.type !== "crypto" || destination.network !== network) return `the destination is not on ${network}`
  if (destination.memo !== null && destination.memo !== "") return `a memo cannot be sent on ${network}`
  if (!isAddress(destination.address)) return `${destination.address} is no address of ${network}`
  const to = destination.address.toLowerCase() as Hex
  if (to === zeroAddress) return "the zero address cannot be paid"
  if (to === wallet) return "the hot wallet cannot pay itself"
  if (tokens.some(({ address }) => address === to)) return `${destination.address} is a token, which cannot be paid`
  return to
}

const makeDeps = (context: EvmContext, slots: Slots, { settle }: Settlement) => {
  const { books, chain, config, entries, wallet } = context
  const { keys, writes } = entries
  return { slots, settle, books, chain, config, wallet, keys, writes }
}
type Deps = ReturnType<typeof makeDeps>

const draftOf = (
  { config }: Deps,
  purpose: EvmPayment["purpose"],
  command_id: string,
  { token, units }: Payable<TokenContract>,
  to: Hex
): Draft => ({
  purpose,
  work_id: command_id,
  call: { to: token.address, data: transferCall(to, units), gas: config.transfer_gas },
  transfer: { currency: token.currency, token: token.address, to, amount: units.toString() },
  sweep: null
})

/** The slot of a command. Errors: `ProviderFault`, also when another hot wallet signed it: its outcome is unknown here. */
const slotOf = Effect.fnUntraced(function* ({ books, keys, wallet }: Deps, command_id: string, nonce: number) {
  const slot = yield* books.read<Slot>(keys.slot(nonce))
  if (slot?.work_id === command_id) return slot
  return yield* new ProviderFault({ message: `another hot wallet than ${wallet} has signed ${command_id}` })
})

/**
 * The result of a command that has a nonce. If the nonce waits, its recorded transaction is broadcast again; nothing is
 * signed. `undefined`: the nonce was used by another transaction, so the command needs another one.
 */
const known = Effect.fnUntraced(function* (
  deps: Deps,
  command_id: string,
  nonce: number
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const { config, slots } = deps
  const slot = yield* slotOf(deps, command_id, nonce)
  if (slot.outcome?.result === "unused") return unavailable
  const outcome = movementOf(config, slot)
  if (outcome !== undefined) return { _tag: "settled", outcome }
  yield* slots.broadcast(slot)
  return accepted
})

/** Records and broadcasts a draft, unless its work is under way already. `refuse`: the signer's policy refuses. */
const execute = Effect.fnUntraced(function* (
  deps: Deps,
  draft: Draft,
  work: ReadonlyArray<EvmKey>,
  claim: (rows: ReadonlyArray<Row | undefined>) => SlotClaim<SubmissionResult | { readonly nonce: number }>,
  refuse: (reason: string) => Effect.Effect<SubmissionResult, ProviderFault>
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const { slots } = deps
  const allocation = yield* slots
    .allocate(draft, work, claim)
    .pipe(Effect.catchTag("SigningRefused", ({ message }) => Effect.succeed({ _tag: "refused", message } as const)))
  switch (allocation._tag) {
    case "refused":
      return yield* refuse(allocation.message)
    case "dear":
    case "poor":
      return unavailable
    case "stopped":
      return "nonce" in allocation.result
        ? yield* known(deps, draft.work_id, allocation.result.nonce)
        : allocation.result
    case "recorded":
      yield* slots.broadcast(allocation.slot)
      return accepted
  }
})

/** The status of a command by its slot, which is settled first if it can be. */
const statusOf = Effect.fnUntraced(function* (
  deps: Deps,
  command_id: string,
  payment: EvmPayment | undefined
): Effect.fn.Return<CommandStatus, ProviderFault> {
  const { settle, chain, config } = deps
  if (payment === undefined || payment.nonce === null) return { _tag: "absent" }
  const slot = yield* slotOf(deps, command_id, payment.nonce)
  const now = slot.outcome === null ? yield* settle(slot, yield* chain.view) : slot
  const outcome = movementOf(config, now)
  if (outcome !== undefined) return { _tag: "settled", outcome }
  return now.outcome === null ? { _tag: "pending" } : { _tag: "absent" }
})

const paymentOf = Effect.fnUntraced(function* ({ books, keys }: Deps, command_id: string) {
  return yield* books.read<EvmPayment>(keys.payment(command_id))
})

/**
 * Fences the submissions so far: one that is still on its way does nothing any more. Returns the nonce of the payout instead
 * if it has one.
 */
const fence = (
  { books, keys, writes }: Deps,
  { attempt, id, merchant_id, resource_id }: PayoutCommand
): Effect.Effect<number | null, ProviderFault> =>
  books.amend([keys.payment(id)], ([row]) => {
    const payment = dataOf<EvmPayment>(row)
    if (payment !== undefined && (payment.nonce !== null || payment.fenced >= attempt))
      return { entries: [], result: payment.nonce }
    const fenced: EvmPayment = {
      purpose: "payout",
      merchant_id,
      resource_id,
      payin_id: null,
      nonce: null,
      fenced: attempt
    }
    return { entries: [writes.payment(id, fenced)], result: null }
  })

/** Rejects a payout, unless an earlier submission of it is under way. */
const refuse = Effect.fnUntraced(function* (deps: Deps, command: PayoutCommand, reason: string) {
  const nonce = yield* fence(deps, command)
  return nonce === null ? rejected(reason) : yield* known(deps, command.id, nonce)
})

const submit = Effect.fnUntraced(function* (
  deps: Deps,
  command: PayoutCommand
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const { config, wallet, keys, writes } = deps
  const { attempt, id, merchant_id, resource_id } = command
  const what = payable(config, command)
  if (typeof what === "string") return yield* refuse(deps, command, what)
  const to = recipientOf(command, config, wallet)
  if (!isAddress(to)) return yield* refuse(deps, command, to)
  return yield* execute(
    deps,
    draftOf(deps, "payout", id, what, to),
    [keys.payment(id)],
    ([row]) => {
      const payment = dataOf<EvmPayment>(row)
      if (payment !== undefined && payment.nonce !== null) return { _tag: "stop", result: { nonce: payment.nonce } }
      const fenced = payment?.fenced ?? -1
      if (attempt <= fenced) return { _tag: "stop", result: unavailable }
      return {
        _tag: "go",
        entries: (nonce) => [
          writes.payment(id, { purpose: "payout", merchant_id, resource_id, payin_id: null, nonce, fenced })
        ]
      }
    },
    (reason) => refuse(deps, command, reason)
  )
})

/** Before `absent` is reported, the submissions so far are fenced: one that is still on its way does nothing any more. */
const lookup = Effect.fnUntraced(function* (
  deps: Deps,
  command: PayoutCommand
): Effect.fn.Return<CommandStatus, ProviderFault> {
  const status = yield* statusOf(deps, command.id, yield* paymentOf(deps, command.id))
  if (status._tag !== "absent" || (yield* fence(deps, command)) === null) return status
  return yield* statusOf(deps, command.id, yield* paymentOf(deps, command.id))
})

const refund = Effect.fnUntraced(function* (
  deps: Deps,
  command: RefundCommand
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const { config, books, keys, writes } = deps
  const { id, merchant_id, payin_id, resource_id } = command
  const earlier = yield* paymentOf(deps, id)
  if (earlier !== undefined && earlier.nonce !== null) return yield* known(deps, id, earlier.nonce)
  const what = payable(config, command)
  if (typeof what === "string") return rejected(what)
  const payin = yield* books.read<EvmPayin>(keys.payin(payin_id))
  if (payin === undefined) return rejected(`the pay-in ${payin_id} is unknown`)
  if (payin.token !== what.token.address) return rejected(`the pay-in ${payin_id} is one of ${payin.currency}`)
  if (payin.from === zeroAddress) return rejected("the payer is unknown: the token's contract issued the deposit")
  return yield* execute(
    deps,
    draftOf(deps, "refund", id, what, payin.from),
    [keys.payment(id), keys.payin(payin_id)],
    ([row, current]) => {
      const payment = dataOf<EvmPayment>(row)
      if (payment !== undefined && payment.nonce !== null) return { _tag: "stop", result: { nonce: payment.nonce } }
      const now = dataOf<EvmPayin>(current) ?? payin
      if (now.status !== "confirmed")
        return { _tag: "stop", result: rejected(`the pay-in ${payin_id} is ${now.status}, not confirmed`) }
      const refunded = BigInt(now.refunded) + what.units
      if (refunded > BigInt(now.amount))
        return { _tag: "stop", result: rejected("the refunds would exceed the pay-in") }
      return {
        _tag: "go",
        entries: (nonce) => [
          writes.payment(id, { purpose: "refund", merchant_id, resource_id, payin_id, nonce, fenced: -1 }),
          writes.payin({ ...now, refunded: refunded.toString() })
        ]
      }
    },
    (reason) =>
      Effect.flatMap(paymentOf(deps, id), (payment) =>
        payment === undefined || payment.nonce === null
          ? Effect.succeed(rejected(reason))
          : known(deps, id, payment.nonce)
      )
  )
})

const lookupRefund = (deps: Deps, { id }: RefundCommand): Effect.Effect<CommandStatus, ProviderFault> =>
  Effect.flatMap(paymentOf(deps, id), (payment) => statusOf(deps, id, payment))

export const makePayments = (context: EvmContext, slots: Slots, given: Settlement) => {
  const deps = makeDeps(context, slots, given)

  return bound(deps, { submit, lookup, refund, lookupRefund })
}
