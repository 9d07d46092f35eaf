/**
 * Retention: which data is kept for ever, and which is deleted after a time.
 *
 * Kept for ever: resources and their transitions, postings and balances, unique keys and lookup keys. Double-payment
 * protection depends only on these records: a movement's machine accepts an outcome once, and the id of a pay-in and
 * the return of a movement's money are unique keys. All other records save work or serve as logs:
 *
 * - *Keys* of calls live 24 hours (IDEM-1), and so do those of internal writes, which row versions protect as well.
 * - *Provider event ids* are kept so that a repeated event is discarded immediately. An event that is repeated after
 *   its id was deleted meets the current state of its resource: it moves no money, and at worst it is an exception for
 *   the operator. The ids are therefore kept for longer than any provider repeats an event.
 * - *Deliveries* that have ended are the log of deliveries.
 * - *Events* are the feed, and the source of replays. They are kept for ever unless a time is set. A reader whose last event is
 *   forgotten goes on with the oldest that is kept (EVENT-29).
 */
import { Context, Effect } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import type { Storage } from "../ports/Storage.ts"

const dayMs = 86_400_000

/** The lifetime of the keys of calls and of internal writes, milliseconds (IDEM-1). */
export const keyLifetime = dayMs

/** Retention in days. Null: for ever. */
export interface Keeping {
  /** Ended deliveries, counted from the event or the replay that made them. */
  readonly deliveries: number | null
  /** Ids of provider events. Must be longer than the provider may repeat an event. */
  readonly providerEvents: number | null
  /** Published events. Must be longer than their deliveries are retried. */
  readonly events: number | null
}

const defaultKeeping: Keeping = { deliveries: 30, providerEvents: 90, events: null }

export const RetentionPolicy = Context.Reference<Keeping>("corridor/engine/RetentionPolicy", {
  defaultValue: () => defaultKeeping
})

/**
 * The minimum of each setting. A shorter time would delete data that is still in use: the responses of keys, which live a day, are
 * read from events.
 */
const leastDays: Keeping = { deliveries: 1, providerEvents: 30, events: 30 }
const daysMax = 36_500

/**
 * Completes the retention settings with their defaults.
 *
 * Errors: throws `RangeError` for a value that is not a whole number of days, or is below its minimum. The times of rows are whole
 * milliseconds.
 */
export const makeKeeping = (given: Partial<Keeping>): Keeping => {
  const keeping = { ...defaultKeeping, ...given }
  for (const name of ["deliveries", "providerEvents", "events"] as const) {
    const days = keeping[name]
    const least = leastDays[name]!
    if (days !== null && !(Number.isInteger(days) && days >= least && days <= daysMax))
      throw new RangeError(
        `retention.${name} is ${days}; it takes whole days from ${least} to ${daysMax}, or null (for ever)`
      )
  }
  return keeping
}

export const toDaysMs = (days: number | null): number | null => (days === null ? null : days * dayMs)

type Marking = Pick<Storage["Service"], "setting" | "assign">

/** The setting of a store that says which of its events may have been deleted: whatever its retention is set to now. */
const forgottenSetting = "events.forgotten_before"

/** Events made before this time, epoch milliseconds, may have been deleted. 0: none. */
export const readForgottenBefore = ({ setting }: Pick<Marking, "setting">): Effect.Effect<number, StorageFault> =>
  Effect.map(setting(forgottenSetting), (text) => Number(text ?? 0))

/**
 * Records that events created before `before` are about to be deleted, with a margin of `graceMs`: an id may be made a little later
 * than `created_at` says. It writes once for each half of the margin.
 */
export const markForgotten = (storage: Marking, before: number, graceMs: number): Effect.Effect<void, StorageFault> =>
  Effect.flatMap(readForgottenBefore(storage), (marked) =>
    marked < before + graceMs / 2 ? storage.assign(forgottenSetting, String(before + graceMs)) : Effect.void
  )
