/** Retention beside other work: it waits for nobody, and reads no more than it deletes. */
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { keyLifetime } from "../../../src/engine/settings/retention.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import { change, event, fresh, idempotency, promised, range, type Store, T0 } from "./support.ts"
import { serverUrl } from "../../support/stores/run-server.ts"

let store: Store
let sql: ReturnType<typeof postgres>
let close: () => Promise<void>
beforeAll(async () => {
  const url = await freshDatabase()
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections: 4 }))
  store = promised(await runtime.runPromise(Storage))
  sql = postgres(url, { max: 2, onnotice: () => {} })
  close = () => Promise.all([runtime.dispose(), sql.end()]).then(() => {})
})
afterAll(() => close())

const expiring = (m: string, key: string) =>
  change(m, { idempotency: idempotency(key, { expires_at: T0 }), at: T0 - 1 })

describe("forgetting", () => {
  it("skips rows that another session has locked, and deletes them the next time", async () => {
    const m = fresh("mer")
    await Promise.all(range(10).map((n) => store.commit(expiring(m, `k${n}`))))
    const during = await sql.begin(async (tx) => {
      await tx`select from idempotency_record where merchant_id = ${m} and key in ('k2', 'k5') for update`
      return store.forget({ sort: "keys", before: T0, limit: 100 })
    })
    expect([during, await store.forget({ sort: "keys", before: T0, limit: 100 })]).toEqual([8, 2])
  })

  it("concurrent runs delete each record once, while keys are reused", async () => {
    const m = fresh("mer")
    const count = 2_000
    await Promise.all(range(count).map((n) => store.commit(expiring(m, `k${n}`))))
    const again = range(200).map((n) => store.commit(change(m, { idempotency: idempotency(`k${n * 10}`), at: T0 + 1 })))
    const batches = Promise.all(range(8).map(() => store.forget({ sort: "keys", before: T0, limit: 400 })))
    const verdicts = await Promise.all(again)
    await batches
    while ((await store.forget({ sort: "keys", before: T0, limit: 400 })) > 0);
    const [left] =
      await sql`select count(*)::int as n, count(expires_at)::int as expiring from idempotency_record where merchant_id = ${m}`
    expect(new Set(verdicts.map(({ _tag }) => _tag))).toEqual(new Set(["Committed"]))
    expect(left).toEqual({ n: 200, expiring: 0 })
  })

  it("leaves a response that outlives its event; one that does not has the event's part from there", async () => {
    const m = fresh("mer")
    const object = JSON.stringify({ id: fresh("tfr"), text: "a".repeat(400) })
    const used = (key: string, expires_at: number | null) =>
      idempotency(key, { response: `{"data":${object}}`, expires_at })
    const keys = [used("day", T0 + keyLifetime), used("longer", T0 + keyLifetime + 1), used("ever", null)]
    for (const one of keys) {
      const body = `{"event_object":${object}}`
      const events = [event({ object_id: (JSON.parse(object) as { id: string }).id, type: one.key, body })]
      await store.commit(change(m, { idempotency: one, events }))
    }
    const stored =
      await sql`select key, length(response) < 100 as short from idempotency_record where merchant_id = ${m}
      order by expires_at`
    expect(stored.map(({ key, short }) => [key, short])).toEqual([
      ["day", true],
      ["longer", false],
      ["ever", false]
    ])
    const kept = async () => Promise.all(keys.map(({ key }) => store.idempotencyRecord(m, key, T0)))
    expect(await kept()).toEqual(keys.map((one) => ({ ...one, at: T0 })))
    await store.forget({ sort: "events", before: T0 + 1, limit: 10 })
    expect((await kept()).slice(1)).toEqual(keys.slice(1).map((one) => ({ ...one, at: T0 })))
  })

  it("reads no more than it deletes, even with plans made while the tables were empty", async () => {
    const sql = postgres(await freshDatabase(), { max: 1, onnotice: () => {} })
    const sorts = ["keys", "jobs", "events"] as const
    /** The number of records that one batch deletes, and of rows that it reads in the three tables. */
    const batch = (sort: (typeof sorts)[number]) =>
      sql.begin(async (tx) => {
        const [taken] = await tx`select corridor_forget(${sort}, 5, 10) as gone`
        const read = await tx`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
          from pg_stat_xact_user_tables where relname in ('idempotency_record', 'job', 'event')`
        return { gone: taken!["gone"] as number, rows: read[0]!["rows"] as number }
      })
    for (let n = 0; n < 6; n++) for (const sort of sorts) await batch(sort)
    await sql`insert into idempotency_record select 'm', 'x' || n, '', null, n, 0 from generate_series(1, 20000) n`
    await sql`insert into job (merchant_id, id, queue, partition_key, status, due_at, attempt, created_at, body, log)
      select 'm', 'x' || n, 'delivery', 'l', 'delivered', null, 1, n, '{}', '[]' from generate_series(1, 20000) n`
    await sql`insert into event (merchant_id, id, object_id, sequence, type, category, created_at, body)
      select 'm' || n % 3, 'evt_x' || n, 'o' || n, 1, 't', 'c', n, '' from generate_series(1, 20000) n`
    const found = [await batch("keys"), await batch("jobs"), await batch("events")]
    await sql.end()
    expect(found.map(({ gone }) => gone)).toEqual([5, 4, 4])
    for (const { rows } of found) expect(rows).toBeLessThan(40)
  })
})

covers("ENVELOPE-9")
it("the total of events is exact, wherever among those that are forgotten the mark of the counters is", async () => {
  const sql = postgres(await freshDatabase(), { max: 1, onnotice: () => {} })
  try {
    const types = ["a", "b", "c"]
    /** What is counted before the mark, and the events after it. */
    const totals = async (m: string): Promise<ReadonlyArray<number>> => {
      const of = async (key: string, isCounted: (type: string) => boolean) => {
        const [sum] = await sql`select coalesce(sum(n), 0)::int as n from list_counter
          where merchant_id = ${m} and kind = '@event' and index_key = ${key}`
        const tail = await sql`select type from event where merchant_id = ${m} and xid >= corridor_mark()`
        return (sum!["n"] as number) + tail.filter((one) => isCounted(one["type"] as string)).length
      }
      return [
        await of("", () => true),
        ...(await Promise.all(types.map((type) => of(`type=${type}`, (one) => one === type))))
      ]
    }
    for (const border of [...types.keys(), null]) {
      const m = fresh("mer")
      for (const [n, type] of types.entries())
        await sql`insert into event (merchant_id, id, object_id, sequence, type, category, created_at, body)
          values (${m}, ${`evt_${type}`}, 'o', ${n}, ${type}, 'c', ${n}, '')`
      const at = border === null ? "evt_c" : `evt_${types[border]}`
      // A transaction of another database may hold up the mark.
      await expect
        .poll(async () => {
          const [{ n, mark } = {}] = await sql`
            select sign((corridor_mark()::text::numeric - x.xid::text::numeric)) as mark, (
              select count(*)::int from event e where e.xid >= corridor_mark() and e.xid < x.xid) as n
            from event x where x.merchant_id = ${m} and x.id = ${at}`
          if (border === null || Number(mark) < 0) await sql`select corridor_roll(${border === null ? 100 : n})`
          return Number(mark)
        })
        .toBe(border === null ? 1 : 0)
      expect(await totals(m), `${border}`).toEqual([3, 1, 1, 1])
      await sql`select corridor_forget('events', 1, 10)`
      expect(await totals(m), `${border}`).toEqual([2, 0, 1, 1])
      await sql`select corridor_forget('events', 3, 10)`
      expect(await totals(m), `${border}`).toEqual([0, 0, 0, 0])
    }
  } finally {
    await sql.end()
  }
})

it("a response is as it was given in a database that counts bytes", async () => {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  await query(
    await serverUrl(),
    `create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`
  )
  const url = (await serverUrl()).replace(/\/postgres$/, `/${name}`)
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections: 2 }))
  try {
    const bytes = promised(await runtime.runPromise(Storage))
    for (const [before, within] of [
      ["", "\u00e9"],
      ["\u00e9", ""],
      ["\u00e9", "\u00e9"],
      ["", ""]
    ]) {
      const id = fresh("tfr")
      const object = JSON.stringify({ id, text: "a".repeat(300), within, more: "b".repeat(300) })
      const used = idempotency(fresh("key"), { response: `{"${before}":${object}}`, expires_at: T0 + keyLifetime })
      const events = [event({ object_id: id, body: `{"${before}event_object":${object}}` })]
      await bytes.commit(change("mer_bytes", { idempotency: used, events }))
      expect(await bytes.idempotencyRecord("mer_bytes", used.key, T0)).toEqual({ ...used, at: T0 })
    }
  } finally {
    await runtime.dispose()
  }
})
