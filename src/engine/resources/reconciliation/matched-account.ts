/** The account whose lines are matched, and the lock of its books. */
import { Clock, Effect } from "effect"
import { type AccountId, ownerOf, world } from "../../../machines/kernel/ledger.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { MatchingStateData } from "../../../machines/reconciliation/matching.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { type Kind, Kinds } from "../../commit/kind.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { findBeginnings } from "./account-days.ts"
import type { BooksDeps, MatchedAccount } from "./books.ts"
import { ExternalAccountKind, readMirrors } from "./external-account.ts"
import { beginMatching, MatchingStateKind } from "./matching-state.ts"

export const makeMatchingDeps = Effect.gen(function* () {
  return { storage: yield* Storage, kinds: yield* Kinds, unitOfWork: yield* UnitOfWork, ids: yield* Ids }
})
export type MatchingDeps = Effect.Success<typeof makeMatchingDeps>

export const platform = { merchant_id: PLATFORM_MERCHANT } as const

/** Steps a row. No changes: its state does not take the event. */
export const stepRow = <Data, Event extends { readonly type: string }>(
  { unitOfWork }: Pick<MatchingDeps, "unitOfWork">,
  kind: Kind<Data, Event>,
  row: Row<Data>,
  event: Event,
  at: number
): Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault> =>
  Effect.map(unitOfWork.step(kind, row, event, at), (next) => (next === undefined ? [] : [next.changes]))

/** The optimistic lock of an account's books, read before all else. `version`: 0 if the account was never matched. */
export interface BooksLock {
  readonly version: number
  readonly step: (at: number) => Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault>
}

/** Reads the lock of the books of an account. */
export const readLock = Effect.fnUntraced(function* (
  { storage, unitOfWork }: Omit<MatchingDeps, "kinds">,
  lockId: string
): Effect.fn.Return<BooksLock, StorageFault> {
  const [row] = yield* storage.get([{ ...platform, kind: MatchingStateKind.kind, id: lockId }])
  return {
    version: row?.version ?? 0,
    step: (at) =>
      row === undefined
        ? Effect.succeed([])
        : stepRow({ unitOfWork }, MatchingStateKind, row as Row<MatchingStateData>, { type: "counted", at }, at)
  }
})

/** The account as matching sees it, and the lock of the books that it shares with others. Undefined: there is none. */
export const readMatchedAccount = Effect.fnUntraced(function* (deps: Pick<BooksDeps, "storage">, id: string) {
  const [row] = yield* deps.storage.get([{ ...platform, kind: ExternalAccountKind.kind, id }])
  if (row === undefined) return undefined
  const { data } = row as Row<ExternalAccountData>
  const mirrors = yield* readMirrors(deps, data)
  // Nothing goes through a closed account any more.
  const first = (use: "payouts" | "payins") =>
    mirrors.find(({ data, state }) => state === "active" && data.uses.includes(use))?.id
  const firsts = { payouts: first("payouts"), payins: first("payins") }
  const account: MatchedAccount = {
    ...data,
    id,
    account: world(data.provider) as AccountId,
    isFirstFor: (use) => firsts[use] === id,
    isClosed: row.state === "closed",
    settings: mirrors.reduce((sum, { version }) => sum + version, 0),
    begin: findBeginnings(mirrors),
    mirrors: mirrors.map((one) => one.id)
  }
  return { account, firsts, lockId: mirrors[0]?.id ?? id }
})

/** The books of an external account: it, and their lock, which is read first. */
export const readBooks = Effect.fnUntraced(function* (deps: Omit<MatchingDeps, "kinds">, id: string) {
  const { account, lockId } = (yield* readMatchedAccount(deps, id))!
  return { account, lockId, lock: yield* readLock(deps, lockId) }
})

/** The books at a side of the ledger. Undefined: no external account mirrors it. */
export const readBooksAt = Effect.fnUntraced(function* (
  deps: Omit<MatchingDeps, "kinds">,
  side: AccountId,
  currency: string
) {
  const [first] = yield* readMirrors(deps, { currency, provider: ownerOf(side) })
  return first === undefined ? undefined : yield* readBooks(deps, first.id)
})

/** The matching state of an account. It is made if it is missing. */
export const findOrMakeState = Effect.fnUntraced(function* (deps: MatchingDeps, id: string, opening: string) {
  const { storage, unitOfWork } = deps
  const read = Effect.map(
    storage.get([{ ...platform, kind: MatchingStateKind.kind, id }]),
    ([row]) => row as Row<MatchingStateData> | undefined
  )
  const known = yield* read
  if (known !== undefined) return known
  yield* unitOfWork.apply(PLATFORM_MERCHANT, { deduplicationKey: `matching/${id}` }, function* () {
    const at = yield* Clock.currentTimeMillis
    return { changes: [yield* beginMatching(id, opening, at)], result: undefined }
  })
  return (yield* read)!
})
