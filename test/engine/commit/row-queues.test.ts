/** Queues of writes to one row, within a process. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { RowQueues } from "../../../src/engine/commit/attempts.ts"
import { interruptAnywhere } from "../../support/faults/interrupted.ts"

it("a row has no queue after each write in it was interrupted, wherever that was", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const queues = new RowQueues()
      yield* interruptAnywhere(queues.take("wal_1", Effect.never))
      expect(queues.queued("wal_1")).toBe(false)
      expect(
        yield* queues.take(
          "wal_1",
          Effect.sync(() => queues.queued("wal_1"))
        )
      ).toBe(true)
      expect(queues.queued("wal_1")).toBe(false)
    })
  ))
