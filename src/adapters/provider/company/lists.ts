/** Lists that a company gives newest first, in pages of which each begins after the last item of the one before. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { memberOf, readerOf } from "./answers.ts"

export interface Identified {
  readonly id: string
}

/** An item as it came, of which no more is known than its id. */
export type ListedItem = typeof ListedItem.Type
export const ListedItem = Schema.declare((item): item is Identified => typeof memberOf(item, "id") === "string")

/** The items of a list that can be read, and the others as they came: one hides none. */
export interface Readable<A, Item = unknown> {
  readonly items: ReadonlyArray<A>
  readonly unreadable: ReadonlyArray<Item>
}

export const readItems = <A, Item>(schema: Schema.Decoder<A>, all: ReadonlyArray<Item>): Readable<A, Item> => {
  const read = readerOf(schema)
  const found = all.map((item) => ({ item, one: read(item) }))
  return {
    items: found.flatMap(({ one }) => (one === undefined ? [] : [one])),
    unreadable: found.flatMap(({ item, one }) => (one === undefined ? [item] : []))
  }
}

/** How a list is asked for. */
export interface PagedList<A> {
  readonly company: string
  readonly path: string
  readonly page: (after: string | undefined) => Effect.Effect<ReadonlyArray<A>, ProviderFault>
  /** When an item was made, epoch milliseconds. Absent: the company leaves out what was made too early. */
  readonly timeOf?: (item: A) => number
}

/** What was read of a list. `began`: when, epoch milliseconds. */
export interface ListWalk<A> {
  readonly began: number
  readonly items: ReadonlyMap<string, A>
  /** The time of the newest item of the last page, epoch milliseconds: whatever was not read is older. */
  readonly beyond: number
  readonly last: string | undefined
}

/** Whether all that was made since then was read. */
export const hasReached = ({ beyond }: Pick<ListWalk<unknown>, "beyond">, from: number): boolean => beyond < from

/**
 * Reads a list on, to what was made since then (epoch milliseconds), or so many pages. It ends with a page that is empty, or older: one that is
 * short may be one that the company cut.
 *
 * Errors: also where an item comes again: the list may not be whole.
 */
export const walkList = Effect.fnUntraced(function* <A extends Identified>(
  { company, page, path, timeOf = () => Number.POSITIVE_INFINITY }: PagedList<A>,
  from: number,
  most: number,
  before?: ListWalk<A>
): Effect.fn.Return<ListWalk<A>, ProviderFault> {
  const items = new Map(before?.items)
  const began = before?.began ?? (yield* wallNow)
  let { beyond, last } = before ?? { beyond: Number.POSITIVE_INFINITY, last: undefined }
  for (let pages = 0; pages < most && !hasReached({ beyond }, from); pages++) {
    const found = yield* page(last)
    if (found.some(({ id }) => items.has(id)))
      return yield* new ProviderFault({
        message: `${path}: ${company} lists an item twice, so its list may not be whole`
      })
    for (const one of found) items.set(one.id, one)
    beyond = found.reduce((newest, one) => Math.max(newest, timeOf(one)), Number.NEGATIVE_INFINITY)
    last = found.at(-1)?.id ?? last
  }
  return { began, items, beyond, last }
})

/** All items of a list that were made since then. Undefined: it has more than so many pages, and its end would be missing. */
export const readList = <A extends Identified>(list: PagedList<A>, most: number, from = 0) =>
  Effect.map(walkList(list, from, most), (walked) =>
    hasReached(walked, from) ? [...walked.items.values()] : undefined
  )

/** Errors: the list is too long. */
export const requireWhole =
  (path: string, most: number) =>
  <A>(found: Effect.Effect<A | undefined, ProviderFault>): Effect.Effect<A, ProviderFault> =>
    Effect.flatMap(found, (all) =>
      all === undefined
        ? Effect.fail(new ProviderFault({ message: `${path} has more than ${most} pages` }))
        : Effect.succeed(all)
    )
