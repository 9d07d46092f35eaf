/** Provider callbacks over HTTP: Standard Webhooks signatures and their payloads. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { type Effect, Option, Schema } from "effect"
import { decodeBase64 } from "../../../engine/crypto/signing.ts"
import { eventFault } from "../../../engine/input/validation.ts"
import type { UnreadableEvent } from "../../../engine/ports/Provider.ts"
import { ProviderEvent } from "../../../engine/ports/provider-events.ts"
import { maskSender } from "./refund.ts"

/** Largest difference between a callback's timestamp and the receiver's clock, in seconds. */
const toleranceSeconds = 5 * 60

const decodeOne = Schema.decodeUnknownOption(ProviderEvent)
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(ProviderEvent))

/** Decodes the provider events of a stored job. */
export const decodeScheduledEvents = (
  stored: unknown
): Effect.Effect<ReadonlyArray<ProviderEvent>, Schema.SchemaError> => decodeEvents(stored)

const kinds = Object.fromEntries(ProviderEvent.members.map((member) => [member.fields._tag.literal, member]))

const notJson = "the body is not JSON in UTF-8"

const parseJson = (body: string): UnreadableEvent | { readonly value: unknown } => {
  try {
    return { value: JSON.parse(body) }
  } catch {
    return { _tag: "unreadable", content: notJson, fault: notJson }
  }
}

/** Decodes the provider event of a signed callback body. */
export const decodeEvent = (body: string): ProviderEvent | UnreadableEvent => {
  const json = parseJson(body)
  if ("_tag" in json) return json
  return Option.match(decodeOne(json.value), {
    onNone: () => ({ _tag: "unreadable", content: json.value, fault: eventFault(json.value, "_tag", kinds) }),
    onSome: (event): ProviderEvent => (event._tag === "payin" ? { ...event, sender: maskSender(event.sender) } : event)
  })
}

/**
 * Decodes a callback secret (`whsec_` and base64) to its bytes.
 *
 * Errors: throws `RangeError` when the secret is malformed or empty. Anyone could sign with an empty key.
 */
export const decodeSecret = (secret: string): Buffer => {
  const key = decodeBase64(secret.replace(/^whsec_/, ""))
  if (key === undefined) throw new RangeError("the callback secret must be whsec_ and base64")
  return key
}

/**
 * Whether `body` carries a valid signature by `key`, made within five minutes of `now` (epoch milliseconds, wall
 * clock). Header names are lower case. One valid signature of several suffices. Source: SIGNATURE-1 to SIGNATURE-7.
 */
export const verifySignature = (
  key: Buffer,
  headers: { readonly [name: string]: string | undefined },
  body: string | Uint8Array,
  now: number
): boolean => {
  const id = headers["webhook-id"]
  const timestamp = headers["webhook-timestamp"]
  const signatures = headers["webhook-signature"]
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Math.floor(now / 1000) - Number(timestamp)) > toleranceSeconds) return false
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest()
  return signatures.split(" ").some((entry) => {
    if (!entry.startsWith("v1,")) return false
    const given = Buffer.from(entry.slice(3), "base64")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
