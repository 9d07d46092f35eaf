import { generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { recoverPublicKey } from "viem/utils"
import { parseSignature, isSignedBy } from "../../../src/adapters/signer/keys.ts"
import { type KmsClient, KmsSigner } from "../../../src/adapters/signer/kms.ts"
import { Signer, SigningRefused } from "../../../src/engine/ports/Signer.ts"
import { covers } from "../../support/repository/covers.ts"
import { der, ed25519Service, intent, secp256k1Service } from "./support.ts"

const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const signerOf = (client: KmsClient, policy?: () => string | null) =>
  Effect.provide(Signer, KmsSigner.layer({ client, ...(policy === undefined ? {} : { policy }) }))

covers("SIGNER-3")
describe("a signer over a key management service", () => {
  it.effect("gives the lower s and the recovery bit for every digest, whatever s the service gave", () =>
    Effect.gen(function* () {
      const client = secp256k1Service()
      const signer = yield* signerOf(client)
      const key = yield* signer.publicKey("key")
      assert.deepStrictEqual(Buffer.from(key.bytes), client.point)
      const parities = new Set<number>()
      for (const digest of fc.sample(fc.uint8Array({ minLength: 32, maxLength: 32 }), 100)) {
        const bytes = yield* signer.sign("key", "secp256k1", digest, intent)
        const s = BigInt(hex(bytes.subarray(32, 64)))
        assert.isTrue(s > 0n && s <= order / 2n)
        const signature = { r: hex(bytes.subarray(0, 32)), s: hex(bytes.subarray(32, 64)), yParity: bytes[64]! }
        const recovered = yield* Effect.promise(() => recoverPublicKey({ hash: hex(digest), signature }))
        assert.strictEqual(recovered, hex(client.point))
        parities.add(bytes[64]!)
      }
      assert.deepStrictEqual([...parities].sort(), [0, 1])
    })
  )

  it.effect("passes Ed25519 signatures on once they are checked", () =>
    Effect.gen(function* () {
      const signer = yield* signerOf(ed25519Service())
      const { bytes } = yield* signer.publicKey("key")
      for (const message of fc.sample(fc.uint8Array({ maxLength: 500 }), 50)) {
        assert.isTrue(isSignedBy(bytes, message, yield* signer.sign("key", "ed25519", message, intent)))
      }
    })
  )

  const honest = secp256k1Service()
  const digest = Buffer.alloc(32, 9)
  const lies: ReadonlyArray<readonly [string, KmsClient["sign"]]> = [
    ["of another digest", (keyRef, curve, _, given) => honest.sign(keyRef, curve, Buffer.alloc(32, 8), given)],
    ["of another key", (...args) => secp256k1Service().sign(...args)],
    ["empty", async () => new Uint8Array()],
    ["of 64 raw bytes", async () => new Uint8Array(64).fill(1)],
    ["with r = 0", async () => der(0n, 1n)],
    ["with s = 0", async () => der(1n, 0n)],
    ["with s of the order", async () => der(1n, order)],
    ["with a byte too many", async (...args) => Buffer.concat([await honest.sign(...args), Buffer.of(0)])],
    ["truncated", async (...args) => (await honest.sign(...args)).subarray(0, -1)],
    ["refused by the service", () => Promise.reject(new Error("AccessDenied"))]
  ]
  it.effect.each(lies)("has a fault for a signature that is %s", ([, sign]) =>
    Effect.gen(function* () {
      const signer = yield* signerOf({ ...honest, sign })
      const fault = yield* Effect.flip(signer.sign("key", "secp256k1", digest, intent))
      assert.strictEqual(fault._tag, "SignerFault")
    })
  )

  it.effect("has a fault for a false Ed25519 signature", () =>
    Effect.gen(function* () {
      const signer = yield* signerOf({ ...ed25519Service(), sign: async () => new Uint8Array(64).fill(1) })
      assert.strictEqual((yield* Effect.flip(signer.sign("key", "ed25519", digest, intent)))._tag, "SignerFault")
    })
  )

  it.effect("refuses definitely where its policy or the service's own refuses", () =>
    Effect.gen(function* () {
      const own = yield* signerOf(honest, () => "no payouts on Sunday")
      const ownRefusal = yield* Effect.flip(own.sign("key", "secp256k1", digest, intent))
      assert.deepStrictEqual([ownRefusal._tag, ownRefusal.message], ["SigningRefused", "no payouts on Sunday"])
      const service = yield* signerOf({
        ...honest,
        sign: () => Promise.reject(new SigningRefused({ message: "two approvals are missing" }))
      })
      const refusal = yield* Effect.flip(service.sign("key", "secp256k1", digest, intent))
      assert.deepStrictEqual([refusal._tag, refusal.message], ["SigningRefused", "two approvals are missing"])
    })
  )

  it.effect("has a fault for a key of another kind, and for one of another curve", () =>
    Effect.gen(function* () {
      const p256 = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey
      const other = yield* signerOf({
        ...honest,
        getPublicKey: async () => p256.export({ type: "spki", format: "der" })
      })
      assert.include((yield* Effect.flip(other.publicKey("key"))).message, "neither secp256k1 nor ed25519")
      const signer = yield* signerOf(honest)
      const fault = yield* Effect.flip(signer.sign("key", "ed25519", digest, intent))
      assert.include(fault.message, "is one of secp256k1, not of ed25519")
    })
  )

  it.effect("requests a public key once, and again after a fault", () =>
    Effect.gen(function* () {
      let requests = 0
      const signer = yield* signerOf({
        ...honest,
        getPublicKey: (keyRef) =>
          ++requests === 1 ? Promise.reject(new Error("ECONNRESET")) : honest.getPublicKey(keyRef)
      })
      assert.strictEqual((yield* Effect.flip(signer.publicKey("key")))._tag, "SignerFault")
      yield* signer.publicKey("key")
      yield* signer.sign("key", "secp256k1", digest, intent)
      assert.strictEqual(requests, 2)
    })
  )
})

describe("integersIn", () => {
  it("reads every pair of positive integers, and nothing else", () => {
    const size = fc.integer({ min: 0, max: 255 }).chain((bits) => fc.bigInt({ min: 1n, max: 2n ** BigInt(bits) }))
    fc.assert(
      fc.property(size, size, (r, s) => {
        assert.deepStrictEqual(parseSignature(der(r, s)), [r, s])
      })
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const found = parseSignature(bytes)
        if (found !== undefined) assert.deepStrictEqual(der(...found), Buffer.from(bytes))
      })
    )
  })
})
