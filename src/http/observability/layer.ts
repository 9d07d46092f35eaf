/**
 * What a server tells about itself: its log, and traces, metrics and logs over OTLP/HTTP if an endpoint is set. Both are
 * Effect's own. What is buffered is sent when the layer's scope closes.
 */
import { Clock, ConfigProvider, Effect, Layer, Logger, References, Tracer } from "effect"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { ActivityLog } from "../../engine/settings/settings.ts"
import { version } from "../../version.ts"
import type { Config } from "../config/config.ts"
import type { Receiver, Telemetry } from "../config/telemetry.ts"
import { exportClient } from "./export-failures.ts"
import { lines, safely, terminalLines } from "./log-line.ts"
import { makeSampledTracer } from "./sampled-tracer.ts"

/** How long a stopping server waits for its last export. */
const shutdownMs = 3000

/** How often logs are exported. */
const logIntervalMs = 1000

const serialization = {
  "http/json": OtlpSerialization.layerJson,
  "http/protobuf": OtlpSerialization.layerProtobuf
}

const makeExporter = (
  { logs, metric_interval_ms, metrics, protocol, sampler, share, traces, ...given }: Telemetry,
  level: Config["log_level"],
  terminal: Config["terminal"]
) => {
  const options = (receiver: Receiver, exportInterval: number) => ({
    ...receiver,
    resource: { serviceName: given.service_name, serviceVersion: version, attributes: given.resource },
    exportInterval,
    shutdownTimeout: shutdownMs
  })
  const tracer = (receiver: Receiver) =>
    Layer.effect(
      Tracer.Tracer,
      Effect.gen(function* () {
        const made = yield* OtlpTracer.make(options(receiver, given.trace_interval_ms))
        return makeSampledTracer(made, { sampler, share }, yield* Clock.Clock)
      })
    )
  return Layer.mergeAll(
    traces === undefined ? Layer.empty : tracer(traces),
    metrics === undefined ? Layer.empty : Layer.effectDiscard(OtlpMetrics.make(options(metrics, metric_interval_ms))),
    loggers(terminal, logs === undefined ? undefined : OtlpLogger.make(options(logs, logIntervalMs)))
  ).pipe(
    Layer.provide(
      Layer.mergeAll(
        OtlpExporter.layerFlusher,
        serialization[protocol],
        exportClient(loggers(terminal), level),
        // The settings are decoded already. The exporters must not read variables themselves.
        ConfigProvider.layer(ConfigProvider.fromUnknown({}))
      )
    )
  )
}

/** The loggers, with the wall time. */
const loggers = <R = never>(
  terminal: Config["terminal"],
  other?: Effect.Effect<Logger.Logger<unknown, void>, never, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const own = safely(clock, terminal === undefined ? lines : terminalLines(terminal))
      return other === undefined
        ? Logger.layer([own])
        : Logger.layer([own, Effect.map(other, (logger) => safely(clock, logger))])
    })
  )

/** The log and the exporters of a server. It is built outside the service's clock, so that their times are real. */
export const observability = ({
  log_level,
  telemetry,
  terminal
}: Pick<Config, "log_level" | "telemetry" | "terminal">): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(ActivityLog, true),
    Layer.succeed(References.MinimumLogLevel, log_level),
    telemetry === undefined ? loggers(terminal) : makeExporter(telemetry, log_level, terminal)
  )
