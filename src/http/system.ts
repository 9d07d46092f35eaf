/** Routes beside the API: health, metrics, the OpenAPI document and the documentation. */
import { Clock, Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { NotFound } from "../engine/ports/errors.ts"
import { Auth } from "../engine/calls/auth.ts"
import { ClockSkew, skewed } from "../engine/work/ClockSkew.ts"
import { Storage } from "../engine/ports/Storage.ts"
import { iso } from "../engine/ports/Time.ts"
import { escape, page, policy } from "./docs/html.ts"
import { script } from "./docs/script.ts"
import { style } from "./docs/style.ts"
import { type Code, codes, wire, statuses } from "./errors.ts"
import { isLoopback, requestIdOf } from "./request.ts"
import { openApi } from "./openapi.ts"
import type { Responses } from "./responses.ts"

const plain = (body: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/json",
    headers: { "cache-control": "no-store" }
  })

const asset = (text: string, contentType: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { contentType, headers: { ...policy(), "cache-control": "public, max-age=300" } })

const docsPage = page(
  "Corridor API",
  `<header class="top"><h1>Corridor API</h1><label for="key">API key or operator token</label>` +
    `<input id="key" class="mono" type="password" autocomplete="off" placeholder="sk_test_..."></header>` +
    `<div class="layout"><nav aria-label="Operations"></nav><main><p>This page reads <a href="openapi.json">openapi.json</a>` +
    ` and needs JavaScript to show it.</p></main></div>`,
  { script: "docs/app.js" }
)

const errorPage = (code: Code): HttpServerResponse.HttpServerResponse => {
  const { about, action } = wire[code]
  return page(
    `${code} | Corridor API`,
    `<div class="page"><p><a href="../../docs">Corridor API</a> / <a href="../errors">Errors</a></p><h1><code>${code}</code></h1>` +
      `<p>HTTP ${statuses[code]}</p><p>${escape(about)}</p><h2>What to do</h2><p>${escape(action)}</p></div>`,
    { style: "../style.css" }
  )
}

/** Reasons of restrictions that are not error codes, but link to the documentation too (CURRENCY-6). */
const reasons = {
  customer_kyc_not_approved: {
    about: "The customer has not completed verification, so fiat deposits are not available to the customer.",
    action:
      "Start a verification with POST /v1/customers/{customerId}/verifications. The restriction lifts when kyc_status is approved."
  }
} as const

const reasonPage = (reason: keyof typeof reasons): HttpServerResponse.HttpServerResponse =>
  page(
    `${reason} | Corridor API`,
    `<div class="page"><p><a href="../../docs">Corridor API</a></p><h1><code>${reason}</code></h1><p>${escape(reasons[reason].about)}</p>` +
      `<h2>What to do</h2><p>${escape(reasons[reason].action)}</p></div>`,
    { style: "../style.css" }
  )

const errorsPage = page(
  "Errors | Corridor API",
  `<div class="page"><p><a href="../docs">Corridor API</a></p><h1>Errors</h1><table><tbody>` +
    codes
      .map(
        (code) =>
          `<tr><td>${statuses[code]}</td><td><a href="errors/${code}"><code>${code}</code></a></td><td>${escape(wire[code].about)}</td></tr>`
      )
      .join("") +
    `</tbody></table></div>`,
  { style: "style.css" }
)

export const systemRoutes = Effect.fnUntraced(function* (responses: Responses) {
  const storage = yield* Storage
  const clock = yield* ClockSkew
  const auth = yield* Auth
  const { settings } = responses
  // Rendering the document takes longer than the rest of the startup, so the first request renders it.
  const document = yield* Effect.cached(
    Effect.sync(() =>
      HttpServerResponse.text(JSON.stringify(openApi(settings)), {
        contentType: "application/json",
        headers: { "cache-control": "no-cache" }
      })
    )
  )

  // All that every response needs: the store, the time of the store, an id and a valid time.
  const ready = Effect.suspend(() =>
    Effect.all([
      Effect.andThen(storage.ping, clock.skew),
      responses.ids.make("req"),
      Effect.map(Clock.currentTimeMillis, iso)
    ])
  ).pipe(
    Effect.timeout("2 seconds"),
    Effect.matchCause({
      onSuccess: ([skew_ms]) =>
        skew_ms === 0 ? plain({ status: "ok" }) : plain({ status: "unavailable", reason: skewed(skew_ms) }, 503),
      onFailure: () => plain({ status: "unavailable" }, 503)
    })
  )

  const metrics = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!isLoopback(request)) {
      const known = yield* Effect.result(
        Effect.flatMap(Effect.fromResult(responses.operator(request)), (named) =>
          named._tag === "OperatorToken" ? Effect.asVoid(auth.operator(named.hash)) : Effect.void
        )
      )
      if (Result.isFailure(known))
        return yield* responses.refuse(known.failure, yield* requestIdOf(request, responses.ids))
    }
    const text = yield* PrometheusMetrics.format()
    return HttpServerResponse.text(text, {
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      headers: { "cache-control": "no-store" }
    })
  })

  const pages = new Map([
    ...codes.map((code) => [code as string, errorPage(code)] as const),
    ...(Object.keys(reasons) as Array<keyof typeof reasons>).map(
      (reason) => [reason as string, reasonPage(reason)] as const
    )
  ])
  const errorByCode = Effect.gen(function* () {
    const { code } = yield* HttpRouter.params
    const found = pages.get(code ?? "")
    if (found !== undefined) return found
    const request = yield* HttpServerRequest.HttpServerRequest
    const refusal = new NotFound({ message: "The error code does not exist." })
    return yield* responses.refuse(refusal, yield* requestIdOf(request, responses.ids))
  })

  return [
    HttpRouter.route("GET", "/health/live", plain({ status: "ok" })),
    HttpRouter.route("GET", "/health/ready", ready),
    HttpRouter.route("GET", "/metrics", metrics),
    HttpRouter.route("GET", "/openapi.json", document),
    HttpRouter.route("GET", "/docs", docsPage),
    HttpRouter.route("GET", "/docs/app.js", asset(script, "text/javascript; charset=utf-8")),
    HttpRouter.route("GET", "/docs/style.css", asset(style, "text/css; charset=utf-8")),
    HttpRouter.route("GET", "/docs/errors", errorsPage),
    HttpRouter.route("GET", "/docs/errors/:code", errorByCode)
  ]
})
