/** The routes: the operations, system and documentation pages, provider callbacks, and 404 for other paths. */
import { ByteSize, Context, Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpMiddleware, HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { Admission, CallLimits } from "../engine/calls/Admission.ts"
import { entries, type OperationServices } from "../engine/operations.ts"
import { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import { callbackRoutes } from "./callbacks.ts"
import { consoleRoutes } from "./console/routes.ts"
import { makeConsole } from "./console/session.ts"
import { docsRoutes } from "./docs/routes.ts"
import { nameSpan, observe } from "./observability/requests.ts"
import { bodyMax, hasPathParameters, findRepeatedHeader } from "./request.ts"
import { makeCodec } from "./codec.ts"
import { makeResponses } from "./responses.ts"
import { systemRoutes } from "./system.ts"
import { verifyRoutes } from "./verify/routes.ts"

/** The application: the response to a request, as an Effect. */
export const makeApp = Effect.gen(function* () {
  const router = yield* HttpRouter.make
  const responses = yield* makeResponses
  const admission = responses.settings.admission ?? new Admission(yield* CallLimits)
  const serve = yield* makeCodec(responses, admission)
  const console = yield* makeConsole(responses, admission)
  // Requests run in the context of the server, so it must contain the services of the operations.
  yield* Effect.context<Exclude<OperationServices, SandboxOperations>>()
  const isSimulated = Option.isSome(yield* Effect.serviceOption(SandboxOperations))
  const served = entries.filter(({ operation }) => operation.area !== "sandbox" || isSimulated)
  yield* router.addAll(
    served.map(({ operation }) =>
      HttpRouter.route(operation.method, operation.path, serve(operation), {
        // A client that disconnects does not interrupt a write, and a stopping server still sends the response.
        uninterruptible: operation.method !== "GET"
      })
    )
  )
  yield* router.addAll(
    [
      ...(yield* systemRoutes(responses)),
      ...docsRoutes(responses, new Set(served.map(({ operation }) => operation.id))),
      ...(yield* callbackRoutes(responses)),
      ...(yield* verifyRoutes),
      // A router also matches encoded paths, so a console that is off has no routes.
      ...(responses.settings.console === false ? [] : [...consoleRoutes(responses), ...console.routes])
    ].map((route) => nameSpan(route))
  )
  const routed = router.asHttpEffect().pipe(
    // The router fails only if no route matches, or if the path cannot be decoded.
    Effect.catch(() => responses.unknownRoute),
    Effect.catchCause(responses.lastResort)
  )
  const gated = console.gate(routed)
  const once = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const name = findRepeatedHeader(request)
    if (name !== undefined) return responses.repeated(name)
    return hasPathParameters(request) ? responses.unknownRoute : gated
  })
  const respond = observe(Effect.catchCause(once, responses.lastResort))
  return { respond, responses }
}).pipe(
  // An id of any length reaches the operation, which responds that it does not exist. Paths match exactly.
  Effect.provideService(HttpRouter.RouterConfig, {
    maxParamLength: 16_384,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    caseSensitive: true
  })
)

/**
 * The settings under which the application runs: larger bodies are refused before they are read, and the server makes no spans
 * of its own, which would have the URL.
 */
export const requestSettings = Layer.mergeAll(
  Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMax)),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)
)

/** More services than a request adds to those of the server. Beyond its depth, a context copies all of them for each that is added. */
const depth = 24

/** The services of a server, to which requests add theirs cheaply. */
export const extensible = <R>({ mapUnsafe }: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(mapUnsafe, { maxDepth: depth })

const makeExtensible = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(serving, (services: Context.Context<R>) => extensible(services))

/** Serves all routes. Requires an `HttpServer`. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(makeApp, ({ respond }) => makeExtensible(HttpServer.serveEffect(respond)))
).pipe(Layer.provide(requestSettings))
