/** Keys and tokens: how they are written, and what is kept of them. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Environment } from "../settings/Environment.ts"
import { Ids } from "../ports/Ids.ts"

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/**
 * SHA-256 of a text's UTF-8 bytes, as hex: all that is kept of a key or a token. At once: the engine waits for its ports
 * and for nothing else, so that a simulation knows when it stands still.
 */
export const sha256 = (text: string): Effect.Effect<string> =>
  Effect.sync(() => createHash("sha256").update(text).digest("hex"))

/** A token nobody can guess: 43 base64url characters, 256 bits. */
export const token: Effect.Effect<string, never, Ids> = Effect.gen(function* () {
  const ids = yield* Ids
  return base64url(yield* ids.secret(32))
})

export const keyPrefix = (environment: Environment): string => `sk_${environment}_`

/** What may be shown of a key: its environment and four characters. */
export const shownPrefix = (key: string): string => key.slice(0, 12)

/** Compares two texts of one length without telling where they differ. */
export const sameText = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
