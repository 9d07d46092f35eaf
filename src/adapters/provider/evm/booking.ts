/**
 * Books what final blocks moved: deposits are confirmed, what left the addresses is taken from them, and what the hot wallet got and paid
 * becomes lines, no matter who had it made. It changes together with the feed.
 */
import { readData } from "../chain/books.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Effect } from "effect"
import type { Hex } from "viem"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import {
  type EvmAddress,
  addToSum,
  type Feed,
  type Outflow,
  type EvmPayin,
  type Replaced,
  type EvmReport,
  type Slot
} from "./entries.ts"
import { makeListing } from "./listing.ts"
import { makePayins, describeLogPlace, countReport, toNonceId } from "./payins.ts"
import { makeReopening } from "./reopening.ts"
import type { EvmContext } from "./slots.ts"
import { countLines, numberId, toWalletLine } from "./statements.ts"
import type { FinalTransfer, Moves } from "./transfers.ts"

/** Moves that one decision books, of each kind: a feed that was away for long has many. */
const atOnce = 200

type IsReplacing = (feed: Row | undefined) => boolean

const isSameReplacement = (a: Replaced | undefined, b: Replaced): boolean =>
  a !== undefined && a.after === b.after && a.last === b.last && a.hash === b.hash

/** How a feed changes; undefined: it is another one than was read. */
type Change = (current: Feed) => Feed | undefined

/**
 * Applies `use` to each listed id until the list is empty, or no longer gets shorter. It lists again because a list is read by
 * pages, and another node may process the same ids.
 */
const drainList = Effect.fnUntraced(function* (
  list: Effect.Effect<ReadonlySet<string>, ProviderFault>,
  use: (id: string) => Effect.Effect<void, ProviderFault>
) {
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    const ids = yield* list
    // What cannot be taken back stays listed.
    if (ids.size === 0 || ids.size >= before) return
    before = ids.size
    yield* Effect.forEach(ids, use, { discard: true })
  }
})

const makeDeps = (context: EvmContext) => {
  const { books, chain, config, entries, wallet } = context
  const { keys, writes } = entries
  const { confirmedAfter, leftAfter } = makeListing(context)
  const { reopen } = makeReopening(context)
  const { payinOf, reportOf } = makePayins(config)
  return { books, chain, config, wallet, keys, writes, confirmedAfter, leftAfter, payinOf, reopen, reportOf }
}
type Deps = ReturnType<typeof makeDeps>

/** Finds the nonce of the hot wallet that made this transfer, and its slot: the adapter signed it, or a person made the same payment with it. */
const findTransferSlot = Effect.fnUntraced(function* (
  { books, chain, config, keys, wallet }: Deps,
  { from, to, token, transaction_hash }: FinalTransfer
): Effect.fn.Return<{ readonly nonce?: number; readonly slot?: Slot }, ProviderFault> {
  if (from !== wallet) return {}
  const sent = yield* chain.transaction(transaction_hash)
  if (sent === null || sent.from !== wallet) return {}
  const slot = yield* books.read<Slot>(keys.slot(sent.nonce))
  const isOfSlot = slot?.name === config.name && slot.transfer?.token === token && slot.transfer.to === to
  return { nonce: sent.nonce, ...(isOfSlot ? { slot } : {}) }
})

/** Makes a statement line for each transfer into or out of the hot wallet, and the keys of the entries that say whether it has one. */
const makeTransferLines = Effect.fnUntraced(function* (deps: Deps, through: ReadonlyArray<FinalTransfer>) {
  const { config, keys, wallet } = deps
  return yield* Effect.forEach(through, (one) =>
    Effect.map(findTransferSlot(deps, one), ({ nonce, slot }) => {
      const transfer_id = nonce === undefined ? one.payin_id : toNonceId(one.payin_id, nonce)
      return {
        nonce,
        // An earlier release gave each the id of its transaction.
        keys: [keys.transfer(transfer_id), keys.transfer(one.payin_id)],
        place: one,
        transfer_id,
        line: toWalletLine(config, one, one.to === wallet ? "credit" : "debit", one.at, describeLogPlace(one), slot)
      }
    })
  )
})
type Lines = Effect.Success<ReturnType<typeof makeTransferLines>>

/**
 * Books moves in one decision with the feed: confirms pay-ins, records outflows and statement lines, and updates the balances of
 * addresses. Undefined: `change` finds that the feed was changed meanwhile.
 */
const bookMovesAtOnce = (
  { keys, books, payinOf, writes, reportOf }: Deps,
  { found, left }: Moves,
  through: Lines,
  change: Change
) => {
  const payinKeys = found.map((one) => keys.payin(one.payin_id))
  const outflowKeys = left.map((one) => keys.outflow(one.payin_id))
  const owners = [...new Set([...found.map((one) => one.to), ...left.map((one) => one.from)])]
  const transferKeys = through.flatMap((one) => one.keys)
  return books.amend(
    [keys.feed, ...payinKeys, ...outflowKeys, ...owners.map(keys.address), ...transferKeys],
    ([feedRow, ...rows], now) => {
      const current = readData<Feed>(feedRow)
      const next = current === undefined ? undefined : change(current)
      if (next === undefined) return { entries: [], result: undefined }
      const changed = new Map<Hex, EvmAddress>()
      const add = (owner: Hex, token: Hex, by: bigint): void => {
        const place = payinKeys.length + outflowKeys.length + owners.indexOf(owner)
        const address = changed.get(owner) ?? readData<EvmAddress>(rows[place])
        if (address !== undefined) changed.set(owner, { ...address, unswept: addToSum(address.unswept, token, by) })
      }
      const reports: Array<Reported> = []
      const confirmed = found.flatMap((one, n) => {
        const known = readData<EvmPayin>(rows[n])
        if (known?.status === "confirmed") return []
        // Nothing arrived, and nothing will: it is no deposit.
        if (one.arrived === "0") {
          if (known?.status !== "detected" || known.credited) return []
          const failed = countReport(known, "failed")
          reports.push({ place: one, report: reportOf("failed", failed, now) })
          return [writes.payin(failed)]
        }
        const seen = payinOf(one, known, now)
        // The engine has credited it already, and the address has it in its books.
        if (known?.status === "detected" && known.credited)
          return [writes.payin({ ...seen, status: "confirmed", credited: false })]
        const payin = countReport(seen, "confirmed")
        reports.push({ place: one, report: reportOf("confirmed", payin, one.at, one) })
        add(one.to, one.token, BigInt(payin.amount))
        return [writes.payin(payin)]
      })
      const taken = left.flatMap(({ block, from, payin_id, token, value }, n) => {
        const known = readData<Outflow>(rows[payinKeys.length + n])
        if (known?.gone === false) return []
        add(from, token, -BigInt(value))
        return [writes.outflow({ outflow_id: payin_id, address: from, token, value, block, gone: false })]
      })
      // What was there before is in the opening balance.
      const { lined_after = next.final.number } = next
      const fresh = through.flatMap(({ nonce, place, transfer_id, ...one }, n) => {
        const first = rows.length - transferKeys.length + 2 * n
        const times = countLines(rows.slice(first, first + 2))
        if (times === undefined || place.block <= lined_after) return []
        const line = { ...one.line, id: numberId(one.line.id, times) }
        reports.push({ place, report: { event: null, lines: [line] } })
        return [
          writes.transfer({
            transfer_id,
            block: place.block,
            told: times,
            ...(nonce === undefined ? {} : { nonce, line })
          })
        ]
      })
      const inOrder = reports.toSorted((a, b) => a.place.block - b.place.block || a.place.index - b.place.index)
      return {
        entries: [
          ...writes.reports(
            next,
            inOrder.map(({ report }) => report)
          ),
          ...confirmed,
          ...taken,
          ...fresh,
          ...[...changed.values()].map(writes.address)
        ],
        result: { ...next, next: next.next + reports.length }
      }
    }
  )
}

/** A report, and where the chain has what it is of. */
interface Reported {
  readonly place: Pick<FinalTransfer, "block" | "index">
  readonly report: EvmReport
}

/** Adds a transfer out of an address back to its balance, because its block was replaced. */
const undoOutflow = Effect.fnUntraced(function* (
  { keys, books, writes }: Deps,
  outflow_id: string,
  isReplacing: IsReplacing
) {
  const key = keys.outflow(outflow_id)
  const known = yield* books.read<Outflow>(key)
  if (known === undefined) return
  yield* books.amend([keys.feed, key, keys.address(known.address)], ([feedRow, outflowRow, addressRow]) => {
    const [outflow, address] = [readData<Outflow>(outflowRow), readData<EvmAddress>(addressRow)]
    if (outflow === undefined || outflow.gone || address === undefined || !isReplacing(feedRow))
      return { entries: [], result: undefined }
    const unswept = addToSum(address.unswept, outflow.token, BigInt(outflow.value))
    return {
      entries: [writes.outflow({ ...outflow, gone: true, due: true }), writes.address({ ...address, unswept })],
      result: undefined
    }
  })
})

/**
 * Books the moves of final blocks, and advances the feed past them. Moves that are booked already do not change. Undefined:
 * `change` finds that the feed was changed meanwhile.
 */
const bookMoves = Effect.fnUntraced(function* (deps: Deps, { found, left, through }: Moves, change: Change) {
  const most = Math.max(found.length, left.length, through.length)
  let at = 0
  const part = Effect.fnUntraced(function* (changed: Change) {
    const of = <T>(all: ReadonlyArray<T>): ReadonlyArray<T> => all.slice(at, at + atOnce)
    const some: Moves = { found: of(found), left: of(left), through: of(through) }
    return yield* bookMovesAtOnce(deps, some, yield* makeTransferLines(deps, some.through), changed)
  })
  for (; at + atOnce < most; at += atOnce) {
    const kept = yield* part((current) =>
      change(current) === undefined ? undefined : { ...current, partial: current.partial ?? current.next }
    )
    if (kept === undefined) return undefined
  }
  return yield* part((current) => {
    const next = change(current)
    if (next === undefined) return undefined
    const { partial: _, ...complete } = next
    return complete
  })
})

/**
 * Reverses the outflows of replaced blocks, lets their pay-ins wait again, and opens the nonces again that they settled, if the feed still requires it: another node may
 * have done it. A deposit stays credited until it is gone for good.
 */
const unbookReplacedBlocks = Effect.fnUntraced(function* (deps: Deps, replaced: Replaced) {
  const { books, keys, writes, confirmedAfter, leftAfter, reopen } = deps
  const { after, last } = replaced
  const isReplacing: IsReplacing = (row) => isSameReplacement(readData<Feed>(row)?.replaced, replaced)
  const doubt = (payin_id: string) =>
    books.amend([keys.feed, keys.payin(payin_id)], ([feedRow, current], now) => {
      const payin = readData<EvmPayin>(current)
      if (payin?.status !== "confirmed" || !isReplacing(feedRow)) return { entries: [], result: undefined }
      const doubted: EvmPayin = { ...payin, status: "detected", credited: true, seen_at: now }
      return { entries: [writes.payin(doubted)], result: undefined }
    })
  yield* drainList(confirmedAfter(after, last), doubt)
  yield* drainList(leftAfter(after, last), (id) => undoOutflow(deps, id, isReplacing))
  yield* reopen(after, isReplacing)
  return yield* books.amend([keys.feed], ([row]) => {
    const feed = readData<Feed>(row)
    if (feed === undefined || !isReplacing(row)) return { entries: [], result: feed }
    const { replaced: _, ...done } = feed
    return { entries: writes.reports(done, []), result: done }
  })
})

export const makeBooking = (context: EvmContext) => {
  const deps = makeDeps(context)

  return bindFirst(deps, { book: bookMoves, unbook: unbookReplacedBlocks })
}
