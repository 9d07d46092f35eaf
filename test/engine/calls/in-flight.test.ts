import { Deferred, Effect, Fiber, Result } from "effect"
import { expect, it } from "vitest"
import { InFlight } from "../../../src/engine/commit/idempotency.ts"
import { interruptAnywhere } from "../../support/faults/interrupted.ts"
import { covers } from "../../support/repository/covers.ts"

const idempotency = { key: "order-1001", fingerprint: "one" }

/** A call that runs until it is let go, and what others hear of its key meanwhile. */
const during = (
  then: (open: Deferred.Deferred<string, Error>, first: Fiber.Fiber<string, unknown>) => Effect.Effect<unknown>
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const inFlight = new InFlight()
      const open = yield* Deferred.make<string, Error>()
      const first = yield* Effect.forkChild(inFlight.guard("mer_a", idempotency, Deferred.await(open)))
      yield* Effect.yieldNow
      const ask = (merchant_id: string, one: typeof idempotency) =>
        Effect.result(inFlight.guard(merchant_id, one, Effect.succeed("ran")))
      const same = yield* ask("mer_a", idempotency)
      const other = yield* ask("mer_a", { ...idempotency, fingerprint: "two" })
      const free = [
        yield* ask("mer_b", idempotency),
        yield* ask("mer_a", { ...idempotency, key: "order-1002" }),
        yield* ask("mer_a", { ...idempotency, key: "order-1002" })
      ]
      yield* then(open, first)
      yield* Fiber.await(first)
      return { same, other, free, after: yield* ask("mer_a", { ...idempotency, fingerprint: "two" }) }
    })
  )

covers("ERROR-17")
it.each<[string, Parameters<typeof during>[0]]>([
  ["answered", (open) => Deferred.succeed(open, "done")],
  ["failed", (open) => Deferred.fail(open, new Error("refused"))],
  ["interrupted", (_, first) => Fiber.interrupt(first)]
])("a key is held until its call is %s, and for its merchant alone", async (_, then) => {
  const { same, other, free, after } = await during(then)
  expect(Result.isFailure(same) && same.failure).toMatchObject({
    _tag: "IdempotencyInProgress",
    message: "The first request with this Idempotency-Key is still running. Repeat this one shortly."
  })
  expect(Result.isFailure(other) && other.failure).toMatchObject({
    _tag: "IdempotencyConflict",
    message: "This Idempotency-Key is in use by another request. Use a new key."
  })
  for (const one of [...free, after]) expect(Result.isSuccess(one) && one.success).toBe("ran")
})

covers("ERROR-17")
it("a key is free after its call was interrupted, wherever that was", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const inFlight = new InFlight()
      yield* interruptAnywhere(inFlight.guard("mer_a", idempotency, Effect.never))
      expect(yield* inFlight.guard("mer_a", idempotency, Effect.succeed("ran"))).toBe("ran")
    })
  ))
