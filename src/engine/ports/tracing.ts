/**
 * Spans of the engine, made with Effect's Tracer of the process or of the host. Without one, or with the native one, which has
 * no backend, no span is made: the cost is one comparison.
 *
 * A span never has the message of an error: it may quote an input. It has the error's type.
 *
 * A Tracer that throws changes nothing of the work that is traced (TELEMETRY-9).
 */
import { Cause, Clock, Context, Effect, Exit, type Fiber, LogLevel, Option, Tracer } from "effect"
import type { JobWrite, TraceMark } from "./storage-records.ts"

/** When the trace of a fiber began, service clock. Undefined: with the fiber's span. */
export const TraceBegan = Context.Reference<number | undefined>("corridor/engine/TraceBegan", {
  defaultValue: () => undefined
})

/** Attributes that a span takes from the one above it. */
const inherited = ["corridor.movement_id", "corridor.merchant_id"] as const

export const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracer !== undefined && cache.tracer !== Tracer.nativeTracer && cache.tracerEnabled

interface SpanStart {
  readonly name: string
  readonly kind: Tracer.SpanKind
  /** Null: the span begins a trace. Absent: the fiber's span. */
  readonly parent?: Tracer.AnySpan | null
  readonly link?: Tracer.AnySpan | undefined
  /** Undefined members are left out. */
  readonly attributes: { readonly [name: string]: unknown }
}

const tryOrUndefined = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Sets attributes of a span. Undefined ones are left out. */
export const setAttributes = (span: Tracer.Span, attributes: SpanStart["attributes"]): void => {
  if (!span.sampled) return
  tryOrUndefined(() => {
    for (const name in attributes) if (attributes[name] !== undefined) span.attribute(name, attributes[name])
  })
}

const openSpan = (
  fiber: Fiber.Fiber<unknown, unknown>,
  { name, kind, parent, link, attributes }: SpanStart
): Tracer.Span => {
  const above = parent === undefined ? fiber.cache.span : (parent ?? undefined)
  const span = fiber.cache.tracer!.span({
    name,
    kind,
    parent: Option.fromUndefinedOr(above),
    annotations: Context.empty(),
    links: link === undefined ? [] : [{ span: link, attributes: {} }],
    startTime: fiber.getRef(Clock.Clock).currentTimeNanosUnsafe(),
    root: above === undefined,
    sampled: above?.sampled ?? true
  })
  setAttributes(span, attributes)
  if (above?._tag === "Span")
    for (const one of inherited)
      if (attributes[one] === undefined && above.attributes.has(one))
        setAttributes(span, { [one]: above.attributes.get(one) })
  return span
}

/** Failures as spans show them: the type of the error, without its message and stack. */
const failures = new Map<string, Exit.Exit<never, Error>>()
/** The exit of a span that failed with an error of this type, without message and stack. */
const exitWithFailure = (type: string): Exit.Exit<never, Error> => {
  let failure = failures.get(type)
  if (failure === undefined) {
    const error = Object.assign(new Error(type), { name: type, stack: type })
    failures.set(type, (failure = Exit.fail(error)))
  }
  return failure
}

const errorTypeOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause) as { readonly _tag?: unknown; readonly name?: unknown } | null
  const type = error?._tag ?? error?.name
  return typeof type === "string" ? type : "Error"
}

/** Replaces the error of an exit by its type alone, without message and stack. */
export const removeMessage = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? exit : exitWithFailure(errorTypeOf(exit.cause))

/** Ends a span with the time of the fiber's clock. `failure`: the type of the error, or undefined. */
const endSpan = (fiber: Fiber.Fiber<unknown, unknown>, span: Tracer.Span, failure: string | undefined): void => {
  const at = fiber.getRef(Clock.Clock).currentTimeNanosUnsafe()
  if (failure !== undefined) setAttributes(span, { "error.type": failure })
  tryOrUndefined(() => span.end(at, failure === undefined ? Exit.void : exitWithFailure(failure)))
}

/**
 * Starts a span, if there is a tracer, and runs an effect that gets it. Spans of the effect are not below it, unless the effect provides it
 * to them. `failureOf`: the type of the error of a result that is a failure, although the effect succeeded.
 */
export const runBesideSpan = <A, E, R>(
  start: () => SpanStart,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>,
  failureOf?: (result: A) => string | undefined
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!isTraced(fiber)) return run(undefined)
    const span = tryOrUndefined(() => openSpan(fiber, start()))
    if (span === undefined) return run(undefined)
    return run(span).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() =>
          endSpan(
            fiber,
            span,
            Exit.isSuccess(exit)
              ? failureOf?.(exit.value)
              : Cause.hasInterruptsOnly(exit.cause)
                ? "Interrupted"
                : errorTypeOf(exit.cause)
          )
        )
      )
    )
  })

/** Runs an effect inside a span, if spans are made: as {@link runBesideSpan}, and spans of the effect are below it. */
export const runInSpan = <A, E, R>(
  start: () => SpanStart,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>,
  failureOf?: (result: A) => string | undefined
): Effect.Effect<A, E, R> =>
  runBesideSpan(
    start,
    (span) => (span === undefined ? run(span) : Effect.provideService(run(span), Tracer.ParentSpan, span)),
    failureOf
  )

/** A span as the value of a `traceparent` header. */
export const formatTraceparent = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`

/** The `traceparent` for a request that the fiber sends. Undefined: it is in no span. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.withFiber((fiber) =>
  Effect.succeed(isTraced(fiber) && fiber.cache.span !== undefined ? formatTraceparent(fiber.cache.span) : undefined)
)

const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The span that a `traceparent` names (W3C Trace Context). Undefined for a value that is none. */
export const parseTraceparent = (traceparent: string | undefined): Tracer.ExternalSpan | undefined => {
  const [, version, traceId, spanId, flags, more] = pattern.exec(traceparent ?? "") ?? []
  if (traceId === undefined || spanId === undefined || (version === "00" && more !== undefined)) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 })
}

/** Makes the mark by which the jobs of a span join its trace: its `traceparent`, and when the trace began, `now` if that is unknown. */
export const makeTraceMark = (fiber: Fiber.Fiber<unknown, unknown>, span: Tracer.AnySpan, now: number): TraceMark => ({
  parent: formatTraceparent(span),
  began: fiber.getRef(TraceBegan) ?? now
})

/** Jobs with the mark of the write that makes them. A job that is written again keeps its mark. */
export const addTraceMark = (jobs: ReadonlyArray<JobWrite>, trace: TraceMark): ReadonlyArray<JobWrite> =>
  jobs.map((job) => ("trace" in job.body ? job : { ...job, body: { ...job.body, trace } }))

/** Marks jobs, for an adapter that writes its own. `now`: service clock. */
export const markJobs = (jobs: ReadonlyArray<JobWrite>, now: number): Effect.Effect<ReadonlyArray<JobWrite>> =>
  Effect.withFiber((fiber) => {
    const { span } = fiber.cache
    return Effect.succeed(
      isTraced(fiber) && span !== undefined ? addTraceMark(jobs, makeTraceMark(fiber, span, now)) : jobs
    )
  })

/**
 * For how long what follows from a commit continues its trace. Later work has a trace of its own with a link, so that no trace
 * stays open for days.
 */
const continuedMs = 60_000

/**
 * Finds the parent or link for the span of asynchronous work. `mark`: the mark of the write that made the work. `began`: when the trace
 * began, if the work continues one.
 */
export const continueTrace = (
  mark: TraceMark | undefined,
  now: number
): Pick<SpanStart, "parent" | "link"> & { readonly began: number | undefined } => {
  const above = parseTraceparent(mark?.parent)
  if (mark === undefined || above === undefined) return { parent: null, began: undefined }
  return now - mark.began < continuedMs
    ? { parent: above, began: mark.began }
    : { parent: null, link: above, began: undefined }
}

/** Whether a line of this level is logged: to ask before an expensive one is made. */
export const isLogged = ({ cache }: Fiber.Fiber<unknown, unknown>, level: LogLevel.LogLevel): boolean =>
  !LogLevel.isGreaterThan(cache.minimumLogLevel, level)
