/**
 * What providers report about how commands ended. The reports are kept in the data of the resource; machines do not read
 * them (OUTCOME-1).
 */
import { parseExactAmount } from "../../machines/kernel/money.ts"
import type { MovementOutcome, StatedPart } from "../ports/Provider.ts"
import type { RowWrite } from "../ports/Storage.ts"
import type { ChangeSet } from "./changeset.ts"
import { listIndexKeys } from "./index-keys.ts"
import type { Kind } from "./kind.ts"

/**
 * One report, in the words of the provider: amounts are its decimal strings, unchecked. Members that it does not state are
 * null. `at`: when the engine applied it, epoch milliseconds.
 */
interface ReportedOutcome {
  readonly outcome: string
  readonly at: number
  readonly provider: string | null
  readonly command_id: string
  readonly reason: string | null
  readonly amount: string | null
  /** The currency of `amount`. */
  readonly currency: string | null
  readonly fee: string | null
  readonly fee_currency: string | null
  readonly provider_reference: string | null
  readonly transaction_hash: string | null
  /** Absent: it does not come in parts. */
  readonly parts?: ReadonlyArray<StatedPart>
  readonly complete?: true
}

/** A report without its command. */
export type OutcomeReport = Omit<ReportedOutcome, "at" | "provider" | "command_id">

/** The provider's reason is free text. A longer one is cut. */
const reasonMax = 500

const places = 18

/** Sums the parts of a return, as a decimal string. */
const sumParts = (parts: ReadonlyArray<StatedPart>): string => {
  const sum = parts.reduce((total, { amount }) => total + parseExactAmount(amount, places), 0n)
  const digits = sum.toString().padStart(places + 1, "0")
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "")
}

/** Whether a report states an amount that is not the sum of its parts. */
export const hasWrongSum = ({ amount, parts }: Pick<OutcomeReport, "amount" | "parts">): boolean =>
  amount !== null &&
  parts !== undefined &&
  parseExactAmount(amount, places) !== parseExactAmount(sumParts(parts), places)

/** Completes a provider's report. Members that it does not state are null. */
export const makeReport = (
  stated: Pick<OutcomeReport, "outcome"> & Partial<Omit<MovementOutcome, "outcome">>
): OutcomeReport => ({
  ...(stated.parts ? { parts: stated.parts } : {}),
  ...(stated.parts && stated.complete === true ? { complete: true } : {}),
  outcome: stated.outcome,
  reason: stated.reason?.slice(0, reasonMax).toWellFormed() ?? null,
  amount: stated.amount ?? (stated.parts ? sumParts(stated.parts) : null),
  currency: stated.currency ?? null,
  fee: stated.fee ?? null,
  fee_currency: stated.fee_currency ?? null,
  provider_reference: stated.provider_reference ?? null,
  transaction_hash: stated.transaction_hash ?? null
})

/** The latest reports that a resource keeps. A rejection can repeat for as long as look-ups do not confirm it. */
const keptMax = 20

interface Reported {
  readonly outcomes?: ReadonlyArray<ReportedOutcome>
  readonly provider_reference?: string | null
}

/** Lists the reports of a resource, oldest first. */
export const listReports = ({ data }: { readonly data: unknown }): ReadonlyArray<ReportedOutcome> =>
  (data as Reported).outcomes ?? []

/** The provider's own reference of a resource's money: that of the payment, if it was made. Null: not reported. */
export const providerReferenceOf = ({ data }: { readonly data: unknown }): string | null =>
  (data as Reported).provider_reference ?? null

/** Adds a report to the row of a resource, in the change set of a step. */
export const addReportedOutcome = (changes: ChangeSet, kind: Kind, id: string, report: ReportedOutcome): ChangeSet => {
  const kept = (row: RowWrite): RowWrite => {
    if (row.id !== id || row.kind !== kind.kind) return row
    const before = providerReferenceOf(row)
    const isPayment = report.outcome === "success" || before === null
    const data = {
      ...(row.data as object),
      outcomes: [...listReports(row), report].slice(-keptMax),
      provider_reference: isPayment ? (report.provider_reference ?? before) : before
    }
    return { ...row, data, index_keys: listIndexKeys(kind, { ...row, data }) }
  }
  return changes.rows === undefined ? changes : { ...changes, rows: changes.rows.map(kept) }
}
