/** The service's clock, moved by the sandbox (decisions 12): for everyone, forward only, and through every deadline on the way. */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { merchantAtWork } from "../support/actors.ts"
import { onEveryStore, type Run } from "../support/stores.ts"

const shared = (run: Run): void => {
  it("a fraction of a millisecond moves it by whole ones, and the service goes on", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.advance(5.0005)
        assert.isTrue(Number.isInteger(yield* Clock.currentTimeMillis))
        yield* Clock.currentTimeNanos
        yield* m.transfer("10")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))
}

onEveryStore("the service's clock", shared)
