/** The columns of a list as CSV, by the schema of its rows (CSV-2). */
import type { Schema, SchemaAST } from "effect"
import { writeCsvRows } from "../../statements/csv/write.ts"

/** Where a cell is in a row: the names of members, from the outside in. */
export type CellPath = ReadonlyArray<string>

/** Members of members deeper than this are one cell. */
const DEPTH_MAX = 3

/** The structs that a schema can be: more than one for a member of several shapes, such as the details of an account. */
const structsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.Objects> => {
  if (ast._tag === "Union") return ast.types.flatMap(structsOf)
  return ast._tag === "Objects" && ast.propertySignatures.length > 0 ? [ast] : []
}

const columnsIn = (ast: SchemaAST.AST, path: CellPath): ReadonlyArray<CellPath> => {
  const members = new Map<string, Array<SchemaAST.AST>>()
  for (const { propertySignatures } of path.length > DEPTH_MAX ? [] : structsOf(ast))
    for (const { name, type } of propertySignatures)
      members.set(String(name), [...(members.get(String(name)) ?? []), type])
  if (members.size === 0) return [path]
  return [...members].flatMap(([name, types]) => {
    const columns = types.flatMap((type) => columnsIn(type, [...path, name]))
    return [...new Map(columns.map((column) => [column.join("."), column])).values()]
  })
}

export const csvColumnsOf = ({ ast }: Schema.Top): ReadonlyArray<CellPath> => columnsIn(ast, [])

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An item of a list in one cell: an amount as people write it, what is a text as it is, anything else as JSON. */
const itemText = (item: unknown): string => {
  if (!isMembers(item)) return String(item)
  const { amount, currency, name, ...others } = item
  return typeof amount === "string" && typeof currency === "string" && Object.keys(others).length === 0
    ? [...(typeof name === "string" ? [name] : []), amount, currency].join(" ")
    : JSON.stringify(item)
}

/** The cell of a value: empty for null, the items of a list with a semicolon between them. */
const cellText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map(itemText).join("; ")
  if (!isMembers(value)) return String(value)
  return Object.keys(value).length === 0 ? null : JSON.stringify(value)
}

export const csvCellsOf = (columns: ReadonlyArray<CellPath>, row: unknown): ReadonlyArray<string | null> =>
  columns.map((column) =>
    cellText(column.reduce<unknown>((value, name) => (isMembers(value) ? value[name] : undefined), row))
  )

/** The line with the names of the columns. */
export const csvHeader = (columns: ReadonlyArray<CellPath>): string =>
  writeCsvRows([columns.map((column) => column.join("."))])

/** Rows as lines of the file. */
export const csvLines = (columns: ReadonlyArray<CellPath>, rows: ReadonlyArray<unknown>): string =>
  writeCsvRows(rows.map((row) => csvCellsOf(columns, row)))
