/** Keys and signatures of the two curves. Node does the work, except for secp256k1 over a digest, which viem does. */
import { createECDH, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"
import { loadOptionalPeer } from "../../engine/ports/optional-peer.ts"
import type { Curve, PublicKey } from "../../engine/ports/Signer.ts"

/** The order of secp256k1. Of the two valid values of `s`, chains accept the lower one. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The PKCS #8 bytes that precede the 32 bytes of an Ed25519 private key. */
const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex")

type Hex = `0x${string}`
const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`
const toInteger = (bytes: Uint8Array): bigint => (bytes.length === 0 ? 0n : BigInt(toHex(bytes)))
const toWord = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex")

const loadViem = () =>
  loadOptionalPeer("viem", "a secp256k1 key of corridor/adapters/signer", () =>
    Promise.all([import("viem/accounts"), import("viem/utils")])
  )

const toPrivateKey = (secret: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([ed25519Prefix, secret]), format: "der", type: "pkcs8" })

const readJwkMember = (key: KeyObject, member: "x" | "y"): Buffer =>
  Buffer.from(key.export({ format: "jwk" })[member] ?? "", "base64url")

/** Whether 32 bytes are a private key of the curve. */
export const isPrivateKey = (curve: Curve, secret: Uint8Array): boolean =>
  secret.length === 32 && (curve === "ed25519" || (toInteger(secret) > 0n && toInteger(secret) < order))

/** Derives the public key of a private key of 32 bytes. */
export const derivePublicKey = (curve: Curve, secret: Uint8Array): Uint8Array => {
  if (curve === "ed25519") return readJwkMember(createPublicKey(toPrivateKey(secret)), "x")
  const pair = createECDH("secp256k1")
  pair.setPrivateKey(secret)
  return pair.getPublicKey()
}

/** Parses a public key in DER SPKI. `undefined`: it is of neither curve. */
export const parsePublicKey = (spki: Uint8Array): PublicKey | undefined => {
  const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" })
  if (key.asymmetricKeyType === "ed25519") return { curve: "ed25519", bytes: readJwkMember(key, "x") }
  if (key.asymmetricKeyDetails?.namedCurve !== "secp256k1") return undefined
  return { curve: "secp256k1", bytes: Buffer.concat([Buffer.of(4), readJwkMember(key, "x"), readJwkMember(key, "y")]) }
}

/** Signs as the `Signer` port states, with a private key of 32 bytes. */
export const signWithKey = async (curve: Curve, secret: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> => {
  if (curve === "ed25519") return sign(null, bytes, toPrivateKey(secret))
  const [accounts] = await loadViem()
  const { r, s, yParity } = await accounts.sign({ hash: toHex(bytes), privateKey: toHex(secret) })
  return Buffer.concat([toWord(BigInt(r)), toWord(BigInt(s)), Buffer.of(yParity ?? 0)])
}

/** Parses an ECDSA signature in DER, a SEQUENCE of two INTEGERs, into the two integers. `undefined`: it is something else. */
export const parseSignature = (der: Uint8Array): readonly [bigint, bigint] | undefined => {
  const at = (index: number): number => der[index] ?? -1
  if (at(0) !== 0x30 || at(1) !== der.length - 2 || at(2) !== 2) return undefined
  const second = 4 + at(3)
  if (at(second) !== 2 || second + 2 + at(second + 1) !== der.length) return undefined
  const both = [der.subarray(4, second), der.subarray(second + 2)] as const
  // Each is positive and has no needless zero: whatever a signer returns has one form.
  if (both.some((one) => one.length === 0 || one[0]! > 127 || (one[0] === 0 && !(one[1]! > 127)))) return undefined
  return [toInteger(both[0]), toInteger(both[1])]
}

/**
 * Converts an ECDSA signature of a digest to the form of the `Signer` port: with the lower `s`, and the parity by which `key` is
 * recovered. `undefined`: it is not a signature of this digest by this key.
 */
export const makeRecoverable = async (
  key: Uint8Array,
  digest: Uint8Array,
  [r, s]: readonly [bigint, bigint]
): Promise<Uint8Array | undefined> => {
  if (r <= 0n || r >= order || s <= 0n || s >= order) return undefined
  const low = s > order / 2n ? order - s : s
  const [, { recoverPublicKey }] = await loadViem()
  for (const yParity of [0, 1]) {
    const recovered = await recoverPublicKey({
      hash: toHex(digest),
      signature: { r: toHex(toWord(r)), s: toHex(toWord(low)), yParity }
    }).catch(() => undefined)
    if (recovered === toHex(key)) return Buffer.concat([toWord(r), toWord(low), Buffer.of(yParity)])
  }
  return undefined
}

/** Whether 64 bytes are an Ed25519 signature of a message by this key. */
export const isSignedBy = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(
    null,
    message,
    createPublicKey({
      key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(key).toString("base64url") },
      format: "jwk"
    }),
    signature
  )
