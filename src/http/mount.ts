/**
 * The API inside another server: a listener for Node's requests, and a web-standard `fetch`. Both give the responses of the
 * standalone server.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { NodeHttpServer } from "./node/index.ts"
import { Context, Effect, Layer, Scope } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { type Inside, requireInside } from "../embedded/inside.ts"
import { checkOptions, checkWhole } from "../engine/input/options.ts"
import { acquireUseReleaseSync } from "../engine/ports/when-ended.ts"
import { BaseUrl, DocsUrl, Environment } from "../engine/settings/settings.ts"
import type { RunningCorridor } from "../index.ts"
import { chooseRequestId, sha256 } from "./request.ts"
import { makeExtensibleContext, requestSettings, makeApp } from "./server.ts"
import { HttpSettings, type HttpSettingsShape } from "./settings.ts"
import { handleInTurn } from "./envelope-server.ts"

export interface MountOptions {
  /** An admin's bearer token of `/operator/v1`. Default: the operator API takes only the tokens of operators that it made. */
  readonly operatorToken?: string | undefined
  /** The bearer token of `/metrics`, the only one that is then accepted there. Default: an operator's. */
  readonly metricsToken?: string | undefined
  /** Whether `/metrics` without a token of its own needs none on loopback. Default: in `test` only. */
  readonly openMetrics?: boolean | undefined
  /** Whether the console is served at `/console`. Default: true. */
  readonly console?: boolean | undefined
  /** Money-movement writes per merchant and second, from 0 (no limit) to 1,000,000. Default: 25. */
  readonly ratePerSecond?: number | undefined
}

/**
 * The API of a Corridor, for another server.
 *
 * Requests are served at the root, or under the path of `baseUrl`: with `https://pay.example.com/corridor`, both
 * `/v1/wallets` and `/corridor/v1/wallets`. The body of a request must not be read before. After `corridor.close()`, every
 * request is refused.
 */
export interface Mounted {
  /** Handles a request of `node:http`, and of what is built on it. It always ends the response. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void
  /** Handles a request of the web standard. It never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
}

const readBefore =
  "The body of the request was read before it reached Corridor. Mount Corridor before anything that reads bodies."

type PerRequest = HttpServerRequest.HttpServerRequest | Scope.Scope

interface Source {
  /** What Express and Connect keep of the URL when they cut the path at which they mount. */
  readonly originalUrl?: string
  /** Whether somebody has read the body, of Node's request and of the web's. */
  readonly readableDidRead?: boolean
  readonly bodyUsed?: boolean
}

/** Strips the prefix from the path of a request. */
const stripPrefix = (prefix: string) => (request: HttpServerRequest.HttpServerRequest) => {
  if (prefix === "") return request
  const { originalUrl } = request.source as Source
  const url = [originalUrl, request.url].find((one) => one?.startsWith(`${prefix}/`))
  return url === undefined ? request : request.modify({ url: url.slice(prefix.length) })
}

/**
 * Mounts the API of a running Corridor. `baseUrl` and `docsUrl` are those of `Corridor.start`.
 *
 * Errors: throws `TypeError` for a value that `Corridor.start` did not make, and for an unknown option; `RangeError` for an invalid rate.
 */
export const mount = (corridor: RunningCorridor, options: MountOptions = {}): Mounted => {
  checkOptions("mount", options, {
    operatorToken: "string?",
    metricsToken: "string?",
    openMetrics: "boolean?",
    console: "boolean?",
    ratePerSecond: "number?"
  })
  const { ratePerSecond = 25 } = options
  checkWhole("ratePerSecond", ratePerSecond, 0, 1_000_000)
  const inside = requireInside(corridor)
  const base_url = Context.get(inside.context, BaseUrl)
  const docs = Context.get(inside.context, DocsUrl)
  return makeHandlers(inside, {
    environment: Context.get(inside.context, Environment),
    base_url,
    docs_url: docs.startsWith("/") ? base_url + docs : docs,
    operator_token_hash: options.operatorToken === undefined ? "" : sha256(options.operatorToken),
    ...(options.metricsToken === undefined ? {} : { metrics_token_hash: sha256(options.metricsToken) }),
    ...(options.openMetrics === undefined ? {} : { open_metrics: options.openMetrics }),
    rate_per_second: ratePerSecond,
    console: options.console ?? true
  })
}

/** Makes the request handlers of an engine. */
export const makeHandlers = ({ context: engine, enter }: Inside, settings: HttpSettingsShape): Mounted => {
  const scope = Effect.runSync(Scope.make())
  const layers = Layer.merge(Layer.succeed(HttpSettings, settings), requestSettings)
  const context = makeExtensibleContext(Context.merge(engine, Effect.runSync(Effect.scoped(Layer.build(layers)))))
  const { respond, responses } = Effect.runSync(Effect.provideContext(makeApp, context))
  // The path of a URL, without a trailing slash; empty for the root.
  const direct = stripPrefix(new URL(settings.base_url).pathname.replace(/\/+$/, ""))

  /** The application, behind the checks of a mounted one. `read` makes the request that the standalone server would get. */
  const app = (read: (request: HttpServerRequest.HttpServerRequest) => HttpServerRequest.HttpServerRequest) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { bodyUsed, readableDidRead } = request.source as Source
      if (bodyUsed === true || readableDidRead === true)
        return yield* responses.fault(readBefore, yield* chooseRequestId(request, responses.ids))
      return yield* acquireUseReleaseSync(
        enter,
        (leave) =>
          leave === undefined
            ? Effect.flatMap(chooseRequestId(request, responses.ids), responses.stopping)
            : Effect.provideService(respond, HttpServerRequest.HttpServerRequest, read(request)),
        (leave) => leave?.()
      )
    })

  const handler = Effect.runSync(
    Effect.provideContext(NodeHttpServer.makeHandler<PerRequest, never>(app(direct), { scope }), context)
  )
  return {
    listener: (request, response) => handleInTurn(request, response, () => handler(request, response)),
    fetch: HttpEffect.toWebHandlerWith<never, PerRequest>(context)(app(direct))
  }
}
