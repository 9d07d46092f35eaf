/**
 * What every store must agree on about a Change, whatever it is written to: whether it is one at all, which names it
 * touches, what it adds to each guarded account, and what its deliveries are called.
 */
import { createHash } from "node:crypto"
import { deliveryPrefix } from "../../engine/ports/Ids.ts"
import type { Change, VersionCheck } from "../../engine/ports/Storage.ts"
import { accountKey, isGuarded } from "../../machines/kernel/ledger.ts"

/** The scope `Taken` carries for an event; its key is `object_id/type`. */
export const EVENT_SCOPE = "event"

/** What a Change was made by, as its history shows it. */
export const causeOf = (change: Change): string => change.once?.key ?? `job:${change.lease?.job}`

/** The id of the delivery of an event to an endpoint: the same whoever computes it, and sorted by the event's time. */
export const deliveryId = (event_id: string, endpoint_id: string): string => {
  const hash = createHash("sha256").update(`${event_id}/${endpoint_id}`).digest("hex")
  return `${deliveryPrefix(event_id)}${hash.slice(0, 16)}`
}

/** A key no other list of texts has: texts carry no NUL. */
export const keyOf = (...parts: ReadonlyArray<string>): string => parts.join("\u0000")

/** The names a Change touches. Two Changes that share one are decided one after the other, unless both only read it. */
export interface Touched {
  readonly names: ReadonlyArray<string>
  /** Rows that are checked and not written. */
  readonly reads: ReadonlyArray<string>
  /** Set when its events may find subscribers, or change who subscribes: `write` excludes every other of its merchant. */
  readonly subscribers: "none" | "read" | "write"
}

export const touched = (change: Change): Touched => {
  const m = change.merchant_id
  const names: Array<string> = []
  if (change.once !== undefined) names.push(keyOf("once", m, change.once.key))
  const jobs = new Set<string>(change.cancels)
  if (change.lease !== undefined) jobs.add(change.lease.job)
  for (const job of change.jobs) jobs.add(job.id)
  for (const id of jobs) names.push(keyOf("job", m, id))
  for (const row of change.rows) names.push(keyOf("row", m, row.kind, row.id))
  for (const claim of change.claims) names.push(keyOf("claim", m, claim.scope, claim.key))
  for (const alias of change.aliases) names.push(keyOf("alias", alias.scope, alias.key))
  for (const event of change.events) names.push(keyOf("object", m, event.object_id, event.type))
  const subscribers = change.subscriptions.length > 0 ? "write" : change.events.length > 0 ? "read" : "none"
  const reads = change.checks.map((row) => keyOf("row", m, row.kind, row.id))
  return { names, reads, subscribers }
}

/** What a Change adds to one guarded account: the amount, and how many of its postings name it. */
export interface Delta {
  readonly account: string
  readonly currency: string
  readonly amount: bigint
  readonly entries: number
}

/** The sums of a Change's postings on guarded accounts, in the order the postings first name them (debit before credit). */
export const guardedDeltas = (change: Change): ReadonlyArray<Delta> => {
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

const LIMIT = 10n ** 38n

/** Whether a balance or an amount fits `numeric(38, 0)`. */
export const fits = (amount: bigint): boolean => amount > -LIMIT && amount < LIMIT

const amountPattern = /^[0-9]{1,38}$/

const repeats = <A>(list: ReadonlyArray<A>, name: (one: A) => string): boolean =>
  list.length > 1 && new Set(list.map(name)).size !== list.length

const rowName = ({ kind, id }: VersionCheck): string => keyOf(kind, id)

/**
 * The rule a Change breaks before any store is asked, or undefined. Breaking one is a defect of its maker; every store
 * answers it alike, so that no engine is tested on a store that forgives what another does not.
 */
export const broken = (change: Change): string | undefined => {
  const m = change.merchant_id
  if (change.once === undefined && change.lease === undefined) return "a Change has a once key or a lease"
  if (change.rows.some((r) => r.merchant_id !== m)) return "a Change touches one merchant's rows"
  if (change.rows.some((r) => repeats(r.facets, (facet) => facet))) return "a row carries a facet once"
  if (change.rows.some((r) => r.version < 1)) return "a row's first version is 1"
  if (change.postings.some((p) => !amountPattern.test(p.amount) || BigInt(p.amount) === 0n)) {
    return "a posting's amount is a positive integer of at most 38 digits"
  }
  if (change.jobs.some((j) => (j.status === "pending") !== (j.due_at !== null))) {
    return "a job has a due time exactly when it is pending"
  }
  if (repeats(change.rows, rowName)) return "a Change writes a row once"
  if (change.checks.length > 0 && repeats([...change.rows, ...change.checks], rowName)) {
    return "a Change checks a row once, and none that it writes"
  }
  if (repeats(change.jobs, (j) => j.id)) return "a Change writes a job once"
  if (repeats(change.claims, (c) => keyOf(c.scope, c.key))) return "a Change claims a name once"
  if (repeats(change.aliases, (a) => keyOf(a.scope, a.key))) return "a Change takes an alias once"
  if (repeats(change.subscriptions, (s) => s.endpoint_id)) return "a Change subscribes an endpoint once"
  if (repeats(change.events, (e) => keyOf(e.object_id, e.type))) return "an object publishes an event type once"
  if (repeats(change.events, (e) => keyOf(e.object_id, `${e.sequence}`))) return "an object's events are numbered"
  if (repeats(change.events, (e) => e.id)) return "an event's id is its own"
  return undefined
}
