/** The routes layer: the API's endpoints behind the pipeline, the system's pages, and 404 for everything else. */
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerError } from "effect/http"
import { bodyMax } from "./exchange.ts"
import { makePipeline } from "./pipeline.ts"
import { allEndpoints } from "./routes.ts"
import { systemRoutes } from "./system.ts"

const routes = HttpRouter.use(
  Effect.fnUntraced(function*(router) {
    const pipeline = yield* makePipeline
    const served = yield* allEndpoints
    // A path that cannot be decoded meets no route at all, not even the last one.
    yield* router.addGlobalMiddleware((handler) =>
      Effect.catchIf(handler, (error) => HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound", () => pipeline.unknownRoute))
    yield* router.addAll([
      ...served.map((endpoint) =>
        HttpRouter.route(endpoint.rules.method, endpoint.rules.path, pipeline.serve(endpoint), {
          // A client that goes away does not stop a write half way: it would not know whether it happened.
          uninterruptible: endpoint.rules.method !== "GET"
        })
      ),
      ...(yield* systemRoutes(pipeline)),
      HttpRouter.route("*", "/*", pipeline.unknownRoute)
    ])
  })
)

/** Serves everything on the `HttpServer` it is given. */
export const layer = HttpRouter.serve(routes, {
  disableLogger: true,
  disableListenLog: true,
  // An id of any length is only an id that does not exist; paths are taken as they are written.
  routerConfig: { maxParamLength: 16_384, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, caseSensitive: true }
}).pipe(Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMax))))
