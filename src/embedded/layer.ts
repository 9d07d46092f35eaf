/** The engine as one layer, for applications written with Effect. */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { CallLimits, type Limits } from "../engine/calls/Admission.ts"
import type { Cipher } from "../engine/ports/Cipher.ts"
import { DeliverySchedule } from "../engine/work/deliveries.ts"
import {
  BaseUrl,
  DocsUrl,
  Environment,
  type NameMatching,
  NameMatchPolicy,
  OutcomeWindow,
  outcomeWindowMs,
  RateBandSetting,
  type ScreeningPolicy,
  ScreeningSetting
} from "../engine/settings/settings.ts"
import { Dispatcher } from "../engine/work/queue/Dispatcher.ts"
import { Gauges } from "../engine/work/upkeep/Gauges.ts"
import * as Engine from "../engine/Engine.ts"
import { rememberKeys } from "../engine/crypto/EncryptionKeys.ts"
import { proposeNearest } from "../engine/input/nearest.ts"
import { checkOptions, checkWhole, type TakesOf } from "../engine/input/options.ts"
import { hasCredentials, isBaseUrl } from "../engine/input/schemas.ts"
import type { StorageFault } from "../engine/ports/errors.ts"
import type { Ids } from "../engine/ports/Ids.ts"
import { Pricing } from "../engine/ports/Pricing.ts"
import { Provider, Providers } from "../engine/ports/Provider.ts"
import { admitProviders, registerProviders } from "../engine/ports/registered-providers.ts"
import { Rates } from "../engine/ports/Rates.ts"
import { defaultOrder, Routing, type RoutingPolicy } from "../engine/ports/Routing.ts"
import { type Keeping, makeKeeping, RetentionPolicy } from "../engine/settings/retention.ts"
import type { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import { Sandbox } from "../engine/ports/Sandbox.ts"
import { ServiceClock } from "../engine/ports/ServiceClock.ts"
import type { Storage } from "../engine/ports/Storage.ts"
import type { JobNotifier } from "../engine/ports/JobNotifier.ts"
import { UserAgent, type WebhookSink } from "../engine/ports/WebhookSink.ts"
import { version } from "../version.ts"
import { Calls } from "./calls.ts"
import { parseRateBand, type RateBand } from "./prices.ts"
import { checkEnvironment, checkProviders, checkStore, rememberEnvironment } from "./live.ts"

export interface Settings {
  /** Default: `test`; its keys begin with `sk_test_`. `live` requires a real provider, rates and pricing. */
  readonly environment?: Environment | undefined
  /** Seconds after each failed attempt of a delivery, with ±10 % jitter. Default: the schedule of Standard Webhooks. */
  readonly webhookRetrySeconds?: ReadonlyArray<number> | undefined
  /**
   * Days for which records are kept: ended deliveries (default: 30), ids of provider events (default: 90) and published events
   * (default: forever). `null`: forever.
   */
  readonly retention?: Partial<Keeping> | undefined
  /**
   * The maximum numbers of concurrent calls for merchants. Default: 256 writes and 256 reads. Excess calls are rejected with
   * `rate_limited` and have no effect. The operator's calls are not limited.
   */
  readonly limits?: Limits | undefined
  /**
   * What becomes of a beneficiary whose name has nothing in common with the holder of the account, as the provider resolves it.
   * `show` (default): it has `details.name_match` `none`. `refuse`: it is rejected with `account_resolution_failed`.
   */
  readonly nameMatch?: NameMatching | undefined
  /** The public URL of the service, with which hosted links begin. Default: `http://127.0.0.1:8080`. */
  readonly baseUrl?: string | undefined
  /**
   * Whether a beneficiary needs a provider that screens it. `none` means it: a beneficiary whose destination no provider screens is
   * cleared. Default: `required` in `live`, which then does not start without a provider that screens; `none` in `test`.
   */
  readonly screening?: ScreeningPolicy | undefined
  /**
   * How far rates may move before an operator has to accept them: 10 % in a minute and 30 % in a day, unless it says otherwise.
   * `off`: every rate is used.
   */
  readonly rateBand?: RateBand | "off" | undefined
  /** The URL of the documentation, without a trailing slash: the `next_steps` of currency restrictions link to it. */
  readonly docsUrl?: string | undefined
  /**
   * How the providers that serve a request are ordered: `priorities` by name, a lower number first, 0 if not named; or `order`,
   * a pure function. Default: by priority, then by lowest cost, then as configured.
   */
  readonly routing?: Partial<RoutingPolicy> | undefined
  /**
   * How often the gauges about the store are read, in seconds (`metricsText` of `corridor/http`). Default: never; the other metrics
   * are always recorded.
   */
  readonly metricsIntervalSeconds?: number | undefined
  /**
   * Whether this process runs due jobs (payouts, deadlines, deliveries). Default: true. If false, another process on the same store must
   * run them.
   */
  readonly dispatcher?: boolean | undefined
}

/** What the options of an engine take. Parts, and what is checked where it is used, are `any`. */
export const layerTakes: TakesOf<LayerOptions> = {
  environment: "any",
  webhookRetrySeconds: "object?",
  retention: "object?",
  limits: "object?",
  nameMatch: ["show", "refuse"],
  baseUrl: "any",
  screening: ["required", "none"],
  rateBand: "any",
  docsUrl: "string?",
  storage: "any",
  provider: "any",
  providers: "object?",
  routing: "object?",
  webhooks: "any",
  cipher: "any",
  rates: "any",
  pricing: "any",
  clock: "any",
  metricsIntervalSeconds: "any",
  dispatcher: "boolean?"
}

/** Errors: throws `TypeError` for an option that is not one, or a member of one. */
const callsMax = 1_000_000
const retrySecondsMax = 2_592_000

/** One provider. The layer of a simulated provider also has its `Sandbox`. */
export type ProviderLayer<P, E> = Layer.Layer<Provider | P, E, Storage | Ids | JobNotifier | Cipher>

/**
 * Makes the routing policy. The engine asks it by the providers' stored names, while it is written for the configured ones.
 * Errors: throws `TypeError` for a priority of a provider that is not configured.
 */
const makeRouting = (
  { priorities = {}, order = defaultOrder }: Partial<RoutingPolicy>,
  { all, keyOf, byName: named }: Providers["Service"]
) => {
  const configured = (key: string): string => named(key)?.names?.[0] ?? key
  const names = all.map(({ name }) => configured(name))
  for (const name of Object.keys(priorities)) {
    if (names.includes(name)) continue
    throw new TypeError(
      `routing.priorities names ${JSON.stringify(name)}, which is not a configured provider (${names.join(", ")}).` +
        proposeNearest(name, names, JSON.stringify)
    )
  }
  return {
    priorities: Object.fromEntries(Object.entries(priorities).map(([name, priority]) => [keyOf(name), priority])),
    order: (request, candidates) =>
      order(
        request,
        candidates.map((one) => ({ ...one, name: configured(one.name) }))
      ).map(keyOf)
  } satisfies RoutingPolicy
}

/** Makes one layer of the providers of several layers, their other services, and the routing between them. */
const makeProviders = <P, E>(layers: ReadonlyArray<ProviderLayer<P, E>>, routing: Partial<RoutingPolicy> = {}) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const contexts = yield* Effect.forEach(layers, (one) => Layer.build(one))
      const providers = yield* registerProviders(contexts.map((context) => Context.get(context, Provider)))
      return Context.mergeAll(...contexts).pipe(
        Context.add(Providers, providers),
        Context.add(Routing, makeRouting(routing, providers))
      )
    })
  )

export interface LayerOptions<P = never, C = never, E = never> extends Settings {
  readonly storage: Layer.Layer<Storage, E>
  /** The provider, if there is one. At least one of `provider` and `providers` is required. */
  readonly provider?: ProviderLayer<P, E> | undefined
  /** Several providers. The order of the configuration is that of `provider` and then of these. */
  readonly providers?: ReadonlyArray<ProviderLayer<P, E>> | undefined
  readonly webhooks: Layer.Layer<WebhookSink, E>
  readonly cipher: Layer.Layer<Cipher, E>
  /** Default in `test`: the simulated market. Required in `live`. */
  readonly rates?: Layer.Layer<Rates, E> | undefined
  /** Default in `test`: default fees and ranges. Required in `live`. */
  readonly pricing?: Layer.Layer<Pricing, E, Rates> | undefined
  /** A clock for the service, such as `corridor/adapters/clock/movable`. Default: the `Clock` of Effect. */
  readonly clock?: Layer.Layer<C, E, Storage> | undefined
}

/** `SandboxOperations`, if the provider is simulated and the clock can be moved. */
export type SandboxOf<P, C> = [Sandbox, ServiceClock] extends [P, C] ? SandboxOperations : never

type Port = Storage | Providers | WebhookSink | Cipher | Rates | Pricing | Ids | JobNotifier
export type EngineServices = Layer.Success<typeof Engine.layer> | Port | Calls

/** How long a stopping process waits for its running calls and jobs. */
export const graceMs = 9500

/** Returns the base URL of links. Errors: throws `TypeError` for a URL that cannot begin a link. */
const requirePublicUrl = (baseUrl: string): string => {
  if (!isBaseUrl(baseUrl)) {
    const found = hasCredentials(baseUrl) ? "has credentials" : `is ${JSON.stringify(baseUrl)}`
    throw new TypeError(`baseUrl ${found}; it takes an http or https URL without credentials and a query`)
  }
  return baseUrl.replace(/\/+$/, "")
}

const makeSettings = ({
  baseUrl,
  docsUrl,
  environment = "test",
  limits,
  nameMatch,
  rateBand,
  retention,
  screening = environment === "live" ? "required" : "none",
  webhookRetrySeconds
}: Settings) =>
  Layer.mergeAll(
    Layer.succeed(ScreeningSetting, screening),
    Layer.succeed(RateBandSetting, parseRateBand(rateBand)),
    Layer.succeed(UserAgent, `Corridor/${version}`),
    Layer.succeed(OutcomeWindow, outcomeWindowMs),
    Layer.succeed(Environment, environment),
    baseUrl === undefined ? Layer.empty : Layer.succeed(BaseUrl, requirePublicUrl(baseUrl)),
    docsUrl === undefined ? Layer.empty : Layer.succeed(DocsUrl, docsUrl),
    limits === undefined ? Layer.empty : Layer.succeed(CallLimits, limits),
    nameMatch === undefined ? Layer.empty : Layer.succeed(NameMatchPolicy, nameMatch),
    retention === undefined ? Layer.empty : Layer.succeed(RetentionPolicy, makeKeeping(retention)),
    webhookRetrySeconds === undefined
      ? Layer.empty
      : Layer.succeed(DeliverySchedule, { delays_ms: webhookRetrySeconds.map((seconds) => seconds * 1000) })
  )

/** The sandbox, if the services that it requires exist. */
const sandbox = Layer.unwrap(
  Effect.context().pipe(
    Effect.map((context) => {
      const found = context as Context.Context<never>
      const isAvailable =
        Option.isSome(Context.getOption(found, Sandbox)) && Option.isSome(Context.getOption(found, ServiceClock))
      return (isAvailable ? Engine.sandbox : Layer.empty) as typeof Engine.sandbox
    })
  )
)

/** Makes the layer of the engine, without a running dispatcher. */
const makeEngine = <P = never, C = never, E = never>(options: LayerOptions<P, C, E>) => {
  checkOptions("Corridor.layer", options as unknown as LayerOptions, layerTakes)
  const { limits, retention, routing, webhookRetrySeconds } = options
  if (retention !== undefined)
    checkOptions("retention", retention, { deliveries: "any", providerEvents: "any", events: "any" })
  if (limits !== undefined) {
    checkOptions("limits", limits, { writes: "number", reads: "number" })
    for (const sort of ["writes", "reads"] as const) checkWhole(`limits.${sort}`, limits[sort], 1, callsMax)
  }
  for (const seconds of webhookRetrySeconds ?? [])
    if (!(typeof seconds === "number" && seconds > 0 && seconds <= retrySecondsMax))
      throw new RangeError(
        `webhookRetrySeconds has ${seconds as unknown}; it takes seconds above 0, up to ${retrySecondsMax}`
      )
  if (routing !== undefined) checkOptions("routing", routing, { priorities: "object?", order: "function?" })
  checkEnvironment(options)
  const clock = options.clock ?? (Layer.empty as unknown as Layer.Layer<C>)
  const pricing = options.pricing ?? Pricing.layer
  const layers = [...(options.provider === undefined ? [] : [options.provider]), ...(options.providers ?? [])]
  if (layers.length === 0) throw new TypeError("a provider is required: provider or providers")
  // What a start records, it records once nothing refuses it any more: nodes of an earlier configuration start meanwhile.
  const admitted = checkProviders.pipe(
    Effect.andThen(rememberEnvironment),
    Effect.andThen(admitProviders),
    Effect.andThen(rememberKeys)
  )
  const whole = Layer.effectDiscard(admitted).pipe(
    Layer.provideMerge(Calls.layer),
    Layer.provideMerge(sandbox),
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(makeProviders(layers, options.routing)),
    Layer.provideMerge(options.webhooks),
    Layer.provideMerge(pricing.pipe(Layer.provideMerge(options.rates ?? Rates.layer))),
    Layer.provideMerge(Layer.effectDiscard(checkStore)),
    Layer.provideMerge(Layer.mergeAll(Engine.local, makeSettings(options), options.cipher)),
    Layer.provideMerge(clock),
    Layer.provideMerge(options.storage)
  )
  return whole as unknown as Layer.Layer<EngineServices | P | C | SandboxOf<P, C>, E | StorageFault>
}

const running = Layer.effectDiscard(Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.start({ graceMs })))

/** Reads the gauges at an interval until the scope closes, if one is given. Dies with a `RangeError` for one that is not a positive number. */
export const refreshGauges = (seconds: number | undefined): Effect.Effect<void, never, Gauges | Scope.Scope> =>
  seconds === undefined
    ? Effect.void
    : seconds > 0 && Number.isFinite(seconds)
      ? Effect.flatMap(Gauges, (gauges) => gauges.start(seconds * 1000))
      : Effect.die(new RangeError(`metricsIntervalSeconds is ${seconds}; it takes a number of seconds above 0.`))

/**
 * The engine over its adapters, with all its services. It runs until the scope of the layer closes, and then waits up to ten
 * seconds for running deliveries and jobs. It reads no environment variables.
 *
 * Errors: those of the adapters; `StorageFault` if the store was written under an encryption key that the cipher does not
 * have, or in the other environment. It throws `TypeError` for an option that it does not have, without a provider, and in the `live` environment without rates or
 * pricing. Building it dies with a `TypeError` if two providers have one name, if `routing` names another, if the store knows
 * another connector behind the name of a provider, or the connector under another name (`formerly`), or if a part of the `live`
 * environment is not real.
 */
export const layer = <P = never, C = never, E = never>(
  options: LayerOptions<P, C, E>
): Layer.Layer<EngineServices | P | C | SandboxOf<P, C>, E | StorageFault> =>
  Layer.provideMerge(
    Layer.merge(
      options.dispatcher === false ? Layer.empty : running,
      Layer.effectDiscard(refreshGauges(options.metricsIntervalSeconds))
    ),
    makeEngine(options)
  )
