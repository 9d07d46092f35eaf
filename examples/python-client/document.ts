/**
 * The OpenAPI document in the form of version 3.0, for generators that do not read 3.1. What a generator cannot express is left
 * out: the service checks each request itself.
 */
type Json = { [key: string]: any }

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const isNull = (schema: unknown): boolean => isObject(schema) && schema["type"] === "null"
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A schema that also accepts null. A reference takes no other members in 3.0. */
const nullable = (schema: Json, rest: Json): Json =>
  schema["$ref"] === undefined ? { ...schema, ...rest, nullable: true } : { ...rest, allOf: [schema], nullable: true }

const schemaOf = (given: Json): Json => {
  // `format: byte` says in 3.0 what `contentEncoding: base64` does in 3.1.
  const { anyOf, const: only, contentEncoding: _base64, examples, not: _, pattern, prefixItems, ...schema } = given
  if (only !== undefined) schema["enum"] = [only]
  if (Array.isArray(examples)) schema["example"] = examples[0]
  // The examples of a body have names.
  else if (examples !== undefined) schema["examples"] = examples
  // Patterns are regular expressions of JavaScript.
  if (typeof pattern === "object") schema["pattern"] = pattern
  if (prefixItems !== undefined) schema["items"] = {}
  // Generators write `true` where the language has `True`.
  if (schema["type"] === "boolean") delete schema["enum"]
  if (isObject(schema["properties"])) {
    const members = schema["properties"]
    // A member with two names would be two arguments of one name.
    schema["properties"] = Object.fromEntries(
      Object.entries(members).filter(([name]) => snake(name) === name || members[snake(name)] === undefined)
    )
  }
  if (anyOf === undefined) return schema
  const among = (anyOf as ReadonlyArray<Json>).filter((one) => !isNull(one))
  if (among.length === 1) return nullable(schemaOf(among[0]!), schema)
  // One of several types is any type: the value is passed on as it is.
  return { ...schema, type: "object", ...(among.length < anyOf.length ? { nullable: true } : {}) }
}

const converted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(converted)
  if (!isObject(value)) return value
  if (isNull(value)) return { type: "object", nullable: true }
  const members = Object.entries(schemaOf(value)).map(([name, member]) => {
    if (name === "example" || name === "value") return [name, member]
    // A schema may have a member of any name, `value` among them.
    return [name, name === "properties" && isObject(member) ? mapped(member, converted) : converted(member)]
  })
  return Object.fromEntries(members)
}

const mapped = (members: Json, each: (member: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, each(member)]))

/** Gives each body of a request a name, which is then the name of its type. */
const named = (document: Json): void => {
  for (const item of Object.values(document["paths"] as Json))
    for (const operation of Object.values(item as Json)) {
      const content = operation["requestBody"]?.content["application/json"]
      if (content === undefined || content.schema["$ref"] !== undefined) continue
      const id = operation["operationId"] as string
      const name = `${id[0]!.toUpperCase()}${id.slice(1)}Input`
      document["components"].schemas[name] = { type: "object", ...content.schema }
      content.schema = { $ref: `#/components/schemas/${name}` }
    }
}

export const inVersion30 = (document: Json): Json => {
  const { webhooks: _, ...rest } = structuredClone(document)
  named(rest)
  const { identifier: _id, ...license } = rest["info"].license
  const old = converted({ ...rest, openapi: "3.0.3" }) as Json
  old["info"] = { ...rest["info"], license }
  return old
}
