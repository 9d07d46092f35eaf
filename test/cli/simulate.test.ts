/** `corridor simulate`: several seeds, one seed, and a part of it. */
import { expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"

// Seeds 217 and 218 do least of the first hundreds.

it("runs seeds in processes, and reports each", async () => {
  const { code, errors, out } = await corridor([
    "simulate",
    "--seeds",
    "2",
    "--from",
    "217",
    "--workers",
    "2",
    "--json"
  ])
  expect([code, errors]).toEqual([0, []])
  const { lines } = JSON.parse(out) as {
    readonly lines: ReadonlyArray<{ readonly seed: number; readonly hash: string }>
  }
  expect(lines.map(({ seed }) => seed)).toEqual([217, 218])
  expect(new Set(lines.map(({ hash }) => hash)).size).toBe(2)
})

it("runs one seed as often as asked with the same hash, and a part of it with another", async () => {
  const [first, again, part] = await Promise.all([
    corridor(["simulate", "--seed", "217", "--quiet"]),
    corridor(["simulate", "--seed", "217", "--json"]),
    corridor(["simulate", "--seed", "217", "--keep", "0,1,2", "--json"])
  ])
  const hash = /^seed 217: \d+ commits, hash (\w{64})\n$/.exec(first.out)?.[1]
  expect(JSON.parse(again.out)).toMatchObject({ seed: 217, hash, found: [] })
  expect((JSON.parse(part.out) as { readonly hash: string }).hash).not.toBe(hash)
})

it("prints the result first, in few lines, and what was visited on request", async () => {
  const args = ["simulate", "--from", "217", "--seeds", "1"]
  const [brief, whole] = await Promise.all([corridor(args), corridor([...args, "--coverage"])])
  const [first, second, ...rest] = brief.out.trimEnd().split("\n")
  expect(first).toMatch(/^1 seeds, \d+ commits and .* simulated years in .* s \(.* seeds\/s\): 0 failed$/)
  expect(second).toMatch(
    /^visited \d+ transitions and reports; \d+ are missing, of which \d+ are rare: --coverage lists them$/
  )
  expect(rest).toEqual([])
  const lines = whole.out.split("\n")
  expect(lines[0]).toMatch(/: 0 failed$/)
  expect(lines).toContain("transitions:")
  expect(lines.length).toBeGreaterThan(100)
  expect((await corridor(["simulate", "--seed", "217", "--coverage"])).code).toBe(2)
})
