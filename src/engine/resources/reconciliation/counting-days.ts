/** Which day's close counts an open difference, computed from what each seal had open (CLOSE-3, CLOSE-5). */
import { Effect } from "effect"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { ClosingData } from "../../../machines/reconciliation/closing.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { closingKind } from "./statement-kinds.ts"
import { openDay, findLastSealedDay } from "./statement-roster.ts"

/** What is open. `key`: what it is about and what it comes to. `day`: of its lines, or of its statement. `row`: its break. */
export interface Countable {
  readonly key: string
  readonly day: string
  readonly row?: Row<BreakData> | undefined
}

/** `first`: the first day after the latest sealed one. Undefined: none is sealed. */
export interface CountingDays {
  readonly first: string | undefined
  readonly isSealed: (key: string) => boolean
  readonly dayOf: (one: Countable) => string
}

/**
 * How the days of an account count what is open.
 *
 * Law: what was open when a day was sealed counts where it counted then, for as long as it comes to the same. All else of a sealed day, or of a
 * day before one, counts on the first day after the latest sealed one, however it came to be open.
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
  const known = new Map(closes.flatMap(({ data }) => Object.entries(data.open)))
  return {
    first: openDay(sealed, sealed),
    isSealed: (key) => known.has(key),
    dayOf: ({ day, key, row }) => known.get(key) ?? openDay(sealed, row?.data.accounted_on ?? day)
  }
})
