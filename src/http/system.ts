/** Routes beside the API: health, metrics and the OpenAPI document. */
import { Clock, Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Auth } from "../engine/calls/auth.ts"
import { ClockSkew, skewed } from "../engine/work/ClockSkew.ts"
import { Storage } from "../engine/ports/Storage.ts"
import { iso } from "../engine/ports/Time.ts"
import { isLoopback, requestIdOf } from "./request.ts"
import { openApi } from "./openapi.ts"
import type { Responses } from "./responses.ts"

const plain = (body: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/json",
    headers: { "cache-control": "no-store" }
  })

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

  return [
    HttpRouter.route("GET", "/health/live", plain({ status: "ok" })),
    HttpRouter.route("GET", "/health/ready", ready),
    HttpRouter.route("GET", "/metrics", metrics),
    HttpRouter.route("GET", "/openapi.json", document)
  ]
})
