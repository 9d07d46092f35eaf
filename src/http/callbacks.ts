/**
 * The endpoint for events of the provider: `POST /providers/{provider}/events`, signed as Standard Webhooks with the
 * provider's secret (OPERATOR-5). Every message with a valid signature is acknowledged. An event that matches no resource, and
 * a body that is no event, are recorded as exceptions for the operator, and a repeated event id is ignored.
 */
import { Cause, Clock, Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { AuthenticationFailed, NotFound, Unavailable } from "../engine/ports/errors.ts"
import { Providers } from "../engine/ports/Provider.ts"
import type { Inbox } from "../engine/work/providers/Inbox.ts"
import { receiveCallback } from "../engine/work/providers/provider-inputs.ts"
import { renderOk } from "./envelope.ts"
import { bytesOf, jsonResponse, requestIdOf } from "./request.ts"
import type { Responses } from "./responses.ts"

export const callbackRoutes = Effect.fnUntraced(function* (responses: Responses) {
  const context = yield* Effect.context<Inbox | Providers>()

  const receive = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, request_id: string) {
    const { provider = "" } = yield* HttpRouter.params
    const { event_id } = yield* receiveCallback(provider, request.headers, bytesOf(request)).pipe(
      Effect.provideContext(context)
    )
    return jsonResponse(200, renderOk({ event_id }, request_id, yield* Clock.currentTimeMillis), request_id)
  })

  const events = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const request_id = yield* requestIdOf(request, responses.ids)
    return yield* receive(request, request_id).pipe(
      Effect.catch((refusal) => responses.refuse(refusal as AuthenticationFailed | NotFound | Unavailable, request_id)),
      Effect.catchDefect((defect) => responses.defect(Cause.die(defect), "provider callback", request_id))
    )
  })

  /** A sender may ask first whether anybody is there, as SNS does for Circle (CIRCLE-11). */
  const isServed = Effect.gen(function* () {
    const { provider = "" } = yield* HttpRouter.params
    const isKnown = Context.get(context, Providers).byName(provider) !== undefined
    return HttpServerResponse.empty({ status: isKnown ? 200 : 404 })
  })

  return [
    HttpRouter.route("HEAD", "/providers/:provider/events", isServed),
    HttpRouter.route("POST", "/providers/:provider/events", events, { uninterruptible: true })
  ]
})
