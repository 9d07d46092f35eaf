/** What `npm publish` would publish: its fields, its files, and no warning. Nothing is sent: the registry is a closed port. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import { findNodeFault, nodeMinimum } from "../../src/node-version.ts"
import { covers } from "../support/repository/covers.ts"

const run = promisify(execFile)

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly name: string
  readonly version: string
  readonly scripts: { readonly prepack: string }
  readonly description: string
  readonly keywords: ReadonlyArray<string>
  readonly license: string
  readonly author: string
  readonly homepage: string
  readonly bugs: string
  readonly repository: { readonly type: string; readonly url: string }
  readonly publishConfig: Readonly<Record<string, unknown>>
  readonly engines: { readonly node: string }
}
const repository = "https://github.com/corridor-payments/corridor"

let warnings: ReadonlyArray<string>
let files: ReadonlyArray<string>
beforeAll(async () => {
  const nowhere = "//127.0.0.1:9/"
  const { stdout, stderr } = await run("npm", [
    ...["publish", "--dry-run", "--json", "--ignore-scripts", "--offline", "--userconfig", "/dev/null"],
    ...["--registry", `http:${nowhere}`, `--${nowhere}:_authToken=none`]
  ])
  warnings = stderr.split("\n").filter((line) => /^npm (?:warn|error)/i.test(line))
  // npm reports one package as itself, or by its name since version 11.
  type Report = { readonly files: ReadonlyArray<{ readonly path: string }> }
  const report = JSON.parse(stdout) as Report | { readonly [name: string]: Report }
  files = ("files" in report ? (report as Report) : report[manifest.name]!).files.map(({ path }) => path)
})

describe("npm publish", () => {
  it("warns of nothing", () => {
    // Without a build, the command is missing. `prepack` builds it.
    const expected = existsSync("dist/cli/main.js") ? /nodedir/ : /nodedir|No bin file found at dist\/cli\/main.js/
    expect(warnings.filter((line) => !expected.test(line))).toEqual([])
  })

  it("has the fields by which a package is found and trusted", () => {
    expect(manifest.repository).toEqual({ type: "git", url: `git+${repository}.git` })
    expect([manifest.homepage, manifest.bugs]).toEqual([`${repository}#readme`, `${repository}/issues`])
    expect(manifest.keywords.length).toBeGreaterThan(5)
    expect([manifest.license, existsSync("LICENSE")]).toEqual(["Apache-2.0", true])
    expect(manifest.author).not.toBe("")
    expect(manifest.description.length).toBeGreaterThan(40)
    expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true })
    expect(manifest.scripts.prepack).toBe("npm run build")
    expect(manifest.engines.node).toMatch(/^>=\d+\.\d+\.\d+$/)
  })

  it("includes what a reader needs, and nothing that builds or tests", () => {
    expect(files).toEqual(
      expect.arrayContaining(["package.json", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "docs/cli.md"])
    )
    expect(files.filter((path) => /^(?:src|test|scripts|bench|tools|node_modules)\/|^dist\/site\//.test(path))).toEqual(
      []
    )
    expect(files.filter((path) => /\.(?:env|pem|key|tgz|log)$|(?:^|\/)\.(?!npmignore)/.test(path))).toEqual([])
  })

  it("includes what its pages tell an operator to read and to use", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        "docs/runbooks/README.md",
        "docs/runbooks/stuck-payout.md",
        "ops/grafana/corridor.json",
        "ops/helm/corridor/Chart.yaml",
        "ops/helm/corridor/templates/_pods.tpl",
        "ops/kubernetes/api.yaml",
        "ops/prometheus/alerts.yaml",
        "ops/systemd/corridor.service"
      ])
    )
    const packed = new Set(files)
    /** For who has the repository: an image is built from the sources, pictures are shown online, the rules have a page. */
    const elsewhere = /^(?:ops\/(?:container|compose)|docs\/images)\/|^docs\/rules\.json$/
    const missing = files
      .filter((path) => path.endsWith(".md"))
      .flatMap((page) =>
        [...readFileSync(page, "utf8").matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)].map(([, to = ""]) =>
          posix.join(posix.dirname(page), to)
        )
      )
      .filter((to) => /^(?:docs|ops|examples)\//.test(to) && !elsewhere.test(to))
      .filter((to) => !packed.has(to) && !files.some((path) => path.startsWith(`${to}/`)))
    expect(missing).toEqual([])
  })

  it("names one repository everywhere", () => {
    const pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "docs/threat-model.md"]
    const named = pages.flatMap((page) => [
      ...readFileSync(page, "utf8").matchAll(/https:\/\/github\.com\/corridor[\w-]*\/[\w-]+/g)
    ])
    expect(named.length).toBeGreaterThan(0)
    expect(new Set(named.map(([url]) => url))).toEqual(new Set([repository]))
  })
})

covers("CLI-15")
it("is refused by an older Node than its engines name, with one line", () => {
  expect(manifest.engines.node).toBe(`>=${nodeMinimum}`)
  for (const version of ["22.19.0", "22.20.1", "24.0.0", "100.0.0"])
    expect([version, findNodeFault(version)]).toEqual([version, undefined])
  for (const version of ["20.20.2", "22.9.0", "22.18.9"])
    expect(findNodeFault(version)).toContain(`this is ${version}.`)
})
