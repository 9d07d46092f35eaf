/**
 * Examples made from schemas: of request bodies in the document, and of responses on the page that shows it. The page's
 * script has these functions as text, so each uses nothing but its arguments and the other.
 */
type Json = { [key: string]: any }

/** A node of the document, its references followed. */
export const resolved = (node: Json | undefined, document: Json): Json => {
  const ref = node?.["$ref"] as string | undefined
  if (ref === undefined) return node ?? {}
  const names = ref.split("/").slice(1)
  return resolved(
    names.reduce((at, name) => at[name], document),
    document
  )
}

/** A value that a schema takes: its own example where it has one, else made of its parts. */
export const exampleOf = (given: Json | undefined, document: Json, depth = 0): unknown => {
  const schema = resolved(given, document)
  if (depth > 12) return null
  if (schema["examples"]?.length > 0) return schema["examples"][0]
  if (schema["const"] !== undefined) return schema["const"]
  if (schema["enum"] !== undefined) return schema["enum"][0]
  const among = schema["anyOf"] ?? schema["oneOf"]
  if (among !== undefined) return exampleOf(among[0], document, depth + 1)
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema["properties"] ?? {}) as Json).map(([key, member]) => [
          key,
          exampleOf(member, document, depth + 1)
        ])
      )
    case "array":
      return (schema["prefixItems"] ?? [schema["items"]]).map((item: Json) => exampleOf(item, document, depth + 1))
    case "boolean":
      return true
    case "integer":
    case "number":
      return schema["minimum"] ?? 1
    case "null":
      return null
    default:
      return "string"
  }
}
