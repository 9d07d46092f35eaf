/** Which day's close counts an open difference, computed from what each seal had open (CLOSE-3, CLOSE-5). */
import { Effect } from "effect"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { ClosingData } from "../../../machines/reconciliation/closing.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { closingKind } from "./statement-kinds.ts"
import { openDay, findLastSealedDay } from "./statement-roster.ts"

/** An open difference. `keys`: its subject and amount, by each name that its subject has. `day`: the day of its lines, or of its statement. `row`: its break. */
export interface Countable {
  readonly keys: ReadonlyArray<string>
  readonly day: string
  readonly row?: Row<BreakData> | undefined
}

/** `first`: the first day after the latest sealed one. Undefined: none is sealed. */
export interface CountingDays {
  readonly first: string | undefined
  readonly isSealed: (keys: ReadonlyArray<string>) => boolean
  readonly dayOf: (one: Countable) => string
}

/**
 * Finds the day on which each open difference of an account counts. Law: a difference that was open when a day was sealed keeps its day for
 * as long as its amount is the same, and that day is not sealed without it. Any other of a sealed day, or of a day before one, counts on the first day after the latest sealed
 * one.
 */
export const readCountingDays = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  external_account_id: string
): Effect.fn.Return<CountingDays, StorageFault> {
  const sealed = yield* findLastSealedDay({ storage }, external_account_id)
  if (sealed === undefined) return { first: undefined, isSealed: () => false, dayOf: ({ day }) => day }
  const index_keys = [`external_account_id=${external_account_id}`]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [closingKind], index_keys }
  const closes = (yield* readAllRows(storage, query, () => true)) as ReadonlyArray<Row<ClosingData>>
  const seals = new Map(closes.map(({ data }) => [data.date, data]))
  // A later day may have been sealed first, with what was open of a day that then was sealed without it.
  const isCounted = ([key, date]: readonly [string, string]): boolean => {
    const { counts } = seals.get(date) ?? {}
    return counts === undefined || counts.includes(key)
  }
  const known = new Map(closes.flatMap(({ data }) => Object.entries(data.open).filter(isCounted)))
  return {
    first: openDay(sealed, sealed),
    isSealed: (keys) => keys.some((key) => known.has(key)),
    dayOf: ({ day, keys, row }) =>
      keys.map((key) => known.get(key)).find((sealedOn) => sealedOn !== undefined) ??
      openDay(sealed, row?.data.accounted_on ?? day)
  }
})
