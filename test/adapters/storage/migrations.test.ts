/** The files of a release migrate a store once each; a store that no release has made is refused. */
import { PGlite } from "@electric-sql/pglite"
import postgres from "postgres"
import { afterAll, describe, expect, it } from "vitest"
import {
  appliedByScript,
  type Migration,
  migrationHash,
  migrationNames,
  migrations,
  makeMigrationScript
} from "../../../src/adapters/storage/migrations.ts"
import { query } from "../../support/stores/database.ts"
import { covers } from "../../support/repository/covers.ts"
import { serverUrl } from "../../support/stores/run-server.ts"

type Rows = ReadonlyArray<Record<string, unknown>>

/** Runs statements in an empty database, and returns the rows of the last one. */
type Run = (script: string) => Promise<Rows>

const ends: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const onServer = async (schema = "public"): Promise<Run> => {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  await query(await serverUrl(), `create database ${name}`)
  const url = (await serverUrl()).replace(/\/postgres$/, `/${name}`)
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { search_path: schema } })
  ends.push(() => sql.end())
  return async (script) => {
    const results: unknown = await sql.unsafe(script).simple()
    return (Array.isArray((results as Rows)[0]) ? (results as ReadonlyArray<Rows>).at(-1) : results) as Rows
  }
}

let started: Promise<PGlite> | undefined

/** One server for all tests, as its start takes most of their time. */
const embedded = async (): Promise<Run> => {
  const isFirst = started === undefined
  const db = await (started ??= PGlite.create("memory://"))
  if (isFirst) ends.push(() => db.close())
  else await db.exec("rollback; drop schema public cascade; create schema public")
  return async (script) => (await db.exec(script)).at(-1)!.rows
}

describe.each([
  ["Postgres", onServer, undefined],
  ["a cell", () => onServer("corridor_1"), "corridor_1"],
  ["PGlite", embedded, undefined]
] as const)("on %s", (_, open, schema) => {
  const applied = async (run: Run, files?: ReadonlyArray<Migration>) =>
    (await run(`${makeMigrationScript(schema, files)}; ${appliedByScript}`)).map(({ name }) => name)

  covers("SERVICE-30")
  it("refuses a store that an unreleased build made, and writes nothing to it", async () => {
    const run = await open()
    const made = schema === undefined ? "" : `create schema ${schema};`
    await run(`${made} create table migration (name text primary key, applied_at timestamptz, hash text);
      insert into migration (name) values ('0001_init.sql'), ('0002_commit.sql'), ('0006_upkeep.sql')`)
    await expect(applied(run)).rejects.toThrow(
      "a build that was never released made this store (it has 0001_init.sql): start with an empty one"
    )
    await run("rollback")
    expect(await run("select to_regclass('resource')::text as made")).toEqual([{ made: null }])
  })

  it("refuses a store that another file of the same name made", async () => {
    const run = await open()
    const [first, ...others] = migrations
    await applied(run, [{ ...first!, text: `${first!.text}\n-- another` }, ...others])
    await expect(applied(run)).rejects.toThrow("migrated by a different 0001_tables.sql")
  })

  it("applies only what a later release adds, after which this one still starts", async () => {
    const run = await open()
    const later = { name: "0007_later.sql", text: "create table later (id text primary key)" }
    expect(await applied(run)).toEqual([...migrationNames])
    expect(await applied(run)).toEqual([])
    expect(await applied(run, [...migrations, later])).toEqual([later.name])
    expect(await applied(run)).toEqual([])
    const recorded = await run("select hash from migration where name = '0001_tables.sql'")
    expect(recorded).toEqual([{ hash: migrationHash("0001_tables.sql") }])
  })

  it("goes on with its own ids after its move to another server, when it is migrated there", async () => {
    const run = await open()
    await applied(run)
    // The server that it comes from had come further.
    await run("insert into setting (key, value) values ('list_counter.mark', '900000000')")
    await applied(run)
    if (schema !== undefined) await run("select corridor_follow_xids()")
    for (const insert of [
      "into row_change (merchant_id, kind, created_at, gained) values ('m', 'k', 0, array[''])",
      "into posting (merchant_id, resource_id, version, debit, credit, amount, currency, at) values ('m', 'r', 1, 'a', 'b', 1, 'USD', 0)",
      "into event (merchant_id, id, object_id, sequence, type, category, created_at, body) values ('m', 'e', 'r', 1, 't', 'c', 0, '{}')"
    ]) {
      const [row] = await run(`insert ${insert} returning xid::text`)
      expect(Number(row!["xid"])).toBeGreaterThanOrEqual(900_000_000)
    }
  })
})
