/**
 * Every setting, once: its variable, the path of its member in a configuration, what it takes, its default and its meaning.
 * `decode.ts` reads the values. `npm run docs` writes `members.ts`, which types a configuration, and `docs/settings.md`.
 */
import { keepAliveSeconds, sendSeconds } from "../settings.ts"
import { samplers } from "../observability/sampled-tracer.ts"
import * as value from "./values.ts"

export const protocols = ["http/json", "http/protobuf"] as const

/** No value, and what that means. */
export interface Unset {
  readonly means: string
}

export interface Setting<A, U extends string | Unset = string | Unset> {
  readonly variable: string
  /** Its path: a group and a name with a point between them, or a name. */
  readonly member: string
  readonly kind: value.SettingKind<A>
  /** The default, as the text of the environment variable. */
  readonly unset: U
  /** Full sentences, in Markdown. */
  readonly says: string
  /** Its value is never shown, and in a file it comes from `secret`. */
  readonly secret: boolean
}

const settingAs =
  (secret: boolean) =>
  <A, U extends string | Unset>(variable: string, member: string, kind: value.SettingKind<A>, unset: U) => ({
    says: (says: string): Setting<A, U> => ({ variable, member, kind, unset, says, secret })
  })
const setting = settingAs(false)
const secret = settingAs(true)

const ifUnset = (text: string): Unset => ({ means: text })

export type SettingTable = Readonly<Record<string, Setting<unknown>>>

export type ValuesOf<T> = {
  readonly [K in keyof T]: T[K] extends Setting<infer A, infer U> ? (U extends string ? A : A | undefined) : never
}

export const environmentSetting = setting(
  "CORRIDOR_ENVIRONMENT",
  "environment",
  value.oneOf("test", "live"),
  "test"
).says(
  "`test` has `sk_test_` keys, `/sandbox` routes, and by default a simulated provider. `live` has `sk_live_` keys, and requires a configuration with `encryptionKeys`, `providers`, `rates`, `pricing` and a database that lasts. The variable and the member must not differ."
)

const limit = value.whole(1, 1_000_000, "a whole number from 1 to 1000000")
const limited =
  "It falls to as little as a quarter while responses are slow. Excess requests are rejected with `rate_limited` and `Retry-After`."

const listening = {
  host: setting("HOST", "host", value.host, "127.0.0.1").says("The address to listen on."),
  port: setting("PORT", "port", value.whole(0, 65_535, "a port from 0 to 65535"), "8080").says(
    "The port to listen on; 0 takes a free one."
  ),
  database: secret("DATABASE_URL", "database", value.database, "pglite:.corridor").says(
    "The store. `?cells=N` puts the merchants in N schemas ([nodes and cells](concepts/nodes-and-cells.md)). Migrations run at start; several nodes may start at once. A URL with a password is a secret."
  )
}

const running = {
  metrics_interval_seconds: setting(
    "CORRIDOR_METRICS_INTERVAL_SECONDS",
    "metricsIntervalSeconds",
    value.whole(1, 3600, "seconds from 1 to 3600"),
    "15"
  ).says("How often the gauges about the store are read, for `/metrics`."),
  console: setting("CORRIDOR_CONSOLE", "console", value.flag, "on").says(
    "Whether the console is served. If not, nothing is served below `/console`."
  ),
  dispatcher: setting("CORRIDOR_DISPATCHER", "dispatcher", value.flag, "on").says(
    "Whether this process runs jobs. If not, it serves requests, writes included, but submits no payout, runs no timer, delivers no event and deletes nothing; `/sandbox/settle` and `/sandbox/clock/advance` return 403. Use it to inspect a restored copy of a store, so that the copy does not pay again."
  ),
  sandbox_mode: setting("CORRIDOR_SANDBOX_MODE", "sandbox.mode", value.oneOf("auto", "manual"), "auto").says(
    "What the simulated provider does: with `auto`, commands succeed after a delay; with `manual`, `/sandbox` decides every outcome."
  ),
  sandbox_delay_ms: setting(
    "CORRIDOR_SANDBOX_DELAY_MS",
    "sandbox.delayMs",
    value.whole(0, 86_400_000, "milliseconds from 0 to 86400000"),
    "1000"
  ).says("The delay of `auto`."),
  rate_per_second: setting(
    "CORRIDOR_RATE_LIMIT_PER_SECOND",
    "limits.ratePerSecond",
    value.whole(0, 1_000_000, "a whole number from 0 (no limit) to 1000000"),
    "25"
  ).says("Money-movement writes per merchant over all nodes, with a burst of twice that."),
  max_writes: setting("CORRIDOR_MAX_WRITES", "limits.writes", limit, "256").says(
    `The maximum number of concurrent writes of a node. ${limited}`
  ),
  max_reads: setting("CORRIDOR_MAX_READS", "limits.reads", limit, "256").says(
    `The maximum number of concurrent reads of a node. ${limited}`
  ),
  public_url: setting("CORRIDOR_PUBLIC_URL", "baseUrl", value.url, ifUnset("the listening address")).says(
    "The public URL of the service, with which links begin."
  ),
  docs_url: setting("CORRIDOR_DOCS_URL", "docsUrl", value.url, ifUnset("the public URL and `/docs`")).says(
    "The base URL of the links in errors."
  ),
  webhook_retry_seconds: setting(
    "CORRIDOR_WEBHOOK_RETRY_SECONDS",
    "webhooks.retrySeconds",
    value.delays,
    "5,300,1800,7200,18000,36000,50400,72000,86400"
  ).says("The delay after each failed attempt of a delivery, each ± 10 %."),
  webhook_timeout_ms: setting(
    "CORRIDOR_WEBHOOK_TIMEOUT_MS",
    "webhooks.timeoutMs",
    value.whole(1, 600_000, "milliseconds from 1 to 600000"),
    "15000"
  ).says("The timeout of a delivery."),
  keep_deliveries: setting("CORRIDOR_KEEP_DELIVERIES_DAYS", "retention.deliveries", value.days(1), "30").says(
    "How long completed deliveries are kept."
  ),
  keep_provider_events: setting(
    "CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS",
    "retention.providerEvents",
    value.days(30),
    "90"
  ).says("How long the ids of provider events are kept: longer than the provider repeats one."),
  keep_events: setting("CORRIDOR_KEEP_EVENTS_DAYS", "retention.events", value.days(30), "0").says(
    "How long published events are kept, which can be read and replayed."
  ),
  statement_timeout_ms: setting(
    "CORRIDOR_STATEMENT_TIMEOUT_MS",
    "statementTimeoutMs",
    value.whole(0, 600_000, "milliseconds from 0 (no limit) to 600000"),
    "10000"
  ).says("The timeout of a statement on `postgres://`; the statement is cancelled and its connection closed."),
  keep_alive_seconds: setting(
    "CORRIDOR_KEEP_ALIVE_SECONDS",
    "keepAliveSeconds",
    value.whole(1, 7200, "seconds from 1 to 7200"),
    String(keepAliveSeconds)
  ).says("How long an idle connection is kept. It must be longer than the load balancer in front keeps one."),
  send_timeout_seconds: setting(
    "CORRIDOR_SEND_TIMEOUT_SECONDS",
    "sendTimeoutSeconds",
    value.whole(1, 3600, "seconds from 1 to 3600"),
    String(sendSeconds)
  ).says("How long a peer may take to read a response, before its connection is closed."),
  lease_seconds: setting(
    "CORRIDOR_LEASE_SECONDS",
    "leaseSeconds",
    value.whole(1, 3600, "seconds from 1 to 3600"),
    "45"
  ).says("The longest time that a job may take. Then another node claims it, even if the first one is alive."),
  log_level: setting("CORRIDOR_LOG_LEVEL", "logLevel", value.logLevel, "info").says(
    "The lowest level that is logged. `info` has each request and each state change."
  ),
  payshap: setting("CORRIDOR_PAYSHAP", "payshap", value.flag, "on").says(
    "Whether beneficiaries can be reached by payshap."
  ),
  name_match: setting("CORRIDOR_NAME_MATCH", "nameMatch", value.oneOf("show", "refuse"), "show").says(
    "What becomes of a beneficiary whose name has nothing in common with the holder of the account, as the provider resolves it: `show` (`details.name_match` is `none`) or `refuse` (`account_resolution_failed`)."
  ),
  screening: setting(
    "CORRIDOR_SCREENING",
    "screening",
    value.oneOf("required", "none"),
    ifUnset("`required` in `live`, `none` in `test`")
  ).says(
    "`required`: a beneficiary whose destination no provider screens is refused, and `live` does not start without a provider that screens. `none`: such a beneficiary is cleared."
  ),
  provider_secret: secret(
    "CORRIDOR_PROVIDER_SECRET",
    "sandbox.callbackSecret",
    value.callbackSecret,
    ifUnset("callbacks are rejected")
  ).says("Signs callbacks to `/providers/simulated/events`."),
  encryption_keys: secret(
    "CORRIDOR_ENCRYPTION_KEY",
    "encryptionKeys",
    value.encryptionKeys,
    ifUnset("a fixed key in `test`; required in `live`")
  ).says(
    "Encrypt signing secrets and id numbers, the current key first: encryption uses the first, decryption all. A new key goes last on every server before it goes first on any ([key rotation](runbooks/key-rotation.md#the-encryption-key))."
  )
}

export const makeSettings = (environment: "test" | "live") => ({
  ...listening,
  api_key: secret("CORRIDOR_API_KEY", "apiKey", value.apiKey(environment), ifUnset("generated and printed once")).says(
    "The admin key of the bootstrap merchant. A changed value revokes the previous key on every node."
  ),
  operator_token: secret(
    "CORRIDOR_OPERATOR_TOKEN",
    "operatorToken",
    value.operatorToken,
    ifUnset("generated and printed once")
  ).says(
    "The bearer token of the operator API: an admin, who makes the operators. It stays valid in the store until another one is configured; `off` ends it, so that only the operators' own tokens are left."
  ),
  metrics_token: secret(
    "CORRIDOR_METRICS_TOKEN",
    "metricsToken",
    value.bearerToken,
    ifUnset("an operator's token")
  ).says("The bearer token of `/metrics`, which then takes no other, and nothing without it."),
  open_metrics: setting("CORRIDOR_OPEN_METRICS", "openMetrics", value.flag, environment === "test" ? "on" : "off").says(
    "Whether `/metrics` without a token of its own takes requests from loopback without any. Behind a proxy on the same machine, that is everyone."
  ),
  ...running
})

/** The settings of OpenTelemetry, with its own variables: what is exported. */
export const telemetrySettings = {
  endpoint: setting(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "telemetry.endpoint",
    value.url,
    ifUnset("nothing is exported")
  ).says("The base URL of an OTLP/HTTP receiver; `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended."),
  disabled: setting("OTEL_SDK_DISABLED", "telemetry.disabled", value.truth, "false").says(
    "Whether nothing is exported."
  ),
  service_name: setting(
    "OTEL_SERVICE_NAME",
    "telemetry.serviceName",
    value.name,
    ifUnset("`service.name` of the attributes, or `corridor`")
  ).says("`service.name` of the resource."),
  resource: setting("OTEL_RESOURCE_ATTRIBUTES", "telemetry.resource", value.pairs, ifUnset("none")).says(
    "Further attributes of the resource."
  ),
  headers: secret("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.headers", value.pairs, ifUnset("none")).says(
    "Headers of each export."
  )
}

const makeSignalSettings = (signal: "traces" | "metrics" | "logs") => {
  const upper = signal.toUpperCase()
  const variable = `OTEL_EXPORTER_OTLP_${upper}`
  const member = `telemetry.${signal}`
  return {
    is_exported: setting(`OTEL_${upper}_EXPORTER`, member, value.exporter, "otlp").says(
      `Whether ${signal} are exported.`
    ),
    url: setting(`${variable}_ENDPOINT`, `${member}Endpoint`, value.wholeUrl, ifUnset("below the base URL")).says(
      `The whole URL for ${signal}; nothing is appended.`
    ),
    headers: secret(
      `${variable}_HEADERS`,
      `${member}Headers`,
      value.pairs,
      ifUnset("`OTEL_EXPORTER_OTLP_HEADERS`")
    ).says(`Headers of ${signal}, in place of the others.`)
  }
}

/** The settings of OpenTelemetry that each signal has. */
export const signalSettings = {
  traces: makeSignalSettings("traces"),
  metrics: makeSignalSettings("metrics"),
  logs: makeSignalSettings("logs")
}

const interval = value.whole(1, 3_600_000, "milliseconds from 1 to 3600000")

/** How it is exported. */
export const exportSettings = {
  protocol: setting("OTEL_EXPORTER_OTLP_PROTOCOL", "telemetry.protocol", value.oneOf(...protocols), "http/json").says(
    "How the exports of every signal are encoded. There is no gRPC."
  ),
  trace_interval_ms: setting("OTEL_BSP_SCHEDULE_DELAY", "telemetry.traceIntervalMs", interval, "5000").says(
    "The time between exports of spans."
  ),
  metric_interval_ms: setting("OTEL_METRIC_EXPORT_INTERVAL", "telemetry.metricIntervalMs", interval, "60000").says(
    "The time between exports of metrics."
  ),
  sampler: setting("OTEL_TRACES_SAMPLER", "telemetry.sampler", value.oneOf(...samplers), "parentbased_always_on").says(
    "Which traces are exported."
  ),
  share: setting("OTEL_TRACES_SAMPLER_ARG", "telemetry.samplerArg", value.share, "1").says(
    "The share of traces of a ratio sampler."
  )
}

/** Lists every setting, in the order of its page. */
export const listAllSettings = (environment: "test" | "live"): ReadonlyArray<Setting<unknown>> => [
  environmentSetting,
  ...[makeSettings(environment), telemetrySettings, ...Object.values(signalSettings), exportSettings].flatMap((table) =>
    Object.values<Setting<unknown>>(table)
  )
]
