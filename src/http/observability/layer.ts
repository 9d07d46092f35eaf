/**
 * What a server tells about itself: its log, and traces, metrics and logs over OTLP/HTTP (JSON) if an endpoint is set. Both are
 * Effect's own. What is buffered is sent when the layer's scope closes.
 */
import { Clock, ConfigProvider, Effect, Layer, Logger, References, Tracer } from "effect"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { ActivityLog } from "../../engine/settings/ActivityLog.ts"
import { version } from "../../version.ts"
import type { Config } from "../config/config.ts"
import type { Telemetry } from "../config/telemetry.ts"
import { exportClient } from "./export-failures.ts"
import { lines, safely } from "./log-line.ts"
import { sampledTracer } from "./sampled-tracer.ts"

/** How long a stopping server waits for its last export. */
const shutdownMs = 3000

/** How often logs are exported. */
const logIntervalMs = 1000

const exported = (
  { endpoint, headers, metric_interval_ms, resource, sampler, share, ...given }: Telemetry,
  level: Config["log_level"]
) => {
  const options = (signal: string, exportInterval: number) => ({
    url: `${endpoint}/v1/${signal}`,
    headers,
    resource: { serviceName: given.service_name, serviceVersion: version, attributes: resource },
    exportInterval,
    shutdownTimeout: shutdownMs
  })
  const traces = Layer.effect(
    Tracer.Tracer,
    Effect.gen(function* () {
      const tracer = yield* OtlpTracer.make(options("traces", given.trace_interval_ms))
      return sampledTracer(tracer, { sampler, share }, yield* Clock.Clock)
    })
  )
  const metrics = Layer.effectDiscard(OtlpMetrics.make(options("metrics", metric_interval_ms)))
  return Layer.mergeAll(
    given.traces ? traces : Layer.empty,
    given.metrics ? metrics : Layer.empty,
    loggers(given.logs ? OtlpLogger.make(options("logs", logIntervalMs)) : undefined)
  ).pipe(
    Layer.provide(
      Layer.mergeAll(
        OtlpExporter.layerFlusher,
        OtlpSerialization.layerJson,
        exportClient(loggers(), level),
        // The settings are decoded already. The exporters must not read variables themselves.
        ConfigProvider.layer(ConfigProvider.fromUnknown({}))
      )
    )
  )
}

/** The loggers, with the wall time. */
const loggers = <R = never>(other?: Effect.Effect<Logger.Logger<unknown, void>, never, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const own = safely(clock, lines)
      return other === undefined
        ? Logger.layer([own])
        : Logger.layer([own, Effect.map(other, (logger) => safely(clock, logger))])
    })
  )

/** The log and the exporters of a server. It is built outside the service's clock, so that their times are real. */
export const observability = ({ log_level, telemetry }: Pick<Config, "log_level" | "telemetry">): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(ActivityLog, true),
    Layer.succeed(References.MinimumLogLevel, log_level),
    telemetry === undefined ? loggers() : exported(telemetry, log_level)
  )
