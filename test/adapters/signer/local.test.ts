import { hkdfSync } from "node:crypto"
import { base58 } from "@scure/base"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import fc from "fast-check"
import { recoverPublicKey, verifyMessage } from "viem/utils"
import { AesGcmCipher } from "../../../src/adapters/cipher/aes-gcm.ts"
import { isSignedBy, derivePublicKey } from "../../../src/adapters/signer/keys.ts"
import { keyUse, rotateKeys } from "../../../src/engine/crypto/EncryptionKeys.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { encryptionKey, intent, solanaExport, storageIn, withLocal } from "./support.ts"

const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`
const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"

describe("the local signer", () => {
  covers("SIGNER-1")
  it.effect("signs digests with secp256k1: the lower s, and a parity that recovers the key", () =>
    storageIn(
      withLocal({ keys: { hot: { curve: "secp256k1" } } }, (signer) =>
        Effect.gen(function* () {
          const { bytes } = yield* signer.publicKey("hot")
          const digests = fc.sample(fc.uint8Array({ minLength: 32, maxLength: 32 }), 100)
          const parities = new Set<number>()
          for (const digest of digests) {
            const signature = yield* signer.sign("hot", "secp256k1", digest, intent)
            assert.strictEqual(signature.length, 65)
            const [r, s, yParity] = [signature.subarray(0, 32), signature.subarray(32, 64), signature[64]!]
            assert.isTrue(BigInt(hex(s)) <= BigInt(`0x${order}`) / 2n)
            const recovered = yield* Effect.promise(() =>
              recoverPublicKey({ hash: hex(digest), signature: { r: hex(r), s: hex(s), yParity } })
            )
            assert.strictEqual(recovered, hex(bytes))
            parities.add(yParity)
          }
          assert.deepStrictEqual([...parities].sort(), [0, 1])
        })
      )
    )
  )

  it.effect("signs messages of any length with Ed25519", () =>
    storageIn(
      withLocal({ keys: { hot: { curve: "ed25519" } } }, (signer) =>
        Effect.gen(function* () {
          const { bytes } = yield* signer.publicKey("hot")
          for (const message of fc.sample(fc.uint8Array({ maxLength: 2000 }), 100)) {
            const signature = yield* signer.sign("hot", "ed25519", message, intent)
            assert.strictEqual(signature.length, 64)
            assert.isTrue(isSignedBy(bytes, message, signature))
            assert.isFalse(isSignedBy(bytes, Buffer.concat([message, Buffer.of(1)]), signature))
          }
        })
      )
    )
  )

  it.effect("signs nothing that its policy refuses, and gives the policy the intent", () =>
    storageIn(
      Effect.gen(function* () {
        const asked: Array<unknown> = []
        const policy = (keyRef: string, given: typeof intent) => {
          asked.push([keyRef, given])
          return given.amount === "1.50" ? null : `payouts of ${given.amount} ${given.currency} need two people`
        }
        yield* withLocal({ keys: { hot: { curve: "ed25519" } }, policy }, (signer) =>
          Effect.gen(function* () {
            yield* signer.sign("hot", "ed25519", Buffer.alloc(8), intent)
            const large = { ...intent, amount: "1000000" }
            const refused = yield* Effect.flip(signer.sign("hot", "ed25519", Buffer.alloc(8), large))
            assert.strictEqual(refused._tag, "SigningRefused")
            assert.strictEqual(refused.message, "payouts of 1000000 USDC need two people")
            assert.deepStrictEqual(asked, [
              ["hot", intent],
              ["hot", large]
            ])
          })
        )
      })
    )
  )

  it.effect("has a fault for a key that it does not have, and for another curve", () =>
    storageIn(
      withLocal({ keys: { hot: { curve: "ed25519" } } }, (signer) =>
        Effect.gen(function* () {
          const unknown = yield* Effect.flip(signer.publicKey("cold"))
          assert.strictEqual(unknown.message, 'the signer has no key "cold"')
          const other = yield* Effect.flip(signer.sign("hot", "secp256k1", Buffer.alloc(32), intent))
          assert.strictEqual(other.message, "the key hot is one of ed25519, not of secp256k1")
        })
      )
    )
  )
})

const started = (...args: Parameters<typeof withLocal<unknown, never, never>>) => Effect.exit(withLocal(...args))
const nothing = () => Effect.void

covers("SIGNER-2")
describe("a key of the local signer", () => {
  it.effect("is not kept of a start that refuses another key, so that the right start may import it", () =>
    storageIn(
      Effect.gen(function* () {
        const isKept = Effect.map(
          Storage.use((store) => store.find("signer_key", "hot")),
          (row) => row !== undefined
        )
        yield* withLocal({ keys: { cold: { curve: "ed25519" } } }, nothing)
        const others = [
          { cold: { curve: "secp256k1" } },
          { cold: { curve: "ed25519", secret } },
          { no: { curve: "secp256k1", secret: order } },
          { "": { curve: "ed25519" } }
        ] as const
        for (const other of others) {
          const exit = yield* started({ keys: { hot: { curve: "secp256k1" }, ...other } }, nothing)
          assert.isTrue(Exit.isFailure(exit))
          assert.isFalse(yield* isKept)
        }
        yield* withLocal({ keys: { hot: { curve: "secp256k1", secret } } }, nothing)
        assert.isTrue(yield* isKept)
      })
    )
  )

  it.effect("is generated once, also when several nodes start at once", () =>
    storageIn(
      Effect.gen(function* () {
        const read = withLocal({ keys: { hot: { curve: "secp256k1" } } }, (signer) => signer.publicKey("hot"))
        const first = yield* Effect.all([read, read, read, read], { concurrency: "unbounded" })
        const later = yield* read
        assert.deepStrictEqual(new Set([...first, later].map(({ bytes }) => hex(bytes))).size, 1)
      })
    )
  )

  it.effect("is imported from 32 bytes in hexadecimal", () =>
    storageIn(
      Effect.gen(function* () {
        const keys = { hot: { curve: "secp256k1", secret: `0x${secret}` } } as const
        const key = yield* withLocal({ keys }, (signer) => signer.publicKey("hot"))
        assert.deepStrictEqual(
          Buffer.from(key.bytes),
          Buffer.from(derivePublicKey("secp256k1", Buffer.from(secret, "hex")))
        )
        // The address of this well-known key signs an Ethereum message that another library verifies.
        const { hashMessage, publicKeyToAddress, serializeSignature } = yield* Effect.promise(async () => ({
          ...(await import("viem/utils")),
          ...(await import("viem/accounts"))
        }))
        const address = publicKeyToAddress(hex(key.bytes))
        assert.strictEqual(address, "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23")
        const digest = Buffer.from(hashMessage("corridor").slice(2), "hex")
        const bytes = yield* withLocal({ keys: {} }, (signer) => signer.sign("hot", "secp256k1", digest, intent))
        const signature = serializeSignature({
          r: hex(bytes.subarray(0, 32)),
          s: hex(bytes.subarray(32, 64)),
          yParity: bytes[64]!
        })
        assert.isTrue(yield* Effect.promise(() => verifyMessage({ address, message: "corridor", signature })))
      })
    )
  )

  it.effect("is imported from what a Solana wallet exports", () =>
    storageIn(
      Effect.gen(function* () {
        const { pair, secret } = solanaExport()
        const keys = { hot: { curve: "ed25519", secret: base58.encode(pair) } } as const
        const key = yield* withLocal({ keys }, (signer) => signer.publicKey("hot"))
        assert.deepStrictEqual(Buffer.from(key.bytes), pair.subarray(32))
        // The same key, written otherwise.
        yield* withLocal({ keys: { hot: { curve: "ed25519", secret: secret.toString("hex") } } }, nothing)
      })
    )
  )

  const wrong: ReadonlyArray<readonly [string, "secp256k1" | "ed25519", string]> = [
    ["empty", "secp256k1", ""],
    ["short", "secp256k1", secret.slice(2)],
    ["long", "secp256k1", `${secret}00`],
    ["not hexadecimal", "secp256k1", secret.replace("4", "g")],
    ["zero", "secp256k1", "0".repeat(64)],
    ["the order of the curve", "secp256k1", order],
    ["of another curve", "secp256k1", base58.encode(solanaExport().pair)],
    [
      "a pair whose halves differ",
      "ed25519",
      base58.encode(Buffer.concat([solanaExport().secret, Buffer.alloc(32, 7)]))
    ]
  ]
  it.effect.each(wrong)("is refused, and not shown, when it is %s", ([, curve, text]) =>
    storageIn(
      Effect.gen(function* () {
        const exit = yield* started({ keys: { hot: { curve, secret: text } } }, nothing)
        assert.isTrue(Exit.hasDies(exit))
        const shown = String(Exit.isFailure(exit) ? exit.cause : "")
        assert.include(shown, `keys.hot.secret is no private key of ${curve}`)
        if (text !== "") assert.notInclude(shown, text)
        const storage = yield* Storage
        assert.strictEqual(yield* storage.find("signer_key", "hot"), undefined)
      })
    )
  )

  it.effect("cannot be replaced by another secret, or by one of another curve", () =>
    storageIn(
      Effect.gen(function* () {
        yield* withLocal({ keys: { hot: { curve: "secp256k1", secret } } }, nothing)
        const other = secret.replaceAll("4", "5")
        const exit = yield* started({ keys: { hot: { curve: "secp256k1", secret: other } } }, nothing)
        const shown = String(Exit.isFailure(exit) ? exit.cause : "")
        assert.include(shown, "keys.hot.secret is not the stored key")
        assert.notInclude(shown, other)
        const curve = yield* started({ keys: { hot: { curve: "ed25519" } } }, nothing)
        assert.include(String(Exit.isFailure(curve) ? curve.cause : ""), "the stored key is one of secp256k1")
        yield* withLocal({ keys: { hot: { curve: "secp256k1", secret } } }, nothing)
      })
    )
  )

  it.effect("is stored sealed alone, and a rotation of the encryption key seals it again", () =>
    storageIn(
      Effect.gen(function* () {
        const [older, newer] = [encryptionKey(1), encryptionKey(2)]
        const storage = yield* Storage
        yield* withLocal({ keys: { hot: { curve: "secp256k1", secret } } }, nothing, [older])
        const cipher = AesGcmCipher.layer({ keys: [newer, older] }).pipe(
          Layer.provideMerge(Layer.succeed(Storage, storage))
        )
        const plain = JSON.stringify(yield* storage.find("signer_key", "hot"))
        assert.notInclude(plain, secret)
        yield* Effect.provide(rotateKeys, cipher)
        const uses = yield* Effect.provide(keyUse, cipher)
        assert.deepStrictEqual(
          uses.map(({ key, rows }) => [key, rows["signer_key"] ?? 0]),
          [[newer.id, 1]].concat(uses.length > 1 ? [[older.id, 0]] : [])
        )
        yield* withLocal({ keys: {} }, (signer) => signer.sign("hot", "secp256k1", Buffer.alloc(32, 1), intent), [
          newer
        ])
        const lost = yield* withLocal(
          { keys: {} },
          (signer) => Effect.flip(signer.sign("hot", "secp256k1", Buffer.alloc(32, 1), intent)),
          [older]
        )
        assert.strictEqual(lost._tag, "SignerFault")
      })
    )
  )

  covers("SIGNER-4")
  it.effect("derives a key for each path, the same at every start, that verifies what it signs", () =>
    storageIn(
      Effect.gen(function* () {
        const use = (path: string) =>
          withLocal({ keys: { seed: { curve: "ed25519", secret }, eth: { curve: "secp256k1" } } }, (signer) =>
            Effect.gen(function* () {
              const { bytes, curve } = yield* signer.publicKey(path)
              const message = Buffer.from("a message")
              const signature = yield* signer.sign(path, "ed25519", message, intent)
              assert.isTrue(isSignedBy(bytes, message, signature))
              return `${curve} ${hex(bytes)}`
            })
          )
        const derived = hkdfSync("sha256", Buffer.from(secret, "hex"), "corridor", "dad_1/USDC", 32)
        const expected = `ed25519 ${hex(derivePublicKey("ed25519", new Uint8Array(derived)))}`
        assert.strictEqual(yield* use("seed/dad_1/USDC"), expected)
        assert.strictEqual(yield* use("seed/dad_1/USDC"), expected)
        const all = yield* Effect.all(["seed", "seed/dad_1", "seed/dad_2", "seed/dad_1/USDC"].map(use))
        assert.strictEqual(new Set(all).size, 4)
        for (const path of ["eth/dad_1", "none/dad_1"]) {
          const fault = yield* Effect.flip(use(path))
          assert.strictEqual((fault as { _tag: string })._tag, "SignerFault")
        }
      })
    )
  )
})
