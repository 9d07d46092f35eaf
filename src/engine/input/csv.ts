/** CSV files in requests: read as the files of banks are, and refused in the same words (STATEMENT-17). */
import { Result, type Schema, type SchemaAST } from "effect"
import { type CsvTable, readTable, decodeTable } from "../../statements/csv/table.ts"
import { writeCsvRows } from "../../statements/csv/write.ts"
import { UnreadableStatement } from "../../statements/statement.ts"
import { BadRequest, makeFieldRefusal } from "../ports/errors.ts"

/** Runs a reader of a file, and turns its `UnreadableStatement` into the refusal of the field `name`. `is`: what the message says of it. */
const refuseUnreadable = <A>(name: string, is: string, of: () => A): Result.Result<A, BadRequest> =>
  Result.try({
    try: of,
    catch: (fault) => {
      if (!(fault instanceof UnreadableStatement)) throw fault
      const { found, message, place, taken } = fault
      const refusal = makeFieldRefusal(name, "invalid_format", `${is}: ${message}.`)
      return new BadRequest({ ...refusal, errors: refusal.errors.map((one) => ({ ...one, place, found, taken })) })
    }
  })

/** Decodes the bytes of a body: in the encoding of its byte order mark, else in that of its content type, else in UTF-8. */
export const decodeCsv = (bytes: Uint8Array, charset?: string): Result.Result<string, BadRequest> =>
  refuseUnreadable("body", "The body is not a CSV file", () => decodeTable(bytes, charset))

/** Parses the text of a CSV file. `name`: the member that has it. `is`: how the message of the refusal begins. */
export const parseCsv = (text: string, name: string, is: string): Result.Result<CsvTable, BadRequest> =>
  refuseUnreadable(name, is, () => readTable(text))

/** Decodes and parses the bytes of a CSV file, by their byte order mark or in UTF-8. */
export const parseCsvBytes = (bytes: Uint8Array, name: string, is: string): Result.Result<CsvTable, BadRequest> =>
  refuseUnreadable(name, is, () => readTable(decodeTable(bytes)))

// The columns of a list as CSV, by the schema of its rows (CSV-2).

/** Where a cell is in a row: the names of members, from the outside in. */
type CellPath = ReadonlyArray<string>

/** Members of members deeper than this are one cell. */
const DEPTH_MAX = 3

/** Lists the structs that a schema accepts: more than one for a member of several shapes, such as the details of an account. */
const listStructs = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.Objects> => {
  if (ast._tag === "Union") return ast.types.flatMap(listStructs)
  return ast._tag === "Objects" && ast.propertySignatures.length > 0 ? [ast] : []
}

const listColumns = (ast: SchemaAST.AST, path: CellPath): ReadonlyArray<CellPath> => {
  const members = new Map<string, Array<SchemaAST.AST>>()
  for (const { propertySignatures } of path.length > DEPTH_MAX ? [] : listStructs(ast))
    for (const { name, type } of propertySignatures)
      members.set(String(name), [...(members.get(String(name)) ?? []), type])
  if (members.size === 0) return [path]
  return [...members].flatMap(([name, types]) => {
    const columns = types.flatMap((type) => listColumns(type, [...path, name]))
    return [...new Map(columns.map((column) => [column.join("."), column])).values()]
  })
}

/** Lists the columns of a CSV file of rows with this schema: a path of members for each. */
export const listCsvColumns = ({ ast }: Pick<Schema.Top, "ast">): ReadonlyArray<CellPath> => listColumns(ast, [])

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Formats an item of a list for one cell: an amount as people write it, a text as it is, anything else as JSON. */
const formatItem = (item: unknown): string => {
  if (!isMembers(item)) return String(item)
  const { amount, currency, name, ...others } = item
  return typeof amount === "string" && typeof currency === "string" && Object.keys(others).length === 0
    ? [...(typeof name === "string" ? [name] : []), amount, currency].join(" ")
    : JSON.stringify(item)
}

/** Formats a value for a cell: null as an empty one, a list with semicolons between its items. */
const formatCell = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map(formatItem).join("; ")
  if (!isMembers(value)) return String(value)
  return Object.keys(value).length === 0 ? null : JSON.stringify(value)
}

/** Formats the cells of a row, one for each column. */
export const toCsvCells = (columns: ReadonlyArray<CellPath>, row: unknown): ReadonlyArray<string | null> =>
  columns.map((column) =>
    formatCell(column.reduce<unknown>((value, name) => (isMembers(value) ? value[name] : undefined), row))
  )

/** Formats the header line: the names of the columns. */
export const formatCsvHeader = (columns: ReadonlyArray<CellPath>): string =>
  writeCsvRows([columns.map((column) => column.join("."))])

/** Formats rows as lines of a CSV file. */
export const formatCsvLines = (columns: ReadonlyArray<CellPath>, rows: ReadonlyArray<unknown>): string =>
  writeCsvRows(rows.map((row) => toCsvCells(columns, row)))
