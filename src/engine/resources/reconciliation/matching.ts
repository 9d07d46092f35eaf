/**
 * A run of matching: reads the lines of an account that nothing accounts for, and the books that they name; decides; and writes matches,
 * proposals and breaks (MATCH-7). It may be repeated at any time, and writes only what has changed.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import {
  type BreakCandidate,
  type BreakData,
  type BreakDifference,
  isDismissedAs,
  isOfLines,
  isSameDifference
} from "../../../machines/reconciliation/break.ts"
import {
  type BookMovement,
  type LineFinding,
  type LineBreak,
  listNamesOf,
  matchLines,
  type NamedResource,
  type OpenLine
} from "../../../machines/kernel/matching.ts"
import {
  lookTimer,
  type MatchingStateData,
  type MatchingStateEvent
} from "../../../machines/reconciliation/matching.ts"
import type { StatementData } from "../../../machines/reconciliation/statement.ts"
import type {
  LineMatch,
  StatementLineData,
  StatementLineEvent
} from "../../../machines/reconciliation/statement-line.ts"
import { readAllRowsUnder } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Source } from "../../commit/call.ts"
import { makeDueTimer } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type RowKey, type StoredPosting } from "../../ports/Storage.ts"
import { findMovedAt, findDayStart } from "./account-days.ts"
import {
  findAlike,
  isAtSide,
  type BooksDeps,
  toDay,
  type MatchedAccount,
  toMovementsOfPostings,
  readMovements,
  streamPostings,
  readRowsById,
  sumSteps
} from "./books.ts"
import {
  BreakKind,
  isDismissed,
  isLeftToPeople,
  lineBreakKey,
  listHeldLines,
  makeHoldKey,
  stepBreakKey
} from "./break.ts"
import { type BooksVersion, readBreaksByKey, clearBreaks, raiseBreak, WRITE, commitForRun } from "./break-writing.ts"
import { makeHeldEvent } from "./held-breaks.ts"
import {
  readMatchedAccount,
  makeMatchingDeps,
  type MatchingDeps,
  platform,
  findOrMakeState,
  stepRow
} from "./matched-account.ts"
import { hasLock } from "./books-lock.ts"
import { findFreedSince, FRESH_MS, MatchingStateKind, scheduleMatchingAgain } from "./matching-state.ts"
import {
  endFormerMissing,
  type FirstAccounts,
  findMissingAccounts,
  findNamesElsewhere,
  raiseMissingMovement,
  listNamesIn,
  scheduleScanOfReleased,
  openSteps,
  isStepNamed,
  stepName,
  stepNamesIn,
  scanForMissing,
  scheduleScan
} from "./missing-movements.ts"
import { findNames, type Names } from "./line-names.ts"
import { findRivalLines } from "./rival-lines.ts"
import { findLateNames, noneLate } from "./late-names.ts"
import { isOwn } from "./provider-statement.ts"
import { writeStatementBreaks } from "./statement-breaks.ts"
import { StatementKind } from "./statement-kinds.ts"
import {
  makeMatchKey,
  visitOpenLines,
  isDecided,
  isWeak,
  readLinesUnder,
  StatementLineKind,
  listStatementIds,
  weakKey,
  makeWithdrawalKey
} from "./statement-line.ts"
import { nextDay, findLastSealedDay } from "./statement-roster.ts"

/** The shortest time to the next run, and the most open lines for which a run is scheduled before {@link NEXT_MS}. */
const SOON_MS = 60_000
const FEW_LINES = 5_000

/** The longest time to the next run, by the kind of the account. */
const NEXT_MS = { bank: 12 * 3_600_000, chain: 3_600_000 } as const

/** A line that a provider signed, under a command whose outcome is unknown: it decides the outcome (MATCH-8). */
export interface SignedPayment {
  readonly line: Row<StatementLineData>
  readonly resource_id: string
}

/** The result of a run. `stale`: another run has written the same books, and this one must begin again. */
export interface Run {
  readonly matched: number
  readonly proposed: number
  readonly unmatched: number
  readonly signed: ReadonlyArray<SignedPayment>
  readonly stale: boolean
  /** When the newest line came that is still open, where these are few: what it is may be reported after it. */
  readonly newest: number | undefined
  /** Where the look for movements without a line began and ended, and when the next of them is overdue. Absent: there was none. */
  readonly swept?: Swept
}
export interface Swept {
  readonly from: number
  readonly until: number
  readonly next: number | undefined
  /** When the run read the lines, and when the newest came that is open. */
  readonly began: number
  readonly newest: number | undefined
  /** The version of the account's settings that it looked by. */
  readonly looked_by?: number
}

type Line = Row<StatementLineData>

const isOfAccount = ({ id }: MatchedAccount, { data }: Line): boolean => data.external_account_id === id

interface Reading extends Names {
  /** The lines that are decided, as they were read. */
  readonly rows: ReadonlyMap<string, Line>
  readonly isSigned: (line_id: string) => boolean
  /** What breaks name whose lines are left to people: they have it. */
  readonly held: ReadonlySet<string>
  /** What lines are matched with that are decided anew. */
  readonly free: ReadonlySet<string>
  /** By step: the lines of other accounts that are alike what lines of this one name. */
  readonly elsewhere: ReadonlyMap<string, Line>
}

/** Decides lines that are not stored, and returns the rows that they name. Nothing is written. */
export const decideLines = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  lines: ReadonlyArray<Row<StatementLineData>>
) {
  const { rows, ...names } = yield* findNames(deps, account, lines)
  return { findings: yield* decideFindings(deps, account, names), rows }
})

/** The days, in the account's time zone, on which movements may have been posted since a run. */
const listDaysToReview = ({ time_zone }: MatchedAccount, looked: number, now: number): ReadonlyArray<string> => {
  const days: Array<string> = []
  const today = toDay(time_zone, now)
  for (let day = toDay(time_zone, looked - FRESH_MS); day < today; day = nextDay(day)) days.push(day)
  return [...days, today]
}

const directions = ["credit", "debit"] as const

/** The keys of all lines that likeness has matched on days that are not sealed. */
const listWeakKeysSince = (
  { id, opening, time_zone }: MatchedAccount,
  sealed: string | undefined,
  now: number
): ReadonlyArray<string> => {
  const keys: Array<string> = []
  // The bank may be a day ahead of us.
  const last = nextDay(toDay(time_zone, now))
  for (let day = sealed ?? opening.date; day <= last; day = nextDay(day))
    for (const direction of directions) keys.push(weakKey(id, day, direction))
  return keys
}

/**
 * The keys of the lines that likeness has matched and that may be decided otherwise now: of the days since a look, with those since what has
 * moved since was made (`since`), of which they may have another amount than its own; or of all days by other settings.
 */
const listWeakKeysToReview = (
  account: MatchedAccount,
  { created_at, data: { looked_by, looked_until } }: Row<MatchingStateData>,
  sealed: string | undefined,
  since: number,
  now: number
): ReadonlyArray<string> => [
  ...listDaysToReview(account, Math.min(since, looked_until ?? created_at), now).flatMap((day) =>
    directions.map((direction) => weakKey(account.id, day, direction))
  ),
  // In another time zone, movements have other days; and what names no account may go through another by now, or went meanwhile.
  ...(looked_by !== account.settings && !account.isClosed ? listWeakKeysSince(account, sealed, now) : [])
]

/**
 * Picks, of these lines, those of other accounts of the side that likeness alone has matched, that no person has decided, and whose day is not
 * sealed. By the steps that they are matched with.
 */
const mapWeakMatchesElsewhere = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  found: ReadonlyArray<Line>
) {
  const steps = new Map<string, Line>()
  const weak = found.filter(
    (row) =>
      row.data.external_account_id !== account.id && row.state === "matched" && isWeak(row.data) && !isDecided(row)
  )
  if (weak.length === 0) return steps
  const isHere = yield* isAtSide(deps, account, weak)
  for (const row of weak.filter(isHere)) {
    const sealed = yield* findLastSealedDay(deps, row.data.external_account_id)
    if (sealed !== undefined && row.data.accounted_on <= sealed) continue
    for (const { resource_id, version = 1 } of row.data.matches) steps.set(`${resource_id}@${version}`, row)
  }
  return steps
})

/** Whether matching has matched a line, and may decide otherwise: no person has, and its day is not sealed. */
const isUndecided = (row: Line, sealed: string | undefined): boolean =>
  row.state === "matched" &&
  row.data.matches.length > 0 &&
  !isDecided(row) &&
  (sealed === undefined || row.data.accounted_on > sealed)

/** The steps that matched lines have. */
const listSteps = (some: ReadonlyArray<Line>): ReadonlyArray<string> =>
  some.flatMap(({ data, state }) =>
    state === "matched" ? data.matches.map(({ resource_id, version = 1 }) => `${resource_id}@${version}`) : []
  )

/** The resources that lines name. */
const listResources = (some: ReadonlyArray<OpenLine>): ReadonlyArray<string> =>
  some.flatMap(({ names }) => names.map(({ resource_id }) => resource_id))

/** Lists the names of payments whose money other resources have. */
const listPaymentNames = (movements: ReadonlyMap<string, BookMovement>): ReadonlyArray<string> =>
  [...movements.values()].flatMap((one) => (one.payment === undefined ? [] : listNamesOf(one)))

/**
 * Sorts what people decided of lines by their breaks: the lines that are dismissed, those that they have opened again since a time (they are as
 * new, although they are as they were), and those that they hold, with the steps that they hold.
 */
const sortDecisions = (breaks: ReadonlyArray<Row<BreakData>>, since: number) => {
  const ofLines = breaks.filter(({ data }) => isOfLines(data.kind))
  return {
    dismissed: ofLines.filter(isDismissed).flatMap(({ data }) => data.line_ids),
    opened: new Set(
      breaks
        .filter(({ state, updated_at }) => state === "open" && updated_at >= since)
        .flatMap(({ data }) => data.line_ids)
    ),
    held: new Set(breaks.filter(isLeftToPeople).flatMap(({ data }) => listHeldLines(data))),
    steps: ofLines.filter(isLeftToPeople).flatMap(stepNamesIn)
  }
}

/** Reads the open lines of an account and what they name, with matched lines that must be decided again. Lines that people hold are left out. */
const readOpenLines = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  state: Row<MatchingStateData>
): Effect.fn.Return<Reading, StorageFault> {
  const { storage } = deps
  const { looked_until } = state.data
  const freshSince = (looked_until ?? 0) - FRESH_MS
  const now = yield* Clock.currentTimeMillis
  const sealed = yield* findLastSealedDay(deps, account.id)
  const lines: Array<OpenLine> = []
  const rows = new Map<string, Line>()
  const movements = new Map<string, BookMovement>()
  const resources = new Map<string, NamedResource>()
  const statements = new Map<string, boolean>()
  const signed = new Set<string>()
  const held = new Set<string>()
  const free = new Set<string>()
  const elsewhere = new Map<string, Line>()
  const dismissed = new Set<string>()
  const add = Effect.fnUntraced(function* (some: ReadonlyArray<Line>) {
    const named = yield* findNames(deps, account, some)
    for (const [key, one] of named.movements) movements.set(key, one)
    for (const [id, one] of named.resources) resources.set(id, one)
    // What a line of another account is, if it names nothing, is that account's alone.
    const byId = new Map(some.map((row) => [row.id, row]))
    const ours = named.lines.filter(({ id, names }) => names.length > 0 || isOfAccount(account, byId.get(id)!))
    lines.push(...ours.map((line) => (dismissed.has(line.id) ? { ...line, is_dismissed: true as const } : line)))
    for (const row of some) rows.set(row.id, row)
    const unknown = [...new Set(some.map(({ data }) => data.statement_id))].filter((id) => !statements.has(id))
    for (const { data, id } of yield* storage.get(unknown.map((id) => ({ ...platform, kind: StatementKind.kind, id }))))
      statements.set(id, isOwn(data as StatementData))
    for (const { data, id } of some) if (statements.get(data.statement_id) === true) signed.add(id)
    return named
  })
  /** Lines that matching has decided, of which others may say otherwise: they are decided with these. */
  const again = (found: ReadonlyArray<Line>): ReadonlyArray<Line> =>
    found.filter((row) => !rows.has(row.id) && isOfAccount(account, row) && isUndecided(row, sealed))
  /** What lines contest: what has been matched with what they name, and by likeness alone on their days. */
  const contested = Effect.fnUntraced(function* (some: ReadonlyArray<Line>, named: Names) {
    const byId = new Map(named.lines.map((line) => [line.id, line]))
    const nameless = some.filter(
      (row) => isOfAccount(account, row) && (isWeak(row.data) || byId.get(row.id)?.names.length === 0)
    )
    const taken = [...named.movements.values()].filter((one) => !one.open)
    const found = yield* readLinesUnder(storage, [
      ...new Set(nameless.map(({ data }) => weakKey(account.id, data.booked_on, data.direction))),
      ...new Set(taken.map(({ resource_id }) => makeMatchKey(resource_id)))
    ])
    for (const [step, row] of yield* mapWeakMatchesElsewhere(deps, account, found)) elsewhere.set(step, row)
    return again(found)
  })
  const fresh: Array<Line> = []
  const merged = { lines: [] as Array<OpenLine>, movements: new Map<string, BookMovement>() }
  yield* visitOpenLines(
    storage,
    account.id,
    Effect.fnUntraced(function* (page: ReadonlyArray<Line>) {
      const keys = page.map(({ id }) => lineBreakKey(id))
      const breaks = yield* readBreaksByKey(deps, account, keys)
      const decided = sortDecisions([...breaks.values()].flat(), freshSince)
      for (const id of decided.dismissed) dismissed.add(id)
      for (const name of decided.steps) held.add(name)
      const own = page.filter(({ id }) => !decided.held.has(id))
      const named = yield* add(own)
      const isFresh = new Set(
        own.flatMap(({ id, updated_at }) => (updated_at >= freshSince || decided.opened.has(id) ? [id] : []))
      )
      fresh.push(...own.filter(({ id }) => isFresh.has(id)))
      merged.lines.push(...named.lines.filter(({ id }) => isFresh.has(id)))
      const names = new Set(listResources(merged.lines))
      for (const [key, one] of named.movements)
        if (listNamesOf(one).some((id) => names.has(id))) merged.movements.set(key, one)
    })
  )
  const first = sealed ?? account.opening.date
  const late = looked_until === undefined ? noneLate : yield* findLateNames(deps, account, looked_until, first, now)
  const since = Math.min(late.since, findFreedSince(state.data))
  const weak = yield* readLinesUnder(storage, listWeakKeysToReview(account, state, sealed, since, now))
  const rivalsOf = (some: ReadonlyArray<OpenLine>) =>
    Effect.map(findRivalLines(deps, account, [...listResources(some), ...listPaymentNames(movements)]), (all) =>
      all.filter(({ id }) => !rows.has(id))
    )
  let next = [
    ...again([...weak, ...late.lines]),
    ...(yield* contested(fresh, { ...merged, resources: new Map() })),
    ...(yield* rivalsOf(lines))
  ]
  while (next.length > 0) {
    const some = [...new Map(next.map((row) => [row.id, row])).values()]
    const named = yield* add(some)
    for (const step of listSteps(some)) free.add(step)
    next = [...(yield* contested(some, named)), ...(yield* rivalsOf(named.lines))]
  }
  for (const step of elsewhere.keys()) free.add(step)
  return { lines, rows, movements, resources, isSigned: (id) => signed.has(id), held, free, elsewhere }
})

type Step = Pick<BookMovement, "resource_id" | "version">

const toStepKey = ({ resource_id, version }: Step): string => `${resource_id}@${version}`

/** The most open payouts of a day that are candidates if no line is their sum. */
export const DayPayouts = Context.Reference<number>("corridor/engine/DayPayouts", { defaultValue: () => 20_000 })

/** `isFree`: whether the match of a movement is decided again. */
interface Decided {
  readonly isNamed: (resource_id: string) => boolean
  readonly isFree: (one: BookMovement) => boolean
}

const sumAmounts = (some: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  some.reduce((sum, { amount }) => sum + amount, 0n)

/**
 * The movements of a day that its lines without a name may be, read from the postings of the day: those of their amounts, and all open payouts,
 * with those that are decided anew, where one line may be their sum. `isWhole`: it has these. Not where the payouts that no line names come to more than
 * all debits, so that no line is what others leave of them, nor where they are more than are kept and no line is the sum.
 */
const findMovementsOn = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  day: string,
  lines: ReadonlyArray<OpenLine>,
  { isFree, isNamed }: Decided
) {
  const wanted = new Set(lines.map(({ amount, direction }) => `${direction} ${amount}`))
  const debits = lines.filter(({ direction }) => direction === "debit")
  const [sums, all] = [new Set(debits.map(({ amount }) => amount)), sumAmounts(debits)]
  const postingsOn = (take: (postings: ReadonlyArray<StoredPosting>) => Effect.Effect<boolean, StorageFault>) =>
    streamPostings(
      deps,
      account.account,
      findDayStart(day, account.time_zone),
      findDayStart(nextDay(day), account.time_zone),
      take
    )
  const payoutsIn = Effect.fnUntraced(function* (postings: ReadonlyArray<StoredPosting>) {
    const own = postings.filter(({ resource_id }) => deps.kinds.ofId(resource_id)?.payout !== undefined)
    const payouts = (yield* toMovementsOfPostings(deps, account, own)).filter(
      (one) => one.isPayout && (one.open || isFree(one))
    )
    const ids = payouts.map(({ resource_id }) => resource_id)
    const elsewhere = yield* findNamesElsewhere(deps, account, ids, isLeftToMatching)
    return payouts.filter((one) => !elsewhere.has(stepName(one, one.resource_id)))
  })
  const most = yield* DayPayouts
  const alike = new Map<string, RowKey>()
  let payouts: Array<BookMovement> = []
  let [count, sum] = [0, 0n]
  yield* postingsOn((postings) =>
    Effect.gen(function* () {
      const steps = sumSteps(account, postings)
      // A page may end within a step.
      const cut = new Set([steps[0], steps.at(-1)])
      const ids = new Set(
        steps
          .filter((one) => cut.has(one) || wanted.has(`${one.direction} ${one.amount}`))
          .map(({ resource_id }) => resource_id)
      )
      for (const { merchant_id, resource_id: id } of postings) {
        const kind = ids.has(id) ? deps.kinds.ofId(id)?.kind : undefined
        if (kind !== undefined) alike.set(id, { merchant_id, kind, id })
      }
      if (sum > all) return true
      const some = yield* payoutsIn(postings)
      count += some.length
      sum += sumAmounts(some.filter(({ resource_id }) => !isNamed(resource_id)))
      if (count <= most && sum <= all) payouts.push(...some)
      return true
    })
  )
  const isWhole = count > 1 && sum <= all && (count <= most || sums.has(sum))
  if (isWhole && count > most) {
    payouts = []
    yield* postingsOn((postings) =>
      Effect.map(payoutsIn(postings), (some) => {
        payouts.push(...some)
        return true
      })
    )
  }
  const rows = [...(yield* readRowsById(deps, [...alike.values()])).values()]
  const moved = (yield* readMovements(deps, account, rows)).filter((one) => one.day === day)
  return { movements: isWhole ? [...moved, ...payouts] : moved, isWhole }
})

/** Whether a break says what matching, and no person, decides of its lines. */
const isLeftToMatching = (row: Row<BreakData>): boolean => !isLeftToPeople(row)

/**
 * Decides the lines. What a line that names nothing may be is read by its day. Where nothing of that day has its amount, what has been made
 * around that day with it is a candidate.
 */
const decideFindings = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  { lines, movements, resources }: Names,
  free: ReadonlySet<string> = new Set()
) {
  const all = new Map<string, BookMovement>()
  const wholeDays = new Set<string>()
  const decide = (): ReadonlyArray<LineFinding> =>
    matchLines(lines, { movements: [...all.values()], resources: [...resources.values()], wholeDays })
  const add = (found: Iterable<BookMovement>): void => {
    for (const one of found) {
      const key = toStepKey(one)
      all.set(key, one.open || !free.has(key) ? one : { ...one, open: true })
    }
  }
  const names = new Set(lines.flatMap((line) => line.names.map(({ resource_id }) => resource_id)))
  const isNamed = (one: BookMovement): boolean => listNamesOf(one).some((id) => names.has(id))
  add([...movements.values()].filter(isNamed))
  const isOurs = ({ direction }: { readonly direction: BookMovement["direction"] }): boolean =>
    account.isFirstFor(direction === "debit" ? "payouts" : "payins")
  const nameless = lines.filter((line) => line.names.length === 0 && isOurs(line))
  if (nameless.length === 0) return decide()
  /** Adds what no line here names, and none of another account. */
  const addNameless = Effect.fnUntraced(function* (found: ReadonlyArray<BookMovement>) {
    const fresh = found.filter((one) => isOurs(one) && !isNamed(one))
    const elsewhere = yield* findNamesElsewhere(deps, account, fresh.flatMap(listNamesOf), isLeftToMatching)
    add(fresh.filter((one) => !isStepNamed(elsewhere, one)))
  })
  // What a line only mentions, it does not name.
  yield* addNameless([...movements.values()])
  const decided = { isFree: (one: BookMovement) => free.has(toStepKey(one)), isNamed: (id: string) => names.has(id) }
  for (const [day, own] of Map.groupBy(nameless, (line) => line.day)) {
    const found = yield* findMovementsOn(deps, account, day, own, decided)
    yield* addNameless(found.movements)
    if (found.isWhole) wholeDays.add(day)
  }
  const first = decide()
  const open = new Set(
    first.flatMap((one) =>
      "difference" in one && one.difference.candidates.every(({ rule }) => rule !== "alike") ? [one.line_id] : []
    )
  )
  const left = nameless.filter(({ id }) => open.has(id))
  if (left.length === 0) return first
  yield* addNameless(yield* readMovements(deps, account, yield* findAlike(deps, account, left)))
  return decide()
})

/** The most candidates that a break shows: of several lines, as many as of one. */
const CANDIDATES_MAX = 100

const toBreakCandidates = ({ candidates }: LineBreak): ReadonlyArray<BreakCandidate> =>
  candidates
    .slice(0, CANDIDATES_MAX)
    .map(({ amount, resource_id, rule }) => ({ resource_id, amount: amount.toString(), rule }))

/** A difference with its lines. Lines that pay one movement too often are one difference. */
interface Unit {
  readonly lines: ReadonlyArray<OpenLine>
  readonly found: LineBreak
}

/** One break of two lines of which either may be the payment: what both name, and may be. */
const mergeQuestions = (one: LineBreak, other: LineBreak): LineBreak => ({
  ...one,
  resources: [...new Set([...one.resources, ...other.resources])].sort(),
  candidates: [
    ...new Map(
      [...one.candidates, ...other.candidates].map((each) => [
        JSON.stringify([each.resource_id, each.rule, String(each.amount)]),
        each
      ])
    ).entries()
  ]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, each]) => each)
})

/** The keys of the movements that findings of open lines point to. These are on a statement, with a difference, and so not missing. */
const listNamedSteps = (units: ReadonlyArray<Unit>): ReadonlySet<string> =>
  new Set(units.flatMap(({ found, lines }) => lines.flatMap((line) => found.resources.map((id) => stepName(line, id)))))

/** The break keys of movements that open lines name now. */
const listMissingKeys = (units: ReadonlyArray<Unit>, { movements }: Names): ReadonlyArray<string> => {
  const named = listNamedSteps(units)
  return [...movements.values()].flatMap((one) =>
    one.open && isStepNamed(named, one) ? [stepBreakKey(one.resource_id, one.version)] : []
  )
}

/** Whether any of several lines may be the payment that they name: they are one question, whatever else their texts name. */
const isQuestion = ({ isSurplus, kind }: LineBreak): boolean => kind === "executed_twice" && !isSurplus

const groupUnits = (
  lines: ReadonlyMap<string, OpenLine>,
  findings: ReadonlyArray<LineFinding>
): ReadonlyArray<Unit> => {
  const units = new Map<string, { lines: Array<OpenLine>; found: LineBreak }>()
  for (const finding of findings) {
    if (!("difference" in finding)) continue
    const { difference, line_id } = finding
    const line = lines.get(line_id)!
    const key = isQuestion(difference) ? `${difference.decidedBy.join()} ${line.direction} ${line.amount}` : line_id
    const known = units.get(key)
    if (known === undefined) units.set(key, { lines: [line], found: difference })
    else {
      known.lines.push(line)
      known.found = mergeQuestions(known.found, difference)
    }
  }
  return [...units.values()]
}

/** How often the amount of a finding differs: of lines under one id, as many are right as the books have payments. */
const countWrong = ({ kind }: LineBreak, lines: number, right: number): bigint =>
  kind === "executed_twice" ? BigInt(Math.max(1, lines - right)) : 1n

/** The payments of a unit that a dismissed break of its lines is told from, but for those of others (`taken`). Undefined: one is gone. */
const stepsOfDismissed = (
  { found }: Unit,
  { told_from }: BreakData,
  lines: number,
  taken: ReadonlySet<string>
): ReadonlyArray<Step> | undefined => {
  const free = found.told_from.filter((one) => !taken.has(toStepKey(one)))
  if (!isQuestion(found)) return []
  // Rows of earlier releases did not say them.
  if (told_from === undefined) return free.slice(0, lines)
  const names = new Set(free.map(toStepKey))
  return told_from.every((one) => names.has(toStepKey(one))) ? told_from : undefined
}

/**
 * What people have dismissed of what differs (BREAK-6).
 *
 * Law: a dismissed break stays for as long as its lines, taken together, differ by what it says. Else they are open again, whole.
 */
const makeDismissals = (units: ReadonlyArray<Unit>) => {
  const unitOf = new Map(units.flatMap((unit) => unit.lines.map(({ id }) => [id, unit] as const)))
  /** By dismissed break: the payments that it is told from. Undefined: it is another difference by now. */
  const known = new Map<string, ReadonlyArray<string> | undefined>()
  const weigh = ({ data }: Row<BreakData>, taken: ReadonlySet<string>): ReadonlyArray<string> | undefined => {
    const parts = Map.groupBy(
      data.line_ids.filter((id) => unitOf.has(id)),
      (id) => unitOf.get(id)!
    )
    const steps: Array<string> = []
    let [amount, exposure] = [0n, 0n]
    for (const [unit, ids] of parts) {
      const own = stepsOfDismissed(unit, data, ids.length, taken)
      if (own === undefined) return undefined
      steps.push(...own.map(toStepKey))
      const wrong = isQuestion(unit.found) ? countWrong(unit.found, ids.length, own.length) : 1n
      amount += unit.found.amount * wrong
      exposure += unit.found.exposure * wrong
    }
    const isSame = [...parts.keys()].every(({ found: { decidedBy, direction, kind } }) => {
      const now = { kind, direction, amount: amount.toString(), exposure: exposure.toString(), resource_ids: decidedBy }
      return isDismissedAs(data, now)
    })
    return isSame ? steps : undefined
  }
  /** The lines of a unit that nobody has dismissed, and the payments of those that somebody has. `breaks`: all of its lines. */
  return ({ lines }: Unit, breaks: ReadonlyArray<Row<BreakData>>) => {
    const dismissed = [...new Map(breaks.filter(isDismissed).map((row) => [row.id, row])).values()]
    const taken = new Set<string>()
    const decided = new Set<string>()
    for (const row of dismissed.toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))) {
      if (!known.has(row.id)) known.set(row.id, weigh(row, taken))
      const steps = known.get(row.id)
      if (steps === undefined) continue
      for (const step of steps) taken.add(step)
      for (const id of row.data.line_ids) decided.add(id)
    }
    return { undecided: lines.filter(({ id }) => !decided.has(id)), taken }
  }
}

/** Whether the opening balance has all that a unit is about (CLOSE-4): by `isInOpening`, whose lines may be rows. */
const isUnitInOpening = ({ opening }: MatchedAccount, { found, lines }: Unit): boolean =>
  found.resources.length === 0 && lines.every(({ day }) => day < opening.date)

/** `lines`: those of the unit that nobody has dismissed. `taken`: the payments that are in dismissed breaks. */
const toDifference = (
  { time_zone }: MatchedAccount,
  { found, lines: all }: Unit,
  lines: ReadonlyArray<OpenLine>,
  taken: ReadonlySet<string>,
  rows: ReadonlyMap<string, Line>
): BreakDifference => {
  const rowsOf = (some: ReadonlyArray<OpenLine>) => some.map(({ id }) => rows.get(id)!)
  const right = found.told_from.filter((one) => !isQuestion(found) || !taken.has(toStepKey(one)))
  const wrong = countWrong(found, lines.length, right.length)
  return {
    kind: found.kind,
    severity: found.severity,
    amount: (found.amount * wrong).toString(),
    direction: found.direction,
    exposure: found.exposure === 0n ? null : (found.exposure * wrong).toString(),
    line_ids: lines.map(({ id }) => id),
    resource_ids: found.resources,
    candidates: toBreakCandidates(found),
    told_from: right.map(({ amount, resource_id, version }) => ({ resource_id, version, amount: amount.toString() })),
    adopt: found.adopt,
    since: findMovedAt(rowsOf(lines.length > 0 ? lines : all), time_zone),
    statement_ids: listStatementIds(rowsOf(lines))
  }
}

const toProposal = ({ adopt, amount, candidates }: LineBreak): ReadonlyArray<LineMatch> =>
  candidates.length === 0 && adopt !== null
    ? [{ resource_id: adopt, amount: amount.toString(), rule: "command_id" }]
    : candidates
        .slice(0, CANDIDATES_MAX)
        .map((one) => ({ resource_id: one.resource_id, amount: one.amount.toString(), rule: one.rule }))

const isSameMatches = (a: ReadonlyArray<LineMatch>, b: ReadonlyArray<LineMatch>): boolean =>
  JSON.stringify(a.map(({ amount, resource_id, rule }) => [resource_id, amount, rule])) ===
  JSON.stringify(b.map(({ amount, resource_id, rule }) => [resource_id, amount, rule]))

/** The event that a finding is for its line. Undefined: the line does not change. */
const toLineEvent = ({ data, state }: Line, finding: LineFinding): StatementLineEvent | undefined => {
  if ("matches" in finding) {
    const matches = finding.matches.map((one) => ({ ...one, amount: one.amount.toString() }))
    const isAsBefore =
      isSameMatches(matches, data.matches) && String(listVersions(matches)) === String(listVersions(data.matches))
    return state === "matched" && isAsBefore ? undefined : { type: "matched", matches }
  }
  const matches = toProposal(finding.difference)
  if (matches.length === 0) return state === "unmatched" ? undefined : { type: "unmatched" }
  return state === "proposed" && isSameMatches(matches, data.matches) ? undefined : { type: "proposed", matches }
}

const listVersions = (matches: ReadonlyArray<LineMatch>): ReadonlyArray<number | undefined> =>
  matches.map(({ version }) => version)

/** The current rows of lines. Undefined: one of them has changed since it was read. */
const readUnchangedRows = Effect.fnUntraced(function* (
  { storage }: MatchingDeps,
  read: ReadonlyMap<string, Line>,
  ids: ReadonlyArray<string>
) {
  const rows = yield* storage.get(ids.map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  const byId = new Map((rows as ReadonlyArray<Line>).map((row) => [row.id, row]))
  return ids.every((id) => byId.get(id)?.version === read.get(id)!.version) ? byId : undefined
})

/** Writes matches, and ends the breaks of their lines and movements. */
const writeMatches = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  expected: BooksVersion,
  { rows: read }: Reading,
  all: ReadonlyArray<Extract<LineFinding, { readonly matches: unknown }>>,
  isMatched: (line_id: string) => boolean
) {
  const findings = all.filter((one) => toLineEvent(read.get(one.line_id)!, one) !== undefined)
  for (let n = 0; n < findings.length; n += WRITE) {
    const some = findings.slice(n, n + WRITE)
    const breaks = yield* readBreaksByKey(deps, account, [
      ...some.map(({ line_id }) => lineBreakKey(line_id)),
      ...some.flatMap(({ matches }) => matches.map(({ resource_id, version }) => stepBreakKey(resource_id, version)))
    ])
    const written = yield* commitForRun(deps, expected, (at) =>
      Effect.gen(function* () {
        const rows = yield* readUnchangedRows(
          deps,
          read,
          some.map(({ line_id }) => line_id)
        )
        if (rows === undefined) return "stale" as const
        const changes: Array<ChangeSet> = []
        for (const finding of some) {
          const row = rows.get(finding.line_id)!
          changes.push(...(yield* stepRow(deps, StatementLineKind, row, toLineEvent(row, finding)!, at)))
        }
        const known = some.flatMap(({ line_id }) => breaks.get(lineBreakKey(line_id)) ?? [])
        const taken = new Set(
          some.flatMap(({ matches }) => matches.map((one) => stepBreakKey(one.resource_id, one.version)))
        )
        const ended = yield* clearBreaks(deps, account, breaks, isMatched, new Set(), at)
        return [...changes, ...ended, ...(yield* scheduleScanOfReleased(deps, account, listNamesIn(known), taken, at))]
      })
    )
    if (written === "stale") return written
  }
  return "written" as const
})

/**
 * Writes what differs: proposals of lines, and breaks. What a person has dismissed of a line is not raised again. A movement that a line
 * names is missing on no statement.
 */
const writeDifferences = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  expected: BooksVersion,
  units: ReadonlyArray<Unit>,
  findings: ReadonlyMap<string, LineFinding>,
  names: Reading
) {
  const dismissalsOf = makeDismissals(units)
  for (let n = 0; n < units.length; n += WRITE) {
    const some = units.slice(n, n + WRITE)
    const breaks = yield* readBreaksByKey(
      deps,
      account,
      some.flatMap(({ lines }) => lines.map(({ id }) => lineBreakKey(id)))
    )
    const missed = yield* readBreaksByKey(deps, account, listMissingKeys(some, names))
    const ids = some.flatMap(({ lines }) => lines.map(({ id }) => id))
    const changesAt = (at: number) =>
      Effect.gen(function* () {
        const rows = yield* readUnchangedRows(deps, names.rows, ids)
        if (rows === undefined) return "stale" as const
        const changes: Array<ChangeSet> = []
        const done = new Set<string>()
        const lost = new Set<string>()
        for (const unit of some) {
          for (const { id } of unit.lines) {
            const row = rows.get(id)!
            const event = toLineEvent(row, findings.get(id)!)
            if (event !== undefined) changes.push(...(yield* stepRow(deps, StatementLineKind, row, event, at)))
          }
          const breaksOfLine = ({ id }: OpenLine) => breaks.get(lineBreakKey(id)) ?? []
          const known = unit.lines.flatMap(breaksOfLine)
          const { taken, undecided } = isUnitInOpening(account, unit)
            ? { taken: new Set<string>(), undecided: [] }
            : dismissalsOf(unit, known)
          const difference = toDifference(account, unit, undecided, taken, rows)
          const [open, ...others] = known.filter(({ id, state }) => state === "open" && !done.has(id))
          for (const id of listNamesIn(known)) if (!difference.resource_ids.includes(id)) lost.add(id)
          const kept = undecided.length > 0 ? open : undefined
          if (kept !== undefined) {
            done.add(kept.id)
            if (!isSameDifference(kept.data, difference))
              changes.push(...(yield* stepRow(deps, BreakKind, kept, { type: "found", difference }, at)))
          } else if (undecided.length > 0) {
            changes.push(yield* raiseBreak(deps, account, difference, { statement_id: null, movements: [] }, at))
          }
          for (const other of open === undefined || kept === open ? others : [open, ...others])
            if (!done.has(other.id)) {
              done.add(other.id)
              changes.push(...(yield* stepRow(deps, BreakKind, other, { type: "cleared", at }, at)))
            }
        }
        const ended = yield* clearBreaks(deps, account, missed, () => true, done, at)
        const scans = changes.length === 0 ? [] : yield* scheduleScanOfReleased(deps, account, [...lost], new Set(), at)
        return [...changes, ...ended, ...scans]
      })
    // Most runs find what the one before has found.
    if (yield* changesNothing(changesAt)) continue
    if ((yield* commitForRun(deps, expected, changesAt)) === "stale") return "stale" as const
  }
  return "written" as const
})

/** The lines of other accounts that are alike what is a line of this one by its name, or what an open line names (MATCH-5). */
const listTakenLines = ({ elsewhere, lines }: Reading, findings: ReadonlyArray<LineFinding>): ReadonlyArray<Line> => {
  if (elsewhere.size === 0) return []
  const byId = new Map(lines.map((line) => [line.id, line]))
  const steps = new Set(findings.flatMap((one) => ("matches" in one ? one.matches.map(toStepKey) : [])))
  const names = new Set(
    findings.flatMap((one) =>
      "matches" in one ? [] : one.difference.resources.map((id) => stepName(byId.get(one.line_id)!, id))
    )
  )
  const rows = [...elsewhere].flatMap(([step, row]) => {
    const resource_id = step.slice(0, step.lastIndexOf("@"))
    return steps.has(step) || names.has(stepName(row.data, resource_id)) ? [row] : []
  })
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/** Undoes matches that this run decides otherwise, so that their movements are free for other lines. */
const undoMatches = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  expected: BooksVersion,
  read: ReadonlyMap<string, Line>,
  undone: ReadonlyArray<Line>
) {
  for (let n = 0; n < undone.length; n += WRITE) {
    const some = undone.slice(n, n + WRITE)
    const written = yield* commitForRun(deps, expected, (at) =>
      Effect.gen(function* () {
        const rows = yield* readUnchangedRows(
          deps,
          read,
          some.map(({ id }) => id)
        )
        if (rows === undefined) return "stale" as const
        const changes = yield* Effect.forEach(some, ({ id }) =>
          stepRow(deps, StatementLineKind, rows.get(id)!, { type: "unmatched" }, at)
        )
        const lost = some.flatMap(({ data }) => data.matches)
        const scans = yield* scheduleScan(deps, account.id, lost, at)
        // The accounts whose lines another takes its movements from are matched again, unless a scan does it.
        const others = new Set(some.map(({ data }) => data.external_account_id).filter((id) => id !== account.id))
        const runs = yield* Effect.forEach(
          [...others].filter((id) => !hasLock(scans, id)),
          (id) => scheduleMatchingAgain(deps, id, at)
        )
        return [...changes.flat(), ...scans, ...runs.flat()]
      })
    )
    if (written === "stale") return
  }
})

/**
 * The breaks of lines that were withdrawn: what a statement said first, and does not have, ends its own breaks; what it was, or would be,
 * is missing on the statements at once, unless an open line names it (`named`), or one of another account.
 */
const writeBreaksOfWithdrawn = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  firsts: FirstAccounts,
  expected: BooksVersion,
  named: ReadonlySet<string>
) {
  const rows = yield* readLinesUnder(deps.storage, [makeWithdrawalKey(account.id)])
  if (rows.length === 0) return "written" as const
  const gone = new Set(rows.map(({ id }) => id))
  const breaks = yield* readBreaksByKey(
    deps,
    account,
    rows.map(({ id }) => lineBreakKey(id))
  )
  const ended = new Map(
    [...breaks].filter(([, own]) =>
      own.some((row) => row.state === "open" && !row.data.held && row.data.kind !== "missing_on_statement")
    )
  )
  const names = yield* findNames(deps, account, rows)
  const findings = yield* decideFindings(deps, account, names)
  const found = findings.flatMap((one) => ("matches" in one ? one.matches : []))
  const former = rows.flatMap(({ data }) => data.former_matches ?? [])
  const missing = yield* openSteps(
    deps,
    account,
    [...found, ...former].map(({ resource_id, version = 1 }) => ({ resource_id, version }))
  )
  const known = yield* readBreaksByKey(
    deps,
    account,
    missing.map(({ resource_id, version }) => stepBreakKey(resource_id, version))
  )
  const isKnown = (row: Row<BreakData>): boolean => row.state === "open" || isDismissed(row)
  const elsewhere = yield* findNamesElsewhere(deps, account, missing.flatMap(listNamesOf))
  const fresh = missing.filter(
    (one) =>
      !isStepNamed(named, one) &&
      !isStepNamed(elsewhere, one) &&
      !(known.get(stepBreakKey(one.resource_id, one.version)) ?? []).some(isKnown)
  )
  if (fresh.length === 0 && ended.size === 0) return "written" as const
  const accountOf = yield* findMissingAccounts(deps, account, firsts)
  return yield* commitForRun(deps, expected, (at) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(fresh, (one) =>
        raiseMissingMovement(deps, { ...account, id: accountOf(one) ?? account.id }, one, at)
      )
      return [...made, ...(yield* clearBreaks(deps, account, ended, (id) => gone.has(id), new Set(), at))]
    })
  )
})

/** Brings the breaks of held lines up to date, oldest first: of two that name a payment, the older one subtracts it. */
const writeHeldBreaks = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  expected: BooksVersion
) {
  const query = { ...platform, keys: [makeHoldKey(account.id)], kinds: [BreakKind.kind] }
  const rows = (yield* readAllRowsUnder(deps.storage, query, () => true)) as ReadonlyArray<Row<BreakData>>
  const inOrder = rows.toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
  for (const row of inOrder.filter(({ data }) => isOfLines(data.kind))) {
    const changesAt = (at: number) =>
      Effect.gen(function* () {
        const event = yield* makeHeldEvent(deps, account, row, {}, at)
        if (event === undefined) return []
        const named = event.type === "found" ? event.difference.resource_ids : []
        const lost = row.data.resource_ids.filter((id) => !named.includes(id))
        const changes = yield* stepRow(deps, BreakKind, row, event, at)
        return [...changes, ...(yield* scheduleScanOfReleased(deps, account, lost, new Set(), at))]
      })
    if (yield* changesNothing(changesAt)) continue
    if ((yield* commitForRun(deps, expected, changesAt)) === "stale") return "stale" as const
  }
  return "written" as const
})

const changesNothing = (changes: (at: number) => Effect.Effect<ReadonlyArray<ChangeSet> | "stale", StorageFault>) =>
  Effect.gen(function* () {
    const found = yield* changes(yield* Clock.currentTimeMillis)
    return found !== "stale" && found.length === 0
  })

const nothing: Run = { matched: 0, proposed: 0, unmatched: 0, signed: [], stale: false, newest: undefined }

/**
 * Matches the lines of an account that nothing accounts for. `sweeps`: it also looks for movements that no statement has in time. The
 * rows of lines are read again where they are written, so that a decision of a person in the meantime stands.
 *
 * Law: a run after a run, without new lines or movements, writes nothing.
 */
const match = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  id: string,
  sweeps: boolean
): Effect.fn.Return<Run, StorageFault> {
  const known = yield* readMatchedAccount(deps, id)
  if (known === undefined) return nothing
  const { lockId } = known
  const begin = known.account.opening.date
  const state = yield* findOrMakeState(deps, id, begin)
  const lockRow = lockId === id ? state : yield* findOrMakeState(deps, lockId, begin)
  const expected = { id: lockId, version: lockRow.version }
  // The settings are read after the lock, which a change of them steps.
  const { account, firsts } = (yield* readMatchedAccount(deps, id))!
  const stale = { ...nothing, stale: true }
  const began = yield* Clock.currentTimeMillis
  const read = yield* readOpenLines(deps, account, state)
  const decided = yield* decideFindings(deps, account, read, read.free)
  const findings = decided.filter(({ line_id }) => isOfAccount(account, read.rows.get(line_id)!))
  const taken = listTakenLines(read, findings)
  const undone = decided.flatMap((one) => {
    const row = read.rows.get(one.line_id)!
    return row.state === "matched" && toLineEvent(row, one) !== undefined ? [row] : []
  })
  if (undone.length + taken.length > 0) {
    const rows = new Map([...read.rows, ...taken.map((row) => [row.id, row] as const)])
    yield* undoMatches(deps, account, expected, rows, [...undone, ...taken])
    return stale
  }
  const byLine = new Map(findings.map((one) => [one.line_id, one]))
  const matches = findings.filter((one) => "matches" in one)
  const isMatched = (line_id: string): boolean => {
    const one = byLine.get(line_id)
    return one === undefined || "matches" in one
  }
  if ((yield* writeMatches(deps, account, expected, read, matches, isMatched)) === "stale") return stale
  const lines = new Map(read.lines.map((line) => [line.id, line]))
  const units = groupUnits(lines, findings)
  if ((yield* writeDifferences(deps, account, expected, units, byLine, read)) === "stale") return stale
  if ((yield* writeHeldBreaks(deps, account, expected)) === "stale") return stale
  if ((yield* writeStatementBreaks(deps, account, expected)) === "stale") return stale
  const { looked_by, swept_until: from } = state.data
  // What was looked for depends on the settings of the account: with others, all since its opening is.
  const isChanged = looked_by !== account.settings
  if (sweeps && isChanged && (yield* endFormerMissing(deps, account, firsts, expected)) === "stale") return stale
  const named = new Set([...listNamedSteps(units), ...read.held])
  if ((yield* writeBreaksOfWithdrawn(deps, account, firsts, expected, named)) === "stale") return stale
  const rivals = new Set(
    [...read.rows.values()].map(({ data }) => data.external_account_id).filter((one) => one !== id)
  )
  // What this run has written may be something else to lines of other accounts that name the same.
  if (expected.version !== lockRow.version && rivals.size > 0) {
    const woken = yield* commitForRun(deps, expected, (at) =>
      Effect.map(
        Effect.forEach(rivals, (one) => scheduleMatchingAgain(deps, one, at)),
        (changes) => changes.flat()
      )
    )
    if (woken === "stale") return stale
  }
  const adoptable = findings.flatMap((one) =>
    "difference" in one && one.difference.adopt !== null && read.isSigned(one.line_id)
      ? [{ line_id: one.line_id, resource_id: one.difference.adopt }].filter(({ line_id, resource_id }) =>
          lines.get(line_id)!.names.some(({ by, resource_id: named }) => named === resource_id && by === "command_id")
        )
      : []
  )
  const signed = yield* Effect.forEach(adoptable, ({ line_id, resource_id }) =>
    Effect.map(deps.storage.get([{ ...platform, kind: StatementLineKind.kind, id: line_id }]), ([line]) => ({
      line: line as Row<StatementLineData>,
      resource_id
    }))
  )
  const proposed = findings.filter((one) => "difference" in one && toProposal(one.difference).length > 0).length
  const run = {
    matched: matches.length,
    proposed,
    unmatched: findings.length - matches.length - proposed,
    signed,
    stale: false,
    newest: findNewest(findings, read)
  }
  if (!sweeps) return run
  const now = yield* Clock.currentTimeMillis
  const since = isChanged ? Math.min(from, account.begin.payouts, account.begin.payins) : from
  const swept = yield* scanForMissing(deps, account, firsts, expected, named, since, now)
  return swept.isStale
    ? stale
    : { ...run, swept: { ...swept, from, began, newest: run.newest, looked_by: account.settings } }
})

const findNewest = (findings: ReadonlyArray<LineFinding>, { rows }: Reading): number | undefined => {
  const open = findings.flatMap((one) => ("difference" in one ? [rows.get(one.line_id)!.created_at] : []))
  return open.length === 0 || open.length > FEW_LINES ? undefined : open.reduce((a, b) => Math.max(a, b))
}

/** Finds when open lines are looked at again, because their movements may be reported late: after a quarter of the age of the newest. */
const findNextLook = (newest: number | undefined, at: number): number =>
  newest === undefined ? Infinity : at + Math.max(SOON_MS, Math.floor((at - newest) / 4))

/** Stores how far an account is matched, and when its next run is due: at the next deadline, and at the latest after {@link NEXT_MS}. */
const storeRun = Effect.fnUntraced(function* (deps: MatchingDeps, id: string, swept: Swept, source: Source) {
  const { storage, unitOfWork } = deps
  const found = yield* readMatchedAccount(deps, id)
  yield* unitOfWork.apply(PLATFORM_MERCHANT, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const [row] = yield* storage.get([{ ...platform, kind: MatchingStateKind.kind, id }])
    if (row === undefined || found === undefined) return { changes: [], result: undefined }
    const { kind } = found.account
    const { look_at = 0, swept_until: now } = row.data as MatchingStateData
    // A person has undone a match meanwhile: the next run begins there.
    const isSetBack = now < swept.from
    const looks = [at + NEXT_MS[kind], findNextLook(swept.newest, at), swept.next ?? Infinity]
    const next_at = isSetBack ? at : Math.min(...looks, look_at > at ? look_at : Infinity)
    const event: MatchingStateEvent = found.account.isClosed
      ? { type: "ended" }
      : {
          type: "matched",
          swept_until: isSetBack ? now : swept.until,
          at,
          next_at,
          looked_until: swept.began,
          ...(swept.looked_by === undefined ? {} : { looked_by: swept.looked_by })
        }
    return {
      changes: yield* stepRow(deps, MatchingStateKind, row as Row<MatchingStateData>, event, at),
      result: undefined
    }
  })
})

/**
 * The decision that has an account matched as soon as a node has time for it. `newest`: only once its newest open line is to be looked at
 * again. It never puts off a run that is due before.
 */
const requestRun = (deps: MatchingDeps, id: string, newest?: number) =>
  Effect.gen(function* () {
    const found = yield* readMatchedAccount(deps, id)
    const row = yield* findOrMakeState(deps, id, found?.account.opening.date ?? "1970-01-01")
    const at = yield* Clock.currentTimeMillis
    const { look_at: known = 0, next_at = at } = row.data
    const look_at = findNextLook(newest, at)
    const isKnown = known > at && known <= look_at
    if (newest !== undefined && isKnown) return { changes: [], result: undefined }
    const event: MatchingStateEvent =
      newest === undefined
        ? { type: "wanted", at, next_at: at }
        : { type: "wanted", at, next_at: Math.min(next_at, look_at), look_at }
    return { changes: yield* stepRow(deps, MatchingStateKind, row, event, at), result: undefined }
  })

/** A look may take this part of the time: it rests as many times as long as it took. At least, and at most, that long. */
const REST = 10
const REST_MS = { least: 1_000, most: 3_600_000 } as const

/** Reads until when an account is not looked at again, epoch milliseconds. */
const readRest = (deps: MatchingDeps, id: string) =>
  Effect.gen(function* () {
    const found = yield* readMatchedAccount(deps, id)
    const { data } = yield* findOrMakeState(deps, id, found?.account.opening.date ?? "1970-01-01")
    return data.rest_until ?? 0
  })

/**
 * The decision that has the open lines of an account looked at, as a provider has reported something: now, or once it has rested. It steps
 * nothing: a run that is under way goes on. `isLooking`: a look is under way, which rests after it.
 */
const requestLook = (deps: MatchingDeps, id: string, isLooking = false) =>
  Effect.gen(function* () {
    const rest_until = yield* readRest(deps, id)
    const at = yield* Clock.currentTimeMillis
    const due = Math.max(isLooking ? at + REST_MS.least : at, rest_until)
    return { changes: [makeDueTimer({ kind: MatchingStateKind.kind, id }, lookTimer, due)], result: undefined }
  })

/** The decision that stores a look that began at `began` and took `took_ms`. */
const storeLook = (deps: MatchingDeps, id: string, began: number, took_ms: number) =>
  Effect.gen(function* () {
    const [row] = yield* deps.storage.get([{ ...platform, kind: MatchingStateKind.kind, id }])
    if (row === undefined) return { changes: [], result: undefined }
    const at = yield* Clock.currentTimeMillis
    const rest = Math.min(REST_MS.most, Math.max(REST_MS.least, took_ms * REST))
    const event = { type: "looked", looked_until: began, rest_until: at + rest } as const
    return {
      changes: yield* stepRow(deps, MatchingStateKind, row as Row<MatchingStateData>, event, at),
      result: undefined
    }
  })

export class Matchings extends Context.Service<Matchings>()("corridor/engine/Matchings", {
  make: Effect.map(makeMatchingDeps, (deps) =>
    bindFirst(deps, { match, ended: storeRun, wantedNow: requestRun, readRest, requestLook, storeLook })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
