/**
 * AES-256-GCM with the key's id beside the ciphertext: `<key id>:<base64 of nonce, ciphertext and tag>`.
 *
 * Source: decisions 1 (CORRIDOR_ENCRYPTION_KEY).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { adapter, type CipherAdapter } from "../../engine/ports/Adapter.ts"
import { Cipher } from "../../engine/ports/Cipher.ts"
import { InvariantViolation } from "../../engine/ports/errors.ts"

const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** A key and the name it goes by in what it sealed. */
export interface AesKey {
  readonly id: string
  readonly key: Uint8Array
}

/**
 * The key written as base64 of 32 bytes; its id is the first 8 hexadecimal digits of its SHA-256.
 *
 * Errors: throws `RangeError` where the text is not that; the text is never in the message.
 */
export const aesKey = (text: string): AesKey => {
  const key = Buffer.from(text, "base64")
  if (key.length !== KEY_BYTES || key.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) {
    throw new RangeError(`an encryption key is ${KEY_BYTES} bytes in base64`)
  }
  return { id: createHash("sha256").update(key).digest("hex").slice(0, 8), key }
}

export interface AesGcmOptions {
  readonly keys: readonly [AesKey, ...ReadonlyArray<AesKey>]
}

/**
 * A cipher that seals with the first key and opens with any: rotate by putting the new key first.
 *
 * Laws: no two seals of one text are equal; the key's id is authenticated with the text.
 */
const layer = ({ keys }: AesGcmOptions): Layer.Layer<Cipher> => {
  const [current] = keys
  const known = new Map(keys.map(({ id, key }) => [id, key]))
  return Layer.succeed(
    Cipher,
    Cipher.of({
      keys: [current.id, ...keys.slice(1).map(({ id }) => id)],
      seal: (plain) =>
        Effect.sync(() => {
          const nonce = randomBytes(NONCE_BYTES)
          const cipher = createCipheriv("aes-256-gcm", current.key, nonce).setAAD(Buffer.from(current.id))
          const sealed = [nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]
          return `${current.id}:${Buffer.concat(sealed).toString("base64")}`
        }),
      open: (sealed) =>
        Effect.sync(() => {
          const colon = sealed.indexOf(":")
          const id = sealed.slice(0, Math.max(0, colon))
          const key = known.get(id)
          if (key === undefined)
            throw new InvariantViolation(`text sealed with the key ${JSON.stringify(id)}, which is not here`)
          const bytes = Buffer.from(sealed.slice(colon + 1), "base64")
          if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new InvariantViolation("sealed text that is cut short")
          const end = bytes.length - TAG_BYTES
          try {
            const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES))
              .setAAD(Buffer.from(id))
              .setAuthTag(bytes.subarray(end))
            return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, "utf8") + decipher.final("utf8")
          } catch (cause) {
            throw new InvariantViolation("sealed text that was tampered with", { cause })
          }
        })
    })
  )
}

export const AesGcmCipher = { layer } as const

/** AES-256-GCM under the first of the keys; the others open what they sealed. See {@link aesKey}. */
export const aesGcmCipher = (options: AesGcmOptions): CipherAdapter => adapter("cipher", layer(options))
