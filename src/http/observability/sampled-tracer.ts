/** Which traces are exported, and with which times. */
import { type Clock, Option, Tracer } from "effect"
import { removeMessage } from "../../engine/ports/tracing.ts"

export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const
export type Sampler = (typeof samplers)[number]

type Options = Parameters<Tracer.Tracer["span"]>[0]

/** Whether a trace is sampled, at a share of all traces. Every process decides alike about one trace id. */
export const isSampled = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 >= 1 - share

/**
 * Makes a tracer that samples, as OpenTelemetry's samplers do. A parent-based one also follows the span that a span without a parent links to,
 * so that the traces of a movement are exported together. Times are those of `clock`, the wall clock: the service's clock may have been moved.
 */
export const makeSampledTracer = (
  tracer: Tracer.Tracer,
  { sampler, share }: { readonly sampler: Sampler; readonly share: number },
  clock: Clock.Clock
): Tracer.Tracer => {
  const isParentBased = sampler.startsWith("parentbased_")

  const begun = (options: Options): Tracer.Span => {
    const parent = Option.getOrUndefined(options.parent)
    const above = isParentBased ? (parent ?? options.links[0]?.span) : undefined
    if (above !== undefined) return tracer.span({ ...options, sampled: above.sampled })
    if (!sampler.endsWith("traceidratio")) return tracer.span({ ...options, sampled: sampler.endsWith("_on") })
    const span = tracer.span({ ...options, sampled: true })
    if (isSampled(span.traceId, share)) return span
    const left = new Tracer.NativeSpan({ ...options, sampled: false })
    left._traceId = span.traceId
    return left
  }

  return Tracer.make({
    span: (options) => {
      const span = begun({ ...options, startTime: clock.currentTimeNanosUnsafe() })
      if (!span.sampled) return span
      const end = span.end.bind(span)
      // Also of spans that a library made: the message of an error may quote an input.
      span.end = (_, exit) => end(clock.currentTimeNanosUnsafe(), removeMessage(exit))
      return span
    }
  })
}
