/** Provider callbacks over HTTP: Standard Webhooks signatures, and what they carry. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect, Schema } from "effect"
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import { Event } from "../../../engine/ports/provider-words.ts"
import { masked } from "./payin.ts"

/** How far a callback's timestamp may be from the receiver's clock, in seconds. */
const toleranceSeconds = 5 * 60

const decodeText = Schema.decodeUnknownEffect(Schema.fromJsonString(Event))
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(Event))

/** What an appointment's job holds, as it was written. */
export const eventsOf = (stored: unknown): Effect.Effect<ReadonlyArray<ProviderEvent>, Schema.SchemaError> =>
  decodeEvents(stored)

/** The provider event of a callback's body; `undefined` when it is none. */
export const eventIn = (body: string): Effect.Effect<ProviderEvent | undefined> =>
  decodeText(body).pipe(
    Effect.map((event): ProviderEvent => (event._tag === "payin" ? { ...event, sender: masked(event.sender) } : event)),
    Effect.catch(() => Effect.succeed(undefined))
  )

/**
 * The bytes of a secret (`whsec_` and base64).
 *
 * Errors: throws a RangeError when there are none, rather than accept what anyone can sign.
 */
export const keyOf = (secret: string): Buffer => {
  const text = secret.replace(/^whsec_/, "")
  const key = Buffer.from(text, "base64")
  if (key.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new RangeError("a callback secret is whsec_ and base64")
  return key
}

/**
 * Whether a body was signed with `key` within five minutes of `now` (epoch milliseconds, wall clock).
 * Header names are in lower case. Any of several signatures may hold. Source: interface, Authentication 8.
 */
export const signed = (
  key: Buffer,
  headers: { readonly [name: string]: string | undefined },
  body: string,
  now: number
): boolean => {
  const id = headers["webhook-id"]
  const timestamp = headers["webhook-timestamp"]
  const signatures = headers["webhook-signature"]
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Math.floor(now / 1000) - Number(timestamp)) > toleranceSeconds) return false
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest()
  return signatures.split(" ").some((entry) => {
    if (!entry.startsWith("v1,")) return false
    const given = Buffer.from(entry.slice(3), "base64")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
