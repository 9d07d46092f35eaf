import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { formatSecret, sign, verify } from "../../../src/engine/crypto/signing.ts"
import { covers } from "../../support/repository/covers.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
const at = 1614265330
const body = '{"test": 2432232314}'

const headers = (signature: string, timestamp = String(at), message: string = id) => ({
  id: message,
  timestamp,
  signature
})

covers("SIGNATURE-2", "SIGNATURE-3", "SIGNATURE-4", "SIGNATURE-5", "SIGNATURE-6")
describe("signing", () => {
  it("makes the signature of the standard's published example", () => {
    assert.strictEqual(sign([secret], id, at, body), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })

  it("is taken by the standard's own library, whatever the key, id and body", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        fc.stringMatching(/^msg_evt_[0-9a-z]{26}$/),
        fc.json(),
        (key, message, text) => {
          const now = Math.floor(Date.now() / 1000)
          const theirs = new Webhook(formatSecret(key))
          const ours = sign([formatSecret(key)], message, now, text)
          assert.strictEqual(ours, theirs.sign(message, new Date(now * 1000), text))
          theirs.verify(text, { "webhook-id": message, "webhook-timestamp": String(now), "webhook-signature": ours })
          assert.isNull(verify([formatSecret(key)], headers(ours, String(now), message), text, now))
        }
      )
    )
  })

  it("signs with each of several secrets, and either verifies alone", () => {
    const other = formatSecret(new Uint8Array(32).fill(9))
    const both = sign([other, secret], id, at, body)
    assert.strictEqual(both.split(" ").length, 2)
    for (const one of [secret, other]) {
      assert.isNull(verify([one], headers(both), body, at))
      new Webhook(one)
        .sign(id, new Date(at * 1000), body)
        .split(" ")
        .forEach((entry) => assert.include(both, entry))
    }
  })

  it("passes over entries of other versions and reads an unprefixed secret", () => {
    const entry = sign([secret], id, at, body)
    assert.isNull(verify([secret.slice(6)], headers(`v1a,AAAA ${entry} v2,BBBB`), body, at))
    assert.strictEqual(verify([secret], headers(entry.replace("v1,", "v2,")), body, at), "mismatch")
  })

  it("reads raw bytes as it reads text", () => {
    const text = '{"name":"Zoë 😀"}'
    assert.isNull(verify([secret], headers(sign([secret], id, at, text)), Buffer.from(text), at))
  })

  it.each([
    ["another body", headers(sign([secret], id, at, body)), `${body} `, at, "mismatch"],
    ["another id", headers(sign([secret], "msg_other", at, body)), body, at, "mismatch"],
    ["another timestamp", headers(sign([secret], id, at + 1, body)), body, at, "mismatch"],
    ["another secret", headers(sign([formatSecret(new Uint8Array(32))], id, at, body)), body, at, "mismatch"],
    ["a signature cut short", headers(sign([secret], id, at, body).slice(0, -8)), body, at, "mismatch"],
    ["an empty signature", headers("v1,"), body, at, "mismatch"],
    ["five minutes and a second late", headers(sign([secret], id, at, body)), body, at + 301, "stale"],
    ["five minutes and a second early", headers(sign([secret], id, at, body)), body, at - 301, "stale"],
    ["a timestamp that is not a number", headers(sign([secret], id, at, body), "soon"), body, at, "malformed"],
    ["a number with more behind it", headers(sign([secret], id, at, body), `${at}s`), body, at, "malformed"],
    ["a negative timestamp", headers(sign([secret], id, at, body), "-1"), body, at, "malformed"],
    ["a clock that is not a number", headers(sign([secret], id, at, body)), body, Number.NaN, "stale"],
    ["no signature", { id, timestamp: String(at), signature: undefined }, body, at, "missing"],
    ["no id", { id: "", timestamp: String(at), signature: "v1,x" }, body, at, "missing"]
  ] as const)("refuses %s", (_, given, text, now, fault) => {
    assert.strictEqual(verify([secret], given, text, now), fault)
  })

  it("takes a message exactly five minutes off", () => {
    const given = headers(sign([secret], id, at, body))
    assert.isNull(verify([secret], given, body, at + 300))
    assert.isNull(verify([secret], given, body, at - 300))
  })

  it("refuses to sign with what is not a secret, or at half a second", () => {
    for (const other of ["whsec_not base64!", "whsec_!AAAA", "whsec_"])
      assert.throws(() => sign([other], id, at, body), RangeError, "a signing secret must be whsec_ followed by base64")
    assert.throws(
      () => sign([secret], id, at + 0.5, body),
      RangeError,
      `the timestamp must be whole seconds: ${at + 0.5}`
    )
  })

  it("signs as before with a secret that thousands of others came after", () => {
    const before = sign([secret], id, at, body)
    for (let other = 0; other < 3000; other++) sign([formatSecret(Buffer.alloc(32, String(other)))], id, at, "")
    assert.strictEqual(sign([secret], id, at, body), before)
  })
})
