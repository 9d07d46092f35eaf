/** A store is ready when a write can be made: on a full disk, with a damaged table or as a standby it is not, though it answers. */
import type { PGlite } from "@electric-sql/pglite"
import { Context, Effect, Layer, Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { CellsStorage } from "../../../src/adapters/storage/cells/cells.ts"
import type { SqlRow } from "../../../src/adapters/storage/sql/driver.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { makeStorage } from "../../../src/adapters/storage/sql.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import { emptyDatabase } from "../../support/stores/pglite.ts"
import { change, event, fresh, job, promised, row } from "./support.ts"
import { serverUrl } from "../../support/stores/run-server.ts"

const scope = Scope.makeUnsafe()
const closing: Array<() => unknown> = []
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, { _tag: "Success" } as never))
  for (const close of closing) await close()
})

const built = async (layer: Layer.Layer<Storage, unknown>) =>
  promised(Context.get(await Effect.runPromise(Layer.buildWithScope(layer, scope)), Storage))

let started: Promise<PGlite> | undefined
/** One for all tests, as it takes long to start. */
const embedded = () =>
  (started ??= emptyDatabase().then((db) => {
    closing.push(() => db.close())
    return db
  }))

/** A store, and a way to change its database behind its back. */
const opened = {
  pglite: async () => {
    const db = await embedded()
    const ask = async (text: string, params: ReadonlyArray<string | null>) =>
      (await db.query<SqlRow>(text, [...params])).rows
    const sql = { query: ask, commit: ask, hint: () => {}, watch: () => Effect.void, clock: "caller" as const }
    const store = promised(makeStorage({ ...sql, concurrency: { commits: 1, reads: 1 } }))
    return { store, run: (text: string) => db.exec(text) }
  },
  postgres: async () => {
    const url = await freshDatabase()
    return { store: await built(PostgresStorage.layer({ url })), run: (text: string) => query(url, text) }
  },
  cells: async () => {
    const url = await freshDatabase()
    const store = await built(CellsStorage.layer({ url, cells: 2, connections: 6, commitConnections: 2 }))
    const [last] = await query<{ nspname: string }>(
      url,
      "select nspname from pg_namespace where nspname like 'corridor%' order by nspname desc limit 1"
    )
    return { store, run: (text: string) => query(url, `set search_path = ${last!.nspname}; ${text}`) }
  }
} as const

const full = (table: string, when = "true") => `
  create or replace function no_room() returns trigger language plpgsql as $$
  begin raise exception using errcode = '53100', message = 'could not extend file: No space left on device'; end $$;
  create trigger no_room before insert or update on ${table} for each row when (${when}) execute function no_room();`

/** What happens to a database, how it is mended, and what it has to be known by. */
const troubles = [
  ["has no room for the smallest write", full("setting"), "drop trigger no_room on setting"],
  // As on a full disk, where a small row still fits into a page that is there.
  ["has no room to grow", full("setting", "length(new.value) > 32000"), "drop trigger no_room on setting"],
  ["has no room for a resource", full("resource"), "drop trigger no_room on resource"],
  ["has lost a table", "alter table transition rename to damaged", "alter table damaged rename to transition"]
] as const

describe.each(["pglite", "postgres", "cells"] as const)("a store on %s", (name) => {
  covers("SERVICE-11")
  it("answers, and leaves nothing behind", async () => {
    const { run, store } = await opened[name]()
    const m = fresh("mer")
    await store.commit(change(m, { rows: [row(m)], jobs: [job("command")], events: [event()] }))
    const count = () =>
      run("select (select count(*) from resource) + (select count(*) from job) + (select count(*) from event) as n")
    const before = JSON.stringify(await count())
    for (let n = 0; n < 3; n++) await store.ping()
    expect(JSON.stringify(await count())).toBe(before)
  })

  it.each(troubles)("that %s is not ready at its start, and is once it is mended", async (_, breaks, mends) => {
    const { run, store } = await opened[name]()
    for (let n = 0; n < 6; n++) {
      const m = fresh("mer")
      await store.commit(change(m, { rows: [row(m)] }))
    }
    await run(breaks)
    await expect(store.ping()).rejects.toMatchObject({ _tag: "StorageFault" })
    await run(mends)
    await store.ping()
  })

  it("that fails a write later is in doubt until a write to each table succeeds", async () => {
    const { run, store } = await opened[name]()
    const m = fresh("mer")
    const places = Array.from({ length: 6 }, () => fresh("mer"))
    for (const each of [m, ...places]) await store.commit(change(each, { rows: [row(each)] }))
    await store.ping()
    await run(full("resource"))
    await store.ping()
    const failed = await Promise.allSettled(places.map((each) => store.commit(change(each, { rows: [row(each)] }))))
    expect(failed.some(({ status }) => status === "rejected")).toBe(true)
    for (let n = 0; n < 2; n++) await expect(store.ping()).rejects.toMatchObject({ _tag: "StorageFault" })
    await run("drop trigger no_room on resource")
    await store.ping()
  })
})

it("a server that takes no writes is not ready, though it answers", async () => {
  const { run, store } = await opened.postgres()
  await store.ping()
  const [found] = (await run("select current_database() as name")) as unknown as ReadonlyArray<{ name: string }>
  const all = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await run(`alter database ${found!.name} set default_transaction_read_only = on`)
  await run(all)
  await expect
    .poll(() =>
      store.ping().then(
        () => "ready",
        (fault) => String(fault.message).slice(0, 5)
      )
    )
    .toBe("25006")
  expect(await store.setting("none")).toBeUndefined()
  await query(await serverUrl(), `alter database ${found!.name} reset default_transaction_read_only`)
  await run(all)
  await expect
    .poll(() =>
      store.ping().then(
        () => "ready",
        () => "away"
      )
    )
    .toBe("ready")
})
