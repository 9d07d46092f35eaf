/** The statements that a cell on Citus sends, without one. */
import { expect, it } from "vitest"
import { inlined } from "../../../src/adapters/storage/cells/citus.ts"
import { relations } from "../../../src/adapters/storage/cells/names.ts"
import { checked, partsOf, optimistic } from "../../../src/adapters/storage/sql/encode.ts"
import { isHere } from "../../../src/adapters/storage/sql/identity.ts"
import { covers } from "../../support/repository/covers.ts"
import { emptyDatabase } from "../../support/stores/pglite.ts"
import { change } from "./support.ts"

const batch = partsOf([change("mer_1", {})], "server")

covers("RESTORE-1")
it.each([
  ["optimistic", optimistic],
  ["checked", checked]
] as const)("a commit on Citus never says that its database is the original: %s", (_, statement) => {
  const [compared, plain] = [statement(batch, "compared")!.text, statement(batch, "server")!.text]
  expect(compared).toContain(isHere)
  expect(inlined(compared)).toBe(inlined(plain))
})

/** `citus.ts` replaces the call in it. */
const adapted = "corridor_follow_xids"

it("no statement of a function calls another that reads tables beside a table: the node of a cell has none to call", async () => {
  const db = await emptyDatabase()
  try {
    const { rows: functions } = await db.query<{ name: string; text: string; immutable: boolean }>(
      `select p.proname as name, p.prosrc as text, p.provolatile = 'i' as immutable from pg_proc p
       where starts_with(p.proname, 'corridor_') and p.prosqlbody is null`
    )
    const table = new RegExp(`\\b(from|join|into|update|using)\\s+(${relations.join("|")})\\b`)
    const readers = functions.filter(({ immutable, text }) => !immutable && table.test(text)).map(({ name }) => name)
    expect(readers).toContain("corridor_partitions")
    const call = new RegExp(`\\b(${readers.join("|")})\\(`)
    const statements = functions.flatMap(({ name, text }) =>
      text
        .replace(/--.*/g, "")
        .split(";")
        .map((statement) => ({ name, statement }))
    )
    const refused = statements.filter(({ statement }) => call.test(statement) && table.test(statement))
    expect(refused.filter(({ name }) => name !== adapted)).toEqual([])
    expect(refused.map(({ name }) => name)).toContain(adapted)
  } finally {
    await db.close()
  }
})
