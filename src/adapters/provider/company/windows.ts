/** Lists of a company that are read by time: one that is too long is read in shorter times. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"

/** A time of a list, epoch milliseconds; without an end: until now. */
export interface Window {
  readonly from: number
  readonly to?: number
}

/** A list is not asked for less than this, milliseconds. */
const windowMinMs = 1000

/**
 * Reads a list, oldest window first. `list` gives undefined where a window has too many items, which is then halved. `read` gets the items of
 * each, with its end; a window has what is at its bounds, and so has the next one.
 *
 * Errors: `tooLong` where even the shortest window has too many items.
 */
export const readWindows = Effect.fnUntraced(function* <A>(
  window: Window,
  now: number,
  list: (window: Window) => Effect.Effect<ReadonlyArray<A> | undefined, ProviderFault>,
  read: (items: ReadonlyArray<A>, end: number) => Effect.Effect<unknown, ProviderFault>,
  tooLong: ProviderFault
) {
  const left: Array<Window> = [window]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { from, to } = next
    const items = yield* list(next)
    if (items !== undefined) yield* read(items, to ?? now)
    else {
      const middle = from + Math.floor(((to ?? now) - from) / 2)
      if (middle - from < windowMinMs) return yield* tooLong
      left.push({ ...next, from: middle }, { from, to: middle })
    }
  }
})
