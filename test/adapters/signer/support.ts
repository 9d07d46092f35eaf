/** A local signer over a memory store, and a key management service that holds a key in this process. */
import { createECDH, createPrivateKey, generateKeyPairSync, type KeyObject, sign as signMessage } from "node:crypto"
import { Effect, Layer } from "effect"
import { sign } from "viem/accounts"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import type { KmsClient } from "../../../src/adapters/signer/kms.ts"
import { type LocalSignerOptions, LocalSigner } from "../../../src/adapters/signer/local.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Signer, type SigningIntent } from "../../../src/engine/ports/Signer.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"

export const encryptionKey = (byte: number) => aesKey(Buffer.alloc(32, byte).toString("base64"))

export const storageIn = <A, E>(use: Effect.Effect<A, E, Storage | Ids>): Effect.Effect<A, E> =>
  use.pipe(Effect.provide(Layer.mergeAll(MemoryStorage.layer, Ids.layer))) as Effect.Effect<A, E>

/** Builds a local signer over the store of the surrounding effect. */
export const withLocal = <A, E, R>(
  options: LocalSignerOptions,
  use: (signer: Signer["Service"]) => Effect.Effect<A, E, R>,
  keys: readonly [ReturnType<typeof aesKey>, ...Array<ReturnType<typeof aesKey>>] = [encryptionKey(1)]
) =>
  Effect.flatMap(Signer, use).pipe(
    Effect.provide(LocalSigner.layer(options).pipe(Layer.provide(AesGcmCipher.layer({ keys }))))
  )

export const intent: SigningIntent = {
  command_id: "tfr_1.payout",
  purpose: "payout",
  amount: "1.50",
  currency: "USDC",
  destination: "0x0000000000000000000000000000000000000001"
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const derInteger = (value: bigint): Buffer => {
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
  const positive = bytes[0]! > 127 ? Buffer.concat([Buffer.of(0), bytes]) : bytes
  return Buffer.concat([Buffer.of(2, positive.length), positive])
}

export const der = (r: bigint, s: bigint): Buffer => {
  const body = Buffer.concat([derInteger(r), derInteger(s)])
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}

/** A service with one secp256k1 key. Every second signature has the higher `s`, as such services may give. */
export const secp256k1Service = (): KmsClient & { readonly point: Buffer } => {
  const pair = createECDH("secp256k1")
  pair.generateKeys()
  const point = pair.getPublicKey()
  const privateKey = `0x${pair.getPrivateKey("hex").padStart(64, "0")}` as const
  const prefix = Buffer.from("3056301006072a8648ce3d020106052b8104000a034200", "hex")
  let signatures = 0
  return {
    point,
    getPublicKey: async () => Buffer.concat([prefix, point]),
    sign: async (_, __, digest) => {
      const { r, s } = await sign({ hash: `0x${Buffer.from(digest).toString("hex")}`, privateKey })
      return der(BigInt(r), signatures++ % 2 === 0 ? order - BigInt(s) : BigInt(s))
    }
  }
}

/** A service with one Ed25519 key. */
export const ed25519Service = (): KmsClient => {
  const pair: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync("ed25519")
  return {
    getPublicKey: async () => pair.publicKey.export({ type: "spki", format: "der" }),
    sign: async (_, __, message) => signMessage(null, message, pair.privateKey)
  }
}

/** The 64 bytes of an Ed25519 pair, as Solana's wallets export them. */
export const solanaExport = (): { readonly secret: Buffer; readonly pair: Buffer } => {
  const { privateKey } = generateKeyPairSync("ed25519")
  const jwk = createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })).export({ format: "jwk" })
  const secret = Buffer.from(String(jwk.d), "base64url")
  return { secret, pair: Buffer.concat([secret, Buffer.from(String(jwk.x), "base64url")]) }
}
