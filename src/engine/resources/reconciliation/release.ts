/** How lines, and what an entry accounts for, become open again (ADJUST-2, BREAK-6). */
import { Effect } from "effect"
import { classOf } from "../../../machines/kernel/ledger.ts"
import type { AdjustingEntryData } from "../../../machines/reconciliation/adjusting-entry.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { readAllMatches, readAllRowsUnder } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { InvalidStatus } from "../../ports/errors.ts"
import type { Row } from "../../ports/Storage.ts"
import { BreakKind, makeSettledKey } from "./break.ts"
import { readBreaksUnder, endBreaksWith } from "./break-writing.ts"
import { readBooksAt, type readBooks, type MatchingDeps, platform } from "./matched-account.ts"
import { scheduleScan } from "./missing-movements.ts"
import { makeMatchKey, StatementLineKind } from "./statement-line.ts"

export type SharedBooks = Effect.Success<ReturnType<typeof readBooks>>
type Line = Row<StatementLineData>

export const isAccounted = (state: string): boolean => state === "matched" || state === "explained"

const stepNames = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.flatMap(({ data }) => data.matches.map(({ resource_id, version }) => `${resource_id}@${version}`))

/** The lines and all that are matched with them or with parts of the same movements, transitively. They become open together. */
export const findMatchGroup = Effect.fnUntraced(function* (deps: MatchingDeps, lines: ReadonlyArray<Line>) {
  const all = new Map(lines.map((line) => [line.id, line]))
  for (let fresh = lines; fresh.length > 0; ) {
    const named = [...new Set(fresh.flatMap(({ data }) => data.matches.map(({ resource_id }) => resource_id)))]
    const pairs = named.filter((id) => id.startsWith(`${StatementLineKind.prefix}_`))
    const ids = new Set(pairs)
    const query = { ...platform, keys: named.map(makeMatchKey), kinds: [StatementLineKind.kind] }
    for (const { id } of yield* readAllMatches(deps.storage, query)) ids.add(id)
    const steps = new Set(stepNames(fresh))
    const others = yield* findAccountedLines(
      deps,
      [...ids].filter((id) => !all.has(id))
    )
    // Of an entry between two providers, each has its own line.
    fresh = others.filter(
      (line) =>
        line.data.external_account_id === lines[0]!.data.external_account_id &&
        (pairs.includes(line.id) || stepNames([line]).some((step) => steps.has(step)))
    )
    for (const line of fresh) all.set(line.id, line)
  }
  return [...all.values()]
})

/** The changes that reopen every other break than `decided` which ended by a match of these lines alone. */
const unsettleBreaks = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  lines: ReadonlyArray<Line>,
  decided: string | undefined,
  at: number
) {
  const line_ids = lines.map(({ id }) => id)
  const found = [...(yield* readBreaksUnder(deps.storage, line_ids.map(makeSettledKey))).values()].flat()
  const others = new Map(found.filter(({ id }) => id !== decided).map((row) => [row.id, row]))
  const settled = new Set([...others.values()].flatMap(({ data }) => data.settled_lines))
  const left = yield* findAccountedLines(
    deps,
    [...settled].filter((id) => !line_ids.includes(id))
  )
  const ended = [...others.values()].filter(({ data }) => !left.some(({ id }) => data.settled_lines.includes(id)))
  return yield* Effect.forEach(ended, (row) =>
    Effect.map(deps.unitOfWork.stepOrDie(BreakKind, row, { type: "unsettled", line_ids }, at), ({ changes }) => changes)
  )
})

type Step = BreakData["movements"][number]

/**
 * Undoes the matches of lines of an account, and schedules a scan for their movements, and for what else is free with them. `decided`: the break
 * of the decision, which has a step of its own.
 */
export const releaseLines = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  external_account_id: string,
  lines: ReadonlyArray<Line>,
  decided: string | undefined,
  at: number,
  others: ReadonlyArray<Step> = []
) {
  const changes: Array<ChangeSet> = [...(yield* unsettleBreaks(deps, lines, decided, at))]
  for (const line of lines)
    changes.push((yield* deps.unitOfWork.stepOrDie(StatementLineKind, line, { type: "unmatched" }, at)).changes)
  const steps = [...lines.flatMap(({ data }) => data.matches), ...others]
  return [...changes, ...(yield* scheduleScan(deps, external_account_id, steps, at))]
})

/** The matched and explained lines among ids. */
export const findAccountedLines = Effect.fnUntraced(function* (
  { storage }: Pick<MatchingDeps, "storage">,
  ids: ReadonlyArray<string>
) {
  const rows = yield* storage.get(ids.map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  return (rows as ReadonlyArray<Line>).filter(({ state }) => isAccounted(state))
})

/** The lines that are matched with an entry, and the breaks that another entry explains together with it. */
const findAccountedRows = Effect.fnUntraced(function* ({ storage }: Pick<MatchingDeps, "storage">, id: string) {
  const query = { ...platform, keys: [makeMatchKey(id)], kinds: [StatementLineKind.kind, BreakKind.kind] }
  const rows = yield* readAllRowsUnder(storage, query, () => true)
  return {
    lines: rows.filter(({ kind }) => kind === StatementLineKind.kind) as ReadonlyArray<Line>,
    breaks: rows.filter(({ kind }) => kind === BreakKind.kind) as ReadonlyArray<Row<BreakData>>
  }
})

/**
 * The changes by which no line is an entry any more, nor what else settled the break that it ended. `own`: that break. `isReversed`: no
 * statement will have the entry, so that it is missing on none.
 *
 * Errors: `InvalidStatus` where another entry accounts for it.
 */
export const releaseEntry = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  { data: { currency, from, to }, id }: Row<AdjustingEntryData>,
  own: Row<BreakData> | undefined,
  settled: ReadonlyArray<string>,
  isReversed: boolean,
  at: number
) {
  const sides = [from, to].filter((side) => classOf(side) === "world")
  const found = yield* Effect.forEach(sides, (side) => readBooksAt(deps, side, currency))
  const books = found.filter((one) => one !== undefined)
  const { breaks, lines } = yield* findAccountedRows(deps, id)
  const other = breaks.find((one) => one.id !== own?.id)
  if (other !== undefined)
    return yield* new InvalidStatus({
      message: `Adjusting entry ${id} is accounted for by entry ${other.data.adjusting_entry_id}: reopen break ${other.id} first.`
    })
  const accounted = new Map([...(yield* findAccountedLines(deps, settled)), ...lines].map((line) => [line.id, line]))
  const free = new Map<string, Line>()
  const changes: Array<ChangeSet> = []
  const byAccount = Map.groupBy(accounted.values(), (line) => line.data.external_account_id)
  // What the entry explained without lines, as what is on no statement, is free again too.
  const explained = (own?.data.movements ?? []).filter(({ resource_id }) => resource_id !== id)
  for (const account_id of new Set([
    ...byAccount.keys(),
    ...(own === undefined ? [] : [own.data.external_account_id])
  ])) {
    const all = yield* findMatchGroup(deps, byAccount.get(account_id) ?? [])
    for (const line of all) free.set(line.id, line)
    const others = account_id === own?.data.external_account_id ? explained : []
    changes.push(...(yield* releaseLines(deps, account_id, all, own?.id, at, others)))
  }
  if (isReversed)
    for (const { account } of books)
      changes.push(...(yield* endBreaksWith(deps, account, [], [{ resource_id: id, version: 1 }], own?.id, at)))
  return { books, changes, free }
})
