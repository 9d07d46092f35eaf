/** Bank statements: what is taken of a file, and how it is found (INGEST-1 to INGEST-6). */
import { Context, Effect, Layer, Schema } from "effect"
import { bound } from "../../../machines/kernel/bound.ts"
import type { Update } from "../../../machines/kernel/record.ts"
import {
  StatementChunk,
  type StatementChunkData,
  type StatementChunkEvent,
  type StatementData,
  StatementFile,
  type StatementFileData,
  type StatementFileEvent,
  StatementLifecycle,
  statementSources
} from "../../../machines/reconciliation/statement.ts"
import { findOf, listOf } from "../../calls/reads.ts"
import type { Kind, ResourceKind } from "../../commit/kind.ts"
import { inCurrency, only } from "../../input/members.ts"
import { described, listing, Optional } from "../../input/schemas.ts"
import type { NotFound, StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { type BankStatementBody, bankStatementBody } from "../../representations/reconciliation/statement.ts"

export const StatementKind: ResourceKind<StatementData, Update<StatementData>> = {
  kind: "statement",
  prefix: "stm",
  lifecycle: StatementLifecycle,
  indexKeys: ({ currency, external_account_id, format, from, number, to }) => [
    `external_account_id=${external_account_id}`,
    `format=${format}`,
    `currency=${currency}`,
    ...Object.entries({ from, number, to }).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
  ],
  audited: ({ data: { closing_balance, currency, external_account_id, format, from, lines, number, to } }) => ({
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
export const StatementFileKind: Kind<StatementFileData, StatementFileEvent> = {
  kind: "statement_file",
  lifecycle: StatementFile,
  hidden: () => true
}

/** Its id is that of its statement, a point, and its number from 0. */
export const StatementChunkKind: Kind<StatementChunkData, StatementChunkEvent> = {
  kind: "statement_chunk",
  lifecycle: StatementChunk,
  hidden: () => true
}

export const ListStatements = Schema.Struct({
  external_account_id: Optional(
    described(
      Schema.String,
      "Only those of this external account. An unknown id gives an empty page.",
      "xac_01j9z3k4m5n6p7q8r9s0t1v2w3"
    )
  ),
  format: only(statementSources, "format"),
  currency: inCurrency,
  number: Optional(described(Schema.String, "Only those with this number.", "5")),
  from: Optional(described(Schema.String, "Only those that begin on this day.", "2026-01-05")),
  to: Optional(described(Schema.String, "Only those that end on this day.", "2026-01-05")),
  ...listing
})
export type ListStatements = typeof ListStatements.Type

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  return { storage, list: listOf(storage, StatementKind, ListStatements, bankStatementBody) }
})
type Deps = Effect.Success<typeof makeDeps>

const get = ({ storage }: Deps, id: string): Effect.Effect<BankStatementBody, NotFound | StorageFault> =>
  Effect.map(findOf(storage, StatementKind, id), bankStatementBody)

const list = ({ list }: Deps, input: ListStatements) => list(PLATFORM_MERCHANT, input)

export class BankStatements extends Context.Service<BankStatements>()("corridor/engine/BankStatements", {
  make: Effect.map(makeDeps, (deps) => bound(deps, { get, list }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
