/**
 * The three doors of the engine, as one: promises, Effects, and HTTP over a socket. Each is made over a store, with the
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
import { CorridorError, errorOf } from "../../../src/embedded/error.ts"
import {
  merchantsOperations,
  operatorOperations,
  sandboxOperations,
  timeOperations
} from "../../../src/embedded/operator.ts"
import { merchantOperations } from "../../../src/embedded/merchant.ts"
import { type AnyOperation, mapTable, type Table } from "../../../src/embedded/operation.ts"
import { adapter } from "../../../src/engine/ports/Adapter.ts"
import type { Code } from "../../../src/engine/calls/codes.ts"
import type { Fault, FieldFault, Refusal, StorageFault } from "../../../src/engine/ports/errors.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { sha256 } from "../../../src/http/request.ts"
import { layer as routes } from "../../../src/http/server.ts"
import { HttpSettings } from "../../../src/http/settings.ts"

type Store = Layer.Layer<Storage, StorageFault>

export interface Door {
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

export const promises = async (store: Store): Promise<Door> => ({
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
            throw errorOf(exit.cause)
          }
    ])
  ) as Out

export const effects = async (store: Store): Promise<Door> => {
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

/** Where each operation is found over HTTP. */
export const found: Readonly<Record<string, string>> = {
  me: "GET /v1/me",
  "apiKeys.create": "POST /v1/api-keys",
  "apiKeys.list": "GET /v1/api-keys",
  "apiKeys.revoke": "DELETE /v1/api-keys/:id",
  "customers.create": "POST /v1/customers",
  "customers.list": "GET /v1/customers",
  "customers.get": "GET /v1/customers/:id",
  "customers.update": "PATCH /v1/customers/:id",
  "verifications.create": "POST /v1/customers/:customerId/verifications",
  "verifications.list": "GET /v1/customers/:customerId/verifications",
  "verifications.get": "GET /v1/customers/:customerId/verifications/:kycId",
  "wallets.create": "POST /v1/wallets",
  "wallets.list": "GET /v1/wallets",
  "wallets.get": "GET /v1/wallets/:id",
  "wallets.update": "PATCH /v1/wallets/:id",
  "depositAddresses.create": "POST /v1/wallets/:id/deposit-addresses",
  "depositAddresses.list": "GET /v1/wallets/:id/deposit-addresses",
  "depositAddresses.get": "GET /v1/wallets/:id/deposit-addresses/:depositAddressId",
  "depositAddresses.disable": "DELETE /v1/wallets/:id/deposit-addresses/:depositAddressId",
  "beneficiaries.create": "POST /v1/beneficiaries",
  "beneficiaries.list": "GET /v1/beneficiaries",
  "beneficiaries.get": "GET /v1/beneficiaries/:id",
  "beneficiaries.update": "PATCH /v1/beneficiaries/:id",
  "senders.create": "POST /v1/senders",
  "senders.list": "GET /v1/senders",
  "senders.get": "GET /v1/senders/:id",
  "senders.update": "PATCH /v1/senders/:id",
  "quotes.create": "POST /v1/quotes",
  "quotes.offramp": "POST /v1/offramps/quotes",
  "quotes.onramp": "POST /v1/onramps/quotes",
  "quotes.conversion": "POST /v1/conversions/quotes",
  "quotes.get": "GET /v1/quotes/:id",
  "onramps.create": "POST /v1/onramps",
  "onramps.list": "GET /v1/onramps",
  "onramps.get": "GET /v1/onramps/:id",
  "conversions.create": "POST /v1/conversions",
  "conversions.list": "GET /v1/conversions",
  "conversions.get": "GET /v1/conversions/:id",
  "walletCredentials.create": "POST /v1/wallets/:id/credentials",
  "walletCredentials.list": "GET /v1/wallets/:id/credentials",
  "walletCredentials.get": "GET /v1/wallets/:id/credentials/:credentialId",
  "offramps.create": "POST /v1/offramps",
  "offramps.list": "GET /v1/offramps",
  "offramps.get": "GET /v1/offramps/:id",
  "transfers.create": "POST /v1/transfers",
  "transfers.list": "GET /v1/transfers",
  "transfers.get": "GET /v1/transfers/:id",
  "transactions.list": "GET /v1/transactions",
  "transactions.get": "GET /v1/transactions/:id",
  "webhooks.create": "POST /v1/notifications/webhooks",
  "webhooks.list": "GET /v1/notifications/webhooks",
  "webhooks.get": "GET /v1/notifications/webhooks/:id",
  "webhooks.update": "PATCH /v1/notifications/webhooks/:id",
  "webhooks.delete": "DELETE /v1/notifications/webhooks/:id",
  "webhooks.rotateSecret": "POST /v1/notifications/webhooks/:id/rotate-secret",
  "webhooks.replay": "POST /v1/notifications/webhooks/:id/replay",
  "webhooks.ping": "POST /v1/notifications/webhooks/:id/ping",
  "webhooks.deliveries": "GET /v1/notifications/webhooks/:id/deliveries",
  "events.list": "GET /v1/notifications/events",
  "events.feed": "GET /v1/notifications/events/feed",
  "events.get": "GET /v1/notifications/events/:id",
  "currencies.list": "GET /v1/currencies",
  "currencies.requestAccess": "POST /v1/currencies/:code/access-requests",
  "currencies.accessRequests": "GET /v1/currencies/access-requests",
  "countries.list": "GET /v1/countries",
  "providers.list": "GET /v1/providers",
  "merchants.create": "POST /operator/v1/merchants",
  "merchants.list": "GET /operator/v1/merchants",
  "merchants.update": "PATCH /operator/v1/merchants/:id",
  "operator.deposits.held": "GET /operator/v1/deposits",
  "operator.deposits.release": "POST /operator/v1/deposits/:id/release",
  "operator.deposits.reject": "POST /operator/v1/deposits/:id/reject",
  "operator.depositAddresses.freeze": "POST /operator/v1/deposit-addresses/:id/freeze",
  "operator.depositAddresses.unfreeze": "POST /operator/v1/deposit-addresses/:id/unfreeze",
  "operator.accessRequests.list": "GET /operator/v1/access-requests",
  "operator.accessRequests.review": "POST /operator/v1/access-requests/:id/review",
  "operator.accessRequests.revoke": "POST /operator/v1/access-requests/:id/revoke",
  "operator.walletCredentials.freeze": "POST /operator/v1/credentials/:id/freeze",
  "operator.walletCredentials.unfreeze": "POST /operator/v1/credentials/:id/unfreeze",
  "operator.walletCredentials.forward": "POST /operator/v1/credentials/:id/forward",
  "operator.walletCredentials.disable": "POST /operator/v1/credentials/:id/disable",
  "operator.exceptions.list": "GET /operator/v1/exceptions",
  "operator.exceptions.resolve": "POST /operator/v1/exceptions/:id/resolve",
  "operator.ledger.trialBalance": "GET /operator/v1/ledger/trial-balance",
  "operator.ledger.entries": "GET /operator/v1/ledger/accounts/:account/entries",
  "operator.history": "GET /operator/v1/resources/:id/history",
  "operator.stuck": "GET /operator/v1/stuck",
  "sandbox.deposit": "POST /sandbox/deposits",
  "sandbox.outcome": "POST /sandbox/outcomes",
  "sandbox.issueDepositAddress": "POST /sandbox/deposit-addresses/:id",
  "sandbox.screenBeneficiary": "POST /sandbox/beneficiaries/:id",
  "sandbox.verification": "POST /sandbox/verifications/:kycId",
  "sandbox.issueWalletCredential": "POST /sandbox/credentials/:id",
  "sandbox.provider": "POST /sandbox/provider",
  "sandbox.advance": "POST /sandbox/clock/advance",
  "sandbox.settle": "POST /sandbox/settle"
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
  (operation: AnyOperation, name: string) =>
  async (...args: ReadonlyArray<unknown>): Promise<unknown> => {
    const [method = "", path = ""] = (found[name] ?? "").split(" ")
    const ids = args.slice(0, operation.params.length) as ReadonlyArray<string>
    const input = operation.input === undefined ? undefined : ((args[ids.length] ?? {}) as Record<string, unknown>)
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
      ...(method === "GET" ? {} : { body: JSON.stringify(input ?? {}) })
    })
    const { status, code, message, data, meta } = (await response.json()) as Envelope
    if (!status) throw new CorridorError(code as Code, message, { errors: meta.errors ?? [] })
    const version = response.headers.get("etag")
    if (version !== null) versions.set(data as object, version.replaceAll('"', ""))
    if (meta.page === undefined) return data
    const { page, per_page, total, has_more } = meta
    return { items: data, page, per_page, total, has_more }
  }

const operatorToken = "op_of_the_doors_test"

export const http = async (store: Store): Promise<Door> => {
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
  const methods = <Out>(table: unknown, token: () => string, under = ""): Out =>
    mapTable(table as Table, client(base, token, versions), under) as Out
  const secretOf = (merchant_id: string) => () => secrets.get(merchant_id) ?? "sk_test_nobody"
  const merchants = methods<MerchantsCalls>(merchantsOperations, () => operatorToken, "merchants")
  return {
    merchants: {
      ...merchants,
      create: async (input) => {
        const made = await merchants.create(input)
        secrets.set(made.merchant.id, made.api_key.secret)
        return made
      }
    },
    operator: methods<OperatorCalls>(operatorOperations, () => operatorToken, "operator"),
    sandbox: {
      ...methods<SandboxCalls>(timeOperations, () => [...secrets.values()][0] ?? "", "sandbox"),
      as: (id) => methods<MerchantSandboxCalls>(sandboxOperations, secretOf(id), "sandbox")
    },
    as: (id) => methods<MerchantCalls>(merchantOperations, secretOf(id)),
    versionOf: (body) => versions.get(body) ?? "",
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
