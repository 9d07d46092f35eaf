/** How an entry ends a break or explains a line, and what its reversal opens again (ADJUST-2, ADJUST-5). */
import { Clock, Effect } from "effect"
import type { AdjustingEntryData } from "../../../machines/reconciliation/adjusting-entry.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { addNote } from "../../commit/changeset.ts"
import { invalid, InvalidStatus } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row } from "../../ports/Storage.ts"
import { BreakKind, lineBreakKey } from "./break.ts"
import { readBreaksUnder } from "./break-writing.ts"
import { isBefore } from "./account-days.ts"
import { AdjustingEntryKind } from "./entry-posting.ts"
import { readMatchedAccount, readBooks } from "./matched-account.ts"
import { releaseEntry, type SharedBooks } from "./release.ts"
import {
  type Deps,
  type EndingEntry,
  endWithEntry,
  isFree,
  scheduleScanOfRest,
  sumLineOutflow,
  refuseAction,
  endBreaksFoundAgain,
  makeReopenedEvent,
  listAccounts,
  settleLines,
  displayMinor
} from "./resolution.ts"
import { StatementLineKind } from "./statement-line.ts"
import { addRuns } from "./books-lock.ts"

type BreakRow = Row<BreakData>
type Line = Row<StatementLineData>

/** What an entry ends. `row`: the break that it names, or the break of the line that it names. Undefined: the line has none. */
interface Ending {
  readonly row: BreakRow | undefined
  readonly line: Line | undefined
  readonly books: SharedBooks
}

/** Reads what is to end with an entry, after the lock of its books. Errors: `NotFound`. */
export const readEnding = Effect.fnUntraced(function* (
  deps: Deps,
  { break_id, line_id }: Readonly<Record<"break_id" | "line_id", string | null>>
) {
  const { storage, unitOfWork } = deps
  if (break_id !== null) {
    const row = yield* unitOfWork.load(BreakKind, PLATFORM_MERCHANT, break_id)
    return {
      row,
      line: undefined,
      books: yield* readBooks(deps, row.data.external_account_id)
    } satisfies Ending as Ending
  }
  const line = yield* unitOfWork.load(StatementLineKind, PLATFORM_MERCHANT, line_id!)
  const books = yield* readBooks(deps, line.data.external_account_id)
  const breaks = yield* readBreaksUnder(storage, [lineBreakKey(line.id)])
  // That a movement is missing is another question than what the line is, and a break may hold a line that it is not about.
  const row = [...breaks.values()]
    .flat()
    .find(
      ({ data, state }) => state === "open" && data.kind !== "missing_on_statement" && data.line_ids.includes(line.id)
    )
  return { row, line, books } satisfies Ending as Ending
})

/**
 * The changes by which a new entry ends a break, or explains a line.
 * Errors: `InvalidStatus` for a break that is not open; `InvalidInput` for an entry that is not what differs.
 */
export const planEntryEnd = Effect.fnUntraced(function* (
  deps: Deps,
  { books, line, row }: Ending,
  entry: EndingEntry,
  at: number
) {
  const { account } = books
  if (row !== undefined) {
    if (row.state !== "open") return yield* refuseAction(row, "explain")
    const { changes } = yield* endWithEntry(deps, account, row, entry, at)
    return yield* addRuns(deps, addNote(changes, row, entry.note), [books], [account.id], at)
  }
  if (!isFree(line!.state))
    return yield* new InvalidStatus({ message: `Line ${line!.id} is ${line!.state}: undo its match first.` })
  if (isBefore(account, line!))
    return yield* invalid(
      "line_id",
      `line_id names ${line!.id}, which was booked on ${line!.data.booked_on}, before the account's first day, ${account.opening.date}: its opening balance has it.`
    )
  const { amount, currency, from, to } = entry.money
  const effect = to === account.account ? BigInt(amount) : from === account.account ? -BigInt(amount) : 0n
  const due = sumLineOutflow([line!])
  if (currency !== account.currency || effect !== due)
    return yield* invalid(
      "amount",
      `Line ${line!.id} takes an entry of ${displayMinor(due, account.currency)} ${due > 0n ? "to" : "from"} ${account.account}.`
    )
  const parts = [{ resource_id: entry.id, version: 1, amount, signed: effect }]
  const left = yield* scheduleScanOfRest(deps, account, [], [line!], [], at)
  const settled = yield* settleLines(deps, account, [line!], parts, { entry_id: entry.id }, at)
  return yield* addRuns(deps, [...settled, ...left], [books], [account.id], at)
})

/**
 * The changes by which what an entry accounts for is open again: the break that ended with it, and the lines that are it. `isReversed`: no
 * statement will have it, so that it is missing on none.
 *
 * Errors: `InvalidStatus` where another entry accounts for it.
 */
const planReopening = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<AdjustingEntryData>,
  note: string,
  isReversed: boolean,
  at: number
) {
  const { data, id } = row
  const { break_id } = data
  const named = break_id === null ? undefined : yield* deps.unitOfWork.load(BreakKind, PLATFORM_MERCHANT, break_id)
  const own = named?.state === "resolved" && named.data.adjusting_entry_id === id ? named : undefined
  const { books, changes, free } = yield* releaseEntry(deps, row, own, own?.data.settled_lines ?? [], isReversed, at)
  if (own !== undefined) {
    const { account } = (yield* readMatchedAccount(deps, own.data.external_account_id))!
    const reopened = yield* makeReopenedEvent(deps, account, own, note, false, [], free)
    const next = yield* deps.unitOfWork.stepOrDie(BreakKind, own, reopened, at)
    const again = yield* endBreaksFoundAgain(deps, account, own, at)
    changes.push(...addNote([next.changes], own, note), ...again)
  }
  if (changes.length === 0 && !isReversed) return []
  const about = own === undefined ? [] : [own.data.external_account_id]
  return yield* addRuns(deps, changes, books, listAccounts(books, free, ...about), at)
})

/** Opens what an entry had ended, for its reversal. Errors: those of {@link planReopening}. */
export const planEntryReversal = (deps: Deps, row: Row<AdjustingEntryData>, note: string, at: number) =>
  planReopening(deps, row, note, true, at)

/**
 * The same for the entry of an exception, which lies with its merchant: a commit of its own, made before the reversal, so that nothing is
 * the entry when it is reversed, and after it, for what was matched meanwhile. Errors: those of {@link planReopening}.
 */
export const releaseEntryLines = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<AdjustingEntryData>,
  note: string,
  isReversed: boolean
) {
  const key = yield* deps.ids.make(AdjustingEntryKind.prefix)
  yield* deps.unitOfWork.apply(
    PLATFORM_MERCHANT,
    { deduplicationKey: `released/${key}`, deduplication_ms: 3_600_000 },
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      return { changes: yield* planReopening(deps, row, note, isReversed, at), result: undefined }
    })
  )
})
