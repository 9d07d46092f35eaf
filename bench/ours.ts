/** Corridor itself, by row of the results. */
import { createServer } from "node:http"
import { Providers } from "../src/engine/ports/Provider.ts"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { aesKey, AesGcmCipher } from "../src/adapters/cipher/aes-gcm.ts"
import { SimulatedProvider } from "../src/adapters/provider/simulated.ts"
import { CellsStorage } from "../src/adapters/storage/cells/cells.ts"
import { MemoryStorage } from "../src/adapters/storage/memory.ts"
import { PgliteStorage } from "../src/adapters/storage/pglite.ts"
import { PostgresStorage } from "../src/adapters/storage/postgres.ts"
import { HttpWebhookSink } from "../src/adapters/webhook/http.ts"
import { MemoryWebhookSink } from "../src/adapters/webhook/memory.ts"
import type { Call } from "../src/engine/commit/call.ts"
import { begin } from "../src/engine/commit/steps.ts"
import { Dispatcher } from "../src/engine/work/queue/Dispatcher.ts"
import * as Engine from "../src/engine/Engine.ts"
import type { StorageFault } from "../src/engine/ports/errors.ts"
import { UnitOfWork } from "../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../src/engine/ports/Ids.ts"
import { BeneficiaryKind } from "../src/engine/resources/parties/beneficiary.ts"
import { Merchants } from "../src/engine/resources/access/merchant.ts"
import { Transfers } from "../src/engine/resources/movements/transfer.ts"
import { Wallets } from "../src/engine/resources/wallets/wallet.ts"
import { WebhookEndpoints } from "../src/engine/resources/webhooks/webhook-endpoint.ts"
import { EMPTY, type Change, Storage } from "../src/engine/ports/Storage.ts"
import { type Delivery, type DeliveryAnswer, WebhookSink } from "../src/engine/ports/WebhookSink.ts"
import { sha256 } from "../src/http/request.ts"
import { layer as routes } from "../src/http/server.ts"
import { HttpSettings } from "../src/http/settings.ts"
import { available } from "../src/machines/kernel/ledger.ts"
import { deliveryBody } from "./bodies.ts"
import type { Asked } from "./load.ts"
import { calls, type Contender, loaded, type Taken } from "./measure.ts"
import { startSink } from "./sink.ts"

type Store = Layer.Layer<Storage, StorageFault>

const MERCHANTS = 50
const FUNDS = "1000000000000000"

const engine = (storage: Store, sink: Layer.Layer<WebhookSink> = MemoryWebhookSink.layer()) =>
  Engine.layer.pipe(
    Layer.provideMerge(Providers.only),
    Layer.provideMerge(SimulatedProvider.layer({ mode: "auto", delay_ms: 0, payshap: true })),
    Layer.provideMerge(
      Layer.mergeAll(
        sink,
        AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
        Engine.prices
      )
    ),
    Layer.provideMerge(Engine.local),
    Layer.provideMerge(storage)
  )

/** A built engine, on which effects run until it is closed. */
const open = async <A, E>(layer: Layer.Layer<A, E>) => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  return {
    context,
    run: <B, F>(effect: Effect.Effect<B, F, A>): Promise<B> =>
      Effect.runPromise(Effect.provideContext(effect, context)),
    /** Runs an effect in the background until the engine is closed. */
    keep: (effect: Effect.Effect<void, never, A | Scope.Scope>): Promise<void> =>
      Effect.runPromise(Effect.provideContext(Effect.provideService(effect, Scope.Scope, scope), context)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const callOf = (merchant_id: string, serial: string): Call => ({
  merchant_id,
  role: "admin",
  key_id: null,
  operator: null,
  operation: "aTest",
  request_id: `req_${serial}`,
  idempotency: { key: `bench-${serial}`, fingerprint: serial.padStart(43, "f") },
  if_match: null,
  reply: JSON.stringify
})

interface Payer {
  readonly merchant_id: string
  readonly secret: string
  readonly beneficiary_id: string
  readonly wallet_id: string
}

const endpointOf = Effect.fnUntraced(function* (merchant_id: string, serial: string, url: string) {
  const endpoints = yield* WebhookEndpoints
  const { id } = yield* endpoints.create(callOf(merchant_id, `whe-${serial}`), { url })
  yield* endpoints.update(callOf(merchant_id, `active-${serial}`), id, { active: true })
})

/** A beneficiary that is already screened. */
const payee = {
  name: "Ada Obi",
  label: null,
  type: "crypto",
  currency: "USDC",
  details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", memo: null },
  metadata: {},
  merchant_reference: null,
  screening_id: "scr_1",
  screening: "cleared"
} as const

/** An address without a listener: deliveries are created and stay. */
const NOWHERE = "http://127.0.0.1:9/"

/** Creates merchants with a beneficiary each, funded wallets, and optionally an endpoint for all events. */
const payers = Effect.fnUntraced(function* (wallets: number, endpoint?: string) {
  const unitOfWork = yield* UnitOfWork
  const ids = yield* Ids
  const made = yield* Effect.forEach(
    Array.from({ length: Math.min(wallets, MERCHANTS) }, (_, n) => String(n)),
    Effect.fnUntraced(function* (n) {
      const { merchant, api_key, default_customer } = yield* (yield* Merchants).create(
        callOf("mer_platform", `mer-${n}`),
        {
          name: `Bench ${n}`,
          country_code: "NG",
          status: "active"
        }
      )
      const beneficiary = yield* begin(
        BeneficiaryKind,
        { merchant_id: merchant.id, id: yield* ids.make("ben"), customer_id: default_customer.id },
        { ...payee, customer_id: default_customer.id },
        Date.now()
      )
      yield* unitOfWork.apply(
        merchant.id,
        { deduplicationKey: `ben/${n}` },
        Effect.succeed({ changes: [beneficiary.changes], result: undefined })
      )
      if (endpoint !== undefined) yield* endpointOf(merchant.id, n, endpoint)
      return { merchant_id: merchant.id, secret: api_key.secret, beneficiary_id: beneficiary.row.id }
    })
  )
  return yield* Effect.forEach(
    Array.from({ length: wallets }, (_, n) => n),
    Effect.fnUntraced(function* (n) {
      const owner = made[n % made.length]!
      const { id } = yield* (yield* Wallets).create(callOf(owner.merchant_id, `wal-${n}`), {
        currency: "USDC",
        label: "treasury"
      })
      const funds = {
        debit: "world",
        credit: available(id),
        amount: FUNDS,
        currency: "USDC",
        resource_id: id,
        version: 1
      } as const
      yield* unitOfWork.apply(
        owner.merchant_id,
        { deduplicationKey: `fund/${n}` },
        Effect.succeed({ changes: [{ postings: [funds] }], result: undefined })
      )
      return { ...owner, wallet_id: id } satisfies Payer
    }),
    { concurrency: 64 }
  )
})

const transferOf = ({ wallet_id, beneficiary_id }: Payer, serial: string) => ({
  wallet_id,
  beneficiary_id,
  amount: "1.00",
  reference: `ref-${serial}`,
  metadata: { order: serial }
})

const create = (payer: Payer, serial: string) =>
  Effect.flatMap(Transfers, (transfers) =>
    transfers.create(callOf(payer.merchant_id, serial), transferOf(payer, serial))
  )

const creating = async (storage: Store, wallets: number, inFlight: number): Promise<Contender> => {
  const { run, close } = await open(engine(storage))
  const all = await run(payers(wallets, NOWHERE))
  return calls((n) => run(create(all[n % wallets]!, String(n))), inFlight, close)
}

/** The engine over a database, for what a measurement does itself. */
export const openOnPostgres = (url: string) => open(engine(PostgresStorage.layer({ url })))

export const createOnPostgres = (url: string, wallets: number, inFlight: number): Promise<Contender> =>
  creating(PostgresStorage.layer({ url }), wallets, inFlight)
export const createInCells = (url: string, cells: number, wallets: number, inFlight: number): Promise<Contender> =>
  creating(CellsStorage.layer({ url, cells }), wallets, inFlight)
export const createOnPGlite = (wallets: number, inFlight: number): Promise<Contender> =>
  creating(PgliteStorage.layer(), wallets, inFlight)
export const createInMemory = (wallets: number, inFlight: number): Promise<Contender> =>
  creating(MemoryStorage.layer, wallets, inFlight)

/** A sink that reports the result of each attempt. */
const watched = (report: (delivery: Delivery, answer: DeliveryAnswer) => void): Layer.Layer<WebhookSink> =>
  Layer.effect(
    WebhookSink,
    Effect.map(WebhookSink, (real) =>
      WebhookSink.of({
        ...real,
        deliver: (delivery) =>
          Effect.tap(real.deliver(delivery), (answer) => Effect.sync(() => report(delivery, answer)))
      })
    )
  ).pipe(Layer.provide(HttpWebhookSink.layer({ environment: "test", user_agent: "Corridor/bench" })))

const objectOf = /"event_object_id":"([^"]+)"/
/** `transfer.processing` and `transfer.success`. */
const EVENTS = 2

/**
 * From the call until the receiver has the last event: created, submitted by the dispatcher, completed by the simulated
 * provider at once, and each event delivered over HTTP.
 */
const living = async (storage: Store, wallets: number, inFlight: number): Promise<Contender> => {
  const lives = new Map<string, { times: number; resume: () => void }>()
  const lifeOf = (id: string) => {
    const found = lives.get(id) ?? { times: 0, resume: () => {} }
    lives.set(id, found)
    return found
  }
  const sink = await startSink()
  const counting = watched(({ body }, { error }) => {
    if (error !== null) throw new Error(error)
    const transfer = lifeOf(objectOf.exec(body)![1]!)
    if (++transfer.times === EVENTS) transfer.resume()
  })
  const { run, keep, close } = await open(engine(storage, counting))
  const all = await run(payers(wallets, sink.url))
  await keep(Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.start()))
  const live = async (n: number): Promise<void> => {
    const { id } = await run(create(all[n % wallets]!, String(n)))
    const transfer = lifeOf(id)
    if (transfer.times < EVENTS) {
      await new Promise<void>((resolve) => {
        transfer.resume = resolve
      })
    }
    lives.delete(id)
  }
  return calls(live, inFlight, async () => {
    await close()
    await sink.close()
  })
}

export const lifeOnPostgres = (url: string, wallets: number, inFlight: number): Promise<Contender> =>
  living(PostgresStorage.layer({ url }), wallets, inFlight)
export const lifeInCells = (url: string, cells: number, wallets: number, inFlight: number): Promise<Contender> =>
  living(CellsStorage.layer({ url, cells }), wallets, inFlight)
export const lifeInMemory = (wallets: number, inFlight: number): Promise<Contender> =>
  living(MemoryStorage.layer, wallets, inFlight)

const url = (context: Context.Context<HttpServer.HttpServer>): string => {
  const { address } = Context.get(context, HttpServer.HttpServer)
  if (address._tag === "UnixPathAddress") throw new Error("the server does not listen on a port")
  return `http://127.0.0.1:${address.port}`
}

const served = async (
  database: string,
  wallets: number,
  endpoint?: string,
  local: Layer.Layer<never> = Layer.empty
) => {
  const settings = Layer.succeed(HttpSettings, {
    environment: "test",
    base_url: "http://127.0.0.1",
    docs_url: "http://127.0.0.1/docs",
    operator_token_hash: sha256("operator"),
    rate_per_second: 0
  })
  const opened = await open(
    routes.pipe(
      Layer.provideMerge(Layer.mergeAll(engine(PostgresStorage.layer({ url: database })), settings)),
      Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })),
      Layer.provideMerge(local)
    )
  )
  return { ...opened, url: url(opened.context), all: await opened.run(payers(wallets, endpoint)) }
}

type OverHttp = readonly [database: string, wallets: number, connections: number]

/** Transfers over HTTP, beside the services of `local`. `isPaid`: the same process pays them out meanwhile, and no endpoint is told. */
const creatingOverHttp = async (
  [database, wallets, connections]: OverHttp,
  isPaid: boolean,
  local?: Layer.Layer<never>
) => {
  const { url, all, close, keep } = await served(database, wallets, isPaid ? undefined : NOWHERE, local)
  if (isPaid) await keep(Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.start()))
  const asked = (n: number): Asked => {
    const payer = all[n % wallets]!
    return {
      method: "POST",
      path: "/v1/transfers",
      headers: { authorization: `Bearer ${payer.secret}`, "idempotency-key": `bench-http-${n}` },
      body: JSON.stringify(transferOf(payer, String(n)))
    }
  }
  return loaded(url, connections, asked, close)
}

export const createOverHttp = (over: OverHttp, local?: Layer.Layer<never>): Promise<Contender> =>
  creatingOverHttp(over, false, local)
/** The latency is that of the response, while the payouts of earlier transfers go on. */
export const payOverHttp = (...over: OverHttp): Promise<Contender> => creatingOverHttp(over, true)

/** Reads one transfer by id, over as many transfers as there are wallets. */
export const readOverHttp = async (database: string, wallets: number, connections: number): Promise<Contender> => {
  const { url, all, run, close } = await served(database, wallets, NOWHERE)
  const filed = await run(Effect.forEach(all, (payer, n) => create(payer, `read-${n}`), { concurrency: connections }))
  const asked = (n: number): Asked => ({
    method: "GET",
    path: `/v1/transfers/${filed[n % wallets]!.id}`,
    headers: { authorization: `Bearer ${all[n % wallets]!.secret}` },
    body: null
  })
  return loaded(url, connections, asked, close)
}

/** Events as large as the floor's, for endpoints that share the floor's number of callers. */
const published = (merchant_id: string, serial: string): Change => ({
  ...EMPTY,
  merchant_id,
  at: Date.now(),
  idempotency: { key: `event/${serial}`, fingerprint: "", response: null, expires_at: null },
  events: [
    {
      id: `evt_${serial}`,
      object_id: `tfr_${serial}`,
      sequence: 1,
      type: "transfer.success",
      category: "transfer",
      created_at: Date.now(),
      body: deliveryBody(serial)
    }
  ]
})

/** The dispatcher's work on waiting events: claim, sign, post, complete. The latency is that of the attempt. */
export const deliver = async (database: string, inFlight: number): Promise<Contender> => {
  const ENDPOINTS = Math.ceil(inFlight / 16)
  const sink = await startSink()
  let latencies: Array<number> = []
  let done = (): void => {}
  let wanted = 0
  const measured = watched((_, { error, duration_ms }) => {
    if (error !== null) throw new Error(error)
    latencies.push(duration_ms)
    if (latencies.length >= wanted) done()
  })
  const { run, close } = await open(engine(PostgresStorage.layer({ url: database }), measured))
  const [payer] = await run(payers(1))
  for (let n = 0; n < ENDPOINTS; n++) await run(endpointOf(payer!.merchant_id, String(n), sink.url))
  let serial = 0
  return {
    run: async (count): Promise<Taken> => {
      const events = Array.from({ length: Math.ceil(count / ENDPOINTS) }, () =>
        published(payer!.merchant_id, String(serial++).padStart(26, "0"))
      )
      await run(Effect.flatMap(Storage, (store) => Effect.forEach(events, store.commit, { concurrency: 128 })))
      latencies = []
      wanted = events.length * ENDPOINTS
      const all = new Promise<void>((resolve) => {
        done = resolve
      })
      const began = performance.now()
      await run(
        Effect.scoped(
          Effect.gen(function* () {
            yield* (yield* Dispatcher).start()
            yield* Effect.promise(() => all)
          })
        )
      )
      return { elapsed_ms: performance.now() - began, latencies_ms: latencies }
    },
    close: async () => {
      await close()
      await sink.close()
    }
  }
}
