/** The stored matching state of an external account (MATCH-7). */
import { Effect } from "effect"
import {
  MatchingState,
  type MatchingStateData,
  type MatchingStateEvent
} from "../../../machines/reconciliation/matching.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Kind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import type { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"

/** A matching state has the id of its external account. */
export const MatchingStateKind: Kind<MatchingStateData, MatchingStateEvent> = {
  kind: "matching",
  lifecycle: MatchingState,
  isHidden: () => true
}

/** How long before the last look something may have come that this look did not see. */
export const FRESH_MS = 3_600_000

/** Finds since when what became free again has moved that no look has seen. `Infinity`: there are none. */
export const findFreedSince = ({ freed, looked_until = 0 }: MatchingStateData): number =>
  freed !== undefined && freed.at >= looked_until - FRESH_MS ? freed.since : Infinity

/** The first instant from which movements are looked for: `opening` is the first day of the books, in any time zone. */
const sweepBegin = (opening: string): number => Date.parse(opening) - 86_400_000

/** Begins the matching of a new account: its first run is due now. `opening`: the first day of its books. */
export const beginMatching = (id: string, opening: string, at: number): Effect.Effect<ChangeSet, never, Ids> =>
  Effect.map(
    begin(MatchingStateKind, { merchant_id: PLATFORM_MERCHANT, id }, { swept_until: sweepBegin(opening), runs: 0 }, at),
    ({ changes }) => changes
  )

/** Makes the change by which an account that has been matched before is matched again at `at`. No changes: it was never matched. */
export const scheduleMatchingAgain = Effect.fnUntraced(function* (
  { storage, unitOfWork }: { readonly storage: Storage["Service"]; readonly unitOfWork: UnitOfWork["Service"] },
  id: string,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault> {
  const [row] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind: MatchingStateKind.kind, id }])
  if (row === undefined) return []
  const next = yield* unitOfWork.step(
    MatchingStateKind,
    row as Row<MatchingStateData>,
    { type: "wanted", at, next_at: at },
    at
  )
  return next === undefined ? [] : [next.changes]
})
