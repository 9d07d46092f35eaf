/** The pages of this repository: titles, and links to pages and headings that exist. */
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { groups, read, resolveLink } from "../../scripts/documents/pages.ts"
import { render } from "../../scripts/documents/markdown.ts"
import { rules } from "../support/repository/covers.ts"
import { filesIn } from "../support/repository/source.ts"

const pages = [
  ...["README.md", "AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["docs", "bench", "test", "examples"].flatMap((folder) => filesIn(folder, ".md"))
]

const rendered = new Map(
  pages.map((path) => [path, render(path, read(path), { diagramOf: () => "<svg></svg>" })] as const)
)
const idsOf = (html: string): ReadonlyArray<string> => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id)

describe("the pages", () => {
  it("have one title each, which comes first, and headings that do not skip a level", () => {
    for (const [path, { html, title }] of rendered) {
      expect(title, path).not.toBe("")
      let depth = 1
      for (const [, level] of html.matchAll(/<h(\d)/g)) {
        expect(Number(level), `${path}: h${level} below h${depth}`).toBeLessThanOrEqual(depth + 1)
        depth = Number(level)
      }
    }
  })

  it("link to files and headings that exist", () => {
    const broken = [...rendered].flatMap(([path, { links }]) =>
      links.flatMap((link) => {
        const to = resolveLink(path, link)
        if (to === undefined) return []
        if (!existsSync(to.path)) return [`${path} links to ${link}: there is no ${to.path}`]
        const page = rendered.get(to.path)
        const isThere = to.anchor === "" || (page !== undefined && idsOf(page.html).includes(to.anchor))
        return isThere ? [] : [`${path} links to ${link}: ${to.path} has no such heading`]
      })
    )
    expect(broken).toEqual([])
    expect(
      [...rendered.values()].flatMap(({ links }) => links).filter((link) => link.includes("#")).length
    ).toBeGreaterThan(15)
  })

  it("name operations that exist, each with its method and its path", () => {
    const document = JSON.parse(read("docs/openapi.json")) as { readonly paths: Readonly<Record<string, object>> }
    const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, "{}")
    const known = new Set(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${shapeOf(path)}`)
      )
    )
    const operation = /\b(GET|POST|PATCH|PUT|DELETE) (\/(?:v1|operator\/v1|sandbox)\/[\w/{}-]*[\w}])/g
    const named = [...rendered.keys()]
      .filter((path) => path !== "CHANGELOG.md")
      .flatMap((path) =>
        [...read(path).matchAll(operation)].map(([, method = "", to = ""]) => ({ path, method, to: shapeOf(to) }))
      )
    // An id of an example stands for any, and so does the name of a resource.
    const isKnown = ({ method, to }: (typeof named)[number]): boolean =>
      to.startsWith("/v1/{}") ||
      known.has(`${method} ${to}`) ||
      known.has(`${method} ${to.replaceAll(/\/[a-z]{2,4}_\w+/g, "/{}")}`)
    expect(named.filter((one) => !isKnown(one))).toEqual([])
    expect(named.length).toBeGreaterThan(50)
  })

  it("are all in the navigation, if they are in docs", () => {
    const listed = groups.flatMap((group) => group.pages)
    expect(filesIn("docs", ".md").filter((path) => !listed.includes(path))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed.filter((path) => !existsSync(path))).toEqual([])
  })

  it("begin, as concepts and decisions, with what the reader can do after them", () => {
    const found = [...rendered].filter(([path]) => /^docs\/(?:concepts|decisions)\//.test(path))
    expect(found.length).toBeGreaterThan(15)
    for (const [path, { summary }] of found) expect(summary, path).toMatch(/^After this page you can /)
  })
})

describe("the threat model", () => {
  const rows = [...read("docs/threat-model.md").matchAll(/^\|([^|]*)\|([^|]+)\|([^|]+)\|([^|]+)\|$/gm)]
    .map((row) => row.slice(1).map((cell) => cell.trim()))
    .filter(([, threat]) => threat !== "Threat" && !/^-+$/.test(threat ?? ""))

  it("has a rule or a test for each control, and they exist", () => {
    expect(rows.length).toBeGreaterThan(25)
    for (const [, threat, control, held = ""] of rows) {
      const tests = [...held.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path)
      const ids = [...held.matchAll(/\b[A-Z]+\d*-\d+\b/g)].map(([id]) => id)
      expect([threat, control, tests.length + ids.length > 0]).toEqual([threat, control, true])
      expect(tests.filter((path) => !existsSync(path))).toEqual([])
      expect(ids.filter((id) => !rules.has(id))).toEqual([])
    }
  })
})
