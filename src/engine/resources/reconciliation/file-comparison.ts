/** Compares a file of statements with the books, as matching would, and writes nothing: for a restored copy (RESTORE-8). */
import { Effect } from "effect"
import type { LineFinding } from "../../../machines/kernel/matching.ts"
import type { BookedLine, StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { providerOf } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { countAttempts, openStatuses } from "../movements/executions.ts"
import { type BooksDeps, type MatchedAccount, describeResource } from "./books.ts"
import { readMatchedAccount } from "./matched-account.ts"
import { decideLines } from "./matching.ts"
import { findExistingLines } from "./line-joining.ts"
import { splitChunks, type PlannedStatement } from "./statement-plan.ts"
import { StatementLineKind } from "./statement-line.ts"

/**
 * A line of a file, and what the books have of it. `finding`: `matched`; `under_way`, the movement was submitted; `not_submitted`, it would
 * be submitted again; `unknown`, nothing; else the kind of the break that it would be.
 */
export interface ComparedLine extends Pick<BookedLine, "booked_on" | "direction" | "place"> {
  readonly external_account_id: string
  readonly provider: string
  readonly amount: string
  readonly currency: string
  readonly text: string
  readonly finding: string
  readonly resource_ids: ReadonlyArray<string>
}

/** A payout that has not ended and that no line of the file is. */
export interface UnpaidMovement {
  readonly id: string
  readonly merchant_id: string
  readonly status: string
  readonly provider: string
}

/** The lines of a file compared with the books. `unpaid`: open payouts at the providers and in the currencies of the file. */
export interface FileComparison {
  readonly lines: ReadonlyArray<ComparedLine>
  readonly unpaid: ReadonlyArray<UnpaidMovement>
}

type Deps = BooksDeps

const toLineRow = (external_account_id: string, line: BookedLine, id: string): Row<StatementLineData> => ({
  merchant_id: PLATFORM_MERCHANT,
  customer_id: null,
  root_id: null,
  hidden: false,
  event_count: 0,
  index_keys: [],
  kind: StatementLineKind.kind,
  id,
  version: 1,
  machine: "1",
  state: "unmatched",
  status: "unmatched",
  created_at: 0,
  updated_at: 0,
  data: { ...line, external_account_id, statement_id: "", accounted_on: line.booked_on, matches: [] }
})

/** Whether a movement has not ended. */
const isMovementOpen = ({ kinds }: Deps, row: Row): boolean =>
  kinds.byName.get(row.kind)?.lifecycle.hasEnded(row.state, row.machine) === false

/** What a line is. A payout that was never submitted contradicts it in matching, and is `not_submitted` here. */
const toFinding = (
  deps: Deps,
  found: LineFinding,
  rows: ReadonlyMap<string, Row>
): Pick<ComparedLine, "finding" | "resource_ids"> => {
  if ("matches" in found)
    return { finding: "matched", resource_ids: found.matches.map(({ resource_id }) => resource_id) }
  const { adopt, kind, resources } = found.difference
  const row = rows.get(adopt ?? (kind === "contradicts_status" ? (resources[0] ?? "") : ""))
  if (row !== undefined && isMovementOpen(deps, row) && countAttempts(row) === 0)
    return { finding: "not_submitted", resource_ids: resources }
  if (adopt !== null) return { finding: "under_way", resource_ids: resources }
  return { finding: kind === "missing_in_books" ? "unknown" : kind, resource_ids: resources }
}

/** The payouts at an account's provider, in its currency, that have not ended. */
const listWaitingPayouts = Effect.fnUntraced(function* (deps: Deps, account: MatchedAccount) {
  const isDue = (row: Row): boolean => {
    if (!isMovementOpen(deps, row)) return false
    const { due, payment } = describeResource(deps, account, row)
    return payment !== "returning" && due !== null && (providerOf(row) ?? account.provider) === account.provider
  }
  const statuses = [...deps.kinds.byName.values()].flatMap((kind) =>
    kind.payout === undefined ? [] : openStatuses(kind).map((status) => ({ kind: kind.kind, status }))
  )
  const found = yield* Effect.forEach(statuses, ({ kind, status }) =>
    readAllRows(deps.storage, { kinds: [kind], index_keys: [`status=${status}`] }, isDue)
  )
  return found.flat()
})

/**
 * Compares the statements of a file. A line that an earlier statement has is the line that is there, and is left out: it only says that
 * the movement it names has a line. `isTaken`: the file was taken, so that it is true of all its lines.
 */
export const compareWith = Effect.fnUntraced(function* (
  deps: Deps,
  plan: ReadonlyArray<PlannedStatement>,
  isTaken: boolean
): Effect.fn.Return<FileComparison, StorageFault> {
  const lines: Array<ComparedLine> = []
  const unpaid = new Map<string, UnpaidMovement>()
  const named = new Set<string>()
  for (const [external_account_id, own] of Map.groupBy(plan, ({ account }) => account.id)) {
    const { account } = (yield* readMatchedAccount(deps, external_account_id))!
    const { provider } = account
    const rows: Array<Row<StatementLineData>> = []
    const before: Array<Row<StatementLineData>> = []
    const read = own.map((statement) => ({ data: statement.data, lines: [...splitChunks(statement)].flat() }))
    const isKnown = yield* findExistingLines(deps.storage, external_account_id, isTaken ? [] : read)
    for (const { lines: booked } of read)
      for (const line of booked) {
        const into = isTaken || isKnown(line) ? before : rows
        into.push(toLineRow(external_account_id, line, String(into.length).padStart(9, "0")))
      }
    const byId = new Map(rows.map((row) => [row.id, row.data]))
    const found = yield* decideLines(deps, account, rows)
    for (const one of found.findings.toSorted((a, b) => (a.line_id < b.line_id ? -1 : 1))) {
      const { amount, booked_on, currency, direction, end_to_end_id, place, remittance } = byId.get(one.line_id)!
      const decided = toFinding(deps, one, found.rows)
      for (const id of decided.resource_ids) named.add(id)
      const text = [end_to_end_id, remittance].filter((part) => part !== null).join(" ")
      const shown = { amount: displayAmount(amount, currency), currency, booked_on, direction, place, text }
      lines.push({ external_account_id, provider, ...shown, ...decided })
    }
    const again = yield* decideLines(deps, account, before)
    for (const one of again.findings) for (const id of toFinding(deps, one, again.rows).resource_ids) named.add(id)
    for (const { id, merchant_id, status } of yield* listWaitingPayouts(deps, account))
      unpaid.set(id, { id, merchant_id, status, provider })
  }
  return { lines, unpaid: [...unpaid.values()].filter(({ id }) => !named.has(id)) }
})
