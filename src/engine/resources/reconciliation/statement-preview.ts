/** What a mapping makes of the first rows of a CSV, before it is kept (MAPPING-2). */
import { Context, Effect, Layer, Schema } from "effect"
import type { CsvMapping } from "../../../statements/csv/mapping.ts"
import { readFirstRows } from "../../../statements/csv/first-rows.ts"
import type { UnreadableStatement } from "../../../statements/statement.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import { describe, Id, Optional } from "../../input/schemas.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { mappingMembers } from "../../representations/reconciliation/statement-mapping.ts"
import { previewLine, type StatementPreviewBody } from "../../representations/reconciliation/statement-preview.ts"
import { ExternalAccountKind } from "./external-account.ts"
import { listIdentifiers } from "./statement.ts"
import { requireCurrency, displayAmount } from "../../reference/currencies.ts"
import { toMinor, planStatements } from "./statement-plan.ts"
import { checkMapping } from "./statement-mapping.ts"
import { runInSteps, StatementFileReader } from "./statement-reader.ts"

/** The most bytes of a file that a preview takes. */
const PREVIEW_MAX = 256 * 1024
const ROWS_MAX = 12
const LINES_MAX = 3
const CELL_MAX = 200

const Start = Schema.Uint8ArrayFromBase64.check(
  Schema.makeFilter((bytes: Uint8Array) => bytes.length <= PREVIEW_MAX, {
    expected: `at most ${PREVIEW_MAX} bytes in base64`,
    code: "too_long"
  })
).annotate({ expected: "bytes in base64" })

export const PreviewStatement = Schema.Struct({
  external_account_id: describe(Id("xac"), "The external account that the file is of."),
  start: describe(
    Start,
    "The beginning of the file, whole rows, at most 256 KiB in base64.",
    "RGF0ZTtBbW91bnQKMjAyNi0wMS0wNTsxMi41MAo="
  ),
  separator: Optional(mappingMembers.separator),
  encoding: mappingMembers.encoding,
  mapping: Optional(
    Schema.Struct(mappingMembers).annotate({
      identifier: "PreviewedMapping",
      description: "How the columns are read."
    }),
    "How the columns are read. Without it, only the rows are returned.",
    { columns: { booked_on: "Date", amount: "Amount" }, separator: ";", decimal: ".", dates: "ymd" }
  )
}).annotate({ identifier: "PreviewStatement" })
export type PreviewStatement = typeof PreviewStatement.Type

const toFault = ({ message, place }: UnreadableStatement) => ({ place, message })

/** The preview with what the mapping makes of the file, or with why an upload of it would be refused. */
const readBy = Effect.fnUntraced(function* (
  of: StatementPreviewBody,
  account: Row<ExternalAccountData>,
  start: Uint8Array,
  mapping: PreviewStatement["mapping"] & {}
): Effect.fn.Return<StatementPreviewBody> {
  const checked = yield* Effect.result(checkMapping(mapping))
  if (checked._tag === "Failure") return { ...of, fault: { place: null, message: checked.failure.message } }
  const read = yield* StatementFileReader
  const csv = {
    mapping: mapping as CsvMapping,
    account: { identifiers: listIdentifiers(account), currency: account.data.currency }
  }
  const lines = yield* Effect.result(
    Effect.flatMap(read(start, { format: "csv", csv }), (statements) =>
      // The plan refuses what an upload would refuse: it is made, and not written.
      Effect.flatMap(planStatements(statements, [account], account), () =>
        runInSteps(function* () {
          yield
          return statements.flatMap((one) =>
            one.lines.map((line) => {
              const minor = toMinor(line.amount, requireCurrency(line.currency), line.place)
              return previewLine({ ...line, amount: displayAmount(minor, line.currency) })
            })
          )
        })
      )
    )
  )
  return lines._tag === "Failure"
    ? { ...of, fault: toFault(lines.failure) }
    : { ...of, lines: lines.success.slice(0, LINES_MAX), count: lines.success.length }
})

export class StatementPreviews extends Context.Service<StatementPreviews>()("corridor/engine/StatementPreviews", {
  make: Effect.gen(function* () {
    const storage = yield* Storage

    return {
      /**
       * The first rows, and the first lines by the mapping, which the reader of statements reads. What is wrong is the answer, and refuses
       * nothing. Law: it writes nothing of the file or the mapping. Errors: `NotFound` for an unknown account.
       */
      preview: Effect.fnUntraced(function* (input: PreviewStatement) {
        const account = yield* findOfAnyMerchant(storage, ExternalAccountKind, input.external_account_id)
        const { mapping, start } = input
        const separator = mapping?.separator ?? input.separator
        const encoding = mapping?.encoding ?? input.encoding
        const shown = yield* Effect.result(
          runInSteps(function* () {
            yield
            return readFirstRows(start, ROWS_MAX, {
              ...(separator === undefined ? {} : { separator }),
              ...(encoding === undefined ? {} : { encoding })
            })
          })
        )
        const found = shown._tag === "Success" ? shown.success : { separator: separator ?? ("," as const), rows: [] }
        const of: StatementPreviewBody = {
          separator: found.separator,
          rows: found.rows.map(({ cells, number }) => ({
            line: number,
            cells: cells.map((cell) => cell.slice(0, CELL_MAX))
          })),
          lines: [],
          count: 0,
          fault: shown._tag === "Failure" ? toFault(shown.failure) : null
        }
        return mapping === undefined || of.fault !== null ? of : yield* readBy(of, account, start, mapping)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
