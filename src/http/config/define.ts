/** The configuration of a server: what `corridor.config.ts` exports, and what `serve` takes. */
import type { ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { Sampler } from "../observability/sampled-tracer.ts"
import type { PricingPolicy, RateBand, RateSource, RateTable, RoutingPolicy } from "../../index.ts"

/**
 * Every member is optional in the test environment. `live` requires `encryptionKeys`, `providers`, `rates`, `pricing` and a
 * database that lasts. An environment variable that is set overrides its member.
 */
export interface ServerConfig {
  /** Default: `test`. A value that differs from `CORRIDOR_ENVIRONMENT` is refused. */
  readonly environment?: "test" | "live"
  /** Default: `127.0.0.1`. `HOST` overrides it. */
  readonly host?: string
  /** Default: 8080. 0: any free port. `PORT` overrides it. */
  readonly port?: number
  /**
   * `memory:`, `pglite:memory`, `pglite:DIR` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with `?cells=N` for the merchants
   * in N schemas; several databases as a list. Default: `pglite:.corridor`. A URL with a password is a secret. `DATABASE_URL` overrides it.
   */
  readonly database?: string | ReadonlyArray<string>
  /** On `postgres://`, milliseconds; 0: no limit. Default: 10,000. */
  readonly statementTimeoutMs?: number
  /** A secret. The admin key of the bootstrap merchant. Default: generated. */
  readonly apiKey?: string
  /** A secret. The bearer token of the operator API. Default: generated. */
  readonly operatorToken?: string
  /** A secret. The only bearer token of `/metrics`. Default: an operator's. */
  readonly metricsToken?: string
  /** Whether `/metrics` without a token of its own needs none on loopback. Default: in `test` only. */
  readonly openMetrics?: boolean
  /** How often the gauges about the store are read. Default: 15. */
  readonly metricsIntervalSeconds?: number
  /** Secrets: 32 bytes each in base64, the current key first. */
  readonly encryptionKeys?: ReadonlyArray<string>
  /**
   * The providers, or functions that make them. A function is called once; if it throws, the faults of the other members
   * are still reported. Default in `test`: the simulated provider.
   */
  readonly providers?: ReadonlyArray<ProviderAdapter | (() => ProviderAdapter)>
  /**
   * How the providers that serve a request are ordered: `priorities` by name, a lower number first, 0 if not named; or `order`,
   * a pure function. Default: by priority, then by lowest cost, then as configured.
   */
  readonly routing?: Partial<RoutingPolicy>
  /** Default in `test`: simulated rates. */
  readonly rates?: RateSource | RateTable
  /**
   * How far rates may move before an operator has to accept them. Default: 10 % in a minute, 30 % in a day. `off`: every rate is
   * used.
   */
  readonly rateBand?: RateBand | "off"
  /** Default in `test`: default fees and ranges. */
  readonly pricing?: PricingPolicy
  readonly limits?: {
    /** The maximum numbers of concurrent requests. Default: 256 each. */
    readonly writes?: number
    readonly reads?: number
    /** Money-movement writes per merchant; 0: no limit. Default: 25. */
    readonly ratePerSecond?: number
  }
  readonly webhooks?: {
    /** Seconds after each failed attempt of a delivery, with ±10 % jitter. Default: the schedule of Standard Webhooks. */
    readonly retrySeconds?: ReadonlyArray<number>
    /** Default: 15,000. */
    readonly timeoutMs?: number
  }
  /** Days for which records are kept; null: forever. */
  readonly retention?: {
    /** Default: 30. */
    readonly deliveries?: number | null
    /** Default: 90. */
    readonly providerEvents?: number | null
    /** Default: forever. */
    readonly events?: number | null
  }
  /** The public URL of the service, with which links begin. Default: the listening address. */
  readonly baseUrl?: string
  /** Default: `baseUrl` and `/docs`. */
  readonly docsUrl?: string
  /** Whether this process runs jobs. Default: true. */
  readonly dispatcher?: boolean
  /** Whether the console is served at `/console`. Default: true. */
  readonly console?: boolean
  /** How long an idle connection is kept: longer than the load balancer in front keeps it. Default: 130. */
  readonly keepAliveSeconds?: number
  /** How long a peer may take to read a response, before its connection is closed. Default: 120. */
  readonly sendTimeoutSeconds?: number
  /** The duration of the lease of a claimed job. Default: 45. */
  readonly leaseSeconds?: number
  /** The lowest level that is logged. Default: `info`. */
  readonly logLevel?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "none"
  /** Traces, metrics and logs over OTLP/HTTP. Without `endpoint`, nothing is exported. */
  readonly telemetry?: {
    /** The base URL of a receiver, such as `http://127.0.0.1:4318`. */
    readonly endpoint?: string
    /** Secrets: headers of each export. */
    readonly headers?: Readonly<Record<string, string>>
    /** The whole URL for one signal, in place of that below `endpoint`. */
    readonly tracesEndpoint?: string
    readonly metricsEndpoint?: string
    readonly logsEndpoint?: string
    /** Secrets: headers of one signal, in place of `headers`. */
    readonly tracesHeaders?: Readonly<Record<string, string>>
    readonly metricsHeaders?: Readonly<Record<string, string>>
    readonly logsHeaders?: Readonly<Record<string, string>>
    /** How exports are encoded. Default: `http/json`. */
    readonly protocol?: "http/json" | "http/protobuf"
    /** Default: `corridor`. */
    readonly serviceName?: string
    /** Further attributes of the resource. */
    readonly resource?: Readonly<Record<string, string>>
    /** Whether nothing is exported, although there is an endpoint. Default: false. */
    readonly disabled?: boolean
    /** Whether each signal is exported. Default: true. */
    readonly traces?: boolean
    readonly metrics?: boolean
    readonly logs?: boolean
    /** Default: 5,000. */
    readonly traceIntervalMs?: number
    /** Default: 60,000. */
    readonly metricIntervalMs?: number
    /** Default: `parentbased_always_on`. */
    readonly sampler?: Sampler
    /** The share of traces of a ratio sampler, 0 to 1. Default: 1. */
    readonly samplerArg?: number
  }
  /** Whether beneficiaries can be reached by payshap. Default: true. */
  readonly payshap?: boolean
  /**
   * What becomes of a beneficiary whose name has nothing in common with the holder of the account: `show` it in
   * `details.name_match`, or `refuse` it. Default: `show`.
   */
  readonly nameMatch?: "show" | "refuse"
  /**
   * Whether a beneficiary needs a provider that screens it. `none`: one whose destination no provider screens is cleared. Default:
   * `required` in `live`, which does not start without a provider that screens; `none` in `test`.
   */
  readonly screening?: "required" | "none"
  /** The simulated provider that runs in `test` when `providers` is absent. */
  readonly sandbox?: {
    readonly mode?: "auto" | "manual"
    readonly delayMs?: number
    /** A secret (`whsec_…`) that signs callbacks. Default: callbacks are rejected. */
    readonly callbackSecret?: string
  }
}

/** What a configuration is made from. */
export interface ConfigSources {
  /** The value of an environment variable. If it is not set, the start is refused, with one line for each such variable. */
  readonly secret: (name: string) => string
}

/** A configuration, or a function that makes it from the secrets of the environment. */
export type ConfigDefinition = ServerConfig | ((sources: ConfigSources) => ServerConfig | Promise<ServerConfig>)

/**
 * Types the configuration of a file, and returns it unchanged:
 * `export default defineConfig(({ secret }) => ({ … }))`.
 */
export const defineConfig = (definition: ConfigDefinition): ConfigDefinition => definition
