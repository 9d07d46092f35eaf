/**
 * Looks for deposits in blocks that the feed has passed: because an operator asks for it, or because an address holds more than
 * its deposits. Such a reading goes further back each time, as nobody knows where the deposit is that is missing.
 */
import { readData } from "../chain/books.ts"
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import { toChecksumAddress } from "./config.ts"
import { type Again, type BalanceDifference, type Doubt, type Feed, type BlockMark } from "./entries.ts"
import type { EvmContext } from "./slots.ts"

/** By how much further back each reading goes, and how far at most: an operator's can go further. */
const factor = 4
const backMax = 100_000

/** After a reading that went as far back as it may, the next one begins. */
const restMs = 3_600_000

/** Plans another reading of the final blocks from a number on. Null: there are none, because the feed was rewound to before it. */
export const planReread = (from: number, { hash, number }: BlockMark): Again | null =>
  from > number ? null : { from, to: number, hash }

/** Makes the functions that have final blocks read again: on a difference of balances, and at an operator's request. */
export const makeLookBack = ({ books, config, entries }: EvmContext) => {
  const { keys, writes } = entries

  const changed = (change: (feed: Feed) => Feed | undefined) =>
    books.amend([keys.feed], ([row]) => {
      const current = readData<Feed>(row)
      const next = current === undefined ? undefined : change(current)
      return { entries: next === undefined ? [] : writes.reports(next, []), result: next ?? current }
    })

  /** The doubt after a reading that did not remove it, and the blocks to read again. The first one waits for the same blocks. */
  const next = (feed: Feed, difference: BalanceDifference, now: number): Pick<Feed, "doubt" | "again"> => {
    const before = feed.doubt ?? undefined
    if (before === undefined) return { doubt: { ...difference, since: now, back: 0, back_at: now } }
    if ((feed.again ?? null) !== null) return { doubt: { ...before, ...difference } }
    const { number } = feed.final
    const first = Math.max(0, feed.first, number - backMax)
    const isDone = before.back > 0 && number - before.back < first
    if (isDone && now - before.back_at < restMs) return { doubt: { ...before, ...difference } }
    const back = isDone || before.back === 0 ? config.block_range : before.back * factor
    const doubt: Doubt = { ...before, ...difference, back, back_at: now }
    const again = planReread(Math.max(first, number - back + 1), feed.final)
    return { doubt, again: again && { ...again, isDoubted: true } }
  }

  return {
    /** Records that the deposits up to a final block do not explain what an address holds. Always fails. */
    doubted: Effect.fnUntraced(function* (
      feed: Feed,
      final: { readonly number: number },
      difference: BalanceDifference
    ): Effect.fn.Return<never, ProviderFault> {
      const now = yield* Clock.currentTimeMillis
      yield* changed((current) =>
        current.final.hash === feed.final.hash ? { ...current, ...next(current, difference, now) } : undefined
      )
      const { currency, decimals } = config.tokens.find(({ address }) => address === difference.token)!
      const amount = `${formatTokenAmount(BigInt(difference.missing), decimals)} ${currency}`
      return yield* new ProviderFault({
        message: `at block ${final.number}, ${toChecksumAddress(difference.address)} holds ${amount} more than the logs say: a node gives incomplete logs. Nothing after block ${feed.final.number} is credited until they are complete`
      })
    }),

    /** Schedules a reading of the final blocks from a number on. It replaces an earlier request. */
    begin: Effect.fnUntraced(function* (feed: Feed, from: number) {
      const changedFeed = yield* changed((current) => ({ ...current, again: planReread(from, current.final) }))
      return { from, to: (changedFeed ?? feed).final.number }
    })
  }
}
