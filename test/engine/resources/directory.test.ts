/** The banks of several directories, of which some do not answer. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, it } from "@effect/vitest"
import { Routes } from "../../../src/engine/calls/Routes.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { type Bank, Providers, type Provider } from "../../../src/engine/ports/Provider.ts"
import { makeDirectory } from "../../../src/engine/resources/reference/reference.ts"

const bankOf = (id: string): Bank => ({ id, name: id, code: id, country_code: "NG" })

type Listed = Effect.Effect<ReadonlyArray<Bank>, ProviderFault>

const directoryOf = (lists: Readonly<Record<string, Listed>>) =>
  makeDirectory.pipe(
    Effect.provideService(
      Providers,
      Providers.from(
        Object.entries(lists).map(
          ([name, list]) => ({ name, directory: { banks: () => list } }) as unknown as Provider["Service"]
        )
      )
    ),
    Effect.provideService(Routes, {} as never)
  )

it.effect("a bank is found once a directory has it, though others are silent or at fault, also in a write", () =>
  Effect.gen(function* () {
    let isLeft = false
    const silent = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isLeft = true)))
    const away = Effect.fail(new ProviderFault({ message: "away" }))
    const directory = yield* directoryOf({ silent, away, well: Effect.succeed([bankOf("a"), bankOf("b")]) })
    const found = yield* Effect.forkChild(Effect.uninterruptible(directory.bank("b")))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(
      found.pollUnsafe(),
      yield* Effect.exit(Effect.succeed({ bank: bankOf("b"), provider: "well" }))
    )
    assert.isTrue(isLeft)
    // It may be one of the silent directory's.
    const other = yield* Effect.forkChild(Effect.flip(directory.bank("c")))
    yield* TestClock.adjust(15_000)
    assert.strictEqual((yield* Fiber.join(other))._tag, "ExternalServiceUnavailable")
  })
)

it.effect("a bank that no directory has is none", () =>
  Effect.gen(function* () {
    const directory = yield* directoryOf({ one: Effect.succeed([bankOf("a")]), other: Effect.succeed([]) })
    assert.isUndefined(yield* directory.bank("c"))
  })
)
