/** The windows of limits: their buckets, what counts, and when there is room again (LIMITS-6). */
import { expect, it } from "vitest"
import { findReset, sumWindow, findWindow } from "../../../src/engine/calls/limit-windows.ts"
import type { LimitWindow } from "../../../src/machines/controls/limit.ts"
import { covers } from "../../support/repository/covers.ts"

const at = (text: string): number => Date.parse(text)
const hours = (ms: number): number => ms / 3_600_000

covers("LIMITS-6")
it.each([
  ["day", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", 23],
  ["day", "Europe/Berlin", "2026-10-25T22:59:59.999Z", "2026-10-24T22:00:00Z", 25],
  ["day", "Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-25T23:00:00Z", 24],
  // The hour after midnight happens twice, or never.
  ["day", "America/Havana", "2026-11-01T05:30:00Z", "2026-11-01T04:00:00Z", 25],
  ["day", "Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-23T22:00:00Z", 23],
  ["week", "Africa/Lagos", "2026-02-01T22:59:59Z", "2026-01-25T23:00:00Z", 168],
  ["week", "Africa/Lagos", "2026-02-01T23:00:00Z", "2026-02-01T23:00:00Z", 168],
  ["month", "UTC", "2028-02-29T23:59:59.999Z", "2028-02-01T00:00:00Z", 696]
] as const)("a %s of %s at %s begins at %s and has %i hours", (calendar, time_zone, now, begin, length) => {
  const window = findWindow({ calendar, time_zone }, at(now))!
  expect([window.bucket, window.from]).toEqual([at(begin), null])
  expect(hours(window.ends_at! - window.bucket)).toBe(length)
  expect(findReset(window, undefined, 1n, 1n)).toBe(window.ends_at)
})

it("a rolling window counts all that is no older than it, and less than a sixtieth more", () => {
  const day = 86_400_000
  const window: LimitWindow = { rolling: "PT24H" }
  const now = at("2026-06-01T10:07:31.123Z")
  for (let age = -day; age <= 2 * day; age += 1_234_567) {
    const { bucket } = findWindow(window, now - age)!
    const used = sumWindow(findWindow(window, now)!, { key: "", amounts: [{ bucket, amount: "7" }] })
    if (age <= day) expect(used, String(age)).toBe(7n)
    if (age > day + day / 60) expect(used, String(age)).toBe(0n)
  }
})

it("a rolling window has at most as many buckets as a counter keeps", () => {
  for (const rolling of ["PT1M", "PT61S", "PT24H", "P7D", "P366D"]) {
    const { bucket, from } = findWindow({ rolling }, at("2026-06-01T10:07:31.123Z"))!
    expect(bucket - from! + 1, rolling).toBeLessThanOrEqual(64)
  }
})

it("a rolling window has room when enough of it has left, and says the first instant at which it has", () => {
  const window: LimitWindow = { rolling: "PT1H" }
  const now = at("2026-06-01T10:00:30Z")
  const bucketOf = (text: string) => findWindow(window, at(text))!.bucket
  const amounts = [
    { bucket: bucketOf("2026-06-01T08:00:00Z"), amount: "1000" },
    { bucket: bucketOf("2026-06-01T09:20:00Z"), amount: "30" },
    { bucket: bucketOf("2026-06-01T09:40:00Z"), amount: "60" }
  ]
  const stored = { key: "", amounts }
  const current = findWindow(window, now)!
  expect(sumWindow(current, stored)).toBe(90n)
  expect(findReset(current, stored, 40n, 100n)).toBe(at("2026-06-01T10:21:00Z"))
  expect(findReset(current, stored, 41n, 100n)).toBe(at("2026-06-01T10:41:00Z"))
  expect(findReset(current, stored, 100n, 100n)).toBe(at("2026-06-01T10:41:00Z"))
  // What is more than the whole maximum fits in no window.
  expect(findReset(current, stored, 101n, 100n)).toBeNull()
  expect(findReset(current, undefined, 101n, 100n)).toBe(null)
  for (const [instant, used] of [
    ["2026-06-01T10:20:59.999Z", 90n],
    ["2026-06-01T10:21:00Z", 60n],
    ["2026-06-01T10:41:00Z", 0n]
  ] as const)
    expect(sumWindow(findWindow(window, at(instant))!, stored), instant).toBe(used)
})

it("an act by itself has no window, and all time is one bucket that never leaves", () => {
  expect(findWindow("movement", 5)).toBe(undefined)
  const total = findWindow("total", 5)!
  const stored = { key: "", amounts: [{ bucket: 0, amount: "9" }] }
  expect([sumWindow(total, stored), findReset(total, stored, 1n, 9n)]).toEqual([9n, null])
})
