/** The routes: the API's endpoints behind the pipeline, the system's pages, and 404 for everything else. */
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServer } from "effect/http"
import { callbackRoutes } from "./callbacks.ts"
import { bodyMax } from "./request.ts"
import { makePipeline } from "./pipeline.ts"
import { allEndpoints } from "./routes.ts"
import { systemRoutes } from "./system.ts"
import { verifyRoutes } from "./verify/routes.ts"

const app = Effect.gen(function* () {
  const router = yield* HttpRouter.make
  const pipeline = yield* makePipeline
  const served = yield* allEndpoints
  yield* router.addAll(
    served.map((endpoint) =>
      HttpRouter.route(endpoint.rules.method, endpoint.rules.path, pipeline.serve(endpoint), {
        // A client that goes away does not stop a write half way: it would not know whether it happened.
        uninterruptible: endpoint.rules.method !== "GET"
      })
    )
  )
  yield* router.addAll([
    ...(yield* systemRoutes(pipeline)),
    ...(yield* callbackRoutes(pipeline)),
    ...(yield* verifyRoutes)
  ])
  return HttpServer.serve(
    router.asHttpEffect().pipe(
      // What the router fails with is that it knows no route, a path that cannot be decoded included.
      Effect.catch(() => pipeline.unknownRoute),
      Effect.catchCause(pipeline.lastResort)
    )
  )
}).pipe(
  // An id of any length is only an id that does not exist; paths are taken as they are written.
  Effect.provideService(HttpRouter.RouterConfig, {
    maxParamLength: 16_384,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    caseSensitive: true
  })
)

/** Serves everything on the `HttpServer` it is given. */
export const layer = Layer.unwrap(app).pipe(
  Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMax)))
)
