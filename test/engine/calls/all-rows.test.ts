/** All rows of a list are read once each, and a list is counted a few times, however long it is. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { readAllRows } from "../../../src/engine/calls/reads.ts"
import type { ListQuery, Row, Storage } from "../../../src/engine/ports/Storage.ts"

/** A store with a list of this length, newest first. `together`: how many of its rows are of one millisecond. */
const storeOf = (length: number, together: number) => {
  const rows = Array.from({ length }, (_, n) => ({ id: `row_${n}`, created_at: -Math.floor(n / together) }) as Row)
  const pages: Array<number> = []
  const list = ({ created_before = 0, limit, offset }: ListQuery) =>
    Effect.sync(() => {
      const found = rows.filter(({ created_at }) => created_at <= created_before)
      const items = found.slice(offset, offset + limit)
      pages.push(items.length)
      return { items, total: found.length }
    })
  return { storage: { list } as unknown as Storage["Service"], rows, pages }
}

it.each([1, 500, 1_000, 40_000])(
  "30,000 rows, %i of one millisecond, are read once each in a few pages",
  async (together) => {
    const { pages, rows, storage } = storeOf(30_000, together)
    const found = await Effect.runPromise(readAllRows(storage, { kinds: ["row"], index_keys: [] }, () => true))
    assert.deepEqual(found, rows)
    assert.isAtMost(pages.length, 12)
    assert.isAtMost(Math.max(...pages), 10_000)
  }
)
