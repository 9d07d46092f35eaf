/** Pay-ins that are listed until they are final. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { RowKey } from "../../../engine/ports/Storage.ts"
import { type ChainBooks, readData } from "../chain/books.ts"
import { lookAtEach, type SweepPart } from "./sweep.ts"
import type { CompanyRounds, Rounds } from "./windows.ts"

/** Pay-ins that were listed and are not final, or cannot be read, by what the company finds them by. */
interface WaitingPayins {
  readonly ids?: ReadonlyArray<string>
  /** As a build before called them in a list of Paystack's. */
  readonly unread?: ReadonlyArray<string>
}

/** A pay-in that a list has. `look`: reports it, if it is final; whether it need not be looked at any more. Without an id it is in no list of those that wait. */
export interface ListedPayin {
  readonly id: string | null
  readonly look: Effect.Effect<boolean, ProviderFault>
}

/** How pay-ins are listed. */
interface PayinList<A> extends Pick<Rounds<A>, "name" | "list" | "read_to" | "isBegun"> {
  /** A pay-in may be listed so long after others that came after it, milliseconds. */
  readonly late_ms: number
  /** The pay-ins of a window that are not reported. */
  readonly read: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<ListedPayin>, ProviderFault>
  /** The row of those that wait. */
  readonly waiting: RowKey
  /** Looks at one that waits. */
  readonly look: (id: string) => ListedPayin["look"]
}

/** The rounds between two long ones begin so long before the last one did, milliseconds. */
const shortMs = 10 * 60_000
/** The most pay-ins that one sweep asks about, and how many are recorded together. */
const askedMax = 200
const askedAtOnce = 20

/**
 * Finds pay-ins that no callback told: lists those that are new, and asks about those that wait. What is not final, or cannot be read, is written
 * down before the list counts as read, and holds up no other.
 */
export const makePayinSweeps = <A>(
  books: ChainBooks,
  rounds: CompanyRounds,
  { late_ms, look, read, waiting, ...payins }: PayinList<A>
): ReadonlyArray<SweepPart> => {
  const waitingIn = (kept: WaitingPayins | undefined): ReadonlyArray<string> => kept?.ids ?? kept?.unread ?? []
  /** Looks at pay-ins, and writes down which of them wait. Returns the first fault. */
  const lookAt = Effect.fnUntraced(function* (some: ReadonlyArray<ListedPayin>) {
    const looked = new Set(some.flatMap(({ id }) => id ?? []))
    const open = new Set(looked)
    const fault = yield* lookAtEach(
      some,
      ({ id }) => (id === null ? "a pay-in" : `the pay-in ${id}`),
      ({ id, look }) => Effect.map(look, (isOver) => void (isOver && open.delete(id!))),
      4
    )
    yield* books.amend([waiting], ([row]) => {
      const { unread: _, ...kept } = readData<WaitingPayins>(row) ?? {}
      const before = waitingIn(readData<WaitingPayins>(row))
      const ids = [...new Set([...before.filter((id) => !looked.has(id) || open.has(id)), ...open])]
      const isSame = ids.length === before.length && ids.every((id) => before.includes(id))
      return { entries: isSame ? [] : [{ key: waiting, data: { ...kept, ids } }], result: undefined }
    })
    return fault
  })
  const listNew = rounds.read({
    ...{ ...payins, long_ms: late_ms, short_ms: Math.min(late_ms, shortMs) },
    read: (items) => Effect.flatMap(read(items), lookAt)
  })
  /** Where the next sweep begins among those that wait. */
  let turn = 0
  const askWaiting = Effect.gen(function* () {
    const all = waitingIn(yield* books.read<WaitingPayins>(waiting))
    const next = all.slice(turn, turn + askedMax)
    turn = turn + askedMax < all.length ? turn + askedMax : 0
    let fault: ProviderFault | undefined
    for (let at = 0; at < next.length; at += askedAtOnce) {
      const unread = yield* lookAt(next.slice(at, at + askedAtOnce).map((id) => ({ id, look: look(id) })))
      fault ??= unread
    }
    return fault
  })
  return [listNew, askWaiting]
}
