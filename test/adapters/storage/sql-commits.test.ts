/** Which statement a batch is written with: the optimistic one, until it has failed for something that is likely to last. */
import { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import { expect, it } from "vitest"
import type { Sql, SqlRow } from "../../../src/adapters/storage/driver.ts"
import { checked, columnsOf, optimistic } from "../../../src/adapters/storage/encode.ts"
import { migrationScript } from "../../../src/adapters/storage/migrations.ts"
import { makeStorage } from "../../../src/adapters/storage/sql.ts"
import type { Change } from "../../../src/engine/ports/Storage.ts"
import { change, fresh, idempotency, row, T0 } from "./support.ts"

const batch = columnsOf([change("mer_1", {})], "caller")
const names = new Map([
  [optimistic(batch, "caller")!.text, "optimistic"],
  [checked(batch, "caller").text, "checked"]
])

/** A store, and the statements that it commits with. */
const watched = async () => {
  const db = await PGlite.create("memory://")
  await db.exec(migrationScript())
  const asked: Array<string | undefined> = []
  const query: Sql["query"] = async (text, params) => (await db.query<SqlRow>(text, [...params])).rows
  const storage = makeStorage({
    query,
    commit: (text, params) => {
      asked.push(names.get(text))
      return query(text, params)
    },
    hint: () => {},
    watch: () => Effect.void,
    clock: "caller",
    concurrency: { commits: 1, reads: 1 }
  })
  /** The verdict of a Change, and the statements that it took. */
  const commit = async (one: Change) => {
    asked.length = 0
    const { _tag } = await Effect.runPromise(storage.commit(one))
    return [_tag, ...asked]
  }
  return { commit, close: () => db.close() }
}

it("a repeat costs the Changes after it nothing; a row that was lost to another does", async () => {
  const { close, commit } = await watched()
  try {
    const merchant_id = fresh("mer")
    const made = row(merchant_id, { created_at: T0 })
    const keyed = change(merchant_id, { idempotency: idempotency("key"), rows: [made] })
    expect(await commit(keyed)).toEqual(["Committed", "optimistic"])
    expect(await commit(keyed)).toEqual(["Repeated", "optimistic", "checked"])
    expect(await commit(change(merchant_id, {}))).toEqual(["Committed", "optimistic"])
    expect(await commit(change(merchant_id, { rows: [made] }))).toEqual(["VersionConflict", "optimistic", "checked"])
    expect(await commit(change(merchant_id, {}))).toEqual(["Committed", "checked"])
  } finally {
    await close()
  }
})
