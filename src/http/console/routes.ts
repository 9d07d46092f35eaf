/**
 * The console's page and its files. Every path below `/console` that is not the session, the API or a file is the same page:
 * the script in it shows what the path names.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { makeSecurityHeaders } from "../docs/html.ts"
import { readPath } from "../request.ts"
import type { Responses } from "../responses.ts"
import { type Assets, immutable, loadAssets } from "./assets.ts"

/** Makes the path from a page to the folder of the assets. It is relative, because the server may be mounted at any path. */
const makeAssetPath = (path: string): string => {
  const below = path.slice("/console".length)
  return below === "" ? "console/assets/" : `${"../".repeat(below.split("/").length - 2)}assets/`
}

const notBuilt = HttpServerResponse.text(
  "The console is not built. Run `npm run console`, then reload this page; no restart is needed.\n",
  {
    status: 503,
    contentType: "text/plain; charset=utf-8",
    headers: { ...makeSecurityHeaders(), "cache-control": "no-store" }
  }
)

/** Makes the routes of the console's page and its built files, without those of its session and API. `load` is called at a request, until it finds the files. */
export const makeConsolePageRoutes = (responses: Responses, load: () => Assets | undefined = loadAssets) => {
  let loaded: Assets | undefined
  const assets = (): Assets | undefined => (loaded ??= load())

  const show = Effect.gen(function* () {
    const path = readPath(yield* HttpServerRequest.HttpServerRequest)
    // The router also matches `/%63onsole` and `/console;x`, from which no relative path leads to the assets.
    if (!/^\/console(?:\/(?!(?:session|api|assets)(?:\/|$))|$)/.test(path)) return yield* responses.unknownRoute
    const found = assets()
    return found === undefined
      ? notBuilt
      : HttpServerResponse.text(
          `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
            `<meta name="color-scheme" content="light dark"><title>Corridor</title><link rel="icon" href="data:,">` +
            `<link rel="stylesheet" href="${makeAssetPath(path)}${found.style}"><script type="module" src="${makeAssetPath(path)}${found.script}"></script></head>` +
            `<body><div id="app"></div><noscript><p>The Corridor console needs JavaScript. The API reference is at /docs.</p></noscript></body></html>`,
          {
            contentType: "text/html; charset=utf-8",
            headers: { ...makeSecurityHeaders(), "cache-control": "no-cache" }
          }
        )
  })
  const file = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const asset = assets()?.find(readPath(request).slice("/console/assets/".length), immutable)
    return asset === undefined ? yield* responses.unknownRoute : asset(request)
  })
  return [
    // The router counts `/console` among these.
    HttpRouter.route("GET", "/console/*", show),
    HttpRouter.route("GET", "/console/assets/*", file)
  ]
}
