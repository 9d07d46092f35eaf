/** The metrics of requests, and the text of all metrics. */
import { Context, Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { counter, type Family, gauge, histogram, metrics, seconds } from "../engine/ports/metrics.ts"
import { version } from "../version.ts"

export const httpMetrics = {
  requests: counter("corridor_http_requests_total", "Requests completed.", { operation: null, status: null }),
  duration: histogram(seconds)(
    "corridor_http_request_duration_seconds",
    "Time from the head of the request to its response.",
    { operation: null }
  ),
  running: gauge("corridor_http_requests_running", "Requests running."),
  defects: counter("corridor_http_defects_total", "Requests that ended in a defect."),
  build: gauge("corridor_build_info", "1, with the version of this process.", { version: [version] })
} as const

httpMetrics.build.of({ version }).record(1)

let inFlight = 0

export interface Meter {
  readonly begin: () => number
  readonly end: (started: number, status: number) => void
}

/** The meter of one operation. What alerts compare exists from the start: a success and a failure of the server. */
export const meter = (operation: string): Meter => {
  const running = httpMetrics.running.of({})
  const timed = httpMetrics.duration.of({ operation })
  const byStatus = (status: number) => httpMetrics.requests.of({ operation, status: String(status) })
  for (const status of [200, 500]) byStatus(status)
  return {
    begin: () => {
      running.record(++inFlight)
      return performance.now()
    },
    end: (started, status) => {
      byStatus(status).record(1)
      timed.record((performance.now() - started) / 1000)
      running.record(--inFlight)
    }
  }
}

export const countDefect: Effect.Effect<void> = Effect.sync(() => httpMetrics.defects.of({}).record(1))

/** Every family of the process. */
export const families: ReadonlyArray<Family> = [...Object.values(metrics), ...Object.values(httpMetrics)]

/**
 * The metrics of the process as Prometheus text, version 0.0.4. A family without series has its description only. It reads no
 * store.
 */
export const metricsText = (): string => {
  const text = PrometheusMetrics.formatUnsafe(Context.empty())
  const empty = families.filter(({ name }) => !text.includes(`\n# TYPE ${name} `))
  return (
    text +
    empty.map(({ description, name, type }) => `# HELP ${name} ${description}\n# TYPE ${name} ${type}\n`).join("")
  )
}
