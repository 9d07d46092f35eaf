/** The rows of a batch, as they are sent: in JSON, or as a CSV file (BATCH-2). */
import { Effect, Schema } from "effect"
import {
  type BatchData,
  type BatchEvent,
  BatchPart,
  type BatchPartData,
  type BatchPartEvent,
  PayoutBatch
} from "../../../machines/movements/batch.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import type { Kind, ResourceKind } from "../../commit/kind.ts"
import type { RowAction } from "../../commit/row-act.ts"
import { parseCsv } from "../../input/csv.ts"
import { proposeNearest } from "../../input/nearest.ts"
import { Amount, describe, Id, Metadata, Optional, ReferenceText } from "../../input/schemas.ts"
import { decode, makeMembersReader, type NamedAs } from "../../input/validation.ts"
import type { Row } from "../../ports/Storage.ts"
import { BadRequest, makeFieldRefusal, invalid, InvalidInput } from "../../ports/errors.ts"
import { batchOperations } from "../../representations/movements/batch.ts"
import { CreateBeneficiary } from "../parties/beneficiary.ts"

/** The most rows of a batch. */
export const batchRowsMax = 10_000

/** What a row takes. */
const RowInput = Schema.Struct({
  operation: Schema.Literals(batchOperations),
  wallet_id: Id("wal"),
  beneficiary_id: Optional(Id("ben")),
  beneficiary: Optional(CreateBeneficiary),
  amount: Optional(Amount),
  source_amount: Optional(Amount),
  target_amount: Optional(Amount),
  reference: Optional(ReferenceText),
  metadata: Optional(Metadata)
})
export type RowInput = typeof RowInput.Type

const makeAnySchema = (words: string, ...examples: ReadonlyArray<unknown>) =>
  Optional(describe(Schema.Unknown, words, ...examples))

const anyBeneficiary = Schema.Unknown.annotate({ namedAs: CreateBeneficiary.ast } satisfies NamedAs)

/** A row in a request. What is wrong with it is an error of the row, and not of the request. */
export const SentRow = Schema.Struct({
  operation: makeAnySchema("`transfer` or `offramp`.", "offramp"),
  wallet_id: makeAnySchema("The wallet to debit.", "wal_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  beneficiary_id: makeAnySchema("The recipient. Either this or `beneficiary`.", "ben_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  beneficiary: Optional(
    describe(
      anyBeneficiary,
      "The details of the recipient, as `POST /v1/beneficiaries` takes them, but for `details.holder_document`, which is not stored. When the batch is paid, an identical beneficiary is used, or one is made.",
      {
        type: "crypto",
        name: "Ada Obi",
        currency: "USDC",
        details: { network: "base", address: "0x52908400098527886E0F7030069857D2E4169EE7" }
      }
    )
  ),
  amount: makeAnySchema("Of a transfer: what the recipient receives, a decimal string.", "25.00"),
  source_amount: makeAnySchema("Of an offramp: what leaves the wallet. Either this or `target_amount`.", "100.00"),
  target_amount: makeAnySchema("Of an offramp: what the recipient receives.", "147753.75"),
  reference: makeAnySchema(
    "Your name for the movement. Default: the batch's reference, a hyphen and the number of the row.",
    "INV/2026/1042"
  ),
  metadata: makeAnySchema("Your own data, for the movement.", { cost_center: "ng-42" })
}).annotate({ identifier: "CreateBatchRow", description: "One payout." })

export type Sent = { readonly [member: string]: unknown }

const columns: ReadonlySet<string> = new Set(Object.keys(RowInput.fields))
const nested = /^(?:metadata|beneficiary)\../
const namesOf = makeMembersReader(SentRow.ast, "field")

/** Splits the name of a column into the path of a member, at its dots. A key of metadata may itself have dots. */
const splitColumn = (column: string): ReadonlyArray<string> =>
  column.startsWith("metadata.") ? ["metadata", column.slice("metadata.".length)] : column.split(".")

type Members = Record<string, unknown>

/** Reads a member of the object itself, so that no name reaches the members that all objects inherit. Makes it if it is missing. */
const readOrMakeMember = (place: Members, name: string, made: () => unknown): unknown => {
  if (!Object.hasOwn(place, name))
    Object.defineProperty(place, name, { value: made(), enumerable: true, configurable: true, writable: true })
  return place[name]
}

/** Converts a row of cells to the form that a request in JSON has. An empty cell is absent. No column is part of another. */
const nestColumns = (cells: { readonly [column: string]: string }): Sent => {
  const whole: Members = {}
  for (const [column, cell] of Object.entries(cells)) {
    const value = cell.trim()
    if (value === "") continue
    const way = splitColumn(column)
    const place = way.slice(0, -1).reduce((outer, name) => readOrMakeMember(outer, name, () => ({})) as Members, whole)
    readOrMakeMember(place, way.at(-1)!, () => value)
  }
  return whole
}

/** Reads the reference that a row has sent. Undefined: it has none. */
export const readOwnReference = ({ reference }: Sent): string | undefined =>
  typeof reference === "string" ? reference : undefined

/** Chooses the reference of a row's movement: its own, or one of the batch's with its number (BATCH-4). */
export const chooseReference = (batch: string, sent: Sent, row: number): string =>
  readOwnReference(sent) ?? `${batch}-${row}`

/** Lists the columns of which a column would be a part, if they were there. */
const listOuterColumns = (column: string): ReadonlyArray<string> => {
  const way = splitColumn(column)
  return way.slice(1).map((_, at) => way.slice(0, at + 1).join("."))
}

const isNot = "The body is not a CSV file of rows"

const refuseColumn = (column: string) => {
  const taken = `${[...columns].join(", ")}, and dotted names of members of beneficiary and metadata`
  const proposal = proposeNearest(column, columns, JSON.stringify)
  const message = `The column ${JSON.stringify(column)} is not a field of a row.${proposal} It takes ${taken}.`
  return new BadRequest(makeFieldRefusal(column, "unknown_field", message))
}

/**
 * Parses the rows of a CSV file. Empty rows are left out. Errors: `BadRequest` for a text that is no CSV, a column that no row takes or
 * that is part of another.
 */
export const parseCsvRows = Effect.fnUntraced(function* (
  csv: string
): Effect.fn.Return<ReadonlyArray<Sent>, BadRequest> {
  const table = yield* Effect.fromResult(parseCsv(csv, "body", isNot))
  const names = table.columns
  const unknown = names.find((column) => !columns.has(column) && !nested.test(column))
  if (unknown !== undefined) return yield* refuseColumn(unknown)
  const all = new Set(names)
  const part = names.find((column) => listOuterColumns(column).some((outer) => all.has(outer)))
  if (part !== undefined) {
    const outer = listOuterColumns(part).find((one) => all.has(one))
    return yield* new BadRequest(
      makeFieldRefusal(
        "body",
        "invalid_format",
        `${isNot}: the column ${JSON.stringify(part)} is part of the column ${JSON.stringify(outer)}.`
      )
    )
  }
  const unknownMember = namesOf(nestColumns(Object.fromEntries(names.map((name) => [name, name])))).unknown[0]?.field
  if (unknownMember !== undefined)
    return yield* refuseColumn(names.find((name) => `${name}.`.startsWith(`${unknownMember}.`)) ?? unknownMember)
  return table.rows.map(({ cells }) => nestColumns(cells))
})

/** Refuses members that the operation of a row does not take, and two of which it takes one. Undefined: they are valid. */
const checkMembers = (input: RowInput): InvalidInput | undefined => {
  const { amount, beneficiary, beneficiary_id, operation, source_amount, target_amount } = input
  if ((beneficiary === undefined) === (beneficiary_id === undefined))
    return invalid("beneficiary_id", "A row takes either beneficiary_id or beneficiary.")
  if (operation === "transfer") {
    if (amount === undefined)
      return new InvalidInput(makeFieldRefusal("amount", "required", "The amount is missing. A transfer takes amount."))
    const stray =
      source_amount !== undefined ? "source_amount" : target_amount !== undefined ? "target_amount" : undefined
    return stray === undefined ? undefined : invalid(stray, `A transfer takes amount, and no ${stray}.`)
  }
  if (amount !== undefined) return invalid("amount", "An offramp takes source_amount or target_amount, and no amount.")
  if ((source_amount === undefined) !== (target_amount === undefined)) return undefined
  const takes = "An offramp takes either source_amount or target_amount."
  return source_amount === undefined
    ? new InvalidInput(makeFieldRefusal("source_amount", "required", `The amount is missing. ${takes}`))
    : invalid("source_amount", takes)
}

/** Decodes one row. Errors: those of its members. */
export const decodeRow = Effect.fnUntraced(function* (
  sent: Sent
): Effect.fn.Return<RowInput, BadRequest | InvalidInput> {
  const input = yield* decode(RowInput, sent)
  const wrong = checkMembers(input)
  return wrong === undefined ? input : yield* wrong
})

/** The name of the member that has the amount of a row. */
export const amountField = ({ amount, source_amount }: Pick<RowInput, "amount" | "source_amount">): string =>
  amount !== undefined ? "amount" : source_amount !== undefined ? "source_amount" : "target_amount"

/** The confirmation of a batch as a controlled action. */
export const toBatchAct = ({ data: { sums } }: Pick<Row<BatchData>, "data">): RowAction => ({
  words: ["batch"],
  sums,
  field: "id"
})

export const BatchKind: ResourceKind<BatchData, BatchEvent> = {
  kind: "batch",
  prefix: "bat",
  lifecycle: PayoutBatch,
  controlledAction: (row) => (row.via === "confirm" ? toBatchAct(row) : undefined),
  // What waits is its confirmation.
  derivedWrites: makeApprovalEnding((state) => state === "draft")
}

export const BatchPartKind: Kind<BatchPartData, BatchPartEvent> = { kind: "batch_part", lifecycle: BatchPart }

/**
 * The rows of a part, but for the last. A payment that ends in between repeats no more than the look at these. It stays: the parts of a
 * batch that is stored are found by it.
 */
export const partSize = 100

/** Finds the number of the part that has a row. Rows are counted from 1. */
export const findPartNumber = (row: number): number => Math.floor((row - 1) / partSize)

export const partId = (batch: string, part: number): string => `${batch}.${part}`
