/** The scan for movements that are on no statement in time (BREAK-3). */
import { Effect } from "effect"
import type { BookMovement, OpenLine } from "../../../machines/kernel/matching.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { MatchingStateData } from "../../../machines/reconciliation/matching.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Row } from "../../ports/Storage.ts"
import {
  type MatchedAccount,
  movementsIn,
  movementsOf,
  postingsBetween,
  excludeInternal,
  findRowsByIds
} from "./books.ts"
import { stepBreakKey } from "./break.ts"
import { type BooksVersion, breaksOf, raiseBreak, WRITE, commitForRun } from "./break-writing.ts"
import { readMatchedAccount, type MatchingDeps, platform, stepRow } from "./matched-account.ts"
import { MatchingStateKind } from "./matching-state.ts"
import { overdueAt, settlementMin } from "./settlement-time.ts"

/** Clocks differ and commits cross, so postings may appear late: a scan begins by this much before the last one ended. */
const LATE_MS = 3_600_000

/** Identifies the movements of a resource in one direction. */
export const stepName = ({ direction }: Pick<OpenLine, "direction">, resource_id: string): string =>
  `${direction} ${resource_id}`

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
      adopt: null
    },
    { statement_id: null, movements: [{ resource_id, version, amount: amount.toString() }], since },
    at
  )

/** Raises breaks of overdue movements since `from`. Returns where the scan ended, and when the next movement is overdue. */
export const scanForMissing = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
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
  const opening = account.opening.date
  // None that was posted later is overdue, and of those before it each is looked at: due times do not follow on one another.
  yield* postingsBetween(deps, account.account, from - LATE_MS, now + 1, (postings) =>
    Effect.gen(function* () {
      const found = (yield* movementsIn(deps, account, postings)).filter(
        ({ day, direction, open }) =>
          open && day >= opening && account.isFirstFor(direction === "debit" ? "payouts" : "payins")
      )
      for (const { at } of found) {
        const due = overdueAt(account, at)
        if (due <= now) continue
        next = Math.min(next, due)
        until = Math.min(until, at)
      }
      const overdue = found.filter(({ at }) => overdueAt(account, at) <= now)
      const known = yield* breaksOf(
        deps,
        account,
        overdue.map(({ resource_id, version }) => stepBreakKey(resource_id, version))
      )
      // A line accounted for it, and a person has undone that; or its break ended with something else.
      const isOver = ({ data, state }: Row<BreakData>): boolean => state === "resolved" && data.action !== "dismiss"
      const unknown = overdue.filter(
        (one) =>
          !named.has(stepName(one, one.resource_id)) &&
          (known.get(stepBreakKey(one.resource_id, one.version)) ?? []).every(isOver)
      )
      const missing = yield* excludeInternal(deps, unknown, postings)
      for (let n = 0; n < missing.length && !isStale; n += WRITE) {
        const some = missing.slice(n, n + WRITE)
        const written = yield* commitForRun(deps, expected, (at) =>
          Effect.forEach(some, (one) => raiseMissingMovement(deps, account, one, at))
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
  return (yield* movementsOf(deps, account, rows)).filter(
    (one) => one.open && names.has(`${one.resource_id}@${one.version}`)
  )
})

/** Schedules a scan from the oldest of these steps on, for the account that has the movements which name no account. */
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
  for (const one of yield* movementsOf(deps, found.account, rows)) {
    // Where all accounts are closed, the account itself looks once it is open again. Another looks for all since its opening.
    const first = found.firsts[one.direction === "debit" ? "payouts" : "payins"] ?? account_id
    if (names.has(`${one.resource_id}@${one.version}`)) oldest.set(first, Math.min(one.at, oldest.get(first) ?? one.at))
  }
  const changes: Array<ChangeSet> = []
  for (const [id, swept_until] of oldest) {
    const [row] = yield* storage.get([{ ...platform, kind: MatchingStateKind.kind, id }])
    const state = row as Row<MatchingStateData> | undefined
    if (state === undefined) continue
    // Also where the last look ended before it: one that is at its end now has passed it, with the line as it was.
    const begin = Math.min(swept_until, state.data.swept_until)
    const event = { type: "matched", swept_until: begin, at, next_at: at } as const
    changes.push(...(yield* stepRow(deps, MatchingStateKind, state, event, at)))
  }
  return changes
})

/** The resources that open and dismissed breaks name. They are not missing while the lines of these breaks are open. */
export const listNamesIn = (breaks: Iterable<Row<BreakData>>): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const { data, state } of breaks)
    if (state === "open" || data.action === "dismiss") for (const id of data.resource_ids) names.add(id)
  return [...names]
}

/** Schedules a scan for the open movements of resources that a line no longer names. `taken`: steps that lines are matched with now. */
export const scheduleScanOfNames = Effect.fnUntraced(function* (
  deps: Omit<MatchingDeps, "ids">,
  account: MatchedAccount,
  resource_ids: ReadonlyArray<string>,
  taken: ReadonlySet<string>,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault> {
  const rows = yield* findRowsByIds(deps, resource_ids)
  if (rows.length === 0) return []
  const open = (yield* movementsOf(deps, account, rows)).filter(
    (one) => one.open && !taken.has(stepBreakKey(one.resource_id, one.version))
  )
  return yield* scheduleScan(deps, account.id, open, at)
})
