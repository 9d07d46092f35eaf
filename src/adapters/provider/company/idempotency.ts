/** The key under which a company knows a request again. */
import { createHash } from "node:crypto"

/** A version 4 UUID that follows from a text alone, such as a command's id, so that it is the same after a crash. */
export const idempotencyKey = (text: string): string => {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
