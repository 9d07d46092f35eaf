/**
 * Bodies that are stored inside the data of another resource, as they were when it was created. The rows of earlier releases have
 * them without the members that were added since (CONTRIBUTING.md, Adding a field).
 */
import type { Schema } from "effect"

/** Whether a member may be null. */
const mayBeNull = ({ ast }: Schema.Struct.Fields[string]): boolean =>
  ast._tag === "Union" && ast.types.some(({ _tag }) => _tag === "Null") && ast.context?.isOptional !== true

/**
 * Shows a stored body as its schema is today. A member that it was stored without is null where it may be, and otherwise absent.
 * Members that the schema does not have any more are left out. A body that is so already is shown as it is, without a copy.
 */
export const fitToSchema = <F extends Schema.Struct.Fields>({ fields }: Schema.Struct<F>) => {
  const members = Object.entries(fields as Schema.Struct.Fields).map(([name, schema]) => ({
    name,
    isNullable: mayBeNull(schema)
  }))
  /** Whether a body has every member in the order of the schema, and no other. */
  const isShown = (found: Readonly<Record<string, unknown>>): boolean => {
    let at = 0
    for (const name in found) if (found[name] === undefined || members[at++]?.name !== name) return false
    return at === members.length
  }
  return (stored: object): Schema.Struct<F>["Type"] => {
    const found = stored as Readonly<Record<string, unknown>>
    if (isShown(found)) return found as Schema.Struct<F>["Type"]
    const shown: Record<string, unknown> = {}
    for (const { isNullable, name } of members) {
      const value = found[name]
      if (value !== undefined) shown[name] = value
      else if (isNullable) shown[name] = null
    }
    return shown as Schema.Struct<F>["Type"]
  }
}
