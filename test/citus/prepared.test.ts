/** A commit that has ended on the coordinator and is only prepared on the worker: what Citus leaves between its two phases. */
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { expect, inject, it } from "vitest"
import { CellsStorage } from "../../src/adapters/storage/cells/cells.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { change, event, fresh, promised, row } from "../adapters/storage/support.ts"
import { covers } from "../support/repository/covers.ts"
import { citusDatabase } from "../support/stores/citus.ts"
import { query } from "../support/stores/database.ts"

// Neither is one that Citus would recover: there is no node of that group.
const gid = "citus_9999_1_1_1"
const group = 9999

covers("CELLS-6")
it("the feed does not pass a commit that its worker has only prepared", async () => {
  const url = await citusDatabase(inject("citus"))
  const runtime = ManagedRuntime.make(CellsStorage.layer({ url, cells: 1 }))
  const store = promised(await runtime.runPromise(Storage))
  const m = fresh("mer")
  await store.commit(change(m, { rows: [row(m, { kind: "merchant", id: m })] }))
  const commit = async (type: string): Promise<string> => {
    const published = event({ type })
    await store.commit(change(m, { rows: [row(m)], events: [published] }))
    return published.id
  }
  const first = await commit("transfer.first")
  const feed = async () => (await store.feed(m, first, 10))!.map(({ id }) => id)
  const [at] = await query<{ shard: string; port: number }>(
    url,
    `select shardid::text as shard, nodeport as port from pg_dist_shard join pg_dist_placement using (shardid)
     join pg_dist_node using (groupid) where logicalrelid = 'corridor_1.event'::regclass`
  )
  const worker = postgres(Object.assign(new URL(url), { port: `${at!.port}` }).href, { max: 1, onnotice: () => {} })
  const coordinator = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const table = `corridor_1.event_${at!.shard}`
    await coordinator.begin(async (sql) => {
      const [one] = await sql`select pg_current_xact_id()::text as xid`
      await sql`insert into pg_dist_transaction (groupid, gid) values (${group}, ${gid})`
      await worker.unsafe(`set citus.enable_manual_changes_to_shards = on; begin;
        insert into ${table} (merchant_id, id, object_id, sequence, type, category, created_at, body, xid, position)
        select merchant_id, 'evt_between', 'another', sequence, type, category, created_at, body, '${one!["xid"]}'::xid8, position
        from ${table} where id = '${first}'; prepare transaction '${gid}'`)
    })
    const last = await commit("transfer.last")
    expect(await feed()).toEqual([])
    await worker.unsafe(`commit prepared '${gid}'`)
    expect(await feed()).toEqual(["evt_between", last])
  } finally {
    await Promise.all([worker.end(), coordinator.end()])
    await runtime.dispose()
  }
})
