/** CSV files in requests: read as the files of banks are, and refused in the same words (STATEMENT-17). */
import { Result, type Schema, type SchemaAST } from "effect"
import { type CsvTable, readTable, decodeTable } from "../../statements/csv/table.ts"
import { writeCsvRows } from "../../statements/csv/write.ts"
import { UnreadableStatement } from "../../statements/statement.ts"
import { BadRequest, makeFieldRefusal } from "../ports/errors.ts"

const parsePart = <A>(name: string, is: string, of: () => A): Result.Result<A, BadRequest> =>
  Result.try({
    try: of,
    catch: (fault) => {
      if (!(fault instanceof UnreadableStatement)) throw fault
      const { found, message, place, taken } = fault
      const refusal = makeFieldRefusal(name, "invalid_format", `${is}: ${message}.`)
      return new BadRequest({ ...refusal, errors: refusal.errors.map((one) => ({ ...one, place, found, taken })) })
    }
  })

/** The text of a body, in the encoding of its byte order mark, else in that of its content type, else in UTF-8. */
export const decodeCsv = (bytes: Uint8Array, charset?: string): Result.Result<string, BadRequest> =>
  parsePart("body", "The body is not a CSV file", () => decodeTable(bytes, charset))

/** The table of a text. `name`: the member that has it, and `is`: what the refusal says that it is not. */
export const parseCsv = (text: string, name: string, is: string): Result.Result<CsvTable, BadRequest> =>
  parsePart(name, is, () => readTable(text))

/** The table of the bytes of a file, by their byte order mark or in UTF-8. */
export const parseCsvBytes = (bytes: Uint8Array, name: string, is: string): Result.Result<CsvTable, BadRequest> =>
  parsePart(name, is, () => readTable(decodeTable(bytes)))

// The columns of a list as CSV, by the schema of its rows (CSV-2).

/** Where a cell is in a row: the names of members, from the outside in. */
type CellPath = ReadonlyArray<string>

/** Members of members deeper than this are one cell. */
const DEPTH_MAX = 3

/** The structs that a schema can be: more than one for a member of several shapes, such as the details of an account. */
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

/** The cell of a value: empty for null, the items of a list with a semicolon between them. */
const formatCell = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map(formatItem).join("; ")
  if (!isMembers(value)) return String(value)
  return Object.keys(value).length === 0 ? null : JSON.stringify(value)
}

/** The cells of a row to write, by their columns. */
export const toCsvCells = (columns: ReadonlyArray<CellPath>, row: unknown): ReadonlyArray<string | null> =>
  columns.map((column) =>
    formatCell(column.reduce<unknown>((value, name) => (isMembers(value) ? value[name] : undefined), row))
  )

/** The line with the names of the columns. */
export const formatCsvHeader = (columns: ReadonlyArray<CellPath>): string =>
  writeCsvRows([columns.map((column) => column.join("."))])

/** Rows as lines of the file. */
export const formatCsvLines = (columns: ReadonlyArray<CellPath>, rows: ReadonlyArray<unknown>): string =>
  writeCsvRows(rows.map((row) => toCsvCells(columns, row)))
