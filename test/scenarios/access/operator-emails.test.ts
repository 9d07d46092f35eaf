/** Operators are told apart by their emails (OPERATOR-6). */
import { Effect } from "effect"
import { assert, expect, it } from "vitest"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { Operators } from "../../../src/engine/resources/access/operator.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

const admin = Effect.gen(function* () {
  const operators = yield* Operators
  const caller = yield* call(PLATFORM_MERCHANT)
  return {
    create: (email: string | undefined, name = "Ada Obi") =>
      operators.create(caller, { name, role: "support", ...(email === undefined ? {} : { email }) }),
    update: (id: string, email: string) => operators.update(caller, id, { email }),
    revoke: (id: string) => operators.revoke(caller, id)
  }
})

onServers("the email of an operator", (run) => {
  covers("OPERATOR-6")
  it("belongs to one of eight that are created at once, in any letter case", () =>
    run(
      Effect.gen(function* () {
        const { create } = yield* admin
        const emails = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? "ada@example.com" : "Ada@Example.com"))
        const results = yield* Effect.forEach(emails, (email) => Effect.exit(create(email)), { concurrency: 8 })
        assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
        const refused = yield* Effect.flip(create("ADA@example.com"))
        assert.strictEqual(refused._tag, "DuplicateResource")
        expect(refused.message).toMatch(
          /^The email "ADA@example\.com" belongs to operator opr_\w+\. Each active operator has an email of their own\.$/
        )
      })
    ))

  it("cannot be taken by a change either, and its owner may keep it", () =>
    run(
      Effect.gen(function* () {
        const { create, update } = yield* admin
        const [ada, eve] = [yield* create("ada@change.example.com"), yield* create("eve@change.example.com", "Eve")]
        assert.strictEqual((yield* Effect.flip(update(eve.id, "ada@change.example.com")))._tag, "DuplicateResource")
        assert.strictEqual((yield* update(ada.id, "Ada@change.example.com")).email, "Ada@change.example.com")
        assert.strictEqual((yield* update(ada.id, "ada@change.example.com")).email, "ada@change.example.com")
        assert.strictEqual((yield* Effect.flip(create("ada@change.example.com")))._tag, "DuplicateResource")
      })
    ))

  it("is free again once its owner is revoked or has another one", () =>
    run(
      Effect.gen(function* () {
        const { create, revoke, update } = yield* admin
        const first = yield* create("ada@free.example.com")
        yield* revoke(first.id)
        const second = yield* create("ada@free.example.com")
        yield* update(second.id, "obi@free.example.com")
        const third = yield* create("ada@free.example.com")
        assert.strictEqual((yield* Effect.flip(update(second.id, "ada@free.example.com")))._tag, "DuplicateResource")
        yield* revoke(third.id)
        assert.strictEqual((yield* update(second.id, "ada@free.example.com")).email, "ada@free.example.com")
        assert.strictEqual((yield* Effect.flip(create("ada@free.example.com")))._tag, "DuplicateResource")
      })
    ))

  it("is not required, and operators without one are not compared", () =>
    run(
      Effect.gen(function* () {
        const { create } = yield* admin
        const [one, other] = [yield* create(undefined), yield* create(undefined)]
        assert.deepEqual([one.email, other.email], [null, null])
      })
    ))
})
