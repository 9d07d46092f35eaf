/** Failed sign-ins of an address: how many are free, until when they count, and what is forgotten first. */
import { describe, expect, it } from "vitest"
import { FailedSignIns } from "../../../src/http/console/session.ts"
import { covers } from "../../support/repository/covers.ts"

const failed = (times: number, address = "a", at = 0): FailedSignIns => {
  const all = new FailedSignIns()
  for (let n = 0; n < times; n++) all.count(address, at)
  return all
}

describe("the failed sign-ins of an address", () => {
  covers("SESSION-5")
  it("are free up to the nineteenth, and wait for the end of the minute from the twentieth on", () => {
    expect(failed(19).waitMs("a", 1000)).toBe(0)
    expect(failed(20).waitMs("a", 1000)).toBe(59_000)
    expect(failed(20).waitMs("b", 1000)).toBe(0)
    expect(failed(20).waitMs("a", 60_000)).toBe(0)
  })

  it("begin anew after the minute: what is older does not count", () => {
    const all = failed(19)
    all.count("a", 60_000)
    expect(all.waitMs("a", 60_000)).toBe(0)
    for (let n = 0; n < 19; n++) all.count("a", 61_000)
    expect(all.waitMs("a", 61_000)).toBe(59_000)
  })

  it("are kept for a thousand addresses, and the oldest are forgotten first", () => {
    const all = failed(20, "first")
    for (let n = 0; n < 19; n++) all.count("second", 1)
    for (let n = 0; n < 999; n++) all.count(`other ${n}`, 2)
    expect(all.waitMs("first", 3)).toBe(0)
    all.count("second", 3)
    expect(all.waitMs("second", 3)).toBeGreaterThan(0)
  })
})
