/**
 * The entry points of an application that embeds the engine: `layer` with Effects for applications written with Effect, and
 * `start` with promises for others. Operations, results and refusals are those of `/v1`.
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
import { Dispatcher } from "../engine/work/queue/Dispatcher.ts"
import type { Fault, Refusal, StorageFault } from "../engine/ports/errors.ts"
import { checkOptions, InvalidOption } from "../engine/input/options.ts"
import { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import type { ServiceClock } from "../engine/ports/ServiceClock.ts"
import { type CallerMerchant, Calls } from "./calls.ts"
import { CorridorError, toCorridorError } from "./error.ts"
import { type ProviderCalls, receiveProviderCallback, receiveReportedEvent } from "./providers.ts"
import type { ReceivedEvent } from "../engine/work/providers/provider-inputs.ts"
import { makeEntrance, setInside } from "./inside.ts"
import { type EngineServices, graceMs, layer, layerTakes, refreshGauges, type Settings } from "./layer.ts"
import type { AnyOperation, Table } from "../engine/calls/operation.ts"
import { type TableOf, tables } from "../engine/operations.ts"
import { type Effected, mapTable, type Promised } from "./methods.ts"
import { type PricingPolicy, pricingOf, type RateSource, type RateTable, ratesOf } from "./prices.ts"

/** The operations of a merchant, as over `/v1`. */
export interface MerchantCalls extends Promised<TableOf<"merchant">> {}
/** The operator's operations on merchants. */
export interface MerchantsCalls extends Promised<TableOf<"merchants">> {}
/** The operator's operations on holds, exceptions, access and the ledger. */
export interface OperatorCalls extends Promised<TableOf<"operator">> {}
/** Operations that control the simulated provider for one merchant. */
export interface MerchantSandboxCalls extends Promised<TableOf<"sandbox">> {}

export interface SandboxCalls extends Promised<TableOf<"clock">> {
  readonly as: (merchant_id: string) => MerchantSandboxCalls
}

export interface StartOptions extends Settings {
  readonly storage: StorageAdapter
  /** The provider, if there is one. At least one of `provider` and `providers` is required. */
  readonly provider?: ProviderAdapter | undefined
  /** Several providers. The order of the configuration is that of `provider` and then of these. */
  readonly providers?: ReadonlyArray<ProviderAdapter> | undefined
  readonly webhooks: WebhookAdapter
  readonly cipher: CipherAdapter
  /** Default in the test environment: simulated rates. Required in `live`. */
  readonly rates?: RateSource | RateTable | undefined
  /** Default in the test environment: default fees and ranges. Required in `live`. */
  readonly pricing?: PricingPolicy | undefined
  /** Default: the system clock. */
  readonly clock?: ClockAdapter | undefined
  /**
   * A layer with the Tracer and the Loggers of the host: of `effect/observability`, or of any package for Effect. Default: no
   * spans, and Effect's own log of warnings and errors. With {@link ActivityLog}, requests and state changes are logged too.
   */
  readonly observability?: Layer.Layer<never> | undefined
}

/** Options with which the service has a sandbox. */
export interface SandboxOptions extends StartOptions {
  readonly provider: SimulatedProviderAdapter
  readonly clock: ClockAdapter
}

/**
 * An engine that runs in this process. Methods reject with a {@link CorridorError} only, but for an option that a call does not
 * have: that is a mistake in code, and a `TypeError`.
 */
export interface RunningCorridor {
  /** The operations of a merchant. The merchant is checked at each call, which rejects if it is unknown or inactive. */
  readonly as: (merchant_id: string) => MerchantCalls
  readonly merchants: MerchantsCalls
  readonly operator: OperatorCalls
  /** The events of providers: callbacks, and events that this process has learned otherwise. */
  readonly providers: ProviderCalls
  /** Rejects further calls, waits up to ten seconds for running calls, deliveries and jobs, and closes the store. */
  readonly close: () => Promise<void>
}

export interface RunningSandbox extends RunningCorridor {
  readonly sandbox: SandboxCalls
}

type Outcome = Effect.Effect<unknown, Refusal | Fault, unknown>
type Run = (call: Outcome) => unknown

/** Makes the methods of a table, for one caller. */
const makeMethods = (table: unknown, caller: CallerMerchant, run: Run): unknown =>
  mapTable(
    table as Table,
    (operation: AnyOperation) =>
      (...args: ReadonlyArray<unknown>) =>
        run(Effect.flatMap(Calls, (calls) => calls.run(caller, operation, args)))
  )

/**
 * Makes the methods of a table, for a merchant. A value that is not a text, as of a user without a merchant, is an unknown
 * merchant: null would be the operator.
 */
const makeMerchantMethods = (table: unknown, merchant_id: unknown, run: Run): unknown =>
  makeMethods(table, String(merchant_id), run)

const returnEffect: Run = (call) => call

/** Caches the methods of each merchant. */
const cachePerMerchant = <A>(make: (merchant_id: string) => A): ((merchant_id: string) => A) => {
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

const makeLayers = ({ observability = Layer.empty, ...options }: StartOptions) =>
  layer<never, ServiceClock, StorageFault>({
    ...options,
    storage: layerOf("storage", options.storage),
    provider: options.provider === undefined ? undefined : layerOf("provider", options.provider),
    providers: options.providers?.map((one) => layerOf("provider", one)),
    webhooks: layerOf("webhook", options.webhooks),
    cipher: layerOf("cipher", options.cipher),
    rates: options.rates === undefined ? undefined : ratesOf(options.rates),
    pricing: options.pricing === undefined ? undefined : pricingOf(options.pricing),
    clock: options.clock === undefined ? undefined : layerOf("clock", options.clock),
    // Started below in a separate scope, so that its jobs can finish before the engine closes.
    dispatcher: false,
    metricsIntervalSeconds: undefined
  }).pipe(Layer.provideMerge(observability)) as Layer.Layer<EngineServices, StorageFault>

/** Makes the function that runs Effects as promises. `finish` rejects further calls and requests, and waits for the running ones. */
const makeRunner = (context: Context.Context<EngineServices>) => {
  const { enter, finish } = makeEntrance()
  const run = (call: Outcome): Promise<unknown> => {
    const leave = enter()
    if (leave === undefined)
      return Promise.reject(new CorridorError("internal_error", "This Corridor is closed and accepts no calls."))
    return Effect.runPromiseExit(
      Effect.provideContext(call as Effect.Effect<unknown, Refusal | Fault, EngineServices>, context)
    )
      .then((exit) => {
        if (Exit.isSuccess(exit)) return exit.value
        const defect = Cause.squash(exit.cause)
        throw defect instanceof InvalidOption ? defect : toCorridorError(exit.cause)
      })
      .finally(leave)
  }
  return { enter, run, finish }
}

/**
 * Converts the cause of a failed start to the error that is thrown. Errors in the options are the caller's to correct: they are
 * passed on unchanged.
 */
const toStartError = (cause: Cause.Cause<StorageFault>): Error => {
  const fault = Cause.findErrorOption(cause)
  const defect = Cause.squash(cause)
  if (Option.isNone(fault) && (defect instanceof TypeError || defect instanceof RangeError)) return defect
  return Option.isSome(fault)
    ? new CorridorError("internal_error", `The store cannot be used: ${fault.value.message}`, { cause: fault.value })
    : toCorridorError(cause)
}

/**
 * Starts the engine in this process.
 *
 * Errors: rejects with a `TypeError` if an adapter or an option is not one, without a provider, if two providers have one name or `routing`
 * names another, and in the `live` environment if rates or pricing are missing or a part is not real; with a `RangeError` if a
 * number is out of its range; with a `CorridorError` if the store cannot be reached or migrated, was written in the other environment,
 * or under an encryption key that is not given.
 */
function start(options: SandboxOptions): Promise<RunningSandbox>
function start(options: StartOptions): Promise<RunningCorridor>
async function start(options: StartOptions): Promise<RunningCorridor | RunningSandbox> {
  checkOptions("Corridor.start", options, { ...layerTakes, observability: "any" })
  const engineScope = Effect.runSync(Scope.make())
  const workScope = Effect.runSync(Scope.make())
  const shut = (scope: Scope.Closeable) => Scope.close(scope, Exit.void)
  const stop = (finish: Effect.Effect<void>) =>
    Effect.runPromise(Effect.andThen(Effect.all([finish, shut(workScope)], { concurrency: 2 }), shut(engineScope)))

  const built = await Effect.runPromiseExit(Layer.buildWithScope(makeLayers(options), engineScope))
  if (Exit.isFailure(built)) {
    await stop(Effect.void)
    throw toStartError(built.cause)
  }
  const context = built.value
  const begin = Effect.gen(function* () {
    yield* refreshGauges(options.metricsIntervalSeconds)
    if (options.dispatcher !== false) yield* (yield* Dispatcher).start({ graceMs })
  })
  const begun = await Effect.runPromiseExit(begin.pipe(Scope.provide(workScope), Effect.provideContext(context)))
  if (Exit.isFailure(begun)) {
    await stop(Effect.void)
    throw toStartError(begun.cause)
  }

  const { enter, finish, run } = makeRunner(context)
  let closing: Promise<void> | undefined
  const corridor: RunningCorridor = {
    as: cachePerMerchant((merchant_id) => makeMerchantMethods(tables.merchant, merchant_id, run) as MerchantCalls),
    merchants: makeMethods(tables.merchants, null, run) as MerchantsCalls,
    operator: makeMethods(tables.operator, null, run) as OperatorCalls,
    providers: {
      receive: (...callback) => run(receiveProviderCallback(...callback)) as Promise<ReceivedEvent>,
      tell: (...event) => run(receiveReportedEvent(...event)) as Promise<ReceivedEvent>
    },
    close: () => (closing ??= stop(finish).then(() => {}))
  }
  setInside(corridor, { context, enter })
  if (Option.isNone(Context.getOption(context as Context.Context<never>, SandboxOperations))) return corridor
  const sandbox: SandboxCalls = {
    ...(makeMethods(tables.clock, null, run) as Promised<TableOf<"clock">>),
    as: cachePerMerchant((merchant_id) => makeMerchantMethods(tables.sandbox, merchant_id, run) as MerchantSandboxCalls)
  }
  const whole: RunningSandbox = { ...corridor, sandbox }
  setInside(whole, { context, enter })
  return whole
}

/** The methods of a table as Effects, which require the services of {@link layer}. */
type InEffect<T> = Effected<T, Calls>

/**
 * Corridor embedded in an application.
 *
 * With promises: `const corridor = await Corridor.start({…})`, then `corridor.as(merchant_id).transfers.create({…})`.
 * With Effect: provide `Corridor.layer({…})`, then `yield* Corridor.as(merchant_id).transfers.create({…})`, or any of the
 * engine's services.
 */
export const Corridor = {
  start,
  layer,
  as: (merchant_id: string) =>
    makeMerchantMethods(tables.merchant, merchant_id, returnEffect) as InEffect<TableOf<"merchant">>,
  merchants: makeMethods(tables.merchants, null, returnEffect) as InEffect<TableOf<"merchants">>,
  operator: makeMethods(tables.operator, null, returnEffect) as InEffect<TableOf<"operator">>,
  providers: { receive: receiveProviderCallback, tell: receiveReportedEvent },
  sandbox: {
    ...(makeMethods(tables.clock, null, returnEffect) as InEffect<TableOf<"clock">>),
    as: (merchant_id: string) =>
      makeMerchantMethods(tables.sandbox, merchant_id, returnEffect) as InEffect<TableOf<"sandbox">>
  }
} as const
