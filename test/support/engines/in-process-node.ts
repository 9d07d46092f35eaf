/** A node of the service without a socket: requests are answered in this process, and the process may end at any call of a port. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Providers } from "../../../src/engine/ports/Provider.ts"
import { HttpEffect, HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { sha256 } from "../../../src/http/request.ts"
import { layer as routes } from "../../../src/http/server.ts"
import { HttpSettings } from "../../../src/http/settings.ts"
import { type Api, asking, cipher, operatorToken, urls } from "../http/server.ts"
import { contractOf } from "../http/contract.ts"
import { Life, mortalPorts } from "../faults/ending-process.ts"
import { wallClock } from "./wall-clock.ts"

export interface NodeOptions {
  readonly storage: Layer.Layer<Storage, StorageFault>
  /** Who asks: the first merchant of the store, which the first node of a store makes. */
  readonly known?: Pick<Api, "key" | "merchant_id" | "contract">
  readonly life?: Life
  /** The wall clock, epoch milliseconds. */
  readonly wall?: () => number
}

export interface Node extends Api {
  readonly life: Life
  readonly sandbox: Sandbox["Service"]
}

const base = "http://corridor.test"

const settings = Layer.succeed(HttpSettings, {
  environment: "test",
  base_url: base,
  docs_url: `${base}/docs`,
  operator_token_hash: sha256(operatorToken),
  rate_per_second: 0
})

type Served = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * Starts a node over a store. The simulated provider, its books and the clock are the environment's: they do not end with it,
 * and their own reads and writes are none of its calls.
 */
export const startNode = async ({ storage, known, life = new Life(), wall = Date.now }: NodeOptions): Promise<Node> => {
  let app: Served | undefined
  const listening = Layer.succeed(
    HttpServer.HttpServer,
    HttpServer.make({
      serve: (served) =>
        Effect.sync(() => {
          app = served
        }),
      address: { _tag: "TcpAddress", hostname: "127.0.0.1", port: 0 } as never
    })
  )
  const environment = Layer.mergeAll(
    SimulatedProvider.layer({ mode: "auto", delay_ms: 0, payshap: true }),
    MemoryWebhookSink.layer(),
    Engine.prices
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(cipher, Engine.local, urls)),
    Layer.provideMerge(MovableClock.layer.pipe(Layer.provideMerge(wallClock(wall, life.awake)))),
    Layer.provideMerge(storage)
  )
  const node = routes.pipe(
    Layer.provideMerge(Layer.mergeAll(settings, listening)),
    Layer.provideMerge(Engine.sandbox),
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(Providers.only),
    Layer.provideMerge(mortalPorts(life)),
    Layer.provideMerge(environment)
  )
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(node, scope))
  const handle = HttpEffect.toWebHandlerWith(context as Context.Context<never>)(app as never) as (
    request: Request
  ) => Promise<Response>
  const send = ((input: string, init?: RequestInit) => handle(new Request(input, init))) as typeof fetch
  const first = async () => {
    const bootstrap = Effect.flatMap(Merchants, (merchants) => merchants.bootstrap(undefined))
    const made = await Effect.runPromise(Effect.provideContext(bootstrap, context))
    return { key: made.api_key!, merchant_id: made.merchant_id }
  }
  const { key, merchant_id } = known ?? (await first())
  const contract = known?.contract ?? (await contractOf(base, send))
  return {
    base,
    port: 0,
    key,
    merchant_id,
    storage: Context.get(context, Storage),
    sandbox: Context.get(context, Sandbox),
    contract,
    life,
    ask: asking(base, send, key, contract),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
