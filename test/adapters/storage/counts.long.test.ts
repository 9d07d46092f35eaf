/** What a life costs does not creep: what is written down in bench/counts.json is what is found, and never less than it. */
import assert from "node:assert/strict"
import { beforeAll, describe, it } from "vitest"
import { type Counts, measureLives, writtenCounts } from "../../../bench/counts.ts"

const written = writtenCounts()

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
type Figure = keyof typeof noise
const figures = Object.keys(noise) as ReadonlyArray<Figure>

/** How a figure of a life differs from what is written down by more than noise. */
const differing = (name: string, figure: Figure, measured: Readonly<Record<string, Counts>>): string | undefined => {
  const [now, then] = [measured[name]![figure], written[name]![figure]]
  const margin = noise[figure] * (figure === "changes" || figure === "statements" ? 1 : then)
  if (now > then + margin) return `${figure} rose from ${then} to ${now}`
  // On a busy machine more Changes wait for each other and share a statement.
  return now < then - 2 * margin
    ? `${figure} fell from ${then} to ${now}: npm run bench -- --counts --write`
    : undefined
}

/** Other work of the machine makes a run differ now and then. What the code costs is in each of them. */
const measuredMost = 3
const measured: Array<Readonly<Record<string, Counts>>> = []

beforeAll(async () => {
  const isLike = (one: (typeof measured)[number]): boolean =>
    Object.keys(written).every((name) => figures.every((figure) => differing(name, figure, one) === undefined))
  do measured.push(await measureLives())
  while (measured.length < measuredMost && !isLike(measured.at(-1)!))
}, 600_000)

describe.each(Object.keys(written))("a life of %s", (name) => {
  it.each(figures)("costs the %s that are written down", (figure) => {
    const found = measured.map((one) => differing(name, figure, one))
    assert.ok(found.includes(undefined), found.join("; "))
  })

  it("leaves the rows that are written down", () => {
    const [now, then] = [measured.at(-1)![name]!.rows, written[name]!.rows]
    for (const table of new Set([...Object.keys(now), ...Object.keys(then)])) {
      assert.ok(
        Math.abs((now[table] ?? 0) - (then[table] ?? 0)) <= 0.5,
        `${table}: ${then[table] ?? 0}, now ${now[table] ?? 0}`
      )
    }
  })
})
