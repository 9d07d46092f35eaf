/** A claim that the server makes, and whose answer is lost: its jobs are not lost with it. */
import type { PGlite } from "@electric-sql/pglite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeStorage } from "../../../src/adapters/storage/sql.ts"
import type { SqlRow } from "../../../src/adapters/storage/sql/driver.ts"
import { Effect } from "effect"
import { covers } from "../../support/repository/covers.ts"
import { emptyDatabase } from "../../support/stores/pglite.ts"
import { change, claimOf, fresh, freshQueue, job, promised, T0 } from "./support.ts"

covers("SERVICE-27")

let db: PGlite
beforeAll(async () => {
  db = await emptyDatabase()
})
afterAll(() => db.close())

/** A store whose next claims are answered as `fate` says: not at all, before or after the server has made them. */
const storeOf = (fate: Array<"lost" | "unsent">) => {
  const query = async (text: string, params: ReadonlyArray<string | null>) => {
    const ask = async () => (await db.query<SqlRow>(text, [...params])).rows
    const how = text.includes("corridor_claim") ? fate.shift() : undefined
    if (how === "lost") await ask()
    if (how !== undefined) throw Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" })
    return ask()
  }
  const clock = "caller" as const
  const concurrency = { commits: 1, reads: 1 }
  return promised(makeStorage({ query, commit: query, hint: () => {}, watch: () => Effect.void, clock, concurrency }))
}

it.each(["lost", "unsent"] as const)("after an answer that is %s, the next claim has the jobs, once", async (how) => {
  const fate: Array<"lost" | "unsent"> = [how]
  const store = storeOf(fate)
  const [queue, other] = [freshQueue(), freshQueue()]
  await store.commit(change(fresh("mer"), { jobs: [job(queue, { id: "a" }), job(other, { id: "b" })] }))
  await expect(store.claim(claimOf(queue, { lease_ms: 600_000 }))).rejects.toMatchObject({ retryable: true })
  expect(await store.claim(claimOf(other))).toMatchObject([{ id: "b", attempt: 1 }])
  const [claimed] = await store.claim(claimOf(queue, { lease_ms: 600_000 }))
  expect(claimed).toMatchObject({ id: "a", attempt: how === "lost" ? 2 : 1 })
  expect(await store.claim(claimOf(queue, { wall: T0 + 500_000 }))).toEqual([])
})

it("several lost answers, one after the other, lose nothing either", async () => {
  const fate: Array<"lost" | "unsent"> = ["lost", "unsent", "lost", "lost"]
  const store = storeOf(fate)
  const queue = freshQueue()
  await store.commit(change(fresh("mer"), { jobs: ["a", "b", "c"].map((id) => job(queue, { id, partition_key: id })) }))
  const claim = () => store.claim(claimOf(queue, { lease_ms: 600_000, limit: 2 }))
  for (let n = 0; n < 4; n++) await expect(claim()).rejects.toMatchObject({ retryable: true })
  const jobs = [...(await claim()), ...(await claim())]
  expect(jobs.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c"])
  expect(await claim()).toEqual([])
})
