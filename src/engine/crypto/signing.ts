/**
 * Standard Webhooks signatures: signing of deliveries, and verification by a receiver or, for a provider's callbacks,
 * by this service.
 *
 * Pure: the caller passes the time. Source: SIGNATURE-1 to SIGNATURE-7, DELIVERY-1.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"
import { BoundedMap } from "../ports/bounded-map.ts"

const PREFIX = "whsec_"

/**
 * The largest difference between a timestamp and the receiver's clock, in both directions. The standard's own libraries
 * use the same value.
 */
export const TOLERANCE_SECONDS = 300

/** Formats a signing secret from the bytes of its HMAC key (32 for the secrets made here). */
export const formatSecret = (bytes: Uint8Array): string => PREFIX + Buffer.from(bytes).toString("base64")

/** With or without its padding. `Buffer` decodes also what no other library does. */
const base64 = /^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** Whether a text is base64, as secrets and signatures have it. */
export const isBase64 = (text: string): boolean => base64.test(text)

/** Decodes base64. Undefined for a text that is none. */
export const decodeBase64 = (text: string): Buffer | undefined =>
  isBase64(text) ? Buffer.from(text, "base64") : undefined

/**
 * Parses an encryption key, as settings and the cipher take it: 32 bytes in base64. Undefined for another text, and for one with bits set
 * beyond the 32 bytes, as a mistyped last character leaves them.
 */
export const parseEncryptionKey = (text: string): Buffer | undefined => {
  const key = decodeBase64(text)
  return key?.length === 32 && key.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "") ? key : undefined
}

/** The number of secrets whose keys are cached: making a key costs as much as signing with it. */
const READY_MAX = 1024
const ready = new BoundedMap<string, KeyObject>(READY_MAX)

/** Makes the key of a signing secret. Throws `RangeError` for a malformed one, whose signatures would fail at every receiver. */
const importKey = (secret: string): KeyObject => {
  const known = ready.get(secret)
  if (known !== undefined) return known
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  if (!isBase64(encoded)) throw new RangeError("a signing secret must be whsec_ followed by base64")
  const key = createSecretKey(Buffer.from(encoded, "base64"))
  ready.set(secret, key)
  return key
}

const computeMac = (secret: string, id: string, timestamp: string, body: string | Uint8Array): Buffer =>
  createHmac("sha256", importKey(secret)).update(`${id}.${timestamp}.`).update(body).digest()

/**
 * Signs a delivery. Returns the value of `webhook-signature`: one `v1,<base64>` for each secret, separated by spaces.
 *
 * Shapes: `id` is the message id (`msg_evt_…`); `timestamp_seconds` is whole unix seconds; `body` is the exact bytes sent. Errors: throws
 * `RangeError` for a secret that is not base64, or a timestamp that is not whole.
 */
export const sign = (
  secrets: ReadonlyArray<string>,
  id: string,
  timestamp_seconds: number,
  body: string | Uint8Array
): string => {
  if (!Number.isSafeInteger(timestamp_seconds))
    throw new RangeError(`the timestamp must be whole seconds: ${timestamp_seconds}`)
  return secrets
    .map((secret) => `v1,${computeMac(secret, id, String(timestamp_seconds), body).toString("base64")}`)
    .join(" ")
}

/** The three headers as received; an absent one is `undefined`. */
interface SignatureHeaders {
  readonly id: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
}

/** Why a message cannot be attributed to its sender. */
export type SignatureFault = "missing" | "malformed" | "stale" | "mismatch"

/**
 * Verifies that one of `secrets` signed `body`. Returns null if it did, otherwise the fault.
 *
 * Laws: every entry is compared with every secret in constant time; entries of other versions, or not in base64, are ignored; a timestamp
 * that differs from `now_seconds` by more than `tolerance_seconds` is `stale`, whatever the signature.
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
    .filter((entry) => entry.startsWith("v1,") && isBase64(entry.slice(3)))
    .map((entry) => Buffer.from(entry.slice(3), "base64"))
  let matches = false
  for (const secret of secrets) {
    const expected = computeMac(secret, id, timestamp, body)
    for (const one of given) {
      if (one.length === expected.length && timingSafeEqual(one, expected)) matches = true
    }
  }
  return matches ? null : "mismatch"
}
