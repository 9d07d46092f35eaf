/** Each request as a span, as a line of the log and in the metrics; and the text of all metrics. */
import { Clock, Context, Effect, Exit, References, Tracer } from "effect"
import { type HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { counter, type Family, gauge, makeHistogram, metrics, seconds } from "../../engine/ports/metrics.ts"
import { isLogged, isTraced, setAttributes, parseTraceparent, runBesideSpan } from "../../engine/ports/tracing.ts"
import { kinds } from "../../engine/registry.ts"
import { ActivityLog, ignoreLogErrors } from "../../engine/settings/settings.ts"
import { version } from "../../version.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

/** What is learned of a request while it is served. It has ids and words of the service only, nothing that was sent. */
interface Facts {
  /** The path of the route, with its parameters' names. */
  route?: string
  operation?: string
  request_id?: string
  merchant_id?: string
  key_id?: string
  operator_id?: string
  /** The resource that the path names or that was made. */
  resource_id?: string
  /** The code of a response that is an error. */
  code?: string
}

/**
 * The facts of a request as the annotations of its log: they are read when a line is written, and the request's id is known by
 * then. One service of the fiber is cheaper than two.
 */
class Observed {
  readonly #span: Tracer.Span | undefined
  constructor(span: Tracer.Span | undefined) {
    this.#span = span
  }
  static learn(this: void, observed: Observed, facts: Facts): void {
    Object.assign(observed, facts)
    if (observed.#span !== undefined)
      setAttributes(observed.#span, {
        "http.route": facts.route,
        "corridor.operation": facts.operation,
        "corridor.request_id": facts.request_id,
        "corridor.merchant_id": facts.merchant_id,
        "corridor.operator_id": facts.operator_id,
        "corridor.resource_id": facts.resource_id,
        "corridor.movement_id":
          facts.resource_id === undefined || kinds.ofId(facts.resource_id)?.transaction === undefined
            ? undefined
            : facts.resource_id,
        "corridor.error_code": facts.code
      })
  }
}

/** Records facts about the request that a fiber serves, where requests are observed. */
export const recordFacts = (context: Context.Context<never>, facts: Facts): void => {
  const observed: unknown = Context.get(context, References.CurrentLogAnnotations)
  if (observed instanceof Observed) Observed.learn(observed, facts)
}

/** Wraps a route so that its requests are observed under its path. */
export const observeRoute = <E, R>(route: HttpRouter.Route<E, R>): HttpRouter.Route<E, R> => ({
  ...route,
  handler: Effect.withFiber((fiber) => {
    recordFacts(fiber.context, { route: route.path })
    return route.handler
  })
})

/** Paths of pages and probes. Their requests have no span, and a line at the level `debug`. */
const system = /^\/(?:$|health\/|metrics|docs|openapi\.json|console(?!\/(?:api|session)))/

/** Serves a request with its log line and span. Where nothing is logged or traced, it is `respond` itself. */
export const observeRequest = <R>(respond: Effect.Effect<Response, never, R>): Effect.Effect<Response, never, R> =>
  Effect.withFiber((fiber) => {
    const isActive = fiber.getRef(ActivityLog)
    if (!isActive && !isTraced(fiber)) return respond
    const request = Context.getUnsafe(fiber.context as Context.Context<Request>, HttpServerRequest.HttpServerRequest)
    const isSystem = system.test(request.url)
    const level = isSystem ? "Debug" : "Info"
    let facts: Facts = {}
    const serve = (span: Tracer.Span | undefined) => {
      const observing = new Observed(span)
      facts = observing as Facts
      const annotations = facts as Readonly<Record<string, unknown>>
      // Added to the fiber's services. To merge two sets of services copies both.
      return Effect.updateContext(respond, (services: Context.Context<R>) => {
        const named = Context.add(services, References.CurrentLogAnnotations, annotations)
        return span === undefined ? named : Context.add(named, Tracer.ParentSpan, span)
      })
    }
    const answered = isSystem || !isTraced(fiber) ? serve(undefined) : serveInSpan(request, () => facts, serve)
    if (!isActive || !isLogged(fiber, level)) return answered
    const clock = fiber.getRef(Clock.Clock)
    const began = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(answered, (exit) =>
      ignoreLogErrors(
        Effect.annotateLogs(Effect.logWithLevel(level)("request"), {
          method: request.method,
          status: Exit.isSuccess(exit) ? exit.value.status : 499,
          duration_ms: Math.round(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e4) / 100,
          ...facts
        })
      )
    )
  })

/** Serves a request in a span: a child of the span that its `traceparent` names. Only a failure of the server (5xx) marks the span as failed. */
const serveInSpan = <R>(
  request: Request,
  facts: () => Facts,
  serve: (span: Tracer.Span | undefined) => Effect.Effect<Response, never, R>
): Effect.Effect<Response, never, R> => {
  const parent = parseTraceparent(request.headers["traceparent"])
  return runBesideSpan(
    () => ({
      name: "corridor.request",
      kind: "server",
      ...(parent === undefined ? {} : { parent }),
      attributes: { "http.request.method": request.method }
    }),
    (span) =>
      Effect.tap(serve(span), ({ status }) =>
        Effect.sync(() => span !== undefined && setAttributes(span, { "http.response.status_code": status }))
      ),
    ({ status }) => (status >= 500 ? (facts().code ?? String(status)) : undefined)
  )
}

const httpMetrics = {
  requests: counter("corridor_http_requests_total", "Requests completed.", { operation: null, status: null }),
  duration: makeHistogram(seconds)(
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

interface Meter {
  readonly begin: () => number
  readonly end: (started: number, status: number) => void
}

/** Makes the meter of one operation. The series that alerts compare exist from the start: a success and a failure of the server. */
export const makeMeter = (operation: string): Meter => {
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

/** Formats the metrics of the process as Prometheus text, version 0.0.4. A family without series has its description only. It reads no store. */
export const metricsText = (): string => {
  const text = PrometheusMetrics.formatUnsafe(Context.empty())
  const empty = families.filter(({ name }) => !text.includes(`\n# TYPE ${name} `))
  return (
    text +
    empty.map(({ description, name, type }) => `# HELP ${name} ${description}\n# TYPE ${name} ${type}\n`).join("")
  )
}
