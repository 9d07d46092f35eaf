/** Breaks of lines that people hold, computed from the current lines and books (BREAK-1, BREAK-6). */
import { Effect } from "effect"
import { type BookMovement, listNamesOf, type NamedResource } from "../../../machines/kernel/matching.ts"
import {
  type BreakData,
  type BreakDifference,
  type BreakEvent,
  toDifference,
  type HeldPart,
  isDismissedAs,
  isSameDifference,
  type UndatedDifference
} from "../../../machines/reconciliation/break.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { readAllRows } from "../../calls/reads.ts"
import { findMovedAt, isInOpening } from "./account-days.ts"
import type { Row } from "../../ports/Storage.ts"
import {
  addKeepers,
  isAtSide,
  type BooksDeps,
  type MatchedAccount,
  readMovements,
  describeResource,
  findRowsByIds
} from "./books.ts"
import { BreakKind, isDismissed, isLeftToPeople, listHeldLines } from "./break.ts"
import { platform } from "./matched-account.ts"
import { sumSigned } from "./signed.ts"
import { isOpen, StatementLineKind, listStatementIds } from "./statement-line.ts"
import { compareCodeUnits } from "../../../machines/kernel/order.ts"

type Line = Row<StatementLineData>
type BreakRow = Row<BreakData>

const toHeldData = (lines: ReadonlyArray<Line>) => lines.map(({ data }) => data)
const toMagnitude = (amount: bigint): string => (amount < 0n ? -amount : amount).toString()
const compareSteps = (a: BookMovement, b: BookMovement): number =>
  compareCodeUnits(a.day, b.day) || compareCodeUnits(a.resource_id, b.resource_id) || a.version - b.version

/** What a payment under way takes from the account once the books have it. */
type Due = NonNullable<NamedResource["due"]>

/**
 * Lists the payments that are subtracted from lines: at most one for each line, recorded ones before those under way. None where they sum to
 * exactly the lines: a person has said that the lines are not these payments.
 */
const listPayments = (
  kind: BreakDifference["kind"],
  own: ReadonlyArray<Line>,
  open: ReadonlyArray<BookMovement>,
  underWay: ReadonlyArray<Due>
): ReadonlyArray<BookMovement | Due> => {
  if (kind !== "amount_differs" && kind !== "executed_twice") return []
  const isTwice = kind === "executed_twice"
  const payments = [...open.toSorted(compareSteps), ...(isTwice ? [] : underWay)]
    .filter(
      ({ amount, direction }) =>
        direction === own[0]?.data.direction && (!isTwice || amount.toString() === own[0]?.data.amount)
    )
    .slice(0, own.length)
  return sumSigned(payments) === sumSigned(toHeldData(own)) ? [] : payments
}

/** What is said of lines that name nothing. */
export const makeUnnamed = (amount: string) => ({
  ...({ kind: "missing_in_books", severity: "low", exposure: null, adopt: null } as const),
  ...{ amount, resource_ids: [], candidates: [] }
})

/**
 * Computes the difference of a break whose lines a person chose. `found`: the difference before that choice. `lines`: those of the chosen
 * lines that are still open. `open`: the open steps of the resources that it names, except those that other breaks subtract. `underWay`:
 * payments of these resources that the books do not have yet. Undefined: no line is left, and the break is over. Pure. Law: the amount is
 * the sum of the lines less the payments that are subtracted. The found difference applies to the lines that it was found with: without
 * them, only the other lines count.
 */
export const computeHeldDifference = (
  found: UndatedDifference,
  lines: ReadonlyArray<Line>,
  open: ReadonlyArray<BookMovement>,
  underWay: ReadonlyArray<Due> = []
): UndatedDifference | undefined => {
  if (lines.length === 0) return undefined
  const own = lines.filter(({ id }) => found.line_ids.includes(id))
  const payments = listPayments(found.kind, own, open, underWay)
  const due = sumSigned(toHeldData(lines)) - sumSigned(payments)
  const difference = {
    amount: toMagnitude(due),
    direction: due > 0n ? ("credit" as const) : ("debit" as const),
    line_ids: lines.map(({ id }) => id),
    told_from: payments.flatMap((one) =>
      "version" in one ? [{ resource_id: one.resource_id, version: one.version, amount: one.amount.toString() }] : []
    ),
    statement_ids: listStatementIds(lines)
  }
  if (own.length === 0) return { ...difference, ...makeUnnamed(difference.amount) }
  const exposed = toMagnitude(sumSigned(toHeldData(own)) - sumSigned(payments))
  const { adopt, candidates, exposure, kind, resource_ids, severity } = found
  return {
    ...difference,
    ...{ kind, severity, resource_ids, candidates, adopt },
    exposure: exposure === null ? null : exposed
  }
}

/** What the commit itself changes: lines and steps (`resource@version`) that it frees, settles or takes. */
export interface Changing {
  readonly free?: ReadonlyMap<string, Line>
  readonly settled?: ReadonlySet<string>
  readonly taken?: ReadonlySet<string>
}

const toStepKey = ({ resource_id, version = 1 }: { readonly resource_id: string; readonly version?: number }): string =>
  `${resource_id}@${version}`

/** The steps that other open breaks subtract from their lines. Of two breaks that people hold, the older one has the step. */
const readStepsOfOthers = Effect.fnUntraced(function* (
  { storage }: Pick<BooksDeps, "storage">,
  side: Pick<MatchedAccount, "account" | "currency">,
  { created_at, id }: Pick<BreakRow, "created_at" | "id">,
  resource_ids: ReadonlyArray<string>
) {
  const rows: Array<BreakRow> = []
  for (const resource_id of resource_ids) {
    const index_keys = [`resource_id=${resource_id}`, "status=open"]
    rows.push(
      ...((yield* readAllRows(
        storage,
        { ...platform, kinds: [BreakKind.kind], index_keys },
        () => true
      )) as ReadonlyArray<BreakRow>)
    )
  }
  const isOurs = yield* isAtSide({ storage }, side, rows)
  const isBefore = (one: BreakRow): boolean =>
    one.created_at < created_at || (one.created_at === created_at && one.id < id)
  return new Set(
    rows
      .filter((one) => one.id !== id && isOurs(one) && (!isLeftToPeople(one) || isBefore(one)))
      .flatMap(({ data }) => (data.told_from ?? []).map(toStepKey))
  )
})

/** Computes a break of lines that people hold, and which lines it holds now. */
const recomputeBreak = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  row: Pick<BreakRow, "created_at" | "id">,
  hold: Required<HeldPart>,
  { free = new Map(), settled = new Set(), taken = new Set() }: Changing
) {
  const rows = (yield* deps.storage.get(
    hold.held_lines.map((id) => ({ ...platform, kind: StatementLineKind.kind, id }))
  )) as ReadonlyArray<Line>
  const byId = new Map(rows.map((one) => [one.id, one]))
  const known = hold.held_lines.flatMap((id) => byId.get(id) ?? [])
  const left = known.filter((one) => !settled.has(one.id) && (isOpen(one) || free.has(one.id)))
  const lines = left.filter((one) => !isInOpening(account, hold.found, one))
  const names = hold.found.resource_ids
  const isFreed = new Set([...free.values()].flatMap(({ data }) => data.matches.map(toStepKey)))
  const named = yield* findRowsByIds(deps, names)
  const all = yield* readMovements(deps, account, yield* addKeepers(deps, named))
  const moved = all.filter((one) => listNamesOf(one).some((id) => names.includes(id)))
  const underWay = named.flatMap((one): ReadonlyArray<Due> => {
    const { due, payment } = describeResource(deps, account, one)
    const isMoved = moved.some(({ direction, resource_id }) => resource_id === one.id && direction === due?.direction)
    return due !== null && payment === "under_way" && !isMoved ? [due] : []
  })
  const elsewhere = yield* readStepsOfOthers(deps, account, row, names)
  const open = moved.filter((one) => {
    const step = toStepKey(one)
    return (one.open || isFreed.has(step)) && !taken.has(step) && !elsewhere.has(step)
  })
  // A statement may have again what is withdrawn. What people have settled they have decided. A line of before the first day is left to them,
  // so that matching does not decide it again.
  const isHeld = ({ id, state }: Line): boolean => state === "withdrawn" && !settled.has(id)
  const held_lines = known.filter((one) => left.includes(one) || isHeld(one)).map(({ id }) => id)
  const found = computeHeldDifference(hold.found, lines, open, underWay)
  const difference = found === undefined ? found : { ...found, since: findMovedAt(lines, account.time_zone) }
  return { difference, hold: { ...hold, held_lines } }
})

/** The lines that people hold of a break, and `more`. */
export const toHeldPart = (data: BreakData, more: ReadonlyArray<string> = []): Required<HeldPart> => ({
  held_lines: [...new Set([...(data.held ? listHeldLines(data) : data.line_ids), ...more])],
  found: data.found ?? toDifference(data)
})

/** The event that opens a break with the lines that people hold of it. */
export const makeReopenEvent = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  row: BreakRow,
  note: string,
  more: ReadonlyArray<string>,
  changing: Changing
) {
  const { difference, hold } = yield* recomputeBreak(deps, account, row, toHeldPart(row.data, more), changing)
  const left = difference ?? { ...toDifference(row.data), line_ids: [] }
  const event: BreakEvent & { readonly type: "reopened" } = {
    type: "reopened",
    note,
    held: true,
    difference: left,
    hold
  }
  return event
})

/** The event that brings a break of held lines up to date. Undefined: it is. */
export const makeHeldEvent = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  row: BreakRow,
  changing: Changing,
  at: number
) {
  const { difference, hold } = yield* recomputeBreak(deps, account, row, toHeldPart(row.data), changing)
  if (difference === undefined) return row.state === "open" ? ({ type: "cleared", at, hold } as const) : undefined
  if (isDismissed(row) && isDismissedAs(row.data, difference)) return undefined
  const isAsBefore =
    row.state === "open" &&
    String(hold.held_lines) === String(row.data.held_lines ?? []) &&
    isSameDifference(row.data, difference)
  return isAsBefore ? undefined : ({ type: "found", difference, hold } as const)
})
