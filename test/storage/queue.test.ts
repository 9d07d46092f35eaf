import { expect, it } from "vitest"
import { type Answer, Line } from "../../src/adapters/storage/queue.ts"
import { toFault } from "../../src/adapters/storage/sql.ts"

it("a waiting line takes so many, and answers the others at once that it may be asked again", async () => {
  const served: Array<number> = []
  const gate = Promise.withResolvers<void>()
  const run = async (items: ReadonlyArray<number>): Promise<ReadonlyArray<Answer<number>>> => {
    await gate.promise
    served.push(...items)
    return items.map((value) => ({ ok: true, value }))
  }
  const line = new Line(run, { lanes: 1, size: 2, most: 3 })
  const answers = Promise.all(
    [1, 2, 3, 4, 5].map((n) => new Promise<Answer<number>>((resolve) => void line.ask(n, resolve)))
  )
  gate.resolve()
  const found = await answers
  expect(found.map(({ ok }) => ok)).toEqual([true, true, true, false, false])
  expect(served).toEqual([1, 2, 3])
  const fault = found[3]!
  expect(fault.ok ? undefined : toFault(fault.error)).toMatchObject({ _tag: "StorageFault", retryable: true })
})
