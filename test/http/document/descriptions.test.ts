/** The words of the document: every member is described, and its examples are values that the server could return. */
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { describe, expect, it } from "vitest"
import { openApi } from "../../../src/http/openapi.ts"
import { Document, type Member } from "../../support/http/members.ts"
import { covers } from "../../support/repository/covers.ts"

const spec = openApi({
  base_url: "https://pay.example.com",
  docs_url: "https://pay.example.com/docs",
  environment: "test"
})
const { members } = new Document(spec)

const ajv = new Ajv2020({ strict: false, allErrors: true })
;(formats as unknown as (ajv: Ajv2020) => void)(ajv)
ajv.addSchema({ $id: "doc", ...spec })

const places = (found: ReadonlyArray<Member>): ReadonlyArray<string> => [...new Set(found.map(({ at }) => at))].sort()
const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, "")

/** Whether a value has members of its own, or is one of few words: its parts are its example. */
const showsItself = (schema: any, follow: (node: any) => any): boolean => {
  const found = follow(schema)
  return (
    found.type === "null" ||
    found.type === "boolean" ||
    found.enum !== undefined ||
    found.const !== undefined ||
    found.properties !== undefined ||
    found.allOf !== undefined ||
    (found.type === "array" &&
      found.items !== undefined &&
      document.valuesOf(found.items).every((one) => showsItself(one, follow)))
  )
}
const document = new Document(spec)
const textsOf = ({ examples }: Member): ReadonlyArray<string> =>
  examples.filter((one): one is string => typeof one === "string")
const textMembers = members.filter((member) => textsOf(member).length > 0)

covers("SERVICE-23")
describe("every member of the document", () => {
  it("is there", () => expect(members.length).toBeGreaterThan(1500))

  it("has a description that says more than its name", () => {
    const undescribed = members.filter(
      ({ description, name }) => description === undefined || letters(description) === letters(name)
    )
    expect(places(undescribed)).toEqual([])
    const sentences = members.filter(
      ({ description }) => !/^[A-Z`1-9].*[.:]$/s.test(description!) && !/^(fiat|crypto): /.test(description!)
    )
    expect(places(sentences)).toEqual([])
  })

  it("has an example, or parts that have one", () => {
    const bare = members.filter(
      ({ examples, values }) =>
        examples.length === 0 && !values.every((one) => showsItself(one, (node) => document.follow(node)))
    )
    expect(places(bare)).toEqual([])
  })

  it("has examples that are valid for its schema", () => {
    const wrong = members.flatMap(({ at, examples, pointer }) => {
      if (examples.length === 0) return []
      const validate = ajv.compile({ $ref: `doc#${encodeURI(pointer).replaceAll("%7B", "{").replaceAll("%7D", "}")}` })
      return examples.flatMap((one) =>
        validate(one) ? [] : [`${at}: ${JSON.stringify(one)} ${ajv.errorsText(validate.errors)}`]
      )
    })
    expect(wrong).toEqual([])
  })
})

describe("examples", () => {
  it("are no placeholders", () => {
    expect(places(textMembers.filter((member) => textsOf(member).includes("string")))).toEqual([])
    expect(JSON.stringify(spec)).not.toContain('"string","string"')
  })

  it("of amounts are decimal strings with the decimal places of their currency", () => {
    const amounts = textMembers.filter(({ name }) => /(^|_)amount$/.test(name))
    expect(amounts.length).toBeGreaterThan(40)
    // A column of a CSV is a name.
    const decimal = amounts.filter(({ at }) => at !== "MappedColumns.amount")
    expect(places(decimal.filter((member) => !textsOf(member).every((one) => /^\d+\.\d{2,}$/.test(one))))).toEqual([])
  })

  it("of ids have the prefix and the shape of the id", () => {
    const ids = textMembers.filter(
      ({ name, schema }) => (name === "id" || name.endsWith("_id")) && schema["format"] === undefined
    )
    // Ids that a provider or a caller chooses.
    const foreign = new Set([
      "command_id",
      "payin_id",
      "end_to_end_id",
      "provider_resource_id",
      "StatementLine.id",
      "TimelineProviderEvent.event_id",
      "SandboxOutcome.event_id",
      "SandboxOutcome.parts[].id",
      "ReportedPart.id",
      "ReturnedPart.id"
    ])
    const own = ids.filter(({ at, name }) => !foreign.has(name) && !foreign.has(at))
    expect(own.length).toBeGreaterThan(150)
    const shaped = (one: string) => /^[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{20,26}$/.test(one)
    expect(places(own.filter((member) => !textsOf(member).every(shaped)))).toEqual([])
  })

  it("of times are ISO 8601, and have their format", () => {
    const times = members.filter(({ name }) => /(_at|_until|^timestamp|_timestamp|At)$/.test(name))
    expect(times.length).toBeGreaterThan(60)
    expect(places(times.filter(({ values }) => !values.some(({ format }) => format === "date-time")))).toEqual([])
  })

  it("of addresses on the web and by mail have their format", () => {
    // The other two are shown as they were given, which RFC 3986 may not allow.
    const urls = members.filter(({ name }) => name.endsWith("_url") && name !== "redirect_url")
    expect(
      places(
        urls.filter(({ at, values }) => !at.startsWith("Timeline") && !values.some(({ format }) => format === "uri"))
      )
    ).toEqual([])
    const emails = members.filter(({ name }) => name === "email")
    expect(places(emails.filter(({ values }) => !values.some(({ format }) => format === "email")))).toEqual([])
  })
})

it("words of two parts, such as `temporary_failure`, are explained where a resource has them", () => {
  // Each code has a page, each event type a webhook; the types of documents, and "not started", explain themselves.
  const plain = new Set(["Failure.code", "id_type", "kyc_status", "event_type", "event_object_status"])
  const words = members.flatMap(({ at, description = "", name, values }) =>
    description.startsWith("Only ") || plain.has(at) || plain.has(name)
      ? []
      : values.flatMap((one) =>
          ((one["enum"] ?? []) as ReadonlyArray<unknown>).map((word) => ({ at, description, word }))
        )
  )
  expect(words.length).toBeGreaterThan(200)
  const unexplained = words.filter(
    ({ description, word }) => typeof word === "string" && word.includes("_") && !description.includes(`\`${word}\``)
  )
  expect([...new Set(unexplained.map(({ at, word }) => `${at} ${word}`))].sort()).toEqual([])
})
