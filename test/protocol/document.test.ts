import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { assert, describe, it } from "vitest"
import { protocolDocument, protocolDocumentPath } from "../../scripts/provider-protocol.ts"
import { operationNames, operations } from "../../src/protocol/operations.ts"

interface Json {
  readonly [member: string]: Json
}
/** A member that is a text. */
const text = (json: Json | undefined): string => (typeof json === "string" ? json : "")

const document = JSON.parse(readFileSync(protocolDocumentPath, "utf8")) as Json

interface Media {
  readonly schema: { readonly $ref: string }
  readonly examples: { readonly [name: string]: { readonly value: unknown } }
}

/** Each media type of the document: its schema and its examples. */
const mediaOf = (value: unknown): ReadonlyArray<Media> =>
  typeof value !== "object" || value === null
    ? []
    : "application/json" in value
      ? [value["application/json"] as never]
      : Object.values(value).flatMap(mediaOf)

const undescribed = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (typeof schema !== "object" || schema === null) return []
  const { properties = {} } = schema as { properties?: Json }
  const own = Object.entries(properties)
    .filter(([, property]) => text(property["description"]) === "" && property["$ref"] === undefined)
    .filter(
      ([, property]) => !(property["anyOf"] as unknown as ReadonlyArray<Json> | undefined)?.every((one) => one["$ref"])
    )
    .map(([name]) => `${path}.${name}`)
  return [...own, ...Object.entries(schema).flatMap(([name, member]) => undescribed(member, `${path}.${name}`))]
}

describe("docs/provider-protocol.json", () => {
  it("equals what the operations make of it", () => {
    assert.deepEqual(document as unknown, JSON.parse(JSON.stringify(protocolDocument())), "run npm run openapi")
  })

  it("has every operation, at its method and path", () => {
    const paths = document["paths"] as unknown as Record<string, Record<string, { operationId: string }>>
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`)
    )
    const expected = operationNames.map((name) => `${name}: ${operations[name].method} ${operations[name].path}`)
    assert.sameMembers(found, expected)
    assert.lengthOf(found, 21)
  })

  it("describes every schema and every property", () => {
    const schemas = document["components"]!["schemas"]!
    assert.deepEqual(undescribed(schemas, "schemas"), [])
    assert.deepEqual(
      Object.entries(schemas).flatMap(([name, schema]) => (text(schema["description"]) === "" ? [name] : [])),
      []
    )
    assert.isAbove(Object.keys(schemas).length, 50)
  })

  it("has examples that its schemas take, and no schema takes one of another operation's answer", () => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema(document, "document")
    const media = mediaOf([document["paths"], document["webhooks"]])
    const validate = media.map(({ schema }) => ajv.compile({ $ref: `document${schema.$ref}` }))
    let valid = 0
    for (const [at, { schema, examples }] of media.entries()) {
      for (const [name, { value }] of Object.entries(examples)) {
        assert.isTrue(validate[at]!(value), `${schema.$ref}, ${name}: ${ajv.errorsText(validate[at]!.errors)}`)
        valid += 1
        for (const [other, check] of validate.entries()) {
          if (other !== at && media[other]!.schema.$ref.endsWith("Answer")) {
            assert.isFalse(check(value), `${media[other]!.schema.$ref} takes ${schema.$ref}, ${name}`)
          }
        }
      }
    }
    assert.isAbove(valid, 80)
  })
})
