/** What a life costs does not creep: what is written down in bench/counts.json is what is found, and never less than it. */
import assert from "node:assert/strict"
import { beforeAll, describe, it } from "vitest"
import { type Counts, measureLives, writtenCounts } from "../../../bench/counts.ts"

const written = writtenCounts()
let found: Readonly<Record<string, Counts>>

beforeAll(async () => {
  found = await measureLives()
}, 600_000)

/**
 * What two runs differ by: Changes that share a statement or do not, outcomes that a busy machine brings after the window of an
 * answer, trees of few pages, samples of the allocation. A Change more in every life is beyond it.
 */
const noise = {
  changes: 0.4,
  statements: 1,
  wal_bytes: 0.06,
  heap_bytes: 0.03,
  index_bytes: 0.12,
  allocated_bytes: 0.25
}

describe.each(Object.keys(written))("a life of %s", (name) => {
  it.each(Object.keys(noise) as ReadonlyArray<keyof typeof noise>)("costs the %s that are written down", (figure) => {
    const [now, then] = [found[name]![figure], written[name]![figure]]
    const margin = noise[figure] * (figure === "changes" || figure === "statements" ? 1 : then)
    assert.ok(now <= then + margin, `${figure} rose from ${then} to ${now}`)
    // On a busy machine more Changes wait for each other and share a statement.
    assert.ok(now >= then - 2 * margin, `${figure} fell from ${then} to ${now}: npm run bench -- --counts --write`)
  })

  it("leaves the rows that are written down", () => {
    const [now, then] = [found[name]!.rows, written[name]!.rows]
    for (const table of new Set([...Object.keys(now), ...Object.keys(then)])) {
      assert.ok(
        Math.abs((now[table] ?? 0) - (then[table] ?? 0)) <= 0.5,
        `${table}: ${then[table] ?? 0}, now ${now[table] ?? 0}`
      )
    }
  })
})
