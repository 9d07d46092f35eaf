/** The shape of a check of a database, for `corridor verify`. */
import type { SqlRow } from "../sql/driver.ts"

/** Two things that a store says of one subject, and that contradict each other. */
export interface Difference {
  /** What it is about: an account, a resource, a key. */
  readonly subject: string
  readonly merchant_id: string | null
  readonly expected: string
  readonly found: string
}

export interface Check {
  /** A word for reports, such as `balances`. */
  readonly name: string
  /** What is compared, as the end of "checking …". */
  readonly about: string
  /** The tables that it reads: their sizes say how long it takes. */
  readonly tables: ReadonlyArray<string>
  /** A query whose rows are the candidates for a difference; every column is a text. */
  readonly text: string
  /** Undefined: the row is as it must be. */
  readonly difference: (row: SqlRow) => Difference | undefined
}

export const readText = (row: SqlRow, name: string): string => String(row[name] ?? "")

export const merchantOf = (row: SqlRow): string | null => (row["merchant_id"] as string | null | undefined) ?? null
