/** Lists: one page, or all items. */

/** A page of a list. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly page: number
  readonly per_page: number
  readonly total: number
  /** Whether another page exists. */
  readonly has_more: boolean
}

/**
 * A list, newest first unless its query has another order. `await` reads one page, `for await` reads all items from that page on.
 *
 * Laws: nothing is sent before one of them begins. An iteration returns each item that matches from its beginning to its end
 * exactly once, and none that is created meanwhile; a list that does not take `created_before`, or has another order, is read by page
 * numbers, and must rest for that. Read `events.feed` for a record without gaps.
 * Errors: those of a call, at the page that cannot be read.
 */
export interface List<Item> extends PromiseLike<Page<Item>>, AsyncIterable<Item> {
  /** Reads one page: that of the query, by default the first. */
  readonly page: () => Promise<Page<Item>>
  /** Reads the pages one after another. */
  readonly pages: () => AsyncIterable<Page<Item>>
}

/**
 * The event feed, in the order in which events were committed. `await` reads one part of it, `for await` reads from there until
 * there are no more events.
 */
export interface Feed<Item> extends PromiseLike<ReadonlyArray<Item>>, AsyncIterable<Item> {}

export type Query = Readonly<Record<string, unknown>>

/** The most items that the service returns in one page: an iteration then needs the fewest requests. */
const perPageMax = 200

interface Row {
  readonly id?: unknown
  readonly event_id?: unknown
  readonly account?: unknown
  readonly merchant_id?: unknown
  readonly currency?: unknown
  readonly created_at?: unknown
  readonly event_created_at?: unknown
  readonly at?: unknown
}

const idOf = (item: unknown): unknown => {
  const { account, currency, event_id, id, merchant_id } = (item ?? {}) as Row
  // The balance of an account may differ on the next page.
  return id ?? event_id ?? JSON.stringify(account === undefined ? item : [account, merchant_id, currency])
}
const timeOf = (item: unknown): unknown => {
  const { at, created_at, event_created_at } = (item ?? {}) as Row
  return created_at ?? event_created_at ?? at
}

/**
 * `read` reads a page of a query. `isDated`: whether the query takes `created_before` and is newest first. An iteration then goes on from the time of
 * the last item: by number, a page would repeat items while others are created, and leave items out while others cease to match.
 */
export const listOf = <Item>(
  query: Query,
  isDated: boolean,
  read: (query: Query) => Promise<Page<Item>>
): List<Item> => {
  const page = (): Promise<Page<Item>> => read(query)
  const pages = async function* (): AsyncGenerator<Page<Item>, void, undefined> {
    const start = { per_page: perPageMax, ...query }
    const first = await read(start)
    yield first
    let found = first
    let shown = first.page
    let from: unknown
    let number = first.page
    let seen = new Set<unknown>()
    const isSeen = (item: Item | undefined): boolean => seen.has(idOf(item))
    const numbered = (page: number): Promise<Page<Item>> =>
      read({ ...start, ...(from === undefined ? {} : { created_before: from }), page })
    while (found.has_more) {
      const last = isDated ? timeOf(found.items.at(-1)) : undefined
      if (last === from) number++
      else {
        from = last
        number = 1
        seen = new Set()
      }
      // Only these can come again: they may have the time from which the next page goes on.
      for (const item of found.items) seen.add(idOf(item))
      found = await numbered(number)
      // Items that cease to match move those after them forward. There is no gap if the item before the page is a known one.
      while (from !== undefined && number > 1 && !isSeen(found.items[0])) {
        const before = await numbered(number - 1)
        if (isSeen(before.items.at(-1))) break
        found = before
        number--
      }
      const items = found.items.filter((item) => !isSeen(item))
      if (items.length > 0) yield { ...found, items, page: ++shown, total: first.total }
    }
  }
  return {
    page,
    pages,
    // oxlint-disable-next-line unicorn/no-thenable -- a list is awaited for its page
    then: (onPage, onError) => page().then(onPage, onError),
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items
    }
  }
}

export const feedOf = <Item>(query: Query, read: (query: Query) => Promise<ReadonlyArray<Item>>): Feed<Item> => ({
  // oxlint-disable-next-line unicorn/no-thenable -- a feed is awaited for one part of it
  then: (onItems, onError) => read(query).then(onItems, onError),
  async *[Symbol.asyncIterator]() {
    const start: Query = { limit: perPageMax, ...query }
    let items = await read(start)
    while (items.length > 0) {
      yield* items
      items = await read({ ...start, after: (items.at(-1) as Row).event_id })
    }
  }
})
