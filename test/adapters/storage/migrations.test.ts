/** The schema files are history: what a store was made with does not change under it. */
import { readdirSync } from "node:fs"
import postgres from "postgres"
import { expect, it } from "vitest"
import { migrationHash, migrationNames, migrationScript } from "../../../src/adapters/storage/migrations.ts"
import { query } from "../../support/stores/database.ts"
import { covers } from "../../support/repository/covers.ts"
import { serverUrl } from "../../support/stores/run-server.ts"

/** The SHA-256 of each file that has landed. A line is added here and never changed. */
const landed = {
  "0001_init.sql": "6921203ece004c835b47ae41c6d2c2666445cc53e798b1a12c8fff569dd30c22",
  "0002_commit.sql": "e379bcf3ed0d4e9affc16cca5c2ea937c2eb4f2cd6332f6aec742acd5175de55",
  "0003_counters.sql": "553aeed58b7fb7c72fefe477981bffd1ffa2c19b241bb9c5b6fa8e329ca6b637",
  "0004_queue.sql": "f55fc4611c474f20bf3079c60c38091c26000237b2f0c22798bf89ce0826b78d",
  "0005_feed.sql": "ed49e65b71239f1fa2aa60418231fae9ad1651b7d5d43c396f3aa4473bebab57",
  "0006_upkeep.sql": "c9f6a0df421dcfdf78b45d5d7633f6f81ff6d0d0dded2ae4c9dc1a2541aa16b5",
  "0007_counters.sql": "544ce90269798906dd5eadecb55264ad23fe3d2478689ae22913b8d51d4139cc",
  "0008_lean.sql": "c120b8a63abdae6ef1a31a72e6e42daf7826480b35299f10200cce3dcb7d430a",
  "0009_moved.sql": "51d21585db80291c5df6b0dd9a4698330a77a805231039aec1c5775922cac5e1",
  "0010_counted.sql": "0265b3abd4efff73c8ffb595b7028ef2e92bfa8fb691a7454a8b7b21418a74ed",
  "0011_uncounted.sql": "766cff4bbe40bb877104cdf1b778563cdaca6e6ad8cbe27e01187114e7bd9f9f",
  "0012_commit.sql": "a0aa39b831aa3b1b60c78e2a4ee53ec4350e9c40130449699b1be01bb7806fed",
  "0013_work.sql": "013a768535609d58c53d2c7589c373707558834e03ae600a07b57dc42804d993",
  "0014_bytes.sql": "ab63dba63689e164f7151e75bf3cd7ec47e2d1ccd7d78c527cd9e58272ecbc68"
}

covers("SERVICE-30")
it("no schema file that has landed is edited, renamed or taken away, and each has its line here", () => {
  expect(Object.fromEntries(migrationNames.map((name) => [name, migrationHash(name)]))).toEqual(landed)
  expect(readdirSync("src/adapters/storage/migrations").toSorted()).toEqual([...migrationNames])
})

it("a store that was moved to another server before the upgrade goes on with its own ids, what rows gain included", async () => {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  await query(await serverUrl(), `create database ${name}`)
  const sql = postgres((await serverUrl()).replace(/\/postgres$/, `/${name}`), { max: 1, onnotice: () => {} })
  const script = (text: string) => sql.unsafe(text).simple()
  await script(migrationScript(undefined, migrationNames.slice(0, migrationNames.indexOf("0008_lean.sql"))))
  // The server that it comes from had come further.
  await script("insert into setting (key, value) values ('list_counter.mark', '900000000')")
  await script("select corridor_follow_xids()")
  await script(migrationScript())
  const [row] = await sql.unsafe(
    "insert into row_change (merchant_id, kind, created_at, gained) values ('m', 'k', 0, array['']) returning xid::text"
  )
  expect(Number(row!["xid"])).toBeGreaterThanOrEqual(900_000_000)
  await sql.end()
})
