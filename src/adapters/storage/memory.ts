/**
 * The store in process memory: the reference implementation of the port's laws, for tests and trials. Its contents end
 * with the process.
 *
 * Each method runs synchronously, so that Changes are applied one after the other.
 */
import { Effect, Layer } from "effect"
import { nameReleasedJob } from "../../engine/ports/Ids.ts"
import {
  type AccountBalance,
  type Backlog,
  type BacklogQuery,
  type BalanceQuery,
  type Bucket,
  type Change,
  type ClaimQuery,
  type CommitResult,
  type EventQuery,
  type IdleQuery,
  type IdleRow,
  type Job,
  type JobQuery,
  type JobWalk,
  type ListQuery,
  type Measure,
  MEASURED_KEY,
  type MeasureQuery,
  type OwnedPostings,
  type OwnedQuery,
  type Pending,
  type PlatformBalance,
  type Queue,
  type Stalled,
  Storage,
  type StoredAccount,
  type StoredPage,
  type TrialBalance
} from "../../engine/ports/Storage.ts"
import { adapter, type StorageAdapter } from "../../engine/ports/adapter.ts"
import { InvariantViolation } from "../../engine/ports/errors.ts"
import { classOf, isGuarded, ownerOf } from "../../machines/kernel/ledger.ts"
import {
  compareBalances,
  compareAccountCurrencies,
  compareText,
  findBrokenRule,
  joinKey,
  cutPage,
  compareIdleTimes
} from "./change.ts"
import {
  Books,
  findEvent,
  listIdsByPrefix,
  type KeptJob,
  type KeptRow,
  listMatches,
  compareNewest,
  NodeLeases,
  listPostings,
  replaceIndexKeys,
  toJob,
  toRow,
  toTransition
} from "./memory/books.ts"

// The reads of the memory store for gauges and statistics, which scan its rows.

export const groupIdleRows = (rows: ReadonlyArray<IdleRow>): ReadonlyArray<Stalled> => {
  const found = new Map<string, Stalled>()
  for (const { kind, since, state } of rows) {
    const key = joinKey(kind, state)
    const { n = 0, since: earliest = since } = found.get(key) ?? {}
    found.set(key, { kind, state, n: n + 1, since: Math.min(earliest, since) })
  }
  return [...found.values()]
}

export const computeBacklog = (books: Books, { limit, now, queues }: BacklogQuery): ReadonlyArray<Backlog> =>
  queues.map((queue) => {
    const pending = books.due.get(queue)?.items ?? []
    const due = pending.filter(({ job }) => job.due_at! <= now)
    const retried = queue.startsWith("delivery") ? pending.filter(({ log }) => log !== "[]") : []
    return {
      queue,
      due: Math.min(due.length, limit),
      due_since: due[0]?.job.due_at ?? null,
      retried_since: retried.length === 0 ? null : Math.min(...retried.map(({ job }) => job.created_at))
    }
  })

export const sumPlatformBalances = (
  balances: ReadonlyArray<{ readonly account: string; readonly currency: string; readonly balance: bigint }>,
  classes: ReadonlyArray<string>
): ReadonlyArray<PlatformBalance> => {
  const sums = new Map<string, { account: string; currency: string; balance: bigint }>()
  for (const { account, balance, currency } of balances) {
    if (isGuarded(account) || !classes.includes(classOf(account))) continue
    const key = joinKey(account, currency)
    sums.set(key, { account, currency, balance: (sums.get(key)?.balance ?? 0n) + balance })
  }
  return [...sums.values()].map((one) => ({ ...one, balance: one.balance.toString() })).sort(compareAccountCurrencies)
}

const HOUR = 3_600_000

export const computeMeasures = (books: Books, q: MeasureQuery): ReadonlyArray<Measure> => {
  const found = new Map<string, Measure>()
  for (const { row } of books.rows.values()) {
    const hour = Math.floor(row.created_at / HOUR)
    if (row.hidden || hour < q.from || hour >= q.to || !q.kinds.includes(row.kind)) continue
    if (q.merchant_id !== undefined && row.merchant_id !== q.merchant_id) continue
    for (const key of row.index_keys) {
      if (!key.startsWith(MEASURED_KEY)) continue
      const [amount = "", seconds = "", ...tags] = key.slice(MEASURED_KEY.length).split("|")
      const place = {
        merchant_id: q.by_merchant ? row.merchant_id : "",
        kind: q.by_kind ? row.kind : "",
        hour: q.step === null ? null : q.step === "day" ? hour - (hour % 24) : hour,
        tags: tags.map((tag, i) => (q.tags.includes(i) ? tag : "")),
        seconds: Number(seconds)
      }
      const name = JSON.stringify(place)
      const { n = 0, amount: sum = "0" } = found.get(name) ?? {}
      found.set(name, { ...place, n: n + 1, amount: (BigInt(sum) + BigInt(amount)).toString() })
    }
  }
  return [...found.values()]
}

const isInTimeRange = (at: number, after: number | undefined, before: number | undefined): boolean =>
  (after === undefined || at >= after) && (before === undefined || at <= before)

/** Whether two JSON values are equal, whatever the order of their members. */
const isEqualJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((n) => n in b && isEqualJson((a as Record<string, unknown>)[n], (b as Record<string, unknown>)[n]))
  )
}

/** Reads the sorted rows of some kinds: of one merchant without reading those of others. */
const readListedRows = ({ listed }: Books, { kinds, merchant_id }: ListQuery) =>
  merchant_id === undefined
    ? [...listed].flatMap(([key, rows]) => (kinds.includes(key.slice(key.indexOf("\u0000") + 1)) ? [rows] : []))
    : [...new Set(kinds)].flatMap((kind) => listed.get(joinKey(merchant_id, kind)) ?? [])

const listRows = (books: Books, q: ListQuery) => {
  const heads: Array<KeptRow> = []
  const lists = readListedRows(books, q)
  for (const rows of lists) {
    for (const kept of rows.items) {
      const { hidden, index_keys, created_at } = kept.row
      if (hidden || !isInTimeRange(created_at, q.created_after, q.created_before)) continue
      if (q.index_keys.every((f) => index_keys.includes(f))) heads.push(kept)
    }
  }
  // Each of them is in this order.
  const { items, total } = cutPage(lists.length > 1 ? heads.sort(compareNewest) : heads, q.offset, q.limit)
  return { items: items.map(toRow), total }
}

const listEvents = (books: Books, q: EventQuery) =>
  cutPage(
    books
      .published(q.merchant_id)
      .filter(
        (e) =>
          (q.category === undefined || e.category === q.category) &&
          (q.type === undefined || e.type === q.type) &&
          (q.object_id === undefined || e.object_id === q.object_id) &&
          isInTimeRange(e.created_at, q.created_after, q.created_before)
      )
      .sort((a, b) => b.created_at - a.created_at || compareText(b.id, a.id)),
    q.offset,
    q.limit
  )

const hasMembers = ({ body }: KeptJob, members: ReadonlyArray<[string, unknown]>): boolean => {
  const read = members.length === 0 ? {} : JSON.parse(body)
  return members.every(([name, value]) => name in read && isEqualJson(read[name], value))
}

const listJobs = (books: Books, q: JobQuery) => {
  const members = Object.entries(q.body ?? {})
  const found = [...books.jobsFrom(q.merchant_id)]
    .filter(
      (kept) =>
        kept.job.queue === q.queue &&
        (q.partition_key === undefined || kept.job.partition_key === q.partition_key) &&
        (q.status === undefined || kept.job.status === q.status) &&
        isInTimeRange(kept.job.created_at, q.created_after, q.created_before) &&
        hasMembers(kept, members)
    )
    .sort(({ job: a }, { job: b }) => b.created_at - a.created_at || compareText(b.id, a.id))
  const { items, total } = cutPage(found, q.offset, q.limit)
  return { items: items.map(toJob), total }
}

const walkJobs = (books: Books, { after, limit, merchant_id, of, queues }: JobWalk): ReadonlyArray<Job> => {
  const isOne = (kept: KeptJob): boolean =>
    "failed" in of
      ? kept.job.status === "failed" && kept.job.partition_key === of.failed
      : kept.job.status === "pending" && hasMembers(kept, [["parked", of.parked]])
  const found: Array<Job> = []
  for (const kept of books.jobsFrom(merchant_id, after)) {
    if (found.length >= limit) break
    if (kept.job.id === after) continue
    if (queues.includes(kept.job.queue) && isOne(kept)) found.push(toJob(kept))
  }
  return found
}

const claimJobs = (books: Books, nodes: NodeLeases, q: ClaimQuery): ReadonlyArray<Job> => {
  const mayTake = nodes.mayTake(q.token, q.wall)
  const released = new Set(q.released)
  const isHeld = ({ job: { id, lease, merchant_id }, locked_until }: KeptJob): boolean =>
    lease !== null &&
    locked_until! > q.wall &&
    !mayTake(lease) &&
    !released.has(lease) &&
    !released.has(nameReleasedJob(lease, { id, merchant_id }))
  const taken: Array<KeptJob> = []
  const partitions = new Map<string, number>(q.busy.map((partition_key) => [partition_key, q.per_partition]))
  for (const kept of books.due.get(q.queue)?.items ?? []) {
    if (taken.length >= q.limit || kept.job.due_at! > q.now) break
    if (q.merchant_id !== undefined && kept.job.merchant_id !== q.merchant_id) continue
    const count = partitions.get(kept.job.partition_key) ?? 0
    if (count >= q.per_partition || isHeld(kept)) continue
    partitions.set(kept.job.partition_key, count + 1)
    taken.push(kept)
  }
  return taken.map((kept) => {
    const job = toJob(books.lease(kept, q.token, q.wall + q.lease_ms))
    if (!job.queue.startsWith("delivery")) return job
    const { partition_key, merchant_id } = job
    const event = books.events.get(joinKey(merchant_id, String(job.body["event_id"])))
    const endpoint = books.rows.get(joinKey(merchant_id, "webhook_endpoint", partition_key))
    return {
      ...job,
      ...(event === undefined ? {} : { payload: event.event.body }),
      ...(endpoint === undefined ? {} : { endpoint_version: endpoint.row.version })
    }
  })
}

const findNextDue = (books: Books, queues: ReadonlyArray<string>, after = -Infinity): number | undefined => {
  let next: number | undefined
  for (const queue of queues) {
    const free = books.due.get(queue)?.items.find(({ job }) => job.lease === null && job.due_at! > after)
    if (free !== undefined && (next === undefined || free.job.due_at! < next)) next = free.job.due_at!
  }
  return next
}

const listPending = (books: Books, queues: ReadonlyArray<Queue>): ReadonlyArray<Pending> =>
  queues.flatMap((queue) => {
    const jobs = books.due.get(queue)?.items ?? []
    if (jobs.length === 0) return []
    const free = jobs.find(({ job }) => job.lease === null)
    return [{ queue, due_at: jobs[0]!.job.due_at!, free_at: free?.job.due_at ?? null }]
  })

/** Sums the balance of each account of each merchant, in each currency. */
const sumBalances = (books: Books) => {
  const balances = new Map<string, { merchant_id: string; account: string; currency: string; balance: bigint }>()
  const add = (merchant_id: string, account: string, currency: string, amount: bigint): void => {
    const key = joinKey(merchant_id, account, currency)
    const balance = (balances.get(key)?.balance ?? 0n) + amount
    balances.set(key, { merchant_id, account, currency, balance })
  }
  for (const p of books.postings) {
    if (!isGuarded(p.debit)) add(p.merchant_id, p.debit, p.currency, -BigInt(p.amount))
    if (!isGuarded(p.credit)) add(p.merchant_id, p.credit, p.currency, BigInt(p.amount))
  }
  for (const [key, currencies] of books.accounts) {
    const [merchant, account] = key.split("\u0000")
    for (const [currency, { balance }] of currencies) add(merchant!, account!, currency, balance)
  }
  return [...balances.values()]
}

const listBalances = (books: Books, q: BalanceQuery): StoredPage<AccountBalance> => {
  const found = sumBalances(books)
    .filter(
      ({ account, currency }) =>
        (q.class === undefined || classOf(account) === q.class) && (q.currency === undefined || currency === q.currency)
    )
    .map((one) => ({ ...one, balance: one.balance.toString() }))
  return cutPage(found.sort(compareBalances), q.offset, q.limit)
}

const readOwnerPostings = (
  { postings }: Books,
  { currency, from, limit, merchant_id, owner, to }: OwnedQuery
): OwnedPostings => {
  const isOwn = (account: string): boolean => isGuarded(account) && ownerOf(account) === owner
  const found = postings
    .filter((p) => p.merchant_id === merchant_id && p.currency === currency && p.at < to)
    .filter((p) => isOwn(p.debit) !== isOwn(p.credit))
    .sort((a, b) => a.at - b.at)
  const before = found
    .filter(({ at }) => at < from)
    .reduce((sum, { amount, credit }) => sum + (isOwn(credit) ? BigInt(amount) : -BigInt(amount)), 0n)
  return { before: before.toString(), postings: found.filter(({ at }) => at >= from).slice(0, limit) }
}

const computeTrialBalance = (books: Books): TrialBalance => {
  const sides = new Map<string, { debits: bigint; credits: bigint }>()
  const classes = new Map<string, { class: string; currency: string; balance: bigint }>()
  for (const { account, currency, balance } of sumBalances(books)) {
    const side = sides.get(currency) ?? { debits: 0n, credits: 0n }
    sides.set(currency, {
      debits: side.debits + (balance < 0n ? -balance : 0n),
      credits: side.credits + (balance > 0n ? balance : 0n)
    })
    const key = joinKey(classOf(account), currency)
    const sum = (classes.get(key)?.balance ?? 0n) + balance
    classes.set(key, { class: classOf(account), currency, balance: sum })
  }
  return {
    currencies: [...sides]
      .map(([currency, s]) => ({ currency, debits: s.debits.toString(), credits: s.credits.toString() }))
      .sort((a, b) => compareText(a.currency, b.currency)),
    classes: [...classes.values()]
      .map((c) => ({ ...c, balance: c.balance.toString() }))
      .sort((a, b) => compareText(a.class, b.class) || compareText(a.currency, b.currency))
  }
}

const listIdleRows = (books: Books, q: IdleQuery): StoredPage<IdleRow> => {
  const waits = new Map(q.waits.map(({ kind, status, until }) => [joinKey(kind, `:${status}`), until]))
  const found: Array<IdleRow> = []
  for (const kept of books.rows.values()) {
    const { row } = kept
    const word = [`:${row.status}`, ...row.index_keys].find((one) => waits.has(joinKey(row.kind, one)))
    const until = word === undefined ? undefined : waits.get(joinKey(row.kind, word))
    if (until === undefined || row.hidden || row.created_at >= q.before) continue
    if (q.without?.includes(row.state)) continue
    if (q.merchant_id !== undefined && row.merchant_id !== q.merchant_id) continue
    const job = until === null ? undefined : books.jobs.get(joinKey(row.merchant_id, `${row.id}.${until}`))?.job
    if (job?.status === "pending" && job.due_at! > q.now) continue
    // When a row entered its current state, or the first of consecutive states of `under_way`, or took one of
    // `steps`.
    const { id, kind, merchant_id } = row
    const { steps, under_way } = q
    const isUnderWay = (state: string | null): boolean => state !== null && under_way.includes(state)
    let since = 0
    for (const change of books.transitions.get(joinKey(merchant_id, id)) ?? []) {
      const { at, from, to, via } = change
      const isStep = (from !== to && !(isUnderWay(from) && isUnderWay(to))) || steps.includes(`${kind}/${via}`)
      if (change.kind === kind && isStep) since = Math.max(since, at)
    }
    if (since < q.before) found.push({ ...toRow(kept), since })
  }
  return cutPage(found.sort(compareIdleTimes), q.offset, q.limit)
}

const takeTokens = (books: Books, { burst, merchant_id, now, peek, per_second }: Bucket): number => {
  const bucket = books.buckets.get(merchant_id) ?? { level: burst * 1000, at: now }
  const level = Math.min(burst * 1000, bucket.level + Math.max(0, now - bucket.at) * per_second)
  if (level < 1000) return Math.ceil((1000 - level) / per_second)
  if (peek !== true) books.buckets.set(merchant_id, { level: level - 1000, at: Math.max(bucket.at, now) })
  return 0
}

const makeStore = (books: Books): Storage["Service"] => {
  const nodes = new NodeLeases()
  const read = <A>(evaluate: () => A): Effect.Effect<A> => Effect.sync(evaluate)
  const decide = (change: Change): Effect.Effect<CommitResult> =>
    Effect.suspend(() => {
      const rule = findBrokenRule(change)
      return rule === undefined ? Effect.succeed(books.decide(change)) : Effect.die(new InvariantViolation(rule))
    })
  return {
    commit: (change) =>
      Effect.map(decide(change), (verdict) =>
        verdict._tag === "Committed" && books.write(change) ? { ...verdict, deliveries: true } : verdict
      ),
    trialCommit: decide,
    get: (keys) =>
      read(() =>
        keys.flatMap((key) => {
          const kept = books.rows.get(books.rowKey(key))
          return kept === undefined ? [] : [toRow(kept)]
        })
      ),
    find: (kind, id) =>
      read(() => {
        for (const merchant_id of books.owners.get(joinKey(kind, id)) ?? [])
          return toRow(books.rows.get(joinKey(merchant_id, kind, id))!)
        return undefined
      }),
    list: (query) => read(() => listRows(books, query)),
    matches: (query) => read(() => listMatches(books, query)),
    measures: (query) => read(() => computeMeasures(books, query)),
    reindex: (rows) => read(() => replaceIndexKeys(books, rows)),
    findEvent: (id) => read(() => findEvent(books, id)),
    descendants: (merchant_id, roots) =>
      read(() =>
        [...new Set(roots)]
          .flatMap((root) => [...(books.rooted.get(joinKey(merchant_id, root)) ?? [])])
          .map((key) => books.rows.get(key)!)
          .sort((a, b) => compareNewest(b, a))
          .map(toRow)
      ),
    accounts: (merchant_id, accounts) =>
      read(() =>
        [...new Set(accounts)].flatMap(
          (account): ReadonlyArray<StoredAccount> =>
            [...(books.accounts.get(joinKey(merchant_id, account))?.values() ?? [])]
              .map((kept) => ({ ...kept.account }))
              .sort((a, b) => compareText(a.currency, b.currency))
        )
      ),
    counters: (_, keys) =>
      read(() =>
        [...new Set(keys)].flatMap((key) => {
          const amounts = books.counters.get(key)
          return amounts === undefined
            ? []
            : [{ key, amounts: [...amounts].map(([bucket, amount]) => ({ bucket, amount: amount.toString() })) }]
        })
      ),
    idempotencyRecord: (merchant_id, key, now) =>
      read(() => {
        const used = books.used(merchant_id, key, now)
        return used && { ...used }
      }),
    uniqueKeyOwner: (merchant_id, scope, key) => read(() => books.uniqueKeys.get(joinKey(merchant_id, scope, key))),
    lookup: (scope, key) =>
      read(() => {
        const found = books.lookupKeys.get(joinKey(scope, key))
        return found && { ...found }
      }),
    event: (merchant_id, id) => read(() => books.events.get(joinKey(merchant_id, id))?.event),
    events: (query) => read(() => listEvents(books, query)),
    feed: (merchant_id, after, limit) =>
      read(() => {
        const last = after === null ? 0 : books.events.get(joinKey(merchant_id, after))?.at
        return last === undefined ? undefined : books.published(merchant_id, last, limit)
      }),
    claim: (query) => read(() => claimJobs(books, nodes, query)),
    heartbeat: (beat) => read(() => nodes.beat(beat)),
    nextDue: (queues, after) => read(() => findNextDue(books, queues, after)),
    pending: (queues) => read(() => listPending(books, queues)),
    job: (merchant_id, id) =>
      read(() => {
        const kept = books.jobs.get(joinKey(merchant_id, id))
        return kept && toJob(kept)
      }),
    jobs: (query) => read(() => listJobs(books, query)),
    jobsAfter: (walk) => read(() => walkJobs(books, walk)),
    jobsBeginning: (merchant_id, prefixes, limit) => read(() => books.jobsBeginning(merchant_id, prefixes, limit)),
    history: (merchant_id, resource_id) =>
      read(() => ({
        transitions: (books.transitions.get(joinKey(merchant_id, resource_id)) ?? [])
          .map(toTransition)
          .sort((a, b) => compareText(a.kind, b.kind) || a.version - b.version),
        postings: books.postings.filter((p) => p.merchant_id === merchant_id && p.resource_id === resource_id),
        events: books
          .published(merchant_id)
          .filter((e) => e.object_id === resource_id)
          .sort((a, b) => a.sequence - b.sequence)
      })),
    idsBeginning: (prefixes, limit) => read(() => listIdsByPrefix(books, prefixes, limit)),
    postingsOf: (account, resources) => read(() => listPostings(books, account, resources)),
    entries: (account, offset, limit) =>
      read(() =>
        cutPage(books.postings.filter((p) => p.debit === account || p.credit === account).reverse(), offset, limit)
      ),
    owned: (query) => read(() => readOwnerPostings(books, query)),
    balances: (query) => read(() => listBalances(books, query)),
    trialBalance: read(() => computeTrialBalance(books)),
    idle: (query) => read(() => listIdleRows(books, query)),
    stalled: (query) => read(() => groupIdleRows(listIdleRows(books, { ...query, offset: 0, limit: Infinity }).items)),
    backlog: (query) => read(() => computeBacklog(books, query)),
    platformBalances: (classes) => read(() => sumPlatformBalances(sumBalances(books), classes)),
    forget: (query) => read(() => books.forget(query)),
    take: (bucket) => read(() => takeTokens(books, bucket)),
    setting: (key) => read(() => books.settings.get(key)),
    define: (key, value) =>
      read(() => {
        if (!books.settings.has(key)) books.settings.set(key, value)
        return books.settings.get(key)!
      }),
    assign: (key, value) => read(() => void books.settings.set(key, value)),
    rowsHolding: (text, after, limit) => read(() => books.rowsHolding(text, after, limit)),
    responsesHolding: (text, after, limit) => read(() => books.responsesHolding(text, after, limit)),
    replaceResponse: (merchant_id, key, from, to) => read(() => books.replaceResponse(merchant_id, key, from, to)),
    clock: Effect.undefined,
    identity: Effect.succeed({ found: null, recorded: null }),
    recordIdentity: () => Effect.void,
    ping: Effect.void,
    shards: 1,
    volatile: true,
    watch: () => Effect.void
  }
}

export const MemoryStorage = {
  /** A new, empty store. */
  layer: Layer.sync(Storage, () => makeStore(new Books()))
}

/** A new, empty store in the memory of this process. */
export const memoryStorage = (): StorageAdapter => adapter("storage", MemoryStorage.layer)
