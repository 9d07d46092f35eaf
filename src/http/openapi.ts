/**
 * The OpenAPI 3.1 document: what `HttpApi` knows of the endpoints, and what their declarations add: headers, security, examples
 * and every answer an operation can give, each in the envelope.
 */
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { type AnyOperation, isKeyed } from "../engine/calls/operation.ts"
import { otherNames } from "../engine/input/member-names.ts"
import { listing } from "../engine/input/schemas.ts"
import { entries } from "../engine/operations.ts"
import { Api } from "./contract.ts"
import { exampleOf, resolved } from "./docs/example.ts"
import { ErrorMeta } from "./envelope.ts"
import { type Code, codes, wire } from "./errors.ts"

type Json = { [key: string]: any }

const requestId = "req_01j9z3k4m5n6p7q8r9s0t1v2w3"
const exampleMeta = { request_id: requestId, timestamp: "2026-01-31T09:30:00.000Z", version: "1" }

const requestIdHeader: Json = {
  description: "The same as meta.request_id.",
  schema: { type: "string" },
  example: requestId
}

/** The headers of responses, by name. */
const headers: Json = {
  "X-Request-Id": requestIdHeader,
  "Retry-After": { description: "Seconds.", schema: { type: "integer" } },
  ETag: { description: "The version, of one resource.", schema: { type: "string" } },
  "Idempotent-Replayed": {
    description: "`true` on a response that an earlier request with the same Idempotency-Key or reference was given.",
    schema: { type: "string", const: "true" }
  }
}

/** The headers of requests, by name. */
const requestHeaders: Json = {
  "X-Request-Id": {
    description: "Used unchanged if it matches the pattern; otherwise replaced.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,128}$" }
  },
  Prefer: {
    description:
      "`handling=strict` (RFC 7240) rejects unknown body members and query parameters, with `unknown_field` in meta.errors. " +
      "Default: they are ignored and named in meta.warnings.",
    schema: { type: "string", examples: ["handling=strict"] }
  },
  "Idempotency-Key": {
    description:
      "Within 24 hours, the same key with the same body returns the first response byte for byte and has no effect.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{8,255}$" }
  },
  "If-Match": {
    description:
      "The ETag of the version that you read. If the resource was modified since, the response is 409 `conflict`.",
    schema: { type: "string" }
  }
}

const componentKinds = ["schemas", "examples", "headers", "parameters", "responses"] as const

/** A reference to a component of the document. */
const component = (kind: (typeof componentKinds)[number], name: string): Json => ({
  $ref: `#/components/${kind}/${name}`
})

/** The codes of the refusals of an operation: those that its method and area imply, and those that it declares. */
export const codesOf = (operation: AnyOperation): ReadonlyArray<Code> => {
  const { area, method } = operation
  const all = new Set<Code>(["authentication_failed", "internal_error", ...operation.refusals])
  if (area !== "operator") {
    all.add("merchant_inactive")
    if (operation.role !== "viewer") all.add("forbidden")
  }
  // An unknown query parameter, with strict handling.
  all.add("invalid_input")
  if (operation.names.length > 0) all.add("not_found")
  if (method !== "GET") all.add("bad_request")
  if (method === "PATCH" || method === "DELETE") all.add("conflict")
  if (isKeyed(operation)) all.add("idempotency_conflict").add("idempotency_in_progress")
  if (operation.area !== "operator") all.add("rate_limited")
  return codes.filter((code) => all.has(code))
}

const failureExample = (code: Code, docs_url: string): Json => ({
  status: false,
  message: wire[code].about,
  code,
  data: null,
  meta: {
    ...exampleMeta,
    ...(code === "bad_request"
      ? {
          errors: [
            { field: "name", code: "required", message: "name is missing; it takes a string of 1 to 200 characters" }
          ]
        }
      : {}),
    next_steps: { action: wire[code].action, docs_url: `${docs_url}/errors/${code}` }
  }
})

const headersNamed = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, component("headers", name)]))

const failureOf = (status: number, of: ReadonlyArray<Code>): Json => ({
  description: of.map((code) => `\`${code}\`: ${wire[code].about}`).join(" "),
  headers: headersNamed(status === 429 || status === 500 ? ["X-Request-Id", "Retry-After"] : ["X-Request-Id"]),
  content: {
    "application/json": {
      schema: component("schemas", "Failure"),
      examples: Object.fromEntries(of.map((code) => [code, component("examples", code)]))
    }
  }
})

/** The failure responses of an operation, each a component that operations with the same codes at that status share. */
const failuresOf = (operation: AnyOperation, responses: Json): Json => {
  const byStatus = Map.groupBy(codesOf(operation), (code) => wire[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => {
      const name = [status, ...of].join(".")
      responses[name] ??= failureOf(status, of)
      return [String(status), component("responses", name)]
    })
  )
}

const nameIn = (schema: Json): string | undefined =>
  (schema["$ref"] as string | undefined)?.slice("#/components/schemas/".length)

const requestHeadersOf = (operation: AnyOperation): ReadonlyArray<string> => [
  "X-Request-Id",
  "Prefer",
  ...(isKeyed(operation) ? ["Idempotency-Key"] : []),
  ...(operation.method === "PATCH" || operation.method === "DELETE" ? ["If-Match"] : [])
]

/** What a query's member takes, as its schema says of itself for documents (`param`). */
const paramOf = (operation: AnyOperation, name: string): Json | undefined => {
  const ast = operation.method === "GET" ? operation.input?.ast : undefined
  if (ast?._tag !== "Objects") return undefined
  const annotations = ast.propertySignatures.find((member) => member.name === name)?.type.annotations
  return annotations?.["param"] as Json | undefined
}

/** A parameter of a path or a query. Those of every list are components; the others stand with their operation. */
const parameterOf = (operation: AnyOperation, { name, in: place, required, schema }: Json, document: Json): Json => {
  const inQuery = place === "query"
  const taken = (inQuery ? paramOf(operation, name) : undefined) ?? schema
  const { description } = resolved(taken, document)
  const parameter = {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    schema: taken
  }
  if (!inQuery || !(name in listing)) return parameter
  document["components"].parameters[name] ??= parameter
  return component("parameters", name)
}

/** What the envelope of a payload, or of a page of them, is called among the components; nothing where the payload has no name. */
const envelopeName = (envelope: Json): string | undefined => {
  const { data, meta } = envelope["properties"] as Json
  if (nameIn(meta) !== "ListMeta") return nameIn(data) && `${nameIn(data)}Response`
  return nameIn(data["items"]) && `${nameIn(data["items"])}ListResponse`
}

/** The success response of an operation. Operations that answer with the same payload share its envelope. */
const successOf = (operation: AnyOperation, envelope: Json, schemas: Json): Json => {
  const name = envelopeName(envelope)
  if (name !== undefined) schemas[name] ??= envelope
  return {
    description: "Success.",
    headers: headersNamed([
      "X-Request-Id",
      ...(operation.method === "GET" ? ["ETag"] : []),
      ...(isKeyed(operation) ? ["Idempotent-Replayed"] : [])
    ]),
    content: { "application/json": { schema: name === undefined ? envelope : component("schemas", name) } }
  }
}

/** The members of a body that a request may call by another name: all of the names are shown, and what they stand for. */
const withOtherNames = (schema: Json, shapes: ReturnType<typeof otherNames>): void => {
  const among = (schema["anyOf"] as Array<Json> | undefined) ?? [schema]
  for (const [at, members] of shapes.entries()) {
    const one = among[at]
    if (one === undefined) continue
    for (const { name, alsoNamed } of members) {
      const names = [name, ...alsoNamed]
      const description = `${names.map((each) => `\`${each}\``).join(" and ")} are names of one member. One of them is required.`
      for (const each of names) one["properties"][each] = { ...one["properties"][name], description }
      one["required"] = (one["required"] as Array<string>).filter((required) => required !== name)
    }
  }
}

const securityOf = (operation: AnyOperation): ReadonlyArray<Json> => [
  operation.area === "operator" ? { operatorToken: [] } : { apiKey: [] }
]

/**
 * Unknown members are ignored in requests, with a warning, and may be added to answers, so no object is closed; and a choice of one is
 * that one.
 */
const open = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(open) as A
  if (typeof value !== "object" || value === null) return value
  const { anyOf, ...rest } = value as Json
  if (Array.isArray(anyOf) && anyOf.length === 1) return open({ ...anyOf[0], ...rest }) as A
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !(key === "additionalProperties" && member === false))
      .map(([key, member]) => [key, open(member)])
  ) as A
}

/** Without the components that nothing refers to: `HttpApi` names a schema for each status a failure has. */
const pruned = (document: Json): Json => {
  const text = JSON.stringify(document)
  const unused = componentKinds.flatMap((kind) => {
    const named = document["components"][kind] as Json
    return Object.keys(named).flatMap((name) =>
      text.includes(`"#/components/${kind}/${name}"`) ? [] : [{ named, name }]
    )
  })
  if (unused.length === 0) return document
  for (const { named, name } of unused) delete named[name]
  return pruned(document)
}

/** The document of everything this process serves; `/sandbox` is left out of `live`. */
export const openApi = (options: {
  readonly base_url: string
  readonly docs_url: string
  readonly environment: "test" | "live"
}): Json => {
  const { base_url, docs_url, environment } = options
  const document = OpenApi.fromApi(Api) as unknown as Json
  document["openapi"] = "3.1.0"
  document["info"].license = { name: "Apache 2.0", identifier: "Apache-2.0" }
  document["servers"] = [{ url: base_url, description: environment }]
  document["components"].securitySchemes = {
    apiKey: { type: "http", scheme: "bearer", description: `A merchant's API key, sk_${environment}_…` },
    operatorToken: { type: "http", scheme: "bearer", description: "The operator's token." }
  }
  const components = document["components"] as Json
  components["examples"] = Object.fromEntries(
    codes.map((code) => [code, { summary: wire[code].about, value: failureExample(code, docs_url) }])
  )
  components["headers"] = headers
  components["parameters"] = Object.fromEntries(
    Object.entries(requestHeaders as Record<string, Json>).map(([name, header]) => [
      name,
      { name, in: "header", ...header }
    ])
  )
  components["responses"] = {}
  components["schemas"]["ErrorMeta"] ??= Schema.toJsonSchemaDocument(ErrorMeta).definitions["ErrorMeta"]
  for (const { operation: declared } of entries) {
    const path = declared.path.replace(/:(\w+)/g, "{$1}")
    if (environment === "live" && declared.area === "sandbox") {
      delete document["paths"][path]
      continue
    }
    const operation = document["paths"][path][declared.method.toLowerCase()] as Json
    operation["security"] = securityOf(declared)
    if (operation["description"] === operation["summary"]) delete operation["description"]
    operation["parameters"] = [
      ...(operation["parameters"] as Array<Json>).map((parameter) => parameterOf(declared, parameter, document)),
      ...requestHeadersOf(declared).map((name) => component("parameters", name))
    ]
    operation["responses"] = {
      "200": successOf(
        declared,
        operation["responses"]["200"].content["application/json"].schema,
        components["schemas"]
      ),
      ...failuresOf(declared, components["responses"])
    }
    const body = operation["requestBody"]?.content?.["application/json"] as Json | undefined
    if (body !== undefined) {
      if (declared.input !== undefined) withOtherNames(body["schema"] as Json, otherNames(declared.input.ast))
      const named = Object.entries(declared.examples).map(([name, value]) => [name, { value }])
      body["examples"] =
        named.length > 0 ? Object.fromEntries(named) : { request: { value: exampleOf(body["schema"], document) } }
      operation["requestBody"].required = declared.method !== "DELETE"
    }
  }
  return pruned(open(document))
}
