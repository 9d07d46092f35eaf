/** Keys and tokens: their format, and what is stored of them. */
import { createHash, hash } from "node:crypto"
import { Effect } from "effect"
import type { Environment } from "../settings/settings.ts"
import { Ids } from "../ports/Ids.ts"

const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/**
 * SHA-256 of bytes, or of a text's UTF-8 bytes, as hex: the only form in which keys and tokens are stored. It is computed
 * synchronously, because the engine waits for its ports only; a simulation relies on that to detect when the engine is
 * idle.
 */
export const sha256 = (content: string | Uint8Array): Effect.Effect<string> =>
  Effect.sync(() => hash("sha256", content))

/** SHA-256 as bytes, for pure code that derives a text from it. */
export const digest = (content: string | Uint8Array): Buffer => hash("sha256", content, "buffer")

/** A short name of what was seen, which no spreadsheet takes for a number. */
export const makeSeenVersion = (seen: ReadonlyArray<unknown>): string =>
  `v${digest(JSON.stringify(seen)).toString("hex").slice(0, 16)}`

/** Makes a SHA-256 over texts that come one after the other. `end` returns it as hex. */
export const makeHash = (): { readonly add: (text: string) => void; readonly end: () => string } => {
  const all = createHash("sha256")
  return { add: (text) => void all.update(text), end: () => all.digest("hex") }
}

/** A random token: 43 base64url characters, 256 bits. */
export const token: Effect.Effect<string, never, Ids> = Effect.gen(function* () {
  const ids = yield* Ids
  return toBase64url(yield* ids.secret(32))
})

export const keyPrefix = (environment: Environment): string => `sk_${environment}_`

/** Whether a secret has the form of an API key, of any environment. */
export const isApiKey = (secret: string): boolean => /^sk_(?:test|live)_/.test(secret)

const operatorTokenPrefix = "op_"

/** The token of an operator, which is shown once. */
export const newOperatorToken: Effect.Effect<string, never, Ids> = Effect.map(
  token,
  (secret) => `${operatorTokenPrefix}${secret}`
)

/** Whether a secret has the form of an operator's token. The configured one may have another. */
export const isOperatorToken = (secret: string): boolean => secret.startsWith(operatorTokenPrefix)

/** Cuts an API key to the part that may be shown: its environment and four characters. */
export const shortenKey = (key: string): string => key.slice(0, 12)

/** Compares two texts in a time that depends on their length only. */
export const isSameText = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
