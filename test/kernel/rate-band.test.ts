/** The band of a rate: what is within it, at its bounds, and what its windows begin with. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  type Accepted,
  startWindows,
  DAY_MS,
  isNearCross,
  isWithin,
  judgeRate
} from "../../src/machines/kernel/rate-band.ts"
import { covers } from "../support/repository/covers.ts"

const widths = { minute: "0.1", day: "0.3" }
const start = 1_000_000_000

/** Which of the rates are taken, one after the other: seconds since the first one, and the rate. */
const taken = (first: string, ...rates: ReadonlyArray<readonly [number, string]>) => {
  let last: Accepted = startWindows(first, start)
  return rates.map(([seconds, per_usd]) => {
    const judgement = judgeRate(last, per_usd, start + seconds * 1000, widths)
    if (judgement._tag === "accepted") last = judgement.accepted
    return judgement._tag === "accepted" ? "accepted" : judgement.window
  })
}

describe("the band of a rate", () => {
  covers("RATE-1")
  it.each<readonly [string, string, string, boolean]>([
    ["1500", "1650", "0.1", true],
    ["1500", "1650.000000000000000001", "0.1", false],
    ["1650", "1500", "0.1", true],
    ["1650", "1499.999999999999999999", "0.1", false],
    ["1500", "150000", "0.3", false],
    ["1500", "15", "0.3", false],
    ["1", "1.0", "0.000001", true],
    ["0.0000000000000000000000000000000000000001", "0.0000000000000000000000000000000000000001", "0.1", true],
    ["0.0000000000000000000000000000000000000001", "0.0000000000000000000000000000000000000002", "0.3", false]
  ])("of %s has %s with the width %s: %s", (a, b, width, isInside) => {
    assert.strictEqual(isWithin(a, b, width), isInside)
    assert.strictEqual(isWithin(b, a, width), isInside)
  })

  it("takes a rate and its inverse together", () => {
    const whole = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        // 1/a and 1/b, over the common denominator a × b.
        assert.strictEqual(isWithin(String(a), String(b), "0.1"), isWithin(String(b), String(a), "0.1"))
      })
    )
  })

  it.each<readonly [string, ReadonlyArray<readonly [number, string]>, ReadonlyArray<string>]>([
    ["a jump", [[2, "150000"]], ["minute"]],
    ["a fall", [[2, "15"]], ["minute"]],
    [
      "a jump and the way back",
      [
        [2, "150000"],
        [4, "1501"]
      ],
      ["minute", "accepted"]
    ],
    [
      "steps that are small, in one minute",
      [
        [10, "1600"],
        [20, "1650"],
        [30, "1651"]
      ],
      ["accepted", "accepted", "minute"]
    ],
    [
      "a step after the minute",
      [
        [10, "1650"],
        [60, "1800"]
      ],
      ["accepted", "accepted"]
    ],
    [
      "a step just before the minute",
      [
        [10, "1650"],
        [59, "1800"]
      ],
      ["accepted", "minute"]
    ],
    ["a step a minute after the last one", [[60, "1950"]], ["accepted"]],
    ["a larger step a minute after the last one", [[60, "1950.01"]], ["day"]],
    [
      "a drift through a day",
      [
        [60, "1650"],
        [120, "1800"],
        [180, "1950"],
        [240, "1951"]
      ],
      ["accepted", "accepted", "accepted", "day"]
    ],
    [
      "a drift over two days",
      [
        [60, "1900"],
        [DAY_MS / 1000 + 1, "2400"]
      ],
      ["accepted", "accepted"]
    ],
    ["a week without a rate, and a move below the width", [[(7 * DAY_MS) / 1000, "1950"]], ["accepted"]],
    ["a week without a rate, and a move above the width", [[(7 * DAY_MS) / 1000, "1951"]], ["day"]]
  ])("judges %s", (_, rates, expected) => {
    assert.deepEqual(taken("1500", ...rates), expected)
  })

  it.each<readonly [string, string, string, boolean]>([
    ["1492.5", "1", "1500", true],
    ["1154", "1", "1500", true],
    ["1153", "1", "1500", false],
    ["1950", "1", "1500", true],
    ["1951", "1", "1500", false],
    ["0.000663349917", "1500", "1", true],
    ["0.0663349917", "1500", "1", false],
    ["149250", "1", "1500", false],
    ["0.086", "1500", "129", true]
  ])("has the rate %s between currencies of %s and %s for a dollar: %s", (rate, source, destination, isInside) => {
    assert.strictEqual(isNearCross(rate, source, destination, "0.3"), isInside)
  })
})
