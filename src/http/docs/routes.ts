/**
 * The documentation. Its pages are one page, whose script shows what the path names: a guide, an operation or an event. Each has its
 * Markdown at the same address with `.md`, and `llms.txt` lists them. The pages of errors are complete without a script, because
 * responses link to them.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Assets, type DocsFiles, loadAssets } from "../console/assets.ts"
import { type Document, makeTextDocument } from "../document.ts"
import { wire } from "../envelope.ts"
import { codes, statuses } from "../../engine/calls/codes.ts"
import { readPath } from "../request.ts"
import type { Responses } from "../responses.ts"
import { escapeHtml, makePageResponse, makePageDocument, makeSecurityHeaders } from "./html.ts"

/** Makes the path from a page below `/docs` to the folder of the documentation. */
const makeDocsPath = (depth: number): string => (depth === 0 ? "docs/" : "../".repeat(depth - 1))

const renderBody = (depth: number): string =>
  `<div id="app"></div><noscript><p>This page shows <a href="${makeDocsPath(depth)}../openapi.json">openapi.json</a> and needs JavaScript. ` +
  `The <a href="${makeDocsPath(depth)}errors">errors</a> are described without it, and <a href="${makeDocsPath(depth)}llms.txt">llms.txt</a> lists all pages ` +
  `as Markdown.</p></noscript>`
const listFiles = (depth: number) => ({
  style: `${makeDocsPath(depth)}style.css`,
  script: `${makeDocsPath(depth)}app.js`
})
const makeShell = (depth: number): Document => makePageDocument("Corridor API", renderBody(depth), listFiles(depth))

const shells = { root: makeShell(0), below: makeShell(2) }

/** Makes the page for an unknown address: the script says so, beside the navigation. `depth`: of its path below `/docs`. */
const makeMissingPage = (depth: number) =>
  makePageResponse("No such page | Corridor API", renderBody(depth), { ...listFiles(depth), status: 404 })

/** What the texts have instead of the base URL of this server. */
const placeholderUrl = "https://corridor.example"

/** Reasons of restrictions that are not error codes, but link to the documentation too (CURRENCY-6). */
const reasons = {
  customer_kyc_not_approved: {
    about: "The customer has not completed verification, so fiat deposits are not available to the customer.",
    action:
      "Start a verification with POST /v1/customers/{customerId}/verifications. The restriction lifts when kyc_status is approved."
  }
} as const

const errorsPage = makePageDocument(
  "Errors | Corridor API",
  `<main class="plain-page"><p><a href="../docs">Corridor API</a></p><h1>Errors</h1><table><tbody>` +
    codes
      .map(
        (code) =>
          `<tr><td>${statuses[code]}</td><td><a href="errors/${code}"><code>${code}</code></a></td><td>${escapeHtml(wire[code].about)}</td></tr>`
      )
      .join("") +
    `</tbody></table></main>`,
  { style: "style.css" }
)

/** The pages of the error codes and of the other reasons. Only a code has an HTTP status, and is in the list of errors. */
const described = new Map(
  Object.entries({ ...wire, ...reasons }).map(([name, { about, action }]) => {
    const status = Object.hasOwn(wire, name) ? statuses[name as keyof typeof wire] : undefined
    const [list, line] =
      status === undefined ? ["", ""] : [` / <a href="../errors">Errors</a>`, `<p>HTTP ${status}</p>`]
    return [
      name,
      makePageDocument(
        `${name} | Corridor API`,
        `<main class="plain-page"><p><a href="../../docs">Corridor API</a>${list}</p><h1><code>${name}</code></h1>` +
          `${line}<p>${escapeHtml(about)}</p><h2>What to do</h2><p>${escapeHtml(action)}</p></main>`,
        { style: "../style.css" }
      )
    ] as const
  })
)

const notBuilt = HttpServerResponse.text(
  "The documentation is not built. Run `npm run console`, then reload this page; no restart is needed.\n",
  {
    status: 503,
    contentType: "text/plain; charset=utf-8",
    headers: { ...makeSecurityHeaders(), "cache-control": "no-store" }
  }
)

/** Makes the routes of the documentation. `operations`: the ids of the operations that this server has. */
export const makeDocsRoutes = (responses: Responses, operations: ReadonlySet<string>) => {
  const request = Effect.service(HttpServerRequest.HttpServerRequest)
  let loaded: Assets | undefined
  const assets = (): Assets | undefined => (loaded ??= loadAssets())
  const file = (name: Exclude<keyof DocsFiles, "texts">) =>
    Effect.map(request, (asked) => {
      const built = assets()
      return built?.find(built.docs[name], "public, max-age=300")?.(asked) ?? notBuilt
    })
  /** Whether a path, or a line with a link to it, is about an operation that this server lacks. */
  const isForeign = (path: string): boolean => {
    const [, id] = /operations\/(\w+)\.md/.exec(path) ?? []
    return id !== undefined && !operations.has(id)
  }
  const made = new Map<string, Document>()
  const textAt = (path: string): Document | undefined => {
    const text = isForeign(path) ? undefined : assets()?.texts().get(path)
    if (text === undefined) return undefined
    const own = path === "llms.txt" ? text.replaceAll(/^- .*\n/gm, (line) => (isForeign(line) ? "" : line)) : text
    const document =
      made.get(path) ??
      makeTextDocument(own.replaceAll(placeholderUrl, responses.settings.base_url), {
        contentType: path.endsWith(".md") ? "text/markdown; charset=utf-8" : "text/plain; charset=utf-8",
        cacheControl: "no-cache",
        headers: makeSecurityHeaders()
      })
    made.set(path, document)
    return document
  }
  const shown = Effect.map(request, (asked) => (assets() === undefined ? notBuilt : shells.root(asked)))
  /** A page that no other route has: the first, or none. One address leads to each: a slash at its end is taken away. */
  const other = Effect.gen(function* () {
    const path = readPath(yield* request)
    // The router also matches `/%64ocs` and `/docs;x`, from which no relative path leads to the script.
    if (!/^\/docs(?:\/|$)/.test(path)) return yield* responses.unknownRoute
    let end = path.length
    while (path[end - 1] === "/") end--
    const [, , ...below] = path.slice(0, end).split("/")
    if (end < path.length) {
      const location = `${"../".repeat(path.length - end)}${below.at(-1) ?? "docs"}`
      return HttpServerResponse.redirect(location, { status: 308 })
    }
    if (below.length === 0) return yield* shown
    return assets() === undefined ? notBuilt : makeMissingPage(below.length)
  })
  const text = (path: string) =>
    Effect.map(request, (asked) => (assets() === undefined ? notBuilt : (textAt(path)?.(asked) ?? makeMissingPage(2))))
  /** A page of a folder, or its Markdown. */
  const below = (folder: string) =>
    Effect.flatMap(HttpRouter.params, ({ name = "" }) => {
      if (name === "") return other
      const path = `${folder}/${name}`
      if (name.endsWith(".md")) return text(path)
      return Effect.map(request, (asked) => {
        if (assets() === undefined) return notBuilt
        return textAt(`${path}.md`) === undefined ? makeMissingPage(2) : shells.below(asked)
      })
    })
  const errorByCode = Effect.gen(function* () {
    const { code } = yield* HttpRouter.params
    const found = described.get(code ?? "")
    return found === undefined ? yield* other : found(yield* request)
  })
  return [
    ...["guides", "concepts", "questions", "operations", "events"].map((folder) =>
      HttpRouter.route("GET", `/docs/${folder}/:name`, below(folder))
    ),
    HttpRouter.route("GET", "/docs/app.js", file("script")),
    HttpRouter.route("GET", "/docs/style.css", file("style")),
    HttpRouter.route("GET", "/docs/guides.json", file("guides")),
    HttpRouter.route("GET", "/docs/llms.txt", text("llms.txt")),
    HttpRouter.route("GET", "/llms.txt", text("llms.txt")),
    HttpRouter.route("GET", "/docs/errors.md", text("errors.md")),
    HttpRouter.route("GET", "/docs/errors", Effect.map(request, errorsPage)),
    HttpRouter.route("GET", "/docs/errors/:code", errorByCode),
    // The router counts `/docs` among these.
    HttpRouter.route("GET", "/docs/*", other)
  ]
}
