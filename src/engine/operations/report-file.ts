/** Reports that are files too: the rows of their tables (CSV-3). */
import { Schema } from "effect"
import { FileResponse } from "../calls/operation.ts"
import { listCsvColumns, formatCsvHeader, formatCsvLines } from "../input/csv.ts"
import { Optional } from "../input/schemas.ts"

/** The query of a report that has no other member. */
export const reportFormat = {
  format: Optional(Schema.Literals(["json", "csv"]), "`csv`: the rows as a file. Default: `json`.", "csv")
}

export const reportFormats = { csv: "text/csv" } as const

/** Adds to the query of a report the member that asks for a format. */
export const addFormat = <F extends Schema.Struct.Fields>({ fields }: Schema.Struct<F>) =>
  Schema.Struct({ ...fields, ...reportFormat })

type Table = Schema.Top & { readonly value: Schema.Top }

/**
 * Makes the function that answers with a report in the requested format. A file has the rows of each of `tables`, one below the other, and
 * the columns of all: a cell is empty where a row has no such member.
 */
export const answerInFormat =
  <Name extends string, F extends Schema.Struct.Fields & { readonly [N in Name]: Table }>(
    { fields }: Schema.Struct<F>,
    tables: ReadonlyArray<Name>,
    format: "json" | "csv" | undefined
  ) =>
  <Body extends { readonly [N in Name]: ReadonlyArray<unknown> }>(report: Body): Body | FileResponse<"csv"> => {
    if (format !== "csv") return report
    const all = tables.flatMap((name) => listCsvColumns(fields[name].value))
    const columns = [...new Map(all.map((column) => [column.join("."), column])).values()]
    return new FileResponse(
      "csv",
      formatCsvHeader(columns) + tables.map((name) => formatCsvLines(columns, report[name])).join("")
    )
  }
