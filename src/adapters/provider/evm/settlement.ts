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
import { Effect } from "effect"
import type { Hex } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { MovementOutcome, ProviderEvent, StatementLine } from "../../../engine/ports/Provider.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import type { EntryWrite } from "../books.ts"
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
  type EvmKey,
  type EvmWallet,
  type WalletTransfer
} from "./entries.ts"
import { makeListing } from "./listing.ts"
import { type Found, listReceiptTransfers, toNonceId } from "./payins.ts"
import type { EvmContext } from "./slots.ts"
import { countLines, numberId, toWalletLine } from "./statements.ts"
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

/**
 * What the outcome of a slot says of its payment. A payment that was told to have ended, and whose nonce another transaction has in the
 * chain that replaced its block, has failed: it is not made again.
 */
const readWord = ({ again, outcome }: Pick<Slot, "again" | "outcome">): SlotOutcome["result"] | undefined =>
  outcome?.result === "unused" && again !== undefined && again.told.result !== "unused" ? "reverted" : outcome?.result

/** The decimals of what a slot pays. Undefined: an earlier release did not record them, and its token is configured no more. */
const findDecimals = ({ tokens }: EvmConfig, { transfer }: Slot): number | undefined =>
  transfer === null ? 0 : (transfer.decimals ?? tokens.find(({ address }) => address === transfer.token)?.decimals)

/** Whether a slot's outcome can be told: an amount of an unknown token waits for its token. */
export const canTell = (config: EvmConfig, slot: Slot): boolean =>
  slot.outcome?.result !== "done" ||
  slot.outcome.paid === slot.transfer?.amount ||
  findDecimals(config, slot) !== undefined

/** The outcome of a payment, in the port's terms. Undefined: it was not made, and may be made again. */
export const toMovementOutcome = (config: EvmConfig, slot: Slot): MovementOutcome | undefined => {
  const { outcome, transfer } = slot
  if (outcome === null || readWord(slot) === "unused") return undefined
  const isPaid = outcome.result === "done"
  return {
    outcome: isPaid ? "success" : "failed",
    reason: isPaid
      ? null
      : outcome.result === "reverted"
        ? "the transaction reverted"
        : "its block was replaced, and another transaction used its nonce",
    transaction_hash: outcome.hash,
    ...(isPaid && outcome.paid !== transfer?.amount
      ? { amount: formatTokenAmount(BigInt(outcome.paid), findDecimals(config, slot)!) }
      : {}),
    fee: formatCoins(BigInt(outcome.fee)),
    fee_currency: config.native,
    provider_reference: outcome.hash
  }
}

const makeDeps = ({ books, chain, config, entries, wallet }: EvmContext) => {
  const { index, keys, writes } = entries
  const { listed } = makeListing({ books, entries })
  return { books, chain, config, wallet, index, keys, listed, writes }
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

/**
 * Makes the statement line of a transaction's gas, in the chain's own coin. The feed makes the lines of its tokens. Where the block of
 * another fee was replaced, a second line takes that back.
 */
const listGasLines = (
  { config }: Deps,
  { again, nonce, purpose, work_id }: Slot,
  outcome: SlotOutcome,
  at: number
): ReadonlyArray<StatementLine> => {
  if (again?.told.fee === outcome.fee) return []
  const times = (again?.times ?? 0) + 1
  const lineOf = ({ fee, hash }: SlotOutcome, direction: StatementLine["direction"], end: string) =>
    fee === "0"
      ? []
      : [
          {
            id: numberId(`${nonce}:${hash}:gas`, times) + end,
            booked_at: at,
            direction,
            amount: formatCoins(BigInt(fee)),
            currency: config.native,
            command_id: work_id,
            payin_id: null,
            provider_reference: hash,
            transaction_hash: hash,
            narration: purpose
          }
        ]
  return [...(again === undefined ? [] : lineOf(again.told, "credit", ":back")), ...lineOf(outcome, "debit", "")]
}

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
 * entries of payments that have a line, two of each.
 */
const findUnlistedTransfers = (
  { config, writes }: Deps,
  slot: Slot,
  paid: ReturnType<typeof listWalletTransfers>,
  known: ReadonlyArray<Row | undefined>,
  feed: Feed | undefined,
  at: number
) => {
  const isOfSlot = (one: (typeof paid)[number]): boolean =>
    one.token === slot.transfer?.token && one.to === slot.transfer.to
  return paid.flatMap((one, n) => {
    const times = countLines(known.slice(2 * n, 2 * n + 2))
    if (times === undefined || feed === undefined || one.block > feed.final.number) return []
    const { block, payin_id } = one
    const made = toWalletLine(config, one, "debit", at, `block ${block}`, isOfSlot(one) ? slot : undefined)
    const line = { ...made, id: numberId(made.id, times) }
    const { nonce } = slot
    return [
      { line, entry: writes.transfer({ transfer_id: toNonceId(payin_id, nonce), block, told: times, nonce, line }) }
    ]
  })
}

/** Makes the lines that take back what a nonce had paid in a block that was replaced, and does not pay in the one that settles it. */
const takeBackTransfers = (
  { writes }: Deps,
  { nonce }: Slot,
  { hash, receipt }: Used,
  earlier: ReadonlyArray<Row | undefined>,
  at: number
) => {
  const paid = new Set(listReceiptTransfers(hash, receipt).map(({ payin_id }) => toNonceId(payin_id, nonce)))
  return earlier.flatMap((row) => {
    const known = readData<WalletTransfer>(row)
    if (known?.line === undefined || known.gone || paid.has(known.transfer_id)) return []
    const { block } = receipt
    const line: StatementLine = {
      ...known.line,
      id: `${known.line.id}:back`,
      booked_at: at,
      block: String(block),
      direction: known.line.direction === "debit" ? "credit" : "debit",
      narration: `its block was replaced, block ${block}`
    }
    return [{ line, entry: writes.transfer({ ...known, block, gone: true }) }]
  })
}

/**
 * What the end of a slot says of its payment: the event for the engine, if it is news, and what changes in the books. `later`: the slot of
 * a later nonce that has the payment, because this one was unused in blocks that were replaced.
 */
const endPayment = (
  { config, writes }: Deps,
  slot: Slot,
  payment: EvmPayment | undefined,
  later: Slot | undefined
): { readonly event: ProviderEvent | null; readonly entries: ReadonlyArray<EntryWrite<EvmKey>> } => {
  const { again, nonce, outcome, work_id } = slot
  if (payment === undefined || outcome === null) return { event: null, entries: [] }
  const isOwn = payment.nonce === nonce
  const isDone = outcome.result === "done"
  const isTakenOver = isDone && later !== undefined && later.outcome === null
  const { rejected: _, ...open } = payment
  const movement = toMovementOutcome(config, slot)
  const reported = isTakenOver && later.again !== undefined ? later.again.told : again?.told
  const isNews = reported === undefined || reported.result !== readWord(slot) || reported.paid !== outcome.paid
  const event =
    movement === undefined || !isNews || !(isOwn || isDone)
      ? null
      : paymentEvent(
          { ...payment, command_id: work_id },
          numberId(`${work_id}:${nonce}`, (again?.times ?? 0) + 1),
          movement
        )
  const waits_for = later?.waits_for?.filter((one) => one !== nonce) ?? []
  return {
    event,
    entries: [
      ...(isOwn && movement === undefined ? [writes.payment(work_id, { ...payment, nonce: null })] : []),
      ...(isTakenOver || (isDone && payment.nonce === null) ? [writes.payment(work_id, { ...open, nonce })] : []),
      ...(later?.waits_for?.includes(nonce) === true
        ? [writes.slot({ ...later, waits_for, ...(isTakenOver ? { is_void: true as const } : {}) })]
        : [])
    ]
  }
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

/** Adds a settled refund to what its pay-in has refunded, where an earlier build has signed it: one that did not happen may be made again. */
const addRefund = (payin: EvmPayin, { again, outcome, transfer }: Slot): EvmPayin => {
  const amount = BigInt(transfer?.amount ?? "0")
  const before = again === undefined || again.told.result === "done" ? amount : 0n
  const after = outcome?.result === "done" ? amount : 0n
  return { ...payin, refunded: (BigInt(payin.refunded ?? "0") + after - before).toString() }
}

/** Settles a slot if a final transaction has used its nonce. Returns the slot, settled or unchanged. */
const settleSlot = Effect.fnUntraced(function* (
  deps: Deps,
  slot: Slot,
  view: View
): Effect.fn.Return<Slot, ProviderFault> {
  const { books, index, keys, listed, writes } = deps
  if (slot.outcome !== null) return slot
  const found = yield* findNonceUse(deps, slot, view)
  if (found === undefined) return slot
  const outcome = decideSlotOutcome(slot, found.hash, found.receipt)
  if (!canTell(deps.config, { ...slot, outcome })) return slot
  const paymentKey = keys.payment(slot.work_id)
  const { payin_id = null, nonce: taken = null } = (yield* books.read<EvmPayment>(paymentKey)) ?? {}
  const payinKeys = payin_id === null ? [] : [keys.payin(payin_id)]
  const laterKeys = taken === null || taken === slot.nonce ? [] : [keys.slot(taken)]
  const owners = slot.sweep?.addresses ?? []
  const left = listSweptTransfers(deps, slot, found)
  const paid = listWalletTransfers(deps, found)
  const earlier = slot.again === undefined ? [] : yield* listed("evm_transfer", index.ofNonce(slot.nonce))
  return yield* books.amend(
    [
      ...[keys.slot(slot.nonce), keys.wallet, keys.feed, paymentKey],
      ...payinKeys,
      ...laterKeys,
      ...owners.map(keys.address),
      ...left.map((one) => keys.outflow(one.payin_id)),
      ...paid.flatMap(({ payin_id }) => [keys.transfer(toNonceId(payin_id, slot.nonce)), keys.transfer(payin_id)]),
      ...earlier.map(({ data }) => keys.transfer((data as WalletTransfer).transfer_id))
    ],
    ([slotRow, walletRow, feedRow, ownRow, ...rest], now) => {
      const kept = readData<Slot>(slotRow) ?? slot
      const held = readData<EvmWallet>(walletRow) ?? newWallet
      const payment = readData<EvmPayment>(ownRow)
      // It was opened again, or its work has got another nonce, meanwhile.
      const isOther = kept.again?.times !== slot.again?.times || (payment?.nonce ?? null) !== taken
      if (kept.outcome !== null || isOther) return { entries: [], result: kept }
      const ended: Slot = { ...kept, outcome }
      const { transfer } = slot
      const next = (count: number) => rest.splice(0, count)
      const payin = readData<EvmPayin>(next(payinKeys.length)[0])
      const later = readData<Slot>(next(laterKeys.length)[0])
      const feed = readData<Feed>(feedRow)
      const swept = new Map(
        next(owners.length).flatMap((row) => {
          const address = readData<EvmAddress>(row)
          return address === undefined ? [] : [[address.address, address] as const]
        })
      )
      const outflows = makeOutflowEntries(deps, left, feed, next(left.length), swept)
      const missed = findUnlistedTransfers(deps, slot, paid, next(2 * paid.length), feed, now)
      const lines = [...takeBackTransfers(deps, slot, found, rest, now), ...missed]
      const { entries, event } = endPayment(deps, ended, payment, later?.work_id === slot.work_id ? later : undefined)
      const gas = listGasLines(deps, ended, outcome, now)
      const report: EvmReport = { event, lines: [...lines.map(({ line }) => line), ...gas] }
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
          ...entries,
          ...(payin === undefined ? [] : [writes.payin(addRefund(payin, ended))]),
          ...outflows.entries,
          ...lines.map(({ entry }) => entry),
          ...makeSweptAddressEntries(deps, slot, found.receipt, swept, outflows.without, now)
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
