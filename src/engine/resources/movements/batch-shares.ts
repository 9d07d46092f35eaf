/**
 * The shares of rows in what their batch has counted of limits (LIMITS-11). A batch counts sums, once, when it is confirmed. A row that fails
 * before it is a movement gives its share back in the commit that fails it; a movement keeps it with what it has counted itself, and so gives it
 * back as that (LIMITS-4).
 *
 * Law: the shares of all rows of a batch come to exactly what it has counted of an amount. Nothing of it but its rows says what a share is, so that
 * a process that asks again finds the same.
 */
import type { BatchData, BatchRow } from "../../../machines/movements/batch.ts"
import type { Counted } from "../../../machines/kernel/payout.ts"
import { isAmountKey } from "../../calls/ActiveLimits.ts"
import type { Row } from "../../ports/Storage.ts"
import { priceOf } from "./batch-check.ts"

type Priced = NonNullable<BatchRow["priced"]>

/** Rows with where their shares begin: behind those of the rows before them that have their currencies. */
export const withTakenBefore = (rows: ReadonlyArray<BatchRow>): ReadonlyArray<BatchRow> => {
  const taken = new Map<string, bigint>()
  return rows.map((row) => {
    if (row.priced === null) return row
    const { received, source } = row.priced
    const corridor = `${source.currency}/${received.currency}`
    const before = taken.get(corridor) ?? 0n
    taken.set(corridor, before + BigInt(source.amount))
    return { ...row, taken_before: before.toString() }
  })
}

const findSum = ({ sums }: Pick<BatchData, "sums">, priced: Priced) =>
  sums.findIndex(
    ({ taken, received = taken }) => taken[1] === priced.source.currency && received[1] === priced.received.currency
  )

/**
 * Whether rows have shares of a counter: of a count they have none. Of the sum of several currencies, they have none either where a release
 * before has counted it.
 */
const isShared =
  ({ sums }: Pick<BatchData, "sums">) =>
  ({ by_sum, key }: Counted): boolean =>
    isAmountKey(key) && (by_sum?.length ?? 1) === sums.length

/** What a batch counts as one act, whatever its rows. */
export const countedAsOne = (data: BatchData): ReadonlyArray<Counted> => {
  const isOfRows = isShared(data)
  return (data.counted ?? []).filter((one) => !isOfRows(one))
}

/** What a row has of each amount that its batch counts. */
export const sharesOf = (
  data: BatchData,
  { priced, taken_before = "0" }: Pick<BatchRow, "priced" | "taken_before">
): ReadonlyArray<Counted> => {
  const at = priced === null ? -1 : findSum(data, priced)
  const sum = data.sums[at]
  if (priced === null || sum === undefined) return []
  const { received, source, worth = received } = priced
  return (data.counted ?? []).filter(isShared(data)).map(({ add, bucket, by_sum, key }) => {
    const total = BigInt(by_sum?.[at] ?? add)
    // In the currency that is received, each row counts at its own rate.
    const isAtOwnRate = (sum.worth ?? sum.received)?.[0] === total.toString()
    const [own, all] = isAtOwnRate ? [worth.amount, total] : [source.amount, BigInt(sum.taken[0])]
    const before = BigInt(taken_before)
    // Rounded from the first row on, so that what one row loses the next has.
    const upTo = (minor: bigint): bigint => (all === 0n ? 0n : (total * minor) / all)
    return { key, bucket, add: (upTo(before + BigInt(own)) - upTo(before)).toString() }
  })
}

/** What of its row's shares a movement keeps: one that takes less than was confirmed, no more than that. */
export const boundShares = (
  data: BatchData,
  row: BatchRow,
  movement: Pick<Row, "data" | "kind">
): ReadonlyArray<Counted> => {
  const now = new Map(sharesOf(data, { ...row, priced: priceOf(movement) }).map(({ add, key }) => [key, add]))
  return sharesOf(data, row).map(({ add, ...one }) => {
    const taken = now.get(one.key) ?? add
    return { ...one, add: BigInt(taken) < BigInt(add) ? taken : add }
  })
}
