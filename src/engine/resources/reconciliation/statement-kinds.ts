/** The kinds of rows that a bank statement is stored in. */
import type { Update } from "../../../machines/kernel/lifecycle.ts"
import {
  StatementChunk,
  type StatementChunkData,
  type StatementChunkEvent,
  type StatementData,
  StatementFile,
  type StatementFileData,
  StatementLifecycle,
  StatementRoster,
  type StatementRosterData
} from "../../../machines/reconciliation/statement.ts"
import type { KeyScope } from "../../commit/changeset.ts"
import type { Kind, ResourceKind } from "../../commit/kind.ts"
import { displayAmount } from "../../reference/currencies.ts"

/** The warning of a statement that has another closing balance than its lines lead to, and its index key. */
export const unreachedCode = "balance_differs"
export const unreachedKey = `warned=${unreachedCode}`

export const StatementKind: ResourceKind<StatementData, Update<StatementData>> = {
  kind: "statement",
  prefix: "stm",
  lifecycle: StatementLifecycle,
  indexKeys: ({ currency, external_account_id, format, from, number, to, unreached }) => [
    `external_account_id=${external_account_id}`,
    ...(unreached === undefined ? [] : [unreachedKey]),
    `format=${format}`,
    `currency=${currency}`,
    ...Object.entries({ from, number, to }).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
  ],
  auditView: ({ data: { closing_balance, currency, external_account_id, format, from, lines, number, to } }) => ({
    external_account_id,
    format,
    number,
    from,
    to,
    currency,
    closing_balance: closing_balance === null ? null : displayAmount(closing_balance.amount, currency),
    lines
  })
}

/** Its id is that of its first statement. */
export const StatementFileKind: Kind<StatementFileData, Update<StatementFileData>> = {
  kind: "statement_file",
  lifecycle: StatementFile,
  isHidden: () => true
}

/** Its id is that of its statement, a point, and its number from 0. */
export const StatementChunkKind: Kind<StatementChunkData, StatementChunkEvent> = {
  kind: "statement_chunk",
  lifecycle: StatementChunk,
  isHidden: () => true
}
export const chunkId = (statement_id: string, number: number): string => `${statement_id}.${number}`

/** A roster has the id of its external account. */
export const StatementRosterKind: Kind<StatementRosterData, Update<StatementRosterData>> = {
  kind: "statement_roster",
  lifecycle: StatementRoster,
  isHidden: () => true
}

export const closingKind = "closing"

/** The days of external accounts that are sealed. The owner of a key is the day's close. */
export const sealedScope: KeyScope = { name: "closing", taken: "decide_again" }
export const makeSealKey = (external_account_id: string, date: string): string => `${external_account_id}/${date}`
