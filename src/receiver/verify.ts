/** Whether a delivery is its sender's, from its raw body and headers (SIGNATURE-1 to SIGNATURE-7). */
import { type SignatureFault, TOLERANCE_SECONDS, verify } from "../engine/crypto/signing.ts"
import { parseEvent, type ReceivedEvent } from "./event.ts"

/** Headers of `node:http`, of `fetch`, or of anything that is keyed by name, in whatever case. */
export type ReceivedHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

export interface VerifyOptions {
  /** The endpoint's `whsec_…`; during a rotation both of them. */
  readonly secrets: ReadonlyArray<string>
  /** The receiver's clock, in epoch milliseconds; the system's when left out. */
  readonly now?: () => number
}

/** Why a delivery is not taken. `id` is a signed body that is not an event, or another one than its header names. */
export type DeliveryFault = SignatureFault | "id"

export type Verified =
  | { readonly event: ReceivedEvent; readonly fault: null }
  | { readonly event: null; readonly fault: DeliveryFault }

const isGetter = (headers: ReceivedHeaders): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

const headerOf = (headers: ReceivedHeaders, name: string): string | undefined => {
  if (isGetter(headers)) return headers.get(name) ?? undefined
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return typeof value === "string" ? value : undefined
}

/**
 * The event of a delivery, or why it is not taken.
 *
 * Shapes: `body` is the raw body, byte for byte: parsing and serialising it again breaks the signature.
 * Laws: a timestamp more than five minutes off the receiver's clock, either way, is `stale` whoever signed it; nothing
 * of the body is read before its signature holds. Never throws on what was sent.
 * Errors: throws `RangeError` where a secret of the receiver's own is not one.
 */
export const verifyDelivery = (
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  options: VerifyOptions
): Verified => {
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
