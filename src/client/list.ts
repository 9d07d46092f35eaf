/** Lists: one page, or all items. */
import { type DatedRow, readPages, perPageMax, type ReadPage, type ReadQuery } from "../engine/input/list-pages.ts"

/** A page of a list. */
export interface Page<Item> extends ReadPage<Item> {}

export type Query = ReadQuery

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
  /** Reads all items that match, at most 100,000, as the text of a CSV file. Its page is not regarded. */
  readonly csv: () => Promise<string>
}

/**
 * The event feed, in the order in which events were committed. `await` reads one part of it, `for await` reads from there until
 * there are no more events.
 */
export interface Feed<Item> extends PromiseLike<ReadonlyArray<Item>>, AsyncIterable<Item> {}

/**
 * Makes a list that can be awaited for one page, iterated, or read as CSV. `read` and `isDated`: as of {@link readPages}. `file`:
 * reads all items of a query as CSV.
 */
export const makeList = <Item>(
  query: Query,
  isDated: boolean,
  read: (query: Query) => Promise<Page<Item>>,
  file: (query: Query) => Promise<string>
): List<Item> => {
  const page = (): Promise<Page<Item>> => read(query)
  const pages = (): AsyncIterable<Page<Item>> => readPages(query, isDated, read)
  return {
    page,
    pages,
    csv: () => file(query),
    // oxlint-disable-next-line unicorn/no-thenable -- a list is awaited for its page
    then: (onPage, onError) => page().then(onPage, onError),
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items
    }
  }
}

export const makeFeed = <Item>(query: Query, read: (query: Query) => Promise<ReadonlyArray<Item>>): Feed<Item> => ({
  // oxlint-disable-next-line unicorn/no-thenable -- a feed is awaited for one part of it
  then: (onItems, onError) => read(query).then(onItems, onError),
  async *[Symbol.asyncIterator]() {
    const start: Query = { limit: perPageMax, ...query }
    let items = await read(start)
    while (items.length > 0) {
      yield* items
      items = await read({ ...start, after: (items.at(-1) as DatedRow).event_id })
    }
  }
})
