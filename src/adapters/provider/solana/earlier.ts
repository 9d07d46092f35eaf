/**
 * Entries of earlier releases, which belonged to the merchants. Before an entry is asked for, it is adopted: it is written under its key of
 * today. The earlier one stays as it is, for nodes of the earlier release that still run.
 */
import { Clock, Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { RefundCommand } from "../../../engine/ports/Provider.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import type { EntryWrite } from "../books.ts"
import { type ChainBooks, readData, entryKey } from "../chain/books.ts"
import { type EntryKind, toIndexKeys, isOpen, type SeenPayin, type SolanaOutgoing } from "./entries.ts"
import { storeRecordsOfEntries } from "./transaction-records.ts"

/** The books of one provider. */
interface Books {
  readonly name: string
  readonly books: ChainBooks
}

/** A pay-in is adopted after its refunds, and an address after its pay-ins: what is not in the books counts as new. */
const kinds: ReadonlyArray<EntryKind> = ["solana_outgoing", "solana_payin", "solana_address"]

/** The time between two lists of all earlier entries. A node of the earlier release may write more of them meanwhile. */
const period_ms = 60_000

/** What is listed again: the clocks of nodes differ. */
const overlap_ms = 3_600_000

const isUnsigned = ({ attempts, ended }: SolanaOutgoing): boolean => attempts.length === 0 && ended === null

/** The transfer that an earlier release signed, if nothing was signed for it since. Undefined: there is nothing to take over. */
const mergeEarlierSignature = (now: SolanaOutgoing, earlier: SolanaOutgoing): SolanaOutgoing | undefined =>
  isUnsigned(now) && !isUnsigned(earlier)
    ? {
        ...earlier,
        void_through: Math.max(now.void_through, earlier.void_through),
        lookups: now.lookups + earlier.lookups + 1
      }
    : undefined

const mergeEarlierRefunds = (now: SeenPayin, earlier: SeenPayin): SeenPayin | undefined =>
  Object.keys(earlier.refunds).every((id) => now.refunds[id] !== undefined)
    ? undefined
    : { ...now, refunds: { ...earlier.refunds, ...now.refunds } }

/** Makes the entry that stores an earlier release's entry under today's key. Undefined: today's entry already has all of it. */
const makeAdoptedEntry = (name: string, earlier: Row, now: Row | undefined): EntryWrite | undefined => {
  const writeOf = (data: object | undefined, { index_keys }: Row): EntryWrite | undefined =>
    data && {
      key: entryKey(earlier.kind, earlier.id),
      data,
      index_keys: toIndexKeys(name, index_keys.includes(isOpen))
    }
  if (now === undefined) return writeOf(readData<object>(earlier), earlier)
  switch (earlier.kind as EntryKind) {
    case "solana_outgoing":
      return writeOf(mergeEarlierSignature(readData<SolanaOutgoing>(now)!, readData<SolanaOutgoing>(earlier)!), earlier)
    case "solana_payin":
      return writeOf(mergeEarlierRefunds(readData<SeenPayin>(now)!, readData<SeenPayin>(earlier)!), now)
    default:
      return undefined
  }
}

/** Stores rows that an earlier release has written under today's keys. */
const adoptRows = Effect.fnUntraced(function* ({ books, name }: Books, rows: ReadonlyArray<Row>) {
  if (rows.length === 0) return
  const present = new Map(
    (yield* books.get(rows.map(({ kind, id }) => entryKey(kind, id)))).map((row) => [row.id, row])
  )
  for (const row of rows) {
    if (makeAdoptedEntry(name, row, present.get(row.id)) === undefined) continue
    yield* storeRecordsOfEntries({ books, name }, [row])
    yield* books.amend([entryKey(row.kind, row.id)], ([now]) => {
      const entry = makeAdoptedEntry(name, row, now)
      return { entries: entry === undefined ? [] : [entry], result: undefined }
    })
  }
})

/**
 * Adopts the earlier entries of all merchants, at most once a minute. If the store does not answer, they are adopted later: until
 * then, pay-ins to their addresses show only in the balances (SOLANA-16).
 */
export const adoptAllEntries = (books: Books): Effect.Effect<void> => {
  let adopted_at = 0
  let tried_at = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now < tried_at + period_ms) return
    tried_at = now
    const created_after = Math.max(0, adopted_at - overlap_ms)
    for (const kind of kinds) {
      // The index key of all entries that an earlier release has written of a provider.
      const which = { kind, index_keys: [`provider=${books.name}`], created_after }
      yield* adoptRows(books, yield* books.books.list({ ...which, isOfAll: true }))
    }
    adopted_at = now
  }).pipe(Effect.ignore)
}

/** Adopts one earlier entry of a merchant. */
export const adoptMerchantEntry = (
  { books, name }: Books,
  kind: EntryKind,
  { id, merchant_id }: { readonly id: string; readonly merchant_id: string }
): Effect.Effect<void, ProviderFault> =>
  Effect.flatMap(books.get([{ merchant_id, kind, id: `${name}/${id}` }]), (rows) =>
    adoptRows(
      { books, name },
      rows.filter((row) => row.merchant_id !== entryKey(kind, row.id).merchant_id)
    )
  )

/** Adopts a refund, its pay-in and the pay-in's other refunds, whichever merchant they are stored under. */
export const adoptRefundEntries = Effect.fnUntraced(function* (
  books: Books,
  { id, merchant_id, payin_id }: RefundCommand
): Effect.fn.Return<void, ProviderFault> {
  const name = `${books.name}/${payin_id}`
  const keys = [{ merchant_id, kind: "solana_payin", id: name }, entryKey("solana_payin", name)]
  const rows = yield* books.books.get(keys)
  const today = rows.find((row) => row.merchant_id === keys[1]!.merchant_id)
  const earlier =
    rows.find((row) => row !== today) ??
    (today === undefined ? yield* books.books.find("solana_payin", name) : undefined)
  yield* adoptMerchantEntry(books, "solana_outgoing", { id, merchant_id })
  if (earlier === undefined) return
  for (const one of [id, ...Object.keys(readData<SeenPayin>(earlier)!.refunds)])
    yield* adoptMerchantEntry(books, "solana_outgoing", { id: one, merchant_id: earlier.merchant_id })
  yield* adoptRows(books, [earlier])
})
