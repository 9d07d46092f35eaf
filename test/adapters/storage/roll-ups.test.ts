/** When a node rolls up the list counters: as soon as it commits, and after as many commits as make the tail long. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { makeStorage } from "../../../src/adapters/storage/sql.ts"
import type { Change } from "../../../src/engine/ports/Storage.ts"
import { change, event, fresh, freshQueue, job, posting, promised, range, row, T0 } from "./support.ts"

/** A store whose database takes every Change, and the number of its roll-ups. */
const counting = () => {
  let rolls = 0
  const query = async (text: string) => {
    if (text.includes("corridor_roll")) rolls++
    return []
  }
  const store = promised(
    makeStorage({
      query,
      commit: query,
      hint: () => {},
      watch: () => Effect.void,
      clock: "caller",
      concurrency: { commits: 1, reads: 1 }
    })
  )
  const committed = async (count: number, made: (merchant_id: string) => Change): Promise<number> => {
    for (let left = count; left > 0; left -= 1_000)
      await Promise.all(range(Math.min(left, 1_000)).map(() => store.commit(made(fresh("mer")))))
    return rolls
  }
  return committed
}

const withRows = (count: number) => (m: string) => change(m, { rows: range(count).map(() => row(m)) })

it("the first commit of a process rolls up what others have left, however seldom they commit", async () => {
  const committed = counting()
  expect([await committed(1, withRows(1)), await committed(1, withRows(1))]).toEqual([1, 1])
})

it.each([
  ["of a few rows", 4_096, withRows(8)],
  ["with an event", 4_096, (m: string) => change(m, { events: [event()] })],
  ["with a posting", 4_096, (m: string) => change(m, { postings: [posting("world", "fees", 1)] })],
  ["of many rows, which count by their number", 512, withRows(64)]
] as const)("so does one of some thousand Changes %s", async (_, count, made) => {
  const committed = counting()
  await committed(1, withRows(1))
  expect([await committed(count - 1, made), await committed(1, made)]).toEqual([1, 2])
})

it("the end of a delivery, which writes nothing that is counted, does not", async () => {
  const committed = counting()
  await committed(1, withRows(1))
  const ended = (m: string) => {
    const one = job(freshQueue(), { id: "dlv_1", status: "delivered", due_at: null, created_at: T0 })
    return change(m, { lease: { job: one.id, token: "t" }, jobs: [one] })
  }
  expect(await committed(5_000, ended)).toBe(1)
})
