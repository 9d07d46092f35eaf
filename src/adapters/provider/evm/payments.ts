/** Payouts and refunds: token transfers from the hot wallet. */
import { readData } from "../chain/books.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Effect } from "effect"
import { type Hex, zeroAddress } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type {
  CommandStatus,
  MovementOutcome,
  PayoutCommand,
  RefundCommand,
  SubmissionResult
} from "../../../engine/ports/Provider.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import { memoFault } from "../../../engine/input/addresses.ts"
import { encodeTransferCall } from "./calls.ts"
import { type Recipients, findRecipientFault } from "../chain/recipients.ts"
import { executeRefund as refundOf, type RefundingChain, type Unsigned } from "../chain/refunds.ts"
import { type Payable, resolvePayment } from "../chain/tokens.ts"
import type { TokenContract } from "./config.ts"
import { type EvmKey, type EvmPayin, type EvmPayment, type Slot } from "./entries.ts"
import { canTell, toMovementOutcome, type Settlement } from "./settlement.ts"
import { type SlotClaim, type EvmContext, type Draft, type Slots } from "./slots.ts"

const toRejection = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: true })
const failWithoutPaying = (reason: string): MovementOutcome => ({ outcome: "failed", reason, transaction_hash: null })
const unavailable: SubmissionResult = { _tag: "unavailable" }
const accepted: SubmissionResult = { _tag: "accepted" }

const makeDeps = (context: EvmContext, slots: Slots, { settle }: Settlement) => {
  const { books, chain, config, entries, wallet } = context
  const { keys, writes } = entries
  const { network, tokens } = config
  const recipients: Recipients = { network, own: [wallet], tokens: tokens.map(({ address }) => address) }
  return { slots, settle, books, chain, config, wallet, recipients, keys, writes }
}
type Deps = ReturnType<typeof makeDeps>

/** Resolves the recipient of a payout. A text says why this chain cannot pay it. */
const resolveRecipient = (
  { config: { network }, recipients }: Deps,
  { destination }: PayoutCommand
): string | { readonly to: Hex } => {
  if (destination.type !== "crypto" || destination.network !== network) return `the destination is not on ${network}`
  const wrong = (destination.memo ?? "") === "" ? null : memoFault(network, destination.memo!)
  if (wrong !== null) return `the memo ${wrong}`
  return findRecipientFault(recipients, destination.address) ?? { to: destination.address.toLowerCase() as Hex }
}

const makePaymentDraft = (
  { config }: Deps,
  purpose: EvmPayment["purpose"],
  command_id: string,
  { token, units }: Payable<TokenContract>,
  to: Hex
): Draft => ({
  purpose,
  work_id: command_id,
  call: { to: token.address, data: encodeTransferCall(to, units), gas: config.transfer_gas },
  transfer: {
    currency: token.currency,
    token: token.address,
    to,
    amount: units.toString(),
    decimals: token.decimals
  },
  sweep: null
})

/** Reads the slot of a command. Errors: `ProviderFault` also when another hot wallet signed it: its outcome is unknown here. */
const readSlot = Effect.fnUntraced(function* ({ books, keys, wallet }: Deps, command_id: string, nonce: number) {
  const slot = yield* books.read<Slot>(keys.slot(nonce))
  if (slot?.work_id === command_id) return slot
  return yield* new ProviderFault({ message: `another hot wallet than ${wallet} has signed ${command_id}` })
})

const settleIfFinal = Effect.fnUntraced(function* ({ chain, config, settle }: Deps, slot: Slot) {
  const settled = slot.outcome === null ? yield* settle(slot, yield* chain.view) : slot
  if (!canTell(config, settled))
    return yield* new ProviderFault({
      message: `the token ${slot.transfer?.token} of ${slot.work_id} is not configured`
    })
  return settled
})

/** Reads the slot of a command, and settles it first if its transaction is final. */
const readSettledSlot = (deps: Deps, command_id: string, nonce: number) =>
  Effect.flatMap(readSlot(deps, command_id, nonce), (slot) => settleIfFinal(deps, slot))

/**
 * Finds the result of a command that has a nonce. A pending transaction is broadcast again; nothing is signed. `unavailable`:
 * another transaction used the nonce, so the command needs a new one.
 */
const findSubmission = Effect.fnUntraced(function* (
  deps: Deps,
  command_id: string,
  nonce: number
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const { config, slots } = deps
  const slot = yield* readSettledSlot(deps, command_id, nonce)
  const outcome = toMovementOutcome(config, slot)
  if (outcome !== undefined) return { _tag: "settled", outcome }
  if (slot.outcome !== null) return unavailable
  // What was told before its block was replaced may have to be cancelled, or to wait: upkeep sends it.
  if (slot.again === undefined && slot.waits_for === undefined) yield* slots.broadcast(slot)
  return accepted
})

/** Signs, records and broadcasts a draft, unless its work is under way already. `refuse`: called if the signer's policy refuses. */
const broadcastDraft = Effect.fnUntraced(function* (
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
    case "late":
      return unavailable
    case "stopped":
      return "nonce" in allocation.result
        ? yield* findSubmission(deps, draft.work_id, allocation.result.nonce)
        : allocation.result
    case "recorded":
      yield* slots.broadcast(allocation.slot)
      return accepted
  }
})

/** Reads the status of a command from its slot. */
const readCommandStatus = Effect.fnUntraced(function* (
  deps: Deps,
  command_id: string,
  payment: EvmPayment | undefined
): Effect.fn.Return<CommandStatus, ProviderFault> {
  if (payment?.rejected !== undefined) return { _tag: "settled", outcome: failWithoutPaying(payment.rejected) }
  if (payment === undefined || payment.nonce === null) return { _tag: "absent" }
  const slot = yield* readSettledSlot(deps, command_id, payment.nonce)
  const outcome = toMovementOutcome(deps.config, slot)
  if (outcome !== undefined) return { _tag: "settled", outcome }
  return { _tag: slot.outcome === null ? "pending" : "absent" }
})

const readPayment = Effect.fnUntraced(function* ({ books, keys }: Deps, command_id: string) {
  return yield* books.read<EvmPayment>(keys.payment(command_id))
})

/** A command whose submissions are fenced: those up to `attempt`, or all that have begun where submissions have no number. */
type Fenced = Pick<PayoutCommand, "id" | "merchant_id" | "resource_id"> & { readonly attempt?: number }

/**
 * Fences the earlier submissions of a command: one that is still under way can no longer sign. Returns the nonce of the command
 * instead, if it has one.
 */
const fenceSubmissions = (
  { books, keys, writes }: Deps,
  purpose: EvmPayment["purpose"],
  { attempt, id, merchant_id, resource_id }: Fenced
): Effect.Effect<number | null, ProviderFault> =>
  books.amend([keys.payment(id)], ([row]) => {
    const { fenced, nonce } = readData<EvmPayment>(row) ?? { fenced: -1, nonce: null }
    if (nonce !== null || (attempt !== undefined && fenced >= attempt)) return { entries: [], result: nonce }
    const next: EvmPayment = { purpose, merchant_id, resource_id, nonce: null, fenced: attempt ?? fenced + 1 }
    return { entries: [writes.payment(id, next)], result: null }
  })

/** Rejects a payout, unless an earlier submission of it has a nonce: then its result is returned. */
const rejectPayout = Effect.fnUntraced(function* (deps: Deps, command: PayoutCommand, reason: string) {
  const nonce = yield* fenceSubmissions(deps, "payout", command)
  return nonce === null ? toRejection(reason) : yield* findSubmission(deps, command.id, nonce)
})

const submitPayout = Effect.fnUntraced(function* (
  deps: Deps,
  command: PayoutCommand
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const { config, keys, writes } = deps
  const { attempt, id, merchant_id, resource_id } = command
  const what = resolvePayment(config, command)
  if (typeof what === "string") return yield* rejectPayout(deps, command, what)
  const recipient = resolveRecipient(deps, command)
  if (typeof recipient === "string") return yield* rejectPayout(deps, command, recipient)
  return yield* broadcastDraft(
    deps,
    makePaymentDraft(deps, "payout", id, what, recipient.to),
    [keys.payment(id)],
    ([row]) => {
      const payment = readData<EvmPayment>(row)
      if (payment !== undefined && payment.nonce !== null) return { _tag: "stop", result: { nonce: payment.nonce } }
      const fenced = payment?.fenced ?? -1
      if (attempt <= fenced) return { _tag: "stop", result: unavailable }
      return {
        _tag: "go",
        entries: (nonce) => [writes.payment(id, { purpose: "payout", merchant_id, resource_id, nonce, fenced })]
      }
    },
    (reason) => rejectPayout(deps, command, reason)
  )
})

/** Reads the status of a command. Before it returns `absent`, it fences the earlier submissions: they can no longer sign. */
const fenceAbsent = Effect.fnUntraced(function* (
  deps: Deps,
  purpose: EvmPayment["purpose"],
  command: Fenced
): Effect.fn.Return<CommandStatus, ProviderFault> {
  const status = yield* readCommandStatus(deps, command.id, yield* readPayment(deps, command.id))
  if (status._tag !== "absent" || (yield* fenceSubmissions(deps, purpose, command)) === null) return status
  return yield* readCommandStatus(deps, command.id, yield* readPayment(deps, command.id))
})

const lookUpPayout = (deps: Deps, command: PayoutCommand): Effect.Effect<CommandStatus, ProviderFault> =>
  fenceAbsent(deps, "payout", command)

/** Finds the result of earlier submissions of a refund. */
const findRefundResult = Effect.fnUntraced(function* (
  deps: Deps,
  command_id: string
): Effect.fn.Return<SubmissionResult | Unsigned, ProviderFault> {
  const [entry] = yield* deps.books.get([deps.keys.payment(command_id)])
  const payment = readData<EvmPayment>(entry)
  if (payment?.rejected !== undefined) return toRejection(payment.rejected)
  const { nonce = null } = payment ?? {}
  return nonce === null ? { _tag: "unsigned", entry } : yield* findSubmission(deps, command_id, nonce)
})

/** Rejects a refund that will never be made, unless another submission of it is under way. */
const rejectRefund = Effect.fnUntraced(function* (deps: Deps, command: RefundCommand, reason: string) {
  const { books, keys, writes } = deps
  const { id, merchant_id, resource_id } = command
  const nonce = yield* books.amend([keys.payment(id)], ([row]) => {
    const { fenced, nonce } = readData<EvmPayment>(row) ?? { fenced: -1, nonce: null }
    if (nonce !== null) return { entries: [], result: nonce }
    const ended: EvmPayment = { purpose: "refund", merchant_id, resource_id, nonce, fenced, rejected: reason }
    return { entries: [writes.payment(id, ended)], result: null }
  })
  return nonce === null ? toRejection(reason) : yield* findSubmission(deps, id, nonce)
})

const makeRefundingChain = (deps: Deps): RefundingChain<TokenContract> => {
  const { books, config, keys, recipients, writes } = deps
  return {
    network: config.network,
    recipients,
    tokens: config.tokens,
    books,
    readPayin: (payin_id) => Effect.map(books.get([keys.payin(payin_id)]), ([row]) => row),
    payinKey: keys.payin,
    commandKey: keys.payment,
    payinOf: (row) => {
      const payin = readData<EvmPayin>(row)!
      const payer = payin.from === zeroAddress ? null : payin.from
      // The token of a pay-in is its contract, whatever currency that has in the configuration by now.
      return {
        ...payin,
        currency: config.tokens.find(({ address }) => address === payin.token)?.currency ?? payin.token,
        payer,
        refunds: payin.refunds ?? {}
      }
    },
    withRefunds: (row, refunds) => writes.payin({ ...readData<EvmPayin>(row)!, ...refunds }),
    endOf: Effect.fnUntraced(function* ({ data, id }) {
      const { nonce, rejected: reason } = data as EvmPayment
      if (reason !== undefined) return failWithoutPaying(reason)
      if (nonce === null) return "unsigned" as const
      const slot = yield* books.read<Slot>(keys.slot(nonce))
      // The nonce of another hot wallet is no end.
      if (slot === undefined || keys.payment(slot.work_id).id !== id) return "signed" as const
      return toMovementOutcome(config, yield* settleIfFinal(deps, slot)) ?? ("signed" as const)
    }),
    submitted: (command_id) => findRefundResult(deps, command_id),
    pay: (command, what, payer, unsigned) => {
      const { entry } = unsigned
      const { keys, writes } = deps
      const { id, merchant_id, resource_id } = command
      return broadcastDraft(
        deps,
        makePaymentDraft(deps, "refund", id, what, payer as Hex),
        [keys.payment(id)],
        ([row]) => {
          const { fenced = -1, nonce: taken = null } = readData<EvmPayment>(row) ?? {}
          if (taken !== null) return { _tag: "stop", result: { nonce: taken } }
          if (row?.version !== entry?.version) return { _tag: "stop", result: unavailable }
          return {
            _tag: "go",
            entries: (nonce) => [writes.payment(id, { purpose: "refund", merchant_id, resource_id, nonce, fenced })]
          }
        },
        (reason) => rejectRefund(deps, command, reason)
      )
    },
    reject: (command, reason) => rejectRefund(deps, command, reason)
  }
}

const submitRefund = (deps: Deps, command: RefundCommand): Effect.Effect<SubmissionResult, ProviderFault> =>
  refundOf(makeRefundingChain(deps), command)

const lookUpRefund = (
  deps: Deps,
  { id, merchant_id, resource_id }: RefundCommand
): Effect.Effect<CommandStatus, ProviderFault> => fenceAbsent(deps, "refund", { id, merchant_id, resource_id })

export const makePayments = (context: EvmContext, slots: Slots, given: Settlement) => {
  const deps = makeDeps(context, slots, given)

  return bindFirst(deps, {
    submit: submitPayout,
    lookup: lookUpPayout,
    refund: submitRefund,
    lookupRefund: lookUpRefund
  })
}
