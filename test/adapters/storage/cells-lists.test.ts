/** Lists over all merchants, when one cell holds the whole first page. */
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { makeCellsStore } from "../../../src/adapters/storage/cells/cells.ts"
import { readAllMatches } from "../../../src/engine/calls/reads.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { change, fresh, posting, promised, range, row, T0 } from "./support.ts"

const memory = async (): Promise<Storage["Service"]> =>
  Context.get(await Effect.runPromise(Effect.scoped(Layer.build(Layer.fresh(MemoryStorage.layer)))), Storage)

/** Eight rows and postings in each of two cells. Those of one are all newer, or they alternate. */
const opened = async (order: "the first" | "the second" | "in turns") => {
  const cells = [await memory(), await memory()] as const
  const store = promised(makeCellsStore([await memory(), ...cells]))
  const merchants: Array<[string, number]> = []
  while ([0, 1].some((cell) => !merchants.some(([, at]) => at === cell))) {
    const m = fresh("mer")
    await store.commit(change(m, { rows: [row(m, { kind: "merchant", id: m })] }))
    merchants.push([m, (await Effect.runPromise(cells[0].find("merchant", m))) === undefined ? 1 : 0])
  }
  const of = (cell: number) => merchants.find(([, at]) => at === cell)![0]
  for (const n of range(8))
    for (const cell of [0, 1]) {
      const at = T0 + (order === "in turns" ? 2 * n + cell : n + (order === "the first" ? 1 - cell : cell) * 100)
      const m = of(cell)
      await store.commit(
        change(m, {
          at,
          rows: [row(m, { created_at: at, updated_at: at, index_keys: ["search_id=amount"] })],
          postings: [posting("world", "platform_account", n + 1)]
        })
      )
    }
  return store
}

const paged = async <A>(
  page: (offset: number, limit: number) => Promise<{ items: ReadonlyArray<A>; total: number }>
) => {
  const found: Array<A> = []
  for (let offset = 0; offset < 18; offset += 3) {
    const { items, total } = await page(offset, 3)
    expect(total).toBe(16)
    expect(items.length).toBe(Math.min(3, Math.max(0, 16 - offset)))
    found.push(...items)
  }
  return found
}

describe.each(["the first", "the second", "in turns"] as const)("what is newest is in a cell: %s", (order) => {
  it("each page of a list continues where the previous one ended", async () => {
    const store = await opened(order)
    const rows = await paged((offset, limit) => store.list({ kinds: ["transfer"], index_keys: [], offset, limit }))
    const times = rows.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(new Set(times).size).toBe(16)

    const { kind, status } = row("mer", {})
    const waits = [{ kind, status, until: null }]
    const query = { waits, under_way: [], steps: [], before: T0 * 2, now: T0 * 2 }
    const still = await paged((offset, limit) => store.idle({ ...query, offset, limit }))
    expect(still.map(({ since }) => since)).toEqual(times.toReversed())

    const accounts = await store.balances({ class: "platform_account", offset: 0, limit: 3 })
    expect([accounts.total, accounts.items.map(({ balance }) => balance)]).toEqual([2, ["36", "36"]])
    const second = await store.balances({ class: "platform_account", offset: 1, limit: 3 })
    expect(second).toEqual({ total: 2, items: accounts.items.slice(1) })

    const entries = await paged((offset, limit) => store.entries("platform_account", offset, limit))
    expect(entries.map(({ at }) => at)).toEqual(times)
  })
  it("every match of a key is read once, page by page", async () => {
    const store = await opened(order)
    const query = { keys: ["search_id=amount"], kinds: ["transfer"] }
    const one = await store.matches({ ...query, prefixes: [], limit: 3 })
    expect(one.map(({ created_at }) => created_at)).toHaveLength(3)
    const found = await Effect.runPromise(readAllMatches(store.service, query, 3))
    expect([found.length, new Set(found.map(({ id }) => id)).size]).toEqual([16, 16])
  })
})
