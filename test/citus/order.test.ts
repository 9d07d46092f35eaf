/** One server at a time orders the events of a cell, and another takes the order over between two commits. */
import { once } from "node:events"
import { type AddressInfo, connect as connectTo, createServer } from "node:net"
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterEach, expect, inject, it } from "vitest"
import { CellsStorage } from "../../src/adapters/storage/cells/cells.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { change, event, fresh, promised, range, row } from "../adapters/storage/support.ts"
import { covers } from "../support/repository/covers.ts"
import { citusDatabase, urlOfServers } from "../support/stores/citus.ts"
import { query } from "../support/stores/database.ts"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const open = async (url: string) => {
  const runtime = ManagedRuntime.make(CellsStorage.layer({ url, cells: 1 }))
  closing.push(() => runtime.dispose())
  return promised(await runtime.runPromise(Storage))
}

const connect = (url: string) => {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  closing.push(() => client.end())
  return client
}

/** A store, a merchant of its cell with an event, and the URLs of the coordinator and of the server that has the cell. */
const prepare = async () => {
  const servers = inject("citus")
  const url = await citusDatabase(servers)
  const store = await open(url)
  const m = fresh("mer")
  await store.commit(change(m, { rows: [row(m, { kind: "merchant", id: m })] }))
  const commit = async (from = store): Promise<string> => {
    const published = event({ type: `transfer.${fresh("x")}` })
    await from.commit(change(m, { rows: [row(m)], events: [published] }))
    return published.id
  }
  const [at] = await query<{ port: number }>(
    url,
    `select nodeport as port from pg_dist_shard join pg_dist_placement using (shardid)
     join pg_dist_node using (groupid) where logicalrelid = 'corridor_1.event'::regclass`
  )
  const worker = Object.assign(new URL(url), { port: `${at!.port}` }).href
  const first = await commit()
  const feed = async () => (await store.feed(m, first, 100))!.map(({ id }) => id)
  return { url, worker, servers, first, commit, feed }
}

const insert = (id: string, like: string) =>
  `insert into corridor_1.event (merchant_id, id, object_id, sequence, type, category, created_at, body)
   select x.merchant_id, '${id}', '${id}', x.sequence, x.type, x.category, x.created_at, x.body
   from (select * from corridor_1.event where id = '${like}' limit 1) x where clock_timestamp() is not null`

covers("CELLS-10")
it("a server takes the order when the writes under the one before have ended", async () => {
  const { commit, feed, first, url, worker } = await prepare()
  const coordinator = connect(url)
  let isTaken = false
  let taking: Promise<unknown> | undefined
  await coordinator.begin(async (sql) => {
    await sql`select corridor_1.corridor_begin_order()`
    await sql.unsafe(insert("evt_before", first))
    taking = query(worker, "select corridor_1.corridor_take_order()").then(() => void (isTaken = true))
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(isTaken).toBe(false)
    await sql`select corridor_1.corridor_end_order()`
  })
  await taking
  const last = await commit()
  await expect.poll(feed).toEqual(["evt_before", last])
})

covers("CELLS-10")
it("a write that began under the order of one server fails when another has taken it", async () => {
  const { first, url, worker } = await prepare()
  const coordinator = connect(url)
  const late = coordinator.begin(async (sql) => {
    await sql`select corridor_1.corridor_begin_order()`
    await query(worker, "select corridor_1.corridor_take_order()")
    await sql.unsafe(insert("evt_late", first))
    await sql`select corridor_1.corridor_end_order()`
  })
  await expect(late).rejects.toMatchObject({ code: "CRDOR" })
  await expect(query(url, "select corridor_1.corridor_begin_order()")).rejects.toMatchObject({ code: "CRDOR" })
  await expect(query(url, "select corridor_1.corridor_roll_in_order(10)")).rejects.toMatchObject({ code: "CRDOR" })
})

covers("CELLS-10")
it("events keep their order however far the ids of two servers are apart", async () => {
  const { commit, feed, url, worker } = await prepare()
  const coordinator = connect(url)
  await coordinator`do $$ begin for n in 1..2000 loop begin perform pg_current_xact_id(); execute 'create temp table t ()'; execute 'drop table t'; exception when others then null; end; end loop; end $$`
  const expected: Array<string> = []
  for (const server of [worker, url, worker, url]) {
    await query(server, "select corridor_1.corridor_take_order()")
    // The store finds the order elsewhere, and takes it back to where it asks.
    for (const _ of range(3)) expected.push(await commit())
  }
  await expect.poll(feed).toEqual(expected)
})

covers("CELLS-10")
it("nodes whose URLs name different servers take the order from each other, and lose nothing", async () => {
  const { commit, feed, servers, url } = await prepare()
  const other = await open(urlOfServers(servers, url))
  const expected: Array<string> = []
  for (const n of range(12)) expected.push(await (n % 2 === 0 ? commit() : commit(other)))
  await expect.poll(feed).toEqual(expected)
})

/** Another port of a server, which refuses connections until it is opened. */
const closedPort = async (server: string) => {
  const { hostname, port: target } = new URL(server)
  const listener = createServer((client) => {
    const upstream = connectTo(Number(target), hostname)
    client.pipe(upstream).pipe(client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client]
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy())
  })
  const listen = async (port: number): Promise<number> => {
    listener.listen(port, "127.0.0.1")
    await once(listener, "listening")
    return (listener.address() as AddressInfo).port
  }
  const port = await listen(0)
  listener.close()
  await once(listener, "close")
  closing.push(async () => void listener.close())
  return { url: `postgres://127.0.0.1:${port}`, open: () => listen(port) }
}

covers("CELLS-10")
it("a worker that did not answer at the start is asked once it does, by whatever name", async () => {
  const [coordinator, ...workers] = inject("citus")
  const url = await citusDatabase([coordinator!, ...workers])
  const ports = await Promise.all(workers.map(closedPort))
  const store = await open(urlOfServers([coordinator!, ...ports.map((port) => port.url)], url))
  const m = fresh("mer")
  await store.commit(change(m, { rows: [row(m, { kind: "merchant", id: m })] }))
  const holder = async () => {
    const [found] = await query<{ value: string }>(url, "select value from corridor_1.setting where key = 'order'")
    return found!.value.split("/")[0]
  }
  expect(await holder()).toBe("0")
  for (const port of ports) await port.open()
  await expect.poll(holder, { timeout: 30_000 }).not.toBe("0")
  await store.commit(change(m, { rows: [row(m)] }))
})
