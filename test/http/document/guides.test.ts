/** The guides: what they name exists. `test/ops/snippets.test.ts` runs their code. */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { chooseScriptByNumber } from "../../../src/adapters/provider/simulated/script.ts"
import { codes } from "../../../src/engine/calls/codes.ts"
import { openApi } from "../../../src/http/openapi.ts"
import { drawings } from "../../../scripts/documents/machines.ts"
import { listServedPages } from "../../../scripts/documents/pages.ts"
import { covers } from "../../support/repository/covers.ts"

const folder = fileURLToPath(new URL("../../../docs/guides", import.meta.url))
const guide = (name: string): string => readFileSync(`${folder}/${name}.md`, "utf8")

covers("SERVICE-13")
describe("the guides", () => {
  it("name endings of account numbers that have an effect", () => {
    const endings = [...guide("testing").matchAll(/^\| `(\d{4})` \|/gm)].map(([, ending = ""]) => ending)
    expect(endings).toHaveLength(8)
    const plain = chooseScriptByNumber("0123456789")
    for (const ending of endings) expect(chooseScriptByNumber(`012345${ending}`), ending).not.toEqual(plain)
  })

  it("name routes and codes that exist", async () => {
    const { paths } = openApi({ base_url: "https://a", docs_url: "https://a/docs", environment: "test" })
    const known = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "{}"))
    for (const { name, sections } of listServedPages(await drawings())) {
      const text = sections.map((section) => `${section.title} ${section.text}`).join(" ")
      for (const [, path = ""] of text.matchAll(/(?:GET|POST|PATCH|DELETE) (\/(?:v1|sandbox|operator)[\w/{}-]*)/g))
        expect(known, `${name}: ${path}`).toContain(path.replaceAll(/\{\w+\}/g, "{}"))
      for (const [, code = ""] of text.matchAll(/\b4\d\d ([a-z]+_[a-z_]+)/g)) expect(codes, name).toContain(code)
    }
  })

  it("have summaries, and links that the server shows", async () => {
    const pages = listServedPages(await drawings())
    const names = pages.map(({ name }) => name)
    expect(names).toContain("guides/quickstart")
    expect(names).toContain("concepts/unknown-outcomes")
    for (const { html, name, summary } of pages) {
      expect(summary.length, name).toBeGreaterThan(30)
      for (const [, link = ""] of html.matchAll(/href="([^"#]+)(?:#[^"]*)?"/g))
        if (!link.startsWith("https://")) expect(names, name).toContain(posix.join(posix.dirname(name), link))
    }
  })
})
