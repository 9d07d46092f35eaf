/** Standard Webhooks signatures: Corridor signs requests, this server signs answers and callbacks, with the same secret. */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"

export const tolerance_seconds = 300

const mac = (secret: string, id: string, timestamp: string, body: string | Uint8Array): Buffer =>
  createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()

/** The three headers that sign `body`. `id`: the message's own; the same for each repetition of a callback. */
export const signed = (
  secrets: ReadonlyArray<string>,
  body: string,
  id: string = `msg_${randomUUID()}`
): Record<string, string> => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${mac(secret, id, timestamp, body).toString("base64")}`).join(" ")
  }
}

/** Whether one of `secrets` signed `body` within `tolerance` seconds of now. Header names are in lower case. */
export const isSigned = (
  secrets: ReadonlyArray<string>,
  headers: Readonly<Record<string, string | Array<string> | undefined>>,
  body: Uint8Array,
  tolerance = tolerance_seconds
): boolean => {
  const id = headers["webhook-id"]
  const timestamp = headers["webhook-timestamp"]
  const signatures = headers["webhook-signature"]
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string" || id === "")
    return false
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance) return false
  const entries = signatures
    .split(" ")
    .filter((entry) => entry.startsWith("v1,"))
    .map((entry) => Buffer.from(entry.slice("v1,".length), "base64"))
  return secrets.some((secret) => {
    const expected = mac(secret, id, timestamp, body)
    return entries.some((entry) => entry.length === expected.length && timingSafeEqual(entry, expected))
  })
}
