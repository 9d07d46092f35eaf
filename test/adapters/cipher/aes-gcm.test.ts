import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import type { MissingKey } from "../../../src/engine/ports/errors.ts"
import { Cipher } from "../../../src/engine/ports/Cipher.ts"
import { covers } from "../../support/repository/covers.ts"

const older = aesKey(Buffer.alloc(32, 1).toString("base64"))
const newer = aesKey(Buffer.alloc(32, 2).toString("base64"))

const seal = (plain: string, ...keys: [typeof older, ...Array<typeof older>]) =>
  Effect.flatMap(Cipher, (cipher) => cipher.seal(plain)).pipe(Effect.provide(AesGcmCipher.layer({ keys })))
const open = (sealed: string, ...keys: [typeof older, ...Array<typeof older>]) =>
  Effect.flatMap(Cipher, (cipher) => cipher.open(sealed)).pipe(Effect.provide(AesGcmCipher.layer({ keys })))

covers("SERVICE-7")
describe("AesGcmCipher", () => {
  it.effect.each(["", "whsec_abc", "Zoë 😀", "x".repeat(100_000)])("opens what it sealed", (plain) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* open(yield* seal(plain, older), older), plain)
    })
  )

  it.effect("seals one text differently each time, and reveals none of it", () =>
    Effect.gen(function* () {
      const sealed = new Set<string>()
      for (let n = 0; n < 200; n++) sealed.add(yield* seal("whsec_plain", older))
      assert.strictEqual(sealed.size, 200)
      for (const one of sealed) assert.notInclude(Buffer.from(one.slice(9), "base64").toString("latin1"), "plain")
    })
  )

  it("takes a key of 32 bytes that is the base64 of exactly them", () => {
    const text = Buffer.alloc(32, 0xfb).toString("base64")
    assert.strictEqual(aesKey(text.replace(/=+$/, "")).id, aesKey(text).id)
    // Node reads all of these as 32 bytes.
    for (const wrong of [` ${text}`, `${text}!`, text.replaceAll("+", "-"), text.replace(/s=$/, "t=")])
      assert.throws(() => aesKey(wrong), Error)
    for (const length of [31, 33]) assert.throws(() => aesKey(Buffer.alloc(length, 1).toString("base64")), Error)
  })

  it.effect("names the key by the first 8 digits of its hash, and seals with the first", () =>
    Effect.gen(function* () {
      assert.strictEqual(older.id, "72cd6e84")
      assert.strictEqual((yield* seal("a", older, newer)).slice(0, 9), `${older.id}:`)
      assert.strictEqual((yield* seal("a", newer, older)).slice(0, 9), `${newer.id}:`)
    })
  )

  it.effect("opens with the older key after a rotation, and says which key is missing once it is gone", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("secret", older)
      assert.strictEqual(yield* open(sealed, newer, older), "secret")
      const fault = yield* Effect.flip(open(sealed, newer))
      assert.isTrue(fault.retryable)
      assert.strictEqual((fault.cause as MissingKey).key, older.id)
      assert.include(fault.message, older.id)
    })
  )

  it.effect("dies on any changed byte, on another key's name and on truncated text", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("secret", older)
      const bytes = Buffer.from(sealed.slice(9), "base64")
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        assert.isTrue(
          Exit.hasDies(yield* Effect.exit(open(`${older.id}:${changed.toString("base64")}`, older))),
          `byte ${at}`
        )
      }
      const renamed = { id: "00000000", key: older.key }
      assert.isTrue(Exit.hasDies(yield* Effect.exit(open(`00000000:${sealed.slice(9)}`, renamed))))
      for (const text of ["", "secret", `${older.id}:`, sealed.slice(0, 30)]) {
        assert.isTrue(Exit.hasDies(yield* Effect.exit(open(text, older))), text)
      }
    })
  )

  it("takes 32 bytes of base64 only, and does not repeat the input in its error", () => {
    for (const text of [
      "",
      "short",
      Buffer.alloc(31).toString("base64"),
      Buffer.alloc(33).toString("base64"),
      "?".repeat(44)
    ]) {
      assert.throws(() => aesKey(text), RangeError, /^the encryption key must be 32 bytes in base64$/)
    }
  })
})
