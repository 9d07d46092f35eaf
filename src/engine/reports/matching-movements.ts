/** The movements that the filters of a list match, page by page or all of them (TRANSACTION-11). */
import { displayAmount } from "../reference/currencies.ts"
import { Effect } from "effect"
import { splitAmount } from "../../machines/kernel/money.ts"
import { readAllRows, readPageWhere } from "../calls/reads.ts"
import { type Listed, type ListInput, listRows, toTimeBounds } from "../calls/list.ts"
import type { TransactionKind } from "../commit/kind.ts"
import { invalid, type InvalidInput, makeRangeError, type StorageFault } from "../ports/errors.ts"
import type { Row, Storage } from "../ports/Storage.ts"
import type { Transacted } from "../representations/movements/transaction.ts"

/** The most movements that are read one by one, for totals and for a range of amounts. */
const READ_MAX = 100_000

/** Finer than every amount. */
const SCALE = 18

/** Which rows are looked at: those of a merchant or of all, of kinds, with index keys. */
export interface Looked {
  readonly merchant_id: string | null
  readonly kinds: ReadonlyArray<TransactionKind>
  readonly index_keys: ReadonlyArray<string>
}

export interface MatchInput extends ListInput {
  readonly currency?: string
  readonly min_amount?: string
  readonly max_amount?: string
}

/** Converts an amount to units that are finer than those of every currency. */
const toExact = (amount: string): bigint => {
  const { kept } = splitAmount(amount, SCALE) ?? { kept: 0n }
  return kept
}

/** Finds the amount that arrived for an onramp, which may differ from the quoted one. Null: none, or it is no onramp. */
const findArrival = ({ data, kind }: Row, currency: string): string | null => {
  const { funded_amount = null } = kind === "onramp" ? (data as { readonly funded_amount?: string | null }) : {}
  return funded_amount === null ? null : displayAmount(funded_amount, currency)
}

/** Checks a range of amounts. Errors: `InvalidInput` for a bound without a currency, and for a range that begins above its end. */
const checkRange = ({ currency, max_amount, min_amount }: MatchInput): Effect.Effect<void, InvalidInput> => {
  const name = min_amount === undefined ? "max_amount" : "min_amount"
  if (currency === undefined && (min_amount ?? max_amount) !== undefined)
    return Effect.fail(invalid(name, `${name} needs the currency that it is in: send currency too.`))
  return min_amount !== undefined && max_amount !== undefined && toExact(min_amount) > toExact(max_amount)
    ? Effect.fail(
        makeRangeError(
          "min_amount",
          "max_amount",
          `min_amount is ${min_amount}, which is above max_amount, ${max_amount}.`
        )
      )
    : Effect.void
}

/** Whether a movement's amount in the currency of the range is within it. */
const matchesAmount = ({ currency = "", max_amount, min_amount }: MatchInput, shown: Transacted, row: Row): boolean => {
  if ((min_amount ?? max_amount) === undefined) return true
  // What a movement comes to in one of its currencies: what it takes, or what its recipient receives.
  const sum =
    shown.source_currency === currency
      ? (findArrival(row, currency) ?? shown.source_amount)
      : (shown.received_amount ?? shown.quoted_received_amount)
  if (sum === null) return false
  const amount = toExact(sum)
  return (
    (min_amount === undefined || amount >= toExact(min_amount)) &&
    (max_amount === undefined || amount <= toExact(max_amount))
  )
}

/**
 * Plans how the movements that may match are read, and how each is tested. Errors: `InvalidInput` where more than {@link READ_MAX} match
 * the other filters: nothing is left out in silence.
 */
const planReading = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  { index_keys, kinds, merchant_id }: Looked,
  input: MatchInput
) {
  yield* checkRange(input)
  const byName = new Map(kinds.map((one) => [one.kind, one]))
  const query = {
    ...(merchant_id === null ? {} : { merchant_id }),
    kinds: kinds.map(({ kind }) => kind),
    index_keys
  }
  const { total } = yield* storage.list({ ...query, ...toTimeBounds(input), offset: 0, limit: 0 })
  if (total > READ_MAX)
    return yield* invalid(
      "created_after",
      `${total} movements have these filters, and at most ${READ_MAX} are read for amounts and totals. Narrow them by created_after and created_before.`
    )
  const matches = (row: Row, read: (shown: Transacted, row: Row, kind: TransactionKind) => boolean): boolean => {
    const kind = byName.get(row.kind)
    if (kind === undefined) return false
    const shown = kind.transaction(row)
    return matchesAmount(input, shown, row) && read(shown, row, kind)
  }
  return { query, matches }
})

/** Reads the movements that match, newest first, and keeps those for which `read` returns true. Errors: those of {@link planReading}. */
export const readMatchingMovements = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  looked: Looked,
  input: MatchInput,
  read: (shown: Transacted, row: Row, kind: TransactionKind) => boolean
): Effect.fn.Return<ReadonlyArray<Row>, InvalidInput | StorageFault> {
  const { matches, query } = yield* planReading(storage, looked, input)
  return yield* readAllRows(storage, { ...query, ...toTimeBounds(input) }, (row) => matches(row, read))
})

/** Reads a page of the movements that match. Errors: with a range of amounts, those of {@link planReading}. */
export const listMatchingMovements = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  looked: Looked,
  input: MatchInput
): Effect.fn.Return<Listed<Row>, InvalidInput | StorageFault> {
  if (input.min_amount === undefined && input.max_amount === undefined) {
    const { index_keys, kinds, merchant_id } = looked
    return yield* listRows(
      storage,
      merchant_id,
      kinds.map(({ kind }) => kind),
      index_keys,
      input
    )
  }
  const { matches, query } = yield* planReading(storage, looked, input)
  return yield* readPageWhere(storage, query, input, (row) => matches(row, () => true))
})
