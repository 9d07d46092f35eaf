/**
 * The two entry points of an application that embeds the engine: `layer` and Effects for those written with Effect, `start` and
 * promises for everyone else. The same operations, the same answers, the same refusals as `/v1`.
 */
import { Cause, Context, Effect, Exit, Layer, Option, Scope } from "effect"
import {
  type CipherAdapter,
  type ClockAdapter,
  layerOf,
  type ProviderAdapter,
  type SimulatedProviderAdapter,
  type StorageAdapter,
  type WebhookAdapter
} from "../engine/ports/adapter.ts"
import { Dispatcher } from "../engine/work/Dispatcher.ts"
import type { Fault, Refusal, StorageFault } from "../engine/ports/errors.ts"
import { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import type { ServiceClock } from "../engine/ports/ServiceClock.ts"
import { type Caller, Calls } from "./calls.ts"
import { CorridorError, errorOf } from "./error.ts"
import { type EngineServices, graceMs, layer, type Settings } from "./layer.ts"
import type { AnyOperation, Table } from "../engine/calls/operation.ts"
import { type TableOf, tables } from "../engine/operations.ts"
import { type Effected, mapTable, type Promised } from "./methods.ts"
import { type PricingPolicy, pricingOf, type RateSource, type RateTable, ratesOf } from "./prices.ts"

/** Everything a merchant can do over `/v1`. */
export interface MerchantCalls extends Promised<TableOf<"merchant">> {}
/** The operator's merchants. */
export interface MerchantsCalls extends Promised<TableOf<"merchants">> {}
/** What the operator looks into and decides. */
export interface OperatorCalls extends Promised<TableOf<"operator">> {}
/** What the simulated provider can be made to say to one merchant. */
export interface MerchantSandboxCalls extends Promised<TableOf<"sandbox">> {}

export interface SandboxCalls extends Promised<TableOf<"clock">> {
  readonly as: (merchant_id: string) => MerchantSandboxCalls
}

export interface StartOptions extends Settings {
  readonly storage: StorageAdapter
  readonly provider: ProviderAdapter
  readonly webhooks: WebhookAdapter
  readonly cipher: CipherAdapter
  /** The simulated rates by default, in the test environment alone. */
  readonly rates?: RateSource | RateTable | undefined
  /** The default fees and ranges by default, in the test environment alone. */
  readonly pricing?: PricingPolicy | undefined
  /** The system's clock by default. */
  readonly clock?: ClockAdapter | undefined
  /** Whether due work is run here: true by default. A node that only answers calls leaves it to the others on its store. */
  readonly dispatcher?: boolean | undefined
}

/** With these the service has a sandbox. */
export interface SandboxOptions extends StartOptions {
  readonly provider: SimulatedProviderAdapter
  readonly clock: ClockAdapter
}

/** An engine that runs in this process. Every method rejects with a {@link CorridorError} and nothing else. */
export interface RunningCorridor {
  /** What a merchant can do. Nothing is asked yet: an unknown or inactive merchant is refused at each call. */
  readonly as: (merchant_id: string) => MerchantCalls
  readonly merchants: MerchantsCalls
  readonly operator: OperatorCalls
  /** Takes no more calls, finishes calls, deliveries and jobs under way, at most ten seconds, and lets go of the store. */
  readonly close: () => Promise<void>
}

export interface RunningSandbox extends RunningCorridor {
  readonly sandbox: SandboxCalls
}

type Answered = Effect.Effect<unknown, Refusal | Fault, unknown>
type Run = (answered: Answered) => unknown

/** The methods of a table, for one caller. */
const methods = (table: unknown, caller: Caller, run: Run): unknown =>
  mapTable(
    table as Table,
    (operation: AnyOperation) =>
      (...args: ReadonlyArray<unknown>) =>
        run(Effect.flatMap(Calls, (calls) => calls.answer(caller, operation, args)))
  )

const asEffect: Run = (answered) => answered

/** Methods are made once for each merchant that is in use. */
const perMerchant = <A>(make: (merchant_id: string) => A): ((merchant_id: string) => A) => {
  const made = new Map<string, A>()
  return (merchant_id) => {
    const known = made.get(merchant_id)
    if (known !== undefined) return known
    if (made.size >= 1000) made.clear()
    const methodsOf = make(merchant_id)
    made.set(merchant_id, methodsOf)
    return methodsOf
  }
}

const layersOf = (options: StartOptions) =>
  layer<never, ServiceClock, StorageFault>({
    ...options,
    storage: layerOf("storage", options.storage),
    provider: layerOf("provider", options.provider),
    webhooks: layerOf("webhook", options.webhooks),
    cipher: layerOf("cipher", options.cipher),
    rates: options.rates === undefined ? undefined : ratesOf(options.rates),
    pricing: options.pricing === undefined ? undefined : pricingOf(options.pricing),
    clock: options.clock === undefined ? undefined : layerOf("clock", options.clock),
    // Started below, in a scope of its own, so that it can finish while the engine still stands.
    dispatcher: false
  }) as Layer.Layer<EngineServices, StorageFault>

const closed = () => new CorridorError("internal_error", "This Corridor is closed and takes no more calls.")

/** Runs Effects as promises, and knows when all that it runs is done. */
const runner = (context: Context.Context<EngineServices>) => {
  const running = new Set<Promise<unknown>>()
  let open = true
  const run = (answered: Answered): Promise<unknown> => {
    if (!open) return Promise.reject(closed())
    const answer = Effect.runPromiseExit(
      Effect.provideContext(answered as Effect.Effect<unknown, Refusal | Fault, EngineServices>, context)
    ).then((exit) => {
      if (Exit.isSuccess(exit)) return exit.value
      throw errorOf(exit.cause)
    })
    const tracked = answer.then(
      () => {},
      () => {}
    )
    running.add(tracked)
    void tracked.then(() => running.delete(tracked))
    return answer
  }
  const finish = Effect.suspend(() => {
    open = false
    return Effect.asVoid(
      Effect.timeoutOption(
        Effect.promise(() => Promise.all(running)),
        graceMs
      )
    )
  })
  return { run, finish }
}

const failedStart = (cause: Cause.Cause<StorageFault>): CorridorError => {
  const fault = Cause.findErrorOption(cause)
  return Option.isSome(fault)
    ? new CorridorError("internal_error", `The store cannot be used: ${fault.value.message}`, { cause: fault.value })
    : errorOf(cause)
}

/**
 * Starts the engine in this process.
 *
 * Errors: throws `TypeError` for what is no adapter, and in the `live` environment for a simulated provider and without
 * rates and pricing of its own, `RangeError` for a retention that is none; rejects with a
 * `CorridorError` when the store cannot be reached or migrated, or was written under an encryption key that is not given.
 */
function start(options: SandboxOptions): Promise<RunningSandbox>
function start(options: StartOptions): Promise<RunningCorridor>
async function start(options: StartOptions): Promise<RunningCorridor | RunningSandbox> {
  if (options.environment === "live" && options.provider.simulated) {
    throw new TypeError("the live environment takes no simulated provider")
  }
  const engineScope = Effect.runSync(Scope.make())
  const workScope = Effect.runSync(Scope.make())
  const shut = (scope: Scope.Closeable) => Scope.close(scope, Exit.void)
  const stop = (finish: Effect.Effect<void>) =>
    Effect.runPromise(Effect.andThen(Effect.all([finish, shut(workScope)], { concurrency: 2 }), shut(engineScope)))

  const built = await Effect.runPromiseExit(Layer.buildWithScope(layersOf(options), engineScope))
  if (Exit.isFailure(built)) {
    await stop(Effect.void)
    throw failedStart(built.cause)
  }
  const context = built.value
  if (options.dispatcher !== false) {
    const begin = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.start({ graceMs }))
    await Effect.runPromise(begin.pipe(Scope.provide(workScope), Effect.provideContext(context)))
  }

  const { finish, run } = runner(context)
  let closing: Promise<void> | undefined
  const corridor: RunningCorridor = {
    as: perMerchant((merchant_id) => methods(tables.merchant, merchant_id, run) as MerchantCalls),
    merchants: methods(tables.merchants, null, run) as MerchantsCalls,
    operator: methods(tables.operator, null, run) as OperatorCalls,
    close: () => (closing ??= stop(finish).then(() => {}))
  }
  if (Option.isNone(Context.getOption(context as Context.Context<never>, SandboxOperations))) return corridor
  const sandbox: SandboxCalls = {
    ...(methods(tables.clock, null, run) as Promised<TableOf<"clock">>),
    as: perMerchant((merchant_id) => methods(tables.sandbox, merchant_id, run) as MerchantSandboxCalls)
  }
  return { ...corridor, sandbox }
}

/** The calls of a table as Effects, over the services of {@link layer}. */
type InEffect<T> = Effected<T, Calls>

/**
 * Corridor inside an application.
 *
 * With promises: `const corridor = await Corridor.start({…})`, then `corridor.as(merchant_id).transfers.create({…})`.
 * With Effect: provide `Corridor.layer({…})`, then `yield* Corridor.as(merchant_id).transfers.create({…})`, or any of the
 * engine's services.
 */
export const Corridor = {
  start,
  layer,
  as: (merchant_id: string) => methods(tables.merchant, merchant_id, asEffect) as InEffect<TableOf<"merchant">>,
  merchants: methods(tables.merchants, null, asEffect) as InEffect<TableOf<"merchants">>,
  operator: methods(tables.operator, null, asEffect) as InEffect<TableOf<"operator">>,
  sandbox: {
    ...(methods(tables.clock, null, asEffect) as InEffect<TableOf<"clock">>),
    as: (merchant_id: string) => methods(tables.sandbox, merchant_id, asEffect) as InEffect<TableOf<"sandbox">>
  }
} as const
