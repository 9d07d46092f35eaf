/** What of a day nothing accounts for: its open breaks, and no more (CLOSE-1, CLOSE-5). */
import { Effect } from "effect"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import { everyRow } from "../../calls/every-row.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import type { AccountRow, LineRow } from "./account-days.ts"
import { accountDifferences, countingDay } from "./balance-differences.ts"
import { lineBreakKey, statementBreakKey } from "./break.ts"
import { breaksUnder } from "./break-writing.ts"
import { signedBy, signedOf } from "./signed.ts"
import { accountKey, isOpen, StatementLineKind } from "./statement-line.ts"

type Store = Storage["Service"]
type BreakRow = Row<BreakData>

const platform = { merchant_id: PLATFORM_MERCHANT } as const

/** The day whose close counts the break of lines: that of the last of them, unless it was opened again after that was sealed. */
const dayOf = (lines: ReadonlyMap<string, LineRow>, { accounted_on, line_ids }: BreakData): string =>
  accounted_on ?? line_ids.map((id) => lines.get(id)?.data.accounted_on ?? "").reduce((a, b) => (b > a ? b : a), "")

/** What open lines come to: their breaks, and what matching has not looked at yet. What a person has dismissed is explained. */
const ofLines = Effect.fnUntraced(function* (
  storage: Store,
  account: AccountRow,
  date: string,
  lines: ReadonlyArray<LineRow>
) {
  const open = lines.filter(isOpen)
  const breaks = yield* breaksUnder(
    storage,
    open.map(({ id }) => lineBreakKey(id))
  )
  const ofLine = ({ id }: LineRow): ReadonlyArray<BreakRow> =>
    (breaks.get(lineBreakKey(id)) ?? []).filter(({ data }) => data.kind !== "missing_on_statement")
  const reopened = (yield* everyRow(
    storage,
    { ...platform, kinds: ["break"], index_keys: [accountKey(account.id), `accounted_on=${date}`, "status=open"] },
    ({ data }) => (data as BreakData).statement_id === null
  )) as ReadonlyArray<BreakRow>
  const current = new Map(
    [...reopened, ...[...breaks.values()].flat()].flatMap((row) =>
      row.state === "open" ? [[row.id, row] as const] : []
    )
  )
  const others = [...current.values()].flatMap(({ data }) => data.line_ids)
  const known = yield* storage.get(
    [...new Set(others)].map((id) => ({ ...platform, kind: StatementLineKind.kind, id }))
  )
  const byId = new Map((known as ReadonlyArray<LineRow>).map((row) => [row.id, row]))
  const counted = [...current.values()].filter(
    ({ data }) => data.kind !== "missing_on_statement" && dayOf(byId, data) === date
  )
  const undecided = open.filter((line) => {
    const own = ofLine(line)
    return !own.some(({ data, state }) => state === "open" || data.action === "dismiss")
  })
  return [...counted.map(({ data }) => signedBy(data)), ...undecided.map(({ data }) => signedOf(data))]
})

/** What the statements of a day state otherwise than its lines lead to. */
const ofStatements = Effect.fnUntraced(function* (storage: Store, { data, id }: AccountRow, date: string) {
  const { differences } = yield* accountDifferences(storage, { ...data, id })
  const keyOf = ({ kind, statement_ids }: (typeof differences)[number]): string =>
    statementBreakKey(statement_ids.at(-1)!, kind)
  const breaks = yield* breaksUnder(storage, differences.map(keyOf))
  const counting = yield* countingDay(storage, id)
  return differences.flatMap((one) => {
    const own = breaks.get(keyOf(one)) ?? []
    const isDecided = own.some(
      (row) => row.state === "resolved" && row.data.action === "dismiss" && signedBy(row.data) === one.amount
    )
    const day = own.find(({ state }) => state === "open")?.data.accounted_on ?? counting(one)
    return isDecided || day !== date ? [] : [one.amount]
  })
})

/**
 * What is unexplained of a day, credits less debits, and whether any difference of it is open: two may cancel each other out.
 *
 * Law: it is the sum of the open breaks that the day counts, whatever has been dismissed or explained.
 */
export const unexplainedOn = Effect.fnUntraced(function* (
  storage: Store,
  account: AccountRow,
  date: string,
  lines: ReadonlyArray<LineRow>
): Effect.fn.Return<{ readonly unexplained: bigint; readonly isOpen: boolean }, StorageFault> {
  const amounts = [...(yield* ofLines(storage, account, date, lines)), ...(yield* ofStatements(storage, account, date))]
  return { unexplained: amounts.reduce((sum, one) => sum + one, 0n), isOpen: amounts.some((one) => one !== 0n) }
})

/** Since when the oldest open break of an account is. */
export const oldestBreak = Effect.fnUntraced(function* (storage: Store, id: string) {
  let oldest = Infinity
  const index_keys = [accountKey(id), "status=open"]
  yield* everyRow(
    storage,
    { ...platform, kinds: ["break"], index_keys },
    ({ created_at, data }) => {
      oldest = Math.min(oldest, (data as Partial<BreakData>).since ?? created_at)
      return false
    },
    1_000
  )
  return oldest === Infinity ? null : oldest
})
