/** The lines of other accounts of a side that name what lines of one account name: all of them are decided together (MATCH-2, MATCH-7). */
import { Effect } from "effect"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Row } from "../../ports/Storage.ts"
import { isAtSide, type MatchedAccount } from "./books.ts"
import { isLeftToPeople } from "./break.ts"
import type { MatchingDeps } from "./matched-account.ts"
import { findOpenLinesElsewhere } from "./missing-movements.ts"
import { isDecided, isWeak, readLinesUnder, makeMatchKey } from "./statement-line.ts"
import { findLastSealedDay } from "./statement-roster.ts"

type Line = Row<StatementLineData>

/**
 * The lines of other accounts of the side that name these resources, or are matched with them by a name. Not those that a person has
 * decided or holds, nor what is sealed: they stay.
 */
export const findRivalLines = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  resource_ids: Iterable<string>
): Effect.fn.Return<ReadonlyArray<Line>, StorageFault> {
  const ids = [...new Set(resource_ids)]
  if (account.mirrors.length < 2 || ids.length === 0) return []
  const under = (yield* readLinesUnder(deps.storage, ids.map(makeMatchKey))).filter(
    (row) =>
      row.data.external_account_id !== account.id && row.state === "matched" && !isWeak(row.data) && !isDecided(row)
  )
  const isHere = yield* isAtSide(deps, account, under)
  const matched: Array<Line> = []
  for (const [id, rows] of Map.groupBy(under.filter(isHere), ({ data }) => data.external_account_id)) {
    const sealed = yield* findLastSealedDay(deps, id)
    matched.push(...rows.filter(({ data }) => sealed === undefined || data.accounted_on > sealed))
  }
  const { lines } = yield* findOpenLinesElsewhere(deps, account, ids, (row) => !isLeftToPeople(row))
  return [...matched, ...lines.values()]
})
