/** A store with cells whose URL names several servers: each new connection goes to one of them by turn. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterEach, expect, it } from "vitest"
import { CellsStorage } from "../../../src/adapters/storage/cells/cells.ts"
import { makeClient as connectTo, makeConnections } from "../../../src/adapters/storage/sql/connections.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { balance, fresh, fund, promised, range } from "./support.ts"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** The message by which a server says that it is no standby, and the one of a standby. */
const [primary, standby] = ["off", "on"].map((text) => {
  const body = `in_hot_standby\0${text}\0`
  return `S\0\0\0${String.fromCharCode(body.length + 4)}${body}`
}) as [string, string]

/** Another port of a server, which can refuse connections and end those that it has. `isStandby`: it says that it is one. */
const forwarded = async (to: URL, isStandby = false) => {
  const open = new Set<Socket>()
  let opened = 0
  const listener = createServer((client) => {
    opened++
    const server = connect(Number(to.port || 5432), to.hostname)
    client.pipe(server)
    server.on("data", (bytes) =>
      client.write(isStandby ? Buffer.from(bytes.toString("latin1").replace(primary, standby), "latin1") : bytes)
    )
    for (const one of [client, server]) {
      open.add(one)
      one.on("error", () => [client, server].forEach((each) => each.destroy()))
      one.on("close", () => [client, server].forEach((each) => (open.delete(each), each.destroy())))
    }
  })
  const listen = async (port: number): Promise<number> => {
    listener.listen(port, "127.0.0.1")
    await once(listener, "listening")
    return (listener.address() as AddressInfo).port
  }
  const refuse = async (): Promise<void> => {
    const closed = listener.listening ? once(listener, "close") : Promise.resolve()
    listener.close()
    for (const one of open) one.destroy()
    await closed
  }
  const port = await listen(0)
  closing.push(refuse)
  return { port, refuse, accept: () => listen(port), opened: () => opened, open: () => open.size / 2 }
}

/** A database behind two ports, and a URL that names both. `isStandby`: the first is one. */
const opened = async (isStandby = false) => {
  const url = new URL(await freshDatabase())
  const ports = [await forwarded(url, isStandby), await forwarded(url)] as const
  const hosts = ports.map(({ port }) => `127.0.0.1:${port}`).join()
  return { ports, url: `postgres://${url.username}:${url.password}@${hosts}${url.pathname}` }
}

covers("CELLS-9")
it("the servers of the URL share the connections, and one that refuses is passed over until it accepts again", async () => {
  const { ports, url } = await opened()
  const runtime = ManagedRuntime.make(CellsStorage.layer({ url, cells: 2, connections: 6, commitConnections: 2 }))
  closing.push(() => runtime.dispose())
  const store = promised(await runtime.runPromise(Storage))
  const merchants = range(12).map(() => fresh("mer"))
  const expected = new Map(merchants.map((m) => [m, 0]))
  /** Funds each merchant at once. A commit whose connection was lost has an unknown outcome: the balance says what became of it. */
  const fundAll = async (): Promise<number> => {
    const ended = await Promise.allSettled(merchants.map((m) => fund(store, m, "available:w", 1)))
    for (const [n, { status }] of ended.entries()) {
      const m = merchants[n]!
      const found = Number((await balance(store, m, "available:w")) ?? 0)
      const added = found - expected.get(m)!
      expect(status === "fulfilled" ? [1] : [0, 1]).toContain(added)
      expected.set(m, found)
    }
    return ended.filter(({ status }) => status === "fulfilled").length
  }
  expect(await fundAll()).toBe(12)
  const before = ports.map((port) => port.opened())
  for (const count of before) expect(count).toBeGreaterThan(1)

  for (const away of [0, 1]) {
    await ports[away]!.refuse()
    // What was on its way is lost at most once for each connection.
    await expect.poll(fundAll, { timeout: 10_000 }).toBe(12)
    const there = ports[1 - away]!.opened()
    expect(await fundAll()).toBe(12)
    expect(there).toBeGreaterThan(before[1 - away]!)
    await ports[away]!.accept()
  }
})

it("connections begin with the host of their turn", async () => {
  const { ports, url } = await opened()
  for (const [turn, counts] of [
    [0, [2, 1]],
    [1, [3, 3]]
  ] as const) {
    const { close, query } = makeConnections({ url, statement_timeout_ms: 5_000, turn }, 3)
    await Promise.all(range(3).map(() => query("select pg_sleep(0.1)", [])))
    expect(ports.map((port) => port.opened())).toEqual(counts)
    await close()
  }
})

covers("CELLS-9")
it("a standby is passed over", async () => {
  const { ports, url } = await opened(true)
  const { close, query } = makeConnections({ url, statement_timeout_ms: 5_000, turn: 0 }, 3)
  await Promise.all(range(3).map(() => query("select pg_sleep(0.1)", [])))
  expect(ports.map((port) => port.opened())).toEqual([2, 3])
  expect(ports.map((port) => port.open())).toEqual([0, 3])
  await close()
})

covers("CELLS-9")
it("a store starts where the first server of its URL is a standby", async () => {
  const { url } = await opened(true)
  const runtime = ManagedRuntime.make(CellsStorage.layer({ url, cells: 1, connections: 2, commitConnections: 1 }))
  closing.push(() => runtime.dispose())
  const store = promised(await runtime.runPromise(Storage))
  const m = fresh("mer")
  await fund(store, m, "available:w", 1)
  expect(Number(await balance(store, m, "available:w"))).toBe(1)
})

covers("CELLS-9")
it("each connection of a client finds a server, however often one ends, whichever of them is away", {
  timeout: 40_000
}, async () => {
  for (const isStandby of [false, true]) {
    const { ports, url } = await opened(isStandby)
    for (const turn of [undefined, 0, 1]) {
      const { client, drop } = connectTo({ url: `${url}?idle_timeout=1`, statement_timeout_ms: 5_000, turn })
      const ask = () => client.unsafe("select 1 as one").then(([row]) => row!["one"])
      for (const away of isStandby ? [undefined, undefined, undefined] : [0, 1, 0, 0, 1, 1]) {
        if (away !== undefined) await ports[away]!.refuse()
        // What was on its way is lost at most once.
        await expect.poll(() => ask().catch(() => 0), { timeout: 5_000 }).toBe(1)
        expect(await ask()).toBe(1)
        if (away !== undefined) await ports[away]!.accept()
        // It ends by itself after a second: what is asked next is lost to no standby.
        if (isStandby) await expect.poll(() => ports[1].open(), { timeout: 5_000 }).toBe(0)
        expect(await ask()).toBe(1)
      }
      drop()
    }
  }
})

it("a start finds no server where all refuse", async () => {
  const { ports, url } = await opened()
  for (const port of ports) await port.refuse()
  const layer = CellsStorage.layer({ url, cells: 1, statement_timeout_ms: 500 })
  const fault = await Effect.runPromise(
    Effect.flip(Effect.scoped(Layer.build(layer))).pipe(Effect.timeout("8 seconds"))
  )
  expect(fault._tag).toBe("StorageFault")
})
