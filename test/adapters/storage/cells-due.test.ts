/** What several cells answer together, where some answer late. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { makeJobMethods } from "../../../src/adapters/storage/cells/due.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import type { Beat, Storage } from "../../../src/engine/ports/Storage.ts"
import { memoryStore } from "../../support/protocol/http-provider.ts"
import { covers } from "../../support/repository/covers.ts"

type Said = "ended" | "renewed" | "fault"

/** A store whose n-th beat says the n-th of `said`, the first one after `silent_ms`. */
const beating = (store: Storage["Service"], silent_ms: number, said: ReadonlyArray<Said>): Storage["Service"] => {
  const rest = [...said]
  let isFirst = true
  return {
    ...store,
    heartbeat: () =>
      Effect.suspend(() => {
        const wait = isFirst ? silent_ms : 0
        isFirst = false
        const says = rest.shift() ?? "renewed"
        const answer: Effect.Effect<boolean, StorageFault> =
          says === "fault"
            ? Effect.fail(new StorageFault({ message: "away", retryable: true }))
            : Effect.succeed(says === "ended")
        return wait === 0 ? answer : Effect.delay(answer, wait)
      })
  }
}

const beatOf = (node: string): Beat => ({ node, wall: 0, lease_ms: 1 })

describe("a lease that had ended in one of several cells", () => {
  covers("SERVICE-24")
  it.each<[string, ReadonlyArray<Said>, ReadonlyArray<Said>, ReadonlyArray<string>, ReadonlyArray<boolean | "fault">]>([
    ["in time", ["renewed"], ["ended"], ["a", "a", "a"], [true, false, false]],
    ["late", ["renewed"], ["ended"], ["a", "a", "a"], [false, true, false]],
    [
      "late, and not while no cell answers",
      ["renewed", "fault"],
      ["ended", "fault"],
      ["a", "a", "a"],
      [false, "fault", true]
    ],
    ["late, to the node that it is about alone", ["renewed"], ["ended"], ["a", "b", "a"], [false, false, true]]
  ])("is told once: %s", (how, first, second, nodes, told) =>
    Effect.gen(function* () {
      const store = yield* memoryStore
      const late = how === "in time" ? 0 : 1_200
      const due = makeJobMethods([beating(store, 0, first), beating(store, late, second)], () => {})
      const found: Array<boolean | "fault"> = []
      for (const node of nodes) {
        found.push(yield* Effect.orElseSucceed(due.heartbeat(beatOf(node)), () => "fault" as const))
        if (found.length === 1) yield* Effect.sleep(late)
      }
      assert.deepEqual(found, told)
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
