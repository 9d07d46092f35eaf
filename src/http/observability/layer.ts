/**
 * What a server tells about itself: its log, and traces, metrics and logs over OTLP/HTTP if an endpoint is set. Both are
 * Effect's own. What is buffered is sent when the layer's scope closes.
 */
import { Clock, ConfigProvider, Duration, Effect, Layer, Logger, type LogLevel, References, Tracer } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { ActivityLog } from "../../engine/settings/settings.ts"
import { AnswerTooLarge, limitFetch } from "../../protocol/bounded-fetch.ts"
import { version } from "../../version.ts"
import type { Config } from "../config/config.ts"
import type { Receiver, Telemetry } from "../config/telemetry.ts"
import { lines, redactLogger, makeTerminalLogger } from "./log-line.ts"
import { makeSampledTracer } from "./sampled-tracer.ts"

// Says in the log that telemetry is not exported, and bounds what waits for a collector. The exporters themselves drop what fails,
// and try again after a minute.

const silenceMs = 60_000

/** The longest time of an export. */
const exportMs = 10_000

/** The most exports to a URL at once. What they hold, a thousand spans each, stays in memory until they end. */
const exportsMax = 4

/** The largest answer to an export, in bytes. It says what was not taken, at most. */
const answerMax = 64 * 1024

const describeError = ({ reason }: HttpClientError.HttpClientError): string => {
  const { cause } = reason as { readonly cause?: { readonly cause?: { readonly code?: unknown } } }
  if (cause instanceof AnswerTooLarge) return cause.message
  const code = cause?.cause?.code
  return typeof code === "string" ? code : reason._tag
}

/**
 * Makes the HTTP client of the exporters. It follows no redirect, which would send the headers of an export elsewhere. An export
 * that is not acknowledged is logged to `log` at `warn`, once a minute for each URL, and that line is never exported. A collector
 * that does not answer holds a bounded number of exports, for a bounded time.
 */
export const makeExportClient = (
  log: Layer.Layer<never>,
  level: LogLevel.LogLevel
): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const clock = yield* Clock.Clock
      const logged = new Map<string, number>()
      const report = (url: string, why: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          if (now - (logged.get(url) ?? -Infinity) < silenceMs) return Effect.void
          logged.set(url, now)
          return Effect.logWarning(`telemetry is not exported: ${why}`).pipe(
            Effect.annotateLogs({ url }),
            Effect.provideService(References.MinimumLogLevel, level),
            Effect.provide(log)
          )
        })
      const running = new Map<string, number>()
      /** Ends an export as a defect: it is not repeated, and the exporter drops what it has. */
      const givenUp = (url: string, why: string) =>
        Effect.andThen(report(url, why), Effect.die(new Error(`telemetry is not exported: ${why}`)))
      return client.pipe(
        HttpClient.transform((answered, { url }) =>
          Effect.uninterruptibleMask((restore) => {
            const before = running.get(url) ?? 0
            if (before >= exportsMax) return givenUp(url, `${before} exports are not answered yet`)
            running.set(url, before + 1)
            const ended = Effect.tap(answered, (response) => response.arrayBuffer).pipe(
              Effect.timeoutOrElse({
                duration: Duration.millis(exportMs),
                orElse: () => givenUp(url, `no answer within ${exportMs} ms`)
              })
            )
            return Effect.ensuring(
              restore(ended),
              Effect.sync(() => running.set(url, (running.get(url) ?? 1) - 1))
            )
          })
        ),
        HttpClient.tap(({ request, status }) =>
          status < 300 ? Effect.void : report(request.url, `HTTP status ${status}`)
        ),
        HttpClient.tapError((error) => report(error.request.url, describeError(error)))
      )
    })
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, limitFetch(answerMax)))
  )

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
    makeLoggers(terminal, logs === undefined ? undefined : OtlpLogger.make(options(logs, logIntervalMs)))
  ).pipe(
    Layer.provide(
      Layer.mergeAll(
        OtlpExporter.layerFlusher,
        serialization[protocol],
        makeExportClient(makeLoggers(terminal), level),
        // The settings are decoded already. The exporters must not read variables themselves.
        ConfigProvider.layer(ConfigProvider.fromUnknown({}))
      )
    )
  )
}

/** Makes the loggers, with the wall time. */
const makeLoggers = <R = never>(
  terminal: Config["terminal"],
  other?: Effect.Effect<Logger.Logger<unknown, void>, never, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const own = redactLogger(clock, terminal === undefined ? lines : makeTerminalLogger(terminal))
      return other === undefined
        ? Logger.layer([own])
        : Logger.layer([own, Effect.map(other, (logger) => redactLogger(clock, logger))])
    })
  )

/** Makes the log and the exporters of a server. It is built outside the service's clock, so that their times are real. */
export const makeObservability = ({
  log_level,
  telemetry,
  terminal
}: Pick<Config, "log_level" | "telemetry" | "terminal">): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(ActivityLog, true),
    Layer.succeed(References.MinimumLogLevel, log_level),
    telemetry === undefined ? makeLoggers(terminal) : makeExporter(telemetry, log_level, terminal)
  )
