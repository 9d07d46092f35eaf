/** The engine as one layer, for applications written with Effect. */
import { Context, Effect, Layer, Option } from "effect"
import { CallLimits, type Limits } from "../engine/calls/Admission.ts"
import type { Cipher } from "../engine/ports/Cipher.ts"
import { DeliverySchedule } from "../engine/work/deliveries.ts"
import { BaseUrl } from "../engine/settings/BaseUrl.ts"
import { DocsUrl } from "../engine/settings/DocsUrl.ts"
import { Dispatcher } from "../engine/work/Dispatcher.ts"
import * as Engine from "../engine/Engine.ts"
import { rememberKeys } from "../engine/crypto/EncryptionKeys.ts"
import { Environment } from "../engine/settings/Environment.ts"
import type { StorageFault } from "../engine/ports/errors.ts"
import type { Ids } from "../engine/ports/Ids.ts"
import { Pricing } from "../engine/ports/Pricing.ts"
import type { Provider } from "../engine/ports/Provider.ts"
import { Rates } from "../engine/ports/Rates.ts"
import { type Keeping, keepingOf, RetentionPolicy } from "../engine/settings/retention.ts"
import type { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import { Sandbox } from "../engine/ports/Sandbox.ts"
import { ServiceClock } from "../engine/ports/ServiceClock.ts"
import type { Storage } from "../engine/ports/Storage.ts"
import type { JobNotifier } from "../engine/ports/JobNotifier.ts"
import { UserAgent, type WebhookSink } from "../engine/ports/WebhookSink.ts"
import { version } from "../version.ts"
import { Calls } from "./calls.ts"

/** What an engine is made of beside its ports. */
export interface Settings {
  /** `test` by default: keys begin with `sk_test_`. `live` takes no simulated provider, and rates and pricing of its own. */
  readonly environment?: Environment | undefined
  /** Seconds after each failed attempt of a delivery, each with ±10 % jitter; the Standard Webhooks schedule by default. */
  readonly webhookRetrySeconds?: ReadonlyArray<number> | undefined
  /**
   * How many days deliveries that have ended (30 by default), the ids of provider events (90) and published events (for
   * ever) are kept; null is for ever.
   */
  readonly retention?: Partial<Keeping> | undefined
  /**
   * How many calls for merchants are answered at once, 256 and 256 by default; those above are refused as `rate_limited`,
   * and nothing is done for them. The operator's calls are not counted.
   */
  readonly limits?: Limits | undefined
  /** Where the service is reached from outside: hosted links begin with it. `http://127.0.0.1:8080` by default. */
  readonly baseUrl?: string | undefined
  /** Where `next_steps` of a currency's restrictions point to; without a slash at the end. */
  readonly docsUrl?: string | undefined
}

export interface LayerOptions<P = never, C = never, E = never> extends Settings {
  readonly storage: Layer.Layer<Storage, E>
  readonly provider: Layer.Layer<Provider | P, E, Storage | Ids | JobNotifier>
  readonly webhooks: Layer.Layer<WebhookSink, E>
  readonly cipher: Layer.Layer<Cipher, E>
  /** The simulated market by default, in `test` alone. */
  readonly rates?: Layer.Layer<Rates, E> | undefined
  /** The default fees and ranges by default, in `test` alone. */
  readonly pricing?: Layer.Layer<Pricing, E, Rates> | undefined
  /** A clock of the service's own, `corridor/adapters/clock/movable`; Effect's Clock by default. */
  readonly clock?: Layer.Layer<C, E, Storage> | undefined
  /**
   * Whether due work (payouts, deadlines, deliveries) is run here, in the layer's scope: true by default. A node that only
   * answers calls leaves it to the others on its store.
   */
  readonly dispatcher?: boolean | undefined
}

/** `SandboxOperations` is there where the provider is simulated and the clock can be moved. */
export type SandboxOf<P, C> = [Sandbox, ServiceClock] extends [P, C] ? SandboxOperations : never

type Port = Storage | Provider | WebhookSink | Cipher | Rates | Pricing | Ids | JobNotifier
export type EngineServices = Layer.Success<typeof Engine.layer> | Port | Calls

/** How long a node that stops waits for the work it has under way. */
export const graceMs = 9500

const settingsOf = ({ environment = "test", webhookRetrySeconds, retention, limits, baseUrl, docsUrl }: Settings) =>
  Layer.mergeAll(
    Layer.succeed(UserAgent, `Corridor/${version}`),
    Layer.succeed(Environment, environment),
    baseUrl === undefined ? Layer.empty : Layer.succeed(BaseUrl, baseUrl.replace(/\/+$/, "")),
    docsUrl === undefined ? Layer.empty : Layer.succeed(DocsUrl, docsUrl),
    limits === undefined ? Layer.empty : Layer.succeed(CallLimits, limits),
    retention === undefined ? Layer.empty : Layer.succeed(RetentionPolicy, keepingOf(retention)),
    webhookRetrySeconds === undefined
      ? Layer.empty
      : Layer.succeed(DeliverySchedule, { delays_ms: webhookRetrySeconds.map((seconds) => seconds * 1000) })
  )

/** The sandbox, where there is what it needs. */
const sandbox = Layer.unwrap(
  Effect.context().pipe(
    Effect.map((context) => {
      const found = context as Context.Context<never>
      const isLive = Context.getOption(found, Environment)
      if (Option.isSome(Context.getOption(found, Sandbox)) && Option.isSome(isLive) && isLive.value === "live")
        throw new TypeError("the live environment takes no simulated provider")
      const able =
        Option.isSome(Context.getOption(found, Sandbox)) && Option.isSome(Context.getOption(found, ServiceClock))
      return (able ? Engine.sandbox : Layer.empty) as typeof Engine.sandbox
    })
  )
)

/**
 * What real money may not be priced by: the table of the test environment, or fees that nobody has chosen.
 *
 * Errors: throws `TypeError`.
 */
const refuseUnpriced = ({
  environment,
  pricing,
  rates
}: {
  readonly environment?: Environment | undefined
  readonly pricing?: unknown
  readonly rates?: unknown
}): void => {
  if (environment !== "live") return
  const missing = [
    ...(rates === undefined || rates === Rates.layer ? ["rates"] : []),
    ...(pricing === undefined ? ["pricing"] : [])
  ]
  if (missing.length === 0) return
  throw new TypeError(
    `the live environment takes ${missing.join(" and ")} of its own, and none ${missing.length === 1 ? "is" : "are"} given: what is left out is the simulated market and its fees`
  )
}

/** The engine without its dispatcher running. */
const engine = <P = never, C = never, E = never>(options: LayerOptions<P, C, E>) => {
  refuseUnpriced(options)
  const clock = options.clock ?? (Layer.empty as unknown as Layer.Layer<C>)
  const pricing = options.pricing ?? Pricing.layer
  const whole = Layer.effectDiscard(rememberKeys).pipe(
    Layer.provideMerge(Calls.layer),
    Layer.provideMerge(sandbox),
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(options.provider),
    Layer.provideMerge(Layer.mergeAll(options.webhooks, options.cipher)),
    Layer.provideMerge(pricing.pipe(Layer.provideMerge(options.rates ?? Rates.layer))),
    Layer.provideMerge(Layer.mergeAll(Engine.local, settingsOf(options))),
    Layer.provideMerge(clock),
    Layer.provideMerge(options.storage)
  )
  return whole as unknown as Layer.Layer<EngineServices | P | C | SandboxOf<P, C>, E | StorageFault>
}

const running = Layer.effectDiscard(Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.start({ graceMs })))

/**
 * The engine over its adapters, with every service of it, working until the scope it is built in closes.
 *
 * Errors: those of the adapters; `StorageFault` too where the store was written under an encryption key that the cipher does
 * not have. Throws `TypeError` in the `live` environment without rates and pricing of its own; building it dies so with a
 * simulated provider.
 *
 * It reads no environment variable. When its scope closes, deliveries and jobs under way are finished, within ten seconds.
 */
export const layer = <P = never, C = never, E = never>(
  options: LayerOptions<P, C, E>
): Layer.Layer<EngineServices | P | C | SandboxOf<P, C>, E | StorageFault> =>
  options.dispatcher === false ? engine(options) : Layer.provideMerge(running, engine(options))
