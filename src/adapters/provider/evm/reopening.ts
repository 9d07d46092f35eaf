/**
 * Opens again what was settled in final blocks that are no longer in the chain. Law: what the new chain says of a nonce in the end is what
 * the engine knows, as if there had been no other chain, and no payment is made twice:
 *
 * - A payment that was told to have succeeded is sent again, with the same nonce.
 * - One that was told to have failed, or to be absent, is cancelled. Its bytes may be mined again before: then it has succeeded.
 * - Where an absent one was paid with a later nonce, that one waits until the earlier nonce is settled, and is cancelled if that one paid.
 */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import { readData } from "../chain/books.ts"
import { addToSum, type EvmPayment, type EvmWallet, newWallet, type Slot, type SlotOutcome } from "./entries.ts"
import type { EvmContext } from "./slots.ts"

/** Nonces that are read at once. */
const pageSize = 100

/** What the engine was told of a nonce. A payment that had failed, or succeeded, and whose nonce another transaction used then, has failed. */
const readTold = ({ again }: Slot, outcome: SlotOutcome): SlotOutcome =>
  outcome.result === "unused" && again !== undefined && again.told.result !== "unused"
    ? { ...outcome, result: "reverted" }
    : outcome

/** Makes `reopen`: it opens the slots again that were settled in blocks after one, if `isDue` still says so of the feed's row. */
export const makeReopening = ({ books, config, entries }: Pick<EvmContext, "books" | "config" | "entries">) => {
  const { keys, writes } = entries

  /** Opens one slot again. Its payment names it again, unless a later nonce has the payment: that one waits for it. */
  const reopenSlot = Effect.fnUntraced(function* (
    one: Slot,
    after: number,
    isDue: (feed: Row | undefined) => boolean
  ): Effect.fn.Return<boolean, ProviderFault> {
    const { nonce, work_id } = one
    const paymentKey = keys.payment(work_id)
    const taken = (yield* books.read<EvmPayment>(paymentKey))?.nonce ?? nonce
    const isOther = yield* books.amend(
      [keys.feed, keys.slot(nonce), keys.wallet, paymentKey, ...(taken === nonce ? [] : [keys.slot(taken)])],
      ([feed, row, walletRow, paymentRow, laterRow], now) => {
        const slot = readData<Slot>(row)
        if (!slot?.outcome || slot.outcome.block <= after || !isDue(feed)) return { entries: [], result: false }
        const reported = readTold(slot, slot.outcome)
        const { transfer } = slot
        const held = readData<EvmWallet>(walletRow) ?? newWallet
        const payment = readData<EvmPayment>(paymentRow)
        if ((payment?.nonce ?? nonce) !== taken) return { entries: [], result: true }
        const later = readData<Slot>(laterRow)
        const isFree = payment !== undefined && payment.nonce === null && payment.rejected === undefined
        return {
          entries: [
            writes.slot({
              ...slot,
              outcome: null,
              from_block: Math.min(slot.from_block, after),
              again: { told: reported, at: now, times: (slot.again?.times ?? 0) + 1 }
            }),
            writes.wallet({
              ...held,
              open: held.open + 1,
              committed:
                transfer === null ? held.committed : addToSum(held.committed, transfer.token, BigInt(transfer.amount))
            }),
            ...(isFree ? [writes.payment(work_id, { ...payment, nonce })] : []),
            ...(later?.work_id === work_id
              ? [writes.slot({ ...later, waits_for: [...new Set([...(later.waits_for ?? []), nonce])] })]
              : [])
          ],
          result: false
        }
      }
    )
    return isOther && (yield* reopenSlot(one, after, isDue))
  })

  return {
    reopen: Effect.fnUntraced(function* (
      after: number,
      isDue: (feed: Row | undefined) => boolean
    ): Effect.fn.Return<void, ProviderFault> {
      let top = (yield* books.read<EvmWallet>(keys.wallet))?.next_nonce ?? 0
      for (let isPassed = false; top > 0 && !isPassed; top -= pageSize) {
        const first = Math.max(0, top - pageSize)
        const rows = yield* books.get(Array.from({ length: top - first }, (_, n) => keys.slot(first + n)))
        const slots = rows.map(({ data }) => data as Slot)
        // Nonces are used in their order.
        isPassed = slots.some(({ outcome }) => outcome !== null && outcome.block <= after)
        const replaced = slots.filter(
          ({ name, outcome }) => name === config.name && outcome !== null && outcome.block > after
        )
        yield* Effect.forEach(replaced, (slot) => reopenSlot(slot, after, isDue), { discard: true })
      }
    })
  }
}
