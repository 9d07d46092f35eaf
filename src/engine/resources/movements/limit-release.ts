/** What a movement counts of limits, from its creation to its end (LIMITS-4). */
import { Effect } from "effect"
import type { Counted, Payout } from "../../../machines/kernel/payout.ts"
import { countingAgain, givingBack } from "../../calls/ActiveLimits.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Row, RowWrite } from "../../ports/Storage.ts"

/** Whether a movement is at an end at which nothing of it has moved, as far as this service knows. */
const isUnmoved = ({ data, status }: Row<Payout>): boolean =>
  (status === "failed" || status === "returned") && data.failure_reason !== "refund_failed"

/** What a movement counts: over a limit, when it is approved. */
const countedBy = (row: Row<Payout>): ReadonlyArray<Counted> => {
  const { awaiting = 0, counted = [], over } = row.data
  return isUnmoved(row) ? [] : [...counted, ...(awaiting > 0 ? [] : (over?.counts ?? []))]
}

/**
 * The derived write of each movement: what it counts is given back in the commit of its end. A payout that comes back after its success
 * was moved, and stays counted. A failed onramp that goes on is counted again: an operator decided that. A payout over a limit that asks for
 * approval counts there in the commit of its last approval.
 */
export const limitRelease = <Data extends Payout>(
  before: Row<Data>,
  after: RowWrite<Data>
): Effect.Effect<ReadonlyArray<ChangeSet>> => {
  const { counted, over } = after.data
  if ((counted === undefined && over === undefined) || before.status === "success") return Effect.succeed([])
  const [was, is] = [countedBy(before), countedBy(after)]
  const without = (all: ReadonlyArray<Counted>, others: ReadonlyArray<Counted>) =>
    all.filter(({ key }) => !others.some((other) => other.key === key))
  const [less, more] = [without(was, is), without(is, was)]
  return Effect.succeed([
    ...(less.length === 0 ? [] : [givingBack(less)]),
    ...(more.length === 0 ? [] : [countingAgain(more)])
  ])
}

/** The changes that make a movement, with what it counts in its data. */
export const withCounted = (changes: ChangeSet, id: string, counts: Pick<Payout, "counted" | "over">): ChangeSet =>
  counts.counted === undefined && counts.over === undefined
    ? changes
    : {
        ...changes,
        rows: (changes.rows ?? []).map((row) =>
          row.id === id ? { ...row, data: { ...(row.data as Payout), ...counts } } : row
        )
      }
