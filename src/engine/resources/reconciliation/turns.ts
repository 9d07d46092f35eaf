/** The guard of the books in a decision: whatever steps it, from the version that was read first (MATCH-7). */
import { Effect } from "effect"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Row } from "../../ports/Storage.ts"
import type { Turn } from "./matched-account.ts"
import { MatchingStateKind } from "./matching-state.ts"

/** Books by the id of the row that guards them, and that row as it was read first. */
interface Guarded {
  readonly guard: string
  readonly turn: Turn
}

const isGuard = ({ id, kind }: Pick<Row, "id" | "kind">, guard: string): boolean =>
  kind === MatchingStateKind.kind && id === guard

/** Whether changes already step the row that guards the books. */
export const hasTurn = (changes: ReadonlyArray<ChangeSet>, guard: string): boolean =>
  changes.some(({ rows = [] }) => rows.some((row) => isGuard(row, guard)))

/** What steps a guard may have read it late. From the version that was read first, a decision from books of before is made again. */
const fromFirst = (changes: ReadonlyArray<ChangeSet>, { guard, turn }: Guarded): ReadonlyArray<ChangeSet> =>
  changes.map((one) =>
    one.rows === undefined
      ? one
      : { ...one, rows: one.rows.map((row) => (isGuard(row, guard) ? { ...row, version: turn.version + 1 } : row)) }
  )

/** The changes with a step of each guard of these books, from its version as it was read first. `type`: of a step that they do not make themselves. */
export const inTurn = Effect.fnUntraced(function* (
  changes: ReadonlyArray<ChangeSet>,
  books: ReadonlyArray<Guarded>,
  at: number,
  type: "counted" | "wanted" = "counted"
) {
  let all = changes
  for (const one of books)
    all = hasTurn(all, one.guard) ? fromFirst(all, one) : [...all, ...(yield* one.turn.step(at, type))]
  return all
})
