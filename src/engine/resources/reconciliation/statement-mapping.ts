/** Statement mappings: how the CSV files of a bank are read (MAPPING-1). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { Update } from "../../../machines/kernel/lifecycle.ts"
import {
  type StatementMappingData,
  StatementMappingLifecycle
} from "../../../machines/reconciliation/statement-mapping.ts"
import { findOfAnyMerchant, listBodies } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { ofExternalAccount } from "../../input/members.ts"
import { describe, Id, listing, note, Optional, Text } from "../../input/schemas.ts"
import { invalid, type NotFound, type StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import {
  mappingMembers,
  type StatementMappingBody,
  statementMappingBody
} from "../../representations/reconciliation/statement-mapping.ts"
import { ExternalAccountKind } from "./external-account.ts"

export const StatementMappingKind: ResourceKind<StatementMappingData, Update<StatementMappingData>> = {
  kind: "statement_mapping",
  prefix: "stp",
  lifecycle: StatementMappingLifecycle,
  indexKeys: ({ external_account_id }) => [`external_account_id=${external_account_id}`],
  auditView: ({ data: { external_account_id, name } }) => ({ external_account_id, name })
}

export const CreateStatementMapping = Schema.Struct({
  name: describe(Text(255), "A name for people.", "Euro account, online export"),
  external_account_id: describe(Id("xac"), "The external account whose files it reads."),
  ...mappingMembers,
  note
}).annotate({ identifier: "CreateStatementMapping" })
export type CreateStatementMapping = typeof CreateStatementMapping.Type

export const ListStatementMappings = Schema.Struct({
  name: Optional(Schema.String, "Only those with this name.", "Euro account, online export"),
  external_account_id: ofExternalAccount,
  ...listing
})
export type ListStatementMappings = typeof ListStatementMappings.Type

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  return {
    storage,
    unitOfWork: yield* UnitOfWork,
    ids: yield* Ids,
    list: listBodies(storage, StatementMappingKind, ListStatementMappings, statementMappingBody, ["name"])
  }
})
type Deps = Effect.Success<typeof makeDeps>

/**
 * Errors: `InvalidInput` without a column of amounts, with a `direction` that has no words, with a text or a separator that says two
 * things, or with columns named where no row names them.
 */
export const checkMapping = Effect.fnUntraced(function* (
  csv: Omit<CreateStatementMapping, "external_account_id" | "name" | "note">
) {
  const { columns, header = true, words } = csv
  if ((columns.amount === undefined) === (columns.credit === undefined && columns.debit === undefined))
    return yield* invalid(
      "columns",
      "columns has the amounts in amount, or in credit and debit: one of the two is required."
    )
  if (columns.amount === undefined && (columns.credit === undefined || columns.debit === undefined))
    return yield* invalid("columns", "columns has one of credit and debit; it takes both.")
  if ((columns.direction === undefined) !== (words === undefined))
    return yield* invalid("words", "words are the texts of columns.direction: either both are given, or none.")
  if (!header && Object.values(columns).some((one) => [one].flat().some((column) => typeof column === "string")))
    return yield* invalid("columns", "columns are places from 1 where header is false: no row names them.")
  // `1,234` would be read as one and a bit, where the bank means more than a thousand.
  if (csv.thousands === csv.decimal)
    return yield* invalid("thousands", `thousands is ${JSON.stringify(csv.thousands)}, which is the decimal sign.`)
  const both = words?.debit.find((text) => words.credit.includes(text))
  if (both !== undefined)
    return yield* invalid("words", `words has ${JSON.stringify(both)} for credits and for debits: it says neither.`)
})

/** Creates a mapping. Errors: `NotFound` for an unknown account; those of {@link checkMapping}. */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateStatementMapping) {
  const { ids, storage, unitOfWork } = deps
  const { external_account_id, name, note: _, ...csv } = input
  yield* checkMapping(csv)
  yield* findOfAnyMerchant(storage, ExternalAccountKind, external_account_id)
  const id = yield* ids.make(StatementMappingKind.prefix)
  return yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
    const at = yield* Clock.currentTimeMillis
    const data = { name, external_account_id, csv } as StatementMappingData
    const made = yield* begin(StatementMappingKind, { merchant_id: PLATFORM_MERCHANT, id }, data, at)
    return { changes: [made.changes], result: statementMappingBody(made.row) }
  })
})

const get = ({ storage }: Deps, id: string): Effect.Effect<StatementMappingBody, NotFound | StorageFault> =>
  Effect.map(findOfAnyMerchant(storage, StatementMappingKind, id), statementMappingBody)

const list = ({ list }: Deps, input: ListStatementMappings) => list(PLATFORM_MERCHANT, input)

export class StatementMappings extends Context.Service<StatementMappings>()("corridor/engine/StatementMappings", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, get, list }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
