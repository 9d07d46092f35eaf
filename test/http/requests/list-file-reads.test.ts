/** What the file of a list reads whose filter no index has (CSV-1): each row a fixed number of times, however long the list is. */
import { Effect, Schema, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { readPageWhere } from "../../../src/engine/calls/reads.ts"
import type { CallOutcome, CallRequest } from "../../../src/engine/calls/executor.ts"
import type { Listed, ListInput } from "../../../src/engine/calls/list.ts"
import type { AnyOperation } from "../../../src/engine/calls/operation.ts"
import type { TransactionKind } from "../../../src/engine/commit/kind.ts"
import { type Row, Storage } from "../../../src/engine/ports/Storage.ts"
import { listMatchingMovements } from "../../../src/engine/reports/matching-movements.ts"
import { type ListFile, makeListFile } from "../../../src/http/list-file.ts"
import { change, range, row, T0 } from "../../adapters/storage/support.ts"
import { covers } from "../../support/repository/covers.ts"

const operation = {
  id: "listThings",
  input: Schema.Struct({ created_before: Schema.String }),
  output: Schema.Struct({ id: Schema.String, created_at: Schema.String }),
  list: true,
  formats: {}
} as unknown as AnyOperation

/** The amount of the row with a number: 0 to 9. */
const amountOf = (row: Row): number => Number(row.id.slice(4)) % 10

const kind = {
  kind: "transfer",
  prefix: "tfr",
  transaction: (row: Row) => ({ source_currency: "USDC", source_amount: `${amountOf(row)}.00` })
} as unknown as TransactionKind

type ReadPage = (storage: Storage["Service"], input: ListInput, least: number) => Effect.Effect<Listed<Row>, unknown>

const readers: { readonly [name: string]: ReadPage } = {
  "by amount": (storage, input, least) =>
    listMatchingMovements(
      storage,
      { merchant_id: "mer_1", kinds: [kind], index_keys: [] },
      { ...input, currency: "USDC", min_amount: String(least) }
    ),
  "row by row": (storage, input, least) =>
    readPageWhere(
      storage,
      { merchant_id: "mer_1", kinds: ["transfer"], index_keys: [] },
      input,
      (row) => amountOf(row as Row) >= least
    )
}

/** `count` rows, of which `tied` have one time, in the middle. */
const stored = (count: number, tied: number): ReadonlyArray<Row> =>
  range(count).map((n) => {
    const from = Math.floor((count - tied) / 2)
    const created_at = n < from ? T0 + n : n < from + tied ? T0 + from : T0 + n
    return row("mer_1", { id: `tfr_${String(n).padStart(6, "0")}`, index_keys: [], created_at }) as Row
  })

const isNewer = (a: Row, b: Row): number => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)

/** The ids of the file of the rows of at least an amount, and how many rows were read for it. */
const fileOf = (rows: ReadonlyArray<Row>, readPage: ReadPage, least: number) =>
  Effect.gen(function* () {
    const inner = yield* Storage
    let read = 0
    const storage: Storage["Service"] = {
      ...inner,
      list: (query) =>
        Effect.tap(inner.list(query), ({ items }) =>
          Effect.sync(() => {
            read += items.length
          })
        )
    }
    for (let n = 0; n < rows.length; n += 500)
      yield* inner.commit(change("mer_1", { rows: rows.slice(n, n + 500) as never }))
    const made = yield* makeListFile({
      operation,
      query: {},
      execute: (request: CallRequest): Effect.Effect<CallOutcome> =>
        Effect.as(
          request as unknown as Effect.Effect<void>,
          {
            ...{ _tag: "Completed", text: "", version: undefined, existing: false }
          } as const
        ),
      requestOf: ({ created_before, page, per_page }, receive) =>
        Effect.map(
          readPage(
            storage,
            {
              ...{ page: Number(page), per_page: Number(per_page) },
              ...(created_before === undefined ? {} : { created_before: Date.parse(String(created_before)) })
            },
            least
          ),
          (listed) =>
            receive(
              {
                ...listed,
                items: listed.items.map(({ id, created_at }) => ({
                  id,
                  created_at: new Date(created_at).toISOString()
                }))
              },
              []
            )
        ) as unknown as CallRequest
    })
    const text = yield* Stream.mkString(Stream.decodeText((made as ListFile).body))
    const ids = text
      .split("\r\n")
      .slice(1)
      .flatMap((line) => (line === "" ? [] : [line.split(",")[0]!]))
    return { ids, read }
  }).pipe(Effect.provide(MemoryStorage.layer), Effect.runPromise)

describe.each(Object.keys(readers))("the file of a list that is filtered %s", (name) => {
  const readPage = readers[name]!

  covers("CSV-1")
  it.each([
    ["all", 0, 0],
    ["two of ten", 8, 0],
    ["none", 10, 0],
    ["half, and more than a page have one time", 5, 700]
  ])("has the rows that match, each once, and reads each at most four times: %s", async (_, least, tied) => {
    const rows = stored(4_000, tied)
    const { ids, read } = await fileOf(rows, readPage, least)
    expect(ids).toEqual(
      rows
        .filter((one) => amountOf(one) >= least)
        .toSorted(isNewer)
        .map(({ id }) => id)
    )
    expect(read).toBeLessThanOrEqual(4 * rows.length + 400)
  })
})
