/** A statement mapping: how the columns of a bank's CSV are read, as data. It never changes; another replaces it (MAPPING-1). */
import { makeRecordLifecycle } from "../kernel/lifecycle.ts"

/** A column by its name in the header row, or by its place from 1. */
export type MappedColumn = string | number

/** Rows that are known by the text of a cell. */
export interface MappedRows {
  readonly column: MappedColumn
  readonly text: string
}

/** `csv`: see `CsvMapping` of `corridor/statements`, whose members these are. */
export interface StatementMappingData {
  readonly name: string
  readonly external_account_id: string
  readonly csv: {
    readonly columns: {
      readonly booked_on: MappedColumn
      readonly [member: string]: MappedColumn | ReadonlyArray<MappedColumn>
    }
    readonly separator: string
    readonly decimal: string
    readonly dates: string
    readonly encoding?: string
    readonly thousands?: string
    readonly header?: boolean
    readonly words?: { readonly credit: ReadonlyArray<string>; readonly debit: ReadonlyArray<string> }
    readonly debits?: string
    readonly ignore?: ReadonlyArray<MappedRows>
    readonly pending?: ReadonlyArray<MappedRows>
    readonly opening?: MappedRows
    readonly closing?: MappedRows
  }
}

export const StatementMappingLifecycle = makeRecordLifecycle<StatementMappingData>("statement_mapping")
