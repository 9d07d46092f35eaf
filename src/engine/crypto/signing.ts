/**
 * Standard Webhooks signatures: what is sent with each delivery, and how a receiver (or we, of a provider) checks it.
 *
 * Pure: the caller brings the time. Source: SIGNATURE-1 to SIGNATURE-7, DELIVERY-1.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"

const PREFIX = "whsec_"

/** How far a timestamp may be from the receiver's clock, either way, as the standard's own libraries have it. */
export const TOLERANCE_SECONDS = 300

/** The text of a secret whose HMAC key is `bytes` (32 of them for the ones made here). */
export const secretOf = (bytes: Uint8Array): string => PREFIX + Buffer.from(bytes).toString("base64")

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Secrets whose keys are kept ready: making a key costs as much as signing with it. */
const READY_MAX = 1024
const ready = new Map<string, KeyObject>()

/** Throws where the text is not a secret: signing with a key nobody else has would fail at every receiver, silently. */
const keyOf = (secret: string): KeyObject => {
  const known = ready.get(secret)
  if (known !== undefined) return known
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  if (!base64.test(encoded)) throw new RangeError("a signing secret is whsec_ and base64")
  const key = createSecretKey(Buffer.from(encoded, "base64"))
  const [oldest] = ready.keys()
  if (oldest !== undefined && ready.size >= READY_MAX) ready.delete(oldest)
  ready.set(secret, key)
  return key
}

const mac = (secret: string, id: string, timestamp: string, body: string | Uint8Array): Buffer =>
  createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest()

/**
 * The value of `webhook-signature`: one `v1,<base64>` for each secret, separated by spaces.
 *
 * Shapes: `id` is the message's (`msg_evt_…`); `timestamp_seconds` whole unix seconds; `body` the exact bytes sent.
 * Errors: throws `RangeError` on a secret that is not base64, or a timestamp that is not whole.
 */
export const sign = (
  secrets: ReadonlyArray<string>,
  id: string,
  timestamp_seconds: number,
  body: string | Uint8Array
): string => {
  if (!Number.isSafeInteger(timestamp_seconds)) throw new RangeError(`${timestamp_seconds} is not whole seconds`)
  return secrets.map((secret) => `v1,${mac(secret, id, String(timestamp_seconds), body).toString("base64")}`).join(" ")
}

/** The three headers as received; an absent one is `undefined`. */
export interface SignatureHeaders {
  readonly id: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
}

/** Why a message is not taken as its sender's. */
export type SignatureFault = "missing" | "malformed" | "stale" | "mismatch"

/**
 * Whether one of `secrets` signed `body`: null when it did, else what is wrong.
 *
 * Laws: every entry is compared with every secret in constant time; entries of other versions are passed over; a
 * timestamp more than `tolerance_seconds` off `now_seconds`, before or after, is `stale` whoever signed it.
 */
export const verify = (
  secrets: ReadonlyArray<string>,
  { id, timestamp, signature }: SignatureHeaders,
  body: string | Uint8Array,
  now_seconds: number,
  tolerance_seconds: number = TOLERANCE_SECONDS
): SignatureFault | null => {
  if (!id || !timestamp || !signature) return "missing"
  if (!/^\d{1,15}$/.test(timestamp)) return "malformed"
  if (!(Math.abs(now_seconds - Number(timestamp)) <= tolerance_seconds)) return "stale"
  const given = signature
    .split(" ")
    .filter((entry) => entry.startsWith("v1,"))
    .map((entry) => Buffer.from(entry.slice(3), "base64"))
  let matches = false
  for (const secret of secrets) {
    const expected = mac(secret, id, timestamp, body)
    for (const one of given) {
      if (one.length === expected.length && timingSafeEqual(one, expected)) matches = true
    }
  }
  return matches ? null : "mismatch"
}
