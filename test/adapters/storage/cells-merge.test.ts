/** What several shards have of one queue is what one shard with all their jobs would have. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { mergePending } from "../../../src/adapters/storage/cells/merge.ts"
import type { Pending, Queue } from "../../../src/engine/ports/Storage.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

interface Job {
  readonly queue: Queue
  readonly due_at: number
  readonly claimed: boolean
}

const queues: ReadonlyArray<Queue> = ["command", "timer"]
const least = (times: ReadonlyArray<number>): number | null => (times.length === 0 ? null : Math.min(...times))

/** What is pending of these jobs, in the order of the queues. */
const pendingOf = (jobs: ReadonlyArray<Job>): ReadonlyArray<Pending> =>
  queues.flatMap((queue) => {
    const own = jobs.filter((job) => job.queue === queue)
    const due_at = least(own.map((job) => job.due_at))
    const free_at = least(own.filter(({ claimed }) => !claimed).map((job) => job.due_at))
    return due_at === null ? [] : [{ queue, due_at, free_at }]
  })

covers("CELLS-8")
it("the first job of several shards, and the first free one, are those of all their jobs, whichever shard has none", () => {
  const job = fc.record({ queue: fc.constantFrom(...queues), due_at: fc.nat(9), claimed: fc.boolean() })
  fc.assert(
    fc.property(fc.array(fc.array(job, { maxLength: 3 }), { maxLength: 4 }), (shards) => {
      const found = mergePending(shards.flatMap(pendingOf))
      expect(found.toSorted((a, b) => queues.indexOf(a.queue) - queues.indexOf(b.queue))).toEqual(
        pendingOf(shards.flat())
      )
    }),
    { numRuns: triesOf(1_000) }
  )
})
