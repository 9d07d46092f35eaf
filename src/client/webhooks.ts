/** Verification of webhook deliveries with the Web Crypto API, which every runtime has: `corridor/receiver` needs Node. */
import { checkOptions } from "../engine/input/options.ts"
import { parseEvent } from "../receiver/event.ts"
import { readHeader, type ReceivedHeaders } from "../receiver/headers.ts"
import type { WebhookEvent } from "./generated/resources.ts"

/**
 * Why a delivery is rejected, in the words of `corridor/receiver`. `missing`: a header. `malformed`: the timestamp. `stale`: its
 * timestamp differs from the receiver's clock by more than five minutes. `mismatch`: no signature is that of the secret. `id`:
 * the signed body is not an event, or not the event that the header names.
 */
export type DeliveryFault = "missing" | "malformed" | "stale" | "mismatch" | "id"

export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly fault: DeliveryFault

  constructor(fault: DeliveryFault) {
    super(`the delivery is rejected: ${fault}`)
    this.fault = fault
  }
}

export interface VerifyOptions {
  /** The receiver's clock, in epoch milliseconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
}

export interface Webhooks {
  /**
   * The event of a delivery. Respond with 2xx to an event, and with 401 to a {@link WebhookError}.
   *
   * Shapes: `payload` is the raw body, byte for byte, as text or bytes: parsing and serializing it again breaks the signature. `headers` are those
   * of `fetch` or of `node:http`. `secret` is the endpoint's `whsec_…`; both during a rotation. Laws: the body is not parsed
   * before its signature is verified. An event can arrive more than once and late: see `event_id` and `event_sequence`.
   * Errors: rejects with a `WebhookError` if the sender is not the service, with a `RangeError` if a secret is malformed or there
   * is none, and with a `TypeError` if the payload is a parsed body, or an option does not exist.
   */
  readonly verify: (
    payload: string | Uint8Array | ArrayBuffer,
    headers: ReceivedHeaders,
    secret: string | ReadonlyArray<string>,
    options?: VerifyOptions
  ) => Promise<WebhookEvent>
}

const toleranceSeconds = 300

/** Whether a text is base64, with or without its padding. */
const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(text)

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Reads the bytes of a body. Errors: throws `TypeError` for a parsed body: its bytes differ from those that were signed. */
const readPayloadBytes = (payload: unknown): Uint8Array => {
  if (typeof payload === "string") return new TextEncoder().encode(payload)
  if (ArrayBuffer.isView(payload)) return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength)
  if (Object.prototype.toString.call(payload) === "[object ArrayBuffer]") return new Uint8Array(payload as ArrayBuffer)
  const found = payload === null ? "null" : Array.isArray(payload) ? "a list" : `of type ${typeof payload}`
  throw new TypeError(`payload is ${found}; the raw body is required, as text or bytes, before anything parses it`)
}

const verifyDelivery: Webhooks["verify"] = async (payload, headers, secret, options = {}) => {
  checkOptions("webhooks.verify", options, { now: "function?" })
  const { now = Date.now } = options
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    readHeader(headers, name)
  )
  const body = readPayloadBytes(payload)
  const secrets = Array.isArray(secret) ? (secret as ReadonlyArray<unknown>) : [secret]
  if (secrets.length === 0) throw new RangeError("a signing secret is required")
  const keys = await Promise.all(
    secrets.map((secret) => {
      const encoded = typeof secret === "string" ? secret.replace(/^whsec_/, "") : ""
      if (encoded === "" || !isBase64(encoded))
        throw new RangeError("a signing secret must be whsec_ followed by base64")
      return crypto.subtle.importKey("raw", decodeBase64(encoded), { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
    })
  )
  if (!id || !timestamp || !signature) throw new WebhookError("missing")
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookError("malformed")
  if (!(Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds)) throw new WebhookError("stale")
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  // The runtime compares in constant time.
  // The signatures in a header. An entry that is not base64 is no signature.
  const matches = await Promise.all(
    keys.flatMap((key) =>
      signature
        .split(" ")
        .filter((entry) => entry.startsWith("v1,") && isBase64(entry.slice(3)))
        .map((entry) => decodeBase64(entry.slice(3)))
        .map((given) => crypto.subtle.verify("HMAC", key, given, content))
    )
  )
  if (!matches.includes(true)) throw new WebhookError("mismatch")
  const event = parseEvent(new TextDecoder("utf-8", { ignoreBOM: true }).decode(body))
  if (event === undefined || id !== `msg_${event.event_id}`) throw new WebhookError("id")
  return event as unknown as WebhookEvent
}

/** The verification of deliveries, for receivers without a client. */
export const webhooks: Webhooks = { verify: verifyDelivery }
