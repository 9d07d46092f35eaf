/** Writes `docs/provider-protocol.json`, the OpenAPI document of the provider protocol, from the table of its operations. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { eventExamples } from "./provider-protocol/event-examples.ts"
import { Event } from "../src/protocol/events.ts"
import { examples } from "./provider-protocol/examples.ts"
import { ID_MAX } from "../src/protocol/fields.ts"
import { toAnswerSchema, toBodySchema, type Operation, operationNames, operations } from "../src/protocol/operations.ts"

type Json = { [member: string]: unknown }

export const protocolDocumentPath = fileURLToPath(new URL("../docs/provider-protocol.json", import.meta.url))

const about = `A connector is a small server that a bank, a payment company or any other provider runs between its own systems and
Corridor. Corridor calls these operations, and the connector sends events to Corridor. The guide is
\`docs/provider-protocol.md\`.

Every request, answer and event is signed as Standard Webhooks with one shared secret. An answer counts only with the HTTP
status 200, a valid signature, and the \`request_id\`, \`operation\` and \`id\` of its request. After anything else, Corridor treats
the outcome as unknown and looks the id up. Amounts are decimal strings, and instants are RFC 3339 texts in UTC. Members that
are null may be absent, and unknown members are ignored.`

const tags: { readonly [service: string]: string } = {
  connector: "The connector itself.",
  payout: "Pays money out to banks and chains.",
  conversion: "Exchanges one currency for another.",
  issue: "Issues addresses and accounts for pay-ins.",
  payin: "Receives money, and returns it.",
  verification: "Verifies customers on a page of its own.",
  screening: "Checks beneficiaries against sanctions and risk lists.",
  directory: "Knows banks and the holders of accounts.",
  rates: "Knows exchange rates.",
  statements: "Reports what the platform has at the connector."
}

const signatureHeaders: { readonly [name: string]: { readonly description: string; readonly schema: Json } } = {
  "webhook-id": {
    description: "The id of this message, new for each one.",
    schema: { type: "string", minLength: 1, maxLength: 500 }
  },
  "webhook-timestamp": {
    description: "The time of signing, in whole unix seconds. More than 300 s away: refused.",
    schema: { type: "string", pattern: "^\\d{1,15}$" }
  },
  "webhook-signature": {
    description:
      "`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` under the secret's bytes. Several, separated by spaces, during a rotation.",
    schema: { type: "string", minLength: 1 }
  }
}

const pascal = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const schemas: Json = {}

/** Refers to components, says nothing of unknown members, and adds what a definition is called to the components. */
const publish = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(publish)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !(name === "additionalProperties" && member === true))
      .map(([name, member]) => [
        name,
        name === "$ref" ? (member as string).replace("#/$defs/", "#/components/schemas/") : publish(member)
      ])
  )
}

const schemaOf = (schema: Schema.Top): Json => {
  const { schema: own, definitions } = Schema.toJsonSchemaDocument(schema)
  for (const [name, definition] of Object.entries(definitions)) {
    const made = publish(definition)
    if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(made)) {
      throw new Error(`two schemas have the name ${name}`)
    }
    schemas[name] = made
  }
  return publish(own) as Json
}

const addSchema = (name: string, description: string, schema: Schema.Top): Json => {
  schemas[name] = { ...schemaOf(schema), description }
  return { $ref: `#/components/schemas/${name}` }
}

const json = (schema: Json, given: { readonly [name: string]: unknown }): Json => ({
  "application/json": {
    schema,
    examples: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]))
  }
})

const refs = (kind: "headers" | "parameters"): Array<Json> =>
  Object.keys(signatureHeaders).map((name) => ({ $ref: `#/components/${kind}/${name}` }))
const signed = Object.fromEntries(
  Object.keys(signatureHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }])
)

const describeRefusal = (status: number, description: string): Json => ({
  [status]: { description: `${description} Corridor treats the outcome as unknown.` }
})

const queryOf = (operation: Operation): Array<Json> => {
  if (operations[operation].method !== "GET") return []
  const { properties = {} } = schemaOf(operations[operation].input) as { properties?: { [name: string]: Json } }
  return Object.entries(properties).map(([name, { anyOf, description }]) => ({
    name,
    in: "query",
    description,
    schema: (anyOf as ReadonlyArray<Json>)[0],
    example: (examples[operation].input as Json)[name]
  }))
}

const bodyOf = (operation: Operation): Json => {
  const { method, summary } = operations[operation]
  if (method === "GET") return {}
  const { id, input } = examples[operation]
  const schema = addSchema(`${pascal(operation)}Request`, `Request: ${summary}.`, toBodySchema(operation))
  return { requestBody: { required: true, content: json(schema, { request: { operation, id, ...input } }) } }
}

/** The document. Throws when two different schemas have one name. */
export const protocolDocument = (): Json => {
  const paths: { [path: string]: Json } = {}
  for (const operation of operationNames) {
    const { method, path, service, summary, description } = operations[operation]
    const parameters = [
      ...refs("parameters"),
      ...(path.includes("{id}")
        ? [
            {
              name: "id",
              in: "path",
              required: true,
              description: "The id of the command, percent-encoded. The same for every attempt.",
              schema: { type: "string", minLength: 1, maxLength: ID_MAX },
              example: examples[operation].id
            }
          ]
        : []),
      ...queryOf(operation)
    ]
    const { id, results } = examples[operation]
    const answer = (result: unknown) => ({ request_id: "req_01k6x0q8w2e4r6t1y3v5j709pa", operation, id, result })
    const schema = addSchema(
      `${pascal(operation)}Answer`,
      `Answer: ${operations[operation].summary}.`,
      toAnswerSchema(operation)
    )
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: operation,
        tags: [service ?? "connector"],
        summary,
        description,
        parameters,
        ...bodyOf(operation),
        responses: {
          200: {
            description: "The signed answer.",
            headers: signed,
            content: json(
              schema,
              Object.fromEntries(Object.entries(results).map(([name, result]) => [name, answer(result)]))
            )
          },
          ...(method === "GET" ? {} : describeRefusal(400, "The body is not a request, or not for this path.")),
          ...describeRefusal(401, "The signature or the timestamp does not hold.")
        }
      }
    }
  }
  const webhooks = {
    event: {
      post: {
        operationId: "event",
        tags: ["connector"],
        summary: "An event",
        description:
          "The connector sends an event to `POST {corridor}/providers/{name}/events`. Any response but 200: it sends the event again, with the same id and content, after growing delays.",
        parameters: refs("parameters"),
        requestBody: {
          required: true,
          content: json(addSchema("Event", "An event. `type` says which.", Event), eventExamples)
        },
        responses: {
          200: { description: "Corridor has the event." },
          401: { description: "The signature or the timestamp does not hold, or the body is not an event." },
          500: { description: "Send the event again." }
        }
      }
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Corridor provider protocol",
      version: "1",
      description: about,
      license: { name: "Apache 2.0", identifier: "Apache-2.0" }
    },
    servers: [
      {
        url: "https://{host}",
        description: "The connector's base URL. It may have a path.",
        variables: { host: { default: "connector.bank.example", description: "The connector's host." } }
      }
    ],
    security: [{ signature: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        signature: {
          type: "apiKey",
          in: "header",
          name: "webhook-signature",
          description: "Standard Webhooks, with the shared `whsec_…` secret. A GET signs the empty body."
        }
      },
      headers: Object.fromEntries(
        Object.entries(signatureHeaders).map(([name, header]) => [name, { ...header, required: true }])
      ),
      parameters: Object.fromEntries(
        Object.entries(signatureHeaders).map(([name, header]) => [
          name,
          { name, in: "header", required: true, ...header }
        ])
      ),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(protocolDocumentPath, JSON.stringify(protocolDocument()))
}
