/** Returns and refunds that come in several parts: the first report has one, and later ones have more, in any order. */
import type { MovementEvent, RefundReport, StatedPart } from "../../engine/ports/Provider.ts"
import { parseMinorUnits } from "../program/amounts.ts"
import { formatAmount } from "./stated-amounts.ts"

type Returned = MovementEvent | RefundReport

interface Manners {
  readonly strikes: (about: string) => boolean
  readonly fraction: (...of: ReadonlyArray<string | number>) => number
  readonly send: (event: Returned, after_ms: number) => void
}

/** Finds the key of the payment that an event returns: a refund by its command, a movement by its resource. Undefined: nothing was returned. */
export const findReturnKey = (event: Returned): string | undefined =>
  event._tag === "refund"
    ? event.outcome === "success"
      ? `refund ${event.command_id ?? `${event.resource_id}.refund`}`
      : undefined
    : event.outcome === "returned" || event.outcome === "reversed"
      ? `movement ${event.resource_id}`
      : undefined

export class Parted {
  readonly #manners: Manners
  /** By return: its parts, the first one first; and whether the last report says so. Null: it comes at once. */
  readonly #parts = new Map<string, ReadonlyArray<StatedPart> | null>()

  constructor(manners: Manners) {
    this.#manners = manners
  }

  /** A report of `due`, of its first part if it comes in several. The other reports follow. */
  of<Event extends Returned>(event: Event, due: readonly [amount: string, currency: string] | undefined): Event {
    const about = findReturnKey(event)
    if (about === undefined || due === undefined || event.amount) return event
    const known = this.#parts.get(about)
    const parts = known === undefined ? this.#drawn(about, due) : known
    this.#parts.set(about, parts)
    if (parts === null) return event
    if (known === undefined)
      for (const [index] of parts.entries())
        for (const again of [0, 1]) {
          const event_id = `${event.event_id}.part${index}.${again}`
          const complete = index === parts.length - 1 && this.#manners.fraction("complete", about) < 0.5
          const more = { ...event, event_id, parts: parts.slice(0, index + 1), complete }
          this.#manners.send(more, Math.ceil(this.#manners.fraction("part", event_id) * 48 * 3_600_000))
        }
    return { ...event, parts: parts.slice(0, 1) }
  }

  #drawn(about: string, [amount, currency]: readonly [string, string]): ReadonlyArray<StatedPart> | null {
    const due = parseMinorUnits(amount, currency)
    // Returns are rare, so that each draws three times.
    const chances = [about, `${about} again`, `${about} once more`]
    if (due === undefined || due < 8n || !chances.some((chance) => this.#manners.strikes(chance))) return null
    const first = 1n + (due * BigInt(Math.floor(this.#manners.fraction("first part", about) * 600))) / 1000n
    const second = (due - first) / 2n
    const fee = this.#manners.fraction("fee of", about) < 0.3 ? 1n : 0n
    return [first, second, due - first - second - fee]
      .filter((part) => part > 0n)
      .map((part, index) => ({ id: `${about} ${index}`, amount: formatAmount(part, currency) }))
  }
}
