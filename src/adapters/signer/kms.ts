/**
 * A signer whose keys are in a key management service or a hardware module. The service gives what such services give:
 * public keys in DER SPKI, and ECDSA signatures in DER, without the recovery bit and with either `s`. The rest is done
 * here, and every signature is checked before it is used.
 */
import { Effect, Layer } from "effect"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type SignerAdapter } from "../../engine/ports/adapter.ts"
import {
  type Curve,
  type PublicKey,
  Signer,
  SignerFault,
  SigningRefused,
  type SigningIntent,
  type SigningPolicy
} from "../../engine/ports/Signer.ts"
import { parseSignature, isSignedBy, parsePublicKey, makeRecoverable } from "./keys.ts"

/**
 * The two calls of a key management service. `keyRef` is the service's own name of the key. A rejected promise is a fault;
 * reject with `SigningRefused` when the service's own policy refuses for good.
 *
 * AWS KMS (`ECC_SECG_P256K1`), with `@aws-sdk/client-kms`:
 *
 * ```ts
 * getPublicKey: async (KeyId) => (await kms.send(new GetPublicKeyCommand({ KeyId }))).PublicKey,
 * sign: async (KeyId, _, Message) =>
 *   (await kms.send(new SignCommand({ KeyId, Message, MessageType: "DIGEST", SigningAlgorithm: "ECDSA_SHA_256" }))).Signature
 * ```
 *
 * Google Cloud KMS (`EC_SIGN_SECP256K1_SHA256`), with `@google-cloud/kms`:
 *
 * ```ts
 * getPublicKey: async (name) => createPublicKey((await kms.getPublicKey({ name }))[0].pem).export({ type: "spki", format: "der" }),
 * sign: async (name, _, sha256) => (await kms.asymmetricSign({ name, digest: { sha256 } }))[0].signature
 * ```
 */
export interface KmsClient {
  /** The public key in DER SPKI. */
  readonly getPublicKey: (keyRef: string) => Promise<Uint8Array>
  /**
   * `secp256k1`: an ECDSA signature in DER of `bytes`, which is a digest of 32 bytes. `ed25519`: the 64 bytes of a signature
   * of `bytes`, which is a message.
   */
  readonly sign: (keyRef: string, curve: Curve, bytes: Uint8Array, intent: SigningIntent) => Promise<Uint8Array>
}

export interface KmsSignerOptions {
  readonly client: KmsClient
  /** The longest wait for the service. Default: 15,000. */
  readonly timeout_ms?: number
  readonly policy?: SigningPolicy
}

const makeSignerFault = (message: string, cause?: unknown): SignerFault =>
  new SignerFault({ message, ...(cause === undefined ? {} : { cause }) })

/** Verifies a signature, and converts it to the form of the port; `undefined` when it is not a signature of these bytes by this key. */
const verifySignature = async (
  key: PublicKey,
  bytes: Uint8Array,
  signature: Uint8Array
): Promise<Uint8Array | undefined> => {
  if (key.curve === "ed25519")
    return signature.length === 64 && isSignedBy(key.bytes, bytes, signature) ? signature : undefined
  const integers = parseSignature(signature)
  return integers === undefined ? undefined : makeRecoverable(key.bytes, bytes, integers)
}

const layer = (options: KmsSignerOptions): Layer.Layer<Signer> => {
  const { client, policy, timeout_ms = 15_000 } = options
  /** The service's client may wait for ever. A signature that comes later is not used. */
  const inTime = Effect.timeoutOrElse({
    duration: timeout_ms,
    orElse: () => Effect.fail(makeSignerFault(`the key management service was silent for ${timeout_ms} ms`))
  })

  /** A public key never changes, so each is requested once. */
  const cache = new Map<string, PublicKey>()

  const publicKey = Effect.fnUntraced(function* (keyRef: string) {
    const cached = cache.get(keyRef)
    if (cached !== undefined) return cached
    const key = yield* Effect.tryPromise({
      try: async () => parsePublicKey(await client.getPublicKey(keyRef)),
      catch: (cause) =>
        makeSignerFault(`the key management service gave no public key for ${JSON.stringify(keyRef)}`, cause)
    }).pipe(inTime)
    if (key === undefined)
      return yield* makeSignerFault(`the key ${JSON.stringify(keyRef)} is neither secp256k1 nor ed25519`)
    cache.set(keyRef, key)
    return key
  })
  return Layer.succeed(
    Signer,
    Signer.of({
      publicKey,
      sign: Effect.fnUntraced(function* (keyRef, curve, bytes, intent) {
        const key = yield* publicKey(keyRef)
        if (key.curve !== curve)
          return yield* makeSignerFault(`the key ${keyRef} is one of ${key.curve}, not of ${curve}`)
        const refusal = policy?.(keyRef, intent) ?? null
        if (refusal !== null) return yield* new SigningRefused({ message: refusal })
        const signature = yield* Effect.tryPromise({
          try: async () => verifySignature(key, bytes, await client.sign(keyRef, curve, bytes, intent)),
          catch: (cause) =>
            cause instanceof SigningRefused
              ? cause
              : makeSignerFault("the key management service gave no signature", cause)
        }).pipe(inTime)
        if (signature === undefined)
          return yield* makeSignerFault(
            `the key management service gave a signature that is not one of the key ${keyRef}`
          )
        return signature
      })
    })
  )
}

export const KmsSigner = { layer } as const

/**
 * A signer that uses the keys of a key management service. See {@link KmsClient} for those of AWS and Google.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const kmsSigner = (options: KmsSignerOptions): SignerAdapter => {
  checkOptions("kmsSigner", options, { client: "object", timeout_ms: "number?", policy: "function?" })
  return adapter("signer", KmsSigner.layer(options))
}
