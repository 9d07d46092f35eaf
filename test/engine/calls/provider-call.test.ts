/** Queries to others that a request waits for. */
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { askBriefly, awaitAnswer } from "../../../src/engine/calls/provider-call.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { covers } from "../../support/repository/covers.ts"

const bank = { name: "bank" }

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

describe("an answer", () => {
  it("that is there at once, or a fault, needs no time", async () => {
    expect(await run(awaitAnswer("its price", bank, Effect.succeed(1)))).toBe(1)
    const fault = Effect.fail(new ProviderFault({ message: "closed" }))
    expect(await run(Effect.flip(awaitAnswer("its price", bank, fault)))).toMatchObject({
      _tag: "ExternalServiceUnavailable"
    })
  })

  it("that comes within 15 s is waited for", async () => {
    const late = Effect.as(Effect.sleep(14_999), 2)
    const exit = await run(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(awaitAnswer("its price", bank, late))
        yield* TestClock.adjust(14_999)
        return fiber.pollUnsafe()
      })
    )
    expect(exit).toEqual(Exit.succeed(2))
  })

  const watched = () => {
    const query = { stopped: false, asked: Effect.never as Effect.Effect<never> }
    query.asked = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (query.stopped = true)))
    return query
  }

  it("that does not come within 15 s is waited for no longer, and its query ends although the caller goes on", async () => {
    const query = watched()
    const refused = await run(
      Effect.gen(function* () {
        const refusal = Effect.flip(awaitAnswer("its price", bank, query.asked))
        const caller = yield* Effect.forkChild(Effect.tap(refusal, Effect.sleep(1)), { startImmediately: true })
        yield* TestClock.adjust(14_999)
        expect(query.stopped).toBe(false)
        yield* TestClock.adjust(1)
        expect(query.stopped).toBe(true)
        yield* TestClock.adjust(1)
        return caller.pollUnsafe()
      })
    )
    expect(refused).toMatchObject({ value: { _tag: "ExternalServiceUnavailable" } })
  })

  it("is not asked for any more when its caller ends", async () => {
    const query = watched()
    await run(
      Effect.gen(function* () {
        const caller = yield* Effect.forkChild(awaitAnswer("its price", bank, query.asked), { startImmediately: true })
        yield* Fiber.interrupt(caller)
      })
    )
    expect(query.stopped).toBe(true)
  })

  covers("ROUTE-12")
  it("that a caller can do without is waited for two seconds, and its query ends", async () => {
    const query = watched()
    const exit = await run(
      Effect.gen(function* () {
        const caller = yield* Effect.forkChild(askBriefly(bank, query.asked), { startImmediately: true })
        yield* TestClock.adjust(1_999)
        expect(caller.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        expect(query.stopped).toBe(true)
        return caller.pollUnsafe()
      })
    )
    expect(exit).toEqual(Exit.succeed(undefined))
    expect(await run(askBriefly(bank, Effect.succeed("no")))).toBe("no")
    expect(await run(askBriefly(bank, Effect.fail(new ProviderFault({ message: "closed" }))))).toBeUndefined()
  })
})
