/** What a store remembers of its providers, as a function. */
import { describe, expect, it } from "vitest"
import {
  formerlyFault,
  findBooksKey,
  noIdentity,
  type ProviderIdentity,
  registerProvider,
  type Registry
} from "../../../src/engine/ports/provider-registry.ts"
import { covers } from "../../support/repository/covers.ts"

const x: ProviderIdentity = { id: "connector:x", address: "https://x.example" }
const y: ProviderIdentity = { id: "connector:y", address: "https://y.example" }
const old: ProviderIdentity = { id: null, address: "https://old.example" }
const of = (identity: ProviderIdentity, ...names: readonly [string, ...ReadonlyArray<string>]) => ({
  names,
  identity
})
const added = (
  registry: Registry,
  name: string,
  found: ProviderIdentity,
  formerly?: ReadonlyArray<string>,
  configured: ReadonlyArray<string> = []
) => registerProvider(registry, { name, formerly }, found, new Set([name, ...(formerly ?? []), ...configured]))

describe("a store remembers", () => {
  covers("IDENTITY-1")
  it("a provider under its name, and again without a change", () => {
    expect(added([], "alpha", x)).toEqual([of(x, "alpha")])
    expect(added([of(x, "alpha")], "alpha", x)).toEqual([of(x, "alpha")])
    expect(added([of(x, "alpha")], "beta", y)).toEqual([of(x, "alpha"), of(y, "beta")])
  })

  it("every name that is said to be the same, under the first", () => {
    const second = added([of(x, "alpha")], "beta", x, ["alpha"]) as Registry
    expect(second).toEqual([of(x, "alpha", "beta")])
    // A chain names the last one, or all.
    for (const formerly of [["beta"], ["alpha", "beta"], ["beta", "alpha"]]) {
      expect(added(second, "gamma", x, formerly)).toEqual([of(x, "alpha", "beta", "gamma")])
      expect(findBooksKey(second, { name: "gamma", formerly })).toBe("alpha")
    }
    // Back to an earlier name: nothing need be said.
    expect(added(second, "alpha", x)).toEqual(second)
    expect(findBooksKey(second, { name: "beta" })).toBe("alpha")
  })

  it("the oldest name as the key where it knows none: each node has the same", () => {
    expect(added([], "gamma", x, ["alpha", "beta"])).toEqual([of(x, "alpha", "beta", "gamma")])
    expect(findBooksKey([], { name: "gamma", formerly: ["alpha", "beta"] })).toBe("alpha")
    expect(findBooksKey([], { name: "gamma" })).toBe("gamma")
  })

  it("the id that a connector tells later, and its last address; an id is not forgotten", () => {
    const { address } = old
    expect(added([of(old, "alpha")], "alpha", { id: "connector:x", address })).toEqual([
      of({ id: "connector:x", address }, "alpha")
    ])
    expect(added([of(old, "alpha")], "alpha", { id: null, address: "https://moved.example" })).toEqual([
      of({ id: null, address: "https://moved.example" }, "alpha")
    ])
    const moved = { id: x.id, address: "https://moved.example" }
    expect(added([of(x, "alpha")], "alpha", moved)).toEqual([of(moved, "alpha")])
    // An earlier release of the connector, at the same address.
    expect(added([of(x, "alpha")], "alpha", { id: null, address: x.address })).toEqual([of(x, "alpha")])
  })
})

describe("a store refuses, in one line,", () => {
  covers("IDENTITY-2")
  const known = [of(x, "alpha"), of(y, "other")]
  it.each<readonly [string, Registry | string, RegExp]>([
    [
      "another name for a connector that it knows",
      added(known, "alpha2", x),
      /^provider alpha2 is connector:x, which this store knows as alpha: .* Name it alpha, or set formerly: \["alpha"\]\.$/
    ],
    [
      "the same, by the last of its names",
      added([of(x, "alpha", "beta")], "gamma", x),
      /knows as beta: .*formerly: \["beta"\]/
    ],
    [
      "another name at the address of one that told no id",
      added([of(old, "alpha")], "alpha2", old),
      /^provider alpha2 is https:\/\/old\.example, which this store knows as alpha/
    ],
    [
      "another one at the address of a configured one, both without an id",
      added([of(old, "alpha")], "beta", old, undefined, ["alpha"]),
      /^provider beta is https:\/\/old\.example, and so is provider alpha: .* the manifest of each tells an id\.$/
    ],
    [
      "another name where the id is told for the first time",
      added([of(old, "alpha")], "alpha2", { ...x, address: old.address }),
      /knows as alpha/
    ],
    [
      "another name where the id is told no more",
      added([of(x, "alpha")], "alpha2", { id: null, address: x.address }),
      /knows as alpha/
    ],
    [
      "another connector behind a name",
      added([of(x, "alpha")], "alpha", y),
      /^provider alpha is connector:y, but in this store alpha is connector:x: another connector takes a name of its own\.$/
    ],
    [
      "another connector that the store knows",
      added(known, "alpha", y),
      /^provider alpha is connector:y, which this store knows as other\. alpha was connector:x\.$/
    ],
    [
      "another connector behind a former name",
      added([of(x, "alpha")], "alpha2", y, ["alpha"]),
      /^provider alpha2 is connector:y, but in this store alpha is connector:x: .*, without formerly\.$/
    ],
    [
      "a known connector elsewhere that tells no id any more",
      added([of(x, "alpha")], "alpha", old),
      /^provider alpha is https:\/\/old\.example, but in this store alpha is connector:x/
    ],
    [
      "one that tells nothing, where there was an id",
      added([of(x, "alpha")], "alpha", noIdentity),
      /is a provider that told no identity, but/
    ],
    [
      "one that tells nothing, where there was an address",
      added([of(old, "alpha")], "alpha", noIdentity),
      /but in this store alpha is https:\/\/old/
    ],
    [
      "two providers made one",
      added(known, "alpha", x, ["other"]),
      /has books of alpha and of other, so they are two providers/
    ]
  ])("%s", (_, result, line) => {
    expect(result).toMatch(line)
    expect(result).not.toMatch(/\n/)
  })

  it("a new name where a provider is gone of which it cannot tell whether it is the same, until it is said", () => {
    const silent = [of(noIdentity, "alpha")]
    const line =
      /^provider beta is new in this store, and alpha, of which no identity is recorded, is not configured: set formerly: \["alpha"\] if it is the same provider, or formerly: \[\] if it is not\.$/
    expect(added(silent, "beta", noIdentity)).toMatch(line)
    expect(added(silent, "beta", noIdentity, ["alpha"])).toEqual([of(noIdentity, "alpha", "beta")])
    expect(added(silent, "beta", noIdentity, [])).toEqual([...silent, of(noIdentity, "beta")])
    expect(added(silent, "beta", noIdentity, undefined, ["alpha"])).toEqual([...silent, of(noIdentity, "beta")])
    // One that tells who it is was not the one that told nothing.
    expect(added(silent, "beta", x)).toEqual([...silent, of(x, "beta")])
  })
})

describe("formerly", () => {
  it.each([
    ["alpha", /formerly is "alpha"; it takes a list/],
    [[""], /formerly has "", which is no name/],
    [["Alpha"], /formerly has "Alpha"/],
    [[1], /formerly has 1/],
    [["beta"], /formerly has "beta", which is its present name/],
    [["alpha", "alpha"], /formerly has a name twice/]
  ])("that cannot be used is refused: %j", (formerly, line) => {
    expect(formerlyFault({ name: "beta", formerly })).toMatch(line)
  })
  it.each([[undefined], [[]], [["alpha"]]])("%j is taken", (formerly) => {
    expect(formerlyFault({ name: "beta", formerly })).toBeUndefined()
  })
})
