/**
 * Says in the log that telemetry is not exported, and bounds what waits for a collector. The exporters themselves drop what fails,
 * and try again after a minute.
 */
import { Clock, Duration, Effect, Layer, type LogLevel, References } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError } from "effect/http"
import { AnswerTooLarge, limitFetch } from "../../protocol/bounded-fetch.ts"

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
 * The client of the exporters. It follows no redirect, which would carry the headers of an export elsewhere. An export that is not acknowledged is a line of `log` at `warn`, once in a minute for each URL.
 * It is never exported itself. A collector that does not answer holds a bounded number of exports, for a bounded time.
 */
export const exportClient = (log: Layer.Layer<never>, level: LogLevel.LogLevel): Layer.Layer<HttpClient.HttpClient> =>
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
