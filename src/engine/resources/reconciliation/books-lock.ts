/** The optimistic lock of the books in a decision: whatever steps it, from the version that was read first (MATCH-7). */
import { Effect } from "effect"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Row } from "../../ports/Storage.ts"
import type { BooksLock } from "./matched-account.ts"
import { MatchingStateKind, scheduleMatchingAgain } from "./matching-state.ts"

/** Books: the id of the row that locks them, and that row as it was first read. */
interface LockedBooks {
  readonly lockId: string
  readonly lock: BooksLock
}

const isLockRow = ({ id, kind }: Pick<Row, "id" | "kind">, lockId: string): boolean =>
  kind === MatchingStateKind.kind && id === lockId

/** Whether changes already step the row that locks the books. */
export const hasLock = (changes: ReadonlyArray<ChangeSet>, lockId: string): boolean =>
  changes.some(({ rows = [] }) => rows.some((row) => isLockRow(row, lockId)))

/** Sets the lock to the version that was read first: another write since then fails the commit, and the decision is made again. */
const keepFirstVersion = (changes: ReadonlyArray<ChangeSet>, { lockId, lock }: LockedBooks): ReadonlyArray<ChangeSet> =>
  changes.map((one) =>
    one.rows === undefined
      ? one
      : { ...one, rows: one.rows.map((row) => (isLockRow(row, lockId) ? { ...row, version: lock.version + 1 } : row)) }
  )

/** Adds a step of each lock, from the version that was read first. */
export const addLocks = Effect.fnUntraced(function* (
  changes: ReadonlyArray<ChangeSet>,
  books: ReadonlyArray<LockedBooks>,
  at: number
) {
  let all = changes
  for (const one of books)
    all = hasLock(all, one.lockId) ? keepFirstVersion(all, one) : [...all, ...(yield* one.lock.step(at))]
  return all
})

/**
 * Completes the changes of a person's decision on lines, breaks or entries: adds the locks of the books, and a matching run of the
 * accounts, so that whatever follows for other lines is computed at once.
 */
export const addRuns = Effect.fnUntraced(function* (
  deps: Parameters<typeof scheduleMatchingAgain>[0],
  changes: ReadonlyArray<ChangeSet>,
  books: ReadonlyArray<LockedBooks>,
  account_ids: Iterable<string>,
  at: number
) {
  const ids = [...new Set(account_ids)].filter((id) => !hasLock(changes, id))
  const runs = yield* Effect.forEach(ids, (id) => scheduleMatchingAgain(deps, id, at))
  return yield* addLocks([...changes, ...runs.flat()], books, at)
})
