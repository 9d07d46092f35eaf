/** Where the money of a resource has gone on: the resources that took it over after its own last posting (TIMELINE-7). */
import { Effect } from "effect"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { ExceptionData } from "../../../machines/deposits/exception.ts"
import { changesOf, classOf, ownerOf } from "../../../machines/kernel/ledger.ts"
import type { ConversionData } from "../../../machines/movements/conversion.ts"
import type { Kinds } from "../../commit/Kinds.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Row, Storage, StoredPosting } from "../../ports/Storage.ts"
import { transactionId } from "../../representations/movements/transaction.ts"
import { DepositKind } from "../../resources/deposits/deposit.ts"
import { ExceptionKind } from "../../resources/deposits/exception.ts"
import { ConversionKind } from "../../resources/movements/conversion.ts"
import { findAnywhere } from "../find.ts"

export interface Heirs {
  /** Oldest link first. */
  readonly rows: ReadonlyArray<Row>
  readonly postings: ReadonlyArray<StoredPosting>
  /** The operator has forwarded the balance of the credential since: it is no heir, because it took the money of others too. */
  readonly isForwarded: boolean
}

interface Deps {
  readonly storage: Storage["Service"]
  readonly kinds: Kinds["Service"]
}

/** The most resources that are followed. */
const heirsMax = 20

const has = (postings: ReadonlyArray<StoredPosting>, name: string): boolean =>
  [...changesOf(postings)].some(([account, change]) => change > 0n && account.startsWith(`${name}/`))

/** The id of the resource to which a resolved exception gave its money. */
const givenTo = ({ action, adjusting_entry_id, credited, resource_id }: ExceptionData): string | undefined => {
  if (action === "credit") return credited?.transaction_id
  if (action === "adjust") return adjusting_entry_id
  return action === "apply" ? (resource_id ?? undefined) : undefined
}

/** The resources that took money over from a resource directly. */
const nextOf = Effect.fnUntraced(function* (
  { kinds, storage }: Deps,
  row: Row,
  postings: ReadonlyArray<StoredPosting>
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const { id, kind, merchant_id, state } = row
  if (kind === ExceptionKind.kind) {
    const to = state === "resolved" ? givenTo(row.data as ExceptionData) : undefined
    if (to === undefined) return []
    const found = yield* Effect.catchTag(findAnywhere(storage, kinds, to), "NotFound", () => Effect.succeed(undefined))
    return found === undefined ? [] : [found]
  }
  if (kind === DepositKind.kind && state === "received")
    return (yield* storage.descendants(merchant_id, [row.root_id ?? id])).filter(
      (one) =>
        one.kind === ConversionKind.kind && (one.data as ConversionData).parent_transaction_id === transactionId(id)
    )
  if (!has(postings, "suspense")) return []
  const about = {
    merchant_id,
    kinds: [ExceptionKind.kind],
    index_keys: [`resource_id=${id}`],
    offset: 0,
    limit: heirsMax
  }
  // An exception that is not booked brought its own money to suspense.
  return (yield* storage.list(about)).items.filter(({ data }) => (data as ExceptionData).booked)
})

/** The credential on which postings left or gave back money, and the wallet to which an operator forwards it. */
const credentialIn = (rows: ReadonlyArray<Row>, postings: ReadonlyArray<StoredPosting>) => {
  const account = postings.findLast(({ credit }) => classOf(credit) === "credential")?.credit
  const wallet_id = rows
    .map(({ data }) => data as Partial<DepositData & ConversionData>)
    .map(({ destination_wallet, wallet_id: own }) => destination_wallet?.id ?? own)
    .find((one) => one !== undefined)
  return account === undefined || wallet_id === undefined ? undefined : { source_id: ownerOf(account), wallet_id }
}

const isForwarded = Effect.fnUntraced(function* (
  { storage }: Deps,
  rows: readonly [Row, ...ReadonlyArray<Row>],
  postings: ReadonlyArray<StoredPosting>
) {
  const credential = credentialIn(rows, postings)
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

/** `ownOnly`: only resources of the same merchant. */
export const heirsOf = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row,
  postings: ReadonlyArray<StoredPosting>,
  ownOnly: boolean
): Effect.fn.Return<Heirs, StorageFault> {
  const rows: Array<Row> = []
  const all = [...postings]
  let links: ReadonlyArray<readonly [Row, ReadonlyArray<StoredPosting>]> = [[row, postings]]
  while (links.length > 0) {
    const found = (yield* Effect.forEach(links, ([from, own]) => nextOf(deps, from, own))).flat()
    const fresh = found.filter(
      ({ id, merchant_id }) =>
        id !== row.id && !rows.some((one) => one.id === id) && (!ownOnly || merchant_id === row.merchant_id)
    )
    const next = fresh.slice(0, heirsMax - rows.length)
    links = yield* Effect.forEach(next, (one) =>
      Effect.map(deps.storage.history(one.merchant_id, one.id), (history) => [one, history.postings] as const)
    )
    rows.push(...next)
    all.push(...links.flatMap(([, own]) => own))
  }
  return { rows, postings: all.slice(postings.length), isForwarded: yield* isForwarded(deps, [row, ...rows], all) }
})
