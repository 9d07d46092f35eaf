/** Where the money of a resource has gone on: the resources that took it over (TIMELINE-7). */
import { Effect } from "effect"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import { type ExceptionData, findMoney } from "../../../machines/deposits/exception.ts"
import { classOf, ownerOf } from "../../../machines/kernel/ledger.ts"
import type { ConversionData } from "../../../machines/movements/conversion.ts"
import type { Kinds } from "../../commit/kind.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Row, Storage, StoredPosting, Transition } from "../../ports/Storage.ts"
import { transactionId } from "../../representations/movements/transaction.ts"
import { DepositKind } from "../../resources/deposits/deposit.ts"
import { ExceptionKind } from "../../resources/deposits/exception.ts"
import { ConversionKind } from "../../resources/movements/conversion.ts"
import { AdjustingEntryKind } from "../../resources/reconciliation/entry-posting.ts"
import { findAnywhere } from "../find.ts"

/** A posting with the resource that made it. */
interface Move {
  readonly by: Row
  readonly posting: StoredPosting
  /** It only corrects the books: a dismissal, or an adjusting entry. Nobody was paid. */
  readonly isBooking: boolean
}

export interface Heirs {
  /** Oldest link first. */
  readonly rows: ReadonlyArray<Row>
  /** Of the resource and of its heirs. */
  readonly moves: ReadonlyArray<Move>
  /** The operator has forwarded the balance of the credential since: it is no heir, because it took the money of others too. */
  readonly isForwarded: boolean
}

interface Deps {
  readonly storage: Storage["Service"]
  readonly kinds: Kinds["Service"]
}

/** The most resources that are followed, and exceptions about one of them that are looked at. */
const heirsMax = 20
const aboutMax = 100

/** Finds the money that an exception has in suspense now. Null: none. */
export const findMoneyInSuspense = ({ data, kind, state }: Row) =>
  kind === ExceptionKind.kind && state !== "resolved" ? findMoney(data as ExceptionData) : null

/** The transitions that end an exception by its books alone, if it is dismissed. */
const endings: ReadonlySet<string> = new Set(["resolve", "reclaimed"])

/** Whether a transition only corrects the books, and pays nobody. */
const isBooking = ({ data, kind }: Row, via: string | undefined): boolean => {
  if (kind === AdjustingEntryKind.kind) return true
  const { action, credited } = data as Partial<ExceptionData>
  return kind === ExceptionKind.kind && action === "dismiss" && credited === undefined && endings.has(via ?? "")
}

interface History {
  readonly postings: ReadonlyArray<StoredPosting>
  readonly transitions: ReadonlyArray<Transition>
}

const listMoves = (by: Row, { postings, transitions }: History): ReadonlyArray<Move> => {
  const vias = new Map(transitions.filter(({ kind }) => kind === by.kind).map(({ version, via }) => [version, via]))
  return postings.map((posting) => ({ by, posting, isBooking: isBooking(by, vias.get(posting.version)) }))
}

/** Lists the resources to which an exception gave its money: what was credited stays so, however it ends. */
const listRecipients = ({ action, adjusting_entry_id, credited, resource_id }: ExceptionData): ReadonlyArray<string> =>
  [
    credited?.transaction_id,
    action === "adjust" ? adjusting_entry_id : undefined,
    action === "apply" ? resource_id : undefined
  ].filter((id) => typeof id === "string")

/**
 * Whether an exception about a resource has, or had, money of it: money that it set aside, that came back from its payment, or that its own
 * pay-in brought. Money of another pay-in does not count.
 */
const isOfMoney = (row: Row, { booked, payin_id, ...e }: ExceptionData): boolean => {
  if (e.amount === null) return false
  const { payin_id: own = null } = row.data as { readonly payin_id?: string | null }
  return booked || payin_id === null || payin_id === own
}

/** Reads the resources that took money over from a resource directly. */
const readNextHeirs = Effect.fnUntraced(function* (
  { kinds, storage }: Deps,
  row: Row
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const { id, kind, merchant_id, state } = row
  const about = {
    merchant_id,
    kinds: [ExceptionKind.kind],
    index_keys: [`resource_id=${id}`],
    offset: 0,
    limit: aboutMax
  }
  const exceptions = (yield* storage.list(about)).items.filter(({ data }) => isOfMoney(row, data as ExceptionData))
  if (kind === ExceptionKind.kind) {
    const ids = findMoneyInSuspense(row) === null ? listRecipients(row.data as ExceptionData) : []
    const found = yield* Effect.forEach(ids, (to) =>
      Effect.catchTag(findAnywhere(storage, kinds, to), "NotFound", () => Effect.succeed(undefined))
    )
    return [...exceptions, ...found.filter((one) => one !== undefined)]
  }
  if (kind !== DepositKind.kind || state !== "received") return exceptions
  const conversions = (yield* storage.descendants(merchant_id, [row.root_id ?? id])).filter(
    (one) =>
      one.kind === ConversionKind.kind && (one.data as ConversionData).parent_transaction_id === transactionId(id)
  )
  return [...exceptions, ...conversions]
})

/** Whether an operator has forwarded money that came to a credential, after these postings. */
const isForwarded = Effect.fnUntraced(function* (
  { storage }: Deps,
  rows: readonly [Row, ...ReadonlyArray<Row>],
  postings: ReadonlyArray<StoredPosting>
) {
  // The credential on which postings left or gave back money, and the wallet to which an operator forwards it.
  const account = postings.findLast(({ credit }) => classOf(credit) === "credential")?.credit
  const wallet_id = rows
    .map(({ data }) => data as Partial<DepositData & ConversionData>)
    .map(({ destination_wallet, wallet_id: own = null }) => destination_wallet?.id ?? own)
    // An exception may know no wallet.
    .find((one) => one !== null)
  const credential =
    account === undefined || wallet_id === undefined ? undefined : { source_id: ownerOf(account), wallet_id }
  if (credential === undefined) return false
  const { items } = yield* storage.list({
    merchant_id: rows[0].merchant_id,
    kinds: [DepositKind.kind],
    index_keys: ["source_type=deposit_forward", `wallet_id=${credential.wallet_id}`],
    created_after: postings.reduce((last, { at }) => Math.max(last, at), 0),
    offset: 0,
    limit: 200
  })
  return items.some(({ data }) => (data as DepositData).source_id === credential.source_id)
})

/** Reads the resources that took a resource's money over, one after the other. `ownOnly`: only those of the same merchant. */
export const readHeirs = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row,
  history: History,
  ownOnly: boolean
): Effect.fn.Return<Heirs, StorageFault> {
  const rows: Array<Row> = []
  const moves = [...listMoves(row, history)]
  let links: ReadonlyArray<Row> = [row]
  while (links.length > 0) {
    const found = (yield* Effect.forEach(links, (from) => readNextHeirs(deps, from))).flat()
    const fresh = found.filter(
      ({ id, merchant_id }, at) =>
        id !== row.id &&
        found.findIndex((one) => one.id === id) === at &&
        !rows.some((one) => one.id === id) &&
        (!ownOnly || merchant_id === row.merchant_id)
    )
    links = fresh.slice(0, heirsMax - rows.length)
    rows.push(...links)
    for (const one of links) moves.push(...listMoves(one, yield* deps.storage.history(one.merchant_id, one.id)))
  }
  const postings = moves.map(({ posting }) => posting)
  return { rows, moves, isForwarded: yield* isForwarded(deps, [row, ...rows], postings) }
})
