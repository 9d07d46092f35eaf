/** Routes beside the API: health, metrics and the OpenAPI document. */
import { Clock, Effect, Exit, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Auth } from "../engine/calls/auth.ts"
import { isSameText } from "../engine/crypto/secrets.ts"
import { AuthenticationFailed } from "../engine/ports/errors.ts"
import { ClockSkew, describeSkew } from "../engine/work/upkeep/ClockSkew.ts"
import { Storage } from "../engine/ports/Storage.ts"
import { iso } from "../engine/ports/Time.ts"
import { type Document, memoize, makeTextDocument } from "./document.ts"
import { version } from "../version.ts"
import { escapeHtml, makePageResponse } from "./docs/html.ts"
import { readBearerToken, isLoopback, type Request, chooseRequestId, type Response, sha256 } from "./request.ts"
import { type OpenApiOptions, generateOpenApi } from "./openapi.ts"
import type { Responses } from "./responses.ts"
import { metricsText } from "./observability/requests.ts"

const notScraper = new AuthenticationFailed({
  message: "The metrics require their own token. Send Authorization: Bearer <METRICS_TOKEN>."
})

const makePlainResponse = (body: unknown, status = 200): Response =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/json",
    headers: { "cache-control": "no-store" }
  })

/** The documents that the servers of this process share, by the settings that they say. */
const descriptions = memoize<Document>(4)

const makeOpenApiDocument = async (options: OpenApiOptions): Promise<Document> => {
  const steps = generateOpenApi(options)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true)
      return makeTextDocument(JSON.stringify(value), { contentType: "application/json", cacheControl: "no-cache" })
    await new Promise(setImmediate)
  }
}

export const makeSystemRoutes = Effect.fnUntraced(function* (responses: Responses) {
  const [storage, clock, auth] = yield* Effect.all([Storage, ClockSkew, Auth])
  const { settings } = responses
  const document = Effect.gen(function* () {
    const respond = yield* Effect.promise(() => {
      // Making the document takes longer than the rest of the startup, so the first request makes it. Others are
      // served meanwhile.
      const { base_url, docs_url, environment } = settings
      const options = { base_url, docs_url, environment }
      return descriptions(JSON.stringify(options), () => makeOpenApiDocument(options))
    })
    return respond(yield* HttpServerRequest.HttpServerRequest)
  })

  // However often this is asked, each node makes one write a second. A failure is not kept: the next question finds the recovery.
  const isWritable = yield* storage.ping.pipe(
    Effect.timeout("2 seconds"),
    Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) ? "1 second" : 0))
  )

  // All that every response needs: a store that takes writes, the time of the store, an id and a valid time.
  const ready = Effect.suspend(() =>
    Effect.all([
      Effect.andThen(isWritable, clock.skew),
      responses.ids.make("req"),
      Effect.map(Clock.currentTimeMillis, iso)
    ])
  ).pipe(
    Effect.timeout("2 seconds"),
    Effect.matchCause({
      onSuccess: ([skew_ms]) =>
        skew_ms === 0
          ? makePlainResponse({ status: "ok" })
          : makePlainResponse({ status: "unavailable", reason: describeSkew(skew_ms) }, 503),
      onFailure: () => makePlainResponse({ status: "unavailable" }, 503)
    })
  )

  // Behind a proxy on the same machine, every peer is loopback.
  const isOpen = settings.open_metrics ?? settings.environment === "test"
  /** Whether a request may read the metrics. With a token of their own, nothing else counts, not even loopback. */
  const mayScrape = (request: Request) => {
    if (settings.metrics_token_hash !== undefined) {
      const token = readBearerToken(request)
      return token !== undefined && isSameText(sha256(token), settings.metrics_token_hash)
        ? Effect.void
        : Effect.fail(notScraper)
    }
    return isOpen && isLoopback(request)
      ? Effect.void
      : Effect.flatMap(Effect.fromResult(responses.operator(request)), (named) =>
          named._tag === "OperatorToken" ? Effect.asVoid(auth.operator(named.hash)) : Effect.void
        )
  }

  const metrics = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const known = yield* Effect.result(mayScrape(request))
    if (Result.isFailure(known))
      return yield* responses.refuse(known.failure, yield* chooseRequestId(request, responses.ids))
    return HttpServerResponse.text(metricsText(), {
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      headers: { "cache-control": "no-store" }
    })
  })

  const { base_url, docs_url, environment } = settings
  const places = {
    docs_url,
    ...(settings.console === false ? {} : { console_url: `${base_url}/console` }),
    openapi_url: `${base_url}/openapi.json`
  }
  const link = ([name, url]: readonly [string, string]): string => `<li><a href="${escapeHtml(url)}">${name}</a></li>`
  /** Where to go on: a page for people, JSON for programs. */
  const start = Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const links = [
      ...(places.console_url === undefined ? [] : [["Console", places.console_url] as const]),
      ["Documentation", docs_url] as const,
      ["OpenAPI document", places.openapi_url] as const
    ]
    return (headers["accept"] ?? "").includes("text/html")
      ? makePageResponse("Corridor", `<main><h1>Corridor</h1><ul>${links.map(link).join("")}</ul></main>`, {
          inert: true
        })
      : makePlainResponse({ name: "Corridor", version, environment, ...places })
  })

  return [
    HttpRouter.route("GET", "/", start),
    HttpRouter.route("GET", "/health/live", makePlainResponse({ status: "ok" })),
    HttpRouter.route("GET", "/health/ready", ready),
    HttpRouter.route("GET", "/metrics", metrics),
    HttpRouter.route("GET", "/openapi.json", document)
  ]
})
