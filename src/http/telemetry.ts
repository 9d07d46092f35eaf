import type { Context, Effect } from "effect"
import { Metric } from "effect"

/**
 * Metrics of requests: their number by operation and status, their duration, and the number of running requests. The metrics
 * of an operation are made once, so that counting a request is a lookup and an addition.
 */
const requests = Metric.counter("corridor_http_requests_total", {
  description: "Requests completed.",
  incremental: true
})
const duration = Metric.histogram("corridor_http_request_duration_seconds", {
  description: "Time from the head of the request to its response.",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
const running = Metric.gauge("corridor_http_requests_running", { description: "Requests running." })
const defects = Metric.counter("corridor_http_defects_total", {
  description: "Requests that ended in a defect.",
  incremental: true
})

let inFlight = 0

export interface Meter {
  readonly begin: (context: Context.Context<never>) => number
  readonly end: (context: Context.Context<never>, started: number, status: number) => void
}

/** The meter of one operation. */
export const meter = (operation: string): Meter => {
  const timed = Metric.withAttributes(duration, { operation })
  const byStatus = new Map<number, Metric.Metric<number, unknown>>()
  return {
    begin: (context) => {
      inFlight++
      running.updateUnsafe(inFlight, context)
      return performance.now()
    },
    end: (context, started, status) => {
      inFlight--
      let counted = byStatus.get(status)
      if (counted === undefined)
        byStatus.set(status, (counted = Metric.withAttributes(requests, { operation, status: String(status) })))
      counted.updateUnsafe(1, context)
      timed.updateUnsafe((performance.now() - started) / 1000, context)
      running.updateUnsafe(inFlight, context)
    }
  }
}

export const countDefect: Effect.Effect<void> = Metric.update(defects, 1)
