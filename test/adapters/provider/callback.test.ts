import { methodsOf } from "../../support/engines/provider-methods.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { decodeSecret, verifySignature } from "../../../src/adapters/provider/simulated/callback.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Provider, type ProviderEvent, type UnreadableEvent } from "../../../src/engine/ports/Provider.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { covers } from "../../support/repository/covers.ts"

const secret = `whsec_${Buffer.from("a secret of the simulated provider").toString("base64")}`
const now = 1_800_000_000_000

const options = { mode: "manual", delay_ms: 0, payshap: true } as const
const provider = (callback_secret?: string) =>
  SimulatedProvider.layer({ ...options, callback_secret }).pipe(
    Layer.provide([MemoryStorage.layer, Ids.layer, JobNotifier.layer]),
    Layer.provideMerge(Layer.succeed(WallTime, Effect.succeed(now)))
  )

const headersOf = (body: string, at = now, key = secret) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(Math.floor(at / 1000)),
  "webhook-signature": new Webhook(key).sign("msg_1", new Date(at), body)
})

const decoded = (headers: Record<string, string | undefined>, body: string, key: string | null = secret) =>
  Effect.flatMap(Provider, (service) => methodsOf(service).decode(headers, body)).pipe(
    Effect.provide(provider(key ?? undefined))
  )

const movement: ProviderEvent = {
  _tag: "movement",
  event_id: "their_event",
  resource_id: "ofr_1",
  outcome: "success",
  merchant_id: null,
  reason: null,
  transaction_hash: null
}
const body = JSON.stringify(movement)

covers("OPERATOR-5")
describe("a callback", () => {
  it.effect("signed by the reference library is decoded", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* decoded(headersOf(body), body), movement)
    })
  )

  it("is signed in the form that the reference library verifies", () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ minLength: 24, maxLength: 64 }), (text, bytes) => {
        const key = `whsec_${Buffer.from(bytes).toString("base64")}`
        assert.isTrue(verifySignature(decodeSecret(key), headersOf(text, now, key), text, now))
      })
    )
  })

  it.effect("may carry several signatures, of which one must be valid", () =>
    Effect.gen(function* () {
      const headers = headersOf(body)
      const other = new Webhook(`whsec_${Buffer.from("another secret").toString("base64")}`).sign(
        "msg_1",
        new Date(now),
        body
      )
      const both = { ...headers, "webhook-signature": `v1a,xyz ${other} ${headers["webhook-signature"]}` }
      assert.isDefined(yield* decoded(both, body))
      assert.isUndefined(yield* decoded({ ...headers, "webhook-signature": other }, body))
    })
  )

  for (const [what, change] of [
    ["another body", { body: body.replace("ofr_1", "ofr_2") }],
    ["another message id", { headers: { "webhook-id": "msg_2" } }],
    ["another timestamp", { headers: { "webhook-timestamp": String(now / 1000 + 1) } }],
    ["an invalid timestamp", { headers: { "webhook-timestamp": "1e9" } }],
    ["no id", { headers: { "webhook-id": undefined } }],
    ["no timestamp", { headers: { "webhook-timestamp": undefined } }],
    ["no signature", { headers: { "webhook-signature": undefined } }],
    ["an empty signature", { headers: { "webhook-signature": "v1," } }],
    ["a shorter signature", { headers: { "webhook-signature": headersOf(body)["webhook-signature"].slice(0, 20) } }]
  ] as ReadonlyArray<readonly [string, { body?: string; headers?: Record<string, string | undefined> }]>)
    it.effect(`with ${what} is rejected`, () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* decoded({ ...headersOf(body), ...change.headers }, change.body ?? body))
      })
    )

  for (const [seconds, taken] of [
    [0, true],
    [300, true],
    [301, false],
    [-300, true],
    [-301, false]
  ] as const)
    it.effect(`signed ${seconds} s ago is ${taken ? "accepted" : "rejected"}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* decoded(headersOf(body, now - seconds * 1000), body)) !== undefined, taken)
      })
    )

  it.effect("is rejected without a configured secret", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* decoded(headersOf(body), body, null))
    })
  )

  for (const bad of ["", "whsec_", "whsec_not base64!"])
    it(`cannot have the secret ${JSON.stringify(bad)}`, () => assert.throws(() => decodeSecret(bad), RangeError))
})

const payin = {
  _tag: "payin",
  event_id: "e1",
  payin_id: "p1",
  stage: "confirmed",
  target: "0xabc",
  amount: "10.50",
  currency: "USDC",
  observed_at: 1
}

describe("the body of a callback", () => {
  const read = (value: unknown) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return decoded(headersOf(text), text)
  }

  it.effect("may omit nullable members", () =>
    Effect.gen(function* () {
      const { merchant_id: _, reason: __, transaction_hash: ___, ...short } = movement
      assert.deepStrictEqual(yield* read(short), movement)
      assert.deepInclude(yield* read(payin), { network: null, sender: null, narration: null })
    })
  )

  covers("DEPOSIT-14")
  it.effect("keeps four digits of a payer's account number", () =>
    Effect.gen(function* () {
      const event = yield* read({ ...payin, sender: { name: "A Payer", account_number: "1234567890" } })
      assert.deepInclude(event, { sender: { name: "A Payer", account_number: "7890" } })
      const spaced = yield* read({ ...payin, sender: { account_number: "GB29 NWBK 6016 1331 9268 19" } })
      assert.deepInclude(spaced, { sender: { account_number: "6819" } })
    })
  )

  const others: ReadonlyArray<ProviderEvent> = [
    {
      _tag: "issued",
      event_id: "e",
      merchant_id: "mer_1",
      kind: "deposit_address",
      resource_id: "da_1",
      provider_resource_id: "cdw_1",
      target: "t",
      details: { network: "base", address: "t" }
    },
    { _tag: "screened", event_id: "e", merchant_id: null, resource_id: "ben_1", screening_id: "scr_1", cleared: true },
    { _tag: "verification", event_id: "e", merchant_id: null, resource_id: "kyc_1", outcome: "approved", reason: null }
  ]
  for (const event of others)
    it.effect(`may report ${event._tag}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(event), event)
      })
    )

  for (const [what, value] of [
    ["no JSON", "{"],
    ["no object", "[]"],
    ["an unknown event", { ...movement, _tag: "other" }],
    ["an unknown outcome", { ...movement, outcome: "perhaps" }],
    ["no event id", { ...movement, event_id: undefined }],
    ["an empty event id", { ...movement, event_id: "" }],
    ["an id with a NUL", { ...movement, event_id: "e\u00001" }],
    ["an id with half a character", { ...movement, event_id: "e\ud800" }],
    ["a target with a NUL", { ...payin, target: "0xabc\u0000" }],
    ["a detail with a NUL", { ...others[0], details: { network: "base\u0000" } }],
    ["an amount that is a number", { ...payin, amount: 10.5 }],
    ["an amount of nothing", { ...payin, amount: "0.00" }],
    ["a negative amount", { ...payin, amount: "-1" }],
    ["an exponent", { ...payin, amount: "1e3" }],
    ["a time before 1970", { ...payin, observed_at: -1 }]
  ] as const)
    it.effect(`may not be ${what}`, () =>
      Effect.gen(function* () {
        const found = (yield* read(value)) as UnreadableEvent | undefined
        assert.strictEqual(found?._tag, "unreadable")
        assert.isNotEmpty(found!.fault)
      })
    )
})
