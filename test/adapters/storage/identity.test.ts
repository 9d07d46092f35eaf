/** Where a store is, and was: what tells a restored copy. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect, it } from "vitest"
import { CellsStorage } from "../../../src/adapters/storage/cells/cells.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { isOriginal, StoreIdentity } from "../../../src/engine/work/upkeep/StoreIdentity.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import { freshPglite } from "../../support/stores/pglite.ts"
import { change, claimOf, fresh, freshQueue, job, promised, range } from "./support.ts"

const opened = async (layer: Layer.Layer<Storage, StorageFault>) => {
  const runtime = ManagedRuntime.make(layer)
  const service = await runtime.runPromise(Storage)
  return { service, store: promised(service), close: () => runtime.dispose() }
}
type Opened = Awaited<ReturnType<typeof opened>>

/** As a node asks that starts now. */
const isCopy = ({ service }: Pick<Opened, "service">): Promise<boolean> =>
  Effect.runPromise(
    Effect.flatMap(StoreIdentity, (identity) => identity.isCopy).pipe(
      Effect.provide(StoreIdentity.layer.pipe(Layer.provide(Layer.succeed(Storage, service))))
    )
  )

const recorded = (url: string) => query(url, "select value from setting where key = 'identity'")

describe("the identity of a store", () => {
  covers("RESTORE-1")
  it("is that of a copy where it was recorded and the database cannot tell", () => {
    expect(isOriginal({ found: null, recorded: null })).toBe(true)
    expect(isOriginal({ found: null, recorded: "7/5/1" })).toBe(false)
    expect(isOriginal({ found: null, recorded: "7/5/*" })).toBe(false)
    expect(isOriginal({ found: "7/5/2", recorded: "7/5/*" })).toBe(true)
    expect(isOriginal({ found: "7/51/2", recorded: "7/5/*" })).toBe(false)
  })

  covers("RESTORE-1")
  it("is not taken from a server that does not let its users ask: a copy there is accepted without one", async () => {
    const url = await freshDatabase()
    const server = await opened(PostgresStorage.layer({ url }))
    expect(await isCopy(server)).toBe(false)
    expect(await recorded(url)).toHaveLength(1)
    await query(url, "revoke execute on function pg_control_system() from public")
    const role = fresh("role").toLowerCase()
    await query(url, `create role ${role} login; grant usage on schema public to ${role}`)
    for (const what of ["tables", "functions", "sequences"])
      await query(url, `grant all on all ${what} in schema public to ${role}`)
    await server.close()

    const restored = await opened(
      Layer.effect(
        Storage,
        Effect.map(PostgresStorage.pool({ url: url.replace(/\/\/[^@]*@/, `//${role}@`), connections: 2 }), (pool) =>
          pool.store()
        )
      )
    )
    try {
      expect(await isCopy(restored)).toBe(true)
      const lease = { token: "node/lease", wall: Date.now(), lease_ms: 1_000, compared: true }
      for (const _ of range(2))
        expect(await restored.store.commit(change(fresh("mer"), { jobs: [{ ...job(freshQueue()), lease }] }))).toEqual({
          _tag: "Committed"
        })
      await restored.store.recordIdentity("anew")
      expect(await isCopy(restored)).toBe(false)
      expect(await recorded(url)).toEqual([])
      await restored.store.recordIdentity("suspended")
      expect(await isCopy(restored)).toBe(true)
    } finally {
      await restored.close()
      await query(url, `drop owned by ${role}; drop role ${role}`)
    }
  })

  covers("RESTORE-7")
  it.each([
    ["Postgres", async () => PostgresStorage.layer({ url: await freshDatabase() })],
    ["PGlite", freshPglite]
  ] as const)("can be suspended, until it is accepted, on %s", async (_, layer) => {
    const one = await opened(await layer())
    expect(await isCopy(one)).toBe(false)
    await one.store.recordIdentity("suspended")
    expect(await isCopy(one)).toBe(true)
    await one.store.recordIdentity("first")
    expect(await isCopy(one)).toBe(true)
    await one.store.recordIdentity("anew")
    expect(await isCopy(one)).toBe(false)
    await one.close()
  })

  covers("RESTORE-1")
  it.each([
    ["Postgres", (url: string) => PostgresStorage.layer({ url })],
    ["cells", (url: string) => CellsStorage.layer({ url, cells: 2 })]
  ])("is compared by each claim on %s: a standby that was promoted a moment ago gives no jobs", async (_, layer) => {
    const url = await freshDatabase()
    const one = await opened(layer(url))
    const queue = freshQueue()
    await one.store.commit(change(fresh("mer"), { jobs: [job(queue)] }))
    await one.store.recordIdentity("first")
    // The next timeline.
    await query(url, "update setting set value = regexp_replace(value, '[0-9]+$', '0') where key = 'identity'")
    expect(await one.store.claim(claimOf(queue))).toEqual([])
    await one.store.recordIdentity("promotable")
    expect(await one.store.claim(claimOf(queue))).toHaveLength(1)
    await one.close()
  })

  covers("RESTORE-1")
  it.each([
    ["Postgres", (url: string) => PostgresStorage.layer({ url })],
    ["cells", (url: string) => CellsStorage.layer({ url, cells: 2 })]
  ])("is compared by a commit that asks for it on %s", async (_, layer) => {
    const url = await freshDatabase()
    const one = await opened(layer(url))
    const lease = { token: "node/lease", wall: Date.now(), lease_ms: 1_000 }
    const committed = (compared: boolean) =>
      one.store.commit(change(fresh("mer"), { jobs: [{ ...job(freshQueue()), lease: { ...lease, compared } }] }))
    await one.store.recordIdentity("first")
    expect(await Promise.all([committed(true), committed(false)])).toEqual([
      { _tag: "Committed", original: true },
      { _tag: "Committed" }
    ])
    // The next timeline.
    await query(url, "update setting set value = regexp_replace(value, '[0-9]+$', '0') where key = 'identity'")
    expect(await committed(true)).toEqual({ _tag: "Committed" })
    await one.store.recordIdentity("promotable")
    expect(await committed(true)).toEqual({ _tag: "Committed", original: true })
    await one.store.recordIdentity("suspended")
    expect(await committed(true)).toEqual({ _tag: "Committed" })
    await one.close()
  })
})
