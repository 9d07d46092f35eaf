/** What a process remembers of keys and merchants, when one is revoked or suspended while it is being read. */
import { Deferred, Effect, Fiber, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ApiKeys } from "../../../src/engine/resources/access/api-key.ts"
import { Auth } from "../../../src/engine/calls/auth.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { sha256 } from "../../../src/engine/crypto/secrets.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

/** A store whose reads of rows can be held: each has read by then, and its answer comes when it is let go. */
const held = () => {
  let gate: { readonly read: Deferred.Deferred<void>; readonly go: Deferred.Deferred<void> } | undefined
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        get: (keys) =>
          Effect.flatMap(store.get(keys), (rows) => {
            const held = gate
            gate = undefined
            if (held === undefined) return Effect.succeed(rows)
            return Deferred.succeed(held.read, undefined).pipe(Effect.andThen(Deferred.await(held.go)), Effect.as(rows))
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  /** Holds the next read, and gives what it takes to know it has read and to let it go. */
  const hold = Effect.gen(function* () {
    const made = { read: yield* Deferred.make<void>(), go: yield* Deferred.make<void>() }
    gate = made
    return made
  })
  return { hold, storage }
}

/** Asks; while the answer is on its way does `meanwhile`; then asks again. */
const whileAsked = <A, E, R, E2, R2>(
  hold: ReturnType<typeof held>["hold"],
  ask: Effect.Effect<A, E, R>,
  meanwhile: Effect.Effect<unknown, E2, R2>
) =>
  Effect.gen(function* () {
    const { go, read } = yield* hold
    const first = yield* Effect.forkChild(Effect.exit(ask))
    yield* Deferred.await(read)
    yield* meanwhile
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(first)
    return yield* Effect.flip(ask)
  })

covers("KEY-2")
it("a key that was revoked while it was read is refused from then on", async () => {
  const { hold, storage } = held()
  const refusal = await Effect.runPromise(
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const auth = yield* Auth
      const { merchant } = yield* (yield* Merchants).create(yield* call(PLATFORM_MERCHANT), {
        name: "Ada",
        country_code: "NG",
        status: "active"
      })
      const caller = yield* call(merchant.id)
      const made = yield* keys.create(caller, { role: "developer" })
      const hash = yield* sha256(made.secret)
      return yield* whileAsked(hold, auth.authenticate(hash), keys.revoke(caller, made.id))
    }).pipe(Effect.provide(makeSimulatedEngine({ storage })))
  )
  assert.strictEqual(refusal._tag, "AuthenticationFailed")
})

it.each(["authenticate", "admit"] as const)(
  "a merchant that was suspended while it was read is inactive from then on: %s",
  async (how) => {
    const { hold, storage } = held()
    const refusal = await Effect.runPromise(
      Effect.gen(function* () {
        const auth = yield* Auth
        const merchants = yield* Merchants
        const operator = yield* call(PLATFORM_MERCHANT)
        const { api_key, merchant } = yield* merchants.create(operator, {
          name: "Ada",
          country_code: "NG",
          status: "active"
        })
        const hash = yield* sha256(api_key.secret)
        const ask: Effect.Effect<unknown, { readonly _tag: string }> =
          how === "admit" ? auth.admit(merchant.id) : auth.authenticate(hash)
        return yield* whileAsked(hold, ask, merchants.update(operator, merchant.id, { status: "suspended" }))
      }).pipe(Effect.provide(makeSimulatedEngine({ storage })))
    )
    assert.strictEqual(refusal._tag, "MerchantInactive")
  }
)
