/**
 * The OpenAPI 3.1 document. `HttpApi` supplies the endpoints. The declarations of the operations add headers, security,
 * examples and all responses.
 */
import { Schema, type SchemaAST } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import {
  type AnyOperation,
  canDryRun,
  DryRunQuery,
  formatNameOf,
  isKeyed,
  takesVersion
} from "../engine/calls/operation.ts"
import { listOtherNames } from "../engine/input/validation.ts"
import { listing } from "../engine/input/schemas.ts"
import { entries } from "../engine/operations.ts"
import { Api } from "./contract.ts"
import { makeExample, resolveRef } from "./docs/example.ts"
import { addWholeExamples } from "./docs/whole-examples.ts"
import { ErrorMeta, wire } from "./envelope.ts"
import { type Code, codes, statuses } from "../engine/calls/codes.ts"
import { addWebhooks } from "./webhooks-document.ts"

type Json = { [key: string]: any }

const requestId = "req_01j9z3k4m5n6p7q8r9s0t1v2w3"
const exampleMeta = { request_id: requestId, timestamp: "2026-01-31T09:30:00.000Z", version: "1" }

const requestIdHeader: Json = {
  description: "Equal to meta.request_id.",
  schema: { type: "string" },
  example: requestId
}

const headers: Json = {
  "X-Request-Id": requestIdHeader,
  "Retry-After": { description: "Seconds to wait before a retry.", schema: { type: "integer", examples: [2] } },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string", const: "Bearer" } },
  ETag: {
    description: "The version of the resource, and a digest of what is shown of it.",
    schema: { type: "string", examples: ['"3-9f2b41c07d5e6a80"'] }
  },
  "Idempotent-Replayed": {
    description: "`true` if the response is that of an earlier request with the same Idempotency-Key or reference.",
    schema: { type: "string", const: "true" }
  }
}

const requestHeaders: Json = {
  "X-Request-Id": {
    description: "Your own id of the request. Used unchanged if it matches the pattern; otherwise replaced.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,128}$", examples: ["checkout-7f3a"] }
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
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{8,255}$", examples: ["invoice-1042"] }
  },
  "If-Match": {
    description:
      "The ETag of the version that you read, or a list of them. If the resource was modified since, the response is 409 `conflict`.",
    schema: { type: "string", examples: ['"3"'] }
  }
}

const componentKinds = ["schemas", "examples", "headers", "parameters", "responses"] as const

const refer = (kind: (typeof componentKinds)[number], name: string): Json => ({
  $ref: `#/components/${kind}/${name}`
})

/** Lists the error codes of an operation: those that its method and area imply, and those that it declares. */
export const listCodes = (operation: AnyOperation): ReadonlyArray<Code> => {
  const { area, method } = operation
  const all = new Set<Code>(["authentication_failed", "internal_error", ...operation.refusals])
  if (area !== "operator") all.add("merchant_inactive")
  if (operation.role !== "viewer") all.add("forbidden")
  // An unknown query parameter, with strict handling.
  all.add("invalid_input")
  if (operation.names.length > 0) all.add("not_found")
  if (method !== "GET") all.add("bad_request")
  if (takesVersion(operation)) all.add("conflict")
  if (isKeyed(operation)) all.add("idempotency_conflict").add("idempotency_in_progress")
  // An operator's call too, until its token is known to the node.
  all.add("rate_limited")
  return codes.filter((code) => all.has(code))
}

const makeFailureExample = (code: Code, docs_url: string): Json => ({
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

const referToHeaders = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, refer("headers", name)]))

/** What failures of a status have besides. */
const headersOf: Readonly<Record<number, ReadonlyArray<string>>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  500: ["Retry-After"]
}

const makeFailureResponse = (status: number, of: ReadonlyArray<Code>): Json => ({
  description: of.map((code) => `\`${code}\`: ${wire[code].about}`).join(" "),
  headers: referToHeaders(["X-Request-Id", ...(headersOf[status] ?? [])]),
  content: {
    "application/json": {
      schema: refer("schemas", "Failure"),
      examples: Object.fromEntries(of.map((code) => [code, refer("examples", code)]))
    }
  }
})

const readSchemaName = (schema: Json): string | undefined =>
  (schema["$ref"] as string | undefined)?.slice("#/components/schemas/".length)

const readAnnotations = (ast: SchemaAST.AST | undefined): Json => {
  const { description, examples } = (ast?.context?.annotations ?? {}) as Json
  return { ...(description === undefined ? {} : { description }), ...(examples === undefined ? {} : { examples }) }
}

/** Makes the query parameter of a call that can be a dry run. */
const makeDryRunParameter = (): Json => {
  const { description } = readAnnotations(DryRunQuery.fields.dry_run.ast)
  return { name: "dry_run", in: "query", description, schema: { type: "string", enum: ["true", "false"] } }
}

const findInputMember = (operation: AnyOperation, name: string): SchemaAST.AST | undefined => {
  const ast = operation.method === "GET" ? operation.input?.ast : undefined
  return ast?._tag === "Objects" ? ast.propertySignatures.find((member) => member.name === name)?.type : undefined
}

/** Makes a path or query parameter. The parameters of all lists are components; the others are inline. */
const makeParameter = (operation: AnyOperation, generated: Json, document: Json): Json => {
  const { name, in: place, required, schema } = generated
  const inQuery = place === "query"
  // The schema of a parameter: of its annotation `param` or as generated, with the words of the member.
  const ast = place === "path" ? operation.params[name]?.ast : findInputMember(operation, name)
  const param = (ast?.annotations?.["param"] as Json | undefined) ?? (schema as Json)
  const { description, ...shownSchema } = allowUnknownMembers({ ...param, ...readAnnotations(ast) })
  const parameter = {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    schema: shownSchema
  }
  if (!inQuery || !(name in listing)) return parameter
  document["components"].parameters[name] ??= parameter
  return refer("parameters", name)
}

/** The component name of the envelope of a payload or a list; `undefined` if the payload has no name. */
const nameEnvelope = (envelope: Json): string | undefined => {
  const { data, meta } = envelope["properties"] as Json
  if (readSchemaName(meta) !== "ListMeta") return readSchemaName(data) && `${readSchemaName(data)}Response`
  return readSchemaName(data["items"]) && `${readSchemaName(data["items"])}ListResponse`
}

/** Makes the query parameter that chooses the format of a list, unless its operation has formats of its own. */
const makeFormatParameter = (name: string): Json => ({
  name,
  in: "query",
  description:
    "`csv`: all that match, at most 100,000 rows, as a file instead of a page; so does `Accept: text/csv`. Default: `json`.",
  schema: { type: "string", enum: ["json", "csv"] }
})

/** Makes the success response of an operation. Operations with the same payload share the envelope. */
const makeSuccessResponse = (operation: AnyOperation, envelope: Json, schemas: Json): Json => {
  const name = nameEnvelope(envelope)
  if (name !== undefined) schemas[name] ??= envelope
  return {
    description: "Success.",
    headers: referToHeaders([
      "X-Request-Id",
      ...(operation.method === "GET" ? ["ETag"] : []),
      ...(isKeyed(operation) ? ["Idempotent-Replayed"] : [])
    ]),
    content: {
      "application/json": { schema: name === undefined ? envelope : refer("schemas", name) },
      // Every list is also a CSV file (CSV-1).
      ...Object.fromEntries(
        Object.entries(operation.list ? { csv: "text/csv", ...operation.formats } : operation.formats).map(
          ([format, type]) => {
            const description = `The file, without an envelope, where \`format\` is \`${format}\`.`
            return [type, { schema: { type: "string", description } }]
          }
        )
      )
    }
  }
}

/** Adds the descriptions of members that are decoded from another type: Effect keeps them on the decoded side. */
const addDescriptions = (schema: Json, ast: SchemaAST.AST): void => {
  if (ast._tag !== "Objects") return
  for (const { name, type } of ast.propertySignatures) {
    if (type.encoding !== undefined) Object.assign(schema["properties"][name], readAnnotations(type))
  }
}

/** Adds the alternative names of members to the schema of a request body. */
const addOtherNames = (schema: Json, shapes: ReturnType<typeof listOtherNames>): void => {
  const among = (schema["anyOf"] as Array<Json> | undefined) ?? [schema]
  for (const [at, members] of shapes.entries()) {
    const shape = among[at]
    if (shape === undefined) continue
    for (const { name, alsoNamed } of members) {
      const names = [name, ...alsoNamed]
      const member = allowUnknownMembers(shape["properties"][name] as Json)
      const description = `${member["description"]} ${names.map((each) => `\`${each}\``).join(" and ")} are names of one member; one of them is required.`
      for (const each of names) shape["properties"][each] = { ...member, description }
      shape["required"] = (shape["required"] as Array<string>).filter((required) => required !== name)
    }
  }
}

const isAnnotation = (schema: Json): boolean =>
  Object.keys(schema).every((key) => key === "description" || key === "examples")

/**
 * Removes `additionalProperties: false`, because requests may have unknown members and later versions may add members to
 * responses. Replaces an `anyOf` of one schema with that schema. Moves the words of a member, which Effect puts beside its
 * schema in an `allOf`, into the schema.
 */
const allowUnknownMembers = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(allowUnknownMembers) as A
  if (typeof value !== "object" || value === null) return value
  const { allOf = [], ...schema } = value as Json
  const words = (allOf as ReadonlyArray<Json>).filter(isAnnotation)
  if (words.length > 0) {
    const [inner = {}, ...others] = (allOf as ReadonlyArray<Json>).filter((member) => !isAnnotation(member))
    return allowUnknownMembers(
      Object.assign({}, ...(others.length === 0 ? [inner] : [{ allOf: [inner, ...others] }]), schema, ...words)
    )
  }
  const { anyOf, ...rest } = value as Json
  if (Array.isArray(anyOf) && anyOf.length === 1) return allowUnknownMembers({ ...anyOf[0], ...rest }) as A
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !(key === "additionalProperties" && member === false))
      .map(([key, member]) => [key, allowUnknownMembers(member)])
  ) as A
}

/** Removes unused components: `HttpApi` generates a failure schema for each status. */
const pruneComponents = (document: Json): Json => {
  const used = new Set<string>(JSON.stringify(document).match(/#\/components\/[^"]+/g))
  const unused = componentKinds.flatMap((kind) => {
    const named = document["components"][kind] as Json
    return Object.keys(named).flatMap((name) => (used.has(`#/components/${kind}/${name}`) ? [] : [{ named, name }]))
  })
  if (unused.length === 0) return document
  for (const { named, name } of unused) delete named[name]
  return pruneComponents(document)
}

/** Generates the document of `HttpApi`, one group in each step. */
function* generateDocument(): Generator<void, Json> {
  const whole = { paths: {}, components: { schemas: {} }, tags: [] } as Json
  for (const group of Object.values(Api.groups)) {
    const of = HttpApi.make(Api.identifier).add(group).annotateMerge(Api.annotations)
    const { components, info, paths, tags, ...rest } = OpenApi.fromApi(of) as unknown as Json
    for (const [path, item] of Object.entries(paths as Json))
      whole["paths"][path] = Object.assign(whole["paths"][path] ?? {}, item)
    Object.assign(whole["components"].schemas, components.schemas)
    Object.assign(whole, rest, { info, tags: [...whole["tags"], ...tags] })
    yield
  }
  return whole
}

export interface OpenApiOptions {
  readonly base_url: string
  readonly docs_url: string
  readonly environment: "test" | "live"
}

/**
 * Generates the OpenAPI document of all operations in steps of some milliseconds: a server serves other requests between them. In
 * `live`, the document omits `/sandbox`.
 */
export function* generateOpenApi({ base_url, docs_url, environment }: OpenApiOptions): Generator<void, Json> {
  const document = yield* generateDocument()
  document["openapi"] = "3.1.0"
  document["info"].license = { name: "Apache 2.0", identifier: "Apache-2.0" }
  document["servers"] = [{ url: base_url, description: environment }]
  document["components"].securitySchemes = {
    apiKey: { type: "http", scheme: "bearer", description: `The API key of a merchant, sk_${environment}_…` },
    operatorToken: {
      type: "http",
      scheme: "bearer",
      description: "The token of an operator, or the configured operator token."
    }
  }
  const components = document["components"] as Json
  components["examples"] = Object.fromEntries(
    codes.map((code) => [code, { summary: wire[code].about, value: makeFailureExample(code, docs_url) }])
  )
  components["headers"] = headers
  components["parameters"] = Object.fromEntries(
    Object.entries(requestHeaders as Record<string, Json>).map(([name, header]) => [
      name,
      { name, in: "header", ...header }
    ])
  )
  components["parameters"]["dry_run"] = makeDryRunParameter()
  for (const name of ["format", "list_format"]) components["parameters"][name] = makeFormatParameter(name)
  components["responses"] = {}
  components["schemas"]["ErrorMeta"] ??= Schema.toJsonSchemaDocument(ErrorMeta).definitions["ErrorMeta"]
  for (const { operation: declared } of entries) {
    const path = declared.path.replace(/:(\w+)/g, "{$1}")
    if (environment === "live" && declared.area === "sandbox") {
      delete document["paths"][path]
      continue
    }
    const operation = document["paths"][path][declared.method.toLowerCase()] as Json
    operation["security"] = [declared.area === "operator" ? { operatorToken: [] } : { apiKey: [] }]
    if (operation["description"] === operation["summary"]) delete operation["description"]
    operation["parameters"] = [
      ...(operation["parameters"] as Array<Json>).map((parameter) => makeParameter(declared, parameter, document)),
      ...(canDryRun(declared) ? [refer("parameters", "dry_run")] : []),
      ...(declared.list && !("csv" in declared.formats) ? [refer("parameters", formatNameOf(declared))] : []),
      ...[
        "X-Request-Id",
        "Prefer",
        ...(isKeyed(declared) ? ["Idempotency-Key"] : []),
        ...(takesVersion(declared) ? ["If-Match"] : [])
      ].map((name) => refer("parameters", name))
    ]
    // The failure responses of an operation, each a component that operations with the same codes at that status
    // share.
    const responses = components["responses"]
    const byStatus = Map.groupBy(listCodes(declared), (code) => statuses[code])
    operation["responses"] = {
      "200": makeSuccessResponse(
        declared,
        operation["responses"]["200"].content["application/json"].schema,
        components["schemas"]
      ),
      ...Object.fromEntries(
        [...byStatus].map(([status, of]) => {
          const name = [status, ...of].join(".")
          responses[name] ??= makeFailureResponse(status, of)
          return [String(status), refer("responses", name)]
        })
      )
    }
    if (declared.fileMax !== undefined) {
      // The parameters and the body of an operation whose body is a file.
      const { content } = operation["requestBody"] as Json
      const { file, ...others } = allowUnknownMembers(
        resolveRef(content["application/json"].schema, document)["properties"] as Json
      )
      for (const [name, { description, ...schema }] of Object.entries(others as Record<string, Json>))
        operation["parameters"].push({ name, in: "query", description, schema })
      const { description } = file as Json
      const schema = { type: "string", format: "binary", ...(description === undefined ? {} : { description }) }
      operation["requestBody"] = { required: true, content: { "application/octet-stream": { schema } } }
    }
    const body = operation["requestBody"]?.content?.["application/json"] as Json | undefined
    if (body !== undefined) {
      if (declared.input !== undefined) {
        addDescriptions(resolveRef(body["schema"], document), declared.input.ast)
        addOtherNames(resolveRef(body["schema"], document), listOtherNames(declared.input.ast))
      }
      const named = Object.entries(declared.examples).map(([name, value]) => [name, { value }])
      body["examples"] =
        named.length > 0 ? Object.fromEntries(named) : { request: { value: makeExample(body["schema"], document) } }
      operation["requestBody"].required = declared.method !== "DELETE"
    }
  }
  yield
  const shown = allowUnknownMembers(document)
  yield
  addWholeExamples(shown)
  yield
  addWebhooks(shown, allowUnknownMembers)
  yield
  return pruneComponents(shown)
}

/** Makes the OpenAPI document of all operations, at once. */
export const openApi = (options: OpenApiOptions): Json => {
  const steps = generateOpenApi(options)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
