/** What a movement counts of limits, from its creation to its end (LIMITS-4). */
import { Effect } from "effect"
import type { Payout } from "../../../machines/kernel/payout.ts"
import { countingAgain, givingBack } from "../../calls/ActiveLimits.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Row, RowWrite } from "../../ports/Storage.ts"

/** Whether a movement is at an end at which nothing of it has moved, as far as this service knows. */
const isUnmoved = ({ data, status }: Row<Payout>): boolean =>
  (status === "failed" || status === "returned") && data.failure_reason !== "refund_failed"

/**
 * The derived write of each movement: what it counts is given back in the commit of its end. A payout that comes back after its success
 * was moved, and stays counted. A failed onramp that goes on is counted again: an operator decided that.
 */
export const limitRelease = <Data extends Payout>(
  before: Row<Data>,
  after: RowWrite<Data>
): Effect.Effect<ReadonlyArray<ChangeSet>> => {
  const { counted } = after.data
  if (counted === undefined || before.status === "success") return Effect.succeed([])
  const [was, is] = [isUnmoved(before), isUnmoved(after)]
  return Effect.succeed(was === is ? [] : [is ? givingBack(counted) : countingAgain(counted)])
}

/** The changes that make a movement, with what it counts in its data. */
export const withCounted = (changes: ChangeSet, id: string, counted: Payout["counted"] = []): ChangeSet =>
  counted.length === 0
    ? changes
    : {
        ...changes,
        rows: (changes.rows ?? []).map((row) =>
          row.id === id ? { ...row, data: { ...(row.data as Payout), counted } } : row
        )
      }
