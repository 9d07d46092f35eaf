/** What needs a store of several databases: placement of merchants, rejected sets, and an unavailable database. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { ShardedStorage } from "../../../src/adapters/storage/sharded.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import { startPostgres } from "../../support/stores/postgres-server.ts"
import {
  change,
  claimOf,
  fresh,
  freshQueue,
  fund,
  job,
  posting,
  promised,
  range,
  row,
  type Store,
  T0,
  countByTag
} from "./support.ts"

const closing: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const opened = async (layer: Layer.Layer<Storage, StorageFault>): Promise<Store> => {
  const runtime = ManagedRuntime.make(layer)
  closing.push(() => runtime.dispose())
  return promised(await runtime.runPromise(Storage))
}

type Urls = readonly [string, string, ...ReadonlyArray<string>]
const set = (...urls: Urls) => ShardedStorage.layer({ urls, connections: 4 })
const refusal = (layer: Layer.Layer<Storage, StorageFault>) =>
  Effect.runPromise(Effect.map(Effect.flip(Effect.scoped(Layer.build(layer))), ({ message }) => message))

/** The merchants with any row in a database. */
const merchantsIn = async (url: string): Promise<ReadonlyArray<string>> =>
  (
    await query<{ m: string }>(
      url,
      `select distinct merchant_id as m from (
        select merchant_id from resource union all select merchant_id from posting union all select merchant_id from job
        union all select merchant_id from account union all select merchant_id from unique_key
        union all select merchant_id from transition union all select merchant_id from event) x order by 1`
    )
  ).map(({ m }) => m)

const both = async () => [await freshDatabase(), await freshDatabase()] as const

covers("SERVICE-2")
describe("merchants over two databases", () => {
  it("are spread, each whole in one of them, with the platform merchant in the first", async () => {
    const urls = await both()
    const store = await opened(set(...urls))
    const merchants = range(40).map(() => fresh("mer"))
    for (const m of [...merchants, PLATFORM_MERCHANT])
      await store.commit(
        change(m, { rows: [row(m)], postings: [posting("world", "available:w", 5)], jobs: [job("timer")] })
      )
    const [first, second] = [await merchantsIn(urls[0]), await merchantsIn(urls[1])]
    expect([...first, ...second].sort()).toEqual([...merchants, PLATFORM_MERCHANT].sort())
    expect(first).toContain(PLATFORM_MERCHANT)
    for (const kept of [first, second]) expect(kept.length).toBeGreaterThan(8)
    expect((await store.list({ kinds: ["transfer"], index_keys: [], offset: 0, limit: 100 })).total).toBe(41)
  })

  it("stay in their database for every node, and those of a former single database in the first", async () => {
    const urls = await both()
    const before = range(12).map(() => fresh("mer"))
    const alone = await opened(PostgresStorage.layer({ url: urls[0], connections: 2 }))
    for (const m of before)
      await alone.commit(
        change(m, {
          rows: [row(m, { kind: "merchant", id: m })],
          lookup_keys: [{ scope: "api_key", key: `hash of ${m}`, kind: "merchant", id: m }]
        })
      )
    const [a, b] = [await opened(set(...urls)), await opened(set(...urls))]
    for (const m of before) {
      await fund(a, m, "available:w", 1)
      expect((await b.get([{ merchant_id: m, kind: "merchant", id: m }]))[0]?.id).toBe(m)
      expect((await b.lookup("api_key", `hash of ${m}`))?.merchant_id).toBe(m)
    }
    const since = range(12).map(() => fresh("mer"))
    await Promise.all(since.flatMap((m) => [fund(a, m, "available:w", 1), fund(b, m, "available:w", 1)]))
    expect(await merchantsIn(urls[0])).toEqual(expect.arrayContaining(before))
    const found = [...(await merchantsIn(urls[0])), ...(await merchantsIn(urls[1]))]
    expect(found.sort()).toEqual([...before, ...since].sort())
    for (const m of since) expect((await a.accounts(m, ["available:w"]))[0]?.balance).toBe("2")
  })

  it("cannot take a lookup key of the other database, with the usual precedence of verdicts", async () => {
    const urls = await both()
    const [a, b] = [await opened(set(...urls)), await opened(set(...urls))]
    const key = fresh("address")
    const named = (id: string) => ({ lookup_keys: [{ scope: "payin", key, kind: "deposit_address", id }] })
    const merchants = range(20).map((n) => ({ m: fresh("mer"), id: `da_${n}` }))
    const found = await Promise.all(merchants.map(({ m, id }, n) => (n % 2 === 0 ? a : b).commit(change(m, named(id)))))
    expect(countByTag(found)).toEqual({ Committed: 1, Taken: 19 })
    const holder = merchants[found.findIndex(({ _tag }) => _tag === "Committed")]!
    expect(await b.lookup("payin", key)).toMatchObject({ merchant_id: holder.m, id: holder.id })
    for (const { m } of merchants) {
      if (m === holder.m) continue
      const r = row(m)
      await a.commit(change(m, { rows: [r] }))
      expect((await a.commit(change(m, { rows: [r], ...named("da_late") })))._tag).toBe("VersionConflict")
      const verdict = await a.commit(change(m, named("da_late")))
      expect(verdict).toEqual({ _tag: "Taken", scope: "payin", key, owner: holder.id })
    }
  })

  it("say for whom a lookup key stands, though another merchant of that database had reserved it", async () => {
    const urls = await both()
    const store = await opened(set(...urls))
    const merchants = range(20).map(() => fresh("mer"))
    for (const m of merchants) await store.commit(change(m, { rows: [row(m)] }))
    const second = await merchantsIn(urls[1])
    const [reserver, holder, other] = second as [string, string, string]
    const key = fresh("address")
    const named = (id: string) => ({ lookup_keys: [{ scope: "payin", key, kind: "deposit_address", id }] })
    // As a Change that has reserved its key, and has not come to its own database yet.
    await query(
      urls[0],
      `insert into lookup_key (scope, key, merchant_id, kind, id) values ('payin', '${key}', '${reserver}', 'deposit_address', 'da_reserved')`
    )
    expect((await store.commit(change(holder, named("da_held"))))._tag).toBe("Committed")
    const taken = { _tag: "Taken", scope: "payin", key, owner: "da_held" }
    for (const m of [reserver, other, merchants.find((one) => !second.includes(one))!]) {
      expect(await store.trialCommit(change(m, named("da_late")))).toEqual(taken)
      expect(await store.commit(change(m, named("da_late")))).toEqual(taken)
    }
  })

  it("share the claims of due jobs, up to the limit, wherever they are", async () => {
    const urls = await both()
    const store = await opened(set(...urls))
    const queue = freshQueue()
    for (const _ of range(30)) {
      const m = fresh("mer")
      await store.commit(change(m, { jobs: [job(queue)] }))
    }
    const claimed = []
    for (;;) {
      const jobs = await store.claim(claimOf(queue, { limit: 7 }))
      expect(jobs.length).toBe(Math.min(7, 30 - claimed.length))
      if (jobs.length === 0) break
      claimed.push(...jobs.map(({ id }) => id))
    }
    expect(new Set(claimed).size).toBe(30)
  })

  it("fill a partition key up to its share, however the limit is split between the databases", async () => {
    const store = await opened(set(...(await both())))
    for (const _ of range(4)) {
      const [m, queue] = [fresh("mer"), freshQueue()]
      const due = [..."abbcaa"].map((partition_key, n) =>
        job(queue, { id: `${partition_key}${n}`, partition_key, due_at: T0 + n })
      )
      await store.commit(change(m, { jobs: due }))
      const claimed = await store.claim(claimOf(queue, { now: T0 + 9, limit: 9, per_partition: 2 }))
      expect(claimed.map(({ id }) => id)).toEqual(["a0", "b1", "b2", "c3", "a4"])
    }
  })
})

describe("a set of databases", () => {
  covers("SERVICE-9")
  it("is rejected when it differs from the recorded one, with a one-line message", async () => {
    const [a, b] = await both()
    await Effect.runPromise(Effect.scoped(Layer.build(set(a, b))))
    await Effect.runPromise(Effect.scoped(Layer.build(set(a, b))))
    const c = await freshDatabase()
    const never = "the set of databases and their order never change"
    expect(await refusal(set(b, a))).toBe(`database 1 of 2 was database 2 of 2; ${never}`)
    expect(await refusal(set(a, b, c))).toBe(`database 1 of 3 was database 1 of 2; ${never}`)
    expect(await refusal(PostgresStorage.layer({ url: b, connections: 1 }))).toBe(
      "the database is number 2 of a set of 2 and holds some of the merchants; configure the whole set"
    )
    const other = await opened(PostgresStorage.layer({ url: c, connections: 1 }))
    await other.commit(change("mer_x", { rows: [row("mer_x", { kind: "merchant", id: "mer_x" })] }))
    const d = await freshDatabase()
    expect(await refusal(set(d, c))).toBe(`database 2 of 2 is not part of the set but already has merchants; ${never}`)
    expect(await refusal(set(a, await freshDatabase()))).toBe(`database 2 of 2 is not the one that it was; ${never}`)
    const e = await freshDatabase()
    expect(await refusal(set(e, `${e}?application_name=again`))).toMatch(/^database 2 of 2 is recorded as 1\/2\//)
  })

  it("serves the merchants of one database while the other is unavailable", async () => {
    const server = await startPostgres()
    closing.push(server.stop)
    const urls = [await freshDatabase(), await server.createDatabase("second")] as const
    const store = await opened(set(...urls))
    const queue = freshQueue()
    const merchants = range(20).map(() => fresh("mer"))
    for (const m of merchants) await store.commit(change(m, { jobs: [job(queue)] }))
    const here = await merchantsIn(urls[0])
    await server.kill()
    for (const m of here) await fund(store, m, "available:w", 1)
    expect(
      (await store.claim(claimOf(queue, { lease_ms: 60_000 }))).map(({ merchant_id }) => merchant_id).sort()
    ).toEqual(here)
    expect(await store.nextDue([queue])).toBeUndefined()
    await expect(store.trialBalance()).rejects.toMatchObject({ _tag: "StorageFault", retryable: true })
    await expect(store.ping()).rejects.toMatchObject({ _tag: "StorageFault" })
    await server.start()
    await expect
      .poll(async () =>
        store.ping().then(
          () => "up",
          () => "down"
        )
      )
      .toBe("up")
    expect((await store.claim(claimOf(queue, { lease_ms: 60_000 }))).length).toBe(20 - here.length)
  })
})
