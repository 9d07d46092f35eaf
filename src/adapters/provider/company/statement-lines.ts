/** Lines of a statement, as all connectors make them. */
import type { StatementLine } from "../../../engine/ports/Provider.ts"

/** What a line must say. */
export type KnownLine = Pick<StatementLine, "id" | "booked_at" | "direction" | "amount" | "currency"> &
  Partial<StatementLine>

/** A line, of which nothing is known but what is said. */
export const makeLine = (line: KnownLine): StatementLine => ({
  ...{ command_id: null, payin_id: null, provider_reference: null, transaction_hash: null, narration: null },
  ...line
})

/** The order of lines on a page. */
export const byTime = (a: StatementLine, b: StatementLine): number =>
  a.booked_at - b.booked_at || (a.id < b.id ? -1 : 1)
