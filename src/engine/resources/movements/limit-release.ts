/** What a movement counts of limits, from its creation to its end (LIMITS-4). */
import { Effect } from "effect"
import type { Counted, Payout } from "../../../machines/kernel/payout.ts"
import { isAmountKey } from "../../calls/ActiveLimits.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Row, RowWrite } from "../../ports/Storage.ts"

/** Whether a movement is at an end at which nothing of it has moved, as far as this service knows. */
const isUnmoved = ({ data, status }: Row<Payout>): boolean =>
  (status === "failed" || status === "returned") && data.failure_reason !== "refund_failed"

/** What an onramp is for, and what was paid. Other movements move what they are for. */
interface Funded {
  readonly quoted?: { readonly source_amount: string }
  readonly funded_amount?: string | null
}

/** What is counted of another amount than was quoted: its share, rounded up. */
const scaleToArrival =
  ({ funded_amount, quoted }: Funded) =>
  (one: Counted): Counted => {
    if (typeof funded_amount !== "string" || quoted === undefined || !isAmountKey(one.key)) return one
    const [paid, due] = [BigInt(funded_amount), BigInt(quoted.source_amount)]
    return { ...one, add: ((BigInt(one.add) * paid + due - 1n) / due).toString() }
  }

/** What a movement counts: over a limit, when it is approved; of an onramp that was paid, what was paid. */
const countsOf = (row: Row<Payout & Funded>): ReadonlyArray<Counted> => {
  const { awaiting = 0, counted = [], over } = row.data
  return isUnmoved(row) ? [] : [...counted, ...(awaiting > 0 ? [] : (over?.counts ?? []))].map(scaleToArrival(row.data))
}

/** What a counter gets when one thing is counted in place of another. It is never refused: what moved has moved. */
const instead = (was: ReadonlyArray<Counted>, is: ReadonlyArray<Counted>): ReadonlyArray<ChangeSet> => {
  const sums = new Map<string, { readonly key: string; readonly bucket: number; by: bigint }>()
  for (const [all, sign] of [
    [was, -1n],
    [is, 1n]
  ] as const)
    for (const { add, bucket, key } of all) {
      const sum = sums.get(`${key}@${bucket}`) ?? { key, bucket, by: 0n }
      sum.by += sign * BigInt(add)
      sums.set(`${key}@${bucket}`, sum)
    }
  const changed = [...sums.values()].filter(({ by }) => by !== 0n)
  return changed.length === 0
    ? []
    : [{ counters: changed.map(({ bucket, by, key }) => ({ key, bucket, from: null, add: by.toString(), max: null })) }]
}

/**
 * The derived write of each movement: what it counts is given back in the commit of its end. A payout that comes back after its success
 * was moved, and stays counted. A failed onramp that goes on is counted again: an operator decided that. One that is paid with another amount
 * than was quoted counts what was paid, from then on. A payout over a limit that asks for approval counts there in the commit of its last
 * approval.
 */
export const limitRelease = <Data extends Payout>(
  before: Row<Data>,
  after: RowWrite<Data>
): Effect.Effect<ReadonlyArray<ChangeSet>> => {
  const { counted, over } = after.data
  if ((counted === undefined && over === undefined) || before.status === "success") return Effect.succeed([])
  return Effect.succeed(instead(countsOf(before), countsOf(after)))
}
