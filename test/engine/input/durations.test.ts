/** The ISO 8601 durations of inputs (LIMITS-6). */
import { expect, it } from "vitest"
import { parseDuration } from "../../../src/engine/input/members.ts"

it("have a fixed length", () => {
  expect(["PT24H", "P1W", "PT1H30M", "P1M", "24h", ""].map(parseDuration)).toEqual([
    86_400_000,
    604_800_000,
    5_400_000,
    undefined,
    undefined,
    undefined
  ])
})

it("are whole milliseconds, whatever fraction the text has", () => {
  expect(["PT60.0005S", "PT1M", "PT1.5S", "PT0.0000001H"].map(parseDuration)).toEqual([60_001, 60_000, 1500, 1])
})
