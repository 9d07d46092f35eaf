/** The settings of OpenTelemetry: the standard variables, and the member `telemetry` of a configuration. */
import type { Sampler } from "../observability/sampled-tracer.ts"
import {
  exportSettings,
  type protocols,
  type Setting,
  type SettingTable,
  signalSettings,
  telemetrySettings,
  type ValuesOf
} from "./settings.ts"
import * as value from "./values.ts"

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

interface Reader {
  readonly readAll: <T extends SettingTable>(table: T) => ValuesOf<T>
  readonly variable: (setting: Pick<Setting<never>, "kind" | "secret" | "variable">) => void
}

const none: Readonly<Record<string, string>> = {}

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

/** Reads and checks the telemetry settings. `undefined`: nothing is exported, because no endpoint is set or the export is switched off. */
export const readTelemetry = ({ readAll, variable }: Reader): Telemetry | undefined => {
  const { disabled, endpoint, headers, resource = none, service_name } = readAll(telemetrySettings)
  const receiverOf = (signal: keyof typeof signalSettings): Receiver | undefined => {
    const { headers: special, is_exported, url } = readAll(signalSettings[signal])
    const target = url ?? (endpoint === undefined ? undefined : `${endpoint}/v1/${signal}`)
    return target === undefined || !is_exported ? undefined : { url: target, headers: special ?? headers ?? none }
  }
  const [traces, metrics, logs] = [receiverOf("traces"), receiverOf("metrics"), receiverOf("logs")]
  const exporting = readAll(exportSettings)
  for (const [name, instead] of notTaken) variable({ variable: name, kind: value.nothing(instead), secret: false })
  if (disabled || [traces, metrics, logs].every((one) => one === undefined)) return undefined
  return {
    ...exporting,
    traces,
    metrics,
    logs,
    service_name: service_name ?? resource["service.name"] ?? "corridor",
    resource
  }
}
