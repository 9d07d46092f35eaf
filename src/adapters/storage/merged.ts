/** Answers of several stores as the answer of one. */
import { stem } from "../../engine/ports/Ids.ts"
import type { IdleRow, Page, Row, StoredPosting, TrialBalance } from "../../engine/ports/Storage.ts"
import { compareText } from "./sorted.ts"

/** The order of lists: newest first. */
export const newestRow = (a: Row, b: Row): number =>
  b.created_at - a.created_at ||
  compareText(stem(b.id), stem(a.id)) ||
  compareText(b.id, a.id) ||
  compareText(b.kind, a.kind) ||
  compareText(b.merchant_id, a.merchant_id)

/** The order of what stands still: the oldest first. */
export const stillest = (a: IdleRow, b: IdleRow): number =>
  a.since - b.since || compareText(a.id, b.id) || compareText(a.merchant_id, b.merchant_id)

/** Postings of several stores have no order but their time; those of one keep theirs. */
export const latestPosting = (a: StoredPosting, b: StoredPosting): number => b.at - a.at

/**
 * A page out of the first pages of several stores, each in order and as long as the page reaches.
 * Law: what one store has put before the other stays before it.
 */
export const pageOf = <A>(
  heads: ReadonlyArray<Page<A>>,
  order: (a: A, b: A) => number,
  offset: number,
  limit: number
): Page<A> => {
  const at = heads.map(() => 0)
  const items: Array<A> = []
  for (let taken = 0; taken < offset + limit; taken++) {
    let from = -1
    for (const [n, { items: own }] of heads.entries()) {
      if (at[n]! >= own.length) continue
      if (from < 0 || order(own[at[n]!]!, heads[from]!.items[at[from]!]!) < 0) from = n
    }
    if (from < 0) break
    const item = heads[from]!.items[at[from]!++]!
    if (taken >= offset) items.push(item)
  }
  return { items, total: heads.reduce((sum, { total }) => sum + total, 0) }
}

/** Sums of texts of whole numbers, by key, in the order of the keys. */
const sums = (amounts: ReadonlyArray<readonly [string, string]>): ReadonlyArray<readonly [string, string]> => {
  const found = new Map<string, bigint>()
  for (const [key, amount] of amounts) found.set(key, (found.get(key) ?? 0n) + BigInt(amount))
  return [...found].map(([key, sum]) => [key, sum.toString()] as const).sort(([a], [b]) => compareText(a, b))
}

/** The books of all stores together. */
export const balanceOf = (balances: ReadonlyArray<TrialBalance>): TrialBalance => {
  const currencies = balances.flatMap((one) => one.currencies)
  const credits = new Map(sums(currencies.map((one) => [one.currency, one.credits])))
  const classes = balances.flatMap((one) => one.classes)
  return {
    currencies: sums(currencies.map((one) => [one.currency, one.debits])).map(([currency, debits]) => ({
      currency,
      debits,
      credits: credits.get(currency)!
    })),
    classes: sums(classes.map((one) => [`${one.class}\u0000${one.currency}`, one.balance])).map(([key, balance]) => {
      const [name, currency] = key.split("\u0000")
      return { class: name!, currency: currency!, balance }
    })
  }
}
