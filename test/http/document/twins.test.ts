/** The documentation as Markdown: a twin of each page, the list of all, and 404 for what is not there. */
import { posix } from "node:path"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listEventTypes, listOperations } from "../../../src/console/docs/document.ts"
import { makeDocsRoutes } from "../../../src/http/docs/routes.ts"
import type { Responses } from "../../../src/http/responses.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
let pages: ReadonlyArray<string>
beforeAll(async () => {
  api = await startApi()
  const spec = (await api.ask("/openapi.json", { key: null })).json
  const guides = (await api.ask("/docs/guides.json", { key: null })).json as ReadonlyArray<{ name: string }>
  pages = [
    ...guides.map(({ name }) => name),
    ...listOperations(spec).map(({ id }) => `operations/${id}`),
    ...listEventTypes(spec).map(({ type }) => `events/${type}`),
    "errors"
  ]
})
afterAll(() => api.close())
const get = (path: string) => api.ask(path, { key: null })

covers("DOCS-2")
describe("the Markdown of the documentation", () => {
  it("is beside every page, with one title, and leads to no page that is not there", async () => {
    expect(pages.length).toBeGreaterThan(200)
    const known = new Set(pages)
    for (const page of pages) {
      const { headers, status, text } = await get(`/docs/${page}.md`)
      expect([page, status, headers.get("content-type")]).toEqual([page, 200, "text/markdown; charset=utf-8"])
      const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "")
      expect([page, prose.match(/^# /gm)?.length, /<!--/.test(prose)]).toEqual([page, 1, false])
      if (!/^(?:guides|concepts|questions)\//.test(page)) continue
      for (const [, link = ""] of prose.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g))
        if (!/^https?:/.test(link))
          expect(known, `${page}: ${link}`).toContain(posix.join(posix.dirname(page), link).replace(/\.md$/, ""))
    }
  })

  it("says the address of this server in its samples, and shows what each language sends", async () => {
    const { text } = await get("/docs/operations/createTransfer.md")
    expect(text).toContain("curl -sS -X POST 'http://corridor.test/v1/transfers'")
    expect(text).toContain("await corridor.transfers.create(")
    expect(text).toContain("- `wallet_id` (string")
    expect(text).toContain("- 422 `ledger_insufficient_funds`")
    expect(text).not.toContain("corridor.example")
  })

  it("is listed whole in llms.txt, at the root too", async () => {
    const { headers, text } = await get("/llms.txt")
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect((await get("/docs/llms.txt")).text).toBe(text)
    const links = [...text.matchAll(/\]\(http:\/\/corridor\.test\/docs\/([^)]+)\.md\)/g)].map(([, page = ""]) => page)
    expect(links.toSorted()).toEqual([...pages].toSorted())
  })
})

covers("DOCS-3")
describe("a page that is not there", () => {
  it.each([
    "/docs/guides/nothing",
    "/docs/guides/nothing.md",
    "/docs/concepts/quickstart",
    "/docs/questions/nothing",
    "/docs/operations/nothing",
    "/docs/operations/constructor",
    "/docs/events/offramp.nothing",
    "/docs/nothing",
    "/docs/nothing.md",
    "/docs/guides",
    "/docs/nothing/else",
    "/docs/guides/quickstart/nothing",
    "/docs/errors/nothing",
    "/docs/errors/insufficient_funds/nothing"
  ])("%s is 404, and its page says so beside the navigation", async (path) => {
    const { headers, status, text } = await get(path)
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    expect(text).toContain(`<div id="app">`)
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    const script = /src="([^"]+)"/.exec(text)?.[1] ?? ""
    expect(new URL(script, `http://corridor.test${path}`).pathname).toBe("/docs/app.js")
  })

  it("is where its address is without a slash at its end", async () => {
    for (const [path, to] of [
      ["/docs/", "/docs"],
      ["/docs/guides/", "/docs/guides"],
      ["/docs/guides/quickstart/", "/docs/guides/quickstart"],
      ["/docs//", "/docs"]
    ] as const) {
      const { headers, status } = await get(path)
      expect([path, status]).toEqual([path, 308])
      expect(new URL(headers.get("location") ?? "", `http://corridor.test${path}`).pathname).toBe(to)
    }
  })

  it("is none where no relative path leads to its script: it is no route, as elsewhere", async () => {
    for (const path of ["/%64ocs/nothing", "/docsx", "/docs;x/nothing"])
      expect([path, (await get(path)).json?.code]).toEqual([path, "not_found"])
    const posted = await api.ask("/docs/nothing", { key: null, method: "POST", body: {} })
    expect([posted.status, posted.json.code]).toEqual([404, "not_found"])
  })

  it("is 200 for each that is", async () => {
    for (const page of pages) expect([page, (await get(`/docs/${page}`)).status]).toEqual([page, 200])
  })
})

covers("DOCS-3")
describe("a server without a sandbox", () => {
  it("has no page, no Markdown and no line in llms.txt of an operation that it lacks", async () => {
    const had = new Set(["getMe", "createTransfer"])
    const settings = { base_url: "https://pay.example" } as Responses["settings"]
    const router = await Effect.runPromise(HttpRouter.make)
    await Effect.runPromise(router.addAll(makeDocsRoutes({ settings } as Responses, had)))
    const statusAndText = async (path: string) => {
      const request = HttpServerRequest.fromWeb(new Request(`https://pay.example${path}`))
      const asked = Effect.provideService(router.asHttpEffect(), HttpServerRequest.HttpServerRequest, request)
      const response = HttpServerResponse.toWeb(await Effect.runPromise(Effect.scoped(asked as Effect.Effect<never>)))
      return [response.status, await response.text()] as const
    }
    const [, list] = await statusAndText("/llms.txt")
    const listed = [...list.matchAll(/pay\.example\/docs\/operations\/(\w+)\.md\)/g)].map(([, id = ""]) => id)
    expect(new Set(listed)).toEqual(had)
    expect(list).toContain("https://pay.example/docs/guides/quickstart.md")
    for (const [page, status] of [
      ["operations/getMe", 200],
      ["operations/getMe.md", 200],
      ["operations/createTransfer", 200],
      ["operations/advanceClock", 404],
      ["operations/advanceClock.md", 404]
    ] as const)
      expect([page, (await statusAndText(`/docs/${page}`))[0]]).toEqual([page, status])
  })
})
