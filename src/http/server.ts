/** The routes: the API's endpoints behind the codec, the system's pages, and 404 for everything else. */
import { ByteSize, Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServer } from "effect/http"
import { entries, type Services } from "../engine/operations.ts"
import { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import { callbackRoutes } from "./callbacks.ts"
import { bodyMax } from "./request.ts"
import { makeCodec } from "./codec.ts"
import { makeResponses } from "./responses.ts"
import { systemRoutes } from "./system.ts"
import { verifyRoutes } from "./verify/routes.ts"

const app = Effect.gen(function* () {
  const router = yield* HttpRouter.make
  const responses = yield* makeResponses
  const serve = yield* makeCodec(responses)
  // The context of every request is that of the server, which has the services of the operations.
  yield* Effect.context<Exclude<Services, SandboxOperations>>()
  const isSimulated = Option.isSome(yield* Effect.serviceOption(SandboxOperations))
  const served = entries.filter(({ operation }) => operation.area !== "sandbox" || isSimulated)
  yield* router.addAll(
    served.map(({ operation }) =>
      HttpRouter.route(operation.method, operation.path, serve(operation), {
        // A client that goes away does not interrupt a write, and a server that stops still sends its response.
        uninterruptible: operation.method !== "GET"
      })
    )
  )
  yield* router.addAll([
    ...(yield* systemRoutes(responses)),
    ...(yield* callbackRoutes(responses)),
    ...(yield* verifyRoutes)
  ])
  return HttpServer.serve(
    router.asHttpEffect().pipe(
      // What the router fails with is that it knows no route, a path that cannot be decoded included.
      Effect.catch(() => responses.unknownRoute),
      Effect.catchCause(responses.lastResort)
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
