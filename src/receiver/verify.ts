/** Verifies a delivery from its raw body and headers (SIGNATURE-1 to SIGNATURE-7). */
import { type SignatureFault, sign, TOLERANCE_SECONDS, verify } from "../engine/crypto/signing.ts"
import { checkOptions, type TakesOf } from "../engine/input/options.ts"
import { parseEvent, type ReceivedEvent } from "./event.ts"
import { readHeader, type ReceivedHeaders } from "./headers.ts"

export interface VerifyOptions {
  /** The endpoint's `whsec_…` secret; both secrets during a rotation. */
  readonly secrets: ReadonlyArray<string>
  /** The receiver's clock, in epoch milliseconds. Default: the system clock. */
  readonly now?: () => number
}

export const verifyTakes: TakesOf<VerifyOptions> = { secrets: "object", now: "function?" }

/** Why a delivery is rejected. `id`: the signed body is not an event, or not the event that the header names. */
export type DeliveryFault = SignatureFault | "id"

export type Verified =
  | { readonly event: ReceivedEvent; readonly fault: null }
  | { readonly event: null; readonly fault: DeliveryFault }

/**
 * The event of a delivery, or why the delivery is rejected.
 *
 * Shapes: `body` is the raw body, byte for byte: parsing and serializing it again breaks the signature. Laws: a
 * timestamp that differs from the receiver's clock by more than five minutes is `stale`, even with a valid signature. The body is
 * not parsed before its signature is verified. Never throws on input from the sender. Errors: throws `RangeError` when
 * one of the receiver's secrets is malformed, and `TypeError` for an option that does not exist.
 */
export const verifyDelivery = (
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  options: VerifyOptions
): Verified => {
  checkOptions("verifyDelivery", options, verifyTakes)
  const { secrets, now = Date.now } = options
  const id = readHeader(headers, "webhook-id")
  const given = {
    id,
    timestamp: readHeader(headers, "webhook-timestamp"),
    signature: readHeader(headers, "webhook-signature")
  }
  const fault = verify(secrets, given, body, now() / 1000, TOLERANCE_SECONDS)
  if (fault !== null) return { event: null, fault }
  const event = parseEvent(typeof body === "string" ? body : Buffer.from(body).toString("utf8"))
  return event === undefined || id !== `msg_${event.event_id}` ? { event: null, fault: "id" } : { event, fault: null }
}

export interface SignOptions {
  /** The endpoint's `whsec_…` secret; both secrets during a rotation. */
  readonly secrets: ReadonlyArray<string>
  /** The sender's clock, in epoch milliseconds. Default: the system clock. */
  readonly now?: () => number
}

const signTakes: TakesOf<SignOptions> = { secrets: "object", now: "function?" }

/**
 * The headers with which Corridor would send a body: for tests of a receiver.
 *
 * Law: `verifyDelivery` takes the body with these headers, with one of the secrets and a clock that is within five minutes. Errors: throws
 * `RangeError` for a malformed secret, and `TypeError` for a body that is no event, for no secret, and for an option that does not exist.
 */
export const signDelivery = (body: string, options: SignOptions) => {
  checkOptions("signDelivery", options, signTakes)
  const { secrets, now = Date.now } = options
  if (secrets.length === 0) throw new TypeError("signDelivery takes one secret at least.")
  const event = parseEvent(body)
  if (event === undefined) throw new TypeError("signDelivery takes the body of an event, which parseEvent can read.")
  const id = `msg_${event.event_id}`
  const timestamp = Math.floor(now() / 1000)
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": sign(secrets, id, timestamp, body)
  } as const
}
