/** The OpenAPI document and the guides, as the pages show them. */
import { makeExample, resolveRef } from "../../http/docs/example.ts"

/** A node of the document. */
export type Json = { readonly [key: string]: any }

export interface Guide {
  /** Its path below `/docs`: `guides/quickstart`, `questions/pay-again`. */
  readonly name: string
  readonly group: string
  readonly title: string
  readonly summary: string
  /** Built from the guide's Markdown. */
  readonly html: string
  /** What stands below each heading. The first has no id: it stands below the title. */
  readonly sections: ReadonlyArray<{ readonly id: string; readonly title: string; readonly text: string }>
}

export interface DocumentedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly node: Json
}

/** An event type: a webhook of the document. */
export interface EventType {
  /** `offramp.success` */
  readonly type: string
  readonly category: string
  readonly node: Json
}

export interface ApiReference {
  readonly spec: Json
  readonly guides: ReadonlyArray<Guide>
  readonly operations: ReadonlyArray<DocumentedOperation>
  readonly events: ReadonlyArray<EventType>
}

/** The path of the documentation, with a trailing slash. The server may be mounted at any path. */
export const docsBase = new URL("./docs/", new URL("..", import.meta.url)).pathname

/** The root of the service, with a trailing slash. */
export const root = new URL("..", import.meta.url)

export const makeDocsUrl = (path: string): string => `${docsBase.slice(0, -1)}${path === "" ? "" : `/${path}`}`

export const listOperations = (spec: Json): ReadonlyArray<DocumentedOperation> =>
  Object.entries<Json>(spec["paths"]).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, node]) => ({
      id: node["operationId"],
      method: method.toUpperCase(),
      path,
      tag: node["tags"][0],
      summary: node["summary"],
      node
    }))
  )

export const listEventTypes = (spec: Json): ReadonlyArray<EventType> =>
  Object.entries<Json>(spec["webhooks"] ?? {}).map(([type, { post }]) => ({
    type,
    category: type.split(".")[0]!,
    node: post
  }))

/** Loads the API reference. Errors: rejects when the server does not answer. */
export const loadReference = async (): Promise<ApiReference> => {
  const read = async (url: URL): Promise<any> => {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`)
    return response.json()
  }
  const [spec, guides] = await Promise.all([
    read(new URL("openapi.json", root)),
    read(new URL("docs/guides.json", root))
  ])
  return { spec, guides, operations: listOperations(spec), events: listEventTypes(spec) }
}

/** Resolves the references of a node of the document. */
export const resolveReference = (spec: Json, node: Json | undefined): Json => resolveRef(node, spec)

export const makeSchemaExample = (spec: Json, schema: Json): unknown => makeExample(schema, spec)

/** Describes the types of a schema: `string (date-time) | null`. */
export const describeType = (spec: Json, schema: Json): string => {
  const found = resolveReference(spec, schema)
  if (found["const"] !== undefined) return JSON.stringify(found["const"])
  if (found["enum"] !== undefined) return found["enum"].map((value: unknown) => JSON.stringify(value)).join(" | ")
  const among = (found["anyOf"] ?? found["oneOf"]) as ReadonlyArray<Json> | undefined
  if (among !== undefined) return [...new Set(among.map((one) => describeType(spec, one)))].join(" | ")
  if (found["type"] === "array") return `array of ${describeType(spec, found["items"] ?? {})}`
  const { format, maxLength } = found
  return `${found["type"] ?? "any"}${format === undefined ? "" : ` (${format})`}${maxLength === undefined ? "" : `, at most ${maxLength} characters`}`
}

export interface Member {
  readonly name: string
  readonly schema: Json
  readonly isRequired: boolean
}

/**
 * Lists the members of an object, or of the items of an array of objects. For alternatives, it lists the members of all of them.
 * Of several schemas that apply together, a later one adds to the members of an earlier one.
 */
export const listMembers = (spec: Json, schema: Json, depth = 0): ReadonlyArray<Member> => {
  const found = resolveReference(spec, schema)
  if (depth > 6) return []
  if (found["type"] === "array") return listMembers(spec, found["items"] ?? {}, depth + 1)
  const among = (found["anyOf"] ?? found["oneOf"]) as ReadonlyArray<Json> | undefined
  if (among !== undefined) {
    const members = new Map(
      among.flatMap((one) => listMembers(spec, one, depth + 1)).map((member) => [member.name, member])
    )
    return [...members.values()]
  }
  const all = found["allOf"] as ReadonlyArray<Json> | undefined
  if (all !== undefined) {
    const members = new Map<string, Member>()
    for (const member of all.flatMap((one) => listMembers(spec, one, depth + 1)))
      members.set(member.name, {
        ...member,
        isRequired: member.isRequired || members.get(member.name)?.isRequired === true
      })
    return [...members.values()]
  }
  const required = new Set<string>(found["required"] ?? [])
  return Object.entries<Json>(found["properties"] ?? {}).map(([name, member]) => ({
    name,
    schema: member,
    isRequired: required.has(name)
  }))
}

export const readBodySchema = ({ node }: Pick<DocumentedOperation, "node">): Json | undefined =>
  node["requestBody"]?.content?.["application/json"]

/** Reads the example body of an operation or an event: the first in the document. */
export const readExampleBody = (operation: Pick<DocumentedOperation, "node">): unknown => {
  const [first] = Object.values<Json>(readBodySchema(operation)?.["examples"] ?? {})
  return first?.["value"]
}

export interface Parameter {
  readonly name: string
  readonly place: "path" | "query" | "header"
  readonly isRequired: boolean
  readonly description: string | undefined
  readonly schema: Json
}

export const listParameters = (spec: Json, { node }: Pick<DocumentedOperation, "node">): ReadonlyArray<Parameter> =>
  ((node["parameters"] ?? []) as ReadonlyArray<Json>)
    .map((one) => resolveReference(spec, one))
    .map((one) => ({
      name: one["name"],
      place: one["in"],
      isRequired: one["required"] === true,
      description: one["description"],
      schema: one["schema"] ?? {}
    }))

export const isOperator = ({ path }: DocumentedOperation): boolean => path.startsWith("/operator/")
