/**
 * Settles nonces by rule. A nonce is settled when a final transaction has used it, and by that transaction alone:
 *
 * - The hash is one of ours, or another with the same effect: what it moved to the recipient is what was paid.
 * - It is ours and moved nothing: it reverted.
 * - It is another, or our cancellation, and moved nothing to the recipient: the work was not done and never will be, under this
 *   nonce. The command is then `absent`.
 *
 * No answer for a hash says nothing: a transaction that was replaced or reorganised away reads the same as one that waits.
 */
import { readData } from "../chain/books.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Effect } from "effect"
import type { Hex } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { MovementOutcome, ProviderEvent, StatementLine } from "../../../engine/ports/Provider.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import { paymentEvent } from "../chain/reports.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import type { Receipt, View } from "./chain.ts"
import { formatCoins, type EvmConfig } from "./config.ts"
import {
  type EvmAddress,
  type Feed,
  newWallet,
  type Outflow,
  type EvmPayin,
  type EvmPayment,
  type EvmReport,
  type Slot,
  type SlotOutcome,
  addToSum,
  type EvmWallet
} from "./entries.ts"
import { type Found, listReceiptTransfers } from "./payins.ts"
import type { EvmContext } from "./slots.ts"
import { toWalletLine } from "./statements.ts"
import type { Left } from "./transfers.ts"

/** The delay before a sweep that moved nothing is tried again, doubled each time. */
const sweepRetryMs = 600_000

/** The final transaction that used a nonce. */
interface Used {
  readonly hash: Hex
  readonly receipt: Receipt
}

/** Sums what a transaction paid to the recipient of a slot, from its receipt. */
const sumPaidUnits = ({ isSuccess, transfers }: Receipt, { transfer, wallet }: Slot): bigint => {
  if (!isSuccess || transfer === null) return 0n
  return transfers
    .filter((one) => one.token === transfer.token && one.from === wallet && one.to === transfer.to)
    .reduce((sum, { value }) => sum + BigInt(value), 0n)
}

/** Decides the outcome of a nonce from the final transaction that used it. The rule is at the top of this file. */
export const decideSlotOutcome = (slot: Slot, hash: Hex, receipt: Receipt): SlotOutcome => {
  const attempt = slot.attempts.find((one) => one.hash === hash)
  const paid = sumPaidUnits(receipt, slot)
  const isOurs = attempt?.kind === "call"
  const isDone = slot.transfer === null ? isOurs && receipt.isSuccess : paid > 0n
  return {
    result: isDone ? "done" : isOurs ? "reverted" : "unused",
    hash,
    block: receipt.block,
    paid: paid.toString(),
    fee: receipt.fee
  }
}

/** The outcome of a payment, in the port's terms. Undefined: it was not made, and may be made again. */
export const toMovementOutcome = (config: EvmConfig, { outcome, transfer }: Slot): MovementOutcome | undefined => {
  if (outcome === null || outcome.result === "unused") return undefined
  const decimals = config.tokens.find(({ address }) => address === transfer?.token)?.decimals ?? 0
  const isPaid = outcome.result === "done"
  return {
    outcome: isPaid ? "success" : "failed",
    reason: isPaid ? null : "the transaction reverted",
    transaction_hash: outcome.hash,
    ...(isPaid && outcome.paid !== transfer?.amount
      ? { amount: formatTokenAmount(BigInt(outcome.paid), decimals) }
      : {}),
    fee: formatCoins(BigInt(outcome.fee)),
    fee_currency: config.native,
    provider_reference: outcome.hash
  }
}

const makeDeps = ({ books, chain, config, entries, wallet }: EvmContext) => {
  const { keys, writes } = entries
  return { books, chain, config, wallet, keys, writes }
}
type Deps = ReturnType<typeof makeDeps>

/** Finds the final transaction that used a slot's nonce. Undefined: none has. */
const findNonceUse = Effect.fnUntraced(function* ({ chain, wallet }: Deps, slot: Slot, { final }: View) {
  if ((yield* chain.count(wallet, final.number)) <= slot.nonce) return undefined
  for (const { hash } of slot.attempts.toReversed()) {
    const receipt = yield* chain.receipt(hash)
    if (receipt !== null && receipt.block <= final.number) return { hash, receipt }
  }
  const hash = yield* chain.userOf(wallet, slot.nonce, slot.from_block, final.number)
  const receipt = yield* chain.receipt(hash)
  if (receipt !== null && receipt.block <= final.number) return { hash, receipt }
  return yield* new ProviderFault({ message: `the nodes have no receipt of ${hash}, which used nonce ${slot.nonce}` })
})

/** Makes the statement line of a transaction's gas, in the chain's own coin. The feed makes the lines of its tokens. */
const listGasLines = ({ config }: Deps, slot: Slot, outcome: SlotOutcome, at: number): ReadonlyArray<StatementLine> =>
  outcome.fee === "0"
    ? []
    : [
        {
          id: `${slot.nonce}:${outcome.hash}:gas`,
          booked_at: at,
          direction: "debit",
          amount: formatCoins(BigInt(outcome.fee)),
          currency: config.native,
          command_id: slot.work_id,
          payin_id: null,
          provider_reference: outcome.hash,
          transaction_hash: outcome.hash,
          narration: slot.purpose
        }
      ]

/** Lists the token transfers out of the hot wallet, from the receipt of a transaction. */
const listWalletTransfers = ({ config, wallet }: Deps, { hash, receipt }: Used) =>
  receipt.isSuccess
    ? listReceiptTransfers(hash, receipt).filter(
        ({ from, to, token, value }) =>
          from === wallet && to !== wallet && value !== "0" && config.tokens.some(({ address }) => address === token)
      )
    : []

/**
 * Makes the statement lines of payments in blocks that the feed has already read, but whose logs its node left out. `known`: the
 * entries of payments that have a line.
 */
const findUnlistedTransfers = (
  { config, writes }: Deps,
  slot: Slot,
  paid: ReturnType<typeof listWalletTransfers>,
  known: ReadonlyArray<Row | undefined>,
  feed: Feed | undefined,
  at: number
) => {
  const missed = paid.filter(
    ({ block }, n) => feed !== undefined && block <= feed.final.number && known[n] === undefined
  )
  const isOfSlot = (one: (typeof paid)[number]): boolean =>
    one.token === slot.transfer?.token && one.to === slot.transfer.to
  return {
    lines: missed.map((one) =>
      toWalletLine(config, one, "debit", at, `block ${one.block}`, isOfSlot(one) ? slot : undefined)
    ),
    entries: missed.map(({ block, payin_id }) => writes.transfer({ transfer_id: payin_id, block }))
  }
}

/** Makes the event that reports the outcome of a settled slot's payment. Null: there is no payment, or no outcome to report. */
const makeSettlementEvent = ({ config }: Deps, slot: Slot, payment: EvmPayment | undefined): ProviderEvent | null => {
  const movement = toMovementOutcome(config, slot)
  if (payment === undefined || movement === undefined) return null
  return paymentEvent({ ...payment, command_id: slot.work_id }, `${slot.work_id}:${slot.nonce}`, movement)
}

/** Lists the token transfers out of deposit addresses, from the receipt of a sweep. */
const listSweptTransfers = (
  { config }: Deps,
  slot: Slot,
  { hash, receipt }: Used
): ReadonlyArray<Left & Pick<Found, "to">> =>
  listReceiptTransfers(hash, receipt).filter(
    ({ from, token }) =>
      slot.sweep?.addresses.includes(from) === true && config.tokens.some(({ address }) => address === token)
  )

/**
 * Makes the entries of a sweep's transfers. In blocks that the feed has read, a transfer lowers the balance of its address at
 * once. In later blocks it stays `due`, because stored balances are those at the feed's block.
 */
const makeOutflowEntries = (
  deps: Deps,
  left: ReturnType<typeof listSweptTransfers>,
  feed: Feed | undefined,
  outflows: ReadonlyArray<Row | undefined>,
  addresses: ReadonlyMap<Hex, EvmAddress>
) => {
  const { writes } = deps
  const fresh = left.flatMap(({ block, from, payin_id, to, token, value }, n) => {
    const known = readData<Outflow>(outflows[n])
    const isKnown = known !== undefined && (!known.gone || known.due === true)
    if (isKnown || addresses.get(from)?.destination !== to) return []
    const about = { outflow_id: payin_id, address: from, token, value, block }
    const isPassed = feed !== undefined && block <= feed.final.number
    return [{ ...about, ...(isPassed ? { gone: false } : { gone: true, due: true as const }) } satisfies Outflow]
  })
  const without = (address: EvmAddress): EvmAddress["unswept"] =>
    fresh
      .filter((one) => one.address === address.address && !one.gone)
      .reduce((unswept, { token, value }) => addToSum(unswept, token, -BigInt(value)), address.unswept)
  return { entries: fresh.map(writes.outflow), without }
}

/** Makes the entries of a sweep's addresses after it. The transfer logs say how much each address gave. */
const makeSweptAddressEntries = (
  { writes, wallet }: Deps,
  slot: Slot,
  receipt: Receipt,
  swept: ReadonlyMap<Hex, EvmAddress>,
  without: (address: EvmAddress) => EvmAddress["unswept"],
  now: number
) =>
  [...swept.values()].flatMap((address) => {
    const token = slot.sweep?.token
    const unswept = without(address)
    if (token === undefined || address.sweeping !== slot.nonce)
      return unswept === address.unswept ? [] : writes.address({ ...address, unswept })
    const brought = receipt.isSuccess
      ? receipt.transfers
          .filter((one) => one.token === token && one.from === address.address && one.to === wallet)
          .reduce((sum, { value }) => sum + BigInt(value), 0n)
      : 0n
    const failures = brought > 0n ? 0 : address.failures + 1
    return writes.address({
      ...address,
      unswept,
      sweeping: null,
      swept_at: receipt.block,
      failures,
      sweep_after: failures === 0 ? 0 : now + sweepRetryMs * 2 ** Math.min(failures - 1, 10)
    })
  })

/** Settles a slot if a final transaction has used its nonce. Returns the slot, settled or unchanged. */
const settleSlot = Effect.fnUntraced(function* (
  deps: Deps,
  slot: Slot,
  view: View
): Effect.fn.Return<Slot, ProviderFault> {
  const { keys, books, writes } = deps
  if (slot.outcome !== null) return slot
  const found = yield* findNonceUse(deps, slot, view)
  if (found === undefined) return slot
  const outcome = decideSlotOutcome(slot, found.hash, found.receipt)
  const paymentKey = keys.payment(slot.work_id)
  const payin_id = (yield* books.read<EvmPayment>(paymentKey))?.payin_id ?? null
  const payinKeys = payin_id === null ? [] : [keys.payin(payin_id)]
  const owners = slot.sweep?.addresses ?? []
  const left = listSweptTransfers(deps, slot, found)
  const paid = listWalletTransfers(deps, found)
  yield* Clock.currentTimeMillis
  return yield* books.amend(
    [
      keys.slot(slot.nonce),
      keys.wallet,
      keys.feed,
      paymentKey,
      ...payinKeys,
      ...owners.map(keys.address),
      ...left.map((one) => keys.outflow(one.payin_id)),
      ...paid.map((one) => keys.transfer(one.payin_id))
    ],
    ([slotRow, walletRow, feedRow, ownRow, ...rest], now) => {
      const kept = readData<Slot>(slotRow) ?? slot
      if (kept.outcome !== null) return { entries: [], result: kept }
      const ended: Slot = { ...kept, outcome }
      const held = readData<EvmWallet>(walletRow) ?? newWallet
      const { transfer } = slot
      const payment = readData<EvmPayment>(ownRow)
      const payin = payinKeys.length === 0 ? undefined : readData<EvmPayin>(rest[0])
      const others = rest.slice(payinKeys.length)
      const event = makeSettlementEvent(deps, ended, payment)
      const feed = readData<Feed>(feedRow)
      const missed = findUnlistedTransfers(deps, slot, paid, others.slice(others.length - paid.length), feed, now)
      const report: EvmReport = { event, lines: [...missed.lines, ...listGasLines(deps, slot, outcome, now)] }
      const swept = new Map(
        owners.flatMap((owner, n) => {
          const address = readData<EvmAddress>(others[n])
          return address === undefined ? [] : [[owner, address] as const]
        })
      )
      const taken = makeOutflowEntries(
        deps,
        left,
        feed,
        others.slice(owners.length, owners.length + left.length),
        swept
      )
      return {
        entries: [
          writes.slot(ended),
          writes.wallet({
            ...held,
            open: held.open - 1,
            settled_at: Math.max(held.settled_at, view.final.number),
            committed:
              transfer === null ? held.committed : addToSum(held.committed, transfer.token, -BigInt(transfer.amount))
          }),
          ...(feed === undefined ? [] : writes.reports(feed, [report])),
          ...(payment !== undefined && outcome.result === "unused"
            ? [writes.payment(slot.work_id, { ...payment, nonce: null })]
            : []),
          // A pay-in of which a refund that an earlier build has signed did not happen: it may be made again.
          ...(payin === undefined || outcome.result === "done"
            ? []
            : [
                writes.payin({
                  ...payin,
                  refunded: (BigInt(payin.refunded ?? "0") - BigInt(slot.transfer?.amount ?? "0")).toString()
                })
              ]),
          ...taken.entries,
          ...missed.entries,
          ...makeSweptAddressEntries(deps, slot, found.receipt, swept, taken.without, now)
        ],
        result: ended
      }
    }
  )
})

export const makeSettlement = (given: EvmContext) => {
  const deps = makeDeps(given)

  return bindFirst(deps, { settle: settleSlot })
}

export type Settlement = ReturnType<typeof makeSettlement>
