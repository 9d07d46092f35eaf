/**
 * Examples generated from schemas: of request bodies in the OpenAPI document, and of responses on the documentation page. The
 * script of the page contains the text of these functions, so they use only their arguments and each other.
 */
export type DocumentNode = { [key: string]: any }

/** Resolves the references of a node of the document. */
export const resolveRef = (node: DocumentNode | undefined, document: DocumentNode): DocumentNode => {
  const ref = node?.["$ref"] as string | undefined
  if (ref === undefined) return node ?? {}
  const names = ref.split("/").slice(1)
  return resolveRef(
    names.reduce((at, name) => at[name], document),
    document
  )
}

/** Makes a value that is valid for a schema: the schema's example, or else a value generated from its parts. */
export const makeExample = (given: DocumentNode | undefined, document: DocumentNode, depth = 0): unknown => {
  const schema = resolveRef(given, document)
  if (depth > 12) return null
  // An example beside a reference is that of the member, and precedes that of its schema.
  const examples = given?.["examples"] ?? schema["examples"]
  if (examples?.length > 0) return examples[0]
  if (schema["const"] !== undefined) return schema["const"]
  if (schema["enum"] !== undefined) return schema["enum"][0]
  const among = schema["anyOf"] ?? schema["oneOf"]
  if (among !== undefined) return makeExample(among[0], document, depth + 1)
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema["properties"] ?? {}) as DocumentNode).map(([key, member]) => [
          key,
          makeExample(member, document, depth + 1)
        ])
      )
    case "array":
      return (schema["prefixItems"] ?? [schema["items"]]).map((item: DocumentNode) =>
        makeExample(item, document, depth + 1)
      )
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
