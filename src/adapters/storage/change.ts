/**
 * The rules about a Change that every store shares: whether it is valid, which names it touches, what it adds to each
 * guarded account, the ids of its deliveries, and the order of what a store lists.
 */
import { hash } from "node:crypto"
import { deliveryPrefix } from "../../engine/ports/Ids.ts"
import {
  type AccountBalance,
  type Change,
  type CommitResult,
  counterBucketsMax,
  type CounterWrite,
  type IdleRow,
  type Origin,
  type PlatformBalance,
  type PostingWrite,
  type RowKey,
  type Transition,
  type VersionCheck
} from "../../engine/ports/Storage.ts"
import { accountKey, isGuarded } from "../../machines/kernel/ledger.ts"

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

  /** The place of the first item that does not come before another. `isBefore` holds of the items up to a place, and of none after it. */
  place(isBefore: (item: A) => boolean): number {
    let low = 0
    let high = this.items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(this.items[middle]!)) low = middle + 1
      else high = middle
    }
    return low
  }

  private placeOf(item: A): number {
    return this.place((one) => this.compare(one, item) < 0)
  }

  add(item: A): void {
    this.items.splice(this.placeOf(item), 0, item)
  }

  remove(item: A): void {
    const at = this.placeOf(item)
    if (this.items[at] === item) this.items.splice(at, 1)
  }
}

export const cutPage = <A>(
  items: ReadonlyArray<A>,
  offset: number,
  limit: number
): { readonly items: ReadonlyArray<A>; readonly total: number } => ({
  items: items.slice(offset, offset + limit),
  total: items.length
})

/** Compares rows by primary key. */
export const compareKeys = (a: RowKey, b: RowKey): number =>
  compareText(a.merchant_id, b.merchant_id) || compareText(a.kind, b.kind) || compareText(a.id, b.id)

/** Compares stored responses by merchant and key. */
export const compareAnswers = (
  a: { readonly merchant_id: string; readonly key: string },
  b: { readonly merchant_id: string; readonly key: string }
): number => compareText(a.merchant_id, b.merchant_id) || compareText(a.key, b.key)

/** Compares idle rows: longest idle first. */
export const compareIdleTimes = (a: IdleRow, b: IdleRow): number =>
  a.since - b.since || compareText(a.id, b.id) || compareText(a.merchant_id, b.merchant_id)

/** Compares balances by account, then merchant, then currency: the order of the pages of `balances`. */
export const compareBalances = (a: AccountBalance, b: AccountBalance): number =>
  compareText(a.account, b.account) || compareText(a.merchant_id, b.merchant_id) || compareText(a.currency, b.currency)

export const compareAccountCurrencies = (a: PlatformBalance, b: PlatformBalance): number =>
  compareText(a.account, b.account) || compareText(a.currency, b.currency)

/** The scope that `Taken` carries for an event. The key is `object_id/type`. */
export const EVENT_SCOPE = "event"

/**
 * What origins have in common, each with the character that is stored instead. JSON has no such character. Stores have them: none is
 * ever changed or taken away. The first that fits is taken.
 */
const phrases = [
  ['","operation":"submit","attempt":', "\u0001"],
  ['{"calls":[{"command":"', "\u0002"],
  ['{"request":{"id":"', "\u0003"],
  [',"answer":"accepted"}', "\u0004"],
  ['","operation":"', "\u0005"],
  ['","provider":"', "\u0006"],
  ['],"cancels":["', "\u0007"],
  [',"latency_ms":', "\u0008"],
  ['{"provider":"', "\u000e"],
  ['","key_id":"', "\u000f"],
  ['{"timers":{"', "\u0010"],
  [',"at":', "\u0011"]
] as const

/** Stored for the id in the cause, which most origins name again. Which one of a cause that is, is never changed either. */
const NAMED = "\u0012"

/** Lists the phrases that are frequent in origins, with their stored abbreviations: first the id that the cause names, then fixed ones. */
const listPhrases = (cause: string): ReadonlyArray<readonly [phrase: string, short: string]> => {
  const id = /[a-z]+_[0-9a-z]{26}(?:\.[a-z_]+)?/.exec(cause)?.[0]
  return id === undefined ? phrases : [[id, NAMED], ...phrases]
}

/**
 * Encodes the cause of a Change as it is stored with the transitions of its rows: the idempotency key, the job, or the origin of
 * its first row; then its origin on a second line.
 */
export const encodeCause = (change: Change): string => {
  const cause =
    change.idempotency?.key ?? (change.lease === undefined ? change.rows[0]?.via : `job:${change.lease.job}`) ?? ""
  const { origin } = change
  // A provider may put a line break into the id of an event: the last line is then always an origin.
  if (origin === undefined && !cause.includes("\n")) return cause
  const text = JSON.stringify(origin ?? {})
  return `${cause}\n${listPhrases(cause).reduce((text, [phrase, short]) => text.replaceAll(phrase, short), text)}`
}

/** Decodes the cause and the origin of a stored transition. */
export const decodeCause = (stored: string): Pick<Transition, "cause" | "origin"> => {
  const end = stored.lastIndexOf("\n")
  if (end < 0) return { cause: stored }
  const cause = stored.slice(0, end)
  const packed = stored.slice(end + 1)
  const text = listPhrases(cause).reduce((text, [phrase, short]) => text.replaceAll(short, phrase), packed)
  const origin = JSON.parse(text) as Origin
  return { cause, ...(Object.keys(origin).length === 0 ? {} : { origin }) }
}

/** Makes the id of the delivery of an event to an endpoint. It is deterministic, and sorts by the time of the event. */
export const makeDeliveryId = (event_id: string, endpoint_id: string): string => {
  return `${deliveryPrefix(event_id)}${hash("sha256", `${event_id}/${endpoint_id}`).slice(0, 16)}`
}

/** Joins parts to a key that is unique to them: texts contain no NUL. */
export const joinKey = (first: string, second: string, third?: string, fourth?: string): string =>
  third === undefined
    ? `${first}\u0000${second}`
    : fourth === undefined
      ? `${first}\u0000${second}\u0000${third}`
      : `${first}\u0000${second}\u0000${third}\u0000${fourth}`

/**
 * The names that a Change touches. Two Changes that share a name are decided one after the other, unless both only read
 * it.
 */
export interface Touched {
  readonly names: ReadonlyArray<string>
  /** Rows that the Change checks but does not write. */
  readonly reads: ReadonlyArray<string>
  /**
   * `read` when the Change publishes events, which may have subscribers; `write` when it changes subscriptions, which
   * excludes every other Change of the merchant.
   */
  readonly subscribers: "none" | "read" | "write"
}

/** Lists the keys of everything that a Change reads or writes: its idempotency record, unique keys, jobs, rows and events. */
export const listTouchedKeys = (change: Change): Touched => {
  const m = change.merchant_id
  const names: Array<string> = []
  if (change.idempotency !== undefined) names.push(joinKey("idempotency", m, change.idempotency.key))
  const jobs = new Set<string>(change.cancels)
  if (change.lease !== undefined) jobs.add(change.lease.job)
  for (const job of change.jobs) jobs.add(job.id)
  for (const id of jobs) names.push(joinKey("job", m, id))
  for (const row of change.rows) names.push(joinKey("row", m, row.kind, row.id))
  for (const unique of change.unique_keys) names.push(joinKey("unique", m, unique.scope, unique.key))
  for (const lookup of change.lookup_keys) names.push(joinKey("lookup", lookup.scope, lookup.key))
  for (const event of change.events) names.push(joinKey("object", m, event.object_id, event.type))
  const subscribers = change.subscriptions.length > 0 ? "write" : change.events.length > 0 ? "read" : "none"
  const reads = change.checks.map((row) => joinKey("row", m, row.kind, row.id))
  return { names, reads, subscribers }
}

/** What a Change adds to one guarded account: the amount, and the number of postings that name the account. */
export interface Delta {
  readonly account: string
  readonly currency: string
  readonly amount: bigint
  readonly entries: number
}

/** Sums a Change's postings on guarded accounts, in the order in which postings first name them (debit before credit). */
export const sumGuardedPostings = (change: Change): ReadonlyArray<Delta> => {
  const sums = new Map<string, { account: string; currency: string; amount: bigint; entries: number }>()
  const add = (account: string, currency: string, amount: bigint, entries: number): void => {
    if (!isGuarded(account)) return
    const key = accountKey(account, currency)
    const found = sums.get(key)
    if (found === undefined) sums.set(key, { account, currency, amount, entries })
    else {
      found.amount += amount
      found.entries += entries
    }
  }
  for (const p of change.postings) {
    const amount = BigInt(p.amount)
    add(p.debit, p.currency, -amount, 1)
    add(p.credit, p.currency, amount, p.credit === p.debit ? 0 : 1)
  }
  return [...sums.values()]
}

/** What the buckets of a counter have. */
export type CounterAmounts = ReadonlyMap<number, bigint>

/** Computes the counters of a Change after it, by key; `full` is the first key whose counter would pass its maximum. */
export const computeCountersAfter = (
  { counters }: Change,
  stored: (key: string) => CounterAmounts | undefined
): { readonly full?: string; readonly after: ReadonlyMap<string, CounterAmounts> } => {
  const after = new Map<string, CounterAmounts>()
  for (const key of [...new Set(counters.map((one) => one.key))].sort(compareText)) {
    const amounts = new Map(stored(key))
    for (const { add, bucket, from, key: name, max } of counters) {
      if (name !== key) continue
      const added = BigInt(add)
      const before = amounts.get(bucket)
      if (added < 0n) {
        if (before !== undefined) amounts.set(bucket, before + added < 0n ? 0n : before + added)
        continue
      }
      amounts.set(bucket, (before ?? 0n) + added)
      let sum = 0n
      for (const [at, amount] of amounts) if (from === null ? at === bucket : at >= from) sum += amount
      if (max !== null && sum > BigInt(max)) return { full: key, after }
    }
    after.set(key, new Map([...amounts].sort(([a], [b]) => a - b).slice(-counterBucketsMax)))
  }
  return { after }
}

const LIMIT = 10n ** 38n

/** Whether a balance or an amount fits `numeric(38, 0)`. */
export const fitsNumeric = (amount: bigint): boolean => amount > -LIMIT && amount < LIMIT

const amountPattern = /^[0-9]{1,38}$/

const hasRepeats = <A>(list: ReadonlyArray<A>, name: (one: A) => string): boolean =>
  list.length > 1 && new Set(list.map(name)).size !== list.length

const joinRowName = ({ kind, id }: VersionCheck): string => joinKey(kind, id)

/**
 * Finds the rule that a Change breaks, or undefined. A broken rule is a defect of the code that made the Change. The check needs
 * no store, so that all stores reject the same Changes.
 */
export const findBrokenRule = (change: Change): string | undefined => {
  const m = change.merchant_id
  if (change.idempotency === undefined && change.lease === undefined && change.rows.length === 0)
    return "a Change must have an idempotency record, a lease or a row"
  if (change.rows.some((r) => r.merchant_id !== m)) return "a Change must write rows of one merchant only"
  if (change.rows.some((r) => hasRepeats(r.index_keys, (indexKey) => indexKey)))
    return "a row must not repeat an index key"
  if (change.rows.some((r) => r.version < 1)) return "the version of a row must be at least 1"
  if (change.postings.some((p) => !amountPattern.test(p.amount) || BigInt(p.amount) === 0n))
    return "the amount of a posting must be a positive integer of at most 38 digits"
  if (change.counters.some((c) => !/^-?[0-9]{1,38}$/.test(c.add) || (c.max !== null && !amountPattern.test(c.max))))
    return "what a counter adds and its maximum must be integers of at most 38 digits"
  if (change.jobs.some((j) => (j.status === "pending") !== (j.due_at !== null)))
    return "a job must have a due time if and only if it is pending"
  if (hasRepeats(change.rows, joinRowName)) return "a Change must not write a row twice"
  if (change.checks.length > 0 && hasRepeats([...change.rows, ...change.checks], joinRowName))
    return "a Change must not check a row twice, nor a row that it writes"
  if (hasRepeats(change.jobs, (j) => j.id)) return "a Change must not write a job twice"
  if (hasRepeats(change.unique_keys, (c) => joinKey(c.scope, c.key))) return "a Change must not take a unique key twice"
  if (hasRepeats(change.lookup_keys, (a) => joinKey(a.scope, a.key))) return "a Change must not take a lookup key twice"
  if (hasRepeats(change.subscriptions, (s) => s.endpoint_id)) return "a Change must not subscribe an endpoint twice"
  if (hasRepeats(change.events, (e) => joinKey(e.object_id, e.type)))
    return "an object must not publish an event type twice"
  if (hasRepeats(change.events, (e) => joinKey(e.object_id, `${e.sequence}`)))
    return "the sequence numbers of an object's events must be unique"
  if (hasRepeats(change.events, (e) => e.id)) return "the id of an event must be unique"
  return undefined
}

/** What no Change posts: a debit from an account that is always empty, in no currency. */
const probePosting: PostingWrite = {
  debit: "available:probe",
  credit: "world:probe",
  amount: "1",
  currency: "XXX",
  resource_id: "probe",
  version: 1
}

/** A counter that is always over its maximum. Its key sorts after all others, so it is checked last. */
const probeCounter: CounterWrite = { key: "\u{10ffff}probe", bucket: 0, from: 0, add: "2", max: "1" }

/**
 * Adds a posting or a counter that no store accepts. A store checks counters last and funds before them, so a commit of the result
 * fails with the Change's own refusal if it has one, and otherwise with that of the probe. It writes nothing.
 */
export const addProbe = (change: Change): Change =>
  change.counters.some(({ max }) => max !== null)
    ? { ...change, counters: [...change.counters, probeCounter] }
    : { ...change, postings: [...change.postings, probePosting] }

/** The commit result of a Change, from the result of the same Change with the probe: a refused probe means `Committed`. */
export const removeProbe = (verdict: CommitResult): CommitResult =>
  (verdict._tag === "InsufficientFunds" && verdict.currency === probePosting.currency) ||
  (verdict._tag === "LimitReached" && verdict.key === probeCounter.key)
    ? { _tag: "Committed" }
    : verdict
