/** The breaks of statements: gaps between them, and balances that differ (INGEST-6, INGEST-9). */
import { Effect } from "effect"
import type { StatedDifference } from "../../../machines/kernel/balances.ts"
import { type BreakData, type BreakDifference, isSameDifference } from "../../../machines/reconciliation/break.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { creationTimeOf } from "../../ports/Ids.ts"
import type { Row } from "../../ports/Storage.ts"
import { findDayStart } from "./account-days.ts"
import { findAccountDifferences, listDifferenceKeys } from "./balance-differences.ts"
import type { MatchedAccount } from "./books.ts"
import { BreakKind, statementBreakKey } from "./break.ts"
import { type BooksVersion, readBreaksByKey, raiseBreak, commitForRun } from "./break-writing.ts"
import { readCountingDays } from "./counting-days.ts"
import { readRosterVersion, writeNotices } from "./line-joining.ts"
import { type MatchingDeps, platform, stepRow } from "./matched-account.ts"
import { accountKey } from "./statement-line.ts"

const toMagnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** The break of a difference. If money left a chain without a line, all of it is exposed. */
const toBreak = (
  { amount, day, kind, statement_ids }: StatedDifference,
  account: Pick<MatchedAccount, "kind" | "time_zone">
): BreakDifference & Pick<BreakData, "statement_id"> => {
  const isLoss = account.kind === "chain" && kind === "balance_differs" && amount < 0n && statement_ids.length === 1
  return {
    kind,
    severity: isLoss ? "high" : "low",
    amount: toMagnitude(amount).toString(),
    direction: amount === 0n ? null : amount < 0n ? "debit" : "credit",
    exposure: isLoss ? toMagnitude(amount).toString() : null,
    line_ids: [],
    resource_ids: [],
    candidates: [],
    adopt: null,
    since: Math.min(creationTimeOf(statement_ids.at(-1)!) ?? Infinity, findDayStart(day, account.time_zone)),
    statement_id: statement_ids.at(-1)!,
    statement_ids
  }
}

/** A difference to write. `row`: its open break. */
interface Differing {
  readonly row: Row<BreakData> | undefined
  readonly difference: ReturnType<typeof toBreak> & Required<Pick<BreakData, "accounted_on">>
}

const isSameAmount = ({ data }: Row<BreakData>, now: BreakDifference): boolean =>
  data.amount === now.amount && (data.direction ?? null) === now.direction

/** Computes the current difference of a break about statements. Undefined: there is none. */
export const findDifference = (
  { storage }: Pick<MatchingDeps, "storage">,
  account: MatchedAccount,
  { kind, statement_id }: Pick<BreakData, "kind" | "statement_id">
) =>
  Effect.map(findAccountDifferences(storage, account), ({ differences, same }) => {
    const ids = same(statement_id!)
    const [own] = ids.flatMap(
      (id) => differences.find((one) => one.kind === kind && one.statement_ids.at(-1) === id) ?? []
    )
    return own === undefined ? undefined : toBreak(own, account)
  })

/**
 * Writes the warnings of an account's statements, and their breaks: each current difference is open, once, and no other is. A dismissal applies for as long as
 * the difference is the same, and again when it returns, whichever of the statements that are the same says it.
 */
export const writeStatementBreaks = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  expected: BooksVersion
) {
  const { storage } = deps
  const roster = { version: yield* readRosterVersion(deps, account.id) }
  const { differences, same, ...found } = yield* findAccountDifferences(storage, account)
  // What comes meanwhile writes the warnings itself, or the next run does.
  yield* writeNotices(deps, account.id, roster, found).pipe(Effect.catchTag("Stale", () => Effect.void))
  const now = new Map(differences.map((one) => [statementBreakKey(one.statement_ids.at(-1)!, one.kind), one]))
  const listKeys = ({ kind, statement_ids }: StatedDifference): ReadonlyArray<string> =>
    same(statement_ids.at(-1)!).map((id) => statementBreakKey(id, kind))
  const known = yield* readBreaksByKey(deps, account, differences.flatMap(listKeys))
  const openOf = (kind: string) =>
    readAllRows(
      storage,
      { ...platform, kinds: [BreakKind.kind], index_keys: [accountKey(account.id), `kind=${kind}`, "status=open"] },
      () => true
    )
  const open = [...(yield* openOf("gap")), ...(yield* openOf("balance_differs"))] as ReadonlyArray<Row<BreakData>>
  const { dayOf } = yield* readCountingDays(storage, account.id)
  const kept = new Set<string>()
  const changes = [...now].flatMap(([key, one]): ReadonlyArray<Differing> => {
    const stated = toBreak(one, account)
    const own = listKeys(one).flatMap((each) => known.get(each) ?? [])
    if (own.some((each) => each.data.action === "dismiss" && isSameAmount(each, stated))) return []
    // That of another statement, unless this one has a difference itself.
    const isFree = ({ data }: Row<BreakData>): boolean => {
      const its = statementBreakKey(data.statement_id!, data.kind)
      return its === key || !now.has(its)
    }
    const row = own.find((each) => each.state === "open" && isFree(each) && !kept.has(each.id))
    if (row !== undefined) kept.add(row.id)
    const accounted_on = dayOf({ keys: listDifferenceKeys({ same }, one), day: one.day, row })
    return row !== undefined && isSameDifference(row.data, stated)
      ? []
      : [{ row, difference: { ...stated, accounted_on } }]
  })
  const ended = open.filter(({ id }) => !kept.has(id))
  if (changes.length === 0 && ended.length === 0) return "written" as const
  return yield* commitForRun(deps, expected, (at) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(
        changes,
        ({ difference, row }): Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault> => {
          if (row !== undefined) return stepRow(deps, BreakKind, row, { type: "found", difference }, at)
          const { accounted_on, statement_id } = difference
          const about = { statement_id, accounted_on, movements: [] }
          return Effect.map(raiseBreak(deps, account, difference, about, at), (one): ReadonlyArray<ChangeSet> => [one])
        }
      )
      const cleared = yield* Effect.forEach(ended, (row) => stepRow(deps, BreakKind, row, { type: "cleared", at }, at))
      return [...made.flat(), ...cleared.flat()]
    })
  )
})
