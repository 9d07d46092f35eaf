/** The breaks of statements themselves: what is missing between them, and balances that differ (INGEST-6, INGEST-9). */
import { Effect } from "effect"
import type { BreakData, BreakDifference } from "../../../machines/reconciliation/break.ts"
import type { StatementData } from "../../../machines/reconciliation/statement.ts"
import { everyRow } from "../../calls/every-row.ts"
import type { Row } from "../../ports/Storage.ts"
import type { MatchedAccount } from "./books.ts"
import { BreakKind, statementBreakKey } from "./break.ts"
import { type BooksGuard, breaksOf, cleared, raised, writing } from "./break-writing.ts"
import { type MatchingDeps, platform, stepped } from "./matched-account.ts"
import { previousDay, seriesOf } from "./statement-chunks.ts"
import { gapKey, StatementKind, unreachedKey } from "./statement-kinds.ts"
import { isFollowing } from "./statement-plan.ts"

interface StatementBreak {
  readonly id: string
  readonly kind: "gap" | "balance_differs"
  /** What the balance has more, or less. Null: it is a gap. */
  readonly differs: bigint | null
  readonly isLoss: boolean
  readonly since: number
}

const ofGap = ({ created_at, id }: Row): StatementBreak => ({
  id,
  kind: "gap",
  differs: null,
  isLoss: false,
  since: created_at
})

/** A balance that differs by so much. */
const ofBalance = ({ created_at, id }: Row, differs: bigint, isLoss: boolean): StatementBreak => ({
  id,
  kind: "balance_differs",
  differs,
  isLoss,
  since: created_at
})

/**
 * Whether the opening balance of a statement is that of its account's first day. MT940 names it with the day before, at whose end it was.
 */
const isAtOpening = ({ closing_balance, format, opening_balance }: StatementData, day: string): boolean =>
  opening_balance?.date === day ||
  (format === "mt940" && opening_balance?.date === previousDay(day) && (closing_balance?.date ?? "") >= day)

/** Before which of these statements nothing is missing any more: the one that was came late. */
const filledAmong = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  gaps: ReadonlyArray<Row<StatementData>>
) {
  if (gaps.length === 0) return new Set<string>()
  const series = yield* seriesOf(deps, account.id)
  const filled = gaps.filter(({ data, id }) =>
    isFollowing(
      data,
      series.filter((other) => other.id !== id).map((other) => other.data)
    )
  )
  return new Set(filled.map(({ id }) => statementBreakKey(id, "gap")))
})

const differenceOf = ({ differs, isLoss, kind }: StatementBreak): BreakDifference => {
  const amount = differs === null ? null : (differs < 0n ? -differs : differs).toString()
  return {
    kind,
    severity: isLoss ? "high" : "low",
    amount,
    direction: differs === null ? null : differs < 0n ? "debit" : "credit",
    exposure: isLoss ? amount : null,
    line_ids: [],
    resource_ids: [],
    candidates: [],
    adopt: null
  }
}

/** The open breaks of an opening balance that differs otherwise by now: the account's own was modified. None of a closing balance has its key. */
const restated = (
  known: ReadonlyArray<Row<BreakData>>,
  { data }: Row<StatementData>,
  now: BreakDifference | undefined
): ReadonlyArray<Row<BreakData>> =>
  data.unreached === undefined
    ? known.filter(
        (row) => row.state === "open" && (row.data.amount !== now?.amount || row.data.direction !== now?.direction)
      )
    : []

/**
 * The breaks of statements: what their warnings say is missing, a closing balance that their lines do not lead to, and an opening balance
 * that is not the account's as it is now. Of money that is gone without a line, the whole is exposed. What was missing and came
 * late ends its break.
 */
export const statementBreaks = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  guard: BooksGuard
) {
  const index_keys = [`external_account_id=${account.id}`]
  const query = { ...platform, kinds: [StatementKind.kind], index_keys }
  const warned = (key: string) =>
    Effect.map(
      everyRow(deps.storage, { ...query, index_keys: [...index_keys, key] }, () => true),
      (rows) => rows as ReadonlyArray<Row<StatementData>>
    )
  const { total } = yield* deps.storage.list({ ...query, offset: 0, limit: 1 })
  const [last] = total === 0 ? [] : (yield* deps.storage.list({ ...query, offset: total - 1, limit: 1 })).items
  const oldest = last as Row<StatementData> | undefined
  const gaps = yield* warned(gapKey)
  const unreached = (yield* warned(unreachedKey)).map((row) => {
    const differs = BigInt(row.data.unreached ?? "0")
    return ofBalance(row, differs, differs < 0n)
  })
  const began = oldest?.data.opening_balance ?? null
  const differs =
    began === null || !isAtOpening(oldest!.data, account.opening.date)
      ? 0n
      : BigInt(began.amount) - BigInt(account.opening.balance)
  const balances = oldest === undefined || differs === 0n ? [] : [ofBalance(oldest, differs, false)]
  const all = [...gaps.map(ofGap), ...unreached, ...balances]
  const opening = oldest === undefined ? [] : [statementBreakKey(oldest.id, "balance_differs")]
  const known = yield* breaksOf(deps, account, [
    ...new Set([...all.map(({ id, kind }) => statementBreakKey(id, kind)), ...opening])
  ])
  const now = balances.map(differenceOf)[0]
  const others = opening.flatMap((key) => restated(known.get(key) ?? [], oldest!, now))
  const isUndecided = ({ id }: Row): boolean =>
    (known.get(statementBreakKey(id, "gap")) ?? [{ state: "open" }]).some(({ state }) => state === "open")
  const filled = yield* filledAmong(deps, account, gaps.filter(isUndecided))
  const ended = new Map([...known].filter(([key]) => filled.has(key)))
  const isMissing = (key: string): boolean => !known.has(key) && !filled.has(key)
  const missing = all.filter(({ id, kind }) => isMissing(statementBreakKey(id, kind)))
  if (missing.length === 0 && ended.size === 0 && others.length === 0) return "written" as const
  return yield* writing(deps, guard, (at) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(missing, (one) =>
        raised(deps, account, differenceOf(one), { statement_id: one.id, movements: [], since: one.since }, at)
      )
      const again = yield* Effect.forEach(others, (row) =>
        stepped(
          deps,
          BreakKind,
          row,
          now === undefined ? { type: "cleared", at } : { type: "found", difference: now },
          at
        )
      )
      return [...made, ...again.flat(), ...(yield* cleared(deps, account, ended, () => true, new Set(), at))]
    })
  )
})
