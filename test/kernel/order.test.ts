/** Lists of any length. */
import { expect, it } from "vitest"
import { appendAll } from "../../src/machines/kernel/order.ts"
import { covers } from "../support/repository/covers.ts"

covers("MATCH-5")
it("values are appended in their order, however many they are", () => {
  const list = [-1]
  appendAll(
    list,
    Array.from({ length: 300_000 }, (_, n) => n)
  )
  expect([list.length, list[0], list.at(-1)]).toEqual([300_001, -1, 299_999])
})
