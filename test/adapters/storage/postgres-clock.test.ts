/** The server's clock measures leases, whatever the nodes' clocks show. */
import { Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CellsStorage } from "../../../src/adapters/storage/cells/cells.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { startNode } from "../../support/engines/in-process-node.ts"
import { change, claimOf, fresh, freshQueue, job, promised, type Store } from "./support.ts"

const minute = 60_000

covers("SERVICE-15")
describe.each([
  ["a server", async () => PostgresStorage.layer({ url: await freshDatabase() })],
  ["a server with cells", async () => CellsStorage.layer({ url: await freshDatabase(), cells: 2 })]
])("leases on %s", (_, open) => {
  let runtime: ManagedRuntime.ManagedRuntime<Storage, unknown>
  let store: Store
  beforeAll(async () => {
    runtime = ManagedRuntime.make(await open())
    store = promised(await runtime.runPromise(Storage))
  })
  afterAll(() => runtime.dispose())

  const clocks = [-minute, 0, minute, 20 * 365 * 24 * 60 * minute]
  const pairs = clocks.flatMap((holder) => clocks.map((rival) => [holder, rival] as const))

  it.each(pairs)("holder off by %i ms, rival by %i ms: exactly one has the job", async (holder, rival) => {
    const [claimed, born] = [freshQueue(), freshQueue()]
    const lease_ms = 30_000
    await store.commit(change(fresh("mer"), { jobs: [job(claimed)] }))
    const query = (queue: typeof claimed, off: number) => claimOf(queue, { wall: Date.now() + off, lease_ms })
    expect(await store.claim(query(claimed, holder))).toHaveLength(1)
    expect(await store.claim(query(claimed, rival))).toEqual([])

    const lease = { token: "writer", wall: Date.now() + holder, lease_ms }
    await store.commit(change(fresh("mer"), { jobs: [job(born, { lease })] }))
    expect(await store.claim(query(born, rival))).toEqual([])
  })

  it.each(clocks)("an expired one can be claimed by a node that is off by %i ms", async (off) => {
    const queue = freshQueue()
    const wall = Date.now() + off
    await store.commit(change(fresh("mer"), { jobs: [job(queue, { lease: { token: "writer", wall, lease_ms: 0 } })] }))
    expect(await store.claim(claimOf(queue, { wall, lease_ms: 0 }))).toMatchObject([{ attempt: 1 }])
    expect(await store.claim(claimOf(queue, { wall: Date.now() }))).toMatchObject([{ attempt: 2 }])
  })
})

it("a node whose clock is a minute ahead of the server's is not ready and completes no job; another is not affected", async () => {
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url: await freshDatabase() }))
  const storage = Layer.succeed(Storage, await runtime.runPromise(Storage))
  const right = await startNode({ storage })
  const ahead = await startNode({ storage, known: right, wall: () => Date.now() + minute })
  const reason = /^the clock of this node is (?:59\.9|60|60\.1) s ahead of the database's; /
  const unready = await ahead.ask("/health/ready")
  expect([unready.status, unready.json]).toEqual([
    503,
    { status: "unavailable", reason: expect.stringMatching(reason) }
  ])
  expect((await ahead.ask("/sandbox/settle", { body: {} })).status).toBe(500)
  expect((await right.ask("/health/ready")).json).toEqual({ status: "ok" })
  expect((await right.ask("/sandbox/settle", { body: {} })).status).toBe(200)
  await ahead.close()
  await right.close()
  await runtime.dispose()
})
