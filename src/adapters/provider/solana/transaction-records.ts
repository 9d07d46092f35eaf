/**
 * What the state store has of transactions: the command that one was signed for, and what it changed once it is final. Each that reads a
 * final transaction keeps it (the reader of events, a submission, a look-up, a statement), so that no node of Corridor reads it again.
 *
 * A record has index keys of its slot at three levels, so that the transactions of some slots are listed without those of others.
 */
import { Clock, Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Row, RowKey } from "../../../engine/ports/Storage.ts"
import type { EntryWrite } from "../books.ts"
import { type ChainBooks, readData } from "../chain/books.ts"
import type { SolanaContext } from "./config.ts"
import { toProviderKey, type SeenPayin, solanaKey, type SolanaOutgoing } from "./entries.ts"
import type { SolanaTransaction } from "./rpc.ts"

/** What a final transaction changed, of all token accounts that it has: an address that is issued later needs no second reading. */
export interface TransactionEffect {
  /** Epoch milliseconds. Null: the node that showed it did not know. */
  readonly at: number | null
  readonly isFailed: boolean
  readonly tokens: { readonly [account: string]: { readonly mint: string; readonly delta: string } }
  /** Of the hot wallet. */
  readonly lamports: string
}

/** `slot`: of its finalized block; null: nobody has read it there. `effect`: null, nobody has kept it. */
export interface TransactionRecord {
  readonly signature: string
  readonly command_id: string | null
  readonly slot: number | null
  readonly effect: TransactionEffect | null
}

type Store = Pick<SolanaContext, "books" | "name">

/** Slots of a bucket, as powers of two, the largest first. */
const levels = [20, 14, 8] as const

/** More buckets than that are looked at by a higher level. */
const bucketsMax = 64

const bucketKey = (level: number, bucket: number): string => `slots_id=${level}.${bucket}`

const bucketOf = (level: number, slot: number): number => Math.floor(slot / 2 ** level)

export const recordKey = (name: string, signature: string): RowKey => solanaKey(name, "solana_transaction", signature)

const toRecordWrite = (name: string, record: TransactionRecord): EntryWrite => ({
  key: recordKey(name, record.signature),
  data: record,
  index_keys: [
    toProviderKey(name),
    ...(record.slot === null ? [] : levels.map((level) => bucketKey(level, bucketOf(level, record.slot!))))
  ]
})

/** Makes the record of the changes that a final transaction made. */
export const toTransactionEffect = (
  { hot }: Pick<SolanaContext, "hot">,
  { at, error, lamports, slot, tokens }: SolanaTransaction
): { readonly slot: number; readonly effect: TransactionEffect } => ({
  slot,
  effect: {
    at,
    isFailed: error !== null,
    tokens: Object.fromEntries(
      [...tokens].flatMap(([account, { delta, mint }]) =>
        delta === 0n ? [] : [[account, { mint, delta: delta.toString() }] as const]
      )
    ),
    lamports: (lamports.get(hot.address) ?? 0n).toString()
  }
})

/** What somebody knows of a transaction. */
export type Knowledge = Pick<TransactionRecord, "signature"> & Partial<TransactionRecord>

/** Makes the entries that add `known` to the record of a transaction, `row`. None: the record has it already. */
export const makeRecordEntries = (name: string, row: Row | undefined, known: Knowledge): ReadonlyArray<EntryWrite> => {
  const before = readData<TransactionRecord>(row)
  const effect = known.effect ?? null
  const earlier = before?.effect ?? null
  const isNewEffect = effect !== null && (earlier === null || (earlier.at === null && effect.at !== null))
  const after: TransactionRecord = {
    signature: known.signature,
    command_id: before?.command_id ?? known.command_id ?? null,
    slot: before?.slot ?? known.slot ?? null,
    effect: isNewEffect ? effect : earlier
  }
  const isSame = before?.command_id === after.command_id && before.slot === after.slot && !isNewEffect
  return isSame ? [] : [toRecordWrite(name, after)]
}

/** Records of one decision. */
const keptMax = 50

/** Stores the records of transactions, some at a time. */
export const storeRecords = Effect.fnUntraced(function* ({ books, name }: Store, known: ReadonlyArray<Knowledge>) {
  for (let from = 0; from < known.length; from += keptMax) {
    const some = [...new Map(known.slice(from, from + keptMax).map((one) => [one.signature, one])).values()]
    yield* books.amend(
      some.map(({ signature }) => recordKey(name, signature)),
      (rows) => ({ entries: some.flatMap((one, n) => makeRecordEntries(name, rows[n], one)), result: undefined })
    )
  }
})

/** Keys of one read. */
const keysMax = 500

/** Reads entries, by the ids of their keys; missing ones are left out. */
export const readEntries = Effect.fnUntraced(function* <Data>(books: ChainBooks, keys: ReadonlyArray<RowKey>) {
  const found = new Map<string, Data>()
  for (let from = 0; from < keys.length; from += keysMax)
    for (const row of yield* books.get(keys.slice(from, from + keysMax))) found.set(row.id, readData<Data>(row)!)
  return found
})

/**
 * Reads the records of final transactions above a slot, up to `final`. Once there are more than `enough`, only those up to the
 * slot `until`. Law: no record up to `until` is missing that existed when the call began.
 */
export const readRecordsBetween = Effect.fnUntraced(function* (
  { books, name }: Store,
  above: number,
  final: number,
  enough: number
) {
  const found: Array<TransactionRecord> = []
  let until = above
  const walk = (from: number, to: number): Effect.Effect<void, ProviderFault> =>
    Effect.gen(function* () {
      const at = levels.findLastIndex((level) => bucketOf(level, to) - bucketOf(level, from) < bucketsMax)
      const level = levels[Math.max(0, at)]!
      const isLast = level === levels.at(-1)
      for (let bucket = bucketOf(level, from); bucket <= bucketOf(level, to) && found.length <= enough; bucket++) {
        const which = {
          kind: "solana_transaction",
          index_keys: [toProviderKey(name), bucketKey(level, bucket)],
          ...(isLast ? {} : { limit: 1 })
        }
        const rows = yield* books.list(which)
        const end = Math.min(to, (bucket + 1) * 2 ** level - 1)
        if (!isLast && rows.length > 0) {
          yield* walk(Math.max(from, bucket * 2 ** level), end)
          continue
        }
        found.push(
          ...rows
            .map((row) => readData<TransactionRecord>(row)!)
            .filter(({ slot }) => slot !== null && slot > above && slot <= final)
        )
        until = end
      }
    })
  if (final > above) yield* walk(above + 1, final)
  return { records: found, until }
})

const knownOf = {
  solana_payin: (entry: object): ReadonlyArray<Knowledge> => {
    const { confirmed_at, signature, slot } = entry as SeenPayin
    return confirmed_at === null ? [] : [{ signature, slot }]
  },
  solana_outgoing: (entry: object): ReadonlyArray<Knowledge> => {
    const { attempts, command_id } = entry as SolanaOutgoing
    return attempts.map(({ signature }) => ({ signature, command_id }))
  }
}

/** Makes and stores the transaction records of entries that an earlier release wrote. */
export const storeRecordsOfEntries = (store: Store, rows: ReadonlyArray<Pick<Row, "kind" | "data">>) =>
  storeRecords(
    store,
    rows.flatMap(({ data, kind }) =>
      kind === "solana_payin" || kind === "solana_outgoing" ? knownOf[kind](data as object) : []
    )
  )

/** How far the entries of before this build have records, by kind: an offset in their list, newest first; null: all have. */
type Indexed = { readonly [kind in keyof typeof knownOf]: number | null }

/** The state of the statement, which all nodes share. `unreached`: by cursor, the slot at which a page was first read without all of its lines. */
interface StatementState {
  readonly indexed: Indexed
  readonly unreached: { readonly [cursor: string]: number }
}

const stateKey = (name: string) => solanaKey(name, "solana_statement", "state")
const initialState: StatementState = { indexed: { solana_payin: 0, solana_outgoing: 0 }, unreached: {} }

const amendStatementState = <A>(
  { books, name }: Store,
  change: (before: StatementState) => { readonly after: StatementState; readonly result: A }
): Effect.Effect<A, ProviderFault> =>
  books.amend([stateKey(name)], ([row]) => {
    const before = readData<StatementState>(row) ?? initialState
    const { after, result } = change(before)
    const write = { key: stateKey(name), data: after, index_keys: [toProviderKey(name)] }
    return { entries: after === before ? [] : [write], result }
  })

/** Entries of one page of the walk over those of before this build. */
const indexedMax = 200

/**
 * Makes the transaction records of all earlier entries, once in the life of a store, continuing after an interruption. New
 * entries shift the offsets, so that some entries are seen twice and none is missed. Returns whether all have records.
 */
export const indexOlderEntries = Effect.fnUntraced(function* (store: Store, deadline: number) {
  const { books, name } = store
  const kinds = ["solana_payin", "solana_outgoing"] as const
  let { indexed } = (yield* books.read<StatementState>(stateKey(name))) ?? initialState
  for (const kind of kinds)
    for (let from = indexed[kind]; from !== null; from = indexed[kind]) {
      if ((yield* Clock.currentTimeMillis) > deadline) return false
      const rows = yield* books.list({ kind, index_keys: [toProviderKey(name)], from, limit: indexedMax })
      yield* storeRecordsOfEntries(store, rows)
      const next = rows.length < indexedMax ? null : from + rows.length
      indexed = yield* amendStatementState(store, (before) => {
        const after = { ...before, indexed: { ...before.indexed, [kind]: next } }
        return { after, result: after.indexed }
      })
    }
  return true
})

/** Cursors of which it is kept since when they fail. */
const unreachedMax = 20

/**
 * Records the slot at which a page was first read without all of its lines, and returns the recorded one: `final`, unless it was
 * recorded before. The first time, all entries are indexed again: a node of the earlier release may have written some since.
 */
export const recordGap = (store: Store, cursor: string, final: number): Effect.Effect<number, ProviderFault> =>
  amendStatementState(store, (before) => {
    const first = before.unreached[cursor]
    if (first !== undefined) return { after: before, result: first }
    const latest = Object.entries(before.unreached)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, unreachedMax - 1)
    const unreached = { ...Object.fromEntries(latest), [cursor]: final }
    return { after: { indexed: initialState.indexed, unreached }, result: final }
  })
