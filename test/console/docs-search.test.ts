/** The search of the documentation: what a person types finds the section that says it, with an excerpt. */
import { beforeAll, describe, expect, it } from "vitest"
import { drawings } from "../../scripts/documents/machines.ts"
import { listServedPages } from "../../scripts/documents/pages.ts"
import { listEventTypes, listOperations } from "../../src/console/docs/document.ts"
import { type Entry, cutExcerpt, listSearchEntries, findHits } from "../../src/console/docs/search.ts"
import { openApi } from "../../src/http/openapi.ts"
import { covers } from "../support/repository/covers.ts"

let entries: ReadonlyArray<Entry>
beforeAll(async () => {
  const spec = openApi({ base_url: "https://a", docs_url: "https://a/docs", environment: "test" })
  const guides = listServedPages(await drawings())
  entries = listSearchEntries({ spec, guides, operations: listOperations(spec), events: listEventTypes(spec) })
})
const pathsOf = (text: string): ReadonlyArray<string> =>
  findHits(entries, text).map(({ href }) => href.replace(/^.*\/docs\//, ""))

covers("DOCS-1")
describe("the search of the documentation", () => {
  it.each([
    ["retry schedule", "guides/webhooks#retry-schedule"],
    ["pagination", "guides/lists#pagination"],
    ["per_page", "guides/lists#pagination"],
    ["may I pay again?", "questions/pay-again"],
    ["my receiver was down for a day", "questions/missed-webhooks"],
    ["the bank says it never got it", "questions/not-received"],
    ["deposit on the chain, not in the wallet", "questions/deposit-not-credited"],
    ["who may move money", "questions/who-may-pay"],
    ["Price an offramp", "operations/createOfframpQuote"],
    ["offramp.success", "events/offramp.success"],
    ["ledger_insufficient_funds", "errors/ledger_insufficient_funds"]
  ])("leads from %j to %s", (text, path) => {
    expect(pathsOf(text).slice(0, 3)).toContain(path)
  })

  it("finds each section by its own title, and names its page", () => {
    const sections = entries.filter(({ href }) => href.includes("#"))
    expect(sections.length).toBeGreaterThan(100)
    for (const section of sections) {
      const same = entries.filter(({ title }) => title.toLowerCase().includes(section.title.toLowerCase()))
      if (same.length > 12) continue
      expect(findHits(entries, section.title), section.title).toContainEqual(section)
    }
  })

  it("shows no address twice, and at most twelve", () => {
    for (const text of ["the", "offramp", "key", "a payout is paid twice", "webhook"]) {
      const found = pathsOf(text)
      expect(found.length).toBeLessThanOrEqual(12)
      expect(new Set(found).size).toBe(found.length)
    }
  })

  it("finds a page whose sections have the words only together, after the sections that have all", () => {
    const page = { title: "Two", kind: "Guides", href: "/two", text: "", words: "" }
    const all: ReadonlyArray<Entry> = [
      page,
      { ...page, words: "alpha", href: "/two#a", title: "A" },
      { ...page, words: "beta", href: "/two#b", title: "B" },
      { ...page, words: "beta and alpha", href: "/one#x", title: "X" }
    ]
    expect(findHits(all, "beta alpha").map(({ href }) => href)).toEqual(["/one#x", "/two"])
    expect(findHits(all, "alpha gamma")).toEqual([])
    expect(findHits(all, " ?! ")).toEqual([])
  })

  it("cuts an excerpt of whole words around what was asked for", () => {
    const text = Array.from({ length: 90 }, (_, at) => (at === 60 ? "needle" : `word${at}`)).join(" ")
    const entry: Entry = { title: "T", kind: "K", href: "/", words: text, text }
    const excerpt = cutExcerpt(entry, "the needle?")
    expect(excerpt).toContain(" needle ")
    expect(excerpt.length).toBeLessThanOrEqual(144)
    expect(excerpt).toMatch(/^… word\d+ .* …$/)
    const words = excerpt.replaceAll("… ", "").replaceAll(" …", "")
    expect(` ${text} `).toContain(` ${words} `)
    expect(cutExcerpt(entry, "absent")).toMatch(/^word0 word1 .* …$/)
    expect(cutExcerpt({ ...entry, text: "short" }, "x")).toBe("short")
    expect(cutExcerpt({ title: "T", kind: "K", href: "/", words: "" }, "x")).toBe("")
  })
})
