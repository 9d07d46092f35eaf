import { expect, it } from "vitest"
import { BoundedMap } from "../../../src/engine/ports/bounded-map.ts"

it("a bounded map drops the oldest entry for a new one beyond its bound, and none for one that it has", () => {
  const map = new BoundedMap<string, number>(2)
  map.set("a", 1).set("b", 2).set("a", 3)
  expect([...map]).toEqual([
    ["a", 3],
    ["b", 2]
  ])
  map.set("c", 4)
  expect([...map.keys()]).toEqual(["b", "c"])
})
