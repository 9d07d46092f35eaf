/** Signatures of the messages of both sides: Standard Webhooks, with one secret for requests, answers and events. */
import { isBase64, type SignatureFault, sign, verify } from "../engine/crypto/signing.ts"

/** Headers by name, in lower case. */
export type Headers = { readonly [name: string]: string | undefined }

/** Says why a text is not a secret (`whsec_` and 24 to 64 bytes in base64); null if it is one. The message does not quote the text. */
export const secretFault = (text: string): string | null => {
  const encoded = text.startsWith("whsec_") ? text.slice(6) : undefined
  if (encoded === undefined || !isBase64(encoded)) return "the secret must be whsec_ followed by base64"
  const { length } = Buffer.from(encoded, "base64")
  return length >= 24 && length <= 64 ? null : `the secret has ${length} bytes; it takes 24 to 64`
}

/**
 * Makes the headers that sign a message. `secrets`: the new and the old one during a rotation. `message_id` is new for each
 * message. The body of a GET is empty.
 */
export const signMessage = (
  secrets: ReadonlyArray<string>,
  message_id: string,
  now_ms: number,
  body: string | Uint8Array
) => {
  const timestamp = Math.floor(now_ms / 1000)
  return {
    "webhook-id": message_id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": sign(secrets, message_id, timestamp, body)
  } as const
}

/** Says why a message is not from the holder of a secret; null if it is. Law: a clock skew of over 300 s is `stale`. */
export const signatureFault = (
  secrets: ReadonlyArray<string>,
  headers: Headers,
  body: string | Uint8Array,
  now_ms: number
): SignatureFault | null =>
  verify(
    secrets,
    { id: headers["webhook-id"], timestamp: headers["webhook-timestamp"], signature: headers["webhook-signature"] },
    body,
    now_ms / 1000
  )
