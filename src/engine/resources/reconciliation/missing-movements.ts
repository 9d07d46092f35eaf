/** The scan for movements that are on no statement in time (BREAK-3). */
import { Clock, Effect } from "effect"
import { type BookMovement, listNamesOf, type OpenLine } from "../../../machines/kernel/matching.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import type { MatchingStateData } from "../../../machines/reconciliation/matching.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Row } from "../../ports/Storage.ts"
import {
  type MatchedAccount,
  toMovementsOfPostings,
  readMovements,
  streamPostings,
  excludeInternal,
  findRowsByIds
} from "./books.ts"
import { BreakKind, breakKeyOf, isDismissed, stepBreakKey } from "./break.ts"
import { type BooksVersion, readBreaksByKey, raiseBreak, WRITE, commitForRun } from "./break-writing.ts"
import { readMatchedAccount, type MatchingDeps, platform, stepRow } from "./matched-account.ts"
import { hasLock } from "./books-lock.ts"
import { findFreedSince, MatchingStateKind, scheduleMatchingAgain } from "./matching-state.ts"
import { findOverdue, settlementMin } from "./settlement-time.ts"
import { accountKey, isOpen, readLinesUnder, makeWithdrawalKey, StatementLineKind } from "./statement-line.ts"

/** Clocks differ and commits cross, so postings may appear late: a scan begins by this much before the last one ended. */
const LATE_MS = 3_600_000

/** Identifies the movements of a resource in one direction. */
export const stepName = ({ direction }: Pick<OpenLine, "direction">, resource_id: string): string =>
  `${direction} ${resource_id}`

/** Whether names have a movement, as its own resource or as the payment whose money it is. */
export const isStepNamed = (names: ReadonlySet<string>, one: BookMovement): boolean =>
  listNamesOf(one).some((id) => names.has(stepName(one, id)))

const directions = ["credit", "debit"] as const

/**
 * What a break of lines names, in the direction of its lines. A difference may be the other way than these. Of lines that people hold, and
 * have dismissed, it is what they are told from: they have said that these are nothing else.
 */
export const stepNamesIn = (row: Pick<Row<BreakData>, "data" | "state">): ReadonlyArray<string> => {
  const { direction, kind, resource_ids, told_from = [] } = row.data
  const isDecided = row.data.held && isDismissed(row)
  const names = isDecided ? [...new Set(told_from.map(({ resource_id }) => resource_id))] : resource_ids
  return (kind === "amount_differs" ? directions : [direction ?? "debit"]).flatMap((one) =>
    names.map((id) => stepName({ direction: one }, id))
  )
}

/** The open lines of other accounts of the side that name any of these resources, by id, and their breaks. `isCounted`: of these breaks alone. */
export const findOpenLinesElsewhere = Effect.fnUntraced(function* (
  deps: Pick<MatchingDeps, "storage">,
  account: MatchedAccount,
  resource_ids: ReadonlyArray<string>,
  isCounted: (row: Row<BreakData>) => boolean = () => true
): Effect.fn.Return<
  { readonly lines: ReadonlyMap<string, Row<StatementLineData>>; readonly breaks: ReadonlyArray<Row<BreakData>> },
  StorageFault
> {
  if (account.mirrors.length < 2 || resource_ids.length === 0) return { lines: new Map(), breaks: [] }
  const breaks = yield* readBreaksByKey(deps, account, [...new Set(resource_ids)].map(breakKeyOf))
  const others = [...breaks.values()]
    .flat()
    .filter((row) => row.data.external_account_id !== account.id && isCounted(row))
  const ids = [...new Set(others.flatMap(({ data }) => data.line_ids))]
  const lines = yield* deps.storage.get(ids.map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  const open = (lines as ReadonlyArray<Row<StatementLineData>>).filter(isOpen)
  return { lines: new Map(open.map((line) => [line.id, line])), breaks: others }
})

/**
 * Finds the resources that open lines of other accounts of the side name: no line of this account matches them by likeness, and they are
 * not missing. `isCounted`: only by these breaks.
 */
export const findNamesElsewhere = (
  deps: Pick<MatchingDeps, "storage">,
  account: MatchedAccount,
  resource_ids: ReadonlyArray<string>,
  isCounted?: (row: Row<BreakData>) => boolean
): Effect.Effect<ReadonlySet<string>, StorageFault> =>
  Effect.map(
    findOpenLinesElsewhere(deps, account, resource_ids, isCounted),
    ({ breaks, lines }) =>
      new Set(breaks.flatMap((row) => (row.data.line_ids.some((id) => lines.has(id)) ? stepNamesIn(row) : [])))
  )

/** The accounts that have what names no account. Undefined: none has. */
export type FirstAccounts = Readonly<Record<"payouts" | "payins", string | undefined>>

/**
 * Finds the account on whose statements each movement is missing: that of a withdrawn line which a person had matched with it, else the
 * first.
 */
export const findMissingAccounts = Effect.fnUntraced(function* (
  { storage }: Pick<MatchingDeps, "storage">,
  { mirrors }: MatchedAccount,
  firsts: FirstAccounts
) {
  const withdrawn = yield* readLinesUnder(storage, mirrors.map(makeWithdrawalKey))
  const decided = new Map(
    withdrawn.flatMap(({ data }) =>
      (data.former_matches ?? []).flatMap(({ resource_id, rule }) =>
        rule === "person" ? [[resource_id, data.external_account_id] as const] : []
      )
    )
  )
  return ({ direction, resource_id }: Pick<BookMovement, "direction" | "resource_id">): string | undefined =>
    decided.get(resource_id) ?? firsts[toUse({ direction })]
})

const toUse = ({ direction }: Pick<BookMovement, "direction">) => (direction === "debit" ? "payouts" : "payins")

/** Whether the books of the side have a movement: what moved before is in opening balances. */
const isSinceBeginning = ({ begin }: MatchedAccount, one: Pick<BookMovement, "direction"> & { readonly at: number }) =>
  one.at >= begin[toUse(one)]

/** Raises the break of a movement that is on no statement. */
export const raiseMissingMovement = (
  deps: MatchingDeps,
  account: MatchedAccount,
  { amount, at: since, direction, resource_id, version }: BookMovement & { readonly at: number },
  at: number
) =>
  raiseBreak(
    deps,
    account,
    {
      kind: "missing_on_statement",
      // Money that was credited here and never came is gone; what was not paid out is still there.
      severity: direction === "credit" ? "high" : "low",
      amount: amount.toString(),
      direction,
      exposure: direction === "credit" ? amount.toString() : null,
      line_ids: [],
      resource_ids: [resource_id],
      candidates: [],
      adopt: null,
      since
    },
    { statement_id: null, movements: [{ resource_id, version, amount: amount.toString() }] },
    at
  )

/** Raises breaks of overdue movements since `from`. Returns where the scan ended, and when the next movement is overdue. */
export const scanForMissing = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  firsts: FirstAccounts,
  expected: BooksVersion,
  named: ReadonlySet<string>,
  from: number,
  now: number
) {
  // Once it is the first, it looks for all since its opening.
  if (!account.isFirstFor("payouts") && !account.isFirstFor("payins"))
    return { isStale: false, until: from, next: undefined }
  let next = Infinity
  let until = now - settlementMin(account)
  let isStale = false
  // None that was posted later is overdue, and of those before it each is looked at: due times do not follow on one another.
  yield* streamPostings(deps, account.account, from - LATE_MS, now + 1, (postings) =>
    Effect.gen(function* () {
      const found = (yield* toMovementsOfPostings(deps, account, postings)).filter(
        (one) => one.open && isSinceBeginning(account, one) && account.isFirstFor(toUse(one))
      )
      for (const { at } of found) {
        const due = findOverdue(account, at)
        if (due <= now) continue
        next = Math.min(next, due)
        until = Math.min(until, at)
      }
      const overdue = found.filter(({ at }) => findOverdue(account, at) <= now)
      const known = yield* readBreaksByKey(
        deps,
        account,
        overdue.map(({ resource_id, version }) => stepBreakKey(resource_id, version))
      )
      // A line accounted for it, and a person has undone that; or its break ended with something else.
      const isOver = ({ data, state }: Row<BreakData>): boolean => state === "resolved" && data.action !== "dismiss"
      const elsewhere = yield* findNamesElsewhere(deps, account, overdue.flatMap(listNamesOf))
      const unknown = overdue.filter(
        (one) =>
          !isStepNamed(named, one) &&
          !isStepNamed(elsewhere, one) &&
          (known.get(stepBreakKey(one.resource_id, one.version)) ?? []).every(isOver)
      )
      const missing = yield* excludeInternal(deps, unknown, postings)
      const accountOf = missing.length === 0 ? undefined : yield* findMissingAccounts(deps, account, firsts)
      for (let n = 0; n < missing.length && !isStale; n += WRITE) {
        const some = missing.slice(n, n + WRITE)
        const written = yield* commitForRun(deps, expected, (at) =>
          Effect.forEach(some, (one) => raiseMissingMovement(deps, { ...account, id: accountOf!(one)! }, one, at))
        )
        isStale = written === "stale"
      }
      const last = postings.at(-1)!.at
      if (isStale || last <= now - settlementMin(account)) return !isStale
      next = Math.min(next, last + settlementMin(account))
      return false
    })
  )
  return { isStale, until: Math.max(from, until), next: next === Infinity ? undefined : next }
})

/**
 * Ends the breaks of missing movements that were before the accounts begin by now, as they are in its opening balance, of those that are
 * missing on another account by now, which looks for them, and of those that are not overdue by now.
 */
export const endFormerMissing = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  firsts: FirstAccounts,
  expected: BooksVersion
) {
  const index_keys = [accountKey(account.id), "kind=missing_on_statement", "status=open"]
  const open = (yield* readAllRows(
    deps.storage,
    { ...platform, kinds: [BreakKind.kind], index_keys },
    ({ data }) => (data as BreakData).line_ids.length === 0
  )) as ReadonlyArray<Row<BreakData>>
  const steps = yield* openSteps(
    deps,
    account,
    open.flatMap(({ data }) => data.movements)
  )
  const accountOf = yield* findMissingAccounts(deps, account, firsts)
  const now = yield* Clock.currentTimeMillis
  const former = new Set(
    steps
      .filter(
        (one) => !isSinceBeginning(account, one) || accountOf(one) !== account.id || findOverdue(account, one.at) > now
      )
      .map(({ resource_id, version }) => stepBreakKey(resource_id, version))
  )
  const ended = open.filter(({ data }) =>
    data.movements.every(({ resource_id, version }) => former.has(stepBreakKey(resource_id, version)))
  )
  for (let n = 0; n < ended.length; n += WRITE) {
    const some = ended.slice(n, n + WRITE)
    const names = new Set(some.flatMap(({ data }) => data.movements.map((one) => `${one.resource_id}@${one.version}`)))
    // This account looks for its own in this run: a run that it schedules now would undo that it has.
    const moved = steps.filter(
      (one) => names.has(`${one.resource_id}@${one.version}`) && ![account.id, undefined].includes(accountOf(one))
    )
    const written = yield* commitForRun(deps, expected, (at) =>
      Effect.gen(function* () {
        const changes = yield* Effect.forEach(some, (row) => stepRow(deps, BreakKind, row, { type: "cleared", at }, at))
        const scans = yield* scheduleScan(deps, account.id, moved, at)
        // What a withdrawn line of another account was is missing at once.
        const others = account.mirrors.filter((id) => id !== account.id && !hasLock(scans, id))
        const runs = yield* Effect.forEach(others, (id) => scheduleMatchingAgain(deps, id, at))
        return [...changes.flat(), ...scans, ...runs.flat()]
      })
    )
    if (written === "stale") return written
  }
  return "written" as const
})

/** The movements of these steps at the account that nothing accounts for. */
export const openSteps = Effect.fnUntraced(function* (
  deps: Omit<MatchingDeps, "ids">,
  account: MatchedAccount,
  steps: ReadonlyArray<{ readonly resource_id: string; readonly version: number }>
) {
  const names = new Set(steps.map(({ resource_id, version }) => `${resource_id}@${version}`))
  const rows = yield* findRowsByIds(
    deps,
    steps.map(({ resource_id }) => resource_id)
  )
  return (yield* readMovements(deps, account, rows)).filter(
    (one) => one.open && names.has(`${one.resource_id}@${one.version}`)
  )
})

/**
 * Schedules a scan from the oldest of these steps on, which are free, for the account that has the movements which name no account, and a run
 * for each other account of which open lines name them, or that has withdrawn lines, which may. The run decides again what likeness has
 * matched since they moved: it may be them.
 */
export const scheduleScan = Effect.fnUntraced(function* (
  deps: Omit<MatchingDeps, "ids">,
  account_id: string,
  steps: ReadonlyArray<{ readonly resource_id: string; readonly version?: number }>,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault> {
  const { storage } = deps
  if (steps.length === 0) return []
  const found = yield* readMatchedAccount(deps, account_id)
  if (found === undefined) return []
  const rows = yield* findRowsByIds(
    deps,
    steps.map(({ resource_id }) => resource_id)
  )
  const names = new Set(steps.map(({ resource_id, version }) => `${resource_id}@${version}`))
  const oldest = new Map<string, number>()
  for (const one of yield* readMovements(deps, found.account, rows)) {
    // Where all accounts are closed, the account itself looks once it is open again. Another looks for all since its opening.
    const first = found.firsts[toUse(one)] ?? account_id
    if (names.has(`${one.resource_id}@${one.version}`)) oldest.set(first, Math.min(one.at, oldest.get(first) ?? one.at))
  }
  const changes: Array<ChangeSet> = []
  for (const [id, since] of oldest) {
    const [row] = yield* storage.get([{ ...platform, kind: MatchingStateKind.kind, id }])
    const state = row as Row<MatchingStateData> | undefined
    if (state === undefined) continue
    // Also where the last look ended before it: one that is at its end now has passed it, with the line as it was.
    const begin = Math.min(since, state.data.swept_until)
    const freed_since = Math.min(since, findFreedSince(state.data))
    const event = { type: "matched", swept_until: begin, at, next_at: at, freed_since } as const
    changes.push(...(yield* stepRow(deps, MatchingStateKind, state, event, at)))
  }
  const naming = yield* findOpenLinesElsewhere(
    deps,
    found.account,
    steps.map(({ resource_id }) => resource_id)
  )
  // What a withdrawn line was is missing at once, unless it is another line: its account looks again.
  const keys = new Map(found.account.mirrors.map((id) => [makeWithdrawalKey(id), id]))
  const query = { ...platform, keys: [...keys.keys()], prefixes: [], kinds: [StatementLineKind.kind], limit: 1 }
  const withdrawn = keys.size < 2 ? [] : yield* storage.matches(query)
  const others = new Set([
    ...[...naming.lines.values()].map(({ data }) => data.external_account_id),
    ...withdrawn.flatMap(({ index_key }) => keys.get(index_key) ?? [])
  ])
  for (const id of others) if (!oldest.has(id)) changes.push(...(yield* scheduleMatchingAgain(deps, id, at)))
  return changes
})

/** The resources that open and dismissed breaks name. They are not missing while the lines of these breaks are open. */
export const listNamesIn = (breaks: Iterable<Row<BreakData>>): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const row of breaks)
    if (row.state === "open" || isDismissed(row)) for (const id of row.data.resource_ids) names.add(id)
  return [...names]
}

/** The open movements of resources that a line no longer names. `taken`: steps that lines are matched with now, by the keys of their breaks. */
export const findOpenNames = Effect.fnUntraced(function* (
  deps: Omit<MatchingDeps, "ids">,
  account: MatchedAccount,
  resource_ids: ReadonlyArray<string>,
  taken: ReadonlySet<string>
) {
  const rows = yield* findRowsByIds(deps, resource_ids)
  if (rows.length === 0) return []
  return (yield* readMovements(deps, account, rows)).filter(
    (one) => one.open && !taken.has(stepBreakKey(one.resource_id, one.version))
  )
})

/** Schedules a scan for missing movements among the resources that a line, or a break of it, pointed to and does not any more. */
export const scheduleScanOfReleased = Effect.fnUntraced(function* (
  deps: Omit<MatchingDeps, "ids">,
  account: MatchedAccount,
  resource_ids: ReadonlyArray<string>,
  taken: ReadonlySet<string>,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault> {
  return yield* scheduleScan(deps, account.id, yield* findOpenNames(deps, account, resource_ids, taken), at)
})
