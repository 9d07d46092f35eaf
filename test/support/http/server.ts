/** A server on loopback over the memory store, and a client that keeps what a test asks about. */
import { NodeHttpServer } from "@effect/platform-node"
import { Providers } from "../../../src/engine/ports/Provider.ts"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { request } from "undici"
import { aesKey, AesGcmCipher } from "../../../src/adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { BaseUrl, DocsUrl, RateBandSetting } from "../../../src/engine/settings/settings.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Pricing } from "../../../src/engine/ports/Pricing.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { EnvelopeServer } from "../../../src/http/envelope-server.ts"
import { sha256 } from "../../../src/http/request.ts"
import { layer as routes } from "../../../src/http/server.ts"
import { HttpSettings, type HttpSettingsShape } from "../../../src/http/settings.ts"
import type { WebhookSink } from "../../../src/engine/ports/WebhookSink.ts"
import { type Contract, contractOf } from "./contract.ts"

export const operatorToken = "op_test_token"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: any
}

export interface Options {
  readonly method?: string
  readonly key?: string | null
  readonly body?: unknown
  readonly raw?: string | Uint8Array
  readonly headers?: Record<string, string>
}

/** What a server is asked with: every call is a real request over a socket. */
export interface Api {
  readonly base: string
  readonly port: number
  readonly key: string
  readonly merchant_id: string
  readonly storage: Storage["Service"]
  /** The document it serves; every answer of `ask` is held against it. */
  readonly contract: Contract
  readonly ask: (path: string, options?: Options) => Promise<Answer>
  readonly close: () => Promise<void>
}

/** Sends a request, as `fetch` does. */
type Send = (
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string | Uint8Array }
) => Promise<Pick<Response, "status" | "headers" | "text">>

/** What `fetch` does over a socket, without the streams of the web: they take most of the time of a short exchange. */
const overSocket: Send = async (url, { method, ...init }) => {
  const { statusCode, headers, body } = await request(url, { method: method as "GET", ...init })
  return {
    status: statusCode,
    headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    text: () => body.text()
  }
}

/** Asks by `send`, as `key` unless told otherwise, and holds every answer of the API's against its document. */
export const asking =
  (base: string, send: Send, own: string, contract: Contract): Api["ask"] =>
  async (path, { method, key = own, body, raw, headers = {} } = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const verb = method ?? (sent === undefined ? "GET" : "POST")
    const response = await send(base + path, {
      method: verb,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(sent === undefined ? {} : { body: sent })
    })
    const text = await response.text()
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      json = undefined
    }
    const { status, headers: received } = response
    if (/^\/(?:v1|operator|sandbox)\//.test(path)) {
      const breaches = contract.breaches({ method: verb, path, status, headers: received, json })
      if (breaches.length > 0)
        throw new Error(`an answer is not what openapi.json says:\n${breaches.join("\n")}\n${text.slice(0, 1500)}`)
    }
    return { status, headers: received, text, json }
  }

export const cipher = AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })

export const urls = Layer.mergeAll(
  Layer.succeed(BaseUrl, "http://corridor.test"),
  Layer.succeed(DocsUrl, "http://corridor.test/docs")
)

/** What a server runs with beside its store. */
export interface EnvironmentOptions {
  readonly mode?: "auto" | "manual"
  readonly payshap?: boolean
  readonly sink?: Layer.Layer<WebhookSink>
  readonly listen?: string
  /** Services of the process, in place of its own: ids, the clock. */
  readonly local?: Layer.Layer<never> | Layer.Layer<Ids>
  /** Another market than the table. */
  readonly rates?: Layer.Layer<Rates>
  /** Whether a dispatcher runs beside it. */
  readonly dispatcher?: boolean
}

/**
 * Starts a server over `storage`, by default a new memory store, with the sandbox and its movable clock. No dispatcher
 * runs beside it unless it is asked for: due work is run by `POST /sandbox/settle` and by moving the clock.
 */
export const startApi = async (
  settings: Partial<HttpSettingsShape> = {},
  storage: Layer.Layer<Storage> = MemoryStorage.layer,
  options: EnvironmentOptions = {}
): Promise<Api> => {
  const { mode = "manual", payshap = true, sink = MemoryWebhookSink.layer({}), listen = "127.0.0.1" } = options
  const prices = Pricing.layer.pipe(Layer.provideMerge(options.rates ?? Rates.layer))
  // Another market than the table belongs to a test that lets it jump.
  const band = options.rates === undefined ? Layer.empty : Layer.succeed(RateBandSetting, "off")
  const environment = Layer.mergeAll(SimulatedProvider.layer({ mode, delay_ms: 0, payshap }), sink, prices).pipe(
    Layer.provideMerge(Layer.mergeAll(cipher, Engine.local, options.local ?? Layer.empty, urls, band)),
    Layer.provideMerge(MovableClock.layer),
    Layer.provideMerge(storage)
  )
  const engine = Engine.sandbox.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(Providers.only),
    Layer.provideMerge(environment)
  )
  const http = Layer.succeed(HttpSettings, {
    environment: "test",
    base_url: "http://corridor.test",
    docs_url: "http://corridor.test/docs",
    operator_token_hash: sha256(operatorToken),
    rate_per_second: 25,
    ...settings
  })
  const listener = new EnvelopeServer()
  const server = routes.pipe(
    Layer.provideMerge(Layer.mergeAll(engine, http)),
    Layer.provideMerge(
      NodeHttpServer.layer(() => listener, { port: 0, host: listen, gracefulShutdownTimeout: "1 second" })
    )
  )
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(server, scope))
  if (options.dispatcher === true)
    await Effect.runPromise(
      Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.start({ graceMs: 0 })).pipe(
        Scope.provide(scope),
        Effect.provideContext(context)
      )
    )
  const address = Context.get(context, HttpServer.HttpServer).address
  const port = (address as unknown as { port: number }).port
  const { api_key, merchant_id } = await Effect.runPromise(
    Effect.provideContext(
      Effect.flatMap(Merchants, (m) => m.bootstrap(undefined)),
      context
    )
  )
  listener.configure(Context.get(context, Ids), "http://corridor.test/docs", (effect) =>
    Effect.runSync(Effect.provideContext(effect, context))
  )
  const url = `http://127.0.0.1:${port}`
  const contract = await contractOf(url)
  return {
    base: url,
    port,
    key: api_key!,
    merchant_id,
    storage: Context.get(context, Storage),
    contract,
    ask: asking(url, overSocket, api_key!, contract),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** A new key of the server's merchant. */
export const createKey = async (api: Api, role: string): Promise<{ readonly id: string; readonly secret: string }> =>
  (await api.ask("/v1/api-keys", { body: { role } })).json.data

/** Asks as the operator. */
export const asOperator = (api: Api, path: string, options: Options = {}): Promise<Answer> =>
  api.ask(path, { ...options, key: operatorToken })
