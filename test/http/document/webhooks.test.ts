/** The webhooks of the document against what a server publishes: every event type, its payload and its example. */
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ServerApi as CommandApi } from "../../../src/cli/server/api.ts"
import { awaitEvent, walks } from "../../../src/cli/server/walks.ts"
import { entries } from "../../../src/engine/operations.ts"
import { categories } from "../../../src/engine/reference/vocabulary.ts"
import { closeObjects } from "../../support/http/contract.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

type Json = { readonly [key: string]: any }

let api: Api
let document: Json
/** Accepts no member that is not described. */
let strict: Ajv2020
let ajv: Ajv2020
const events = new Map<string, Json>()

/** What the walks ask of a server. */
const asked = (): CommandApi => ({
  url: api.base,
  credential: "merchant",
  secret: api.key,
  ask: (method, path, body) =>
    Effect.promise(async () => {
      const { json, status, text } = await api.ask(path, { method, ...(body === undefined ? {} : { body }) })
      if (status !== 200) throw new Error(text)
      return json
    })
})

beforeAll(async () => {
  api = await startApi({ rate_per_second: 0 })
  document = (await api.ask("/openapi.json", { key: null })).json
  const [a, b] = [new Ajv2020({ strict: false, allErrors: true }), new Ajv2020({ strict: false, allErrors: true })]
  for (const one of [a, b]) (formats as unknown as (ajv: Ajv2020) => void)(one)
  a.addSchema({ $id: "doc", ...document })
  b.addSchema({ $id: "doc", components: closeObjects(document["components"]) })
  ajv = a
  strict = b
  for (const [type, { walk }] of Object.entries(walks)) {
    const { event_id } = await Effect.runPromise(Effect.flatMap(walk(asked()), (id) => awaitEvent(asked(), type, id)))
    events.set(type, (await api.ask(`/v1/notifications/events/${event_id}`)).json.data)
  }
})
afterAll(() => api.close())

const bodyOf = (type: string): Json => document["webhooks"][type].post.requestBody.content["application/json"]
const exampleOf = (type: string): Json => bodyOf(type)["examples"].event.value
const schemaOf = (type: string): string => `doc#/webhooks/${type}/post/requestBody/content/application~1json/schema`
const errorsOf = (by: Ajv2020, $ref: string, value: unknown): string => {
  const validate = by.compile({ $ref })
  return validate(value) ? "" : by.errorsText(validate.errors)
}

const types = Object.keys(walks)

covers("SERVICE-25")
describe("the webhooks of the document", () => {
  it("are all event types, each in its category", () => {
    expect(Object.keys(document["webhooks"]).sort()).toEqual([...types].sort())
    expect(types.length).toBeGreaterThanOrEqual(27)
    expect([...new Set(types.map((type) => type.split(".")[0]))].sort()).toEqual([...categories].sort())
  })

  it("have the headers of the signature, and responses", () => {
    const webhook = document["webhooks"]["offramp.success"].post
    const names = webhook.parameters.map(({ $ref }: Json) => $ref.split("/").at(-1))
    expect(names).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature"])
    expect(Object.keys(webhook.responses).sort()).toEqual(["2XX", "410", "default"])
    const ids = Object.values<Json>(document["webhooks"]).map(({ post }) => post.operationId)
    expect(new Set([...ids, ...entries.map(({ operation }) => operation.id)]).size).toBe(ids.length + entries.length)
  })

  it.each(types)("describe %s as it is published", (type) => {
    const event = events.get(type)!
    expect(event["event_type"]).toBe(type)
    expect(errorsOf(ajv, schemaOf(type), event)).toBe("")
    const { $ref } = bodyOf(type)["schema"].allOf[0]
    expect(errorsOf(strict, `doc${$ref}`, event)).toBe("")
    expect(errorsOf(strict, `doc${$ref}`, { ...event, extra: 1 })).not.toBe("")
  })

  it.each(types)(
    "have an example of %s that is valid, and has and lacks what the published one has and lacks",
    (type) => {
      const [example, event] = [exampleOf(type), events.get(type)!]
      expect(errorsOf(ajv, schemaOf(type), example)).toBe("")
      const names = (object: Json): ReadonlyArray<string> => Object.keys(object).sort()
      expect(names(example)).toEqual(names(event))
      // What the caller, the currency or the customer decides.
      const free = new Set(["sender", "narration", "redirect_url", "transaction_hash", "tier_upgraded_from", "profile"])
      const own = (object: Json): ReadonlyArray<string> => names(object).filter((name) => !free.has(name))
      expect(own(example["event_object"])).toEqual(own(event["event_object"]))
      const nulls = (object: Json): ReadonlyArray<string> => own(object).filter((name) => object[name] === null)
      expect(nulls(example["event_object"])).toEqual(nulls(event["event_object"]))
      for (const name of ["event_object_status", "event_category"]) expect(example[name], name).toEqual(event[name])
      // The walk does not open the hosted page first, as a customer does.
      const changes = ({ event_object_changes: changed }: Json): unknown =>
        type.startsWith("kyc.") ? changed.status[1] : changed
      expect(changes(example)).toEqual(changes(event))
      expect(example["event_object"].status).toBe(event["event_object"].status)
      expect(example["event_object"].id).toBe(example["event_object_id"])
    }
  )
})
