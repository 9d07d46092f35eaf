/** The pages of a list, one after another, without repeats and gaps. The client walks lists over HTTP, and a server for a file of one. */

/** A page of a list. */
export interface ReadPage<Item> {
  readonly items: ReadonlyArray<Item>
  readonly page: number
  readonly per_page: number
  readonly total: number
  /** Whether another page exists. */
  readonly has_more: boolean
}

export type ReadQuery = Readonly<Record<string, unknown>>

/** The most items that the service returns in one page: an iteration then needs the fewest requests. */
export const perPageMax = 200

/** What tells a row of a list from others, and when it was made. */
export interface DatedRow {
  readonly id?: unknown
  readonly event_id?: unknown
  readonly account?: unknown
  readonly merchant_id?: unknown
  readonly currency?: unknown
  readonly created_at?: unknown
  readonly event_created_at?: unknown
  readonly at?: unknown
}

const readItemId = (item: unknown): unknown => {
  const { account, currency, event_id, id, merchant_id } = (item ?? {}) as DatedRow
  // The balance of an account may differ on the next page.
  return id ?? event_id ?? JSON.stringify(account === undefined ? item : [account, merchant_id, currency])
}
const readItemTime = (item: unknown): unknown => {
  const { at, created_at, event_created_at } = (item ?? {}) as DatedRow
  return created_at ?? event_created_at ?? at
}

/** Whether the first of these rows was made before the last. */
const isAscending = (items: ReadonlyArray<unknown>): boolean => {
  const [first, last] = [readItemTime(items[0]), readItemTime(items.at(-1))]
  return typeof first === "string" && typeof last === "string" && first < last
}

/**
 * Reads the pages of a list from that of the query on. `read` reads one. `isDated`: whether the query takes `created_before` and is newest
 * first. It then goes on from the time of the last item: by number, a page would repeat items while others are created, and leave items out
 * while others cease to match.
 */
export const readPages = async function* <Item>(
  query: ReadQuery,
  isDated: boolean,
  read: (query: ReadQuery) => Promise<ReadPage<Item>>
): AsyncGenerator<ReadPage<Item>, void, undefined> {
  const start = { per_page: perPageMax, ...query }
  const first = await read(start)
  yield first
  // A list whose oldest is first goes on by number.
  const goesByTime = isDated && !isAscending(first.items)
  let found = first
  let shown = first.page
  let from: unknown
  let number = first.page
  let seen = new Set<unknown>()
  const isSeen = (item: Item | undefined): boolean => seen.has(readItemId(item))
  const numbered = (page: number): Promise<ReadPage<Item>> =>
    read({ ...start, ...(from === undefined ? {} : { created_before: from }), page })
  while (found.has_more) {
    const last = goesByTime ? readItemTime(found.items.at(-1)) : undefined
    if (last === from) number++
    else {
      from = last
      number = 1
      seen = new Set()
    }
    // Only these can come again: they may have the time from which the next page goes on.
    for (const item of found.items) seen.add(readItemId(item))
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
