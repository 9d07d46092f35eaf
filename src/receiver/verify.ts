/** Verifies a delivery from its raw body and headers (SIGNATURE-1 to SIGNATURE-7). */
import { type SignatureFault, TOLERANCE_SECONDS, verify } from "../engine/crypto/signing.ts"
import { checkOptions, type TakesOf } from "../engine/input/options.ts"
import { parseEvent, type ReceivedEvent } from "./event.ts"
import { headerOf, type ReceivedHeaders } from "./headers.ts"

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
  const id = headerOf(headers, "webhook-id")
  const given = {
    id,
    timestamp: headerOf(headers, "webhook-timestamp"),
    signature: headerOf(headers, "webhook-signature")
  }
  const fault = verify(secrets, given, body, now() / 1000, TOLERANCE_SECONDS)
  if (fault !== null) return { event: null, fault }
  const event = parseEvent(typeof body === "string" ? body : Buffer.from(body).toString("utf8"))
  return event === undefined || id !== `msg_${event.event_id}` ? { event: null, fault: "id" } : { event, fault: null }
}
