/** Packages that only one adapter needs: they are installed with it, and loaded when it is used. */
import { posix } from "node:path"
import { describe, expect, it } from "vitest"
import { loadOptionalPeer } from "../../src/engine/ports/optional-peer.ts"
import { packageOf, peers } from "../support/repository/peers.ts"
import { read, sources } from "../support/repository/source.ts"

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>
}

describe("an optional peer", () => {
  it("is declared as optional", () => {
    const manifest = JSON.parse(read("package.json")) as Manifest
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(Object.keys(peers).sort())
    expect(Object.keys(peers).filter((name) => manifest.peerDependenciesMeta[name]?.optional !== true)).toEqual([])
  })

  it("is loaded by no file but those inside its adapter", () => {
    const src = sources("src")
    const atOnce = new Map(
      src.map(({ path, code }) => [
        path,
        [...code.matchAll(/^(?:import|export) (?!type\b)[^;"]*?"([^"]+)"/gm)].map(([, imported = ""]) =>
          imported.startsWith(".") ? posix.join(posix.dirname(path), imported) : imported
        )
      ])
    )
    /** The peers that the import of a file loads, through whatever it imports. */
    const loaded = (path: string, seen = new Set<string>()): ReadonlyArray<string> => {
      if (seen.has(path)) return []
      seen.add(path)
      return (atOnce.get(path) ?? []).flatMap((one) =>
        one.startsWith("src/") ? loaded(one, seen) : packageOf(one) in peers ? [`${path} loads ${one}`] : []
      )
    }
    const inside = /^src\/adapters\/provider\/(?:evm|solana)\//
    const outside = src.filter(({ path }) => !inside.test(path)).map(({ path }) => path)
    expect(outside.flatMap((path) => loaded(path))).toEqual([])
    expect(outside).toContain("src/adapters/signer/keys.ts")
  })

  it("that is missing is named, with the command that installs it", async () => {
    const name = "corridor-no-such-package"
    const load = (): Promise<unknown> => import(/* @vite-ignore */ name)
    const missing = loadOptionalPeer("viem", "corridor/adapters/provider/evm", load)
    await expect(missing).rejects.toThrow(
      "corridor/adapters/provider/evm requires the package viem, which is not installed: npm install viem"
    )
    const broken = loadOptionalPeer("viem", "corridor/adapters/provider/evm", () => Promise.reject(new Error("broken")))
    await expect(broken).rejects.toThrow("broken")
  })
})
