/** How a run of matching writes breaks. Each commit steps the lock of the books. */
import { Clock, Effect } from "effect"
import type { BreakData, BreakDifference } from "../../../machines/reconciliation/break.ts"
import type { MatchingStateData } from "../../../machines/reconciliation/matching.ts"
import { readAllMatches } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row } from "../../ports/Storage.ts"
import { findAccountedSteps, isAtSide, type BooksDeps, type MatchedAccount } from "./books.ts"
import { BreakKind, isLeftToPeople, lineBreakKey, stepBreakKey } from "./break.ts"
import { makeHeldEvent } from "./held-breaks.ts"
import { type MatchingDeps, platform, stepRow, type BooksLock } from "./matched-account.ts"
import { MatchingStateKind } from "./matching-state.ts"
import { StatementLineKind } from "./statement-line.ts"
import { addLocks } from "./books-lock.ts"

/** The version of the books' lock that a run has read or written last. */
export interface BooksVersion {
  readonly id: string
  version: number
}

export const WRITE = 1_000

/** How long the deduplication key of a commit is kept. */
const REMEMBERED_MS = 3_600_000

/** The breaks of index keys, by key, however many a key has: those that `isWanted`. */
export const readBreaksUnder = Effect.fnUntraced(function* (
  storage: BooksDeps["storage"],
  keys: ReadonlyArray<string>,
  wantedOf: (
    rows: ReadonlyArray<Row<BreakData>>
  ) => Effect.Effect<(row: Row<BreakData>) => boolean, StorageFault> = () => Effect.succeed(() => true)
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<Row<BreakData>>>, StorageFault> {
  const found = new Map<string, Array<Row<BreakData>>>()
  const matches = yield* readAllMatches(storage, { ...platform, keys, kinds: [BreakKind.kind] })
  if (matches.length === 0) return found
  const ids = [...new Set(matches.map(({ id }) => id))]
  const rows = yield* storage.get(ids.map((id) => ({ ...platform, kind: BreakKind.kind, id })))
  const isWanted = yield* wantedOf(rows as ReadonlyArray<Row<BreakData>>)
  const byId = new Map((rows as ReadonlyArray<Row<BreakData>>).filter(isWanted).map((row) => [row.id, row]))
  for (const { id, index_key } of matches) {
    const row = byId.get(id)
    if (row !== undefined) found.set(index_key, [...(found.get(index_key) ?? []), row])
  }
  return found
})

/**
 * The breaks under these index keys (of lines, steps or statements), by key. Only those of external accounts that have this account of the
 * ledger, and currency.
 */
export const readBreaksByKey = (
  { storage }: Pick<BooksDeps, "storage">,
  side: Pick<MatchedAccount, "account" | "currency">,
  keys: ReadonlyArray<string>
) => readBreaksUnder(storage, keys, (rows) => isAtSide({ storage }, side, rows))

/** A new break. */
export const raiseBreak = (
  { ids }: Pick<MatchingDeps, "ids">,
  account: MatchedAccount,
  difference: BreakDifference,
  about: Pick<BreakData, "statement_id" | "movements" | "accounted_on"> &
    Partial<Pick<BreakData, "held" | "held_lines" | "found" | "note">>,
  at: number
): Effect.Effect<ChangeSet> =>
  Effect.gen(function* () {
    const id = yield* ids.make(BreakKind.prefix)
    const data: BreakData = {
      ...difference,
      external_account_id: account.id,
      currency: account.currency,
      held: false,
      action: null,
      note: null,
      ...about,
      adjusting_entry_id: null,
      settled_lines: [],
      resolved_at: null
    }
    return (yield* begin(BreakKind, { ...platform, id }, data, at)).changes
  }).pipe(Effect.provideService(Ids, ids))

type Written = "written" | "stale"

/**
 * Writes a part of a run in one commit, which steps the lock of the books: of two runs that have decided from the same books, one
 * writes, and the other begins again.
 */
export const commitForRun = (
  { ids, storage, unitOfWork }: MatchingDeps,
  expected: BooksVersion,
  changes: (at: number) => Effect.Effect<ReadonlyArray<ChangeSet> | "stale", StorageFault>
): Effect.Effect<Written, StorageFault> =>
  Effect.gen(function* () {
    const key = yield* ids.make("mat")
    const written = yield* unitOfWork.apply(
      PLATFORM_MERCHANT,
      { deduplicationKey: `match/${key}`, deduplication_ms: REMEMBERED_MS },
      function* () {
        const at = yield* Clock.currentTimeMillis
        const [row] = yield* storage.get([{ ...platform, kind: MatchingStateKind.kind, id: expected.id }])
        if (row === undefined || row.version !== expected.version) return { changes: [], result: "stale" as const }
        const found = yield* changes(at)
        if (found === "stale") return { changes: [], result: "stale" as const }
        const lock: BooksLock = {
          version: row.version,
          step: (at) =>
            stepRow({ unitOfWork }, MatchingStateKind, row as Row<MatchingStateData>, { type: "counted", at }, at)
        }
        return { changes: yield* addLocks(found, [{ lockId: expected.id, lock }], at), result: "written" as const }
      }
    )
    const result = written._tag === "applied" ? written.result : "written"
    if (result === "written") expected.version++
    return result
  })

/** Whether a break of a missing movement has lines, which a person has unmatched through it. */
const hasForeignLines = ({ data: { kind, line_ids } }: Row<BreakData>): boolean =>
  kind === "missing_on_statement" && line_ids.length > 0

/** Ends the breaks whose lines are all matched now, and those of movements that are no longer missing. */
export const clearBreaks = Effect.fnUntraced(function* (
  { storage, unitOfWork }: Pick<MatchingDeps, "storage" | "unitOfWork">,
  side: Pick<MatchedAccount, "account" | "currency">,
  breaks: ReadonlyMap<string, ReadonlyArray<Row<BreakData>>>,
  isMatched: (line_id: string) => boolean,
  done: Set<string>,
  at: number
) {
  const changes: Array<ChangeSet> = []
  const rows = [...breaks.values()].flat()
  const missing = rows.filter(hasForeignLines).flatMap(({ data }) => data.movements)
  const before = yield* findAccountedSteps(
    { storage },
    side,
    missing.map(({ resource_id }) => resource_id)
  )
  const isAccounted = ({ resource_id, version }: BreakData["movements"][number]): boolean =>
    before.has(`${resource_id}@${version}`) || breaks.has(stepBreakKey(resource_id, version))
  for (const row of rows) {
    if (row.state !== "open" || done.has(row.id) || !row.data.line_ids.every(isMatched)) continue
    if (hasForeignLines(row) && !row.data.movements.every(isAccounted)) continue
    done.add(row.id)
    changes.push(...(yield* stepRow({ unitOfWork }, BreakKind, row, { type: "cleared", at }, at)))
  }
  return changes
})

/**
 * Ends the breaks of lines and steps that a person has matched, or that others have taken, if all of their lines are. The break of the
 * decision itself is not ended. Breaks whose lines a person chose keep the remaining ones.
 */
export const endBreaksWith = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  line_ids: ReadonlyArray<string>,
  steps: ReadonlyArray<{ readonly resource_id: string; readonly version: number }>,
  decided: string | undefined,
  at: number
) {
  const keys = steps.map(({ resource_id, version }) => stepBreakKey(resource_id, version))
  const breaks = yield* readBreaksByKey(deps, account, [...line_ids.map(lineBreakKey), ...keys])
  const done = new Set(decided === undefined ? [] : [decided])
  const others = [...breaks.values()].flat().flatMap(({ data, state }) => (state === "open" ? data.line_ids : []))
  const rows = yield* deps.storage.get(
    [...new Set(others)].map((id) => ({ ...platform, kind: StatementLineKind.kind, id }))
  )
  const settled = new Set(rows.flatMap(({ id, state }) => (state === "matched" || state === "explained" ? [id] : [])))
  const changing = {
    settled: new Set([...line_ids, ...settled]),
    taken: new Set(steps.map(({ resource_id, version }) => `${resource_id}@${version}`))
  }
  const changes: Array<ChangeSet> = []
  for (const row of [...breaks.values()].flat().filter(isLeftToPeople)) {
    if (done.has(row.id)) continue
    done.add(row.id)
    const event = yield* makeHeldEvent(deps, account, row, changing, at)
    if (event !== undefined) changes.push(...(yield* stepRow(deps, BreakKind, row, event, at)))
  }
  const ended = yield* clearBreaks(deps, account, breaks, (id) => changing.settled.has(id), done, at)
  return [...changes, ...ended]
})
