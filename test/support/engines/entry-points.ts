/**
 * The three entry points of the engine, as one: promises, Effects, and HTTP over a socket. Each is made over a store, with the
 * simulated provider waiting for what it is told and a clock that the sandbox moves.
 */
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import { HttpServer } from "effect/http"
import { AesGcmCipher, aesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { SimulatedProvider, simulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryWebhookSink, memoryWebhooks } from "../../../src/adapters/webhook/memory.ts"
import { Corridor } from "../../../src/embedded/Corridor.ts"
import type {
  MerchantCalls,
  MerchantSandboxCalls,
  MerchantsCalls,
  OperatorCalls,
  SandboxCalls
} from "../../../src/embedded/Corridor.ts"
import { versionOf } from "../../../src/embedded/calls.ts"
import { CorridorError, toCorridorError } from "../../../src/embedded/error.ts"
import { mapTable } from "../../../src/embedded/methods.ts"
import { type AnyOperation, type Table, hasInput } from "../../../src/engine/calls/operation.ts"
import { tables } from "../../../src/engine/operations.ts"
import { adapter } from "../../../src/engine/ports/adapter.ts"
import type { Code } from "../../../src/engine/calls/codes.ts"
import type { Fault, FieldFault, Refusal, StorageFault } from "../../../src/engine/ports/errors.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { sha256 } from "../../../src/http/request.ts"
import { layer as routes } from "../../../src/http/server.ts"
import { HttpSettings } from "../../../src/http/settings.ts"

type Store = Layer.Layer<Storage, StorageFault>

export interface EntryPoint {
  readonly merchants: MerchantsCalls
  readonly operator: OperatorCalls
  readonly sandbox: SandboxCalls
  readonly as: (merchant_id: string) => MerchantCalls
  /** The version of a body that was got. */
  readonly versionOf: (body: object) => string
  readonly close: () => Promise<void>
}

const keys = [aesKey(Buffer.alloc(32, 7).toString("base64"))] as const
const simulated = { mode: "manual", delay_ms: 0, payshap: true } as const

export const promises = async (store: Store): Promise<EntryPoint> => ({
  ...(await Corridor.start({
    storage: adapter("storage", store),
    provider: simulatedProvider(simulated),
    webhooks: memoryWebhooks(),
    cipher: aesGcmCipher({ keys }),
    clock: MovableClock.movableClock()
  })),
  versionOf
})

const corridor = (storage: Store) =>
  Corridor.layer({
    storage,
    provider: SimulatedProvider.layer(simulated),
    webhooks: MemoryWebhookSink.layer(),
    cipher: AesGcmCipher.layer({ keys }),
    clock: MovableClock.layer
  })

/** Methods that give Effects, as methods that give promises. */
const run = <Out>(
  methods: unknown,
  perform: (effect: Effect.Effect<unknown, Refusal | Fault>) => Promise<Exit.Exit<unknown, Refusal | Fault>>
): Out =>
  Object.fromEntries(
    Object.entries(methods as Record<string, unknown>).map(([name, member]) => [
      name,
      typeof member !== "function"
        ? run(member, perform)
        : async (...args: ReadonlyArray<never>) => {
            const exit = await perform(
              (member as (...given: ReadonlyArray<never>) => Effect.Effect<unknown, Refusal | Fault>)(...args)
            )
            if (Exit.isSuccess(exit)) return exit.value
            throw toCorridorError(exit.cause)
          }
    ])
  ) as Out

export const effects = async (store: Store): Promise<EntryPoint> => {
  const runtime = ManagedRuntime.make(corridor(store))
  const perform = (effect: Effect.Effect<unknown, Refusal | Fault>) =>
    runtime.runPromiseExit(effect) as Promise<Exit.Exit<unknown, Refusal | Fault>>
  const { as, ...time } = Corridor.sandbox
  return {
    merchants: run(Corridor.merchants, perform),
    operator: run(Corridor.operator, perform),
    sandbox: { ...run<SandboxCalls>(time, perform), as: (id) => run(as(id), perform) },
    as: (id) => run(Corridor.as(id), perform),
    versionOf,
    close: () => runtime.dispose()
  }
}

interface Envelope {
  readonly status: boolean
  readonly code: string
  readonly message: string
  readonly data: unknown
  readonly meta: { readonly page?: number; readonly errors?: ReadonlyArray<FieldFault> } & Readonly<
    Record<string, unknown>
  >
}

/** Asks a server what an operation was called with, as the embedded methods take it and give it. */
const client =
  (base: string, token: () => string, versions: WeakMap<object, string>) =>
  (operation: AnyOperation) =>
  async (...args: ReadonlyArray<unknown>): Promise<unknown> => {
    const { implied, method, names, path } = operation
    const ids = args.slice(0, names.length) as ReadonlyArray<string>
    const input = hasInput(operation) ? ((args[ids.length] ?? {}) as Record<string, unknown>) : undefined
    const options = (args[ids.length + (input === undefined ? 0 : 1)] ?? {}) as {
      readonly idempotencyKey?: string
      readonly ifMatch?: string
      readonly strict?: boolean
    }
    let at = 0
    const url = new URL(base + path.replaceAll(/:\w+/g, () => encodeURIComponent(ids[at++] ?? "")))
    if (method === "GET")
      for (const [key, value] of Object.entries(input ?? {})) url.searchParams.set(key, String(value))
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token()}`,
        ...(method === "GET" ? {} : { "content-type": "application/json" }),
        ...(options.idempotencyKey === undefined ? {} : { "idempotency-key": options.idempotencyKey }),
        ...(options.strict === true ? { prefer: "handling=strict" } : {}),
        ...(options.ifMatch === undefined ? {} : { "if-match": `"${options.ifMatch}"` })
      },
      ...(method === "GET" ? {} : { body: JSON.stringify(input ?? implied ?? {}) })
    })
    if (response.headers.get("content-type") !== "application/json") return response.text()
    const { status, code, message, data, meta } = (await response.json()) as Envelope
    if (!status) throw new CorridorError(code as Code, message, { errors: meta.errors ?? [] })
    const version = response.headers.get("etag")
    if (version !== null) versions.set(data as object, version.replaceAll('"', ""))
    if (meta.page === undefined) return data
    const { page, per_page, total, has_more } = meta
    return { items: data, page, per_page, total, has_more }
  }

const operatorToken = "op_of_the_doors_test"

export const http = async (store: Store): Promise<EntryPoint> => {
  const settings = Layer.succeed(HttpSettings, {
    environment: "test",
    base_url: "http://corridor.test",
    docs_url: "http://corridor.test/docs",
    operator_token_hash: sha256(operatorToken),
    rate_per_second: 0
  })
  const server = routes.pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: "1 second" })
    ),
    Layer.provideMerge(settings),
    Layer.provideMerge(corridor(store))
  )
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(server, scope))
  const { port } = Context.get(context, HttpServer.HttpServer).address as unknown as { readonly port: number }
  const base = `http://127.0.0.1:${port}`
  const versions = new WeakMap<object, string>()
  const secrets = new Map<string, string>()
  const methods = <Out>(table: unknown, token: () => string): Out =>
    mapTable(table as Table, client(base, token, versions)) as Out
  const secretOf = (merchant_id: string) => () => secrets.get(merchant_id) ?? "sk_test_nobody"
  const merchants = methods<MerchantsCalls>(tables.merchants, () => operatorToken)
  return {
    merchants: {
      ...merchants,
      create: async (input) => {
        const made = await merchants.create(input)
        secrets.set(made.merchant.id, made.api_key.secret)
        return made
      }
    },
    operator: methods<OperatorCalls>(tables.operator, () => operatorToken),
    sandbox: {
      ...methods<SandboxCalls>(tables.clock, () => [...secrets.values()][0] ?? ""),
      as: (id) => methods<MerchantSandboxCalls>(tables.sandbox, secretOf(id))
    },
    as: (id) => methods<MerchantCalls>(tables.merchant, secretOf(id)),
    versionOf: (body) => versions.get(body) ?? "",
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
