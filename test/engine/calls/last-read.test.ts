/** What a node keeps of the store for a moment. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeLastRead } from "../../../src/engine/calls/last-read.ts"
import { interruptAnywhere } from "../../support/faults/interrupted.ts"

it.effect("is read again after the reads of others were interrupted, wherever that was", () =>
  Effect.gen(function* () {
    let isSlow = true
    const rules = makeLastRead(
      Effect.suspend(() => (isSlow ? Effect.never : Effect.succeed("rules"))),
      1000
    )
    yield* interruptAnywhere(rules.current)
    isSlow = false
    // No time passes: who waited for a read that told nobody would wait for ever.
    const read = yield* Effect.forkChild(rules.current, { startImmediately: true })
    for (let passed = 0; passed < 20; passed++) yield* Effect.yieldNow
    assert.deepEqual(read.pollUnsafe(), yield* Effect.exit(Effect.succeed("rules")))
  })
)
