/** Says in the log that telemetry is not exported. The exporters themselves drop it, and try again after a minute. */
import { Clock, Effect, Layer, type LogLevel, References } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError } from "effect/http"

const silenceMs = 60_000

const reasonOf = ({ reason }: HttpClientError.HttpClientError): string => {
  const { cause } = reason as { readonly cause?: { readonly cause?: { readonly code?: unknown } } }
  const code = cause?.cause?.code
  return typeof code === "string" ? code : reason._tag
}

/**
 * The client of the exporters. An export that is not acknowledged is a line of `log` at `warn`, once in a minute for each URL.
 * It is never exported itself.
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
      return client.pipe(
        HttpClient.tap(({ request, status }) =>
          status < 300 ? Effect.void : report(request.url, `HTTP status ${status}`)
        ),
        HttpClient.tapError((error) => report(error.request.url, reasonOf(error)))
      )
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))
