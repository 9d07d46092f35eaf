/** The statements that a cell on Citus sends, without one. */
import { expect, it } from "vitest"
import { inlineFunctions } from "../../../src/adapters/storage/cells/citus.ts"
import { relations } from "../../../src/adapters/storage/cells/names.ts"
import {
  encodeCheckedStatement,
  splitBatch,
  encodeOptimisticStatement
} from "../../../src/adapters/storage/sql/encode.ts"
import { isHere } from "../../../src/adapters/storage/sql/identity.ts"
import { covers } from "../../support/repository/covers.ts"
import { emptyDatabase } from "../../support/stores/pglite.ts"
import { change } from "./support.ts"

const batch = splitBatch([change("mer_1", {})], "server")

covers("RESTORE-1")
it.each([
  ["optimistic", encodeOptimisticStatement],
  ["checked", encodeCheckedStatement]
] as const)("a commit on Citus never says that its database is the original: %s", (_, statement) => {
  const [compared, plain] = [statement(batch, "compared")!.text, statement(batch, "server")!.text]
  expect(compared).toContain(isHere)
  expect(inlineFunctions(compared)).toBe(inlineFunctions(plain))
})

interface Statement {
  readonly name: string
  readonly text: string
}

/** The statements of the functions that are no plain expressions. */
const statements = async (): Promise<ReadonlyArray<Statement & { readonly isImmutable: boolean }>> => {
  const db = await emptyDatabase()
  try {
    const { rows } = await db.query<Statement & { isImmutable: boolean }>(
      `select p.proname as name, p.prosrc as text, p.provolatile = 'i' as "isImmutable" from pg_proc p
       where starts_with(p.proname, 'corridor_') and p.prosqlbody is null`
    )
    return rows.flatMap(({ text, ...others }) =>
      text
        .replace(/--.*/g, "")
        .split(";")
        .map((statement) => ({ ...others, text: statement }))
    )
  } finally {
    await db.close()
  }
}

/** `citus.ts` replaces the call in it. */
const adapted = "corridor_follow_xids"

it("no statement of a function calls another that reads tables beside a table: the node of a cell has none to call", async () => {
  const all = await statements()
  const table = new RegExp(`\\b(from|join|into|update|using)\\s+(${relations.join("|")})\\b`)
  const readers = new Set(
    all.filter(({ isImmutable, text }) => !isImmutable && table.test(text)).map(({ name }) => name)
  )
  expect(readers).toContain("corridor_partitions")
  const call = new RegExp(`\\b(${[...readers].join("|")})\\(`)
  const refused = all.filter(({ text }) => call.test(text) && table.test(text))
  expect(refused.filter(({ name }) => name !== adapted)).toEqual([])
  expect(refused.map(({ name }) => name)).toContain(adapted)
})

it("no update of a function sets a value by a subscript: it ends a server with Citus", async () => {
  const sets = (await statements()).flatMap(({ name, text }) =>
    [...text.matchAll(/\bupdate\s+\w+(?:\s+\w+)?\s+set\b(.*?)\b(?:from|where|returning)\b/gs)].map(([, set]) => ({
      name,
      set
    }))
  )
  expect(sets.map(({ name }) => name)).toContain("corridor_commit")
  expect(sets.filter(({ set }) => /\w\[\w/.test(set!))).toEqual([])
})
