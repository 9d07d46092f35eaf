/** The settings of OpenTelemetry: the standard variables, and the member `telemetry` of a configuration. */
import { type Sampler, samplers } from "../observability/sampled-tracer.ts"
import * as value from "./values.ts"

/** Where telemetry is sent, and what of it. */
export interface Telemetry {
  /** The base URL of an OTLP/HTTP receiver, without a trailing slash. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly service_name: string
  readonly resource: Readonly<Record<string, string>>
  readonly traces: boolean
  readonly metrics: boolean
  readonly logs: boolean
  readonly trace_interval_ms: number
  readonly metric_interval_ms: number
  readonly sampler: Sampler
  /** The share of traces of a ratio sampler, 0 to 1. */
  readonly share: number
}

/** Reads one setting from its variable and its member. */
type Read = <A, B>(
  name: string,
  path: string,
  setting: { readonly kind: value.Kind<A>; readonly unset: B; readonly secret?: boolean }
) => A | B

const interval = value.whole(1, 3_600_000, "milliseconds from 1 to 3600000")
const none: Readonly<Record<string, string>> = {}
const signal = { kind: value.exporter, unset: true }

/** `undefined`: nothing is exported, because no endpoint is set or the export is switched off. Everything is checked. */
export const telemetryOf = (read: Read): Telemetry | undefined => {
  const endpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.endpoint", { kind: value.url, unset: undefined })
  const isDisabled = read("OTEL_SDK_DISABLED", "telemetry.disabled", { kind: value.truth, unset: false })
  const service_name = read("OTEL_SERVICE_NAME", "telemetry.serviceName", { kind: value.name, unset: undefined })
  const resource = read("OTEL_RESOURCE_ATTRIBUTES", "telemetry.resource", { kind: value.pairs, unset: none })
  const others = {
    headers: read("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.headers", { kind: value.pairs, unset: none, secret: true }),
    resource,
    traces: read("OTEL_TRACES_EXPORTER", "telemetry.traces", signal),
    metrics: read("OTEL_METRICS_EXPORTER", "telemetry.metrics", signal),
    logs: read("OTEL_LOGS_EXPORTER", "telemetry.logs", signal),
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
  if (endpoint === undefined || isDisabled) return undefined
  return { endpoint, service_name: service_name ?? resource["service.name"] ?? "corridor", ...others }
}
