/** How a run of matching writes: in commits of which each steps the guard of the books, breaks as they are raised and as they end. */
import { Clock, Effect } from "effect"
import type { BreakData, BreakDifference } from "../../../machines/reconciliation/break.ts"
import type { MatchingStateData } from "../../../machines/reconciliation/matching.ts"
import { everyMatch } from "../../calls/every-row.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row } from "../../ports/Storage.ts"
import { accountedFor, atSide, type BooksDeps, type MatchedAccount } from "./books.ts"
import { BreakKind, isLeftToPeople, lineBreakKey, stepBreakKey } from "./break.ts"
import { heldEvent } from "./held-breaks.ts"
import { type MatchingDeps, platform, stepped, type Turn } from "./matched-account.ts"
import { MatchingStateKind } from "./matching-state.ts"
import { StatementLineKind } from "./statement-line.ts"
import { inTurn } from "./turns.ts"

/** The row that guards the books, as a run has read or written it. */
export interface BooksGuard {
  readonly id: string
  version: number
}

/** Lines that are written at once. */
export const WRITE = 1_000

/** How long the key of a part of a run is kept, in case its commit is repeated. */
const REMEMBERED_MS = 3_600_000

/** The breaks of index keys, by key, however many a key has: those that `isWanted`. */
export const breaksUnder = Effect.fnUntraced(function* (
  storage: BooksDeps["storage"],
  keys: ReadonlyArray<string>,
  wantedOf: (
    rows: ReadonlyArray<Row<BreakData>>
  ) => Effect.Effect<(row: Row<BreakData>) => boolean, StorageFault> = () => Effect.succeed(() => true)
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<Row<BreakData>>>, StorageFault> {
  const found = new Map<string, Array<Row<BreakData>>>()
  const matches = yield* everyMatch(storage, { ...platform, keys, kinds: [BreakKind.kind] })
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

/** The breaks of index keys, by key: those of accounts on the same side of the ledger. */
export const breaksOf = (
  { storage }: Pick<BooksDeps, "storage">,
  side: Pick<MatchedAccount, "account" | "currency">,
  keys: ReadonlyArray<string>
) => breaksUnder(storage, keys, (rows) => atSide({ storage }, side, rows))

/** A new break. `since`: when the money moved, or now. */
export const raised = (
  { ids }: Pick<MatchingDeps, "ids">,
  account: MatchedAccount,
  difference: BreakDifference,
  about: Pick<BreakData, "statement_id" | "movements" | "since" | "accounted_on"> &
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
 * Writes a part of a run in one commit, which steps the guard of the books: of two runs that have decided from the same books, one
 * writes, and the other begins again.
 */
export const writing = (
  { ids, storage, unitOfWork }: MatchingDeps,
  guard: BooksGuard,
  changes: (at: number) => Effect.Effect<ReadonlyArray<ChangeSet> | "stale", StorageFault>
): Effect.Effect<Written, StorageFault> =>
  Effect.gen(function* () {
    const key = yield* ids.make("mat")
    const written = yield* unitOfWork.apply(
      PLATFORM_MERCHANT,
      { deduplicationKey: `match/${key}`, deduplication_ms: REMEMBERED_MS },
      function* () {
        const at = yield* Clock.currentTimeMillis
        const [row] = yield* storage.get([{ ...platform, kind: MatchingStateKind.kind, id: guard.id }])
        if (row === undefined || row.version !== guard.version) return { changes: [], result: "stale" as const }
        const found = yield* changes(at)
        if (found === "stale") return { changes: [], result: "stale" as const }
        const turn: Turn = {
          version: row.version,
          step: (at, type) =>
            stepped({ unitOfWork }, MatchingStateKind, row as Row<MatchingStateData>, { type, at, next_at: at }, at)
        }
        return { changes: yield* inTurn(found, [{ guard: guard.id, turn }], at), result: "written" as const }
      }
    )
    const result = written._tag === "applied" ? written.result : "written"
    if (result === "written") guard.version++
    return result
  })

/** Whether a break is of a movement, and has lines that a person has taken from others. */
const hasForeignLines = ({ data: { kind, line_ids } }: Row<BreakData>): boolean =>
  kind === "missing_on_statement" && line_ids.length > 0

/** Ends the breaks of lines and steps that are matched now, where all their lines are, and what is missing is. */
export const cleared = Effect.fnUntraced(function* (
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
  const before = yield* accountedFor(
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
    changes.push(...(yield* stepped({ unitOfWork }, BreakKind, row, { type: "cleared", at }, at)))
  }
  return changes
})

/**
 * Ends the breaks of lines and steps that a person has matched, or that are others' by now, where all their lines are: all but the one of the
 * decision. Breaks of lines that people hold are about those that are left.
 */
export const endedWith = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  line_ids: ReadonlyArray<string>,
  steps: ReadonlyArray<{ readonly resource_id: string; readonly version: number }>,
  decided: string | undefined,
  at: number
) {
  const keys = steps.map(({ resource_id, version }) => stepBreakKey(resource_id, version))
  const breaks = yield* breaksOf(deps, account, [...line_ids.map(lineBreakKey), ...keys])
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
    const event = yield* heldEvent(deps, account, row, changing, at)
    if (event !== undefined) changes.push(...(yield* stepped(deps, BreakKind, row, event, at)))
  }
  const ended = yield* cleared(deps, account, breaks, (id) => changing.settled.has(id), done, at)
  return [...changes, ...ended]
})
