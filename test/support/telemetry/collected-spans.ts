/** A Tracer of a host, which keeps the spans it made. */
import { Option, Tracer } from "effect"

export interface CollectedSpans {
  readonly tracer: Tracer.Tracer
  readonly spans: Array<Tracer.NativeSpan>
  readonly named: (name: string) => ReadonlyArray<Tracer.NativeSpan>
}

export const makeCollectedSpans = (): CollectedSpans => {
  const spans: Array<Tracer.NativeSpan> = []
  return {
    spans,
    named: (name) => spans.filter((span) => span.name === name),
    tracer: Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
  }
}

/** The names of the spans that lead to a span. */
export const pathTo = (span: Tracer.AnySpan): ReadonlyArray<string> =>
  span._tag === "ExternalSpan"
    ? [span.spanId]
    : [...Option.match(span.parent, { onNone: () => [], onSome: pathTo }), span.name]
