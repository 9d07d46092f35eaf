/** The store, as what serves a call sees it: in a dry run nothing is written, whatever asks, and what would have been is read (DRYRUN-2, DRYRUN-6). */
import { Effect, Layer, Struct } from "effect"
import { type AccountId, isGuarded, world } from "../../machines/kernel/ledger.ts"
import { cutStem } from "../ports/Ids.ts"
import {
  type Change,
  type CommitResult,
  type CounterWrite,
  type ListQuery,
  type Match,
  type MatchQuery,
  type PostingWrite,
  type Row,
  type RowKey,
  Storage,
  type StoredAccount,
  type StoredCounter,
  type StoredPage
} from "../ports/Storage.ts"
import { DryRun, type DryRunRecord } from "../ports/dry-run.ts"
import { InvariantViolation, type StorageFault } from "../ports/errors.ts"
import { cutMatches } from "../ports/storage-reads.ts"

// The store as the Changes of a dry run would have left it: what a call writes first is what it decides from next, as in the call itself
// (DRYRUN-6). The rows of a file see each other.

type Store = Storage["Service"]

/** A row that was written, and the version that the store has of it (0: none). */
interface Written {
  readonly row: Row
  readonly stored: number
}

/** What was written, by name, over what another has written before. */
class Names<A> {
  readonly #own = new Map<string, A>()
  readonly #under: Names<A> | undefined

  constructor(under: Names<A> | undefined) {
    this.#under = under
  }

  get(name: string): A | undefined {
    return this.#own.get(name) ?? this.#under?.get(name)
  }

  set(name: string, value: A): void {
    this.#own.set(name, value)
  }

  entries(): ReadonlyArray<readonly [string, A]> {
    const under = this.#under?.entries() ?? []
    return [...under.filter(([name]) => !this.#own.has(name)), ...this.#own]
  }
}

/** Everything that was written so far, by name. */
class View {
  /** How many of the Changes are in it. */
  seen = 0
  readonly found: Names<Row>
  readonly owners: Names<string>
  readonly lookups: Names<Change["lookup_keys"][number] & RowKey>
  readonly published: Names<string>
  /** By merchant, account and currency, in minor units. */
  readonly moved: Names<bigint>
  readonly counted: Names<ReadonlyArray<CounterWrite>>

  readonly #kinds = new Map<string, Names<Written>>()
  readonly #under: View | undefined

  constructor(under: View | undefined) {
    this.#under = under
    this.found = new Names(under?.found)
    this.owners = new Names(under?.owners)
    this.lookups = new Names(under?.lookups)
    this.published = new Names(under?.published)
    this.moved = new Names(under?.moved)
    this.counted = new Names(under?.counted)
  }

  /** The rows of a kind. */
  rowsOf(kind: string): Names<Written> {
    let rows = this.#kinds.get(kind)
    if (rows === undefined) this.#kinds.set(kind, (rows = new Names(this.#under?.rowsOf(kind))))
    return rows
  }

  row(key: RowKey): Written | undefined {
    return this.rowsOf(key.kind).get(nameOfRow(key))
  }

  /** The rows of some kinds. */
  rows(kinds: ReadonlyArray<string>): ReadonlyArray<Written> {
    return kinds.flatMap((kind) =>
      this.rowsOf(kind)
        .entries()
        .map(([, one]) => one)
    )
  }
}

const joinName = (...parts: ReadonlyArray<string>): string => parts.join("\u0000")
const nameOfRow = ({ id, kind, merchant_id }: RowKey): string => joinName(merchant_id, kind, id)

/** Lists by how much a Change moves each guarded account, by the account's name in a {@link View}. */
const listGuardedDeltas = ({ merchant_id, postings }: Change): ReadonlyArray<readonly [name: string, amount: bigint]> =>
  postings.flatMap(({ amount, credit, currency, debit }) =>
    ([[debit, -BigInt(amount)] as const, [credit, BigInt(amount)] as const] as const).flatMap(([account, by]) =>
      isGuarded(account) ? [[joinName(merchant_id, account, currency), by] as const] : []
    )
  )

/** Adds the writes of a Change to a view. */
const addChange = (view: View, change: Change): void => {
  const { merchant_id } = change
  for (const { from: _, via: __, ...row } of change.rows) {
    const name = nameOfRow(row)
    view.rowsOf(row.kind).set(name, { row, stored: view.row(row)?.stored ?? row.version - 1 })
    view.found.set(joinName(row.kind, row.id), row)
  }
  for (const { key, owner, scope } of change.unique_keys) view.owners.set(joinName(merchant_id, scope, key), owner)
  for (const one of change.lookup_keys) view.lookups.set(joinName(one.scope, one.key), { ...one, merchant_id })
  for (const { id, object_id, type } of change.events) view.published.set(joinName(merchant_id, object_id, type), id)
  for (const [name, by] of listGuardedDeltas(change)) view.moved.set(name, (view.moved.get(name) ?? 0n) + by)
  for (const one of change.counters) view.counted.set(one.key, [...(view.counted.get(one.key) ?? []), one])
}

const views = new WeakMap<DryRunRecord, View>()

/** The writes of a dry run so far, over those of the dry run that contains it. Undefined: there are none. */
const toView = (record: DryRunRecord | undefined): View | undefined => {
  if (record === undefined) return undefined
  const under = toView(record.within)
  if (record.written.length === 0) return under
  let view = views.get(record)
  if (view === undefined) views.set(record, (view = new View(under)))
  for (; view.seen < record.written.length; view.seen++) addChange(view, record.written[view.seen]!)
  return view
}

/** Whether a row is in a list by its kind, merchant and time. */
const matchesListQuery = (
  { created_at, hidden, kind, merchant_id }: Row,
  q: Pick<ListQuery, "kinds" | "merchant_id" | "created_after" | "created_before">
): boolean =>
  !hidden &&
  q.kinds.includes(kind) &&
  (q.merchant_id === undefined || q.merchant_id === merchant_id) &&
  created_at >= (q.created_after ?? created_at) &&
  created_at <= (q.created_before ?? created_at)

/** Whether a row is in a list by all conditions of the query. */
const isListed = (row: Row, q: ListQuery): boolean =>
  matchesListQuery(row, q) && q.index_keys.every((one) => row.index_keys.includes(one))

const toBytes = (text: string): Buffer => Buffer.from(text)
const compareNewest = (a: Row, b: Row): number =>
  b.created_at - a.created_at ||
  Buffer.compare(toBytes(cutStem(b.id)), toBytes(cutStem(a.id))) ||
  Buffer.compare(toBytes(b.id), toBytes(a.id))

/** Reads a page of a list, with the rows that the dry run has written so far. */
const listRows = Effect.fnUntraced(function* (
  store: Store,
  view: View,
  query: ListQuery
): Effect.fn.Return<StoredPage<Row>, StorageFault> {
  const own = view.rows(query.kinds)
  if (own.length === 0) return yield* store.list(query)
  const { limit, offset } = query
  const page = yield* store.list({ ...query, offset: 0, limit: offset + limit + own.length })
  const replaced = yield* store.get(own.filter(({ stored }) => stored > 0).map(({ row }) => row))
  const left = page.items.filter((row) => view.row(row) === undefined)
  const found = own.flatMap(({ row }) => (isListed(row, query) ? [row] : []))
  return {
    items: [...left, ...found].toSorted(compareNewest).slice(offset, offset + limit),
    total: page.total - replaced.filter((row) => isListed(row, query)).length + found.length
  }
})

/** Finds rows by search terms, with the rows that the dry run has written so far. */
const findMatches = Effect.fnUntraced(function* (
  store: Store,
  view: View,
  query: MatchQuery
): Effect.fn.Return<ReadonlyArray<Match>, StorageFault> {
  const own = view.rows(query.kinds)
  if (own.length === 0) return yield* store.matches(query)
  // As many more as may be left out: the cut is that of the store with what is written.
  const stored = yield* store.matches({ ...query, limit: query.limit + own.length })
  const written = own.flatMap(({ row }) =>
    matchesListQuery(row, query)
      ? row.index_keys.map(
          (index_key): Match => ({ ...Struct.pick(row, ["merchant_id", "kind", "id", "created_at"]), index_key })
        )
      : []
  )
  return cutMatches([...stored.filter((one) => view.row(one) === undefined), ...written], query)
})

/** Reads accounts, with the postings of the dry run so far. */
const readAccounts = (
  store: Store,
  { moved }: View,
  merchant_id: string,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<StoredAccount>, StorageFault> =>
  Effect.map(store.accounts(merchant_id, ids), (stored) => {
    const known = new Set(stored.map(({ account, currency }) => joinName(merchant_id, account, currency)))
    const begun = moved.entries().flatMap(([name, by]) => {
      const [merchant, account, currency] = name.split("\u0000") as [string, string, string]
      const isNew = merchant === merchant_id && ids.includes(account) && !known.has(name)
      return isNew ? [{ account, currency, balance: by.toString(), version: 1 }] : []
    })
    const now = stored.map((one) => {
      const by = moved.get(joinName(merchant_id, one.account, one.currency))
      return by === undefined
        ? one
        : { ...one, balance: (BigInt(one.balance) + by).toString(), version: one.version + 1 }
    })
    return [...now, ...begun]
  })

/** Applies writes to a counter, in order. */
const applyWrites = ({ amounts, key }: StoredCounter, writes: ReadonlyArray<CounterWrite>): StoredCounter => {
  const after = new Map(amounts.map(({ amount, bucket }) => [bucket, BigInt(amount)]))
  for (const { add, bucket } of writes) {
    const sum = (after.get(bucket) ?? 0n) + BigInt(add)
    if (after.has(bucket) || sum > 0n) after.set(bucket, sum < 0n ? 0n : sum)
  }
  const sorted = [...after].toSorted(([a], [b]) => a - b)
  return { key, amounts: sorted.map(([bucket, amount]) => ({ bucket, amount: amount.toString() })) }
}

/** Reads counters, with the writes of the dry run so far. */
const readCounters = (store: Store, { counted }: View, merchant_id: string, keys: ReadonlyArray<string>) =>
  Effect.map(
    store.counters(merchant_id, keys),
    (stored): ReadonlyArray<StoredCounter> =>
      [...new Set(keys)].flatMap((key) => {
        const before = stored.find((one) => one.key === key)
        const writes = counted.get(key)
        if (writes === undefined) return before === undefined ? [] : [before]
        return [applyWrites(before ?? { key, amounts: [] }, writes)]
      })
  )

/** Finds the conflict of a Change with earlier Changes of the dry run. Undefined: the store decides. */
const findRefusal = (view: View, change: Change): CommitResult | undefined => {
  const { lookups, owners, published } = view
  const { merchant_id } = change
  const read = [...change.rows.map(({ version, ...row }) => ({ ...row, version: version - 1 })), ...change.checks]
  for (const { id, kind, version } of read) {
    const now = view.row({ merchant_id, kind, id })
    if (now !== undefined && now.row.version !== version) return { _tag: "VersionConflict", kind, id }
  }
  for (const { key, scope } of change.unique_keys) {
    const owner = owners.get(joinName(merchant_id, scope, key))
    if (owner !== undefined) return { _tag: "Taken", scope, key, owner }
  }
  for (const { key, scope } of change.lookup_keys) {
    const owner = lookups.get(joinName(scope, key))
    if (owner !== undefined) return { _tag: "Taken", scope, key, owner: owner.id }
  }
  for (const { object_id, type } of change.events) {
    const owner = published.get(joinName(merchant_id, object_id, type))
    if (owner !== undefined) return { _tag: "Taken", scope: "event", key: `${object_id}/${type}`, owner }
  }
  return undefined
}

/** Lists the earlier postings of the dry run on the accounts of a Change. */
const listEarlierPostings = ({ moved }: View, change: Change): ReadonlyArray<PostingWrite> =>
  [...new Set(listGuardedDeltas(change).map(([name]) => name))].flatMap((name) => {
    const by = moved.get(name) ?? 0n
    if (by === 0n) return []
    const [, account, currency] = name.split("\u0000") as [string, AccountId, string]
    const [debit, credit] = by > 0n ? [world("before"), account] : [account, world("before")]
    const amount = (by < 0n ? -by : by).toString()
    return [{ debit, credit, amount, currency, resource_id: "before", version: 1 }]
  })

/** Rewrites a Change for the store, which has none of the earlier Changes of the dry run. */
const toStoredChange = (view: View, change: Change): Change => {
  const of = ({ id, kind }: Pick<RowKey, "id" | "kind">) => view.row({ merchant_id: change.merchant_id, kind, id })
  const keys = new Set(change.counters.map(({ key }) => key))
  const counted = [...keys].flatMap((key) => view.counted.get(key) ?? []).map((one) => ({ ...one, max: null }))
  return {
    ...change,
    rows: change.rows.map((row) => ({ ...row, version: (of(row)?.stored ?? row.version - 1) + 1 })),
    checks: change.checks.filter((one) => of(one) === undefined),
    postings: [...listEarlierPostings(view, change), ...change.postings],
    counters: [...counted, ...change.counters]
  }
}

/** Makes the reads and the trial commit of a store that see the writes of a dry run. */
const makeViewedReads = (
  store: Store,
  view: View
): Pick<
  Store,
  "trialCommit" | "get" | "find" | "list" | "matches" | "accounts" | "counters" | "uniqueKeyOwner" | "lookup"
> => ({
  trialCommit: (change) => {
    const verdict = findRefusal(view, change)
    return verdict === undefined ? store.trialCommit(toStoredChange(view, change)) : Effect.succeed(verdict)
  },
  get: (keys) =>
    Effect.map(store.get(keys), (stored) => {
      const known = new Map(stored.map((row) => [nameOfRow(row), row]))
      return keys.flatMap((key) => view.row(key)?.row ?? known.get(nameOfRow(key)) ?? [])
    }),
  find: (kind, id) => {
    const row = view.found.get(joinName(kind, id))
    if (row !== undefined) return Effect.succeed(row)
    return store.find(kind, id)
  },
  list: (query) => listRows(store, view, query),
  matches: (query) => findMatches(store, view, query),
  accounts: (merchant_id, ids) => readAccounts(store, view, merchant_id, ids),
  counters: (merchant_id, keys) => readCounters(store, view, merchant_id, keys),
  uniqueKeyOwner: (merchant_id, scope, key) => {
    const owner = view.owners.get(joinName(merchant_id, scope, key))
    return owner === undefined ? store.uniqueKeyOwner(merchant_id, scope, key) : Effect.succeed(owner)
  },
  lookup: (scope, key) => {
    const found = view.lookups.get(joinName(scope, key))
    return found === undefined ? store.lookup(scope, key) : Effect.succeed(found)
  }
})

/** The methods that write. `take` is one of them unless it peeks, and the executor alone calls it, before a dry run begins. */
const writes = [
  "commit",
  "reindex",
  "claim",
  "heartbeat",
  "forget",
  "define",
  "assign",
  "replaceResponse",
  "recordIdentity"
] as const satisfies ReadonlyArray<keyof Store>

type Method = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>

const forbidInDryRun =
  (name: string, method: Method): Method =>
  (...args) =>
    Effect.withFiber((fiber) =>
      fiber.getRef(DryRun) === undefined
        ? method(...args)
        : Effect.die(new InvariantViolation(`a dry run does not ${name}`))
    )

const reads = [
  "trialCommit",
  "get",
  "find",
  "list",
  "matches",
  "accounts",
  "counters",
  "uniqueKeyOwner",
  "lookup"
] as const

/** Makes a read that sees the writes of the dry run that the fiber works for, if any. */
const readInDryRun =
  (storage: Store, name: (typeof reads)[number]): Method =>
  (...args) =>
    Effect.withFiber((fiber) => {
      const view = toView(fiber.getRef(DryRun))
      const method = (view === undefined ? storage : makeViewedReads(storage, view))[name] as unknown as Method
      return method(...args)
    })

/** Replaces the store by one that dies, as a defect, when a dry run writes to it. */
export const dryRunStorage: Layer.Layer<Storage, never, Storage> = Layer.effect(
  Storage,
  Effect.map(Storage, (storage) =>
    Storage.of({
      ...storage,
      ...(Object.fromEntries([
        ...writes.map((name) => [name, forbidInDryRun(name, storage[name] as unknown as Method)]),
        ...reads.map((name) => [name, readInDryRun(storage, name)])
      ]) as Pick<Store, (typeof writes)[number] | (typeof reads)[number]>)
    })
  )
)
