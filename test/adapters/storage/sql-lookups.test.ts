/** Rows and idempotency records that are asked for at the same time share a statement, and each caller gets its own. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import type { Sql, SqlRow } from "../../../src/adapters/storage/sql/driver.ts"
import { eventText, getText, idempotencyRecordText, lookupText } from "../../../src/adapters/storage/sql/rows.ts"
import { makeStorage } from "../../../src/adapters/storage/sql.ts"
import { emptyDatabase } from "../../support/stores/pglite.ts"
import { change, fresh, idempotency, kept, row, T0 } from "./support.ts"

const names = new Map([
  [getText, "rows"],
  [idempotencyRecordText, "records"],
  [lookupText, "both"],
  [eventText, "events"]
])

it("a row and a record cost one statement together, and are told apart", async () => {
  const db = await emptyDatabase()
  try {
    const asked: Array<string> = []
    const ask: Sql["query"] = async (text, params) => (await db.query<SqlRow>(text, [...params])).rows
    const storage = makeStorage({
      query: (text, params) => {
        // The first commit rolls up.
        const name = names.get(text)
        if (name !== undefined) asked.push(name)
        return ask(text, params)
      },
      commit: ask,
      hint: () => {},
      watch: () => Effect.void,
      clock: "caller",
      concurrency: { commits: 1, reads: 1 }
    })
    const merchant_id = fresh("mer")
    const made = row(merchant_id, { created_at: T0 })
    // A key may look like the id of a row.
    const used = idempotency(made.id, { fingerprint: "print", expires_at: T0 + 10 })
    await Effect.runPromise(storage.commit(change(merchant_id, { idempotency: used, rows: [made] })))
    const key = ({ id, kind }: typeof made) => ({ merchant_id, kind, id })
    const together = <A>(...reads: ReadonlyArray<Effect.Effect<A, unknown>>) =>
      Effect.runPromise(Effect.all(reads, { concurrency: "unbounded" }))

    const found = await together<unknown>(
      storage.idempotencyRecord(merchant_id, "unused", T0),
      storage.get([key(made), { ...key(made), id: "none" }]),
      storage.idempotencyRecord(merchant_id, made.id, T0),
      storage.idempotencyRecord(fresh("mer"), made.id, T0),
      storage.idempotencyRecord(merchant_id, made.id, T0 + 10),
      storage.get([{ ...key(made), id: "none" }]),
      storage.get([key(made)])
    )
    const record = { key: made.id, fingerprint: "print", response: used.response, expires_at: T0 + 10, at: T0 }
    const read = expect.objectContaining({ ...kept(made), merchant_id })
    expect(found).toEqual([undefined, [read], record, undefined, undefined, [], [read]])
    expect(asked).toEqual(["both"])
    asked.length = 0
    await together<unknown>(storage.get([key(made)]), storage.get([key(made)]))
    await together<unknown>(storage.idempotencyRecord(merchant_id, made.id, T0))
    expect(asked).toEqual(["rows", "records"])
  } finally {
    await db.close()
  }
})
