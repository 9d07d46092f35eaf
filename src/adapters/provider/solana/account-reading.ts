/** The reading of one account that belongs to an issued address. */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import { markBehind, markRead, type Watched } from "./addresses.ts"
import type { SolanaContext } from "./config.ts"
import { readCreditsAbove } from "./credits.ts"
import type { SeenPayin } from "./entries.ts"
import {
  unlistOpenPayin,
  listConfirmedSignatures,
  type Finality,
  followPayin,
  toCurrentPayinEvent,
  recordCredit,
  stageOf
} from "./payins.ts"
import type { RpcNode } from "./rpc.ts"
import { findMissingUnits } from "./unswept.ts"

/**
 * Slots for which an entry stays open after the cursor has passed it, and that are read again: a minute. A node may list a
 * transaction a moment after its block is final. It is longer than a reading may take ({@link lifetime_ms}), so the reading
 * that moves the cursor past an open entry has begun when the entry existed, and has reported it.
 */
export const overlap = 150

/** A reading that is older, such as one of a process that was suspended, records nothing. */
export const lifetime_ms = 30_000

/**
 * A reading. `after` is the cursor: all that was final at it is committed. `slot` is final now; `top` is the highest final
 * slot of which something was read. After `deadline`, epoch milliseconds, no more is begun.
 */
export interface ReadingRange {
  readonly after: number
  readonly slot: number
  readonly top: number
  readonly deadline: number
  /** Epoch milliseconds. */
  readonly begun_at: number
}

/** An account and its final balance. `slot`: at which it was read. `isEmpty`: it holds nothing, final or confirmed. */
export interface Holding {
  readonly watched: Watched
  readonly final: bigint
  readonly slot: number
  readonly isEmpty: boolean
}

/**
 * `isNew`: an event was not committed before. `isReported`: all events about the account are committed. `missing`: what the
 * account holds beyond its pay-ins: the node has not listed all of its transactions.
 */
export interface AccountReading {
  readonly events: ReadonlyArray<ProviderEvent>
  readonly isNew: boolean
  readonly isReported: boolean
  readonly missing: bigint
}

/**
 * Reads an account's credits, records their pay-ins, and marks how far the account is read. Each entry is recorded before its
 * event is reported, so the account's own position can be ahead of the cursor.
 */
const recordCredits = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  watched: Watched,
  { after, top, slot, deadline, begun_at }: ReadingRange
) {
  const least = after - overlap
  const { again, behind } = watched.address
  // A mark can be later than the reading, where a person named the slot: it never shortens what is read.
  const above = Math.min(again?.[watched.account] ?? least, behind?.[watched.account] ?? least, least)
  const range = { above, final: top, deadline }
  const { credits, unread_from } = yield* readCreditsAbove(
    node,
    watched.account,
    range,
    listConfirmedSignatures(context, watched)
  )
  const height = credits.every(({ isFinal }) => isFinal) ? 0 : (yield* node.epoch("confirmed")).height
  const finality: Finality = { slot, height }
  if ((yield* Clock.currentTimeMillis) > begun_at + lifetime_ms)
    return yield* new ProviderFault({ message: "the reading of the chain took too long" })
  const payins: Array<SeenPayin> = []
  for (const credit of credits) payins.push(yield* recordCredit(context, watched, credit, finality))
  yield* markRead(context, watched, unread_from, least)
  return { payins, isComplete: unread_from === null, finality }
})

const readAccountOnce = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  { final, slot, watched }: Holding,
  known: ReadonlyArray<SeenPayin>,
  reading: ReadingRange
): Effect.fn.Return<AccountReading, ProviderFault> {
  const { after } = reading
  const { payins: found, isComplete, finality } = yield* recordCredits(context, node, watched, reading)
  const payins = new Map([...known, ...found].map((payin) => [payin.payin_id, payin]))
  const listed = new Set(found.map(({ payin_id }) => payin_id))
  const before = new Map(known.map((payin) => [payin.payin_id, payin]))
  const events: Array<ProviderEvent> = []
  let isNew = false
  for (const payin of payins.values()) {
    const isUndecided = payin.confirmed_at === null && payin.failed_at === null
    const now =
      isUndecided && !listed.has(payin.payin_id) ? yield* followPayin(context, node, watched, payin, finality) : payin
    const decided = now.confirmed_at ?? now.failed_at
    if (decided !== null && decided + overlap <= after) {
      if (before.has(now.payin_id)) yield* unlistOpenPayin(context, now.payin_id)
      continue
    }
    const was = before.get(now.payin_id)
    isNew ||= was === undefined || stageOf(was) !== stageOf(now) || (decided !== null && decided > after)
    events.push(toCurrentPayinEvent(context, now))
  }
  const missing = isComplete ? yield* findMissingUnits(context, watched, final, slot) : 0n
  // Nobody knows how far back the transaction is that the node does not list.
  if (missing > 0n) yield* markBehind(context, watched, () => 0)
  return { events, isNew, isReported: isComplete && events.length === 0, missing }
})

/**
 * Reads an account and reports its pay-ins. If the node answers but cannot show this account (for example, a transaction in a
 * form that it rejects), the account is marked as behind, and the others go on. Its open entries are reported all the same: the
 * cursor may pass an entry only after a reading that has reported it.
 */
export const readAccount = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  holding: Holding,
  known: ReadonlyArray<SeenPayin>,
  reading: ReadingRange
): Effect.fn.Return<AccountReading, ProviderFault> {
  const read = yield* Effect.result(readAccountOnce(context, node, holding, known, reading))
  if (read._tag === "Success") return read.success
  yield* node.epoch("finalized")
  yield* markBehind(context, holding.watched, (known) => known ?? reading.after - overlap)
  const events = known.map((payin) => toCurrentPayinEvent(context, payin))
  return { events, isNew: false, isReported: false, missing: 0n }
})
