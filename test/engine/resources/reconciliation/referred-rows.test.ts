/** The rows whose references stand in texts: each text is asked for once, and what comes later is found as what came before (MATCH-3). */
import { Effect } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import { normalise, termKey } from "../../../../src/engine/commit/index-keys.ts"
import type { ListQuery, Row, RowKey } from "../../../../src/engine/ports/Storage.ts"
import { type BooksDeps, readNewRows } from "../../../../src/engine/resources/reconciliation/books.ts"
import { listPossibleReferences } from "../../../../src/engine/resources/reconciliation/references-in-text.ts"
import { findReferred } from "../../../../src/engine/resources/reconciliation/referred-rows.ts"
import { wallClock } from "../../../support/engines/wall-clock.ts"
import { triesOf } from "../../../support/properties/tries.ts"
import { covers } from "../../../support/repository/covers.ts"

const hour = 3_600_000

/** Books at an hour of the clock, which count the keys that are asked for. */
const booksOf = () => {
  const rows: Array<Row> = []
  const books = { at: 1_000 * hour, asked: 0, hasMany: false }
  const referenceOf = ({ data }: Pick<Row, "data">): string =>
    (data as { readonly reference: string | null }).reference ?? ""
  const deps = {
    storage: {
      get: (keys: ReadonlyArray<RowKey>) =>
        Effect.sync(() => rows.filter((row) => keys.some(({ id }) => id === row.id))),
      matches: ({ keys }: { readonly keys: ReadonlyArray<string> }) =>
        Effect.sync(() => {
          books.asked += keys.length
          return rows.flatMap((row) => {
            const index_key = termKey("reference", normalise(referenceOf(row)))
            return keys.includes(index_key) ? [{ ...row, index_key }] : []
          })
        })
    },
    kinds: {
      byName: new Map([
        ["transfer", { searchValues: (data: unknown) => ({ references: [referenceOf({ data } as Row)] }) }]
      ])
    }
  } as unknown as BooksDeps
  const readNew = (since: number) =>
    Effect.sync(() => (books.hasMany ? undefined : rows.filter(({ updated_at }) => updated_at >= since)))
  return {
    books,
    pay: (reference: string) => {
      const row = { merchant_id: "mer_1", kind: "transfer", id: `tfr_${rows.length}`, updated_at: books.at }
      rows.push({ ...row, data: { reference } } as unknown as Row)
    },
    /** It has its reference no more, or, as its money comes, again. */
    change: (nth: number, reference: string | null) => {
      const row = rows[nth]
      if (row !== undefined)
        rows[nth] = { ...row, data: { reference }, ...(reference !== null && { updated_at: books.at }) }
    },
    /** Those that texts name, as each text says it alone. */
    named: (texts: ReadonlyArray<string>) =>
      texts.map((text) => {
        const possible = new Set(listPossibleReferences(text))
        return rows.filter((row) => possible.has(normalise(referenceOf(row)))).map(({ id }) => id)
      }),
    find: async (texts: ReadonlyArray<string>) => {
      const asking = { kinds: ["transfer"], side: "world:bank EUR", readNew }
      const found = Effect.provide(
        findReferred(deps, asking, texts),
        wallClock(() => books.at)
      )
      const referred = await Effect.runPromise(found)
      return texts.map((text) => referred.get(text)!.map(({ id }) => id))
    }
  }
}

/** So long that it may be of more than a thousand references. */
const long = (text: string): string => `${text} ${Array.from({ length: 40 }, (_, n) => `${n}`).join("/")}`
const reference = fc.constantFrom("Invoice 7", "7", "#7", "É/8", "8", "12/13", "nobody", "39")
const text = fc.constantFrom("Invoice 7, 8", "#7", "É/8").map(long)
const step = fc.oneof(
  fc.record({ pays: reference }),
  fc.record({ asks: fc.uniqueArray(text, { minLength: 1, maxLength: 2 }) }),
  fc.record({ changes: fc.nat(3), to: fc.option(reference) }),
  fc.record({ passes: fc.constantFrom(1, 30) }),
  fc.record({ hasMany: fc.boolean() })
)

covers("MATCH-3", "MATCH-7")
it("are those that each text names alone, whatever was asked for and made in between", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15, size: "max" }), async (steps) => {
      const { books, change, find, named, pay } = booksOf()
      for (const one of steps)
        if ("pays" in one) pay(one.pays)
        else if ("changes" in one) change(one.changes, one.to)
        else if ("passes" in one) books.at += one.passes * hour
        else if ("hasMany" in one) books.hasMany = one.hasMany
        else {
          const found = await find(one.asks)
          assert.deepEqual(
            found.map((ids) => ids.toSorted()),
            named(one.asks).map((ids) => ids.toSorted())
          )
        }
    }),
    { numRuns: triesOf(100) }
  )
})

covers("MATCH-3")
it("are not asked for again, but for a text that is new or was asked for long ago", async () => {
  const { books, find, pay } = booksOf()
  const [one, other] = [long("Invoice 7"), long("8")]
  const asks = async (...texts: ReadonlyArray<string>) => {
    const before = books.asked
    const found = await find(texts)
    return [found.flat(), books.asked - before] as const
  }
  const [, count] = await asks(one)
  assert.isAbove(count, 1_000)
  assert.deepEqual(await asks(one), [[], 0])
  pay("Invoice 7")
  assert.deepEqual(await asks(one), [["tfr_0"], 0])
  const [, more] = await asks(one, other)
  assert.strictEqual(more, listPossibleReferences(other).length)
  // What came between two looks at one text is found although the other has been looked at since.
  pay("invoice 7")
  books.at += hour
  await asks(other)
  assert.deepEqual(await asks(one, other), [["tfr_0", "tfr_1"], 0])
  books.at += 25 * hour
  assert.deepEqual(await asks(one), [["tfr_0", "tfr_1"], count])
  books.hasMany = true
  assert.deepEqual(await asks(one), [["tfr_0", "tfr_1"], count])
})

covers("MATCH-3", "MATCH-7")
it("are looked for among what was made since, and what has moved money since, unless that is too much", async () => {
  const at = 1_000 * hour
  const since: Array<number | undefined> = []
  const rowOf = (id: string, created_at: number) => ({ id, kind: "exception", merchant_id: "mer_1", created_at }) as Row
  const [old, made] = [rowOf("exc_1", 1), rowOf("exc_2", at)]
  const postings = [
    { at, resource_id: old.id, merchant_id: "mer_1" },
    { at: at - hour, resource_id: "exc_3", merchant_id: "mer_1" }
  ]
  const readOf = (total: number, moved: ReadonlyArray<object> = postings) => {
    const storage = {
      list: ({ created_after }: ListQuery) => Effect.sync(() => (since.push(created_after), { items: [made], total })),
      entries: (_: string, offset: number, limit: number) =>
        Effect.succeed({ items: moved.slice(offset, offset + limit), total: moved.length }),
      get: (keys: ReadonlyArray<RowKey>) => Effect.succeed(keys.map(({ id }) => rowOf(id, 1)))
    }
    const kinds = { transactions: [], ofId: () => ({ kind: "exception" }) }
    return Effect.runPromise(readNewRows({ storage, kinds } as unknown as BooksDeps, { account: "world:bank" }, at))
  }
  assert.deepEqual(
    (await readOf(1))!.map(({ id }) => id),
    [made.id, old.id]
  )
  // Clocks of nodes may differ.
  assert.isBelow(since[0]!, at - 60_000)
  assert.isUndefined(await readOf(10_001))
  const many = Array.from({ length: 10_001 }, (_, n) => ({ ...postings[0], resource_id: `exc_${n}` }))
  assert.isUndefined(await readOf(1, many))
})
