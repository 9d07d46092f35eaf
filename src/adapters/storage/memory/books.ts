/** The contents of the memory store, and how it decides and writes a Change, by the laws of the port. */
import { deliveryPrefix, cutStem } from "../../../engine/ports/Ids.ts"
import {
  type Beat,
  type Change,
  type CommitResult,
  EXACT_KEY,
  type ForgetQuery,
  type IdempotencyRecord,
  type Job,
  type JobWrite,
  type LookupKey,
  type Match,
  type MatchQuery,
  nodeOf,
  type Reindexed,
  type ResourceName,
  type Row,
  type RowKey,
  SEARCH_KEY,
  type StoredAccount,
  type StoredEvent,
  type StoredPosting,
  type Transition
} from "../../../engine/ports/Storage.ts"
import { InvariantViolation } from "../../../engine/ports/errors.ts"
import { cutMatches } from "../../../engine/ports/storage-reads.ts"
import {
  compareAnswers,
  compareKeys,
  decodeCause,
  encodeCause,
  compareText,
  type CounterAmounts,
  computeCountersAfter,
  makeDeliveryId,
  type Delta,
  EVENT_SCOPE,
  fitsNumeric,
  joinKey,
  Sorted,
  sumGuardedPostings
} from "../change.ts"

/** A row with its data as text, so that each read returns a copy, as a database does. */
export interface KeptRow {
  readonly row: Omit<Row, "data">
  readonly data: string
  readonly stem: string
}

/** Lists the index keys of a row that exact and search look-ups use. */
const listMatchedKeys = (kept: KeptRow | undefined): ReadonlySet<string> =>
  new Set(kept?.row.index_keys.filter((one) => one.startsWith(EXACT_KEY) || one.startsWith(SEARCH_KEY)))

export interface KeptJob {
  readonly job: Omit<Job, "body" | "log" | "payload">
  readonly body: string
  readonly log: string
  readonly locked_until: number | null
}

/** A transition with its cause as the SQL stores keep it: few are read. */
type KeptTransition = Omit<Transition, "cause" | "origin"> & { readonly stored: string }
export const toTransition = ({ stored, ...transition }: KeptTransition): Transition => ({
  ...transition,
  ...decodeCause(stored)
})

/** An event and its position in its merchant's feed. Positions increase; those of forgotten events stay unused. */
interface KeptEvent {
  readonly event: StoredEvent
  readonly at: number
}

export const compareNewest = (a: KeptRow, b: KeptRow): number =>
  b.row.created_at - a.row.created_at ||
  compareText(b.stem, a.stem) ||
  compareText(b.row.id, a.row.id) ||
  compareText(b.row.kind, a.row.kind) ||
  compareText(b.row.merchant_id, a.row.merchant_id)

interface Answering {
  readonly merchant_id: string
  readonly key: string
}

const compareDue = (a: KeptJob, b: KeptJob): number =>
  a.job.due_at! - b.job.due_at! || compareText(a.job.merchant_id, b.job.merchant_id) || compareText(a.job.id, b.job.id)

const compareIds = (a: KeptJob, b: KeptJob): number => compareText(a.job.id, b.job.id)

export const toRow = ({ row, data }: KeptRow): Row => ({
  ...row,
  index_keys: [...row.index_keys],
  data: JSON.parse(data)
})
export const toJob = ({ job, body, log }: KeptJob): Job => ({ ...job, body: JSON.parse(body), log: JSON.parse(log) })

const getOrMake = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

export class Books {
  readonly rows = new Map<string, KeptRow>()
  /** By merchant and kind, newest first. */
  readonly listed = new Map<string, Sorted<KeptRow>>()
  /** By each index key that `matches` reads, newest first. */
  readonly indexed = new Map<string, Sorted<KeptRow>>()
  /** By merchant and root. */
  readonly rooted = new Map<string, Set<string>>()
  /** By kind and id: the merchants that have such a row. */
  readonly owners = new Map<string, Set<string>>()
  readonly accounts = new Map<string, Map<string, { account: StoredAccount; balance: bigint }>>()
  readonly counters = new Map<string, CounterAmounts>()
  readonly postings: Array<StoredPosting> = []
  readonly transitions = new Map<string, Array<KeptTransition>>()
  readonly uniqueKeys = new Map<string, string>()
  readonly lookupKeys = new Map<string, RowKey & LookupKey>()
  readonly idempotencyRecords = new Map<string, IdempotencyRecord>()
  readonly events = new Map<string, KeptEvent>()
  /** By merchant, in commit order. */
  readonly feeds = new Map<string, Array<KeptEvent>>()
  private readonly eventTypes = new Map<string, string>()
  readonly jobs = new Map<string, KeptJob>()
  /** By merchant, in the order of their ids. */
  private readonly owned = new Map<string, Sorted<KeptJob>>()
  /** Pending jobs by queue, earliest due first. */
  readonly due = new Map<string, Sorted<KeptJob>>()
  readonly subscriptions = new Map<string, Map<string, ReadonlySet<string>>>()
  /** Levels in thousandths of a token, so that whole-token rates refill without rounding. */
  readonly buckets = new Map<string, { level: number; at: number }>()
  readonly settings = new Map<string, string>()

  rowKey(key: RowKey): string {
    return joinKey(key.merchant_id, key.kind, key.id)
  }

  /** The events of a merchant after a feed position, in order. */
  published(merchant_id: string, after = 0, limit = Number.POSITIVE_INFINITY): Array<StoredEvent> {
    const feed = this.feeds.get(merchant_id) ?? []
    let from = 0
    for (let high = feed.length; from < high; ) {
      const middle = (from + high) >>> 1
      if (feed[middle]!.at <= after) from = middle + 1
      else high = middle
    }
    return feed.slice(from, from + limit).map(({ event }) => event)
  }

  used(merchant_id: string, key: string, now: number): IdempotencyRecord | undefined {
    const found = this.idempotencyRecords.get(joinKey(merchant_id, key))
    return found === undefined || (found.expires_at !== null && found.expires_at <= now) ? undefined : found
  }

  private balance(merchant_id: string, { account, currency }: Delta): bigint {
    return this.accounts.get(joinKey(merchant_id, account))?.get(currency)?.balance ?? 0n
  }

  /**
   * The verdict on a Change against the current contents. Throws `InvariantViolation` where a database schema would
   * reject it.
   */
  decide(change: Change): CommitResult {
    const m = change.merchant_id
    const record = change.idempotency && this.used(m, change.idempotency.key, change.at)
    if (record !== undefined) return { _tag: "Repeated", record: { ...record } }
    if (change.lease !== undefined) {
      const job = this.jobs.get(joinKey(m, change.lease.job))
      if (job === undefined || job.job.lease !== change.lease.token) return { _tag: "LeaseLost" }
    }
    // The rows on which a Change was decided, at the versions it read.
    for (const { kind, id, version } of change.rows
      .map(({ kind, id, version }) => ({ kind, id, version: version - 1 }))
      .concat(change.checks)) {
      if ((this.rows.get(joinKey(m, kind, id))?.row.version ?? 0) !== version) {
        return { _tag: "VersionConflict", kind, id }
      }
    }
    for (const { scope, key } of change.unique_keys) {
      const owner = this.uniqueKeys.get(joinKey(m, scope, key))
      if (owner !== undefined) return { _tag: "Taken", scope, key, owner }
    }
    for (const { scope, key } of change.lookup_keys) {
      const found = this.lookupKeys.get(joinKey(scope, key))
      if (found !== undefined) return { _tag: "Taken", scope, key, owner: found.id }
    }
    for (const { object_id, type } of change.events) {
      const owner = this.eventTypes.get(joinKey(m, object_id, type))
      if (owner !== undefined) return { _tag: "Taken", scope: EVENT_SCOPE, key: `${object_id}/${type}`, owner }
    }
    const deltas = sumGuardedPostings(change)
    for (const delta of deltas) {
      if (delta.amount < 0n && this.balance(m, delta) + delta.amount < 0n) {
        return { _tag: "InsufficientFunds", account: delta.account, currency: delta.currency }
      }
    }
    if (deltas.some((d) => !fitsNumeric(this.balance(m, d) + d.amount)))
      throw new InvariantViolation("a balance must not exceed 38 digits")
    for (const { id } of change.events) {
      if (this.events.has(joinKey(m, id))) throw new InvariantViolation("the id of an event must be unique")
    }
    // Last, as a database does: it counts what it has written.
    const { full } = computeCountersAfter(change, (key) => this.counters.get(key))
    if (full !== undefined) return { _tag: "LimitReached", key: full }
    return { _tag: "Committed" }
  }

  /** Writes a Change whose verdict is `Committed`, and returns whether that made deliveries. Cannot fail. */
  write(change: Change): boolean {
    const m = change.merchant_id
    if (change.idempotency !== undefined) {
      const { key, fingerprint, response, expires_at } = change.idempotency
      this.idempotencyRecords.set(joinKey(m, key), { key, fingerprint, response, expires_at, at: change.at })
    }
    this.writeRows(change)
    for (const p of change.postings) this.postings.push({ ...p, merchant_id: m, at: change.at })
    for (const delta of sumGuardedPostings(change)) {
      const { account, currency } = delta
      const balance = this.balance(m, delta) + delta.amount
      const currencies = getOrMake(this.accounts, joinKey(m, account), () => new Map())
      const version = (currencies.get(currency)?.account.version ?? 0) + 1
      currencies.set(currency, { account: { account, currency, balance: balance.toString(), version }, balance })
    }
    for (const [key, amounts] of computeCountersAfter(change, (key) => this.counters.get(key)).after)
      this.counters.set(key, amounts)
    for (const { scope, key, owner } of change.unique_keys) this.uniqueKeys.set(joinKey(m, scope, key), owner)
    for (const { scope, key, kind, id } of change.lookup_keys) {
      this.lookupKeys.set(joinKey(scope, key), { scope, key, merchant_id: m, kind, id })
    }
    for (const { endpoint_id, categories } of change.subscriptions) {
      const endpoints = getOrMake(this.subscriptions, m, () => new Map())
      if (categories.length === 0) endpoints.delete(endpoint_id)
      else endpoints.set(endpoint_id, new Set(categories))
    }
    if (change.lease !== undefined) this.removeJob(m, change.lease.job)
    for (const id of change.cancels) this.removeJob(m, id)
    for (const job of change.jobs) this.writeJob(m, job)
    return this.writeEvents(change)
  }

  /** Keeps the index entries of a row that is another by now. */
  indexRow(before: KeptRow | undefined, after: KeptRow): void {
    for (const index_key of listMatchedKeys(before)) {
      const rows = this.indexed.get(index_key)!
      rows.remove(before!)
      if (rows.items.length === 0) this.indexed.delete(index_key)
    }
    for (const index_key of listMatchedKeys(after))
      getOrMake(this.indexed, index_key, () => new Sorted(compareNewest)).add(after)
  }

  private writeRows(change: Change): void {
    for (const { via, from, data, ...row } of change.rows) {
      const key = this.rowKey(row)
      const listed = getOrMake(this.listed, joinKey(row.merchant_id, row.kind), () => new Sorted(compareNewest))
      const before = this.rows.get(key)
      if (before !== undefined) {
        listed.remove(before)
        if (before.row.root_id !== null) this.rooted.get(joinKey(row.merchant_id, before.row.root_id))?.delete(key)
      }
      const created_at = before?.row.created_at ?? row.created_at
      const kept = {
        row: { ...row, created_at, index_keys: [...row.index_keys] },
        data: JSON.stringify(data),
        stem: cutStem(row.id)
      }
      this.rows.set(key, kept)
      this.indexRow(before, kept)
      listed.add(kept)
      if (row.root_id !== null)
        getOrMake(this.rooted, joinKey(row.merchant_id, row.root_id), () => new Set<string>()).add(key)
      getOrMake(this.owners, joinKey(row.kind, row.id), () => new Set<string>()).add(row.merchant_id)
      getOrMake(this.transitions, joinKey(row.merchant_id, row.id), () => []).push({
        resource_id: row.id,
        kind: row.kind,
        version: row.version,
        from,
        to: row.state,
        via,
        stored: encodeCause(change),
        event_count: row.event_count,
        at: change.at
      })
    }
  }

  private writeEvents(change: Change): boolean {
    const m = change.merchant_id
    let isDelivered = false
    for (const event of change.events) {
      const feed = getOrMake(this.feeds, m, () => [])
      const stored = { ...event, merchant_id: m }
      const kept = { event: stored, at: (feed.at(-1)?.at ?? 0) + 1 }
      this.events.set(joinKey(m, event.id), kept)
      feed.push(kept)
      this.eventTypes.set(joinKey(m, event.object_id, event.type), event.id)
      for (const [endpoint_id, categories] of this.subscriptions.get(m) ?? []) {
        if (!categories.has(event.category)) continue
        isDelivered = true
        this.writeJob(m, {
          id: makeDeliveryId(event.id, endpoint_id),
          queue: "delivery",
          partition_key: endpoint_id,
          status: "pending",
          due_at: change.at,
          attempt: 0,
          created_at: change.at,
          body: { event_id: event.id, event_type: event.type },
          log: []
        })
      }
    }
    return isDelivered
  }

  private writeJob(m: string, { lease, body, log, ...job }: JobWrite): void {
    this.removeJob(m, job.id)
    this.keepJob({
      job: { ...job, merchant_id: m, lease: lease?.token ?? null },
      body: JSON.stringify(body),
      log: JSON.stringify(log),
      locked_until: lease === undefined ? null : lease.wall + lease.lease_ms
    })
  }

  private keepJob(kept: KeptJob): void {
    const { merchant_id, id, queue, status } = kept.job
    this.jobs.set(joinKey(merchant_id, id), kept)
    getOrMake(this.owned, merchant_id, () => new Sorted(compareIds)).add(kept)
    if (status !== "pending") return
    getOrMake(this.due, queue, () => new Sorted(compareDue)).add(kept)
  }

  private removeJob(m: string, id: string): void {
    const kept = this.jobs.get(joinKey(m, id))
    if (kept === undefined) return
    this.jobs.delete(joinKey(m, id))
    this.owned.get(m)!.remove(kept)
    if (kept.job.status !== "pending") return
    this.due.get(kept.job.queue)?.remove(kept)
  }

  lease(kept: KeptJob, token: string, locked_until: number): KeptJob {
    this.removeJob(kept.job.merchant_id, kept.job.id)
    const leased = { ...kept, job: { ...kept.job, attempt: kept.job.attempt + 1, lease: token }, locked_until }
    this.keepJob(leased)
    return leased
  }

  forget({ before, limit, sort }: ForgetQuery): number {
    switch (sort) {
      case "keys": {
        const old = [...this.idempotencyRecords].filter(
          ([, { expires_at }]) => expires_at !== null && expires_at <= before
        )
        return this.oldest(
          old,
          limit,
          ([, { expires_at }]) => expires_at!,
          ([key]) => this.idempotencyRecords.delete(key)
        )
      }
      case "jobs": {
        const old = [...this.jobs.values()].filter(({ job }) => job.status !== "pending" && job.created_at < before)
        return this.oldest(
          old,
          limit,
          ({ job }) => job.created_at,
          ({ job }) => this.removeJob(job.merchant_id, job.id)
        )
      }
      case "events": {
        const old = [...this.events.values()].filter(({ event }) => event.created_at < before && !this.awaited(event))
        return this.oldest(
          old,
          limit,
          ({ event }) => event.created_at,
          (kept) => this.removeEvent(kept)
        )
      }
    }
  }

  /** Yields the jobs of a merchant in the order of their ids, from a text on. */
  *jobsFrom(merchant_id: string, from = ""): Generator<KeptJob> {
    const jobs = this.owned.get(merchant_id)
    if (jobs === undefined) return
    for (let at = jobs.place(({ job }) => compareText(job.id, from) < 0); at < jobs.items.length; at++)
      yield jobs.items[at]!
  }

  jobsBeginning(merchant_id: string, prefixes: ReadonlyArray<string>, limit: number): ReadonlyArray<Job> {
    const begun = new Set<KeptJob>()
    for (const prefix of prefixes) {
      let left = limit
      for (const kept of this.jobsFrom(merchant_id, prefix)) {
        if (left === 0 || !kept.job.id.startsWith(prefix)) break
        begun.add(kept)
        left--
      }
    }
    return [...begun].sort(compareIds).map(toJob)
  }

  rowsHolding(text: string, after: RowKey | null, limit: number): ReadonlyArray<Row> {
    return [...this.rows.values()]
      .filter(({ data, row }) => data.includes(text) && (after === null || compareKeys(row, after) > 0))
      .sort((a, b) => compareKeys(a.row, b.row))
      .slice(0, limit)
      .map(toRow)
  }

  responsesHolding(text: string, after: Answering | null, limit: number) {
    return [...this.idempotencyRecords]
      .flatMap(([place, { key, response }]) =>
        response?.includes(text) === true ? [{ merchant_id: place.split("\u0000")[0]!, key, response }] : []
      )
      .filter((response) => after === null || compareAnswers(response, after) > 0)
      .sort(compareAnswers)
      .slice(0, limit)
  }

  replaceResponse(merchant_id: string, key: string, from: string, response: string): boolean {
    const place = joinKey(merchant_id, key)
    const found = this.idempotencyRecords.get(place)
    if (found?.response !== from) return false
    this.idempotencyRecords.set(place, { ...found, response })
    return true
  }

  private oldest<A>(old: Array<A>, limit: number, at: (item: A) => number, remove: (item: A) => void): number {
    const taken = old.sort((a, b) => at(a) - at(b)).slice(0, limit)
    taken.forEach(remove)
    return taken.length
  }

  /** Whether a pending delivery still needs the event. */
  private awaited({ id, merchant_id }: StoredEvent): boolean {
    return (this.due.get("delivery")?.items ?? []).some(
      ({ job, body }) =>
        job.merchant_id === merchant_id &&
        job.id.startsWith(deliveryPrefix(id)) &&
        (JSON.parse(body) as { readonly event_id?: unknown }).event_id === id
    )
  }

  private removeEvent(kept: KeptEvent): void {
    const { id, merchant_id, object_id, type } = kept.event
    this.events.delete(joinKey(merchant_id, id))
    this.eventTypes.delete(joinKey(merchant_id, object_id, type))
    const feed = this.feeds.get(merchant_id)!
    feed.splice(feed.indexOf(kept), 1)
  }
}

/** Yields the rows of a list, newest first, from an instant downwards. */
function* listFrom(rows: ReadonlyArray<KeptRow>, created_before = Infinity): Generator<KeptRow> {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows[middle]!.row.created_at > created_before) low = middle + 1
    else high = middle
  }
  for (; low < rows.length; low++) yield rows[low]!
}

export const listMatches = (books: Books, q: MatchQuery): ReadonlyArray<Match> => {
  const kinds = new Set(q.kinds)
  const isBeginning = (index_key: string): boolean => q.prefixes.some((prefix) => index_key.startsWith(prefix))
  const beginning = q.prefixes.length === 0 ? [] : [...books.indexed.keys()].filter(isBeginning)
  const entries: Array<Match> = []
  for (const index_key of new Set([...q.keys, ...beginning])) {
    let [found, last] = [0, Infinity]
    for (const { row } of listFrom(books.indexed.get(index_key)?.items ?? [], q.created_before)) {
      const { created_at, hidden, id, kind, merchant_id } = row
      if (created_at < (q.created_after ?? created_at) || (found >= q.limit && created_at < last)) break
      if (hidden || !kinds.has(kind) || (q.merchant_id !== undefined && merchant_id !== q.merchant_id)) continue
      found += 1
      last = created_at
      entries.push({ merchant_id, kind, id, index_key, created_at })
    }
  }
  return cutMatches(entries, q)
}

/** Replaces the index keys of rows that are still at the given version. Returns how many it replaced. */
export const replaceIndexKeys = (books: Books, rows: ReadonlyArray<Reindexed>): number => {
  let count = 0
  for (const { index_keys, version, ...key } of rows) {
    const kept = books.rows.get(books.rowKey(key))
    if (kept?.row.version !== version) continue
    const listed = books.listed.get(joinKey(key.merchant_id, key.kind))!
    const next = { ...kept, row: { ...kept.row, index_keys: [...index_keys] } }
    listed.remove(kept)
    listed.add(next)
    books.rows.set(books.rowKey(key), next)
    books.indexRow(kept, next)
    count++
  }
  return count
}

export const listIdsByPrefix = (
  books: Books,
  prefixes: ReadonlyArray<string>,
  limit: number
): ReadonlyArray<RowKey> => {
  const keys = [...books.rows.values()].map(({ row: { id, kind, merchant_id } }) => ({ merchant_id, kind, id }))
  const found = prefixes.flatMap((prefix) =>
    keys
      .filter(({ id }) => id.startsWith(prefix))
      .sort((a, b) => compareText(a.id, b.id) || compareKeys(a, b))
      .slice(0, limit)
  )
  return [...new Set(found)]
}

export const listPostings = (
  books: Books,
  account: string,
  resources: ReadonlyArray<ResourceName>
): ReadonlyArray<StoredPosting> => {
  const wanted = new Set(resources.map(({ merchant_id, resource_id }) => joinKey(merchant_id, resource_id)))
  return books.postings.filter(
    (p) => (p.debit === account || p.credit === account) && wanted.has(joinKey(p.merchant_id, p.resource_id))
  )
}

export const findEvent = (books: Books, id: string): StoredEvent | undefined => {
  for (const { event } of books.events.values()) if (event.id === id) return event
  return undefined
}

interface NodeLease {
  /** From then on the node may take the claims of others. */
  readonly judges_at: number
  readonly lapses_at: number
}

const dayMs = 86_400_000

/** The leases of nodes in the store in memory (`0003_claims.sql` is the same in SQL). */
export class NodeLeases {
  readonly #leases = new Map<string, NodeLease>()

  /** Returns whether the lease had ended. */
  beat({ lease_ms, node, wall }: Beat): boolean {
    const lease = this.#leases.get(node)
    const hadEnded = lease !== undefined && lease.lapses_at <= wall
    const judges_at = lease === undefined || hadEnded ? wall + Math.floor(lease_ms / 2) : lease.judges_at
    this.#leases.set(node, { judges_at, lapses_at: wall + lease_ms })
    for (const [id, { lapses_at }] of this.#leases) if (lapses_at < wall - dayMs) this.#leases.delete(id)
    return hadEnded
  }

  /** Whether the claimer of `token` may take a claim under another token. */
  mayTake(token: string, wall: number): (claim: string) => boolean {
    const own = this.#leases.get(nodeOf(token) ?? "")
    if (own === undefined || own.judges_at > wall || own.lapses_at <= wall) return () => false
    return (claim) => {
      const lease = this.#leases.get(nodeOf(claim) ?? "")
      return lease !== undefined && lease.lapses_at <= wall
    }
  }
}
