/**
 * What is kept for ever, and what for how long.
 *
 * For ever: resources and their transitions, postings and balances, unique keys and lookup keys. On them rests that nothing is paid
 * or credited twice: a movement's machine takes an outcome once, a pay-in's id and the return of a movement's money are
 * unique keys. What is kept for a time only spares work or tells a story:
 *
 * - *Keys* of calls live 24 hours (IDEM-1). Those of internal writes, whose rows' versions tell a repeat anyway,
 *   live as long.
 * - *Provider events* are remembered by their ids, so that one told again is not even looked at. One told again after that
 *   is judged by the state it meets: it moves no money, and at worst it is an exception for the operator. So they are
 *   remembered for longer than any provider repeats itself.
 * - *Deliveries* that have ended are the deliveries log.
 * - *Events* are the feed, and what replays send. They are kept for ever unless a time is set.
 */
import { Context } from "effect"

const dayMs = 86_400_000

/** How long the keys of calls and of internal writes live, milliseconds (IDEM-1). */
export const keyLifetime = dayMs

/** In days; null is for ever. */
export interface Keeping {
  /** Deliveries that have ended, from the event or the replay that made them. */
  readonly deliveries: number | null
  /** The ids of what the provider said. Longer than it may say it again. */
  readonly providerEvents: number | null
  /** Published events. Longer than their deliveries are tried. */
  readonly events: number | null
}

export const defaultKeeping: Keeping = { deliveries: 30, providerEvents: 90, events: null }

export const RetentionPolicy = Context.Reference<Keeping>("corridor/engine/RetentionPolicy", {
  defaultValue: () => defaultKeeping
})

/** The least that may be set: what is shorter than this would take from what is still under way. */
const leastDays: Keeping = { deliveries: 1, providerEvents: 30, events: 30 }

/**
 * The settings with the defaults filled in.
 *
 * Errors: throws a RangeError for what is no number of days, or too few of them.
 */
export const keepingOf = (given: Partial<Keeping>): Keeping => {
  const keeping = { ...defaultKeeping, ...given }
  for (const name of ["deliveries", "providerEvents", "events"] as const) {
    const days = keeping[name]
    if (days !== null && !(days >= leastDays[name]!))
      throw new RangeError(
        `retention.${name} is ${days}; it takes days, at least ${leastDays[name]}, or null (for ever)`
      )
  }
  return keeping
}

/** A number of days in milliseconds. */
export const daysMs = (days: number | null): number | null => (days === null ? null : days * dayMs)
