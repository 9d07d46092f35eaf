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
import { findAccountDifferences, differenceKey } from "./balance-differences.ts"
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
): BreakDifference => {
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
    statement_ids
  }
}

/** A difference to write. `row`: its open break. */
interface Differing {
  readonly row: Row<BreakData> | undefined
  readonly difference: BreakDifference
  readonly one: StatedDifference
}

const isSameAmount = ({ data }: Row<BreakData>, now: BreakDifference): boolean =>
  data.amount === now.amount && (data.direction ?? null) === now.direction

/** Computes the current difference of a break about statements. Undefined: there is none. */
export const findDifference = (
  { storage }: Pick<MatchingDeps, "storage">,
  account: MatchedAccount,
  { kind, statement_id }: Pick<BreakData, "kind" | "statement_id">
) =>
  Effect.map(findAccountDifferences(storage, account), ({ differences }) => {
    const own = differences.find((one) => one.kind === kind && one.statement_ids.at(-1) === statement_id)
    return own === undefined ? undefined : toBreak(own, account)
  })

/**
 * Writes the warnings of an account's statements, and their breaks: each current difference is open, once, and no other is. A dismissal applies for as long as
 * the difference is the same, and again when it returns.
 */
export const writeStatementBreaks = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  expected: BooksVersion
) {
  const { storage } = deps
  const roster = { version: yield* readRosterVersion(deps, account.id) }
  const { differences, ...found } = yield* findAccountDifferences(storage, account)
  // What comes meanwhile writes the warnings itself, or the next run does.
  yield* writeNotices(deps, account.id, roster, found).pipe(Effect.catchTag("Stale", () => Effect.void))
  const keyOf = (statement_id: string, kind: string): string => statementBreakKey(statement_id, kind)
  const now = new Map(differences.map((one) => [keyOf(one.statement_ids.at(-1)!, one.kind), one]))
  const known = yield* readBreaksByKey(deps, account, [...now.keys()])
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
    const difference = toBreak(one, account)
    const own = known.get(key) ?? []
    if (own.some((each) => each.data.action === "dismiss" && isSameAmount(each, difference))) return []
    const row = own.find(({ state }) => state === "open")
    if (row !== undefined) kept.add(row.id)
    return row !== undefined && isSameDifference(row.data, difference) ? [] : [{ row, difference, one }]
  })
  const ended = open.filter(({ id }) => !kept.has(id))
  if (changes.length === 0 && ended.length === 0) return "written" as const
  return yield* commitForRun(deps, expected, (at) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(
        changes,
        ({ difference, one, row }): Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault> => {
          if (row !== undefined) return stepRow(deps, BreakKind, row, { type: "found", difference }, at)
          const about = {
            statement_id: difference.statement_ids!.at(-1)!,
            movements: [],
            accounted_on: dayOf({ key: differenceKey(one), day: one.day })
          }
          return Effect.map(raiseBreak(deps, account, difference, about, at), (one): ReadonlyArray<ChangeSet> => [one])
        }
      )
      const cleared = yield* Effect.forEach(ended, (row) => stepRow(deps, BreakKind, row, { type: "cleared", at }, at))
      return [...made.flat(), ...cleared.flat()]
    })
  )
})
