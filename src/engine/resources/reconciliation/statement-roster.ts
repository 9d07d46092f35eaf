/**
 * The roster of an account: the row that every new statement, part of a statement and close writes, with the sealed days. Decisions about
 * the account's lines are made on one version of it.
 */
import { Effect } from "effect"
import type { ClosingData } from "../../../machines/reconciliation/closing.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { StatementRosterData } from "../../../machines/reconciliation/statement.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { closingKind, StatementRosterKind } from "./statement-kinds.ts"

export const makeRosterDeps = Effect.all({ storage: Storage, unitOfWork: UnitOfWork, ids: Ids })
export type RosterDeps = Effect.Success<typeof makeRosterDeps>

export const readRoster = Effect.fnUntraced(function* (
  { storage }: Pick<RosterDeps, "storage">,
  external_account_id: string
) {
  const [row] = yield* storage.get([
    { merchant_id: PLATFORM_MERCHANT, kind: StatementRosterKind.kind, id: external_account_id }
  ])
  return row as Row<StatementRosterData> | undefined
})

/** The row of an account that each statement, each chunk and each close of it writes. Of two that decide at once, one decides again. */
export const stepRoster = Effect.fnUntraced(function* (
  deps: RosterDeps,
  external_account_id: string,
  counted: (roster: StatementRosterData) => Partial<StatementRosterData>,
  at: number
): Effect.fn.Return<ChangeSet, StorageFault> {
  const row = yield* readRoster(deps, external_account_id)
  const empty: StatementRosterData = { chunks: 0, closings: 0 }
  const base = { merchant_id: PLATFORM_MERCHANT, id: external_account_id }
  const { changes } =
    row === undefined
      ? yield* begin(StatementRosterKind, base, { ...empty, ...counted(empty) }, at).pipe(
          Effect.provideService(Ids, deps.ids)
        )
      : yield* deps.unitOfWork.stepOrDie(StatementRosterKind, row, { type: "update", patch: counted(row.data) }, at)
  return changes
})

const readClosedDays = Effect.fnUntraced(function* (
  { storage }: Pick<RosterDeps, "storage">,
  external_account_id: string
): Effect.fn.Return<ReadonlyArray<string>, StorageFault> {
  const index_keys = [`external_account_id=${external_account_id}`]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [closingKind], index_keys }
  const closes = (yield* readAllRows(storage, query, () => true)) as ReadonlyArray<Row<ClosingData>>
  return closes.map(({ data }) => data.date)
})

/** The latest day of an account that a close has sealed. */
export const findLastSealedDay = Effect.fnUntraced(function* (
  deps: Pick<RosterDeps, "storage">,
  external_account_id: string
): Effect.fn.Return<string | undefined, StorageFault> {
  const { closings = 0, sealed_until } = (yield* readRoster(deps, external_account_id))?.data ?? {}
  if (sealed_until !== undefined || closings === 0) return sealed_until
  return (yield* readClosedDays(deps, external_account_id)).toSorted().at(-1)
})

/**
 * Finds which day is the latest sealed one, for lines that were booked on a day. Undefined: nothing is sealed of them. Law: a seal is about no day
 * before the account's first (CLOSE-4), unless a close has counted one of its lines: the account began earlier then, or the line came late to a
 * release that had such lines count on the first open day.
 */
export const findSealsOf = Effect.fnUntraced(function* (
  deps: Pick<RosterDeps, "storage">,
  { id, data: { opening } }: Row<ExternalAccountData>
) {
  const sealed = yield* findLastSealedDay(deps, id)
  let closed: ReadonlySet<string> | undefined
  return Effect.fnUntraced(function* (day: string, lines: ReadonlyArray<Row<StatementLineData>> = []) {
    if (sealed === undefined || day >= opening.date) return sealed
    if (lines.length === 0) return undefined
    closed ??= new Set(yield* readClosedDays(deps, id))
    return lines.some(({ data }) => closed!.has(data.accounted_on)) ? sealed : undefined
  })
})

/** The first day from `day` on that is open: a seal closes the days before its own too, so that each day follows on the one before. */
export const openDay = (sealed: string | undefined, day: string): string =>
  sealed === undefined || day > sealed ? day : nextDay(sealed)

const dayMs = 86_400_000

/** The ends of the calendar, whose days are in the order of their texts. */
const FIRST_DAY = "0000-01-01"
const LAST_DAY = "9999-12-31"

const toDayStart = (date: string): number => Date.parse(`${date}T00:00:00.000Z`)
const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The day after. That of the last day of the calendar is the last day. */
export const nextDay = (date: string): string => (date >= LAST_DAY ? LAST_DAY : toDay(toDayStart(date) + dayMs))
/** The day before. That of the first day of the calendar is the first day. */
export const previousDay = (date: string): string => (date <= FIRST_DAY ? FIRST_DAY : toDay(toDayStart(date) - dayMs))

/** The days from one to another, both included. Law: it ends, whatever they are. Empty text is no day. */
export function* listDays(first: string, last: string): Generator<string> {
  if (first === "" || first > last) return
  for (let day = first; ; day = nextDay(day)) {
    yield day
    if (day >= last || day >= LAST_DAY) return
  }
}
