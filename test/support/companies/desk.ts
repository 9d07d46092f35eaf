/** What a desk that decides signs, as Standard Webhooks has it, written apart from the service's own signing. */
import { createHmac } from "node:crypto"

/** The headers of a message that is signed at a time. `secret`: `whsec_` and the key in base64. */
export const signatureOf = (secret: string, body: string, now_ms: number): { readonly [name: string]: string } => {
  const id = "msg_desk"
  const timestamp = String(Math.floor(now_ms / 1000))
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}` }
}
