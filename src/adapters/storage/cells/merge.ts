/** Merges the results of all shards into one. */
import { cutStem } from "../../../engine/ports/Ids.ts"
import type {
  StoredPage,
  Backlog,
  Pending,
  PlatformBalance,
  Queue,
  Row,
  StoredPosting,
  TrialBalance
} from "../../../engine/ports/Storage.ts"
import { compareText } from "../change.ts"

/** Compares rows in the order of lists: newest first. */
export const compareNewestRow = (a: Row, b: Row): number =>
  b.created_at - a.created_at ||
  compareText(cutStem(b.id), cutStem(a.id)) ||
  compareText(b.id, a.id) ||
  compareText(b.kind, a.kind) ||
  compareText(b.merchant_id, a.merchant_id)

/** Compares postings of several shards by time alone. Those of one shard keep their order. */
export const compareLatestPosting = (a: StoredPosting, b: StoredPosting): number => b.at - a.at

/**
 * Merges the first pages of all shards into one page. Each input is sorted and reaches at least to the end of the
 * page.
 *
 * Law: the order within each shard is preserved.
 */
export const mergePages = <A>(
  heads: ReadonlyArray<StoredPage<A>>,
  order: (a: A, b: A) => number,
  offset: number,
  limit: number
): StoredPage<A> => {
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

/** Sums of integer texts by key, sorted by key. */
const sumByKey = (amounts: ReadonlyArray<readonly [string, string]>): ReadonlyArray<readonly [string, string]> => {
  const found = new Map<string, bigint>()
  for (const [key, amount] of amounts) found.set(key, (found.get(key) ?? 0n) + BigInt(amount))
  return [...found].map(([key, sum]) => [key, sum.toString()] as const).sort(([a], [b]) => compareText(a, b))
}

export const mergeTrialBalances = (balances: ReadonlyArray<TrialBalance>): TrialBalance => {
  const currencies = balances.flatMap((balance) => balance.currencies)
  const credits = new Map(sumByKey(currencies.map(({ currency, credits }) => [currency, credits])))
  const classes = balances.flatMap((balance) => balance.classes)
  return {
    currencies: sumByKey(currencies.map(({ currency, debits }) => [currency, debits])).map(([currency, debits]) => ({
      currency,
      debits,
      credits: credits.get(currency)!
    })),
    classes: sumByKey(classes.map((row) => [`${row.class}\u0000${row.currency}`, row.balance])).map(
      ([key, balance]) => {
        const [name, currency] = key.split("\u0000")
        return { class: name!, currency: currency!, balance }
      }
    )
  }
}

/** Merges what is pending in each queue of all shards: the earliest of each. */
export const mergePending = (found: ReadonlyArray<Pending>): ReadonlyArray<Pending> => {
  const earliest = new Map<Queue, Pending>()
  for (const one of found) {
    const { due_at, free_at } = earliest.get(one.queue) ?? one
    earliest.set(one.queue, {
      queue: one.queue,
      due_at: Math.min(due_at, one.due_at),
      free_at: free_at === null || one.free_at === null ? (free_at ?? one.free_at) : Math.min(free_at, one.free_at)
    })
  }
  return [...earliest.values()]
}

const pickEarliest = (times: ReadonlyArray<number | null>): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

export const mergeBacklogs = (shards: ReadonlyArray<ReadonlyArray<Backlog>>, limit: number): ReadonlyArray<Backlog> =>
  (shards[0] ?? []).map(({ queue }, n) => {
    const each = shards.map((backlogs) => backlogs[n]!)
    return {
      queue,
      due: Math.min(
        limit,
        each.reduce((sum, { due }) => sum + due, 0)
      ),
      due_since: pickEarliest(each.map(({ due_since }) => due_since)),
      retried_since: pickEarliest(each.map(({ retried_since }) => retried_since))
    }
  })

export const mergePlatformBalances = (balances: ReadonlyArray<PlatformBalance>): ReadonlyArray<PlatformBalance> =>
  sumByKey(balances.map(({ account, balance, currency }) => [`${account}\u0000${currency}`, balance] as const)).map(
    ([key, balance]) => {
      const [account, currency] = key.split("\u0000")
      return { account: account!, currency: currency!, balance }
    }
  )
