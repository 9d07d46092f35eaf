/** The rules of the package that a test can hold: what it depends on, and what its documents say of it. */
import { describe, expect, it } from "vitest"
import { isBundled, optional, packageOf, peers } from "./support/repository/peers.ts"
import { breaches, read, type SourceFile, sources } from "./support/repository/source.ts"

const isFile = (imported: string): boolean => imported.startsWith("src/")
const isNode = (imported: string): boolean => imported.startsWith("node:")

interface Manifest {
  readonly version: string
  readonly files: ReadonlyArray<string>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}

describe("the package", () => {
  const manifest = JSON.parse(read("package.json")) as Manifest

  it("pins every dependency exactly", () => {
    const all = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }
    const loose = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    expect(loose).toEqual([])
  })

  it("has an entry for every adapter", () => {
    const adapters = sources("src/adapters").filter(({ code }) => /\badapter\("|= makeCompanyAdapter\(/.test(code))
    const entries = adapters.map(({ path }) => path.replace(/^src(.*)\.ts$/, ".$1"))
    // Those of companies are made there.
    expect(entries.filter((entry) => !(entry in manifest.exports))).toEqual(["./adapters/provider/company/provider"])
    expect(entries).toEqual(expect.arrayContaining(["./adapters/provider/treasury", "./adapters/provider/paystack"]))
  })

  it("depends on every package its source imports, except the optional packages of an adapter", () => {
    const isAllowed = ({ path }: SourceFile, imported: string): boolean =>
      isFile(imported) ||
      isNode(imported) ||
      packageOf(imported) in manifest.dependencies ||
      isBundled(path, imported) ||
      (packageOf(imported) in manifest.optionalDependencies && optional[packageOf(imported)]?.test(path) === true) ||
      peers[packageOf(imported)]?.test(path) === true
    expect(breaches(sources("src"), isAllowed)).toEqual([])
  })

  it("lists its changes by version, unreleased ones first, under the headings of Keep a Changelog", () => {
    const lines = read("CHANGELOG.md").split("\n")
    const versions = lines.flatMap((line) => (line.startsWith("## ") ? [line.slice(3)] : []))
    expect(versions[0]).toBe("[Unreleased]")
    const released = versions.slice(1)
    expect(released.filter((one) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(one))).toEqual([])
    if (released.length > 0) expect(released[0]).toContain(`[${manifest.version}]`)
    const kinds = lines.flatMap((line) => (line.startsWith("### ") ? [line.slice(4)] : []))
    expect(kinds.filter((kind) => !/^(?:Added|Changed|Deprecated|Removed|Fixed|Security)$/.test(kind))).toEqual([])
    expect(manifest.files).toContain("CHANGELOG.md")
  })

  it("explains each script and each package it needs", () => {
    const contributing = read("CONTRIBUTING.md")
    const scripts = Object.keys(manifest.scripts).filter((name) => !name.startsWith("pre"))
    expect(
      scripts.filter((name) => !contributing.includes(`\`npm ${/^(?:start|test)$/.test(name) ? "" : "run "}${name}\``))
    ).toEqual([])
    const listed = read("docs/packages.md")
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const packages = [dependencies, optionalDependencies, devDependencies].flatMap((list) => Object.keys(list))
    expect(packages.filter((name) => !listed.includes(`\`${name}\``))).toEqual([])
  })
})
