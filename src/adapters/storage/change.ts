/**
 * The rules about a Change that every store shares: whether it is valid, which names it touches, what it adds to each
 * guarded account, and the ids of its deliveries.
 */
import { hash } from "node:crypto"
import { deliveryPrefix } from "../../engine/ports/Ids.ts"
import {
  type Change,
  counterBucketsMax,
  type CounterWrite,
  type Origin,
  type PostingWrite,
  type Transition,
  type CommitResult,
  type VersionCheck
} from "../../engine/ports/Storage.ts"
import { accountKey, isGuarded } from "../../machines/kernel/ledger.ts"
import { compareText } from "./sorted.ts"

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
const findId = (cause: string): string | undefined => /[a-z]+_[0-9a-z]{26}(?:\.[a-z_]+)?/.exec(cause)?.[0]

const packOrigin = (origin: string, cause: string): string => {
  const id = findId(cause)
  let out = id === undefined ? origin : origin.replaceAll(id, NAMED)
  for (const [phrase, short] of phrases) out = out.replaceAll(phrase, short)
  return out
}

const unpackOrigin = (origin: string, cause: string): string => {
  const id = findId(cause)
  let out = id === undefined ? origin : origin.replaceAll(NAMED, id)
  for (const [phrase, short] of phrases) out = out.replaceAll(short, phrase)
  return out
}

/**
 * The cause of a Change, as it is stored with the transitions of its rows: its key or its job, or how its first row came about, and
 * its origin in a second line.
 */
export const causeOf = (change: Change): string => {
  const cause =
    change.idempotency?.key ?? (change.lease === undefined ? change.rows[0]?.via : `job:${change.lease.job}`) ?? ""
  const { origin } = change
  // A provider may put a line break into the id of an event: the last line is then always an origin.
  return origin === undefined && !cause.includes("\n")
    ? cause
    : `${cause}\n${packOrigin(JSON.stringify(origin ?? {}), cause)}`
}

/** The cause and the origin of a stored transition. */
export const causeIn = (stored: string): Pick<Transition, "cause" | "origin"> => {
  const end = stored.lastIndexOf("\n")
  if (end < 0) return { cause: stored }
  const cause = stored.slice(0, end)
  const origin = JSON.parse(unpackOrigin(stored.slice(end + 1), cause)) as Origin
  return { cause, ...(Object.keys(origin).length === 0 ? {} : { origin }) }
}

/** The id of the delivery of an event to an endpoint. It is deterministic, and sorts by the time of the event. */
export const deliveryId = (event_id: string, endpoint_id: string): string => {
  return `${deliveryPrefix(event_id)}${hash("sha256", `${event_id}/${endpoint_id}`).slice(0, 16)}`
}

/** A key that is unique to its parts: texts contain no NUL. */
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

export const collectKeys = (change: Change): Touched => {
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

/**
 * The sums of a Change's postings on guarded accounts, in the order in which postings first name them (debit before
 * credit).
 */
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

/** The counters of a Change after it, by key; `full` is the first by key that would pass its maximum. */
export const countersAfter = (
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
export const fits = (amount: bigint): boolean => amount > -LIMIT && amount < LIMIT

const amountPattern = /^[0-9]{1,38}$/

const repeats = <A>(list: ReadonlyArray<A>, name: (one: A) => string): boolean =>
  list.length > 1 && new Set(list.map(name)).size !== list.length

const rowName = ({ kind, id }: VersionCheck): string => joinKey(kind, id)

/**
 * The rule that a Change breaks, or undefined. A broken rule is a defect of the code that made the Change. The check
 * needs no store, so that all stores reject the same Changes.
 */
export const findBrokenRule = (change: Change): string | undefined => {
  const m = change.merchant_id
  if (change.idempotency === undefined && change.lease === undefined && change.rows.length === 0)
    return "a Change must have an idempotency record, a lease or a row"
  if (change.rows.some((r) => r.merchant_id !== m)) return "a Change must write rows of one merchant only"
  if (change.rows.some((r) => repeats(r.index_keys, (indexKey) => indexKey)))
    return "a row must not repeat an index key"
  if (change.rows.some((r) => r.version < 1)) return "the version of a row must be at least 1"
  if (change.postings.some((p) => !amountPattern.test(p.amount) || BigInt(p.amount) === 0n))
    return "the amount of a posting must be a positive integer of at most 38 digits"
  if (change.counters.some((c) => !/^-?[0-9]{1,38}$/.test(c.add) || (c.max !== null && !amountPattern.test(c.max))))
    return "what a counter adds and its maximum must be integers of at most 38 digits"
  if (change.jobs.some((j) => (j.status === "pending") !== (j.due_at !== null)))
    return "a job must have a due time if and only if it is pending"
  if (repeats(change.rows, rowName)) return "a Change must not write a row twice"
  if (change.checks.length > 0 && repeats([...change.rows, ...change.checks], rowName))
    return "a Change must not check a row twice, nor a row that it writes"
  if (repeats(change.jobs, (j) => j.id)) return "a Change must not write a job twice"
  if (repeats(change.unique_keys, (c) => joinKey(c.scope, c.key))) return "a Change must not take a unique key twice"
  if (repeats(change.lookup_keys, (a) => joinKey(a.scope, a.key))) return "a Change must not take a lookup key twice"
  if (repeats(change.subscriptions, (s) => s.endpoint_id)) return "a Change must not subscribe an endpoint twice"
  if (repeats(change.events, (e) => joinKey(e.object_id, e.type)))
    return "an object must not publish an event type twice"
  if (repeats(change.events, (e) => joinKey(e.object_id, `${e.sequence}`)))
    return "the sequence numbers of an object's events must be unique"
  if (repeats(change.events, (e) => e.id)) return "the id of an event must be unique"
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

/** What no Change counts: more than the maximum, under a key that comes after every other. */
const probeCounter: CounterWrite = { key: "\u{10ffff}probe", bucket: 0, from: 0, add: "2", max: "1" }

/**
 * The Change with a part that every store refuses, after all that it refuses the Change for: the last reason is a counter that is
 * full, and the one before it a lack of funds. Its commit therefore writes nothing, and says what the Change's own would.
 */
export const addProbe = (change: Change): Change =>
  change.counters.some(({ max }) => max !== null)
    ? { ...change, counters: [...change.counters, probeCounter] }
    : { ...change, postings: [...change.postings, probePosting] }

/** The verdict on a Change, from the verdict on the same with the probe. */
export const removeProbe = (verdict: CommitResult): CommitResult =>
  (verdict._tag === "InsufficientFunds" && verdict.currency === probePosting.currency) ||
  (verdict._tag === "LimitReached" && verdict.key === probeCounter.key)
    ? { _tag: "Committed" }
    : verdict
