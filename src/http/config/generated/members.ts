/** The members of a configuration that are settings. `npm run docs` writes this file from `settings.ts`. */
export interface ServerMembers {
  /** `test` has `sk_test_` keys, `/sandbox` routes, and by default a simulated provider. `live` has `sk_live_` keys, and requires a configuration with `encryptionKeys`, `providers`, `rates`, `pricing` and a database that lasts. The variable and the member must not differ. Default: `test`. `CORRIDOR_ENVIRONMENT` overrides it. */
  readonly environment?: "test" | "live"
  /** The address to listen on. Default: `127.0.0.1`. `HOST` overrides it. */
  readonly host?: string
  /** The port to listen on; 0 takes a free one. Default: `8080`. `PORT` overrides it. */
  readonly port?: number
  /** A secret. The store. `?cells=N` puts the merchants in N schemas (nodes and cells). Migrations run at start; several nodes may start at once. A URL with a password is a secret. Default: `pglite:.corridor`. `DATABASE_URL` overrides it. */
  readonly database?: string
  /** A secret. The admin key of the bootstrap merchant. A changed value revokes the previous key on every node. Default: generated and printed once. `CORRIDOR_API_KEY` overrides it. */
  readonly apiKey?: string
  /** A secret. The bearer token of the operator API: an admin, who makes the operators. It stays valid in the store until another one is configured; `off` ends it, so that only the operators' own tokens are left. Default: generated and printed once. `CORRIDOR_OPERATOR_TOKEN` overrides it. */
  readonly operatorToken?: string
  /** A secret. The bearer token of `/metrics`, which then takes no other, and nothing without it. Default: an operator's token. `CORRIDOR_METRICS_TOKEN` overrides it. */
  readonly metricsToken?: string
  /** Whether `/metrics` without a token of its own takes requests from loopback without any. Behind a proxy on the same machine, that is everyone. Default: `true` in `test`, `false` in `live`. `CORRIDOR_OPEN_METRICS` overrides it. */
  readonly openMetrics?: boolean
  /** How often the gauges about the store are read, for `/metrics`. Default: `15`. `CORRIDOR_METRICS_INTERVAL_SECONDS` overrides it. */
  readonly metricsIntervalSeconds?: number
  /** Whether the console is served. If not, nothing is served below `/console`. Default: `true`. `CORRIDOR_CONSOLE` overrides it. */
  readonly console?: boolean
  /** Whether this process runs jobs. If not, it serves requests, writes included, but submits no payout, runs no timer, delivers no event and deletes nothing; `/sandbox/settle` and `/sandbox/clock/advance` return 403. Use it to inspect a restored copy of a store, so that the copy does not pay again. Default: `true`. `CORRIDOR_DISPATCHER` overrides it. */
  readonly dispatcher?: boolean
  /** The public URL of the service, with which links begin. Default: the listening address. `CORRIDOR_PUBLIC_URL` overrides it. */
  readonly baseUrl?: string
  /** The base URL of the links in errors. Default: the public URL and `/docs`. `CORRIDOR_DOCS_URL` overrides it. */
  readonly docsUrl?: string
  /** The timeout of a statement on `postgres://`; the statement is cancelled and its connection closed. Default: `10000`. `CORRIDOR_STATEMENT_TIMEOUT_MS` overrides it. */
  readonly statementTimeoutMs?: number
  /** How long an idle connection is kept. It must be longer than the load balancer in front keeps one. Default: `130`. `CORRIDOR_KEEP_ALIVE_SECONDS` overrides it. */
  readonly keepAliveSeconds?: number
  /** How long a peer may take to read a response, before its connection is closed. Default: `120`. `CORRIDOR_SEND_TIMEOUT_SECONDS` overrides it. */
  readonly sendTimeoutSeconds?: number
  /** The longest time that a job may take. Then another node claims it, even if the first one is alive. Default: `45`. `CORRIDOR_LEASE_SECONDS` overrides it. */
  readonly leaseSeconds?: number
  /** The lowest level that is logged. `info` has each request and each state change. Default: `info`. `CORRIDOR_LOG_LEVEL` overrides it. */
  readonly logLevel?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "none"
  /** Whether beneficiaries can be reached by payshap. Default: `true`. `CORRIDOR_PAYSHAP` overrides it. */
  readonly payshap?: boolean
  /** What becomes of a beneficiary whose name has nothing in common with the holder of the account, as the provider resolves it: `show` (`details.name_match` is `none`) or `refuse` (`account_resolution_failed`). Default: `show`. `CORRIDOR_NAME_MATCH` overrides it. */
  readonly nameMatch?: "show" | "refuse"
  /** `required`: a beneficiary whose destination no provider screens is refused, and `live` does not start without a provider that screens. `none`: such a beneficiary is cleared. Default: `required` in `live`, `none` in `test`. `CORRIDOR_SCREENING` overrides it. */
  readonly screening?: "required" | "none"
  /** A secret. Encrypt signing secrets and id numbers, the current key first: encryption uses the first, decryption all. A new key goes last on every server before it goes first on any (key rotation). Default: a fixed key in `test`; required in `live`. `CORRIDOR_ENCRYPTION_KEY` overrides it. */
  readonly encryptionKeys?: ReadonlyArray<string>
  readonly sandbox?: {
    /** What the simulated provider does: with `auto`, commands succeed after a delay; with `manual`, `/sandbox` decides every outcome. Default: `auto`. `CORRIDOR_SANDBOX_MODE` overrides it. */
    readonly mode?: "auto" | "manual"
    /** The delay of `auto`. Default: `1000`. `CORRIDOR_SANDBOX_DELAY_MS` overrides it. */
    readonly delayMs?: number
    /** A secret. Signs callbacks to `/providers/simulated/events`. Default: callbacks are rejected. `CORRIDOR_PROVIDER_SECRET` overrides it. */
    readonly callbackSecret?: string
  }
  readonly limits?: {
    /** Money-movement writes per merchant over all nodes, with a burst of twice that. Default: `25`. `CORRIDOR_RATE_LIMIT_PER_SECOND` overrides it. */
    readonly ratePerSecond?: number
    /** The maximum number of concurrent writes of a node. It falls to as little as a quarter while responses are slow. Excess requests are rejected with `rate_limited` and `Retry-After`. Default: `256`. `CORRIDOR_MAX_WRITES` overrides it. */
    readonly writes?: number
    /** The maximum number of concurrent reads of a node. It falls to as little as a quarter while responses are slow. Excess requests are rejected with `rate_limited` and `Retry-After`. Default: `256`. `CORRIDOR_MAX_READS` overrides it. */
    readonly reads?: number
  }
  readonly webhooks?: {
    /** The delay after each failed attempt of a delivery, each ± 10 %. Default: `5,300,1800,7200,18000,36000,50400,72000,86400`. `CORRIDOR_WEBHOOK_RETRY_SECONDS` overrides it. */
    readonly retrySeconds?: ReadonlyArray<number>
    /** The timeout of a delivery. Default: `15000`. `CORRIDOR_WEBHOOK_TIMEOUT_MS` overrides it. */
    readonly timeoutMs?: number
  }
  readonly retention?: {
    /** How long completed deliveries are kept. Default: `30`. `CORRIDOR_KEEP_DELIVERIES_DAYS` overrides it. */
    readonly deliveries?: number | null
    /** How long the ids of provider events are kept: longer than the provider repeats one. Default: `90`. `CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS` overrides it. */
    readonly providerEvents?: number | null
    /** How long published events are kept, which can be read and replayed. Default: `null`. `CORRIDOR_KEEP_EVENTS_DAYS` overrides it. */
    readonly events?: number | null
  }
  readonly telemetry?: {
    /** The base URL of an OTLP/HTTP receiver; `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended. Default: nothing is exported. `OTEL_EXPORTER_OTLP_ENDPOINT` overrides it. */
    readonly endpoint?: string
    /** Whether nothing is exported. Default: `false`. `OTEL_SDK_DISABLED` overrides it. */
    readonly disabled?: boolean
    /** `service.name` of the resource. Default: `service.name` of the attributes, or `corridor`. `OTEL_SERVICE_NAME` overrides it. */
    readonly serviceName?: string
    /** Further attributes of the resource. Default: none. `OTEL_RESOURCE_ATTRIBUTES` overrides it. */
    readonly resource?: Readonly<Record<string, string>>
    /** A secret. Headers of each export. Default: none. `OTEL_EXPORTER_OTLP_HEADERS` overrides it. */
    readonly headers?: Readonly<Record<string, string>>
    /** Whether traces are exported. Default: `true`. `OTEL_TRACES_EXPORTER` overrides it. */
    readonly traces?: boolean
    /** The whole URL for traces; nothing is appended. Default: below the base URL. `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` overrides it. */
    readonly tracesEndpoint?: string
    /** A secret. Headers of traces, in place of the others. Default: `OTEL_EXPORTER_OTLP_HEADERS`. `OTEL_EXPORTER_OTLP_TRACES_HEADERS` overrides it. */
    readonly tracesHeaders?: Readonly<Record<string, string>>
    /** Whether metrics are exported. Default: `true`. `OTEL_METRICS_EXPORTER` overrides it. */
    readonly metrics?: boolean
    /** The whole URL for metrics; nothing is appended. Default: below the base URL. `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` overrides it. */
    readonly metricsEndpoint?: string
    /** A secret. Headers of metrics, in place of the others. Default: `OTEL_EXPORTER_OTLP_HEADERS`. `OTEL_EXPORTER_OTLP_METRICS_HEADERS` overrides it. */
    readonly metricsHeaders?: Readonly<Record<string, string>>
    /** Whether logs are exported. Default: `true`. `OTEL_LOGS_EXPORTER` overrides it. */
    readonly logs?: boolean
    /** The whole URL for logs; nothing is appended. Default: below the base URL. `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT` overrides it. */
    readonly logsEndpoint?: string
    /** A secret. Headers of logs, in place of the others. Default: `OTEL_EXPORTER_OTLP_HEADERS`. `OTEL_EXPORTER_OTLP_LOGS_HEADERS` overrides it. */
    readonly logsHeaders?: Readonly<Record<string, string>>
    /** How the exports of every signal are encoded. There is no gRPC. Default: `http/json`. `OTEL_EXPORTER_OTLP_PROTOCOL` overrides it. */
    readonly protocol?: "http/json" | "http/protobuf"
    /** The time between exports of spans. Default: `5000`. `OTEL_BSP_SCHEDULE_DELAY` overrides it. */
    readonly traceIntervalMs?: number
    /** The time between exports of metrics. Default: `60000`. `OTEL_METRIC_EXPORT_INTERVAL` overrides it. */
    readonly metricIntervalMs?: number
    /** Which traces are exported. Default: `parentbased_always_on`. `OTEL_TRACES_SAMPLER` overrides it. */
    readonly sampler?:
      | "always_on"
      | "always_off"
      | "traceidratio"
      | "parentbased_always_on"
      | "parentbased_always_off"
      | "parentbased_traceidratio"
    /** The share of traces of a ratio sampler. Default: `1`. `OTEL_TRACES_SAMPLER_ARG` overrides it. */
    readonly samplerArg?: number
  }
}
