/** What needs a server shared by nodes: concurrent startup, hints, lost connections, and the catalog. */
import { Effect, Layer, ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migrationNames } from "../../../src/adapters/storage/migrations.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { type EventWrite, type Queue, Storage } from "../../../src/engine/ports/Storage.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import { type PostgresServer, startPostgres } from "../../support/stores/postgres-server.ts"
import {
  balance,
  change,
  claimOf,
  event,
  fresh,
  freshQueue,
  fund,
  job,
  idempotency,
  posting,
  promised,
  range,
  row,
  type Store,
  T0,
  countByTag
} from "./support.ts"
import { covers } from "../../support/repository/covers.ts"
import { until } from "../../support/repository/poll-timeout.ts"

const open = async (url: string, connections = 4) => {
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections }))
  return { store: promised(await runtime.runPromise(Storage)), close: () => runtime.dispose() }
}

describe("the catalog", () => {
  /** Tables that are read without a merchant: copied to every shard when the rest is distributed. */
  const reference = ["lookup_key", "setting", "migration", "node", "guarded_counter"]

  it("leads every primary key and unique index with merchant_id, which each table has, but for the reference tables", async () => {
    const found = await query<{ table: string; first: string | null }>(
      await freshDatabase(),
      `
      select c.relname as table, coalesce(a.attname, m.attname) as first
      from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
      left join pg_index i on i.indrelid = c.oid and i.indisunique
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      left join pg_attribute m on m.attrelid = c.oid and m.attname = 'merchant_id' and m.attnotnull
      where c.relkind in ('r', 'p')`
    )
    expect(found.filter((i) => i.first !== "merchant_id" && !reference.includes(i.table))).toEqual([])
    expect(new Set(found.map((i) => i.table))).toEqual(
      new Set([
        "resource",
        "transition",
        "key_entry",
        "search_entry",
        "row_change",
        "list_counter",
        "balance",
        "account",
        "posting",
        "unique_key",
        "idempotency_record",
        "event",
        "job",
        "subscription",
        "bucket",
        "node",
        "measure",
        ...reference
      ])
    )
  })

  it("stores amounts as integers of 38 digits, and rejects NaN", async () => {
    const url = await freshDatabase()
    const numeric = await query<{ name: string; precision: number; scale: number }>(
      url,
      `
      select table_name || '.' || column_name as name, numeric_precision as precision, numeric_scale as scale
      from information_schema.columns where table_schema = 'public' and data_type = 'numeric'
      order by name`
    )
    expect(numeric.map((c) => [c.name, c.precision, c.scale])).toEqual([
      ["account.balance", 38, 0],
      // Sums over everything that a merchant ever moved.
      ["balance.amount", 76, 0],
      ["measure.amount", 76, 0],
      ["posting.amount", 38, 0]
    ])
    await expect(query(url, "insert into account values ('m', 'available:w', 'USDC', 'NaN', 1, 1)")).rejects.toThrow(
      /check/
    )
    await expect(query(url, "insert into account values ('m', 'available:w', 'USDC', -1, 1, 1)")).rejects.toThrow(
      /check/
    )
    await expect(
      query(
        url,
        `insert into posting (merchant_id, resource_id, version, debit, credit, amount, currency, at)
      values ('m', 'r', 1, 'a', 'b', 'NaN', 'USDC', 1)`
      )
    ).rejects.toThrow(/check/)
  })
})

describe("nodes on one server", () => {
  covers("SERVICE-2")
  it("migrate an empty database once when they start together, and change nothing the next time", async () => {
    const url = await freshDatabase()
    await query(url, "drop schema public cascade; create schema public")
    const nodes = await Promise.all(range(5).map(() => open(url, 1)))
    await Promise.all(nodes.map((n) => n.close()))
    const applied = () => query<{ name: string; applied_at: Date }>(url, "select * from migration order by name")
    const first = await applied()
    await (await open(url, 1)).close()
    expect(first.map((m) => m.name)).toEqual(migrationNames)
    expect(await applied()).toEqual(first)
  })

  covers("SERVICE-30")
  it("refuse a database that different files migrated", async () => {
    const url = await freshDatabase()
    await (await open(url, 1)).close()
    await query(url, "update migration set hash = 'another' where name = '0002_commit.sql'")
    await expect(open(url, 1)).rejects.toThrow("migrated by a different 0002_commit.sql")
  })

  it("send each other hints for jobs that may be due, and none to themselves", async () => {
    const url = await freshDatabase()
    const [a, b] = [await open(url), await open(url)]
    let [own, others] = [0, 0]
    const q = freshQueue()
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* a.store.service.watch(() => void own++)
          const hinted = Promise.withResolvers<void>()
          yield* b.store.service.watch(() => {
            others++
            hinted.resolve()
          })
          yield* Effect.promise(() => a.store.commit(change(fresh("mer"), { jobs: [job(q)] })))
          yield* Effect.promise(() => hinted.promise)
        })
      )
    )
    await Promise.all([a.close(), b.close()])
    expect([own, others]).toEqual([0, 1])
  })

  it("send few hints under load, and none for jobs that are late, leased or refused", async () => {
    const url = await freshDatabase()
    const [a, b] = [await open(url), await open(url)]
    const q = freshQueue()
    const m = fresh("mer")
    let hints = 0
    let received = (): void => {}
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* b.store.service.watch(() => {
            hints++
            received()
          })
          const quiet = [
            { jobs: [job(q, { due_at: T0 + 3_600_000 })] },
            { jobs: [job(q, { lease: { token: "t", wall: 0, lease_ms: 1 } })] },
            { jobs: [job(q, { status: "done", due_at: null })] },
            { jobs: [job(q)], postings: [posting("available:none", "fees", 1)] }
          ]
          for (const part of quiet) yield* Effect.promise(() => a.store.commit(change(m, part)))
          // The node's own hint follows all earlier ones: notifications keep their order.
          const last = Promise.withResolvers<void>()
          const before = hints
          received = last.resolve
          yield* Effect.promise(() => a.store.commit(change(m, { jobs: [job(q)] })))
          yield* Effect.promise(() => last.promise)
          expect([before, hints]).toEqual([0, 1])
          yield* Effect.promise(() => Promise.all(range(500).map(() => a.store.commit(change(m, { jobs: [job(q)] })))))
        })
      )
    )
    await Promise.all([a.close(), b.close()])
    expect(hints).toBeLessThan(50)
  })

  it("see each other's Changes in the verdicts", async () => {
    const url = await freshDatabase()
    const [a, b] = [await open(url), await open(url)]
    const m = fresh("mer")
    const r = row(m)
    await fund(a.store, m, "available:w", 1)
    await b.store.commit(change(m, { rows: [r], postings: [posting("available:w", "fees", 1)] }))
    const found = [
      await a.store.commit(change(m, { rows: [r] })),
      await a.store.commit(change(m, { postings: [posting("available:w", "fees", 1)] }))
    ]
    await Promise.all([a.close(), b.close()])
    expect(found.map((v) => v._tag)).toEqual(["VersionConflict", "InsufficientFunds"])
  })

  it.each(["queue", "delivery"])(
    "pass over the jobs of a %s that another session holds, and wait for none",
    async (name) => {
      const url = await freshDatabase()
      const { store, close } = await open(url)
      const queue = fresh(name) as Queue
      const jobs = ["a", "b", "c"].map((id, i) => job(queue, { id, partition_key: "one", due_at: T0 + i }))
      await store.commit(change(fresh("mer"), { jobs }))
      const sql = postgres(url, { max: 1, onnotice: () => {} })
      const claimed = await sql.begin(async (tx) => {
        await tx.unsafe("select from job where id = 'a' for update")
        return store.claim(claimOf(queue, { now: T0 + 10, limit: 2 }))
      })
      await Promise.all([sql.end(), close()])
      expect(claimed.map(({ id }) => id)).toEqual(["b", "c"])
    }
  )

  it("delay the feed for an older write in the same database, but not for other databases or for roll-ups", async () => {
    const [url, other] = [await freshDatabase(), await freshDatabase()]
    const { store, close } = await open(url)
    const m = fresh("mer")
    const seen = async () => (await store.feed(m, null, 10))!.map((e) => e.id)
    /** Runs `body` while a transaction with a write is open in a database. */
    const during = async <A>(database: string, body: () => Promise<A>, before = "select"): Promise<A> => {
      const sql = postgres(database, { max: 1, onnotice: () => {} })
      try {
        return (await sql.begin(async (tx) => {
          await tx.unsafe(before)
          await tx.unsafe(`insert into setting values ('${crypto.randomUUID()}', 'x')`)
          return body()
        })) as A
      } finally {
        await sql.end()
      }
    }
    const [first, second, third] = [event(), event(), event()]
    // A transaction of another test that ends while the feed is read may delay it.
    const shows = async (published: EventWrite, ...ids: ReadonlyArray<string>) => {
      await store.commit(change(m, { events: [published] }))
      await expect.poll(seen).toEqual(ids)
    }
    await during(other, () => shows(first, first.id))
    await during(url, () => shows(second, first.id))
    const counting = () => shows(third, first.id, second.id, third.id)
    await during(url, counting, "select pg_advisory_xact_lock(4736214, 2)")
    await close()
  })

  it.each(["the older", "the younger"] as const)(
    "show each event once, in one order, when %s of two open writes commits first",
    async (first) => {
      const url = await freshDatabase()
      const { store, close } = await open(url)
      const m = fresh("mer")
      const [older, younger] = [postgres(url, { max: 1 }), postgres(url, { max: 1 })]
      const publish = (sql: typeof older, id: string) => sql`
        insert into event (merchant_id, id, object_id, sequence, type, category, created_at, body)
        values (${m}, ${id}, ${id}, 1, 'transfer.success', 'transfer', 0, '{}')`
      // The younger transaction has the lower position, because it published first.
      await older`begin`
      await older`insert into setting values (${fresh("setting")}, 'x')`
      // One that ends between them waits for the older, one that ends after both for both.
      await store.commit(change(m, { events: [event({ id: "evt_between" })] }))
      await younger`begin`
      await publish(younger, "evt_younger")
      await publish(older, "evt_older")
      await store.commit(change(m, { events: [event({ id: "evt_after" })] }))

      let last: string | null = null
      const reads = async (...ids: ReadonlyArray<string>) => {
        await expect.poll(async () => (await store.feed(m, last, 10))!.map(({ id }) => id)).toEqual(ids)
        last = ids.at(-1) ?? last
      }
      const isOlder = first === "the older"
      const [one, other] = isOlder ? [older, younger] : [younger, older]
      await reads()
      await one`commit`
      const all = ["evt_older", "evt_between", "evt_younger", "evt_after"]
      await reads(...(isOlder ? all.slice(0, 2) : []))
      await other`commit`
      await reads(...(isOlder ? all.slice(2) : all))
      last = null
      await reads(...all)
      await Promise.all([older.end(), younger.end(), close()])
    }
  )

  it("deliver the events of a Change to an endpoint another node subscribed", async () => {
    const url = await freshDatabase()
    const [a, b] = [await open(url), await open(url)]
    const m = fresh("mer")
    await a.store.commit(change(m, { subscriptions: [{ endpoint_id: "whe_a", categories: ["transfer"] }] }))
    await b.store.commit(change(m, { events: [event()] }))
    const made = await a.store.jobs({ merchant_id: m, queue: "delivery", offset: 0, limit: 10 })
    await Promise.all([a.close(), b.close()])
    expect(made.total).toBe(1)
  })
})

describe("texts with a NUL", () => {
  it("make a Change die, without affecting those sent with it", async () => {
    const { store, close } = await open(await freshDatabase())
    const m = fresh("mer")
    const answers = await Promise.all(
      range(10).map((i) =>
        store
          .commit(change(m, { rows: [row(m, { status: i === 3 ? "\u0000" : "ok" })] }))
          .catch((error: Error) => error)
      )
    )
    await close()
    expect(answers.map((a) => (a instanceof Error ? a.message : a._tag))).toEqual(
      range(10).map((i) => (i === 3 ? "the texts of a Change must not contain NUL" : "Committed"))
    )
  })
})

describe("a server that fails", () => {
  let server: PostgresServer
  let url: string
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.createDatabase("faults")
  })
  afterAll(() => server.stop())

  /** Commits until there is a verdict, as the engine does: after a fault the same Change is committed again. */
  const insist = async (s: Store, x: Parameters<Store["commit"]>[0]): Promise<string> => {
    for (;;) {
      try {
        return (await s.commit(x))._tag
      } catch (error) {
        if (!(error as { retryable?: boolean }).retryable) throw error
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
  }

  it("applies each Change once through killed connections and crashes", async () => {
    const { store, close } = await open(url)
    const m = fresh("mer")
    await fund(store, m, "available:w", 100_000)
    let disturbing = true
    const disturb = (async () => {
      for (let i = 0; disturbing; i++) {
        await new Promise((resolve) => setTimeout(resolve, 150))
        if (i % 4 === 3) await server.restart()
        else
          await query(
            server.url,
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'corridor'"
          ).catch(() => {})
      }
    })()
    const until = performance.now() + 3_000
    let sent = 0
    const workers = range(32).map(async () => {
      const tags: Array<string> = []
      while (performance.now() < until) {
        sent++
        tags.push(
          await insist(store, change(m, { idempotency: idempotency(), postings: [posting("available:w", "fees", 1)] }))
        )
      }
      return tags
    })
    const tags = (await Promise.all(workers)).flat()
    disturbing = false
    await disturb
    const counts = countByTag(tags.map((_tag) => ({ _tag })))
    const left = await (async () => {
      for (;;) {
        const found = await balance(store, m, "available:w").catch(() => undefined)
        if (found !== undefined) return found
      }
    })()
    await close()
    expect((counts["Committed"] ?? 0) + (counts["Repeated"] ?? 0)).toBe(sent)
    expect(left).toBe(`${100_000 - sent}`)
    expect(sent).toBeGreaterThan(100)
  })

  it("fails with a retryable fault while it is down, and serves again once it is back", async () => {
    const { store, close } = await open(url)
    await server.kill()
    const fault = await store.ping().catch((error: unknown) => error)
    await server.start()
    await until(() =>
      store.ping().then(
        () => true,
        () => false
      )
    )
    await close()
    expect(fault).toMatchObject({ _tag: "StorageFault", retryable: true })
  })

  it("serves at once when it is back, however many calls failed while it was down", async () => {
    const { store, close } = await open(url, 8)
    const ask = () =>
      store.ping().then(
        () => true,
        () => false
      )
    await server.kill()
    for (const _ of range(5)) expect(await Promise.all(range(40).map(ask))).toEqual(range(40).map(() => false))
    await server.start()
    const began = performance.now()
    const answered = await Promise.all(range(40).map(ask))
    await close()
    expect(answered).toContain(true)
    // Connections that count each failed call would wait for ten seconds and more.
    expect(performance.now() - began).toBeLessThan(8_000)
  })

  it("fails to start without a server", async () => {
    const layer = PostgresStorage.layer({ url: "postgres://nobody@127.0.0.1:1/none" })
    expect(await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))).toMatchObject({
      _tag: "StorageFault",
      retryable: true
    })
  })

  it("fails with a fault that is not retryable for what would fail again", async () => {
    const database = await server.createDatabase("broken")
    const { store, close } = await open(database)
    await query(database, "drop table setting")
    const fault = await store.setting("x").catch((error: unknown) => error)
    await close()
    expect(fault).toMatchObject({ _tag: "StorageFault", retryable: false })
  })
})
