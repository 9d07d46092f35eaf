import type { AccountBalance, IdleRow, PlatformBalance, RowKey } from "../../engine/ports/Storage.ts"

/** Compares texts as UTF-8 bytes, as the SQL stores compare ids (collate "C"). */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // UTF-16 orders surrogates below U+E000..U+FFFF; code points and UTF-8 bytes order them above.
    const xs = x >= 0xd800 && x <= 0xdfff
    const ys = y >= 0xd800 && y <= 0xdfff
    return xs === ys ? x - y : xs ? 1 : -1
  }
  return a.length - b.length
}

/** A sorted list. Law: `compare` is a total order of the members, so that each has exactly one position. */
export class Sorted<A> {
  readonly items: Array<A> = []
  private readonly compare: (a: A, b: A) => number

  constructor(compare: (a: A, b: A) => number) {
    this.compare = compare
  }

  private place(item: A): number {
    let low = 0
    let high = this.items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compare(this.items[middle]!, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  add(item: A): void {
    this.items.splice(this.place(item), 0, item)
  }

  remove(item: A): void {
    const at = this.place(item)
    if (this.items[at] === item) this.items.splice(at, 1)
  }
}

export const page = <A>(
  items: ReadonlyArray<A>,
  offset: number,
  limit: number
): { readonly items: ReadonlyArray<A>; readonly total: number } => ({
  items: items.slice(offset, offset + limit),
  total: items.length
})

/** The order of rows by primary key. */
export const byKey = (a: RowKey, b: RowKey): number =>
  compareText(a.merchant_id, b.merchant_id) || compareText(a.kind, b.kind) || compareText(a.id, b.id)

/** The order of stored responses by merchant and key. */
export const byAnswer = (
  a: { readonly merchant_id: string; readonly key: string },
  b: { readonly merchant_id: string; readonly key: string }
): number => compareText(a.merchant_id, b.merchant_id) || compareText(a.key, b.key)

/** The order of idle rows: longest idle first. */
export const stillest = (a: IdleRow, b: IdleRow): number =>
  a.since - b.since || compareText(a.id, b.id) || compareText(a.merchant_id, b.merchant_id)

/** The order of ledger accounts. */
export const byAccount = (a: AccountBalance, b: AccountBalance): number =>
  compareText(a.account, b.account) || compareText(a.merchant_id, b.merchant_id) || compareText(a.currency, b.currency)

/** The order of platform balances. */
export const byCurrency = (a: PlatformBalance, b: PlatformBalance): number =>
  compareText(a.account, b.account) || compareText(a.currency, b.currency)
