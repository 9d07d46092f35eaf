/** Rows that a release has stored are loaded by those after it, and step as they did; and what was released does not change. */
import { readdirSync } from "node:fs"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { type GoldenRow, goldenOf, hashOf, released, releasedFiles } from "../../scripts/golden.ts"
import { migrationNames } from "../../src/adapters/storage/migrations.ts"
import { listIndexKeys } from "../../src/engine/commit/index-keys.ts"
import { published } from "../../src/engine/representations/webhooks/published.ts"
import { TransactionBody, transactionBody } from "../../src/engine/representations/movements/transaction.ts"
import { renderings, rowOf, unshown } from "../support/machines/renderings.ts"
import { type Specimen, specimens } from "../support/machines/specimens.ts"
import { covers } from "../support/repository/covers.ts"

/** Decodes what is shown: every member of its schema is there, and no other. */
const decoded = (schema: Schema.Top, shown: unknown): unknown =>
  Schema.decodeUnknownSync(schema as Schema.Codec<unknown>, { onExcessProperty: "error" })(
    // The ids of the snapshots are short.
    JSON.parse(
      JSON.stringify(shown).replaceAll(
        /"((?!tier)[a-z]{2,4})_(\d+)"/g,
        (_, prefix: string, n: string) => `"${prefix}_${n.padStart(26, "0")}"`
      )
    )
  )

/** Shows a row everywhere where it is shown. */
const show = ({ kind }: Specimen, version: string, { data, state }: GoldenRow): void => {
  const row = rowOf(kind, version, state, data)
  for (const [schema, shown] of renderings[kind.kind]?.(row) ?? [])
    expect(
      () => decoded(schema, shown),
      "Decide their specimen: the members that the body shows, in test/support/machines/specimens.ts. A row that a release has stored stays: the body shows what it lacks"
    ).not.toThrow()
  if (kind.transaction !== undefined)
    expect(() => decoded(TransactionBody, transactionBody(kind.transaction!(row), []))).not.toThrow()
  const about = kind.events === undefined ? undefined : published[kind.events.category as keyof typeof published]
  if (about === undefined) return
  const { event_object } = (about.schema as unknown as Schema.Struct<{ readonly event_object: Schema.Top }>).fields
  for (const type of Object.keys(about.types))
    expect(() => decoded(event_object, kind.events!.object(row, type)), type).not.toThrow()
}

const index = ({ kind }: Specimen, { data, state }: GoldenRow): void => {
  const index_keys = listIndexKeys(kind, {
    status: "s",
    state,
    customer_id: "cust_1",
    data,
    created_at: 0,
    updated_at: 1000
  })
  expect(new Set(index_keys).size).toBe(index_keys.length)
  expect(index_keys.filter((key) => !/^\w+=/.test(key))).toEqual([])
}

describe.each([...released()])("a row of %s", (_, release) => {
  covers("SERVICE-30")
  covers("HTTP-3")
  it.each(Object.entries(release))("of %s is loaded, indexed and shown, and steps as it did", (machine, golden) => {
    const specimen = specimens[machine]
    expect(specimen, `${machine} is no machine any more`).toBeDefined()
    const { lifecycle } = specimen!.kind
    expect(golden.rows.length).toBeGreaterThan(0)
    for (const row of golden.rows) {
      const { data, state, steps } = row
      index(specimen!, row)
      show(specimen!, golden.version, row)
      for (const { event, to } of steps)
        expect(lifecycle.step(state, data, event, golden.version)?.state, `${state} on ${event.type}`).toBe(to)
      // A state nothing leads out of must be loadable too: a renamed one throws here.
      expect(() => lifecycle.step(state, data, { type: "nonsense" }, golden.version)).not.toThrow()
    }
  })
})

covers("HTTP-3")
it.each(Object.entries(specimens))("a row of %s as it is written now is indexed and shown", (_, specimen) => {
  const { rows, version } = goldenOf(specimen)
  for (const row of rows) {
    index(specimen, row)
    show(specimen, version, row)
  }
})

covers("SERVICE-30")
it("what was released has the bytes that it was released with", () => {
  const files = releasedFiles()
  for (const [path, hash] of files) expect([path, hashOf(path)]).toEqual([path, hash])
  const versions = [...released().keys()]
  expect(versions.filter((version) => !files.has(`test/golden/${version}.json`))).toEqual([])
  // Files that were released come first, in the order of their names.
  const isReleased = migrationNames.map((name) => files.has(`src/adapters/storage/migrations/${name}`))
  expect(isReleased.toSorted((a, b) => Number(b) - Number(a))).toEqual(isReleased)
  expect(isReleased[0]).toBe(true)
})

it("each migration file is applied, in the order of their names", () => {
  expect(readdirSync("src/adapters/storage/migrations").toSorted()).toEqual([...migrationNames])
})

it("every kind is shown in these tests, or is a record that no body shows", () => {
  expect(
    Object.keys(specimens)
      .filter((name) => renderings[name] === undefined)
      .toSorted(),
    "Decide their rendering: a line in test/support/machines/renderings.ts"
  ).toEqual(unshown)
  expect(Object.keys(renderings).length).toBeGreaterThan(unshown.length)
})
