/**
 * `corridor/statements`: reads bank statements of any format exactly, or refuses them whole. It knows nothing of the engine, and does
 * no I/O.
 */
export { writeCamt053, type WrittenLine, type WrittenStatement } from "./camt/write.ts"
export type { CsvAccount, CsvColumn, CsvColumns, CsvMapping, CsvRows } from "./csv/mapping.ts"
export { writeCsv } from "./csv/write.ts"
export { escapeFormula, unescapeFormula } from "./csv/write.ts"
export { readStatements, type ReadOptions, statementMax, statementSteps } from "./read.ts"
export {
  type AccountIdentifier,
  type BankStatement,
  type BankStatementLine,
  type StatementAccount,
  type StatementBalance,
  type StatementCounterparty,
  type StatementEntry,
  type StatementFormat,
  statementFormats,
  type StatementWarning,
  UnreadableStatement
} from "./statement.ts"
