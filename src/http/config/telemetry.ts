/** The settings of OpenTelemetry: the standard variables, and the member `telemetry` of a configuration. */
import { type Sampler, samplers } from "../observability/sampled-tracer.ts"
import * as value from "./values.ts"

export const protocols = ["http/json", "http/protobuf"] as const

/** Who gets a signal. */
export interface Receiver {
  /** The URL of its exports, whole. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Where telemetry is sent, and what of it. */
export interface Telemetry {
  /** `undefined`: the signal is not exported. */
  readonly traces: Receiver | undefined
  readonly metrics: Receiver | undefined
  readonly logs: Receiver | undefined
  readonly protocol: (typeof protocols)[number]
  readonly service_name: string
  readonly resource: Readonly<Record<string, string>>
  readonly trace_interval_ms: number
  readonly metric_interval_ms: number
  readonly sampler: Sampler
  /** The share of traces of a ratio sampler, 0 to 1. */
  readonly share: number
}

/** Reads settings: each from its variable and its member, or from its variable alone. */
interface Reader {
  readonly read: <A, B>(
    name: string,
    path: string,
    setting: { readonly kind: value.SettingKind<A>; readonly unset: B; readonly secret?: boolean }
  ) => A | B
  readonly variable: (
    name: string,
    setting: { readonly kind: value.SettingKind<never>; readonly unset: undefined }
  ) => void
}

const interval = value.whole(1, 3_600_000, "milliseconds from 1 to 3600000")
const none: Readonly<Record<string, string>> = {}
const headers = { kind: value.pairs, unset: undefined, secret: true }

const signals = ["traces", "metrics", "logs"] as const

/** Variables of OpenTelemetry that say how telemetry is sent, and that the exporters do not follow. What to do instead. */
const notTaken: ReadonlyArray<readonly [name: string, instead: string]> = ["", "TRACES_", "METRICS_", "LOGS_"].flatMap(
  (signal) => {
    const own = `OTEL_EXPORTER_OTLP_${signal}`
    return [
      ...(signal === "" ? [] : [[`${own}PROTOCOL`, "OTEL_EXPORTER_OTLP_PROTOCOL is that of every signal"] as const]),
      [`${own}CERTIFICATE`, "NODE_EXTRA_CA_CERTS names further authorities"],
      [`${own}CLIENT_KEY`, "exports have no client certificate"],
      [`${own}CLIENT_CERTIFICATE`, "exports have no client certificate"]
    ]
  }
)

/** `undefined`: nothing is exported, because no endpoint is set or the export is switched off. Everything is checked. */
export const telemetryOf = ({ read, variable }: Reader): Telemetry | undefined => {
  const endpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.endpoint", { kind: value.url, unset: undefined })
  const isDisabled = read("OTEL_SDK_DISABLED", "telemetry.disabled", { kind: value.truth, unset: false })
  const service_name = read("OTEL_SERVICE_NAME", "telemetry.serviceName", { kind: value.name, unset: undefined })
  const resource = read("OTEL_RESOURCE_ATTRIBUTES", "telemetry.resource", { kind: value.pairs, unset: none })
  const common = read("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.headers", headers)
  const receiverOf = (signal: (typeof signals)[number]): Receiver | undefined => {
    const upper = signal.toUpperCase()
    const own = `OTEL_EXPORTER_OTLP_${upper}`
    const path = `telemetry.${signal}`
    const isWanted = read(`OTEL_${upper}_EXPORTER`, path, { kind: value.exporter, unset: true })
    const url = read(`${own}_ENDPOINT`, `${path}Endpoint`, { kind: value.wholeUrl, unset: undefined })
    const special = read(`${own}_HEADERS`, `${path}Headers`, headers)
    const target = url ?? (endpoint === undefined ? undefined : `${endpoint}/v1/${signal}`)
    return target === undefined || !isWanted ? undefined : { url: target, headers: special ?? common ?? none }
  }
  const [traces, metrics, logs] = [receiverOf("traces"), receiverOf("metrics"), receiverOf("logs")]
  const telemetry: Telemetry = {
    traces,
    metrics,
    logs,
    protocol: read("OTEL_EXPORTER_OTLP_PROTOCOL", "telemetry.protocol", {
      kind: value.oneOf(...protocols),
      unset: "http/json" as const
    }),
    service_name: service_name ?? resource["service.name"] ?? "corridor",
    resource,
    trace_interval_ms: read("OTEL_BSP_SCHEDULE_DELAY", "telemetry.traceIntervalMs", { kind: interval, unset: 5000 }),
    metric_interval_ms: read("OTEL_METRIC_EXPORT_INTERVAL", "telemetry.metricIntervalMs", {
      kind: interval,
      unset: 60_000
    }),
    sampler: read("OTEL_TRACES_SAMPLER", "telemetry.sampler", {
      kind: value.oneOf(...samplers),
      unset: "parentbased_always_on" as const
    }),
    share: read("OTEL_TRACES_SAMPLER_ARG", "telemetry.samplerArg", { kind: value.share, unset: 1 })
  }
  for (const [name, instead] of notTaken) variable(name, { kind: value.nothing(instead), unset: undefined })
  const isExported = traces !== undefined || metrics !== undefined || logs !== undefined
  return isExported && !isDisabled ? telemetry : undefined
}
