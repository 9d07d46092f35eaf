/** Rows that earlier releases have stored are loaded by this one, and step as they did. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { readCommittedNames, completeGolden, folder, goldenName, goldenOf, read } from "../../scripts/golden.ts"
import { indexKeysOf } from "../../src/engine/commit/index-keys.ts"
import { published } from "../../src/engine/representations/webhooks/published.ts"
import { TransactionBody, transactionBody } from "../../src/engine/representations/movements/transaction.ts"
import { renderings, rowOf, unshown } from "../support/machines/renderings.ts"
import { restingStates, specimens } from "../support/machines/specimens.ts"
import { covers } from "../support/repository/covers.ts"
import { root } from "../support/repository/source.ts"

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

const files = readdirSync(folder).filter((name) => name.endsWith(".json"))

describe.each(files)("%s", (name) => {
  const golden = read(name)!
  const specimen = specimens[golden.machine]

  it("is of a machine that is still here", () => {
    expect(specimen).toBeDefined()
  })

  it.each(golden.rows)("a stored row in $state is indexed again", ({ state, data }) => {
    const index_keys = indexKeysOf(specimen!.kind, {
      status: "s",
      state,
      customer_id: "cust_1",
      data,
      created_at: 0,
      updated_at: 1000
    })
    expect(new Set(index_keys).size).toBe(index_keys.length)
    expect(index_keys.filter((key) => !/^\w+=/.test(key))).toEqual([])
  })

  covers("HTTP-3")
  it.each(golden.rows)("a stored row in $state is shown as its schema says", ({ state, data }) => {
    const { kind } = specimen!
    const row = rowOf(kind, golden.version, state, data)
    for (const [schema, shown] of renderings[kind.kind]?.(row) ?? [])
      expect(
        () => decoded(schema, shown),
        "Decide their specimen: the members that the body shows, in test/support/machines/specimens.ts; then npm run golden. A row that a release has stored stays: the body shows what it lacks"
      ).not.toThrow()
    if (kind.transaction !== undefined)
      expect(() => decoded(TransactionBody, transactionBody(kind.transaction!(row), []))).not.toThrow()
    const about = kind.events === undefined ? undefined : published[kind.events.category as keyof typeof published]
    if (about === undefined) return
    const { event_object } = (about.schema as unknown as Schema.Struct<{ readonly event_object: Schema.Top }>).fields
    for (const type of Object.keys(about.types))
      expect(() => decoded(event_object, kind.events!.object(row, type)), type).not.toThrow()
  })

  it.each(golden.rows)("a stored row in $state is loaded and steps as it did", ({ state, data, steps }) => {
    for (const { event, to } of steps) {
      const next = specimen!.kind.lifecycle.step(state, data, event, golden.version)
      expect(next?.state, `${state} on ${event.type}`).toBe(to)
    }
    // A state nothing leads out of must be loadable too: a renamed one throws here.
    expect(() => specimen!.kind.lifecycle.step(state, data, { type: "nonsense" }, golden.version)).not.toThrow()
  })
})

it.each(Object.entries(specimens))(
  "the %s machine's version has a file with every state it can rest in",
  (_, specimen) => {
    const golden = read(goldenName(specimen))
    expect(golden, `${goldenName(specimen)} is missing: run npm run golden`).toBeDefined()
    expect(golden!.rows.map(({ state }) => state).toSorted(), "run npm run golden").toEqual(
      [...restingStates(specimen)].toSorted()
    )
  }
)

it("every kind is shown in these tests, or is a record that no body shows", () => {
  expect(
    Object.keys(specimens)
      .filter((name) => renderings[name] === undefined)
      .toSorted(),
    "Decide their rendering: a line in test/support/machines/renderings.ts"
  ).toEqual(unshown)
  expect(Object.keys(renderings).length).toBeGreaterThan(unshown.length)
})

describe("the generator of the golden snapshots", () => {
  const golden = goldenOf(specimens["transfer"]!)

  it("writes the whole file of a version that has none", () => {
    expect(completeGolden({ ...golden, version: "2" }, undefined)).toEqual({ ...golden, version: "2" })
  })

  it("knows which files a commit has: the others are written anew", () => {
    const isCommitted = readCommittedNames()
    expect([isCommitted("transfer.v1.json"), isCommitted("refund.v1.json")]).toEqual([
      true,
      !existsSync(new URL("../../.git", import.meta.url))
    ])
  })

  it("rewrites none where no commit has any, as in a copy within another repository", () => {
    expect(readCommittedNames(join(root, "node_modules"))("transfer.v1.json")).toBe(true)
  })

  it("adds states that a version has gained and leaves the others as they were released", () => {
    const [first, ...rest] = golden.rows
    const released = { ...golden, rows: [{ ...first!, data: { as: "released" } }] }
    expect(completeGolden(golden, released).rows).toEqual([released.rows[0], ...rest])
  })
})
