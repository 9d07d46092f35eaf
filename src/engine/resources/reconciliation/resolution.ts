/** What a person does with a break: match, explain, dismiss, and undo (BREAK-4 to BREAK-6). Adopting is {@link Reconciliations}'. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { AdjustingEntryData } from "../../../machines/reconciliation/adjusting-entry.ts"
import {
  adoptionTimer,
  breakActions,
  type BreakAction,
  type BreakData,
  type BreakEvent,
  toDifference,
  isOfLines,
  isOfStatements,
  listMatchedByDefault,
  type MovementName
} from "../../../machines/reconciliation/break.ts"
import type { BookMovement } from "../../../machines/kernel/matching.ts"
import type {
  LineMatch,
  StatementLineData,
  StatementLineEvent
} from "../../../machines/reconciliation/statement-line.ts"
import { giveBack } from "../../calls/ActiveLimits.ts"
import { checkVersion } from "../../calls/list.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, addNote } from "../../commit/changeset.ts"
import { Kinds } from "../../commit/kind.ts"
import { makeDueTimer } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Amount, describe, Id, Optional, Text } from "../../input/schemas.ts"
import { invalid, type InvalidInput, InvalidStatus, type StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { Providers } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { wordOf } from "../../representations/members.ts"
import { breakActionsOf, breakBody, makeBreakVersion } from "../../representations/reconciliation/break.ts"
import {
  AdjustingEntryKind,
  type EntryDeps,
  type EntryMoney,
  resolveEntryMoney,
  postEntry,
  reverseEntry
} from "./entry-posting.ts"
import { findMovedAt, isBefore, isInOpening } from "./account-days.ts"
import { describeResource, findRowsByIds, type MatchedAccount, readMovements } from "./books.ts"
import { BreakKind, listHeldLines, isLeftToPeople, lineBreakKey, statementBreakKey, stepBreakKey } from "./break.ts"
import { listSameStatements } from "./balance-differences.ts"
import { findDifference } from "./statement-breaks.ts"
import { readBreaksByKey, endBreaksWith, raiseBreak } from "./break-writing.ts"
import { computeHeldDifference, makeReopenEvent, makeUnnamed } from "./held-breaks.ts"
import { readMatchedAccount, readLock, findOrMakeState } from "./matched-account.ts"
import { shareOut, shareSigned } from "./line-shares.ts"
import { listNamesIn, scheduleScan } from "./missing-movements.ts"
import {
  findAccountedLines,
  releaseLines,
  isAccounted,
  releaseEntry,
  findMatchGroup,
  type SharedBooks
} from "./release.ts"
import { isOpen, StatementLineKind } from "./statement-line.ts"
import { addRuns } from "./books-lock.ts"

/** The id of a resource of any kind. It is checked where the resource is read. */
const resourceId = describe(Text(64), "The id of a resource.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3")

export const ResolveBreak = Schema.Struct({
  action: wordOf(breakActions, "What to do.", {
    match: "the lines are these movements: their sums are equal",
    explain: "an adjusting entry accounts for the difference",
    adopt: "the line pays the movement, whose outcome is unknown: it succeeds",
    dismiss: "it is no difference that concerns the books",
    unmatch: "undoes matches of lines, and leaves the lines to people",
    reopen: "undoes what ended it"
  }),
  note: describe(Text(500), "Why. The break, the entry and the audit log show it.", "The bank's fee of January"),
  line_ids: Optional(
    Schema.Array(Id("stl")),
    "With `match` and `unmatch`: the lines. Default: those of the break.",
    []
  ),
  resource_ids: Optional(
    Schema.Array(resourceId),
    "With `match`: the resources whose movements they are. Default: those of the break, or its only candidate. An empty list: the lines are each other, as a booking and its reversal are.",
    []
  ),
  resource_id: Optional(
    Text(64),
    "With `adopt`: the movement. Default: the one that the line names.",
    "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  from: Optional(Text(80), "With `explain`: the account to debit.", "costs:simulated"),
  to: Optional(Text(80), "With `explain`: the account to credit.", "world:simulated"),
  amount: Optional(Amount, "With `explain`: the amount. Default: what differs.", "12.50")
}).annotate({ identifier: "ResolveBreak" })
export type ResolveBreak = typeof ResolveBreak.Type

const makeDeps = Effect.all({
  storage: Storage,
  kinds: Kinds,
  unitOfWork: UnitOfWork,
  ids: Ids,
  providers: Providers
})
export type Deps = EntryDeps & Pick<Effect.Success<typeof makeDeps>, "kinds">
type ResolvingDeps = Effect.Success<typeof makeDeps>

const platform = { merchant_id: PLATFORM_MERCHANT } as const

type Line = Row<StatementLineData>

/** The signed amount of a line or movement: debits are positive. */
const toOutflow = ({
  amount,
  direction
}: {
  readonly amount: bigint
  readonly direction: "credit" | "debit"
}): bigint => (direction === "debit" ? amount : -amount)

export const sumLineOutflow = (lines: ReadonlyArray<Line>): bigint =>
  lines.reduce((sum, { data }) => sum + toOutflow({ amount: BigInt(data.amount), direction: data.direction }), 0n)

const sumOutflow = (movements: ReadonlyArray<BookMovement>): bigint =>
  movements.reduce((sum, one) => sum + toOutflow(one), 0n)

/** Lines of the account by id. Errors: `InvalidInput` for a line of another account, `InvalidStatus` for one in another status. */
const readLines = Effect.fnUntraced(function* (
  { storage }: Deps,
  account: MatchedAccount,
  ids: ReadonlyArray<string>,
  isWanted: (state: string) => boolean,
  problem: string
) {
  const distinct = [...new Set(ids)]
  const rows = (yield* storage.get(
    distinct.map((id) => ({ ...platform, kind: StatementLineKind.kind, id }))
  )) as ReadonlyArray<Line>
  const byId = new Map(rows.map((row) => [row.id, row]))
  const lines: Array<Line> = []
  for (const id of distinct) {
    const line = byId.get(id)
    if (line === undefined || line.data.external_account_id !== account.id)
      return yield* invalid("line_ids", `line_ids names ${id}, which is no line of external account ${account.id}.`)
    if (!isWanted(line.state)) return yield* new InvalidStatus({ message: `Line ${id} is ${line.state}: ${problem}` })
    lines.push(line)
  }
  return lines
})

export const isFree = (state: string): boolean => state === "unmatched" || state === "proposed"

/** The open movements of resources at the account. Errors: `InvalidInput` for an id of no resource. */
const openMovements = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  ids: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<BookMovement>, InvalidInput | StorageFault> {
  const rows: Array<Row> = []
  for (const id of new Set(ids)) {
    const kind = deps.kinds.ofId(id)
    const row = kind === undefined ? undefined : yield* deps.storage.find(kind.kind, id)
    if (row === undefined) return yield* invalid("resource_ids", `resource_ids names ${id}, which does not exist.`)
    rows.push(row)
  }
  return (yield* readMovements(deps, account, rows)).filter(({ open }) => open)
})

interface Part extends MovementName {
  /** Minor units; debits are positive. */
  readonly signed: bigint
}

const toPart = (one: BookMovement): Part => ({
  resource_id: one.resource_id,
  version: one.version,
  amount: one.amount.toString(),
  signed: toOutflow(one)
})

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** Allocates parts of movements to lines: what a line has of a part, in whichever direction, is at least zero. */
const allocateParts = (
  lines: ReadonlyArray<Line>,
  parts: ReadonlyArray<Part>
): ReadonlyArray<ReadonlyArray<LineMatch>> => {
  const signed = lines.map((line) => sumLineOutflow([line]))
  return shareSigned(
    signed,
    parts.map((one) => one.signed)
  ).map((shares) =>
    shares.flatMap((share, n) => {
      const { resource_id, version } = parts[n]!
      return share === 0n ? [] : [{ resource_id, version, amount: abs(share).toString(), rule: "person" }]
    })
  )
}

export const displayMinor = (minor: bigint, currency: string): string =>
  `${displayAmount((minor < 0n ? -minor : minor).toString(), currency)} ${currency}`

/** Shows an amount and which way it moved. */
const displayMoved = (minor: bigint, currency: string): string =>
  `${displayMinor(minor, currency)}${minor === 0n ? "" : minor > 0n ? " out of the account" : " into the account"}`

/** `break_id`: the break that is decided. `entry_id`: the entry that accounts for the lines, or for a part of them. */
interface Settling {
  readonly break_id?: string | undefined
  readonly entry_id?: string
}

/** Matches or explains lines, and ends the other breaks of them and of their movements. */
export const settleLines = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  lines: ReadonlyArray<Line>,
  parts: ReadonlyArray<Part>,
  { break_id, entry_id }: Settling,
  at: number
) {
  const matches = allocateParts(lines, parts)
  const changes: Array<ChangeSet> = []
  for (const [n, line] of lines.entries()) {
    const own = matches[n]!
    const type = own.every(({ resource_id }) => resource_id === entry_id) ? "explained" : "matched"
    const event: StatementLineEvent = { type, matches: own }
    changes.push((yield* deps.unitOfWork.stepOrDie(StatementLineKind, line, event, at)).changes)
  }
  const line_ids = lines.map(({ id }) => id)
  changes.push(...(yield* endBreaksWith(deps, account, line_ids, parts, break_id, at)))
  return changes
})

/**
 * Schedules a search for the steps that are open after a decision: those that the break, or another break of the settled lines, names. They
 * are on no statement now.
 */
export const scheduleScanOfRest = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  resource_ids: ReadonlyArray<string>,
  lines: ReadonlyArray<Line>,
  parts: ReadonlyArray<BookMovement>,
  at: number
) {
  const keys = lines.map(({ id }) => lineBreakKey(id))
  const breaks = yield* readBreaksByKey(deps, account, keys)
  const names = [...new Set([...resource_ids, ...listNamesIn([...breaks.values()].flat())])]
  const steps = new Set(parts.map((one) => stepBreakKey(one.resource_id, one.version)))
  const left = (yield* openMovements(deps, account, names)).filter(
    (one) => !steps.has(stepBreakKey(one.resource_id, one.version))
  )
  return yield* scheduleScan(deps, account.id, left, at)
})

/** The lines of a break that are still open once some are settled. Matching gives them a break of their own. */
const findOpenLines = Effect.fnUntraced(function* (deps: Deps, data: BreakData, settled: ReadonlyArray<string>) {
  const others = [...new Set([...data.line_ids, ...listHeldLines(data)])].filter((id) => !settled.includes(id))
  const rows = yield* deps.storage.get(others.map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  return (rows as ReadonlyArray<Line>).filter(isOpen)
})

/** Plans the end of a break some of whose lines are settled. A break of held lines stays open with its other lines. */
const planBreakEnd = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  row: Row<BreakData>,
  chosen: ReadonlyArray<BookMovement>,
  resolved: BreakEvent & { readonly type: "resolved" },
  settled: ReadonlyArray<string> = resolved.settled_lines ?? []
) {
  const changing = {
    settled: new Set(settled),
    taken: new Set(chosen.map(({ resource_id, version }) => `${resource_id}@${version}`))
  }
  const isKept = isLeftToPeople(row) && (yield* findOpenLines(deps, row.data, settled)).length > 0
  return isKept ? yield* makeReopenEvent(deps, account, row, resolved.note, [], changing) : resolved
})

/**
 * Raises a break for lines that a person has unmatched, and that the break of that is not about: people hold them. Of lines that the opening
 * balance has it says nothing, and the next run ends it.
 */
const raiseHeldBreak = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  { data }: Row<BreakData>,
  lines: ReadonlyArray<Line>,
  note: string,
  at: number
) {
  const line_ids = lines.map(({ id }) => id)
  const found = { ...toDifference(data), line_ids: [] }
  const counted = lines.filter((line) => !isInOpening(account, found, line))
  const nothing = { ...found, ...makeUnnamed("0"), direction: null, told_from: [], statement_ids: [] }
  const difference = {
    ...(computeHeldDifference(found, counted, []) ?? nothing),
    since: findMovedAt(lines, account.time_zone)
  }
  const about = { statement_id: null, movements: [], held: true, held_lines: line_ids, found, note }
  return yield* raiseBreak(deps, account, difference, about, at)
})

const toPlatformCall = (call: Call): Call => ({ ...call, ...platform })

/**
 * Matches bookings with their reversals. Errors: `InvalidInput` if they do not cancel each other out, and for lines on both sides of the
 * account's first day: the opening balance has the one, and not the other.
 */
const matchWithEachOther = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  lines: ReadonlyArray<Line>,
  break_id: string,
  at: number
) {
  const due = sumLineOutflow(lines)
  if (lines.length < 2 || due !== 0n)
    return yield* invalid(
      "line_ids",
      `The lines are ${displayMinor(due, account.currency)} together. Without resources, match takes lines that cancel each other out.`
    )
  const before = lines.find((line) => isBefore(account, line))
  if (before !== undefined && !lines.every((line) => isBefore(account, line)))
    return yield* invalid(
      "line_ids",
      `line_ids names ${before.id}, which was booked on ${before.data.booked_on}, before the account's first day, ${account.opening.date}: its money is in the opening balance, and it is no line since then.`
    )
  const changes: Array<ChangeSet> = []
  const amountsOf = (some: ReadonlyArray<Line>) => some.map(({ data }) => BigInt(data.amount))
  for (const direction of ["debit", "credit"] as const) {
    const [own, others] = [
      lines.filter(({ data }) => data.direction === direction),
      lines.filter(({ data }) => data.direction !== direction)
    ]
    for (const [n, shares] of shareOut(amountsOf(own), amountsOf(others)).entries()) {
      const matches = shares.flatMap((share, m) =>
        share > 0n ? [{ resource_id: others[m]!.id, amount: share.toString(), rule: "person" }] : []
      )
      const event = { type: "matched", matches } as const
      changes.push((yield* deps.unitOfWork.stepOrDie(StatementLineKind, own[n]!, event, at)).changes)
    }
  }
  const line_ids = lines.map(({ id }) => id)
  return [...changes, ...(yield* endBreaksWith(deps, account, line_ids, [], break_id, at))]
})

/** The movements, one for each line, of which each has its line's amount. Undefined: a line has none. */
const pickEach = (
  lines: ReadonlyArray<Line>,
  open: ReadonlyArray<BookMovement>
): ReadonlyArray<BookMovement> | undefined => {
  const left = [...open]
  const picked = lines.flatMap((line) => {
    const n = left.findIndex((one) => toOutflow(one) === sumLineOutflow([line]))
    return n < 0 ? [] : left.splice(n, 1)
  })
  return picked.length === lines.length ? picked : undefined
}

/** Matches lines with movements. Errors: `InvalidInput` if their sums differ. */
const matchLines = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  row: Row<BreakData>,
  { line_ids: given, note, resource_ids }: ResolveBreak,
  at: number
) {
  const { currency } = account
  const line_ids = given ?? (yield* readOwnLines(deps, row.data))
  if (line_ids.length === 0) return yield* invalid("line_ids", "line_ids is empty; match takes at least one line.")
  const lines = yield* readLines(deps, account, line_ids, isFree, "undo its match first.")
  const ids = resource_ids ?? listMatchedByDefault(row.data)
  if (ids.length === 0 && resource_ids === undefined)
    return yield* invalid(
      "resource_ids",
      "resource_ids is required: the break names no resource and has no single candidate."
    )
  const matched = lines.map(({ id }) => id)
  const resolved = { type: "resolved", action: "match", note, at, settled_lines: matched } as const
  if (ids.length === 0) {
    const end = yield* planBreakEnd(deps, account, row, [], resolved)
    const settled = yield* matchWithEachOther(deps, account, lines, row.id, at)
    const next = yield* deps.unitOfWork.stepOrDie(BreakKind, row, end, at)
    const left = yield* scheduleScanOfRest(deps, account, row.data.resource_ids, lines, [], at)
    return { changes: [...settled, next.changes, ...left], row: next.row }
  }
  // A break of what is missing is about its movements, and about no other of their resource.
  const own = row.data.kind === "missing_on_statement" ? row.data.movements : (row.data.told_from ?? [])
  const basis = resource_ids === undefined ? yield* openAmong(deps, account, own) : []
  const all = basis.length > 0 ? basis : yield* openMovements(deps, account, ids)
  const due = sumLineOutflow(lines)
  const directions = new Set(lines.map(({ data }) => data.direction))
  const alike = all.filter(({ direction }) => directions.has(direction))
  // Of one resource that has moved more than the lines, as in parts, each line is its own part.
  const parts = new Set(ids).size === 1 ? (pickEach(lines, alike) ?? all) : all
  const chosen = sumOutflow(alike) === due ? alike : sumOutflow(all) === due ? all : parts
  const sum = sumOutflow(chosen)
  if (chosen.length === 0 || sum !== due)
    return yield* invalid(
      "resource_ids",
      `The lines are ${displayMoved(due, currency)}, and what is open of ${ids.join(", ")} at ${account.account} is ${displayMoved(sum, currency)}: their sums must be equal. Explain the rest with an adjusting entry.`
    )
  const end = yield* planBreakEnd(deps, account, row, chosen, resolved)
  const settled = yield* settleLines(deps, account, lines, chosen.map(toPart), { break_id: row.id }, at)
  const next = yield* deps.unitOfWork.stepOrDie(BreakKind, row, end, at)
  const left = yield* scheduleScanOfRest(deps, account, row.data.resource_ids, lines, chosen, at)
  return { changes: [...settled, next.changes, ...left], row: next.row }
})

/** Lists the postings among these that are still open to match. */
const openAmong = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  names: ReadonlyArray<Pick<MovementName, "resource_id" | "version">>
) {
  const ids = names.map(({ resource_id }) => resource_id)
  return (yield* openMovements(deps, account, ids)).filter((one) =>
    names.some(({ resource_id, version }) => resource_id === one.resource_id && version === one.version)
  )
})

/** Whether everything that a dismissed break names has been accounted for since. Such a break cannot be reopened: nobody could end it. */
const isOver = Effect.fnUntraced(function* (deps: Deps, account: MatchedAccount, { data: b }: Row<BreakData>) {
  if (b.kind === "missing_on_statement") return (yield* openAmong(deps, account, b.movements)).length === 0
  if (isOfStatements(b.kind)) return (yield* findDifference(deps, account, b)) === undefined
  const lines = yield* deps.storage.get(b.line_ids.map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  return lines.length > 0 && !(lines as ReadonlyArray<Line>).some(isOpen)
})

/**
 * The lines that a break is about. Of what is missing, those that are free: they were taken from other movements, and may have been given
 * back to them.
 */
const readOwnLines = Effect.fnUntraced(function* (deps: Deps, { kind, line_ids }: BreakData) {
  if (kind !== "missing_on_statement") return line_ids
  const accounted = new Set((yield* findAccountedLines(deps, line_ids)).map(({ id }) => id))
  return line_ids.filter((id) => !accounted.has(id))
})

/**
 * Finds the amount that an entry must move to end a break, positive out of the account, with the lines and movements that it then accounts
 * for.
 */
const findDueAmount = Effect.fnUntraced(function* (deps: Deps, account: MatchedAccount, { data: b }: Row<BreakData>) {
  const line_ids = b.kind === "missing_on_statement" ? [] : b.line_ids
  const own = yield* readLines(deps, account, line_ids, isFree, "undo its match first.")
  const lines = own.filter((line) => !isInOpening(account, b.found ?? b, line))
  // Of a balance, breaks of earlier releases do not say whether it is more or less.
  if ((b.kind === "balance_differs" || b.kind === "gap") && b.direction)
    return { due: toOutflow({ amount: BigInt(b.amount ?? "0"), direction: b.direction }), lines, movements: [] }
  if (b.kind === "balance_differs" || b.kind === "gap") return { due: undefined, lines, movements: [] }
  const named =
    b.kind === "missing_on_statement"
      ? yield* openAmong(deps, account, b.movements)
      : b.told_from !== undefined
        ? yield* openAmong(deps, account, b.told_from)
        : b.kind === "amount_differs" || b.kind === "executed_twice"
          ? (yield* openMovements(deps, account, b.resource_ids)).filter(
              ({ direction }) => direction === lines[0]?.data.direction
            )
          : []
  return { due: sumLineOutflow(lines) - sumOutflow(named), lines, movements: named }
})

/** A new entry that ends a break or explains a line. `line_id`: the line that it explains. */
export interface EndingEntry {
  readonly id: string
  readonly line_id: string | null
  readonly money: EntryMoney
  readonly note: string
}

/**
 * The changes by which an entry ends a break. It moves at the account exactly what differs. The line that it names has it before other lines.
 * Errors: `InvalidInput` for another amount, or an entry that does not touch the account or moves in the other direction.
 */
export const endWithEntry = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  row: Row<BreakData>,
  entry: EndingEntry,
  at: number
) {
  const { amount, currency, from, to } = entry.money
  const { due, lines: all, movements } = yield* findDueAmount(deps, account, row)
  const named = all.filter(({ id }) => id === entry.line_id)
  const lines = [...named, ...all.filter(({ id }) => id !== entry.line_id)]
  if (currency !== account.currency)
    return yield* invalid("currency", `currency is ${currency}, but the break is in ${account.currency}.`)
  if (from !== account.account && to !== account.account)
    return yield* invalid("to", `Neither from nor to is ${account.account}, where the break is.`)
  const effect = to === account.account ? BigInt(amount) : -BigInt(amount)
  if (due === undefined && row.data.amount !== amount)
    return yield* invalid(
      "amount",
      `amount is not ${displayMinor(BigInt(row.data.amount ?? "0"), currency)}, which differs.`
    )
  if (due !== undefined && effect !== due)
    return yield* effect === -due
      ? invalid(
          due > 0n ? "to" : "from",
          `${due > 0n ? "to" : "from"} must be ${account.account}: money ${due > 0n ? "left" : "came into"} the account.`
        )
      : invalid("amount", `amount is not ${displayMinor(due, currency)}, which differs.`)
  const own: Part = { resource_id: entry.id, version: 1, amount, signed: effect }
  const parts = named.length > 0 ? [own, ...movements.map(toPart)] : [...movements.map(toPart), own]
  const settled = yield* settleLines(deps, account, lines, parts, { break_id: row.id, entry_id: entry.id }, at)
  const next = yield* deps.unitOfWork.stepOrDie(
    BreakKind,
    row,
    {
      type: "resolved",
      action: "explain",
      note: entry.note,
      at,
      adjusting_entry_id: entry.id,
      settled_lines: lines.map(({ id }) => id),
      ...(lines.length === 0
        ? { movements: parts.map(({ amount: of, resource_id, version }) => ({ resource_id, version, amount: of })) }
        : {})
    },
    at
  )
  const left = yield* scheduleScanOfRest(deps, account, row.data.resource_ids, lines, movements, at)
  return { changes: [...settled, next.changes, ...left], row: next.row }
})

/** Finds the payment under way that the lines of a break are compared with, and that the books do not have yet. */
const findUnderWay = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  { kind, resource_ids, told_from = [] }: BreakData
) {
  if (kind !== "amount_differs" || told_from.length > 0) return undefined
  const rows = yield* findRowsByIds(deps, resource_ids)
  return rows.find((row) => describeResource(deps, account, row).payment === "under_way")?.id
})

const explainBreak = Effect.fnUntraced(function* (
  deps: ResolvingDeps,
  account: MatchedAccount,
  row: Row<BreakData>,
  { amount, from, note, to }: ResolveBreak,
  at: number
) {
  if (from === undefined || to === undefined)
    return yield* invalid(from === undefined ? "from" : "to", "explain takes from and to: the accounts of the entry.")
  const { due, lines } = yield* findDueAmount(deps, account, row)
  const { currency } = account
  const breakAmount = BigInt(row.data.amount ?? "0")
  const differs = due ?? breakAmount
  if (differs === 0n && amount === undefined)
    return yield* invalid("action", "Nothing differs: match the lines instead.")
  if (amount === undefined && differs !== breakAmount && differs !== -breakAmount) {
    const pending = yield* findUnderWay(deps, account, row.data)
    return yield* invalid(
      "amount",
      pending === undefined
        ? `amount is required: what differs is ${displayMinor(differs, currency)} by now, and the break says ${displayMinor(breakAmount, currency)}.`
        : `amount is required: ${pending} is under way, and the books have nothing of it yet. Until its outcome is known all of the line differs, ${displayMinor(differs, currency)}; ${displayMinor(breakAmount, currency)} is what differs if it succeeds with its amount. Wait for its outcome, or send the amount.`
    )
  }
  const stated = amount ?? displayAmount((differs < 0n ? -differs : differs).toString(), account.currency)
  const money = yield* resolveEntryMoney(deps, { from, to, amount: stated, currency: account.currency })
  const data: AdjustingEntryData = {
    ...money,
    note,
    exception_id: null,
    break_id: row.id,
    line_id: lines.length === 1 ? lines[0]!.id : null,
    reverses: null,
    reversed_by: null
  }
  const made = yield* postEntry(deps, PLATFORM_MERCHANT, data, at)
  const ended = yield* endWithEntry(deps, account, row, { id: made.row.id, line_id: null, money, note }, at)
  return { changes: [made.changes, ...ended.changes], row: ended.row }
})

/**
 * Finds the first of these lines that an entry accounts for, wholly or in part: the match of such a line cannot be undone alone. `own`: the
 * entry that is undone with them.
 */
const findExplainedLine = Effect.fnUntraced(function* (
  { storage }: Deps,
  lines: ReadonlyArray<Line>,
  own: string | null
) {
  const prefix = `${AdjustingEntryKind.prefix}_`
  for (const line of lines) {
    const others = line.data.matches.filter(({ resource_id }) => resource_id !== own)
    if (line.state === "explained" && others.length > 0) return line
    for (const { resource_id } of others) {
      if (!resource_id.startsWith(prefix)) continue
      const entry = (yield* storage.find(AdjustingEntryKind.kind, resource_id)) as Row<AdjustingEntryData> | undefined
      const { break_id = null, line_id = null } = entry?.data ?? {}
      if (entry?.state === "posted" && (break_id !== null || line_id !== null)) return line
    }
  }
  return undefined
})

/** The lines that a resolution settled and that are still matched or explained. */
const findSettledLines = (deps: Deps, { data }: Row<BreakData>) => findAccountedLines(deps, data.settled_lines)

/** The lines that a resolution settled and that a statement has taken since: no statement brings back what is undone. */
const forgetDecisions = Effect.fnUntraced(function* (deps: Deps, { data }: Row<BreakData>, at: number) {
  const rows = (yield* deps.storage.get(
    data.settled_lines.map((id) => ({ ...platform, kind: StatementLineKind.kind, id }))
  )) as ReadonlyArray<Line>
  const left = rows.filter((row) => !isAccounted(row.state) && row.data.former_matches !== undefined)
  const patch = { former_matches: undefined, former_status: undefined, former_lines: undefined }
  return yield* Effect.forEach(left, (row) =>
    Effect.map(
      deps.unitOfWork.stepOrDie(StatementLineKind, row, { type: "restated", patch }, at),
      ({ changes }) => changes
    )
  )
})

/** Releases lines, and reverses the entry of a break, at each account that it moved. Errors: those of {@link releaseEntry}. */
const undoEntry = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<BreakData>,
  lines: ReadonlyArray<Line>,
  note: string,
  at: number
) {
  const { adjusting_entry_id } = row.data
  const entry =
    adjusting_entry_id === null
      ? undefined
      : yield* findOfAnyMerchant(deps.storage, AdjustingEntryKind, adjusting_entry_id)
  if (entry?.state !== "posted")
    return {
      books: [],
      changes: yield* releaseLines(deps, row.data.external_account_id, lines, row.id, at),
      free: new Map(lines.map((line) => [line.id, line]))
    }
  const ids = lines.map(({ id }) => id)
  const found = yield* releaseEntry(deps, entry, row, ids, true, at)
  return { ...found, changes: [...found.changes, ...(yield* reverseEntry(deps, entry, note, at)).changes] }
})

/** Lists the accounts that an undo changes: those of the books, of the lines that it frees, and of the break. */
export const listAccounts = (
  books: ReadonlyArray<SharedBooks>,
  free: ReadonlyMap<string, Line>,
  ...own: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...own,
  ...books.map(({ account }) => account.id),
  ...[...free.values()].map(({ data }) => data.external_account_id)
]

/** Ends newer breaks of the movements, or of the statement, of a break that is reopened, because the reopened one replaces them. */
export const endBreaksFoundAgain = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  { data: { adjusting_entry_id, kind, movements, statement_id }, id }: Row<BreakData>,
  at: number
) {
  if (isOfLines(kind)) return []
  const own = movements.filter(({ resource_id }) => resource_id !== adjusting_entry_id)
  const keys = isOfStatements(kind)
    ? (yield* listSameStatements(deps.storage, account.id, statement_id!)).map((same) => statementBreakKey(same, kind))
    : own.map(({ resource_id, version }) => stepBreakKey(resource_id, version))
  const known = yield* readBreaksByKey(deps, account, keys)
  const others = new Map([...known.values()].flat().map((one) => [one.id, one]))
  const changes: Array<ChangeSet> = []
  for (const one of others.values())
    if (one.id !== id && one.state === "open" && one.data.line_ids.length === 0)
      changes.push((yield* deps.unitOfWork.stepOrDie(BreakKind, one, { type: "cleared", at }, at)).changes)
  return changes
})

/**
 * The event by which a break is open again, about its lines that nothing accounts for and `more`. `isHeld`: a person has unmatched some, which
 * are left to people from then on. `free`: the lines that are free with it.
 */
export const makeReopenedEvent = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  row: Row<BreakData>,
  note: string,
  isHeld: boolean,
  more: ReadonlyArray<string>,
  free: ReadonlyMap<string, Line>
) {
  const { data } = row
  if (isOfLines(data.kind) && (isHeld || listHeldLines(data).length > 0))
    return yield* makeReopenEvent(deps, account, row, note, more, { free })
  const all = [...new Set([...data.line_ids, ...more])]
  const accounted = new Set(
    (yield* findAccountedLines(deps, all)).filter(({ id }) => !free.has(id)).map(({ id }) => id)
  )
  const line_ids = all.filter((id) => !accounted.has(id))
  // Of what an entry explained, the next run says what is left once the entry is reversed.
  const isDismissed = isOfStatements(data.kind) && data.action === "dismiss"
  const now = isDismissed ? yield* findDifference(deps, account, data) : undefined
  return { type: "reopened", note, held: false, difference: { ...(now ?? toDifference(data)), line_ids } } as const
})

/**
 * Undoes a resolution: its lines are free, its entry is reversed, and the break is open.
 *
 * Errors: `InvalidStatus` for a dismissed break of which nothing is open, for a line that an entry explains, and where another entry
 * accounts for that of the break; `InvalidInput`.
 */
const undoResolution = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  row: Row<BreakData>,
  { action, line_ids, note }: Pick<ResolveBreak, "action" | "line_ids" | "note">,
  at: number
) {
  const { data } = row
  if (data.action === "dismiss" && action === "reopen" && (yield* isOver(deps, account, row)))
    return yield* new InvalidStatus({
      message: `What break ${row.id} was about is accounted for: nothing of it is open.`
    })
  const settled = yield* findSettledLines(deps, row)
  // What matching ended has settled no line itself.
  const isOwn = action === "unmatch" && line_ids === undefined && settled.length === 0
  const named = isOwn ? (yield* findAccountedLines(deps, data.line_ids)).map(({ id }) => id) : (line_ids ?? [])
  const more = named.filter((id) => !data.settled_lines.includes(id))
  const given = yield* readLines(deps, account, more, isAccounted, "it has no match to undo.")
  const lines = yield* findMatchGroup(deps, [...settled, ...given])
  const another = yield* findExplainedLine(deps, lines, data.adjusting_entry_id)
  if (another !== undefined)
    return yield* new InvalidStatus({ message: `Line ${another.id} is explained by an entry: reverse the entry.` })
  const nothing = given.find(({ data }) => data.matches.length === 0)
  if (nothing !== undefined)
    return yield* invalid("line_ids", `line_ids names ${nothing.id}, which is zero, and has no match to undo.`)
  if (action === "unmatch" && lines.length === 0)
    return yield* invalid("line_ids", "line_ids is required: the break has no line that is matched.")
  const { books, changes, free } = yield* undoEntry(deps, row, lines, note, at)
  // What a line is that is taken through a break of a movement or a balance is another question, and has a break of its own. So has one that
  // the opening balance has: no break is about it, and people hold it however this one ends.
  const isApart = action === "unmatch" && !isOfLines(data.kind)
  const about = data.found ?? data
  const others = action === "unmatch" ? lines.filter((line) => isApart || isInOpening(account, about, line)) : []
  const apart = others.length > 0 ? [yield* raiseHeldBreak(deps, account, row, others, note, at)] : []
  const taken = (action === "unmatch" ? lines : given).map(({ id }) => id)
  const held = action === "unmatch" && !isApart
  const joined = taken.filter((id) => !others.some((one) => one.id === id))
  const reopened = yield* makeReopenedEvent(deps, account, row, note, held, joined, free)
  const next = yield* deps.unitOfWork.stepOrDie(BreakKind, row, reopened, at)
  // A line is in one open break: this one.
  const own = [...new Set([...taken, ...(isOfLines(data.kind) ? next.row.data.line_ids : [])])]
  const again = [
    ...(yield* endBreaksWith(deps, account, own, [], row.id, at)),
    ...(yield* endBreaksFoundAgain(deps, account, row, at))
  ]
  const former = yield* forgetDecisions(deps, row, at)
  const all = [...changes, ...former, next.changes, ...apart, ...again]
  return { changes: yield* addRuns(deps, all, books, listAccounts(books, free, account.id), at), row: next.row }
})

export const refuseAction = (row: Row<BreakData>, action: BreakAction): InvalidStatus =>
  new InvalidStatus({
    message: `Break ${row.id} is ${row.state}, and takes ${breakActionsOf(row.state, row.data).join(", ") || "nothing"}; ${action} is none of it.`
  })

const decideAction = Effect.fnUntraced(function* (
  deps: ResolvingDeps,
  account: MatchedAccount,
  row: Row<BreakData>,
  input: ResolveBreak,
  at: number
) {
  switch (input.action) {
    case "match":
      return yield* matchLines(deps, account, row, input, at)
    case "explain":
      return yield* explainBreak(deps, account, row, input, at)
    case "unmatch":
    case "reopen":
      return yield* undoResolution(deps, account, row, input, at)
    case "adopt":
    case "dismiss": {
      const resolved = { type: "resolved", action: input.action, note: input.note, at } as const
      // What a person says is no difference is all of it.
      const end = input.action === "adopt" ? yield* planAdoption(deps, account, row, resolved) : resolved
      const next = yield* deps.unitOfWork.stepOrDie(BreakKind, row, end, at)
      return { changes: [next.changes], row: next.row }
    }
  }
})

/** Plans the end of a break by an adoption: the line that decides is its first. */
const planAdoption = Effect.fnUntraced(function* (
  deps: Deps,
  account: MatchedAccount,
  row: Row<BreakData>,
  resolved: BreakEvent & { readonly type: "resolved" }
) {
  const settled = row.data.line_ids.slice(0, 1)
  const [line] = yield* deps.storage.get(settled.map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  const end = yield* planBreakEnd(deps, account, row, [], resolved, settled)
  // What limits have counted already is no act again.
  return row.data.adopting === true ? end : { ...end, adopted_amount: (line as Line).data.amount }
})

/** Whether matching has already ended the break of an adoption, because its line is matched with the adopted movement. */
const isAdopted = Effect.fnUntraced(function* (
  { storage }: Deps,
  { data, state }: Row<BreakData>,
  { action }: ResolveBreak
) {
  if (action !== "adopt" || state !== "resolved" || data.action !== "cleared") return false
  const keys = data.line_ids.slice(0, 1).map((id) => ({ ...platform, kind: StatementLineKind.kind, id }))
  const [line] = (yield* storage.get(keys)) as ReadonlyArray<Line>
  return line !== undefined && line.data.matches.some(({ resource_id }) => resource_id === data.adopt)
})

/**
 * Resolves a break, or undoes its resolution. `adopt` only records an adoption that {@link Reconciliations} has carried out.
 *
 * Errors: `NotFound`; `Conflict` when `If-Match` does not match; `InvalidStatus` for an action that it does not offer, or a line in another status; `InvalidInput` for lines and
 * movements whose sums differ, for an entry with another amount or other accounts, and when a limit would be exceeded.
 */
const resolve = Effect.fnUntraced(function* (deps: ResolvingDeps, call: Call, id: string, input: ResolveBreak) {
  const { storage, unitOfWork } = deps
  const found = yield* findOfAnyMerchant(storage, BreakKind, id)
  const { account, lockId } = (yield* readMatchedAccount(deps, found.data.external_account_id))!
  yield* findOrMakeState(deps, lockId, account.opening.date)
  return yield* unitOfWork.write(toPlatformCall(call), function* () {
    const lock = yield* readLock(deps, lockId)
    const row = yield* unitOfWork.load(BreakKind, PLATFORM_MERCHANT, id)
    yield* checkVersion(call, String(row.version), makeBreakVersion(row))
    const isOffered = breakActionsOf(row.state, row.data).includes(input.action)
    if (!isOffered && !(yield* isAdopted(deps, row, input))) return yield* refuseAction(row, input.action)
    const at = yield* Clock.currentTimeMillis
    const { changes, row: next } = yield* decideAction(deps, account, row, input, at)
    // What is left of the break may be money that left twice: it is no break for as long as nobody has looked.
    const all = yield* addRuns(deps, changes, [{ lockId, lock }], [account.id], at)
    return { changes: addNote(all, row, input.note), result: breakBody(next), audited: next }
  })
})

/** How long after limits have counted an adoption they count it no more, unless its movement has succeeded. */
const ADOPTION_MS = 600_000

/**
 * Has limits count an adoption, in a commit of its own: it takes their room before the movement succeeds, so that two adoptions never share the
 * last of it. A repeat counts nothing; where nobody finishes it, its timer ends it. Errors: `InvalidInput` when a limit has no room for it; those of a
 * write.
 */
const beginAdoption = Effect.fnUntraced(function* (
  { unitOfWork }: ResolvingDeps,
  call: Call,
  id: string,
  adopted_amount: string
) {
  yield* unitOfWork.write({ ...toPlatformCall(call), idempotency: null }, function* () {
    const row = yield* unitOfWork.load(BreakKind, PLATFORM_MERCHANT, id)
    if (row.data.adopting === true) return { changes: [], result: undefined }
    const at = yield* Clock.currentTimeMillis
    const next = yield* unitOfWork.step(BreakKind, row, { type: "adopting", adopted_amount }, at)
    if (next === undefined) return yield* refuseAction(row, "adopt")
    // The audit log has the adoption once, when it is recorded.
    return { changes: [next.changes, makeDueTimer(row, adoptionTimer, at + ADOPTION_MS)], result: undefined }
  })
})

/** Gives back what limits counted of an adoption that was none. */
const endAdoption = Effect.fnUntraced(function* ({ ids, storage, unitOfWork }: ResolvingDeps, id: string) {
  const source = { deduplicationKey: `not adopted/${yield* ids.make("mat")}`, deduplication_ms: 3_600_000 }
  yield* unitOfWork.apply(PLATFORM_MERCHANT, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const [row] = (yield* storage.get([{ ...platform, kind: BreakKind.kind, id }])) as ReadonlyArray<Row<BreakData>>
    const { adopting, counted = [] } = (row?.data ?? {}) as Partial<BreakData>
    if (row === undefined || adopting !== true) return { changes: [], result: undefined }
    const { changes } = yield* unitOfWork.stepOrDie(BreakKind, row, { type: "not_adopted" }, at)
    return { changes: [changes, giveBack(counted)], result: undefined }
  })
})

export class BreakResolutions extends Context.Service<BreakResolutions>()("corridor/engine/BreakResolutions", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { resolve, beginAdoption, endAdoption }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
