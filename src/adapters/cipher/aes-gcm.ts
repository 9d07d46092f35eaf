/**
 * AES-256-GCM. Sealed text has the form `<key id>:<base64 of nonce, ciphertext and tag>`.
 *
 * Source: SERVICE-7.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { parseEncryptionKey } from "../../engine/crypto/signing.ts"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type CipherAdapter } from "../../engine/ports/adapter.ts"
import { Cipher } from "../../engine/ports/Cipher.ts"
import { InvariantViolation, makeMissingKeyFault } from "../../engine/ports/errors.ts"

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** An encryption key and the id that marks the texts sealed with it. */
export interface AesKey {
  readonly id: string
  readonly key: Uint8Array
}

/**
 * Reads a key from base64 text of 32 bytes. Its id is the first 8 hexadecimal digits of the SHA-256 of the key.
 *
 * Errors: throws `RangeError` when the text is not base64 of 32 bytes. The message never contains the text.
 */
export const aesKey = (text: string): AesKey => {
  const key = parseEncryptionKey(text)
  if (key === undefined) throw new RangeError("the encryption key must be 32 bytes in base64")
  return { id: createHash("sha256").update(key).digest("hex").slice(0, 8), key }
}

export interface AesGcmOptions {
  readonly keys: readonly [AesKey, ...ReadonlyArray<AesKey>]
}

/**
 * The layer of a cipher that seals with the first key and opens with any of the keys. To rotate, put the new key first.
 *
 * Laws: two seals of one text differ; the key's id is authenticated together with the text.
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
        Effect.suspend(() => {
          const colon = sealed.indexOf(":")
          const id = sealed.slice(0, Math.max(0, colon))
          const key = known.get(id)
          // A text that names no key was never sealed.
          if (key === undefined && !/^[0-9a-f]{8}$/.test(id))
            throw new InvariantViolation(`no key ${JSON.stringify(id)} is configured to open this text`)
          if (key === undefined) return Effect.fail(makeMissingKeyFault(id))
          const bytes = Buffer.from(sealed.slice(colon + 1), "base64")
          if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new InvariantViolation("sealed text is truncated")
          const end = bytes.length - TAG_BYTES
          try {
            const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES))
              .setAAD(Buffer.from(id))
              .setAuthTag(bytes.subarray(end))
            const plain = decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, "utf8") + decipher.final("utf8")
            return Effect.succeed(plain)
          } catch (cause) {
            throw new InvariantViolation("sealed text fails authentication", { cause })
          }
        })
    })
  )
}

export const AesGcmCipher = { layer } as const

/**
 * A cipher that encrypts with AES-256-GCM under the first key. The other keys only open texts sealed earlier. See {@link aesKey}.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const aesGcmCipher = (options: AesGcmOptions): CipherAdapter => {
  checkOptions("aesGcmCipher", options, { keys: "object" })
  return adapter("cipher", layer(options))
}
