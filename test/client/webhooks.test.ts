/** Verification of deliveries, against the receiver's own. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { WebhookError, webhooks } from "../../src/client/index.ts"
import { sign } from "../../src/engine/crypto/signing.ts"
import { signDelivery, verifyDelivery } from "../../src/receiver/index.ts"
import { covers } from "../support/repository/covers.ts"

const secrets = [
  "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
  "whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA="
]
const at = 1_780_000_000
const now = () => at * 1000
const body = JSON.stringify({
  event_id: "evt_1",
  event_type: "transfer.success",
  event_category: "transfer",
  event_developer_id: "int_1",
  api_version: "v1",
  event_created_at: "2026-01-31T09:30:00.000Z",
  event_object_id: "tfr_1",
  event_object_status: "success",
  event_object_changes: { status: ["processing", "success"] },
  event_sequence: 2,
  event_object: { id: "tfr_1", narration: "café ☕" }
})
const headersOf = (by: ReadonlyArray<string>, id = "msg_evt_1", timestamp = at, text: string | Uint8Array = body) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": sign(by, id, timestamp, text)
})

const faultOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => {
      if (error instanceof WebhookError) return error.fault
      throw error
    }
  )

const [current, previous] = secrets as [string, string]
describe("webhooks.verify", () => {
  covers("CLIENT-5")
  it("returns the event of a delivery, from headers of every kind, as text or as bytes", async () => {
    const given = headersOf([current])
    const upper = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value]))
    for (const headers of [given, upper, new Headers(given)])
      for (const payload of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer]) {
        const event = await webhooks.verify(payload, headers, current, { now })
        expect(event).toEqual(JSON.parse(body))
      }
  })

  it("takes both secrets during a rotation", async () => {
    expect(await faultOf(webhooks.verify(body, headersOf([previous]), secrets, { now }))).toBeNull()
    expect(await faultOf(webhooks.verify(body, headersOf(secrets), current, { now }))).toBeNull()
    expect(await faultOf(webhooks.verify(body, headersOf([previous]), current, { now }))).toBe("mismatch")
  })

  it("rejects with RangeError for a malformed secret", async () => {
    const malformed = ["", "whsec_", "whsec_@", "plain text", "whsec_abcde", "whsec_AAAA=", "whsec_AA="]
    for (const secret of malformed) {
      await expect(webhooks.verify(body, headersOf([current]), secret, { now })).rejects.toBeInstanceOf(RangeError)
      expect(() => verifyDelivery(body, headersOf([current]), { secrets: [secret], now })).toThrow(RangeError)
    }
    for (const secret of [[], undefined as unknown as string])
      await expect(webhooks.verify(body, headersOf([current]), secret, { now })).rejects.toBeInstanceOf(RangeError)
  })

  it("rejects with TypeError for a body that was parsed: its bytes are lost", async () => {
    for (const parsed of [JSON.parse(body), [], null, undefined, 5])
      await expect(webhooks.verify(parsed as string, headersOf([current]), current, { now })).rejects.toThrow(
        /^payload is (?:null|a list|of type \w+); the raw body is required/
      )
  })

  const whole = headersOf([current])
  // One whose signature has a letter that base64 for URLs writes otherwise.
  const inUrls = Array.from({ length: 60 }, (_, ago) => headersOf([current], "msg_evt_1", at - ago)).find((each) =>
    /[+/]/.test(each["webhook-signature"])
  )!
  const forged: ReadonlyArray<readonly [string, string | Uint8Array, Record<string, string | Array<string>>]> = [
    ["no headers", body, {}],
    ["no signature", body, { ...whole, "webhook-signature": "" }],
    ["a header that was sent twice", body, { ...whole, "webhook-signature": [whole["webhook-signature"], "v1,AAAA"] }],
    ["a timestamp that is no number", body, { ...whole, "webhook-timestamp": "now" }],
    ["an old timestamp", body, headersOf([current], "msg_evt_1", at - 301)],
    ["a timestamp of the future", body, headersOf([current], "msg_evt_1", at + 301)],
    ["the oldest timestamp", body, headersOf([current], "msg_evt_1", at - 300)],
    ["another body", `${body} `, whole],
    ["another id", body, { ...whole, "webhook-id": "msg_evt_2" }],
    ["another version", body, { ...whole, "webhook-signature": whole["webhook-signature"].replace("v1,", "v2,") }],
    ["a signature that is not base64", body, { ...whole, "webhook-signature": "v1,@@@@ v1,A v1," }],
    [
      "a signature in the letters of URLs",
      body,
      { ...inUrls, "webhook-signature": inUrls["webhook-signature"].replaceAll("+", "-").replaceAll("/", "_") }
    ],
    [
      "a signature with a space within",
      body,
      { ...whole, "webhook-signature": whole["webhook-signature"].replace(/..$/, "\t$&") }
    ],
    [
      "a signature without its padding",
      body,
      { ...whole, "webhook-signature": whole["webhook-signature"].replace("=", "") }
    ],
    ["a byte order mark", `\ufeff${body}`, headersOf([current], "msg_evt_1", at, `\ufeff${body}`)],
    [
      "a byte order mark in bytes",
      new TextEncoder().encode(`\ufeff${body}`),
      headersOf([current], "msg_evt_1", at, new TextEncoder().encode(`\ufeff${body}`))
    ],
    ["an id that the body does not have", body, headersOf([current], "msg_evt_2")],
    ["a body that is no event", "{}", headersOf([current], "msg_evt_1", at, "{}")],
    ["a body that is not JSON", "☕", headersOf([current], "msg_evt_1", at, "☕")],
    ["bytes that are no text", Uint8Array.of(255, 0), headersOf([current], "msg_evt_1", at, Uint8Array.of(255, 0))]
  ]
  covers("CLIENT-5")
  it.each(forged)("agrees with the receiver on %s", async (_, payload, headers) => {
    const { fault } = verifyDelivery(payload, headers, { secrets: [current], now })
    expect(await faultOf(webhooks.verify(payload, headers, current, { now }))).toBe(fault)
  })

  covers("CLIENT-5")
  it("agrees with the receiver on any delivery", async () => {
    const texts = fc.oneof(fc.constant(body), fc.string({ unit: "binary" }))
    const delivery = fc.record({
      payload: texts,
      signed: texts,
      by: fc.subarray(secrets, { minLength: 1 }),
      known: fc.subarray(secrets, { minLength: 1 }),
      id: fc.constantFrom("msg_evt_1", "msg_evt_2", "x"),
      skew: fc.integer({ min: -400, max: 400 }),
      more: fc.constantFrom("", " v1,AAAA", " v2,AAAA", " ", " v1,=")
    })
    await fc.assert(
      fc.asyncProperty(delivery, async ({ by, id, known, more, payload, signed, skew }) => {
        const headers = headersOf(by, id, at + skew, signed)
        headers["webhook-signature"] += more
        const { fault } = verifyDelivery(payload, headers, { secrets: known, now })
        expect(await faultOf(webhooks.verify(payload, headers, known, { now }))).toBe(fault)
      }),
      { numRuns: 300 }
    )
  })
})

describe("signDelivery", () => {
  covers("SIGNATURE-7")
  it("makes what a receiver takes: with either secret of a rotation, and until its clock is five minutes on", () => {
    const headers = signDelivery(body, { secrets, now })
    expect(headers).toEqual(headersOf(secrets))
    const faultAt = (known: ReadonlyArray<string>, ms: number, text = body) =>
      verifyDelivery(text, headers, { secrets: known, now: () => now() + ms }).fault
    expect([faultAt([current], 0), faultAt([previous], 300_000)]).toEqual([null, null])
    expect([faultAt([current], 301_000), faultAt([current], 0, `${body} `)]).toEqual(["stale", "mismatch"])
  })

  it("refuses a body that is no event, and an option that it does not have", () => {
    expect(() => signDelivery("{}", { secrets })).toThrow("signDelivery takes the body of an event")
    expect(() => signDelivery(body, { secrets: [] })).toThrow("one secret at least")
    expect(() => signDelivery(body, { secret: current } as never)).toThrow("Did you mean `secrets`?")
  })
})
