/** A store that another server wrote, whose transaction ids are far above those of this server. */
import { Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { describe, expect, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import { change, event, fresh, posting, promised, range, row } from "./support.ts"

const opened = async (url: string) => {
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url }))
  return { store: promised(await runtime.runPromise(Storage)), close: () => runtime.dispose() }
}

const merchant_id = fresh("m")
const wallet = "available:wal_1"

/** Writes a row, an event, and a posting from the outside to a wallet. */
const write = async ({ store }: Awaited<ReturnType<typeof opened>>, id: string): Promise<void> => {
  const written = await store.commit(
    change(merchant_id, {
      rows: [row(merchant_id, { id: fresh("tfr"), event_count: 1 })],
      events: [event({ id })],
      postings: [posting("world", wallet, 1)]
    })
  )
  expect(written._tag).toBe("Committed")
}

const rolled = async (url: string): Promise<void> => {
  for (let n = 0; n < 20; n++) {
    const [found] = await query<{ readonly more: boolean }>(url, "select corridor_roll(1000) as more")
    if (found?.more !== true) return
  }
}

describe("a store whose rows have higher transaction ids than the server", () => {
  covers("RESTORE-4")
  it.each([
    ["all of its rows are counted", true],
    ["some are counted later", false]
  ])("publishes, counts and adds up in order; %s", async (_, isRolled) => {
    const url = await freshDatabase()
    const first = await opened(url)
    const old = range(3).map(() => fresh("evt"))
    for (const id of old) await write(first, id)
    await rolled(url)
    const late = isRolled ? [] : range(2).map(() => fresh("evt"))
    for (const id of late) await write(first, id)
    await first.close()
    // As a dump brings them: no transaction of this server is as high.
    for (const table of ["row_change", "posting", "event"])
      await query(url, `update ${table} set xid = (xid::text::bigint + 1024000000)::text::xid8`)
    await query(
      url,
      "update setting set value = (value::bigint + 1024000000)::text where key = 'list_counter.mark'; update list_counter set bucket = bucket + 1000000 where kind = '@posting'"
    )

    // Every later start finds the ids in order.
    for (const start of [1, 2]) {
      const restored = await opened(url)
      const news = range(2).map(() => fresh("evt"))
      for (const id of news) await write(restored, id)
      const before = [...old, ...late]
      const fed = async (after: string | null) =>
        (await restored.store.feed(merchant_id, after, 100))?.map(({ id }) => id)
      // A transaction of another database that ends while the feed is read may delay it.
      await expect.poll(() => fed(null), { message: `start ${start}` }).toEqual([...before, ...news])
      await expect.poll(() => fed(before.at(-1)!)).toEqual(news)
      for (const _again of range(2)) {
        const world = (await restored.store.balances({ class: "world", offset: 0, limit: 10 })).items
        expect(world.map(({ balance }) => balance)).toEqual([`-${before.length + news.length}`])
        const listed = await restored.store.list({
          merchant_id,
          kinds: ["transfer"],
          index_keys: [],
          offset: 0,
          limit: 1
        })
        expect(listed.total).toBe(before.length + news.length)
        const entries = await restored.store.entries("world", 0, 1)
        expect(entries.total).toBe(before.length + news.length)
        await rolled(url)
      }
      late.push(...news)
      await restored.close()
    }
  })
})

describe("a store that is in use", () => {
  covers("RESTORE-5")
  it("is not altered by a node that starts: neither waits for a dump that reads it", async () => {
    const url = await freshDatabase()
    const used = await opened(url)
    const dump = postgres(url, { max: 1, onnotice: () => {} })
    let isOver = false
    const writer = async (): Promise<void> => {
      while (!isOver) await write(used, fresh("evt"))
    }
    const writers = Promise.all(range(8).map(writer))
    writers.catch(() => {})
    try {
      await dump.begin(async (sql) => {
        const tables = await sql<Array<{ readonly name: string }>>`
          select string_agg(format('%I', c.relname), ', ') as name from pg_class c
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`
        await sql.unsafe(`lock table ${tables[0]!.name} in access share mode`)
        for (const start of range(40)) {
          const migrated = Effect.runPromise(Effect.timeout(PostgresStorage.migrate({ url }), "20 seconds"))
          await expect(migrated, `start ${start}`).resolves.toEqual([])
        }
      })
    } finally {
      isOver = true
      await dump.end()
      await writers
      await used.close()
    }
    expect(await query(url, "select corridor_xid_offset()::int as added")).toMatchObject([{ added: 0 }])
  })
})
