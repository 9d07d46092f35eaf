/** What reads the bytes of a file of statements, chosen by the format that is given or recognised. */
import { Context, Effect } from "effect"
import type { StatementMappingData } from "../../../machines/reconciliation/statement-mapping.ts"
import {
  type AccountIdentifier,
  type BankStatement,
  type StatementFormat,
  UnreadableStatement
} from "../../../statements/statement.ts"

export interface ReadingOptions {
  /** Absent: the format is recognised. */
  readonly format?: StatementFormat
  /** How a CSV is read, and of which account it is. */
  readonly csv?: {
    readonly mapping: StatementMappingData["csv"]
    readonly account: { readonly identifiers: ReadonlyArray<AccountIdentifier>; readonly currency: string }
  }
}

/** Reads a whole file. Errors: `UnreadableStatement`; nothing of the file is taken then. */
export const StatementReader = Context.Reference<
  (bytes: Uint8Array, options: ReadingOptions) => Effect.Effect<ReadonlyArray<BankStatement>, UnreadableStatement>
>("corridor/engine/StatementReader", {
  defaultValue: () => () =>
    Effect.fail(new UnreadableStatement("the file", "an unknown format", "a format of bank statements"))
})
