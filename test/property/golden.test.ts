/** Rows that earlier releases have stored are loaded by this one, and step as they did. */
import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { completed, folder, goldenName, goldenOf, read } from "../../scripts/golden.ts"
import { indexKeysOf } from "../../src/engine/commit/index-keys.ts"
import { restingStates, specimens } from "../support/machines/specimens.ts"

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

describe("the generator of the golden snapshots", () => {
  const golden = goldenOf(specimens["transfer"]!)

  it("writes the whole file of a version that has none", () => {
    expect(completed({ ...golden, version: "2" }, undefined)).toEqual({ ...golden, version: "2" })
  })

  it("adds states that a version has gained and leaves the others as they were released", () => {
    const [first, ...rest] = golden.rows
    const released = { ...golden, rows: [{ ...first!, data: { as: "released" } }] }
    expect(completed(golden, released).rows).toEqual([released.rows[0], ...rest])
  })
})
