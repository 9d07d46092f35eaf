/** The webhooks of the OpenAPI document: every event type, with its payload, its signature and what the receiver responds. */
import { Schema } from "effect"
import { categories } from "../engine/reference/vocabulary.ts"
import { published } from "../engine/representations/webhooks/published.ts"
import { makeExample, type DocumentNode } from "./docs/example.ts"
import { addWholeExamples } from "./docs/whole-examples.ts"

const makeHeaderParameter = (name: string, description: string, example: string): DocumentNode => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", examples: [example] }
})

const parameters: { readonly [name: string]: DocumentNode } = {
  "webhook-id": makeHeaderParameter(
    "webhook-id",
    "The id of the message: `msg_` and the event's id. It is the same in every delivery.",
    "msg_evt_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  "webhook-timestamp": makeHeaderParameter(
    "webhook-timestamp",
    "When this delivery was signed, in seconds since 1970. Reject it if it differs from your clock by more than five minutes.",
    "1769851804"
  ),
  "webhook-signature": makeHeaderParameter(
    "webhook-signature",
    "`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the bytes of the signing secret. During a rotation there are two, separated by a space: accept either.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  )
}

const responses: DocumentNode = {
  "2XX": {
    description:
      "Any 2xx status acknowledges the event. Respond quickly and work afterwards: a slow response counts as a failure."
  },
  "410": { description: "The endpoint is deactivated at once." },
  default: {
    description:
      "Any other status, a redirect and no response are failures: the event is sent again, ten times in all within three days. `Retry-After` is respected."
  }
}

/** Adds the webhooks to the document, and their schemas and headers to its components. `shown`: converts schemas as all others. */
export const addWebhooks = (document: DocumentNode, shown: <A>(value: A) => A): void => {
  const { schemas, parameters: shared } = document["components"] as DocumentNode
  Object.assign(shared, parameters)
  document["webhooks"] = {}
  for (const category of categories) {
    const about = published[category]
    if (about === undefined) continue
    const {
      definitions,
      schema: { $ref }
    } = JSON.parse(
      JSON.stringify(Schema.toJsonSchemaDocument(about.schema, { onExcessProperty: "error" })).replaceAll(
        '"#/$defs/',
        '"#/components/schemas/'
      )
    ) as {
      readonly definitions: DocumentNode
      readonly schema: DocumentNode
    }
    for (const [name, schema] of Object.entries(definitions)) schemas[name] ??= shown(schema)
    addWholeExamples(document)
    for (const [type, one] of Object.entries(about.types)) {
      const schema = {
        allOf: [
          { $ref },
          {
            type: "object",
            properties: {
              event_type: { const: type, description: `\`${type}\`.` },
              event_object_status: { const: one.status, description: `\`${one.status}\`.` }
            }
          }
        ]
      }
      // An event of a type: the examples of the members, with what is particular to the type.
      const { prefix } = about
      const node = { $ref }
      const { event_object, ...event } = makeExample(node, document) as DocumentNode
      const { absent = [], object, previous, sequence, status } = one
      const isKept = ([name]: readonly [string, unknown]): boolean => !absent.includes(name)
      document["webhooks"][type] = {
        post: {
          operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
          summary: type,
          description: one.description,
          security: [],
          parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema,
                examples: {
                  event: {
                    value: {
                      ...event,
                      event_type: type,
                      event_object_status: status,
                      event_object_changes: previous === status ? null : { status: [previous, status] },
                      event_sequence: sequence,
                      event_object: Object.fromEntries(
                        Object.entries({
                          ...event_object,
                          id: `${prefix}_01j9z3k4m5n6p7q8r9s0t1v2w3`,
                          ...object
                        }).filter(isKept)
                      )
                    }
                  }
                }
              }
            }
          },
          responses
        }
      }
    }
  }
}
